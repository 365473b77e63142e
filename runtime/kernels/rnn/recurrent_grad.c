// Gradients of the recurrent networks over sequences. The steps of a sequence are visited
// backwards; the gates of a step are computed again from its input and the state before it, so
// that nothing but the states has to be kept. O(rows * hidden^2), in double.
#include <string.h>

#include "recurrent.h"
#include "rnn.h"

// to[k] += the sum over j of from[j] * weight[k, j], for a weight of n rows and `wide` columns.
static void add_column_product(const double *from, int64_t n, const double *weight,
                               int64_t wide, double *to) {
  for (int64_t k = 0; k < n; k++)
    for (int64_t j = 0; j < wide; j++)
      to[k] += from[j] * weight[k * wide + j];
}

// weight[k, j] += a[k] * b[j].
static void add_outer_product(const double *a, int64_t n, const double *b, int64_t wide,
                              double *weight) {
  for (int64_t k = 0; k < n; k++)
    for (int64_t j = 0; j < wide; j++)
      weight[k * wide + j] += a[k] * b[j];
}

enum { MOST_OPERANDS = 10, MOST_RESULTS = 5, ROOM_ROWS = 16 };

// One gradient kernel: its tensors, and room for rows of `hidden` numbers.
typedef struct backward {
  const pir_kernel_call *call;
  pir_tensor t[MOST_OPERANDS + MOST_RESULTS];
  int ins, outs;
  int64_t rows, hidden, sequences;
  const uint64_t *at;
  bool reverse;
  double *room;
  size_t bytes;
} backward;

// An operand that must have this shape, unless it is absent.
typedef struct expected_shape {
  int operand;
  const char *name;
  int64_t rows, columns;
} expected_shape;

static pir_status check_backward(const backward *b, const expected_shape *all, int count) {
  for (int i = 0; i < count; i++) {
    const int64_t shape[2] = {all[i].rows, all[i].columns};
    if (b->t[all[i].operand].data)
      PIR_TRY(pir_kernel_expect_shape(b->call, all[i].operand, all[i].name, shape, 2));
  }
  return PIR_OK;
}

// Opens operands and results as doubles; operands in `unread` serve other kernels.
static pir_status open_backward(const pir_kernel_call *call, int weight, int ins, int outs,
                                const int *unread, int unread_count, backward *b) {
  uint8_t in[MOST_OPERANDS], out[MOST_RESULTS];
  *b = (backward){.call = call, .ins = ins, .outs = outs};
  PIR_TRY(pir_kernel_expect_rank(call, 0, "input", 2));
  PIR_TRY(pir_kernel_expect_rank(call, weight, "weight", 2));
  PIR_TRY(pir_kernel_sequences(call, 0, &b->at, &b->sequences));
  memset(in, PIR_F64, sizeof in);
  memset(out, PIR_F64, sizeof out);
  for (int i = 0; i < unread_count; i++)
    in[unread[i]] = PIR_UNDEFINED;
  b->rows = pir_kernel_in(call, 0)->shape[0];
  b->hidden = pir_kernel_in(call, weight)->shape[0];
  return pir_kernel_open(call, in, ins, out, outs, b->t);
}

static pir_status start_backward(backward *b, pir_status status) {
  b->bytes = (size_t)(b->hidden + 1) * ROOM_ROWS * sizeof(double);
  b->room = status ? NULL : pir_kernel_alloc(b->call, b->bytes);
  if (!status && !b->room)
    status = pir_kernel_fail(b->call, PIR_EXHAUSTED, "%s: out of memory", b->call->op);
  return status;
}

static pir_status close_backward(backward *b, pir_status status) {
  pir_kernel_free(b->call, b->room, b->bytes);
  return pir_kernel_close(b->call, status, b->ins, b->outs, b->t);
}

// The row of step i of sequence s.
static int64_t step_row(const backward *b, int64_t s, int64_t i) {
  return b->reverse ? (int64_t)b->at[s + 1] - 1 - i : (int64_t)b->at[s] + i;
}

