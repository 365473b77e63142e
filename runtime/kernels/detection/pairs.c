// Greedy choices by score: rows and columns paired by distance, and the best regions of all
// pyramid levels. Each sorts all its candidates.
#include <stdlib.h>
#include <string.h>

#include "boxes.h"

// ---- pairs

// Pairs columns with rows, the largest entry of `dist` first; every row and column is paired at
// most once.
static pir_status match_greedily(boxes *b, const double *dist, int64_t rows, int64_t columns,
                                 int64_t *taken, int64_t *match, double *distance) {
  int64_t paired = 0;
  for (int64_t i = 0; i < rows * columns; i++)
    PIR_TRY(pir_boxes_push(b, &b->list, (found){dist[i], i, 0}));
  PIR_TRY(pir_boxes_sort(b, &b->list, 0, pir_boxes_by_score));
  for (int64_t k = 0; k < b->list.count && paired < rows; k++) {
    const found *item = &b->list.items[k];
    int64_t row = item->box / columns;
    int64_t column = item->box % columns;
    if (match[column] >= 0 || taken[row] || !(item->score > 0))
      continue;
    match[column] = row;
    taken[row] = 1;
    distance[column] = item->score;
    paired++;
  }
  return PIR_OK;
}

// Gives every unpaired column the row of its largest entry, when that reaches `bound`. A row
// may serve several columns.
static void match_remaining_columns(const double *dist, int64_t rows, int64_t columns,
                                    double bound, int64_t *match, double *distance) {
  for (int64_t j = 0; j < columns; j++) {
    if (match[j] >= 0)
      continue;
    double best = -1;
    for (int64_t i = 0; i < rows; i++) {
      double d = dist[i * columns + j];
      if (d < 1e-6 || d < bound || d <= best)
        continue;
      best = d;
      match[j] = i;
      distance[j] = d;
    }
  }
}

// operand: dist_mat [rows, columns]; attributes: match_type, dist_threshold; results: rows,
// distances [1, columns]
pir_status pir_kernel_bipartite_match(const pir_kernel_call *call) {
  static const uint8_t in[] = {PIR_F64}, out[] = {PIR_I64, PIR_F64};
  PIR_TRY(pir_kernel_expect_rank(call, 0, "dist_mat", 2));
  bool each = pir_str_equal(pir_kernel_text(call, 0), PIR_STR("per_prediction"));
  if (!each && !pir_str_equal(pir_kernel_text(call, 0), PIR_STR("bipartite")))
    return pir_kernel_fail(call, PIR_INVALID,
                           "%s: match_type: expects bipartite or per_prediction", call->op);
  const int64_t *shape = pir_kernel_in(call, 0)->shape;
  boxes b = {.call = call, .single = pir_kernel_in(call, 0)->dtype != PIR_F64};
  double bound = pir_boxes_rounded(&b, pir_kernel_float(call, 1));
  pir_tensor t[3], taken = {0};
  pir_status status = pir_kernel_open(call, in, 1, out, 2, t);
  if (!status)
    status = pir_kernel_zeros(call, PIR_I64, shape, 1, &taken);
  if (!status)
    status = pir_kernel_need(call, PIR_I64, &shape[1], 1, &t[1]);
  if (!status)
    status = pir_kernel_need(call, PIR_F64, &shape[1], 1, &t[2]);
  if (!status) {
    memset(t[1].data, 0xff, (size_t)shape[1] * sizeof(int64_t));
    status =
        match_greedily(&b, t[0].data, shape[0], shape[1], taken.data, t[1].data, t[2].data);
  }
  if (!status && each)
    match_remaining_columns(t[0].data, shape[0], shape[1], bound, t[1].data, t[2].data);
  pir_boxes_drop(&b);
  pir_kernel_drop(call, &taken);
  return pir_kernel_close(call, status, 1, 2, t);
}

// ---- regions of all levels

enum { LEVEL_SHIFT = 40 };  // an item's `box` is level << LEVEL_SHIFT | region

static bool image_is_less(const found *x, const found *y) {
  return x->label < y->label;
}

