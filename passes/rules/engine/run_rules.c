// A pass made of rules. Each rule is a pattern of the greedy driver, which finds it by its root
// and orders it by benefit.

#include <sized.h>
#include <manager_impl.h>
#include <helpers.h>
#include "match.h"
#include "run.h"

#include <pir/compiler/walk.h>

typedef struct runner {
  rule_match match;
  evaluator eval;
} runner;

typedef struct rule_pattern {
  runner *runner;
  const rule *rule;
} rule_pattern;

static void explain_refusal(const rule_match *m, const pir_op *op) {
  char text[160];
  const rule_step *step = m->reached >= 0 && m->reached < m->rule->step_count
                              ? &m->t->steps[m->rule->steps + m->reached]
                              : NULL;
  if (m->hindrance)
    pir_text_format(text, sizeof text, "%s", m->hindrance);
  else if (m->reached == m->rule->step_count)
    pir_text_format(text, sizeof text,
                    "a value that would go is read elsewhere ('shared' keeps its op)");
  else if (!step)
    pir_text_format(text, sizeof text, "operands, attributes or readers of results differ");
  else if (step->kind == RULE_STEP_WHERE || step->kind == RULE_STEP_LET)
    pir_text_format(text, sizeof text, "the condition on line %u does not hold", step->line);
  else
    pir_text_format(text, sizeof text, "no \"%s\" that fits",
                    pir_context_op(m->ctx, m->t->ops[m->rule->match + step->op].id)->name);
  m->rewriter->refused(m->rewriter->observer, m->rule->name, m->rule->origin, op, text);
}

static bool apply(pir_op *op, pir_rewriter *rewriter, void *user) {
  const rule_pattern *p = user;
  rule_match *m = &p->runner->match;
  if (m->mode && !m->mode->takes(m->mode->user, op))
    return false;
  m->rule = p->rule;
  m->hindrance = NULL;
  bool done = rule_match_op(m, op) && rule_rewrite(m, op);
  if (!done && rewriter->refused)
    explain_refusal(m, op);
  return done;
}

// The name that node i reads an option by; NULL: it reads none.
static const char *option_key(const rule_tables *t, size_t i) {
  const rule_node *node = &t->nodes[i];
  bool reads = node->op == RULE_HELPER && node->helper == pir_helper_option;
  return reads ? t->nodes[t->pool[node->a]].text : NULL;
}

static bool is_first_reader(const rule_tables *t, size_t i, const char *key) {
  for (size_t k = 0; k < i; k++) {
    const char *other = option_key(t, k);
    if (other && strcmp(other, key) == 0)
      return false;
  }
  return true;
}

// The default as text; empty for an expression that only a match computes.
static void write_otherwise(const rule_node *node, char *out, size_t size) {
  *out = 0;
  switch (node->op) {
    case RULE_INT: pir_text_format(out, size, "%lld", (long long)node->i); break;
    case RULE_FLOAT: pir_text_format(out, size, "%g", node->f); break;
    case RULE_BOOL: pir_text_format(out, size, "%s", node->i ? "true" : "false"); break;
    case RULE_TEXT: pir_text_format(out, size, "%s", node->text); break;
    default: break;
  }
}

bool rules_read_option(const pir_rule_pass *rules, size_t i, pir_taken_option *out) {
  const rule_tables *t = rules->tables;
  size_t at = 0;
  for (size_t k = 0; k < t->node_count; k++) {
    const char *key = option_key(t, k);
    if (!key || !is_first_reader(t, k, key) || at++ != i)
      continue;
    const rule_node *otherwise = &t->nodes[t->pool[t->nodes[k].a + 1]];
    bool number = otherwise->op == RULE_INT;
    *out = (pir_taken_option){.key = key,
                              .kind = number ? PIR_OPTION_NUMBER : PIR_OPTION_TEXT,
                              .summary = "read by its rules"};
    write_otherwise(otherwise, out->otherwise, sizeof out->otherwise);
    return true;
  }
  return false;
}

pir_rule_value rule_option(void *user, pir_str name, const pir_rule_value *otherwise) {
  const rule_match *m = user;
  pir_rule_value value = *otherwise;
  char key[64];
  pir_text_format(key, sizeof key, "%.*s", (int)name.size, name.data);
  pir_str text = m->run ? pir_run_option(m->run, key) : (pir_str){NULL, 0};
  if (!text.size)
    return value;
  value.attr = NULL;
  value.text = text;
  if (value.kind == PIR_RULE_INT)
    value.i = pir_run_option_int(m->run, key, value.i);
  return value;
}

static void forget_constants(void *user, pir_op *op) {
  runner *r = user;
  if (r->match.eval_ready)
    evaluator_forget(&r->eval, op);
}

