// Converts legacy types and attributes. A number may be stored with any numeric type; it is
// converted to the declared type if it fits.
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <decimal.h>

#include "translate.h"

// ---- types

static const pir_type *sparse_type(translator *t, pir_type_kind kind,
                                   const pir_tensor_spec *spec) {
  const pir_type *dense = pir_type_tensor_like(t->ctx, PIR_TYPE_TENSOR, spec);
  const pir_type *parts[] = {dense, dense, dense};
  return pir_type_sparse(t->ctx, kind, spec, spec->shape, parts,
                         kind == PIR_TYPE_SPARSE_COO ? 2 : 3);
}

const pir_type *var_type(translator *t, const var_desc *var) {
  const tensor_desc *tensor = desc_tensor(var);
  pir_tensor_spec spec = {.layout = PIR_LAYOUT_NCHW};
  if (!tensor)
    return NULL;
  spec.dtype = pir_dtype_from_var_type((int)tensor->data_type);
  if (spec.dtype == PIR_DTYPE_NONE)
    return NULL;
  spec.shape = (pir_shape){tensor->dims, tensor->n_dims};
  switch (var->type->type) {
    case LEGACY__VAR_TYPE__TYPE__DENSE_TENSOR_ARRAY:
      return pir_type_tensor_like(t->ctx, PIR_TYPE_TENSOR_ARRAY, &spec);
    case LEGACY__VAR_TYPE__TYPE__SELECTED_ROWS:
      return pir_type_tensor_like(t->ctx, PIR_TYPE_SELECTED_ROWS, &spec);
    case LEGACY__VAR_TYPE__TYPE__SPARSE_COO: return sparse_type(t, PIR_TYPE_SPARSE_COO, &spec);
    case LEGACY__VAR_TYPE__TYPE__SPARSE_CSR: return sparse_type(t, PIR_TYPE_SPARSE_CSR, &spec);
    default: return pir_type_tensor_like(t->ctx, PIR_TYPE_TENSOR, &spec);
  }
}

const pir_type *name_type(translator *t, const char *name) {
  const var_desc *var = desc_var(t->desc, t->block, name);
  const pir_type *type = var ? var_type(t, var) : NULL;
  if (!var)
    (void)FAIL(t, "variable '%s' is not declared", name);
  else if (!type)
    (void)FAIL(t, "variable '%s' is no tensor of a known element type", name);
  return type;
}

// ---- numbers

static number integer(pir_dtype dtype, int64_t i) {
  return (number){dtype, i, (double)i};
}
static number real(pir_dtype dtype, double f) {
  return (number){dtype, 0, f};
}

static bool scalar_number(const Legacy__Scalar *s, number *out) {
  switch (s->type) {
    case LEGACY__SCALAR__TYPE__BOOLEAN: *out = integer(PIR_BOOL, s->b != 0); return true;
    case LEGACY__SCALAR__TYPE__LONG: *out = integer(PIR_I64, s->i); return true;
    case LEGACY__SCALAR__TYPE__FLOAT64: *out = real(PIR_F64, s->r); return true;
    default: return false;
  }
}

bool attr_number(const attr_desc *a, number *out) {
  switch (a->type) {
    case LEGACY__ATTR_TYPE__INT: *out = integer(PIR_I32, a->i); return true;
    case LEGACY__ATTR_TYPE__LONG: *out = integer(PIR_I64, a->l); return true;
    case LEGACY__ATTR_TYPE__BOOLEAN: *out = integer(PIR_BOOL, a->b != 0); return true;
    case LEGACY__ATTR_TYPE__FLOAT: *out = real(PIR_F32, a->f); return true;
    case LEGACY__ATTR_TYPE__FLOAT64: *out = real(PIR_F64, a->float64); return true;
    case LEGACY__ATTR_TYPE__SCALAR: return scalar_number(a->scalar, out);
    default: return false;
  }
}

bool attr_decimal(translator *t, const attr_desc *a, number *out) {
  char *copy;
  if (a->type != LEGACY__ATTR_TYPE__STRING || !a->s.len)
    return false;
  copy = pir_arena_zalloc(&t->arena, a->s.len + 1);
  memcpy(copy, a->s.data, a->s.len);
  out->dtype = PIR_F64;
  char *end;
  out->f = pir_decimal_read(copy, &end);
  if (end == copy || *end)
    return false;
  errno = 0;
  out->i = strtoll(copy, &end, 10);
  if (!errno && !*end)
    out->dtype = PIR_I64;
  return true;
}

