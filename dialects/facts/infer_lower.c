// Runs a `lower` block on facts alone: the results of each step follow from the meaning of the
// step's op. Nested composites recurse. A block reaches itself only through a condition that
// fails at some point, and the depth is bounded in addition.
#include "infer_impl.h"

#include <math.h>
#include <string.h>

#define MAX_NESTING 16

symbolic lower_symbols(const pir_infer *infer, const pir_lower *l) {
  return (symbolic){.infer = infer, .nodes = l->nodes, .pool = l->pool, .text = l->text};
}

bool lower_leaves_out(const symbolic *s, const pir_lower_step *step) {
  int64_t holds = 1;
  return step->when >= 0 &&
         pir_dim_is_const(s->infer->dims, symbolic_index(s, step->when), &holds) && !holds;
}

const pir_lower *infer_choose(const pir_infer *infer) {
  return infer_choose_block(infer, infer->def->lower, infer->def->lower_count);
}

const pir_lower *infer_choose_block(const pir_infer *infer, const pir_lower *blocks,
                                    int count) {
  for (int i = 0; i < count; i++) {
    const pir_lower *l = &blocks[i];
    symbolic s = lower_symbols(infer, l);
    int64_t holds = 1;
    if (l->when < 0 ||
        (pir_dim_is_const(infer->dims, symbolic_index(&s, l->when), &holds) && holds))
      return l;
  }
  return NULL;
}

// ---- literals
int64_t lower_items(const symbolic *base, const pir_lower_item *items, int count, pir_dim *out,
                    int64_t capacity) {
  symbolic s = *base;
  int64_t n = 0;
  for (int i = 0; i < count; i++) {
    const pir_lower_item *item = &items[i];
    int64_t repeat = 1;
    if (item->attr >= 0) {
      const pir_attr_value *list = &s.infer->attrs[item->attr];
      for (size_t k = 0; k < list->count; k++, n++)
        if (n < capacity)
          out[n] = pir_dim_const(s.infer->dims, list->ints[k]);
      continue;
    }
    if (item->repeat >= 0 &&
        !pir_dim_is_const(s.infer->dims, symbolic_index(&s, item->repeat), &repeat))
      return -1;
    for (s.d = 0; s.d < repeat; s.d++, n++)
      if (n < capacity)
        out[n] = symbolic_index(&s, item->node);
  }
  return n > capacity ? -1 : n;
}

static const pir_fact *ints_fact(pir_infer *infer, const pir_dim *values, int64_t count) {
  pir_fact *fact = INFER_NEW(infer, pir_fact, 1);
  pir_dim *contents = INFER_NEW(infer, pir_dim, (size_t)count);
  memcpy(contents, values, (size_t)count * sizeof *values);
  *fact = (pir_fact){.known = true,
                     .dtype = PIR_I64,
                     .rank = 1,
                     .shape = {count},
                     .contents = contents,
                     .content_count = (size_t)count};
  return fact;
}

static const pir_fact *number_fact(pir_infer *infer, pir_dtype dtype, bool known,
                                   double number) {
  pir_fact *fact = INFER_NEW(infer, pir_fact, 1);
  pir_dim *contents = INFER_NEW(infer, pir_dim, 1);
  bool whole = known && fabs(number) < 0x1p62 && number == floor(number);
  *contents = whole ? pir_dim_const(infer->dims, (int64_t)number) : PIR_DIM_UNKNOWN;
  *fact = (pir_fact){.known = true,
                     .dtype = dtype,
                     .rank = 1,
                     .shape = {1},
                     .contents = contents,
                     .content_count = 1};
  return fact;
}

static const pir_fact *default_fact(pir_infer *infer, const pir_operand_def *def) {
  const pir_attr_def *literal = def->literal;
  if (!literal || literal->required)
    return NULL;
  if (literal->kind != PIR_ATTR_INT_ARRAY)
    return number_fact(infer, PIR_F32, true, literal->f);
  pir_dim values[PIR_MAX_RANK];
  size_t n = literal->int_count < PIR_MAX_RANK ? literal->int_count : PIR_MAX_RANK;
  for (size_t i = 0; i < n; i++)
    values[i] = pir_dim_const(infer->dims, literal->ints[i]);
  return ints_fact(infer, values, (int64_t)n);
}

// The fact of a list of values.
static const pir_fact *members_fact(pir_infer *infer, const pir_lower *l,
                                    const pir_lower_arg *arg, const pir_fact *const *values) {
  const pir_fact **members = INFER_NEW(infer, const pir_fact *, (size_t)arg->count);
  pir_fact *absent = INFER_NEW(infer, pir_fact, 1);
  absent->rank = -1;
  for (int i = 0; i < arg->count; i++) {
    const pir_fact *value = values[l->pool[arg->first + i]];
    members[i] = value ? value : absent;
  }
  pir_fact *fact = INFER_NEW(infer, pir_fact, 1);
  *fact = (pir_fact){
      .known = true, .rank = -1, .members = members, .member_count = (size_t)arg->count};
  return fact;
}

// The fact of the members of a list from the first one on; NULL when they are not known.
static const pir_fact *rest_fact(pir_infer *infer, const pir_lower_arg *arg,
                                 const pir_fact *const *values) {
  const pir_fact *list = values[arg->value];
  if (!list || !list->members || (size_t)arg->first > list->member_count)
    return NULL;
  pir_fact *fact = INFER_NEW(infer, pir_fact, 1);
  *fact = *list;
  fact->members += arg->first;
  fact->member_count -= (size_t)arg->first;
  return fact;
}

