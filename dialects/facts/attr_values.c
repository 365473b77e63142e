// Attributes of an op as plain data for kernels, clauses and inference: by declared position,
// with defaults filled in. Lists are copied into the caller's memory; strings are borrowed from
// the context.
#include "infer_impl.h"

#include <string.h>

typedef void *(*alloc_fn)(void *user, size_t size);

static bool is_float_kind(uint8_t kind) {
  return pir_attr_kind_is_float((pir_attr_kind)kind);
}

static double float_element(const pir_attr *list, size_t i) {
  int64_t integer = 0;
  double value = 0;
  if (pir_attr_kind_of(list) != PIR_ATTR_INT_ARRAY)
    return pir_attr_as_float(pir_attr_element(list, i), &value) ? value : 0;
  (void)pir_attr_int_at(list, i, &integer);
  return (double)integer;
}

// Whether a list holds a complex number. Kernels then get pairs of parts.
static bool holds_complex(const pir_attr *list) {
  size_t n = pir_attr_kind_of(list) == PIR_ATTR_INT_ARRAY ? 0 : pir_attr_elements(list);
  for (size_t i = 0; i < n; i++) {
    const pir_attr *element = pir_attr_element(list, i);
    if (pir_attr_kind_of(element) == PIR_ATTR_SCALAR)
      element = pir_attr_element(element, 0);
    pir_attr_kind kind = pir_attr_kind_of(element);
    if (kind == PIR_ATTR_C64 || kind == PIR_ATTR_C128)
      return true;
  }
  return false;
}

static void take_pairs(pir_attr_value *v, const pir_attr *attr, alloc_fn alloc, void *user) {
  size_t n = pir_attr_elements(attr);
  double *out = alloc(user, 2 * n * sizeof *out);
  for (size_t i = 0; out && i < n; i++)
    if (!pir_attr_as_complex(pir_attr_element(attr, i), &out[2 * i], &out[2 * i + 1]))
      out[2 * i] = out[2 * i + 1] = 0;
  v->kind = PIR_VALUE_FLOATS;
  v->floats = out;
  v->count = out ? 2 * n : 0;
}

static void take_array(pir_attr_value *v, const pir_attr *attr, uint8_t element_kind,
                       alloc_fn alloc, void *user) {
  size_t n = pir_attr_elements(attr);
  bool ints = !is_float_kind(element_kind), texts = element_kind == PIR_ATTR_STR;
  if (pir_attr_kind_of(attr) == PIR_ATTR_INT_ARRAY && ints) {
    v->kind = PIR_VALUE_INTS;
    v->ints = pir_attr_int_array_data(attr);
    v->count = n;
    return;
  }
  for (size_t i = 0; i < n; i++) {
    if (pir_attr_kind_of(attr) == PIR_ATTR_INT_ARRAY)
      break;
    pir_attr_kind kind = pir_attr_kind_of(pir_attr_element(attr, i));
    if (kind == PIR_ATTR_SCALAR)
      kind = pir_attr_kind_of(pir_attr_element(pir_attr_element(attr, i), 0));
    ints &= !is_float_kind((uint8_t)kind);
    texts |= kind == PIR_ATTR_STR;
  }
  v->count = n;
  if (texts) {
    pir_str *out = alloc(user, (n ? n : 1) * sizeof *out);
    for (size_t i = 0; out && i < n; i++)
      out[i] = pir_attr_as_str(pir_attr_element(attr, i));
    v->kind = PIR_VALUE_TEXTS;
    v->texts = out;
  } else if (ints) {
    int64_t *out = alloc(user, (n ? n : 1) * sizeof *out);
    for (size_t i = 0; out && i < n; i++)
      if (!pir_attr_int_at(attr, i, &out[i]))
        out[i] = 0;
    v->kind = PIR_VALUE_INTS;
    v->ints = out;
  } else {
    double *out = alloc(user, (n ? n : 1) * sizeof *out);
    for (size_t i = 0; out && i < n; i++)
      out[i] = float_element(attr, i);
    v->kind = PIR_VALUE_FLOATS;
    v->floats = out;
  }
  if (!v->texts && !v->ints && !v->floats)
    v->count = 0;
}

static pir_attr_value attr_value_of(const pir_attr *attr, const pir_attr_def *def,
                                    alloc_fn alloc, void *user) {
  pir_attr_value v = {0};
  if (pir_attr_kind_of(attr) == PIR_ATTR_SCALAR)
    attr = pir_attr_element(attr, 0);
  switch (pir_attr_kind_of(attr)) {
    case PIR_ATTR_F32:
    case PIR_ATTR_F64:
      v.kind = PIR_VALUE_FLOAT;
      (void)pir_attr_as_float(attr, &v.f);
      break;
    case PIR_ATTR_STR:
    case PIR_ATTR_TENSOR_NAME:
    case PIR_ATTR_OPAQUE:
      v.kind = PIR_VALUE_TEXT;
      v.text = pir_attr_as_str(attr);
      break;
    case PIR_ATTR_DTYPE:
      v.kind = PIR_VALUE_DTYPE;
      v.i = pir_attr_as_dtype(attr);
      break;
    case PIR_ATTR_LAYOUT:
      v.kind = PIR_VALUE_INT;
      v.i = pir_attr_as_layout(attr);
      break;
    case PIR_ATTR_PLACE:
      v.kind = PIR_VALUE_INT;
      v.i = pir_attr_as_place(attr).kind;
      break;
    case PIR_ATTR_ARRAY:
    case PIR_ATTR_INT_ARRAY:
      if (holds_complex(attr))
        take_pairs(&v, attr, alloc, user);
      else
        take_array(&v, attr, def->element_kind, alloc, user);
      break;
    default:
      if (pir_attr_as_int(attr, &v.i))
        v.kind = PIR_VALUE_INT;
  }
  // An integer attribute where a float is declared: text without a decimal point reads as an
  // integer.
  if (v.kind == PIR_VALUE_INT && is_float_kind(def->kind)) {
    v.kind = PIR_VALUE_FLOAT;
    v.f = (double)v.i;
  }
  return v;
}

pir_status pir_op_attr_values(const pir_op *op, alloc_fn alloc, void *user,
                              const pir_attr_value **out_values) {
  const pir_opdef *def = pir_op_meaning(op);
  bool own = def == pir_op_def(op);
  pir_attr_value *values =
      alloc(user, (def->attr_count ? def->attr_count : 1u) * sizeof *values);
  *out_values = NULL;
  if (!values)
    return PIR_EXHAUSTED;
  for (size_t i = 0; i < def->attr_count; i++) {
    const pir_attr *attr =
        own ? pir_op_attr_at(op, i) : pir_op_attr_str(op, def->attrs[i].name);
    if (attr)
      PIR_TRY(pir_op_check_attr(op, attr, &def->attrs[i]));
    values[i] = attr ? attr_value_of(attr, &def->attrs[i], alloc, user)
                     : attr_default_value(&def->attrs[i]);
  }
  *out_values = values;
  return PIR_OK;
}
