// Inputs and outputs in the memory of a device. On the stand-ins of test/cuda/shim alone, whose
// device memory the host cannot touch, and which LD_LIBRARY_PATH names (test/cuda/cuda.py
// does), else skipped.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dlfcn.h>
#include <pir/engine/device.h>
#include <pir/engine/device_memory.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 40, DEPTH = 24, COLUMNS = 32, RUNS = 4, MOST = 4096 };

#define DATA(name, rows, columns)                                                              \
  "(%" name ") = \"pd_op.data\" () {dtype:float32,name:\"" name                                \
  "\",place:Place(undefined:0),shape:[" rows "," columns "]} : () -> tensor<" rows "x" columns \
  "xf32>\n"
#define PRODUCT                                                                                \
  "(%b) = \"pd_op.matmul\" (%x, %w) {transpose_x:false,transpose_y:false} : "                  \
  "(tensor<40x24xf32>, tensor<24x32xf32>) -> tensor<40x32xf32>\n"
#define FETCH(name, column, type)                                                              \
  "(%f" name ") = \"pd_op.fetch\" (%" name ") {col:" column ",name:\"" name "\"} : (" type     \
  ") -> " type "\n"

// Of the device alone.
static const char product[] = "{\n" DATA("x", "40", "24") DATA("w", "24", "32")
    PRODUCT FETCH("b", "0", "tensor<40x32xf32>") "}\n";
// The processor reads the second input and the product, and finds how large an output is.
static const char shared[] = "{\n" DATA("x", "40", "24") DATA("w", "24", "32") PRODUCT
    "(%n) = \"pd_op.nonzero\" (%b) {} : (tensor<40x32xf32>) -> tensor<-1x2xi64>\n"
    "(%m) = \"pd_op.nonzero\" (%w) {} : (tensor<24x32xf32>) -> tensor<-1x2xi64>\n" FETCH(
        "b", "0", "tensor<40x32xf32>") FETCH("n", "1", "tensor<-1x2xi64>")
        FETCH("m", "2", "tensor<-1x2xi64>") "}\n";

static size_t (*crossings)(void);

typedef struct fixture {
  pir_device *device;
  pir_queue *queue;
  pir_model *model;
  pir_session *session;
  void *stream;     // of the caller, or NULL
  void *memory[4];  // of the device
  size_t memory_count;
} fixture;

static void stand_ins_or_skip(void) {
  void *library = dlopen("libcuda.so.1", RTLD_NOW);
  void *count = library ? dlsym(library, "shim_crossings") : NULL;
  if (!count)
    skip();
  memcpy(&crossings, &count, sizeof count);
}

// Replaces the session by one on a stream of the caller.
static void use_own_stream(fixture *f) {
  void *at = dlsym(dlopen("libcuda.so.1", RTLD_NOW), "cuStreamCreate");
  int (*create)(void **, unsigned);
  memcpy(&create, &at, sizeof create);
  assert_int_equal(create(&f->stream, 1), 0);
  pir_session_options how = {.size = sizeof how, .device_stream = f->stream};
  pir_session_destroy(f->session);
  assert_int_equal(pir_session_create(f->model, &how, &f->session), PIR_OK);
}

static void destroy_own_stream(fixture *f) {
  void *at = dlsym(dlopen("libcuda.so.1", RTLD_NOW), "cuStreamDestroy_v2");
  int (*destroy)(void *);
  memcpy(&destroy, &at, sizeof destroy);
  assert_int_equal(destroy(f->stream), 0);
}

static void begin(fixture *f, const char *program, const char *target) {
  pir_message message;
  pir_borrowed bytes = {.data = program, .size = strlen(program)};
  pir_model_options options = {.size = sizeof options, .target = target};
  *f = (fixture){0};
  assert_int_equal(pir_device_open("cuda", 0, NULL, &f->device, &message), PIR_OK);
  assert_int_equal(pir_queue_create(f->device, NULL, &f->queue, &message), PIR_OK);
  assert_int_equal(pir_model_load(bytes, (pir_borrowed){0}, &options, &f->model), PIR_OK);
  assert_int_equal(pir_session_create(f->model, NULL, &f->session), PIR_OK);
}

static void end(fixture *f) {
  pir_session_destroy(f->session);
  if (f->stream)
    destroy_own_stream(f);
  for (size_t i = 0; i < f->memory_count; i++)
    pir_queue_give(f->queue, f->memory[i], MOST * sizeof(int64_t));
  pir_queue_destroy(f->queue);
  pir_model_release(f->model);
  pir_device_close(f->device);
}

static void *take(fixture *f) {
  void **memory = &f->memory[f->memory_count++];
  assert_int_equal(pir_queue_take(f->queue, MOST * sizeof(int64_t), memory), PIR_OK);
  return *memory;
}

