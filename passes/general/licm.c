// Loop-invariant code motion. Ops that may move and read nothing of the loop are moved in front
// of it, in their order. Inner loops come first, so an op may leave several loops. An op that
// can fail (an index out of range, operands that a kernel refuses) stays, because the loop may
// have no iteration. O(ops * depth of loops).
#include <pir/compiler/pass.h>
#include <pass_list.h>

#include <effects.h>

#include <pir/compiler/walk.h>

typedef struct licm {
  pir_pass_run *run;
  uint64_t moved;
} licm;

static bool can_stop(const pir_op *op) {
  const pir_opdef *def = pir_op_def(op);
  if (def->traits & (PIR_CONSTANT | PIR_STRUCTURAL))
    return false;
  if (def->kernel || def->lower_count || !def->clause)
    return true;
  for (const pir_clause *c = def->clause; c; c = c->next)
    if (c->trap >= 0)
      return true;
  return false;
}

static bool is_invariant(const pir_op *op, const pir_op *loop) {
  if (!pir_op_may_move(op) || can_stop(op))
    return false;
  for (size_t i = 0; i < pir_op_operands(op); i++)
    if (pir_op_operand(op, i) && !pir_value_dominates(pir_op_operand(op, i), loop))
      return false;
  return true;
}

static pir_walk_result leave_loop(pir_op *loop, void *user) {
  licm *l = user;
  pir_block *body = pir_loop_body(loop);
  if (!body)
    return PIR_WALK_CONTINUE;
  for (pir_op *op = pir_block_first(body), *next; op; op = next) {
    next = pir_op_next(op);
    if (!is_invariant(op, loop))
      continue;
    pir_op_move_before(op, loop);
    l->moved++;
  }
  return PIR_WALK_CONTINUE;
}

pir_status pir_pass_licm(pir_pass_run *run) {
  licm l = {.run = run};
  pir_walk(pir_program_module(run->program), PIR_POST_ORDER, leave_loop, &l);
  pir_run_count(run, "ops moved", l.moved);
  return PIR_OK;
}
