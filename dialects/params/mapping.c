// Mapped files. Mappings are private and read-only. Changing a file while it is mapped is the
// caller's responsibility.
#include "mapping.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct mapping {
  void *data;
  size_t size;
} mapping;

static void unmap(void *user) {
  mapping *m = user;
  munmap(m->data, m->size);
  free(m);
}

static int map_open(int fd, pir_borrowed *out_bytes) {
  struct stat info;
  mapping *m;
  if (fstat(fd, &info))
    return errno;
  if (S_ISDIR(info.st_mode))
    return EISDIR;
  if (!S_ISREG(info.st_mode))
    return EINVAL;
  *out_bytes = (pir_borrowed){"", 0, NULL, NULL};
  if (!info.st_size)
    return 0;
  if ((uint64_t)info.st_size > SIZE_MAX)
    return EFBIG;
  m = malloc(sizeof *m);
  if (!m)
    return ENOMEM;
  m->size = (size_t)info.st_size;
  m->data = mmap(NULL, m->size, PROT_READ, MAP_PRIVATE, fd, 0);
  if (m->data == MAP_FAILED) {
    int error = errno;
    free(m);
    return error;
  }
  *out_bytes = (pir_borrowed){m->data, m->size, unmap, m};
  return 0;
}

bool is_mapped_file(pir_borrowed bytes) {
  return bytes.release == unmap;
}

pir_status status_of_errno(int error) {
  if (error == ENOMEM)
    return PIR_EXHAUSTED;
  return error == ENOENT ? PIR_NOT_FOUND : PIR_IO;
}

int map_file(int folder, const char *name, bool follow, pir_borrowed *out_bytes) {
  int fd = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | (follow ? 0 : O_NOFOLLOW));
  int error;
  if (fd < 0)
    return errno;
  error = map_open(fd, out_bytes);
  close(fd);
  return error;
}
