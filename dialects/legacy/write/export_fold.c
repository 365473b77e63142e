// Finds groups of ops that the reader made of one legacy op, before writing: a broadcast along
// `axis` (y reshaped first), a shape given as a list of tensors (stacked first), a product of
// flattened tensors. Ops that the reader added lack the variable attribute `persistable`.
// Programs saved as PIR lack it too. One walk; each group is matched from its last op, over
// operands to a fixed depth.
#include <string.h>

#include <pir/compiler/dialect/builtin.h>
#include <pir/compiler/dialect/pd_op.h>
#include <pir/compiler/walk.h>

#include "export.h"

static const pir_op *maker(const pir_value *value, uint32_t id) {
  const pir_op *op = value ? pir_value_op(value) : NULL;
  return op && pir_op_is(op, id) ? op : NULL;
}

// Returns the op that made `value`, if it has id `id`, no name, and one reader in the same
// block.
static const pir_op *helper(const pir_value *value, uint32_t id, const pir_op *reader) {
  const pir_op *op = maker(value, id);
  if (!op || !pir_value_single_use(value) || pir_op_block(op) != pir_op_block(reader))
    return NULL;
  return pir_op_attr_str(op, "persistable") ? NULL : op;
}

static void swallow(exporter *x, const pir_op *op) {
  pir_map_put(&x->arena, &x->swallowed, op, 1);
}

static fold *fold_new(exporter *x, const pir_op *op) {
  fold *f = pir_arena_zalloc(&x->arena, sizeof *f);
  pir_map_put(&x->arena, &x->folds, op, (uint64_t)(uintptr_t)f);
  return f;
}

static pir_shape value_shape(const pir_value *value) {
  return pir_type_shape(pir_value_type(value));
}

// ---- broadcast along `axis`

static bool is_elementwise(const pir_op *op) {
  switch (pir_op_def(op)->base ? pir_op_def(op)->base->id : pir_op_def(op)->id) {
    case PD_ADD:
    case PD_SUBTRACT:
    case PD_MULTIPLY:
    case PD_DIVIDE:
    case PD_MAXIMUM:
    case PD_MINIMUM:
    case PD_REMAINDER:
    case PD_FLOOR_DIVIDE: return true;
    default: return false;
  }
}

// Returns the position of `inner` in `outer`, if all other dims are 1 and at least one follows;
// else -1.
static int64_t padded_axis(const literal *outer, pir_shape inner) {
  for (size_t axis = 0; axis + inner.rank < outer->count; axis++) {
    size_t i = 0;
    while (i < outer->count &&
           outer->ints[i] == (i >= axis && i - axis < inner.rank ? inner.dims[i - axis] : 1))
      i++;
    if (i == outer->count)
      return (int64_t)axis;
  }
  return -1;
}

static void fold_static(exporter *x, const pir_op *op, const pir_op *reshape) {
  const pir_value *y = pir_op_operand(reshape, PD_RESHAPE_IN_X);
  literal outer;
  if (!literal_of(x, pir_op_operand(reshape, PD_RESHAPE_IN_SHAPE), true, &outer))
    return;
  if (!pir_shape_is_known(value_shape(y)) || !value_shape(y).rank ||
      outer.count != value_shape(pir_op_operand(op, 0)).rank)
    return;
  int64_t axis = padded_axis(&outer, value_shape(y));
  if (axis < 0)
    return;
  *fold_new(x, op) = (fold){.axis = axis, .y = y};
  swallow(x, reshape);
}

static bool is_ones(const literal *v) {
  for (size_t i = 0; i < v->count; i++)
    if (v->ints[i] != 1)
      return false;
  return v->count;
}

// Matches a reshape of y to its run-time extents with ones added.
static void fold_dynamic(exporter *x, const pir_op *op, const pir_op *reshape) {
  const pir_value *y = pir_op_operand(reshape, PD_RESHAPE_IN_X);
  const pir_op *concat =
      helper(pir_op_operand(reshape, PD_RESHAPE_IN_SHAPE), PD_CONCAT, reshape);
  const pir_op *list =
      concat ? helper(pir_op_operand(concat, PD_CONCAT_IN_X), BUILTIN_COMBINE, concat) : NULL;
  const pir_op *extents = list && pir_op_operands(list) == 2
                              ? helper(pir_op_operand(list, 0), PD_SHAPE64, list)
                              : NULL;
  literal ones;
  if (!extents || pir_op_operand(extents, 0) != y ||
      !literal_of(x, pir_op_operand(list, 1), true, &ones))
    return;
  int64_t axis = (int64_t)value_shape(pir_op_operand(op, 0)).rank -
                 (int64_t)(value_shape(y).rank + ones.count);
  if (!is_ones(&ones) || axis < 0)
    return;
  *fold_new(x, op) = (fold){.axis = axis, .y = y};
  const pir_op *swallowed[] = {reshape, concat, list, extents};
  for (size_t i = 0; i < 4; i++)
    swallow(x, swallowed[i]);
}

