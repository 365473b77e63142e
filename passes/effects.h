// Which ops may go when nobody reads them. Private to passes/.
#ifndef PIR_EFFECTS_H
#define PIR_EFFECTS_H

#include <pir/op.h>

// Not counting what is in its regions. Inputs, random and in-place ops stay, as Paddle keeps them.
static inline bool pir_op_has_effect(const pir_op *op) {
  uint32_t traits = pir_op_def(op)->traits;
  return !(traits & PIR_PURE) || traits & (PIR_INPUT | PIR_RANDOM | PIR_INPLACE | PIR_TERMINATOR | PIR_OUTPUT);
}

#endif
