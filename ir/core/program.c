// A program is its module op and a table of parameters. Parameter bytes are shared: each record
// counts the programs that hold it, and the last one releases the bytes.

#include <pir/program.h>

#include <op_impl.h>

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

// Models keep records and may drop them on other threads than the program's, hence the atomic
// count and memory that is not the context's.
typedef struct param_record {
  pir_param param;
  atomic_uint holders;
  int64_t dims[];  // then the name
} param_record;

struct pir_program {
  pir_context *ctx;
  pir_op *module;
  pir_program_info info;
  pir_map by_name;                 // pir_name -> param_record
  PIR_VEC(param_record *) params;  // in name order when `sorted`
  bool sorted;
};

static pir_str keep_text(pir_context *ctx, pir_str text) {
  return pir_name_str(pir_name_get(ctx, text));
}

pir_program *pir_program_create(pir_context *ctx) {
  pir_program *program = pir_arena_zalloc(&ctx->arena, sizeof *program);
  program->ctx = ctx;
  program->info.format = (pir_str){"", 0};
  pir_op_spec spec = {.def = pir_context_opdef(ctx, PIR_STR("builtin.module")),
                      .region_count = 1};
  program->module = pir_op_create(ctx, &spec);
  pir_region_append_block(pir_op_region(program->module, 0));
  return program;
}

static void drop_record(param_record *record) {
  if (atomic_fetch_sub(&record->holders, 1) != 1)
    return;
  if (record->param.release)
    record->param.release(record->param.user);
  free(record);
}

void pir_program_destroy(pir_program *program) {
  if (!program)
    return;
  pir_arena *arena = &program->ctx->arena;
  pir_op_destroy(program->module);
  for (size_t i = 0; i < program->params.count; i++)
    drop_record(program->params.items[i]);
  pir_vec_free(arena, &program->params);
  pir_map_free(arena, &program->by_name);
  pir_arena_free(arena, program, sizeof *program);
}

static void hold(pir_program *program, param_record *record) {
  pir_name *name = pir_name_get(program->ctx, record->param.name);
  pir_vec_push(&program->ctx->arena, &program->params, record);
  pir_map_put(&program->ctx->arena, &program->by_name, name, (uintptr_t)record);
}

pir_program *pir_program_clone(const pir_program *program) {
  pir_program *copy = pir_arena_zalloc(&program->ctx->arena, sizeof *copy);
  copy->ctx = program->ctx;
  copy->info = program->info;
  copy->sorted = program->sorted;
  copy->module = pir_op_clone(program->module, NULL);
  for (size_t i = 0; i < program->params.count; i++) {
    atomic_fetch_add(&program->params.items[i]->holders, 1);
    hold(copy, program->params.items[i]);
  }
  return copy;
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

static param_record *create_record(pir_context *ctx, const pir_param *param) {
  size_t dims = param->shape.rank * sizeof(int64_t);
  param_record *record = malloc(sizeof *record + dims + param->name.size + 1);
  if (!record)
    pir_arena_fail(&ctx->arena);
  record->param = *param;
  atomic_init(&record->holders, 1);
  if (dims)
    memcpy(record->dims, param->shape.dims, dims);
  record->param.shape.dims = record->dims;
  char *name = (char *)record->dims + dims;
  if (param->name.size)
    memcpy(name, param->name.data, param->name.size);
  name[param->name.size] = 0;
  record->param.name.data = name;
  return record;
}

static param_record *find_record(const pir_program *program, pir_str name) {
  return pir_map_get(&program->by_name, pir_name_get(program->ctx, name));
}

void pir_program_adopt_param(pir_program *program, const pir_param *param) {
  param_record *record = create_record(program->ctx, param);
  pir_program_drop_param(program, param->name);
  hold(program, record);
  program->sorted = false;
}

const pir_param *pir_program_param(const pir_program *program, pir_str name) {
  param_record *record = find_record(program, name);
  return record ? &record->param : NULL;
}

size_t pir_program_params(const pir_program *program) {
  return program->params.count;
}

static int compare_records(const void *a, const void *b) {
  pir_str x = (*(param_record *const *)a)->param.name,
          y = (*(param_record *const *)b)->param.name;
  int order = memcmp(x.data, y.data, x.size < y.size ? x.size : y.size);
  return order ? order : (x.size > y.size) - (x.size < y.size);
}

const pir_param *pir_program_param_at(const pir_program *program, size_t i) {
  if (i >= program->params.count)
    return NULL;
  if (!program->sorted) {
    qsort(program->params.items, program->params.count, sizeof *program->params.items,
          compare_records);
    ((pir_program *)program)->sorted = true;
  }
  return &program->params.items[i]->param;
}

void pir_param_retain(const pir_param *param) {
  atomic_fetch_add(&((param_record *)param)->holders, 1);
}

void pir_param_release(const pir_param *param) {
  drop_record((param_record *)param);
}

void pir_program_drop_param(pir_program *program, pir_str name) {
  param_record *record = find_record(program, name);
  if (!record)
    return;
  size_t i = 0;
  while (program->params.items[i] != record)
    i++;
  program->params.count--;
  memmove(program->params.items + i, program->params.items + i + 1,
          (program->params.count - i) * sizeof record);
  pir_map_remove(&program->by_name, pir_name_get(program->ctx, name));
  drop_record(record);
}
