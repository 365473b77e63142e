// Deformable convolution. For each image, the samples that the filters read are gathered into
// columns, channels in parallel; then the columns of each group are multiplied with its
// filters, filters in parallel. Computes in double. Cost: the multiplications of a convolution,
// and memory for channels * filter taps * positions.
#include <math.h>
#include <string.h>

#include "kernels.h"

enum { ATTR_STRIDES, ATTR_PADDINGS, ATTR_DILATIONS, ATTR_OFFSET_GROUPS, ATTR_GROUPS };
enum { IN_X, IN_OFFSET, IN_FILTER, IN_MASK };

typedef struct deform {
  const pir_kernel_call *call;
  pir_tensor in[4], out;  // dense doubles
  int64_t channels, height, width, filters, kh, kw, oh, ow, offset_groups, groups;
  double *columns;  // columns of one image: [channels * kh * kw][oh * ow]
  size_t columns_size;
  int64_t image;
} deform;

// The plane at (y, x), interpolated; 0 outside of it.
static double read_bilinear(const double *plane, int64_t height, int64_t width, double y,
                            double x) {
  if (!(y > -1 && x > -1 && y < (double)height && x < (double)width))
    return 0;
  int64_t y0 = (int64_t)floor(y);
  int64_t x0 = (int64_t)floor(x);
  double fy = y - (double)y0;
  double fx = x - (double)x0;
  double sum = 0;
  for (int i = 0; i < 4; i++) {
    int64_t py = y0 + i / 2, px = x0 + i % 2;
    if (py < 0 || px < 0 || py >= height || px >= width)
      continue;
    double wy = i / 2 ? fy : 1 - fy;
    double wx = i % 2 ? fx : 1 - fx;
    sum += wy * wx * plane[py * width + px];
  }
  return sum;
}

// Fills the columns of the channels [begin, end) of the current image.
static void gather_channels(void *user, int64_t begin, int64_t end, int thread) {
  (void)thread;
  const deform *d = user;
  const int64_t *stride = pir_kernel_ints(d->call, ATTR_STRIDES).ints;
  const int64_t *pad = pir_kernel_ints(d->call, ATTR_PADDINGS).ints;
  const int64_t *dilation = pir_kernel_ints(d->call, ATTR_DILATIONS).ints;
  int64_t places = d->oh * d->ow;
  int64_t taps = d->kh * d->kw;
  for (int64_t c = begin; c < end; c++) {
    int64_t plane_at = (d->image * d->channels + c) * d->height * d->width;
    const double *plane = (const double *)d->in[IN_X].data + plane_at;
    int64_t group = d->image * d->offset_groups + c / (d->channels / d->offset_groups);
    const double *offset = (const double *)d->in[IN_OFFSET].data + group * 2 * taps * places;
    const double *mask = d->in[IN_MASK].data;
    if (mask)
      mask += group * taps * places;
    for (int64_t k = 0; k < taps; k++) {
      double *to = d->columns + (c * taps + k) * places;
      for (int64_t i = 0; i < places; i++) {
        int64_t row = i / d->ow * stride[0] - pad[0] + k / d->kw * dilation[0];
        int64_t column = i % d->ow * stride[1] - pad[1] + k % d->kw * dilation[1];
        double y = (double)row + offset[2 * k * places + i];
        double x = (double)column + offset[(2 * k + 1) * places + i];
        double weight = mask ? mask[k * places + i] : 1;
        to[i] = read_bilinear(plane, d->height, d->width, y, x) * weight;
      }
    }
  }
}

// Computes the results of the filters [begin, end) of the current image.
static void multiply_filters(void *user, int64_t begin, int64_t end, int thread) {
  (void)thread;
  const deform *d = user;
  int64_t places = d->oh * d->ow;
  int64_t depth = d->channels / d->groups * d->kh * d->kw;
  for (int64_t m = begin; m < end; m++) {
    const double *filter = (const double *)d->in[IN_FILTER].data + m * depth;
    const double *columns = d->columns + m / (d->filters / d->groups) * depth * places;
    int64_t out_at = (d->image * d->filters + m) * places;
    double *out = (double *)d->out.data + out_at;
    memset(out, 0, (size_t)places * sizeof *out);
    for (int64_t k = 0; k < depth; k++)
      for (int64_t i = 0; i < places; i++)
        out[i] += filter[k] * columns[k * places + i];
  }
}

static pir_status expect_rank_4_shape(const pir_kernel_call *call, const char *what,
                                      const pir_tensor *t, int64_t a, int64_t b, int64_t c,
                                      int64_t d) {
  const int64_t shape[4] = {a, b, c, d};
  if (!t || t->rank != 4)
    return pir_kernel_fail(call, PIR_INVALID, "%s: %s: expects rank 4, found %d", call->op,
                           what, t ? t->rank : 0);
  for (int i = 0; i < 4; i++)
    if (t->shape[i] != shape[i])
      return pir_kernel_fail(call, PIR_INVALID,
                             "%s: %s: expects %lld along axis %d, found %lld", call->op, what,
                             (long long)shape[i], i, (long long)t->shape[i]);
  return PIR_OK;
}

