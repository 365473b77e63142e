// Matches attention backwards from its second product. The walk passes the quotient, the sum,
// the exponential, the difference and the maximum and arrives at the scores. From the scores it
// follows elementwise ops to the first product. The roles of the axes come from the variables
// of both contractions. No other op may read a value between the products, because the scores
// would then have to be stored. Cost: constant; the match visits at most ATTENTION_MAX_CHAIN
// ops and the softmax.
#include "attention.h"
#include "machine.h"

#include <string.h>

typedef struct finder {
  lowering *l;
  attention *a;
} finder;

// ---- clauses

static bool open(finder *f, const pir_value *v, pir_clause_kind kind, lower_site *site) {
  const pir_op *op = pir_value_op(v);
  if (!op || pir_op_results(op) != 1 || pir_op_has_any(op, PIR_STRUCTURAL | PIR_CONSTANT))
    return false;
  const pir_opdef *def = pir_op_meaning(op);
  if (!def->clause || !pir_op_has(op, PIR_PURE))
    return false;
  return lower_open(f->l, op, 0, site) && site->clause->kind == kind;
}

static const pir_node *without_casts(const pir_clause *c, int node) {
  const pir_node *n = &c->nodes[node];
  while (n->op == PIR_V_CAST)
    n = &c->nodes[n->a];
  return n;
}

// Returns the operand that a node loads element by element, else NULL. Casts are skipped:
// open() admits ops of a single element type only.
static const pir_value *aligned_load(const lower_site *s, int node) {
  const pir_node *n = without_casts(s->clause, node);
  return n->op == PIR_V_LOAD && n->map_kind == PIR_MAP_ALIGNED ? lower_operand(s, n->k, 0)
                                                               : NULL;
}

// Whether the value is `fn` of one or two elementwise loads, which are returned.
static bool is_function(finder *f, const pir_value *v, pir_node_op fn, const pir_value **out_a,
                        const pir_value **out_b) {
  lower_site s;
  if (!open(f, v, PIR_CLAUSE_POINTWISE, &s))
    return false;
  const pir_node *n = without_casts(s.clause, s.clause->body);
  if (n->op != fn)
    return false;
  *out_a = aligned_load(&s, n->a);
  if (out_b)
    *out_b = aligned_load(&s, n->b);
  return *out_a && (!out_b || *out_b);
}

// Whether the value is the reduction of `of` by `combine` over one axis, which is kept with
// extent 1.
static bool is_fold(finder *f, const pir_value *v, pir_combine combine, const pir_value *of,
                    int *out_axis) {
  lower_site s;
  lower_space space;
  if (!open(f, v, PIR_CLAUSE_REDUCE, &s) || s.clause->combine != combine ||
      s.clause->guard >= 0 || s.clause->init >= 0 || aligned_load(&s, s.clause->body) != of)
    return false;
  if (s.clause->then >= 0 && without_casts(s.clause, s.clause->then)->op != PIR_V_ACC)
    return false;
  if (!lower_reduce_space(&s, &space) || !space.keep)
    return false;
  *out_axis = -1;
  for (int d = 0; d < space.rank; d++) {
    if (!space.reduced[d])
      continue;
    if (*out_axis >= 0)
      return false;
    *out_axis = d;
  }
  return *out_axis >= 0;
}

// ---- values

static bool like(const finder *f, const pir_value *a, const pir_value *b) {
  const pir_fact *x = lower_fact(f->l, a), *y = lower_fact(f->l, b);
  return x->dtype == y->dtype &&
         pir_dims_equal(f->l->dims, x->shape, x->rank, y->shape, y->rank);
}

bool attention_has(const attention *a, const pir_op *op) {
  for (int i = 0; i < a->chain_count; i++)
    if (a->chain[i] == op)
      return true;
  return op == a->first || op == a->second || op == a->max || op == a->shift || op == a->exp ||
         op == a->sum || op == a->quotient;
}

