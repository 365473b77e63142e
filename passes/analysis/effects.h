// Queries about ops that several passes share. Private to passes/.
#ifndef PIR_EFFECTS_H
#define PIR_EFFECTS_H

#include <pir/block.h>
#include <pir/op.h>
#include <pir/walk.h>

// Not counting what is in its regions. Inputs, random and in-place ops stay, as Paddle keeps
// them.
static inline bool pir_op_has_effect(const pir_op *op) {
  uint32_t traits = pir_op_def(op)->traits;
  return !(traits & PIR_PURE) ||
         traits & (PIR_INPUT | PIR_RANDOM | PIR_INPLACE | PIR_TERMINATOR | PIR_OUTPUT);
}

// Whether an op writes its result over that operand.
static inline bool pir_op_overwrites(const pir_op *op, size_t operand) {
  const pir_opdef *def = pir_op_def(op);
  for (size_t i = 0; i < def->inplace_count && def->traits & PIR_INPLACE; i++)
    if (def->inplace[i].operand == operand)
      return true;
  return false;
}

static inline bool pir_value_is_overwritten(const pir_value *value) {
  PIR_EACH_USE(use, value)
  if (pir_op_overwrites(pir_use_owner(use), pir_use_operand_index(use)))
    return true;
  return false;
}

// Whether some reader may write over the value: an op in place, one that no dialect knows, or
// what hands it on: a loop or the end of a region, where it goes by another name.
static inline bool pir_value_may_be_overwritten(const pir_value *value) {
  PIR_EACH_USE(use, value) {
    const pir_op *user = pir_use_owner(use);
    if (pir_op_has(user, PIR_TERMINATOR) || pir_op_has(user, PIR_CONTROL))
      return true;
    if (!pir_op_has(user, PIR_REGISTERED) ||
        pir_op_overwrites(user, pir_use_operand_index(use)))
      return true;
  }
  return false;
}

// Whether an op may stand elsewhere: no effect, nothing random or in place, no regions, and no
// operand or result of it is written over.
static inline bool pir_op_may_move(const pir_op *op) {
  enum {
    TIED = PIR_INPLACE | PIR_RANDOM | PIR_INPUT | PIR_OUTPUT | PIR_PARAMETER | PIR_TERMINATOR
  };
  uint32_t traits = pir_op_def(op)->traits;
  if (!(traits & PIR_PURE) || traits & TIED || pir_op_regions(op))
    return false;
  for (size_t i = 0; i < pir_op_operands(op); i++) {
    const pir_value *value = pir_op_operand(op, i);
    if (value && pir_value_is_overwritten(value))
      return false;
  }
  for (size_t i = 0; i < pir_op_results(op); i++)
    if (pir_value_may_be_overwritten(pir_op_result(op, i)))
      return false;
  return true;
}

// A choice between two regions by operand 0, whose results are what the regions hand out.
// Loops: operand 0 says whether to begin; the others are arguments of the region, which hands
// out whether to go on, and the arguments of the next round, or the results.
static inline bool pir_op_is_choice(const pir_op *op) {
  return pir_op_has(op, PIR_CONTROL) && pir_op_def(op)->form == PIR_FORM_IF;
}
static inline bool pir_op_is_loop(const pir_op *op) {
  return pir_op_has(op, PIR_CONTROL) && pir_op_def(op)->form == PIR_FORM_WHILE;
}

// The only block of a region that ends as it should, or NULL.
static inline pir_block *pir_op_body(const pir_op *op, size_t region) {
  pir_block *block =
      region < pir_op_regions(op) ? pir_region_first(pir_op_region(op, region)) : NULL;
  if (!block || pir_block_next(block) || !pir_block_last(block))
    return NULL;
  return pir_op_has(pir_block_last(block), PIR_TERMINATOR) ? block : NULL;
}
// That of a loop with as many arguments, results and values handed on as it has operands beside
// the condition.
static inline pir_block *pir_loop_body(const pir_op *op) {
  pir_block *body = pir_op_is_loop(op) ? pir_op_body(op, 0) : NULL;
  size_t slots = pir_op_results(op);
  bool fits = body && pir_op_operands(op) == slots + 1 && pir_block_arguments(body) == slots &&
              pir_op_operands(pir_block_last(body)) == slots + 1;
  return fits ? body : NULL;
}

// The name of the parameter an op with that trait reads: its one declared string.
static inline pir_str pir_op_parameter_name(const pir_op *op) {
  const pir_opdef *def = pir_op_def(op);
  for (size_t i = 0; i < def->attr_count; i++) {
    bool text =
        def->attrs[i].kind == PIR_ATTR_STR || def->attrs[i].kind == PIR_ATTR_TENSOR_NAME;
    if (text && pir_op_attr_at(op, i))
      return pir_op_text(op, i);
  }
  return (pir_str){"", 0};
}

// An attribute under the name that the op's definition declares at that position.
static inline pir_named_attr pir_declared_attr(pir_context *ctx, const pir_opdef *def,
                                               size_t at, const pir_attr *value) {
  return (pir_named_attr){pir_name_get(ctx, pir_str_from(def->attrs[at].name)), value};
}

// For a walk: marks mean what one pass says, so each clears those of the pass before it.
static inline pir_walk_result pir_op_clear_mark(pir_op *op, void *user) {
  (void)user;
  pir_op_set_mark(op, 0);
  return PIR_WALK_CONTINUE;
}

#endif
