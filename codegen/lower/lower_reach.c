// The numbers that an index of a clause takes over all points of its result, as symbolic dims.
// So an index of extents and variables is known to be inside its operand, or becomes a
// condition on extents, or must be checked in the code. An expression has a least and a most
// number, which interval arithmetic gives; conditionals narrow the variables that they compare.
// O(nodes), times the conditions around.
#include "lowering.h"

#include <pir/compiler/index_nodes.h>

#include <string.h>

typedef struct interval {
  pir_dim least, most;
  uint64_t depends;  // on these axes and variables (bit_of_leaf)
  bool exact;        // the index takes both ends
  bool dense;        // and all numbers between them
} interval;

static bool read_interval(lower_site *s, int node, interval *out);

// ---- order of dims

static bool is_below(const pir_dims *dims, pir_dim x, pir_dim bound);

// Whether x < bound for all (or for any) of x's operands.
static bool are_below(const pir_dims *dims, pir_dim x, pir_dim bound, bool all) {
  size_t count = pir_dim_operands(dims, x);
  for (size_t i = 0; i < count; i++)
    if (is_below(dims, pir_dim_operand(dims, x, i), bound) != all)
      return !all;
  return all;
}

// Whether x < bound in every run.
static bool is_below(const pir_dims *dims, pir_dim x, pir_dim bound) {
  if (x == PIR_DIM_UNKNOWN)
    return false;
  pir_dim room = pir_dim_sub((pir_dims *)dims, bound, x);
  if (pir_dim_lower_bound(dims, room) > 0)
    return true;
  pir_dim_kind kind = pir_dim_kind_of(dims, x);
  if (kind == PIR_DIM_MAX || kind == PIR_DIM_MIN)
    return are_below(dims, x, bound, kind == PIR_DIM_MAX);
  return false;
}

static bool is_not_negative(const pir_dims *dims, pir_dim x) {
  return pir_dim_lower_bound(dims, x) >= 0;
}

// ---- forming intervals

static interval number_interval(pir_dims *dims, int64_t n) {
  pir_dim at = pir_dim_const(dims, n);
  return (interval){at, at, 0, true, true};
}

static interval dim_interval(pir_dim at) {
  return (interval){at, at, 0, true, true};
}

// The positions along an axis.
static interval axis_interval(pir_dims *dims, pir_dim extent, uint64_t bit) {
  pir_dim zero = pir_dim_const(dims, 0), one = pir_dim_const(dims, 1);
  return (interval){zero, pir_dim_sub(dims, extent, one), bit, true, true};
}

static bool is_complete(interval x) {
  return x.least != PIR_DIM_UNKNOWN && x.most != PIR_DIM_UNKNOWN;
}

// The parts of both that the combination keeps: ends are taken if both are, independently.
static interval joint(interval a, interval b) {
  bool apart = !(a.depends & b.depends);
  return (interval){.depends = a.depends | b.depends,
                    .exact = a.exact && b.exact && apart,
                    .dense = a.dense && b.dense && apart};
}

static interval negative(pir_dims *dims, interval a) {
  pir_dim zero = pir_dim_const(dims, 0);
  interval r = a;
  r.least = pir_dim_sub(dims, zero, a.most);
  r.most = pir_dim_sub(dims, zero, a.least);
  return r;
}

static interval sum(pir_dims *dims, interval a, interval b) {
  interval r = joint(a, b);
  r.least = pir_dim_add(dims, a.least, b.least);
  r.most = pir_dim_add(dims, a.most, b.most);
  return r;
}

// a times a number that is the same at all points.
static bool scaled_by(pir_dims *dims, interval a, pir_dim k, interval *out) {
  int64_t known;
  bool constant = pir_dim_is_const(dims, k, &known);
  if (constant && known < 0)
    return scaled_by(dims, negative(dims, a), pir_dim_const(dims, -known), out);
  if (!is_not_negative(dims, k))
    return false;
  *out = a;
  out->least = pir_dim_mul(dims, a.least, k);
  out->most = pir_dim_mul(dims, a.most, k);
  out->dense = a.dense && constant && known <= 1;
  return true;
}

