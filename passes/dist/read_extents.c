// Extents that ops read. On a rank shape gives the extents of a part, and the program is about
// the whole tensor. Parts are equal, so the whole has as many of them as there are processes.
#include "dist.h"

#include <pir/compiler/dialect/pd_op.h>

// Finds how many parts operand 0 has along each dimension; returns false if it is one part.
static bool count_parts(const dist_state *d, const pir_op *op, const pir_attr **parts,
                        size_t *out_rank) {
  dist_of_op of;
  if (!dist_of(op, &of) || !pir_attr_elements(of.operands))
    return false;
  const pir_attr *dist = pir_attr_element(of.operands, 0);
  if (pir_attr_kind_of(dist) != PIR_ATTR_TENSOR_DIST)
    return false;
  dist_tensor tensor = dist_tensor_of(dist);
  bool any = false;
  for (size_t i = 0; i < tensor.rank; i++) {
    int64_t n = tensor.mapping[i] >= 0 ? tensor.mesh.shape[tensor.mapping[i]] : 1;
    parts[i] = pir_attr_int(d->ctx, PIR_ATTR_I64, n);
    any |= n > 1;
  }
  *out_rank = tensor.rank;
  return any;
}

static pir_value *make_factors(dist_state *d, pir_op *at, const pir_attr *parts,
                               pir_dtype dtype) {
  int64_t extent = (int64_t)pir_attr_elements(parts);
  const pir_type *type = pir_type_tensor(d->ctx, dtype, (pir_shape){&extent, 1});
  pir_named_attr attrs[] = {
      {pir_name_get(d->ctx, PIR_STR("value")), parts},
      {pir_name_get(d->ctx, PIR_STR("dtype")), pir_attr_dtype(d->ctx, dtype)},
      {pir_name_get(d->ctx, PIR_STR("place")), pir_attr_place(d->ctx, (pir_place){.kind = 1})}};
  pir_op_spec spec = {.def = pir_context_op(d->ctx, PD_FULL_INT_ARRAY),
                      .result_types = &type,
                      .result_count = 1,
                      .attrs = attrs,
                      .attr_count = sizeof attrs / sizeof *attrs};
  return pir_op_result(pir_rewriter_create(d->rewriter, at, &spec), 0);
}

void dist_restore_extents(dist_state *d, pir_op *op) {
  bool wide = pir_op_is(op, PD_SHAPE64);
  const pir_attr *parts[PIR_MAX_RANK];
  size_t rank;
  pir_op *at = pir_op_next(op);
  if ((!wide && !pir_op_is(op, PD_SHAPE)) || !at || !count_parts(d, op, parts, &rank))
    return;
  pir_value *own = pir_op_result(op, 0);
  pir_value *operands[] = {
      own, make_factors(d, at, pir_attr_array(d->ctx, parts, rank), wide ? PIR_I64 : PIR_I32)};
  const pir_type *type = pir_value_type(own);
  pir_op_spec spec = {.def = pir_context_op(d->ctx, PD_MULTIPLY),
                      .operands = operands,
                      .operand_count = 2,
                      .result_types = &type,
                      .result_count = 1};
  dist_move_uses(d, own, pir_op_result(pir_rewriter_create(d->rewriter, at, &spec), 0));
}
