// Tensors of the runtime: a view of memory with dtype, shape and strides. Strides carry layout:
// a channels-last tensor is an NCHW shape with channels-last strides.
#ifndef PIR_TENSOR_H
#define PIR_TENSOR_H

#include <pir/base.h>

PIR_BEGIN

typedef struct pir_tensor {
  void *data;
  pir_dtype dtype;
  int32_t rank;
  int64_t shape[PIR_MAX_RANK];
  int64_t strides[PIR_MAX_RANK];  // in elements; may be 0 (broadcast)
  // Level-of-detail offsets, borrowed; 0 levels for almost all. Zero a tensor before filling it
  // in.
  const uint64_t *const *lod;
  const size_t *lod_sizes;
  size_t lod_levels;
} pir_tensor;

// Elements, or -1 on overflow or a negative extent.
PIR_API int64_t pir_tensor_numel(const pir_tensor *tensor);
// Bytes of the dense form; PIR_EXHAUSTED when the extents but those of 0 overflow (strides are
// made of them).
PIR_API pir_status pir_shape_bytes(const int64_t *shape, int32_t rank, pir_dtype dtype,
                                   size_t *out_bytes);
PIR_API void pir_tensor_set_dense(pir_tensor *tensor, pir_dtype dtype, const int64_t *shape,
                                  int32_t rank);
PIR_API bool pir_tensor_is_dense(const pir_tensor *tensor);  // row-major without gaps
// Copies elements between tensors of one shape, converting strides and dtype.
PIR_API pir_status pir_tensor_copy(const pir_tensor *from, pir_tensor *to);

// One element as a number; `i` counts row-major over the shape.
PIR_API double pir_tensor_float_at(const pir_tensor *tensor, int64_t i);
PIR_API int64_t pir_tensor_int_at(const pir_tensor *tensor, int64_t i);

PIR_API uint16_t pir_f32_to_f16(float value);  // nearest even
PIR_API float pir_f16_to_f32(uint16_t bits);
PIR_API uint16_t pir_f32_to_bf16(float value);  // nearest even
PIR_API float pir_bf16_to_f32(uint16_t bits);

PIR_END
#endif
