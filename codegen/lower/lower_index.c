// Lowers the index nodes of a clause to loop IR. Nodes that depend on ranks and attributes only
// become constants. Extents become constants or run-time arguments. All other nodes become
// arithmetic on the loop variables.
#include "lowering.h"

#include <pir/compiler/index_nodes.h>

#include <string.h>

static loop_expr *fail(lower_site *s, const char *why) {
  lower_fail(s->l, s->op, why);
  return pir_loop_int(s->l->m, 0);
}

static loop_expr *number(lower_site *s, int64_t i) {
  return pir_loop_int(s->l->m, i);
}

// A number from an attribute. It is data if it is so large that index arithmetic could
// overflow.
static loop_expr *given_number(lower_site *s, int64_t i) {
  return pir_loop_cast(s->l->m, pir_loop_const_int(s->l->m, PIR_I64, i), LOOP_INDEX);
}

// Returns the expression as an index, or as data if it is computed from a tensor element.
static loop_expr *as_number(lower_site *s, loop_expr *e) {
  return e->dtype == PIR_I64 ? e : pir_loop_cast(s->l->m, e, LOOP_INDEX);
}

static loop_expr *as_index(lower_site *s, loop_expr *e) {
  return pir_loop_cast(s->l->m, e, LOOP_INDEX);
}

// Brings both operands to one type. Sums, products and quotients of an index and data are data,
// because they may wrap; a selection between both is an index.
static void agree(lower_site *s, bool picks, loop_expr **a, loop_expr **b) {
  *a = as_number(s, *a);
  *b = as_number(s, *b);
  if ((*a)->dtype == (*b)->dtype)
    return;
  *a = pir_loop_cast(s->l->m, *a, picks ? LOOP_INDEX : PIR_I64);
  *b = pir_loop_cast(s->l->m, *b, picks ? LOOP_INDEX : PIR_I64);
}

bool lower_fixed(lower_site *s, int node, int64_t *out) {
  *out = 0;
  if (node < 0)
    return true;
  if (pir_loop_is_int(lower_index(s, node), out))
    return true;
  fail(s, "an axis or list position that varies");
  return false;
}

loop_expr *lower_truth(lower_site *s, int node) {
  loop_expr *e = lower_index(s, node);
  return e->dtype == PIR_BOOL ? e
                              : pir_loop_op(s->l->m, PIR_V_NE, e,
                                            pir_loop_const_int(s->l->m, e->dtype, 0), NULL);
}

static int64_t from_end(int64_t i, int64_t rank) {
  return i < 0 ? i + rank : i;
}

// ---- lists: attributes and integer operands

static const pir_fact *operand_fact(lower_site *s, int k) {
  if ((size_t)k >= pir_op_operands(s->op) || !pir_op_operand(s->op, (size_t)k))
    return NULL;
  return lower_fact(s->l, pir_op_operand(s->op, (size_t)k));
}

// Returns the number of elements of an integer operand; -1 if unknown.
static int64_t operand_count(lower_site *s, const pir_fact *f) {
  int64_t n = 1, c;
  if (f->members)
    return (int64_t)f->member_count;
  if (f->contents)
    return (int64_t)f->content_count;
  for (int d = 0; d < f->rank; d++) {
    if (!pir_dim_is_const(s->l->dims, f->shape[d], &c))
      return -1;
    n *= c;
  }
  return f->rank < 0 ? -1 : n;
}

static pir_dim operand_dim(const pir_fact *f, int64_t i) {
  if (f->members)
    return f->members[i]->contents ? f->members[i]->contents[0] : PIR_DIM_UNKNOWN;
  return f->contents ? f->contents[i] : PIR_DIM_UNKNOWN;
}

static loop_expr *list_element(lower_site *s, const pir_node *n, const pir_fact *f, int64_t i) {
  if (f)
    return lower_number(s->l, operand_dim(f, i));
  int64_t number;
  if (!pir_index_attr_at(&s->attrs[n->k], i, &number))
    return fail(s, "an element of a list that is no integer");
  return given_number(s, number);
}

// Selects an element of a short list by an index that varies between points.
static loop_expr *chosen_element(lower_site *s, const pir_node *n, const pir_fact *f,
                                 loop_expr *at, int64_t count) {
  loop_expr *e = list_element(s, n, f, 0);
  for (int64_t i = 1; i < count; i++) {
    loop_expr *here =
        pir_loop_op(s->l->m, PIR_V_EQ, at, pir_loop_const_int(s->l->m, at->dtype, i), NULL);
    e = pir_loop_select(s->l->m, here, list_element(s, n, f, i), e);
  }
  return e;
}

