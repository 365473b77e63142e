// Expands one op by its `lower` block. Literals become constant ops; each step becomes an op
// whose result types follow from facts. Shape expressions of the block are evaluated over
// facts. A list that depends on an unknown extent is refused with its location. One pass over
// the steps.
#include "dialect_tables.h"
#include "facts_impl.h"

#include <pir/compiler/dialect/builtin.h>
#include <pir/compiler/dialect/pd_op.h>

#include <math.h>
#include <string.h>

#define MAX_OPERANDS 32
#define MAX_ATTRS 32

typedef struct expansion {
  pir_expand e;
  pir_context *ctx;
  const pir_lower *l;
  pir_infer infer;  // facts and attributes of the expanded op
  symbolic s;
  pir_value *values[PIR_LOWER_VALUES_MOST];
  int count;
} expansion;

int pir_lower_choose(const pir_op *op, pir_facts *facts) {
  const pir_opdef *def = pir_op_meaning(op);
  if (def->hooks.expand)
    return -2;
  if (!def->lower_count)
    return -1;
  pir_infer infer;
  if (facts_question(facts, op, NULL, 0, &infer))
    return -1;
  const pir_lower *l = infer_choose(&infer);
  return l ? (int)(l - def->lower) : -1;
}

// ---- creating ops
const pir_type *pir_fact_type(pir_context *ctx, const pir_dims *dims, const pir_fact *fact) {
  if (fact->members) {
    const pir_type *elements[PIR_FACT_CONTENTS];
    size_t n = fact->member_count < PIR_FACT_CONTENTS ? fact->member_count : PIR_FACT_CONTENTS;
    for (size_t i = 0; i < n; i++)
      elements[i] = pir_fact_type(ctx, dims, fact->members[i]);
    return pir_type_vector(ctx, elements, n);
  }
  int64_t shape[PIR_MAX_RANK];
  size_t rank = fact->rank < 0 ? 0 : (size_t)fact->rank;
  for (size_t i = 0; i < rank; i++)
    if (!pir_dim_is_const(dims, fact->shape[i], &shape[i]))
      shape[i] = -1;
  return pir_type_tensor(ctx, fact->dtype, (pir_shape){shape, rank});
}

// Creates an op, then sets its result types from facts. A placeholder type reserves each
// present result.
static pir_op *create_inferred_op(pir_expand *e, const pir_opdef *def,
                                  pir_value *const *operands, size_t operand_count,
                                  const pir_named_attr *attrs, size_t attr_count) {
  pir_context *ctx = pir_op_context(e->op);
  const pir_type *types[MAX_OPERANDS];
  const pir_type *placeholder = pir_type_tensor(ctx, PIR_F32, (pir_shape){NULL, 0});
  size_t results = def->result_count < MAX_OPERANDS ? def->result_count : MAX_OPERANDS;
  for (size_t i = 0; i < results; i++)
    types[i] = placeholder;
  pir_op_spec spec = {.def = def,
                      .loc = pir_op_loc(e->op),
                      .operands = operands,
                      .operand_count = operand_count,
                      .result_types = types,
                      .result_count = results,
                      .attrs = attrs,
                      .attr_count = attr_count};
  pir_op *op = e->target->create(e->target->user, &spec);
  for (size_t i = 0; i < results; i++)
    pir_value_set_type(pir_op_result(op, i), NULL);
  if (pir_facts_update(e->facts, op))
    return NULL;
  for (size_t i = 0; i < results; i++) {
    const pir_fact *fact = pir_facts_of(e->facts, pir_op_result(op, i));
    if (pir_fact_has_rank(fact) || fact->members)
      pir_value_set_type(pir_op_result(op, i), pir_fact_type(ctx, e->facts->dims, fact));
  }
  return op;
}

static const pir_opdef *own_op(const pir_expand *e, const char *name) {
  return pir_context_opdef(pir_op_context(e->op), pir_str_from(name));
}

