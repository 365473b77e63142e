// Facts of linear algebra ops: stacks of matrices along the last two axes.
#include "infer_impl.h"
#include <pd_op_hooks.h>

#include <pir/compiler/dialect/pd_op.h>

#include <string.h>

// Returns operand k, or NULL if its shape is unknown; fails if it holds no matrices.
static pir_status matrices(pir_infer *infer, int k, const pir_fact **out) {
  const pir_fact *x = infer->operands[k];
  *out = x && x->known && !x->members && x->rank >= 0 ? x : NULL;
  if (*out && x->rank < 2)
    return pir_infer_fail(infer, "%s: expects matrices, found rank %d",
                          infer->def->operands[k].name, x->rank);
  return PIR_OK;
}

static pir_status equal_extents(pir_infer *infer, int k, const char *what, pir_dim expected,
                                pir_dim found) {
  int64_t a, b;
  infer_require(infer, PIR_EQUAL, expected, found);
  if (!pir_dim_is_const(infer->dims, expected, &a) ||
      !pir_dim_is_const(infer->dims, found, &b) || a == b)
    return PIR_OK;
  return pir_infer_fail(infer, "%s: expects %s of %lld, found %lld",
                        infer->def->operands[k].name, what, (long long)a, (long long)b);
}

static pir_dim rows_of(const pir_fact *x) {
  return x->shape[x->rank - 2];
}

static pir_dim columns_of(const pir_fact *x) {
  return x->shape[x->rank - 1];
}

static pir_status square(pir_infer *infer, int k, const pir_fact **out) {
  PIR_TRY(matrices(infer, k, out));
  return *out ? equal_extents(infer, k, "a square matrix with a side", rows_of(*out),
                              columns_of(*out))
              : PIR_OK;
}

// Sets result i to the axes of x without the last `drop`, followed by `count` more.
static pir_fact *begin_stack(pir_infer *infer, int i, const pir_fact *x, int drop, int count,
                             pir_dim a, pir_dim b) {
  pir_fact *out = infer_begin(infer, i);
  if (!x)
    return out;
  out->rank = x->rank - drop + count;
  memcpy(out->shape, x->shape, sizeof out->shape);
  if (count)
    out->shape[x->rank - drop] = a;
  if (count > 1)
    out->shape[x->rank - drop + 1] = b;
  return out;
}

static pir_dim smaller(pir_infer *infer, const pir_fact *x) {
  return x ? pir_dim_min(infer->dims, rows_of(x), columns_of(x)) : PIR_DIM_UNKNOWN;
}

static pir_dtype real_type(pir_dtype t) {
  if (t == PIR_C64)
    return PIR_F32;
  return t == PIR_C128 ? PIR_F64 : t;
}

static pir_dtype complex_type(pir_dtype t) {
  if (t == PIR_F32)
    return PIR_C64;
  return t == PIR_F64 ? PIR_C128 : t;
}

pir_status pd_infer_square_like(pir_infer *infer) {
  const pir_fact *x;
  PIR_TRY(square(infer, 0, &x));
  (void)begin_stack(infer, 0, x, 0, 0, 0, 0);
  return PIR_OK;
}

// One number for each square matrix, in every result; the second result is real.
pir_status pd_infer_of_matrices(pir_infer *infer) {
  const pir_fact *x;
  PIR_TRY(square(infer, 0, &x));
  for (int i = 0; i < infer->def->result_count; i++) {
    pir_fact *out = begin_stack(infer, i, x, 2, 0, 0, 0);
    if (i)
      out->dtype = real_type(out->dtype);
  }
  return PIR_OK;
}

// ---- factors and values
pir_status pd_infer_svd(pir_infer *infer) {
  const pir_fact *x;
  PIR_TRY(matrices(infer, PD_SVD_IN_X, &x));
  bool full = infer->attrs[PD_SVD_ATTR_FULL_MATRICES].i;
  pir_dim k = smaller(infer, x), m = x ? rows_of(x) : 0, n = x ? columns_of(x) : 0;
  (void)begin_stack(infer, PD_SVD_OUT_U, x, 2, 2, m, full ? m : k);
  (void)begin_stack(infer, PD_SVD_OUT_VH, x, 2, 2, full ? n : k, n);
  pir_fact *s = begin_stack(infer, PD_SVD_OUT_S, x, 2, 1, k, 0);
  s->dtype = real_type(s->dtype);
  return PIR_OK;
}

pir_status pd_infer_svdvals(pir_infer *infer) {
  const pir_fact *x;
  PIR_TRY(matrices(infer, PD_SVDVALS_IN_X, &x));
  pir_fact *s = begin_stack(infer, 0, x, 2, 1, smaller(infer, x), 0);
  s->dtype = real_type(s->dtype);
  return PIR_OK;
}

