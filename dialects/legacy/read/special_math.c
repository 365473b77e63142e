// Ops that a table row cannot describe, part two: old broadcasting, old matrix products, and
// ops that became two ops.
#include "special.h"

#include <string.h>

// ---- elementwise with `axis`: y's dims stand at x's dims from `axis` on

// y with ones before and after its dims; all extents are known.
static pir_value *pad_static(translator *t, pir_value *y, size_t x_rank, size_t axis) {
  pir_shape shape = pir_type_shape(pir_value_type(y));
  int64_t dims[PIR_MAX_RANK];
  for (size_t i = 0; i < x_rank; i++)
    dims[i] = i >= axis && i - axis < shape.rank ? shape.dims[i - axis] : 1;
  return emit_reshape(t, y, emit_ints(t, dims, x_rank), dims, x_rank);
}

// y with `n` ones after its dims, by its shape at run time.
static pir_value *pad_dynamic(translator *t, pir_value *y, size_t n) {
  pir_shape shape = pir_type_shape(pir_value_type(y));
  int64_t rank = (int64_t)shape.rank, total = rank + (int64_t)n, dims[PIR_MAX_RANK],
          ones[PIR_MAX_RANK];
  const pir_type *list = pir_type_tensor(t->ctx, PIR_I64, (pir_shape){&rank, 1});
  const pir_type *whole = pir_type_tensor(t->ctx, PIR_I64, (pir_shape){&total, 1});
  pir_named_attr stop = named(t, "stop_gradient", pir_attr_flag(t->ctx, true));
  pir_value *parts[2], *operands[2];
  for (size_t i = 0; i < n; i++)
    ones[i] = 1;
  parts[0] = pir_op_result(emit(t, "pd_op.shape64", &y, 1, &list, 1, &stop, 1), 0);
  parts[1] = emit_ints(t, ones, n);
  operands[0] = emit_combine(t, parts, 2);
  pir_op_set_attr(pir_value_op(operands[0]), stop.name, stop.value);
  operands[1] = emit_number(t, 0, PIR_I32);
  operands[0] = pir_op_result(emit(t, "pd_op.concat", operands, 2, &whole, 1, &stop, 1), 0);
  for (size_t i = 0; i < shape.rank + n; i++)
    dims[i] = i < shape.rank ? shape.dims[i] : 1;
  return emit_reshape(t, y, operands[0], dims, shape.rank + n);
}

// Reshapes y so that it broadcasts with x by today's rule (aligned at the last dims).
static pir_value *align_operand(translator *t, pir_value *x, pir_value *y, int64_t axis) {
  pir_shape xs = pir_type_shape(pir_value_type(x)), ys = pir_type_shape(pir_value_type(y));
  if (axis == -1 || xs.rank == ys.rank)
    return y;
  if (axis < 0 || (uint64_t)axis + ys.rank > xs.rank) {
    (void)FAIL(t, "attribute 'axis' is %lld: operands of rank %zu and %zu do not fit",
               (long long)axis, xs.rank, ys.rank);
    return NULL;
  }
  if ((size_t)axis + ys.rank == xs.rank)
    return y;
  return pir_shape_is_known(ys) ? pad_static(t, y, xs.rank, (size_t)axis)
                                : pad_dynamic(t, y, xs.rank - (size_t)axis - ys.rank);
}

pir_status translate_elementwise(translator *t, const op_desc *op) {
  draft d;
  PIR_TRY(draft_start(&d, t, op));
  PIR_TRY(draft_operands(&d));
  if (d.def->operand_count >= 2) {
    d.operands[1] = align_operand(t, d.operands[0], d.operands[1], op_int(op, "axis", -1));
    if (!d.operands[1])
      return PIR_INVALID;
  }
  PIR_TRY(draft_types(&d));
  PIR_TRY(draft_attrs(&d));
  draft_create(&d);
  return PIR_OK;
}

// ---- matrix products

// Returns the product of dims [from, to); -1 if one is unknown.
static int64_t flat(pir_shape shape, size_t from, size_t to) {
  int64_t product = 1;
  for (size_t i = from; i < to; i++)
    if (shape.dims[i] < 0 || __builtin_mul_overflow(product, shape.dims[i], &product))
      return -1;
  return product;
}

