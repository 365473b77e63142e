// The control registers of floating-point arithmetic: MXCSR of x86 (Intel SDM, volume 1,
// 10.2.3) and FPCR of aarch64 (Arm ARM, C5.2.8).
#include <pir/layer/subnormals.h>

#if defined(__x86_64__)

enum { OPERANDS_ARE_ZERO = 1 << 6, RESULTS_ARE_ZERO = 1 << 15 };

bool pir_subnormals_can_flush(void) {
  return true;
}

uint64_t pir_subnormals_flush(void) {
  unsigned before = __builtin_ia32_stmxcsr();
  __builtin_ia32_ldmxcsr(before | OPERANDS_ARE_ZERO | RESULTS_ARE_ZERO);
  return before;
}

void pir_subnormals_restore(uint64_t before) {
  // The exception flags stay.
  unsigned both = OPERANDS_ARE_ZERO | RESULTS_ARE_ZERO;
  __builtin_ia32_ldmxcsr((__builtin_ia32_stmxcsr() & ~both) | ((unsigned)before & both));
}

#elif defined(__aarch64__)

enum { FLUSH = 1 << 24, FLUSH_HALVES = 1 << 19 };

bool pir_subnormals_can_flush(void) {
  return true;
}

uint64_t pir_subnormals_flush(void) {
  uint64_t before;
  __asm__ volatile("mrs %0, fpcr" : "=r"(before));
  __asm__ volatile("msr fpcr, %0" : : "r"(before | FLUSH | FLUSH_HALVES));
  return before;
}

void pir_subnormals_restore(uint64_t before) {
  __asm__ volatile("msr fpcr, %0" : : "r"(before));
}

#else

bool pir_subnormals_can_flush(void) {
  return false;
}

uint64_t pir_subnormals_flush(void) {
  return 0;
}

void pir_subnormals_restore(uint64_t before) {
  (void)before;
}

#endif

typedef struct flushing_loop {
  pir_range_fn fn;
  void *user;
} flushing_loop;

static void run_flushed(void *user, int64_t begin, int64_t end, int thread) {
  const flushing_loop *loop = user;
  uint64_t before = pir_subnormals_flush();
  loop->fn(loop->user, begin, end, thread);
  pir_subnormals_restore(before);
}

static void run_loop(void *pool, int64_t n, pir_range_fn fn, void *user) {
  const pir_parallel *inner = pool;
  flushing_loop loop = {fn, user};
  inner->parallel_for(inner->pool, n, run_flushed, &loop);
}

pir_parallel pir_parallel_flushing(pir_parallel *inner) {
  return (pir_parallel){run_loop, inner, inner->threads};
}
