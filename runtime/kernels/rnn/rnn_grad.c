// Gradients of recurrent networks. Every layer runs forward again and keeps its gates and
// states; then time runs backward, layer by layer from the last one. Computes in double. Cost:
// three times the multiplications of the network, and memory for the gates and states of all
// layers.
#include <math.h>
#include <string.h>

#include "rnn.h"

enum {
  IN_X,
  IN_STATE,
  IN_WEIGHTS,
  IN_LENGTHS,
  IN_OUT,
  IN_DROPOUT,
  IN_RESERVE,
  IN_OUT_GRAD,
  IN_STATE_GRAD
};
enum { OUT_X, OUT_STATE, OUT_WEIGHTS };

typedef struct network {
  const pir_kernel_call *call;
  rnn_mode mode;
  int64_t time, batch, inputs, hidden, layers, directions, gates, paths, states;
  const int64_t *lengths;  // or NULL
  // Dense doubles: the members of the call's lists, and the sums of their gradients.
  pir_tensor *weights, *weight_grads, state[2], state_grad[2];
  double *layer_in, *gate, *cell, *out;
  double *grad, *below;  // gradients of the outputs of a layer, and of the layer before it
} network;

// One direction of one layer.
typedef struct path {
  const double *wx, *wh, *bx, *bh, *x;
  double *wx_grad, *wh_grad, *bx_grad, *bh_grad, *x_grad;
  int64_t inputs, number, direction;
} path;

static int64_t sequence_length_of(const network *n, int64_t b) {
  return n->lengths ? n->lengths[b] : n->time;
}

// The time of step s: a reversed direction starts at the end of the sequence.
static int64_t time_of_step(const network *n, const path *p, int64_t b, int64_t s) {
  return p->direction ? sequence_length_of(n, b) - 1 - s : s;
}

// The gates after their activations. A GRU also keeps the product of its candidate's weights
// with the state.
static double *gates_at(const network *n, const path *p, int64_t t, int64_t b) {
  int64_t at = (p->number * n->time + t) * n->batch + b;
  return n->gate + at * (n->gates + 1) * n->hidden;
}

static double *cell_at(const network *n, const path *p, int64_t t, int64_t b) {
  return n->cell + ((p->number * n->time + t) * n->batch + b) * n->hidden;
}

// The outputs of one direction in `outs`, where the outputs of both directions of a layer are
// adjacent.
static double *out_at(const network *n, const path *p, double *outs, int64_t t, int64_t b) {
  int64_t row = (t * n->batch + b) * n->directions + p->direction;
  return outs + row * n->hidden;
}

static double *outputs_of_layer(const network *n, int64_t layer) {
  return n->out + layer * n->time * n->batch * n->hidden * n->directions;
}

static double sigmoid_of_gate(double x) {
  return 1 / (1 + exp(-x));
}

static double dot_product(const double *a, const double *b, int64_t n) {
  double sum = 0;
  for (int64_t i = 0; i < n; i++)
    sum += a[i] * b[i];
  return sum;
}

static void add_scaled_run(double *to, const double *from, double factor, int64_t n) {
  for (int64_t i = 0; i < n; i++)
    to[i] += factor * from[i];
}

// ---- forward

static double activate_cell_gate(const network *n, int64_t j, double x) {
  if (n->mode == RNN_RELU)
    return fmax(x, 0);
  bool candidate = j / n->hidden == 2;  // the third gate, in an LSTM and in a GRU
  return n->mode == RNN_TANH || candidate ? tanh(x) : sigmoid_of_gate(x);
}

