// Dispatch to some of the experts, which are already chosen: rows of tokens in the order of
// experts, and of tokens within an expert. O(choices * log(choices)).
#include <stdlib.h>
#include <string.h>

#include "kernels.h"

enum { X, WEIGHTS, CHOSEN, OPERANDS };
enum { Y, WEIGHTS_OUT, PLACES, TOKENS, COUNTS, LOCAL_COUNTS };
enum { K, CAPACITY, EXPERTS, USE_PAD, FIRST, END, REVERSE };

typedef struct choice {
  int64_t expert, token, i;  // the i-th choice of the token
} choice;

typedef struct part {
  const pir_kernel_call *call;
  pir_tensor in[OPERANDS];  // dense
  int64_t tokens, k, capacity, experts, first, end;
  bool padded, reverse;
  choice *choices;  // of the experts from `first` to `end`
  int64_t count;
  int64_t *counts;  // of all experts: choices, and choices that are dispatched
} part;

static pir_status check_part(const pir_kernel_call *call, part *p) {
  const pir_tensor *x = pir_kernel_in(call, X);
  PIR_TRY(pir_kernel_expect_rank(call, X, "x", 2));
  *p = (part){.call = call,
              .tokens = x->shape[0],
              .k = pir_kernel_int(call, K),
              .capacity = pir_kernel_int(call, CAPACITY),
              .experts = pir_kernel_int(call, EXPERTS),
              .first = pir_kernel_int(call, FIRST),
              .end = pir_kernel_int(call, END),
              .padded = pir_kernel_int(call, USE_PAD),
              .reverse = pir_kernel_int(call, REVERSE)};
  const int64_t shape[2] = {p->tokens, p->k};
  bool fits = p->k > 0 && p->capacity >= 0 && p->capacity <= INT32_MAX && p->first >= 0 &&
              p->first < p->end && p->end <= p->experts && p->experts <= INT32_MAX;
  if (!fits || (p->padded && p->reverse))
    return pir_kernel_fail(call, PIR_INVALID,
                           "%s: expects a range of experts, and no padding where the first "
                           "tokens are dropped",
                           call->op);
  PIR_TRY(pir_kernel_expect_rank(call, WEIGHTS, "combine_weights", 2));
  PIR_TRY(pir_kernel_expect_rank(call, CHOSEN, "expert_id", 2));
  PIR_TRY(pir_kernel_expect_shape(call, WEIGHTS, "combine_weights", shape, 2));
  return pir_kernel_expect_shape(call, CHOSEN, "expert_id", shape, 2);
}

// By expert, then by the number of the choice, then by token.
static int compare_choices(const void *a, const void *b) {
  const choice *l = a, *r = b;
  if (l->expert != r->expert)
    return l->expert < r->expert ? -1 : 1;
  if (l->i != r->i)
    return l->i < r->i ? -1 : 1;
  return (l->token > r->token) - (l->token < r->token);
}

// By expert, then by token, then by the number of the choice.
static int compare_places(const void *a, const void *b) {
  const choice *l = a, *r = b;
  if (l->expert != r->expert)
    return l->expert < r->expert ? -1 : 1;
  if (l->token != r->token)
    return l->token < r->token ? -1 : 1;
  return (l->i > r->i) - (l->i < r->i);
}

static pir_status collect_choices(part *p) {
  const int32_t *chosen = p->in[CHOSEN].data;
  int64_t *counts = p->counts, *local = counts + p->experts;
  for (int64_t n = 0; n < p->tokens * p->k; n++) {
    if (chosen[n] < 0 || chosen[n] >= p->experts)
      return pir_kernel_fail(p->call, PIR_INVALID, "%s: expert_id: there is no expert %d",
                             p->call->op, (int)chosen[n]);
    counts[chosen[n]]++;
    if (chosen[n] < p->first || chosen[n] >= p->end)
      continue;
    p->choices[p->count++] = (choice){chosen[n], n / p->k, n % p->k};
    local[chosen[n]]++;
  }
  return PIR_OK;
}

// Drops the choices of an expert beyond its capacity: the last ones, or with `reverse` the
// first. Then the counts are of the remaining ones, unless rows are padded.
static void drop_choices(part *p) {
  int64_t *local = p->counts + p->experts;
  int64_t kept = 0, row = 0, expert = -1;
  for (int64_t n = 0; n < p->count; n++) {
    choice c = p->choices[n];
    row = c.expert == expert ? row + 1 : 0;
    expert = c.expert;
    int64_t rank = p->reverse ? local[c.expert] - 1 - row : row;
    if (rank < p->capacity)
      p->choices[kept++] = c;
  }
  p->count = kept;
  for (int64_t e = 0; e < p->experts && !p->padded; e++)
    local[e] = local[e] < p->capacity ? local[e] : p->capacity;
}

