// Eigenvalues, singular values, QR factors, and ranks, of stacks of matrices. LAPACK computes
// one matrix after the other. A matrix with NaN or infinities is refused, because the
// iterations need not end on it.
#include <float.h>
#include <math.h>
#include <string.h>

#include "matrices.h"

// The library, the operand, and the stacks that LAPACK fills.
typedef struct spectrum {
  pir_lapack lapack;
  pir_matrices a, first, second, third;
} spectrum;

// Loads operand x. With `over`, for ranks, x is repeated over that shape, and in double.
static pir_status load_spectrum(const pir_kernel_call *call, bool square,
                                const pir_tensor *over, spectrum *s) {
  static const char *const names[] = {"x"};
  pir_dtype dtype;
  *s = (spectrum){0};
  PIR_TRY(pir_matrices_type(call, names, 1, &dtype));
  if (over)
    dtype = pir_matrices_wide(dtype);
  const int64_t *batch = over ? over->shape : NULL;
  PIR_TRY(pir_matrices_load(call, 0, "x", dtype, batch, over ? over->rank : 0, &s->a));
  if (square)
    PIR_TRY(pir_matrices_square(call, &s->a, "x"));
  PIR_TRY(pir_matrices_finite(call, &s->a, "x"));
  return pir_lapack_open(call, dtype, &s->lapack);
}

static void drop_spectrum(const pir_kernel_call *call, spectrum *s) {
  pir_matrices_drop(call, &s->a);
  pir_matrices_drop(call, &s->first);
  pir_matrices_drop(call, &s->second);
  pir_matrices_drop(call, &s->third);
  pir_lapack_close(&s->lapack);
}

static pir_dtype real_part_of(pir_dtype t) {
  switch (t) {
    case PIR_C64: return PIR_F32;
    case PIR_C128: return PIR_F64;
    default: return t;
  }
}

static int shorter_side(const pir_matrices *m) {
  return m->rows < m->columns ? m->rows : m->columns;
}

// ---- singular values

// Finds the singular values, in `first`, and, unless `job` is N, the left and right vectors, in
// `second` and `third`: all of them with A, one for each row or column of the shorter side with
// S.
static pir_status find_singular_values(const pir_kernel_call *call, char job, spectrum *s) {
  int m = s->a.rows;
  int n = s->a.columns;
  int k = shorter_side(&s->a);
  int left = job == 'A' ? m : k;
  int right = job == 'A' ? n : k;
  int64_t count = s->a.count;
  pir_dtype dtype = s->a.t.dtype;
  PIR_TRY(pir_matrices_make(call, count, 1, k, real_part_of(dtype), &s->first));
  PIR_TRY(pir_matrices_make(call, count, job == 'N' ? 0 : m, left, dtype, &s->second));
  PIR_TRY(pir_matrices_make(call, count, job == 'N' ? 0 : right, n, dtype, &s->third));
  bool is_empty = !pir_tensor_numel(&s->second.t) && !pir_tensor_numel(&s->third.t) && !k;
  for (int64_t i = 0; i < count && !is_empty; i++) {
    if (!k) {  // there are no values, so any vectors will do
      pir_matrix_identity(&s->second, i);
      pir_matrix_identity(&s->third, i);
      continue;
    }
    int info = s->lapack.singular(PIR_BY_ROWS, job, m, n, pir_matrix_at(&s->a, i), n,
                                  pir_matrix_at(&s->first, i), pir_matrix_at(&s->second, i),
                                  left, pir_matrix_at(&s->third, i), n);
    PIR_TRY(pir_lapack_status(call, info, "the singular values did not converge"));
  }
  return PIR_OK;
}

// attribute: full_matrices; results: u, s, vh
pir_status pir_kernel_svd(const pir_kernel_call *call) {
  spectrum s;
  pir_status status = load_spectrum(call, false, NULL, &s);
  if (!status)
    status = find_singular_values(call, pir_kernel_int(call, 0) ? 'A' : 'S', &s);
  if (!status)
    status = pir_matrices_give(call, &s.second, 0);
  if (!status)
    status = pir_matrices_give(call, &s.first, 1);
  if (!status)
    status = pir_matrices_give(call, &s.third, 2);
  drop_spectrum(call, &s);
  return status;
}