static void fold_elementwise(exporter *x, const pir_op *op) {
  const pir_op *reshape =
      pir_op_operands(op) == 2 ? helper(pir_op_operand(op, 1), PD_RESHAPE, op) : NULL;
  if (!reshape || !pir_op_operand(op, 0) || !pir_op_operand(reshape, 0))
    return;
  if (maker(pir_op_operand(reshape, PD_RESHAPE_IN_SHAPE), PD_CONCAT))
    fold_dynamic(x, op, reshape);
  else
    fold_static(x, op, reshape);
}

// ---- a shape as a list

static bool are_numbers(const pir_type *list) {
  for (size_t i = 0; i < pir_type_elements(list); i++) {
    const pir_type *member = pir_type_element(list, i);
    pir_shape shape = pir_type_shape(member);
    if (!pir_type_is_tensor(member) || shape.rank > 1 ||
        (shape.rank == 1 && shape.dims[0] != 1))
      return false;
  }
  return pir_type_elements(list);
}

static void fold_shape(exporter *x, const pir_op *op) {
  const pir_op *stack = helper(pir_op_operand(op, PD_FULL_WITH_TENSOR_IN_SHAPE), PD_STACK, op);
  const pir_value *list = stack ? pir_op_operand(stack, 0) : NULL;
  if (!list || pir_op_int(stack, PD_STACK_ATTR_AXIS) != 0 || !are_numbers(pir_value_type(list)))
    return;
  fold_new(x, op)->y = list;
  swallow(x, stack);
}

// ---- products of flattened tensors

static int64_t product(pir_shape shape, size_t from, size_t to) {
  int64_t all = 1;
  for (size_t i = from; i < to; i++)
    if (shape.dims[i] < 0 || __builtin_mul_overflow(all, shape.dims[i], &all))
      return -1;
  return all;
}

// Returns after how many dims `x` is flattened to the matrix `dims`; 0 if it is not.
static int64_t cut_of(pir_shape x, const literal *dims) {
  if (dims->count != 2)
    return 0;
  for (size_t rows = 1; rows < x.rank; rows++)
    if (product(x, 0, rows) == dims->ints[0] && product(x, rows, x.rank) == dims->ints[1])
      return (int64_t)rows;
  return 0;
}

// The one reshape of a matrix to `shape`.
static const pir_op *last_reshape(exporter *x, const pir_value *matrix, const int64_t *to,
                                  size_t rank) {
  const pir_use *use =
      matrix && pir_value_single_use(matrix) ? pir_value_first_use(matrix) : NULL;
  const pir_op *op = use ? pir_use_owner(use) : NULL;
  literal dims;
  if (!op || !pir_op_is(op, PD_RESHAPE) || pir_use_operand_index(use))
    return NULL;
  if (!literal_of(x, pir_op_operand(op, PD_RESHAPE_IN_SHAPE), true, &dims))
    return NULL;
  return dims.count == rank && !memcmp(dims.ints, to, rank * sizeof *to) ? op : NULL;
}

// Finds the tensors behind a product's flattened operands; f records where each is cut.
static bool flattened(exporter *x, const pir_op *op, fold *f, const pir_op **out_flat,
                      size_t n) {
  for (size_t i = 0; i < n; i++) {
    literal dims;
    out_flat[i] = helper(pir_op_operand(op, i), PD_RESHAPE, op);
    if (!out_flat[i] ||
        !literal_of(x, pir_op_operand(out_flat[i], PD_RESHAPE_IN_SHAPE), true, &dims))
      return false;
    f->operands[i] = pir_op_operand(out_flat[i], 0);
    f->rows[i] = cut_of(value_shape(f->operands[i]), &dims);
    if (!f->rows[i])
      return false;
  }
  return n == 2 || f->rows[2] == f->rows[0];
}

