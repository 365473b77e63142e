// Finds a program's parameter file: by file names, then by content. A model folder may hold
// parameter files of several programs (one for the .json, one for the .pdmodel). So a file that
// does not fit the program's tensors is skipped if exactly one file beside it fits. Files that
// nearly fit count where none does. Reads only the headers of records.
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <pir/compiler/params.h>

#include <heap.h>

#include "mapping.h"

static bool is_file(const char *path) {
  struct stat info;
  return !stat(path, &info) && S_ISREG(info.st_mode);
}

static char *join_path(pir_str folder, pir_str name, const char *suffix) {
  size_t tail = strlen(suffix);
  char *path = malloc(folder.size + name.size + tail + 1);
  if (!path)
    return NULL;
  memcpy(path, folder.data, folder.size);
  memcpy(path + folder.size, name.data, name.size);
  memcpy(path + folder.size + name.size, suffix, tail + 1);
  return path;
}

static bool has_suffix(const char *name, const char *suffix) {
  size_t n = strlen(name), tail = strlen(suffix);
  return n > tail && !strcmp(name + n - tail, suffix);
}

// Whether the system failed, rather than refused this file.
static bool is_systems_failure(int error) {
  return error == ENOMEM || error == EMFILE || error == ENFILE || error == EIO;
}

// Calls `each` with the path of every .pdiparams of `folder` (with its slash; empty is the
// working folder), which is then the callee's. PIR_EXHAUSTED when memory is out.
static pir_status scan_combined(pir_str folder, void (*each)(void *user, char *path),
                                void *user) {
  char *path = join_path(folder, PIR_STR(""), folder.size ? "" : ".");
  if (!path)
    return PIR_EXHAUSTED;
  DIR *dir = opendir(path);
  bool failed = !dir && is_systems_failure(errno);
  free(path);
  for (struct dirent *entry; dir && !failed && (entry = readdir(dir));) {
    if (!has_suffix(entry->d_name, ".pdiparams"))
      continue;
    path = join_path(folder, pir_str_from(entry->d_name), "");
    failed = !path;
    if (path)
      each(user, path);
  }
  if (dir)
    closedir(dir);
  return failed ? PIR_EXHAUSTED : PIR_OK;
}

typedef struct single {
  char *path;
  size_t count;
} single;

static void take_single(void *user, char *path) {
  single *s = user;
  free(s->path);
  s->path = s->count++ ? NULL : path;
  if (s->count > 1)
    free(path);
}

// These return PIR_EXHAUSTED, or PIR_OK with *out_path NULL when there is no such file.

// Finds the only .pdiparams of `folder`.
static pir_status find_only_combined(pir_str folder, char **out_path) {
  single s = {0};
  pir_status status = scan_combined(folder, take_single, &s);
  if (status)
    free(s.path);
  *out_path = status ? NULL : s.path;
  return status;
}

// Finds the path `folder name suffix` if it is a file.
static pir_status find_existing(pir_str folder, pir_str name, const char *suffix,
                                char **out_path) {
  *out_path = join_path(folder, name, suffix);
  if (!*out_path)
    return PIR_EXHAUSTED;
  if (is_file(*out_path))
    return PIR_OK;
  free(*out_path);
  *out_path = NULL;
  return PIR_OK;
}

static pir_status find_old_layout(pir_str folder, pir_str base, char **out_path) {
  *out_path = NULL;
  if (pir_str_equal(base, PIR_STR("model")))
    return find_existing(folder, PIR_STR("params"), "", out_path);
  if (!pir_str_equal(base, PIR_STR("__model__")))
    return PIR_OK;
  PIR_TRY(find_existing(folder, PIR_STR("__params__"), "", out_path));
  if (!*out_path)
    *out_path = join_path(folder.size ? folder : PIR_STR("."), PIR_STR(""), "");
  return *out_path ? PIR_OK : PIR_EXHAUSTED;
}

static pir_str folder_of(const char *path) {
  const char *slash = strrchr(path, '/');
  return (pir_str){path, slash ? (size_t)(slash + 1 - path) : 0};
}

