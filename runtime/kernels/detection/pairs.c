// Greedy choices by score: rows and columns paired by distance, and the best regions of all
// pyramid levels. A sort of all candidates.
#include <stdlib.h>
#include <string.h>

#include "boxes.h"

// ---- pairs

// Columns take the rows they are nearest to, the nearest pair first; every row is taken once.
static pir_status match_greedily(boxes *b, const double *dist, int64_t rows, int64_t columns,
                                 int64_t *taken, int64_t *match, double *distance) {
  int64_t paired = 0;
  for (int64_t i = 0; i < rows * columns; i++)
    PIR_TRY(pir_boxes_push(b, &b->list, (found){dist[i], i, 0}));
  PIR_TRY(pir_boxes_sort(b, &b->list, 0, pir_boxes_by_score));
  for (int64_t k = 0; k < b->list.count && paired < rows; k++) {
    int64_t row = b->list.items[k].box / columns;
    int64_t column = b->list.items[k].box % columns;
    if (match[column] >= 0 || taken[row] || !(b->list.items[k].score > 0))
      continue;
    match[column] = row;
    taken[row] = 1;
    distance[column] = b->list.items[k].score;
    paired++;
  }
  return PIR_OK;
}

// Columns still free take the row they are nearest to, when that is near enough.
static void match_rest(const double *dist, int64_t rows, int64_t columns, double bound,
                       int64_t *match, double *distance) {
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
  bool each = pir_str_equal(call->attrs[0].text, PIR_STR("per_prediction"));
  if (!each && !pir_str_equal(call->attrs[0].text, PIR_STR("bipartite")))
    return pir_kernel_fail(call, PIR_INVALID,
                           "%s: match_type: expects bipartite or per_prediction", call->op);
  const int64_t *shape = pir_kernel_in(call, 0)->shape;
  boxes b = {.call = call, .single = pir_kernel_in(call, 0)->dtype != PIR_F64};
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
    match_rest(t[0].data, shape[0], shape[1], pir_boxes_rounded(&b, call->attrs[1].f),
               t[1].data, t[2].data);
  pir_boxes_drop(&b);
  pir_kernel_drop(call, &taken);
  return pir_kernel_close(call, status, 1, 2, t);
}

// ---- regions of all levels

static bool by_image(const found *x, const found *y) {
  return x->label < y->label;
}

// Adds the regions of one level: `box` counts over all levels, `label` is the image.
static pir_status list_level(boxes *b, int64_t level, int64_t images) {
  const pir_kernel_call *call = b->call;
  const pir_tensor *rois = call->in[call->in_first[0] + level];
  const pir_tensor *scores = call->in[call->in_first[1] + level];
  const pir_tensor *number =
      call->in_members[2] > 0 ? call->in[call->in_first[2] + level] : NULL;
  if (rois->rank != 2 || rois->shape[1] != 4 || pir_tensor_numel(scores) != rois->shape[0])
    return pir_kernel_fail(call, PIR_INVALID,
                           "%s: level %lld: expects regions of 4 columns with a score each",
                           call->op, (long long)level);
  pir_tensor dense, image = {0};
  int64_t n = rois->shape[0];
  PIR_TRY(pir_kernel_dense(call, scores, PIR_F64, scores->shape, scores->rank, &dense));
  pir_status status = pir_kernel_zeros(call, PIR_I64, &n, 1, &image);
  if (!status)
    status = pir_boxes_images(call, number, images, n, image.data);
  for (int64_t i = 0; i < n && !status; i++)
    status = pir_boxes_push(b, &b->list,
                            (found){((const double *)dense.data)[i], level << 40 | i,
                                    ((const int64_t *)image.data)[i]});
  pir_kernel_drop(call, &dense);
  pir_kernel_drop(call, &image);
  return status;
}

static pir_status write_regions(const boxes *b, int64_t count, int64_t images) {
  const pir_kernel_call *call = b->call;
  pir_tensor *out = pir_kernel_out(call, 0);
  pir_tensor *number = pir_kernel_out(call, 1);
  const pir_tensor *first = call->in[call->in_first[0]];
  PIR_TRY(pir_kernel_shape_result(call, out, first->dtype, (int64_t[]){count, 4}, 2));
  for (int64_t i = 0; i < count; i++) {
    int64_t level = b->list.items[i].box >> 40;
    int64_t at = b->list.items[i].box & ((1ll << 40) - 1);
    pir_tensor from = *call->in[call->in_first[0] + level];
    pir_tensor to = *out;
    from.data = (char *)from.data + at * from.strides[0] * (int64_t)pir_dtype_size(from.dtype);
    to.data = (char *)to.data + i * 4 * (int64_t)pir_dtype_size(to.dtype);
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

// operands: lists of regions, scores, and how many an image, a level each; attribute:
// post_nms_topn
pir_status pir_kernel_collect_fpn_proposals(const pir_kernel_call *call) {
  int64_t levels = call->in_members[0];
  int64_t kept = call->attrs[0].i;
  const pir_tensor *number = call->in_members[2] > 0 ? call->in[call->in_first[2]] : NULL;
  if (levels < 1 || call->in_members[1] != levels || (number && call->in_members[2] != levels))
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
    status = list_level(&b, level, images);
  if (!status)
    status = pir_boxes_sort(&b, &b.list, 0, pir_boxes_by_score);
  if (b.list.count > kept)
    b.list.count = kept;
  if (!status)
    status = pir_boxes_sort(&b, &b.list, 0, by_image);
  if (!status)
    status = write_regions(&b, b.list.count, images);
  pir_boxes_drop(&b);
  return status;
}
