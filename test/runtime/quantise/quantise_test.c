// quantise_pass by the C API: the report goes to the context's sink, the changed program makes
// models whose sessions give the same classes, the other program is untouched, and work ends
// when the stop of the context asks for it, wherever it is.
#include "quantise.h"

#include <pir/compiler/dialects.h>
#include <pir/compiler/load.h>
#include <pir/compiler/pass.h>
#include <pir/engine/model.h>
#include <pir/layer/case_arrays.h>

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define FOLDER "test/models/digits_cnn"
#define PIPELINE "quantise{data=" FOLDER "/case0}"

typedef struct heard {
  int notes, errors;
  int stop_at;  // sets the flag at this note; 0: never
  pir_atomic_int *flag;
  char last[256];
} heard;

static void hear(void *user, const pir_diag *diag) {
  heard *h = user;
  h->errors += diag->severity == PIR_ERROR;
  h->notes += diag->severity == PIR_NOTE;
  size_t size = diag->message.size < 255 ? diag->message.size : 255;
  memcpy(h->last, diag->message.data, size);
  h->last[size] = 0;
  if (h->stop_at && h->notes == h->stop_at)
    atomic_store(h->flag, 1);
}

typedef struct world {
  pir_context *ctx;
  pir_program *program;
  heard heard;
} world;

static void open_world(world *w) {
  memset(w, 0, sizeof *w);
  w->ctx = pir_context_create(NULL);
  assert_non_null(w->ctx);
  pir_context_set_sink(w->ctx, (pir_diag_sink){hear, &w->heard});
  assert_int_equal(pir_dialects_load_all(w->ctx), PIR_OK);
  assert_int_equal(pir_program_load_file(w->ctx, FOLDER "/model.json", NULL, &w->program),
                   PIR_OK);
}

static void close_world(world *w) {
  pir_program_destroy(w->program);
  pir_context_destroy(w->ctx);
}

static pir_status run(world *w, const char *pipeline) {
  pir_pass_manager *manager = pir_pass_manager_create(w->ctx, NULL);
  pir_status status = pir_pass_manager_parse(manager, pir_str_from(pipeline));
  if (!status)
    status = pir_pass_manager_run(manager, w->program);
  pir_pass_manager_destroy(manager);
  return status;
}

// Counts the images of the case whose class in the outputs equals the label.
static int count_right(const pir_program *program) {
  char message[256];
  pir_npy_set images, labels;
  pir_model *model;
  pir_session *session;
  pir_tensor out;
  int right = 0;
  assert_int_equal(pir_case_read(FOLDER "/case0", true, &images, message), PIR_OK);
  assert_int_equal(pir_npy_read_file(FOLDER "/labels.npy", &labels, message), PIR_OK);
  assert_int_equal(pir_model_create(program, NULL, &model), PIR_OK);
  assert_int_equal(pir_session_create(model, NULL, &session), PIR_OK);
  const pir_npy_array *image = pir_case_input(&images, "image");
  assert_non_null(image);
  assert_int_equal(pir_session_bind_input(session, 0, &image->tensor), PIR_OK);
  assert_int_equal(pir_session_run(session), PIR_OK);
  assert_int_equal(pir_session_output(session, 0, &out), PIR_OK);
  for (int64_t i = 0; i < out.shape[0]; i++) {
    int64_t best = 0;
    for (int64_t k = 1; k < out.shape[1]; k++)
      if (pir_tensor_float_at(&out, i * out.shape[1] + k) >
          pir_tensor_float_at(&out, i * out.shape[1] + best))
        best = k;
    right += best == pir_tensor_int_at(&labels.arrays[0].tensor, i);
  }
  pir_session_destroy(session);
  pir_model_release(model);
  pir_npy_set_release(&images);
  pir_npy_set_release(&labels);
  return right;
}

