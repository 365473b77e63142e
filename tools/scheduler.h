// A random scheduler: a way to run loops that cuts every loop at random places and runs the
// pieces in random order on random threads; and the comparison of bits that belongs to it.
#ifndef PIR_TOOLS_SCHEDULER_H
#define PIR_TOOLS_SCHEDULER_H

#include <pir/engine/parallel.h>
#include <pir/engine/tensor.h>

#include <stdatomic.h>

// A loop that begins inside another one draws for itself, hence the atomic counter.
typedef struct scheduler {
  uint64_t seed;
  atomic_ullong loops;  // so far
  int threads;
} scheduler;

// Draws the number of threads, 1 to 16, and the schedules of all loops: number `turn` of
// `seed`.
void scheduler_start(scheduler *s, uint64_t seed, uint64_t turn);
// Returns the way to run loops, valid as long as the scheduler.
pir_parallel scheduler_parallel(scheduler *s);

// Whether two tensors have the same type, shape and bits. If not, *out_at is the first element
// that differs, or -1. Also false without memory.
bool scheduler_same_bits(const pir_tensor *a, const pir_tensor *b, int64_t *out_at);

#endif
