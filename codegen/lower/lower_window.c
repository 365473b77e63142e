// Lowers windows that reach over the border. The guard of a clause (`where 0 <= p * 2 - 1 + i
// && ..`) is split into conditions. A condition that bounds a reduced variable by values that
// are equal in all lanes becomes a bound of the variable's loop, and is known to hold inside
// the loop. So an inner window tests nothing, a border window is shorter, and the number of
// points is the product of the extents. The remaining conditions become masks. O(conditions *
// variables).
#include "lowering.h"

typedef struct conditions {
  loop_expr *items[32];
  int count;
  bool full;
} conditions;

static bool is_op(const loop_expr *e, pir_node_op fn) {
  return e->kind == LOOP_OP && e->op == fn && e->lanes == 1;
}

// Splits a condition: a && b, and a < min(b, c), are two conditions each.
static void split(loop_module *m, loop_expr *e, conditions *out) {
  int64_t known;
  if (pir_loop_is_int(e, &known) && known)
    return;
  if (is_op(e, PIR_V_AND)) {
    split(m, e->a, out);
    split(m, e->b, out);
  } else if (is_op(e, PIR_V_LT) && is_op(e->b, PIR_V_MIN)) {
    split(m, pir_loop_lt(m, e->a, e->b->a), out);
    split(m, pir_loop_lt(m, e->a, e->b->b), out);
  } else if (out->count < (int)(sizeof out->items / sizeof *out->items)) {
    out->items[out->count++] = e;
  } else {
    out->full = true;
  }
}

// Whether a value is the same in all lanes: it was computed before the lane variable existed.
static bool is_uniform(const lowering *l, const loop_expr *e) {
  if (!e)
    return true;
  if (e->kind == LOOP_VAR)
    return !l->lanes || e->var->id < l->lanes->id;
  if (e->kind != LOOP_CONST && e->kind != LOOP_DIM && e->kind != LOOP_OP)
    return false;
  return is_uniform(l, e->a) && is_uniform(l, e->b) && is_uniform(l, e->c);
}

// Narrows [begin, end) of `var` by the condition; false if the condition is no bound of it.
static bool narrow(lowering *l, const loop_expr *e, const loop_var *var, loop_expr **begin,
                   loop_expr **end) {
  loop_module *m = l->m;
  bool less = is_op(e, PIR_V_LT);
  int64_t step;
  if ((!less && !is_op(e, PIR_V_LE)) || e->a->dtype != LOOP_INDEX)
    return false;
  loop_expr *d = pir_loop_sub(m, e->b, e->a);  // it must be at least `least`
  if (!pir_loop_stride(d, var, &step) || (step != 1 && step != -1))
    return false;
  loop_expr *rest = pir_loop_substitute(m, d, var, pir_loop_int(m, 0)),
            *least = pir_loop_int(m, less);
  if (!is_uniform(l, rest))
    return false;
  if (step > 0)
    *begin = pir_loop_max(m, *begin, pir_loop_sub(m, least, rest));
  else
    *end = pir_loop_min(m, *end,
                        pir_loop_add(m, pir_loop_sub(m, rest, least), pir_loop_int(m, 1)));
  return true;
}

// Whether the expression is index arithmetic only, which may be evaluated outside of the loops
// it mentions.
static bool is_arithmetic(const lower_site *s, int node) {
  if (node < 0)
    return true;
  const pir_node *n = &s->clause->nodes[node];
  if (n->op >= PIR_V_CONST || n->op == PIR_I_LOAD || n->op == PIR_I_VALUE)
    return false;
  return is_arithmetic(s, n->a) && is_arithmetic(s, n->b) && is_arithmetic(s, n->c);
}

void lower_clip(lower_site *s, loop_var *const *vars, loop_expr **begins, loop_expr **ends) {
  lowering *l = s->l;
  conditions all = {.count = 0};
  if (s->clause->guard < 0 || lower_on_device(l) || !is_arithmetic(s, s->clause->guard))
    return;
  split(l->m, lower_truth(s, s->clause->guard), &all);
  for (int i = 0; i < all.count && !l->why; i++)
    for (int v = 0; v < s->clause->var_count; v++) {
      if (!vars[v] || !narrow(l, all.items[i], vars[v], &begins[v], &ends[v]))
        continue;
      pir_vec_push(&l->m->arena, &l->holds, all.items[i]);
      break;
    }
}

static bool mentions(const lowering *l, const loop_expr *e) {
  for (size_t i = 0; i < l->holds.count; i++)
    if (pir_loop_equal(l->holds.items[i], e))
      return true;
  return false;
}

loop_expr *lower_open_condition(lowering *l, loop_expr *condition) {
  conditions all = {.count = 0};
  loop_expr *open = NULL;
  if (!condition || !l->holds.count)
    return condition;
  split(l->m, condition, &all);
  if (all.full)
    return condition;
  for (int i = 0; i < all.count; i++)
    if (!mentions(l, all.items[i]))
      open = open ? pir_loop_op(l->m, PIR_V_AND, open, all.items[i], NULL) : all.items[i];
  return open;
}
