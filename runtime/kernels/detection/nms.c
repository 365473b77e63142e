// Suppression of overlapping boxes: class by class with a threshold, by decaying scores, and of
// one sorted list. Boxes are copied to double; for f32 data every step is rounded to float, so
// that comparisons fall as Paddle's do. Cost: a look at every score, O(log top) for each
// candidate that is among the best so far, then each of the best against the boxes kept, a
// block of them at a time.
#include <math.h>
#include <string.h>

#include "boxes.h"

enum { KEPT_BLOCK = 16 };

#define REAL float
#define NAME(x) x##_f32
#include "overlaps.h"
#undef REAL
#undef NAME
#define REAL double
#define NAME(x) x##_f64
#include "overlaps.h"
#undef REAL
#undef NAME

double pir_boxes_rounded(const boxes *b, double x) {
  return b->single ? (double)(float)x : x;
}

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
static bool by_label(const found *x, const found *y) {
  return x->label < y->label;
}
static bool by_label_and_box(const found *x, const found *y) {
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
      for (int64_t k = lo; k < hi; k++)
        to[k] = x < mid && (y == hi || !before(&from[y], &from[x])) ? from[x++] : from[y++];
    }
    found *swap = from;
    from = to;
    to = swap;
  }
  if (from != list->items + first && n)
    memcpy(list->items + first, from, (size_t)n * sizeof *from);
  return PIR_OK;
}

static double area(const boxes *b, const double *box) {
  if (box[2] < box[0] || box[3] < box[1])
    return 0;
  double w = pir_boxes_rounded(b, box[2] - box[0]);
  double h = pir_boxes_rounded(b, box[3] - box[1]);
  return b->normalized
             ? pir_boxes_rounded(b, w * h)
             : pir_boxes_rounded(b, pir_boxes_rounded(b, w + 1) * pir_boxes_rounded(b, h + 1));
}

