// Walks follow parent pointers, so they need no stack: down into regions, along blocks, up at
// the end of a region. Every step is amortised O(1).

#include <pir/compiler/walk.h>

#include <op_impl.h>

// Returns the first op in the blocks from `block` on, or in the regions of `op` from number
// `region` on.
static pir_op *first_from(const pir_op *op, size_t region, const pir_block *block) {
  for (;; region++) {
    for (; block; block = block->next)
      if (block->first)
        return block->first;
    if (region >= op->region_count)
      return NULL;
    block = op_regions(op)[region].first;
  }
}

// Returns the first op after `op` in the remaining blocks and regions of its parent.
static pir_op *along(const pir_op *op) {
  if (op->next)
    return op->next;
  const pir_region *region = op->block->region;
  return first_from(region->op, pir_region_index(region) + 1, op->block->next);
}

pir_op *pir_walk_next(const pir_op *root, const pir_op *op, bool skip) {
  pir_op *next = skip || !op->region_count ? NULL : first_from(op, 0, NULL);
  for (; !next && op != root; op = op->block->region->op)
    next = along(op);
  return next;
}

pir_op *pir_walk_deepest(pir_op *root) {
  for (pir_op *below; root->region_count && (below = first_from(root, 0, NULL));)
    root = below;
  return root;
}

pir_op *pir_walk_next_post(const pir_op *root, const pir_op *op) {
  if (op == root)
    return NULL;
  pir_op *next = along(op);
  return next ? pir_walk_deepest(next) : op->block->region->op;
}

static pir_walk_result walk_pre(pir_op *root, pir_walk_fn visit, void *user) {
  for (pir_op *op = root; op;) {
    pir_walk_result result = visit(op, user);
    if (result == PIR_WALK_STOP)
      return PIR_WALK_STOP;
    op = pir_walk_next(root, op, result == PIR_WALK_SKIP);
  }
  return PIR_WALK_CONTINUE;
}

static pir_walk_result walk_post(pir_op *root, pir_walk_fn visit, void *user) {
  for (pir_op *op = pir_walk_deepest(root), *next; op; op = next) {
    next = pir_walk_next_post(root, op);
    if (visit(op, user) == PIR_WALK_STOP)
      return PIR_WALK_STOP;
  }
  return PIR_WALK_CONTINUE;
}

pir_walk_result pir_walk(pir_op *root, pir_walk_order order, pir_walk_fn visit, void *user) {
  return order == PIR_PRE_ORDER ? walk_pre(root, visit, user) : walk_post(root, visit, user);
}

pir_op *pir_block_ancestor(const pir_block *block, const pir_op *op) {
  while (op && op->block != block)
    op = pir_op_parent(op);
  return (pir_op *)op;
}

bool pir_value_dominates(const pir_value *value, const pir_op *user) {
  const pir_op *at = pir_block_ancestor(pir_value_block(value), user);
  if (!at)
    return false;
  return value->is_argument || (value_op(value) != at && pir_op_is_before(value_op(value), at));
}
