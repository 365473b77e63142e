// A folder of compiled objects, found by key. Only its owner may access it. A folder or file
// that fails a check counts as absent. Safe for several processes at once.
#ifndef PIR_CACHE_H
#define PIR_CACHE_H

#include "llvm_backend.h"

typedef struct pir_cache_key {
  uint64_t low, high;
} pir_cache_key;

// Of everything that decides the code: the modules' text, target, versions.
pir_cache_key pir_cache_key_of(const void *text, size_t size);

// Whether objects can be kept in the folder, which is made when it is missing: it is ours, and
// only we may write to it.
bool pir_cache_usable(const char *folder);

bool pir_cache_load(const char *folder, pir_cache_key key, pir_emitted *out_object);
// A failure leaves things as they were.
bool pir_cache_save(const char *folder, pir_cache_key key, const void *object, size_t size);

#endif
