// Systems of linear equations, by LU, Cholesky or triangular factors and by least squares; and
// determinants. LAPACK computes one matrix of a stack after the other. A singular matrix is
// refused, as Paddle does, except for a triangular one, which divides by zero.
#include <complex.h>
#include <math.h>
#include <string.h>

#include "matrices.h"

// Two stacks of a kernel, the library, and the pivots of one matrix.
typedef struct equations {
  pir_lapack lapack;
  pir_matrices a, b;
  int *pivots;
  int pivot_count;
  pir_dtype dtype;  // element type of the stacks: f64 or c128
} equations;

static void drop_equations(const pir_kernel_call *call, equations *s) {
  pir_kernel_free(call, s->pivots, sizeof(int) * (size_t)s->pivot_count);
  pir_matrices_drop(call, &s->a);
  pir_matrices_drop(call, &s->b);
  pir_lapack_close(&s->lapack);
}

static pir_status allocate_pivots(const pir_kernel_call *call, equations *s, int count) {
  s->pivots = pir_kernel_alloc(call, sizeof(int) * (size_t)count);
  s->pivot_count = count;
  if (!s->pivots)
    return pir_kernel_fail(call, PIR_EXHAUSTED, "%s: out of memory", call->op);
  return PIR_OK;
}

static pir_status expect_same_rows(const pir_kernel_call *call, const equations *s,
                                   const char *name) {
  if (s->a.rows == s->b.rows)
    return PIR_OK;
  return pir_kernel_fail(call, PIR_INVALID, "%s: %s: expects %d rows, found %d", call->op, name,
                         s->a.rows, s->b.rows);
}

// Loads operands `a` and `b` as equations a x = b, repeated over the stacks of both. The first
// `typed` operands must have one type.
static pir_status load_equations(const pir_kernel_call *call, int a, int b,
                                 const char *const *names, int typed, equations *s) {
  int64_t batch[PIR_MAX_RANK];
  int rank = 0;
  PIR_TRY(pir_matrices_type(call, names, typed, &s->dtype));
  s->dtype = pir_matrices_wide(s->dtype);
  for (int i = 0; i < 2; i++) {
    int k = i ? b : a;
    int r = pir_kernel_in(call, k)->rank;
    if (r < 2)
      return pir_kernel_fail(call, PIR_INVALID, "%s: %s: expects matrices, found rank %d",
                             call->op, names[k], r);
    PIR_TRY(pir_matrices_batch(call, k, 2, batch, &rank));
  }
  PIR_TRY(pir_matrices_load(call, a, names[a], s->dtype, batch, rank, &s->a));
  PIR_TRY(pir_matrices_load(call, b, names[b], s->dtype, batch, rank, &s->b));
  PIR_TRY(pir_matrices_square(call, &s->a, names[a]));
  PIR_TRY(expect_same_rows(call, s, names[b]));
  return pir_lapack_open(call, s->dtype, &s->lapack);
}

// Solves for every matrix of b, which becomes the solution, and writes it as result 0.
static pir_status solve_by_elimination(const pir_kernel_call *call, equations *s) {
  PIR_TRY(allocate_pivots(call, s, s->a.rows));
  int n = s->a.rows, columns = s->b.columns;
  for (int64_t i = 0; n && columns && i < s->a.count; i++) {
    void *a = pir_matrix_at(&s->a, i);
    int info = s->lapack.lu(PIR_BY_ROWS, n, n, a, n, s->pivots);
    PIR_TRY(pir_lapack_status(call, info, "x: expects an invertible matrix"));
    info = s->lapack.lu_solve(PIR_BY_ROWS, 'N', n, columns, a, n, s->pivots,
                              pir_matrix_at(&s->b, i), columns);
    if (info)
      return pir_lapack_status(call, info, "");
  }
  return pir_matrices_give(call, &s->b, 0);
}

