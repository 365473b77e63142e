// Compiles groups. Adding a group lowers it into its own loop module; the module is dropped at
// once if an earlier group has an equal one. Finishing passes the modules to the code store,
// links the stages and frees the loops, so only the interfaces remain.
#include "compile_impl.h"
#include "choose.h"

#include <stdlib.h>
#include <string.h>

static void drop_compiler(void *compiler) {
  pir_compiler_destroy(compiler);
}

pir_status pir_compiler_create(pir_context *ctx, const pir_compiler_options *options,
                               pir_compiler **out_compiler) {
  pir_compiler *c = calloc(1, sizeof *c);
  pir_guard guard;
  *out_compiler = NULL;
  if (!c)
    return PIR_EXHAUSTED;
  c->ctx = ctx;
  c->options = *options;
  pir_heap_init(&c->heap, NULL);
  c->heap.outer = pir_context_heap(ctx);
  pir_arena_init(&c->arena, &c->heap);
  pir_guard_open(c->heap.outer, &guard, drop_compiler, c);
  pir_status status = pir_code_store_create(ctx, &options->target, options->cache, &c->store);
  pir_guard_close(&guard);
  if (!status && options->ahead)
    pir_code_store_make_ahead(c->store);
  if (!status && options->in_process)
    pir_code_store_compile_here(c->store);
  if (!status && options->keep)
    pir_code_store_keep_objects(c->store);
  if (!status)
    *out_compiler = c;
  else
    pir_compiler_destroy(c);
  return status;
}

void pir_compiler_destroy(pir_compiler *c) {
  if (!c)
    return;
  for (size_t i = 0; i < c->count; i++)
    pir_loop_module_destroy(c->units[i].module);
  free(c->units);
  pir_heap_release(&c->heap);
  pir_code_store_destroy(c->store);
  free(c);
}

static unit *new_unit(pir_compiler *c) {
  if (c->count == c->capacity) {
    size_t capacity = c->capacity ? c->capacity * 2 : 16;
    unit *grown = realloc(c->units, capacity * sizeof *grown);
    if (!grown)
      return NULL;
    c->units = grown;
    c->capacity = capacity;
  }
  unit *u = &c->units[c->count];
  *u = (unit){.module = pir_loop_module_create_in(pir_context_heap(c->ctx))};
  c->count++;
  return u;
}

static void *copy(pir_compiler *c, const void *items, size_t count, size_t size) {
  return pir_arena_copy(&c->arena, items, pir_arena_size(&c->arena, count, size));
}

static const char *copy_text(pir_compiler *c, const char *text) {
  return copy(c, text, strlen(text) + 1, 1);
}

static void describe_packings(pir_compiler *c, unit *u, const lowering *l,
                              const lower_packings *packings) {
  u->code.packing_count = packings->count;
  u->code.packings = pir_arena_zalloc(
      &c->arena, pir_arena_size(&c->arena, packings->count + 1, sizeof *u->code.packings));
  u->code.packing_names = pir_arena_zalloc(
      &c->arena, pir_arena_size(&c->arena, packings->count + 1, sizeof *u->code.packing_names));
  for (size_t i = 0; i < packings->count; i++) {
    const lower_packing *p = &packings->items[i];
    u->code.packings[i] = (pir_packing){.operand = p->operand, .bytes = (size_t)p->bytes};
    // The extents of a constant are constant.
    pir_dim_is_const(l->dims, p->stage.units, &u->code.packings[i].units);
    u->code.packing_names[i] = copy_text(c, p->stage.fn->name);
  }
}

static void describe_traps(pir_compiler *c, unit *u, const lowering *l) {
  size_t count = l->traps.count;
  u->code.traps =
      pir_arena_zalloc(&c->arena, pir_arena_size(&c->arena, count + 1, sizeof *u->code.traps));
  for (size_t i = 0; i < count; i++)
    u->code.traps[i] = copy_text(c, l->traps.items[i]);
  u->code.group.traps = u->code.traps;
  u->code.group.trap_count = count;
}

