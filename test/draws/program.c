// The program of a draw: an input, parameter or constant for each operand, the op, an output
// for each result.
#include "draws.h"
#include "noise.h"

#include <pir/compiler/dialect/builtin.h>
#include <pir/compiler/dialect/pd_op.h>
#include <pir/layer/lower.h>
#include <pir/compiler/pass.h>
#include <pir/compiler/walk.h>

#include <stdlib.h>
#include <string.h>

pir_dtype draw_widened(pir_dtype dtype) {
  if (dtype == PIR_F16 || dtype == PIR_BF16 || dtype == PIR_F32)
    return PIR_F64;
  return dtype == PIR_C64 ? PIR_C128 : dtype;
}

pir_op *draw_put(draw_building *b, const pir_op_spec *spec) {
  pir_builder builder = pir_builder_at_end(b->block);
  return pir_build(&builder, spec);
}

pir_named_attr draw_named(pir_context *ctx, const char *name, const pir_attr *value) {
  return (pir_named_attr){pir_name_get(ctx, pir_str_from(name)), value};
}

static pir_value *put_parameter(draw_building *b, const draw_tensor *t, pir_str name,
                                size_t bytes) {
  pir_shape shape = {t->shape, (size_t)t->rank};
  const pir_type *type = pir_type_tensor(b->ctx, t->dtype, shape);
  void *data = calloc(1, bytes + 1);
  draw_fill(t, t->dtype, 0, 0, data);
  pir_param param = {name, t->dtype, shape, data, bytes, free, data};
  pir_program_adopt_param(b->program, &param);
  pir_named_attr attrs[] = {
      draw_named(b->ctx, "parameter_name", pir_attr_str(b->ctx, PIR_ATTR_STR, name))};
  pir_op *op = draw_put(b, &(pir_op_spec){.def = pir_context_op(b->ctx, BUILTIN_PARAMETER),
                                          .result_types = &type,
                                          .result_count = 1,
                                          .attrs = attrs,
                                          .attr_count = 1});
  return pir_op_result(op, 0);
}

pir_value *draw_put_input(draw_building *b, const draw_tensor *t, pir_str name) {
  pir_context *ctx = b->ctx;
  bool wide = b->width != DRAW_AS_IS;
  pir_dtype dtype = wide ? draw_widened(t->dtype) : t->dtype;
  size_t bytes;
  if (t->parameter && !wide && !pir_shape_bytes(t->shape, t->rank, dtype, &bytes))
    return put_parameter(b, t, name, bytes);
  int64_t stated[DRAW_RANK];
  for (int32_t i = 0; i < t->rank; i++)
    stated[i] = !wide && t->unknown >> i & 1 ? -1 : t->shape[i];
  pir_shape shape = {stated, (size_t)t->rank};
  const pir_type *type = pir_type_tensor(ctx, dtype, shape);
  pir_named_attr attrs[] = {
      draw_named(ctx, "name", pir_attr_str(ctx, PIR_ATTR_STR, name)),
      draw_named(ctx, "shape", pir_attr_int_array(ctx, stated, shape.rank)),
      draw_named(ctx, "dtype", pir_attr_dtype(ctx, dtype)),
      draw_named(ctx, "place", pir_attr_place(ctx, (pir_place){0}))};
  pir_op *op = draw_put(b, &(pir_op_spec){.def = pir_context_op(ctx, PD_DATA),
                                          .result_types = &type,
                                          .result_count = 1,
                                          .attrs = attrs,
                                          .attr_count = 4});
  return pir_op_result(op, 0);
}

static pir_value *put_tensor(draw_building *b, const draw *d, size_t k, size_t member) {
  char name[96];
  size_t n = draw_name(d, k, member, name, sizeof name);
  draw_tensor t = d->operands[k].members[member];
  t.unknown |= (uint8_t)d->dynamic;
  return draw_put_input(b, &t, (pir_str){name, n});
}

pir_value *draw_put_list(draw_building *b, pir_value *const *members, size_t count) {
  const pir_type *types[DRAW_OUTPUTS];
  for (size_t i = 0; i < count; i++)
    types[i] = pir_value_type(members[i]);
  const pir_type *type = pir_type_vector(b->ctx, types, count);
  pir_op *op = draw_put(b, &(pir_op_spec){.def = pir_context_op(b->ctx, BUILTIN_COMBINE),
                                          .operands = members,
                                          .operand_count = count,
                                          .result_types = &type,
                                          .result_count = 1});
  return pir_op_result(op, 0);
}

