// Ops over sequences of different lengths, which are stored one after the other: the rows of a
// matrix, divided by the offsets that come with the tensor (LoD). Each op visits the sequences
// in turn, in O(rows). The recurrent ones are in kernels/rnn/recurrent.c.
#include <math.h>
#include <string.h>

#include "kernels.h"

pir_status pir_kernel_sequences(const pir_kernel_call *call, int k,
                                const uint64_t **out_offsets, int64_t *out_count) {
  const pir_tensor *x = pir_kernel_in(call, k);
  if (!x || !x->lod_levels || x->rank < 1)
    return pir_kernel_fail(call, PIR_INVALID,
                           "%s: operand %d: expects a tensor with the offsets of its sequences "
                           "(pir_tensor.lod, pir-run --lod)",
                           call->op, k);
  const uint64_t *at = x->lod[x->lod_levels - 1];
  size_t n = x->lod_sizes[x->lod_levels - 1];
  bool fits = n > 0 && at[0] == 0 && at[n - 1] == (uint64_t)x->shape[0];
  for (size_t i = 1; i < n && fits; i++)
    fits = at[i - 1] <= at[i];
  if (!fits)
    return pir_kernel_fail(call, PIR_INVALID,
                           "%s: operand %d: its offsets do not go from 0 to its %lld rows",
                           call->op, k, (long long)x->shape[0]);
  *out_offsets = at;
  *out_count = (int64_t)n - 1;
  return PIR_OK;
}

uint64_t *pir_kernel_new_sequences(const pir_kernel_call *call, pir_tensor *out,
                                   int64_t count) {
  return pir_kernel_new_levels(call, out, 0, count);
}

uint64_t *pir_kernel_new_levels(const pir_kernel_call *call, pir_tensor *out, int64_t upper,
                                int64_t count) {
  size_t first = upper > 0 ? (size_t)upper + 1 : 0, bytes;
  bool large = __builtin_mul_overflow(first + (size_t)count + 1, sizeof(uint64_t), &bytes);
  large |= __builtin_add_overflow(bytes, sizeof(pir_lod_block), &bytes);
  if (!call->lods || large) {
    pir_ignore(pir_kernel_fail(call, PIR_EXHAUSTED, "%s: no room for the offsets of sequences",
                               call->op));
    return NULL;
  }
  pir_lod_block *block = pir_kernel_alloc_kept(call, bytes);
  if (!block) {
    pir_ignore(pir_kernel_fail(call, PIR_EXHAUSTED, "%s: out of memory", call->op));
    return NULL;
  }
  *block = (pir_lod_block){.next = *call->lods,
                           .bytes = bytes,
                           .levels = {block->offsets},
                           .sizes = {(size_t)count + 1}};
  if (first) {
    block->levels[1] = block->offsets + first;
    block->sizes[0] = first;
    block->sizes[1] = (size_t)count + 1;
  }
  *call->lods = block;
  out->lod = block->levels;
  out->lod_sizes = block->sizes;
  out->lod_levels = first ? 2 : 1;
  block->offsets[0] = 0;
  block->offsets[first] = 0;
  return block->offsets;
}

// The number of elements of one row.
static int64_t row_width(const pir_tensor *x) {
  int64_t n = 1;
  for (int d = 1; d < x->rank; d++)
    n *= x->shape[d];
  return n;
}

// Writes `rows` rows as a result with the row shape and dtype of x.
static pir_status write_rows_like_x(const pir_kernel_call *call, const pir_tensor *dense,
                                    pir_tensor *out, int64_t rows) {
  const pir_tensor *x = pir_kernel_in(call, 0);
  int64_t shape[PIR_MAX_RANK] = {rows};
  for (int d = 1; d < x->rank; d++)
    shape[d] = x->shape[d];
  pir_tensor from = *dense;
  PIR_TRY(pir_kernel_shape_result(call, out, x->dtype, shape, x->rank));
  pir_tensor_set_dense(&from, dense->dtype, shape, x->rank);
  return pir_tensor_copy(&from, out);
}

