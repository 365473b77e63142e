// Models with other weights. A replaceable model (hide_weights.c) gives models that share its
// plan and code, and load their own weights. A compiled model keeps its weights as the program
// has them, because libpir_rt makes everything else of them again.
#include "model_impl.h"

#include <pir/engine/weights.h>
#include <pir/layer/param_record.h>
#include <stdlib.h>
#include <string.h>

static int by_weight_name(const void *name, const void *param) {
  return pir_str_compare(*(const pir_str *)name, (*(const pir_param *const *)param)->name);
}

uint32_t pir_refit_find(const model_weights *w, pir_str name) {
  const pir_param **found =
      w->count ? bsearch(&name, w->params, w->count, sizeof *w->params, by_weight_name) : NULL;
  return found ? (uint32_t)(found - w->params) : NONE;
}

void pir_refit_release(pir_model *model) {
  model_weights *w = &model->weights;
  for (uint32_t i = 0; w->params && i < w->count; i++)
    if (w->params[i])
      pir_param_release(w->params[i]);
  for (uint32_t i = 0; w->held && i < model->plan.const_count; i++)
    if (w->held[i])
      pir_param_release(w->held[i]);
}

// ---- questions

size_t pir_model_weights(const pir_model *model) {
  return model ? model->weights.count : 0;
}

pir_status pir_model_weight(const pir_model *model, size_t i, pir_port *out_port) {
  pir_port port = {.name = {"", 0}, .rank = -1};
  bool found = i < pir_model_weights(model);
  const pir_param *param = found ? model->weights.params[i] : NULL;
  if (param) {
    port.name = param->name;
    port.dtype = param->dtype;
    port.rank = (int32_t)param->shape.rank;
  }
  for (int d = 0; d < port.rank; d++) {
    port.shape[d] = port.least[d] = port.most[d] = param->shape.dims[d];
    port.dims[d] = PIR_STR("");
  }
  PIR_TRY(pir_sized_write(out_port, &port, sizeof port));
  return found ? PIR_OK : PIR_NOT_FOUND;
}

// ---- a model with other weights

typedef struct refit_call {
  const pir_model *from;
  pir_model *made;
  const pir_weight *weights;
  size_t count;
  pir_message *message;
} refit_call;

// The bytes of a new weight, behind what frees them.
typedef struct weight_block {
  pir_allocator allocator;
  size_t size;
  _Alignas(64) char data[];
} weight_block;

static void free_block(void *user) {
  weight_block *block = user;
  pir_allocator allocator = block->allocator;
  pir_mem_give(&allocator, block, block->size);
}

// Why a weight cannot be replaced under this name.
static pir_status refuse_name(const refit_call *call, pir_str name) {
  const model_weights *w = &call->from->weights;
  for (uint32_t i = 0; i < w->fixed_count; i++)
    if (pir_str_equal(w->fixed[i], name))
      return pir_exec_fail(call->message, PIR_UNSUPPORTED,
                           "unsupported: to replace parameter \"%.*s\", because shapes may "
                           "depend on its elements",
                           (int)name.size, name.data);
  return pir_exec_fail(call->message, PIR_NOT_FOUND, "the program has no parameter \"%.*s\"",
                       (int)name.size, name.data);
}

static pir_status check_weight(const refit_call *call, const pir_param *param,
                               const pir_tensor *t) {
  bool fits = t->dtype == param->dtype && t->rank == (int32_t)param->shape.rank;
  for (int d = 0; fits && d < t->rank; d++)
    fits = t->shape[d] == param->shape.dims[d];
  if (t->reserved[0] || t->reserved[1])
    return pir_exec_fail(call->message, PIR_UNSUPPORTED,
                         "unsupported: parameter \"%s\" sets a field of a later version",
                         param->name.data);
  if (!fits)
    return pir_exec_fail(call->message, PIR_INVALID,
                         "parameter \"%s\" has another element type or shape: it is %s of rank "
                         "%zu",
                         param->name.data, pir_dtype_name(param->dtype), param->shape.rank);
  return t->data || !param->size
             ? PIR_OK
             : pir_exec_fail(call->message, PIR_INVALID, "parameter \"%s\" has no data",
                             param->name.data);
}

static pir_status copy_weight(const refit_call *call, const pir_param *param,
                              const pir_tensor *from, const pir_param **out_copy) {
  size_t size = sizeof(weight_block) + param->size;
  weight_block *block = pir_mem_get(&call->made->allocator, size);
  if (!block)
    return PIR_EXHAUSTED;
  block->allocator = call->made->allocator;
  block->size = size;
  pir_param copy = *param;
  copy.data = block->data;
  copy.release = free_block;
  copy.user = block;
  pir_tensor to = {.data = block->data};
  pir_tensor_set_dense(&to, from->dtype, from->shape, from->rank);
  pir_status status = param->size ? pir_tensor_copy(from, &to) : PIR_OK;
  *out_copy = status ? NULL : pir_param_create(&copy);
  if (*out_copy)
    return PIR_OK;
  free_block(block);
  return status ? status : PIR_EXHAUSTED;
}

