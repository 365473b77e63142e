// Every call of the driver and of NVRTC fails once, while a program is loaded, run often
// enough that its launches become a graph, and run with a trace: an end with a status and a
// message, which names the ops that were launched, or the right numbers. The session then runs
// as before, and no memory of the device stays behind. On the stand-ins of test/cuda/shim
// alone, which LD_LIBRARY_PATH names (test/cuda/cuda.py does), else skipped.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dlfcn.h>
#include <pir/engine/model.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ROWS = 40, DEPTH = 24, COLUMNS = 30, RUNS = 4 };

// Two products in a row, the first with a parameter that is packed, behind a square that one of
// them reads, so that no copy lies between them and they are a graph; and the places of their
// result that are not zero: work of the processor.
static const char text[] =
    "{\n(%x) = \"pd_op.data\" () "
    "{dtype:float32,name:\"x\",place:Place(undefined:0),shape:[40,24]} : () -> "
    "tensor<40x24xf32>\n"
    "(%w) = \"builtin.parameter\" () {parameter_name:\"w\"} : () -> tensor<30x24xf32>\n"
    "(%v) = \"pd_op.data\" () "
    "{dtype:float32,name:\"v\",place:Place(undefined:0),shape:[30,30]} : () -> "
    "tensor<30x30xf32>\n"
    "(%s) = \"pd_op.matmul\" (%v, %v) {transpose_x:false,transpose_y:false} : "
    "(tensor<30x30xf32>, tensor<30x30xf32>) -> tensor<30x30xf32>\n"
    "(%a) = \"pd_op.matmul\" (%x, %w) {transpose_x:false,transpose_y:true} : "
    "(tensor<40x24xf32>, tensor<30x24xf32>) -> tensor<40x30xf32>\n"
    "(%b) = \"pd_op.matmul\" (%a, %s) {transpose_x:false,transpose_y:false} : "
    "(tensor<40x30xf32>, tensor<30x30xf32>) -> tensor<40x30xf32>\n"
    "(%n) = \"pd_op.nonzero\" (%b) {} : (tensor<40x30xf32>) -> tensor<-1x2xi64>\n"
    "(%f) = \"pd_op.fetch\" (%b) {col:0,name:\"b\"} : (tensor<40x30xf32>) -> "
    "tensor<40x30xf32>\n"
    "(%g) = \"pd_op.fetch\" (%n) {col:1,name:\"n\"} : (tensor<-1x2xi64>) -> "
    "tensor<-1x2xi64>\n}\n";

typedef struct stand_in {
  void (*fail_in)(long n);
  long (*fails_in)(void);
} stand_in;

static stand_in driver, nvrtc;
static size_t (*blocks)(void), (*graphs)(void);
static int runs;  // of the session, each with other inputs
static char said[512], cache[] = "/tmp/pir-device-XXXXXX";

static void *symbol_of(const char *library, const char *name) {
  void *handle = dlopen(library, RTLD_NOW);  // stays open: libpir opens it again
  return handle ? dlsym(handle, name) : NULL;
}

static bool find_stand_in(stand_in *s, const char *library, const char *fail,
                          const char *fails) {
  void *set = symbol_of(library, fail), *get = symbol_of(library, fails);
  memcpy(&s->fail_in, &set, sizeof set);
  memcpy(&s->fails_in, &get, sizeof get);
  return set && get;
}

static void stand_ins_or_skip(void) {
  void *count = symbol_of("libcuda.so.1", "shim_blocks");
  void *ran = symbol_of("libcuda.so.1", "shim_graphs");
  if (!count || !ran ||
      !find_stand_in(&driver, "libcuda.so.1", "shim_fail_in", "shim_fails_in") ||
      !find_stand_in(&nvrtc, "libnvrtc.so.13", "shim_nvrtc_fail_in", "shim_nvrtc_fails_in"))
    skip();
  memcpy(&blocks, &count, sizeof count);
  memcpy(&graphs, &ran, sizeof ran);
}

static void keep_message(void *user, const pir_diag *diag) {
  (void)user;
  if (diag->severity == PIR_ERROR)
    snprintf(said, sizeof said, "%.*s", (int)diag->message.size, diag->message.data);
}

static void count_span(void *user, const pir_span *span) {
  assert_true(span->end_ns >= span->start_ns);
  ++*(int *)user;
}

static pir_tensor matrix(float *data, int64_t rows, int64_t columns) {
  pir_tensor t = {.data = data};
  pir_tensor_set_dense(&t, PIR_F32, (int64_t[]){rows, columns}, 2);
  return t;
}

static float at_x(int i, int k) {
  return (float)((i * 3 + k + runs) % 5);
}
static float at_w(int k, int j) {
  return (float)((k + j) % 3);
}
static float at_v(int k, int j) {
  return k == j ? 1 : 0;
}

static void check_numbers(pir_session *s) {
  pir_tensor out = {0};
  assert_int_equal(pir_session_output(s, 0, &out), PIR_OK);
  for (int i = 0; i < ROWS; i++)
    for (int j = 0; j < COLUMNS; j++) {
      float sum = 0;
      for (int k = 0; k < DEPTH; k++)
        sum += at_x(i, k) * at_w(k, j);
      assert_true(((const float *)out.data)[i * COLUMNS + j] == sum);
    }
}

