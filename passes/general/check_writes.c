// Refuses an op that writes an operand in place if a later op reads that operand. A run has a
// tensor for each value, so that such a reader would see the elements from before the write; in
// Paddle it sees the written ones. Readers of the op's result are what programs usually have.
// Arrays are written in place by runs too, and parameters are the state of a program
// (expose_state_pass).
#include "check_writes.h"

#include <effects.h>

// Returns the op of the block that is `op` or holds it, else NULL. Sets *out_loops if a loop
// stands between the two.
static const pir_op *lift_to(const pir_op *op, const pir_block *block, bool *out_loops) {
  while (op && pir_op_block(op) != block) {
    op = pir_op_parent(op);
    *out_loops |= op && pir_op_is_loop(op);
  }
  return op;
}

// Whether a run may read by `reader` after it wrote by `writer`. Both see a value of `home`.
static bool may_follow(const pir_op *writer, const pir_op *reader, const pir_block *home) {
  bool ignored = false, repeats = false;
  for (const pir_op *at = writer; at; at = pir_op_parent(at)) {
    const pir_op *other = lift_to(reader, pir_op_block(at), &ignored);
    if (!other)
      continue;
    if (other != at && pir_op_is_before(at, other))
      return true;
    lift_to(at, home, &repeats);
    return repeats;
  }
  return false;
}

static bool is_carried_in_place(const pir_value *value) {
  const pir_op *source = pir_value_op(value);
  return pir_type_kind_of(pir_value_type(value)) != PIR_TYPE_TENSOR ||
         (source && pir_op_has(source, PIR_PARAMETER));
}

static pir_status check_write(const pir_op *op, size_t operand) {
  const pir_value *value = pir_op_operand(op, operand);
  if (!value || is_carried_in_place(value))
    return PIR_OK;
  PIR_EACH_USE(use, value) {
    const pir_op *reader = pir_use_owner(use);
    if (reader != op && may_follow(op, reader, pir_value_block(value)))
      return pir_report(pir_op_context(op), PIR_UNSUPPORTED, PIR_ERROR, pir_op_loc(op),
                        "unsupported: operand %s is written in place, and read later by \"%s\"",
                        pir_op_def(op)->operands[operand].name, pir_op_def(reader)->name);
  }
  return PIR_OK;
}

pir_status check_writes(const pir_op *op) {
  const pir_opdef *def = pir_op_def(op);
  for (size_t i = 0; i < pir_op_operands(op) && i < def->operand_count; i++)
    if (pir_op_overwrites(op, i))
      PIR_TRY(check_write(op, i));
  return PIR_OK;
}
