// Types and functions that the files which make loop nests share: a nest's space and its
// levels; and stages of devices over the points of a space.
#ifndef PIR_NEST_H
#define PIR_NEST_H

#include "lowering.h"

#define MAX_OUTPUTS 64

typedef struct level {
  int dims[PIR_MAX_RANK];  // merged ones, outermost first
  int count;
  bool reduced;
} level;

typedef struct nest {
  lowering *l;
  int rank;
  pir_dim extent[PIR_MAX_RANK];
  bool reduced[PIR_MAX_RANK];
  uint8_t order[PIR_MAX_RANK];
  level levels[PIR_MAX_RANK];
  int level_count;
  const pir_value *outputs[MAX_OUTPUTS];
  int output_count;
  const pir_op *reductions[MAX_OUTPUTS];
  int reduction_count;
  loop_expr *index[PIR_MAX_RANK];  // index of the current point
  const pir_op *join, *list;       // if set, the nest computes one member of this joined list,
  int join_axis;                   // along this axis;
  pir_dim join_extent;             // the extent of all members,
  loop_expr *join_begin;           // and where the current one begins
} nest;

static inline pir_dim canonical(const nest *n, pir_dim d) {
  return pir_dim_canonical(n->l->dims, d);
}

static inline bool is_one(const nest *n, pir_dim d) {
  int64_t c;
  return pir_dim_is_const(n->l->dims, d, &c) && c == 1;
}

static inline bool is_inside(const nest *n, const pir_value *v) {
  const pir_op *op = pir_value_op(v);
  return op && pir_op_parent(op) == n->l->group;
}

// Computes the levels from extents, order and reduced dims. nest_levels.c
void nest_find_levels(nest *n);

// ---- nest_phases.c

// Number of reductions, one after the other, on which the value depends.
int nest_level_of(nest *n, const pir_value *value);
// Whether the value has all elements of the nest's space.
bool nest_is_full(const nest *n, const pir_value *value);
// Returns the last phase, and notes the values that each phase needs; those that are costly to
// compute again are marked as saved if they may be. A reduction whose result has level p + 1 is
// accumulated in phase p.
int nest_plan_phases(nest *n, bool may_save);

// ---- stages of devices over points: lower_stages.c

// Some axes of a space, outermost first.
typedef struct lower_axes {
  int count;
  pir_dim extent[PIR_MAX_RANK];
  loop_expr *index[PIR_MAX_RANK];  // of the current point
} lower_axes;

// Starts a stage whose units are single points, each with a team of so many threads. Returns
// the block of a unit.
loop_block *lower_open_points(lowering *l, lower_axes *p, int threads, lower_stages *stages);
// Starts a stage that shares the points among threads, several adjacent ones a unit. Returns
// the block of a point.
loop_block *lower_open_lanes(lowering *l, lower_axes *p, lower_stages *stages);

#endif
