// One step of a gated recurrent unit (GRU), in double. The weight holds two matrices one after
// the other: for the update and reset gates [hidden, 2 * hidden], and for the candidate
// [hidden, hidden].
#include <math.h>

#include "rnn.h"

enum { GRU_INPUT, GRU_BEFORE, GRU_WEIGHT, GRU_BIAS, GRU_GATE, GRU_RESET, GRU_HIDDEN, GRU_ALL };

static double activate_gate(int64_t kind, double x) {
  switch (kind) {
    case 1: return 1 / (1 + exp(-x));
    case 2: return tanh(x);
    case 3: return fmax(x, 0);
    default: return x;
  }
}

// Computes row i of the batch.
static void run_gru_unit(const pir_kernel_call *call, const pir_tensor *t, int64_t i) {
  int64_t n = t[GRU_BEFORE].shape[1];
  int64_t act = pir_kernel_int(call, 0);
  int64_t gate_act = pir_kernel_int(call, 1);
  bool origin = pir_kernel_int(call, 2) != 0;
  const double *input = (const double *)t[GRU_INPUT].data + 3 * n * i;
  const double *w = t[GRU_WEIGHT].data;
  const double *before = (const double *)t[GRU_BEFORE].data + n * i;
  const double *bias = t[GRU_BIAS].data;
  double *gate = (double *)t[GRU_GATE].data + 3 * n * i;
  double *reset = (double *)t[GRU_RESET].data + n * i;
  double *hidden = (double *)t[GRU_HIDDEN].data + n * i;
  for (int64_t j = 0; j < 3 * n; j++)
    gate[j] = input[j] + (bias ? bias[j] : 0);
  add_row_product(before, n, w, 2 * n, gate);
  for (int64_t j = 0; j < 2 * n; j++)
    gate[j] = activate_gate(gate_act, gate[j]);
  for (int64_t j = 0; j < n; j++)
    reset[j] = gate[n + j] * before[j];
  add_row_product(reset, n, w + 2 * n * n, n, gate + 2 * n);
  for (int64_t j = 0; j < n; j++) {
    double c = activate_gate(act, gate[2 * n + j]);
    double u = gate[j];
    gate[2 * n + j] = c;
    hidden[j] = origin ? c + u * (before[j] - c) : before[j] + u * (c - before[j]);
  }
}

// operands: input [n, 3 * hidden], hidden_prev [n, hidden], weight [hidden, 3 * hidden], bias;
// attributes: activation, gate_activation, origin_mode
pir_status pir_kernel_gru_unit(const pir_kernel_call *call) {
  static const uint8_t in[] = {PIR_F64, PIR_F64, PIR_F64, PIR_F64},
                       out[] = {PIR_F64, PIR_F64, PIR_F64};
  static const char *const names[] = {"input", "hidden_prev", "weight"};
  for (int k = 0; k < 3; k++)
    PIR_TRY(pir_kernel_expect_rank(call, k, names[k], 2));
  const int64_t *before = pir_kernel_in(call, GRU_BEFORE)->shape;
  const int64_t *input = pir_kernel_in(call, GRU_INPUT)->shape;
  const int64_t *weight = pir_kernel_in(call, GRU_WEIGHT)->shape;
  const int64_t n = before[1];
  const pir_tensor *bias = pir_kernel_in(call, GRU_BIAS);
  bool fits = input[0] == before[0] && input[1] == 3 * n;
  fits = fits && weight[0] == n && weight[1] == 3 * n;
  if (!fits || (bias && pir_tensor_numel(bias) != 3 * n))
    return pir_kernel_fail(
        call, PIR_INVALID,
        "%s: input, weight and bias do not fit a hidden state of [%lld, %lld]", call->op,
        (long long)before[0], (long long)n);
  for (int k = 0; k < 2; k++)
    if (pir_kernel_int(call, k) < 0 || pir_kernel_int(call, k) > 3)
      return pir_kernel_fail(call, PIR_INVALID, "%s: activation: expects 0 to 3, found %lld",
                             call->op, (long long)pir_kernel_int(call, k));
  pir_tensor t[GRU_ALL];
  pir_status status = pir_kernel_open(call, in, 4, out, 3, t);
  if (!status)
    status = pir_kernel_need(call, PIR_F64, input, 2, &t[GRU_GATE]);
  if (!status)
    status = pir_kernel_need(call, PIR_F64, before, 2, &t[GRU_RESET]);
  for (int64_t i = 0; i < before[0] && !status; i++)
    run_gru_unit(call, t, i);
  return pir_kernel_close(call, status, 4, 3, t);
}
