// Losses over sequences and trees, in double: connectionist temporal classification (CTC) and
// transducers, by the forward-backward algorithm over the lattice of alignments, in logarithms;
// and the hierarchical sigmoid.
#include <math.h>
#include <string.h>

#include "kernels.h"

// The logarithm of exp(a) + exp(b).
static double add_logs(double a, double b) {
  double top = a > b ? a : b;
  double other = a > b ? b : a;
  return top == -INFINITY ? top : top + log1p(exp(other - top));
}

static void log_softmax(const double *x, int64_t n, double *to) {
  double top = -INFINITY, sum = 0;
  for (int64_t i = 0; i < n; i++)
    top = fmax(top, x[i]);
  for (int64_t i = 0; i < n; i++)
    sum += exp(x[i] - top);
  for (int64_t i = 0; i < n; i++)
    to[i] = x[i] - top - log(sum);
}

static bool is_within(int64_t v, int64_t low, int64_t high) {
  return v >= low && v <= high;
}

// ---- connectionist temporal classification

enum { CTC_LOGITS, CTC_LABEL, CTC_STEPS, CTC_LABELS, CTC_LOSS, CTC_GRADIENT, CTC_ALL };

// One sequence: p[t * classes + c] is the log probability of class c at step t. The states of a
// step are the labels, with a blank before, between and behind them.
typedef struct ctc {
  const double *p;
  const int64_t *label;
  int64_t steps, labels, classes, blank;
  double *forward, *backward;  // [steps, 2 * labels + 1]
} ctc;

static int64_t ctc_class(const ctc *c, int64_t state) {
  return state % 2 ? c->label[state / 2] : c->blank;
}

// Whether a path may reach `state` from two states before, past the blank: only between
// different labels.
static bool ctc_skips(const ctc *c, int64_t state) {
  return state % 2 && state > 1 && c->label[state / 2] != c->label[state / 2 - 1];
}

// Whether the steps suffice for the labels: between two equal ones there is a blank.
static bool ctc_fits(const ctc *c) {
  int64_t needed = c->labels;
  for (int64_t k = 1; k < c->labels; k++)
    needed += c->label[k] == c->label[k - 1];
  return needed <= c->steps;
}

// Fills `forward` and returns the log probability of the labels.
static double ctc_forward(const ctc *c) {
  int64_t n = 2 * c->labels + 1;
  for (int64_t t = 0; t < c->steps; t++)
    for (int64_t s = 0; s < n; s++) {
      const double *before = c->forward + (t - 1) * n;
      double sum = s < 2 ? 0 : -INFINITY;
      if (t)
        sum = before[s];
      if (t && s)
        sum = add_logs(sum, before[s - 1]);
      if (t && ctc_skips(c, s))
        sum = add_logs(sum, before[s - 2]);
      c->forward[t * n + s] = sum + c->p[t * c->classes + ctc_class(c, s)];
    }
  const double *last = c->forward + (c->steps - 1) * n;
  return n > 1 ? add_logs(last[n - 1], last[n - 2]) : last[0];
}

// Fills `backward`, which does not include the log probability of its own step.
static void ctc_backward(const ctc *c) {
  int64_t n = 2 * c->labels + 1;
  for (int64_t t = c->steps - 1; t >= 0; t--)
    for (int64_t s = 0; s < n; s++) {
      bool last = t == c->steps - 1;
      double sum = last && s >= n - 2 ? 0 : -INFINITY;
      const double *after = c->backward + (t + 1) * n;
      const double *p = c->p + (t + 1) * c->classes;
      for (int64_t to = s; !last && to < s + 3 && to < n; to++)
        if (to < s + 2 || ctc_skips(c, to))
          sum = add_logs(sum, after[to] + p[ctc_class(c, to)]);
      c->backward[t * n + s] = sum;
    }
}

