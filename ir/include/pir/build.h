// Builder: an insertion point that creates ops. Generated dialect headers build on it.
#ifndef PIR_BUILD_H
#define PIR_BUILD_H

#include <pir/block.h>

PIR_BEGIN

typedef struct pir_builder {
  pir_context *ctx;
  pir_block *block;
  pir_op *before;  // NULL: at the end of `block`
  pir_loc loc;     // given to new ops
  // Told of every op inserted; passes hook in here. May be NULL.
  void (*inserted)(void *user, pir_op *op);
  void *user;
} pir_builder;

PIR_API pir_builder pir_builder_at_end(pir_block *block);
PIR_API pir_builder pir_builder_before(pir_op *op);
PIR_API pir_builder pir_builder_after(pir_op *op);

// Creates and inserts. When spec->loc is unknown the builder's is used.
PIR_API pir_op *pir_build(pir_builder *b, const pir_op_spec *spec);

PIR_END
#endif
