// Work that ends early: by a flag or by time, in every stage of loading and running, with a
// message that names the place; what follows works as if nothing had been.
#include <pir/compiler/dialects.h>
#include <pir/compiler/ir.h>
#include <pir/engine/model.h>
#include <pir/compiler/pass.h>

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "report.h"

#define PROGRAM "test/models/digits_cnn/model.json"
#define MS ((uint64_t)1000000)

static uint64_t now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * 1000 * MS + (uint64_t)t.tv_nsec;
}

// ---- programs

// Text that grows.
typedef struct text {
  char *data;
  size_t size, room;
} text;

static void add(text *t, const char *format, ...) {
  va_list args;
  if (t->room - t->size < 4096) {
    t->room = 2 * t->room + 8192;
    t->data = realloc(t->data, t->room);
    assert_non_null(t->data);
  }
  va_start(args, format);
  t->size += (size_t)vsnprintf(t->data + t->size, t->room - t->size, format, args);
  va_end(args);
}

static void add_full(text *t, const char *name, const char *shape, const char *type) {
  add(t,
      "(%%%s) = \"pd_op.full\" () {dtype:float32,place:Place(cpu),shape:[%s],"
      "stop_gradient:[true],value:1} : () -> tensor<%sxf32>\n",
      name, shape, type);
}

// A chain of `count` ops.
static text make_chain(int count) {
  text t = {0};
  add(&t, "{\n(%%0) = \"pd_op.data\" () {dtype:float32,name:\"x\",place:Place(undefined:0),"
          "shape:[8],stop_gradient:[true]} : () -> tensor<8xf32>\n");
  for (int i = 0; i < count; i++)
    add(&t,
        "(%%%d) = \"pd_op.%s\" (%%%d) {stop_gradient:[true]} : (tensor<8xf32>) -> "
        "tensor<8xf32>\n",
        i + 1, i % 2 ? "exp" : "tanh", i);
  add(&t,
      "() = \"builtin.shadow_output\" (%%%d) {output_name:\"y\"} : (tensor<8xf32>) -> \n}\n",
      count);
  return t;
}

// Convolutions of constants, which take seconds each.
static text make_convolutions(int count) {
  text t = {0};
  add(&t, "{\n");
  add_full(&t, "x", "1,1,1,262144", "1x1x1x262144");
  add_full(&t, "w", "1,1,1,131072", "1x1x1x131072");
  for (int i = 0; i < count; i++) {
    add(&t,
        "(%%c%d) = \"pd_op.conv2d\" (%%x, %%w) {data_format:\"NCHW\",dilations:[1,1],"
        "groups:1,padding_algorithm:\"EXPLICIT\",paddings:[0,%d],stop_gradient:[true],"
        "strides:[1,1]} : (tensor<1x1x1x262144xf32>, tensor<1x1x1x131072xf32>) -> "
        "tensor<1x1x1x-1xf32>\n",
        i, i);
    add(&t,
        "(%%e%d) = \"pd_op.exp\" (%%c%d) {stop_gradient:[true]} : "
        "(tensor<1x1x1x-1xf32>) -> tensor<1x1x1x-1xf32>\n",
        i, i);
    add(&t,
        "() = \"builtin.shadow_output\" (%%e%d) {output_name:\"y%d\"} : "
        "(tensor<1x1x1x-1xf32>) -> \n",
        i, i);
  }
  add(&t, "}\n");
  return t;
}

