// Matrices taken apart, in double.
#include <math.h>

#include "kernels/kernels.h"

// y = normalised A x, or A^T x, of the rows x columns matrix A.
static void step(const double *a, int64_t rows, int64_t columns, bool transposed, const double *x, double *y,
                 double epsilon) {
  int64_t n = transposed ? columns : rows, m = transposed ? rows : columns;
  double norm = 0;
  for (int64_t i = 0; i < n; i++) {
    double sum = 0;
    for (int64_t j = 0; j < m; j++) sum += a[transposed ? j * columns + i : i * columns + j] * x[j];
    y[i] = sum;
    norm += sum * sum;
  }
  norm = sqrt(norm) + epsilon;
  for (int64_t i = 0; i < n; i++) y[i] /= norm;
}

// attributes: dim, power_iters, eps. The largest singular value by power iteration from u and v.
pir_status pir_kernel_spectral_norm(const pir_kernel_call *call) {
  const pir_tensor *weight = pir_kernel_in(call, 0), *in_u = pir_kernel_in(call, 1), *in_v = pir_kernel_in(call, 2);
  pir_tensor *out = pir_kernel_out(call, 0), w, u = {0}, v = {0}, front;
  int64_t dim = call->attrs[0].i;
  if (!weight || !in_u || !in_v || dim < 0 || dim >= weight->rank)
    return pir_kernel_fail(call, PIR_INVALID, "%s: no axis %lld", call->op, (long long)dim);
  front = *weight;
  for (int d = (int)dim; d > 0; d--) front.shape[d] = weight->shape[d - 1], front.strides[d] = weight->strides[d - 1];
  front.shape[0] = weight->shape[dim];
  front.strides[0] = weight->strides[dim];
  int64_t rows = front.shape[0], columns = rows ? pir_tensor_numel(weight) / rows : 0;
  if (pir_tensor_numel(in_u) != rows || pir_tensor_numel(in_v) != columns)
    return pir_kernel_fail(call, PIR_INVALID, "%s: u and v do not fit a %lld x %lld matrix", call->op, (long long)rows,
                           (long long)columns);
  PIR_TRY(pir_kernel_dense(call, &front, PIR_F64, front.shape, front.rank, &w));
  pir_status status = pir_kernel_dense(call, in_u, PIR_F64, in_u->shape, in_u->rank, &u);
  if (!status) status = pir_kernel_dense(call, in_v, PIR_F64, in_v->shape, in_v->rank, &v);
  if (!status) {
    double *a = w.data, *x = u.data, *y = v.data, sigma = 0;
    for (int64_t i = 0; i < call->attrs[1].i; i++) {
      step(a, rows, columns, true, x, y, call->attrs[2].f);
      step(a, rows, columns, false, y, x, call->attrs[2].f);
    }
    for (int64_t i = 0; i < rows; i++)
      for (int64_t j = 0; j < columns; j++) sigma += x[i] * a[i * columns + j] * y[j];
    for (int64_t i = 0; i < rows * columns; i++) a[i] /= sigma;
    pir_tensor result = w;  // the axis goes back to its place
    for (int d = 0; d < (int)dim; d++) result.shape[d] = w.shape[d + 1], result.strides[d] = w.strides[d + 1];
    result.shape[dim] = w.shape[0];
    result.strides[dim] = w.strides[0];
    status = pir_tensor_copy(&result, out);
  }
  pir_kernel_drop(call, &v);
  pir_kernel_drop(call, &u);
  pir_kernel_drop(call, &w);
  return status;
}
