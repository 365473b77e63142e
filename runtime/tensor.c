// Tensors: sizes with checked arithmetic, and copies. A copy drops unit axes, merges axes that are
// contiguous in both tensors, puts the axis with the smallest destination stride innermost, and converts run by run:
// a dense copy is one memcpy. Cost: one pass over the elements.
#include <string.h>

#include "convert.h"
#include <pir/tensor.h>

int64_t pir_tensor_numel(const pir_tensor *tensor) {
  int64_t n = 1;
  bool overflow = false;
  for (int32_t i = 0; i < tensor->rank; i++) {
    if (tensor->shape[i] < 0) return -1;
    if (tensor->shape[i] == 0) return 0;
    overflow |= __builtin_mul_overflow(n, tensor->shape[i], &n);
  }
  return overflow ? -1 : n;
}

pir_status pir_shape_bytes(const int64_t *shape, int32_t rank, pir_dtype dtype, size_t *out_bytes) {
  int64_t bytes = (int64_t)pir_dtype_size(dtype);
  *out_bytes = 0;
  if (rank < 0 || rank > PIR_MAX_RANK) return PIR_INVALID;
  bool overflow = false, zero = false;
  for (int32_t i = 0; i < rank; i++) {
    if (shape[i] < 0) return PIR_INVALID;
    if (shape[i] == 0) zero = true;
    else overflow |= __builtin_mul_overflow(bytes, shape[i], &bytes);
  }
  if (zero) return PIR_OK;
  if (overflow || (uint64_t)bytes > SIZE_MAX) return PIR_EXHAUSTED;
  *out_bytes = (size_t)bytes;
  return PIR_OK;
}

void pir_tensor_set_dense(pir_tensor *tensor, pir_dtype dtype, const int64_t *shape, int32_t rank) {
  tensor->dtype = dtype;
  tensor->rank = rank;
  int64_t stride = 1;
  for (int32_t i = rank - 1; i >= 0; i--) {
    tensor->shape[i] = shape[i];
    tensor->strides[i] = stride;
    stride *= shape[i] > 0 ? shape[i] : 1;
  }
}

bool pir_tensor_is_dense(const pir_tensor *tensor) {
  int64_t stride = 1;
  for (int32_t i = tensor->rank - 1; i >= 0; i--) {
    if (tensor->shape[i] == 0) return true;
    if (tensor->shape[i] != 1 && tensor->strides[i] != stride) return false;
    stride *= tensor->shape[i];
  }
  return true;
}

// The loops of a copy, outermost first.
typedef struct copy_loops {
  int rank;
  int64_t extent[PIR_MAX_RANK], from[PIR_MAX_RANK], to[PIR_MAX_RANK];
} copy_loops;

static int64_t magnitude(int64_t x) { return x < 0 ? -x : x; }

static copy_loops plan_copy(const pir_tensor *from, const pir_tensor *to) {
  copy_loops l = {0};
  for (int32_t i = 0; i < to->rank; i++) {
    if (to->shape[i] == 1) continue;
    int at = l.rank++;
    for (; at > 0 && magnitude(l.to[at - 1]) < magnitude(to->strides[i]); at--) {
      l.extent[at] = l.extent[at - 1];
      l.from[at] = l.from[at - 1];
      l.to[at] = l.to[at - 1];
    }
    l.extent[at] = to->shape[i];
    l.from[at] = from->strides[i];
    l.to[at] = to->strides[i];
  }
  int kept = 0;
  for (int i = 1; i < l.rank; i++) {
    bool merges = l.from[kept] == l.from[i] * l.extent[i] && l.to[kept] == l.to[i] * l.extent[i];
    if (merges) l.extent[i] *= l.extent[kept];
    else kept++;
    l.extent[kept] = l.extent[i];
    l.from[kept] = l.from[i];
    l.to[kept] = l.to[i];
  }
  if (l.rank) l.rank = kept + 1;
  return l;
}

pir_status pir_tensor_copy(const pir_tensor *from, pir_tensor *to) {
  if (from->rank != to->rank) return PIR_INVALID;
  for (int32_t i = 0; i < to->rank; i++)
    if (from->shape[i] != to->shape[i]) return PIR_INVALID;
  if (!pir_converts(from->dtype) || !pir_converts(to->dtype)) return PIR_UNSUPPORTED;
  int64_t n = pir_tensor_numel(to);
  if (n <= 0) return n < 0 ? PIR_INVALID : PIR_OK;

  copy_loops l = plan_copy(from, to);
  int64_t run = 1, from_step = 1, to_step = 1;
  if (l.rank) {
    int last = --l.rank;
    run = l.extent[last];
    from_step = l.from[last];
    to_step = l.to[last];
  }
  int64_t from_size = (int64_t)pir_dtype_size(from->dtype), to_size = (int64_t)pir_dtype_size(to->dtype);
  int64_t index[PIR_MAX_RANK] = {0};
  const char *in = from->data;
  char *out = to->data;
  for (;;) {
    pir_convert(to->dtype, out, to_step, from->dtype, in, from_step, run);
    int d = l.rank - 1;
    for (; d >= 0; d--) {
      in += l.from[d] * from_size;
      out += l.to[d] * to_size;
      if (++index[d] < l.extent[d]) break;
      in -= l.from[d] * l.extent[d] * from_size;
      out -= l.to[d] * l.extent[d] * to_size;
      index[d] = 0;
    }
    if (d < 0) return PIR_OK;
  }
}

static const char *element_at(const pir_tensor *tensor, int64_t i) {
  int64_t offset = 0;
  for (int32_t d = tensor->rank - 1; d >= 0; d--) {
    offset += i % tensor->shape[d] * tensor->strides[d];
    i /= tensor->shape[d];
  }
  return (const char *)tensor->data + offset * (int64_t)pir_dtype_size(tensor->dtype);
}

double pir_tensor_float_at(const pir_tensor *tensor, int64_t i) {
  double value = 0;
  pir_convert(PIR_F64, &value, 1, tensor->dtype, element_at(tensor, i), 1, 1);
  return value;
}

int64_t pir_tensor_int_at(const pir_tensor *tensor, int64_t i) {
  int64_t value = 0;
  pir_convert(PIR_I64, &value, 1, tensor->dtype, element_at(tensor, i), 1, 1);
  return value;
}
