// The kernels of each width that this architecture has.
#include "prober.h"

#define PROBE_COUNT(i) +1

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>

#define PROBE_KEEP(x) __asm__ volatile("" : "+x"(x))
// With both factors they fill 14 of 16 registers.
#define PROBE_SUMS(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11)
// Tiles of two vectors: of 16 registers, and of 32.
#define PROBE_SIX(X) X(0) X(1) X(2) X(3) X(4) X(5)
#define PROBE_TWELVE(X) PROBE_SUMS(X)

#define PROBE_BYTES 16
#define PROBE_NAME(x) x##_plain
#define PROBE_ROWS PROBE_SIX
#define PROBE_FOR
#define PROBE_FMA(a, b, c) ((a) * (b) + (c))
#define PROBE_SPLAT(x) (vector_plain) _mm_set1_ps(x)
#include "probe_kernels.inc"

#define PROBE_BYTES 16
#define PROBE_NAME(x) x##_16
#define PROBE_ROWS PROBE_SIX
#define PROBE_FOR __attribute__((target("avx2,fma")))
#define PROBE_FMA(a, b, c) (vector_16) _mm_fmadd_ps((__m128)(a), (__m128)(b), (__m128)(c))
#define PROBE_SPLAT(x) (vector_16) _mm_set1_ps(x)
#include "probe_kernels.inc"

#define PROBE_BYTES 32
#define PROBE_NAME(x) x##_32
#define PROBE_ROWS PROBE_SIX
#define PROBE_FOR __attribute__((target("avx2,fma")))
#define PROBE_FMA(a, b, c) (vector_32) _mm256_fmadd_ps((__m256)(a), (__m256)(b), (__m256)(c))
#define PROBE_SPLAT(x) (vector_32) _mm256_set1_ps(x)
#include "probe_kernels.inc"

#define PROBE_BYTES 64
#define PROBE_NAME(x) x##_64
#define PROBE_ROWS PROBE_TWELVE
#define PROBE_FOR __attribute__((target("avx512f")))
#define PROBE_FMA(a, b, c) (vector_64) _mm512_fmadd_ps((__m512)(a), (__m512)(b), (__m512)(c))
#define PROBE_SPLAT(x) (vector_64) _mm512_set1_ps(x)
#include "probe_kernels.inc"

const probe_kernels *probe_kernels_of(int bytes, bool fma) {
  static const probe_kernels *const all[] = {&kernels_16, &kernels_32, &kernels_64};
  for (size_t i = 0; fma && i < sizeof all / sizeof *all; i++)
    if (all[i]->bytes == bytes)
      return all[i];
  return bytes == 16 ? &kernels_plain : NULL;
}

bool probe_flushes_unordered(void) {
  enum { CLFLUSHOPT = 1 << 23 };
  unsigned a, b, c, d;
  return __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b & CLFLUSHOPT);
}

__attribute__((target("clflushopt"))) static void flush_unordered(const char *from,
                                                                  size_t bytes) {
  for (size_t at = 0; at < bytes; at += 64)
    _mm_clflushopt((void *)(from + at));
}

void probe_flush(const prober *p, const char *from, size_t bytes) {
  if (p->flushes_unordered)
    flush_unordered(from, bytes);
  else
    for (size_t at = 0; at < bytes; at += 64)
      _mm_clflush(from + at);
  _mm_mfence();
}

void probe_pause(void) {
  _mm_pause();
}

#elif defined(__aarch64__)
#include <arm_neon.h>

#define PROBE_KEEP(x) __asm__ volatile("" : "+w"(x))
#define PROBE_TWELVE(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11)
#define PROBE_SUMS(X)                                                                          \
  PROBE_TWELVE(X) X(12) X(13) X(14) X(15) X(16) X(17) X(18) X(19) X(20) X(21) X(22) X(23)

#define PROBE_BYTES 16
#define PROBE_NAME(x) x##_16
#define PROBE_ROWS PROBE_TWELVE
#define PROBE_FOR
#define PROBE_FMA(a, b, c)                                                                     \
  (vector_16) vfmaq_f32((float32x4_t)(c), (float32x4_t)(a), (float32x4_t)(b))
#define PROBE_SPLAT(x) (vector_16) vdupq_n_f32(x)
#include "probe_kernels.inc"

const probe_kernels *probe_kernels_of(int bytes, bool fma) {
  return bytes == 16 && fma ? &kernels_16 : NULL;
}

bool probe_flushes_unordered(void) {
  return true;
}

void probe_flush(const prober *p, const char *from, size_t bytes) {
  (void)p;
  for (size_t at = 0; at < bytes; at += 64)
    __asm__ volatile("dc civac, %0" : : "r"(from + at) : "memory");
  __asm__ volatile("dsb sy" : : : "memory");
}

void probe_pause(void) {
  __asm__ volatile("yield");
}

#else
#define PROBE_SUMS(X)

const probe_kernels *probe_kernels_of(int bytes, bool fma) {
  (void)bytes;
  (void)fma;
  return NULL;
}

bool probe_flushes_unordered(void) {
  return false;
}

void probe_flush(const prober *p, const char *from, size_t bytes) {
  (void)p;
  (void)from;
  (void)bytes;
}

void probe_pause(void) {}
#endif

int probe_sums(void) {
  return 0 PROBE_SUMS(PROBE_COUNT);
}
