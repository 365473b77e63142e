// Exhausted memory; containers: arena reuse, both hash tables compared with a plain array, the
// formatter.

#include <arena.h>
#include <hash.h>
#include <map.h>
#include <strbuf.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void arena_reuses_freed_blocks(void **state) {
  pir_arena arena;
  pir_heap heap;
  pir_heap_init(&heap, NULL);
  pir_arena_init(&arena, &heap);
  for (size_t size = 1; size < 100000; size = size * 3 / 2 + 1) {
    void *first = pir_arena_alloc(&arena, size);
    memset(first, 1, size);
    pir_arena_free(&arena, first, size);
    void *second = pir_arena_alloc(&arena, size);
    if (size < 60000)
      assert_ptr_equal(first, second);
    assert_int_equal((uintptr_t)second % 8, 0);
    pir_arena_free(&arena, second, size);
  }
  size_t held = heap.held;
  for (int i = 0; i < 10000; i++)
    pir_arena_free(&arena, pir_arena_alloc(&arena, 40), 40);
  assert_int_equal(heap.held, held);
  void *large = pir_arena_alloc(&arena, 1 << 22);
  pir_arena_free(&arena, large, 1 << 22);
  assert_int_equal(heap.held, held);
  pir_arena_destroy(&arena);
}

// ---- memory that runs out

typedef struct source {
  int left, live;
} source;

static void *take_some(void *user, size_t size, size_t align) {
  source *s = user;
  if (!s->left)
    return NULL;
  s->left--;
  s->live++;
  return malloc(size);
}

static void give_some(void *user, void *memory, size_t size) {
  ((source *)user)->live--;
  free(memory);
}

// An arena of an allocator gives NULL from the first failure on, whatever is asked for, and all
// its memory goes back.
static void arena_without_heap_returns(void **state) {
  source s = {.left = 3};
  pir_arena arena = {.source = {take_some, give_some, &s}};
  void *small = pir_arena_zalloc(&arena, 24), *large = pir_arena_alloc(&arena, 1 << 20);
  assert_non_null(small);
  assert_non_null(large);
  memset(large, 1, 1 << 20);
  assert_string_equal(pir_arena_text(&arena, PIR_STR("text")).data, "text");
  pir_arena_reset(&arena);
  assert_int_equal(s.live, 1);
  assert_ptr_equal(pir_arena_alloc(&arena, 24), small);
  assert_non_null(pir_arena_alloc(&arena, 1 << 20));
  assert_false(arena.failed);
  assert_null(pir_arena_alloc(&arena, 1 << 20));
  assert_true(arena.failed);
  s.left = 100;
  assert_null(pir_arena_alloc(&arena, 1));
  assert_null(pir_arena_copy(&arena, "x", 1));
  assert_int_equal(pir_arena_text(&arena, PIR_STR("text")).size, 0);
  pir_arena_reset(&arena);
  assert_non_null(pir_arena_zalloc(&arena, 24));
  assert_int_equal(pir_arena_size(&arena, SIZE_MAX, 2), SIZE_MAX);
  assert_true(arena.failed);
  pir_arena_destroy(&arena);
  assert_int_equal(s.live, 0);
}

typedef struct heap_user {
  pir_heap heap;
  pir_arena arena;
  pir_map map;
  size_t guarded, put;
} heap_user;

static void note(void *what) {
  ++*(size_t *)what;
}

static pir_status put_many(void *user_) {
  heap_user *u = user_;
  static char keys[1000];
  pir_guard kept, closed;
  pir_guard_open(&u->heap, &kept, note, &u->guarded);
  pir_guard_open(&u->heap, &closed, note, &u->guarded);
  pir_guard_close(&closed);
  for (u->put = 0; u->put < sizeof keys; u->put++)
    pir_map_put(&u->arena, &u->map, &keys[u->put], u->put + 1);
  pir_guard_close(&kept);
  for (size_t i = 0; i < sizeof keys; i++)
    assert_int_equal(*pir_map_find(&u->map, &keys[i]), i + 1);
  return PIR_OK;
}

