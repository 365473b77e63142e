// Boxes over feature maps: the prior boxes of every cell, and regions of interest resampled to
// a grid (RoI align) with the gradient. Coordinates are rounded as f32 arithmetic rounds them,
// because they decide which elements are read. Cost: a region reads sample points * channels
// elements; channels run in parallel.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "boxes.h"
#include <pir/layer/prior_boxes.h>

// ---- prior boxes

// Writes the corners of all boxes of all cells, relative to the image.
static void fill_priors(const pir_kernel_call *call, const pir_prior *priors, int64_t n,
                        const double image[2], double *to) {
  const pir_tensor *out = pir_kernel_out(call, 0);
  bool single = out->dtype == PIR_F32;
  bool clip = pir_kernel_int(call, PRIOR_CLIP) != 0;
  double step[2];
  step[0] = pir_round_single(single, pir_kernel_float(call, PRIOR_STEP_W));
  step[1] = pir_round_single(single, pir_kernel_float(call, PRIOR_STEP_H));
  double offset = pir_round_single(single, pir_kernel_float(call, PRIOR_OFFSET));
  if (step[0] == 0 || step[1] == 0)
    for (int a = 0; a < 2; a++)
      step[a] = pir_round_single(single, image[a] / (double)out->shape[1 - a]);
  for (int64_t i = 0, cells = out->shape[0] * out->shape[1]; i < cells; i++) {
    int64_t cell[2] = {i % out->shape[1], i / out->shape[1]};
    for (int64_t k = 0; k < n; k++, to += 4) {
      for (int a = 0; a < 2; a++) {
        double place = pir_round_single(single, (double)cell[a] + offset);
        double center = pir_round_single(single, place * step[a]);
        double half = pir_round_single(single, a ? priors[k].height : priors[k].width);
        to[a] = pir_round_single(single, center - half) / image[a];
        to[2 + a] = pir_round_single(single, center + half) / image[a];
      }
      for (int c = 0; c < 4 && clip; c++)
        to[c] = fmin(fmax(to[c], 0), 1);
    }
  }
}

static pir_status write_priors(const pir_kernel_call *call, const pir_prior *priors, int64_t n,
                               const double image[2]) {
  pir_tensor *out = pir_kernel_out(call, 0);
  pir_tensor *variance = pir_kernel_out(call, 1);
  pir_tensor rois = {0};
  pir_float_list given = pir_kernel_floats(call, PRIOR_VARIANCES);
  size_t bytes;
  if (out->rank != 4 || out->shape[2] != n || out->shape[3] != 4)
    return pir_kernel_fail(call, PIR_INVALID, "%s: out: expects %lld boxes a cell", call->op,
                           (long long)n);
  if (pir_shape_bytes(out->shape, 4, PIR_F64, &bytes))
    return pir_kernel_fail(call, PIR_EXHAUSTED, "%s: too large", call->op);
  pir_tensor_set_dense(&rois, PIR_F64, out->shape, 4);
  rois.data = pir_kernel_alloc(call, bytes);
  if (!rois.data)
    return pir_kernel_fail(call, PIR_EXHAUSTED, "%s: out of memory", call->op);
  fill_priors(call, priors, n, image, rois.data);
  pir_status status = pir_tensor_copy(&rois, out);
  pir_kernel_drop(call, &rois);
  pir_tensor row = {.data = (void *)(uintptr_t)given.floats,
                    .dtype = PIR_F64,
                    .rank = 4,
                    .strides = {0, 0, 0, 1}};
  memcpy(row.shape, out->shape, sizeof row.shape);
  return status || !variance ? status : pir_tensor_copy(&row, variance);
}

static pir_prior_numbers read_numbers(const pir_kernel_call *call, int attr) {
  pir_float_list list = pir_kernel_floats(call, attr);
  return (pir_prior_numbers){list.floats, list.count};
}

static pir_prior_form read_priors(const pir_kernel_call *call) {
  return (pir_prior_form){.sizes = read_numbers(call, PRIOR_MIN),
                          .larger = read_numbers(call, PRIOR_MAX),
                          .ratios = read_numbers(call, PRIOR_RATIOS),
                          .flip = pir_kernel_int(call, PRIOR_FLIP) != 0,
                          .squares_first = pir_kernel_int(call, PRIOR_ORDER) != 0};
}

