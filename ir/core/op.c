// Ops: creation, destruction, attributes. Creating an op costs one allocation, a copy of the
// spec's contents and one link for each operand. Destruction walks nested regions along parent
// pointers, so depth uses no stack.

#include <pir/compiler/op.h>

#include <op_impl.h>

#include <assert.h>
#include <string.h>

// ---- creation

// Position of a declared attribute, or -1. Readers give attributes in name order, so the hint
// mostly hits.
static int find_slot_near(const pir_op_info *info, pir_name *name, size_t hint) {
  size_t n = info->def->attr_count;
  if (hint < n && info->attr_names[info->def->attr_order[hint]] == name)
    return info->def->attr_order[hint];
  for (size_t i = 0; i < n; i++)
    if (info->attr_names[i] == name)
      return (int)i;
  return -1;
}

// Insertion sort: the attributes are few and mostly in order. Of equal names the later one
// wins.
static void insert_extra(pir_named_attr *entries, size_t *count, pir_named_attr entry) {
  size_t at = *count;
  while (at && pir_name_compare(entries[at - 1].name, entry.name) > 0)
    at--;
  if (at && entries[at - 1].name == entry.name) {
    entries[at - 1] = entry;
    return;
  }
  memmove(entries + at + 1, entries + at, (*count - at) * sizeof *entries);
  entries[at] = entry;
  ++*count;
}

static void fill_attrs(pir_op *op, const pir_op_spec *spec) {
  enum { INLINE = 16 };
  pir_arena *arena = &op_context(op)->arena;
  pir_named_attr room[INLINE], *extra = room;
  size_t extra_count = 0, hint = 0;
  if (spec->attr_count > INLINE)
    extra = pir_arena_alloc(arena, pir_arena_size(arena, spec->attr_count, sizeof *extra));
  for (size_t i = 0; i < spec->attr_count; i++) {
    if (!spec->attrs[i].value)
      continue;
    int slot = find_slot_near(op->info, spec->attrs[i].name, hint);
    if (slot < 0) {
      insert_extra(extra, &extra_count, spec->attrs[i]);
    } else {
      op->attrs[slot] = spec->attrs[i].value;
      hint++;
    }
  }
  if (extra_count)
    op->extra = pir_dict_get(op_context(op), extra, extra_count);
  if (extra != room)
    pir_arena_free(arena, extra, spec->attr_count * sizeof *extra);
}

static pir_op *allocate(const pir_op_info *info, size_t results, size_t operands,
                        size_t regions) {
  pir_arena *arena = &info->ctx->arena;
  size_t attrs = info->def->attr_count;
  char *memory = pir_arena_alloc(arena, op_bytes(results, attrs, operands, regions));
  pir_op *op = (pir_op *)(memory + results * sizeof(pir_value));
  *op = (pir_op){.info = info,
                 .operand_count = (uint32_t)operands,
                 .result_count = (uint32_t)results,
                 .region_count = (uint32_t)regions};
  for (size_t i = 0; i < attrs; i++)
    op->attrs[i] = NULL;
  for (size_t i = 0; i < regions; i++)
    op_regions(op)[i] = (pir_region){.op = op};
  return op;
}

pir_op *pir_op_create(pir_context *ctx, const pir_op_spec *spec) {
  const pir_op_info *info = pir_context_info(ctx, spec->def);
  assert(info->ctx == ctx);
  pir_heap_poll(&ctx->heap);
  pir_op *op = allocate(info, spec->result_count, spec->operand_count, spec->region_count);
  op->loc = spec->loc;
  for (size_t i = 0; i < spec->result_count; i++)
    *op_result(op, i) = (pir_value){.type = spec->result_types[i], .index = (uint32_t)i};
  if (spec->attr_count)
    fill_attrs(op, spec);
  // Links uses last, when all memory is allocated: an op that fails to be created reads
  // nothing.
  pir_use *uses = op_uses(op);
  for (size_t i = 0; i < spec->operand_count; i++) {
    uses[i].owner = op;
    link_use(&uses[i], spec->operands[i]);
  }
  return op;
}

// ---- destruction

