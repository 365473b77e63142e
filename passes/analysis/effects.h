// Queries about ops that several passes share. Private to passes/.
#ifndef PIR_EFFECTS_H
#define PIR_EFFECTS_H

#include <pir/compiler/block.h>
#include <pir/compiler/op.h>
#include <pir/compiler/walk.h>

// Returns operand i; NULL if it is absent, or left out behind the last one that is given.
static inline pir_value *pir_op_optional(const pir_op *op, size_t i) {
  return i < pir_op_operands(op) ? pir_op_operand(op, i) : NULL;
}

// Whether an op has an effect, apart from the ops in its regions, and must stay even if its
// results are unused. As in Paddle, inputs, random ops and in-place ops count.
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

// Whether some reader may overwrite the value: an in-place op, an op of no dialect, or an op
// that passes it on under another name (a loop, the end of a region).
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

// Whether an op may be moved: it has no effect and no regions, is neither random nor in-place,
// and none of its operands or results is overwritten.
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

// Control flow. A branch chooses between two regions by operand 0; its results are the yielded
// values. Operand 0 of a loop tells whether to begin; the other operands are the initial
// arguments of the region. The region yields whether to continue, and the arguments of the next
// iteration, or the results.
static inline bool pir_op_is_choice(const pir_op *op) {
  return pir_op_has(op, PIR_CONTROL) && pir_op_def(op)->form == PIR_FORM_IF;
}
static inline bool pir_op_is_loop(const pir_op *op) {
  return pir_op_has(op, PIR_CONTROL) && pir_op_def(op)->form == PIR_FORM_WHILE;
}

// Returns the only block of a region, if it ends with a terminator; else NULL.
static inline pir_block *pir_op_body(const pir_op *op, size_t region) {
  pir_block *block =
      region < pir_op_regions(op) ? pir_region_first(pir_op_region(op, region)) : NULL;
  if (!block || pir_block_next(block) || !pir_block_last(block))
    return NULL;
  return pir_op_has(pir_block_last(block), PIR_TERMINATOR) ? block : NULL;
}
// Returns the loop's body block if #arguments == #results == #yielded == #operands - 1, else
// NULL.
static inline pir_block *pir_loop_body(const pir_op *op) {
  pir_block *body = pir_op_is_loop(op) ? pir_op_body(op, 0) : NULL;
  size_t slots = pir_op_results(op);
  bool fits = body && pir_op_operands(op) == slots + 1 && pir_block_arguments(body) == slots &&
              pir_op_operands(pir_block_last(body)) == slots + 1;
  return fits ? body : NULL;
}

// Returns the name of the parameter that an op with the trait reads: its only declared string.
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

// Makes an attribute with the name that the op's definition declares at this position.
static inline pir_named_attr pir_declared_attr(pir_context *ctx, const pir_opdef *def,
                                               size_t at, const pir_attr *value) {
  return (pir_named_attr){pir_name_get(ctx, pir_str_from(def->attrs[at].name)), value};
}

// Clears the mark of an op; for a walk at the start of a pass, because marks belong to one
// pass.
static inline pir_walk_result pir_op_clear_mark(pir_op *op, void *user) {
  (void)user;
  pir_op_set_mark(op, 0);
  return PIR_WALK_CONTINUE;
}

#endif
