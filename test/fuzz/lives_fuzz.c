// Lives of sets of ops and passes, contexts, arenas, models and sessions: made, used, shared
// and given up in every order that their headers allow. A call succeeds, or fails with a reason
// and gives nothing; runs have the right numbers whatever lived before; what was lent comes
// back.
#include "fuzz.h"

#include <math.h>
#include <pir/compiler/load.h>
#include <pir/compiler/pass_library.h>
#include <pir/engine/async.h>
#include <pir/engine/compiled.h>
#include <pir/engine/custom.h>
#include <pir/engine/device_memory.h>
#include <pir/engine/dlpack.h>
#include <pir/engine/loaded_code.h>
#include <pir/engine/metadata.h>
#include <pir/engine/session_arena.h>
#include <pir/engine/weights.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { KINDS = 2, HELD = 3, MODELS = 4, SESSIONS = 4, COLUMNS = 3, MOST_ROWS = 4, OPS = 4 };

// The last op of a program: relu(x + w) goes through it.
static const char *const op_names[OPS] = {"pd_op.tanh", "custom_op.twice", "custom_op.minus",
                                          "custom_op.nothing"};

typedef struct kept_model {
  pir_model *model;
  unsigned op;
  float weight;
} kept_model;

typedef struct kept_session {
  pir_session *session;
  kept_model of;  // without a reference of its own
  pir_thread_pool *pool;
  int64_t rows;                  // of the bound input; 0: none
  void (*task)(void *argument);  // of a run that goes on
  void *argument;
  bool may_fail;  // it has a limit
} kept_session;

typedef struct lives {
  const uint8_t *data;
  size_t size;
  pir_custom_set *sets[HELD];
  pir_pass_set *passes[HELD];
  pir_context *contexts[HELD];
  unsigned registered[HELD];  // 1 + the set that a context has
  pir_session_arena *arenas[HELD];
  kept_model models[MODELS];
  kept_session sessions[SESSIONS];
  struct DLManagedTensorVersioned *managed;
  float inputs[MOST_ROWS * COLUMNS];
  int lent, heard, loaded;
} lives;

// Models that are compiled ahead, with their weights and with these in a file.
static struct compiled {
  fuzz_text whole, apart, weights;
  char weights_path[64];
} compiled;

static unsigned next(lives *l, unsigned limit) {
  if (!l->size)
    return 0;
  l->size--;
  return *l->data++ % limit;
}

static void require(bool holds, const char *what) {
  if (holds)
    return;
  fprintf(stderr, "does not hold: %s\n", what);
  abort();
}
#define REQUIRE(condition) require((condition), #condition)

static void hear_any(void *user, const pir_diag *diag) {
  lives *l = user;
  l->heard += diag->severity == PIR_ERROR && diag->message.size > 0;
}

static pir_diag_sink sink_of(lives *l) {
  l->heard = 0;
  return (pir_diag_sink){hear_any, l};
}

// ---- programs

static size_t write_program(char *text, size_t room, unsigned op) {
  int size = snprintf(
      text, room,
      "{\n(%%0) = \"builtin.parameter\" () {parameter_name:\"w\",persistable:[true]} : () -> "
      "tensor<3xf32>\n"
      "(%%1) = \"pd_op.data\" () {dtype:float32,name:\"x\",place:Place(undefined:0),"
      "shape:[-1,3]} : () -> tensor<-1x3xf32>\n"
      "(%%2) = \"pd_op.add\" (%%1, %%0) {} : (tensor<-1x3xf32>, tensor<3xf32>) -> "
      "tensor<-1x3xf32>\n"
      "(%%3) = \"pd_op.relu\" (%%2) {} : (tensor<-1x3xf32>) -> tensor<-1x3xf32>\n"
      "(%%4) = \"%s\" (%%3) {} : (tensor<-1x3xf32>) -> tensor<-1x3xf32>\n"
      "() = \"builtin.shadow_output\" (%%4) {output_name:\"y\"} : (tensor<-1x3xf32>) -> \n}\n",
      op_names[op]);
  return (size_t)size;
}

