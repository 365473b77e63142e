// Facts of ops over sequences, graphs and trees: losses, best paths, metrics.
#include "infer_impl.h"
#include <pd_op_hooks.h>

#include <pir/compiler/dialect/pd_op.h>

#include <string.h>

static const pir_fact *ranked(pir_infer *infer, int operand) {
  const pir_fact *x = (size_t)operand < infer->operand_count ? infer->operands[operand] : NULL;
  return x && x->known && !x->members && x->rank >= 0 ? x : NULL;
}

// Returns the operand, which must have this rank if known; NULL if unknown, or with `*status`
// set.
static const pir_fact *expect(pir_infer *infer, int operand, int32_t rank, pir_status *status) {
  const pir_fact *x = ranked(infer, operand);
  if (!x || *status || x->rank == rank)
    return *status ? NULL : x;
  *status = pir_infer_fail(infer, "%s: expects rank %d, found %d",
                           infer->def->operands[operand].name, rank, x->rank);
  return NULL;
}

static void put(pir_infer *infer, int result, int32_t rank, pir_dim a, pir_dim b, pir_dim c,
                pir_dim d) {
  if ((size_t)result < infer->result_count)
    fact_put_shape(infer_begin(infer, result), rank, a, b, c, d);
}

// A result of the shape of x; of unknown shape when x is NULL.
static void put_like(pir_infer *infer, int result, const pir_fact *x) {
  pir_fact *out = infer_begin(infer, result);
  if (!x)
    return;
  out->rank = x->rank;
  memcpy(out->shape, x->shape, sizeof out->shape);
}

// One number each.
pir_status pd_infer_one_each(pir_infer *infer) {
  for (size_t i = 0; i < infer->result_count; i++)
    put(infer, (int)i, 1, 1, 0, 0, 0);
  return PIR_OK;
}

pir_status pd_infer_three_each(pir_infer *infer) {
  for (size_t i = 0; i < infer->result_count; i++)
    put(infer, (int)i, 1, 3, 0, 0, 0);
  return PIR_OK;
}

// Lists whose lengths are known only at run time.
pir_status pd_infer_rows_found(pir_infer *infer) {
  for (size_t i = 0; i < infer->result_count; i++)
    put(infer, (int)i, 1, PIR_DIM_UNKNOWN, 0, 0, 0);
  return PIR_OK;
}

pir_status pd_infer_path_of_steps(pir_infer *infer) {
  pir_status status = PIR_OK;
  bool padded = infer->operands[PD_CRF_DECODING_IN_LENGTH] !=
                NULL;  // without lengths, sequences are concatenated
  const pir_fact *x = expect(infer, PD_CRF_DECODING_IN_EMISSION, padded ? 3 : 2, &status);
  if (x && !padded)
    put(infer, 0, 2, x->shape[0], 1, 0, 0);
  else if (x)
    put(infer, 0, 2, x->shape[0], x->shape[1], 0, 0);
  else
    infer_begin(infer, 0);
  return status;
}

pir_status pd_infer_viterbi_decode(pir_infer *infer) {
  pir_status status = PIR_OK;
  const pir_fact *x = expect(infer, PD_VITERBI_DECODE_IN_POTENTIALS, 3, &status);
  pir_dim batch = x ? x->shape[0] : PIR_DIM_UNKNOWN;
  put(infer, PD_VITERBI_DECODE_OUT_SCORES, 1, batch, 0, 0, 0);
  put(infer, PD_VITERBI_DECODE_OUT_PATH, 2, batch, PIR_DIM_UNKNOWN, 0, 0);
  return status;
}

pir_status pd_infer_ctc_align(pir_infer *infer) {
  pir_status status = PIR_OK;
  const pir_fact *x = expect(infer, PD_CTC_ALIGN_IN_INPUT, 2, &status);
  pir_dim n = x ? x->shape[0] : PIR_DIM_UNKNOWN, steps = x ? x->shape[1] : PIR_DIM_UNKNOWN;
  put(infer, PD_CTC_ALIGN_OUT_OUTPUT, 2, n, steps, 0, 0);
  put(infer, PD_CTC_ALIGN_OUT_OUTPUT_LENGTH, 2, n, 1, 0, 0);
  return status;
}

pir_status pd_infer_edit_distance(pir_infer *infer) {
  pir_status status = PIR_OK;
  const pir_fact *x = expect(infer, PD_EDIT_DISTANCE_IN_HYPS, 2, &status);
  put(infer, PD_EDIT_DISTANCE_OUT_SEQUENCENUM, 1, 1, 0, 0, 0);
  put(infer, PD_EDIT_DISTANCE_OUT_OUT, 2, x ? x->shape[0] : PIR_DIM_UNKNOWN, 1, 0, 0);
  return status;
}

