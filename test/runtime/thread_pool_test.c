// The thread pool: every unit runs once; a thread that does not progress is not waited for;
// nested and concurrent loops; sleeping workers.
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <unistd.h>

#include <cmocka.h>
#include <pir/engine/parallel.h>

enum { UNITS = 257 };

static void count_units(void *user, int64_t begin, int64_t end, int thread) {
  int *counts = user;
  for (int64_t i = begin; i < end; i++)
    counts[i]++;
}

static void every_unit_once(void **state) {
  for (int threads = 1; threads <= 5; threads++) {
    pir_thread_pool *pool;
    assert_int_equal(pir_thread_pool_create(threads, NULL, &pool), PIR_OK);
    pir_parallel p = pir_thread_pool_parallel(pool);
    assert_int_equal(p.threads, threads);
    int counts[UNITS] = {0};
    for (int n = 0; n < UNITS; n++)
      p.parallel_for(p.pool, n, count_units, counts);
    for (int i = 0; i < UNITS; i++)
      assert_int_equal(counts[i], UNITS - 1 - i);
    pir_thread_pool_destroy(pool);
  }
}

static void many_loops(void **state) {
  pir_thread_pool *pool;
  assert_int_equal(pir_thread_pool_create(3, NULL, &pool), PIR_OK);
  pir_parallel p = pir_thread_pool_parallel(pool);
  int counts[UNITS] = {0};
  for (int i = 0; i < 10000; i++) {
    p.parallel_for(p.pool, 16, count_units, counts);
    if (i % 1000 == 0)
      usleep(2000);  // long enough for the workers to sleep
  }
  for (int i = 0; i < 16; i++)
    assert_int_equal(counts[i], 10000);
  pir_thread_pool_destroy(pool);
}

typedef struct nest {
  pir_parallel parallel;
  int counts[8][UNITS];
} nest;

static void inner_loop(void *user, int64_t begin, int64_t end, int thread) {
  nest *n = user;
  for (int64_t i = begin; i < end; i++)
    n->parallel.parallel_for(n->parallel.pool, UNITS, count_units, n->counts[i]);
}

static void nested_loops_run_serially(void **state) {
  pir_thread_pool *pool;
  nest n = {0};
  assert_int_equal(pir_thread_pool_create(4, NULL, &pool), PIR_OK);
  n.parallel = pir_thread_pool_parallel(pool);
  n.parallel.parallel_for(pool, 8, inner_loop, &n);
  for (int i = 0; i < 8; i++)
    for (int j = 0; j < UNITS; j++)
      assert_int_equal(n.counts[i][j], 1);
  pir_thread_pool_destroy(pool);
}

static void *run_loops(void *user) {
  pir_parallel p = *(pir_parallel *)user;
  for (int i = 0; i < 500; i++) {
    int counts[UNITS] = {0};
    p.parallel_for(p.pool, UNITS, count_units, counts);
    for (int j = 0; j < UNITS; j++)
      if (counts[j] != 1)
        return user;
  }
  return NULL;
}

static void two_callers(void **state) {
  pir_thread_pool *pool;
  assert_int_equal(pir_thread_pool_create(3, NULL, &pool), PIR_OK);
  pir_parallel p = pir_thread_pool_parallel(pool);
  pthread_t other;
  void *failed;
  assert_int_equal(pthread_create(&other, NULL, run_loops, &p), 0);
  assert_null(run_loops(&p));
  pthread_join(other, &failed);
  assert_null(failed);
  pir_thread_pool_destroy(pool);
}

// The first range that another thread takes lasts until all other units are done: only the
// caller can do them.
typedef struct stall {
  atomic_int done;
  atomic_bool stalled;
} stall;

static void stall_once(void *user, int64_t begin, int64_t end, int thread) {
  stall *s = user;
  if (thread && !atomic_exchange(&s->stalled, true))
    while (atomic_load(&s->done) < UNITS - (int)(end - begin))
      sched_yield();
  atomic_fetch_add(&s->done, (int)(end - begin));
}

static void a_slow_thread_is_helped(void **state) {
  pir_thread_pool *pool;
  assert_int_equal(pir_thread_pool_create(2, NULL, &pool), PIR_OK);
  pir_parallel p = pir_thread_pool_parallel(pool);
  for (int i = 0; i < 200; i++) {
    stall s = {0};
    p.parallel_for(p.pool, UNITS, stall_once, &s);
    assert_int_equal(atomic_load(&s.done), UNITS);
  }
  pir_thread_pool_destroy(pool);
}

static void bounds(void **state) {
  pir_thread_pool *pool;
  assert_int_equal(pir_thread_pool_create(0, NULL, &pool), PIR_INVALID);
  assert_int_equal(pir_thread_pool_create(1 << 20, NULL, &pool), PIR_INVALID);
  assert_null(pool);
  pir_thread_pool_destroy(NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_unit_once),           cmocka_unit_test(many_loops),
      cmocka_unit_test(nested_loops_run_serially), cmocka_unit_test(two_callers),
      cmocka_unit_test(a_slow_thread_is_helped),   cmocka_unit_test(bounds),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
