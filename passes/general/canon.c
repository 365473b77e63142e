// Canonical forms, found from the meaning of ops and not from their names:
//
//   an op whose clause gives an operand unchanged     becomes that operand
//   a row-major view of another row-major view        reads the first one's operand
//   a permutation of axes of another permutation      becomes one permutation
//
// The first form covers a cast to the same type, a scale by 1, a reshape or transpose to the
// same shape, and a dropout in test mode. Shapes are facts, never stated types. A copy is kept
// if an in-place op overwrites its operand later.

#include <pir/compiler/pass.h>
#include <pass_list.h>

#include <clause_form.h>
#include <effects.h>
#include <rewriter_impl.h>

typedef struct canon {
  evaluator eval;
  pir_facts *facts;
  pir_map clean;  // values that no in-place op overwrites
  uint64_t forwarded, composed;
} canon;

// Whether an in-place op overwrites the value. The result is cached: a clean value stays clean,
// because uses only move to it from clean values.
static bool has_writer(canon *c, const pir_value *value) {
  if (pir_map_find(&c->clean, value))
    return false;
  if (pir_value_is_overwritten(value))
    return true;
  pir_map_put(c->eval.arena, &c->clean, value, 1);
  return false;
}

static bool may_stand_for(canon *c, const pir_op *op, const pir_value *value) {
  if (pir_op_has(op, PIR_INPLACE) || has_writer(c, value))
    return false;
  for (size_t i = 0; i < pir_op_results(op); i++) {
    const pir_value *result = pir_op_result(op, i);
    if (has_writer(c, result) || (i && !pir_value_unused(result)))
      return false;
  }
  return true;
}

// Only the first result has uses; the others are erased with the op.
static bool forward_value(canon *c, pir_op *op, pir_rewriter *rewriter, pir_value *value) {
  if (!may_stand_for(c, op, value))
    return false;
  pir_rewriter_replace_value(rewriter, pir_op_result(op, 0), value);
  pir_rewriter_erase(rewriter, op);
  c->forwarded++;
  return true;
}

// ---- views of views

static pir_op *viewed(canon *c, const pir_op *op, const clause_form *form, form_kind wanted,
                      clause_form *out_inner) {
  pir_op *inner = pir_op_operand_op(op, (size_t)form->operand);
  if (!inner || pir_op_has(inner, PIR_INPLACE) ||
      pir_value_index(pir_op_operand(op, (size_t)form->operand)))
    return NULL;
  *out_inner = clause_form_of(&c->eval, inner);
  bool composes = out_inner->kind == wanted &&
                  !has_writer(c, pir_op_operand(inner, (size_t)out_inner->operand)) &&
                  !has_writer(c, pir_op_result(inner, 0));
  return composes ? inner : NULL;
}

static void finish_composition(canon *c, pir_op *inner, pir_rewriter *rewriter) {
  if (pir_op_unused(inner))
    pir_rewriter_erase(rewriter, inner);
  c->composed++;
}

// If the outer view copies an extent of the inner view, its shape depends on the inner one,
// which then stays.
static bool compose_linear(canon *c, pir_op *op, pir_rewriter *rewriter,
                           const clause_form *form) {
  clause_form inner_form;
  pir_op *inner = viewed(c, op, form, FORM_LINEAR, &inner_form);
  if (!inner)
    return false;
  pir_value *source = pir_op_operand(inner, (size_t)inner_form.operand);
  if (!keeps_shape(&c->eval, op, (size_t)form->operand, pir_facts_of(c->facts, source)))
    return false;
  pir_rewriter_set_operand(rewriter, op, (size_t)form->operand, source);
  finish_composition(c, inner, rewriter);
  return true;
}

static const pir_attr *perm_attr(pir_op *op, const clause_form *form) {
  pir_context *ctx = pir_op_context(op);
  const pir_attr *old = pir_op_attr_at(op, (size_t)form->perm_attr), *items[PIR_MAX_RANK];
  int32_t perm[PIR_MAX_RANK];
  for (int32_t d = 0; d < form->rank; d++)
    perm[form->axes[d]] = d;
  int64_t wide[PIR_MAX_RANK];
  for (int32_t i = 0; i < form->rank; i++)
    wide[i] = perm[i];
  if (pir_attr_kind_of(old) == PIR_ATTR_INT_ARRAY)
    return pir_attr_int_array(ctx, wide, (size_t)form->rank);
  pir_attr_kind kind = pir_attr_kind_of(pir_attr_element(old, 0));
  for (int32_t i = 0; i < form->rank; i++)
    items[i] = pir_attr_int(ctx, kind, perm[i]);
  return pir_attr_array(ctx, items, (size_t)form->rank);
}

static bool compose_permute(canon *c, pir_op *op, pir_rewriter *rewriter,
                            const clause_form *form) {
  if (form->perm_attr < 0)
    return false;
  clause_form both = *form, inner_form;
  pir_op *inner = viewed(c, op, form, FORM_PERMUTE, &inner_form);
  if (!inner)
    return false;
  for (int32_t d = 0; d < form->rank; d++)
    both.axes[d] = form->axes[inner_form.axes[d]];
  pir_op_set_attr_at(op, (size_t)form->perm_attr, perm_attr(op, &both));
  pir_rewriter_set_operand(rewriter, op, (size_t)form->operand,
                           pir_op_operand(inner, (size_t)inner_form.operand));
  finish_composition(c, inner, rewriter);
  return true;
}

// ---- patterns

static bool by_clause(pir_op *op, pir_rewriter *rewriter, void *user) {
  canon *c = user;
  if (pir_op_has(op, PIR_ORDERED) || !pir_op_has_any(op, PIR_PURE | PIR_RANDOM))
    return false;
  clause_form form = clause_form_of(&c->eval, op);
  if (form.kind == FORM_OPERAND)
    return forward_value(c, op, rewriter, pir_op_operand(op, (size_t)form.operand));
  if (!pir_op_has(op, PIR_PURE) || pir_op_has(op, PIR_INPLACE))
    return false;
  if (form.kind == FORM_LINEAR)
    return compose_linear(c, op, rewriter, &form);
  return form.kind == FORM_PERMUTE && compose_permute(c, op, rewriter, &form);
}

static void forget_erased(void *user, pir_op *op) {
  canon *c = user;
  evaluator_forget(&c->eval, op);
  for (size_t i = 0; i < pir_op_results(op); i++)
    pir_map_remove(&c->clean, pir_op_result(op, i));
}

pir_status pir_pass_canon(pir_pass_run *run) {
  pir_rewriter_sweep(run->rewriter, run->program);  // dead ops need not be inferred
  canon c = {.facts = pir_run_facts(run)};
  if (!c.facts)
    return pir_run_facts_status(run);
  evaluator_init(&c.eval, run->program, c.facts);
  const pir_pattern patterns[] = {
      {"by clause", 0, 1, by_clause, &c, NULL},
  };
  pir_rewrite_listener listener = {.erasing = forget_erased, .user = &c};
  pir_greedy_options options = {.size = sizeof options, .erase_dead = true};
  pir_rewriter_listen(run->rewriter, &listener);
  pir_status status = pir_rewrite_greedy(run->rewriter, run->program, patterns,
                                         sizeof patterns / sizeof *patterns, &options, NULL);
  pir_rewriter_unlisten(run->rewriter, &listener);
  pir_map_free(c.eval.arena, &c.clean);
  evaluator_free(&c.eval);
  pir_run_count(run, "ops forwarded", c.forwarded);
  pir_run_count(run, "views composed", c.composed);
  return status;
}
