// Threads that load a compiled model whose weights are packed when it is opened, and again when
// they are replaced: as many as the options say, with the same bits, and with every allocation
// failing in turn.
#include <dirent.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <pir/compiler/dialects.h>
#include <pir/compiler/load.h>
#include <pir/engine/compiled.h>
#include <pir/engine/weights.h>

enum { ROWS = 1024, COLUMNS = 2560, PAGE = 4096, MANY = 3 };

// Large enough for more than one thread: 10 MB.
static float weights[ROWS * COLUMNS];

static const char text[] =
    "{\n"
    "(%0) = \"builtin.parameter\" () {parameter_name:\"w\"} : () -> tensor<1024x2560xf32>\n"
    "(%1) = \"pd_op.data\" () {dtype:float32,name:\"x\",place:Place(undefined:0),"
    "shape:[1,1024]} : () -> tensor<1x1024xf32>\n"
    "(%2) = \"pd_op.matmul\" (%1, %0) {transpose_x:false,transpose_y:false} : "
    "(tensor<1x1024xf32>, tensor<1024x2560xf32>) -> tensor<1x2560xf32>\n"
    "() = \"builtin.shadow_output\" (%2) {output_name:\"out\"} : (tensor<1x2560xf32>) -> \n"
    "}";

// The compiled model, aligned as a mapped file is.
static struct {
  char *data;
  size_t size;
} file;

static bool collect(void *user, const char *data, size_t size) {
  memcpy(file.data + file.size, data, size);
  file.size += size;
  return true;
}

static void *end_at_once(void *unused) {
  return unused;
}

// The thread sanitizer starts a thread of its own beside the first one of the program, which
// stays and is counted from then on.
static void start_the_sanitizers_thread(void) {
  pthread_t first;
  assert_int_equal(pthread_create(&first, NULL, end_at_once, NULL), 0);
  assert_int_equal(pthread_join(first, NULL), 0);
}

static int set_up(void **unused) {
  (void)unused;
  start_the_sanitizers_thread();
  pir_context *ctx = pir_context_create(NULL);
  pir_program *program = NULL;
  for (int i = 0; i < ROWS * COLUMNS; i++)
    weights[i] = (float)(i % 23) / 23;
  pir_param param = {.name = PIR_STR("w"),
                     .dtype = PIR_F32,
                     .shape = {(const int64_t[]){ROWS, COLUMNS}, 2},
                     .data = weights,
                     .size = sizeof weights};
  pir_model_options how = {.size = sizeof how, .replaceable = true};
  file.data = aligned_alloc(PAGE, 2 * sizeof weights);
  assert_non_null(file.data);
  assert_int_equal(pir_dialects_load_all(ctx), PIR_OK);
  assert_int_equal(pir_program_read(ctx, pir_str_from(text), PIR_STR("text"), &program),
                   PIR_OK);
  pir_program_adopt_param(program, &param);
  assert_int_equal(pir_model_compile(program, &how, NULL, 0, (pir_writer){collect, NULL}),
                   PIR_OK);
  pir_program_destroy(program);
  pir_context_destroy(ctx);
  return 0;
}

static int tear_down(void **unused) {
  (void)unused;
  free(file.data);
  return 0;
}

// Memory of a model: the most threads that the process had when some was asked for. From call
// `left` on, there is none.
typedef struct source {
  int most, left;
} source;

static int count_threads(void) {
  DIR *tasks = opendir("/proc/self/task");
  int count = 0;
  assert_non_null(tasks);
  for (const struct dirent *e = readdir(tasks); e; e = readdir(tasks))
    count += *e->d_name != '.';
  closedir(tasks);
  return count;
}

// A thread that was joined is listed until the kernel has ended it: waits for that.
static void settle(int threads) {
  for (int ms = 0; ms < 5000 && count_threads() > threads; ms++)
    usleep(1000);
  assert_int_equal(count_threads(), threads);
}

