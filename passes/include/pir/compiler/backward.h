// Gradients of a program by reverse-mode differentiation, as Paddle's append_backward and
// gradients make them (docs/steps/gradients.md). One thread at a time, as for the program.
#ifndef PIR_BACKWARD_H
#define PIR_BACKWARD_H

#include <pir/compiler/program.h>

PIR_BEGIN

// How gradients are added. Zero, but for `size`, means defaults. Values belong to the program's
// block.
typedef struct pir_backward_options {
  // sizeof(pir_backward_options) (pir/base.h).
  size_t size;
  // The gradient of each loss, with the loss' type; NULL: ones for all of them.
  pir_value *const *seeds;
  // Values to which no gradient flows, besides those that say stop_gradient.
  pir_value *const *no_grad;
  size_t no_grad_count;
  // Losses of any shape may begin with ones; else each has one element if there are no seeds.
  bool ones;
  // Primitive ops, where an op declares its gradient in them.
  bool primitive;
  // Of `recompute`: the forward values that are kept, and no others but those that cannot be
  // computed again; NULL: a minimum cut chooses.
  pir_value *const *checkpoints;
  size_t checkpoint_count;
  // Without `checkpoints`, the most bytes that values may take at a time, as far as that can be
  // told before the run; 0: the share counts.
  uint64_t memory_bytes;
  // The same as a share, from 0 to 1, of the bytes without recomputation; 0: a half.
  double memory_share;
  // Forward values that the gradients read are computed again, with the same bits, where that
  // saves memory (docs/steps/gradients.md); else all of them are kept.
  bool recompute;
} pir_backward_options;

// Adds ops to the end of the program that compute the gradients of the sum of `losses` with
// respect to `inputs`. `out_gradients` has an entry for each input: its gradient, of the type
// of the input, or NULL where no loss depends on it. Without inputs (NULL, 0) the
// gradients of all values are made and stay. Options may be NULL. PIR_INVALID: a value is none
// of the program's block or no tensor, a seed has another type, a loss has more than one
// element, or the share is none. PIR_UNSUPPORTED: an op on the way is not differentiable. Both
// are reported with the place; ops that were made stay in the program then. O(ops and
// operands), and with `recompute` up to about a hundred minimum cuts of the forward program.
PIR_API PIR_NODISCARD pir_status pir_append_backward(
    pir_program *program, pir_value *const *losses, size_t loss_count, pir_value *const *inputs,
    size_t input_count, const pir_backward_options *options, pir_value **out_gradients);

PIR_END
#endif
