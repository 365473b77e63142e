// Ops that a table row cannot describe, part one: feeds and fetches, constants, assignments,
// arrays. Names of PIR ops appear here because this file maps the names of one format to the
// other's.
#include "special.h"

#include <stdlib.h>
#include <string.h>

// Returns the only variable of a slot; reports if there is not exactly one.
const char *slot_var(translator *t, const slot_desc *slot, const char *name) {
  if (slot && slot->n_arguments == 1)
    return slot->arguments[0];
  (void)FAIL(t, "slot '%s' wants one variable", name);
  return NULL;
}

const char *input_var(translator *t, const op_desc *op, const char *slot) {
  return slot_var(t, desc_input(op, slot), slot);
}

const char *output_var(translator *t, const op_desc *op, const char *slot) {
  return slot_var(t, desc_output(op, slot), slot);
}

pir_value *input_value(translator *t, const op_desc *op, const char *slot) {
  const char *name = input_var(t, op, slot);
  return name ? read_var(t, name) : NULL;
}

const slot_desc *fed_input(const op_desc *op, const char *slot) {
  const slot_desc *s = desc_input(op, slot);
  return s && s->n_arguments ? s : NULL;
}

pir_status emit_bound(translator *t, const char *name, pir_value *const *operands, size_t n,
                      const char *var, const pir_type *type, const pir_named_attr *attrs,
                      size_t attr_count) {
  bind(t, var, pir_op_result(emit(t, name, operands, n, &type, 1, attrs, attr_count), 0), -1);
  return PIR_OK;
}

// ---- feed and fetch

pir_status translate_feed(translator *t, const op_desc *op) {
  const char *out = output_var(t, op, "Out");
  const pir_type *type = out ? name_type(t, out) : NULL;
  pir_named_attr attrs[] = {
      named(t, "name", pir_attr_str(t->ctx, PIR_ATTR_STR, pir_str_from(out ? out : ""))),
      named(t, "col", pir_attr_int(t->ctx, PIR_ATTR_I32, op_int(op, "col", 0)))};
  return type ? emit_bound(t, "pd_op.feed", NULL, 0, out, type, attrs, 2) : PIR_INVALID;
}

pir_status translate_fetch(translator *t, const op_desc *op) {
  const char *in = input_var(t, op, "X");
  pir_value *value = in ? read_var(t, in) : NULL;
  if (!value)
    return PIR_INVALID;
  const pir_type *type = pir_value_type(value);
  pir_named_attr attrs[] = {
      named(t, "name", pir_attr_str(t->ctx, PIR_ATTR_STR, pir_str_from(in))),
      named(t, "col", pir_attr_int(t->ctx, PIR_ATTR_I32, op_int(op, "col", 0)))};
  emit(t, "pd_op.fetch", &value, 1, &type, 1, attrs, 2);
  return PIR_OK;
}

pir_status translate_shadow_output(translator *t, const op_desc *op) {
  const char *in = input_var(t, op, "x");
  const attr_desc *a = desc_attr(op, "name");
  pir_value *value;
  if (!in)
    return PIR_INVALID;
  if (!find_binding(t, in))
    return PIR_OK;
  value = read_var(t, in);
  pir_str name = a && a->type == LEGACY__ATTR_TYPE__STRING
                     ? (pir_str){(const char *)a->s.data, a->s.len}
                     : pir_str_from(in);
  pir_named_attr attr = named(t, "output_name", pir_attr_str(t->ctx, PIR_ATTR_STR, name));
  emit(t, "builtin.shadow_output", &value, 1, NULL, 0, &attr, 1);
  return PIR_OK;
}

// ---- constants

static pir_place fill_place(const op_desc *op) {
  static const int kinds[] = {1, 2, 3, 4};  // cpu, gpu, pinned, xpu
  int64_t type = op_int(op, "place_type", -1);
  if (type < 0 || type > 3)
    return (pir_place){.kind = op_bool(op, "force_cpu", false) ? 1 : 0};
  return (pir_place){.kind = kinds[type]};
}

// The string form takes precedence, as in the kernel: it holds values that `value`, a float,
// cannot.
static number fill_value(translator *t, const op_desc *op) {
  const attr_desc *text = desc_attr(op, "str_value"), *value = desc_attr(op, "value");
  number n = {.f = 0};
  if (text && attr_decimal(t, text, &n))
    return n;
  if (value)
    (void)attr_number(value, &n);
  return n;
}