// The gradient of the loss by the logits: softmax minus the posterior of each class.
static void ctc_gradient(const ctc *c, double total, double *to, int64_t stride) {
  int64_t n = 2 * c->labels + 1;
  for (int64_t t = 0; t < c->steps; t++) {
    for (int64_t k = 0; k < c->classes; k++)
      to[t * stride + k] = exp(c->p[t * c->classes + k]);
    for (int64_t s = 0; s < n && total > -INFINITY; s++) {
      double through = c->forward[t * n + s] + c->backward[t * n + s];
      to[t * stride + ctc_class(c, s)] -= exp(through - total);
    }
  }
}

// Computes the loss of sequence i, and its gradient unless that is absent.
static pir_status run_ctc_sequence(const pir_kernel_call *call, const pir_tensor *t, int64_t i,
                                   double *room) {
  const int64_t *shape = t[CTC_LOGITS].shape;
  const int64_t most = t[CTC_LABEL].shape[1];
  const int64_t classes = shape[2];
  ctc c = {.label = (const int64_t *)t[CTC_LABEL].data + i * most,
           .steps = ((const int64_t *)t[CTC_STEPS].data)[i],
           .labels = ((const int64_t *)t[CTC_LABELS].data)[i],
           .classes = classes,
           .blank = pir_kernel_int(call, 0)};
  if (!is_within(c.steps, 1, shape[0]) || !is_within(c.labels, 0, most))
    return pir_kernel_fail(call, PIR_INVALID,
                           "%s: logits_length %lld of %lld, labels_length %lld of %lld",
                           call->op, (long long)c.steps, (long long)shape[0],
                           (long long)c.labels, (long long)most);
  for (int64_t k = 0; k < c.labels; k++)
    if (!is_within(c.label[k], 0, classes - 1))
      return pir_kernel_fail(call, PIR_INVALID, "%s: label: %lld of %lld classes", call->op,
                             (long long)c.label[k], (long long)classes);
  if (!ctc_fits(&c))
    return PIR_OK;  // as in warp-ctc, the loss and its gradient stay 0
  double *p = room;
  c.p = p;
  c.forward = room + shape[0] * classes;
  c.backward = c.forward + shape[0] * (2 * most + 1);
  const double *x = (const double *)t[CTC_LOGITS].data + i * classes;
  for (int64_t s = 0; s < c.steps; s++)
    log_softmax(x + s * shape[1] * classes, classes, p + s * classes);
  double total = ctc_forward(&c);
  ((double *)t[CTC_LOSS].data)[i] = -total;
  if (!t[CTC_GRADIENT].data)
    return PIR_OK;
  ctc_backward(&c);
  ctc_gradient(&c, total, (double *)t[CTC_GRADIENT].data + i * classes, shape[1] * classes);
  return PIR_OK;
}

