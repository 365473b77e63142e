// Tokens copied to the rows of their experts, which begin at multiples of an alignment. The
// rows behind an expert's last token are zeros. O(tokens * (k * width + experts)).
#include <string.h>

#include "kernels.h"

enum { X, SCALE, ROUTES, PROBS, OPERANDS };
enum { Y, ROWMAP, PROBS_OUT, SCALE_OUT, INDICES, RESULTS };
enum { EXPERTS, COUNTS, ALIGNMENT, GATHERS };

typedef struct permutation {
  const pir_kernel_call *call;
  int64_t experts, rows;
  int64_t *next, *end;  // of each expert: its next row, and the row behind its last one
} permutation;

static pir_status lay_out_experts(const pir_kernel_call *call, permutation *p) {
  pir_int_list counts = pir_kernel_ints(call, COUNTS);
  int64_t alignment = pir_kernel_int(call, ALIGNMENT), at = 0;
  for (int64_t e = 0; e < p->experts; e++) {
    int64_t n = counts.ints[e];
    if (n < 0 || n > INT32_MAX || at > INT32_MAX)
      return pir_kernel_fail(call, PIR_INVALID, "%s: tokens_per_expert: has %lld", call->op,
                             (long long)n);
    p->next[e] = at;
    p->end[e] = at + n;
    at += (n + alignment - 1) / alignment * alignment;
  }
  return PIR_OK;
}

static void copy_expert_row(const pir_tensor *from, int64_t a, pir_tensor *to, int64_t b) {
  size_t bytes = from->rank > 1 ? (size_t)from->shape[1] * pir_dtype_size(from->dtype) : 0;
  if (from->data && to->data && bytes)
    memcpy((char *)to->data + (size_t)b * bytes, (const char *)from->data + (size_t)a * bytes,
           bytes);
}

// Copies a token to the next row of each of its experts.
static pir_status copy_token(const permutation *p, int64_t token, int64_t k, pir_tensor *room) {
  const int32_t *routes = (const int32_t *)room[ROUTES].data + token * k;
  pir_tensor *out = room + OPERANDS;
  int32_t *rowmap = (int32_t *)out[ROWMAP].data + token * p->experts;
  for (int64_t e = 0; e < p->experts; e++)
    rowmap[e] = -1;
  for (int64_t i = 0; i < k; i++) {
    int32_t e = routes[i];
    if (e < 0)
      continue;
    if (e >= p->experts || p->next[e] >= p->end[e] || p->next[e] >= p->rows)
      return pir_kernel_fail(p->call, PIR_INVALID, "%s: expert %d has no row for token %lld",
                             p->call->op, (int)e, (long long)token);
    int64_t row = p->next[e]++;
    rowmap[e] = (int32_t)row;
    ((float *)out[PROBS_OUT].data)[row] = ((const float *)room[PROBS].data)[token * k + i];
    if (pir_kernel_int(p->call, GATHERS)) {
      copy_expert_row(&room[X], token, &out[Y], row);
      copy_expert_row(&room[SCALE], token, &out[SCALE_OUT], row);
    }
    if (out[INDICES].data && pir_tensor_numel(&out[INDICES]) > row)
      ((int32_t *)out[INDICES].data)[row] = e;
  }
  return PIR_OK;
}

static pir_status copy_tokens(permutation *p, pir_tensor *room) {
  const pir_tensor *routes = pir_kernel_in(p->call, ROUTES);
  pir_tensor *indices = &room[OPERANDS + INDICES];
  int64_t n = indices->data ? pir_tensor_numel(indices) : 0;
  for (int64_t r = 0; r < n; r++)
    ((int32_t *)indices->data)[r] = -1;
  p->rows = room[OPERANDS + PROBS_OUT].shape[0];
  PIR_TRY(lay_out_experts(p->call, p));
  for (int64_t t = 0; t < routes->shape[0]; t++)
    PIR_TRY(copy_token(p, t, routes->shape[1], room));
  return PIR_OK;
}

static pir_status check_permutation(const pir_kernel_call *call, permutation *p) {
  const pir_tensor *x = pir_kernel_in(call, X), *scale = pir_kernel_in(call, SCALE);
  PIR_TRY(pir_kernel_expect_rank(call, X, "hidden_states", 2));
  PIR_TRY(pir_kernel_expect_rank(call, ROUTES, "expert_routemap_topk", 2));
  const pir_tensor *routes = pir_kernel_in(call, ROUTES);
  PIR_TRY(pir_kernel_expect_rank(call, PROBS, "expert_prob_topk", 2));
  PIR_TRY(pir_kernel_expect_shape(call, PROBS, "expert_prob_topk", routes->shape, 2));
  p->call = call;
  p->experts = pir_kernel_int(call, EXPERTS);
  bool fits = routes->shape[0] == x->shape[0] && p->experts >= 0 &&
              p->experts == (int64_t)pir_kernel_ints(call, COUNTS).count &&
              pir_kernel_int(call, ALIGNMENT) > 0 &&
              (!scale || (scale->rank == 2 && scale->shape[0] == x->shape[0]));
  if (!fits)
    return pir_kernel_fail(call, PIR_INVALID,
                           "%s: expects experts for each token, a number of tokens for each "
                           "expert, and an alignment",
                           call->op);
  return PIR_OK;
}

// operands: hidden_states [tokens, width], scale [tokens, columns], expert_routemap_topk and
// expert_prob_topk [tokens, k]; attributes: num_experts, tokens_per_expert, padding_alignment,
// do_gather, ..; results: hidden_states_unzipped, zipped_expertwise_rowmap,
// token_prob_unzipped, scale_unzipped, expert_indices
pir_status pir_kernel_moe_permute(const pir_kernel_call *call) {
  permutation p = {0};
  PIR_TRY(check_permutation(call, &p));
  const pir_tensor *scale = pir_kernel_in(call, SCALE);
  pir_dtype kind = pir_kernel_in(call, X)->dtype;
  pir_dtype scale_kind = scale ? scale->dtype : PIR_F32;
  const uint8_t in[] = {kind, scale_kind, PIR_I32, PIR_F32};
  const uint8_t out[] = {kind, PIR_I32, PIR_F32, scale_kind, PIR_I32};
  const int64_t shape[2] = {pir_kernel_in(call, X)->shape[0], p.experts};
  pir_tensor room[OPERANDS + RESULTS];
  pir_status status = pir_kernel_open(call, in, OPERANDS, out, RESULTS, room);
  size_t bytes = 2 * (size_t)p.experts * sizeof *p.next;
  p.next = pir_kernel_alloc(call, bytes);
  if (!status && !p.next)
    status = pir_kernel_fail(call, PIR_EXHAUSTED, "%s: out of memory", call->op);
  if (!status && !room[OPERANDS + PROBS_OUT].data)
    status = pir_kernel_fail(call, PIR_INVALID, "%s: expects token_prob_unzipped", call->op);
  if (!status)
    status = pir_kernel_need(call, PIR_I32, shape, 2, &room[OPERANDS + ROWMAP]);
  if (!status) {
    p.end = p.next + p.experts;
    status = copy_tokens(&p, room);
  }
  pir_kernel_free(call, p.next, bytes);
  return pir_kernel_close(call, status, OPERANDS, RESULTS, room);
}
