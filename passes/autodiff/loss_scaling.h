// A loss that is multiplied by a number before the gradients are made, so that small gradients
// of narrow types do not vanish, and gradients that are divided by it again (Micikevicius et
// al., Mixed Precision Training, 2018). The number adapts, as of Paddle's GradScaler.
#ifndef PIR_AUTODIFF_LOSS_SCALING_H
#define PIR_AUTODIFF_LOSS_SCALING_H

#include "autodiff.h"

#include <pir/compiler/build_op.h>

// Whether the options of minimize_pass ask for it.
bool loss_scaling_wanted(const pir_pass_run *run);
// Puts the scaled loss in the place of each loss, and sets *out_scale to the variable.
PIR_NODISCARD pir_status loss_scaling_begin(diff_block *b, value_list *losses,
                                            pir_value **out_scale);
// Divides the gradients by the scale in place, adapts it, and sets *out_found to a truth value:
// some gradient is not finite. All of them are 0 then.
PIR_NODISCARD pir_status loss_scaling_end(const pir_pass_run *run, pir_op_builder *builder,
                                          pir_value *scale, pir_values gradients,
                                          pir_value **out_found);

#endif
