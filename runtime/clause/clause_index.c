// Evaluates the index nodes of a clause over a block of points, and the addresses that they
// give.
//
// An index over a block is kept as base + step * lane as long as it has this form. So the usual
// maps (a run along the innermost axis) cost a few scalar operations for each block, and loads
// become strided copies whose range is checked once. An index that is not affine over the block
// (a floor division that crosses a quotient, a run-time index) is stored lane by lane. Nodes
// that do not depend on the point are evaluated once, when the clause is bound.
#include <string.h>

#include "clause_impl.h"
#include "convert.h"

#include <pir/compiler/index_nodes.h>

// ---- arithmetic

static clause_index uniform(int64_t x) {
  return (clause_index){x, 0, NULL};
}
static bool is_uniform(clause_index x) {
  return !x.v && x.step == 0;
}
static int64_t at(clause_index x, int lane) {
  return x.v ? x.v[lane] : pir_index_add(x.base, pir_index_mul(x.step, lane));
}

const int64_t *pir_clause_index_lanes(clause_lanes *e, clause_index x) {
  if (x.v)
    return x.v;
  int64_t *v = push_slot(e);
  for (int i = 0; i < e->n; i++)
    v[i] = at(x, i);
  return v;
}

// Evaluates a binary op on affine indices if the result is affine again; false if it must be
// evaluated lane by lane.
static bool apply_affine(int op, clause_index a, clause_index b, int n, clause_index *out) {
  if (a.v || b.v)
    return false;
  if (op == PIR_I_ADD) {
    *out = (clause_index){pir_index_add(a.base, b.base), pir_index_add(a.step, b.step), NULL};
    return true;
  }
  if (op == PIR_I_SUB) {
    *out = (clause_index){pir_index_sub(a.base, b.base), pir_index_sub(a.step, b.step), NULL};
    return true;
  }
  if (op == PIR_I_MUL && (!a.step || !b.step)) {
    *out = (clause_index){
        pir_index_mul(a.base, b.base),
        a.step ? pir_index_mul(a.step, b.base) : pir_index_mul(b.step, a.base), NULL};
    return true;
  }
  int64_t first = pir_index_apply(op, a.base, b.base);
  if (!a.step && !b.step) {
    *out = uniform(first);
    return true;
  }
  if (b.step)
    return false;
  // The left side is monotone and the right side constant, so the values at both ends decide.
  int64_t end = at(a, n - 1);
  int64_t last = pir_index_apply(op, end, b.base);
  switch (op) {
    case PIR_I_FLOORDIV:
    case PIR_I_CEILDIV:
    case PIR_I_LT:
    case PIR_I_LE: return first == last && (*out = uniform(first), true);
    case PIR_I_MOD:
      if (pir_index_floordiv(a.base, b.base) != pir_index_floordiv(end, b.base))
        return false;
      *out = (clause_index){first, a.step, NULL};
      return true;
    case PIR_I_MIN:
    case PIR_I_MAX:
      if (first == a.base && last == end) {
        *out = a;
        return true;
      }
      return first == b.base && last == b.base && (*out = b, true);
    case PIR_I_EQ:
    case PIR_I_NE: {
      bool below = a.base < b.base && end < b.base;
      bool above = a.base > b.base && end > b.base;
      return (below || above) && (*out = uniform(op == PIR_I_NE), true);
    }
    default: return false;
  }
}

static clause_index apply_lanes(clause_lanes *e, int op, clause_index a, clause_index b,
                                int64_t *out) {
  int n = e->n;
  const int64_t *x = pir_clause_index_lanes(e, a);
  const int64_t *y = pir_clause_index_lanes(e, b);
#define LOOP(id, expression)                                                                   \
  case id:                                                                                     \
    for (int i = 0; i < n; i++)                                                                \
      out[i] = (expression);                                                                   \
    break
  switch (op) {
    LOOP(PIR_I_ADD, pir_index_add(x[i], y[i]));
    LOOP(PIR_I_SUB, pir_index_sub(x[i], y[i]));
    LOOP(PIR_I_MUL, pir_index_mul(x[i], y[i]));
    LOOP(PIR_I_FLOORDIV, pir_index_floordiv(x[i], y[i]));
    LOOP(PIR_I_MOD, pir_index_sub(x[i], pir_index_mul(pir_index_floordiv(x[i], y[i]), y[i])));
    LOOP(PIR_I_MIN, x[i] < y[i] ? x[i] : y[i]);
    LOOP(PIR_I_MAX, x[i] > y[i] ? x[i] : y[i]);
    LOOP(PIR_I_EQ, x[i] == y[i]);
    LOOP(PIR_I_NE, x[i] != y[i]);
    LOOP(PIR_I_LT, x[i] < y[i]);
    LOOP(PIR_I_LE, x[i] <= y[i]);
    default:
      for (int i = 0; i < n; i++)
        out[i] = pir_index_apply(op, x[i], y[i]);
  }
#undef LOOP
  return (clause_index){0, 0, out};
}

