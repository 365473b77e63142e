// Evaluates the expressions of `where` and `let`: a walk over constant nodes, O(nodes) except
// for comprehensions. A quantity that is unknown before the run is a value of its own and
// propagates through arithmetic; a test on it fails. The front end bounds the nesting of nodes.

#include "match.h"

#include <effects.h>

#include <math.h>
#include <string.h>

static const pir_rule_value unknown = {.kind = PIR_RULE_UNKNOWN};

static pir_rule_value of_float(double f) {
  return (pir_rule_value){.kind = PIR_RULE_FLOAT, .f = f};
}
static pir_rule_value of_tri(int tri) {
  return tri < 0 ? unknown : rule_bool(tri);
}

static pir_rule_value of_list(const pir_rule_value *items, size_t count) {
  return items || !count
             ? (pir_rule_value){.kind = PIR_RULE_LIST, .items = items, .count = count}
             : unknown;
}

pir_facts *rule_facts(rule_match *m) {
  return pir_rewriter_facts(m->rewriter);
}

// ---- comparison

static bool is_whole(const pir_rule_value *v) {
  return v->kind == PIR_RULE_INT || v->kind == PIR_RULE_BOOL;
}
static bool is_number(const pir_rule_value *v) {
  return is_whole(v) || v->kind == PIR_RULE_FLOAT;
}
static double number_of(const pir_rule_value *v) {
  return v->kind == PIR_RULE_FLOAT ? v->f : (double)v->i;
}

// Compares a 32-bit attribute with the literal rounded to 32 bits.
static bool same_number(double a, double b) {
  return a == b || (float)a == (float)b;
}

static int equal_lists(rule_match *m, const pir_rule_value *a, const pir_rule_value *b) {
  if (a->count != b->count)
    return 0;
  int all = 1;
  for (size_t i = 0; i < a->count; i++) {
    int same = rule_equal(m, &a->items[i], &b->items[i]);
    if (!same)
      return 0;
    if (same < 0)
      all = -1;
  }
  return all;
}

int rule_equal(rule_match *m, const pir_rule_value *a, const pir_rule_value *b) {
  if (a->kind == PIR_RULE_UNKNOWN || b->kind == PIR_RULE_UNKNOWN)
    return -1;
  if (a->attr && a->attr == b->attr)
    return 1;
  if (is_whole(a) && is_whole(b))
    return a->i == b->i;
  if (is_number(a) && is_number(b))
    return same_number(number_of(a), number_of(b));
  // Two different symbolic extents may still be equal at run time, so the answer is unknown.
  if (a->kind == PIR_RULE_DIM || b->kind == PIR_RULE_DIM)
    return a->kind == b->kind && a->i == b->i ? 1 : -1;
  if (a->kind != b->kind)
    return 0;
  switch ((pir_rule_kind)a->kind) {
    case PIR_RULE_TEXT: return pir_str_equal(a->text, b->text);
    case PIR_RULE_DTYPE:
    case PIR_RULE_PLACE: return a->i == b->i;
    case PIR_RULE_LIST: return equal_lists(m, a, b);
    default: return a->attr == b->attr;
  }
}

static pir_rule_value order(rule_node_op op, const pir_rule_value *a, const pir_rule_value *b) {
  if (!is_number(a) || !is_number(b))
    return unknown;
  bool whole = is_whole(a) && is_whole(b);
  int sign = whole ? (a->i > b->i) - (a->i < b->i)
                   : (number_of(a) > number_of(b)) - (number_of(a) < number_of(b));
  switch (op) {
    case RULE_LT: return rule_bool(sign < 0);
    case RULE_LE: return rule_bool(sign <= 0);
    case RULE_GT: return rule_bool(sign > 0);
    default: return rule_bool(sign >= 0);
  }
}

static int is_in(rule_match *m, const pir_rule_value *item, const pir_rule_value *list) {
  int found = 0;
  for (size_t i = 0; i < list->count; i++) {
    int same = rule_equal(m, item, &list->items[i]);
    if (same == 1)
      return 1;
    if (same < 0)
      found = -1;
  }
  return found;
}

// ---- arithmetic

