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
  bool ends_only;     // of work that ends early; exhausted memory goes to the hook
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

void pir_heap_charge(pir_heap *heap, size_t size) {
  heap->limited = is_beyond_limit(heap, size);
  if (heap->limited)
    pir_heap_fail(heap);
  heap->held += size;
}

void pir_heap_discharge(pir_heap *heap, size_t size) {
  heap->held -= size;
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

static _Noreturn void leave(pir_heap *heap, pir_status failure) {
  while (!heap->catch && heap->outer) {
    heap->outer->limited = heap->limited;
    heap = heap->outer;
  }
  bool hooked = heap->catch && heap->catch->ends_only && failure == PIR_EXHAUSTED;
  if (heap->catch && !hooked) {
    heap->failure = failure;
    undo_guards(heap, heap->catch->guards);
    longjmp(heap->catch->target, 1);
  }
  undo_guards(heap, NULL);
  if (heap->out_of_memory)
    heap->out_of_memory(heap->out_of_memory_user);
  __builtin_trap();
}

void pir_heap_fail(pir_heap *heap) {
  leave(heap, PIR_EXHAUSTED);
}

void pir_heap_end_if_stopped(pir_heap *heap) {
  if (heap->catch && pir_watch_ended(&heap->watch))
    leave(heap, PIR_CANCELLED);
}

void pir_heap_watch(pir_heap *heap, const pir_watch *watch) {
  heap->watched = watch != NULL;
  heap->watch = watch ? *watch : (pir_watch){0};
}

static pir_status catch_jumps(pir_heap *heap, bool ends_only, pir_status (*body)(void *user),
                              void *user, bool *out_jumped) {
  pir_catch here = {.outer = heap->catch, .guards = heap->guards, .ends_only = ends_only};
  pir_status status = PIR_EXHAUSTED;
  bool jumped = true;
  heap->catch = &here;
  if (!setjmp(here.target)) {
    status = body(user);
    jumped = false;
  }
  if (jumped)
    status = heap->failure;
  heap->catch = here.outer;
  if (out_jumped)
    *out_jumped = jumped;
  return status;
}

pir_status pir_heap_catch(pir_heap *heap, pir_status (*body)(void *user), void *user,
                          bool *out_jumped) {
  return catch_jumps(heap, false, body, user, out_jumped);
}

pir_status pir_heap_catch_end(pir_heap *heap, pir_status (*body)(void *user), void *user,
                              bool *out_jumped) {
  return catch_jumps(heap, true, body, user, out_jumped);
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
