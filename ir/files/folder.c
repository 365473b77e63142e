// The library sets the access time of a file itself, so the time shows the last use even if the
// file system does not record it. An unpublished file belongs to a dead writer if nothing was
// written to it for an hour.
#include <folder.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { MOST_LISTED = 8192, ABANDONED_SECONDS = 3600 };

// Whether another user could have written to a file or folder.
static bool is_open_to_others(const struct stat *st) {
  return st->st_uid != geteuid() || (st->st_mode & 022);
}

int pir_folder_open(const char *path) {
  if (mkdir(path, 0700) && errno != EEXIST)
    return -1;
  int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  struct stat st;
  if (fd >= 0 && (fstat(fd, &st) || is_open_to_others(&st))) {
    close(fd);
    return -1;
  }
  return fd;
}

int pir_folder_find(int folder, const char *name) {
  int fd = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  struct timespec times[2] = {{.tv_nsec = UTIME_NOW}, {.tv_nsec = UTIME_OMIT}};
  struct stat st;
  if (fd >= 0 && (fstat(fd, &st) || !S_ISREG(st.st_mode) || is_open_to_others(&st))) {
    close(fd);
    return -1;
  }
  if (fd >= 0)
    (void)futimens(fd, times);  // a read-only folder may refuse
  return fd;
}

bool pir_folder_begin(int folder, const char *name, pir_new_file *out_file) {
  return pir_new_file_create(folder, name, 0600, out_file);
}

// ---- letting go

typedef struct entry {
  char name[64];
  struct timespec used;
  uint64_t size;
} entry;

static int longest_ago_first(const void *a, const void *b) {
  const struct timespec *x = &((const entry *)a)->used, *y = &((const entry *)b)->used;
  if (x->tv_sec != y->tv_sec)
    return x->tv_sec < y->tv_sec ? -1 : 1;
  return (x->tv_nsec > y->tv_nsec) - (x->tv_nsec < y->tv_nsec);
}

static bool ends_with(const char *name, const char *suffix) {
  size_t n = strlen(name), m = strlen(suffix);
  return n > m && !strcmp(name + n - m, suffix);
}

static bool is_unpublished(const char *name) {
  return !strncmp(name, PIR_NEW_FILE_PREFIX, sizeof PIR_NEW_FILE_PREFIX - 1);
}

static bool is_abandoned(const struct stat *st) {
  return st->st_mtim.tv_sec + ABANDONED_SECONDS < time(NULL);
}

// Lists the files; the sum of their sizes in `out_total`.
static size_t list(DIR *stream, int folder, const char *suffix, entry *entries,
                   uint64_t *out_total) {
  size_t count = 0;
  struct dirent *e;
  *out_total = 0;
  while (count < MOST_LISTED && (e = readdir(stream))) {
    struct stat st;
    bool unpublished = is_unpublished(e->d_name);
    if ((!unpublished && !ends_with(e->d_name, suffix)) ||
        fstatat(folder, e->d_name, &st, AT_SYMLINK_NOFOLLOW))
      continue;
    if (unpublished && is_abandoned(&st))
      (void)unlinkat(folder, e->d_name, 0);
    if (unpublished || strlen(e->d_name) >= sizeof entries->name)
      continue;
    entry *to = &entries[count++];
    strcpy(to->name, e->d_name);
    to->used = st.st_atim;
    to->size = (uint64_t)st.st_size;
    *out_total += to->size;
  }
  return count;
}

void pir_folder_trim(int folder, const char *suffix, uint64_t bytes, size_t count) {
  int copy = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR *stream = copy >= 0 ? fdopendir(copy) : NULL;
  entry *entries = malloc(MOST_LISTED * sizeof *entries);
  if (stream && entries) {
    uint64_t total;
    size_t listed = list(stream, folder, suffix, entries, &total), left = listed;
    if (total > bytes || listed > count) {
      qsort(entries, listed, sizeof *entries, longest_ago_first);
      for (size_t i = 0; i < listed && (total > bytes / 4 * 3 || left > count / 4 * 3); i++)
        if (!unlinkat(folder, entries[i].name, 0)) {
          total -= entries[i].size;
          left--;
        }
    }
  }
  free(entries);
  if (stream)
    closedir(stream);
  else if (copy >= 0)
    close(copy);
}
