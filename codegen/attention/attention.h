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
  const pir_op *chain[ATTENTION_MAX_CHAIN];  // the ops between the two contractions, in order
  int chain_count;
  const pir_value *scores;
  contraction one, two;
  const pir_value *q, *k, *v;
  const contract_tensor *q_map, *k_map, *v_map;  // tensors of the contractions `one` and `two`
  int rank;                                      // rank of the scores
  // Extents of the second sums' axes; and the scores' extents with the number of keys. The
  // scores and the first sums may turn out at run time to have extent 1 along an axis where
  // these are longer (broadcast).
  pir_dim shape[PIR_MAX_RANK], of_scores[PIR_MAX_RANK];
  int row, key;  // axes of the scores: i and j
  int in_one[PIR_MAX_RANK],
      in_two[PIR_MAX_RANK];  // the variable of each axis, or -1 (extent 1)
  int depth, width;          // d in `one`, w in `two`
  int64_t depth_extent, width_extent;
} attention;

// Matches attention whose second product is `second` and whose scores nobody else reads. `l` is
// used for queries only; lowering may fail in it without consequence.
bool attention_match(lowering *l, const pir_op *second, attention *out);
bool attention_has(const attention *a, const pir_op *op);

// Returns the op that only permutes the axes of `sum`, or NULL. out_from[d] is the axis of the
// sum that becomes axis d of the op's result.
const pir_op *attention_turn(lowering *l, const pir_value *sum, uint8_t out_from[PIR_MAX_RANK]);

// Emits the stages of an attention group (lower_attention.c).
void lower_attention(lowering *l, const attention *a, lower_stages *stages);

// The same for a device, and whether it can (attention_device.c).
void lower_attention_device(lowering *l, const attention *a, lower_stages *stages);
bool attention_fits_device(const attention *a);

#endif
