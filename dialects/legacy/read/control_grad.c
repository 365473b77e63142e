// Translates gradients of conditional blocks. The backward block cannot capture values inside
// the forward block, because the two are regions of different ops. So the forward block pushes
// such values on a stack and the backward block pops them. One scan of the backward block finds
// their names.
#include <string.h>

#include "translate.h"

void find_backward_blocks(translator *t) {
  const Legacy__ProgramDesc *program = desc_program(t->desc);
  t->backward = pir_arena_zalloc(&t->arena, program->n_blocks * sizeof *t->backward);
  t->kept = pir_arena_zalloc(&t->arena, program->n_blocks * sizeof *t->kept);
  for (size_t b = 1; b < program->n_blocks; b++) {
    int64_t forward = program->blocks[b]->forward_block_idx;
    if (forward > 0 && forward < (int64_t)b)
      t->backward[forward] = b;
  }
}

static void add_outputs(translator *t, const op_desc *op, pir_map *names) {
  for (size_t i = 0; i < op->n_outputs; i++)
    for (size_t k = 0; k < op->outputs[i]->n_arguments; k++)
      pir_map_put(&t->arena, names,
                  pir_name_get(t->ctx, pir_str_from(op->outputs[i]->arguments[k])), 1);
}

static bool lists(const slot_desc *slot, const char *name) {
  for (size_t i = 0; slot && i < slot->n_arguments; i++)
    if (!strcmp(slot->arguments[i], name))
      return true;
  return false;
}

// Collects the names that the backward block reads and only the forward block defines, one
// entry for each read.
static name_list kept_names(translator *t, const block_desc *forward,
                            const block_desc *backward, const slot_desc *out) {
  pir_map inside = {0}, defined = {0};
  name_list kept = {0};
  for (size_t i = 0; i < forward->n_ops; i++)
    add_outputs(t, forward->ops[i], &inside);
  for (size_t i = 0; i < backward->n_ops; i++) {
    const op_desc *op = backward->ops[i];
    for (size_t s = 0; s < op->n_inputs; s++)
      for (size_t k = 0; k < op->inputs[s]->n_arguments; k++) {
        const char *name = op->inputs[s]->arguments[k];
        const void *key = pir_name_get(t->ctx, pir_str_from(name));
        if (pir_map_find(&defined, key) || !pir_map_find(&inside, key) || lists(out, name))
          continue;
        pir_vec_push(&t->arena, &kept, name);
      }
    add_outputs(t, op, &defined);
  }
  return kept;
}

kept_values *plan_kept_values(translator *t, size_t block, const slot_desc *out) {
  const Legacy__ProgramDesc *program = desc_program(t->desc);
  const pir_type *types[3] = {pir_type_marker(t->ctx, PIR_TYPE_STACK),
                              pir_type_marker(t->ctx, PIR_TYPE_INLET),
                              pir_type_marker(t->ctx, PIR_TYPE_OUTLET)};
  size_t backward = t->backward[block];
  kept_values *kept;
  name_list names;
  if (!backward)
    return NULL;
  names = kept_names(t, program->blocks[block], program->blocks[backward], out);
  if (!names.count)
    return NULL;
  kept = pir_arena_alloc(&t->arena, sizeof *kept);
  *kept = (kept_values){.names = names};
  pir_op *stack = emit(t, "cf.stack_create", NULL, 0, types, 3, NULL, 0);
  kept->inlet = pir_op_result(stack, 1);
  kept->outlet = pir_op_result(stack, 2);
  t->kept[backward] = kept;
  return kept;
}

pir_status push_kept_values(translator *t, kept_values *kept) {
  size_t n = kept->names.count;
  pir_value **operands =
      pir_arena_alloc(&t->arena, pir_arena_size(&t->arena, n + 1, sizeof *operands));
  operands[0] = kept->inlet;
  kept->types = pir_arena_alloc(&t->arena, pir_arena_size(&t->arena, n, sizeof *kept->types));
  for (size_t i = 0; i < n; i++) {
    operands[i + 1] = read_var(t, kept->names.items[i]);
    if (!operands[i + 1])
      return PIR_INVALID;
    kept->types[i] = pir_value_type(operands[i + 1]);
  }
  emit(t, "cf.tuple_push", operands, n + 1, NULL, 0, NULL, 0);
  return PIR_OK;
}

void pop_kept_values(translator *t, size_t backward) {
  kept_values *kept = t->kept[backward];
  if (!kept || !kept->types)
    return;
  pir_op *pop =
      emit(t, "cf.tuple_pop", &kept->outlet, 1, kept->types, kept->names.count, NULL, 0);
  for (size_t k = 0; k < kept->names.count; k++)
    bind(t, kept->names.items[k], pir_op_result(pop, k), -1);
}
