// top_p_sampling: a random choice among the most probable elements of each row, which together
// have the probability p, as Paddle's kernel for GPUs chooses (top_p_sampling_kernel.cu). With
// a seed cuRAND's generator XORWOW draws the numbers, as there, and starts anew for each row;
// without one they come from the session. O(n) for a row, and O(log n) for each element that
// the choice looks at.
#include <math.h>
#include <pir/layer/ranked.h>

#include "kernels.h"

enum { TOP_SEED, TOP_K, TOP_MODE };
enum { X, PS, THRESHOLD, SEEDS, OPERANDS };

// ---- random numbers

// Marsaglia's generator, with the start of curand_init(seed, 0, 0).
typedef struct xorwow {
  uint32_t v[5], d;
} xorwow;

static xorwow start_xorwow(uint64_t seed) {
  uint32_t low = 1099087573u * ((uint32_t)seed ^ 0xaad26b49u);
  uint32_t high = 2591861531u * ((uint32_t)(seed >> 32) ^ 0xf7dcefddu);
  return (xorwow){
      {123456789u + low, 362436069u ^ low, 521288629u + high, 88675123u ^ high, 5783321u + low},
      6615241u + high + low};
}

static uint32_t draw_xorwow(xorwow *g) {
  uint32_t t = g->v[0] ^ g->v[0] >> 2;
  for (int i = 0; i < 4; i++)
    g->v[i] = g->v[i + 1];
  g->v[4] = (g->v[4] ^ g->v[4] << 4) ^ (t ^ t << 1);
  g->d += 362437u;
  return g->v[4] + g->d;
}

// Where a row's numbers come from.
typedef struct source {
  xorwow own;
  pir_generator *session;  // NULL: `own`
} source;

// A number in (0, 1].
static float draw_share(source *s) {
  if (s->session)
    return 1 - pir_generator_float(s->session);
  return (float)draw_xorwow(&s->own) * 0x1p-32f + 0x1p-33f;
}

// ---- the choice

typedef struct nucleus {
  pir_ranking order;
  source numbers;
  int64_t k;
  bool truncated;  // a number below p is drawn, and the element that holds it is the choice
} nucleus;

// The place of the element that wins a race: each among the first with probability p in sum
// arrives after an exponentially distributed time by its probability.
static int64_t choose_by_race(nucleus *n, float p, float threshold) {
  float sum = 0, best = 0;
  int64_t winner = 0;
  for (int64_t i = 0; i < n->order.count && !(i > 0 && sum >= p); i++) {
    float value = (float)pir_ranking_at(&n->order, i)->value, share = draw_share(&n->numbers);
    float time = share < 1 - 0x1p-24f ? -logf(share) : 0x1p-24f;
    float speed = value / time;
    sum += value;
    if (value >= threshold && speed > best) {
      best = speed;
      winner = i;
    }
  }
  return winner;
}

typedef struct rows {
  const double *x, *p, *threshold;
  const int64_t *seeds;
  double *out, *scores;
  int64_t *ids, *top;
} rows;

static void choose_in_row(nucleus *n, const rows *r, int64_t row) {
  const double *x = r->x + row * n->order.count;
  for (int64_t i = 0; i < n->order.count; i++)
    n->order.heap[i] = (pir_candidate){x[i], i};
  pir_ranking_begin(&n->order);
  float p = (float)r->p[row], threshold = r->threshold ? (float)r->threshold[row] : 0;
  int64_t at = n->truncated
                   ? pir_ranking_reach(&n->order, p, threshold, draw_share(&n->numbers))
                   : choose_by_race(n, p, threshold);
  r->out[row] = pir_ranking_at(&n->order, at)->value;
  r->ids[row] = pir_ranking_at(&n->order, at)->at;
  for (int64_t i = 0; i < n->k; i++) {
    const pir_candidate *c = pir_ranking_at(&n->order, i);
    if (r->scores)
      r->scores[row * n->k + i] = c->value;
    if (r->top)
      r->top[row * n->k + i] = c->at;
  }
}

static pir_status check_rows(const pir_kernel_call *call, const pir_tensor *t) {
  static const char *const names[] = {"x", "ps", "threshold", "topp_seed"};
  int64_t k = pir_kernel_int(call, TOP_K);
  if (t[X].rank != 2 || t[X].shape[1] < 1 || k < 0 || k > t[X].shape[1])
    return pir_kernel_fail(call, PIR_INVALID, "%s: x: expects rows of at least %lld elements",
                           call->op, (long long)(k > 0 ? k : 1));
  for (int i = PS; i < OPERANDS; i++)
    if (t[i].data && pir_tensor_numel(&t[i]) != t[X].shape[0])
      return pir_kernel_fail(call, PIR_INVALID, "%s: %s: expects %lld elements, found %lld",
                             call->op, names[i], (long long)t[X].shape[0],
                             (long long)pir_tensor_numel(&t[i]));
  return PIR_OK;
}

static pir_status choose_in_rows(const pir_kernel_call *call, const rows *r, int64_t count,
                                 int64_t columns) {
  int64_t seed = pir_kernel_int(call, TOP_SEED);
  nucleus n = {.k = pir_kernel_int(call, TOP_K),
               .truncated = pir_kernel_text_is(call, TOP_MODE, "truncated")};
  bool seeded = r->seeds || seed != -1;
  if (!seeded && !call->generator)
    return pir_kernel_fail(call, PIR_UNSUPPORTED, "unsupported: %s without a generator",
                           call->op);
  size_t bytes = (size_t)columns * sizeof *n.order.heap;
  n.order = (pir_ranking){.heap = pir_kernel_alloc(call, bytes), .count = columns};
  if (!n.order.heap)
    return pir_kernel_fail(call, PIR_EXHAUSTED, "%s: out of memory", call->op);
  for (int64_t i = 0; i < count; i++) {
    if (seeded)
      n.numbers = (source){.own = start_xorwow((uint64_t)(r->seeds ? r->seeds[i] : seed))};
    else
      n.numbers = (source){.session = call->generator};
    choose_in_row(&n, r, i);
  }
  pir_kernel_free(call, n.order.heap, bytes);
  return PIR_OK;
}

// operands: x (probabilities), ps, threshold, topp_seed; attributes: seed, k, mode; results:
// out, ids, topk_scores, topk_ids
pir_status pir_kernel_top_p_sampling(const pir_kernel_call *call) {
  enum { OUT = OPERANDS, IDS, SCORES, TOP, ALL };
  static const uint8_t in[] = {PIR_F64, PIR_F64, PIR_F64, PIR_I64},
                       out[] = {PIR_F64, PIR_I64, PIR_F64, PIR_I64};
  pir_tensor t[ALL];
  pir_status status = pir_kernel_open(call, in, OPERANDS, out, ALL - OPERANDS, t);
  if (!status)
    status = check_rows(call, t);
  rows r = {.x = t[X].data,
            .p = t[PS].data,
            .threshold = t[THRESHOLD].data,
            .seeds = t[SEEDS].data,
            .out = t[OUT].data,
            .ids = t[IDS].data,
            .scores = t[SCORES].data,
            .top = t[TOP].data};
  if (!status)
    status = choose_in_rows(call, &r, t[X].shape[0], t[X].shape[1]);
  return pir_kernel_close(call, status, OPERANDS, ALL - OPERANDS, t);
}
