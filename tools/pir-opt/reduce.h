// --reduce: finds a smallest program on which a command still fails.
#ifndef PIR_OPT_REDUCE_H
#define PIR_OPT_REDUCE_H

#include <pir/compiler/program.h>

#include "../cli.h"

// Replaces *program by a smaller one on which `command FILE` still exits with a nonzero status.
// Returns an exit code.
int reduce(const cli_run *cli, const char *command, pir_program **inout_program);

#endif