pir_value *emit_matrix(translator *t, pir_value *x, int64_t rows, int64_t dims[2]) {
  pir_shape shape = pir_type_shape(pir_value_type(x));
  if (rows < 1 || (uint64_t)rows >= shape.rank) {
    (void)FAIL(t, "a tensor of rank %zu cannot be flattened after dimension %lld", shape.rank,
               (long long)rows);
    return NULL;
  }
  dims[0] = flat(shape, 0, (size_t)rows);
  dims[1] = flat(shape, (size_t)rows, shape.rank);
  if (dims[0] < 0 && dims[1] < 0) {
    (void)UNSUPPORTED(
        t, "flattening a tensor with unknown extents on both sides of dimension %lld",
        (long long)rows);
    return NULL;
  }
  return emit_reshape(t, x, emit_ints(t, dims, 2), dims, 2);
}

// Whether `x`, flattened to a matrix after `rows` dims, has at least one known side.
static bool may_flatten(const pir_value *x, int64_t rows) {
  pir_shape shape = pir_type_shape(pir_value_type(x));
  if (rows < 1 || (uint64_t)rows >= shape.rank)
    return true;
  return flat(shape, 0, (size_t)rows) >= 0 || flat(shape, (size_t)rows, shape.rank) >= 0;
}

static size_t unknown_extents(pir_shape shape) {
  size_t n = 0;
  for (size_t i = 0; i < shape.rank; i++)
    n += shape.dims[i] < 0;
  return n;
}

// Reshapes to matrices and back, as Paddle's translator does. If a reshape would have to infer
// two extents, emits the op that does everything, which Paddle's translator does not support.
pir_status translate_mul(translator *t, const op_desc *op) {
  int64_t xd[2], yd[2], x_rows = op_int(op, "x_num_col_dims", 1),
                        y_rows = op_int(op, "y_num_col_dims", 1);
  pir_value *operands[2] = {input_value(t, op, "X"), NULL};
  const char *out = output_var(t, op, "Out");
  const pir_type *type = out ? name_type(t, out) : NULL;
  operands[1] = operands[0] && type ? input_value(t, op, "Y") : NULL;
  if (!operands[1])
    return PIR_INVALID;
  bool plain = may_flatten(operands[0], x_rows) && may_flatten(operands[1], y_rows);
  if (!plain || unknown_extents(pir_type_shape(type)) > 1)
    return translate_generic(t, op);
  operands[0] = emit_matrix(t, operands[0], x_rows, xd);
  operands[1] = operands[0] ? emit_matrix(t, operands[1], y_rows, yd) : NULL;
  if (!operands[1])
    return PIR_INVALID;
  pir_named_attr attrs[] = {named(t, "transpose_x", pir_attr_bool(t->ctx, false)),
                            named(t, "transpose_y", pir_attr_bool(t->ctx, false))};
  PIR_TRY(emit_bound(t, "pd_op.matmul", operands, 2, out, type, attrs, 2));
  pir_shape shape = pir_type_shape(type);
  operands[0] = read_var(t, out);
  bind(t, out,
       emit_reshape(t, operands[0], emit_ints(t, shape.dims, shape.rank), shape.dims,
                    shape.rank),
       -1);
  return PIR_OK;
}

static double op_float(const op_desc *op, const char *name, double absent) {
  const attr_desc *a = desc_attr(op, name);
  number n;
  return a && attr_number(a, &n) ? n.f : absent;
}

pir_status translate_matmul(translator *t, const op_desc *op) {
  pir_value *operands[2] = {input_value(t, op, "X"), NULL};
  const char *out = output_var(t, op, "Out");
  const pir_type *type = out ? name_type(t, out) : NULL;
  double alpha = op_float(op, "alpha", 1);
  operands[1] = operands[0] && type ? input_value(t, op, "Y") : NULL;
  if (!operands[1])
    return PIR_INVALID;
  if (op_float(op, "Scale_x", 1) != 1 || op_float(op, "Scale_y", 1) != 1 ||
      op_float(op, "Scale_out", 1) != 1)
    return UNSUPPORTED(t, "quantised matmul (Scale_x, Scale_y or Scale_out is not 1)");
  pir_named_attr attrs[] = {
      named(t, "transpose_x", pir_attr_bool(t->ctx, op_bool(op, "transpose_X", false))),
      named(t, "transpose_y", pir_attr_bool(t->ctx, op_bool(op, "transpose_Y", false)))};
  PIR_TRY(emit_bound(t, "pd_op.matmul", operands, 2, out, type, attrs, 2));
  if (alpha == 1)
    return PIR_OK;
  operands[0] = read_var(t, out);
  operands[1] = emit_number(t, alpha, PIR_F32);
  pir_named_attr scale[] = {named(t, "bias", pir_attr_float(t->ctx, PIR_ATTR_F32, 0)),
                            named(t, "bias_after_scale", pir_attr_bool(t->ctx, true))};
  return emit_bound(t, "pd_op.scale", operands, 2, out, type, scale, 2);
}

