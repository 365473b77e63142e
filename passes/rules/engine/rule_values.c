// The values that rules compute with: attributes, symbolic extents and contents of constants
// are read as plain values, and values are written back as attributes. A value keeps the
// attribute it was read from, so copying it loses nothing.

#include "match.h"

#include <effects.h>

#include <pir/layer/lower.h>

#include <string.h>

static const pir_rule_value unknown = {.kind = PIR_RULE_UNKNOWN};

pir_rule_value *rule_list(rule_match *m, size_t count) {
  if (count > RULE_HEAP - m->heap_used)
    return NULL;
  pir_rule_value *items = &m->heap[m->heap_used];
  m->heap_used += count;
  return items;
}

pir_rule_value rule_dim(rule_match *m, pir_dim dim) {
  int64_t i;
  if (dim == PIR_DIM_UNKNOWN)
    return unknown;
  const pir_dims *dims = pir_facts_dims(rule_facts(m));
  if (pir_dim_is_const(dims, dim, &i))
    return rule_int(i);
  return (pir_rule_value){.kind = PIR_RULE_DIM, .i = pir_dim_canonical(dims, dim)};
}

// ---- attributes as values

static pir_rule_value list_of_attr(rule_match *m, const pir_attr *attr) {
  size_t n = pir_attr_elements(attr);
  pir_rule_value *items = rule_list(m, n);
  if (!items)
    return unknown;
  for (size_t i = 0; i < n; i++) {
    int64_t number;
    if (pir_attr_kind_of(attr) != PIR_ATTR_INT_ARRAY)
      items[i] = rule_value_of_attr(m, pir_attr_element(attr, i));
    else if (pir_attr_int_at(attr, i, &number))
      items[i] = rule_int(number);
  }
  return (pir_rule_value){.kind = PIR_RULE_LIST, .items = items, .count = n, .attr = attr};
}

pir_rule_value rule_value_of_attr(rule_match *m, const pir_attr *attr) {
  pir_rule_value v = {.attr = attr};
  switch (pir_attr_kind_of(attr)) {
    case PIR_ATTR_BOOL:
      v.kind = PIR_RULE_BOOL;
      pir_attr_as_int(attr, &v.i);
      break;
    case PIR_ATTR_I32:
    case PIR_ATTR_I64:
    case PIR_ATTR_INDEX:
      v.kind = PIR_RULE_INT;
      pir_attr_as_int(attr, &v.i);
      break;
    case PIR_ATTR_F32:
    case PIR_ATTR_F64:
      v.kind = PIR_RULE_FLOAT;
      pir_attr_as_float(attr, &v.f);
      break;
    case PIR_ATTR_STR:
    case PIR_ATTR_TENSOR_NAME:
      v.kind = PIR_RULE_TEXT;
      v.text = pir_attr_as_str(attr);
      break;
    case PIR_ATTR_DTYPE:
      v.kind = PIR_RULE_DTYPE;
      v.i = pir_attr_as_dtype(attr);
      break;
    case PIR_ATTR_PLACE:
      v.kind = PIR_RULE_PLACE;
      v.i = pir_attr_as_place(attr).kind;
      break;
    case PIR_ATTR_LAYOUT:
      v.kind = PIR_RULE_TEXT;
      v.text = pir_str_from(pir_layout_name(pir_attr_as_layout(attr)));
      break;
    case PIR_ATTR_ARRAY:
    case PIR_ATTR_INT_ARRAY: return list_of_attr(m, attr);
    case PIR_ATTR_SCALAR:
      v = rule_value_of_attr(m, pir_attr_element(attr, 0));
      v.attr = attr;
      break;
    default: v.kind = PIR_RULE_ATTR;
  }
  return v;
}

pir_rule_value rule_value_of_slot(rule_match *m, const pir_op *op, size_t position) {
  const pir_attr *attr = pir_op_attr_at(op, position);
  if (!attr)
    attr = pir_attr_default(m->ctx, &pir_op_def(op)->attrs[position]);
  return attr ? rule_value_of_attr(m, attr) : unknown;
}