pir_status pd_infer_auc(pir_infer *infer) {
  put(infer, PD_AUC_OUT_AUC, 0, 0, 0, 0, 0);
  for (int i = 0; i < 2; i++)
    put_like(infer, PD_AUC_OUT_STAT_POS_OUT + i, ranked(infer, PD_AUC_IN_STAT_POS + i));
  return PIR_OK;
}

pir_status pd_infer_warpctc(pir_infer *infer) {
  pir_status status = PIR_OK;
  const pir_fact *x = expect(infer, PD_WARPCTC_IN_LOGITS, 3, &status);
  put(infer, PD_WARPCTC_OUT_LOSS, 2, x ? x->shape[1] : PIR_DIM_UNKNOWN, 1, 0, 0);
  put_like(infer, PD_WARPCTC_OUT_WARPCTCGRAD, x);
  return status;
}

pir_status pd_infer_warprnnt(pir_infer *infer) {
  pir_status status = PIR_OK;
  const pir_fact *x = expect(infer, PD_WARPRNNT_IN_INPUT, 4, &status);
  put(infer, PD_WARPRNNT_OUT_LOSS, 1, x ? x->shape[0] : PIR_DIM_UNKNOWN, 0, 0, 0);
  put_like(infer, PD_WARPRNNT_OUT_WARPRNNTGRAD, x);
  return status;
}

pir_status pd_infer_hsigmoid_loss(pir_infer *infer) {
  pir_status status = PIR_OK;
  const pir_fact *x = expect(infer, PD_HSIGMOID_LOSS_IN_X, 2, &status),
                 *path = expect(infer, PD_HSIGMOID_LOSS_IN_PATH, 2, &status);
  pir_dim rows = x ? x->shape[0] : PIR_DIM_UNKNOWN, depth = 0;
  for (int64_t last = infer->attrs[PD_HSIGMOID_LOSS_ATTR_NUM_CLASSES].i - 1; last > 0;
       last /= 2)
    depth++;
  if (infer->operands[PD_HSIGMOID_LOSS_IN_PATH])
    depth = path ? path->shape[1] : PIR_DIM_UNKNOWN;
  put(infer, PD_HSIGMOID_LOSS_OUT_OUT, 2, rows, 1, 0, 0);
  put(infer, PD_HSIGMOID_LOSS_OUT_PRE_OUT, 2, rows, depth, 0, 0);
  put(infer, PD_HSIGMOID_LOSS_OUT_W_OUT, 1, 0, 0, 0, 0);
  return status;
}

pir_status pd_infer_yolo_loss(pir_infer *infer) {
  pir_status status = PIR_OK;
  const pir_fact *x = expect(infer, PD_YOLO_LOSS_IN_X, 4, &status),
                 *boxes = expect(infer, PD_YOLO_LOSS_IN_GT_BOX, 3, &status);
  pir_dim n = x ? x->shape[0] : PIR_DIM_UNKNOWN;
  put(infer, PD_YOLO_LOSS_OUT_LOSS, 1, n, 0, 0, 0);
  put(infer, PD_YOLO_LOSS_OUT_OBJECTNESS_MASK, 4, n,
      (pir_dim)infer->attrs[PD_YOLO_LOSS_ATTR_ANCHOR_MASK].count,
      x ? x->shape[2] : PIR_DIM_UNKNOWN, x ? x->shape[3] : PIR_DIM_UNKNOWN);
  put(infer, PD_YOLO_LOSS_OUT_GT_MATCH_MASK, 2, n, boxes ? boxes->shape[1] : PIR_DIM_UNKNOWN, 0,
      0);
  return status;
}

pir_status pd_infer_bipartite_match(pir_infer *infer) {
  pir_status status = PIR_OK;
  const pir_fact *x = expect(infer, 0, 2, &status);
  for (int i = 0; i < 2; i++)
    put(infer, i, 2, 1, x ? x->shape[1] : PIR_DIM_UNKNOWN, 0, 0);
  return status;
}

pir_status pd_infer_hash(pir_infer *infer) {
  pir_status status = PIR_OK;
  const pir_fact *x = expect(infer, PD_HASH_IN_X, 2, &status);
  put(infer, 0, 3, x ? x->shape[0] : PIR_DIM_UNKNOWN, infer->attrs[PD_HASH_ATTR_NUM_HASH].i, 1,
      0);
  return status;
}

pir_status pd_infer_gru_unit(pir_infer *infer) {
  pir_status status = PIR_OK;
  const pir_fact *x = expect(infer, PD_GRU_UNIT_IN_INPUT, 2, &status),
                 *before = expect(infer, PD_GRU_UNIT_IN_HIDDEN_PREV, 2, &status);
  const pir_fact *from[3] = {x, before, before};
  for (int i = 0; i < 3; i++)
    put_like(infer, i, from[i]);
  return status;
}

