// Words shared by every layer, the runtime included: status, strings, element types, limits.
// Needs libc only. Nothing here allocates.
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

#define PIR_VERSION_MAJOR 0
#define PIR_VERSION_MINOR 1
#define PIR_VERSION_PATCH 0

// Version of the library that is running: major << 16 | minor << 8 | patch. Within one major
// version symbols and struct fields are only added (docs/compatibility.md).
PIR_API uint32_t pir_version(void);

// What became of a call. Anything that depends on input returns one; the text went to a sink or
// message.
typedef enum pir_status {
  PIR_OK = 0,
  PIR_INVALID,      // bad IR, text, file or argument; reported with its place
  PIR_NOT_FOUND,    // a file, name or symbol does not exist
  PIR_UNSUPPORTED,  // understood, but this build cannot do it; the message says what and where
  PIR_UNAVAILABLE,  // a device, driver or optional library is missing
  PIR_EXHAUSTED,    // out of memory, or a caller's limit was hit
  PIR_IO,           // the system refused a read or write
  PIR_CANCELLED,    // the caller's cancellation flag was seen
  PIR_INTERNAL      // a defect of this library
} pir_status;

// Returns a failure upwards. Only where nothing needs cleaning.
#define PIR_TRY(call)                                                                          \
  do {                                                                                         \
    pir_status pir_try_status = (call);                                                        \
    if (pir_try_status)                                                                        \
      return pir_try_status;                                                                   \
  } while (0)

// Bytes with a length; not necessarily NUL-terminated. Never owns.
typedef struct pir_str {
  const char *data;
  size_t size;
} pir_str;

#define PIR_STR(literal) ((pir_str){(literal), sizeof(literal) - 1})

PIR_API pir_str pir_str_from(const char *nul_terminated);
PIR_API bool pir_str_equal(pir_str a, pir_str b);

// Formats into `out`, always NUL-terminated, cut to `size` bytes; returns the length without
// the NUL. Knows %s %.*s %c %d %i %u %x with h, l, ll, z, j, %g %f %e with a precision, and %%:
// no locale, no stdio.
PIR_API size_t pir_text_format(char *out, size_t size, const char *format, ...)
    PIR_PRINTF(3, 4);
PIR_API size_t pir_text_vformat(char *out, size_t size, const char *format, va_list args);

// Element types: enumerator, text form, JSON tag, Paddle name, size in bytes, VarType code (-1:
// none). The order is that of phi::DataType, which JSON scalars and kernel keys use.
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
  X(PSTRING, "pstring", "t_pstring", "pstring", 0, 29)                                         \
  X(F16, "f16", "t_f16", "float16", 2, 4)                                                      \
  X(BF16, "bf16", "t_bf16", "bfloat16", 2, 22)                                                 \
  X(F8E4M3, "f8e4m3fn", "t_f8e4m3fn", "float8_e4m3fn", 1, 32)                                  \
  X(F8E5M2, "f8e5m2", "t_f8e5m2", "float8_e5m2", 1, 33)                                        \
  X(INDEX, "index", "t_index", "index", 8, -1)

typedef enum pir_dtype {
#define PIR_DTYPE_ENUM(id, text, json, name, size, var) PIR_##id,
  PIR_DTYPES(PIR_DTYPE_ENUM)
#undef PIR_DTYPE_ENUM
      PIR_DTYPE_COUNT
} pir_dtype;

PIR_API size_t pir_dtype_size(pir_dtype dtype);  // bytes of one element; 0 where it has none
PIR_API const char *pir_dtype_text(pir_dtype dtype);  // as in tensor<2xf32>
PIR_API const char *pir_dtype_json(pir_dtype dtype);  // as in {"#":"0.t_f32"}
PIR_API const char *pir_dtype_name(pir_dtype dtype);  // as in dtype:float32
PIR_API int pir_dtype_var_type(pir_dtype dtype);      // VarType.Type of .pdmodel, or -1
PIR_API pir_dtype
pir_dtype_from_text(pir_str text);  // PIR_DTYPE_COUNT when unknown; likewise below
PIR_API pir_dtype pir_dtype_from_json(pir_str tag);
PIR_API pir_dtype pir_dtype_from_name(pir_str name);
PIR_API pir_dtype pir_dtype_from_var_type(int code);
PIR_API bool pir_dtype_is_float(pir_dtype dtype);    // f16 bf16 f32 f64 and f8
PIR_API bool pir_dtype_is_integer(pir_dtype dtype);  // signed and unsigned, not bool
PIR_API bool pir_dtype_is_complex(pir_dtype dtype);

// Memory layouts as Paddle spells them.
// clang-format off
#define PIR_LAYOUTS(X)                                                                            \
  X(ANY, "Undefined(AnyLayout)") X(NHWC, "NHWC") X(NCHW, "NCHW") X(NCDHW, "NCDHW")                \
  X(NDHWC, "NDHWC") X(ONEDNN, "ONEDNN") X(SPARSE_COO, "SPARSE_COO") X(SPARSE_CSR, "SPARSE_CSR")   \
  X(PSTRING_UNION, "PSTRING_UNION") X(STRIDED, "STRIDED")
// clang-format on

typedef enum pir_layout {
#define PIR_LAYOUT_ENUM(id, name) PIR_LAYOUT_##id,
  PIR_LAYOUTS(PIR_LAYOUT_ENUM)
#undef PIR_LAYOUT_ENUM
      PIR_LAYOUT_COUNT
} pir_layout;

PIR_API const char *pir_layout_name(pir_layout layout);
PIR_API pir_layout
pir_layout_from_name(pir_str name);  // any case; "MKLDNN" is ONEDNN; else COUNT

// Most dimensions a tensor may have. Readers refuse more.
#define PIR_MAX_RANK 16

// Where memory comes from. A null `alloc` means malloc and free. `alloc` returns memory aligned
// to `align` (a power of two) or NULL.
typedef struct pir_allocator {
  void *(*alloc)(void *user, size_t size, size_t align);
  void (*release)(void *user, void *memory, size_t size);
  void *user;
} pir_allocator;

// Bytes the caller lends: used in place until `release` is called (with the last model or
// program gone).
typedef struct pir_borrowed {
  const void *data;
  size_t size;
  void (*release)(void *user);  // may be NULL
  void *user;
} pir_borrowed;

// Receives text in pieces. Returns false to stop (a full disk, say).
typedef struct pir_writer {
  bool (*write)(void *user, const char *data, size_t size);
  void *user;
} pir_writer;

PIR_END
#endif
