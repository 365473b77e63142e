// Parameter records. The head of the input declares the parameters (a byte with their number,
// then for each a byte of element type and rank and one byte for each extent); the rest is the
// combined file. Accepted records are read to the last byte.
#include "fuzz.h"

#include <pir/compiler/params.h>

enum { PARAMS_MAX = 7 };
static const char *const dtypes[] = {"f32",      "i64",    "f16", "bf16", "b",   "u8",
                                     "i8",       "i32",    "f64", "i16",  "c64", "c128",
                                     "f8e4m3fn", "f8e5m2", "f32", "f32"};

static uint8_t take(const uint8_t **at, const uint8_t *end) {
  return *at < end ? *(*at)++ : 0;
}

static size_t declare(char *text, size_t capacity, const uint8_t **at, const uint8_t *end) {
  size_t count = take(at, end) % (PARAMS_MAX + 1), n = 0;
  n += (size_t)snprintf(text + n, capacity - n, "{\n");
  for (size_t i = 0; i < count; i++) {
    uint8_t kind = take(at, end);
    n += (size_t)snprintf(text + n, capacity - n,
                          " (%%%zu) = \"builtin.parameter\" () "
                          "{parameter_name:\"p%zu\",persistable:[true]} : () -> "
                          "tensor<",
                          i, i);
    for (int k = kind >> 4; k; k--)
      n += (size_t)snprintf(text + n, capacity - n, "%dx", take(at, end));
    n += (size_t)snprintf(text + n, capacity - n, "%s>\n", dtypes[kind & 15]);
  }
  n += (size_t)snprintf(text + n, capacity - n, "}\n");
  return count;
}

// Every byte is read, so that the address sanitizer sees one beyond the end.
static void touch(const pir_program *program) {
  volatile uint8_t sum = 0;
  for (size_t i = 0; i < pir_program_params(program); i++) {
    const pir_param *p = pir_program_param_at(program, i);
    for (uint64_t k = 0; k < p->size; k++)
      sum ^= ((const uint8_t *)p->data)[k];
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char text[4096];
  const uint8_t *at = data, *end = data + size;
  size_t count = declare(text, sizeof text, &at, end);
  pir_context *ctx = fuzz_context();
  pir_program *program = NULL;
  if (pir_program_parse(ctx, pir_str_from(text), NULL, &program))
    abort();
  pir_param_decl decls[PARAMS_MAX];
  if (pir_program_param_decls(program, decls, PARAMS_MAX) != count)
    abort();
  uint8_t *copy = malloc((size_t)(end - at));
  if (at < end)
    memcpy(copy, at, (size_t)(end - at));
  pir_borrowed bytes = {copy, (size_t)(end - at), free, copy};
  pir_status status = pir_program_adopt_records(program, decls, count, bytes, PIR_STR("fuzz"));
  if (status && !pir_context_error_count(ctx))
    abort();
  if (!status && pir_program_params(program) != count)
    abort();
  touch(program);
  pir_program_destroy(program);
  pir_context_destroy(ctx);
  return 0;
}
