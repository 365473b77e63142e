// The training loss of a YOLO head and its gradient. Every true box belongs to the anchor that
// fits its size best, at the cell of its centre. A prediction that overlaps a true box well is
// ignored: it does not count as background. Computes in double. O(cells * boxes).
#include <math.h>

#include "kernels.h"

enum { YOLO_X, YOLO_BOX, YOLO_LABEL, YOLO_SCORE, YOLO_LOSS, YOLO_OBJECT, YOLO_MATCH, YOLO_ALL };
enum {
  YOLO_ANCHORS,
  YOLO_MASK,
  YOLO_CLASSES,
  YOLO_IGNORE,
  YOLO_RATIO,
  YOLO_SMOOTH,
  YOLO_SCALE
};

typedef struct box {
  double x, y, w, h;  // centre and extents
} box;

// Operands, results and attributes. `object` is 0 for background, -1 for an ignored prediction,
// and the score of a true box where one belongs.
typedef struct head {
  const pir_kernel_call *call;
  pir_int_list anchors, mask;
  const double *x, *truth, *scores;
  const int64_t *labels;
  double *object;
  int64_t *match;
  int64_t masks, classes, high, wide, boxes;
  double input, scale, bias, positive, negative;
} head;

static double binary_cross_entropy(double x, double label) {
  return fmax(x, 0) - x * label + log1p(exp(-fabs(x)));
}
static double sigmoid_of_output(double x) {
  return 1 / (1 + exp(-x));
}

// How much two intervals overlap, given by their centres and lengths.
static double shared_length(double c1, double w1, double c2, double w2) {
  return fmin(c1 + w1 / 2, c2 + w2 / 2) - fmax(c1 - w1 / 2, c2 - w2 / 2);
}

static double box_iou(box a, box b) {
  double w = shared_length(a.x, a.w, b.x, b.w);
  double h = shared_length(a.y, a.h, b.y, b.h);
  double both = w < 0 || h < 0 ? 0 : w * h;
  return both / (a.w * a.h + b.w * b.h - both);
}

// Element `k` (x, y, w, h, objectness, classes) of anchor j at a cell of image n.
static double output_at(const head *p, int64_t n, int64_t j, int64_t k, int64_t cell) {
  return p->x[((n * p->masks + j) * (5 + p->classes) + k) * p->high * p->wide + cell];
}

static box true_box(const head *p, int64_t n, int64_t b) {
  const double *t = p->truth + (n * p->boxes + b) * 4;
  return (box){t[0], t[1], t[2], t[3]};
}

// Whether an entry of the operand is a box at all: padding has no extent.
static bool is_real_box(box b) {
  return b.w > 1e-6 && b.h > 1e-6;
}

static box predicted_box(const head *p, int64_t n, int64_t j, int64_t cell) {
  int64_t anchor = 2 * p->mask.ints[j];
  double column = (double)(cell % p->wide);
  double row = (double)(cell / p->wide);
  double grid = (double)p->high;
  double width = (double)p->anchors.ints[anchor];
  double height = (double)p->anchors.ints[anchor + 1];
  double x = sigmoid_of_output(output_at(p, n, j, 0, cell));
  double y = sigmoid_of_output(output_at(p, n, j, 1, cell));
  return (box){(column + x * p->scale + p->bias) / grid, (row + y * p->scale + p->bias) / grid,
               exp(output_at(p, n, j, 2, cell)) * width / p->input,
               exp(output_at(p, n, j, 3, cell)) * height / p->input};
}

// Marks the predictions of image n that overlap a true box by more than the ignore threshold.
static void ignore_good_predictions(const head *p, int64_t n) {
  double bound = pir_kernel_float(p->call, YOLO_IGNORE);
  int64_t cells = p->high * p->wide;
  for (int64_t j = 0; j < p->masks; j++)
    for (int64_t cell = 0; cell < cells; cell++) {
      box mine = predicted_box(p, n, j, cell);
      double best = 0;
      for (int64_t b = 0; b < p->boxes; b++) {
        box real = true_box(p, n, b);
        if (is_real_box(real))
          best = fmax(best, box_iou(mine, real));
      }
      if (best > bound)
        p->object[(n * p->masks + j) * cells + cell] = -1;
    }
}