pir_status pir_kernel_inverse(const pir_kernel_call *call) {
  static const char *const names[] = {"x"};
  equations s = {0};
  pir_status status = pir_matrices_type(call, names, 1, &s.dtype);
  s.dtype = pir_matrices_wide(s.dtype);
  if (!status)
    status = pir_matrices_load(call, 0, "x", s.dtype, NULL, 0, &s.a);
  if (!status)
    status = pir_matrices_square(call, &s.a, "x");
  if (!status)
    status = pir_matrices_make(call, s.a.count, s.a.rows, s.a.rows, s.a.t.dtype, &s.b);
  for (int64_t i = 0; !status && i < s.b.count; i++)
    pir_matrix_identity(&s.b, i);
  if (!status)
    status = pir_lapack_open(call, s.dtype, &s.lapack);
  if (!status)
    status = solve_by_elimination(call, &s);
  drop_equations(call, &s);
  return status;
}

// A y of rank 1 is one right-hand side for every matrix.
pir_status pir_kernel_solve(const pir_kernel_call *call) {
  static const char *const names[] = {"x", "y"};
  const pir_tensor *y = pir_kernel_in(call, 1);
  equations s = {0};
  pir_status status;
  if (y && y->rank == 1) {
    pir_tensor column = *y;
    column.rank = 2;
    column.shape[1] = 1;
    column.strides[1] = 1;
    const pir_tensor *in[] = {pir_kernel_in(call, 0), &column};
    static const int32_t members[] = {1, 1}, first[] = {0, 1};
    pir_kernel_call inner = *call;
    inner.in = in;
    inner.in_members = members;
    inner.in_first = first;
    status = load_equations(&inner, 0, 1, names, 2, &s);
  } else {
    status = load_equations(call, 0, 1, names, 2, &s);
  }
  if (!status)
    status = solve_by_elimination(call, &s);
  drop_equations(call, &s);
  return status;
}

// attributes: upper, transpose, unitriangular
pir_status pir_kernel_triangular_solve(const pir_kernel_call *call) {
  static const char *const names[] = {"x", "y"};
  equations s = {0};
  pir_status status = load_equations(call, 0, 1, names, 2, &s);
  for (int64_t i = 0; !status && s.a.rows && s.b.columns && i < s.a.count; i++)
    pir_lapack_triangle(&s.lapack, pir_kernel_int(call, 0), pir_kernel_int(call, 1),
                        pir_kernel_int(call, 2), s.a.rows, s.b.columns, pir_matrix_at(&s.a, i),
                        pir_matrix_at(&s.b, i));
  if (!status)
    status = pir_matrices_give(call, &s.b, 0);
  drop_equations(call, &s);
  return status;
}

// x: right-hand sides, y: Cholesky factors. attribute: upper
pir_status pir_kernel_cholesky_solve(const pir_kernel_call *call) {
  static const char *const names[] = {"x", "y"};
  equations s = {0};
  pir_status status = load_equations(call, 1, 0, names, 2, &s);
  char uplo = pir_kernel_int(call, 0) ? 'U' : 'L';
  int n = s.a.rows, columns = s.b.columns;
  for (int64_t i = 0; !status && n && columns && i < s.a.count; i++) {
    int info = s.lapack.cholesky_solve(PIR_BY_ROWS, uplo, n, columns, pir_matrix_at(&s.a, i), n,
                                       pir_matrix_at(&s.b, i), columns);
    status = pir_lapack_status(call, info, "");
  }
  if (!status)
    status = pir_matrices_give(call, &s.b, 0);
  drop_equations(call, &s);
  return status;
}

// Reads the pivots of matrix i, and checks that each is a row of the matrix, counted from 1.
static pir_status take_pivots(const pir_kernel_call *call, const equations *s,
                              const pir_tensor *pivots, int64_t i) {
  int64_t stacks = s->a.rows ? pir_tensor_numel(pivots) / s->a.rows : 0;
  for (int r = 0; r < s->a.rows; r++) {
    int64_t row = pir_tensor_int_at(pivots, i % stacks * s->a.rows + r);
    if (row < 1 || row > s->a.rows)
      return pir_kernel_fail(call, PIR_INVALID, "%s: pivots: expects rows 1 to %d, found %lld",
                             call->op, s->a.rows, (long long)row);
    s->pivots[r] = (int)row;
  }
  return PIR_OK;
}

