// Outputs that are the next run's inputs: caches that grow by concat, and caches that an op
// writes in place. Numbers are those of sessions without aliases.
#include "../../../../tools/ports.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <pir/compiler/load.h>
#include <pir/engine/model.h>

#define DATA(name, dims, shape)                                                                \
  "(%" name ") = \"pd_op.data\" () {dtype:float32,name:\"" name                                \
  "\",place:Place(undefined:0),shape:[" dims "]} : () -> tensor<" shape "xf32>\n"
#define FETCH(value, col, shape)                                                               \
  "(%f" col ") = \"pd_op.fetch\" (%" value ") {col:" col ",name:\"" value                      \
  "\"} : (tensor<" shape "xf32>) -> tensor<" shape "xf32>\n"

enum { HEADS = 32, WIDTH = 64, STEPS = 20, ROOM = 64 };

// A cache [batch, -1, 32, 64] that takes rows, which are computed, and is read.
#define GROWING                                                                                \
  "{\n" DATA("cache", "-1,-1,32,64", "-1x-1x32x64") DATA(                                      \
      "rows", "-1,-1,32,64",                                                                   \
      "-1x-1x32x64") "(%new) = \"pd_op.exp\" (%rows) {} : (tensor<-1x-1x32x64xf32>) -> "       \
                     "tensor<-1x-1x32x64xf32>\n"                                               \
                     "(%list) = \"builtin.combine\" (%cache, %new) {} : "                      \
                     "(tensor<-1x-1x32x64xf32>, "                                              \
                     "tensor<-1x-1x32x64xf32>) -> "                                            \
                     "vec[tensor<-1x-1x32x64xf32>,tensor<-1x-1x32x64xf32>]\n"                  \
                     "(%axis) = \"pd_op.full\" () "                                            \
                     "{dtype:int32,place:Place(cpu),shape:[1],value:1} : () -> "               \
                     "tensor<1xi32>\n"                                                         \
                     "(%all) = \"pd_op.concat\" (%list, %axis) {} : "                          \
                     "(vec[tensor<-1x-1x32x64xf32>,"                                           \
                     "tensor<-1x-1x32x64xf32>], tensor<1xi32>) -> tensor<-1x-1x32x64xf32>\n"   \
                     "(%twice) = \"pd_op.add\" (%all, %all) {} : (tensor<-1x-1x32x64xf32>, "   \
                     "tensor<-1x-1x32x64xf32>) -> tensor<-1x-1x32x64xf32>\n"                   \
                     "(%old) = \"pd_op.exp\" (%cache) {} : (tensor<-1x-1x32x64xf32>) -> "      \
                     "tensor<-1x-1x32x64xf32>\n" FETCH("all", "0", "-1x-1x32x64")              \
                         FETCH("twice", "1", "-1x-1x32x64")                                    \
                             FETCH("old", "2", "-1x-1x32x64") "}\n"

#define STEP(out, after, from)                                                                 \
  "(%" out ", %" after ", %n" out ") = \"pd_op.masked_multihead_attention_\" (%x, %" from      \
  ", <<NULL VALUE>>, <<NULL VALUE>>, <<NULL VALUE>>, %at, <<NULL VALUE>>, <<NULL VALUE>>, "    \
  "<<NULL VALUE>>, <<NULL VALUE>>, <<NULL VALUE>>) {compute_dtype:\"default\",out_scale:-1,"   \
  "quant_max_bound:127,quant_min_bound:-127,quant_round_type:1,rotary_emb_dims:0,seq_len:1,"   \
  "use_neox_rotary_style:false} : (tensor<1x24xf32>, tensor<2x1x1x6x8xf32>, <<NULL TYPE>>, "   \
  "<<NULL TYPE>>, <<NULL TYPE>>, tensor<1x1xi32>, <<NULL TYPE>>, <<NULL TYPE>>, "              \
  "<<NULL TYPE>>, <<NULL TYPE>>, <<NULL TYPE>>) -> tensor<1x8xf32>, tensor<2x1x1x6x8xf32>, "   \
  "<<NULL TYPE>>\n"
