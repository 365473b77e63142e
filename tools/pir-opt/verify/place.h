// The op whose gradient is wrong, of a program whose gradients are.
#ifndef PIR_OPT_PLACE_H
#define PIR_OPT_PLACE_H

#include <pir/compiler/program.h>

#include "../../slopes.h"

// Takes the ops of a program in float64 one by one, each with the numbers that it reads at the
// first point of the request, and reports the first one whose own gradient is beyond the bound;
// a note where none is. The program gets more outputs. PIR_EXHAUSTED: memory ran out; else
// PIR_OK.
PIR_NODISCARD pir_status place_gradients(pir_program *program, const slopes_request *request);

#endif
