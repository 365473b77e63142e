// What both lowerings of attention share: places, the elements that are read there, and where
// results go (attention_place.c).
#ifndef PIR_ATTENTION_IMPL_H
#define PIR_ATTENTION_IMPL_H

#include "attention.h"

// The place that is being emitted.
typedef struct attention_place {
  lowering *l;
  const attention *a;
  loop_expr *axis[PIR_MAX_RANK];     // index along each axis of the scores; NULL: not set
  loop_expr *first_row, *row_count;  // rows of the unit
} attention_place;

// Starts a function for the attention: its extents are expected to agree.
void attention_start(attention_place *p, int64_t number);
// Splits a unit's number into the block of rows and the remaining axes (batch and head).
// Returns the number of units.
pir_dim attention_split_unit(attention_place *p, loop_block *block, loop_expr *unit,
                             int64_t rows_of_unit);

// Stores one element: q or k at depth `other`, or v at width `other`; p->axis gives the other
// indices.
void attention_store(attention_place *p, loop_block *block, const contract_tensor *map,
                     loop_expr *other, loop_buffer *to, loop_expr *at);
// Whether adjacent lanes of the body read adjacent elements.
bool attention_reads_runs(const loop_block *body, const loop_var *lane);
// Returns the score at the place, whose sum is rows[at].
loop_expr *attention_score(attention_place *p, loop_block *block, loop_buffer *rows,
                           loop_expr *at);
// Passes a vector of results, which begins at `column` of the width, to the epilogue. The point
// states the value, its lanes and their mask.
void attention_finish(attention_place *p, loop_block *block, loop_expr *column,
                      contract_point *point);

// Returns n, rounded up to a multiple of `to`.
static inline int64_t attention_round_up(int64_t n, int64_t to) {
  return (n + to - 1) / to * to;
}

#endif
