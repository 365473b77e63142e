// New files are created with O_EXCL under 64 random bits, so nobody can prepare a link or a
// file of that name. The folder itself is not flushed: after a loss of power the rename may be
// undone, which leaves the old file.
#include <pir/layer/new_file.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

enum { DIGITS = 16 };

static bool draw_bits(uint64_t *out) {
  ssize_t n;
  do
    n = getrandom(out, sizeof *out, 0);
  while (n < 0 && errno == EINTR);
  return n == sizeof *out;
}

static bool keep_error(pir_new_file *file) {
  if (!file->error)
    file->error = errno ? errno : EIO;
  return false;
}

static void write_digits(uint64_t bits, char out[DIGITS + 1]) {
  for (int i = 0; i < DIGITS; i++)
    out[i] = "0123456789abcdef"[bits >> 4 * i & 15];
  out[DIGITS] = 0;
}

// Creates the file under a random name; that the name exists is one chance in 2^64.
static bool create_unguessable(pir_new_file *file, char *digits, unsigned mode) {
  enum { TRIES = 3 };
  for (int i = 0; i < TRIES && file->fd < 0; i++) {
    uint64_t bits;
    if (!draw_bits(&bits))
      return keep_error(file);
    write_digits(bits, digits);
    file->fd = openat(file->folder, file->temporary,
                      O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, (mode_t)mode);
    if (file->fd < 0 && errno != EEXIST && errno != EINTR)
      break;
  }
  return file->fd >= 0 || keep_error(file);
}

static void free_names(pir_new_file *file) {
  free(file->path);
  free(file->temporary);
  file->path = file->temporary = NULL;
}

bool pir_new_file_create(int folder, const char *path, unsigned mode, pir_new_file *out_file) {
  const char *name = strrchr(path, '/');
  size_t folder_size = name ? (size_t)(name + 1 - path) : 0;
  *out_file = (pir_new_file){.folder = folder, .fd = -1};
  out_file->path = strdup(path);
  out_file->temporary = malloc(folder_size + sizeof PIR_NEW_FILE_PREFIX + DIGITS);
  if (!out_file->path || !out_file->temporary) {
    out_file->error = ENOMEM;
  } else {
    memcpy(out_file->temporary, path, folder_size);
    memcpy(out_file->temporary + folder_size, PIR_NEW_FILE_PREFIX, sizeof PIR_NEW_FILE_PREFIX);
    char *digits = out_file->temporary + folder_size + sizeof PIR_NEW_FILE_PREFIX - 1;
    if (create_unguessable(out_file, digits, mode))
      return true;
  }
  free_names(out_file);
  return false;
}

bool pir_new_file_write(void *file, const char *data, size_t size) {
  pir_new_file *to = file;
  while (size && !to->error) {
    ssize_t n = write(to->fd, data, size);
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return keep_error(to);
    data += n;
    size -= (size_t)n;
  }
  return !to->error;
}

// A file system without a flush (EINVAL) promises nothing, and refuses nothing.
bool pir_new_file_flush(pir_new_file *file) {
  int failed;
  if (file->error)
    return false;
  do
    failed = fsync(file->fd);
  while (failed && errno == EINTR);
  return !failed || errno == EINVAL || keep_error(file);
}

static void close_once(pir_new_file *file) {
  if (file->fd >= 0 && close(file->fd) && errno != EINTR)
    keep_error(file);
  file->fd = -1;
}

bool pir_new_file_publish(pir_new_file *file) {
  (void)pir_new_file_flush(file);
  close_once(file);
  if (!file->error && renameat(file->folder, file->temporary, file->folder, file->path))
    keep_error(file);
  bool published = !file->error;
  if (published)
    free_names(file);
  pir_new_file_discard(file);
  return published;
}

void pir_new_file_discard(pir_new_file *file) {
  close_once(file);
  if (file->temporary)
    (void)unlinkat(file->folder, file->temporary, 0);
  free_names(file);
}

bool pir_is_file_name(pir_str name) {
  enum { LONGEST = 255 };
  bool part = name.size && name.size <= LONGEST && !memchr(name.data, '/', name.size) &&
              !memchr(name.data, 0, name.size);
  return part && !pir_str_equal(name, PIR_STR(".")) && !pir_str_equal(name, PIR_STR(".."));
}
