// unique: the distinct elements, or the distinct slices along an axis, in ascending order, with the first position, the
// number and the place of each. Slices are gathered to rows and their numbers merge-sorted; equal rows stay in order.
// Cost: n log n comparisons of rows.
#include <string.h>

#include "convert.h"
#include "kernels/kernels.h"

typedef struct rows {
  const char *data;  // dense; 64-bit integers or floats
  int64_t count, width;
  bool floats;
} rows;

static int compare(const rows *r, int64_t a, int64_t b) {
  const double *f = (const double *)r->data;
  const int64_t *n = (const int64_t *)r->data;
  for (int64_t i = 0; i < r->width; i++) {
    int64_t p = a * r->width + i, q = b * r->width + i;
    int order = r->floats ? (f[p] > f[q]) - (f[p] < f[q]) : (n[p] > n[q]) - (n[p] < n[q]);
    if (order) return order;
  }
  return 0;
}

// Sorts the numbers in `order` with as much room behind them; returns where they are.
static int64_t *sort(const rows *r, int64_t *order) {
  int64_t *from = order, *to = order + r->count;
  for (int64_t width = 1; width < r->count; width *= 2) {
    for (int64_t lo = 0; lo < r->count; lo += 2 * width) {
      int64_t mid = lo + width < r->count ? lo + width : r->count,
              hi = lo + 2 * width < r->count ? lo + 2 * width : r->count;
      for (int64_t k = lo, a = lo, b = mid; k < hi; k++)
        to[k] = a < mid && (b == hi || compare(r, from[a], from[b]) <= 0) ? from[a++] : from[b++];
    }
    int64_t *swap = from;
    from = to;
    to = swap;
  }
  return from;
}

// x with the axis in front, dense, in the widest type of its kind.
static pir_status gather_rows(const pir_kernel_call *call, const pir_tensor *x, int axis, pir_dtype wide,
                              pir_tensor *out) {
  pir_tensor view = *x;
  for (int d = axis; d > 0; d--) {
    view.shape[d] = x->shape[d - 1];
    view.strides[d] = x->strides[d - 1];
  }
  if (axis > 0) view.shape[0] = x->shape[axis], view.strides[0] = x->strides[axis];
  return pir_kernel_dense(call, &view, wide, view.shape, view.rank, out);
}

static pir_status put_list(const pir_kernel_call *call, int k, const int64_t *values, int64_t n) {
  pir_tensor *out = pir_kernel_out(call, k), list = {.data = (void *)(uintptr_t)values};
  if (!out) return PIR_OK;
  pir_dtype dtype = call->attrs[4].i == PIR_I32 ? PIR_I32 : PIR_I64;
  PIR_TRY(pir_kernel_shape_result(call, out, dtype, &n, 1));
  pir_tensor_set_dense(&list, PIR_I64, &n, 1);
  return pir_tensor_copy(&list, out);
}

static pir_status put_slices(const pir_kernel_call *call, const pir_tensor *x, int axis, const int64_t *firsts,
                             int64_t n) {
  pir_tensor *out = pir_kernel_out(call, 0), from = *x, to;
  int64_t shape[PIR_MAX_RANK], size = (int64_t)pir_dtype_size(x->dtype);
  memcpy(shape, x->shape, sizeof shape);
  if (axis < 0) {
    PIR_TRY(pir_kernel_shape_result(call, out, x->dtype, &n, 1));
    for (int64_t i = 0; i < n; i++) {
      int64_t offset = 0, rest = firsts[i];
      for (int d = x->rank - 1; d >= 0; d--) offset += rest % x->shape[d] * x->strides[d], rest /= x->shape[d];
      memcpy((char *)out->data + i * size, (const char *)x->data + offset * size, (size_t)size);
    }
    return PIR_OK;
  }
  shape[axis] = n;
  PIR_TRY(pir_kernel_shape_result(call, out, x->dtype, shape, x->rank));
  to = *out;
  from.shape[axis] = to.shape[axis] = 1;
  for (int64_t i = 0; i < n; i++) {
    from.data = (char *)x->data + firsts[i] * x->strides[axis] * size;
    to.data = (char *)out->data + i * out->strides[axis] * size;
    PIR_TRY(pir_tensor_copy(&from, &to));
  }
  return PIR_OK;
}

// attributes: return_index, return_inverse, return_counts, axis, dtype, is_sorted. results: out, indices, inverse,
// counts
pir_status pir_kernel_unique(const pir_kernel_call *call) {
  const pir_tensor *x = pir_kernel_in(call, 0);
  const pir_attr_value *axes = &call->attrs[3];
  pir_tensor dense;
  if (!x || !pir_kernel_out(call, 0)) return pir_kernel_fail(call, PIR_INVALID, "%s: an operand is absent", call->op);
  int64_t axis = axes->kind == PIR_VALUE_INTS && axes->count ? axes->ints[0] : -1;
  if (axes->kind == PIR_VALUE_INTS && axes->count && axis < 0) axis += x->rank;
  if (axis >= x->rank || axis < -1)
    return pir_kernel_fail(call, PIR_INVALID, "%s: axis of a tensor of rank %d", call->op, x->rank);
  rows r = {.floats = pir_dtype_is_float(x->dtype)};
  PIR_TRY(gather_rows(call, x, axis < 0 ? 0 : (int)axis, r.floats ? PIR_F64 : PIR_I64, &dense));
  r.data = dense.data;
  r.count = axis < 0 ? pir_tensor_numel(x) : x->shape[axis];
  r.width = axis < 0 || !r.count ? 1 : pir_tensor_numel(x) / r.count;
  size_t size = (size_t)(r.count + 1) * 5 * sizeof(int64_t);
  int64_t *order = pir_kernel_alloc(call, size), distinct = 0;
  pir_status status = order ? PIR_OK : pir_kernel_fail(call, PIR_EXHAUSTED, "%s: out of memory", call->op);
  if (!status) {
    int64_t *inverse = order + 2 * r.count, *firsts = inverse + r.count, *counts = firsts + r.count;
    for (int64_t i = 0; i < r.count; i++) order[i] = i;
    const int64_t *sorted = sort(&r, order);
    for (int64_t i = 0; i < r.count; i++) {
      if (i == 0 || compare(&r, sorted[i - 1], sorted[i])) firsts[distinct] = sorted[i], counts[distinct++] = 0;
      counts[distinct - 1]++;
      inverse[sorted[i]] = distinct - 1;
    }
    status = put_slices(call, x, (int)axis, firsts, distinct);
    if (!status) status = put_list(call, 1, firsts, distinct);
    if (!status) status = put_list(call, 2, inverse, r.count);
    if (!status) status = put_list(call, 3, counts, distinct);
  }
  pir_kernel_free(call, order, size);
  pir_kernel_drop(call, &dense);
  return status;
}
