// Facts of detection ops: grids of boxes, regions, and boxes whose number is known only at run
// time.
#include "infer_impl.h"
#include <pd_op_hooks.h>

#include <pir/compiler/dialect/pd_op.h>

#include <math.h>

// Duplicate ratios count once; ratio 1 is always included.
static int64_t count_ratios(const pir_attr_value *given, bool flip) {
  int64_t count = 1;
  for (size_t i = 0; i < given->count; i++) {
    float ratio = (float)given->floats[i];
    bool seen = fabsf(ratio - 1) < 1e-6f;
    for (size_t j = 0; j < i && !seen; j++) {
      float other = (float)given->floats[j];
      seen = fabsf(ratio - other) < 1e-6f || (flip && fabsf(ratio - 1 / other) < 1e-6f);
    }
    if (!seen)
      count += flip ? 2 : 1;
  }
  return count;
}

pir_status pd_infer_prior_box(pir_infer *infer) {
  const pir_fact *input = infer->operands[PD_PRIOR_BOX_IN_INPUT];
  const pir_attr_value *attrs = infer->attrs;
  int64_t sizes = (int64_t)attrs[PD_PRIOR_BOX_ATTR_MIN_SIZES].count,
          larger = (int64_t)attrs[PD_PRIOR_BOX_ATTR_MAX_SIZES].count;
  int64_t priors =
      count_ratios(&attrs[PD_PRIOR_BOX_ATTR_ASPECT_RATIOS], attrs[PD_PRIOR_BOX_ATTR_FLIP].i) *
          sizes +
      larger;
  for (int i = 0; i < 2; i++) {
    pir_fact *out = infer_begin(infer, i);
    if (fact_has_rank(input, 4))
      fact_put_shape(out, 4, input->shape[2], input->shape[3], priors, 4);
    else if (input && input->known && input->rank >= 0)
      return pir_infer_fail(infer, "input: expects rank 4, found %d", input->rank);
  }
  return PIR_OK;
}

pir_status pd_infer_roi_align(pir_infer *infer) {
  const pir_fact *x = infer->operands[PD_ROI_ALIGN_IN_X],
                 *boxes = infer->operands[PD_ROI_ALIGN_IN_BOXES];
  int64_t height = infer->attrs[PD_ROI_ALIGN_ATTR_POOLED_HEIGHT].i,
          width = infer->attrs[PD_ROI_ALIGN_ATTR_POOLED_WIDTH].i;
  pir_fact *out = infer_begin(infer, 0);
  if (height < 1 || width < 1)
    return pir_infer_fail(infer, "regions of %lld by %lld", (long long)height,
                          (long long)width);
  if (fact_has_rank(x, 4) && fact_has_rank(boxes, 2))
    fact_put_shape(out, 4, boxes->shape[0], x->shape[1], height, width);
  return PIR_OK;
}

// Results: rows of label, score and box; positions; the number for each image.
pir_status pd_infer_boxes_kept(pir_infer *infer) {
  const pir_fact *scores = infer->operands[1],
                 *rois_num = infer->operand_count > 2 ? infer->operands[2] : NULL;
  fact_put_shape(infer_begin(infer, 0), 2, PIR_DIM_UNKNOWN, 6, 0, 0);
  fact_put_shape(infer_begin(infer, 1), 2, PIR_DIM_UNKNOWN, 1, 0, 0);
  pir_dim images = PIR_DIM_UNKNOWN;
  if (fact_has_rank(scores, 3))
    images = scores->shape[0];
  else if (fact_has_rank(rois_num, 1))
    images = rois_num->shape[0];
  fact_put_shape(infer_begin(infer, 2), 1, images, 0, 0, 0);
  return PIR_OK;
}

pir_status pd_infer_some(pir_infer *infer) {
  fact_put_shape(infer_begin(infer, 0), 1, PIR_DIM_UNKNOWN, 0, 0, 0);
  return PIR_OK;
}

// Positions of a window in the room that its first position leaves: `positions` of conv.ops.
static pir_dim window_positions(pir_dims *dims, pir_dim room, int64_t step) {
  pir_dim short_of_one = pir_dim_min(dims, pir_dim_ceildiv(dims, room, step), 0);
  return pir_dim_add(dims, pir_dim_max(dims, pir_dim_floordiv(dims, room, step), short_of_one),
                     1);
}