static bool multiplied(pir_dims *dims, interval a, interval b, interval *out) {
  if (!b.depends)
    return scaled_by(dims, a, b.least, out);
  if (!a.depends)
    return scaled_by(dims, b, a.least, out);
  if (!is_not_negative(dims, a.least) || !is_not_negative(dims, b.least))
    return false;
  *out = joint(a, b);
  out->least = pir_dim_mul(dims, a.least, b.least);
  out->most = pir_dim_mul(dims, a.most, b.most);
  out->dense = false;
  return true;
}

// A divisor that is an extent may be 0 only if there are no points.
static bool divisor_of(pir_dims *dims, interval b, pir_dim *out) {
  if (b.depends || !is_not_negative(dims, b.least))
    return false;
  *out = pir_dim_max(dims, b.least, pir_dim_const(dims, 1));
  return true;
}

static bool quotient(pir_dims *dims, int op, interval a, interval b, interval *out) {
  pir_dim by;
  if (!divisor_of(dims, b, &by))
    return false;
  *out = a;
  bool up = op == PIR_I_CEILDIV;
  out->least = up ? pir_dim_ceildiv(dims, a.least, by) : pir_dim_floordiv(dims, a.least, by);
  out->most = up ? pir_dim_ceildiv(dims, a.most, by) : pir_dim_floordiv(dims, a.most, by);
  return true;
}

// Remainders are from 0 to below the divisor; numbers that are so already stay.
static bool remainder_interval(pir_dims *dims, interval a, interval b, interval *out) {
  pir_dim by, last = pir_dim_sub(dims, b.least, pir_dim_const(dims, 1));
  if (!divisor_of(dims, b, &by))
    return false;
  bool positive = is_not_negative(dims, a.least);
  *out = a;
  if (positive && is_below(dims, a.most, by))
    return true;
  out->least = pir_dim_const(dims, 0);
  out->most = positive ? pir_dim_min(dims, a.most, last) : last;
  out->exact = out->dense = false;
  return true;
}

static interval extreme(pir_dims *dims, int op, interval a, interval b) {
  pir_dim (*pick)(pir_dims *, pir_dim, pir_dim) = op == PIR_I_MIN ? pir_dim_min : pir_dim_max;
  interval r = joint(a, b);
  r.least = pick(dims, a.least, b.least);
  r.most = pick(dims, a.most, b.most);
  return r;
}

// A number if all points agree, else 0 or 1.
static interval comparison(pir_dims *dims, int op, interval a, interval b) {
  bool below = is_below(dims, a.most, b.least), above = is_below(dims, b.most, a.least);
  pir_dim after = pir_dim_add(dims, b.least, pir_dim_const(dims, 1));
  bool at_most = is_below(dims, a.most, after);
  if ((op == PIR_I_LT || op == PIR_I_LE) && (below || (op == PIR_I_LE && at_most)))
    return number_interval(dims, 1);
  after = pir_dim_add(dims, a.least, pir_dim_const(dims, 1));
  if ((op == PIR_I_LT || op == PIR_I_LE) &&
      (above || (op == PIR_I_LT && is_below(dims, b.most, after))))
    return number_interval(dims, 0);
  if (op != PIR_I_LT && op != PIR_I_LE && (below || above))
    return number_interval(dims, op == PIR_I_NE);
  return (interval){pir_dim_const(dims, 0), pir_dim_const(dims, 1), a.depends | b.depends,
                    false, false};
}

// ---- leaves: positions that vary from point to point

// A node that stands for the position along an axis of the result or of a reduction.
typedef struct leaf {
  uint64_t bit;
  pir_dim extent;
} leaf;

enum { FIRST_VAR = 32 };  // bits below are axes

static bool axis_leaf(lower_site *s, int64_t axis, leaf *out) {
  if (axis < 0 || axis >= s->axes || axis >= FIRST_VAR)
    return false;
  *out = (leaf){(uint64_t)1 << axis, s->axis_extent[axis]};
  return true;
}

