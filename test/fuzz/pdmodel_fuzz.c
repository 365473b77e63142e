// Legacy programs: as text_fuzz.c.
#include "fuzz.h"

#include <pir/compiler/legacy.h>

#include "mutate.h"

static pir_program *read_pdmodel(pir_context *ctx, pir_str bytes) {
  pir_program *program = NULL;
  return pir_program_read_pdmodel(ctx, bytes, PIR_STR("seed"), &program) ? NULL : program;
}

static pir_status write_pdmodel(const pir_program *program, unsigned seed, pir_writer out) {
  (void)seed;
  return pir_program_write_pdmodel(program, out);
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed);

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed) {
  return fuzz_mutate_bytes(data, size, most, seed, read_pdmodel, write_pdmodel);
}

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
