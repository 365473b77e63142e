// Runs the model that the engine compiled, with libpir_rt alone, and prints its first row.
//   cc runtime.c $(pkg-config --cflags --libs pir_rt) -o runtime
//   runtime FOLDER/model.pirm
#include <pir/engine/compiled.h>

#include <stdio.h>

enum { IMAGES = 4, PIXELS = 64, CLASSES = 10 };

static pir_status run(pir_model *model, float *pixels) {
  pir_session *session;
  pir_tensor in = {.data = pixels}, out;
  pir_tensor_set_dense(&in, PIR_F32, (const int64_t[]){IMAGES, 1, 8, 8}, 4);
  pir_status status = pir_session_create(model, NULL, &session);
  if (!status)
    status = pir_session_bind_input(session, 0, &in);
  if (!status)
    status = pir_session_run(session);
  if (!status)
    status = pir_session_output(session, 0, &out);
  if (!status) {
    printf("first row:");
    for (int i = 0; i < CLASSES; i++)
      printf(" %.4f", pir_tensor_float_at(&out, i));
    printf("\n");
  }
  pir_session_destroy(session);
  return status;
}

static void report(void *user, const pir_diag *diag) {
  (void)user;
  fprintf(stderr, "%.*s\n", (int)diag->message.size, diag->message.data);
}

int main(int argc, char **argv) {
  static float pixels[IMAGES * PIXELS];
  pir_open_options how = {.size = sizeof how, .sink = {report, NULL}};
  pir_model *model;
  if (argc != 2)
    return fprintf(stderr, "usage: runtime MODEL.pirm\n"), 2;
  for (int i = 0; i < IMAGES * PIXELS; i++)
    pixels[i] = (float)(i % 17) / 16;
  pir_status status = pir_model_open_file(argv[1], &how, &model);
  if (!status)
    status = run(model, pixels);
  pir_model_release(model);
  return (int)status;
}