#define AT                                                                                     \
  "(%at) = \"pd_op.data\" () {dtype:int32,name:\"at\",place:Place(undefined:0),shape:[1,1]} "  \
  ": () -> tensor<1x1xi32>\n"

// A cache that one token after the other is written into.
#define WRITTEN                                                                                \
  "{\n" DATA("x", "1,24", "1x24") DATA("cache", "2,1,1,6,8", "2x1x1x6x8")                      \
      AT STEP("out", "after", "cache") FETCH("out", "0", "1x8")                                \
          FETCH("after", "1", "2x1x1x6x8")
#define READ_LATER                                                                             \
  WRITTEN "(%was) = \"pd_op.exp\" (%cache) {} : (tensor<2x1x1x6x8xf32>) -> "                   \
          "tensor<2x1x1x6x8xf32>\n" FETCH("was", "2", "2x1x1x6x8") "}\n"

// A cache of two sequences that is attended with the new rows as queries.
#define CACHE "tensor<2x-1x32x64xf32>"
static const char attended[] = "{\n" DATA("cache", "2,-1,32,64", "2x-1x32x64")
    DATA("rows", "2,-1,32,64",
         "2x-1x32x64") "(%list) = \"builtin.combine\" (%cache, %rows) {} : (" CACHE ", " CACHE
                       ") -> "
                       "vec[" CACHE "," CACHE "]\n"
                       "(%axis) = \"pd_op.full\" () "
                       "{dtype:int32,place:Place(cpu),shape:[1],value:1} : () -> "
                       "tensor<1xi32>\n"
                       "(%all) = \"pd_op.concat\" (%list, %axis) {} : (vec[" CACHE "," CACHE
                       "], tensor<1xi32>) "
                       "-> " CACHE "\n"
                       "(%most) = \"pd_op.full\" () "
                       "{dtype:int64,place:Place(cpu),shape:[1],value:-1} : () -> "
                       "tensor<1xi64>\n"
                       "(%out, %lse, %seed) = \"pd_op.memory_efficient_attention\" (%rows, "
                       "%all, %all, <<NULL "
                       "VALUE>>, <<NULL VALUE>>, <<NULL VALUE>>, <<NULL VALUE>>, <<NULL "
                       "VALUE>>, %most, %most) "
                       "{causal:false,dropout_p:0,is_test:true,scale:-1} : (" CACHE ", " CACHE
                       ", " CACHE ", "
                       "<<NULL TYPE>>, <<NULL TYPE>>, <<NULL TYPE>>, <<NULL TYPE>>, <<NULL "
                       "TYPE>>, tensor<1xi64>, "
                       "tensor<1xi64>) -> " CACHE
                       ", tensor<32x2xf32>, tensor<2xi64>\n" FETCH("all", "0", "2x-1x32x64")
                           FETCH("out", "1", "2x-1x32x64") "}\n";

// The number of sequences is open in the cache and fixed in the rows.
#define JOINED(batch)                                                                          \
  "{\n" DATA("cache", "-1,-1,32,64", "-1x-1x32x64")                                            \
      DATA("rows", batch ",-1,32,64",                                                          \
           batch "x-1x32x64") "(%list) = \"builtin.combine\" (%cache, %rows) {} : "            \
                              "(tensor<-1x-1x32x64xf32>, tensor<" batch                        \
                              "x-1x32x64xf32>) -> vec[tensor<-1x-1x32x64xf32>,tensor<" batch   \
                              "x-1x32x64xf32>]\n"                                              \
                              "(%axis) = \"pd_op.full\" () "                                   \
                              "{dtype:int32,place:Place(cpu),shape:[1],value:1} : () -> "      \
                              "tensor<1xi32>\n"                                                \
                              "(%all) = \"pd_op.concat\" (%list, %axis) {} : "                 \
                              "(vec[tensor<-1x-1x32x64xf32>,tensor<" batch                     \
                              "x-1x32x64xf32>], tensor<1xi32>) -> tensor<" batch               \
                              "x-1x32x64xf32>\n" FETCH("all", "0", batch "x-1x32x64") "}\n"

