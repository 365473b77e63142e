// The part of auto_mixed_precision_pass that changes the program. It works in program order, so
// the operands of an op already have their final types. Each value gets one cast, directly
// after its definition, for all readers: casts of parameters are folded with them, and a cast
// of a value from outside a loop runs once. Result types come from inference. A constant is
// created in the wanted type instead of cast.
#include <precision.h>

#include <effects.h>

#include <pir/compiler/dialect/pd_op.h>

static pir_context *context_of(const precision *p) {
  return pir_program_context(p->run->program);
}

static bool is_lowered(const precision *p, const pir_value *value) {
  return pir_map_find(&p->lowered, value) != NULL;
}

static const pir_type *with_dtype(const precision *p, const pir_type *type, pir_dtype dtype) {
  return pir_type_with_dtype(context_of(p), type, dtype);
}

// ---- casts

static pir_value *make_cast(precision *p, pir_value *value, pir_dtype dtype) {
  pir_op *at = pir_rewriter_behind(value), *source = pir_value_op(value);
  p->cast_count++;
  return pir_rewriter_cast(p->run->rewriter, at, pir_op_loc(source ? source : at), value,
                           dtype);
}

// Returns the position of the attribute that states the first result's element type, if it
// states f32; else -1.
static int dtype_attr(const pir_op *op) {
  const pir_opdef *def = pir_op_def(op);
  int at = def->results[0].from_attr;
  const pir_attr *attr = at >= 0 ? pir_op_attr_at(op, (size_t)at) : NULL;
  return attr && pir_attr_as_dtype(attr) == PIR_F32 ? at : -1;
}

// Creates the same constant with another element type; NULL if its op does not state the type.
static pir_value *make_low_constant(precision *p, pir_op *op) {
  int at = dtype_attr(op);
  if (at < 0)
    return NULL;
  size_t count = pir_op_attrs(op),
         bytes = pir_arena_size(p->arena, count, sizeof(pir_named_attr));
  pir_named_attr *attrs = pir_arena_alloc(p->arena, bytes);
  pir_op_attrs_sorted(op, attrs, count);
  const pir_type *type = with_dtype(p, pir_value_type(pir_op_result(op, 0)), p->low);
  pir_op_spec spec = {.def = pir_op_def(op),
                      .loc = pir_op_loc(op),
                      .result_types = &type,
                      .result_count = 1,
                      .attrs = attrs,
                      .attr_count = count};
  pir_op *made = pir_rewriter_create(p->run->rewriter, op, &spec);
  pir_op_set_attr_at(made, (size_t)at, pir_attr_dtype(context_of(p), p->low));
  pir_arena_free(p->arena, attrs, bytes);
  return pir_op_result(made, 0);
}

// Returns the value that an op casts or states, in the low type; NULL if it is neither.
static pir_value *low_source(precision *p, pir_op *source) {
  if (pir_op_is(source, PD_CAST)) {
    pir_value *before = pir_op_operand(source, 0);
    bool same = precision_dtype(p, before) == p->low && !pir_value_is_overwritten(before);
    return same ? before : NULL;
  }
  return pir_op_has(source, PIR_CONSTANT) ? make_low_constant(p, source) : NULL;
}

static pir_value *in_low(precision *p, pir_value *value) {
  const uint64_t *known = pir_map_find(&p->casts, value);
  if (known)
    return (pir_value *)(uintptr_t)*known;
  pir_op *source = pir_value_op(value);
  pir_value *made = source ? low_source(p, source) : NULL;
  if (!made)
    made = make_cast(p, value, p->low);
  pir_map_put(p->arena, &p->casts, value, (uint64_t)(uintptr_t)made);
  return made;
}

static pir_value *in_f32(precision *p, pir_value *value) {
  const uint64_t *known = pir_map_find(&p->casts, value);
  if (known)
    return (pir_value *)(uintptr_t)*known;
  pir_value *made = make_cast(p, value, PIR_F32);
  pir_map_put(p->arena, &p->casts, value, (uint64_t)(uintptr_t)made);
  return made;
}

// ---- types of results

