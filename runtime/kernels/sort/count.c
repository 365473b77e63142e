// Counts of numbers: bincount by value, histogram by bins of equal width. One pass over the
// elements.
#include <math.h>
#include <string.h>

#include "convert.h"
#include "kernels.h"

// Copies the elements of operand 0 as `dtype`, and the weights, one for each element, unless
// they are absent.
static pir_status read_counted_lists(const pir_kernel_call *call, pir_dtype dtype,
                                     pir_dtype weight_type, pir_tensor *x,
                                     pir_tensor *weights) {
  const pir_tensor *in = pir_kernel_in(call, 0);
  const pir_tensor *w = pir_kernel_in(call, 1);
  *weights = (pir_tensor){0};
  if (!in)
    return pir_kernel_fail(call, PIR_INVALID, "%s: an operand is absent", call->op);
  if (w && pir_tensor_numel(w) != pir_tensor_numel(in))
    return pir_kernel_fail(call, PIR_INVALID, "%s: there is not a weight an element", call->op);
  PIR_TRY(pir_kernel_dense(call, in, dtype, in->shape, in->rank, x));
  pir_status status = PIR_OK;
  if (w)
    status = pir_kernel_dense(call, w, weight_type, w->shape, w->rank, weights);
  if (status)
    pir_kernel_drop(call, x);
  return status;
}

static void count_values(const int64_t *x, int64_t n, const pir_tensor *weights,
                         pir_tensor *out) {
  const void *w = weights->data;
  for (int64_t i = 0; i < n; i++) {
    if (!w)
      ((int64_t *)out->data)[x[i]]++;
    else if (out->dtype == PIR_F64)
      ((double *)out->data)[x[i]] += ((const double *)w)[i];
    else
      ((float *)out->data)[x[i]] += ((const float *)w)[i];
  }
}

pir_status pir_kernel_bincount(const pir_kernel_call *call) {
  pir_tensor x, weights, *out = pir_kernel_out(call, 0);
  const pir_tensor *least = pir_kernel_in(call, 2);
  const pir_tensor *w = pir_kernel_in(call, 1);
  pir_dtype dtype = PIR_I64;
  if (w)
    dtype = w->dtype == PIR_F64 ? PIR_F64 : PIR_F32;
  PIR_TRY(read_counted_lists(call, PIR_I64, dtype, &x, &weights));
  int64_t n = pir_tensor_numel(&x);
  int64_t size = least && pir_tensor_numel(least) ? pir_tensor_int_at(least, 0) : 0;
  const int64_t *values = x.data;
  pir_status status = PIR_OK;
  if (size < 0)
    size = 0;
  for (int64_t i = 0; !status && i < n; i++) {
    if (values[i] < 0 || values[i] == INT64_MAX)
      status = pir_kernel_fail(call, PIR_INVALID, "%s: %lld cannot be counted", call->op,
                               (long long)values[i]);
    else if (values[i] >= size)
      size = values[i] + 1;
  }
  if (!status)
    status = pir_kernel_shape_result(call, out, dtype, &size, 1);
  if (!status) {
    memset(out->data, 0, (size_t)size * pir_dtype_size(dtype));
    count_values(values, n, &weights, out);
  }
  pir_kernel_drop(call, &x);
  pir_kernel_drop(call, &weights);
  return status;
}

// The bin of a value, or -1 outside of the range. The last bin includes the upper end.
static int64_t bin_of_value(double v, double low, double high, int64_t bins) {
  if (!(v >= low && v <= high))
    return -1;
  int64_t bin = (int64_t)((v - low) * (double)bins / (high - low));
  return bin < bins ? bin : bins - 1;
}

// The range of the bins: the attributes' or, when these are equal, the elements'.
static pir_status histogram_range(const pir_kernel_call *call, const pir_tensor *x, double *low,
                                  double *high) {
  const double *v = x->data;
  int64_t n = pir_tensor_numel(x);
  *low = pir_kernel_float(call, 1);
  *high = pir_kernel_float(call, 2);
  if (pir_dtype_is_integer(pir_kernel_in(call, 0)->dtype)) {
    *low = trunc(*low);
    *high = trunc(*high);
  }
  if (*low == *high && n) {
    *low = *high = v[0];
    for (int64_t i = 0; i < n; i++) {
      *low = fmin(*low, v[i]);
      *high = fmax(*high, v[i]);
    }
  }
  if (*low == *high) {
    *low -= 1;
    *high += 1;
  }
  if (!isfinite(*low) || !isfinite(*high) || *low > *high)
    return pir_kernel_fail(call, PIR_INVALID, "%s: the range is not finite", call->op);
  return PIR_OK;
}

// attributes: bins, min, max, density
pir_status pir_kernel_histogram(const pir_kernel_call *call) {
  pir_tensor x, weights, sums, *out = pir_kernel_out(call, 0);
  int64_t bins = pir_kernel_int(call, 0);
  double low = 0, high = 1, total = 0;
  if (bins < 1 || !out || pir_tensor_numel(out) != bins)
    return pir_kernel_fail(call, PIR_INVALID, "%s: %lld bins", call->op, (long long)bins);
  PIR_TRY(read_counted_lists(call, PIR_F64, PIR_F64, &x, &weights));
  pir_tensor_set_dense(&sums, PIR_F64, &bins, 1);
  sums.data = pir_kernel_alloc(call, (size_t)bins * sizeof(double));
  pir_status status;
  if (sums.data)
    status = histogram_range(call, &x, &low, &high);
  else
    status = pir_kernel_fail(call, PIR_EXHAUSTED, "%s: out of memory", call->op);
  if (!status) {
    double *sum = sums.data;
    const double *v = x.data, *w = weights.data;
    memset(sum, 0, (size_t)bins * sizeof(double));
    for (int64_t i = 0; i < pir_tensor_numel(&x); i++) {
      int64_t bin = bin_of_value(v[i], low, high, bins);
      if (bin >= 0) {
        double weight = w ? w[i] : 1;
        sum[bin] += weight;
        total += weight;
      }
    }
    for (int64_t i = 0; pir_kernel_int(call, 3) && i < bins; i++)
      sum[i] /= total * ((high - low) / (double)bins);
    status = pir_tensor_copy(&sums, out);
  }
  if (sums.data)
    pir_kernel_drop(call, &sums);
  pir_kernel_drop(call, &x);
  pir_kernel_drop(call, &weights);
  return status;
}
