// How the pool divides a loop: each thread owns a share of the units, cut into a few chunks. A
// thread whose share is done takes chunks of others, so that the pool waits for no more than
// one chunk. Needs libc only.
#ifndef PIR_LAYER_LOOP_SHARES_H
#define PIR_LAYER_LOOP_SHARES_H

#include <stdint.h>

// Chunks of a share.
enum { PIR_SHARE_CHUNKS = 4 };

// Returns the first unit of share `i`, where `n` units are cut into `parts` nearly equal ones.
static inline int64_t pir_share_begin(int64_t n, int parts, int i) {
  int64_t size = n / parts, extra = n % parts;
  return i * size + (i < extra ? i : extra);
}

// Returns into how many chunks share `i` is cut: other threads may take those that its own has
// not begun.
static inline int pir_share_chunks(int64_t n, int parts, int i) {
  int64_t units = pir_share_begin(n, parts, i + 1) - pir_share_begin(n, parts, i);
  return units < PIR_SHARE_CHUNKS ? (int)units : PIR_SHARE_CHUNKS;
}

// Returns the first unit of chunk `k` of share `i`; of as many chunks as there are, its end.
static inline int64_t pir_chunk_begin(int64_t n, int parts, int i, int k) {
  int64_t begin = pir_share_begin(n, parts, i);
  int64_t units = pir_share_begin(n, parts, i + 1) - begin;
  return begin + pir_share_begin(units, pir_share_chunks(n, parts, i), k);
}

#endif