pir_op *draw_put_members(draw_building *b, pir_value *list) {
  const pir_type *types[DRAW_OUTPUTS], *type = pir_value_type(list);
  size_t count = pir_type_elements(type);
  if (count > DRAW_OUTPUTS)
    count = DRAW_OUTPUTS;
  for (size_t i = 0; i < count; i++)
    types[i] = pir_type_element(type, i);
  return draw_put(b, &(pir_op_spec){.def = pir_context_op(b->ctx, BUILTIN_SPLIT),
                                    .operands = &list,
                                    .operand_count = 1,
                                    .result_types = types,
                                    .result_count = count});
}

static pir_value *put_ints(draw_building *b, const draw_operand *o) {
  pir_context *ctx = b->ctx;
  const pir_attr *items[DRAW_ITEMS];
  int64_t count = (int64_t)o->count;
  for (size_t i = 0; i < o->count; i++)
    items[i] = pir_attr_int(ctx, PIR_ATTR_I64, o->ints[i]);
  const pir_type *type = pir_type_tensor(ctx, PIR_I64, (pir_shape){&count, 1});
  pir_named_attr attrs[] = {
      draw_named(ctx, "value", pir_attr_array(ctx, items, o->count)),
      draw_named(ctx, "dtype", pir_attr_dtype(ctx, PIR_I64)),
      draw_named(ctx, "place", pir_attr_place(ctx, (pir_place){.kind = 1}))};
  pir_op *op = draw_put(b, &(pir_op_spec){.def = pir_context_op(ctx, PD_FULL_INT_ARRAY),
                                          .result_types = &type,
                                          .result_count = 1,
                                          .attrs = attrs,
                                          .attr_count = 3});
  return pir_op_result(op, 0);
}

