// Small questions about ops that several passes ask. Private to passes/.
#ifndef PIR_EFFECTS_H
#define PIR_EFFECTS_H

#include <pir/op.h>

// Not counting what is in its regions. Inputs, random and in-place ops stay, as Paddle keeps them.
static inline bool pir_op_has_effect(const pir_op *op) {
  uint32_t traits = pir_op_def(op)->traits;
  return !(traits & PIR_PURE) || traits & (PIR_INPUT | PIR_RANDOM | PIR_INPLACE | PIR_TERMINATOR | PIR_OUTPUT);
}

// Whether an op writes its result over that operand.
static inline bool pir_op_overwrites(const pir_op *op, size_t operand) {
  const pir_opdef *def = pir_op_def(op);
  for (size_t i = 0; i < def->inplace_count && def->traits & PIR_INPLACE; i++)
    if (def->inplace[i].operand == operand) return true;
  return false;
}

// The name of the parameter an op with that trait reads: its one declared string.
static inline pir_str pir_op_parameter_name(const pir_op *op) {
  const pir_opdef *def = pir_op_def(op);
  for (size_t i = 0; i < def->attr_count; i++) {
    bool text = def->attrs[i].kind == PIR_ATTR_STR || def->attrs[i].kind == PIR_ATTR_TENSOR_NAME;
    if (text && pir_op_attr_at(op, i)) return pir_op_text(op, i);
  }
  return (pir_str){"", 0};
}

#endif
