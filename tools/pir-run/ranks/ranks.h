// The ranks of a distributed program: all of them as threads of this process (--ranks), or the
// one of this process (--mpi, or a process that mpirun started).
#ifndef PIR_TOOLS_RANKS_H
#define PIR_TOOLS_RANKS_H

#include "../run.h"

#include <pir/comm.h>

// Whether the run is one of several ranks.
bool run_has_ranks(const cli_run *cli);
// Refuses options of --ranks without it. Returns an exit code.
int run_check_ranks(const run *r);
// Runs every rank of this process by `run_one`, each with %r in its options and its model
// replaced by its number. One rank at a time works, but for runs of sessions and for meetings
// of rings. `r` has the options, and nothing open. Returns the exit code of the rank that
// failed first.
int run_ranks(run *r, const char *path, int (*run_one)(run *r, const char *path));
// Before a run of a session: lets the other ranks work. Waits until all ranks of this process
// have opened their models.
void run_leave_turn(run *r);
// After it; `ran` is the run's status. After the last run of a rank its rings end, and it goes
// on when the ranks before it are done: so they report in their order. The rings of a rank that
// takes steps (--train, --fit) end when its `run_one` returns.
void run_take_turn(run *r, pir_status ran);

#endif
