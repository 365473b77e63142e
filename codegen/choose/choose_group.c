// The kinds of groups, as one table: the number of contractions in a group of the kind, a test
// for the kind, and its lowering. Elementwise groups and row groups share an entry, because one
// function lowers both.
#include "choose.h"
#include "nest.h"

#include <strbuf.h>
#include <string.h>

enum { MOST_CONTRACTIONS = 2 };

// The group to be judged: its contractions in order, or the op that is a kind by itself.
typedef struct contents {
  const pir_op *alone;  // NULL: it has none
  group_kind kind;      // of `alone`
  const pir_op *contractions[MOST_CONTRACTIONS];
  int count;
  const pir_op *beyond;  // the first contraction too many, or NULL
} contents;

typedef struct group_way {
  const char *name;
  int contractions;
  // Whether a group with this number of contractions is of the kind; NULL: always.
  bool (*match)(const contents *c, const pir_facts *facts, const pir_target *target);
  void (*emit)(lowering *l, const contents *c, lower_stages *stages, lower_packings *packings);
} group_way;

static const pir_op *first_member(const pir_op *group) {
  return pir_block_first(pir_region_first(pir_op_region(group, 0)));
}

static group_kind kind_alone(const pir_op *op) {
  const pir_clause *clause = pir_op_meaning(op)->clause;
  if (clause && clause->kind == PIR_CLAUSE_SCAN)
    return GROUP_SCAN;
  if (clause && clause->kind == PIR_CLAUSE_SCATTER)
    return GROUP_UPDATES;
  if (lower_has_steps(op))
    return GROUP_STEPS;
  return lower_has_kernel(op) ? GROUP_KERNEL : GROUP_ELEMENTS;
}

static contents find_contractions(const pir_op *group) {
  contents c = {.count = 0};
  for (const pir_op *op = first_member(group); op && !c.beyond; op = pir_op_next(op)) {
    if (kind_alone(op) != GROUP_ELEMENTS) {
      c.alone = op;
      c.kind = kind_alone(op);
    }
    if (!contract_is_op(op))
      continue;
    if (c.count < MOST_CONTRACTIONS)
      c.contractions[c.count++] = op;
    else
      c.beyond = op;
  }
  return c;
}

// ---- the ways

static bool is_attention(const contents *c, const pir_facts *facts, const pir_target *target) {
  choose_attention a;
  return choose_find_attention(c->contractions[1], facts, target, &a);
}

static void emit_alone(lowering *l, const contents *c, lower_stages *stages,
                       lower_packings *packings) {
  if (!c->alone || !lower_on_device(l))
    lower_fail(l, l->group, "a group that is not of the kind that it states");
  else if (c->kind == GROUP_SCAN)
    lower_scan(l, c->alone, stages);
  else if (c->kind == GROUP_UPDATES)
    lower_updates(l, c->alone, stages);
  else if (c->kind == GROUP_STEPS)
    lower_steps(l, c->alone, stages);
  else
    lower_kernel(l, c->alone, stages);
}

static void emit_nests(lowering *l, const contents *c, lower_stages *stages,
                       lower_packings *packings) {
  lower_nests(l, stages);
}

static void emit_plain_sums(lowering *l, const contents *c, lower_stages *stages,
                            lower_packings *packings) {
  l->sums = lower_on_device(l);
  lower_nests(l, stages);
}

static void emit_contraction(lowering *l, const contents *c, lower_stages *stages,
                             lower_packings *packings) {
  contract_lower_one(l, c->contractions[0], stages, packings);
}

static void emit_pair(lowering *l, const contents *c, lower_stages *stages,
                      lower_packings *packings) {
  contract_lower_pair(l, c->contractions, stages, packings);
}

static void emit_attention(lowering *l, const contents *c, lower_stages *stages,
                           lower_packings *packings) {
  choose_attention a;
  if (!choose_find_attention(c->contractions[1], l->facts, l->target, &a)) {
    lower_fail(l, c->contractions[1], "a group that is not the attention it states to be");
    return;
  }
  const pir_op *yield = lower_yield(l);
  for (size_t i = 0; a.turn && i < pir_op_operands(yield); i++) {
    lower_value *v = lower_add(l, pir_op_operand(yield, i));
    v->turn = pir_loop_alloc(l->m, sizeof a.from);
    memcpy(v->turn, a.from, sizeof a.from);
  }
  if (lower_on_device(l))
    lower_attention_device(l, &a.found, stages);
  else
    lower_attention(l, &a.found, stages);
}

