// Regions of interest pooled to grids of bins: by maximum, and by average of another channel
// for every bin (position-sensitive pooling), with the gradients. The bounds of bins are
// rounded as f32 arithmetic rounds them. Cost: the elements of the regions times channels.
#include <math.h>

#include "boxes.h"

// The positions [begin, end) of a bin along one axis.
typedef struct bin {
  int64_t begin, end;
} bin;

// v as a position in [0, high]; NaN gives 0.
static int64_t clamp_position(double v, int64_t high) {
  if (!(v > 0))
    return 0;
  return v < (double)high ? (int64_t)v : high;
}

// ---- by maximum

enum { POOL_X, POOL_BOXES, POOL_NUMBER, POOL_OUT, POOL_POSITION, POOL_ALL };

// Bin i of `bins` along axis a (0: width) of a region whose borders are rounded to whole
// elements.
static bin max_pool_bin(bool single, const double *box, int a, double scale, int64_t i,
                        int64_t bins, int64_t extent) {
  double start = round(pir_round_single(single, box[a] * scale));
  double end = round(pir_round_single(single, box[2 + a] * scale));
  double size = pir_round_single(single, fmax(end - start + 1, 1) / (double)bins);
  double begin = floor(pir_round_single(single, (double)i * size)) + start;
  double stop = ceil(pir_round_single(single, (double)(i + 1) * size)) + start;
  return (bin){clamp_position(begin, extent), clamp_position(stop, extent)};
}

// Pools region `n`: the largest element of each bin and its position, -1 for an empty bin.
static void max_pool_region(const pir_kernel_call *call, const pir_tensor *t, int64_t n,
                            int64_t image, bool single) {
  const int64_t *shape = t[POOL_X].shape;
  const int64_t high = pir_kernel_int(call, 0);
  const int64_t wide = pir_kernel_int(call, 1);
  const double *box = (const double *)t[POOL_BOXES].data + 4 * n;
  const double *x_data = t[POOL_X].data;
  const double scale = pir_round_single(single, pir_kernel_float(call, 2));
  for (int64_t c = 0; c < shape[1]; c++)
    for (int64_t i = 0; i < high * wide; i++) {
      const double *plane = x_data + (image * shape[1] + c) * shape[2] * shape[3];
      bin y = max_pool_bin(single, box, 1, scale, i / wide, high, shape[2]);
      bin x = max_pool_bin(single, box, 0, scale, i % wide, wide, shape[3]);
      double best = -INFINITY;
      int64_t at = -1;
      for (int64_t p = y.begin; p < y.end; p++)
        for (int64_t q = x.begin; q < x.end; q++)
          if (plane[p * shape[3] + q] > best) {
            at = p * shape[3] + q;
            best = plane[at];
          }
      int64_t to = (n * shape[1] + c) * high * wide + i;
      ((double *)t[POOL_OUT].data)[to] = at < 0 ? 0 : best;
      if (t[POOL_POSITION].data)
        ((int64_t *)t[POOL_POSITION].data)[to] = at;
    }
}

// ---- by average

static bin average_pool_bin(bool single, const double *box, int a, double scale, int64_t i,
                            int64_t bins, int64_t extent) {
  double start = pir_round_single(single, round(box[a]) * scale);
  double end = pir_round_single(single, (round(box[2 + a]) + 1) * scale);
  double least = single ? (double)0.1f : 0.1;
  double length = fmax(pir_round_single(single, end - start), least);
  double size = pir_round_single(single, length / (double)bins);
  double first = pir_round_single(single, (double)i * size);
  double last = pir_round_single(single, (double)(i + 1) * size);
  double begin = floor(pir_round_single(single, first + start));
  double stop = ceil(pir_round_single(single, last + start));
  return (bin){clamp_position(begin, extent), clamp_position(stop, extent)};
}