typedef struct asked_list {
  lower_site *s;
  const pir_node *n;
  const pir_fact *f;  // NULL: an attribute
} asked_list;

static bool known_element(const void *user, int64_t i, int64_t *out) {
  const asked_list *l = user;
  return pir_loop_is_int(list_element(l->s, l->n, l->f, i), out);
}

static int64_t asked_count(lower_site *s, const pir_node *n, bool attr, const pir_fact *f) {
  if (attr)
    return pir_index_attr_list(&s->attrs[n->k]).count;
  return f ? operand_count(s, f) : 0;
}

static loop_expr *ask_list(lower_site *s, const pir_node *n, bool attr) {
  enum { SHORT_LIST = 32 };
  const pir_fact *f = attr ? NULL : operand_fact(s, n->k);
  asked_list asked = {s, n, f};
  pir_index_list list = {asked_count(s, n, attr, f), known_element, &asked};
  int64_t at, rank, answer;
  if (list.count < 0)
    return fail(s, "a list whose length is not known");
  if (n->op == PIR_I_ATTR_COUNT || n->op == PIR_I_OPERAND_COUNT)
    return number(s, list.count);
  bool one = n->op == PIR_I_ATTR_AT || n->op == PIR_I_OPERAND_AT;
  loop_expr *place = one ? as_number(s, lower_index(s, n->a)) : NULL;
  if (one && !pir_loop_is_int(place, &at) && list.count > 0 && list.count <= SHORT_LIST)
    return chosen_element(s, n, f, place, list.count);
  if (!lower_fixed(s, n->a, &at) || !lower_fixed(s, n->b, &rank))
    return number(s, 0);
  if (one && (at < 0 || at >= list.count))
    return fail(s, "an element beyond the end of a list");
  if (one)
    return list_element(s, n, f, at);
  if (!pir_index_ask(n->op, &list, at, rank, &answer))
    return fail(s, "a list with elements that are not known");
  return number(s, answer);
}

// ---- questions about operands and the result

static loop_expr *extent_of(lower_site *s, const pir_fact *f, int axis_node) {
  int64_t axis;
  if (!f || f->rank < 0 || !lower_fixed(s, axis_node, &axis))
    return fail(s, "the extent of an operand that is not known");
  axis = from_end(axis, f->rank);
  return axis >= 0 && axis < f->rank ? lower_dim(s->l, f->shape[axis])
                                     : fail(s, "an axis beyond the rank");
}

static loop_expr *numel_of(lower_site *s, const pir_fact *f) {
  loop_expr *n = number(s, 1);
  for (int d = 0; d < f->rank; d++)
    n = pir_loop_mul(s->l->m, n, lower_dim(s->l, f->shape[d]));
  return n;
}

static loop_expr *ask_operand(lower_site *s, const pir_node *n) {
  const pir_fact *f = operand_fact(s, n->k);
  if (!f || (n->op != PIR_I_DTYPE && f->rank < 0))
    return fail(s, "a question about an absent operand");
  if (n->op == PIR_I_RANK)
    return number(s, f->rank);
  if (n->op == PIR_I_DTYPE)
    return number(s, f->dtype);
  return numel_of(s, f);
}

static loop_expr *out_index(lower_site *s, const pir_node *n) {
  int64_t axis;
  if (!lower_fixed(s, n->a, &axis))
    return number(s, 0);
  axis = from_end(axis, s->axes);
  return axis >= 0 && axis < s->axes ? s->axis[axis]
                                     : fail(s, "an index along an axis beyond the rank");
}

static loop_expr *out_linear(lower_site *s) {
  loop_expr *at = number(s, 0);
  for (int d = 0; d < s->axes; d++)
    at = pir_loop_add(s->l->m, pir_loop_mul(s->l->m, at, lower_dim(s->l, s->axis_extent[d])),
                      s->axis[d]);
  return at;
}

static loop_expr *load_index(lower_site *s, const pir_node *n) {
  loop_expr *index[PIR_MAX_RANK];
  const pir_value *v = lower_operand(s, n->k, 0);
  if (!v)
    return fail(s, "an index from an absent operand");
  const pir_fact *fact = lower_fact(s->l, v);
  if (!lower_load_index(s, n, fact, index))
    return number(s, 0);
  lower_reach reach = {.known = true};
  if (n->map_kind != PIR_MAP_ALIGNED)
    reach.guard = lower_settle_index(s, n, fact, index).guard;
  return pir_loop_cast(s->l->m, lower_settled_element(s, reach, v, index), PIR_I64);
}

