// Decides which adjacent dims of a nest are merged into one level. Two dims are merged if every
// tensor either has both, one directly inside the other in memory, or has neither. A joined
// tensor keeps its axis of the join separate. So does a dim whose extent decides only at run
// time whether it is broadcast. Quadratic in the dims, linear in the ops of the group.
#include "nest.h"

// Whether a tensor has a dim of the nest: absent (extent 1 or no such dim), or present.
static bool has_dim(const nest *n, const pir_fact *f, int d) {
  int own = d - (n->rank - f->rank);
  return own >= 0 && !is_one(n, f->shape[own]);
}

// Whether it is known only at run time if the tensor is broadcast along the dim.
static bool is_unsure(const nest *n, const pir_fact *f, int d) {
  pir_dim extent = n->join && d == n->join_axis ? n->join_extent : n->extent[d];
  return has_dim(n, f, d) &&
         canonical(n, f->shape[d - (n->rank - f->rank)]) != canonical(n, extent);
}

static bool follows(const nest *n, const lower_value *v, const pir_fact *f, int outer,
                    int inner) {
  int shift = n->rank - f->rank;
  for (int i = 0; i + 1 < f->rank; i++)
    if (v->order[i] == outer - shift) {
      if (v->placed && v->place.axis == inner - shift)
        return false;  // there is a gap
      while (i + 1 < f->rank && is_one(n, f->shape[v->order[i + 1]]))
        i++;
      return i + 1 < f->rank && v->order[i + 1] == inner - shift;
    }
  return false;
}

static bool is_aligned_op(const pir_op *op) {
  const pir_opdef *def = pir_op_meaning(op);
  if (!def->clause)
    return false;
  for (const pir_clause *c = def->clause; c; c = c->next) {
    if (c->kind != PIR_CLAUSE_POINTWISE && c->kind != PIR_CLAUSE_REDUCE)
      return false;
    for (int i = 0; i < c->node_count; i++) {
      uint8_t op_kind = c->nodes[i].op;
      if (op_kind == PIR_I_OUT || op_kind == PIR_I_OUT_LINEAR || op_kind == PIR_I_LOAD)
        return false;
      if (op_kind == PIR_V_LOAD && c->nodes[i].map_kind != PIR_MAP_ALIGNED)
        return false;
    }
  }
  return true;
}

static bool tensor_allows(const nest *n, const pir_value *value, int outer, int inner) {
  lower_value *v = lower_find(n->l, value);
  const pir_fact *f = lower_fact(n->l, value);
  if (!v || v->slot < 0)
    return true;
  if (!pir_fact_has_rank(f) || f->rank > n->rank)
    return false;
  if (is_unsure(n, f, outer) || is_unsure(n, f, inner))
    return false;
  if (has_dim(n, f, outer) != has_dim(n, f, inner))
    return false;
  return !has_dim(n, f, outer) || follows(n, v, f, outer, inner);
}

static bool is_attribute_operand(const pir_op *op, size_t i) {
  const pir_opdef *def = pir_op_meaning(op);
  return i < def->operand_count &&
         (def->operands[i].flags & (PIR_OPERAND_INTARRAY | PIR_OPERAND_SCALAR));
}

// Along the axis of the join a member has its own extent; the dims inside are common to all
// members.
static bool member_allows(const nest *n, const pir_value *value, int outer, int inner) {
  lower_value *v = lower_find(n->l, value);
  const pir_fact *f = lower_fact(n->l, value);
  if (outer != n->join_axis || !v || v->slot < 0 || f->rank != n->rank)
    return tensor_allows(n, value, outer, inner);
  return !is_unsure(n, f, inner) && has_dim(n, f, inner) && follows(n, v, f, outer, inner);
}

static bool join_allows(const nest *n, int outer, int inner) {
  if (inner == n->join_axis)
    return false;
  for (size_t i = 0; i < pir_op_operands(n->list); i++)
    if (!member_allows(n, pir_op_operand(n->list, i), outer, inner))
      return false;
  return tensor_allows(n, pir_op_result(n->join, 0), outer, inner);
}

// Constants inside the group are the same everywhere.
static bool can_merge(const nest *n, int outer, int inner) {
  if (n->reduced[outer] != n->reduced[inner])
    return false;
  for (const pir_op *op = pir_block_first(pir_region_first(pir_op_region(n->l->group, 0))); op;
       op = pir_op_next(op)) {
    if (pir_op_has(op, PIR_TERMINATOR)) {
      for (size_t i = 0; i < pir_op_operands(op); i++)
        if (!tensor_allows(n, pir_op_operand(op, i), outer, inner))
          return false;
      continue;
    }
    if (pir_op_has(op, PIR_CONSTANT))
      continue;
    if (n->join && (op == n->join || op == n->list)) {
      if (!join_allows(n, outer, inner))
        return false;
      continue;
    }
    if (!is_aligned_op(op))
      return false;
    for (size_t i = 0; i < pir_op_operands(op); i++) {
      const pir_value *v = pir_op_operand(op, i);
      if (v && !is_attribute_operand(op, i) && !tensor_allows(n, v, outer, inner))
        return false;
    }
  }
  return true;
}

void nest_find_levels(nest *n) {
  n->level_count = 0;
  for (int i = 0; i < n->rank; i++) {
    int d = n->order[i];
    if (is_one(n, n->extent[d]))
      continue;
    level *last = n->level_count ? &n->levels[n->level_count - 1] : NULL;
    if (!last || !can_merge(n, last->dims[last->count - 1], d)) {
      last = &n->levels[n->level_count++];
      *last = (level){.reduced = n->reduced[d]};
    }
    last->dims[last->count++] = d;
  }
}
