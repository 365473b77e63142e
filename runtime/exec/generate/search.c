// Beam search: of all continuations of the kept sequences, those with the largest sums of log
// probabilities go on (as the op beam_search chooses them; its scores accumulate alike).
// A continuation by a stop id becomes an answer, whose sum is divided by a power of its length
// (Wu et al., Google's Neural Machine Translation System, 2016). The search ends when no beam
// can pass the worst of as many answers as there are beams: sums only fall, so the bound is
// exact.
//
// A beam is a row of the model's batch. One that goes on by several ids keeps its row for the
// best of them; the others take rows of beams that have ended. So a row that moves is copied
// from one that stays, and a step copies the caches of the rows that change, and nothing else.
#include "generation_impl.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- options

enum { MOST_PENALTY = 100 };  // of the power; scores stay finite

pir_status pir_search_open(pir_generation *g, const pir_generation_options *o) {
  size_t beams = o->beams;
  if (!(fabs(o->length_penalty) <= MOST_PENALTY))
    return GENERATION_FAIL(g, PIR_INVALID, "length_penalty is no number from -%d to %d",
                           MOST_PENALTY, MOST_PENALTY);
  if (!beams)
    return o->length_penalty != 0 || o->early_stop
               ? GENERATION_FAIL(g, PIR_INVALID,
                                 "length_penalty and early_stop are of a search: give beams")
               : PIR_OK;
  if (beams > MAX_BEAMS)
    return GENERATION_FAIL(g, PIR_INVALID, "%zu beams, more than %d", beams, MAX_BEAMS);
  if (o->temperature > 0)
    return GENERATION_FAIL(g, PIR_INVALID, "a search draws nothing: beams exclude temperature");
  if (o->sequences > 1)
    return GENERATION_FAIL(g, PIR_UNSUPPORTED, "unsupported: beams of several sequences");
  if (!o->max_tokens && (!o->stop_count || (o->length_penalty > 0 && !o->early_stop)))
    return GENERATION_FAIL(g, PIR_INVALID, "the search cannot end: give max_tokens%s",
                           o->stop_count ? " or early_stop" : "");
  g->search.beams = beams;
  g->search.penalty = o->length_penalty;
  g->search.stops_early = o->early_stop;
  return PIR_OK;
}

// The power of a length by which sums of log probabilities are divided.
static double weigh(const beam_search *s, double sum, double length) {
  return s->penalty == 0 ? sum : sum / pow(length, s->penalty);
}

// ---- answers

static const beam_answer *worst_answer(const beam_search *s) {
  return s->answer_count ? &s->answers[s->answer_count - 1] : NULL;
}

static int64_t *beam_ids(const pir_generation *g, size_t row) {
  return (int64_t *)g->history.data + row * g->capacity;
}

static int64_t *answer_ids(const pir_generation *g, const beam_answer *answer) {
  return (int64_t *)g->search.kept.data + answer->at * g->search.capacity;
}

// Makes room for answers of any length that the ids have room for.
static pir_status make_answer_room(pir_generation *g) {
  beam_search *s = &g->search;
  owned_block old = s->kept, more = {0};
  if (s->capacity == g->capacity)
    return PIR_OK;
  PIR_TRY(pir_generation_hold(g, &more, s->beams * g->capacity * sizeof(int64_t)));
  for (size_t i = 0; i < s->answer_count; i++)
    memcpy((int64_t *)more.data + s->answers[i].at * g->capacity, answer_ids(g, &s->answers[i]),
           s->answers[i].count * sizeof(int64_t));
  s->kept = more;
  s->capacity = g->capacity;
  pir_generation_drop(g, &old);
  return PIR_OK;
}

// Keeps a row as an answer, in the order of scores, of equal ones that which came first.
// `length` counts a stop id, which the ids have not.
static void keep_answer(pir_generation *g, size_t row, double sum, size_t length) {
  beam_search *s = &g->search;
  size_t at = s->answer_count;
  beam_answer answer = {
      .score = weigh(s, sum, (double)length), .count = g->length - s->prompt, .at = at};
  if (at == s->beams) {
    if (!(answer.score > s->answers[at - 1].score))
      return;
    answer.at = s->answers[--at].at;  // the worst one is dropped
  }
  memcpy(answer_ids(g, &answer), beam_ids(g, row) + s->prompt, answer.count * sizeof(int64_t));
  for (; at && answer.score > s->answers[at - 1].score; at--)
    s->answers[at] = s->answers[at - 1];
  s->answers[at] = answer;
  s->answer_count += s->answer_count < s->beams;
}

// ---- continuations

