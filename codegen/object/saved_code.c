// Reads compiled groups from the bytes that stored_code.c writes, and links the objects again,
// which takes about 30 us each. Nothing here needs IR or a compiler.
#include "saved_code_impl.h"

#include "group_code.h"
#include "image.h"

#include <arena.h>

#include <stdlib.h>
#include <string.h>

// When a field is added to one of these structs, store it below (unless running a group does
// not need it) and update the size.
_Static_assert(sizeof(pir_compiled_group) == 136 && sizeof(pir_stage) == 32 &&
                   sizeof(pir_packing) == 32,
               "a new field is stored in this file");

// ---- interfaces

static void store_traps(pir_archive *a, group_code *x) {
  pir_compiled_group *g = &x->group;
  PIR_ARCHIVE(a, g->trap_count);
  x->traps = pir_archive_items(a, x->traps, g->trap_count, sizeof *x->traps);
  g->traps = x->traps;
  for (size_t i = 0; i < g->trap_count && !a->failed; i++)
    pir_archive_text(a, &x->traps[i]);
}

static void store_bounds(pir_archive *a, group_code *x) {
  pir_compiled_group *g = &x->group;
  PIR_ARCHIVE(a, g->bound_count);
  x->bounds = pir_archive_items(a, x->bounds, g->bound_count, sizeof *x->bounds);
  g->bounds = x->bounds;
  for (size_t i = 0; i < g->bound_count && !a->failed; i++) {
    PIR_ARCHIVE(a, x->bounds[i].trap);
    PIR_ARCHIVE(a, x->bounds[i].broadcasts);
  }
}

static void store_packings(pir_archive *a, group_code *x) {
  PIR_ARCHIVE(a, x->packing_count);
  x->packings = pir_archive_items(a, x->packings, x->packing_count, sizeof *x->packings);
  x->packing_names =
      pir_archive_items(a, x->packing_names, x->packing_count, sizeof *x->packing_names);
  for (size_t i = 0; i < x->packing_count && !a->failed; i++) {
    PIR_ARCHIVE(a, x->packings[i].operand);
    PIR_ARCHIVE(a, x->packings[i].bytes);
    PIR_ARCHIVE(a, x->packings[i].units);
    pir_archive_text(a, &x->packing_names[i]);
  }
}

void pir_group_code_store(pir_archive *a, group_code *x) {
  pir_compiled_group *g = &x->group;
  PIR_ARCHIVE(a, g->stage_count);
  PIR_ARCHIVE(a, g->temporary_count);
  PIR_ARCHIVE(a, g->dim_count);
  PIR_ARCHIVE(a, g->equal_count);
  x->stages = pir_archive_items(a, x->stages, g->stage_count, sizeof *x->stages);
  x->names = pir_archive_items(a, x->names, g->stage_count, sizeof *x->names);
  g->stages = x->stages;
  for (size_t i = 0; i < g->stage_count && !a->failed; i++) {
    PIR_ARCHIVE(a, x->stages[i].scratch_bytes);
    pir_archive_text(a, &x->names[i]);
  }
  store_traps(a, x);
  store_bounds(a, x);
  store_packings(a, x);
}

void pir_group_code_complete(group_code *x) {
  x->group.packings = x->packings;
  x->group.packing_count = x->packing_count;
}

// ---- groups with their code

struct pir_executable {
  pir_heap heap;
  pir_arena arena;  // of the interfaces
  pir_image **images;
  size_t image_count, bytes;
  group_code *groups;
  size_t count;
  const pir_code_listener *listener;  // while it is loaded; NULL: nobody
};

static void take_object(pir_executable *x, pir_archive *a) {
  const char *why;
  pir_str object = {0};
  pir_archive_str(a, &object);
  pir_image **image = &x->images[x->image_count];
  pir_status status =
      a->failed ? PIR_INVALID
                : pir_image_load_reported(object.data, object.size, x->listener, image, &why);
  if (status == PIR_EXHAUSTED)
    pir_heap_fail(&x->heap);
  if (status) {
    a->failed = true;
    return;
  }
  x->bytes += pir_image_bytes(*image);
  x->image_count++;
}

static pir_stage_fn find_function(pir_archive *a, const pir_image *image, const char *name) {
  void *symbol = a->failed ? NULL : pir_image_symbol(image, name);
  pir_stage_fn fn = NULL;
  a->failed |= !symbol;
  memcpy(&fn, &symbol, sizeof fn);
  return fn;
}

static void link_group(const pir_executable *x, uint32_t object, group_code *code,
                       pir_archive *a) {
  if (object >= x->image_count) {
    a->failed = true;
    return;
  }
  const pir_image *image = x->images[object];
  for (size_t i = 0; i < code->group.stage_count && !a->failed; i++)
    code->stages[i].fn = find_function(a, image, code->names[i]);
  for (size_t i = 0; i < code->packing_count && !a->failed; i++)
    code->packings[i].fn = find_function(a, image, code->packing_names[i]);
  pir_group_code_complete(code);
}

static void read_groups(pir_executable *x, pir_archive *a) {
  size_t objects = 0, groups = 0;
  PIR_ARCHIVE(a, objects);
  PIR_ARCHIVE(a, groups);
  if (a->failed || objects > a->size || groups > a->size) {
    a->failed = true;
    return;
  }
  x->images = pir_arena_zalloc(&x->arena, (objects + 1) * sizeof(pir_image *));
  x->groups = pir_arena_zalloc(&x->arena, (groups + 1) * sizeof *x->groups);
  for (size_t i = 0; i < objects && !a->failed; i++)
    take_object(x, a);
  for (size_t i = 0; i < groups && !a->failed; i++) {
    uint32_t object = 0;
    PIR_ARCHIVE(a, object);
    pir_group_code_store(a, &x->groups[i]);
    x->groups[i].refused = object == NO_OBJECT;
    if (object != NO_OBJECT)
      link_group(x, object, &x->groups[i], a);
    x->count = i + 1;
  }
}

typedef struct load_call {
  pir_executable *executable;
  pir_archive archive;
} load_call;

static pir_status load_all(void *user) {
  load_call *call = user;
  read_groups(call->executable, &call->archive);
  return call->archive.failed ? PIR_INVALID : PIR_OK;
}

pir_status pir_executable_load(const void *data, size_t size, const pir_allocator *allocator,
                               const pir_code_listener *listener,
                               pir_executable **out_executable) {
  pir_executable *x = calloc(1, sizeof *x);
  *out_executable = NULL;
  if (!x)
    return PIR_EXHAUSTED;
  pir_heap_init(&x->heap, allocator);
  pir_arena_init(&x->arena, &x->heap);
  x->listener = listener;
  load_call call = {.executable = x,
                    .archive = {.data = (char *)(uintptr_t)data,
                                .size = size,
                                .take = pir_arena_take,
                                .user = &x->arena}};
  pir_status status = pir_heap_catch(&x->heap, load_all, &call, NULL);
  x->listener = NULL;
  if (status)
    pir_executable_destroy(x);
  else
    *out_executable = x;
  return status;
}

void pir_executable_destroy(pir_executable *x) {
  if (!x)
    return;
  for (size_t i = 0; i < x->image_count; i++)
    pir_image_unload(x->images[i]);
  pir_heap_release(&x->heap);
  free(x);
}

const pir_compiled_group *pir_executable_group(const pir_executable *x, size_t i) {
  return i < x->count && !x->groups[i].refused ? &x->groups[i].group : NULL;
}

size_t pir_executable_groups(const pir_executable *x) {
  return x->count;
}

size_t pir_executable_bytes(const pir_executable *x) {
  return x->bytes;
}
