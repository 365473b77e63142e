// Facts of ops that select elements, and of ops whose extents are known only at run time.
#include "infer_impl.h"
#include <pd_op_hooks.h>

#include <pir/compiler/dialect/pd_op.h>

#include <string.h>

// All results have the shape of x without the axis, or with extent 1 there.
pir_status pd_infer_drop_axis(pir_infer *infer) {
  const pir_fact *x = infer->operands[0];
  const pir_attr_value *axis = &infer->attrs[pir_opdef_attr(infer->def, PIR_STR("axis"))];
  bool keep = infer->attrs[pir_opdef_attr(infer->def, PIR_STR("keepdim"))].i;
  int32_t at;
  for (int i = 0; i < infer->def->result_count; i++) {
    pir_fact *out = infer_begin(infer, i);
    if (!fact_has_shape(x))
      continue;
    fact_copy_shape(out, x);
    if (!x->rank)
      continue;
    PIR_TRY(infer_wrap_axis(infer, axis->i, x->rank, &at));
    if (keep) {
      out->shape[at] = 1;
    } else {
      memmove(out->shape + at, out->shape + at + 1,
              (size_t)(x->rank - at - 1) * sizeof *out->shape);
      out->rank--;
    }
  }
  return PIR_OK;
}

// The number of repetitions is known only at run time.
pir_status pd_infer_repeat_interleave_with_tensor_index(pir_infer *infer) {
  const pir_fact *x = infer->operands[PD_REPEAT_INTERLEAVE_WITH_TENSOR_INDEX_IN_X];
  const pir_fact *repeats = infer->operands[PD_REPEAT_INTERLEAVE_WITH_TENSOR_INDEX_IN_REPEATS];
  pir_fact *out = infer_begin(infer, 0);
  int32_t at;
  if (!fact_has_shape(x))
    return PIR_OK;
  PIR_TRY(infer_wrap_axis(
      infer, infer->attrs[PD_REPEAT_INTERLEAVE_WITH_TENSOR_INDEX_ATTR_AXIS].i, x->rank, &at));
  if (fact_has_shape(repeats) && repeats->rank != 1)
    return pir_infer_fail(infer, "repeats: expects rank 1, found %d", repeats->rank);
  fact_copy_shape(out, x);
  out->shape[at] = PIR_DIM_UNKNOWN;
  return PIR_OK;
}

pir_status pd_infer_unique_consecutive(pir_infer *infer) {
  const pir_fact *x = infer->operands[PD_UNIQUE_CONSECUTIVE_IN_X];
  const pir_attr_value *axes = &infer->attrs[PD_UNIQUE_CONSECUTIVE_ATTR_AXIS];
  pir_dtype counted = (pir_dtype)infer->attrs[PD_UNIQUE_CONSECUTIVE_ATTR_DTYPE].i;
  if (counted != PIR_I32 && counted != PIR_I64)
    return pir_infer_fail(infer, "dtype: expects int32 or int64, found %s",
                          pir_dtype_name(counted));
  pir_fact *out = infer_begin(infer, PD_UNIQUE_CONSECUTIVE_OUT_OUT);
  pir_fact *index = infer_begin(infer, PD_UNIQUE_CONSECUTIVE_OUT_INDEX);
  pir_fact *counts = infer_begin(infer, PD_UNIQUE_CONSECUTIVE_OUT_COUNTS);
  int32_t at = 0;
  index->rank = counts->rank = 1;
  index->shape[0] = counts->shape[0] = PIR_DIM_UNKNOWN;
  if (!axes->count) {
    out->rank = 1;
    out->shape[0] = PIR_DIM_UNKNOWN;
    if (fact_has_shape(x))
      index->shape[0] = fact_numel(infer->dims, x);
  } else if (fact_has_shape(x)) {
    PIR_TRY(infer_wrap_axis(infer, axes->ints[0], x->rank, &at));
    fact_copy_shape(out, x);
    index->shape[0] = x->shape[at];
    out->shape[at] = PIR_DIM_UNKNOWN;
  }
  return PIR_OK;
}