// operands: logits [steps, n, classes], label [n, labels], their lengths; attributes: blank,
// norm_by_times
pir_status pir_kernel_warpctc(const pir_kernel_call *call) {
  static const uint8_t in[] = {PIR_F64, PIR_I64, PIR_I64, PIR_I64}, out[] = {PIR_F64, PIR_F64};
  const pir_tensor *logits = pir_kernel_in(call, CTC_LOGITS);
  const pir_tensor *label = pir_kernel_in(call, CTC_LABEL);
  if (!pir_kernel_in(call, CTC_STEPS) || !pir_kernel_in(call, CTC_LABELS))
    return pir_kernel_fail(call, PIR_UNSUPPORTED, "unsupported: %s without lengths", call->op);
  PIR_TRY(pir_kernel_expect_rank(call, CTC_LOGITS, "logits", 3));
  PIR_TRY(pir_kernel_expect_rank(call, CTC_LABEL, "label", 2));
  int64_t n = logits->shape[1];
  int64_t states = 2 * label->shape[1] + 1;
  int64_t steps_given = pir_tensor_numel(pir_kernel_in(call, CTC_STEPS));
  int64_t labels_given = pir_tensor_numel(pir_kernel_in(call, CTC_LABELS));
  if (label->shape[0] != n || steps_given != n || labels_given != n)
    return pir_kernel_fail(call, PIR_INVALID,
                           "%s: expects labels and lengths of %lld sequences", call->op,
                           (long long)n);
  if (!is_within(pir_kernel_int(call, 0), 0, logits->shape[2] - 1))
    return pir_kernel_fail(call, PIR_INVALID, "%s: blank: %lld of %lld classes", call->op,
                           (long long)pir_kernel_int(call, 0), (long long)logits->shape[2]);
  pir_tensor t[CTC_ALL], room = {0};
  pir_status status = pir_kernel_open(call, in, 4, out, 2, t);
  const int64_t numbers[2] = {logits->shape[0], logits->shape[2] + 2 * states};
  if (!status)
    status = pir_kernel_zeros(call, PIR_F64, numbers, 2, &room);
  for (int64_t i = 0; i < n && !status; i++)
    status = run_ctc_sequence(call, t, i, room.data);
  pir_kernel_drop(call, &room);
  return pir_kernel_close(call, status, 4, 2, t);
}

// ---- transducers

enum { RNNT_INPUT, RNNT_LABEL, RNNT_STEPS, RNNT_LABELS, RNNT_LOSS, RNNT_GRADIENT, RNNT_ALL };

// One sequence: p[(t * wide + u) * classes + c] is the log probability of class c at step t
// after u labels.
typedef struct transducer {
  const double *p;
  const int64_t *label;
  int64_t steps, labels, wide, classes, blank;
  double *forward, *backward;  // [steps, wide]
} transducer;

// Log probabilities of the blank, which leads to step t + 1, and of the next label, which leads
// to u + 1.
static double log_of_blank(const transducer *r, int64_t t, int64_t u) {
  return r->p[(t * r->wide + u) * r->classes + r->blank];
}
static double log_of_label(const transducer *r, int64_t t, int64_t u) {
  return r->p[(t * r->wide + u) * r->classes + r->label[u]];
}

// Fills `forward` and `backward`, and returns the log probability of the labels.
static double rnnt_forward_backward(const transducer *r) {
  int64_t wide = r->wide, last = r->steps - 1;
  for (int64_t t = 0; t <= last; t++)
    for (int64_t u = 0; u <= r->labels; u++) {
      double sum = t + u ? -INFINITY : 0;
      if (t)
        sum = add_logs(sum, r->forward[(t - 1) * wide + u] + log_of_blank(r, t - 1, u));
      if (u)
        sum = add_logs(sum, r->forward[t * wide + u - 1] + log_of_label(r, t, u - 1));
      r->forward[t * wide + u] = sum;
    }
  for (int64_t t = last; t >= 0; t--)
    for (int64_t u = r->labels; u >= 0; u--) {
      double sum = t == last && u == r->labels ? log_of_blank(r, t, u) : -INFINITY;
      if (t < last)
        sum = add_logs(sum, r->backward[(t + 1) * wide + u] + log_of_blank(r, t, u));
      if (u < r->labels)
        sum = add_logs(sum, r->backward[t * wide + u + 1] + log_of_label(r, t, u));
      r->backward[t * wide + u] = sum;
    }
  return r->forward[last * wide + r->labels] + log_of_blank(r, last, r->labels);
}

// The gradient by the log probabilities: minus the probability of leaving each point by each
// class. FastEmit's `early` raises the share of labels, so that they are emitted early.
static void rnnt_gradient(const transducer *r, double total, double early, double *to) {
  int64_t wide = r->wide;
  for (int64_t t = 0; t < r->steps; t++)
    for (int64_t u = 0; u <= r->labels; u++) {
      double *g = to + (t * wide + u) * r->classes;
      double here = r->forward[t * wide + u] - total;
      double after = u == r->labels ? 0 : -INFINITY;
      if (t < r->steps - 1)
        after = r->backward[(t + 1) * wide + u];
      g[r->blank] -= exp(here + log_of_blank(r, t, u) + after);
      if (u == r->labels)
        continue;
      double beyond = r->backward[t * wide + u + 1];
      g[r->label[u]] -= (1 + early) * exp(here + log_of_label(r, t, u) + beyond);
    }
}

