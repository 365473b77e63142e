// Pipeline text: parsed against the pass list and refused with a message, never run.
#include "fuzz.h"

#include <pir/compiler/pass.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  pir_context *ctx = fuzz_context();
  pir_pass_manager *manager = pir_pass_manager_create(ctx, NULL);
  if (pir_pass_manager_parse(manager, (pir_str){(const char *)data, size}) &&
      !pir_context_error_count(ctx))
    abort();
  pir_pass_manager_destroy(manager);
  pir_context_destroy(ctx);
  return 0;
}
