// Conversion of element runs. The native types (those with a C type of their own) convert
// directly, each pair by its own loop, made by the macros below: so the compiler vectorises the
// unit-stride cases and no value is rounded twice. The 16-bit and 8-bit floats convert through
// f32, in blocks that stay in the first-level cache, and complex numbers part by part. Cost:
// one pass; two between 16-bit or 8-bit floats.
#include <math.h>
#include <string.h>

#include "convert.h"
#include <pir/engine/tensor.h>

enum { BLOCK = 256 };

// ---- 16-bit and 8-bit floats

uint16_t pir_f32_to_bf16(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  if ((bits & 0x7fffffffu) > 0x7f800000u)
    return (uint16_t)(bits >> 16 | 0x40);
  return (uint16_t)((bits + 0x7fffu + (bits >> 16 & 1)) >> 16);
}

float pir_bf16_to_f32(uint16_t bits) {
  uint32_t wide = (uint32_t)bits << 16;
  float value;
  memcpy(&value, &wide, sizeof value);
  return value;
}

// A float format of at most 16 bits: the sign bit, `exponent` bits, `mantissa` bits.
typedef struct small_float {
  int exponent, mantissa, bias;
  bool has_inf;  // e4m3fn has no infinity: all ones is NaN, and overflow gives NaN
} small_float;

static const small_float f16_format = {5, 10, 15, true};
static const small_float e4m3_format = {4, 3, 7, false};
static const small_float e5m2_format = {5, 2, 15, true};

static inline uint32_t f32_to_small_float(float value, small_float f) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  // Rounds to nearest, ties to even.
  uint32_t sign = bits >> 31 << (f.exponent + f.mantissa);
  uint32_t magnitude = bits & 0x7fffffffu;
  uint32_t inf = ((1u << f.exponent) - 1) << f.mantissa;
  uint32_t all = inf | ((1u << f.mantissa) - 1);
  if (magnitude > 0x7f800000u)
    return sign | (f.has_inf ? inf | 1u << (f.mantissa - 1) : all);
  int shift = 23 - f.mantissa;
  int e = (int)(magnitude >> 23) - 127 + f.bias;
  uint32_t significand = (magnitude & 0x7fffffu) | 0x800000u;
  if (e < 1) {  // subnormal: shift further right
    shift += 1 - e;
    if (shift > 24)
      return sign;
    e = 1;
  }
  uint32_t kept = significand >> shift;
  uint32_t rest = significand & ((1u << shift) - 1);
  uint32_t half = 1u << (shift - 1);
  kept += rest > half || (rest == half && (kept & 1));
  // `kept` holds the hidden bit, which raises the exponent by one when it is set.
  uint64_t result = ((uint64_t)(e - 1) << f.mantissa) + kept;
  if (f.has_inf)
    return sign | (result >= inf ? inf : (uint32_t)result);
  return sign | (result >= all ? all : (uint32_t)result);
}

static inline float f32_from_small_float(uint32_t bits, small_float f) {
  uint32_t inf = ((1u << f.exponent) - 1) << f.mantissa;
  uint32_t all = inf | ((1u << f.mantissa) - 1);
  uint32_t sign = bits >> (f.exponent + f.mantissa) & 1;
  uint32_t magnitude = bits & all;
  uint32_t wide;
  float value;
  if (f.has_inf ? magnitude >= inf : magnitude == all) {
    wide = 0x7f800000u | (f.has_inf ? (magnitude - inf) << (23 - f.mantissa) : 0x400000u);
  } else if (magnitude >> f.mantissa == 0) {
    value = ldexpf((float)magnitude, 1 - f.bias - f.mantissa);
    return sign ? -value : value;
  } else {
    wide = (magnitude << (23 - f.mantissa)) + ((uint32_t)(127 - f.bias) << 23);
  }
  wide |= sign << 31;
  memcpy(&value, &wide, sizeof value);
  return value;
}

uint16_t pir_f32_to_f16(float value) {
  return (uint16_t)f32_to_small_float(value, f16_format);
}
float pir_f16_to_f32(uint16_t bits) {
  return f32_from_small_float(bits, f16_format);
}

// ---- every pair of native types

