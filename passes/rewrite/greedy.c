// The greedy driver: a worklist of ops, and patterns in order of decreasing benefit, applied
// until nothing changes. Patterns are found by their root. A rewrite puts the new ops, the
// changed ops and the producers of erased ops' operands back on the list. The number of
// rewrites is bounded, so patterns that undo each other end in an error that names the last
// ones applied.

#include <rewriter_impl.h>

#include <effects.h>
#include <map.h>
#include <sized.h>
#include <vec.h>

#include <pir/compiler/walk.h>

enum { REWRITES_AN_OP = 16, SMALLEST_LIMIT = 1024, VISITS_A_REWRITE = 16, RECENT = 64 };

// The patterns for one root, including those for every op: a range of driver.order.
typedef struct bucket {
  uint32_t root;
  size_t first, count;
} bucket;

typedef struct driver {
  pir_rewriter *rewriter;
  pir_arena *arena;
  pir_greedy_options options;
  PIR_VEC(pir_op *) list;  // NULL where an op was erased
  pir_map places;          // op -> position in the list + 1
  const pir_pattern *patterns;
  size_t pattern_count;
  PIR_VEC(uint32_t) order;  // positions of patterns, bucket by bucket, by falling benefit
  PIR_VEC(bucket) buckets;  // the first is for ops that no pattern names
  pir_map by_root;          // op definition -> bucket + 1
  uint64_t *fired;          // per pattern
  uint32_t recent[RECENT];  // patterns that fired last
  uint64_t rewrites, limit, visits, op_count;
} driver;

static const bucket *bucket_of(const driver *d, const pir_op *op) {
  const uint64_t *at = d->by_root.count ? pir_map_find(&d->by_root, pir_op_def(op)) : NULL;
  return &d->buckets.items[at ? *at : 0];
}

// Ops without patterns are not visited.
static bool is_wanted(const driver *d, const pir_op *op) {
  return d->options.erase_dead || bucket_of(d, op)->count;
}

static void enqueue(driver *d, pir_op *op) {
  if (!is_wanted(d, op))
    return;
  uint64_t *place = pir_map_place(d->arena, &d->places, op, 0);
  if (*place)
    return;
  pir_vec_push(d->arena, &d->list, op);
  *place = d->list.count;
}

static void enter_worklist(void *user, pir_op *op) {
  enqueue(user, op);
}

// Pushes the remaining reader of a value that loses one of its two readers: patterns that
// require a single use may now match.
static pir_op *last_other_reader(const pir_value *value, const pir_op *going) {
  if (!value)
    return NULL;
  const pir_use *a = pir_value_first_use(value), *b = pir_use_next(a);
  if (!b || pir_use_next(b))
    return NULL;
  pir_op *other = pir_use_owner(pir_use_owner(a) == going ? b : a);
  return other == going ? NULL : other;
}

static void leave_worklist(void *user, pir_op *op) {
  driver *d = user;
  uint64_t *place = pir_map_find(&d->places, op);
  if (place && *place)
    d->list.items[*place - 1] = NULL;
  pir_map_remove(&d->places, op);
  if (d->rewriter->quiet)
    return;
  for (size_t i = 0; i < pir_op_operands(op); i++) {
    pir_op *left = last_other_reader(pir_op_operand(op, i), op);
    if (pir_op_operand_op(op, i))
      enqueue(d, pir_op_operand_op(op, i));
    if (left)
      enqueue(d, left);
  }
}

static pir_walk_result count_and_enqueue(pir_op *op, void *user) {
  driver *d = user;
  d->op_count++;
  enqueue(d, op);
  return PIR_WALK_CONTINUE;
}

// Pushes in reverse, so that popping gives program order.
static void reverse_list(driver *d) {
  for (size_t i = 0, j = d->list.count; i + 1 < j; i++) {
    pir_op *swapped = d->list.items[i];
    d->list.items[i] = d->list.items[--j];
    d->list.items[j] = swapped;
  }
  for (size_t i = 0; i < d->list.count; i++)
    *pir_map_find(&d->places, d->list.items[i]) = i + 1;
}

static void add_bucket(driver *d, uint32_t root) {
  bucket b = {root, d->order.count, 0};
  for (size_t i = 0; i < d->pattern_count; i++) {
    if (d->patterns[i].root && d->patterns[i].root != root)
      continue;
    pir_vec_push(d->arena, &d->order, (uint32_t)i);
    uint32_t *at = &d->order.items[d->order.count - 1];
    for (; at > &d->order.items[b.first] &&
           d->patterns[at[-1]].benefit < d->patterns[*at].benefit;
         at--) {
      uint32_t swapped = at[-1];
      at[-1] = *at;
      *at = swapped;
    }
  }
  b.count = d->order.count - b.first;
  pir_vec_push(d->arena, &d->buckets, b);
}

static void sort_patterns(driver *d) {
  add_bucket(d, 0);
  for (size_t i = 0; i < d->pattern_count; i++) {
    if (!d->patterns[i].root)
      continue;
    const pir_opdef *def = pir_context_op(d->rewriter->ctx, d->patterns[i].root);
    if (pir_map_find(&d->by_root, def))
      continue;
    add_bucket(d, d->patterns[i].root);
    pir_map_put(d->arena, &d->by_root, def, d->buckets.count - 1);
  }
}

static bool is_erasable(const pir_op *op) {
  // Unused parameters are left to dead code elimination, which drops their bytes too.
  bool kept = pir_op_has_effect(op) || pir_op_has(op, PIR_PARAMETER) || pir_op_regions(op);
  return !kept && pir_op_unused(op);
}

typedef struct op_list {
  pir_arena *arena;
  PIR_VEC(pir_op *) ops;
} op_list;