// Copies the interface except the code, because the loops behind it will be freed.
static void describe_unit(pir_compiler *c, unit *u, const lowering *l,
                          const lower_stages *stages, const lower_packings *packings) {
  pir_temporary *temporaries = pir_arena_zalloc(
      &c->arena, pir_arena_size(&c->arena, l->temporaries.count + 1, sizeof *temporaries));
  u->code.stages = pir_arena_zalloc(
      &c->arena, pir_arena_size(&c->arena, stages->count + 1, sizeof *u->code.stages));
  u->code.names = pir_arena_zalloc(
      &c->arena, pir_arena_size(&c->arena, stages->count + 1, sizeof *u->code.names));
  for (size_t i = 0; i < stages->count; i++) {
    const lower_stage *s = &stages->items[i];
    u->code.stages[i] =
        (pir_stage){.units = s->units, .scratch_bytes = (size_t)s->fn->scratch_bytes};
    u->code.names[i] = copy_text(c, s->fn->name);
  }
  for (size_t i = 0; i < l->temporaries.count; i++)
    temporaries[i].bytes = l->temporaries.items[i];
  describe_packings(c, u, l, packings);
  u->code.bounds = copy(c, l->bounds.items, l->bounds.count, sizeof *l->bounds.items);
  u->code.group = (pir_compiled_group){
      .stages = u->code.stages,
      .stage_count = stages->count,
      .device_packings =
          copy(c, l->packings.items, l->packings.count, sizeof *l->packings.items),
      .device_packing_count = l->packings.count,
      .temporaries = temporaries,
      .temporary_count = l->temporaries.count,
      .dims = copy(c, l->args.items, l->args.count, sizeof *l->args.items),
      .dim_count = l->args.count,
      .equal = copy(c, l->equal.items, l->equal.count, sizeof *l->equal.items),
      .equal_count = l->equal.count / 2,
      .bounds = u->code.bounds,
      .bound_count = l->bounds.count};
  u->tuned = copy(c, l->tuned.items, l->tuned.count, sizeof *l->tuned.items);
  u->tuned_count = l->tuned.count;
  describe_traps(c, u, l);
}

// Finds the operands that the stages read. Of the others, only shape or contents mattered, at
// compile time.
static const bool *find_read(pir_compiler *c, const pir_op *group, const lower_stages *stages) {
  size_t operands = pir_op_operands(group);
  bool *reads = pir_arena_zalloc(&c->arena, operands + 1);
  for (size_t i = 0; i < stages->count; i++) {
    const loop_fn *fn = stages->items[i].fn;
    for (uint16_t k = 0; k < fn->buffer_count; k++)
      if (fn->buffers[k]->space == LOOP_ARG && fn->buffers[k]->slot < operands)
        reads[fn->buffers[k]->slot] = true;
  }
  return reads;
}

// Keeps the module only if it is the first with its key.
static pir_status share(pir_compiler *c, unit *u) {
  PIR_TRY(pir_code_store_key(c->store, u->module, &u->key));
  for (u->same = 0; &c->units[u->same] != u; u->same++) {
    const unit *other = &c->units[u->same];
    if (other->key.low != u->key.low || other->key.high != u->key.high)
      continue;
    pir_loop_module_destroy(u->module);
    u->module = NULL;
    c->shared++;
    return PIR_OK;
  }
  pir_code_store_expect(c->store, u->key);
  return PIR_OK;
}

// For a device, groups are equal if their source text is.
static pir_status write_source(pir_compiler *c, unit *u, const pir_op *group) {
  char message[256];
  const device_codegen *device = device_codegen_of(&c->options.target);
  pir_status status = device->emit(u->module, &c->options.target, &c->heap, &u->source, message,
                                   sizeof message);
  pir_loop_module_destroy(u->module);
  u->module = NULL;
  if (status == PIR_UNSUPPORTED) {
    u->code.refused = true;
    pir_remark(group, "is not compiled: %s", message);
    return PIR_OK;
  }
  return status ? pir_report_op(group, status, PIR_ERROR, "%s", message) : PIR_OK;
}

pir_status pir_compiler_add(pir_compiler *c, const pir_op *group, const pir_facts *facts,
                            size_t *out_index) {
  lowering l;
  lower_stages stages = {0};
  lower_packings packings = {0};
  unit *u = new_unit(c);
  if (!u)
    return PIR_EXHAUSTED;
  lower_init(&l, u->module, &c->options.target, facts, group);
  l.math = c->options.math;
  *out_index = c->count - 1;
  l.refuse_at = pir_group_refused_by(group, "lower");
  if (!choose_emit(&l, &stages, &packings)) {
    pir_remark(l.where, "is not compiled: unsupported: %s", l.why);
    pir_loop_module_destroy(u->module);
    u->module = NULL;
    u->code.refused = true;
    return PIR_OK;
  }
  // The processor back ends cannot express a barrier.
  size_t refused = (size_t)pir_group_refused_by(group, "emit");
  if (refused && refused <= stages.count)
    pir_loop_barrier(stages.items[refused - 1].fn, &stages.items[refused - 1].fn->body);
  describe_unit(c, u, &l, &stages, &packings);
  u->code.group.reads = find_read(c, group, &stages);
  choose_explain(&l, &stages);
  return c->options.target.device ? write_source(c, u, group) : share(c, u);
}

static pir_status find_code(const pir_image *image, const char *name, pir_stage_fn *out) {
  void *symbol = pir_image_symbol(image, name);
  if (!symbol)
    return PIR_INTERNAL;
  memcpy(out, &symbol, sizeof *out);
  return PIR_OK;
}

static pir_status link_image(unit *u, const pir_image *image) {
  for (size_t i = 0; i < u->code.group.stage_count; i++)
    PIR_TRY(find_code(image, u->code.names[i], &u->code.stages[i].fn));
  for (size_t i = 0; i < u->code.packing_count; i++)
    PIR_TRY(find_code(image, u->code.packing_names[i], &u->code.packings[i].fn));
  pir_group_code_complete(&u->code);
  return PIR_OK;
}