// Moves lanes out of slots that are about to be reused.
static clause_index saved(clause_lanes *e, clause_index x, int64_t *room) {
  if (x.v)
    x.v = memcpy(room, x.v, (size_t)e->n * sizeof *room);
  return x;
}

static clause_index binary_index(clause_lanes *e, const pir_node *n) {
  int64_t *out = push_slot(e), *room = push_slot(e);
  int mark = e->top;
  clause_index a = saved(e, pir_clause_index(e, n->a), room);
  clause_index r;
  e->top = mark;
  if ((n->op == PIR_I_AND || n->op == PIR_I_OR) && is_uniform(a) &&
      (a.base != 0) == (n->op == PIR_I_OR))
    return uniform(n->op == PIR_I_OR);
  clause_index b = pir_clause_index(e, n->b);
  if (!apply_affine(n->op, a, b, e->n, &r))
    r = apply_lanes(e, n->op, a, b, out);
  return r;
}

// Only the side that a lane takes may fail: the other lanes are inactive while it is evaluated.
static clause_index select_index(clause_lanes *e, const pir_node *n) {
  int64_t *out = push_slot(e);
  uint8_t *yes = push_slot(e), *no = yes + LANES;
  int mark = e->top;
  clause_index x = pir_clause_index(e, n->a);
  if (is_uniform(x)) {
    e->top = mark;
    return pir_clause_index(e, x.base ? n->b : n->c);
  }
  const uint8_t *active = e->active;
  int taken_lanes = 0;
  for (int i = 0; i < e->n; i++) {
    bool on = !active || active[i];
    bool taken = at(x, i) != 0;
    yes[i] = on && taken;
    no[i] = on && !taken;
    taken_lanes += taken;
  }
  if (taken_lanes == 0 || taken_lanes == e->n) {
    e->top = mark;
    return pir_clause_index(e, taken_lanes ? n->b : n->c);
  }
  for (int side = 0; side < 2; side++) {
    e->top = mark;
    e->active = side ? no : yes;
    x = pir_clause_index(e, side ? n->c : n->b);
    for (int i = 0; i < e->n; i++)
      if (e->active[i] || !side)
        out[i] = at(x, i);
  }
  e->active = active;
  return (clause_index){0, 0, out};
}

// ---- attributes and operands

static int64_t operand_count(const clause_bind *b, int k) {
  if (b->call->in_members[k] != 1)
    return b->call->in_members[k];
  return pir_tensor_numel(pir_clause_operand(b, k, 0));
}

typedef struct integer_operand {
  const clause_bind *b;
  int k;
} integer_operand;

static bool operand_element(const void *user, int64_t i, int64_t *out) {
  const integer_operand *o = user;
  bool members = o->b->call->in_members[o->k] != 1;
  *out = members ? pir_tensor_int_at(pir_clause_operand(o->b, o->k, (int)i), 0)
                 : pir_tensor_int_at(pir_clause_operand(o->b, o->k, 0), i);
  return true;
}

// Evaluates a node that must be the same over the block: an axis.
static int64_t one(clause_lanes *e, int node) {
  clause_index x = pir_clause_index(e, node);
  if (!is_uniform(x))
    pir_clause_fail(e, PIR_UNSUPPORTED, "unsupported: an axis that varies");
  return is_uniform(x) ? x.base : 0;
}

static int64_t from_end(int64_t x, int64_t rank) {
  return x < 0 ? x + rank : x;
}

// The answers for an absent list, which is empty.
static int64_t ask_absent(int op, int64_t x) {
  if (op == PIR_I_OPERAND_KEPT)
    return x;
  return op == PIR_I_OPERAND_FIND ? -1 : 0;
}

