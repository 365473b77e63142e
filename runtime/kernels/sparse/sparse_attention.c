// Attention at given positions: row i of the weights of a head has elements at the columns that
// lie from offset i to offset i + 1. Computes in double. O(positions * width).
#include <math.h>
#include <string.h>

#include "attend.h"

enum { QUERY, KEY, VALUE, OFFSET, COLUMNS, PADDING_MASK, ATTENTION_MASK, FORWARD_OPERANDS };
enum { SCORES = 5, WEIGHTS, OUT_GRAD, BACKWARD_OPERANDS };
enum { OUT_SCORES = 1, OUT_WEIGHTS, FORWARD_RESULTS, BACKWARD_RESULTS = 3 };

// The positions of all heads, and the extents of their rows.
typedef struct positions {
  const int64_t *offsets, *columns;
  int64_t batch, heads, length, width, stored;
} positions;

static pir_status read_positions(const pir_kernel_call *call, const pir_tensor *room,
                                 positions *out) {
  const pir_tensor *q = pir_kernel_in(call, QUERY);
  PIR_TRY(pir_kernel_expect_rank(call, QUERY, "q", 4));
  PIR_TRY(pir_kernel_expect_shape(call, KEY, "k", q->shape, 4));
  PIR_TRY(pir_kernel_expect_shape(call, VALUE, "v", q->shape, 4));
  PIR_TRY(pir_kernel_expect_rank(call, COLUMNS, "columns", 3));
  const int64_t rows[3] = {q->shape[0], q->shape[1], q->shape[2] + 1};
  PIR_TRY(pir_kernel_expect_shape(call, OFFSET, "offset", rows, 3));
  const int64_t lists[3] = {q->shape[0], q->shape[1], room[COLUMNS].shape[2]};
  PIR_TRY(pir_kernel_expect_shape(call, COLUMNS, "columns", lists, 3));
  *out = (positions){room[OFFSET].data, room[COLUMNS].data, q->shape[0], q->shape[1],
                     q->shape[2],       q->shape[3],        lists[2]};
  for (int64_t head = 0; head < out->batch * out->heads; head++) {
    const int64_t *at = out->offsets + head * (out->length + 1);
    for (int64_t i = 0; i < out->length; i++)
      if (at[i] < 0 || at[i] > at[i + 1] || at[i + 1] > out->stored)
        return pir_kernel_fail(call, PIR_INVALID,
                               "%s: offset: expects numbers that do not fall, up to %lld",
                               call->op, (long long)out->stored);
  }
  for (int64_t i = 0; i < out->batch * out->heads * out->stored; i++)
    if (out->columns[i] < 0 || out->columns[i] >= out->length)
      return pir_kernel_fail(call, PIR_INVALID, "%s: columns: expects numbers below %lld",
                             call->op, (long long)out->length);
  return PIR_OK;
}

// Computes the weights of one row from its scores; positions where a mask is 0 get none.
static void weigh_row(const double *scores, const int64_t *columns, int64_t n,
                      const double *padding, const double *mask, double scale,
                      double *weights) {
  double most = -INFINITY;
  double sum = 0;
  for (int64_t i = 0; i < n; i++) {
    bool hidden = (padding && padding[columns[i]] == 0) || (mask && mask[columns[i]] == 0);
    weights[i] = hidden ? -INFINITY : scores[i] * scale;
    most = fmax(most, weights[i]);
  }
  for (int64_t i = 0; i < n; i++)
    sum += weights[i] = exp(weights[i] - most);
  for (int64_t i = 0; i < n; i++)
    weights[i] /= sum;
}

static void attend(const positions *p, const pir_tensor *room, pir_tensor *results) {
  const double *padding = room[PADDING_MASK].data;
  const double *mask = room[ATTENTION_MASK].data;
  for (int64_t row = 0; row < p->batch * p->heads * p->length; row++) {
    int64_t head = row / p->length;
    int64_t i = row % p->length;
    const int64_t *at = p->offsets + head * (p->length + 1) + i;
    int64_t first = head * p->stored + at[0];
    int64_t n = at[1] - at[0];
    int64_t base = head * p->length * p->width;
    double *scores = (double *)results[OUT_SCORES].data + first;
    double *weights = (double *)results[OUT_WEIGHTS].data + first;
    double *out = (double *)results[0].data + row * p->width;
    const double *query = (const double *)room[QUERY].data + row * p->width;
    for (int64_t k = 0; k < n; k++) {
      int64_t from = base + p->columns[first + k] * p->width;
      scores[k] = pir_attend_dot(query, (const double *)room[KEY].data + from, p->width);
    }
    weigh_row(scores, p->columns + first, n,
              padding ? padding + head / p->heads * p->length : NULL,
              mask ? mask + i * p->length : NULL, 1 / sqrt((double)p->width), weights);
    for (int64_t k = 0; k < n; k++) {
      int64_t from = base + p->columns[first + k] * p->width;
      pir_attend_add_row(out, weights[k], (const double *)room[VALUE].data + from, p->width);
    }
  }
}