// The first version of lookup_table took indices with a last dimension of 1.
pir_status translate_lookup_table(translator *t, const op_desc *op) {
  static const int64_t axis = -2;
  const char *out = output_var(t, op, "Out");
  const pir_type *type = out ? name_type(t, out) : NULL;
  pir_value *operands[2] = {type ? input_value(t, op, "Ids") : NULL, NULL};
  operands[1] = operands[0] ? input_value(t, op, "W") : NULL;
  if (!operands[1])
    return PIR_INVALID;
  pir_named_attr attrs[] = {
      named(t, "padding_idx",
            pir_attr_int(t->ctx, PIR_ATTR_I64, op_int(op, "padding_idx", -1))),
      named(t, "sparse", pir_attr_bool(t->ctx, op_bool(op, "sparse", false)))};
  PIR_TRY(emit_bound(t, "pd_op.embedding", operands, 2, out, type, attrs, 2));
  operands[0] = read_var(t, out);
  operands[1] = emit_ints(t, &axis, 1);
  return emit_bound(t, "pd_op.squeeze", operands, 2, out, type, NULL, 0);
}

// ---- ops that carry oneDNN's data types

static void read_onednn_types(draft *d) {
  static const char *const names[] = {"mkldnn_data_type", "onednn_data_type"};
  static const pir_attr_def text = {.kind = PIR_ATTR_STR};
  for (size_t i = 0; i < 2; i++) {
    const attr_desc *a = desc_attr(d->op, names[i]);
    const pir_attr *value = a ? convert_attr(d->t, a, &text) : NULL;
    if (value)
      draft_set(d, names[i], value);
  }
}

pir_status translate_cast(translator *t, const op_desc *op) {
  draft d;
  PIR_TRY(draft_start(&d, t, op));
  PIR_TRY(draft_operands(&d));
  PIR_TRY(draft_types(&d));
  PIR_TRY(draft_attrs(&d));
  read_onednn_types(&d);
  draft_create(&d);
  return PIR_OK;
}

pir_status translate_split(translator *t, const op_desc *op) {
  const slot_desc *axis = fed_input(op, "AxisTensor");
  int64_t num = op_int(op, "num", 0);
  draft d;
  if (num <= 0)
    return translate_cast(t, op);
  PIR_TRY(draft_start_as(&d, t, op, "pd_op.split_with_num"));
  d.operands[0] = input_value(t, op, "X");
  if (!d.operands[0])
    return PIR_INVALID;
  d.operands[1] = axis ? read_var(t, axis->arguments[0])
                       : emit_number(t, (double)op_int(op, "axis", 0), PIR_I32);
  if (!d.operands[1])
    return PIR_INVALID;
  PIR_TRY(draft_types(&d));
  PIR_TRY(draft_attrs(&d));
  draft_create(&d);
  return PIR_OK;
}

// ---- one legacy op, several PIR ops

static pir_status slice_array(translator *t, const op_desc *op, pir_value *array) {
  const char *out = output_var(t, op, "Out");
  const pir_type *type = out ? name_type(t, out) : NULL;
  bool dense = pir_type_is_tensor(type);
  pir_value *operands[3] = {array};
  draft d;
  if (!type)
    return PIR_INVALID;
  PIR_TRY(draft_start(&d, t, op));
  PIR_TRY(draft_operand(&d, 1));
  if (!dense)
    PIR_TRY(draft_operand(&d, 2));
  operands[1] = d.operands[1];
  operands[2] = d.operands[2];
  return emit_bound(t, dense ? "pd_op.slice_array_dense" : "pd_op.slice_array", operands,
                    dense ? 2 : 3, out, type, NULL, 0);
}