static pir_walk_result list_op(pir_op *op, void *user) {
  op_list *list = user;
  pir_vec_push(list->arena, &list->ops, op);
  return PIR_WALK_CONTINUE;
}

// Goes backwards, so that readers are erased before their operands.
void pir_rewriter_sweep(pir_rewriter *rewriter, pir_program *program) {
  op_list list = {.arena = pir_context_arena(rewriter->ctx)};
  pir_walk(pir_program_module(program), PIR_PRE_ORDER, list_op, &list);
  while (list.ops.count) {
    pir_op *op = pir_vec_pop(&list.ops);
    if (is_erasable(op))
      pir_rewriter_erase(rewriter, op);
  }
  pir_vec_free(list.arena, &list.ops);
}

static void rewrite_op(driver *d, pir_op *op) {
  if (d->options.erase_dead && is_erasable(op)) {
    pir_rewriter_erase(d->rewriter, op);
    return;
  }
  const bucket *b = bucket_of(d, op);
  pir_str name = pir_op_name(op);
  pir_loc loc = pir_op_loc(op);
  for (size_t i = 0; i < b->count; i++) {
    const pir_pattern *pattern = &d->patterns[d->order.items[b->first + i]];
    if (!pattern->match_and_rewrite(op, d->rewriter, pattern->user))
      continue;
    d->recent[d->rewrites++ % RECENT] = d->order.items[b->first + i];
    d->fired[pattern - d->patterns]++;
    if (d->rewriter->fired)
      d->rewriter->fired(d->rewriter->observer, pattern, name, loc);
    return;
  }
}

// Returns the pattern that fired most often among the last ones, except `but`; pattern_count if
// there is none.
static size_t busiest(const driver *d, size_t but) {
  size_t best = d->pattern_count, most = 0;
  for (size_t i = 0; i < d->pattern_count; i++) {
    size_t n = 0;
    for (size_t k = 0; k < RECENT && k < d->rewrites; k++)
      n += d->recent[k] == i;
    if (i != but && n > most) {
      best = i;
      most = n;
    }
  }
  return best;
}

static pir_status report_oscillation(const driver *d) {
  size_t first = busiest(d, d->pattern_count), second = busiest(d, first);
  pir_context *ctx = d->rewriter->ctx;
  if (first == d->pattern_count)
    return pir_report(ctx, PIR_EXHAUSTED, PIR_ERROR, PIR_LOC_UNKNOWN,
                      "rewriting does not come to an end: %llu visits without a rewrite",
                      (unsigned long long)d->visits);
  const pir_pattern *a = &d->patterns[first],
                    *b = second < d->pattern_count ? &d->patterns[second] : NULL;
  return pir_report(ctx, PIR_EXHAUSTED, PIR_ERROR, PIR_LOC_UNKNOWN,
                    "rewriting does not come to an end: after %llu rewrites %s%s%s%s%s%s%s%s%s "
                    "%s again and again",
                    (unsigned long long)d->rewrites, a->name, a->origin ? " (" : "",
                    a->origin ? a->origin : "", a->origin ? ")" : "", b ? " and " : "",
                    b ? b->name : "", b && b->origin ? " (" : "",
                    b && b->origin ? b->origin : "", b && b->origin ? ")" : "",
                    b ? "undo each other" : "fires");
}

static pir_status drive(driver *d) {
  while (d->list.count) {
    pir_op *op = pir_vec_pop(&d->list);
    if (!op)
      continue;
    pir_map_put(d->arena, &d->places, op, 0);
    pir_context_note_place(pir_op_context(op), pir_op_loc(op));
    rewrite_op(d, op);
    if (d->rewriter->failed)
      return d->rewriter->failed;
    // Visits are bounded too, because a pattern might change the program and return false.
    if (d->rewrites > d->limit || ++d->visits > VISITS_A_REWRITE * d->limit)
      return report_oscillation(d);
  }
  return PIR_OK;
}

static void free_driver(driver *d) {
  pir_arena_free(d->arena, d->fired, d->pattern_count * sizeof *d->fired);
  pir_vec_free(d->arena, &d->order);
  pir_vec_free(d->arena, &d->buckets);
  pir_vec_free(d->arena, &d->list);
  pir_map_free(d->arena, &d->by_root);
  pir_map_free(d->arena, &d->places);
}

pir_status pir_rewrite_greedy(pir_rewriter *rewriter, pir_program *program,
                              const pir_pattern *patterns, size_t count,
                              const pir_greedy_options *options, bool *out_changed) {
  driver d = {.rewriter = rewriter,
              .arena = pir_context_arena(rewriter->ctx),
              .patterns = patterns,
              .pattern_count = count};
  pir_rewrite_listener listener = {.inserted = enter_worklist,
                                   .changed = enter_worklist,
                                   .erasing = leave_worklist,
                                   .user = &d};
  PIR_TRY(PIR_TAKE(rewriter->ctx, pir_greedy_options, &d.options, options));
  sort_patterns(&d);
  d.fired = pir_arena_zalloc(d.arena, count * sizeof *d.fired);
  pir_walk(pir_program_module(program), PIR_PRE_ORDER, count_and_enqueue, &d);
  reverse_list(&d);
  d.limit = d.options.max_rewrites ? d.options.max_rewrites
                                   : SMALLEST_LIMIT + REWRITES_AN_OP * d.op_count;
  pir_rewriter_listen(rewriter, &listener);
  pir_status status = drive(&d);
  pir_rewriter_unlisten(rewriter, &listener);
  for (size_t i = 0; i < count && rewriter->counted; i++)
    if (d.fired[i])
      rewriter->counted(rewriter->observer, &patterns[i], d.fired[i]);
  if (out_changed)
    *out_changed = d.rewrites != 0;
  free_driver(&d);
  return status;
}
