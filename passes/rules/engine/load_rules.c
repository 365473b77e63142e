// Loads rules at run time: the front end's arrays serve as the tables.

#include "front.h"

#include <sized.h>

void drr_init(drr *d, pir_context *ctx, const pir_rules_options *options) {
  *d = (drr){.ctx = ctx, .arena = pir_context_arena(ctx), .options = options};
}

void drr_free(drr *d) {
  pir_vec_free(d->arena, &d->variables);
  pir_vec_free(d->arena, &d->patterns);
  pir_vec_free(d->arena, &d->defs);
  pir_vec_free(d->arena, &d->choices);
  pir_vec_free(d->arena, &d->externs);
  pir_vec_free(d->arena, &d->passes);
  pir_vec_free(d->arena, &d->imported);
  pir_vec_free(d->arena, &d->ops);
  pir_vec_free(d->arena, &d->operands);
  pir_vec_free(d->arena, &d->results);
  pir_vec_free(d->arena, &d->attrs);
  pir_vec_free(d->arena, &d->steps);
  pir_vec_free(d->arena, &d->nodes);
  pir_vec_free(d->arena, &d->pool);
  pir_vec_free(d->arena, &d->outputs);
  pir_vec_free(d->arena, &d->rules);
  pir_vec_free(d->arena, &d->infos);
  pir_vec_free(d->arena, &d->names);
  pir_vec_free(d->arena, &d->op_places);
  pir_vec_free(d->arena, &d->conditions);
}

rule_tables drr_tables(const drr *d) {
  return (rule_tables){.ops = d->ops.items,
                       .operands = d->operands.items,
                       .results = d->results.items,
                       .attrs = d->attrs.items,
                       .steps = d->steps.items,
                       .nodes = d->nodes.items,
                       .pool = d->pool.items,
                       .outputs = d->outputs.items,
                       .rules = d->rules.items,
                       .node_count = d->nodes.count};
}

struct pir_rules {
  drr front;
  rule_tables tables;
  pir_pass *passes;
  pir_rule_pass *sets;
  size_t count;
};

typedef struct load_call {
  pir_context *ctx;
  pir_str text;
  const pir_rules_options *options;
  pir_rules *rules;
} load_call;

static pir_status load_rules(void *user) {
  load_call *call = user;
  pir_context *ctx = call->ctx;
  pir_rules_options known;
  PIR_TRY(PIR_TAKE(ctx, pir_rules_options, &known, call->options));
  pir_arena *arena = pir_context_arena(ctx);
  pir_rules *rules = pir_arena_zalloc(arena, sizeof *rules);
  drr *d = &rules->front;
  drr_init(d, ctx, &known);
  // Copies the file's name, because diagnostics and traces outlive the caller's text.
  pir_str file = known.file.size ? known.file : PIR_STR("rules");
  if (!drr_read(d, pir_name_str(pir_name_get(ctx, file)), call->text) || d->errors) {
    pir_rules_destroy(rules);
    return PIR_INVALID;
  }
  d->options = NULL;  // only reading asks for them
  rules->tables = drr_tables(d);
  rules->count = d->passes.count;
  rules->passes = pir_arena_zalloc(arena, rules->count * sizeof *rules->passes);
  rules->sets = pir_arena_zalloc(arena, rules->count * sizeof *rules->sets);
  for (size_t i = 0; i < rules->count; i++) {
    const drr_pass *pass = &d->passes.items[i];
    rules->sets[i] = (pir_rule_pass){&rules->tables, pass->first, pass->count};
    rules->passes[i] = (pir_pass){.name = pass->name,
                                  .short_name = pass->short_name,
                                  .level = pass->level,
                                  .summary = pass->summary,
                                  .rules = &rules->sets[i]};
  }
  call->rules = rules;
  return PIR_OK;
}

pir_status pir_rules_load(pir_context *ctx, pir_str text, const pir_rules_options *options,
                          pir_rules **out_rules) {
  load_call call = {.ctx = ctx, .text = text, .options = options};
  if (!ctx || !out_rules)
    return pir_refuse_null(ctx, __func__);
  pir_status status = pir_context_enter(ctx, load_rules, &call);
  *out_rules = status ? NULL : call.rules;
  return status;
}

void pir_rules_destroy(pir_rules *rules) {
  if (!rules)
    return;
  pir_arena *arena = rules->front.arena;
  pir_arena_free(arena, rules->passes, rules->count * sizeof *rules->passes);
  pir_arena_free(arena, rules->sets, rules->count * sizeof *rules->sets);
  drr_free(&rules->front);
  pir_arena_free(arena, rules, sizeof *rules);
}

size_t pir_rules_passes(const pir_rules *rules) {
  return rules->count;
}
const pir_pass *pir_rules_pass(const pir_rules *rules, size_t i) {
  return i < rules->count ? &rules->passes[i] : NULL;
}