static pir_value *put_number(draw_building *b, const draw *d, size_t k) {
  pir_context *ctx = b->ctx;
  pir_dtype dtype = pir_operand_dtype(&d->def->operands[k]);
  int64_t one = 1;
  const pir_type *type = pir_type_tensor(ctx, dtype, (pir_shape){&one, 1});
  pir_named_attr attrs[] = {
      draw_named(ctx, "shape", pir_attr_int_array(ctx, &one, 1)),
      draw_named(ctx, "value", pir_attr_float(ctx, PIR_ATTR_F64, d->operands[k].number)),
      draw_named(ctx, "dtype", pir_attr_dtype(ctx, dtype)),
      draw_named(ctx, "place", pir_attr_place(ctx, (pir_place){.kind = 1}))};
  pir_op *op = draw_put(b, &(pir_op_spec){.def = pir_context_op(ctx, PD_FULL),
                                          .result_types = &type,
                                          .result_count = 1,
                                          .attrs = attrs,
                                          .attr_count = 4});
  return pir_op_result(op, 0);
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

// Operand k of a draw, NULL when it is absent.
static pir_value *put_operand(draw_building *b, const draw *d, size_t k,
                              pir_value *const *bound) {
  const draw_operand *o = &d->operands[k];
  pir_value *members[DRAW_MEMBERS];
  for (size_t i = 0; i < o->count && o->form <= DRAW_LIST && o->form; i++) {
    members[i] = bound ? bound[k * DRAW_MEMBERS + i] : NULL;
    if (!members[i])
      members[i] = put_tensor(b, d, k, i);
  }
  switch ((draw_form)o->form) {
    case DRAW_ABSENT: break;
    case DRAW_TENSOR: return members[0];
    case DRAW_LIST: return draw_put_list(b, members, o->count);
    case DRAW_INTS: return put_ints(b, o);
    case DRAW_NUMBER: return put_number(b, d, k);
  }
  return NULL;
}

// The element type that an attribute asks for, PIR_UNDEFINED when none does.
static pir_dtype asked_for(const draw *d) {
  for (size_t i = 0; i < d->def->attr_count; i++)
    if (d->attrs[i] && d->def->attrs[i].kind == PIR_ATTR_DTYPE)
      return pir_attr_as_dtype(d->attrs[i]);
  return PIR_UNDEFINED;
}

// Whether a lower block hands operand k to another op than its own.
static bool hands_on(const pir_opdef *def, const pir_lower *lower, size_t k) {
  for (size_t s = 0; s < lower->step_count; s++) {
    const pir_lower_step *step = &lower->steps[s];
    for (size_t i = 0; i < step->arg_count && step->def != def; i++) {
      const pir_lower_arg *arg = &lower->args[step->first_arg + i];
      bool one = arg->kind == PIR_LOWER_VALUE || arg->kind == PIR_LOWER_REST;
      if (one ? (size_t)arg->value == k : arg->kind == PIR_LOWER_VALUES)
        return true;
    }
  }
  return false;
}

bool draw_computes_with(const pir_opdef *def, size_t k) {
  for (size_t i = 0; i < def->lower_count; i++)
    if (hands_on(def, &def->lower[i], k))
      return true;
  for (const pir_clause *c = def->clause; c; c = c->next)
    for (size_t i = 0; i < c->node_count; i++) {
      const pir_node *n = &c->nodes[i];
      bool reads = n->op == PIR_V_LOAD || n->op == PIR_V_SCALAR || n->op == PIR_V_MEMBERS;
      if (reads && (size_t)n->k == k)
        return true;
    }
  return !def->clause || def->hooks.expand;
}

static bool reads_integers(const draw *d) {
  for (size_t k = 0; k < d->def->operand_count; k++) {
    const draw_operand *o = &d->operands[k];
    bool tensor =
        (o->form == DRAW_TENSOR || o->form == DRAW_LIST) && draw_computes_with(d->def, k);
    pir_dtype dtype = tensor && o->count ? o->members[0].dtype : PIR_F32;
    if (!pir_dtype_is_float(dtype) && !pir_dtype_is_complex(dtype) && !draw_is_index(d->def, k))
      return true;
  }
  return false;
}

bool draw_is_noisy(const draw *d, bool floats) {
  pir_dtype asked = asked_for(d);
  bool plain = d->def->clause && !d->def->lower_count && !d->def->hooks.expand;
  if (asked == PIR_BOOL || pir_dtype_is_integer(asked))
    return false;
  return pir_dtype_is_float(asked) || !reads_integers(d) || (floats && plain);
}

// The op with the noise that fits its operands. Noise makes floats of integers, and other
// integers of constants: it is for ops that are not asked for integers, and that read none but
// indices, unless they are asked for floats, to which they convert first, or are a clause
// whose results are floats. Of other ops the parts that give floats have noise (parts.c).
static const pir_opdef *def_in(draw_building *b, const draw *d) {
  if (b->width != DRAW_NOISY)
    return d->def;
  if (!draw_is_noisy(d, b->floats)) {
    if (d->def->lower_count)
      b->noise = d->noise;
    return d->def;
  }
  if (reads_integers(d) && !pir_dtype_is_float(asked_for(d)))
    return draw_noise_of(d->noise, DRAW_OF_INTEGERS, d->def);
  return draw_noise_of(d->noise, b->again ? DRAW_OF_FLOATS_AGAIN : DRAW_OF_FLOATS, d->def);
}

pir_op *draw_put_op(draw_building *b, const draw *d, pir_value *const *bound) {
  pir_value *operands[DRAW_OPERANDS];
  pir_named_attr attrs[DRAW_ATTRS];
  const pir_type *types[DRAW_OUTPUTS];
  size_t n = 0;
  for (size_t k = 0; k < d->def->operand_count; k++)
    operands[k] = put_operand(b, d, k, bound);
  for (size_t i = 0; i < d->def->attr_count; i++) {
    const pir_attr *value = d->attrs[i];
    if (!value && b->width != DRAW_AS_IS && d->def->attrs[i].kind == PIR_ATTR_DTYPE)
      value = pir_attr_default(d->ctx, &d->def->attrs[i]);
    if (value && b->width != DRAW_AS_IS && pir_attr_kind_of(value) == PIR_ATTR_DTYPE)
      value = pir_attr_dtype(d->ctx, draw_widened(pir_attr_as_dtype(value)));
    if (value)
      attrs[n++] = draw_named(d->ctx, d->def->attrs[i].name, value);
  }
  for (size_t i = 0; i < d->def->result_count; i++)
    types[i] = is_absent(d, i) ? NULL : pir_type_tensor(d->ctx, PIR_F32, (pir_shape){NULL, 0});
  return draw_put(b, &(pir_op_spec){.def = def_in(b, d),
                                    .operands = operands,
                                    .operand_count = d->def->operand_count,
                                    .result_types = types,
                                    .result_count = d->def->result_count,
                                    .attrs = attrs,
                                    .attr_count = n});
}

static pir_op *put_steps(draw_building *b, const draw *d) {
  pir_value *bound[DRAW_OPERANDS * DRAW_MEMBERS] = {0};
  if (d->before)
    bound[0] = pir_op_result(put_steps(b, d->before), 0);
  return draw_put_op(b, d, bound);
}

// ---- outputs

void draw_put_output(draw_building *b, pir_value *value, pir_str name) {
  pir_named_attr attrs[] = {
      draw_named(b->ctx, "output_name", pir_attr_str(b->ctx, PIR_ATTR_STR, name))};
  draw_put(b, &(pir_op_spec){.def = pir_context_op(b->ctx, BUILTIN_SHADOW_OUTPUT),
                             .operands = &value,
                             .operand_count = 1,
                             .attrs = attrs,
                             .attr_count = 1});
}

static void put_result(draw_building *b, const pir_opdef *def, pir_value *value, size_t result,
                       size_t member) {
  char name[96];
  size_t n = pir_text_format(name, sizeof name, "%s.%zu", def->results[result].name, member);
  draw_put_output(b, value, (pir_str){name, n});
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

typedef struct settling {
  pir_context *ctx;
  pir_facts *facts;
  bool unknown;  // a result has no rank that inference gives
} settling;

static void settle_type(const settling *s, pir_value *value) {
  const pir_fact *fact = pir_facts_of(s->facts, value);
  if (fact->known && pir_value_type(value))
    pir_value_set_type(value, pir_fact_type(s->ctx, pir_facts_dims(s->facts), fact));
}

// Gives an op's results the types that inference gives them; `user` is a settling. Branches
// and loops state theirs.
static pir_walk_result settle_op(pir_op *op, void *user) {
  settling *s = user;
  for (size_t i = 0; i < pir_op_results(op) && !pir_op_has_any(op, PIR_INPUT | PIR_PARAMETER);
       i++) {
    pir_value *value = pir_op_result(op, i);
    const pir_fact *fact = pir_facts_of(s->facts, value);
    settle_type(s, value);
    if (pir_value_type(value) && !pir_op_regions(op))
      s->unknown |= !fact->known || !is_settled(s->facts, fact);
  }
  return PIR_WALK_CONTINUE;
}

static bool put_results(draw_building *b, const draw *d, pir_op *op, pir_facts *facts) {
  settling s = {b->ctx, facts, false};
  PIR_EACH_OP(before, b->block)
  if (before != op)
    settle_op(before, &s);
  for (size_t i = 0; i < pir_op_results(op); i++) {
    pir_value *value = pir_op_result(op, i);
    const pir_fact *fact = pir_facts_of(facts, value);
    if (!fact->known || !pir_value_type(value))
      continue;
    bool several = d->def->results[i].flags & PIR_RESULT_VARIADIC;
    if (!is_settled(facts, fact) || (several && !fact->members))
      return false;
    settle_type(&s, value);
    pir_op *members = fact->members ? draw_put_members(b, value) : NULL;
    for (size_t m = 0; members && m < pir_op_results(members); m++)
      if (pir_value_type(pir_op_result(members, m)))
        put_result(b, d->def, pir_op_result(members, m), i, m);
    if (!members)
      put_result(b, d->def, value, i, 0);
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

bool draw_run_passes(pir_context *ctx, pir_program *program, const char *pipeline) {
  pir_pass_manager *manager = pir_pass_manager_create(ctx, NULL);
  bool ran = manager && !pir_pass_manager_parse(manager, pir_str_from(pipeline)) &&
             !pir_pass_manager_run(manager, program);
  pir_pass_manager_destroy(manager);
  return ran;
}

void draw_build(draw_building *b, pir_context *ctx, draw_width width) {
  *b = (draw_building){.ctx = ctx, .program = pir_program_create(ctx), .width = width};
  b->block = pir_program_block(b->program);
}

static pir_program *taken(draw_building *b, bool sound) {
  sound = sound && draw_run_passes(b->ctx, b->program, "check") &&
          (!b->noise || draw_noise_parts(b->noise, b->ctx, b->program));
  pir_context_set_sink(b->ctx, (pir_diag_sink){0});
  if (sound)
    return b->program;
  pir_program_destroy(b->program);
  return NULL;
}

pir_program *draw_program(const draw *d, draw_width width, char *text) {
  draw_building b;
  listener l = {text};
  pir_facts *facts = NULL;
  draw_build(&b, d->ctx, width);
  text[0] = 0;
  pir_context_set_sink(d->ctx, (pir_diag_sink){listen, &l});
  pir_op *op = put_steps(&b, d);
  bool sound = !pir_facts_create(b.program, &facts) && put_results(&b, d, op, facts);
  pir_facts_destroy(facts);
  return taken(&b, sound);
}

pir_program *draw_built(draw_building *b, char *text) {
  listener l = {text};
  pir_facts *facts = NULL;
  text[0] = 0;
  pir_context_set_sink(b->ctx, (pir_diag_sink){listen, &l});
  bool sound = !pir_facts_create(b->program, &facts);
  settling s = {b->ctx, facts, false};
  if (sound)
    pir_walk(pir_program_module(b->program), PIR_PRE_ORDER, settle_op, &s);
  pir_facts_destroy(facts);
  // What is stated where inference gives no rank is taken as given, and nothing else gives it.
  if (s.unknown)
    snprintf(text, DRAW_TEXT, "a result whose rank is not known");
  return taken(b, sound && !s.unknown);
}
