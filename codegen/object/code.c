// The code store has one entry for each distinct key. A build computes the keys (loop text,
// target, costs, versions), looks them up, and distributes the missing ones to threads by an
// atomic counter. Only compiling needs the LLVM library, which is opened at the first miss. For
// a device the key is the source text and the version of the device's compiler, so that is
// opened for the look-up too.
#include "code.h"

#include "device_codegen.h"

#include <arena.h>
#include <extension.h>
#include <report_progress.h>

#include <pir/compiler/context.h>
#include <pir/diag.h>
#include <pir/layer/machine_record.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

typedef struct entry {
  pir_cache_key key;
  pir_image *image;
  pir_image *object;  // the bytes that the image was made of, if they are kept
} entry;

struct pir_code_store {
  pir_context *ctx;
  pir_target target;
  char *folder;
  bool ahead, in_process, keeps;
  pir_llvm_library llvm;
  const device_codegen *device;  // NULL: the processor
  void *compiler;                // the device's compiler, once opened
  entry *entries;
  size_t count, capacity;
  pir_code_stats stats;
};

pir_status pir_code_store_create(pir_context *ctx, const pir_target *target, const char *folder,
                                 pir_code_store **out_store) {
  pir_code_store *store = calloc(1, sizeof *store);
  *out_store = store;
  if (!store)
    return PIR_EXHAUSTED;
  store->ctx = ctx;
  store->target = *target;
  store->device = device_codegen_of(target);
  store->folder = folder ? strdup(folder) : NULL;
  if (folder && !store->folder)
    return PIR_EXHAUSTED;
  if (folder && !pir_cache_usable(folder))
    pir_ignore(pir_report(
        ctx, PIR_OK, PIR_WARNING, PIR_LOC_UNKNOWN,
        "compiled code is not kept: \"%s\" is no folder of ours that only we may write to",
        folder));
  return PIR_OK;
}

void pir_code_store_make_ahead(pir_code_store *store) {
  store->ahead = true;
}

void pir_code_store_compile_here(pir_code_store *store) {
  store->in_process = true;
}

void pir_code_store_keep_objects(pir_code_store *store) {
  store->keeps = true;
}

void pir_code_store_destroy(pir_code_store *store) {
  if (!store)
    return;
  for (size_t i = 0; i < store->count; i++) {
    pir_image_unload(store->entries[i].image);
    pir_image_unload(store->entries[i].object);
  }
  pir_llvm_close(&store->llvm);
  if (store->compiler)
    store->device->close(store->compiler);
  free(store->entries);
  free(store->folder);
  free(store);
}

// The input of a compilation: a loop module for the processor, or source for a device.
typedef struct source {
  const loop_module *module;
  const pir_cache_key *key;  // key of the module, if known
  const char *text;
} source;

enum { ORIGIN_BYTES = 2048 };

// Writes the origin of the code that the store makes, which is also the beginning of all keys.
static pir_str write_origin(const pir_code_store *store, char out[ORIGIN_BYTES]) {
  char compiler[160];
  size_t n;
  if (store->compiler) {
    store->device->identify(store->compiler, compiler, sizeof compiler);
    n = pir_text_format(out, ORIGIN_BYTES, "libpir %u, %s, %s, driver %d\n", pir_version(),
                        compiler, store->target.name, store->target.device_driver);
  } else {
    pir_message costs;
    pir_target_name_costs(&store->target, &costs);
    n = pir_text_format(out, ORIGIN_BYTES, "libpir %u, backend %s, %s, %s\n", pir_version(),
                        pir_llvm_identity(), costs.text, store->target.features);
  }
  return (pir_str){out, n};
}

static pir_status key_of(const pir_code_store *store, source from, pir_cache_hash *hash,
                         pir_cache_key *out) {
  char origin[ORIGIN_BYTES];
  pir_status status = PIR_OK;
  pir_cache_hash_text(hash, write_origin(store, origin));
  if (from.text)
    pir_cache_hash_text(hash, pir_str_from(from.text));
  else
    status = pir_loop_print(from.module, pir_cache_hash_writer(hash));
  *out = pir_cache_hash_take(hash);
  return status;
}

