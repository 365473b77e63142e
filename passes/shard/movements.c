// Ops that move elements, put where a product or its weight is read otherwise than it lies.
#include "shard.h"

#include <pir/compiler/build.h>
#include <pir/compiler/dialect/pd_op.h>

pir_named_attr shard_named(const shard_mover *m, const char *name, const pir_attr *attr) {
  return (pir_named_attr){pir_name_get(m->s->ctx, pir_str_from(name)), attr};
}

pir_value *shard_put_op(shard_mover *m, uint32_t id, pir_value *const *operands,
                        size_t operand_count, const pir_type *type, const pir_named_attr *attrs,
                        size_t attr_count) {
  pir_op_spec spec = {.def = pir_context_op(m->s->ctx, id),
                      .operands = operands,
                      .operand_count = operand_count,
                      .result_types = &type,
                      .result_count = 1,
                      .attrs = attrs,
                      .attr_count = attr_count};
  return pir_op_result(pir_build(&m->at, &spec), 0);
}

const pir_type *shard_type_like(const shard_mover *m, const pir_value *value,
                                const int64_t *dims, size_t rank) {
  return pir_type_tensor(m->s->ctx, pir_type_dtype(pir_value_type(value)),
                         (pir_shape){dims, rank});
}

pir_value *shard_put_list(shard_mover *m, const int64_t *values, size_t count) {
  const pir_attr *items[PIR_MAX_RANK];
  int64_t extent = (int64_t)count;
  for (size_t i = 0; i < count; i++)
    items[i] = pir_attr_int(m->s->ctx, PIR_ATTR_I64, values[i]);
  const pir_named_attr attrs[] = {
      shard_named(m, "value", pir_attr_array(m->s->ctx, items, count)),
      shard_named(m, "dtype", pir_attr_dtype(m->s->ctx, PIR_I64)),
      shard_named(m, "place", pir_attr_place(m->s->ctx, (pir_place){.kind = 1}))};
  return shard_put_op(m, PD_FULL_INT_ARRAY, NULL, 0,
                      pir_type_tensor(m->s->ctx, PIR_I64, (pir_shape){&extent, 1}), attrs, 3);
}

pir_value *shard_put_slice(shard_mover *m, pir_value *value, size_t axis, int64_t first,
                           int64_t end, const pir_type *type) {
  pir_context *ctx = m->s->ctx;
  bool dropped = pir_type_shape(type).rank < pir_type_shape(pir_value_type(value)).rank;
  const pir_attr *at = pir_attr_int(ctx, PIR_ATTR_I64, (int64_t)axis),
                 *flag = pir_attr_int(ctx, PIR_ATTR_I64, 1);
  const pir_named_attr attrs[] = {
      shard_named(m, "axes", pir_attr_array(ctx, &at, 1)),
      shard_named(m, "infer_flags", pir_attr_array(ctx, &flag, 1)),
      shard_named(m, "decrease_axis", pir_attr_array(ctx, &at, dropped))};
  pir_value *operands[] = {value, shard_put_list(m, &first, 1), shard_put_list(m, &end, 1)};
  return shard_put_op(m, PD_SLICE, operands, 3, type, attrs, 3);
}