// The state before step i of sequence s: of the step before it, else the first state, else
// zeros.
static const double *state_before_step(const backward *b, int states, int first, int64_t s,
                                       int64_t i, const double *zero) {
  const double *all = b->t[states].data, *firsts = b->t[first].data;
  if (i > 0)
    return all + step_row(b, s, i - 1) * b->hidden;
  return firsts ? firsts + s * b->hidden : zero;
}

// Adds a row to a result that may be absent.
static void add_row(double *to, const double *from, int64_t n) {
  for (int64_t j = 0; to && j < n; j++)
    to[j] += from[j];
}

// ---- gated recurrent units

enum { GRU_INPUT, GRU_H0, GRU_WEIGHT, GRU_BIAS, GRU_HIDDEN = 7, GRU_HIDDEN_GRAD, GRU_INS };
enum { GRU_INPUT_GRAD = GRU_INS, GRU_H0_GRAD, GRU_WEIGHT_GRAD, GRU_BIAS_GRAD, GRU_ALL };

typedef struct gru_kind {
  pir_activation act, gate;
  bool origin;
} gru_kind;

// Rows of the room: gates (update, reset, candidate), their gradients, the reset state and its
// gradient, the gradient of the state before, zeros.
enum {
  GRU_GATES = 0,
  GRU_SLOPES = 3,
  GRU_RESET = 6,
  GRU_RESET_SLOPE = 7,
  GRU_BEFORE = 8,
  GRU_ZERO = 9
};

static void gru_gates(const backward *b, const gru_kind *kind, const double *before,
                      const double *input) {
  int64_t n = b->hidden;
  const double *w = b->t[GRU_WEIGHT].data, *bias = b->t[GRU_BIAS].data;
  double *gates = b->room + GRU_GATES * n, *reset = b->room + GRU_RESET * n;
  for (int64_t j = 0; j < 3 * n; j++)
    gates[j] = input[j] + (bias ? bias[j] : 0);
  add_row_product(before, n, w, 2 * n, gates);
  for (int64_t j = 0; j < 2 * n; j++)
    gates[j] = kind->gate.run(gates[j]);
  for (int64_t j = 0; j < n; j++)
    reset[j] = gates[n + j] * before[j];
  add_row_product(reset, n, w + 2 * n * n, n, gates + 2 * n);
  for (int64_t j = 0; j < n; j++)
    gates[2 * n + j] = kind->act.run(gates[2 * n + j]);
}

// Steps back over one row with the gradient `grad` of its state: adds to the gradients of the
// weights, and leaves the gradients of the gates and of the state before in the room.
static void gru_step_back(const backward *b, const gru_kind *kind, const double *before,
                          const double *grad) {
  int64_t n = b->hidden;
  const double *w = b->t[GRU_WEIGHT].data;
  double *weight_grad = b->t[GRU_WEIGHT_GRAD].data;
  const double *u = b->room + GRU_GATES * n, *r = u + n, *c = u + 2 * n;
  double *du = b->room + GRU_SLOPES * n, *dr = du + n, *dc = du + 2 * n;
  double *reset = b->room + GRU_RESET * n, *dreset = b->room + GRU_RESET_SLOPE * n;
  double *dbefore = b->room + GRU_BEFORE * n;
  for (int64_t j = 0; j < n; j++) {
    double share = kind->origin ? 1 - u[j] : u[j];
    double apart = kind->origin ? before[j] - c[j] : c[j] - before[j];
    dc[j] = grad[j] * share * kind->act.slope(c[j]);
    du[j] = grad[j] * apart * kind->gate.slope(u[j]);
    dbefore[j] = grad[j] * (1 - share);
    dreset[j] = 0;
  }
  add_column_product(dc, n, w + 2 * n * n, n, dreset);
  for (int64_t j = 0; j < n; j++) {
    dr[j] = dreset[j] * before[j] * kind->gate.slope(r[j]);
    dbefore[j] += dreset[j] * r[j];
  }
  add_column_product(du, n, w, 2 * n, dbefore);
  if (!weight_grad)
    return;
  add_outer_product(before, n, du, 2 * n, weight_grad);
  add_outer_product(reset, n, dc, n, weight_grad + 2 * n * n);
}

