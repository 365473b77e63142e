// Code that the fuzz targets share: a fresh context with small limits and all dialects, a sink
// that drops messages, and the checks for every program that a reader accepts.
#ifndef PIR_TEST_FUZZ_H
#define PIR_TEST_FUZZ_H

#include <pir/compiler/dialects.h>
#include <pir/compiler/ir.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// Says nothing, but keeps the last message for a finding.
static char fuzz_message[200];

static void fuzz_hear(void *user, const pir_diag *diag) {
  snprintf(fuzz_message, sizeof fuzz_message, "%u:%u: %.*s", diag->place.line,
           diag->place.column, (int)diag->message.size, diag->message.data);
}

static inline pir_context *fuzz_context(void) {
  pir_context_options options = {
      .size = sizeof options,
      .limits = {.max_ops = 20000, .max_depth = 2000, .max_attr_items = 100000}};
  pir_context *ctx = pir_context_create(&options);
  pir_context_set_sink(ctx, (pir_diag_sink){fuzz_hear, NULL});
  if (pir_dialects_load_all(ctx))
    abort();
  return ctx;
}

// ---- printed text, kept

typedef struct fuzz_text {
  char *data;
  size_t size, capacity;
} fuzz_text;

static bool fuzz_keep(void *user, const char *data, size_t size) {
  fuzz_text *t = user;
  if (t->size + size > t->capacity) {
    t->capacity = 2 * (t->size + size);
    t->data = realloc(t->data, t->capacity);
    if (!t->data)
      abort();
  }
  memcpy(t->data + t->size, data, size);
  t->size += size;
  return true;
}

static inline pir_str fuzz_view(const fuzz_text *t) {
  return (pir_str){t->data ? t->data : "", t->size};
}

static inline void fuzz_same(const char *what, const fuzz_text *a, const fuzz_text *b) {
  if (a->size == b->size && (!a->size || !memcmp(a->data, b->data, a->size)))
    return;
  fprintf(stderr, "%s differs:\n%.*s\n---\n%.*s\n", what, (int)a->size, a->size ? a->data : "",
          (int)b->size, b->size ? b->data : "");
  abort();
}

// ---- what is written can be read, and is the same then

static inline pir_status fuzz_print(const pir_program *program, pir_text_form form,
                                    fuzz_text *out) {
  return pir_program_print(
      program, &(pir_print_options){.size = sizeof(pir_print_options), .form = form},
      (pir_writer){fuzz_keep, out});
}

// Prints, reads that and prints again; false when what was printed is refused.
static inline bool fuzz_round(pir_context *ctx, const pir_program *program, pir_text_form form,
                              fuzz_text *first, fuzz_text *second) {
  pir_program *again = NULL;
  pir_parse_options options = {.size = sizeof options, .file = PIR_STR("printed")};
  if (fuzz_print(program, form, first))
    abort();
  if (pir_program_parse(ctx, fuzz_view(first), &options, &again))
    return false;
  if (fuzz_print(again, form, second))
    abort();
  pir_program_destroy(again);
  return true;
}

// Typed text loses nothing.
static inline void fuzz_typed(pir_context *ctx, const pir_program *program, bool sound) {
  fuzz_text first = {0}, second = {0};
  if (fuzz_round(ctx, program, PIR_TEXT_TYPED, &first, &second))
    fuzz_same("typed text", &first, &second);
  else if (sound) {
    fprintf(stderr, "typed text is refused (%s):\n%.*s\n", fuzz_message, (int)first.size,
            first.data);
    abort();
  }
  free(first.data);
  free(second.data);
}

// Paddle's own form has no mark for an empty region and no quotes around names: it need not
// read back, only be read.
static inline void fuzz_t3(pir_context *ctx, const pir_program *program) {
  fuzz_text first = {0}, second = {0};
  (void)fuzz_round(ctx, program, PIR_TEXT_T3, &first, &second);
  free(first.data);
  free(second.data);
}

static inline void fuzz_rewrite_json(pir_context *ctx, const pir_program *program, bool sound) {
  fuzz_text first = {0}, second = {0};
  pir_program *again = NULL;
  if (!pir_program_write_json(program, NULL, (pir_writer){fuzz_keep, &first})) {
    pir_status status =
        pir_program_read_json(ctx, fuzz_view(&first), PIR_STR("written"), &again);
    if (!status && !pir_program_write_json(again, NULL, (pir_writer){fuzz_keep, &second}))
      fuzz_same("JSON", &first, &second);
    if (status && sound) {
      fprintf(stderr, "JSON is refused (%s):\n%.*s\n", fuzz_message, (int)first.size,
              first.data);
      abort();
    }
    if (!status)
      pir_program_destroy(again);
  }
  free(first.data);
  free(second.data);
}

// Verification, printing in all forms and reading that back. Takes the program.
static inline void fuzz_exercise(pir_context *ctx, pir_program *program) {
  bool sound = !pir_verify(pir_program_module(program), NULL);
  fuzz_text older = {0};
  (void)fuzz_print(program, PIR_TEXT_T2, &older);
  free(older.data);
  fuzz_t3(ctx, program);
  fuzz_typed(ctx, program, sound);
  fuzz_rewrite_json(ctx, program, sound);
  pir_program_destroy(program);
}

#endif
