// Compiled models in memory: written by pir_model_compile, opened in place or from a copy, with
// every allocation failing in turn, and refused where they do not fit. Run from the root of the
// checkout.
#include "../../../tools/ports.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <pir/compiler/dialects.h>
#include <pir/compiler/load.h>
#include <pir/engine/compiled.h>
#include <pir/engine/metadata.h>
#include <stdlib.h>
#include <string.h>

#include "../../api/report.h"

#define PROGRAM "test/models/digits_cnn/model.json"
enum { CLASSES = 10, PIXELS = 64, PAGE = 4096 };

typedef struct bytes {
  char *data;
  size_t size, capacity;
} bytes;

static bool collect(void *user, const char *data, size_t size) {
  bytes *b = user;
  if (b->size + size > b->capacity) {
    b->capacity = 2 * (b->size + size);
    b->data = realloc(b->data, b->capacity);
    assert_non_null(b->data);
  }
  memcpy(b->data + b->size, data, size);
  b->size += size;
  return true;
}

static bool stop_at_once(void *user, const char *data, size_t size) {
  return false;
}

typedef struct fixture {
  pir_context *ctx;
  pir_program *program;
  bytes file;
  report report;
} fixture;

static int set_up(void **state) {
  fixture *f = calloc(1, sizeof *f);
  pir_context_options how = {.size = sizeof how, .sink = {keep_report, &f->report}};
  f->ctx = pir_context_create(&how);
  const char *targets[] = {"x86-64", "native"};
  assert_int_equal(pir_dialects_load_all(f->ctx), PIR_OK);
  assert_int_equal(pir_program_load_file(f->ctx, PROGRAM, NULL, &f->program), PIR_OK);
  assert_int_equal(
      pir_model_compile(f->program, NULL, targets, 2, (pir_writer){collect, &f->file}), PIR_OK);
  *state = f;
  return 0;
}

static int tear_down(void **state) {
  fixture *f = *state;
  pir_program_destroy(f->program);
  pir_context_destroy(f->ctx);
  free(f->file.data);
  free(f);
  return 0;
}

static void run(pir_model *model, float out_scores[CLASSES]) {
  pir_session *session;
  float image[PIXELS];
  for (int i = 0; i < PIXELS; i++)
    image[i] = (float)(i % 7) / 7;
  pir_tensor in = {0}, out;
  pir_tensor_set_dense(&in, PIR_F32, (const int64_t[]){1, 1, 8, 8}, 4);
  in.data = image;
  assert_int_equal(pir_session_create(model, NULL, &session), PIR_OK);
  assert_int_equal(pir_session_bind_input(session, 0, &in), PIR_OK);
  assert_int_equal(pir_session_run(session), PIR_OK);
  assert_int_equal(pir_session_output(session, 0, &out), PIR_OK);
  memcpy(out_scores, out.data, CLASSES * sizeof *out_scores);
  pir_session_destroy(session);
}

static void count_release(void *user) {
  ++*(int *)user;
}

// It says by which costs its code was chosen; for a named target those are the table's.
static void check_costs(const pir_model *model) {
  pir_model_info info = {.size = sizeof info};
  assert_int_equal(pir_model_info_of(model, &info), PIR_OK);
  assert_non_null(strstr(info.machine.data, ", table, "));
}

static void a_model_in_memory_gives_the_same_bits(void **state) {
  fixture *f = *state;
  float want[CLASSES], got[CLASSES];
  pir_model *model;
  assert_int_equal(pir_model_create(f->program, NULL, &model), PIR_OK);
  run(model, want);
  pir_model_release(model);
  char *room = aligned_alloc(PAGE, (f->file.size + 2 * PAGE) / PAGE * PAGE);
  for (int shift = 0; shift < 2; shift++) {  // in place, and copied
    int released = 0;
    memcpy(room + shift, f->file.data, f->file.size);
    pir_borrowed file = {room + shift, f->file.size, count_release, &released};
    assert_int_equal(pir_model_open(file, NULL, &model), PIR_OK);
    assert_int_equal(released, shift);  // a copy needs the bytes no longer
    run(model, got);
    assert_memory_equal(got, want, sizeof want);
    check_costs(model);
    pir_model_release(model);
    assert_int_equal(released, 1);
  }
  free(room);
}

static pir_status open_for(const fixture *f, const char *target, report *out,
                           pir_model **out_model) {
  pir_open_options how = {.size = sizeof how, .target = target, .sink = {keep_report, out}};
  return pir_model_open((pir_borrowed){f->file.data, f->file.size, NULL, NULL}, &how,
                        out_model);
}

static void a_target_can_be_chosen(void **state) {
  const fixture *f = *state;
  report r = {0};
  pir_model *model;
  float scores[CLASSES];
  assert_int_equal(open_for(f, "x86-64", &r, &model), PIR_OK);
  run(model, scores);
  pir_model_release(model);
  assert_int_equal(open_for(f, "x86-64-v2", &r, &model), PIR_UNAVAILABLE);
  assert_null(model);
  assert_non_null(
      strstr(r.message, "has no code for x86-64-v2 on this processor; it has x86-64"));
}

