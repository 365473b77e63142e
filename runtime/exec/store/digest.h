// Digests of bytes: XXH3 with 128 bits. They tell files apart and find damage; they do not
// protect against forged files.
#ifndef PIR_EXEC_DIGEST_H
#define PIR_EXEC_DIGEST_H

#include <pir/base.h>

typedef struct file_digest {
  uint64_t low, high;
} file_digest;

static inline bool pir_digest_same(file_digest a, file_digest b) {
  return a.low == b.low && a.high == b.high;
}

file_digest pir_digest_of(const void *data, size_t size);

#endif
