// Legacy programs: `.pdmodel`, a serialized ProgramDesc. Reading translates them into PIR, op for op as
// Paddle 3.3's own translator does, so that what is printed is what Paddle prints.
#ifndef PIR_LEGACY_H
#define PIR_LEGACY_H

#include <pir/program.h>

PIR_BEGIN

// Reads and translates. `bytes` need not outlive the call. Every op that has no translation is reported
// (PIR_UNSUPPORTED); a malformed file is reported with its byte offset, block and op (PIR_INVALID).
PIR_API PIR_NODISCARD pir_status pir_program_read_pdmodel(pir_context *ctx, pir_str bytes, pir_str file,
                                                          pir_program **out_program);

PIR_END
#endif
