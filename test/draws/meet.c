// Helps a draw to satisfy the op's requirements: an equation in a condition between a rank, an
// extent or the length of a list and a known value is made true. Of several alternatives one is
// chosen; other conditions are left to chance.
#include "draws.h"

#include <pir/compiler/index_nodes.h>

#include <string.h>

enum { ROUNDS = 3 };

static draw_tensor *tensor_at(draw *d, int k) {
  draw_operand *o = &d->operands[k];
  return o->form == DRAW_TENSOR || o->form == DRAW_LIST ? &o->members[0] : NULL;
}

static bool axis_of(const draw_tensor *t, int64_t at, int32_t *out_axis) {
  if (at < 0)
    at += t->rank;
  *out_axis = (int32_t)at;
  return at >= 0 && at < t->rank;
}

static pir_index_step own_value(pir_index_reader *r, int node, void *out) {
  draw *d = r->user;
  const pir_node *n = &r->nodes[node];
  const draw_tensor *t;
  int64_t *number = out, at;
  int32_t axis;
  bool known;
  switch (n->op) {
    case PIR_I_RANK:
      t = tensor_at(d, n->k);
      known = t != NULL;
      *number = t ? t->rank : 0;
      break;
    case PIR_I_DIM:
      t = tensor_at(d, n->k);
      known = t && pir_index_number(r, n->a, &at) && axis_of(t, at, &axis);
      *number = known ? t->shape[axis] : 0;
      break;
    case PIR_I_ATTR: known = d->attrs[n->k] && pir_attr_as_int(d->attrs[n->k], number); break;
    default: return PIR_INDEX_SHARED;
  }
  return known ? PIR_INDEX_DONE : PIR_INDEX_FAILED;
}

static bool value_of(draw *d, const pir_clause *c, int at, int64_t *out) {
  pir_index_reader reader = {.nodes = c->nodes, .user = d, .own = own_value};
  return pir_index_number(&reader, at, out);
}

static void set_rank(draw *d, draw_tensor *t, int64_t rank) {
  if (rank < 0 || rank > DRAW_RANK || t->pinned)
    return;
  for (int32_t i = t->rank; i < rank; i++)
    t->shape[i] = t->rank ? t->shape[draw_below(d, (uint32_t)t->rank)] : 2;
  t->rank = (int32_t)rank;
}

static void set_list(draw *d, int attr, int64_t count) {
  const pir_attr *items[DRAW_ITEMS], *old = d->attrs[attr];
  if (!old || pir_attr_kind_of(old) != PIR_ATTR_ARRAY || count < 1 || count > DRAW_ITEMS)
    return;
  size_t has = pir_attr_elements(old);
  const pir_attr_def *def = &d->def->attrs[attr];
  if (def->element_kind != PIR_ATTR_I32 && def->element_kind != PIR_ATTR_I64)
    return;
  for (int64_t i = 0; i < count; i++)
    items[i] = (size_t)i < has ? pir_attr_element(old, (size_t)i)
                               : pir_attr_int(d->ctx, (pir_attr_kind)def->element_kind,
                                              (int64_t)draw_below(d, 3));
  d->attrs[attr] = pir_attr_array(d->ctx, items, (size_t)count);
}

static bool assign(draw *d, const pir_clause *c, int at, int64_t value) {
  const pir_node *n = &c->nodes[at];
  draw_operand *o = n->k >= 0 && n->k < DRAW_OPERANDS ? &d->operands[n->k] : NULL;
  draw_tensor *t;
  int64_t a;
  int32_t axis;
  switch ((pir_node_op)n->op) {
    case PIR_I_RANK:
      for (size_t i = 0; (t = tensor_at(d, n->k)) && i < o->count; i++)
        set_rank(d, t + i, value);
      return t && t->rank == value;
    case PIR_I_DIM:
      t = tensor_at(d, n->k);
      if (!t || t->pinned || value < 0 || value > 64 || !value_of(d, c, n->a, &a))
        return false;
      for (size_t i = 0; i < o->count; i++)
        if (axis_of(t + i, a, &axis))
          t[i].shape[axis] = value;
      return true;
    case PIR_I_ATTR_COUNT: set_list(d, n->k, value); return true;
    case PIR_I_OPERAND_COUNT:
      if (o->form != DRAW_INTS || value < 0 || value > DRAW_ITEMS)
        return false;
      for (size_t i = o->count; i < (size_t)value; i++)
        o->ints[i] = 1 + (int64_t)draw_below(d, 2);
      o->count = (size_t)value;
      return true;
    case PIR_I_MUL:  // one factor known, the other takes the quotient
      for (int i = 0; i < 2; i++)
        if (value_of(d, c, i ? n->a : n->b, &a) && a > 0 && value % a == 0 &&
            assign(d, c, i ? n->b : n->a, value / a))
          return true;
      return false;
    default: return false;
  }
}

static void meet(draw *d, const pir_clause *c, int at) {
  const pir_node *n = &c->nodes[at];
  int64_t left, right;
  if (n->op == PIR_I_AND) {
    meet(d, c, n->a);
    meet(d, c, n->b);
  } else if (n->op == PIR_I_OR) {
    meet(d, c, draw_below(d, 2) ? n->a : n->b);
  } else if (n->op == PIR_I_EQ) {
    bool has_left = value_of(d, c, n->a, &left), has_right = value_of(d, c, n->b, &right);
    if (has_left && has_right && left == right)
      return;
    if (has_right && draw_below(d, 4) && assign(d, c, n->a, right))
      return;
    if (has_left && assign(d, c, n->b, left))
      return;
    if (has_right)
      assign(d, c, n->a, right);
  }
}

void draw_meet(draw *d) {
  for (int i = 0; i < ROUNDS; i++)
    for (const pir_clause *c = d->def->require; c; c = c->next)
      if (c->guard >= 0)
        meet(d, c, c->guard);
}
