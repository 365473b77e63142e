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

PIR_END
#endif
