// Sequences of two operands matched with each other, and sequences pooled with their counts of
// shows and clicks. O(rows * width) beside the products.
#include <math.h>
#include <string.h>

#include "kernels.h"

enum { X, Y, W };
enum { OUT, TURNED };

// Two lists of sequences, and the operands as doubles.
typedef struct matching {
  pir_tensor x, y, w, out, turned;
  const uint64_t *x_at, *y_at;
  int64_t sequences, width, kinds;
} matching;

static pir_status open_matching(const pir_kernel_call *call, matching *m) {
  int64_t count;
  PIR_TRY(pir_kernel_expect_rank(call, X, "x", 2));
  PIR_TRY(pir_kernel_expect_rank(call, Y, "y", 2));
  PIR_TRY(pir_kernel_expect_rank(call, W, "w", 3));
  PIR_TRY(pir_kernel_sequences(call, X, &m->x_at, &m->sequences));
  PIR_TRY(pir_kernel_sequences(call, Y, &m->y_at, &count));
  const pir_tensor *x = pir_kernel_in(call, X), *y = pir_kernel_in(call, Y);
  m->width = x->shape[1];
  m->kinds = pir_kernel_int(call, 0);
  const int64_t shape[3] = {m->width, m->kinds, m->width};
  if (count != m->sequences || y->shape[1] != m->width || m->kinds < 1)
    return pir_kernel_fail(call, PIR_INVALID,
                           "%s: expects as many sequences of y, as wide as those of x",
                           call->op);
  PIR_TRY(pir_kernel_expect_shape(call, W, "w", shape, 3));
  PIR_TRY(pir_kernel_dense(call, x, PIR_F64, x->shape, 2, &m->x));
  PIR_TRY(pir_kernel_dense(call, y, PIR_F64, y->shape, 2, &m->y));
  PIR_TRY(pir_kernel_dense(call, pir_kernel_in(call, W), PIR_F64, shape, 3, &m->w));
  int64_t columns = m->kinds * m->width, elements;
  if (__builtin_mul_overflow(x->shape[0], columns, &elements))
    return pir_kernel_fail(call, PIR_EXHAUSTED, "%s: too many elements", call->op);
  return pir_kernel_zeros(call, PIR_F64, (int64_t[]){elements, 1}, 2, &m->turned);
}

// Multiplies the rows of x with the matrices of all kinds.
static void turn_rows(matching *m) {
  int64_t columns = m->kinds * m->width;
  const double *w = m->w.data;
  for (int64_t r = 0; r < m->x.shape[0]; r++) {
    const double *row = (const double *)m->x.data + r * m->width;
    double *to = (double *)m->turned.data + r * columns;
    for (int64_t i = 0; i < m->width; i++)
      for (int64_t j = 0; j < columns; j++)
        to[j] += row[i] * w[i * columns + j];
  }
}

// Writes the products of all rows of sequence `s` in x and in y, for one kind.
static void match_sequence(const matching *m, int64_t s, int64_t kind, double *to) {
  int64_t columns = m->kinds * m->width;
  for (uint64_t i = m->x_at[s]; i < m->x_at[s + 1]; i++)
    for (uint64_t j = m->y_at[s]; j < m->y_at[s + 1]; j++, to++) {
      const double *a = (const double *)m->turned.data + (int64_t)i * columns + kind * m->width;
      const double *b = (const double *)m->y.data + (int64_t)j * m->width;
      for (int64_t k = 0; k < m->width; k++)
        *to += a[k] * b[k];
    }
}

static pir_status match_sequences(const pir_kernel_call *call, matching *m) {
  uint64_t *at = pir_kernel_new_sequences(call, pir_kernel_out(call, OUT), m->sequences);
  if (!at)
    return PIR_EXHAUSTED;
  for (int64_t s = 0; s < m->sequences; s++) {
    uint64_t pairs, rows = m->x_at[s + 1] - m->x_at[s], others = m->y_at[s + 1] - m->y_at[s];
    if (__builtin_mul_overflow(rows, others, &pairs) ||
        __builtin_mul_overflow(pairs, (uint64_t)m->kinds, &pairs) ||
        __builtin_add_overflow(at[s], pairs, &at[s + 1]) || at[s + 1] > INT64_MAX)
      return pir_kernel_fail(call, PIR_EXHAUSTED, "%s: too many elements", call->op);
  }
  const int64_t shape[2] = {(int64_t)at[m->sequences], 1};
  PIR_TRY(pir_kernel_zeros(call, PIR_F64, shape, 2, &m->out));
  for (int64_t s = 0; s < m->sequences; s++)
    for (int64_t kind = 0; kind < m->kinds; kind++) {
      uint64_t pairs = (at[s + 1] - at[s]) / (uint64_t)m->kinds;
      match_sequence(m, s, kind, (double *)m->out.data + at[s] + (uint64_t)kind * pairs);
    }
  return PIR_OK;
}

