// Ops that need more than their row: structural ops without a legacy op, inputs and outputs,
// constants, arrays, and PIR ops that share a legacy op and differ in an attribute.
#include <math.h>
#include <string.h>

#include <pir/compiler/dialect/builtin.h>
#include <pir/compiler/dialect/cf.h>
#include <pir/compiler/dialect/pd_op.h>

#include <strbuf.h>

#include "export.h"

// ---- structure: no op, only who holds what

static pir_status nothing(exporter *x, const pir_op *op) {
  return PIR_OK;
}

static pir_status export_combine(exporter *x, const pir_op *op) {
  size_t n = pir_op_operands(op);
  holder *h = holder_new(x, n);
  for (size_t i = 0; i < n; i++) {
    const pir_value *value = pir_op_operand(op, i);
    if (value && !(h->vars[i] = value_var(x, value)))
      return PIR_UNSUPPORTED;
  }
  holder_set(x, pir_op_result(op, 0), h);
  return PIR_OK;
}

static holder *list_holder(exporter *x, const pir_op *op) {
  const pir_value *value = pir_op_operands(op) == 1 ? pir_op_operand(op, 0) : NULL;
  holder *h = value ? holder_of(x, value) : NULL;
  if (!h)
    (void)export_unsupported(x, "a list that no op makes");
  return h;
}

static pir_status export_split(exporter *x, const pir_op *op) {
  holder *h = list_holder(x, op);
  if (!h)
    return PIR_UNSUPPORTED;
  for (size_t i = 0; i < pir_op_results(op) && i < h->count; i++)
    if (h->vars[i])
      holder_set_var(x, pir_op_result(op, i), h->vars[i]);
  return PIR_OK;
}

static pir_status export_slice(exporter *x, const pir_op *op) {
  holder *h = list_holder(x, op);
  int64_t i = pir_op_int(op, BUILTIN_SLICE_ATTR_INDEX);
  if (!h)
    return PIR_UNSUPPORTED;
  if (i < 0 || (uint64_t)i >= h->count || !h->vars[i])
    return export_unsupported(x, "a member that the list has not");
  holder_set_var(x, pir_op_result(op, 0), h->vars[i]);
  return PIR_OK;
}

// ---- inputs and outputs

static pir_str attr_text(const pir_op *op, size_t i) {
  const pir_attr *a = pir_op_attr_at(op, i);
  return a ? pir_attr_as_str(a) : PIR_STR("");
}

static out_var *declare_input(exporter *x, const pir_op *op, pir_str name) {
  const pir_type *type = input_type(x, pir_op_result(op, 0));
  const uint64_t *known = pir_map_find(&x->inputs, pir_name_get(x->ctx, name));
  out_var *var = known ? (out_var *)(uintptr_t)*known : NULL;
  if (!known || (var && var->type != type)) {
    const char *why = known ? "the name of an input of another type" : "no name of an input";
    (void)export_unsupported(x, "'%.*s' is %s", (int)name.size, name.data, why);
    return NULL;
  }
  if (!var)
    var = var_declare(x, copy_text(x, name), type);
  if (!var)
    return NULL;
  pir_map_put(&x->arena, &x->inputs, pir_name_get(x->ctx, name), (uint64_t)(uintptr_t)var);
  holder_set_var(x, pir_op_result(op, 0), var);
  var_set_stop(var, op, 0);
  return var;
}

static pir_status feed_var(exporter *x, out_var *var, int64_t col) {
  out_op *o = op_open(x, "feed");
  op_input(x, o, "X", &x->feed, 1);
  op_output(x, o, "Out", &var, 1);
  op_set_int(x, o, "col", (int32_t)col);
  op_close(x, o);
  return PIR_OK;
}

static bool says_persistable(const pir_op *op) {
  const pir_attr *flags = pir_op_attr_str(op, "persistable");
  int64_t value = 0;
  if (!flags || pir_attr_kind_of(flags) != PIR_ATTR_ARRAY || !pir_attr_elements(flags))
    return false;
  return pir_attr_as_int(pir_attr_element(flags, 0), &value) && value;
}

static pir_status export_data(exporter *x, const pir_op *op) {
  if (holder_of(x, pir_op_result(op, 0)))
    return PIR_OK;  // it stands for what an op before it gave out
  out_var *var = declare_input(x, op, attr_text(op, PD_DATA_ATTR_NAME));
  if (!var)
    return PIR_UNSUPPORTED;
  if (var->desc->has_need_check_feed)
    return PIR_OK;             // an input that stands twice
  if (says_persistable(op)) {  // it is not fed, but kept between runs
    var->desc->persistable = true;
    return PIR_OK;
  }
  var->desc->has_need_check_feed = true;
  var->desc->need_check_feed = true;
  return x->plain_inputs ? PIR_OK : feed_var(x, var, x->feeds++);
}

