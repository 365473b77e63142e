// Two hash tables with linear probing, in an arena. pir_map maps a pointer (not NULL) to a
// word. pir_set finds items by hash and a comparison that the caller gives.
#ifndef PIR_SUPPORT_MAP_H
#define PIR_SUPPORT_MAP_H

#include <arena.h>

typedef struct pir_map_entry {
  const void *key;
  uint64_t value;
} pir_map_entry;

typedef struct pir_map {
  pir_map_entry *entries;
  size_t count, capacity;  // capacity is 0 or a power of two
} pir_map;

void pir_map_free(pir_arena *arena, pir_map *map);
void pir_map_clear(pir_map *map);
void pir_map_put(pir_arena *arena, pir_map *map, const void *key, uint64_t value);
// Returns the address of the value, valid until the next put; NULL if the key is missing.
uint64_t *pir_map_find(const pir_map *map, const void *key);
// Returns the address of the value; a new key gets `value`.
uint64_t *pir_map_place(pir_arena *arena, pir_map *map, const void *key, uint64_t value);
void pir_map_remove(pir_map *map, const void *key);

static inline void *pir_map_get(const pir_map *map, const void *key) {
  uint64_t *place = pir_map_find(map, key);
  return place ? (void *)(uintptr_t)*place : NULL;
}

typedef struct pir_set_entry {
  uint64_t hash;
  void *item;  // NULL: free
} pir_set_entry;

typedef struct pir_set {
  pir_set_entry *entries;
  size_t count, capacity;
} pir_set;

typedef bool (*pir_set_equal)(const void *item, const void *key);

void pir_set_free(pir_arena *arena, pir_set *set);
// Inline, so that `equal` is inlined too: interning is the inner loop of the readers.
static inline void *pir_set_find(const pir_set *set, uint64_t hash, pir_set_equal equal,
                                 const void *key) {
  if (!set->count)
    return NULL;
  size_t mask = set->capacity - 1;
  for (size_t i = hash & mask; set->entries[i].item; i = (i + 1) & mask)
    if (set->entries[i].hash == hash && equal(set->entries[i].item, key))
      return set->entries[i].item;
  return NULL;
}
// Adds an item that is not in the set.
void pir_set_add(pir_arena *arena, pir_set *set, uint64_t hash, void *item);
void pir_set_remove(pir_set *set, uint64_t hash, const void *item);

#endif
