// Tables of embeddings whose rows are split: a process looks the indices of its rows up, and
// others give zeros, so that the results are summands.
#include "dist.h"

#include <pir/compiler/dialect/pd_op.h>

// The coordinate of the rank along the mesh dimension that splits the rows of a table, which is
// operand `table` of the op; -1: they are not split.
static pir_status find_rows(const dist_state *d, const pir_op *op, size_t table,
                            int64_t *out_at, int64_t *out_count) {
  dist_of_op of;
  *out_at = -1;
  if (!dist_of(op, &of) || table >= pir_attr_elements(of.operands))
    return PIR_OK;
  const pir_attr *wanted = pir_attr_element(of.operands, table);
  if (pir_attr_kind_of(wanted) != PIR_ATTR_TENSOR_DIST)
    return PIR_OK;
  dist_tensor tensor = dist_tensor_of(wanted);
  if (!tensor.rank || tensor.mapping[0] < 0)
    return PIR_OK;
  size_t along = (size_t)tensor.mapping[0], place = dist_mesh_place(&tensor.mesh, d->rank);
  if (place == tensor.mesh.count)
    return pir_error(op, "option rank has to say whose rows of the table are wanted");
  *out_count = tensor.mesh.shape[along];
  *out_at = dist_mesh_coordinate(&tensor.mesh, place, along);
  return PIR_OK;
}

static pir_op *make_lookup(dist_state *d, pir_op *op, int64_t first, int64_t rows) {
  pir_value *operands[] = {pir_op_operand(op, PD_EMBEDDING_IN_WEIGHT),
                           pir_op_operand(op, PD_EMBEDDING_IN_X)};
  const pir_type *type = pir_value_type(pir_op_result(op, 0));
  pir_named_attr attrs[] = {
      {pir_name_get(d->ctx, PIR_STR("start_index")), pir_attr_int(d->ctx, PIR_ATTR_I64, first)},
      {pir_name_get(d->ctx, PIR_STR("vocab_size")), pir_attr_int(d->ctx, PIR_ATTR_I64, rows)},
      {d->op_dist, pir_op_attr(op, d->op_dist)}};
  pir_op_spec spec = {.def = pir_context_op(d->ctx, PD_C_EMBEDDING),
                      .operands = operands,
                      .operand_count = 2,
                      .result_types = &type,
                      .result_count = 1,
                      .attrs = attrs,
                      .attr_count = sizeof attrs / sizeof *attrs};
  return pir_rewriter_create(d->rewriter, op, &spec);
}

pir_status dist_localize_table(dist_state *d, pir_op **op) {
  int64_t at, count;
  if (!pir_op_is(*op, PD_EMBEDDING))
    return PIR_OK;
  PIR_TRY(find_rows(d, *op, PD_EMBEDDING_IN_WEIGHT, &at, &count));
  if (at < 0 || count == 1)
    return PIR_OK;
  if (pir_op_int(*op, PD_EMBEDDING_ATTR_PADDING_IDX) >= 0)
    return pir_error(*op, "unsupported: the rows of a table with padding_idx are split");
  // The table is the rank's part by now.
  int64_t rows =
      pir_type_shape(pir_value_type(pir_op_operand(*op, PD_EMBEDDING_IN_WEIGHT))).dims[0];
  if (rows < 0 || rows > INT64_MAX / count)
    return pir_error(*op, "unsupported: a table of so many rows is split");
  pir_op *lookup = make_lookup(d, *op, at * rows, rows * count);
  pir_value *by = pir_op_result(lookup, 0);
  pir_rewriter_replace(d->rewriter, *op, &by);
  *op = lookup;
  return PIR_OK;
}
