// The functions that make up inference; hooks use them too.
#ifndef PIR_DIALECTS_INFER_IMPL_H
#define PIR_DIALECTS_INFER_IMPL_H

#include "symbolic.h"
#include <pir/layer/lower.h>

// Returns the fact of result i: known, with its element type and unknown rank.
pir_fact *infer_begin(pir_infer *infer, int i);
pir_dtype infer_operand_dtype(const pir_infer *infer, int k);
pir_dtype infer_result_dtype(const pir_infer *infer, int i);
// Normalises an axis, which counts from the end if negative; fails if the rank has no such
// axis.
pir_status infer_wrap_axis(pir_infer *infer, int64_t axis, int32_t rank, int32_t *out_axis);
// Derives the shape of result `out` from a clause.
pir_status infer_clause(pir_infer *infer, const pir_clause *c, pir_fact *out);
// Reports a constraint: the program can run only if it holds.
void infer_require(pir_infer *infer, pir_constraint_kind kind, pir_dim a, pir_dim b);
// Replaces unknown dims by new symbols.
void infer_fresh_dims(pir_infer *infer, pir_fact *fact);

// The questions of a lower or gradient block, to the operands of `infer`.
symbolic lower_symbols(const pir_infer *infer, const pir_lower *l);
// Whether the condition of a step is known not to hold.
bool lower_leaves_out(const symbolic *s, const pir_lower_step *step);

// Returns the lower alternative whose condition holds, or NULL.
const pir_lower *infer_choose(const pir_infer *infer);
// The same of other blocks of the op: its gradients.
const pir_lower *infer_choose_block(const pir_infer *infer, const pir_lower *blocks, int count);
// Runs a lower block on facts.
pir_status infer_lower(pir_infer *infer, const pir_lower *lower);
// Reads the numbers of a list, at most `capacity`; -1 if there are more, or their number is
// unknown.
int64_t lower_items(const symbolic *s, const pir_lower_item *items, int count, pir_dim *out,
                    int64_t capacity);
// The default of a declared attribute, whose lists and texts it borrows.
pir_attr_value attr_default_value(const pir_attr_def *def);
// Reports the op's requirements that are known to be violated.
pir_status infer_requirements(pir_infer *infer);
// Formats for messages, as " x [2,3]," and " axis 1,"; returns the number of characters
// written.
size_t infer_put_operand(const pir_infer *infer, size_t k, char *out, size_t capacity);
size_t infer_put_attr(const pir_infer *infer, size_t k, char *out, size_t capacity);
// Derives the contents of small integer results from the operands' contents.
void infer_contents(pir_infer *infer);

// Whether the fact is a tensor (not a list) of this rank.
bool fact_has_rank(const pir_fact *fact, int32_t rank);
// Whether the fact is a tensor (not a list) of known rank; `fact` may be NULL.
bool fact_has_shape(const pir_fact *fact);
// Copies rank and extents from `from`.
void fact_copy_shape(pir_fact *fact, const pir_fact *from);
void fact_put_shape(pir_fact *fact, int32_t rank, pir_dim a, pir_dim b, pir_dim c, pir_dim d);

// Clamps `value` to [low, high].
static inline int64_t clamp(int64_t value, int64_t low, int64_t high) {
  if (value < low)
    return low;
  return value > high ? high : value;
}

// Allocates memory of the analysis for `count` dims or facts.
#define INFER_NEW(infer, type, count)                                                          \
  ((type *)(infer)->alloc((infer)->user, sizeof(type) * ((count) ? (count) : 1)))

#endif
