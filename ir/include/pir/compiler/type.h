// Types. Uniqued in the context: equal types are equal pointers, the null type is NULL, and
// nobody frees one. Everything a query returns lives as long as the context. Functions that
// take a pir_context follow its rule (one thread at a time); queries only read.
#ifndef PIR_TYPE_H
#define PIR_TYPE_H

#include <pir/base.h>
#include <pir/compiler/context.h>

PIR_BEGIN

typedef struct pir_type pir_type;
typedef struct pir_attr pir_attr;

// The kinds of types. TENSOR to SPARSE_CSR are called tensor-like below.
typedef enum pir_type_kind {
  PIR_TYPE_SCALAR = 0,         // f32, i64, index, ..
  PIR_TYPE_VECTOR = 1,         // vec[T, ..]: lists of values; elements may be NULL
  PIR_TYPE_TENSOR = 2,         // tensor<2x-1xf32>: dense
  PIR_TYPE_SELECTED_ROWS = 3,  // pd_op.selectedrows<..>
  PIR_TYPE_TENSOR_ARRAY = 4,   // pd_op.tensor_array<f32>; the shape is kept, not printed
  PIR_TYPE_SPARSE_COO = 5,
  PIR_TYPE_SPARSE_CSR = 6,
  PIR_TYPE_ALLOCATED = 7,    // kernel dialect: a type bound to a place ("cpu_tensor<..>")
  PIR_TYPE_DIST_TENSOR = 8,  // pd_dist.tensor<..>: a tensor that is distributed over a mesh
  PIR_TYPE_STACK = 9,        // cf.stack, and its two ends
  PIR_TYPE_INLET = 10,
  PIR_TYPE_OUTLET = 11,
  PIR_TYPE_OPAQUE = 12  // anything else: kept as its text
} pir_type_kind;

// A shape. Borrowed: types copy it.
typedef struct pir_shape {
  // Extents; -1 is unknown. May be NULL when `rank` is 0.
  const int64_t *dims;
  // Number of axes, at most PIR_MAX_RANK.
  size_t rank;
} pir_shape;

// Returns whether every extent of a shape is known.
static inline bool pir_shape_is_known(pir_shape shape) {
  for (size_t i = 0; i < shape.rank; i++)
    if (shape.dims[i] < 0)
      return false;
  return true;
}

// Everything that distinguishes two tensor-like types of one kind.
typedef struct pir_tensor_spec {
  // Element type.
  pir_dtype dtype;
  // Extents of all axes.
  pir_shape shape;
  // NCHW unless a file says otherwise.
  pir_layout layout;
  // Level-of-detail offsets: `lod_levels` arrays, of lod_sizes[i] elements each.
  const uint64_t *const *lod;
  // Lengths of the arrays in `lod`.
  const size_t *lod_sizes;
  // Number of levels; 0 for nearly all tensors.
  size_t lod_levels;
  // Offset of the data in its allocation, as Paddle's files state it.
  uint64_t offset;
} pir_tensor_spec;

// ---- making types; arguments are copied

// Returns the type of a single value: f32, i64, index, ..
PIR_API const pir_type *pir_type_scalar(pir_context *ctx, pir_dtype dtype);
// Returns vec[elements]; an element may be NULL.
PIR_API const pir_type *pir_type_vector(pir_context *ctx, const pir_type *const *elements,
                                        size_t n);
// Returns a dense tensor with layout NCHW and no level of detail.
PIR_API const pir_type *pir_type_tensor(pir_context *ctx, pir_dtype dtype, pir_shape shape);
// Returns a type of kind TENSOR, SELECTED_ROWS or TENSOR_ARRAY.
PIR_API const pir_type *pir_type_tensor_like(pir_context *ctx, pir_type_kind kind,
                                             const pir_tensor_spec *spec);
// Returns the dense tensor with `type`'s shape, layout and level of detail and another element
// type. A type that is not tensor-like counts as rank 0.
PIR_API const pir_type *pir_type_with_dtype(pir_context *ctx, const pir_type *type,
                                            pir_dtype dtype);
// Returns a sparse tensor. `nonzero` is the shape of the stored elements; `parts` are the types
// of the components (COO: indices, elements; CSR: crows, cols, elements).
PIR_API const pir_type *pir_type_sparse(pir_context *ctx, pir_type_kind kind,
                                        const pir_tensor_spec *spec, pir_shape nonzero,
                                        const pir_type *const *parts, size_t n);
// Returns `inner` bound to a place of the kernel dialect: "cpu", "gpu", .. as it is printed.
PIR_API const pir_type *pir_type_allocated(pir_context *ctx, pir_str place,
                                           const pir_type *inner);
// Returns a distributed tensor: the type of the whole, a PIR_ATTR_TENSOR_DIST attribute, and
// the shape that one process holds.
PIR_API const pir_type *pir_type_dist(pir_context *ctx, const pir_type *global,
                                      const pir_attr *dist, pir_shape local);
// Returns the type of kind STACK, INLET or OUTLET.
PIR_API const pir_type *pir_type_marker(pir_context *ctx, pir_type_kind kind);
// Returns a type that the library only carries: its text.
PIR_API const pir_type *pir_type_opaque(pir_context *ctx, pir_str text);

// ---- queries
//
// Unless a comment says otherwise `type` may be NULL, which has no kind. A type that binds
// another one (ALLOCATED, DIST_TENSOR) has the element type and shape of the one it binds.

// Returns the kind; the null type counts as OPAQUE.
PIR_API pir_type_kind pir_type_kind_of(const pir_type *type);
// Whether the type itself is a dense tensor; a type that binds one is not.
PIR_API bool pir_type_is_tensor(const pir_type *type);
// Returns the element type of a scalar or tensor-like type; PIR_UNDEFINED for others.
PIR_API pir_dtype pir_type_dtype(const pir_type *type);
// Returns the shape of a tensor-like type; rank 0 for others.
PIR_API pir_shape pir_type_shape(const pir_type *type);
// Returns all that distinguishes a tensor-like type; PIR_UNDEFINED and rank 0 for others.
PIR_API pir_tensor_spec pir_type_spec(const pir_type *type);
// Returns the number of a vector's members or of a sparse type's components; 0 for others.
PIR_API size_t pir_type_elements(const pir_type *type);
// Returns member or component i, which must exist; a member may be NULL.
PIR_API const pir_type *pir_type_element(const pir_type *type, size_t i);
// Returns the type that an ALLOCATED or DIST_TENSOR type binds; NULL for others.
PIR_API const pir_type *pir_type_inner(const pir_type *type);
// Returns the place of an ALLOCATED type, the text of an OPAQUE one; empty for others.
PIR_API pir_str pir_type_text_of(const pir_type *type);
// Returns the shape of the stored elements of a sparse type; rank 0 for others.
PIR_API pir_shape pir_type_nonzero_shape(const pir_type *type);
// Returns the distribution of a DIST_TENSOR type; NULL for others.
PIR_API const pir_attr *pir_type_dist_attr(const pir_type *type);
// Returns the shape that one process holds of a DIST_TENSOR; rank 0 for others.
PIR_API pir_shape pir_type_local_shape(const pir_type *type);

PIR_END
#endif