pir_status pir_kernel_svdvals(const pir_kernel_call *call) {
  spectrum s;
  pir_status status = load_spectrum(call, false, NULL, &s);
  if (!status)
    status = find_singular_values(call, 'N', &s);
  if (!status)
    status = pir_matrices_give(call, &s.first, 0);
  drop_spectrum(call, &s);
  return status;
}

// ---- eigenvalues

// Finds the eigenvalues in ascending order, in `first`. With `vectors`, a becomes the vectors.
static pir_status find_hermitian_eigenvalues(const pir_kernel_call *call, bool vectors,
                                             char uplo, spectrum *s) {
  int n = s->a.rows;
  PIR_TRY(pir_matrices_make(call, s->a.count, 1, n, real_part_of(s->a.t.dtype), &s->first));
  for (int64_t i = 0; n && i < s->a.count; i++) {
    int info = s->lapack.hermitian(PIR_BY_ROWS, vectors ? 'V' : 'N', uplo, n,
                                   pir_matrix_at(&s->a, i), n, pir_matrix_at(&s->first, i));
    PIR_TRY(pir_lapack_status(call, info, "the eigenvalues did not converge"));
  }
  return PIR_OK;
}

// attribute: which triangle is read; results: values, vectors
pir_status pir_kernel_eigh(const pir_kernel_call *call) {
  pir_str uplo = pir_kernel_text(call, 0);
  if (uplo.size != 1 || (uplo.data[0] != 'L' && uplo.data[0] != 'U'))
    return pir_kernel_fail(call, PIR_INVALID, "%s: UPLO: expects L or U, found '%.*s'",
                           call->op, (int)uplo.size, uplo.data);
  spectrum s;
  pir_status status = load_spectrum(call, true, NULL, &s);
  bool vectors = pir_kernel_out(call, 1) != NULL;
  if (!status)
    status = find_hermitian_eigenvalues(call, vectors, uplo.data[0], &s);
  if (!status)
    status = pir_matrices_give(call, &s.first, 0);
  if (!status && vectors)
    status = pir_matrices_give(call, &s.a, 1);
  drop_spectrum(call, &s);
  return status;
}

static double float_at(const pir_matrices *m, int64_t i) {
  if (m->t.dtype == PIR_F32)
    return (double)((float *)m->t.data)[i];
  return ((double *)m->t.data)[i];
}

// Makes complex eigenvalues and vectors from the rows that LAPACK gives for a real matrix: the
// real parts of the values, their imaginary parts, and the vectors. The vectors of a conjugate
// pair are stored as the real and the imaginary part of the first one.
static void unpack_eigen_parts(const pir_matrices *parts, double *values, double *vectors) {
  int64_t n = parts->columns;
  for (int64_t j = 0; j < n; j++) {
    values[2 * j] = float_at(parts, j);
    values[2 * j + 1] = float_at(parts, n + j);
  }
  for (int64_t j = 0; vectors && j < n; j++) {
    bool pair = values[2 * j + 1] != 0 && j + 1 < n;
    for (int64_t r = 0; r < n; r++) {
      double *to = vectors + 2 * (r * n + j);
      double re = float_at(parts, (r + 2) * n + j);
      double im = pair ? float_at(parts, (r + 2) * n + j + 1) : 0;
      to[0] = re;
      to[1] = im;
      if (pair) {
        to[2] = re;
        to[3] = -im;
      }
    }
    if (pair)
      j++;
  }
}

// Finds the eigenvalues of matrix i, in `first`, and with `vectors` the vectors, in `second`;
// `third` holds the parts for one real matrix. Without vectors, LAPACK reads the matrix
// transposed, which has the same eigenvalues and needs no copy; Paddle does so too, and the
// order of the values is then the same. Returns LAPACK's info.
static int find_eigenvalues(const spectrum *s, int64_t i, bool vectors) {
  int n = s->a.rows;
  int layout = vectors ? PIR_BY_ROWS : PIR_BY_COLUMNS;
  char right = vectors ? 'V' : 'N';
  void *a = pir_matrix_at(&s->a, i);
  void *values = pir_matrix_at(&s->first, i);
  void *to = vectors ? pir_matrix_at(&s->second, i) : NULL;
  if (pir_dtype_is_complex(s->a.t.dtype))
    return s->lapack.complex_eigen(layout, 'N', right, n, a, n, values, NULL, n, to, n);
  int info = s->lapack.real_eigen(layout, 'N', right, n, a, n, pir_matrix_at(&s->third, 0),
                                  pir_matrix_at(&s->third, 1), NULL, n,
                                  pir_matrix_at(&s->third, 2), n);
  if (!info)
    unpack_eigen_parts(&s->third, values, to);
  return info;
}