static bool is_before(const beam_offer *a, const beam_offer *b) {
  if (a->sum != b->sum)
    return a->sum > b->sum;
  return a->row != b->row ? a->row < b->row : a->id < b->id;
}

// Puts a continuation in its place among the best `most` so far, of equal sums behind those
// that were offered before.
static void offer(beam_offers *list, size_t most, beam_offer o) {
  if (list->count == most && !(o.sum > list->items[most - 1].sum))
    return;
  size_t at = list->count < most ? list->count++ : most - 1;
  for (; at && o.sum > list->items[at - 1].sum; at--)
    list->items[at] = list->items[at - 1];
  list->items[at] = o;
}

// Offers the continuations of a row, in the order of their ids. The stop ids are sorted.
static void offer_row(pir_generation *g, size_t row) {
  beam_search *s = &g->search;
  size_t stop = 0;
  for (int64_t id = 0; id < g->choice.ids; id++) {
    beam_offer o = {s->sums[row] + g->choice.room[id].value, row, id};
    while (stop < g->stop_count && g->stops[stop] < id)
      stop++;
    bool ends = stop < g->stop_count && g->stops[stop] == id;
    if (o.sum > -INFINITY)
      offer(ends ? &s->ends : &s->offers, s->beams, o);
  }
}

// Of equal sums the one of the first row, and of its first id, comes first.
static pir_status find_offers(pir_generation *g) {
  beam_search *s = &g->search;
  pir_tensor logits;
  int64_t first, apart;
  PIR_TRY(pir_generation_find_logits(g, &logits, &first, &apart));
  s->offers.count = s->ends.count = 0;
  for (size_t row = 0; row < s->beams; row++) {
    if (s->sums[row] == -INFINITY)
      continue;
    pir_score_tokens(&g->choice, &logits, first + (int64_t)row * apart,
                     (id_row){beam_ids(g, row), g->length});
    offer_row(g, row);
  }
  return s->offers.count || s->ends.count ? PIR_OK : pir_generation_refuse_logits(g);
}

// Makes answers of the continuations by stop ids that are among the first `beams` of all.
static void keep_ended(pir_generation *g) {
  beam_search *s = &g->search;
  size_t before = 0;  // that go on
  for (size_t i = 0; i < s->ends.count; i++) {
    const beam_offer *o = &s->ends.items[i];
    while (before < s->offers.count && is_before(&s->offers.items[before], o))
      before++;
    if (before + i >= s->beams)
      return;
    keep_answer(g, o->row, o->sum, g->length - s->prompt + 1);
  }
}

// ---- rows

// One row of a cache.
static pir_tensor row_of(const pir_tensor *cache, int axis, size_t row) {
  pir_tensor t = *cache;
  int64_t before = (int64_t)row * t.strides[axis] * (int64_t)pir_dtype_size(t.dtype);
  t.data = (char *)t.data + before;
  t.shape[axis] = 1;
  return t;
}

// A run may give a cache another shape than the model states.
static pir_status check_caches(pir_generation *g) {
  for (size_t i = 0; i < g->cache_count; i++) {
    const generation_cache *c = &g->caches[i];
    const pir_tensor *cache = &g->session->inputs[c->input].tensor;
    if (cache->rank <= c->batch_axis || cache->shape[c->batch_axis] != (int64_t)g->search.beams)
      return GENERATION_FAIL(g, PIR_INVALID, "cache \"%s\" has not %zu beams along axis %d",
                             g->session->model->plan.outputs[c->output].port.name.data,
                             g->search.beams, c->batch_axis);
  }
  return PIR_OK;
}

static pir_status copy_row(pir_generation *g, size_t from, size_t to) {
  memcpy(beam_ids(g, to), beam_ids(g, from), g->length * sizeof(int64_t));
  for (size_t i = 0; i < g->cache_count; i++) {
    const generation_cache *c = &g->caches[i];
    const pir_tensor *cache = &g->session->inputs[c->input].tensor;
    if (!cache->data || !pir_tensor_numel(cache))
      continue;
    pir_tensor source = row_of(cache, c->batch_axis, from);
    pir_tensor target = row_of(cache, c->batch_axis, to);
    PIR_TRY(pir_tensor_copy(&source, &target));
  }
  return PIR_OK;
}