static pir_status export_feed(exporter *x, const pir_op *op) {
  out_var *var = declare_input(x, op, attr_text(op, PD_FEED_ATTR_NAME));
  if (!var)
    return PIR_UNSUPPORTED;
  var->desc->has_need_check_feed = true;
  var->desc->need_check_feed = true;
  return feed_var(x, var, pir_op_int(op, PD_FEED_ATTR_COL));
}

// Returns the output variable `name`: the value's own, or a copy if the value has another name.
static out_var *named_output(exporter *x, const pir_value *value, pir_str name) {
  out_var *var = value_var(x, value), *copy;
  if (!var || pir_str_equal(pir_str_from(var->name), name) || !name_take(x, name))
    return var;
  copy = var_declare(x, copy_text(x, name), pir_value_type(value));
  if (copy)
    op_assign(x, var, copy);
  return copy;
}

static pir_status export_fetch(exporter *x, const pir_op *op) {
  out_var *var =
      named_output(x, pir_op_operand(op, PD_FETCH_IN_X), attr_text(op, PD_FETCH_ATTR_NAME));
  out_op *o;
  if (!var)
    return PIR_UNSUPPORTED;
  o = op_open(x, "fetch");
  op_input(x, o, "X", &var, 1);
  op_output(x, o, "Out", &x->fetch, 1);
  op_set_int(x, o, "col", (int32_t)pir_op_int(op, PD_FETCH_ATTR_COL));
  op_close(x, o);
  if (pir_op_results(op) == 1)
    holder_set_var(x, pir_op_result(op, 0), var);
  return PIR_OK;
}

static pir_status export_shadow_output(exporter *x, const pir_op *op) {
  pir_str name = attr_text(op, BUILTIN_SHADOW_OUTPUT_ATTR_OUTPUT_NAME);
  const pir_value *value = pir_op_operand(op, BUILTIN_SHADOW_OUTPUT_IN_X);
  out_var *var = named_output(x, value, name), *out;
  out_op *o;
  if (!var)
    return PIR_UNSUPPORTED;
  out = var_declare(x, name_make(x, "shadow_output", 0), pir_value_type(value));
  if (!out)
    return PIR_UNSUPPORTED;
  o = op_open(x, "shadow_output");
  op_input(x, o, "x", &var, 1);
  op_output(x, o, "out", &out, 1);
  op_set_text(x, o, "name", name);
  op_close(x, o);
  return PIR_OK;
}

static pir_status export_set_parameter(exporter *x, const pir_op *op) {
  pir_str name = attr_text(op, BUILTIN_SET_PARAMETER_ATTR_PARAMETER_NAME);
  out_var *to = pir_map_get(&x->parameters, pir_name_get(x->ctx, name));
  out_var *from = value_var(x, pir_op_operand(op, BUILTIN_SET_PARAMETER_IN_PARAMETER));
  if (!from || !to)
    return PIR_UNSUPPORTED;
  if (from != to)
    op_assign(x, from, to);
  return PIR_OK;
}

// ---- constants

static pir_status add_fill(exporter *x, out_op *o, const pir_attr *value, pir_dtype dtype) {
  double f;
  int64_t i = 0;
  if (pir_attr_kind_of(value) == PIR_ATTR_SCALAR)
    value = pir_attr_element(value, 0);
  if (!pir_attr_as_float(value, &f))
    return export_unsupported(x, "a constant that is no real number");
  pir_attr_kind kind = pir_attr_kind_of(value);
  bool is_int = kind != PIR_ATTR_F32 && kind != PIR_ATTR_F64 && pir_attr_as_int(value, &i);
  if (!is_int && !pir_dtype_is_float(dtype) && fabs(f) < 0x1p53 && f == floor(f)) {
    is_int = true;
    i = (int64_t)f;
  }
  op_set_float(x, o, "value", f);
  // Writes the string form, which is exact where the float is not, and which old readers
  // require for integers.
  if (is_int || (double)(float)f != f)
    (void)op_set_number(x, o, "str_value", PIR_ATTR_STR, f, i, is_int);
  else
    op_set_text(x, o, "str_value", PIR_STR(""));
  op_set_int(x, o, "dtype", pir_dtype_var_type(dtype));
  return PIR_OK;
}

static void add_place(exporter *x, out_op *o, const pir_attr *place) {
  int kind = place ? pir_attr_as_place(place).kind : 0;
  op_set_bool(x, o, "force_cpu", kind == 1);
  op_set_int(x, o, "place_type", kind >= 1 && kind <= 4 ? kind - 1 : -1);
}