// x without the listed axes (an empty list: all). Positions come in pairs, unless the lower of
// a middle pair is taken.
pir_status pd_infer_median(pir_infer *infer) {
  const pir_fact *x = infer->operands[PD_MEDIAN_IN_X];
  const pir_attr_value *axes = &infer->attrs[PD_MEDIAN_ATTR_AXIS];
  bool keep = infer->attrs[PD_MEDIAN_ATTR_KEEPDIM].i;
  bool lower = pir_str_equal(infer->attrs[PD_MEDIAN_ATTR_MODE].text, PIR_STR("min"));
  pir_fact *out = infer_begin(infer, PD_MEDIAN_OUT_OUT),
           *places = infer_begin(infer, PD_MEDIAN_OUT_MEDIANS);
  uint32_t gone = axes->count ? 0 : UINT32_MAX;
  if (!fact_has_shape(x))
    return PIR_OK;
  for (size_t i = 0; i < axes->count; i++) {
    int32_t at;
    PIR_TRY(infer_wrap_axis(infer, axes->ints[i], x->rank, &at));
    gone |= 1u << at;
  }
  out->rank = 0;
  for (int32_t d = 0; d < x->rank; d++) {
    if (!(gone >> d & 1))
      out->shape[out->rank++] = x->shape[d];
    else if (keep)
      out->shape[out->rank++] = 1;
  }
  fact_copy_shape(places, out);
  if (!lower)
    places->shape[places->rank++] = 2;
  return PIR_OK;
}

// Batch and channels of x, positions of the grid.
pir_status pd_infer_grid_sample(pir_infer *infer) {
  const pir_fact *x = infer->operands[PD_GRID_SAMPLE_IN_X],
                 *grid = infer->operands[PD_GRID_SAMPLE_IN_GRID];
  pir_fact *out = infer_begin(infer, 0);
  int64_t numbers;
  if (!fact_has_shape(x) || !fact_has_shape(grid))
    return PIR_OK;
  if ((x->rank != 4 && x->rank != 5) || grid->rank != x->rank)
    return pir_infer_fail(infer, "grid: expects rank 4 or 5, that of x, found %d for %d",
                          grid->rank, x->rank);
  if (pir_dim_is_const(infer->dims, grid->shape[x->rank - 1], &numbers) &&
      numbers != x->rank - 2)
    return pir_infer_fail(infer, "grid: expects %d numbers a point, found %lld", x->rank - 2,
                          (long long)numbers);
  fact_copy_shape(out, x);
  for (int32_t i = 2; i < x->rank; i++)
    out->shape[i] = grid->shape[i - 1];
  return PIR_OK;
}

// One flat grid for each batch member.
pir_status pd_infer_affine_grid(pir_infer *infer) {
  const pir_fact *x = infer->operands[PD_AFFINE_GRID_IN_INPUT],
                 *shape = infer->operands[PD_AFFINE_GRID_IN_OUTPUT_SHAPE];
  pir_fact *out = infer_begin(infer, 0);
  pir_dim count;
  int64_t n;
  if (!fact_count(shape, &count) || !pir_dim_is_const(infer->dims, count, &n))
    return PIR_OK;
  if (n != 4 && n != 5)
    return pir_infer_fail(infer, "output_shape: expects 4 or 5 extents, found %lld",
                          (long long)n);
  if (fact_has_shape(x) && x->rank != 3)
    return pir_infer_fail(infer, "input: expects matrices, found rank %d", x->rank);
  out->rank = (int32_t)n;
  out->shape[0] = fact_has_shape(x) ? x->shape[0] : PIR_DIM_UNKNOWN;
  for (int d = 1; d < n - 1; d++)
    out->shape[d] = fact_element(shape, d + 1);
  out->shape[n - 1] = n - 2;
  return PIR_OK;
}