// operands: q, k, v [batch, heads, length, width], offset [batch, heads, length + 1], columns
// [batch, heads, stored], key_padding_mask [batch, length], attn_mask [length, length]
pir_status pir_kernel_sparse_attention(const pir_kernel_call *call) {
  static const uint8_t in[FORWARD_OPERANDS] = {PIR_F64, PIR_F64, PIR_F64, PIR_I64,
                                               PIR_I64, PIR_F64, PIR_F64};
  static const uint8_t out[FORWARD_RESULTS] = {PIR_F64, PIR_F64, PIR_F64};
  pir_tensor room[FORWARD_OPERANDS + FORWARD_RESULTS];
  pir_tensor *results = room + FORWARD_OPERANDS;
  positions p;
  pir_status status = pir_kernel_open(call, in, FORWARD_OPERANDS, out, FORWARD_RESULTS, room);
  if (!status)
    status = read_positions(call, room, &p);
  if (!status && room[PADDING_MASK].data)
    status = pir_kernel_expect_shape(call, PADDING_MASK, "key_padding_mask",
                                     (int64_t[]){p.batch, p.length}, 2);
  if (!status && room[ATTENTION_MASK].data)
    status = pir_kernel_expect_shape(call, ATTENTION_MASK, "attn_mask",
                                     (int64_t[]){p.length, p.length}, 2);
  for (int r = OUT_SCORES; r <= OUT_WEIGHTS && !status; r++)
    status = pir_kernel_need(call, PIR_F64, room[COLUMNS].shape, 3, &results[r]);
  if (!status)
    attend(&p, room, results);
  return pir_kernel_close(call, status, FORWARD_OPERANDS, FORWARD_RESULTS, room);
}

// The gradient of a row's scores: its weights times how much more than their mean each gains.
static void attend_back(const positions *p, const pir_tensor *room, pir_tensor *grads) {
  double scale = 1 / sqrt((double)p->width);
  for (int64_t row = 0; row < p->batch * p->heads * p->length; row++) {
    int64_t head = row / p->length;
    const int64_t *at = p->offsets + head * (p->length + 1) + row % p->length;
    int64_t base = head * p->length * p->width;
    const double *grad = (const double *)room[OUT_GRAD].data + row * p->width;
    const double *query = (const double *)room[QUERY].data + row * p->width;
    const double *weights = room[WEIGHTS].data;
    const double *values = (const double *)room[VALUE].data + base;
    double mean = 0;
    for (int64_t k = head * p->stored + at[0]; k < head * p->stored + at[1]; k++)
      mean += weights[k] * pir_attend_dot(grad, values + p->columns[k] * p->width, p->width);
    for (int64_t k = head * p->stored + at[0]; k < head * p->stored + at[1]; k++) {
      int64_t from = p->columns[k] * p->width;
      double gain = pir_attend_dot(grad, values + from, p->width) - mean;
      double step = weights[k] * gain * scale;
      pir_attend_add_row((double *)grads[QUERY].data + row * p->width, step,
                         (const double *)room[KEY].data + base + from, p->width);
      pir_attend_add_row((double *)grads[KEY].data + base + from, step, query, p->width);
      pir_attend_add_row((double *)grads[VALUE].data + base + from, weights[k], grad, p->width);
    }
  }
}

// operands: q, k, v, offset, columns, sparse_dot_sdd, softmax, out_grad
pir_status pir_kernel_sparse_attention_grad(const pir_kernel_call *call) {
  static const uint8_t in[BACKWARD_OPERANDS] = {PIR_F64, PIR_F64,       PIR_F64, PIR_I64,
                                                PIR_I64, PIR_UNDEFINED, PIR_F64, PIR_F64};
  static const uint8_t out[BACKWARD_RESULTS] = {PIR_F64, PIR_F64, PIR_F64};
  pir_tensor room[BACKWARD_OPERANDS + BACKWARD_RESULTS];
  pir_tensor *grads = room + BACKWARD_OPERANDS;
  positions p;
  pir_status status = pir_kernel_open(call, in, BACKWARD_OPERANDS, out, BACKWARD_RESULTS, room);
  if (!status)
    status = read_positions(call, room, &p);
  if (!status)
    status = pir_kernel_expect_shape(call, WEIGHTS, "softmax", room[COLUMNS].shape, 3);
  if (!status)
    status = pir_kernel_expect_shape(call, OUT_GRAD, "out_grad", room[QUERY].shape, 4);
  for (int r = 0; r < BACKWARD_RESULTS && !status; r++)
    status = pir_kernel_need(call, PIR_F64, room[QUERY].shape, 4, &grads[r]);
  if (!status)
    attend_back(&p, room, grads);
  return pir_kernel_close(call, status, BACKWARD_OPERANDS, BACKWARD_RESULTS, room);
}
