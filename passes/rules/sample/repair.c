// Repairs a failed condition by changing the values that the sample is made of: an equation
// copies one side to the other, a membership selects an item, a bound moves to its limit. A
// condition that cannot be solved is left to chance.

#include "sample.h"

#include <string.h>

static int32_t argument_node(const rule_match *m, const rule_node *n, int32_t i) {
  return m->t->pool[n->a + i];
}

// Returns the outside value that a node names; NULL if the match computes it.
static sample_value *named_source(sample *s, const rule_match *m, int32_t at) {
  const rule_node *n = &m->t->nodes[at];
  return n->op == RULE_VALUE && s->outside[n->a] ? &s->values[n->a] : NULL;
}

static bool set_shape(sample_value *v, const pir_rule_value *list) {
  if (list->kind != PIR_RULE_LIST || list->count > PIR_MAX_RANK)
    return false;
  for (size_t i = 0; i < list->count; i++) {
    if (list->items[i].kind != PIR_RULE_INT || list->items[i].i < 1 || list->items[i].i > 256)
      return false;
    v->shape[i] = list->items[i].i;
  }
  v->rank = (int32_t)list->count;
  return true;
}

static bool set_rank(sample *s, sample_value *v, int64_t rank) {
  if (rank < 0 || rank > 6)
    return false;
  for (int64_t i = v->rank; i < rank; i++)
    v->shape[i] = s->extent;
  v->rank = (int32_t)rank;
  return true;
}

static bool set_dim(rule_match *m, sample_value *v, int32_t axis_node,
                    const pir_rule_value *to) {
  pir_rule_value axis = rule_eval(m, axis_node);
  if (axis.kind != PIR_RULE_INT || to->kind != PIR_RULE_INT || to->i < 1 || to->i > 4096)
    return false;
  int64_t i = axis.i < 0 ? axis.i + v->rank : axis.i;
  if (i < 0 || i >= v->rank)
    return false;
  v->shape[i] = to->i;
  return true;
}

static bool assign(sample *s, rule_match *m, int32_t at, const pir_rule_value *to);

static bool as_number(const pir_rule_value *v, double *out) {
  *out = v->kind == PIR_RULE_INT ? (double)v->i : v->f;
  return v->kind == PIR_RULE_INT || v->kind == PIR_RULE_FLOAT;
}

// The x of `x op b == goal`.
static double left_side(sample *s, uint8_t op, double b, double goal) {
  switch (op) {
    case RULE_ADD: return goal - b;
    case RULE_SUB: return goal + b;
    case RULE_MUL: return b != 0 ? goal / b : 0;
    case RULE_DIV: return goal * b;
    default: return b * (1 + sample_random(s, 2)) + goal;
  }
}

// The x of `a op x == goal`.
static double right_side(uint8_t op, double a, double goal) {
  switch (op) {
    case RULE_ADD: return goal - a;
    case RULE_SUB: return a - goal;
    case RULE_MUL: return a != 0 ? goal / a : 0;
    default: return goal != 0 ? a / goal : 0;
  }
}

// Solves `a op b == to` for one side and keeps the other.
static bool assign_arithmetic(sample *s, rule_match *m, const rule_node *n,
                              const pir_rule_value *to) {
  pir_rule_value sides[2] = {rule_eval(m, n->a), rule_eval(m, n->b)}, want;
  double a, b, goal;
  if (!as_number(&sides[0], &a) || !as_number(&sides[1], &b) || !as_number(to, &goal))
    return false;
  bool whole = sides[0].kind == PIR_RULE_INT && sides[1].kind == PIR_RULE_INT &&
               to->kind == PIR_RULE_INT;
  for (int left = 1; left >= 0; left--) {
    if (n->op == RULE_MOD && !left)
      return false;
    double x = left ? left_side(s, n->op, b, goal) : right_side(n->op, a, goal);
    want = whole ? rule_int((int64_t)x) : (pir_rule_value){.kind = PIR_RULE_FLOAT, .f = x};
    if (assign(s, m, left ? n->a : n->b, &want))
      return true;
  }
  return false;
}

