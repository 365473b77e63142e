// rounded_residuals_pass, of --math=int8: what a layer reads in integers is read so by the ops
// that read its elements, too, as the sum of a residual does.
//
//   conv(dequantise(quantise(x))), add(sums, x)
//     ->  conv(y), add(sums, y)    where y = dequantise(quantise(x))
//
// Then x is stored in bytes alone (quantised_contractions_pass). Programs that Paddle quantises
// after training keep such x in f32; quantise_pass writes the second form itself. The scale
// must be one for the whole tensor, and known before the program runs. Linear in the program.
#include "choose.h"
#include "group.h"

#include <pir/compiler/dialect/pd_op.h>
#include <pir/layer/integer_form.h>

static bool is_quantize(const pir_op *op) {
  return pir_op_is(op, PD_QUANTIZE_LINEAR);
}

static bool reads_elements_behind(const pir_op *op, const pir_op *at, const pir_facts *facts) {
  return pir_op_block(op) == pir_op_block(at) && pir_op_is_before(at, op) &&
         choose_reads_elements(op, facts);
}

bool pir_share_dequantised(pir_rewriter *rewriter, const pir_facts *facts, pir_value *value,
                           pir_value *dequantised) {
  const pir_op *at = pir_value_op(dequantised);
  bool shared = false;
  if (pir_value_is_overwritten(value) || pir_value_is_overwritten(dequantised))
    return false;
  for (pir_use *u = pir_value_first_use(value); u; u = pir_use_next(u))
    if (!is_quantize(pir_use_owner(u)) && !reads_elements_behind(pir_use_owner(u), at, facts))
      return false;
  PIR_EACH_USE(u, value) {
    if (is_quantize(pir_use_owner(u)))
      continue;
    pir_rewriter_set_operand(rewriter, pir_use_owner(u), pir_use_operand_index(u), dequantised);
    shared = true;
  }
  return shared;
}

// Returns what dequantises the op's integers for a contraction, by the same scale; NULL if
// nothing does.
static pir_value *read_by_contraction(const pir_op *quantise) {
  const pir_value *scale = pir_op_operand(quantise, PD_QUANTIZE_LINEAR_IN_SCALE);
  PIR_EACH_USE(u, pir_op_result(quantise, PD_QUANTIZE_LINEAR_OUT_Y)) {
    const pir_op *reader = pir_use_owner(u);
    if (!pir_op_is(reader, PD_DEQUANTIZE_LINEAR) ||
        pir_op_operand(reader, PD_DEQUANTIZE_LINEAR_IN_SCALE) != scale)
      continue;
    pir_value *back = pir_op_result(reader, PD_DEQUANTIZE_LINEAR_OUT_Y);
    PIR_EACH_USE(v, back)
    if (contract_is_op(pir_use_owner(v)))
      return back;
  }
  return NULL;
}

static bool has_one_known_scale(const pir_op *quantise, const pir_facts *facts) {
  const pir_value *scale = pir_op_operand(quantise, PD_QUANTIZE_LINEAR_IN_SCALE);
  const pir_op *maker = scale ? pir_value_op(scale) : NULL;
  return maker && (pir_op_has(maker, PIR_PARAMETER) || pir_op_has(maker, PIR_CONSTANT)) &&
         group_scale_extent(facts, scale) == 1;
}

pir_status pir_pass_rounded_residuals(pir_pass_run *run) {
  const pir_facts *facts = pir_run_facts(run);
  uint64_t count = 0;
  if (!facts)
    return pir_run_facts_status(run);
  for (pir_op *op = pir_block_first(pir_program_block(run->program)); op;
       op = pir_op_next(op)) {
    if (!is_quantize(op) || !pir_op_bool(op, PD_QUANTIZE_LINEAR_ATTR_IS_TEST) ||
        !has_one_known_scale(op, facts))
      continue;
    pir_value *x = pir_op_operand(op, PD_QUANTIZE_LINEAR_IN_X), *back = read_by_contraction(op);
    count += back && pir_share_dequantised(run->rewriter, facts, x, back);
  }
  pir_run_count(run, "values", count);
  return PIR_OK;
}
