// A model as an object: references, ports and statistics. Models are made from
// programs (make_model.c) or opened from files (store/).
#include "model_impl.h"

#include <pir/layer/machine_memory.h>
#include <sized.h>

#include <sys/mman.h>
#include <unistd.h>

int pir_model_threads(int asked) {
  long here = asked > 0 ? asked : sysconf(_SC_NPROCESSORS_ONLN);
  return here < 1 ? 1 : (int)here;
}

pir_model *pir_model_new(const pir_allocator *allocator) {
  pir_model *model = pir_mem_get(allocator, sizeof *model);
  if (!model)
    return NULL;
  *model = (pir_model){.allocator = *allocator, .session_bytes = pir_memory_to_use()};
  pir_heap_init(&model->heap, allocator);
  pir_arena_init(&model->plan.memory, &model->heap);
  atomic_init(&model->holders, 1);
  return model;
}

void pir_model_finish(pir_model *model) {
  model->watch = NULL;
  model->heap.outer = NULL;
  model->progress = (pir_progress_sink){0};
  model->code_listener = NULL;
}

void pir_model_retain(pir_model *model) {
  if (model)
    atomic_fetch_add(&model->holders, 1);
}

void pir_model_release(pir_model *model) {
  if (!model || atomic_fetch_sub(&model->holders, 1) != 1)
    return;
  pir_weights_release(model);
  pir_refit_release(model);
  pir_model_close_device(model);
  if (model->compiler)
    model->drop_compiler(model->compiler);
  if (model->machine)
    model->drop_machine(model->machine);
  pir_executable_destroy(model->executable);
  pir_heap_release(&model->heap);
  if (model->custom)
    model->drop_custom(model->custom);
  if (model->mapped.data)
    munmap(model->mapped.data, model->mapped.bytes);
  if (model->apart.data)
    munmap(model->apart.data, model->apart.bytes);
  pir_borrowed_release(model->file);
  pir_allocator allocator = model->allocator;
  pir_model *base = model->base;
  pir_mem_give(&allocator, model, sizeof *model);
  pir_model_release(base);
}

// ---- questions

// Beyond the last port an empty one is written, so that no caller reads an earlier answer.
static pir_status write_port(const plan_port *ports, size_t count, size_t i,
                             pir_port *out_port) {
  static const pir_port no_port = {.name = {"", 0}, .dtype = PIR_UNDEFINED, .rank = -1};
  PIR_TRY(pir_sized_write(out_port, i < count ? &ports[i].port : &no_port, sizeof no_port));
  return i < count ? PIR_OK : PIR_NOT_FOUND;
}

size_t pir_model_inputs(const pir_model *model) {
  return model ? model->plan.input_count : 0;
}

pir_status pir_model_input(const pir_model *model, size_t i, pir_port *out_port) {
  return write_port(model ? model->plan.inputs : NULL, pir_model_inputs(model), i, out_port);
}

size_t pir_model_outputs(const pir_model *model) {
  return model ? model->plan.output_count : 0;
}

pir_status pir_model_output(const pir_model *model, size_t i, pir_port *out_port) {
  return write_port(model ? model->plan.outputs : NULL, pir_model_outputs(model), i, out_port);
}

pir_status pir_model_stats_of(const pir_model *model, pir_model_stats *out_stats) {
  return model ? pir_sized_write(out_stats, &model->stats, sizeof model->stats) : PIR_INVALID;
}
