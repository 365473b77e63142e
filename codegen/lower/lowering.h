// Lowers clauses to loop IR: the value of any element of any tensor of a group, as an
// expression. A value is either loaded from its buffer, or computed at the point of use from
// the clause of its op, recursively down to the buffers. The memo keeps the values that are
// already computed at a point. Nests (nest.c) and epilogues (contract/lower_contract.c) decide
// which elements are needed where.
#ifndef PIR_CODEGEN_LOWER_H
#define PIR_CODEGEN_LOWER_H

#include "loop_impl.h"

#include <vec.h>
#include <pir/clause_types.h>
#include <pir/codegen.h>

// What is known of a value of the group beside its fact.
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
  loop_buffer *row;  // scratch that holds its elements of the row at hand, whether it has a
                     // buffer or not; or NULL
  int8_t level;      // nests: how many reductions it waits for; -1: not yet known
  int8_t first;      // the first phase that wants it, or -1
  bool saved;        // kept in `row` after its first phase
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
  const char
      *prefix;  // of the names of its functions, where a module holds several groups; or NULL
  // interface
  PIR_VEC(lower_value *) values;
  PIR_VEC(pir_dim) args;         // run-time extents: args->dims
  PIR_VEC(pir_dim) equal;        // pairs of extents that must be equal
  PIR_VEC(pir_dim) temporaries;  // bytes; their slots follow those of operands and results
  PIR_VEC(const char *) traps;   // what is said of a check that fails, by its number - 1
  // where code goes
  loop_fn *fn;
  loop_block *block;
  PIR_VEC(lower_memo) memo;
  loop_expr *guard;      // loads happen where it holds; NULL: everywhere
  loop_expr *condition;  // of the conditionals around; becomes a guard where an index needs one
  loop_expr *row_index;  // position within `row` scratch of the element at
  loop_expr *const *row_point;  // this index; NULL: readers want no other one
  PIR_VEC(loop_expr *) holds;   // conditions that are known to hold in the loops around
  const loop_var *lanes;        // of the loop that will be vectorised, or NULL
  const pir_op *join;  // of its members only this one is within the loops around; or NULL
  int join_part;
  int depth;
  int computed;         // elements so far: each is an op at a point
  const char *why;      // the first thing that cannot be lowered, and
  const pir_op *where;  // whose it is
  char how[96];         // what was chosen for the group, for people
} lowering;

void lower_init(lowering *l, loop_module *m, const pir_target *target, const pir_facts *facts,
                const pir_op *group);
void lower_fail(lowering *l, const pir_op *op, const char *why);
static inline bool lower_on_device(const lowering *l) {
  return l->target && l->target->device;
}

// The group's operands get slots 0.., its results (what its yield hands out) the next ones.
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
// The extent of the memory that it lies in.
pir_dim lower_room(lowering *l, const lower_value *v, int d);
// Where an element lies in the value's buffer.
loop_expr *lower_position(lowering *l, const lower_value *v, loop_expr *const *index);

// Code goes to `block` until lower_leave; what is computed there is forgotten then.
typedef struct lower_place {
  loop_block *block;
  size_t memo_count;
} lower_place;
lower_place lower_enter(lowering *l, loop_block *block);
void lower_leave(lowering *l, lower_place before);
// A new function; nothing is remembered from the last one.
void lower_start(lowering *l, const char *stem, int64_t number);
// The name of such a function.
const char *lower_name(lowering *l, const char *stem, int64_t number);

// The element at `index` (as many as the value has dims), in the value's dtype. Never NULL;
// look at l->why.
loop_expr *lower_element(lowering *l, const pir_value *value, loop_expr *const *index);
// Computes and stores a result's element; past the caches where the last of them cannot hold
// the result.
void lower_store(lowering *l, const pir_value *value, loop_expr *const *index);
// Has what lies so many elements after the element fetched, where the second cache cannot hold
// the tensor.
void lower_fetch(lowering *l, lower_value *v, loop_expr *const *index, loop_expr *ahead);
// Says that the value's element at `index` is `expr`, until lower_leave.
void lower_know(lowering *l, const pir_value *value, loop_expr *const *index, loop_expr *expr);

// ---- one op at one point: lower_clause.c, lower_index.c, lower_reduce.c

