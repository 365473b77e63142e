// Gradients of the ops over sequences that are stored one after the other (sequences.c). Each
// visits the sequences in turn, in O(rows), in double.
#include <math.h>
#include <string.h>

#include "kernels.h"

// The number of elements of one row.
static int64_t grad_row_width(const pir_tensor *x) {
  int64_t n = 1;
  for (int d = 1; d < x->rank; d++)
    n *= x->shape[d];
  return n;
}

// ---- pooling

enum { POOL_X, POOL_INDEX, POOL_OUT_GRAD, POOL_X_GRAD, POOL_TENSORS };

// Spreads the gradient of one pooled row over the rows of its sequence.
static void spread_pooled_row(const pir_kernel_call *call, const double *grad, int64_t rows,
                              int64_t wide, double *to) {
  double by = 1;
  int64_t first = 0, last = rows - 1;
  if (pir_kernel_text_is(call, 1, "AVERAGE"))
    by = 1 / (double)rows;
  else if (pir_kernel_text_is(call, 1, "SQRT"))
    by = 1 / sqrt((double)rows);
  else if (pir_kernel_text_is(call, 1, "LAST"))
    first = last;
  else if (pir_kernel_text_is(call, 1, "FIRST"))
    last = first;
  for (int64_t i = first; i <= last; i++)
    for (int64_t j = 0; j < wide; j++)
      to[i * wide + j] = grad[j] * by;
}

// Puts the gradients where the largest elements were; an empty sequence has none (-1).
static pir_status put_at_largest(const pir_kernel_call *call, const pir_tensor *t, int64_t n,
                                 int64_t wide) {
  int64_t rows = t[POOL_X].shape[0];
  const int64_t *at = t[POOL_INDEX].data;
  for (int64_t i = 0; i < n * wide; i++) {
    if (at[i] >= rows)
      return pir_kernel_fail(call, PIR_INVALID, "%s: max_index: row %lld of %lld", call->op,
                             (long long)at[i], (long long)rows);
    if (at[i] >= 0)
      ((double *)t[POOL_X_GRAD].data)[at[i] * wide + i % wide] =
          ((double *)t[POOL_OUT_GRAD].data)[i];
  }
  return PIR_OK;
}

// operands: x, max_index, out_grad; attributes: is_test, pooltype
pir_status pir_kernel_sequence_pool_grad(const pir_kernel_call *call) {
  static const uint8_t in[] = {PIR_F64, PIR_I64, PIR_F64}, out[] = {PIR_F64};
  static const char *const names[] = {"AVERAGE", "SUM", "SQRT", "MAX", "LAST", "FIRST"};
  pir_tensor t[POOL_TENSORS];
  const uint64_t *at;
  int64_t n;
  size_t kind = 0;
  while (kind < sizeof names / sizeof *names && !pir_kernel_text_is(call, 1, names[kind]))
    kind++;
  if (kind == sizeof names / sizeof *names)
    return pir_kernel_fail(call, PIR_INVALID, "%s: pooltype: not one of the six", call->op);
  PIR_TRY(pir_kernel_sequences(call, 0, &at, &n));
  int64_t wide = grad_row_width(pir_kernel_in(call, 0));
  bool largest = pir_kernel_text_is(call, 1, "MAX");
  pir_status status = pir_kernel_open(call, in, 3, out, 1, t);
  bool fits = !status && pir_tensor_numel(&t[POOL_OUT_GRAD]) == n * wide;
  fits &= !status && (!largest || pir_tensor_numel(&t[POOL_INDEX]) == n * wide);
  if (!status && !fits)
    status = pir_kernel_fail(call, PIR_INVALID, "%s: out_grad or max_index: expects %lld rows",
                             call->op, (long long)n);
  for (int64_t s = 0; !status && !largest && s < n; s++)
    if (at[s + 1] > at[s])
      spread_pooled_row(call, (double *)t[POOL_OUT_GRAD].data + s * wide,
                        (int64_t)(at[s + 1] - at[s]), wide,
                        (double *)t[POOL_X_GRAD].data + (int64_t)at[s] * wide);
  if (!status && largest)
    status = put_at_largest(call, t, n, wide);
  return pir_kernel_close(call, status, 3, 1, t);
}

// ---- softmax

