// Parallel loops: our pool, or the caller's. A loop of `n` units is cut into a few ranges a
// thread; a unit gives the same whoever does it, in whatever range.
#ifndef PIR_PARALLEL_H
#define PIR_PARALLEL_H

#include <pir/base.h>

PIR_BEGIN

// Work on units [begin, end). `thread` is below the thread count and names the scratch to use.
typedef void (*pir_range_fn)(void *user, int64_t begin, int64_t end, int thread);

// How loops are run. `parallel_for` returns when all units are done.
typedef struct pir_parallel {
  void (*parallel_for)(void *pool, int64_t n, pir_range_fn fn, void *user);
  void *pool;
  int threads;  // upper bound of `thread` + 1
} pir_parallel;

PIR_API pir_parallel pir_parallel_serial(void);

typedef struct pir_thread_pool pir_thread_pool;

// `threads` counts the calling thread; 1 starts none. Workers spin briefly, then sleep.
PIR_API pir_status pir_thread_pool_create(int threads, const pir_allocator *allocator,
                                          pir_thread_pool **out_pool);
PIR_API void pir_thread_pool_destroy(pir_thread_pool *pool);
PIR_API pir_parallel pir_thread_pool_parallel(pir_thread_pool *pool);

PIR_END
#endif
