// What ops in place write over. A result in place is another name of its operand's memory; a
// block argument, a result of control flow or of an op of no dialect may be a name of any
// memory. Ops have odd positions in the order of the text, regions in front of the op that
// holds them; an op that was made later lies at an even one, in front of the next op that has
// one.
#include "dist.h"

#include <effects.h>
#include <pir/compiler/dialect/builtin.h>
#include <pir/compiler/dialect/dist.h>
#include <pir/compiler/dialect/pd_op.h>

enum { ANY_MEMORY = 0 };

static size_t new_memory(dist_writes *w, const pir_value *value) {
  dist_memory memory = {0};
  if (value)
    pir_vec_push(w->arena, &memory.names, value);
  pir_vec_push(w->arena, &w->memories, memory);
  return w->memories.count - 1;
}

// Returns the number of the memory; SIZE_MAX: no op writes it or names it again.
static size_t find_memory(const dist_writes *w, const pir_value *value) {
  if (!pir_value_op(value))
    return ANY_MEMORY;
  const uint64_t *known = pir_map_find(&w->numbers, value);
  return known ? (size_t)*known : SIZE_MAX;
}

static size_t memory_of(dist_writes *w, const pir_value *value) {
  size_t found = find_memory(w, value);
  if (found != SIZE_MAX)
    return found;
  found = new_memory(w, value);
  pir_map_put(w->arena, &w->numbers, value, found);
  return found;
}

static void name_again(dist_writes *w, const pir_value *name, const pir_value *value) {
  size_t memory = value ? memory_of(w, value) : ANY_MEMORY;
  pir_map_put(w->arena, &w->numbers, name, memory);
  if (memory != ANY_MEMORY)
    pir_vec_push(w->arena, &w->memories.items[memory].names, name);
}

// Returns builtin.combine that made the list, also if ops in place changed it since; or NULL.
static pir_op *made_by_combine(dist_writes *w, const pir_value *list) {
  size_t memory = memory_of(w, list);
  pir_op *op =
      memory == ANY_MEMORY ? NULL : pir_value_op(w->memories.items[memory].names.items[0]);
  return op && pir_op_is(op, BUILTIN_COMBINE) ? op : NULL;
}

static void push_write(dist_writes *w, const pir_value *over, uint64_t at) {
  const pir_op *made = pir_value_op(over);
  const uint64_t *position = made ? pir_map_find(&w->positions, made) : NULL;
  dist_write write = {at, position ? *position : 0};
  size_t memory = memory_of(w, over);
  pir_vec_push(w->arena, &w->memories.items[memory].writes, write);
  pir_vec_push(w->arena, &w->all, write);
}

static void note_written_memory(dist_writes *w, const pir_value *over, uint64_t at) {
  pir_op *list = made_by_combine(w, over);
  for (size_t i = 0; list && i < pir_op_operands(list); i++)
    if (pir_op_operand(list, i))
      push_write(w, pir_op_operand(list, i), at);
  push_write(w, over, at);
}

static void note_split(dist_writes *w, const pir_op *op) {
  pir_value *list = pir_op_optional(op, 0);
  pir_op *made = list ? made_by_combine(w, list) : NULL;
  for (size_t i = 0; i < pir_op_results(op); i++)
    name_again(w, pir_op_result(op, i), made ? pir_op_optional(made, i) : NULL);
}

static bool only_names(const pir_op *op) {
  return pir_op_is(op, PD_SHARE_DATA_) || pir_op_is(op, DIST_DTENSOR_TO_LOCAL) ||
         pir_op_is(op, DIST_DTENSOR_FROM_LOCAL);
}

