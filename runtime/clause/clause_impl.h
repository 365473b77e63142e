// Types and functions that the files of the clause evaluator share. A clause is bound to one
// call (`clause_bind`, read-only while loops run) and evaluated by each thread over blocks of
// up to LANES points (`clause_lanes`).
#ifndef PIR_CLAUSE_IMPL_H
#define PIR_CLAUSE_IMPL_H

#include <pir/layer/clause_types.h>
#include <pir/layer/kernel.h>

#include "copy.h"

enum {
  LANES = 256,
  SLOT_BYTES = LANES * 16,  // lanes of the widest class (complex double)
  MAX_COORDS = 2 * PIR_MAX_RANK
};

// Values of an index node over a block: v[lane], or base + step * lane when v is NULL.
typedef struct clause_index {
  int64_t base, step;
  const int64_t *v;
} clause_index;

// A clause bound to the operands, attributes and result of one call. Its points range over
// `extent`: the first `parallel` coordinates select a result element, the others are reduced.
typedef struct clause_bind {
  const pir_kernel_call *call;
  const pir_clause *clause;
  pir_tensor *out;
  int member;            // index of the member if the result is a list
  uint8_t *types;        // element types of value nodes
  bool *fixed;           // nodes that are the same at every point, and
  int64_t *fixed_value;  // the values of index nodes that are
  int slots;             // depth of the deepest evaluation, in slots
  int coords, parallel;
  int64_t extent[MAX_COORDS];
  int var_first[PIR_MAX_RANK], var_rank[PIR_MAX_RANK];  // coordinates of each named variable
  int axes;                      // rank of the space that aligned loads are indexed by,
  int axis_coord[PIR_MAX_RANK];  // the coordinate of each of its axes, and
  int64_t axis_extent[PIR_MAX_RANK];
  int64_t (
      *aligned)[MAX_COORDS];  // strides by coordinate of each entry of call->in that is loaded
  bool *aligns;               // the entries that have aligned strides
  int64_t out_stride[MAX_COORDS];  // strides of the result if the clause has no out map
  bool in_order;                   // the coordinates are the axes of the result
  bool out_linear;  // scan of a flattened operand: the result position is the running number
  bool reduces;     // points out of range of a load without fill are left out
} clause_bind;

// One thread's evaluation of one block.
typedef struct clause_lanes {
  const clause_bind *bind;
  int n;  // lanes in use
  clause_index coord[MAX_COORDS];
  int64_t *coord_lanes;   // room for lanes of each coordinate
  int64_t linear;         // running number of lane 0 among the results (in a scan: along it)
  const uint8_t *active;  // lanes that count, or NULL for all
  uint8_t *skip;          // lanes left out (bind->reduces); of size LANES
  bool skips;
  int64_t d;              // PIR_I_D
  const void *acc;        // lanes of PIR_V_ACC and
  uint8_t acc_type;       // its type
  const int64_t *counts;  // lanes of PIR_V_COUNT
  char *stack;            // slots
  int top;
  pir_status status;    // the first failure, with
  pir_message message;  // its text
} clause_lanes;

static inline void *push_slot(clause_lanes *e) {
  return e->stack + (size_t)e->top++ * SLOT_BYTES;
}

// ---- clause_run.c
int pir_clause_entries(
    const pir_kernel_call *call);  // entries of call->in, absent operands included
const pir_tensor *pir_clause_operand(const clause_bind *b, int k,
                                     int member);               // NULL when absent
void pir_clause_store(clause_lanes *e, int type, void *lanes);  // the block's results

// ---- clause_index.c
clause_index pir_clause_index(clause_lanes *e, int node);
const int64_t *pir_clause_index_lanes(clause_lanes *e,
                                      clause_index x);  // lanes as an array, in a slot
int64_t
pir_clause_fixed(clause_lanes *e, int node,
                 int64_t otherwise);  // value of a node that must not vary; `otherwise` if node
                                      // is -1
// Finds which index nodes do not vary and evaluates them.
void pir_clause_fix_nodes(clause_bind *b, clause_lanes *e);

// The elements of a load: offsets from data, in elements, and which lanes are in range.
typedef struct clause_address {
  clause_index offset;
  int lo, hi;              // lanes outside [lo, hi) are out of range, and
  const uint8_t *outside;  // so are these (NULL: none)
} clause_address;
clause_address pir_clause_address(clause_lanes *e, const pir_tensor *tensor, int member,
                                  const pir_node *load);
clause_index pir_clause_out_offset(clause_lanes *e);

// ---- clause_value.c
pir_status pir_clause_types(clause_bind *b);
pir_dtype pir_clause_lane_type(
    int type);  // the class lanes of a type are held in: i64, f32, f64, c64, c128
// Evaluates a value node as type `want` (a pir_dtype) into `out`.
void pir_clause_value(clause_lanes *e, int node, int want, void *out);
void pir_clause_convert(clause_lanes *e, int want, void *out, int type, const void *in);
void pir_clause_fail(clause_lanes *e, pir_status status, const char *format, ...)
    PIR_PRINTF(3, 4);

// ---- clause_math.c: out[i] = op(in[i]...) over n lanes of one class. False: there is no such
// function for the class.
bool pir_clause_unary(int op, pir_dtype lanes, void *out, const void *a, int n);
bool pir_clause_binary(int op, pir_dtype lanes, void *out, const void *a, const void *b, int n);
bool pir_clause_compare(int op, pir_dtype lanes, int64_t *out, const void *a, const void *b,
                        int n);

// ---- clause_reduce.c
void pir_clause_reduce_block(
    clause_lanes *e);  // the block of result elements that e->coord names
pir_status pir_clause_scan_line(clause_lanes *e);

// ---- clause_space.c
pir_status pir_clause_space(clause_bind *b, clause_lanes *e);
// Sets the coordinates [first, end) to `n` points of their row-major order, from number `start`
// on.
void pir_clause_set_coords(clause_lanes *e, int first, int end, int64_t start, int n);
int64_t pir_clause_points(const clause_bind *b, int first,
                          int end);  // number of points of these coordinates; -1 on overflow
// Returns how many of `n` points from `start` on form a good block.
int pir_clause_block(const clause_bind *b, int first, int end, int64_t start, int64_t n);

// ---- clause_lines.c: scans, and positions of the best, of plain loads. False: the clause is
// no such thing.
bool pir_clause_run_lines(const clause_bind *b, clause_lanes *e);

// ---- clause_move.c: clauses that only move elements
typedef struct clause_move {
  const pir_tensor *from;
  const pir_node *load;
  int outer;        // coordinates that the looked-up index depends on; the others advance by
                    // strides
  uint64_t tabled;  // coordinates whose terms of the offset are to be tabled; 0: none
  int64_t from_step[MAX_COORDS], to_step[MAX_COORDS];
  copy_loops loops;  // loops over the other coordinates
} clause_move;
bool pir_clause_find_move(const clause_bind *b, clause_lanes *e, clause_move *out);
bool pir_clause_move_block(
    clause_lanes *e, const clause_move *m);  // moves a block of outer points; false: evaluate
                                             // them instead
pir_status pir_clause_move_all(clause_lanes *e, const clause_move *m);  // when `outer` is 0

// ---- clause_table.c: moves with `tabled`. False: they must be evaluated.
bool pir_clause_move_by_table(clause_lanes *e, const clause_move *m);

// ---- contraction.c: sums of products of floats with affine maps. PIR_UNSUPPORTED: the clause
// is none.
pir_status pir_clause_contract(const clause_bind *b);

#endif
