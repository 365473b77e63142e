// One file an object: a header with magic, key, size and checksum, then the bytes. A file is written under a
// temporary name and renamed, so a reader sees all of it or nothing. What is read is executed, so the folder
// must be ours, and no one else's to write to. When the folder holds too much, the oldest files go.
#include "cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#define MAGIC UINT64_C(0x3152495065646f63)
#define SUFFIX ".pirobj"

enum { MAX_OBJECT = 64 << 20, MAX_FILES = 4096 };
static const uint64_t MAX_FOLDER = UINT64_C(1) << 30;

typedef struct header {
  uint64_t magic;
  pir_cache_key key;
  uint64_t size;
  uint64_t checksum;
} header;

pir_cache_key pir_cache_key_of(const void *text, size_t size) {
  XXH128_hash_t h = XXH3_128bits(text, size);
  return (pir_cache_key){h.low64, h.high64};
}

// The folder as a descriptor, made when it is missing; -1 when others may write to it.
static int open_folder(const char *folder) {
  if (mkdir(folder, 0700) && errno != EEXIST) return -1;
  int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  struct stat st;
  if (fd >= 0 && (fstat(fd, &st) || st.st_uid != geteuid() || (st.st_mode & 022))) {
    close(fd);
    return -1;
  }
  return fd;
}

bool pir_cache_usable(const char *folder) {
  int fd = open_folder(folder);
  if (fd >= 0) close(fd);
  return fd >= 0;
}

static void file_name(pir_cache_key key, char out[64]) {
  pir_text_format(out, 64, "%llx-%llx" SUFFIX, (unsigned long long)key.high, (unsigned long long)key.low);
}

static bool read_all(int fd, void *data, size_t size) {
  for (char *at = data; size;) {
    ssize_t n = read(fd, at, size);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    at += n;
    size -= (size_t)n;
  }
  return true;
}

static bool write_all(int fd, const void *data, size_t size) {
  for (const char *at = data; size;) {
    ssize_t n = write(fd, at, size);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    at += n;
    size -= (size_t)n;
  }
  return true;
}

static bool read_object(int fd, pir_cache_key key, pir_emitted *out) {
  header h;
  if (!read_all(fd, &h, sizeof h) || h.magic != MAGIC || h.key.low != key.low || h.key.high != key.high ||
      h.size > MAX_OBJECT)
    return false;
  out->data = malloc(h.size + 1);
  out->size = h.size;
  if (out->data && read_all(fd, out->data, h.size) && XXH3_64bits(out->data, h.size) == h.checksum) return true;
  free(out->data);
  *out = (pir_emitted){0};
  return false;
}

bool pir_cache_load(const char *folder, pir_cache_key key, pir_emitted *out_object) {
  *out_object = (pir_emitted){0};
  int dir = open_folder(folder);
  if (dir < 0) return false;
  char name[64];
  file_name(key, name);
  int fd = openat(dir, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  bool found = fd >= 0 && read_object(fd, key, out_object);
  if (found) (void)futimens(fd, NULL);  // used now: the last to go; a read-only folder may refuse
  if (fd >= 0) close(fd);
  close(dir);
  return found;
}

typedef struct entry {
  char name[64];
  struct timespec time;
  uint64_t size;
} entry;

static int older_first(const void *a, const void *b) {
  const struct timespec *x = &((const entry *)a)->time, *y = &((const entry *)b)->time;
  if (x->tv_sec != y->tv_sec) return x->tv_sec < y->tv_sec ? -1 : 1;
  return (x->tv_nsec > y->tv_nsec) - (x->tv_nsec < y->tv_nsec);
}

// Lists the objects; the sum of their sizes in `out_total`.
static size_t list(DIR *stream, int dir, entry *entries, uint64_t *out_total) {
  size_t count = 0;
  struct dirent *e;
  *out_total = 0;
  while (count < MAX_FILES && (e = readdir(stream))) {
    size_t n = strlen(e->d_name);
    struct stat st;
    if (n >= sizeof entries->name || n < sizeof SUFFIX || strcmp(e->d_name + n - (sizeof SUFFIX - 1), SUFFIX)) continue;
    if (fstatat(dir, e->d_name, &st, AT_SYMLINK_NOFOLLOW)) continue;
    entry *to = &entries[count++];
    memcpy(to->name, e->d_name, n + 1);
    to->time = st.st_mtim;
    to->size = (uint64_t)st.st_size;
    *out_total += to->size;
  }
  return count;
}

static void trim(int dir) {
  int copy = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR *stream = copy >= 0 ? fdopendir(copy) : NULL;
  entry *entries = malloc(MAX_FILES * sizeof *entries);
  if (stream && entries) {
    uint64_t total;
    size_t count = list(stream, dir, entries, &total);
    if (total > MAX_FOLDER || count == MAX_FILES) {
      qsort(entries, count, sizeof *entries, older_first);
      for (size_t i = 0; i < count && (total > MAX_FOLDER / 4 * 3 || i < MAX_FILES / 4); i++) {
        if (!unlinkat(dir, entries[i].name, 0)) total -= entries[i].size;
      }
    }
  }
  free(entries);
  if (stream) closedir(stream);
  else if (copy >= 0) close(copy);
}

void pir_cache_save(const char *folder, pir_cache_key key, const void *object, size_t size) {
  int dir = size <= MAX_OBJECT ? open_folder(folder) : -1;
  if (dir < 0) return;
  char name[64], temporary[96];
  file_name(key, name);
  pir_text_format(temporary, sizeof temporary, ".%s.%ld", name, (long)getpid());
  int fd = openat(dir, temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (fd >= 0) {
    header h = {MAGIC, key, size, XXH3_64bits(object, size)};
    bool written = write_all(fd, &h, sizeof h) && write_all(fd, object, size);
    written &= !close(fd);
    if (!written || renameat(dir, temporary, dir, name)) unlinkat(dir, temporary, 0);
    else trim(dir);
  }
  close(dir);
}