// Runs to the end or to the first failure, whose status is returned.
static pir_status run_session(pir_session *s) {
  static float x[ROWS * DEPTH], v[COLUMNS * COLUMNS];
  for (int i = 0; i < COLUMNS * COLUMNS; i++)
    v[i] = at_v(i / COLUMNS, i % COLUMNS);
  pir_tensor inputs[] = {matrix(x, ROWS, DEPTH), matrix(v, COLUMNS, COLUMNS)};
  for (size_t i = 0; i < 2; i++)
    assert_int_equal(pir_session_bind_input(s, i, &inputs[i]), PIR_OK);
  for (int i = 0; i < RUNS; i++) {
    runs++;
    for (int n = 0; n < ROWS * DEPTH; n++)
      x[n] = at_x(n / DEPTH, n % DEPTH);
    pir_status status = pir_session_run(s);
    if (status) {
      snprintf(said, sizeof said, "%s", pir_session_message(s));
      return status;
    }
    check_numbers(s);
  }
  return PIR_OK;
}

// The parameter as a file of parameters holds it: versions and levels (0), the size of the
// description, the description, the data.
static pir_borrowed parameter(void) {
  enum { HEAD = 20, DESCRIPTION = 6 };
  static const char head[HEAD + DESCRIPTION] = {
      [16] = DESCRIPTION, [20] = 0x08, [21] = 5,    [22] = 0x10,
      [23] = COLUMNS,     [24] = 0x10, [25] = DEPTH};
  static char bytes[sizeof head + sizeof(float[DEPTH * COLUMNS])];
  memcpy(bytes, head, sizeof head);
  for (int i = 0; i < DEPTH * COLUMNS; i++) {
    float value = at_w(i % DEPTH, i / DEPTH);
    memcpy(bytes + sizeof head + sizeof value * (size_t)i, &value, sizeof value);
  }
  return (pir_borrowed){.data = bytes, .size = sizeof bytes};
}

static bool is_launch(const char *message) {
  return strstr(message, "launching a kernel") || strstr(message, "running a graph");
}

static void run_again(pir_session *s) {
  char first[sizeof said];
  memcpy(first, said, sizeof first);
  if (is_launch(first) && !(strstr(first, "pd_op.matmul") && strstr(first, " (at ")))
    fail_msg("'%s' does not name the ops", first);
  assert_true(driver.fails_in() <= 0 && nvrtc.fails_in() <= 0);
  if (run_session(s))
    fail_msg("after '%s': %s", first, said);
  memcpy(said, first, sizeof said);
}

// Lines of columns are as long as accesses of 16 bytes fill.
static void check_memory(const pir_model *model) {
  enum { ROOM = (COLUMNS + 3) / 4 * 4 };
  pir_model_stats stats = {.size = sizeof stats};
  assert_int_equal(pir_model_stats_of(model, &stats), PIR_OK);
  assert_int_equal(stats.packed_bytes, DEPTH * ROOM * sizeof(float));
}

static pir_status load_and_run(const char *folder, bool traced) {
  pir_borrowed program = {.data = text, .size = sizeof text - 1};
  pir_model_options options = {.size = sizeof options,
                               .target = "cuda",
                               .cache = folder,
                               .compile_threads = 1,
                               .sink = {keep_message, NULL}};
  pir_session_options how = {.size = sizeof how, .sink = {keep_message, NULL}};
  pir_model *model = NULL;
  pir_session *s = NULL;
  int spans = 0;
  if (traced) {
    how.trace = count_span;
    how.trace_user = &spans;
  }
  said[0] = 0;
  pir_status status = pir_model_load(program, parameter(), &options, &model);
  if (!status) {
    check_memory(model);
    status = pir_session_create(model, &how, &s);
  }
  if (!status)
    status = run_session(s);
  if (status && s)
    run_again(s);
  assert_true(status || !traced || spans >= RUNS * 3);
  pir_session_destroy(s);
  pir_model_release(model);
  assert_int_equal(blocks(), 0);
  return status;
}

// Returns how many calls were made to fail.
static long fail_each(const stand_in *library, const char *folder, bool traced,
                      long *failures) {
  for (long n = 1;; n++) {
    library->fail_in(n);
    pir_status status = load_and_run(folder, traced);
    bool failed = library->fails_in() == 0;
    library->fail_in(0);
    if (status && (!failed || !said[0]))
      fail_msg("call %ld: status %d, message '%s'", n, status, said);
    *failures += status != PIR_OK;
    if (!failed)
      return n - 1;
  }
}

static void calls_of_the_driver_fail(void **state) {
  (void)state;
  stand_ins_or_skip();
  assert_non_null(mkdtemp(cache));
  for (int traced = 0; traced < 2; traced++) {
    long failures = 0;
    if (load_and_run(cache, traced))
      fail_msg("without failures: %s", said);
    assert_true(graphs() > 0);
    long calls = fail_each(&driver, cache, traced, &failures);
    print_message("%ld calls of the driver: %ld runs refused\n", calls, failures);
    assert_true(calls > 20 && failures > 10);
  }
  char command[64];
  snprintf(command, sizeof command, "rm -r %s", cache);
  assert_int_equal(system(command), 0);
}

static void calls_of_nvrtc_fail(void **state) {
  (void)state;
  stand_ins_or_skip();
  long failures = 0, calls = fail_each(&nvrtc, NULL, false, &failures);
  print_message("%ld calls of NVRTC: %ld runs refused\n", calls, failures);
  assert_true(calls >= 4 && failures >= 4);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(calls_of_the_driver_fail),
                                     cmocka_unit_test(calls_of_nvrtc_fail)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