// The anchor of this head that fits a box best, or -1 when an anchor of another head does.
static int64_t best_own_anchor(const head *p, box real) {
  double best = 0;
  int64_t at_best = 0;
  real.x = real.y = 0;
  for (size_t a = 0; 2 * a + 1 < p->anchors.count; a++) {
    box anchor = {.w = (double)p->anchors.ints[2 * a] / p->input,
                  .h = (double)p->anchors.ints[2 * a + 1] / p->input};
    double now = box_iou(anchor, real);
    if (now > best) {
      best = now;
      at_best = (int64_t)a;
    }
  }
  for (int64_t j = 0; j < p->masks; j++)
    if (p->mask.ints[j] == at_best)
      return j;
  return -1;
}

static double location_loss(const head *p, int64_t n, int64_t j, box real, int64_t cell,
                            double score) {
  int64_t anchor = 2 * p->mask.ints[j];
  double grid = (double)p->high;
  double weight = (2 - real.w * real.h) * score;
  double tx = real.x * grid - (double)(cell % p->wide);
  double ty = real.y * grid - (double)(cell / p->wide);
  double tw = log(real.w * p->input / (double)p->anchors.ints[anchor]);
  double th = log(real.h * p->input / (double)p->anchors.ints[anchor + 1]);
  double loss = binary_cross_entropy(output_at(p, n, j, 0, cell), tx);
  loss += binary_cross_entropy(output_at(p, n, j, 1, cell), ty);
  loss += fabs(output_at(p, n, j, 2, cell) - tw);
  loss += fabs(output_at(p, n, j, 3, cell) - th);
  return weight * loss;
}

// Adds the cross entropy of the classes of one prediction.
static void add_class_loss(const head *p, int64_t n, int64_t j, int64_t cell, int64_t label,
                           double score, double *loss) {
  for (int64_t c = 0; c < p->classes; c++) {
    double wanted = c == label ? p->positive : p->negative;
    *loss += binary_cross_entropy(output_at(p, n, j, 5 + c, cell), wanted) * score;
  }
}

// Gives the true boxes of image n to anchors and cells, and adds their loss.
static pir_status add_true_boxes(const head *p, int64_t n, double *loss) {
  for (int64_t b = 0; b < p->boxes; b++) {
    box real = true_box(p, n, b);
    int64_t i = n * p->boxes + b;
    int64_t label = p->labels[i];
    p->match[i] = -1;
    if (!is_real_box(real))
      continue;
    int64_t column = (int64_t)(real.x * (double)p->wide);
    int64_t row = (int64_t)(real.y * (double)p->high);
    int64_t j = best_own_anchor(p, real);
    p->match[i] = j;
    if (j < 0)
      continue;
    bool inside = real.x >= 0 && real.y >= 0 && column < p->wide && row < p->high;
    if (!inside || label < 0 || label >= p->classes)
      return pir_kernel_fail(p->call, PIR_INVALID,
                             "%s: gt_box and gt_label: a centre (%g, %g), a label %lld of %lld",
                             p->call->op, real.x, real.y, (long long)label,
                             (long long)p->classes);
    int64_t cell = row * p->wide + column;
    double score = p->scores ? p->scores[i] : 1;
    *loss += location_loss(p, n, j, real, cell, score);
    p->object[(n * p->masks + j) * p->high * p->wide + cell] = score;
    add_class_loss(p, n, j, cell, label, score, loss);
  }
  return PIR_OK;
}

static double objectness_loss(const head *p, int64_t n) {
  double loss = 0;
  int64_t cells = p->high * p->wide;
  for (int64_t i = 0; i < p->masks * cells; i++) {
    double object = p->object[n * p->masks * cells + i];
    double x = output_at(p, n, i / cells, 4, i % cells);
    if (object > 1e-5)
      loss += binary_cross_entropy(x, 1) * object;
    else if (object > -0.5)
      loss += binary_cross_entropy(x, 0);
  }
  return loss;
}

