// --check-gradients: the gradients of a program beside differences.
#ifndef PIR_OPT_GRADIENTS_H
#define PIR_OPT_GRADIENTS_H

#include <pir/compiler/program.h>

#include "../../cli.h"

// Compares the gradients of all float inputs and parameters with derivatives by differences, in
// float64 (tools/slopes.h), and prints a line for each. Inputs are drawn by `seed`, and so are
// parameters that the program lacks. Where one is beyond the bound, the first op whose own
// gradient is so is reported. Returns an exit code: CLI_DIFFERENT for that, CLI_UNSUPPORTED
// with the op that is not differentiable.
int check_gradients(cli_run *cli, pir_program *program, uint64_t seed);

#endif
