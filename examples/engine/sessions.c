// Sessions: memory of the engine in and out, traces, bad calls, and runs that end early.
#include "engine.h"

#include <math.h>

typedef struct tracer {
  int spans, compiled;
  uint64_t bytes, last_end;
} tracer;

static void trace(void *user, const pir_span *span) {
  tracer *t = user;
  t->spans++;
  t->compiled += span->compiled;
  t->bytes += span->bytes;
  EXPECT(span->label[0] && span->start_ns <= span->end_ns && t->last_end <= span->start_ns);
  t->last_end = span->end_ns;
}

static void check_stats(pir_session *session, uint64_t runs) {
  pir_session_stats stats = {.size = sizeof stats};
  EXPECT(pir_session_stats_of(session, &stats) == PIR_OK);
  EXPECT(stats.runs == runs && stats.recompiles == 0 && stats.plans == 2);
  EXPECT(stats.live_peak_bytes && stats.plan_bytes >= stats.live_peak_bytes);
  EXPECT(stats.arena_bytes >= stats.plan_bytes);
}

void run_sessions(engine *e) {
  tracer t = {0};
  float scores[IMAGES * CLASSES];
  pir_session *session;
  pir_session_options how = {
      .size = sizeof how, .threads = 2, .trace = trace, .trace_user = &t};
  pir_tensor in = images_of(e), out = scores_in(scores), got;
  pir_tensor half = tensor_over(e->pixels, PIR_F32, 4, (const int64_t[]){2, 1, 8, 8});
  if (!EXPECT(pir_session_create(e->model, &how, &session) == PIR_OK))
    return;
  EXPECT(pir_session_bind_input(session, 0, &in) == PIR_OK);
  EXPECT(pir_session_bind_output(session, 0, &out) == PIR_OK);
  EXPECT(pir_session_prepare(session) == PIR_OK && t.spans == 0);
  EXPECT(pir_session_run(session) == PIR_OK && t.spans > 0 && t.bytes > sizeof e->pixels);
  EXPECT(pir_session_output(session, 0, &got) == PIR_OK && got.data == scores);
  EXPECT(are_its_scores(e, scores));

  // Another shape needs another plan and no compilation; then the session owns the output.
  EXPECT(pir_session_bind_input(session, 0, &half) == PIR_OK);
  EXPECT(pir_session_run(session) == PIR_INVALID);  // the bound output has four rows
  EXPECT(strstr(pir_session_message(session), "[4,10]"));
  EXPECT(pir_session_bind_output(session, 0, NULL) == PIR_OK);
  EXPECT(pir_session_run(session) == PIR_OK);
  EXPECT(pir_session_output(session, 0, &got) == PIR_OK && got.shape[0] == 2);
  for (int i = 0; i < 2 * CLASSES; i++)  // other shapes may add in another order
    EXPECT(fabs(pir_tensor_float_at(&got, i) - (double)e->scores[i]) < 1e-5);
  check_stats(session, 2);
  EXPECT(pir_session_trim(session) > 0);
  EXPECT(pir_session_run(session) == PIR_OK);
  pir_session_destroy(session);

  // Every tensor in memory of its own, as memory checkers want it.
  how = (pir_session_options){.size = sizeof how, .separate = true, .seed = 7};
  memset(scores, 0, sizeof scores);
  EXPECT(run_model(e, e->model, &how, scores) == PIR_OK && are_its_scores(e, scores));
}

void refuse_bad_calls(engine *e) {
  pir_session *session;
  heard h;
  pir_session_options none = {.size = 0, .sink = sink_of(&h)};
  pir_tensor in = images_of(e), other = images_of(e), out;
  EXPECT(pir_session_create(e->model, &none, &session) == PIR_INVALID && !session);
  EXPECT(h.errors == 1 && strstr(h.message, "pir_session_options: size is 0"));
  EXPECT(pir_session_create(NULL, NULL, &session) == PIR_INVALID);
  if (!EXPECT(pir_session_create(e->model, NULL, &session) == PIR_OK))
    return;
  EXPECT(pir_session_run(session) == PIR_INVALID);
  EXPECT(!strcmp(pir_session_message(session), "input 0 \"image\" is not bound"));
  EXPECT(pir_session_output(session, 0, &out) == PIR_NOT_FOUND && !out.data);
  EXPECT(pir_session_bind_input(session, 9, &in) == PIR_NOT_FOUND);
  other.dtype = PIR_F64;
  EXPECT(pir_session_bind_input(session, 0, &other) == PIR_INVALID);
  EXPECT(strstr(pir_session_message(session), "expects float32, got float64"));
  other = images_of(e);
  other.shape[2] = 7;
  EXPECT(pir_session_bind_input(session, 0, &other) == PIR_INVALID);
  other = images_of(e);
  other.reserved[0] = 1;
  EXPECT(pir_session_bind_input(session, 0, &other) == PIR_UNSUPPORTED);
  EXPECT(pir_session_bind_input(session, 0, NULL) == PIR_INVALID);
  EXPECT(pir_session_bind_input(session, 0, &in) == PIR_OK);
  EXPECT(pir_session_message(session)[0] == 0);
  EXPECT(pir_session_run(session) == PIR_OK);
  EXPECT(pir_session_output(session, 1, &out) == PIR_NOT_FOUND);
  EXPECT(pir_session_run(NULL) == PIR_INVALID);
  pir_session_destroy(session);
  pir_session_destroy(NULL);
}

static void set_flag(void *user, const pir_progress *progress) {
  if (progress->done == 1)
    atomic_store((pir_atomic_int *)user, 1);
}

void end_runs(engine *e) {
  float scores[IMAGES * CLASSES];
  pir_atomic_int flag = 0;
  pir_session *session;
  pir_session_options how = {.size = sizeof how, .max_bytes = 1};
  pir_tensor in = images_of(e), out;
  EXPECT(run_model(e, e->model, &how, scores) == PIR_EXHAUSTED);
  how = (pir_session_options){.size = sizeof how, .max_ns = 1};
  EXPECT(run_model(e, e->model, &how, scores) == PIR_CANCELLED);
  how = (pir_session_options){
      .size = sizeof how, .cancel = &flag, .progress = {set_flag, (void *)&flag}};
  if (!EXPECT(pir_session_create(e->model, &how, &session) == PIR_OK))
    return;
  EXPECT(pir_session_bind_input(session, 0, &in) == PIR_OK);
  EXPECT(pir_session_run(session) == PIR_CANCELLED && flag == 1);
  EXPECT(pir_session_output(session, 0, &out) == PIR_NOT_FOUND);
  EXPECT(pir_session_run(session) == PIR_CANCELLED);  // the flag is still set
  pir_session_destroy(session);
  flag = 0;
  how.progress.report = NULL;
  EXPECT(run_model(e, e->model, &how, scores) == PIR_OK && are_its_scores(e, scores));
}
