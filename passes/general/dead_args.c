// Removes values that control flow carries needlessly. A loop argument that every iteration
// passes on unchanged is replaced by its initial value. A loop argument that is needed only to
// compute itself is removed together with its result. A result of a branch that nobody reads is
// removed. The needed values follow backwards from effects, conditions and outside readers,
// over the whole program at once. The ops are then created again with fewer operands and
// results, inner ones first. O(ops + uses).
#include <pir/compiler/pass.h>
#include <pass_list.h>

#include <effects.h>
#include <map.h>
#include <rewriter_impl.h>
#include <vec.h>

#include <pir/compiler/walk.h>

typedef struct dead_args {
  pir_pass_run *run;
  pir_arena *arena;
  pir_map needed;  // values
  PIR_VEC(pir_value *) reached;
  PIR_VEC(pir_op *) holders;  // loops and choices, inner ones first
  uint64_t invariant, removed;
} dead_args;

static void need(dead_args *d, pir_value *value) {
  if (!value || pir_map_find(&d->needed, value))
    return;
  pir_map_put(d->arena, &d->needed, value, 1);
  pir_vec_push(d->arena, &d->reached, value);
}

static bool is_needed(const dead_args *d, const pir_value *value) {
  return pir_map_find(&d->needed, value) != NULL;
}

// ---- loops

// Replaces arguments that are the same in every iteration.
static void forward_invariants(dead_args *d, pir_op *loop, pir_block *body) {
  const pir_op *end = pir_block_last(body);
  for (size_t i = 0; i < pir_op_results(loop); i++) {
    pir_value *argument = pir_block_argument(body, i), *begin = pir_op_operand(loop, i + 1);
    if (!begin || pir_op_operand(end, i + 1) != argument)
      continue;
    bool read = !pir_value_unused(pir_op_result(loop, i)) || !pir_value_single_use(argument);
    if (!read || pir_value_is_overwritten(argument) || pir_value_is_overwritten(begin))
      continue;
    pir_rewriter_replace_value(d->run->rewriter, argument, begin);
    pir_rewriter_set_operand(d->run->rewriter, pir_block_last(body), i + 1, argument);
    pir_rewriter_replace_value(d->run->rewriter, pir_op_result(loop, i), begin);
    d->invariant++;
  }
}

// ---- needed values

// Whether an op with regions has the form that this pass handles.
static bool may_shrink(const pir_op *op) {
  if (pir_op_is_loop(op))
    return pir_loop_body(op) != NULL;
  for (size_t r = 0; r < 2; r++) {
    pir_block *block = pir_op_body(op, r);
    if (!block || pir_block_arguments(block) ||
        pir_op_operands(pir_block_last(block)) != pir_op_results(op))
      return false;
  }
  return true;
}

// A value that a region yields is needed if the corresponding result of the op is.
static bool hands_on(const pir_op *op) {
  const pir_op *holder = pir_op_parent(op);
  return pir_op_has(op, PIR_TERMINATOR) &&
         (pir_op_is_loop(holder) || pir_op_is_choice(holder)) && may_shrink(holder);
}

static pir_walk_result find_roots(pir_op *op, void *user) {
  dead_args *d = user;
  if ((pir_op_is_loop(op) || pir_op_is_choice(op)) && may_shrink(op)) {
    pir_vec_push(d->arena, &d->holders, op);
    need(d, pir_op_operand(op, 0));
    return PIR_WALK_CONTINUE;
  }
  if (hands_on(op)) {
    if (pir_op_is_loop(pir_op_parent(op)))
      need(d, pir_op_operand(op, 0));
    return PIR_WALK_CONTINUE;
  }
  if (!pir_op_has_effect(op) && !pir_op_regions(op))
    return PIR_WALK_CONTINUE;
  for (size_t i = 0; i < pir_op_results(op); i++)
    need(d, pir_op_result(op, i));
  for (size_t i = 0; i < pir_op_operands(op); i++)
    need(d, pir_op_operand(op, i));
  return PIR_WALK_CONTINUE;
}

static void need_slot(dead_args *d, const pir_op *loop, pir_block *body, size_t i) {
  need(d, pir_op_operand(loop, i + 1));
  need(d, pir_op_operand(pir_block_last(body), i + 1));
  need(d, pir_block_argument(body, i));
  need(d, pir_op_result(loop, i));
}

static void spread(dead_args *d, const pir_value *value) {
  const pir_op *op = pir_value_op(value);
  size_t i = pir_value_index(value);
  if (!op) {
    const pir_op *holder = pir_block_parent_op(pir_value_block(value));
    pir_block *body = pir_loop_body(holder);
    if (body)
      need_slot(d, holder, body, i);
    return;
  }
  pir_block *body = pir_loop_body(op);
  if (body) {
    need_slot(d, op, body, i);
  } else if (pir_op_is_choice(op) && may_shrink(op)) {
    for (size_t r = 0; r < pir_op_regions(op); r++)
      need(d, pir_op_operand(pir_block_last(pir_op_body(op, r)), i));
  } else {
    for (size_t k = 0; k < pir_op_operands(op); k++)
      need(d, pir_op_operand(op, k));
  }
}

// ---- making ops again