// Runs the cell of batch row b at time t, from the state h and, for an LSTM, the cell state c.
static void step_forward(const network *n, const path *p, int64_t t, int64_t b, const double *h,
                         const double *c) {
  int64_t H = n->hidden;
  double *g = gates_at(n, p, t, b);
  double *cell = cell_at(n, p, t, b);
  double *out = out_at(n, p, outputs_of_layer(n, p->number / n->directions), t, b);
  const double *x = p->x + (t * n->batch + b) * p->inputs;
  for (int64_t j = 0; j < n->gates * H; j++) {
    double from_x = dot_product(p->wx + j * p->inputs, x, p->inputs) + p->bx[j];
    double from_h = dot_product(p->wh + j * H, h, H) + p->bh[j];
    if (n->mode == RNN_GRU && j >= 2 * H) {
      g[n->gates * H + j - 2 * H] = from_h;
      from_h *= g[j - 2 * H];
    }
    g[j] = activate_cell_gate(n, j, from_x + from_h);
  }
  for (int64_t j = 0; j < H; j++) {
    if (n->mode == RNN_LSTM) {
      cell[j] = g[H + j] * c[j] + g[j] * g[2 * H + j];
      out[j] = g[3 * H + j] * tanh(cell[j]);
    } else if (n->mode == RNN_GRU) {
      out[j] = g[H + j] * h[j] + (1 - g[H + j]) * g[2 * H + j];
    } else {
      out[j] = g[j];
    }
  }
}

static const double *first_state(const network *n, const path *p, int which, int64_t b) {
  return (const double *)n->state[which].data + (p->number * n->batch + b) * n->hidden;
}

// The state (which 0) or the cell state (which 1) before step s.
static const double *state_before(const network *n, const path *p, int which, int64_t b,
                                  int64_t s) {
  if (!s)
    return first_state(n, p, which, b);
  int64_t t = time_of_step(n, p, b, s - 1);
  if (which)
    return cell_at(n, p, t, b);
  return out_at(n, p, outputs_of_layer(n, p->number / n->directions), t, b);
}

static void run_path_forward(const network *n, const path *p) {
  for (int64_t b = 0; b < n->batch; b++)
    for (int64_t s = 0; s < sequence_length_of(n, b); s++) {
      const double *h = state_before(n, p, 0, b, s);
      const double *c = n->mode == RNN_LSTM ? state_before(n, p, 1, b, s) : NULL;
      step_forward(n, p, time_of_step(n, p, b, s), b, h, c);
    }
}

// ---- backward

// Computes the gradients of the gates before their activations from the gradients dh and dc of
// the new state: `from_x` for the weights of the input, `from_h` for the weights of the state.
// dh and dc become the gradients of the old state, as far as the cell takes it over directly.
static void step_cell_backward(const network *n, const double *g, const double *h,
                               const double *c, const double *cell, double *dh, double *dc,
                               double *from_x, double *from_h) {
  int64_t H = n->hidden;
  for (int64_t j = 0; j < H; j++) {
    if (n->mode == RNN_LSTM) {
      double i = g[j];
      double f = g[H + j];
      double a = g[2 * H + j];
      double o = g[3 * H + j];
      double t = tanh(cell[j]);
      double d = dc[j] + dh[j] * o * (1 - t * t);
      from_x[j] = d * a * i * (1 - i);
      from_x[H + j] = d * c[j] * f * (1 - f);
      from_x[2 * H + j] = d * i * (1 - a * a);
      from_x[3 * H + j] = dh[j] * t * o * (1 - o);
      dc[j] = d * f;
      dh[j] = 0;
    } else if (n->mode == RNN_GRU) {
      double r = g[j];
      double u = g[H + j];
      double a = g[2 * H + j];
      double d = dh[j] * (1 - u) * (1 - a * a);
      from_x[j] = d * g[3 * H + j] * r * (1 - r);
      from_x[H + j] = dh[j] * (h[j] - a) * u * (1 - u);
      from_x[2 * H + j] = d;
      dh[j] *= u;
    } else {
      double passed = g[j] > 0 ? dh[j] : 0;
      from_x[j] = n->mode == RNN_RELU ? passed : dh[j] * (1 - g[j] * g[j]);
      dh[j] = 0;
    }
  }
  memcpy(from_h, from_x, (size_t)(n->gates * H) * sizeof *from_h);
  for (int64_t j = 2 * H; n->mode == RNN_GRU && j < 3 * H; j++)
    from_h[j] *= g[j - 2 * H];
}

