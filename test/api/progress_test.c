// Progress of long work: each stage counts up to its end on the calling thread, and a report
// may cancel the work. Run from the root of the checkout.
#include <pir/compiler/dialects.h>
#include <pir/compiler/load.h>
#include <pir/engine/model.h>

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define FOLDER "test/models/digits_cnn/"
enum { STAGES = PIR_STAGE_TUNE + 1 };

typedef struct watched {
  pthread_t thread;
  int reports, stages;
  pir_progress_stage last;
  uint64_t done[STAGES], of[STAGES];
  bool ended[STAGES], named[STAGES];
  bool broken;  // a count fell, or went beyond its end, or came from another thread
  pir_atomic_int cancel;
  uint64_t cancel_at;  // done of a run at which `cancel` is set; 0: never
} watched;

static void watch(void *user, const pir_progress *p) {
  watched *w = user;
  size_t s = p->stage;
  bool first = !w->reports || w->last != p->stage;
  w->broken |= p->size != sizeof *p || s >= STAGES || !p->what ||
               !pthread_equal(pthread_self(), w->thread) || (p->of && p->done > p->of) ||
               (!first && p->done < w->done[s]);
  if (w->broken)
    return;
  w->reports++;
  w->stages += first;
  w->last = p->stage;
  w->done[s] = p->done;
  w->of[s] = p->of;
  w->ended[s] = p->of && p->done == p->of;
  w->named[s] |= *p->what != 0;
  if (w->cancel_at && p->stage == PIR_STAGE_RUN && p->done == w->cancel_at)
    atomic_store(&w->cancel, 1);
}

static watched fresh(void) {
  return (watched){.thread = pthread_self()};
}

static pir_model *load(const char *path, const char *pipeline, int threads, watched *w) {
  pir_model_options options = {.size = sizeof options,
                               .pipeline = pipeline,
                               .compile_threads = threads,
                               .progress = {watch, w}};
  pir_model *model = NULL;
  assert_int_equal(pir_model_load_file(path, FOLDER "model.pdiparams", &options, &model),
                   PIR_OK);
  assert_false(w->broken);
  return model;
}

static void every_format_and_stage_is_counted(void **unused) {
  static const char *const files[] = {"model.json", "model.pdmodel", "model.pir"};
  (void)unused;
  for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
    char path[64];
    watched w = fresh();
    snprintf(path, sizeof path, FOLDER "%s", files[i]);
    pir_model_release(load(path, "kernels", 1, &w));
    assert_int_equal(w.stages, 3);
    assert_true(w.ended[PIR_STAGE_READ] && w.done[PIR_STAGE_READ] > 10);
    assert_true(w.ended[PIR_STAGE_PASSES] && w.named[PIR_STAGE_PASSES]);
    assert_true(w.ended[PIR_STAGE_WEIGHTS] && w.named[PIR_STAGE_WEIGHTS]);
    assert_int_equal(w.of[PIR_STAGE_COMPILE], 0);
  }
}

static void threads_that_compile_are_counted(void **unused) {
  (void)unused;
  for (int threads = 1; threads <= 3; threads++) {
    watched w = fresh();
    pir_model *model = load(FOLDER "model.json", "compile", threads, &w);
    pir_model_stats stats = {.size = sizeof stats};
    assert_int_equal(pir_model_stats_of(model, &stats), PIR_OK);
    assert_true(stats.kernels_compiled > 0);
    assert_int_equal(w.stages, 4);
    assert_true(w.ended[PIR_STAGE_COMPILE]);
    assert_int_equal(w.of[PIR_STAGE_COMPILE], stats.kernels_compiled);
    assert_true(w.ended[PIR_STAGE_WEIGHTS]);
    pir_model_release(model);
  }
}

// A program that the caller built is compiled in the caller's context, which keeps its watcher.
static void contexts_keep_their_watcher(void **unused) {
  watched reading = fresh(), making = fresh();
  pir_context *ctx = pir_context_create(NULL);
  pir_program *program = NULL;
  pir_model *model = NULL;
  (void)unused;
  assert_int_equal(pir_dialects_load_all(ctx), PIR_OK);
  pir_context_set_progress(ctx, (pir_progress_sink){watch, &reading});
  assert_int_equal(pir_program_load_file(ctx, FOLDER "model.json", NULL, &program), PIR_OK);
  assert_true(reading.ended[PIR_STAGE_READ]);
  assert_int_equal(reading.stages, 1);
  pir_model_options options = {
      .size = sizeof options, .pipeline = "kernels", .progress = {watch, &making}};
  assert_int_equal(pir_model_create(program, &options, &model), PIR_OK);
  assert_int_equal(making.stages, 2);
  assert_int_equal(reading.stages, 1);
  assert_ptr_equal(pir_context_progress(ctx).user, &reading);
  pir_model_release(model);
  options.progress.report = NULL;
  assert_int_equal(pir_model_create(program, &options, &model), PIR_OK);
  assert_int_equal(reading.stages, 3);
  assert_false(reading.broken || making.broken);
  pir_model_release(model);
  pir_program_destroy(program);
  pir_context_destroy(ctx);
}

static void a_report_may_cancel_a_run(void **unused) {
  static float pixels[64];
  watched w = fresh(), loading = fresh();
  pir_model *model = load(FOLDER "model.json", "kernels", 1, &loading);
  pir_session *session = NULL;
  pir_tensor image = {.data = pixels};
  (void)unused;
  atomic_init(&w.cancel, 0);
  pir_tensor_set_dense(&image, PIR_F32, (const int64_t[]){1, 1, 8, 8}, 4);
  pir_session_options how = {.size = sizeof how, .cancel = &w.cancel, .progress = {watch, &w}};
  assert_int_equal(pir_session_create(model, &how, &session), PIR_OK);
  assert_int_equal(pir_session_bind_input(session, 0, &image), PIR_OK);
  assert_int_equal(pir_session_run(session), PIR_OK);
  assert_true(w.ended[PIR_STAGE_RUN] && w.named[PIR_STAGE_RUN]);
  assert_int_equal(w.stages, 1);
  uint64_t last = w.of[PIR_STAGE_RUN] - 1;
  for (w.cancel_at = 1; w.cancel_at < last; w.cancel_at++) {
    w.reports = 0;
    pir_status status = pir_session_run(session);
    bool met = atomic_exchange(&w.cancel, 0);
    assert_int_equal(status, met ? PIR_CANCELLED : PIR_OK);
    assert_int_equal(w.ended[PIR_STAGE_RUN], !met);
    if (met)
      assert_int_equal(w.done[PIR_STAGE_RUN], w.cancel_at);
  }
  w.cancel_at = 0;
  w.reports = 0;
  assert_int_equal(pir_session_run(session), PIR_OK);
  assert_false(w.broken);
  pir_session_destroy(session);
  pir_model_release(model);
}

static void stages_have_names(void **unused) {
  (void)unused;
  assert_string_equal(pir_stage_name(PIR_STAGE_READ), "read");
  assert_string_equal(pir_stage_name(PIR_STAGE_RUN), "run");
  assert_string_equal(pir_stage_name((pir_progress_stage)77), "work");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_format_and_stage_is_counted),
      cmocka_unit_test(threads_that_compile_are_counted),
      cmocka_unit_test(contexts_keep_their_watcher),
      cmocka_unit_test(a_report_may_cancel_a_run),
      cmocka_unit_test(stages_have_names),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
