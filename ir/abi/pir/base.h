// Words shared by every layer, the runtime included: status, strings, element types, limits.
// Needs libc only. Nothing here allocates or writes memory other than its arguments, so every
// function may be called from any thread.
#ifndef PIR_BASE_H
#define PIR_BASE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
#define PIR_BEGIN extern "C" {
#define PIR_END }
#else
#define PIR_BEGIN
#define PIR_END
#endif

// PIR_API       marks a symbol that the library exports.
// PIR_NODISCARD marks every function that returns a pir_status: the compiler warns where a
//               caller drops it. A caller that may ignore one says so with pir_ignore.
// PIR_PRINTF    lets the compiler check the arguments of a format; both numbers count from 1.
#if defined(__GNUC__)
#define PIR_API __attribute__((visibility("default")))
#define PIR_NODISCARD __attribute__((warn_unused_result))
#define PIR_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
#else
#define PIR_API
#define PIR_NODISCARD
#define PIR_PRINTF(fmt, args)
#endif

PIR_BEGIN

// Version of these headers. Compare with pir_version(), the version of the library.
#define PIR_VERSION_MAJOR 1
#define PIR_VERSION_MINOR 0
#define PIR_VERSION_PATCH 0
// N of libpir.so.N, the binary interface that these headers belong to.
#define PIR_SONAME "1"

// Returns the version of the library that is running: major << 16 | minor << 8 | patch. Within
// one major version symbols and struct fields are only added (docs/reference/compatibility.md).
PIR_API uint32_t pir_version(void);

// ---- status

// Columns: enumerator, number, a few words for people.
//
//   OK           the only value that is zero: the call did all of its work
//   INVALID      bad IR, text, file or argument; reported with its place
//   NOT_FOUND    a file, name or symbol does not exist
//   UNSUPPORTED  understood, but this build cannot do it; the text names the feature and the
//                place
//   UNAVAILABLE  a device, driver or optional library is missing; the text names the package to
//                install
//   EXHAUSTED    out of memory, or a limit of the caller was reached
//   IO           the system refused a read or write, or a pir_writer returned false
//   CANCELLED    the caller's cancellation flag was set
//   INTERNAL     a defect of this library
// clang-format off
#define PIR_STATUSES(X)                                                                        \
  X(OK, 0, "done")                                                                             \
  X(INVALID, 1, "a bad program, file or argument")                                             \
  X(NOT_FOUND, 2, "a file, name or symbol does not exist")                                     \
  X(UNSUPPORTED, 3, "not supported")                                                           \
  X(UNAVAILABLE, 4, "a device, driver or library is missing")                                  \
  X(EXHAUSTED, 5, "out of memory, or beyond a limit")                                          \
  X(IO, 6, "a read or write failed")                                                           \
  X(CANCELLED, 7, "cancelled")                                                                 \
  X(INTERNAL, 8, "a defect of libpir")
// clang-format on

// The outcome of a call. Every function that depends on input returns one; the text of a
// failure goes to the context's sink or to a message that the function names.
typedef enum pir_status {
#define PIR_STATUS_ENUM(id, number, text) PIR_##id = number,
  PIR_STATUSES(PIR_STATUS_ENUM)
#undef PIR_STATUS_ENUM
} pir_status;

// Returns the enumerator's name, "PIR_INVALID"; "unknown" for a status of a later version.
PIR_API const char *pir_status_name(pir_status status);
// Returns a few words for people, to be used where no message says more.
PIR_API const char *pir_status_text(pir_status status);

// Returns from the calling function when `call` fails, with the same status. Use it only where
// the function holds nothing that it has to release.
#define PIR_TRY(call)                                                                          \
  do {                                                                                         \
    pir_status pir_try_status = (call);                                                        \
    if (pir_try_status)                                                                        \
      return pir_try_status;                                                                   \
  } while (0)

// Ignores a status on purpose, which a cast to void cannot say to every compiler. The line that
// calls it says why the failure does not matter there.
static inline void pir_ignore(pir_status status) {
  (void)status;
}

// ---- structs that grow

// Structs with a field `size` get more fields in later versions. The maker of one sets `size`
// to its sizeof, and unused fields to zero; that is all it takes. A struct without a size is
// refused with PIR_INVALID. Where the library is older than the caller's headers, fields that
// it does not know must be zero, or it returns PIR_UNSUPPORTED; in a struct that it fills they
// are zero. All other public structs stay as they are (docs/reference/compatibility.md).

// ---- strings

// Bytes with a length; not necessarily NUL-terminated. It never owns its bytes: the function
// that returns one states how long they live.
typedef struct pir_str {
  // May be NULL when `size` is 0.
  const char *data;
  // In bytes, without a NUL.
  size_t size;
} pir_str;