static const pir_type *lowered_type(const precision *p, const pir_type *type,
                                    const pir_fact *fact) {
  if (!fact->known)
    return type;
  if (pir_type_is_tensor(type))
    return pir_type_dtype(type) == PIR_F32 && fact->dtype == p->low
               ? with_dtype(p, type, p->low)
               : type;
  if (pir_type_kind_of(type) != PIR_TYPE_VECTOR ||
      fact->member_count != pir_type_elements(type))
    return type;
  size_t bytes = pir_arena_size(p->arena, fact->member_count, sizeof(pir_type *));
  const pir_type **members = pir_arena_alloc(p->arena, bytes);
  for (size_t i = 0; i < fact->member_count; i++)
    members[i] = lowered_type(p, pir_type_element(type, i), fact->members[i]);
  type = pir_type_vector(context_of(p), members, fact->member_count);
  pir_arena_free(p->arena, members, bytes);
  return type;
}

static pir_status restate(precision *p, pir_op *op) {
  PIR_TRY(pir_facts_update(p->facts, op));
  for (size_t i = 0; i < pir_op_results(op); i++) {
    pir_value *value = pir_op_result(op, i);
    const pir_type *was = pir_value_type(value),
                   *type = lowered_type(p, was, pir_facts_of(p->facts, value));
    if (type == was)
      continue;
    pir_value_set_type(value, type);
    pir_map_put(p->arena, &p->lowered, value, 1);
  }
  return PIR_OK;
}

// ---- one op

// All operands are set before anything is inferred, because the op is inconsistent in between.
static void raise_operands(precision *p, pir_op *op) {
  for (size_t i = 0; i < pir_op_operands(op); i++) {
    pir_value *value = pir_op_operand(op, i);
    if (value && is_lowered(p, value))
      pir_op_set_operand(op, i, in_f32(p, value));
  }
}

static pir_status compute_low(precision *p, pir_op *op) {
  for (size_t i = 0; i < pir_op_operands(op); i++) {
    pir_value *value = pir_op_operand(op, i);
    if (!value)
      continue;
    if (precision_keeps_operand(op, i)) {
      if (is_lowered(p, value))
        pir_op_set_operand(op, i, in_f32(p, value));
    } else if (precision_dtype(p, value) == PIR_F32 && !precision_is_list(value)) {
      pir_op_set_operand(op, i, in_low(p, value));
    }
  }
  int at = dtype_attr(op);
  if (at >= 0)
    pir_op_set_attr_at(op, (size_t)at, pir_attr_dtype(context_of(p), p->low));
  p->low_ops++;
  return restate(p, op);
}

static bool all_lowered(const precision *p, const pir_op *op) {
  for (size_t i = 0; i < pir_op_operands(op); i++) {
    const pir_value *value = pir_op_operand(op, i);
    if (value && !precision_keeps_operand(op, i) && precision_dtype(p, value) == PIR_F32)
      return false;
  }
  return true;
}

static pir_status make_input_low(precision *p, pir_op *op) {
  int at = dtype_attr(op);
  if (at < 0)
    return PIR_OK;
  pir_op_set_attr_at(op, (size_t)at, pir_attr_dtype(context_of(p), p->low));
  pir_value *value = pir_op_result(op, 0);
  pir_value_set_type(value, with_dtype(p, pir_value_type(value), p->low));
  pir_map_put(p->arena, &p->lowered, value, 1);
  return pir_facts_update(p->facts, op);
}

static pir_status change(precision *p, pir_op *op) {
  uint64_t choice = pir_op_mark(op);
  if (choice == PRECISION_LOW)
    return compute_low(p, op);
  if (p->io && pir_op_has(op, PIR_INPUT))
    return make_input_low(p, op);
  if (p->io && pir_op_has(op, PIR_OUTPUT))
    return restate(p, op);
  if (choice == PRECISION_FOLLOWS && all_lowered(p, op))
    return PIR_OK;
  // A cast accepts 16-bit floats directly, because they lose nothing. canonicalize_pass removes
  // a cast that became redundant.
  if (!pir_op_is(op, PD_CAST))
    raise_operands(p, op);
  return PIR_OK;
}

pir_status precision_apply(precision *p) {
  for (size_t i = 0; i < p->ops.count; i++)
    PIR_TRY(change(p, p->ops.items[i]));
  // Erases f32 constants of which only the 16-bit copy is read.
  for (size_t i = 0; i < p->ops.count; i++) {
    pir_op *op = p->ops.items[i];
    bool made = pir_op_has(op, PIR_CONSTANT) && pir_map_find(&p->casts, pir_op_result(op, 0));
    if (made && pir_op_unused(op))
      pir_rewriter_erase(p->run->rewriter, op);
  }
  return PIR_OK;
}