static const group_way ways[GROUP_KINDS] = {
    [GROUP_ELEMENTS] = {"elements", 0, NULL, emit_nests},
    [GROUP_SCAN] = {"scan", 0, NULL, emit_alone},
    [GROUP_UPDATES] = {"updates", 0, NULL, emit_alone},
    [GROUP_KERNEL] = {"kernel", 0, NULL, emit_alone},
    [GROUP_STEPS] = {"steps", 0, NULL, emit_alone},
    [GROUP_ROWS] = {"rows", 0, NULL, emit_nests},
    [GROUP_SUMS] = {"sums", 1, NULL, emit_plain_sums},
    [GROUP_CONTRACTION] = {"contraction", 1, NULL, emit_contraction},
    [GROUP_PAIR] = {"pair", 2, NULL, emit_pair},
    [GROUP_ATTENTION] = {"attention", 2, is_attention, emit_attention},
};

const char *choose_kind_name(group_kind kind) {
  return ways[kind].name;
}

// ---- the kind of a group

static bool stated_kind(const pir_op *group, group_kind *out) {
  const pir_attr *stated = pir_op_attr_str(group, "kind");
  for (int k = 0; stated && k < GROUP_KINDS; k++) {
    if (!pir_str_equal(pir_attr_as_str(stated), pir_str_from(ways[k].name)))
      continue;
    *out = (group_kind)k;
    return true;
  }
  return false;
}

// Returns the last kind in the table whose conditions hold, so attention is preferred to a
// pair.
static group_kind find_kind(const contents *c, const pir_facts *facts,
                            const pir_target *target) {
  if (c->alone && target && target->device)
    return c->kind;
  for (int k = GROUP_KINDS - 1; k > GROUP_ELEMENTS; k--) {
    const group_way *way = &ways[k];
    if (way->contractions == c->count && (!way->match || way->match(c, facts, target)))
      return (group_kind)k;
  }
  return GROUP_ELEMENTS;
}

group_kind choose_kind_of(const pir_op *group, const pir_facts *facts,
                          const pir_target *target) {
  group_kind kind;
  if (stated_kind(group, &kind))
    return kind;
  contents c = find_contractions(group);
  return find_kind(&c, facts, target);
}

// ---- stages

static void vectorise_stages(lowering *l, loop_fn *fn) {
  for (; fn && !l->why; fn = fn->next) {
    pir_status status = lower_on_device(l) ? pir_loop_bind_threads(fn, l->target)
                                           : pir_loop_vectorise(fn, l->target);
    if (status)
      lower_fail(l, l->group, "a loop that cannot be vectorised");
  }
}

bool choose_emit(lowering *l, lower_stages *stages, lower_packings *packings) {
  loop_fn *before = l->m->last;
  l->m->flush = l->math == PIR_MATH_BF16;
  lower_count_place(l, l->group);
  lower_interface(l);
  for (const pir_op *op = first_member(l->group); op; op = pir_op_next(op))
    lower_expect_required(l, op);
  contents c = find_contractions(l->group);
  if (c.beyond)
    lower_fail(l, c.beyond, "a third contraction in a group");
  if (l->why)
    return false;
  const group_way *way = &ways[choose_kind_of(l->group, l->facts, l->target)];
  if (way->contractions != c.count) {
    lower_fail(l, l->group, "a group with other contractions than its kind has");
    return false;
  }
  way->emit(l, &c, stages, packings);
  vectorise_stages(l, before ? before->next : l->m->first);
  return !l->why;
}

bool choose_can_emit(const pir_op *group, const pir_facts *facts, const pir_target *target) {
  lower_stages stages = {0};
  lower_packings packings = {0};
  probe p;
  probe_open(&p, facts, target, group);
  p.l.refuse_at = pir_group_refused_by(group, "choose");
  bool can = choose_emit(&p.l, &stages, &packings);
  if (!can)
    pir_remark(p.l.where, "is not compiled: unsupported: %s", p.l.why);
  probe_close(&p);
  return can;
}

void choose_explain(const lowering *l, const lower_stages *stages) {
  pir_context *ctx = pir_op_context(l->group);
  pir_strbuf ops;
  if (!pir_context_remarks(ctx))
    return;
  pir_strbuf_init(&ops, &l->m->arena);
  for (const pir_op *op = first_member(l->group); pir_op_next(op); op = pir_op_next(op)) {
    if (ops.size)
      pir_strbuf_lit(&ops, ", ");
    pir_strbuf_str(&ops, pir_op_name(op));
  }
  pir_str text = pir_strbuf_view(&ops);
  pir_ignore(pir_report_op(l->group, PIR_OK, PIR_REMARK, "group of %.*s: %zu stage%s%s%s",
                           (int)text.size, text.data, stages->count,
                           stages->count == 1 ? "" : "s", l->how[0] ? "; " : "", l->how));
  pir_strbuf_free(&ops);
}
