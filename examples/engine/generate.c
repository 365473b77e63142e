// Tokens: a program that counts in a circle, made of text, in the engine's memory.
#include "engine.h"

#include <pir/engine/generation.h>

// Each of 8 ids is followed by the next one. A cache has all ids.
static const char circle[] =
    "{\n"
    "(%ids) = \"pd_op.data\" () {dtype:int64,name:\"ids\",place:Place(undefined:0),"
    "shape:[1,-1]} : () -> tensor<1x-1xi64>\n"
    "(%past) = \"pd_op.data\" () {dtype:int64,name:\"past\",place:Place(undefined:0),"
    "shape:[1,-1]} : () -> tensor<1x-1xi64>\n"
    "(%eye) = \"pd_op.data\" () {dtype:float32,name:\"eye\",place:Place(undefined:0),"
    "shape:[8,8]} : () -> tensor<8x8xf32>\n"
    "(%list) = \"builtin.combine\" (%past, %ids) {} : (tensor<1x-1xi64>, tensor<1x-1xi64>) -> "
    "vec[tensor<1x-1xi64>,tensor<1x-1xi64>]\n"
    "(%axis) = \"pd_op.full\" () {dtype:int32,place:Place(cpu),shape:[1],value:1} : () -> "
    "tensor<1xi32>\n"
    "(%all) = \"pd_op.concat\" (%list, %axis) {} : "
    "(vec[tensor<1x-1xi64>,tensor<1x-1xi64>], tensor<1xi32>) -> tensor<1x-1xi64>\n"
    "(%logits) = \"pd_op.embedding\" (%all, %eye) {padding_idx:-1,sparse:false} : "
    "(tensor<1x-1xi64>, tensor<8x8xf32>) -> tensor<1x-1x8xf32>\n"
    "() = \"builtin.shadow_output\" (%logits) {output_name:\"logits\"} : "
    "(tensor<1x-1x8xf32>) ->\n"
    "() = \"builtin.shadow_output\" (%all) {output_name:\"all\"} : (tensor<1x-1xi64>) ->\n"
    "}\n";

static void count_and_stop(pir_session *session) {
  const int64_t prompt[] = {2, 3}, stop = 7;
  pir_cache_ports cache = {"all", "past"};
  pir_generation_options how = {.size = sizeof how,
                                .ids = "ids",
                                .caches = &cache,
                                .cache_count = 1,
                                .stops = &stop,
                                .stop_count = 1,
                                .room = 100};
  pir_generation_stats stats = {.size = sizeof stats};
  pir_generation *g;
  int64_t id;
  if (!EXPECT(pir_generation_create(session, &how, &g) == PIR_OK))
    return;
  EXPECT(pir_generation_next(g, &id) == PIR_INVALID);  // nothing was fed
  EXPECT(pir_generation_feed(g, prompt, 2) == PIR_OK);
  for (int64_t wanted = 4; wanted < 7; wanted++)
    EXPECT(pir_generation_next(g, &id) == PIR_OK && id == wanted);
  EXPECT(pir_generation_next(g, &id) == PIR_NOT_FOUND);
  EXPECT(pir_generation_feed(g, &stop, 1) == PIR_OK);
  EXPECT(pir_generation_next(g, &id) == PIR_OK && id == 0);
  EXPECT(pir_generation_stats_of(g, &stats) == PIR_OK);
  EXPECT(stats.fed_tokens == 3 && stats.made_tokens == 4 && stats.cached_tokens == 6);
  EXPECT(stats.cache_bytes == 6 * sizeof(int64_t) && stats.copied_bytes == 0);
  pir_generation_destroy(g);

  // Drawn tokens: another temperature, the same seed, the same tokens.
  int64_t first[8], second[8];
  how = (pir_generation_options){.size = sizeof how,
                                 .ids = "ids",
                                 .caches = &cache,
                                 .cache_count = 1,
                                 .temperature = 2,
                                 .top_k = 6,
                                 .top_p = 0.95,
                                 .repetition_penalty = 1.1,
                                 .seed = 11};
  for (int turn = 0; turn < 2; turn++) {
    if (!EXPECT(pir_generation_create(session, &how, &g) == PIR_OK))
      return;
    EXPECT(pir_generation_feed(g, prompt, 2) == PIR_OK);
    for (int i = 0; i < 8; i++)
      EXPECT(pir_generation_next(g, turn ? &second[i] : &first[i]) == PIR_OK);
    pir_generation_destroy(g);
  }
  EXPECT(!memcmp(first, second, sizeof first));
}

void generate_tokens(engine *e) {
  (void)e;
  float next[8 * 8] = {0};
  pir_model *model;
  pir_session *session;
  pir_borrowed text = {circle, sizeof circle - 1, NULL, NULL}, none = {NULL, 0, NULL, NULL};
  pir_tensor eye = tensor_over(next, PIR_F32, 2, (const int64_t[]){8, 8});
  for (int i = 0; i < 8; i++)
    next[i * 8 + (i + 1) % 8] = 1;
  if (!EXPECT(pir_model_load(text, none, NULL, &model) == PIR_OK))
    return;
  if (EXPECT(pir_session_create(model, NULL, &session) == PIR_OK)) {
    EXPECT(pir_session_bind_input(session, 2, &eye) == PIR_OK);
    count_and_stop(session);
    pir_session_destroy(session);
  }
  pir_model_release(model);
}