// operands: input, image; results: out, var
pir_status pir_kernel_prior_box(const pir_kernel_call *call) {
  const pir_tensor *input = pir_kernel_in(call, 0);
  const pir_tensor *picture = pir_kernel_in(call, 1);
  size_t variances = pir_kernel_floats(call, PRIOR_VARIANCES).count;
  pir_prior_form form = read_priors(call);
  size_t sizes = form.sizes.count, larger = form.larger.count;
  if (!input || !picture || input->rank != 4 || picture->rank != 4)
    return pir_kernel_fail(call, PIR_INVALID, "%s: expects input and image of rank 4",
                           call->op);
  if (variances != 4)
    return pir_kernel_fail(call, PIR_INVALID, "%s: variances: expects 4, found %zu", call->op,
                           variances);
  if (larger && larger != sizes)
    return pir_kernel_fail(call, PIR_INVALID, "%s: max_sizes: expects %zu, found %zu", call->op,
                           sizes, larger);
  size_t most = (2 * form.ratios.count + 3) * (sizes + 1);
  size_t size = most * sizeof(pir_prior) + (2 * form.ratios.count + 1) * sizeof(float);
  pir_prior *room = pir_kernel_alloc(call, size);
  if (!room)
    return pir_kernel_fail(call, PIR_EXHAUSTED, "%s: out of memory", call->op);
  float *each = (float *)(room + most);
  size_t ratio_count = pir_list_ratios(&form, each);
  int64_t count = (int64_t)pir_list_priors(&form, each, ratio_count, room);
  const double image[2] = {(double)picture->shape[3], (double)picture->shape[2]};
  pir_status status = write_priors(call, room, count, image);
  pir_kernel_free(call, room, size);
  return status;
}

// ---- regions of interest

enum { ROI_HEIGHT, ROI_WIDTH, ROI_SCALE, ROI_SAMPLING, ROI_ALIGNED };

typedef struct regions {
  const pir_kernel_call *call;
  pir_tensor x, boxes, out;  // dense doubles
  const int64_t *image;      // image number of each region
  bool single;
} regions;

// A sample along one axis: the two positions that it lies between, the weight of the lower one,
// and whether it lies in the map.
typedef struct sample {
  int64_t low, high;
  double weight;
  bool inside;
} sample;

static sample sample_at(double at, int64_t length) {
  if (!(at >= -1 && at <= (double)length))
    return (sample){0};
  if (at < 0)
    at = 0;
  int64_t low = (int64_t)at;
  if (low >= length - 1)
    return (sample){length - 1, length - 1, 0, true};
  return (sample){low, low + 1, (double)(low + 1) - at, true};
}

// A region along one axis.
typedef struct axis {
  double start, bin;  // start of the region, and extent of one bin
  int64_t samples;    // samples that a bin takes
  int64_t extent;     // extent of the map
} axis;

// A coordinate of a box, in elements of the map.
static double map_coordinate(const regions *r, double x) {
  double scale = pir_round_single(r->single, pir_kernel_float(r->call, ROI_SCALE));
  double shift = pir_kernel_int(r->call, ROI_ALIGNED) ? 0.5 : 0;
  return pir_round_single(r->single, pir_round_single(r->single, x * scale) - shift);
}

static axis region_axis(const regions *r, const double *box, int a, bool at_least_one) {
  double start = map_coordinate(r, box[a]);
  double end = map_coordinate(r, box[2 + a]);
  double length = pir_round_single(r->single, end - start);
  double bins = (double)pir_kernel_int(r->call, a ? ROI_HEIGHT : ROI_WIDTH);
  if (!pir_kernel_int(r->call, ROI_ALIGNED) || at_least_one)
    length = fmax(length, 1);
  axis to = {.start = start,
             .bin = pir_round_single(r->single, length / bins),
             .samples = pir_kernel_int(r->call, ROI_SAMPLING),
             .extent = r->x.shape[a ? 2 : 3]};
  double wanted = ceil(to.bin);
  if (to.samples <= 0)
    to.samples = wanted > 0 && wanted < 1e6 ? (int64_t)wanted : 0;
  return to;
}