static pir_status export_full(exporter *x, const pir_op *op) {
  const pir_attr *value = pir_op_attr_at(op, PD_FULL_ATTR_VALUE),
                 *shape = pir_op_attr_at(op, PD_FULL_ATTR_SHAPE);
  pir_value *result = pir_op_result(op, 0);
  out_op *o;
  if (!constant_needed(x, result))
    return PIR_OK;
  o = op_open(x, "fill_constant");
  if (!value || !shape)
    return export_unsupported(x, "a constant without a value or a shape");
  PIR_TRY(add_fill(x, o, value, (pir_dtype)pir_op_int(op, PD_FULL_ATTR_DTYPE)));
  if (!op_set_attr(x, o, "shape", (pir_legacy_kind){PIR_ATTR_ARRAY, PIR_ATTR_I64}, shape))
    return export_unsupported(x, "a constant of an unknown shape");
  add_place(x, o, pir_op_attr_at(op, PD_FULL_ATTR_PLACE));
  PIR_TRY(export_output(x, result, NULL, o, "Out"));
  op_close(x, o);
  return PIR_OK;
}

// Writes `assign_value`: the newer op is not in older versions, and Paddle's own reader of it
// crashes.
static pir_status export_full_int_array(exporter *x, const pir_op *op) {
  const pir_attr *values = pir_op_attr_at(op, PD_FULL_INT_ARRAY_ATTR_VALUE);
  out_op *o;
  if (!constant_needed(x, pir_op_result(op, 0)))
    return PIR_OK;
  o = op_open(x, "assign_value");
  int64_t n = values ? (int64_t)pir_attr_elements(values) : 0;
  if (!values ||
      !op_set_attr(x, o, "values", (pir_legacy_kind){PIR_ATTR_ARRAY, PIR_ATTR_SCALAR}, values))
    return export_unsupported(x, "constants that are no integers");
  if (!op_set_ints(x, o, "shape", PIR_ATTR_I32, &n, 1))
    return export_unsupported(x, "2^31 constants");
  op_set_int(x, o, "dtype",
             pir_dtype_var_type((pir_dtype)pir_op_int(op, PD_FULL_INT_ARRAY_ATTR_DTYPE)));
  PIR_TRY(export_output(x, pir_op_result(op, 0), NULL, o, "Out"));
  op_close(x, o);
  return PIR_OK;
}

// Fills an existing variable.
static pir_status export_full_over(exporter *x, const pir_op *op) {
  const pir_attr *value = pir_op_attr_at(op, PD_FULL__ATTR_VALUE),
                 *shape = pir_op_attr_at(op, PD_FULL__ATTR_SHAPE);
  holder *over = pir_op_operand(op, 0) ? holder_of(x, pir_op_operand(op, 0)) : NULL;
  out_op *o = op_open(x, "fill_constant");
  if (!value || !shape ||
      !op_set_attr(x, o, "shape", (pir_legacy_kind){PIR_ATTR_ARRAY, PIR_ATTR_I64}, shape))
    return export_unsupported(x, "a constant without a value or a shape");
  PIR_TRY(add_fill(x, o, value, (pir_dtype)pir_op_int(op, PD_FULL__ATTR_DTYPE)));
  add_place(x, o, pir_op_attr_at(op, PD_FULL__ATTR_PLACE));
  PIR_TRY(export_output(x, pir_op_result(op, 0), over, o, "Out"));
  op_close(x, o);
  return PIR_OK;
}

// `value` and `shape` may both come as tensors. Without a tensor of either the reader would see
// a plain constant.
static pir_status export_full_with_tensor(exporter *x, const pir_op *op) {
  const pir_value *value = pir_op_operand(op, PD_FULL_WITH_TENSOR_IN_VALUE);
  bool folds = operand_folds(x, op, PD_FULL_WITH_TENSOR_IN_VALUE);
  pir_dtype dtype = (pir_dtype)pir_op_int(op, PD_FULL_WITH_TENSOR_ATTR_DTYPE);
  out_op *o = op_open(x, "fill_constant");
  const pir_attr *filling =
      folds ? pir_op_attr_at(pir_value_op(value), PD_FULL_ATTR_VALUE) : NULL;
  if (!filling)
    filling = pir_attr_float(x->ctx, PIR_ATTR_F64, 0);
  if (!folds)
    PIR_TRY(export_input(x, value, o, "ValueTensor"));
  PIR_TRY(add_fill(x, o, filling, dtype));
  if (!folds)
    op_set_text(x, o, "str_value", PIR_STR(""));
  add_place(x, o, NULL);
  pir_shape known = pir_type_shape(pir_value_type(pir_op_result(op, 0)));
  if (!operand_folds(x, op,
                     PD_FULL_WITH_TENSOR_IN_SHAPE))  // its known extents, as Paddle writes them
    (void)op_set_ints(x, o, "shape", PIR_ATTR_I64, known.dims, known.rank);
  PIR_TRY(export_operand(x, op, PD_FULL_WITH_TENSOR_IN_SHAPE, o));
  op_set_int(x, o, "dtype", pir_dtype_var_type(dtype));
  PIR_TRY(export_output(x, pir_op_result(op, 0), NULL, o, "Out"));
  op_close(x, o);
  return PIR_OK;
}

