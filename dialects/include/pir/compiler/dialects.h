// The dialects that come with the library.
#ifndef PIR_DIALECTS_H
#define PIR_DIALECTS_H

#include <pir/compiler/dialect.h>

PIR_BEGIN

// Registers builtin, cf, pd_op, cinn_op, shape and the other declared dialects in a context. A
// second call does nothing. Ops of the kernel dialect need no registration: each means the op
// that it was lowered from (pir_op_meaning). Fails as pir_context_register does.
PIR_API PIR_NODISCARD pir_status pir_dialects_load_all(pir_context *ctx);

PIR_END
#endif
