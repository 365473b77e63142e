// The cache folder: one file for each object. A file is a header (magic, key, size, checksum)
// and the bytes. The folder belongs to this user alone (ir/support/folder.h).
#include "cache.h"

#include <folder.h>

#include <stdlib.h>
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

// ---- keys

static XXH3_state_t *state_of(pir_cache_hash *hash) {
  return (XXH3_state_t *)hash;
}

pir_cache_hash *pir_cache_hash_create(void) {
  XXH3_state_t *state = XXH3_createState();
  if (state)
    XXH3_128bits_reset(state);
  return (pir_cache_hash *)state;
}

void pir_cache_hash_destroy(pir_cache_hash *hash) {
  XXH3_freeState(state_of(hash));
}

static bool write_hash(void *hash, const char *data, size_t size) {
  XXH3_128bits_update(state_of(hash), data, size);
  return true;
}

pir_writer pir_cache_hash_writer(pir_cache_hash *hash) {
  return (pir_writer){write_hash, hash};
}

void pir_cache_hash_text(pir_cache_hash *hash, pir_str text) {
  XXH3_128bits_update(state_of(hash), text.data, text.size);
}

pir_cache_key pir_cache_hash_take(pir_cache_hash *hash) {
  XXH128_hash_t h = XXH3_128bits_digest(state_of(hash));
  XXH3_128bits_reset(state_of(hash));
  return (pir_cache_key){h.low64, h.high64};
}

// ---- files

bool pir_cache_usable(const char *folder) {
  int fd = pir_folder_open(folder);
  if (fd >= 0)
    close(fd);
  return fd >= 0;
}

static void file_name(pir_cache_key key, char out[64]) {
  pir_text_format(out, 64, "%llx-%llx" SUFFIX, (unsigned long long)key.high,
                  (unsigned long long)key.low);
}

static bool read_object(int fd, pir_cache_key key, pir_emitted *out) {
  header h;
  if (!pir_folder_read(fd, &h, sizeof h) || h.magic != MAGIC || h.key.low != key.low ||
      h.key.high != key.high || h.size > MAX_OBJECT)
    return false;
  out->data = malloc(h.size + 1);
  out->size = h.size;
  if (out->data && pir_folder_read(fd, out->data, h.size) &&
      XXH3_64bits(out->data, h.size) == h.checksum)
    return true;
  free(out->data);
  *out = (pir_emitted){0};
  return false;
}

bool pir_cache_load(const char *folder, pir_cache_key key, pir_emitted *out_object) {
  *out_object = (pir_emitted){0};
  int dir = pir_folder_open(folder);
  if (dir < 0)
    return false;
  char name[64];
  file_name(key, name);
  int fd = pir_folder_find(dir, name);
  bool found = fd >= 0 && read_object(fd, key, out_object);
  if (fd >= 0)
    close(fd);
  close(dir);
  return found;
}

bool pir_cache_save(const char *folder, pir_cache_key key, const void *object, size_t size) {
  int dir = size <= MAX_OBJECT ? pir_folder_open(folder) : -1;
  bool saved = false;
  if (dir < 0)
    return false;
  char name[64];
  pir_folder_file file;
  file_name(key, name);
  if (pir_folder_begin(dir, name, &file)) {
    header h = {MAGIC, key, size, XXH3_64bits(object, size)};
    bool written =
        pir_folder_write(&file, &h, sizeof h) && pir_folder_write(&file, object, size);
    saved = pir_folder_end(&file, written);
    if (saved)
      pir_folder_trim(dir, SUFFIX, MAX_FOLDER, MAX_FILES);
  }
  close(dir);
  return saved;
}
