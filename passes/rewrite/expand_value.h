// Values made by an expansion. Private to passes/.
#ifndef PIR_EXPAND_VALUE_H
#define PIR_EXPAND_VALUE_H

#include <pir/layer/lower.h>

// Makes an op and returns its first result. Returns NULL if an operand is NULL, or after a
// failure, which is reported: so a chain of values is checked at its end.
static inline pir_value *expand_value(pir_expand *e, uint32_t op_id, pir_value *const *operands,
                                      size_t operand_count, const pir_named_attr *attrs,
                                      size_t attr_count) {
  for (size_t i = 0; i < operand_count; i++)
    if (!operands[i])
      return NULL;
  pir_op *op = pir_expand_op(e, op_id, operands, operand_count, attrs, attr_count);
  return op ? pir_op_result(op, 0) : NULL;
}

#endif