pir_status pd_infer_nonzero(pir_infer *infer) {
  const pir_fact *x = infer->operands[0];
  pir_fact *out = infer_begin(infer, 0);
  out->rank = 2;
  out->shape[0] = PIR_DIM_UNKNOWN;
  out->shape[1] = fact_has_shape(x) ? x->rank : PIR_DIM_UNKNOWN;
  for (int32_t i = 0; fact_has_shape(x) && i < x->rank; i++)
    if (x->shape[i] == 0)
      out->shape[0] = 0;  // an empty tensor holds no element
  return PIR_OK;
}

pir_status pd_infer_masked_select(pir_infer *infer) {
  pir_fact *out = infer_begin(infer, 0);
  out->rank = 1;
  out->shape[0] = PIR_DIM_UNKNOWN;
  return PIR_OK;
}

pir_status pd_infer_unique(pir_infer *infer) {
  const pir_fact *x = infer->operands[PD_UNIQUE_IN_X];
  const pir_attr_value *axis = &infer->attrs[PD_UNIQUE_ATTR_AXIS];
  bool flat = axis->count == 0;
  int32_t at = 0;
  for (int i = 0; i < infer->def->result_count; i++) {
    pir_fact *out = infer_begin(infer, i);
    out->rank = 1;
    out->shape[0] = PIR_DIM_UNKNOWN;
  }
  if (!fact_has_shape(x)) {
    infer->results[0].known = flat;
    return PIR_OK;
  }
  if (!flat) {
    PIR_TRY(infer_wrap_axis(infer, axis->ints[0], x->rank, &at));
    fact_copy_shape(&infer->results[0], x);
    infer->results[0].shape[at] = PIR_DIM_UNKNOWN;
  }
  pir_dim size = flat ? 1 : x->shape[at];
  for (int32_t d = 0; d < x->rank && flat; d++)
    size = pir_dim_mul(infer->dims, size, x->shape[d]);
  infer->results[2].shape[0] = size;
  return PIR_OK;
}

pir_status pd_infer_logcumsumexp(pir_infer *infer) {
  const pir_fact *x = infer->operands[PD_LOGCUMSUMEXP_IN_X];
  pir_fact *out = infer_begin(infer, 0);
  if (!fact_has_shape(x))
    return PIR_OK;
  fact_copy_shape(out, x);
  if (!infer->attrs[PD_LOGCUMSUMEXP_ATTR_FLATTEN].i)
    return PIR_OK;
  pir_dim size = 1;
  for (int32_t d = 0; d < x->rank; d++)
    size = pir_dim_mul(infer->dims, size, x->shape[d]);
  out->rank = 1;
  out->shape[0] = size;
  return PIR_OK;
}

pir_status pd_infer_meshgrid(pir_infer *infer) {
  const pir_fact *list = infer->operands[0];
  if (!list || !list->members || list->member_count > PIR_MAX_RANK)
    return PIR_OK;
  size_t n = list->member_count;
  const pir_fact **members = INFER_NEW(infer, const pir_fact *, n);
  pir_fact *facts = INFER_NEW(infer, pir_fact, n);
  for (size_t i = 0; i < n; i++) {
    facts[i] = (pir_fact){.known = true, .dtype = list->members[i]->dtype, .rank = (int32_t)n};
    for (size_t d = 0; d < n; d++) {
      const pir_fact *x = list->members[d];
      facts[i].shape[d] = fact_has_shape(x) && x->rank == 0 ? 1 : PIR_DIM_UNKNOWN;
      if (fact_has_shape(x) && x->rank)
        facts[i].shape[d] = x->shape[0];
    }
    members[i] = &facts[i];
  }
  infer->results[0] =
      (pir_fact){.known = true, .rank = -1, .members = members, .member_count = n};
  return PIR_OK;
}

