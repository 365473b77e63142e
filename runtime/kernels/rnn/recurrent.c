// Recurrent networks over sequences that are stored one after the other, with inputs that are
// already projected. The sequences are independent; a step within one multiplies a row with the
// weights, twice for a GRU. O(rows * hidden^2), in double.
#include <math.h>
#include <string.h>

#include "recurrent.h"
#include "rnn.h"

static double logistic_activation(double x) {
  return 1 / (1 + exp(-x));
}
static double logistic_slope(double y) {
  return y * (1 - y);
}
static double tanh_slope(double y) {
  return 1 - y * y;
}
static double rectified_activation(double x) {
  return x > 0 ? x : 0;
}
static double rectified_slope(double y) {
  return y > 0;
}
static double identity_activation(double x) {
  return x;
}
static double identity_slope(double y) {
  (void)y;
  return 1;
}

pir_status pir_find_activation(const pir_kernel_call *call, int attr, pir_activation *out) {
  static const struct {
    const char *name;
    pir_activation activation;
  } known[] = {{"sigmoid", {logistic_activation, logistic_slope}},
               {"tanh", {tanh, tanh_slope}},
               {"relu", {rectified_activation, rectified_slope}},
               {"identity", {identity_activation, identity_slope}}};
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (pir_kernel_text_is(call, attr, known[i].name)) {
      *out = known[i].activation;
      return PIR_OK;
    }
  return pir_kernel_fail(call, PIR_INVALID, "%s: attribute %d names no activation", call->op,
                         attr);
}

enum { MOST_PARTS = 5 };

typedef struct recurrence {
  const pir_kernel_call *call;
  pir_tensor parts[MOST_PARTS];  // dense operands: input, weight, bias, first states
  pir_tensor out[2];
  int64_t rows, hidden;
  const uint64_t *at;  // row offsets of the sequences
  int64_t sequences;
} recurrence;

// Copies operand k, unless it is absent, as part p. It must have shape [rows, columns], or,
// with `rows` below 0, `columns` elements.
static pir_status take_recurrence_part(recurrence *r, int p, int k, const char *name,
                                       int64_t rows, int64_t columns) {
  const pir_tensor *x = pir_kernel_in(r->call, k);
  if (!x)
    return PIR_OK;
  bool fits = pir_tensor_numel(x) == columns;
  if (rows >= 0)
    fits = x->rank == 2 && x->shape[0] == rows && x->shape[1] == columns;
  if (!fits)
    return pir_kernel_fail(r->call, PIR_INVALID,
                           "%s: %s: its shape does not fit a hidden state of %lld", r->call->op,
                           name, (long long)r->hidden);
  return pir_kernel_dense(r->call, x, PIR_F64, x->shape, x->rank, &r->parts[p]);
}

static pir_status start_recurrence(const pir_kernel_call *call, int weight, recurrence *r) {
  *r = (recurrence){.call = call};
  PIR_TRY(pir_kernel_expect_rank(call, 0, "input", 2));
  PIR_TRY(pir_kernel_expect_rank(call, weight, "weight", 2));
  PIR_TRY(pir_kernel_sequences(call, 0, &r->at, &r->sequences));
  r->rows = pir_kernel_in(call, 0)->shape[0];
  r->hidden = pir_kernel_in(call, weight)->shape[0];
  return PIR_OK;
}

// Writes the `count` results that `results` names from r->out, and frees the parts. The other
// results serve gradients alone; they become empty.
static pir_status finish_recurrence(recurrence *r, pir_status status, const int *results,
                                    int count) {
  const pir_kernel_call *call = r->call;
  int64_t shape[2] = {r->rows, r->hidden};
  pir_dtype dtype = pir_kernel_in(call, 0)->dtype;
  for (int i = 0; i < call->result_count && !status; i++) {
    pir_tensor *out = call->out_members[i] ? pir_kernel_out(call, i) : NULL;
    int of = 0;
    while (of < count && results[of] != i)
      of++;
    if (!out)
      continue;
    if (of == count) {
      status = pir_kernel_shape_result(call, out, dtype, (int64_t[]){0}, 1);
      continue;
    }
    status = pir_kernel_shape_result(call, out, dtype, shape, 2);
    if (!status)
      status = pir_tensor_copy(&r->out[of], out);
  }
  for (int i = 0; i < MOST_PARTS; i++)
    pir_kernel_drop(call, &r->parts[i]);
  for (int i = 0; i < 2; i++)
    pir_kernel_drop(call, &r->out[i]);
  return status;
}

