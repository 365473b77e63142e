// Saves compiled groups as bytes: the objects of the distinct modules, then each group's
// interface with the names of its functions and the number of their object (saved_code.c reads
// them).
#include "compile_impl.h"

#include "saved_code_impl.h"

#include <stdlib.h>
#include <string.h>

static bool same_key(pir_cache_key a, pir_cache_key b) {
  return a.low == b.low && a.high == b.high;
}

// Writes the distinct keys, and for each unit the index of its key; a unit without code has
// none.
static size_t find_objects(const pir_compiler *c, pir_cache_key *keys, uint32_t *of_unit) {
  size_t count = 0;
  for (size_t i = 0; i < c->count; i++) {
    of_unit[i] = c->units[i].code.refused ? NO_OBJECT : 0;
    if (c->units[i].code.refused)
      continue;
    while (of_unit[i] < count && !same_key(keys[of_unit[i]], c->units[i].key))
      of_unit[i]++;
    if (of_unit[i] == count)
      keys[count++] = c->units[i].key;
  }
  return count;
}

static void store_object(const pir_compiler *c, pir_cache_key key, pir_archive *a) {
  pir_emitted object;
  pir_status status = pir_code_store_object(c->store, key, &object);
  if (status) {
    a->failed = true;
    a->exhausted = status == PIR_EXHAUSTED;
    return;
  }
  pir_str bytes = {object.data, object.size};
  pir_archive_str(a, &bytes);
  free(object.data);
}

static void save(const pir_compiler *c, pir_archive *a, pir_cache_key *keys,
                 uint32_t *of_unit) {
  size_t objects = find_objects(c, keys, of_unit), units = c->count;
  PIR_ARCHIVE(a, objects);
  PIR_ARCHIVE(a, units);
  for (size_t i = 0; i < objects && !a->failed; i++)
    store_object(c, keys[i], a);
  for (size_t i = 0; i < units && !a->failed; i++) {
    PIR_ARCHIVE(a, of_unit[i]);
    pir_group_code_store(a, &c->units[i].code);
  }
}

pir_status pir_compiler_save(const pir_compiler *c, void **out_data, size_t *out_size) {
  pir_archive a = {.writing = true};
  *out_data = NULL;
  *out_size = 0;
  if (c->options.target.device)
    return PIR_NOT_FOUND;
  pir_cache_key *keys = calloc(c->count + 1, sizeof *keys);
  uint32_t *of_unit = calloc(c->count + 1, sizeof *of_unit);
  pir_status status = PIR_EXHAUSTED;
  if (keys && of_unit) {
    save(c, &a, keys, of_unit);
    status = pir_archive_status(&a, PIR_NOT_FOUND);
  }
  free(keys);
  free(of_unit);
  if (status) {
    free(a.data);
    return status;
  }
  *out_data = a.data;
  *out_size = a.size;
  return PIR_OK;
}