static pir_status export_assign_value(exporter *x, const pir_op *op) {
  const pir_attr *values =
      pir_op_attr_at(op, pir_opdef_attr(pir_op_def(op), PIR_STR("values")));
  holder *over =
      pir_op_operands(op) && pir_op_operand(op, 0) ? holder_of(x, pir_op_operand(op, 0)) : NULL;
  out_op *o = op_open(x, "assign_value");
  if (!values ||
      !op_set_attr(x, o, "values", (pir_legacy_kind){PIR_ATTR_ARRAY, PIR_ATTR_SCALAR}, values))
    return export_unsupported(x, "constants that are no real numbers");
  for (size_t i = 0; i < pir_op_def(op)->attr_count; i++) {
    const pir_attr_def *def = &pir_op_def(op)->attrs[i];
    const pir_attr *value = pir_op_attr_at(op, i);
    if (!value || value == values || def->kind == PIR_ATTR_PLACE)
      continue;
    if (!op_set_attr(x, o, def->name, (pir_legacy_kind){def->kind, def->element_kind}, value))
      return export_unsupported(x, "attribute '%s' does not fit", def->name);
  }
  PIR_TRY(export_output(x, pir_op_result(op, 0), over, o, "Out"));
  op_close(x, o);
  return PIR_OK;
}

// ---- assignment, arrays, choices

// Writes an op with inputs in order and one output; `shared` is the operand whose variable it
// overwrites, or -1.
static pir_status simple(exporter *x, const pir_op *op, const char *type,
                         const char *const *slots, int shared) {
  out_op *o = op_open(x, type);
  for (size_t i = 0; slots[i]; i++)
    if (*slots[i])
      PIR_TRY(export_input(x, pir_op_operand(op, i), o, slots[i]));
  holder *h = shared >= 0 ? holder_of(x, pir_op_operand(op, (size_t)shared)) : NULL;
  PIR_TRY(export_output(x, pir_op_result(op, 0), h, o, "Out"));
  op_close(x, o);
  return PIR_OK;
}

// Writes a gradient that passes unchanged.
static pir_status export_passed(exporter *x, const pir_op *op) {
  return simple(x, op, "assign", (const char *const[]){"X", NULL}, -1);
}

static pir_status export_assign(exporter *x, const pir_op *op) {
  int shared = -1;
  if (pir_op_has(op, PIR_INPLACE))
    shared = pir_op_operands(op) > 1;
  return simple(x, op, "assign", (const char *const[]){"X", NULL}, shared);
}

// An array needs no op: its first writer creates the variable.
static pir_status export_create_array(exporter *x, const pir_op *op) {
  return define(x, pir_op_result(op, 0), NULL) ? PIR_OK : PIR_UNSUPPORTED;
}

static pir_status export_array_write(exporter *x, const pir_op *op) {
  out_var *array = value_var(x, pir_op_operand(op, PD_ARRAY_WRITE__IN_ARRAY));
  out_op *o = op_open(x, "write_to_array");
  if (!array)
    return PIR_UNSUPPORTED;
  PIR_TRY(export_input(x, pir_op_operand(op, PD_ARRAY_WRITE__IN_X), o, "X"));
  PIR_TRY(export_input(x, pir_op_operand(op, PD_ARRAY_WRITE__IN_I), o, "I"));
  PIR_TRY(
      export_output(x, pir_op_result(op, 0), holder_of(x, pir_op_operand(op, 0)), o, "Out"));
  pir_vec_push(&x->arena, &o->read, array);  // it keeps its content
  op_close(x, o);
  return PIR_OK;
}

static pir_status export_array_read(exporter *x, const pir_op *op) {
  return simple(x, op, "read_from_array", (const char *const[]){"X", "I", NULL}, -1);
}

static pir_status export_array_length(exporter *x, const pir_op *op) {
  return simple(x, op, "lod_array_length", (const char *const[]){"X", NULL}, -1);
}

static void one_int(exporter *x, out_op *o, const char *name, int64_t value) {
  (void)op_set_ints(x, o, name, PIR_ATTR_I32, &value, 1);
}

static void no_ints(exporter *x, out_op *o, const char *name, uint8_t element_kind) {
  static const int64_t none;
  (void)op_set_ints(x, o, name, element_kind, &none, 0);
}