static inline int32_t int32_of(double x) {
  return x > -2147483649.0 && x < 2147483648.0 ? (int32_t)x : INT32_MIN;
}
static inline int64_t int64_of(double x) {
  return x >= -9223372036854775808.0 && x < 9223372036854775808.0 ? (int64_t)x : INT64_MIN;
}
static inline uint64_t uint64_of(double x) {
  if (!(x >= 9223372036854775808.0))
    return (uint64_t)int64_of(x);
  return x < 18446744073709551616.0 ? (uint64_t)x : 0;
}

// Converters of one element: INT_x from any integer, FLT_x from f32 or f64.
#define INT_bool(x) ((x) != 0)
#define FLT_bool(x) ((x) != 0)
#define FLT_uint8_t(x) ((uint8_t)int32_of(x))
#define FLT_int8_t(x) ((int8_t)int32_of(x))
#define FLT_uint16_t(x) ((uint16_t)int32_of(x))
#define FLT_int16_t(x) ((int16_t)int32_of(x))
#define FLT_uint32_t(x) ((uint32_t)int64_of(x))
#define FLT_int32_t(x) int32_of(x)
#define FLT_uint64_t(x) uint64_of(x)
#define FLT_int64_t(x) int64_of(x)
#define FLT_float(x) ((float)(x))
#define FLT_double(x) ((double)(x))
#define INT_uint8_t(x) ((uint8_t)(x))
#define INT_int8_t(x) ((int8_t)(x))
#define INT_uint16_t(x) ((uint16_t)(x))
#define INT_int16_t(x) ((int16_t)(x))
#define INT_uint32_t(x) ((uint32_t)(x))
#define INT_int32_t(x) ((int32_t)(x))
#define INT_uint64_t(x) ((uint64_t)(x))
#define INT_int64_t(x) ((int64_t)(x))
#define INT_float(x) ((float)(x))
#define INT_double(x) ((double)(x))

// Parameters lie where their file has them, so elements may be read from any alignment.
#define RUN(T, S, K)                                                                           \
  do {                                                                                         \
    typedef S anywhere __attribute__((aligned(1)));                                            \
    T *out = to_data;                                                                          \
    const anywhere *in = from_data;                                                            \
    if (to_stride == 1 && from_stride == 1) {                                                  \
      for (int64_t i = 0; i < n; i++)                                                          \
        out[i] = K##_##T(in[i]);                                                               \
    } else {                                                                                   \
      for (int64_t i = 0; i < n; i++)                                                          \
        out[i * to_stride] = K##_##T(in[i * from_stride]);                                     \
    }                                                                                          \
  } while (0)

#define NATIVE_INTS(X)                                                                         \
  X(BOOL, uint8_t)                                                                             \
  X(U8, uint8_t)                                                                               \
  X(I8, int8_t)                                                                                \
  X(U16, uint16_t)                                                                             \
  X(I16, int16_t) X(U32, uint32_t) X(I32, int32_t) X(U64, uint64_t) X(I64, int64_t)

#define TO_CASES(S, K)                                                                         \
  switch (to) {                                                                                \
    case PIR_BOOL: RUN(bool, S, K); break;                                                     \
    case PIR_U8: RUN(uint8_t, S, K); break;                                                    \
    case PIR_I8: RUN(int8_t, S, K); break;                                                     \
    case PIR_U16: RUN(uint16_t, S, K); break;                                                  \
    case PIR_I16: RUN(int16_t, S, K); break;                                                   \
    case PIR_U32: RUN(uint32_t, S, K); break;                                                  \
    case PIR_I32: RUN(int32_t, S, K); break;                                                   \
    case PIR_U64: RUN(uint64_t, S, K); break;                                                  \
    case PIR_INDEX:                                                                            \
    case PIR_I64: RUN(int64_t, S, K); break;                                                   \
    case PIR_F32: RUN(float, S, K); break;                                                     \
    case PIR_F64: RUN(double, S, K); break;                                                    \
    default: break;                                                                            \
  }

#define FROM_INT(id, S)                                                                        \
  static void from_##id(pir_dtype to, void *restrict to_data, int64_t to_stride,               \
                        const void *restrict from_data, int64_t from_stride, int64_t n) {      \
    TO_CASES(S, INT)                                                                           \
  }
NATIVE_INTS(FROM_INT)
#undef FROM_INT

static void from_F32(pir_dtype to, void *restrict to_data, int64_t to_stride,
                     const void *restrict from_data, int64_t from_stride, int64_t n) {
  TO_CASES(float, FLT)
}

