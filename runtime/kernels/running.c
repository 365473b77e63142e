// The logarithm of running sums of exponentials: kept as the largest exponent so far and the sum relative to it, in
// double, so that nothing overflows. One pass.
#include <float.h>
#include <math.h>

#include "kernels/kernels.h"

typedef struct running_sum {
  double top, sum;
} running_sum;

static void add(running_sum *r, double x) {
  if (x <= r->top) {
    r->sum += x == r->top ? 1 : exp(x - r->top);
  } else {
    r->sum = r->sum * exp(r->top - x) + 1;
    r->top = x;
  }
}

// attributes: axis, flatten, exclusive, reverse
pir_status pir_kernel_logcumsumexp(const pir_kernel_call *call) {
  const pir_tensor *in = pir_kernel_in(call, 0);
  pir_tensor *out = pir_kernel_out(call, 0), x, flat;
  bool flatten = call->attrs[1].i != 0, exclusive = call->attrs[2].i != 0, reverse = call->attrs[3].i != 0;
  if (!in) return pir_kernel_fail(call, PIR_INVALID, "%s: an operand is absent", call->op);
  int64_t axis = call->attrs[0].i < 0 ? call->attrs[0].i + in->rank : call->attrs[0].i, inner = 1;
  if (!flatten && in->rank && (axis < 0 || axis >= in->rank))
    return pir_kernel_fail(call, PIR_INVALID, "%s: axis %lld of a tensor of rank %d", call->op, (long long)axis,
                           in->rank);
  PIR_TRY(pir_kernel_dense(call, in, PIR_F64, in->shape, in->rank, &x));
  int64_t n = pir_tensor_numel(&x), length = flatten || !in->rank ? n : in->shape[axis];
  for (int d = (int)axis + 1; d < in->rank && !flatten; d++) inner *= in->shape[d];
  for (int64_t line = 0; length > 0 && line < n / length; line++) {
    double *first = (double *)x.data + line / inner * length * inner + line % inner;
    running_sum r = {-INFINITY, 0};
    for (int64_t i = 0; i < length; i++) {
      double *at = first + (reverse ? length - 1 - i : i) * inner, value = *at;
      double before = i ? r.top + log(r.sum) : in->dtype == PIR_F64 ? -DBL_MAX : -FLT_MAX;
      add(&r, value);
      *at = exclusive ? before : r.top + log(r.sum);
    }
  }
  flat = x;
  pir_tensor_set_dense(&flat, PIR_F64, out->shape, out->rank);
  pir_status status = pir_tensor_copy(&flat, out);
  pir_kernel_drop(call, &x);
  return status;
}
