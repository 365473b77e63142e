// The elements of a row in falling order, ordered as far as a caller asks for them, and a
// choice among the most probable, as the op top_p_sampling makes it.
#ifndef PIR_RANKED_H
#define PIR_RANKED_H

#include <pir/base.h>

PIR_BEGIN

// An element of a row.
typedef struct pir_candidate {
  // What elements are ordered by.
  double value;
  // Its place in the row.
  int64_t at;
} pir_candidate;

// A heap, whose first element is the greatest. The elements that were taken lie behind it, the
// greatest last.
typedef struct pir_ranking {
  // Memory of the caller for `count` candidates.
  pir_candidate *heap;
  // Candidates, and those that were taken.
  int64_t count, taken;
} pir_ranking;

// Orders the candidates that the heap was filled with, in any order. O(count).
PIR_API void pir_ranking_begin(pir_ranking *ranking);
// Returns the candidate at a place of the order, below `count`: greater values first, of equal
// ones the first in the row, NaN last. O(log count) for each place that was not asked for yet.
PIR_API const pir_candidate *pir_ranking_at(pir_ranking *ranking, int64_t place);
// Returns the place at which the sum of probabilities, the values, reaches share * p (Paddle's
// top_p_sampling, mode "truncated"): `share` is a random number in (0, 1]. A place below the
// threshold gives way to the last one that is not, or the first. The first, too, if the sum
// does not reach it. Sums are f32, in the order of places.
PIR_API int64_t pir_ranking_reach(pir_ranking *ranking, float p, float threshold, float share);

PIR_END
#endif
