// Generation: drawn tokens are those that the definition and the op top_p_sampling give;
// sequences end, go on and are refused as the header says.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <pir/engine/generation.h>
#include <pir/layer/random.h>

#define DATA(name, dtype, kind, dims, shape)                                                   \
  "(%" name ") = \"pd_op.data\" () {dtype:" dtype ",name:\"" name                              \
  "\",place:Place(undefined:0),shape:[" dims "]} : () -> tensor<" shape "x" kind ">\n"
#define FETCH(value, col, type)                                                                \
  "(%f" col ") = \"pd_op.fetch\" (%" value ") {col:" col ",name:\"" value                      \
  "\"} : (tensor<" type ">) -> tensor<" type ">\n"

// The logits of the next id are a row of a table.
#define ROWS                                                                                   \
  "{\n" DATA("ids", "int64", "i64", "-1,-1", "-1x-1")                                          \
      DATA("table", "float32", "f32", "-1,-1",                                                 \
           "-1x-1") "(%logits) = "                                                             \
                    "\"pd_op.embedding\" "                                                     \
                    "(%ids, %table) {padding_idx:-1,sparse:false} : (tensor<-1x-1xi64>, "      \
                    "tensor<-1x-1xf32>) -> "                                                   \
                    "tensor<-1x-1x-1xf32>\n"
#define TABLE ROWS FETCH("logits", "0", "-1x-1x-1xf32") "}\n"
// The same with the choice in the program.
#define DRAWN                                                                                  \
  ROWS DATA("p", "float32", "f32", "-1,1",                                                     \
            "-1x1") "(%shape) = \"pd_op.full_int_array\" () "                                  \
                    "{dtype:int64,place:Place(cpu),value:"                                     \
                    "[-1,7]} : () -> tensor<2xi64>\n"                                          \
                    "(%rows) = \"pd_op.reshape\" (%logits, %shape) {} : "                      \
                    "(tensor<-1x-1x-1xf32>, tensor<2xi64>) "                                   \
                    "-> tensor<-1x7xf32>\n"                                                    \
                    "(%probs) = \"pd_op.softmax\" (%rows) {axis:-1} : (tensor<-1x7xf32>) -> "  \
                    "tensor<-1x7xf32>\n"                                                       \
                    "(%out, %id, %ts, %ti) = \"pd_op.top_p_sampling\" (%probs, %p, <<NULL "    \
                    "VALUE>>, <<NULL "                                                         \
                    "VALUE>>) {k:0,mode:\"truncated\",seed:-1} : (tensor<-1x7xf32>, "          \
                    "tensor<-1x1xf32>, <<NULL "                                                \
                    "TYPE>>, <<NULL TYPE>>) -> tensor<-1x1xf32>, tensor<-1x1xi64>, <<NULL "    \
                    "TYPE>>, <<NULL "                                                          \
                    "TYPE>>\n" FETCH("id", "0", "-1x1xi64") "}\n"
// A cache [sequences, tokens, 8] of floats, to which each run adds `n` tokens; the logits of
// all ids but 1 are 0.
#define NEW(n) "tensor<1x" n "x8xf32>"
#define CACHED_TO(n, end)                                                                      \
  "{\n" DATA("ids", "int64", "i64", "1," n, "1x" n) DATA("cache", "float32", "f32", "1,-1,8",  \
                                                         "1x-1x8")                             \
      DATA("table", "float32", "f32", "4,8",                                                   \
           "4x8") "(%new) = \"pd_op.embedding\" (%ids, %table) "                               \
                  "{padding_idx:-1,sparse:false} : (tensor<1x" n "xi64>, "                     \
                  "tensor<4x8xf32>) -> " NEW(                                                  \
                      n) "\n"                                                                  \
                         "(%list) = \"builtin.combine\" (%cache, %new) {} : "                  \
                         "(tensor<1x-1x8xf32>, " NEW(n) ") -> vec[tensor<1x-1x8xf32>," NEW(    \
                             n) "]\n"                                                          \
                                "(%axis) = \"pd_op.full\" () "                                 \
                                "{dtype:int32,place:Place(cpu),shape:[1],value:1} : () -> "    \
                                "tensor<1xi32>\n"                                              \
                                "(%all) = \"pd_op.concat\" (%list, %axis) {} : "               \
                                "(vec[tensor<1x-1x8xf32>," NEW(                                \
                                    n) "], tensor<1xi32>) -> tensor<1x-1x8xf32>\n"             \
                                       "(%axes) = \"pd_op.full_int_array\" () "                \
                                       "{dtype:int64,place:Place(cpu),value:[1]} : () -> "     \
                                       "tensor<1xi64>\n"                                       \
                                       "(%logits) = \"pd_op.sum\" (%all, %axes) "              \
                                       "{dtype:Undefined,keepdim:false} : "                    \
                                       "(tensor<1x-1x8xf32>, tensor<1xi64>) -> "               \
                                       "tensor<1x8xf32>\n" FETCH("logits", "0", "1x8xf32")     \
                                           FETCH("all", "1", "1x-1x8xf32") end "}\n"