// operands: b, lu, pivots; attribute: trans (N, T or C)
pir_status pir_kernel_lu_solve(const pir_kernel_call *call) {
  static const char *const names[] = {"b", "lu"};
  const pir_tensor *pivots = pir_kernel_in(call, 2);
  pir_str trans = pir_kernel_text(call, 0);
  equations s = {0};
  if (trans.size != 1 || !strchr("NTC", trans.data[0]))
    return pir_kernel_fail(call, PIR_INVALID, "%s: trans: expects N, T or C, found '%.*s'",
                           call->op, (int)trans.size, trans.data);
  if (!pivots || pivots->dtype != PIR_I32 || pivots->rank < 1)
    return pir_kernel_fail(
        call, PIR_INVALID, "%s: pivots: expects int32 rows, found %s of rank %d", call->op,
        pivots ? pir_dtype_name(pivots->dtype) : "nothing", pivots ? pivots->rank : 0);
  pir_status status = load_equations(call, 1, 0, names, 2, &s);
  if (!status)
    status = allocate_pivots(call, &s, s.a.rows);
  int n = s.a.rows, columns = s.b.columns;
  int64_t given = pir_tensor_numel(pivots), all = s.a.count * n;
  int64_t each = pivots->shape[pivots->rank - 1];
  if (!status && (each != n || (given != all && given != n)))
    status = pir_kernel_fail(call, PIR_INVALID, "%s: pivots: expects %d a matrix, found %lld",
                             call->op, n, (long long)each);
  for (int64_t i = 0; !status && n && columns && i < s.a.count; i++) {
    status = take_pivots(call, &s, pivots, i);
    if (status)
      break;
    int info = s.lapack.lu_solve(PIR_BY_ROWS, trans.data[0], n, columns, pir_matrix_at(&s.a, i),
                                 n, s.pivots, pir_matrix_at(&s.b, i), columns);
    status = pir_lapack_status(call, info, "");
  }
  if (!status)
    status = pir_matrices_give(call, &s.b, 0);
  drop_equations(call, &s);
  return status;
}

// ---- determinants

// The determinant of LU factors when `plain`, else its sign. The logarithm of its absolute
// value goes to `out_log`.
static double complex determinant_of(const equations *s, int64_t m, bool plain,
                                     double *out_log) {
  const double *a = pir_matrix_at(&s->a, m);
  double complex det = 1;
  *out_log = 0;
  for (int64_t i = 0; i < s->a.rows; i++) {
    int64_t at = i * (s->a.rows + 1);
    double parts[2] = {a[at], 0};
    double complex pivot;  // copied from its parts, because not every compiler has CMPLX
    if (s->dtype == PIR_C128)
      memcpy(parts, a + 2 * at, sizeof parts);
    memcpy(&pivot, parts, sizeof pivot);
    double size = cabs(pivot);
    if (s->pivots[i] != i + 1)
      det = -det;
    *out_log += log(size);
    if (plain)
      det *= pivot;
    else
      det = size == 0 ? 0 : det * (pivot / size);
  }
  return det;
}

// Writes the determinants when `plain`, else their signs and the logarithms of their absolute
// values.
static pir_status determinants(const pir_kernel_call *call, bool plain) {
  static const char *const names[] = {"x"};
  pir_matrices logs = {0};
  equations s = {0};
  pir_status status = pir_matrices_type(call, names, 1, &s.dtype);
  s.dtype = pir_matrices_wide(s.dtype);
  if (!status)
    status = pir_matrices_load(call, 0, "x", s.dtype, NULL, 0, &s.a);
  if (!status)
    status = pir_matrices_square(call, &s.a, "x");
  if (!status)
    status = allocate_pivots(call, &s, s.a.rows);
  if (!status)
    status = pir_matrices_make(call, s.a.count, 1, 1, PIR_C128, &s.b);
  if (!status)
    status = pir_matrices_make(call, s.a.count, 1, 1, PIR_F64, &logs);
  if (!status)
    status = pir_lapack_open(call, s.dtype, &s.lapack);
  for (int64_t i = 0; !status && i < s.a.count; i++) {
    int n = s.a.rows;
    int info = n ? s.lapack.lu(PIR_BY_ROWS, n, n, pir_matrix_at(&s.a, i), n, s.pivots) : 0;
    if (info < 0)
      status = pir_lapack_status(call, info, "");
    double complex det = determinant_of(&s, i, plain, (double *)pir_matrix_at(&logs, i));
    memcpy(pir_matrix_at(&s.b, i), &det, sizeof det);
  }
  if (!status)
    status = pir_matrices_give(call, &s.b, 0);
  if (!status)
    status = pir_matrices_give(call, &logs, 1);
  pir_matrices_drop(call, &logs);
  drop_equations(call, &s);
  return status;
}

