// Threads: how long it takes until another thread sees a change, or wakes; and how fast all
// threads read together. The latter is for people: costs are one thread's, because results do
// not depend on how many there are. So these take the best of what time is left for, and no
// repetitions have to agree.
#include "prober.h"

#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

enum { MOST_THREADS = 64, ROUNDS = 50, SPINS = 20000, REPETITIONS = 5 };

// Watches memory; leaves the processor at last, since the other thread may wait for it.
static void watch(int *spins) {
  if (++*spins % SPINS)
    probe_pause();
  else
    sched_yield();
}

// ---- two threads

typedef struct pair {
  pthread_t thread;
  pthread_mutex_t lock;
  pthread_cond_t changed;
  atomic_long turn;  // odd: the other thread's; negative: it sleeps
  atomic_bool here, ends;
  bool asleep, called;
  double woken, deadline;
} pair;

// Answers each change, until the number says to sleep; sleeps until it is called, and ends.
static void *answer(void *user) {
  pair *t = user;
  atomic_store(&t->here, true);
  for (int spins = 0; atomic_load(&t->turn) >= 0; watch(&spins)) {
    long turn = atomic_load(&t->turn);
    if (turn > 0 && turn % 2)
      atomic_compare_exchange_strong(&t->turn, &turn, turn + 1);
  }
  pthread_mutex_lock(&t->lock);
  t->asleep = true;
  while (!t->called && !atomic_load(&t->ends))
    pthread_cond_wait(&t->changed, &t->lock);
  t->woken = probe_now();
  pthread_mutex_unlock(&t->lock);
  return NULL;
}

static double time_rounds(void *user) {
  pair *t = user;
  double start = probe_now();
  for (int i = 0, spins = 0; i < ROUNDS; i++) {
    long turn = atomic_load(&t->turn);
    atomic_store(&t->turn, turn + 1);
    while (atomic_load(&t->turn) == turn + 1) {
      watch(&spins);
      if (spins % SPINS == 0 && probe_now() > t->deadline)
        return HUGE_VAL;
    }
  }
  return probe_now() - start;
}

// The thread is in the wait when the lock can be had and it says that it sleeps.
static double call_sleeper(pair *t) {
  bool asleep = false;
  while (!asleep) {
    pthread_mutex_lock(&t->lock);
    asleep = t->asleep;
    pthread_mutex_unlock(&t->lock);
    sched_yield();
  }
  double start = probe_now();
  pthread_mutex_lock(&t->lock);
  t->called = true;
  pthread_cond_signal(&t->changed);
  pthread_mutex_unlock(&t->lock);
  pthread_join(t->thread, NULL);
  return t->woken - start;
}

// Starts a thread on another processor than this one: the scheduler might first run one behind
// the other.
static bool start_elsewhere(pthread_t *thread, void *(*body)(void *user), void *user) {
  cpu_set_t set;
  pthread_attr_t how;
  int here = sched_getcpu();
  if (sched_getaffinity(0, sizeof set, &set) || here < 0 || pthread_attr_init(&how))
    return false;
  if (here < CPU_SETSIZE)
    CPU_CLR((size_t)here, &set);
  bool started = !pthread_attr_setaffinity_np(&how, sizeof set, &set) &&
                 !pthread_create(thread, &how, body, user);
  pthread_attr_destroy(&how);
  return started;
}

// Starts the other thread. False if that does not run within MOST_NS: then others have its
// processor, and everything here would wait for them.
static bool start_pair(const prober *p, pair *t) {
  const double MOST_NS = 5e6;
  double start = probe_now();
  *t = (pair){.deadline = p->deadline};
  pthread_mutex_init(&t->lock, NULL);
  pthread_cond_init(&t->changed, NULL);
  if (!start_elsewhere(&t->thread, answer, t))
    return false;
  while (!atomic_load(&t->here) && probe_now() < start + MOST_NS)
    probe_pause();
  if (atomic_load(&t->here))
    return true;
  atomic_store(&t->ends, true);
  atomic_store(&t->turn, -1);
  pthread_join(t->thread, NULL);
  return false;
}

