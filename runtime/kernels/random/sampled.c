// Classes sampled at random: noise contrastive estimation with its gradient, and negative nodes
// from the layers of a tree. Equal seeds give the samples of Paddle's CPU kernels. Sums are in
// double, probabilities in float as there.
#include <math.h>
#include <string.h>

#include "kernels.h"

// ---- distributions over the classes

enum { SAMPLER_UNIFORM, SAMPLER_LOG_UNIFORM, SAMPLER_CUSTOM };

// `range` is the largest class; the custom distribution has a probability, an alias and a
// probability to stay for each class.
typedef struct sampler {
  int64_t kind, range;
  float log_range;
  const double *probs, *stay;
  const int64_t *alias;
  pir_generator own, *from;
} sampler;

static pir_status start_sampler(const pir_kernel_call *call, int64_t classes, int64_t seed,
                                sampler *s) {
  if (classes < 2)
    return pir_kernel_fail(call, PIR_INVALID, "%s: expects at least 2 classes, found %lld",
                           call->op, (long long)classes);
  s->range = classes - 1;
  s->log_range = (float)log((double)classes);
  s->from = seed ? &s->own : call->generator;
  if (seed)
    pir_generator_seed(&s->own, (uint32_t)seed);
  if (!s->from)
    return pir_kernel_fail(call, PIR_UNSUPPORTED, "unsupported: %s without a generator",
                           call->op);
  return PIR_OK;
}

static int64_t sample_class(sampler *s) {
  if (s->kind == SAMPLER_LOG_UNIFORM) {
    double u = pir_generator_double(s->from);
    return ((int64_t)exp(u * (double)s->log_range) - 1) % s->range;
  }
  int64_t drawn = (int64_t)pir_generator_below(s->from, (uint64_t)s->range + 1);
  if (s->kind == SAMPLER_UNIFORM)
    return drawn;
  bool stays = pir_generator_double(s->from) <= s->stay[drawn] || s->alias[drawn] == -1;
  return stays ? drawn : s->alias[drawn];
}

static double probability_of(const sampler *s, int64_t value) {
  if (s->kind == SAMPLER_UNIFORM)
    return (double)(1.0F / (float)(s->range + 1));
  if (s->kind == SAMPLER_CUSTOM)
    return s->probs[value];
  double n = (double)value;
  return (double)(float)(log((n + 2) / (n + 1)) / (double)s->log_range);
}

// ---- noise contrastive estimation

enum {
  NCE_CLASSES,
  NCE_NEGATIVES,
  NCE_COUNT,
  NCE_SAMPLER,
  NCE_SEED,
};

// The operands that both kernels read; absent ones are NULL.
typedef struct estimate {
  const pir_kernel_call *call;
  sampler sampler;
  const double *input, *weight, *bias, *sample_weight;
  int64_t rows, width, truths, samples;  // of a row: true classes and all classes
  int64_t classes, count;
} estimate;

// Operands by number: input, label, weight, bias, sample_weight, the custom distribution.
static const uint8_t forward_in[] = {PIR_F64, PIR_I64, PIR_F64, PIR_F64,
                                     PIR_F64, PIR_F64, PIR_I64, PIR_F64};

// Fills the estimate from opened operands, whose numbers `at` gives in the order above.
static pir_status open_estimate(const pir_kernel_call *call, const pir_tensor *t, const int *at,
                                estimate *e) {
  const pir_tensor *input = &t[at[0]], *label = &t[at[1]], *weight = &t[at[2]];
  const pir_tensor *sizes[] = {&t[at[3]], &t[at[5]], &t[at[6]], &t[at[7]]};
  *e = (estimate){.call = call,
                  .classes = pir_kernel_int(call, NCE_CLASSES),
                  .count = pir_kernel_int(call, NCE_COUNT)};
  if (input->rank != 2 || weight->rank != 2 || label->rank < 1 || label->rank > 2 ||
      label->shape[0] != input->shape[0] || weight->shape[1] != input->shape[1] ||
      weight->shape[0] < e->classes)
    return pir_kernel_fail(call, PIR_INVALID,
                           "%s: input, label and weight do not fit %lld classes", call->op,
                           (long long)e->classes);
  for (int i = 0; i < 4; i++)
    if (sizes[i]->data && pir_tensor_numel(sizes[i]) < e->classes)
      return pir_kernel_fail(call, PIR_INVALID, "%s: %s: expects %lld elements, found %lld",
                             call->op, i ? "custom_dist" : "bias", (long long)e->classes,
                             (long long)pir_tensor_numel(sizes[i]));
  e->rows = input->shape[0];
  e->width = input->shape[1];
  e->truths = label->rank == 2 ? label->shape[1] : 1;
  e->samples = e->truths + e->count;
  e->input = input->data;
  e->weight = weight->data;
  e->bias = t[at[3]].data;
  e->sample_weight = t[at[4]].data;
  e->sampler = (sampler){.kind = pir_kernel_int(call, NCE_SAMPLER),
                         .probs = t[at[5]].data,
                         .alias = t[at[6]].data,
                         .stay = t[at[7]].data};
  bool custom = e->sampler.kind == SAMPLER_CUSTOM;
  bool given = e->sampler.probs && e->sampler.alias && e->sampler.stay;
  if (e->sampler.kind < 0 || e->sampler.kind > SAMPLER_CUSTOM || (custom && !given) ||
      e->count < 0)
    return pir_kernel_fail(call, PIR_INVALID,
                           "%s: sampler: %lld is none, or its distribution is absent", call->op,
                           (long long)e->sampler.kind);
  return start_sampler(call, e->classes, pir_kernel_int(call, NCE_SEED), &e->sampler);
}