pir_status pir_params_find(const char *model_path, char **out_path) {
  if (!model_path || !out_path)
    return PIR_INVALID;
  pir_str folder = folder_of(model_path), base = pir_str_from(model_path + folder.size);
  const char *dot = strrchr(base.data, '.');
  pir_str stem = {base.data, dot && dot > base.data ? (size_t)(dot - base.data) : base.size};
  PIR_TRY(find_existing(folder, stem, ".pdiparams", out_path));
  if (!*out_path)
    PIR_TRY(find_only_combined(folder, out_path));
  if (!*out_path)
    PIR_TRY(find_old_layout(folder, base, out_path));
  return *out_path ? PIR_OK : PIR_NOT_FOUND;
}

// ---- by content

typedef struct choice {
  pir_context *ctx;
  const char *model_path;
  const pir_param_decl *decls;
  size_t count;
  char *named;           // the file found by name, whose tensors differ
  char *first, *second;  // files that fit, in bytewise order
  size_t seen;
  bool nearly;  // tensors may differ as those that Paddle quantised do
  int error;    // errno of the first file that could not be examined
} choice;

static void release_choice(void *user) {
  choice *c = user;
  free(c->named);
  free(c->first);
  free(c->second);
}

// A file that is refused does not count. A failure of the system ends the search, because that
// file might be the one.
static bool fits(choice *c, const char *path) {
  pir_borrowed bytes;
  int error = map_file(AT_FDCWD, path, true, &bytes);
  if (is_systems_failure(error) && !c->error)
    c->error = error;
  if (error)
    return false;
  bool same = records_fit(bytes, c->decls, c->count, c->nearly);
  pir_borrowed_release(bytes);
  return same;
}

static void try_file(void *user, char *path) {
  choice *c = user;
  c->seen++;
  bool other = (!c->named || strcmp(path, c->named)) && fits(c, path);
  if (other && (!c->first || strcmp(path, c->first) < 0)) {
    free(c->second);
    c->second = c->first;
    c->first = path;
  } else if (other && (!c->second || strcmp(path, c->second) < 0)) {
    free(c->second);
    c->second = path;
  } else {
    free(path);
  }
}

// The file that the candidates leave, if it is one.
static pir_status choose(const choice *c, const char **out_path) {
  pir_loc loc = pir_loc_text(c->ctx, pir_str_from(c->model_path), 0, 0);
  *out_path = c->first ? c->first : c->named;
  if (c->second)
    return pir_report(c->ctx, PIR_INVALID, PIR_ERROR, loc,
                      "the parameters of both '%s' and '%s' fit the program; name the file",
                      c->first, c->second);
  if (c->first && c->named)
    pir_ignore(pir_report(c->ctx, PIR_OK, PIR_NOTE, loc,
                          "parameters are those of '%s': '%s' has others", c->first, c->named));
  if (!*out_path && c->seen > 1)
    return pir_report(
        c->ctx, PIR_INVALID, PIR_ERROR, loc,
        "none of the %zu parameter files beside the program has its tensors; name the file",
        c->seen);
  return *out_path ? PIR_OK : PIR_NOT_FOUND;
}

static pir_status search(choice *c, const char **out_path) {
  pir_status status = pir_params_find(c->model_path, &c->named);
  if (status && status != PIR_NOT_FOUND)
    return status;
  *out_path = c->named;
  for (int nearly = 0; nearly < 2 && !c->first && !c->error; nearly++) {
    c->nearly = nearly;
    c->seen = 0;
    if (!status && (!has_suffix(c->named, ".pdiparams") || fits(c, c->named)))
      return PIR_OK;
    if (!c->error)
      PIR_TRY(scan_combined(folder_of(c->model_path), try_file, c));
  }
  if (!c->error)
    return choose(c, out_path);
  return pir_report(c->ctx, status_of_errno(c->error), PIR_ERROR,
                    pir_loc_text(c->ctx, pir_str_from(c->model_path), 0, 0),
                    "its parameter files cannot be read: %s", strerror(c->error));
}

pir_status params_choose(pir_context *ctx, const char *model_path, const pir_param_decl *decls,
                         size_t count, char **out_path) {
  choice c = {.ctx = ctx, .model_path = model_path, .decls = decls, .count = count};
  const char *chosen;
  pir_guard guard;
  *out_path = NULL;
  pir_guard_open(pir_context_heap(ctx), &guard, release_choice, &c);
  pir_status status = search(&c, &chosen);
  if (!status) {
    *out_path = strdup(chosen);
    status = *out_path ? PIR_OK : PIR_EXHAUSTED;
  }
  pir_guard_close(&guard);
  release_choice(&c);
  return status;
}
