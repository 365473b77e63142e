// LSTM with attention over its own sequence: at every step the rows of the sequence, weighted
// by the last cell, are one row of input. O(rows * (longest sequence * width + hidden^2)), in
// double.
#include <math.h>
#include <string.h>

#include "recurrent.h"

enum { X, CELLS, HIDDEN, WEIGHT, BIAS, SCALAR, SCALAR_BIAS, LSTM_WEIGHT, LSTM_BIAS, OPERANDS };
enum { GATE, STATE, CANDIDATE, ACTIVATIONS };

typedef struct attended {
  pir_tensor in[OPERANDS], out[2];  // as doubles
  pir_activation act[ACTIVATIONS];
  const uint64_t *at;
  int64_t sequences, longest, width, hidden;
  double *scores, *input, *gates;  // one for each row of a sequence; a row; four states
} attended;

static pir_status check_attended(const pir_kernel_call *call, attended *a) {
  PIR_TRY(pir_kernel_expect_rank(call, X, "x", 2));
  PIR_TRY(pir_kernel_expect_rank(call, LSTM_WEIGHT, "lstm_weight", 2));
  PIR_TRY(pir_kernel_sequences(call, X, &a->at, &a->sequences));
  a->width = pir_kernel_in(call, X)->shape[1];
  const int64_t *weight = pir_kernel_in(call, LSTM_WEIGHT)->shape;
  a->hidden = weight[0] - a->width;
  bool fits = a->hidden > 0 && weight[1] == 4 * a->hidden;
  const int64_t all = a->sequences * a->hidden;
  const int64_t counts[OPERANDS] = {-1, all, all, a->hidden + a->width, 1,
                                    1,  1,   -1,  4 * a->hidden};
  for (int i = 0; i < OPERANDS; i++) {
    const pir_tensor *t = pir_kernel_in(call, i);
    fits &= !t || counts[i] < 0 || pir_tensor_numel(t) == counts[i];
  }
  if (!fits)
    return pir_kernel_fail(
        call, PIR_INVALID,
        "%s: an operand does not fit rows of %lld and a hidden state of %lld", call->op,
        (long long)a->width, (long long)a->hidden);
  for (int64_t s = 0; s < a->sequences; s++) {
    int64_t rows = (int64_t)(a->at[s + 1] - a->at[s]);
    a->longest = rows > a->longest ? rows : a->longest;
  }
  for (int i = 0; i < ACTIVATIONS; i++)
    PIR_TRY(pir_find_activation(call, i, &a->act[i]));
  return PIR_OK;
}

// Weights of the rows of a sequence, by their scores and the last cell.
static void weigh_rows(const attended *a, const double *x, int64_t rows, const double *cell) {
  const double *weight = a->in[WEIGHT].data;
  const double *bias = a->in[BIAS].data, *scalar = a->in[SCALAR].data;
  const double *scalar_bias = a->in[SCALAR_BIAS].data;
  double by_cell = bias ? *bias : 0, most = -INFINITY, sum = 0;
  for (int64_t i = 0; i < a->hidden; i++)
    by_cell += cell[i] * weight[a->width + i];
  for (int64_t r = 0; r < rows; r++) {
    double score = by_cell;
    for (int64_t i = 0; i < a->width; i++)
      score += x[r * a->width + i] * weight[i];
    score = fmax(score, 0);
    if (scalar)
      score = fmax(score * *scalar + (scalar_bias ? *scalar_bias : 0), 0);
    a->scores[r] = score;
    most = fmax(most, score);
  }
  for (int64_t r = 0; r < rows; r++) {
    a->scores[r] = exp(a->scores[r] - most);
    sum += a->scores[r];
  }
  memset(a->input, 0, (size_t)a->width * sizeof *a->input);
  for (int64_t r = 0; r < rows; r++)
    for (int64_t i = 0; i < a->width; i++)
      a->input[i] += a->scores[r] / sum * x[r * a->width + i];
}

// The rows of the weights belong to the hidden state, then to the input; the gates are forget,
// input, output and the candidate.
static void add_products(const attended *a, const double *row, int64_t n, int64_t first) {
  int64_t columns = 4 * a->hidden;
  const double *weight = (const double *)a->in[LSTM_WEIGHT].data + first * columns;
  for (int64_t i = 0; i < n && row; i++)
    for (int64_t j = 0; j < columns; j++)
      a->gates[j] += row[i] * weight[i * columns + j];
}