// Checks the operands and takes the extents from them.
static pir_status check_deform_operands(deform *d) {
  const pir_kernel_call *call = d->call;
  const pir_tensor *x = pir_kernel_in(call, IN_X);
  const pir_tensor *filter = pir_kernel_in(call, IN_FILTER);
  const pir_tensor *out = pir_kernel_out(call, 0);
  const pir_tensor *mask = pir_kernel_in(call, IN_MASK);
  bool ranked = x && filter && x->rank == 4 && filter->rank == 4;
  if (!ranked || out->rank != 4)
    return pir_kernel_fail(call, PIR_INVALID, "%s: expects x and filter of rank 4", call->op);
  for (int i = ATTR_STRIDES; i <= ATTR_DILATIONS; i++)
    if (pir_kernel_ints(call, i).count != 2)
      return pir_kernel_fail(call, PIR_INVALID,
                             "%s: strides, paddings and dilations: expects 2 numbers each",
                             call->op);
  d->channels = x->shape[1];
  d->height = x->shape[2];
  d->width = x->shape[3];
  d->filters = filter->shape[0];
  d->kh = filter->shape[2];
  d->kw = filter->shape[3];
  d->oh = out->shape[2];
  d->ow = out->shape[3];
  d->offset_groups = pir_kernel_int(call, ATTR_OFFSET_GROUPS);
  d->groups = pir_kernel_int(call, ATTR_GROUPS);
  bool grouped = d->offset_groups >= 1 && d->groups >= 1;
  if (!grouped || d->channels % d->offset_groups || d->channels % d->groups ||
      d->filters % d->groups)
    return pir_kernel_fail(
        call, PIR_INVALID,
        "%s: %lld channels and %lld filters in %lld groups, %lld for offsets", call->op,
        (long long)d->channels, (long long)d->filters, (long long)d->groups,
        (long long)d->offset_groups);
  int64_t taps = d->offset_groups * d->kh * d->kw;
  PIR_TRY(expect_rank_4_shape(call, "filter", filter, d->filters, d->channels / d->groups,
                              d->kh, d->kw));
  PIR_TRY(expect_rank_4_shape(call, "offset", pir_kernel_in(call, IN_OFFSET), x->shape[0],
                              2 * taps, d->oh, d->ow));
  if (mask)
    PIR_TRY(expect_rank_4_shape(call, "mask", mask, x->shape[0], taps, d->oh, d->ow));
  return expect_rank_4_shape(call, "out", out, x->shape[0], d->filters, d->oh, d->ow);
}

static pir_status load_deform_operands(deform *d) {
  const pir_kernel_call *call = d->call;
  const pir_tensor *out = pir_kernel_out(call, 0);
  for (int i = 0; i < 4; i++) {
    const pir_tensor *from = pir_kernel_in(call, i);
    if (from)
      PIR_TRY(pir_kernel_dense(call, from, PIR_F64, from->shape, 4, &d->in[i]));
  }
  const int64_t shape[4] = {d->channels, d->kh * d->kw, d->oh, d->ow};
  size_t bytes;
  if (pir_shape_bytes(shape, 4, PIR_F64, &d->columns_size))
    return pir_kernel_fail(call, PIR_EXHAUSTED, "%s: too large", call->op);
  if (pir_shape_bytes(out->shape, 4, PIR_F64, &bytes))
    return pir_kernel_fail(call, PIR_EXHAUSTED, "%s: too large", call->op);
  d->columns = pir_kernel_alloc(call, d->columns_size);
  pir_tensor_set_dense(&d->out, PIR_F64, out->shape, 4);
  d->out.data = pir_kernel_alloc(call, bytes);
  if (!d->columns || !d->out.data)
    return pir_kernel_fail(call, PIR_EXHAUSTED, "%s: out of memory", call->op);
  return PIR_OK;
}

// operands: x, offset, filter, mask
pir_status pir_kernel_deformable_conv(const pir_kernel_call *call) {
  deform d = {.call = call};
  PIR_TRY(check_deform_operands(&d));
  pir_status status = load_deform_operands(&d);
  int64_t images = pir_kernel_in(call, IN_X)->shape[0];
  for (; !status && d.image < images; d.image++) {
    pir_kernel_each(call, d.channels, gather_channels, &d);
    pir_kernel_each(call, d.filters, multiply_filters, &d);
  }
  if (!status)
    status = pir_tensor_copy(&d.out, pir_kernel_out(call, 0));
  for (int i = 0; i < 4; i++)
    pir_kernel_drop(call, &d.in[i]);
  pir_kernel_drop(call, &d.out);
  pir_kernel_free(call, d.columns, d.columns_size);
  return status;
}
