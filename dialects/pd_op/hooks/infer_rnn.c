// Facts of recurrent networks.
#include "infer_impl.h"
#include <pd_op_hooks.h>

#include <pir/compiler/dialect/pd_op.h>

// The states keep their shapes; results that only training uses are empty.
pir_status pd_infer_rnn(pir_infer *infer) {
  const pir_fact *x = infer->operands[PD_RNN_IN_X],
                 *before = infer->operands[PD_RNN_IN_PRE_STATE];
  int64_t hidden = infer->attrs[PD_RNN_ATTR_HIDDEN_SIZE].i,
          directions = infer->attrs[PD_RNN_ATTR_IS_BIDIREC].i ? 2 : 1;
  pir_fact *out = infer_begin(infer, PD_RNN_OUT_OUT);
  if (fact_has_shape(x)) {
    if (x->rank != 3)
      return pir_infer_fail(infer, "x: expects rank 3, found %d", x->rank);
    if (hidden < 1 || hidden > INT32_MAX)
      return pir_infer_fail(infer, "hidden_size: expects a positive number, found %lld",
                            (long long)hidden);
    out->rank = 3;
    out->shape[0] = x->shape[0];
    out->shape[1] = x->shape[1];
    out->shape[2] = hidden * directions;
  }
  static const int empty[] = {PD_RNN_OUT_DROPOUT_STATE_OUT, PD_RNN_OUT_RESERVE};
  for (int i = 0; i < 2; i++) {
    pir_fact *none = infer_begin(infer, empty[i]);
    none->rank = 1;
    none->shape[0] = 0;
  }
  if (before)
    infer->results[PD_RNN_OUT_STATE] = *before;
  return PIR_OK;
}
