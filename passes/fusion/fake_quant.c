// Removes simulated quantisation from a program. Two passes, one walk each.
//
// delete_quant_dequant_linear_op_pass removes rounding to integers and straight back: readers
// of the result read the operand. The scale is noted on those readers (inputs_index,
// inputs_scale), as Paddle does.
//
// delete_weight_dequant_linear_op_pass removes the dequantisation of a parameter: readers of
// the result read the integers. The caller has to know the scales.
//
// Both passes change the numbers that the program computes, by purpose. Scales are parameters;
// a scale whose bytes are not loaded is not noted. Unlike Paddle's, the first pass checks that
// both ops use the same scale along the same axis.
#include <pir/compiler/dialect/pd_op.h>
#include <pass_list.h>
#include <pir/compiler/pass.h>
#include <pir/engine/tensor.h>
#include <pir/compiler/walk.h>
#include <effects.h>
#include <param_names.h>
#include <vec.h>

#include <string.h>

typedef struct found {
  pir_arena *arena;
  PIR_VEC(pir_op *) ops;
} found;

static pir_walk_result collect_dequantize(pir_op *op, void *user) {
  found *f = user;
  if (pir_op_is(op, PD_DEQUANTIZE_LINEAR))
    pir_vec_push(f->arena, &f->ops, op);
  return PIR_WALK_CONTINUE;
}

static pir_op *parameter_of(const pir_op *op, size_t i) {
  const pir_value *value = pir_op_optional(op, i);
  pir_op *source = value ? pir_value_op(value) : NULL;
  return source && pir_op_has(source, PIR_PARAMETER) ? source : NULL;
}

// Whether the op has the form of inference: the scale is a float parameter, and it has no
// training statistics.
static bool is_fixed(const pir_op *op) {
  const pir_op *scale = parameter_of(op, PD_DEQUANTIZE_LINEAR_IN_SCALE);
  if (!scale || pir_op_optional(op, PD_DEQUANTIZE_LINEAR_IN_IN_ACCUM) ||
      pir_op_optional(op, PD_DEQUANTIZE_LINEAR_IN_IN_STATE))
    return false;
  for (size_t i = 1; i < pir_op_results(op); i++)
    if (!pir_value_unused(pir_op_result(op, i)))
      return false;
  pir_dtype dtype = pir_type_dtype(pir_value_type(pir_op_result(scale, 0)));
  return dtype == PIR_F16 || dtype == PIR_F32;
}

// ---- rounding and straight back

static bool is_round_trip(const pir_op *back) {
  const pir_op *there = pir_op_operand_op(back, PD_DEQUANTIZE_LINEAR_IN_X);
  if (!there || !pir_op_is(there, PD_QUANTIZE_LINEAR) || !is_fixed(there) || !is_fixed(back))
    return false;
  if (!pir_value_single_use(pir_op_operand(back, PD_DEQUANTIZE_LINEAR_IN_X)))
    return false;
  for (size_t i = PD_DEQUANTIZE_LINEAR_IN_SCALE; i <= PD_DEQUANTIZE_LINEAR_IN_ZERO_POINT; i++)
    if (pir_op_operand(there, i) != pir_op_operand(back, i))
      return false;
  for (size_t i = 0; i < pir_op_def(back)->attr_count; i++)
    if (pir_op_attr_at(there, i) != pir_op_attr_at(back, i))
      return false;
  return true;
}

// The bytes of a parameter may lie at any address.
static bool first_number(const pir_program *program, const pir_op *parameter,
                         double *out_number) {
  const pir_param *param = pir_program_param(program, pir_op_parameter_name(parameter));
  if (!param || !pir_dtype_is_float(param->dtype) || param->size < pir_dtype_size(param->dtype))
    return false;
  double element;
  pir_tensor tensor;
  memcpy(&element, param->data, pir_dtype_size(param->dtype));
  pir_tensor_set_dense(&tensor, param->dtype, NULL, 0);
  tensor.data = &element;
  *out_number = pir_tensor_float_at(&tensor, 0);
  return true;
}