// ---- arithmetic

static loop_expr *arithmetic(lower_site *s, const pir_node *n) {
  loop_module *m = s->l->m;
  int64_t known;
  if (n->op == PIR_I_AND || n->op == PIR_I_OR) {
    loop_expr *a = lower_truth(s, n->a);
    // Lowers only the decided side of a conditional: the other side may be invalid.
    if (pir_loop_is_int(a, &known) && (known != 0) == (n->op == PIR_I_OR))
      return a;
    return pir_loop_op(m, n->op == PIR_I_AND ? PIR_V_AND : PIR_V_OR, a, lower_truth(s, n->b),
                       NULL);
  }
  loop_expr *a = lower_index(s, n->a), *b = lower_index(s, n->b), *zero;
  agree(s, n->op > PIR_I_MOD, &a, &b);
  switch (n->op) {
    case PIR_I_ADD: return pir_loop_add(m, a, b);
    case PIR_I_SUB: return pir_loop_sub(m, a, b);
    case PIR_I_MUL: return pir_loop_mul(m, a, b);
    case PIR_I_FLOORDIV: return pir_loop_floordiv(m, a, b);
    case PIR_I_CEILDIV:
      zero = pir_loop_const_int(m, a->dtype, 0);
      return pir_loop_sub(m, zero, pir_loop_floordiv(m, pir_loop_sub(m, zero, a), b));
    case PIR_I_MOD: return pir_loop_mod(m, a, b);
    case PIR_I_MIN: return pir_loop_min(m, a, b);
    case PIR_I_MAX: return pir_loop_max(m, a, b);
    case PIR_I_EQ: return pir_loop_op(m, PIR_V_EQ, a, b, NULL);
    case PIR_I_NE: return pir_loop_op(m, PIR_V_NE, a, b, NULL);
    case PIR_I_LT: return pir_loop_lt(m, a, b);
    default: return pir_loop_op(m, PIR_V_LE, a, b, NULL);
  }
}

static loop_expr *conditional(lower_site *s, const pir_node *n) {
  int64_t known;
  loop_expr *cond = lower_truth(s, n->a);
  if (pir_loop_is_int(cond, &known))
    return lower_index(s, known ? n->b : n->c);
  lowering *l = s->l;
  loop_expr *outer = l->condition, *not = pir_loop_op(l->m, PIR_V_NOT, cond, NULL, NULL);
  int assumed = s->assumed_count;
  l->condition = lower_both(l, outer, cond);
  lower_assume(s, n->a, true);
  loop_expr *a = lower_index(s, n->b);
  s->assumed_count = assumed;
  l->condition = lower_both(l, outer, not);
  lower_assume(s, n->a, false);
  loop_expr *b = lower_index(s, n->c);
  s->assumed_count = assumed;
  l->condition = outer;
  agree(s, true, &a, &b);
  return pir_loop_select(l->m, cond, a, b);
}

loop_expr *lower_index(lower_site *s, int node) {
  const pir_node *n = &s->clause->nodes[node];
  loop_module *m = s->l->m;
  int64_t attr;
  if (s->l->why)
    return number(s, 0);
  switch (n->op) {
    case PIR_I_CONST: return number(s, n->i);
    case PIR_I_ATTR:
      if (!pir_attr_value_int(&s->attrs[n->k], &attr))
        return fail(s, "an attribute that is no integer");
      return given_number(s, attr);
    case PIR_I_ATTR_DTYPE: return number(s, pir_attr_value_dtype(&s->attrs[n->k]));
    case PIR_I_ATTR_IS: return number(s, pir_node_attr_is(n, s->attrs, s->clause->text));
    case PIR_I_ATTR_AT:
    case PIR_I_ATTR_COUNT:
    case PIR_I_ATTR_FIND:
    case PIR_I_ATTR_BELOW:
    case PIR_I_ATTR_KEPT: return ask_list(s, n, true);
    case PIR_I_OPERAND_AT:
    case PIR_I_OPERAND_COUNT:
    case PIR_I_OPERAND_FIND:
    case PIR_I_OPERAND_KEPT: return ask_list(s, n, false);
    case PIR_I_PRESENT: return number(s, operand_fact(s, n->k) != NULL);
    case PIR_I_MEMBERS: return number(s, lower_members(s, n->k));
    case PIR_I_RANK:
    case PIR_I_NUMEL:
    case PIR_I_DTYPE: return ask_operand(s, n);
    case PIR_I_DIM: return extent_of(s, operand_fact(s, n->k), n->a);
    case PIR_I_OUT_DIM: return extent_of(s, s->out, n->a);
    case PIR_I_OUT_RANK: return number(s, s->out->rank);
    case PIR_I_VAR:
      return s->vars[n->k] ? s->vars[n->k] : fail(s, "a variable that the result does not fix");
    case PIR_I_OUT: return out_index(s, n);
    case PIR_I_OUT_LINEAR: return out_linear(s);
    case PIR_I_D: return number(s, s->d);
    case PIR_I_LOAD: return load_index(s, n);
    case PIR_I_VALUE: return lower_clause_value(s, n->a, PIR_I64);
    case PIR_I_NOT: return pir_loop_op(m, PIR_V_NOT, lower_truth(s, n->a), NULL, NULL);
    case PIR_I_SELECT: return conditional(s, n);
    default:
      return n->op >= PIR_I_ADD && n->op <= PIR_I_OR ? arithmetic(s, n)
                                                     : fail(s, "an index of an unknown kind");
  }
}