static const pir_opdef *def_of(uint32_t id) {
  for (size_t i = 0; i < pir_pd_op_dialect.op_count; i++)
    if (pir_pd_op_dialect.ops[i].id == id)
      return &pir_pd_op_dialect.ops[i];
  return NULL;
}

static const pir_opdef *def_to_expand(const pir_expand *e, uint32_t id) {
  return id == BUILTIN_COMBINE ? pir_context_op(pir_op_context(e->op), id) : def_of(id);
}

pir_op *pir_expand_op(pir_expand *e, uint32_t id, pir_value *const *operands,
                      size_t operand_count, const pir_named_attr *attrs, size_t attr_count) {
  const pir_opdef *def = def_to_expand(e, id);
  return def ? create_inferred_op(e, def, operands, operand_count, attrs, attr_count) : NULL;
}

static pir_named_attr named_at(pir_context *ctx, const pir_opdef *def, int at,
                               const pir_attr *value) {
  return (pir_named_attr){pir_name_get(ctx, pir_str_from(def->attrs[at].name)), value};
}

// Lists the attributes of an op: the given ones, by position (NULL: not given), and defaults.
static size_t list_attrs(pir_context *ctx, const pir_opdef *def,
                         const pir_attr *const given[MAX_ATTRS],
                         pir_named_attr out[MAX_ATTRS]) {
  size_t count = 0;
  for (int i = 0; i < def->attr_count; i++) {
    const pir_attr *value = given[i] ? given[i] : pir_attr_default(ctx, &def->attrs[i]);
    if (value)
      out[count++] = named_at(ctx, def, i, value);
  }
  return count;
}

pir_op *pir_expand_defaulted(pir_expand *e, uint32_t id, pir_value *const *operands,
                             size_t operand_count, const pir_named_attr *attrs,
                             size_t attr_count) {
  const pir_opdef *def = def_to_expand(e, id);
  const pir_attr *given[MAX_ATTRS] = {0};
  pir_named_attr all[MAX_ATTRS];
  if (!def || def->attr_count > MAX_ATTRS)
    return NULL;
  for (size_t i = 0; i < attr_count; i++) {
    int at = pir_opdef_attr(def, pir_name_str(attrs[i].name));
    if (at >= 0)
      given[at] = attrs[i].value;
  }
  size_t count = list_attrs(pir_op_context(e->op), def, given, all);
  return create_inferred_op(e, def, operands, operand_count, all, count);
}

pir_value *pir_expand_value(pir_expand *e, uint32_t id, pir_value *const *operands,
                            size_t operand_count, const pir_named_attr *attrs,
                            size_t attr_count) {
  for (size_t i = 0; i < operand_count; i++)
    if (!operands[i])
      return NULL;
  pir_op *op = pir_expand_op(e, id, operands, operand_count, attrs, attr_count);
  return op ? pir_op_result(op, 0) : NULL;
}

pir_value *pir_expand_ints(pir_expand *e, const int64_t *values, size_t count) {
  pir_context *ctx = pir_op_context(e->op);
  const pir_opdef *def = def_of(PD_FULL_INT_ARRAY);
  const pir_attr *elements[PIR_FACT_CONTENTS];
  if (count > PIR_FACT_CONTENTS)
    return NULL;
  for (size_t i = 0; i < count; i++)
    elements[i] = pir_attr_int(ctx, PIR_ATTR_I64, values[i]);
  pir_named_attr attrs[] = {
      named_at(ctx, def, PD_FULL_INT_ARRAY_ATTR_VALUE, pir_attr_array(ctx, elements, count)),
      named_at(ctx, def, PD_FULL_INT_ARRAY_ATTR_DTYPE, pir_attr_dtype(ctx, PIR_I64)),
      named_at(ctx, def, PD_FULL_INT_ARRAY_ATTR_PLACE,
               pir_attr_place(ctx, (pir_place){.kind = 1}))};
  pir_op *op = create_inferred_op(e, def, NULL, 0, attrs, 3);
  return op ? pir_op_result(op, 0) : NULL;
}