// The record of w: versions, no sequences, its type and shape as protobuf, its elements.
static size_t write_params(char *bytes, float weight) {
  static const char head[] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,  0,
                              0, 0, 0, 0, 4, 0, 0, 0, 8, 5, 16, 3};
  memcpy(bytes, head, sizeof head);
  for (size_t i = 0; i < COLUMNS; i++)
    memcpy(bytes + sizeof head + i * sizeof weight, &weight, sizeof weight);
  return sizeof head + COLUMNS * sizeof weight;
}

static void make_compiled(void) {
  char text[1024], params[64];
  size_t size = write_program(text, sizeof text, 0);
  pir_context *ctx = fuzz_context();
  pir_program *program = NULL;
  pir_borrowed first = {.data = text, .size = size},
               second = {.data = params, .size = write_params(params, 1)};
  pir_model_options how = {.size = sizeof how, .pipeline = "kernels", .replaceable = true};
  int file = memfd_create("weights", 0);
  REQUIRE(!pir_program_load(ctx, first, second, PIR_STR("text"), &program));
  REQUIRE(!pir_model_compile(program, &how, NULL, 0, (pir_writer){fuzz_keep, &compiled.whole}));
  REQUIRE(!pir_model_compile_apart(program, &how, NULL, 0, "weights",
                                   (pir_writer){fuzz_keep, &compiled.weights},
                                   (pir_writer){fuzz_keep, &compiled.apart}));
  pir_program_destroy(program);
  pir_context_destroy(ctx);
  REQUIRE(file >= 0 && !fchmod(file, 0600));
  REQUIRE(write(file, compiled.weights.data, compiled.weights.size) ==
          (ssize_t)compiled.weights.size);
  snprintf(compiled.weights_path, sizeof compiled.weights_path, "/proc/self/fd/%d", file);
}

// ---- sets and contexts

static int negate(const pir_tensor *x, pir_tensor *out) {
  for (int64_t i = 0; i < pir_tensor_numel(out); i++)
    ((float *)out->data)[i] = -((const float *)x->data)[i];
  return 0;
}

#define UNARY(name, meaning)                                                                   \
  "op " name " \"y = f(x)\" {\n operand x : tensor<f32>\n result out : tensor<same(x)>\n"      \
  " trait pure\n compute out = " meaning "\n}\n"

static void drop_contexts_of(lives *l, unsigned set) {
  for (unsigned i = 0; i < HELD; i++)
    if (l->registered[i] == set + 1) {
      pir_context_destroy(l->contexts[i]);
      l->contexts[i] = NULL;
      l->registered[i] = 0;
    }
}

static void drop_set(lives *l, unsigned i) {
  drop_contexts_of(l, i);
  pir_custom_set_destroy(l->sets[i]);
  l->sets[i] = NULL;
}

static void fill_set(lives *l, pir_custom_set *set) {
  static const char *const texts[] = {UNARY("twice", "x * 2"), UNARY("wrong", "x + z"),
                                      UNARY("minus", "0 - x"), "op",
                                      "include \"a.ops\"\n",   ""};
  static const pir_custom_op op = {
      .name = "minus", .operands = "X", .attrs = "", .results = "Out", .kernel = "negate"};
  pir_message message = {{0}};
  pir_ops_options how = {.size = sizeof how, .sink = sink_of(l)};
  pir_status status = PIR_OK;
  switch (next(l, 4)) {
    case 0: status = pir_custom_set_add(set, &op, (pir_custom_fn)negate, NULL, &message); break;
    case 1: status = pir_custom_set_load(set, "/nowhere/ops.so", &message); break;
    default:
      status = pir_custom_set_declare(set, pir_str_from(texts[next(l, 6)]),
                                      next(l, 2) ? &how : NULL, &message);
  }
  REQUIRE(!set || (status != PIR_OK) == (message.text[0] != 0));
  REQUIRE(set || status == PIR_INVALID);
}