// operands: x, out, out_grad
pir_status pir_kernel_sequence_softmax_grad(const pir_kernel_call *call) {
  static const uint8_t in[] = {PIR_F64, PIR_F64, PIR_F64}, out[] = {PIR_F64};
  pir_tensor t[4];
  const uint64_t *at;
  int64_t n;
  PIR_TRY(pir_kernel_sequences(call, 0, &at, &n));
  const pir_tensor *x = pir_kernel_in(call, 0);
  if (grad_row_width(x) != 1)
    return pir_kernel_fail(call, PIR_INVALID, "%s: x: expects one column", call->op);
  PIR_TRY(pir_kernel_expect_shape(call, 1, "out", x->shape, x->rank));
  PIR_TRY(pir_kernel_expect_shape(call, 2, "out_grad", x->shape, x->rank));
  pir_status status = pir_kernel_open(call, in, 3, out, 1, t);
  const double *y = t[1].data, *g = t[2].data;
  double *to = t[3].data;
  for (int64_t s = 0; !status && s < n; s++) {
    double sum = 0;
    for (uint64_t i = at[s]; i < at[s + 1]; i++)
      sum += g[i] * y[i];
    for (uint64_t i = at[s]; i < at[s + 1]; i++)
      to[i] = (g[i] - sum) * y[i];
  }
  return pir_kernel_close(call, status, 3, 1, t);
}

// ---- repetition

// operands: x, y, out_grad; attribute: ref_level. The rows of a sequence of x take the sums
// over its copies.
pir_status pir_kernel_sequence_expand_grad(const pir_kernel_call *call) {
  static const uint8_t in[] = {PIR_F64, PIR_UNDEFINED, PIR_F64}, out[] = {PIR_F64};
  const pir_tensor *x = pir_kernel_in(call, 0), *y = pir_kernel_in(call, 1);
  const uint64_t *from = NULL;
  int64_t level = pir_kernel_int(call, 0), sequences = x->rank ? x->shape[0] : 0;
  if (level < 0)
    level += (int64_t)y->lod_levels;
  if (level < 0 || level >= (int64_t)y->lod_levels)
    return pir_kernel_fail(call, PIR_INVALID, "%s: ref_level: %lld of %zu levels", call->op,
                           (long long)level, y->lod_levels);
  int64_t n = (int64_t)y->lod_sizes[level] - 1, rows = 0;
  const uint64_t *times = y->lod[level];
  if (x->lod_levels)
    PIR_TRY(pir_kernel_sequences(call, 0, &from, &sequences));
  bool fits = n <= 0 || sequences == n;
  for (int64_t s = 0; s < n && fits; s++) {
    fits = times[s] <= times[s + 1];
    rows += (int64_t)(times[s + 1] - times[s]) * (from ? (int64_t)(from[s + 1] - from[s]) : 1);
  }
  pir_tensor t[4];
  pir_status status = pir_kernel_open(call, in, 3, out, 1, t);
  int64_t wide = grad_row_width(x);
  if (!status && (!fits || pir_tensor_numel(&t[2]) != (n > 0 ? rows : sequences) * wide))
    status = pir_kernel_fail(call, PIR_INVALID, "%s: x, y and out_grad do not fit", call->op);
  const double *g = t[2].data;
  double *to = t[3].data;
  if (!status && n <= 0)
    memcpy(to, g, (size_t)(sequences * wide) * sizeof *to);
  for (int64_t s = 0; !status && s < n; s++) {
    int64_t first = from ? (int64_t)from[s] : s;
    int64_t length = (from ? (int64_t)(from[s + 1] - from[s]) : 1) * wide;
    for (uint64_t i = times[s]; i < times[s + 1]; i++, g += length)
      for (int64_t j = 0; j < length; j++)
        to[first * wide + j] += g[j];
  }
  return pir_kernel_close(call, status, 3, 1, t);
}

// ---- convolution

enum { CONV_X, CONV_PADDING, CONV_FILTER, CONV_OUT_GRAD, CONV_INS };
enum { CONV_X_GRAD = CONV_INS, CONV_PADDING_GRAD, CONV_FILTER_GRAD, CONV_ALL };

// One sequence: its first row, its length, and the extents of the convolution.
typedef struct convolution {
  const pir_tensor *t;
  int64_t first, rows, wide, outs, window, start, up;
} convolution;

