// Tensors: element counts and sizes with checked arithmetic, and access to single elements.
#include <string.h>

#include "convert.h"
#include <pir/layer/kernel.h>

int64_t pir_tensor_numel(const pir_tensor *tensor) {
  int64_t n = 1;
  bool overflow = false;
  for (int32_t i = 0; i < tensor->rank; i++) {
    if (tensor->shape[i] < 0)
      return -1;
    if (tensor->shape[i] == 0)
      return 0;
    overflow |= __builtin_mul_overflow(n, tensor->shape[i], &n);
  }
  return overflow ? -1 : n;
}

pir_status pir_shape_bytes(const int64_t *shape, int32_t rank, pir_dtype dtype,
                           size_t *out_bytes) {
  if ((rank && !shape) || !out_bytes)
    return PIR_INVALID;
  int64_t bytes = (int64_t)pir_dtype_size(dtype);
  *out_bytes = 0;
  if (rank < 0 || rank > PIR_MAX_RANK)
    return PIR_INVALID;
  bool overflow = false, zero = false;
  for (int32_t i = 0; i < rank; i++) {
    if (shape[i] < 0)
      return PIR_INVALID;
    if (shape[i] == 0)
      zero = true;
    else
      overflow |= __builtin_mul_overflow(bytes, shape[i], &bytes);
  }
  if (overflow || (uint64_t)bytes > SIZE_MAX)
    return PIR_EXHAUSTED;
  *out_bytes = zero ? 0 : (size_t)bytes;
  return PIR_OK;
}

void pir_tensor_set_dense(pir_tensor *tensor, pir_dtype dtype, const int64_t *shape,
                          int32_t rank) {
  tensor->dtype = dtype;
  tensor->rank = rank;
  int64_t stride = 1;
  for (int32_t i = rank - 1; i >= 0; i--) {
    tensor->shape[i] = shape[i];
    tensor->strides[i] = stride;
    // A stride may wrap: pir_shape_bytes refuses the shape before memory is allocated.
    uint64_t extent = shape[i] > 0 ? (uint64_t)shape[i] : 1;
    stride = (int64_t)((uint64_t)stride * extent);
  }
}

bool pir_tensor_is_dense(const pir_tensor *tensor) {
  int64_t stride = 1;
  for (int32_t i = tensor->rank - 1; i >= 0; i--) {
    if (tensor->shape[i] == 0)
      return true;
    if (tensor->shape[i] != 1 && tensor->strides[i] != stride)
      return false;
    stride *= tensor->shape[i];
  }
  return true;
}

void *pir_tensor_element(const pir_tensor *tensor, int64_t i) {
  int64_t offset = 0;
  for (int32_t d = tensor->rank - 1; d >= 0; d--) {
    offset += i % tensor->shape[d] * tensor->strides[d];
    i /= tensor->shape[d];
  }
  return (char *)tensor->data + offset * (int64_t)pir_dtype_size(tensor->dtype);
}

double pir_tensor_float_at(const pir_tensor *tensor, int64_t i) {
  double value = 0;
  if (!pir_converts(tensor->dtype))
    return 0;
  pir_convert(PIR_F64, &value, 1, tensor->dtype, pir_tensor_element(tensor, i), 1, 1);
  return value;
}

int64_t pir_tensor_int_at(const pir_tensor *tensor, int64_t i) {
  int64_t value = 0;
  if (!pir_converts(tensor->dtype))
    return 0;
  pir_convert(PIR_I64, &value, 1, tensor->dtype, pir_tensor_element(tensor, i), 1, 1);
  return value;
}
