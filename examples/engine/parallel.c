// Many sessions: asynchronous runs, threads, executors and processors of the engine's choice,
// and one arena for sessions that run in turn.
#define _GNU_SOURCE  // sched_getaffinity
#include "engine.h"

#include <pir/engine/async.h>
#include <pir/engine/session_arena.h>

#include <pthread.h>
#include <sched.h>

// ---- asynchronous runs

typedef struct follower {
  int runs, status;
  bool is_cancelled;
} follower;

// Starts the next run, three times.
static void follow(void *user, pir_session *session, pir_status status) {
  follower *f = user;
  f->status |= status;
  if (++f->runs < 3)
    EXPECT(pir_session_run_async(session, NULL, follow, f) == PIR_OK);
}

// An executor with one place.
typedef struct mailbox {
  void (*task)(void *argument);
  void *argument;
} mailbox;

static bool put_into_box(void *user, void (*task)(void *argument), void *argument) {
  mailbox *box = user;
  if (box->task)
    return false;
  *box = (mailbox){task, argument};
  return true;
}

static void note_end(void *user, pir_session *session, pir_status status) {
  (void)session;
  *(pir_status *)user = status;
}

void run_asynchronously(engine *e) {
  float scores[IMAGES * CLASSES];
  follower f = {0};
  mailbox box = {0};
  pir_executor executor = {put_into_box, &box}, full = executor;
  pir_session *session;
  pir_status ended = PIR_INTERNAL;
  pir_tensor in = images_of(e), out = scores_in(scores);
  if (!EXPECT(pir_session_create(e->model, NULL, &session) == PIR_OK))
    return;
  EXPECT(pir_session_wait(session) == PIR_NOT_FOUND);
  EXPECT(pir_session_bind_input(session, 0, &in) == PIR_OK);
  EXPECT(pir_session_bind_output(session, 0, &out) == PIR_OK);
  EXPECT(pir_session_run_async(session, NULL, follow, &f) == PIR_OK);
  EXPECT(pir_session_wait(session) == PIR_OK && f.runs == 3 && f.status == PIR_OK);
  EXPECT(are_its_scores(e, scores));

  // The engine's executor: the run is one task, which begins when the engine says so.
  EXPECT(pir_session_run_async(session, &executor, note_end, &ended) == PIR_OK);
  EXPECT(pir_session_run_async(session, &executor, note_end, &ended) == PIR_INVALID);
  EXPECT(ended == PIR_INTERNAL);
  box.task(box.argument);
  EXPECT(ended == PIR_OK && pir_session_wait(session) == PIR_OK);
  EXPECT(pir_session_run_async(session, &full, note_end, &ended) == PIR_EXHAUSTED);
  box.task = NULL;
  EXPECT(pir_session_run_async(session, &executor, note_end, &ended) == PIR_OK);
  EXPECT(pir_session_cancel(session) == PIR_OK);
  box.task(box.argument);
  EXPECT(ended == PIR_CANCELLED && pir_session_wait(session) == PIR_CANCELLED);
  pir_session_destroy(session);
}

// ---- threads

typedef struct job {
  engine *e;
  pir_session_options how;
  bool good;
} job;

static void *run_often(void *user) {
  job *j = user;
  float scores[IMAGES * CLASSES];
  j->good = true;
  for (int i = 0; i < 5; i++)
    j->good &= !run_model(j->e, j->e->model, &j->how, scores) && are_its_scores(j->e, scores);
  return NULL;
}

// The simplest executor of loops: two ranges on the calling thread.
static void in_two_ranges(void *pool, int64_t n, pir_range_fn fn, void *user) {
  ++*(int *)pool;
  fn(user, 0, n / 2, 0);
  fn(user, n / 2, n, 1);
}

static int a_processor(void) {
  cpu_set_t all;
  int cpu = 0;
  sched_getaffinity(0, sizeof all, &all);
  while (!CPU_ISSET(cpu, &all))
    cpu++;
  return cpu;
}

// One model, on threads of four kinds at the same time.
void run_on_threads(engine *e) {
  enum { JOBS = 4 };
  static job jobs[JOBS];
  pthread_t threads[JOBS];
  pir_thread_pool *pool;
  int loops = 0, cpu = a_processor(), none = -1;
  heard h;
  pir_session *session;
  if (!EXPECT(pir_thread_pool_create_on(2, &cpu, 1, NULL, &pool) == PIR_OK))
    return;
  for (int i = 0; i < JOBS; i++)
    jobs[i] = (job){.e = e, .how = {.size = sizeof jobs[i].how, .threads = 1 + i}};
  jobs[0].how.parallel = (pir_parallel){in_two_ranges, &loops, 2};
  jobs[1].how.parallel = pir_thread_pool_parallel(pool);
  jobs[2].how.cpus = &cpu;
  jobs[2].how.cpu_count = 1;
  for (int i = 0; i < JOBS; i++)
    pthread_create(&threads[i], NULL, run_often, &jobs[i]);
  for (int i = 0; i < JOBS; i++)
    pthread_join(threads[i], NULL);
  for (int i = 0; i < JOBS; i++)
    EXPECT(jobs[i].good);
  EXPECT(loops > 0);
  pir_thread_pool_destroy(pool);
  pir_session_options how = {
      .size = sizeof how, .cpus = &none, .cpu_count = 1, .sink = sink_of(&h)};
  EXPECT(pir_session_create(e->model, &how, &session) == PIR_INVALID);
  EXPECT(strstr(h.message, "processor"));
}

// ---- one arena

typedef struct intruder {
  pir_session *session;
  int refused, calls;
} intruder;

static void intrude(void *user, const pir_span *span) {
  intruder *i = user;
  (void)span;
  i->calls++;
  i->refused += pir_session_run(i->session) == PIR_INVALID;
}

void run_in_turn(engine *e) {
  pir_session_arena *arena;
  pir_session *first, *second;
  intruder i = {0};
  pir_tensor in = images_of(e), out;
  if (!EXPECT(pir_session_arena_create(NULL, &arena) == PIR_OK))
    return;
  pir_session_options how = {.size = sizeof how, .arena = arena};
  EXPECT(pir_session_create(e->model, &how, &first) == PIR_OK);
  how.trace = intrude;
  how.trace_user = &i;
  EXPECT(pir_session_create(e->model, &how, &second) == PIR_OK);
  i.session = first;
  EXPECT(pir_session_bind_input(first, 0, &in) == PIR_OK);
  EXPECT(pir_session_bind_input(second, 0, &in) == PIR_OK);
  EXPECT(pir_session_run(first) == PIR_OK);
  size_t bytes = pir_session_arena_bytes(arena);
  EXPECT(bytes > 0);
  EXPECT(pir_session_run(second) == PIR_OK && i.calls > 0 && i.refused == i.calls);
  EXPECT(pir_session_arena_bytes(arena) == bytes);  // not twice as many
  EXPECT(pir_session_output(second, 0, &out) == PIR_OK && are_its_scores(e, out.data));
  EXPECT(pir_session_arena_trim(arena) == bytes);
  EXPECT(are_its_scores(e, out.data));  // outputs do not lie there
  EXPECT(pir_session_run(first) == PIR_OK);
  EXPECT(pir_session_output(first, 0, &out) == PIR_OK && are_its_scores(e, out.data));
  pir_session_arena_release(arena);  // the sessions keep it
  pir_session_destroy(first);
  pir_session_destroy(second);
}
