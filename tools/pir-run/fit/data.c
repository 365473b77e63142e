// The samples of a training: arrays whose first axis counts them, one for each input. The order
// of an epoch is a permutation that depends on the seed and the number of the epoch alone, so
// that a run which goes on in the middle of an epoch has the same.
#include "fit.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

// ---- reading

static bool ends_in(const char *name, const char *ending) {
  size_t n = strlen(name), k = strlen(ending);
  return n > k && !strcmp(name + n - k, ending);
}

static int append_arrays(const cli_run *cli, pir_npy_set *to, pir_npy_set *from) {
  pir_npy_array *all = realloc(to->arrays, (to->count + from->count + 1) * sizeof *to->arrays);
  if (!all) {
    pir_npy_set_release(from);
    return cli_fail(cli, CLI_LIMIT, "out of memory");
  }
  to->arrays = all;
  for (size_t i = 0; i < from->count; i++)
    to->arrays[to->count++] = from->arrays[i];
  free(from->arrays);
  return 0;
}

static int read_entries(const cli_run *cli, const char *path, DIR *folder, pir_npy_set *out) {
  char file[4096];
  int code = 0;
  for (struct dirent *entry; !code && (entry = readdir(folder));) {
    if (!ends_in(entry->d_name, ".npy") || entry->d_name[0] == '.')
      continue;
    pir_npy_set one;
    int n = snprintf(file, sizeof file, "%s/%s", path, entry->d_name);
    if (n < 0 || (size_t)n >= sizeof file)
      return cli_fail(cli, CLI_INVALID, "%s: the path is too long", path);
    code = run_read_arrays(cli, file, &one);
    if (!code)
      code = append_arrays(cli, out, &one);
  }
  return code;
}

int fit_read_folder(const cli_run *cli, const char *path, pir_npy_set *out) {
  struct stat info;
  *out = (pir_npy_set){0};
  if (stat(path, &info) || !S_ISDIR(info.st_mode))
    return run_read_arrays(cli, path, out);
  DIR *folder = opendir(path);
  if (!folder)
    return cli_fail(cli, CLI_INVALID, "%s: cannot read the folder", path);
  int code = read_entries(cli, path, folder, out);
  (void)closedir(folder);
  return code;
}

// ---- which array is for which input

static void print_extents(char *text, size_t room, const int64_t *shape, int rank) {
  size_t used = 0;
  *text = 0;
  for (int i = 0; i < rank && used + 24 < room; i++) {
    bool open = shape[i] < 0;
    const char *comma = i ? "," : "";
    used += (size_t)(open ? snprintf(text + used, room - used, "%s?", comma)
                          : snprintf(text + used, room - used, "%s%" PRId64, comma, shape[i]));
  }
}

bool fit_array_is(pir_npy_array *array, pir_dtype dtype, const int64_t *shape, int rank,
                  char why[512]) {
  const pir_tensor *t = &array->tensor;
  char has[160], takes[160];
  pir_npy_view_as(&array->tensor, dtype);
  bool fits = t->dtype == dtype && t->rank == rank;
  for (int i = 0; fits && i < rank; i++)
    fits = shape[i] < 0 || shape[i] == t->shape[i];
  print_extents(has, sizeof has, t->shape, t->rank);
  print_extents(takes, sizeof takes, shape, rank);
  if (!fits)
    snprintf(why, 512, "the array of --init is %s [%s], expected %s [%s]",
             pir_dtype_name(t->dtype), has, pir_dtype_name(dtype), takes);
  return fits;
}

// Whether samples fit an input; the first axis is not compared.
static bool sample_fits(const pir_port *port, const pir_tensor *t) {
  bool fits = port->rank < 0 || port->rank == t->rank;
  for (int i = 1; fits && i < port->rank; i++)
    fits = port->shape[i] < 0 || port->shape[i] == t->shape[i];
  return fits;
}

static int check_samples(const fit *f, const char *path, const pir_port *port,
                         const pir_tensor *t) {
  char has[256], takes[256];
  const cli_run *cli = f->r->cli;
  if (t->rank < 1)
    return cli_fail(cli, CLI_INVALID, "%s: %s has no axis that counts samples", path,
                    port->name.data);
  if (t->dtype != port->dtype)
    return cli_fail(cli, CLI_INVALID, "%s: %s has elements of %s, the input takes %s", path,
                    port->name.data, pir_dtype_name(t->dtype), pir_dtype_name(port->dtype));
  print_extents(has, sizeof has, t->shape, t->rank);
  print_extents(takes, sizeof takes, port->shape, port->rank);
  if (!sample_fits(port, t))
    return cli_fail(cli, CLI_INVALID, "%s: %s has shape [%s], the input takes [%s]", path,
                    port->name.data, has, takes);
  if (f->feed_count && (uint64_t)t->shape[0] != f->samples)
    return cli_fail(cli, CLI_INVALID, "%s: %s has %" PRId64 " samples, %s has %" PRIu64, path,
                    port->name.data, t->shape[0], f->feeds[0].all->name, f->samples);
  return 0;
}