#define CACHED_BY(n) CACHED_TO(n, "")
#define CACHED CACHED_BY("-1")
// The same with another cache, of the ids as floats, which has to be copied.
#define PAIR                                                                                   \
  CACHED_TO(                                                                                   \
      "-1",                                                                                    \
      DATA(                                                                                    \
          "past", "float32", "f32", "1,-1",                                                    \
          "1x-1") "(%number) = \"pd_op.cast\" (%ids) {dtype:float32} : (tensor<1x-1xi64>) -> " \
                  "tensor<1x-1xf32>\n"                                                         \
                  "(%pair) = \"builtin.combine\" (%past, %number) {} : (tensor<1x-1xf32>, "    \
                  "tensor<1x-1xf32>) -> vec[tensor<1x-1xf32>,tensor<1x-1xf32>]\n"              \
                  "(%both) = \"pd_op.concat\" (%pair, %axis) {} : (vec[tensor<1x-1xf32>,"      \
                  "tensor<1x-1xf32>], tensor<1xi32>) -> tensor<1x-1xf32>\n"                    \
                  "(%kept) = \"pd_op.abs\" (%both) {} : (tensor<1x-1xf32>) -> "                \
                  "tensor<1x-1xf32>\n" FETCH("kept", "2", "1x-1xf32"))

enum { IDS = 7 };
static float table[IDS * IDS];

static void fill_table(void **unused) {
  for (int i = 0; i < IDS * IDS; i++)
    table[i] = (float)((i * 37 + 11) % 53) / 13 - 2;
}

static pir_model *load(const char *text) {
  pir_model_options options = {.size = sizeof options};
  pir_model *model = NULL;
  pir_borrowed program = {.data = text, .size = strlen(text)};
  assert_int_equal(pir_model_load(program, (pir_borrowed){0}, &options, &model), PIR_OK);
  return model;
}

static pir_session *open_with(pir_model *model, const pir_session_options *options) {
  pir_session *s = NULL;
  assert_int_equal(pir_session_create(model, options, &s), PIR_OK);
  return s;
}

static void check(pir_session *s, pir_status status) {
  if (status)
    fail_msg("%s", pir_session_message(s));
}

static void expect(pir_session *s, pir_status found, pir_status wanted, const char *message) {
  if (found != wanted || !strstr(pir_session_message(s), message))
    fail_msg("expected '%s' and status %d, found '%s' and status %d", message, wanted,
             pir_session_message(s), found);
}

static pir_tensor tensor_of(void *data, pir_dtype dtype, int64_t rows, int64_t columns) {
  pir_tensor t = {.data = data};
  pir_tensor_set_dense(&t, dtype, (int64_t[]){rows, columns}, 2);
  return t;
}

static pir_session *open_table(pir_model *model, int threads, uint64_t seed) {
  pir_session_options options = {.size = sizeof options, .threads = threads, .seed = seed};
  pir_session *s = open_with(model, &options);
  pir_tensor t = tensor_of(table, PIR_F32, IDS, IDS);
  check(s, pir_session_bind_input(s, 1, &t));
  return s;
}

static pir_generation *start(pir_session *s, const pir_generation_options *how) {
  pir_generation *g;
  check(s, pir_generation_create(s, how, &g));
  return g;
}

// ---- choices

typedef struct scored {
  double logit;
  int id;
} scored;