static pir_status check_yolo_operands(const pir_kernel_call *call) {
  const pir_tensor *x = pir_kernel_in(call, YOLO_X);
  const pir_tensor *boxes = pir_kernel_in(call, YOLO_BOX);
  pir_int_list anchors = pir_kernel_ints(call, YOLO_ANCHORS);
  pir_int_list mask = pir_kernel_ints(call, YOLO_MASK);
  PIR_TRY(pir_kernel_expect_rank(call, YOLO_X, "x", 4));
  PIR_TRY(pir_kernel_expect_rank(call, YOLO_BOX, "gt_box", 3));
  PIR_TRY(pir_kernel_expect_rank(call, YOLO_LABEL, "gt_label", 2));
  int64_t planes = (int64_t)mask.count * (5 + pir_kernel_int(call, YOLO_CLASSES));
  bool square = x->shape[2] == x->shape[3];
  if (pir_kernel_int(call, YOLO_CLASSES) < 1 || x->shape[1] != planes || !square)
    return pir_kernel_fail(
        call, PIR_INVALID,
        "%s: x: expects %lld channels and a square map, found [%lld, %lld, %lld]", call->op,
        (long long)planes, (long long)x->shape[1], (long long)x->shape[2],
        (long long)x->shape[3]);
  for (int k = YOLO_BOX; k <= YOLO_SCORE; k++) {
    const pir_tensor *t = pir_kernel_in(call, k);
    if (!t)
      continue;
    bool listed = t->rank >= 2 && t->shape[0] == x->shape[0];
    if (!listed || t->shape[1] != boxes->shape[1] || (k == YOLO_BOX && t->shape[2] != 4))
      return pir_kernel_fail(call, PIR_INVALID,
                             "%s: gt_box, gt_label and gt_score do not fit x", call->op);
  }
  for (size_t j = 0; j < mask.count; j++)
    if (mask.ints[j] < 0 || 2 * (size_t)mask.ints[j] + 1 >= anchors.count)
      return pir_kernel_fail(call, PIR_INVALID, "%s: anchor_mask: %lld of %zu anchors",
                             call->op, (long long)mask.ints[j], anchors.count / 2);
  return PIR_OK;
}

// The head of a call whose operands and results are open.
static head head_of(const pir_kernel_call *call, const pir_tensor *t, const pir_tensor *object,
                    const pir_tensor *match) {
  const int64_t *shape = t[YOLO_X].shape;
  double classes = (double)pir_kernel_int(call, YOLO_CLASSES);
  double smooth = pir_kernel_int(call, YOLO_SMOOTH) ? fmin(1 / classes, 1.0 / 40) : 0;
  return (head){.call = call,
                .anchors = pir_kernel_ints(call, YOLO_ANCHORS),
                .mask = pir_kernel_ints(call, YOLO_MASK),
                .x = t[YOLO_X].data,
                .truth = t[YOLO_BOX].data,
                .scores = t[YOLO_SCORE].data,
                .labels = t[YOLO_LABEL].data,
                .object = object->data,
                .match = match->data,
                .masks = (int64_t)pir_kernel_ints(call, YOLO_MASK).count,
                .classes = pir_kernel_int(call, YOLO_CLASSES),
                .high = shape[2],
                .wide = shape[3],
                .boxes = t[YOLO_BOX].shape[1],
                .input = (double)(pir_kernel_int(call, YOLO_RATIO) * shape[2]),
                .scale = pir_kernel_float(call, YOLO_SCALE),
                .bias = -0.5 * (pir_kernel_float(call, YOLO_SCALE) - 1),
                .positive = 1 - smooth,
                .negative = smooth};
}

// operands: x, gt_box, gt_label, gt_score; results: loss, objectness_mask, gt_match_mask
pir_status pir_kernel_yolo_loss(const pir_kernel_call *call) {
  static const uint8_t in[] = {PIR_F64, PIR_F64, PIR_I64, PIR_F64},
                       out[] = {PIR_F64, PIR_F64, PIR_I64};
  PIR_TRY(check_yolo_operands(call));
  pir_tensor t[YOLO_ALL];
  pir_status status = pir_kernel_open(call, in, 4, out, 3, t);
  const int64_t *shape = t[YOLO_X].shape;
  const int64_t masks = (int64_t)pir_kernel_ints(call, YOLO_MASK).count;
  const int64_t cells[4] = {shape[0], masks, shape[2], shape[3]};
  if (!status)
    status = pir_kernel_need(call, PIR_F64, cells, 4, &t[YOLO_OBJECT]);
  if (!status)
    status = pir_kernel_need(call, PIR_I64, t[YOLO_BOX].shape, 2, &t[YOLO_MATCH]);
  head p = head_of(call, t, &t[YOLO_OBJECT], &t[YOLO_MATCH]);
  for (int64_t n = 0; !status && n < shape[0]; n++) {
    double *loss = (double *)t[YOLO_LOSS].data + n;
    ignore_good_predictions(&p, n);
    status = add_true_boxes(&p, n, loss);
    *loss += objectness_loss(&p, n);
  }
  return pir_kernel_close(call, status, 4, 3, t);
}

// ---- gradient

static double cross_entropy_slope(double x, double label) {
  return sigmoid_of_output(x) - label;
}

// Where the gradient of element `k` of a prediction is stored.
static double *gradient_at(const head *p, double *grad, int64_t n, int64_t j, int64_t k,
                           int64_t cell) {
  return &grad[((n * p->masks + j) * (5 + p->classes) + k) * p->high * p->wide + cell];
}

