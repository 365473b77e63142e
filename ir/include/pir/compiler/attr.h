// Attributes: compile-time constants. Uniqued in the context: equal attributes are equal
// pointers, and nobody frees one. Everything a query returns lives as long as the context.
// Functions that take a pir_context follow its rule (one thread at a time); queries only read.
#ifndef PIR_ATTR_H
#define PIR_ATTR_H

#include <pir/base.h>
#include <pir/compiler/context.h>
#include <pir/compiler/type.h>

PIR_BEGIN

// Columns: enumerator, JSON tag, tag of the T2 text form ("" where it has none).
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

// PIR_ATTR_NONE, PIR_ATTR_BOOL, .. in the order of the table.
typedef enum pir_attr_kind {
#define PIR_ATTR_ENUM(id, json, tag) PIR_ATTR_##id,
  PIR_ATTR_KINDS(PIR_ATTR_ENUM)
#undef PIR_ATTR_ENUM
      PIR_ATTR_KIND_COUNT
} pir_attr_kind;

// Returns whether attributes of that kind are one integer (I32, I64 or INDEX).
static inline bool pir_attr_kind_is_int(pir_attr_kind kind) {
  return kind == PIR_ATTR_I32 || kind == PIR_ATTR_I64 || kind == PIR_ATTR_INDEX;
}
// Returns whether attributes of that kind are one floating-point number (F32 or F64).
static inline bool pir_attr_kind_is_float(pir_attr_kind kind) {
  return kind == PIR_ATTR_F32 || kind == PIR_ATTR_F64;
}

// A place of the framework.
typedef struct pir_place {
  // JSON's allocation code: 0 undefined, 1 cpu, 2 gpu, 3 gpu_pinned, 4 xpu, 5 xpu_pinned, 7
  // ipu, 9 custom.
  int kind;
  // Number of the device.
  int device;
  // Type name of a custom device; else empty.
  pir_str custom;
} pir_place;

// ---- making attributes
//
// Arguments are copied. A `kind` that the comment does not name is a programming error.

// Returns the null attribute, a value of its own; an absent attribute is NULL.
PIR_API const pir_attr *pir_attr_none(pir_context *ctx);
// Returns true or false.
PIR_API const pir_attr *pir_attr_bool(pir_context *ctx, bool value);
// Returns an integer of kind I32, I64 or INDEX. The value is not cut.
PIR_API const pir_attr *pir_attr_int(pir_context *ctx, pir_attr_kind kind, int64_t value);
// Returns a number of kind F32, rounded to it, or F64. Two NaNs are equal if their bits are.
PIR_API const pir_attr *pir_attr_float(pir_context *ctx, pir_attr_kind kind, double value);
// Returns a number of kind C64, its parts rounded to f32, or C128.
PIR_API const pir_attr *pir_attr_complex(pir_context *ctx, pir_attr_kind kind, double re,
                                         double im);
// Returns a text of kind STR, TENSOR_NAME or OPAQUE (the text of an attribute that the library
// only carries).
PIR_API const pir_attr *pir_attr_str(pir_context *ctx, pir_attr_kind kind, pir_str value);
// Returns an address as files state it; it is never followed.
PIR_API const pir_attr *pir_attr_pointer(pir_context *ctx, uint64_t address);
// Returns an array; its elements may differ in kind.
PIR_API const pir_attr *pir_attr_array(pir_context *ctx, const pir_attr *const *elements,
                                       size_t n);
// Returns an ARRAY of one BOOL, the form in which an op of one result keeps a flag of it, such
// as stop_gradient.
PIR_API const pir_attr *pir_attr_flag(pir_context *ctx, bool value);
// Returns an attribute that is a list underneath: ARRAY, INT_ARRAY (an element that is no
// number becomes 0), the three distribution kinds and KERNEL_KEY; docs/reference/formats.md has
// their elements.
PIR_API const pir_attr *pir_attr_tuple(pir_context *ctx, pir_attr_kind kind,
                                       const pir_attr *const *elements, size_t n);