static const pir_fact *argument_fact(pir_infer *infer, const pir_lower *l,
                                     const pir_lower_arg *arg, const pir_fact *const *values) {
  symbolic s = lower_symbols(infer, l);
  pir_dim list[PIR_FACT_CONTENTS];
  double number = 0;
  switch ((pir_lower_arg_kind)arg->kind) {
    case PIR_LOWER_ABSENT: return NULL;
    case PIR_LOWER_VALUE: return values[arg->value];
    case PIR_LOWER_INTS: {
      int64_t n = lower_items(&s, l->items + arg->first, arg->count, list, PIR_FACT_CONTENTS);
      return n < 0 ? NULL : ints_fact(infer, list, n);
    }
    case PIR_LOWER_NUMBER: {
      bool known = symbolic_number(&s, arg->node, &number);
      return number_fact(infer, PIR_F32, known, number);
    }
    case PIR_LOWER_VALUES: return members_fact(infer, l, arg, values);
    case PIR_LOWER_REST: return rest_fact(infer, arg, values);
  }
  return NULL;
}

// ---- attributes
static pir_attr_value attribute_value(pir_infer *infer, const pir_lower *l,
                                      const pir_lower_attr *from) {
  symbolic s = lower_symbols(infer, l);
  pir_attr_value value = {0};
  pir_dim list[PIR_FACT_CONTENTS];
  switch ((pir_lower_attr_kind)from->kind) {
    case PIR_LOWER_COPY: return infer->attrs[from->k];
    case PIR_LOWER_INT:
    case PIR_LOWER_DTYPE:
      value.kind = from->kind == PIR_LOWER_DTYPE ? PIR_VALUE_DTYPE : PIR_VALUE_INT;
      (void)pir_dim_is_const(infer->dims, symbolic_index(&s, from->node), &value.i);
      break;
    case PIR_LOWER_FLOAT:
      value.kind = PIR_VALUE_FLOAT;
      (void)symbolic_number(&s, from->node, &value.f);
      break;
    case PIR_LOWER_TEXT:
      value.kind = PIR_VALUE_TEXT;
      value.text = pir_str_from(from->text);
      break;
    case PIR_LOWER_LIST: {
      int64_t n = lower_items(&s, l->items + from->first, from->count, list, PIR_FACT_CONTENTS);
      int64_t *ints = INFER_NEW(infer, int64_t, (size_t)(n < 0 ? 0 : n));
      for (int64_t i = 0; i < n; i++)
        if (!pir_dim_is_const(infer->dims, list[i], &ints[i]))
          ints[i] = -1;
      value.kind = PIR_VALUE_INTS;
      value.ints = ints;
      value.count = n < 0 ? 0 : (size_t)n;
      break;
    }
  }
  return value;
}

static pir_status infer_step(pir_infer *infer, const pir_lower *l, const pir_lower_step *step,
                             const pir_fact **values, pir_fact *results) {
  const pir_opdef *def = pir_lower_step_def(step);
  if (!def)
    return pir_infer_fail(infer, "no op '%s'", step->op);
  const pir_fact *operands[32] = {0};
  pir_attr_value *attrs = INFER_NEW(infer, pir_attr_value, def->attr_count);
  for (int i = 0; i < def->operand_count && i < 32; i++)
    operands[i] = i < step->arg_count
                      ? argument_fact(infer, l, &l->args[step->first_arg + i], values)
                      : default_fact(infer, &def->operands[i]);
  for (int i = 0; i < def->attr_count; i++)
    attrs[i] = attr_default_value(&def->attrs[i]);
  for (int i = 0; i < step->attr_count; i++) {
    const pir_lower_attr *a = &l->attrs[step->first_attr + i];
    int at = pir_opdef_attr(def, pir_str_from(a->name));
    if (at >= 0)
      attrs[at] = attribute_value(infer, l, a);
  }
  pir_infer inner = {.def = def,
                     .op = infer->op,
                     .dims = infer->dims,
                     .operands = operands,
                     .operand_count = def->operand_count,
                     .attrs = attrs,
                     .results = results,
                     .result_count = def->result_count,
                     .alloc = infer->alloc,
                     .user = infer->user,
                     .nesting = infer->nesting + 1,
                     .require = infer->require};
  pir_status status = pir_infer_run(&inner);
  if (!status)
    return PIR_OK;
  memcpy(infer->message, inner.message, sizeof infer->message);
  infer->has_message = inner.has_message;
  return status;
}

pir_status infer_lower(pir_infer *infer, const pir_lower *l) {
  if (infer->nesting > MAX_NESTING)
    return pir_infer_fail(infer, "its lower block leads back to itself");
  const pir_fact *values[PIR_LOWER_VALUES_MOST] = {0};
  int count = infer->def->operand_count;
  memcpy(values, infer->operands, (size_t)count * sizeof *values);
  for (int i = 0; i < l->step_count; i++) {
    const pir_lower_step *step = &l->steps[i];
    symbolic s = lower_symbols(infer, l);
    if (lower_leaves_out(&s, step)) {
      values[count++] = values[step->otherwise];
      continue;
    }
    const pir_opdef *def = pir_lower_step_def(step);
    pir_fact *results = INFER_NEW(infer, pir_fact, def ? def->result_count : 1u);
    PIR_TRY(infer_step(infer, l, step, values, results));
    for (int r = 0; r < step->result_count && count < PIR_LOWER_VALUES_MOST; r++)
      values[count++] = &results[r];
  }
  // The op may have more results than it declares: nothing is known of those.
  for (size_t i = 0; i < infer->result_count && i < infer->def->result_count; i++)
    if (l->results[i] >= 0 && values[l->results[i]])
      infer->results[i] = *values[l->results[i]];
  return PIR_OK;
}
