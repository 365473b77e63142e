// A block of at most 512 bytes is rounded up to 8 bytes; it is popped from the free list of its
// size or bumped from the current chunk, which takes about ten instructions. Medium sizes are
// powers of two in the same chunks. Larger blocks come from the heap and return to it when
// freed. Under AddressSanitizer freed blocks are poisoned.

#include <arena.h>

#include <string.h>

// Header of a chunk, or of a large block (those are linked both ways, since they leave one by
// one).
struct pir_arena_chunk {
  pir_arena_chunk *next, **place;
};

enum { FIRST_CHUNK = 1 << 14, LAST_CHUNK = 1 << 20 };

void pir_arena_init(pir_arena *arena, pir_heap *heap) {
  *arena = (pir_arena){.next_chunk = FIRST_CHUNK, .heap = heap};
}

static void release_chunks(pir_arena *arena, pir_arena_chunk *chunk) {
  while (chunk) {
    pir_arena_chunk *next = chunk->next;
    pir_heap_give(arena->heap, chunk);
    chunk = next;
  }
}

void pir_arena_destroy(pir_arena *arena) {
  release_chunks(arena, arena->chunks);
  release_chunks(arena, arena->large);
  *arena = (pir_arena){0};
}

static pir_arena_chunk *obtain(pir_arena *arena, size_t size, pir_arena_chunk **list) {
  size_t total = sizeof(pir_arena_chunk);
  if (__builtin_add_overflow(size, total, &total))
    pir_heap_fail(arena->heap);
  pir_arena_chunk *chunk = pir_heap_take(arena->heap, total);
  *chunk = (pir_arena_chunk){.next = *list, .place = list};
  if (chunk->next)
    chunk->next->place = &chunk->next;
  *list = chunk;
  return chunk;
}

// The class of a size and the bytes its blocks have; the class is -1 for large blocks.
static int class_of(size_t size, size_t *out_bytes) {
  if (size <= PIR_ARENA_SMALL) {
    size_t steps = (size + PIR_ARENA_STEP - 1) / PIR_ARENA_STEP;
    *out_bytes = (steps ? steps : 1) * PIR_ARENA_STEP;
    return (int)steps;
  }
  if (size > PIR_ARENA_LARGE) {
    *out_bytes = size;
    return -1;
  }
  int bits = 64 - __builtin_clzll(size - 1);
  *out_bytes = (size_t)1 << bits;
  return PIR_ARENA_SMALL / PIR_ARENA_STEP + bits - 9;
}

// The rest of the old chunk is lost; chunks double up to 1 MiB, so that is a few percent.
static void *bump_slow(pir_arena *arena, size_t bytes) {
  size_t size = arena->next_chunk;
  while (size < bytes)
    size *= 2;
  pir_arena_chunk *chunk = obtain(arena, size, &arena->chunks);
  if (arena->next_chunk < LAST_CHUNK)
    arena->next_chunk *= 2;
  arena->cursor = (char *)(chunk + 1);
  arena->end = arena->cursor + size;
  PIR_POISON(arena->cursor, size);
  void *memory = arena->cursor;
  arena->cursor += bytes;
  PIR_UNPOISON(memory, bytes);
  return memory;
}

void *pir_arena_alloc(pir_arena *arena, size_t size) {
  size_t bytes;
  int cls = class_of(size, &bytes);
  if (cls < 0)
    return obtain(arena, size, &arena->large) + 1;
  void *memory = arena->free[cls];
  if (memory) {
    PIR_UNPOISON(memory, bytes);
    memcpy(&arena->free[cls], memory, sizeof(void *));
    return memory;
  }
  if ((size_t)(arena->end - arena->cursor) < bytes)
    return bump_slow(arena, bytes);
  memory = arena->cursor;
  arena->cursor += bytes;
  PIR_UNPOISON(memory, bytes);
  return memory;
}

void *pir_arena_zalloc(pir_arena *arena, size_t size) {
  return memset(pir_arena_alloc(arena, size), 0, size);
}

static void free_large(pir_arena *arena, pir_arena_chunk *chunk) {
  *chunk->place = chunk->next;
  if (chunk->next)
    chunk->next->place = chunk->place;
  pir_heap_give(arena->heap, chunk);
}

void pir_arena_free(pir_arena *arena, void *memory, size_t size) {
  if (!memory)
    return;
  size_t bytes;
  int cls = class_of(size, &bytes);
  if (cls < 0) {
    free_large(arena, (pir_arena_chunk *)memory - 1);
    return;
  }
  memcpy(memory, &arena->free[cls], sizeof(void *));
  arena->free[cls] = memory;
  PIR_POISON(memory, bytes);
}

void *pir_arena_copy(pir_arena *arena, const void *data, size_t size) {
  void *copy = pir_arena_alloc(arena, size);
  if (size)
    memcpy(copy, data, size);
  return copy;
}

void *pir_arena_resize(pir_arena *arena, void *memory, size_t old_size, size_t new_size) {
  void *moved = pir_arena_alloc(arena, new_size);
  size_t kept = old_size < new_size ? old_size : new_size;
  if (memory && kept)
    memcpy(moved, memory, kept);
  pir_arena_free(arena, memory, old_size);
  return moved;
}

size_t pir_arena_size(pir_arena *arena, size_t count, size_t item) {
  size_t total;
  if (__builtin_mul_overflow(count, item, &total))
    pir_heap_fail(arena->heap);
  return total;
}