// Picks the narrowest of f32, f64, i64 that represents the value exactly.
static const pir_attr *fill_attr(translator *t, const number *n) {
  bool in_range = n->f >= -0x1p63 && n->f < 0x1p63;
  if (n->dtype == PIR_I64 && (!in_range || n->i != (int64_t)n->f))
    return pir_attr_int(t->ctx, PIR_ATTR_I64, n->i);
  pir_attr_kind kind =
      n->f == (double)(float)n->f || n->f != n->f ? PIR_ATTR_F32 : PIR_ATTR_F64;
  return pir_attr_float(t->ctx, kind, n->f);
}

// Extents are scalars or vectors of one element; if both occur, the vectors become scalars.
static pir_value *combine_extents(translator *t, const slot_desc *list) {
  size_t n = list->n_arguments, vectors = 0;
  pir_value **values = pir_arena_alloc(&t->arena, pir_arena_size(&t->arena, n, sizeof *values));
  for (size_t i = 0; i < n; i++) {
    values[i] = read_var(t, list->arguments[i]);
    if (!values[i])
      return NULL;
    vectors += pir_type_shape(pir_value_type(values[i])).rank > 0;
  }
  for (size_t i = 0; i < n && vectors < n; i++)
    if (pir_type_shape(pir_value_type(values[i])).rank)
      values[i] = emit_reshape(t, values[i], emit_ints(t, NULL, 0), NULL, 0);
  return emit_combine(t, values, n);
}

static pir_value *fill_shape(translator *t, const op_desc *op) {
  const slot_desc *one = fed_input(op, "ShapeTensor"), *list = fed_input(op, "ShapeTensorList");
  const attr_desc *a = desc_attr(op, "shape");
  int64_t *dims;
  size_t n;
  if (one)
    return read_var(t, one->arguments[0]);
  if (list) {
    pir_value *parts = combine_extents(t, list);
    return parts ? emit_stack(t, parts, list->n_arguments) : NULL;
  }
  if (!a || !attr_ints(t, a, &dims, &n)) {
    (void)FAIL(t, "attribute 'shape' is missing or no list of integers");
    return NULL;
  }
  return emit_ints(t, dims, n);
}

pir_value *emit_stack(translator *t, pir_value *parts, size_t n) {
  const pir_type *part = pir_type_element(pir_value_type(parts), 0);
  pir_shape shape = pir_type_shape(part);
  int64_t dims[PIR_MAX_RANK + 1] = {(int64_t)n};
  if (shape.rank)
    memcpy(dims + 1, shape.dims, shape.rank * sizeof *dims);
  const pir_type *type =
      pir_type_tensor(t->ctx, pir_type_dtype(part), (pir_shape){dims, shape.rank + 1});
  pir_named_attr attrs[] = {named(t, "axis", pir_attr_int(t->ctx, PIR_ATTR_I32, 0)),
                            named(t, "stop_gradient", pir_attr_flag(t->ctx, true))};
  return pir_op_result(emit(t, "pd_op.stack", &parts, 1, &type, 1, attrs, 2), 0);
}

static pir_status fill_dynamic(translator *t, const op_desc *op, const char *out,
                               const pir_type *type, pir_named_attr dtype) {
  const slot_desc *value = fed_input(op, "ValueTensor");
  pir_value *operands[2];
  operands[0] =
      value ? read_var(t, value->arguments[0]) : emit_number(t, fill_value(t, op).f, PIR_F32);
  if (!operands[0])
    return PIR_INVALID;
  operands[1] = fill_shape(t, op);
  if (!operands[1])
    return PIR_INVALID;
  return emit_bound(t, "pd_op.full_with_tensor", operands, 2, out, type, &dtype, 1);
}

pir_status translate_fill_constant(translator *t, const op_desc *op) {
  const char *out = output_var(t, op, "Out");
  const pir_type *type = out ? name_type(t, out) : NULL;
  const attr_desc *shape = desc_attr(op, "shape");
  pir_dtype dtype = pir_dtype_from_var_type((int)(op_int(op, "dtype", 5) & 255));
  number value = fill_value(t, op);
  int64_t *dims;
  size_t n;
  if (!type)
    return PIR_INVALID;
  if (dtype == PIR_DTYPE_NONE)
    return FAIL(t, "attribute 'dtype' is no element type");
  pir_named_attr dtype_attr = named(t, "dtype", pir_attr_dtype(t->ctx, dtype));
  if (fed_input(op, "ValueTensor") || fed_input(op, "ShapeTensor") ||
      fed_input(op, "ShapeTensorList"))
    return fill_dynamic(t, op, out, type, dtype_attr);
  if (!shape || !attr_ints(t, shape, &dims, &n))
    return FAIL(t, "attribute 'shape' is missing or no list of integers");
  pir_named_attr attrs[] = {named(t, "shape", pir_attr_int_array(t->ctx, dims, n)),
                            named(t, "value", fill_attr(t, &value)), dtype_attr,
                            named(t, "place", pir_attr_place(t->ctx, fill_place(op)))};
  return emit_bound(t, "pd_op.full", NULL, 0, out, type, attrs, 4);
}

