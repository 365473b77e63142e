// Generation of tokens: a session runs a program that scores the next token, again and again
// (docs/explain/generation.md).
//
//   pir_generation_options how = {.size = sizeof how, .max_tokens = 100};
//   pir_generation *g;
//   pir_generation_create(session, &how, &g);
//   pir_generation_feed(g, prompt, count);
//   while (!(status = pir_generation_next(g, &id)))
//     ..
//   pir_generation_destroy(g);
//
// The program has an input of ids, int64 or int32 of shape [tokens] or [sequences, tokens]; an
// output of logits, the scores of all ids, whose rows for a sequence end with the one of its
// last token; and caches: outputs that are inputs of the next run (pir_session_alias). Without
// caches each run is fed all ids so far. Failures are told by pir_session_message. Until a
// generation is destroyed, only it runs its session, on one thread at a time.
#ifndef PIR_GENERATION_H
#define PIR_GENERATION_H

#include <pir/engine/model.h>

PIR_BEGIN

typedef struct pir_generation pir_generation;

// A cache: an output that is an input of the next run.
typedef struct pir_cache_ports {
  // Names of the ports.
  const char *output, *input;
} pir_cache_ports;

// The id of a sequence that has ended.
#define PIR_NO_TOKEN ((int64_t)-1)

// How tokens are made. The zero value, but for `size`, means all defaults. Nothing is kept but
// `sink`.
typedef struct pir_generation_options {
  // sizeof(pir_generation_options) (pir/base.h).
  size_t size;
  // The input of ids; NULL: the only one of integers that is not `position`, or of several the
  // only one that is not bound.
  const char *ids;
  // The output of logits; NULL: the first one.
  const char *logits;
  // An input of integers that is given places, which count from 0: the place of each id, or, if
  // its last axis has one element, the number of tokens before. NULL: there is none.
  const char *position;
  // The caches; NULL: the outputs but the logits continue, in their order, the inputs that are
  // no integers. A cache begins with the tensor that is bound to its input, into whose memory
  // ops that work in place write.
  const pir_cache_ports *caches;
  // Entries of `caches`.
  size_t cache_count;
  // Sequences that are made at the same time, with prompts of one length; 0: 1. Where the first
  // of the ids' two axes is fixed, it has as many elements.
  size_t sequences;
  // Tokens that each cache that grows in its place has room for; 0: it grows as needed
  // (pir_session_alias). Caches that are written in place, or copied, take none.
  int64_t room;
  // Tokens of one answer; 0: any number.
  size_t max_tokens;
  // Ids that end a sequence, and are no part of it.
  const int64_t *stops;
  // Entries of `stops`.
  size_t stop_count;
  // 0: each token is the first of those with the largest logit. Else logits are divided by the
  // temperature, and a token is drawn by its probability. Probabilities are float32, and are
  // summed as such from the largest on, as the op top_p_sampling does: in a long flat tail the
  // rounding of the sum shifts the shares of single ids.
  double temperature;
  // Only so many of the largest logits, of equal ones the smaller ids; 0: all.
  size_t top_k;
  // Only the most probable of those, up to this sum of probabilities; 0: all, as 1. The id with
  // which the sum passes it is drawn by the rest up to there.
  double top_p;
  // Logits of ids that the sequence has are divided by it if positive, else multiplied (Keskar
  // et al., CTRL, 2019); 0: unchanged, as 1.
  double repetition_penalty;
  // Where not 0, the session's random numbers start anew from it, as with `seed` of
  // pir_session_options.
  uint64_t seed;
  // Hears for which caches the session cannot keep the place, so that each run copies them.
  pir_diag_sink sink;
  // Not 0: sequences that a search keeps at the same time (pir_generation_search), at most 64.
  // The ids' first axis has as many elements, or varies. Excludes `temperature` and several
  // `sequences`.
  size_t beams;
  // Of a search: the sum of the log probabilities of an answer is divided by this power of the
  // number of its tokens, a stop id included (Wu et al., Google's Neural Machine Translation
  // System, 2016, without its constant). 0: sums are compared; above 0 favours long answers.
  // From -100 to 100.
  double length_penalty;
  // Ends a search with as many answers as beams, though others may still pass them. Without
  // `max_tokens` a search needs stops, and with a power above 0 this.
  bool early_stop;
} pir_generation_options;

