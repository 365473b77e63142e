// Recomputation: which forward values the gradients of a program keep, and which are computed
// again in front of the gradient that reads them (docs/steps/gradients.md). A plan is made over
// tables of the program's ops, then the program is changed by it. Private to passes/.
#ifndef PIR_AUTODIFF_RECOMPUTE_H
#define PIR_AUTODIFF_RECOMPUTE_H

#include "autodiff.h"

// The wish of a caller.
typedef struct recompute_request {
  bool automatic;        // values are chosen by a minimum cut
  value_list kept;       // else: these values, and all others are computed again
  double share;          // of the peak without recomputation
  int64_t bytes;         // the peak itself; 0: `share` counts
  const pir_op *before;  // last op of the forward program
} recompute_request;

// A value of the block. Its number is its place in the table.
typedef struct again_value {
  pir_value *value;
  int64_t bytes;
  uint32_t op;    // that defines it
  uint32_t root;  // the value in whose memory it lies: itself, unless its op only renames
  bool free;      // it takes no memory between ops: an input, a parameter, an output
  bool stays;     // its op writes it in place, or others write over it
  bool overwritten, passed_on, listed, needed, again;
} again_value;

typedef struct again_op {
  pir_op *op;
  uint32_t first, count;            // results, in the table of values
  uint32_t first_read, read_count;  // values that it reads, in `reads`
  double flops, work;
  bool fixed;  // it is never computed again
  bool bound;  // nor is it for now: its value ends a segment
  bool renames, done;
  bool constant;  // it depends on no input and no parameter
} again_op;

// Forward op `op` is computed again in front of backward op `before`.
typedef struct again_step {
  uint32_t op, before;
} again_step;

// The figures of a plan.
typedef struct again_figures {
  double work, flops;
  int64_t peak, kept;
} again_figures;

typedef struct recompute {
  diff *d;
  pir_arena *arena;
  PIR_VEC(again_op) ops;  // of the block, in order
  PIR_VEC(again_value) values;
  PIR_VEC(uint32_t) reads;
  PIR_VEC(again_step) steps;
  PIR_VEC(uint32_t) stack;
  pir_map number_of;              // of a value: its number + 1
  uint32_t split;                 // number of the first backward op
  uint32_t *object;               // of a value: its memory now
  uint32_t *birth, *last;         // of a memory
  again_figures without, chosen;  // without recomputation, and of the plan
  int64_t budget;                 // the largest peak that was asked for
} recompute;

#define AGAIN_NONE UINT32_MAX

// ---- recompute_tables.c
// Fills the tables. PIR_INVALID: a value to be kept is none of the forward program.
PIR_NODISCARD pir_status again_tabulate(recompute *r, const recompute_request *request);
// ---- recompute_plan.c
// Chooses the values that are computed again, and lists the steps.
void again_plan(recompute *r, const recompute_request *request);
// ---- recompute.c
// Changes the program so that its gradients compute values again, and tells the figures.
PIR_NODISCARD pir_status diff_recompute(diff_block *b, const recompute_request *request,
                                        recompute *r);

#endif
