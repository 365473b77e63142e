// Kernels that only move elements: gather_nd, views of other types, and tensors of constant
// numbers.
#include <string.h>

#include "convert.h"
#include "kernels.h"

// Finds the slice of x at a position in its leading axes, in elements from x's first one.
static pir_status find_slice(const pir_kernel_call *call, const pir_tensor *x,
                             const int64_t *position, int64_t depth, int64_t *out_offset) {
  *out_offset = 0;
  for (int64_t d = 0; d < depth; d++) {
    int64_t extent = x->shape[d], at = position[d] < 0 ? position[d] + extent : position[d];
    if (at < 0 || at >= extent)
      return pir_kernel_fail(call, PIR_INVALID, "%s: index %lld outside of axis %d with %lld",
                             call->op, (long long)at, (int)d, (long long)extent);
    *out_offset += at * x->strides[d];
  }
  return PIR_OK;
}

// Each row of `index` is a position in the leading axes of x; the slice of x at that position
// is copied.
pir_status pir_kernel_gather_nd(const pir_kernel_call *call) {
  const pir_tensor *x = pir_kernel_in(call, 0);
  const pir_tensor *index = pir_kernel_in(call, 1);
  pir_tensor *out = pir_kernel_out(call, 0), rows;
  if (!x || !index || index->rank < 1)
    return pir_kernel_fail(call, PIR_INVALID, "%s: an operand is absent", call->op);
  int64_t depth = index->shape[index->rank - 1];
  int64_t numel = pir_tensor_numel(index);
  int64_t count = 1;
  int lead = index->rank - 1;
  int rest = x->rank - (int)depth;
  if (depth > x->rank || out->rank != lead + rest)
    return pir_kernel_fail(call, PIR_INVALID, "%s: %lld indices into a tensor of rank %d",
                           call->op, (long long)depth, x->rank);
  for (int d = 0; d < lead; d++)
    count *= index->shape[d];
  if (pir_tensor_numel(out) == 0)
    return PIR_OK;
  PIR_TRY(pir_kernel_dense(call, index, PIR_I64, index->shape, index->rank, &rows));
  pir_tensor from = {.dtype = x->dtype, .rank = rest};
  pir_tensor to = {.dtype = out->dtype, .rank = rest};
  for (int d = 0; d < rest; d++) {
    from.shape[d] = x->shape[depth + d];
    from.strides[d] = x->strides[depth + d];
    to.shape[d] = out->shape[lead + d];
    to.strides[d] = out->strides[lead + d];
  }
  int64_t x_size = (int64_t)pir_dtype_size(x->dtype);
  int64_t out_size = (int64_t)pir_dtype_size(out->dtype);
  pir_status status = numel < 0 ? PIR_INVALID : PIR_OK;
  for (int64_t i = 0; !status && i < count; i++) {
    int64_t offset, place = 0, left = i;
    status = find_slice(call, x, (const int64_t *)rows.data + i * depth, depth, &offset);
    if (status)
      break;
    for (int d = lead - 1; d >= 0; d--) {
      place += left % out->shape[d] * out->strides[d];
      left /= out->shape[d];
    }
    from.data = (char *)x->data + offset * x_size;
    to.data = (char *)out->data + place * out_size;
    status = pir_tensor_copy(&from, &to);
  }
  pir_kernel_drop(call, &rows);
  return status;
}

// attributes: shape, dtype, values. Complex values are pairs of parts.
pir_status pir_kernel_assign_value(const pir_kernel_call *call) {
  pir_tensor *out = pir_kernel_out(call, 0), values;
  int64_t n = pir_tensor_numel(out);
  if (n == 0)
    return PIR_OK;
  size_t count = pir_kernel_numbers(call, 2, &values);
  if (pir_dtype_is_complex(out->dtype) && (int64_t)count == 2 * n && values.dtype == PIR_F64) {
    values.dtype = PIR_C128;
    count /= 2;
  }
  if ((int64_t)count != n)
    return pir_kernel_fail(call, PIR_INVALID, "%s: %zu values for %lld elements", call->op,
                           count, (long long)n);
  pir_tensor_set_dense(&values, values.dtype, out->shape, out->rank);
  return pir_tensor_copy(&values, out);
}

// The bytes of the last operand, in row-major order, as another element type. The gradient has
// the operand whose type it takes in front.
pir_status pir_kernel_view_dtype(const pir_kernel_call *call) {
  const pir_tensor *x = pir_kernel_in(call, call->operand_count - 1);
  pir_tensor *out = pir_kernel_out(call, 0), dense, bytes = *out;
  if (!x)
    return pir_kernel_fail(call, PIR_INVALID, "%s: an operand is absent", call->op);
  size_t size = (size_t)pir_tensor_numel(x) * pir_dtype_size(x->dtype);
  if (size != (size_t)pir_tensor_numel(out) * pir_dtype_size(out->dtype))
    return pir_kernel_fail(call, PIR_INVALID, "%s: %zu bytes do not fit %s", call->op, size,
                           pir_dtype_name(out->dtype));
  PIR_TRY(pir_kernel_dense(call, x, x->dtype, x->shape, x->rank, &dense));
  pir_tensor_set_dense(&bytes, out->dtype, out->shape, out->rank);
  bytes.data = dense.data;
  pir_status status = pir_tensor_copy(&bytes, out);
  pir_kernel_drop(call, &dense);
  return status;
}
