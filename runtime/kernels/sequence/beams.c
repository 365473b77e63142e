// One step of a beam search: of all continuations of the beams of a source, the best ones.
// O(candidates * beam size).
#include <math.h>

#include "kernels.h"

enum { PRE_IDS, PRE_SCORES, IDS, SCORES, OPERANDS };
enum { SELECTED_IDS, SELECTED_SCORES, PARENTS };
enum { LEVEL, BEAM_SIZE, END_ID, ACCUMULATED };

// A continuation of the beam in row `row`.
typedef struct candidate {
  int64_t row, id;
  float score;
} candidate;

typedef struct search {
  const pir_kernel_call *call;
  pir_tensor in[OPERANDS];
  int64_t rows, width, beams, end_id, sources;
  bool accumulated;
  uint64_t *at;     // the rows of each source
  candidate *best;  // for each source, at most `beams`, the best one first
  int64_t *count;   // of each source
} search;

static bool is_worse(const candidate *a, const candidate *b) {
  return a->score < b->score || (a->score == b->score && a->row < b->row);
}

// Puts a candidate in its place; later ones come behind equal ones.
static void insert_candidate(const search *s, int64_t source, candidate c) {
  candidate *best = s->best + source * s->beams;
  int64_t n = s->count[source];
  if (n == s->beams && is_worse(&c, &best[n - 1]))
    return;
  if (n < s->beams)
    n = ++s->count[source];
  int64_t k = n - 1;
  for (; k > 0 && is_worse(&best[k - 1], &c); k--)
    best[k] = best[k - 1];
  best[k] = c;
}

// Adds the continuations of a beam. A finished one continues with the end alone.
static void continue_beam(const search *s, int64_t source, int64_t row) {
  const float *scores = (const float *)s->in[SCORES].data + row * s->width;
  const int64_t *ids = s->in[IDS].data;
  float before = ((const float *)s->in[PRE_SCORES].data)[row];
  if (((const int64_t *)s->in[PRE_IDS].data)[row] == s->end_id) {
    insert_candidate(s, source, (candidate){row, s->end_id, before});
    return;
  }
  for (int64_t d = 0; d < s->width; d++) {
    float score = s->accumulated ? scores[d] : before + logf(scores[d]);
    int64_t id = ids ? ids[row * s->width + d] : d;
    insert_candidate(s, source, (candidate){row, id, score});
  }
}

// Drops the beams of a source once all have ended a step before.
static void prune_source(const search *s, int64_t source) {
  const int64_t *before = s->in[PRE_IDS].data;
  const candidate *best = s->best + source * s->beams;
  for (int64_t i = 0; i < s->count[source]; i++)
    if (best[i].id != s->end_id || before[best[i].row] != s->end_id)
      return;
  s->count[source] = 0;
}

// The offsets of the sources as rows.
static pir_status find_sources(search *s) {
  const pir_tensor *scores = pir_kernel_in(s->call, SCORES);
  int64_t level = pir_kernel_int(s->call, LEVEL);
  if (level < 0 || level >= (int64_t)scores->lod_levels)
    return pir_kernel_fail(s->call, PIR_INVALID, "%s: scores: have no offsets of level %lld",
                           s->call->op, (long long)level);
  for (int64_t i = 0; i <= s->sources; i++) {
    uint64_t at = scores->lod[level][i];
    for (int64_t l = level + 1; l < (int64_t)scores->lod_levels; l++) {
      if (at >= scores->lod_sizes[l])
        at = UINT64_MAX;
      else
        at = scores->lod[l][at];
    }
    if (at > (uint64_t)s->rows || (i ? at < s->at[i - 1] : at != 0))
      return pir_kernel_fail(s->call, PIR_INVALID, "%s: scores: offsets go beyond the rows",
                             s->call->op);
    s->at[i] = at;
  }
  return PIR_OK;
}

static pir_status open_search(const pir_kernel_call *call, search *s) {
  static const pir_dtype types[] = {PIR_I64, PIR_F32, PIR_I64, PIR_F32};
  const pir_tensor *scores = pir_kernel_in(call, SCORES);
  int64_t level = pir_kernel_int(call, LEVEL);
  *s = (search){.call = call,
                .rows = scores->rank ? scores->shape[0] : 0,
                .beams = pir_kernel_int(call, BEAM_SIZE),
                .end_id = pir_kernel_int(call, END_ID),
                .accumulated = pir_kernel_int(call, ACCUMULATED)};
  int64_t n = pir_tensor_numel(scores);
  s->width = s->rows ? n / s->rows : 0;
  const pir_tensor *ids = pir_kernel_in(call, IDS);
  bool fits = s->beams > 0 && pir_tensor_numel(pir_kernel_in(call, PRE_IDS)) >= s->rows &&
              pir_tensor_numel(pir_kernel_in(call, PRE_SCORES)) >= s->rows &&
              (!ids || pir_tensor_numel(ids) == n);
  if (!fits)
    return pir_kernel_fail(call, PIR_INVALID,
                           "%s: expects a beam size, and an id and a score for each row",
                           call->op);
  if (level >= 0 && level < (int64_t)scores->lod_levels && scores->lod_sizes[level] > 0)
    s->sources = (int64_t)scores->lod_sizes[level] - 1;
  for (int i = 0; i < OPERANDS; i++) {
    const pir_tensor *t = pir_kernel_in(call, i);
    if (t)
      PIR_TRY(pir_kernel_dense(call, t, types[i], t->shape, t->rank, &s->in[i]));
  }
  return PIR_OK;
}