// Sample i of a bin.
static sample bin_sample(const regions *r, const axis *to, int64_t bin, int64_t i) {
  double part = pir_round_single(r->single, ((double)i + 0.5) / (double)to->samples);
  part = pir_round_single(r->single, (double)bin + part);
  double distance = pir_round_single(r->single, to->bin * part);
  return sample_at(pir_round_single(r->single, to->start + distance), to->extent);
}

// Lists the samples of all bins along an axis, which all channels share. NULL when they are too
// many to keep, or when memory runs out.
static sample *list_axis_samples(const regions *r, const axis *to, int64_t bins) {
  enum { MOST = 1 << 16 };
  if (to->samples < 1 || bins < 1 || to->samples > MOST / bins)
    return NULL;
  sample *list = malloc((size_t)(bins * to->samples) * sizeof *list);
  for (int64_t k = 0; list && k < bins * to->samples; k++)
    list[k] = bin_sample(r, to, k / to->samples, k % to->samples);
  return list;
}

// The average of the samples of one bin. A sample outside of the map counts as 0. `lists` hold
// the samples of all bins along each axis, or NULL.
static double average_bin_samples(const regions *r, const axis axes[2], sample *const lists[2],
                                  int64_t row, int64_t column, const double *plane) {
  int64_t wide = r->x.shape[3];
  int64_t rows = axes[1].samples;
  int64_t columns = axes[0].samples;
  double sum = 0;
  for (int64_t i = 0; i < rows; i++) {
    sample y = lists[1] ? lists[1][row * rows + i] : bin_sample(r, &axes[1], row, i);
    for (int64_t j = 0; j < columns && y.inside; j++) {
      sample x = lists[0] ? lists[0][column * columns + j] : bin_sample(r, &axes[0], column, j);
      if (!x.inside)
        continue;
      const double *low = plane + y.low * wide;
      const double *high = plane + y.high * wide;
      sum += y.weight * (x.weight * low[x.low] + (1 - x.weight) * low[x.high]);
      sum += (1 - y.weight) * (x.weight * high[x.low] + (1 - x.weight) * high[x.high]);
    }
  }
  return sum / (double)(columns * rows);
}

// How many channels one parallel unit resamples for every region: so many that their planes
// stay in the cache.
static int64_t channels_at_once(const regions *r) {
  enum { CACHED = 1 << 16 };  // elements
  int64_t plane = r->x.shape[2] * r->x.shape[3];
  return plane > 0 && plane < CACHED ? CACHED / plane : 1;
}

static void align_channel_chunks(void *user, int64_t begin, int64_t end, int thread) {
  (void)thread;
  const regions *r = user;
  const int64_t *shape = r->out.shape;
  const int64_t plane = r->x.shape[2] * r->x.shape[3];
  const int64_t bins = shape[2] * shape[3];
  for (int64_t chunk = begin; chunk < end; chunk++) {
    int64_t first = chunk * channels_at_once(r);
    int64_t stop = first + channels_at_once(r);
    if (stop > shape[1])
      stop = shape[1];
    for (int64_t n = 0; n < shape[0]; n++) {
      const double *box = (const double *)r->boxes.data + 4 * n;
      int64_t from = (r->image[n] * shape[1] + first) * plane;
      const double *x = (const double *)r->x.data + from;
      double *out = (double *)r->out.data + (n * shape[1] + first) * bins;
      axis axes[2] = {region_axis(r, box, 0, false), region_axis(r, box, 1, false)};
      sample *lists[2];
      lists[0] = list_axis_samples(r, &axes[0], shape[3]);
      lists[1] = list_axis_samples(r, &axes[1], shape[2]);
      for (int64_t c = first; c < stop; c++, x += plane)
        for (int64_t p = 0; p < shape[2]; p++)
          for (int64_t q = 0; q < shape[3]; q++)
            *out++ = plane ? average_bin_samples(r, axes, lists, p, q, x) : 0;
      free(lists[0]);
      free(lists[1]);
    }
  }
}

