// Parameter records of a program with three parameters of different types and ranks.
#include "fuzz.h"

#include <pir/params.h>
#include <string.h>

static const char program_text[] =
    "{\n"
    "  (%0) = \"builtin.parameter\" () {parameter_name:\"a\",persistable:[true]} : () -> tensor<2x3xf32>\n"
    "  (%1) = \"builtin.parameter\" () {parameter_name:\"b\",persistable:[true]} : () -> tensor<i64>\n"
    "  (%2) = \"builtin.parameter\" () {parameter_name:\"c\",persistable:[true]} : () -> tensor<4xf16>\n"
    "}\n";

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  pir_context *ctx = fuzz_context();
  pir_program *program = NULL;
  if (pir_program_parse(ctx, pir_str_from(program_text), NULL, &program)) abort();
  pir_param_decl decls[3];
  if (pir_program_param_decls(program, decls, 3) != 3) abort();
  uint8_t *copy = malloc(size + 1);
  memcpy(copy, data, size);
  pir_borrowed bytes = {copy, size, free, copy};
  if (pir_program_adopt_records(program, decls, 3, bytes, PIR_STR("fuzz")) && !pir_context_error_count(ctx)) abort();
  pir_program_destroy(program);
  pir_context_destroy(ctx);
  return 0;
}