pir_value *pir_expand_number(pir_expand *e, pir_dtype dtype, double value) {
  pir_context *ctx = pir_op_context(e->op);
  const pir_opdef *def = def_of(PD_FULL);
  int64_t one = 1;
  pir_named_attr attrs[] = {
      named_at(ctx, def, PD_FULL_ATTR_SHAPE, pir_attr_int_array(ctx, &one, 1)),
      named_at(ctx, def, PD_FULL_ATTR_VALUE, pir_attr_float(ctx, PIR_ATTR_F64, value)),
      named_at(ctx, def, PD_FULL_ATTR_DTYPE, pir_attr_dtype(ctx, dtype)),
      named_at(ctx, def, PD_FULL_ATTR_PLACE, pir_attr_place(ctx, (pir_place){.kind = 1}))};
  pir_op *op = create_inferred_op(e, def, NULL, 0, attrs, 4);
  return op ? pir_op_result(op, 0) : NULL;
}

// ---- literals
static pir_status not_known(expansion *x, const pir_lower_step *step, const char *what) {
  return pir_report_op(x->e.op, PIR_UNSUPPORTED, PIR_ERROR,
                       "unsupported: '%s' in terms of '%s': %s is not known before the run",
                       pir_op_def(x->e.op)->name, step->op, what);
}

static int64_t constant_items(expansion *x, int first, int count, int64_t *out) {
  pir_dim list[PIR_FACT_CONTENTS];
  int64_t n = lower_items(&x->s, x->l->items + first, count, list, PIR_FACT_CONTENTS);
  for (int64_t i = 0; i < n; i++)
    if (list[i] == PIR_DIM_UNKNOWN || !pir_dim_is_const(x->infer.dims, list[i], &out[i]))
      return -1;
  return n;
}

pir_dtype pir_operand_dtype(const pir_operand_def *def) {
  switch (def->literal ? def->literal->kind : PIR_ATTR_F32) {
    case PIR_ATTR_I32: return PIR_I32;
    case PIR_ATTR_I64: return PIR_I64;
    case PIR_ATTR_F64: return PIR_F64;
    case PIR_ATTR_BOOL: return PIR_BOOL;
    default: return PIR_F32;
  }
}

static pir_value *combine(expansion *x, const pir_lower_arg *arg) {
  pir_value *members[PIR_LOWER_VALUES_MOST];
  for (int i = 0; i < arg->count; i++)
    members[i] = x->values[x->l->pool[arg->first + i]];
  pir_op *op = create_inferred_op(&x->e, own_op(&x->e, "builtin.combine"), members,
                                  (size_t)arg->count, NULL, 0);
  return op ? pir_op_result(op, 0) : NULL;
}

static pir_value *rest_of(expansion *x, const pir_lower_arg *arg) {
  pir_value *list = x->values[arg->value], *members[MAX_OPERANDS];
  const pir_fact *fact = list ? pir_facts_of(x->e.facts, list) : NULL;
  size_t count = 0, total = fact && fact->members ? fact->member_count : 0;
  if (!total || total > MAX_OPERANDS)
    return NULL;
  const pir_opdef *def = own_op(&x->e, "builtin.slice");
  for (size_t i = (size_t)arg->first; i < total; i++) {
    pir_named_attr index =
        named_at(x->ctx, def, 0, pir_attr_int(x->ctx, PIR_ATTR_I32, (int64_t)i));
    pir_op *op = create_inferred_op(&x->e, def, &list, 1, &index, 1);
    if (!op)
      return NULL;
    members[count++] = pir_op_result(op, 0);
  }
  pir_op *op =
      create_inferred_op(&x->e, own_op(&x->e, "builtin.combine"), members, count, NULL, 0);
  return op ? pir_op_result(op, 0) : NULL;
}