// Returns offset i: of y, or an element of y, or an entry of the attribute.
static int64_t reset_offset(const pir_tensor *y, pir_int_list target, int64_t i) {
  if (!y)
    return target.ints[i];
  if (y->lod_levels)
    return (int64_t)y->lod[y->lod_levels - 1][i];
  return pir_tensor_int_at(y, i);
}

static int64_t reset_offset_count(const pir_tensor *y, pir_int_list target) {
  if (!y)
    return (int64_t)target.count;
  if (y->lod_levels)
    return (int64_t)y->lod_sizes[y->lod_levels - 1];
  return pir_tensor_numel(y);
}

// operands: x, y; attributes: target_lod, append
pir_status pir_kernel_lod_reset(const pir_kernel_call *call) {
  const pir_tensor *x = pir_kernel_in(call, 0);
  const pir_tensor *y = pir_kernel_in(call, 1);
  pir_tensor *out = pir_kernel_out(call, 0);
  pir_int_list target = pir_kernel_ints(call, 0);
  if (pir_kernel_int(call, 1))
    return pir_kernel_fail(call, PIR_UNSUPPORTED, "unsupported: %s that appends a level",
                           call->op);
  int64_t n = reset_offset_count(y, target);
  if (n < 1)
    return pir_kernel_fail(call, PIR_INVALID, "%s: expects offsets", call->op);
  PIR_TRY(pir_kernel_shape_result(call, out, x->dtype, x->shape, x->rank));
  PIR_TRY(pir_tensor_copy(x, out));
  uint64_t *at = pir_kernel_new_sequences(call, out, n - 1);
  if (!at)
    return PIR_EXHAUSTED;
  for (int64_t i = 0; i < n; i++) {
    int64_t v = reset_offset(y, target, i);
    bool ordered = i ? v >= 0 && (uint64_t)v >= at[i - 1] : v == 0;
    if (!ordered)
      return pir_kernel_fail(call, PIR_INVALID,
                             "%s: offsets: expects 0 and then numbers that do not fall",
                             call->op);
    at[i] = (uint64_t)v;
  }
  if (x->rank < 1 || at[n - 1] != (uint64_t)x->shape[0])
    return pir_kernel_fail(call, PIR_INVALID, "%s: offsets: the last is %llu, x has %lld rows",
                           call->op, (unsigned long long)at[n - 1],
                           (long long)(x->rank ? x->shape[0] : 0));
  return PIR_OK;
}

typedef enum pooling {
  POOL_AVERAGE,
  POOL_SUM,
  POOL_SQRT,
  POOL_MAX,
  POOL_LAST,
  POOL_FIRST,
  POOL_KINDS
} pooling;

// Pools the rows of one sequence, and writes the row of the largest element of each column.
static void pool_sequence(pooling kind, const double *x, int64_t rows, int64_t wide, double *to,
                          int64_t *at) {
  for (int64_t j = 0; j < wide; j++) {
    double best = x[j], sum = 0;
    int64_t where = 0;
    for (int64_t i = 0; i < rows; i++) {
      sum += x[i * wide + j];
      if (x[i * wide + j] > best) {
        best = x[i * wide + j];
        where = i;
      }
    }
    at[j] = where;
    switch (kind) {
      case POOL_AVERAGE: to[j] = sum / (double)rows; break;
      case POOL_SUM: to[j] = sum; break;
      case POOL_SQRT: to[j] = sum / sqrt((double)rows); break;
      case POOL_MAX: to[j] = best; break;
      case POOL_LAST: to[j] = x[(rows - 1) * wide + j]; break;
      default: to[j] = x[j];
    }
  }
}

// One row is left of each of x's finest sequences: the sequences of these are the next level.
static void keep_upper_levels(const pir_tensor *x, pir_tensor *out) {
  out->lod = x->lod;
  out->lod_sizes = x->lod_sizes;
  out->lod_levels = x->lod_levels - 1;
}

// Makes each row a sequence: as many rows as x has would else go on with its offsets.
static pir_status divide_rows(const pir_kernel_call *call, pir_tensor *out, int64_t n) {
  uint64_t *at = pir_kernel_new_sequences(call, out, n);
  for (int64_t i = 0; at && i <= n; i++)
    at[i] = (uint64_t)i;
  return at ? PIR_OK : PIR_EXHAUSTED;
}

