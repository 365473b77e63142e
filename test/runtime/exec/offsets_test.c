// Offsets of arena buffers: buffers that are live together never overlap, in any order; and the
// arena stays close to the largest total size live at once.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include "offsets.h"
#include <stdlib.h>
#include <string.h>

enum { BUFFERS = 300, INSTRS = 200 };

static uint64_t state = 1;
static uint64_t next(uint64_t below) {
  state = state * 6364136223846793005u + 1442695040888963407u;
  return (state >> 33) % below;
}

typedef struct fixture {
  plan p;
  plan_buffer buffers[BUFFERS];
  uint32_t by_first[BUFFERS], by_last[BUFFERS];
  size_t sizes[BUFFERS], offsets[BUFFERS];
} fixture;

static fixture *sorting;
static int by_first(const void *x, const void *y) {
  return (int)sorting->buffers[*(const uint32_t *)x].first -
         (int)sorting->buffers[*(const uint32_t *)y].first;
}
static int by_last(const void *x, const void *y) {
  return (int)sorting->buffers[*(const uint32_t *)x].last -
         (int)sorting->buffers[*(const uint32_t *)y].last;
}

static size_t most_alive(const fixture *f) {
  size_t most = 0;
  for (uint32_t i = 0; i < INSTRS; i++) {
    size_t alive = 0;
    for (int b = 0; b < BUFFERS; b++)
      if (f->buffers[b].first <= i && i <= f->buffers[b].last)
        alive += f->sizes[b];
    most = alive > most ? alive : most;
  }
  return most;
}

static size_t plan_all(fixture *f) {
  sorting = f;
  for (uint32_t i = 0; i < BUFFERS; i++)
    f->by_first[i] = f->by_last[i] = i;
  qsort(f->by_first, BUFFERS, sizeof *f->by_first, by_first);
  qsort(f->by_last, BUFFERS, sizeof *f->by_last, by_last);
  f->p = (plan){.buffers = f->buffers,
                .buffer_count = BUFFERS,
                .by_first = f->by_first,
                .by_last = f->by_last,
                .arena_count = BUFFERS,
                .instr_count = INSTRS};
  pir_arena scratch = {0};
  size_t total, alive;
  assert_true(pir_plan_offsets(&f->p, false, f->sizes, &scratch, f->offsets, &total, &alive));
  assert_true(alive >= most_alive(f) && alive <= most_alive(f) + 64 * BUFFERS &&
              alive <= total);
  pir_arena_destroy(&scratch);
  return total;
}

static void check_apart(const fixture *f, size_t total) {
  for (int i = 0; i < BUFFERS; i++) {
    assert_int_equal(f->offsets[i] % 64, 0);
    assert_true(f->offsets[i] + f->sizes[i] <= total);
    for (int j = 0; j < i; j++) {
      const plan_buffer *a = &f->buffers[i], *b = &f->buffers[j];
      if (a->last < b->first || b->last < a->first || !f->sizes[i] || !f->sizes[j])
        continue;
      assert_true(f->offsets[i] + f->sizes[i] <= f->offsets[j] ||
                  f->offsets[j] + f->sizes[j] <= f->offsets[i]);
    }
  }
}

static void random_lifetimes_stay_apart(void **unused) {
  static fixture f;
  for (int round = 0; round < 50; round++) {
    for (int i = 0; i < BUFFERS; i++) {
      uint32_t first = (uint32_t)next(INSTRS);
      uint32_t length = (uint32_t)(next(10) ? next(6) : next(INSTRS));
      f.buffers[i] =
          (plan_buffer){.home = HOME_ARENA,
                        .first = first,
                        .last = first + length < INSTRS ? first + length : INSTRS - 1};
      f.sizes[i] = next(20) ? next(1 << next(20)) : 0;
    }
    size_t total = plan_all(&f);
    check_apart(&f, total);
    assert_true(total <= most_alive(&f) * 23 / 20 + 64 * BUFFERS);
  }
}

// A chain, as most networks are: two buffers suffice, and freed neighbours join for a larger
// one.
static void chain_uses_two_places(void **unused) {
  static fixture f;
  for (uint32_t i = 0; i < BUFFERS; i++) {
    uint32_t at = i < INSTRS - 1 ? i : INSTRS - 1;
    f.buffers[i] =
        (plan_buffer){.home = HOME_ARENA, .first = at, .last = at + (i < INSTRS - 1)};
    f.sizes[i] = i < INSTRS - 1 ? 64 * 100 : 0;
  }
  size_t total = plan_all(&f);
  check_apart(&f, total);
  assert_true(total <= 64 * (2 * 100 + BUFFERS - INSTRS + 2));
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(random_lifetimes_stay_apart),
                                     cmocka_unit_test(chain_uses_two_places)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
