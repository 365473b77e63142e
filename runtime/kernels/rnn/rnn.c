// Recurrent networks: plain, LSTM and GRU, with several layers, one or two directions, and
// sequences of different lengths. Weights are packed once per call into panels of the
// contraction's register tile; a step multiplies the batch rows of a tile with all panels.
// Blocks of batch rows and directions run in parallel; time is serial. Cost: gates * hidden *
// (inputs + hidden) multiplications for each step and row, at the speed of a matrix product.
#include <string.h>

#include "contraction.h"
#include "activations.h"
#include "rnn.h"

typedef struct rnn_shape {
  rnn_mode mode;
  int64_t time, batch, inputs, hidden, layers, directions;
  int64_t rows;            // gates * hidden
  int64_t padded;          // `rows`, rounded up to a multiple of the tile's columns
  contract_tile tile;      // tile of batch rows by gates
  const int64_t *lengths;  // lengths of the sequences, or NULL
} rnn_shape;

typedef struct rnn_tensors {
  pir_tensor x, out, state[2], *weights, lengths;
  int32_t weight_count;
} rnn_tensors;

#define REAL float
#define LAYER(x) x##_f32
#include "matrix_panels.h"
#include "rnn_layer.h"
#undef REAL
#undef LAYER
#define REAL double
#define LAYER(x) x##_f64
#include "matrix_panels.h"
#include "rnn_layer.h"
#undef REAL
#undef LAYER

enum { IN_X, IN_STATE, IN_WEIGHTS, IN_LENGTHS };
enum { OUT_OUT, OUT_DROPOUT, OUT_STATE };

static pir_status expect_tensor_shape(const pir_kernel_call *call, const char *what,
                                      const pir_tensor *t, int rank, const int64_t *shape) {
  if (t->rank != rank)
    return pir_kernel_fail(call, PIR_INVALID, "%s: %s: expects rank %d, found %d", call->op,
                           what, rank, t->rank);
  for (int d = 0; d < rank; d++)
    if (t->shape[d] != shape[d])
      return pir_kernel_fail(call, PIR_INVALID,
                             "%s: %s: expects %lld along axis %d, found %lld", call->op, what,
                             (long long)shape[d], d, (long long)t->shape[d]);
  return PIR_OK;
}

int pir_rnn_read_mode(const pir_kernel_call *call, rnn_mode *out_mode) {
  static const char *const names[] = {"RNN_TANH", "RNN_RELU", "LSTM", "GRU"};
  static const int gates[] = {1, 1, 4, 3};
  for (int i = 0; i < 4; i++)
    if (pir_str_equal(pir_kernel_text(call, ATTR_MODE), pir_str_from(names[i]))) {
      *out_mode = (rnn_mode)i;
      return gates[i];
    }
  return 0;
}

static pir_status read_rnn_mode(const pir_kernel_call *call, rnn_shape *s) {
  int gates = pir_rnn_read_mode(call, &s->mode);
  if (!gates || __builtin_mul_overflow(s->hidden, gates, &s->rows))
    return pir_kernel_fail(call, PIR_INVALID,
                           "%s: mode: expects RNN_TANH, RNN_RELU, LSTM or GRU", call->op);
  bool is_double = pir_kernel_in(call, IN_X)->dtype == PIR_F64;
  s->tile = pir_contract_tile(is_double ? PIR_F64 : PIR_F32);
  s->padded = (s->rows + s->tile.columns - 1) / s->tile.columns * s->tile.columns;
  return PIR_OK;
}

static pir_status read_rnn_shape(const pir_kernel_call *call, rnn_shape *s) {
  const pir_tensor *x = pir_kernel_in(call, IN_X);
  if (!x || x->rank != 3)
    return pir_kernel_fail(call, PIR_INVALID, "%s: x: expects rank 3, found %d", call->op,
                           x ? x->rank : 0);
  *s = (rnn_shape){.time = x->shape[0], .batch = x->shape[1], .inputs = x->shape[2]};
  s->hidden = pir_kernel_int(call, ATTR_HIDDEN_SIZE);
  s->layers = pir_kernel_int(call, ATTR_LAYERS);
  s->directions = pir_kernel_int(call, ATTR_BIDIRECTIONAL) ? 2 : 1;
  bool some = s->hidden >= 1 && s->layers >= 1;
  if (!some || s->layers > INT32_MAX / 8 || s->hidden > INT32_MAX)
    return pir_kernel_fail(call, PIR_INVALID, "%s: hidden_size %lld, num_layers %lld", call->op,
                           (long long)s->hidden, (long long)s->layers);
  if (!pir_kernel_int(call, ATTR_IS_TEST) && pir_kernel_float(call, ATTR_DROPOUT) > 0 &&
      s->layers > 1)
    return pir_kernel_fail(call, PIR_UNSUPPORTED, "unsupported: %s with dropout between layers",
                           call->op);
  return read_rnn_mode(call, s);
}