static bool is_plain_product(const pir_op *op) {
  bool grad = pir_op_is(op, PD_MATMUL_GRAD);
  return !pir_op_bool(op,
                      grad ? PD_MATMUL_GRAD_ATTR_TRANSPOSE_X : PD_MATMUL_ATTR_TRANSPOSE_X) &&
         !pir_op_bool(op, grad ? PD_MATMUL_GRAD_ATTR_TRANSPOSE_Y : PD_MATMUL_ATTR_TRANSPOSE_Y);
}

static void fold_product(exporter *x, const pir_op *op) {
  const pir_op *flat[2];
  fold f = {0};
  int64_t dims[2 * PIR_MAX_RANK];
  if (!is_plain_product(op) || !flattened(x, op, &f, flat, 2))
    return;
  pir_shape a = value_shape(f.operands[0]), b = value_shape(f.operands[1]);
  size_t rows = (size_t)f.rows[0], columns = b.rank - (size_t)f.rows[1];
  memcpy(dims, a.dims, rows * sizeof *dims);
  memcpy(dims + rows, b.dims + f.rows[1], columns * sizeof *dims);
  f.last[0] = last_reshape(x, pir_op_result(op, 0), dims, rows + columns);
  if (!f.last[0])
    return;
  *fold_new(x, op) = f;
  for (size_t i = 0; i < 2; i++)
    swallow(x, flat[i]);
  swallow(x, f.last[0]);
}

// Matches the gradient of this product: each result has the shape of its operand.
static void fold_product_grad(exporter *x, const pir_op *op) {
  const pir_op *flat[3];
  fold f = {0};
  if (pir_op_operands(op) != 3 || !is_plain_product(op) || !flattened(x, op, &f, flat, 3))
    return;
  for (size_t i = 0; i < 2; i++) {
    pir_value *result = pir_op_result(op, i);
    pir_shape shape = value_shape(f.operands[i]);
    if (!pir_value_type(result))
      continue;
    f.last[i] = last_reshape(x, result, shape.dims, shape.rank);
    if (!f.last[i])
      return;
  }
  *fold_new(x, op) = f;
  for (size_t i = 0; i < 3; i++)
    swallow(x, flat[i]);
  for (size_t i = 0; i < 2; i++)
    if (f.last[i])
      swallow(x, f.last[i]);
}

// ---- all of them

static pir_walk_result fold_op(pir_op *op, void *user) {
  exporter *x = user;
  if (is_elementwise(op))
    fold_elementwise(x, op);
  else if (pir_op_is(op, PD_FULL_WITH_TENSOR))
    fold_shape(x, op);
  else if (pir_op_is(op, PD_MATMUL))
    fold_product(x, op);
  else if (pir_op_is(op, PD_MATMUL_GRAD))
    fold_product_grad(x, op);
  return PIR_WALK_CONTINUE;
}

void find_folds(exporter *x) {
  (void)pir_walk(pir_program_module(x->program), PIR_PRE_ORDER, fold_op, x);
}

bool is_swallowed(const exporter *x, const pir_op *op) {
  return pir_map_find(&x->swallowed, op);
}

static pir_status export_product(exporter *x, const pir_op *op, const fold *f) {
  static const char *const slots[] = {"X", "Y", "Out@GRAD"}, *const results[] = {"X@GRAD",
                                                                                 "Y@GRAD"};
  bool grad = pir_op_is(op, PD_MATMUL_GRAD);
  out_op *o = op_open(x, grad ? "mul_grad" : "mul");
  for (size_t i = 0; i < pir_op_operands(op); i++)
    PIR_TRY(export_input(x, f->operands[i], o, slots[i]));
  op_set_int(x, o, "x_num_col_dims", (int32_t)f->rows[0]);
  op_set_int(x, o, "y_num_col_dims", (int32_t)f->rows[1]);
  for (size_t i = 0; i < 2; i++)
    if (f->last[i])
      PIR_TRY(
          export_output(x, pir_op_result(f->last[i], 0), NULL, o, grad ? results[i] : "Out"));
  op_close(x, o);
  return PIR_OK;
}

pir_status export_folded(exporter *x, const pir_op *op, const fold *f) {
  if (pir_op_is(op, PD_MATMUL) || pir_op_is(op, PD_MATMUL_GRAD))
    return export_product(x, op, f);
  out_op *o = op_open(x, row_of(op)->name);
  PIR_TRY(export_input(x, pir_op_operand(op, 0), o, "X"));
  PIR_TRY(export_input(x, f->y, o, "Y"));
  op_set_int(x, o, "axis", (int32_t)f->axis);
  PIR_TRY(export_results(x, op, o));
  op_close(x, o);
  return PIR_OK;
}