static pir_rule_value whole_arithmetic(rule_node_op op, int64_t a, int64_t b) {
  int64_t r = 0;
  bool failed = false;
  switch (op) {
    case RULE_ADD: failed = __builtin_add_overflow(a, b, &r); break;
    case RULE_SUB: failed = __builtin_sub_overflow(a, b, &r); break;
    case RULE_MUL: failed = __builtin_mul_overflow(a, b, &r); break;
    default:
      if (!b || (a == INT64_MIN && b == -1))
        return unknown;
      r = op == RULE_DIV ? a / b : a % b;
      if (a % b && (a < 0) != (b < 0))
        r += op == RULE_DIV ? -1 : b;
  }
  return failed ? unknown : rule_int(r);
}

static pir_rule_value real_arithmetic(rule_node_op op, double a, double b) {
  switch (op) {
    case RULE_ADD: return of_float(a + b);
    case RULE_SUB: return of_float(a - b);
    case RULE_MUL: return of_float(a * b);
    case RULE_DIV: return of_float(a / b);
    default: return of_float(fmod(a, b));
  }
}

static pir_rule_value symbolic_arithmetic(rule_match *m, rule_node_op op, int64_t a,
                                          int64_t b) {
  pir_dims *dims = pir_facts_dims(rule_facts(m));
  switch (op) {
    case RULE_ADD: return rule_dim(m, pir_dim_add(dims, a, b));
    case RULE_SUB: return rule_dim(m, pir_dim_sub(dims, a, b));
    case RULE_MUL: return rule_dim(m, pir_dim_mul(dims, a, b));
    case RULE_DIV: return rule_dim(m, pir_dim_floordiv(dims, a, b));
    default: return rule_dim(m, pir_dim_mod(dims, a, b));
  }
}

static pir_rule_value join_lists(rule_match *m, const pir_rule_value *a,
                                 const pir_rule_value *b) {
  pir_rule_value *items = rule_list(m, a->count + b->count);
  if (!items)
    return unknown;
  memcpy(items, a->items, a->count * sizeof *items);
  memcpy(items + a->count, b->items, b->count * sizeof *items);
  return of_list(items, a->count + b->count);
}

static int64_t as_dim(rule_match *m, const pir_rule_value *v) {
  return v->kind == PIR_RULE_DIM ? v->i : pir_dim_const(pir_facts_dims(rule_facts(m)), v->i);
}

static pir_rule_value arithmetic(rule_match *m, rule_node_op op, const pir_rule_value *a,
                                 const pir_rule_value *b) {
  if (op == RULE_ADD && a->kind == PIR_RULE_LIST && b->kind == PIR_RULE_LIST)
    return join_lists(m, a, b);
  if (is_whole(a) && is_whole(b))
    return whole_arithmetic(op, a->i, b->i);
  if (is_number(a) && is_number(b))
    return real_arithmetic(op, number_of(a), number_of(b));
  bool symbolic =
      (a->kind == PIR_RULE_DIM || is_whole(a)) && (b->kind == PIR_RULE_DIM || is_whole(b));
  return symbolic ? symbolic_arithmetic(m, op, as_dim(m, a), as_dim(m, b)) : unknown;
}

// ---- lists

static bool index_of(const pir_rule_value *list, const pir_rule_value *at, bool end,
                     size_t *out) {
  if (at->kind != PIR_RULE_INT)
    return false;
  int64_t i = at->i < 0 ? at->i + (int64_t)list->count : at->i;
  *out = (size_t)i;
  return i >= 0 && i < (int64_t)list->count + end;
}

static pir_rule_value element(const pir_rule_value *list, const pir_rule_value *at) {
  size_t i;
  return list->kind == PIR_RULE_LIST && index_of(list, at, false, &i) ? list->items[i]
                                                                      : unknown;
}

static pir_rule_value slice(rule_match *m, const rule_node *n) {
  pir_rule_value list = rule_eval(m, n->a);
  size_t begin = 0, end = list.count;
  pir_rule_value at;
  if (list.kind != PIR_RULE_LIST)
    return unknown;
  if (n->b >= 0 && (at = rule_eval(m, n->b), !index_of(&list, &at, true, &begin)))
    return unknown;
  if (n->c >= 0 && (at = rule_eval(m, n->c), !index_of(&list, &at, true, &end)))
    return unknown;
  return of_list(list.items + begin, begin < end ? end - begin : 0);
}