static pir_status argument_value(expansion *x, const pir_lower_step *step, const pir_opdef *def,
                                 int i, pir_value **out) {
  const pir_lower_arg *arg = &x->l->args[step->first_arg + i];
  int64_t list[PIR_FACT_CONTENTS], n;
  double number;
  *out = NULL;
  switch ((pir_lower_arg_kind)arg->kind) {
    case PIR_LOWER_ABSENT: return PIR_OK;
    case PIR_LOWER_VALUE: *out = x->values[arg->value]; return PIR_OK;
    case PIR_LOWER_INTS:
      n = constant_items(x, arg->first, arg->count, list);
      if (n < 0)
        return not_known(x, step, def->operands[i].name);
      *out = pir_expand_ints(&x->e, list, (size_t)n);
      break;
    case PIR_LOWER_NUMBER:
      if (!symbolic_number(&x->s, arg->node, &number))
        return not_known(x, step, def->operands[i].name);
      *out = pir_expand_number(&x->e, pir_operand_dtype(&def->operands[i]), number);
      break;
    case PIR_LOWER_VALUES: *out = combine(x, arg); break;
    case PIR_LOWER_REST:
      *out = rest_of(x, arg);
      if (!*out)
        return not_known(x, step, "how many members a list has");
      break;
  }
  return *out ? PIR_OK : PIR_INTERNAL;
}

static pir_status default_operand(expansion *x, const pir_operand_def *def, pir_value **out) {
  *out = NULL;
  if (!def->literal || def->literal->required)
    return PIR_OK;
  bool list = def->literal->kind == PIR_ATTR_INT_ARRAY;
  *out = list ? pir_expand_ints(&x->e, def->literal->ints, def->literal->int_count)
              : pir_expand_number(&x->e, pir_operand_dtype(def), def->literal->f);
  return *out ? PIR_OK : PIR_INTERNAL;
}

// ---- attributes
static const pir_attr *number_attr(pir_context *ctx, uint8_t kind, double f, int64_t i) {
  switch ((pir_attr_kind)kind) {
    case PIR_ATTR_BOOL: return pir_attr_bool(ctx, i != 0);
    case PIR_ATTR_F32:
    case PIR_ATTR_F64: return pir_attr_float(ctx, (pir_attr_kind)kind, f);
    case PIR_ATTR_SCALAR: return pir_attr_float(ctx, PIR_ATTR_F32, f);
    case PIR_ATTR_DTYPE: return pir_attr_dtype(ctx, (pir_dtype)i);
    case PIR_ATTR_PLACE: return pir_attr_place(ctx, (pir_place){.kind = (int)i});
    case PIR_ATTR_I32:
    case PIR_ATTR_I64: return pir_attr_int(ctx, (pir_attr_kind)kind, i);
    default: return NULL;
  }
}

static const pir_attr *element_attr(pir_context *ctx, uint8_t kind, const pir_attr_value *list,
                                    size_t i) {
  if (list->kind == PIR_VALUE_TEXTS)
    return pir_attr_str(ctx, PIR_ATTR_STR, list->texts[i]);
  if (list->kind == PIR_VALUE_FLOATS)
    return number_attr(ctx, kind, list->floats[i], 0);
  return number_attr(ctx, kind, (double)list->ints[i], list->ints[i]);
}

static const pir_attr *elements_attr(pir_context *ctx, const pir_attr_def *def,
                                     const pir_attr_value *list) {
  pir_arena *arena = pir_context_arena(ctx);
  size_t size = pir_arena_size(arena, list->count + 1, sizeof(pir_attr *));
  const pir_attr **elements = pir_arena_alloc(arena, size);
  for (size_t i = 0; i < list->count; i++)
    elements[i] = element_attr(ctx, def->element_kind, list, i);
  const pir_attr *array = pir_attr_array(ctx, elements, list->count);
  pir_arena_free(arena, elements, size);
  return array;
}

