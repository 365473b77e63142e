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

// What all threads see.
typedef struct common {
  pthread_barrier_t barrier;
  int threads;
  double seconds;
  bool multiplies, copies, reads;
  double gflops, copy_gbps, read_gbps;
  bool over;
  double *cost;  // of each thread in this round: seconds for 10^9 operations or bytes
} common;

typedef struct probe {
  common *all;
  int cpu;
} probe;

__attribute__((target("avx2"))) static void copy_streaming(float *to, const float *from,
                                                           size_t n) {
  for (size_t i = 0; i < n; i += 8)
    _mm256_stream_ps(to + i, _mm256_load_ps(from + i));
  _mm_sfence();
}

enum { COPY_FLOATS = 16 << 20, MOST_THREADS = 256 };

static double copy_cost(void *memory) {
  float *from = memory, *to = from + COPY_FLOATS;
  double start = now();
  copy_streaming(to, from, COPY_FLOATS);
  return (now() - start) / (8e-9 * COPY_FLOATS);
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

static double read_cost(void *memory) {
  double start = now();
  if (__builtin_cpu_supports("avx512f"))
    read_512(memory, READ_BYTES);
  else
    read_256(memory, READ_BYTES);
  return (now() - start) / (1e-9 * READ_BYTES);
}

// ---- rounds

static double multiply_cost(void *memory) {
  (void)memory;
  return 1 / peak_gflops();
}

// Returns the best round of all threads together. Threads share the memory's bandwidth, so the
// best of each one alone says nothing: a round takes as long as its slowest thread.
static double best_rate(const probe *p, double (*cost)(void *memory), void *memory) {
  common *all = p->all;
  double best = 0, end = now() + all->seconds;
  do {
    pthread_barrier_wait(&all->barrier);
    all->cost[p->cpu] = cost(memory);
    pthread_barrier_wait(&all->barrier);
    double most = 0;
    for (int i = 0; i < all->threads; i++)
      most = all->cost[i] > most ? all->cost[i] : most;
    best = all->threads / most > best ? all->threads / most : best;
    if (p->cpu == 0)
      all->over = now() >= end;
    pthread_barrier_wait(&all->barrier);
  } while (!all->over);
  return best;
}

static void *run(void *user) {
  const probe *p = user;
  common *all = p->all;
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(p->cpu, &set);
  pthread_setaffinity_np(pthread_self(), sizeof set, &set);
  // More than the caches hold, in pages that are as large as can be.
  size_t bytes = READ_BYTES + (2 << 20);
  char *memory = aligned_alloc(2 << 20, bytes);
  if (!memory)
    exit(70);
  madvise(memory, bytes, MADV_HUGEPAGE);
  memset(memory, 1, bytes);
  double gflops = all->multiplies ? best_rate(p, multiply_cost, NULL) : 0;
  double copy = all->copies ? best_rate(p, copy_cost, memory) : 0;
  double read = all->reads ? best_rate(p, read_cost, memory) : 0;
  if (p->cpu == 0)
    all->gflops = gflops, all->copy_gbps = copy, all->read_gbps = read;
  free(memory);
  return NULL;
}

int main(int argc, char **argv) {
  int json = 0;
  common all = {
      .threads = 1, .seconds = 0.3, .multiplies = true, .copies = true, .reads = true};
  for (int i = 1; i < argc; i++) {
    if (!strncmp(argv[i], "--threads=", 10))
      all.threads = atoi(argv[i] + 10);
    else if (!strncmp(argv[i], "--seconds=", 10))
      all.seconds = atof(argv[i] + 10);
    else if (!strcmp(argv[i], "--only=fma"))
      all.copies = all.reads = false;
    else if (!strcmp(argv[i], "--only=read"))
      all.multiplies = all.copies = false;
    else if (!strcmp(argv[i], "--json"))
      json = 1;
    else
      return fprintf(stderr, "peak: unknown argument %s\n", argv[i]), 2;
  }
  if (all.threads < 1 || all.threads > MOST_THREADS)
    return fprintf(stderr, "peak: 1 to 256 threads\n"), 2;
  __builtin_cpu_init();
  const char *isa = __builtin_cpu_supports("avx512f") ? "avx512" : "avx2";
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma"))
    return fprintf(stderr, "peak: needs AVX2 and FMA\n"), 3;
  pthread_barrier_init(&all.barrier, NULL, (unsigned)all.threads);
  probe probes[MOST_THREADS];
  pthread_t ids[MOST_THREADS];
  double cost[MOST_THREADS];
  all.cost = cost;
  for (int i = 0; i < all.threads; i++) {
    probes[i] = (probe){.all = &all, .cpu = i};
    if (pthread_create(&ids[i], NULL, run, &probes[i]))
      return 70;
  }
  for (int i = 0; i < all.threads; i++)
    pthread_join(ids[i], NULL);
  printf(json ? "{\"isa\": \"%s\", \"threads\": %d, \"fma_gflops\": %.1f, \"copy_gbps\": %.1f, "
                "\"read_gbps\": %.1f}\n"
              : "%s, %d threads: %.1f GFLOP/s f32 FMA, %.1f GB/s copy, %.1f GB/s read\n",
         isa, all.threads, all.gflops, all.copy_gbps, all.read_gbps);
  return 0;
}