static int by_logit(const void *a, const void *b) {
  const scored *x = a, *y = b;
  if (x->logit != y->logit)
    return x->logit < y->logit ? 1 : -1;
  return x->id - y->id;
}

// The definition, with the numbers of the session's generator.
static int choose(const float *row, const bool *seen, const pir_generation_options *how,
                  pir_generator *numbers) {
  scored all[IDS];
  double sum = 0, probability[IDS];
  for (int i = 0; i < IDS; i++) {
    double logit = (double)row[i], by = how->repetition_penalty;
    if (by > 0 && seen[i])
      logit = logit > 0 ? logit / by : logit * by;
    all[i] = (scored){logit, i};
  }
  qsort(all, IDS, sizeof *all, by_logit);
  if (how->temperature == 0)
    return all[0].id;
  int kept = how->top_k ? (int)how->top_k : IDS;
  for (int i = 0; i < kept; i++)
    sum += probability[i] = exp((all[i].logit - all[0].logit) / how->temperature);
  double share = 1 - (double)pir_generator_float(numbers), reached = 0;
  for (int i = 0; i < kept; i++) {
    reached += probability[i] / sum;
    if (reached >= share * (how->top_p > 0 ? how->top_p : 1) - 1e-7)
      return all[i].id;
  }
  return all[0].id;
}

static void chooses_as_defined(const pir_generation_options *how, int threads) {
  pir_model *model = load(TABLE);
  pir_session *s = open_table(model, threads, 5);
  pir_generation *g = start(s, how);
  pir_generator numbers;
  bool seen[IDS] = {[3] = true};
  int64_t id = 3, distinct = 0;
  pir_generator_spread(&numbers, how->seed ? how->seed : 5);
  check(s, pir_generation_feed(g, &id, 1));
  for (int i = 0; i < 300; i++) {
    int wanted = choose(table + id * IDS, seen, how, &numbers);
    check(s, pir_generation_next(g, &id));
    assert_int_equal(id, wanted);
    seen[id] = true;
  }
  for (int i = 0; i < IDS; i++)
    distinct += seen[i];
  assert_true(how->temperature == 0 || distinct > 3);
  pir_generation_destroy(g);
  pir_session_destroy(s);
  pir_model_release(model);
}

static void tokens_are_those_of_the_definition(void **unused) {
  pir_generation_options how = {.size = sizeof how};
  chooses_as_defined(&how, 1);
  how.temperature = 1;
  chooses_as_defined(&how, 1);
  how.seed = 1234567;
  chooses_as_defined(&how, 3);
  how.temperature = 0.7;
  how.top_k = 4;
  chooses_as_defined(&how, 1);
  how.top_p = 0.8;
  chooses_as_defined(&how, 1);
  how.top_k = 0;
  chooses_as_defined(&how, 2);
  how.repetition_penalty = 1.5;
  chooses_as_defined(&how, 1);
  how = (pir_generation_options){.size = sizeof how, .repetition_penalty = 1.3};
  chooses_as_defined(&how, 1);
}

// The op in the program draws the same tokens from the same seed.
static void tokens_are_those_of_the_op(void **unused) {
  pir_model *model = load(TABLE), *drawing = load(DRAWN);
  pir_session *s = open_table(model, 1, 99), *other = open_table(drawing, 1, 99);
  pir_generation_options how = {
      .size = sizeof how, .temperature = 1, .top_p = 0.75, .sequences = 3};
  pir_generation *g = start(s, &how);
  int64_t ids[3] = {1, 5, 2}, last[3];
  float p[3] = {0.75F, 0.75F, 0.75F};
  pir_tensor share = tensor_of(p, PIR_F32, 3, 1), in = tensor_of(last, PIR_I64, 3, 1), out;
  check(s, pir_generation_feed(g, ids, 1));
  check(other, pir_session_bind_input(other, 2, &share));
  check(other, pir_session_bind_input(other, 0, &in));
  for (int i = 0; i < 100; i++) {
    memcpy(last, ids, sizeof last);
    check(other, pir_session_run(other));
    check(other, pir_session_output(other, 0, &out));
    check(s, pir_generation_next(g, ids));
    assert_memory_equal(out.data, ids, sizeof ids);
  }
  pir_generation_destroy(g);
  pir_session_destroy(s);
  pir_session_destroy(other);
  pir_model_release(model);
  pir_model_release(drawing);
}