static bool is_read_within(const attention *a, const pir_op *op) {
  for (pir_use *u = pir_value_first_use(pir_op_result(op, 0)); u; u = pir_use_next(u))
    if (!attention_has(a, pir_use_owner(u)))
      return false;
  return true;
}

// Whether the value has the scores' type and can be broadcast to their shape.
static bool goes_with(const finder *f, const pir_value *v, const pir_value *scores) {
  const pir_fact *x = lower_fact(f->l, v), *y = lower_fact(f->l, scores);
  int64_t a, b;
  if (x->dtype != y->dtype || x->rank != y->rank)
    return false;
  for (int d = 0; d < x->rank; d++)
    if (pir_dim_is_const(f->l->dims, x->shape[d], &a) &&
        pir_dim_is_const(f->l->dims, y->shape[d], &b) && a != b)
      return false;
  return true;
}

// Whether the value depends on the first product; collects the ops on the way in a->chain. They
// must be elementwise.
static bool depends(finder *f, const pir_value *v, int depth) {
  attention *a = f->a;
  const pir_op *op = v ? pir_value_op(v) : NULL;
  lower_site s;
  bool any = false;
  if (!op || depth > ATTENTION_MAX_CHAIN || !goes_with(f, v, a->scores))
    return false;
  if (op == a->first)
    return true;
  for (int i = 0; i < a->chain_count; i++)
    if (a->chain[i] == op)
      return true;
  if (contract_is_op(op)) {
    if (a->first)
      return false;
    a->first = op;
    return true;
  }
  if (!open(f, v, PIR_CLAUSE_POINTWISE, &s))
    return false;
  for (size_t i = 0; i < pir_op_operands(op); i++) {
    if (!depends(f, pir_op_operand(op, i), depth + 1))
      continue;
    any = true;
    for (int n = 0; n < s.clause->node_count; n++) {
      const pir_node *node = &s.clause->nodes[n];
      if (node->op == PIR_I_LOAD)
        return false;
      if (node->op == PIR_V_LOAD && node->k == (int)i && node->map_kind != PIR_MAP_ALIGNED)
        return false;
    }
  }
  if (!any || a->chain_count == ATTENTION_MAX_CHAIN)
    return false;
  a->chain[a->chain_count++] = op;
  return true;
}

// Matches the softmax backwards from the weights e / sum(e) to the scores.
static bool match_rows(finder *f, const pir_value *weights) {
  attention *a = f->a;
  const pir_value *e, *sum, *shift, *max;
  int axis;
  if (!is_function(f, weights, PIR_V_DIV, &e, &sum) ||
      !is_fold(f, sum, PIR_COMBINE_ADD, e, &a->key) ||
      !is_function(f, e, PIR_V_EXP, &shift, NULL) ||
      !is_function(f, shift, PIR_V_SUB, &a->scores, &max) ||
      !is_fold(f, max, PIR_COMBINE_MAX, a->scores, &axis) || axis != a->key)
    return false;
  a->quotient = pir_value_op(weights);
  a->sum = pir_value_op(sum);
  a->exp = pir_value_op(e);
  a->shift = pir_value_op(shift);
  a->max = pir_value_op(max);
  const pir_fact *scores = lower_fact(f->l, a->scores);
  pir_dtype dtype = scores->dtype;
  a->rank = scores->rank;
  if (a->rank < 2)  // -1 if it is not known
    return false;
  memcpy(a->of_scores, scores->shape, sizeof a->of_scores);
  return (dtype == PIR_F32 || dtype == PIR_F64) && like(f, weights, a->scores) &&
         like(f, e, a->scores) && like(f, shift, a->scores) && depends(f, a->scores, 0) &&
         a->first;
}

// ---- axes

// Finds for each axis the only variable that indexes it; -1 if the extent is 1. False if an
// axis is indexed otherwise.
static bool variables_of(const contraction *c, const contract_tensor *t, int *out) {
  int64_t one;
  for (int d = 0; d < t->rank; d++) {
    out[d] = -1;
    for (int v = 0; v < c->var_count; v++) {
      if (!t->map[d].factor[v])
        continue;
      if (out[d] >= 0 || t->map[d].factor[v] != 1)
        return false;
      out[d] = v;
    }
    if (t->map[d].offset)
      return false;
    if (out[d] < 0 && (!pir_dim_is_const(c->dims, t->shape[d], &one) || one != 1))
      return false;
  }
  return true;
}