pir_status pd_infer_deformable_conv(pir_infer *infer) {
  const pir_fact *x = infer->operands[PD_DEFORMABLE_CONV_IN_X],
                 *filter = infer->operands[PD_DEFORMABLE_CONV_IN_FILTER];
  const pir_attr_value *strides = &infer->attrs[PD_DEFORMABLE_CONV_ATTR_STRIDES],
                       *paddings = &infer->attrs[PD_DEFORMABLE_CONV_ATTR_PADDINGS];
  const pir_attr_value *dilations = &infer->attrs[PD_DEFORMABLE_CONV_ATTR_DILATIONS];
  pir_dims *dims = infer->dims;
  pir_fact *out = infer_begin(infer, 0);
  if (strides->count != 2 || paddings->count != 2 || dilations->count != 2)
    return pir_infer_fail(infer, "strides, paddings and dilations: expects 2 numbers each");
  if (!fact_has_rank(x, 4) || !fact_has_rank(filter, 4))
    return PIR_OK;
  fact_put_shape(out, 4, x->shape[0], filter->shape[0], PIR_DIM_UNKNOWN, PIR_DIM_UNKNOWN);
  for (int a = 0; a < 2; a++) {
    pir_dim n = x->shape[2 + a], k = filter->shape[2 + a];
    if (strides->ints[a] < 1 || paddings->ints[a] < 0 || dilations->ints[a] < 1)
      return pir_infer_fail(infer, "stride %lld, padding %lld, dilation %lld",
                            (long long)strides->ints[a], (long long)paddings->ints[a],
                            (long long)dilations->ints[a]);
    if (n == PIR_DIM_UNKNOWN || k == PIR_DIM_UNKNOWN)
      continue;
    pir_dim window = pir_dim_mul(dims, dilations->ints[a], pir_dim_sub(dims, k, 1));
    pir_dim room = pir_dim_sub(
        dims, pir_dim_add(dims, n, pir_dim_const(dims, 2 * paddings->ints[a] - 1)), window);
    out->shape[2 + a] = window_positions(dims, room, strides->ints[a]);
  }
  return PIR_OK;
}

pir_status pd_infer_generate_proposals(pir_infer *infer) {
  const pir_fact *scores = infer->operands[PD_GENERATE_PROPOSALS_IN_SCORES];
  fact_put_shape(infer_begin(infer, PD_GENERATE_PROPOSALS_OUT_RPN_ROIS), 2, PIR_DIM_UNKNOWN, 4,
                 0, 0);
  fact_put_shape(infer_begin(infer, PD_GENERATE_PROPOSALS_OUT_RPN_ROI_PROBS), 2,
                 PIR_DIM_UNKNOWN, 1, 0, 0);
  pir_dim images = fact_has_rank(scores, 4) ? scores->shape[0] : PIR_DIM_UNKNOWN;
  fact_put_shape(infer_begin(infer, PD_GENERATE_PROPOSALS_OUT_RPN_ROIS_NUM), 1, images, 0, 0,
                 0);
  return PIR_OK;
}

// One list entry for each level.
static void put_levels(pir_infer *infer, int result, size_t levels, int32_t rank,
                       pir_dim first) {
  pir_fact *facts = INFER_NEW(infer, pir_fact, levels);
  const pir_fact **members = INFER_NEW(infer, const pir_fact *, levels);
  pir_dtype dtype = infer_result_dtype(infer, result);
  for (size_t i = 0; i < levels; i++) {
    facts[i] = (pir_fact){.known = true, .dtype = dtype};
    fact_put_shape(&facts[i], rank, first, 4, 0, 0);
    members[i] = &facts[i];
  }
  infer->results[result] = (pir_fact){
      .known = true, .dtype = dtype, .rank = -1, .members = members, .member_count = levels};
}

// `counts` holds the number of regions of each image in the batch; without it there is one
// image.
static pir_dim images_of(const pir_fact *counts) {
  if (!counts)
    return 1;
  return fact_has_rank(counts, 1) ? counts->shape[0] : PIR_DIM_UNKNOWN;
}