// Each constant is twice as large as the previous one.
static text make_doubling(int count) {
  text t = {0};
  add(&t, "{\n");
  add_full(&t, "0", "2", "2");
  add(&t, "(%%axis) = \"pd_op.full\" () {dtype:int64,place:Place(cpu),shape:[1],"
          "stop_gradient:[true],value:0} : () -> tensor<1xi64>\n");
  for (int i = 0; i < count; i++) {
    long n = 2L << i;
    add(&t,
        "(%%l%d) = \"builtin.combine\" (%%%d, %%%d) {stop_gradient:[true]} : "
        "(tensor<%ldxf32>, tensor<%ldxf32>) -> vec[tensor<%ldxf32>,tensor<%ldxf32>]\n",
        i, i, i, n, n, n, n);
    add(&t,
        "(%%%d) = \"pd_op.concat\" (%%l%d, %%axis) {stop_gradient:[true]} : "
        "(vec[tensor<%ldxf32>,tensor<%ldxf32>], tensor<1xi64>) -> tensor<%ldxf32>\n",
        i + 1, i, n, n, 2 * n);
  }
  add(&t,
      "() = \"builtin.shadow_output\" (%%%d) {output_name:\"y\"} : (tensor<%ldxf32>) -> "
      "\n}\n",
      count, 2L << count);
  return t;
}

static const char endless[] =
    "{\n"
    "(%x) = \"pd_op.data\" () {dtype:int64,name:\"x\",place:Place(undefined:0),shape:[1],"
    "stop_gradient:[true]} : () -> tensor<1xi64>\n"
    "(%one) = \"pd_op.full\" () {dtype:int64,place:Place(cpu),shape:[1],stop_gradient:[true],"
    "value:1} : () -> tensor<1xi64>\n"
    "(%go) = \"pd_op.less_than\" (%x, %one) {stop_gradient:[true]} : (tensor<1xi64>, "
    "tensor<1xi64>) -> tensor<1xb>\n"
    "(%n) = \"pd_op.while\" (cond=%go, inputs=%x) {\n"
    "^%arg_0 {stop_gradient:true}\n"
    "(%next) = \"pd_op.multiply\" (%arg_0, %one) {stop_gradient:[true]} : (tensor<1xi64>, "
    "tensor<1xi64>) -> tensor<1xi64>\n"
    "(%again) = \"pd_op.less_than\" (%next, %one) {stop_gradient:[true]} : (tensor<1xi64>, "
    "tensor<1xi64>) -> tensor<1xb>\n"
    "() = \"cf.yield\" (%again, %next) {} : (tensor<1xb>, tensor<1xi64>) -> \n"
    "}\n"
    "() = \"builtin.shadow_output\" (%n) {output_name:\"n\"} : (tensor<1xi64>) -> \n}\n";

// ---- loading

static pir_status load_watched(const text *program, const char *pipeline, pir_stop stop,
                               uint64_t max_bytes, pir_progress_sink progress, report *out) {
  pir_model *model = NULL;
  *out = (report){0};
  pir_model_options how = {.size = sizeof how,
                           .pipeline = pipeline,
                           .sink = {keep_report, out},
                           .limits = {.max_bytes = max_bytes},
                           .stop = stop,
                           .progress = progress};
  pir_borrowed bytes = {.data = program->data, .size = program->size};
  pir_status status = pir_model_load(bytes, (pir_borrowed){0}, &how, &model);
  assert_true(!status == (model != NULL));
  assert_int_equal(out->errors, status != PIR_OK);
  pir_model_release(model);
  return status;
}

static pir_status load(const text *program, const char *pipeline, pir_stop stop,
                       uint64_t max_bytes, report *out) {
  return load_watched(program, pipeline, stop, max_bytes, (pir_progress_sink){0}, out);
}

// From no time to enough: whatever stage the end meets, it is a status and a message, and it
// comes soon.
static void time_ends_every_stage(void **unused) {
  static const char *const stages[] = {"reading", "in pass", "compiling", "loading weights"};
  text t = make_chain(3000);
  int met[4] = {0}, counts[2] = {0};
  (void)unused;
  for (uint64_t ns = MS / 20; ns < 60000 * MS && counts[0] < 2; ns += ns / 3) {
    report r;
    pir_status status = load(&t, "compile", (pir_stop){.max_ns = ns}, 0, &r);
    assert_true(status == PIR_OK || status == PIR_CANCELLED);
    counts[status != PIR_OK]++;
    if (status)
      assert_non_null(strstr(r.message, "the time limit was hit"));
    for (int i = 0; i < 4; i++)
      met[i] += strstr(r.message, stages[i]) != NULL;
  }
  assert_true(counts[0] == 2 && counts[1] > 5);
  assert_true(met[0] && met[1]);
  free(t.data);
}

