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

// The digest of bytes that come in pieces (digest_stream.c; not in libpir_rt).
typedef struct digest_stream {
  void *state;    // NULL: none has begun
  uint64_t size;  // of the bytes so far
} digest_stream;

bool pir_digest_begin(digest_stream *out);  // false: no memory
// Takes a piece; nothing of a stream that has not begun. Returns true.
bool pir_digest_add(void *stream, const void *bytes, size_t size);
// Ends the stream and frees its memory.
file_digest pir_digest_end(digest_stream *stream);

#endif
