// One arena for many sessions (docs/explain/execution.md#sessions-that-take-turns). A session
// keeps the values between its ops in an arena, which by default is its own. Sessions that
// never run at the same time may share one (`arena` of pir_session_options): it grows to the
// largest need, not to the sum. Outputs never lie in it.
//
// Sessions of any models may share an arena, on any threads, one run after the other. A run
// while another session runs in the arena does nothing and returns PIR_INVALID.
#ifndef PIR_SESSION_ARENA_H
#define PIR_SESSION_ARENA_H

#include <pir/engine/model.h>

PIR_BEGIN

typedef struct pir_session_arena pir_session_arena;

// Creates an empty arena. `allocator` may be NULL; else it must outlive the arena, and is
// called on the threads that run. On success the caller holds one reference, and each session
// that is created with the arena another one. PIR_EXHAUSTED: there is no memory.
PIR_API PIR_NODISCARD pir_status pir_session_arena_create(const pir_allocator *allocator,
                                                          pir_session_arena **out_arena);
// Drops a reference; the last one frees the arena. From any thread. NULL does nothing.
PIR_API void pir_session_arena_release(pir_session_arena *arena);
// Returns the bytes that the arena holds; 0 for NULL. From any thread.
PIR_API size_t pir_session_arena_bytes(const pir_session_arena *arena);
// Frees the memory until a session needs it again; returns the bytes. Returns 0 for NULL, and
// while a session runs. From any thread.
PIR_API size_t pir_session_arena_trim(pir_session_arena *arena);

PIR_END
#endif
