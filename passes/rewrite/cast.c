// Casts that passes insert between a value and its readers.
#include <pir/compiler/rewrite.h>

#include <effects.h>

#include <pir/compiler/dialect/pd_op.h>

pir_op *pir_rewriter_behind(const pir_value *value) {
  pir_op *source = pir_value_op(value);
  return source ? pir_op_next(source) : pir_block_first(pir_value_block(value));
}

pir_value *pir_rewriter_cast(pir_rewriter *rewriter, pir_op *at, pir_loc loc, pir_value *value,
                             pir_dtype dtype) {
  pir_context *ctx = pir_rewriter_context(rewriter);
  const pir_opdef *def = pir_context_op(ctx, PD_CAST);
  const pir_type *type = pir_type_with_dtype(ctx, pir_value_type(value), dtype);
  pir_named_attr attr =
      pir_declared_attr(ctx, def, PD_CAST_ATTR_DTYPE, pir_attr_dtype(ctx, dtype));
  pir_op_spec spec = {.def = def,
                      .loc = loc,
                      .operands = &value,
                      .operand_count = 1,
                      .result_types = &type,
                      .result_count = 1,
                      .attrs = &attr,
                      .attr_count = 1};
  return pir_op_result(pir_rewriter_create(rewriter, at, &spec), 0);
}
