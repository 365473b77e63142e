// Regions of interest of two-stage detectors: proposals made from anchors, and their
// distribution over pyramid levels. Cost: a sort of the scores of an image, then each of the
// best boxes against the boxes kept.
#include <math.h>
#include <string.h>

#include "boxes.h"

enum { IN_SCORES, IN_DELTAS, IN_IMAGE, IN_ANCHORS, IN_VARIANCES };
enum { ATTR_BEFORE, ATTR_AFTER, ATTR_THRESHOLD, ATTR_MIN_SIZE, ATTR_ETA, ATTR_PIXEL };

typedef struct proposals {
  boxes b;           // `boxes` holds the decoded boxes of one image
  pir_tensor in[5];  // dense doubles
  int64_t images, anchors, cells;
  pir_tensor rois, probs;  // dense doubles of all images
  int64_t count;
} proposals;

// Height and width of an image.
static const double *image_size(const proposals *p, int64_t image) {
  const pir_tensor *sizes = &p->in[IN_IMAGE];
  return (const double *)sizes->data + image * sizes->shape[1];
}

// The extent of a box along axis `a`, which counts the last pixel unless boxes are normalized.
static double box_extent(const boxes *b, const double *box, int a) {
  double edge = b->normalized ? 0 : 1;
  return pir_boxes_rounded(b, pir_boxes_rounded(b, box[2 + a] - box[a]) + edge);
}

// Moves a coordinate into the image.
static double cut_to_image(double x, double limit) {
  return fmax(fmin(x, limit), 0);
}

// Decodes box i (cell by cell, with a cell's anchors adjacent) and cuts it to the image.
static void decode_box(proposals *p, int64_t image, int64_t i, double *to) {
  const boxes *b = &p->b;
  const double *anchor = (const double *)p->in[IN_ANCHORS].data + 4 * i;
  const double *variance = (const double *)p->in[IN_VARIANCES].data + 4 * i;
  const double *size = image_size(p, image);
  int64_t first = (image * p->anchors + i % p->anchors) * 4 * p->cells + i / p->anchors;
  const double *deltas = (const double *)p->in[IN_DELTAS].data + first;
  double edge = b->normalized ? 0 : 1;
  double most = pir_boxes_rounded(b, log(1000.0 / 16.0));
  for (int a = 0; a < 2; a++) {
    double extent = box_extent(b, anchor, a);
    double centre = pir_boxes_rounded(b, anchor[a] + 0.5 * extent);
    double moved = pir_boxes_rounded(b, variance[a] * deltas[a * p->cells]);
    double shift = pir_boxes_rounded(b, moved * extent);
    double grown = pir_boxes_rounded(b, variance[2 + a] * deltas[(2 + a) * p->cells]);
    double factor = pir_boxes_rounded(b, exp(fmin(grown, most)));
    double half = pir_boxes_rounded(b, factor * extent) / 2;
    double limit = size[1 - a] - edge;
    centre = pir_boxes_rounded(b, shift + centre);
    double low = pir_boxes_rounded(b, centre - half);
    double high = pir_boxes_rounded(b, pir_boxes_rounded(b, centre + half) - edge);
    to[a] = cut_to_image(low, limit);
    to[2 + a] = cut_to_image(high, limit);
  }
}

// Whether both extents reach the least size and, in pixels, the centre lies in the image.
static bool is_large_enough(const proposals *p, const double *box, const double *size) {
  const boxes *b = &p->b;
  double least = fmax((float)pir_kernel_float(b->call, ATTR_MIN_SIZE), 1);
  for (int a = 0; a < 2; a++) {
    double extent = box_extent(b, box, a);
    if (extent < least)
      return false;
    double centre = pir_boxes_rounded(b, box[a] + extent / 2);
    if (!b->normalized && centre > size[1 - a])
      return false;
  }
  return true;
}

