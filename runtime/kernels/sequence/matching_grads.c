// Gradients of sequences that are matched with each other, and of sequences pooled with their
// counts of shows and clicks.
#include <string.h>

#include "kernels.h"

enum {
  X,
  Y,
  W,
  OUT_GRAD,
  MATCHING_OPERANDS,
  X_GRAD = MATCHING_OPERANDS,
  Y_GRAD,
  W_GRAD,
  TENSORS
};

// The operands and results as dense doubles, and where the sequences of x and y begin.
typedef struct match_grads {
  pir_tensor t[TENSORS];
  const uint64_t *x_at, *y_at;
  int64_t width, kinds;
} match_grads;

// Adds what the product of row `i` of x, the matrix of a kind and row `j` of y gives, whose
// gradient is `grad`.
static void add_pair_grads(const match_grads *m, int64_t i, int64_t j, int64_t kind,
                           double grad) {
  int64_t columns = m->kinds * m->width;
  const double *x = (const double *)m->t[X].data + i * m->width;
  const double *y = (const double *)m->t[Y].data + j * m->width;
  double *x_grad = (double *)m->t[X_GRAD].data + i * m->width;
  double *y_grad = (double *)m->t[Y_GRAD].data + j * m->width;
  for (int64_t a = 0; a < m->width; a++) {
    const double *w = (const double *)m->t[W].data + a * columns + kind * m->width;
    double *w_grad = (double *)m->t[W_GRAD].data + a * columns + kind * m->width;
    for (int64_t b = 0; b < m->width; b++) {
      x_grad[a] += grad * w[b] * y[b];
      y_grad[b] += grad * w[b] * x[a];
      w_grad[b] += grad * x[a] * y[b];
    }
  }
}

// The gradients of a sequence: a matrix of its pairs for every kind.
static const double *add_sequence_grads(const match_grads *m, int64_t s, const double *grad) {
  for (int64_t kind = 0; kind < m->kinds; kind++)
    for (uint64_t i = m->x_at[s]; i < m->x_at[s + 1]; i++)
      for (uint64_t j = m->y_at[s]; j < m->y_at[s + 1]; j++)
        add_pair_grads(m, (int64_t)i, (int64_t)j, kind, *grad++);
  return grad;
}

static pir_status expect_matches(const pir_kernel_call *call, const match_grads *m,
                                 int64_t sequences, int64_t others) {
  int64_t given = pir_tensor_numel(pir_kernel_in(call, 4)), pairs = 0;
  bool fits = sequences == others && m->kinds > 0;
  for (int64_t s = 0; s < sequences && fits; s++) {
    uint64_t rows = m->x_at[s + 1] - m->x_at[s], columns = m->y_at[s + 1] - m->y_at[s];
    int64_t more;
    fits = !__builtin_mul_overflow(rows, columns, &more) &&
           !__builtin_mul_overflow(more, m->kinds, &more) &&
           !__builtin_add_overflow(pairs, more, &pairs);
  }
  if (!fits || pairs != given)
    return pir_kernel_fail(call, PIR_INVALID,
                           "%s: out_grad: expects a number for each pair of rows", call->op);
  return PIR_OK;
}

// operands: x [rows, width], y [rows, width], w [width, kinds, width], tmp, out_grad;
// attribute: dim_t. The products that tmp holds are computed again.
// O(pairs * kinds * width * width).
pir_status pir_kernel_match_matrix_tensor_grad(const pir_kernel_call *call) {
  match_grads m = {.kinds = pir_kernel_int(call, 0)};
  const int places[MATCHING_OPERANDS] = {0, 1, 2, 4};
  int64_t sequences, others;
  PIR_TRY(pir_kernel_expect_rank(call, 0, "x", 2));
  const pir_tensor *x = pir_kernel_in(call, 0);
  m.width = x->shape[1];
  const int64_t y_shape[2] = {pir_kernel_in(call, 1)->shape[0], m.width};
  PIR_TRY(pir_kernel_expect_shape(call, 1, "y", y_shape, 2));
  PIR_TRY(pir_kernel_expect_shape(call, 2, "w", (int64_t[]){m.width, m.kinds, m.width}, 3));
  PIR_TRY(pir_kernel_sequences(call, 0, &m.x_at, &sequences));
  PIR_TRY(pir_kernel_sequences(call, 1, &m.y_at, &others));
  PIR_TRY(expect_matches(call, &m, sequences, others));
  pir_status status = PIR_OK;
  for (int i = 0; i < MATCHING_OPERANDS && !status; i++) {
    const pir_tensor *from = pir_kernel_in(call, places[i]);
    status = pir_kernel_dense(call, from, PIR_F64, from->shape, from->rank, &m.t[i]);
  }
  for (int i = 0; i < 3 && !status; i++)
    status = pir_kernel_zeros(call, PIR_F64, m.t[i].shape, m.t[i].rank, &m.t[X_GRAD + i]);
  const double *grad = m.t[OUT_GRAD].data;
  for (int64_t s = 0; s < sequences && !status; s++)
    grad = add_sequence_grads(&m, s, grad);
  for (int i = 0; i < 3 && !status; i++)
    if (pir_kernel_out(call, i))
      status = pir_tensor_copy(&m.t[X_GRAD + i], pir_kernel_out(call, i));
  for (int i = 0; i < TENSORS; i++)
    pir_kernel_drop(call, &m.t[i]);
  return status;
}

