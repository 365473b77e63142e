// Runs a compiled model with the runtime library alone on recorded inputs, and compares the
// outputs: run_case [--weights=FILE] [--target=NAME] MODEL CASE THREADS ATOL RTOL RTOL_MAX
// [OUTPUT..]. A shared object is loaded, and has the model of its file's name. CASE is a folder
// as of pir-run --case; outputs that are named by their number are not compared. It ends with 4
// where an output differs.
#include <pir/layer/npy.h>

#include <pir/engine/compiled.h>

#include <dirent.h>
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct tolerance {
  double atol, rtol, rtol_max;
} tolerance;

static void report(void *user, const pir_diag *diag) {
  fprintf(stderr, "%.*s\n", (int)diag->message.size, diag->message.data);
}

static char *read_bytes(const char *path, size_t *out_size) {
  FILE *file = fopen(path, "rb");
  if (!file)
    return NULL;
  fseek(file, 0, SEEK_END);
  long size = ftell(file);
  rewind(file);
  char *bytes = size >= 0 ? malloc((size_t)size + 1) : NULL;
  *out_size = bytes ? fread(bytes, 1, (size_t)size, file) : 0;
  fclose(file);
  return bytes;
}

static bool is_array_file(const char *name) {
  size_t size = strlen(name);
  bool prefixed = !strncmp(name, "in_", 3) || !strncmp(name, "out_", 4);
  return prefixed && size > 4 && !strcmp(name + size - 4, ".npy");
}

static bool append_file(const char *path, pir_npy_set *set) {
  char message[256];
  size_t size;
  pir_npy_set one = {0};
  char *bytes = read_bytes(path, &size);
  bool read = bytes && !pir_npy_read(path, (pir_str){bytes, size}, &one, message);
  free(bytes);
  pir_npy_array *grown =
      read ? realloc(set->arrays, (set->count + one.count) * sizeof *grown) : NULL;
  if (!grown) {
    fprintf(stderr, "%s cannot be read\n", path);
    return false;
  }
  memcpy(grown + set->count, one.arrays, one.count * sizeof *grown);
  set->arrays = grown;
  set->count += one.count;
  free(one.arrays);
  return true;
}

static bool read_case(const char *folder, pir_npy_set *set) {
  char path[4096];
  DIR *dir = opendir(folder);
  bool good = dir;
  for (struct dirent *entry; good && (entry = readdir(dir));) {
    snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
    if (is_array_file(entry->d_name) || !strcmp(entry->d_name, "tensors.npz"))
      good = append_file(path, set);
  }
  if (dir)
    closedir(dir);
  return good;
}

static const pir_npy_array *find_array(const pir_npy_set *set, const char *kind, pir_str name) {
  static const char separators[] = "_/";
  for (int i = 0; separators[i]; i++) {
    char text[1024];
    snprintf(text, sizeof text, "%s%c%.*s", kind, separators[i], (int)name.size, name.data);
    const pir_npy_array *found = pir_npy_find(set, text);
    if (found)
      return found;
  }
  return NULL;
}

static pir_tensor as_real(pir_tensor t) {
  if (!pir_dtype_is_complex(t.dtype))
    return t;
  t.dtype = t.dtype == PIR_C64 ? PIR_F32 : PIR_F64;
  for (int i = 0; i < t.rank; i++)
    t.strides[i] *= 2;
  t.shape[t.rank] = 2;
  t.strides[t.rank++] = 1;
  return t;
}

static bool same_strings(const pir_tensor *got, const pir_tensor *want, size_t output) {
  for (int64_t i = 0, n = pir_tensor_numel(got); i < n; i++)
    if (!pir_str_equal(((const pir_str *)got->data)[i], ((const pir_str *)want->data)[i])) {
      fprintf(stderr, "output %zu [%lld]: another string\n", output, (long long)i);
      return false;
    }
  return true;
}

static bool agrees(pir_tensor got, pir_tensor want, const tolerance *by, size_t output) {
  got = as_real(got);
  want = as_real(want);
  bool same = got.rank == want.rank;
  for (int i = 0; same && i < got.rank; i++)
    same = got.shape[i] == want.shape[i];
  if (!same || got.dtype != want.dtype) {
    fprintf(stderr, "output %zu has another shape or type\n", output);
    return false;
  }
  if (got.dtype == PIR_PSTRING)
    return same_strings(&got, &want, output);
  int64_t count = pir_tensor_numel(&got);
  double largest = 0;
  for (int64_t i = 0; i < count; i++) {
    double w = fabs(pir_tensor_float_at(&want, i));
    largest = isfinite(w) && w > largest ? w : largest;
  }
  for (int64_t i = 0; i < count; i++) {
    double g = pir_tensor_float_at(&got, i), w = pir_tensor_float_at(&want, i);
    double allowed = by->atol + by->rtol * fabs(w) + by->rtol_max * largest;
    if (g == w || (isnan(g) && isnan(w)) || fabs(g - w) <= allowed)
      continue;
    fprintf(stderr, "output %zu [%lld]: %g, expected %g\n", output, (long long)i, g, w);
    return false;
  }
  return true;
}