static const device_kernel *find_kernel(const device_source *source, const char *name) {
  for (size_t i = 0; i < source->count; i++)
    if (!strcmp(source->kernels[i].name, name))
      return &source->kernels[i];
  return NULL;
}

static pir_status link_kernels(pir_compiler *c, unit *u, const pir_image *image) {
  size_t count = u->code.group.stage_count;
  pir_stage_kernel *kernels =
      pir_arena_zalloc(&c->arena, pir_arena_size(&c->arena, count + 1, sizeof *kernels));
  for (size_t i = 0; i < count; i++) {
    const device_kernel *k = find_kernel(&u->source, u->code.names[i]);
    if (!k)
      return PIR_INTERNAL;
    kernels[i] = (pir_stage_kernel){.name = k->name,
                                    .buffers = k->slots,
                                    .buffer_count = k->slot_count,
                                    .dims = k->dims,
                                    .dim_count = k->dim_count,
                                    .threads = k->block_threads,
                                    .units = k->block_units,
                                    .reports = k->reports};
    kernels[i].code = pir_image_code(image, &kernels[i].code_bytes);
    u->code.stages[i].kernel = &kernels[i];
  }
  return PIR_OK;
}

static pir_status finish_device(pir_compiler *c, pir_arena *scratch) {
  size_t room = c->count + 1, count = 0;
  const char **texts = pir_arena_zalloc(scratch, pir_arena_size(scratch, room, sizeof *texts));
  const pir_image **images =
      pir_arena_zalloc(scratch, pir_arena_size(scratch, room, sizeof *images));
  for (size_t i = 0; i < c->count; i++)
    if (!c->units[i].code.refused)
      texts[count++] = c->units[i].source.text;
  PIR_TRY(pir_code_store_build_source(c->store, texts, count, c->options.threads, images));
  count = 0;
  for (size_t i = 0; i < c->count; i++)
    if (!c->units[i].code.refused)
      PIR_TRY(link_kernels(c, &c->units[i], images[count++]));
  return PIR_OK;
}

static pir_status finish_processor(pir_compiler *c, pir_arena *scratch) {
  size_t room = c->count + 1, count = 0;
  const loop_module **modules =
      pir_arena_zalloc(scratch, pir_arena_size(scratch, room, sizeof *modules));
  const pir_image **images =
      pir_arena_zalloc(scratch, pir_arena_size(scratch, room, sizeof *images));
  const pir_image **of_unit =
      pir_arena_zalloc(scratch, pir_arena_size(scratch, room, sizeof *of_unit));
  pir_cache_key *keys = pir_arena_zalloc(scratch, pir_arena_size(scratch, room, sizeof *keys));
  for (size_t i = 0; i < c->count; i++)
    if (c->units[i].module) {
      keys[count] = c->units[i].key;
      modules[count++] = c->units[i].module;
    }
  PIR_TRY(pir_code_store_build(c->store, modules, keys, count, c->options.threads, images));
  count = 0;
  for (size_t i = 0; i < c->count; i++) {
    unit *u = &c->units[i];
    if (u->code.refused)
      continue;
    // Equal units share one module; the first of them has it.
    of_unit[i] = u->module ? images[count++] : of_unit[u->same];
    u->code.refused = !of_unit[i];
    pir_loop_module_destroy(u->module);
    u->module = NULL;
    if (u->code.refused)
      continue;
    if (c->options.ahead)
      pir_group_code_complete(&u->code);
    else
      PIR_TRY(link_image(u, of_unit[i]));
  }
  return PIR_OK;
}

pir_status pir_compiler_finish(pir_compiler *c) {
  pir_arena scratch;
  pir_arena_init(&scratch, pir_context_heap(c->ctx));
  pir_status status =
      c->options.target.device ? finish_device(c, &scratch) : finish_processor(c, &scratch);
  pir_arena_destroy(&scratch);
  return status;
}

const pir_compiled_group *pir_compiler_group(const pir_compiler *c, size_t index) {
  return index < c->count && !c->units[index].code.refused ? &c->units[index].code.group : NULL;
}

const pir_tuned *pir_compiler_tuned(const pir_compiler *c, size_t index, size_t *out_count) {
  bool has = index < c->count && !c->units[index].code.refused;
  *out_count = has ? c->units[index].tuned_count : 0;
  return has ? c->units[index].tuned : NULL;
}

size_t pir_compiler_kernels(const pir_compiler *c) {
  return pir_code_store_stats(c->store).compiled;
}

size_t pir_compiler_cache_hits(const pir_compiler *c) {
  pir_code_stats s = pir_code_store_stats(c->store);
  return s.from_memory + s.from_disk + c->shared;
}

size_t pir_compiler_code_bytes(const pir_compiler *c) {
  return pir_code_store_stats(c->store).bytes;
}