static void step_backward(const network *n, const path *p, int64_t b, int64_t s, double *dh,
                          double *dc, double *gates) {
  int64_t H = n->hidden;
  int64_t t = time_of_step(n, p, b, s);
  int64_t count = n->gates * H;
  double *from_x = gates, *from_h = gates + count;
  const double *h = state_before(n, p, 0, b, s);
  const double *c = n->mode == RNN_LSTM ? state_before(n, p, 1, b, s) : NULL;
  const double *x = p->x + (t * n->batch + b) * p->inputs;
  double *x_grad = p->x_grad + (t * n->batch + b) * p->inputs;
  const double *g = gates_at(n, p, t, b);
  add_scaled_run(dh, out_at(n, p, n->grad, t, b), 1, H);
  step_cell_backward(n, g, h, c, cell_at(n, p, t, b), dh, dc, from_x, from_h);
  for (int64_t j = 0; j < count; j++) {
    add_scaled_run(x_grad, p->wx + j * p->inputs, from_x[j], p->inputs);
    add_scaled_run(p->wx_grad + j * p->inputs, x, from_x[j], p->inputs);
    add_scaled_run(p->wh_grad + j * H, h, from_h[j], H);
    add_scaled_run(dh, p->wh + j * H, from_h[j], H);
    p->bx_grad[j] += from_x[j];
    p->bh_grad[j] += from_h[j];
  }
}

static void run_path_backward(const network *n, const path *p, double *gates) {
  for (int64_t b = 0; b < n->batch; b++) {
    int64_t at = (p->number * n->batch + b) * n->hidden;
    double *dh = (double *)n->state_grad[0].data + at;
    double *dc = n->mode == RNN_LSTM ? (double *)n->state_grad[1].data + at : NULL;
    for (int64_t s = sequence_length_of(n, b) - 1; s >= 0; s--)
      step_backward(n, p, b, s, dh, dc, gates);
  }
}

static path path_of(const network *n, int64_t layer, int64_t direction) {
  int64_t number = layer * n->directions + direction;
  int64_t w = 2 * number;
  int64_t bias = 2 * n->paths + w;
  return (path){.wx = n->weights[w].data,
                .wh = n->weights[w + 1].data,
                .bx = n->weights[bias].data,
                .bh = n->weights[bias + 1].data,
                .wx_grad = n->weight_grads[w].data,
                .wh_grad = n->weight_grads[w + 1].data,
                .bx_grad = n->weight_grads[bias].data,
                .bh_grad = n->weight_grads[bias + 1].data,
                .x = layer ? outputs_of_layer(n, layer - 1) : n->layer_in,
                .inputs = layer ? n->hidden * n->directions : n->inputs,
                .number = number,
                .direction = direction};
}

// Runs all layers forward and backward, from the gradient of the last layer's outputs in
// n->grad to the gradient of x in `x_grad`. `gates` is scratch memory of one step.
static void run_network_gradient(network *n, double *x_grad, double *gates) {
  size_t outs = (size_t)(n->time * n->batch * n->hidden * n->directions);
  for (int64_t layer = 0; layer < n->layers; layer++)
    for (int64_t d = 0; d < n->directions; d++) {
      path p = path_of(n, layer, d);
      run_path_forward(n, &p);
    }
  for (int64_t layer = n->layers - 1; layer >= 0; layer--) {
    double *below = layer ? n->below : x_grad;
    if (layer)
      memset(below, 0, outs * sizeof *below);
    for (int64_t d = 0; d < n->directions; d++) {
      path p = path_of(n, layer, d);
      p.x_grad = below;
      run_path_backward(n, &p, gates);
    }
    if (layer)
      memcpy(n->grad, below, outs * sizeof *below);
  }
}

// ---- the call

static pir_status expect_network_shape(const pir_kernel_call *call, const char *what,
                                       const pir_tensor *t, int rank, const int64_t *shape) {
  bool fits = t && t->rank == rank;
  for (int d = 0; fits && d < rank; d++)
    fits = t->shape[d] == shape[d];
  if (!fits)
    return pir_kernel_fail(call, PIR_INVALID, "%s: %s: its shape does not fit the network",
                           call->op, what);
  return PIR_OK;
}

