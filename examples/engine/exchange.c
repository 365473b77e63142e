// Weights, tensors and models that come from elsewhere or go there.
#include "engine.h"

#include <pir/compiler/dialects.h>
#include <pir/compiler/load.h>
#include <pir/engine/compiled.h>
#include <pir/engine/dlpack.h>
#include <pir/engine/weights.h>

#include <math.h>
#include <stdlib.h>
#include <sys/stat.h>

// ---- other weights

// A bias that lifts the last score above all others, without compiling anything.
void replace_weights(engine *e) {
  pir_model_options how = {.size = sizeof how, .replaceable = true};
  pir_model *base, *lifted = NULL;
  pir_message message = {{0}};
  pir_port port = {.size = sizeof port};
  float bias[CLASSES] = {0}, scores[IMAGES * CLASSES], before[IMAGES * CLASSES];
  pir_weight weight = {.name = PIR_STR("linear_0.b_0")};
  bias[CLASSES - 1] = 1000;
  weight.tensor = tensor_over(bias, PIR_F32, 1, (const int64_t[]){CLASSES});
  if (!EXPECT(load_again(e, &how, &base) == PIR_OK))
    return;
  EXPECT(pir_model_weights(base) == 14 && pir_model_weights(e->model) == 0);
  EXPECT(pir_model_weight(base, 0, &port) == PIR_OK && port.rank == 1 && port.name.size);
  EXPECT(run_model(e, base, NULL, before) == PIR_OK && fabsf(before[0] - e->scores[0]) < 1e-5f);
  EXPECT(pir_model_replace_weights(base, &weight, 1, &message, &lifted) == PIR_OK);
  EXPECT(run_model(e, lifted, NULL, scores) == PIR_OK);
  for (int i = 0; i < IMAGES * CLASSES; i++)
    EXPECT(scores[i] == (i % CLASSES == CLASSES - 1 ? 1 : 0));
  EXPECT(run_model(e, base, NULL, scores) == PIR_OK && !memcmp(scores, before, sizeof scores));
  pir_model_release(base);
  EXPECT(run_model(e, lifted, NULL, scores) == PIR_OK && scores[CLASSES - 1] == 1);

  weight.name = PIR_STR("nothing");
  EXPECT(pir_model_replace_weights(lifted, &weight, 1, &message, &base) == PIR_NOT_FOUND);
  EXPECT(!base && strstr(message.text, "nothing"));
  EXPECT(pir_model_replace_weights(e->model, &weight, 1, &message, &base) == PIR_UNSUPPORTED);
  pir_model_release(lifted);
}

// ---- tensors

static void count_owner(void *user) {
  ++*(int *)user;
}

// Images go to a session, and scores leave it, as managed tensors.
void exchange_tensors(engine *e) {
  struct DLManagedTensorVersioned *lent, *copied;
  pir_tensor in = images_of(e), view, out;
  pir_session *session;
  pir_message message;
  bool read_only = true;
  int released = 0;
  if (!EXPECT(pir_session_create(e->model, NULL, &session) == PIR_OK))
    return;
  EXPECT(pir_dlpack_wrap(&in, count_owner, &released, &lent) == PIR_OK);
  EXPECT(pir_dlpack_view(lent, &view, &read_only, &message) == PIR_OK);
  EXPECT(view.data == e->pixels && view.rank == 4 && !read_only);
  EXPECT(pir_session_bind_input(session, 0, &view) == PIR_OK);
  EXPECT(pir_session_run(session) == PIR_OK && released == 0);
  EXPECT(pir_session_output(session, 0, &out) == PIR_OK);
  EXPECT(pir_dlpack_copy(&out, &copied) == PIR_OK);
  pir_session_destroy(session);
  pir_dlpack_release(lent);
  EXPECT(released == 1);
  EXPECT(pir_dlpack_view(copied, &view, NULL, NULL) == PIR_OK && are_its_scores(e, view.data));
  pir_dlpack_release(copied);
}

// ---- compiled models

// Bytes that are written to memory.
typedef struct bytes {
  char *data;
  size_t size;
} bytes;

static bool collect(void *user, const char *data, size_t size) {
  bytes *b = user;
  char *grown = realloc(b->data, b->size + size);
  if (!grown)
    return false;
  memcpy(grown + b->size, data, size);
  *b = (bytes){grown, b->size + size};
  return true;
}

