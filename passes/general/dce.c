// Removes ops without effects whose results nobody reads. One backward sweep through each
// block: users come before definitions, so chains disappear in one run. Nested blocks are swept
// from an explicit stack, before the ops in front of their parent op. As in Paddle, inputs,
// random ops, in-place ops, loops and ops of no dialect are kept.

#include <pir/compiler/pass.h>
#include <pass_list.h>

#include <effects.h>
#include <param_names.h>
#include <vec.h>

#include <pir/compiler/walk.h>

enum { HAS_EFFECT = 1 };

// Post-order, so nested ops have been visited.
static pir_walk_result mark_effects(pir_op *op, void *user) {
  if (pir_op_has_effect(op) && !pir_op_has(op, PIR_TERMINATOR))
    pir_op_set_mark(op, HAS_EFFECT);
  pir_op *parent = pir_op_parent(op);
  if (parent && pir_op_mark(op))
    pir_op_set_mark(parent, HAS_EFFECT);
  return PIR_WALK_CONTINUE;
}

static bool is_dead(const pir_op *op) {
  return !pir_op_mark(op) && !pir_op_has(op, PIR_TERMINATOR) && pir_op_unused(op);
}

typedef struct sweep {
  pir_pass_run *run;
  PIR_VEC(pir_op *) stack;  // ops from which to go on backwards
  param_names names;
  uint64_t erased, parameters;
} sweep;

static void erase(sweep *s, pir_op *op) {
  s->erased++;
  if (!pir_op_has(op, PIR_PARAMETER)) {
    pir_rewriter_erase(s->run->rewriter, op);
    return;
  }
  param_names_erase(&s->names, op);
  s->parameters++;
}

static void push(sweep *s, pir_op *op) {
  pir_arena *arena = pir_context_arena(pir_program_context(s->run->program));
  if (op)
    pir_vec_push(arena, &s->stack, op);
}

static void sweep_block(sweep *s, pir_op *op) {
  for (pir_op *prev; op; op = prev) {
    prev = pir_op_prev(op);
    if (is_dead(op)) {
      erase(s, op);
    } else if (pir_op_regions(op)) {
      push(s, prev);
      for (size_t i = 0; i < pir_op_regions(op); i++)
        for (pir_block *b = pir_region_first(pir_op_region(op, i)); b; b = pir_block_next(b))
          push(s, pir_block_last(b));
      return;
    }
  }
}

pir_status pir_pass_dce(pir_pass_run *run) {
  sweep s = {.run = run, .names.run = run};
  pir_op *module = pir_program_module(run->program);
  pir_walk(module, PIR_PRE_ORDER, pir_op_clear_mark, NULL);
  pir_walk(module, PIR_POST_ORDER, mark_effects, NULL);
  push(&s, pir_block_last(pir_program_block(run->program)));
  while (s.stack.count)
    sweep_block(&s, pir_vec_pop(&s.stack));
  pir_vec_free(pir_context_arena(pir_program_context(run->program)), &s.stack);
  param_names_free(&s.names);
  pir_run_count(run, "ops erased", s.erased);
  if (s.parameters)
    pir_run_count(run, "parameters dropped", s.parameters);
  return PIR_OK;
}