// Writes `slice` of an array; a dense result is a single member.
static pir_status export_slice_array(exporter *x, const pir_op *op) {
  bool dense = pir_op_is(op, PD_SLICE_ARRAY_DENSE);
  literal start;
  out_op *o = op_open(x, "slice");
  PIR_TRY(export_input(x, pir_op_operand(op, 0), o, "Input"));
  for (size_t i = 1; i < pir_op_operands(op); i++)
    PIR_TRY(export_operand(x, op, i, o));
  one_int(x, o, "axes", 0);
  one_int(x, o, "infer_flags", 1);
  no_ints(x, o, "decrease_axis", PIR_ATTR_I32);
  if (dense) {
    if (!literal_of(x, pir_op_operand(op, 1), true, &start) || start.count != 1 ||
        start.ints[0] >= INT32_MAX || start.ints[0] < INT32_MIN)
      return export_unsupported(x, "a member of an array by a number that is no constant");
    one_int(x, o, "ends", start.ints[0] + 1);
    one_int(x, o, "decrease_axis", 0);
  }
  PIR_TRY(export_output(x, pir_op_result(op, 0), NULL, o, "Out"));
  op_close(x, o);
  return PIR_OK;
}

static pir_status export_select_input(exporter *x, const pir_op *op) {
  size_t n = pir_op_operands(op);
  out_op *o = op_open(x, "select_input");
  if (n < 2)
    return export_unsupported(x, "a choice between fewer than two values");
  PIR_TRY(export_input(x, pir_op_operand(op, 0), o, "Mask"));
  holder *h = holder_new(x, n - 1);
  for (size_t i = 1; i < n; i++)
    if (!(h->vars[i - 1] = value_var(x, pir_op_operand(op, i))))
      return PIR_UNSUPPORTED;
  op_input(x, o, "X", h->vars, n - 1);
  PIR_TRY(export_output(x, pir_op_result(op, 0), NULL, o, "Out"));
  op_close(x, o);
  return PIR_OK;
}

static pir_status export_select_output(exporter *x, const pir_op *op) {
  size_t n = pir_op_results(op);
  out_op *o = op_open(x, "select_output");
  holder *h = holder_new(x, n);
  PIR_TRY(export_input(x, pir_op_operand(op, 0), o, "Mask"));
  PIR_TRY(export_input(x, pir_op_operand(op, 1), o, "X"));
  for (size_t i = 0; i < n; i++) {
    holder *one = define(x, pir_op_result(op, i), NULL);
    if (!one)
      return PIR_UNSUPPORTED;
    h->vars[i] = one->vars[0];
  }
  op_output(x, o, "Out", h->vars, n);
  op_close(x, o);
  return PIR_OK;
}

// ---- one old op, told apart by attributes the new ones do not have

static int32_t dtype_code(const pir_value *value) {
  return pir_dtype_var_type(pir_type_dtype(pir_value_type(value)));
}

// Old programs have only the 32-bit op; extents of a tensor fit. It has no kernels for 16-bit
// floats.
static pir_status export_shape64(exporter *x, const pir_op *op) {
  pir_value *result = pir_op_result(op, 0);
  pir_dtype dtype = pir_type_dtype(pir_value_type(pir_op_operand(op, 0)));
  if (dtype == PIR_F16 || dtype == PIR_BF16)
    return export_generic(x, op);
  out_var *narrow =
      var_declare(x, name_make(x, "shape", 0),
                  pir_type_tensor(x->ctx, PIR_I32, pir_type_shape(pir_value_type(result))));
  out_op *o = op_open(x, "shape");
  if (!narrow)
    return PIR_UNSUPPORTED;
  PIR_TRY(export_input(x, pir_op_operand(op, 0), o, "Input"));
  op_output(x, o, "Out", &narrow, 1);
  op_close(x, o);
  o = op_open(x, "cast");
  op_input(x, o, "X", &narrow, 1);
  op_set_int(x, o, "in_dtype", pir_dtype_var_type(PIR_I32));
  op_set_int(x, o, "out_dtype", pir_dtype_var_type(PIR_I64));
  PIR_TRY(export_output(x, result, NULL, o, "Out"));
  op_close(x, o);
  return PIR_OK;
}

// oneDNN's data types, which are carried along.
static void write_onednn_types(exporter *x, const pir_op *op, out_op *o) {
  static const char *const names[] = {"mkldnn_data_type", "onednn_data_type"};
  for (size_t i = 0; i < 2; i++) {
    const pir_attr *value = pir_op_attr_str(op, names[i]);
    if (value && pir_attr_kind_of(value) == PIR_ATTR_STR)
      op_set_text(x, o, names[i], pir_attr_as_str(value));
  }
}

