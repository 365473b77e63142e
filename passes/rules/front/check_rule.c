// Checks rules that have parsed. In one rule: a literal of the wrong kind, a removed value that
// is still read, an emit that the rule's own match would match again. Among the rules of a
// pass: a rule that never applies, and two rules that match the same ops without a stated
// order. Only certain faults are refused; nothing is said about cases that conditions decide.

#include "front.h"

#include <string.h>

// ---- literals and kinds

static const char *kind_name(uint8_t kind) {
  switch ((pir_attr_kind)kind) {
    case PIR_ATTR_BOOL: return "a bool";
    case PIR_ATTR_I32:
    case PIR_ATTR_I64:
    case PIR_ATTR_INDEX: return "an integer";
    case PIR_ATTR_F32:
    case PIR_ATTR_F64:
    case PIR_ATTR_SCALAR: return "a number";
    case PIR_ATTR_STR:
    case PIR_ATTR_TENSOR_NAME:
    case PIR_ATTR_LAYOUT: return "a text";
    case PIR_ATTR_DTYPE: return "an element type";
    case PIR_ATTR_PLACE: return "a place";
    case PIR_ATTR_ARRAY:
    case PIR_ATTR_INT_ARRAY: return "a list";
    default: return "something else";
  }
}

static bool suits_attr_kind(const drr *d, uint8_t kind, uint8_t element_kind, int32_t at) {
  const rule_node *n = &d->nodes.items[at];
  uint8_t op = n->op == RULE_NEG ? d->nodes.items[n->a].op : n->op;
  switch ((pir_attr_kind)kind) {
    case PIR_ATTR_BOOL: return op == RULE_BOOL;
    case PIR_ATTR_I32:
    case PIR_ATTR_I64:
    case PIR_ATTR_INDEX: return op == RULE_INT;
    case PIR_ATTR_F32:
    case PIR_ATTR_F64: return op == RULE_INT || op == RULE_FLOAT;
    case PIR_ATTR_SCALAR: return op == RULE_INT || op == RULE_FLOAT || op == RULE_BOOL;
    case PIR_ATTR_STR:
    case PIR_ATTR_TENSOR_NAME:
    case PIR_ATTR_LAYOUT: return op == RULE_TEXT;
    case PIR_ATTR_DTYPE: return op == RULE_DTYPE;
    case PIR_ATTR_PLACE: return op == RULE_PLACE;
    case PIR_ATTR_INT_ARRAY: element_kind = PIR_ATTR_I64; break;
    case PIR_ATTR_ARRAY: break;
    default: return true;
  }
  for (int32_t i = 0; op == RULE_LIST && i < n->b; i++)
    if (!suits_attr_kind(d, element_kind, 0, d->pool.items[n->a + i]))
      return false;
  return op == RULE_LIST;
}

bool drr_check_attr(drr *d, const drr_place *at, const pir_attr_def *def, int32_t node) {
  if (!drr_is_literal(d, node) || suits_attr_kind(d, def->kind, def->element_kind, node))
    return true;
  bool is_list = def->kind == PIR_ATTR_ARRAY || def->kind == PIR_ATTR_INT_ARRAY;
  return drr_error(d, at, "attribute '%s' is %s%s", def->name, kind_name(def->kind),
                   is_list && d->nodes.items[node].op == RULE_LIST ? " of other elements" : "");
}

// ---- whether one pattern says less than another

// Some ops of a rule: its match, or its emit.
typedef struct graph {
  const drr *d;
  int32_t first;
  int16_t count, root;
} graph;

typedef struct comparison {
  graph a, b;
  int16_t partner[RULE_MAX_OPS];    // for each op of a, its partner in b
  int32_t values[RULE_MAX_VALUES];  // for each value of a, the value of b; -1: not met
  bool holes[RULE_MAX_HOLES];       // holes of a that were met
  int16_t met;
} comparison;

static const rule_op *op_of(const graph *g, int i) {
  return &g->d->ops.items[g->first + i];
}

// The op that defines a value; -1 if it comes from outside.
static int defining_op(const graph *g, int32_t slot) {
  for (int i = 0; i < g->count; i++)
    for (int16_t k = 0; k < op_of(g, i)->result_count; k++) {
      int16_t at = g->d->results.items[op_of(g, i)->results + k];
      if (at == slot || at == -2 - slot)
        return i;
    }
  return -1;
}