pir_status pd_infer_distribute_fpn_proposals(pir_infer *infer) {
  const pir_fact *rois = infer->operands[PD_DISTRIBUTE_FPN_PROPOSALS_IN_FPN_ROIS];
  const pir_fact *number = infer->operands[PD_DISTRIBUTE_FPN_PROPOSALS_IN_ROIS_NUM];
  int64_t low = infer->attrs[PD_DISTRIBUTE_FPN_PROPOSALS_ATTR_MIN_LEVEL].i,
          high = infer->attrs[PD_DISTRIBUTE_FPN_PROPOSALS_ATTR_MAX_LEVEL].i;
  if (low < 0 || high < low || high - low > 64)
    return pir_infer_fail(infer, "levels %lld to %lld", (long long)low, (long long)high);
  put_levels(infer, PD_DISTRIBUTE_FPN_PROPOSALS_OUT_MULTI_FPN_ROIS, (size_t)(high - low + 1), 2,
             PIR_DIM_UNKNOWN);
  put_levels(infer, PD_DISTRIBUTE_FPN_PROPOSALS_OUT_MULTI_LEVEL_ROIS_NUM,
             (size_t)(high - low + 1), 1, images_of(number));
  pir_dim count = fact_has_rank(rois, 2) ? rois->shape[0] : PIR_DIM_UNKNOWN;
  fact_put_shape(infer_begin(infer, PD_DISTRIBUTE_FPN_PROPOSALS_OUT_RESTORE_INDEX), 2, count, 1,
                 0, 0);
  return PIR_OK;
}

pir_status pd_infer_collect_fpn_proposals(pir_infer *infer) {
  const pir_fact *scores = infer->operands[PD_COLLECT_FPN_PROPOSALS_IN_MULTI_LEVEL_SCORES];
  for (size_t i = 0; scores && i < scores->member_count; i++)
    if (scores->members[i]->known && scores->members[i]->rank >= 0 &&
        scores->members[i]->rank != 2)
      return pir_infer_fail(infer, "multi_level_scores: expects rank 2, found %d in member %zu",
                            scores->members[i]->rank, i);
  const pir_fact *numbers = infer->operands[PD_COLLECT_FPN_PROPOSALS_IN_MULTI_LEVEL_ROIS_NUM],
                 *first = numbers && numbers->member_count ? numbers->members[0] : numbers;
  fact_put_shape(infer_begin(infer, PD_COLLECT_FPN_PROPOSALS_OUT_FPN_ROIS), 2, PIR_DIM_UNKNOWN,
                 4, 0, 0);
  if (infer->result_count > 1)
    fact_put_shape(infer_begin(infer, PD_COLLECT_FPN_PROPOSALS_OUT_ROIS_NUM), 1,
                   images_of(first), 0, 0, 0);
  return PIR_OK;
}

// One grid for each region, with the channels of x or those that an attribute states.
pir_status pd_infer_pooled_regions(pir_infer *infer) {
  const pir_fact *x = infer->operands[PD_ROI_POOL_IN_X],
                 *boxes = infer->operands[PD_ROI_POOL_IN_BOXES];
  int64_t height = infer->attrs[PD_ROI_POOL_ATTR_POOLED_HEIGHT].i,
          width = infer->attrs[PD_ROI_POOL_ATTR_POOLED_WIDTH].i;
  int channels = pir_opdef_attr(infer->def, PIR_STR("output_channels"));
  if (height < 1 || width < 1)
    return pir_infer_fail(infer, "regions of %lld by %lld", (long long)height,
                          (long long)width);
  if (channels >= 0 && infer->attrs[channels].i < 0)
    return pir_infer_fail(infer, "output_channels is %lld",
                          (long long)infer->attrs[channels].i);
  if (x && x->known && x->rank >= 0 && x->rank != 4)
    return pir_infer_fail(infer, "x: expects rank 4, found %d", x->rank);
  for (size_t i = 0; i < infer->result_count; i++) {
    pir_fact *out = infer_begin(infer, (int)i);
    if (!fact_has_rank(x, 4) || !fact_has_rank(boxes, 2))
      continue;
    fact_put_shape(out, 4, boxes->shape[0],
                   channels >= 0 ? infer->attrs[channels].i : x->shape[1], height, width);
  }
  return PIR_OK;
}
