// Loop IR as text (docs/reference/loops.md): reading, verifying and writing it as code. A
// context is used by one thread at a time.
#ifndef PIR_LOOPS_H
#define PIR_LOOPS_H

#include <pir/layer/codegen.h>

PIR_BEGIN

// Text of loop IR as pir_codegen_write prints it (docs/reference/loops.md).
typedef struct pir_loops_source {
  // Name of the file, for places.
  pir_str file;
  // The text itself.
  pir_str text;
  // Number of the text's first line in the file, from 1.
  uint32_t first_line;
} pir_loops_source;

// Whether a text begins as loop IR does, so that a tool can tell it from a program.
PIR_API bool pir_loops_recognised(pir_str text);
// Reads and verifies loop IR. PIR_INVALID: errors were reported with their places.
PIR_NODISCARD PIR_API pir_status pir_loops_verify(pir_context *ctx,
                                                  const pir_loops_source *source);
// Does the same and writes the loops in a form of code; PIR_CODE_LOOPS is the text again. Fails
// as pir_codegen_write does.
PIR_NODISCARD PIR_API pir_status pir_loops_write(pir_context *ctx,
                                                 const pir_loops_source *source,
                                                 const pir_target *target, pir_code_form form,
                                                 pir_writer out);

PIR_END
#endif