// The row of step i of sequence s, which may run backwards.
static int64_t row_of_step(const recurrence *r, int64_t s, int64_t i, bool reverse) {
  return reverse ? (int64_t)r->at[s + 1] - 1 - i : (int64_t)r->at[s] + i;
}

// The first state of sequence s in part p, or zeros when the operand is absent.
static const double *first_state_of(const recurrence *r, int p, int64_t s, const double *zero) {
  const double *states = r->parts[p].data;
  return states ? states + s * r->hidden : zero;
}

// ---- gated recurrent units
//
// The weight holds two matrices one after the other: for the update and reset gates [hidden,
// 2 * hidden], and for the candidate [hidden, hidden].

enum { GRU_INPUT, GRU_WEIGHT, GRU_BIAS, GRU_FIRST };

static void gru_step(const recurrence *r, const double *before, const double *input,
                     pir_activation act, pir_activation gate_act, bool origin, double *room,
                     double *hidden) {
  int64_t n = r->hidden;
  const double *w = r->parts[GRU_WEIGHT].data;
  const double *bias = r->parts[GRU_BIAS].data;
  double *reset = room + 3 * n;
  for (int64_t j = 0; j < 3 * n; j++)
    room[j] = input[j] + (bias ? bias[j] : 0);
  add_row_product(before, n, w, 2 * n, room);
  for (int64_t j = 0; j < 2 * n; j++)
    room[j] = gate_act.run(room[j]);
  for (int64_t j = 0; j < n; j++)
    reset[j] = room[n + j] * before[j];
  add_row_product(reset, n, w + 2 * n * n, n, room + 2 * n);
  for (int64_t j = 0; j < n; j++) {
    double c = act.run(room[2 * n + j]);
    double u = room[j];
    hidden[j] = origin ? c + u * (before[j] - c) : before[j] + u * (c - before[j]);
  }
}

static pir_status run_gru_sequences(recurrence *r, pir_activation act,
                                    pir_activation gate_act) {
  const pir_kernel_call *call = r->call;
  int64_t n = r->hidden;
  size_t bytes = (size_t)(5 * n + 1) * sizeof(double);
  double *room = pir_kernel_alloc(call, bytes), *zero = room + 4 * n;
  if (!room)
    return pir_kernel_fail(call, PIR_EXHAUSTED, "%s: out of memory", call->op);
  memset(room, 0, bytes);
  const double *inputs = r->parts[GRU_INPUT].data;
  bool origin = pir_kernel_int(call, 3) != 0;
  for (int64_t s = 0; s < r->sequences; s++) {
    const double *before = first_state_of(r, GRU_FIRST, s, zero);
    for (int64_t i = 0; i < (int64_t)(r->at[s + 1] - r->at[s]); i++) {
      int64_t row = row_of_step(r, s, i, pir_kernel_int(call, 2) != 0);
      double *hidden = (double *)r->out[0].data + row * n;
      gru_step(r, before, inputs + 3 * row * n, act, gate_act, origin, room, hidden);
      before = hidden;
    }
  }
  pir_kernel_free(call, room, bytes);
  return PIR_OK;
}

// operands: input [rows, 3 * hidden], h0, weight, bias; attributes: activation,
// gate_activation, is_reverse, origin_mode
pir_status pir_kernel_gru_sequences(const pir_kernel_call *call) {
  static const int results[] = {3};
  pir_activation act, gate_act;
  recurrence r;
  PIR_TRY(start_recurrence(call, 2, &r));
  PIR_TRY(pir_find_activation(call, 0, &act));
  PIR_TRY(pir_find_activation(call, 1, &gate_act));
  int64_t n = r.hidden;
  pir_status status = take_recurrence_part(&r, GRU_INPUT, 0, "input", r.rows, 3 * n);
  if (!status)
    status = take_recurrence_part(&r, GRU_WEIGHT, 2, "weight", n, 3 * n);
  if (!status)
    status = take_recurrence_part(&r, GRU_BIAS, 3, "bias", -1, 3 * n);
  if (!status)
    status = take_recurrence_part(&r, GRU_FIRST, 1, "h0", r.sequences, n);
  if (!status)
    status = pir_kernel_zeros(call, PIR_F64, (int64_t[]){r.rows, n}, 2, &r.out[0]);
  if (!status)
    status = run_gru_sequences(&r, act, gate_act);
  return finish_recurrence(&r, status, results, 1);
}