// A pir_str of a string literal.
#define PIR_STR(literal) ((pir_str){(literal), sizeof(literal) - 1})

// Returns a view of a C string, which the caller keeps. NULL gives the empty string.
PIR_API pir_str pir_str_from(const char *nul_terminated);
// Whether two strings have the same bytes.
PIR_API bool pir_str_equal(pir_str a, pir_str b);
// Compares the bytes of two strings as memcmp does; of two that begin alike the shorter one is
// less. Returns a number below, equal to or above 0.
PIR_API int pir_str_compare(pir_str a, pir_str b);

// Formats into `out`, cut to `size` bytes and always NUL-terminated; returns the bytes written
// without the NUL. With a `size` of 0 it writes nothing. Knows %s %.*s %c %d %i %u %x with h,
// l, ll, z, j, %g %f %e with a precision, and %%. The host's locale does not matter.
PIR_API size_t pir_text_format(char *out, size_t size, const char *format, ...)
    PIR_PRINTF(3, 4);
// Does the same with the arguments in a va_list, which is consumed.
PIR_API size_t pir_text_vformat(char *out, size_t size, const char *format, va_list args);

// An error text of bounded size, for code that has no context to report to.
typedef struct pir_message {
  // NUL-terminated; empty: no error.
  char text[400];
} pir_message;

// ---- element types

// Columns: enumerator, text form, JSON tag, Paddle's name, size in bytes, VarType code (-1:
// none). The order is phi::DataType's; JSON scalars and kernel keys use these numbers.
#define PIR_DTYPES(X)                                                                          \
  X(UNDEFINED, "undefined", "t_undefined", "Undefined", 0, -1)                                 \
  X(BOOL, "b", "t_bool", "bool", 1, 0)                                                         \
  X(U8, "u8", "t_ui8", "uint8", 1, 20)                                                         \
  X(I8, "i8", "t_i8", "int8", 1, 21)                                                           \
  X(U16, "u16", "t_ui16", "uint16", 2, -1)                                                     \
  X(I16, "i16", "t_i16", "int16", 2, 1)                                                        \
  X(U32, "u32", "t_ui32", "uint32", 4, 37)                                                     \
  X(I32, "i32", "t_i32", "int32", 4, 2)                                                        \
  X(U64, "u64", "t_ui64", "uint64", 8, 38)                                                     \
  X(I64, "i64", "t_i64", "int64", 8, 3)                                                        \
  X(F32, "f32", "t_f32", "float32", 4, 5)                                                      \
  X(F64, "f64", "t_f64", "float64", 8, 6)                                                      \
  X(C64, "c64", "t_c64", "complex64", 8, 23)                                                   \
  X(C128, "c128", "t_c128", "complex128", 16, 24)                                              \
  X(PSTRING, "pstring", "t_pstring", "pstring", sizeof(pir_str), 29)                           \
  X(F16, "f16", "t_f16", "float16", 2, 4)                                                      \
  X(BF16, "bf16", "t_bf16", "bfloat16", 2, 22)                                                 \
  X(F8E4M3, "f8e4m3fn", "t_f8e4m3fn", "float8_e4m3fn", 1, 32)                                  \
  X(F8E5M2, "f8e5m2", "t_f8e5m2", "float8_e5m2", 1, 33)                                        \
  X(INDEX, "index", "t_index", "index", 8, -1)

// PIR_UNDEFINED, PIR_BOOL, .. in the order of the table, to which later versions append.
typedef enum pir_dtype {
#define PIR_DTYPE_ENUM(id, text, json, name, size, var) PIR_##id,
  PIR_DTYPES(PIR_DTYPE_ENUM)
#undef PIR_DTYPE_ENUM
  // The number of rows in these headers; no function returns it.
  PIR_DTYPE_COUNT,
  // There is no such element type.
  PIR_DTYPE_NONE = 255
} pir_dtype;

// In these functions a number that is no element type counts as PIR_UNDEFINED. Texts are
// NUL-terminated constants.

// Returns the bytes of one element; 0 for UNDEFINED. An element of PSTRING is a pir_str, whose
// bytes are elsewhere.
PIR_API size_t pir_dtype_size(pir_dtype dtype);
// Returns the name in IR text, as in tensor<2xf32>.
PIR_API const char *pir_dtype_text(pir_dtype dtype);
// Returns the tag in PIR JSON without the dialect: "t_f32", as in {"#":"0.t_f32"}.
PIR_API const char *pir_dtype_json(pir_dtype dtype);
// Returns Paddle's name, as in dtype:float32.
PIR_API const char *pir_dtype_name(pir_dtype dtype);
// Returns the code of VarType.Type in a .pdmodel file, or -1.
PIR_API int pir_dtype_var_type(pir_dtype dtype);

