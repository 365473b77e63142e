// PIR JSON (`inference.json`). docs/reference/formats.md describes the format. One thread at a
// time, as for the context.
#ifndef PIR_SERIALIZE_H
#define PIR_SERIALIZE_H

#include <pir/compiler/program.h>

PIR_BEGIN

// Reads a program of version 0 to 4, or a later one as far as its kinds are known; parameters
// get no bytes. `file` names the text in messages; neither outlives the call. On success
// *out_program is the caller's, else NULL. Errors are reported with line and column:
// PIR_INVALID for damaged input, PIR_EXHAUSTED when a limit of the context is met. Cost:
// linear.
PIR_API PIR_NODISCARD pir_status pir_program_read_json(pir_context *ctx, pir_str text,
                                                       pir_str file, pir_program **out_program);

// How JSON is written. Zero, but for `size`, writes as Paddle does by default.
typedef struct pir_json_options {
  // sizeof(pir_json_options) (pir/base.h).
  size_t size;
  // Four spaces a level, as Paddle's option `readable` does; else no spaces.
  bool indent;
} pir_json_options;

// Writes a program as version 4, byte for byte as Paddle does. `options` may be NULL. Returns
// PIR_UNSUPPORTED, reported, for attributes that the format does not have (kernels, addresses),
// and PIR_IO when the writer stops. Cost: linear in the output.
PIR_API PIR_NODISCARD pir_status pir_program_write_json(const pir_program *program,
                                                        const pir_json_options *options,
                                                        pir_writer out);

PIR_END
#endif
