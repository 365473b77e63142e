// The builder: an insertion point at which ops are created. One thread at a time, as for the
// context.
#ifndef PIR_BUILD_H
#define PIR_BUILD_H

#include <pir/compiler/block.h>

PIR_BEGIN

// An insertion point. A plain struct: callers may copy and change it.
typedef struct pir_builder {
  // The context of `block`.
  pir_context *ctx;
  // The block that gets the new ops.
  pir_block *block;
  // New ops go in front of this op of `block`; NULL: at its end.
  pir_op *before;
  // The location of new ops whose spec has none.
  pir_loc loc;
  // Called with every op after it was inserted; NULL: nobody.
  void (*inserted)(void *user, pir_op *op);
  // Handed to `inserted`.
  void *user;
} pir_builder;

// Returns a builder at the end of a block, without a location.
PIR_API pir_builder pir_builder_at_end(pir_block *block);
// Returns a builder in front of an op, with the op's location.
PIR_API pir_builder pir_builder_before(pir_op *op);
// Returns a builder behind an op, with the op's location. Ops made with it keep their order.
PIR_API pir_builder pir_builder_after(pir_op *op);

// Creates an op at the insertion point and returns it; the block owns it. Nothing is checked.
PIR_API pir_op *pir_build(pir_builder *b, const pir_op_spec *spec);

PIR_END
#endif