static void digits_stay_right(void **unused) {
  static const char *const methods[] = {"mse", "absmax", "percentile"};
  (void)unused;
  for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
    char pipeline[256];
    world w;
    open_world(&w);
    pir_program *before = pir_program_clone(w.program);
    snprintf(pipeline, sizeof pipeline, "quantise{data=%s/case0,method=%s}", FOLDER,
             methods[i]);
    assert_int_equal(run(&w, pipeline), PIR_OK);
    assert_int_equal(w.heard.errors, 0);
    assert_int_equal(w.heard.notes, 4);  // three layers and an output
    assert_non_null(strstr(w.heard.last, "output \"fetch_name_0\""));
    assert_int_equal(count_right(w.program), 64);
    assert_int_equal(count_right(before), 64);
    assert_null(pir_program_param(w.program, PIR_STR("conv2d_0.w_0")));
    assert_non_null(pir_program_param(before, PIR_STR("conv2d_0.w_0")));
    pir_program_destroy(before);
    close_world(&w);
  }
}

// The flag is set before the pass begins, and while it reports its first layer.
static void a_flag_ends_it(void **unused) {
  (void)unused;
  for (int at = 0; at < 2; at++) {
    pir_atomic_int flag;
    world w;
    open_world(&w);
    atomic_init(&flag, at == 0);
    w.heard.stop_at = at;
    w.heard.flag = &flag;
    pir_context_set_stop(w.ctx, &(pir_stop){.cancel = &flag});
    assert_int_equal(run(&w, PIPELINE), PIR_CANCELLED);
    assert_true(w.heard.errors > 0);
    close_world(&w);
  }
}

static void time_ends_it(void **unused) {
  world w;
  (void)unused;
  open_world(&w);
  pir_context_set_stop(w.ctx, &(pir_stop){.max_ns = 1});
  assert_int_equal(run(&w, PIPELINE), PIR_CANCELLED);
  close_world(&w);
}

static pir_tensor tensor_of(float *data, int64_t count) {
  pir_tensor tensor = {.data = data};
  pir_tensor_set_dense(&tensor, PIR_F32, &count, 1);
  return tensor;
}

// Bins are merged while magnitudes grow from 1e-30 to 1e30, and no element is lost.
static void counts_grow(void **unused) {
  magnitudes *m = calloc(1, sizeof *m);
  uint64_t counted = 0;
  (void)unused;
  assert_non_null(m);
  for (int e = -30; e <= 30; e += 3) {
    float data[] = {powf(10, (float)e), 0, -powf(10, (float)e) / 2};
    pir_tensor tensor = tensor_of(data, 3);
    magnitudes_add(m, &tensor);
    assert_true(m->most == (double)data[0] && m->most < m->span && m->span <= 2 * m->most);
  }
  for (int i = 0; i < MAGNITUDE_BINS; i++)
    counted += m->bins[i];
  assert_int_equal(m->count, 63);
  assert_int_equal(m->zeros, 21);
  assert_int_equal(counted, 42);
  assert_true(magnitudes_scale(m, (range_choice){RANGE_ABSMAX, 0}, QUANTISE_TOP) == m->most);
  assert_true(magnitudes_scale(m, (range_choice){RANGE_PERCENTILE, 50}, QUANTISE_TOP) <
              m->span * 2 / MAGNITUDE_BINS);
  float data[] = {1, INFINITY};
  pir_tensor tensor = tensor_of(data, 2);
  magnitudes_add(m, &tensor);
  assert_true(m->infinite);
  free(m);
}

static void errors_are_counted(void **unused) {
  float f32[] = {3, -4, INFINITY, 0}, got[] = {3.5f, -4, 1, 0}, bad[] = {NAN, -4, 1, 0};
  pir_tensor a = tensor_of(f32, 4), b = tensor_of(got, 4), c = tensor_of(bad, 4),
             d = tensor_of(got, 3);
  number_errors e = {0};
  (void)unused;
  assert_true(errors_snr(&e) == INFINITY && errors_relative(&e) == 0);
  errors_add(&e, &a, &b);
  assert_true(e.largest == 0.5 && e.skipped == 1 && e.count == 4);
  assert_true(fabs(errors_snr(&e) - 20) < 1e-9);
  assert_true(fabs(errors_relative(&e) - 0.5 / 7) < 1e-9);
  errors_add(&e, &a, &d);
  assert_true(e.reshaped == 1 && e.count == 4);
  errors_add(&e, &a, &c);  // NaN in place of a number is no small error
  assert_true(errors_snr(&e) == -INFINITY && e.largest == INFINITY);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(digits_stay_right),  cmocka_unit_test(counts_grow),
      cmocka_unit_test(errors_are_counted), cmocka_unit_test(a_flag_ends_it),
      cmocka_unit_test(time_ends_it),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
