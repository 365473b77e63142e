// What the fuzz targets share: a fresh context with small limits and all dialects, and a sink that says nothing.
#ifndef PIR_TEST_FUZZ_H
#define PIR_TEST_FUZZ_H

#include <pir/dialects.h>
#include <pir/ir.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void fuzz_ignore(void *user, const pir_diag *diag) {}

static bool fuzz_swallow(void *user, const char *data, size_t size) {
  *(size_t *)user += size;
  return true;
}

static inline pir_context *fuzz_context(void) {
  pir_context_options options = {.size = sizeof options,
                                 .limits = {.max_ops = 20000, .max_depth = 2000, .max_attr_items = 100000}};
  pir_context *ctx = pir_context_create(&options);
  pir_context_set_sink(ctx, (pir_diag_sink){fuzz_ignore, NULL});
  if (pir_dialects_load_all(ctx)) abort();
  return ctx;
}

// What every reader's program must bear: verification, printing in all forms, JSON, reading its own text back.
static inline void fuzz_exercise(pir_program *program) {
  size_t bytes = 0;
  pir_writer out = {fuzz_swallow, &bytes};
  pir_status ignored = pir_verify(pir_program_module(program), NULL);
  for (int form = PIR_TEXT_T3; form <= PIR_TEXT_TYPED; form++)
    ignored |= pir_program_print(program, &(pir_print_options){.form = form}, out);
  ignored |= pir_program_write_json(program, NULL, out);
  (void)ignored;
  pir_program_destroy(program);
}

#endif