// Whether every axis is indexed by a variable of its own, so that no index leaves the tensor.
static bool is_plain(const contraction *c, const contract_tensor *t) {
  int ignored[PIR_MAX_RANK];
  return variables_of(c, t, ignored);
}

static bool is_narrow(const finder *f, const contraction *c, int var, int64_t *out_extent) {
  int64_t widest = pir_machine_of(f->l->target)->attention.width;
  return pir_dim_is_const(c->dims, c->vars[var].extent, out_extent) && *out_extent > 0 &&
         *out_extent <= widest;
}

static bool find_depth(const finder *f) {
  attention *a = f->a;
  a->depth = -1;
  for (int v = 0; v < a->one.var_count; v++) {
    if (!a->one.vars[v].reduced)
      continue;
    if (a->depth >= 0)
      return false;
    a->depth = v;
  }
  return a->depth >= 0 && is_narrow(f, &a->one, a->depth, &a->depth_extent);
}

// Finds the width: the variable of the second product that does not index the weights. An axis
// of extent 1 has no index in them either, and is the width only if there is no other. The key
// must be the only reduced variable.
static bool find_width_variable(const finder *f, const contract_tensor *weights) {
  attention *a = f->a;
  int unit = -1;
  a->width = -1;
  for (int v = 0; v < a->two.var_count; v++) {
    if (a->two.vars[v].reduced && v != a->in_two[a->key])
      return false;
    int64_t extent;
    bool one = pir_dim_is_const(a->two.dims, a->two.vars[v].extent, &extent) && extent == 1;
    if (contract_mentions(weights, v))
      continue;
    if (one) {
      unit = contract_mentions(a->v_map, v) ? v : unit;
      continue;
    }
    if (a->width >= 0 || a->two.vars[v].reduced || !contract_mentions(a->v_map, v))
      return false;
    a->width = v;
  }
  if (a->width < 0)
    a->width = unit;
  return a->width >= 0 && a->two.vars[a->in_two[a->key]].reduced &&
         is_narrow(f, &a->two, a->width, &a->width_extent);
}

// Finds the axis of tile rows: the innermost axis of the scores that indexes neither keys nor
// values.
static bool find_row_axis(attention *a) {
  for (a->row = a->rank - 1; a->row >= 0; a->row--)
    if (a->row != a->key && a->in_one[a->row] >= 0 && a->in_two[a->row] >= 0 &&
        !contract_mentions(a->k_map, a->in_one[a->row]) &&
        !contract_mentions(a->v_map, a->in_two[a->row]))
      return true;
  return false;
}

static bool match_axes(finder *f, bool weights_first) {
  attention *a = f->a;
  int x, y;
  int64_t rows;
  if (!pir_contract_match(a->first, f->l->facts, &a->one, &x, &y))
    return false;
  const contract_tensor *weights = weights_first ? &a->two.a : &a->two.b;
  a->v_map = weights_first ? &a->two.b : &a->two.a;
  if (a->one.out.rank != a->rank || weights->rank != a->rank ||
      !variables_of(&a->one, &a->one.out, a->in_one) ||
      !variables_of(&a->two, weights, a->in_two) || a->in_one[a->key] < 0 ||
      a->in_two[a->key] < 0)
    return false;
  bool key_in_a = contract_mentions(&a->one.a, a->in_one[a->key]);
  if (key_in_a == contract_mentions(&a->one.b, a->in_one[a->key]))
    return false;
  a->k_map = key_in_a ? &a->one.a : &a->one.b;
  a->q_map = key_in_a ? &a->one.b : &a->one.a;
  a->k = pir_op_operand(a->first, (size_t)(key_in_a ? x : y));
  a->q = pir_op_operand(a->first, (size_t)(key_in_a ? y : x));
  if (!is_plain(&a->one, a->k_map) || !is_plain(&a->one, a->q_map) ||
      !is_plain(&a->two, a->v_map) || !is_plain(&a->two, &a->two.out))
    return false;
  if (a->k_map->dtype != a->one.out.dtype || a->q_map->dtype != a->one.out.dtype ||
      a->v_map->dtype != a->two.out.dtype || a->two.out.dtype != a->one.out.dtype)
    return false;
  // The number of keys may differ between the products; the run checks that they agree.
  for (int d = 0; d < a->rank; d++)
    a->shape[d] =
        a->in_two[d] >= 0 ? a->two.vars[a->in_two[d]].extent : pir_dim_const(f->l->dims, 1);
  a->shape[a->key] = a->of_scores[a->key] = a->one.out.shape[a->key];
  if (!find_depth(f) || !find_width_variable(f, weights) || !find_row_axis(a))
    return false;
  int64_t fewest = pir_machine_of(f->l->target)->attention.rows;
  return !pir_dim_is_const(f->l->dims, a->shape[a->row], &rows) || rows >= fewest;
}