typedef struct flag_call {
  pir_atomic_int flag;
  const char *part;  // that has to begin first
  atomic_bool has_begun;
  uint64_t set_at;
} flag_call;

static void note_part(void *user, const pir_progress *progress) {
  flag_call *call = user;
  if (progress->what && strstr(progress->what, call->part))
    atomic_store(&call->has_begun, true);
}

// The part takes much longer than this thread waits behind its beginning.
static void *set_flag(void *user) {
  flag_call *call = user;
  while (!atomic_load(&call->has_begun))
    usleep(1000);
  usleep(50000);
  call->set_at = now_ns();
  atomic_store(&call->flag, 1);
  return NULL;
}

// A flag that another thread sets ends folding, and kernels that run when weights are loaded.
static void a_flag_ends_long_ops(void **unused) {
  text t = make_convolutions(100);
  (void)unused;
  for (int i = 0; i < 2; i++) {
    report r;
    pthread_t other;
    flag_call call = {.part = i ? "pd_op.conv2d" : "constant_folding_pass"};
    assert_int_equal(pthread_create(&other, NULL, set_flag, &call), 0);
    assert_int_equal(load_watched(&t, i ? "kernels" : "compile",
                                  (pir_stop){.cancel = &call.flag}, 0,
                                  (pir_progress_sink){note_part, &call}, &r),
                     PIR_CANCELLED);
    pthread_join(other, NULL);
    assert_true(now_ns() - call.set_at < 20000 * MS);
    assert_non_null(strstr(r.message, "cancelled"));
    if (!i)
      assert_true(strstr(r.message, "in pass constant_folding_pass") && r.line > 1);
    else
      assert_non_null(strstr(r.message, "pd_op.conv2d"));
  }
  free(t.data);
}

static void a_flag_that_is_set_ends_at_once(void **unused) {
  pir_atomic_int flag = 1;
  pir_model *model = NULL;
  report r = {0};
  pir_model_options how = {
      .size = sizeof how, .sink = {keep_report, &r}, .stop = {.cancel = &flag}};
  (void)unused;
  assert_int_equal(pir_model_load_file(PROGRAM, NULL, &how, &model), PIR_CANCELLED);
  assert_null(model);
  assert_non_null(strstr(r.message, "cancelled, reading " PROGRAM));
  atomic_store(&flag, 0);
  assert_int_equal(pir_model_load_file(PROGRAM, NULL, &how, &model), PIR_OK);
  pir_model_release(model);
}

// The caller's context serves again, and has its own stop again.
static void a_context_serves_again(void **unused) {
  text t = make_convolutions(20);
  pir_context *ctx = pir_context_create(NULL);
  pir_program *program = NULL, *again = NULL;
  pir_model *model = NULL;
  report r = {0};
  pir_model_options how = {.size = sizeof how, .stop = {.max_ns = 50 * MS}};
  (void)unused;
  assert_int_equal(pir_dialects_load_all(ctx), PIR_OK);
  pir_context_set_sink(ctx, (pir_diag_sink){keep_report, &r});
  assert_int_equal(pir_program_parse(ctx, (pir_str){t.data, t.size}, NULL, &program), PIR_OK);
  for (int i = 0; i < 3; i++) {
    assert_int_equal(pir_model_create(program, &how, &model), PIR_CANCELLED);
    assert_null(model);
  }
  assert_int_equal(pir_program_parse(ctx, (pir_str){t.data, t.size}, NULL, &again), PIR_OK);
  pir_program_destroy(again);
  pir_context_set_stop(ctx, &(pir_stop){.max_ns = 1});
  assert_int_equal(pir_program_parse(ctx, (pir_str){t.data, t.size}, NULL, &again),
                   PIR_CANCELLED);
  assert_null(again);
  how.stop.max_ns = 0;
  assert_int_equal(pir_model_create(program, &how, &model), PIR_CANCELLED);
  pir_context_set_stop(ctx, NULL);
  assert_int_equal(pir_program_parse(ctx, (pir_str){t.data, t.size}, NULL, &again), PIR_OK);
  pir_program_destroy(again);
  pir_program_destroy(program);
  pir_context_destroy(ctx);
  free(t.data);
}