// Pools region `n`. Attributes: pooled_height, pooled_width, output_channels, spatial_scale.
static void average_pool_region(const pir_kernel_call *call, const pir_tensor *t, int64_t n,
                                int64_t image, bool single) {
  const int64_t *shape = t[POOL_X].shape;
  const int64_t high = pir_kernel_int(call, 0);
  const int64_t wide = pir_kernel_int(call, 1);
  const int64_t out = pir_kernel_int(call, 2);
  const double *box = (const double *)t[POOL_BOXES].data + 4 * n;
  const double *x_data = t[POOL_X].data;
  double *pooled = (double *)t[POOL_OUT].data + n * out * high * wide;
  const double scale = pir_round_single(single, pir_kernel_float(call, 3));
  for (int64_t i = 0; i < out * high * wide; i++) {
    const double *plane = x_data + (image * shape[1] + i) * shape[2] * shape[3];
    bin y = average_pool_bin(single, box, 1, scale, i / wide % high, high, shape[2]);
    bin x = average_pool_bin(single, box, 0, scale, i % wide, wide, shape[3]);
    double sum = 0;
    for (int64_t p = y.begin; p < y.end; p++)
      for (int64_t q = x.begin; q < x.end; q++)
        sum += plane[p * shape[3] + q];
    bool empty = y.end <= y.begin || x.end <= x.begin;
    int64_t count = (y.end - y.begin) * (x.end - x.begin);
    pooled[i] = empty ? 0 : sum / (double)count;
  }
}

typedef void (*region_fn)(const pir_kernel_call *call, const pir_tensor *t, int64_t n,
                          int64_t image, bool single);

