// The places of attention: which elements of queries, keys and values belong to a row, a key
// and a depth or width, what the ops between the products compute of a sum, and where the
// results go. Transpositions, slices and scales in front of the products cost index arithmetic
// only. Cost: linear in the ops of the group, for each call.
#include "attention_impl.h"

void attention_start(attention_place *p, int64_t number) {
  lowering *l = p->l;
  const contraction *both[] = {&p->a->one, &p->a->two};
  for (int i = 0; i < 2; i++)
    for (int k = 0; k < 2 * both[i]->equal_count; k++)
      pir_vec_push(&l->m->arena, &l->equal, both[i]->equal[k]);
  lower_start(l, "stage", number);
}

pir_dim attention_split_unit(attention_place *p, loop_block *block, loop_expr *unit,
                             int64_t rows_of_unit) {
  const attention *a = p->a;
  lowering *l = p->l;
  const pir_dim *shape = a->shape;
  pir_dim size = pir_dim_const(l->dims, rows_of_unit);
  pir_dim blocks = pir_dim_ceildiv(l->dims, shape[a->row], size), units = blocks;
  loop_expr *many = lower_dim(l, blocks), *rows = pir_loop_int(l->m, rows_of_unit);
  loop_expr *at = pir_loop_let(l->fn, block, "t", pir_loop_mod(l->m, unit, many));
  p->first_row = pir_loop_let(l->fn, block, "t", pir_loop_mul(l->m, at, rows));
  loop_expr *left = pir_loop_sub(l->m, lower_dim(l, shape[a->row]), p->first_row);
  p->row_count = pir_loop_let(l->fn, block, "t", pir_loop_min(l->m, left, rows));
  unit = pir_loop_let(l->fn, block, "t", pir_loop_floordiv(l->m, unit, many));
  for (int d = a->rank - 1; d >= 0; d--) {
    if (d == a->row || d == a->key)
      continue;
    loop_expr *extent = lower_dim(l, shape[d]);
    units = pir_dim_mul(l->dims, units, shape[d]);
    p->axis[d] = pir_loop_let(l->fn, block, "t", pir_loop_mod(l->m, unit, extent));
    unit = pir_loop_let(l->fn, block, "t", pir_loop_floordiv(l->m, unit, extent));
  }
  return units;
}

// ---- indices

// The index along an axis whose extent may be 1 at run time (broadcast), clamped to the extent.
static loop_expr *within(const attention_place *p, loop_expr *at, pir_dim extent) {
  loop_module *m = p->l->m;
  loop_expr *last = pir_loop_sub(m, lower_dim(p->l, extent), pir_loop_int(m, 1));
  return pir_loop_min(m, at, last);
}

// The index along axis d of a tensor of the scores' rank with `extent` there; NULL if
// p->axis[d] is not set.
static loop_expr *index_along(const attention_place *p, int d, pir_dim extent) {
  return !p->axis[d] || pir_dim_equal(p->l->dims, extent, p->a->shape[d])
             ? p->axis[d]
             : within(p, p->axis[d], extent);
}

// Sets the variables of the first or second contraction from p->axis; `other` is the depth or
// width, which the scores lack.
static void variables(const attention_place *p, bool second, loop_expr *other,
                      loop_expr **out) {
  const attention *a = p->a;
  const int *of_axis = second ? a->in_two : a->in_one;
  for (int v = 0; v < CONTRACT_MAX_VARS; v++)
    out[v] = NULL;
  for (int d = 0; d < a->rank; d++) {
    if (of_axis[d] < 0)
      continue;
    out[of_axis[d]] = second ? p->axis[d] : index_along(p, d, a->one.out.shape[d]);
  }
  out[second ? a->width : a->depth] = other;
}

static void index_of(const attention_place *p, const contract_tensor *t,
                     loop_expr *const *variable, loop_expr **out) {
  for (int d = 0; d < t->rank; d++) {
    out[d] = pir_loop_int(p->l->m, 0);
    for (int v = 0; v < CONTRACT_MAX_VARS; v++)
      if (t->map[d].factor[v] && variable[v])
        out[d] = t->map[d].unsure ? within(p, variable[v], t->shape[d]) : variable[v];
  }
}

// ---- elements

static const pir_value *value_of(const attention *a, const contract_tensor *map) {
  if (map == a->v_map)
    return a->v;
  return map == a->k_map ? a->k : a->q;
}

void attention_store(attention_place *p, loop_block *block, const contract_tensor *map,
                     loop_expr *other, loop_buffer *to, loop_expr *at) {
  lowering *l = p->l;
  loop_expr *variable[CONTRACT_MAX_VARS], *index[PIR_MAX_RANK];
  variables(p, map == p->a->v_map, other, variable);
  index_of(p, map, variable, index);
  lower_place before = lower_enter(l, block);
  loop_expr *x = lower_element(l, value_of(p->a, map), index);
  lower_leave(l, before);
  if (!l->why)
    pir_loop_store(l->fn, block, to, at, x, NULL);
}

bool attention_reads_runs(const loop_block *body, const loop_var *lane) {
  int64_t step;
  for (const loop_stmt *s = body->first; s; s = s->next) {
    loop_operands operands = pir_loop_operands(s);
    for (int i = 0; i < operands.count; i++) {
      const loop_expr *x = *operands.at[i];
      if (x->kind == LOOP_LOAD && pir_loop_mentions(x->a, lane) &&
          (!pir_loop_stride(x->a, lane, &step) || step != 1))
        return false;
    }
  }
  return true;
}

loop_expr *attention_score(attention_place *p, loop_block *block, loop_buffer *rows,
                           loop_expr *at) {
  lowering *l = p->l;
  loop_expr *index[PIR_MAX_RANK];
  for (int d = 0; d < p->a->rank; d++)
    index[d] = index_along(p, d, p->a->of_scores[d]);
  lower_place before = lower_enter(l, block);
  lower_value *sums = lower_add(l, pir_op_result(p->a->first, 0));
  sums->row = rows;
  l->row_index = at;
  loop_expr *x = lower_element(l, p->a->scores, index);
  sums->row = NULL;
  lower_leave(l, before);
  return x;
}

void attention_finish(attention_place *p, loop_block *block, loop_expr *column,
                      contract_point *point) {
  const attention *a = p->a;
  loop_expr *variable[CONTRACT_MAX_VARS];
  variables(p, true, column, variable);
  index_of(p, &a->two.out, variable, point->index);
  point->lane_axis = -1;
  for (int d = 0; d < a->two.out.rank; d++)
    if (a->two.out.map[d].factor[a->width])
      point->lane_axis = d;
  contract_finish_sums(p->l, pir_op_result(a->second, 0), p->l->fn, block, point);
}