// The tensor that slot k of row i reads, and the row there: of the sequence, else of the
// trained padding (rows before the sequence come first), else of nothing.
static int64_t read_by_slot(const convolution *c, int64_t i, int64_t k, bool padded,
                            bool *out_inside) {
  int64_t row = i + c->start + k;
  *out_inside = row >= 0 && row < c->rows;
  if (*out_inside)
    return c->first + row;
  if (!padded)
    return -1;
  return row < 0 ? row + c->up : c->up + row - c->rows;
}

static void convolve_row_back(const convolution *c, int64_t i) {
  const double *filter = c->t[CONV_FILTER].data;
  const double *grad = (const double *)c->t[CONV_OUT_GRAD].data + (c->first + i) * c->outs;
  bool padded = c->t[CONV_PADDING].data;
  for (int64_t k = 0; k < c->window; k++) {
    bool inside;
    int64_t row = read_by_slot(c, i, k, padded, &inside);
    if (row < 0)
      continue;
    const double *x = c->t[inside ? CONV_X : CONV_PADDING].data;
    double *x_grad = c->t[inside ? CONV_X_GRAD : CONV_PADDING_GRAD].data;
    double *filter_grad = c->t[CONV_FILTER_GRAD].data;
    for (int64_t j = 0; j < c->wide * c->outs; j++) {
      int64_t from = row * c->wide + j / c->outs, at = k * c->wide * c->outs + j;
      double g = grad[j % c->outs];
      if (x_grad)
        x_grad[from] += g * filter[at];
      if (filter_grad)
        filter_grad[at] += g * x[from];
    }
  }
}

// operands: x [rows, wide], padding_data, filter [window * wide, outs], out_grad; attributes:
// context_length, padding_trainable, context_start, context_stride; results: x_grad,
// padding_data_grad, filter_grad
pir_status pir_kernel_sequence_conv_grad(const pir_kernel_call *call) {
  bool trained = pir_kernel_int(call, 1) != 0;
  const uint8_t in[] = {PIR_F64, trained ? PIR_F64 : PIR_UNDEFINED, PIR_F64, PIR_F64};
  static const uint8_t out[] = {PIR_F64, PIR_F64, PIR_F64};
  const uint64_t *at;
  int64_t n, window = pir_kernel_int(call, 0), start = pir_kernel_int(call, 2);
  PIR_TRY(pir_kernel_expect_rank(call, CONV_X, "x", 2));
  PIR_TRY(pir_kernel_expect_rank(call, CONV_FILTER, "filter", 2));
  PIR_TRY(pir_kernel_sequences(call, CONV_X, &at, &n));
  const int64_t *shape = pir_kernel_in(call, CONV_X)->shape;
  const int64_t *filter = pir_kernel_in(call, CONV_FILTER)->shape;
  int64_t up = start < 0 ? -start : 0, down = start + window - 1;
  const int64_t grads[2] = {shape[0], filter[1]},
                pads[2] = {up + (down > 0 ? down : 0), shape[1]};
  PIR_TRY(pir_kernel_expect_shape(call, CONV_OUT_GRAD, "out_grad", grads, 2));
  if (trained)
    PIR_TRY(pir_kernel_expect_shape(call, CONV_PADDING, "padding_data", pads, 2));
  int64_t rows;
  bool large = __builtin_mul_overflow(window, shape[1], &rows);
  if (window < 1 || large || rows != filter[0] || pir_kernel_int(call, 3) != 1)
    return pir_kernel_fail(call, PIR_INVALID,
                           "%s: filter: expects %lld times %lld rows and a stride of 1",
                           call->op, (long long)window, (long long)shape[1]);
  pir_tensor t[CONV_ALL];
  pir_status status = pir_kernel_open(call, in, CONV_INS, out, CONV_ALL - CONV_INS, t);
  for (int64_t s = 0; !status && s < n; s++) {
    convolution c = {.t = t,
                     .first = (int64_t)at[s],
                     .rows = (int64_t)(at[s + 1] - at[s]),
                     .wide = shape[1],
                     .outs = filter[1],
                     .window = window,
                     .start = start,
                     .up = up};
    for (int64_t i = 0; i < c.rows; i++)
      convolve_row_back(&c, i);
  }
  return pir_kernel_close(call, status, CONV_INS, CONV_ALL - CONV_INS, t);
}
