// Levels of logs: what a sink hears of a context's diagnostics, and of a model that is loaded.
#include <pir/compiler/context.h>
#include <pir/engine/model.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static const char LETTERS[] = "ewnr";  // of errors, warnings, notes, remarks

// What was heard: the letter of each diagnostic, in order.
typedef struct heard {
  char letters[64];
  size_t count;
} heard;

static void note_letter(void *user, const pir_diag *diag) {
  heard *h = user;
  assert_true(h->count + 1 < sizeof h->letters);
  h->letters[h->count++] = LETTERS[diag->severity];
}

static void say(pir_context *ctx, const char *letters) {
  for (; *letters; letters++) {
    pir_severity severity = (pir_severity)(strchr(LETTERS, *letters) - LETTERS);
    assert_int_equal(pir_report(ctx, PIR_IO, severity, PIR_LOC_UNKNOWN, "%c", *letters),
                     PIR_IO);
  }
}

// A note is heard with what it belongs to.
static void a_level_decides_what_is_heard(void **unused) {
  static const struct {
    pir_log_level level;
    const char *heard;
  } rows[] = {{PIR_LOG_DEFAULT, "nenwn"},
              {PIR_LOG_ERRORS, "en"},
              {PIR_LOG_WARNINGS, "nenwn"},
              {PIR_LOG_REMARKS, "nenwnrn"},
              {(pir_log_level)9, "nenwnrn"}};
  (void)unused;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    heard by_options = {.count = 0}, by_call = {.count = 0};
    pir_context_options how = {
        .size = sizeof how, .sink = {note_letter, &by_options}, .log_level = rows[i].level};
    pir_context *ctx = pir_context_create(&how);
    say(ctx, "nenwnrn");
    assert_string_equal(by_options.letters, rows[i].heard);
    pir_context_set_sink(ctx, (pir_diag_sink){note_letter, &by_call});
    pir_context_set_log_level(ctx, PIR_LOG_ERRORS);
    pir_context_set_log_level(ctx, rows[i].level);
    say(ctx, "nenwnrn");
    assert_string_equal(by_call.letters, rows[i].heard);
    assert_int_equal(pir_context_error_count(ctx), 2);
    pir_context_destroy(ctx);
  }
}

static void remarks_are_the_last_level(void **unused) {
  heard h = {.count = 0};
  pir_context_options how = {
      .size = sizeof how, .sink = {note_letter, &h}, .log_level = PIR_LOG_ERRORS};
  (void)unused;
  pir_context *ctx = pir_context_create(&how);
  pir_context_set_remarks(ctx, false);
  say(ctx, "w");  // still at the level of errors
  pir_context_set_remarks(ctx, true);
  assert_true(pir_context_remarks(ctx));
  say(ctx, "wr");
  pir_context_set_remarks(ctx, false);
  assert_false(pir_context_remarks(ctx));
  say(ctx, "wr");
  assert_string_equal(h.letters, "wrw");
  pir_context_destroy(ctx);
}

// The program causes one warning, and compiling it one remark.
static void a_load_is_heard_at_its_level(void **unused) {
  static const char program[] =
      "{\n(%0) = \"pd_op.data\" () {dtype:float32,name:\"x\",place:Place(undefined:0),"
      "shape:[2],stop_gradient:[true]} : () -> tensor<2xf32>\n"
      "(%1) = \"pd_op.relu\" (%0) {nothing:1,stop_gradient:[true]} : (tensor<2xf32>) -> "
      "tensor<2xf32>\n"
      "(%2) = \"pd_op.fetch\" (%1) {col:0,name:\"y\",stop_gradient:[true]} : (tensor<2xf32>) "
      "-> tensor<2xf32>\n}\n";
  static const char *const want[] = {"w", "", "w", "wr"};
  (void)unused;
  for (int level = PIR_LOG_DEFAULT; level <= PIR_LOG_REMARKS; level++) {
    heard h = {.count = 0};
    pir_model *model = NULL;
    pir_model_options how = {
        .size = sizeof how, .sink = {note_letter, &h}, .log_level = (pir_log_level)level};
    pir_borrowed bytes = {.data = program, .size = sizeof program - 1};
    assert_int_equal(pir_model_load(bytes, (pir_borrowed){0}, &how, &model), PIR_OK);
    assert_string_equal(h.letters, want[level]);
    pir_model_release(model);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_level_decides_what_is_heard),
                                     cmocka_unit_test(remarks_are_the_last_level),
                                     cmocka_unit_test(a_load_is_heard_at_its_level)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
