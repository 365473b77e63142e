// Measures the multiply-add peak of one core: independent accumulators in registers, without
// memory access.
#ifndef PEAK_H
#define PEAK_H

#include <stdbool.h>
#include <time.h>

static inline double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

#ifdef __x86_64__
#define PEAK_TWELVE(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11)
#define PEAK_CLOBBER                                                                           \
  "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10",     \
      "xmm11", "xmm14", "xmm15"

__attribute__((noinline, target("avx512f"))) static void peak_512(long steps) {
#define CLEAR(i) "vpxord %%zmm" #i ", %%zmm" #i ", %%zmm" #i "\n\t"
#define FMA(i) "vfmadd231ps %%zmm14, %%zmm15, %%zmm" #i "\n\t"
  __asm__ volatile(PEAK_TWELVE(CLEAR) CLEAR(14)
                       CLEAR(15) ".p2align 6\n1:\n\t" PEAK_TWELVE(FMA) "dec %0\n\tjnz 1b"
                   : "+r"(steps)
                   :
                   : "cc", PEAK_CLOBBER);
#undef FMA
#undef CLEAR
}

__attribute__((noinline, target("avx2,fma"))) static void peak_256(long steps) {
#define CLEAR(i) "vxorps %%ymm" #i ", %%ymm" #i ", %%ymm" #i "\n\t"
#define FMA(i) "vfmadd231ps %%ymm14, %%ymm15, %%ymm" #i "\n\t"
  __asm__ volatile(PEAK_TWELVE(CLEAR) CLEAR(14)
                       CLEAR(15) ".p2align 6\n1:\n\t" PEAK_TWELVE(FMA) "dec %0\n\tjnz 1b"
                   : "+r"(steps)
                   :
                   : "cc", PEAK_CLOBBER);
#undef FMA
#undef CLEAR
}

// GFLOP/s of the widest unit of f32; the best of several short runs, 5 ms in all.
static inline double peak_gflops(void) {
  double best = 0;
  long steps = 200000;
  bool wide = __builtin_cpu_supports("avx512f");
  for (int i = 0; i < 5; i++) {
    double start = now();
    if (wide)
      peak_512(steps);
    else
      peak_256(steps);
    double rate = (double)steps * 12 * (wide ? 32 : 16) / (now() - start) * 1e-9;
    if (rate > best)
      best = rate;
  }
  return best;
}
#else
static inline double peak_gflops(void) {
  return 0;
}  // not known
#endif

#endif
