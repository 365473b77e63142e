// Finds the program file of a folder: the only file that has a program's name and content.
// Reads the first few kilobytes of each candidate.
#include <pir/load.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <pir/serialize.h>

enum { HEAD = 4096, MOST = 8 };

static bool ends_with(const char *name, const char *suffix) {
  size_t size = strlen(name), n = strlen(suffix);
  return size > n && strcmp(name + size - n, suffix) == 0;
}

static bool is_called_like_one(const char *name) {
  return ends_with(name, ".json") || ends_with(name, ".pdmodel") || ends_with(name, ".pir") ||
         strcmp(name, "__model__") == 0 || strcmp(name, "model") == 0;
}

// Model folders contain other JSON files too; a program has a characteristic first key.
static bool holds_program(int folder, const char *name) {
  char head[HEAD];
  struct stat info;
  int fd = openat(folder, name, O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return false;
  bool regular = fstat(fd, &info) == 0 && S_ISREG(info.st_mode);
  ssize_t size = regular ? read(fd, head, sizeof head) : -1;
  close(fd);
  if (size <= 0)
    return false;
  pir_format format = pir_detect_format((pir_str){head, (size_t)size});
  if (format != PIR_FORMAT_JSON)
    return format == PIR_FORMAT_TEXT || format == PIR_FORMAT_PDMODEL;
  return memmem(head, (size_t)size, "\"base_code\"", strlen("\"base_code\"")) != NULL;
}

static int by_name(const void *a, const void *b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

// Lists the names of the programs in a folder, at most MOST. False if memory runs out.
static bool list_programs(DIR *folder, char *names[MOST], size_t *out_count) {
  *out_count = 0;
  for (struct dirent *entry; *out_count < MOST && (entry = readdir(folder));) {
    if (!is_called_like_one(entry->d_name) || !holds_program(dirfd(folder), entry->d_name))
      continue;
    if (!(names[*out_count] = strdup(entry->d_name)))
      return false;
    ++*out_count;
  }
  qsort(names, *out_count, sizeof *names, by_name);
  return true;
}

// Joins the names with ", "; NULL if memory runs out.
static char *comma_list(char *const *names, size_t count) {
  size_t size = 1;
  for (size_t i = 0; i < count; i++)
    size += strlen(names[i]) + 2;
  char *text = malloc(size), *at = text;
  if (!text)
    return NULL;
  *at = 0;
  for (size_t i = 0; i < count; i++)
    at = stpcpy(stpcpy(at, i ? ", " : ""), names[i]);
  return text;
}

// Returns the path of a file in a folder; NULL if memory runs out.
static char *path_in(const char *folder, const char *name) {
  size_t size = strlen(folder);
  char *path = malloc(size + strlen(name) + 2);
  const char *slash = size && folder[size - 1] == '/' ? "" : "/";
  if (path)
    stpcpy(stpcpy(stpcpy(path, folder), slash), name);
  return path;
}

// Finds the only program of a folder; if there are several, returns all their names.
static pir_status choose_program(char *const *names, size_t count, const char *folder,
                                 char **out_path) {
  if (count == 0)
    return PIR_NOT_FOUND;
  *out_path = count == 1 ? path_in(folder, names[0]) : comma_list(names, count);
  if (!*out_path)
    return PIR_EXHAUSTED;
  return count == 1 ? PIR_OK : PIR_INVALID;
}

static pir_status find_in(DIR *folder, const char *path, char **out_path) {
  char *names[MOST];
  size_t count;
  pir_status status = PIR_EXHAUSTED;
  if (list_programs(folder, names, &count))
    status = choose_program(names, count, path, out_path);
  for (size_t i = 0; i < count; i++)
    free(names[i]);
  return status;
}

pir_status pir_program_find(const char *path, char **out_path) {
  *out_path = NULL;
  DIR *folder = opendir(path);
  if (!folder && errno == ENOMEM)
    return PIR_EXHAUSTED;
  if (!folder) {
    *out_path = strdup(path);
    return *out_path ? PIR_OK : PIR_EXHAUSTED;
  }
  pir_status status = find_in(folder, path, out_path);
  closedir(folder);
  return status;
}