pir_status pd_infer_like_values(pir_infer *infer) {
  const pir_fact *values = infer->operands[PD_SEARCHSORTED_IN_VALUES];
  pir_fact *out = infer_begin(infer, 0);
  out->dtype = infer->attrs[PD_SEARCHSORTED_ATTR_OUT_INT32].i ? PIR_I32 : PIR_I64;
  if (fact_has_shape(values))
    fact_copy_shape(out, values);
  return PIR_OK;
}

// Samples of every layer of a tree for each leaf. The element type is a number of the legacy
// format: 2 for i32, 3 for i64.
pir_status pd_infer_tdm_sampler(pir_infer *infer) {
  const pir_fact *leaves = infer->operands[PD_TDM_SAMPLER_IN_X];
  const pir_attr_value *attrs = infer->attrs;
  const pir_attr_value *negatives = &attrs[PD_TDM_SAMPLER_ATTR_NEG_SAMPLES_NUM_LIST];
  int64_t samples = 0;
  for (size_t i = 0; i < negatives->count; i++)
    samples += negatives->ints[i] + (attrs[PD_TDM_SAMPLER_ATTR_OUTPUT_POSITIVE].i != 0);
  for (int i = 0; i < (int)infer->result_count; i++) {
    pir_fact *out = infer_begin(infer, i);
    out->dtype = attrs[PD_TDM_SAMPLER_ATTR_DTYPE].i == 3 ? PIR_I64 : PIR_I32;
    if (fact_has_shape(leaves) && leaves->rank > 0)
      fact_put_shape(out, 2, leaves->shape[0], samples, 0, 0);
  }
  return PIR_OK;
}

// The shape is an operand of integers.
pir_status pd_infer_by_shape(pir_infer *infer) {
  const pir_fact *shape = infer->operands[pir_opdef_operand(infer->def, PIR_STR("shape"))];
  pir_fact *out = infer_begin(infer, 0);
  pir_dim count;
  int64_t rank;
  if (!fact_count(shape, &count) || !pir_dim_is_const(infer->dims, count, &rank))
    return PIR_OK;
  if (rank > PIR_MAX_RANK)
    return pir_infer_fail(infer, "rank %lld is over %d", (long long)rank, PIR_MAX_RANK);
  out->rank = (int32_t)rank;
  for (int32_t i = 0; i < out->rank; i++)
    out->shape[i] = fact_element(shape, i);
  return PIR_OK;
}

// Rows of x, perhaps with the features of a second operand y; their number is known only at run
// time. Then a count for each row.
pir_status pd_infer_arriving_rows(pir_infer *infer) {
  int k = pir_opdef_operand(infer->def, PIR_STR("y"));
  const pir_fact *x = infer->operands[0], *y = k >= 0 ? infer->operands[k] : NULL;
  pir_fact *out = infer_begin(infer, 0), *count = infer_begin(infer, 1);
  count->rank = k < 0 && pir_opdef_operand(infer->def, PIR_STR("segment_ids")) >= 0 ? 2 : 1;
  count->shape[0] = PIR_DIM_UNKNOWN;
  count->shape[1] = 1;
  if (!fact_has_shape(x) || x->rank < 1 || (k >= 0 && (!fact_has_shape(y) || y->rank < 1)))
    return PIR_OK;
  out->rank = y && y->rank > x->rank ? y->rank : x->rank;
  out->shape[0] = PIR_DIM_UNKNOWN;
  for (int32_t d = 1; d < out->rank; d++) {
    int32_t dx = d - (out->rank - x->rank), dy = y ? d - (out->rank - y->rank) : 0;
    int64_t one, n = dx > 0 ? x->shape[dx] : 1;
    bool single = dx <= 0 || (pir_dim_is_const(infer->dims, n, &one) && one == 1);
    bool same =
        !y || dy <= 0 || (pir_dim_is_const(infer->dims, y->shape[dy], &one) && one == 1);
    if (same || (!single && n == y->shape[dy]))
      out->shape[d] = n;
    else
      out->shape[d] = single ? y->shape[dy] : PIR_DIM_UNKNOWN;
  }
  return PIR_OK;
}

