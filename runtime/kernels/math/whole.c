// Kernels over a whole tensor: equality, which also compares shapes, and clipping by a norm,
// which scales every element.
#include <math.h>

#include "kernels.h"

// As in `equal`, numbers closer than 1e-15 are equal.
static bool is_close(double a, double b) {
  return a == b || fabs(a - b) < 1e-15;
}

pir_status pir_kernel_equal_all(const pir_kernel_call *call) {
  const pir_tensor *x = pir_kernel_in(call, 0);
  const pir_tensor *y = pir_kernel_in(call, 1);
  pir_tensor *out = pir_kernel_out(call, 0), a, b;
  if (!x || !y)
    return pir_kernel_fail(call, PIR_INVALID, "%s: an operand is absent", call->op);
  bool same = x->rank == y->rank;
  for (int d = 0; same && d < x->rank; d++)
    same = x->shape[d] == y->shape[d];
  if (same) {
    pir_dtype wide = pir_dtype_is_float(x->dtype) ? PIR_F64 : PIR_I64;
    PIR_TRY(pir_kernel_dense(call, x, wide, x->shape, x->rank, &a));
    pir_status status = pir_kernel_dense(call, y, wide, x->shape, x->rank, &b);
    int64_t n = pir_tensor_numel(x);
    for (int64_t i = 0; !status && same && i < n; i++) {
      if (wide == PIR_F64)
        same = is_close(((double *)a.data)[i], ((double *)b.data)[i]);
      else
        same = ((int64_t *)a.data)[i] == ((int64_t *)b.data)[i];
    }
    pir_kernel_drop(call, &b);
    pir_kernel_drop(call, &a);
    if (status)
      return status;
  }
  pir_tensor one = {.data = &same, .dtype = PIR_BOOL};
  pir_tensor_set_dense(&one, PIR_BOOL, out->shape, out->rank);
  return pir_tensor_copy(&one, out);
}

pir_status pir_kernel_clip_by_norm(const pir_kernel_call *call) {
  pir_tensor *out = pir_kernel_out(call, 0), x;
  PIR_TRY(pir_kernel_dense(call, pir_kernel_in(call, 0), PIR_F32, out->shape, out->rank, &x));
  float *a = x.data;
  double squares = 0, limit = pir_kernel_float(call, 0);
  int64_t n = pir_tensor_numel(out);
  for (int64_t i = 0; i < n; i++)
    squares += (double)a[i] * a[i];
  float scale = sqrt(squares) > limit ? (float)(limit / sqrt(squares)) : 1;
  for (int64_t i = 0; i < n; i++)
    a[i] *= scale;
  pir_status status = pir_tensor_copy(&x, out);
  pir_kernel_drop(call, &x);
  return status;
}
