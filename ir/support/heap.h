// The memory of one context: its allocator, its limit, and the handling of exhaustion.
//
// Code that allocates from a heap never sees NULL. When memory runs out, control jumps to the
// innermost pir_heap_catch, which returns PIR_EXHAUSTED; when work has to end early, to the
// same place, which returns PIR_CANCELLED. Before the jump, the guards registered
// since that catch run, innermost first; they undo effects other than memory. Blocks that are
// still allocated remain owned by the pir_heap and are freed with it. Two rules follow for code
// inside a catch. While it allocates, it may own other resources (descriptors, mappings, malloc
// memory, locks) only under a guard. It changes tables that outlive the catch only after all
// memory for the change is allocated. One thread at a time; nothing outside the struct is
// written.
#ifndef PIR_SUPPORT_HEAP_H
#define PIR_SUPPORT_HEAP_H

#include <pir/base.h>
#include <pir/layer/watch.h>

// Marks bytes as inaccessible for AddressSanitizer.
#if defined(__SANITIZE_ADDRESS__)
#define PIR_HEAP_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define PIR_HEAP_ASAN 1
#endif
#endif
#ifdef PIR_HEAP_ASAN
#include <sanitizer/asan_interface.h>
#define PIR_POISON(p, n) __asan_poison_memory_region((p), (n))
#define PIR_UNPOISON(p, n) __asan_unpoison_memory_region((p), (n))
#else
#define PIR_POISON(p, n) ((void)0)
#define PIR_UNPOISON(p, n) ((void)0)
#endif

typedef struct pir_heap pir_heap;
typedef struct pir_heap_block pir_heap_block;
typedef struct pir_catch pir_catch;

// A guard: called with `what` when a jump leaves the function that opened it. It lives in that
// function's frame.
typedef struct pir_guard {
  struct pir_guard *outer, **place;
  void (*undo)(void *what);
  void *what;
} pir_guard;

struct pir_heap {
  pir_allocator source;
  size_t held, limit;  // bytes taken from `source`; limit 0 is none
  bool limited;        // the last failure: the limit was hit, there was memory
  pir_status failure;  // of the last jump
  pir_watch watch;     // that pir_heap_poll looks at, if `watched`
  bool watched;
  pir_heap_block *blocks;  // all that are taken
  pir_catch *catch;        // innermost; NULL: none
  pir_guard *guards;       // innermost
  pir_heap *outer;         // whose catch is jumped to where this has none; may be NULL
  void (*out_of_memory)(void *user);  // without any catch: must not return. NULL traps
  void *out_of_memory_user;
};

// `source` may be NULL (malloc).
void pir_heap_init(pir_heap *heap, const pir_allocator *source);
void pir_heap_release(pir_heap *heap);  // frees all blocks

// Aligned to 16; never NULL.
void *pir_heap_take(pir_heap *heap, size_t size);
void *pir_heap_take_zeroed(pir_heap *heap, size_t size);
void pir_heap_give(pir_heap *heap, void *block);  // NULL does nothing
_Noreturn void pir_heap_fail(pir_heap *heap);

// Counts memory that comes from elsewhere and belongs to the work of this heap, until
// pir_heap_discharge; fails beyond the limit.
void pir_heap_charge(pir_heap *heap, size_t size);
void pir_heap_discharge(pir_heap *heap, size_t size);

// From now on pir_heap_poll ends work; NULL: no longer.
void pir_heap_watch(pir_heap *heap, const pir_watch *watch);
void pir_heap_end_if_stopped(pir_heap *heap);
// Jumps to the innermost catch if the watched work has to end; without a catch it returns. It
// is called where an allocation might jump, too, before a piece of work that may take long.
static inline void pir_heap_poll(pir_heap *heap) {
  if (heap->watched)
    pir_heap_end_if_stopped(heap);
}

// Runs body(user) and returns its status, or with `*out_jumped` set (it may be NULL)
// PIR_EXHAUSTED if memory ran out below, PIR_CANCELLED if the work had to end.
pir_status pir_heap_catch(pir_heap *heap, pir_status (*body)(void *user), void *user,
                          bool *out_jumped);

// Does so for work that ends early alone: exhausted memory goes to the hook.
pir_status pir_heap_catch_end(pir_heap *heap, pir_status (*body)(void *user), void *user,
                              bool *out_jumped);

void pir_guard_open(pir_heap *heap, pir_guard *guard, void (*undo)(void *what), void *what);
void pir_guard_close(
    pir_guard *guard);  // does not undo; in any order, but in the catch it was opened in

// Of a context.
struct pir_context;
pir_heap *pir_context_heap(struct pir_context *ctx);
// Runs body(user) within a catch of the context, and reports exhausted memory. It is a plain
// call if a caller already has a catch, or the context has a hook. Every public function that
// returns a status does its work in such a body.
pir_status pir_context_enter(struct pir_context *ctx, pir_status (*body)(void *user),
                             void *user);

// Notes the work of a function with a status ("in pass ", name), for the report when it ends
// early, and the op at which it is; polls.
void pir_context_note_task(struct pir_context *ctx, const char *what, pir_str name);
void pir_context_note_place(struct pir_context *ctx, uint64_t at);

struct pir_program;
// A guard that destroys a program under construction.
void pir_program_guard(struct pir_program *program, pir_guard *guard);

// The heap of facts: their program's context owns it.
struct pir_facts;
pir_heap *pir_facts_heap(const struct pir_facts *facts);

struct pir_dims;
struct pir_dims *pir_dims_create_in(
    pir_heap *heap);  // as pir_dims_create (pir/compiler/dims.h), but in a heap; never
                      // NULL

#endif
