// Inputs and outputs that passes add to a program.
#include "program_ports.h"

#include <pir/compiler/dialect/builtin.h>
#include <pir/compiler/dialect/pd_op.h>
#include <effects.h>

pir_value *program_add_input(const pir_pass_run *run, pir_op *at, pir_str name,
                             const pir_type *type) {
  pir_context *ctx = pir_program_context(run->program);
  const pir_opdef *def = pir_context_op(ctx, PD_DATA);
  pir_shape shape = pir_type_shape(type);
  pir_named_attr attrs[] = {
      pir_declared_attr(ctx, def, PD_DATA_ATTR_NAME, pir_attr_str(ctx, PIR_ATTR_STR, name)),
      pir_declared_attr(ctx, def, PD_DATA_ATTR_SHAPE,
                        pir_attr_int_array(ctx, shape.dims, shape.rank)),
      pir_declared_attr(ctx, def, PD_DATA_ATTR_DTYPE,
                        pir_attr_dtype(ctx, pir_type_dtype(type))),
      pir_declared_attr(ctx, def, PD_DATA_ATTR_PLACE, pir_attr_place(ctx, (pir_place){0})),
  };
  pir_op_spec spec = {.def = def,
                      .loc = pir_op_loc(at),
                      .result_types = &type,
                      .result_count = 1,
                      .attrs = attrs,
                      .attr_count = sizeof attrs / sizeof *attrs};
  return pir_op_result(pir_rewriter_create(run->rewriter, at, &spec), 0);
}

pir_op *program_add_output(const pir_pass_run *run, pir_op *at, pir_value *value,
                           pir_str name) {
  pir_context *ctx = pir_program_context(run->program);
  const pir_opdef *def = pir_context_op(ctx, BUILTIN_SHADOW_OUTPUT);
  pir_named_attr attr = pir_declared_attr(ctx, def, BUILTIN_SHADOW_OUTPUT_ATTR_OUTPUT_NAME,
                                          pir_attr_str(ctx, PIR_ATTR_STR, name));
  pir_op_spec spec = {.def = def,
                      .loc = pir_op_loc(at),
                      .operands = &value,
                      .operand_count = 1,
                      .attrs = &attr,
                      .attr_count = 1};
  return pir_rewriter_create(run->rewriter, at, &spec);
}

pir_op *program_append_output(const pir_pass_run *run, pir_value *value, pir_str name) {
  pir_op *last = pir_block_last(pir_program_block(run->program));
  pir_op *output = program_add_output(run, last, value, name);
  if (!pir_op_has(last, PIR_TERMINATOR))
    pir_op_move_before(last, output);
  return output;
}