pir_status pd_infer_qr(pir_infer *infer) {
  const pir_fact *x;
  pir_str mode = infer->attrs[PD_QR_ATTR_MODE].text;
  bool complete = pir_str_equal(mode, PIR_STR("complete")),
       only_r = pir_str_equal(mode, PIR_STR("r"));
  if (!complete && !only_r && !pir_str_equal(mode, PIR_STR("reduced")))
    return pir_infer_fail(infer, "mode: expects reduced, complete or r, found '%.*s'",
                          (int)mode.size, mode.data);
  PIR_TRY(matrices(infer, PD_QR_IN_X, &x));
  pir_dim k = smaller(infer, x), m = x ? rows_of(x) : 0, n = x ? columns_of(x) : 0;
  pir_fact *q = begin_stack(infer, PD_QR_OUT_Q, x, 2, 2, m, complete ? m : k);
  if (only_r) {
    q->rank = 1;
    q->shape[0] = 0;
  }
  (void)begin_stack(infer, PD_QR_OUT_R, x, 2, 2, complete ? m : k, n);
  return PIR_OK;
}

// Eigenvalues, then eigenvectors if the op yields them: complex for any matrix, real values for
// a Hermitian one.
static pir_status eigen(pir_infer *infer, bool hermitian) {
  const pir_fact *x;
  PIR_TRY(square(infer, 0, &x));
  pir_fact *values = begin_stack(infer, 0, x, 2, 1, x ? columns_of(x) : 0, 0);
  values->dtype = hermitian ? real_type(values->dtype) : complex_type(values->dtype);
  if (infer->def->result_count < 2)
    return PIR_OK;
  pir_fact *vectors = begin_stack(infer, 1, x, 0, 0, 0, 0);
  if (!hermitian)
    vectors->dtype = complex_type(vectors->dtype);
  return PIR_OK;
}

pir_status pd_infer_eigen(pir_infer *infer) {
  return eigen(infer, false);
}

pir_status pd_infer_eigen_hermitian(pir_infer *infer) {
  return eigen(infer, true);
}

pir_status pd_infer_lu(pir_infer *infer) {
  const pir_fact *x;
  PIR_TRY(matrices(infer, PD_LU_IN_X, &x));
  (void)begin_stack(infer, PD_LU_OUT_OUT, x, 0, 0, 0, 0);
  begin_stack(infer, PD_LU_OUT_PIVOTS, x, 2, 1, smaller(infer, x), 0)->dtype = PIR_I32;
  begin_stack(infer, PD_LU_OUT_INFOS, x, 2, 0, 0, 0)->dtype = PIR_I32;
  return PIR_OK;
}

// Results that are not requested are empty.
pir_status pd_infer_lu_unpack(pir_infer *infer) {
  const pir_fact *x;
  bool factors = infer->attrs[PD_LU_UNPACK_ATTR_UNPACK_LUDATA].i,
       rows = infer->attrs[PD_LU_UNPACK_ATTR_UNPACK_PIVOTS].i;
  PIR_TRY(matrices(infer, PD_LU_UNPACK_IN_X, &x));
  pir_dim k = smaller(infer, x), m = x ? rows_of(x) : 0, n = x ? columns_of(x) : 0;
  pir_fact *out[] = {begin_stack(infer, PD_LU_UNPACK_OUT_PMAT, x, 2, 2, m, m),
                     begin_stack(infer, PD_LU_UNPACK_OUT_L, x, 2, 2, m, k),
                     begin_stack(infer, PD_LU_UNPACK_OUT_U, x, 2, 2, k, n)};
  for (int i = 0; i < 3; i++)
    if (i ? !factors : !rows) {
      out[i]->rank = 1;
      out[i]->shape[0] = 0;
    }
  return PIR_OK;
}

// ---- systems
static void broadcast_batch(pir_infer *infer, const pir_fact *x, pir_fact *out) {
  int32_t own = x->rank - 2, grow = own - out->rank;
  if (grow > 0) {
    memmove(out->shape + grow, out->shape, (size_t)out->rank * sizeof *out->shape);
    for (int32_t d = 0; d < grow; d++)
      out->shape[d] = 1;
    out->rank = own;
  }
  for (int32_t d = 0; d < own; d++) {
    pir_dim *to = &out->shape[out->rank - own + d];
    *to = pir_dim_broadcast(infer->dims, *to, x->shape[d]);
  }
}

// A system with square matrices a and right sides b has the shape of b, broadcast over both
// stacks.
static pir_status solution(pir_infer *infer, int a_at, int b_at) {
  const pir_fact *a, *b;
  PIR_TRY(square(infer, a_at, &a));
  PIR_TRY(matrices(infer, b_at, &b));
  pir_fact *out = infer_begin(infer, 0);
  if (!a || !b)
    return PIR_OK;
  PIR_TRY(equal_extents(infer, b_at, "rows", rows_of(a), rows_of(b)));
  out->rank = 0;
  broadcast_batch(infer, a, out);
  broadcast_batch(infer, b, out);
  out->shape[out->rank++] = rows_of(b);
  out->shape[out->rank++] = columns_of(b);
  return PIR_OK;
}