static pir_rule_value list_literal(rule_match *m, const rule_node *n) {
  pir_rule_value *items = rule_list(m, (size_t)n->b);
  for (int32_t i = 0; items && i < n->b; i++)
    items[i] = rule_eval(m, m->t->pool[n->a + i]);
  return of_list(items, (size_t)n->b);
}

static pir_rule_value each_number(rule_match *m, const rule_node *n) {
  pir_rule_value from = rule_eval(m, n->b);
  bool below = n->op == RULE_EACH_BELOW;
  if (below ? from.kind != PIR_RULE_INT || from.i < 0 : from.kind != PIR_RULE_LIST)
    return unknown;
  size_t count = below ? (size_t)from.i : from.count;
  pir_rule_value *items = rule_list(m, count);
  for (size_t i = 0; items && i < count; i++) {
    m->holes[n->a] = below ? rule_int((int64_t)i) : from.items[i];
    items[i] = rule_eval(m, n->c);
  }
  return of_list(items, count);
}

static pir_rule_value each_value(rule_match *m, const rule_node *n) {
  const rule_bound *from = &m->values[n->b];
  pir_rule_value *items = rule_list(m, from->count);
  for (size_t i = 0; items && i < from->count; i++) {
    m->values[n->a] = (rule_bound){.set = true, .one = from->list[i]};
    items[i] = rule_eval(m, n->c);
  }
  m->values[n->a] = (rule_bound){0};
  return of_list(items, from->count);
}

// ---- functions of values

static const pir_fact *known_fact(rule_match *m, const pir_value *value) {
  pir_facts *facts = rule_facts(m);
  const pir_fact *fact = facts ? pir_facts_of(facts, value) : NULL;
  return fact && fact->known ? fact : NULL;
}

static const pir_fact *ranked(rule_match *m, const pir_value *value) {
  const pir_fact *fact = known_fact(m, value);
  return fact && fact->rank >= 0 && !fact->members ? fact : NULL;
}

static pir_rule_value dim_of(rule_match *m, const pir_value *value,
                             const pir_rule_value *axis) {
  const pir_fact *fact = ranked(m, value);
  if (!fact || axis->kind != PIR_RULE_INT)
    return unknown;
  int64_t i = axis->i < 0 ? axis->i + fact->rank : axis->i;
  return i < 0 || i >= fact->rank ? unknown : rule_dim(m, fact->shape[i]);
}

static pir_rule_value shape_of(rule_match *m, const pir_value *value) {
  const pir_fact *fact = ranked(m, value);
  if (!fact)
    return unknown;
  pir_rule_value *items = rule_list(m, (size_t)fact->rank);
  for (int32_t i = 0; items && i < fact->rank; i++)
    items[i] = rule_dim(m, fact->shape[i]);
  return of_list(items, (size_t)fact->rank);
}

static pir_rule_value product(rule_match *m, const pir_rule_value *list, rule_node_op op,
                              int64_t start) {
  pir_rule_value total = rule_int(start);
  if (list->kind != PIR_RULE_LIST)
    return unknown;
  for (size_t i = 0; i < list->count; i++)
    total = arithmetic(m, op, &total, &list->items[i]);
  return total;
}

static int same_shape(rule_match *m, const pir_value *a, const pir_value *b) {
  const pir_fact *x = ranked(m, a), *y = ranked(m, b);
  if (!x || !y)
    return -1;
  if (x->rank != y->rank)
    return 0;
  int all = 1;
  for (int32_t i = 0; i < x->rank; i++) {
    pir_rule_value p = rule_dim(m, x->shape[i]), q = rule_dim(m, y->shape[i]);
    int same = rule_equal(m, &p, &q);
    if (!same)
      return 0;
    if (same < 0)
      all = -1;
  }
  return all;
}