static bool var_leaf(lower_site *s, int k, leaf *out) {
  interval extent;
  int node = s->clause->vars[k].extent;
  if (s->var_axis[k] >= 0)
    return axis_leaf(s, s->var_axis[k], out);
  if (node < 0 || !read_interval(s, node, &extent) || extent.depends)
    return false;
  *out = (leaf){(uint64_t)1 << (FIRST_VAR + k), extent.least};
  return true;
}

// Returns whether the node is a leaf.
static bool leaf_of(lower_site *s, int node, leaf *out) {
  const pir_node *n = &s->clause->nodes[node];
  int64_t axis;
  if (n->op == PIR_I_VAR)
    return var_leaf(s, n->k, out);
  if (n->op != PIR_I_OUT || !lower_fixed(s, n->a, &axis))
    return false;
  return axis_leaf(s, axis < 0 ? axis + s->axes : axis, out);
}

// ---- conditions that narrow leaves

// a * leaf + rest
typedef struct linear {
  int64_t factor;
  pir_dim rest;
} linear;

// False if the node has another form. Sides of comparisons of elements are numbers or indices.
static bool read_linear(lower_site *s, int node, uint64_t bit, linear *out) {
  const pir_node *n = &s->clause->nodes[node];
  pir_dims *dims = s->l->dims;
  linear a, b;
  leaf found;
  interval fixed;
  if (n->op == PIR_V_INDEX)
    return read_linear(s, n->a, bit, out);
  if (n->op == PIR_V_CONST && n->f == (double)n->i) {
    *out = (linear){0, pir_dim_const(dims, n->i)};
    return true;
  }
  if (n->op >= PIR_V_CONST)
    return false;
  if (leaf_of(s, node, &found) && found.bit == bit) {
    *out = (linear){1, pir_dim_const(dims, 0)};
    return true;
  }
  if (n->op != PIR_I_ADD && n->op != PIR_I_SUB) {
    if (!read_interval(s, node, &fixed) || fixed.depends)
      return false;
    *out = (linear){0, fixed.least};
    return true;
  }
  if (!read_linear(s, n->a, bit, &a) || !read_linear(s, n->b, bit, &b))
    return false;
  bool adds = n->op == PIR_I_ADD;
  *out = adds ? (linear){a.factor + b.factor, pir_dim_add(dims, a.rest, b.rest)}
              : (linear){a.factor - b.factor, pir_dim_sub(dims, a.rest, b.rest)};
  return true;
}

// Narrows a leaf's interval by a + least <= b.
static void narrow_by_order(lower_site *s, int a, int b, int64_t least, interval *range) {
  pir_dims *dims = s->l->dims;
  linear x, y;
  if (!read_linear(s, a, range->depends, &x) || !read_linear(s, b, range->depends, &y))
    return;
  int64_t factor = y.factor - x.factor;
  pir_dim bound = pir_dim_sub(dims, x.rest, y.rest);  // factor * leaf >= bound + least
  bound = pir_dim_add(dims, bound, pir_dim_const(dims, least));
  if ((factor != 1 && factor != -1) || bound == PIR_DIM_UNKNOWN)
    return;
  range->exact = range->dense = false;
  if (factor == 1)
    range->least = pir_dim_max(dims, range->least, bound);
  else
    range->most =
        pir_dim_min(dims, range->most, pir_dim_sub(dims, pir_dim_const(dims, 0), bound));
}

static void narrow_by(lower_site *s, int node, bool holds, interval *range) {
  const pir_node *n = &s->clause->nodes[node];
  switch (n->op) {
    case PIR_V_NOT:
    case PIR_I_NOT: narrow_by(s, n->a, !holds, range); break;
    case PIR_V_AND:
    case PIR_I_AND:
      if (!holds)
        break;  // either side may fail
      narrow_by(s, n->a, true, range);
      narrow_by(s, n->b, true, range);
      break;
    case PIR_V_OR:
    case PIR_I_OR:
      if (holds)
        break;  // either side may hold
      narrow_by(s, n->a, false, range);
      narrow_by(s, n->b, false, range);
      break;
    case PIR_V_LT:
    case PIR_I_LT:
      if (holds)
        narrow_by_order(s, n->a, n->b, 1, range);
      else
        narrow_by_order(s, n->b, n->a, 0, range);
      break;
    case PIR_V_LE:
    case PIR_I_LE:
      if (holds)
        narrow_by_order(s, n->a, n->b, 0, range);
      else
        narrow_by_order(s, n->b, n->a, 1, range);
      break;
    case PIR_V_EQ:
    case PIR_I_EQ:
      if (!holds)
        break;
      narrow_by_order(s, n->a, n->b, 0, range);
      narrow_by_order(s, n->b, n->a, 0, range);
      break;
    default: break;
  }
}

