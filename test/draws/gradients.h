// Gradients of drawn programs beside differences.
#ifndef PIR_TEST_DRAWS_GRADIENTS_H
#define PIR_TEST_DRAWS_GRADIENTS_H

#include "draws.h"

// Draws programs in float64 until one has a derivative, and compares it with its gradient.
draw_verdict draw_judge_gradients(draw *d, draw_report *out_report);
// Why the gradient of an op is compared in no input, or NULL.
const char *draw_excuse(const pir_opdef *def);

#endif
