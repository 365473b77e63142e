// Legacy programs: `.pdmodel`, a serialized ProgramDesc (docs/reference/legacy.md). Reading
// translates them into PIR, op for op as Paddle 3.3's own translator does, so that the printed
// text equals Paddle's; writing is the way back. One thread at a time, as for the context.
#ifndef PIR_LEGACY_H
#define PIR_LEGACY_H

#include <pir/compiler/program.h>

PIR_BEGIN

// Reads and translates a program; its parameters get no bytes. `bytes` need not outlive the
// call, `file` names them in messages. On success *out_program is the caller's, else NULL. Each
// type of op without a translation is reported once (PIR_UNSUPPORTED); a malformed file is
// reported with byte offset, block and op (PIR_INVALID); a limit is PIR_EXHAUSTED. Cost:
// linear.
PIR_API PIR_NODISCARD pir_status pir_program_read_pdmodel(pir_context *ctx, pir_str bytes,
                                                          pir_str file,
                                                          pir_program **out_program);

// Verifies a program and writes it as Paddle 3.3 would. Persistable parameters become variables
// with their names; the bytes belong in a parameter file (pir/compiler/params.h). When the old
// format cannot say something, nothing is written and each kind of op is reported
// (PIR_UNSUPPORTED). Returns PIR_INVALID for a program that does not verify and PIR_IO when the
// writer stops.
PIR_API PIR_NODISCARD pir_status pir_program_write_pdmodel(const pir_program *program,
                                                           pir_writer out);

PIR_END
#endif