// NumPy has no bfloat16: a case may keep its bits as integers.
static bool bind(pir_session *session, const pir_model *model, size_t i,
                 const pir_npy_set *set) {
  pir_port port = {.size = sizeof port};
  if (pir_model_input(model, i, &port))
    return false;
  const pir_npy_array *array = find_array(set, "in", port.name);
  if (!array) {
    fprintf(stderr, "the case has no input %.*s\n", (int)port.name.size, port.name.data);
    return false;
  }
  pir_tensor tensor = array->tensor;
  if (port.dtype == PIR_BF16 && tensor.dtype == PIR_U16)
    tensor.dtype = PIR_BF16;
  return !pir_session_bind_input(session, i, &tensor);
}

static bool compare(pir_session *session, size_t i, const pir_npy_set *set,
                    const tolerance *by) {
  char number[32];
  snprintf(number, sizeof number, "%zu", i);
  const pir_npy_array *want = find_array(set, "out", pir_str_from(number));
  pir_tensor got, expected;
  if (pir_session_output(session, i, &got) || !want) {
    fprintf(stderr, "output %zu is not there\n", i);
    return false;
  }
  expected = want->tensor;
  if (got.dtype == PIR_BF16 && expected.dtype == PIR_U16)
    expected.dtype = PIR_BF16;
  return agrees(got, expected, by, i);
}

// The outputs that are not compared, by number.
typedef struct ignored {
  char **numbers;
  int count;
} ignored;

static bool is_ignored(const ignored *which, size_t output) {
  for (int i = 0; i < which->count; i++)
    if ((size_t)atol(which->numbers[i]) == output)
      return true;
  return false;
}

static bool run_case(pir_model *model, const pir_npy_set *set, int threads, const tolerance *by,
                     const ignored *which) {
  pir_session_options how = {.size = sizeof how, .threads = threads, .sink = {report, NULL}};
  pir_session *session;
  if (pir_session_create(model, &how, &session))
    return false;
  bool good = true;
  for (size_t i = 0; i < pir_model_inputs(model) && good; i++)
    good = bind(session, model, i, set);
  good = good && !pir_session_run(session);
  if (!good)
    fprintf(stderr, "%s\n", pir_session_message(session));
  for (size_t i = 0; i < pir_model_outputs(model) && good; i++)
    good = is_ignored(which, i) || compare(session, i, set, by);
  pir_session_destroy(session);
  return good;
}

// The library stays loaded, because the model lies in it.
static pir_status open_library(const char *path, const pir_open_options *how,
                               pir_model **out_model) {
  char symbol[256];
  const char *slash = strrchr(path, '/');
  const char *name = slash ? slash + 1 : path;
  snprintf(symbol, sizeof symbol, "pir_model_%.*s", (int)strcspn(name, "."), name);
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  const pir_borrowed *file = library ? dlsym(library, symbol) : NULL;
  if (file)
    return pir_model_open(*file, how, out_model);
  fprintf(stderr, "%s\n", dlerror());
  return PIR_NOT_FOUND;
}

static pir_status open_model(const char *path, const pir_open_options *how,
                             pir_model **out_model) {
  size_t size = strlen(path);
  return size > 3 && !strcmp(path + size - 3, ".so")
             ? open_library(path, how, out_model)
             : pir_model_open_file(path, how, out_model);
}

// Takes the options from the front of the arguments; returns their number.
static int read_options(int argc, char **argv, pir_open_options *how) {
  static const char weights[] = "--weights=", target[] = "--target=";
  int i = 1;
  for (; i < argc; i++) {
    if (!strncmp(argv[i], weights, sizeof weights - 1))
      how->weights = argv[i] + sizeof weights - 1;
    else if (!strncmp(argv[i], target, sizeof target - 1))
      how->target = argv[i] + sizeof target - 1;
    else
      break;
  }
  return i - 1;
}

int main(int argc, char **argv) {
  pir_open_options how = {.size = sizeof how, .sink = {report, NULL}};
  int options = read_options(argc, argv, &how);
  argc -= options;
  argv += options;
  if (argc < 7) {
    fprintf(stderr, "usage: run_case MODEL CASE THREADS ATOL RTOL RTOL_MAX [OUTPUT..]\n");
    return 2;
  }
  pir_model *model;
  pir_status status = open_model(argv[1], &how, &model);
  if (status)
    return 1;
  tolerance by = {atof(argv[4]), atof(argv[5]), atof(argv[6])};
  ignored which = {argv + 7, argc - 7};
  pir_npy_set set = {0};
  bool good = read_case(argv[2], &set) && run_case(model, &set, atoi(argv[3]), &by, &which);
  pir_npy_set_release(&set);
  pir_model_release(model);
  return good ? 0 : 4;
}