// Makes the list hold the proposals of one image; one empty box stands for none.
static pir_status propose_image(proposals *p, int64_t image) {
  boxes *b = &p->b;
  const double *scores = (const double *)p->in[IN_SCORES].data + image * p->anchors * p->cells;
  const double *size = image_size(p, image);
  double *decoded = b->boxes.data;
  double threshold = pir_boxes_rounded(b, pir_kernel_float(b->call, ATTR_THRESHOLD));
  double eta = pir_boxes_rounded(b, pir_kernel_float(b->call, ATTR_ETA));
  int64_t most_before = pir_kernel_int(b->call, ATTR_BEFORE);
  int64_t most_after = pir_kernel_int(b->call, ATTR_AFTER);
  int64_t n = p->anchors * p->cells;
  int64_t kept = 0;
  b->list.count = 0;
  for (int64_t i = 0; i < n; i++) {
    int64_t at = i % p->anchors * p->cells + i / p->anchors;
    PIR_TRY(pir_boxes_push(b, &b->list, (found){scores[at], i, 0}));
  }
  PIR_TRY(pir_boxes_best(b, 0, most_before > 0 ? most_before : -1));
  for (int64_t i = 0; i < b->list.count; i++) {
    found item = b->list.items[i];
    decode_box(p, image, item.box, decoded + 4 * item.box);
    if (is_large_enough(p, decoded + 4 * item.box, size))
      b->list.items[kept++] = item;
  }
  b->list.count = kept;
  if (threshold > 0)
    PIR_TRY(pir_boxes_suppress(b, decoded, 4, 0, threshold, eta));
  if (threshold > 0 && most_after > 0 && b->list.count > most_after)
    b->list.count = most_after;
  if (kept || !n)
    return PIR_OK;
  memset(decoded, 0, 4 * sizeof *decoded);
  return pir_boxes_push(b, &b->list, (found){0});
}

// Checks the operands, and takes the extents from the scores.
static pir_status check_proposals(const pir_kernel_call *call, proposals *p) {
  static const char *const names[] = {"scores", "bbox_deltas", "im_shape", "anchors",
                                      "variances"};
  const pir_tensor *scores = pir_kernel_in(call, IN_SCORES);
  if (!scores || scores->rank != 4)
    return pir_kernel_fail(call, PIR_INVALID, "%s: scores: expects rank 4, found %d", call->op,
                           scores ? scores->rank : 0);
  int64_t each, all, quadrupled;
  p->images = scores->shape[0];
  p->anchors = scores->shape[1];
  if (__builtin_mul_overflow(scores->shape[2], scores->shape[3], &p->cells) ||
      __builtin_mul_overflow(p->anchors, p->cells, &each) ||
      __builtin_mul_overflow(p->images, each, &all) ||
      __builtin_mul_overflow(4, all > each ? all : each, &quadrupled))
    return pir_kernel_fail(call, PIR_EXHAUSTED, "%s: scores: too large", call->op);
  const int64_t wanted[] = {all, 4 * all, -1, 4 * each, 4 * each};
  for (int i = IN_DELTAS; i <= IN_VARIANCES; i++) {
    const pir_tensor *t = pir_kernel_in(call, i);
    int64_t n = t ? pir_tensor_numel(t) : 0;
    if (!t || (wanted[i] >= 0 && n != wanted[i]))
      return pir_kernel_fail(call, PIR_INVALID, "%s: %s: expects %lld elements, found %lld",
                             call->op, names[i], (long long)wanted[i], (long long)n);
  }
  const pir_tensor *deltas = pir_kernel_in(call, IN_DELTAS);
  const pir_tensor *size = pir_kernel_in(call, IN_IMAGE);
  if (deltas->rank != 4 || deltas->shape[1] != 4 * p->anchors)
    return pir_kernel_fail(call, PIR_INVALID, "%s: bbox_deltas: expects %lld along axis 1",
                           call->op, (long long)(4 * p->anchors));
  if (size->rank != 2 || size->shape[0] != p->images || size->shape[1] < 2)
    return pir_kernel_fail(call, PIR_INVALID,
                           "%s: im_shape: expects height and width of %lld images", call->op,
                           (long long)p->images);
  return PIR_OK;
}

// Allocates a dense table of doubles.
static pir_status dense_table(const pir_kernel_call *call, int64_t rows, int64_t columns,
                              pir_tensor *to) {
  const int64_t shape[2] = {rows, columns};
  size_t bytes;
  if (pir_shape_bytes(shape, 2, PIR_F64, &bytes))
    return pir_kernel_fail(call, PIR_EXHAUSTED, "%s: too large", call->op);
  pir_tensor_set_dense(to, PIR_F64, shape, 2);
  to->data = pir_kernel_alloc(call, bytes);
  if (!to->data)
    return pir_kernel_fail(call, PIR_EXHAUSTED, "%s: out of memory", call->op);
  return PIR_OK;
}

// Writes the first `rows` of a table as a result, unless it is absent.
static pir_status write_first_rows(const pir_kernel_call *call, const pir_tensor *table,
                                   int64_t rows, pir_dtype dtype, pir_tensor *out) {
  if (!out)
    return PIR_OK;
  pir_tensor part = *table;
  part.shape[0] = rows;
  PIR_TRY(pir_kernel_shape_result(call, out, dtype, part.shape, 2));
  return pir_tensor_copy(&part, out);
}

