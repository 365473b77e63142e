// Blocks are doubly linked, so that blocks which were never freed are found when the heap is
// destroyed.

#include <heap.h>

#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

struct pir_heap_block {
  pir_heap_block *next, **place;  // `place` is the link that points here
  size_t size;                    // size in bytes, including this header
  size_t pad;
};

struct pir_catch {
  pir_catch *outer;
  pir_guard *guards;  // those that were open before
  jmp_buf target;
};

static void *take_from_malloc(void *user, size_t size, size_t align) {
  return malloc(size);
}
static void give_to_malloc(void *user, void *memory, size_t size) {
  free(memory);
}

void pir_heap_init(pir_heap *heap, const pir_allocator *source) {
  *heap = (pir_heap){.source = {take_from_malloc, give_to_malloc, NULL}};
  if (source && source->alloc)
    heap->source = *source;
}

static void give_block(pir_heap *heap, pir_heap_block *block) {
  PIR_UNPOISON(block, block->size);
  if (heap->source.release)
    heap->source.release(heap->source.user, block, block->size);
}

void pir_heap_release(pir_heap *heap) {
  for (pir_heap_block *block = heap->blocks, *next; block; block = next) {
    next = block->next;
    give_block(heap, block);
  }
  heap->blocks = NULL;
  heap->held = 0;
}

static bool is_beyond_limit(const pir_heap *heap, size_t size) {
  return heap->limit && (size > heap->limit || heap->held > heap->limit - size);
}

void *pir_heap_take(pir_heap *heap, size_t size) {
  size_t total;
  bool overflow = __builtin_add_overflow(size, sizeof(pir_heap_block), &total);
  heap->limited = overflow || is_beyond_limit(heap, total);
  pir_heap_block *block =
      heap->limited ? NULL : heap->source.alloc(heap->source.user, total, 16);
  if (!block)
    pir_heap_fail(heap);
  *block = (pir_heap_block){.next = heap->blocks, .place = &heap->blocks, .size = total};
  if (block->next)
    block->next->place = &block->next;
  heap->blocks = block;
  heap->held += total;
  return block + 1;
}

void *pir_heap_take_zeroed(pir_heap *heap, size_t size) {
  return memset(pir_heap_take(heap, size), 0, size);
}

void pir_heap_give(pir_heap *heap, void *taken) {
  if (!taken)
    return;
  pir_heap_block *block = (pir_heap_block *)taken - 1;
  *block->place = block->next;
  if (block->next)
    block->next->place = block->place;
  heap->held -= block->size;
  give_block(heap, block);
}

// ---- failure

// Closes a guard before running it, so that its resource is released exactly once.
static void undo_guards(pir_heap *heap, const pir_guard *last) {
  while (heap->guards != last) {
    pir_guard *guard = heap->guards;
    pir_guard_close(guard);
    guard->undo(guard->what);
  }
}

void pir_heap_fail(pir_heap *heap) {
  while (!heap->catch && heap->outer) {
    heap->outer->limited = heap->limited;
    heap = heap->outer;
  }
  if (heap->catch) {
    undo_guards(heap, heap->catch->guards);
    longjmp(heap->catch->target, 1);
  }
  undo_guards(heap, NULL);
  if (heap->out_of_memory)
    heap->out_of_memory(heap->out_of_memory_user);
  __builtin_trap();
}

pir_status pir_heap_catch(pir_heap *heap, pir_status (*body)(void *user), void *user,
                          bool *out_jumped) {
  pir_catch here = {.outer = heap->catch, .guards = heap->guards};
  pir_status status = PIR_EXHAUSTED;
  bool jumped = true;
  heap->catch = &here;
  if (!setjmp(here.target)) {
    status = body(user);
    jumped = false;
  }
  heap->catch = here.outer;
  if (out_jumped)
    *out_jumped = jumped;
  return status;
}

void pir_guard_open(pir_heap *heap, pir_guard *guard, void (*undo)(void *what), void *what) {
  *guard =
      (pir_guard){.outer = heap->guards, .place = &heap->guards, .undo = undo, .what = what};
  if (guard->outer)
    guard->outer->place = &guard->outer;
  heap->guards = guard;
}

void pir_guard_close(pir_guard *guard) {
  *guard->place = guard->outer;
  if (guard->outer)
    guard->outer->place = guard->place;
}