static void note_memory_of_op(dist_writes *w, const pir_op *op, uint64_t at) {
  const pir_opdef *def = pir_op_def(op);
  bool any = !pir_op_has(op, PIR_REGISTERED) || pir_op_regions(op) ||
             pir_op_is(op, DIST_MOE_SUB_MESH_TENSORS) ||
             pir_op_is(op, DIST_MOE_GLOBAL_MESH_TENSOR);
  pir_map_put(w->arena, &w->positions, op, at);
  for (size_t i = 0; any && i < pir_op_results(op); i++)
    name_again(w, pir_op_result(op, i), NULL);
  for (size_t i = 0; i < pir_op_operands(op) && !pir_op_has(op, PIR_REGISTERED); i++)
    if (pir_op_operand(op, i))
      note_written_memory(w, pir_op_operand(op, i), at);
  if (pir_op_is(op, BUILTIN_SPLIT)) {
    note_split(w, op);
  } else if (only_names(op) && pir_op_results(op) == 1) {
    name_again(w, pir_op_result(op, 0), pir_op_optional(op, 0));
  } else {
    for (size_t i = 0; i < def->inplace_count && pir_op_has(op, PIR_INPLACE); i++) {
      pir_inplace_pair pair = def->inplace[i];
      pir_value *over = pir_op_optional(op, pair.operand);
      if (!over)
        continue;
      note_written_memory(w, over, at);
      if (pair.result < pir_op_results(op))
        name_again(w, pir_op_result(op, pair.result), over);
    }
  }
}

void dist_writes_begin(dist_state *d, const dist_ops *ops) {
  d->writes = (dist_writes){.arena = d->arena};
  new_memory(&d->writes, NULL);
  for (size_t i = 0; i < ops->count; i++)
    note_memory_of_op(&d->writes, ops->items[i], 2 * (uint64_t)i + 1);
}

void dist_writes_end(dist_state *d) {
  dist_writes *w = &d->writes;
  for (size_t i = 0; i < w->memories.count; i++) {
    pir_vec_free(w->arena, &w->memories.items[i].writes);
    pir_vec_free(w->arena, &w->memories.items[i].names);
  }
  pir_vec_free(w->arena, &w->memories);
  pir_vec_free(w->arena, &w->all);
  pir_map_free(w->arena, &w->numbers);
  pir_map_free(w->arena, &w->positions);
}

void dist_writes_forget(dist_writes *w, const pir_op *op) {
  pir_map_remove(&w->positions, op);
  for (size_t i = 0; i < pir_op_results(op); i++) {
    const pir_value *result = pir_op_result(op, i);
    size_t memory = find_memory(w, result), kept = 0;
    if (memory == SIZE_MAX)
      continue;
    dist_memory *m = &w->memories.items[memory];
    for (size_t k = 0; k < m->names.count; k++)
      if (m->names.items[k] != result)
        m->names.items[kept++] = m->names.items[k];
    m->names.count = kept;
    pir_map_remove(&w->numbers, result);
  }
}

uint64_t dist_position(const dist_writes *w, const pir_op *op) {
  const uint64_t *known = pir_map_find(&w->positions, op);
  if (known)
    return *known;
  while (op && !known) {
    const pir_op *next = pir_op_next(op);
    op = next ? next : pir_block_parent_op(pir_op_block(op));
    known = op ? pir_map_find(&w->positions, op) : NULL;
  }
  return known ? *known - 1 : DIST_END;
}

static bool some_between(const dist_write *writes, size_t count, uint64_t from, uint64_t to) {
  size_t low = 0, high = count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (writes[middle].at > from)
      high = middle;
    else
      low = middle + 1;
  }
  return low < count && writes[low].at < to;
}

bool dist_written_between(const dist_writes *w, const pir_value *value, uint64_t from,
                          uint64_t to) {
  size_t memory = find_memory(w, value);
  if (memory == ANY_MEMORY)
    return some_between(w->all.items, w->all.count, from, to);
  const dist_memory *any = &w->memories.items[ANY_MEMORY];
  if (some_between(any->writes.items, any->writes.count, from, to))
    return true;
  const dist_memory *own = memory == SIZE_MAX ? NULL : &w->memories.items[memory];
  return own && some_between(own->writes.items, own->writes.count, from, to);
}

bool dist_holds_still(const dist_writes *w, const pir_value *value, const pir_op *from,
                      const pir_op *to) {
  const pir_op *at = pir_block_ancestor(pir_op_block(from), to);
  return at && !dist_written_between(w, value, dist_position(w, from), dist_position(w, at));
}

const dist_memory *dist_memory_of(const dist_writes *w, const pir_value *value) {
  size_t memory = find_memory(w, value);
  return memory == SIZE_MAX || memory == ANY_MEMORY ? NULL : &w->memories.items[memory];
}
