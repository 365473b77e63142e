// The asynchronous runs of a session.
#ifndef PIR_ASYNC_STATE_H
#define PIR_ASYNC_STATE_H

#include <pir/engine/async.h>
#include <pthread.h>

typedef struct async_state {
  pthread_mutex_t lock;
  pthread_cond_t changed;
  pir_atomic_int cancelled;  // set only while a run goes on
  bool has_flag;             // the caller cancels by a flag of its own
  // Below: under the lock.
  bool is_busy;         // from the start of a run until it ends
  bool has_run;         // a run has ended before
  uint32_t unfinished;  // runs whose `on_done` has not returned
  pir_status status;    // of the last run
  pir_done_fn on_done;
  void *user;
  // The session's own thread.
  pthread_t worker;
  bool has_worker, is_given, ends;  // whether it has a task, and has to end
} async_state;

// `flag` is the caller's, or NULL.
void pir_async_init(async_state *a, const pir_atomic_int *flag);
// Cancels the run that goes on and waits for its end, and for the thread's.
void pir_async_end(async_state *a);

#endif
