// Runs all parts of the engine and prints one line for each.
//   cc *.c $(pkg-config --cflags --libs pir) -pthread -o engine
//   engine MODEL PARAMS OPS.so PASSES.so FOLDER
#include "engine.h"

#include <stdatomic.h>
#include <stdlib.h>

static atomic_int failures;

bool expect(bool holds, const char *what, const char *file, int line) {
  if (!holds) {
    fprintf(stderr, "%s:%d: %s does not hold\n", file, line, what);
    atomic_fetch_add(&failures, 1);
  }
  return holds;
}

static void hear(void *user, const pir_diag *diag) {
  heard *h = user;
  h->count++;
  h->errors += diag->severity == PIR_ERROR;
  snprintf(h->message, sizeof h->message, "%.*s", (int)diag->message.size, diag->message.data);
  snprintf(h->file, sizeof h->file, "%.*s", (int)diag->place.file.size, diag->place.file.data);
}

pir_diag_sink sink_of(heard *out) {
  *out = (heard){0};
  return (pir_diag_sink){hear, out};
}

pir_tensor tensor_over(void *data, pir_dtype dtype, int32_t rank, const int64_t *shape) {
  pir_tensor t = {.data = data};
  pir_tensor_set_dense(&t, dtype, shape, rank);
  return t;
}

pir_tensor images_of(engine *e) {
  return tensor_over(e->pixels, PIR_F32, 4, (const int64_t[]){IMAGES, 1, 8, 8});
}

pir_tensor scores_in(float *scores) {
  return tensor_over(scores, PIR_F32, 2, (const int64_t[]){IMAGES, CLASSES});
}

pir_status run_model(engine *e, pir_model *model, const pir_session_options *options,
                     float *out_scores) {
  pir_session *session;
  pir_tensor in = images_of(e), out;
  pir_status status = pir_session_create(model, options, &session);
  if (status)
    return status;
  status = pir_session_bind_input(session, 0, &in);
  if (!status)
    status = pir_session_run(session);
  if (!status)
    status = pir_session_output(session, 0, &out);
  if (!status)
    memcpy(out_scores, out.data, sizeof e->scores);
  pir_session_destroy(session);
  return status;
}

bool are_its_scores(const engine *e, const float *scores) {
  return !memcmp(scores, e->scores, sizeof e->scores);
}

pir_status load_again(engine *e, const pir_model_options *options, pir_model **out_model) {
  return pir_model_load_file(e->program, e->params, options, out_model);
}

pir_borrowed read_file(const char *path) {
  pir_borrowed bytes = {NULL, 0, free, NULL};
  FILE *file = fopen(path, "rb");
  if (!file)
    return bytes;
  fseek(file, 0, SEEK_END);
  bytes.size = (size_t)ftell(file);
  rewind(file);
  bytes.data = bytes.user = malloc(bytes.size + 1);
  if (bytes.data && fread(bytes.user, 1, bytes.size, file) != bytes.size)
    bytes.size = 0;
  fclose(file);
  return bytes;
}

static const struct part {
  const char *name;
  void (*run)(engine *e);
} parts[] = {{"loading, from files and memory", load_models},
             {"ports, names and ranges of extents, metadata, statistics", describe_models},
             {"progress, cancelling, limits, log levels", end_loads},
             {"memory that runs out", run_out_of_memory},
             {"values by name", show_values},
             {"choices that are timed here", tune_choices},
             {"sessions, traces, memory of the caller", run_sessions},
             {"bad calls", refuse_bad_calls},
             {"runs that end early", end_runs},
             {"tokens", generate_tokens},
             {"asynchronous runs", run_asynchronously},
             {"threads, executors, processors", run_on_threads},
             {"an arena for many sessions", run_in_turn},
             {"other weights", replace_weights},
             {"DLPack", exchange_tensors},
             {"compiled models", compile_ahead},
             {"memory of a device", use_device_memory},
             {"custom ops", use_custom_ops},
             {"ops that a text declares", declare_ops},
             {"passes of a library", use_passes},
             {"programs that are built", build_programs},
             {"listeners of code", hear_of_code}};

int main(int argc, char **argv) {
  if (argc != 6)
    return fprintf(stderr, "usage: engine MODEL PARAMS OPS.so PASSES.so FOLDER\n"), 2;
  static engine e;
  e.program = argv[1];
  e.params = argv[2];
  e.ops = argv[3];
  e.passes = argv[4];
  e.folder = argv[5];
  for (int i = 0; i < IMAGES * PIXELS; i++)
    e.pixels[i] = (float)(i % 17) / 16;
  if (pir_version() >> 16 != PIR_VERSION_MAJOR || load_again(&e, NULL, &e.model) ||
      run_model(&e, e.model, NULL, e.scores))
    return fprintf(stderr, "the model cannot be run\n"), 1;
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
    int before = atomic_load(&failures);
    parts[i].run(&e);
    printf("%s: %s\n", parts[i].name, atomic_load(&failures) == before ? "good" : "FAILED");
  }
  pir_model_release(e.model);
  printf("first row:");
  for (int i = 0; i < CLASSES; i++)
    printf(" %.4f", e.scores[i]);
  printf("\n%d expectations failed\n", atomic_load(&failures));
  return atomic_load(&failures) != 0;
}
