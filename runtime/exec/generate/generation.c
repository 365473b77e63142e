// Generation: ids so far, runs on those that are not cached yet, choices among the logits.
#include "generation_impl.h"

#include <math.h>
#include <sized.h>
#include <stdlib.h>
#include <string.h>

// ---- options

static pir_status check_options(pir_generation *g, const pir_generation_options *o) {
  bool draws = o->temperature > 0;
  if (!(o->temperature >= 0) || isinf(o->temperature))
    return GENERATION_FAIL(g, PIR_INVALID, "temperature is no number from 0");
  if (!(o->top_p >= 0 && o->top_p <= 1))
    return GENERATION_FAIL(g, PIR_INVALID, "top_p is no number from 0 to 1");
  if (!(o->repetition_penalty >= 0) || isinf(o->repetition_penalty))
    return GENERATION_FAIL(g, PIR_INVALID, "repetition_penalty is no number from 0");
  if (!draws && (o->top_k || o->top_p > 0))
    return GENERATION_FAIL(g, PIR_INVALID,
                           "top_k and top_p choose what is drawn: give a temperature");
  if (o->room < 0 || o->top_k > INT64_MAX || o->sequences > INT32_MAX)
    return GENERATION_FAIL(g, PIR_INVALID, "room, top_k or sequences is out of range");
  for (size_t i = 0; i < o->stop_count; i++)
    if (!o->stops || o->stops[i] < 0)
      return GENERATION_FAIL(g, PIR_INVALID, "stop %zu is no id", i);
  g->choice = (choice){.temperature = o->temperature,
                       .top_p = o->top_p > 0 ? o->top_p : 1,
                       .penalty = o->repetition_penalty > 0 ? o->repetition_penalty : 1,
                       .top_k = (int64_t)o->top_k};
  g->max_tokens = o->max_tokens;
  g->room = o->room;
  g->sink = o->sink;
  return PIR_OK;
}

