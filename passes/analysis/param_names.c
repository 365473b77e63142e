#include "param_names.h"

#include <pir/compiler/walk.h>

#include "effects.h"

static pir_name *interned_name(const param_names *names, const pir_op *op) {
  return pir_name_get(pir_program_context(names->run->program), pir_op_parameter_name(op));
}

static pir_walk_result count_name(pir_op *op, void *user) {
  param_names *names = user;
  pir_arena *arena = pir_context_arena(pir_program_context(names->run->program));
  if (pir_op_has(op, PIR_PARAMETER))
    ++*pir_map_place(arena, &names->counts, interned_name(names, op), 0);
  return PIR_WALK_CONTINUE;
}

void param_names_erase(param_names *names, pir_op *op) {
  if (!names->counted)
    pir_walk(pir_program_module(names->run->program), PIR_PRE_ORDER, count_name, names);
  names->counted = true;
  uint64_t *left = pir_map_find(&names->counts, interned_name(names, op));
  if (left && --*left == 0)
    pir_program_drop_param(names->run->program, pir_op_parameter_name(op));
  pir_rewriter_erase(names->run->rewriter, op);
}

void param_names_free(param_names *names) {
  pir_map_free(pir_context_arena(pir_program_context(names->run->program)), &names->counts);
}
