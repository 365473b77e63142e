// The next token by the logits of the last one.
#ifndef PIR_CHOOSE_TOKEN_H
#define PIR_CHOOSE_TOKEN_H

#include <pir/layer/random.h>
#include <pir/layer/ranked.h>
#include <pir/engine/tensor.h>

typedef struct choice {
  double temperature, top_p, penalty;  // 0: the largest logit; 1: all; 1: none
  int64_t top_k;                       // 0: all
  // Memory of the owner's, for the ids of a row of logits.
  pir_candidate *room;
  uint8_t *seen;
  int64_t ids;
} choice;

// The ids of a sequence so far.
typedef struct id_row {
  const int64_t *ids;
  size_t count;
} id_row;

// Chooses among the `ids` elements of `logits` from element `first` on; -1: none is the
// largest. A draw takes one number. O(ids), and O(log ids) for each place that is looked at.
int64_t pir_choose_token(choice *c, const pir_tensor *logits, int64_t first, id_row before,
                         pir_generator *numbers);
// Sets `room` to the log probabilities of the ids, in their order, in double: NaN is -infinity,
// beside an infinite logit there is nothing else, and without a largest one all are -infinity.
void pir_score_tokens(choice *c, const pir_tensor *logits, int64_t first, id_row before);

#endif