// Adds one entry to a list attribute of the op.
static void append(pir_pass_run *run, pir_op *op, const char *name, const pir_attr *entry) {
  pir_context *ctx = pir_program_context(run->program);
  pir_arena *arena = pir_context_arena(ctx);
  const pir_attr *list = pir_op_attr_str(op, name);
  size_t count = list ? pir_attr_elements(list) : 0, bytes = (count + 1) * sizeof list;
  const pir_attr **entries = pir_arena_zalloc(arena, bytes);
  for (size_t i = 0; i < count; i++)
    entries[i] = pir_attr_element(list, i);
  entries[count] = entry;
  pir_rewriter_set_attr(run->rewriter, op, pir_name_get(ctx, pir_str_from(name)),
                        pir_attr_array(ctx, entries, count + 1));
  pir_arena_free(arena, entries, bytes);
}

static void note_scale(pir_pass_run *run, const pir_op *back) {
  pir_context *ctx = pir_program_context(run->program);
  const pir_use *use = pir_value_first_use(pir_op_result(back, 0));
  double scale;
  if (!use ||
      !first_number(run->program, parameter_of(back, PD_DEQUANTIZE_LINEAR_IN_SCALE), &scale))
    return;
  pir_op *reader = pir_use_owner(use);
  append(run, reader, "inputs_index",
         pir_attr_int(ctx, PIR_ATTR_I32, (int64_t)pir_use_operand_index(use)));
  append(run, reader, "inputs_scale", pir_attr_float(ctx, PIR_ATTR_F32, scale));
}

// Erases the op and the parameters that only it reads.
static void erase_with_parameters(param_names *names, pir_op *op) {
  found read = {.arena = pir_context_arena(pir_op_context(op))};
  for (size_t i = 0; i < pir_op_operands(op); i++) {
    pir_op *parameter = parameter_of(op, i);
    if (parameter)
      pir_vec_push(read.arena, &read.ops, parameter);
  }
  pir_rewriter_erase(names->run->rewriter, op);
  for (size_t i = 0; i < read.ops.count; i++) {
    bool repeated = false;
    for (size_t k = 0; k < i; k++)
      repeated |= read.ops.items[k] == read.ops.items[i];
    if (!repeated && pir_op_unused(read.ops.items[i]))
      param_names_erase(names, read.ops.items[i]);
  }
  pir_vec_free(read.arena, &read.ops);
}

pir_status pir_pass_delete_quant_dequant(pir_pass_run *run) {
  found f = {.arena = pir_context_arena(pir_program_context(run->program))};
  param_names names = {.run = run};
  uint64_t removed = 0;
  pir_walk(pir_program_module(run->program), PIR_PRE_ORDER, collect_dequantize, &f);
  for (size_t i = 0; i < f.ops.count; i++) {
    pir_op *back = f.ops.items[i], *there = pir_op_operand_op(back, PD_DEQUANTIZE_LINEAR_IN_X);
    if (!is_round_trip(back))
      continue;
    note_scale(run, back);
    pir_rewriter_replace_value(run->rewriter, pir_op_result(back, 0),
                               pir_op_operand(there, PD_QUANTIZE_LINEAR_IN_X));
    pir_rewriter_erase(run->rewriter, back);
    erase_with_parameters(&names, there);
    removed++;
  }
  pir_vec_free(f.arena, &f.ops);
  param_names_free(&names);
  pir_run_count(run, "round trips removed", removed);
  return PIR_OK;
}

// ---- weights

pir_status pir_pass_delete_weight_dequant(pir_pass_run *run) {
  found f = {.arena = pir_context_arena(pir_program_context(run->program))};
  param_names names = {.run = run};
  uint64_t removed = 0;
  pir_walk(pir_program_module(run->program), PIR_PRE_ORDER, collect_dequantize, &f);
  for (size_t i = 0; i < f.ops.count; i++) {
    pir_op *op = f.ops.items[i];
    if (!parameter_of(op, PD_DEQUANTIZE_LINEAR_IN_X) || !is_fixed(op))
      continue;
    pir_rewriter_replace_value(run->rewriter, pir_op_result(op, 0),
                               pir_op_operand(op, PD_DEQUANTIZE_LINEAR_IN_X));
    erase_with_parameters(&names, op);
    removed++;
  }
  pir_vec_free(f.arena, &f.ops);
  param_names_free(&names);
  pir_run_count(run, "weights left as integers", removed);
  return PIR_OK;
}