pir_status pir_code_store_key(const pir_code_store *store, const loop_module *module,
                              pir_cache_key *out_key) {
  pir_cache_hash *hash = pir_cache_hash_create();
  if (!hash)
    return PIR_EXHAUSTED;
  pir_status status = key_of(store, (source){.module = module}, hash, out_key);
  pir_cache_hash_destroy(hash);
  return status;
}

void pir_code_store_expect(pir_code_store *store, pir_cache_key key) {
  bool begins = !store->device && !store->in_process && !pir_llvm_is_open(&store->llvm);
  if (begins && !(store->folder && pir_cache_has(store->folder, key)))
    pir_llvm_begin(&store->llvm);
}

// One distinct module of a build.
typedef struct job {
  source from;
  pir_cache_key key;
  pir_image *image;
  pir_image *object;  // of entry
  bool known;         // `image` is the store's
  bool from_disk;
  pir_status status;
  char message[768];
} job;

typedef struct build {
  pir_code_store *store;
  job *jobs;
  size_t count;
  atomic_size_t next, done;
  bool compile;  // second round: the modules that the disk lacked
} build;

static void load_object(const pir_code_store *store, job *j, const pir_emitted *object) {
  const char *why = NULL;
  if (j->from.text || store->ahead) {
    j->status = pir_image_keep(object->data, object->size, &j->image);
    why = "memory ran out";
  } else
    j->status = pir_image_load_reported(object->data, object->size,
                                        pir_context_code_listener(store->ctx), &j->image, &why);
  if (!j->status && store->keeps && pir_image_keep(object->data, object->size, &j->object)) {
    pir_image_unload(j->image);
    j->image = NULL;
    j->status = PIR_EXHAUSTED;
    why = "memory ran out";
  }
  if (j->status)
    pir_text_format(j->message, sizeof j->message, "compiled code cannot be loaded: %s", why);
}

static void try_disk(const pir_code_store *store, job *j) {
  pir_emitted object;
  char origin[ORIGIN_BYTES];
  if (!pir_cache_load(store->folder, j->key, write_origin(store, origin), &object))
    return;
  load_object(store, j, &object);
  if (j->status) {
    j->status = PIR_OK;
    j->image = NULL;
  }  // a damaged file is compiled anew
  j->from_disk = j->image != NULL;
  free(object.data);
}

static bool save_object(const pir_code_store *store, pir_cache_key key,
                        const pir_emitted *object) {
  char origin[ORIGIN_BYTES];
  return pir_cache_save(store->folder, key, write_origin(store, origin),
                        (pir_str){object->data, object->size});
}

static void compile(const pir_code_store *store, job *j) {
  pir_emitted object;
  if (j->from.text)
    j->status = store->device->compile(store->compiler, j->from.text, &store->target, &object,
                                       j->message, sizeof j->message);
  else
    j->status = pir_llvm_emit_code(&store->llvm, j->from.module, &store->target,
                                   PIR_CODE_OBJECT, &object, j->message, sizeof j->message);
  if (j->status)
    return;
  load_object(store, j, &object);
  if (!j->status && store->folder && !save_object(store, j->key, &object) && store->ahead) {
    pir_text_format(j->message, sizeof j->message, "compiled code cannot be written to \"%s\"",
                    store->folder);
    j->status = PIR_IO;
  }
  free(object.data);
}

// Does the next job; false if there is none.
static bool work_once(build *b) {
  size_t i = atomic_fetch_add(&b->next, 1);
  if (i >= b->count)
    return false;
  job *j = &b->jobs[i];
  if (!j->known && !j->image && !j->status) {
    if (b->compile)
      compile(b->store, j);
    else
      try_disk(b->store, j);
  }
  atomic_fetch_add(&b->done, 1);
  return true;
}

static void *work(void *user) {
  while (work_once(user))
    continue;
  return NULL;
}

// Only the thread that called the library reports.
static void work_and_report(build *b) {
  pir_progress_sink watcher = pir_context_progress(b->store->ctx);
  pir_progress_report(watcher, PIR_STAGE_COMPILE, NULL, 0, b->count);
  while (work_once(b)) {
    size_t done = atomic_load(&b->done);
    if (done < b->count)
      pir_progress_report(watcher, PIR_STAGE_COMPILE, NULL, done, b->count);
  }
}