// ---- ends

// Follows the largest logit from an id.
static int64_t follow(int64_t id) {
  pir_generation_options greedy = {.size = sizeof greedy};
  return choose(table + id * IDS, NULL, &greedy, NULL);
}

static void sequences_end_alone_and_go_on(void **unused) {
  pir_model *model = load(TABLE);
  pir_session *s = open_table(model, 1, 0);
  int64_t stop = follow(follow(0)), prompt[2] = {0, 0}, ids[2];
  prompt[1] = stop == follow(4) ? 5 : 4;
  pir_generation_options how = {
      .size = sizeof how, .sequences = 2, .stops = &stop, .stop_count = 1, .max_tokens = 2};
  pir_generation_stats stats = {.size = sizeof stats};
  pir_generation *g = start(s, &how);
  expect(s, pir_generation_next(g, ids), PIR_INVALID, "no ids were fed");
  check(s, pir_generation_feed(g, prompt, 1));
  check(s, pir_generation_next(g, ids));
  assert_int_equal(ids[0], follow(0));
  assert_int_equal(ids[1], follow(prompt[1]));
  check(s, pir_generation_next(g, ids));
  assert_int_equal(ids[0], PIR_NO_TOKEN);
  assert_int_equal(ids[1], follow(follow(prompt[1])));
  expect(s, pir_generation_next(g, ids), PIR_NOT_FOUND, "the answer has ended");
  expect(s, pir_generation_next(g, ids), PIR_NOT_FOUND, "the answer has ended");
  check(s, pir_generation_stats_of(g, &stats));
  assert_int_equal(stats.fed_tokens, 1);
  assert_int_equal(stats.made_tokens, 2);
  assert_int_equal(stats.steps, 1);
  // Another prompt: all go on, behind what was made.
  check(s, pir_generation_feed(g, prompt, 1));
  check(s, pir_generation_next(g, ids));
  assert_int_equal(ids[0], follow(0));
  check(s, pir_generation_stats_of(g, &stats));
  assert_int_equal(stats.cached_tokens, 4);
  pir_generation_destroy(g);
  // The session is as it was, but that nothing of the generation's is bound.
  expect(s, pir_session_run(s), PIR_INVALID, "input 0 \"ids\" is not bound");
  pir_session_destroy(s);
  pir_model_release(model);
}

static void bad_calls_are_refused(void **unused) {
  pir_model *model = load(TABLE);
  pir_session *s = open_table(model, 1, 0);
  pir_generation *g;
  const struct {
    pir_status status;
    const char *message;
    pir_generation_options how;
  } cases[] = {
      {PIR_NOT_FOUND, "no input \"words\"", {.ids = "words"}},
      {PIR_NOT_FOUND, "no output \"scores\"", {.logits = "scores"}},
      {PIR_NOT_FOUND, "no input \"at\"", {.position = "at"}},
      {PIR_UNSUPPORTED, "ids in input \"table\"", {.ids = "table"}},
      {PIR_INVALID, "temperature", {.temperature = -1}},
      {PIR_INVALID, "temperature", {.temperature = (double)NAN}},
      {PIR_INVALID, "top_p", {.temperature = 1, .top_p = 1.5}},
      {PIR_INVALID, "give a temperature", {.top_k = 3}},
      {PIR_INVALID, "repetition_penalty", {.repetition_penalty = -0.5}},
      {PIR_INVALID, "stop 0 is no id", {.stop_count = 1}},
      {PIR_INVALID, "room", {.room = -1}},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    pir_generation_options how = cases[i].how;
    how.size = sizeof how;
    expect(s, pir_generation_create(s, &how, &g), cases[i].status, cases[i].message);
    assert_null(g);
  }
  pir_generation_options none = {.size = 3};
  expect(s, pir_generation_create(s, &none, &g), PIR_INVALID,
         "pir_generation_options: size is");
  g = start(s, NULL);
  int64_t ids[2] = {1, -4};
  expect(s, pir_generation_feed(g, ids, 0), PIR_INVALID, "no ids");
  expect(s, pir_generation_feed(g, ids, 2), PIR_INVALID, "id -4 is no number from 0");
  ids[1] = 7;
  expect(s, pir_generation_feed(g, ids, 2), PIR_INVALID, "embedding");
  check(s, pir_generation_feed(g, ids, 1));
  check(s, pir_generation_next(g, ids));
  assert_int_equal(ids[0], follow(1));
  // The token that was made is fed again; behind a prompt that was refused there are no logits.
  ids[0] = 9;
  expect(s, pir_generation_feed(g, ids, 1), PIR_INVALID, "embedding");
  check(s, pir_generation_next(g, ids));
  assert_int_equal(ids[0], follow(follow(1)));
  pir_generation_destroy(g);
  g = start(s,
            &(pir_generation_options){.size = sizeof(pir_generation_options), .max_tokens = 1});
  ids[0] = 1;
  check(s, pir_generation_feed(g, ids, 1));
  ids[0] = 9;
  expect(s, pir_generation_feed(g, ids, 1), PIR_INVALID, "embedding");
  expect(s, pir_generation_next(g, ids), PIR_INVALID, "no ids were fed, or in vain");
  pir_generation_destroy(g);
  pir_generation_destroy(NULL);
  assert_int_equal(pir_generation_create(NULL, NULL, &g), PIR_INVALID);
  pir_session_destroy(s);
  pir_model_release(model);
}

