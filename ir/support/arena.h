// Many small blocks: bump allocation from chunks, with free lists by size class. Destroying the
// arena frees everything. The caller states a block's size when freeing it, so blocks have no
// header.
//
// An arena works in one of two modes. An arena of a heap never returns NULL: when memory runs
// out, control jumps to the heap's catch. An arena of an allocator (`heap` is NULL) returns
// NULL when memory runs out, and again for every request after it, so a builder checks `failed`
// once at its end; {.source = ..} makes one, and the zero value takes memory from malloc.
// Growing arrays, text and maps (vec.h, strbuf.h, map.h) need an arena of a heap.
#ifndef PIR_SUPPORT_ARENA_H
#define PIR_SUPPORT_ARENA_H

#include <heap.h>

enum {
  PIR_ARENA_STEP = 8,         // granularity and alignment
  PIR_ARENA_SMALL = 512,      // up to here one free list for each step
  PIR_ARENA_LARGE = 1 << 16,  // up to here powers of two; beyond, a block of its own
  PIR_ARENA_CLASSES = PIR_ARENA_SMALL / PIR_ARENA_STEP + 1 + 7
};

typedef struct pir_arena_chunk pir_arena_chunk;

typedef struct pir_arena {
  char *cursor, *end;
  bool failed;  // without a heap: memory ran out
  void *free[PIR_ARENA_CLASSES];
  pir_arena_chunk *chunks, *large;
  size_t next_chunk;  // its size; 0: none was taken yet
  pir_heap *heap;
  pir_allocator source;  // without a heap
} pir_arena;

// Makes an arena of a heap without allocating. If it is never destroyed it is freed with
// `heap`.
void pir_arena_init(pir_arena *arena, pir_heap *heap);
// Frees everything; the arena is empty then and may be used again.
void pir_arena_destroy(pir_arena *arena);
// Frees everything but the first chunk, which is used again; `failed` is forgotten.
void pir_arena_reset(pir_arena *arena);

// Aligned to 8. A size of 0 gives a pointer that may not be read.
void *pir_arena_alloc(pir_arena *arena, size_t size);
void *pir_arena_zalloc(pir_arena *arena, size_t size);
// pir_arena_zalloc as a callback; `arena` is a pir_arena.
void *pir_arena_take(void *arena, size_t size);
// Frees a block; `size` must be the requested size.
void pir_arena_free(pir_arena *arena, void *memory, size_t size);
void *pir_arena_copy(pir_arena *arena, const void *data, size_t size);
// A copy with a NUL behind it; the empty text when memory ran out.
pir_str pir_arena_text(pir_arena *arena, pir_str text);
// Moves a block to one of another size.
void *pir_arena_resize(pir_arena *arena, void *memory, size_t old_size, size_t new_size);
// count * item as a size; an overflow is out of memory.
size_t pir_arena_size(pir_arena *arena, size_t count, size_t item);

// Scratch memory of a context, for layers above ir: free all that you allocate.
struct pir_context;
pir_arena *pir_context_arena(struct pir_context *ctx);

#endif
