// The greedy driver: a worklist of ops, patterns by falling benefit, until nothing changes. A rewrite puts the new ops,
// the changed ones and the definers of what was erased back on the list. Rewrites are bounded, so patterns that undo
// each other end in a report that names the busiest one.

#include <rewriter_impl.h>

#include <effects.h>
#include <map.h>
#include <vec.h>

#include <pir/walk.h>

enum { REWRITES_AN_OP = 16, SMALLEST_LIMIT = 1024, VISITS_A_REWRITE = 16 };

typedef struct driver {
  pir_rewriter *rewriter;
  pir_arena *arena;
  const pir_greedy_options *options;
  PIR_VEC(pir_op *) list;  // NULL where an op was erased
  pir_map places;          // op -> position in the list + 1
  PIR_VEC(const pir_pattern *) patterns;
  uint64_t *fired;  // per pattern, in the order of `patterns`
  uint64_t rewrites, limit, visits;
} driver;

static void enqueue(driver *d, pir_op *op) {
  uint64_t *place = pir_map_place(d->arena, &d->places, op, 0);
  if (*place) return;
  pir_vec_push(d->arena, &d->list, op);
  *place = d->list.count;
}

static void on_inserted(void *user, pir_op *op) { enqueue(user, op); }

static void on_erasing(void *user, pir_op *op) {
  driver *d = user;
  uint64_t *place = pir_map_find(&d->places, op);
  if (place && *place) d->list.items[*place - 1] = NULL;
  pir_map_remove(&d->places, op);
  for (size_t i = 0; i < pir_op_operands(op); i++)
    if (pir_op_operand_op(op, i)) enqueue(d, pir_op_operand_op(op, i));
}

static pir_walk_result collect(pir_op *op, void *user) { return enqueue(user, op), PIR_WALK_CONTINUE; }

// So that popping from the end gives program order.
static void reverse_list(driver *d) {
  for (size_t i = 0, j = d->list.count; i + 1 < j; i++) {
    pir_op *swapped = d->list.items[i];
    d->list.items[i] = d->list.items[--j];
    d->list.items[j] = swapped;
  }
  for (size_t i = 0; i < d->list.count; i++) *pir_map_find(&d->places, d->list.items[i]) = i + 1;
}

static void sort_patterns(driver *d, const pir_pattern *patterns, size_t count) {
  for (size_t i = 0; i < count; i++) {
    pir_vec_push(d->arena, &d->patterns, &patterns[i]);
    for (size_t j = i; j && d->patterns.items[j - 1]->benefit < d->patterns.items[j]->benefit; j--) {
      const pir_pattern *swapped = d->patterns.items[j];
      d->patterns.items[j] = d->patterns.items[j - 1];
      d->patterns.items[j - 1] = swapped;
    }
  }
}

static bool is_dead(const pir_op *op) {
  // Parameters are left to dead code elimination, which drops their bytes too.
  bool kept = pir_op_has_effect(op) || pir_op_has(op, PIR_PARAMETER) || pir_op_regions(op);
  return !kept && pir_op_unused(op) && pir_op_block(op);
}

static void visit(driver *d, pir_op *op) {
  if (d->options && d->options->erase_dead && is_dead(op)) {
    pir_rewriter_erase(d->rewriter, op);
    return;
  }
  uint32_t id = pir_op_def(op)->id;
  for (size_t i = 0; i < d->patterns.count; i++) {
    const pir_pattern *pattern = d->patterns.items[i];
    if (pattern->root && pattern->root != id) continue;
    if (!pattern->match_and_rewrite(op, d->rewriter, pattern->user)) continue;
    d->rewrites++;
    d->fired[i]++;
    return;
  }
}

static pir_status report_oscillation(const driver *d) {
  size_t busiest = 0;
  for (size_t i = 1; i < d->patterns.count; i++)
    if (d->fired[i] > d->fired[busiest]) busiest = i;
  return pir_report(d->rewriter->ctx, PIR_EXHAUSTED, PIR_ERROR, PIR_LOC_UNKNOWN,
                    "rewriting does not come to an end: %llu rewrites, %llu of them by %s",
                    (unsigned long long)d->rewrites, (unsigned long long)d->fired[busiest],
                    d->patterns.items[busiest]->name);
}

static pir_status drive(driver *d) {
  while (d->list.count) {
    pir_op *op = pir_vec_pop(&d->list);
    if (!op) continue;
    pir_map_put(d->arena, &d->places, op, 0);
    visit(d, op);
    if (d->rewriter->failed) return d->rewriter->failed;
    // Visits are bounded too: a pattern might change things and deny it.
    if (d->rewrites > d->limit || ++d->visits > VISITS_A_REWRITE * d->limit) return report_oscillation(d);
  }
  return PIR_OK;
}

pir_status pir_rewrite_greedy(pir_rewriter *rewriter, pir_program *program, const pir_pattern *patterns, size_t count,
                              const pir_greedy_options *options, bool *out_changed) {
  driver d = {.rewriter = rewriter, .arena = pir_context_arena(rewriter->ctx), .options = options};
  pir_rewrite_listener listener = {.inserted = on_inserted, .changed = on_inserted, .erasing = on_erasing, .user = &d};
  sort_patterns(&d, patterns, count);
  d.fired = pir_arena_zalloc(d.arena, count * sizeof *d.fired);
  pir_walk(pir_program_module(program), PIR_PRE_ORDER, collect, &d);
  reverse_list(&d);
  d.limit = options && options->max_rewrites ? options->max_rewrites : SMALLEST_LIMIT + REWRITES_AN_OP * d.list.count;
  pir_rewriter_listen(rewriter, &listener);
  pir_status status = drive(&d);
  pir_rewriter_unlisten(rewriter, &listener);
  if (out_changed) *out_changed = d.rewrites != 0;
  pir_arena_free(d.arena, d.fired, count * sizeof *d.fired);
  pir_vec_free(d.arena, &d.patterns);
  pir_vec_free(d.arena, &d.list);
  pir_map_free(d.arena, &d.places);
  return status;
}