static bool match_attention(finder *f, const pir_op *second, int weights, int values,
                            bool weights_first) {
  attention *a = f->a;
  a->second = second;
  a->v = pir_op_operand(second, (size_t)values);
  if (!match_rows(f, pir_op_operand(second, (size_t)weights)) ||
      a->v == pir_op_operand(second, (size_t)weights))
    return false;
  const pir_op *between[] = {a->first, a->max, a->shift, a->exp, a->sum, a->quotient};
  for (size_t i = 0; i < sizeof between / sizeof *between; i++)
    if (!is_read_within(a, between[i]))
      return false;
  for (int i = 0; i < a->chain_count; i++)
    if (!is_read_within(a, a->chain[i]))
      return false;
  return match_axes(f, weights_first);
}

bool attention_match(lowering *l, const pir_op *second, attention *out) {
  finder f = {l, out};
  contraction two;
  int a, b;
  if (!contract_is_op(second) || !pir_contract_match(second, l->facts, &two, &a, &b))
    return false;
  for (int way = 0; way < 2; way++) {
    *out = (attention){.two = two};
    if (match_attention(&f, second, way ? b : a, way ? a : b, way == 0))
      return true;
  }
  return false;
}

const pir_op *attention_turn(lowering *l, const pir_value *sum,
                             uint8_t out_from[PIR_MAX_RANK]) {
  const pir_use *use = pir_value_first_use(sum);
  const pir_op *op = use ? pir_use_owner(use) : NULL;
  lower_site site;
  loop_expr *index[PIR_MAX_RANK], *from[PIR_MAX_RANK];
  const pir_fact *source, *fact = lower_fact(l, sum);
  bool seen[PIR_MAX_RANK] = {false};
  if (!op || pir_use_next(use) || pir_op_results(op) != 1 ||
      pir_op_has_any(op, PIR_TERMINATOR | PIR_STRUCTURAL))
    return NULL;
  const pir_fact *turned = lower_fact(l, pir_op_result(op, 0));
  const pir_opdef *def = pir_op_meaning(op);
  if (!def->clause || turned->rank != fact->rank || turned->dtype != fact->dtype ||
      !lower_open(l, op, 0, &site))
    return NULL;
  lower_start(l, "turn", 0);
  for (int d = 0; d < turned->rank; d++)
    index[d] = pir_loop_use(l->m, pir_loop_var_create(l->fn, "i", LOOP_INDEX, 1));
  if (!lower_moved_index(&site, index, &source, from) || source != fact)
    return NULL;
  for (int d = 0; d < fact->rank; d++) {  // axis d of the sum is axis `at` of the result
    int at = 0;
    while (at < fact->rank && (from[d]->kind != LOOP_VAR || from[d]->var != index[at]->var))
      at++;
    if (at == fact->rank || seen[at])
      return NULL;
    seen[at] = true;
    out_from[at] = (uint8_t)d;
  }
  return op;
}
