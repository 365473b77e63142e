// A folder of compiled objects, found by key. Only its owner may access it. A folder or file
// that fails a check counts as absent. Safe for several processes at once.
#ifndef PIR_CACHE_H
#define PIR_CACHE_H

#include "llvm_backend.h"

typedef struct pir_cache_key {
  uint64_t low, high;
} pir_cache_key;

// A hash of everything that determines the code: the modules' text, target, versions.
pir_cache_key pir_cache_key_of(const void *text, size_t size);

// Opens the folder, creating it if necessary. Returns whether objects can be stored: the folder
// must belong to this user, and no other may write to it.
bool pir_cache_usable(const char *folder);

bool pir_cache_load(const char *folder, pir_cache_key key, pir_emitted *out_object);
// Stores an object; a failure changes nothing.
bool pir_cache_save(const char *folder, pir_cache_key key, const void *object, size_t size);

#endif