pir_status translate_slice(translator *t, const op_desc *op) {
  pir_value *input = input_value(t, op, "Input");
  if (!input)
    return PIR_INVALID;
  if (pir_type_kind_of(pir_value_type(input)) == PIR_TYPE_TENSOR_ARRAY)
    return slice_array(t, op, input);
  return translate_generic(t, op);
}

pir_status translate_softmax(translator *t, const op_desc *op) {
  draft d;
  if (desc_attr(op, "axis"))
    return translate_generic(t, op);
  PIR_TRY(draft_start(&d, t, op));
  PIR_TRY(draft_operands(&d));
  PIR_TRY(draft_types(&d));
  PIR_TRY(draft_attrs_but(&d, "axis"));
  draft_set(&d, "axis", pir_attr_int(t->ctx, PIR_ATTR_I32, -1));
  draft_create(&d);
  return PIR_OK;
}

// The first version of gather had no axis.
pir_status translate_gather(translator *t, const op_desc *op) {
  draft d;
  if (desc_attr(op, "axis") || fed_input(op, "Axis"))
    return translate_generic(t, op);
  PIR_TRY(draft_start(&d, t, op));
  PIR_TRY(draft_operand(&d, 0));
  PIR_TRY(draft_operand(&d, 1));
  d.operands[2] = emit_number(t, 0, PIR_I64);
  PIR_TRY(draft_types(&d));
  PIR_TRY(draft_attrs(&d));
  draft_create(&d);
  return PIR_OK;
}

pir_status translate_range(translator *t, const op_desc *op) {
  draft d;
  PIR_TRY(draft_start(&d, t, op));
  PIR_TRY(draft_operands(&d));
  PIR_TRY(draft_types(&d));
  PIR_TRY(draft_attrs(&d));
  draft_set(&d, "dtype", pir_attr_dtype(t->ctx, pir_type_dtype(pir_value_type(d.operands[0]))));
  draft_create(&d);
  return PIR_OK;
}

// The attribute determines the element type, not the variable.
pir_status translate_randint(translator *t, const op_desc *op) {
  draft d;
  PIR_TRY(draft_start(&d, t, op));
  PIR_TRY(draft_operands(&d));
  PIR_TRY(draft_types(&d));
  PIR_TRY(draft_attrs(&d));
  pir_dtype dtype = pir_dtype_from_var_type((int)(op_int(op, "dtype", 3) & 255));
  if (pir_type_is_tensor(d.types[0]) && dtype != PIR_DTYPE_NONE)
    d.types[0] = pir_type_tensor(t->ctx, dtype, pir_type_shape(d.types[0]));
  draft_create(&d);
  return PIR_OK;
}

pir_status translate_tril_triu(translator *t, const op_desc *op) {
  draft d;
  PIR_TRY(draft_start_as(&d, t, op, op_bool(op, "lower", true) ? "pd_op.tril" : "pd_op.triu"));
  PIR_TRY(draft_operands(&d));
  PIR_TRY(draft_types(&d));
  PIR_TRY(draft_attrs(&d));
  draft_create(&d);
  return PIR_OK;
}

// Whether `dim` lists all axes of the operand.
static bool names_all_axes(translator *t, const op_desc *op) {
  const attr_desc *dim = desc_attr(op, "dim");
  const slot_desc *x = fed_input(op, "X");
  const var_desc *var = x ? desc_var(t->desc, t->block, x->arguments[0]) : NULL;
  const tensor_desc *tensor = var ? desc_tensor(var) : NULL;
  int64_t *axes;
  size_t n;
  return dim && tensor && attr_ints(t, dim, &axes, &n) && n == tensor->n_dims;
}

