// Loop IR: anything is either verified, and then printed as text that reads back and prints the
// same, or refused with a diagnostic.
#include "fuzz.h"

#include <pir/layer/loops.h>

static bool print_loops(pir_context *ctx, pir_str text, const pir_target *target,
                        fuzz_text *out) {
  pir_loops_source source = {PIR_STR("fuzz"), text, 1};
  return !pir_loops_write(ctx, &source, target, PIR_CODE_LOOPS, (pir_writer){fuzz_keep, out});
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  pir_context *ctx = fuzz_context();
  fuzz_text first = {0}, second = {0};
  pir_target target;
  if (pir_target_describe("x86-64", &target))
    abort();
  if (print_loops(ctx, (pir_str){(const char *)data, size}, &target, &first)) {
    if (!print_loops(ctx, fuzz_view(&first), &target, &second)) {
      fprintf(stderr, "printed loops are refused (%s):\n%.*s\n", fuzz_message, (int)first.size,
              first.data);
      abort();
    }
    fuzz_same("loop IR", &first, &second);
  } else if (!pir_context_error_count(ctx)) {
    abort();
  }
  free(first.data);
  free(second.data);
  pir_context_destroy(ctx);
  return 0;
}
