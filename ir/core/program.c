// A program is its module op and a table of parameters. Parameter bytes are shared: each record
// counts the programs that hold it, and the last one releases the bytes.

#include <pir/compiler/program.h>
#include <pir/layer/param_record.h>
#include <pir/layer/value_names.h>

#include <op_impl.h>
#include <text_impl.h>

#include <stdlib.h>
#include <string.h>

struct pir_program {
  pir_context *ctx;
  pir_op *module;
  pir_program_info info;
  pir_map by_name;              // pir_name -> pir_param
  PIR_VEC(pir_param *) params;  // ordered by name if `sorted`
  bool sorted;
  pir_map value_names;  // pir_name -> value, as the program was read
};

static pir_str keep_text(pir_context *ctx, pir_str text) {
  return pir_name_str(pir_name_get(ctx, text));
}

typedef struct create_call {
  pir_context *ctx;
  const pir_program *original;  // for a clone: the program it was cloned from
  pir_program *program;
} create_call;

static pir_status create_program(void *user) {
  create_call *call = user;
  pir_context *ctx = call->ctx;
  pir_program *program = pir_arena_zalloc(&ctx->arena, sizeof *program);
  program->ctx = ctx;
  program->info.format = (pir_str){"", 0};
  pir_op_spec spec = {.def = pir_context_opdef(ctx, PIR_STR("builtin.module")),
                      .region_count = 1};
  program->module = pir_op_create(ctx, &spec);
  pir_region_append_block(pir_op_region(program->module, 0));
  call->program = program;
  return PIR_OK;
}

pir_program *pir_program_create(pir_context *ctx) {
  create_call call = {.ctx = ctx};
  return pir_context_enter(ctx, create_program, &call) ? NULL : call.program;
}

void pir_program_destroy(pir_program *program) {
  if (!program)
    return;
  pir_arena *arena = &program->ctx->arena;
  if (program->module)
    pir_op_destroy(program->module);
  for (size_t i = 0; i < program->params.count; i++)
    pir_param_release(program->params.items[i]);
  pir_vec_free(arena, &program->params);
  pir_map_free(arena, &program->by_name);
  pir_map_free(arena, &program->value_names);
  pir_arena_free(arena, program, sizeof *program);
}

// Reserves an entry for a parameter of this name; it holds the previous record, or 0.
static uint64_t *make_room(pir_program *program, pir_str name) {
  pir_arena *arena = &program->ctx->arena;
  pir_vec_reserve(arena, &program->params, program->params.count + 1);
  return pir_map_place(arena, &program->by_name, pir_name_get(program->ctx, name), 0);
}

static void share_params(pir_program *copy, const pir_program *program) {
  for (size_t i = 0; i < program->params.count; i++) {
    pir_param *record = program->params.items[i];
    uint64_t *place = make_room(copy, record->name);
    pir_param_retain(record);
    copy->params.items[copy->params.count++] = record;
    *place = (uintptr_t)record;
  }
}

static void destroy_program(void *program) {
  pir_program_destroy(program);
}

void pir_program_guard(pir_program *program, pir_guard *guard) {
  pir_guard_open(&program->ctx->heap, guard, destroy_program, program);
}

static pir_status clone_program(void *user) {
  create_call *call = user;
  const pir_program *program = call->original;
  pir_program *copy = pir_arena_zalloc(&program->ctx->arena, sizeof *copy);
  pir_guard guard;
  copy->ctx = program->ctx;
  copy->info = program->info;
  copy->sorted = program->sorted;
  pir_program_guard(copy, &guard);
  copy->module = pir_op_clone(program->module, NULL);
  share_params(copy, program);
  pir_guard_close(&guard);
  call->program = copy;
  return PIR_OK;
}

pir_program *pir_program_clone(const pir_program *program) {
  create_call call = {.ctx = program->ctx, .original = program};
  return pir_context_enter(program->ctx, clone_program, &call) ? NULL : call.program;
}

pir_context *pir_program_context(const pir_program *program) {
  return program->ctx;
}
pir_op *pir_program_module(const pir_program *program) {
  return program->module;
}
pir_block *pir_program_block(const pir_program *program) {
  return op_regions(program->module)[0].first;
}
pir_program_info pir_program_info_of(const pir_program *program) {
  return program->info;
}

void pir_program_set_info(pir_program *program, pir_program_info info) {
  program->info = info;
  program->info.format = keep_text(program->ctx, info.format);
}

// ---- parameters

static pir_param *find_record(const pir_program *program, pir_str name) {
  pir_name *known = pir_name_find(program->ctx, name);
  return known ? pir_map_get(&program->by_name, known) : NULL;
}

static void release_bytes(void *user) {
  const pir_param *param = user;
  if (param->release)
    param->release(param->user);
}

static size_t index_of(const pir_program *program, const pir_param *record) {
  size_t i = 0;
  while (program->params.items[i] != record)
    i++;
  return i;
}

// Takes ownership of the bytes in any case.
void pir_program_adopt_param(pir_program *program, const pir_param *param) {
  pir_param adopted = *param;
  pir_guard guard;
  pir_guard_open(&program->ctx->heap, &guard, release_bytes, &adopted);
  uint64_t *place = make_room(program, param->name);
  pir_param *record = pir_param_create(param), *old = (pir_param *)(uintptr_t)*place;
  if (!record)
    pir_heap_fail(&program->ctx->heap);
  pir_guard_close(&guard);
  size_t at = old ? index_of(program, old) : program->params.count++;
  program->params.items[at] = record;
  *place = (uintptr_t)record;
  program->sorted = program->sorted && old;
  if (old)
    pir_param_release(old);
}

const pir_param *pir_program_param(const pir_program *program, pir_str name) {
  pir_param *record = find_record(program, name);
  return record;
}

size_t pir_program_params(const pir_program *program) {
  return program->params.count;
}

static int compare_records(const void *a, const void *b) {
  const pir_param *x = *(pir_param *const *)a, *y = *(pir_param *const *)b;
  return pir_str_compare(x->name, y->name);
}

const pir_param *pir_program_param_at(const pir_program *program, size_t i) {
  if (i >= program->params.count)
    return NULL;
  if (!program->sorted) {
    qsort(program->params.items, program->params.count, sizeof *program->params.items,
          compare_records);
    ((pir_program *)program)->sorted = true;
  }
  return program->params.items[i];
}

void pir_program_drop_param(pir_program *program, pir_str name) {
  pir_param *record = find_record(program, name);
  if (!record)
    return;
  size_t i = index_of(program, record);
  program->params.count--;
  memmove(program->params.items + i, program->params.items + i + 1,
          (program->params.count - i) * sizeof record);
  pir_map_remove(&program->by_name, pir_name_find(program->ctx, name));
  pir_param_release(record);
}

// ---- names of values

void pir_program_name_value(pir_program *program, pir_name *name, pir_value *value) {
  pir_map_put(&program->ctx->arena, &program->value_names, name, (uint64_t)(uintptr_t)value);
}

pir_status pir_program_find_value(const pir_program *program, pir_str name,
                                  pir_value **out_value) {
  pir_name *known = pir_name_find(program->ctx, name);
  *out_value = known ? pir_map_get(&program->value_names, known) : NULL;
  if (*out_value)
    return PIR_OK;
  return name.size > 1 && name.data[0] == '%' ? pir_text_find_value(program, name, out_value)
                                              : PIR_NOT_FOUND;
}
