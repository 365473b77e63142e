// Peak probe: fused multiply-adds from registers, and the bandwidths of a non-temporal copy and
// of reading, with the widest vectors of this processor, on N pinned threads. Runs beside every
// measurement, because a shared machine's speed drifts.
//   peak [--threads=N] [--seconds=S] [--only=fma|read] [--json]
#define _GNU_SOURCE
#include "../tools/pir-run/peak.h"

#include <immintrin.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

typedef struct probe {
  int cpu;
  double seconds;
  bool multiplies, copies, reads;
  double gflops, copy_gbps, read_gbps;
  pthread_barrier_t *barrier;
} probe;

__attribute__((target("avx2"))) static void copy_streaming(float *to, const float *from,
                                                           size_t n) {
  for (size_t i = 0; i < n; i += 8)
    _mm256_stream_ps(to + i, _mm256_load_ps(from + i));
  _mm_sfence();
}

static double copy_rate(double seconds) {
  const size_t n = (size_t)16 << 20;
  float *from = aligned_alloc(64, n * 4), *to = aligned_alloc(64, n * 4);
  if (!from || !to)
    return 0;
  memset(from, 1, n * 4);
  memset(to, 1, n * 4);
  double best = 0, end = now() + seconds;
  while (now() < end) {
    double start = now();
    copy_streaming(to, from, n);
    double rate = 8.0 * (double)n / (now() - start) * 1e-9;
    if (rate > best)
      best = rate;
  }
  free(from);
  free(to);
  return best;
}

// ---- reading

enum { READ_BYTES = 256 << 20, STREAMS = 2, AHEAD = 4096 };

// Reads STREAMS parts of the memory side by side, each fetched AHEAD bytes before its use.
__attribute__((target("avx512f"))) static void read_512(const char *from, size_t bytes) {
  __m512i sums[STREAMS] = {_mm512_setzero_si512()};
  size_t part = bytes / STREAMS;
  for (size_t i = 0; i < part; i += 128)
    for (size_t s = 0; s < STREAMS; s++) {
      const char *at = from + s * part + i;
      _mm_prefetch(at + AHEAD, _MM_HINT_T0);
      _mm_prefetch(at + AHEAD + 64, _MM_HINT_T0);
      sums[s] = _mm512_xor_si512(sums[s], _mm512_load_si512(at));
      sums[s] = _mm512_xor_si512(sums[s], _mm512_load_si512(at + 64));
    }
  for (size_t s = 0; s < STREAMS; s++)
    __asm__ volatile("" : : "v"(sums[s]));
}

__attribute__((target("avx2"))) static void read_256(const char *from, size_t bytes) {
  __m256i sums[STREAMS] = {_mm256_setzero_si256()};
  size_t part = bytes / STREAMS;
  for (size_t i = 0; i < part; i += 64)
    for (size_t s = 0; s < STREAMS; s++) {
      const __m256i *at = (const __m256i *)(const void *)(from + s * part + i);
      _mm_prefetch((const char *)at + AHEAD, _MM_HINT_T0);
      sums[s] = _mm256_xor_si256(sums[s], _mm256_load_si256(at));
      sums[s] = _mm256_xor_si256(sums[s], _mm256_load_si256(at + 1));
    }
  for (size_t s = 0; s < STREAMS; s++)
    __asm__ volatile("" : : "x"(sums[s]));
}

// Reads more than the caches hold, in pages that are as large as can be.
static double read_rate(double seconds) {
  char *from = aligned_alloc(2 << 20, READ_BYTES + (2 << 20));
  bool wide = __builtin_cpu_supports("avx512f");
  if (!from)
    return 0;
  madvise(from, READ_BYTES + (2 << 20), MADV_HUGEPAGE);
  memset(from, 1, READ_BYTES + (2 << 20));
  double best = 0, end = now() + seconds;
  while (now() < end) {
    double start = now();
    if (wide)
      read_512(from, READ_BYTES);
    else
      read_256(from, READ_BYTES);
    double rate = (double)READ_BYTES / (now() - start) * 1e-9;
    if (rate > best)
      best = rate;
  }
  free(from);
  return best;
}

static void *run(void *user) {
  probe *p = user;
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(p->cpu, &set);
  pthread_setaffinity_np(pthread_self(), sizeof set, &set);
  pthread_barrier_wait(p->barrier);
  for (double end = now() + p->seconds; p->multiplies && now() < end;) {
    double rate = peak_gflops();
    if (rate > p->gflops)
      p->gflops = rate;
  }
  pthread_barrier_wait(p->barrier);
  p->copy_gbps = p->copies ? copy_rate(p->seconds) : 0;
  pthread_barrier_wait(p->barrier);
  p->read_gbps = p->reads ? read_rate(p->seconds) : 0;
  return NULL;
}

int main(int argc, char **argv) {
  int threads = 1, json = 0;
  bool multiplies = true, copies = true, reads = true;
  double seconds = 0.3;
  for (int i = 1; i < argc; i++) {
    if (!strncmp(argv[i], "--threads=", 10))
      threads = atoi(argv[i] + 10);
    else if (!strncmp(argv[i], "--seconds=", 10))
      seconds = atof(argv[i] + 10);
    else if (!strcmp(argv[i], "--only=fma"))
      copies = reads = false;
    else if (!strcmp(argv[i], "--only=read"))
      multiplies = copies = false;
    else if (!strcmp(argv[i], "--json"))
      json = 1;
    else
      return fprintf(stderr, "peak: unknown argument %s\n", argv[i]), 2;
  }
  if (threads < 1 || threads > 256)
    return fprintf(stderr, "peak: 1 to 256 threads\n"), 2;
  __builtin_cpu_init();
  const char *isa = __builtin_cpu_supports("avx512f") ? "avx512" : "avx2";
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma"))
    return fprintf(stderr, "peak: needs AVX2 and FMA\n"), 3;
  pthread_barrier_t barrier;
  pthread_barrier_init(&barrier, NULL, (unsigned)threads);
  probe *probes = calloc((size_t)threads, sizeof *probes);
  pthread_t *ids = calloc((size_t)threads, sizeof *ids);
  double gflops = 0, copy = 0, read = 0;
  for (int i = 0; i < threads; i++) {
    probes[i] = (probe){.cpu = i,
                        .seconds = seconds,
                        .multiplies = multiplies,
                        .copies = copies,
                        .reads = reads,
                        .barrier = &barrier};
    if (pthread_create(&ids[i], NULL, run, &probes[i]))
      return 70;
  }
  for (int i = 0; i < threads; i++) {
    pthread_join(ids[i], NULL);
    gflops += probes[i].gflops;
    copy += probes[i].copy_gbps;
    read += probes[i].read_gbps;
  }
  printf(json ? "{\"isa\": \"%s\", \"threads\": %d, \"fma_gflops\": %.1f, \"copy_gbps\": %.1f, "
                "\"read_gbps\": %.1f}\n"
              : "%s, %d threads: %.1f GFLOP/s f32 FMA, %.1f GB/s copy, %.1f GB/s read\n",
         isa, threads, gflops, copy, read);
  free(probes);
  free(ids);
  return 0;
}
