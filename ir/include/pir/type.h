// Types. Uniqued in the context: equality is ==, null is NULL, nobody frees one.
#ifndef PIR_TYPE_H
#define PIR_TYPE_H

#include <pir/base.h>
#include <pir/context.h>

PIR_BEGIN

typedef struct pir_type pir_type;
typedef struct pir_attr pir_attr;

typedef enum pir_type_kind {
  PIR_TYPE_SCALAR,         // f32, i64, index, ...
  PIR_TYPE_VECTOR,         // vec[T, ...]: results of variadic ops; elements may be NULL
  PIR_TYPE_TENSOR,         // tensor<2x-1xf32>
  PIR_TYPE_SELECTED_ROWS,  // pd_op.selectedrows<...>
  PIR_TYPE_TENSOR_ARRAY,   // pd_op.tensor_array<f32>; dims are kept, not printed
  PIR_TYPE_SPARSE_COO,
  PIR_TYPE_SPARSE_CSR,
  PIR_TYPE_ALLOCATED,    // kernel dialect: a type bound to a place ("cpu_tensor<...>")
  PIR_TYPE_DIST_TENSOR,  // pd_dist.tensor<...>
  PIR_TYPE_STACK,        // cf.stack, cf.inlet, cf.outlet
  PIR_TYPE_INLET,
  PIR_TYPE_OUTLET,
  PIR_TYPE_OPAQUE  // anything else: kept as its text
} pir_type_kind;

// Extents of a shape; -1 is unknown.
typedef struct pir_shape {
  const int64_t *dims;
  size_t rank;
} pir_shape;

// Everything that distinguishes two tensor-like types.
typedef struct pir_tensor_spec {
  pir_dtype dtype;
  pir_shape shape;
  pir_layout layout;           // NCHW unless a file says otherwise
  const uint64_t *const *lod;  // level-of-detail offsets: `lod_levels` arrays of `lod_sizes[i]`
  const size_t *lod_sizes;
  size_t lod_levels;
  uint64_t offset;
} pir_tensor_spec;

PIR_API const pir_type *pir_type_scalar(pir_context *ctx, pir_dtype dtype);
PIR_API const pir_type *pir_type_vector(pir_context *ctx, const pir_type *const *elements,
                                        size_t n);
PIR_API const pir_type *pir_type_tensor(pir_context *ctx, pir_dtype dtype, pir_shape shape);
// `kind`: TENSOR, SELECTED_ROWS or TENSOR_ARRAY.
PIR_API const pir_type *pir_type_tensor_like(pir_context *ctx, pir_type_kind kind,
                                             const pir_tensor_spec *spec);
// The dense tensor that differs from `type` in its elements.
PIR_API const pir_type *pir_type_with_dtype(pir_context *ctx, const pir_type *type,
                                            pir_dtype dtype);
// Sparse tensors keep their component types (COO: indices, elements; CSR: crows, cols,
// elements).
PIR_API const pir_type *pir_type_sparse(pir_context *ctx, pir_type_kind kind,
                                        const pir_tensor_spec *spec, pir_shape nonzero,
                                        const pir_type *const *parts, size_t n);
// Kernel dialect: `place` is "cpu", "gpu", ... as printed.
PIR_API const pir_type *pir_type_allocated(pir_context *ctx, pir_str place,
                                           const pir_type *inner);
// `dist` is a PIR_ATTR_TENSOR_DIST attribute.
PIR_API const pir_type *pir_type_dist(pir_context *ctx, const pir_type *global,
                                      const pir_attr *dist, pir_shape local);
PIR_API const pir_type *pir_type_marker(pir_context *ctx,
                                        pir_type_kind kind);  // STACK, INLET, OUTLET
PIR_API const pir_type *pir_type_opaque(pir_context *ctx, pir_str text);

PIR_API pir_type_kind pir_type_kind_of(const pir_type *type);
PIR_API bool pir_type_is_tensor(const pir_type *type);  // a dense tensor; false for NULL
PIR_API pir_dtype pir_type_dtype(
    const pir_type *type);  // of a scalar or anything tensor-like; UNDEFINED otherwise
PIR_API pir_shape
pir_type_shape(const pir_type *type);  // of anything tensor-like; rank 0 otherwise
PIR_API pir_tensor_spec pir_type_spec(const pir_type *type);  // of anything tensor-like
PIR_API size_t pir_type_elements(const pir_type *type);       // vector: members; sparse: parts
PIR_API const pir_type *pir_type_element(const pir_type *type, size_t i);
PIR_API const pir_type *pir_type_inner(const pir_type *type);  // allocated, dist: what is bound
PIR_API pir_str pir_type_text_of(const pir_type *type);        // allocated: place; opaque: text
PIR_API pir_shape pir_type_nonzero_shape(const pir_type *type);  // sparse
PIR_API const pir_attr *pir_type_dist_attr(const pir_type *type);
PIR_API pir_shape pir_type_local_shape(const pir_type *type);  // dist

PIR_END
#endif
