// One arena for many sessions: the numbers are those of arenas of their own, whatever ran
// before, memory is the largest need, and sessions that meet get a status. Run from the root of
// the checkout.
#include <pir/engine/session_arena.h>

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { PIXELS = 64, CLASSES = 10, MOST = 16 };

// ---- memory that can run out, and that keeps no old contents

typedef struct source {
  size_t held, most;  // bytes
  int left;           // allocations until one fails; -1: none does
} source;

static void *take(void *user, size_t size, size_t align) {
  source *s = user;
  void *memory = NULL;
  if (!s->left || posix_memalign(&memory, align < 8 ? 8 : align, size))
    return NULL;
  s->left -= s->left > 0;
  s->held += size;
  s->most = s->held > s->most ? s->held : s->most;
  return memory;
}

static void give(void *user, void *memory, size_t size) {
  source *s = user;
  s->held -= size;
  memset(memory, 0xff, size);
  free(memory);
}

// ---- sessions

typedef struct fixture {
  pir_model *model;
  float pixels[MOST * PIXELS], want[MOST * CLASSES];
} fixture;

static int set_up(void **state) {
  fixture *f = calloc(1, sizeof *f);
  assert_int_equal(
      pir_model_load_file("test/models/digits_cnn/model.json", NULL, NULL, &f->model), PIR_OK);
  for (int i = 0; i < MOST * PIXELS; i++)
    f->pixels[i] = (float)(i % 17) / 16;
  *state = f;
  return 0;
}

static int tear_down(void **state) {
  fixture *f = *state;
  pir_model_release(f->model);
  free(f);
  return 0;
}

static pir_session *open_session(const fixture *f, pir_session_arena *arena) {
  pir_session *session;
  pir_session_options how = {.size = sizeof how, .threads = 2, .arena = arena};
  assert_int_equal(pir_session_create(f->model, &how, &session), PIR_OK);
  return session;
}

static void bind(fixture *f, pir_session *session, int64_t images) {
  pir_tensor in = {.data = f->pixels};
  pir_tensor_set_dense(&in, PIR_F32, (const int64_t[]){images, 1, 8, 8}, 4);
  assert_int_equal(pir_session_bind_input(session, 0, &in), PIR_OK);
}

static pir_status run(fixture *f, pir_session *session, int64_t images) {
  bind(f, session, images);
  return pir_session_run(session);
}

static const float *output_of(pir_session *session, int64_t images) {
  pir_tensor out;
  assert_int_equal(pir_session_output(session, 0, &out), PIR_OK);
  assert_int_equal(out.shape[0], images);
  return out.data;
}

static uint64_t plan_bytes(pir_session *session) {
  pir_session_stats stats = {.size = sizeof stats};
  assert_int_equal(pir_session_stats_of(session, &stats), PIR_OK);
  return stats.plan_bytes;
}

static uint64_t arena_bytes(pir_session *session) {
  pir_session_stats stats = {.size = sizeof stats};
  assert_int_equal(pir_session_stats_of(session, &stats), PIR_OK);
  return stats.arena_bytes;
}

// What a session with an arena of its own computes.
static const float *expected(fixture *f, int64_t images) {
  pir_session *own = open_session(f, NULL);
  assert_int_equal(run(f, own, images), PIR_OK);
  memcpy(f->want, output_of(own, images), (size_t)images * CLASSES * sizeof *f->want);
  pir_session_destroy(own);
  return f->want;
}

static void check(fixture *f, pir_session *session, int64_t images) {
  const float *got = output_of(session, images), *want = expected(f, images);
  assert_memory_equal(got, want, (size_t)images * CLASSES * sizeof *got);
}

// ---- tests

