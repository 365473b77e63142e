// Facts of lists: the facts of a list's members are its operands' facts.
#include "infer_impl.h"
#include <builtin_hooks.h>
#include <pir/compiler/ir.h>
#include <pir/diag.h>

pir_status builtin_infer_combine(pir_infer *infer) {
  if (infer->operand_count && infer->operands[0])
    infer->results[0] = *infer->operands[0];
  return PIR_OK;
}

pir_status builtin_infer_split(pir_infer *infer) {
  const pir_fact *list = infer->operand_count ? infer->operands[0] : NULL;
  for (size_t i = 0; list && list->members && i < infer->result_count && i < list->member_count;
       i++)
    infer->results[i] = *list->members[i];
  return PIR_OK;
}

pir_status builtin_infer_slice(pir_infer *infer) {
  const pir_fact *list = infer->operand_count ? infer->operands[0] : NULL;
  int64_t i = infer->attrs[0].i;
  if (!list || !list->members)
    return PIR_OK;
  if (i < 0 || (size_t)i >= list->member_count)
    return pir_infer_fail(infer, "index %lld of a list of %zu", (long long)i,
                          list->member_count);
  infer->results[0] = *list->members[i];
  return PIR_OK;
}

// The tables cannot tell a list, which is one operand, from many operands.
static pir_status check_list_operand(const pir_op *op) {
  if (pir_op_operands(op) != 1 || !pir_op_operand(op, 0))
    return pir_error(op, "expects one operand, a list");
  return PIR_OK;
}

pir_status builtin_verify_split(const pir_op *op) {
  return check_list_operand(op);
}

pir_status builtin_verify_slice(const pir_op *op) {
  return check_list_operand(op);
}