// Runs `work` on the calling thread and on up to threads - 1 others; on fewer if the system
// cannot start them.
static void run(build *b, int threads) {
  enum { MAX_THREADS = 64 };
  pthread_t others[MAX_THREADS];
  int started = 0;
  atomic_store(&b->next, 0);
  atomic_store(&b->done, 0);
  if (threads > MAX_THREADS)
    threads = MAX_THREADS;
  while (started < threads - 1 && (size_t)started + 1 < b->count &&
         !pthread_create(&others[started], NULL, work, b))
    started++;
  work_and_report(b);
  for (int i = 0; i < started; i++)
    pthread_join(others[i], NULL);
  pir_progress_report(pir_context_progress(b->store->ctx), PIR_STAGE_COMPILE, NULL, b->count,
                      b->count);
}

static bool any_missing(const build *b) {
  for (size_t i = 0; i < b->count; i++)
    if (!b->jobs[i].image)
      return true;
  return false;
}

static pir_status compile_missing(build *b, int threads, char *message, size_t capacity) {
  pir_code_store *store = b->store;
  if (!store->target.device && !pir_llvm_is_open(&store->llvm))
    PIR_TRY(pir_llvm_open(store->in_process, &store->llvm, message, capacity));
  const pir_limits *limits = pir_context_limits(store->ctx);
  store->llvm.limits =
      (pir_emit_limits){pir_context_heap(store->ctx)->watch,
                        limits->max_bytes == UINT64_MAX ? 0 : limits->max_bytes};
  b->compile = true;
  run(b, threads);
  pir_llvm_rest(&store->llvm);
  return PIR_OK;
}

static pir_status report_failures(const build *b) {
  const pir_code_store *store = b->store;
  for (size_t i = 0; i < b->count; i++) {
    const job *j = &b->jobs[i];
    if (j->status == PIR_UNSUPPORTED) {
      if (pir_context_remarks(store->ctx))
        pir_ignore(
            pir_report(store->ctx, PIR_OK, PIR_REMARK, PIR_LOC_UNKNOWN, "%s", j->message));
    } else if (j->status) {
      return pir_report(store->ctx, j->status, PIR_ERROR, PIR_LOC_UNKNOWN, "%s", j->message);
    }
  }
  return PIR_OK;
}

static job *find_job(build *b, pir_cache_key key) {
  for (size_t i = 0; i < b->count; i++)
    if (b->jobs[i].key.low == key.low && b->jobs[i].key.high == key.high)
      return &b->jobs[i];
  return NULL;
}

static pir_image *find_entry(const pir_code_store *store, pir_cache_key key) {
  for (size_t i = 0; i < store->count; i++)
    if (store->entries[i].key.low == key.low && store->entries[i].key.high == key.high)
      return store->entries[i].image;
  return NULL;
}

// Collects the distinct jobs; of_source[i] is the job of source i.
static pir_status make_jobs(build *b, const source *sources, size_t count, size_t *of_source) {
  pir_cache_hash *hash = pir_cache_hash_create();
  pir_status status = hash ? PIR_OK : PIR_EXHAUSTED;
  for (size_t i = 0; i < count && !status; i++) {
    pir_cache_key key;
    if (sources[i].key)
      key = *sources[i].key;
    else
      status = key_of(b->store, sources[i], hash, &key);
    if (status)
      break;
    job *j = find_job(b, key);
    if (!j) {
      j = &b->jobs[b->count++];
      *j = (job){.from = sources[i], .key = key, .image = find_entry(b->store, key)};
      j->known = j->image != NULL;
    } else {
      b->store->stats.from_memory++;
    }
    of_source[i] = (size_t)(j - b->jobs);
  }
  pir_cache_hash_destroy(hash);
  return status;
}

// Adds the new images to the store, even if the build failed.
static pir_status keep(build *b) {
  pir_code_store *store = b->store;
  for (size_t i = 0; i < b->count; i++) {
    job *j = &b->jobs[i];
    if (!j->image)
      continue;
    if (j->known) {
      store->stats.from_memory++;
      continue;
    }
    if (store->count == store->capacity) {
      size_t capacity = store->capacity * 2 + 16;
      entry *grown = realloc(store->entries, capacity * sizeof *grown);
      if (!grown) {
        for (; i < b->count; i++) {
          if (!b->jobs[i].known)
            pir_image_unload(b->jobs[i].image);
          pir_image_unload(b->jobs[i].object);
        }
        return PIR_EXHAUSTED;
      }
      store->entries = grown;
      store->capacity = capacity;
    }
    store->entries[store->count++] = (entry){j->key, j->image, j->object};
    store->stats.bytes += pir_image_bytes(j->image);
    if (j->from_disk)
      store->stats.from_disk++;
    else
      store->stats.compiled++;
  }
  return PIR_OK;
}