// Returns the number of list elements; SIZE_MAX if it is no list of numbers.
static size_t list_size(const attr_desc *a) {
  switch (a->type) {
    case LEGACY__ATTR_TYPE__INTS: return a->n_ints;
    case LEGACY__ATTR_TYPE__LONGS: return a->n_longs;
    case LEGACY__ATTR_TYPE__BOOLEANS: return a->n_bools;
    case LEGACY__ATTR_TYPE__FLOATS: return a->n_floats;
    case LEGACY__ATTR_TYPE__FLOAT64S: return a->n_float64s;
    case LEGACY__ATTR_TYPE__SCALARS: return a->n_scalars;
    default: return SIZE_MAX;
  }
}

static bool list_number(const attr_desc *a, size_t i, number *out) {
  switch (a->type) {
    case LEGACY__ATTR_TYPE__INTS: *out = integer(PIR_I32, a->ints[i]); return true;
    case LEGACY__ATTR_TYPE__LONGS: *out = integer(PIR_I64, a->longs[i]); return true;
    case LEGACY__ATTR_TYPE__BOOLEANS: *out = integer(PIR_BOOL, a->bools[i] != 0); return true;
    case LEGACY__ATTR_TYPE__FLOATS: *out = real(PIR_F32, a->floats[i]); return true;
    case LEGACY__ATTR_TYPE__FLOAT64S: *out = real(PIR_F64, a->float64s[i]); return true;
    default: return scalar_number(a->scalars[i], out);
  }
}

static bool is_real(const number *n) {
  return pir_dtype_is_float(n->dtype);
}

bool attr_ints(translator *t, const attr_desc *a, int64_t **out_values, size_t *out_count) {
  size_t n = list_size(a);
  number item;
  bool single = n == SIZE_MAX && attr_number(a, &item);
  if (n == SIZE_MAX && !single)
    return false;
  *out_count = single ? 1 : n;
  *out_values =
      pir_arena_alloc(&t->arena, pir_arena_size(&t->arena, *out_count, sizeof **out_values));
  for (size_t i = 0; i < *out_count; i++) {
    if ((!single && !list_number(a, i, &item)) || is_real(&item))
      return false;
    (*out_values)[i] = item.i;
  }
  return true;
}

int64_t op_int(const op_desc *op, const char *name, int64_t absent) {
  const attr_desc *a = desc_attr(op, name);
  number n;
  return a && attr_number(a, &n) && !is_real(&n) ? n.i : absent;
}

bool op_bool(const op_desc *op, const char *name, bool absent) {
  return op_int(op, name, absent) != 0;
}

// ---- attributes

static pir_attr_kind kind_of_number(const number *n) {
  switch (n->dtype) {
    case PIR_BOOL: return PIR_ATTR_BOOL;
    case PIR_I32: return PIR_ATTR_I32;
    case PIR_I64: return PIR_ATTR_I64;
    case PIR_F32: return PIR_ATTR_F32;
    default: return PIR_ATTR_F64;
  }
}

// Makes a number an attribute of a kind; NONE or SCALAR keeps the number's own kind. NULL if it
// does not fit.
static const pir_attr *attr_of_number(translator *t, pir_attr_kind kind, const number *n) {
  if (kind == PIR_ATTR_NONE || kind == PIR_ATTR_SCALAR)
    kind = kind_of_number(n);
  switch (kind) {
    case PIR_ATTR_F32:
    case PIR_ATTR_F64: return pir_attr_float(t->ctx, kind, n->f);
    case PIR_ATTR_BOOL: return is_real(n) ? NULL : pir_attr_bool(t->ctx, n->i != 0);
    case PIR_ATTR_I32:
      return is_real(n) || n->i != (int32_t)n->i ? NULL : pir_attr_int(t->ctx, kind, n->i);
    case PIR_ATTR_I64:
    case PIR_ATTR_INDEX: return is_real(n) ? NULL : pir_attr_int(t->ctx, kind, n->i);
    default: return NULL;
  }
}

static pir_str bytes_str(const ProtobufCBinaryData *bytes) {
  return (pir_str){(const char *)bytes->data, bytes->len};
}

static const pir_attr *string_list(translator *t, const attr_desc *a) {
  size_t n = a->n_strings;
  const pir_attr **items =
      pir_arena_alloc(&t->arena, pir_arena_size(&t->arena, n, sizeof *items));
  for (size_t i = 0; i < n; i++)
    items[i] = pir_attr_str(t->ctx, PIR_ATTR_STR, bytes_str(&a->strings[i]));
  return pir_attr_array(t->ctx, items, n);
}

