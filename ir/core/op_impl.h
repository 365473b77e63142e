// The memory layout of ops, values, blocks and regions. Private to ir/.
//
// An op is one allocation:
//
//   result n-1 ... result 1, result 0 | header | attributes | operands | regions
//
// So a result finds its op from its number, and the parts behind the header are found from
// counts.
#ifndef PIR_OP_IMPL_H
#define PIR_OP_IMPL_H

#include <pir/compiler/block.h>

#include <context_impl.h>

struct pir_value {
  const pir_type *type;
  pir_use *uses;
  uint32_t index;
  bool is_argument;
};

struct pir_use {
  pir_value *value;
  pir_op *owner;
  pir_use *next, **prev;  // `prev` is the link that points here
};

struct pir_region {
  pir_op *op;
  pir_block *first, *last;
};

struct pir_op {
  const pir_op_info *info;
  pir_op *next, *prev;
  pir_block *block;
  pir_loc loc;
  uint64_t mark;
  const pir_dict *extra;  // undeclared attributes, or NULL
  uint32_t order;         // position key, when the block's are valid
  uint32_t operand_count, result_count, region_count;
  const pir_attr *attrs[];
};

// Returns the name of the first parameter that the op reads, or "".
pir_str pir_op_parameter(const pir_op *op);

typedef struct pir_argument {
  pir_value value;
  pir_block *block;
  pir_name *keyword;  // NULL: positional
  const pir_dict *attrs;
} pir_argument;

struct pir_block {
  pir_region *region;
  pir_block *next, *prev;
  pir_op *first, *last;
  size_t count, number;  // number of ops; index among the blocks of the region
  bool ordered;          // the ops' `order` numbers ascend
  // An op whose position in its block is known, or NULL; kept up to date under insertions and
  // removals.
  const pir_op *counted;
  size_t position;
  PIR_VEC(pir_argument *) args;
  // While the verifier is inside: the op it has reached, the nesting depth, and the smallest
  // depth that is visible from here.
  const pir_op *at;
  uint32_t depth, floor;
};

static inline pir_context *op_context(const pir_op *op) {
  return op->info->ctx;
}
static inline size_t op_attr_slots(const pir_op *op) {
  return op->info->def->attr_count;
}
static inline pir_use *op_uses(const pir_op *op) {
  return (pir_use *)(op->attrs + op_attr_slots(op));
}
static inline pir_region *op_regions(const pir_op *op) {
  return (pir_region *)(op_uses(op) + op->operand_count);
}
static inline pir_value *op_result(const pir_op *op, size_t i) {
  return (pir_value *)op - 1 - i;
}
static inline pir_op *value_op(const pir_value *value) {
  return (pir_op *)(value + value->index + 1);
}

static inline size_t op_bytes(size_t results, size_t attrs, size_t operands, size_t regions) {
  return results * sizeof(pir_value) + sizeof(pir_op) + attrs * sizeof(pir_attr *) +
         operands * sizeof(pir_use) + regions * sizeof(pir_region);
}

static inline void link_use(pir_use *use, pir_value *value) {
  use->value = value;
  if (!value)
    return;
  use->next = value->uses;
  use->prev = &value->uses;
  if (use->next)
    use->next->prev = &use->next;
  value->uses = use;
}

static inline void unlink_use(pir_use *use) {
  if (!use->value)
    return;
  *use->prev = use->next;
  if (use->next)
    use->next->prev = use->prev;
  use->value = NULL;
}

// The op after `op` in pre-order below `root`, without a stack: down into the first region,
// else along, else up. NULL ends. `skip` leaves out the regions of `op`.
pir_op *pir_walk_next(const pir_op *root, const pir_op *op, bool skip);
// First op of the post-order below `root` (root itself when it holds none), and the one after
// `op`.
pir_op *pir_walk_deepest(pir_op *root);
pir_op *pir_walk_next_post(const pir_op *root, const pir_op *op);

// Returns the number of ops before `op` in its block. Asking for consecutive ops costs as much
// as one walk.
size_t pir_op_position(const pir_op *op);

void pir_block_link(pir_block *block, pir_op *before, pir_op *op);
void pir_block_unlink(pir_op *op);
// Frees a block whose ops are gone.
void pir_block_release(pir_context *ctx, pir_block *block);

#endif