// Returns an INT_ARRAY, which is stored as plain integers.
PIR_API const pir_attr *pir_attr_int_array(pir_context *ctx, const int64_t *values, size_t n);
// Returns an attribute that holds a type, which may be NULL.
PIR_API const pir_attr *pir_attr_type(pir_context *ctx, const pir_type *type);
// Returns an attribute that holds an element type.
PIR_API const pir_attr *pir_attr_dtype(pir_context *ctx, pir_dtype dtype);
// Returns an attribute that holds a memory layout.
PIR_API const pir_attr *pir_attr_layout(pir_context *ctx, pir_layout layout);
// Returns an attribute that holds a place; a custom device's name is interned.
PIR_API const pir_attr *pir_attr_place(pir_context *ctx, pir_place place);
// Returns a SCALAR: an element type with a BOOL, integer, float or complex attribute.
PIR_API const pir_attr *pir_attr_scalar(pir_context *ctx, pir_dtype dtype,
                                        const pir_attr *value);

// ---- queries
//
// Unless a comment says otherwise `attr` may be NULL, which has no kind.

// Returns the kind; `attr` must not be NULL.
PIR_API pir_attr_kind pir_attr_kind_of(const pir_attr *attr);
// Converts a bool, integer, float (truncated), element type code or SCALAR to an integer.
// Returns false, and writes nothing, when `attr` is no number or does not fit.
PIR_API bool pir_attr_as_int(const pir_attr *attr, int64_t *out_value);
// Converts the same kinds to a double. Returns false, and writes nothing, for other kinds.
PIR_API bool pir_attr_as_float(const pir_attr *attr, double *out_value);
// Converts the same kinds and complex ones to a complex number. Returns false for other kinds.
PIR_API bool pir_attr_as_complex(const pir_attr *attr, double *out_re, double *out_im);
// Returns the text of a STR, TENSOR_NAME or OPAQUE attribute, NUL-terminated; else empty.
PIR_API pir_str pir_attr_as_str(const pir_attr *attr);
// Returns the type of a TYPE attribute; NULL for other kinds.
PIR_API const pir_type *pir_attr_as_type(const pir_attr *attr);
// Returns the element type of a DTYPE or SCALAR attribute; PIR_UNDEFINED for other kinds.
PIR_API pir_dtype pir_attr_as_dtype(const pir_attr *attr);
// Returns the layout of a LAYOUT attribute; PIR_LAYOUT_ANY for other kinds.
PIR_API pir_layout pir_attr_as_layout(const pir_attr *attr);
// Returns the place of a PLACE attribute; the undefined place for other kinds.
PIR_API pir_place pir_attr_as_place(const pir_attr *attr);
// Returns the address of a POINTER attribute; 0 for other kinds.
PIR_API uint64_t pir_attr_as_pointer(const pir_attr *attr);

// Returns the number of elements of an attribute that is a list; 1 for a SCALAR, whose element
// is its value; 0 for other kinds.
PIR_API size_t pir_attr_elements(const pir_attr *attr);
// Returns element i, which must exist. Not for INT_ARRAY, whose elements are no attributes.
PIR_API const pir_attr *pir_attr_element(const pir_attr *attr, size_t i);
// Returns the integers of an INT_ARRAY, which `attr` must be; pir_attr_elements counts them.
PIR_API const int64_t *pir_attr_int_array_data(const pir_attr *attr);
// Reads element i of any list as an integer. Returns false when it does not exist or is no
// number.
PIR_API bool pir_attr_int_at(const pir_attr *attr, size_t i, int64_t *out_value);

// An entry of an op's dictionary.
typedef struct pir_named_attr {
  // Interned.
  pir_name *name;
  // NULL where a function says that the entry is absent.
  const pir_attr *value;
} pir_named_attr;

PIR_END
#endif
