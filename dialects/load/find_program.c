// Finds the program file of a folder: the only file that has a program's name and content.
// Reads the first few kilobytes of each candidate.
#include <pir/compiler/load.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <pir/compiler/formats.h>

enum { HEAD = 4096, MOST = 8 };

static bool ends_with(const char *name, const char *suffix) {
  size_t size = strlen(name), n = strlen(suffix);
  return size > n && strcmp(name + size - n, suffix) == 0;
}

// Whether `name` is one of the words, or ends with one that begins with a dot.
static bool is_listed(const char *name, const char *words) {
  char word[32];
  for (int n = 0; sscanf(words, " %31s%n", word, &n) == 1; words += n)
    if (word[0] == '.' ? ends_with(name, word) : strcmp(name, word) == 0)
      return true;
  return false;
}

// Returns the number of bytes at the start of a regular file; 0 if it cannot be read.
static size_t read_head(int folder, const char *name, char head[HEAD]) {
  struct stat info;
  int fd = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0)
    return 0;
  bool regular = fstat(fd, &info) == 0 && S_ISREG(info.st_mode);
  ssize_t size = regular ? read(fd, head, HEAD) : -1;
  close(fd);
  return size > 0 ? (size_t)size : 0;
}

// Whether the file has a program's name and begins like one. Model folders contain other files
// of the same format too, which do not have the format's mark.
static bool holds_program(int folder, const char *name) {
  char head[HEAD];
  size_t count;
  const pir_format_def *defs = pir_format_defs(&count);
  bool named = false;
  for (size_t i = 0; i < count; i++)
    named = named || (defs[i].files && is_listed(name, defs[i].files));
  size_t size = named ? read_head(folder, name, head) : 0;
  const pir_format_def *def = pir_format_find(pir_detect_format((pir_str){head, size}));
  if (!def || !def->read)
    return false;
  return !def->mark || memmem(head, size, def->mark, strlen(def->mark));
}

static int by_name(const void *a, const void *b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

// Lists the names of the programs in a folder, at most MOST. False if memory runs out.
static bool list_programs(DIR *folder, char *names[MOST], size_t *out_count) {
  *out_count = 0;
  for (struct dirent *entry; *out_count < MOST && (entry = readdir(folder));) {
    if (!holds_program(dirfd(folder), entry->d_name))
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
  if (!path || !out_path)
    return PIR_INVALID;
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
