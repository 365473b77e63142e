// Embeds libpir: loads a model from memory and runs it on two threads with one session each,
// one on the library's thread pool, one on this program's parallel_for. Inputs and outputs stay
// in this program's memory. Builds as C11 and as C++17:
//   cc embed.c $(pkg-config --cflags --libs pir) -pthread
#include <pir/engine/model.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static pir_borrowed read_file(const char *path) {
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

// The simplest executor: all units at once, on the calling thread, in two ranges.
static void in_halves(void *pool, int64_t n, pir_range_fn fn, void *user) {
  (void)pool;
  fn(user, 0, n / 2, 0);
  fn(user, n / 2, n, 1);
}

static void report(void *user, const pir_diag *diag) {
  (void)user;
  fprintf(stderr, "%.*s\n", (int)diag->message.size, diag->message.data);
}

typedef struct job {
  pir_model *model;
  int own_executor;
  pir_status status;
  float in[2 * 64], out[2 * 10];
} job;

static void *run(void *user) {
  job *j = (job *)user;
  pir_session_options options;
  pir_parallel own = {in_halves, NULL, 2};
  const int64_t in_shape[] = {2, 1, 8, 8}, out_shape[] = {2, 10};
  pir_tensor in, out;
  memset(&options, 0, sizeof options);
  memset(&in, 0, sizeof in);
  options.size = sizeof options;
  options.threads = 2;
  if (j->own_executor)
    options.parallel = own;
  out = in;
  in.data = j->in, out.data = j->out;
  pir_tensor_set_dense(&in, PIR_F32, in_shape, 4);
  pir_tensor_set_dense(&out, PIR_F32, out_shape, 2);
  for (int i = 0; i < 2 * 64; i++)
    j->in[i] = (float)(i % 17) / 16;
  pir_session *session = NULL;
  j->status = pir_session_create(j->model, &options, &session);
  if (!j->status)
    j->status = pir_session_bind_input(session, 0, &in);
  if (!j->status)
    j->status = pir_session_bind_output(session, 0, &out);
  for (int i = 0; i < 100 && !j->status; i++)
    j->status = pir_session_run(session);
  if (j->status && session)
    fprintf(stderr, "%s\n", pir_session_message(session));
  pir_session_destroy(session);
  return NULL;
}

// Prints the inputs of a model and what the library made of it.
static int describe(const pir_model *model) {
  pir_model_stats stats;
  memset(&stats, 0, sizeof stats);
  stats.size = sizeof stats;
  for (size_t i = 0; i < pir_model_inputs(model); i++) {
    pir_port port;
    port.size = sizeof port;
    if (pir_model_input(model, i, &port))
      return 0;
    printf("%s: %s, rank %d\n", port.name.data, pir_dtype_name(port.dtype), (int)port.rank);
  }
  if (pir_model_stats_of(model, &stats))
    return 0;
  printf("%d instructions\n", (int)stats.instructions);
  return stats.instructions > 0;
}

int main(int argc, char **argv) {
  if (argc != 3)
    return fprintf(stderr, "usage: embed MODEL PARAMS\n"), 2;
  pir_model_options options;
  memset(&options, 0, sizeof options);
  options.size = sizeof options;
  options.sink.report = report;
  static job jobs[2];
  pthread_t threads[2];
  pir_model *model = NULL;
  if (pir_model_load(read_file(argv[1]), read_file(argv[2]), &options, &model))
    return 1;
  if (!describe(model))
    return 1;
  for (int i = 0; i < 2; i++) {
    jobs[i].model = model, jobs[i].own_executor = i;
    pthread_create(&threads[i], NULL, run, &jobs[i]);
  }
  for (int i = 0; i < 2; i++)
    pthread_join(threads[i], NULL);
  pir_model_release(model);
  int differ = 0;
  for (int i = 0; i < 20; i++)
    differ += jobs[0].out[i] != jobs[1].out[i];
  printf("first row:");
  for (int i = 0; i < 10; i++)
    printf(" %.4f", jobs[0].out[i]);
  printf("\nthe two sessions %s\n", differ ? "differ" : "agree");
  return jobs[0].status || jobs[1].status || differ;
}
