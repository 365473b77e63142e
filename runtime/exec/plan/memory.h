// Memory of the executor: blocks from the caller's allocator, growing arrays in an arena on top
// of it, and a map from words to numbers.
#ifndef PIR_EXEC_MEMORY_H
#define PIR_EXEC_MEMORY_H

#include <arena.h>

// Allocates a block aligned to 64 bytes, or returns NULL. `size` 0 is taken as 1.
void *pir_mem_get(const pir_allocator *allocator, size_t size);
void pir_mem_give(const pir_allocator *allocator, void *memory, size_t size);
// Allocates a block that stays for long: a large one gets new pages, which may be huge. Pages
// of blocks that were freed before are often small, and stay so.
void *pir_mem_get_lasting(const pir_allocator *allocator, size_t size);

// These need an arena of a heap.

// Makes room for one more element in an array of `count`; the old array stays in the arena.
void pir_array_room(pir_arena *a, void *array, uint32_t count, uint32_t *capacity,
                    size_t element);
// The new last element.
#define ARRAY_PUSH(a, array, count, capacity)                                                  \
  (pir_array_room((a), &(array), (count), &(capacity), sizeof *(array)), &(array)[(count)++])

// A map from words (pointers, dims) to numbers. The zero value is empty.
typedef struct word_map {
  uint64_t *keys;
  uint32_t *numbers;  // + 1; 0 is a free place
  uint32_t count, capacity;
} word_map;

bool pir_word_map_find(const word_map *map, uint64_t key, uint32_t *out_number);
void pir_word_map_set(pir_arena *a, word_map *map, uint64_t key, uint32_t number);

#endif
