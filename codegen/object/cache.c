// The cache folder: one file for each object. A file is a header, the origin and the object;
// the checksum covers all of them. The folder belongs to this user alone
// (ir/files/folder.h).
#include "cache.h"

#include <folder.h>
#include <read_all.h>

#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

#define MAGIC UINT64_C(0x3252495065646f63)
#define SUFFIX ".pirobj"

enum { MAX_OBJECT = 64 << 20, MAX_ORIGIN = 4096, MAX_FILES = 4096 };
static const uint64_t MAX_FOLDER = UINT64_C(1) << 30;

typedef struct header {
  uint64_t magic;
  pir_cache_key key;
  uint64_t origin_size, size;  // in bytes
  uint64_t checksum;           // of the fields before it, the origin and the object
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

bool pir_cache_has(const char *folder, pir_cache_key key) {
  char name[64];
  int dir = pir_folder_open(folder);
  if (dir < 0)
    return false;
  file_name(key, name);
  bool has = !faccessat(dir, name, R_OK, 0);
  close(dir);
  return has;
}

static bool add_checksum(header *h, pir_str origin, const char *object) {
  XXH3_state_t *state = XXH3_createState();
  if (!state)
    return false;
  XXH3_64bits_reset(state);
  XXH3_64bits_update(state, h, offsetof(header, checksum));
  XXH3_64bits_update(state, origin.data, origin.size);
  XXH3_64bits_update(state, object, h->size);
  h->checksum = XXH3_64bits_digest(state);
  XXH3_freeState(state);
  return true;
}

static bool read_origin(int fd, const header *h, pir_str origin) {
  char text[MAX_ORIGIN];
  return h->origin_size == origin.size && origin.size <= sizeof text &&
         pir_read_all(fd, NULL, text, origin.size) && !memcmp(text, origin.data, origin.size);
}

static bool read_object(int fd, pir_cache_key key, pir_str origin, pir_emitted *out) {
  header h, whole;
  if (!pir_read_all(fd, NULL, &h, sizeof h) || h.magic != MAGIC || h.key.low != key.low ||
      h.key.high != key.high || h.size > MAX_OBJECT || !read_origin(fd, &h, origin))
    return false;
  whole = h;
  out->data = malloc(h.size + 1);
  out->size = h.size;
  if (out->data && pir_read_all(fd, NULL, out->data, h.size) &&
      add_checksum(&whole, origin, out->data) && whole.checksum == h.checksum) {
    out->data[h.size] = 0;
    return true;
  }
  free(out->data);
  *out = (pir_emitted){0};
  return false;
}

bool pir_cache_load(const char *folder, pir_cache_key key, pir_str origin,
                    pir_emitted *out_object) {
  *out_object = (pir_emitted){0};
  int dir = pir_folder_open(folder);
  if (dir < 0)
    return false;
  char name[64];
  file_name(key, name);
  int fd = pir_folder_find(dir, name);
  bool found = fd >= 0 && read_object(fd, key, origin, out_object);
  if (fd >= 0)
    close(fd);
  close(dir);
  return found;
}

static bool write_object(int dir, const header *h, pir_str origin, pir_str object) {
  char name[64];
  pir_new_file file;
  file_name(h->key, name);
  if (!pir_folder_begin(dir, name, &file))
    return false;
  (void)(pir_new_file_write(&file, (const char *)h, sizeof *h) &&
         pir_new_file_write(&file, origin.data, origin.size) &&
         pir_new_file_write(&file, object.data, object.size));
  return pir_new_file_publish(&file);  // fails if a write failed
}

bool pir_cache_save(const char *folder, pir_cache_key key, pir_str origin, pir_str object) {
  header h = {MAGIC, key, origin.size, object.size, 0};
  if (object.size > MAX_OBJECT || !add_checksum(&h, origin, object.data))
    return false;
  int dir = pir_folder_open(folder);
  if (dir < 0)
    return false;
  bool saved = write_object(dir, &h, origin, object);
  if (saved)
    pir_folder_trim(dir, SUFFIX, MAX_FOLDER, MAX_FILES);
  close(dir);
  return saved;
}
