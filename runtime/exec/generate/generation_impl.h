// A generation: the ports of its session's model, its caches, and the ids so far.
#ifndef PIR_GENERATION_IMPL_H
#define PIR_GENERATION_IMPL_H

#include "choose_token.h"
#include "session_impl.h"

#include <pir/engine/generation.h>

typedef struct generation_cache {
  uint32_t output, input;
  bool is_copied;  // the session cannot keep its place
  bool is_bound;   // this generation has bound the input
  bool is_aliased;
  int batch_axis;     // of the sequences, where beams need it
  owned_block block;  // of an input that was empty, or of the copy
  owned_block next;   // larger, for the copy of this run
} generation_cache;

enum { MAX_BEAMS = 64 };

typedef struct beam_answer {
  double score;
  size_t count;  // of its ids
  size_t at;     // the row of `kept` that has them
} beam_answer;

// A continuation of a row by an id.
typedef struct beam_offer {
  double sum;
  size_t row;
  int64_t id;
} beam_offer;

// The best continuations, in order.
typedef struct beam_offers {
  beam_offer items[MAX_BEAMS];
  size_t count;
} beam_offers;

// A search (search.c).
typedef struct beam_search {
  size_t beams;  // 0: there is no search
  double penalty;
  bool stops_early, is_over;
  bool has_begun;          // a step was made
  bool is_broken;          // a step failed after it had changed rows
  size_t prompt;           // ids before the answers
  double sums[MAX_BEAMS];  // of log probabilities, of each row; -infinity: no beam
  beam_answer answers[MAX_BEAMS];
  size_t answer_count;
  owned_block kept;          // ids of the answers, `capacity` for each
  size_t capacity;           // of `kept`
  beam_offers offers, ends;  // of this step: that go on, that end by a stop id
} beam_search;

struct pir_generation {
  pir_session *session;
  uint32_t ids, logits, position;  // ports; position NONE: there is none
  size_t sequences, max_tokens, answered;
  int64_t room;
  int64_t *stops;  // sorted
  size_t stop_count;
  generation_cache *caches;
  size_t cache_count;
  choice choice;
  owned_block candidates, seen;  // of the choice
  owned_block history;           // ids of the sequences, `capacity` for each
  size_t capacity, length;       // ids that there is room for, that are there
  size_t cached;                 // ids that runs have been given
  owned_block fed, places;       // what the inputs of ids and of the position are bound to
  bool *ended;                   // of each sequence
  bool has_run;
  bool is_broken;   // some caches are those after a run, others those before
  bool has_logits;  // of the last token that was cached
  pir_diag_sink sink;
  pir_generation_stats stats;
  beam_search search;
  pir_arena memory;
};

// Finds the ports and the caches by the options, and the number of sequences (find_ports.c).
pir_status pir_generation_find_ports(pir_generation *g, const pir_generation_options *options);
// Fails with a message of the session.
#define GENERATION_FAIL(g, status, ...)                                                        \
  pir_exec_fail(&(g)->session->frame.message, status, __VA_ARGS__)

// Caches (carry.c). Binds those that nothing is bound to, and aliases them.
pir_status pir_generation_open_caches(pir_generation *g);
// Runs the session, and copies the caches that it does not keep. The first run may show that
// it cannot keep one that it took.
pir_status pir_generation_run(pir_generation *g);
// The bytes of the caches after a run.
void pir_generation_measure_caches(const pir_generation *g, pir_generation_stats *out_stats);
void pir_generation_close_caches(pir_generation *g);
// Makes a block hold `bytes`, which count for the session's limit; its contents are lost.
pir_status pir_generation_hold(pir_generation *g, owned_block *block, size_t bytes);
void pir_generation_drop(pir_generation *g, owned_block *block);

// Steps that next and search share (generation.c). The last one's tokens are run.
pir_status pir_generation_run_made(pir_generation *g);
pir_status pir_generation_make_id_room(pir_generation *g, size_t count);
// Appends ids, of each sequence `count` at a distance of `apart`.
pir_status pir_generation_append(pir_generation *g, const int64_t *ids, size_t count,
                                 size_t apart);
// Finds the logits of the last token of the first sequence, and their distance from sequence to
// sequence.
pir_status pir_generation_find_logits(pir_generation *g, pir_tensor *out_logits,
                                      int64_t *out_first, int64_t *out_apart);
// Fails since no logit is the largest.
pir_status pir_generation_refuse_logits(pir_generation *g);

// Beams (search.c).
pir_status pir_search_open(pir_generation *g, const pir_generation_options *options);

#endif
