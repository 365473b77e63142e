// Arenas that sessions share. A run takes the arena, and gives it back at its end with the
// block that it has grown to. A session whose pointers lead into another block sets up its
// frame again.
#include "session_impl.h"

#include <pir/engine/session_arena.h>

struct pir_session_arena {
  pir_allocator allocator;
  atomic_int holders;
  atomic_bool taken;    // a session runs in it; who takes it owns `block`
  atomic_size_t bytes;  // of `block`, for threads that ask
  owned_block block;
};

pir_status pir_session_arena_create(const pir_allocator *given, pir_session_arena **out_arena) {
  static const pir_allocator standard;
  const pir_allocator *allocator = given ? given : &standard;
  if (!out_arena)
    return PIR_INVALID;
  *out_arena = pir_mem_get(allocator, sizeof **out_arena);
  if (!*out_arena)
    return PIR_EXHAUSTED;
  **out_arena = (pir_session_arena){.allocator = *allocator};
  atomic_init(&(*out_arena)->holders, 1);
  return PIR_OK;
}

static void free_shared_block(pir_session_arena *a) {
  pir_mem_give(&a->allocator, a->block.data, a->block.bytes);
  a->block = (owned_block){0};
  atomic_store(&a->bytes, 0);
}

void pir_session_arena_release(pir_session_arena *a) {
  if (!a || atomic_fetch_sub(&a->holders, 1) != 1)
    return;
  free_shared_block(a);
  pir_allocator allocator = a->allocator;
  pir_mem_give(&allocator, a, sizeof *a);
}

size_t pir_session_arena_bytes(const pir_session_arena *a) {
  return a ? atomic_load(&a->bytes) : 0;
}

size_t pir_session_arena_trim(pir_session_arena *a) {
  if (!a || atomic_exchange(&a->taken, true))
    return 0;
  size_t bytes = a->block.bytes;
  free_shared_block(a);
  atomic_store(&a->taken, false);
  return bytes;
}

// ---- turns of sessions

void pir_session_join_arena(pir_session *s, pir_session_arena *a) {
  s->shared = a;
  if (a)
    atomic_fetch_add(&a->holders, 1);
}

const pir_allocator *pir_session_arena_source(const pir_session *s) {
  return s->shared ? &s->shared->allocator : &s->allocator;
}

pir_status pir_session_enter_arena(pir_session *s) {
  pir_session_arena *a = s->shared;
  if (!a)
    return PIR_OK;
  if (atomic_exchange(&a->taken, true))
    return pir_exec_fail(&s->frame.message, PIR_INVALID,
                         "another session runs in the arena that this one shares with it");
  if (a->block.data != s->arena.data)
    s->current = NULL;
  s->arena = a->block;
  return PIR_OK;
}

void pir_session_leave_arena(pir_session *s) {
  pir_session_arena *a = s->shared;
  if (!a)
    return;
  s->stats.arena_bytes = s->arena.bytes;
  a->block = s->arena;
  atomic_store(&a->bytes, a->block.bytes);
  atomic_store(&a->taken, false);
}
