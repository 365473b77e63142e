// Non-maximum suppression in three forms: class by class with a threshold, by decaying scores
// (matrix NMS), and of one sorted list. Boxes are copied to double. For f32 data every step is
// rounded to float, so that comparisons fall as Paddle's do. Cost: one pass over the scores,
// O(log top) for each candidate that is among the best so far, then each of the best against
// the boxes kept, a block of them at a time.
#include <math.h>
#include <string.h>

#include "boxes.h"

enum { KEPT_BLOCK = 16 };

#define REAL float
#define BOXES(x) x##_f32
#include "overlaps.h"
#undef REAL
#undef BOXES
#define REAL double
#define BOXES(x) x##_f64
#include "overlaps.h"
#undef REAL
#undef BOXES

pir_status pir_boxes_push(boxes *b, found_list *list, found item) {
  if (list->count == list->capacity) {
    int64_t capacity = list->capacity ? 2 * list->capacity : 64;
    found *items = pir_kernel_alloc(b->call, (size_t)capacity * sizeof *items);
    if (!items)
      return pir_kernel_fail(b->call, PIR_EXHAUSTED, "%s: out of memory", b->call->op);
    if (list->count)
      memcpy(items, list->items, (size_t)list->count * sizeof *items);
    pir_kernel_free(b->call, list->items, (size_t)list->capacity * sizeof *items);
    list->items = items;
    list->capacity = capacity;
  }
  list->items[list->count++] = item;
  return PIR_OK;
}

void pir_boxes_drop(boxes *b) {
  found_list *lists[] = {&b->list, &b->spare};
  for (int i = 0; i < 2; i++)
    pir_kernel_free(b->call, lists[i]->items, (size_t)lists[i]->capacity * sizeof(found));
  pir_kernel_drop(b->call, &b->boxes);
  if (!b->borrowed)
    pir_kernel_drop(b->call, &b->scores);
}

bool pir_boxes_by_score(const found *x, const found *y) {
  return (float)x->score > (float)y->score;
}
static bool label_is_less(const found *x, const found *y) {
  return x->label < y->label;
}
static bool label_and_box_are_less(const found *x, const found *y) {
  return x->label != y->label ? x->label < y->label : x->box < y->box;
}

pir_status pir_boxes_sort(boxes *b, found_list *list, int64_t first,
                          bool (*before)(const found *, const found *)) {
  int64_t n = list->count - first;
  b->spare.count = 0;
  while (b->spare.capacity < n) {
    PIR_TRY(pir_boxes_push(b, &b->spare, (found){0}));
    b->spare.count = b->spare.capacity;
  }
  found *from = list->items + first;
  found *to = b->spare.items;
  for (int64_t width = 1; width < n; width *= 2) {
    for (int64_t lo = 0; lo < n; lo += 2 * width) {
      int64_t mid = lo + width < n ? lo + width : n;
      int64_t hi = lo + 2 * width < n ? lo + 2 * width : n;
      int64_t x = lo;
      int64_t y = mid;
      for (int64_t k = lo; k < hi; k++) {
        bool takes_x = x < mid && (y == hi || !before(&from[y], &from[x]));
        to[k] = takes_x ? from[x++] : from[y++];
      }
    }
    found *swap = from;
    from = to;
    to = swap;
  }
  if (from != list->items + first && n)
    memcpy(list->items + first, from, (size_t)n * sizeof *from);
  return PIR_OK;
}

static double box_area(const boxes *b, const double *box) {
  if (box[2] < box[0] || box[3] < box[1])
    return 0;
  double w = pir_boxes_rounded(b, box[2] - box[0]);
  double h = pir_boxes_rounded(b, box[3] - box[1]);
  if (!b->normalized) {
    w = pir_boxes_rounded(b, w + 1);
    h = pir_boxes_rounded(b, h + 1);
  }
  return pir_boxes_rounded(b, w * h);
}

// The extent that two boxes share along axis `a`.
static double shared_extent(const boxes *b, const double *p, const double *q, int a) {
  double edge = b->normalized ? 0 : 1;
  double extent = fmin(p[2 + a], q[2 + a]) - fmax(p[a], q[a]);
  return pir_boxes_rounded(b, pir_boxes_rounded(b, extent) + edge);
}

