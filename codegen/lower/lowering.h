// Lowers clauses to loop IR: the value of any element of any tensor of a group, as an
// expression. A value is either loaded from its buffer, or computed at the point of use from
// the clause of its op, recursively down to the buffers. The memo keeps the values that are
// already computed at a point. Nests (nest.c) and epilogues (contract/lower_contract.c) decide
// which elements are needed where.
#ifndef PIR_CODEGEN_LOWER_H
#define PIR_CODEGEN_LOWER_H

#include "loop_impl.h"

#include <vec.h>
#include <pir/layer/clause_types.h>
#include <pir/layer/codegen.h>
#include <pir/layer/tuning.h>

// State of a value of the group, beyond its fact.
typedef struct lower_value {
  const pir_value *value;
  int32_t slot;                 // the group's buffer that holds it, or -1
  bool written;                 // the group writes it: reading it back is no read-only access
  bool readable;                // the buffer holds it by the time it may be read
  uint8_t order[PIR_MAX_RANK];  // dims from outermost to innermost in memory
  bool placed;                  // it lies in a larger tensor, at
  pir_group_place place;
  loop_buffer *buffer;  // the group's buffer as an argument of `fn`
  loop_fn *fn;
  loop_buffer *row;  // scratch that holds the value's elements of the current row, whether or
                     // not it has a buffer; or NULL
  int8_t level;      // nests: how many reductions it waits for; -1: not yet known
  int8_t first;      // the first phase that wants it, or -1
  bool saved;        // kept in `row` after its first phase
  struct lower_step *step;  // an argument of a scan's region (nest.h), or NULL
  uint8_t *turn;  // a result that is the contraction's with its axes turned: the axis each of
                  // its own is, or NULL
} lower_value;

typedef struct lower_memo {
  const pir_value *value;  // NULL: `expr` is an index that was checked against an extent, and
  loop_expr **index;       // these are both
  loop_expr *guard, *expr;
} lower_memo;

typedef struct lowering {
  loop_module *m;
  const pir_target *target;
  pir_math math;
  const pir_facts *facts;
  pir_dims *dims;
  const pir_op *group;
  const char *prefix;  // prefix of function names if a module holds several groups; else NULL
  // interface
  PIR_VEC(lower_value *) values;
  PIR_VEC(pir_dim) args;         // run-time extents: args->dims
  PIR_VEC(pir_dim) equal;        // pairs of extents that must be equal
  PIR_VEC(pir_dim) temporaries;  // bytes; their slots follow the operands' and results'
  PIR_VEC(pir_group_bound) bounds;
  PIR_VEC(pir_device_packing) packings;  // devices: operands that are packed at load
  PIR_VEC(const char *) traps;           // message of a failed check, by its number - 1
  // where code goes
  loop_fn *fn;
  loop_block *block;
  PIR_VEC(lower_memo) memo;
  loop_expr *guard;      // the guard of loads; NULL: none
  loop_expr *condition;  // the enclosing conditionals' condition; becomes a guard if an index
                         // needs one
  loop_expr *row_index;  // position within `row` scratch of the element at
  loop_expr *const *row_point;  // this index; NULL: readers want no other one
  PIR_VEC(loop_expr *) holds;   // conditions that are known to hold in the loops around
  const loop_var *lanes;        // variable of the loop that will be vectorised, or NULL
  const pir_op *join;  // the join of which the enclosing loops compute only member join_part;
                       // or NULL
  int join_part;
  loop_expr *const *join_at;  // the loops' index along the axis of the join
  int depth;
  bool sums;                  // contractions are computed element by element: devices
  int sum_threads;            // neighbouring threads that share each reduction; 0: none do
  loop_expr *sum_thread;      // which of them one is
  int computed;               // number of computed elements, each an op at a point
  int64_t refuse_at, places;  // for tests: the place that refuses (0: none), and those passed
  const char *why;            // the first thing that cannot be lowered, and
  const pir_op *where;        // whose it is
  char how[256];              // description of the group's code for remarks
  PIR_VEC(pir_tuned) tuned;   // choices of its contractions, in a trial of tuning
} lowering;

void lower_init(lowering *l, loop_module *m, const pir_target *target, const pir_facts *facts,
                const pir_op *group);
void lower_fail(lowering *l, const pir_op *op, const char *why);
// Counts a place that can refuse; fails there if a test wants it.
void lower_count_place(lowering *l, const pir_op *op);
static inline bool lower_on_device(const lowering *l) {
  return l->target && l->target->device;
}

// Assigns slots: first the group's operands, then its results (the operands of its yield).
void lower_interface(lowering *l);
lower_value *lower_find(lowering *l,
                        const pir_value *value);  // NULL when nothing is known of it
lower_value *lower_add(lowering *l, const pir_value *value);
uint16_t lower_temporary(lowering *l, pir_dim bytes);
const pir_op *lower_yield(const lowering *l);

