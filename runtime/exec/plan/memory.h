// Memory of the executor: blocks from the caller's allocator, an arena on top of them, growing
// arrays, and a map from words to numbers. An arena's failure is sticky, so a builder checks
// once at its end.
#ifndef PIR_EXEC_MEMORY_H
#define PIR_EXEC_MEMORY_H

#include <pir/base.h>

// A block aligned to 64 bytes, or NULL. `size` 0 is taken as 1.
void *pir_mem_get(const pir_allocator *allocator, size_t size);
void pir_mem_give(const pir_allocator *allocator, void *memory, size_t size);

typedef struct bump {
  pir_allocator allocator;
  struct bump_chunk *chunks;
  bool failed;
} bump;

// Zeroed, 16-byte aligned; NULL after a failure. Lives until pir_bump_release.
void *pir_bump_get(bump *a, size_t size);
void *pir_bump_take(void *a, size_t size);  // the same, as a callback
void *pir_bump_copy(bump *a, const void *from, size_t size);
pir_str pir_bump_text(bump *a, pir_str text);  // NUL-terminated copy
void pir_bump_release(bump *a);
// Forgets everything but the first chunk, which is used again.
void pir_bump_reset(bump *a);

// Makes room for one more element in an array of `count`; the old array stays in the arena.
// False after a failure.
bool pir_bump_room(bump *a, void *array, uint32_t count, uint32_t *capacity, size_t element);
#define BUMP_PUSH(a, array, count, capacity)                                                   \
  (pir_bump_room((a), &(array), (count), &(capacity), sizeof *(array)) ? &(array)[(count)++]   \
                                                                       : NULL)

// Words (pointers, dims) to numbers. The zero value is empty.
typedef struct word_map {
  uint64_t *keys;
  uint32_t *numbers;  // + 1; 0 is a free place
  uint32_t count, capacity;
} word_map;

bool pir_word_map_find(const word_map *map, uint64_t key, uint32_t *out_number);
void pir_word_map_set(bump *a, word_map *map, uint64_t key, uint32_t number);

#endif