static bool same_literal(const drr *d, int32_t a, int32_t b) {
  const rule_node *x = &d->nodes.items[a], *y = &d->nodes.items[b];
  if (x->op != y->op)
    return false;
  if (x->op == RULE_NEG)
    return same_literal(d, x->a, y->a);
  if (x->op == RULE_FLOAT)
    return x->f == y->f;
  if (x->op == RULE_TEXT)
    return strcmp(x->text, y->text) == 0;
  if (x->op != RULE_LIST)
    return x->i == y->i;
  for (int32_t i = 0; x->b == y->b && i < x->b; i++)
    if (!same_literal(d, d->pool.items[x->a + i], d->pool.items[y->a + i]))
      return false;
  return x->b == y->b;
}

static bool is_given(const drr *d, const rule_op *op, const char *name, int32_t literal) {
  for (int16_t k = 0; k < op->attr_count; k++) {
    const rule_attr *attr = &d->attrs.items[op->attrs + k];
    if (strcmp(attr->name, name) != 0)
      continue;
    return literal < 0 || (attr->node >= 0 && same_literal(d, attr->node, literal));
  }
  return false;
}

static bool covers_attrs(comparison *c, const rule_op *x, const rule_op *y) {
  const drr *d = c->a.d;
  for (int16_t i = 0; i < x->attr_count; i++) {
    const rule_attr *attr = &d->attrs.items[x->attrs + i];
    if (attr->node >= 0) {
      if (!is_given(d, y, attr->name, attr->node))
        return false;
    } else if (c->holes[attr->hole] ||
               (attr->position < 0 && !is_given(d, y, attr->name, -1))) {
      return false;
    } else {
      c->holes[attr->hole] = true;
    }
  }
  return true;
}

static bool covers(comparison *c, int i, int j);

static bool covers_value(comparison *c, int32_t x, int32_t y) {
  int i = defining_op(&c->a, x), j = defining_op(&c->b, y);
  if (c->values[x] >= 0)
    return c->values[x] == y;
  c->values[x] = y;
  return i < 0 || (j >= 0 && covers(c, i, j));
}

static bool covers_operand(comparison *c, const rule_operand *x, const rule_operand *y) {
  switch ((rule_operand_kind)x->kind) {
    case RULE_OPERAND_ANY: return true;
    case RULE_OPERAND_NONE: return y->kind == RULE_OPERAND_NONE;
    case RULE_OPERAND_VALUE:
    case RULE_OPERAND_VALUES: return y->kind == x->kind && covers_value(c, x->at, y->at);
    case RULE_OPERAND_MAYBE:
      return y->kind == RULE_OPERAND_VALUE && covers_value(c, x->at, y->at);
    case RULE_OPERAND_NODE:
      return y->kind == RULE_OPERAND_NODE && same_literal(c->a.d, x->at, y->at);
    case RULE_OPERAND_HOLE: break;
  }
  if (c->holes[x->at] || (y->kind != RULE_OPERAND_HOLE && y->kind != RULE_OPERAND_NODE))
    return false;
  return c->holes[x->at] = true;
}

static bool covers(comparison *c, int i, int j) {
  const rule_op *x = op_of(&c->a, i), *y = op_of(&c->b, j);
  if (c->partner[i] >= 0)
    return c->partner[i] == j;
  for (int16_t k = 0; k < c->a.count; k++)
    if (c->partner[k] == j)
      return false;  // a match binds an op once
  c->partner[i] = (int16_t)j;
  c->met++;
  if (x->id != y->id || x->each != y->each || x->operand_count != y->operand_count ||
      x->shared < y->shared)
    return false;
  for (int16_t k = 0; k < y->result_count; k++) {
    int16_t p = k < x->result_count ? c->a.d->results.items[x->results + k] : -1;
    if (p == -1 && c->b.d->results.items[y->results + k] != -1)
      return false;  // one that `x` requires to be unread
  }
  for (int16_t k = 0; k < x->operand_count; k++)
    if (!covers_operand(c, &c->a.d->operands.items[x->operands + k],
                        &c->b.d->operands.items[y->operands + k]))
      return false;
  return covers_attrs(c, x, y);
}

// Whether `a` certainly matches wherever `b` does.
static bool says_less(graph a, graph b) {
  comparison c = {.a = a, .b = b};
  memset(c.partner, -1, sizeof c.partner);
  memset(c.values, -1, sizeof c.values);
  return covers(&c, a.root, b.root) && c.met == a.count;
}

// ---- one rule

static bool survives(const drr *d, int32_t slot) {
  const drr_value *v = &d->values[slot];
  if (v->emitted || v->def < 0)
    return true;
  const rule_op *op = &d->ops.items[d->rule.match + v->def];
  return op->shared || pir_context_op(d->ctx, op->id)->traits & PIR_CONSTANT;
}

