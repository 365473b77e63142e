// Sets of custom ops: four texts declare an op, and a fifth is a program that may use it. A
// declaration is refused with a message, or the set registers, and the program is read,
// verified and run.
#include "fuzz.h"

#include <pir/engine/custom.h>
#include <pir/engine/model.h>

static void nothing(void) {}

// Splits the bytes at newlines into texts that end in NUL; the last takes the rest.
static void split(char *text, char *parts[], int count) {
  for (int i = 0; i < count; i++) {
    char *end = i + 1 < count ? strchr(text, '\n') : NULL;
    parts[i] = text;
    text = end ? end + 1 : text + strlen(text);
    if (end)
      *end = 0;
  }
}

static void use(pir_custom_set *set, const char *text) {
  pir_context *ctx = fuzz_context();
  pir_program *program = NULL;
  pir_parse_options parsing = {.size = sizeof parsing, .file = PIR_STR("fuzz")};
  if (!pir_custom_set_register(set, ctx) &&
      !pir_program_parse(ctx, pir_str_from(text), &parsing, &program))
    fuzz_exercise(ctx, program);
  pir_context_destroy(ctx);
  pir_model_options options = {
      .size = sizeof options, .pipeline = "kernels", .compile_threads = 1, .custom_ops = set};
  pir_model *model = NULL;
  pir_borrowed bytes = {.data = text, .size = strlen(text)};
  pir_ignore(pir_model_load(bytes, (pir_borrowed){0}, &options, &model));
  pir_model_release(model);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char *text = calloc(1, size + 1), *parts[5];
  pir_custom_set *set = NULL;
  pir_message message = {""};
  if (!text || pir_custom_set_create(NULL, &set))
    abort();
  memcpy(text, data, size);
  split(text, parts, 5);
  pir_custom_op op = {.name = parts[0],
                      .operands = parts[1],
                      .attrs = parts[2],
                      .results = parts[3],
                      .kernel = "nothing"};
  if (!pir_custom_set_add(set, &op, nothing, NULL, &message))
    use(set, parts[4]);
  else if (!message.text[0])
    abort();
  pir_custom_set_destroy(set);
  free(text);
  return 0;
}