static pir_status find_all_eigenvalues(const pir_kernel_call *call, bool vectors) {
  spectrum s;
  pir_status status = load_spectrum(call, true, NULL, &s);
  int n = s.a.rows;
  pir_dtype dtype = s.a.t.dtype == PIR_C64 ? PIR_C64 : PIR_C128;
  if (!status)
    status = pir_matrices_make(call, s.a.count, 1, n, dtype, &s.first);
  if (!status)
    status = pir_matrices_make(call, s.a.count, vectors ? n : 0, n, dtype, &s.second);
  if (!status)
    status = pir_matrices_make(call, (int64_t)n + 2, 1, n, real_part_of(s.a.t.dtype), &s.third);
  for (int64_t i = 0; !status && n && i < s.a.count; i++)
    status = pir_lapack_status(call, find_eigenvalues(&s, i, vectors),
                               "the eigenvalues did not converge");
  if (!status)
    status = pir_matrices_give(call, &s.first, 0);
  if (!status && vectors)
    status = pir_matrices_give(call, &s.second, 1);
  drop_spectrum(call, &s);
  return status;
}

pir_status pir_kernel_eig(const pir_kernel_call *call) {
  return find_all_eigenvalues(call, true);
}

pir_status pir_kernel_eigvals(const pir_kernel_call *call) {
  return find_all_eigenvalues(call, false);
}

// ---- QR

// Finds q, in `first`, and r, in `second`.
static pir_status factor_qr(const pir_kernel_call *call, bool complete, spectrum *s) {
  int m = s->a.rows;
  int n = s->a.columns;
  int k = shorter_side(&s->a);
  int columns = complete ? m : k;
  int rows = columns;
  size_t size = pir_dtype_size(s->a.t.dtype);
  PIR_TRY(pir_matrices_make(call, s->a.count, m, columns, s->a.t.dtype, &s->first));
  PIR_TRY(pir_matrices_make(call, s->a.count, rows, n, s->a.t.dtype, &s->second));
  PIR_TRY(pir_matrices_make(call, 1, 1, k, s->a.t.dtype, &s->third));
  for (int64_t i = 0; i < s->a.count; i++) {
    char *a = pir_matrix_at(&s->a, i);
    char *q = pir_matrix_at(&s->first, i);
    char *r = pir_matrix_at(&s->second, i);
    if (!k) {
      pir_matrix_identity(&s->first, i);
      continue;
    }
    int info = s->lapack.triangle_and_rotations(PIR_BY_ROWS, m, n, a, n, s->third.t.data);
    PIR_TRY(pir_lapack_status(call, info, ""));
    for (int64_t row = 0; row < k; row++) {
      size_t diagonal = (size_t)(row * n + row) * size;
      memcpy(r + diagonal, a + diagonal, (size_t)(n - row) * size);
    }
    for (int64_t row = 0; row < m; row++) {
      size_t to = (size_t)(row * columns) * size;
      memcpy(q + to, a + (size_t)(row * n) * size, (size_t)k * size);
    }
    info = s->lapack.rotations(PIR_BY_ROWS, m, columns, k, q, columns, s->third.t.data);
    PIR_TRY(pir_lapack_status(call, info, ""));
  }
  return PIR_OK;
}

// attribute: mode (reduced, complete, or r, which gives an empty q)
pir_status pir_kernel_qr(const pir_kernel_call *call) {
  bool complete = pir_str_equal(pir_kernel_text(call, 0), PIR_STR("complete"));
  bool only_r = pir_str_equal(pir_kernel_text(call, 0), PIR_STR("r"));
  spectrum s;
  pir_status status = load_spectrum(call, false, NULL, &s);
  if (!status)
    status = factor_qr(call, complete, &s);
  if (!status && !only_r)
    status = pir_matrices_give(call, &s.first, 0);
  if (!status)
    status = pir_matrices_give(call, &s.second, 1);
  drop_spectrum(call, &s);
  return status;
}

