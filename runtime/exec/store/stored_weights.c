// Stores the weights of replaceable models: names and types here, the elements with the other
// constants. They become parameters again when the model is opened.
#include "stored_model.h"

#include <pir/layer/param_record.h>

static void one_weight(pir_archive *a, pir_param *x) {
  int64_t *dims = (int64_t *)(uintptr_t)x->shape.dims;
  PIR_ARCHIVE(a, x->dtype);
  PIR_ARCHIVE(a, x->size);
  PIR_ARCHIVE(a, x->shape.rank);
  pir_archive_str(a, &x->name);
  pir_archive_array(a, &dims, x->shape.rank, sizeof *dims);
  x->shape.dims = dims;
}

void pir_weights_store(pir_archive *a, pir_model *model) {
  model_weights *w = &model->weights;
  PIR_ARCHIVE(a, w->is_replaceable);
  if (!w->is_replaceable || a->failed)
    return;
  PIR_ARCHIVE(a, w->count);
  PIR_ARCHIVE(a, w->fixed_count);
  pir_param *stored = pir_archive_items(a, NULL, w->count, sizeof *stored);
  for (uint32_t i = 0; i < w->count && !a->failed; i++) {
    pir_param x = {0};
    if (a->writing)
      x = *w->params[i];
    one_weight(a, &x);
    if (!a->writing)
      stored[i] = x;
  }
  w->fixed = pir_archive_items(a, w->fixed, w->fixed_count, sizeof *w->fixed);
  for (uint32_t i = 0; i < w->fixed_count && !a->failed; i++)
    pir_archive_str(a, &w->fixed[i]);
  pir_archive_array(a, &w->numbers, model->plan.const_count, sizeof *w->numbers);
  if (a->writing)
    return;
  w->stored = stored;
  if (a->failed)
    w->count = 0;
}

// ---- parameters of constants

// Holds the parameter of constant `i` for models with other weights.
static void hold_param(pir_model *model, uint32_t i, const pir_param *param) {
  model_weights *w = &model->weights;
  uint32_t weight = w->numbers[i];
  const pir_param **place = weight == NONE ? &w->held[i] : &w->params[weight];
  if (*place)
    return;
  pir_param_retain(param);
  *place = param;
}

static void begin_weights(pir_model *model) {
  model_weights *w = &model->weights;
  pir_arena *memory = &model->plan.memory;
  w->params = pir_arena_zalloc(memory, w->count * sizeof *w->params);
  w->held = pir_arena_zalloc(memory, model->plan.const_count * sizeof *w->held);
  w->max_bytes = model->max_bytes;
}

// Weights that no constant is made from have no elements.
static pir_status complete_weights(model_weights *w) {
  for (uint32_t i = 0; i < w->count; i++) {
    if (!w->params[i])
      w->params[i] = pir_param_create(&w->stored[i]);
    if (!w->params[i])
      return PIR_EXHAUSTED;
  }
  return PIR_OK;
}

pir_status pir_weights_adopt(pir_model *model, const pir_param **out_made) {
  plan *p = &model->plan;
  model_weights *w = &model->weights;
  if (w->is_replaceable)
    begin_weights(model);
  for (uint32_t i = 0; i < p->const_count; i++) {
    plan_const *constant = &p->consts[i];
    uint32_t weight = w->is_replaceable ? w->numbers[i] : NONE;
    if (!model->constants[i])
      continue;
    pir_param param = {.name = {"", 0}, .dtype = (pir_dtype)p->slots[constant->slot].dtype};
    if (weight != NONE)
      param = w->stored[weight];
    param.data = model->constants[i];
    param.size = constant->bytes;
    out_made[i] = constant->param = pir_param_create(&param);
    if (!out_made[i])
      return PIR_EXHAUSTED;
    if (w->is_replaceable)
      hold_param(model, i, out_made[i]);
  }
  return complete_weights(w);
}
