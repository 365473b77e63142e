// Arithmetic: the clock, multiply-adds and their latency for each width, loads, and what wide
// vectors do to the clock.
#include "prober.h"

enum { STEPS = 10000, CHAIN_STEPS = 3000, ADDS = 16 };

// Additions of which each waits for the one before: one takes a cycle, everywhere. The number
// is no constant, for some cores add constants at no cost.
static void add_chain(long steps) {
  unsigned long x = 1, y = (unsigned long)steps;
  __asm__ volatile("" : "+r"(x), "+r"(y));
#define ADD                                                                                    \
  x += y;                                                                                      \
  __asm__ volatile("" : "+r"(x));
  for (long n = 0; n < steps; n++) {
    ADD ADD ADD ADD ADD ADD ADD ADD ADD ADD ADD ADD ADD ADD ADD ADD
  }
#undef ADD
}

static double time_adds(void *user) {
  double start = probe_now();
  (void)user;
  add_chain(STEPS);
  return probe_now() - start;
}

static double time_adds_after(void *user) {
  const probe_kernels *k = user;
  k->multiply_many(2 * STEPS);
  double start = probe_now();
  add_chain(STEPS / 10);
  return probe_now() - start;
}

static double time_many(void *user) {
  const probe_kernels *k = user;
  double start = probe_now();
  k->multiply_many(STEPS);
  return probe_now() - start;
}

static double time_chain(void *user) {
  const probe_kernels *k = user;
  double start = probe_now();
  k->multiply_chain(CHAIN_STEPS);
  return probe_now() - start;
}

static double time_loads(void *user) {
  const prober *p = user;
  double start = probe_now();
  p->widest->load(p->room, STEPS);
  return probe_now() - start;
}

static double rate(double count, double time) {
  return time > 0 ? count / time : 0;
}

static void probe_width(prober *p, int bytes, double *products, double *latency) {
  const probe_kernels *k = probe_kernels_of(bytes, p->target->fma);
  if (bytes > p->target->vector_bytes || !k)
    return;
  double sums = probe_sums();
  *products = rate(sums * STEPS, probe_time(p, "products", time_many, (void *)k));
  double time = probe_time(p, "latency", time_chain, (void *)k);
  *latency = time / (sums * CHAIN_STEPS) * p->out->clock;
}

void probe_arithmetic(prober *p) {
  pir_measured *m = p->out;
  void *widest = (void *)p->widest;
  m->clock = rate((double)ADDS * STEPS, probe_time(p, "clock", time_adds, NULL));
  probe_width(p, 16, &m->products_16, &m->latency_16);
  probe_width(p, 32, &m->products_32, &m->latency_32);
  probe_width(p, 64, &m->products_64, &m->latency_64);
  double time = probe_time(p, "wide_clock", time_adds_after, widest);
  m->wide_clock = rate((double)ADDS * STEPS / 10, time);
  if (m->clock > 0)
    m->loads =
        rate((double)PROBE_LOADS * STEPS, probe_time(p, "loads", time_loads, p)) / m->clock;
}