static void *take(void *user, size_t size, size_t align) {
  source *s = user;
  int count = count_threads();
  s->most = count > s->most ? count : s->most;
  return s->left-- > 0 ? aligned_alloc(align, (size + align - 1) / align * align) : NULL;
}

static void give(void *user, void *block, size_t size) {
  free(block);
}

static pir_status open_with(source *s, int threads, pir_model **out_model) {
  pir_open_options how = {.size = sizeof how, .allocator = {take, give, s}, .threads = threads};
  return pir_model_open((pir_borrowed){file.data, file.size, NULL, NULL}, &how, out_model);
}

static pir_status replace(pir_model *model, pir_model **out_model) {
  pir_weight other = {.name = PIR_STR("w"), .tensor = {.data = weights}};
  // The same elements, of another row each.
  pir_tensor_set_dense(&other.tensor, PIR_F32, (const int64_t[]){ROWS, COLUMNS}, 2);
  other.tensor.data = (char *)weights + (ROWS - 1) * COLUMNS * sizeof *weights;
  other.tensor.strides[0] = -COLUMNS;
  return pir_model_replace_weights(model, &other, 1, NULL, out_model);
}

static void run(pir_model *model, float out[COLUMNS]) {
  float row[ROWS];
  pir_session *session;
  pir_tensor in = {.data = row}, result;
  for (int i = 0; i < ROWS; i++)
    row[i] = (float)(i % 7) / 7;
  pir_tensor_set_dense(&in, PIR_F32, (const int64_t[]){1, ROWS}, 2);
  assert_int_equal(pir_session_create(model, NULL, &session), PIR_OK);
  assert_int_equal(pir_session_bind_input(session, 0, &in), PIR_OK);
  assert_int_equal(pir_session_run(session), PIR_OK);
  assert_int_equal(pir_session_output(session, 0, &result), PIR_OK);
  memcpy(out, result.data, COLUMNS * sizeof *out);
  pir_session_destroy(session);
}

static void any_number_of_threads_gives_the_same_bits(void **unused) {
  static float first[2][COLUMNS], found[2][COLUMNS];
  int before = count_threads();
  (void)unused;
  for (int threads = 1; threads <= MANY; threads++) {
    source s = {.left = INT32_MAX};
    pir_model *model, *other;
    assert_int_equal(open_with(&s, threads, &model), PIR_OK);
    assert_int_equal(s.most, before + threads - 1);
    settle(before);
    s.most = 0;
    assert_int_equal(replace(model, &other), PIR_OK);
    assert_int_equal(s.most, before + threads - 1);
    settle(before);
    run(model, threads > 1 ? found[0] : first[0]);
    run(other, threads > 1 ? found[1] : first[1]);
    if (threads > 1)
      assert_memory_equal(found, first, sizeof first);
    pir_model_release(other);
    pir_model_release(model);
  }
  assert_memory_not_equal(first[0], first[1], sizeof first[0]);
}

// A pool that memory is short for is missed by nobody: one thread packs. So a failure may be no
// failure of the call.
static void every_allocation_may_fail(void **unused) {
  pir_status opened = PIR_EXHAUSTED, replaced = PIR_EXHAUSTED;
  int n = 0, threads = count_threads();
  (void)unused;
  for (bool failed = true; failed && n < 1000; n++) {
    source s = {.left = n};
    pir_model *model, *other = NULL;
    opened = open_with(&s, MANY, &model);
    replaced = opened ? PIR_EXHAUSTED : replace(model, &other);
    failed = s.left < 0;
    assert_true(!opened || opened == PIR_EXHAUSTED);
    assert_true(!replaced || replaced == PIR_EXHAUSTED);
    assert_true(!opened == !!model && !replaced == !!other);
    pir_model_release(other);
    pir_model_release(model);
    settle(threads);
  }
  assert_true(n > 1 && !opened && !replaced);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(any_number_of_threads_gives_the_same_bits),
      cmocka_unit_test(every_allocation_may_fail),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