double pir_boxes_overlap(const boxes *b, const double *p, const double *q) {
  if (q[0] > p[2] || q[2] < p[0] || q[1] > p[3] || q[3] < p[1])
    return 0;
  double edge = b->normalized ? 0 : 1;
  double w =
      pir_boxes_rounded(b, pir_boxes_rounded(b, fmin(p[2], q[2]) - fmax(p[0], q[0])) + edge);
  double h =
      pir_boxes_rounded(b, pir_boxes_rounded(b, fmin(p[3], q[3]) - fmax(p[1], q[1])) + edge);
  double both = pir_boxes_rounded(b, w * h);
  return pir_boxes_rounded(
      b, both / pir_boxes_rounded(b, pir_boxes_rounded(b, area(b, p) + area(b, q)) - both));
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

// ---- the best of many

static bool is_better(const found *x, const found *y) {
  float a = (float)x->score;
  float b = (float)y->score;
  return a != b ? a > b : x->box < y->box;
}

// Puts the item where it belongs below place i of a heap with the worst on top.
static void sift(found *heap, int64_t n, int64_t i, found item) {
  for (int64_t child; (child = 2 * i + 1) < n; i = child) {
    if (child + 1 < n && is_better(&heap[child], &heap[child + 1]))
      child++;
    if (!is_better(&item, &heap[child]))
      break;
    heap[i] = heap[child];
  }
  heap[i] = item;
}

static void heapify(found *heap, int64_t n) {
  for (int64_t i = n / 2; i-- > 0;)
    sift(heap, n, i, heap[i]);
}

pir_status pir_boxes_best(boxes *b, int64_t first, int64_t top) {
  found *items = b->list.items + first;
  int64_t n = b->list.count - first;
  if (top >= 0 && top < n) {
    heapify(items, top);
    for (int64_t i = top; i < n && top; i++)
      if (is_better(&items[i], &items[0]))
        sift(items, top, 0, items[i]);
    b->list.count = first + top;
  }
  return pir_boxes_sort(b, &b->list, first, is_better);
}

// ---- class by class

typedef struct view {
  const double *boxes;
  const void *scores;  // of one class, in their own type
  int64_t count, box_step, score_step, label;
} view;

// The first box from i on with a score above the threshold.
static int64_t next_above(const boxes *b, const view *v, int64_t i, double threshold) {
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

// Candidates of a class above a threshold, best first, at most `top` (below 0: all); appended
// to the list. Once there are as many, the worst of them is the threshold.
static pir_status candidates(boxes *b, const view *v, double threshold, int64_t top) {
  int64_t first = b->list.count;
  for (int64_t i = next_above(b, v, 0, threshold); top && i < v->count;
       i = next_above(b, v, i + 1, threshold)) {
    int64_t at = i * v->score_step;
    double score =
        b->single ? (double)((const float *)v->scores)[at] : ((const double *)v->scores)[at];
    found item = {score, i, v->label};
    found *heap = b->list.items + first;
    bool full = b->list.count - first == top;
    if (!full) {
      PIR_TRY(pir_boxes_push(b, &b->list, item));
      heap = b->list.items + first;
      full = b->list.count - first == top;
      if (full)
        heapify(heap, top);
    } else if (is_better(&item, &heap[0])) {
      sift(heap, top, 0, item);
    }
    if (full && heap[0].score > threshold)
      threshold = heap[0].score;
  }
  return pir_boxes_sort(b, &b->list, first, is_better);
}

// The scores of class c of image n, counted in elements from the first.
static const void *scores_at(const boxes *b, int64_t at) {
  return (const char *)b->scores.data + (size_t)at * pir_dtype_size(b->scores.dtype);
}

static pir_status load(boxes *b, int rank) {
  const pir_kernel_call *call = b->call;
  const pir_tensor *box = pir_kernel_in(call, 0);
  const pir_tensor *scores = pir_kernel_in(call, 1);
  if (!box || box->rank != 3 || !scores || (scores->rank != 3 && scores->rank != rank))
    return pir_kernel_fail(call, PIR_INVALID,
                           "%s: expects bboxes of rank 3 and scores of rank 3, found %d and %d",
                           call->op, box ? box->rank : 0, scores ? scores->rank : 0);
  if (box->shape[2] != 4)
    return pir_kernel_fail(call, PIR_UNSUPPORTED, "unsupported: %s of boxes with %lld numbers",
                           call->op, (long long)box->shape[2]);
  bool batched = scores->rank == 3;
  if (box->shape[0] != scores->shape[0] || box->shape[1] != scores->shape[batched ? 2 : 1])
    return pir_kernel_fail(
        call, PIR_INVALID, "%s: scores: expects %lld by %lld boxes, found %lld by %lld",
        call->op, (long long)box->shape[0], (long long)box->shape[1],
        (long long)scores->shape[0], (long long)scores->shape[batched ? 2 : 1]);
  b->single = box->dtype != PIR_F64;
  PIR_TRY(pir_kernel_dense(call, box, PIR_F64, box->shape, 3, &b->boxes));
  b->borrowed = scores->dtype == (b->single ? PIR_F32 : PIR_F64) &&
                pir_tensor_is_dense(scores) &&
                (uintptr_t)scores->data % pir_dtype_size(scores->dtype) == 0;
  if (b->borrowed) {
    b->scores = *scores;
    return PIR_OK;
  }
  return pir_kernel_dense(call, scores, b->single ? PIR_F32 : PIR_F64, scores->shape,
                          scores->rank, &b->scores);
}

// Results: rows of label, score and box; positions; how many an image. `items` already hold
// positions in all boxes.
static pir_status write(boxes *b, const int64_t *counts, int64_t images) {
  const pir_kernel_call *call = b->call;
  pir_tensor *out = pir_kernel_out(call, 0);
  pir_tensor *index = pir_kernel_out(call, 1);
  pir_tensor *number = pir_kernel_out(call, 2);
  int64_t n = b->list.count;
  int64_t rows[2] = {n, 6};
  int64_t column[2] = {n, 1};
  int64_t shape[2] = {n, 6};
  pir_tensor values = {0};
  size_t size = (size_t)n * 6 * sizeof(double);
  double *numbers = pir_kernel_alloc(call, size);
  if (!numbers)
    return pir_kernel_fail(call, PIR_EXHAUSTED, "%s: out of memory", call->op);
  for (int64_t i = 0; i < n; i++) {
    const found *item = &b->list.items[i];
    numbers[6 * i] = (double)item->label;
    numbers[6 * i + 1] = item->score;
    memcpy(numbers + 6 * i + 2, (const double *)b->boxes.data + item->box * 4,
           4 * sizeof(double));
  }
  pir_tensor_set_dense(&values, PIR_F64, shape, 2);
  values.data = numbers;
  pir_status status =
      out ? pir_kernel_shape_result(call, out, b->single ? PIR_F32 : PIR_F64, rows, 2) : PIR_OK;
  if (!status && out)
    status = pir_tensor_copy(&values, out);
  pir_kernel_free(call, numbers, size);
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

// One image: `count` boxes from `start`. Scores are [class][box], or [box][class] with boxes
// for each class.
static pir_status image(boxes *b, int64_t start, int64_t count, int64_t batch) {
  const pir_attr_value *attrs = b->call->attrs;
  bool batched = b->scores.rank == 3;
  int64_t classes = b->scores.shape[1];
  int64_t first = b->list.count;
  int64_t keep = attrs[NMS_KEEP].i;
  int64_t step = batched ? 1 : classes;
  const double *all = b->boxes.data;
  for (int64_t c = 0; c < classes; c++) {
    if (c == attrs[NMS_BACKGROUND].i)
      continue;
    view v = {.count = count, .label = c, .box_step = 4 * step, .score_step = step};
    v.boxes = all + (start * step + (batched ? 0 : c)) * 4;
    v.scores = scores_at(b, batched ? (batch * classes + c) * count : start * classes + c);
    int64_t begin = b->list.count;
    PIR_TRY(candidates(b, &v, pir_boxes_rounded(b, attrs[NMS_SCORE].f), attrs[NMS_TOP].i));
    PIR_TRY(pir_boxes_suppress(b, v.boxes, v.box_step, begin,
                               pir_boxes_rounded(b, attrs[NMS_THRESHOLD].f),
                               pir_boxes_rounded(b, attrs[NMS_ETA].f)));
  }
  if (!batched)
    PIR_TRY(pir_boxes_sort(b, &b->list, first, by_label_and_box));
  if (keep > -1 && b->list.count - first > keep) {
    PIR_TRY(pir_boxes_sort(b, &b->list, first, pir_boxes_by_score));
    b->list.count = first + keep;
    PIR_TRY(pir_boxes_sort(b, &b->list, first, batched ? by_label : by_label_and_box));
  }
  for (int64_t i = first; i < b->list.count; i++) {
    found *item = &b->list.items[i];
    item->box = (start + item->box) * step + (batched ? 0 : item->label);
  }
  return PIR_OK;
}

// How many boxes each image has; their sum is checked.
static pir_status read_counts(const boxes *b, const pir_tensor *number, int64_t *counts,
                              int64_t images) {
  const pir_kernel_call *call = b->call;
  int64_t sum = 0;
  for (int64_t i = 0; i < images; i++) {
    counts[i] = number ? pir_tensor_int_at(number, i) : b->boxes.shape[1];
    if (counts[i] < 0 || (number && counts[i] > b->boxes.shape[0] - sum))
      return pir_kernel_fail(
          call, PIR_INVALID, "%s: rois_num: %lld boxes for image %lld, %lld are left", call->op,
          (long long)counts[i], (long long)i, (long long)(b->boxes.shape[0] - sum));
    sum += counts[i];
  }
  return PIR_OK;
}

static pir_status all_images(boxes *b) {
  const pir_kernel_call *call = b->call;
  const pir_tensor *number = pir_kernel_in(call, 2);
  PIR_TRY(load(b, 2));
  b->normalized = call->attrs[NMS_NORMALIZED].i != 0;
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
    status = image(b, start, count, i);
    counts[i] = b->list.count - before;
    start += count;
  }
  if (!status)
    status = write(b, counts, images);
  pir_kernel_free(call, counts, size);
  return status;
}

// operands: bboxes, scores, rois_num; results: out, index, nms_rois_num
pir_status pir_kernel_multiclass_nms3(const pir_kernel_call *call) {
  boxes b = {.call = call};
  pir_status status = all_images(&b);
  pir_boxes_drop(&b);
  return status;
}

// ---- by decaying scores

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

// Scores decay by the worst overlap with a better box, against how much that one was overlapped
// itself. The items stay as they are until all have decayed: `largest` overlaps and `scores`
// are beside them.
static void decay(boxes *b, const view *v, int64_t first, double *largest, double *scores) {
  const pir_attr_value *attrs = b->call->attrs;
  bool gaussian = attrs[MATRIX_GAUSSIAN].i != 0;
  double sigma = pir_boxes_rounded(b, attrs[MATRIX_SIGMA].f);
  double post = pir_boxes_rounded(b, attrs[MATRIX_POST].f);
  found *items = b->list.items + first;
  int64_t n = b->list.count - first, kept = 0;
  for (int64_t i = 0; i < n; i++) {
    double least = 1;
    largest[i] = 0;
    for (int64_t j = 0; j < i; j++) {
      double iou =
          pir_boxes_overlap(b, v->boxes + items[i].box * 4, v->boxes + items[j].box * 4);
      double most = largest[j];
      largest[i] = fmax(largest[i], iou);
      double factor =
          gaussian
              ? exp(pir_boxes_rounded(b, pir_boxes_rounded(b, most * most - iou * iou) * sigma))
              : (1 - iou) / (1 - most);
      least = fmin(least, pir_boxes_rounded(b, factor));
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

static pir_status decay_class(boxes *b, const view *v) {
  int64_t first = b->list.count;
  PIR_TRY(candidates(b, v, pir_boxes_rounded(b, b->call->attrs[MATRIX_SCORE].f),
                     b->call->attrs[MATRIX_TOP].i));
  int64_t n = b->list.count - first;
  size_t size = 2 * (size_t)n * sizeof(double);
  double *room = n ? pir_kernel_alloc(b->call, size) : NULL;
  if (!n)
    return PIR_OK;
  if (!room)
    return pir_kernel_fail(b->call, PIR_EXHAUSTED, "%s: out of memory", b->call->op);
  decay(b, v, first, room, room + n);
  pir_kernel_free(b->call, room, size);
  return PIR_OK;
}

static pir_status decay_images(boxes *b) {
  const pir_attr_value *attrs = b->call->attrs;
  PIR_TRY(load(b, 3));
  b->normalized = attrs[MATRIX_NORMALIZED].i != 0;
  int64_t images = b->scores.shape[0];
  int64_t classes = b->scores.shape[1];
  int64_t count = b->scores.shape[2];
  int64_t keep = attrs[MATRIX_KEEP].i;
  size_t size = (size_t)images * sizeof(int64_t);
  int64_t *counts = pir_kernel_alloc(b->call, size);
  if (!counts)
    return pir_kernel_fail(b->call, PIR_EXHAUSTED, "%s: out of memory", b->call->op);
  pir_status status = PIR_OK;
  for (int64_t n = 0; !status && n < images; n++) {
    int64_t first = b->list.count;
    for (int64_t c = 0; !status && c < classes; c++) {
      if (c == attrs[MATRIX_BACKGROUND].i)
        continue;
      view v = {.boxes = (const double *)b->boxes.data + n * count * 4,
                .scores = scores_at(b, (n * classes + c) * count)};
      v.count = count;
      v.box_step = 4;
      v.score_step = 1;
      v.label = c;
      status = decay_class(b, &v);
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
    status = write(b, counts, images);
  pir_kernel_free(b->call, counts, size);
  return status;
}

// operands: bboxes, scores; results: out, index, roisnum
pir_status pir_kernel_matrix_nms(const pir_kernel_call *call) {
  boxes b = {.call = call};
  pir_status status = decay_images(&b);
  pir_boxes_drop(&b);
  return status;
}

// ---- one list of boxes, best first

static bool covers(const boxes *b, const double *p, const double *q, double threshold) {
  double x0 = fmax(fmin(p[0], p[2]), fmin(q[0], q[2]));
  double x1 = fmin(fmax(p[0], p[2]), fmax(q[0], q[2]));
  double y0 = fmax(fmin(p[1], p[3]), fmin(q[1], q[3]));
  double y1 = fmin(fmax(p[1], p[3]), fmax(q[1], q[3]));
  if (x0 >= x1 || y0 >= y1)
    return false;
  double both =
      pir_boxes_rounded(b, pir_boxes_rounded(b, x1 - x0) * pir_boxes_rounded(b, y1 - y0));
  double first = pir_boxes_rounded(b, pir_boxes_rounded(b, fabs(p[2] - p[0])) *
                                          pir_boxes_rounded(b, fabs(p[3] - p[1])));
  double second = pir_boxes_rounded(b, pir_boxes_rounded(b, fabs(q[2] - q[0])) *
                                           pir_boxes_rounded(b, fabs(q[3] - q[1])));
  return pir_boxes_rounded(b, both / pir_boxes_rounded(b, pir_boxes_rounded(b, first + second) -
                                                              both)) > threshold;
}

// operands: x; attributes: threshold; results: positions of the boxes that stay
pir_status pir_kernel_nms(const pir_kernel_call *call) {
  const pir_tensor *x = pir_kernel_in(call, 0);
  pir_tensor *out = pir_kernel_out(call, 0);
  if (!x || x->rank != 2 || x->shape[1] != 4)
    return pir_kernel_fail(call, PIR_INVALID, "%s: x: expects rank 2 with 4 columns", call->op);
  boxes b = {.call = call, .single = x->dtype != PIR_F64};
  double threshold = pir_boxes_rounded(&b, call->attrs[0].f);
  pir_status status = pir_kernel_dense(call, x, PIR_F64, x->shape, 2, &b.boxes);
  const double *data = b.boxes.data;
  for (int64_t i = 0; !status && i < x->shape[0]; i++) {
    bool keep = true;
    for (int64_t k = 0; keep && k < b.list.count; k++)
      keep = !covers(&b, data + 4 * b.list.items[k].box, data + 4 * i, threshold);
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
