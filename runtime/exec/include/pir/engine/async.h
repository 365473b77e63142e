// Runs that go on while the caller does other work
// (docs/explain/execution.md#asynchronous-runs).
//
// From pir_session_run_async until the run ends, the session is used by the run: only
// pir_session_wait and pir_session_cancel may be called, from any thread. NULL for a session
// returns PIR_INVALID.
#ifndef PIR_ASYNC_H
#define PIR_ASYNC_H

#include <pir/engine/model.h>

PIR_BEGIN

// The caller's way to run tasks.
typedef struct pir_executor {
  // Calls task(argument) once, on any thread, at once or later. Returns false when it will not;
  // the task is then never called.
  bool (*submit)(void *user, void (*task)(void *argument), void *argument);
  // Handed to `submit`.
  void *user;
} pir_executor;

// Hears that a run ended, on the thread that ran, with the status that pir_session_run returns.
// It may read outputs and the message, bind, and start the next run; it must not wait for the
// session or destroy it.
typedef void (*pir_done_fn)(void *user, pir_session *session, pir_status status);

// Starts a run on the bound inputs and returns. `executor` is copied; NULL runs on a thread of
// the session's own, which is started once. `on_done` may be NULL. PIR_INVALID: a run of the
// session goes on. PIR_EXHAUSTED: there is no thread, or the executor refused; `on_done` is not
// called then.
PIR_API PIR_NODISCARD pir_status pir_session_run_async(pir_session *session,
                                                       const pir_executor *executor,
                                                       pir_done_fn on_done, void *user);
// Waits until no run goes on and every `on_done` has returned. Returns the status of the last
// run. PIR_NOT_FOUND: none was started.
PIR_API PIR_NODISCARD pir_status pir_session_wait(pir_session *session);
// Ends the run that goes on soon, with PIR_CANCELLED; without one it does nothing. PIR_INVALID:
// the session was created with a flag of the caller's, which cancels instead.
PIR_API PIR_NODISCARD pir_status pir_session_cancel(pir_session *session);

PIR_END
#endif