// Computes the loss of sequence i, and its gradient unless that is absent.
static pir_status run_rnnt_sequence(const pir_kernel_call *call, const pir_tensor *t, int64_t i,
                                    double *room) {
  const int64_t *shape = t[RNNT_INPUT].shape;
  const int64_t points = shape[1] * shape[2];
  const int64_t most = shape[2] - 1;
  const int64_t label_row = t[RNNT_LABEL].shape[1];
  transducer r = {.label = (const int64_t *)t[RNNT_LABEL].data + i * label_row,
                  .steps = ((const int64_t *)t[RNNT_STEPS].data)[i],
                  .labels = ((const int64_t *)t[RNNT_LABELS].data)[i],
                  .wide = shape[2],
                  .classes = shape[3],
                  .blank = pir_kernel_int(call, 0),
                  .p = (const double *)t[RNNT_INPUT].data + i * points * shape[3]};
  bool fits = is_within(r.steps, 1, shape[1]) && is_within(r.labels, 0, most);
  if (!fits || r.labels > label_row)
    return pir_kernel_fail(call, PIR_INVALID,
                           "%s: input_lengths %lld of %lld, label_lengths %lld of %lld",
                           call->op, (long long)r.steps, (long long)shape[1],
                           (long long)r.labels, (long long)most);
  for (int64_t k = 0; k < r.labels; k++)
    if (!is_within(r.label[k], 0, r.classes - 1))
      return pir_kernel_fail(call, PIR_INVALID, "%s: label: %lld of %lld classes", call->op,
                             (long long)r.label[k], (long long)r.classes);
  r.forward = room;
  r.backward = room + points;
  double total = rnnt_forward_backward(&r);
  ((double *)t[RNNT_LOSS].data)[i] = -total;
  double *gradient = t[RNNT_GRADIENT].data;
  if (gradient)
    rnnt_gradient(&r, total, pir_kernel_float(call, 1), gradient + i * points * r.classes);
  return PIR_OK;
}

// operands: input [n, steps, labels + 1, classes] of log probabilities, label [n, labels],
// lengths; attributes: blank, fastemit_lambda
pir_status pir_kernel_warprnnt(const pir_kernel_call *call) {
  static const uint8_t in[] = {PIR_F64, PIR_I64, PIR_I64, PIR_I64}, out[] = {PIR_F64, PIR_F64};
  PIR_TRY(pir_kernel_expect_rank(call, RNNT_INPUT, "input", 4));
  PIR_TRY(pir_kernel_expect_rank(call, RNNT_LABEL, "label", 2));
  PIR_TRY(pir_kernel_expect_rank(call, RNNT_STEPS, "input_lengths", 1));
  PIR_TRY(pir_kernel_expect_rank(call, RNNT_LABELS, "label_lengths", 1));
  const int64_t *shape = pir_kernel_in(call, RNNT_INPUT)->shape;
  for (int k = RNNT_LABEL; k <= RNNT_LABELS; k++)
    if (pir_kernel_in(call, k)->shape[0] != shape[0])
      return pir_kernel_fail(call, PIR_INVALID,
                             "%s: expects labels and lengths of %lld sequences", call->op,
                             (long long)shape[0]);
  if (!is_within(pir_kernel_int(call, 0), 0, shape[3] - 1) || shape[2] < 1)
    return pir_kernel_fail(call, PIR_INVALID, "%s: blank: %lld of %lld classes", call->op,
                           (long long)pir_kernel_int(call, 0), (long long)shape[3]);
  pir_tensor t[RNNT_ALL], room = {0};
  pir_status status = pir_kernel_open(call, in, 4, out, 2, t);
  if (!status)
    status = pir_kernel_zeros(call, PIR_F64, (int64_t[]){2, shape[1], shape[2]}, 3, &room);
  for (int64_t i = 0; i < shape[0] && !status; i++)
    status = run_rnnt_sequence(call, t, i, room.data);
  pir_kernel_drop(call, &room);
  return pir_kernel_close(call, status, 4, 2, t);
}

