// Inlines control flow with known conditions. A branch whose condition is constant is replaced
// by the region it takes. A loop whose condition is initially false is replaced by its initial
// values. Earlier passes (`sccp`, `fold`) fold the conditions. Inlined ops are visited again in
// their new place. Linear in the program.
#include <pir/compiler/pass.h>
#include <pass_list.h>

#include <effects.h>
#include <evaluate.h>

#include <pir/compiler/walk.h>

typedef struct inlining {
  pir_pass_run *run;
  evaluator eval;
  uint64_t inlined, skipped;
} inlining;

// Whether a condition is known, and its value.
static bool is_known(inlining *n, const pir_op *op, bool *out_taken) {
  const pir_value *condition = pir_op_operand(op, 0);
  const pir_op *source = pir_op_operand_op(op, 0);
  if (!source || !(pir_op_has(source, PIR_CONSTANT) || pir_op_has(source, PIR_PARAMETER)))
    return false;
  if (!evaluator_find(&n->eval, condition))
    evaluator_visit(&n->eval, source);
  const known_value *known = evaluator_find(&n->eval, condition);
  if (!known || pir_tensor_numel(&known->tensors[0]) != 1)
    return false;
  if (pir_value_is_overwritten(condition))
    return false;
  *out_taken = pir_tensor_int_at(&known->tensors[0], 0) != 0;
  return true;
}

static void hand_over(inlining *n, pir_op *op, const pir_op *from, size_t first) {
  for (size_t i = 0; i < pir_op_results(op); i++)
    if (!pir_value_unused(pir_op_result(op, i)))
      pir_rewriter_replace_value(n->run->rewriter, pir_op_result(op, i),
                                 pir_op_operand(from, first + i));
}

// Whether `from` has an operand, from `first` on, for every result of `op` that has uses.
static bool gives_all(const pir_op *op, const pir_op *from, size_t first) {
  if (pir_op_operands(from) < first + pir_op_results(op))
    return false;
  for (size_t i = 0; i < pir_op_results(op); i++)
    if (!pir_op_operand(from, first + i) && !pir_value_unused(pir_op_result(op, i)))
      return false;
  return true;
}

// Returns the first op that replaced the branch, or the op behind it.
static pir_op *inline_choice(inlining *n, pir_op *op, bool taken) {
  pir_block *block = pir_op_body(op, taken ? 0 : 1);
  pir_op *end = block ? pir_block_last(block) : NULL;
  if (!end || pir_block_arguments(block) || !gives_all(op, end, 0))
    return pir_op_next(op);
  pir_op *before = pir_op_prev(op);
  pir_block *outer = pir_op_block(op);
  hand_over(n, op, end, 0);
  pir_rewriter_erase(n->run->rewriter, end);
  pir_block_splice(outer, op, block);
  pir_rewriter_erase(n->run->rewriter, op);
  n->inlined++;
  return before ? pir_op_next(before) : pir_block_first(outer);
}

static pir_op *skip_loop(inlining *n, pir_op *op) {
  pir_op *next = pir_op_next(op);
  if (!gives_all(op, op, 1))
    return next;
  hand_over(n, op, op, 1);
  pir_rewriter_erase(n->run->rewriter, op);
  n->skipped++;
  return next;
}

static void inline_block(inlining *n, pir_block *block) {
  for (pir_op *op = pir_block_first(block), *next; op; op = next) {
    bool taken;
    next = pir_op_next(op);
    if (!pir_op_is_choice(op) && !pir_op_is_loop(op))
      continue;
    if (!is_known(n, op, &taken))
      continue;
    if (pir_op_is_choice(op))
      next = inline_choice(n, op, taken);
    else if (!taken)
      next = skip_loop(n, op);
  }
}

// Pre-order, so the blocks of an op are done before the walk enters them.
static pir_walk_result inline_regions(pir_op *op, void *user) {
  inlining *n = user;
  for (size_t i = 0; i < pir_op_regions(op); i++)
    for (pir_block *b = pir_region_first(pir_op_region(op, i)); b; b = pir_block_next(b))
      inline_block(n, b);
  return PIR_WALK_CONTINUE;
}

pir_status pir_pass_inline_control(pir_pass_run *run) {
  inlining n = {.run = run};
  pir_facts *facts = pir_run_facts(run);
  if (!facts)
    return pir_run_facts_status(run);
  evaluator_init(&n.eval, run->program, facts);
  n.eval.parameters = true;
  pir_walk(pir_program_module(run->program), PIR_PRE_ORDER, inline_regions, &n);
  evaluator_free(&n.eval);
  pir_run_count(run, "choices inlined", n.inlined);
  pir_run_count(run, "loops skipped", n.skipped);
  return PIR_OK;
}
