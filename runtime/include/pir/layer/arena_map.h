// The places of buffers in a session's arena, for tools that draw it.
#ifndef PIR_ARENA_MAP_H
#define PIR_ARENA_MAP_H

#include <pir/base.h>

PIR_BEGIN

typedef struct pir_session pir_session;  // pir/engine/model.h

// A buffer of the arena.
typedef struct pir_arena_piece {
  // Where it begins, and its size, in bytes.
  uint64_t offset, bytes;
  // Numbers of the instructions that write it first and use it last.
  uint32_t first, last;
} pir_arena_piece;

// Calls `take` for each buffer that the last run had in the arena, in the order of the plan.
// Left out are buffers without bytes, buffers whose size only the run shows, and memory of
// devices. Does nothing before the first run and for sessions whose tensors lie apart.
PIR_API void pir_session_arena_map(const pir_session *session,
                                   void (*take)(void *user, const pir_arena_piece *piece),
                                   void *user);

PIR_END
#endif