static pir_status propose_all_images(proposals *p) {
  const pir_kernel_call *call = p->b.call;
  pir_tensor *number = pir_kernel_out(call, 2);
  int64_t each = p->anchors * p->cells;
  for (int i = 0; i < 5; i++) {
    const pir_tensor *from = pir_kernel_in(call, i);
    PIR_TRY(pir_kernel_dense(call, from, PIR_F64, from->shape, from->rank, &p->in[i]));
  }
  PIR_TRY(dense_table(call, each, 4, &p->b.boxes));
  PIR_TRY(dense_table(call, p->images * each, 4, &p->rois));
  PIR_TRY(dense_table(call, p->images * each, 1, &p->probs));
  if (number)
    PIR_TRY(pir_kernel_shape_result(call, number, PIR_I32, &p->images, 1));
  for (int64_t n = 0; n < p->images; n++) {
    PIR_TRY(propose_image(p, n));
    for (int64_t i = 0; i < p->b.list.count; i++, p->count++) {
      const found *item = &p->b.list.items[i];
      const double *box = (const double *)p->b.boxes.data + 4 * item->box;
      memcpy((double *)p->rois.data + 4 * p->count, box, 4 * sizeof(double));
      ((double *)p->probs.data)[p->count] = item->score;
    }
    if (number)
      ((int32_t *)number->data)[n] = (int32_t)p->b.list.count;
  }
  pir_dtype dtype = p->b.single ? PIR_F32 : PIR_F64;
  PIR_TRY(write_first_rows(call, &p->rois, p->count, dtype, pir_kernel_out(call, 0)));
  return write_first_rows(call, &p->probs, p->count, dtype, pir_kernel_out(call, 1));
}

// operands: scores, bbox_deltas, im_shape, anchors, variances; results: rpn_rois,
// rpn_roi_probs, rpn_rois_num
pir_status pir_kernel_generate_proposals(const pir_kernel_call *call) {
  proposals p = {.b = {.call = call, .normalized = !pir_kernel_int(call, ATTR_PIXEL)}};
  PIR_TRY(check_proposals(call, &p));
  p.b.single = pir_kernel_in(call, IN_SCORES)->dtype != PIR_F64;
  pir_status status = propose_all_images(&p);
  for (int i = 0; i < 5; i++)
    pir_kernel_drop(call, &p.in[i]);
  pir_kernel_drop(call, &p.rois);
  pir_kernel_drop(call, &p.probs);
  pir_boxes_drop(&p.b);
  return status;
}

// ---- distribution over pyramid levels

enum { LEVEL_MIN, LEVEL_MAX, LEVEL_REFER, LEVEL_SCALE, LEVEL_PIXEL };

// The area of a box; 0 when an extent is negative.
static double region_area(const boxes *b, const double *box) {
  double edge = pir_kernel_int(b->call, LEVEL_PIXEL) ? 1 : 0;
  double w = pir_boxes_rounded(b, box[2] - box[0]);
  double h = pir_boxes_rounded(b, box[3] - box[1]);
  if (w < 0 || h < 0)
    return 0;
  w = pir_boxes_rounded(b, w + edge);
  h = pir_boxes_rounded(b, h + edge);
  return pir_boxes_rounded(b, w * h);
}

// The level of a box, counted from the lowest: the larger the box, the higher.
static int64_t level_of(const boxes *b, const double *box) {
  double side = pir_boxes_rounded(b, sqrt(region_area(b, box)));
  double scale = pir_boxes_rounded(b, side / (double)pir_kernel_int(b->call, LEVEL_SCALE));
  scale = pir_boxes_rounded(b, scale + pir_boxes_rounded(b, 1e-6));
  double octave = pir_boxes_rounded(b, log2(scale));
  double level =
      floor(pir_boxes_rounded(b, octave + (double)pir_kernel_int(b->call, LEVEL_REFER)));
  int64_t low = pir_kernel_int(b->call, LEVEL_MIN);
  int64_t high = pir_kernel_int(b->call, LEVEL_MAX);
  if (!(level > (double)low))
    return 0;
  return level > (double)high ? high - low : (int64_t)level - low;
}