// ---- pooled sequences with counts

// Finds the rows of sequence `s`: each row is a sequence where x has none.
static bool find_rows(const pir_tensor *x, int64_t s, int64_t *first, int64_t *end) {
  *first = x->lod_levels ? (int64_t)x->lod[0][s] : s;
  *end = x->lod_levels ? (int64_t)x->lod[0][s + 1] : s + 1;
  return *first >= 0 && *first <= *end && *end <= x->shape[0];
}

// Each row of a sequence takes the counts of its sequence, then the gradient of the pooled row.
static pir_status spread_counts(const pir_kernel_call *call, const pir_tensor *x,
                                const pir_tensor *counts, const pir_tensor *grads,
                                pir_tensor *to) {
  int64_t offset = counts->shape[1], given = grads->shape[1], wide = x->shape[1];
  for (int64_t s = 0; s < grads->shape[0]; s++) {
    const double *count = (const double *)counts->data + s * offset;
    const double *grad = (const double *)grads->data + s * given;
    int64_t first, end;
    if (!find_rows(x, s, &first, &end))
      return pir_kernel_fail(call, PIR_INVALID, "%s: x: offsets go beyond its rows", call->op);
    for (int64_t r = first; r < end; r++)
      for (int64_t j = 0; j < wide; j++)
        ((double *)to->data)[r * wide + j] = j < offset ? count[j] : grad[j - (wide - given)];
  }
  return PIR_OK;
}

// Computes the gradient of member `i` of x.
static pir_status spread_member(const pir_kernel_call *call, const pir_tensor *counts, int i) {
  const pir_tensor *x = call->in[call->in_first[0] + i];
  const pir_tensor *grad = call->in[call->in_first[2] + i];
  int64_t left = pir_kernel_int(call, 2) ? 0 : counts->shape[1];
  bool ranked = x->rank == 2 && grad->rank == 2 && counts->shape[1] <= x->shape[1];
  int64_t n = ranked ? x->shape[0] : 0;
  if (ranked && x->lod_levels)
    n = (int64_t)x->lod_sizes[0] - 1;
  if (!ranked || n < 0 || counts->shape[0] < n || grad->shape[0] != n ||
      grad->shape[1] != x->shape[1] - left)
    return pir_kernel_fail(call, PIR_INVALID, "%s: out_grad: expects a row for each sequence",
                           call->op);
  pir_tensor grads = {0}, rows = {0};
  pir_status status = pir_kernel_dense(call, grad, PIR_F64, grad->shape, 2, &grads);
  if (!status)
    status = pir_kernel_zeros(call, PIR_F64, x->shape, 2, &rows);
  if (!status)
    status = spread_counts(call, x, counts, &grads, &rows);
  if (!status)
    status = pir_tensor_copy(&rows, call->out[call->out_first[0] + i]);
  pir_kernel_drop(call, &grads);
  pir_kernel_drop(call, &rows);
  return status;
}

// operands: x, a list, cvm, and out_grad, a list; attributes: pooltype, pad_value, use_cvm,
// cvm_offset. As in Paddle, the counts themselves take the place of their gradients; cvm has
// none.
pir_status pir_kernel_fused_seqpool_cvm_grad(const pir_kernel_call *call) {
  const pir_tensor *cvm = pir_kernel_in(call, 1);
  pir_tensor counts = {0}, none = {0};
  PIR_TRY(pir_kernel_expect_shape(call, 1, "cvm",
                                  (int64_t[]){cvm->shape[0], pir_kernel_int(call, 3)}, 2));
  if (call->in_members[2] != call->in_members[0] || call->out_members[0] != call->in_members[0])
    return pir_kernel_fail(call, PIR_INVALID, "%s: expects a gradient for each x", call->op);
  pir_status status = pir_kernel_dense(call, cvm, PIR_F64, cvm->shape, 2, &counts);
  for (int i = 0; i < call->in_members[0] && !status; i++)
    status = spread_member(call, &counts, i);
  if (!status && pir_kernel_out(call, 1))
    status = pir_kernel_zeros(call, PIR_F64, cvm->shape, 2, &none);
  if (!status && pir_kernel_out(call, 1))
    status = pir_tensor_copy(&none, pir_kernel_out(call, 1));
  pir_kernel_drop(call, &counts);
  pir_kernel_drop(call, &none);
  return status;
}
