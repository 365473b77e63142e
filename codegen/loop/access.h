// The memory accesses of a loop's iterations, and whether two iterations conflict.
#ifndef PIR_ACCESS_H
#define PIR_ACCESS_H

#include "loop.h"

// Returns the reason why iterations of `loop` cannot run in any order, or NULL. Accumulations
// may be reordered, unless `alone` requires that iterations share nothing.
const char *loop_access_carried(const loop_fn *fn, const loop_stmt *loop, bool alone);

#endif
