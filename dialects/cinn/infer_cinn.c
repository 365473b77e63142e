// Facts of recurrent networks in training.
#include "infer_impl.h"
#include <cinn_hooks.h>

#include <pir/compiler/dialect/cinn.h>

// Makes result `i` like an operand, with contents of its own.
static void take_fact(pir_infer *infer, int i, int operand) {
  const pir_fact *from = infer->operands[operand];
  infer->results[i] = from ? *from : (pir_fact){.rank = -1};
  infer->results[i].contents = NULL;
  infer->results[i].content_count = 0;
}

// Numbers to keep for each number of a state: the gates of all steps, of a GRU also its
// candidate's product with the state, and the states before all steps and behind the last one.
static pir_dim kept_numbers(pir_infer *infer, pir_dim time) {
  pir_str mode = infer->attrs[CINN_RNN_KEEP_ATTR_MODE].text;
  bool lstm = pir_str_equal(mode, PIR_STR("LSTM")), gru = pir_str_equal(mode, PIR_STR("GRU"));
  int64_t states = lstm ? 2 : 1, gates = lstm || gru ? 4 : 1;
  pir_dim each = pir_dim_const(infer->dims, gates + states);
  return pir_dim_add(infer->dims, pir_dim_mul(infer->dims, each, time),
                     pir_dim_const(infer->dims, states));
}

pir_status cinn_infer_rnn_keep(pir_infer *infer) {
  const pir_fact *x = infer->operands[CINN_RNN_KEEP_IN_X];
  int64_t hidden = infer->attrs[CINN_RNN_KEEP_ATTR_HIDDEN_SIZE].i,
          directions = infer->attrs[CINN_RNN_KEEP_ATTR_IS_BIDIREC].i ? 2 : 1,
          layers = infer->attrs[CINN_RNN_KEEP_ATTR_NUM_LAYERS].i;
  take_fact(infer, CINN_RNN_KEEP_OUT_DROPOUT_STATE_OUT, CINN_RNN_KEEP_IN_DROPOUT_STATE_IN);
  take_fact(infer, CINN_RNN_KEEP_OUT_STATE, CINN_RNN_KEEP_IN_PRE_STATE);
  pir_fact *out = infer_begin(infer, CINN_RNN_KEEP_OUT_OUT),
           *kept = infer_begin(infer, CINN_RNN_KEEP_OUT_KEPT);
  if (!fact_has_shape(x) || x->rank != 3)
    return PIR_OK;
  out->rank = 3;
  out->shape[0] = x->shape[0];
  out->shape[1] = x->shape[1];
  out->shape[2] = pir_dim_const(infer->dims, hidden * directions);
  pir_dim numbers = pir_dim_const(infer->dims, hidden * directions);
  numbers = pir_dim_mul(infer->dims, numbers, pir_dim_const(infer->dims, layers));
  numbers = pir_dim_mul(infer->dims, numbers, x->shape[1]);
  kept->rank = 1;
  kept->shape[0] = pir_dim_mul(infer->dims, numbers, kept_numbers(infer, x->shape[0]));
  return PIR_OK;
}

// Each gradient is like its operand.
pir_status cinn_infer_rnn_kept_grad(pir_infer *infer) {
  take_fact(infer, CINN_RNN_KEPT_GRAD_OUT_X_GRAD, CINN_RNN_KEPT_GRAD_IN_X);
  take_fact(infer, CINN_RNN_KEPT_GRAD_OUT_PRE_STATE_GRAD, CINN_RNN_KEPT_GRAD_IN_PRE_STATE);
  take_fact(infer, CINN_RNN_KEPT_GRAD_OUT_WEIGHT_LIST_GRAD, CINN_RNN_KEPT_GRAD_IN_WEIGHT_LIST);
  return PIR_OK;
}