// Writes a constant whose element type differs from its attribute.
static out_var *filled(exporter *x, const pir_value *value, pir_dtype dtype) {
  const pir_op *op = pir_value_op(value);
  out_op *o = op_open(x, "fill_constant");
  out_var *var =
      var_declare(x, name_make(x, "full", 0),
                  pir_type_tensor(x->ctx, dtype, pir_type_shape(pir_value_type(value))));
  if (!var || add_fill(x, o, pir_op_attr_at(op, PD_FULL_ATTR_VALUE), dtype))
    return NULL;
  (void)op_set_attr(x, o, "shape", (pir_legacy_kind){PIR_ATTR_ARRAY, PIR_ATTR_I64},
                    pir_op_attr_at(op, PD_FULL_ATTR_SHAPE));
  add_place(x, o, pir_op_attr_at(op, PD_FULL_ATTR_PLACE));
  op_output(x, o, "Out", &var, 1);
  op_close(x, o);
  return var;
}

static out_var *converted(exporter *x, const pir_value *value, pir_dtype dtype) {
  out_var *from = value_var(x, value), *var;
  out_op *o;
  if (!from || pir_type_dtype(pir_value_type(value)) == dtype)
    return from;
  var = var_declare(x, name_make(x, "cast", 0),
                    pir_type_tensor(x->ctx, dtype, pir_type_shape(pir_value_type(value))));
  if (!var)
    return NULL;
  o = op_open(x, "cast");
  op_input(x, o, "X", &from, 1);
  op_output(x, o, "Out", &var, 1);
  op_set_int(x, o, "in_dtype", dtype_code(value));
  op_set_int(x, o, "out_dtype", pir_dtype_var_type(dtype));
  op_close(x, o);
  return var;
}

static pir_status export_cast(exporter *x, const pir_op *op) {
  out_op *o;
  PIR_TRY(export_as(x, op, row_of(op)->name, &o));
  write_onednn_types(x, op, o);
  op_set_int(x, o, "in_dtype", dtype_code(pir_op_operand(op, 0)));
  op_close(x, o);
  return PIR_OK;
}

// An empty list of axes means all axes, which old reductions express by a flag.
static pir_status export_reduce(exporter *x, const pir_op *op) {
  int operand = pir_opdef_operand(pir_op_def(op), PIR_STR("axis")),
      attr = pir_opdef_attr(pir_op_def(op), PIR_STR("axis"));
  const pir_attr *axes = attr >= 0 ? pir_op_attr_at(op, (size_t)attr) : NULL;
  literal v = {.count = 1};
  out_op *o;
  PIR_TRY(export_as(x, op, row_of(op)->name, &o));
  if (operand >= 0)
    (void)literal_of(x, pir_op_operand(op, (size_t)operand), true, &v);
  else
    v.count = axes ? pir_attr_elements(axes) : 0;
  op_set_bool(x, o, "reduce_all", v.count == 0 && (operand < 0 || v.ints));
  op_close(x, o);
  return PIR_OK;
}

static pir_status export_parts(exporter *x, const pir_op *op) {
  out_op *o;
  PIR_TRY(export_as(x, op, "split", &o));
  if (!op_has_attr(o, "sections"))
    no_ints(x, o, "sections", PIR_ATTR_I32);
  write_onednn_types(x, op, o);
  op_close(x, o);
  return PIR_OK;
}

static pir_status export_triangle(exporter *x, const pir_op *op) {
  bool lower = pir_op_is(op, PD_TRIL) || pir_op_is(op, PD_TRIL_) || pir_op_is(op, PD_TRIL_GRAD);
  bool grad = pir_op_is(op, PD_TRIL_GRAD) || pir_op_is(op, PD_TRIU_GRAD);
  out_op *o;
  PIR_TRY(export_as(x, op, grad ? "tril_triu_grad" : "tril_triu", &o));
  op_set_bool(x, o, "lower", lower);
  op_close(x, o);
  return PIR_OK;
}

static pir_status export_set_value(exporter *x, const pir_op *op) {
  out_op *o;
  PIR_TRY(export_as(x, op, "set_value", &o));
  op_set_int(x, o, "dtype", dtype_code(pir_op_operand(op, 0)));
  if (!op_has_input(o, "ValueTensor"))
    op_input(x, o, "ValueTensor", NULL, 0);
  if (!op_has_attr(o, "shape"))
    no_ints(x, o, "shape", PIR_ATTR_I64);
  if (!op_has_attr(o, "values"))
    (void)op_set_attr(x, o, "values", (pir_legacy_kind){PIR_ATTR_ARRAY, PIR_ATTR_SCALAR},
                      pir_attr_array(x->ctx, NULL, 0));
  op_close(x, o);
  return PIR_OK;
}

static pir_status export_under(exporter *x, const pir_op *op, const char *type) {
  out_op *o;
  PIR_TRY(export_as(x, op, type, &o));
  op_close(x, o);
  return PIR_OK;
}