// The arena moves when a session needs more of it, and another session notices.
static void turns_give_the_same_numbers(void **state) {
  fixture *f = *state;
  source memory = {.left = -1};
  pir_session_arena *arena;
  assert_int_equal(pir_session_arena_create(&(pir_allocator){take, give, &memory}, &arena),
                   PIR_OK);
  size_t alone = memory.held;
  pir_session *sessions[3];
  for (int i = 0; i < 3; i++)
    sessions[i] = open_session(f, arena);
  assert_int_equal(pir_session_arena_bytes(arena), 0);
  uint64_t largest = 0;
  for (int step = 0; step < 12; step++) {
    pir_session *s = sessions[step % 3];
    int64_t images = 1 + step * 5 % MOST;
    assert_int_equal(run(f, s, images), PIR_OK);
    check(f, s, images);
    largest = plan_bytes(s) > largest ? plan_bytes(s) : largest;
    assert_int_equal(pir_session_arena_bytes(arena), largest);
    assert_int_equal(arena_bytes(s), largest);
    assert_int_equal(memory.held, alone + largest);
  }
  assert_true(largest > 0);
  // Of no session: the others still use it.
  for (int i = 0; i < 3; i++) {
    assert_int_equal(pir_session_arena_bytes(arena), largest);
    pir_session_trim(sessions[i]);
  }
  assert_int_equal(pir_session_arena_trim(arena), largest);
  assert_int_equal(memory.held, alone);
  assert_int_equal(run(f, sessions[1], 3), PIR_OK);
  check(f, sessions[1], 3);
  assert_int_equal(pir_session_arena_bytes(arena), plan_bytes(sessions[1]));
  pir_session_arena_release(arena);  // sessions hold references of their own
  assert_int_equal(run(f, sessions[0], 2), PIR_OK);
  check(f, sessions[0], 2);
  for (int i = 0; i < 3; i++)
    pir_session_destroy(sessions[i]);
  assert_int_equal(memory.held, 0);
}

// Results outlive the runs of other sessions, and trimming.
static void outputs_do_not_lie_there(void **state) {
  fixture *f = *state;
  pir_session_arena *arena;
  assert_int_equal(pir_session_arena_create(NULL, &arena), PIR_OK);
  pir_session *first = open_session(f, arena), *second = open_session(f, arena);
  assert_int_equal(run(f, first, 2), PIR_OK);
  assert_int_equal(run(f, second, MOST), PIR_OK);
  assert_true(pir_session_arena_trim(arena) > 0);
  check(f, first, 2);
  check(f, second, MOST);
  pir_session_destroy(first);
  pir_session_destroy(second);
  pir_session_arena_release(arena);
}

typedef struct meeting {
  fixture *f;
  pir_session *other;
  pir_session_arena *arena;
  int refused, spans;
} meeting;

// In the middle of a run of one session, on the thread that runs it.
static void run_the_other(void *user, const pir_span *span) {
  meeting *m = user;
  m->spans += span != NULL;
  bind(m->f, m->other, 2);
  m->refused += pir_session_run(m->other) == PIR_INVALID;
  assert_non_null(strstr(pir_session_message(m->other), "another session runs in the arena"));
  m->refused += pir_session_prepare(m->other) == PIR_INVALID;
  assert_int_equal(pir_session_arena_trim(m->arena), 0);
}

static void two_runs_at_a_time_are_refused(void **state) {
  fixture *f = *state;
  meeting m = {.f = f};
  pir_session *s;
  assert_int_equal(pir_session_arena_create(NULL, &m.arena), PIR_OK);
  m.other = open_session(f, m.arena);
  assert_int_equal(run(f, m.other, 4), PIR_OK);
  pir_session_options how = {
      .size = sizeof how, .arena = m.arena, .trace = run_the_other, .trace_user = &m};
  assert_int_equal(pir_session_create(f->model, &how, &s), PIR_OK);
  assert_int_equal(run(f, s, 2), PIR_OK);
  check(f, s, 2);
  assert_true(m.spans > 0);
  assert_int_equal(m.refused, 2 * m.spans);
  pir_tensor none;
  assert_int_equal(pir_session_output(m.other, 0, &none), PIR_NOT_FOUND);
  assert_int_equal(run(f, m.other, 2), PIR_OK);
  check(f, m.other, 2);
  pir_session_destroy(s);
  pir_session_destroy(m.other);
  pir_session_arena_release(m.arena);
}

