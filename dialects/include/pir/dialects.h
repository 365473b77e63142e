// The dialects that come with the library.
#ifndef PIR_DIALECTS_H
#define PIR_DIALECTS_H

#include <pir/dialect.h>

PIR_BEGIN

// Registers builtin, cf, pd_op, kernel, cinn, shape and the declared foreign ones.
PIR_API pir_status pir_dialects_load_all(pir_context *ctx);

PIR_END
#endif
