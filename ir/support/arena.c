// A block of at most 512 bytes is rounded up to 8 bytes; it is popped from the free list of its
// size or bumped from the current chunk, which takes about ten instructions. Medium sizes are
// powers of two in the same chunks. Larger blocks come from the heap and return to it when
// freed. Under AddressSanitizer freed blocks are poisoned.

#include <arena.h>

#include <stdlib.h>
#include <string.h>

// Header of a chunk, or of a large block. Large blocks are doubly linked, because they are
// freed one by one.
struct pir_arena_chunk {
  pir_arena_chunk *next, **place;
  size_t size;  // bytes of memory after this header
  size_t pad;
};

// An arena without a heap is mostly small: a frame or a scratch.
enum { FIRST_CHUNK = 1 << 14, FIRST_CHUNK_WITHOUT_HEAP = 1 << 12, LAST_CHUNK = 1 << 20 };

void pir_arena_init(pir_arena *arena, pir_heap *heap) {
  *arena = (pir_arena){.heap = heap};
}

// ---- chunks

static void *fail_arena(pir_arena *arena) {
  if (arena->heap)
    pir_heap_fail(arena->heap);
  arena->failed = true;
  return NULL;
}

static pir_arena_chunk *take_chunk(pir_arena *arena, size_t total) {
  if (arena->heap)
    return pir_heap_take(arena->heap, total);
  if (arena->failed || total > PTRDIFF_MAX)
    return NULL;
  if (arena->source.alloc)
    return arena->source.alloc(arena->source.user, total, 16);
  return malloc(total);
}

static void give_chunk(pir_arena *arena, pir_arena_chunk *chunk) {
  PIR_UNPOISON(chunk, sizeof *chunk + chunk->size);
  if (arena->heap)
    pir_heap_give(arena->heap, chunk);
  else if (!arena->source.alloc)
    free(chunk);
  else if (arena->source.release)
    arena->source.release(arena->source.user, chunk, sizeof *chunk + chunk->size);
}

static void give_chunks(pir_arena *arena, pir_arena_chunk *chunk) {
  while (chunk) {
    pir_arena_chunk *next = chunk->next;
    give_chunk(arena, chunk);
    chunk = next;
  }
}

static void use_chunk(pir_arena *arena, pir_arena_chunk *chunk) {
  arena->cursor = (char *)(chunk + 1);
  arena->end = arena->cursor + chunk->size;
  PIR_POISON(arena->cursor, chunk->size);
}

void pir_arena_destroy(pir_arena *arena) {
  give_chunks(arena, arena->chunks);
  give_chunks(arena, arena->large);
  *arena = (pir_arena){.heap = arena->heap, .source = arena->source};
}

void pir_arena_reset(pir_arena *arena) {
  pir_arena_chunk *first = arena->chunks;
  while (first && first->next) {
    pir_arena_chunk *next = first->next;
    give_chunk(arena, first);
    first = next;
  }
  give_chunks(arena, arena->large);
  *arena = (pir_arena){.chunks = first,
                       .next_chunk = arena->next_chunk,
                       .heap = arena->heap,
                       .source = arena->source};
  if (!first)
    return;
  first->place = &arena->chunks;
  use_chunk(arena, first);
}

// A chunk of `size` bytes at the head of the list; NULL when memory ran out.
static pir_arena_chunk *obtain(pir_arena *arena, size_t size, pir_arena_chunk **list) {
  size_t total = sizeof(pir_arena_chunk);
  if (__builtin_add_overflow(size, total, &total))
    return fail_arena(arena);
  pir_arena_chunk *chunk = take_chunk(arena, total);
  if (!chunk)
    return fail_arena(arena);
  *chunk = (pir_arena_chunk){.next = *list, .place = list, .size = size};
  if (chunk->next)
    chunk->next->place = &chunk->next;
  *list = chunk;
  return chunk;
}

// Returns the class of a size and the block size of the class; the class is -1 for large
// blocks.
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

// The rest of the old chunk is wasted; chunks double up to 1 MiB, so the waste is a few
// percent.
static void *bump_slow(pir_arena *arena, size_t bytes) {
  size_t size = arena->next_chunk;
  if (!size)
    size = arena->heap ? FIRST_CHUNK : FIRST_CHUNK_WITHOUT_HEAP;
  while (size < bytes)
    size *= 2;
  pir_arena_chunk *chunk = obtain(arena, size, &arena->chunks);
  if (!chunk)
    return NULL;
  arena->next_chunk = size < LAST_CHUNK ? size * 2 : size;
  use_chunk(arena, chunk);
  void *memory = arena->cursor;
  arena->cursor += bytes;
  PIR_UNPOISON(memory, bytes);
  return memory;
}

void *pir_arena_alloc(pir_arena *arena, size_t size) {
  size_t bytes;
  int cls = class_of(size, &bytes);
  if (cls < 0) {
    pir_arena_chunk *chunk = obtain(arena, size, &arena->large);
    return chunk ? chunk + 1 : NULL;
  }
  if (arena->failed)
    return NULL;
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
  void *memory = pir_arena_alloc(arena, size);
  return memory ? memset(memory, 0, size) : NULL;
}

void *pir_arena_take(void *arena, size_t size) {
  return pir_arena_zalloc(arena, size);
}

static void free_large(pir_arena *arena, pir_arena_chunk *chunk) {
  *chunk->place = chunk->next;
  if (chunk->next)
    chunk->next->place = chunk->place;
  give_chunk(arena, chunk);
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
  if (copy && size)
    memcpy(copy, data, size);
  return copy;
}

pir_str pir_arena_text(pir_arena *arena, pir_str text) {
  char *copy = pir_arena_alloc(arena, text.size + 1);
  if (!copy)
    return (pir_str){"", 0};
  if (text.size)
    memcpy(copy, text.data, text.size);
  copy[text.size] = 0;
  return (pir_str){copy, text.size};
}

void *pir_arena_resize(pir_arena *arena, void *memory, size_t old_size, size_t new_size) {
  void *moved = pir_arena_alloc(arena, new_size);
  if (!moved)
    return NULL;
  size_t kept = old_size < new_size ? old_size : new_size;
  if (memory && kept)
    memcpy(moved, memory, kept);
  pir_arena_free(arena, memory, old_size);
  return moved;
}

size_t pir_arena_size(pir_arena *arena, size_t count, size_t item) {
  size_t total;
  if (__builtin_mul_overflow(count, item, &total)) {
    (void)fail_arena(arena);
    return SIZE_MAX;
  }
  return total;
}
