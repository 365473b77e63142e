// The sentences of a beam search: the steps of `beam_search`, kept in arrays, are followed from
// the last one back to the first, by the offsets that say which prefix a candidate continues.
// As Paddle's BeamSearchDecoder does. O(steps * beams).
#include <string.h>

#include "kernels.h"

enum { IDS, SCORES, OPERANDS };
enum { BEAM_SIZE, END_ID };

// A sentence of a source, from its end to its start.
typedef struct sentence {
  uint64_t candidate;  // of the step that was followed last
  int64_t length;
  int64_t *ids;
  double *scores;
} sentence;

typedef struct paths {
  const pir_kernel_call *call;
  const pir_tensor_array *steps[OPERANDS];
  int64_t count, sources, beams, end_id;
  sentence *sentences;  // `beams` of each source
  int64_t *found;       // of each source
  void *memory;
  size_t bytes;
} paths;

// ---- checks

static pir_status take_arrays(const pir_kernel_call *call, paths *p) {
  static const char *const names[] = {"ids", "scores"};
  for (int i = 0; i < OPERANDS; i++) {
    const pir_tensor *t = pir_kernel_in(call, i);
    if (!t || !t->data || t->dtype != PIR_UNDEFINED)
      return pir_kernel_fail(call, PIR_INVALID, "%s: %s: expects an array", call->op, names[i]);
    p->steps[i] = t->data;
  }
  p->count = (int64_t)p->steps[IDS]->count;
  if (p->count < 1 || p->steps[SCORES]->count != p->steps[IDS]->count)
    return pir_kernel_fail(call, PIR_INVALID,
                           "%s: ids and scores: expect as many steps each, and one at least; "
                           "found %zu and %zu",
                           call->op, p->steps[IDS]->count, p->steps[SCORES]->count);
  return PIR_OK;
}

static bool ascend(const uint64_t *offsets, size_t n, uint64_t most) {
  for (size_t i = 0; i < n; i++)
    if (offsets[i] > most || (i && offsets[i] < offsets[i - 1]))
      return false;
  return true;
}

static pir_status check_step(const paths *p, int64_t step) {
  const pir_tensor *ids = &p->steps[IDS]->items[step];
  const pir_tensor *scores = &p->steps[SCORES]->items[step];
  if (!ids->data || !scores->data)
    return pir_kernel_fail(p->call, PIR_INVALID, "%s: step %lld has nothing", p->call->op,
                           (long long)step);
  if (ids->dtype != PIR_I64 || !pir_dtype_is_float(scores->dtype))
    return pir_kernel_fail(p->call, PIR_INVALID,
                           "%s: step %lld: expects ids of int64 and scores of floats, found %s "
                           "and %s",
                           p->call->op, (long long)step, pir_dtype_name(ids->dtype),
                           pir_dtype_name(scores->dtype));
  bool fits = ids->lod_levels == 2 && ids->lod_sizes[0] > (size_t)p->sources &&
              ids->lod_sizes[1] > 0 && ids->lod[0][0] == 0 && ids->lod[1][0] == 0 &&
              ascend(ids->lod[0], ids->lod_sizes[0], ids->lod_sizes[1] - 1) &&
              ascend(ids->lod[1], ids->lod_sizes[1], (uint64_t)pir_tensor_numel(ids)) &&
              pir_tensor_numel(scores) >= pir_tensor_numel(ids);
  if (!fits)
    return pir_kernel_fail(p->call, PIR_INVALID,
                           "%s: step %lld: expects ids with offsets of %lld sources and of "
                           "their prefixes, and a score for each id",
                           p->call->op, (long long)step, (long long)p->sources);
  return PIR_OK;
}

static pir_status check_steps(paths *p) {
  const pir_tensor *first = &p->steps[IDS]->items[0];
  p->sources = first->data && first->lod_levels == 2 ? (int64_t)first->lod_sizes[0] - 1 : 0;
  p->beams = pir_kernel_int(p->call, BEAM_SIZE);
  p->end_id = pir_kernel_int(p->call, END_ID);
  if (p->beams < 1)
    return pir_kernel_fail(p->call, PIR_INVALID, "%s: beam_size: expects 1 at least",
                           p->call->op);
  for (int64_t i = 0; i < p->count; i++)
    PIR_TRY(check_step(p, i));
  if (p->sources < 1)
    return pir_kernel_fail(p->call, PIR_INVALID, "%s: ids: expects one source at least",
                           p->call->op);
  return PIR_OK;
}

static pir_status take_path_room(paths *p) {
  size_t all, words, bytes;
  bool large = __builtin_mul_overflow((size_t)p->sources, (size_t)p->beams, &all) ||
               __builtin_mul_overflow(all, (size_t)p->count, &words) ||
               __builtin_mul_overflow(words, 2 * sizeof(double), &words) ||
               __builtin_mul_overflow(all, sizeof *p->sentences, &bytes) ||
               __builtin_add_overflow(bytes, words, &bytes) ||
               __builtin_add_overflow(bytes, (size_t)p->sources * sizeof *p->found, &bytes);
  p->bytes = large ? 0 : bytes;
  p->memory = large ? NULL : pir_kernel_alloc(p->call, bytes);
  if (!p->memory)
    return pir_kernel_fail(p->call, PIR_EXHAUSTED, "%s: out of memory", p->call->op);
  memset(p->memory, 0, bytes);
  p->sentences = p->memory;
  p->found = (int64_t *)(p->sentences + all);
  int64_t *ids = p->found + p->sources;
  double *scores = (double *)(ids + (int64_t)all * p->count);
  for (size_t i = 0; i < all; i++) {
    p->sentences[i].ids = ids + (int64_t)i * p->count;
    p->sentences[i].scores = scores + (int64_t)i * p->count;
  }
  return PIR_OK;
}