// Older versions had one list for each kind of number; the first non-empty one counts.
const pir_attr *value_list(translator *t, const op_desc *op) {
  static const char *const lists[] = {"values",       "bool_values",  "fp32_values",
                                      "int32_values", "int64_values", "fp64_values",
                                      "fp16_values"};
  static const pir_attr_def any_list = {
      .name = "values", .kind = PIR_ATTR_ARRAY, .element_kind = PIR_ATTR_NONE};
  const pir_attr *values = NULL;
  for (size_t i = 0;
       i < sizeof lists / sizeof *lists && (!values || !pir_attr_elements(values)); i++) {
    const attr_desc *a = desc_attr(op, lists[i]);
    if (a)
      values = convert_attr(t, a, &any_list);
  }
  return values;
}

pir_status translate_assign_value(translator *t, const op_desc *op) {
  const pir_attr *values = value_list(t, op);
  draft d;
  PIR_TRY(draft_start(&d, t, op));
  PIR_TRY(draft_types(&d));
  if (!values)
    return FAIL(t, "attribute 'values' is missing or no list of numbers");
  PIR_TRY(draft_attrs_but(&d, "values"));
  draft_set(&d, "values", values);
  draft_create(&d);
  return PIR_OK;
}

// A feed of later versions; its place is a number of phi's AllocationType, whose values equal
// the place kinds.
pir_status translate_data(translator *t, const op_desc *op) {
  int64_t kind = op_int(op, "place", 0);
  draft d;
  PIR_TRY(draft_start(&d, t, op));
  PIR_TRY(draft_types(&d));
  PIR_TRY(draft_attrs(&d));
  if (kind >= 0 && kind <= 4)
    draft_set(&d, "place", pir_attr_place(t->ctx, (pir_place){.kind = (int)kind}));
  draft_create(&d);
  return PIR_OK;
}

// Older versions had one name for each kind of number.
pir_status translate_fill_any(translator *t, const op_desc *op) {
  static const char *const names[] = {"value", "value_float", "value_int"};
  number n = {.dtype = PIR_F32};
  draft d;
  bool found = false;
  for (size_t i = 0; i < sizeof names / sizeof *names && !found; i++) {
    const attr_desc *a = desc_attr(op, names[i]);
    found = a && attr_number(a, &n);
  }
  PIR_TRY(draft_start(&d, t, op));
  PIR_TRY(draft_operand(&d, 0));
  d.operands[1] = emit_number(t, n.f, n.dtype);
  PIR_TRY(draft_types(&d));
  PIR_TRY(draft_attrs(&d));
  draft_create(&d);
  return PIR_OK;
}

// ---- assignment and arrays

static bool is_array(const pir_value *value) {
  return pir_type_kind_of(pir_value_type(value)) == PIR_TYPE_TENSOR_ARRAY;
}

pir_status translate_assign(translator *t, const op_desc *op) {
  pir_value *operands[2] = {input_value(t, op, "X"), NULL};
  const char *out = output_var(t, op, "Out");
  const pir_type *type = operands[0] && out ? name_type(t, out) : NULL;
  if (!type)
    return PIR_INVALID;
  if (is_array(operands[0]))
    return emit_bound(t, is_inplace(t, op) ? "pd_op.assign_array_" : "pd_op.assign_array",
                      operands, 1, out, type, NULL, 0);
  if (!find_binding(t, out))
    return emit_bound(t, "pd_op.assign", operands, 1, out, type, NULL, 0);
  operands[1] = read_var(t, out);
  return emit_bound(t, "pd_op.assign_out_", operands, 2, out, type, NULL, 0);
}

pir_status translate_array_write(translator *t, const op_desc *op) {
  const char *out = output_var(t, op, "Out");
  const pir_type *type = out ? name_type(t, out) : NULL;
  pir_value *operands[3];
  if (!type)
    return PIR_INVALID;
  operands[0] = find_binding(t, out) ? read_var(t, out) : emit_array(t, type);
  operands[1] = input_value(t, op, "X");
  operands[2] = operands[1] ? input_value(t, op, "I") : NULL;
  return operands[2] ? emit_bound(t, "pd_op.array_write_", operands, 3, out, type, NULL, 0)
                     : PIR_INVALID;
}