// The conditions themselves are read without conditions around them.
static interval leaf_interval(lower_site *s, leaf of) {
  interval r = axis_interval(s->l->dims, of.extent, of.bit);
  int count = s->assumed_count;
  s->assumed_count = 0;
  for (int i = 0; i < count; i++)
    narrow_by(s, s->assumed[i].node, s->assumed[i].holds, &r);
  s->assumed_count = count;
  return r;
}

void lower_assume(lower_site *s, int node, bool holds) {
  enum { MOST = sizeof s->assumed / sizeof *s->assumed };
  if (s->assumed_count < MOST)
    s->assumed[s->assumed_count++] = (lower_assumption){node, holds};
}

// ---- reading nodes

// The dim that an expression of extents and numbers is.
static pir_dim dim_of_expr(const lowering *l, const loop_expr *e) {
  int64_t n;
  if (pir_loop_is_int(e, &n))
    return pir_dim_const(l->dims, n);
  if (e->kind == LOOP_CAST)
    return dim_of_expr(l, e->a);
  if (e->kind == LOOP_DIM)
    return l->args.items[e->dim.number];
  if (e->kind != LOOP_OP || e->op != PIR_V_MUL)
    return PIR_DIM_UNKNOWN;
  return pir_dim_mul(l->dims, dim_of_expr(l, e->a), dim_of_expr(l, e->b));
}

static void put_interval(pir_index_reader *r, int64_t number, void *out) {
  const lower_site *s = r->user;
  *(interval *)out = number_interval(s->l->dims, number);
}

static bool get_interval(pir_index_reader *r, const void *value, int64_t *out) {
  const lower_site *s = r->user;
  const interval *x = value;
  return !x->depends && pir_dim_is_const(s->l->dims, x->least, out);
}

static bool combine_intervals(pir_index_reader *r, int op, const void *x, const void *y,
                              void *out) {
  const lower_site *s = r->user;
  pir_dims *dims = s->l->dims;
  interval a = *(const interval *)x, b = *(const interval *)y, *result = out;
  if (!is_complete(a) || !is_complete(b))
    return false;
  switch (op) {
    case PIR_I_ADD: *result = sum(dims, a, b); break;
    case PIR_I_SUB: *result = sum(dims, a, negative(dims, b)); break;
    case PIR_I_MUL:
      if (!multiplied(dims, a, b, result))
        return false;
      break;
    case PIR_I_FLOORDIV:
    case PIR_I_CEILDIV:
      if (!quotient(dims, op, a, b, result))
        return false;
      break;
    case PIR_I_MOD:
      if (!remainder_interval(dims, a, b, result))
        return false;
      break;
    case PIR_I_MIN:
    case PIR_I_MAX: *result = extreme(dims, op, a, b); break;
    default: *result = comparison(dims, op, a, b);
  }
  return is_complete(*result);
}

// One side, or all numbers that either side takes.
static bool read_select(pir_index_reader *r, const pir_node *n, interval *out) {
  lower_site *s = r->user;
  pir_dims *dims = s->l->dims;
  interval condition, a, b;
  int64_t known;
  int before = s->assumed_count;
  if (pir_index_read(r, n->a, &condition) && get_interval(r, &condition, &known))
    return pir_index_read(r, known ? n->b : n->c, out);
  lower_assume(s, n->a, true);
  bool good = pir_index_read(r, n->b, &a);
  s->assumed_count = before;
  lower_assume(s, n->a, false);
  good = good && pir_index_read(r, n->c, &b);
  s->assumed_count = before;
  if (!good)
    return false;
  *out = (interval){pir_dim_min(dims, a.least, b.least), pir_dim_max(dims, a.most, b.most),
                    a.depends | b.depends, false, false};
  return true;
}