// Gives each continuation a row: the first of a row's keeps it, the others take rows that none
// keeps. Rows that are left over have no beam, and go on by any id.
static pir_status place_offers(pir_generation *g, int64_t *ids) {
  beam_search *s = &g->search;
  bool taken[MAX_BEAMS] = {false}, stays[MAX_BEAMS] = {false};
  size_t free_row = 0;
  for (size_t i = 0; i < s->offers.count; i++) {
    stays[i] = !taken[s->offers.items[i].row];
    taken[s->offers.items[i].row] = true;
  }
  for (size_t row = 0; row < s->beams; row++) {
    s->sums[row] = -INFINITY;
    ids[row] = s->offers.items[0].id;
  }
  for (size_t i = 0; i < s->offers.count; i++) {
    size_t row = s->offers.items[i].row;
    if (!stays[i]) {
      while (taken[free_row])
        free_row++;
      taken[free_row] = true;
      PIR_TRY(copy_row(g, row, free_row));
      row = free_row;
    }
    s->sums[row] = s->offers.items[i].sum;
    ids[row] = s->offers.items[i].id;
  }
  return PIR_OK;
}

// ---- the end

// The largest score that a beam may still reach.
static double find_bound(const pir_generation *g) {
  const beam_search *s = &g->search;
  double best = -INFINITY, length = (double)(g->length - s->prompt);
  for (size_t row = 0; row < s->beams; row++)
    best = s->sums[row] > best ? s->sums[row] : best;
  if (s->penalty <= 0)
    return weigh(s, best, length + 1);
  if (g->max_tokens)
    return weigh(s, best, (double)g->max_tokens);
  return best > -INFINITY ? 0 : best;
}

static bool is_over(const pir_generation *g) {
  const beam_search *s = &g->search;
  const beam_answer *worst = worst_answer(s);
  if (s->answer_count < s->beams)
    return false;
  return s->stops_early || find_bound(g) <= worst->score;
}

// At the end the beams are answers too.
static void end_search(pir_generation *g) {
  beam_search *s = &g->search;
  for (size_t row = 0; row < s->beams; row++)
    if (s->sums[row] > -INFINITY)
      keep_answer(g, row, s->sums[row], g->length - s->prompt);
}

// Where no token may follow, what a beam could still reach says nothing.
static void look_for_end(pir_generation *g) {
  beam_search *s = &g->search;
  bool at_end = g->max_tokens && g->answered >= g->max_tokens;
  if (at_end && !(s->stops_early && s->answer_count == s->beams))
    end_search(g);
  s->is_over = at_end || is_over(g);
}

// One step. Memory comes first: what fails behind it ends the search.
static pir_status make_step(pir_generation *g) {
  beam_search *s = &g->search;
  int64_t ids[MAX_BEAMS];
  PIR_TRY(pir_generation_run_made(g));
  PIR_TRY(pir_generation_make_id_room(g, 1));
  PIR_TRY(make_answer_room(g));
  PIR_TRY(check_caches(g));
  PIR_TRY(find_offers(g));
  s->has_begun = s->is_broken = true;
  keep_ended(g);
  if (!s->offers.count) {  // each continuation that there is has ended
    s->is_over = true;
  } else {
    PIR_TRY(place_offers(g, ids));
    PIR_TRY(pir_generation_append(g, ids, 1, 1));
    g->stats.made_tokens++;
    g->answered++;
    look_for_end(g);
  }
  s->is_broken = false;
  return PIR_OK;
}

static void begin_search(pir_generation *g) {
  beam_search *s = &g->search;
  for (size_t row = 0; row < s->beams; row++)
    s->sums[row] = row ? -INFINITY : 0;  // all rows are the prompt
  s->prompt = g->length;
}

pir_status pir_generation_search(pir_generation *g, pir_beam *out_beams, size_t count,
                                 size_t *out_count) {
  if (!g || !out_count)
    return PIR_INVALID;
  beam_search *s = &g->search;
  g->session->frame.message.text[0] = 0;
  *out_count = 0;
  if (count && !out_beams)
    return GENERATION_FAIL(g, PIR_INVALID, "no memory for the answers");
  if (!s->beams)
    return GENERATION_FAIL(g, PIR_INVALID, "the generation has no beams");
  if (!g->has_logits && g->cached == g->length)
    return GENERATION_FAIL(g, PIR_INVALID, "there are no logits: no ids were fed, or in vain");
  if (s->is_broken)
    return GENERATION_FAIL(g, PIR_INVALID, "the search has failed in the middle of a step");
  if (!s->has_begun)
    begin_search(g);
  uint64_t start = pir_exec_now_ns();
  pir_status status = PIR_OK;
  while (!status && !s->is_over)
    status = make_step(g);
  g->stats.make_ns += pir_exec_now_ns() - start;
  for (size_t i = 0; !status && i < s->answer_count && i < count; i++) {
    const beam_answer *a = &s->answers[i];
    out_beams[(*out_count)++] = (pir_beam){answer_ids(g, a), a->count, a->score};
  }
  return status;
}