// Writes the candidates by row; within a row the best one comes first.
static pir_status write_beams(const search *s) {
  static const pir_dtype types[] = {PIR_I64, PIR_F32, PIR_I32};
  const pir_kernel_call *call = s->call;
  int64_t total = 0;
  for (int64_t i = 0; i < s->sources; i++)
    total += s->count[i];
  void *to[PARENTS + 1] = {NULL};
  uint64_t *levels[2] = {NULL};
  for (int r = 0; r <= PARENTS; r++) {
    pir_tensor *out = pir_kernel_out(call, r);
    if (!out)
      continue;
    PIR_TRY(pir_kernel_shape_result(call, out, types[r], (int64_t[]){total, 1},
                                    r < PARENTS ? 2 : 1));
    to[r] = out->data;
    if (r < PARENTS)
      levels[r] = pir_kernel_new_levels(call, out, s->sources, s->rows);
    if (r < PARENTS && !levels[r])
      return PIR_EXHAUSTED;
  }
  int64_t n = 0;
  for (int64_t source = 0; source < s->sources; source++)
    for (uint64_t row = s->at[source]; row < s->at[source + 1]; row++) {
      for (int64_t i = 0; i < s->count[source]; i++) {
        const candidate *c = &s->best[source * s->beams + i];
        if (c->row != (int64_t)row)
          continue;
        if (to[SELECTED_IDS])
          ((int64_t *)to[SELECTED_IDS])[n] = c->id;
        if (to[SELECTED_SCORES])
          ((float *)to[SELECTED_SCORES])[n] = c->score;
        if (to[PARENTS])
          ((int32_t *)to[PARENTS])[n] = (int32_t)row;
        n++;
      }
      for (int r = 0; r < 2; r++)
        if (levels[r])
          levels[r][s->sources + 1 + (int64_t)row + 1] = (uint64_t)n;
    }
  for (int r = 0; r < 2; r++)
    for (int64_t i = 0; i <= s->sources && levels[r]; i++)
      levels[r][i] = s->at[i];
  return PIR_OK;
}

static pir_status run_search(search *s) {
  PIR_TRY(find_sources(s));
  if (s->at[s->sources] != (uint64_t)s->rows)
    return pir_kernel_fail(s->call, PIR_INVALID, "%s: scores: offsets end before the rows",
                           s->call->op);
  for (int64_t source = 0; source < s->sources; source++) {
    s->count[source] = 0;
    for (uint64_t row = s->at[source]; row < s->at[source + 1]; row++)
      continue_beam(s, source, (int64_t)row);
    prune_source(s, source);
  }
  return write_beams(s);
}

// operands: pre_ids and pre_scores [rows, 1], ids (absent: the column) and scores [rows,
// width], whose offsets say which rows belong to a source; attributes: level, beam_size,
// end_id, is_accumulated; results: selected_ids, selected_scores, parent_idx
pir_status pir_kernel_beam_search(const pir_kernel_call *call) {
  search s;
  pir_status status = open_search(call, &s);
  size_t offsets = (size_t)(s.sources + 1) * sizeof *s.at;
  size_t counts = (size_t)(s.sources + 1) * sizeof *s.count, best;
  bool large = __builtin_mul_overflow(s.sources, s.beams, &best) ||
               __builtin_mul_overflow(best, sizeof *s.best, &best);
  if (!status && large)
    status = pir_kernel_fail(call, PIR_EXHAUSTED, "%s: beam_size: too large", call->op);
  if (!status) {
    s.at = pir_kernel_alloc(call, offsets);
    s.count = pir_kernel_alloc(call, counts);
    s.best = pir_kernel_alloc(call, best);
    if (!s.at || !s.count || !s.best)
      status = pir_kernel_fail(call, PIR_EXHAUSTED, "%s: out of memory", call->op);
  }
  if (!status)
    status = run_search(&s);
  pir_kernel_free(call, s.at, offsets);
  pir_kernel_free(call, s.count, counts);
  pir_kernel_free(call, s.best, best);
  for (int i = 0; i < OPERANDS; i++)
    pir_kernel_drop(call, &s.in[i]);
  return status;
}