// Evaluates queries of a list (an attribute or an integer operand); x and rank are the nodes a
// and b.
static int64_t ask_list(clause_lanes *e, const pir_node *n, bool attr, int64_t x,
                        int64_t rank) {
  const clause_bind *b = e->bind;
  if (!attr && !pir_clause_operand(b, n->k, 0))
    return ask_absent(n->op, x);
  integer_operand operand = {b, n->k};
  pir_index_list list = {.element = operand_element, .user = &operand};
  if (attr)
    list = pir_index_attr_list(&b->call->attrs[n->k]);
  else
    list.count = operand_count(b, n->k);
  int64_t answer = 0;
  if (!pir_index_ask(n->op, &list, x, rank, &answer))
    pir_clause_fail(e, PIR_INVALID, "element %lld of a list of %lld", (long long)x,
                    (long long)list.count);
  return answer;
}

static int64_t extent_of(clause_lanes *e, const pir_tensor *t, int64_t axis) {
  if (!t) {
    pir_clause_fail(e, PIR_INVALID, "extent of an absent operand");
    return 0;
  }
  axis = from_end(axis, t->rank);
  if (axis >= 0 && axis < t->rank)
    return t->shape[axis];
  pir_clause_fail(e, PIR_INVALID, "axis %lld of a tensor of rank %d", (long long)axis, t->rank);
  return 0;
}

static int64_t ask_tensor(clause_lanes *e, int op, const pir_tensor *t) {
  if (!t) {
    pir_clause_fail(e, PIR_INVALID, "question about an absent operand");
    return 0;
  }
  if (op == PIR_I_RANK)
    return t->rank;
  return op == PIR_I_DTYPE ? (int64_t)t->dtype : pir_tensor_numel(t);
}

static int64_t ask_attr(clause_lanes *e, const pir_node *n) {
  int64_t value;
  if (pir_attr_value_int(&e->bind->call->attrs[n->k], &value))
    return value;
  pir_clause_fail(e, PIR_INVALID, "attribute %d is no integer", n->k);
  return 0;
}

// Evaluates queries of attributes, operands and shapes; x and y are the nodes a and b.
static int64_t ask(clause_lanes *e, const pir_node *n, int64_t x, int64_t y) {
  const clause_bind *b = e->bind;
  const pir_kernel_call *call = b->call;
  switch (n->op) {
    case PIR_I_CONST: return n->i;
    case PIR_I_ATTR: return ask_attr(e, n);
    case PIR_I_ATTR_DTYPE: return pir_attr_value_dtype(&call->attrs[n->k]);
    case PIR_I_ATTR_IS: return pir_node_attr_is(n, call->attrs, b->clause->text);
    case PIR_I_ATTR_AT:
    case PIR_I_ATTR_COUNT:
    case PIR_I_ATTR_FIND:
    case PIR_I_ATTR_BELOW:
    case PIR_I_ATTR_KEPT: return ask_list(e, n, true, x, y);
    case PIR_I_OPERAND_AT:
    case PIR_I_OPERAND_COUNT:
    case PIR_I_OPERAND_FIND:
    case PIR_I_OPERAND_KEPT: return ask_list(e, n, false, x, y);
    case PIR_I_PRESENT: return pir_clause_operand(b, n->k, 0) != NULL;
    case PIR_I_MEMBERS: return call->in_members[n->k];
    case PIR_I_MEMBER: return b->member;
    case PIR_I_OUT_RANK: return b->out->rank;
    case PIR_I_OUT_DIM: return extent_of(e, b->out, x);
    case PIR_I_DIM: return extent_of(e, pir_clause_operand(b, n->k, 0), x);
    case PIR_I_D: return e->d;
    case PIR_I_RANK:
    case PIR_I_NUMEL:
    case PIR_I_DTYPE: return ask_tensor(e, n->op, pir_clause_operand(b, n->k, 0));
    default: return 0;
  }
}

static clause_index ask_lanes(clause_lanes *e, const pir_node *n) {
  if (n->a < 0)
    return uniform(ask(e, n, 0, 0));
  int64_t *out = push_slot(e), *room = push_slot(e);
  int mark = e->top;
  clause_index x = saved(e, pir_clause_index(e, n->a), room);
  e->top = mark;
  clause_index y = n->b >= 0 ? pir_clause_index(e, n->b) : uniform(0);
  if (is_uniform(x) && is_uniform(y))
    return uniform(ask(e, n, x.base, y.base));
  for (int i = 0; i < e->n; i++)
    out[i] = e->active && !e->active[i] ? 0 : ask(e, n, at(x, i), at(y, i));
  return (clause_index){0, 0, out};
}

