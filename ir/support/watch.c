// Flags and deadlines.
#include <pir/layer/watch.h>

#include <stdatomic.h>
#include <time.h>

static uint64_t now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

pir_watch pir_watch_begin(const pir_stop *stop, uint64_t otherwise) {
  pir_watch watch = {.cancel = stop ? stop->cancel : NULL};
  uint64_t most = stop && stop->max_ns ? stop->max_ns : otherwise, now = now_ns();
  if (most && most < UINT64_MAX - now)
    watch.deadline = now + most;
  return watch;
}

static bool is_cancelled(const pir_watch *watch) {
  return watch->cancel && atomic_load_explicit(watch->cancel, memory_order_relaxed);
}

bool pir_watch_ended(const pir_watch *watch) {
  return is_cancelled(watch) || (watch->deadline && now_ns() >= watch->deadline);
}

const char *pir_watch_reason(const pir_watch *watch) {
  return is_cancelled(watch) ? "cancelled" : "the time limit was hit";
}