// ---- values as attributes

static bool as_int(const pir_rule_value *v, int64_t *out) {
  *out = v->i;
  return v->kind == PIR_RULE_INT || v->kind == PIR_RULE_BOOL || v->kind == PIR_RULE_DTYPE;
}

static bool as_float(const pir_rule_value *v, double *out) {
  *out = v->kind == PIR_RULE_FLOAT ? v->f : (double)v->i;
  return v->kind == PIR_RULE_FLOAT || v->kind == PIR_RULE_INT || v->kind == PIR_RULE_BOOL;
}

static const pir_attr *number_attr(pir_context *ctx, const pir_rule_value *v, uint8_t kind) {
  int64_t i;
  double f;
  switch ((pir_attr_kind)kind) {
    case PIR_ATTR_BOOL: return as_int(v, &i) ? pir_attr_bool(ctx, i != 0) : NULL;
    case PIR_ATTR_I32:
      return as_int(v, &i) && i == (int32_t)i ? pir_attr_int(ctx, PIR_ATTR_I32, i) : NULL;
    case PIR_ATTR_I64:
    case PIR_ATTR_INDEX:
      return as_int(v, &i) ? pir_attr_int(ctx, (pir_attr_kind)kind, i) : NULL;
    case PIR_ATTR_F32:
    case PIR_ATTR_F64:
      return as_float(v, &f) ? pir_attr_float(ctx, (pir_attr_kind)kind, f) : NULL;
    case PIR_ATTR_SCALAR: return as_float(v, &f) ? pir_attr_float(ctx, PIR_ATTR_F64, f) : NULL;
    default: return NULL;
  }
}

static const pir_attr *list_attr(rule_match *m, const pir_rule_value *v,
                                 const pir_attr_def *def) {
  const pir_attr *stack[64], **elements = stack;
  int64_t ints[64];
  if (v->kind != PIR_RULE_LIST || v->count > 64)
    return NULL;
  pir_attr_def each = {.name = def->name, .kind = def->element_kind};
  for (size_t i = 0; i < v->count; i++) {
    if (def->kind == PIR_ATTR_INT_ARRAY) {
      if (!as_int(&v->items[i], &ints[i]))
        return NULL;
    } else if (!(elements[i] = rule_attr_of_value(m, &v->items[i], &each))) {
      return NULL;
    }
  }
  if (def->kind == PIR_ATTR_INT_ARRAY)
    return pir_attr_int_array(m->ctx, ints, v->count);
  return pir_attr_array(m->ctx, elements, v->count);
}

const pir_attr *rule_attr_of_value(rule_match *m, const pir_rule_value *v,
                                   const pir_attr_def *def) {
  pir_attr_kind kind = (pir_attr_kind)def->kind;
  bool same_kind = v->attr && pir_attr_kind_of(v->attr) == kind && kind != PIR_ATTR_ARRAY;
  if (v->attr && (same_kind || kind == PIR_ATTR_NONE))
    return v->attr;
  switch (kind) {
    case PIR_ATTR_STR:
    case PIR_ATTR_TENSOR_NAME:
      return v->kind == PIR_RULE_TEXT ? pir_attr_str(m->ctx, kind, v->text) : NULL;
    case PIR_ATTR_DTYPE:
      return v->kind == PIR_RULE_DTYPE ? pir_attr_dtype(m->ctx, (pir_dtype)v->i) : NULL;
    case PIR_ATTR_PLACE:
      return v->kind == PIR_RULE_PLACE ? pir_attr_place(m->ctx, (pir_place){.kind = (int)v->i})
                                       : NULL;
    case PIR_ATTR_LAYOUT: {
      pir_layout layout =
          v->kind == PIR_RULE_TEXT ? pir_layout_from_name(v->text) : PIR_LAYOUT_NONE;
      return layout == PIR_LAYOUT_NONE ? NULL : pir_attr_layout(m->ctx, layout);
    }
    case PIR_ATTR_ARRAY:
    case PIR_ATTR_INT_ARRAY: return list_attr(m, v, def);
    case PIR_ATTR_NONE:  // undeclared: as the value is
      if (v->kind == PIR_RULE_TEXT)
        return pir_attr_str(m->ctx, PIR_ATTR_STR, v->text);
      if (v->kind == PIR_RULE_BOOL)
        return pir_attr_bool(m->ctx, v->i != 0);
      return number_attr(m->ctx, v, v->kind == PIR_RULE_INT ? PIR_ATTR_I64 : PIR_ATTR_F32);
    default: return number_attr(m->ctx, v, def->kind);
  }
}

