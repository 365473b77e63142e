// A folder of compiled objects, found by key. Only its owner may access it. A folder or file
// that fails a check counts as absent: another owner or writer, another origin, a checksum. The
// origin is a line of text: the versions of libpir and of the compiler, the processor and its
// features. Safe for several processes at once.
#ifndef PIR_CACHE_H
#define PIR_CACHE_H

#include "llvm_backend.h"

typedef struct pir_cache_key {
  uint64_t low, high;
} pir_cache_key;

// Hashes the text that is written to it: everything that determines the code, which is the
// module, the target and the versions. NULL: memory ran out.
typedef struct pir_cache_hash pir_cache_hash;
pir_cache_hash *pir_cache_hash_create(void);
void pir_cache_hash_destroy(pir_cache_hash *hash);
pir_writer pir_cache_hash_writer(pir_cache_hash *hash);
void pir_cache_hash_text(pir_cache_hash *hash, pir_str text);
// The key of the text so far; the next text begins a new one.
pir_cache_key pir_cache_hash_take(pir_cache_hash *hash);

// Opens the folder, creating it if necessary. Returns whether objects can be stored: the folder
// must belong to this user, and no other may write to it.
bool pir_cache_usable(const char *folder);

// Whether the folder seems to have an object of this key; it is not read.
bool pir_cache_has(const char *folder, pir_cache_key key);
// Reads an object that was stored with the same key and origin; its checksum is verified.
bool pir_cache_load(const char *folder, pir_cache_key key, pir_str origin,
                    pir_emitted *out_object);
// Stores an object; a failure changes nothing.
bool pir_cache_save(const char *folder, pir_cache_key key, pir_str origin, pir_str object);

#endif