static int by_id(const void *a, const void *b) {
  int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

static pir_status keep_lists(pir_generation *g, const pir_generation_options *o) {
  g->stops = pir_arena_copy(&g->memory, o->stops, o->stop_count * sizeof *o->stops);
  g->stop_count = g->stops ? o->stop_count : 0;
  if (g->stop_count)
    qsort(g->stops, g->stop_count, sizeof *g->stops, by_id);
  g->ended = pir_arena_zalloc(&g->memory, g->sequences * sizeof *g->ended);
  return g->memory.failed ? GENERATION_FAIL(g, PIR_EXHAUSTED, "no memory for a generation")
                          : PIR_OK;
}

static pir_status open_generation(pir_generation *g, const pir_generation_options *o) {
  PIR_TRY(check_options(g, o));
  PIR_TRY(pir_search_open(g, o));
  PIR_TRY(pir_generation_find_ports(g, o));
  PIR_TRY(keep_lists(g, o));
  PIR_TRY(pir_generation_open_caches(g));
  if (o->seed)
    pir_generator_spread(&g->session->generator, o->seed);
  return PIR_OK;
}

pir_status pir_generation_create(pir_session *s, const pir_generation_options *given,
                                 pir_generation **out_generation) {
  pir_generation_options options;
  sized_text why;
  if (out_generation)
    *out_generation = NULL;
  if (!s || !out_generation)
    return PIR_INVALID;
  s->frame.message.text[0] = 0;
  pir_status status =
      pir_sized_read("pir_generation_options", &options, sizeof options, given, &why);
  if (status)
    return pir_exec_fail(&s->frame.message, status, "%s", why.text);
  pir_generation *g = pir_mem_get(&s->allocator, sizeof *g);
  if (!g)
    return pir_exec_fail(&s->frame.message, PIR_EXHAUSTED, "no memory for a generation");
  *g = (pir_generation){.session = s, .memory.source = s->allocator};
  status = open_generation(g, &options);
  if (!status) {
    *out_generation = g;
    return PIR_OK;
  }
  pir_message message = s->frame.message;
  pir_generation_destroy(g);
  s->frame.message = message;
  return status;
}

// Unbinds an input that lies in a generation's block.
static void unbind(pir_generation *g, uint32_t input, const owned_block *block) {
  if (block->data && g->session->inputs[input].tensor.data == block->data)
    g->session->inputs[input].is_bound = false;
}

void pir_generation_destroy(pir_generation *g) {
  if (!g)
    return;
  pir_session *s = g->session;
  unbind(g, g->ids, &g->fed);
  if (g->position != NONE)
    unbind(g, g->position, &g->places);
  pir_generation_close_caches(g);
  owned_block *blocks[] = {&g->candidates, &g->seen,   &g->history,
                           &g->fed,        &g->places, &g->search.kept};
  for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
    pir_generation_drop(g, blocks[i]);
  pir_arena_destroy(&g->memory);
  pir_mem_give(&s->allocator, g, sizeof *g);
}

// ---- ids

static int64_t *ids_of(const pir_generation *g, size_t sequence) {
  return (int64_t *)g->history.data + sequence * g->capacity;
}

pir_status pir_generation_make_id_room(pir_generation *g, size_t count) {
  size_t needed = g->length + count, capacity = g->capacity ? g->capacity : 64;
  owned_block old = g->history, more = {0};
  while (capacity < needed && capacity <= SIZE_MAX / 2)
    capacity *= 2;
  if (needed <= g->capacity)
    return PIR_OK;
  if (needed < count || capacity < needed ||
      capacity > SIZE_MAX / sizeof(int64_t) / g->sequences)
    return GENERATION_FAIL(g, PIR_EXHAUSTED, "too many ids");
  PIR_TRY(pir_generation_hold(g, &more, capacity * g->sequences * sizeof(int64_t)));
  for (size_t i = 0; i < g->sequences && g->length; i++)
    memcpy((int64_t *)more.data + i * capacity, ids_of(g, i), g->length * sizeof(int64_t));
  g->history = more;
  g->capacity = capacity;
  pir_generation_drop(g, &old);
  return PIR_OK;
}

pir_status pir_generation_append(pir_generation *g, const int64_t *ids, size_t count,
                                 size_t apart) {
  const pir_port *port = &g->session->model->plan.inputs[g->ids].port;
  PIR_TRY(pir_generation_make_id_room(g, count));
  for (size_t i = 0; i < g->sequences; i++)
    for (size_t k = 0; k < count; k++) {
      int64_t id = ids[i * apart + k];
      if (id < 0 || (port->dtype == PIR_I32 && id > INT32_MAX))
        return GENERATION_FAIL(g, PIR_INVALID, "input %u \"%s\": id %lld is no %s", g->ids,
                               port->name.data, (long long)id,
                               id < 0 ? "number from 0" : "int32");
      ids_of(g, i)[g->length + k] = id;
    }
  g->length += count;
  return PIR_OK;
}

// ---- runs

// Binds integers as the input's type: number k of sequence i is from[i * apart + k], or counts
// from `first` where `from` is NULL.
static pir_status bind_integers(pir_generation *g, uint32_t input, const int64_t *from,
                                int64_t first, size_t count, owned_block *block) {
  const pir_port *port = &g->session->model->plan.inputs[input].port;
  size_t rows = port->rank > 1 ? g->sequences : 1, n = rows * count;
  g->session->inputs[input].is_bound = false;
  PIR_TRY(pir_generation_hold(g, block, n * sizeof(int64_t)));
  for (size_t i = 0; i < n; i++) {
    size_t row = i / count, k = i % count;
    int64_t value = from ? from[row * g->capacity + k] : first + (int64_t)k;
    if (port->dtype == PIR_I64)
      ((int64_t *)block->data)[i] = value;
    else
      ((int32_t *)block->data)[i] = (int32_t)value;
  }
  pir_tensor tensor = {.data = block->data};
  int64_t shape[PIR_MAX_RANK];
  for (int d = 0; d < port->rank; d++)
    shape[d] = d == port->rank - 1 ? (int64_t)count : 1;
  if (port->rank > 1)
    shape[0] = (int64_t)rows;
  pir_tensor_set_dense(&tensor, port->dtype, shape, port->rank);
  return pir_session_bind_input(g->session, input, &tensor);
}

// A position of one element for ids of any number is the number of tokens before.
static pir_status bind_position(pir_generation *g, size_t from, size_t count) {
  const plan *p = &g->session->model->plan;
  const pir_port *port = &p->inputs[g->position].port;
  bool one = port->rank < 1 || port->shape[port->rank - 1] == 1;
  return bind_integers(g, g->position, NULL, (int64_t)from, one ? 1 : count, &g->places);
}

// Runs on `count` ids that follow the cached ones; without caches on all up to there.
static pir_status run_next(pir_generation *g, size_t count) {
  size_t from = g->cache_count ? g->cached : 0, all = g->cached + count - from;
  PIR_TRY(bind_integers(g, g->ids, (int64_t *)g->history.data + from, 0, all, &g->fed));
  if (g->position != NONE)
    PIR_TRY(bind_position(g, from, all));
  PIR_TRY(pir_generation_run(g));
  g->cached += count;
  return PIR_OK;
}

// The ids that each run takes where the model states several, and has caches; else 0.
static size_t ids_in_run(const pir_generation *g) {
  const pir_port *port = &g->session->model->plan.inputs[g->ids].port;
  int64_t fixed = port->shape[port->rank - 1];
  return fixed > 0 && g->cache_count ? (size_t)fixed : 0;
}

static pir_status refuse_count(pir_generation *g, size_t each, size_t waiting) {
  return GENERATION_FAIL(g, PIR_INVALID, "input %u \"%s\" has %zu ids in each run, not %zu",
                         g->ids, g->session->model->plan.inputs[g->ids].port.name.data, each,
                         waiting);
}

// Runs on all ids that are not cached yet. What a failed run was given is dropped.
static pir_status run_rest(pir_generation *g) {
  size_t each = ids_in_run(g);
  pir_status status = PIR_OK;
  while (!status && g->cached < g->length) {
    size_t left = g->length - g->cached;
    if (left < each)
      return refuse_count(g, each, left);
    status = run_next(g, each ? each : left);
  }
  return status;
}

pir_status pir_generation_feed(pir_generation *g, const int64_t *ids, size_t count) {
  if (!g)
    return PIR_INVALID;
  g->session->frame.message.text[0] = 0;
  if (!ids || !count)
    return GENERATION_FAIL(g, PIR_INVALID, "no ids are given");
  if (g->search.has_begun)
    return GENERATION_FAIL(g, PIR_INVALID, "nothing can be fed behind a search");
  size_t before = g->length, rest = g->length - g->cached + count, each = ids_in_run(g);
  if (each && rest % each)
    return refuse_count(g, each, rest);
  uint64_t start = pir_exec_now_ns();
  pir_status status = pir_generation_append(g, ids, count, g->search.beams ? 0 : count);
  if (!status)
    status = run_rest(g);
  g->stats.feed_ns += pir_exec_now_ns() - start;
  if (status) {
    g->length = g->cached > before ? g->cached : before;
    return status;
  }
  g->stats.fed_tokens += count;
  g->answered = 0;
  memset(g->ended, 0, g->sequences * sizeof *g->ended);
  return PIR_OK;
}

// ---- choices

pir_status pir_generation_find_logits(pir_generation *g, pir_tensor *out_logits,
                                      int64_t *out_first, int64_t *out_apart) {
  PIR_TRY(pir_session_output(g->session, g->logits, out_logits));
  int64_t ids = out_logits->rank ? out_logits->shape[out_logits->rank - 1] : 0;
  int64_t n = pir_tensor_numel(out_logits), rows = ids > 0 ? n / ids : 0;
  if (rows < 1 || rows % (int64_t)g->sequences)
    return GENERATION_FAIL(g, PIR_INVALID, "output %u \"%s\" has no logits for %zu sequences",
                           g->logits, g->session->model->plan.outputs[g->logits].port.name.data,
                           g->sequences);
  *out_apart = rows / (int64_t)g->sequences * ids;
  *out_first = *out_apart - ids;
  PIR_TRY(pir_generation_hold(g, &g->candidates, (size_t)ids * sizeof *g->choice.room));
  PIR_TRY(pir_generation_hold(g, &g->seen, (size_t)ids));
  g->choice.room = g->candidates.data;
  g->choice.seen = g->seen.data;
  g->choice.ids = ids;
  return PIR_OK;
}

pir_status pir_generation_refuse_logits(pir_generation *g) {
  return GENERATION_FAIL(g, PIR_INVALID,
                         "output %u \"%s\" has no largest logit for the next token", g->logits,
                         g->session->model->plan.outputs[g->logits].port.name.data);
}

static bool is_stop(const pir_generation *g, int64_t id) {
  return g->stop_count && bsearch(&id, g->stops, g->stop_count, sizeof id, by_id);
}

// A sequence that has ended draws too, so that others do not depend on when it did.
static pir_status choose_ids(pir_generation *g, int64_t *out_ids) {
  pir_tensor logits;
  int64_t first = 0, apart = 0;
  PIR_TRY(pir_generation_find_logits(g, &logits, &first, &apart));
  for (size_t i = 0; i < g->sequences; i++) {
    out_ids[i] = pir_choose_token(&g->choice, &logits, first + (int64_t)i * apart,
                                  (id_row){ids_of(g, i), g->length}, &g->session->generator);
    if (out_ids[i] < 0)
      return pir_generation_refuse_logits(g);
  }
  return PIR_OK;
}

// Ends sequences at their stop ids. Returns whether any goes on; the program is then fed the
// ids of all.
static bool end_sequences(pir_generation *g, int64_t *out_ids) {
  bool goes_on = false;
  for (size_t i = 0; i < g->sequences; i++) {
    g->ended[i] |= is_stop(g, out_ids[i]);
    goes_on |= !g->ended[i];
    if (g->ended[i])
      out_ids[i] = PIR_NO_TOKEN;
  }
  return goes_on;
}

static bool has_ended(const pir_generation *g) {
  bool ended = true;
  for (size_t i = 0; i < g->sequences; i++)
    ended &= g->ended[i];
  return ended || (g->max_tokens && g->answered >= g->max_tokens);
}

// The choice needs the logits of the last token.
pir_status pir_generation_run_made(pir_generation *g) {
  if (g->cached == g->length)
    return PIR_OK;
  PIR_TRY(run_rest(g));
  g->stats.steps++;
  return PIR_OK;
}

// The room comes first, so that a call that failed for it has drawn nothing.
static pir_status make_ids(pir_generation *g, int64_t *out_ids, bool *out_ends) {
  PIR_TRY(pir_generation_run_made(g));
  PIR_TRY(pir_generation_make_id_room(g, 1));
  PIR_TRY(choose_ids(g, out_ids));
  PIR_TRY(pir_generation_append(g, out_ids, 1, 1));
  *out_ends = !end_sequences(g, out_ids);
  if (*out_ends) {
    g->length--;  // nothing follows a stop id
    return PIR_OK;
  }
  g->stats.made_tokens++;
  g->answered++;
  return PIR_OK;
}

pir_status pir_generation_next(pir_generation *g, int64_t *out_ids) {
  if (!g || !out_ids)
    return PIR_INVALID;
  g->session->frame.message.text[0] = 0;
  if (!g->has_logits && g->cached == g->length)
    return GENERATION_FAIL(g, PIR_INVALID, "there are no logits: no ids were fed, or in vain");
  if (g->search.beams)
    return GENERATION_FAIL(g, PIR_INVALID, "beams are made by pir_generation_search");
  if (has_ended(g))
    return GENERATION_FAIL(g, PIR_NOT_FOUND, "the answer has ended");
  uint64_t start = pir_exec_now_ns();
  bool ends = false;
  pir_status status = make_ids(g, out_ids, &ends);
  g->stats.make_ns += pir_exec_now_ns() - start;
  return ends ? GENERATION_FAIL(g, PIR_NOT_FOUND, "the answer has ended") : status;
}

pir_status pir_generation_stats_of(const pir_generation *g, pir_generation_stats *out_stats) {
  if (!g)
    return PIR_INVALID;
  pir_generation_stats stats = g->stats;
  stats.sequences = g->sequences;
  stats.cached_tokens = g->cached;
  pir_generation_measure_caches(g, &stats);
  return pir_sized_write(out_stats, &stats, sizeof stats);
}
