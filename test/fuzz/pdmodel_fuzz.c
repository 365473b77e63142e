// Legacy programs: as text_fuzz.c.
#include "fuzz.h"

#include <pir/legacy.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  pir_context *ctx = fuzz_context();
  pir_program *program = NULL;
  if (!pir_program_read_pdmodel(ctx, (pir_str){(const char *)data, size}, PIR_STR("fuzz"),
                                &program))
    fuzz_exercise(ctx, program);
  else if (!pir_context_error_count(ctx))
    abort();
  pir_context_destroy(ctx);
  return 0;
}
