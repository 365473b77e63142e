// --reduce: finds a smallest program on which a command still fails.
#ifndef PIR_OPT_REDUCE_H
#define PIR_OPT_REDUCE_H

#include <pir/program.h>

#include "../cli.h"

// Replaces *program by a smaller one on which `command FILE` still exits with another status
// than 0. An exit code.
int reduce(const cli *cli, const char *command, pir_program **inout_program);

#endif