// A run that fails gives the arena back.
static void a_failure_frees_the_arena(void **state) {
  fixture *f = *state;
  source memory = {.left = -1};
  pir_session_arena *arena;
  assert_int_equal(pir_session_arena_create(&(pir_allocator){take, give, &memory}, &arena),
                   PIR_OK);
  pir_session *first = open_session(f, arena), *second = open_session(f, arena);
  assert_int_equal(pir_session_run(first), PIR_INVALID);  // nothing is bound
  assert_int_equal(run(f, second, 2), PIR_OK);
  memory.left = 0;
  assert_int_equal(run(f, first, MOST), PIR_EXHAUSTED);
  assert_int_equal(pir_session_arena_bytes(arena), 0);
  assert_int_equal(run(f, second, 2), PIR_EXHAUSTED);
  memory.left = -1;
  assert_int_equal(run(f, second, 2), PIR_OK);
  check(f, second, 2);
  bind(f, first, MOST);
  assert_int_equal(pir_session_prepare(first), PIR_OK);
  assert_int_equal(run(f, second, 2), PIR_OK);
  check(f, second, 2);
  pir_session_destroy(first);
  pir_session_destroy(second);
  pir_session_arena_release(arena);
  assert_int_equal(memory.held, 0);
}

typedef struct racer {
  fixture *f;
  pir_session *session;
  int64_t images;
  float want[MOST * CLASSES];
  int ran, refused;
} racer;

static void *race(void *user) {
  racer *r = user;
  for (int i = 0; i < 400; i++) {
    pir_status status = run(r->f, r->session, r->images);
    r->refused += status == PIR_INVALID;
    r->ran += !status;
    if (!status && memcmp(output_of(r->session, r->images), r->want,
                          (size_t)r->images * CLASSES * sizeof *r->want))
      return r;
  }
  return NULL;
}

// Threads that do not wait for each other: a run is refused, or its numbers are right.
static void threads_never_get_wrong_numbers(void **state) {
  fixture *f = *state;
  pir_session_arena *arena;
  racer racers[3];
  pthread_t threads[3];
  assert_int_equal(pir_session_arena_create(NULL, &arena), PIR_OK);
  for (int i = 0; i < 3; i++) {
    racers[i] = (racer){.f = f, .session = open_session(f, arena), .images = 3 + i * 4};
    memcpy(racers[i].want, expected(f, racers[i].images), sizeof racers[i].want);
  }
  for (int i = 0; i < 3; i++)
    assert_int_equal(pthread_create(&threads[i], NULL, race, &racers[i]), 0);
  int ran = 0, refused = 0;
  for (int i = 0; i < 3; i++) {
    void *wrong;
    pthread_join(threads[i], &wrong);
    assert_null(wrong);
    ran += racers[i].ran;
    refused += racers[i].refused;
    pir_session_destroy(racers[i].session);
  }
  assert_true(ran > 0);
  assert_int_equal(ran + refused, 3 * 400);
  pir_session_arena_release(arena);
}

static void bad_calls_have_a_status(void **state) {
  fixture *f = *state;
  source memory = {.left = 0};
  pir_session_arena *arena;
  pir_session *session;
  assert_int_equal(pir_session_arena_create(NULL, NULL), PIR_INVALID);
  assert_int_equal(pir_session_arena_create(&(pir_allocator){take, give, &memory}, &arena),
                   PIR_EXHAUSTED);
  assert_null(arena);
  assert_int_equal(pir_session_arena_bytes(NULL), 0);
  assert_int_equal(pir_session_arena_trim(NULL), 0);
  pir_session_arena_release(NULL);
  assert_int_equal(pir_session_arena_create(NULL, &arena), PIR_OK);
  pir_session_options how = {.size = sizeof how, .arena = arena, .separate = true};
  assert_int_equal(pir_session_create(f->model, &how, &session), PIR_INVALID);
  assert_null(session);
  pir_session_arena_release(arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(turns_give_the_same_numbers),
                                     cmocka_unit_test(outputs_do_not_lie_there),
                                     cmocka_unit_test(two_runs_at_a_time_are_refused),
                                     cmocka_unit_test(a_failure_frees_the_arena),
                                     cmocka_unit_test(threads_never_get_wrong_numbers),
                                     cmocka_unit_test(bad_calls_have_a_status)};
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
