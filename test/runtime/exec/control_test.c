// Loops: memory does not depend on the number of iterations, a flag stops them, failed
// allocations leave nothing behind, an array ends at the limit. Run from the root of the
// checkout.
#include "../../api/failing.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <pir/compiler/dialects.h>
#include <pir/compiler/load.h>
#include <pir/engine/model.h>
#include <pir/compiler/text.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PROGRAM "test/runtime/exec/control.pir"  // fills an array, which grows
#define STACK "test/runtime/exec/stack.pir"      // one loop pushes, one pops
#define T "tensor<1xi64>"
#define FULL(n, value)                                                                         \
  "(%" n ") = \"pd_op.full\" () "                                                              \
  "{dtype:int64,place:Place(cpu),shape:[1],stop_gradient:[true],value:" value "} : () -> " T   \
  "\n"
#define BINARY(n, op, a, b, t)                                                                 \
  "(%" n ") = \"pd_op." op "\" (%" a ", %" b ") {stop_gradient:[true]} : (" T ", " T ") -> " t \
  "\n"

// Sums the first n numbers; every second one by a branch, the last value also by an array made
// anew each time.
static const char loop[] =
    "{\n(%0) = \"pd_op.data\" () "
    "{dtype:int64,name:\"n\",place:Place(undefined:0),shape:[1],stop_gradient:[true]} : () "
    "-> " T "\n" FULL("1", "0") FULL("2", "1") FULL("3", "2")
        BINARY("4", "less_than", "1", "0",
               "tensor<1xb>") "(%5, %6) = \"pd_op.while\" (cond=%4, inputs=%1, %1) {\n^%arg_0 "
                              "{}, %arg_1 {}\n"  //
    BINARY("7", "add", "arg_0", "2", T) BINARY("8", "remainder", "7", "3", T)
        BINARY("9", "less_than", "8", "2", "tensor<1xb>")  //
    "(%10) = \"pd_op.if\" (%9) {stop_gradient:[true]} -> " T " {\n" BINARY(
        "11", "add", "arg_1", "7",
        T) "() = \"cf.yield\" (%11) {} : (" T ") -> \n} else {\n"
           "(%12) = \"pd_op.create_array\" () {dtype:int64,stop_gradient:[true]} : () -> "
           "pd_op.tensor_array<i64>\n" BINARY(
               "13", "add", "arg_1", "7",
               T) "(%14) = \"pd_op.array_write_\" (%12, %13, %1) {} : "
                  "(pd_op.tensor_array<i64>, " T ", " T ") -> pd_op.tensor_array<i64>\n"
                  "(%15) = \"pd_op.array_read\" (%12, %1) {stop_gradient:[true]} : "
                  "(pd_op.tensor_array<i64>, " T ") -> " T "\n() = \"cf.yield\" (%15) {} : (" T
                  ") -> \n}\n"  //
    BINARY("16", "less_than", "7", "0",
           "tensor<1xb>") "() = \"cf.yield\" (%16, %7, %10) {} : (tensor<1xb>, " T ", " T
                          ") -> \n}\n"
                          "(%17) = \"pd_op.fetch\" (%6) "
                          "{col:0,name:\"sum\",persistable:[true],stop_gradient:[true]} : (" T
                          ") -> " T "\n}\n";

static pir_status try_to_make(const char *text, const char *pipeline, pir_model **out_model) {
  pir_context *ctx = pir_context_create(NULL);
  pir_program *program = NULL;
  pir_model_options options = {.size = sizeof options, .pipeline = pipeline};
  assert_int_equal(pir_dialects_load_all(ctx), PIR_OK);
  pir_parse_options parsing = {.size = sizeof parsing, .file = PIR_STR("loop")};
  if (text)
    assert_int_equal(pir_program_parse(ctx, pir_str_from(text), &parsing, &program), PIR_OK);
  else
    assert_int_equal(pir_program_load_file(ctx, PROGRAM, NULL, &program), PIR_OK);
  pir_status status = pir_model_create(program, &options, out_model);
  pir_program_destroy(program);
  pir_context_destroy(ctx);
  return status;
}

static pir_model *make(const char *text, const char *pipeline) {
  pir_model *model = NULL;
  assert_int_equal(try_to_make(text, pipeline, &model), PIR_OK);
  return model;
}

// ---- an allocator that counts, and fails when told to

