// Facts of layers whose shape no clause gives: resizing, batch statistics, gated linear units.
#include "infer_impl.h"
#include <pd_op_hooks.h>

#include <pir/compiler/dialect/pd_op.h>

#include <math.h>
#include <string.h>

pir_status pd_infer_batch_norm(pir_infer *infer) {
  const pir_fact *x = infer->operands[PD_BATCH_NORM_IN_X],
                 *mean = infer->operands[PD_BATCH_NORM_IN_MEAN];
  for (int i = 0; i < infer->def->result_count; i++) {
    pir_fact *out = infer_begin(infer, i);
    const pir_fact *like = i ? mean : x;
    if (i == PD_BATCH_NORM_OUT_RESERVE_SPACE) {
      out->rank = 1;
      out->shape[0] = 0;
    } else if (fact_has_shape(like)) {
      memcpy(out->shape, like->shape, sizeof out->shape);
      out->rank = like->rank;
    }
  }
  return PIR_OK;
}

// Returns the extent of spatial axis a. A list of sizes takes precedence over an out_size
// tensor, that over scales, and those over attributes.
static pir_dim resized(pir_infer *infer, int a, int axes, pir_dim extent) {
  const pir_fact *sizes = infer->operands[PD_NEAREST_INTERP_IN_SIZE_TENSOR],
                 *size = infer->operands[PD_NEAREST_INTERP_IN_OUT_SIZE];
  const pir_attr_value *scale = &infer->attrs[PD_NEAREST_INTERP_ATTR_SCALE];
  static const int attrs[3] = {PD_NEAREST_INTERP_ATTR_OUT_D, PD_NEAREST_INTERP_ATTR_OUT_H,
                               PD_NEAREST_INTERP_ATTR_OUT_W};
  int64_t known;
  if (sizes && sizes->known && sizes->member_count)
    return fact_element(sizes, a);
  if (size)
    return fact_element(size, a);
  const pir_fact *factors = infer->operands[PD_NEAREST_INTERP_IN_SCALE_TENSOR];
  if (factors) {
    double factor;
    int64_t i = factors->known && factors->rank == 1 && factors->shape[0] > a ? a : 0;
    bool both = fact_number(infer->dims, factors, i, &factor) && extent != PIR_DIM_UNKNOWN;
    if (!both || !pir_dim_is_const(infer->dims, extent, &known))
      return PIR_DIM_UNKNOWN;
    return factor > 0 ? (int64_t)((double)known * factor) : PIR_DIM_UNKNOWN;
  }
  if (scale->count && (scale->kind == PIR_VALUE_FLOATS || scale->kind == PIR_VALUE_INTS)) {
    size_t i = (size_t)a < scale->count ? (size_t)a : scale->count - 1;
    double factor = scale->kind == PIR_VALUE_FLOATS ? scale->floats[i] : (double)scale->ints[i];
    if (factor > 0) {
      if (extent == PIR_DIM_UNKNOWN)
        return PIR_DIM_UNKNOWN;
      if (pir_dim_is_const(infer->dims, extent, &known))
        return (int64_t)((double)known * factor);
      if (factor == floor(factor))
        return pir_dim_mul(infer->dims, extent, (int64_t)factor);
      if (1 / factor == floor(1 / factor))
        return pir_dim_floordiv(infer->dims, extent, (int64_t)(1 / factor));
      return PIR_DIM_UNKNOWN;
    }
  }
  int64_t given = infer->attrs[attrs[3 - axes + a]].i;
  return given > 0 ? given : PIR_DIM_UNKNOWN;
}

pir_status pd_infer_resize(pir_infer *infer) {
  const pir_fact *x = infer->operands[PD_NEAREST_INTERP_IN_X];
  pir_str format = infer->attrs[PD_NEAREST_INTERP_ATTR_DATA_FORMAT].text;
  pir_fact *out = infer_begin(infer, 0);
  if (!fact_has_shape(x))
    return PIR_OK;
  if (x->rank < 3 || x->rank > 5)
    return pir_infer_fail(infer, "expects a tensor of rank 3, 4 or 5, has %d", x->rank);
  memcpy(out->shape, x->shape, sizeof out->shape);
  out->rank = x->rank;
  int first = pir_str_equal(format, PIR_STR("NCHW")) ? 2 : 1;  // whatever the rank
  for (int a = 0; a < x->rank - 2; a++)
    out->shape[first + a] = resized(infer, a, x->rank - 2, x->shape[first + a]);
  return PIR_OK;
}

pir_status pd_infer_swiglu(pir_infer *infer) {
  const pir_fact *x = infer->operands[PD_SWIGLU_IN_X];
  pir_fact *out = infer_begin(infer, 0);
  if (!fact_has_shape(x) || x->rank < 1)
    return PIR_OK;
  memcpy(out->shape, x->shape, sizeof out->shape);
  out->rank = x->rank;
  if (!infer->operands[PD_SWIGLU_IN_Y])
    out->shape[x->rank - 1] = pir_dim_floordiv(infer->dims, x->shape[x->rank - 1], 2);
  return PIR_OK;
}

// Reduces along the last axis, which is removed.
pir_status pd_infer_dot(pir_infer *infer) {
  const pir_fact *x = infer->operands[PD_DOT_IN_X];
  pir_fact *out = infer_begin(infer, 0);
  if (!fact_has_shape(x) || x->rank < 1)
    return PIR_OK;
  memcpy(out->shape, x->shape, sizeof out->shape);
  out->rank = x->rank - 1;
  return PIR_OK;
}

// The channels of x with the requested extents.
static pir_status unpooled(pir_infer *infer, int axes, const pir_dim *extents) {
  const pir_fact *x = infer->operands[PD_UNPOOL_IN_X],
                 *indices = infer->operands[PD_UNPOOL_IN_INDICES];
  pir_fact *out = infer_begin(infer, 0);
  if (!fact_has_shape(x))
    return PIR_OK;
  if (x->rank != axes + 2)
    return pir_infer_fail(infer, "x: expects rank %d, found %d", axes + 2, x->rank);
  if (fact_has_shape(indices) && indices->rank != x->rank)
    return pir_infer_fail(infer, "indices: expects rank %d, found %d", x->rank, indices->rank);
  memcpy(out->shape, x->shape, sizeof out->shape);
  memcpy(out->shape + 2, extents, (size_t)axes * sizeof *extents);
  out->rank = x->rank;
  return PIR_OK;
}

pir_status pd_infer_unpool(pir_infer *infer) {
  const pir_fact *size = infer->operands[PD_UNPOOL_IN_OUTPUT_SIZE];
  pir_dim extents[2] = {PIR_DIM_UNKNOWN, PIR_DIM_UNKNOWN}, count;
  int64_t n;
  if (fact_count(size, &count) && pir_dim_is_const(infer->dims, count, &n)) {
    if (n != 2)
      return pir_infer_fail(infer, "output_size: expects 2 extents, found %lld", (long long)n);
    for (int a = 0; a < 2; a++)
      extents[a] = fact_element(size, a);
  }
  return unpooled(infer, 2, extents);
}

pir_status pd_infer_unpool3d(pir_infer *infer) {
  const pir_attr_value *size = &infer->attrs[PD_UNPOOL3D_ATTR_OUTPUT_SIZE];
  if (size->count != 3)
    return pir_infer_fail(infer, "output_size: expects 3 extents, found %zu", size->count);
  for (size_t a = 0; a < 3; a++)
    if (size->ints[a] < 0)
      return pir_infer_fail(infer, "output_size: expects extents, found %lld",
                            (long long)size->ints[a]);
  return unpooled(infer, 3, size->ints);
}
