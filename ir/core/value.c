// Values and use lists. A use is an operand slot in the linked list of the value it reads,
// newest first.

#include <pir/compiler/value.h>

#include <op_impl.h>

const pir_type *pir_value_type(const pir_value *value) {
  return value->type;
}
void pir_value_set_type(pir_value *value, const pir_type *type) {
  value->type = type;
}

pir_op *pir_value_op(const pir_value *value) {
  return value->is_argument ? NULL : value_op(value);
}

pir_block *pir_value_block(const pir_value *value) {
  return value->is_argument ? ((const pir_argument *)value)->block : value_op(value)->block;
}

size_t pir_value_index(const pir_value *value) {
  return value->index;
}
bool pir_value_is_argument(const pir_value *value) {
  return value->is_argument;
}

bool pir_value_unused(const pir_value *value) {
  return !value->uses;
}
bool pir_value_single_use(const pir_value *value) {
  return value->uses && !value->uses->next;
}
pir_use *pir_value_first_use(const pir_value *value) {
  return value->uses;
}

// Moves the whole list: points its uses at `by`, then prepends it to the list there.
void pir_value_replace_uses(pir_value *value, pir_value *by) {
  if (value == by || !value->uses)
    return;
  if (!by) {
    while (value->uses)
      unlink_use(value->uses);
    return;
  }
  pir_use *last = NULL;
  for (pir_use *use = value->uses; use; use = use->next) {
    use->value = by;
    last = use;
  }
  last->next = by->uses;
  if (by->uses)
    by->uses->prev = &last->next;
  by->uses = value->uses;
  by->uses->prev = &by->uses;
  value->uses = NULL;
}

pir_use *pir_use_next(const pir_use *use) {
  return use->next;
}
pir_op *pir_use_owner(const pir_use *use) {
  return use->owner;
}
size_t pir_use_operand_index(const pir_use *use) {
  return (size_t)(use - op_uses(use->owner));
}

void pir_use_set(pir_use *use, pir_value *value) {
  if (use->value == value)
    return;
  unlink_use(use);
  link_use(use, value);
}