loop_expr *lower_dim(lowering *l, pir_dim dim);  // an extent: not negative
loop_expr *
lower_number(lowering *l,
             pir_dim number);  // any other number, an element of an integer tensor, say
const pir_fact *lower_fact(lowering *l, const pir_value *value);
loop_buffer *lower_buffer(lowering *l, lower_value *v);
// Returns the extent along d of the memory that holds the value: its home's, if it is placed.
pir_dim lower_room(lowering *l, const lower_value *v, int d);
// Returns the position of an element in the value's buffer.
loop_expr *lower_position(lowering *l, const lower_value *v, loop_expr *const *index);

// Directs code to `block` until lower_leave, which also drops the memo entries made there.
typedef struct lower_place {
  loop_block *block;
  size_t memo_count;
} lower_place;
lower_place lower_enter(lowering *l, loop_block *block);
void lower_leave(lowering *l, lower_place before);
// Starts a new function and clears the memo.
void lower_start(lowering *l, const char *stem, int64_t number);
// Returns the name of a function of the group.
const char *lower_name(lowering *l, const char *stem, int64_t number);

// Returns the element at `index` (one expression for each dim), in the value's dtype. Never
// NULL; check l->why.
loop_expr *lower_element(lowering *l, const pir_value *value, loop_expr *const *index);
// Computes and stores a result's element; with a non-temporal store if the result exceeds the
// last-level cache.
void lower_store(lowering *l, const pir_value *value, loop_expr *const *index);
// Prefetches the memory `ahead` elements after the element, if the tensor exceeds the L2 cache.
void lower_fetch(lowering *l, lower_value *v, loop_expr *const *index, loop_expr *ahead);
// Adds a memo entry: the value's element at `index` is `expr`, until lower_leave.
void lower_know(lowering *l, const pir_value *value, loop_expr *const *index, loop_expr *expr);

// ---- one op at one point: lower_clause.c, lower_index.c, lower_reduce.c

// A condition of the clause under which nodes are lowered.
typedef struct lower_assumption {
  int node;
  bool holds;
} lower_assumption;

typedef struct lower_site {
  lowering *l;
  const pir_op *op;
  size_t result;
  const pir_clause *clause;
  const pir_attr_value *attrs;
  const pir_fact *out;  // fact of the result
  loop_expr *const *out_index;
  int axes;  // rank of the space that aligned loads are indexed by
  loop_expr *axis[PIR_MAX_RANK];
  pir_dim axis_extent[PIR_MAX_RANK];
  loop_expr *vars[PIR_MAX_RANK];
  int8_t var_axis[PIR_MAX_RANK];  // the axis of the result that a variable is, or -1
  loop_expr *pack[PIR_MAX_RANK];  // index along each dim of the one pack
  pir_dim pack_extent[PIR_MAX_RANK];
  int pack_rank;
  int64_t d;       // PIR_I_D
  uint8_t *types;  // element types of value nodes
  loop_expr *acc, *count;
  bool reduces;
  loop_expr *in_range;  // condition for the point being combined; NULL: always true
  lower_assumption assumed[8];
  int assumed_count;
} lower_site;

// Opens the clause of an op's result. Returns false and sets l->why if there is none, or it
// cannot be lowered.
bool lower_open(lowering *l, const pir_op *op, size_t result, lower_site *out_site);
// The element of a constant that lists a few numbers; NULL: it is another op.
loop_expr *lower_listed_element(lowering *l, const pir_op *op, loop_expr *const *index);
loop_expr *lower_result(lower_site *s, loop_expr *const *index);
loop_expr *lower_index(lower_site *s, int node);
void lower_clause_trap(lower_site *s);  // the condition that stops the run: lower_range.c
// Devices: stops the run with a text behind the op's name where the condition holds.
void lower_trap(lower_site *s, const char *what, loop_expr *where);
loop_expr *lower_truth(lower_site *s, int node);          // value as a bool
bool lower_fixed(lower_site *s, int node, int64_t *out);  // an index that must be a constant
loop_expr *lower_clause_value(lower_site *s, int node, int type);
int lower_acc_type(const lower_site *s);
const pir_value *lower_operand(const lower_site *s, int k, int member);  // NULL when absent
int lower_members(const lower_site *s, int k);
// Joins: the axis along which members follow each other; and the begin of member `part` (ask
// for parts in order, from 0).
int64_t lower_join_axis(lower_site *s, int rank);
loop_expr *lower_join_begin(lower_site *s, int64_t axis, int part);
// a && b; NULL: always.
loop_expr *lower_both(lowering *l, loop_expr *a, loop_expr *b);
// 0 <= index < extent.
loop_expr *lower_in_range(lowering *l, loop_expr *index, loop_expr *extent);
// The run is refused unless a tensor's extent is 1 or equals the extent of the axis beside it.
void lower_expect_broadcast(lower_site *s, pir_dim extent, pir_dim axis);
// The run is refused unless an operand's extent exceeds an index from `least` to `most`, or
// there are no points.
void lower_expect_inside(lower_site *s, pir_dim least, pir_dim most, pir_dim extent,
                         pir_dim points, int operand);