static const pir_attr *list_attr(pir_context *ctx, const pir_attr_def *def,
                                 const int64_t *values, size_t n) {
  if (def->kind == PIR_ATTR_INT_ARRAY)
    return pir_attr_int_array(ctx, values, n);
  return elements_attr(ctx, def, &(pir_attr_value){PIR_VALUE_INTS, .ints = values, .count = n});
}

// Converts an attribute's value to the kind that the target declares.
static const pir_attr *convert(pir_context *ctx, const pir_attr_def *def,
                               const pir_attr_value *v) {
  int64_t integer;
  switch ((pir_value_kind)v->kind) {
    case PIR_VALUE_TEXT: return pir_attr_str(ctx, PIR_ATTR_STR, v->text);
    case PIR_VALUE_INTS: return list_attr(ctx, def, v->ints, v->count);
    case PIR_VALUE_FLOATS:
    case PIR_VALUE_TEXTS: return elements_attr(ctx, def, v);
    case PIR_VALUE_NONE:
      return def->kind == PIR_ATTR_ARRAY ? pir_attr_array(ctx, NULL, 0) : NULL;
    case PIR_VALUE_FLOAT:
      return number_attr(ctx, def->kind, v->f, pir_attr_value_int(v, &integer) ? integer : 0);
    default: return number_attr(ctx, def->kind, (double)v->i, v->i);
  }
}

static pir_status step_attr(expansion *x, const pir_lower_step *step,
                            const pir_lower_attr *from, const pir_attr_def *def,
                            const pir_attr **out) {
  int64_t list[PIR_FACT_CONTENTS], n;
  double number;
  *out = NULL;
  switch ((pir_lower_attr_kind)from->kind) {
    case PIR_LOWER_COPY: *out = convert(x->ctx, def, &x->infer.attrs[from->k]); break;
    case PIR_LOWER_TEXT:
      *out = pir_attr_str(x->ctx, PIR_ATTR_STR, pir_str_from(from->text));
      break;
    case PIR_LOWER_FLOAT:
      if (!symbolic_number(&x->s, from->node, &number))
        return not_known(x, step, from->name);
      *out =
          number_attr(x->ctx, def->kind, number, fabs(number) < 0x1p62 ? (int64_t)number : 0);
      break;
    case PIR_LOWER_INT:
    case PIR_LOWER_DTYPE: {
      pir_dim dim = symbolic_index(&x->s, from->node);
      if (dim == PIR_DIM_UNKNOWN || !pir_dim_is_const(x->infer.dims, dim, &n))
        return not_known(x, step, from->name);
      *out = number_attr(x->ctx, def->kind, (double)n, n);
      break;
    }
    case PIR_LOWER_LIST:
      n = constant_items(x, from->first, from->count, list);
      if (n < 0)
        return not_known(x, step, from->name);
      *out = list_attr(x->ctx, def, list, (size_t)n);
      break;
  }
  return *out ? PIR_OK : PIR_INTERNAL;
}

// Omitted attributes get their default, so that an expansion prints every attribute.
const pir_attr *pir_attr_default(pir_context *ctx, const pir_attr_def *def) {
  if (def->required)
    return NULL;
  if (def->kind == PIR_ATTR_PLACE)
    return pir_attr_place(ctx, (pir_place){.kind = (int)def->i});
  pir_attr_value v = attr_default_value(def);
  return convert(ctx, def, &v);
}

// ---- steps
// An operand of the op that may be absent can be an argument of a step that needs it.
static bool is_needed(const pir_operand_def *operand) {
  return !(operand->flags & PIR_OPERAND_OPTIONAL) && !operand->literal;
}

