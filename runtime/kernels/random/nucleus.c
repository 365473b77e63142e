// top_p_sampling: a random choice among the most probable elements of each row, which together
// have the probability p. Paddle draws on GPUs alone, by generators that differ with the
// device: the distribution is the same, the numbers are not.
#include <math.h>
#include <stdlib.h>

#include "kernels.h"

enum { TOP_SEED, TOP_K, TOP_MODE };

typedef struct candidate {
  double value;
  int64_t at;
} candidate;

typedef struct nucleus {
  const pir_kernel_call *call;
  pir_generator own, *from;
  candidate *sorted;
  int64_t count, k;
  bool truncated;  // a number below p is drawn, and the element that holds it is the choice
} nucleus;

// Greater values first, of equal ones the first.
static int compare_candidates(const void *a, const void *b) {
  const candidate *x = a, *y = b;
  if (x->value != y->value)
    return x->value > y->value ? -1 : 1;
  return (x->at > y->at) - (x->at < y->at);
}

// The place in the sorted row of the element at which the sum of probabilities reaches a random
// share of p. One below the threshold is replaced by the last one that is not, or the first.
static int64_t choose_by_sum(const nucleus *n, double p, double threshold) {
  double sum = 0, reached = p * pir_generator_double(n->from);
  for (int64_t i = 0; i < n->count; i++) {
    sum += n->sorted[i].value;
    if (sum < reached)
      continue;
    while (i > 0 && n->sorted[i].value < threshold)
      i--;
    return i;
  }
  return 0;
}

// The place of the element that wins a race: each among the first with probability p in sum
// arrives after an exponentially distributed time by its probability.
static int64_t choose_by_race(const nucleus *n, double p, double threshold) {
  double sum = 0, best = 0;
  int64_t winner = 0;
  for (int64_t i = 0; i < n->count && sum < p; i++) {
    double value = n->sorted[i].value;
    double speed = value / -log(1 - pir_generator_double(n->from));
    sum += value;
    if (value >= threshold && speed > best) {
      best = speed;
      winner = i;
    }
  }
  return winner;
}

typedef struct rows {
  const double *x, *p, *threshold, *seeds;
  double *out, *scores;
  int64_t *ids, *top;
} rows;

static void choose_in_row(nucleus *n, const rows *r, int64_t row) {
  for (int64_t i = 0; i < n->count; i++)
    n->sorted[i] = (candidate){r->x[row * n->count + i], i};
  qsort(n->sorted, (size_t)n->count, sizeof *n->sorted, compare_candidates);
  if (r->seeds && r->seeds[row] != -1) {
    pir_generator_seed(&n->own, (uint64_t)(int64_t)r->seeds[row]);
    n->from = &n->own;
  }
  double threshold = r->threshold ? r->threshold[row] : 0;
  int64_t at = n->truncated ? choose_by_sum(n, r->p[row], threshold)
                            : choose_by_race(n, r->p[row], threshold);
  r->out[row] = n->sorted[at].value;
  r->ids[row] = n->sorted[at].at;
  for (int64_t i = 0; i < n->k; i++) {
    if (r->scores)
      r->scores[row * n->k + i] = n->sorted[i].value;
    if (r->top)
      r->top[row * n->k + i] = n->sorted[i].at;
  }
}

static pir_status check_rows(const pir_kernel_call *call, const pir_tensor *t) {
  static const char *const names[] = {"x", "ps", "threshold", "topp_seed"};
  int64_t k = pir_kernel_int(call, TOP_K);
  if (t[0].rank != 2 || t[0].shape[1] < 1 || k < 0 || k > t[0].shape[1])
    return pir_kernel_fail(call, PIR_INVALID, "%s: x: expects rows of at least %lld elements",
                           call->op, (long long)(k > 0 ? k : 1));
  for (int i = 1; i < 4; i++)
    if (t[i].data && pir_tensor_numel(&t[i]) != t[0].shape[0])
      return pir_kernel_fail(call, PIR_INVALID, "%s: %s: expects %lld elements, found %lld",
                             call->op, names[i], (long long)t[0].shape[0],
                             (long long)pir_tensor_numel(&t[i]));
  return PIR_OK;
}

// operands: x (probabilities), ps, threshold, topp_seed; attributes: seed, k, mode; results:
// out, ids, topk_scores, topk_ids
pir_status pir_kernel_top_p_sampling(const pir_kernel_call *call) {
  enum { INS = 4, OUT = INS, IDS, SCORES, TOP, ALL };
  static const uint8_t in[] = {PIR_F64, PIR_F64, PIR_F64, PIR_F64},
                       out[] = {PIR_F64, PIR_I64, PIR_F64, PIR_I64};
  pir_tensor t[ALL];
  pir_status status = pir_kernel_open(call, in, INS, out, ALL - INS, t);
  nucleus n = {.call = call, .k = pir_kernel_int(call, TOP_K)};
  n.truncated = pir_kernel_text_is(call, TOP_MODE, "truncated");
  int64_t seed = pir_kernel_int(call, TOP_SEED);
  n.from = seed == -1 ? call->generator : &n.own;
  pir_generator_seed(&n.own, (uint64_t)seed);
  if (!status)
    status = check_rows(call, t);
  if (!status && !n.from)
    status =
        pir_kernel_fail(call, PIR_UNSUPPORTED, "unsupported: %s without a generator", call->op);
  n.count = status ? 0 : t[0].shape[1];
  size_t bytes = (size_t)n.count * sizeof *n.sorted;
  n.sorted = status ? NULL : pir_kernel_alloc(call, bytes);
  if (!status && !n.sorted)
    status = pir_kernel_fail(call, PIR_EXHAUSTED, "%s: out of memory", call->op);
  rows r = {.x = t[0].data,
            .p = t[1].data,
            .threshold = t[2].data,
            .seeds = t[3].data,
            .out = t[OUT].data,
            .ids = t[IDS].data,
            .scores = t[SCORES].data,
            .top = t[TOP].data};
  for (int64_t i = 0; !status && i < t[0].shape[0]; i++)
    choose_in_row(&n, &r, i);
  pir_kernel_free(call, n.sorted, bytes);
  return pir_kernel_close(call, status, INS, ALL - INS, t);
}
