// Orders the steps of a match: from the root to producers, from bound values to users where no
// producer leads on, and every condition as soon as all its holes are bound. Reports names that
// are never bound. O(ops^2) of one rule.

#include "front.h"

#include <string.h>

typedef struct ordering {
  drr *d;
  bool values[RULE_MAX_VALUES];
  bool ops[RULE_MAX_OPS];
} ordering;

static const rule_op *op_at(const drr *d, int i) {
  return &d->ops.items[d->rule.match + i];
}

static void add_step(drr *d, uint8_t kind, int32_t op, int32_t at, uint32_t line) {
  pir_vec_push(d->arena, &d->steps, ((rule_step){kind, op, at, line}));
  d->rule.step_count++;
}

// ---- what an expression needs

typedef struct needs {
  bool ready;
  const char *name;  // name of the missing value
  char mark;
} needs;

static void need_node(const ordering *o, int32_t at, needs *out);

static void need_pool(const ordering *o, const rule_node *n, needs *out) {
  for (int32_t i = 0; i < n->b; i++)
    need_node(o, o->d->pool.items[n->a + i], out);
}

static void need_value(const ordering *o, int32_t slot, needs *out) {
  const drr_value *v = &o->d->values[slot];
  if (!v->local && !o->values[slot])
    *out = (needs){false, v->name, '%'};
}

static void need_node(const ordering *o, int32_t at, needs *out) {
  if (at < 0)
    return;
  const rule_node *n = &o->d->nodes.items[at];
  const drr_hole *hole = n->op == RULE_HOLE ? &o->d->holes[n->a] : NULL;
  switch ((rule_node_op)n->op) {
    case RULE_INT:
    case RULE_FLOAT:
    case RULE_TEXT:
    case RULE_BOOL:
    case RULE_DTYPE:
    case RULE_PLACE: return;
    case RULE_HOLE:
      if (!hole->local && !hole->bound)
        *out = (needs){false, hole->name, '$'};
      return;
    case RULE_VALUE: need_value(o, n->a, out); return;
    case RULE_LIST:
    case RULE_CALL:
    case RULE_HELPER: need_pool(o, n, out); return;
    case RULE_EACH_VALUE:
      need_value(o, n->b, out);
      need_node(o, n->c, out);
      return;
    case RULE_EACH_BELOW:
    case RULE_EACH_IN:
      need_node(o, n->b, out);
      need_node(o, n->c, out);
      return;
    case RULE_NOT:
    case RULE_NEG: need_node(o, n->a, out); return;
    case RULE_COND:
    case RULE_SLICE:
      need_node(o, n->c, out);
      need_node(o, n->a, out);
      need_node(o, n->b, out);
      return;
    default: need_node(o, n->a, out); need_node(o, n->b, out);
  }
}

static needs needs_of(const ordering *o, int32_t node) {
  needs n = {.ready = true};
  need_node(o, node, &n);
  return n;
}

// ---- steps

static void bind_op(ordering *o, int i) {
  drr *d = o->d;
  const rule_op *op = op_at(d, i);
  o->ops[i] = true;
  for (int16_t k = 0; k < op->result_count; k++) {
    int16_t at = d->results.items[op->results + k];
    if (at != -1)
      o->values[at < -1 ? -2 - at : at] = true;
  }
  for (int16_t k = 0; k < op->operand_count; k++) {
    const rule_operand *operand = &d->operands.items[op->operands + k];
    bool value = operand->kind == RULE_OPERAND_VALUE || operand->kind == RULE_OPERAND_VALUES ||
                 operand->kind == RULE_OPERAND_MAYBE;
    if (value)
      o->values[operand->at] = true;
    if (operand->kind == RULE_OPERAND_HOLE)
      d->holes[operand->at].bound = true;
  }
  for (int16_t k = 0; k < op->attr_count; k++) {
    const rule_attr *attr = &d->attrs.items[op->attrs + k];
    if (attr->node < 0)
      d->holes[attr->hole].bound = true;
  }
}

