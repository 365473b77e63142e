// Cholesky and LU factors of stacks of matrices, computed by LAPACK one matrix after the other;
// and LU factors unpacked into matrices of their own.
#include <string.h>

#include "matrices.h"

// Writes zeros below or above the diagonal of matrix i.
static void clear_triangle(const pir_matrices *m, int64_t i, bool below) {
  size_t size = pir_dtype_size(m->t.dtype);
  char *a = pir_matrix_at(m, i);
  for (int64_t r = 0; r < m->rows; r++) {
    int64_t first = below ? 0 : r + 1;
    int64_t end = below ? r : m->columns;
    memset(a + (size_t)(r * m->columns + first) * size, 0, (size_t)(end - first) * size);
  }
}

// attribute: upper
pir_status pir_kernel_cholesky(const pir_kernel_call *call) {
  static const char *const names[] = {"x"};
  bool upper = pir_kernel_int(call, 0);
  pir_dtype dtype;
  pir_matrices a = {0};
  pir_lapack lapack = {0};
  pir_status status = pir_matrices_type(call, names, 1, &dtype);
  if (!status)
    status = pir_matrices_load(call, 0, "x", pir_matrices_wide(dtype), NULL, 0, &a);
  if (!status)
    status = pir_matrices_square(call, &a, "x");
  if (!status)
    status = pir_lapack_open(call, a.t.dtype, &lapack);
  for (int64_t i = 0; !status && a.rows && i < a.count; i++) {
    void *matrix = pir_matrix_at(&a, i);
    int info = lapack.cholesky(PIR_BY_ROWS, upper ? 'U' : 'L', a.rows, matrix, a.rows);
    status = pir_lapack_status(call, info, "x: expects a positive definite matrix");
    clear_triangle(&a, i, upper);
  }
  if (!status)
    status = pir_matrices_give(call, &a, 0);
  pir_matrices_drop(call, &a);
  pir_lapack_close(&lapack);
  return status;
}

// attribute: pivot; results: both factors in one matrix, the exchanged rows (counted from 1),
// and the number of the first pivot that is zero
pir_status pir_kernel_lu(const pir_kernel_call *call) {
  static const char *const names[] = {"x"};
  pir_dtype dtype;
  pir_matrices a = {0}, pivots = {0}, infos = {0};
  pir_lapack lapack = {0};
  if (!pir_kernel_int(call, 0))
    return pir_kernel_fail(call, PIR_UNSUPPORTED, "unsupported: %s without pivots", call->op);
  pir_status status = pir_matrices_type(call, names, 1, &dtype);
  if (!status)
    status = pir_matrices_load(call, 0, "x", pir_matrices_wide(dtype), NULL, 0, &a);
  int least = a.rows < a.columns ? a.rows : a.columns;
  if (!status)
    status = pir_matrices_make(call, a.count, 1, least, PIR_I32, &pivots);
  if (!status)
    status = pir_matrices_make(call, a.count, 1, 1, PIR_I32, &infos);
  if (!status)
    status = pir_lapack_open(call, a.t.dtype, &lapack);
  for (int64_t i = 0; !status && least && i < a.count; i++) {
    int info = lapack.lu(PIR_BY_ROWS, a.rows, a.columns, pir_matrix_at(&a, i), a.columns,
                         pir_matrix_at(&pivots, i));
    if (info < 0)
      status = pir_lapack_status(call, info, "");
    *(int32_t *)pir_matrix_at(&infos, i) = info;
  }
  if (!status)
    status = pir_matrices_give(call, &a, 0);
  if (!status)
    status = pir_matrices_give(call, &pivots, 1);
  if (!status)
    status = pir_matrices_give(call, &infos, 2);
  pir_matrices_drop(call, &a);
  pir_matrices_drop(call, &pivots);
  pir_matrices_drop(call, &infos);
  pir_lapack_close(&lapack);
  return status;
}

// ---- unpacked factors

