// The dialects that come with the library.
#ifndef PIR_DIALECTS_H
#define PIR_DIALECTS_H

#include <pir/dialect.h>

PIR_BEGIN

// Registers builtin, cf, pd_op, cinn_op, shape and the declared foreign ones. Ops of the kernel
// dialect need no registration: they mean what the op they name means (pir_op_meaning).
PIR_API pir_status pir_dialects_load_all(pir_context *ctx);

PIR_END
#endif
