// Hashing: xxHash3 for bytes, a multiplicative mix for words.
#ifndef PIR_SUPPORT_HASH_H
#define PIR_SUPPORT_HASH_H

#include <stddef.h>
#include <stdint.h>

uint64_t pir_hash_bytes(const void *data, size_t size);

// Folded 64 x 64 product: every input bit reaches the low bits, which index tables.
static inline uint64_t pir_hash_word(uint64_t word) {
  unsigned __int128 product =
      (unsigned __int128)(word ^ 0x9E3779B97F4A7C15u) * 0xD6E8FEB86659FD93u;
  return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static inline uint64_t pir_hash_join(uint64_t hash, uint64_t word) {
  return pir_hash_word(hash * 31 + word);
}

#endif
