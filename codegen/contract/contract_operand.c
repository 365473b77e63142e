// Finds the operands of contractions behind casts that only the contraction reads.
// round_contractions_pass and quantised_contractions_pass insert these casts; lowering and
// grouping ask here for them.
#include "contract_lower.h"

#include <pir/compiler/dialect/pd_op.h>

static bool is_parameter_value(const pir_value *v) {
  return pir_value_op(v) && pir_op_has(pir_value_op(v), PIR_PARAMETER);
}

static bool is_cast(const pir_facts *facts, const pir_op *op, pir_dtype from, pir_dtype to) {
  return op && pir_op_is(op, PD_CAST) &&
         pir_facts_of(facts, pir_op_operand(op, 0))->dtype == from &&
         pir_facts_of(facts, pir_op_result(op, 0))->dtype == to;
}

int contract_trace_operand(const pir_facts *facts, const pir_value *v, const pir_op *casts[2],
                           const pir_value **out_source, pir_dtype *out_rounded) {
  const pir_op *wide = pir_value_op(v), *narrow;
  *out_source = v;
  *out_rounded = PIR_UNDEFINED;
  if (!pir_value_single_use(v))
    return 0;
  bool floats =
      is_cast(facts, wide, PIR_BF16, PIR_F32) || is_cast(facts, wide, PIR_F16, PIR_F32);
  bool bytes = is_cast(facts, wide, PIR_I8, PIR_I32) || is_cast(facts, wide, PIR_I8, PIR_F32);
  if (!floats && !bytes)
    return 0;
  casts[0] = wide;
  *out_source = pir_op_operand(wide, 0);
  casts[1] = narrow = pir_value_op(*out_source);
  pir_dtype low = pir_facts_of(facts, *out_source)->dtype;
  if ((!is_cast(facts, narrow, PIR_F32, low) && !is_cast(facts, narrow, PIR_I32, low)) ||
      !is_parameter_value(pir_op_operand(narrow, 0)) || !pir_value_single_use(*out_source))
    return 1;
  *out_source = pir_op_operand(narrow, 0);
  *out_rounded = low;
  return 2;
}
