// A thread pool. One loop runs at a time: the caller publishes it under a new generation
// number, works along, and waits until all of it is done. Each thread has a share of the units,
// cut into a few chunks; who is done with his own takes chunks of others, so that a thread
// which the system has given no processor (another program runs there) is not waited for unless
// it is in the middle of a chunk. A unit gives the same whoever does it, so results do not
// depend on timing.
//
// A share's ticket is (generation, chunks that are left); taking one is a compare-and-swap of
// exactly what was read. When it succeeds the loop was alive from that reading on, for the
// caller waits for every chunk: so what was read of the loop in between is this loop's.
//
// Workers watch the generation number, spinning for some microseconds (a model's next loop
// usually follows at once) and then sleeping on a condition variable. A loop started inside a
// loop, or while another thread runs one, is run serially by its caller. Cost of a loop: about
// a microsecond with workers awake; none for one unit or one thread.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include <pir/parallel.h>

enum { SPINS = 4000, MAX_THREADS = 1024, CHUNKS = 4 };

typedef struct worker {
  pthread_t thread;
  pir_thread_pool *pool;
  int index;
  atomic_ullong
      ticket;      // of the share: generation in the high half, chunks left in the low one
  char apart[64];  // no two tickets in one line of the cache
} worker;

struct pir_thread_pool {
  pir_allocator allocator;
  int threads;           // the caller's included
  pthread_mutex_t lock;  // of `sleepers` and the sleep of both sides
  pthread_cond_t wake, done;
  atomic_bool busy;  // a loop is running
  // The loop. Written by the caller while no chunk is left.
  atomic_llong n;
  _Atomic(pir_range_fn) fn;
  _Atomic(void *) user;
  atomic_uint generation;
  atomic_int pending;  // chunks that are not done
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

static void relax(void) {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}

// Units of share `i` of `parts` nearly equal ones.
static int64_t share_begin(int64_t n, int parts, int i) {
  int64_t size = n / parts, extra = n % parts;
  return i * size + (i < extra ? i : extra);
}

static int share_chunks(int64_t n, int parts, int i) {
  int64_t units = share_begin(n, parts, i + 1) - share_begin(n, parts, i);
  return units < CHUNKS ? (int)units : CHUNKS;
}

// Takes a chunk of the share and does it; false when none is left.
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
  int chunks = share_chunks(n, pool->threads, share);
  int k = chunks - (int)(uint32_t)seen;
  int64_t begin = share_begin(n, pool->threads, share);
  int64_t units = share_begin(n, pool->threads, share + 1) - begin;
  fn(user, begin + share_begin(units, chunks, k), begin + share_begin(units, chunks, k + 1),
     self);
  if (atomic_fetch_sub(&pool->pending, 1) == 1 && atomic_load(&pool->waiting)) {
    pthread_mutex_lock(&pool->lock);
    pthread_cond_signal(&pool->done);
    pthread_mutex_unlock(&pool->lock);
  }
  return true;
}

// The own share, then what others have left.
static void run_chunks(pir_thread_pool *pool, int self) {
  for (int i = 0; i < pool->threads; i++)
    while (run_chunk(pool, (self + i) % pool->threads, self))
      continue;
}

// Returns when the generation differs from `seen`.
static unsigned await_loop(pir_thread_pool *pool, unsigned seen) {
  unsigned now;
  for (int i = 0; i < SPINS; i++) {
    if ((now = atomic_load_explicit(&pool->generation, memory_order_acquire)) != seen)
      return now;
    relax();
  }
  pthread_mutex_lock(&pool->lock);
  atomic_fetch_add(&pool->sleepers, 1);
  while ((now = atomic_load(&pool->generation)) == seen)
    pthread_cond_wait(&pool->wake, &pool->lock);
  atomic_fetch_sub(&pool->sleepers, 1);
  pthread_mutex_unlock(&pool->lock);
  return now;
}

static void *work(void *argument) {
  worker *self = argument;
  pir_thread_pool *pool = self->pool;
  for (unsigned seen = 0;;) {
    seen = await_loop(pool, seen);
    if (atomic_load(&pool->stop))
      return NULL;
    run_chunks(pool, self->index);
  }
}

// Both sides first publish what they wait for and then look again, in sequentially consistent
// order, so one of them always sees the other.
static void publish(pir_thread_pool *pool) {
  atomic_fetch_add(&pool->generation, 1);
  if (!atomic_load(&pool->sleepers))
    return;
  pthread_mutex_lock(&pool->lock);
  pthread_cond_broadcast(&pool->wake);
  pthread_mutex_unlock(&pool->lock);
}

static void await_chunks(pir_thread_pool *pool) {
  for (int i = 0; i < SPINS; i++) {
    if (!atomic_load_explicit(&pool->pending, memory_order_acquire))
      return;
    relax();
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
    pending += share_chunks(n, pool->threads, i);
  atomic_store_explicit(&pool->n, n, memory_order_relaxed);
  atomic_store_explicit(&pool->fn, fn, memory_order_relaxed);
  atomic_store_explicit(&pool->user, user, memory_order_relaxed);
  atomic_store(&pool->pending, pending);
  unsigned long long generation = (unsigned long long)atomic_load(&pool->generation) + 1;
  for (int i = 0; i < pool->threads; i++)
    atomic_store_explicit(&pool->workers[i].ticket,
                          generation << 32 | (unsigned)share_chunks(n, pool->threads, i),
                          memory_order_release);
  publish(pool);
  run_chunks(pool, 0);
  await_chunks(pool);
  atomic_store(&pool->busy, false);
}

pir_parallel pir_thread_pool_parallel(pir_thread_pool *pool) {
  return (pir_parallel){run_parallel, pool, pool->threads};
}

pir_status pir_thread_pool_create(int threads, const pir_allocator *allocator,
                                  pir_thread_pool **out_pool) {
  *out_pool = NULL;
  if (threads < 1 || threads > MAX_THREADS)
    return PIR_INVALID;
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
    if (pthread_create(&w->thread, NULL, work, w))
      status = PIR_EXHAUSTED;
    else
      pool->started++;
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
  publish(pool);
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
