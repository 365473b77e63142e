// Threads that run on some processors alone.
#ifndef PIR_LAYER_BOUND_THREAD_H
#define PIR_LAYER_BOUND_THREAD_H

#include <pir/base.h>

#include <pthread.h>

PIR_BEGIN

// Processors by the numbers that the system gives them. A `count` of 0: all of them.
typedef struct pir_processors {
  // Their numbers.
  const int *numbers;
  // Entries of `numbers`.
  size_t count;
} pir_processors;

// Whether threads of this process can be bound to all of these. PIR_INVALID: one of them does
// not exist, or the process may not use it. PIR_UNSUPPORTED: this system binds no threads.
// PIR_EXHAUSTED: no thread can be started.
PIR_API PIR_NODISCARD pir_status pir_processors_check(pir_processors on);
// Starts a thread on processors that were checked. PIR_EXHAUSTED: it cannot be started.
PIR_API PIR_NODISCARD pir_status pir_bound_thread_start(pir_processors on,
                                                        void *(*run)(void *argument),
                                                        void *argument, pthread_t *out_thread);

PIR_END
#endif
