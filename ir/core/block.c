// Blocks and regions: doubly linked lists of ops. Ops carry order numbers with gaps; an
// inserted op takes the middle of its gap. When a gap is used up, the smallest neighbourhood
// with enough room is renumbered, so many insertions at many places cost O(1) each. A block
// without room is renumbered as a whole, at the next query.

#include <pir/compiler/block.h>

#include <op_impl.h>

#include <assert.h>
#include <string.h>

enum { ORDER_STEP = 1 << 6, ORDER_ROOM = 1 << 4 };

// ---- regions

pir_block *pir_region_append_block(pir_region *region) {
  pir_block *block = pir_arena_zalloc(&op_context(region->op)->arena, sizeof *block);
  block->region = region;
  block->ordered = true;
  block->number = region->last ? region->last->number + 1 : 0;
  block->prev = region->last;
  if (region->last)
    region->last->next = block;
  else
    region->first = block;
  region->last = block;
  return block;
}

pir_block *pir_region_first(const pir_region *region) {
  return region->first;
}
size_t pir_region_index(const pir_region *region) {
  return (size_t)(region - op_regions(region->op));
}

// ---- blocks

pir_block *pir_block_next(const pir_block *block) {
  return block->next;
}
pir_region *pir_block_region(const pir_block *block) {
  return block->region;
}
pir_op *pir_block_parent_op(const pir_block *block) {
  return block->region->op;
}
pir_op *pir_block_first(const pir_block *block) {
  return block->first;
}
pir_op *pir_block_last(const pir_block *block) {
  return block->last;
}
size_t pir_block_count(const pir_block *block) {
  return block->count;
}

static pir_context *block_context(const pir_block *block) {
  return op_context(block->region->op);
}

void pir_block_release(pir_context *ctx, pir_block *block) {
  for (size_t i = 0; i < block->args.count; i++)
    pir_arena_free(&ctx->arena, block->args.items[i], sizeof(pir_argument));
  pir_vec_free(&ctx->arena, &block->args);
  pir_arena_free(&ctx->arena, block, sizeof *block);
}

// ---- arguments

static pir_argument *insert_argument(pir_block *block, pir_name *keyword,
                                     const pir_type *type) {
  pir_context *ctx = block_context(block);
  size_t at = block->args.count;
  // Positional arguments stay in front of keyword ones.
  while (!keyword && at && block->args.items[at - 1]->keyword)
    at--;
  pir_argument *arg = pir_arena_zalloc(&ctx->arena, sizeof *arg);
  pir_vec_push(&ctx->arena, &block->args, arg);
  for (size_t i = block->args.count - 1; i > at; i--) {
    block->args.items[i] = block->args.items[i - 1];
    block->args.items[i]->value.index = (uint32_t)i;
  }
  block->args.items[at] = arg;
  arg->value = (pir_value){.type = type, .index = (uint32_t)at, .is_argument = true};
  arg->block = block;
  arg->keyword = keyword;
  return arg;
}

pir_value *pir_block_add_argument(pir_block *block, const pir_type *type) {
  return &insert_argument(block, NULL, type)->value;
}

pir_value *pir_block_add_keyword_argument(pir_block *block, pir_str keyword,
                                          const pir_type *type) {
  return &insert_argument(block, pir_name_get(block_context(block), keyword), type)->value;
}

size_t pir_block_arguments(const pir_block *block) {
  return block->args.count;
}

pir_value *pir_block_argument(const pir_block *block, size_t i) {
  assert(i < block->args.count);
  return &block->args.items[i]->value;
}

pir_str pir_block_argument_keyword(const pir_block *block, size_t i) {
  pir_name *keyword = block->args.items[i]->keyword;
  return keyword ? pir_name_str(keyword) : (pir_str){"", 0};
}

static pir_argument *argument_of(const pir_value *value) {
  assert(value->is_argument);
  return (pir_argument *)value;
}

void pir_block_argument_set_attr(pir_value *argument, pir_name *name, const pir_attr *value) {
  pir_argument *arg = argument_of(argument);
  arg->attrs = pir_dict_set(block_context(arg->block), arg->attrs, name, value);
}

size_t pir_block_argument_attrs(const pir_value *argument) {
  const pir_dict *attrs = argument_of(argument)->attrs;
  return attrs ? attrs->count : 0;
}

pir_named_attr pir_block_argument_attr(const pir_value *argument, size_t i) {
  return argument_of(argument)->attrs->entries[i];
}

