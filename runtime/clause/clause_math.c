// Functions of value nodes over lanes. Each class (i64, f32, f64, complex float, complex
// double) has one loop for each function. f32 uses the f32 functions of libm, and double where
// libm has none. Cost: one pass over an L1-sized block each.
#include <complex.h>
#include <math.h>
#include <string.h>

#include "clause_impl.h"

#include <pir/compiler/index_nodes.h>

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3")  // vectorises loops whose length is not known
#endif

// ---- functions libm lacks

// Halley's method on erf, started from Giles' approximation ("Approximating the erfinv
// function", 2010). Infinite for |y| >= 1.
static double erf_inverse(double y) {
  if (!(y > -1 && y < 1))
    return y >= 1 || y <= -1 ? copysign(INFINITY, y) : NAN;
  static const double near[] = {2.81022636e-08,  3.43273939e-07, -3.5233877e-06,
                                -4.39150654e-06, 0.00021858087,  -0.00125372503,
                                -0.00417768164,  0.246640727,    1.50140941};
  static const double far[] = {-0.000200214257, 0.000100950558, 0.00134934322,
                               -0.00367342844,  0.00573950773,  -0.0076224613,
                               0.00943887047,   1.00167406,     2.83297682};
  double w = -log1p(-y * y);
  const double *p = w < 5 ? near : far;
  double t = w < 5 ? w - 2.5 : sqrt(w) - 3;
  double x = p[0];
  for (int i = 1; i < 9; i++)
    x = x * t + p[i];
  x *= y;
  for (int i = 0; i < 3; i++) {
    double error = y >= 0 ? (1 - y) - erfc(x) : erfc(-x) - (1 + y);
    double step = error * 0.886226925452758 * exp(x * x);
    x -= step / (1 + x * step);
  }
  return x;
}

static double digamma(double x) {
  if (x == 0)
    return copysign(INFINITY, -x);
  double result = 0;
  if (x < 0) {
    if (x == floor(x))
      return NAN;
    double pi = 3.14159265358979323846;
    result = -pi / tan(pi * (x - rint(x)));
    x = 1 - x;
  }
  for (; x < 10; x++)
    result -= 1 / x;
  double z = 1 / (x * x);
  double series =
      z *
      (1.0 / 12 - z * (1.0 / 120 -
                       z * (1.0 / 252 -
                            z * (1.0 / 240 - z * (1.0 / 132 - z * (691.0 / 32760 - z / 12))))));
  return result + log(x) - 0.5 / x - series;
}

// exp(-|x|) I_n(x): the power series, whose terms are all positive, and the asymptotic series
// for large |x|.
static double bessel_scaled(int order, double x) {
  double a = fabs(x), sum, term;
  if (isinf(x))
    return 0;
  if (a <= 30) {
    double q = a * a / 4;
    term = order ? a / 2 : 1;
    sum = term;
    for (int k = 1; k < 200 && term > sum * 1e-18; k++)
      sum += term *= q / ((double)k * (k + order));
    sum *= exp(-a);
  } else {
    double m = 4.0 * order * order;
    term = sum = 1;
    for (int k = 1; k < 30; k++) {
      double next = -term * (m - (2.0 * k - 1) * (2.0 * k - 1)) / (k * 8 * a);
      if (fabs(next) >= fabs(term))
        break;
      sum += term = next;
    }
    sum /= sqrt(2 * 3.14159265358979323846 * a);
  }
  return order && x < 0 ? -sum : sum;
}

static double log_gamma(double x) {
  int sign;
  return isinf(x) ? INFINITY : lgamma_r(x, &sign);
}

// Floor division as Python and Paddle do it: exact where the quotient is.
static double floor_quotient(double a, double b) {
  if (b == 0)
    return a / b;
  double mod = fmod(a, b), div = (a - mod) / b;
  if (mod != 0 && (b < 0) != (mod < 0))
    div -= 1;
  if (div == 0)
    return copysign(0, a / b);
  double down = floor(div);
  return div - down > 0.5 ? down + 1 : down;
}

