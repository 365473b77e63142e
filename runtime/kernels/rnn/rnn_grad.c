// Recurrent networks in training: forward, which keeps gates and states, and the gradient, that
// takes them, or runs forward itself where they were not kept. Time runs backward layer by
// layer from the last one. Computes in float, in double where x is of that type. Cost: as many
// multiplications as the network forward, twice as many backward.
#include <string.h>

#include "contraction.h"
#include "activations.h"
#include "rnn.h"

enum { IN_X, IN_STATE, IN_WEIGHTS, IN_LENGTHS };
// Of rnn_keep.
enum { OUT_OUT, OUT_DROPOUT, OUT_LAST_STATE, OUT_KEPT };
// Of the gradients.
enum { OUT_X, OUT_STATE, OUT_WEIGHTS };

// Where the call's operands are that are not the same for all kernels here; -1 of one without.
typedef struct operands {
  int kept, out_grad, state_grad;
} operands;

typedef struct network {
  const pir_kernel_call *call;
  operands in;
  bool is_forward, is_backward;  // the passes that run
  rnn_mode mode;
  int64_t time, batch, inputs, hidden, layers, directions, gates, paths, states;
  const int64_t *lengths;  // or NULL
  // Dense, in the type of the computation: the members of the call's lists, and the sums of
  // their gradients.
  pir_tensor *weights, *weight_grads, state[2], state_grad[2];
} network;

// Dense, in the type of the computation; without data where the passes do not need them.
typedef struct passes_tensors {
  pir_tensor x, out, kept, out_grad, x_grad, lengths;
} passes_tensors;

static int64_t sequence_length_of(const network *n, int64_t b) {
  return n->lengths ? n->lengths[b] : n->time;
}

// The time of step s: a reversed direction starts at the end of the sequence.
static int64_t time_of_step(const network *n, int64_t direction, int64_t b, int64_t s) {
  return direction ? sequence_length_of(n, b) - 1 - s : s;
}

// ---- shares of threads

static int64_t block_count(int64_t block, int64_t rows) {
  return (rows + block - 1) / block;
}

static int64_t threads_of(const network *n) {
  return n->call->parallel.threads > 1 ? n->call->parallel.threads : 1;
}

// Sequences of the thread that has most of them, with blocks of `block` sequences. Every thread
// has a share of whole blocks.
static int64_t longest_share(const network *n, int64_t block) {
  int64_t longest = block_count(threads_of(n), block_count(block, n->batch)) * block;
  return longest < n->batch ? longest : n->batch;
}

// The rows of a whole tile, unless fewer share the sequences more evenly.
static int64_t sequences_of_block(const network *n, const contract_tile *t) {
  bool few = t->run_few && longest_share(n, t->few_rows) < longest_share(n, t->rows);
  return few ? t->few_rows : t->rows;
}

static int64_t share_count(const network *n, int64_t block) {
  int64_t blocks = block_count(block, n->batch), threads = threads_of(n);
  return blocks < threads ? blocks : threads;
}

// ---- the passes, in both types

#define REAL float
#define LAYER(x) x##_f32
#include "matrix_panels.h"
#include "matrix_product.h"
#include "rnn_walk.h"
#include "rnn_grad_cell.h"
#include "rnn_keep_layer.h"
#include "rnn_grad_layer.h"
#undef REAL
#undef LAYER
#define REAL double
#define LAYER(x) x##_f64
#include "matrix_panels.h"
#include "matrix_product.h"
#include "rnn_walk.h"
#include "rnn_grad_cell.h"
#include "rnn_keep_layer.h"
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
  n->time = x->shape[0];
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
  int given =
      n->is_backward ? call->in_members[n->in.state_grad] : call->out_members[OUT_LAST_STATE];
  counted = counted && given == n->states;
  if (!counted || call->in_members[IN_WEIGHTS] != 4 * n->paths)
    return pir_kernel_fail(call, PIR_INVALID,
                           "%s: as many states and weights as the network has are expected",
                           call->op);
  return PIR_OK;
}

// ---- operands and results in the type of the computation

// Makes zeros in the shape of a result, which are the result itself if it is dense and of this
// type. It has to have this shape; where it is absent, the zeros have it.
static pir_status take_result(const network *n, pir_tensor *result, pir_dtype dtype,
                              const int64_t *shape, int rank, pir_tensor *out) {
  if (!result)
    return pir_kernel_zeros(n->call, dtype, shape, rank, out);
  PIR_TRY(expect_network_shape(n->call, "a result", result, rank, shape));
  return pir_kernel_open_result(n->call, result, dtype, out);
}