static pir_status read_network(const pir_kernel_call *call, network *n) {
  PIR_TRY(pir_kernel_expect_rank(call, IN_X, "x", 3));
  const pir_tensor *x = pir_kernel_in(call, IN_X);
  *n = (network){.call = call, .time = x->shape[0]};
  n->batch = x->shape[1];
  n->inputs = x->shape[2];
  n->hidden = pir_kernel_int(call, ATTR_HIDDEN_SIZE);
  n->layers = pir_kernel_int(call, ATTR_LAYERS);
  n->directions = pir_kernel_int(call, ATTR_BIDIRECTIONAL) ? 2 : 1;
  n->paths = n->layers * n->directions;
  n->gates = pir_rnn_read_mode(call, &n->mode);
  bool some = n->gates && n->hidden >= 1 && n->layers >= 1;
  if (!some || n->layers > INT32_MAX / 8 || n->hidden > INT32_MAX / 8)
    return pir_kernel_fail(call, PIR_INVALID, "%s: mode, hidden_size or num_layers", call->op);
  if (!pir_kernel_int(call, ATTR_IS_TEST) && pir_kernel_float(call, ATTR_DROPOUT) > 0 &&
      n->layers > 1)
    return pir_kernel_fail(call, PIR_UNSUPPORTED, "unsupported: %s with dropout between layers",
                           call->op);
  n->states = n->mode == RNN_LSTM ? 2 : 1;
  bool counted = call->in_members[IN_STATE] == n->states;
  counted = counted && call->in_members[IN_STATE_GRAD] == n->states;
  if (!counted || call->in_members[IN_WEIGHTS] != 4 * n->paths)
    return pir_kernel_fail(call, PIR_INVALID,
                           "%s: as many states and weights as the network has are expected",
                           call->op);
  return PIR_OK;
}

static pir_status load_weights(network *n) {
  const pir_kernel_call *call = n->call;
  for (int64_t i = 0; i < 4 * n->paths; i++) {
    const pir_tensor *from = call->in[call->in_first[IN_WEIGHTS] + i];
    int64_t depth = n->hidden;
    if (i % 2 == 0)
      depth = i / 2 < n->directions ? n->inputs : n->hidden * n->directions;
    const int64_t shape[2] = {n->gates * n->hidden, depth};
    PIR_TRY(expect_network_shape(call, "weight_list", from, i < 2 * n->paths ? 2 : 1, shape));
    PIR_TRY(pir_kernel_dense(call, from, PIR_F64, from->shape, from->rank, &n->weights[i]));
    PIR_TRY(pir_kernel_zeros(call, PIR_F64, from->shape, from->rank, &n->weight_grads[i]));
  }
  const int64_t state[3] = {n->paths, n->batch, n->hidden};
  for (int64_t i = 0; i < n->states; i++) {
    const pir_tensor *from = call->in[call->in_first[IN_STATE] + i];
    const pir_tensor *last = call->in[call->in_first[IN_STATE_GRAD] + i];
    PIR_TRY(expect_network_shape(call, "pre_state", from, 3, state));
    PIR_TRY(expect_network_shape(call, "state_grad", last, 3, state));
    PIR_TRY(pir_kernel_dense(call, from, PIR_F64, state, 3, &n->state[i]));
    PIR_TRY(pir_kernel_dense(call, last, PIR_F64, state, 3, &n->state_grad[i]));
  }
  return PIR_OK;
}

static pir_status write_network_gradients(network *n) {
  const pir_kernel_call *call = n->call;
  pir_tensor *const *states = call->out + call->out_first[OUT_STATE];
  pir_tensor *const *weights = call->out + call->out_first[OUT_WEIGHTS];
  for (int64_t i = 0; i < n->states && i < call->out_members[OUT_STATE]; i++)
    PIR_TRY(pir_tensor_copy(&n->state_grad[i], states[i]));
  for (int64_t i = 0; i < 4 * n->paths && i < call->out_members[OUT_WEIGHTS]; i++)
    PIR_TRY(pir_tensor_copy(&n->weight_grads[i], weights[i]));
  return PIR_OK;
}

