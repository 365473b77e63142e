// Runs that look for faults of code: guard pages, overlapping outputs, random schedules.
#ifndef PIR_TOOLS_FAULTS_H
#define PIR_TOOLS_FAULTS_H

#include "../run.h"

// ---- guard.c: memory between pages that cannot be accessed
int run_read_guard(run *r);  // --guard-pages
pir_allocator run_guard_allocator(run *r);
// Moves the tensor's elements to memory of input `i` that borders on such a page and can only
// be read.
int run_guard_input(run *r, size_t i, pir_tensor *tensor);
void run_drop_guarded(run *r);

// ---- overlap.c
// How often run_overlap is called so that every output lies in the memory of every input once:
// 0 without --overlap.
size_t run_overlap_turns(const run *r);
// After a run: runs again with outputs bound to memory that overlaps inputs.
int run_overlap(run *r, size_t turn);
void run_drop_overlaps(run *r);  // binds the inputs anew, and no outputs

// ---- schedules.c
int run_read_schedules(run *r);  // --schedules
// Runs the bound inputs under random schedules, and compares bits with a run on one thread.
// Does nothing without --schedules.
int run_schedules(run *r);

#endif
