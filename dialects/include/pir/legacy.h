// Legacy programs: `.pdmodel`, a serialized ProgramDesc. Reading translates them into PIR, op
// for op as Paddle 3.3's own translator does, so that what is printed is what Paddle prints;
// writing is the way back.
#ifndef PIR_LEGACY_H
#define PIR_LEGACY_H

#include <pir/program.h>

PIR_BEGIN

// Reads and translates. `bytes` need not outlive the call. Every op that has no translation is
// reported (PIR_UNSUPPORTED); a malformed file is reported with its byte offset, block and op
// (PIR_INVALID).
PIR_API PIR_NODISCARD pir_status pir_program_read_pdmodel(pir_context *ctx, pir_str bytes,
                                                          pir_str file,
                                                          pir_program **out_program);

// Verifies a program and writes it as Paddle 3.3 would. Nothing is written of one that the old
// format cannot say: every such op is reported (PIR_UNSUPPORTED). Persistable parameters are
// variables of their names, whose bytes belong in a parameter file (pir/params.h). PIR_IO when
// `out` stops.
PIR_API PIR_NODISCARD pir_status pir_program_write_pdmodel(const pir_program *program,
                                                           pir_writer out);

PIR_END
#endif