// Allocates the memory of the run in one piece (gates, cells and outputs of all layers, two
// gradients of outputs, the gates of one step) and runs the network.
static pir_status run_with_memory(network *n, const pir_tensor *x, const pir_tensor *grad,
                                  double *x_grad) {
  int64_t points, gates, outs, all;
  int64_t H = n->hidden;
  int64_t step_forward = 2 * n->gates * H;
  bool over = __builtin_mul_overflow(n->time * n->batch, H, &points);
  over |= __builtin_mul_overflow(points * n->paths, n->gates + 2, &gates);
  over |= __builtin_mul_overflow(points * n->directions, n->layers + 2, &outs);
  over |= __builtin_add_overflow(gates + step_forward, outs, &all);
  pir_tensor room;
  if (over)
    return pir_kernel_fail(n->call, PIR_EXHAUSTED, "%s: too large", n->call->op);
  PIR_TRY(pir_kernel_zeros(n->call, PIR_F64, &all, 1, &room));
  n->layer_in = x->data;
  n->gate = room.data;
  n->cell = n->gate + points * n->paths * (n->gates + 1);
  n->out = n->cell + points * n->paths;
  n->grad = n->out + points * n->directions * n->layers;
  n->below = n->grad + points * n->directions;
  memcpy(n->grad, grad->data, (size_t)(points * n->directions) * sizeof(double));
  run_network_gradient(n, x_grad, n->below + points * n->directions);
  pir_kernel_drop(n->call, &room);
  return PIR_OK;
}

static pir_status load_and_run(network *n) {
  const pir_kernel_call *call = n->call;
  const pir_tensor *x = pir_kernel_in(call, IN_X);
  const pir_tensor *grad = pir_kernel_in(call, IN_OUT_GRAD);
  const pir_tensor *lengths = pir_kernel_in(call, IN_LENGTHS);
  const int64_t out[3] = {n->time, n->batch, n->hidden * n->directions};
  pir_tensor wide = {0};
  pir_tensor back = {0};
  pir_tensor x_grad = {0};
  pir_tensor counts = {0};
  PIR_TRY(expect_network_shape(call, "out_grad", grad, 3, out));
  if (lengths)
    PIR_TRY(expect_network_shape(call, "sequence_length", lengths, 1, &n->batch));
  pir_status status = load_weights(n);
  if (!status)
    status = pir_kernel_dense(call, x, PIR_F64, x->shape, 3, &wide);
  if (!status)
    status = pir_kernel_dense(call, grad, PIR_F64, out, 3, &back);
  if (!status)
    status = pir_kernel_zeros(call, PIR_F64, x->shape, 3, &x_grad);
  if (!status && lengths)
    status = pir_kernel_dense(call, lengths, PIR_I64, lengths->shape, 1, &counts);
  n->lengths = counts.data;
  for (int64_t b = 0; b < n->batch && n->lengths && !status; b++)
    if (n->lengths[b] < 0 || n->lengths[b] > n->time)
      status = pir_kernel_fail(call, PIR_INVALID, "%s: sequence_length: %lld of %lld steps",
                               call->op, (long long)n->lengths[b], (long long)n->time);
  if (!status)
    status = run_with_memory(n, &wide, &back, x_grad.data);
  if (!status && pir_kernel_out(call, OUT_X))
    status = pir_tensor_copy(&x_grad, pir_kernel_out(call, OUT_X));
  if (!status)
    status = write_network_gradients(n);
  pir_tensor *own[] = {&wide, &back, &x_grad, &counts};
  for (int i = 0; i < 4; i++)
    pir_kernel_drop(call, own[i]);
  return status;
}

// operands: x, pre_state*, weight_list*, sequence_length, out, dropout_state_out, reserve,
// out_grad, state_grad*
pir_status pir_kernel_rnn_grad(const pir_kernel_call *call) {
  network n;
  PIR_TRY(read_network(call, &n));
  size_t size = (size_t)(8 * n.paths) * sizeof(pir_tensor);
  n.weights = pir_kernel_alloc(call, size);
  if (!n.weights)
    return pir_kernel_fail(call, PIR_EXHAUSTED, "%s: out of memory", call->op);
  memset(n.weights, 0, size);
  n.weight_grads = n.weights + 4 * n.paths;
  pir_status status = load_and_run(&n);
  for (int64_t i = 0; i < 8 * n.paths; i++)
    pir_kernel_drop(call, &n.weights[i]);
  for (int i = 0; i < 2; i++) {
    pir_kernel_drop(call, &n.state[i]);
    pir_kernel_drop(call, &n.state_grad[i]);
  }
  pir_kernel_free(call, n.weights, size);
  return status;
}