// ---- long short-term memories
//
// Gates are stored in the order candidate, input, forget, output. Three more rows of the bias
// are the weights of the peepholes, through which gates see the cell.

enum { LSTM_INPUT, LSTM_WEIGHT, LSTM_BIAS, LSTM_HIDDEN, LSTM_CELL };

typedef struct lstm_kind {
  pir_activation gate, cell, candidate;
  bool peeps;
} lstm_kind;

static void lstm_step(const recurrence *r, const lstm_kind *kind, const double *before,
                      const double *memory, const double *input, double *gates, double *hidden,
                      double *cell) {
  int64_t n = r->hidden;
  const double *bias = r->parts[LSTM_BIAS].data;
  const double *peep = kind->peeps ? bias + 4 * n : NULL;
  for (int64_t j = 0; j < 4 * n; j++)
    gates[j] = input[j] + (bias ? bias[j] : 0);
  add_row_product(before, n, r->parts[LSTM_WEIGHT].data, 4 * n, gates);
  for (int64_t j = 0; j < n; j++) {
    double old = memory[j];
    double in = kind->gate.run(gates[n + j] + (peep ? old * peep[j] : 0));
    double forget = kind->gate.run(gates[2 * n + j] + (peep ? old * peep[n + j] : 0));
    double now = forget * old + in * kind->candidate.run(gates[j]);
    double out = kind->gate.run(gates[3 * n + j] + (peep ? now * peep[2 * n + j] : 0));
    cell[j] = now;
    hidden[j] = out * kind->cell.run(now);
  }
}

static pir_status run_lstm_sequences(recurrence *r, const lstm_kind *kind) {
  const pir_kernel_call *call = r->call;
  int64_t n = r->hidden;
  size_t bytes = (size_t)(5 * n + 1) * sizeof(double);
  double *gates = pir_kernel_alloc(call, bytes), *zero = gates + 4 * n;
  if (!gates)
    return pir_kernel_fail(call, PIR_EXHAUSTED, "%s: out of memory", call->op);
  memset(gates, 0, bytes);
  const double *inputs = r->parts[LSTM_INPUT].data;
  for (int64_t s = 0; s < r->sequences; s++) {
    const double *before = first_state_of(r, LSTM_HIDDEN, s, zero);
    const double *memory = first_state_of(r, LSTM_CELL, s, zero);
    for (int64_t i = 0; i < (int64_t)(r->at[s + 1] - r->at[s]); i++) {
      int64_t row = row_of_step(r, s, i, pir_kernel_int(call, 1) != 0);
      double *hidden = (double *)r->out[0].data + row * n;
      double *cell = (double *)r->out[1].data + row * n;
      lstm_step(r, kind, before, memory, inputs + 4 * row * n, gates, hidden, cell);
      before = hidden;
      memory = cell;
    }
  }
  pir_kernel_free(call, gates, bytes);
  return PIR_OK;
}

// operands: input [rows, 4 * hidden], h0, c0, weight, bias; attributes: use_peepholes,
// is_reverse, is_test, gate_activation, cell_activation, candidate_activation
pir_status pir_kernel_lstm_sequences(const pir_kernel_call *call) {
  static const int results[] = {0, 1};
  lstm_kind kind = {.peeps = pir_kernel_int(call, 0) != 0};
  recurrence r;
  PIR_TRY(start_recurrence(call, 3, &r));
  PIR_TRY(pir_find_activation(call, 3, &kind.gate));
  PIR_TRY(pir_find_activation(call, 4, &kind.cell));
  PIR_TRY(pir_find_activation(call, 5, &kind.candidate));
  int64_t n = r.hidden;
  pir_status status = take_recurrence_part(&r, LSTM_INPUT, 0, "input", r.rows, 4 * n);
  if (!status)
    status = take_recurrence_part(&r, LSTM_WEIGHT, 3, "weight", n, 4 * n);
  if (!status)
    status = take_recurrence_part(&r, LSTM_BIAS, 4, "bias", -1, (kind.peeps ? 7 : 4) * n);
  if (!status)
    status = take_recurrence_part(&r, LSTM_HIDDEN, 1, "h0", r.sequences, n);
  if (!status)
    status = take_recurrence_part(&r, LSTM_CELL, 2, "c0", r.sequences, n);
  for (int i = 0; i < 2 && !status; i++)
    status = pir_kernel_zeros(call, PIR_F64, (int64_t[]){r.rows, n}, 2, &r.out[i]);
  if (!status)
    status = run_lstm_sequences(&r, &kind);
  return finish_recurrence(&r, status, results, 2);
}