static void run_gru_back(const backward *b, const gru_kind *kind) {
  int64_t n = b->hidden;
  const double *inputs = b->t[GRU_INPUT].data;
  double *grads = b->t[GRU_HIDDEN_GRAD].data, *input_grad = b->t[GRU_INPUT_GRAD].data;
  double *first_grad = b->t[GRU_H0_GRAD].data;
  double *slopes = b->room + GRU_SLOPES * n, *zero = b->room + GRU_ZERO * n;
  memset(zero, 0, (size_t)n * sizeof *zero);
  for (int64_t s = 0; s < b->sequences; s++)
    for (int64_t i = (int64_t)(b->at[s + 1] - b->at[s]) - 1; i >= 0; i--) {
      int64_t row = step_row(b, s, i);
      const double *before = state_before_step(b, GRU_HIDDEN, GRU_H0, s, i, zero);
      gru_gates(b, kind, before, inputs + 3 * row * n);
      gru_step_back(b, kind, before, grads + row * n);
      if (input_grad)
        memcpy(input_grad + 3 * row * n, slopes, (size_t)(3 * n) * sizeof *slopes);
      add_row(b->t[GRU_BIAS_GRAD].data, slopes, 3 * n);
      double *to = i > 0 ? grads + step_row(b, s, i - 1) * n : NULL;
      if (!i && first_grad)
        to = first_grad + s * n;
      add_row(to, b->room + GRU_BEFORE * n, n);
    }
}

// operands: input, h0, weight, bias, three that its forward op keeps and this does not need,
// hidden, hidden_grad; attributes: activation, gate_activation, is_reverse, origin_mode;
// results: input_grad, h0_grad, weight_grad, bias_grad
pir_status pir_kernel_gru_grad(const pir_kernel_call *call) {
  static const int unread[] = {4, 5, 6};
  gru_kind kind = {.origin = pir_kernel_int(call, 3) != 0};
  backward b;
  PIR_TRY(pir_find_activation(call, 0, &kind.act));
  PIR_TRY(pir_find_activation(call, 1, &kind.gate));
  pir_status status =
      open_backward(call, GRU_WEIGHT, GRU_INS, GRU_ALL - GRU_INS, unread, 3, &b);
  b.reverse = pir_kernel_int(call, 2) != 0;
  int64_t n = b.hidden;
  const expected_shape shapes[] = {{GRU_INPUT, "input", b.rows, 3 * n},
                                   {GRU_H0, "h0", b.sequences, n},
                                   {GRU_WEIGHT, "weight", n, 3 * n},
                                   {GRU_HIDDEN, "hidden", b.rows, n},
                                   {GRU_HIDDEN_GRAD, "hidden_grad", b.rows, n}};
  if (!status)
    status = check_backward(&b, shapes, 5);
  if (!status && b.t[GRU_BIAS].data && pir_tensor_numel(&b.t[GRU_BIAS]) != 3 * n)
    status = pir_kernel_fail(call, PIR_INVALID, "%s: bias: expects %lld elements", call->op,
                             (long long)(3 * n));
  status = start_backward(&b, status);
  if (!status)
    run_gru_back(&b, &kind);
  return close_backward(&b, status);
}

// ---- long short-term memories

enum {
  LSTM_INPUT,
  LSTM_H0,
  LSTM_C0,
  LSTM_WEIGHT,
  LSTM_BIAS,
  LSTM_HIDDEN,
  LSTM_CELL,
  LSTM_HIDDEN_GRAD = 9,
  LSTM_INS
};
enum {
  LSTM_INPUT_GRAD = LSTM_INS,
  LSTM_H0_GRAD,
  LSTM_C0_GRAD,
  LSTM_WEIGHT_GRAD,
  LSTM_BIAS_GRAD,
  LSTM_ALL
};