// Fills a row of `labels`: the true classes, and the given or sampled ones.
static pir_status sample_row(estimate *e, const int64_t *truths, int64_t *labels) {
  pir_int_list given = pir_kernel_ints(e->call, NCE_NEGATIVES);
  if (given.count && given.count != (size_t)e->count)
    return pir_kernel_fail(e->call, PIR_INVALID,
                           "%s: custom_neg_classes: expects %lld classes, found %zu",
                           e->call->op, (long long)e->count, given.count);
  for (int64_t j = 0; j < e->samples; j++) {
    if (j < e->truths)
      labels[j] = truths[j];
    else if (given.count)
      labels[j] = given.ints[j - e->truths];
    else
      labels[j] = sample_class(&e->sampler);
    if (labels[j] < 0 || labels[j] >= e->classes)
      return pir_kernel_fail(e->call, PIR_INVALID, "%s: label: %lld of %lld classes",
                             e->call->op, (long long)labels[j], (long long)e->classes);
  }
  return PIR_OK;
}

// The cost of a row; its logits become probabilities.
static double row_cost(const estimate *e, int64_t row, const int64_t *labels, double *logits) {
  double cost = 0, by = e->sample_weight ? e->sample_weight[row] : 1;
  for (int64_t j = 0; j < e->samples; j++) {
    double sum = e->bias ? e->bias[labels[j]] : 0;
    for (int64_t k = 0; k < e->width; k++)
      sum += e->input[row * e->width + k] * e->weight[labels[j] * e->width + k];
    double o = 1 / (1 + exp(-sum));
    double b = probability_of(&e->sampler, labels[j]) * (double)e->count;
    logits[j] = o;
    cost -= by * log((j < e->truths ? o : b) / (o + b));
  }
  return cost;
}

// operands: input, label, weight, bias, sample_weight, custom_dist_probs, custom_dist_alias,
// custom_dist_alias_probs; results: cost, sample_logits, sample_labels
pir_status pir_kernel_nce(const pir_kernel_call *call) {
  enum { INS = 8, COST = INS, LOGITS, LABELS, ALL };
  static const uint8_t out[] = {PIR_F64, PIR_F64, PIR_I64};
  static const int at[] = {0, 1, 2, 3, 4, 5, 6, 7};
  pir_tensor t[ALL];
  estimate e = {0};
  pir_status status = pir_kernel_open(call, forward_in, INS, out, 3, t);
  if (!status)
    status = open_estimate(call, t, at, &e);
  const int64_t shape[2] = {e.rows, e.samples};
  if (!status)
    status = pir_kernel_need(call, PIR_F64, shape, 2, &t[LOGITS]);
  if (!status)
    status = pir_kernel_need(call, PIR_I64, shape, 2, &t[LABELS]);
  for (int64_t i = 0; !status && i < e.rows; i++) {
    int64_t *labels = (int64_t *)t[LABELS].data + i * e.samples;
    status = sample_row(&e, (int64_t *)t[1].data + i * e.truths, labels);
    if (!status)
      ((double *)t[COST].data)[i] =
          row_cost(&e, i, labels, (double *)t[LOGITS].data + i * e.samples);
  }
  return pir_kernel_close(call, status, INS, 3, t);
}

// The gradients that a kernel adds to; an absent one is NULL.
typedef struct estimate_grads {
  double *input, *bias, *weight;
} estimate_grads;

