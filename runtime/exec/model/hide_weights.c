// Replaceable models: a model is compiled while its weights are hidden, so that no pass and no
// generator computes with them. The values that depend on weights alone (weights_once_pass)
// become instructions that run once, when weights are loaded (refit.c).
#include "model_impl.h"

#include <pir/compiler/infer.h>
#include <pir/compiler/type.h>
#include <pir/layer/param_record.h>

// Contents of these may decide shapes, so the compiler has to see them.
static bool is_fixed(const pir_param *param) {
  return param->dtype == PIR_I32 || param->dtype == PIR_I64 || param->dtype == PIR_BOOL;
}

static void hide_weights(pir_model *model, pir_program *program) {
  model_weights *w = &model->weights;
  pir_arena *memory = &w->memory;
  size_t count = pir_program_params(program);
  w->params = pir_arena_zalloc(memory, count * sizeof *w->params);
  w->fixed = pir_arena_zalloc(memory, count * sizeof *w->fixed);
  for (size_t i = 0; i < count; i++) {
    const pir_param *param = pir_program_param_at(program, i);
    if (is_fixed(param)) {
      w->fixed[w->fixed_count++] = pir_arena_text(memory, param->name);
      continue;
    }
    pir_param_retain(param);
    w->params[w->count++] = param;
  }
  for (uint32_t i = 0; i < w->count; i++)
    pir_program_drop_param(program, w->params[i]->name);
}

pir_status pir_refit_begin(pir_model *model, pir_program *program,
                           const pir_model_options *options) {
  if (!options->replaceable)
    return PIR_OK;
  if (model->device)
    return pir_report(pir_program_context(program), PIR_UNSUPPORTED, PIR_ERROR, PIR_LOC_UNKNOWN,
                      "unsupported: replaceable weights on a device");
  pir_arena_init(&model->weights.memory, &model->heap);
  model->weights.is_replaceable = true;
  model->weights.threads = options->compile_threads;
  hide_weights(model, program);
  return PIR_OK;
}

// Whether a parameter has the stated type, by which its readers were compiled.
static bool has_type(const pir_param *param, const pir_type *type) {
  if (!type || !pir_type_is_tensor(type) || pir_type_dtype(type) != param->dtype)
    return false;
  pir_shape shape = pir_type_shape(type);
  bool same = shape.rank == param->shape.rank;
  for (size_t i = 0; same && i < shape.rank; i++)
    same = shape.dims[i] == param->shape.dims[i];
  return same;
}

static void release_held(void *param) {
  pir_param_release(param);
}

// The program's parameter keeps the model's, which has the bytes.
static void show_weight(pir_program *program, const pir_param *param) {
  pir_param shown = *param;
  shown.release = release_held;
  shown.user = (void *)(uintptr_t)param;
  pir_param_retain(param);
  pir_program_adopt_param(program, &shown);
}

pir_status pir_refit_resume(pir_model *model, pir_program *program) {
  const model_weights *w = &model->weights;
  if (!w->is_replaceable)
    return PIR_OK;
  PIR_EACH_OP(op, pir_program_block(program)) {
    bool named = pir_op_has(op, PIR_PARAMETER) && pir_op_def(op)->attr_count;
    const pir_attr *name = named ? pir_op_attr_at(op, 0) : NULL;
    uint32_t i = name ? pir_refit_find(w, pir_attr_as_str(name)) : NONE;
    if (i == NONE)
      continue;
    if (!has_type(w->params[i], pir_value_type(pir_op_result(op, 0))))
      return pir_report_op(
          op, PIR_UNSUPPORTED, PIR_ERROR,
          "unsupported: a replaceable weight \"%s\" whose file has another shape "
          "or type than the program states",
          w->params[i]->name.data);
    if (!pir_program_param(program, w->params[i]->name))
      show_weight(program, w->params[i]);
  }
  return PIR_OK;
}

void pir_refit_note(pir_model *model) {
  model_weights *w = &model->weights;
  const plan *p = &model->plan;
  if (!w->is_replaceable)
    return;
  w->max_bytes = model->max_bytes;
  w->held = pir_arena_zalloc(&w->memory, p->const_count * sizeof *w->held);
  w->numbers = pir_arena_zalloc(&w->memory, p->const_count * sizeof *w->numbers);
  for (uint32_t i = 0; i < p->const_count; i++) {
    const pir_param *param = p->consts[i].param;
    w->numbers[i] = param ? pir_refit_find(w, param->name) : NONE;
    if (!param || w->numbers[i] != NONE)
      continue;
    pir_param_retain(param);
    w->held[i] = param;
  }
}
