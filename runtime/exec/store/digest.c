// xxHash3, compiled inline, so that the runtime library needs no other.
#define XXH_INLINE_ALL
#include "digest.h"

#include <xxhash.h>

file_digest pir_digest_of(const void *data, size_t size) {
  XXH128_hash_t h = XXH3_128bits(data, size);
  return (file_digest){h.low64, h.high64};
}