static pir_tensor matrix(void *data, pir_dtype dtype, int64_t rows, int64_t columns) {
  pir_tensor t = {.data = data};
  pir_tensor_set_dense(&t, dtype, (int64_t[]){rows, columns}, 2);
  return t;
}

// Every second number is 0, and they change from run to run.
static float number(size_t i, int run) {
  return i % 2 ? (float)((i + (size_t)run) % 7) : 0;
}

static void upload_numbers(fixture *f, const pir_tensor *to, int run) {
  static float numbers[MOST];
  size_t count = (size_t)pir_tensor_numel(to);
  for (size_t i = 0; i < count; i++)
    numbers[i] = number(i, run);
  assert_int_equal(pir_queue_upload(f->queue, to->data, numbers, count * sizeof *numbers), 0);
  assert_int_equal(pir_queue_wait(f->queue), PIR_OK);
}

static void download(fixture *f, void *to, const void *from, size_t bytes) {
  assert_int_equal(pir_queue_download(f->queue, to, from, bytes), PIR_OK);
  assert_int_equal(pir_queue_wait(f->queue), PIR_OK);
}

static float expected(size_t i, size_t j, int run) {
  float sum = 0;
  for (size_t k = 0; k < DEPTH; k++)
    sum += number(i * DEPTH + k, run) * number(k * COLUMNS + j, run);
  return sum;
}

static void check_product(fixture *f, const pir_tensor *b, int run) {
  static float got[ROWS * COLUMNS];
  download(f, got, b->data, sizeof got);
  for (size_t i = 0; i < ROWS; i++)
    for (size_t j = 0; j < COLUMNS; j++)
      assert_true(got[i * COLUMNS + j] == expected(i, j, run));
}

static void ports_of_the_device_alone_stay_there(void **state) {
  (void)state;
  fixture f;
  stand_ins_or_skip();
  begin(&f, product, "cuda");
  pir_tensor x = matrix(take(&f), PIR_F32, ROWS, DEPTH),
             w = matrix(take(&f), PIR_F32, DEPTH, COLUMNS),
             b = matrix(take(&f), PIR_F32, ROWS, COLUMNS), out;
  assert_int_equal(pir_session_bind_device_input(f.session, 0, &x), PIR_OK);
  assert_int_equal(pir_session_bind_device_input(f.session, 1, &w), PIR_OK);
  assert_int_equal(pir_session_bind_device_output(f.session, 0, &b), PIR_OK);
  for (int run = 0; run < RUNS; run++) {
    upload_numbers(&f, &x, run);
    upload_numbers(&f, &w, run);
    size_t before = crossings();
    assert_int_equal(pir_session_run(f.session), PIR_OK);
    assert_int_equal(crossings(), before);
    assert_int_equal(pir_session_output(f.session, 0, &out), PIR_OK);
    assert_ptr_equal(out.data, b.data);
    check_product(&f, &out, run);
  }
  end(&f);
}

// Bound on the host again, the same session transfers.
static void bindings_change(void **state) {
  (void)state;
  static float x[ROWS * DEPTH], host[ROWS * COLUMNS];
  fixture f;
  stand_ins_or_skip();
  begin(&f, product, "cuda");
  pir_tensor w = matrix(take(&f), PIR_F32, DEPTH, COLUMNS),
             b = matrix(take(&f), PIR_F32, ROWS, COLUMNS),
             on_host = matrix(x, PIR_F32, ROWS, DEPTH),
             result = matrix(host, PIR_F32, ROWS, COLUMNS);
  for (size_t i = 0; i < ROWS * DEPTH; i++)
    x[i] = number(i, 0);
  upload_numbers(&f, &w, 0);
  assert_int_equal(pir_session_bind_input(f.session, 0, &on_host), PIR_OK);
  assert_int_equal(pir_session_bind_device_input(f.session, 1, &w), PIR_OK);
  for (int run = 0; run < RUNS; run++) {
    pir_status bound = run % 2 ? pir_session_bind_output(f.session, 0, &result)
                               : pir_session_bind_device_output(f.session, 0, &b);
    assert_int_equal(bound, PIR_OK);
    assert_int_equal(pir_session_run(f.session), PIR_OK);
    for (size_t i = 0; run % 2 && i < ROWS * COLUMNS; i++)
      assert_true(host[i] == expected(i / COLUMNS, i % COLUMNS, 0));
    if (run % 2 == 0)
      check_product(&f, &b, 0);
  }
  end(&f);
}

static int64_t places(int64_t *out, bool of_product) {
  int64_t count = 0, rows = of_product ? ROWS : DEPTH;
  for (int64_t i = 0; i < rows * COLUMNS; i++) {
    size_t r = (size_t)(i / COLUMNS), c = (size_t)(i % COLUMNS);
    if (of_product ? expected(r, c, 0) != 0 : number((size_t)i, 0) != 0) {
      out[2 * count] = (int64_t)r;
      out[2 * count++ + 1] = (int64_t)c;
    }
  }
  return count;
}