// The run is refused unless the operand has one element, or there are no points.
void lower_expect_one(lower_site *s, const pir_fact *fact, int operand);
pir_dim lower_points(lower_site *s);  // the number of elements of the result
// The run is refused unless both extents are equal.
void lower_expect_equal(lowering *l, pir_dim a, pir_dim b);
// The run is refused unless extents are equal that an op's requirements take as equal.
void lower_expect_required(lowering *l, const pir_op *op);
// Checks the parts of an index that the run decides, and puts ones in their place that can be
// read at. lower_range.c
typedef struct lower_reach {
  loop_expr *guard;  // condition under which the element exists; NULL: always
  bool known;        // the other parts are known to be in range
} lower_reach;
lower_reach lower_settle_index(lower_site *s, const pir_node *load, const pir_fact *fact,
                               loop_expr **index);
// Whether the index of a load along dim d, which no tensor element decides, is inside its
// operand at all points, or becomes a condition on extents. False: it must be checked.
// lower_reach.c
bool lower_stays_inside(lower_site *s, const pir_node *load, const pir_fact *fact, int d);
// Notes that an index node holds, or does not, for the nodes lowered next; the caller restores
// s->assumed_count.
void lower_assume(lower_site *s, int node, bool holds);
// The element at a settled index; what conditions around the load leave out is not read.
loop_expr *lower_settled_element(lower_site *s, lower_reach reach, const pir_value *v,
                                 loop_expr *const *index);

// Computes the index of a load, one expression for each dim of its operand; false on failure.
bool lower_load_index(lower_site *s, const pir_node *load, const pir_fact *fact,
                      loop_expr **out_index);

// The iteration space of a reduction: extents of its axes, and which axes are reduced.
typedef struct lower_space {
  int rank;
  pir_dim extent[PIR_MAX_RANK];
  bool reduced[PIR_MAX_RANK];
  bool keep;
} lower_space;
bool lower_reduce_space(lower_site *s, lower_space *out_space);
// Whether a tensor of this shape has one element for each row of the space: its reduced axes
// are 1, or absent.
bool lower_is_row_shape(const pir_dims *dims, const lower_space *space, const pir_dim *shape,
                        int rank);
// Three steps: lower_sum_start makes a register, lower_sum_add adds the point s->axis /
// s->vars, lower_sum_end gives the result. A `count` register is made if points may be
// excluded.
typedef struct lower_sum {
  loop_buffer *acc, *count;
  loop_buffer *total;  // outside of a line: NULL
  int type;
} lower_sum;
void lower_sum_start(lower_site *s, lower_sum *sum);
// Points of a line are summed by themselves, then added to the total: the rounding error of a
// chain of additions grows with its length. `block` is the one in which the line's loop stands,
// before and behind it. Only sums of floats have lines; the others go on.
void lower_sum_begin_line(lower_site *s, lower_sum *sum, loop_block *block);
void lower_sum_end_line(lower_site *s, lower_sum *sum, loop_block *block);
void lower_sum_add(lower_site *s, lower_sum *sum);
loop_expr *lower_sum_end(lower_site *s, lower_sum *sum, loop_expr *points);
loop_expr *lower_reduced(lower_site *s,
                         loop_expr *const *index);  // all of it, as loops in place

// Windows (lower_window.c). lower_clip narrows the bounds of loops over reduced variables
// (NULL: none) to the points that count, and notes the conditions that hold inside.
// lower_open_condition returns the part of a condition that is not known to hold; NULL: none.
void lower_clip(lower_site *s, loop_var *const *vars, loop_expr **begins, loop_expr **ends);
loop_expr *lower_open_condition(lowering *l, loop_expr *condition);

// ---- groups without a contraction: nest.c

typedef struct lower_stage {
  loop_fn *fn;
  pir_dim units;
} lower_stage;

typedef PIR_VEC(lower_stage) lower_stages;

// Emits stages that compute and store every result of the group.
void lower_nests(lowering *l, lower_stages *stages);

// ---- constants that are packed when a model is loaded

typedef struct lower_packing {
  uint16_t operand;
  int64_t bytes;
  lower_stage stage;
} lower_packing;

typedef PIR_VEC(lower_packing) lower_packings;

// Computes the index that a clause with a single plain load reads for an index of its result;
// false if the clause has another form.
bool lower_moved_index(lower_site *s, loop_expr *const *index, const pir_fact **out_fact,
                       loop_expr **out);

#endif