// Starts to generate. `options` may be NULL. An input of a cache that nothing is bound to is
// empty: zeros of the extents that the model states, of `sequences` where an extent has the
// name of the ids' first axis, and of 0 where it varies otherwise. All other inputs must be
// bound. On success the caller destroys *out_generation before the session, else it is NULL.
// PIR_INVALID: bad options, a port in two caches, or a cache that is aliased already.
// PIR_NOT_FOUND: there is no such port. PIR_UNSUPPORTED: ids of another type or rank, or logits
// that are no floats. PIR_EXHAUSTED: no memory.
PIR_API PIR_NODISCARD pir_status pir_generation_create(pir_session *session,
                                                       const pir_generation_options *options,
                                                       pir_generation **out_generation);
// Ends the aliases of the caches, frees their memory, and unbinds what the generation has
// bound. NULL does nothing.
PIR_API void pir_generation_destroy(pir_generation *generation);

// Runs the program on the next `count` ids of each sequence, sequence by sequence: a prompt, or
// a question behind an answer. A model with caches whose ids have a fixed number of tokens runs
// as often as needed; `count`, and the token that was made last, are a multiple of it.
// Sequences that had ended go on. PIR_INVALID: no ids, no such multiple, a negative id, one
// that the input's type cannot hold, or as pir_session_run, which names the op that an id is
// out of range for. PIR_EXHAUSTED: no room in a cache, or no memory. PIR_CANCELLED: the
// session's flag was set. After a failure no id of the run that failed counts. Where some
// caches are kept in their place and there was no memory for the copy of another, all later
// runs are PIR_INVALID.
PIR_API PIR_NODISCARD pir_status pir_generation_feed(pir_generation *generation,
                                                     const int64_t *ids, size_t count);
// Makes one token more of each sequence, after a run on the tokens before: out_ids has an entry
// for each sequence, which is PIR_NO_TOKEN where it has ended. PIR_NOT_FOUND: all have ended,
// or the answer has `max_tokens`. PIR_INVALID: nothing was fed, the model takes more than the
// one id that was made, the logits do not fit, or no logit is the largest. Else it fails as
// pir_generation_feed, and may be called again.
PIR_API PIR_NODISCARD pir_status pir_generation_next(pir_generation *generation,
                                                     int64_t *out_ids);

// An answer of a search.
typedef struct pir_beam {
  // The ids behind the prompt, without a stop id. They are the generation's, until it is
  // destroyed.
  const int64_t *ids;
  // Entries of `ids`.
  size_t count;
  // The sum of their log probabilities and of the stop id's, divided as `length_penalty` says.
  double score;
} pir_beam;

// Searches for the most probable answers to the prompt that was fed: from each step to the next
// go the `beams` continuations with the largest sums of log probabilities (computed in double;
// of equal ones the first row's and id's), as the op beam_search chooses. One by a stop id
// that is among these is an answer. It ends at `max_tokens`, where beams are answers too, or
// when no beam can pass the worst of `beams` answers, or with these by `early_stop`. Writes the
// best answers, at most `count`, and their number. Beams are rows of the model; the rows of
// caches that change are copied in their place in each step, at most `beams` - 1, along the
// axis of the cache that has the name of the ids' first one, or else the only one that may have
// `beams` elements; where several may, pir_generation_create is PIR_UNSUPPORTED. `out_beams`
// may be NULL where `count` is 0. PIR_INVALID: no beams, nothing was fed, a run gave a cache
// that has not `beams` elements along its axis, or as pir_generation_next. PIR_CANCELLED and
// PIR_EXHAUSTED: a step is made as a whole or not, and the next call goes on.
// After the search nothing more can be fed; another call returns its answers again.
PIR_API PIR_NODISCARD pir_status pir_generation_search(pir_generation *generation,
                                                       pir_beam *out_beams, size_t count,
                                                       size_t *out_count);

// Numbers about a generation.
typedef struct pir_generation_stats {
  // sizeof(pir_generation_stats), set by the caller (pir/base.h).
  size_t size;
  // Sequences; ids of each that were fed, and that were made; tokens that the caches hold.
  uint64_t sequences, fed_tokens, made_tokens, cached_tokens;
  // Runs on made tokens, and nanoseconds that feeding took, and those runs with the choices.
  uint64_t steps, feed_ns, make_ns;
  // Bytes of the caches, and those that each run copies.
  uint64_t cache_bytes, copied_bytes;
} pir_generation_stats;

// Sets *out_stats to the numbers so far. PIR_INVALID: *out_stats has no size.
PIR_API PIR_NODISCARD pir_status pir_generation_stats_of(const pir_generation *generation,
                                                         pir_generation_stats *out_stats);

PIR_END
#endif