static void logits_are_floats(void **unused) {
  pir_model *model = load(DRAWN);
  pir_session *s = open_table(model, 1, 0);
  pir_generation *g;
  expect(s, pir_generation_create(s, NULL, &g), PIR_UNSUPPORTED,
         "unsupported: logits in output \"id\", of int64");
  pir_session_destroy(s);
  pir_model_release(model);
}

static void flags_end_a_run_that_can_be_repeated(void **unused) {
  pir_model *model = load(TABLE);
  pir_atomic_int flag = 0;
  pir_session_options options = {.size = sizeof options, .cancel = &flag};
  pir_session *s = open_with(model, &options);
  pir_tensor t = tensor_of(table, PIR_F32, IDS, IDS);
  int64_t id = 2;
  check(s, pir_session_bind_input(s, 1, &t));
  pir_generation *g = start(s, NULL);
  check(s, pir_generation_feed(g, &id, 1));
  check(s, pir_generation_next(g, &id));
  flag = 1;
  expect(s, pir_generation_next(g, &id), PIR_CANCELLED, "cancelled");
  flag = 0;
  check(s, pir_generation_next(g, &id));
  assert_int_equal(id, follow(follow(2)));
  pir_generation_destroy(g);
  pir_session_destroy(s);
  pir_model_release(model);
}

// Ids that an earlier run has left bound are found.
static void ids_may_be_bound(void **unused) {
  pir_model *model = load(TABLE);
  pir_session *s = open_table(model, 1, 0);
  int64_t id = 2;
  pir_tensor ids = tensor_of(&id, PIR_I64, 1, 1);
  check(s, pir_session_bind_input(s, 0, &ids));
  check(s, pir_session_run(s));
  pir_generation *g = start(s, NULL);
  check(s, pir_generation_feed(g, &id, 1));
  check(s, pir_generation_next(g, &id));
  assert_int_equal(id, follow(2));
  pir_generation_destroy(g);
  pir_session_destroy(s);
  pir_model_release(model);
}

// ---- caches

static float rows[4 * 8];

static pir_session *open_cached(pir_model *model, uint64_t max_bytes) {
  pir_session_options options = {.size = sizeof options, .max_bytes = max_bytes};
  pir_session *s = open_with(model, &options);
  pir_tensor t = tensor_of(rows, PIR_F32, 4, 8);
  rows[1] = rows[8 + 1] = 1;
  check(s, pir_session_bind_input(s, 2, &t));
  return s;
}

// Makes tokens until it cannot; returns their number.
static int make_all(pir_generation *g, pir_status *out_status) {
  int64_t id;
  int made = 0;
  while (!(*out_status = pir_generation_next(g, &id)) && made < 100000) {
    assert_int_equal(id, 1);
    made++;
  }
  return made;
}

