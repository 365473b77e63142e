// Finds a program's parameter file: by file names, then by content. A model folder may hold
// parameter files of several programs (one for the .json, one for the .pdmodel). So a file that
// does not fit the program's tensors is skipped if exactly one file beside it fits. Reads only
// the headers of records.
#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <pir/params.h>

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

// Calls `each` for the .pdiparams of `folder` (with its slash; empty is the working folder).
static void scan_combined(pir_str folder, void (*each)(void *user, char *path), void *user) {
  char *path = join_path(folder, PIR_STR(""), folder.size ? "" : ".");
  DIR *dir = path ? opendir(path) : NULL;
  free(path);
  if (!dir)
    return;
  for (struct dirent *entry; (entry = readdir(dir));)
    if (has_suffix(entry->d_name, ".pdiparams"))
      each(user, join_path(folder, pir_str_from(entry->d_name), ""));
  closedir(dir);
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

// Returns the only .pdiparams of `folder`, or NULL.
static char *only_combined(pir_str folder) {
  single s = {0};
  scan_combined(folder, take_single, &s);
  return s.path;
}

// Returns the path `folder name suffix` if it is a file, else NULL.
static char *existing(pir_str folder, pir_str name, const char *suffix) {
  char *path = join_path(folder, name, suffix);
  if (path && is_file(path))
    return path;
  free(path);
  return NULL;
}

static char *find_old_layout(pir_str folder, pir_str base) {
  bool hidden = pir_str_equal(base, PIR_STR("__model__"));
  char *found = NULL;
  if (!hidden && !pir_str_equal(base, PIR_STR("model")))
    return NULL;
  found = hidden ? existing(folder, PIR_STR("__params__"), "")
                 : existing(folder, PIR_STR("params"), "");
  if (!found && hidden)
    found = folder.size ? join_path(folder, PIR_STR(""), "")
                        : join_path(PIR_STR("."), PIR_STR(""), "");
  return found;
}

static pir_str folder_of(const char *path) {
  const char *slash = strrchr(path, '/');
  return (pir_str){path, slash ? (size_t)(slash + 1 - path) : 0};
}

pir_status pir_params_find(const char *model_path, char **out_path) {
  pir_str folder = folder_of(model_path), base = pir_str_from(model_path + folder.size);
  const char *dot = strrchr(base.data, '.');
  pir_str stem = {base.data, dot && dot > base.data ? (size_t)(dot - base.data) : base.size};
  *out_path = existing(folder, stem, ".pdiparams");
  if (!*out_path)
    *out_path = only_combined(folder);
  if (!*out_path)
    *out_path = find_old_layout(folder, base);
  return *out_path ? PIR_OK : PIR_NOT_FOUND;
}

// ---- by content

typedef struct choice {
  const pir_param_decl *decls;
  size_t count;
  const char *passed;    // the file found by name
  char *first, *second;  // files that fit, in bytewise order
  size_t seen;
} choice;

static bool fits(const choice *c, const char *path) {
  pir_borrowed bytes;
  if (map_file(AT_FDCWD, path, true, &bytes))
    return false;
  bool same = records_fit(bytes, c->decls, c->count);
  if (bytes.release)
    bytes.release(bytes.user);
  return same;
}

static void try_file(void *user, char *path) {
  choice *c = user;
  if (!path)
    return;
  c->seen++;
  bool other = (!c->passed || strcmp(path, c->passed)) && fits(c, path);
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

static pir_status choose(pir_context *ctx, choice *c, const char *model_path, char *named,
                         char **out_path) {
  pir_loc loc = pir_loc_text(ctx, pir_str_from(model_path), 0, 0);
  *out_path = NULL;
  if (c->second)
    return pir_report(ctx, PIR_INVALID, PIR_ERROR, loc,
                      "the parameters of both '%s' and '%s' fit the program; name the file",
                      c->first, c->second);
  if (c->first) {
    if (named)
      (void)pir_report(ctx, PIR_OK, PIR_NOTE, loc,
                       "parameters are those of '%s': '%s' has others", c->first, named);
    *out_path = c->first;
    c->first = NULL;
    return PIR_OK;
  }
  if (!named && c->seen > 1)
    return pir_report(
        ctx, PIR_INVALID, PIR_ERROR, loc,
        "none of the %zu parameter files beside the program has its tensors; name the file",
        c->seen);
  if (!named)
    return PIR_NOT_FOUND;
  *out_path = strdup(named);
  return *out_path ? PIR_OK : PIR_EXHAUSTED;
}

pir_status params_choose(pir_context *ctx, const char *model_path, const pir_param_decl *decls,
                         size_t count, char **out_path) {
  choice c = {.decls = decls, .count = count};
  char *named = NULL;
  if (!pir_params_find(model_path, &named) &&
      (!has_suffix(named, ".pdiparams") || fits(&c, named))) {
    *out_path = named;
    return PIR_OK;
  }
  c.passed = named;
  scan_combined(folder_of(model_path), try_file, &c);
  pir_status status = choose(ctx, &c, model_path, named, out_path);
  free(named);
  free(c.first);
  free(c.second);
  return status;
}
