// A thread pool. One loop runs at a time. The caller publishes it under a new generation
// number, takes part in it, and waits until every chunk is done. Each thread owns a share of
// the units, cut into a few chunks. A thread that has finished its share takes chunks of other
// threads, so the loop waits for a descheduled thread only while that thread is inside a chunk.
// The result of a unit does not depend on the thread that runs it, so results do not depend on
// timing.
//
// A share's ticket is (generation, number of chunks left). A thread reads the ticket, then the
// loop's fields, and then takes a chunk by a compare-and-swap on the ticket. If the swap
// succeeds, nobody else has taken the chunk. The caller waits for every chunk, so the loop was
// running all that time and the fields belong to it.
//
// Workers watch the generation number. They spin for some microseconds, because a model's next
// loop usually follows at once, then sleep on a condition variable. A loop started inside a
// loop, or while another thread runs one, runs serially on its caller. A loop costs about a
// microsecond while the workers are awake; a loop of one unit or on one thread costs nothing.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include <pir/engine/parallel.h>
#include <pir/layer/bound_thread.h>
#include <pir/layer/loop_shares.h>

enum { SPINS = 4000, MAX_THREADS = 1024 };

typedef struct worker {
  pthread_t thread;
  pir_thread_pool *pool;
  int index;
  atomic_ullong ticket;  // the worker's share: generation in the upper 32 bits, chunks left
                         // below
  char apart[64];        // keeps any two tickets in different cache lines
} worker;

struct pir_thread_pool {
  pir_allocator allocator;
  int threads;           // the caller's included
  pthread_mutex_t lock;  // guards `sleepers` and both condition variables
  pthread_cond_t wake, done;
  atomic_bool busy;  // a loop is running
  // The loop. The caller writes these fields while no chunk is left.
  atomic_llong n;
  _Atomic(pir_range_fn) fn;
  _Atomic(void *) user;
  atomic_uint generation;
  atomic_int pending;  // chunks not yet done
  atomic_int sleepers;
  atomic_bool waiting;  // the caller sleeps on `done`
  atomic_bool stop;
  int started;
  worker workers[];  // the first one is the caller's: no thread
};

static void run_serially(void *pool, int64_t n, pir_range_fn fn, void *user) {
  if (n > 0)
    fn(user, 0, n, 0);
}

pir_parallel pir_parallel_serial(void) {
  return (pir_parallel){run_serially, NULL, 1};
}

static void relax_processor(void) {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}

// Takes one chunk of the share and runs it. Returns false when none is left.
static bool run_chunk(pir_thread_pool *pool, int share, int self) {
  atomic_ullong *ticket = &pool->workers[share].ticket;
  unsigned long long seen = atomic_load_explicit(ticket, memory_order_acquire);
  int64_t n;
  pir_range_fn fn;
  void *user;
  do {
    if (!(uint32_t)seen)
      return false;
    n = atomic_load_explicit(&pool->n, memory_order_relaxed);
    fn = atomic_load_explicit(&pool->fn, memory_order_relaxed);
    user = atomic_load_explicit(&pool->user, memory_order_relaxed);
  } while (!atomic_compare_exchange_weak_explicit(ticket, &seen, seen - 1, memory_order_acq_rel,
                                                  memory_order_acquire));
  int k = pir_share_chunks(n, pool->threads, share) - (int)(uint32_t)seen;
  int64_t first = pir_chunk_begin(n, pool->threads, share, k);
  int64_t end = pir_chunk_begin(n, pool->threads, share, k + 1);
  fn(user, first, end, self);
  if (atomic_fetch_sub(&pool->pending, 1) == 1 && atomic_load(&pool->waiting)) {
    pthread_mutex_lock(&pool->lock);
    pthread_cond_signal(&pool->done);
    pthread_mutex_unlock(&pool->lock);
  }
  return true;
}

// Runs the thread's own share, then chunks that other threads have left.
static void run_chunks(pir_thread_pool *pool, int self) {
  for (int i = 0; i < pool->threads; i++)
    while (run_chunk(pool, (self + i) % pool->threads, self))
      continue;
}

// Waits until the generation differs from `seen`, and returns it.
static unsigned await_loop(pir_thread_pool *pool, unsigned seen) {
  unsigned now;
  for (int i = 0; i < SPINS; i++) {
    now = atomic_load_explicit(&pool->generation, memory_order_acquire);
    if (now != seen)
      return now;
    relax_processor();
  }
  pthread_mutex_lock(&pool->lock);
  atomic_fetch_add(&pool->sleepers, 1);
  while ((now = atomic_load(&pool->generation)) == seen)
    pthread_cond_wait(&pool->wake, &pool->lock);
  atomic_fetch_sub(&pool->sleepers, 1);
  pthread_mutex_unlock(&pool->lock);
  return now;
}

static void *run_worker(void *argument) {
  worker *self = argument;
  pir_thread_pool *pool = self->pool;
  for (unsigned seen = 0;;) {
    seen = await_loop(pool, seen);
    if (atomic_load(&pool->stop))
      return NULL;
    run_chunks(pool, self->index);
  }
}