static void caches_end_at_their_room(void **unused) {
  pir_model *model = load(CACHED);
  pir_session *s = open_cached(model, 0);
  pir_cache_ports cache = {"all", "cache"};
  pir_generation_options how = {
      .size = sizeof how, .room = 10, .caches = &cache, .cache_count = 1};
  pir_generation_stats stats = {.size = sizeof stats};
  pir_generation *g = start(s, &how);
  int64_t ids[] = {0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0};
  pir_status status;
  expect(s, pir_generation_feed(g, ids, 11), PIR_EXHAUSTED,
         "output 1 \"all\" would have 11 elements along axis 1, its room has 10");
  check(s, pir_generation_feed(g, ids, 4));
  assert_int_equal(make_all(g, &status), 7);
  expect(s, status, PIR_EXHAUSTED, "output 1 \"all\"");
  check(s, pir_generation_stats_of(g, &stats));
  assert_int_equal(stats.cached_tokens, 10);
  assert_int_equal(stats.cache_bytes, 10 * 8 * sizeof(float));
  assert_int_equal(stats.copied_bytes, 0);
  pir_generation_destroy(g);
  // An alias of the caller's stays one.
  how.caches = &cache;
  check(s, pir_session_alias(s, 1, 1, 0));
  expect(s, pir_generation_create(s, &how, &g), PIR_INVALID, "aliased already");
  expect(s, pir_session_alias(s, 1, 1, 0), PIR_INVALID, "aliased already");
  check(s, pir_session_alias(s, 1, PIR_NO_INPUT, 0));
  how.caches = &(pir_cache_ports){"logits", "cache"};
  expect(s, pir_generation_create(s, &how, &g), PIR_INVALID, "a cache \"cache\" of ids");
  pir_session_destroy(s);
  pir_model_release(model);
}

// A model that takes four ids in each run is given no others.
static void ids_of_a_run_are_complete(void **unused) {
  pir_model *model = load(CACHED_BY("4"));
  pir_session *s = open_cached(model, 0);
  pir_cache_ports cache = {"all", "cache"};
  pir_generation_options how = {.size = sizeof how, .caches = &cache, .cache_count = 1};
  pir_generation_stats stats = {.size = sizeof stats};
  pir_generation *g = start(s, &how);
  int64_t ids[] = {0, 1, 0, 1, 0, 1, 0, 1}, id;
  expect(s, pir_generation_feed(g, ids, 6), PIR_INVALID, "has 4 ids in each run, not 6");
  check(s, pir_generation_feed(g, ids, 8));
  check(s, pir_generation_next(g, &id));
  expect(s, pir_generation_next(g, &id), PIR_INVALID, "has 4 ids in each run, not 1");
  expect(s, pir_generation_feed(g, ids, 4), PIR_INVALID, "has 4 ids in each run, not 5");
  check(s, pir_generation_feed(g, ids, 3));
  check(s, pir_generation_next(g, &id));
  check(s, pir_generation_stats_of(g, &stats));
  assert_int_equal(stats.cached_tokens, 12);
  pir_generation_destroy(g);
  pir_session_destroy(s);
  pir_model_release(model);
}

// Memory of which so many pieces are left; below 0 there is no end.
typedef struct giver {
  int left;
} giver;

static void *take(void *user, size_t size, size_t align) {
  giver *from = user;
  if (!from->left)
    return NULL;
  from->left -= from->left > 0;
  return aligned_alloc(align, (size + align - 1) / align * align);
}

static void give(void *user, void *memory, size_t size) {
  (void)user;
  (void)size;
  free(memory);
}