static pir_status order_choices(part *p) {
  PIR_TRY(collect_choices(p));
  qsort(p->choices, (size_t)p->count, sizeof *p->choices, compare_choices);
  drop_choices(p);
  qsort(p->choices, (size_t)p->count, sizeof *p->choices, compare_places);
  return PIR_OK;
}

// Writes rows, places and weights; all of them were zeros.
static void dispatch_choices(const part *p, pir_tensor *y, float *weights, int32_t *places,
                             int32_t *tokens) {
  size_t bytes = (size_t)p->in[X].shape[1] * pir_dtype_size(p->in[X].dtype);
  const float *given = p->in[WEIGHTS].data;
  int64_t row = 0;
  for (int64_t n = 0; n < p->count; n++) {
    const choice *c = &p->choices[n];
    bool same = n && p->choices[n - 1].expert == c->expert;
    if (p->padded && !same)
      row = (c->expert - p->first) * p->capacity;
    memcpy((char *)y->data + (size_t)row * bytes,
           (const char *)p->in[X].data + (size_t)c->token * bytes, bytes);
    weights[c->token * p->k + c->i] = given[c->token * p->k + c->i];
    places[c->i * p->tokens + c->token] = (int32_t)row;
    tokens[row++] = (int32_t)c->token;
  }
}

static pir_status write_part(const part *p) {
  const pir_kernel_call *call = p->call;
  int64_t rows = p->padded ? (p->end - p->first) * p->capacity : p->count;
  const int64_t shapes[][2] = {{rows, p->in[X].shape[1]}, {p->tokens, p->k},
                               {p->k, p->tokens},         {rows, 0},
                               {p->experts, 0},           {p->experts, 0}};
  const pir_dtype types[] = {p->in[X].dtype, PIR_F32, PIR_I32, PIR_I32, PIR_I64, PIR_I64};
  pir_tensor made[LOCAL_COUNTS + 1] = {{0}};
  pir_status status = PIR_OK;
  for (int i = 0; i <= LOCAL_COUNTS && !status; i++)
    status = pir_kernel_zeros(call, types[i], shapes[i], i < TOKENS ? 2 : 1, &made[i]);
  int32_t *tokens = made[TOKENS].data;
  for (int64_t r = 0; r < rows && !status; r++)
    tokens[r] = (int32_t)p->tokens;
  if (!status) {
    dispatch_choices(p, &made[Y], made[WEIGHTS_OUT].data, made[PLACES].data, tokens);
    size_t bytes = (size_t)p->experts * sizeof *p->counts;
    memcpy(made[COUNTS].data, p->counts, bytes);
    memcpy(made[LOCAL_COUNTS].data, p->counts + p->experts, bytes);
  }
  for (int i = 0; i <= LOCAL_COUNTS && !status; i++) {
    pir_tensor *out = pir_kernel_out(call, i);
    if (!out)
      continue;
    status = pir_kernel_shape_result(call, out, types[i], made[i].shape, made[i].rank);
    if (!status)
      status = pir_tensor_copy(&made[i], out);
  }
  for (int i = 0; i <= LOCAL_COUNTS; i++)
    pir_kernel_drop(call, &made[i]);
  return status;
}

// operands: x [tokens, width], combine_weights and expert_id [tokens, k]; attributes: k,
// capacity, num_experts, use_pad, expert_start_index, expert_end_index, reverse_token_drop;
// results: y, combine_weights_out, scatter_index [k, tokens], scatter_index_rev (the token of
// each row, or the number of tokens), and the choices of each expert: all, and those dispatched
pir_status pir_kernel_moe_dispatch_part(const pir_kernel_call *call) {
  part p;
  PIR_TRY(check_part(call, &p));
  static const pir_dtype types[] = {PIR_UNDEFINED, PIR_F32, PIR_I32};
  size_t choices = (size_t)(p.tokens * p.k) * sizeof *p.choices;
  size_t counts = 2 * (size_t)p.experts * sizeof *p.counts;
  pir_status status = PIR_OK;
  for (int i = 0; i < OPERANDS && !status; i++) {
    const pir_tensor *t = pir_kernel_in(call, i);
    pir_dtype type = i == X ? t->dtype : types[i];
    status = pir_kernel_dense(call, t, type, t->shape, 2, &p.in[i]);
  }
  p.choices = pir_kernel_alloc(call, choices);
  p.counts = pir_kernel_alloc(call, counts);
  if (!status && (!p.choices || !p.counts))
    status = pir_kernel_fail(call, PIR_EXHAUSTED, "%s: out of memory", call->op);
  if (!status) {
    memset(p.counts, 0, counts);
    status = order_choices(&p);
  }
  if (!status)
    status = write_part(&p);
  pir_kernel_free(call, p.choices, choices);
  pir_kernel_free(call, p.counts, counts);
  for (int i = 0; i < OPERANDS; i++)
    pir_kernel_drop(call, &p.in[i]);
  return status;
}