static pir_status expand_step(expansion *x, const pir_lower_step *step) {
  const pir_opdef *def = pir_lower_step_def(step);
  pir_value *operands[MAX_OPERANDS] = {0};
  pir_named_attr attrs[MAX_ATTRS];
  const pir_attr *given[MAX_ATTRS] = {0};
  if (!def || def->operand_count > MAX_OPERANDS || def->attr_count > MAX_ATTRS)
    return PIR_INTERNAL;
  const pir_lower_arg *first = &x->l->args[step->first_arg];
  if (def->traits & PIR_STRUCTURAL &&
      first->kind == PIR_LOWER_VALUES) {  // the argument is the list it makes
    PIR_TRY(argument_value(x, step, def, 0, &x->values[x->count]));
    x->count++;
    return PIR_OK;
  }
  for (int i = 0; i < def->operand_count; i++) {
    if (i < step->arg_count)
      PIR_TRY(argument_value(x, step, def, i, &operands[i]));
    else
      PIR_TRY(default_operand(x, &def->operands[i], &operands[i]));
    if (!operands[i] && is_needed(&def->operands[i]))
      return pir_error(x->e.op, "lacks an operand: its step \"%s\" needs %s", step->op,
                       def->operands[i].name);
  }
  for (int i = 0; i < step->attr_count; i++) {
    const pir_lower_attr *a = &x->l->attrs[step->first_attr + i];
    int at = pir_opdef_attr(def, pir_str_from(a->name));
    if (at < 0)
      return PIR_INTERNAL;
    PIR_TRY(step_attr(x, step, a, &def->attrs[at], &given[at]));
  }
  size_t attr_count = list_attrs(x->ctx, def, given, attrs);
  pir_op *op = create_inferred_op(&x->e, def, operands, def->operand_count, attrs, attr_count);
  if (!op)
    return PIR_INVALID;
  for (int i = 0; i < step->result_count && x->count < PIR_LOWER_VALUES_MOST; i++)
    x->values[x->count++] = pir_op_result(op, (size_t)i);
  return PIR_OK;
}

static pir_status expand_steps(expansion *x) {
  x->s = lower_symbols(&x->infer, x->l);
  for (int i = 0; i < x->l->step_count; i++) {
    const pir_lower_step *step = &x->l->steps[i];
    if (lower_leaves_out(&x->s, step))
      x->values[x->count++] = x->values[step->otherwise];
    else
      PIR_TRY(expand_step(x, step));
  }
  return PIR_OK;
}

// Whether the numbers that a step states are known before the run. They follow from the op
// alone.
static bool knows_step(expansion *x, const pir_lower_step *step) {
  int64_t list[PIR_FACT_CONTENTS], n;
  double number;
  bool known = true;
  for (int i = 0; i < step->arg_count; i++) {
    const pir_lower_arg *arg = &x->l->args[step->first_arg + i];
    if (arg->kind == PIR_LOWER_INTS)
      known &= constant_items(x, arg->first, arg->count, list) >= 0;
    else if (arg->kind == PIR_LOWER_NUMBER)
      known &= symbolic_number(&x->s, arg->node, &number);
  }
  for (int i = 0; i < step->attr_count; i++) {
    const pir_lower_attr *attr = &x->l->attrs[step->first_attr + i];
    if (attr->kind == PIR_LOWER_LIST)
      known &= constant_items(x, attr->first, attr->count, list) >= 0;
    else if (attr->kind == PIR_LOWER_FLOAT)
      known &= symbolic_number(&x->s, attr->node, &number);
    else if (attr->kind == PIR_LOWER_INT)
      known &= pir_dim_is_const(x->infer.dims, symbolic_index(&x->s, attr->node), &n);
  }
  return known;
}

static bool knows_steps(expansion *x) {
  bool known = true;
  x->s = lower_symbols(&x->infer, x->l);
  for (int i = 0; i < x->l->step_count; i++)
    known &= lower_leaves_out(&x->s, &x->l->steps[i]) || knows_step(x, &x->l->steps[i]);
  return known;
}

