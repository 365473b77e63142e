// Reads cases. Files are mapped one at a time, and each array is copied once.
#include <pir/layer/case_arrays.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_PATH = 4096, MAX_DEPTH = 16 };

// ---- one file

static pir_status refuse_file(const char *path, int error, char message[256]) {
  pir_text_format(message, 256, "%.150s: %s", path, strerror(error));
  if (error == ENOMEM)
    return PIR_EXHAUSTED;
  return error == ENOENT ? PIR_NOT_FOUND : PIR_IO;
}

// Maps a plain file, which may be empty. Returns 0 or an errno.
static int map_arrays(const char *path, pir_str *out_bytes) {
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), error = 0;
  struct stat info;
  *out_bytes = (pir_str){"", 0};
  if (fd < 0)
    return errno;
  if (fstat(fd, &info))
    error = errno;
  else if (!S_ISREG(info.st_mode))
    error = S_ISDIR(info.st_mode) ? EISDIR : EINVAL;
  if (!error && info.st_size > 0) {
    void *data = mmap(NULL, (size_t)info.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (data == MAP_FAILED)
      error = errno;
    else
      *out_bytes = (pir_str){data, (size_t)info.st_size};
  }
  close(fd);
  return error;
}

pir_status pir_npy_read_file(const char *path, pir_npy_set *out_set, char message[256]) {
  pir_str bytes;
  *out_set = (pir_npy_set){0};
  int error = map_arrays(path, &bytes);
  if (error)
    return refuse_file(path, error, message);
  pir_status status = pir_npy_read(path, bytes, out_set, message);
  if (bytes.size)
    munmap((void *)(uintptr_t)bytes.data, bytes.size);
  return status;
}

// ---- a case

static bool is_npy_of(const char *file, const char *prefix) {
  size_t size = strlen(file);
  return !strncmp(file, prefix, strlen(prefix)) && size > 4 && !strcmp(file + size - 4, ".npy");
}

bool pir_case_is_array(const char *file) {
  return is_npy_of(file, "in_") || is_npy_of(file, "out_");
}

static pir_status append_file(const char *path, pir_npy_set *set, char message[256]) {
  pir_npy_set one;
  PIR_TRY(pir_npy_read_file(path, &one, message));
  size_t count = set->count + one.count;
  pir_npy_array *grown = one.count ? realloc(set->arrays, count * sizeof *grown) : NULL;
  if (!grown) {
    pir_npy_set_release(&one);
    return refuse_file(path, ENOMEM, message);
  }
  memcpy(grown + set->count, one.arrays, one.count * sizeof *grown);
  set->arrays = grown;
  set->count = count;
  free(one.arrays);
  return PIR_OK;
}

static pir_status append_folder(const char *folder, bool inputs, pir_npy_set *set,
                                char message[256]) {
  char path[MAX_PATH];
  DIR *dir = opendir(folder);
  pir_status status = dir ? PIR_OK : refuse_file(folder, errno, message);
  for (struct dirent *entry; !status && (entry = readdir(dir));) {
    bool wanted = inputs ? is_npy_of(entry->d_name, "in_") : pir_case_is_array(entry->d_name);
    if (!wanted)
      continue;
    pir_text_format(path, sizeof path, "%s/%s", folder, entry->d_name);
    status = append_file(path, set, message);
  }
  if (dir)
    closedir(dir);
  return status;
}

pir_status pir_case_read(const char *folder, bool inputs, pir_npy_set *out_set,
                         char message[256]) {
  char path[MAX_PATH];
  *out_set = (pir_npy_set){0};
  pir_text_format(path, sizeof path, "%s/tensors.npz", folder);
  if (!access(path, R_OK))
    PIR_TRY(pir_npy_read_file(path, out_set, message));
  pir_status status = append_folder(folder, inputs, out_set, message);
  if (status)
    pir_npy_set_release(out_set);
  return status;
}

const pir_npy_array *pir_case_find(const pir_npy_set *set, const char *kind, const char *name) {
  char text[1024];
  pir_text_format(text, sizeof text, "%s_%s", kind, name);
  const pir_npy_array *found = pir_npy_find(set, text);
  if (found)
    return found;
  pir_text_format(text, sizeof text, "%s/%s", kind, name);
  return pir_npy_find(set, text);
}

const pir_npy_array *pir_case_input(const pir_npy_set *set, const char *name) {
  const pir_npy_array *found = pir_case_find(set, "in", name);
  return found ? found : pir_npy_find(set, name);
}

// ---- many

typedef struct walking {
  bool (*visit)(void *user, const char *folder, bool is_case);
  void *user;
} walking;

static bool walk_cases(const walking *w, const char *folder, int depth) {
  struct dirent **entries;
  bool is_case = false;
  errno = 0;
  int count = depth > MAX_DEPTH ? -1 : scandir(folder, &entries, NULL, alphasort);
  bool ok = count >= 0 || errno != ENOMEM;
  for (int i = 0; i < count; i++) {
    const char *name = entries[i]->d_name;
    char path[MAX_PATH];
    struct stat info;
    pir_text_format(path, sizeof path, "%s/%s", folder, name);
    if (!strcmp(name, "tensors.npz") || pir_case_is_array(name))
      is_case = true;
    else if (ok && name[0] != '.' && !stat(path, &info) && S_ISDIR(info.st_mode))
      ok = walk_cases(w, path, depth + 1);
    free(entries[i]);
  }
  if (count >= 0)
    free(entries);
  return ok && w->visit(w->user, folder, is_case);
}

bool pir_case_walk(const char *folder,
                   bool (*visit)(void *user, const char *folder, bool is_case), void *user) {
  return walk_cases(&(walking){visit, user}, folder, 0);
}
