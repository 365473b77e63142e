// Facts of Fourier transforms. The result has the shape of x, except that a real transform
// stores only half of the last transformed axis.
#include "infer_impl.h"
#include <pd_op_hooks.h>

#include <pir/compiler/dialect/pd_op.h>

#include <string.h>

// Sets the result to the shape of x; returns the last listed axis, or -1.
static pir_status begin_transform(pir_infer *infer, pir_dtype narrow, pir_dtype wide,
                                  pir_fact **out, int *axis) {
  const pir_fact *x = infer->operands[0];
  const pir_attr_value *axes = &infer->attrs[pir_opdef_attr(infer->def, PIR_STR("axes"))];
  uint32_t seen = 0;
  *out = infer_begin(infer, 0);
  *axis = -1;
  bool single = (*out)->dtype == PIR_F32 || (*out)->dtype == PIR_C64;
  (*out)->dtype = single ? narrow : wide;
  if (!x || !x->known || x->rank < 0)
    return PIR_OK;
  (*out)->rank = x->rank;
  memcpy((*out)->shape, x->shape, sizeof x->shape);
  for (size_t i = 0; i < axes->count; i++) {
    int64_t d = axes->ints[i] < 0 ? axes->ints[i] + x->rank : axes->ints[i];
    if (d < 0 || d >= x->rank || seen >> d & 1)
      return pir_infer_fail(infer, "axes: expects different axes of rank %d, found %lld",
                            x->rank, (long long)axes->ints[i]);
    seen |= 1u << d;
    *axis = (int)d;
  }
  return PIR_OK;
}

static pir_status no_axis(pir_infer *infer, const pir_fact *out) {
  return out->rank < 0 ? PIR_OK
                       : pir_infer_fail(infer, "axes: expects at least one, found none");
}

pir_status pd_infer_fft(pir_infer *infer) {
  pir_fact *out;
  int axis;
  return begin_transform(infer, PIR_C64, PIR_C128, &out, &axis);
}

pir_status pd_infer_fft_r2c(pir_infer *infer) {
  pir_fact *out;
  int axis;
  PIR_TRY(begin_transform(infer, PIR_C64, PIR_C128, &out, &axis));
  if (axis < 0)
    return no_axis(infer, out);
  if (infer->attrs[PD_FFT_R2C_ATTR_ONESIDED].i)
    out->shape[axis] =
        pir_dim_add(infer->dims, pir_dim_floordiv(infer->dims, out->shape[axis], 2), 1);
  return PIR_OK;
}

pir_status pd_infer_fft_c2r(pir_infer *infer) {
  int64_t size = infer->attrs[PD_FFT_C2R_ATTR_LAST_DIM_SIZE].i;
  pir_fact *out;
  int axis;
  PIR_TRY(begin_transform(infer, PIR_F32, PIR_F64, &out, &axis));
  if (axis < 0)
    return no_axis(infer, out);
  if (size > 0)
    out->shape[axis] = size;
  else
    out->shape[axis] =
        pir_dim_mul(infer->dims, 2, pir_dim_sub(infer->dims, out->shape[axis], 1));
  return PIR_OK;
}
