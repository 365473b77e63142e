// Schedules: rewrites of loops in loop IR that keep their results. Each primitive either
// applies completely and returns NULL, or changes nothing and returns a sentence that states
// why it refused. A primitive refuses whatever it cannot prove, except for loops marked
// `apart`. Rewritten loops keep their statement, so pointers to them stay valid; new loops are
// returned to the caller.
#ifndef PIR_SCHEDULE_H
#define PIR_SCHEDULE_H

#include "loop.h"

// A loop over [b, e) becomes one over parts, and in each this loop over `factor` iterations,
// fewer in the last part. `parts` is how many, where the caller has it at hand, or NULL.
const char *pir_schedule_split(loop_fn *fn, loop_stmt *loop, int64_t factor, loop_expr *parts,
                               loop_stmt **out_outer);

// `depth` loops, each the only statement of the one around it, become one: `outer`, over all
// their iterations.
const char *pir_schedule_fuse(loop_fn *fn, loop_stmt *outer, int depth);

// The iterations of the loop, all that the function does, become the units that threads share;
// with depth 2 those of the loop at the end of it together with its own, which stay two loops.
const char *pir_schedule_parallel(loop_fn *fn, loop_stmt *loop, int depth);

// The loop is to be rewritten by pir_loop_vectorise; accumulations may be split into partial
// results.
const char *pir_schedule_vectorise(loop_fn *fn, loop_stmt *loop);

#endif