// ---- hierarchical sigmoid

enum {
  TREE_X,
  TREE_LABEL,
  TREE_W,
  TREE_BIAS,
  TREE_PATH,
  TREE_CODE,
  TREE_OUT,
  TREE_PRE_OUT,
  TREE_ALL
};

// Finds node `bit` on the path from the class of row i up to the root, and through which of its
// two branches (`way`) the path comes. Path and code are operands; by default they belong to a
// complete binary tree whose leaves are numbered from `classes`. Returns false behind the last
// node.
static bool find_tree_node(const pir_tensor *t, int64_t i, int64_t bit, int64_t classes,
                           int64_t *node, bool *way) {
  if (t[TREE_PATH].data) {
    int64_t at = i * t[TREE_PATH].shape[1] + bit;
    *node = ((const int64_t *)t[TREE_PATH].data)[at];
    *way = ((const int64_t *)t[TREE_CODE].data)[at] != 0;
    return *node >= 0;
  }
  uint64_t code = (uint64_t)(((const int64_t *)t[TREE_LABEL].data)[i] + classes);
  *node = (int64_t)(code >> (bit + 1)) - 1;
  *way = code >> bit & 1;
  return *node >= 0;
}

// The product of row i of x with the weights of a node, clipped.
static double node_score(const pir_tensor *t, int64_t i, int64_t node) {
  int64_t wide = t[TREE_X].shape[1];
  const double *x = (const double *)t[TREE_X].data + i * wide;
  const double *w = (const double *)t[TREE_W].data + node * wide;
  const double *bias = t[TREE_BIAS].data;
  double sum = 0;
  for (int64_t k = 0; k < wide; k++)
    sum += w[k] * x[k];
  return fmin(fmax(sum + (bias ? bias[node] : 0), -40), 40);
}

// Computes the loss of every row of x, and the terms along its path.
static pir_status compute_tree_losses(const pir_kernel_call *call, const pir_tensor *t,
                                      int64_t depth) {
  int64_t n = t[TREE_X].shape[0];
  int64_t nodes = t[TREE_W].shape[0];
  int64_t classes = pir_kernel_int(call, 0);
  for (int64_t i = 0; i < n; i++) {
    double *out = (double *)t[TREE_OUT].data + i;
    double *each = (double *)t[TREE_PRE_OUT].data + i * depth;
    int64_t label = ((const int64_t *)t[TREE_LABEL].data)[i];
    int64_t node;
    bool way, on = true;
    if (!t[TREE_PATH].data && !is_within(label, 0, classes - 1))
      return pir_kernel_fail(call, PIR_INVALID, "%s: label: %lld of %lld classes", call->op,
                             (long long)label, (long long)classes);
    for (int64_t bit = 0; bit < depth; bit++) {
      double sum = 0;
      on = on && find_tree_node(t, i, bit, classes, &node, &way);
      if (on && node >= nodes)
        return pir_kernel_fail(call, PIR_INVALID, "%s: w: has %lld rows, row %lld is asked for",
                               call->op, (long long)nodes, (long long)node);
      if (on)
        sum = node_score(t, i, node);
      if (on && way)
        *out -= sum;
      // Places behind the end of a path count as well, as in Paddle.
      each[bit] = log1p(exp(sum));
      *out += each[bit];
    }
  }
  return PIR_OK;
}