// Removes the entries of removed results from list attributes with one entry for each result.
static const pir_attr *kept_entries(pir_context *ctx, const pir_attr *list, const bool *keep,
                                    size_t slots) {
  enum { MOST = 64 };
  const pir_attr *entries[MOST];
  size_t count = 0;
  if (slots > MOST || pir_attr_kind_of(list) != PIR_ATTR_ARRAY ||
      pir_attr_elements(list) != slots)
    return list;
  for (size_t i = 0; i < slots; i++)
    if (keep[i])
      entries[count++] = pir_attr_element(list, i);
  return pir_attr_array(ctx, entries, count);
}

// Creates the op again with the kept operands (from `first` on) and results.
static pir_op *remake(dead_args *d, pir_op *op, size_t first, const bool *keep) {
  pir_context *ctx = pir_op_context(op);
  size_t slots = pir_op_results(op), operands = pir_op_operands(op), count = 0, kept = 0;
  pir_value **read = pir_arena_zalloc(d->arena, (operands + 1) * sizeof *read);
  const pir_type **types = pir_arena_zalloc(d->arena, (slots + 1) * sizeof *types);
  for (size_t i = 0; i < operands; i++)
    if (i < first || keep[i - first])
      read[count++] = pir_op_operand(op, i);
  for (size_t i = 0; i < slots; i++)
    if (keep[i])
      types[kept++] = pir_value_type(pir_op_result(op, i));
  pir_op_spec spec = {
      .operands = read, .operand_count = count, .result_types = types, .result_count = kept};
  pir_op *made = pir_rewriter_recreate(d->run->rewriter, op, &spec);
  for (size_t i = 0; slots && i < pir_op_extra_attrs(op); i++) {
    pir_named_attr extra = pir_op_extra_attr(op, i);
    pir_op_set_attr(made, extra.name, kept_entries(ctx, extra.value, keep, slots));
  }
  pir_arena_free(d->arena, read, (operands + 1) * sizeof *read);
  pir_arena_free(d->arena, types, (slots + 1) * sizeof *types);
  return made;
}

static void move_body(dead_args *d, pir_op *made, pir_op *op, size_t region, size_t first,
                      const bool *keep) {
  pir_block *from = pir_op_body(op, region);
  pir_op *end = pir_block_last(from);
  remake(d, end, first, keep);
  pir_rewriter_erase(d->run->rewriter, end);
  pir_region_move_block(pir_op_region(made, region), from, keep);
}

static void shrink(dead_args *d, pir_op *op) {
  size_t slots = pir_op_results(op), kept = 0, first = pir_op_is_loop(op) ? 1 : 0;
  bool *keep = pir_arena_zalloc(d->arena, slots + 1);
  for (size_t i = 0; i < slots; i++)
    kept += keep[i] = is_needed(d, pir_op_result(op, i));
  if (kept < slots) {
    pir_op *made = remake(d, op, 1, keep);
    for (size_t r = 0; r < pir_op_regions(op); r++)
      move_body(d, made, op, r, first, keep);
    for (size_t i = 0, k = 0; i < slots; i++)
      if (keep[i])
        pir_rewriter_replace_value(d->run->rewriter, pir_op_result(op, i),
                                   pir_op_result(made, k++));
    pir_rewriter_erase(d->run->rewriter, op);
    d->removed += slots - kept;
  }
  pir_arena_free(d->arena, keep, slots + 1);
}

// ---- the pass

// Values read only by unneeded slots must not count as used.
static void let_go(dead_args *d, pir_op *op) {
  for (size_t i = 0; i < pir_op_results(op); i++) {
    if (is_needed(d, pir_op_result(op, i)))
      continue;
    size_t first = pir_op_is_loop(op) ? 1 : 0;
    if (first)
      pir_op_set_operand(op, i + first, NULL);
    for (size_t r = 0; r < pir_op_regions(op); r++)
      pir_op_set_operand(pir_block_last(pir_op_body(op, r)), i + first, NULL);
  }
}

static pir_walk_result forward_loop(pir_op *op, void *user) {
  pir_block *body = pir_loop_body(op);
  if (body)
    forward_invariants(user, op, body);
  return PIR_WALK_CONTINUE;
}

pir_status pir_pass_dead_args(pir_pass_run *run) {
  dead_args d = {.run = run, .arena = pir_context_arena(pir_program_context(run->program))};
  pir_op *module = pir_program_module(run->program);
  pir_walk(module, PIR_POST_ORDER, forward_loop, &d);
  pir_walk(module, PIR_POST_ORDER, find_roots, &d);
  while (d.reached.count)
    spread(&d, pir_vec_pop(&d.reached));
  for (size_t i = 0; i < d.holders.count; i++)
    let_go(&d, d.holders.items[i]);
  if (d.holders.count)
    pir_rewriter_sweep(run->rewriter, run->program);
  for (size_t i = 0; i < d.holders.count; i++)
    shrink(&d, d.holders.items[i]);
  pir_vec_free(d.arena, &d.reached);
  pir_vec_free(d.arena, &d.holders);
  pir_map_free(d.arena, &d.needed);
  pir_run_count(run, "arguments that do not change", d.invariant);
  pir_run_count(run, "arguments and results removed", d.removed);
  return PIR_OK;
}
