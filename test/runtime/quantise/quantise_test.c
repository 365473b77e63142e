// quantise_pass by the C API: the report goes to the context's sink, the changed program makes
// models whose sessions give the same classes, the other program is untouched, and work ends
// when the stop of the context asks for it, wherever it is.
#include <pir/compiler/dialects.h>
#include <pir/compiler/load.h>
#include <pir/compiler/pass.h>
#include <pir/engine/model.h>
#include <pir/layer/case_arrays.h>

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

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(digits_stay_right),
      cmocka_unit_test(a_flag_ends_it),
      cmocka_unit_test(time_ends_it),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
