// Schedules: loops of loop IR rewritten into loops that compute the same, faster. Each
// primitive checks that it may, and does all or nothing: NULL is success, else a sentence says
// why it refused. What a primitive cannot prove it refuses, but for loops marked `apart`. Loops
// keep their statement, so a pointer to one stays good; new ones are handed out.
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
