// The record of tuned choices in the cache folder, as one of its objects: the key and the
// origin name the processor and the version of the records.
#include "cache.h"

#include <grown_text.h>
#include <pir/layer/tuning.h>

#include <stdlib.h>

enum { ORIGIN = 1024 };

// The version counts what a class or a choice means.
#define VERSION "tuned choices 2"

static pir_str describe_origin(const pir_target *t, char out[ORIGIN]) {
  size_t size =
      pir_text_format(out, ORIGIN, VERSION "\n%s %s %s %s %llu %llu %llu", t->name, t->triple,
                      t->cpu, t->features, (unsigned long long)t->l1_bytes,
                      (unsigned long long)t->l2_bytes, (unsigned long long)t->l3_bytes);
  return (pir_str){out, size};
}

static bool key_of_origin(pir_str origin, pir_cache_key *out) {
  pir_cache_hash *hash = pir_cache_hash_create();
  if (!hash)
    return false;
  pir_cache_hash_text(hash, origin);
  *out = pir_cache_hash_take(hash);
  pir_cache_hash_destroy(hash);
  return true;
}

bool pir_tuning_load(pir_tuning *tuning, const char *folder, const pir_target *target) {
  char text[ORIGIN];
  pir_str origin = describe_origin(target, text);
  pir_cache_key key;
  pir_emitted record;
  size_t line;
  if (!key_of_origin(origin, &key) || !pir_cache_load(folder, key, origin, &record))
    return false;
  bool read = !pir_tuning_read(tuning, (pir_str){record.data, record.size}, &line);
  free(record.data);
  if (!read)
    pir_tuning_clear(tuning);
  return read;
}

bool pir_tuning_save(const pir_tuning *tuning, const char *folder, const pir_target *target) {
  char text[ORIGIN];
  pir_str origin = describe_origin(target, text);
  pir_cache_key key;
  pir_grown_text record = {0};
  bool saved = key_of_origin(origin, &key) &&
               pir_tuning_write(tuning, (pir_writer){pir_grow_text, &record}) &&
               pir_cache_save(folder, key, origin, (pir_str){record.data, record.size});
  free(record.data);
  return saved;
}
