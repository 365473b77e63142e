// Types and functions that the files of build_cinn_pass share.
#ifndef PIR_GROUP_H
#define PIR_GROUP_H

#include "choose.h"

#include <pir/compiler/pass.h>

#define GROUP_NONE UINT32_MAX

// An op of the block, while it is grouped.
typedef struct node {
  pir_op *op;
  const pir_clause *clause;  // clause of its first result; NULL: not compiled
  uint32_t cluster, next;    // the cluster's next op
  uint32_t segment;          // ops between two with effects
  uint32_t before;  // towards the first op of its stretch (group.c), itself at its start
  uint64_t seen;
  uint8_t state;  // while ordering: 0 new, 1 waiting, 2 placed
  bool once;      // it runs when weights are loaded, and is not compiled (weights_once.c)
} node;

typedef struct op_cluster {
  uint8_t kind;  // group_kind; GROUP_CONTRACTION for pairs too
  bool aligned;  // only ops that read at the element they compute
  bool alone;    // one op that is never merged: its results have different spaces, or it is a
                 // kind of group by itself
  bool dropped;  // the cluster is given up
  bool kept;  // a joined tensor that others read as well: its operands may be written where it
              // has them (group_place.c)
  bool paired;        // two contractions
  bool follows_rows;  // few elements that are computed from a reduction's result
  int rank;
  pir_dim shape[PIR_MAX_RANK];  // extents of the iteration space
  bool reduced[PIR_MAX_RANK];
  uint32_t head, tail, ops;
  uint32_t first, last;  // positions of its ops
  uint32_t segment;
  uint64_t seen;
} op_cluster;

typedef struct grouping {
  pir_pass_run *run;
  pir_context *ctx;
  pir_facts *facts;
  pir_dims *dims;
  pir_target target;
  pir_arena *arena;  // memory of the current block
  pir_block *block;
  node *nodes;
  uint32_t count;
  op_cluster *clusters;
  uint32_t cluster_count;
  uint32_t *stack;
  pir_op **members;  // ops of the current cluster
  uint64_t stamp;
  int64_t few;
  bool in_region;  // of control flow: no tensor of the block lies inside another
  uint64_t made, moved;
  int64_t homes;   // tensors with parts so far
  pir_str refuse;  // for tests: the stage that finds something it cannot do in every group
                   // whose number `every` divides
  int64_t every, numbered;
  int64_t refuse_at;  // the place within that stage
  pir_status failed;
} grouping;

// Whether the op only reinterprets its operand's elements in row-major order, so that the
// executor needs no copy.
bool group_only_renames(const pir_clause *c);
// Returns the op's node; NULL if the op is not one of the block's.
node *group_node_of(const grouping *g, const pir_op *op);
// Returns the node of the op that makes the value; NULL if that is not one of the block's.
node *group_producer(const grouping *g, const pir_value *v);
// Why the ops of a cluster that reads a contraction's sums are not computed in its cluster;
// NULL: they can be. group_contraction.c
const char *group_no_epilogue(const grouping *g, const op_cluster *maker, const op_cluster *c);
// Whether the cluster is one cast to wider elements of what `maker` stores, which an op on the
// sums of another contraction alone reads, as the sum of a residual does.
bool group_widens_residual(const grouping *g, const op_cluster *c, const op_cluster *maker);
// Returns why two contractions are no pair; NULL if they are: that is profitable
// (contract_pair.c), and nobody else reads the tensor between them.
const char *group_not_a_pair(const grouping *g, const op_cluster *first,
                             const op_cluster *second);
// Whether an operand comes from a compiled reduction, directly or by other few elements
// (group_place.c).
bool group_follows_rows(const grouping *g, const pir_op *op);
// Leaves out what runs once, when weights are loaded. weights_once.c
void group_leave_once(grouping *g);
// For a device: replaces the parts of splits by slices. group_slices.c
pir_status group_slices(grouping *g, pir_block *block);
// Makes one cluster for each attention of the block. group_attention.c
void group_attention(grouping *g);
// Orders the block and makes a group op of each cluster. group_make.c
pir_status group_materialise(grouping *g);
void group_take_apart(grouping *g, pir_op *group);
// Reads the options `refuse`, `every` and `at`. group_refuse.c
pir_status group_read_refusal(grouping *g);
// Marks a new group for choose_can_emit to refuse, if the options ask for that.
void group_refuse_choice(grouping *g, pir_op *group);
// Marks those groups of the block that a stage after choosing must refuse.
void group_refuse_made(grouping *g);
// Chooses the memory orders of tensors between groups and writes them into attributes.
// group_layout.c
void group_layouts(grouping *g);
// Decides which tensors lie inside others and writes their places into attributes.
// group_place.c
void group_places(grouping *g);
// Decides whether the results of a split are read in place, inside the tensor that is split.
// They then have its memory order.
void group_split(grouping *g, pir_op *op);

// Whether the op joins rows to an input of the program that has any number of them, and the
// result is an output; or in a loop to an argument, and the result is yielded. Both may be one,
// and then only the rows are written (pir_session_alias, plan_handover).
bool group_extends_cache(const grouping *g, const pir_op *op, const pir_clause *clause);
// Returns the tensor that contains this result of a split, or NULL.
const pir_value *group_whole(const pir_value *part);

// Whether the op is a pooling that finds the largest number of each window. round.c
bool group_is_max_pool(const pir_op *op);

// The passes of this folder, which passes/passes.def lists.
// Returns the number of elements of a scale; -1 if unknown. quantised.c
int64_t group_scale_extent(const pir_facts *facts, const pir_value *v);
pir_status pir_pass_quantised(pir_pass_run *run);
pir_status pir_pass_rounded_residuals(pir_pass_run *run);
pir_status pir_pass_round(pir_pass_run *run);
pir_status pir_pass_weights_once(pir_pass_run *run);
pir_status pir_pass_group(pir_pass_run *run);

#endif
