// Tunes a model in place: makes it again and again, each time with the next candidate of every
// contraction, and times each group while the whole model runs, so that caches are in the state
// that they will be in. A second pass varies the winners of the first. At last the choices are
// compared once more, in turns with the ones before. (OpenTuner and Ansor tune kernels alone;
// FFTW and ATLAS time candidates of a model's estimates as well: M. Frigo, S. Johnson, "The
// Design and Implementation of FFTW3", Proc. IEEE 93, 2005.)
#include "model_impl.h"

#include <pir/engine/tune.h>
#include <pir/layer/codegen.h>
#include <pir/layer/tuning.h>

#include <stdlib.h>
#include <string.h>

enum { FEWEST_RUNS = 5, MOST_RUNS = 50, MOST_PASSES = 3, TURNS = 3 };
#define ROUND_NS UINT64_C(200000000)   // of runs
#define MOST_NS UINT64_C(60000000000)  // where the options say nothing

// A choice is taken if it is faster by one part in so many, and stays if the last comparison
// shows half of that: less is noise.
enum { GAIN = 50, CONFIRMED_GAIN = 2 * GAIN };

typedef struct tuned_class {
  char of_class[PIR_TUNED_CLASS];
  char before[PIR_TUNED_CHOICE], best[PIR_TUNED_CHOICE], now[PIR_TUNED_CHOICE];
  uint64_t best_ns, now_ns;
  uint64_t before_ns, after_ns;  // in the last comparison
  int candidates;
} tuned_class;

typedef struct tuner {
  const char *path, *params;
  pir_model_options model;
  const pir_tensor *inputs;
  size_t input_count;
  pir_tune_options how;
  pir_tuning *tuning;  // the best choices so far
  tuned_class *classes;
  size_t class_count, class_room;
  uint64_t *sums, *least;  // for each group: in the present run, in the fastest
  size_t group_room;
  bool out_of_memory;
  uint64_t run_ns;  // of the fastest run of the round
  uint64_t deadline, round_ns;
  pir_tune_report report;
} tuner;

static pir_status refuse_tuning(const tuner *t, pir_status status, const char *why) {
  return pir_exec_tell(t->model.sink, PIR_ERROR, status, why);
}

// ---- one round

// Makes room for the times of so many groups; new ones are 0.
static bool make_group_room(tuner *t, size_t groups) {
  if (groups <= t->group_room)
    return true;
  uint64_t *sums = realloc(t->sums, groups * sizeof *sums);
  if (sums)
    t->sums = sums;
  uint64_t *least = realloc(t->least, groups * sizeof *least);
  if (least)
    t->least = least;
  if (!sums || !least)
    return false;
  for (; t->group_room < groups; t->group_room++)
    t->sums[t->group_room] = t->least[t->group_room] = 0;
  return true;
}

static void take_span(void *user, const pir_span *span) {
  tuner *t = user;
  if (span->group == UINT32_MAX || t->out_of_memory)
    return;
  t->out_of_memory = !make_group_room(t, (size_t)span->group + 1);
  if (!t->out_of_memory)
    t->sums[span->group] += span->end_ns - span->start_ns;
}

static pir_status time_run(tuner *t, pir_session *session, bool counts) {
  memset(t->sums, 0, t->group_room * sizeof *t->sums);
  uint64_t start = pir_exec_now_ns();
  pir_status status = pir_session_run(session);
  uint64_t took = pir_exec_now_ns() - start;
  if (status)
    return refuse_tuning(t, status, pir_session_message(session));
  if (t->out_of_memory)
    return refuse_tuning(t, PIR_EXHAUSTED, "out of memory");
  for (size_t i = 0; i < t->group_room && counts; i++)
    if (!t->least[i] || t->sums[i] < t->least[i])
      t->least[i] = t->sums[i];
  if (counts && (!t->run_ns || took < t->run_ns))
    t->run_ns = took;
  return PIR_OK;
}

// Runs for a while; t->least and t->run_ns are the least times of this call.
static pir_status time_runs(tuner *t, pir_session *session) {
  memset(t->least, 0, t->group_room * sizeof *t->least);
  t->run_ns = 0;
  PIR_TRY(time_run(t, session, false));
  uint64_t end = pir_exec_now_ns() + ROUND_NS;
  for (int i = 0; i < MOST_RUNS && (i < FEWEST_RUNS || pir_exec_now_ns() < end); i++)
    PIR_TRY(time_run(t, session, true));
  return PIR_OK;
}

static tuned_class *find_class(tuner *t, const pir_tuned *tuned) {
  for (size_t i = 0; i < t->class_count; i++)
    if (!strcmp(t->classes[i].of_class, tuned->of_class))
      return &t->classes[i];
  if (t->class_count == t->class_room) {
    size_t room = t->class_room * 2 + 32;
    tuned_class *grown = realloc(t->classes, room * sizeof *grown);
    if (!grown)
      return NULL;
    t->classes = grown;
    t->class_room = room;
  }
  tuned_class *c = &t->classes[t->class_count++];
  *c = (tuned_class){0};
  memcpy(c->of_class, tuned->of_class, sizeof c->of_class);
  memcpy(c->before, tuned->choice, sizeof c->before);
  return c;
}