pir_status pd_infer_lookup_table_dequant(pir_infer *infer) {
  pir_status status = PIR_OK;
  const pir_fact *w = expect(infer, PD_LOOKUP_TABLE_DEQUANT_IN_W, 2, &status),
                 *ids = ranked(infer, PD_LOOKUP_TABLE_DEQUANT_IN_IDS);
  pir_dims *dims = infer->dims;
  pir_fact *out = infer_begin(infer, 0);
  if (!w || !ids || ids->rank < 1)
    return status;
  out->rank = ids->rank;
  memcpy(out->shape, ids->shape, sizeof out->shape);
  out->shape[out->rank - 1] = pir_dim_mul(dims, 4, pir_dim_sub(dims, w->shape[1], 2));
  return status;
}

// The members unchanged, and one buffer with all elements, each member rounded up to the
// alignment.
pir_status pd_infer_coalesce_tensor(pir_infer *infer) {
  const pir_fact *list = infer->operands[PD_COALESCE_TENSOR_IN_INPUT];
  const pir_attr_value *attrs = infer->attrs;
  pir_dims *dims = infer->dims;
  pir_dtype dtype = infer_result_dtype(infer, 0);
  int64_t size = attrs[PD_COALESCE_TENSOR_ATTR_SIZE_OF_DTYPE].i,
          align = attrs[PD_COALESCE_TENSOR_ATTR_ALIGN_SIZE].i;
  if (size <= 0)
    size = (int64_t)pir_dtype_size(dtype);
  if (align <= 0)
    align = 256;
  if (!attrs[PD_COALESCE_TENSOR_ATTR_USE_ALIGN].i)
    align = 1;
  else if (size)
    align /= size;
  pir_dim total = 0;
  size_t n = list && list->members ? list->member_count : 0;
  pir_fact *facts = INFER_NEW(infer, pir_fact, n);
  const pir_fact **members = INFER_NEW(infer, const pir_fact *, n);
  for (size_t i = 0; i < n; i++) {
    facts[i] = *list->members[i];
    facts[i].dtype = dtype;
    facts[i].contents = NULL;
    facts[i].content_count = 0;
    members[i] = &facts[i];
    pir_dim count = facts[i].known ? fact_numel(dims, &facts[i]) : PIR_DIM_UNKNOWN;
    if (align > 1 && count != PIR_DIM_UNKNOWN)
      count = pir_dim_mul(dims, align,
                          pir_dim_floordiv(dims, pir_dim_add(dims, count, align - 1), align));
    total = total == PIR_DIM_UNKNOWN || count == PIR_DIM_UNKNOWN
                ? PIR_DIM_UNKNOWN
                : pir_dim_add(dims, total, count);
  }
  infer->results[0] = (pir_fact){
      .known = n > 0, .dtype = dtype, .rank = -1, .members = members, .member_count = n};
  put(infer, PD_COALESCE_TENSOR_OUT_FUSED_OUTPUT, 1, total, 0, 0, 0);
  return PIR_OK;
}

// Transposed; 4-bit weights are packed two to a byte. Scales are f32 if they are applied after
// the product.
pir_status pd_infer_weight_quantize(pir_infer *infer) {
  pir_status status = PIR_OK;
  const pir_fact *x = expect(infer, PD_WEIGHT_QUANTIZE_IN_X, 2, &status);
  pir_str algo = infer->attrs[PD_WEIGHT_QUANTIZE_ATTR_ALGO].text;
  pir_dim rows = x ? x->shape[0] : PIR_DIM_UNKNOWN, columns = x ? x->shape[1] : PIR_DIM_UNKNOWN,
          lines = columns;
  if (x && pir_str_equal(algo, PIR_STR("weight_only_int4")))
    lines = pir_dim_floordiv(infer->dims, columns, 2);
  put(infer, PD_WEIGHT_QUANTIZE_OUT_OUT, 2, lines, rows, 0, 0);
  int64_t group = infer->attrs[PD_WEIGHT_QUANTIZE_ATTR_GROUP_SIZE].i;
  pir_dim groups = group > 0 && x ? pir_dim_ceildiv(infer->dims, rows, group) : PIR_DIM_UNKNOWN;
  if (group > 0)
    put(infer, PD_WEIGHT_QUANTIZE_OUT_SCALE, 2, groups, columns, 0, 0);
  else
    put(infer, PD_WEIGHT_QUANTIZE_OUT_SCALE, 1, columns, 0, 0, 0);
  if (pir_str_equal(algo, PIR_STR("llm.int8")))
    infer->results[PD_WEIGHT_QUANTIZE_OUT_SCALE].dtype = PIR_F32;
  return status;
}

