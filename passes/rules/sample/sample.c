// Generates programs that a rule matches, for numeric checks. Ops are created in the order of
// the match. Inputs, constants and attributes that the match leaves open are drawn at random
// until inference accepts the op. Then the rule is tried; a failed condition is repaired and
// the program is built again. Finally a few extents are changed while the rule still matches,
// so that not all are equal. The number of attempts is bounded; on failure the report names the
// condition that was never satisfied.

#include <sized.h>
#include "sample.h"

#include <string.h>

// A rule that states why it may go unchecked is tried less often: mostly no sample fits.
enum { RESTARTS = 60, UNCHECKED_RESTARTS = 6, REPAIRS = 48, MOVES = 24 };

void sample_set_hole(sample *s, int32_t hole, const pir_rule_value *value) {
  s->holes[hole] = *value;
  s->holes[hole].attr = NULL;
  s->hole_set[hole] = true;
  if (value->kind != PIR_RULE_LIST)
    return;
  size_t n = value->count < SAMPLE_ITEMS ? value->count : SAMPLE_ITEMS;
  memmove(s->items[hole], value->items, n * sizeof *value->items);
  for (size_t i = 0; i < n; i++)
    s->items[hole][i].attr = NULL;
  s->holes[hole].items = s->items[hole];
  s->holes[hole].count = n;
}

// ---- trying the rule

typedef struct attempt {
  pir_program *program;
  bool matched;
  int16_t stuck_at;  // an op that no draw fits; -1: none
} attempt;

static void on_failed(void *user, rule_match *m, int32_t step, int32_t node) {
  sample *s = user;
  if (step < s->failed_step)
    return;
  s->failed_step = step;
  s->repaired = false;
  size_t heap = m->heap_used;
  sample_repair(s, m, node, true);
  m->heap_used = heap;
}

static bool match_root(sample_build *b, pir_rewriter *rewriter, pir_op *root) {
  b->m->rewriter = rewriter;
  b->s->failed_step = -1;
  b->m->failed = on_failed;
  b->m->failed_user = b->s;
  bool matched = root && rule_match_op(b->m, root);
  b->m->failed = NULL;
  if (b->m->eval_ready)
    evaluator_free(b->m->eval);
  b->m->eval_ready = false;
  return matched;
}

static attempt build_sample(sample *s, rule_match *m) {
  pir_heap *heap = pir_context_heap(s->ctx);
  sample_build *b = pir_heap_take_zeroed(heap, sizeof *b);
  attempt a = {.program = pir_program_create(s->ctx), .stuck_at = -1};
  pir_rewriter rewriter;
  pir_guard guard;
  pir_program_guard(a.program, &guard);
  b->s = s;
  b->m = m;
  b->program = a.program;
  pir_rewriter_init(&rewriter, a.program);
  m->rewriter = &rewriter;
  if (!pir_facts_create(a.program, &b->facts)) {
    rewriter.facts = b->facts;
    for (int16_t i = 0; i < s->rule->match_count && a.stuck_at < 0; i++)
      if (!sample_put_op(b, &s->t->ops[s->rule->match + i]))
        a.stuck_at = i;
    if (a.stuck_at < 0) {
      pir_op *root = pir_block_last(pir_program_block(a.program));
      sample_fetch_outputs(b);
      a.matched = match_root(b, &rewriter, root);
    }
    pir_facts_destroy(b->facts);
  }
  pir_heap_give(heap, b);
  pir_guard_close(&guard);
  return a;
}

static void start(sample *s) {
  static const int64_t extents[] = {2, 3, 4, 6};
  memset(s->values, 0, sizeof s->values);
  memset(s->hole_set, 0, sizeof s->hole_set);
  s->extent = extents[sample_random(s, 4)];
  s->dtype = sample_chance(s, 85) ? PIR_F32 : PIR_F64;
}

// Moves one extent, and keeps the move when the rule still matches.
static pir_program *move_extents(sample *s, rule_match *m, pir_program *program) {
  sample kept;
  pir_guard guard;
  pir_program_guard(program, &guard);
  for (int i = 0; i < MOVES; i++) {
    int32_t slot = (int32_t)sample_random(s, (uint32_t)s->rule->value_count);
    sample_value *v = &s->values[slot];
    if (!s->outside[slot] || !v->set || v->constant || v->rank < 1)
      continue;
    kept = *s;
    v->shape[sample_random(s, (uint32_t)v->rank)] = 1 + sample_random(s, 7);
    attempt a = build_sample(s, m);
    if (a.matched) {
      pir_guard_close(&guard);
      pir_program_destroy(program);
      program = a.program;
      pir_program_guard(program, &guard);
      continue;
    }
    pir_program_destroy(a.program);
    uint64_t random = s->random;
    *s = kept;
    s->random = random;
  }
  pir_guard_close(&guard);
  return program;
}