pir_status pir_kernel_det(const pir_kernel_call *call) {
  return determinants(call, true);
}

pir_status pir_kernel_slogdet_v2(const pir_kernel_call *call) {
  return determinants(call, false);
}

// ---- least squares

typedef struct least {
  equations s;
  pir_matrices solution, residuals, rank, singular;
  char driver;  // f: full rank, y: pivoted, d: divide and conquer, s: singular values
} least;

// Solves for matrix i. The first rows of b become the solution, the rows below the residuals.
// Returns LAPACK's info.
static int least_squares(const pir_kernel_call *call, const least *l, int64_t i, double rcond) {
  const pir_lapack *p = &l->s.lapack;
  int m = l->s.a.rows;
  int n = l->s.a.columns;
  int columns = l->s.b.columns;
  int rank = m < n ? m : n;
  int info = 0;
  void *a = pir_matrix_at(&l->s.a, i);
  void *b = pir_matrix_at(&l->s.b, i);
  double *values = pir_matrix_at(&l->singular, i);
  switch (l->driver) {
    case 'y':
      memset(l->s.pivots, 0, sizeof(int) * (size_t)n);
      info = p->least_pivoted(PIR_BY_ROWS, m, n, columns, a, n, b, columns, l->s.pivots, rcond,
                              &rank);
      break;
    case 'd':
      info =
          p->least_divided(PIR_BY_ROWS, m, n, columns, a, n, b, columns, values, rcond, &rank);
      break;
    case 's':
      info =
          p->least_singular(PIR_BY_ROWS, m, n, columns, a, n, b, columns, values, rcond, &rank);
      break;
    default: info = p->least_full(PIR_BY_ROWS, 'N', m, n, columns, a, n, b, columns); break;
  }
  *(double *)pir_matrix_at(&l->rank, i) = rank;
  return info;
}

// Copies the solution of matrix i, and sums the squares of the residuals below it.
static void split_solution(const least *l, int64_t i) {
  int step = l->s.dtype == PIR_C128 ? 2 : 1;
  int m = l->s.a.rows;
  int n = l->s.a.columns;
  int columns = l->s.b.columns;
  const double *b = pir_matrix_at(&l->s.b, i);
  double *left = pir_matrix_at(&l->residuals, i);
  size_t numbers = (size_t)step * (size_t)n * (size_t)columns;
  memcpy(pir_matrix_at(&l->solution, i), b, sizeof(double) * numbers);
  for (int64_t r = n; r < m; r++)
    for (int64_t c = 0; c < columns * step; c++) {
      double v = b[r * columns * step + c];
      left[c / step * step] += v * v;
    }
}

