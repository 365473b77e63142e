// Peak probe: fused multiply-adds from registers, and the bandwidth of a non-temporal copy,
// with the widest vectors of this processor, on N pinned threads. Runs beside every
// measurement, because a shared machine's speed drifts.
//   peak [--threads=N] [--seconds=S] [--only=fma] [--json]
#define _GNU_SOURCE
#include "../tools/pir-run/peak.h"

#include <immintrin.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct probe {
  int cpu;
  double seconds;
  bool copies;
  double gflops, copy_gbps;
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

static void *run(void *user) {
  probe *p = user;
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(p->cpu, &set);
  pthread_setaffinity_np(pthread_self(), sizeof set, &set);
  pthread_barrier_wait(p->barrier);
  for (double end = now() + p->seconds; now() < end;) {
    double rate = peak_gflops();
    if (rate > p->gflops)
      p->gflops = rate;
  }
  pthread_barrier_wait(p->barrier);
  p->copy_gbps = p->copies ? copy_rate(p->seconds) : 0;
  return NULL;
}

int main(int argc, char **argv) {
  int threads = 1, json = 0;
  bool copies = true;
  double seconds = 0.3;
  for (int i = 1; i < argc; i++) {
    if (!strncmp(argv[i], "--threads=", 10))
      threads = atoi(argv[i] + 10);
    else if (!strncmp(argv[i], "--seconds=", 10))
      seconds = atof(argv[i] + 10);
    else if (!strcmp(argv[i], "--only=fma"))
      copies = false;
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
  double gflops = 0, copy = 0;
  for (int i = 0; i < threads; i++) {
    probes[i] = (probe){.cpu = i, .seconds = seconds, .copies = copies, .barrier = &barrier};
    if (pthread_create(&ids[i], NULL, run, &probes[i]))
      return 70;
  }
  for (int i = 0; i < threads; i++) {
    pthread_join(ids[i], NULL);
    gflops += probes[i].gflops;
    copy += probes[i].copy_gbps;
  }
  printf(json
             ? "{\"isa\": \"%s\", \"threads\": %d, \"fma_gflops\": %.1f, \"copy_gbps\": %.1f}\n"
             : "%s, %d threads: %.1f GFLOP/s f32 FMA, %.1f GB/s copy\n",
         isa, threads, gflops, copy);
  free(probes);
  free(ids);
  return 0;
}