static void find_free(sample *s) {
  for (int32_t i = 0; i < s->rule->value_count; i++)
    s->outside[i] = true;
  for (int32_t i = 0; i < s->rule->hole_count; i++)
    s->free_hole[i] = true;
  for (int16_t i = 0; i < s->rule->match_count; i++) {
    const rule_op *p = &s->t->ops[s->rule->match + i];
    for (int16_t k = 0; k < p->result_count; k++) {
      int16_t at = s->t->results[p->results + k];
      if (at != -1)
        s->outside[at < -1 ? -2 - at : at] = false;
    }
  }
  for (int16_t i = 0; i < s->rule->step_count; i++) {
    const rule_step *step = &s->t->steps[s->rule->steps + i];
    if (step->kind == RULE_STEP_LET)
      s->free_hole[step->op] = false;
  }
}

static pir_program *search(sample *s, rule_match *m, int32_t *out_failed, int16_t *out_stuck) {
  *out_failed = -1;
  *out_stuck = -1;
  int restarts = s->rule->skip_check ? UNCHECKED_RESTARTS : RESTARTS;
  for (int restart = 0; restart < restarts; restart++) {
    start(s);
    for (int repair = 0; repair < REPAIRS; repair++) {
      attempt a = build_sample(s, m);
      if (a.matched)
        return move_extents(s, m, a.program);
      pir_program_destroy(a.program);
      if (a.stuck_at > *out_stuck)
        *out_stuck = a.stuck_at;
      if (a.stuck_at >= 0)
        break;
      if (s->failed_step > *out_failed)
        *out_failed = s->failed_step;
      if (!s->repaired)
        break;
    }
  }
  return NULL;
}

static void explain_failure(const sample *s, pir_context *ctx, int32_t failed, int16_t stuck,
                            char *out, size_t size) {
  if (failed >= 0)
    pir_text_format(out, size, "no sample meets the condition on line %u",
                    s->t->steps[s->rule->steps + failed].line);
  else if (stuck >= 0)
    pir_text_format(out, size, "no operands and attributes were found for \"%s\"",
                    pir_context_op(ctx, s->t->ops[s->rule->match + stuck].id)->name);
  else
    pir_text_format(out, size, "the samples do not match");
}

size_t pir_rule_pass_rules(const pir_rule_pass *rules) {
  return (size_t)rules->count;
}

pir_status pir_rule_pass_rule(const pir_rule_pass *rules, size_t i, pir_rule_info *out_info) {
  if (!rules)
    return PIR_INVALID;
  if (i >= (size_t)rules->count)
    return PIR_NOT_FOUND;
  const rule *r = &rules->tables->rules[rules->first + (int32_t)i];
  pir_rule_info info = {
      .name = r->name, .origin = r->origin, .unchecked = r->skip_check, .within = r->within};
  return pir_sized_write(out_info, &info, sizeof info);
}

typedef struct sample_call {
  pir_context *ctx;
  const pir_rule_pass *rules;
  size_t i;
  uint64_t seed;
  pir_program *program;
  char *out_why;
  size_t why_size;
} sample_call;

static pir_status make_sample(void *user) {
  sample_call *call = user;
  pir_context *ctx = call->ctx;
  const rule_tables *tables = call->rules->tables;
  pir_heap *heap = pir_context_heap(ctx);
  sample *s = pir_heap_take_zeroed(heap, sizeof *s);
  rule_match *m = pir_heap_take_zeroed(heap, sizeof *m);
  evaluator *eval = pir_heap_take_zeroed(heap, sizeof *eval);
  int32_t failed;
  int16_t stuck;
  s->ctx = ctx;
  s->t = tables;
  s->rule = &tables->rules[call->rules->first + (int32_t)call->i];
  s->random = call->seed;
  m->ctx = ctx;
  m->t = tables;
  m->rule = s->rule;
  m->eval = eval;
  find_free(s);
  call->program = search(s, m, &failed, &stuck);
  if (!call->program)
    explain_failure(s, ctx, failed, stuck, call->out_why, call->why_size);
  pir_heap_give(heap, eval);
  pir_heap_give(heap, m);
  pir_heap_give(heap, s);
  return call->program ? PIR_OK : PIR_NOT_FOUND;
}

pir_status pir_rule_sample(pir_context *ctx, const pir_rule_pass *rules, size_t i,
                           uint64_t seed, pir_program **out_program, char *out_why,
                           size_t why_size) {
  if (!ctx || !rules || !out_program || !out_why)
    return pir_refuse_null(ctx, __func__);
  sample_call call = {.ctx = ctx,
                      .rules = rules,
                      .i = i,
                      .seed = seed,
                      .out_why = out_why,
                      .why_size = why_size};
  pir_status status = pir_context_enter(ctx, make_sample, &call);
  *out_program = status ? NULL : call.program;
  return status;
}