// Loads both operands. The stack b gets the longer side of a as its number of rows, because the
// solution may have more rows than the right-hand side.
static pir_status load_least(const pir_kernel_call *call, least *l) {
  static const char *const names[] = {"x", "y"};
  equations *s = &l->s;
  pir_matrices right;
  int64_t batch[PIR_MAX_RANK];
  int rank = 0;
  PIR_TRY(pir_matrices_type(call, names, 2, &s->dtype));
  s->dtype = pir_matrices_wide(s->dtype);
  for (int k = 0; k < 2; k++) {
    if (pir_kernel_in(call, k)->rank < 2)
      return pir_kernel_fail(call, PIR_INVALID, "%s: %s: expects matrices, found rank %d",
                             call->op, names[k], pir_kernel_in(call, k)->rank);
    PIR_TRY(pir_matrices_batch(call, k, 2, batch, &rank));
  }
  PIR_TRY(pir_matrices_load(call, 0, "x", s->dtype, batch, rank, &s->a));
  PIR_TRY(pir_matrices_finite(call, &s->a, "x"));
  pir_status status = pir_matrices_load(call, 1, "y", s->dtype, batch, rank, &right);
  int m = s->a.rows;
  int n = s->a.columns;
  int columns = right.columns;
  int longer = m > n ? m : n;
  if (!status && right.rows != m)
    status = pir_kernel_fail(call, PIR_INVALID, "%s: y: expects %d rows, found %d", call->op, m,
                             right.rows);
  if (!status)
    status = pir_matrices_finite(call, &right, "y");
  if (!status)
    status = pir_matrices_make(call, right.count, longer, columns, right.t.dtype, &s->b);
  pir_dtype dtype = right.t.dtype;
  size_t bytes = (size_t)m * (size_t)columns * pir_dtype_size(dtype);
  for (int64_t i = 0; !status && i < right.count; i++)
    memcpy(pir_matrix_at(&s->b, i), pir_matrix_at(&right, i), bytes);
  if (!status)
    status = pir_matrices_make(call, right.count, n, columns, dtype, &l->solution);
  if (!status)
    status = pir_matrices_make(call, right.count, 1, columns, dtype, &l->residuals);
  if (!status)
    status = pir_matrices_make(call, right.count, 1, 1, PIR_F64, &l->rank);
  if (!status)
    status = pir_matrices_make(call, right.count, 1, m < n ? m : n, PIR_F64, &l->singular);
  pir_matrices_drop(call, &right);
  PIR_TRY(status);
  PIR_TRY(allocate_pivots(call, s, longer));
  return pir_lapack_open(call, s->dtype, &s->lapack);
}

// Writes result k unless it is absent or, because this driver does not compute it, empty.
static pir_status give_unless_empty(const pir_kernel_call *call, const pir_matrices *m, int k) {
  const pir_tensor *out = pir_kernel_out(call, k);
  return out && pir_tensor_numel(out) ? pir_matrices_give(call, m, k) : PIR_OK;
}

// operands: x, y, rcond; attribute: driver
pir_status pir_kernel_lstsq(const pir_kernel_call *call) {
  const pir_tensor *rcond = pir_kernel_in(call, 2);
  pir_str driver = pir_kernel_text(call, 0);
  least l = {0};
  bool named = driver.size == 5 && !strncmp(driver.data, "gels", 4);
  if (pir_str_equal(driver, PIR_STR("gels")))
    l.driver = 'f';
  else if (named && strchr("yds", driver.data[4]))
    l.driver = driver.data[4];
  else
    return pir_kernel_fail(call, PIR_INVALID,
                           "%s: driver: expects gels, gelsy, gelsd or gelss, found '%.*s'",
                           call->op, (int)driver.size, driver.data);
  if (rcond && !pir_tensor_numel(rcond))
    return pir_kernel_fail(call, PIR_INVALID, "%s: rcond: expects one element, found none",
                           call->op);
  pir_status status = load_least(call, &l);
  bool empty = !l.s.a.rows || !l.s.a.columns || !l.s.b.columns;
  for (int64_t i = 0; !status && !empty && i < l.s.a.count; i++) {
    int info = least_squares(call, &l, i, rcond ? pir_tensor_float_at(rcond, 0) : 0);
    status = pir_lapack_status(call, info, "x: expects full rank for this driver");
    if (!status)
      split_solution(&l, i);
  }
  if (!status)
    status = pir_matrices_give(call, &l.solution, 0);
  if (!status)
    status = give_unless_empty(call, &l.residuals, 1);
  if (!status)
    status = give_unless_empty(call, &l.rank, 2);
  if (!status)
    status = give_unless_empty(call, &l.singular, 3);
  pir_matrices_drop(call, &l.solution);
  pir_matrices_drop(call, &l.residuals);
  pir_matrices_drop(call, &l.rank);
  pir_matrices_drop(call, &l.singular);
  drop_equations(call, &l.s);
  return status;
}
