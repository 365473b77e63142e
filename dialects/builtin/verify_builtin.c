// Verifies ops on lists.
#include <builtin_hooks.h>
#include <pir/compiler/ir.h>
#include <pir/diag.h>

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
