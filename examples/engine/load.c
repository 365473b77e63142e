// Models: loading them, the questions that they answer, and loads that end early.
#include "engine.h"

#include <pir/engine/metadata.h>
#include <pir/engine/tune.h>

#include <math.h>
#include <stdlib.h>
#include <sys/stat.h>

// ---- loading

static void count_release(void *user) {
  ++*(int *)user;
}

void load_models(engine *e) {
  float scores[IMAGES * CLASSES];
  int released = 0;
  pir_model *model;
  heard h;
  pir_borrowed program = read_file(e->program), params = read_file(e->params);
  void *bytes[] = {program.user, params.user};
  program.release = params.release = count_release;
  program.user = params.user = &released;
  pir_model_options how = {.size = sizeof how, .sink = sink_of(&h), .compile_threads = 2};
  if (!EXPECT(pir_model_load(program, params, &how, &model) == PIR_OK))
    return;
  EXPECT(h.count == 0);
  EXPECT(run_model(e, model, NULL, scores) == PIR_OK && are_its_scores(e, scores));
  pir_model_retain(model);
  pir_model_release(model);
  pir_model_release(model);
  EXPECT(released == 2);

  // A failure releases the bytes too, and is named.
  EXPECT(pir_model_load((pir_borrowed){"{", 1, count_release, &released}, (pir_borrowed){0},
                        &how, &model) == PIR_INVALID);
  EXPECT(!model && released == 3 && h.errors == 1 && h.message[0]);
  how.sink = sink_of(&h);
  EXPECT(pir_model_load_file("/nowhere/model.json", NULL, &how, &model) == PIR_NOT_FOUND);
  EXPECT(!model && strstr(h.message, "/nowhere/model.json: cannot open"));
  how.sink = sink_of(&h);
  how.target = "z80";
  EXPECT(load_again(e, &how, &model) == PIR_UNSUPPORTED && strstr(h.message, "\"z80\""));
  for (int i = 0; i < 2; i++)
    free(bytes[i]);
}

// ---- questions

static void describe_file(const engine *e) {
  pir_model_info info = {.size = sizeof info};
  pir_op_count count = {.size = sizeof count};
  uint64_t ops = 0, convolutions = 0;
  EXPECT(pir_model_info_of(e->model, &info) == PIR_OK);
  EXPECT(pir_str_equal(info.format, PIR_STR("json")) && info.format_version >= 1);
  EXPECT(info.library_version.size && info.params == 14 && info.param_bytes > 4 * 1000);
  for (size_t i = 0; i < info.op_names; i++) {
    EXPECT(pir_model_op_count(e->model, i, &count) == PIR_OK);
    ops += count.count;
    if (pir_str_equal(count.name, PIR_STR("pd_op.conv2d")))
      convolutions = count.count;
  }
  EXPECT(ops == info.ops && convolutions == 2);
  EXPECT(pir_model_op_count(e->model, info.op_names, &count) == PIR_NOT_FOUND);
}

// Extents of one name are equal in every run. A program may state names: see build_programs.
void describe_models(engine *e) {
  pir_port in = {.size = sizeof in}, out = {.size = sizeof out};
  pir_model_stats stats = {.size = sizeof stats};
  EXPECT(pir_model_inputs(e->model) == 1 && pir_model_outputs(e->model) == 1);
  EXPECT(pir_model_input(e->model, 0, &in) == PIR_OK);
  EXPECT(pir_model_output(e->model, 0, &out) == PIR_OK);
  EXPECT(!strcmp(in.name.data, "image") && in.dtype == PIR_F32 && in.rank == 4);
  EXPECT(in.shape[0] == -1 && in.shape[2] == 8 && out.rank == 2 && out.shape[1] == CLASSES);
  EXPECT(in.dims[0].size && pir_str_equal(in.dims[0], out.dims[0]) && !in.dims[1].size);
  EXPECT(in.least[0] <= 1 && in.most[0] == INT64_MAX && in.most[3] == 8);
  EXPECT(pir_model_input(e->model, 1, &in) == PIR_NOT_FOUND && !in.name.size);
  EXPECT(pir_model_stats_of(e->model, &stats) == PIR_OK);
  EXPECT(stats.instructions && stats.compile_ns && stats.load_ns && stats.code_bytes);
  EXPECT(stats.kernels_compiled + stats.kernels_called >= 1);
  describe_file(e);

  // Structs without a size, and statuses in words.
  in.size = 0;
  EXPECT(pir_model_input(e->model, 0, &in) == PIR_INVALID);
  EXPECT(!strcmp(pir_status_name(PIR_EXHAUSTED), "PIR_EXHAUSTED"));
  EXPECT(!strcmp(pir_dtype_name(PIR_BF16), "bfloat16"));
}