// `reduce_all` takes precedence over the axes, which may then be incomplete: it becomes an
// empty list.
pir_status translate_reduce(translator *t, const op_desc *op) {
  draft d;
  int axis;
  bool all = op_bool(op, "reduce_all", false) && !names_all_axes(t, op);
  PIR_TRY(draft_start(&d, t, op));
  axis = pir_opdef_operand(d.def, PIR_STR("axis"));
  for (int i = 0; i < d.def->operand_count; i++)
    if (all && i == axis)
      d.operands[i] = emit_ints(t, NULL, 0);
    else
      PIR_TRY(draft_operand(&d, (size_t)i));
  PIR_TRY(draft_types(&d));
  PIR_TRY(draft_attrs(&d));
  if (all && axis < 0)
    draft_set(&d, "axis", pir_attr_array(t->ctx, NULL, 0));
  draft_create(&d);
  return PIR_OK;
}

pir_status translate_repeat_interleave(translator *t, const op_desc *op) {
  draft d;
  if (!fed_input(op, "RepeatsTensor"))
    return translate_generic(t, op);
  PIR_TRY(draft_start_as(&d, t, op, "pd_op.repeat_interleave_with_tensor_index"));
  d.operands[0] = input_value(t, op, "X");
  d.operands[1] = d.operands[0] ? input_value(t, op, "RepeatsTensor") : NULL;
  if (!d.operands[1])
    return PIR_INVALID;
  PIR_TRY(draft_types(&d));
  draft_set(&d, "axis", pir_attr_int(t->ctx, PIR_ATTR_I32, op_int(op, "dim", 0)));
  draft_set(&d, "output_size",
            pir_attr_int(t->ctx, PIR_ATTR_I64, op_int(op, "output_size", -1)));
  draft_create(&d);
  return PIR_OK;
}

pir_status translate_matrix_rank(translator *t, const op_desc *op) {
  draft d;
  if (!fed_input(op, "TolTensor"))
    return translate_generic(t, op);
  PIR_TRY(draft_start_as(&d, t, op, "pd_op.matrix_rank_tol"));
  d.operands[0] = input_value(t, op, "X");
  d.operands[1] = d.operands[0] ? input_value(t, op, "TolTensor") : NULL;
  if (!d.operands[1])
    return PIR_INVALID;
  PIR_TRY(draft_types(&d));
  PIR_TRY(draft_attrs(&d));
  draft_create(&d);
  return PIR_OK;
}

static pir_status set_constants(translator *t, const op_desc *op) {
  const pir_attr *values = value_list(t, op);
  draft d;
  PIR_TRY(draft_start(&d, t, op));
  PIR_TRY(draft_operands(&d));
  PIR_TRY(draft_types(&d));
  PIR_TRY(draft_attrs(&d));
  if (values)
    draft_set(&d, "values", values);
  draft_create(&d);
  return PIR_OK;
}

// If the values are a tensor, its operand comes after the input.
pir_status translate_set_value(translator *t, const op_desc *op) {
  draft plain, d;
  if (!fed_input(op, "ValueTensor"))
    return set_constants(t, op);
  PIR_TRY(draft_start(&plain, t, op));
  PIR_TRY(draft_operands(&plain));
  PIR_TRY(draft_start_as(&d, t, op, "pd_op.set_value_with_tensor"));
  d.operands[0] = plain.operands[0];
  d.operands[1] = input_value(t, op, "ValueTensor");
  if (!d.operands[1])
    return PIR_INVALID;
  memcpy(d.operands + 2, plain.operands + 1, 3 * sizeof *d.operands);
  PIR_TRY(draft_types(&d));
  PIR_TRY(draft_attrs(&d));
  draft_create(&d);
  return PIR_OK;
}

// Dropout's state between runs starts as zeros of its variable's shape.
pir_status translate_rnn(translator *t, const op_desc *op) {
  const slot_desc *state = desc_output(op, "DropoutState");
  draft d;
  PIR_TRY(draft_start(&d, t, op));
  int made = pir_opdef_operand(d.def, PIR_STR("dropout_state_in"));
  for (int i = 0; i < d.def->operand_count; i++)
    if (i != made)
      PIR_TRY(draft_operand(&d, (size_t)i));
  if (made >= 0 && state && state->n_arguments) {
    const pir_type *type = name_type(t, state->arguments[0]);
    if (!type)
      return PIR_INVALID;
    d.operands[made] = emit_full(t, pir_type_shape(type), 0, pir_type_dtype(type));
  }
  PIR_TRY(draft_types(&d));
  PIR_TRY(draft_attrs(&d));
  draft_create(&d);
  return PIR_OK;
}
