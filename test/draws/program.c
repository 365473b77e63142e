// The program of a draw: an input, parameter or constant for each operand, the op, an output
// for each result.
#include "draws.h"

#include <pir/dialect/builtin.h>
#include <pir/dialect/pd_op.h>
#include <pir/lower.h>
#include <pir/pass.h>

#include <stdlib.h>
#include <string.h>

typedef struct building {
  const draw *d;
  const pir_opdef *def;
  bool wide;
  pir_program *program;
} building;

pir_dtype draw_widened(pir_dtype dtype) {
  if (dtype == PIR_F16 || dtype == PIR_BF16 || dtype == PIR_F32)
    return PIR_F64;
  return dtype == PIR_C64 ? PIR_C128 : dtype;
}

static pir_op *put(building *b, const pir_opdef *def, pir_value *const *operands, size_t n,
                   const pir_type *const *types, size_t results, const pir_named_attr *attrs,
                   size_t attr_count) {
  pir_builder builder = pir_builder_at_end(pir_program_block(b->program));
  pir_op_spec spec = {.def = def,
                      .operands = operands,
                      .operand_count = n,
                      .result_types = types,
                      .result_count = results,
                      .attrs = attrs,
                      .attr_count = attr_count};
  return pir_build(&builder, &spec);
}

static pir_named_attr named(pir_context *ctx, const char *name, const pir_attr *value) {
  return (pir_named_attr){pir_name_get(ctx, pir_str_from(name)), value};
}

static pir_value *put_tensor(building *b, const draw_tensor *t, size_t k, size_t member) {
  pir_context *ctx = b->d->ctx;
  char name[96];
  size_t n = draw_name(b->d, k, member, name, sizeof name);
  pir_dtype dtype = b->wide ? draw_widened(t->dtype) : t->dtype;
  pir_shape shape = {t->shape, (size_t)t->rank};
  const pir_attr *text = pir_attr_str(ctx, PIR_ATTR_STR, (pir_str){name, n});
  size_t bytes;
  if (t->parameter && !b->wide && !pir_shape_bytes(t->shape, t->rank, dtype, &bytes)) {
    const pir_type *type = pir_type_tensor(ctx, dtype, shape);
    void *data = calloc(1, bytes + 1);
    draw_fill(t, dtype, 0, 0, data);
    pir_param param = {{name, n}, dtype, shape, data, bytes, free, data};
    pir_program_adopt_param(b->program, &param);
    pir_named_attr attrs[] = {named(ctx, "parameter_name", text)};
    return pir_op_result(
        put(b, pir_context_op(ctx, BUILTIN_PARAMETER), NULL, 0, &type, 1, attrs, 1), 0);
  }
  int64_t stated[DRAW_RANK];
  for (int32_t i = 0; i < t->rank; i++)
    stated[i] = !b->wide && b->d->dynamic >> i & 1 ? -1 : t->shape[i];
  shape.dims = stated;
  const pir_type *type = pir_type_tensor(ctx, dtype, shape);
  pir_named_attr attrs[] = {named(ctx, "name", text),
                            named(ctx, "shape", pir_attr_int_array(ctx, stated, shape.rank)),
                            named(ctx, "dtype", pir_attr_dtype(ctx, dtype)),
                            named(ctx, "place", pir_attr_place(ctx, (pir_place){0}))};
  return pir_op_result(put(b, pir_context_op(ctx, PD_DATA), NULL, 0, &type, 1, attrs, 4), 0);
}

static pir_value *put_list(building *b, const draw_operand *o, size_t k) {
  pir_value *members[DRAW_MEMBERS];
  const pir_type *types[DRAW_MEMBERS];
  for (size_t i = 0; i < o->count; i++) {
    members[i] = put_tensor(b, &o->members[i], k, i);
    types[i] = pir_value_type(members[i]);
  }
  const pir_type *type = pir_type_vector(b->d->ctx, types, o->count);
  return pir_op_result(
      put(b, pir_context_op(b->d->ctx, BUILTIN_COMBINE), members, o->count, &type, 1, NULL, 0),
      0);
}