// operand: x; attributes: is_test, pooltype, pad_value; results: out, max_index
pir_status pir_kernel_sequence_pool(const pir_kernel_call *call) {
  static const char *const names[] = {"AVERAGE", "SUM", "SQRT", "MAX", "LAST", "FIRST"};
  const pir_tensor *x = pir_kernel_in(call, 0);
  pir_tensor t;
  pir_tensor all = {0};
  pir_tensor places = {0};
  pir_tensor *index = call->result_count > 1 ? pir_kernel_out(call, 1) : NULL;
  const uint64_t *at;
  int64_t n;
  int kind = 0;
  while (kind < POOL_KINDS &&
         !pir_str_equal(pir_kernel_text(call, 1), pir_str_from(names[kind])))
    kind++;
  if (kind == POOL_KINDS)
    return pir_kernel_fail(call, PIR_INVALID, "%s: pooltype: not one of the six", call->op);
  PIR_TRY(pir_kernel_sequences(call, 0, &at, &n));
  PIR_TRY(pir_kernel_dense(call, x, PIR_F64, x->shape, x->rank, &t));
  int64_t wide = row_width(x);
  pir_status status = pir_kernel_zeros(call, PIR_F64, (int64_t[]){n, wide}, 2, &all);
  if (!status)
    status = pir_kernel_zeros(call, PIR_I64, (int64_t[]){n, wide}, 2, &places);
  for (int64_t s = 0; s < n && !status; s++) {
    double *to = (double *)all.data + s * wide;
    int64_t rows = (int64_t)(at[s + 1] - at[s]);
    int64_t *where = (int64_t *)places.data + s * wide;
    for (int64_t j = 0; j < wide && !rows; j++) {
      to[j] = pir_kernel_float(call, 2);
      where[j] = -1;
    }
    const double *from = (const double *)t.data + (int64_t)at[s] * wide;
    if (rows)
      pool_sequence((pooling)kind, from, rows, wide, to, where);
    for (int64_t j = 0; j < wide && rows; j++)
      where[j] += (int64_t)at[s];
  }
  if (!status)
    status = write_rows_like_x(call, &all, pir_kernel_out(call, 0), n);
  if (!status && x->lod_levels > 1)
    keep_upper_levels(x, pir_kernel_out(call, 0));
  else if (!status && n == x->shape[0])
    status = divide_rows(call, pir_kernel_out(call, 0), n);
  if (!status && index) {
    int64_t shape[PIR_MAX_RANK] = {kind == POOL_MAX ? n : 0};
    for (int d = 1; d < x->rank; d++)
      shape[d] = x->shape[d];
    status = pir_kernel_shape_result(call, index, PIR_I32, shape, x->rank);
    pir_tensor_set_dense(&places, PIR_I64, shape, x->rank);
    if (!status)
      status = pir_tensor_copy(&places, index);
    pir_tensor_set_dense(&places, PIR_I64, (int64_t[]){n, wide}, 2);
  }
  pir_kernel_drop(call, &t);
  pir_kernel_drop(call, &all);
  pir_kernel_drop(call, &places);
  return status;
}

pir_status pir_kernel_sequence_softmax(const pir_kernel_call *call) {
  const pir_tensor *x = pir_kernel_in(call, 0);
  const uint64_t *at;
  int64_t n;
  pir_tensor t;
  PIR_TRY(pir_kernel_sequences(call, 0, &at, &n));
  if (row_width(x) != 1)
    return pir_kernel_fail(call, PIR_INVALID, "%s: x: expects one column", call->op);
  PIR_TRY(pir_kernel_dense(call, x, PIR_F64, x->shape, x->rank, &t));
  double *v = t.data;
  for (int64_t s = 0; s < n; s++) {
    double most = -INFINITY, sum = 0;
    for (uint64_t i = at[s]; i < at[s + 1]; i++)
      most = fmax(most, v[i]);
    for (uint64_t i = at[s]; i < at[s + 1]; i++) {
      v[i] = exp(v[i] - most);
      sum += v[i];
    }
    for (uint64_t i = at[s]; i < at[s + 1]; i++)
      v[i] /= sum;
  }
  pir_status status = write_rows_like_x(call, &t, pir_kernel_out(call, 0), x->shape[0]);
  pir_kernel_drop(call, &t);
  return status;
}

