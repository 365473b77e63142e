// Gradients of recurrent networks. Every layer runs forward again and keeps its gates and
// states; then time runs backward, layer by layer from the last one. Computes in float, in
// double where x is of that type. Cost: three times the multiplications of the network, and
// memory for the inputs, gates and states of all layers.
#include <string.h>

#include "contraction.h"
#include "activations.h"
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
  // Dense, in the type of the computation: the members of the call's lists, and the sums of
  // their gradients.
  pir_tensor *weights, *weight_grads, state[2], state_grad[2];
} network;

static int64_t sequence_length_of(const network *n, int64_t b) {
  return n->lengths ? n->lengths[b] : n->time;
}

// The time of step s: a reversed direction starts at the end of the sequence.
static int64_t time_of_step(const network *n, int64_t direction, int64_t b, int64_t s) {
  return direction ? sequence_length_of(n, b) - 1 - s : s;
}

#define REAL float
#define LAYER(x) x##_f32
#include "matrix_panels.h"
#include "matrix_product.h"
#include "rnn_grad_cell.h"
#include "rnn_grad_layer.h"
#undef REAL
#undef LAYER
#define REAL double
#define LAYER(x) x##_f64
#include "matrix_panels.h"
#include "matrix_product.h"
#include "rnn_grad_cell.h"
#include "rnn_grad_layer.h"
#undef REAL
#undef LAYER

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

static pir_status load_weights(network *n, pir_dtype dtype) {
  const pir_kernel_call *call = n->call;
  for (int64_t i = 0; i < 4 * n->paths; i++) {
    const pir_tensor *from = call->in[call->in_first[IN_WEIGHTS] + i];
    int64_t depth = n->hidden;
    if (i % 2 == 0)
      depth = i / 2 < n->directions ? n->inputs : n->hidden * n->directions;
    const int64_t shape[2] = {n->gates * n->hidden, depth};
    PIR_TRY(expect_network_shape(call, "weight_list", from, i < 2 * n->paths ? 2 : 1, shape));
    PIR_TRY(pir_kernel_dense(call, from, dtype, from->shape, from->rank, &n->weights[i]));
    PIR_TRY(pir_kernel_zeros(call, dtype, from->shape, from->rank, &n->weight_grads[i]));
  }
  const int64_t state[3] = {n->paths, n->batch, n->hidden};
  for (int64_t i = 0; i < n->states; i++) {
    const pir_tensor *from = call->in[call->in_first[IN_STATE] + i];
    const pir_tensor *last = call->in[call->in_first[IN_STATE_GRAD] + i];
    PIR_TRY(expect_network_shape(call, "pre_state", from, 3, state));
    PIR_TRY(expect_network_shape(call, "state_grad", last, 3, state));
    PIR_TRY(pir_kernel_dense(call, from, dtype, state, 3, &n->state[i]));
    PIR_TRY(pir_kernel_dense(call, last, dtype, state, 3, &n->state_grad[i]));
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

static pir_status load_and_run(network *n) {
  const pir_kernel_call *call = n->call;
  const pir_tensor *x = pir_kernel_in(call, IN_X);
  const pir_tensor *grad = pir_kernel_in(call, IN_OUT_GRAD);
  const pir_tensor *lengths = pir_kernel_in(call, IN_LENGTHS);
  const int64_t out[3] = {n->time, n->batch, n->hidden * n->directions};
  pir_dtype dtype = x->dtype == PIR_F64 ? PIR_F64 : PIR_F32;
  pir_tensor in = {0};
  pir_tensor back = {0};
  pir_tensor x_grad = {0};
  pir_tensor counts = {0};
  PIR_TRY(expect_network_shape(call, "out_grad", grad, 3, out));
  if (lengths)
    PIR_TRY(expect_network_shape(call, "sequence_length", lengths, 1, &n->batch));
  pir_status status = load_weights(n, dtype);
  if (!status)
    status = pir_kernel_dense(call, x, dtype, x->shape, 3, &in);
  if (!status)
    status = pir_kernel_dense(call, grad, dtype, out, 3, &back);
  if (!status)
    status = pir_kernel_zeros(call, dtype, x->shape, 3, &x_grad);
  if (!status && lengths)
    status = pir_kernel_dense(call, lengths, PIR_I64, lengths->shape, 1, &counts);
  n->lengths = counts.data;
  for (int64_t b = 0; b < n->batch && n->lengths && !status; b++)
    if (n->lengths[b] < 0 || n->lengths[b] > n->time)
      status = pir_kernel_fail(call, PIR_INVALID, "%s: sequence_length: %lld of %lld steps",
                               call->op, (long long)n->lengths[b], (long long)n->time);
  if (!status)
    status = dtype == PIR_F64 ? run_in_memory_f64(n, dtype, &in, &back, &x_grad)
                              : run_in_memory_f32(n, dtype, &in, &back, &x_grad);
  if (!status && pir_kernel_out(call, OUT_X))
    status = pir_tensor_copy(&x_grad, pir_kernel_out(call, OUT_X));
  if (!status)
    status = write_network_gradients(n);
  pir_tensor *own[] = {&in, &back, &x_grad, &counts};
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