static const pir_tensor *member_in(const network *n, int list, int64_t i) {
  return n->call->in[n->call->in_first[list] + i];
}

// Member i of a list of results; NULL without one.
static pir_tensor *member_out(const network *n, int list, int64_t i) {
  return i < n->call->out_members[list] ? n->call->out[n->call->out_first[list] + i] : NULL;
}

static pir_status take_weights(network *n, pir_dtype dtype) {
  for (int64_t i = 0; i < 4 * n->paths; i++) {
    const pir_tensor *from = member_in(n, IN_WEIGHTS, i);
    int64_t depth = n->hidden;
    if (i % 2 == 0)
      depth = i / 2 < n->directions ? n->inputs : n->hidden * n->directions;
    const int64_t shape[2] = {n->gates * n->hidden, depth};
    int rank = i < 2 * n->paths ? 2 : 1;
    PIR_TRY(expect_network_shape(n->call, "weight_list", from, rank, shape));
    PIR_TRY(pir_rnn_take_operand(n->call, from, dtype, false, &n->weights[i]));
    if (n->is_backward)
      PIR_TRY(take_result(n, member_out(n, OUT_WEIGHTS, i), dtype, shape, rank,
                          &n->weight_grads[i]));
  }
  return PIR_OK;
}

static pir_status take_states(network *n, pir_dtype dtype) {
  const int64_t shape[3] = {n->paths, n->batch, n->hidden};
  for (int64_t i = 0; i < n->states; i++) {
    const pir_tensor *from = member_in(n, IN_STATE, i);
    PIR_TRY(expect_network_shape(n->call, "pre_state", from, 3, shape));
    PIR_TRY(pir_kernel_dense(n->call, from, dtype, shape, 3, &n->state[i]));
    if (!n->is_backward)
      continue;
    const pir_tensor *last = member_in(n, n->in.state_grad, i);
    PIR_TRY(expect_network_shape(n->call, "state_grad", last, 3, shape));
    PIR_TRY(pir_kernel_dense(n->call, last, dtype, shape, 3, &n->state_grad[i]));
  }
  return PIR_OK;
}

static pir_status take_lengths(network *n, passes_tensors *t) {
  const pir_kernel_call *call = n->call;
  const pir_tensor *lengths = pir_kernel_in(call, IN_LENGTHS);
  if (!lengths)
    return PIR_OK;
  PIR_TRY(expect_network_shape(call, "sequence_length", lengths, 1, &n->batch));
  PIR_TRY(pir_kernel_dense(call, lengths, PIR_I64, lengths->shape, 1, &t->lengths));
  n->lengths = t->lengths.data;
  for (int64_t b = 0; b < n->batch; b++)
    if (n->lengths[b] < 0 || n->lengths[b] > n->time)
      return pir_kernel_fail(call, PIR_INVALID, "%s: sequence_length: %lld of %lld steps",
                             call->op, (long long)n->lengths[b], (long long)n->time);
  return PIR_OK;
}

static pir_status take_sequences(network *n, pir_dtype dtype, passes_tensors *t) {
  const pir_kernel_call *call = n->call;
  const pir_tensor *x = pir_kernel_in(call, IN_X);
  const int64_t out[3] = {n->time, n->batch, n->hidden * n->directions};
  PIR_TRY(pir_rnn_take_operand(call, x, dtype, false, &t->x));
  if (!n->is_backward) {
    pir_tensor *kept = pir_kernel_out(call, OUT_KEPT);
    PIR_TRY(take_result(n, pir_kernel_out(call, OUT_OUT), dtype, out, 3, &t->out));
    if (kept)
      PIR_TRY(take_result(n, kept, dtype, kept->shape, kept->rank, &t->kept));
    return PIR_OK;
  }
  const pir_tensor *grad = pir_kernel_in(call, n->in.out_grad);
  PIR_TRY(expect_network_shape(call, "out_grad", grad, 3, out));
  PIR_TRY(pir_rnn_take_operand(call, grad, dtype, false, &t->out_grad));
  pir_tensor *x_grad = pir_kernel_out(call, OUT_X);
  if (x_grad)
    PIR_TRY(take_result(n, x_grad, dtype, x->shape, 3, &t->x_grad));
  if (n->is_forward)
    return PIR_OK;
  const pir_tensor *kept = pir_kernel_in(call, n->in.kept);
  if (!kept)
    return pir_kernel_fail(call, PIR_INVALID, "%s: kept: is absent", call->op);
  return pir_rnn_take_operand(call, kept, dtype, false, &t->kept);
}