static pir_status pool_regions(const pir_kernel_call *call, int results, region_fn region) {
  static const uint8_t in[] = {PIR_F64, PIR_F64, PIR_UNDEFINED}, out[] = {PIR_F64, PIR_I64};
  const pir_tensor *x = pir_kernel_in(call, POOL_X);
  const pir_tensor *rois = pir_kernel_in(call, POOL_BOXES);
  int64_t count = rois->shape[0];
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

static pir_status check_pooled_regions(const pir_kernel_call *call) {
  PIR_TRY(pir_kernel_expect_rank(call, POOL_X, "x", 4));
  PIR_TRY(pir_kernel_expect_rank(call, POOL_BOXES, "boxes", 2));
  if (pir_kernel_in(call, POOL_BOXES)->shape[1] != 4)
    return pir_kernel_fail(call, PIR_INVALID, "%s: boxes: expects 4 columns, found %lld",
                           call->op, (long long)pir_kernel_in(call, POOL_BOXES)->shape[1]);
  if (pir_kernel_int(call, 0) < 1 || pir_kernel_int(call, 1) < 1)
    return pir_kernel_fail(call, PIR_INVALID, "%s: regions of %lld by %lld", call->op,
                           (long long)pir_kernel_int(call, 0),
                           (long long)pir_kernel_int(call, 1));
  return PIR_OK;
}

// operands: x, boxes, boxes_num; results: out, arg_max (the position of each maximum)
pir_status pir_kernel_roi_pool(const pir_kernel_call *call) {
  PIR_TRY(check_pooled_regions(call));
  return pool_regions(call, 2, max_pool_region);
}

pir_status pir_kernel_psroi_pool(const pir_kernel_call *call) {
  PIR_TRY(check_pooled_regions(call));
  int64_t wanted = pir_kernel_int(call, 0) * pir_kernel_int(call, 1) * pir_kernel_int(call, 2);
  int64_t channels = pir_kernel_in(call, POOL_X)->shape[1];
  if (pir_kernel_int(call, 2) < 1 || channels != wanted)
    return pir_kernel_fail(call, PIR_INVALID, "%s: x: expects %lld channels, found %lld",
                           call->op, (long long)wanted, (long long)channels);
  return pool_regions(call, 1, average_pool_region);
}

// ---- gradients

enum { BACK_X, BACK_BOXES, BACK_NUMBER, BACK_POSITION, BACK_MOST };

// Gradients read out_grad, the last operand, and add to x_grad, which follows it in the room.
static void max_pool_gradient(const pir_kernel_call *call, const pir_tensor *t, int64_t n,
                              int64_t image, bool single) {
  (void)single;
  (void)call;
  const pir_tensor *grad = &t[BACK_POSITION + 1], *to = grad + 1;
  const int64_t *positions = t[BACK_POSITION].data;
  const double *out_grad = grad->data;
  double *x_grad = to->data;
  int64_t bins = grad->shape[2] * grad->shape[3];
  int64_t plane = to->shape[2] * to->shape[3];
  for (int64_t c = 0; c < to->shape[1]; c++)
    for (int64_t i = 0; i < bins; i++) {
      int64_t at = (n * to->shape[1] + c) * bins + i;
      int64_t from = positions[at];
      if (from >= 0 && from < plane)
        x_grad[(image * to->shape[1] + c) * plane + from] += out_grad[at];
    }
}

static void average_pool_gradient(const pir_kernel_call *call, const pir_tensor *t, int64_t n,
                                  int64_t image, bool single) {
  const pir_tensor *grad = &t[BACK_NUMBER + 1], *to = grad + 1;
  const int64_t *shape = to->shape;
  const int64_t high = pir_kernel_int(call, 0);
  const int64_t wide = pir_kernel_int(call, 1);
  const int64_t out = pir_kernel_int(call, 2);
  const double *out_grad = (const double *)grad->data + n * out * high * wide;
  const double *box = (const double *)t[BACK_BOXES].data + 4 * n;
  const double scale = pir_round_single(single, pir_kernel_float(call, 3));
  for (int64_t i = 0; i < out * high * wide; i++) {
    double *plane = (double *)to->data + (image * shape[1] + i) * shape[2] * shape[3];
    bin y = average_pool_bin(single, box, 1, scale, i / wide % high, high, shape[2]);
    bin x = average_pool_bin(single, box, 0, scale, i % wide, wide, shape[3]);
    int64_t count = (y.end - y.begin) * (x.end - x.begin);
    double part = out_grad[i] / (double)count;
    for (int64_t p = y.begin; p < y.end; p++)
      for (int64_t q = x.begin; q < x.end; q++)
        plane[p * shape[3] + q] += part;
  }
}

static pir_status pool_regions_gradient(const pir_kernel_call *call, int ins,
                                        region_fn region) {
  static const uint8_t in[] = {PIR_UNDEFINED, PIR_F64, PIR_UNDEFINED, PIR_I64, PIR_F64},
                       out[] = {PIR_F64};
  const uint8_t plain[] = {PIR_UNDEFINED, PIR_F64, PIR_UNDEFINED, PIR_F64};
  const pir_tensor *x = pir_kernel_in(call, BACK_X);
  const pir_tensor *rois = pir_kernel_in(call, BACK_BOXES);
  int64_t count = rois->shape[0];
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

// Fails unless the operand has the shape of the pooled result.
static pir_status expect_bin_shape(const pir_kernel_call *call, int operand, const char *name,
                                   int64_t channels) {
  const int64_t shape[4] = {pir_kernel_in(call, BACK_BOXES)->shape[0], channels,
                            pir_kernel_int(call, 0), pir_kernel_int(call, 1)};
  return pir_kernel_expect_shape(call, operand, name, shape, 4);
}

// operands: x, boxes, boxes_num, arg_max, out_grad
pir_status pir_kernel_roi_pool_grad(const pir_kernel_call *call) {
  PIR_TRY(check_pooled_regions(call));
  int64_t channels = pir_kernel_in(call, BACK_X)->shape[1];
  PIR_TRY(expect_bin_shape(call, BACK_POSITION, "arg_max", channels));
  PIR_TRY(expect_bin_shape(call, BACK_POSITION + 1, "out_grad", channels));
  return pool_regions_gradient(call, BACK_POSITION + 2, max_pool_gradient);
}

// operands: x, boxes, boxes_num, out_grad
pir_status pir_kernel_psroi_pool_grad(const pir_kernel_call *call) {
  PIR_TRY(check_pooled_regions(call));
  PIR_TRY(expect_bin_shape(call, BACK_NUMBER + 1, "out_grad", pir_kernel_int(call, 2)));
  int64_t channels = pir_kernel_in(call, BACK_X)->shape[1];
  if (channels != pir_kernel_int(call, 0) * pir_kernel_int(call, 1) * pir_kernel_int(call, 2))
    return pir_kernel_fail(call, PIR_INVALID, "%s: x: %lld channels do not fit", call->op,
                           (long long)channels);
  return pool_regions_gradient(call, BACK_NUMBER + 2, average_pool_gradient);
}