// Whether the operands fit: path and code come together, with a row for every row of x; the
// bias has a number for every row of w.
static bool tree_operands_fit(const pir_tensor *x, const pir_tensor *w, const pir_tensor *bias,
                              const pir_tensor *path, const pir_tensor *code) {
  if (bias && pir_tensor_numel(bias) != w->shape[0])
    return false;
  if (w->shape[1] != x->shape[1] || !path != !code)
    return false;
  if (!path)
    return true;
  if (path->rank != 2 || code->rank != 2 || path->shape[0] != x->shape[0])
    return false;
  return memcmp(path->shape, code->shape, 2 * sizeof *path->shape) == 0;
}

// operands: x [n, wide], label [n, 1], w [nodes, wide], bias, path, code; attribute:
// num_classes
pir_status pir_kernel_hsigmoid_loss(const pir_kernel_call *call) {
  static const uint8_t in[] = {PIR_F64, PIR_I64, PIR_F64, PIR_F64, PIR_I64, PIR_I64},
                       out[] = {PIR_F64, PIR_F64};
  const pir_tensor *x = pir_kernel_in(call, TREE_X);
  const pir_tensor *w = pir_kernel_in(call, TREE_W);
  const pir_tensor *label = pir_kernel_in(call, TREE_LABEL);
  const pir_tensor *bias = pir_kernel_in(call, TREE_BIAS);
  const pir_tensor *path = pir_kernel_in(call, TREE_PATH);
  const pir_tensor *code = pir_kernel_in(call, TREE_CODE);
  PIR_TRY(pir_kernel_expect_rank(call, TREE_X, "x", 2));
  PIR_TRY(pir_kernel_expect_rank(call, TREE_W, "w", 2));
  bool labelled = label && pir_tensor_numel(label) == x->shape[0];
  if (!labelled || !tree_operands_fit(x, w, bias, path, code))
    return pir_kernel_fail(call, PIR_INVALID, "%s: x, label, w, bias, path and code do not fit",
                           call->op);
  pir_tensor t[TREE_ALL];
  pir_status status = pir_kernel_open(call, in, 6, out, 2, t);
  int64_t depth = path ? path->shape[1] : 0;
  for (int64_t last = pir_kernel_int(call, 0) - 1; !path && last > 0; last /= 2)
    depth++;
  const int64_t terms[2] = {x->shape[0], depth};
  if (!status)
    status = pir_kernel_need(call, PIR_F64, terms, 2, &t[TREE_PRE_OUT]);
  if (!status)
    status = compute_tree_losses(call, t, depth);
  return pir_kernel_close(call, status, 6, 2, t);
}

enum {
  TREE_GRAD_X,
  TREE_GRAD_W,
  TREE_GRAD_LABEL,
  TREE_GRAD_PATH,
  TREE_GRAD_CODE,
  TREE_GRAD_BIAS,
  TREE_GRAD_PRE_OUT
};
enum { TREE_GRAD_OUT_GRAD = TREE_GRAD_PRE_OUT + 1, TREE_GRAD_INS };