static pir_status give_results(network *n, pir_status status, passes_tensors *t) {
  const pir_kernel_call *call = n->call;
  if (!n->is_backward) {
    status = pir_kernel_close_result(call, status, pir_kernel_out(call, OUT_OUT), &t->out);
    status = pir_kernel_close_result(call, status, pir_kernel_out(call, OUT_KEPT), &t->kept);
  } else {
    status = pir_kernel_close_result(call, status, pir_kernel_out(call, OUT_X), &t->x_grad);
  }
  pir_tensor *states = n->is_backward ? n->state_grad : n->state;
  int state_list = n->is_backward ? OUT_STATE : OUT_LAST_STATE;
  for (int64_t i = 0; i < n->states; i++)
    status = pir_kernel_close_result(call, status, member_out(n, state_list, i), &states[i]);
  for (int64_t i = 0; i < 4 * n->paths && n->is_backward; i++)
    status = pir_kernel_close_result(call, status, member_out(n, OUT_WEIGHTS, i),
                                     &n->weight_grads[i]);
  return status;
}

static void drop_operands(network *n, passes_tensors *t) {
  const pir_kernel_call *call = n->call;
  for (int64_t i = 0; i < 4 * n->paths; i++)
    pir_rnn_drop_operand(call, member_in(n, IN_WEIGHTS, i), &n->weights[i]);
  for (int64_t i = 0; i < n->states && n->is_backward; i++)
    pir_kernel_drop(call, &n->state[i]);
  pir_rnn_drop_operand(call, pir_kernel_in(call, IN_X), &t->x);
  if (n->is_backward)
    pir_rnn_drop_operand(call, pir_kernel_in(call, n->in.out_grad), &t->out_grad);
  if (n->is_backward && !n->is_forward)
    pir_rnn_drop_operand(call, pir_kernel_in(call, n->in.kept), &t->kept);
  pir_kernel_drop(call, &t->lengths);
}

static pir_status run_network(network *n) {
  const pir_kernel_call *call = n->call;
  PIR_TRY(read_network(call, n));
  pir_dtype dtype = pir_kernel_in(call, IN_X)->dtype == PIR_F64 ? PIR_F64 : PIR_F32;
  size_t size = (size_t)(8 * n->paths) * sizeof(pir_tensor);
  passes_tensors t = {0};
  n->weights = pir_kernel_alloc(call, size);
  if (!n->weights)
    return pir_kernel_fail(call, PIR_EXHAUSTED, "%s: out of memory", call->op);
  memset(n->weights, 0, size);
  n->weight_grads = n->weights + 4 * n->paths;
  pir_status status = take_weights(n, dtype);
  if (!status)
    status = take_states(n, dtype);
  if (!status)
    status = take_lengths(n, &t);
  if (!status)
    status = take_sequences(n, dtype, &t);
  if (!status)
    status =
        dtype == PIR_F64 ? run_in_memory_f64(n, dtype, &t) : run_in_memory_f32(n, dtype, &t);
  status = give_results(n, status, &t);
  drop_operands(n, &t);
  pir_kernel_free(call, n->weights, size);
  return status;
}

// operands: x, pre_state*, weight_list*, sequence_length, out, dropout_state_out, reserve,
// out_grad, state_grad*; results: x_grad, pre_state_grad*, weight_list_grad*
pir_status pir_kernel_rnn_grad(const pir_kernel_call *call) {
  enum { AT_OUT_GRAD = 7, AT_STATE_GRAD };
  return run_network(&(network){.call = call,
                                .in = {-1, AT_OUT_GRAD, AT_STATE_GRAD},
                                .is_forward = true,
                                .is_backward = true});
}

// operands: x, pre_state*, weight_list*, sequence_length, dropout_state_in; results: out,
// dropout_state_out, state*, kept
pir_status pir_kernel_rnn_keep(const pir_kernel_call *call) {
  return run_network(&(network){.call = call, .in = {-1, -1, -1}, .is_forward = true});
}

// operands: x, pre_state*, weight_list*, sequence_length, kept, out_grad, state_grad*; results:
// as of rnn_grad
pir_status pir_kernel_rnn_kept_grad(const pir_kernel_call *call) {
  enum { AT_KEPT = 4, AT_OUT_GRAD, AT_STATE_GRAD };
  return run_network(&(network){
      .call = call, .in = {AT_KEPT, AT_OUT_GRAD, AT_STATE_GRAD}, .is_backward = true});
}