// ---- ranks

// Values up to a bound count as zero. The bound is the larger of an absolute one and one that
// is relative to the largest value.
typedef struct bounds {
  pir_tensor absolute, relative;  // for each matrix; without data, `fixed` and `scale` hold
  double fixed;
  double scale;           // in units of the type's precision times the longer side
  bool scale_where_zero;  // `scale` counts only where the absolute bound is 0
} bounds;

static int64_t count_rank(const double *values, int n, const bounds *b, int64_t i) {
  double largest = 0;
  double absolute = b->absolute.data ? ((double *)b->absolute.data)[i] : b->fixed;
  double scale = b->scale_where_zero && absolute != 0 ? 0 : b->scale;
  if (b->relative.data)
    scale = ((double *)b->relative.data)[i];
  for (int k = 0; k < n; k++)
    largest = fmax(largest, fabs(values[k]));
  double bound = fmax(absolute, scale * largest);
  int64_t rank = 0;
  for (int k = 0; k < n; k++)
    rank += fabs(values[k]) > bound;
  return rank;
}

// Writes the ranks of the matrices of operand 0. Operands 1 and 2, unless they are absent, are
// bounds; like the matrices, they are repeated over the shape of the result.
static pir_status find_ranks(const pir_kernel_call *call, bool is_hermitian, bounds b) {
  const pir_tensor *x = pir_kernel_in(call, 0);
  const pir_tensor *out = pir_kernel_out(call, 0);
  pir_matrices counts = {0};
  spectrum s;
  pir_status status = load_spectrum(call, is_hermitian, out, &s);
  pir_tensor *bound_copies[] = {&b.absolute, &b.relative};
  for (int k = 1; k <= 2; k++) {
    const pir_tensor *given = pir_kernel_in(call, k);
    if (!status && given)
      status =
          pir_kernel_dense(call, given, PIR_F64, out->shape, out->rank, bound_copies[k - 1]);
  }
  if (!status && is_hermitian)
    status = find_hermitian_eigenvalues(call, false, 'L', &s);
  else if (!status)
    status = find_singular_values(call, 'N', &s);
  if (!status)
    status = pir_matrices_make(call, s.a.count, 1, 1, PIR_I64, &counts);
  if (!status) {
    bool single = x->dtype == PIR_F32 || x->dtype == PIR_C64;
    int longer = s.a.rows > s.a.columns ? s.a.rows : s.a.columns;
    b.scale *= (single ? FLT_EPSILON : DBL_EPSILON) * longer;
    for (int64_t i = 0; i < s.a.count; i++) {
      int64_t *to = pir_matrix_at(&counts, i);
      *to = count_rank(pir_matrix_at(&s.first, i), s.first.columns, &b, i);
    }
    status = pir_matrices_give(call, &counts, 0);
  }
  pir_matrices_drop(call, &counts);
  pir_kernel_drop(call, &b.absolute);
  pir_kernel_drop(call, &b.relative);
  drop_spectrum(call, &s);
  return status;
}

// attributes: tol, use_default_tol, hermitian
pir_status pir_kernel_matrix_rank(const pir_kernel_call *call) {
  bool by_default = pir_kernel_int(call, 1);
  bounds b = {.fixed = by_default ? 0 : pir_kernel_float(call, 0), .scale = by_default};
  return find_ranks(call, pir_kernel_int(call, 2), b);
}

// attributes: use_default_tol, hermitian
pir_status pir_kernel_matrix_rank_tol(const pir_kernel_call *call) {
  return find_ranks(call, pir_kernel_int(call, 1),
                    (bounds){.scale = pir_kernel_int(call, 0) != 0});
}

// attribute: hermitian
pir_status pir_kernel_matrix_rank_atol_rtol(const pir_kernel_call *call) {
  return find_ranks(call, pir_kernel_int(call, 0),
                    (bounds){.scale = 1, .scale_where_zero = true});
}