// ---- nodes that read the point

static clause_index out_index(clause_lanes *e, const pir_node *n) {
  const clause_bind *b = e->bind;
  int64_t axis = from_end(one(e, n->a), b->axes);
  if (axis >= 0 && axis < b->axes)
    return e->coord[b->axis_coord[axis]];
  pir_clause_fail(e, PIR_INVALID, "index along axis %lld of a result of rank %d",
                  (long long)axis, b->axes);
  return uniform(0);
}

// Returns sum + x * scale; a result that is not affine is stored in `room`, which may be the
// memory of `sum`.
static clause_index scaled_sum(clause_lanes *e, clause_index sum, clause_index x, int64_t scale,
                               int64_t *room) {
  if (!sum.v && !x.v)
    return (clause_index){pir_index_add(sum.base, pir_index_mul(x.base, scale)),
                          pir_index_add(sum.step, pir_index_mul(x.step, scale)), NULL};
  for (int i = 0; i < e->n; i++)
    room[i] = pir_index_add(at(sum, i), pir_index_mul(at(x, i), scale));
  return (clause_index){0, 0, room};
}

static clause_index out_linear(clause_lanes *e) {
  const clause_bind *b = e->bind;
  if (b->in_order)
    return (clause_index){e->linear, 1, NULL};
  int64_t *room = push_slot(e), stride = 1;
  clause_index sum = uniform(0);
  for (int i = b->axes - 1; i >= 0; i--) {
    sum = scaled_sum(e, sum, e->coord[b->axis_coord[i]], stride, room);
    stride *= b->axis_extent[i];
  }
  return sum;
}

static clause_index load_index(clause_lanes *e, const pir_node *n) {
  int64_t *out = push_slot(e);
  int mark = e->top;
  const pir_tensor *t = pir_clause_operand(e->bind, n->k, 0);
  if (!t) {
    pir_clause_fail(e, PIR_INVALID, "index from an absent operand");
    return uniform(0);
  }
  clause_address p = pir_clause_address(e, t, 0, n);
  bool whole = p.lo == 0 && p.hi == e->n && !p.outside;
  const char *data = t->data;
  int64_t size = (int64_t)pir_dtype_size(t->dtype);
  if (whole && is_uniform(p.offset)) {
    pir_convert(PIR_I64, out, 1, t->dtype, data + p.offset.base * size, 1, 1);
    e->top = mark;
    return uniform(out[0]);
  }
  if (whole && !p.offset.v) {
    pir_convert(PIR_I64, out, 1, t->dtype, data + p.offset.base * size, p.offset.step, e->n);
    e->top = mark;
    return (clause_index){0, 0, out};
  }
  for (int i = 0; i < e->n; i++) {
    bool in = i >= p.lo && i < p.hi && !(p.outside && p.outside[i]);
    out[i] = 0;
    if (in)
      pir_convert(PIR_I64, out + i, 1, t->dtype, data + at(p.offset, i) * size, 1, 1);
    else if (!e->active || e->active[i])
      pir_clause_fail(e, PIR_INVALID, "index tensor read out of its range");
  }
  e->top = mark;
  return (clause_index){0, 0, out};
}

static clause_index not_index(clause_lanes *e, const pir_node *n) {
  int64_t *out = push_slot(e);
  clause_index a = pir_clause_index(e, n->a);
  if (is_uniform(a))
    return uniform(!a.base);
  for (int i = 0; i < e->n; i++)
    out[i] = !at(a, i);
  return (clause_index){0, 0, out};
}

clause_index pir_clause_index(clause_lanes *e, int node) {
  const clause_bind *b = e->bind;
  if (b->fixed[node])
    return uniform(b->fixed_value[node]);
  const pir_node *n = &b->clause->nodes[node];
  switch (n->op) {
    case PIR_I_VAR: return e->coord[b->var_first[n->k]];
    case PIR_I_OUT: return out_index(e, n);
    case PIR_I_OUT_LINEAR: return out_linear(e);
    case PIR_I_LOAD: return load_index(e, n);
    case PIR_I_NOT: return not_index(e, n);
    case PIR_I_SELECT: return select_index(e, n);
    case PIR_I_VALUE: {
      int64_t *out = push_slot(e);
      pir_clause_value(e, n->a, PIR_I64, out);
      return (clause_index){0, 0, out};
    }
    default:
      return n->op >= PIR_I_ADD && n->op <= PIR_I_OR ? binary_index(e, n) : ask_lanes(e, n);
  }
}

