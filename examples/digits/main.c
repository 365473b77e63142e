// Classifies the 64 test digits of digits_cnn (8x8 grey images), from its .pdmodel and from its
// .json. Prints some of them with their classes, the accuracy, and the time for each image.
//   digits FOLDER
#include <pir/engine/model.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { SIDE = 8, CLASSES = 10, SHOWN = 6, ROUNDS = 200 };

static double now_ms(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

// The data of a .npy file of format 1 and its size; NULL when it cannot be read.
static void *read_npy(const char *folder, const char *name, size_t *out_size) {
  char path[4096];
  unsigned char head[10];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *file = fopen(path, "rb");
  char *data = NULL;
  if (file && fread(head, 1, sizeof head, file) == sizeof head &&
      !memcmp(head, "\x93NUMPY\x01", 7)) {
    long start = 10 + head[8] + 256 * head[9];
    fseek(file, 0, SEEK_END);
    long end = ftell(file);
    *out_size = end > start ? (size_t)(end - start) : 0;
    data = malloc(*out_size + 1);
    fseek(file, start, SEEK_SET);
    if (data && fread(data, 1, *out_size, file) != *out_size)
      *out_size = 0;
  }
  if (file)
    fclose(file);
  else
    fprintf(stderr, "digits: cannot read %s\n", path);
  return data;
}

static void report(void *user, const pir_diag *diag) {
  fprintf(stderr, "%.*s\n", (int)diag->message.size, diag->message.data);
}

static int best_of(const float *scores) {
  int best = 0;
  for (int i = 1; i < CLASSES; i++)
    if (scores[i] > scores[best])
      best = i;
  return best;
}

static void show(const float *images, const float *scores, const int64_t *labels) {
  static const char shades[] = " .:-=+*#%@";
  for (int y = 0; y < SIDE; y++) {
    for (int i = 0; i < SHOWN; i++) {
      printf("  ");
      for (int x = 0; x < SIDE; x++) {
        int shade = (int)(images[(i * SIDE + y) * SIDE + x] * 9.99f);
        putchar(shades[shade < 0 ? 0 : shade > 9 ? 9 : shade]);
        putchar(shades[shade < 0 ? 0 : shade > 9 ? 9 : shade]);
      }
    }
    putchar('\n');
  }
  for (int i = 0; i < SHOWN; i++) {
    char text[32];
    int seen = best_of(scores + i * CLASSES);
    snprintf(text, sizeof text, "%d (%.0f %%)%s", seen, scores[i * CLASSES + seen] * 100,
             seen == labels[i] ? "" : " wrong");
    printf("  %-16s", text);
  }
  printf("\n\n");
}

static pir_status classify(const char *path, float *images, int64_t count, float *scores,
                           double *out_ms) {
  pir_model_options options = {.size = sizeof options, .sink = {report, NULL}};
  pir_model *model = NULL;
  pir_session *session = NULL;
  pir_tensor in = {.data = images}, out = {.data = scores};
  pir_tensor_set_dense(&in, PIR_F32, (int64_t[]){count, 1, SIDE, SIDE}, 4);
  pir_tensor_set_dense(&out, PIR_F32, (int64_t[]){count, CLASSES}, 2);
  pir_status status = pir_model_load_file(path, NULL, &options, &model);
  if (!status)
    status = pir_session_create(model, NULL, &session);
  if (!status)
    status = pir_session_bind_input(session, 0, &in);
  if (!status)
    status = pir_session_bind_output(session, 0, &out);
  if (!status)
    status = pir_session_run(session);
  double start = now_ms();
  for (int i = 0; i < ROUNDS && !status; i++)
    status = pir_session_run(session);
  *out_ms = (now_ms() - start) / ROUNDS / (double)count;
  if (status)
    fprintf(stderr, "digits: %s: %s\n", path,
            session ? pir_session_message(session) : "cannot be loaded");
  pir_session_destroy(session);
  pir_model_release(model);
  return status;
}

static int demo(const char *folder, float *images, const int64_t *labels, int64_t count,
                float *scores) {
  static const char *const programs[] = {"model.pdmodel", "model.json"};
  for (int p = 0; p < 2; p++) {
    char path[4096];
    double ms;
    int right = 0;
    snprintf(path, sizeof path, "%s/%s", folder, programs[p]);
    if (classify(path, images, count, scores, &ms))
      return 1;
    for (int64_t i = 0; i < count; i++)
      right += best_of(scores + i * CLASSES) == labels[i];
    if (p == 0)
      show(images, scores, labels);
    printf("%-14s %lld images, %.1f %% right, %.4f ms an image\n", programs[p],
           (long long)count, 100.0 * right / (double)count, ms);
  }
  return 0;
}

int main(int argc, char **argv) {
  if (argc != 2)
    return fprintf(stderr, "usage: digits FOLDER\n"), 2;
  size_t image_bytes = 0, label_bytes = 0;
  float *images = read_npy(argv[1], "case0/in_image.npy", &image_bytes);
  int64_t *labels = read_npy(argv[1], "labels.npy", &label_bytes);
  int64_t count = (int64_t)(label_bytes / sizeof *labels);
  float *scores = calloc((size_t)count + 1, CLASSES * sizeof *scores);
  bool whole = images && labels && scores && count >= SHOWN &&
               image_bytes == (size_t)count * SIDE * SIDE * sizeof *images;
  int code = whole ? demo(argv[1], images, labels, count, scores) : 1;
  if (!whole)
    fprintf(stderr, "digits: %s does not hold the test images\n", argv[1]);
  free(images);
  free(labels);
  free(scores);
  return code;
}