// shared / (first + second - shared), every step rounded.
static double over_union(const boxes *b, double shared, double first, double second) {
  double sum = pir_boxes_rounded(b, first + second);
  return pir_boxes_rounded(b, shared / pir_boxes_rounded(b, sum - shared));
}

double pir_boxes_overlap(const boxes *b, const double *p, const double *q) {
  if (q[0] > p[2] || q[2] < p[0])
    return 0;
  if (q[1] > p[3] || q[3] < p[1])
    return 0;
  double w = shared_extent(b, p, q, 0);
  double h = shared_extent(b, p, q, 1);
  double shared = pir_boxes_rounded(b, w * h);
  return over_union(b, shared, box_area(b, p), box_area(b, q));
}

pir_status pir_boxes_suppress(boxes *b, const double *data, int64_t step, int64_t first,
                              double threshold, double eta) {
  int64_t n = b->list.count - first;
  int64_t most = (n + KEPT_BLOCK - 1) / KEPT_BLOCK * KEPT_BLOCK;
  size_t size = 5 * (size_t)most * (b->single ? sizeof(float) : sizeof(double));
  void *room = n ? pir_kernel_alloc(b->call, size) : NULL;
  if (!n)
    return PIR_OK;
  if (!room)
    return pir_kernel_fail(b->call, PIR_EXHAUSTED, "%s: out of memory", b->call->op);
  if (b->single)
    suppress_f32(b, data, step, first, threshold, eta, room, most);
  else
    suppress_f64(b, data, step, first, threshold, eta, room, most);
  pir_kernel_free(b->call, room, size);
  return PIR_OK;
}

// ---- the best candidates

// Whether x comes before y: by score, then by box.
static bool scores_better(const found *x, const found *y) {
  float a = (float)x->score;
  float b = (float)y->score;
  return a != b ? a > b : x->box < y->box;
}

// Puts the item into place i of a heap with the worst item on top, or into a place below it.
static void sift_down(found *heap, int64_t n, int64_t i, found item) {
  for (int64_t child = 2 * i + 1; child < n; child = 2 * i + 1) {
    if (child + 1 < n && scores_better(&heap[child], &heap[child + 1]))
      child++;
    if (!scores_better(&item, &heap[child]))
      break;
    heap[i] = heap[child];
    i = child;
  }
  heap[i] = item;
}

static void make_heap_of_worst(found *heap, int64_t n) {
  for (int64_t i = n / 2; i-- > 0;)
    sift_down(heap, n, i, heap[i]);
}

pir_status pir_boxes_best(boxes *b, int64_t first, int64_t top) {
  found *items = b->list.items + first;
  int64_t n = b->list.count - first;
  if (top >= 0 && top < n) {
    make_heap_of_worst(items, top);
    for (int64_t i = top; i < n && top; i++)
      if (scores_better(&items[i], &items[0]))
        sift_down(items, top, 0, items[i]);
    b->list.count = first + top;
  }
  return pir_boxes_sort(b, &b->list, first, scores_better);
}

// ---- class by class

typedef struct class_view {
  const double *boxes;
  const void *scores;  // scores of one class, in their own type
  int64_t count, box_step, score_step, label;
} class_view;

// The first box from i on with a score above the threshold, or the count of boxes.
static int64_t next_score_above(const boxes *b, const class_view *v, int64_t i,
                                double threshold) {
  const float *single = v->scores;
  const double *scores = v->scores;
  float bound = (float)threshold;
  if (b->single)
    while (i < v->count && !(single[i * v->score_step] > bound))
      i++;
  else
    while (i < v->count && !(scores[i * v->score_step] > threshold))
      i++;
  return i;
}

// Appends the candidates of a class above a threshold to the list, best first, at most `top`
// (below 0: all). Once the list has `top` of them, the worst score becomes the threshold.
static pir_status collect_candidates(boxes *b, const class_view *v, double threshold,
                                     int64_t top) {
  int64_t first = b->list.count;
  const float *single = v->scores;
  const double *scores = v->scores;
  for (int64_t i = next_score_above(b, v, 0, threshold); top && i < v->count;
       i = next_score_above(b, v, i + 1, threshold)) {
    int64_t at = i * v->score_step;
    double score = b->single ? (double)single[at] : scores[at];
    found item = {score, i, v->label};
    found *heap = b->list.items + first;
    bool full = b->list.count - first == top;
    if (!full) {
      PIR_TRY(pir_boxes_push(b, &b->list, item));
      heap = b->list.items + first;
      full = b->list.count - first == top;
      if (full)
        make_heap_of_worst(heap, top);
    } else if (scores_better(&item, &heap[0])) {
      sift_down(heap, top, 0, item);
    }
    if (full && heap[0].score > threshold)
      threshold = heap[0].score;
  }
  return pir_boxes_sort(b, &b->list, first, scores_better);
}