// Writes the boxes of one level, their number in each image, and the new place of each box.
// Boxes of image i end at `ends[i]`; `placed` counts the boxes placed so far.
static pir_status write_level_boxes(boxes *b, int64_t level, const int64_t *level_at,
                                    const int64_t *ends, int64_t images, int64_t *placed,
                                    int32_t *restore) {
  const pir_kernel_call *call = b->call;
  pir_tensor *rois = call->out[call->out_first[0] + level];
  pir_tensor from = b->boxes;
  bool numbered = call->out_members[1] > level;
  pir_tensor *number = numbered ? call->out[call->out_first[1] + level] : NULL;
  int64_t count = 0;
  int64_t n = b->boxes.shape[0];
  int64_t row = 0;
  for (int64_t i = 0; i < n; i++)
    count += level_at[i] == level;
  const int64_t shape[2] = {count, 4};
  PIR_TRY(pir_kernel_shape_result(call, rois, b->single ? PIR_F32 : PIR_F64, shape, 2));
  if (number)
    PIR_TRY(pir_kernel_shape_result(call, number, PIR_I32, &images, 1));
  pir_tensor to = *rois;
  from.rank = to.rank = 1;
  from.shape[0] = to.shape[0] = 4;
  from.strides[0] = to.strides[0] = 1;
  for (int64_t image = 0, i = 0; image < images; image++) {
    int64_t before = row;
    for (; i < ends[image]; i++) {
      if (level_at[i] != level)
        continue;
      from.data = (double *)b->boxes.data + 4 * i;
      to.data = (char *)rois->data + row++ * 4 * (int64_t)pir_dtype_size(rois->dtype);
      PIR_TRY(pir_tensor_copy(&from, &to));
      if (restore)
        restore[i] = (int32_t)(*placed)++;
    }
    if (number)
      ((int32_t *)number->data)[image] = (int32_t)(row - before);
  }
  return PIR_OK;
}

// Finds the level of every box and writes the levels one after the other.
static pir_status distribute_boxes(boxes *b, int64_t *level_at, int64_t *ends, int64_t images) {
  const pir_kernel_call *call = b->call;
  const pir_tensor *number = pir_kernel_in(call, 1);
  pir_tensor *restore = pir_kernel_out(call, 2);
  int64_t n = b->boxes.shape[0];
  int64_t placed = 0;
  int64_t sum = 0;
  int64_t shape[2] = {n, 1};
  for (int64_t i = 0; i < images; i++) {
    int64_t here = number ? pir_tensor_int_at(number, i) : n;
    if (here < 0 || here > n - sum)
      return pir_kernel_fail(call, PIR_INVALID,
                             "%s: rois_num: %lld regions for image %lld, %lld are left",
                             call->op, (long long)here, (long long)i, (long long)(n - sum));
    sum += here;
    ends[i] = sum;
  }
  if (sum != n)
    return pir_kernel_fail(call, PIR_INVALID, "%s: rois_num: %lld regions, fpn_rois has %lld",
                           call->op, (long long)sum, (long long)n);
  for (int64_t i = 0; i < n; i++)
    level_at[i] = level_of(b, (const double *)b->boxes.data + 4 * i);
  if (restore)
    PIR_TRY(pir_kernel_shape_result(call, restore, PIR_I32, shape, 2));
  int32_t *restored = restore ? restore->data : NULL;
  for (int64_t level = 0; level < call->out_members[0]; level++)
    PIR_TRY(write_level_boxes(b, level, level_at, ends, images, &placed, restored));
  return PIR_OK;
}

// operands: fpn_rois, rois_num; results: multi_fpn_rois*, multi_level_rois_num*, restore_index
pir_status pir_kernel_distribute_fpn_proposals(const pir_kernel_call *call) {
  const pir_tensor *rois = pir_kernel_in(call, 0);
  const pir_tensor *number = pir_kernel_in(call, 1);
  if (!rois || rois->rank != 2 || rois->shape[1] != 4)
    return pir_kernel_fail(call, PIR_INVALID, "%s: fpn_rois: expects rank 2 with 4 columns",
                           call->op);
  if (number && number->rank != 1)
    return pir_kernel_fail(call, PIR_INVALID, "%s: rois_num: expects rank 1, found %d",
                           call->op, number->rank);
  int64_t levels = pir_kernel_int(call, LEVEL_MAX) - pir_kernel_int(call, LEVEL_MIN) + 1;
  if (call->out_members[0] != levels || pir_kernel_int(call, LEVEL_SCALE) <= 0)
    return pir_kernel_fail(call, PIR_INVALID, "%s: levels %lld to %lld with %d results",
                           call->op, (long long)pir_kernel_int(call, LEVEL_MIN),
                           (long long)pir_kernel_int(call, LEVEL_MAX), call->out_members[0]);
  boxes b = {.call = call, .single = rois->dtype != PIR_F64};
  int64_t images = number ? number->shape[0] : 1;
  size_t size = (size_t)(rois->shape[0] + images) * sizeof(int64_t);
  int64_t *room = pir_kernel_alloc(call, size);
  if (!room)
    return pir_kernel_fail(call, PIR_EXHAUSTED, "%s: out of memory", call->op);
  pir_status status = pir_kernel_dense(call, rois, PIR_F64, rois->shape, 2, &b.boxes);
  if (!status)
    status = distribute_boxes(&b, room, room + rois->shape[0], images);
  pir_kernel_free(call, room, size);
  pir_boxes_drop(&b);
  return status;
}