static void use_set(lives *l) {
  unsigned i = next(l, HELD);
  pir_context **ctx = &l->contexts[i];
  unsigned s = next(l, HELD);
  pir_custom_set **set = &l->sets[s];
  switch (next(l, 6)) {
    case 0: drop_set(l, s); break;
    case 1:
      if (!*set)
        REQUIRE(!pir_custom_set_create(NULL, set));
      break;
    case 2:
      if (!*ctx)
        *ctx = fuzz_context();
      pir_context_set_log_level(*ctx, (pir_log_level)next(l, 5));
      pir_context_set_sink(*ctx, sink_of(l));
      if (!*set || l->registered[i])
        break;
      l->registered[i] = s + 1;
      if (pir_custom_set_register(*set, *ctx))
        REQUIRE(l->heard > 0);
      break;
    default: fill_set(l, *set); break;
  }
}

static pir_status do_nothing(pir_pass_run *run) {
  (void)run;
  return PIR_OK;
}

static void use_passes(lives *l) {
  static const pir_pass idle = {.name = "idle", .run = do_nothing};
  pir_pass_set **set = &l->passes[next(l, HELD)];
  pir_message message = {{0}};
  switch (next(l, 4)) {
    case 0:
      pir_pass_set_destroy(*set);
      *set = NULL;
      break;
    case 1:
      if (!*set)
        REQUIRE(!pir_pass_set_create(NULL, set));
      break;
    case 2:
      if (*set && pir_pass_set_load(*set, "/nowhere/passes.so", &message))
        REQUIRE(message.text[0]);
      break;
    default:
      if (*set && pir_pass_set_add(*set, &idle, &message))
        REQUIRE(message.text[0]);
      break;
  }
}

// ---- models

static void count_loaded(void *user, const pir_code_image *image) {
  ++*(int *)user;
  REQUIRE(image->code_bytes > 0);
}

static void count_unloaded(void *user, const pir_code_image *image) {
  --*(int *)user;
  REQUIRE(image->code_bytes > 0);
}

// Bytes that are freed when they come back.
typedef struct loan {
  int *count;
  void *bytes;
} loan;

static void take_back(void *user) {
  loan *given = user;
  --*given->count;
  free(given->bytes);
  free(given);
}

static pir_borrowed lend(lives *l, const void *data, size_t size, size_t align) {
  loan *given = malloc(sizeof *given);
  REQUIRE(given && !posix_memalign(&given->bytes, align, size + !size));
  memcpy(given->bytes, data, size);
  given->count = &l->lent;
  l->lent++;
  return (pir_borrowed){given->bytes, size, take_back, given};
}

static void load_model(lives *l, kept_model *out) {
  static const char *const pipelines[] = {"kernels", "kernels", "idle,kernels", "nothing"};
  static const char *const shown[] = {"%3", "x", "w", "%99", ""};
  char text[1024], params[64];
  pir_code_listener listener = {sizeof listener, count_loaded, count_unloaded, &l->loaded};
  const char *show[] = {shown[next(l, 5)], shown[next(l, 5)]};
  *out = (kept_model){.op = next(l, OPS), .weight = (float)next(l, 4)};
  static const size_t sizes[] = {0, offsetof(pir_model_options, show),
                                 offsetof(pir_model_options, passes),
                                 sizeof(pir_model_options)};
  pir_model_options how = {.size = sizes[next(l, 16) ? 3 : next(l, 4)],
                           .pipeline = pipelines[next(l, 4)],
                           .compile_threads = 1 + (int)next(l, 2),
                           .sink = sink_of(l),
                           .custom_ops = l->sets[next(l, HELD)],
                           .passes = l->passes[next(l, HELD)],
                           .replaceable = next(l, 2),
                           .log_level = (pir_log_level)next(l, 5),
                           .code_listener = &listener,
                           .show = show,
                           .show_count = next(l, 4) ? 0 : next(l, 3),
                           .limits = {.max_ops = next(l, 8) ? 0 : next(l, 8)},
                           .stop = {.max_ns = next(l, 16) ? 0 : 1}};
  pir_borrowed program = lend(l, text, write_program(text, sizeof text, out->op), 8),
               weights = lend(l, params, write_params(params, out->weight), 8);
  pir_status status = pir_model_load(program, weights, &how, &out->model);
  REQUIRE(!status == (out->model != NULL));
  REQUIRE(!status || l->heard > 0);
}

