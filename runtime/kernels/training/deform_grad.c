// Gradients of deformable convolution. For every sample that a filter tap reads, out_grad is
// multiplied with the filters; the product is distributed to the four elements around the
// sample, to its mask, and, by the slope of the interpolation, to its offset. Computes in
// double, one image after the other. Cost: twice the multiplications of the convolution.
#include <math.h>

#include "kernels.h"

enum { IN_X, IN_OFFSET, IN_FILTER, IN_MASK, IN_OUT_GRAD, INS };
enum { OUT_X, OUT_OFFSET, OUT_FILTER, OUT_MASK, OUTS };
enum { ATTR_STRIDES, ATTR_PADDINGS, ATTR_DILATIONS, ATTR_OFFSET_GROUPS, ATTR_GROUPS };

typedef struct deform {
  const pir_kernel_call *call;
  const pir_tensor *in, *out;  // dense doubles
  int64_t channels, height, width, filters, kh, kw, oh, ow, offset_groups, groups;
} deform;

// Reads the plane at (y, x) with its slopes along y and x, and adds `share` to the gradient
// `to` of the elements that are read, unless `to` is NULL.
static double read_slopes(const deform *d, const double *plane, double *to, double y, double x,
                          double share, double *slope_y, double *slope_x) {
  *slope_y = *slope_x = 0;
  if (!(y > -1 && x > -1 && y < (double)d->height && x < (double)d->width))
    return 0;
  int64_t y0 = (int64_t)floor(y);
  int64_t x0 = (int64_t)floor(x);
  double fy = y - (double)y0;
  double fx = x - (double)x0;
  double sum = 0;
  for (int i = 0; i < 4; i++) {
    int64_t py = y0 + i / 2, px = x0 + i % 2;
    if (py < 0 || px < 0 || py >= d->height || px >= d->width)
      continue;
    double wy = i / 2 ? fy : 1 - fy;
    double wx = i % 2 ? fx : 1 - fx;
    double v = plane[py * d->width + px];
    sum += wy * wx * v;
    *slope_y += (i / 2 ? wx : -wx) * v;
    *slope_x += (i % 2 ? wy : -wy) * v;
    if (to)
      to[py * d->width + px] += share * wy * wx;
  }
  return sum;
}

// The tensor's data from element `at`, or NULL when it has none.
static double *data_from(const pir_tensor *t, int64_t at) {
  return t->data ? (double *)t->data + at : NULL;
}

// Adds the gradients of filter tap k of channel c of one image, at every output position.
static void add_tap_gradients(const deform *d, int64_t image, int64_t c, int64_t k) {
  const int64_t *stride = pir_kernel_ints(d->call, ATTR_STRIDES).ints;
  const int64_t *pad = pir_kernel_ints(d->call, ATTR_PADDINGS).ints;
  const int64_t *dilation = pir_kernel_ints(d->call, ATTR_DILATIONS).ints;
  int64_t places = d->oh * d->ow;
  int64_t taps = d->kh * d->kw;
  int64_t per = d->filters / d->groups;
  int64_t own = d->channels / d->groups;
  int64_t plane = (image * d->channels + c) * d->height * d->width;
  int64_t first = c / own * per;
  int64_t group = image * d->offset_groups + c / (d->channels / d->offset_groups);
  int64_t at = group * 2 * taps * places;
  const double *x = (const double *)d->in[IN_X].data + plane;
  const double *offset = (const double *)d->in[IN_OFFSET].data + at;
  const double *mask = data_from(&d->in[IN_MASK], group * taps * places);
  const double *filter = d->in[IN_FILTER].data;
  const double *grad = (const double *)d->in[IN_OUT_GRAD].data + image * d->filters * places;
  double *x_grad = data_from(&d->out[OUT_X], plane);
  double *offset_grad = data_from(&d->out[OUT_OFFSET], at);
  double *filter_grad = d->out[OUT_FILTER].data;
  double *mask_grad = data_from(&d->out[OUT_MASK], group * taps * places);
  for (int64_t i = 0; i < places; i++) {
    int64_t row = i / d->ow * stride[0] - pad[0] + k / d->kw * dilation[0];
    int64_t column = i % d->ow * stride[1] - pad[1] + k % d->kw * dilation[1];
    double y = (double)row + offset[2 * k * places + i];
    double z = (double)column + offset[(2 * k + 1) * places + i];
    double weight = mask ? mask[k * places + i] : 1;
    double back = 0;
    double slope_y, slope_x;
    for (int64_t m = first; m < first + per; m++)
      back += filter[(m * own + c % own) * taps + k] * grad[m * places + i];
    double value = read_slopes(d, x, x_grad, y, z, back * weight, &slope_y, &slope_x);
    for (int64_t m = first; m < first + per && filter_grad; m++)
      filter_grad[(m * own + c % own) * taps + k] += grad[m * places + i] * value * weight;
    if (mask_grad)
      mask_grad[k * places + i] += back * value;
    if (!offset_grad)
      continue;
    offset_grad[2 * k * places + i] += back * weight * slope_y;
    offset_grad[(2 * k + 1) * places + i] += back * weight * slope_x;
  }
}

