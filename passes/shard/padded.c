// Columns of a product, and rows of a table, that do not divide among the ranks: zeros behind
// them make them divide. A rank reads its part of the file's parameter, and zeros where that
// ends. The columns that are too many are dropped behind the product, where every rank has all
// columns; nothing asks for rows that are too many.
#include "shard.h"

#include <pir/compiler/build.h>
#include <pir/compiler/dialect/pd_op.h>

static const pir_type *with_extent(const shard_state *s, const pir_type *type, size_t dim,
                                   int64_t extent) {
  pir_shape from = pir_type_shape(type);
  int64_t dims[PIR_MAX_RANK];
  for (size_t i = 0; i < from.rank; i++)
    dims[i] = i == dim ? extent : from.dims[i];
  return pir_type_tensor(s->ctx, pir_type_dtype(type), (pir_shape){dims, from.rank});
}

static void set_extent(const shard_state *s, pir_value *value, size_t dim, int64_t extent) {
  pir_value_set_type(value, with_extent(s, pir_value_type(value), dim, extent));
}

// Makes the product that many columns, of which its readers get the first ones.
static void widen_product(const shard_state *s, pir_op *product, int64_t columns,
                          int64_t widened) {
  pir_value *made = pir_op_result(product, 0);
  const pir_type *type = pir_value_type(made);
  size_t last = pir_type_shape(type).rank - 1;
  shard_mover m = {s, pir_builder_after(product)};
  pir_op *slice = pir_value_op(shard_put_slice(&m, made, last, 0, columns, type));
  pir_value_replace_uses(made, pir_op_result(slice, 0));
  pir_op_set_operand(slice, 0, made);
  set_extent(s, made, last, widened);
}

static void narrow_product(pir_op *product) {
  pir_value *made = pir_op_result(product, 0);
  pir_op *slice = pir_use_owner(pir_value_first_use(made));
  pir_op *lists[] = {pir_op_operand_op(slice, 1), pir_op_operand_op(slice, 2)};
  pir_value_set_type(made, pir_value_type(pir_op_result(slice, 0)));
  pir_value_replace_uses(pir_op_result(slice, 0), made);
  pir_op_erase(slice);
  pir_op_erase(lists[0]);
  pir_op_erase(lists[1]);
}

void shard_open_padded(shard_state *s) {
  int64_t n = s->model < 0 ? 1 : s->extents[s->model];
  for (size_t i = 0; i < s->cuts.count; i++) {
    shard_cut *cut = &s->cuts.items[i];
    pir_value *value = pir_op_result(cut->param, 0);
    int64_t extent = pir_type_shape(pir_value_type(value)).dims[cut->dim], widened;
    if (extent % n == 0)
      continue;
    cut->open = !__builtin_add_overflow(extent, n - extent % n, &widened);
    if (!cut->open)
      continue;
    cut->held = extent;
    set_extent(s, value, cut->dim, widened);
    PIR_EACH_USE(use, value) {
      if (pir_op_is(pir_use_owner(use), PD_MATMUL))
        widen_product(s, pir_use_owner(use), extent, widened);
    }
  }
}

bool shard_close_padded(shard_state *s, bool settled) {
  bool any = false;
  for (size_t i = 0; i < s->cuts.count; i++) {
    shard_cut *cut = &s->cuts.items[i];
    if (!cut->held || (cut->open && (cut->split || !settled)))
      continue;
    pir_value *value = pir_op_result(cut->param, 0);
    set_extent(s, value, cut->dim, cut->held);
    PIR_EACH_USE(use, value) {
      if (pir_op_is(pir_use_owner(use), PD_MATMUL))
        narrow_product(pir_use_owner(use));
    }
    cut->held = 0;
    cut->open = false;
    any = true;
  }
  return any;
}
