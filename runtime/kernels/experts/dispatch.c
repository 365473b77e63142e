// Dispatch to experts: a gate's most probable experts of each token, and a copy of the token's
// row for each of them, in the order of experts. O(tokens * experts * k).
#include <string.h>

#include "kernels.h"

enum { X, LOGITS, BIAS, OPERANDS };
enum { Y, WEIGHTS, PLACES, OFFSETS, EXPERTS, RESULTS };
enum { K, CAPACITY, USE_PAD };

typedef struct gate {
  const pir_kernel_call *call;
  const float *logits, *bias;  // [tokens, experts], and [experts] or NULL
  int64_t tokens, experts, k, capacity;
  bool padded;  // each expert has `capacity` rows, used or not
  float *weights;
  int32_t *places, *chosen;
  int64_t *ends;  // [experts]: the number of choices of an expert and of those before it
} gate;

static bool already_chosen(const int32_t *chosen, int64_t count, int64_t expert) {
  for (int64_t i = 0; i < count; i++)
    if (chosen[i] == expert)
      return true;
  return false;
}

// Chooses the k greatest logits of a token, plus the bias; the first one of equal experts. The
// weight of an expert is its logit without the bias.
static void choose_experts(const gate *g, int64_t token) {
  const float *logits = g->logits + token * g->experts;
  int32_t *chosen = g->chosen + token * g->k;
  for (int64_t i = 0; i < g->k; i++) {
    int64_t best = 0;
    float most = -1;
    for (int64_t e = 0; e < g->experts; e++) {
      float v = g->bias ? logits[e] + g->bias[e] : logits[e];
      if (v > most && !already_chosen(chosen, i, e)) {
        most = v;
        best = e;
      }
    }
    chosen[i] = (int32_t)best;
    g->weights[token * g->k + i] = logits[best];
  }
}

static void count_choices(const gate *g) {
  memset(g->ends, 0, (size_t)g->experts * sizeof *g->ends);
  for (int64_t i = 0; i < g->tokens * g->k; i++)
    g->ends[g->chosen[i]]++;
  for (int64_t e = 1; e < g->experts; e++)
    g->ends[e] += g->ends[e - 1];
}

// Copies the token's row for its choice `i`, the `row`-th one of its expert, unless the expert
// is full.
static void place_choice(const gate *g, int64_t token, int64_t i, int64_t row,
                         const pir_tensor *x, pir_tensor *y) {
  int64_t expert = g->chosen[token * g->k + i];
  int64_t before = expert ? g->ends[expert - 1] : 0;
  int64_t place = (g->padded ? expert * g->capacity : before) + row;
  size_t bytes = (size_t)x->shape[1] * pir_dtype_size(x->dtype);
  if (row >= g->capacity) {
    g->places[i * g->tokens + token] = 0;
    g->weights[token * g->k + i] = 0;
    return;
  }
  g->places[i * g->tokens + token] = (int32_t)place;
  memcpy((char *)y->data + (size_t)place * bytes, (const char *)x->data + (size_t)token * bytes,
         bytes);
}

// Places all choices of an expert: with padding first choices come first, else tokens do.
static void place_choices(const gate *g, const pir_tensor *x, pir_tensor *y, int64_t *rows) {
  int64_t choices = g->tokens * g->k;
  memset(rows, 0, (size_t)g->experts * sizeof *rows);
  for (int64_t n = 0; n < choices; n++) {
    int64_t token = g->padded ? n % g->tokens : n / g->k;
    int64_t i = g->padded ? n / g->tokens : n % g->k;
    int64_t expert = g->chosen[token * g->k + i];
    place_choice(g, token, i, rows[expert]++, x, y);
  }
}

static pir_status check_gate(const pir_kernel_call *call, gate *g) {
  const pir_tensor *x = pir_kernel_in(call, X), *logits = pir_kernel_in(call, LOGITS);
  const pir_tensor *bias = pir_kernel_in(call, BIAS);
  PIR_TRY(pir_kernel_expect_rank(call, X, "x", 2));
  PIR_TRY(pir_kernel_expect_rank(call, LOGITS, "gate_logits", 2));
  g->call = call;
  g->tokens = x->shape[0];
  g->experts = logits->shape[1];
  g->k = pir_kernel_int(call, K);
  g->capacity = pir_kernel_int(call, CAPACITY);
  g->padded = pir_kernel_int(call, USE_PAD);
  bool fits = logits->shape[0] == g->tokens && g->k >= 0 && g->k <= g->experts &&
              g->capacity >= 0 && (!bias || pir_tensor_numel(bias) == g->experts);
  if (!fits)
    return pir_kernel_fail(call, PIR_INVALID,
                           "%s: expects a logit for each token and expert, and at most %lld "
                           "choices",
                           call->op, (long long)g->experts);
  return PIR_OK;
}

// operands: x [tokens, width], gate_logits [tokens, experts], corr_bias [experts]; attributes:
// k, capacity, use_pad; results: y, combine_weights [tokens, k], scatter_index [k, tokens],
// expert_offset [experts], expert_id [tokens, k]
pir_status pir_kernel_moe_gate_dispatch(const pir_kernel_call *call) {
  const pir_tensor *x = pir_kernel_in(call, X);
  gate g = {0};
  PIR_TRY(check_gate(call, &g));
  pir_dtype kind = x->dtype;
  const uint8_t in[] = {kind, PIR_F32, PIR_F32};
  const uint8_t out[] = {kind, PIR_F32, PIR_I32, PIR_I64, PIR_I32};
  const int64_t by_token[2] = {g.tokens, g.k}, by_choice[2] = {g.k, g.tokens};
  pir_tensor room[OPERANDS + RESULTS];
  pir_status status = pir_kernel_open(call, in, OPERANDS, out, RESULTS, room);
  pir_tensor *results = room + OPERANDS;
  size_t bytes = (size_t)g.experts * sizeof(int64_t);
  int64_t *rows = pir_kernel_alloc(call, bytes);
  if (!status && !rows)
    status = pir_kernel_fail(call, PIR_EXHAUSTED, "%s: out of memory", call->op);
  if (!status)
    status = pir_kernel_need(call, PIR_F32, by_token, 2, &results[WEIGHTS]);
  if (!status)
    status = pir_kernel_need(call, PIR_I32, by_choice, 2, &results[PLACES]);
  if (!status)
    status = pir_kernel_need(call, PIR_I64, &g.experts, 1, &results[OFFSETS]);
  if (!status)
    status = pir_kernel_need(call, PIR_I32, by_token, 2, &results[EXPERTS]);
  if (!status) {
    g.logits = room[LOGITS].data;
    g.bias = room[BIAS].data;
    g.weights = results[WEIGHTS].data;
    g.places = results[PLACES].data;
    g.ends = results[OFFSETS].data;
    g.chosen = results[EXPERTS].data;
    for (int64_t t = 0; t < g.tokens; t++)
      choose_experts(&g, t);
    count_choices(&g);
    place_choices(&g, &room[X], &results[Y], rows);
  }
  pir_kernel_free(call, rows, bytes);
  return pir_kernel_close(call, status, OPERANDS, RESULTS, room);
}
