// Whole programs, in typed text: a program that the verifier takes has facts, goes through
// passes that keep it valid, is lowered to loops, and runs by kernels; or each of them refuses
// it with a message. IR that the verifier refuses has its facts derived all the same.
#include "run_program.h"

#include <pir/compiler/infer.h>

#include "mutate.h"

// ---- mutation

static pir_program *read_typed(pir_context *ctx, pir_str bytes) {
  pir_program *program = NULL;
  return pir_program_parse(ctx, bytes, NULL, &program) ? NULL : program;
}

static pir_status write_typed(const pir_program *program, unsigned seed, pir_writer out) {
  (void)seed;
  return pir_program_print(
      program, &(pir_print_options){.size = sizeof(pir_print_options), .form = PIR_TEXT_TYPED},
      out);
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed);

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed) {
  return fuzz_mutate_bytes(data, size, most, seed, read_typed, write_typed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  pir_context *ctx = fuzz_context();
  pir_program *program = read_typed(ctx, (pir_str){(const char *)data, size});
  pir_facts *facts = NULL;
  unsigned choice = 0;
  for (size_t i = 0; i < size; i++)
    choice = choice * 31 + data[i];
  if (program) {
    if (!pir_facts_create(program, &facts))
      pir_facts_destroy(facts);
    if (!pir_verify(pir_program_module(program), NULL)) {
      run_program(program);
      run_passes(ctx, program, choice >> 8);
    } else {
      pir_program_destroy(program);
    }
  }
  pir_context_destroy(ctx);
  return 0;
}
