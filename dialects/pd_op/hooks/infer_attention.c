// Facts of attention over caches, whose results may be rounded to 8 bits.
#include "infer_impl.h"
#include <pd_op_hooks.h>

#include <pir/compiler/dialect/pd_op.h>

#include <string.h>

// The type of a result that is computed from x: 8 bits if a scale says so, the named type if x
// holds sums of integers.
static pir_dtype computed_type(const pir_fact *x, double out_scale, pir_str compute_dtype) {
  if (out_scale > 0)
    return PIR_I8;
  if (x && x->known && x->dtype != PIR_I32)
    return x->dtype;
  if (pir_str_equal(compute_dtype, PIR_STR("fp16")))
    return PIR_F16;
  return pir_str_equal(compute_dtype, PIR_STR("bf16")) ? PIR_BF16 : PIR_F32;
}

// Sets a result to the fact of an operand of a known rank.
static void put_continued(pir_infer *infer, int result, int operand) {
  const pir_fact *x = infer->operands[operand];
  if ((size_t)result >= infer->result_count)
    return;
  pir_fact *out = infer_begin(infer, result);
  if (!x || !x->known || x->members || x->rank < 0)
    return;
  out->dtype = x->dtype;
  out->rank = x->rank;
  memcpy(out->shape, x->shape, sizeof out->shape);
}

// Sets result 0: the rows of x, and its columns of queries: all but the columns of `heads` keys
// and values.
static void put_attended(pir_infer *infer, const pir_fact *x, pir_dim heads, pir_dim width,
                         pir_dtype dtype) {
  pir_fact *out = infer_begin(infer, 0);
  out->dtype = dtype;
  if (!x || !x->known || x->members || x->rank < 2 || heads == PIR_DIM_UNKNOWN)
    return;
  pir_dims *dims = infer->dims;
  pir_dim taken = pir_dim_mul(dims, 2, pir_dim_mul(dims, heads, width));
  out->rank = 2;
  out->shape[0] = x->shape[0];
  out->shape[1] = pir_dim_sub(dims, x->shape[x->rank - 1], taken);
}

pir_status pd_infer_masked_multihead_attention_(pir_infer *infer) {
  const pir_fact *x = infer->operands[PD_MASKED_MULTIHEAD_ATTENTION__IN_X];
  const pir_fact *cache = infer->operands[PD_MASKED_MULTIHEAD_ATTENTION__IN_CACHE_KV];
  const pir_attr_value *attrs = infer->attrs;
  bool known = fact_has_rank(cache, 5);
  pir_dtype dtype =
      computed_type(x, attrs[PD_MASKED_MULTIHEAD_ATTENTION__ATTR_OUT_SCALE].f,
                    attrs[PD_MASKED_MULTIHEAD_ATTENTION__ATTR_COMPUTE_DTYPE].text);
  put_attended(infer, x, known ? cache->shape[2] : PIR_DIM_UNKNOWN,
               known ? cache->shape[4] : PIR_DIM_UNKNOWN, dtype);
  put_continued(infer, PD_MASKED_MULTIHEAD_ATTENTION__OUT_CACHE_KV_OUT,
                PD_MASKED_MULTIHEAD_ATTENTION__IN_CACHE_KV);
  if (infer->operands[PD_MASKED_MULTIHEAD_ATTENTION__IN_BEAM_CACHE_OFFSET])
    put_continued(infer, PD_MASKED_MULTIHEAD_ATTENTION__OUT_BEAM_CACHE_OFFSET_OUT,
                  PD_MASKED_MULTIHEAD_ATTENTION__IN_BEAM_CACHE_OFFSET);
  return PIR_OK;
}

pir_status pd_infer_block_multihead_attention_(pir_infer *infer) {
  const pir_fact *qkv = infer->operands[PD_BLOCK_MULTIHEAD_ATTENTION__IN_QKV];
  const pir_fact *cache = infer->operands[PD_BLOCK_MULTIHEAD_ATTENTION__IN_KEY_CACHE];
  const pir_attr_value *attrs = infer->attrs;
  bool known = fact_has_rank(cache, 4);
  pir_dtype dtype = computed_type(qkv, attrs[PD_BLOCK_MULTIHEAD_ATTENTION__ATTR_OUT_SCALE].f,
                                  attrs[PD_BLOCK_MULTIHEAD_ATTENTION__ATTR_COMPUTE_DTYPE].text);
  put_attended(infer, qkv, known ? cache->shape[1] : PIR_DIM_UNKNOWN,
               known ? cache->shape[3] : PIR_DIM_UNKNOWN, dtype);
  put_continued(infer, PD_BLOCK_MULTIHEAD_ATTENTION__OUT_QKV_OUT,
                PD_BLOCK_MULTIHEAD_ATTENTION__IN_QKV);
  put_continued(infer, PD_BLOCK_MULTIHEAD_ATTENTION__OUT_KEY_CACHE_OUT,
                PD_BLOCK_MULTIHEAD_ATTENTION__IN_KEY_CACHE);
  put_continued(infer, PD_BLOCK_MULTIHEAD_ATTENTION__OUT_VALUE_CACHE_OUT,
                PD_BLOCK_MULTIHEAD_ATTENTION__IN_VALUE_CACHE);
  return PIR_OK;
}

pir_status pd_infer_fused_multi_transformer_(pir_infer *infer) {
  static const int from[] = {PD_FUSED_MULTI_TRANSFORMER__IN_CACHE_KVS,
                             PD_FUSED_MULTI_TRANSFORMER__IN_X};
  static const int to[] = {PD_FUSED_MULTI_TRANSFORMER__OUT_CACHE_KV_OUTS,
                           PD_FUSED_MULTI_TRANSFORMER__OUT_OUT};
  for (int i = 0; i < 2; i++) {
    const pir_fact *x = infer->operands[from[i]];
    pir_fact *out = infer_begin(infer, to[i]);
    if (x)
      *out = *x;
  }
  return PIR_OK;
}