// Adds the times of the groups to their classes.
static pir_status sum_classes(tuner *t, const pir_model *model) {
  for (size_t i = 0; i < t->class_count; i++)
    t->classes[i].now_ns = 0;
  for (size_t g = 0; g < t->group_room && model->compiler; g++) {
    size_t count;
    const pir_tuned *tuned = pir_compiler_tuned(model->compiler, g, &count);
    for (size_t k = 0; k < count; k++) {
      tuned_class *c = find_class(t, &tuned[k]);
      if (!c)
        return refuse_tuning(t, PIR_EXHAUSTED, "out of memory");
      c->now_ns += t->least[g];
      c->candidates = tuned[k].candidates;
      memcpy(c->now, tuned[k].choice, sizeof c->now);
    }
  }
  return PIR_OK;
}

typedef struct trial {
  pir_model *model;
  pir_session *session;
} trial;

static void end_trial(trial *x) {
  pir_session_destroy(x->session);
  pir_model_release(x->model);
  *x = (trial){0};
}

// Makes the model with this candidate of every contraction.
static pir_status begin_trial(tuner *t, const pir_tuning *tuning, trial *out) {
  pir_session_options how = {.size = sizeof how,
                             .threads = t->how.threads,
                             .cancel = t->how.cancel,
                             .trace = take_span,
                             .trace_user = t,
                             .sink = t->model.sink};
  *out = (trial){0};
  pir_status status = pir_model_load_trial(t->path, t->params, &t->model, tuning, &out->model);
  if (!status && pir_model_inputs(out->model) != t->input_count)
    status = refuse_tuning(t, PIR_INVALID, "tuning needs a tensor for each input of the model");
  if (!status)
    status = pir_session_create(out->model, &how, &out->session);
  for (size_t i = 0; i < t->input_count && !status; i++) {
    status = pir_session_bind_input(out->session, i, &t->inputs[i]);
    if (status)
      refuse_tuning(t, status, pir_session_message(out->session));
  }
  if (status)
    end_trial(out);
  return status;
}

static pir_status run_round(tuner *t, int candidate) {
  trial x;
  uint64_t start = pir_exec_now_ns();
  pir_tuning_try(t->tuning, candidate);
  PIR_TRY(begin_trial(t, t->tuning, &x));
  pir_status status = time_runs(t, x.session);
  if (!status)
    status = sum_classes(t, x.model);
  end_trial(&x);
  t->report.rounds++;
  t->round_ns = pir_exec_now_ns() - start;
  return status;
}

// ---- passes

static int most_candidates(const tuner *t) {
  int most = 0;
  for (size_t i = 0; i < t->class_count; i++)
    if (t->classes[i].candidates > most)
      most = t->classes[i].candidates;
  return most;
}

// Takes the choices of a round where they are faster; the first round of a pass is what the
// others are compared to.
static void take_round(tuner *t, bool first) {
  for (size_t i = 0; i < t->class_count; i++) {
    tuned_class *c = &t->classes[i];
    if (!c->now_ns || (!first && c->now_ns + c->now_ns / GAIN >= c->best_ns))
      continue;
    c->best_ns = c->now_ns;
    memcpy(c->best, c->now, sizeof c->best);
  }
}

// Whether there is time for this many more rounds.
static bool has_time(tuner *t, int rounds) {
  bool has = pir_exec_now_ns() + (uint64_t)rounds * t->round_ns < t->deadline;
  t->report.is_cut |= !has;
  return has;
}

// Returns in *out_changed whether a class has another choice than before the pass.
static pir_status keep_best(tuner *t, bool *out_changed) {
  *out_changed = false;
  for (size_t i = 0; i < t->class_count; i++) {
    const tuned_class *c = &t->classes[i];
    const char *known = pir_tuning_find(t->tuning, c->of_class);
    if (!strcmp(c->best, known ? known : c->before))
      continue;
    *out_changed = true;
    if (!pir_tuning_put(t->tuning, pir_str_from(c->of_class), pir_str_from(c->best)))
      return refuse_tuning(t, PIR_EXHAUSTED, "out of memory");
  }
  return PIR_OK;
}

static pir_status run_pass(tuner *t, bool *out_changed) {
  int most = 1;
  for (int n = 0; n < most && (n == 0 || has_time(t, 3)); n++) {
    pir_progress_report(t->how.progress, PIR_STAGE_TUNE, "", (uint64_t)n, (uint64_t)most);
    PIR_TRY(run_round(t, n));
    take_round(t, n == 0);
    if (n == 0)
      most = most_candidates(t);
  }
  return keep_best(t, out_changed);
}

// ---- the last comparison