// Appends the regions of one level to the list, each with its image as label.
static pir_status list_level_regions(boxes *b, int64_t level, int64_t images) {
  const pir_kernel_call *call = b->call;
  const pir_tensor *rois = call->in[call->in_first[0] + level];
  const pir_tensor *scores = call->in[call->in_first[1] + level];
  bool numbered = call->in_members[2] > 0;
  const pir_tensor *number = numbered ? call->in[call->in_first[2] + level] : NULL;
  bool is_list = rois->rank == 2 && rois->shape[1] == 4;
  if (!is_list || pir_tensor_numel(scores) != rois->shape[0])
    return pir_kernel_fail(call, PIR_INVALID,
                           "%s: level %lld: expects regions of 4 columns with a score each",
                           call->op, (long long)level);
  pir_tensor dense, image = {0};
  int64_t n = rois->shape[0];
  PIR_TRY(pir_kernel_dense(call, scores, PIR_F64, scores->shape, scores->rank, &dense));
  pir_status status = pir_kernel_zeros(call, PIR_I64, &n, 1, &image);
  if (!status)
    status = pir_boxes_images(call, number, images, n, image.data);
  const double *score = dense.data;
  const int64_t *label = image.data;
  for (int64_t i = 0; i < n && !status; i++) {
    found item = {score[i], level << LEVEL_SHIFT | i, label[i]};
    status = pir_boxes_push(b, &b->list, item);
  }
  pir_kernel_drop(call, &dense);
  pir_kernel_drop(call, &image);
  return status;
}

// Writes the first `count` regions of the list, and how many of them each image has.
static pir_status write_collected_regions(const boxes *b, int64_t count, int64_t images) {
  const pir_kernel_call *call = b->call;
  pir_tensor *out = pir_kernel_out(call, 0);
  pir_tensor *number = pir_kernel_out(call, 1);
  const pir_tensor *first = call->in[call->in_first[0]];
  PIR_TRY(pir_kernel_shape_result(call, out, first->dtype, (int64_t[]){count, 4}, 2));
  for (int64_t i = 0; i < count; i++) {
    int64_t level = b->list.items[i].box >> LEVEL_SHIFT;
    int64_t at = b->list.items[i].box & ((1ll << LEVEL_SHIFT) - 1);
    pir_tensor from = *call->in[call->in_first[0] + level];
    pir_tensor to = *out;
    int64_t from_size = (int64_t)pir_dtype_size(from.dtype);
    int64_t to_size = (int64_t)pir_dtype_size(to.dtype);
    from.data = (char *)from.data + at * from.strides[0] * from_size;
    to.data = (char *)to.data + i * 4 * to_size;
    from.shape[0] = to.shape[0] = 1;
    PIR_TRY(pir_tensor_copy(&from, &to));
  }
  if (!number)
    return PIR_OK;
  PIR_TRY(pir_kernel_shape_result(call, number, PIR_I32, &images, 1));
  memset(number->data, 0, (size_t)images * sizeof(int32_t));
  for (int64_t i = 0; i < count; i++)
    ((int32_t *)number->data)[b->list.items[i].label]++;
  return PIR_OK;
}

// operands: lists of one tensor for each level: regions, scores, regions per image; attribute:
// post_nms_topn
pir_status pir_kernel_collect_fpn_proposals(const pir_kernel_call *call) {
  int64_t levels = call->in_members[0];
  int64_t kept = pir_kernel_int(call, 0);
  const pir_tensor *number = call->in_members[2] > 0 ? call->in[call->in_first[2]] : NULL;
  bool counted = !number || call->in_members[2] == levels;
  if (levels < 1 || call->in_members[1] != levels || !counted)
    return pir_kernel_fail(call, PIR_INVALID,
                           "%s: expects regions, scores and numbers of the same levels",
                           call->op);
  if (kept < 0)
    return pir_kernel_fail(call, PIR_INVALID, "%s: post_nms_topn: %lld", call->op,
                           (long long)kept);
  int64_t images = number ? pir_tensor_numel(number) : 1;
  boxes b = {.call = call, .single = true};
  pir_status status = PIR_OK;
  for (int64_t level = 0; level < levels && !status; level++)
    status = list_level_regions(&b, level, images);
  if (!status)
    status = pir_boxes_sort(&b, &b.list, 0, pir_boxes_by_score);
  if (b.list.count > kept)
    b.list.count = kept;
  if (!status)
    status = pir_boxes_sort(&b, &b.list, 0, image_is_less);
  if (!status)
    status = write_collected_regions(&b, b.list.count, images);
  pir_boxes_drop(&b);
  return status;
}