// Questions about operands, attributes and the result, whose answers are the same at all
// points.
static bool is_question(int op) {
  return op < PIR_I_VAR || op == PIR_I_D;
}

static pir_index_step own_interval(pir_index_reader *r, int node, void *value) {
  lower_site *s = r->user;
  const pir_node *n = &r->nodes[node];
  interval *out = value;
  leaf found;
  pir_index_step failed = PIR_INDEX_FAILED;
  if (s->l->why)
    return PIR_INDEX_FAILED;
  if (n->op == PIR_I_SELECT)
    return read_select(r, n, out) ? PIR_INDEX_DONE : failed;
  if (n->op == PIR_I_CONST || pir_index_is_binary(n->op) || n->op == PIR_I_NOT)
    return PIR_INDEX_SHARED;
  if (n->op == PIR_I_OUT_LINEAR) {
    pir_dim count = pir_dim_const(s->l->dims, 1);
    for (int d = 0; d < s->axes; d++)
      count = pir_dim_mul(s->l->dims, count, s->axis_extent[d]);
    *out = axis_interval(s->l->dims, count, ((uint64_t)1 << FIRST_VAR) - 1);
  } else if (leaf_of(s, node, &found)) {
    *out = leaf_interval(s, found);
  } else if (is_question(n->op)) {
    *out = dim_interval(dim_of_expr(s->l, lower_index(s, node)));
  } else {
    return PIR_INDEX_FAILED;
  }
  return is_complete(*out) ? PIR_INDEX_DONE : failed;
}

static bool read_interval(lower_site *s, int node, interval *out) {
  pir_index_reader reader = {.nodes = s->clause->nodes,
                             .text = s->clause->text,
                             .user = s,
                             .own = own_interval,
                             .put = put_interval,
                             .get = get_interval,
                             .combine = combine_intervals};
  return pir_index_read(&reader, node, out) && is_complete(*out);
}

// ---- where loads read

// The node of a load's index along dim d; -1: it is aligned with the result.
static int index_node(const lower_site *s, const pir_node *load, const pir_fact *fact, int d) {
  if (load->map_kind != PIR_MAP_LIST)
    return load->map;
  int pack = fact->rank - (load->map_count - 1), at = 0;
  for (int i = 0; i < load->map_count; i++) {
    int entry = s->clause->pool[load->map + i];
    bool packs = s->clause->nodes[entry].op == PIR_I_PACK;
    at += packs ? pack : 1;
    if (d < at)
      return packs ? -1 : entry;
  }
  return -1;
}

pir_dim lower_points(lower_site *s) {
  pir_dim points = pir_dim_const(s->l->dims, 1);
  for (int d = 0; d < s->out->rank; d++)
    points = pir_dim_mul(s->l->dims, points, s->out->shape[d]);
  return points;
}

static pir_dim numel_of_fact(pir_dims *dims, const pir_fact *fact) {
  pir_dim count = pir_dim_const(dims, 1);
  for (int d = 0; d < fact->rank; d++)
    count = pir_dim_mul(dims, count, fact->shape[d]);
  return count;
}

bool lower_stays_inside(lower_site *s, const pir_node *load, const pir_fact *fact, int d) {
  pir_dims *dims = s->l->dims;
  int node = index_node(s, load, fact, d);
  int64_t outer = s->d;
  interval at;
  if (node < 0)
    return true;
  bool flat = load->map_kind == PIR_MAP_LINEAR;
  pir_dim extent = flat ? numel_of_fact(dims, fact) : fact->shape[d];
  if (load->map_kind == PIR_MAP_EACH)
    s->d = d;
  bool known = read_interval(s, node, &at);
  s->d = outer;
  if (!known)
    return false;
  if (is_not_negative(dims, at.least) && is_below(dims, at.most, extent))
    return true;
  // A reduction may have no points where its result has some.
  if (!at.exact || s->l->condition || s->reduces)
    return false;
  int operand = load->op == PIR_I_LOAD ? -1 : load->k;
  lower_expect_inside(s, at.least, at.most, extent, lower_points(s), operand);
  return true;
}