// ---- loads that end early

// Sets the flag at the first report of a stage; how many follow depends on the threads.
typedef struct watcher {
  int stages, cancel_in;
  pir_atomic_int flag;
} watcher;

static void watch(void *user, const pir_progress *progress) {
  watcher *w = user;
  w->stages |= 1 << progress->stage;
  EXPECT(pir_stage_name(progress->stage)[0] &&
         (!progress->of || progress->done <= progress->of));
  if ((int)progress->stage == w->cancel_in)
    w->flag = 1;
}

void end_loads(engine *e) {
  watcher w = {.cancel_in = -1};
  heard h;
  pir_model *model;
  pir_model_options how = {.size = sizeof how,
                           .sink = sink_of(&h),
                           .progress = {watch, &w},
                           .stop = {.cancel = &w.flag}};
  EXPECT(load_again(e, &how, &model) == PIR_OK);
  pir_model_release(model);
  EXPECT((w.stages & 15) == 15);  // read, passes, compile, weights
  for (int stage = PIR_STAGE_READ; stage <= PIR_STAGE_WEIGHTS; stage++) {
    w = (watcher){.cancel_in = stage};
    EXPECT(load_again(e, &how, &model) == PIR_CANCELLED && !model);
    EXPECT(w.stages == (2 << stage) - 1);  // no later one begins
  }
  how.progress.report = NULL;
  how.stop = (pir_stop){.max_ns = 1};
  how.sink = sink_of(&h);
  EXPECT(load_again(e, &how, &model) == PIR_CANCELLED && strstr(h.message, "time"));
  how.stop = (pir_stop){0};
  how.limits.max_ops = 5;
  EXPECT(load_again(e, &how, &model) == PIR_EXHAUSTED && strstr(h.message, "5 ops"));
  how.limits = (pir_limits){.max_bytes = 100000};
  EXPECT(load_again(e, &how, &model) == PIR_EXHAUSTED);

  // Remarks, which a sink hears at that level alone.
  how.limits = (pir_limits){0};
  how.sink = sink_of(&h);
  how.log_level = PIR_LOG_REMARKS;
  EXPECT(load_again(e, &how, &model) == PIR_OK && h.count > 0 && h.errors == 0);
  pir_model_release(model);
}

// ---- memory that runs out

typedef struct source {
  int left;     // allocations until one fails; -1: none does
  long blocks;  // that are held
} source;

static void *take(void *user, size_t size, size_t align) {
  source *s = user;
  void *memory = NULL;
  if (!s->left ||
      posix_memalign(&memory, align < sizeof(void *) ? sizeof(void *) : align, size))
    return NULL;
  s->left -= s->left > 0;
  s->blocks++;
  return memory;
}

static void give(void *user, void *memory, size_t size) {
  source *s = user;
  (void)size;
  s->blocks--;
  free(memory);
}

// One thread loads, because the allocator counts without a lock.
static pir_status load_and_run(engine *e, source *s, float *out_scores) {
  pir_allocator allocator = {take, give, s};
  pir_model_options how = {
      .size = sizeof how, .pipeline = "kernels", .allocator = allocator, .compile_threads = 1};
  pir_session_options running = {.size = sizeof running, .allocator = allocator};
  pir_model *model;
  pir_status status = load_again(e, &how, &model);
  if (!status)
    status = run_model(e, model, &running, out_scores);
  pir_model_release(model);
  return status;
}