pir_status translate_array_read(translator *t, const op_desc *op) {
  const char *out = output_var(t, op, "Out");
  const pir_type *type = out ? name_type(t, out) : NULL;
  pir_value *operands[2] = {type ? input_value(t, op, "X") : NULL, NULL};
  operands[1] = operands[0] ? input_value(t, op, "I") : NULL;
  return operands[1] ? emit_bound(t, "pd_op.array_read", operands, 2, out, type, NULL, 0)
                     : PIR_INVALID;
}

pir_status translate_array_length(translator *t, const op_desc *op) {
  const char *out = output_var(t, op, "Out");
  const pir_type *type = out ? name_type(t, out) : NULL;
  pir_value *array = type ? input_value(t, op, "X") : NULL;
  return array ? emit_bound(t, "pd_op.array_length", &array, 1, out, type, NULL, 0)
               : PIR_INVALID;
}

// ---- choosing between values

static const pir_type *merge_types(translator *t, const pir_type *a, const pir_type *b) {
  pir_shape x = pir_type_shape(a), y = pir_type_shape(b);
  int64_t dims[PIR_MAX_RANK];
  if (a == b || !pir_type_is_tensor(a) || !pir_type_is_tensor(b) || x.rank != y.rank)
    return a;
  for (size_t i = 0; i < x.rank; i++)
    dims[i] = x.dims[i] == y.dims[i] ? x.dims[i] : -1;
  return pir_type_tensor(t->ctx, pir_type_dtype(a), (pir_shape){dims, x.rank});
}

pir_status translate_select_input(translator *t, const op_desc *op) {
  const slot_desc *x = fed_input(op, "X");
  const char *out = output_var(t, op, "Out");
  pir_value *operands[3] = {input_value(t, op, "Mask")};
  if (!operands[0] || !out)
    return PIR_INVALID;
  if (!x || x->n_arguments != 2)
    return FAIL(t, "slot 'X' wants two variables");
  for (size_t i = 0; i < 2; i++) {
    operands[i + 1] = read_var(t, x->arguments[i]);
    if (!operands[i + 1])
      return PIR_INVALID;
  }
  const pir_type *type =
      merge_types(t, pir_value_type(operands[1]), pir_value_type(operands[2]));
  return emit_bound(t, "pd_op.select_input", operands, 3, out, type, NULL, 0);
}

pir_status translate_share_buffer(translator *t, const op_desc *op) {
  const char *out = output_var(t, op, "Out");
  const pir_type *type = out ? name_type(t, out) : NULL;
  pir_value *x = type ? input_value(t, op, "X") : NULL;
  return x ? emit_bound(t, "pd_op.share_data_", &x, 1, out, type, NULL, 0) : PIR_INVALID;
}

// Ops that exist only in-place.
pir_status translate_in_place(translator *t, const op_desc *op) {
  draft d;
  PIR_TRY(draft_start(&d, t, op));
  if (d.row && d.row->twin)
    d.def = d.row->twin;
  return draft_finish(&d);
}

// Fusions that belong to oneDNN, whatever `use_mkldnn` states.
pir_status translate_onednn(translator *t, const op_desc *op) {
  const pir_opdef *def;
  draft d;
  PIR_TRY(draft_start(&d, t, op));
  def = registered_def(t, "onednn_op", strchr(d.def->name, '.'));
  if (def)
    d.def = def;
  return draft_finish(&d);
}

pir_status translate_select_output(translator *t, const op_desc *op) {
  const slot_desc *out = desc_output(op, "Out");
  pir_value *operands[2] = {input_value(t, op, "Mask"), NULL};
  const pir_type *types[2];
  operands[1] = operands[0] ? input_value(t, op, "X") : NULL;
  if (!operands[1])
    return PIR_INVALID;
  if (!out || out->n_arguments != 2)
    return FAIL(t, "slot 'Out' wants two variables");
  for (size_t i = 0; i < 2; i++) {
    types[i] = name_type(t, out->arguments[i]);
    if (!types[i])
      return PIR_INVALID;
  }
  pir_op *result = emit(t, "pd_op.select_output", operands, 2, types, 2, NULL, 0);
  for (size_t i = 0; i < 2; i++)
    bind(t, out->arguments[i], pir_op_result(result, i), -1);
  return PIR_OK;
}
