// Stores compiled groups as bytes: the objects of the distinct modules, then each group's
// interface with its stages' symbol names and the number of their object. Reading links the
// objects again, which takes about 30 us each.
#include "compile_impl.h"

#include <archive.h>

#include <stdlib.h>
#include <string.h>

// When a field is added to one of these structs, store it below (unless running a group does
// not need it) and update the size.
_Static_assert(sizeof(pir_compiled_group) == 120 && sizeof(pir_stage) == 32,
               "a new field is stored in this file");

#define NO_OBJECT UINT32_MAX  // of a unit without code

static bool same_key(pir_cache_key a, pir_cache_key b) {
  return a.low == b.low && a.high == b.high;
}

// Writes the distinct keys, and for each unit the index of its key; a unit without code has
// none.
static size_t find_objects(const pir_compiler *c, pir_cache_key *keys, uint32_t *of_unit) {
  size_t count = 0;
  for (size_t i = 0; i < c->count; i++) {
    of_unit[i] = c->units[i].refused ? NO_OBJECT : 0;
    if (c->units[i].refused)
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
  if (!pir_code_store_object(c->store, key, &object)) {
    a->failed = true;
    return;
  }
  pir_str bytes = {object.data, object.size};
  pir_archive_str(a, &bytes);
  free(object.data);
}

static void store_traps(pir_archive *a, unit *u) {
  pir_compiled_group *g = &u->group;
  PIR_ARCHIVE(a, g->trap_count);
  u->traps = pir_archive_items(a, u->traps, g->trap_count, sizeof *u->traps);
  g->traps = u->traps;
  for (size_t i = 0; i < g->trap_count && !a->failed; i++)
    pir_archive_text(a, &u->traps[i]);
}

static void store_bounds(pir_archive *a, unit *u) {
  pir_compiled_group *g = &u->group;
  PIR_ARCHIVE(a, g->bound_count);
  u->bounds = pir_archive_items(a, u->bounds, g->bound_count, sizeof *u->bounds);
  g->bounds = u->bounds;
  for (size_t i = 0; i < g->bound_count && !a->failed; i++) {
    PIR_ARCHIVE(a, u->bounds[i].trap);
    PIR_ARCHIVE(a, u->bounds[i].broadcasts);
  }
}

// Extents are not stored, because a plan has its own expressions for them.
static void store_unit(pir_archive *a, unit *u) {
  pir_compiled_group *g = &u->group;
  PIR_ARCHIVE(a, g->stage_count);
  PIR_ARCHIVE(a, g->temporary_count);
  PIR_ARCHIVE(a, g->dim_count);
  PIR_ARCHIVE(a, g->equal_count);
  u->stages = pir_archive_items(a, u->stages, g->stage_count, sizeof *u->stages);
  u->names = pir_archive_items(a, u->names, g->stage_count, sizeof *u->names);
  g->stages = u->stages;
  for (size_t i = 0; i < g->stage_count && !a->failed; i++) {
    PIR_ARCHIVE(a, u->stages[i].scratch_bytes);
    pir_archive_text(a, &u->names[i]);
  }
  store_traps(a, u);
  store_bounds(a, u);
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
    store_unit(a, &c->units[i]);
  }
}

pir_status pir_compiler_save(const pir_compiler *c, void **out_data, size_t *out_size) {
  pir_archive a = {.writing = true};
  *out_data = NULL;
  *out_size = 0;
  if (!c->store || c->options.target.device)
    return PIR_NOT_FOUND;
  pir_cache_key *keys = calloc(c->count + 1, sizeof *keys);
  uint32_t *of_unit = calloc(c->count + 1, sizeof *of_unit);
  if (keys && of_unit)
    save(c, &a, keys, of_unit);
  bool failed = !keys || !of_unit || a.failed;
  free(keys);
  free(of_unit);
  if (failed)
    free(a.data);
  else {
    *out_data = a.data;
    *out_size = a.size;
  }
  return failed ? PIR_NOT_FOUND : PIR_OK;
}

// ---- back

static void restore_object(pir_compiler *c, pir_archive *a) {
  const char *why;
  pir_str object = {0};
  pir_archive_str(a, &object);
  if (a->failed || pir_image_load(object.data, object.size, &c->images[c->image_count], &why))
    a->failed = true;
  else
    c->image_count++;
}

static void restore_links(const pir_compiler *c, uint32_t object, unit *u, pir_archive *a) {
  for (size_t i = 0; i < u->group.stage_count && !a->failed; i++) {
    void *symbol =
        object < c->image_count ? pir_image_symbol(c->images[object], u->names[i]) : NULL;
    memcpy(&u->stages[i].fn, &symbol, sizeof symbol);
    a->failed |= !symbol;
  }
}

static void restore(pir_compiler *c, pir_archive *a) {
  size_t objects = 0, units = 0;
  PIR_ARCHIVE(a, objects);
  PIR_ARCHIVE(a, units);
  if (a->failed || objects > a->size || units > a->size) {
    a->failed = true;
    return;
  }
  c->images = calloc(objects + 1, sizeof(pir_image *));
  c->units = calloc(units + 1, sizeof *c->units);
  if (!c->images || !c->units)
    a->failed = true;
  for (size_t i = 0; i < objects && !a->failed; i++)
    restore_object(c, a);
  for (size_t i = 0; i < units && !a->failed; i++) {
    uint32_t object = 0;
    PIR_ARCHIVE(a, object);
    store_unit(a, &c->units[i]);
    c->units[i].refused = object == NO_OBJECT;
    if (!c->units[i].refused)
      restore_links(c, object, &c->units[i], a);
    c->count = c->capacity = i + 1;
  }
}

typedef struct restore_call {
  pir_compiler *compiler;
  pir_archive archive;
} restore_call;

static pir_status restore_all(void *user) {
  restore_call *call = user;
  restore(call->compiler, &call->archive);
  return call->archive.failed ? PIR_INVALID : PIR_OK;
}

pir_status pir_compiler_restore(const void *data, size_t size, pir_compiler **out_compiler) {
  pir_compiler *c = calloc(1, sizeof *c);
  *out_compiler = NULL;
  if (!c)
    return PIR_EXHAUSTED;
  pir_heap_init(&c->heap, NULL);
  pir_arena_init(&c->arena, &c->heap);
  restore_call call = {.compiler = c,
                       .archive = {.data = (char *)(uintptr_t)data,
                                   .size = size,
                                   .take = pir_arena_take,
                                   .user = &c->arena}};
  pir_status status = pir_heap_catch(&c->heap, restore_all, &call, NULL);
  if (status)
    pir_compiler_destroy(c);
  else
    *out_compiler = c;
  return status;
}
