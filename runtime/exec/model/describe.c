// Notes the origin of a model, as its program states it, and the program's ops and
// parameters as they were loaded. O(ops).
#include "model_impl.h"

#include <map.h>
#include <pir/compiler/program.h>
#include <pir/compiler/walk.h>
#include <stdlib.h>

typedef struct op_counter {
  pir_arena memory;
  pir_map numbers;  // of names, from 1
  pir_op_count *counts;
  uint32_t count, capacity;
  uint64_t ops;
} op_counter;

static pir_walk_result count_op(pir_op *op, void *user) {
  op_counter *c = user;
  pir_str name = pir_op_name(op);
  if (!pir_op_parent(op))
    return PIR_WALK_CONTINUE;  // the module
  // Names are unique in a context.
  uint64_t *number = pir_map_place(&c->memory, &c->numbers, name.data, 0);
  if (!*number) {
    *ARRAY_PUSH(&c->memory, c->counts, c->count, c->capacity) =
        (pir_op_count){.name = pir_arena_text(&c->memory, name)};
    *number = c->count;
  }
  c->counts[*number - 1].count++;
  c->ops++;
  return PIR_WALK_CONTINUE;
}

static int by_name(const void *x, const void *y) {
  const pir_op_count *a = x, *b = y;
  return pir_str_compare(a->name, b->name);
}

static pir_str version_text(pir_arena *memory, uint64_t major, uint64_t minor, uint64_t patch) {
  char text[72];
  size_t size = pir_text_format(text, sizeof text, "%llu.%llu.%llu", (unsigned long long)major,
                                (unsigned long long)minor, (unsigned long long)patch);
  return pir_arena_text(memory, (pir_str){text, size});
}

void pir_model_describe(pir_model *model, const pir_program *program) {
  pir_program_info origin = pir_program_info_of(program);
  model_metadata *m = &model->metadata;
  op_counter c = {0};
  pir_arena *memory = &c.memory;
  uint32_t library = pir_version();
  pir_arena_init(memory, &model->heap);
  pir_walk(pir_program_module(program), PIR_PRE_ORDER, count_op, &c);
  if (c.count)
    qsort(c.counts, c.count, sizeof *c.counts, by_name);
  m->counts = c.counts;
  m->info = (pir_model_info){
      .format = pir_arena_text(memory, origin.format),
      .format_version = origin.version,
      .framework_version = PIR_STR(""),
      .library_version = version_text(memory, library >> 16, library >> 8 & 255, library & 255),
      .ops = c.ops,
      .op_names = c.count,
      .params = pir_program_params(program),
      .machine = PIR_STR("")};
  for (size_t i = 0; i < m->info.params; i++)
    m->info.param_bytes += pir_program_param_at(program, i)->size;
  // Paddle writes its version as a number, and 0 where it was built without one.
  uint64_t number = origin.version > 0 ? (uint64_t)origin.version : 0;
  if (number && pir_str_equal(origin.format, PIR_STR("pdmodel")))
    m->info.framework_version =
        version_text(memory, number / 1000000, number / 1000 % 1000, number % 1000);
}
