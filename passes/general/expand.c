// Expands composite ops: each op with a `lower` block whose condition holds becomes the ops of
// that block, which are visited in turn. New ops carry the name of the original op
// (comp_op_name), as Paddle's do. The depth of expansion is bounded, so blocks that lead to
// each other end in an error. An op whose region runs exactly once in place has no lower block,
// but is expanded likewise: the ops of the region replace it.

#include <pir/compiler/dialect/pd_op.h>
#include <pass_list.h>
#include <pir/layer/lower.h>
#include <pir/compiler/pass.h>
#include <pir/compiler/walk.h>

#include <effects.h>

enum { MAX_DEPTH = 32 };

typedef struct expansion {
  pir_pass_run *run;
  pir_facts *facts;
  pir_op *op;  // the one that is expanded; its mark is the depth
  const pir_attr *origin;
  pir_name *comp_op_name;
  uint64_t expanded, made;
} expansion;

static pir_op *create_traced_part(void *user, const pir_op_spec *spec) {
  expansion *e = user;
  pir_op *part = pir_rewriter_create(e->run->rewriter, e->op, spec);
  if (!pir_op_attr(part, e->comp_op_name))
    pir_op_set_attr(part, e->comp_op_name, e->origin);
  pir_op_set_mark(part, pir_op_mark(e->op) + 1);
  e->made++;
  return part;
}

static pir_status expand_op(expansion *e, pir_op *op, int alternative) {
  enum { INLINE = 32 };
  pir_value *results[INLINE] = {NULL};
  pir_context *ctx = pir_program_context(e->run->program);
  if (pir_op_mark(op) >= MAX_DEPTH)
    return pir_error(op, "its lower blocks lead to each other");
  if (pir_op_results(op) > INLINE)
    return pir_error(op, "has more than %d results, which no lower block has", INLINE);
  e->op = op;
  e->origin = pir_attr_str(ctx, PIR_ATTR_STR, pir_op_name(op));
  pir_lower_target target = {create_traced_part, e};
  PIR_TRY(pir_lower_expand(op, alternative, e->facts, &target, results));
  for (size_t i = 0; i < pir_op_results(op); i++)
    if (!results[i] && !pir_value_unused(pir_op_result(op, i)))
      return pir_report_op(
          op, PIR_UNSUPPORTED, PIR_ERROR,
          "unsupported: result %zu of %s is read, and its lower block does not give it", i,
          pir_op_name(op).data);
  pir_rewriter_replace(e->run->rewriter, op, results);
  e->expanded++;
  return PIR_OK;
}

// Replaces an op whose region runs exactly once by the ops of the region: its arguments become
// the operands, its results the yielded values.
static pir_status inline_region(expansion *e, pir_op *op) {
  pir_block *block = pir_region_first(pir_op_region(op, 0));
  pir_op *end = pir_block_last(block);
  bool fits = pir_op_has(end, PIR_TERMINATOR) && !pir_block_next(block) &&
              pir_op_operands(end) == pir_op_results(op) &&
              pir_block_arguments(block) <= pir_op_operands(op);
  for (size_t i = 0; fits && i < pir_op_results(op); i++)
    fits = pir_op_operand(end, i) || pir_value_unused(pir_op_result(op, i));
  if (!fits)
    return pir_error(op,
                     "expects one block with at most %zu arguments that hands out %zu values",
                     pir_op_operands(op), pir_op_results(op));
  for (size_t i = 0; i < pir_block_arguments(block); i++) {
    if (pir_value_unused(pir_block_argument(block, i)))
      continue;
    if (!pir_op_operand(op, i))
      return pir_error(op, "argument %zu of its block is read, operand %zu is absent", i, i);
    pir_rewriter_replace_value(e->run->rewriter, pir_block_argument(block, i),
                               pir_op_operand(op, i));
  }
  for (size_t i = 0; i < pir_op_results(op); i++)
    if (!pir_value_unused(pir_op_result(op, i)))
      pir_rewriter_replace_value(e->run->rewriter, pir_op_result(op, i),
                                 pir_op_operand(end, i));
  pir_rewriter_erase(e->run->rewriter, end);
  pir_block_splice(pir_op_block(op), op, block);
  pir_rewriter_erase(e->run->rewriter, op);
  e->expanded++;
  return PIR_OK;
}

// Expands the ops of a block, and then the parts just made.
static pir_status expand_block(expansion *e, pir_block *block) {
  pir_op *op = pir_block_first(block);
  while (op) {
    bool runs_once = pir_op_is(op, PD_PYLAYER);
    int alternative = runs_once ? -1 : pir_lower_choose(op, e->facts);
    if (alternative == -1 && !runs_once) {
      op = pir_op_next(op);
      continue;
    }
    pir_op *before = pir_op_prev(op);
    PIR_TRY(runs_once ? inline_region(e, op) : expand_op(e, op, alternative));
    op = before ? pir_op_next(before) : pir_block_first(block);
  }
  return PIR_OK;
}

typedef struct visit_state {
  expansion *expansion;
  pir_status status;
} visit_state;

// Pre-order, so the blocks of an op are done before the walk enters them.
static pir_walk_result expand_regions(pir_op *op, void *user) {
  visit_state *v = user;
  for (size_t i = 0; i < pir_op_regions(op); i++)
    for (pir_block *b = pir_region_first(pir_op_region(op, i)); b; b = pir_block_next(b)) {
      v->status = expand_block(v->expansion, b);
      if (v->status)
        return PIR_WALK_STOP;
    }
  return PIR_WALK_CONTINUE;
}

pir_status pir_pass_expand(pir_pass_run *run) {
  pir_context *ctx = pir_program_context(run->program);
  expansion e = {.run = run,
                 .facts = pir_run_facts(run),
                 .comp_op_name = pir_name_get(ctx, PIR_STR("comp_op_name"))};
  if (!e.facts)
    return pir_run_facts_status(run);
  visit_state v = {&e, PIR_OK};
  pir_op *module = pir_program_module(run->program);
  pir_walk(module, PIR_PRE_ORDER, pir_op_clear_mark, NULL);
  pir_walk(module, PIR_PRE_ORDER, expand_regions, &v);
  pir_run_count(run, "ops expanded", e.expanded);
  pir_run_count(run, "ops made", e.made);
  return v.status;
}
