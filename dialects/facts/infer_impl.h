// The functions that make up inference; hooks use them too.
#ifndef PIR_DIALECTS_INFER_IMPL_H
#define PIR_DIALECTS_INFER_IMPL_H

#include "symbolic.h"
#include <pir/lower.h>

// Result i, known, with its element type and unknown rank.
pir_fact *infer_begin(pir_infer *infer, int i);
pir_dtype infer_operand_dtype(const pir_infer *infer, int k);
pir_dtype infer_result_dtype(const pir_infer *infer, int i);
// An axis that is counted from the start, or from the end when it is negative; fails when the
// rank has no such axis.
pir_status infer_wrap_axis(pir_infer *infer, int64_t axis, int32_t rank, int32_t *out_axis);
// Shape of result `out` by a clause.
pir_status infer_clause(pir_infer *infer, const pir_clause *c, pir_fact *out);
// The program only runs when this holds.
void infer_require(pir_infer *infer, pir_constraint_kind kind, pir_dim a, pir_dim b);
// Dims not known become new symbols.
void infer_fresh_dims(pir_infer *infer, pir_fact *fact);

// The lower alternative that holds, or NULL.
const pir_lower *infer_choose(const pir_infer *infer);
// Runs a lower block on facts.
pir_status infer_lower(pir_infer *infer, const pir_lower *lower);
// The op a step makes; NULL when there is none.
const pir_opdef *lower_target(const pir_lower_step *step);
// Numbers of a list, at most `capacity`; -1 when there are more, or how many is not known.
int64_t lower_items(const symbolic *s, const pir_lower_item *items, int count, pir_dim *out,
                    int64_t capacity);
pir_attr_value attr_default_value(const pir_attr_def *def,
                                  void *(*alloc)(void *user, size_t size), void *user);
// Conditions of the op that are known not to hold are errors.
pir_status infer_requirements(pir_infer *infer);
// For messages: " x [2,3]," and " axis 1,"; returns how many characters were written.
size_t infer_put_operand(const pir_infer *infer, size_t k, char *out, size_t capacity);
size_t infer_put_attr(const pir_infer *infer, size_t k, char *out, size_t capacity);
// Contents of small integer results, from those of the operands.
void infer_contents(pir_infer *infer);

// A tensor (not a list) of this rank.
bool fact_has_rank(const pir_fact *fact, int32_t rank);
// A tensor (not a list) whose rank is known; `fact` may be NULL.
bool fact_has_shape(const pir_fact *fact);
// Takes the rank and the extents of `from`.
void fact_copy_shape(pir_fact *fact, const pir_fact *from);
void fact_put_shape(pir_fact *fact, int32_t rank, pir_dim a, pir_dim b, pir_dim c, pir_dim d);

// The number of [low, high] that is nearest to `value`.
static inline int64_t clamp(int64_t value, int64_t low, int64_t high) {
  if (value < low)
    return low;
  return value > high ? high : value;
}

// Memory of the analysis for `count` dims, facts, ...
#define INFER_NEW(infer, type, count)                                                          \
  ((type *)(infer)->alloc((infer)->user, sizeof(type) * ((count) ? (count) : 1)))

#endif