// Publishes a new generation and wakes the workers. The publisher writes `generation` and then
// reads `sleepers`; a worker writes `sleepers` and then reads `generation`. In sequentially
// consistent order one of them sees the other, so no worker sleeps through a loop.
static void wake_workers(pir_thread_pool *pool) {
  atomic_fetch_add(&pool->generation, 1);
  if (!atomic_load(&pool->sleepers))
    return;
  pthread_mutex_lock(&pool->lock);
  pthread_cond_broadcast(&pool->wake);
  pthread_mutex_unlock(&pool->lock);
}

// Waits until every chunk of the loop is done: spins first, then sleeps.
static void await_chunks(pir_thread_pool *pool) {
  for (int i = 0; i < SPINS; i++) {
    if (!atomic_load_explicit(&pool->pending, memory_order_acquire))
      return;
    relax_processor();
  }
  pthread_mutex_lock(&pool->lock);
  atomic_store(&pool->waiting, true);
  while (atomic_load(&pool->pending))
    pthread_cond_wait(&pool->done, &pool->lock);
  atomic_store(&pool->waiting, false);
  pthread_mutex_unlock(&pool->lock);
}

static void run_parallel(void *user_pool, int64_t n, pir_range_fn fn, void *user) {
  pir_thread_pool *pool = user_pool;
  if (n <= 0)
    return;
  if (n == 1 || pool->threads == 1 || atomic_exchange(&pool->busy, true)) {
    fn(user, 0, n, 0);
    return;
  }
  int pending = 0;
  for (int i = 0; i < pool->threads; i++)
    pending += pir_share_chunks(n, pool->threads, i);
  atomic_store_explicit(&pool->n, n, memory_order_relaxed);
  atomic_store_explicit(&pool->fn, fn, memory_order_relaxed);
  atomic_store_explicit(&pool->user, user, memory_order_relaxed);
  atomic_store(&pool->pending, pending);
  unsigned long long generation = (unsigned long long)atomic_load(&pool->generation) + 1;
  for (int i = 0; i < pool->threads; i++) {
    unsigned chunks = (unsigned)pir_share_chunks(n, pool->threads, i);
    atomic_store_explicit(&pool->workers[i].ticket, generation << 32 | chunks,
                          memory_order_release);
  }
  wake_workers(pool);
  run_chunks(pool, 0);
  await_chunks(pool);
  atomic_store(&pool->busy, false);
}

pir_parallel pir_thread_pool_parallel(pir_thread_pool *pool) {
  return (pir_parallel){run_parallel, pool, pool->threads};
}

pir_status pir_thread_pool_create(int threads, const pir_allocator *allocator,
                                  pir_thread_pool **out_pool) {
  return pir_thread_pool_create_on(threads, NULL, 0, allocator, out_pool);
}

pir_status pir_thread_pool_create_on(int threads, const int *cpus, size_t cpu_count,
                                     const pir_allocator *allocator,
                                     pir_thread_pool **out_pool) {
  pir_processors on = {cpus, cpu_count};
  if (!out_pool)
    return PIR_INVALID;
  *out_pool = NULL;
  if (threads < 1 || threads > MAX_THREADS)
    return PIR_INVALID;
  PIR_TRY(pir_processors_check(on));
  size_t size = sizeof(pir_thread_pool) + (size_t)threads * sizeof(worker);
  bool custom = allocator && allocator->alloc;
  pir_thread_pool *pool = custom ? allocator->alloc(allocator->user, size, 64) : malloc(size);
  if (!pool)
    return PIR_EXHAUSTED;
  memset(pool, 0, size);
  if (custom)
    pool->allocator = *allocator;
  pool->threads = threads;
  pthread_mutex_init(&pool->lock, NULL);
  pthread_cond_init(&pool->wake, NULL);
  pthread_cond_init(&pool->done, NULL);
  pir_status status = PIR_OK;
  for (int i = 1; i < threads && !status; i++) {
    worker *w = &pool->workers[pool->started];
    *w = (worker){.pool = pool, .index = i};
    status = pir_bound_thread_start(on, run_worker, w, &w->thread);
    pool->started += !status;
  }
  if (status)
    pir_thread_pool_destroy(pool);
  else
    *out_pool = pool;
  return status;
}

void pir_thread_pool_destroy(pir_thread_pool *pool) {
  if (!pool)
    return;
  atomic_store(&pool->stop, true);
  wake_workers(pool);
  for (int i = 0; i < pool->started; i++)
    pthread_join(pool->workers[i].thread, NULL);
  pthread_cond_destroy(&pool->done);
  pthread_cond_destroy(&pool->wake);
  pthread_mutex_destroy(&pool->lock);
  pir_allocator allocator = pool->allocator;
  size_t size = sizeof(pir_thread_pool) + (size_t)pool->threads * sizeof(worker);
  if (allocator.alloc)
    allocator.release(allocator.user, pool, size);
  else
    free(pool);
}
