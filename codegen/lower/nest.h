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
// Opens a loop of which each thread of the team takes one iteration, its own number.
loop_block *lower_open_team(lowering *l, loop_block *block, loop_expr **out_thread);
// Lets each thread of a stage that has just been opened finish a point before the next one: the
// registers of a thread do not suffice for many long ones at once.
void lower_take_turns(lowering *l);
// Starts a stage over the elements of the tensor, and enters the block of one.
lower_place lower_open_elements(lowering *l, const pir_fact *of, lower_axes *out,
                                lower_stages *stages);
bool lower_is_stored(lowering *l, const pir_value *result);  // whether the group yields it
// Stores an element of a result, converted to its type, unless nothing reads the result.
void lower_store_element(lowering *l, const pir_value *result, loop_expr *const *index,
                         loop_expr *e);
// The number of points, and the index of the point whose row-major number is `at`.
loop_expr *lower_points_extent(lowering *l, const lower_axes *p);
void lower_set_points(lowering *l, lower_axes *p, loop_expr *at);

// ---- scans, scatters and kernels of devices: lower_stages.c, lower_kernels.c, lower_steps.c

// Emit the stages that compute and store the op's results.
void lower_scan(lowering *l, const pir_op *op, lower_stages *stages);
void lower_updates(lowering *l, const pir_op *op, lower_stages *stages);
bool lower_has_kernel(const pir_op *op);  // whether a device has a form of the op's kernel
void lower_kernel(lowering *l, const pir_op *op, lower_stages *stages);
// Kernels that read a map at computed positions, with their attributes: lower_boxes.c
typedef void lower_kernel_stages(lowering *l, const pir_op *op, const pir_attr_value *attrs,
                                 lower_stages *stages);
lower_kernel_stages lower_prior_box, lower_roi_align, lower_deformable_conv;
bool lower_has_steps(const pir_op *op);  // whether it is a scan of a region: lower_steps.c
void lower_steps(lowering *l, const pir_op *op, lower_stages *stages);

// An argument of a scan's region. It is an element of a sequence at a step, or a row of
// a state, which lies in shared memory.
typedef struct lower_step {
  const pir_value *value;
  const pir_value *sequence;  // NULL: it is a state
  loop_expr *at;              // the step; of a state the row, the only one that may be read
  loop_buffer *memory;        // of a state, whose first element of the row
  loop_expr *begin;           // is here
} lower_step;

loop_expr *lower_step_element(lowering *l, const lower_step *step, loop_expr *const *index,
                              int rank);

#endif
