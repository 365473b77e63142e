// Probes of this processor: short pieces of work that are timed several times.
#ifndef PIR_PROBE_H
#define PIR_PROBE_H

#include "measured.h"

// Sanitizers leave the loops that are measured as they are: their checks take several times as
// long as the loads.
#define PROBE_BARE __attribute__((no_sanitize("thread", "address")))

// The work that depends on the width of vectors (probe_kernels.inc).
typedef struct probe_kernels {
  int bytes, rows;  // of a vector; of a tile
  void (*multiply_many)(long steps);
  void (*multiply_chain)(long steps);
  void (*load)(const char *from, long steps);
  void (*read)(const char *from, size_t bytes);
  void (*multiply_tile)(const float *rows, const char *panel, long steps, long ahead);
} probe_kernels;

// Multiply-adds in a step of multiply_many and multiply_chain; loads in a step of load.
int probe_sums(void);
enum { PROBE_LOADS = 8 };

// Returns the kernels for vectors of `bytes`, with multiply-adds or with products and sums;
// NULL: this build has none.
const probe_kernels *probe_kernels_of(int bytes, bool fma);

// A measurement of the machine.
typedef struct prober {
  const pir_target *target;
  const probe_kernels *widest;
  pir_measured *out;
  double deadline;  // by probe_now
  // Memory, four times the L2 cache and more.
  char *room;
  size_t room_bytes;
  size_t far_bytes;  // of it that the last-level cache keeps; 0: there is none
  bool flushes_unordered;
  const char *refused;  // the figure whose repetitions disagreed; NULL: none did
} prober;

// Nanoseconds of a clock that only goes on.
double probe_now(void);

// One repetition: does the work, and returns the nanoseconds that it took.
typedef double (*probe_work)(void *user);

// Finds the least time of several repetitions, which the next one confirms, of each of up to
// PROBE_MOST pieces of work that are compared: they are repeated in turn, so that what disturbs
// one disturbs all. False when times disagree, also when they are tried again, and when time is
// over; `figure` was refused then.
enum { PROBE_MOST = 5 };
bool probe_times(prober *p, const char *figure, probe_work work, void *const users[], int count,
                 double out[]);
// The time of a single piece; 0 when it was refused.
double probe_time(prober *p, const char *figure, probe_work work, void *user);

// Whether the processor flushes lines in any order (clflushopt). Otherwise each waits for the
// one before, which takes 14 times as long.
bool probe_flushes_unordered(void);
// Drops lines from all caches, so that memory has them alone.
void probe_flush(const prober *p, const char *from, size_t bytes);
// Waits a moment inside of a loop that watches memory.
void probe_pause(void);

// Each finds its figures.
void probe_arithmetic(prober *p);
void probe_memory(prober *p);
void probe_products(prober *p);
void probe_threads(prober *p);

#endif