// A hook for exhausted memory is not called when work ends early.
static void never_called(void *user) {
  (void)user;
  abort();
}

static void a_hook_is_for_memory_alone(void **unused) {
  text t = make_chain(2000);
  pir_context_options options = {.size = sizeof options, .out_of_memory = never_called};
  pir_context *ctx = pir_context_create(&options);
  pir_program *program = NULL;
  pir_atomic_int flag = 1;
  (void)unused;
  assert_int_equal(pir_dialects_load_all(ctx), PIR_OK);
  pir_context_set_stop(ctx, &(pir_stop){.cancel = &flag});
  assert_int_equal(pir_program_parse(ctx, (pir_str){t.data, t.size}, NULL, &program),
                   PIR_CANCELLED);
  pir_context_destroy(ctx);
  free(t.data);
}

// ---- memory

// Each constant of a small program is twice as large as the previous one. Folding leaves those
// that no parameter justifies, so that they are a matter of the run; where they would be
// computed while the model is made, that ends with a limit.
static void constants_are_bounded(void **unused) {
  text small = make_doubling(18), large = make_doubling(33);
  report r;
  (void)unused;
  assert_int_equal(load(&small, "compile", (pir_stop){0}, 256 << 20, &r), PIR_OK);
  assert_int_equal(load(&small, "compile", (pir_stop){0}, 3 << 20, &r), PIR_EXHAUSTED);
  assert_int_equal(load(&large, "compile", (pir_stop){0}, 256 << 20, &r), PIR_OK);
  assert_int_equal(load(&large, "kernels", (pir_stop){0}, 256 << 20, &r), PIR_EXHAUSTED);
  assert_non_null(strstr(r.message, "the constants of the model need"));
  free(small.data);
  free(large.data);
}

// ---- running

static void time_ends_a_run(void **unused) {
  text t = {(char *)endless, sizeof endless - 1, 0};
  pir_model *model = NULL;
  pir_session *session = NULL;
  int64_t x = 0, one[] = {1};
  pir_tensor input = {.data = &x};
  pir_session_options how = {.size = sizeof how, .max_ns = 100 * MS};
  (void)unused;
  pir_tensor_set_dense(&input, PIR_I64, one, 1);
  pir_borrowed bytes = {.data = t.data, .size = t.size};
  assert_int_equal(pir_model_load(bytes, (pir_borrowed){0}, NULL, &model), PIR_OK);
  assert_int_equal(pir_session_create(model, &how, &session), PIR_OK);
  assert_int_equal(pir_session_bind_input(session, 0, &input), PIR_OK);
  for (int i = 0; i < 2; i++) {
    assert_int_equal(pir_session_run(session), PIR_CANCELLED);
    assert_non_null(strstr(pir_session_message(session), "the time limit was hit"));
  }
  x = 1;  // ends by itself
  assert_int_equal(pir_session_run(session), PIR_OK);
  pir_session_destroy(session);
  pir_model_release(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(time_ends_every_stage),
                                     cmocka_unit_test(a_flag_ends_long_ops),
                                     cmocka_unit_test(a_flag_that_is_set_ends_at_once),
                                     cmocka_unit_test(a_context_serves_again),
                                     cmocka_unit_test(a_hook_is_for_memory_alone),
                                     cmocka_unit_test(constants_are_bounded),
                                     cmocka_unit_test(time_ends_a_run)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