static void from_F64(pir_dtype to, void *restrict to_data, int64_t to_stride,
                     const void *restrict from_data, int64_t from_stride, int64_t n) {
  TO_CASES(double, FLT)
}

static void convert_native(pir_dtype to, void *to_data, int64_t to_stride, pir_dtype from,
                           const void *from_data, int64_t from_stride, int64_t n) {
  switch (from) {
#define FROM_CASE(id, S)                                                                       \
  case PIR_##id: from_##id(to, to_data, to_stride, from_data, from_stride, n); break;
    NATIVE_INTS(FROM_CASE)
    FROM_CASE(F32, float)
    FROM_CASE(F64, double)
#undef FROM_CASE
    case PIR_INDEX: from_I64(to, to_data, to_stride, from_data, from_stride, n); break;
    default: break;
  }
}

// ---- the other types

static bool is_native_dtype(pir_dtype t) {
  return (t >= PIR_BOOL && t <= PIR_F64) || t == PIR_INDEX;
}

static bool is_small_float_dtype(pir_dtype t) {
  return t == PIR_F16 || t == PIR_BF16 || t == PIR_F8E4M3 || t == PIR_F8E5M2;
}

bool pir_converts(pir_dtype t) {
  return is_native_dtype(t) || is_small_float_dtype(t) || pir_dtype_is_complex(t);
}

static void widen_small_floats(float *restrict out, pir_dtype from, const void *restrict data,
                               int64_t stride, int64_t n) {
  typedef uint16_t anywhere __attribute__((aligned(1)));
  const anywhere *words = data;
  const uint8_t *bytes = data;
  if (from == PIR_BF16)
    for (int64_t i = 0; i < n; i++)
      out[i] = pir_bf16_to_f32(words[i * stride]);
  else if (from == PIR_F16)
    for (int64_t i = 0; i < n; i++)
      out[i] = f32_from_small_float(words[i * stride], f16_format);
  else if (from == PIR_F8E4M3)
    for (int64_t i = 0; i < n; i++)
      out[i] = f32_from_small_float(bytes[i * stride], e4m3_format);
  else
    for (int64_t i = 0; i < n; i++)
      out[i] = f32_from_small_float(bytes[i * stride], e5m2_format);
}

static void narrow_to_small_floats(pir_dtype to, void *restrict data, int64_t stride,
                                   const float *restrict in, int64_t n) {
  uint16_t *words = data;
  uint8_t *bytes = data;
  if (to == PIR_BF16)
    for (int64_t i = 0; i < n; i++)
      words[i * stride] = pir_f32_to_bf16(in[i]);
  else if (to == PIR_F16)
    for (int64_t i = 0; i < n; i++)
      words[i * stride] = (uint16_t)f32_to_small_float(in[i], f16_format);
  else if (to == PIR_F8E4M3)
    for (int64_t i = 0; i < n; i++)
      bytes[i * stride] = (uint8_t)f32_to_small_float(in[i], e4m3_format);
  else
    for (int64_t i = 0; i < n; i++)
      bytes[i * stride] = (uint8_t)f32_to_small_float(in[i], e5m2_format);
}

// Fills the run with one element: copies the filled part behind itself, doubling it each time.
static void repeat_element(size_t size, char *to_data, const void *from_data, int64_t n) {
  size_t bytes = (size_t)n * size, done = size;
  memmove(to_data, from_data, size);
  for (; done < bytes && done < 64; done += size)
    memcpy(to_data + done, to_data, size);
  while (done < bytes) {
    size_t more = done < bytes - done ? done : bytes - done;
    memcpy(to_data + done, to_data, more);
    done += more;
  }
}

static void copy_same_dtype(size_t size, void *to_data, int64_t to_stride,
                            const void *from_data, int64_t from_stride, int64_t n) {
  if (to_stride == 1 && from_stride == 1) {
    memcpy(to_data, from_data, (size_t)n * size);
    return;
  }
  if (to_stride == 1 && from_stride == 0) {
    repeat_element(size, to_data, from_data, n);
    return;
  }
  char *out = to_data;
  const char *in = from_data;
  int64_t out_step = to_stride * (int64_t)size, in_step = from_stride * (int64_t)size;
#define COPY_CASE(bytes)                                                                       \
  case bytes:                                                                                  \
    for (int64_t i = 0; i < n; i++)                                                            \
      memcpy(out + i * out_step, in + i * in_step, bytes);                                     \
    break
  switch (size) {
    COPY_CASE(1);
    COPY_CASE(2);
    COPY_CASE(4);
    COPY_CASE(8);
    COPY_CASE(16);
    default: break;
  }
#undef COPY_CASE
}

