// The layers of a program: contractions of its block whose one factor is a parameter of f32 and
// the other one is computed. Contractions inside of control flow are counted, and stay.
//
// Weights get one scale for each channel, the largest magnitude of the channel (Krishnamoorthi:
// Quantizing deep convolutional networks for efficient inference, arXiv:1806.08342).
#include "quantise.h"

#include <pir/compiler/dialect/pd_op.h>
#include <pir/layer/integer_form.h>

#include <math.h>
#include <string.h>

// ---- weights

static float weight_at(const pir_param *param, int64_t i) {
  float x;
  memcpy(&x, (const char *)param->data + (size_t)i * sizeof x, sizeof x);
  return x;
}

// Returns false if an element is infinite or NaN.
static bool fill_weight(byte_weight *w, int64_t count, int64_t inner) {
  for (int64_t i = 0; i < count; i++) {
    float x = fabsf(weight_at(w->param, i)), *most = &w->scales[i / inner % w->channels];
    if (!isfinite(x))
      return false;
    *most = x > *most ? x : *most;
  }
  for (int64_t c = 0; c < w->channels; c++)
    if (w->scales[c] == 0)
      w->scales[c] = 1;  // a channel of zeros: any scale gives zeros
  for (int64_t i = 0; i < count; i++) {
    double scale = (double)w->scales[i / inner % w->channels];
    w->bytes[i] = (int8_t)nearbyint((double)weight_at(w->param, i) / scale * QUANTISE_TOP);
  }
  return true;
}

static size_t find_weight(const quantising *q, const pir_param *param, int axis) {
  for (size_t i = 0; i < q->weights.count; i++)
    if (q->weights.items[i].param == param && q->weights.items[i].axis == axis)
      return i;
  return SIZE_MAX;
}

static const char *quantise_weight(quantising *q, layer *l, const pir_param *param, int axis) {
  byte_weight w = {.value = pir_op_operand(l->op, l->w),
                   .param = param,
                   .name = pir_arena_text(&q->arena, param->name),
                   .axis = axis};
  int64_t count = (int64_t)(param->size / sizeof(float)), inner = 1;
  l->weight = find_weight(q, param, axis);
  if (l->weight != SIZE_MAX)
    return NULL;
  for (size_t d = axis < 0 ? 0 : (size_t)axis + 1; d < param->shape.rank; d++)
    inner *= param->shape.dims[d];
  w.channels = axis < 0 ? 1 : param->shape.dims[axis];
  if (count < 1)
    return "its weights have no elements";
  w.bytes = pir_arena_alloc(&q->arena, (size_t)count);
  w.scales =
      pir_arena_zalloc(&q->arena, pir_arena_size(&q->arena, (size_t)w.channels, sizeof(float)));
  if (!fill_weight(&w, count, inner))
    return "its weights are not finite";
  l->weight = q->weights.count;
  pir_vec_push(&q->arena, &q->weights, w);
  return NULL;
}

// ---- inputs

// Returns the largest integer of an input: one that is not negative needs no sign, where an
// instruction multiplies such bytes, as the first factor (PIR_I8 is the second's type).
static int top_of(const quantising *q, const pir_value *value, bool first) {
  bool plain =
      first && !q->signed_inputs && pir_value_has_no_negative(value, pir_run_facts(q->run));
  return plain ? QUANTISE_TOP_UNSIGNED : QUANTISE_TOP;
}

static size_t take_input(quantising *q, pir_op *op, pir_value *value, int top) {
  // Behind an op in place the value may have other elements, so each reader has its own.
  for (size_t i = 0; i < q->inputs.count && !pir_value_is_overwritten(value); i++)
    if (q->inputs.items[i].value == value && q->inputs.items[i].top == top)
      return i;
  activation input = {.value = value,
                      .reader = op,
                      .seen = pir_arena_zalloc(&q->arena, sizeof *input.seen),
                      .top = top};
  pir_vec_push(&q->arena, &q->inputs, input);
  return q->inputs.count - 1;
}

// ---- layers

const pir_param *layers_parameter(const quantising *q, const pir_value *value) {
  const pir_op *op = pir_value_op(value);
  if (!op || !pir_op_has(op, PIR_PARAMETER))
    return NULL;
  const pir_attr *name = pir_op_attr_str(op, "parameter_name");
  return name ? pir_program_param(q->run->program, pir_attr_as_str(name)) : NULL;
}

static bool is_quantised(const pir_value *value) {
  const pir_op *op = pir_value_op(value);
  return op && pir_op_is(op, PD_DEQUANTIZE_LINEAR);
}

static const char *take_operands(quantising *q, layer *l, const pir_integer_form *form) {
  const pir_facts *facts = pir_run_facts(q->run);
  int k = layers_parameter(q, pir_op_operand(l->op, form->operand[1])) ? 1 : 0;
  l->x = form->operand[1 - k];
  l->w = form->operand[k];
  pir_value *x = pir_op_operand(l->op, l->x), *w = pir_op_operand(l->op, l->w);
  const pir_param *param = layers_parameter(q, w);
  if (is_quantised(x) || is_quantised(w))
    return "it is quantised already";
  if (form->why)
    return form->why;
  if (!param)
    return "no factor is a parameter with data (constant_folding_pass may make one)";
  if (layers_parameter(q, x))
    return "both factors are parameters";
  if (param->dtype != PIR_F32 || pir_facts_of(facts, x)->dtype != PIR_F32)
    return "its factors are not f32";
  if (pir_value_is_overwritten(w))
    return "its weights are overwritten";
  if (pir_run_option_lists(q->run, "deny", pir_op_name(l->op)))
    return "the options deny it";
  const char *why = quantise_weight(q, l, param, form->axis[k]);
  if (!why)
    l->input = take_input(q, l->op, x, top_of(q, x, l->x == form->operand[0]));
  return why;
}

static pir_status refuse_program(quantising *q) {
  pir_status status =
      pir_report(q->ctx, PIR_INVALID, PIR_ERROR, PIR_LOC_UNKNOWN,
                 "quantise_pass: the program has no layer that can be quantised");
  report_layers(q);
  return status;
}

pir_status layers_find(quantising *q) {
  size_t usable = 0;
  pir_op **ops = quantise_ops_of(q, q->run->program);
  for (size_t i = 0; ops[i]; i++) {
    layer l = {.op = ops[i], .position = i};
    pir_integer_form form;
    pir_heap_poll(q->heap);
    if (!pir_integer_form_of(l.op, pir_run_facts(q->run), &form))
      continue;
    if (pir_op_block(l.op) != pir_program_block(q->run->program)) {
      q->in_regions++;
      continue;
    }
    l.why = take_operands(q, &l, &form);
    usable += !l.why;
    pir_vec_push(&q->arena, &q->layers, l);
  }
  return usable ? PIR_OK : refuse_program(q);
}
