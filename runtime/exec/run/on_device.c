// Models on a device: its context, and the kernels of the plan's groups in it. Equal groups
// share their code.
#include "model_impl.h"

pir_status pir_model_open_device(pir_model *model, const pir_model_options *options,
                                 pir_message *message) {
  PIR_TRY(pir_device_open(options->target, options->device_number, options->device_context,
                          &model->device, message));
  return pir_queue_create(model->device, NULL, &model->loading, message);
}

typedef struct loaded {
  const void *bytes;
  pir_device_code *code;
} loaded;

static pir_status find_code(pir_model *model, loaded *known, const void *bytes,
                            pir_device_code **out, pir_message *message) {
  for (uint32_t i = 0; i < model->code_count; i++)
    if (known[i].bytes == bytes) {
      *out = known[i].code;
      return PIR_OK;
    }
  PIR_TRY(pir_device_load(model->device, bytes, out, message));
  known[model->code_count] = (loaded){bytes, *out};
  model->codes[model->code_count++] = *out;
  return PIR_OK;
}

pir_status pir_model_load_kernels(pir_model *model, pir_message *message) {
  plan *p = &model->plan;
  pir_arena scratch;
  pir_arena_init(&scratch, &model->heap);
  loaded *known = pir_arena_zalloc(&scratch, p->kernel_count * sizeof *known);
  model->kernels = pir_arena_zalloc(&p->memory, p->kernel_count * sizeof *model->kernels);
  model->codes = pir_arena_zalloc(&p->memory, p->kernel_count * sizeof *model->codes);
  pir_status status = PIR_OK;
  for (uint32_t g = 0; g < p->group_count; g++) {
    const plan_group *group = &p->groups[g];
    for (size_t i = 0; i < group->code->stage_count && !status; i++) {
      const pir_stage_kernel *stage = group->code->stages[i].kernel;
      pir_device_code *code = NULL;
      status = find_code(model, known, stage->code, &code, message);
      if (!status)
        status = pir_device_find(code, stage->name, stage->threads,
                                 &model->kernels[group->kernels + i], message);
    }
  }
  pir_arena_destroy(&scratch);
  return status;
}

void pir_model_close_device(pir_model *model) {
  for (uint32_t i = 0; i < model->code_count; i++)
    pir_device_unload(model->codes[i]);
  pir_queue_destroy(model->loading);
  pir_device_close(model->device);
}
