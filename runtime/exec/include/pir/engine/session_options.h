// How a session runs: the options of pir_session_create (pir/engine/model.h).
#ifndef PIR_SESSION_OPTIONS_H
#define PIR_SESSION_OPTIONS_H

#include <pir/base.h>
#include <pir/diag.h>
#include <pir/engine/parallel.h>
#include <pir/progress.h>
#include <pir/stop.h>

PIR_BEGIN

// One instruction of a run, reported when it ends.
typedef struct pir_span {
  // sizeof(pir_span) of the library that runs (pir/base.h).
  size_t size;
  // Names the ops; lives as long as the model.
  const char *label;
  // Whether it ran generated code.
  bool compiled;
  // Nanoseconds of CLOCK_MONOTONIC.
  uint64_t start_ns, end_ns;
  // Bytes of operands and results; arithmetic operations that the ops ask for, two for each
  // multiply-add, 0 when unknown.
  uint64_t bytes, flops;
  // Number of the compiled group among the model's, from 0; UINT32_MAX: it ran none.
  uint32_t group;
} pir_span;

// How a session runs. The zero value, but for `size`, means all defaults. Pointers must outlive
// the session.
typedef struct pir_session_options {
  // sizeof(pir_session_options) (pir/base.h).
  size_t size;
  // Threads of the session's own pool; 0 and 1: the calling thread alone.
  int threads;
  // The caller's way to run loops, used when `parallel_for` is not NULL.
  pir_parallel parallel;
  // The source of the session's memory, called on the thread that runs.
  pir_allocator allocator;
  // A value other than 0 stops a run soon, with PIR_CANCELLED. Any thread may set it. NULL:
  // runs cannot be cancelled.
  const pir_atomic_int *cancel;
  // Limit for arena and results in bytes; 0: three quarters of the memory of the machine, of
  // the container or of the process, whichever is least. SIZE_MAX: any.
  size_t max_bytes;
  // Called on the thread that runs, after each instruction; NULL: nobody.
  void (*trace)(void *user, const pir_span *span);
  // Handed to `trace`.
  void *trace_user;
  // Seed of random ops without one of their own; 0: the same default for every session.
  uint64_t seed;
  // On a device: the caller's stream of the driver's API, or NULL for one of the session.
  void *device_stream;
  // Gives every tensor memory of its own from `allocator`, of exactly its size, and copies
  // constants there: for memory checkers and guard pages. Slower, and takes more memory.
  bool separate;
  // Hears why pir_session_create fails. NULL `report`: nobody.
  pir_diag_sink sink;
  // Watches the instructions of each run.
  pir_progress_sink progress;
  // Nanoseconds that one run may take, which PIR_CANCELLED ends; 0: any.
  uint64_t max_ns;
  // An arena that sessions share which run in turn (pir/engine/session_arena.h); NULL: the
  // session has one of its own. Not together with `separate`.
  struct pir_session_arena *arena;
  // Processors, as Linux counts them from 0, on which the session's threads run: the workers of
  // its pool and the thread of asynchronous runs. The calling thread stays where it is. So each
  // session can have a share of the machine (docs/explain/execution.md#threads).
  const int *cpus;
  // Entries of `cpus`; 0: all processors.
  size_t cpu_count;
  // The rings of this rank of a distributed program (pir/comm.h), used on the thread that runs;
  // NULL: every ring has one rank.
  struct pir_rings *rings;
  // Runs take subnormal numbers (below 1.2e-38 in f32) for 0, operands and results, as Paddle's
  // predictor does and its executor does not. Each of them takes over a hundred cycles on many
  // processors. PIR_UNSUPPORTED from pir_session_create where the processor cannot. Devices
  // keep them.
  bool flush_subnormals;
} pir_session_options;

PIR_END
#endif
