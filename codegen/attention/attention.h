// Matches attention by structure: two contractions joined by a softmax over the rows of the
// scores.
//
//   first[.., i, j]  = sum over d of q[.., i, d] * k[.., j, d]
//   scores[.., i, j] = elementwise ops on first
//   e                = exp(scores - max over j of scores)
//   second[.., i, w] = sum over j of e / sum(e) * v[.., j, w]
//
// The match depends neither on the names of axes, nor on memory orders, nor on which ops
// compute it.
#ifndef PIR_ATTENTION_H
#define PIR_ATTENTION_H

#include "contract_lower.h"
#include "lowering.h"

enum { ATTENTION_MAX_CHAIN = 12 };

typedef struct attention {
  const pir_op *first, *second;
  const pir_op *max, *shift, *exp, *sum, *quotient;
  const pir_op *chain[ATTENTION_MAX_CHAIN];  // from the first sums to the scores
  int chain_count;
  const pir_value *scores;
  contraction one, two;
  const pir_value *q, *k, *v;
  const contract_tensor *q_map, *k_map, *v_map;  // of `one` and `two`
  int rank;                                      // of the scores
  // What its axes run over: extents of the second sums, and the keys. The scores and the first
  // sums may prove to have extent 1 where those have more.
  pir_dim shape[PIR_MAX_RANK], of_scores[PIR_MAX_RANK];
  int row, key;  // axes of the scores: i and j
  int in_one[PIR_MAX_RANK],
      in_two[PIR_MAX_RANK];  // the variable of each axis, or -1 (extent 1)
  int depth, width;          // d in `one`, w in `two`
  int64_t depth_extent, width_extent;
} attention;

// Whether the op is the second product of one whose scores nobody else reads. `l` is for
// looking only: what it is asked may fail.
bool attention_match(lowering *l, const pir_op *second, attention *out);
bool attention_has(const attention *a, const pir_op *op);

// A result that holds the elements of `sum` with its axes turned: the op that turns them, or
// NULL. out_from[d]: the axis of the sum that axis d of the result is.
const pir_op *attention_turn(lowering *l, const pir_value *sum, uint8_t out_from[PIR_MAX_RANK]);

// Stages of a group that consists of one. lower_attention.c
void lower_attention(lowering *l, const attention *a, lower_stages *stages);

#endif
