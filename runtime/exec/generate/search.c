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

pir_status pir_search_open(pir_generation *g, const pir_generation_options *o) {
  size_t beams = o->beams;
  if (!isfinite(o->length_penalty))
    return GENERATION_FAIL(g, PIR_INVALID, "length_penalty is no finite number");
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

// Keeps a row as an answer, in the order of scores, of equal ones that which came first.
// `length` counts a stop id, which the ids have not.
static pir_status keep_answer(pir_generation *g, size_t row, double sum, size_t length) {
  beam_search *s = &g->search;
  size_t count = g->length - s->prompt, at = s->answer_count;
  beam_answer answer = {.score = weigh(s, sum, (double)length), .count = count};
  if (at == s->beams && !(answer.score > s->answers[at - 1].score))
    return PIR_OK;
  PIR_TRY(pir_generation_hold(g, &answer.ids, (count ? count : 1) * sizeof(int64_t)));
  if (count)
    memcpy(answer.ids.data, beam_ids(g, row) + s->prompt, count * sizeof(int64_t));
  if (at == s->beams)
    pir_generation_drop(g, &s->answers[--at].ids);
  for (; at && answer.score > s->answers[at - 1].score; at--)
    s->answers[at] = s->answers[at - 1];
  s->answers[at] = answer;
  s->answer_count += s->answer_count < s->beams;
  return PIR_OK;
}

void pir_search_close(pir_generation *g) {
  for (size_t i = 0; i < g->search.answer_count; i++)
    pir_generation_drop(g, &g->search.answers[i].ids);
  g->search.answer_count = 0;
}

// ---- continuations

// Puts a continuation in its place among the best so far.
static void offer(beam_search *s, size_t most, double sum, size_t row, int64_t id) {
  size_t at = s->offered < most ? s->offered++ : most - 1;
  for (; at && sum > s->offers[at - 1].sum; at--)
    s->offers[at] = s->offers[at - 1];
  s->offers[at] = (beam_offer){sum, row, id};
}

// Of equal sums the one of the first row, and of its first id, comes first.
static pir_status find_offers(pir_generation *g, size_t most) {
  beam_search *s = &g->search;
  pir_tensor logits;
  int64_t first, apart;
  PIR_TRY(pir_generation_find_logits(g, &logits, &first, &apart));
  s->offered = 0;
  for (size_t row = 0; row < s->beams; row++) {
    if (s->sums[row] == -INFINITY)
      continue;
    pir_score_tokens(&g->choice, &logits, first + (int64_t)row * apart,
                     (id_row){beam_ids(g, row), g->length});
    for (int64_t id = 0; id < g->choice.ids; id++) {
      double sum = s->sums[row] + g->choice.room[id].value;
      if (sum > -INFINITY && (s->offered < most || sum > s->offers[most - 1].sum))
        offer(s, most, sum, row, id);
    }
  }
  return s->offered
             ? PIR_OK
             : GENERATION_FAIL(
                   g, PIR_INVALID, "output %u \"%s\" has no largest logit for the next token",
                   g->logits, g->session->model->plan.outputs[g->logits].port.name.data);
}

// Makes answers of the continuations by stop ids that are among the first `beams`, and leaves
// the ones that go on in front.
static pir_status part_offers(pir_generation *g) {
  beam_search *s = &g->search;
  size_t kept = 0;
  for (size_t i = 0; i < s->offered && kept < s->beams; i++) {
    if (!pir_generation_is_stop(g, s->offers[i].id))
      s->offers[kept++] = s->offers[i];
    else if (i < s->beams)
      PIR_TRY(keep_answer(g, s->offers[i].row, s->offers[i].sum, g->length - s->prompt + 1));
  }
  s->offered = kept;
  return PIR_OK;
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
  for (size_t i = 0; i < s->offered; i++) {
    stays[i] = !taken[s->offers[i].row];
    taken[s->offers[i].row] = true;
  }
  for (size_t row = 0; row < s->beams; row++) {
    s->sums[row] = -INFINITY;
    ids[row] = s->offers[0].id;
  }
  for (size_t i = 0; i < s->offered; i++) {
    size_t row = s->offers[i].row;
    if (!stays[i]) {
      while (taken[free_row])
        free_row++;
      taken[free_row] = true;
      PIR_TRY(copy_row(g, row, free_row));
      row = free_row;
    }
    s->sums[row] = s->offers[i].sum;
    ids[row] = s->offers[i].id;
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
  return g->max_tokens ? weigh(s, best, (double)g->max_tokens) : best > -INFINITY ? 0 : best;
}

static bool is_over(const pir_generation *g) {
  const beam_search *s = &g->search;
  const beam_answer *worst = worst_answer(s);
  if (s->answer_count < s->beams)
    return false;
  return s->stops_early || find_bound(g) <= worst->score;
}

// At the end the beams are answers too.
static pir_status end_search(pir_generation *g) {
  beam_search *s = &g->search;
  for (size_t row = 0; row < s->beams; row++)
    if (s->sums[row] > -INFINITY) {
      PIR_TRY(keep_answer(g, row, s->sums[row], g->length - s->prompt));
      s->sums[row] = -INFINITY;
    }
  s->is_over = true;
  return PIR_OK;
}

// One step. Memory comes first: what fails behind it ends the search.
static pir_status make_step(pir_generation *g) {
  beam_search *s = &g->search;
  int64_t ids[MAX_BEAMS];
  size_t most = s->beams * (g->stop_count + 1);
  PIR_TRY(pir_generation_run_made(g));
  PIR_TRY(pir_generation_make_id_room(g, 1));
  PIR_TRY(pir_generation_hold(g, &s->room, most * sizeof *s->offers));
  s->offers = s->room.data;
  PIR_TRY(find_offers(g, most));
  s->is_broken = true;
  PIR_TRY(part_offers(g));
  if (!s->offered) {  // each continuation that there is has ended
    for (size_t row = 0; row < s->beams; row++)
      s->sums[row] = -INFINITY;
    s->is_over = true;
  } else {
    PIR_TRY(place_offers(g, ids));
    PIR_TRY(pir_generation_append(g, ids, 1, 1));
    g->stats.made_tokens++;
    g->answered++;
    s->is_over = is_over(g);
    if (!s->is_over && g->max_tokens && g->answered >= g->max_tokens)
      PIR_TRY(end_search(g));
  }
  s->is_broken = false;
  return PIR_OK;
}

static void begin_search(pir_generation *g) {
  beam_search *s = &g->search;
  for (size_t row = 0; row < s->beams; row++)
    s->sums[row] = row ? -INFINITY : 0;  // all rows are the prompt
  s->prompt = g->length;
  s->has_begun = true;
}

pir_status pir_generation_search(pir_generation *g, pir_beam *out_beams, size_t count,
                                 size_t *out_count) {
  if (!g || !out_beams || !out_count)
    return PIR_INVALID;
  beam_search *s = &g->search;
  g->session->frame.message.text[0] = 0;
  *out_count = 0;
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
    out_beams[(*out_count)++] = (pir_beam){a->ids.data, a->count, a->score};
  }
  return status;
}
