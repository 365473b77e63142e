// Samples: the cases below a folder (pir/layer/case_arrays.h); or if there is none, the .npz
// and .npy files in it, each of which is a sample. A .npy file is for a program with one input.
// One sample at a time is in memory.
#include "quantise.h"
#include "model_impl.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_PATH = 4096 };

// ---- finding them

static bool add_sample(quantising *q, const char *path) {
  if (q->sample_count == q->sample_capacity) {
    size_t capacity = q->sample_capacity ? q->sample_capacity * 2 : 64;
    char **grown = realloc(q->samples, capacity * sizeof *grown);
    if (!grown)
      return false;
    q->samples = grown;
    q->sample_capacity = capacity;
  }
  char *copy = strdup(path);
  if (copy)
    q->samples[q->sample_count++] = copy;
  return copy != NULL;
}

// Ends the walk when the work has to end.
static bool add_case(void *user, const char *folder, bool is_case) {
  quantising *q = user;
  if (q->heap->watched && pir_watch_ended(&q->heap->watch))
    return false;
  return !is_case || add_sample(q, folder);
}

static bool is_array_file(const char *name) {
  size_t size = strlen(name);
  const char *end = size > 4 ? name + size - 4 : "";
  return !strcmp(end, ".npy") || !strcmp(end, ".npz");
}

static bool add_files(quantising *q, const char *folder) {
  struct dirent **entries;
  int count = scandir(folder, &entries, NULL, alphasort);
  bool ok = count >= 0;
  for (int i = 0; i < count; i++) {
    char path[MAX_PATH];
    pir_text_format(path, sizeof path, "%s/%s", folder, entries[i]->d_name);
    if (ok && is_array_file(entries[i]->d_name))
      ok = add_sample(q, path);
    free(entries[i]);
  }
  if (count >= 0)
    free(entries);
  return ok;
}

static pir_loc place_of(quantising *q, const char *path) {
  return pir_loc_text(q->ctx, pir_str_from(path), 0, 0);
}

pir_status samples_find(quantising *q, pir_str folder, int64_t most) {
  const char *path = pir_arena_text(&q->arena, folder).data;
  struct stat info;
  if (stat(path, &info) || (S_ISDIR(info.st_mode) && access(path, R_OK | X_OK)))
    return pir_report(q->ctx, errno == ENOENT ? PIR_NOT_FOUND : PIR_IO, PIR_ERROR,
                      place_of(q, path), "calibration data: %s", strerror(errno));
  if (!S_ISDIR(info.st_mode))
    return pir_report(q->ctx, PIR_INVALID, PIR_ERROR, place_of(q, path),
                      "calibration data: not a folder");
  bool ok = pir_case_walk(path, add_case, q);
  pir_heap_poll(q->heap);
  if (ok && !q->sample_count)
    ok = add_files(q, path);
  if (!ok)
    pir_heap_fail(q->heap);
  if (!q->sample_count)
    return pir_report(q->ctx, PIR_INVALID, PIR_ERROR, place_of(q, path),
                      "calibration data: no case, no .npz and no .npy file");
  while (most && q->sample_count > (size_t)most)
    free(q->samples[--q->sample_count]);
  return PIR_OK;
}

// ---- models

static uint64_t rest_of_time(const quantising *q) {
  const pir_watch *watch = &q->heap->watch;
  uint64_t now = pir_exec_now_ns();
  if (!q->heap->watched || !watch->deadline)
    return 0;
  return watch->deadline > now ? watch->deadline - now : 1;
}

static void keep_reason(void *user, const pir_diag *diag) {
  pir_message *message = user;
  pir_text_format(message->text, sizeof message->text, "%.*s", (int)diag->message.size,
                  diag->message.data);
}

pir_status runner_open(quantising *q, const pir_program *program, runner *r) {
  pir_model_options how = {.size = sizeof how, .pipeline = "kernels", .any_float = true};
  pir_message message = {{0}};
  pir_session_options session = {.size = sizeof session,
                                 .threads = pir_model_threads(0),
                                 .cancel = q->heap->watched ? q->heap->watch.cancel : NULL,
                                 .max_bytes = pir_context_limits(q->ctx)->max_bytes,
                                 .max_ns = rest_of_time(q),
                                 .sink = {keep_reason, &message}};
  PIR_TRY(pir_model_create(program, &how, &r->model));
  pir_status status = pir_session_create(r->model, &session, &r->session);
  return status ? pir_report(q->ctx, status, PIR_ERROR, PIR_LOC_UNKNOWN,
                             "quantise_pass: the program cannot be run: %s", message.text)
                : PIR_OK;
}

