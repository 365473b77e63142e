// A heap of candidates, whose greatest are taken one after the other.
#include <math.h>
#include <pir/layer/ranked.h>

static bool comes_before(const pir_candidate *a, const pir_candidate *b) {
  if (a->value == b->value || (isnan(a->value) && isnan(b->value)))
    return a->at < b->at;
  return a->value > b->value || isnan(b->value);
}

static void sink_candidate(pir_candidate *heap, int64_t n, int64_t i) {
  pir_candidate c = heap[i];
  for (int64_t k = 2 * i + 1; k < n; k = 2 * i + 1) {
    k += k + 1 < n && comes_before(&heap[k + 1], &heap[k]);
    if (!comes_before(&heap[k], &c))
      break;
    heap[i] = heap[k];
    i = k;
  }
  heap[i] = c;
}

void pir_ranking_begin(pir_ranking *r) {
  for (int64_t i = r->count / 2 - 1; i >= 0; i--)
    sink_candidate(r->heap, r->count, i);
  r->taken = 0;
}

const pir_candidate *pir_ranking_at(pir_ranking *r, int64_t place) {
  for (; r->taken <= place; r->taken++) {
    int64_t last = r->count - 1 - r->taken;
    pir_candidate first = r->heap[0];
    r->heap[0] = r->heap[last];
    r->heap[last] = first;
    sink_candidate(r->heap, last, 0);
  }
  return &r->heap[r->count - 1 - place];
}

int64_t pir_ranking_reach(pir_ranking *r, float p, float threshold, float share) {
  float sum = 0, reached = share * p;
  for (int64_t i = 0; i < r->count; i++) {
    sum += (float)pir_ranking_at(r, i)->value;
    if (!(sum >= reached))
      continue;
    while (i > 0 && (float)pir_ranking_at(r, i)->value < threshold)
      i--;
    return i;
  }
  return 0;
}