// Whether `a` broadcasts to the shape of `b` without changing it.
static int broadcasts(rule_match *m, const pir_value *a, const pir_value *b) {
  const pir_fact *x = ranked(m, a), *y = ranked(m, b);
  if (!x || !y)
    return -1;
  if (x->rank > y->rank)
    return 0;
  int all = 1;
  for (int32_t i = 1; i <= x->rank; i++) {
    pir_rule_value p = rule_dim(m, x->shape[x->rank - i]),
                   q = rule_dim(m, y->shape[y->rank - i]);
    int same = p.kind == PIR_RULE_INT && p.i == 1 ? 1 : rule_equal(m, &p, &q);
    if (!same)
      return 0;
    if (same < 0)
      all = -1;
  }
  return all;
}

// Whether a value is computed from parameters and constants only. The search gives up after a
// few steps.
static bool comes_from_parameters(const pir_value *value) {
  enum { STEPS = 64 };
  const pir_value *waiting[STEPS] = {value};
  size_t count = 1;
  for (size_t at = 0; at < count; at++) {
    const pir_op *op =
        waiting[at] && !pir_value_is_argument(waiting[at]) ? pir_value_op(waiting[at]) : NULL;
    if (!op)
      return false;
    if (pir_op_has(op, PIR_PARAMETER) || pir_op_has(op, PIR_CONSTANT))
      continue;
    if (!pir_op_operands(op) || pir_op_has_effect(op) || pir_op_regions(op))
      return false;
    if (count + pir_op_operands(op) > STEPS)
      return false;
    for (size_t i = 0; i < pir_op_operands(op); i++)
      if (pir_op_operand(op, i))
        waiting[count++] = pir_op_operand(op, i);
  }
  return true;
}

static pir_rule_value count_uses(const rule_bound *bound) {
  int64_t n = 0;
  for (size_t i = 0; i < (bound->many ? bound->count : 1); i++) {
    pir_value *value = bound->many ? bound->list[i] : bound->one;
    if (value)
      PIR_EACH_USE(use, value) n++;
  }
  return rule_int(n);
}

static pir_rule_value attr_of_definer(rule_match *m, const pir_value *value,
                                      const pir_rule_value *name) {
  const pir_op *op = value ? pir_value_op(value) : NULL;
  if (!op || name->kind != PIR_RULE_TEXT)
    return unknown;
  int at = pir_opdef_attr(pir_op_def(op), name->text);
  if (at >= 0)
    return rule_value_of_slot(m, op, (size_t)at);
  const pir_attr *attr = pir_op_attr(op, pir_name_get(m->ctx, name->text));
  return attr ? rule_value_of_attr(m, attr) : unknown;
}

static bool is_defined_by(const pir_value *value, const pir_rule_value *name) {
  const pir_op *op = value ? pir_value_op(value) : NULL;
  return op && name->kind == PIR_RULE_TEXT && pir_str_equal(pir_op_name(op), name->text);
}

static pir_rule_value dtype_value(rule_match *m, const pir_value *value) {
  const pir_fact *fact = known_fact(m, value);
  return fact && fact->dtype ? (pir_rule_value){.kind = PIR_RULE_DTYPE, .i = fact->dtype}
                             : unknown;
}

static int same_type(rule_match *m, const pir_value *a, const pir_value *b) {
  pir_rule_value x = dtype_value(m, a), y = dtype_value(m, b);
  int same = rule_equal(m, &x, &y), shape = same_shape(m, a, b);
  if (!same || !shape)
    return 0;
  return same < 0 || shape < 0 ? -1 : 1;
}

// ---- functions of lists and numbers

static pir_rule_value quantify(const pir_rule_value *list, bool all) {
  bool known = true;
  if (list->kind != PIR_RULE_LIST)
    return unknown;
  for (size_t i = 0; i < list->count; i++) {
    if (list->items[i].kind != PIR_RULE_BOOL)
      known = false;
    else if ((list->items[i].i != 0) != all)
      return rule_bool(!all);
  }
  return known ? rule_bool(all) : unknown;
}

static pir_rule_value numbers_to(rule_match *m, const pir_rule_value *n) {
  if (n->kind != PIR_RULE_INT || n->i < 0 || n->i > RULE_HEAP)
    return unknown;
  pir_rule_value *items = rule_list(m, (size_t)n->i);
  for (int64_t i = 0; items && i < n->i; i++)
    items[i] = rule_int(i);
  return of_list(items, (size_t)n->i);
}

