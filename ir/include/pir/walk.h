// Walks over nested ops without recursion on nesting depth; and dominance.
#ifndef PIR_WALK_H
#define PIR_WALK_H

#include <pir/block.h>

PIR_BEGIN

typedef enum pir_walk_order { PIR_PRE_ORDER, PIR_POST_ORDER } pir_walk_order;
typedef enum pir_walk_result {
  PIR_WALK_CONTINUE,
  PIR_WALK_SKIP,
  PIR_WALK_STOP
} pir_walk_result;
typedef pir_walk_result (*pir_walk_fn)(pir_op *op, void *user);

// Visits `root` and every op below it. SKIP (pre-order) leaves out the regions. In post-order
// the visited op may be erased. Returns STOP when stopped, else CONTINUE.
PIR_API pir_walk_result pir_walk(pir_op *root, pir_walk_order order, pir_walk_fn visit,
                                 void *user);

// Whether `value` may be read by `user`: defined before it in the same block or in an enclosing
// one.
PIR_API bool pir_value_dominates(const pir_value *value, const pir_op *user);
// The op in `block` that is `op` or holds it; NULL when there is none.
PIR_API pir_op *pir_block_ancestor(const pir_block *block, const pir_op *op);

PIR_END
#endif