static pir_model *load(const char *text, const char *pipeline) {
  pir_model_options options = {.size = sizeof options, .pipeline = pipeline};
  pir_model *model = NULL;
  pir_borrowed program = {.data = text, .size = strlen(text)};
  assert_int_equal(pir_model_load(program, (pir_borrowed){0}, &options, &model), PIR_OK);
  return model;
}

static pir_session *open(pir_model *model, uint64_t max_bytes) {
  pir_session_options options = {.size = sizeof options, .threads = 2, .max_bytes = max_bytes};
  pir_session *s = NULL;
  assert_int_equal(pir_session_create(model, &options, &s), PIR_OK);
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

static pir_tensor rows_of(float *data, int64_t batch, int64_t rows) {
  pir_tensor t = {.data = data};
  pir_tensor_set_dense(&t, PIR_F32, (int64_t[]){batch, rows, HEADS, WIDTH}, 4);
  return t;
}

static pir_tensor output(pir_session *s, size_t i) {
  pir_tensor t;
  check(s, pir_session_output(s, i, &t));
  return t;
}

// The same elements, whose rows may lie apart.
static void same_output(pir_session *a, pir_session *b, size_t i) {
  static float row_major[3 * ROOM * HEADS * WIDTH];
  pir_tensor from = output(a, i), y = output(b, i), x = {.data = row_major};
  pir_tensor_set_dense(&x, from.dtype, from.shape, from.rank);
  assert_int_equal(pir_tensor_copy(&from, &x), PIR_OK);
  assert_int_equal(pir_tensor_numel(&x), pir_tensor_numel(&y));
  assert_memory_equal(x.shape, y.shape, (size_t)x.rank * sizeof *x.shape);
  if (pir_tensor_numel(&x))
    assert_memory_equal(x.data, y.data, (size_t)pir_tensor_numel(&x) * sizeof(float));
}

static void fill(float *to, int64_t n, int seed) {
  for (int64_t i = 0; i < n; i++)
    to[i] = (float)((i * 7 + seed * 13) % 101) / 101;
}

static float given[3 * ROOM * HEADS * WIDTH], rows[6 * HEADS * WIDTH];

// Extends an aliased cache, and one that is copied, by one and two rows in turn.
static void grow_in(const char *text, const char *pipeline, int64_t batch, int64_t most,
                    int64_t first) {
  pir_model *model = load(text, pipeline);
  pir_session *s = open(model, 0), *plain = open(model, 0);
  static float copy[3 * ROOM * HEADS * WIDTH];
  int64_t length = first, moves = 0;
  const void *at = NULL;
  fill(given, batch * first * HEADS * WIDTH, 3);
  memcpy(copy, given, sizeof copy);
  pir_tensor cache = rows_of(given, batch, first);
  check(s, pir_session_bind_input(s, 0, &cache));
  check(s, pir_session_alias(s, 0, 0, most));
  for (int step = 0; step < STEPS; step++) {
    int64_t n = 1 + step % 2;
    pir_tensor more = rows_of(rows, batch, n), old = rows_of(copy, batch, length);
    fill(rows, batch * n * HEADS * WIDTH, step);
    check(s, pir_session_bind_input(s, 1, &more));
    check(s, pir_session_run(s));
    check(plain, pir_session_bind_input(plain, 0, &old));
    check(plain, pir_session_bind_input(plain, 1, &more));
    check(plain, pir_session_run(plain));
    for (size_t i = 0; i < pir_model_outputs(model); i++)
      same_output(s, plain, i);
    length += n;
    pir_tensor all = output(plain, 0);
    memcpy(copy, all.data, (size_t)pir_tensor_numel(&all) * sizeof(float));
    moves += output(s, 0).data != at;
    at = output(s, 0).data;
  }
  assert_int_equal(length, first + STEPS * 3 / 2);
  // The caller's memory is as it was; the room moves a few times, or never again.
  assert_true(at != given && (most ? moves == 1 : moves <= 6));
  pir_session_destroy(s);
  pir_session_destroy(plain);
  pir_model_release(model);
}

static void grow(const char *pipeline, int64_t most, int64_t first) {
  grow_in(GROWING, pipeline, 1, most, first);
}

static void caches_grow_where_they_lie(void **unused) {
  grow("compile", 0, 0);
  grow("compile", 50, 4);
  grow("kernels", 0, 3);
  grow("kernels", 33, 3);
}

// Each of two sequences has room of its own.
static void caches_of_sequences_grow_where_they_lie(void **unused) {
  grow_in(GROWING, "kernels", 2, 0, 0);
  grow_in(GROWING, "kernels", 2, 50, 4);
  grow_in(GROWING, "kernels", 2, 0, 3);
  grow_in(attended, "compile", 2, 0, 1);
  grow_in(attended, "compile", 2, 40, 2);
  grow_in(attended, "kernels", 2, 0, 1);
}

// Only the axis that is joined grows, though another extent is open in the cache.
static void caches_of_an_open_number_grow_along_the_joined_axis(void **unused) {
  grow_in(JOINED("3"), "kernels", 3, 0, 1);
  grow_in(JOINED("3"), "kernels", 3, 40, 2);
  grow_in(JOINED("2"), "kernels", 2, 0, 3);
  grow_in(JOINED("1"), "kernels", 1, 0, 0);
  pir_model *model = load(JOINED("1"), "kernels");
  pir_session *s = open(model, 0);
  pir_tensor cache = rows_of(given, 1, 2), one = rows_of(rows, 1, 1);
  check(s, pir_session_alias(s, 0, 0, 3));
  check(s, pir_session_bind_input(s, 0, &cache));
  check(s, pir_session_bind_input(s, 1, &one));
  check(s, pir_session_run(s));
  expect(s, pir_session_run(s), PIR_EXHAUSTED,
         "output 0 \"all\" would have 4 elements along axis 1, its room has 3");
  pir_session_destroy(s);
  pir_model_release(model);
}

// Rows of the room of two sequences can be bound again as they are laid out, and not otherwise.
static void rows_of_sequences_can_be_taken_back(void **unused) {
  pir_model *model = load(GROWING, "kernels");
  pir_session *s = open(model, 0), *plain = open(model, 0);
  pir_tensor cache = rows_of(given, 2, 3), one = rows_of(rows, 2, 1), part;
  fill(given, 6 * HEADS * WIDTH, 1);
  fill(rows, 2 * HEADS * WIDTH, 2);
  check(s, pir_session_alias(s, 0, 0, 8));
  check(s, pir_session_bind_input(s, 0, &cache));
  check(s, pir_session_bind_input(s, 1, &one));
  check(s, pir_session_run(s));
  part = output(s, 0);
  assert_int_equal(part.strides[0], 8 * HEADS * WIDTH);
  part.shape[1] = 3;
  check(s, pir_session_bind_input(s, 0, &part));
  check(s, pir_session_run(s));
  check(plain, pir_session_bind_input(plain, 0, &cache));
  check(plain, pir_session_bind_input(plain, 1, &one));
  check(plain, pir_session_run(plain));
  same_output(s, plain, 0);
  assert_ptr_equal(output(s, 0).data, part.data);
  pir_tensor otherwise = rows_of(part.data, 2, 3);
  check(s, pir_session_bind_input(s, 0, &otherwise));
  expect(s, pir_session_run(s), PIR_INVALID, "part of its room that is not its beginning");
  // One sequence in the room of two.
  pir_tensor single = rows_of(given, 1, 2), row = rows_of(rows, 1, 1);
  check(s, pir_session_bind_input(s, 0, &single));
  check(s, pir_session_bind_input(s, 1, &row));
  check(s, pir_session_run(s));
  check(plain, pir_session_bind_input(plain, 0, &single));
  check(plain, pir_session_bind_input(plain, 1, &row));
  check(plain, pir_session_run(plain));
  same_output(s, plain, 0);
  pir_session_destroy(s);
  pir_session_destroy(plain);
  pir_model_release(model);
}

// Fewer rows of the room bound again take the answer back.
static void rows_can_be_taken_back(void **unused) {
  pir_model *model = load(GROWING, "compile");
  pir_session *s = open(model, 0);
  pir_tensor cache = rows_of(given, 1, 2), one = rows_of(rows, 1, 1);
  fill(given, 2 * HEADS * WIDTH, 1);
  check(s, pir_session_alias(s, 0, 0, 8));
  check(s, pir_session_bind_input(s, 0, &cache));
  check(s, pir_session_bind_input(s, 1, &one));
  check(s, pir_session_run(s));
  check(s, pir_session_run(s));
  pir_tensor all = output(s, 0), part = rows_of(all.data, 1, 3);
  assert_int_equal(all.shape[1], 4);
  check(s, pir_session_bind_input(s, 0, &part));
  check(s, pir_session_run(s));
  assert_int_equal(output(s, 0).shape[1], 4);
  assert_ptr_equal(output(s, 0).data, all.data);
  assert_memory_equal(all.data, given, 2 * HEADS * WIDTH * sizeof(float));
  part = rows_of((float *)all.data + HEADS * WIDTH, 1, 2);
  check(s, pir_session_bind_input(s, 0, &part));
  expect(s, pir_session_run(s), PIR_INVALID, "part of its room that is not its beginning");
  // Another beginning, and no alias any more.
  check(s, pir_session_bind_input(s, 0, &cache));
  check(s, pir_session_run(s));
  assert_int_equal(output(s, 0).shape[1], 3);
  check(s, pir_session_alias(s, 0, PIR_NO_INPUT, 0));
  expect(s, pir_session_run(s), PIR_INVALID, "input 0 \"cache\" is not bound");
  pir_session_destroy(s);
  pir_model_release(model);
}

// The room is written by each run and moves, so nothing else may lie there.
static void a_room_holds_its_cache_alone(void **unused) {
  pir_model *model = load(GROWING, "compile");
  pir_session *s = open(model, 0);
  pir_tensor cache = rows_of(given, 1, 3), one = rows_of(rows, 1, 1);
  fill(given, 3 * HEADS * WIDTH, 1);
  check(s, pir_session_alias(s, 0, 0, 8));
  check(s, pir_session_bind_input(s, 0, &cache));
  check(s, pir_session_bind_input(s, 1, &one));
  check(s, pir_session_run(s));
  float *room = output(s, 0).data;
  pir_tensor inside = rows_of(room + 5 * HEADS * WIDTH, 1, 1);
  check(s, pir_session_bind_input(s, 1, &inside));
  expect(s, pir_session_run(s), PIR_INVALID,
         "input 1 \"rows\" lies in the room of output 0 \"all\"");
  // Of two rows that lie apart the last one lies there.
  pir_tensor apart = rows_of(rows, 1, 2);
  apart.strides[1] = ((intptr_t)room - (intptr_t)rows) / (intptr_t)sizeof(float);
  check(s, pir_session_bind_input(s, 1, &apart));
  expect(s, pir_session_run(s), PIR_INVALID,
         "input 1 \"rows\" lies in the room of output 0 \"all\"");
  check(s, pir_session_bind_input(s, 1, &one));
  pir_tensor twice = rows_of(room, 1, 5);
  check(s, pir_session_bind_output(s, 1, &twice));
  expect(s, pir_session_run(s), PIR_INVALID,
         "output 1 \"twice\" is bound in the room of output 0 \"all\"");
  check(s, pir_session_bind_output(s, 1, NULL));
  check(s, pir_session_run(s));
  pir_session_destroy(s);
  pir_model_release(model);
}

// Bindings that lie in a room end with it.
static void an_alias_ends_with_its_room(void **unused) {
  pir_model *model = load(GROWING, "compile");
  pir_session *s = open(model, 0);
  pir_tensor cache = rows_of(given, 1, 3), one = rows_of(rows, 1, 1);
  pir_tensor unread;
  check(s, pir_session_alias(s, 0, 0, 8));
  check(s, pir_session_bind_input(s, 0, &cache));
  check(s, pir_session_bind_input(s, 1, &one));
  check(s, pir_session_run(s));
  float *room = output(s, 0).data;
  pir_tensor inside = rows_of(room + HEADS * WIDTH, 1, 1);
  check(s, pir_session_bind_input(s, 0, &inside));
  check(s, pir_session_bind_input(s, 1, &inside));
  check(s, pir_session_alias(s, 0, PIR_NO_INPUT, 0));
  assert_int_equal(pir_session_output(s, 1, &unread), PIR_NOT_FOUND);
  expect(s, pir_session_run(s), PIR_INVALID, "input 0 \"cache\" is not bound");
  check(s, pir_session_bind_input(s, 0, &cache));
  expect(s, pir_session_run(s), PIR_INVALID, "input 1 \"rows\" is not bound");
  check(s, pir_session_bind_input(s, 1, &one));
  check(s, pir_session_run(s));
  pir_session_destroy(s);
  pir_model_release(model);
}

static void growth_has_limits(void **unused) {
  pir_model *model = load(GROWING, "compile");
  pir_session *s = open(model, 0);
  pir_tensor cache = rows_of(given, 1, 2), one = rows_of(rows, 1, 1);
  check(s, pir_session_alias(s, 0, 0, 3));
  check(s, pir_session_bind_input(s, 0, &cache));
  check(s, pir_session_bind_input(s, 1, &one));
  check(s, pir_session_run(s));
  expect(s, pir_session_run(s), PIR_EXHAUSTED,
         "output 0 \"all\" would have 4 elements along axis 1, its room has 3");
  pir_session_destroy(s);
  s = open(model, 100000);  // 8 KB a row, and three outputs
  check(s, pir_session_alias(s, 0, 0, 0));
  check(s, pir_session_bind_input(s, 0, &cache));
  check(s, pir_session_bind_input(s, 1, &one));
  pir_status status = PIR_OK;
  for (int i = 0; i < 20 && !status; i++)
    status = pir_session_run(s);
  expect(s, status, PIR_EXHAUSTED, "more than max_bytes allows");
  pir_session_destroy(s);
  // Rows of two sequences are not behind each other.
  s = open(model, 0);
  pir_tensor wide = rows_of(given, 2, 1), two = rows_of(rows, 2, 1);
  check(s, pir_session_alias(s, 0, 0, 0));
  check(s, pir_session_bind_input(s, 0, &wide));
  check(s, pir_session_bind_input(s, 1, &two));
  expect(s, pir_session_run(s), PIR_UNSUPPORTED,
         "unsupported: output 0 \"all\" in the place of its input: it grows along axis 1, and "
         "an axis before has several elements");
  pir_session_destroy(s);
  pir_model_release(model);
}

static void what_cannot_be_aliased_is_refused(void **unused) {
  pir_model *model = load(GROWING, "compile");
  pir_session *s = open(model, 0);
  pir_tensor cache = rows_of(given, 1, 1);
  expect(s, pir_session_alias(s, 3, 0, 0), PIR_NOT_FOUND, "there is no output 3");
  expect(s, pir_session_alias(s, 0, 2, 0), PIR_NOT_FOUND, "there is no input 2");
  expect(s, pir_session_alias(s, 1, 0, 0), PIR_UNSUPPORTED,
         "unsupported: output 1 \"twice\" as input 0 \"cache\": ");
  expect(s, pir_session_alias(s, 0, 1, 0), PIR_UNSUPPORTED, "continues another tensor");
  expect(s, pir_session_alias(s, 0, 0, -1), PIR_INVALID, "the room is negative");
  check(s, pir_session_bind_output(s, 0, &cache));
  expect(s, pir_session_alias(s, 0, 0, 0), PIR_INVALID, "the output is bound");
  check(s, pir_session_bind_output(s, 0, NULL));
  check(s, pir_session_alias(s, 0, 0, 0));
  expect(s, pir_session_alias(s, 0, 0, 0), PIR_INVALID, "one of both is aliased already");
  expect(s, pir_session_bind_output(s, 0, &cache), PIR_INVALID, "output 0 is aliased");
  check(s, pir_session_bind_output(s, 0, NULL));
  assert_int_equal(pir_session_alias(NULL, 0, 0, 0), PIR_INVALID);
  pir_session_destroy(s);
  pir_model_release(model);
}

// Runs two sessions on tokens of a cache [2,1,1,6,8]; one is aliased.
static void write_tokens(const char *text, const char *pipeline, size_t outputs, bool there) {
  pir_model *model = load(text, pipeline);
  pir_session *s = open(model, 0), *plain = open(model, 0);
  static float x[24], aliased[96], copied[96];
  int32_t place = 0;
  pir_tensor token = {.data = x}, at = {.data = &place}, a = {.data = aliased},
             b = {.data = copied};
  pir_tensor_set_dense(&token, PIR_F32, (int64_t[]){1, 24}, 2);
  pir_tensor_set_dense(&at, PIR_I32, (int64_t[]){1, 1}, 2);
  pir_tensor_set_dense(&a, PIR_F32, (int64_t[]){2, 1, 1, 6, 8}, 5);
  pir_tensor_set_dense(&b, PIR_F32, (int64_t[]){2, 1, 1, 6, 8}, 5);
  memset(aliased, 0, sizeof aliased);
  memset(copied, 0, sizeof copied);
  expect(s, pir_session_alias(s, 1, 1, 6), PIR_INVALID, "it does not grow");
  expect(s, pir_session_alias(s, 0, 1, 0), PIR_INVALID, "types or shapes differ");
  check(s, pir_session_alias(s, 1, 1, 0));
  check(s, pir_session_bind_input(s, 0, &token));
  check(s, pir_session_bind_input(s, 1, &a));
  check(s, pir_session_bind_input(s, 2, &at));
  check(plain, pir_session_bind_input(plain, 0, &token));
  check(plain, pir_session_bind_input(plain, 1, &b));
  check(plain, pir_session_bind_input(plain, 2, &at));
  float *last = NULL;
  for (place = 0; place < 6; place++) {
    fill(x, 24, place);
    check(s, pir_session_run(s));
    check(plain, pir_session_run(plain));
    for (size_t i = 0; i < outputs; i++)
      same_output(s, plain, i);
    assert_int_equal(output(s, 1).data == aliased, there);
    last = output(s, 1).data;
    memcpy(copied, output(plain, 1).data, sizeof copied);
  }
  expect(s, pir_session_run(s), PIR_INVALID, "has 6 places, and sequence 0 needs place 6");
  // What is written in place belongs to nothing else.
  pir_tensor inside = {.data = last + 40};
  pir_tensor_set_dense(&inside, PIR_F32, (int64_t[]){1, 24}, 2);
  check(s, pir_session_bind_input(s, 1, &a));
  check(s, pir_session_bind_input(s, 0, &inside));
  place = 0;
  expect(s, pir_session_run(s), PIR_INVALID,
         there ? "input 1 is written in place, and input 0 lies there too"
               : "input 0 \"x\" lies in the room of output 1 \"after\"");
  pir_session_destroy(s);
  pir_session_destroy(plain);
  pir_model_release(model);
}

static void caches_are_written_where_they_lie(void **unused) {
  write_tokens(WRITTEN "}\n", "compile", 2, true);
  write_tokens(WRITTEN "}\n", "kernels", 2, true);
  // In the pipelines a later reader of the cache reads what was written.
  write_tokens(READ_LATER, "compile", 3, true);
}

// Without that pass a reader reads the cache as it was, so there are two of them.
static void an_input_that_is_read_later_stays(void **unused) {
  write_tokens(READ_LATER, "bind_kernels_pass", 3, false);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(caches_grow_where_they_lie),
      cmocka_unit_test(rows_can_be_taken_back),
      cmocka_unit_test(a_room_holds_its_cache_alone),
      cmocka_unit_test(an_alias_ends_with_its_room),
      cmocka_unit_test(caches_of_sequences_grow_where_they_lie),
      cmocka_unit_test(caches_of_an_open_number_grow_along_the_joined_axis),
      cmocka_unit_test(rows_of_sequences_can_be_taken_back),
      cmocka_unit_test(growth_has_limits),
      cmocka_unit_test(what_cannot_be_aliased_is_refused),
      cmocka_unit_test(caches_are_written_where_they_lie),
      cmocka_unit_test(an_input_that_is_read_later_stays),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
