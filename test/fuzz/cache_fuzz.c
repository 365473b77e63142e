// Prepared models: a file whose bytes were changed, cut off or made longer is refused, and the
// model is made anew with the same numbers. The input is a list of changes: four bytes say
// where, the fifth is put there; what is left over says where the file ends.
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

static char folder[] = "/tmp/pir_cache_fuzz_XXXXXX", path[400];
static uint8_t *whole;
static size_t whole_size;
static float expected[6];

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

static void find_file(void) {
  DIR *dir = opendir(folder);
  struct dirent *entry;
  while (dir && (entry = readdir(dir)))
    if (strstr(entry->d_name, ".pirmodel"))
      snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
  if (dir)
    closedir(dir);
}

static void remove_folder(void) {
  unlink(path);
  rmdir(folder);
}

static void prepare(void) {
  struct stat st;
  if (!mkdtemp(folder))
    abort();
  pir_model *model = load();
  run(model, expected);
  pir_model_release(model);
  find_file();
  int fd = open(path, O_RDONLY);
  if (fd < 0 || fstat(fd, &st))
    abort();
  whole_size = (size_t)st.st_size;
  whole = malloc(whole_size);
  if (!whole || read(fd, whole, whole_size) != (ssize_t)whole_size)
    abort();
  close(fd);
  atexit(remove_folder);
}

// Returns whether the file differs from the one that was written, the rest of the header's page
// apart, which nothing reads.
static bool write_changed(const uint8_t *data, size_t size) {
  static uint8_t *changed;
  size_t length = whole_size;
  if (!changed)
    changed = malloc(2 * whole_size);
  memcpy(changed, whole, whole_size);
  memset(changed + whole_size, 0, whole_size);
  for (; size >= 5; data += 5, size -= 5) {
    uint32_t at;
    memcpy(&at, data, sizeof at);
    at %= (uint32_t)whole_size;
    if (at < HEADER || at >= PAGE)
      changed[at] = data[4];
  }
  if (size >= 2)
    length = (size_t)(data[0] << 8 | data[1]) % (2 * whole_size);
  FILE *f = fopen(path, "wb");
  if (!f || fwrite(changed, 1, length, f) != length || fclose(f))
    abort();
  return length != whole_size || memcmp(changed, whole, whole_size) != 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  float out[6];
  if (!whole)
    prepare();
  bool differs = write_changed(data, size);
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