static pir_status export_repeat_by_tensor(exporter *x, const pir_op *op) {
  bool grad = pir_op_is(op, PD_REPEAT_INTERLEAVE_WITH_TENSOR_INDEX_GRAD);
  return export_under(x, op, grad ? "repeat_interleave_grad" : "repeat_interleave");
}

// Writes the number that the legacy op takes as an attribute.
static pir_status export_rank_by_tolerance(exporter *x, const pir_op *op) {
  out_op *o;
  PIR_TRY(export_as(x, op, "matrix_rank", &o));
  op_set_float(x, o, "tol", 0);
  op_close(x, o);
  return PIR_OK;
}

static pir_status export_set_value_grad(exporter *x, const pir_op *op) {
  return export_under(x, op, "set_value_grad");
}

// The legacy op needs no statement of known extents, because any may be unknown.
static pir_status export_strided_slice(exporter *x, const pir_op *op) {
  const pir_attr *axes = pir_op_attr_str(op, "axes");
  size_t n = axes ? pir_attr_elements(axes) : 0;
  int64_t ones[PIR_MAX_RANK];
  out_op *o;
  if (n > PIR_MAX_RANK)
    return export_unsupported(x, "more axes than a tensor has");
  for (size_t i = 0; i < n; i++)
    ones[i] = 1;
  PIR_TRY(export_as(x, op, row_of(op)->name, &o));
  (void)op_set_ints(x, o, "infer_flags", PIR_ATTR_I32, ones, n);
  (void)op_set_ints(x, o, "decrease_axis", PIR_ATTR_I32, ones, 0);
  op_close(x, o);
  return PIR_OK;
}

// The legacy op updates its statistics in place, so it gets copies.
static pir_status export_batch_norm(exporter *x, const pir_op *op) {
  static const size_t pairs[][2] = {
      {PD_BATCH_NORM_IN_MEAN, PD_BATCH_NORM_OUT_MEAN_OUT},
      {PD_BATCH_NORM_IN_VARIANCE, PD_BATCH_NORM_OUT_VARIANCE_OUT}};
  const pir_legacy_op *row = row_of(op);
  out_op *o = op_open(x, row->name);
  for (size_t i = 0; i < 2; i++) {
    out_var *from = value_var(x, pir_op_operand(op, pairs[i][0]));
    holder *to = from ? define(x, pir_op_result(op, pairs[i][1]), NULL) : NULL;
    if (!to)
      return PIR_UNSUPPORTED;
    op_assign(x, from, to->vars[0]);
    op_input(x, o, row->operands[pairs[i][0]], to->vars, 1);
    op_output(x, o, row->results[pairs[i][1]], to->vars, 1);
  }
  for (size_t i = 0; i < pir_op_operands(op); i++)
    if (i != pairs[0][0] && i != pairs[1][0])
      PIR_TRY(export_operand(x, op, i, o));
  for (size_t i = 0; i < pir_op_results(op); i++)
    if (i != pairs[0][1] && i != pairs[1][1] && pir_value_type(pir_op_result(op, i)))
      PIR_TRY(export_output(x, pir_op_result(op, i), NULL, o, row->results[i]));
  PIR_TRY(export_attrs(x, op, o));
  op_close(x, o);
  return PIR_OK;
}

// Dropout's state starts as zeros, which the legacy op ensures by itself.
static pir_status export_rnn(exporter *x, const pir_op *op) {
  out_op *o = op_open(x, row_of(op)->name);
  for (size_t i = 0; i < pir_op_operands(op); i++)
    if (i != PD_RNN_IN_DROPOUT_STATE_IN)
      PIR_TRY(export_operand(x, op, i, o));
  PIR_TRY(export_results(x, op, o));
  PIR_TRY(export_attrs(x, op, o));
  op_close(x, o);
  return PIR_OK;
}

// The legacy op takes its element type from its operands.
static pir_status export_range(exporter *x, const pir_op *op) {
  static const char *const slots[] = {"Start", "End", "Step"};
  pir_dtype dtype = (pir_dtype)pir_op_int(op, PD_ARANGE_ATTR_DTYPE);
  out_op *o = op_open(x, "range");
  for (size_t i = 0; i < 3; i++) {
    out_var *var = operand_folds(x, op, i) ? filled(x, pir_op_operand(op, i), dtype)
                                           : converted(x, pir_op_operand(op, i), dtype);
    if (!var)
      return PIR_UNSUPPORTED;
    op_input(x, o, slots[i], &var, 1);
  }
  PIR_TRY(export_output(x, pir_op_result(op, 0), NULL, o, "Out"));
  op_close(x, o);
  return PIR_OK;
}

