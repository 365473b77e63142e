// Regions of interest reduced to grids of bins: by maximum, and by average of a channel of its
// own for every bin. Bounds of bins are those of f32 arithmetic. Cost: the elements of the
// regions times channels.
#include <math.h>

#include "boxes.h"

static double rounded(bool single, double x) {
  return single ? (double)(float)x : x;
}

typedef struct bin {
  int64_t begin, end;
} bin;

static int64_t clamp(double v, int64_t high) {
  return !(v > 0) ? 0 : v < (double)high ? (int64_t)v : high;
}

// ---- by maximum

enum { POOL_X, POOL_BOXES, POOL_NUMBER, POOL_OUT, POOL_POSITION, POOL_ALL };

// Bin i of `bins` along axis a (0: width) of a region whose borders are rounded to whole
// elements.
static bin max_bin(bool single, const double *box, int a, double scale, int64_t i, int64_t bins,
                   int64_t extent) {
  double start = round(rounded(single, box[a] * scale));
  double end = round(rounded(single, box[2 + a] * scale));
  double size = rounded(single, fmax(end - start + 1, 1) / (double)bins);
  return (bin){clamp(floor(rounded(single, (double)i * size)) + start, extent),
               clamp(ceil(rounded(single, (double)(i + 1) * size)) + start, extent)};
}

static void max_region(const pir_kernel_call *call, const pir_tensor *t, int64_t n,
                       int64_t image, bool single) {
  const int64_t *shape = t[POOL_X].shape;
  const int64_t high = call->attrs[0].i;
  const int64_t wide = call->attrs[1].i;
  const double *box = (const double *)t[POOL_BOXES].data + 4 * n;
  const double scale = rounded(single, call->attrs[2].f);
  for (int64_t c = 0; c < shape[1]; c++)
    for (int64_t i = 0; i < high * wide; i++) {
      const double *plane =
          (const double *)t[POOL_X].data + (image * shape[1] + c) * shape[2] * shape[3];
      bin y = max_bin(single, box, 1, scale, i / wide, high, shape[2]);
      bin x = max_bin(single, box, 0, scale, i % wide, wide, shape[3]);
      double best = -INFINITY;
      int64_t at = -1;
      for (int64_t p = y.begin; p < y.end; p++)
        for (int64_t q = x.begin; q < x.end; q++)
          if (plane[p * shape[3] + q] > best)
            best = plane[at = p * shape[3] + q];
      int64_t to = (n * shape[1] + c) * high * wide + i;
      ((double *)t[POOL_OUT].data)[to] = at < 0 ? 0 : best;
      if (t[POOL_POSITION].data)
        ((int64_t *)t[POOL_POSITION].data)[to] = at;
    }
}

// ---- by average

// attributes: pooled_height, pooled_width, output_channels, spatial_scale
static bin average_bin(bool single, const double *box, int a, double scale, int64_t i,
                       int64_t bins, int64_t extent) {
  double start = rounded(single, round(box[a]) * scale);
  double end = rounded(single, (round(box[2 + a]) + 1) * scale);
  double size = rounded(
      single, fmax(rounded(single, end - start), single ? (double)0.1f : 0.1) / (double)bins);
  return (bin){
      clamp(floor(rounded(single, rounded(single, (double)i * size) + start)), extent),
      clamp(ceil(rounded(single, rounded(single, (double)(i + 1) * size) + start)), extent)};
}

static void average_region(const pir_kernel_call *call, const pir_tensor *t, int64_t n,
                           int64_t image, bool single) {
  const int64_t *shape = t[POOL_X].shape;
  const int64_t high = call->attrs[0].i;
  const int64_t wide = call->attrs[1].i;
  const int64_t out = call->attrs[2].i;
  const double *box = (const double *)t[POOL_BOXES].data + 4 * n;
  const double scale = rounded(single, call->attrs[3].f);
  for (int64_t i = 0; i < out * high * wide; i++) {
    const double *plane =
        (const double *)t[POOL_X].data + (image * shape[1] + i) * shape[2] * shape[3];
    bin y = average_bin(single, box, 1, scale, i / wide % high, high, shape[2]);
    bin x = average_bin(single, box, 0, scale, i % wide, wide, shape[3]);
    double sum = 0;
    for (int64_t p = y.begin; p < y.end; p++)
      for (int64_t q = x.begin; q < x.end; q++)
        sum += plane[p * shape[3] + q];
    bool empty = y.end <= y.begin || x.end <= x.begin;
    ((double *)t[POOL_OUT].data)[n * out * high * wide + i] =
        empty ? 0 : sum / (double)((y.end - y.begin) * (x.end - x.begin));
  }
}

