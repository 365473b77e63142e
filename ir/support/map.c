// Linear probing at a load of at most 2/3. Removal shifts the following entries back (Knuth
// 6.4, algorithm R), so there are no tombstones and a table that shrinks stays fast.

#include <hash.h>
#include <map.h>

#include <string.h>

enum { FIRST_CAPACITY = 16 };

static bool is_full(size_t count, size_t capacity) {
  return (count + 1) * 3 > capacity * 2;
}
static size_t hash_key(const void *key) {
  return pir_hash_word((uintptr_t)key);
}

void pir_map_free(pir_arena *arena, pir_map *map) {
  pir_arena_free(arena, map->entries, map->capacity * sizeof *map->entries);
  *map = (pir_map){0};
}

void pir_map_clear(pir_map *map) {
  if (map->count)
    memset(map->entries, 0, map->capacity * sizeof *map->entries);
  map->count = 0;
}

static size_t probe(const pir_map *map, const void *key) {
  size_t mask = map->capacity - 1, i = hash_key(key) & mask;
  while (map->entries[i].key && map->entries[i].key != key)
    i = (i + 1) & mask;
  return i;
}

// The table changes only after the memory is allocated.
static void grow_map(pir_arena *arena, pir_map *map) {
  pir_map grown = {.count = map->count,
                   .capacity = map->capacity ? map->capacity * 2 : FIRST_CAPACITY};
  grown.entries =
      pir_arena_zalloc(arena, pir_arena_size(arena, grown.capacity, sizeof *grown.entries));
  for (size_t i = 0; i < map->capacity; i++)
    if (map->entries[i].key)
      grown.entries[probe(&grown, map->entries[i].key)] = map->entries[i];
  pir_arena_free(arena, map->entries, map->capacity * sizeof *map->entries);
  *map = grown;
}

uint64_t *pir_map_find(const pir_map *map, const void *key) {
  if (!map->count)
    return NULL;
  pir_map_entry *entry = &map->entries[probe(map, key)];
  return entry->key ? &entry->value : NULL;
}

uint64_t *pir_map_place(pir_arena *arena, pir_map *map, const void *key, uint64_t value) {
  if (is_full(map->count, map->capacity))
    grow_map(arena, map);
  pir_map_entry *entry = &map->entries[probe(map, key)];
  if (!entry->key) {
    *entry = (pir_map_entry){key, value};
    map->count++;
  }
  return &entry->value;
}

void pir_map_put(pir_arena *arena, pir_map *map, const void *key, uint64_t value) {
  *pir_map_place(arena, map, key, value) = value;
}

// Whether the entry at `at`, whose probing starts at `home`, may fill the hole at `hole`.
static bool may_move(size_t home, size_t hole, size_t at) {
  return hole <= at ? home <= hole || home > at : home <= hole && home > at;
}

void pir_map_remove(pir_map *map, const void *key) {
  if (!map->count)
    return;
  size_t mask = map->capacity - 1, hole = probe(map, key);
  if (!map->entries[hole].key)
    return;
  for (size_t i = (hole + 1) & mask; map->entries[i].key; i = (i + 1) & mask) {
    if (!may_move(hash_key(map->entries[i].key) & mask, hole, i))
      continue;
    map->entries[hole] = map->entries[i];
    hole = i;
  }
  map->entries[hole] = (pir_map_entry){0};
  map->count--;
}

void pir_set_free(pir_arena *arena, pir_set *set) {
  pir_arena_free(arena, set->entries, set->capacity * sizeof *set->entries);
  *set = (pir_set){0};
}

static void place_item(pir_set *set, pir_set_entry entry) {
  size_t mask = set->capacity - 1, i = entry.hash & mask;
  while (set->entries[i].item)
    i = (i + 1) & mask;
  set->entries[i] = entry;
}

static void grow_set(pir_arena *arena, pir_set *set) {
  pir_set grown = {.count = set->count,
                   .capacity = set->capacity ? set->capacity * 2 : FIRST_CAPACITY};
  grown.entries =
      pir_arena_zalloc(arena, pir_arena_size(arena, grown.capacity, sizeof *grown.entries));
  for (size_t i = 0; i < set->capacity; i++)
    if (set->entries[i].item)
      place_item(&grown, set->entries[i]);
  pir_arena_free(arena, set->entries, set->capacity * sizeof *set->entries);
  *set = grown;
}

void pir_set_add(pir_arena *arena, pir_set *set, uint64_t hash, void *item) {
  if (is_full(set->count, set->capacity))
    grow_set(arena, set);
  place_item(set, (pir_set_entry){hash, item});
  set->count++;
}

void pir_set_remove(pir_set *set, uint64_t hash, const void *item) {
  if (!set->count)
    return;
  size_t mask = set->capacity - 1, hole = hash & mask;
  while (set->entries[hole].item && set->entries[hole].item != item)
    hole = (hole + 1) & mask;
  if (!set->entries[hole].item)
    return;
  for (size_t i = (hole + 1) & mask; set->entries[i].item; i = (i + 1) & mask) {
    if (!may_move(set->entries[i].hash & mask, hole, i))
      continue;
    set->entries[hole] = set->entries[i];
    hole = i;
  }
  set->entries[hole] = (pir_set_entry){0};
  set->count--;
}