int64_t pir_clause_fixed(clause_lanes *e, int node, int64_t otherwise) {
  return node < 0 ? otherwise : pir_clause_index(e, node).base;
}

static bool is_fixed(const clause_bind *b, int node) {
  return node < 0 || b->fixed[node];
}

// Whether a node is fixed: it depends only on the call as a whole, and its children are fixed.
static bool asks_only(const clause_bind *b, const pir_node *n) {
  switch (n->op) {
    case PIR_I_VAR:
    case PIR_I_PACK:
    case PIR_I_OUT:
    case PIR_I_OUT_LINEAR:
    case PIR_I_D:
    case PIR_I_LOAD:
    case PIR_I_VALUE:
    case PIR_V_LOAD:
    case PIR_V_MEMBERS:
    case PIR_V_ACC:
    case PIR_V_COUNT: return false;
    default: return is_fixed(b, n->a) && is_fixed(b, n->b) && is_fixed(b, n->c);
  }
}

// Evaluates fixed index nodes. A failure is ignored here, because the node may be the side of a
// conditional that is never taken.
void pir_clause_fix_nodes(clause_bind *b, clause_lanes *e) {
  int n = e->n;
  e->n = 1;
  for (int i = 0; i < b->clause->node_count; i++) {
    const pir_node *node = &b->clause->nodes[i];
    if (!asks_only(b, node))
      continue;
    pir_status before = e->status;
    if (node->op < PIR_V_CONST)
      b->fixed_value[i] = pir_clause_index(e, i).base;
    e->top = 0;
    b->fixed[i] = e->status == before;
    e->status = before;
  }
  e->n = n;
}

// ---- addresses

typedef struct address_sum {
  clause_address p;
  int64_t *offsets;  // room for lanes
  uint8_t *outside;
} address_sum;

// Lanes where an affine index is within [0, extent).
static void cut_range(clause_lanes *e, clause_address *p, clause_index x, int64_t extent) {
  int64_t first = x.base;
  int64_t last = at(x, e->n - 1);
  if (first >= 0 && first < extent && last >= 0 && last < extent)
    return;
  int lo = 0, hi = e->n;
  while (lo < hi && (at(x, lo) < 0 || at(x, lo) >= extent))
    lo++;
  while (hi > lo && (at(x, hi - 1) < 0 || at(x, hi - 1) >= extent))
    hi--;
  if (lo > p->lo)
    p->lo = lo;
  if (hi < p->hi)
    p->hi = hi;
}

static void address_dim(clause_lanes *e, address_sum *s, clause_index x, int64_t extent,
                        int64_t stride) {
  if (!x.v) {
    cut_range(e, &s->p, x, extent);
  } else {
    for (int i = 0; i < e->n; i++) {
      if (x.v[i] >= 0 && x.v[i] < extent)
        continue;
      if (!s->p.outside)
        s->p.outside = memset(s->outside, 0, LANES);
      s->outside[i] = 1;
    }
  }
  s->p.offset = scaled_sum(e, s->p.offset, x, stride, s->offsets);
}

static void add_aligned(clause_lanes *e, address_sum *s, int entry) {
  const clause_bind *b = e->bind;
  if (!b->aligns[entry])
    pir_clause_fail(e, PIR_INVALID, "operands do not broadcast");
  for (int i = 0; i < b->coords; i++) {
    int64_t stride = b->aligned[entry][i];
    if (stride)
      s->p.offset = scaled_sum(e, s->p.offset, e->coord[i], stride, s->offsets);
  }
}

// `count` dims of a tensor from `dim` on, aligned with the coordinates of a pack.
static void address_pack(clause_lanes *e, address_sum *s, const pir_tensor *t, int dim,
                         int count, int var) {
  const clause_bind *b = e->bind;
  for (int d = dim; d < dim + count; d++) {
    int coord = b->var_rank[var] - (dim + count - d);
    if (t->shape[d] == 1)
      continue;
    if (coord < 0 || t->shape[d] != b->extent[b->var_first[var] + coord])
      pir_clause_fail(e, PIR_INVALID, "extent %lld of axis %d does not broadcast",
                      (long long)t->shape[d], d);
    else
      address_dim(e, s, e->coord[b->var_first[var] + coord], t->shape[d], t->strides[d]);
  }
}