static pir_value *put_ints(building *b, const draw_operand *o) {
  pir_context *ctx = b->d->ctx;
  const pir_attr *items[DRAW_ITEMS];
  int64_t count = (int64_t)o->count;
  for (size_t i = 0; i < o->count; i++)
    items[i] = pir_attr_int(ctx, PIR_ATTR_I64, o->ints[i]);
  const pir_type *type = pir_type_tensor(ctx, PIR_I64, (pir_shape){&count, 1});
  pir_named_attr attrs[] = {named(ctx, "value", pir_attr_array(ctx, items, o->count)),
                            named(ctx, "dtype", pir_attr_dtype(ctx, PIR_I64)),
                            named(ctx, "place", pir_attr_place(ctx, (pir_place){.kind = 1}))};
  return pir_op_result(
      put(b, pir_context_op(ctx, PD_FULL_INT_ARRAY), NULL, 0, &type, 1, attrs, 3), 0);
}

static pir_value *put_number(building *b, const draw_operand *o, size_t k) {
  pir_context *ctx = b->d->ctx;
  pir_dtype dtype = pir_operand_dtype(&b->d->def->operands[k]);
  int64_t one = 1;
  const pir_type *type = pir_type_tensor(ctx, dtype, (pir_shape){&one, 1});
  pir_named_attr attrs[] = {named(ctx, "shape", pir_attr_int_array(ctx, &one, 1)),
                            named(ctx, "value", pir_attr_float(ctx, PIR_ATTR_F64, o->number)),
                            named(ctx, "dtype", pir_attr_dtype(ctx, dtype)),
                            named(ctx, "place", pir_attr_place(ctx, (pir_place){.kind = 1}))};
  return pir_op_result(put(b, pir_context_op(ctx, PD_FULL), NULL, 0, &type, 1, attrs, 4), 0);
}

// A result that may be absent is, when the operand it is the new state of is.
static bool is_absent(const draw *d, size_t result) {
  const pir_result_def *def = &d->def->results[result];
  int operand = def->same_as;
  for (size_t i = 0; i < d->def->inplace_count; i++)
    if (d->def->inplace[i].result == result)
      operand = d->def->inplace[i].operand;
  return def->flags & PIR_RESULT_OPTIONAL && operand >= 0 &&
         d->operands[operand].form == DRAW_ABSENT;
}

static pir_op *put_op(building *b, pir_value *before) {
  const draw *d = b->d;
  pir_value *operands[DRAW_OPERANDS];
  pir_named_attr attrs[DRAW_ATTRS];
  const pir_type *types[DRAW_OUTPUTS];
  size_t n = 0;
  for (size_t k = 0; k < d->def->operand_count; k++) {
    const draw_operand *o = &d->operands[k];
    switch ((draw_form)o->form) {
      case DRAW_ABSENT: operands[k] = NULL; break;
      case DRAW_TENSOR:
        operands[k] = !k && before ? before : put_tensor(b, &o->members[0], k, 0);
        break;
      case DRAW_LIST: operands[k] = put_list(b, o, k); break;
      case DRAW_INTS: operands[k] = put_ints(b, o); break;
      case DRAW_NUMBER: operands[k] = put_number(b, o, k); break;
    }
  }
  for (size_t i = 0; i < d->def->attr_count; i++) {
    const pir_attr *value = d->attrs[i];
    if (value && b->wide && pir_attr_kind_of(value) == PIR_ATTR_DTYPE)
      value = pir_attr_dtype(d->ctx, draw_widened(pir_attr_as_dtype(value)));
    if (value)
      attrs[n++] = named(d->ctx, d->def->attrs[i].name, value);
  }
  for (size_t i = 0; i < d->def->result_count; i++)
    types[i] = is_absent(d, i) ? NULL : pir_type_tensor(d->ctx, PIR_F32, (pir_shape){NULL, 0});
  return put(b, b->def, operands, d->def->operand_count, types, d->def->result_count, attrs, n);
}

static pir_op *put_steps(building *b, const draw *d, draw_width width) {
  pir_op *before = d->before ? put_steps(b, d->before, width) : NULL;
  b->d = d;
  b->def = width == DRAW_NOISY ? draw_noise_of(d->noise, d->def) : d->def;
  return put_op(b, before ? pir_op_result(before, 0) : NULL);
}

// ---- outputs

static void put_output(building *b, pir_value *value, size_t result, size_t member) {
  pir_context *ctx = b->d->ctx;
  char name[96];
  size_t n =
      pir_text_format(name, sizeof name, "%s.%zu", b->d->def->results[result].name, member);
  pir_named_attr attrs[] = {
      named(ctx, "output_name", pir_attr_str(ctx, PIR_ATTR_STR, (pir_str){name, n}))};
  put(b, pir_context_op(ctx, BUILTIN_SHADOW_OUTPUT), &value, 1, NULL, 0, attrs, 1);
}