// Without a mask, the first version of the op is written.
static pir_status export_deformable(exporter *x, const pir_op *op) {
  out_op *o;
  PIR_TRY(export_as(x, op,
                    pir_op_operand(op, PD_DEFORMABLE_CONV_IN_MASK) ? row_of(op)->name
                                                                   : "deformable_conv_v1",
                    &o));
  op_close(x, o);
  return PIR_OK;
}

// Structure, control flow, inputs and outputs.
static export_fn find_frame(const pir_op *op) {
  switch (pir_op_def(op)->id) {
    case BUILTIN_PARAMETER:
    case BUILTIN_CONSTANT:
    case CF_YIELD:
    case CF_STACK_CREATE: return nothing;
    case BUILTIN_COMBINE: return export_combine;
    case BUILTIN_SPLIT: return export_split;
    case BUILTIN_SLICE: return export_slice;
    case BUILTIN_SET_PARAMETER: return export_set_parameter;
    case BUILTIN_SHADOW_OUTPUT: return export_shadow_output;
    case CF_TUPLE_PUSH: return export_push;
    case CF_TUPLE_POP: return export_pop;
    case PD_IF: return export_if;
    case PD_WHILE: return export_while;
    case PD_DATA: return export_data;
    case PD_FEED: return export_feed;
    case PD_FETCH: return export_fetch;
    default: return NULL;
  }
}

export_fn find_export(const pir_op *op) {
  export_fn frame = find_frame(op);
  if (frame)
    return frame;
  switch (pir_op_def(op)->id) {
    case PD_FULL: return export_full;
    case PD_FULL_INT_ARRAY: return export_full_int_array;
    case PD_FULL_: return export_full_over;
    case PD_STRIDED_SLICE:
    case PD_STRIDED_SLICE_GRAD: return export_strided_slice;
    case PD_BATCH_NORM: return export_batch_norm;
    case PD_FULL_WITH_TENSOR: return export_full_with_tensor;
    case PD_ASSIGN_VALUE:
    case PD_ASSIGN_VALUE_: return export_assign_value;
    case PD_ASSIGN:
    case PD_ASSIGN_:
    case PD_ASSIGN_OUT_:
    case PD_ASSIGN_ARRAY:
    case PD_ASSIGN_ARRAY_: return export_assign;
    case PD_CREATE_ARRAY: return export_create_array;
    case PD_ARRAY_WRITE_: return export_array_write;
    case PD_ARRAY_READ: return export_array_read;
    case PD_ARRAY_LENGTH: return export_array_length;
    case PD_SLICE_ARRAY:
    case PD_SLICE_ARRAY_DENSE: return export_slice_array;
    case PD_SELECT_INPUT: return export_select_input;
    case PD_SELECT_OUTPUT: return export_select_output;
    case PD_CAST:
    case PD_CAST_: return export_cast;
    case PD_SUM:
    case PD_MEAN:
    case PD_MAX:
    case PD_MIN:
    case PD_PROD:
    case PD_AMAX:
    case PD_AMIN:
    case PD_ALL:
    case PD_ANY: return export_reduce;
    case PD_SPLIT:
    case PD_SPLIT_WITH_NUM: return export_parts;
    case PD_TRIL:
    case PD_TRIL_:
    case PD_TRIU:
    case PD_TRIU_:
    case PD_TRIL_GRAD:
    case PD_TRIU_GRAD: return export_triangle;
    case PD_SET_VALUE:
    case PD_SET_VALUE_:
    case PD_SET_VALUE_WITH_TENSOR:
    case PD_SET_VALUE_WITH_TENSOR_: return export_set_value;
    case PD_SET_VALUE_WITH_TENSOR_GRAD: return export_set_value_grad;
    case PD_SET_VALUE_GRAD: return export_passed;
    case PD_REPEAT_INTERLEAVE_WITH_TENSOR_INDEX:
    case PD_REPEAT_INTERLEAVE_WITH_TENSOR_INDEX_GRAD: return export_repeat_by_tensor;
    case PD_MATRIX_RANK_TOL: return export_rank_by_tolerance;
    case PD_RNN: return export_rnn;
    case PD_ARANGE: return export_range;
    case PD_SHAPE64: return export_shape64;
    case PD_DEFORMABLE_CONV: return export_deformable;
    case PD_RESHAPE:
    case PD_RESHAPE_:
    case PD_FLATTEN:
    case PD_FLATTEN_:
    case PD_SQUEEZE:
    case PD_SQUEEZE_:
    case PD_UNSQUEEZE:
    case PD_UNSQUEEZE_:
    case PD_TRANSPOSE:
    case PD_TRANSPOSE_: return export_reshaping;
    case PD_RESHAPE_GRAD:
    case PD_FLATTEN_GRAD:
    case PD_SQUEEZE_GRAD:
    case PD_UNSQUEEZE_GRAD: return export_reshaping_grad;
    default: return NULL;
  }
}
