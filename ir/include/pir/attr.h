// Attributes: compile-time constants. Uniqued in the context: equality is ==, nobody frees one.
#ifndef PIR_ATTR_H
#define PIR_ATTR_H

#include <pir/base.h>
#include <pir/context.h>
#include <pir/type.h>

PIR_BEGIN

// Kinds: enumerator, JSON tag, tag of the T2 text form ("" where it has none).
#define PIR_ATTR_KINDS(X)                                                                      \
  X(NONE, "NULL", "")                                                                          \
  X(BOOL, "0.a_bool", "")                                                                      \
  X(I32, "0.a_i32", "Int32")                                                                   \
  X(I64, "0.a_i64", "Int64")                                                                   \
  X(INDEX, "0.a_index", "Index")                                                               \
  X(F32, "0.a_f32", "Float")                                                                   \
  X(F64, "0.a_f64", "Double")                                                                  \
  X(C64, "0.a_c64", "Complex64")                                                               \
  X(C128, "0.a_c128", "Complex128")                                                            \
  X(STR, "0.a_str", "")                                                                        \
  X(TENSOR_NAME, "0.a_tensorname", "")                                                         \
  X(POINTER, "0.a_pointer", "Pointer")                                                         \
  X(ARRAY, "0.a_array", "")                                                                    \
  X(TYPE, "0.a_type", "")                                                                      \
  X(INT_ARRAY, "1.a_intarray", "pd_op.IntArray")                                               \
  X(SCALAR, "1.a_scalar", "pd_op.Scalar")                                                      \
  X(DTYPE, "1.a_dtype", "pd_op.DataType")                                                      \
  X(PLACE, "1.a_place", "pd_op.Place")                                                         \
  X(LAYOUT, "1.a_layout", "pd_op.DataLayout")                                                  \
  X(PROCESS_MESH, "4.a_process_mesh", "")                                                      \
  X(TENSOR_DIST, "4.a_tensor_dist", "")                                                        \
  X(OP_DIST, "4.a_op_dist", "")                                                                \
  X(KERNEL_KEY, "", "")                                                                        \
  X(OPAQUE, "", "")

typedef enum pir_attr_kind {
#define PIR_ATTR_ENUM(id, json, tag) PIR_ATTR_##id,
  PIR_ATTR_KINDS(PIR_ATTR_ENUM)
#undef PIR_ATTR_ENUM
      PIR_ATTR_KIND_COUNT
} pir_attr_kind;

// Place kinds with JSON's allocation codes.
typedef struct pir_place {
  int kind;  // 0 undefined, 1 cpu, 2 gpu, 3 gpu_pinned, 4 xpu, 5 xpu_pinned, 7 ipu, 9 custom
  int device;
  pir_str custom;  // type name of a custom device; else empty
} pir_place;

PIR_API const pir_attr *pir_attr_none(pir_context *ctx);
PIR_API const pir_attr *pir_attr_bool(pir_context *ctx, bool value);
// `kind`: I32, I64 or INDEX.
PIR_API const pir_attr *pir_attr_int(pir_context *ctx, pir_attr_kind kind, int64_t value);
// `kind`: F32 or F64; an f32 value is rounded. NaN compares equal to the NaN of the same bits.
PIR_API const pir_attr *pir_attr_float(pir_context *ctx, pir_attr_kind kind, double value);
PIR_API const pir_attr *pir_attr_complex(pir_context *ctx, pir_attr_kind kind, double re,
                                         double im);
// `kind`: STR, TENSOR_NAME or OPAQUE (the text of an attribute that is only carried).
PIR_API const pir_attr *pir_attr_str(pir_context *ctx, pir_attr_kind kind, pir_str value);
PIR_API const pir_attr *pir_attr_pointer(pir_context *ctx, uint64_t address);
// Elements may be of any kind.
PIR_API const pir_attr *pir_attr_array(pir_context *ctx, const pir_attr *const *elements,
                                       size_t n);
// `kind`: INT_ARRAY; and the three dist kinds and KERNEL_KEY are arrays underneath (see formats
// reference).
PIR_API const pir_attr *pir_attr_tuple(pir_context *ctx, pir_attr_kind kind,
                                       const pir_attr *const *elements, size_t n);
PIR_API const pir_attr *pir_attr_int_array(pir_context *ctx, const int64_t *values, size_t n);
PIR_API const pir_attr *pir_attr_type(pir_context *ctx, const pir_type *type);
PIR_API const pir_attr *pir_attr_dtype(pir_context *ctx, pir_dtype dtype);
PIR_API const pir_attr *pir_attr_layout(pir_context *ctx, pir_layout layout);
PIR_API const pir_attr *pir_attr_place(pir_context *ctx, pir_place place);
// PIR_ATTR_SCALAR: a value with its dtype; `value` is a BOOL, int, float or complex attribute.
PIR_API const pir_attr *pir_attr_scalar(pir_context *ctx, pir_dtype dtype,
                                        const pir_attr *value);

PIR_API pir_attr_kind pir_attr_kind_of(const pir_attr *attr);
// Numbers convert between kinds (bool, ints, index, floats, dtype code); false when `attr` is
// no number.
PIR_API bool pir_attr_as_int(const pir_attr *attr, int64_t *out_value);
PIR_API bool pir_attr_as_float(const pir_attr *attr, double *out_value);
PIR_API bool pir_attr_as_complex(const pir_attr *attr, double *out_re, double *out_im);
PIR_API pir_str pir_attr_as_str(const pir_attr *attr);  // STR, TENSOR_NAME, OPAQUE; else empty
PIR_API const pir_type *pir_attr_as_type(const pir_attr *attr);
PIR_API pir_dtype pir_attr_as_dtype(const pir_attr *attr);  // DTYPE, SCALAR; else UNDEFINED
PIR_API pir_layout pir_attr_as_layout(const pir_attr *attr);
PIR_API pir_place pir_attr_as_place(const pir_attr *attr);
PIR_API uint64_t pir_attr_as_pointer(const pir_attr *attr);
// Arrays, tuples: number of elements and each. An INT_ARRAY is stored compactly: pir_attr_ints
// reads it and any ARRAY of integers. SCALAR: element 0 is the value.
PIR_API size_t pir_attr_elements(const pir_attr *attr);
PIR_API const pir_attr *pir_attr_element(const pir_attr *attr, size_t i);  // not for INT_ARRAY
PIR_API const int64_t *pir_attr_int_array_data(const pir_attr *attr);      // INT_ARRAY only
PIR_API bool pir_attr_int_at(const pir_attr *attr, size_t i,
                             int64_t *out_value);  // INT_ARRAY or ARRAY

// A name with a value: an entry of an op's dictionary.
typedef struct pir_named_attr {
  pir_name *name;
  const pir_attr *value;
} pir_named_attr;

PIR_END
#endif