// False if other programs have the processors. Without these figures the table's numbers stay.
static bool probe_pair(prober *p) {
  pair t;
  for (int i = 0; i < REPETITIONS; i++) {
    if (probe_now() > p->deadline || !start_pair(p, &t))
      return false;
    double time = i ? 0 : probe_time(p, "handoff", time_rounds, &t);
    if (!i)
      p->out->handoff = time / (2 * ROUNDS);
    p->refused = NULL;
    atomic_store(&t.turn, -1);
    double woken = call_sleeper(&t);
    if (!i || woken < p->out->wake)
      p->out->wake = woken;
    if (!i && time <= 0)
      return false;
  }
  return true;
}

// ---- all threads

// A time at which all threads begin to read, and what each of them reads.
typedef struct crowd {
  const prober *p;
  int threads;
  size_t bytes;
  int passes;
  bool splits;  // each thread reads its part, from memory
  atomic_int here;
  double begin[MOST_THREADS], end[MOST_THREADS];
} crowd;

typedef struct member {
  crowd *c;
  int index;
} member;

static void *read_with_others(void *user) {
  const member *who = user;
  crowd *c = who->c;
  size_t part = c->splits ? c->bytes / (size_t)c->threads / 512 * 512 : c->bytes;
  const char *from = c->p->room + (c->splits ? part * (size_t)who->index : 0);
  if (!c->splits)
    c->p->widest->read(from, part);
  atomic_fetch_add(&c->here, 1);
  for (int spins = 0; atomic_load(&c->here) < c->threads;)
    watch(&spins);
  c->begin[who->index] = probe_now();
  for (int i = 0; i < c->passes; i++)
    c->p->widest->read(from, part);
  c->end[who->index] = probe_now();
  return NULL;
}

// Reads once with all threads; returns GB/s, 0 if threads cannot be had.
static double read_together(crowd *c) {
  pthread_t threads[MOST_THREADS];
  member members[MOST_THREADS];
  int wanted = c->threads, started = 0;
  atomic_store(&c->here, 0);
  if (c->splits)
    probe_flush(c->p, c->p->room, c->bytes);
  while (started < wanted) {
    members[started] = (member){c, started};
    if (pthread_create(&threads[started], NULL, read_with_others, &members[started]))
      break;
    started++;
  }
  if (started < wanted)  // they wait for the missing ones
    atomic_fetch_add(&c->here, wanted - started);
  for (int i = 0; i < started; i++)
    pthread_join(threads[i], NULL);
  if (started < wanted)
    return 0;
  double begin = c->begin[0], end = c->end[0];
  for (int i = 1; i < wanted; i++) {
    begin = c->begin[i] < begin ? c->begin[i] : begin;
    end = c->end[i] > end ? c->end[i] : end;
  }
  size_t part = c->splits ? c->bytes / (size_t)wanted / 512 * 512 : c->bytes;
  return (double)part * wanted * c->passes / (end - begin);
}

static double read_all(const prober *p, int threads, size_t bytes, bool splits) {
  enum { PASS_BYTES = 4 << 20 };
  crowd c = {.p = p, .threads = threads, .bytes = bytes, .splits = splits, .passes = 1};
  double best = 0;
  if (!splits && bytes < PASS_BYTES)
    c.passes = (int)(PASS_BYTES / bytes);
  for (int i = 0; i < REPETITIONS && probe_now() < p->deadline; i++) {
    double rate = read_together(&c);
    best = rate > best ? rate : best;
  }
  return best;
}

static int allowed_threads(void) {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set))
    return 1;
  int count = CPU_COUNT(&set);
  return count > MOST_THREADS ? MOST_THREADS : count;
}

void probe_threads(prober *p) {
  pir_measured *m = p->out;
  int threads = allowed_threads();
  if (threads < 2)
    return;
  if (!probe_pair(p))
    return;
  m->l1_read_all = read_all(p, threads, p->target->l1_bytes / 2, false);
  m->l2_read_all = read_all(p, threads, p->target->l2_bytes / 2, false);
  if (p->far_bytes)
    m->l3_read_all = read_all(p, threads, p->far_bytes, false);
  m->memory_read_all = read_all(p, threads, p->room_bytes, true);
}
