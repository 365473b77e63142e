// Running sums of exponentials (logcumsumexp) and gradients of running products (cumprod), in
// double.
//
// A sum is kept as the largest exponent so far and the sum relative to it, so that nothing
// overflows; one pass. The gradient of a running product is P[i] * S[i], where P[i] is the
// product of the elements before i, and S[i] = g[i] + x[i+1] * S[i+1] collects the gradients of
// the results from i on. This needs no division, so zeros do no harm; two passes.
#include <complex.h>
#include <float.h>
#include <math.h>

#include "kernels.h"

typedef struct running_sum {
  double top, sum;
} running_sum;

static void add_exponential(running_sum *r, double x) {
  if (x <= r->top) {
    r->sum += x == r->top ? 1 : exp(x - r->top);
  } else {
    r->sum = r->sum * exp(r->top - x) + 1;
    r->top = x;
  }
}

// Finds the axis that attribute 0 names. A tensor of rank 0 has axis 0, of one element.
static pir_status find_axis(const pir_kernel_call *call, const pir_tensor *x,
                            int64_t *out_axis) {
  *out_axis = 0;
  if (!x->rank)
    return PIR_OK;
  *out_axis =
      pir_kernel_int(call, 0) < 0 ? pir_kernel_int(call, 0) + x->rank : pir_kernel_int(call, 0);
  if (*out_axis >= 0 && *out_axis < x->rank)
    return PIR_OK;
  return pir_kernel_fail(call, PIR_INVALID, "%s: axis %lld of a tensor of rank %d", call->op,
                         (long long)pir_kernel_int(call, 0), x->rank);
}

// attributes: axis, flatten, exclusive, reverse
pir_status pir_kernel_logcumsumexp(const pir_kernel_call *call) {
  const pir_tensor *in = pir_kernel_in(call, 0);
  pir_tensor *out = pir_kernel_out(call, 0), x, flat;
  bool flatten = pir_kernel_int(call, 1) != 0;
  bool exclusive = pir_kernel_int(call, 2) != 0;
  bool reverse = pir_kernel_int(call, 3) != 0;
  if (!in)
    return pir_kernel_fail(call, PIR_INVALID, "%s: an operand is absent", call->op);
  int64_t axis = 0, inner = 1;
  if (!flatten)
    PIR_TRY(find_axis(call, in, &axis));
  PIR_TRY(pir_kernel_dense(call, in, PIR_F64, in->shape, in->rank, &x));
  int64_t n = pir_tensor_numel(&x);
  int64_t length = flatten || !in->rank ? n : in->shape[axis];
  for (int d = (int)axis + 1; d < in->rank && !flatten; d++)
    inner *= in->shape[d];
  double lowest = in->dtype == PIR_F64 ? -DBL_MAX : -FLT_MAX;
  for (int64_t line = 0; length > 0 && line < n / length; line++) {
    double *first = (double *)x.data + line / inner * length * inner + line % inner;
    running_sum r = {-INFINITY, 0};
    for (int64_t i = 0; i < length; i++) {
      double *at = first + (reverse ? length - 1 - i : i) * inner;
      double value = *at;
      double before = i ? r.top + log(r.sum) : lowest;
      add_exponential(&r, value);
      *at = exclusive ? before : r.top + log(r.sum);
    }
  }
  flat = x;
  pir_tensor_set_dense(&flat, PIR_F64, out->shape, out->rank);
  pir_status status = pir_tensor_copy(&flat, out);
  pir_kernel_drop(call, &x);
  return status;
}

static void running_product_grad(const double complex *x, const double complex *g,
                                 double complex *out, int64_t n, int64_t step, bool exclusive) {
  double complex back = 0, before = 1;
  for (int64_t i = n - 1; i >= 0; i--) {
    bool last = i + 1 == n;
    double complex next = last ? 0 : conj(x[(i + 1) * step]) * back;
    int64_t from = exclusive ? i + 1 : i;
    back = (from < n ? g[from * step] : 0) + next;
    out[i * step] = back;
  }
  for (int64_t i = 0; i < n; i++) {
    out[i * step] *= before;
    before *= conj(x[i * step]);
  }
}

// operands: x, out, out_grad; attributes: dim, exclusive, reverse
pir_status pir_kernel_cumprod_grad(const pir_kernel_call *call) {
  const pir_tensor *in = pir_kernel_in(call, 0);
  const pir_tensor *grad = pir_kernel_in(call, 2);
  pir_tensor *out = pir_kernel_out(call, 0);
  pir_tensor x;
  pir_tensor g = {0};
  pir_tensor wide = {0};
  bool exclusive = pir_kernel_int(call, 1) != 0;
  bool reverse = pir_kernel_int(call, 2) != 0;
  if (!in || !grad || !out)
    return pir_kernel_fail(call, PIR_INVALID, "%s: an operand is absent", call->op);
  int64_t axis, inner = 1;
  PIR_TRY(find_axis(call, in, &axis));
  PIR_TRY(pir_kernel_dense(call, in, PIR_C128, in->shape, in->rank, &x));
  pir_status status = pir_kernel_dense(call, grad, PIR_C128, in->shape, in->rank, &g);
  if (!status)
    status = pir_kernel_dense(call, in, PIR_C128, in->shape, in->rank, &wide);
  int64_t n = status ? 0 : pir_tensor_numel(&x);
  int64_t length = in->rank ? in->shape[axis] : n;
  for (int d = (int)axis + 1; d < in->rank; d++)
    inner *= in->shape[d];
  for (int64_t line = 0; length > 0 && line < n / length; line++) {
    int64_t at = line / inner * length * inner + line % inner;
    if (reverse)
      at += (length - 1) * inner;
    const double complex *values = (double complex *)x.data + at;
    const double complex *grads = (double complex *)g.data + at;
    double complex *to = (double complex *)wide.data + at;
    int64_t step = reverse ? -inner : inner;
    running_product_grad(values, grads, to, length, step, exclusive);
  }
  if (!status)
    status = pir_tensor_copy(&wide, out);
  if (wide.data)
    pir_kernel_drop(call, &wide);
  if (g.data)
    pir_kernel_drop(call, &g);
  pir_kernel_drop(call, &x);
  return status;
}