// The scores from element `at` on.
static const void *scores_from_element(const boxes *b, int64_t at) {
  return (const char *)b->scores.data + (size_t)at * pir_dtype_size(b->scores.dtype);
}

// Checks operands 0 and 1 and makes them dense. Scores have rank 3, or `rank`.
static pir_status load_boxes_and_scores(boxes *b, int rank) {
  const pir_kernel_call *call = b->call;
  const pir_tensor *box = pir_kernel_in(call, 0);
  const pir_tensor *scores = pir_kernel_in(call, 1);
  bool ranked = box && box->rank == 3 && scores;
  if (!ranked || (scores->rank != 3 && scores->rank != rank))
    return pir_kernel_fail(call, PIR_INVALID,
                           "%s: expects bboxes of rank 3 and scores of rank 3, found %d and %d",
                           call->op, box ? box->rank : 0, scores ? scores->rank : 0);
  if (box->shape[2] != 4)
    return pir_kernel_fail(call, PIR_UNSUPPORTED, "unsupported: %s of boxes with %lld numbers",
                           call->op, (long long)box->shape[2]);
  int64_t scored = scores->shape[scores->rank == 3 ? 2 : 1];
  if (box->shape[0] != scores->shape[0] || box->shape[1] != scored)
    return pir_kernel_fail(call, PIR_INVALID,
                           "%s: scores: expects %lld by %lld boxes, found %lld by %lld",
                           call->op, (long long)box->shape[0], (long long)box->shape[1],
                           (long long)scores->shape[0], (long long)scored);
  b->single = box->dtype != PIR_F64;
  PIR_TRY(pir_kernel_dense(call, box, PIR_F64, box->shape, 3, &b->boxes));
  pir_dtype dtype = b->single ? PIR_F32 : PIR_F64;
  bool aligned = (uintptr_t)scores->data % pir_dtype_size(scores->dtype) == 0;
  b->borrowed = scores->dtype == dtype && pir_tensor_is_dense(scores) && aligned;
  if (b->borrowed) {
    b->scores = *scores;
    return PIR_OK;
  }
  return pir_kernel_dense(call, scores, dtype, scores->shape, scores->rank, &b->scores);
}

// Writes result 0, a row of label, score and box for each detection.
static pir_status write_rows(const boxes *b, pir_tensor *out) {
  const pir_kernel_call *call = b->call;
  int64_t n = b->list.count;
  int64_t shape[2] = {n, 6};
  size_t size = (size_t)n * 6 * sizeof(double);
  double *numbers = pir_kernel_alloc(call, size);
  if (!numbers)
    return pir_kernel_fail(call, PIR_EXHAUSTED, "%s: out of memory", call->op);
  for (int64_t i = 0; i < n; i++) {
    const found *item = &b->list.items[i];
    const double *box = (const double *)b->boxes.data + item->box * 4;
    double *row = numbers + 6 * i;
    row[0] = (double)item->label;
    row[1] = item->score;
    memcpy(row + 2, box, 4 * sizeof(double));
  }
  pir_tensor values = {.data = numbers};
  pir_tensor_set_dense(&values, PIR_F64, shape, 2);
  pir_dtype dtype = b->single ? PIR_F32 : PIR_F64;
  pir_status status = pir_kernel_shape_result(call, out, dtype, shape, 2);
  if (!status)
    status = pir_tensor_copy(&values, out);
  pir_kernel_free(call, numbers, size);
  return status;
}