static pir_rule_value reversed(rule_match *m, const pir_rule_value *list) {
  pir_rule_value *items = list->kind == PIR_RULE_LIST ? rule_list(m, list->count) : NULL;
  if (!items)
    return unknown;
  for (size_t i = 0; i < list->count; i++)
    items[i] = list->items[list->count - 1 - i];
  return of_list(items, list->count);
}

// [p[i] for i in q]: the composition of two permutations, q after p.
static pir_rule_value composed(rule_match *m, const pir_rule_value *p,
                               const pir_rule_value *q) {
  pir_rule_value *items = q->kind == PIR_RULE_LIST ? rule_list(m, q->count) : NULL;
  if (!items)
    return unknown;
  for (size_t i = 0; i < q->count; i++) {
    items[i] = element(p, &q->items[i]);
    if (items[i].kind == PIR_RULE_UNKNOWN)
      return unknown;
  }
  return of_list(items, q->count);
}

static bool is_permutation(const pir_rule_value *p) {
  uint64_t seen = 0;
  if (p->kind != PIR_RULE_LIST || p->count > 64)
    return false;
  for (size_t i = 0; i < p->count; i++) {
    size_t at;
    if (!index_of(p, &p->items[i], false, &at) || seen >> at & 1)
      return false;
    seen |= (uint64_t)1 << at;
  }
  return true;
}

static pir_rule_value inverted(rule_match *m, const pir_rule_value *p) {
  pir_rule_value *items = is_permutation(p) ? rule_list(m, p->count) : NULL;
  if (!items)
    return unknown;
  for (size_t i = 0, at; i < p->count; i++)
    if (index_of(p, &p->items[i], false, &at))
      items[at] = rule_int((int64_t)i);
  return of_list(items, p->count);
}

static pir_rule_value occurrences(rule_match *m, const pir_rule_value *list,
                                  const pir_rule_value *item) {
  int64_t n = 0;
  if (list->kind != PIR_RULE_LIST)
    return unknown;
  for (size_t i = 0; i < list->count; i++) {
    int same = rule_equal(m, &list->items[i], item);
    if (same < 0)
      return unknown;
    n += same;
  }
  return rule_int(n);
}

static pir_rule_value absolute(const pir_rule_value *v) {
  if (v->kind == PIR_RULE_FLOAT)
    return of_float(fabs(v->f));
  if (v->kind != PIR_RULE_INT || v->i == INT64_MIN)
    return unknown;
  return rule_int(v->i < 0 ? -v->i : v->i);
}

static pir_rule_value to_int(const pir_rule_value *v) {
  if (is_whole(v))
    return rule_int(v->i);
  return v->kind == PIR_RULE_FLOAT && v->f > -0x1p62 && v->f < 0x1p62 ? rule_int((int64_t)v->f)
                                                                      : unknown;
}

static pir_rule_value pick_by_order(const pir_rule_value *a, const pir_rule_value *b,
                                    rule_node_op op) {
  pir_rule_value first = order(op, a, b);
  if (first.kind != PIR_RULE_BOOL)
    return unknown;
  return first.i ? *a : *b;
}

static pir_rule_value dtype_is(const pir_rule_value *v, bool (*test)(pir_dtype dtype)) {
  return v->kind == PIR_RULE_DTYPE ? rule_bool(test((pir_dtype)v->i)) : unknown;
}

