// Replaces weights of a compiled model with the runtime library alone, and compares its numbers
// with those of a model that was compiled with the new weights: refit_case MODEL FRESH RAW
// [NUMBER]. RAW has the bytes of all weights in order; with NUMBER only that one is replaced.
// It ends with 4 where numbers differ, or where the old weights give the same ones.
#include <pir/engine/compiled.h>
#include <pir/engine/weights.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_WEIGHTS = 64, MOST_ELEMENTS = 1 << 16 };

typedef struct numbers {
  float data[MOST_ELEMENTS];
  int64_t count;
} numbers;

static void report(void *user, const pir_diag *diag) {
  fprintf(stderr, "%.*s\n", (int)diag->message.size, diag->message.data);
}

static int fail(const char *text) {
  fprintf(stderr, "%s\n", text);
  return 1;
}

static pir_model *open_model(const char *path) {
  pir_open_options how = {.size = sizeof how, .sink = {report, NULL}};
  pir_model *model;
  return pir_model_open_file(path, &how, &model) ? NULL : model;
}

static bool bind_inputs(pir_session *session, const pir_model *model) {
  static float elements[MOST_ELEMENTS];
  for (int i = 0; i < MOST_ELEMENTS; i++)
    elements[i] = (float)(i * 7 % 17) / 16;
  for (size_t i = 0; i < pir_model_inputs(model); i++) {
    pir_port port = {.size = sizeof port};
    pir_tensor tensor = {.data = elements};
    if (pir_model_input(model, i, &port))
      return false;
    for (int d = 0; d < port.rank; d++)
      port.shape[d] = port.shape[d] < 0 ? 3 : port.shape[d];
    pir_tensor_set_dense(&tensor, port.dtype, port.shape, port.rank);
    if (pir_session_bind_input(session, i, &tensor))
      return false;
  }
  return true;
}

static bool run(pir_model *model, numbers *out) {
  pir_session *session;
  pir_tensor result;
  if (pir_session_create(model, NULL, &session))
    return false;
  bool good = bind_inputs(session, model) && !pir_session_run(session) &&
              !pir_session_output(session, 0, &result);
  out->count = good ? pir_tensor_numel(&result) : 0;
  for (int64_t i = 0; i < out->count; i++)
    out->data[i] = (float)pir_tensor_float_at(&result, i);
  if (!good)
    fprintf(stderr, "%s\n", pir_session_message(session));
  pir_session_destroy(session);
  return good;
}

static bool agree(const numbers *a, const numbers *b) {
  for (int64_t i = 0; i < a->count; i++)
    if (!(fabsf(a->data[i] - b->data[i]) <= 1e-6f + 1e-4f * fabsf(b->data[i])))
      return false;
  return a->count == b->count;
}

static char *read_bytes(const char *path) {
  FILE *file = fopen(path, "rb");
  if (!file)
    return NULL;
  fseek(file, 0, SEEK_END);
  long size = ftell(file);
  rewind(file);
  char *bytes = malloc((size_t)size + 1);
  bool whole = bytes && fread(bytes, 1, (size_t)size, file) == (size_t)size;
  fclose(file);
  return whole ? bytes : NULL;
}

static pir_model *replace(pir_model *model, char *raw, long only) {
  pir_weight list[MOST_WEIGHTS];
  pir_message message;
  size_t count = 0;
  for (size_t i = 0; i < pir_model_weights(model) && count < MOST_WEIGHTS; i++) {
    pir_port port = {.size = sizeof port};
    pir_weight weight = {.tensor = {.data = raw}};
    if (pir_model_weight(model, i, &port))
      return NULL;
    weight.name = port.name;
    pir_tensor_set_dense(&weight.tensor, port.dtype, port.shape, port.rank);
    raw += pir_tensor_numel(&weight.tensor) * (int64_t)pir_dtype_size(port.dtype);
    if (only < 0 || (size_t)only == i)
      list[count++] = weight;
  }
  pir_model *made;
  pir_status status = pir_model_replace_weights(model, list, count, &message, &made);
  pir_model_stats stats = {.size = sizeof stats};
  if (status || pir_model_stats_of(made, &stats))
    fprintf(stderr, "%s\n", message.text);
  else
    printf("%zu of %zu weights replaced, %llu bytes packed\n", count, pir_model_weights(model),
           (unsigned long long)stats.packed_bytes);
  return made;
}

int main(int argc, char **argv) {
  static numbers before, after, wanted, still;
  if (argc < 4)
    return fail("usage: refit_case MODEL FRESH RAW [NUMBER]");
  pir_model *base = open_model(argv[1]), *fresh = open_model(argv[2]);
  char *raw = read_bytes(argv[3]);
  if (!base || !fresh || !raw)
    return fail("a file cannot be read");
  pir_model *made = replace(base, raw, argc > 4 ? atol(argv[4]) : -1);
  free(raw);
  bool good = made && run(base, &before) && run(made, &after) && run(base, &still) &&
              run(fresh, &wanted);
  pir_model_release(base);
  good = good && run(made, &after);
  pir_model_release(made);
  pir_model_release(fresh);
  if (!good)
    return 1;
  if (agree(&before, &wanted) || !agree(&before, &still) || !agree(&after, &wanted))
    return 4;
  return 0;
}