// Writes the results: the rows, the positions of the boxes, and the number of detections of
// each image. The items of the list already hold positions in all boxes.
static pir_status write_detections(boxes *b, const int64_t *counts, int64_t images) {
  const pir_kernel_call *call = b->call;
  pir_tensor *out = pir_kernel_out(call, 0);
  pir_tensor *index = pir_kernel_out(call, 1);
  pir_tensor *number = pir_kernel_out(call, 2);
  int64_t n = b->list.count;
  int64_t column[2] = {n, 1};
  pir_status status = out ? write_rows(b, out) : PIR_OK;
  if (!status && index)
    status = pir_kernel_shape_result(call, index, PIR_I32, column, 2);
  for (int64_t i = 0; !status && index && i < n; i++)
    ((int32_t *)index->data)[i] = (int32_t)b->list.items[i].box;
  if (!status && number)
    status = pir_kernel_shape_result(call, number, PIR_I32, &images, 1);
  for (int64_t i = 0; !status && number && i < images; i++)
    ((int32_t *)number->data)[i] = (int32_t)counts[i];
  return status;
}

enum { NMS_SCORE, NMS_TOP, NMS_KEEP, NMS_THRESHOLD, NMS_NORMALIZED, NMS_ETA, NMS_BACKGROUND };

// Appends the detections of one image, which has `count` boxes from `start` on. Scores are
// [class][box] in a batch, else [box][class], where every class has boxes of its own.
static pir_status suppress_image(boxes *b, int64_t start, int64_t count, int64_t batch) {
  bool batched = b->scores.rank == 3;
  int64_t classes = b->scores.shape[1];
  int64_t first = b->list.count;
  int64_t keep = pir_kernel_int(b->call, NMS_KEEP);
  int64_t step = batched ? 1 : classes;
  double least_score = pir_boxes_rounded(b, pir_kernel_float(b->call, NMS_SCORE));
  double threshold = pir_boxes_rounded(b, pir_kernel_float(b->call, NMS_THRESHOLD));
  double eta = pir_boxes_rounded(b, pir_kernel_float(b->call, NMS_ETA));
  const double *all = b->boxes.data;
  for (int64_t c = 0; c < classes; c++) {
    if (c == pir_kernel_int(b->call, NMS_BACKGROUND))
      continue;
    class_view v = {.count = count, .label = c, .box_step = 4 * step, .score_step = step};
    v.boxes = all + (start * step + (batched ? 0 : c)) * 4;
    int64_t element = batched ? (batch * classes + c) * count : start * classes + c;
    v.scores = scores_from_element(b, element);
    int64_t begin = b->list.count;
    PIR_TRY(collect_candidates(b, &v, least_score, pir_kernel_int(b->call, NMS_TOP)));
    PIR_TRY(pir_boxes_suppress(b, v.boxes, v.box_step, begin, threshold, eta));
  }
  if (!batched)
    PIR_TRY(pir_boxes_sort(b, &b->list, first, label_and_box_are_less));
  if (keep > -1 && b->list.count - first > keep) {
    PIR_TRY(pir_boxes_sort(b, &b->list, first, pir_boxes_by_score));
    b->list.count = first + keep;
    PIR_TRY(
        pir_boxes_sort(b, &b->list, first, batched ? label_is_less : label_and_box_are_less));
  }
  for (int64_t i = first; i < b->list.count; i++) {
    found *item = &b->list.items[i];
    item->box = (start + item->box) * step + (batched ? 0 : item->label);
  }
  return PIR_OK;
}

// Reads how many boxes each image has, and checks that all of them exist.
static pir_status read_counts(const boxes *b, const pir_tensor *number, int64_t *counts,
                              int64_t images) {
  const pir_kernel_call *call = b->call;
  int64_t sum = 0;
  for (int64_t i = 0; i < images; i++) {
    counts[i] = number ? pir_tensor_int_at(number, i) : b->boxes.shape[1];
    int64_t left = b->boxes.shape[0] - sum;
    if (counts[i] < 0 || (number && counts[i] > left))
      return pir_kernel_fail(call, PIR_INVALID,
                             "%s: rois_num: %lld boxes for image %lld, %lld are left", call->op,
                             (long long)counts[i], (long long)i, (long long)left);
    sum += counts[i];
  }
  return PIR_OK;
}