// Elements become row-major, so that a sample is one piece of memory.
int fit_make_dense(const fit *f, pir_npy_array *array) {
  pir_tensor dense = array->tensor;
  size_t bytes;
  if (pir_tensor_is_dense(&array->tensor) || array->tensor.dtype == PIR_PSTRING)
    return 0;
  pir_tensor_set_dense(&dense, dense.dtype, dense.shape, dense.rank);
  if (pir_shape_bytes(dense.shape, dense.rank, dense.dtype, &bytes))
    return cli_fail(f->r->cli, CLI_LIMIT, "%s is too large", array->name);
  dense.data = aligned_alloc(64, (bytes + 64) & ~(size_t)63);
  if (!dense.data || pir_tensor_copy(&array->tensor, &dense)) {
    free(dense.data);
    return cli_fail(f->r->cli, CLI_LIMIT, "out of memory for %s", array->name);
  }
  free(array->tensor.data);
  array->tensor = dense;
  return 0;
}

static int take_samples(fit *f, const char *path, size_t input) {
  pir_port port = input_port(f->r->model, input);
  for (size_t i = 0; i < f->data.count; i++) {
    pir_npy_array *array = &f->data.arrays[i];
    if (strcmp(array->name, port.name.data))
      continue;
    pir_npy_view_as(&array->tensor, port.dtype);
    int code = check_samples(f, path, &port, &array->tensor);
    if (!code)
      code = fit_make_dense(f, array);
    if (code)
      return code;
    pir_tensor row = array->tensor;
    row.shape[0] = 1;
    fit_feed *feed = &f->feeds[f->feed_count++];
    *feed = (fit_feed){.input = input, .all = array};
    f->samples = (uint64_t)array->tensor.shape[0];
    return pir_shape_bytes(row.shape, row.rank, row.dtype, &feed->row_bytes) ? CLI_LIMIT : 0;
  }
  return cli_fail(f->r->cli, CLI_INVALID, "%s: there is no array \"%s\", an input of the model",
                  path, port.name.data);
}

int fit_read_data(fit *f, const char *path) {
  size_t inputs = pir_model_inputs(f->r->model);
  int code = fit_read_folder(f->r->cli, path, &f->data);
  f->feeds = calloc(inputs + 1, sizeof *f->feeds);
  if (!code && !f->feeds)
    code = cli_fail(f->r->cli, CLI_LIMIT, "out of memory");
  for (size_t i = 0; i < inputs && !code; i++)
    if (!fit_is_state(f, i) && !f->r->inputs[i].tensor.data)
      code = take_samples(f, path, i);
  if (!code && !f->samples)
    code = cli_fail(f->r->cli, CLI_INVALID, "%s: there are no samples", path);
  f->order = code ? NULL : calloc(f->samples, sizeof *f->order);
  return code || f->order ? code : cli_fail(f->r->cli, CLI_LIMIT, "out of memory");
}

// ---- order

// Sets the order of the samples in an epoch, which depends on the seed and the epoch alone:
// Fisher and Yates, with draws of splitmix64. A draw below n is the upper half of its product
// with n.
static void set_order(fit *f, uint64_t epoch) {
  uint64_t state = f->shuffle_seed;
  state = cli_random(&state) ^ epoch;
  for (uint64_t i = 0; i < f->samples; i++)
    f->order[i] = i;
  for (uint64_t i = f->samples; f->shuffles && i > 1; i--) {
    uint64_t k = (uint64_t)((unsigned __int128)cli_random(&state) * i >> 64);
    uint64_t at = f->order[i - 1];
    f->order[i - 1] = f->order[k];
    f->order[k] = at;
  }
}

int fit_feed_step(fit *f, uint64_t step) {
  uint64_t at = step % f->steps_an_epoch, first = at * f->batch;
  uint64_t count = at + 1 == f->steps_an_epoch ? f->last_batch : f->batch;
  if (!at || step == f->begun)
    set_order(f, step / f->steps_an_epoch);
  for (size_t i = 0; i < f->feed_count; i++) {
    const fit_feed *feed = &f->feeds[i];
    pir_npy_array *to = &f->r->inputs[feed->input];
    if (!to->tensor.data || (uint64_t)to->tensor.shape[0] != count) {
      int64_t shape[PIR_MAX_RANK];
      memcpy(shape, feed->all->tensor.shape, sizeof shape);
      shape[0] = (int64_t)count;
      int code = run_make_input(f->r, feed->input, shape, feed->all->tensor.rank, false, 0);
      if (code)
        return code;
    }
    const char *all = feed->all->tensor.data;
    char *row = to->tensor.data;
    for (uint64_t k = 0; k < count; k++, row += feed->row_bytes)
      memcpy(row, all + f->order[first + k] * feed->row_bytes, feed->row_bytes);
  }
  return 0;
}
