// IR text: any text either parses and then prints, or is refused with a diagnostic.
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  pir_context *ctx = fuzz_context();
  pir_program *program = NULL;
  pir_parse_options options = {.file = PIR_STR("fuzz"), .fragment = size % 2};
  if (!pir_program_parse(ctx, (pir_str){(const char *)data, size}, &options, &program))
    fuzz_exercise(ctx, program);
  else if (!pir_context_error_count(ctx))
    abort();
  pir_context_destroy(ctx);
  return 0;
}
