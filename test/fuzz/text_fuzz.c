// IR text: any text either parses and then prints, or is refused with a diagnostic.
#include "fuzz.h"

#include "mutate.h"

static pir_program *read_text(pir_context *ctx, pir_str bytes) {
  pir_program *program = NULL;
  return pir_program_parse(ctx, bytes, NULL, &program) ? NULL : program;
}

static pir_status write_text(const pir_program *program, unsigned seed, pir_writer out) {
  pir_text_form form = seed % 3 ? PIR_TEXT_TYPED : PIR_TEXT_T3;
  return pir_program_print(
      program, &(pir_print_options){.size = sizeof(pir_print_options), .form = form}, out);
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed);

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed) {
  return fuzz_mutate_bytes(data, size, most, seed, read_text, write_text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  pir_context *ctx = fuzz_context();
  pir_program *program = NULL;
  pir_parse_options options = {
      .size = sizeof options, .file = PIR_STR("fuzz"), .fragment = size % 2};
  if (!pir_program_parse(ctx, (pir_str){(const char *)data, size}, &options, &program))
    fuzz_exercise(ctx, program);
  else if (!pir_context_error_count(ctx))
    abort();
  pir_context_destroy(ctx);
  return 0;
}