static void put_members(building *b, pir_value *list, size_t result) {
  const pir_type *types[DRAW_OUTPUTS], *type = pir_value_type(list);
  size_t count = pir_type_elements(type);
  if (count > DRAW_OUTPUTS)
    count = DRAW_OUTPUTS;
  for (size_t i = 0; i < count; i++)
    types[i] = pir_type_element(type, i);
  pir_op *op =
      put(b, pir_context_op(b->d->ctx, BUILTIN_SPLIT), &list, 1, types, count, NULL, 0);
  for (size_t i = 0; i < count; i++)
    if (types[i])
      put_output(b, pir_op_result(op, i), result, i);
}

// A rank is known, and no extent is below 0.
static bool is_settled(const pir_facts *facts, const pir_fact *fact) {
  int64_t extent;
  for (size_t i = 0; i < fact->member_count; i++)
    if (fact->members[i]->known && !is_settled(facts, fact->members[i]))
      return false;
  for (int32_t i = 0; i < fact->rank; i++)
    if (pir_dim_is_const(pir_facts_dims(facts), fact->shape[i], &extent) && extent < 0)
      return false;
  return fact->members || fact->rank >= 0;
}

// The results of the steps before the last one have a stated tolerance, too.
static void state_types(building *b, pir_op *last, pir_facts *facts) {
  for (pir_op *op = pir_block_first(pir_program_block(b->program)); op && op != last;
       op = pir_op_next(op)) {
    const pir_fact *fact =
        pir_op_results(op) == 1 ? pir_facts_of(facts, pir_op_result(op, 0)) : NULL;
    if (!fact || !fact->known || fact->members || pir_op_has(op, PIR_INPUT | PIR_PARAMETER))
      continue;
    pir_value_set_type(pir_op_result(op, 0),
                       pir_fact_type(b->d->ctx, pir_facts_dims(facts), fact));
  }
}

static bool put_outputs(building *b, pir_op *op, pir_facts *facts) {
  state_types(b, op, facts);
  for (size_t i = 0; i < pir_op_results(op); i++) {
    pir_value *value = pir_op_result(op, i);
    const pir_fact *fact = pir_facts_of(facts, value);
    if (!fact->known || !pir_value_type(value))
      continue;
    bool several = b->d->def->results[i].flags & PIR_RESULT_VARIADIC;
    if (!is_settled(facts, fact) || (several && !fact->members))
      return false;
    pir_value_set_type(value, pir_fact_type(b->d->ctx, pir_facts_dims(facts), fact));
    if (fact->members)
      put_members(b, value, i);
    else
      put_output(b, value, i, 0);
  }
  return true;
}

// ---- whether it is sound

typedef struct listener {
  char *text;
} listener;

static void listen(void *user, const pir_diag *diag) {
  listener *l = user;
  if (diag->severity == PIR_ERROR && !l->text[0])
    snprintf(l->text, DRAW_TEXT, "%.*s", (int)diag->message.size, diag->message.data);
}

static bool checked(building *b) {
  pir_pass_manager *manager = pir_pass_manager_create(b->d->ctx, NULL);
  pir_status status = pir_pass_manager_parse(manager, PIR_STR("check"));
  if (!status)
    status = pir_pass_manager_run(manager, b->program);
  pir_pass_manager_destroy(manager);
  return !status;
}

pir_program *draw_program(const draw *d, draw_width width, char *text) {
  building b = {.d = d, .wide = width != DRAW_AS_IS, .program = pir_program_create(d->ctx)};
  listener l = {text};
  pir_facts *facts = NULL;
  text[0] = 0;
  pir_context_set_sink(d->ctx, (pir_diag_sink){listen, &l});
  pir_op *op = put_steps(&b, d, width);
  bool sound = !pir_facts_create(b.program, &facts) && put_outputs(&b, op, facts);
  pir_facts_destroy(facts);
  sound = sound && checked(&b);
  pir_context_set_sink(d->ctx, (pir_diag_sink){0});
  if (sound)
    return b.program;
  pir_program_destroy(b.program);
  return NULL;
}
