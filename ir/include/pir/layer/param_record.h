// Records of parameters: copies with a count of holders, outside of any context, because models
// keep them and may release them on other threads.
#ifndef PIR_PARAM_RECORD_H
#define PIR_PARAM_RECORD_H

#include <pir/compiler/program.h>

PIR_BEGIN

// Copies a parameter, but not its bytes, for one holder; NULL if memory runs out.
// pir_param_release drops it.
PIR_API pir_param *pir_param_create(const pir_param *param);
// States that the bytes are a part of a mapped file, which the system reads again when needed.
PIR_API void pir_param_set_mapped(const pir_param *param);
// States that the bytes are not needed for some time. Pages of a mapped file leave this process
// at once; other memory may be reclaimed before memory that is in use.
PIR_API void pir_param_let_go(const pir_param *param);

PIR_END
#endif