typedef void (*region_fn)(const pir_kernel_call *call, const pir_tensor *t, int64_t n,
                          int64_t image, bool single);

static pir_status pool(const pir_kernel_call *call, int results, region_fn region) {
  static const uint8_t in[] = {PIR_F64, PIR_F64, PIR_UNDEFINED}, out[] = {PIR_F64, PIR_I64};
  const pir_tensor *x = pir_kernel_in(call, POOL_X);
  const pir_tensor *boxes = pir_kernel_in(call, POOL_BOXES);
  int64_t count = boxes->shape[0];
  pir_tensor t[POOL_ALL] = {0}, images = {0};
  pir_status status = pir_kernel_open(call, in, 3, out, results, t);
  if (!status)
    status = pir_kernel_zeros(call, PIR_I64, &count, 1, &images);
  if (!status)
    status = pir_boxes_images(call, pir_kernel_in(call, POOL_NUMBER), x->shape[0], count,
                              images.data);
  for (int64_t n = 0; n < count && !status; n++)
    region(call, t, n, ((const int64_t *)images.data)[n], x->dtype != PIR_F64);
  pir_kernel_drop(call, &images);
  return pir_kernel_close(call, status, 3, results, t);
}

static pir_status check(const pir_kernel_call *call) {
  PIR_TRY(pir_kernel_expect_rank(call, POOL_X, "x", 4));
  PIR_TRY(pir_kernel_expect_rank(call, POOL_BOXES, "boxes", 2));
  if (pir_kernel_in(call, POOL_BOXES)->shape[1] != 4)
    return pir_kernel_fail(call, PIR_INVALID, "%s: boxes: expects 4 columns, found %lld",
                           call->op, (long long)pir_kernel_in(call, POOL_BOXES)->shape[1]);
  if (call->attrs[0].i < 1 || call->attrs[1].i < 1)
    return pir_kernel_fail(call, PIR_INVALID, "%s: regions of %lld by %lld", call->op,
                           (long long)call->attrs[0].i, (long long)call->attrs[1].i);
  return PIR_OK;
}

// operands: x, boxes, boxes_num; results: out, the position of each maximum
pir_status pir_kernel_roi_pool(const pir_kernel_call *call) {
  PIR_TRY(check(call));
  return pool(call, 2, max_region);
}

pir_status pir_kernel_psroi_pool(const pir_kernel_call *call) {
  PIR_TRY(check(call));
  int64_t wanted = call->attrs[0].i * call->attrs[1].i * call->attrs[2].i;
  if (call->attrs[2].i < 1 || pir_kernel_in(call, POOL_X)->shape[1] != wanted)
    return pir_kernel_fail(call, PIR_INVALID, "%s: x: expects %lld channels, found %lld",
                           call->op, (long long)wanted,
                           (long long)pir_kernel_in(call, POOL_X)->shape[1]);
  return pool(call, 1, average_region);
}

// ---- gradients

enum { BACK_X, BACK_BOXES, BACK_NUMBER, BACK_POSITION, BACK_MOST };

// The result is x_grad, in the room behind `ins` operands, of which the last is out_grad.
static void max_back(const pir_kernel_call *call, const pir_tensor *t, int64_t n, int64_t image,
                     bool single) {
  (void)single;
  (void)call;
  const pir_tensor *grad = &t[BACK_POSITION + 1], *to = grad + 1;
  int64_t bins = grad->shape[2] * grad->shape[3];
  int64_t plane = to->shape[2] * to->shape[3];
  for (int64_t c = 0; c < to->shape[1]; c++)
    for (int64_t i = 0; i < bins; i++) {
      int64_t at = (n * to->shape[1] + c) * bins + i;
      int64_t from = ((const int64_t *)t[BACK_POSITION].data)[at];
      if (from >= 0 && from < plane)
        ((double *)to->data)[(image * to->shape[1] + c) * plane + from] +=
            ((const double *)grad->data)[at];
    }
}