static void take_step(const attended *a, const double *cell, const double *before,
                      double *to_cell, double *to_hidden) {
  int64_t n = a->hidden;
  memcpy(a->gates, a->in[LSTM_BIAS].data, (size_t)(4 * n) * sizeof *a->gates);
  add_products(a, a->input, a->width, n);
  add_products(a, before, n, 0);
  for (int64_t i = 0; i < n; i++) {
    double forget = a->act[GATE].run(a->gates[i]);
    double enter = a->act[GATE].run(a->gates[n + i]);
    double leave = a->act[GATE].run(a->gates[2 * n + i]);
    double candidate = a->act[CANDIDATE].run(a->gates[3 * n + i]);
    to_cell[i] = forget * cell[i] + enter * candidate;
    to_hidden[i] = a->act[STATE].run(to_cell[i]) * leave;
  }
}

static void run_attended(const attended *a) {
  for (int64_t s = 0; s < a->sequences; s++) {
    int64_t first = (int64_t)a->at[s], rows = (int64_t)a->at[s + 1] - first;
    const double *x = (const double *)a->in[X].data + first * a->width;
    const double *cell = (const double *)a->in[CELLS].data + s * a->hidden;
    const double *before = a->in[HIDDEN].data;
    before = before ? before + s * a->hidden : NULL;
    for (int64_t r = first; r < first + rows; r++) {
      double *to_hidden = (double *)a->out[0].data + r * a->hidden;
      double *to_cell = (double *)a->out[1].data + r * a->hidden;
      weigh_rows(a, x, rows, cell);
      take_step(a, cell, before, to_cell, to_hidden);
      cell = to_cell;
      before = to_hidden;
    }
  }
}

static pir_status compute_attended(const pir_kernel_call *call, attended *a) {
  const int64_t shape[2] = {pir_kernel_in(call, X)->shape[0], a->hidden};
  for (int i = 0; i < OPERANDS; i++) {
    const pir_tensor *t = pir_kernel_in(call, i);
    if (t)
      PIR_TRY(pir_kernel_dense(call, t, PIR_F64, t->shape, t->rank, &a->in[i]));
  }
  for (int i = 0; i < 2; i++)
    PIR_TRY(pir_kernel_zeros(call, PIR_F64, shape, 2, &a->out[i]));
  size_t bytes = (size_t)(a->longest + a->width + 4 * a->hidden) * sizeof(double);
  a->scores = pir_kernel_alloc(call, bytes);
  if (!a->scores)
    return pir_kernel_fail(call, PIR_EXHAUSTED, "%s: out of memory", call->op);
  a->input = a->scores + a->longest;
  a->gates = a->input + a->width;
  run_attended(a);
  pir_kernel_free(call, a->scores, bytes);
  return PIR_OK;
}

// operands: x [rows, width], c0 and h0 [sequences, hidden], attention_weight [width + hidden,
// 1], attention_bias, attention_scalar, attention_scalar_bias, lstm_weight [hidden + width, 4 *
// hidden], lstm_bias; attributes: activations of gates, cells and candidates; results: hidden,
// cell, and scratch of Paddle's kernel, which becomes empty
pir_status pir_kernel_attention_lstm(const pir_kernel_call *call) {
  attended a = {0};
  pir_status status = check_attended(call, &a);
  if (!status)
    status = compute_attended(call, &a);
  pir_dtype dtype = status ? PIR_F32 : pir_kernel_in(call, X)->dtype;
  for (int i = 0; i < call->result_count && !status; i++) {
    pir_tensor *out = call->out_members[i] ? pir_kernel_out(call, i) : NULL;
    const int64_t *shape = i < 2 ? a.out[i].shape : (int64_t[]){0};
    if (!out)
      continue;
    status = pir_kernel_shape_result(call, out, dtype, shape, i < 2 ? 2 : 1);
    if (!status && i < 2)
      status = pir_tensor_copy(&a.out[i], out);
  }
  for (int i = 0; i < OPERANDS; i++)
    pir_kernel_drop(call, &a.in[i]);
  for (int i = 0; i < 2; i++)
    pir_kernel_drop(call, &a.out[i]);
  return status;
}
