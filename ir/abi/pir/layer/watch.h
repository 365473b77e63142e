// Work that a pir_stop ends: whether it has to end.
#ifndef PIR_LAYER_WATCH_H
#define PIR_LAYER_WATCH_H

#include <pir/stop.h>

PIR_BEGIN

// Work that has begun and ends early.
typedef struct pir_watch {
  // As in pir_stop.
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