static pir_status run(pir_model *model, pir_session_options options, int64_t n,
                      int64_t *out_first) {
  pir_session *s = NULL;
  pir_tensor in = {.data = &n}, result;
  pir_tensor_set_dense(&in, PIR_I64, (int64_t[]){1}, 1);
  options.size = sizeof options;
  pir_status status = pir_session_create(model, &options, &s);
  if (!status)
    status = pir_session_bind_input(s, 0, &in);
  if (!status)
    status = pir_session_run(s);
  if (!status)
    status = pir_session_output(s, 0, &result);
  if (!status)
    *out_first = *(const int64_t *)result.data;
  pir_session_destroy(s);
  return status;
}

static void a_long_loop_holds_what_a_short_one_holds(void **unused) {
  const char *pipelines[] = {"kernels", "compile"};
  for (int p = 0; p < 2; p++) {
    pir_model *model = make(loop, pipelines[p]);
    size_t most[2];
    for (int i = 0; i < 2; i++) {
      int64_t n = i ? 10000 : 10, sum = 0;
      failing c = {.left = 1L << 40};
      pir_session_options options = {.size = sizeof options,
                                     .allocator = failing_allocator(&c)};
      assert_int_equal(run(model, options, n, &sum), PIR_OK);
      assert_int_equal(sum, n * (n + 1) / 2);
      assert_int_equal(c.held, 0);
      most[i] = c.most;
    }
    assert_int_equal(most[0], most[1]);
    pir_model_release(model);
  }
}

// ---- cancelling

typedef struct watch {
  pir_atomic_int cancel;
  int spans;
} watch;

static void count_span(void *user, const pir_span *span) {
  watch *w = user;
  if (++w->spans == 1000)
    w->cancel = 1;
}

static void a_flag_stops_a_loop(void **unused) {
  pir_model *model = make(loop, "kernels");
  watch w = {0};
  failing c = {.left = 1L << 40};
  int64_t sum;
  pir_session_options options = {.size = sizeof options,
                                 .allocator = failing_allocator(&c),
                                 .cancel = &w.cancel,
                                 .trace = count_span,
                                 .trace_user = &w};
  assert_int_equal(run(model, options, INT64_MAX, &sum), PIR_CANCELLED);
  assert_in_range(w.spans, 1000, 1002);  // those of the branch and the loop around end with it
  assert_int_equal(c.held, 0);
  pir_model_release(model);
}

// ---- failures

static void every_failed_allocation_is_a_status(void **unused) {
  pir_model *model = make(NULL, "kernels");
  pir_status status = PIR_EXHAUSTED;
  for (long n = 0; status && n < 5000; n++) {
    failing c = {.left = n};
    int64_t first = 0;
    pir_session_options options = {.size = sizeof options, .allocator = failing_allocator(&c)};
    status = run(model, options, 3, &first);
    assert_true(status == PIR_OK || status == PIR_EXHAUSTED);
    if (!status)
      assert_int_equal(first, 3);
    assert_int_equal(c.held, 0);
  }
  assert_int_equal(status, PIR_OK);
  pir_model_release(model);
}

// Values on a stack when a push or a pop fails, and values left on it at the end of a run, are
// freed.
static void a_stack_survives_failures(void **unused) {
  pir_context *ctx = pir_context_create(NULL);
  pir_program *program = NULL;
  pir_model *model = NULL;
  pir_model_options made = {.size = sizeof made, .pipeline = "kernels"};
  assert_int_equal(pir_dialects_load_all(ctx), PIR_OK);
  assert_int_equal(pir_program_load_file(ctx, STACK, NULL, &program), PIR_OK);
  assert_int_equal(pir_model_create(program, &made, &model), PIR_OK);
  pir_program_destroy(program);
  pir_context_destroy(ctx);
  float x = 0;
  int64_t n = 20;
  pir_tensor in[2] = {{.data = &x}, {.data = &n}}, result;
  pir_tensor_set_dense(&in[0], PIR_F32, (int64_t[]){1}, 1);
  pir_tensor_set_dense(&in[1], PIR_I64, (int64_t[]){1}, 1);
  pir_status status = PIR_EXHAUSTED;
  for (long left = 0; status && left < 5000; left++) {
    failing c = {.left = left};
    pir_session *s = NULL;
    pir_session_options options = {.size = sizeof options, .allocator = failing_allocator(&c)};
    status = pir_session_create(model, &options, &s);
    for (uint32_t i = 0; i < 2 && !status; i++)
      status = pir_session_bind_input(s, i, &in[i]);
    if (!status)
      status = pir_session_run(s);
    assert_true(status == PIR_OK || status == PIR_EXHAUSTED);
    if (!status)
      assert_int_equal(pir_session_output(s, 1, &result), PIR_OK);
    if (!status)
      assert_true(*(const float *)result.data == -(1 << 20));
    pir_session_destroy(s);
    assert_int_equal(c.held, 0);
  }
  assert_int_equal(status, PIR_OK);
  pir_model_release(model);
}