// Each member becomes one row a sequence, without its counts unless they are used.
pir_status pd_infer_fused_seqpool_cvm(pir_infer *infer) {
  const pir_fact *list = infer->operands[PD_FUSED_SEQPOOL_CVM_IN_X];
  const pir_attr_value *attrs = infer->attrs;
  bool used = attrs[PD_FUSED_SEQPOOL_CVM_ATTR_USE_CVM].i != 0;
  int64_t offset = attrs[PD_FUSED_SEQPOOL_CVM_ATTR_CVM_OFFSET].i;
  if (offset < 0 || offset > INT32_MAX)
    return pir_infer_fail(infer, "cvm_offset: expects a number of columns");
  if (!list || !list->members)
    return PIR_OK;
  pir_fact *facts = INFER_NEW(infer, pir_fact, list->member_count);
  const pir_fact **members = INFER_NEW(infer, const pir_fact *, list->member_count);
  for (size_t i = 0; i < list->member_count; i++) {
    const pir_fact *x = list->members[i];
    if (fact_has_rank(x, 2) && x->shape[1] >= 0 && x->shape[1] < offset)
      return pir_infer_fail(infer, "cvm_offset: x has fewer columns");
    pir_dim wide = fact_has_rank(x, 2) ? x->shape[1] : PIR_DIM_UNKNOWN;
    if (!used)
      wide = pir_dim_sub(infer->dims, wide, offset);
    facts[i] = (pir_fact){.known = true, .rank = 2, .dtype = x->dtype};
    facts[i].shape[0] = PIR_DIM_UNKNOWN;
    facts[i].shape[1] = wide;
    members[i] = &facts[i];
  }
  infer->results[0] = (pir_fact){
      .known = true, .rank = -1, .members = members, .member_count = list->member_count};
  return PIR_OK;
}

// The rows of all experts, each a multiple of the alignment, unless a size is given.
pir_status pd_infer_moe_permute(pir_infer *infer) {
  const pir_attr_value *attrs = infer->attrs;
  const pir_attr_value *counts = &attrs[PD_MOE_PERMUTE_ATTR_TOKENS_PER_EXPERT];
  const pir_fact *x = infer->operands[PD_MOE_PERMUTE_IN_HIDDEN_STATES];
  const pir_fact *scale = infer->operands[PD_MOE_PERMUTE_IN_SCALE];
  int64_t alignment = attrs[PD_MOE_PERMUTE_ATTR_PADDING_ALIGNMENT].i;
  int64_t given = attrs[PD_MOE_PERMUTE_ATTR_OVERRIDE_BUFFER_SIZE].i, rows = 0;
  int64_t experts = attrs[PD_MOE_PERMUTE_ATTR_NUM_EXPERTS].i;
  bool gathers = attrs[PD_MOE_PERMUTE_ATTR_DO_GATHER].i != 0;
  bool numbered = attrs[PD_MOE_PERMUTE_ATTR_RETURN_EXPERT_INDICES].i != 0;
  if (experts < 0 || experts > INT32_MAX)
    return pir_infer_fail(infer, "num_experts: expects a number of experts");
  for (size_t e = 0; e < counts->count; e++) {
    int64_t n = counts->ints[e];
    if (n < 0 || n > INT32_MAX || alignment < 1 || alignment > INT32_MAX || rows > INT32_MAX)
      return pir_infer_fail(infer, "tokens_per_expert and padding_alignment: expects 32 bits");
    rows += (n + alignment - 1) / alignment * alignment;
  }
  rows = given > 0 ? given : rows;
  pir_dim tokens = fact_has_rank(x, 2) ? x->shape[0] : PIR_DIM_UNKNOWN;
  pir_dim wide = fact_has_rank(x, 2) ? x->shape[1] : PIR_DIM_UNKNOWN;
  put(infer, PD_MOE_PERMUTE_OUT_HIDDEN_STATES_UNZIPPED, 2, gathers ? rows : 0, wide, 0, 0);
  put(infer, PD_MOE_PERMUTE_OUT_ZIPPED_EXPERTWISE_ROWMAP, 2, tokens, experts, 0, 0);
  put(infer, PD_MOE_PERMUTE_OUT_TOKEN_PROB_UNZIPPED, 1, rows, 0, 0, 0);
  put(infer, PD_MOE_PERMUTE_OUT_EXPERT_INDICES, 1, numbered ? rows : 0, 0, 0, 0);
  pir_fact *scales = infer_begin(infer, PD_MOE_PERMUTE_OUT_SCALE_UNZIPPED);
  scales->dtype = scale ? scale->dtype : PIR_F32;
  if (!scale)
    fact_put_shape(scales, 1, 0, 0, 0, 0);
  else
    fact_put_shape(scales, 2, rows, fact_has_rank(scale, 2) ? scale->shape[1] : PIR_DIM_UNKNOWN,
                   0, 0);
  return PIR_OK;
}