static void bad_arguments_are_refused(void **state) {
  (void)state;
  report r = {0};
  pir_model *model;
  int released = 0;
  pir_open_options how = {.size = sizeof how, .sink = {keep_report, &r}};
  pir_borrowed none = {NULL, 0, count_release, &released};
  assert_int_equal(pir_model_open(none, &how, &model), PIR_INVALID);
  assert_int_equal(released, 1);
  assert_int_equal(pir_model_open_file(NULL, &how, &model), PIR_INVALID);
  assert_int_equal(pir_model_open(none, &how, NULL), PIR_INVALID);
  assert_int_equal(released, 2);
  assert_int_equal(pir_model_open_file(PROGRAM, &how, NULL), PIR_INVALID);
  assert_non_null(strstr(r.message, "pir_model_open_file: an argument is NULL"));
  pir_borrowed empty = {"", 0, count_release, &released};
  assert_int_equal(pir_model_open(empty, &how, &model), PIR_INVALID);
  assert_non_null(strstr(r.message, "is no compiled model"));
  assert_int_equal(released, 3);
  how.size = 3;
  assert_int_equal(pir_model_open_file(PROGRAM, &how, &model), PIR_INVALID);
}

static void bad_arguments_of_writing_are_refused(void **state) {
  const fixture *f = *state;
  bytes unused = {0};
  pir_writer out = {collect, &unused};
  pir_model_options how = {.size = 3};
  assert_int_equal(pir_model_compile(NULL, NULL, NULL, 0, out), PIR_INVALID);
  assert_int_equal(pir_model_compile_apart(NULL, NULL, NULL, 0, NULL, out, out), PIR_INVALID);
  assert_int_equal(pir_model_compile(f->program, NULL, NULL, 0, (pir_writer){0}), PIR_INVALID);
  assert_non_null(strstr(f->report.message, "there is no writer"));
  assert_int_equal(pir_model_compile(f->program, NULL, NULL, 1, out), PIR_INVALID);
  assert_int_equal(pir_model_compile(f->program, &how, NULL, 0, out), PIR_INVALID);
  assert_non_null(strstr(f->report.message, "pir_model_options"));
  assert_int_equal(unused.size, 0);
  assert_int_equal(
      pir_model_compile(f->program, NULL, NULL, 0, (pir_writer){stop_at_once, NULL}), PIR_IO);
  assert_non_null(strstr(f->report.message, "cannot be written"));
}

static void weights_go_to_their_own_writer(void **state) {
  fixture *f = *state;
  bytes model_bytes = {0}, weights = {0};
  report r = {0};
  pir_model *model;
  pir_writer out = {collect, &model_bytes}, apart = {collect, &weights};
  const char *const wrong[] = {NULL, "", "..", "a/b"};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
    assert_int_equal(pir_model_compile_apart(f->program, NULL, NULL, 0, wrong[i], apart, out),
                     PIR_INVALID);
  assert_non_null(strstr(f->report.message, "the name of a file, without a folder"));
  assert_int_equal(pir_model_compile_apart(f->program, NULL, NULL, 0, "w", apart,
                                           (pir_writer){stop_at_once, NULL}),
                   PIR_IO);
  assert_int_equal(pir_model_compile_apart(f->program, NULL, NULL, 0, "w",
                                           (pir_writer){stop_at_once, NULL}, out),
                   PIR_IO);
  model_bytes.size = weights.size = 0;
  assert_int_equal(pir_model_compile_apart(f->program, NULL, NULL, 0, "w", apart, out), PIR_OK);
  assert_true(weights.size % PAGE == 0 && weights.size > 0);
  pir_open_options how = {.size = sizeof how, .sink = {keep_report, &r}};
  pir_borrowed file = {model_bytes.data, model_bytes.size, NULL, NULL};
  assert_int_equal(pir_model_open(file, &how, &model), PIR_NOT_FOUND);
  assert_non_null(strstr(r.message, "has its weights in w"));
  how.weights = PROGRAM;
  assert_int_equal(pir_model_open(file, &how, &model), PIR_INVALID);
  assert_non_null(strstr(r.message, PROGRAM));
  how.weights = "test";
  assert_int_equal(pir_model_open(file, &how, &model), PIR_INVALID);
  assert_non_null(strstr(r.message, "is no file"));
  free(model_bytes.data);
  free(weights.data);
}

// An allocator that fails from call `left` on.
static void *take_or_fail(void *user, size_t size, size_t align) {
  int *left = user;
  return (*left)-- > 0 ? aligned_alloc(align, (size + align - 1) / align * align) : NULL;
}

static void give(void *user, void *block, size_t size) {
  free(block);
}

static void every_allocation_may_fail(void **state) {
  const fixture *f = *state;
  pir_status status = PIR_EXHAUSTED;
  int n = 0;
  for (; status && n < 10000; n++) {
    int left = n;
    pir_model *model;
    pir_open_options how = {.size = sizeof how, .allocator = {take_or_fail, give, &left}};
    pir_borrowed file = {f->file.data, f->file.size, NULL, NULL};
    status = pir_model_open(file, &how, &model);
    assert_true(!status || status == PIR_EXHAUSTED);
    assert_true(!status == !!model);
    pir_model_release(model);
  }
  assert_true(n > 1 && !status);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(a_model_in_memory_gives_the_same_bits, set_up, tear_down),
      cmocka_unit_test_setup_teardown(a_target_can_be_chosen, set_up, tear_down),
      cmocka_unit_test_setup_teardown(bad_arguments_are_refused, set_up, tear_down),
      cmocka_unit_test_setup_teardown(bad_arguments_of_writing_are_refused, set_up, tear_down),
      cmocka_unit_test_setup_teardown(weights_go_to_their_own_writer, set_up, tear_down),
      cmocka_unit_test_setup_teardown(every_allocation_may_fail, set_up, tear_down),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
