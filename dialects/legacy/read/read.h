// The interface of the legacy reader for loading.
#ifndef PIR_LEGACY_READ_H
#define PIR_LEGACY_READ_H

#include <pir/compiler/params.h>

// Reads like pir_program_read_pdmodel. `out_decls` and `out_count` (may be NULL) list every
// parameter of the program's file in name order, read by an op or not; free them with free.
pir_status legacy_read(pir_context *ctx, pir_str bytes, pir_str file, pir_program **out_program,
                       pir_param_decl **out_decls, size_t *out_count);

#endif
