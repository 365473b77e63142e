// Activations of recurrent cells. Those of f32 are polynomials after a range reduction, without
// branches, on vectors of eight that the compiler maps to what the processor has: within 3 ulp,
// and the same numbers everywhere. Those of f64 are libm's.
#include "activations.h"

#include <math.h>
#include <string.h>

#define INLINE static inline __attribute__((always_inline))

enum { WIDTH = 8 };

typedef float eight __attribute__((vector_size(32)));
typedef int32_t bits __attribute__((vector_size(32)));

// By reference: how vectors are passed depends on the processor that is compiled for.
INLINE void choose(const bits *mask, const eight *yes, eight *io) {
  *io = (eight)((*mask & (bits)*yes) | (~*mask & (bits)*io));
}

// x = n ln 2 + r; adding `magic` rounds n to an integer and leaves it in the low bits. NaN
// stays.
INLINE void exponential(eight *io) {
  const eight magic = (eight){0} + 12582912.0f;
  const eight low = (eight){0} - 87.0f;
  const eight high = (eight){0} + 88.0f;
  eight x = *io;
  bits below = x<low, above = x> high;
  choose(&below, &low, &x);
  choose(&above, &high, &x);
  eight shifted = x * 1.44269504f + magic;
  eight n = shifted - magic;
  eight r = x - n * 0.693359375f + n * 2.12194440e-4f;
  eight p = r * 0x1.694000p-10f + 0x1.125edcp-7f;
  p = p * r + 0x1.555b5ap-5f;
  p = p * r + 0x1.555450p-3f;
  p = p * r + 0x1.fffff6p-2f;
  p = (p * r + 1) * r + 1;
  *io = p * (eight)(((bits)shifted - (0x4b400000 - 127)) << 23);
}

INLINE void sigmoid(eight *io) {
  eight e = -*io;
  exponential(&e);
  *io = 1 / (1 + e);
}

INLINE void hyperbolic(eight *io) {
  const bits sign = (bits){0} + INT32_MIN;
  eight x = *io;
  eight t = (eight)((bits)x & ~sign);
  eight e = t + t;
  eight s = x * x;
  eight p = s * -5.70498872745e-3f + 2.06390887954e-2f;
  p = p * s - 5.37397155531e-2f;
  p = p * s + 1.33314422036e-1f;
  p = p * s - 3.33332819422e-1f;
  eight small = p * s * x + x;
  exponential(&e);
  *io = (eight)((bits)(1 - 2 / (e + 1)) | ((bits)x & sign));
  bits near = t < 0.625f;
  choose(&near, &small, io);
}

#define EACH(function)                                                                         \
  for (int64_t i = 0; i < n; i += WIDTH) {                                                     \
    eight v = {0};                                                                             \
    size_t size = (size_t)(n - i < WIDTH ? n - i : WIDTH) * sizeof *x;                         \
    if (n - i >= WIDTH)                                                                        \
      memcpy(&v, x + i, sizeof v);                                                             \
    else                                                                                       \
      memcpy(&v, x + i, size);                                                                 \
    function(&v);                                                                              \
    if (n - i >= WIDTH)                                                                        \
      memcpy(x + i, &v, sizeof v);                                                             \
    else                                                                                       \
      memcpy(x + i, &v, size);                                                                 \
  }

INLINE void sigmoids(float *x, int64_t n){EACH(sigmoid)} INLINE
    void tanhs(float *x, int64_t n) {
  EACH(hyperbolic)
}

#if defined(__x86_64__) && defined(__GNUC__)
__attribute__((target("avx2"))) static void sigmoids_wide(float *x, int64_t n) {
  sigmoids(x, n);
}
__attribute__((target("avx2"))) static void tanhs_wide(float *x, int64_t n) {
  tanhs(x, n);
}
static int is_wide(void) {
  return __builtin_cpu_supports("avx2");
}
#else
static void sigmoids_wide(float *x, int64_t n) {
  sigmoids(x, n);
}
static void tanhs_wide(float *x, int64_t n) {
  tanhs(x, n);
}
static int is_wide(void) {
  return 0;
}
#endif

void pir_sigmoid_f32(float *x, int64_t n) {
  if (is_wide())
    sigmoids_wide(x, n);
  else
    sigmoids(x, n);
}

void pir_tanh_f32(float *x, int64_t n) {
  if (is_wide())
    tanhs_wide(x, n);
  else
    tanhs(x, n);
}

void pir_sigmoid_f64(double *x, int64_t n) {
  for (int64_t i = 0; i < n; i++)
    x[i] = 1 / (1 + exp(-x[i]));
}

void pir_tanh_f64(double *x, int64_t n) {
  for (int64_t i = 0; i < n; i++)
    x[i] = tanh(x[i]);
}