// All members in the shape they share.
pir_status pd_infer_broadcast_tensors(pir_infer *infer) {
  const pir_fact *list = infer->operands[0];
  if (!list || !list->members)
    return PIR_OK;
  pir_fact shared = {.known = true}, *facts = INFER_NEW(infer, pir_fact, list->member_count);
  const pir_fact **members = INFER_NEW(infer, const pir_fact *, list->member_count);
  for (size_t i = 0; i < list->member_count; i++) {
    const pir_fact *x = list->members[i];
    if (!fact_has_shape(x))
      return PIR_OK;
    if (x->rank > shared.rank)
      shared.rank = x->rank;
  }
  for (int32_t d = 0; d < shared.rank; d++) {
    shared.shape[d] = 1;
    for (size_t i = 0; i < list->member_count; i++) {
      int32_t at = d - (shared.rank - list->members[i]->rank);
      pir_dim n = at < 0 ? 1 : list->members[i]->shape[at];
      if (n != 1 && shared.shape[d] != 1)
        infer_require(infer, PIR_BROADCASTABLE, shared.shape[d], n);
      shared.shape[d] = pir_dim_broadcast(infer->dims, shared.shape[d], n);
    }
  }
  for (size_t i = 0; i < list->member_count; i++) {
    facts[i] = shared;
    facts[i].dtype = list->members[i]->dtype;
    members[i] = &facts[i];
  }
  infer->results[0] = (pir_fact){
      .known = true, .rank = -1, .members = members, .member_count = list->member_count};
  return PIR_OK;
}

// Counts are integers; sums of weights and densities are floats.
pir_status pd_infer_histogram(pir_infer *infer) {
  bool floats =
      infer->operands[PD_HISTOGRAM_IN_WEIGHT] || infer->attrs[PD_HISTOGRAM_ATTR_DENSITY].i;
  int64_t bins = infer->attrs[PD_HISTOGRAM_ATTR_BINS].i;
  pir_fact *out = infer_begin(infer, 0);
  if (bins < 1)
    return pir_infer_fail(infer, "%lld bins", (long long)bins);
  out->dtype = floats ? PIR_F32 : PIR_I64;
  out->rank = 1;
  out->shape[0] = bins;
  return PIR_OK;
}

pir_status pd_infer_bincount(pir_infer *infer) {
  const pir_fact *weights = infer->operands[PD_BINCOUNT_IN_WEIGHTS];
  pir_fact *out = infer_begin(infer, 0);
  out->dtype = PIR_I64;
  if (weights)
    out->dtype = weights->dtype == PIR_F64 ? PIR_F64 : PIR_F32;
  out->rank = 1;
  out->shape[0] = PIR_DIM_UNKNOWN;
  return PIR_OK;
}

// The shape of the first tensor.
pir_status pd_infer_multiplex(pir_infer *infer) {
  const pir_fact *list = infer->operands[PD_MULTIPLEX_IN_INPUTS];
  pir_fact *out = infer_begin(infer, 0);
  if (!list || !list->members || !list->member_count || !fact_has_shape(list->members[0]))
    return PIR_OK;
  const pir_fact *first = list->members[0];
  fact_copy_shape(out, first);
  for (size_t i = 1; i < list->member_count; i++) {
    const pir_fact *member = list->members[i];
    bool same = !fact_has_shape(member) || member->rank == first->rank;
    for (int32_t d = 0; same && fact_has_shape(member) && d < first->rank; d++) {
      int64_t a, b;
      bool known = pir_dim_is_const(infer->dims, first->shape[d], &a) &&
                   pir_dim_is_const(infer->dims, member->shape[d], &b);
      same = !known || a == b;
    }
    if (!same)
      return pir_infer_fail(infer,
                            "inputs: expects tensors of one shape, member %zu has another", i);
  }
  return PIR_OK;
}