// ---- the way back

static void add_path_word(const paths *p, int64_t step, sentence *s) {
  s->ids[s->length] = pir_tensor_int_at(&p->steps[IDS]->items[step], (int64_t)s->candidate);
  s->scores[s->length] =
      pir_tensor_float_at(&p->steps[SCORES]->items[step], (int64_t)s->candidate);
  s->length++;
}

// Starts a sentence with each candidate that a source has in its last step.
static pir_status start_sentences(paths *p, int64_t step, int64_t source) {
  const pir_tensor *ids = &p->steps[IDS]->items[step];
  const uint64_t *prefixes = ids->lod[1];
  for (uint64_t k = ids->lod[0][source]; k < ids->lod[0][source + 1]; k++)
    for (uint64_t c = prefixes[k]; c < prefixes[k + 1]; c++) {
      if (p->found[source] == p->beams)
        return pir_kernel_fail(p->call, PIR_INVALID,
                               "%s: step %lld: source %lld has more candidates than beam_size, "
                               "%lld",
                               p->call->op, (long long)step, (long long)source,
                               (long long)p->beams);
      sentence *s = &p->sentences[source * p->beams + p->found[source]++];
      s->candidate = c;
      add_path_word(p, step, s);
      s->candidate = k;
    }
  return PIR_OK;
}

// Puts the word before each sentence of a source. The end is kept once.
static pir_status continue_sentences(paths *p, int64_t step, int64_t source) {
  const pir_tensor *ids = &p->steps[IDS]->items[step];
  const uint64_t *prefixes = ids->lod[1];
  uint64_t k = ids->lod[0][source], end = ids->lod[0][source + 1];
  for (int64_t i = 0; i < p->found[source]; i++) {
    sentence *s = &p->sentences[source * p->beams + i];
    while (k < end && prefixes[k + 1] <= s->candidate)
      k++;
    if (k == end || s->candidate < prefixes[k])
      return pir_kernel_fail(p->call, PIR_INVALID,
                             "%s: step %lld: source %lld has no candidate %lld, which the next "
                             "step continues",
                             p->call->op, (long long)step, (long long)source,
                             (long long)s->candidate);
    if (pir_tensor_int_at(ids, (int64_t)s->candidate) != p->end_id)
      add_path_word(p, step, s);
    s->candidate = k;
  }
  return PIR_OK;
}

// Orders the sentences of a source by their last scores, the best first. Places that no
// candidate filled come last.
static void sort_sentences(const paths *p, int64_t source) {
  sentence *s = p->sentences + source * p->beams;
  for (int64_t i = 1; i < p->found[source]; i++) {
    sentence moved = s[i];
    int64_t k = i;
    for (; k > 0 && moved.scores[0] > s[k - 1].scores[0]; k--)
      s[k] = s[k - 1];
    s[k] = moved;
  }
}

// ---- results

static pir_status write_words(const paths *p, int result, int64_t total, pir_dtype dtype) {
  pir_tensor *out = pir_kernel_out(p->call, result);
  int64_t all = p->sources * p->beams, n = 0;
  if (!out)
    return PIR_OK;
  if (out->dtype != PIR_UNDEFINED)
    dtype = out->dtype;  // the stated one, which the readers expect
  PIR_TRY(pir_kernel_shape_result(p->call, out, dtype, &total, 1));
  uint64_t *offsets = pir_kernel_new_levels(p->call, out, p->sources, all);
  if (!offsets)
    return PIR_EXHAUSTED;
  for (int64_t i = 0; i < p->sources; i++)
    offsets[i + 1] = (uint64_t)((i + 1) * p->beams);
  for (int64_t i = 0; i < all; i++) {
    const sentence *s = &p->sentences[i];
    for (int64_t k = s->length - 1; k >= 0; k--, n++) {
      pir_tensor word = {.data = &s->ids[k], .dtype = PIR_I64}, place = {.dtype = dtype};
      if (result == SCORES)
        word = (pir_tensor){.data = &s->scores[k], .dtype = PIR_F64};
      place.data = (char *)out->data + n * (int64_t)pir_dtype_size(dtype);
      PIR_TRY(pir_tensor_copy(&word, &place));
    }
    offsets[p->sources + 1 + i + 1] = (uint64_t)n;
  }
  return PIR_OK;
}

static pir_status follow_paths(paths *p) {
  PIR_TRY(take_path_room(p));
  for (int64_t step = p->count - 1; step >= 0; step--)
    for (int64_t source = 0; source < p->sources; source++) {
      bool started = p->found[source] > 0;
      PIR_TRY(started ? continue_sentences(p, step, source) : start_sentences(p, step, source));
    }
  int64_t total = 0;
  for (int64_t source = 0; source < p->sources; source++)
    sort_sentences(p, source);
  for (int64_t i = 0; i < p->sources * p->beams; i++)
    total += p->sentences[i].length;
  PIR_TRY(write_words(p, IDS, total, PIR_I64));
  return write_words(p, SCORES, total, p->steps[SCORES]->items[0].dtype);
}

// operands: ids and scores, arrays of a tensor for each step, with offsets of sources and
// prefixes; attributes: beam_size, end_id; results: sentence_ids, sentence_scores, with offsets
// of sources and sentences
pir_status pir_kernel_beam_search_decode(const pir_kernel_call *call) {
  paths p = {.call = call};
  PIR_TRY(take_arrays(call, &p));
  PIR_TRY(check_steps(&p));
  pir_status status = follow_paths(&p);
  pir_kernel_free(call, p.memory, p.bytes);
  return status;
}
