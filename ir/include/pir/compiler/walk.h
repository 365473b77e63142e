// Walks over nested ops, which need no stack however deep regions nest; and dominance.
#ifndef PIR_WALK_H
#define PIR_WALK_H

#include <pir/compiler/block.h>

PIR_BEGIN

// Whether an op is visited before or after the ops in its regions.
typedef enum pir_walk_order { PIR_PRE_ORDER = 0, PIR_POST_ORDER = 1 } pir_walk_order;

// How a walk goes on after a visit.
typedef enum pir_walk_result {
  // Visit the next op.
  PIR_WALK_CONTINUE = 0,
  // Pre-order only: leave out the regions of the visited op.
  PIR_WALK_SKIP = 1,
  // End the walk.
  PIR_WALK_STOP = 2
} pir_walk_result;

// Visits one op; `user` is the last argument of pir_walk.
typedef pir_walk_result (*pir_walk_fn)(pir_op *op, void *user);

// Visits `root` and every op below it. A visit in post-order may erase the visited op; a visit
// in pre-order must not. Returns PIR_WALK_STOP when a visit did, else PIR_WALK_CONTINUE.
// O(ops).
PIR_API pir_walk_result pir_walk(pir_op *root, pir_walk_order order, pir_walk_fn visit,
                                 void *user);

// Whether `user` may read `value`: the value is defined before it in the same block or in an
// enclosing one. O(depth).
PIR_API bool pir_value_dominates(const pir_value *value, const pir_op *user);
// Returns the op of `block` that is `op` or holds it in its regions; NULL when `op` lies
// outside.
PIR_API pir_op *pir_block_ancestor(const pir_block *block, const pir_op *op);

PIR_END
#endif