typedef struct lower_site {
  lowering *l;
  const pir_op *op;
  size_t result;
  const pir_clause *clause;
  const pir_attr_value *attrs;
  const pir_fact *out;  // of the result
  loop_expr *const *out_index;
  int axes;  // of the space that aligned loads see
  loop_expr *axis[PIR_MAX_RANK];
  pir_dim axis_extent[PIR_MAX_RANK];
  loop_expr *vars[PIR_MAX_RANK];
  loop_expr *pack[PIR_MAX_RANK];  // index along each dim of the one pack
  pir_dim pack_extent[PIR_MAX_RANK];
  int pack_rank;
  int64_t d;       // PIR_I_D
  uint8_t *types;  // of value nodes
  loop_expr *acc, *count;
  bool reduces;
  loop_expr *in_range;  // of the point that is being combined; NULL: always
} lower_site;

// False, with l->why set, when the op has no clause for the result, or none that can be
// lowered.
bool lower_open(lowering *l, const pir_op *op, size_t result, lower_site *out_site);
loop_expr *lower_result(lower_site *s, loop_expr *const *index);
loop_expr *lower_index(lower_site *s, int node);
loop_expr *lower_truth(lower_site *s, int node);          // as a bool
bool lower_fixed(lower_site *s, int node, int64_t *out);  // an index that must be a constant
loop_expr *lower_clause_value(lower_site *s, int node, int type);
int lower_acc_type(const lower_site *s);
const pir_value *lower_operand(const lower_site *s, int k, int member);  // NULL when absent
int lower_members(const lower_site *s, int k);
// Joins: the axis along which members follow each other, and where member `part` begins (part
// by part, from 0).
int64_t lower_join_axis(lower_site *s, int rank);
loop_expr *lower_join_begin(lower_site *s, int64_t axis, int part);
// a && b; NULL: always.
loop_expr *lower_both(lowering *l, loop_expr *a, loop_expr *b);
// 0 <= index < extent.
loop_expr *lower_in_range(lowering *l, loop_expr *index, loop_expr *extent);
// Checks the parts of an index that the run decides, and puts ones in their place that can be
// read at. lower_range.c
typedef struct lower_reach {
  loop_expr *guard;  // where there is an element to read; NULL: everywhere
  bool known;        // no other part may lie outside
} lower_reach;
lower_reach lower_settle_index(lower_site *s, const pir_fact *fact, int operand,
                               loop_expr **index);
// The element at a settled index; what conditions around the load leave out is not read.
loop_expr *lower_settled_element(lower_site *s, lower_reach reach, const pir_value *v,
                                 loop_expr *const *index);

// The index that a load reads at, one expression a dim of its operand; false on failure.
bool lower_load_index(lower_site *s, const pir_node *load, const pir_fact *fact,
                      loop_expr **out_index);

// Reductions. The space of a REDUCE: extents of its axes and which are combined over.
typedef struct lower_space {
  int rank;
  pir_dim extent[PIR_MAX_RANK];
  bool reduced[PIR_MAX_RANK];
  bool keep;
} lower_space;
bool lower_reduce_space(lower_site *s, lower_space *out_space);
// Starts accumulation in a new register, adds the point s->axis / s->vars, ends it. `count`
// registers are made where points may be left out.
typedef struct lower_sum {
  loop_buffer *acc, *count;
  int type;
} lower_sum;
void lower_sum_start(lower_site *s, lower_sum *sum);
void lower_sum_add(lower_site *s, lower_sum *sum);
loop_expr *lower_sum_end(lower_site *s, lower_sum *sum, loop_expr *points);
loop_expr *lower_reduced(lower_site *s,
                         loop_expr *const *index);  // all of it, as loops in place

// Windows: narrows the bounds of the loops over reduced variables (NULL where there is none) to
// the points that count, and notes the conditions that hold there. What of a condition is not
// known to hold; NULL: nothing. lower_window.c
void lower_clip(lower_site *s, loop_var *const *vars, loop_expr **begins, loop_expr **ends);
loop_expr *lower_open_condition(lowering *l, loop_expr *condition);

// ---- groups without a contraction: nest.c

typedef struct lower_stage {
  loop_fn *fn;
  pir_dim units;
} lower_stage;

typedef PIR_VEC(lower_stage) lower_stages;

// Stages that compute and store every result of the group.
void lower_nests(lowering *l, lower_stages *stages);

// ---- constants that are packed when a model is loaded

typedef struct lower_packing {
  uint16_t operand;
  int64_t bytes;
  lower_stage stage;
} lower_packing;

typedef PIR_VEC(lower_packing) lower_packings;

// The index that a clause of one plain load reads at, for an index of its result; false when it
// is no such clause.
bool lower_moved_index(lower_site *s, loop_expr *const *index, const pir_fact **out_fact,
                       loop_expr **out);

#endif