// ---- ops

// Renumbers the ops around `op`, doubling their number until there is room between them.
static bool number_around(pir_op *op) {
  pir_op *first = op, *last = op;
  for (uint64_t count = 1, wanted = 16; first->prev || last->next; wanted *= 2) {
    for (; count < wanted && first->prev; count++)
      first = first->prev;
    for (uint64_t more = 0; more < wanted && last->next; more++, count++)
      last = last->next;
    uint64_t low = first->prev ? first->prev->order : 0;
    uint64_t high = last->next ? last->next->order : low + (count + 1) * ORDER_STEP,
             step = (high - low) / (count + 1);
    if (step < ORDER_ROOM || high > UINT32_MAX)
      continue;
    for (pir_op *at = first; at != last->next; at = at->next)
      at->order = (uint32_t)(low += step);
    return true;
  }
  return false;
}

static void number_between(pir_block *block, pir_op *op) {
  if (!block->ordered)
    return;
  uint64_t low = op->prev ? op->prev->order : 0;
  uint64_t high = op->next ? op->next->order : low + 2 * ORDER_STEP;
  if (high - low < 2 || high > UINT32_MAX)
    block->ordered = number_around(op);
  else
    op->order = (uint32_t)(low + (high - low) / 2);
}

// Updates the counts: an op was inserted (1) or is about to be removed (-1).
static void count_before(pir_block *block, const pir_op *op, int change) {
  if (op == block->counted) {
    block->counted = op->prev;
    block->position--;
  } else if (!block->ordered) {
    block->counted = NULL;
  } else if (op->order < block->counted->order) {
    block->position += (size_t)change;
  }
}

// Makes `op` the first of its block, or the one behind `after`.
static void link_behind(pir_block *block, pir_op *after, pir_op *op) {
  if (after)
    after->next = op;
  else
    block->first = op;
}

// Makes `op` the last of its block, or the one ahead of `before`.
static void link_ahead(pir_block *block, pir_op *before, pir_op *op) {
  if (before)
    before->prev = op;
  else
    block->last = op;
}

void pir_block_link(pir_block *block, pir_op *before, pir_op *op) {
  assert(!op->block && (!before || before->block == block));
  pir_op *after = before ? before->prev : block->last;
  op->block = block;
  op->next = before;
  op->prev = after;
  link_behind(block, after, op);
  link_ahead(block, before, op);
  block->count++;
  number_between(block, op);
  if (block->counted)
    count_before(block, op, 1);
}

void pir_block_unlink(pir_op *op) {
  pir_block *block = op->block;
  if (block->counted)
    count_before(block, op, -1);
  link_behind(block, op->prev, op->next);
  link_ahead(block, op->next, op->prev);
  block->count--;
  op->next = op->prev = NULL;
  op->block = NULL;
}

void pir_block_append(pir_block *block, pir_op *op) {
  pir_block_link(block, NULL, op);
}

void pir_block_splice(pir_block *to, pir_op *before, pir_block *from) {
  if (!from->first || to == from)
    return;
  for (pir_op *op = from->first; op; op = op->next)
    op->block = to;
  pir_op *after = before ? before->prev : to->last;
  from->first->prev = after;
  from->last->next = before;
  link_behind(to, after, from->first);
  link_ahead(to, before, from->last);
  to->count += from->count;
  to->ordered = false;
  to->counted = from->counted = NULL;
  from->first = from->last = NULL;
  from->count = 0;
}

static void number_all(pir_block *block) {
  uint64_t step = UINT32_MAX / (block->count + 1), order = 0;
  if (step > ORDER_STEP)
    step = ORDER_STEP;
  for (pir_op *op = block->first; op; op = op->next)
    op->order = (uint32_t)(order += step);
  block->ordered = true;
}

bool pir_op_is_before(const pir_op *a, const pir_op *b) {
  assert(a->block && a->block == b->block);
  if (!a->block->ordered)
    number_all(a->block);
  return a->order < b->order;
}

size_t pir_op_position(const pir_op *op) {
  pir_block *block = op->block;
  const pir_op *at = block->counted ? block->counted : block->first;
  size_t position = block->counted ? block->position : 0;
  bool behind = at != op && pir_op_is_before(at, op);
  for (; behind && at != op; at = at->next)
    position++;
  for (; at != op; at = at->prev)
    position--;
  block->counted = op;
  block->position = position;
  return position;
}
