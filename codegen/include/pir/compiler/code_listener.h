// Who hears of the compiled code of a context's models.
#ifndef PIR_CODE_LISTENER_H
#define PIR_CODE_LISTENER_H

#include <pir/compiler/context.h>
#include <pir/engine/loaded_code.h>

PIR_BEGIN

// Reports the code of models that are made in a context from now on (pir_model_create), until
// another listener takes the place; NULL: nobody. The struct is copied. Not reported: code for
// devices. pir_model_load makes a context of its own, and takes a listener in its options.
PIR_API PIR_NODISCARD pir_status pir_context_listen_code(pir_context *ctx,
                                                         const pir_code_listener *listener);

PIR_END
#endif