void run_out_of_memory(engine *e) {
  float scores[IMAGES * CLASSES];
  pir_status status = PIR_EXHAUSTED;
  int failed = 0;
  for (int n = 0; status && n < 1 << 24; n = n * 3 / 2 + 1, failed++) {
    source s = {.left = n};
    status = load_and_run(e, &s, scores);
    EXPECT(status == PIR_OK || status == PIR_EXHAUSTED);
    EXPECT(s.blocks == 0);
  }
  EXPECT(status == PIR_OK && failed > 4);
  for (int i = 0; i < IMAGES * CLASSES; i++)  // called kernels add in another order
    EXPECT(fabsf(scores[i] - e->scores[i]) < 1e-5f);
}

// ---- values in between

// The sum before softmax, which keeps the order of the scores.
void show_values(engine *e) {
  const char *const names[] = {"%43"};
  pir_model_options how = {.size = sizeof how, .show = names, .show_count = 1};
  pir_model *model;
  pir_session *session;
  pir_tensor in = images_of(e), out, sums;
  pir_port port = {.size = sizeof port};
  if (!EXPECT(load_again(e, &how, &model) == PIR_OK))
    return;
  EXPECT(pir_model_outputs(model) == 2 && pir_model_output(model, 1, &port) == PIR_OK);
  EXPECT(!strcmp(port.name.data, "%43") && port.shape[1] == CLASSES);
  EXPECT(pir_session_create(model, NULL, &session) == PIR_OK);
  EXPECT(pir_session_bind_input(session, 0, &in) == PIR_OK);
  EXPECT(pir_session_run(session) == PIR_OK);
  EXPECT(pir_session_output(session, 0, &out) == PIR_OK);
  EXPECT(pir_session_output(session, 1, &sums) == PIR_OK);
  for (int i = 1; i < IMAGES * CLASSES; i++)
    EXPECT(i % CLASSES == 0 ||
           (pir_tensor_float_at(&sums, i) > pir_tensor_float_at(&sums, i - 1)) ==
               (pir_tensor_float_at(&out, i) > pir_tensor_float_at(&out, i - 1)));
  pir_session_destroy(session);
  pir_model_release(model);
}

// ---- choices that are timed on this machine

static void count_class(void *user, const pir_tuned_class *outcome) {
  EXPECT(outcome->of_class[0] && outcome->before[0] && outcome->after_ns <= outcome->before_ns);
  ++*(size_t *)user;
}

// The folder of compiled code keeps the choices; models that use it find them there.
void tune_choices(engine *e) {
  char cache[512];
  float scores[IMAGES * CLASSES];
  size_t heard_of = 0;
  pir_model *model;
  pir_tensor in = images_of(e);
  heard h;
  pir_tune_report report = {.size = sizeof report};
  pir_tune_options tuning = {
      .size = sizeof tuning, .max_ns = 2000000000, .found = count_class, .user = &heard_of};
  pir_model_options how = {.size = sizeof how, .sink = sink_of(&h)};
  EXPECT(pir_model_tune(e->program, e->params, &how, &in, 1, &tuning, &report) == PIR_INVALID);
  snprintf(cache, sizeof cache, "%s/tuned", e->folder);
  EXPECT(mkdir(cache, 0700) == 0);
  how.cache = cache;
  EXPECT(pir_model_tune(e->program, e->params, &how, &in, 1, &tuning, &report) == PIR_OK);
  EXPECT(report.classes && report.rounds && report.changed <= report.classes);
  EXPECT(heard_of == report.classes && report.before_ns && report.after_ns);
  if (!EXPECT(load_again(e, &how, &model) == PIR_OK))
    return;
  EXPECT(run_model(e, model, NULL, scores) == PIR_OK);
  for (int i = 0; i < IMAGES * CLASSES; i++)  // other choices add in another order
    EXPECT(fabsf(scores[i] - e->scores[i]) < 1e-5f);
  pir_model_release(model);
}
