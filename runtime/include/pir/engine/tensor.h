// Tensors of the runtime: a view of memory with element type, shape and strides. Strides carry
// the memory order: a channels-last tensor has an NCHW shape and channels-last strides. Nothing
// here owns memory; functions that only read may be called from any thread.
#ifndef PIR_TENSOR_H
#define PIR_TENSOR_H

#include <pir/base.h>

PIR_BEGIN

// A tensor. Its size never changes, because callers keep tensors in structs and arrays of their
// own and hand them to kernels. Zero it before filling it in: what later versions say of memory
// goes to `reserved`.
typedef struct pir_tensor {
  // The element at index 0 in every axis; may be NULL when there are no elements.
  void *data;
  // Element type. An element of PSTRING is a pir_str: bytes of any value and number, by
  // convention UTF-8, which lie elsewhere and are not the tensor's. UNDEFINED has no elements.
  pir_dtype dtype;
  // Number of axes, 0 to PIR_MAX_RANK.
  int32_t rank;
  // Extents, none negative.
  int64_t shape[PIR_MAX_RANK];
  // Distance of neighbours along each axis, in elements; 0 repeats one element.
  int64_t strides[PIR_MAX_RANK];
  // Level-of-detail offsets, borrowed: `lod_levels` arrays of lod_sizes[i] elements. The
  // offsets of a level begin with 0, do not fall, and end with the number of sequences of the
  // next level; the last level ends with the extent of axis 0.
  const uint64_t *const *lod;
  const size_t *lod_sizes;
  // 0 for nearly all tensors.
  size_t lod_levels;
  // Zero: room for later versions.
  uint64_t reserved[2];
} pir_tensor;

// Returns the number of elements; -1 on overflow or a negative extent.
PIR_API int64_t pir_tensor_numel(const pir_tensor *tensor);
// Computes the bytes of a dense tensor. Returns PIR_INVALID for a bad rank or a negative extent
// and PIR_EXHAUSTED on overflow, also of a tensor without elements whose strides would
// overflow.
PIR_API PIR_NODISCARD pir_status pir_shape_bytes(const int64_t *shape, int32_t rank,
                                                 pir_dtype dtype, size_t *out_bytes);
// Sets element type, shape and row-major strides, and leaves `data` and offsets as they are.
// `rank` is at most PIR_MAX_RANK.
PIR_API void pir_tensor_set_dense(pir_tensor *tensor, pir_dtype dtype, const int64_t *shape,
                                  int32_t rank);
// Whether elements lie row-major without gaps; always true without elements.
PIR_API bool pir_tensor_is_dense(const pir_tensor *tensor);
// Copies all elements between two tensors of one shape, whose strides and element types may
// differ; conversions are C's, with every case defined. The memory must not overlap. Of strings
// the views are copied, so both tensors share the bytes. Returns PIR_INVALID for different
// shapes and PIR_UNSUPPORTED for element types that have no numbers, or strings and numbers.
PIR_API PIR_NODISCARD pir_status pir_tensor_copy(const pir_tensor *from, pir_tensor *to);

// Returns element i, counted row-major over the shape, as a double; 0 of strings.
PIR_API double pir_tensor_float_at(const pir_tensor *tensor, int64_t i);
// Returns element i, counted row-major over the shape, as an integer; a float is truncated, and
// a string gives 0.
PIR_API int64_t pir_tensor_int_at(const pir_tensor *tensor, int64_t i);

// Returns the bits of the nearest f16 number, ties to even.
PIR_API uint16_t pir_f32_to_f16(float value);
// Returns the exact value of an f16 number.
PIR_API float pir_f16_to_f32(uint16_t bits);
// Returns the bits of the nearest bf16 number, ties to even.
PIR_API uint16_t pir_f32_to_bf16(float value);
// Returns the exact value of a bf16 number.
PIR_API float pir_bf16_to_f32(uint16_t bits);

PIR_END
#endif
