// Writes in place that a run cannot show to later readers. Private to passes/.
#ifndef PIR_CHECK_WRITES_H
#define PIR_CHECK_WRITES_H

#include <pir/op.h>

// PIR_UNSUPPORTED, reported, if a later op reads an operand that the op writes in place.
pir_status check_writes(const pir_op *op);

#endif