static pir_status suppress_all_images(boxes *b) {
  const pir_kernel_call *call = b->call;
  const pir_tensor *number = pir_kernel_in(call, 2);
  PIR_TRY(load_boxes_and_scores(b, 2));
  b->normalized = pir_kernel_int(call, NMS_NORMALIZED) != 0;
  bool batched = b->scores.rank == 3;
  if (!batched && (!number || number->rank != 1))
    return pir_kernel_fail(call, PIR_INVALID,
                           "%s: rois_num: expects rank 1 for scores of rank 2", call->op);
  int64_t images = batched ? b->scores.shape[0] : number->shape[0];
  int64_t start = 0;
  size_t size = (size_t)images * sizeof(int64_t);
  int64_t *counts = pir_kernel_alloc(call, size);
  if (!counts)
    return pir_kernel_fail(call, PIR_EXHAUSTED, "%s: out of memory", call->op);
  pir_status status = read_counts(b, batched ? NULL : number, counts, images);
  for (int64_t i = 0; !status && i < images; i++) {
    int64_t before = b->list.count, count = counts[i];
    status = suppress_image(b, start, count, i);
    counts[i] = b->list.count - before;
    start += count;
  }
  if (!status)
    status = write_detections(b, counts, images);
  pir_kernel_free(call, counts, size);
  return status;
}

// operands: bboxes, scores, rois_num; results: out, index, nms_rois_num
pir_status pir_kernel_multiclass_nms3(const pir_kernel_call *call) {
  boxes b = {.call = call};
  pir_status status = suppress_all_images(&b);
  pir_boxes_drop(&b);
  return status;
}

// ---- by decaying scores (matrix NMS)

enum {
  MATRIX_SCORE,
  MATRIX_TOP,
  MATRIX_KEEP,
  MATRIX_POST,
  MATRIX_GAUSSIAN,
  MATRIX_SIGMA,
  MATRIX_BACKGROUND,
  MATRIX_NORMALIZED
};

// The factor by which a score decays for an overlap `iou` with a better box, whose own largest
// overlap is `most`.
static double decay_factor(const boxes *b, double iou, double most, double sigma) {
  if (!pir_kernel_int(b->call, MATRIX_GAUSSIAN))
    return pir_boxes_rounded(b, (1 - iou) / (1 - most));
  double difference = pir_boxes_rounded(b, most * most - iou * iou);
  return pir_boxes_rounded(b, exp(pir_boxes_rounded(b, difference * sigma)));
}

// Multiplies every score by its least decay factor, and removes items at or below the post
// threshold. The items keep their scores until all have decayed: `largest` overlaps and the new
// `scores` are arrays beside them.
static void decay_scores(boxes *b, const class_view *v, int64_t first, double *largest,
                         double *scores) {
  double sigma = pir_boxes_rounded(b, pir_kernel_float(b->call, MATRIX_SIGMA));
  double post = pir_boxes_rounded(b, pir_kernel_float(b->call, MATRIX_POST));
  found *items = b->list.items + first;
  int64_t n = b->list.count - first, kept = 0;
  for (int64_t i = 0; i < n; i++) {
    const double *box = v->boxes + items[i].box * 4;
    double least = 1;
    largest[i] = 0;
    for (int64_t j = 0; j < i; j++) {
      const double *better = v->boxes + items[j].box * 4;
      double iou = pir_boxes_overlap(b, box, better);
      largest[i] = fmax(largest[i], iou);
      least = fmin(least, decay_factor(b, iou, largest[j], sigma));
    }
    scores[i] = pir_boxes_rounded(b, least * items[i].score);
  }
  for (int64_t i = 0; i < n; i++) {
    if (scores[i] <= post)
      continue;
    items[kept] = items[i];
    items[kept++].score = scores[i];
  }
  b->list.count = first + kept;
}

static pir_status decay_class_scores(boxes *b, const class_view *v) {
  int64_t first = b->list.count;
  double least_score = pir_boxes_rounded(b, pir_kernel_float(b->call, MATRIX_SCORE));
  PIR_TRY(collect_candidates(b, v, least_score, pir_kernel_int(b->call, MATRIX_TOP)));
  int64_t n = b->list.count - first;
  size_t size = 2 * (size_t)n * sizeof(double);
  double *room = n ? pir_kernel_alloc(b->call, size) : NULL;
  if (!n)
    return PIR_OK;
  if (!room)
    return pir_kernel_fail(b->call, PIR_EXHAUSTED, "%s: out of memory", b->call->op);
  decay_scores(b, v, first, room, room + n);
  pir_kernel_free(b->call, room, size);
  return PIR_OK;
}