// The model keeps the bytes that it opens, or returns them at once.
static void open_model(lives *l, kept_model *out) {
  static const char *const targets[] = {NULL, NULL, NULL, "x86-64", "z80", ""};
  const char *const paths[] = {NULL, compiled.weights_path, "/nowhere"};
  const fuzz_text *files[] = {&compiled.whole, &compiled.apart, &compiled.weights};
  const fuzz_text *file = files[next(l, 3)];
  pir_open_options how = {.size = sizeof how,
                          .target = targets[next(l, 6)],
                          .weights = paths[next(l, 3)],
                          .sink = sink_of(l)};
  size_t size = next(l, 8) ? file->size : file->size * next(l, 256) / 256;
  *out = (kept_model){.weight = 1};
  pir_status status =
      pir_model_open(lend(l, file->data, size, next(l, 2) ? 4096 : 8), &how, &out->model);
  REQUIRE(!status == (out->model != NULL));
  REQUIRE(!status || l->heard > 0);
}

static void replace_weight(lives *l, const kept_model *from, kept_model *out) {
  static const char *const names[] = {"w", "w", "w", "x", ""};
  float weight = (float)next(l, 4), elements[COLUMNS + 1] = {weight, weight, weight, weight};
  int64_t columns = next(l, 4) ? COLUMNS : COLUMNS + 1;
  pir_weight list[2] = {{.name = pir_str_from(names[next(l, 5)])}};
  pir_message message = {{0}};
  list[0].tensor.data = elements;
  pir_tensor_set_dense(&list[0].tensor, next(l, 4) ? PIR_F32 : PIR_I32, &columns, 1);
  list[1] = list[0];
  *out = (kept_model){.op = from->op, .weight = weight};
  size_t count = next(l, 3);
  pir_status status =
      pir_model_replace_weights(from->model, list, count, &message, &out->model);
  REQUIRE(!status == (out->model != NULL));
  REQUIRE(!status || !from->model || message.text[0]);
  if (!count)
    out->weight = from->weight;
}

// Structs have no size, that of an earlier version, or their own.
static void ask_model(lives *l, pir_model *model) {
  static const size_t port_sizes[] = {0, offsetof(pir_port, dims), sizeof(pir_port)};
  size_t i = next(l, 4);
  bool sized = next(l, 4) != 0, good = model && sized;
  pir_model_info info = {.size = sized ? sizeof info : 0};
  pir_op_count count = {.size = sized ? sizeof count : 0};
  pir_model_stats stats = {.size = sized ? sizeof stats : 0};
  pir_port port = {.size = port_sizes[next(l, 3)]};
  REQUIRE((pir_model_info_of(model, &info) == PIR_OK) == good);
  REQUIRE((pir_model_stats_of(model, &stats) == PIR_OK) == good);
  REQUIRE((pir_model_op_count(model, i, &count) == PIR_OK) == (good && i < info.op_names));
  REQUIRE(pir_model_inputs(model) == (model ? 1 : 0));
  REQUIRE((pir_model_input(model, i, &port) == PIR_OK) == (model && port.size && i == 0));
  port.size = sizeof port;
  REQUIRE((pir_model_output(model, i, &port) == PIR_OK) == (i < pir_model_outputs(model)));
  REQUIRE((pir_model_weight(model, i, &port) == PIR_OK) == (i < pir_model_weights(model)));
}

static void use_models(lives *l) {
  kept_model *m = &l->models[next(l, MODELS)], other = l->models[next(l, MODELS)], made = {0};
  switch (next(l, 8)) {
    case 0:
    case 1: load_model(l, &made); break;
    case 2: open_model(l, &made); break;
    case 3: replace_weight(l, &other, &made); break;
    case 4: break;
    default: ask_model(l, m->model); return;
  }
  pir_model_release(m->model);  // its sessions keep it
  *m = made;
}

