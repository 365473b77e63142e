// Propagates constants through control flow. Private to passes/.
#ifndef PIR_PROPAGATE_H
#define PIR_PROPAGATE_H

#include <evaluate.h>

// Finds what is known of every value, as if a region ran only when it can: what a loop hands on
// stays known when each round hands on the same, and a choice by a known condition gives what
// the region it takes gives. Known values are found in the evaluator afterwards; no others are.
pir_status propagate_constants(evaluator *e, pir_op *module);

#endif