// Adds the gradients of the sample of class `label` in a row, whose logit has gradient `by`.
static void add_sample_gradient(const estimate *e, int64_t row, int64_t label, double by,
                                const estimate_grads *g) {
  if (g->bias)
    g->bias[label] += by;
  for (int64_t k = 0; k < e->width; k++) {
    if (g->weight)
      g->weight[label * e->width + k] += e->input[row * e->width + k] * by;
    if (g->input)
      g->input[row * e->width + k] += e->weight[label * e->width + k] * by;
  }
}

// operands: input, label, bias, weight, sample_logits, sample_labels, sample_weight, the custom
// distribution, cost_grad; results: input_grad, bias_grad, weight_grad
pir_status pir_kernel_nce_grad(const pir_kernel_call *call) {
  enum { LOGITS = 4, LABELS, COST_GRAD = 10, INS, OUTS = 3 };
  static const uint8_t in[] = {PIR_F64, PIR_I64, PIR_F64, PIR_F64, PIR_F64, PIR_I64,
                               PIR_F64, PIR_F64, PIR_I64, PIR_F64, PIR_F64},
                       out[] = {PIR_F64, PIR_F64, PIR_F64};
  static const int at[] = {0, 1, 3, 2, 6, 7, 8, 9};
  pir_tensor t[INS + OUTS];
  estimate e = {0};
  pir_status status = pir_kernel_open(call, in, INS, out, OUTS, t);
  if (!status)
    status = open_estimate(call, t, at, &e);
  const int64_t shape[2] = {e.rows, e.samples};
  if (!status)
    status = pir_kernel_expect_shape(call, LOGITS, "sample_logits", shape, 2);
  if (!status)
    status = pir_kernel_expect_shape(call, LABELS, "sample_labels", shape, 2);
  if (!status && pir_tensor_numel(&t[COST_GRAD]) != e.rows)
    status = pir_kernel_fail(call, PIR_INVALID, "%s: cost_grad: expects %lld elements",
                             call->op, (long long)e.rows);
  estimate_grads g = {t[INS].data, t[INS + 1].data, t[INS + 2].data};
  for (int64_t i = 0; !status && i < e.rows * e.samples; i++) {
    int64_t row = i / e.samples, label = ((int64_t *)t[LABELS].data)[i];
    if (label < 0 || label >= e.classes)
      return pir_kernel_close(call,
                              pir_kernel_fail(call, PIR_INVALID,
                                              "%s: sample_labels: %lld of %lld classes",
                                              call->op, (long long)label, (long long)e.classes),
                              INS, OUTS, t);
    double o = ((double *)t[LOGITS].data)[i];
    double b = probability_of(&e.sampler, label) * (double)e.count;
    double slope = i % e.samples < e.truths ? b / (o + b) * (o - 1) : o * (1 - o) / (o + b);
    double by = e.sample_weight ? e.sample_weight[row] : 1;
    add_sample_gradient(&e, row, label, slope * by * ((double *)t[COST_GRAD].data)[row], &g);
  }
  return pir_kernel_close(call, status, INS, OUTS, t);
}

// ---- nodes of a tree

enum { TREE_POSITIVE, TREE_NEGATIVES, TREE_OFFSETS, TREE_SEED };

typedef struct tree {
  const pir_kernel_call *call;
  pir_int_list negatives, offsets;
  const int64_t *travel, *layer;
  int64_t layers, nodes;  // of the tree
  int64_t positive;       // 1: the node on the way to the leaf is a result too
  int64_t *out, *labels, *mask;
} tree;

static bool is_drawn(const int64_t *drawn, int64_t count, int64_t value) {
  for (int64_t i = 0; i < count; i++)
    if (drawn[i] == value)
      return true;
  return false;
}

// Stores the samples of a layer from entry `at` on. `drawn` has room for the negative ones.
static pir_status sample_layer(const tree *t, sampler *s, int64_t layer, int64_t node,
                               int64_t at, int64_t *drawn) {
  int64_t first = t->offsets.ints[layer], count = t->negatives.ints[layer];
  if (!node) {  // padding: zeros, and not masked in
    return PIR_OK;
  }
  if (node < first || node > t->offsets.ints[layer + 1])
    return pir_kernel_fail(t->call, PIR_INVALID, "%s: travel: node %lld outside of layer %lld",
                           t->call->op, (long long)node, (long long)layer);
  if (t->positive) {
    t->out[at] = node;
    t->labels[at] = t->mask[at] = 1;
    at++;
  }
  for (int64_t i = 0; i < count; i++) {
    do {
      drawn[i] = sample_class(s);
    } while (t->layer[first + drawn[i]] == node || is_drawn(drawn, i, drawn[i]));
    t->out[at + i] = t->layer[first + drawn[i]];
    t->mask[at + i] = 1;
  }
  return PIR_OK;
}