static pir_status check_rnn_shapes(const pir_kernel_call *call, const rnn_shape *s) {
  int64_t states = s->mode == RNN_LSTM ? 2 : 1;
  int64_t paths = s->layers * s->directions;
  if (call->in_members[IN_STATE] != states || call->out_members[OUT_STATE] != states)
    return pir_kernel_fail(call, PIR_INVALID, "%s: pre_state: expects %d tensors, found %d",
                           call->op, (int)states, call->in_members[IN_STATE]);
  if (call->in_members[IN_WEIGHTS] != 4 * paths)
    return pir_kernel_fail(call, PIR_INVALID, "%s: weight_list: expects %lld tensors, found %d",
                           call->op, (long long)(4 * paths), call->in_members[IN_WEIGHTS]);
  const int64_t state[3] = {paths, s->batch, s->hidden};
  const int64_t out[3] = {s->time, s->batch, s->hidden * s->directions};
  for (int i = 0; i < states; i++) {
    PIR_TRY(expect_tensor_shape(call, "pre_state", call->in[call->in_first[IN_STATE] + i], 3,
                                state));
    PIR_TRY(expect_tensor_shape(call, "state", call->out[call->out_first[OUT_STATE] + i], 3,
                                state));
  }
  PIR_TRY(expect_tensor_shape(call, "out", pir_kernel_out(call, OUT_OUT), 3, out));
  for (int64_t i = 0; i < 4 * paths; i++) {
    const pir_tensor *weight = call->in[call->in_first[IN_WEIGHTS] + i];
    int rank = i < 2 * paths ? 2 : 1;
    int64_t depth = s->hidden;
    if (i % 2 == 0)
      depth = i / 2 < s->directions ? s->inputs : s->hidden * s->directions;
    int64_t shape[2] = {s->rows, depth};
    PIR_TRY(expect_tensor_shape(call, "weight_list", weight, rank, shape));
  }
  const pir_tensor *lengths = pir_kernel_in(call, IN_LENGTHS);
  if (!lengths)
    return PIR_OK;
  return expect_tensor_shape(call, "sequence_length", lengths, 1, &s->batch);
}

pir_status pir_rnn_take_operand(const pir_kernel_call *call, const pir_tensor *from,
                                pir_dtype dtype, bool writable, pir_tensor *to) {
  bool dense = from->dtype == dtype && pir_tensor_is_dense(from);
  bool aligned = (uintptr_t)from->data % pir_dtype_size(dtype) == 0;
  if (!writable && dense && aligned) {
    *to = *from;
    return PIR_OK;
  }
  return pir_kernel_dense(call, from, dtype, from->shape, from->rank, to);
}

void pir_rnn_drop_operand(const pir_kernel_call *call, const pir_tensor *from,
                          pir_tensor *taken) {
  if (!from || taken->data != from->data)
    pir_kernel_drop(call, taken);
}

static pir_status load_rnn_tensors(const pir_kernel_call *call, rnn_shape *s, pir_dtype dtype,
                                   rnn_tensors *t) {
  const pir_tensor *lengths = pir_kernel_in(call, IN_LENGTHS);
  const pir_tensor *out = pir_kernel_out(call, OUT_OUT);
  size_t bytes;
  PIR_TRY(pir_rnn_take_operand(call, pir_kernel_in(call, IN_X), dtype, false, &t->x));
  const pir_tensor *const *states = call->in + call->in_first[IN_STATE];
  const pir_tensor *const *weights = call->in + call->in_first[IN_WEIGHTS];
  for (int i = 0; i < call->in_members[IN_STATE]; i++)
    PIR_TRY(pir_rnn_take_operand(call, states[i], dtype, true, &t->state[i]));
  for (int32_t i = 0; i < t->weight_count; i++)
    PIR_TRY(pir_rnn_take_operand(call, weights[i], dtype, false, &t->weights[i]));
  if (lengths) {
    PIR_TRY(pir_kernel_dense(call, lengths, PIR_I64, lengths->shape, 1, &t->lengths));
    s->lengths = t->lengths.data;
  }
  if (pir_shape_bytes(out->shape, out->rank, dtype, &bytes))
    return pir_kernel_fail(call, PIR_EXHAUSTED, "%s: too large", call->op);
  pir_tensor_set_dense(&t->out, dtype, out->shape, out->rank);
  t->out.data = pir_kernel_alloc(call, bytes);
  if (!t->out.data)
    return pir_kernel_fail(call, PIR_EXHAUSTED, "%s: out of memory", call->op);
  return PIR_OK;
}

// operands: x, pre_state*, weight_list*, sequence_length; results: out, dropout_state_out,
// state*
pir_status pir_kernel_rnn(const pir_kernel_call *call) {
  rnn_shape s;
  PIR_TRY(read_rnn_shape(call, &s));
  PIR_TRY(check_rnn_shapes(call, &s));
  pir_dtype dtype = pir_kernel_in(call, IN_X)->dtype == PIR_F64 ? PIR_F64 : PIR_F32;
  rnn_tensors t = {.weight_count = call->in_members[IN_WEIGHTS]};
  size_t list = (size_t)t.weight_count * sizeof *t.weights;
  t.weights = pir_kernel_alloc(call, list);
  if (!t.weights)
    return pir_kernel_fail(call, PIR_EXHAUSTED, "%s: out of memory", call->op);
  memset(t.weights, 0, list);
  pir_status status = load_rnn_tensors(call, &s, dtype, &t);
  if (!status)
    status = dtype == PIR_F64 ? run_layers_f64(call, &s, &t) : run_layers_f32(call, &s, &t);
  if (!status)
    status = pir_tensor_copy(&t.out, pir_kernel_out(call, OUT_OUT));
  for (int i = 0; i < call->in_members[IN_STATE]; i++) {
    if (!status)
      status = pir_tensor_copy(&t.state[i], call->out[call->out_first[OUT_STATE] + i]);
    pir_kernel_drop(call, &t.state[i]);
  }
  for (int32_t i = 0; i < t.weight_count; i++)
    pir_rnn_drop_operand(call, call->in[call->in_first[IN_WEIGHTS] + i], &t.weights[i]);
  pir_rnn_drop_operand(call, pir_kernel_in(call, IN_X), &t.x);
  pir_kernel_drop(call, &t.lengths);
  pir_kernel_drop(call, &t.out);
  pir_kernel_free(call, t.weights, list);
  return status;
}
