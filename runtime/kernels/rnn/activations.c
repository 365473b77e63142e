// Activations of recurrent cells. For f32, range reduction and polynomials without branches, on
// vectors of eight, which the compiler maps to the processor's registers: within 3 ulp, and the
// same numbers on every processor. For f64, libm.
#include "activations.h"

#include <math.h>
#include <string.h>

// The functions that take vectors must be inlined, so that they are compiled for the caller's
// target.
#define INLINE static inline __attribute__((always_inline))

enum { WIDTH = 8 };

typedef float eight __attribute__((vector_size(32)));
typedef int32_t bits __attribute__((vector_size(32)));

// io = mask ? yes : io. Vectors are passed by reference, because the calling convention for
// them depends on the target processor.
INLINE void blend_eight(const bits *mask, const eight *yes, eight *io) {
  *io = (eight)((*mask & (bits)*yes) | (~*mask & (bits)*io));
}

// io = exp(io), by x = n ln 2 + r. Adding `magic` rounds n to an integer and leaves it in the
// low bits. NaN stays NaN.
INLINE void exponential_of_eight(eight *io) {
  const eight magic = (eight){0} + 12582912.0f;
  const eight low = (eight){0} - 87.0f;
  const eight high = (eight){0} + 88.0f;
  eight x = *io;
  bits below = x < low;
  bits above = x > high;
  blend_eight(&below, &low, &x);
  blend_eight(&above, &high, &x);
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

INLINE void sigmoid_of_eight(eight *io) {
  eight e = -*io;
  exponential_of_eight(&e);
  *io = 1 / (1 + e);
}

INLINE void tanh_of_eight(eight *io) {
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
  exponential_of_eight(&e);
  *io = (eight)((bits)(1 - 2 / (e + 1)) | ((bits)x & sign));
  bits near = t < 0.625f;
  blend_eight(&near, &small, io);
}

#define APPLY_TO_RUN(function)                                                                 \
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

INLINE void sigmoid_run(float *x, int64_t n){APPLY_TO_RUN(sigmoid_of_eight)}

INLINE void tanh_run(float *x, int64_t n) {
  APPLY_TO_RUN(tanh_of_eight)
}

// The same loops compiled for AVX2, where the processor may have it.
#if defined(__x86_64__) && defined(__GNUC__)
__attribute__((target("avx2"))) static void sigmoid_run_avx2(float *x, int64_t n) {
  sigmoid_run(x, n);
}
__attribute__((target("avx2"))) static void tanh_run_avx2(float *x, int64_t n) {
  tanh_run(x, n);
}
static int has_avx2(void) {
  return __builtin_cpu_supports("avx2");
}
#else
static void sigmoid_run_avx2(float *x, int64_t n) {
  sigmoid_run(x, n);
}
static void tanh_run_avx2(float *x, int64_t n) {
  tanh_run(x, n);
}
static int has_avx2(void) {
  return 0;
}
#endif

void pir_sigmoid_f32(float *x, int64_t n) {
  if (has_avx2())
    sigmoid_run_avx2(x, n);
  else
    sigmoid_run(x, n);
}

void pir_tanh_f32(float *x, int64_t n) {
  if (has_avx2())
    tanh_run_avx2(x, n);
  else
    tanh_run(x, n);
}

void pir_sigmoid_f64(double *x, int64_t n) {
  for (int64_t i = 0; i < n; i++)
    x[i] = 1 / (1 + exp(-x[i]));
}

void pir_tanh_f64(double *x, int64_t n) {
  for (int64_t i = 0; i < n; i++)
    x[i] = tanh(x[i]);
}