typedef struct lstm_kind {
  pir_activation gate, cell, candidate;
  bool peeps;
} lstm_kind;

// Rows of the room: gates (candidate, input, forget, output), their gradients, the gradient of
// the cell, which is passed from step to step, the gradient of the state before, zeros.
enum { LSTM_GATES = 0, LSTM_SLOPES = 4, LSTM_CELL_SLOPE = 8, LSTM_BEFORE = 9, LSTM_ZERO = 10 };

// What the three gates see of the cell, behind the four biases of the gates.
static const double *peephole_rows(const backward *b, const lstm_kind *kind, int bias) {
  const double *all = b->t[bias].data;
  return kind->peeps && all ? all + 4 * b->hidden : NULL;
}

static void lstm_gates(const backward *b, const lstm_kind *kind, const double *before,
                       const double *memory, const double *cell, const double *input) {
  int64_t n = b->hidden;
  const double *bias = b->t[LSTM_BIAS].data, *peep = peephole_rows(b, kind, LSTM_BIAS);
  double *gates = b->room + LSTM_GATES * n;
  for (int64_t j = 0; j < 4 * n; j++)
    gates[j] = input[j] + (bias ? bias[j] : 0);
  add_row_product(before, n, b->t[LSTM_WEIGHT].data, 4 * n, gates);
  for (int64_t j = 0; j < n; j++) {
    const double seen[] = {memory[j], memory[j], cell[j]};
    gates[j] = kind->candidate.run(gates[j]);
    for (int64_t k = 0; k < 3; k++) {
      double *gate = &gates[(k + 1) * n + j];
      *gate = kind->gate.run(*gate + (peep ? seen[k] * peep[k * n + j] : 0));
    }
  }
}

// Steps back over one row with the gradient `grad` of its state, as gru_step_back does.
static void lstm_step_back(const backward *b, const lstm_kind *kind, const double *before,
                           const double *memory, const double *cell, const double *grad) {
  int64_t n = b->hidden;
  const double *peep = peephole_rows(b, kind, LSTM_BIAS);
  double *peep_grad = (double *)peephole_rows(b, kind, LSTM_BIAS_GRAD);
  const double *gates = b->room + LSTM_GATES * n;
  double *slopes = b->room + LSTM_SLOPES * n, *dbefore = b->room + LSTM_BEFORE * n;
  double *dcell = b->room + LSTM_CELL_SLOPE * n;
  for (int64_t j = 0; j < n; j++) {
    double candidate = gates[j], in = gates[n + j], forget = gates[2 * n + j];
    double out = gates[3 * n + j], shown = kind->cell.run(cell[j]);
    double dout = grad[j] * shown * kind->gate.slope(out);
    double dc = dcell[j] + grad[j] * out * kind->cell.slope(shown);
    if (peep)
      dc += dout * peep[2 * n + j];
    double din = dc * candidate * kind->gate.slope(in);
    double dforget = dc * memory[j] * kind->gate.slope(forget);
    slopes[j] = dc * in * kind->candidate.slope(candidate);
    slopes[n + j] = din;
    slopes[2 * n + j] = dforget;
    slopes[3 * n + j] = dout;
    dcell[j] = dc * forget;
    if (peep)
      dcell[j] += din * peep[j] + dforget * peep[n + j];
    if (peep_grad) {
      peep_grad[j] += din * memory[j];
      peep_grad[n + j] += dforget * memory[j];
      peep_grad[2 * n + j] += dout * cell[j];
    }
    dbefore[j] = 0;
  }
  add_column_product(slopes, n, b->t[LSTM_WEIGHT].data, 4 * n, dbefore);
  if (b->t[LSTM_WEIGHT_GRAD].data)
    add_outer_product(before, n, slopes, 4 * n, b->t[LSTM_WEIGHT_GRAD].data);
}