pir_status pir_boxes_images(const pir_kernel_call *call, const pir_tensor *number,
                            int64_t images, int64_t count, int64_t *image) {
  bool fits = number ? number->rank == 1 && number->shape[0] == images : images <= 1;
  if (!fits)
    return pir_kernel_fail(call, PIR_INVALID,
                           "%s: boxes_num: expects one number for each of %lld images",
                           call->op, (long long)images);
  int64_t at = 0;
  for (int64_t n = 0; n < images; n++) {
    int64_t here = number ? pir_tensor_int_at(number, n) : count;
    if (here < 0 || here > count - at)
      return pir_kernel_fail(call, PIR_INVALID,
                             "%s: boxes_num: %lld regions for image %lld, %lld are left",
                             call->op, (long long)here, (long long)n, (long long)(count - at));
    for (int64_t i = 0; i < here; i++)
      image[at++] = n;
  }
  if (at != count)
    return pir_kernel_fail(call, PIR_INVALID, "%s: boxes_num: %lld regions, boxes has %lld",
                           call->op, (long long)at, (long long)count);
  return PIR_OK;
}

static pir_status align_regions(regions *r, int64_t *image) {
  const pir_kernel_call *call = r->call;
  const pir_tensor *x = pir_kernel_in(call, 0);
  const pir_tensor *rois = pir_kernel_in(call, 1);
  const pir_tensor *out = pir_kernel_out(call, 0);
  int64_t count = rois->shape[0];
  PIR_TRY(pir_boxes_images(call, pir_kernel_in(call, 2), x->shape[0], count, image));
  PIR_TRY(pir_kernel_dense(call, x, PIR_F64, x->shape, 4, &r->x));
  PIR_TRY(pir_kernel_dense(call, rois, PIR_F64, rois->shape, 2, &r->boxes));
  size_t bytes;
  if (pir_shape_bytes(out->shape, 4, PIR_F64, &bytes))
    return pir_kernel_fail(call, PIR_EXHAUSTED, "%s: too large", call->op);
  pir_tensor_set_dense(&r->out, PIR_F64, out->shape, 4);
  r->out.data = pir_kernel_alloc(call, bytes);
  if (!r->out.data)
    return pir_kernel_fail(call, PIR_EXHAUSTED, "%s: out of memory", call->op);
  r->image = image;
  int64_t chunks = (out->shape[1] + channels_at_once(r) - 1) / channels_at_once(r);
  if (call->parallel.threads > 1 && chunks > 1)
    call->parallel.parallel_for(call->parallel.pool, chunks, align_channel_chunks, r);
  else
    align_channel_chunks(r, 0, chunks, 0);
  return pir_tensor_copy(&r->out, pir_kernel_out(call, 0));
}

// operands: x, boxes, boxes_num
pir_status pir_kernel_roi_align(const pir_kernel_call *call) {
  const pir_tensor *x = pir_kernel_in(call, 0);
  const pir_tensor *rois = pir_kernel_in(call, 1);
  const pir_tensor *out = pir_kernel_out(call, 0);
  bool ranked = x && rois && x->rank == 4 && rois->rank == 2;
  if (!ranked || rois->shape[1] != 4)
    return pir_kernel_fail(call, PIR_INVALID, "%s: expects x of rank 4 and boxes of 4 columns",
                           call->op);
  if (!pir_dtype_is_float(x->dtype))
    return pir_kernel_fail(call, PIR_UNSUPPORTED, "unsupported: %s of integers", call->op);
  const int64_t shape[4] = {rois->shape[0], x->shape[1], pir_kernel_int(call, ROI_HEIGHT),
                            pir_kernel_int(call, ROI_WIDTH)};
  if (out->rank != 4 || memcmp(out->shape, shape, sizeof shape))
    return pir_kernel_fail(
        call, PIR_INVALID,
        "%s: out: its shape does not follow from x, boxes and pooled_height, pooled_width",
        call->op);
  regions r = {.call = call, .single = x->dtype != PIR_F64};
  size_t size = (size_t)rois->shape[0] * sizeof(int64_t);
  int64_t *image = pir_kernel_alloc(call, size);
  if (!image)
    return pir_kernel_fail(call, PIR_EXHAUSTED, "%s: out of memory", call->op);
  pir_status status = align_regions(&r, image);
  pir_kernel_drop(call, &r.x);
  pir_kernel_drop(call, &r.boxes);
  pir_kernel_drop(call, &r.out);
  pir_kernel_free(call, image, size);
  return status;
}