// A function's arguments: `v` of those that are values, `e` of expressions.
static pir_rule_value call(rule_match *m, const rule_node *n) {
  static const rule_bound none;
  const rule_bound *bound[2] = {&none, &none};
  pir_rule_value e[2] = {unknown, unknown};
  for (int32_t i = 0; i < n->b; i++) {
    const rule_node *arg = &m->t->nodes[m->t->pool[n->a + i]];
    if (arg->op == RULE_VALUE)
      bound[i] = &m->values[arg->a];
    else
      e[i] = rule_eval(m, m->t->pool[n->a + i]);
  }
  pir_value *v = bound[0]->one, *w = bound[1]->one;
  const pir_fact *fact;
  pir_rule_value shape;
  switch ((rule_fn)n->fn) {
    case RULE_FN_rank: return (fact = ranked(m, v)) ? rule_int(fact->rank) : unknown;
    case RULE_FN_dim: return dim_of(m, v, &e[1]);
    case RULE_FN_shape: return shape_of(m, v);
    case RULE_FN_dtype: return dtype_value(m, v);
    case RULE_FN_numel: shape = shape_of(m, v); return product(m, &shape, RULE_MUL, 1);
    case RULE_FN_contents: return rule_constant(m, v, false);
    case RULE_FN_members:
      return rule_int(bound[0]->many ? (int64_t)bound[0]->count : v != NULL);
    case RULE_FN_present: return rule_bool(v != NULL);
    case RULE_FN_unused: return rule_bool(!v || pir_value_unused(v));
    case RULE_FN_uses: return count_uses(bound[0]);
    case RULE_FN_constant:
      return rule_bool(v && pir_value_op(v) && pir_op_has(pir_value_op(v), PIR_CONSTANT));
    case RULE_FN_persistable: return rule_bool(comes_from_parameters(v));
    case RULE_FN_input:
      return rule_bool(v && (!pir_value_op(v) || pir_op_has(pir_value_op(v), PIR_INPUT)));
    case RULE_FN_same_shape: return of_tri(same_shape(m, v, w));
    case RULE_FN_same_type: return of_tri(same_type(m, v, w));
    case RULE_FN_broadcasts: return of_tri(broadcasts(m, v, w));
    case RULE_FN_defined_by: return rule_bool(is_defined_by(v, &e[1]));
    case RULE_FN_attr: return attr_of_definer(m, v, &e[1]);
    case RULE_FN_len:
      return e[0].kind == PIR_RULE_LIST ? rule_int((int64_t)e[0].count) : unknown;
    case RULE_FN_sum: return product(m, &e[0], RULE_ADD, 0);
    case RULE_FN_prod: return product(m, &e[0], RULE_MUL, 1);
    case RULE_FN_all: return quantify(&e[0], true);
    case RULE_FN_any: return quantify(&e[0], false);
    case RULE_FN_count: return occurrences(m, &e[0], &e[1]);
    case RULE_FN_range: return numbers_to(m, &e[0]);
    case RULE_FN_reverse: return reversed(m, &e[0]);
    case RULE_FN_compose: return composed(m, &e[0], &e[1]);
    case RULE_FN_inverse: return inverted(m, &e[0]);
    case RULE_FN_is_permutation: return rule_bool(is_permutation(&e[0]));
    case RULE_FN_min: return pick_by_order(&e[0], &e[1], RULE_LT);
    case RULE_FN_max: return pick_by_order(&e[0], &e[1], RULE_GT);
    case RULE_FN_abs: return absolute(&e[0]);
    case RULE_FN_sqrt: return is_number(&e[0]) ? of_float(sqrt(number_of(&e[0]))) : unknown;
    case RULE_FN_int: return to_int(&e[0]);
    case RULE_FN_float: return is_number(&e[0]) ? of_float(number_of(&e[0])) : unknown;
    case RULE_FN_is_float: return dtype_is(&e[0], pir_dtype_is_float);
    case RULE_FN_is_integer: return dtype_is(&e[0], pir_dtype_is_integer);
    case RULE_FN_COUNT: break;
  }
  return unknown;
}

static pir_rule_value *list_for_helper(void *user, size_t count) {
  return rule_list(user, count);
}

static pir_rule_value call_helper(rule_match *m, const rule_node *n) {
  pir_rule_value args[8];
  for (int32_t i = 0; i < n->b; i++) {
    const rule_node *arg = &m->t->nodes[m->t->pool[n->a + i]];
    if (arg->op != RULE_VALUE) {
      args[i] = rule_eval(m, m->t->pool[n->a + i]);
      continue;
    }
    const rule_bound *bound = &m->values[arg->a];
    args[i] = bound->many ? (pir_rule_value){.kind = PIR_RULE_VALUES,
                                             .values = bound->list,
                                             .count = bound->count}
                          : (pir_rule_value){.kind = PIR_RULE_VALUE, .value = bound->one};
  }
  pir_facts *facts = rule_facts(m);
  if (!facts)
    return unknown;
  return n->helper(&(pir_rule_call){.rewriter = m->rewriter,
                                    .facts = facts,
                                    .root = m->ops[m->rule->root_op].one,
                                    .args = args,
                                    .arg_count = (size_t)n->b,
                                    .list = list_for_helper,
                                    .option = rule_option,
                                    .user = m});
}