static void running_out_ends_the_catch(void **state) {
  pir_status status = PIR_EXHAUSTED;
  for (int n = 0; status; n++) {
    source s = {.left = n};
    heap_user u = {.guarded = 0};
    bool jumped;
    pir_heap_init(&u.heap, &(pir_allocator){take_some, give_some, &s});
    pir_arena_init(&u.arena, &u.heap);
    status = pir_heap_catch(&u.heap, put_many, &u, &jumped);
    assert_int_equal(status, jumped ? PIR_EXHAUSTED : PIR_OK);
    assert_int_equal(u.guarded, jumped);
    assert_int_equal(u.map.count, u.put);  // all or nothing of each put
    s.left = 100;
    assert_int_equal(pir_heap_catch(&u.heap, put_many, &u, NULL), PIR_OK);
    pir_heap_release(&u.heap);
    assert_int_equal(s.live, 0);
  }
}

static void map_agrees_with_an_array(void **state) {
  enum { KEYS = 257, STEPS = 20000 };
  static char keys[KEYS];
  uint64_t want[KEYS] = {0};
  unsigned seed = 3;
  pir_arena arena;
  pir_map map = {0};
  pir_heap heap;
  pir_heap_init(&heap, NULL);
  pir_arena_init(&arena, &heap);
  for (int step = 0; step < STEPS; step++) {
    int k = rand_r(&seed) % KEYS;
    if (rand_r(&seed) % 3) {
      want[k] = (uint64_t)step + 1;
      pir_map_put(&arena, &map, &keys[k], want[k]);
    } else {
      pir_map_remove(&map, &keys[k]);
      want[k] = 0;
    }
    int probe = rand_r(&seed) % KEYS;
    uint64_t *found = pir_map_find(&map, &keys[probe]);
    assert_int_equal(found ? *found : 0, want[probe]);
  }
  size_t count = 0;
  for (int k = 0; k < KEYS; k++)
    count += want[k] != 0;
  assert_int_equal(map.count, count);
  pir_arena_destroy(&arena);
}

static bool same_text(const void *item, const void *key) {
  return strcmp(item, key) == 0;
}

static void set_keeps_what_collides(void **state) {
  static char *words[] = {"a", "b", "c", "d", "e", "f"};
  pir_arena arena;
  pir_set set = {0};
  pir_heap heap;
  pir_heap_init(&heap, NULL);
  pir_arena_init(&arena, &heap);
  for (int i = 0; i < 6; i++)
    pir_set_add(&arena, &set, 5, words[i]);
  pir_set_remove(&set, 5, words[2]);
  for (int i = 0; i < 6; i++)
    assert_ptr_equal(pir_set_find(&set, 5, same_text, words[i]), i == 2 ? NULL : words[i]);
  pir_arena_destroy(&arena);
}

static void formatter(void **state) {
  pir_arena arena;
  pir_strbuf buf;
  pir_heap heap;
  pir_heap_init(&heap, NULL);
  pir_arena_init(&arena, &heap);
  pir_strbuf_init(&buf, &arena);
  pir_strbuf_format(&buf, "%d %u %zu %lld %x %c %s %.*s %g %.3f %%", -5, 7u, (size_t)9,
                    (long long)INT64_MIN, 255u, 'c', "text", 2, "abc", 1e-5, 2.0);
  pir_strbuf_char(&buf, 0);
  assert_string_equal(buf.data, "-5 7 9 -9223372036854775808 ff c text ab 1e-05 2.000 %");
  pir_arena_destroy(&arena);
}

typedef struct sink {
  char text[64];
  size_t size, room;
} sink;

static bool take(void *user, const char *data, size_t size) {
  sink *s = user;
  if (s->size + size > s->room)
    return false;
  memcpy(s->text + s->size, data, size);
  s->size += size;
  return true;
}

static void writer_sees_all_or_the_failure(void **state) {
  sink full = {.room = 64}, small = {.room = 10};
  char room[8];
  for (int i = 0; i < 2; i++) {
    pir_strbuf buf;
    pir_strbuf_init_writer(&buf, (pir_writer){take, i ? &small : &full}, room, sizeof room);
    for (int k = 0; k < 10; k++)
      pir_strbuf_int(&buf, k);
    pir_strbuf_lit(&buf, "longer than the buffer");
    assert_int_equal(pir_strbuf_flush(&buf), i == 0);
  }
  assert_memory_equal(full.text, "0123456789longer than the buffer", full.size);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(arena_reuses_freed_blocks),
      cmocka_unit_test(arena_without_heap_returns),
      cmocka_unit_test(running_out_ends_the_catch),
      cmocka_unit_test(map_agrees_with_an_array),
      cmocka_unit_test(set_keeps_what_collides),
      cmocka_unit_test(formatter),
      cmocka_unit_test(writer_sees_all_or_the_failure),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