static bool check_reads(drr *d) {
  for (int16_t i = 0; i < d->rule.emit_count; i++) {
    const rule_op *op = &d->ops.items[d->rule.emit + i];
    for (int16_t k = 0; k < op->operand_count; k++) {
      const rule_operand *o = &d->operands.items[op->operands + k];
      bool value = o->kind == RULE_OPERAND_VALUE || o->kind == RULE_OPERAND_VALUES;
      if (!value || survives(d, o->at))
        continue;
      return drr_error(
          d, &d->op_places.items[d->rule.match_count + i],
          "%%%s goes with the match: write 'shared %%%s' to keep it, or define it above",
          d->values[o->at].name, d->values[o->at].name);
    }
  }
  for (int16_t i = 0; i < d->rule.output_count; i++) {
    const rule_output *o = &d->outputs.items[d->rule.outputs + i];
    if (!survives(d, o->new_value))
      return drr_error(d, &d->values[o->old_value].at,
                       "%%%s, which it becomes, goes with the match",
                       d->values[o->new_value].name);
  }
  return true;
}

static bool is_redefined(const drr *d, int32_t slot) {
  for (int16_t i = 0; i < d->rule.output_count; i++)
    if (d->outputs.items[d->rule.outputs + i].old_value == slot)
      return true;
  return false;
}

static bool check_root(drr *d) {
  const rule_op *root = &d->ops.items[d->rule.match + d->rule.root_op];
  const drr_value *missing = NULL;
  for (int16_t k = 0; k < root->result_count; k++) {
    int16_t at = d->results.items[root->results + k];
    if (at == -1)
      continue;
    int32_t slot = at < -1 ? -2 - at : at;
    if (is_redefined(d, slot))
      return true;
    missing = &d->values[slot];
  }
  if (missing)
    return drr_error(d, &missing->at, "the emit leaves %%%s undefined", missing->name);
  return true;
}

static bool check_repetition(drr *d) {
  graph match = {d, d->rule.match, d->rule.match_count, d->rule.root_op};
  if (d->info.recursive || d->conditions.count)
    return true;
  for (int16_t i = 0; i < d->rule.emit_count; i++) {
    graph emit = {d, d->rule.emit, d->rule.emit_count, i};
    if (op_of(&match, match.root)->id == op_of(&emit, i)->id && says_less(match, emit))
      return drr_error(
          d, &d->op_places.items[d->rule.match_count + i],
          "the rule matches what it emits and would not end; write 'recursive' if it does");
  }
  return true;
}

bool drr_check_rule(drr *d) {
  return check_reads(d) && check_root(d) && check_repetition(d);
}

// ---- the rules of a pass

// A `let` is a condition as well: its value may be unknown, or differ from the one that an
// attribute has.
static bool has_conditions(const drr *d, const rule *r) {
  for (int16_t i = 0; i < r->step_count; i++) {
    uint8_t kind = d->steps.items[r->steps + i].kind;
    if (kind == RULE_STEP_WHERE || kind == RULE_STEP_LET)
      return true;
  }
  return false;
}

static graph match_of(const drr *d, const rule *r) {
  return (graph){d, r->match, r->match_count, r->root_op};
}

static bool goes_first(const rule *a, const rule *b, int32_t i, int32_t j) {
  return a->benefit != b->benefit ? a->benefit > b->benefit : i < j;
}

static void check_pair(drr *d, int32_t i, int32_t j) {
  const rule *a = &d->rules.items[i], *b = &d->rules.items[j];
  if (a->root != b->root || !goes_first(a, b, i, j) || has_conditions(d, a))
    return;
  // Requiring that an op has no other readers is a condition too.
  if (b->output_count > a->output_count || !says_less(match_of(d, a), match_of(d, b)))
    return;
  bool twins = says_less(match_of(d, b), match_of(d, a)) && !has_conditions(d, b);
  if (twins && a->benefit == b->benefit && !d->infos.items[i].has_benefit)
    drr_error(d, &d->infos.items[j].at,
              "rule %s matches what %s (%s) matches: say by 'benefit' which goes first",
              b->name, a->name, a->origin);
  else
    drr_error(d, &d->infos.items[j].at,
              "rule %s never gets its turn: %s (%s) matches all that it does", b->name, a->name,
              a->origin);
}

void drr_check_pass(drr *d, const drr_pass *pass) {
  for (int32_t i = pass->first; i < pass->first + pass->count; i++)
    for (int32_t j = pass->first; j < pass->first + pass->count; j++)
      if (i != j)
        check_pair(d, i, j);
  for (int32_t i = pass->first; i < pass->first + pass->count; i++)
    for (int32_t j = i + 1; j < pass->first + pass->count; j++)
      if (strcmp(d->rules.items[i].name, d->rules.items[j].name) == 0)
        drr_error(d, &d->infos.items[j].at, "rule %s is declared twice",
                  d->rules.items[i].name);
}
