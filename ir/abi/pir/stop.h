// Ending work early: a flag that any thread may set, and a limit of time. Work that is ended
// returns PIR_CANCELLED.
#ifndef PIR_STOP_H
#define PIR_STOP_H

#include <pir/base.h>

// An int that one thread may write while another reads it.
#ifdef __cplusplus
#include <atomic>
typedef std::atomic<int> pir_atomic_int;
#else
#include <stdatomic.h>
typedef atomic_int pir_atomic_int;
#endif

PIR_BEGIN

// When work ends early. The zero value: after the default time of the function that takes it.
typedef struct pir_stop {
  // A value other than 0 ends the work soon; it must outlive the work. NULL: no flag.
  const pir_atomic_int *cancel;
  // Nanoseconds that the work may take; 0: the default, UINT64_MAX: any.
  uint64_t max_ns;
  // Zero: room for later versions.
  uint64_t reserved[2];
} pir_stop;

// Work that has begun and ends early.
typedef struct pir_watch {
  const pir_atomic_int *cancel;
  // On CLOCK_MONOTONIC, in nanoseconds; 0: none.
  uint64_t deadline;
} pir_watch;

// Begins now. `otherwise` is the time where `stop` names none; 0: any.
PIR_API pir_watch pir_watch_begin(const pir_stop *stop, uint64_t otherwise);
// Whether the work has to end. From any thread.
PIR_API bool pir_watch_ended(const pir_watch *watch);
// Returns "cancelled" if the flag is set, else "the time limit was hit".
PIR_API const char *pir_watch_reason(const pir_watch *watch);

PIR_END
#endif