static void the_processor_reads_and_writes_them_too(void **state) {
  (void)state;
  static int64_t want[2][2 * MOST], got[2 * MOST];
  fixture f;
  stand_ins_or_skip();
  begin(&f, shared, "cuda");
  int64_t counts[] = {places(want[0], true), places(want[1], false)};
  pir_tensor x = matrix(take(&f), PIR_F32, ROWS, DEPTH),
             w = matrix(take(&f), PIR_F32, DEPTH, COLUMNS),
             outputs[] = {matrix(take(&f), PIR_F32, ROWS, COLUMNS),
                          matrix(take(&f), PIR_I64, counts[0], 2)};
  static int64_t host[2 * MOST];
  pir_tensor last = matrix(host, PIR_I64, counts[1], 2);
  upload_numbers(&f, &x, 0);
  upload_numbers(&f, &w, 0);
  assert_true(counts[0] > 0 && counts[1] > 0);
  assert_int_equal(pir_session_bind_device_input(f.session, 0, &x), PIR_OK);
  assert_int_equal(pir_session_bind_device_input(f.session, 1, &w), PIR_OK);
  for (size_t i = 0; i < 2; i++)
    assert_int_equal(pir_session_bind_device_output(f.session, i, &outputs[i]), PIR_OK);
  assert_int_equal(pir_session_bind_output(f.session, 2, &last), PIR_OK);
  for (int run = 0; run < RUNS; run++) {
    assert_string_equal(pir_session_run(f.session) ? pir_session_message(f.session) : "", "");
    check_product(&f, &outputs[0], 0);
    download(&f, got, outputs[1].data, (size_t)counts[0] * 2 * sizeof *got);
    assert_memory_equal(got, want[0], (size_t)counts[0] * 2 * sizeof *got);
    assert_memory_equal(host, want[1], (size_t)counts[1] * 2 * sizeof *host);
  }
  end(&f);
}

// The sum of x and itself is written over x.
static void an_output_may_lie_on_an_input(void **state) {
  (void)state;
  static const char twice[] =
      "{\n" DATA("x", "40", "24") "(%b) = \"pd_op.add\" (%x, %x) {} : (tensor<40x24xf32>, "
                                  "tensor<40x24xf32>) -> tensor<40x24xf32>\n" FETCH(
                                      "b", "0", "tensor<40x24xf32>") "}\n";
  static float got[ROWS * DEPTH];
  fixture f;
  stand_ins_or_skip();
  begin(&f, twice, "cuda");
  pir_tensor x = matrix(take(&f), PIR_F32, ROWS, DEPTH);
  upload_numbers(&f, &x, 0);
  assert_int_equal(pir_session_bind_device_input(f.session, 0, &x), PIR_OK);
  assert_int_equal(pir_session_bind_device_output(f.session, 0, &x), PIR_OK);
  assert_int_equal(pir_session_run(f.session), PIR_OK);
  download(&f, got, x.data, sizeof got);
  for (size_t i = 0; i < ROWS * DEPTH; i++)
    assert_true(got[i] == 2 * number(i, 0));
  end(&f);
}

// An input of which only the shape is read stays on the device.
static void shapes_are_not_fetched(void **state) {
  (void)state;
  static const char shaped[] = "{\n" DATA("x", "40", "24") DATA(
      "y", "1",
      "24") "(%e) = \"pd_op.expand_as\" (%y, %x) {target_shape:[40,24]} : (tensor<1x24xf32>, "
            "tensor<40x24xf32>) -> tensor<40x24xf32>\n"
            "(%b) = \"pd_op.tanh\" (%e) {} : (tensor<40x24xf32>) -> tensor<40x24xf32>\n" FETCH(
                "b", "0", "tensor<40x24xf32>") "}\n";
  fixture f;
  stand_ins_or_skip();
  begin(&f, shaped, "cuda");
  pir_tensor x = matrix(take(&f), PIR_F32, ROWS, DEPTH),
             y = matrix(take(&f), PIR_F32, 1, DEPTH),
             out = matrix(take(&f), PIR_F32, ROWS, DEPTH);
  upload_numbers(&f, &y, 0);
  assert_int_equal(pir_session_bind_device_input(f.session, 0, &x), PIR_OK);
  assert_int_equal(pir_session_bind_device_input(f.session, 1, &y), PIR_OK);
  assert_int_equal(pir_session_bind_device_output(f.session, 0, &out), PIR_OK);
  for (int run = 0; run < RUNS; run++) {
    size_t before = crossings();
    assert_int_equal(pir_session_run(f.session), PIR_OK);
    assert_int_equal(crossings(), before);
  }
  end(&f);
}