static double floor_remainder(double a, double b) {
  double r = fmod(a, b);
  return r != 0 && (b < 0) != (r < 0) ? r + b : r;
}

// ---- unary. The tables of cases below are laid out by hand
// clang-format off

#define LOOP(id, expression)                             \
  case id:                                               \
    for (int i = 0; i < n; i++) {                        \
      x = a[i], (void)x;                                 \
      out[i] = (expression);                             \
    }                                                    \
    return true;

// The functions whose names differ by the suffix of the type.
#define FLOAT_UNARY(f, T) \
  LOOP(PIR_V_NEG, -x) LOOP(PIR_V_ABS, fabs##f(x)) LOOP(PIR_V_RECIP, 1 / x) \
  LOOP(PIR_V_SIGN, x > 0 ? (T)1 : x < 0 ? (T)-1 : x) \
  LOOP(PIR_V_FLOOR, floor##f(x)) LOOP(PIR_V_CEIL, ceil##f(x)) LOOP(PIR_V_TRUNC, trunc##f(x)) \
  LOOP(PIR_V_ROUND, round##f(x)) LOOP(PIR_V_RINT, rint##f(x)) \
  LOOP(PIR_V_SQRT, sqrt##f(x)) LOOP(PIR_V_RSQRT, 1 / sqrt##f(x)) LOOP(PIR_V_EXP, exp##f(x)) \
  LOOP(PIR_V_EXP2, exp2##f(x)) LOOP(PIR_V_EXPM1, expm1##f(x)) LOOP(PIR_V_LOG, log##f(x)) \
  LOOP(PIR_V_LOG2, log2##f(x)) LOOP(PIR_V_LOG10, log10##f(x)) LOOP(PIR_V_LOG1P, log1p##f(x)) \
  LOOP(PIR_V_SIN, sin##f(x)) LOOP(PIR_V_COS, cos##f(x)) LOOP(PIR_V_TAN, tan##f(x)) \
  LOOP(PIR_V_ASIN, asin##f(x)) LOOP(PIR_V_ACOS, acos##f(x)) LOOP(PIR_V_ATAN, atan##f(x)) \
  LOOP(PIR_V_SINH, sinh##f(x)) LOOP(PIR_V_COSH, cosh##f(x)) LOOP(PIR_V_TANH, tanh##f(x)) \
  LOOP(PIR_V_ASINH, asinh##f(x)) LOOP(PIR_V_ACOSH, acosh##f(x)) \
  LOOP(PIR_V_ATANH, atanh##f(x)) \
  LOOP(PIR_V_ERF, erf##f(x)) \
  LOOP(PIR_V_ERFINV, (T)erf_inverse(2 * (double)((x + 1) * (T)0.5) - 1)) \
  LOOP(PIR_V_LGAMMA, (T)log_gamma(x)) \
  LOOP(PIR_V_DIGAMMA, (T)digamma(x)) LOOP(PIR_V_I0E, (T)bessel_scaled(0, x)) \
  LOOP(PIR_V_I1E, (T)bessel_scaled(1, x)) \
  LOOP(PIR_V_I0, (T)(bessel_scaled(0, x) * exp(fabs((double)x)))) \
  LOOP(PIR_V_I1, (T)(bessel_scaled(1, x) * exp(fabs((double)x)))) \
  LOOP(PIR_V_REAL, x) LOOP(PIR_V_CONJ, x) LOOP(PIR_V_IMAG, 0) \
  LOOP(PIR_V_ANGLE, x < 0 ? (T)3.14159265358979323846 : x != x ? x : 0)

static bool unary_f32(int op, float *restrict out, const float *restrict a, int n) {
  float x;
  switch (op) {
    FLOAT_UNARY(f, float)
    default: return false;
  }
}

static bool unary_f64(int op, double *restrict out, const double *restrict a, int n) {
  double x;
  switch (op) {
    FLOAT_UNARY(, double)
    default: return false;
  }
}

static bool unary_i64(int op, int64_t *restrict out, const int64_t *restrict a, int n) {
  int64_t x;
  switch (op) {
    LOOP(PIR_V_NEG, (int64_t)(0 - (uint64_t)x))
    LOOP(PIR_V_ABS, x < 0 ? (int64_t)(0 - (uint64_t)x) : x)
    LOOP(PIR_V_SIGN, (x > 0) - (x < 0))
    LOOP(PIR_V_NOT, ~x)
    LOOP(PIR_V_IMAG, 0)
    case PIR_V_FLOOR: case PIR_V_CEIL: case PIR_V_TRUNC: case PIR_V_ROUND: case PIR_V_RINT:
    case PIR_V_REAL: case PIR_V_CONJ:
      memcpy(out, a, (size_t)n * sizeof *out);
      return true;
    default: return false;
  }
}

// Smith's division with one reciprocal, as Paddle divides: no overflow where the quotient is in
// range. The parts are put together in memory: a sum with I * x would turn an infinite part
// into NaN, and not every compiler has CMPLX.
#define COMPLEX_QUOTIENT(name, T, fused)                                                \
  static T complex name(T complex x, T complex y) {                                     \
    T a = (T)creal(x), b = (T)cimag(x), c = (T)creal(y), d = (T)cimag(y);               \
    bool flat = fabs(c) >= fabs(d);                                                     \
    T ratio = flat ? d / c : c / d, scale = 1 / (flat ? c + d * ratio : d + c * ratio); \
    T parts[2] = {(flat ? fused(b, ratio, a) : fused(a, ratio, b)) * scale,             \
                  (flat ? fused(-a, ratio, b) : fused(b, ratio, -a)) * scale};          \
    T complex quotient;                                                                 \
    memcpy(&quotient, parts, sizeof quotient);                                          \
    return quotient;                                                                    \
  }
COMPLEX_QUOTIENT(quotient_c64, float, fmaf)
COMPLEX_QUOTIENT(quotient_c128, double, fma)

// Both parts rounded. Paddle's remainder takes the nearest quotient, not the one below.
#define COMPLEX_NEAREST(name, T, divide)                           \
  static T complex name(T complex x, bool even) {                  \
    double re = creal(x), im = cimag(x);                           \
    T parts[2] = {(T)(even ? rint(re) : round(re)),                \
                  (T)(even ? rint(im) : round(im))};               \
    T complex nearest;                                             \
    memcpy(&nearest, parts, sizeof nearest);                       \
    return nearest;                                                \
  }                                                                \
  static T complex name##_remainder(T complex x, T complex y) {    \
    return x - name(divide(x, y), false) * y;                      \
  }
COMPLEX_NEAREST(nearest_c64, float, quotient_c64)
COMPLEX_NEAREST(nearest_c128, double, quotient_c128)

#define COMPLEX_UNARY(f, divide, nearest) \
  LOOP(PIR_V_NEG, -x) LOOP(PIR_V_RECIP, divide(1, x)) LOOP(PIR_V_SQRT, csqrt##f(x)) \
  LOOP(PIR_V_RSQRT, divide(1, csqrt##f(x))) \
  LOOP(PIR_V_EXP, cexp##f(x)) LOOP(PIR_V_EXPM1, cexp##f(x) - 1) \
  LOOP(PIR_V_EXP2, cexp##f(x * LN2)) \
  LOOP(PIR_V_LOG, clog##f(x)) LOOP(PIR_V_LOG2, clog##f(x) / LN2) \
  LOOP(PIR_V_LOG10, clog##f(x) / LN10) \
  LOOP(PIR_V_LOG1P, clog##f(1 + x)) LOOP(PIR_V_SIN, csin##f(x)) LOOP(PIR_V_COS, ccos##f(x)) \
  LOOP(PIR_V_TAN, ctan##f(x)) LOOP(PIR_V_ASIN, casin##f(x)) LOOP(PIR_V_ACOS, cacos##f(x)) \
  LOOP(PIR_V_ATAN, catan##f(x)) LOOP(PIR_V_SINH, csinh##f(x)) LOOP(PIR_V_COSH, ccosh##f(x)) \
  LOOP(PIR_V_TANH, ctanh##f(x)) LOOP(PIR_V_ASINH, casinh##f(x)) \
  LOOP(PIR_V_ACOSH, cacosh##f(x)) \
  LOOP(PIR_V_ATANH, catanh##f(x)) LOOP(PIR_V_CONJ, conj##f(x)) \
  LOOP(PIR_V_SIGN, x == 0 ? 0 : x / cabs##f(x)) \
  LOOP(PIR_V_ABS, cabs##f(x)) LOOP(PIR_V_REAL, creal##f(x)) LOOP(PIR_V_IMAG, cimag##f(x)) \
  LOOP(PIR_V_ANGLE, carg##f(x)) \
  LOOP(PIR_V_ROUND, nearest(x, false)) LOOP(PIR_V_RINT, nearest(x, true))

#define LN2 0.69314718055994530942
#define LN10 2.30258509299404568402

static bool unary_c128(int op, double complex *restrict out, const double complex *restrict a,
                       int n) {
  double complex x;
  switch (op) {
    COMPLEX_UNARY(, quotient_c128, nearest_c128)
    default: return false;
  }
}

static bool unary_c64(int op, float complex *restrict out, const float complex *restrict a,
                      int n) {
  float complex x;
  switch (op) {
    COMPLEX_UNARY(f, quotient_c64, nearest_c64)
    default: return false;
  }
}

bool pir_clause_unary(int op, pir_dtype lanes, void *out, const void *a, int n) {
  switch (lanes) {
    case PIR_F32: return unary_f32(op, out, a, n);
    case PIR_F64: return unary_f64(op, out, a, n);
    case PIR_I64: return unary_i64(op, out, a, n);
    case PIR_C64: return unary_c64(op, out, a, n);
    case PIR_C128: return unary_c128(op, out, a, n);
    default: return false;
  }
}

// ---- binary

#undef LOOP
#define LOOP(id, expression)                             \
  case id:                                               \
    for (int i = 0; i < n; i++) {                        \
      x = a[i], (void)x;                                          \
      y = b[i], (void)y;                                 \
      out[i] = (expression);                             \
    }                                                    \
    return true;

#define FLOAT_BINARY(f, T) \
  LOOP(PIR_V_ADD, x + y) LOOP(PIR_V_SUB, x - y) LOOP(PIR_V_MUL, x * y) LOOP(PIR_V_DIV, x / y) \
  LOOP(PIR_V_FLOORDIV, (T)floor_quotient(x, y)) \
  LOOP(PIR_V_FLOORMOD, (T)floor_remainder(x, y)) \
  LOOP(PIR_V_FMOD, fmod##f(x, y)) LOOP(PIR_V_POW, pow##f(x, y)) \
  LOOP(PIR_V_ATAN2, atan2##f(x, y)) \
  LOOP(PIR_V_MIN, ((x != x) | (x < y)) ? x : y) \
  LOOP(PIR_V_MAX, ((x != x) | (x > y)) ? x : y) \
  LOOP(PIR_V_FMIN, ((y != y) | (x < y)) ? x : y) \
  LOOP(PIR_V_FMAX, ((y != y) | (x > y)) ? x : y) \
  LOOP(PIR_V_COPYSIGN, copysign##f(x, y)) LOOP(PIR_V_NEXTAFTER, nextafter##f(x, y))

static bool binary_f32(int op, float *restrict out, const float *restrict a,
                       const float *restrict b, int n) {
  float x, y;
  switch (op) {
    FLOAT_BINARY(f, float)
    default: return false;
  }
}

static bool binary_f64(int op, double *restrict out, const double *restrict a,
                       const double *restrict b, int n) {
  double x, y;
  switch (op) {
    FLOAT_BINARY(, double)
    default: return false;
  }
}

static int64_t quotient(int64_t a, int64_t b) {
  if (b == -1) return pir_index_sub(0, a);
  return b ? a / b : 0;
}
static int64_t remainder_of(int64_t a, int64_t b) { return b == 0 || b == -1 ? 0 : a % b; }
static int64_t floor_modulo(int64_t a, int64_t b) {
  int64_t r = remainder_of(a, b);
  return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}
static int64_t shift_left(int64_t x, int64_t y) {
  return y < 0 || y > 63 ? 0 : (int64_t)((uint64_t)x << y);
}
static int64_t shift_right(int64_t x, int64_t y) { return x >> (y < 0 || y > 63 ? 63 : y); }

static int64_t power(int64_t x, int64_t y) {
  if (y < 0 && x != 1 && x != -1) return 0;
  if (y < 0) return y & 1 ? x : 1;
  uint64_t result = 1, square = (uint64_t)x;
  for (; y; y >>= 1, square *= square)
    if (y & 1) result *= square;
  return (int64_t)result;
}

static bool binary_i64(int op, int64_t *restrict out, const int64_t *restrict a,
                       const int64_t *restrict b, int n) {
  int64_t x, y;
  switch (op) {
    LOOP(PIR_V_ADD, pir_index_add(x, y))
    LOOP(PIR_V_SUB, pir_index_sub(x, y))
    LOOP(PIR_V_MUL, pir_index_mul(x, y))
    LOOP(PIR_V_DIV, quotient(x, y))
    LOOP(PIR_V_FLOORDIV, pir_index_floordiv(x, y))
    LOOP(PIR_V_FLOORMOD, floor_modulo(x, y))
    LOOP(PIR_V_FMOD, remainder_of(x, y))
    LOOP(PIR_V_POW, power(x, y))
    LOOP(PIR_V_MIN, x < y ? x : y) LOOP(PIR_V_MAX, x > y ? x : y)
    LOOP(PIR_V_FMIN, x < y ? x : y) LOOP(PIR_V_FMAX, x > y ? x : y)
    LOOP(PIR_V_AND, x & y) LOOP(PIR_V_OR, x | y) LOOP(PIR_V_XOR, x ^ y)
    LOOP(PIR_V_SHL, shift_left(x, y)) LOOP(PIR_V_SHR, shift_right(x, y))
    default: return false;
  }
}

// The larger of two complex numbers is the one with the larger real part.
#define COMPLEX_BINARY(f, divide, remainder) \
  LOOP(PIR_V_ADD, x + y) LOOP(PIR_V_SUB, x - y) LOOP(PIR_V_MUL, x * y) \
  LOOP(PIR_V_DIV, divide(x, y)) \
  LOOP(PIR_V_POW, cpow##f(x, y)) LOOP(PIR_V_FLOORMOD, remainder(x, y)) \
  LOOP(PIR_V_MIN, creal##f(y) < creal##f(x) ? y : x) \
  LOOP(PIR_V_MAX, creal##f(x) < creal##f(y) ? y : x)

static bool binary_c128(int op, double complex *restrict out, const double complex *restrict a,
                        const double complex *restrict b, int n) {
  double complex x, y;
  switch (op) {
    COMPLEX_BINARY(, quotient_c128, nearest_c128_remainder)
    default: return false;
  }
}

static bool binary_c64(int op, float complex *restrict out, const float complex *restrict a,
                       const float complex *restrict b,
                       int n) {
  float complex x, y;
  switch (op) {
    COMPLEX_BINARY(f, quotient_c64, nearest_c64_remainder)
    default: return false;
  }
}

bool pir_clause_binary(int op, pir_dtype lanes, void *out, const void *a, const void *b,
                       int n) {
  switch (lanes) {
    case PIR_F32: return binary_f32(op, out, a, b, n);
    case PIR_F64: return binary_f64(op, out, a, b, n);
    case PIR_I64: return binary_i64(op, out, a, b, n);
    case PIR_C64: return binary_c64(op, out, a, b, n);
    case PIR_C128: return binary_c128(op, out, a, b, n);
    default: return false;
  }
}

// ---- comparisons and questions: 0 or 1 in i64 lanes

#define COMPARISONS \
  LOOP(PIR_V_EQ, x == y) LOOP(PIR_V_NE, x != y) LOOP(PIR_V_LT, x < y) LOOP(PIR_V_LE, x <= y)

static bool compare_f32(int op, int64_t *restrict out, const float *restrict a,
                        const float *restrict b, int n) {
  float x, y;
  switch (op) {
    COMPARISONS
    LOOP(PIR_V_ISNAN, x != x) LOOP(PIR_V_ISINF, isinf(x) != 0)
    LOOP(PIR_V_ISFINITE, isfinite(x) != 0)
    default: return false;
  }
}

static bool compare_f64(int op, int64_t *restrict out, const double *restrict a,
                        const double *restrict b, int n) {
  double x, y;
  switch (op) {
    COMPARISONS
    LOOP(PIR_V_ISNAN, x != x) LOOP(PIR_V_ISINF, isinf(x) != 0)
    LOOP(PIR_V_ISFINITE, isfinite(x) != 0)
    default: return false;
  }
}

static bool compare_i64(int op, int64_t *restrict out, const int64_t *restrict a,
                        const int64_t *restrict b, int n) {
  int64_t x, y;
  switch (op) {
    COMPARISONS
    LOOP(PIR_V_ISNAN, 0) LOOP(PIR_V_ISINF, 0) LOOP(PIR_V_ISFINITE, 1)
    default: return false;
  }
}

// By the real part, then by the other.
#define COMPLEX_COMPARISONS                                                            \
  LOOP(PIR_V_EQ, x == y) LOOP(PIR_V_NE, x != y)                                        \
  LOOP(PIR_V_LT, creal(x) < creal(y) || (creal(x) == creal(y) && cimag(x) < cimag(y)))  \
  LOOP(PIR_V_LE, creal(x) < creal(y) || (creal(x) == creal(y) && cimag(x) <= cimag(y))) \
  LOOP(PIR_V_ISNAN, isnan(creal(x)) || isnan(cimag(x)))                                \
  LOOP(PIR_V_ISINF, isinf(creal(x)) || isinf(cimag(x)))                                \
  LOOP(PIR_V_ISFINITE, isfinite(creal(x)) && isfinite(cimag(x)))

static bool compare_c128(int op, int64_t *restrict out, const double complex *restrict a,
                         const double complex *restrict b,
                         int n) {
  double complex x, y;
  switch (op) {
    COMPLEX_COMPARISONS
    default: return false;
  }
}

static bool compare_c64(int op, int64_t *restrict out, const float complex *restrict a,
                        const float complex *restrict b, int n) {
  float complex x, y;
  switch (op) {
    COMPLEX_COMPARISONS
    default: return false;
  }
}

bool pir_clause_compare(int op, pir_dtype lanes, int64_t *out, const void *a, const void *b,
                        int n) {
  switch (lanes) {
    case PIR_F32: return compare_f32(op, out, a, b, n);
    case PIR_F64: return compare_f64(op, out, a, b, n);
    case PIR_I64: return compare_i64(op, out, a, b, n);
    case PIR_C64: return compare_c64(op, out, a, b, n);
    case PIR_C128: return compare_c128(op, out, a, b, n);
    default: return false;
  }
}