void runner_close(runner *r) {
  pir_session_destroy(r->session);
  pir_model_release(r->model);
  *r = (runner){0};
}

// ---- running

static bool is_finite(const pir_tensor *tensor) {
  int64_t n = pir_dtype_is_float(tensor->dtype) ? pir_tensor_numel(tensor) : 0;
  bool plain = tensor->dtype == PIR_F32 && pir_tensor_is_dense(tensor);
  const float *data = tensor->data;
  for (int64_t i = 0; i < n; i++)
    if (!isfinite(plain ? (double)data[i] : pir_tensor_float_at(tensor, i)))
      return false;
  return true;
}

// Refuses sequence offsets, which stand beside the arrays.
static pir_status check_offsets(quantising *q, const char *path) {
  DIR *dir = opendir(path);
  bool offsets = false;
  for (struct dirent *entry; dir && (entry = readdir(dir));)
    offsets |= !strncmp(entry->d_name, "lod_", 4);
  if (dir)
    closedir(dir);
  return offsets ? pir_report(q->ctx, PIR_UNSUPPORTED, PIR_ERROR, place_of(q, path),
                              "unsupported: calibration data with offsets of sequences")
                 : PIR_OK;
}

pir_status sample_read(quantising *q, size_t sample) {
  const char *path = q->samples[sample];
  char message[256] = "";
  struct stat info;
  pir_npy_set_release(&q->set);
  bool is_case = !stat(path, &info) && S_ISDIR(info.st_mode);
  if (is_case)
    PIR_TRY(check_offsets(q, path));
  pir_status status = is_case ? pir_case_read(path, true, &q->set, message)
                              : pir_npy_read_file(path, &q->set, message);
  if (status)
    return pir_report(q->ctx, status, PIR_ERROR, place_of(q, path), "%s",
                      *message ? message : "out of memory");
  return PIR_OK;
}

static pir_npy_array *find_input(quantising *q, const runner *r, const char *name) {
  const pir_npy_array *found = pir_case_input(&q->set, name);
  if (!found && q->set.count == 1 && pir_model_inputs(r->model) == 1)
    found = q->set.arrays;
  return (pir_npy_array *)(uintptr_t)found;
}

static pir_status bind_input(quantising *q, runner *r, size_t i, size_t sample) {
  pir_port port = {.size = sizeof port};
  pir_loc place = place_of(q, q->samples[sample]);
  PIR_TRY(pir_model_input(r->model, i, &port));
  pir_npy_array *array = find_input(q, r, port.name.data);
  if (!array)
    return pir_report(q->ctx, PIR_INVALID, PIR_ERROR, place, "the sample has no input \"%s\"",
                      port.name.data);
  pir_npy_view_as(&array->tensor, port.dtype);
  if (!is_finite(&array->tensor))
    return pir_report(q->ctx, PIR_INVALID, PIR_ERROR, place,
                      "input \"%s\" of the sample has numbers that are not finite",
                      port.name.data);
  pir_status status = pir_session_bind_input(r->session, i, &array->tensor);
  return status ? pir_report(q->ctx, status, PIR_ERROR, place, "%s",
                             pir_session_message(r->session))
                : PIR_OK;
}

pir_status runner_run(quantising *q, runner *r, size_t sample) {
  pir_heap_poll(q->heap);
  for (size_t i = 0; i < pir_model_inputs(r->model); i++)
    PIR_TRY(bind_input(q, r, i, sample));
  pir_status status = pir_session_run(r->session);
  return status ? pir_report(q->ctx, status, PIR_ERROR, place_of(q, q->samples[sample]),
                             "the program does not run on the sample: %s",
                             pir_session_message(r->session))
                : PIR_OK;
}

pir_status runner_shown(const runner *r, size_t *out_outputs, size_t count) {
  for (size_t i = 0; i < pir_model_outputs(r->model); i++) {
    pir_port port = {.size = sizeof port};
    uint64_t k;
    PIR_TRY(pir_model_output(r->model, i, &port));
    if (quantise_shown_number(port.name, &k) && k < count)
      out_outputs[k] = i;
  }
  return PIR_OK;
}
