// Inverses and determinants of square matrices, in double, by elimination with partial pivoting. Cost: n^3 a matrix;
// matrices of a batch one after the other.
#include <math.h>

#include "kernels/kernels.h"

static void swap_rows(double *a, int64_t columns, int64_t i, int64_t j) {
  for (int64_t k = 0; k < columns; k++) {
    double held = a[i * columns + k];
    a[i * columns + k] = a[j * columns + k];
    a[j * columns + k] = held;
  }
}

// Eliminates the n x n matrix `a`, in all other rows when there is an `inverse` to build; gives its determinant.
static double eliminate(double *a, double *inverse, int64_t n) {
  double det = 1;
  for (int64_t i = 0; i < n; i++) {
    int64_t best = i;
    for (int64_t r = i + 1; r < n; r++)
      if (fabs(a[r * n + i]) > fabs(a[best * n + i])) best = r;
    if (best != i) {
      swap_rows(a, n, i, best);
      if (inverse) swap_rows(inverse, n, i, best);
      det = -det;
    }
    double pivot = a[i * n + i];
    det *= pivot;
    if (pivot == 0 && !inverse) return 0;
    for (int64_t r = inverse ? 0 : i + 1; r < n; r++) {
      double factor = a[r * n + i] / pivot;
      if (r == i || factor == 0) continue;
      for (int64_t k = 0; k < n; k++) {
        a[r * n + k] -= factor * a[i * n + k];
        if (inverse) inverse[r * n + k] -= factor * inverse[i * n + k];
      }
    }
    for (int64_t k = 0; inverse && k < n; k++) {
      a[i * n + k] /= pivot;
      inverse[i * n + k] /= pivot;
    }
  }
  return det;
}

// A dense copy of a batch of square matrices; how many, and their size.
static pir_status load(const pir_kernel_call *call, pir_tensor *to, int64_t *count, int64_t *n) {
  const pir_tensor *x = pir_kernel_in(call, 0);
  *to = (pir_tensor){0};
  if (!x || x->rank < 2 || x->shape[x->rank - 1] != x->shape[x->rank - 2])
    return pir_kernel_fail(call, PIR_INVALID, "%s: x: expects square matrices", call->op);
  if (pir_dtype_is_complex(x->dtype))
    return pir_kernel_fail(call, PIR_UNSUPPORTED, "unsupported: %s of complex numbers", call->op);
  PIR_TRY(pir_kernel_dense(call, x, PIR_F64, x->shape, x->rank, to));
  *n = x->shape[x->rank - 1];
  *count = *n ? pir_tensor_numel(x) / (*n * *n) : 0;
  return PIR_OK;
}

pir_status pir_kernel_inverse(const pir_kernel_call *call) {
  pir_tensor a, inverse = {0}, zero = {.data = &(double){0}, .dtype = PIR_F64};
  int64_t count, n;
  PIR_TRY(load(call, &a, &count, &n));
  pir_status status = pir_kernel_dense(call, &zero, PIR_F64, a.shape, a.rank, &inverse);
  for (int64_t m = 0; !status && m < count; m++) {
    double *to = (double *)inverse.data + m * n * n;
    for (int64_t i = 0; i < n; i++) to[i * n + i] = 1;
    (void)eliminate((double *)a.data + m * n * n, to, n);
  }
  if (!status) status = pir_tensor_copy(&inverse, pir_kernel_out(call, 0));
  pir_kernel_drop(call, &a);
  pir_kernel_drop(call, &inverse);
  return status;
}

pir_status pir_kernel_det(const pir_kernel_call *call) {
  pir_tensor *out = pir_kernel_out(call, 0), a, dets = {0}, one = {.data = &(double){1}, .dtype = PIR_F64};
  int64_t count, n;
  PIR_TRY(load(call, &a, &count, &n));
  if (n && pir_tensor_numel(out) != count) {
    pir_kernel_drop(call, &a);
    return pir_kernel_fail(call, PIR_INVALID, "%s: out: expects %lld numbers", call->op, (long long)count);
  }
  pir_status status = pir_kernel_dense(call, &one, PIR_F64, out->shape, out->rank, &dets);
  for (int64_t m = 0; !status && m < count; m++)
    ((double *)dets.data)[m] = eliminate((double *)a.data + m * n * n, NULL, n);
  if (!status) status = pir_tensor_copy(&dets, out);
  pir_kernel_drop(call, &a);
  pir_kernel_drop(call, &dets);
  return status;
}