static void drop_operands(pir_op *op) {
  pir_use *uses = op_uses(op);
  for (size_t i = 0; i < op->operand_count; i++)
    unlink_use(&uses[i]);
}

static void release_blocks(pir_op *op) {
  for (size_t i = 0; i < op->region_count; i++)
    for (pir_block *block = op_regions(op)[i].first, *next; block; block = next) {
      next = block->next;
      pir_block_release(op_context(op), block);
    }
}

static void release_op(pir_op *op) {
  size_t bytes =
      op_bytes(op->result_count, op_attr_slots(op), op->operand_count, op->region_count);
  pir_arena_free(&op_context(op)->arena, (pir_value *)op - op->result_count, bytes);
}

void pir_op_destroy(pir_op *op) {
  assert(!op->block);
  if (op->region_count) {
    // Drops all operands first, because nested ops may read each other in any order.
    for (pir_op *o = op; o; o = pir_walk_next(op, o, false))
      drop_operands(o);
    for (pir_op *o = pir_walk_deepest(op), *next; o != op; o = next) {
      next = pir_walk_next_post(op, o);
      release_blocks(o);
      release_op(o);
    }
    release_blocks(op);
  } else {
    drop_operands(op);
  }
  assert(pir_op_unused(op));
  release_op(op);
}

void pir_op_erase(pir_op *op) {
  pir_op_detach(op);
  pir_op_destroy(op);
}

void pir_op_detach(pir_op *op) {
  if (op->block)
    pir_block_unlink(op);
}

void pir_op_move_before(pir_op *op, pir_op *other) {
  if (op == other)
    return;
  pir_op_detach(op);
  pir_block_link(other->block, other, op);
}

// ---- plain queries

pir_context *pir_op_context(const pir_op *op) {
  return op_context(op);
}
const pir_opdef *pir_op_def(const pir_op *op) {
  return op->info->def;
}
pir_str pir_op_name(const pir_op *op) {
  return pir_name_str(op->info->name);
}
bool pir_op_is(const pir_op *op, uint32_t op_id) {
  return op->info->def->id == op_id;
}
bool pir_op_has(const pir_op *op, uint32_t traits) {
  return (op->info->def->traits & traits) == traits;
}
bool pir_op_has_any(const pir_op *op, uint32_t traits) {
  return (op->info->def->traits & traits) != 0;
}
pir_loc pir_op_loc(const pir_op *op) {
  return op->loc;
}
uint64_t pir_op_mark(const pir_op *op) {
  return op->mark;
}
void pir_op_set_mark(pir_op *op, uint64_t mark) {
  op->mark = mark;
}

pir_block *pir_op_block(const pir_op *op) {
  return op->block;
}
pir_op *pir_op_parent(const pir_op *op) {
  return op->block ? op->block->region->op : NULL;
}
pir_op *pir_op_next(const pir_op *op) {
  return op->next;
}
pir_op *pir_op_prev(const pir_op *op) {
  return op->prev;
}

size_t pir_op_operands(const pir_op *op) {
  return op->operand_count;
}

pir_use *pir_op_operand_use(const pir_op *op, size_t i) {
  assert(i < op->operand_count);
  return &op_uses(op)[i];
}

pir_value *pir_op_operand(const pir_op *op, size_t i) {
  return pir_op_operand_use(op, i)->value;
}
void pir_op_set_operand(pir_op *op, size_t i, pir_value *value) {
  pir_use_set(pir_op_operand_use(op, i), value);
}

pir_op *pir_op_operand_op(const pir_op *op, size_t i) {
  pir_value *value = pir_op_operand(op, i);
  return value ? pir_value_op(value) : NULL;
}

size_t pir_op_results(const pir_op *op) {
  return op->result_count;
}

pir_value *pir_op_result(const pir_op *op, size_t i) {
  assert(i < op->result_count);
  return op_result(op, i);
}

bool pir_op_unused(const pir_op *op) {
  for (size_t i = 0; i < op->result_count; i++)
    if (op_result(op, i)->uses)
      return false;
  return true;
}

size_t pir_op_regions(const pir_op *op) {
  return op->region_count;
}

pir_region *pir_op_region(const pir_op *op, size_t i) {
  assert(i < op->region_count);
  return &op_regions(op)[i];
}