// A vector y is one right side for every matrix.
pir_status pd_infer_solve(pir_infer *infer) {
  const pir_fact *x, *y = infer->operands[PD_SOLVE_IN_Y];
  if (!y || !y->known || y->rank != 1)
    return solution(infer, PD_SOLVE_IN_X, PD_SOLVE_IN_Y);
  PIR_TRY(square(infer, PD_SOLVE_IN_X, &x));
  if (x)
    PIR_TRY(equal_extents(infer, PD_SOLVE_IN_Y, "rows", rows_of(x), y->shape[0]));
  (void)begin_stack(infer, 0, x, 2, 1, y->shape[0], 0);
  return PIR_OK;
}

pir_status pd_infer_triangular_solve(pir_infer *infer) {
  return solution(infer, PD_TRIANGULAR_SOLVE_IN_X, PD_TRIANGULAR_SOLVE_IN_Y);
}

pir_status pd_infer_cholesky_solve(pir_infer *infer) {
  return solution(infer, PD_CHOLESKY_SOLVE_IN_Y, PD_CHOLESKY_SOLVE_IN_X);
}

pir_status pd_infer_lu_solve(pir_infer *infer) {
  return solution(infer, PD_LU_SOLVE_IN_LU, PD_LU_SOLVE_IN_B);
}

// Residuals exist only for more equations than unknowns and for drivers that compute them; rank
// and singular values only for drivers that find them.
pir_status pd_infer_lstsq(pir_infer *infer) {
  const pir_fact *x, *y;
  pir_str driver = infer->attrs[PD_LSTSQ_ATTR_DRIVER].text;
  bool full = pir_str_equal(driver, PIR_STR("gels")),
       pivoted = pir_str_equal(driver, PIR_STR("gelsy"));
  int64_t m, n;
  PIR_TRY(matrices(infer, PD_LSTSQ_IN_X, &x));
  PIR_TRY(matrices(infer, PD_LSTSQ_IN_Y, &y));
  pir_fact *out = infer_begin(infer, PD_LSTSQ_OUT_SOLUTION),
           *left = infer_begin(infer, PD_LSTSQ_OUT_RESIDUALS);
  pir_fact *rank = infer_begin(infer, PD_LSTSQ_OUT_RANK),
           *values = infer_begin(infer, PD_LSTSQ_OUT_SINGULAR_VALUES);
  rank->dtype = PIR_I32;
  left->dtype = values->dtype = real_type(out->dtype);
  if (!x || !y)
    return PIR_OK;
  PIR_TRY(equal_extents(infer, PD_LSTSQ_IN_Y, "rows", rows_of(x), rows_of(y)));
  out->rank = 0;
  broadcast_batch(infer, x, out);
  broadcast_batch(infer, y, out);
  pir_fact *all[] = {left, rank, values};
  for (int i = 0; i < 3; i++) {
    memcpy(all[i]->shape, out->shape, sizeof out->shape);
    all[i]->rank = out->rank;
  }
  out->shape[out->rank++] = columns_of(x);
  out->shape[out->rank++] = columns_of(y);
  bool known = pir_dim_is_const(infer->dims, rows_of(x), &m) &&
               pir_dim_is_const(infer->dims, columns_of(x), &n);
  if (!known && !pivoted) {
    pir_dim more =
        pir_dim_max(infer->dims, 0, pir_dim_sub(infer->dims, rows_of(x), columns_of(x)));
    left->shape[left->rank++] =
        pir_dim_mul(infer->dims, columns_of(y), pir_dim_min(infer->dims, 1, more));
  } else if (known && m > n && !pivoted) {
    left->shape[left->rank++] = columns_of(y);
  } else {
    left->rank = 1;
    left->shape[0] = 0;
  }
  if (full) {
    rank->rank = 1;
    rank->shape[0] = 0;
  }
  if (full || pivoted) {
    values->rank = 1;
    values->shape[0] = 0;
  } else
    values->shape[values->rank++] = smaller(infer, x);
  return PIR_OK;
}

// One integer for each matrix; bounds given as tensors are broadcast with the matrices.
pir_status pd_infer_matrix_rank(pir_infer *infer) {
  const pir_fact *x;
  bool hermitian = infer->attrs[pir_opdef_attr(infer->def, PIR_STR("hermitian"))].i;
  PIR_TRY(hermitian ? square(infer, 0, &x) : matrices(infer, 0, &x));
  pir_fact *out = begin_stack(infer, 0, x, 2, 0, 0, 0);
  out->dtype = PIR_I64;
  for (int k = 1; x && k < infer->def->operand_count; k++) {
    const pir_fact *bound = infer->operands[k];
    if (!bound)
      continue;
    if (!bound->known || bound->rank < 0) {
      out->rank = -1;
      return PIR_OK;
    }
    pir_fact wide = *bound;
    wide.rank += 2;
    broadcast_batch(infer, &wide, out);
  }
  return PIR_OK;
}