static pir_status note_times(tuner *t, const trial *x, bool after) {
  uint64_t *run = after ? &t->report.after_ns : &t->report.before_ns;
  PIR_TRY(time_runs(t, x->session));
  PIR_TRY(sum_classes(t, x->model));
  if (!*run || t->run_ns < *run)
    *run = t->run_ns;
  for (size_t i = 0; i < t->class_count; i++) {
    tuned_class *c = &t->classes[i];
    uint64_t *least = after ? &c->after_ns : &c->before_ns;
    if (!*least || c->now_ns < *least)
      *least = c->now_ns;
  }
  return PIR_OK;
}

// Compares the choices with those before, in turns.
static pir_status compare(tuner *t, pir_tuning *before) {
  trial a, b = {0};
  pir_tuning_try(before, 0);
  pir_tuning_try(t->tuning, 0);
  pir_status status = begin_trial(t, before, &a);
  if (!status)
    status = begin_trial(t, t->tuning, &b);
  for (int i = 0; i < TURNS && !status; i++) {
    status = note_times(t, &a, false);
    if (!status)
      status = note_times(t, &b, true);
  }
  end_trial(&a);
  end_trial(&b);
  return status;
}

// Puts the choices that the comparison confirms into the record, and tells the caller.
static pir_status confirm(tuner *t, pir_tuning *record) {
  for (size_t i = 0; i < t->class_count; i++) {
    const tuned_class *c = &t->classes[i];
    bool gains =
        strcmp(c->best, c->before) && c->after_ns + c->after_ns / CONFIRMED_GAIN < c->before_ns;
    if (gains && !pir_tuning_put(record, pir_str_from(c->of_class), pir_str_from(c->best)))
      return refuse_tuning(t, PIR_EXHAUSTED, "out of memory");
    t->report.changed += gains;
    pir_tuned_class outcome = {.size = sizeof outcome,
                               .of_class = c->of_class,
                               .before = c->before,
                               .after = gains ? c->best : c->before,
                               .before_ns = c->before_ns,
                               .after_ns = gains ? c->after_ns : c->before_ns};
    if (t->how.found)
      t->how.found(t->how.user, &outcome);
  }
  t->report.classes = t->class_count;
  return PIR_OK;
}

// ---- the whole

// `record` is what the cache folder has.
static pir_status tune(tuner *t, pir_tuning *record, const pir_target *target) {
  bool changed = true;
  if (!pir_tuning_merge(t->tuning, record))
    return refuse_tuning(t, PIR_EXHAUSTED, "out of memory");
  for (int pass = 0; pass < MOST_PASSES && changed && (!pass || has_time(t, 3)); pass++)
    PIR_TRY(run_pass(t, &changed));
  PIR_TRY(compare(t, record));
  PIR_TRY(confirm(t, record));
  pir_progress_report(t->how.progress, PIR_STAGE_TUNE, "", 1, 1);
  if (t->report.changed && !pir_tuning_save(record, t->model.cache, target))
    return refuse_tuning(t, PIR_IO, "the choices cannot be stored in the cache folder");
  return PIR_OK;
}

static pir_status prepare_tuning(tuner *t, const pir_model_options *given,
                                 const pir_tune_options *how, pir_target *out_target) {
  sized_text why;
  pir_status status = pir_model_options_read(given, &t->model, &why);
  if (!status)
    status = pir_sized_read("pir_tune_options", &t->how, sizeof t->how, how, &why);
  if (status)
    return pir_exec_tell(given ? given->sink : (pir_diag_sink){0}, PIR_ERROR, status, why.text);
  if (!t->path || (t->input_count && !t->inputs))
    return refuse_tuning(t, PIR_INVALID, "pir_model_tune: an argument is NULL");
  if (!t->model.cache)
    return refuse_tuning(t, PIR_INVALID, "tuning needs a cache folder to keep the choices in");
  status = pir_target_get(t->model.target, out_target);
  if (status || out_target->device)
    return refuse_tuning(t, status ? status : PIR_UNSUPPORTED,
                         "unsupported: tuning for a target that is not this processor");
  t->model.stop.cancel = t->how.cancel ? t->how.cancel : t->model.stop.cancel;
  t->deadline = pir_exec_now_ns() + (t->how.max_ns ? t->how.max_ns : MOST_NS);
  return PIR_OK;
}

pir_status pir_model_tune(const char *path, const char *params,
                          const pir_model_options *options, const pir_tensor *inputs,
                          size_t input_count, const pir_tune_options *how,
                          pir_tune_report *out_report) {
  tuner t = {.path = path, .params = params, .inputs = inputs, .input_count = input_count};
  pir_target target;
  PIR_TRY(prepare_tuning(&t, options, how, &target));
  pir_tuning *record = pir_tuning_create();
  t.tuning = pir_tuning_create();
  pir_status status = PIR_EXHAUSTED;
  if (!record || !t.tuning || !make_group_room(&t, 1)) {
    refuse_tuning(&t, status, "out of memory");
  } else {
    (void)pir_tuning_load(record, t.model.cache, &target);
    status = tune(&t, record, &target);
  }
  pir_tuning_destroy(record);
  pir_tuning_destroy(t.tuning);
  free(t.classes);
  free(t.sums);
  free(t.least);
  if (!status && out_report)
    status = pir_sized_write(out_report, &t.report, sizeof t.report);
  return status;
}
