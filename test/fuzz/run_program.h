// Code of the targets that run programs: kernels within a time and a size, and passes that keep
// a program valid.
#ifndef PIR_TEST_FUZZ_RUN_H
#define PIR_TEST_FUZZ_RUN_H

#include "../../tools/ports.h"
#include "fuzz.h"

#include <pir/compiler/pass.h>
#include <pir/compiler/verify.h>
#include <pir/engine/model.h>
#include <pir/layer/codegen.h>
#include <pthread.h>
#include <unistd.h>

enum { MOST_BYTES = 1 << 26, MOST_INPUTS = 32, SOON = 500000 };

// ---- time

static pir_atomic_int cancel;
static atomic_uint run_number;

// Cancels a run that takes longer than SOON microseconds.
static inline void *watch(void *user) {
  (void)user;
  for (;;) {
    unsigned number = atomic_load(&run_number);
    usleep(SOON);
    if (number == atomic_load(&run_number))
      atomic_store(&cancel, 1);
  }
  return NULL;
}

static inline void start_clock(void) {
  static pthread_t watcher;
  static bool started;
  if (!started && pthread_create(&watcher, NULL, watch, NULL))
    abort();
  started = true;
  atomic_fetch_add(&run_number, 1);
  atomic_store(&cancel, 0);
}

// ---- running

static inline bool fill(const pir_port *port, pir_tensor *out) {
  int64_t shape[PIR_MAX_RANK];
  size_t bytes;
  int rank = port->rank < 0 ? 1 : port->rank;
  for (int i = 0; i < rank; i++)
    shape[i] = port->rank < 0 || port->shape[i] < 0 ? 2 : port->shape[i];
  *out = (pir_tensor){0};
  if (rank > PIR_MAX_RANK || pir_shape_bytes(shape, rank, port->dtype, &bytes) ||
      bytes > MOST_BYTES)
    return false;
  pir_tensor_set_dense(out, port->dtype, shape, rank);
  out->data = calloc(1, bytes + 1);
  pir_str *strings = out->data;
  for (size_t i = 0; port->dtype == PIR_PSTRING && i < bytes / sizeof *strings; i++)
    strings[i] = PIR_STR("\xc3\x84 b");
  for (size_t i = 0; port->dtype != PIR_PSTRING && i < bytes; i += 4)
    ((char *)out->data)[i] = 1;
  return true;
}

static inline void run_model(pir_model *model) {
  pir_tensor inputs[MOST_INPUTS] = {0};
  pir_session *session = NULL;
  pir_session_options options = {
      .size = sizeof options, .cancel = &cancel, .max_bytes = MOST_BYTES};
  size_t n = pir_model_inputs(model);
  bool ready = n <= MOST_INPUTS && !pir_session_create(model, &options, &session);
  for (size_t i = 0; ready && i < n; i++) {
    pir_port port = input_port(model, i);
    ready = fill(&port, &inputs[i]) && !pir_session_bind_input(session, i, &inputs[i]);
  }
  if (ready && pir_session_run(session) && !*pir_session_message(session))
    abort();
  pir_session_destroy(session);
  for (size_t i = 0; i < n && i < MOST_INPUTS; i++)
    free(inputs[i].data);
}

static inline void run_program(const pir_program *program) {
  pir_model_options options = {.size = sizeof options,
                               .pipeline = "kernels",
                               .compile_threads = 1,
                               .sink = {fuzz_hear, NULL}};
  pir_model *model = NULL;
  start_clock();
  if (!pir_model_create(program, &options, &model))
    run_model(model);
  pir_model_release(model);
}

// ---- passes

static inline bool drop(void *user, const char *data, size_t size) {
  (void)user;
  (void)data;
  (void)size;
  return true;
}

static inline void fail(const char *what, const char *pipeline) {
  fprintf(stderr, "%s %s: %s\n", pipeline, what, fuzz_message);
  abort();
}

// Takes the program.
static inline void run_passes(pir_context *ctx, pir_program *program, unsigned choice) {
  static const char *const pipelines[] = {"canon,cse,dce", "prepare", "fold,canon",
                                          "canon,compile", "expand,cse,dce"};
  const char *pipeline = pipelines[choice % (sizeof pipelines / sizeof *pipelines)];
  pir_pass_manager *manager = pir_pass_manager_create(ctx, NULL);
  pir_verify_options how = {.size = sizeof how, .errors_only = true};
  bool compiles = strstr(pipeline, "compile") != NULL;
  const char *text = compiles ? pir_pipeline_text(PIR_STR("compile")) : pipeline;
  if (!strcmp(pipeline, "prepare"))
    text = pir_pipeline_text(PIR_STR("prepare"));
  size_t errors = pir_context_error_count(ctx);
  if (pir_pass_manager_parse(manager, pir_str_from(text)))
    fail("is no pipeline", pipeline);
  if (pir_pass_manager_run(manager, program)) {
    if (pir_context_error_count(ctx) == errors)
      fail("failed without a message", pipeline);
  } else if (pir_verify(pir_program_module(program), &how)) {
    fail("made a program that is not valid", pipeline);
  } else if (compiles) {
    pir_target target;
    if (!pir_target_describe("x86-64-v3", &target))
      pir_ignore(pir_codegen_write(program, &target, PIR_MATH_STRICT, PIR_CODE_LOOPS, true,
                                   (pir_writer){drop, NULL}));
  }
  pir_pass_manager_destroy(manager);
  pir_program_destroy(program);
}

#endif