static void making_a_model_survives_failures(void **unused) {
  pir_context *ctx = pir_context_create(NULL);
  pir_program *program = NULL;
  pir_model *model = NULL;
  failing c = {0};
  assert_int_equal(pir_dialects_load_all(ctx), PIR_OK);
  assert_int_equal(pir_program_load_file(ctx, PROGRAM, NULL, &program), PIR_OK);
  for (long n = 0; !model && n < 5000; n++) {
    c = (failing){.left = n};
    pir_model_options options = {
        .size = sizeof options, .pipeline = "kernels", .allocator = failing_allocator(&c)};
    pir_status status = pir_model_create(program, &options, &model);
    assert_true(status == (model ? PIR_OK : PIR_EXHAUSTED));
    if (!model)
      assert_int_equal(c.held, 0);
  }
  assert_non_null(model);
  pir_program_destroy(program);
  pir_context_destroy(ctx);
  int64_t first = 0;
  assert_int_equal(
      run(model, (pir_session_options){.size = sizeof(pir_session_options)}, 3, &first),
      PIR_OK);
  assert_int_equal(first, 3);
  pir_model_release(model);
  assert_int_equal(c.held, 0);
}

static void an_array_may_not_outgrow_its_limit(void **unused) {
  pir_model *model = make(NULL, "kernels");
  int64_t first;
  failing c = {.left = 1L << 40};
  pir_session_options options = {
      .size = sizeof options, .allocator = failing_allocator(&c), .max_bytes = 10000};
  assert_int_equal(run(model, options, 1000000, &first), PIR_EXHAUSTED);
  assert_int_equal(c.held, 0);
  pir_model_release(model);
}

// Loops in loops, the innermost of which grows a value: inference must not take rounds upon
// rounds.
static void write_nest(char *text, int depth) {
  text += sprintf(text, "{\n(%%0) = \"pd_op.data\" () "
                        "{dtype:bool,name:\"c\",place:Place(undefined:0),shape:[1]} : () "
                        "-> tensor<1xb>\n(%%1) = \"pd_op.data\" () "
                        "{dtype:int64,name:\"x\",place:Place(undefined:0),"
                        "shape:[1]} : () -> tensor<-1xi64>\n");
  for (int i = 0; i < depth; i++)
    text +=
        sprintf(text, "(%%%d) = \"pd_op.while\" (cond=%%0, inputs=%%%s%d) {\n^%%arg_%d {}\n",
                4 * i + 2, i ? "arg_" : "", i ? i - 1 : 1, i);
  for (int i = depth; i-- > 0;) {
    bool inner = i + 1 == depth;
    text += sprintf(
        text,
        "(%%%d) = \"builtin.combine\" (%%%s%d, %%1) {} : (tensor<-1xi64>, tensor<-1xi64>) -> "
        "vec[tensor<-1xi64>,tensor<-1xi64>]\n(%%%d) = \"pd_op.full\" () "
        "{dtype:int32,place:Place(cpu),"
        "shape:[1],value:0} : () -> tensor<1xi32>\n(%%%d) = \"pd_op.concat\" (%%%d, %%%d) {} : "
        "(vec[tensor<-1xi64>,tensor<-1xi64>], tensor<1xi32>) -> tensor<-1xi64>\n() = "
        "\"cf.yield\" (%%0, "
        "%%%d) {} : (tensor<1xb>, tensor<-1xi64>) -> \n}\n",
        4 * i + 3, inner ? "arg_" : "", inner ? i : 4 * i + 6, 4 * i + 4, 4 * i + 5, 4 * i + 3,
        4 * i + 4, 4 * i + 5);
  }
  sprintf(
      text,
      "() = \"builtin.shadow_output\" (%%2) {output_name:\"o\"} : (tensor<-1xi64>) -> \n}\n");
}

static void nesting_has_a_limit(void **unused) {
  static char text[1 << 16];
  pir_model *model = NULL;
  write_nest(text, 32);
  assert_int_equal(try_to_make(text, "kernels", &model), PIR_OK);
  pir_model_release(model);
  write_nest(text, 33);
  assert_int_equal(try_to_make(text, "kernels", &model), PIR_UNSUPPORTED);
  assert_null(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_long_loop_holds_what_a_short_one_holds),
                                     cmocka_unit_test(a_flag_stops_a_loop),
                                     cmocka_unit_test(nesting_has_a_limit),
                                     cmocka_unit_test(every_failed_allocation_is_a_status),
                                     cmocka_unit_test(a_stack_survives_failures),
                                     cmocka_unit_test(making_a_model_survives_failures),
                                     cmocka_unit_test(an_array_may_not_outgrow_its_limit)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