pir_status pir_lower_expand(pir_op *op, int alternative, pir_facts *facts,
                            const pir_lower_target *target, pir_value **out_results) {
  expansion x = {.e = {.op = op, .facts = facts, .target = target, .results = out_results},
                 .ctx = pir_op_context(op)};
  const pir_opdef *def = pir_op_meaning(op);
  for (size_t i = 0; i < pir_op_results(op); i++)
    out_results[i] = NULL;
  if (alternative == -2)
    return def->hooks.expand(&x.e);
  if (alternative < 0 || alternative >= def->lower_count)
    return PIR_INTERNAL;
  x.l = &def->lower[alternative];
  PIR_TRY(facts_question(facts, op, NULL, 0, &x.infer));
  for (; x.count < def->operand_count && x.count < PIR_LOWER_VALUES_MOST; x.count++)
    x.values[x.count] =
        (size_t)x.count < pir_op_operands(op) ? pir_op_operand(op, (size_t)x.count) : NULL;
  PIR_TRY(expand_steps(&x));
  for (size_t i = 0; i < def->result_count && i < pir_op_results(op); i++)
    out_results[i] = x.l->results[i] < 0 ? NULL : x.values[x.l->results[i]];
  return PIR_OK;
}

// ---- gradients
// The expressions of a gradient ask for its values as if they were operands.
static pir_status grad_question(pir_facts *facts, const pir_op *op, pir_value *const *given,
                                pir_infer *out) {
  const pir_opdef *def = pir_op_meaning(op);
  size_t operands = def->operand_count, results = def->result_count;
  PIR_TRY(facts_question(facts, op, NULL, 0, out));
  size_t count = operands + 2 * results;
  const pir_fact **all = out->alloc(out->user, count * sizeof *all);
  for (size_t i = 0; i < count; i++) {
    all[i] = given[i] ? pir_facts_of(facts, given[i]) : NULL;
    if (i < operands && i < out->operand_count && all[i] && out->operands[i]->members)
      all[i] = out->operands[i];
  }
  out->operands = all;
  out->operand_count = count;
  return PIR_OK;
}

int pir_grad_choose(const pir_op *op, pir_facts *facts, bool primitive,
                    pir_value *const *given) {
  const pir_opdef *def = pir_op_meaning(op);
  expansion x = {.ctx = pir_op_context(op)};
  int open = -1;
  if (!def->grad_count || grad_question(facts, op, given, &x.infer))
    return -1;
  for (int sort = primitive; sort >= 0; sort--)
    for (int i = 0; i < def->grad_count; i++) {
      x.l = &def->grad[i];
      if (x.l->primitive != (sort == 1) || !infer_choose_block(&x.infer, x.l, 1))
        continue;
      if (sort == 0 || knows_steps(&x))
        return i;
      open = open < 0 ? i : open;
    }
  return open;
}

pir_status pir_grad_expand(pir_op *op, int alternative, pir_facts *facts,
                           const pir_lower_target *target, pir_value *const *given,
                           pir_value **out_gradients) {
  expansion x = {.e = {.op = op, .facts = facts, .target = target}, .ctx = pir_op_context(op)};
  const pir_opdef *def = pir_op_meaning(op);
  int given_count = def->operand_count + 2 * def->result_count;
  if (alternative < 0 || alternative >= def->grad_count || given_count > PIR_LOWER_VALUES_MOST)
    return PIR_INTERNAL;
  x.l = &def->grad[alternative];
  PIR_TRY(grad_question(facts, op, given, &x.infer));
  for (; x.count < given_count; x.count++)
    x.values[x.count] = given[x.count];
  PIR_TRY(expand_steps(&x));
  for (int i = 0; i < def->operand_count; i++)
    out_gradients[i] = x.l->results[i] < 0 ? NULL : x.values[x.l->results[i]];
  return PIR_OK;
}