// ---- sessions

static void drop_session(kept_session *s) {
  if (s->task) {
    s->task(s->argument);
    pir_ignore(pir_session_wait(s->session));
  }
  pir_session_destroy(s->session);
  pir_thread_pool_destroy(s->pool);
  *s = (kept_session){0};
}

static void make_session(lives *l, kept_session *s) {
  const kept_model *of = &l->models[next(l, MODELS)];
  int cpus[2] = {next(l, 4) ? 0 : -1, next(l, 4) ? 0 : 99999};
  drop_session(s);
  pir_session_options how = {.size = sizeof how,
                             .threads = (int)next(l, 4) - 1,
                             .sink = sink_of(l),
                             .arena = l->arenas[next(l, HELD)],
                             .cpus = cpus,
                             .cpu_count = next(l, 4) ? 0 : next(l, 3),
                             .max_bytes = next(l, 8) ? 0 : next(l, 256),
                             .max_ns = next(l, 16) ? 0 : 1,
                             .separate = !next(l, 8)};
  if (!next(l, 4) &&
      !pir_thread_pool_create_on(1 + (int)next(l, 2), cpus, next(l, 2), NULL, &s->pool))
    how.parallel = pir_thread_pool_parallel(s->pool);
  s->of = *of;
  s->may_fail = how.max_bytes || how.max_ns;
  if (pir_session_create(of->model, &how, &s->session))
    REQUIRE(!s->session && (!of->model || l->heard > 0));
}

static void count_back(void *user) {
  --*(int *)user;
}

// Rows of the inputs; now and then they come as a managed tensor, or as memory of a device,
// which no model here takes.
static void bind_rows(lives *l, kept_session *s) {
  int64_t shape[] = {1 + next(l, MOST_ROWS), COLUMNS};
  pir_tensor rows = {.data = l->inputs}, view;
  pir_tensor_set_dense(&rows, PIR_F32, shape, 2);
  if (!next(l, 4)) {
    if (!l->managed) {
      l->lent++;
      REQUIRE(!pir_dlpack_wrap(&rows, count_back, &l->lent, &l->managed));
    }
    REQUIRE(!pir_dlpack_view(l->managed, &view, NULL, NULL));
    rows = view;
  }
  if (!next(l, 8)) {
    REQUIRE(pir_session_bind_device_input(s->session, 0, &rows) == PIR_UNSUPPORTED);
    REQUIRE(pir_session_message(s->session)[0]);
    REQUIRE(pir_session_bind_device_output(s->session, 0, &rows) == PIR_UNSUPPORTED);
    s->rows = 0;
    return;
  }
  REQUIRE(pir_session_bind_input(s->session, 0, &rows) == PIR_OK);
  s->rows = rows.shape[0];
}

static float expected(const kept_model *of, float x) {
  float sum = x + of->weight;
  sum = sum > 0 ? sum : 0;
  const float results[OPS] = {tanhf(sum), 2 * sum, -sum};
  return results[of->op];
}

static void check_run(lives *l, kept_session *s, pir_status status) {
  pir_tensor out;
  struct DLManagedTensorVersioned *copy;
  if (!s->rows)
    REQUIRE(status != PIR_OK);
  if (status) {
    REQUIRE(pir_session_message(s->session)[0]);
    require(!s->rows || s->may_fail || status == PIR_CANCELLED,
            pir_session_message(s->session));
    REQUIRE(pir_session_output(s->session, 0, &out) == PIR_NOT_FOUND);
    return;
  }
  REQUIRE(pir_session_output(s->session, 0, &out) == PIR_OK && out.shape[0] == s->rows);
  for (int64_t i = 0; i < s->rows * COLUMNS; i++)
    REQUIRE(fabs(pir_tensor_float_at(&out, i) - (double)expected(&s->of, l->inputs[i])) < 1e-6);
  REQUIRE(!pir_dlpack_copy(&out, &copy));
  pir_dlpack_release(copy);
}