// ---- the gradient

// Adds a bin's gradient to the four elements around each of its samples.
static void add_bin_gradient(const regions *r, const axis axes[2], int64_t row, int64_t column,
                             double grad, double *plane) {
  int64_t wide = r->x.shape[3];
  double part = grad / (double)(axes[0].samples * axes[1].samples);
  for (int64_t i = 0; i < axes[1].samples; i++) {
    sample y = bin_sample(r, &axes[1], row, i);
    for (int64_t j = 0; j < axes[0].samples && y.inside; j++) {
      sample x = bin_sample(r, &axes[0], column, j);
      if (!x.inside)
        continue;
      double *low = plane + y.low * wide;
      double *high = plane + y.high * wide;
      low[x.low] += part * y.weight * x.weight;
      low[x.high] += part * y.weight * (1 - x.weight);
      high[x.low] += part * (1 - y.weight) * x.weight;
      high[x.high] += part * (1 - y.weight) * (1 - x.weight);
    }
  }
}

// Here Paddle takes every region as at least one element wide, aligned ones too.
static void add_region_gradient(const regions *r, int64_t n) {
  const int64_t *shape = r->out.shape;
  const int64_t plane = r->x.shape[2] * r->x.shape[3];
  const double *box = (const double *)r->boxes.data + 4 * n;
  const int64_t bins = shape[1] * shape[2] * shape[3];
  const double *grad = (const double *)r->out.data + n * bins;
  double *x = (double *)r->x.data + r->image[n] * shape[1] * plane;
  axis axes[2] = {region_axis(r, box, 0, true), region_axis(r, box, 1, true)};
  for (int64_t c = 0; c < shape[1] && plane; c++, x += plane)
    for (int64_t p = 0; p < shape[2]; p++)
      for (int64_t q = 0; q < shape[3]; q++)
        add_bin_gradient(r, axes, p, q, *grad++, x);
}

// operands: x, boxes, boxes_num, out_grad
pir_status pir_kernel_roi_align_grad(const pir_kernel_call *call) {
  static const uint8_t in[4] = {PIR_UNDEFINED, PIR_F64, PIR_UNDEFINED, PIR_F64},
                       out[1] = {PIR_F64};
  pir_tensor room[5], images = {0};
  PIR_TRY(pir_kernel_expect_rank(call, 0, "x", 4));
  PIR_TRY(pir_kernel_expect_rank(call, 1, "boxes", 2));
  PIR_TRY(pir_kernel_expect_rank(call, 3, "out_grad", 4));
  const pir_tensor *x = pir_kernel_in(call, 0);
  const pir_tensor *rois = pir_kernel_in(call, 1);
  const pir_tensor *grad = pir_kernel_in(call, 3);
  int64_t count = rois->shape[0];
  const int64_t shape[4] = {count, x->shape[1], pir_kernel_int(call, ROI_HEIGHT),
                            pir_kernel_int(call, ROI_WIDTH)};
  if (rois->shape[1] != 4 || memcmp(grad->shape, shape, sizeof shape))
    return pir_kernel_fail(call, PIR_INVALID, "%s: x, boxes and out_grad do not fit", call->op);
  pir_status status = pir_kernel_open(call, in, 4, out, 1, room);
  if (!status)
    status = pir_kernel_zeros(call, PIR_I64, &count, 1, &images);
  if (!status)
    status = pir_boxes_images(call, pir_kernel_in(call, 2), x->shape[0], count, images.data);
  regions r = {.call = call,
               .single = x->dtype != PIR_F64,
               .boxes = room[1],
               .out = room[3],
               .x = room[4]};
  r.image = images.data;
  for (int64_t n = 0; n < count && !status && r.x.data; n++)
    add_region_gradient(&r, n);
  pir_kernel_drop(call, &images);
  return pir_kernel_close(call, status, 4, 1, room);
}