// Writes permutation matrix i. The pivots exchange rows one after the other; `order`, which has
// room for every row, receives the final order, and column r has its one in row order[r].
static pir_status write_permutation(const pir_kernel_call *call, const int32_t *pivots,
                                    int count, int32_t *order, const pir_matrices *p,
                                    int64_t i) {
  int step = p->t.dtype == PIR_C128 ? 2 : 1;
  double *to = pir_matrix_at(p, i);
  for (int r = 0; r < p->rows; r++)
    order[r] = r;
  for (int r = 0; r < count; r++) {
    if (pivots[r] < 1 || pivots[r] > p->rows)
      return pir_kernel_fail(call, PIR_INVALID, "%s: y: expects rows 1 to %d, found %d",
                             call->op, p->rows, pivots[r]);
    int32_t held = order[r];
    order[r] = order[pivots[r] - 1];
    order[pivots[r] - 1] = held;
  }
  for (int64_t r = 0; r < p->rows; r++)
    to[(order[r] * (int64_t)p->rows + r) * step] = 1;
  return PIR_OK;
}

// Writes the factors of matrix i. The lower one has ones on its diagonal; the upper one has the
// diagonal of the matrix.
static void split_factors(const pir_matrices *a, const pir_matrices *l, const pir_matrices *u,
                          int64_t i) {
  int step = a->t.dtype == PIR_C128 ? 2 : 1;
  const double *from = pir_matrix_at(a, i);
  double *lower = pir_matrix_at(l, i);
  double *upper = pir_matrix_at(u, i);
  pir_matrix_identity(l, i);
  for (int64_t r = 0; r < a->rows; r++)
    for (int64_t c = 0; c < a->columns; c++) {
      bool below = c < r;
      int64_t at = r * (below ? l->columns : u->columns) + c;
      double *to = (below ? lower : upper) + at * step;
      memcpy(to, from + (r * a->columns + c) * step, sizeof(double) * (size_t)step);
    }
}

// attributes: unpack_ludata, unpack_pivots; results: permutation, lower and upper factor
pir_status pir_kernel_lu_unpack(const pir_kernel_call *call) {
  static const char *const names[] = {"x"};
  const pir_tensor *y = pir_kernel_in(call, 1);
  pir_dtype dtype;
  bool factors = pir_kernel_int(call, 0);
  bool rows = pir_kernel_int(call, 1);
  pir_matrices a = {0};
  pir_matrices p = {0};
  pir_matrices l = {0};
  pir_matrices u = {0};
  pir_tensor pivots = {0};
  if (!y || y->dtype != PIR_I32)
    return pir_kernel_fail(call, PIR_INVALID, "%s: y: expects int32 pivots, found %s", call->op,
                           y ? pir_dtype_name(y->dtype) : "nothing");
  PIR_TRY(pir_matrices_type(call, names, 1, &dtype));
  PIR_TRY(pir_matrices_load(call, 0, "x", pir_matrices_wide(dtype), NULL, 0, &a));
  int least = a.rows < a.columns ? a.rows : a.columns;
  int32_t *order = pir_kernel_alloc(call, sizeof *order * (size_t)a.rows);
  pir_status status = PIR_OK;
  if (!order)
    status = pir_kernel_fail(call, PIR_EXHAUSTED, "%s: out of memory", call->op);
  if (!status && pir_tensor_numel(y) != a.count * least)
    status = pir_kernel_fail(
        call, PIR_INVALID, "%s: y: expects %d pivots for each of %lld matrices, found %lld",
        call->op, least, (long long)a.count, (long long)pir_tensor_numel(y));
  if (!status)
    status = pir_kernel_dense(call, y, PIR_I32, y->shape, y->rank, &pivots);
  if (!status)
    status = pir_matrices_make(call, a.count, a.rows, a.rows, a.t.dtype, &p);
  if (!status)
    status = pir_matrices_make(call, a.count, a.rows, least, a.t.dtype, &l);
  if (!status)
    status = pir_matrices_make(call, a.count, least, a.columns, a.t.dtype, &u);
  for (int64_t i = 0; !status && i < a.count; i++) {
    status = write_permutation(call, (int32_t *)pivots.data + i * least, least, order, &p, i);
    split_factors(&a, &l, &u, i);
  }
  if (!status && rows)
    status = pir_matrices_give(call, &p, 0);
  if (!status && factors)
    status = pir_matrices_give(call, &l, 1);
  if (!status && factors)
    status = pir_matrices_give(call, &u, 2);
  pir_kernel_free(call, order, sizeof *order * (size_t)a.rows);
  pir_kernel_drop(call, &pivots);
  pir_matrices_drop(call, &a);
  pir_matrices_drop(call, &p);
  pir_matrices_drop(call, &l);
  pir_matrices_drop(call, &u);
  return status;
}