// operands: x [rows, width], y [rows, width], w [width, kinds, width]; attribute: dim_t;
// results: out, tmp
pir_status pir_kernel_match_matrix_tensor(const pir_kernel_call *call) {
  matching m = {0};
  pir_status status = open_matching(call, &m);
  if (!status)
    turn_rows(&m);
  if (!status)
    status = match_sequences(call, &m);
  const pir_tensor *made[] = {&m.out, &m.turned};
  for (int i = 0; i < 2 && !status; i++) {
    pir_tensor *to = pir_kernel_out(call, i);
    if (!to)
      continue;
    status =
        pir_kernel_shape_result(call, to, pir_kernel_in(call, X)->dtype, made[i]->shape, 2);
    if (!status)
      status = pir_tensor_copy(made[i], to);
  }
  pir_kernel_drop(call, &m.x);
  pir_kernel_drop(call, &m.y);
  pir_kernel_drop(call, &m.w);
  pir_kernel_drop(call, &m.out);
  pir_kernel_drop(call, &m.turned);
  return status;
}

// ---- pooled sequences with counts

enum { PAD = 1, USE_CVM, CVM_OFFSET };

// Sums the rows of a sequence onto `to`, which holds a start.
static void sum_sequence(const double *x, uint64_t first, uint64_t end, int64_t wide,
                         double *to) {
  for (uint64_t r = first; r < end; r++)
    for (int64_t j = 0; j < wide; j++)
      to[j] += x[(int64_t)r * wide + j];
}

// The first two columns count shows and clicks; they become logarithms.
static void count_clicks(double *row, int64_t wide) {
  double shows = wide > 0 ? log(row[0] + 1) : 0;
  if (wide > 1)
    row[1] = log(row[1] + 1) - shows;
  if (wide > 0)
    row[0] = shows;
}

static pir_status pool_member(const pir_kernel_call *call, int32_t member) {
  const pir_tensor *x = call->in[call->in_first[0] + member];
  pir_tensor *out = call->out[call->out_first[0] + member];
  int64_t left = pir_kernel_int(call, USE_CVM) ? 0 : pir_kernel_int(call, CVM_OFFSET);
  bool divided = x->lod_levels > 0;
  if (x->rank != 2 || left < 0 || left > x->shape[1])
    return pir_kernel_fail(call, PIR_INVALID, "%s: x: expects rows with counts", call->op);
  int64_t wide = x->shape[1], rows = x->shape[0];
  const uint64_t *at = divided ? x->lod[0] : NULL;
  if (divided && x->lod_sizes[0] < 1)
    return pir_kernel_fail(call, PIR_INVALID, "%s: x: expects offsets", call->op);
  int64_t n = divided ? (int64_t)x->lod_sizes[0] - 1 : rows;
  for (int64_t s = 0; s < n && divided; s++)
    if (at[s] > at[s + 1] || at[s + 1] > (uint64_t)rows)
      return pir_kernel_fail(call, PIR_INVALID, "%s: x: offsets go beyond its rows", call->op);
  pir_tensor dense = {0}, sums = {0};
  pir_status status = pir_kernel_dense(call, x, PIR_F64, x->shape, 2, &dense);
  if (!status)
    status = pir_kernel_zeros(call, PIR_F64, (int64_t[]){n, wide}, 2, &sums);
  for (int64_t s = 0; s < n && !status; s++) {
    double *to = (double *)sums.data + s * wide;
    for (int64_t j = 0; j < wide; j++)
      to[j] = pir_kernel_float(call, PAD);
    uint64_t first = divided ? at[s] : (uint64_t)s, end = divided ? at[s + 1] : first + 1;
    sum_sequence(dense.data, first, end, wide, to);
    if (pir_kernel_int(call, USE_CVM))
      count_clicks(to, wide);
  }
  const int64_t shape[2] = {n, wide - left};
  if (!status)
    status = pir_kernel_shape_result(call, out, x->dtype, shape, 2);
  pir_tensor kept = sums;
  kept.shape[1] = wide - left;
  kept.data = sums.data ? (double *)sums.data + left : NULL;
  if (!status)
    status = pir_tensor_copy(&kept, out);
  pir_kernel_drop(call, &dense);
  pir_kernel_drop(call, &sums);
  return status;
}

// operands: x, a list, and cvm; attributes: pooltype, pad_value, use_cvm, cvm_offset. The
// kernel of Paddle sums, whatever the type of pooling, and starts from the padding.
pir_status pir_kernel_fused_seqpool_cvm(const pir_kernel_call *call) {
  for (int32_t i = 0; i < call->out_members[0] && i < call->in_members[0]; i++)
    PIR_TRY(pool_member(call, i));
  return PIR_OK;
}
