// Constraints of ops on their operands' extents beyond their clauses: equalities that symbolic
// analysis assumes.
#include "infer_impl.h"
#include <pd_op_hooks.h>

#include <pir/compiler/dialect/pd_op.h>

static const pir_fact *shaped(const pir_infer *infer, size_t k) {
  const pir_fact *x = k < infer->operand_count ? infer->operands[k] : NULL;
  return fact_has_shape(x) ? x : NULL;
}

static void demand_equal_extents(pir_infer *infer, const pir_fact *a, const pir_fact *b,
                                 int32_t but) {
  for (int32_t d = 0; a->known && b->known && a->rank == b->rank && d < a->rank; d++)
    if (d != but)
      infer_require(infer, PIR_EQUAL, a->shape[d], b->shape[d]);
}

// All tensors have the shape of the first.
void pd_demand_same_shape(pir_infer *infer) {
  const pir_fact *first = NULL;
  for (size_t k = 0; k < infer->operand_count; k++) {
    const pir_fact *x = infer->operands[k];
    for (size_t m = 0; x && x->known && m < (x->members ? x->member_count : 1); m++) {
      const pir_fact *one = x->members ? x->members[m] : x;
      if (first)
        demand_equal_extents(infer, first, one, -1);
      else
        first = one;
    }
  }
}

// Probabilities in a column.
void pd_demand_column(pir_infer *infer) {
  const pir_fact *x = shaped(infer, 0);
  pd_demand_same_shape(infer);
  if (x && x->rank == 2)
    infer_require(infer, PIR_EQUAL, x->shape[1], 1);
}

// Labels have the shape of x without the class axis.
void pd_demand_labels(pir_infer *infer) {
  const pir_fact *x = shaped(infer, PD_CROSS_ENTROPY_WITH_SOFTMAX_IN_INPUT),
                 *label = shaped(infer, PD_CROSS_ENTROPY_WITH_SOFTMAX_IN_LABEL);
  int64_t axis = infer->attrs[PD_CROSS_ENTROPY_WITH_SOFTMAX_ATTR_AXIS].i;
  bool soft = infer->attrs[PD_CROSS_ENTROPY_WITH_SOFTMAX_ATTR_SOFT_LABEL].i;
  if (!x || !label)
    return;
  if (axis < 0)
    axis += x->rank;
  demand_equal_extents(infer, x, label, soft ? -1 : (int32_t)axis);
}

void pd_demand_class_numbers(pir_infer *infer) {
  const pir_fact *x = shaped(infer, PD_NLL_LOSS_IN_INPUT),
                 *label = shaped(infer, PD_NLL_LOSS_IN_LABEL);
  if (!x || !label || label->rank + 1 != x->rank)
    return;
  for (int32_t d = 0; d < label->rank; d++)
    infer_require(infer, PIR_EQUAL, x->shape[d ? d + 1 : 0], label->shape[d]);
}

// Per-channel vectors have as many elements as x has channels.
void pd_demand_channels(pir_infer *infer) {
  const pir_fact *x = shaped(infer, 0);
  int layout = pir_opdef_attr(infer->def, PIR_STR("data_format"));
  if (layout < 0)
    layout = pir_opdef_attr(infer->def, PIR_STR("data_layout"));
  pir_str format = layout < 0 ? PIR_STR("NCHW") : infer->attrs[layout].text;
  bool last = format.size && format.data[format.size - 1] == 'C';
  if (!x || x->rank < 2)
    return;
  for (size_t k = 1; k < infer->operand_count; k++) {
    const pir_fact *vector = shaped(infer, k);
    if (vector && vector->rank == 1)
      infer_require(infer, PIR_EQUAL, x->shape[last ? x->rank - 1 : 1], vector->shape[0]);
  }
}

// Scale and bias have as many elements as the normalised axes together.
void pd_demand_normalized(pir_infer *infer) {
  const pir_fact *x = shaped(infer, PD_LAYER_NORM_IN_X);
  pir_dim length = 1;
  int64_t first = infer->attrs[PD_LAYER_NORM_ATTR_BEGIN_NORM_AXIS].i;
  for (int64_t d = first < 0 ? 0 : first; x && d < x->rank; d++)
    length = pir_dim_mul(infer->dims, length, x->shape[d]);
  for (size_t k = 1; x && k < infer->operand_count; k++) {
    const pir_fact *vector = shaped(infer, k);
    if (vector && vector->rank == 1)
      infer_require(infer, PIR_EQUAL, length, vector->shape[0]);
  }
}

// One grid for each image, whose points have one coordinate for each spatial axis.
void pd_demand_grid(pir_infer *infer) {
  const pir_fact *x = shaped(infer, PD_GRID_SAMPLE_IN_X),
                 *grid = shaped(infer, PD_GRID_SAMPLE_IN_GRID);
  if (!x || !grid || x->rank != grid->rank || x->rank < 3)
    return;
  infer_require(infer, PIR_EQUAL, x->shape[0], grid->shape[0]);
  infer_require(infer, PIR_EQUAL, grid->shape[x->rank - 1], x->rank - 2);
}

// Two vectors have equal lengths; the clause states the rest.
void pd_demand_vectors(pir_infer *infer) {
  const pir_fact *x = shaped(infer, PD_MATMUL_IN_X), *y = shaped(infer, PD_MATMUL_IN_Y);
  if (x && y && x->rank == 1 && y->rank == 1)
    infer_require(infer, PIR_EQUAL, x->shape[0], y->shape[0]);
}

// The tensor added to a product of matrices, or of stacks of them, must not enlarge it.
void pd_demand_addend(pir_infer *infer) {
  const pir_fact *input = shaped(infer, PD_ADDMM_IN_INPUT), *x = shaped(infer, PD_ADDMM_IN_X),
                 *y = shaped(infer, PD_ADDMM_IN_Y);
  if (!input || !x || !y || x->rank < 2 || y->rank != x->rank || input->rank > x->rank)
    return;
  for (int32_t i = 0; i < input->rank; i++) {
    int32_t d = x->rank - input->rank + i;
    pir_dim extent = d == x->rank - 1 ? y->shape[d] : x->shape[d];
    infer_require(infer, PIR_EQUAL, pir_dim_broadcast(infer->dims, input->shape[i], extent),
                  extent);
  }
}