// Images belong to the store before anything is reported, since a report may end the build.
static pir_status build_all(pir_code_store *store, const source *sources, size_t count,
                            int threads, pir_arena *scratch, const pir_image **out_images) {
  size_t room = count + 1;
  build b = {.store = store};
  b.jobs = pir_arena_zalloc(scratch, pir_arena_size(scratch, room, sizeof *b.jobs));
  size_t *of_source =
      pir_arena_zalloc(scratch, pir_arena_size(scratch, room, sizeof *of_source));
  PIR_TRY(make_jobs(&b, sources, count, of_source));
  if (store->folder && any_missing(&b))
    run(&b, threads);
  char message[512];
  pir_status status = PIR_OK;
  if (any_missing(&b))
    status = compile_missing(&b, threads, message, sizeof message);
  pir_status kept = keep(&b);
  if (status)
    return pir_report(store->ctx, status, PIR_ERROR, PIR_LOC_UNKNOWN, "%s", message);
  PIR_TRY(kept);
  PIR_TRY(report_failures(&b));
  for (size_t i = 0; i < count; i++)
    out_images[i] = b.jobs[of_source[i]].image;
  return PIR_OK;
}

static source *allocate_sources(pir_arena *scratch, size_t count) {
  return pir_arena_zalloc(scratch, pir_arena_size(scratch, count, sizeof(source)));
}

pir_status pir_code_store_build(pir_code_store *store, const loop_module *const *modules,
                                const pir_cache_key *keys, size_t count, int threads,
                                const pir_image **out_images) {
  pir_arena scratch;
  pir_arena_init(&scratch, pir_context_heap(store->ctx));
  source *sources = allocate_sources(&scratch, count);
  for (size_t i = 0; i < count; i++)
    sources[i] = (source){.module = modules[i], .key = keys ? &keys[i] : NULL};
  pir_status status = build_all(store, sources, count, threads, &scratch, out_images);
  pir_arena_destroy(&scratch);
  return status;
}

pir_status pir_code_store_build_source(pir_code_store *store, const char *const *texts,
                                       size_t count, int threads,
                                       const pir_image **out_images) {
  char message[512];
  pir_status status = PIR_OK;
  pir_arena scratch;
  if (!store->compiler)
    status = store->device->open(&store->compiler, message, sizeof message);
  if (status)
    return pir_report(store->ctx, status, PIR_ERROR, PIR_LOC_UNKNOWN, "%s", message);
  pir_arena_init(&scratch, pir_context_heap(store->ctx));
  source *sources = allocate_sources(&scratch, count);
  for (size_t i = 0; i < count; i++)
    sources[i].text = texts[i];
  status = build_all(store, sources, count, threads, &scratch, out_images);
  pir_arena_destroy(&scratch);
  return status;
}

static const entry *find_object(const pir_code_store *store, pir_cache_key key) {
  for (size_t i = 0; i < store->count; i++) {
    const entry *e = &store->entries[i];
    if (e->object && e->key.low == key.low && e->key.high == key.high)
      return e;
  }
  return NULL;
}

pir_status pir_code_store_object(const pir_code_store *store, pir_cache_key key,
                                 pir_emitted *out_object) {
  const entry *kept = find_object(store, key);
  char origin[ORIGIN_BYTES];
  if (!kept) {
    bool found = store->folder &&
                 pir_cache_load(store->folder, key, write_origin(store, origin), out_object);
    return found ? PIR_OK : PIR_NOT_FOUND;
  }
  const void *bytes = pir_image_code(kept->object, &out_object->size);
  out_object->data = malloc(out_object->size + 1);
  if (!out_object->data)
    return PIR_EXHAUSTED;
  memcpy(out_object->data, bytes, out_object->size);
  return PIR_OK;
}

pir_code_stats pir_code_store_stats(const pir_code_store *store) {
  return store->stats;
}