static void run_lstm_back(const backward *b, const lstm_kind *kind) {
  int64_t n = b->hidden;
  const double *inputs = b->t[LSTM_INPUT].data, *cells = b->t[LSTM_CELL].data;
  double *grads = b->t[LSTM_HIDDEN_GRAD].data, *input_grad = b->t[LSTM_INPUT_GRAD].data;
  double *first_hidden = b->t[LSTM_H0_GRAD].data, *first_cell = b->t[LSTM_C0_GRAD].data;
  double *slopes = b->room + LSTM_SLOPES * n, *zero = b->room + LSTM_ZERO * n;
  double *dcell = b->room + LSTM_CELL_SLOPE * n;
  memset(zero, 0, (size_t)n * sizeof *zero);
  for (int64_t s = 0; s < b->sequences; s++) {
    memset(dcell, 0, (size_t)n * sizeof *dcell);
    for (int64_t i = (int64_t)(b->at[s + 1] - b->at[s]) - 1; i >= 0; i--) {
      int64_t row = step_row(b, s, i);
      const double *before = state_before_step(b, LSTM_HIDDEN, LSTM_H0, s, i, zero);
      const double *memory = state_before_step(b, LSTM_CELL, LSTM_C0, s, i, zero);
      lstm_gates(b, kind, before, memory, cells + row * n, inputs + 4 * row * n);
      lstm_step_back(b, kind, before, memory, cells + row * n, grads + row * n);
      if (input_grad)
        memcpy(input_grad + 4 * row * n, slopes, (size_t)(4 * n) * sizeof *slopes);
      add_row(b->t[LSTM_BIAS_GRAD].data, slopes, 4 * n);
      double *to = i > 0 ? grads + step_row(b, s, i - 1) * n : NULL;
      if (!i && first_hidden)
        to = first_hidden + s * n;
      add_row(to, b->room + LSTM_BEFORE * n, n);
    }
    if (first_cell)
      memcpy(first_cell + s * n, dcell, (size_t)n * sizeof *dcell);
  }
}

// operands: input, h0, c0, weight, bias, hidden, cell, two that its forward op keeps and this
// does not need, hidden_grad; attributes: use_peepholes, is_reverse, is_test, gate_activation,
// cell_activation, candidate_activation; results: input_grad, h0_grad, c0_grad, weight_grad,
// bias_grad
pir_status pir_kernel_lstm_grad(const pir_kernel_call *call) {
  static const int unread[] = {7, 8};
  lstm_kind kind = {.peeps = pir_kernel_int(call, 0) != 0};
  backward b;
  PIR_TRY(pir_find_activation(call, 3, &kind.gate));
  PIR_TRY(pir_find_activation(call, 4, &kind.cell));
  PIR_TRY(pir_find_activation(call, 5, &kind.candidate));
  pir_status status =
      open_backward(call, LSTM_WEIGHT, LSTM_INS, LSTM_ALL - LSTM_INS, unread, 2, &b);
  b.reverse = pir_kernel_int(call, 1) != 0;
  int64_t n = b.hidden, biases = (kind.peeps ? 7 : 4) * n;
  const expected_shape shapes[] = {{LSTM_INPUT, "input", b.rows, 4 * n},
                                   {LSTM_H0, "h0", b.sequences, n},
                                   {LSTM_C0, "c0", b.sequences, n},
                                   {LSTM_WEIGHT, "weight", n, 4 * n},
                                   {LSTM_HIDDEN, "hidden", b.rows, n},
                                   {LSTM_CELL, "cell", b.rows, n},
                                   {LSTM_HIDDEN_GRAD, "hidden_grad", b.rows, n}};
  if (!status)
    status = check_backward(&b, shapes, 7);
  if (!status && b.t[LSTM_BIAS].data && pir_tensor_numel(&b.t[LSTM_BIAS]) != biases)
    status = pir_kernel_fail(call, PIR_INVALID, "%s: bias: expects %lld elements", call->op,
                             (long long)biases);
  status = start_backward(&b, status);
  if (!status)
    run_lstm_back(&b, &kind);
  return close_backward(&b, status);
}