static pir_walk_result find_inplace(pir_op *op, void *user) {
  *(bool *)user = pir_op_has(op, PIR_INPLACE);
  return *(bool *)user ? PIR_WALK_STOP : PIR_WALK_CONTINUE;
}

static pir_status run_with(pir_pass_run *run, runner *r, const pir_rule_pass *rules,
                           const pir_pattern *patterns, size_t count) {
  pir_arena *arena = pir_context_arena(run->rewriter->ctx);
  size_t total = count + (size_t)rules->count;
  pir_pattern *all = pir_arena_zalloc(arena, total * sizeof *all);
  rule_pattern *users = pir_arena_zalloc(arena, (size_t)rules->count * sizeof *users);
  for (int32_t i = 0; i < rules->count; i++) {
    const rule *next = &rules->tables->rules[rules->first + i];
    users[i] = (rule_pattern){r, next};
    all[i] =
        (pir_pattern){next->name, next->root, next->benefit, apply, &users[i], next->origin};
  }
  for (size_t i = 0; i < count; i++)
    all[(size_t)rules->count + i] = patterns[i];
  pir_rewrite_listener listener = {.erasing = forget_constants, .user = r};
  pir_rewriter_listen(run->rewriter, &listener);
  pir_status status = pir_rewrite_greedy(run->rewriter, run->program, all, total, NULL, NULL);
  pir_rewriter_unlisten(run->rewriter, &listener);
  pir_arena_free(arena, users, (size_t)rules->count * sizeof *users);
  pir_arena_free(arena, all, total * sizeof *all);
  return status;
}

static void add_count(void *user, const pir_pattern *pattern, uint64_t n) {
  *(uint64_t *)user += n;
}

typedef struct apply_call {
  pir_program *program;
  pir_rule_pass one;
  uint64_t count;
} apply_call;

static pir_status apply_rule(void *user) {
  apply_call *call = user;
  pir_rule_pass one = call->one;
  pir_rewriter rewriter;
  pir_pass_run run = {.program = call->program, .rewriter = &rewriter};
  pir_rewriter_init(&rewriter, call->program);
  rewriter.counted = add_count;
  rewriter.observer = &call->count;
  pir_status status = pir_rules_run(&run, &one, NULL, 0);
  if (!status)
    status = rewriter.failed;
  pir_rewriter_drop_facts(&rewriter);
  return status;
}

pir_status pir_rule_apply(pir_program *program, const pir_rule_pass *rules, size_t i,
                          uint64_t *out_count) {
  if (!program || !rules || !out_count)
    return pir_refuse_null(program ? pir_program_context(program) : NULL, __func__);
  if (i >= (size_t)rules->count)
    return pir_report(pir_program_context(program), PIR_NOT_FOUND, PIR_ERROR, PIR_LOC_UNKNOWN,
                      "the pass has %d rules, so there is no rule %zu", rules->count, i);
  apply_call call = {.program = program, .one = {rules->tables, rules->first + (int32_t)i, 1}};
  pir_status status = pir_context_enter(pir_program_context(program), apply_rule, &call);
  *out_count = call.count;
  return status;
}

static pir_status run_in_mode(pir_pass_run *run, const pir_rule_pass *rules,
                              const pir_pattern *patterns, size_t count,
                              const rules_mode *mode) {
  pir_arena *arena = pir_context_arena(run->rewriter->ctx);
  runner *r = pir_arena_alloc(arena, sizeof *r);
  rule_match *m = &r->match;
  m->rewriter = run->rewriter;
  m->run = run;
  m->ctx = run->rewriter->ctx;
  m->t = rules->tables;
  m->mode = mode;
  m->eval = &r->eval;
  m->eval_ready = m->has_inplace = false;
  m->failed = NULL;
  pir_walk(pir_program_module(run->program), PIR_PRE_ORDER, find_inplace, &m->has_inplace);
  pir_status status = run_with(run, r, rules, patterns, count);
  if (m->eval_ready)
    evaluator_free(&r->eval);
  pir_arena_free(arena, r, sizeof *r);
  return status;
}

pir_status pir_rules_run(pir_pass_run *run, const pir_rule_pass *rules,
                         const pir_pattern *patterns, size_t count) {
  return run_in_mode(run, rules, patterns, count, NULL);
}

pir_status rules_run(pir_pass_run *run, const pir_rule_pass *rules, const rules_mode *mode) {
  return run_in_mode(run, rules, NULL, 0, mode);
}

const pir_rule_pass *run_rules(const pir_pass_run *run) {
  const pir_pass_manager *manager = run->manager;
  return manager->entries.items[manager->current].pass->rules;
}