// Returns the element type with this name in IR text, PIR_DTYPE_NONE when there is none.
PIR_API pir_dtype pir_dtype_from_text(pir_str text);
// Finds an element type by its JSON tag; PIR_DTYPE_NONE when there is none.
PIR_API pir_dtype pir_dtype_from_json(pir_str tag);
// Finds an element type by Paddle's spelling, case included; PIR_DTYPE_NONE when unknown.
PIR_API pir_dtype pir_dtype_from_name(pir_str name);
// Finds an element type by the code in a .pdmodel file; PIR_DTYPE_NONE when unknown.
PIR_API pir_dtype pir_dtype_from_var_type(int code);

// Whether the type is one of f16, bf16, f32, f64 and the two f8 types.
PIR_API bool pir_dtype_is_float(pir_dtype dtype);
// Whether the type is a signed or unsigned integer or `index`. BOOL is none.
PIR_API bool pir_dtype_is_integer(pir_dtype dtype);
// Whether the type is c64 or c128.
PIR_API bool pir_dtype_is_complex(pir_dtype dtype);
// Whether elements are numbers: all types but PSTRING and UNDEFINED.
PIR_API bool pir_dtype_is_number(pir_dtype dtype);

// ---- memory layouts

// Columns: enumerator, Paddle's name.
// clang-format off
#define PIR_LAYOUTS(X)                                                                         \
  X(ANY, "Undefined(AnyLayout)") X(NHWC, "NHWC") X(NCHW, "NCHW") X(NCDHW, "NCDHW")             \
  X(NDHWC, "NDHWC") X(ONEDNN, "ONEDNN") X(SPARSE_COO, "SPARSE_COO")                            \
  X(SPARSE_CSR, "SPARSE_CSR") X(PSTRING_UNION, "PSTRING_UNION") X(STRIDED, "STRIDED")
// clang-format on

// PIR_LAYOUT_ANY, PIR_LAYOUT_NHWC, .. in the order of the table, to which later versions
// append.
typedef enum pir_layout {
#define PIR_LAYOUT_ENUM(id, name) PIR_LAYOUT_##id,
  PIR_LAYOUTS(PIR_LAYOUT_ENUM)
#undef PIR_LAYOUT_ENUM
  // The number of rows in these headers; no function returns it.
  PIR_LAYOUT_COUNT,
  // There is no such layout.
  PIR_LAYOUT_NONE = 255
} pir_layout;

// Returns Paddle's name of a layout, a constant; ANY's for a number that is no layout.
PIR_API const char *pir_layout_name(pir_layout layout);
// Finds a layout by name in any case of letters; "MKLDNN" is ONEDNN. PIR_LAYOUT_NONE when
// unknown.
PIR_API pir_layout pir_layout_from_name(pir_str name);

// The largest rank of a tensor. Readers refuse programs with more axes.
#define PIR_MAX_RANK 16

// ---- what callers hand in

// A source of memory. When `alloc` is NULL, malloc and free are used and the rest is ignored.
// Functions that take one say which threads call it.
typedef struct pir_allocator {
  // Returns `size` bytes aligned to `align`, a power of two, or NULL when there are none.
  void *(*alloc)(void *user, size_t size, size_t align);
  // Takes back memory that `alloc` returned for this `size`.
  void (*release)(void *user, void *memory, size_t size);
  // Handed to both functions.
  void *user;
} pir_allocator;

// Bytes that the caller lends. They are used in place and must not change until `release` is
// called, which happens when the last model or program that uses them is destroyed.
typedef struct pir_borrowed {
  // The bytes; any alignment.
  const void *data;
  // Their number.
  size_t size;
  // Called once when the bytes are no longer needed, on the thread that dropped the last use.
  // NULL: the bytes outlive all users.
  void (*release)(void *user);
  // Handed to `release`.
  void *user;
} pir_borrowed;

// Ends the use of lent bytes: calls their `release`, if there is one.
static inline void pir_borrowed_release(pir_borrowed bytes) {
  if (bytes.release)
    bytes.release(bytes.user);
}

// A receiver of text or bytes, which come in pieces and in order.
typedef struct pir_writer {
  // Takes one piece, which lives only during the call. Returns false to stop, for instance on a
  // full disk; the writing function then returns PIR_IO.
  bool (*write)(void *user, const char *data, size_t size);
  // Handed to `write`.
  void *user;
} pir_writer;

PIR_END
#endif
