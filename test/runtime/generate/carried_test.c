// Tokens that a loop in the program makes are those of a generation step by step, and the loop
// carries its cache without copying it.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <pir/engine/generation.h>
#include <pir/layer/random.h>

enum { IDS = 16, WIDTH = 8, TOKENS = 600 };
static float table[IDS * WIDTH], scores[WIDTH * IDS], share = 0.9F;

// Memory that a session takes: all bytes so far, the most at the same time, and blocks of one
// size.
typedef struct counter {
  size_t total, now, most, size, blocks;
} counter;

static void *take(void *user, size_t size, size_t align) {
  counter *c = user;
  c->total += size;
  c->blocks += size == c->size;
  c->now += size;
  c->most = c->now > c->most ? c->now : c->most;
  return aligned_alloc(align, (size + align - 1) / align * align);
}

static void give(void *user, void *memory, size_t size) {
  ((counter *)user)->now -= size;
  free(memory);
}

static pir_model *load(const char *name, const char *pipeline) {
  char path[200];
  pir_model_options options = {.size = sizeof options, .pipeline = pipeline};
  pir_model *model = NULL;
  snprintf(path, sizeof path, "test/runtime/generate/inputs/%s.pir", name);
  assert_int_equal(pir_model_load_file(path, NULL, &options, &model), PIR_OK);
  return model;
}

static void check(pir_session *s, pir_status status) {
  if (status)
    fail_msg("%s", pir_session_message(s));
}

static void bind(pir_session *s, size_t i, void *data, pir_dtype dtype, int64_t rows,
                 int64_t columns) {
  pir_tensor t = {.data = data};
  pir_tensor_set_dense(&t, dtype, (int64_t[]){rows, columns}, 2);
  check(s, pir_session_bind_input(s, i, &t));
}

static void make_by_steps(const char *pipeline, int64_t *prompt, int64_t tokens,
                          int64_t *made) {
  pir_model *model = load("step", pipeline);
  pir_session *s;
  pir_generation *g;
  pir_generation_options how = {
      .size = sizeof how, .temperature = 1, .top_p = (double)share, .seed = 21};
  assert_int_equal(pir_session_create(model, NULL, &s), PIR_OK);
  bind(s, 2, table, PIR_F32, IDS, WIDTH);
  bind(s, 3, scores, PIR_F32, WIDTH, IDS);
  how.caches = &(pir_cache_ports){"all", "cache"};
  how.cache_count = 1;
  check(s, pir_generation_create(s, &how, &g));
  check(s, pir_generation_feed(g, prompt, 2));
  for (int64_t i = 0; i < tokens; i++)
    check(s, pir_generation_next(g, made + i));
  pir_generation_destroy(g);
  pir_session_destroy(s);
  pir_model_release(model);
}

static void make_by_loop(const char *pipeline, int64_t *prompt, int64_t tokens, bool separate,
                         int64_t *made, counter *c) {
  pir_model *model = load("loop", pipeline);
  pir_session *s;
  pir_tensor out, most = {.data = &tokens};
  pir_session_options options = {
      .size = sizeof options, .seed = 21, .separate = separate, .allocator = {take, give, c}};
  assert_int_equal(pir_session_create(model, &options, &s), PIR_OK);
  bind(s, 0, prompt, PIR_I64, 1, 2);
  pir_tensor_set_dense(&most, PIR_I64, (int64_t[]){1}, 1);
  check(s, pir_session_bind_input(s, 1, &most));
  bind(s, 2, NULL, PIR_I64, 1, 0);
  bind(s, 3, &share, PIR_F32, 1, 1);
  bind(s, 4, table, PIR_F32, IDS, WIDTH);
  bind(s, 5, scores, PIR_F32, WIDTH, IDS);
  c->total = 0;
  check(s, pir_session_run(s));
  check(s, pir_session_output(s, 0, &out));
  assert_int_equal(out.shape[1], tokens);
  memcpy(made, out.data, (size_t)tokens * sizeof *made);
  pir_session_destroy(s);
  assert_int_equal(c->now, 0);
  pir_model_release(model);
}