static void add_conditions(ordering *o) {
  drr *d = o->d;
  for (bool again = true; again;) {
    again = false;
    for (size_t i = 0; i < d->conditions.count; i++) {
      drr_condition *c = &d->conditions.items[i];
      if (c->done || !needs_of(o, c->node).ready)
        continue;
      c->done = again = true;
      add_step(d, c->is_let ? RULE_STEP_LET : RULE_STEP_WHERE, c->hole, c->node, c->at.line);
      if (c->is_let)
        d->holes[c->hole].bound = true;
    }
  }
}

// Returns the bound value that is a result of op `i`; -1 if none is.
static int32_t bound_result(const ordering *o, int i) {
  const rule_op *op = op_at(o->d, i);
  for (int16_t k = 0; k < op->result_count; k++) {
    int16_t at = o->d->results.items[op->results + k];
    if (at >= 0 && !op->each && o->values[at])
      return at;
    if (at <= -2 && o->values[-2 - at])
      return -2 - at;
  }
  return -1;
}

static int32_t bound_operand(const ordering *o, int i) {
  const rule_op *op = op_at(o->d, i);
  for (int16_t k = 0; k < op->operand_count && !op->each; k++) {
    const rule_operand *operand = &o->d->operands.items[op->operands + k];
    if (operand->kind == RULE_OPERAND_VALUE && o->values[operand->at])
      return operand->at;
  }
  return -1;
}

static bool add_next(ordering *o) {
  for (int pass = 0; pass < 2; pass++)
    for (int i = o->d->rule.match_count; i-- > 0;) {
      if (o->ops[i])
        continue;
      int32_t at = pass ? bound_operand(o, i) : bound_result(o, i);
      if (at < 0)
        continue;
      add_step(o->d, pass ? RULE_STEP_USER : RULE_STEP_DEF, i, at, 0);
      bind_op(o, i);
      return true;
    }
  return false;
}

static bool report_unbound(ordering *o) {
  drr *d = o->d;
  for (size_t i = 0; i < d->conditions.count; i++) {
    const drr_condition *c = &d->conditions.items[i];
    needs n = needs_of(o, c->node);
    if (!c->done)
      return drr_error(d, &c->at, "unbound %c%s", n.mark, n.name);
  }
  return true;
}

static bool check_emit_node(ordering *o, int32_t node, const drr_place *at) {
  needs n = needs_of(o, node);
  return n.ready || drr_error(o->d, at, "unbound %c%s", n.mark, n.name);
}

static bool check_emit(ordering *o) {
  drr *d = o->d;
  for (int32_t i = 0; i < d->rule.value_count; i++)
    if (d->values[i].emitted)
      o->values[i] = true;
  for (int16_t i = 0; i < d->rule.emit_count; i++) {
    const rule_op *op = &d->ops.items[d->rule.emit + i];
    const drr_place *at = &d->op_places.items[d->rule.match_count + i];
    for (int16_t k = 0; k < op->operand_count; k++) {
      const rule_operand *operand = &d->operands.items[op->operands + k];
      if (operand->kind == RULE_OPERAND_NODE && !check_emit_node(o, operand->at, at))
        return false;
    }
    for (int16_t k = 0; k < op->attr_count; k++)
      if (!check_emit_node(o, d->attrs.items[op->attrs + k].node, at))
        return false;
  }
  return true;
}

bool drr_order(drr *d) {
  ordering o = {.d = d};
  d->rule.steps = (int32_t)d->steps.count;
  d->rule.root_op = (int16_t)(d->rule.match_count - 1);
  bind_op(&o, d->rule.root_op);
  add_conditions(&o);
  while (add_next(&o))
    add_conditions(&o);
  for (int i = 0; i < d->rule.match_count; i++)
    if (!o.ops[i])
      return drr_error(d, &d->op_places.items[i],
                       "this op is not connected with the last one of the match");
  return report_unbound(&o) && check_emit(&o);
}
