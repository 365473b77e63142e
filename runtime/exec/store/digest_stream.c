#include "digest.h"

#include <xxhash.h>

bool pir_digest_begin(digest_stream *out) {
  *out = (digest_stream){.state = XXH3_createState()};
  if (out->state)
    XXH3_128bits_reset(out->state);
  return out->state;
}

bool pir_digest_add(void *stream, const void *bytes, size_t size) {
  digest_stream *d = stream;
  if (d->state)
    XXH3_128bits_update(d->state, bytes, size);
  d->size += size;
  return true;
}

file_digest pir_digest_end(digest_stream *stream) {
  XXH128_hash_t h = XXH3_128bits_digest(stream->state);
  XXH3_freeState(stream->state);
  stream->state = NULL;
  return (file_digest){h.low64, h.high64};
}