static void loops_make_the_same_tokens(void **unused) {
  static const char *const pipelines[] = {"compile", "kernels"};
  int64_t prompt[] = {3, 11}, steps[TOKENS], loop[TOKENS], seen = 0, distinct = 0;
  for (int p = 0; p < 2; p++)
    for (int separate = 0; separate < 2; separate++) {
      counter c = {0};
      make_by_steps(pipelines[p], prompt, TOKENS, steps);
      make_by_loop(pipelines[p], prompt, TOKENS, separate, loop, &c);
      assert_memory_equal(steps, loop, sizeof steps);
    }
  for (int i = 0; i < TOKENS; i++)
    seen |= (int64_t)1 << steps[i];
  for (int i = 0; i < IDS; i++)
    distinct += seen >> i & 1;
  assert_true(distinct > 8);
}

// A cache that was copied in each iteration would take memory 600 times.
static void loops_carry_a_cache_without_copies(void **unused) {
  static const char *const pipelines[] = {"compile", "kernels"};
  const size_t last = (TOKENS + 2) * WIDTH * sizeof(float);
  int64_t prompt[] = {3, 11}, made[TOKENS];
  for (int p = 0; p < 2; p++) {
    counter few = {0}, many = {0};
    make_by_loop(pipelines[p], prompt, TOKENS / 2, false, made, &few);
    make_by_loop(pipelines[p], prompt, TOKENS, false, made, &many);
    assert_true(many.total < 2 * few.total + 6 * last);
    assert_true(many.most < few.most + 4 * last);
  }
}

// An op that writes one row after the other into a cache: its values, and the bytes that were
// taken. The rows of values are the last thirds of the rows that are given.
static void write_by_loop(const char *pipeline, int32_t steps, bool separate, counter *c) {
  enum { THIRD = 8, ROW = 3 * THIRD, MOST = 512 };
  static float rows[MOST * ROW], empty[2 * MOST * THIRD];
  pir_model *model = load("written", pipeline);
  pir_session *s;
  pir_tensor cache = {.data = empty}, out;
  pir_session_options options = {
      .size = sizeof options, .separate = separate, .allocator = {take, give, c}};
  for (int i = 0; i < MOST * ROW; i++)
    rows[i] = (float)(i % 101) / 101;
  memset(empty, 0, sizeof empty);
  assert_int_equal(pir_session_create(model, &options, &s), PIR_OK);
  bind(s, 0, rows, PIR_F32, MOST, ROW);
  bind(s, 1, &steps, PIR_I32, 1, 1);
  pir_tensor_set_dense(&cache, PIR_F32, (int64_t[]){2, 1, 1, MOST, THIRD}, 5);
  check(s, pir_session_bind_input(s, 2, &cache));
  c->size = sizeof empty;
  check(s, pir_session_run(s));
  check(s, pir_session_output(s, 1, &out));
  const float *values = (const float *)out.data + MOST * THIRD;
  for (int i = 0; i < MOST; i++)
    for (int k = 0; k < THIRD; k++)
      assert_true(values[i * THIRD + k] == (i < steps ? rows[i * ROW + 2 * THIRD + k] : 0));
  for (size_t i = 0; i < sizeof empty / sizeof *empty; i++)
    assert_true(empty[i] == 0);  // the caller's memory is as it was
  pir_session_destroy(s);
  assert_int_equal(c->now, 0);
  pir_model_release(model);
}

static void loops_write_a_cache_where_it_lies(void **unused) {
  static const char *const pipelines[] = {"compile", "kernels"};
  for (int p = 0; p < 2; p++) {
    counter c = {0};
    write_by_loop(pipelines[p], 500, false, &c);
    assert_in_range(c.blocks, 1, 2);
    write_by_loop(pipelines[p], 100, true, &c);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(loops_make_the_same_tokens),
      cmocka_unit_test(loops_carry_a_cache_without_copies),
      cmocka_unit_test(loops_write_a_cache_where_it_lies),
  };
  // No two ids are equally probable: then a last bit would decide.
  pir_generator numbers;
  pir_generator_seed(&numbers, 1);
  for (int i = 0; i < IDS * WIDTH; i++) {
    table[i] = pir_generator_float(&numbers) - 0.5F;
    scores[i] = 4 * pir_generator_float(&numbers) - 2;
  }
  return cmocka_run_group_tests(tests, NULL, NULL);
}