static pir_status take_weight(const refit_call *call, const pir_weight *weight) {
  model_weights *w = &call->made->weights;
  uint32_t i = pir_refit_find(&call->from->weights, weight->name);
  if (i == NONE)
    return refuse_name(call, weight->name);
  const pir_param *old = call->from->weights.params[i];
  if (w->params[i])
    return pir_exec_fail(call->message, PIR_INVALID, "parameter \"%s\" is given twice",
                         old->name.data);
  PIR_TRY(check_weight(call, old, &weight->tensor));
  return copy_weight(call, old, &weight->tensor, &w->params[i]);
}

// Shares everything but the constants.
static void share_plan(pir_model *made, const pir_model *from) {
  const plan *p = &from->plan;
  const model_weights *w = &from->weights;
  made->plan = *p;
  pir_arena_init(&made->plan.memory, &made->heap);
  made->plan.consts = pir_arena_zalloc(&made->plan.memory, p->const_count * sizeof *p->consts);
  if (p->const_count)
    memcpy(made->plan.consts, p->consts, p->const_count * sizeof *p->consts);
  made->metadata = from->metadata;
  made->stats = from->stats;
  made->stats.weight_bytes = made->stats.packed_bytes = made->stats.load_ns = 0;
  made->max_bytes = w->max_bytes;
  made->weights = (model_weights){.is_replaceable = true,
                                  .threads = w->threads,
                                  .max_bytes = w->max_bytes,
                                  .fixed = w->fixed,
                                  .fixed_count = w->fixed_count,
                                  .numbers = w->numbers};
  pir_arena_init(&made->weights.memory, &made->heap);
  made->weights.params = pir_arena_zalloc(&made->weights.memory, w->count * sizeof *w->params);
  made->weights.held =
      pir_arena_zalloc(&made->weights.memory, p->const_count * sizeof *w->held);
  made->weights.count = w->count;
}

// The remaining weights stay, and so do constants that no weight decides.
static void keep_rest(pir_model *made, const pir_model *from) {
  model_weights *w = &made->weights;
  for (uint32_t i = 0; i < w->count; i++) {
    if (w->params[i])
      continue;
    w->params[i] = from->weights.params[i];
    pir_param_retain(w->params[i]);
  }
  for (uint32_t i = 0; i < made->plan.const_count; i++) {
    w->held[i] = from->weights.held[i];
    if (w->held[i])
      pir_param_retain(w->held[i]);
    made->plan.consts[i].param = w->numbers[i] == NONE ? w->held[i] : w->params[w->numbers[i]];
  }
}

static pir_status refit_body(void *user) {
  refit_call *call = user;
  pir_model *made = call->made;
  share_plan(made, call->from);
  for (size_t i = 0; i < call->count; i++)
    PIR_TRY(take_weight(call, &call->weights[i]));
  keep_rest(made, call->from);
  PIR_TRY(pir_weights_take(made, call->message));
  return pir_weights_load(made, made->weights.threads, call->message);
}

static pir_status refit(pir_model *model, refit_call *call, pir_model **out_model) {
  uint64_t start = pir_exec_now_ns();
  pir_watch never = {0};
  call->made = pir_model_new(&model->allocator);
  if (!call->made)
    return PIR_EXHAUSTED;
  call->made->base = model->base ? model->base : model;
  pir_model_retain(call->made->base);
  call->made->watch = &never;
  pir_status status = pir_heap_catch(&call->made->heap, refit_body, call, NULL);
  if (status) {
    pir_model_release(call->made);
    return status;
  }
  pir_model_finish(call->made);
  call->made->stats.compile_ns = pir_exec_now_ns() - start;
  *out_model = call->made;
  return PIR_OK;
}

pir_status pir_model_replace_weights(pir_model *model, const pir_weight *weights, size_t count,
                                     pir_message *message, pir_model **out_model) {
  pir_message unheard;
  refit_call call = {.from = model,
                     .weights = weights,
                     .count = count,
                     .message = message ? message : &unheard};
  call.message->text[0] = 0;
  if (out_model)
    *out_model = NULL;
  if (!model || !out_model || (count && !weights))
    return pir_exec_fail(call.message, PIR_INVALID,
                         "pir_model_replace_weights: an argument is NULL");
  if (!model->weights.is_replaceable)
    return pir_exec_fail(call.message, PIR_UNSUPPORTED,
                         "unsupported: other weights for a model that was made without the "
                         "option `replaceable`");
  pir_status status = refit(model, &call, out_model);
  return status && !call.message->text[0]
             ? pir_exec_fail(call.message, status, "%s", pir_status_text(status))
             : status;
}