static pir_dtype real_part_dtype(pir_dtype t) {
  switch (t) {
    case PIR_C64: return PIR_F32;
    case PIR_C128: return PIR_F64;
    default: return t;
  }
}

// To complex: the real part converts alone, and the imaginary part as well or is zero.
static void convert_to_complex(pir_dtype to, void *to_data, int64_t to_stride, pir_dtype from,
                               const void *from_data, int64_t from_stride, int64_t n) {
  pir_dtype real = real_part_dtype(to);
  char *imaginary = (char *)to_data + pir_dtype_size(real);
  if (!pir_dtype_is_complex(from)) {
    static const float zero = 0;
    pir_convert(real, to_data, to_stride * 2, from, from_data, from_stride, n);
    pir_convert(real, imaginary, to_stride * 2, PIR_F32, &zero, 0, n);
    return;
  }
  pir_dtype part = real_part_dtype(from);
  const char *from_imaginary = (const char *)from_data + pir_dtype_size(part);
  pir_convert(real, to_data, to_stride * 2, part, from_data, from_stride * 2, n);
  pir_convert(real, imaginary, to_stride * 2, part, from_imaginary, from_stride * 2, n);
}

// A complex number is true if one of its parts is.
static void convert_complex_to_bool(bool *to_data, int64_t to_stride, pir_dtype from,
                                    const char *from_data, int64_t from_stride, int64_t n) {
  bool parts[2];
  int64_t step = from_stride * (int64_t)pir_dtype_size(from);
  for (int64_t i = 0; i < n; i++) {
    pir_convert(PIR_BOOL, parts, 1, real_part_dtype(from), from_data + i * step, 1, 2);
    to_data[i * to_stride] = parts[0] || parts[1];
  }
}

// One of the types at least is a 16-bit or 8-bit float: converts through blocks of f32.
static void convert_through_f32(pir_dtype to, void *to_data, int64_t to_stride, pir_dtype from,
                                const void *from_data, int64_t from_stride, int64_t n) {
  float block[BLOCK];
  size_t to_size = pir_dtype_size(to);
  size_t from_size = pir_dtype_size(from);
  for (int64_t i = 0; i < n; i += BLOCK) {
    int64_t m = n - i < BLOCK ? n - i : BLOCK;
    char *out = (char *)to_data + i * to_stride * (int64_t)to_size;
    const char *in = (const char *)from_data + i * from_stride * (int64_t)from_size;
    if (is_small_float_dtype(from))
      widen_small_floats(block, from, in, from_stride, m);
    else
      convert_native(PIR_F32, block, 1, from, in, from_stride, m);
    if (is_small_float_dtype(to))
      narrow_to_small_floats(to, out, to_stride, block, m);
    else
      convert_native(to, out, to_stride, PIR_F32, block, 1, m);
  }
}

void pir_convert(pir_dtype to, void *to_data, int64_t to_stride, pir_dtype from,
                 const void *from_data, int64_t from_stride, int64_t n) {
  if (n <= 0)
    return;
  if (from_stride == 0 && to_stride == 1 && n > 1 && to != from) {
    pir_convert(to, to_data, 1, from, from_data, 1, 1);
    repeat_element(pir_dtype_size(to), to_data, to_data, n);
  } else if (to == from) {
    copy_same_dtype(pir_dtype_size(to), to_data, to_stride, from_data, from_stride, n);
  } else if (pir_dtype_is_complex(to)) {
    convert_to_complex(to, to_data, to_stride, from, from_data, from_stride, n);
  } else if (pir_dtype_is_complex(from) && to == PIR_BOOL) {
    convert_complex_to_bool(to_data, to_stride, from, from_data, from_stride, n);
  } else if (pir_dtype_is_complex(from)) {
    pir_convert(to, to_data, to_stride, real_part_dtype(from), from_data, from_stride * 2, n);
  } else if (is_native_dtype(to) && is_native_dtype(from)) {
    convert_native(to, to_data, to_stride, from, from_data, from_stride, n);
  } else {
    convert_through_f32(to, to_data, to_stride, from, from_data, from_stride, n);
  }
}