// Feeds twice, the second time with `n` pieces of memory. Returns what the
// failed call said when it was repeated.
static pir_status feed_without(pir_model *model, size_t caches, int n, bool *out_fails) {
  giver from = {-1};
  pir_session_options options = {.size = sizeof options, .allocator = {take, give, &from}};
  pir_session *s = open_with(model, &options);
  const pir_cache_ports ports[] = {{"kept", "past"}, {"all", "cache"}};
  pir_generation_options how = {.size = sizeof how, .caches = ports, .cache_count = caches};
  pir_tensor t = tensor_of(rows, PIR_F32, 4, 8), none = {0}, kept;
  int64_t ids[400] = {0, 1, 1, 0, 1}, id;
  check(s, pir_session_bind_input(s, 2, &t));
  pir_tensor_set_dense(&none, PIR_F32, (int64_t[]){1, 0, 8}, 3);
  check(s, pir_session_bind_input(s, 1, &none));
  pir_generation *g = start(s, &how);
  check(s, pir_generation_feed(g, ids, 4));
  from.left = n;
  pir_status status = pir_generation_feed(g, ids, 400);
  *out_fails = status != PIR_OK;
  assert_true(!status || status == PIR_EXHAUSTED);
  from.left = -1;
  int64_t length = 404;
  if (status) {
    // Without a run the logits are those of the four ids before.
    if (!pir_generation_next(g, &id)) {
      check(s, pir_session_output(s, 0, &kept));
      assert_true(((float *)kept.data)[1] == 4);
      length++;
    }
    status = pir_generation_feed(g, ids, 400);
  }
  if (status)
    expect(s, status, PIR_INVALID, "has lost a cache that could not be copied");
  check(s, pir_session_output(s, 2, &kept));
  assert_true(status || kept.shape[1] == length);
  pir_generation_destroy(g);
  pir_session_destroy(s);
  return status;
}

// Without memory for a copy no token is made of other caches: what was fed may be fed again, or
// the generation is over where a cache that was kept has gone on.
static void caches_are_copied_together(void **unused) {
  pir_model *model = load(PAIR);
  int over[3] = {0};
  rows[1] = rows[8 + 1] = 1;
  for (size_t caches = 1; caches <= 2; caches++) {
    bool fails = true;
    for (int n = 0; fails; n++)
      over[caches] += feed_without(model, caches, n, &fails) != PIR_OK;
  }
  assert_true(!over[1] && over[2]);
  pir_model_release(model);
}

static void ports_are_in_one_cache(void **unused) {
  pir_model *model = load(PAIR);
  pir_session *s = open_cached(model, 0);
  const pir_cache_ports inputs[] = {{"kept", "past"}, {"all", "past"}};
  const pir_cache_ports outputs[] = {{"kept", "past"}, {"kept", "cache"}};
  pir_generation_options how = {.size = sizeof how, .caches = inputs, .cache_count = 2};
  pir_generation *g;
  expect(s, pir_generation_create(s, &how, &g), PIR_INVALID,
         "output \"all\" as input \"past\": one of both is in another cache");
  how.caches = outputs;
  expect(s, pir_generation_create(s, &how, &g), PIR_INVALID, "is in another cache");
  how.caches = NULL;
  expect(s, pir_generation_create(s, &how, &g), PIR_INVALID, "2 caches are counted");
  pir_session_destroy(s);
  pir_model_release(model);
}

static void caches_end_at_the_limit_of_memory(void **unused) {
  pir_model *model = load(CACHED);
  pir_session *s = open_cached(model, 100000);
  pir_cache_ports cache = {"all", "cache"};
  pir_generation_options how = {.size = sizeof how, .caches = &cache, .cache_count = 1};
  pir_generation *g = start(s, &how);
  int64_t id = 0;
  pir_status status;
  check(s, pir_generation_feed(g, &id, 1));
  int made = make_all(g, &status);
  assert_int_equal(status, PIR_EXHAUSTED);
  assert_true(made > 1000 && made < 100000 / 32);
  assert_non_null(strstr(pir_session_message(s), "max_bytes"));
  pir_generation_destroy(g);
  pir_session_destroy(s);
  pir_model_release(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(tokens_are_those_of_the_definition),
      cmocka_unit_test(tokens_are_those_of_the_op),
      cmocka_unit_test(sequences_end_alone_and_go_on),
      cmocka_unit_test(bad_calls_are_refused),
      cmocka_unit_test(logits_are_floats),
      cmocka_unit_test(flags_end_a_run_that_can_be_repeated),
      cmocka_unit_test(ids_may_be_bound),
      cmocka_unit_test(caches_end_at_their_room),
      cmocka_unit_test(ids_of_a_run_are_complete),
      cmocka_unit_test(caches_are_copied_together),
      cmocka_unit_test(ports_are_in_one_cache),
      cmocka_unit_test(caches_end_at_the_limit_of_memory),
  };
  fill_table(NULL);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
