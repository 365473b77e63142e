// Schedules: rewrites of loops in loop IR that keep their results. Each primitive either
// applies completely and returns NULL, or changes nothing and returns a sentence that states
// why it refused. A primitive refuses whatever it cannot prove, except for loops marked
// `apart`. Rewritten loops keep their statement, so pointers to them stay valid; new loops are
// returned to the caller.
#ifndef PIR_SCHEDULE_H
#define PIR_SCHEDULE_H

#include "loop.h"

// Splits a loop over [b, e) into a loop over parts and, inside, this loop over `factor`
// iterations (fewer in the last part). `parts` is the number of parts if the caller has it,
// else NULL.
const char *pir_schedule_split(loop_fn *fn, loop_stmt *loop, int64_t factor, loop_expr *parts,
                               loop_stmt **out_outer);

// Fuses `depth` loops, each the only statement of the enclosing one, into `outer`, which runs
// over all their iterations.
const char *pir_schedule_fuse(loop_fn *fn, loop_stmt *outer, int depth);

// Turns the iterations of the loop, which must be the whole function, into its units. With
// depth 2 the units are the iterations of both this loop and the loop at its end; they remain
// two loops.
const char *pir_schedule_parallel(loop_fn *fn, loop_stmt *loop, int depth);

// Marks the loop for pir_loop_vectorise; accumulations may be split into partial results.
const char *pir_schedule_vectorise(loop_fn *fn, loop_stmt *loop);

#endif