// ---- where a load reads

// Aligns a dim of an operand with an axis. If the dim may be 1 at run time (broadcast), a
// conditional decides, which is the same at every point. That extents agree which only the run
// shows is a condition for the run.
static loop_expr *aligned(lower_site *s, pir_dim dim, loop_expr *index, pir_dim extent) {
  int64_t c, e;
  loop_module *m = s->l->m;
  bool known = pir_dim_is_const(s->l->dims, dim, &c);
  if (known && c == 1)
    return number(s, 0);
  if (pir_dim_equal(s->l->dims, dim, extent))
    return index;
  if (known && pir_dim_is_const(s->l->dims, extent, &e))
    return fail(s, "operands whose extents do not agree");
  lower_expect_broadcast(s, dim, extent);
  if (known)
    return index;
  loop_expr *one = pir_loop_op(m, PIR_V_EQ, lower_dim(s->l, dim), number(s, 1), NULL);
  return pir_loop_select(m, one, number(s, 0), index);
}

static void align_with(lower_site *s, const pir_fact *fact, int first, int count,
                       loop_expr *const *index, const pir_dim *extent, int rank,
                       loop_expr **out) {
  for (int d = 0; d < count; d++) {
    int axis = rank - count + d;
    out[first + d] = axis >= 0 ? aligned(s, fact->shape[first + d], index[axis], extent[axis])
                               : aligned(s, fact->shape[first + d], number(s, 0), 1);
  }
}

static bool list_index(lower_site *s, const pir_node *load, const pir_fact *fact,
                       loop_expr **out) {
  int dim = 0, pack_rank = fact->rank - (load->map_count - 1);
  for (int i = 0; i < load->map_count; i++) {
    int entry = s->clause->pool[load->map + i];
    bool pack = s->clause->nodes[entry].op == PIR_I_PACK;
    int count = pack ? pack_rank : 1;
    if (count < 0)
      count = 0;
    if (dim + count > fact->rank) {
      fail(s, "an index with more entries than dims");
      return false;
    }
    if (pack)
      align_with(s, fact, dim, count, s->pack, s->pack_extent, s->pack_rank, out);
    else
      out[dim] = as_index(s, lower_index(s, entry));
    dim += count;
  }
  return dim == fact->rank || (fail(s, "an index with fewer entries than dims"), false);
}

static void linear_index(lower_site *s, loop_expr *at, const pir_fact *fact, loop_expr **out) {
  loop_module *m = s->l->m;
  for (int d = fact->rank - 1; d >= 0; d--) {
    loop_expr *extent = lower_dim(s->l, fact->shape[d]);
    out[d] = d ? pir_loop_mod(m, at, extent) : at;
    at = d ? pir_loop_floordiv(m, at, extent) : at;
  }
}

bool lower_load_index(lower_site *s, const pir_node *load, const pir_fact *fact,
                      loop_expr **out) {
  int64_t outer = s->d;
  if (!pir_fact_has_rank(fact)) {
    fail(s, "an operand of unknown rank");
    return false;
  }
  switch (load->map_kind) {
    case PIR_MAP_ALIGNED:
      align_with(s, fact, 0, fact->rank, s->axis, s->axis_extent, s->axes, out);
      break;
    case PIR_MAP_LIST: return list_index(s, load, fact, out) && !s->l->why;
    case PIR_MAP_LINEAR:
      linear_index(s, as_index(s, lower_index(s, load->map)), fact, out);
      break;
    default:
      for (s->d = 0; s->d < fact->rank; s->d++)
        out[s->d] = as_index(s, lower_index(s, load->map));
      s->d = outer;
  }
  return !s->l->why;
}