static const pir_attr *array_attr(translator *t, const attr_desc *a, pir_attr_kind element) {
  size_t n = list_size(a);
  const pir_attr **items;
  if (a->type == LEGACY__ATTR_TYPE__STRINGS)
    return string_list(t, a);
  if (n == SIZE_MAX)
    return NULL;
  items = pir_arena_alloc(&t->arena, pir_arena_size(&t->arena, n, sizeof *items));
  for (size_t i = 0; i < n; i++) {
    number item;
    items[i] = list_number(a, i, &item) ? attr_of_number(t, element, &item) : NULL;
    if (!items[i])
      return NULL;
  }
  return pir_attr_array(t->ctx, items, n);
}

static const pir_attr *dtype_attr(translator *t, int64_t code) {
  if (code == -1)
    return pir_attr_dtype(t->ctx, PIR_UNDEFINED);
  bool in_range = code >= 0 && code <= 255;
  pir_dtype dtype = in_range ? pir_dtype_from_var_type((int)code) : PIR_DTYPE_NONE;
  return dtype == PIR_DTYPE_NONE ? NULL : pir_attr_dtype(t->ctx, dtype);
}

const pir_attr *convert_attr(translator *t, const attr_desc *a, const pir_attr_def *def) {
  int64_t *ints;
  size_t n;
  number value;
  switch (def->kind) {
    case PIR_ATTR_STR:
      return a->type == LEGACY__ATTR_TYPE__STRING
                 ? pir_attr_str(t->ctx, PIR_ATTR_STR, bytes_str(&a->s))
                 : NULL;
    case PIR_ATTR_ARRAY: return array_attr(t, a, def->element_kind);
    case PIR_ATTR_INT_ARRAY:
      return attr_ints(t, a, &ints, &n) ? pir_attr_int_array(t->ctx, ints, n) : NULL;
    case PIR_ATTR_DTYPE:
      return attr_number(a, &value) && !is_real(&value) ? dtype_attr(t, value.i) : NULL;
    case PIR_ATTR_PLACE: return pir_attr_place(t->ctx, (pir_place){0});
    default: return attr_number(a, &value) ? attr_of_number(t, def->kind, &value) : NULL;
  }
}

static const pir_attr *default_array(translator *t, const pir_attr_def *def) {
  const pir_attr **items;
  if (!def->has_ints)
    return pir_attr_array(t->ctx, NULL, 0);
  items = pir_arena_alloc(&t->arena, pir_arena_size(&t->arena, def->int_count, sizeof *items));
  for (size_t i = 0; i < def->int_count; i++) {
    number item = def->floats ? real(PIR_F64, def->floats[i]) : integer(PIR_I64, def->ints[i]);
    items[i] = attr_of_number(t, def->element_kind, &item);
    if (!items[i])
      return NULL;
  }
  return pir_attr_array(t->ctx, items, def->int_count);
}

const pir_attr *absent_attr(translator *t, const pir_attr_def *def) {
  switch (def->kind) {
    case PIR_ATTR_PLACE: return pir_attr_place(t->ctx, (pir_place){0});
    case PIR_ATTR_DTYPE: return pir_attr_dtype(t->ctx, PIR_UNDEFINED);
    case PIR_ATTR_ARRAY: return default_array(t, def);
    case PIR_ATTR_INT_ARRAY:
      return pir_attr_int_array(t->ctx, def->ints, def->has_ints ? def->int_count : 0);
    case PIR_ATTR_BOOL: return pir_attr_bool(t->ctx, !def->required && def->i);
    default: break;
  }
  if (def->required)
    return NULL;
  switch (def->kind) {
    case PIR_ATTR_I32:
    case PIR_ATTR_I64:
    case PIR_ATTR_INDEX: return pir_attr_int(t->ctx, def->kind, def->i);
    case PIR_ATTR_SCALAR: return pir_attr_float(t->ctx, PIR_ATTR_F32, def->f);
    case PIR_ATTR_F32:
    case PIR_ATTR_F64: return pir_attr_float(t->ctx, def->kind, def->f);
    case PIR_ATTR_STR:
      return pir_attr_str(t->ctx, PIR_ATTR_STR, pir_str_from(def->text ? def->text : ""));
    default: return NULL;
  }
}
