// The names of the functions by which ops infer (pir_op_hooks.infer): a stored definition of an
// op states its hook by name. Constant tables; any thread may ask.
#ifndef PIR_HOOK_TABLE_H
#define PIR_HOOK_TABLE_H

#include <pir/compiler/infer.h>

PIR_BEGIN

// A hook of inference.
typedef pir_status (*pir_infer_hook)(pir_infer *infer);

// Returns the name of a hook of libpir; NULL for other functions.
PIR_API const char *pir_infer_hook_name(pir_infer_hook hook);
// Returns the hook with this name; NULL when there is none.
PIR_API pir_infer_hook pir_infer_hook_find(const char *name);

PIR_END
#endif