// ---- nodes

static pir_rule_value logic(rule_match *m, const rule_node *n) {
  bool decides = n->op == RULE_OR;
  pir_rule_value a = rule_eval(m, n->a);
  if (a.kind == PIR_RULE_BOOL && (a.i != 0) == decides)
    return rule_bool(decides);
  pir_rule_value b = rule_eval(m, n->b);
  if (b.kind == PIR_RULE_BOOL && (b.i != 0) == decides)
    return rule_bool(decides);
  return a.kind == PIR_RULE_BOOL && b.kind == PIR_RULE_BOOL ? rule_bool(!decides) : unknown;
}

static pir_rule_value eval_binary(rule_match *m, const rule_node *n) {
  pir_rule_value a = rule_eval(m, n->a), b = rule_eval(m, n->b);
  int same;
  switch ((rule_node_op)n->op) {
    case RULE_EQ: return of_tri(rule_equal(m, &a, &b));
    case RULE_NE: return (same = rule_equal(m, &a, &b)) < 0 ? unknown : rule_bool(!same);
    case RULE_LT:
    case RULE_LE:
    case RULE_GT:
    case RULE_GE: return order((rule_node_op)n->op, &a, &b);
    case RULE_IN: return b.kind == PIR_RULE_LIST ? of_tri(is_in(m, &a, &b)) : unknown;
    case RULE_INDEX: return element(&a, &b);
    default: return arithmetic(m, (rule_node_op)n->op, &a, &b);
  }
}

static pir_rule_value negated(const pir_rule_value *v) {
  if (v->kind == PIR_RULE_FLOAT)
    return of_float(-v->f);
  return v->kind == PIR_RULE_INT && v->i != INT64_MIN ? rule_int(-v->i) : unknown;
}

pir_rule_value rule_eval(rule_match *m, int32_t at) {
  const rule_node *n = &m->t->nodes[at];
  pir_rule_value a;
  switch ((rule_node_op)n->op) {
    case RULE_INT: return rule_int(n->i);
    case RULE_FLOAT: return of_float(n->f);
    case RULE_TEXT:
      return (pir_rule_value){.kind = PIR_RULE_TEXT, .text = pir_str_from(n->text)};
    case RULE_BOOL: return rule_bool(n->i != 0);
    case RULE_DTYPE: return (pir_rule_value){.kind = PIR_RULE_DTYPE, .i = n->i};
    case RULE_PLACE: return (pir_rule_value){.kind = PIR_RULE_PLACE, .i = n->i};
    case RULE_HOLE: return m->holes[n->a];
    case RULE_NOT:
      a = rule_eval(m, n->a);
      return a.kind == PIR_RULE_BOOL ? rule_bool(!a.i) : unknown;
    case RULE_NEG: a = rule_eval(m, n->a); return negated(&a);
    case RULE_AND:
    case RULE_OR: return logic(m, n);
    case RULE_COND:
      a = rule_eval(m, n->a);
      if (a.kind != PIR_RULE_BOOL)
        return unknown;
      return rule_eval(m, a.i ? n->b : n->c);
    case RULE_SLICE: return slice(m, n);
    case RULE_LIST: return list_literal(m, n);
    case RULE_EACH_BELOW:
    case RULE_EACH_IN: return each_number(m, n);
    case RULE_EACH_VALUE: return each_value(m, n);
    case RULE_CALL: return call(m, n);
    case RULE_HELPER: return call_helper(m, n);
    case RULE_VALUE: return unknown;
    default: return eval_binary(m, n);
  }
}

bool rule_holds(rule_match *m, int32_t node) {
  pir_rule_value v = rule_eval(m, node);
  return v.kind == PIR_RULE_BOOL && v.i;
}
