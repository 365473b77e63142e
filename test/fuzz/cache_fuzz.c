// Files of a cache, a prepared model and a compiled object: one whose bytes were changed, cut
// off or made longer is refused, and the model is made anew with the same numbers. The input is
// a list of changes: four bytes say where, the fifth is put there; what is left over says where
// the file ends.
#include "../../codegen/object/cache.h"
#include "../../tools/ports.h"
#include "fuzz.h"

#include <dirent.h>
#include <fcntl.h>
#include <pir/engine/model.h>
#include <sys/stat.h>
#include <unistd.h>

static const char text[] =
    "{\n(%0) = \"pd_op.data\" () "
    "{dtype:float32,name:\"x\",place:Place(undefined:0),shape:[2,3]}"
    " : () -> tensor<2x3xf32>\n"
    "(%1) = \"pd_op.assign_value\" () "
    "{dtype:float32,place:Place(cpu),shape:[3],values:[1.5,2.5,"
    "3.5]} : () -> tensor<3xf32>\n"
    "(%2) = \"pd_op.add\" (%0, %1) {} : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>\n"
    "(%3) = \"pd_op.softmax\" (%2) {axis:-1} : (tensor<2x3xf32>) -> tensor<2x3xf32>\n"
    "() = \"builtin.shadow_output\" (%3) {output_name:\"y\"} : (tensor<2x3xf32>) -> \n}\n";

enum { HEADER = 2168, PAGE = 4096 };  // bytes that the header takes of its page

typedef struct stored {
  char path[400];
  uint8_t *whole, *changed;
  size_t size;
} stored;

static char folder[] = "/tmp/pir_cache_fuzz_XXXXXX";
static stored prepared, object;
static float expected[6];
static const pir_cache_key key = {1, 2};
static char code[] = "\177ELF of two groups, or whatever else was compiled";

static pir_model *load(void) {
  pir_model_options options = {
      .size = sizeof options, .pipeline = "kernels", .compile_threads = 1, .cache = folder};
  pir_model *model = NULL;
  pir_borrowed bytes = {.data = text, .size = sizeof text - 1};
  if (pir_model_load(bytes, (pir_borrowed){0}, &options, &model))
    abort();
  return model;
}

static void run(pir_model *model, float out[6]) {
  float x[6] = {0, 1, 2, 3, 4, 5};
  pir_tensor input = {.data = x}, output;
  pir_session *session = NULL;
  pir_tensor_set_dense(&input, PIR_F32, (const int64_t[]){2, 3}, 2);
  if (pir_session_create(model, NULL, &session) || pir_session_bind_input(session, 0, &input) ||
      pir_session_run(session) || pir_session_output(session, 0, &output))
    abort();
  memcpy(out, output.data, 6 * sizeof *out);
  pir_session_destroy(session);
}

static void remove_folder(void) {
  unlink(prepared.path);
  unlink(object.path);
  rmdir(folder);
}

// Keeps the bytes of the file with this ending.
static void keep_file(const char *ending, stored *out) {
  DIR *dir = opendir(folder);
  struct dirent *entry;
  struct stat st;
  while (dir && (entry = readdir(dir)))
    if (strstr(entry->d_name, ending))
      snprintf(out->path, sizeof out->path, "%s/%s", folder, entry->d_name);
  if (dir)
    closedir(dir);
  int fd = open(out->path, O_RDONLY);
  if (fd < 0 || fstat(fd, &st))
    abort();
  out->size = (size_t)st.st_size;
  out->whole = malloc(out->size);
  out->changed = malloc(2 * out->size);
  if (!out->whole || !out->changed || read(fd, out->whole, out->size) != (ssize_t)out->size)
    abort();
  close(fd);
}

static void prepare(void) {
  if (!mkdtemp(folder))
    abort();
  pir_model *model = load();
  run(model, expected);
  pir_model_release(model);
  if (!pir_cache_save(folder, key, PIR_STR("x86-64-v3 of these tests"),
                      (pir_str){code, sizeof code}))
    abort();
  keep_file(".pirmodel", &prepared);
  keep_file(".pirobj", &object);
  atexit(remove_folder);
}

// Returns whether the file differs from the one that was written; bytes from `first` up to
// `end`, which nothing reads, stay.
static bool write_changed(stored *f, size_t first, size_t end, const uint8_t *data,
                          size_t size) {
  size_t length = f->size;
  memcpy(f->changed, f->whole, f->size);
  memset(f->changed + f->size, 0, f->size);
  for (; size >= 5; data += 5, size -= 5) {
    uint32_t at;
    memcpy(&at, data, sizeof at);
    at %= (uint32_t)f->size;
    if (at < first || at >= end)
      f->changed[at] = data[4];
  }
  if (size >= 2)
    length = (size_t)(data[0] << 8 | data[1]) % (2 * f->size);
  FILE *file = fopen(f->path, "wb");
  if (!file || fwrite(f->changed, 1, length, file) != length || fclose(file))
    abort();
  return length < f->size || memcmp(f->changed, f->whole, f->size) != 0 ||
         (first < end && length != f->size);
}

// An object is its header, the origin and the code: what follows is not read.
static void check_object(bool differs) {
  pir_emitted out;
  bool taken = pir_cache_load(folder, key, PIR_STR("x86-64-v3 of these tests"), &out);
  if (taken == differs ||
      (taken && (out.size != sizeof code || memcmp(out.data, code, sizeof code) != 0))) {
    fprintf(stderr, "a changed object was taken, or an unchanged one was not\n");
    abort();
  }
  free(out.data);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  float out[6];
  if (!prepared.whole)
    prepare();
  check_object(write_changed(&object, 0, 0, data, size));
  bool differs = write_changed(&prepared, HEADER, PAGE, data, size);
  pir_model *model = load();
  if (differs && model_stats(model).prepared_bytes) {
    fprintf(stderr, "a changed file was taken\n");
    abort();
  }
  run(model, out);
  if (memcmp(out, expected, sizeof out) != 0)
    abort();
  pir_model_release(model);
  return 0;
}
