// The request: the pass reads it from its options, a caller in C gives it.
#ifndef PIR_AUTODIFF_REQUEST_H
#define PIR_AUTODIFF_REQUEST_H

#include "autodiff.h"

typedef struct backward_request {
  value_list losses;
  value_list seeds;   // empty, or one for each loss
  value_list inputs;  // whose gradients are wanted; empty: the gradients of all values are made
  bool ones;
} backward_request;

// Fills what the whole run needs. `d->run` is set.
PIR_NODISCARD pir_status backward_begin(diff *d);
// Returns PIR_INVALID, reported, when a loss has more than one element and no seed.
PIR_NODISCARD pir_status backward_check(diff *d, const backward_request *request);
// Adds the gradients in front of `b->at`.
PIR_NODISCARD pir_status backward_add(diff_block *b, const backward_request *request);
// Does `work` with a place for new ops at the end of the program.
PIR_NODISCARD pir_status backward_at_end(diff *d, pir_status (*work)(diff_block *b, void *user),
                                         void *user);

#endif