// Stores the gradients by the place, the extents and the classes of the predictions that true
// boxes of image n were given to. Of several boxes at one place the last counts.
static pir_status store_box_gradients(const head *p, int64_t n, double by, double *grad) {
  for (int64_t b = 0; b < p->boxes; b++) {
    int64_t i = n * p->boxes + b, j = p->match[i];
    box real = true_box(p, n, b);
    if (j < 0)
      continue;
    int64_t column = (int64_t)(real.x * (double)p->wide);
    int64_t row = (int64_t)(real.y * (double)p->high);
    if (j >= p->masks || column < 0 || row < 0 || column >= p->wide || row >= p->high)
      return pir_kernel_fail(p->call, PIR_INVALID,
                             "%s: gt_match_mask: anchor %lld for a centre (%g, %g)",
                             p->call->op, (long long)j, real.x, real.y);
    int64_t cell = row * p->wide + column, anchor = 2 * p->mask.ints[j];
    double score = p->scores ? p->scores[i] : 1;
    double weight = (2 - real.w * real.h) * score * by;
    double wanted[] = {real.x * (double)p->high - (double)column,
                       real.y * (double)p->high - (double)row,
                       log(real.w * p->input / (double)p->anchors.ints[anchor]),
                       log(real.h * p->input / (double)p->anchors.ints[anchor + 1])};
    for (int64_t k = 0; k < 4; k++) {
      double x = output_at(p, n, j, k, cell);
      double slope = x > wanted[k] ? 1 : -1;
      if (k < 2)
        slope = cross_entropy_slope(x, wanted[k]);
      *gradient_at(p, grad, n, j, k, cell) = slope * weight;
    }
    for (int64_t c = 0; c < p->classes; c++) {
      double label = c == p->labels[i] ? p->positive : p->negative;
      double slope = cross_entropy_slope(output_at(p, n, j, 5 + c, cell), label);
      *gradient_at(p, grad, n, j, 5 + c, cell) = slope * score * by;
    }
  }
  return PIR_OK;
}

static void store_objectness_gradients(const head *p, int64_t n, double by, double *grad) {
  int64_t cells = p->high * p->wide;
  for (int64_t i = 0; i < p->masks * cells; i++) {
    double object = p->object[n * p->masks * cells + i];
    int64_t j = i / cells, cell = i % cells;
    double x = output_at(p, n, j, 4, cell);
    if (object > 1e-5)
      *gradient_at(p, grad, n, j, 4, cell) = cross_entropy_slope(x, 1) * object * by;
    else if (object > -0.5)
      *gradient_at(p, grad, n, j, 4, cell) = cross_entropy_slope(x, 0) * by;
  }
}

// operands: x, gt_box, gt_label, gt_score, objectness_mask, gt_match_mask, loss_grad; results:
// x_grad, and zeros for the gradients of the true boxes, their labels and scores
pir_status pir_kernel_yolo_loss_grad(const pir_kernel_call *call) {
  enum { OBJECT = YOLO_SCORE + 1, MATCH, LOSS_GRAD, INS, OUTS = 4 };
  static const uint8_t in[] = {PIR_F64, PIR_F64, PIR_I64, PIR_F64, PIR_F64, PIR_I64, PIR_F64},
                       out[] = {PIR_F64, PIR_F64, PIR_F64, PIR_F64};
  PIR_TRY(check_yolo_operands(call));
  pir_tensor t[INS + OUTS];
  const int64_t *shape = pir_kernel_in(call, YOLO_X)->shape;
  const int64_t *boxes = pir_kernel_in(call, YOLO_BOX)->shape;
  int64_t masks = (int64_t)pir_kernel_ints(call, YOLO_MASK).count;
  const int64_t cells[4] = {shape[0], masks, shape[2], shape[3]};
  PIR_TRY(pir_kernel_expect_shape(call, OBJECT, "objectness_mask", cells, 4));
  PIR_TRY(pir_kernel_expect_shape(call, MATCH, "gt_match_mask", boxes, 2));
  PIR_TRY(pir_kernel_expect_shape(call, LOSS_GRAD, "loss_grad", shape, 1));
  pir_status status = pir_kernel_open(call, in, INS, out, OUTS, t);
  head p = head_of(call, t, &t[OBJECT], &t[MATCH]);
  for (int64_t n = 0; !status && n < shape[0]; n++) {
    double by = ((double *)t[LOSS_GRAD].data)[n];
    status = store_box_gradients(&p, n, by, t[INS].data);
    store_objectness_gradients(&p, n, by, t[INS].data);
  }
  return pir_kernel_close(call, status, INS, OUTS, t);
}