// Sets a node to the list 0, 1, 2 of a length.
static bool assign_length(sample *s, rule_match *m, int32_t at, const pir_rule_value *length) {
  pir_rule_value items[16];
  if (length->kind != PIR_RULE_INT || length->i < 0 || length->i > 16)
    return false;
  for (int64_t i = 0; i < length->i; i++)
    items[i] = rule_int(i);
  pir_rule_value list = {.kind = PIR_RULE_LIST, .items = items, .count = (size_t)length->i};
  return assign(s, m, at, &list);
}

// Sets a node to a value, if it names something that can be chosen.
static bool assign(sample *s, rule_match *m, int32_t at, const pir_rule_value *to) {
  const rule_node *n = &m->t->nodes[at];
  if (to->kind == PIR_RULE_UNKNOWN)
    return false;
  if (n->op == RULE_HOLE && s->free_hole[n->a]) {
    sample_set_hole(s, n->a, to);
    return true;
  }
  if (n->op == RULE_ADD || n->op == RULE_SUB || n->op == RULE_MUL || n->op == RULE_DIV ||
      n->op == RULE_MOD)
    return assign_arithmetic(s, m, n, to);
  if (n->op != RULE_CALL)
    return false;
  sample_value *v = named_source(s, m, argument_node(m, n, 0));
  switch ((rule_fn)n->fn) {
    case RULE_FN_dim: return v && set_dim(m, v, argument_node(m, n, 1), to);
    case RULE_FN_shape: return v && set_shape(v, to);
    case RULE_FN_rank: return v && to->kind == PIR_RULE_INT && set_rank(s, v, to->i);
    case RULE_FN_dtype:
      return v && to->kind == PIR_RULE_DTYPE && (v->dtype = (pir_dtype)to->i, true);
    case RULE_FN_members:
      return v && to->kind == PIR_RULE_INT && to->i > 0 && (v->members = (size_t)to->i, true);
    case RULE_FN_inverse:
    case RULE_FN_abs: return assign(s, m, argument_node(m, n, 0), to);
    case RULE_FN_len: return assign_length(s, m, argument_node(m, n, 0), to);
    default: return false;
  }
}

static pir_rule_value moved(const pir_rule_value *v, int64_t by) {
  pir_rule_value r = *v;
  r.attr = NULL;
  if (r.kind == PIR_RULE_INT)
    r.i += by;
  if (r.kind == PIR_RULE_FLOAT)
    r.f += (double)by;
  return r;
}

static bool equate(sample *s, rule_match *m, int32_t a, int32_t b, int64_t by) {
  bool left = sample_random(s, 2);
  for (int i = 0; i < 2; i++, left = !left) {
    pir_rule_value other = rule_eval(m, left ? b : a), to = moved(&other, left ? by : -by);
    if (assign(s, m, left ? a : b, &to))
      return true;
  }
  return false;
}

static bool assign_from_list(sample *s, rule_match *m, int32_t item, int32_t list) {
  pir_rule_value from = rule_eval(m, list);
  if (from.kind != PIR_RULE_LIST || !from.count)
    return false;
  uint32_t start = sample_random(s, (uint32_t)from.count);
  for (size_t i = 0; i < from.count; i++)
    if (assign(s, m, item, &from.items[(start + i) % from.count]))
      return true;
  return false;
}

// ---- functions that are conditions

// Every named value of a sample has extents that are constants.
static bool copy_type(sample *s, rule_match *m, int32_t to, int32_t from, bool dtype) {
  sample_value *v = named_source(s, m, to);
  const pir_value *source = m->values[m->t->nodes[from].a].one;
  if (!v || !source)
    return false;
  const pir_fact *fact = pir_facts_of(rule_facts(m), source);
  for (int32_t i = 0; i < fact->rank; i++)
    pir_dim_is_const(pir_facts_dims(rule_facts(m)), fact->shape[i], &v->shape[i]);
  v->rank = fact->rank;
  if (dtype)
    v->dtype = fact->dtype;
  return true;
}