static bool keep_task(void *user, void (*task)(void *argument), void *argument) {
  kept_session *s = user;
  s->task = task;
  s->argument = argument;
  return true;
}

static void note_end(void *user, pir_session *session, pir_status status) {
  (void)session;
  *(pir_status *)user = status;
}

// A run that goes on: it can be cancelled, waited for and not started again.
static void finish_task(lives *l, kept_session *s) {
  void (*task)(void *) = s->task;
  pir_status again = PIR_OK;
  if (!next(l, 3))
    REQUIRE(!pir_session_cancel(s->session));
  if (!next(l, 3)) {
    REQUIRE(pir_session_run_async(s->session, NULL, note_end, &again) == PIR_INVALID);
    return;
  }
  s->task = NULL;
  task(s->argument);
  check_run(l, s, pir_session_wait(s->session));
}

static void run_async(lives *l, kept_session *s) {
  pir_executor later = {keep_task, s};
  pir_status ended = PIR_INTERNAL;
  if (next(l, 2)) {
    REQUIRE(!pir_session_run_async(s->session, &later, NULL, NULL));
    return;
  }
  REQUIRE(!pir_session_run_async(s->session, NULL, note_end, &ended));
  if (!next(l, 4))
    REQUIRE(!pir_session_cancel(s->session));
  pir_status status = pir_session_wait(s->session);
  REQUIRE(ended == status);
  check_run(l, s, status);
}

static void use_session(lives *l) {
  kept_session *s = &l->sessions[next(l, SESSIONS)];
  pir_session_stats stats = {.size = sizeof stats};
  if (s->task) {
    finish_task(l, s);
    return;
  }
  if (!s->session || !next(l, 8)) {
    make_session(l, s);
    return;
  }
  switch (next(l, 8)) {
    case 0: drop_session(s); break;
    case 1: pir_session_trim(s->session); break;
    case 2: REQUIRE(!pir_session_stats_of(s->session, &stats) && !stats.recompiles); break;
    case 3:
    case 4: bind_rows(l, s); break;
    case 5: run_async(l, s); break;
    default: check_run(l, s, pir_session_run(s->session)); break;
  }
}

static void use_arena(lives *l) {
  pir_session_arena **arena = &l->arenas[next(l, HELD)];
  switch (next(l, 3)) {
    case 0:
      pir_session_arena_release(*arena);  // its sessions keep it
      *arena = NULL;
      break;
    case 1:
      if (!*arena)
        REQUIRE(!pir_session_arena_create(NULL, arena));
      break;
    default:
      REQUIRE(pir_session_arena_trim(*arena) == 0 || *arena);
      REQUIRE(pir_session_arena_bytes(*arena) == 0);
      break;
  }
}

// ---- all of them

static void drop_all(lives *l) {
  bool sessions_first = next(l, 2);
  for (unsigned i = 0; sessions_first && i < SESSIONS; i++)
    drop_session(&l->sessions[i]);
  for (unsigned i = 0; i < HELD; i++) {
    drop_set(l, i);
    pir_pass_set_destroy(l->passes[i]);
    pir_session_arena_release(l->arenas[i]);
  }
  for (unsigned i = 0; i < MODELS; i++)
    pir_model_release(l->models[i].model);
  for (unsigned i = 0; i < SESSIONS; i++)
    drop_session(&l->sessions[i]);
  for (unsigned i = 0; i < HELD; i++)
    pir_context_destroy(l->contexts[i]);
  pir_dlpack_release(l->managed);
  REQUIRE(l->lent == 0 && l->loaded == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  lives l = {.data = data, .size = size};
  if (!compiled.whole.size)
    make_compiled();
  for (int i = 0; i < MOST_ROWS * COLUMNS; i++)
    l.inputs[i] = (float)(i % 5) - 2;
  while (l.size)
    switch (next(&l, 8)) {
      case 0: use_set(&l); break;
      case 1: use_passes(&l); break;
      case 2: use_arena(&l); break;
      case 3:
      case 4: use_models(&l); break;
      default: use_session(&l); break;
    }
  drop_all(&l);
  return 0;
}