// Fails unless the operand has shape [a, b, c, e].
static pir_status expect_shape(const pir_kernel_call *call, int operand, const char *name,
                               int64_t a, int64_t b, int64_t c, int64_t e) {
  const int64_t shape[4] = {a, b, c, e};
  return pir_kernel_expect_shape(call, operand, name, shape, 4);
}

// Checks the operands and takes the extents from them.
static pir_status check_deform_grad_operands(deform *d) {
  const pir_kernel_call *call = d->call;
  PIR_TRY(pir_kernel_expect_rank(call, IN_X, "x", 4));
  PIR_TRY(pir_kernel_expect_rank(call, IN_FILTER, "filter", 4));
  PIR_TRY(pir_kernel_expect_rank(call, IN_OUT_GRAD, "out_grad", 4));
  const int64_t *x = pir_kernel_in(call, IN_X)->shape;
  const int64_t *filter = pir_kernel_in(call, IN_FILTER)->shape;
  const int64_t *grad = pir_kernel_in(call, IN_OUT_GRAD)->shape;
  for (int i = ATTR_STRIDES; i <= ATTR_DILATIONS; i++)
    if (pir_kernel_ints(call, i).count != 2)
      return pir_kernel_fail(call, PIR_INVALID,
                             "%s: strides, paddings and dilations: expects 2 numbers each",
                             call->op);
  d->channels = x[1];
  d->height = x[2];
  d->width = x[3];
  d->filters = filter[0];
  d->kh = filter[2];
  d->kw = filter[3];
  d->oh = grad[2];
  d->ow = grad[3];
  d->offset_groups = pir_kernel_int(call, ATTR_OFFSET_GROUPS);
  d->groups = pir_kernel_int(call, ATTR_GROUPS);
  bool grouped = d->offset_groups >= 1 && d->groups >= 1;
  if (!grouped || d->channels % d->offset_groups || d->channels % d->groups ||
      d->filters % d->groups)
    return pir_kernel_fail(call, PIR_INVALID, "%s: channels, filters and groups do not fit",
                           call->op);
  int64_t taps = d->offset_groups * d->kh * d->kw;
  PIR_TRY(expect_shape(call, IN_FILTER, "filter", d->filters, d->channels / d->groups, d->kh,
                       d->kw));
  PIR_TRY(expect_shape(call, IN_OFFSET, "offset", x[0], 2 * taps, d->oh, d->ow));
  if (pir_kernel_in(call, IN_MASK))
    PIR_TRY(expect_shape(call, IN_MASK, "mask", x[0], taps, d->oh, d->ow));
  return expect_shape(call, IN_OUT_GRAD, "out_grad", x[0], d->filters, d->oh, d->ow);
}

pir_status pir_kernel_deformable_conv_grad(const pir_kernel_call *call) {
  static const uint8_t in[INS] = {PIR_F64, PIR_F64, PIR_F64, PIR_F64, PIR_F64},
                       out[OUTS] = {PIR_F64, PIR_F64, PIR_F64, PIR_F64};
  deform d = {.call = call};
  pir_tensor room[INS + OUTS];
  PIR_TRY(check_deform_grad_operands(&d));
  pir_status status = pir_kernel_open(call, in, INS, out, OUTS, room);
  d.in = room;
  d.out = room + INS;
  int64_t images = pir_kernel_in(call, IN_X)->shape[0];
  for (int64_t image = 0; !status && image < images; image++)
    for (int64_t c = 0; c < d.channels; c++)
      for (int64_t k = 0; k < d.kh * d.kw; k++)
        add_tap_gradients(&d, image, c, k);
  return pir_kernel_close(call, status, INS, OUTS, room);
}