// Starts the samplers of the layers, and checks the lists of the attributes.
static pir_status start_layers(const tree *t, sampler *samplers, int64_t *most) {
  const int64_t *offsets = t->offsets.ints;
  for (int64_t l = 0; l < t->layers; l++) {
    int64_t count = t->negatives.ints[l], nodes = offsets[l + 1] - offsets[l];
    if (offsets[l] < 0 || count < 0 || count > nodes - 1 || offsets[l + 1] > t->nodes)
      return pir_kernel_fail(t->call, PIR_INVALID,
                             "%s: neg_samples_num_list: %lld of %lld nodes in layer %lld",
                             t->call->op, (long long)count, (long long)nodes, (long long)l);
    samplers[l] = (sampler){.kind = SAMPLER_UNIFORM};
    PIR_TRY(start_sampler(t->call, nodes, pir_kernel_int(t->call, TREE_SEED), &samplers[l]));
    if (count > *most)
      *most = count;
  }
  return PIR_OK;
}

static pir_status sample_tree(const tree *t, const pir_tensor *leaves, int64_t paths) {
  size_t sampler_bytes = (size_t)t->layers * sizeof(sampler);
  int64_t most = 1, at = 0, n = pir_tensor_numel(leaves);
  sampler *samplers = pir_kernel_alloc(t->call, sampler_bytes);
  pir_status status =
      samplers ? start_layers(t, samplers, &most)
               : pir_kernel_fail(t->call, PIR_EXHAUSTED, "%s: out of memory", t->call->op);
  size_t drawn_bytes = (size_t)most * sizeof(int64_t);
  int64_t *drawn = status ? NULL : pir_kernel_alloc(t->call, drawn_bytes);
  if (!status && !drawn)
    status = pir_kernel_fail(t->call, PIR_EXHAUSTED, "%s: out of memory", t->call->op);
  for (int64_t i = 0; !status && i < n; i++) {
    int64_t leaf = ((int64_t *)leaves->data)[i];
    if (leaf < 0 || leaf >= paths)
      status = pir_kernel_fail(t->call, PIR_INVALID, "%s: x: leaf %lld of %lld", t->call->op,
                               (long long)leaf, (long long)paths);
    for (int64_t l = 0; !status && l < t->layers; l++) {
      int64_t node = t->travel[leaf * t->layers + l];
      status = sample_layer(t, &samplers[l], l, node, at, drawn);
      at += t->negatives.ints[l] + t->positive;
    }
  }
  pir_kernel_free(t->call, drawn, drawn_bytes);
  pir_kernel_free(t->call, samplers, sampler_bytes);
  return status;
}

// operands: x (leaves), travel (their ways from the root), layer (the nodes, layer by layer);
// attributes: output_positive, neg_samples_num_list, layer_offset, seed; results: out, labels,
// mask
pir_status pir_kernel_tdm_sampler(const pir_kernel_call *call) {
  enum { INS = 3, OUT = INS, LABELS, MASK, ALL };
  static const uint8_t in[] = {PIR_I64, PIR_I64, PIR_I64}, out[] = {PIR_I64, PIR_I64, PIR_I64};
  pir_tensor t[ALL];
  pir_status status = pir_kernel_open(call, in, INS, out, ALL - INS, t);
  tree nodes = {.call = call,
                .negatives = pir_kernel_ints(call, TREE_NEGATIVES),
                .offsets = pir_kernel_ints(call, TREE_OFFSETS),
                .travel = t[1].data,
                .layer = t[2].data,
                .positive = pir_kernel_int(call, TREE_POSITIVE) != 0};
  nodes.layers = (int64_t)nodes.negatives.count;
  if (!status && !t[LABELS].data)
    status = pir_kernel_need(call, PIR_I64, t[OUT].shape, t[OUT].rank, &t[LABELS]);
  nodes.out = t[OUT].data;
  nodes.labels = t[LABELS].data;
  nodes.mask = t[MASK].data;
  if (!status) {
    bool fits = nodes.layers > 0 && nodes.offsets.count == (size_t)nodes.layers + 1 &&
                t[1].rank == 2 && t[1].shape[1] == nodes.layers;
    nodes.nodes = pir_tensor_numel(&t[2]);
    status = fits ? sample_tree(&nodes, &t[0], t[1].shape[0])
                  : pir_kernel_fail(call, PIR_INVALID,
                                    "%s: travel and layer_offset: expects %lld layers",
                                    call->op, (long long)nodes.layers);
  }
  return pir_kernel_close(call, status, INS, ALL - INS, t);
}