// Adds the gradients of row i along its path. `room` holds the operands of the gradient, then
// x_grad, w_grad and bias_grad.
static pir_status add_tree_gradients(const pir_kernel_call *call, const pir_tensor *t,
                                     pir_tensor *room, int64_t i) {
  int64_t wide = t[TREE_X].shape[1];
  int64_t nodes = t[TREE_W].shape[0];
  int64_t classes = pir_kernel_int(call, 0);
  int64_t node;
  const double *x = (const double *)t[TREE_X].data + i * wide;
  const double *w = t[TREE_W].data;
  const double *bias = t[TREE_BIAS].data;
  double *x_grad = room[TREE_GRAD_INS].data;
  double *w_grad = room[TREE_GRAD_INS + 1].data;
  double *bias_grad = room[TREE_GRAD_INS + 2].data;
  double grad = ((const double *)room[TREE_GRAD_OUT_GRAD].data)[i];
  bool way;
  int64_t depth = t[TREE_PATH].data ? t[TREE_PATH].shape[1] : 64;
  int64_t label = ((const int64_t *)t[TREE_LABEL].data)[i];
  if (!t[TREE_PATH].data && !is_within(label, 0, classes - 1))
    return pir_kernel_fail(call, PIR_INVALID, "%s: a label of %lld classes", call->op,
                           (long long)classes);
  for (int64_t bit = 0; bit < depth && find_tree_node(t, i, bit, classes, &node, &way); bit++) {
    if (node >= nodes)
      return pir_kernel_fail(call, PIR_INVALID, "%s: w: has %lld rows, row %lld is asked for",
                             call->op, (long long)nodes, (long long)node);
    double sum = bias ? bias[node] : 0;
    for (int64_t k = 0; k < wide; k++)
      sum += w[node * wide + k] * x[k];
    double clipped = fmin(fmax(sum, -40), 40);
    double slope = (1 / (1 + exp(-clipped)) - way) * grad;
    for (int64_t k = 0; k < wide; k++) {
      if (x_grad)
        x_grad[i * wide + k] += slope * w[node * wide + k];
      if (w_grad)
        w_grad[node * wide + k] += slope * x[k];
    }
    if (bias_grad)
      bias_grad[node] += slope;
  }
  return PIR_OK;
}

pir_status pir_kernel_hsigmoid_loss_grad(const pir_kernel_call *call) {
  static const uint8_t in[TREE_GRAD_INS] = {PIR_F64, PIR_F64, PIR_I64,       PIR_I64,
                                            PIR_I64, PIR_F64, PIR_UNDEFINED, PIR_F64};
  static const uint8_t out[3] = {PIR_F64, PIR_F64, PIR_F64};
  pir_tensor room[TREE_GRAD_INS + 3], t[TREE_ALL] = {0};
  PIR_TRY(pir_kernel_expect_rank(call, TREE_GRAD_X, "x", 2));
  PIR_TRY(pir_kernel_expect_rank(call, TREE_GRAD_W, "w", 2));
  const pir_tensor *x = pir_kernel_in(call, TREE_GRAD_X);
  const pir_tensor *w = pir_kernel_in(call, TREE_GRAD_W);
  const pir_tensor *label = pir_kernel_in(call, TREE_GRAD_LABEL);
  const pir_tensor *grad = pir_kernel_in(call, TREE_GRAD_OUT_GRAD);
  const pir_tensor *bias = pir_kernel_in(call, TREE_GRAD_BIAS);
  const pir_tensor *path = pir_kernel_in(call, TREE_GRAD_PATH);
  const pir_tensor *code = pir_kernel_in(call, TREE_GRAD_CODE);
  bool fits = tree_operands_fit(x, w, bias, path, code);
  fits = fits && label && pir_tensor_numel(label) == x->shape[0];
  if (!fits || !grad || pir_tensor_numel(grad) != x->shape[0])
    return pir_kernel_fail(call, PIR_INVALID,
                           "%s: x, w, label, path, code, bias and out_grad do not fit",
                           call->op);
  pir_status status = pir_kernel_open(call, in, TREE_GRAD_INS, out, 3, room);
  t[TREE_X] = room[TREE_GRAD_X];
  t[TREE_LABEL] = room[TREE_GRAD_LABEL];
  t[TREE_W] = room[TREE_GRAD_W];
  t[TREE_BIAS] = room[TREE_GRAD_BIAS];
  t[TREE_PATH] = room[TREE_GRAD_PATH];
  t[TREE_CODE] = room[TREE_GRAD_CODE];
  for (int64_t i = 0; i < x->shape[0] && !status; i++)
    status = add_tree_gradients(call, t, room, i);
  return pir_kernel_close(call, status, TREE_GRAD_INS, 3, room);
}
