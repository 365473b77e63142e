// Parallel loops, run by the library's pool or by the caller's. A loop of `n` units is cut into
// a few ranges for each thread. A unit computes the same numbers on every thread and in every
// range, so results do not depend on the number of threads.
#ifndef PIR_PARALLEL_H
#define PIR_PARALLEL_H

#include <pir/base.h>

PIR_BEGIN

// Does units [begin, end). `thread` is less than the number of threads; no two ranges that run
// at the same time have the same `thread`, so it selects scratch memory.
typedef void (*pir_range_fn)(void *user, int64_t begin, int64_t end, int thread);

// A way to run loops.
typedef struct pir_parallel {
  // Calls `fn` for ranges that cover [0, n) exactly once and returns when all are done. `fn`
  // may be called on any thread.
  void (*parallel_for)(void *pool, int64_t n, pir_range_fn fn, void *user);
  // Handed to `parallel_for`.
  void *pool;
  // `thread` is always less than this.
  int threads;
} pir_parallel;

// Returns the way that runs each loop as one range on the calling thread.
PIR_API pir_parallel pir_parallel_serial(void);

// A pool of worker threads.
typedef struct pir_thread_pool pir_thread_pool;

// Creates a pool. `threads` counts the calling thread, so 1 starts none. Idle workers spin for
// some microseconds, then sleep. `allocator` may be NULL; it is called by this function and by
// destroy. Returns PIR_INVALID for a bad number and PIR_EXHAUSTED when a thread or memory
// cannot be had. The caller destroys the pool.
PIR_API PIR_NODISCARD pir_status pir_thread_pool_create(int threads,
                                                        const pir_allocator *allocator,
                                                        pir_thread_pool **out_pool);
// Creates a pool whose workers run on `cpu_count` processors alone, which the system counts
// from 0; the calling thread stays where it is. With a `cpu_count` of 0 it is
// pir_thread_pool_create. Fails as that does, with PIR_INVALID also for a processor that does
// not exist or that the process may not use, and with PIR_UNSUPPORTED on systems other than
// Linux.
PIR_API PIR_NODISCARD pir_status pir_thread_pool_create_on(int threads, const int *cpus,
                                                           size_t cpu_count,
                                                           const pir_allocator *allocator,
                                                           pir_thread_pool **out_pool);
// Ends the workers and frees the pool; no loop may be running. NULL does nothing.
PIR_API void pir_thread_pool_destroy(pir_thread_pool *pool);
// Returns a way to run loops on the pool, valid as long as the pool. Any thread may use it: a
// loop that starts while another one runs is run by its caller alone.
PIR_API pir_parallel pir_thread_pool_parallel(pir_thread_pool *pool);

PIR_END
#endif
