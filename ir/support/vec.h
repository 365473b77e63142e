// A growing array in an arena. PIR_VEC(type) declares the struct; the macros below work on
// every such struct.
#ifndef PIR_SUPPORT_VEC_H
#define PIR_SUPPORT_VEC_H

#include <arena.h>

#define PIR_VEC(type)                                                                          \
  struct {                                                                                     \
    type *items;                                                                               \
    size_t count, capacity;                                                                    \
  }

// Returns the capacity to which an array of `capacity` elements grows so that it holds `n`.
static inline size_t pir_vec_grown(size_t capacity, size_t n) {
  size_t doubled = capacity ? capacity * 2 : 8;
  return doubled < n ? n : doubled;
}

#define pir_vec_reserve(arena, vec, n)                                                         \
  do {                                                                                         \
    if ((n) > (vec)->capacity) {                                                               \
      size_t pir_cap_ = pir_vec_grown((vec)->capacity, (n));                                   \
      (vec)->items =                                                                           \
          pir_arena_resize((arena), (vec)->items, (vec)->capacity * sizeof *(vec)->items,      \
                           pir_arena_size((arena), pir_cap_, sizeof *(vec)->items));           \
      (vec)->capacity = pir_cap_;                                                              \
    }                                                                                          \
  } while (0)

#define pir_vec_push(arena, vec, item)                                                         \
  do {                                                                                         \
    pir_vec_reserve((arena), (vec), (vec)->count + 1);                                         \
    (vec)->items[(vec)->count++] = (item);                                                     \
  } while (0)

#define pir_vec_pop(vec) ((vec)->items[--(vec)->count])

#define pir_vec_free(arena, vec)                                                               \
  do {                                                                                         \
    pir_arena_free((arena), (vec)->items, (vec)->capacity * sizeof *(vec)->items);             \
    (vec)->items = NULL;                                                                       \
    (vec)->count = (vec)->capacity = 0;                                                        \
  } while (0)

#endif
