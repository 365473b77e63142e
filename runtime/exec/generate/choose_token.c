// Chooses a token: repetition penalty, temperature, the k largest, softmax, the most probable
// ones up to p. The op top_p_sampling takes the last step likewise.
#include "choose_token.h"

#include <math.h>
#include <string.h>

static void read_logits(choice *c, const pir_tensor *logits, int64_t first) {
  const float *floats = logits->dtype == PIR_F32 && pir_tensor_is_dense(logits)
                            ? (const float *)logits->data + first
                            : NULL;
  for (int64_t i = 0; i < c->ids; i++) {
    double value = floats ? (double)floats[i] : pir_tensor_float_at(logits, first + i);
    c->room[i] = (pir_candidate){value, i};
  }
}

// Each id once, however often the sequence has it.
static void punish_repetition(choice *c, id_row before) {
  memset(c->seen, 0, (size_t)c->ids);
  for (size_t i = 0; i < before.count; i++) {
    int64_t id = before.ids[i];
    if (id >= c->ids || c->seen[id])
      continue;
    c->seen[id] = 1;
    double *value = &c->room[id].value;
    *value = *value < 0 ? *value * c->penalty : *value / c->penalty;
  }
}

static int64_t find_largest(const pir_candidate *from, int64_t count) {
  int64_t best = -1;
  double most = -INFINITY;
  for (int64_t i = 0; i < count; i++)
    if (from[i].value > most) {
      most = from[i].value;
      best = i;
    }
  return best;
}

// Replaces logits by probabilities, as floats. NaN is none; beside an infinite logit there is
// nothing else.
static void make_probabilities(pir_ranking *r, double largest, double temperature) {
  double sum = 0;
  for (int64_t i = 0; i < r->count; i++) {
    double value = r->heap[i].value;
    double power = value == largest ? 1 : exp((value - largest) / temperature);
    r->heap[i].value = isnan(power) ? 0 : power;
    sum += r->heap[i].value;
  }
  for (int64_t i = 0; i < r->count; i++)
    r->heap[i].value = (double)(float)(r->heap[i].value / sum);
}

void pir_score_tokens(choice *c, const pir_tensor *logits, int64_t first, id_row before) {
  read_logits(c, logits, first);
  if (c->penalty != 1)
    punish_repetition(c, before);
  int64_t best = find_largest(c->room, c->ids);
  double largest = best < 0 ? 0 : c->room[best].value, sum = 0;
  for (int64_t i = 0; best < 0 && i < c->ids; i++)
    c->room[i].value = -INFINITY;
  if (best < 0)
    return;
  for (int64_t i = 0; i < c->ids; i++) {
    double value = c->room[i].value;
    double below = isnan(value) ? -INFINITY : value - largest;
    if (value == largest)  // of two infinities, the difference is NaN
      below = 0;
    c->room[i].value = below;
    sum += exp(below);
  }
  double of_sum = log(sum);
  for (int64_t i = 0; i < c->ids; i++)
    c->room[i].value -= of_sum;
}

int64_t pir_choose_token(choice *c, const pir_tensor *logits, int64_t first, id_row before,
                         pir_generator *numbers) {
  read_logits(c, logits, first);
  if (c->penalty != 1)
    punish_repetition(c, before);
  int64_t best = find_largest(c->room, c->ids);
  if (best < 0 || c->temperature == 0)
    return best;
  double largest = c->room[best].value;
  pir_ranking r = {.heap = c->room, .count = c->ids};
  if (c->top_k && c->top_k < c->ids) {
    pir_ranking_begin(&r);
    pir_ranking_at(&r, c->top_k - 1);
    r = (pir_ranking){.heap = c->room + c->ids - c->top_k, .count = c->top_k};
  }
  make_probabilities(&r, largest, c->temperature);
  pir_ranking_begin(&r);
  float share = 1 - pir_generator_float(numbers);
  return pir_ranking_at(&r, pir_ranking_reach(&r, (float)c->top_p, 0, share))->at;
}
