// The code store: turns loop modules into callable code. It looks each module up by content (in
// memory, then in the cache folder), compiles the missing ones on several threads, and loads
// them. It owns all code that it returns.
#ifndef PIR_CODE_H
#define PIR_CODE_H

#include "cache.h"
#include "image.h"
#include "loop.h"
#include <pir/layer/codegen.h>

typedef struct pir_code_store pir_code_store;

// Creates a store; `folder` NULL: nothing on disk. *out_store is to be destroyed also after a
// failure.
pir_status pir_code_store_create(pir_context *ctx, const pir_target *target, const char *folder,
                                 pir_code_store **out_store);
void pir_code_store_destroy(pir_code_store *store);

// From now on the store compiles for another machine: code goes to the folder and is never
// loaded.
void pir_code_store_make_ahead(pir_code_store *store);

// From now on LLVM runs in this process, whose end it may be.
void pir_code_store_compile_here(pir_code_store *store);

// The key of a module; equal modules have equal keys.
pir_status pir_code_store_key(const pir_code_store *store, const loop_module *module,
                              pir_cache_key *out_key);

// States that the code of this key will be built: starts the compiler now if it will be needed.
void pir_code_store_expect(pir_code_store *store, pir_cache_key key);

// Returns the code of `count` modules, in order; equal modules share one image. Images live as
// long as the store. `keys` may be NULL. A module that the emitter cannot express is no
// failure: a remark states the reason, and it has no image.
pir_status pir_code_store_build(pir_code_store *store, const loop_module *const *modules,
                                const pir_cache_key *keys, size_t count, int threads,
                                const pir_image **out_images);

// Does the same for device source; images hold its code.
pir_status pir_code_store_build_source(pir_code_store *store, const char *const *texts,
                                       size_t count, int threads, const pir_image **out_images);

// From now on the store keeps objects besides their images.
void pir_code_store_keep_objects(pir_code_store *store);

// Copies the object of a key, which the store keeps or the folder has; PIR_NOT_FOUND if neither
// does. Free it with free.
pir_status pir_code_store_object(const pir_code_store *store, pir_cache_key key,
                                 pir_emitted *out_object);

typedef struct pir_code_stats {
  size_t compiled, from_memory, from_disk, bytes;
} pir_code_stats;
pir_code_stats pir_code_store_stats(const pir_code_store *store);

#endif