static bool fit(sample *s, rule_match *m, int32_t to, int32_t from) {
  sample_value *v = named_source(s, m, to);
  if (!copy_type(s, m, to, from, false))
    return false;
  int32_t drop = (int32_t)sample_random(s, (uint32_t)v->rank + 1);
  memmove(v->shape, v->shape + drop, (size_t)(v->rank - drop) * sizeof *v->shape);
  v->rank -= drop;
  for (int32_t i = 0; i < v->rank; i++)
    if (sample_random(s, 4) == 0)
      v->shape[i] = 1;
  return true;
}

static bool repair_call(sample *s, rule_match *m, const rule_node *n, bool wanted) {
  sample_value *v = named_source(s, m, argument_node(m, n, 0));
  int32_t first;
  switch ((rule_fn)n->fn) {
    case RULE_FN_persistable: return v && !v->constant && (v->parameter = wanted, true);
    case RULE_FN_input: return v && (v->parameter = !wanted, true);
    case RULE_FN_same_shape:
    case RULE_FN_same_type:
      if (!wanted)
        return v && set_rank(s, v, v->rank + 1);
      first = (int32_t)sample_random(s, 2);
      return copy_type(s, m, argument_node(m, n, first), argument_node(m, n, 1 - first),
                       n->fn == RULE_FN_same_type) ||
             copy_type(s, m, argument_node(m, n, 1 - first), argument_node(m, n, first),
                       n->fn == RULE_FN_same_type);
    case RULE_FN_broadcasts:
      return wanted && fit(s, m, argument_node(m, n, 0), argument_node(m, n, 1));
    case RULE_FN_is_float: s->dtype = wanted ? PIR_F32 : PIR_I32; return true;
    default: return false;
  }
}

static bool repair_hole(sample *s, const rule_node *n, bool wanted) {
  pir_rule_value b = rule_bool(wanted);
  if (!s->free_hole[n->a])
    return false;
  sample_set_hole(s, n->a, &b);
  return true;
}

void sample_repair(sample *s, rule_match *m, int32_t node, bool wanted) {
  const rule_node *n = &m->t->nodes[node];
  bool done = false;
  switch ((rule_node_op)n->op) {
    case RULE_NOT: sample_repair(s, m, n->a, !wanted); return;
    case RULE_AND:
    case RULE_OR:
      // For `&&` both sides must hold, for `||` either one.
      if ((n->op == RULE_AND) == wanted) {
        if (rule_holds(m, n->a) != wanted)
          sample_repair(s, m, n->a, wanted);
        if (rule_holds(m, n->b) != wanted)
          sample_repair(s, m, n->b, wanted);
      } else {
        sample_repair(s, m, sample_random(s, 2) ? n->a : n->b, wanted);
      }
      return;
    case RULE_EQ: done = equate(s, m, n->a, n->b, !wanted); break;
    case RULE_NE: done = equate(s, m, n->a, n->b, wanted); break;
    case RULE_LE:
    case RULE_LT:
      done = equate(s, m, n->a, n->b,
                    wanted ? -(int64_t)sample_random(s, 2) - (n->op == RULE_LT) : 1);
      break;
    case RULE_GE:
    case RULE_GT:
      done = equate(s, m, n->a, n->b,
                    wanted ? (int64_t)sample_random(s, 2) + (n->op == RULE_GT) : -1);
      break;
    case RULE_IN: done = wanted && assign_from_list(s, m, n->a, n->b); break;
    case RULE_CALL: done = repair_call(s, m, n, wanted); break;
    case RULE_HOLE: done = repair_hole(s, n, wanted); break;
    default: break;
  }
  s->repaired |= done;
}