static void average_back(const pir_kernel_call *call, const pir_tensor *t, int64_t n,
                         int64_t image, bool single) {
  const pir_tensor *grad = &t[BACK_NUMBER + 1], *to = grad + 1;
  const int64_t *shape = to->shape;
  const int64_t high = call->attrs[0].i;
  const int64_t wide = call->attrs[1].i;
  const int64_t out = call->attrs[2].i;
  const double *box = (const double *)t[BACK_BOXES].data + 4 * n;
  const double scale = rounded(single, call->attrs[3].f);
  for (int64_t i = 0; i < out * high * wide; i++) {
    double *plane = (double *)to->data + (image * shape[1] + i) * shape[2] * shape[3];
    bin y = average_bin(single, box, 1, scale, i / wide % high, high, shape[2]);
    bin x = average_bin(single, box, 0, scale, i % wide, wide, shape[3]);
    double part = ((const double *)grad->data)[n * out * high * wide + i] /
                  (double)((y.end - y.begin) * (x.end - x.begin));
    for (int64_t p = y.begin; p < y.end; p++)
      for (int64_t q = x.begin; q < x.end; q++)
        plane[p * shape[3] + q] += part;
  }
}

static pir_status pool_back(const pir_kernel_call *call, int ins, region_fn region) {
  static const uint8_t in[] = {PIR_UNDEFINED, PIR_F64, PIR_UNDEFINED, PIR_I64, PIR_F64},
                       out[] = {PIR_F64};
  const uint8_t plain[] = {PIR_UNDEFINED, PIR_F64, PIR_UNDEFINED, PIR_F64};
  const pir_tensor *x = pir_kernel_in(call, BACK_X);
  const pir_tensor *boxes = pir_kernel_in(call, BACK_BOXES);
  int64_t count = boxes->shape[0];
  pir_tensor t[BACK_MOST + 2] = {0}, images = {0};
  pir_status status = pir_kernel_open(call, ins > BACK_MOST ? in : plain, ins, out, 1, t);
  if (!status)
    status = pir_kernel_zeros(call, PIR_I64, &count, 1, &images);
  if (!status)
    status = pir_boxes_images(call, pir_kernel_in(call, BACK_NUMBER), x->shape[0], count,
                              images.data);
  for (int64_t n = 0; n < count && !status && t[ins].data; n++)
    region(call, t, n, ((const int64_t *)images.data)[n], x->dtype != PIR_F64);
  pir_kernel_drop(call, &images);
  return pir_kernel_close(call, status, ins, 1, t);
}

static pir_status expect_bins(const pir_kernel_call *call, int operand, const char *name,
                              int64_t channels) {
  const int64_t shape[4] = {pir_kernel_in(call, BACK_BOXES)->shape[0], channels,
                            call->attrs[0].i, call->attrs[1].i};
  PIR_TRY(pir_kernel_expect_rank(call, operand, name, 4));
  for (int d = 0; d < 4; d++)
    if (pir_kernel_in(call, operand)->shape[d] != shape[d])
      return pir_kernel_fail(
          call, PIR_INVALID, "%s: %s: expects %lld along axis %d, found %lld", call->op, name,
          (long long)shape[d], d, (long long)pir_kernel_in(call, operand)->shape[d]);
  return PIR_OK;
}

// operands: x, boxes, boxes_num, arg_max, out_grad
pir_status pir_kernel_roi_pool_grad(const pir_kernel_call *call) {
  PIR_TRY(check(call));
  PIR_TRY(expect_bins(call, BACK_POSITION, "arg_max", pir_kernel_in(call, BACK_X)->shape[1]));
  PIR_TRY(
      expect_bins(call, BACK_POSITION + 1, "out_grad", pir_kernel_in(call, BACK_X)->shape[1]));
  return pool_back(call, BACK_POSITION + 2, max_back);
}

// operands: x, boxes, boxes_num, out_grad
pir_status pir_kernel_psroi_pool_grad(const pir_kernel_call *call) {
  PIR_TRY(check(call));
  PIR_TRY(expect_bins(call, BACK_NUMBER + 1, "out_grad", call->attrs[2].i));
  if (pir_kernel_in(call, BACK_X)->shape[1] !=
      call->attrs[0].i * call->attrs[1].i * call->attrs[2].i)
    return pir_kernel_fail(call, PIR_INVALID, "%s: x: %lld channels do not fit", call->op,
                           (long long)pir_kernel_in(call, BACK_X)->shape[1]);
  return pool_back(call, BACK_NUMBER + 2, average_back);
}
