// Parallel loops that end early.
#ifndef PIR_LAYER_WATCHED_LOOPS_H
#define PIR_LAYER_WATCHED_LOOPS_H

#include <pir/engine/parallel.h>
#include <pir/layer/watch.h>

PIR_BEGIN

// Loops that end early. Their ranges are cut into pieces of about a millisecond, and no piece
// begins once the watched work has to end: the loop then returns with `ended` not 0.
typedef struct pir_watched_loops {
  // The way that runs them.
  pir_parallel inner;
  // When they end.
  const pir_watch *watch;
  // Whether they run to their end all the same: pir_parallel_has_ended alone tells.
  bool whole;
  // Set by the loop that has ended.
  pir_atomic_int ended;
} pir_watched_loops;

// Returns the way that runs loops by `inner`, watched, valid as long as `loops`; or `inner`,
// where nothing is watched.
PIR_API pir_parallel pir_parallel_watched(pir_watched_loops *loops, pir_parallel inner,
                                          const pir_watch *watch, bool whole);
// Whether loops are watched and have to end.
PIR_API bool pir_parallel_has_ended(const pir_parallel *parallel);

PIR_END
#endif