// Repeats sequence s of x (row s, when x has no sequences) as often as sequence s of y has
// rows. `from` holds the offsets of x or is NULL, `times` the offsets of y.
static pir_status expand_sequences(const pir_kernel_call *call, const pir_tensor *x,
                                   const uint64_t *from, int64_t n, const uint64_t *times) {
  pir_tensor *out = pir_kernel_out(call, 0);
  int64_t shape[PIR_MAX_RANK], rows = 0, copies = 0, done = 0;
  for (int64_t s = 0; s < n; s++) {
    int64_t length = from ? (int64_t)(from[s + 1] - from[s]) : 1;
    int64_t again = (int64_t)(times[s + 1] - times[s]);
    int64_t part;
    bool large = __builtin_mul_overflow(length, again, &part);
    if (large || __builtin_add_overflow(rows, part, &rows))
      return pir_kernel_fail(call, PIR_EXHAUSTED, "%s: too many rows", call->op);
    copies += again;
  }
  memcpy(shape, x->shape, sizeof shape);
  shape[0] = rows;
  PIR_TRY(pir_kernel_shape_result(call, out, x->dtype, shape, x->rank));
  uint64_t *ends = from ? pir_kernel_new_sequences(call, out, copies) : NULL;
  if (from && !ends)
    return PIR_EXHAUSTED;
  for (int64_t s = 0; s < n; s++) {
    int64_t first = from ? (int64_t)from[s] : s;
    int64_t length = from ? (int64_t)(from[s + 1] - from[s]) : 1;
    size_t size = pir_dtype_size(x->dtype);
    for (uint64_t i = times[s]; i < times[s + 1]; i++, done += length) {
      pir_tensor a = *x, b = *out;
      a.shape[0] = b.shape[0] = length;
      a.data = (char *)x->data + first * x->strides[0] * (int64_t)size;
      b.data = (char *)out->data + done * out->strides[0] * (int64_t)size;
      PIR_TRY(pir_tensor_copy(&a, &b));
      if (ends) {
        ends[1] = (uint64_t)(done + length);
        ends++;
      }
    }
  }
  return PIR_OK;
}

// operands: x, y; attribute: ref_level
pir_status pir_kernel_sequence_expand(const pir_kernel_call *call) {
  const pir_tensor *x = pir_kernel_in(call, 0);
  const pir_tensor *y = pir_kernel_in(call, 1);
  int64_t level = pir_kernel_int(call, 0), n = 0;
  const uint64_t *from = NULL;
  if (level < 0)
    level += (int64_t)y->lod_levels;
  if (level < 0 || level >= (int64_t)y->lod_levels)
    return pir_kernel_fail(call, PIR_INVALID, "%s: ref_level: %lld of %zu levels", call->op,
                           (long long)level, y->lod_levels);
  n = (int64_t)y->lod_sizes[level] - 1;
  for (int64_t i = 0; i < n; i++)
    if (y->lod[level][i] > y->lod[level][i + 1])
      return pir_kernel_fail(call, PIR_INVALID, "%s: y: its offsets fall", call->op);
  int64_t sequences = x->rank ? x->shape[0] : 0;
  if (x->lod_levels)
    PIR_TRY(pir_kernel_sequences(call, 0, &from, &sequences));
  if (n > 0 && sequences != n)
    return pir_kernel_fail(call, PIR_INVALID, "%s: x: expects %lld sequences, found %lld",
                           call->op, (long long)n, (long long)sequences);
  return expand_sequences(call, x, from, n, y->lod[level]);
}

// A sequence and the rows of trained padding around it: `up` rows before it, then those behind
// it. NULL: rows outside of the sequence are left out.
typedef struct padded_rows {
  const double *x, *padding;
  int64_t rows, wide, up;
} padded_rows;