// ---- constants

// Small integer contents are facts, whatever op computes them.
static pir_rule_value contents_of_fact(rule_match *m, const pir_fact *fact, bool scalar) {
  size_t n = fact->members ? fact->member_count : fact->content_count;
  pir_rule_value *items = rule_list(m, n);
  if (!items || (scalar && n != 1))
    return unknown;
  for (size_t i = 0; i < n; i++) {
    const pir_fact *from = fact->members ? fact->members[i] : fact;
    if (!from->contents || (fact->members && from->content_count != 1))
      return unknown;
    items[i] = rule_dim(m, from->contents[fact->members ? 0 : i]);
    if (items[i].kind != PIR_RULE_INT)
      return unknown;
  }
  return scalar ? items[0]
                : (pir_rule_value){.kind = PIR_RULE_LIST, .items = items, .count = n};
}

static pir_rule_value element_of(const pir_tensor *tensor, int64_t i) {
  bool real = pir_dtype_is_float(tensor->dtype);
  if (real)
    return (pir_rule_value){.kind = PIR_RULE_FLOAT, .f = pir_tensor_float_at(tensor, i)};
  bool logical = tensor->dtype == PIR_BOOL;
  return (pir_rule_value){.kind = logical ? PIR_RULE_BOOL : PIR_RULE_INT,
                          .i = pir_tensor_int_at(tensor, i)};
}

static pir_rule_value contents_of_tensor(rule_match *m, const pir_tensor *tensor, bool scalar) {
  int64_t n = pir_tensor_numel(tensor);
  bool readable = pir_dtype_is_float(tensor->dtype) || pir_dtype_is_integer(tensor->dtype) ||
                  tensor->dtype == PIR_BOOL;
  if (!readable || n < 0 || n > PIR_FACT_CONTENTS || (scalar && n != 1))
    return unknown;
  if (scalar)
    return element_of(tensor, 0);
  pir_rule_value *items = rule_list(m, (size_t)n);
  for (int64_t i = 0; items && i < n; i++)
    items[i] = element_of(tensor, i);
  return items ? (pir_rule_value){.kind = PIR_RULE_LIST, .items = items, .count = (size_t)n}
               : unknown;
}

static evaluator *evaluator_of(rule_match *m) {
  if (!m->eval_ready)
    evaluator_init(m->eval, m->rewriter->program, rule_facts(m));
  m->eval_ready = true;
  return m->eval;
}

pir_rule_value rule_constant(rule_match *m, const pir_value *value, bool scalar) {
  pir_facts *facts = value ? rule_facts(m) : NULL;
  if (!facts)
    return unknown;
  const pir_fact *fact = pir_facts_of(facts, value);
  if (fact->known && (fact->contents || fact->members))
    return contents_of_fact(m, fact, scalar);
  const pir_op *op = pir_value_op(value);
  if (!op || !pir_op_has(op, PIR_CONSTANT) || !fact->known || fact->rank < 0)
    return unknown;
  evaluator *eval = evaluator_of(m);
  if (!evaluator_find(eval, value))
    evaluator_visit(eval, op);
  const known_value *known = evaluator_find(eval, value);
  return known ? contents_of_tensor(m, &known->tensors[0], scalar) : unknown;
}