enum { TABLE_ROWS = 4, TABLE_COLUMNS = 8, INDICES = 2 };

static void upload_indices(fixture *f, const pir_tensor *to, int64_t first) {
  int64_t indices[INDICES] = {first, 0};
  assert_int_equal(pir_queue_upload(f->queue, to->data, indices, sizeof indices), PIR_OK);
  assert_int_equal(pir_queue_wait(f->queue), PIR_OK);
}

// On a stream of the caller a run does not wait. A check that failed in it is told by the next
// run that waits, also after one that did not begin.
static void an_index_out_of_range_is_told_later(void **state) {
  (void)state;
  static const char lookup[] =
      "{\n" DATA("t", "4", "8") "(%i) = \"pd_op.data\" () "
                                "{dtype:int64,name:\"i\",place:Place(undefined:0),shape:[1,2]}"
                                " : () -> tensor<1x2xi64>\n"
                                "(%b) = \"pd_op.embedding\" (%i, %t) "
                                "{padding_idx:-1,sparse:false} : (tensor<1x2xi64>, "
                                "tensor<4x8xf32>) -> tensor<1x2x8xf32>\n" FETCH(
                                    "b", "0", "tensor<1x2x8xf32>") "}\n";
  static float rows[INDICES * TABLE_COLUMNS], few[1];
  fixture f;
  stand_ins_or_skip();
  begin(&f, lookup, "cuda");
  use_own_stream(&f);
  pir_tensor table = matrix(take(&f), PIR_F32, TABLE_ROWS, TABLE_COLUMNS);
  pir_tensor indices = matrix(take(&f), PIR_I64, 1, INDICES);
  pir_tensor device = {.data = take(&f)}, host = {.data = rows}, wrong = {.data = few};
  pir_tensor_set_dense(&device, PIR_F32, (int64_t[]){1, INDICES, TABLE_COLUMNS}, 3);
  pir_tensor_set_dense(&host, PIR_F32, (int64_t[]){1, INDICES, TABLE_COLUMNS}, 3);
  pir_tensor_set_dense(&wrong, PIR_F32, (int64_t[]){1, 1, 1}, 3);
  upload_numbers(&f, &table, 0);
  upload_indices(&f, &indices, TABLE_ROWS);
  assert_int_equal(pir_session_bind_device_input(f.session, 0, &table), PIR_OK);
  assert_int_equal(pir_session_bind_device_input(f.session, 1, &indices), PIR_OK);
  assert_int_equal(pir_session_bind_device_output(f.session, 0, &device), PIR_OK);
  assert_int_equal(pir_session_run(f.session), PIR_OK);
  if (!pir_session_bind_output(f.session, 0, &wrong))
    assert_int_equal(pir_session_run(f.session), PIR_INVALID);
  upload_indices(&f, &indices, 1);
  assert_int_equal(pir_session_bind_output(f.session, 0, &host), PIR_OK);
  assert_int_equal(pir_session_run(f.session), PIR_INVALID);
  assert_non_null(strstr(pir_session_message(f.session), "embedding"));
  assert_int_equal(pir_session_run(f.session), PIR_OK);
  end(&f);
}

static void wrong_memory_is_refused(void **state) {
  (void)state;
  fixture f;
  stand_ins_or_skip();
  begin(&f, product, "cuda");
  pir_tensor x = matrix(take(&f), PIR_F32, ROWS, DEPTH),
             columns = matrix(take(&f), PIR_F32, ROWS, DEPTH);
  columns.strides[0] = 1;
  columns.strides[1] = ROWS;
  assert_int_equal(pir_session_bind_device_input(f.session, 0, &columns), PIR_INVALID);
  assert_int_equal(pir_session_bind_device_input(f.session, 2, &x), PIR_NOT_FOUND);
  assert_int_equal(pir_session_bind_device_output(f.session, 0, &x), PIR_INVALID);
  assert_int_equal(pir_session_run(f.session), PIR_INVALID);
  end(&f);
  begin(&f, product, NULL);
  assert_int_equal(pir_session_bind_device_input(f.session, 0, &x), PIR_UNSUPPORTED);
  assert_non_null(strstr(pir_session_message(f.session), "does not run on"));
  end(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(ports_of_the_device_alone_stay_there),
      cmocka_unit_test(bindings_change),
      cmocka_unit_test(the_processor_reads_and_writes_them_too),
      cmocka_unit_test(an_output_may_lie_on_an_input),
      cmocka_unit_test(shapes_are_not_fetched),
      cmocka_unit_test(an_index_out_of_range_is_told_later),
      cmocka_unit_test(wrong_memory_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
