// Spectral norm of a weight and its gradient, in double: a power iteration from vectors u and
// v.
#include <math.h>

#include "kernels.h"

// y = A x, or A^T x, normalised; A is rows x columns.
static void power_step(const double *a, int64_t rows, int64_t columns, bool transposed,
                       const double *x, double *y, double epsilon) {
  int64_t n = transposed ? columns : rows, m = transposed ? rows : columns;
  double norm = 0;
  for (int64_t i = 0; i < n; i++) {
    double sum = 0;
    for (int64_t j = 0; j < m; j++)
      sum += a[transposed ? j * columns + i : i * columns + j] * x[j];
    y[i] = sum;
    norm += sum * sum;
  }
  norm = sqrt(norm) + epsilon;
  for (int64_t i = 0; i < n; i++)
    y[i] /= norm;
}

typedef struct factor {
  pir_tensor front;         // a view of the weight with its axis in front
  pir_tensor weight, u, v;  // dense doubles
  int64_t rows, columns;
  double sigma;
} factor;

static pir_tensor view_axis_in_front(const pir_tensor *t, int axis) {
  pir_tensor front = *t;
  for (int d = axis; d > 0; d--) {
    front.shape[d] = t->shape[d - 1];
    front.strides[d] = t->strides[d - 1];
  }
  front.shape[0] = t->shape[axis];
  front.strides[0] = t->strides[axis];
  return front;
}

static void drop_spectral_factor(const pir_kernel_call *call, factor *f) {
  pir_kernel_drop(call, &f->v);
  pir_kernel_drop(call, &f->u);
  pir_kernel_drop(call, &f->weight);
}

// attributes: dim, power_iters, eps. Finds the largest singular value by power iteration.
static pir_status find_spectral_factor(const pir_kernel_call *call, factor *f) {
  const pir_tensor *weight = pir_kernel_in(call, 0);
  const pir_tensor *in_u = pir_kernel_in(call, 1);
  const pir_tensor *in_v = pir_kernel_in(call, 2);
  int64_t dim = pir_kernel_int(call, 0);
  *f = (factor){0};
  if (!weight || !in_u || !in_v || dim < 0 || dim >= weight->rank)
    return pir_kernel_fail(call, PIR_INVALID, "%s: no axis %lld", call->op, (long long)dim);
  f->front = view_axis_in_front(weight, (int)dim);
  f->rows = f->front.shape[0];
  f->columns = f->rows ? pir_tensor_numel(weight) / f->rows : 0;
  if (pir_tensor_numel(in_u) != f->rows || pir_tensor_numel(in_v) != f->columns)
    return pir_kernel_fail(call, PIR_INVALID, "%s: u and v do not fit a %lld x %lld matrix",
                           call->op, (long long)f->rows, (long long)f->columns);
  pir_status status =
      pir_kernel_dense(call, &f->front, PIR_F64, f->front.shape, f->front.rank, &f->weight);
  if (!status)
    status = pir_kernel_dense(call, in_u, PIR_F64, in_u->shape, in_u->rank, &f->u);
  if (!status)
    status = pir_kernel_dense(call, in_v, PIR_F64, in_v->shape, in_v->rank, &f->v);
  if (status) {
    drop_spectral_factor(call, f);
    return status;
  }
  double *a = f->weight.data;
  double *x = f->u.data;
  double *y = f->v.data;
  int64_t steps = pir_kernel_int(call, 1);
  double epsilon = pir_kernel_float(call, 2);
  for (int64_t i = 0; i < steps && !pir_kernel_cancelled(call); i++) {
    power_step(a, f->rows, f->columns, true, x, y, epsilon);
    power_step(a, f->rows, f->columns, false, y, x, epsilon);
  }
  for (int64_t i = 0; i < f->rows; i++)
    for (int64_t j = 0; j < f->columns; j++)
      f->sigma += x[i] * a[i * f->columns + j] * y[j];
  if (!pir_kernel_cancelled(call))
    return PIR_OK;
  drop_spectral_factor(call, f);
  return PIR_CANCELLED;
}

// Copies a tensor whose axis is in front to `out`, where the axis is in its place.
static pir_status write_axis_back(const pir_tensor *from, int axis, pir_tensor *out) {
  pir_tensor result = *from;
  for (int d = 0; d < axis; d++) {
    result.shape[d] = from->shape[d + 1];
    result.strides[d] = from->strides[d + 1];
  }
  result.shape[axis] = from->shape[0];
  result.strides[axis] = from->strides[0];
  return pir_tensor_copy(&result, out);
}

pir_status pir_kernel_spectral_norm(const pir_kernel_call *call) {
  factor f;
  PIR_TRY(find_spectral_factor(call, &f));
  double *a = f.weight.data;
  for (int64_t i = 0; i < f.rows * f.columns; i++)
    a[i] /= f.sigma;
  pir_status status =
      write_axis_back(&f.weight, (int)pir_kernel_int(call, 0), pir_kernel_out(call, 0));
  drop_spectral_factor(call, &f);
  return status;
}

// Paddle's formula: out_grad * (1 - u v^T * sum(weight / sigma)) / sigma.
pir_status pir_kernel_spectral_norm_grad(const pir_kernel_call *call) {
  factor f;
  pir_tensor grad, front;
  const pir_tensor *out_grad = pir_kernel_in(call, 3);
  const pir_tensor *weight = pir_kernel_in(call, 0);
  if (!out_grad || !weight || out_grad->rank != weight->rank)
    return pir_kernel_fail(call, PIR_INVALID, "%s: out_grad has not the shape of weight",
                           call->op);
  PIR_TRY(find_spectral_factor(call, &f));
  front = view_axis_in_front(out_grad, (int)pir_kernel_int(call, 0));
  pir_status status =
      pir_kernel_dense(call, &front, PIR_F64, f.front.shape, f.front.rank, &grad);
  if (!status) {
    const double *a = f.weight.data;
    const double *u = f.u.data;
    const double *v = f.v.data;
    double *g = grad.data, sum = 0;
    for (int64_t i = 0; i < f.rows * f.columns; i++)
      sum += a[i] / f.sigma;
    for (int64_t i = 0; i < f.rows; i++)
      for (int64_t j = 0; j < f.columns; j++)
        g[i * f.columns + j] *= (1 - u[i] * v[j] * sum) / f.sigma;
    status = write_axis_back(&grad, (int)pir_kernel_int(call, 0), pir_kernel_out(call, 0));
    pir_kernel_drop(call, &grad);
  }
  drop_spectral_factor(call, &f);
  return status;
}
