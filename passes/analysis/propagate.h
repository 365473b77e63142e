// Propagates constants through control flow. Private to passes/.
#ifndef PIR_PROPAGATE_H
#define PIR_PROPAGATE_H

#include <evaluate.h>

// Finds the known values, assuming that a region runs only if it can. A loop argument is known
// if every iteration passes on the same value; a branch with a known condition has the values
// of the region it takes. The evaluator then holds all known values.
void propagate_constants(evaluator *e, pir_op *module);

#endif
