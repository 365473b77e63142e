// Variables of training programs: what a step carries to the next one besides parameters.
#ifndef PIR_LAYER_TRAINING_H
#define PIR_LAYER_TRAINING_H

#include <pir/compiler/program.h>

PIR_BEGIN

// Returns the number with which a variable begins, by the ops that read it, as Paddle's
// optimizers begin: the powers of adam's factors with the factors, the scale of a loss with
// 65536, sums and counts with 0.
PIR_API double pir_variable_begin(const pir_value *variable);
// Whether the program takes steps: an op writes over a parameter that may be trained.
PIR_API bool pir_program_takes_steps(const pir_program *program);

PIR_END
#endif
