// Deep copies. Source and copy are walked in parallel along parent pointers. Operands are
// mapped on the way. Only if an op reads a value before its definition was copied (in invalid
// or cyclic programs), a second walk sets the remaining operands.

#include <pir/compiler/op.h>

#include <op_impl.h>

#include <assert.h>
#include <string.h>

struct pir_value_map {
  pir_context *ctx;
  pir_map values;
};

pir_value_map *pir_value_map_create(pir_context *ctx) {
  pir_value_map *map = pir_arena_zalloc(&ctx->arena, sizeof *map);
  map->ctx = ctx;
  return map;
}

void pir_value_map_destroy(pir_value_map *map) {
  if (!map)
    return;
  pir_map_free(&map->ctx->arena, &map->values);
  pir_arena_free(&map->ctx->arena, map, sizeof *map);
}

void pir_value_map_set(pir_value_map *map, const pir_value *from, pir_value *to) {
  pir_map_put(&map->ctx->arena, &map->values, from, (uintptr_t)to);
}

pir_value *pir_value_map_find(const pir_value_map *map, const pir_value *from) {
  return pir_map_get(&map->values, from);
}

typedef struct cloner {
  pir_value_map *map;  // NULL: an op without regions is copied as it is
  bool early;          // an operand was not in the map
} cloner;

static pir_value *mapped(cloner *c, pir_value *value) {
  if (!value || !c->map)
    return value;
  pir_value *to = pir_value_map_find(c->map, value);
  if (!to)
    c->early = true;
  return to ? to : value;
}

// Copies the op without the contents of its regions.
static pir_op *copy_op(cloner *c, const pir_op *op) {
  size_t results = op->result_count;
  size_t bytes = op_bytes(results, op_attr_slots(op), op->operand_count, op->region_count);
  pir_value *memory =
      pir_arena_copy(&op_context(op)->arena, (const pir_value *)op - results, bytes);
  pir_op *copy = (pir_op *)(memory + results);
  copy->next = copy->prev = NULL;
  copy->block = NULL;
  copy->mark = 0;
  for (size_t i = 0; i < results; i++) {
    op_result(copy, i)->uses = NULL;
    if (c->map)
      pir_value_map_set(c->map, op_result(op, i), op_result(copy, i));
  }
  pir_use *uses = op_uses(copy);
  for (size_t i = 0; i < op->operand_count; i++) {
    uses[i].owner = copy;
    link_use(&uses[i], mapped(c, uses[i].value));
  }
  for (size_t i = 0; i < op->region_count; i++)
    op_regions(copy)[i] = (pir_region){.op = copy};
  return copy;
}

static void copy_block(cloner *c, const pir_block *from, pir_region *to) {
  pir_block *block = pir_region_append_block(to);
  for (size_t i = 0; i < from->args.count; i++) {
    const pir_argument *arg = from->args.items[i];
    pir_value *copy =
        arg->keyword
            ? pir_block_add_keyword_argument(block, pir_name_str(arg->keyword), arg->value.type)
            : pir_block_add_argument(block, arg->value.type);
    ((pir_argument *)copy)->attrs = arg->attrs;
    pir_value_map_set(c->map, &arg->value, copy);
  }
}

static void copy_blocks(cloner *c, const pir_op *op, pir_op *copy) {
  for (size_t i = 0; i < op->region_count; i++)
    for (const pir_block *block = op_regions(op)[i].first; block; block = block->next)
      copy_block(c, block, &op_regions(copy)[i]);
}

// A position in the source and the corresponding copy: `at` is in the block whose copy is
// `block`.
typedef struct cursor {
  const pir_op *at;
  pir_block *block;
} cursor;

// Moves to the next op of the source in pre-order and finds the block of the copy it goes to.
// Blocks of source and copy correspond one to one, so stepping in one steps in the other.
static bool first_in(cursor *c, const pir_region *from, const pir_region *to, size_t regions) {
  for (size_t i = 0; i < regions; i++) {
    pir_block *image = to[i].first;
    for (const pir_block *block = from[i].first; block;
         block = block->next, image = image->next)
      if (block->first) {
        *c = (cursor){block->first, image};
        return true;
      }
  }
  return false;
}

static bool next_in_region(cursor *c) {
  const pir_block *block = c->at->block->next;
  pir_block *image = c->block->next;
  for (; block; block = block->next, image = image->next)
    if (block->first) {
      *c = (cursor){block->first, image};
      return true;
    }
  return false;
}

static bool advance(cursor *c, const pir_op *root, const pir_op *copy) {
  if (c->at->region_count &&
      first_in(c, op_regions(c->at), op_regions(copy), c->at->region_count))
    return true;
  for (;;) {
    if (c->at == root)
      return false;
    if (c->at->next) {
      c->at = c->at->next;
      return true;
    }
    if (next_in_region(c))
      return true;
    const pir_region *region = c->at->block->region;
    const pir_op *parent = region->op, *image = c->block->region->op;
    size_t after = pir_region_index(region) + 1;
    if (first_in(c, op_regions(parent) + after, op_regions(image) + after,
                 parent->region_count - after))
      return true;
    *c = (cursor){parent, image->block};
  }
}

static void set_early_operands(cloner *c, pir_op *root) {
  for (pir_op *op = root; op; op = pir_walk_next(root, op, false))
    for (size_t i = 0; i < op->operand_count; i++)
      pir_use_set(&op_uses(op)[i], mapped(c, op_uses(op)[i].value));
}

static pir_op *clone_tree(cloner *c, const pir_op *root) {
  pir_op *image = copy_op(c, root), *copy = image;
  copy_blocks(c, root, copy);
  for (cursor at = {root, NULL}; advance(&at, root, copy);) {
    copy = copy_op(c, at.at);
    pir_block_link(at.block, NULL, copy);
    copy_blocks(c, at.at, copy);
  }
  if (c->early)
    set_early_operands(c, image);
  return image;
}

pir_op *pir_op_clone(const pir_op *op, pir_value_map *map) {
  cloner c = {.map = map};
  if (!op->region_count)
    return copy_op(&c, op);
  if (map)
    return clone_tree(&c, op);
  c.map = pir_value_map_create(op_context(op));
  pir_op *copy = clone_tree(&c, op);
  pir_value_map_destroy(c.map);
  return copy;
}
