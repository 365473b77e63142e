// Register tiles for matrix products, for the vector units of x86-64 and in portable C. A tile
// keeps its sums in registers over the whole depth: one broadcast and two loads feed each row's
// multiply-adds. The tile is chosen at run time: 8 x 32 fills the registers of AVX-512, 6 x 16
// fills AVX2, 4 x 8 fills SSE. Beside the larger two is a tile of their first four rows, for
// blocks that have no more.
#include "contraction.h"

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>

#define ROWS4(X) X(0) X(1) X(2) X(3)
#define ROWS6(X) ROWS4(X) X(4) X(5)
#define ROWS8(X) ROWS6(X) X(6) X(7)

// A tile of the ROWS among `packed` rows of x, two vectors of SIZE floats wide. VECTOR is their
// type, V(name) an intrinsic of them.
#define FLOAT_TILE(name, features, VECTOR, V, SIZE, ROWS, packed)                              \
  __attribute__((target(features))) static void name(int64_t depth, const void *packed_x,      \
                                                     const void *packed_y, void *sums,         \
                                                     int64_t row, bool add) {                  \
    const float *x = packed_x, *y = packed_y;                                                  \
    float *c = sums;                                                                           \
    ROWS(ZERO_##SIZE)                                                                          \
    for (int64_t k = 0; k < depth; k++, x += packed, y += 2 * (SIZE)) {                        \
      VECTOR y0 = V(loadu_ps)(y), y1 = V(loadu_ps)(y + (SIZE));                                \
      ROWS(STEP_##SIZE)                                                                        \
    }                                                                                          \
    ROWS(SUM_##SIZE)                                                                           \
  }
#define ZERO(VECTOR, V, r) VECTOR a##r = V(setzero_ps)(), b##r = a##r;
#define STEP(VECTOR, V, r)                                                                     \
  {                                                                                            \
    VECTOR v = V(set1_ps)(x[r]);                                                               \
    a##r = V(fmadd_ps)(v, y0, a##r);                                                           \
    b##r = V(fmadd_ps)(v, y1, b##r);                                                           \
  }
#define SUM(V, SIZE, r)                                                                        \
  if (add)                                                                                     \
    a##r = V(add_ps)(a##r, V(loadu_ps)(c + r * row)),                                          \
    b##r = V(add_ps)(b##r, V(loadu_ps)(c + r * row + (SIZE)));                                 \
  V(storeu_ps)(c + r * row, a##r);                                                             \
  V(storeu_ps)(c + r * row + (SIZE), b##r);
#define V8(name) _mm256_##name
#define ZERO_8(r) ZERO(__m256, V8, r)
#define STEP_8(r) STEP(__m256, V8, r)
#define SUM_8(r) SUM(V8, 8, r)
#define V16(name) _mm512_##name
#define ZERO_16(r) ZERO(__m512, V16, r)
#define STEP_16(r) STEP(__m512, V16, r)
#define SUM_16(r) SUM(V16, 16, r)

FLOAT_TILE(tile_8x32, "avx512f", __m512, V16, 16, ROWS8, 8)
FLOAT_TILE(four_of_8x32, "avx512f", __m512, V16, 16, ROWS4, 8)
FLOAT_TILE(tile_6x16, "avx2,fma", __m256, V8, 8, ROWS6, 6)
FLOAT_TILE(four_of_6x16, "avx2,fma", __m256, V8, 8, ROWS4, 6)

__attribute__((target("avx512f"))) static void axpy_512(int64_t n, float a, const float *x,
                                                        float *y) {
  __m512 v = _mm512_set1_ps(a);
  int64_t i = 0;
  for (; i + 16 <= n; i += 16)
    _mm512_storeu_ps(y + i, _mm512_fmadd_ps(v, _mm512_loadu_ps(x + i), _mm512_loadu_ps(y + i)));
  if (i == n)
    return;
  __mmask16 rest = (__mmask16)((1u << (n - i)) - 1);
  __m512 sum = _mm512_fmadd_ps(v, _mm512_maskz_loadu_ps(rest, x + i),
                               _mm512_maskz_loadu_ps(rest, y + i));
  _mm512_mask_storeu_ps(y + i, rest, sum);
}

__attribute__((target("avx2,fma"))) static void axpy_256(int64_t n, float a, const float *x,
                                                         float *y) {
  __m256 v = _mm256_set1_ps(a);
  int64_t i = 0;
  for (; i + 8 <= n; i += 8)
    _mm256_storeu_ps(y + i, _mm256_fmadd_ps(v, _mm256_loadu_ps(x + i), _mm256_loadu_ps(y + i)));
  for (; i < n; i++)
    y[i] += a * x[i];
}

__attribute__((target("avx512f"))) static float dot_512(int64_t n, const float *x,
                                                        const float *y) {
  __m512 a = _mm512_setzero_ps(), b = a, c = a, d = a;
  int64_t i = 0;
  for (; i + 64 <= n; i += 64) {
    a = _mm512_fmadd_ps(_mm512_loadu_ps(x + i), _mm512_loadu_ps(y + i), a);
    b = _mm512_fmadd_ps(_mm512_loadu_ps(x + i + 16), _mm512_loadu_ps(y + i + 16), b);
    c = _mm512_fmadd_ps(_mm512_loadu_ps(x + i + 32), _mm512_loadu_ps(y + i + 32), c);
    d = _mm512_fmadd_ps(_mm512_loadu_ps(x + i + 48), _mm512_loadu_ps(y + i + 48), d);
  }
  for (; i < n; i += 16) {
    __mmask16 rest = n - i < 16 ? (__mmask16)((1u << (n - i)) - 1) : 0xffff;
    a = _mm512_fmadd_ps(_mm512_maskz_loadu_ps(rest, x + i), _mm512_maskz_loadu_ps(rest, y + i),
                        a);
  }
  return _mm512_reduce_add_ps(_mm512_add_ps(_mm512_add_ps(a, b), _mm512_add_ps(c, d)));
}

__attribute__((target("avx2,fma"))) static float dot_256(int64_t n, const float *x,
                                                         const float *y) {
  __m256 a = _mm256_setzero_ps(), b = a;
  float lanes[8], sum = 0;
  int64_t i = 0;
  for (; i + 16 <= n; i += 16) {
    a = _mm256_fmadd_ps(_mm256_loadu_ps(x + i), _mm256_loadu_ps(y + i), a);
    b = _mm256_fmadd_ps(_mm256_loadu_ps(x + i + 8), _mm256_loadu_ps(y + i + 8), b);
  }
  _mm256_storeu_ps(lanes, _mm256_add_ps(a, b));
  for (int j = 0; j < 8; j++)
    sum += lanes[j];
  for (; i < n; i++)
    sum += x[i] * y[i];
  return sum;
}
#endif

typedef float float4 __attribute__((vector_size(16), aligned(4), may_alias));

static void tile_4x8(int64_t depth, const void *packed_x, const void *packed_y, void *sums,
                     int64_t row, bool add) {
  const float *x = packed_x, *y = packed_y;
  float *c = sums;
  float4 a[4] = {{0}};
  float4 b[4] = {{0}};
  for (int64_t k = 0; k < depth; k++, x += 4, y += 8) {
    float4 y0 = *(const float4 *)y;
    float4 y1 = *(const float4 *)(y + 4);
    for (int r = 0; r < 4; r++) {
      a[r] += x[r] * y0;
      b[r] += x[r] * y1;
    }
  }
  for (int r = 0; r < 4; r++, c += row) {
    if (add) {
      a[r] += *(const float4 *)c;
      b[r] += *(const float4 *)(c + 4);
    }
    *(float4 *)c = a[r];
    *(float4 *)(c + 4) = b[r];
  }
}

static void axpy_plain(int64_t n, float a, const float *x, float *y) {
  float4 v = {a, a, a, a};
  int64_t i = 0;
  for (; i + 4 <= n; i += 4)
    *(float4 *)(y + i) += v * *(const float4 *)(x + i);
  for (; i < n; i++)
    y[i] += a * x[i];
}

static float dot_plain(int64_t n, const float *x, const float *y) {
  float4 a = {0};
  int64_t i = 0;
  for (; i + 4 <= n; i += 4)
    a += *(const float4 *)(x + i) * *(const float4 *)(y + i);
  float sum = a[0] + a[1] + a[2] + a[3];
  for (; i < n; i++)
    sum += x[i] * y[i];
  return sum;
}

contract_tile pir_contract_tile(pir_dtype lanes) {
  if (lanes != PIR_F32)
    return pir_contract_wide_tile(lanes);
#if defined(__x86_64__) && defined(__GNUC__)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512f"))
    return (contract_tile){8, 32, tile_8x32, 4, four_of_8x32, axpy_512, dot_512};
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    return (contract_tile){6, 16, tile_6x16, 4, four_of_6x16, axpy_256, dot_256};
#endif
  return (contract_tile){4, 8, tile_4x8, 0, NULL, axpy_plain, dot_plain};
}
