// Limits in the options of a model: each ends the load with PIR_EXHAUSTED and a place.
#include <pir/engine/model.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "report.h"

#define PROGRAM "test/models/digits_cnn/model.json"

static pir_status load_within(const char *pipeline, pir_limits limits, report *out) {
  pir_model *model = NULL;
  *out = (report){0};
  pir_model_options how = {
      .size = sizeof how, .pipeline = pipeline, .sink = {keep_report, out}, .limits = limits};
  pir_status status = pir_model_load_file(PROGRAM, NULL, &how, &model);
  assert_true(!status == (model != NULL));
  pir_model_release(model);
  return status;
}

static void too_many_ops_have_a_place(void **unused) {
  report r;
  (void)unused;
  assert_int_equal(load_within("kernels", (pir_limits){.max_ops = 4}, &r), PIR_EXHAUSTED);
  assert_int_equal(r.errors, 1);
  assert_non_null(strstr(r.message, "more than 4 ops"));
  assert_string_equal(r.file, PROGRAM);
  assert_true(r.line > 0);
  assert_int_equal(load_within("kernels", (pir_limits){.max_ops = 1000}, &r), PIR_OK);
}

static void deep_regions_have_a_place(void **unused) {
  static const char nested[] =
      "{\n(%0) = \"pd_op.data\" () "
      "{dtype:bool,name:\"c\",place:Place(undefined:0),shape:[1]} : () -> tensor<1xb>\n"
      "() = \"pd_op.if\" (%0) {} : (tensor<1xb>) -> {\n"
      "() = \"pd_op.if\" (%0) {} : (tensor<1xb>) -> {\n"
      "() = \"cf.yield\" () {} : () ->\n} else {\n() = \"cf.yield\" () {} : () ->\n}\n"
      "() = \"cf.yield\" () {} : () ->\n} else {\n() = \"cf.yield\" () {} : () ->\n}\n}\n";
  report r = {0};
  pir_model *model = NULL;
  pir_model_options how = {.size = sizeof how,
                           .pipeline = "kernels",
                           .sink = {keep_report, &r},
                           .limits = {.max_depth = 1}};
  pir_borrowed program = {.data = nested, .size = sizeof nested - 1};
  (void)unused;
  assert_int_equal(pir_model_load(program, (pir_borrowed){0}, &how, &model), PIR_EXHAUSTED);
  assert_null(model);
  assert_non_null(strstr(r.message, "deep"));
  assert_true(r.line > 1);
}

// From too little memory for a context to enough.
static void memory_ends_reading_and_compiling(void **unused) {
  static const char *const pipelines[] = {"kernels", "compile"};
  (void)unused;
  for (int p = 0; p < 2; p++) {
    int counts[2] = {0};
    for (uint64_t bytes = 1 << 14; bytes < 1 << 26; bytes += bytes / 3) {
      report r;
      pir_status status = load_within(pipelines[p], (pir_limits){.max_bytes = bytes}, &r);
      assert_true(status == PIR_OK || status == PIR_EXHAUSTED);
      counts[status != PIR_OK]++;
    }
    assert_true(counts[0] > 3 && counts[1] > 3);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(too_many_ops_have_a_place),
                                     cmocka_unit_test(deep_regions_have_a_place),
                                     cmocka_unit_test(memory_ends_reading_and_compiling)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
