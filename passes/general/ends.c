// Passes over a program's outputs and assertions. Each pass is one walk.
//   add_shadow_output_after_dead_parameter_pass   turns parameters that nobody reads into
//                                                 outputs, so that they are kept
//   replace_fetch_with_shadow_output_pass         turns fetches into named outputs; copies an
//                                                 input that is itself an output
//   delete_assert_op_pass                         removes assertions, and the lists of tensors
//                                                 that they would print
#include "program_ports.h"
#include <pass_list.h>
#include <pir/compiler/dialect/pd_op.h>
#include <pir/compiler/pass.h>
#include <pir/compiler/walk.h>
#include <effects.h>
#include <vec.h>

pir_status pir_pass_keep_parameters(pir_pass_run *run) {
  pir_block *block = pir_program_block(run->program);
  uint64_t kept = 0;
  for (pir_op *op = pir_block_first(block); op; op = pir_op_next(op)) {
    if (!pir_op_has(op, PIR_PARAMETER) || !pir_op_unused(op))
      continue;
    program_append_output(run, pir_op_result(op, 0), pir_op_parameter_name(op));
    kept++;
  }
  pir_run_count(run, "parameters kept", kept);
  return PIR_OK;
}

// Copies an input before it becomes an output: outputs share memory with their operand, and
// inputs belong to the caller.
static pir_value *copy_of(pir_pass_run *run, pir_op *at, pir_value *value) {
  pir_context *ctx = pir_program_context(run->program);
  const pir_opdef *full = pir_context_op(ctx, PD_FULL), *scale = pir_context_op(ctx, PD_SCALE);
  const int64_t shape[] = {1};
  const pir_type *one_type = pir_type_tensor(ctx, PIR_F32, (pir_shape){shape, 1}),
                 *type = pir_value_type(value);
  pir_named_attr ones[] = {
      pir_declared_attr(ctx, full, PD_FULL_ATTR_SHAPE, pir_attr_int_array(ctx, shape, 1)),
      pir_declared_attr(ctx, full, PD_FULL_ATTR_VALUE, pir_attr_float(ctx, PIR_ATTR_F64, 1.0)),
      pir_declared_attr(ctx, full, PD_FULL_ATTR_DTYPE, pir_attr_dtype(ctx, PIR_F32)),
      pir_declared_attr(ctx, full, PD_FULL_ATTR_PLACE,
                        pir_attr_place(ctx, (pir_place){.kind = 1})),
  };
  pir_named_attr attrs[] = {
      pir_declared_attr(ctx, scale, PD_SCALE_ATTR_BIAS, pir_attr_float(ctx, PIR_ATTR_F64, 0.0)),
      pir_declared_attr(ctx, scale, PD_SCALE_ATTR_BIAS_AFTER_SCALE, pir_attr_bool(ctx, true)),
  };
  pir_op_spec spec = {.def = full,
                      .loc = pir_op_loc(at),
                      .result_types = &one_type,
                      .result_count = 1,
                      .attrs = ones,
                      .attr_count = sizeof ones / sizeof *ones};
  pir_value *operands[] = {value,
                           pir_op_result(pir_rewriter_create(run->rewriter, at, &spec), 0)};
  spec = (pir_op_spec){.def = scale,
                       .loc = pir_op_loc(at),
                       .operands = operands,
                       .operand_count = 2,
                       .result_types = &type,
                       .result_count = 1,
                       .attrs = attrs,
                       .attr_count = sizeof attrs / sizeof *attrs};
  return pir_op_result(pir_rewriter_create(run->rewriter, at, &spec), 0);
}

pir_status pir_pass_replace_fetch(pir_pass_run *run) {
  uint64_t replaced = 0;
  for (pir_op *op = pir_block_first(pir_program_block(run->program)), *next; op; op = next) {
    next = pir_op_next(op);
    if (pir_op_def(op)->id != PD_FETCH || !pir_op_unused(op))
      continue;
    pir_value *value = pir_op_operand(op, 0);
    const pir_op *source = pir_value_op(value);
    if (!source || pir_op_has(source, PIR_INPUT))
      value = copy_of(run, op, value);
    program_add_output(run, op, value, pir_attr_as_str(pir_op_attr_str(op, "name")));
    pir_rewriter_erase(run->rewriter, op);
    replaced++;
  }
  pir_run_count(run, "fetches replaced", replaced);
  return PIR_OK;
}

typedef struct found {
  pir_arena *arena;
  PIR_VEC(pir_op *) ops;
} found;

static pir_walk_result find_assert(pir_op *op, void *user) {
  found *f = user;
  if (pir_op_def(op)->id == PD_ASSERT)
    pir_vec_push(f->arena, &f->ops, op);
  return PIR_WALK_CONTINUE;
}

pir_status pir_pass_delete_assert(pir_pass_run *run) {
  found f = {.arena = pir_context_arena(pir_program_context(run->program))};
  pir_walk(pir_program_module(run->program), PIR_PRE_ORDER, find_assert, &f);
  for (size_t i = 0; i < f.ops.count; i++) {
    pir_value *shown = pir_op_operand(f.ops.items[i], PD_ASSERT_IN_DATA);
    pir_op *list = shown ? pir_value_op(shown) : NULL;
    pir_rewriter_erase(run->rewriter, f.ops.items[i]);
    if (list && pir_op_has(list, PIR_STRUCTURAL) && pir_op_unused(list))
      pir_rewriter_erase(run->rewriter, list);
  }
  pir_run_count(run, "assertions removed", f.ops.count);
  return PIR_OK;
}
