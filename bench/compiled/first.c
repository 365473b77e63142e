// The time to a model's first result, and of later runs, in milliseconds:
//   first MODEL STARTED RUNS
// STARTED is the time of CLOCK_MONOTONIC in nanoseconds at which the process was started;
// inputs are zeros, with 1 for extents that vary. Compiled with FROM_PROGRAM it loads a program
// with libpir, else it opens a compiled model with libpir_rt.
#include <pir/engine/compiled.h>

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now_ms(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static pir_status open_model(const char *path, pir_model **out_model) {
#ifdef FROM_PROGRAM
  return pir_model_load_file(path, NULL, NULL, out_model);
#else
  return pir_model_open_file(path, NULL, out_model);
#endif
}

static bool bind_zeros(pir_session *session, const pir_model *model, size_t i) {
  pir_port port = {.size = sizeof port};
  pir_tensor tensor = {0};
  size_t bytes;
  if (pir_model_input(model, i, &port))
    return false;
  for (int32_t d = 0; d < port.rank; d++)
    port.shape[d] = port.shape[d] < 0 ? 1 : port.shape[d];
  if (port.rank < 0 || pir_shape_bytes(port.shape, port.rank, port.dtype, &bytes))
    return false;
  pir_tensor_set_dense(&tensor, port.dtype, port.shape, port.rank);
  tensor.data = calloc(1, bytes + 1);
  return tensor.data && !pir_session_bind_input(session, i, &tensor);
}

static int compare_times(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

int main(int argc, char **argv) {
  if (argc < 4)
    return 2;
  double started = (double)strtoull(argv[2], NULL, 10) * 1e-6;
  int runs = atoi(argv[3]);
  pir_model *model;
  pir_session *session;
  if (open_model(argv[1], &model) || pir_session_create(model, NULL, &session))
    return 1;
  double opened = now_ms();
  for (size_t i = 0; i < pir_model_inputs(model); i++)
    if (!bind_zeros(session, model, i))
      return 1;
  if (pir_session_run(session))
    return 1;
  double first = now_ms();
  double *times = calloc((size_t)runs + 1, sizeof *times);
  for (int i = 0; times && i < runs; i++) {
    double begin = now_ms();
    if (pir_session_run(session))
      return 1;
    times[i] = now_ms() - begin;
  }
  if (times && runs)
    qsort(times, (size_t)runs, sizeof *times, compare_times);
  printf("%.3f %.3f %.3f\n", opened - started, first - started,
         times && runs ? times[runs / 2] : 0.0);
  free(times);
  pir_session_destroy(session);
  pir_model_release(model);
  return 0;
}