static pir_status decay_all_images(boxes *b) {
  PIR_TRY(load_boxes_and_scores(b, 3));
  b->normalized = pir_kernel_int(b->call, MATRIX_NORMALIZED) != 0;
  int64_t images = b->scores.shape[0];
  int64_t classes = b->scores.shape[1];
  int64_t count = b->scores.shape[2];
  int64_t keep = pir_kernel_int(b->call, MATRIX_KEEP);
  size_t size = (size_t)images * sizeof(int64_t);
  int64_t *counts = pir_kernel_alloc(b->call, size);
  if (!counts)
    return pir_kernel_fail(b->call, PIR_EXHAUSTED, "%s: out of memory", b->call->op);
  pir_status status = PIR_OK;
  for (int64_t n = 0; !status && n < images; n++) {
    int64_t first = b->list.count;
    for (int64_t c = 0; !status && c < classes; c++) {
      if (c == pir_kernel_int(b->call, MATRIX_BACKGROUND))
        continue;
      class_view v = {.count = count, .label = c, .box_step = 4, .score_step = 1};
      v.boxes = (const double *)b->boxes.data + n * count * 4;
      v.scores = scores_from_element(b, (n * classes + c) * count);
      status = decay_class_scores(b, &v);
    }
    if (!status)
      status = pir_boxes_sort(b, &b->list, first, pir_boxes_by_score);
    if (keep > -1 && b->list.count - first > keep)
      b->list.count = first + keep;
    counts[n] = b->list.count - first;
    for (int64_t i = first; i < b->list.count; i++)
      b->list.items[i].box += n * count;
  }
  if (!status)
    status = write_detections(b, counts, images);
  pir_kernel_free(b->call, counts, size);
  return status;
}

// operands: bboxes, scores; results: out, index, roisnum
pir_status pir_kernel_matrix_nms(const pir_kernel_call *call) {
  boxes b = {.call = call};
  pir_status status = decay_all_images(&b);
  pir_boxes_drop(&b);
  return status;
}

// ---- one list of boxes, best first

// The extent along axis `a` that two boxes with corners in any order share.
static double shared_between_corners(const double *p, const double *q, int a) {
  double low = fmax(fmin(p[a], p[2 + a]), fmin(q[a], q[2 + a]));
  double high = fmin(fmax(p[a], p[2 + a]), fmax(q[a], q[2 + a]));
  return low < high ? high - low : 0;
}

static double area_between_corners(const boxes *b, const double *p) {
  double w = pir_boxes_rounded(b, fabs(p[2] - p[0]));
  double h = pir_boxes_rounded(b, fabs(p[3] - p[1]));
  return pir_boxes_rounded(b, w * h);
}

static bool overlaps_more_than(const boxes *b, const double *p, const double *q,
                               double threshold) {
  double w = shared_between_corners(p, q, 0);
  double h = shared_between_corners(p, q, 1);
  if (!(w > 0 && h > 0))
    return false;
  double shared = pir_boxes_rounded(b, pir_boxes_rounded(b, w) * pir_boxes_rounded(b, h));
  double first = area_between_corners(b, p);
  double second = area_between_corners(b, q);
  return over_union(b, shared, first, second) > threshold;
}

// operands: x; attributes: threshold; results: positions of the boxes that stay
pir_status pir_kernel_nms(const pir_kernel_call *call) {
  const pir_tensor *x = pir_kernel_in(call, 0);
  pir_tensor *out = pir_kernel_out(call, 0);
  if (!x || x->rank != 2 || x->shape[1] != 4)
    return pir_kernel_fail(call, PIR_INVALID, "%s: x: expects rank 2 with 4 columns", call->op);
  boxes b = {.call = call, .single = x->dtype != PIR_F64};
  double threshold = pir_boxes_rounded(&b, pir_kernel_float(call, 0));
  pir_status status = pir_kernel_dense(call, x, PIR_F64, x->shape, 2, &b.boxes);
  const double *data = b.boxes.data;
  for (int64_t i = 0; !status && i < x->shape[0]; i++) {
    bool keep = true;
    for (int64_t k = 0; keep && k < b.list.count; k++)
      keep = !overlaps_more_than(&b, data + 4 * b.list.items[k].box, data + 4 * i, threshold);
    if (keep)
      status = pir_boxes_push(&b, &b.list, (found){0, i, 0});
  }
  if (!status)
    status = pir_kernel_shape_result(call, out, PIR_I64, &b.list.count, 1);
  for (int64_t i = 0; !status && i < b.list.count; i++)
    ((int64_t *)out->data)[i] = b.list.items[i].box;
  pir_boxes_drop(&b);
  return status;
}
