// Loops that end early. A piece begins with one unit and grows until it takes a millisecond, so
// that long units are cut apart and short ones cost little.
#include <pir/layer/watched_loops.h>

#include <stdatomic.h>
#include <time.h>

typedef struct watched_loop {
  pir_watched_loops *loops;
  pir_range_fn fn;
  void *user;
} watched_loop;

static int64_t now_us(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

static bool has_ended(pir_watched_loops *loops) {
  if (atomic_load_explicit(&loops->ended, memory_order_relaxed))
    return true;
  if (!pir_watch_ended(loops->watch))
    return false;
  atomic_store(&loops->ended, 1);
  return true;
}

static void run_pieces(void *user, int64_t begin, int64_t end, int thread) {
  enum { PIECE_US = 1000, GROWTH = 4 };
  const watched_loop *loop = user;
  int64_t piece = 1, last = now_us();
  while (begin < end && !has_ended(loop->loops)) {
    int64_t to = end - begin > piece ? begin + piece : end;
    loop->fn(loop->user, begin, to, thread);
    begin = to;
    int64_t now = now_us();
    if (now - last < PIECE_US && piece < INT64_MAX / GROWTH)
      piece *= GROWTH;
    last = now;
  }
}

static void run_watched(void *pool, int64_t n, pir_range_fn fn, void *user) {
  pir_watched_loops *loops = pool;
  watched_loop loop = {loops, fn, user};
  if (loops->whole)
    loops->inner.parallel_for(loops->inner.pool, n, fn, user);
  else
    loops->inner.parallel_for(loops->inner.pool, n, run_pieces, &loop);
}

bool pir_parallel_has_ended(const pir_parallel *parallel) {
  const pir_watched_loops *loops = parallel->pool;
  return parallel->parallel_for == run_watched && pir_watch_ended(loops->watch);
}

pir_parallel pir_parallel_watched(pir_watched_loops *loops, pir_parallel inner,
                                  const pir_watch *watch, bool whole) {
  loops->inner = inner;
  loops->watch = watch;
  loops->whole = whole;
  atomic_init(&loops->ended, 0);
  bool watched = watch && (watch->cancel || watch->deadline);
  return watched ? (pir_parallel){run_watched, loops, inner.threads} : inner;
}