static void address_list(clause_lanes *e, address_sum *s, const pir_tensor *t,
                         const pir_node *load) {
  const clause_bind *b = e->bind;
  int dim = 0;
  int pack_rank = t->rank - (load->map_count - 1);
  for (int i = 0; i < load->map_count; i++) {
    int entry = b->clause->pool[load->map + i];
    const pir_node *n = &b->clause->nodes[entry];
    if (n->op == PIR_I_PACK) {
      if (pack_rank > 0)
        address_pack(e, s, t, dim, pack_rank, n->k);
      dim += pack_rank > 0 ? pack_rank : 0;
    } else if (dim < t->rank) {
      int mark = e->top;
      address_dim(e, s, pir_clause_index(e, entry), t->shape[dim], t->strides[dim]);
      e->top = mark;
      dim++;
    } else {
      dim = t->rank + 1;
    }
  }
  if (dim != t->rank)
    pir_clause_fail(e, PIR_INVALID, "operand %d has rank %d, its index has another", load->k,
                    t->rank);
}

static void add_linear(clause_lanes *e, address_sum *s, const pir_tensor *t, clause_index x) {
  int64_t numel = pir_tensor_numel(t);
  if (pir_tensor_is_dense(t)) {
    address_dim(e, s, x, numel, 1);
    return;
  }
  address_dim(e, s, x, numel, 0);
  for (int i = 0; i < e->n; i++) {
    int64_t rest = at(x, i);
    s->offsets[i] = 0;
    for (int d = t->rank - 1; d >= 0 && t->shape[d] > 0; d--) {
      s->offsets[i] += rest % t->shape[d] * t->strides[d];
      rest /= t->shape[d];
    }
  }
  s->p.offset = (clause_index){0, 0, s->offsets};
}

clause_address pir_clause_address(clause_lanes *e, const pir_tensor *t, int member,
                                  const pir_node *load) {
  const clause_bind *b = e->bind;
  address_sum s = {.p = {.hi = e->n}, .offsets = push_slot(e), .outside = push_slot(e)};
  switch (load->map_kind) {
    case PIR_MAP_ALIGNED: add_aligned(e, &s, b->call->in_first[load->k] + member); break;
    case PIR_MAP_LIST: address_list(e, &s, t, load); break;
    case PIR_MAP_LINEAR: add_linear(e, &s, t, pir_clause_index(e, load->map)); break;
    default: {
      int64_t outer = e->d;
      for (int d = 0; d < t->rank; d++) {
        e->d = d;
        int mark = e->top;
        address_dim(e, &s, pir_clause_index(e, load->map), t->shape[d], t->strides[d]);
        e->top = mark;
      }
      e->d = outer;
    }
  }
  if (s.p.lo > s.p.hi)
    s.p.lo = s.p.hi;
  if (e->status)
    s.p.hi = s.p.lo;  // nothing is read once an index was wrong
  return s.p;
}

// Offsets of the block's elements in the result.
clause_index pir_clause_out_offset(clause_lanes *e) {
  const clause_bind *b = e->bind;
  const pir_clause *c = b->clause;
  if (b->out_linear)
    return (clause_index){e->linear * b->out->strides[0], b->out->strides[0], NULL};
  if (c->out_map_kind == PIR_MAP_ALIGNED || c->kind < PIR_CLAUSE_VIEW) {
    clause_index sum = uniform(0);
    int64_t *room = push_slot(e);
    for (int i = 0; i < b->coords; i++)
      if (b->out_stride[i])
        sum = scaled_sum(e, sum, e->coord[i], b->out_stride[i], room);
    return sum;
  }
  pir_node store = {
      .map_kind = c->out_map_kind, .map = c->out_map, .map_count = c->out_map_count, .k = -1};
  clause_address p = pir_clause_address(e, b->out, 0, &store);
  for (int i = 0; i < e->n && !e->status; i++) {
    bool in = i >= p.lo && i < p.hi && !(p.outside && p.outside[i]);
    if (!in && !(e->active && !e->active[i]))
      pir_clause_fail(e, PIR_INVALID, "index out of the result's range");
  }
  return p.offset;
}
