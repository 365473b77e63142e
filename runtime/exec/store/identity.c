// Digests of parameter files. Reading 100 MB takes 15 ms, so the digest of a file is cached
// under its metadata: device, inode, size, and both times to the nanosecond. Any write changes
// the ctime, which no program can set. But times have a granularity: a write within the same
// tick would not show. So the digest of a file that changed within the last seconds is not
// cached. XXH3 with 128 bits distinguishes files; it does not protect against forged ones.
#include "prepared.h"

#include <errno.h>
#include <fcntl.h>
#include <folder.h>
#include <read_all.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define MAGIC UINT64_C(0x316e656573726970)
#define SUFFIX ".pirseen"
#define STEP ((size_t)256 << 10)

enum { SETTLED_SECONDS = 3, MOST_SEEN = 1024 };

static bool identify(int fd, file_identity *out) {
  struct stat st;
  *out = (file_identity){0};
  if (fd < 0 || fstat(fd, &st) || !S_ISREG(st.st_mode))
    return false;
  *out = (file_identity){(uint64_t)st.st_dev, (uint64_t)st.st_ino, (uint64_t)st.st_size,
                         st.st_mtim.tv_sec,   st.st_mtim.tv_nsec,  st.st_ctim.tv_sec,
                         st.st_ctim.tv_nsec};
  return true;
}

bool pir_file_identify(const char *path, file_identity *out_identity) {
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  bool found = identify(fd, out_identity);
  if (fd >= 0)
    close(fd);
  return found;
}

typedef struct seen {
  uint64_t magic;
  file_identity identity;
  file_digest digest, checksum;
} seen;

static file_digest checksum_of(const seen *s) {
  return pir_digest_of(s, offsetof(seen, checksum));
}

static void name_digest(const file_identity *identity, char out[64]) {
  file_digest d = pir_digest_of(identity, offsetof(file_identity, size));
  pir_text_format(out, 64, "%llx" SUFFIX, (unsigned long long)d.low);
}

static bool recall(int folder, const file_identity *identity, file_digest *out) {
  char name[64];
  seen s;
  if (folder < 0)
    return false;
  name_digest(identity, name);
  int fd = pir_folder_find(folder, name);
  bool found = fd >= 0 && pir_read_all(fd, NULL, &s, sizeof s) && s.magic == MAGIC;
  if (fd >= 0)
    close(fd);
  if (!found || memcmp(&s.identity, identity, sizeof *identity))
    return false;
  file_digest sum = checksum_of(&s);
  *out = s.digest;
  return !memcmp(&sum, &s.checksum, sizeof sum);
}

static void remember(int folder, const file_identity *identity, file_digest digest,
                     int64_t now) {
  char name[64];
  pir_new_file file;
  if (folder < 0 || identity->modified + SETTLED_SECONDS > now ||
      identity->changed + SETTLED_SECONDS > now)
    return;
  seen s = {MAGIC, *identity, digest, {0}};
  s.checksum = checksum_of(&s);
  name_digest(identity, name);
  if (!pir_folder_begin(folder, name, &file))
    return;
  (void)pir_new_file_write(&file, (const char *)&s, sizeof s);  // publishing fails too
  if (pir_new_file_publish(&file))
    pir_folder_trim(folder, SUFFIX, UINT64_MAX, MOST_SEEN);
}

static bool digest_all(int fd, file_digest *out) {
  digest_stream stream;
  char *block = malloc(STEP);
  if (!block || !pir_digest_begin(&stream)) {
    free(block);
    return false;
  }
  ssize_t n = 1;
  while (n > 0) {
    n = read(fd, block, STEP);
    if (n < 0 && errno == EINTR)
      n = 1;
    else if (n > 0)
      pir_digest_add(&stream, block, (size_t)n);
  }
  *out = pir_digest_end(&stream);
  free(block);
  return !n;
}

bool pir_file_digest(int folder, const char *path, file_identity *out_identity,
                     file_digest *out_digest) {
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  int64_t now = time(NULL);
  bool known = identify(fd, out_identity);
  if (known && !recall(folder, out_identity, out_digest)) {
    file_identity after;
    known = digest_all(fd, out_digest) && identify(fd, &after) &&
            !memcmp(&after, out_identity, sizeof after);
    if (known)
      remember(folder, out_identity, *out_digest, now);
  }
  if (fd >= 0)
    close(fd);
  return known;
}
