// The builder: sets the location of new ops and informs listeners.

#include <pir/compiler/build.h>

#include <op_impl.h>

pir_builder pir_builder_at_end(pir_block *block) {
  return (pir_builder){.ctx = op_context(block->region->op), .block = block};
}

pir_builder pir_builder_before(pir_op *op) {
  return (pir_builder){.ctx = op_context(op), .block = op->block, .before = op, .loc = op->loc};
}

pir_builder pir_builder_after(pir_op *op) {
  return (pir_builder){
      .ctx = op_context(op), .block = op->block, .before = op->next, .loc = op->loc};
}

pir_op *pir_build(pir_builder *b, const pir_op_spec *spec) {
  pir_op *op = pir_op_create(b->ctx, spec);
  if (op->loc == PIR_LOC_UNKNOWN)
    op->loc = b->loc;
  pir_block_link(b->block, b->before, op);
  if (b->inserted)
    b->inserted(b->user, op);
  return op;
}
