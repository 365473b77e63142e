// pir_program_settle: brings a program into the form in which programs are saved. Two walks,
// O(ops + uses).
#include <pir/compiler/build.h>
#include <pir/compiler/dialect/builtin.h>
#include <pir/compiler/dialect/pd_op.h>
#include <pir/compiler/params.h>
#include <pir/compiler/walk.h>

#include "mapping.h"

// ---- constants

static pir_op *create_parameter(pir_op *constant) {
  pir_context *ctx = pir_op_context(constant);
  pir_builder at = pir_builder_before(constant);
  const pir_type *type = pir_value_type(pir_op_result(constant, 0));
  pir_named_attr attrs[] = {
      {pir_name_get(ctx, PIR_STR("parameter_name")),
       pir_attr_str(ctx, PIR_ATTR_STR, params_name(constant))},
      {pir_name_get(ctx, PIR_STR("persistable")), pir_attr_flag(ctx, true)},
      {pir_name_get(ctx, PIR_STR("stop_gradient")), pir_attr_flag(ctx, true)},
  };
  pir_op_spec spec = {.def = pir_context_op(ctx, BUILTIN_PARAMETER),
                      .loc = pir_op_loc(constant),
                      .result_types = &type,
                      .result_count = 1,
                      .attrs = attrs,
                      .attr_count = sizeof attrs / sizeof *attrs};
  return pir_build(&at, &spec);
}

static pir_walk_result replace_constant(pir_op *op, void *user) {
  if (!pir_op_is(op, BUILTIN_CONSTANT) || pir_op_results(op) != 1)
    return PIR_WALK_CONTINUE;
  pir_op *parameter = create_parameter(op);
  pir_value_replace_uses(pir_op_result(op, 0), pir_op_result(parameter, 0));
  pir_op_erase(op);
  return PIR_WALK_CONTINUE;
}

// ---- outputs

static bool has_fetch(const pir_block *block) {
  PIR_EACH_OP(op, (pir_block *)(uintptr_t)block)
  if (pir_op_is(op, PD_FETCH))
    return true;
  return false;
}

// Whether the output only keeps a parameter that nothing else reads.
static bool only_keeps(const pir_op *output, pir_str name) {
  const pir_op *source = pir_value_op(pir_op_operand(output, 0));
  return source && pir_op_has(source, PIR_PARAMETER) &&
         pir_str_equal(params_name(source), name);
}

static void create_fetch(pir_op *output, pir_str name, int64_t column) {
  pir_context *ctx = pir_op_context(output);
  pir_builder at = pir_builder_before(output);
  pir_value *value = pir_op_operand(output, 0);
  const pir_type *type = pir_value_type(value);
  pir_named_attr attrs[] = {
      {pir_name_get(ctx, PIR_STR("name")), pir_attr_str(ctx, PIR_ATTR_STR, name)},
      {pir_name_get(ctx, PIR_STR("col")), pir_attr_int(ctx, PIR_ATTR_I32, column)},
      {pir_name_get(ctx, PIR_STR("persistable")), pir_attr_flag(ctx, true)},
  };
  pir_op_spec spec = {.def = pir_context_op(ctx, PD_FETCH),
                      .loc = pir_op_loc(output),
                      .operands = &value,
                      .operand_count = 1,
                      .result_types = &type,
                      .result_count = 1,
                      .attrs = attrs,
                      .attr_count = sizeof attrs / sizeof *attrs};
  (void)pir_build(&at, &spec);
}

static void fetch_outputs(pir_block *block) {
  int64_t column = 0;
  if (has_fetch(block))
    return;
  PIR_EACH_OP(op, block) {
    if (!pir_op_is(op, BUILTIN_SHADOW_OUTPUT) || !pir_op_operand(op, 0))
      continue;
    pir_str name = pir_op_text(op, BUILTIN_SHADOW_OUTPUT_ATTR_OUTPUT_NAME);
    if (!only_keeps(op, name))
      create_fetch(op, name, column++);
    pir_op_erase(op);
  }
}

void pir_program_settle(pir_program *program, pir_format format) {
  const pir_format_def *def = pir_format_find(format);
  if (def && def->fetches)
    fetch_outputs(pir_program_block(program));
  if (def && def->named_constants)
    (void)pir_walk(pir_program_module(program), PIR_POST_ORDER, replace_constant, NULL);
}