// Once with the weights inside, once with the weights in a file of their own.
static pir_status compile_model(engine *e, bytes *out, bytes *apart, bytes *weights) {
  pir_context *ctx = pir_context_create(NULL);
  pir_program *program = NULL;
  pir_status status = pir_dialects_load_all(ctx);
  if (!status)
    status = pir_program_load_file(ctx, e->program, e->params, &program);
  if (!status)
    status = pir_model_compile(program, NULL, NULL, 0, (pir_writer){collect, out});
  if (!status)
    status =
        pir_model_compile_apart(program, NULL, NULL, 0, "model.weights",
                                (pir_writer){collect, weights}, (pir_writer){collect, apart});
  pir_program_destroy(program);
  pir_context_destroy(ctx);
  return status;
}

static bool write_file(const char *path, const bytes *b) {
  FILE *file = fopen(path, "wb");
  bool good = file && fwrite(b->data, 1, b->size, file) == b->size;
  return file && !fclose(file) && good && !chmod(path, 0600);
}

// The weights are found beside the model, or where the options say.
static void open_with_weights(engine *e, const bytes *apart, const bytes *weights) {
  float scores[IMAGES * CLASSES];
  char path[512], named[512], moved[512];
  pir_model *model;
  heard h;
  pir_open_options how = {.size = sizeof how, .sink = sink_of(&h)};
  snprintf(path, sizeof path, "%s/apart.pirm", e->folder);
  snprintf(named, sizeof named, "%s/model.weights", e->folder);
  snprintf(moved, sizeof moved, "%s/moved.weights", e->folder);
  if (!EXPECT(write_file(path, apart) && write_file(named, weights)))
    return;
  EXPECT(pir_model_open_file(path, &how, &model) == PIR_OK);
  EXPECT(run_model(e, model, NULL, scores) == PIR_OK && are_its_scores(e, scores));
  pir_model_release(model);
  EXPECT(rename(named, moved) == 0);
  EXPECT(pir_model_open_file(path, &how, &model) == PIR_NOT_FOUND && !model);
  EXPECT(strstr(h.message, "model.weights"));
  how.weights = moved;
  EXPECT(pir_model_open_file(path, &how, &model) == PIR_OK);
  EXPECT(run_model(e, model, NULL, scores) == PIR_OK && are_its_scores(e, scores));
  pir_model_release(model);
}

// FOLDER/model.pirm is what runtime.c runs with libpir_rt alone.
void compile_ahead(engine *e) {
  float scores[IMAGES * CLASSES];
  bytes b = {0}, apart = {0}, weights = {0};
  char path[512];
  pir_model *model;
  heard h;
  pir_open_options how = {.size = sizeof how, .sink = sink_of(&h)};
  snprintf(path, sizeof path, "%s/model.pirm", e->folder);
  if (!EXPECT(compile_model(e, &b, &apart, &weights) == PIR_OK && write_file(path, &b)))
    return;
  open_with_weights(e, &apart, &weights);
  EXPECT(pir_model_open((pir_borrowed){b.data, b.size, NULL, NULL}, &how, &model) == PIR_OK);
  EXPECT(run_model(e, model, NULL, scores) == PIR_OK && are_its_scores(e, scores));
  pir_model_release(model);
  EXPECT(pir_model_open_file(path, &how, &model) == PIR_OK);
  pir_model_stats stats = {.size = sizeof stats};
  EXPECT(pir_model_stats_of(model, &stats) == PIR_OK);
  EXPECT(stats.code_bytes && stats.prepared_bytes && !stats.kernels_compiled);
  EXPECT(run_model(e, model, NULL, scores) == PIR_OK && are_its_scores(e, scores));
  pir_model_release(model);
  EXPECT(h.count == 0);
  how.target = "aarch64";
  EXPECT(pir_model_open_file(path, &how, &model) == PIR_UNAVAILABLE && !model);
  EXPECT(strstr(h.message, "has no code for aarch64"));
  how.target = NULL;
  b.data[b.size / 2] ^= 1;
  EXPECT(pir_model_open((pir_borrowed){b.data, b.size, NULL, NULL}, &how, &model) ==
         PIR_INVALID);
  EXPECT(strstr(h.message, "is damaged"));
  EXPECT(chmod(path, 0622) == 0 && pir_model_open_file(path, &how, &model) == PIR_INVALID);
  EXPECT(strstr(h.message, "others may write it") && chmod(path, 0600) == 0);
  free(b.data);
  free(apart.data);
  free(weights.data);
}
