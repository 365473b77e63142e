// Groups to code. Taking a group up lowers it to a loop module of its own; finishing hands all modules to the
// code store, which compiles equal ones once, and links the stages.
#include <pir/codegen.h>

#include "code.h"
#include "lower.h"

#include <stdlib.h>
#include <string.h>

typedef struct unit {
  loop_module *module;
  lower_stages stages;
  lower_packing packing;
  pir_stage *out_stages;  // in the module's arena, likewise below
  pir_packing out_packing;
  pir_temporary *temporaries;
  pir_compiled_group group;
} unit;

struct pir_compiler {
  pir_context *ctx;
  pir_compiler_options options;
  pir_code_store *store;
  unit *units;
  size_t count, capacity;
};

pir_status pir_compiler_create(pir_context *ctx, const pir_compiler_options *options, pir_compiler **out_compiler) {
  pir_compiler *c = calloc(1, sizeof *c);
  *out_compiler = NULL;
  if (!c) return PIR_EXHAUSTED;
  c->ctx = ctx;
  c->options = *options;
  pir_status status = pir_code_store_create(ctx, &options->target, options->cache, &c->store);
  if (status) free(c);
  else *out_compiler = c;
  return status;
}

void pir_compiler_destroy(pir_compiler *c) {
  if (!c) return;
  for (size_t i = 0; i < c->count; i++) pir_loop_module_destroy(c->units[i].module);
  free(c->units);
  pir_code_store_destroy(c->store);
  free(c);
}

static unit *new_unit(pir_compiler *c) {
  if (c->count == c->capacity) {
    size_t capacity = c->capacity ? c->capacity * 2 : 16;
    unit *grown = realloc(c->units, capacity * sizeof *grown);
    if (!grown) return NULL;
    c->units = grown;
    c->capacity = capacity;
  }
  unit *u = &c->units[c->count];
  *u = (unit){.module = pir_loop_module_create()};
  if (!u->module) return NULL;
  c->count++;
  return u;
}

// The parts of the interface that do not wait for the code.
static void describe(unit *u, const lowering *l) {
  u->out_stages = pir_loop_alloc(u->module, u->stages.count * sizeof *u->out_stages);
  for (size_t i = 0; i < u->stages.count; i++)
    u->out_stages[i] =
        (pir_stage){.units = u->stages.items[i].units, .scratch_bytes = (size_t)u->stages.items[i].fn->scratch_bytes};
  u->temporaries = pir_loop_alloc(u->module, l->temporaries.count * sizeof *u->temporaries);
  for (size_t i = 0; i < l->temporaries.count; i++) u->temporaries[i].bytes = l->temporaries.items[i];
  u->group = (pir_compiled_group){.stages = u->out_stages,
                                  .stage_count = u->stages.count,
                                  .temporaries = u->temporaries,
                                  .temporary_count = l->temporaries.count,
                                  .dims = l->args.items,
                                  .dim_count = l->args.count,
                                  .equal = l->equal.items,
                                  .equal_count = l->equal.count / 2};
}

pir_status pir_compiler_add(pir_compiler *c, const pir_op *group, const pir_facts *facts, size_t *out_index) {
  lowering l;
  unit *u = new_unit(c);
  if (!u) return PIR_EXHAUSTED;
  lower_init(&l, u->module, &c->options.target, facts, group);
  if (!lower_group(&l, &u->stages, &u->packing)) {
    pir_loop_module_destroy(u->module);
    c->count--;
    return pir_report(c->ctx, PIR_UNSUPPORTED, PIR_ERROR, pir_op_loc(l.where), "unsupported: %s, in \"%.*s\"", l.why,
                      (int)pir_op_name(l.where).size, pir_op_name(l.where).data);
  }
  describe(u, &l);
  *out_index = c->count - 1;
  return PIR_OK;
}

static pir_status link_stage(const pir_image *image, const loop_fn *fn, pir_stage_fn *out) {
  void *symbol = pir_image_symbol(image, fn->name);
  if (!symbol) return PIR_INTERNAL;
  memcpy(out, &symbol, sizeof *out);
  return PIR_OK;
}

static pir_status link_unit(unit *u, const pir_image *image) {
  for (size_t i = 0; i < u->stages.count; i++) PIR_TRY(link_stage(image, u->stages.items[i].fn, &u->out_stages[i].fn));
  if (!u->packing.bytes) return PIR_OK;
  int64_t units = u->packing.stage.units;
  u->out_packing = (pir_packing){.operand = u->packing.operand, .bytes = (size_t)u->packing.bytes, .units = units};
  u->group.packings = &u->out_packing;
  u->group.packing_count = 1;
  return link_stage(image, u->packing.stage.fn, &u->out_packing.fn);
}

pir_status pir_compiler_finish(pir_compiler *c) {
  const loop_module **modules = calloc(c->count + 1, sizeof *modules);
  const pir_image **images = calloc(c->count + 1, sizeof *images);
  pir_status status = modules && images ? PIR_OK : PIR_EXHAUSTED;
  for (size_t i = 0; i < c->count && !status; i++) modules[i] = c->units[i].module;
  if (!status) status = pir_code_store_build(c->store, modules, c->count, c->options.threads, images);
  for (size_t i = 0; i < c->count && !status; i++) status = link_unit(&c->units[i], images[i]);
  free(images);
  free(modules);
  return status;
}

const pir_compiled_group *pir_compiler_group(const pir_compiler *c, size_t index) {
  return index < c->count ? &c->units[index].group : NULL;
}

size_t pir_compiler_kernels(const pir_compiler *c) { return pir_code_store_stats(c->store).compiled; }

size_t pir_compiler_cache_hits(const pir_compiler *c) {
  pir_code_stats s = pir_code_store_stats(c->store);
  return s.from_memory + s.from_disk;
}