static const double *padded_row(const padded_rows *p, int64_t row) {
  if (row >= 0 && row < p->rows)
    return p->x + row * p->wide;
  if (!p->padding)
    return NULL;
  return p->padding + (row < 0 ? row + p->up : p->up + row - p->rows) * p->wide;
}

// Adds the products of a window of rows with the filter to one row of the result.
static void convolve_window(const padded_rows *p, int64_t first, int64_t window,
                            const double *filter, int64_t outs, double *to) {
  int64_t wide = p->wide;
  for (int64_t k = 0; k < window; k++) {
    const double *row = padded_row(p, first + k);
    for (int64_t c = 0; row && c < wide; c++) {
      double v = row[c];
      const double *w = filter + (k * wide + c) * outs;
      for (int64_t o = 0; o < outs; o++)
        to[o] += v * w[o];
    }
  }
}

// operands: x [rows, wide], padding_data, filter [window * wide, outs]; attributes:
// context_length, padding_trainable, context_start, context_stride
pir_status pir_kernel_sequence_conv(const pir_kernel_call *call) {
  const pir_tensor *x = pir_kernel_in(call, 0);
  const pir_tensor *filter = pir_kernel_in(call, 2);
  pir_tensor t = {0}, w = {0}, y = {0}, padding = {0};
  const uint64_t *at;
  int64_t n, window = pir_kernel_int(call, 0), start = pir_kernel_int(call, 2);
  PIR_TRY(pir_kernel_expect_rank(call, 0, "x", 2));
  PIR_TRY(pir_kernel_expect_rank(call, 2, "filter", 2));
  PIR_TRY(pir_kernel_sequences(call, 0, &at, &n));
  int64_t wide = x->shape[1];
  int64_t outs = filter->shape[1];
  int64_t rows;
  bool trained = pir_kernel_int(call, 1) != 0;
  int64_t up = start < 0 ? -start : 0, down = start + window - 1;
  const int64_t pads[2] = {up + (down > 0 ? down : 0), wide};
  if (trained)
    PIR_TRY(pir_kernel_expect_shape(call, 1, "padding_data", pads, 2));
  if (pir_kernel_int(call, 3) != 1)
    return pir_kernel_fail(call, PIR_INVALID, "%s: context_stride: expects 1", call->op);
  bool large = __builtin_mul_overflow(window, wide, &rows);
  if (window < 1 || large || rows != filter->shape[0])
    return pir_kernel_fail(call, PIR_INVALID,
                           "%s: filter: expects %lld times %lld rows, found %lld", call->op,
                           (long long)window, (long long)wide, (long long)filter->shape[0]);
  pir_status status = pir_kernel_dense(call, x, PIR_F64, x->shape, 2, &t);
  if (!status)
    status = pir_kernel_dense(call, filter, PIR_F64, filter->shape, 2, &w);
  if (!status)
    status = pir_kernel_zeros(call, PIR_F64, (int64_t[]){x->shape[0], outs}, 2, &y);
  if (!status && trained)
    status = pir_kernel_dense(call, pir_kernel_in(call, 1), PIR_F64, pads, 2, &padding);
  for (int64_t s = 0; s < n && !status; s++) {
    padded_rows p = {.x = (const double *)t.data + (int64_t)at[s] * wide,
                     .padding = padding.data,
                     .rows = (int64_t)(at[s + 1] - at[s]),
                     .wide = wide,
                     .up = up};
    double *to = (double *)y.data + (int64_t)at[s] * outs;
    for (int64_t i = 0; i < p.rows; i++, to += outs)
      convolve_window(&p, i + start, window, w.data, outs, to);
  }
  pir_tensor *out = pir_kernel_out(call, 0);
  if (!status)
    status = pir_kernel_shape_result(call, out, x->dtype, y.shape, 2);
  if (!status)
    status = pir_tensor_copy(&y, out);
  pir_kernel_drop(call, &t);
  pir_kernel_drop(call, &w);
  pir_kernel_drop(call, &y);
  pir_kernel_drop(call, &padding);
  return status;
}
