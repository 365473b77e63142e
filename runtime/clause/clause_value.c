// Evaluates the value nodes of a clause over a block of points. Each node is a loop over up to
// LANES lanes, so dispatch is paid once for each block.
//
// Lanes have one of five classes: i64 (integers and bool, truncated to their type after each
// operation that may exceed it), f32 (also f16 and bf16, which are rounded where they are cast
// or stored), f64, and two complex ones. A node's type is determined when the clause is bound.
// Weak nodes (literals, attributes, scalars, indices) are evaluated in the type that their
// reader requests.
#include <math.h>
#include <string.h>

#include "clause_impl.h"
#include "convert.h"

// ---- types

pir_dtype pir_clause_lane_type(int type) {
  switch (type) {
    case PIR_F32:
    case PIR_F16:
    case PIR_BF16:
    case PIR_F8E4M3:
    case PIR_F8E5M2: return PIR_F32;
    case PIR_F64: return PIR_F64;
    case PIR_C64: return PIR_C64;
    case PIR_C128: return PIR_C128;
    case PIR_PSTRING: return PIR_PSTRING;
    default: return PIR_I64;
  }
}

static int operand_dtype(const void *user, int k) {
  const pir_tensor *t = pir_clause_operand(user, k, 0);
  return t ? (int)t->dtype : PIR_DTYPE_COUNT;
}

static pir_clause_typing typing_of(const clause_bind *b) {
  return (pir_clause_typing){.clause = b->clause,
                             .attrs = b->call->attrs,
                             .out = b->out->dtype,
                             .operand = operand_dtype,
                             .user = b};
}

// Unsigned 64-bit values are held in signed lanes; only these operations need no distinction.
static bool minds_unsigned(int op) {
  switch (op) {
    case PIR_V_LOAD:
    case PIR_V_SELECT:
    case PIR_V_ADD:
    case PIR_V_SUB:
    case PIR_V_MUL:
    case PIR_V_EQ:
    case PIR_V_NE:
    case PIR_V_AND:
    case PIR_V_OR:
    case PIR_V_XOR:
    case PIR_V_NOT:
    case PIR_V_SHL: return false;
    default: return true;
  }
}

static bool is_u64(const clause_bind *b, int node) {
  return node >= 0 && b->clause->nodes[node].op >= PIR_V_CONST && b->types[node] == PIR_U64;
}

static bool is_string(const clause_bind *b, int node) {
  return node >= 0 && b->clause->nodes[node].op >= PIR_V_CONST && b->types[node] == PIR_PSTRING;
}

// Strings are moved. Nothing else is made of them, and they are made of nothing else.
static pir_status check_string_nodes(const clause_bind *b) {
  const pir_clause *c = b->clause;
  bool moves =
      is_string(b, c->body) == (b->out->dtype == PIR_PSTRING) && !is_string(b, c->then);
  for (int i = 0; i < c->node_count && moves; i++)
    moves = !is_string(b, c->nodes[i].a) && !is_string(b, c->nodes[i].b) &&
            !is_string(b, c->nodes[i].c);
  return moves ? PIR_OK
               : pir_kernel_fail(b->call, PIR_UNSUPPORTED,
                                 "unsupported: %s: arithmetic on strings", b->call->op);
}

pir_status pir_clause_types(clause_bind *b) {
  const pir_clause *c = b->clause;
  pir_clause_typing typing = typing_of(b);
  pir_clause_type_nodes(&typing, b->types);
  PIR_TRY(check_string_nodes(b));
  for (int i = 0; i < c->node_count; i++) {
    const pir_node *n = &c->nodes[i];
    if (n->op < PIR_V_CONST)
      continue;
    if ((is_u64(b, n->a) || is_u64(b, n->b)) && minds_unsigned(n->op))
      return pir_kernel_fail(b->call, PIR_UNSUPPORTED, "unsupported: %s: arithmetic on uint64",
                             b->call->op);
  }
  return PIR_OK;
}

// ---- conversion between lanes

static size_t lane_size(int type) {
  return pir_dtype_size(pir_clause_lane_type(type));
}

void pir_clause_convert(clause_lanes *e, int want, void *out, int type, const void *in) {
  pir_dtype from = pir_clause_lane_type(type), to = pir_clause_lane_type(want);
  int n = e->n;
  bool same_range = want == type ||
                    (from == PIR_I64 && (want == PIR_I64 || want == PIR_INDEX)) ||
                    (from != PIR_I64 && from == to && pir_node_type_arithmetic(want) == want);
  if (same_range) {
    if (out != in)
      memmove(out, in, (size_t)n * pir_dtype_size(to));
  } else if ((pir_dtype)want == to) {
    pir_convert(to, out, 1, from, in, 1, n);
  } else {
    void *exact = push_slot(e);
    pir_convert((pir_dtype)want, exact, 1, from, in, 1, n);
    pir_convert(to, out, 1, (pir_dtype)want, exact, 1, n);
    e->top--;
  }
}

// Brings integer lanes back into the range of their type.
static void cut(clause_lanes *e, int type, void *lanes) {
  if (pir_clause_lane_type(type) == PIR_I64 && type != PIR_I64 && type != PIR_U64 &&
      type != PIR_INDEX)
    pir_clause_convert(e, type, lanes, PIR_I64, lanes);
}

// ---- leaves

static void fill(pir_dtype lanes, void *out, double f, int64_t i, int n) {
  if (lanes == PIR_I64)
    pir_convert(lanes, out, 1, PIR_I64, &i, 0, n);
  else
    pir_convert(lanes, out, 1, PIR_F64, &f, 0, n);
}

static void attribute(clause_lanes *e, const pir_node *n, int type, pir_dtype lanes,
                      void *out) {
  const pir_attr_value *a = &e->bind->call->attrs[n->k];
  if (a->kind == PIR_VALUE_FLOAT && type == PIR_BOOL)
    fill(lanes, out, 0, a->f != 0, e->n);
  else if (a->kind == PIR_VALUE_FLOAT)
    pir_convert(lanes, out, 1, PIR_F64, &a->f, 0, e->n);
  else if (a->kind == PIR_VALUE_INT || a->kind == PIR_VALUE_DTYPE)
    pir_convert(lanes, out, 1, PIR_I64, &a->i, 0, e->n);
  else
    pir_clause_fail(e, PIR_INVALID, "attribute %d is not a number", n->k);
}

static void attribute_element(clause_lanes *e, const pir_node *n, pir_dtype lanes, void *out) {
  const pir_attr_value *a = &e->bind->call->attrs[n->k];
  const int64_t *at = pir_clause_index_lanes(e, pir_clause_index(e, n->a));
  double *numbers = push_slot(e);
  int64_t *integers = (int64_t *)numbers;
  bool floats = a->kind == PIR_VALUE_FLOATS;
  for (int i = 0; i < e->n; i++) {
    bool in = at[i] >= 0 && (size_t)at[i] < a->count && (floats || a->kind == PIR_VALUE_INTS);
    if (floats)
      numbers[i] = in ? a->floats[at[i]] : 0;
    else
      integers[i] = in ? a->ints[at[i]] : 0;
    if (!in && (!e->active || e->active[i]))
      pir_clause_fail(e, PIR_INVALID, "no element %lld in attribute %d", (long long)at[i],
                      n->k);
  }
  pir_convert(lanes, out, 1, floats ? PIR_F64 : PIR_I64, numbers, 1, e->n);
}

static void scalar(clause_lanes *e, const pir_node *n, pir_dtype lanes, void *out) {
  const pir_tensor *t = pir_clause_operand(e->bind, n->k, 0);
  if (!t || pir_tensor_numel(t) != 1)
    pir_clause_fail(e, PIR_INVALID, "operand %d must have one element", n->k);
  else
    pir_convert(lanes, out, 1, t->dtype, t->data, 0, e->n);
}

static void gather_lanes(const clause_address *p, pir_dtype lanes, void *out,
                         const pir_tensor *t, clause_lanes *e) {
  size_t size = pir_dtype_size(t->dtype);
  char *packed = push_slot(e);
  const char *data = t->data;
  memset(packed, 0, (size_t)e->n * size);
  for (int i = p->lo; i < p->hi; i++)
    if (!p->outside || !p->outside[i])
      memcpy(packed + (size_t)i * size, data + p->offset.v[i] * (int64_t)size, size);
  pir_convert(lanes, out, 1, t->dtype, packed, 1, e->n);
  e->top--;
}

// Lanes out of range take the fill value, are excluded from a reduction, or are an error.
static void fill_outside(clause_lanes *e, const pir_node *n, const clause_address *p, int type,
                         void *out) {
  char *fills = NULL;
  size_t size = lane_size(type);
  if (n->a >= 0) {
    fills = push_slot(e);
    pir_clause_value(e, n->a, type, fills);
  }
  for (int i = 0; i < e->n; i++) {
    if (i >= p->lo && i < p->hi && !(p->outside && p->outside[i]))
      continue;
    char *lane = (char *)out + (size_t)i * size;
    memset(lane, 0, size);
    if (fills) {
      memcpy(lane, fills + (size_t)i * size, size);
    } else if (e->bind->reduces) {
      e->skip[i] = 1;
      e->skips = true;
    } else if (!e->active || e->active[i]) {
      pir_clause_fail(e, PIR_INVALID, "index out of range of operand %d", n->k);
    }
  }
}

static void load_member(clause_lanes *e, const pir_node *n, int member, int type, void *out) {
  const pir_tensor *t = pir_clause_operand(e->bind, n->k, member);
  if (!t) {
    pir_clause_fail(e, PIR_INVALID, "operand %d is absent", n->k);
    return;
  }
  int mark = e->top;
  pir_dtype lanes = pir_clause_lane_type(type);
  clause_address p = pir_clause_address(e, t, member, n);
  bool whole = p.lo == 0 && p.hi == e->n && !p.outside;
  if (p.offset.v) {
    gather_lanes(&p, lanes, out, t, e);
  } else if (p.hi > p.lo) {
    int64_t start = p.offset.base + p.offset.step * p.lo;
    pir_convert(lanes, (char *)out + (size_t)p.lo * lane_size(type), 1, t->dtype,
                (const char *)t->data + start * (int64_t)pir_dtype_size(t->dtype),
                p.offset.step, p.hi - p.lo);
  }
  if (pir_node_type_arithmetic(t->dtype) != type)
    pir_clause_convert(e, type, out, lanes, out);
  if (!whole)
    fill_outside(e, n, &p, type, out);
  e->top = mark;
}

static int combine_op(int combine) {
  switch (combine) {
    case PIR_COMBINE_MUL: return PIR_V_MUL;
    case PIR_COMBINE_MAX: return PIR_V_MAX;
    case PIR_COMBINE_MIN: return PIR_V_MIN;
    case PIR_COMBINE_AND: return PIR_V_AND;
    case PIR_COMBINE_OR: return PIR_V_OR;
    default: return PIR_V_ADD;
  }
}

static void members(clause_lanes *e, const pir_node *n, int type, void *out) {
  pir_node aligned = {.op = PIR_V_LOAD, .map_kind = PIR_MAP_ALIGNED, .k = n->k, .a = -1};
  void *sum = out;
  void *next = push_slot(e);
  void *other = push_slot(e);
  load_member(e, &aligned, 0, type, sum);
  for (int m = 1; m < e->bind->call->in_members[n->k]; m++) {
    load_member(e, &aligned, m, type, next);
    if (!pir_clause_binary(combine_op((int)n->i), pir_clause_lane_type(type), other, sum, next,
                           e->n))
      pir_clause_fail(e, PIR_UNSUPPORTED, "unsupported: combination %d of members", (int)n->i);
    memcpy(sum, other, (size_t)e->n * lane_size(type));
    cut(e, type, sum);
  }
}

static void index_value(clause_lanes *e, const pir_node *n, pir_dtype lanes, void *out) {
  clause_index x = pir_clause_index(e, n->a);
  if (!x.v && !x.step)
    pir_convert(lanes, out, 1, PIR_I64, &x.base, 0, e->n);
  else
    pir_convert(lanes, out, 1, PIR_I64, pir_clause_index_lanes(e, x), 1, e->n);
}

// ---- operations

static void no_function(clause_lanes *e, int op, int type) {
  pir_clause_fail(e, PIR_UNSUPPORTED, "unsupported: operation %d on %s", op,
                  pir_dtype_name((pir_dtype)type));
}

static void unary(clause_lanes *e, const pir_node *n, int type, void *out) {
  void *a = push_slot(e);
  int own = e->bind->types[n->a];
  int from = pir_node_type_is_weak(own) ? type : own;
  bool complex_in = pir_dtype_is_complex((pir_dtype)from);
  // A function from integers to floats is computed in the float type.
  if (!complex_in && pir_clause_lane_type(from) != pir_clause_lane_type(type))
    from = type;
  pir_clause_value(e, n->a, from, a);
  if (n->op == PIR_V_NOT && from == PIR_BOOL) {
    int64_t *x = out, *y = a;
    for (int i = 0; i < e->n; i++)
      x[i] = !y[i];
    return;
  }
  bool to_real = complex_in && !pir_dtype_is_complex((pir_dtype)type);
  void *result = to_real ? push_slot(e) : out;
  if (!pir_clause_unary(n->op, pir_clause_lane_type(from), result, a, e->n))
    no_function(e, n->op, from);
  else if (to_real)
    pir_convert(pir_clause_lane_type(type), out, 1, (pir_dtype)from, result, 1, e->n);
  else
    cut(e, type, out);
}

static bool divides(int op) {
  return op == PIR_V_DIV || op == PIR_V_FLOORDIV || op == PIR_V_FLOORMOD || op == PIR_V_FMOD;
}

static void binary_value(clause_lanes *e, const pir_node *n, int type, void *out) {
  void *a = push_slot(e), *b = push_slot(e);
  pir_clause_value(e, n->a, type, a);
  pir_clause_value(e, n->b, type, b);
  pir_dtype lanes = pir_clause_lane_type(type);
  const int64_t *divisor = b;
  for (int i = 0; lanes == PIR_I64 && divides(n->op) && i < e->n; i++)
    if (!divisor[i] && (!e->active || e->active[i]) && !(e->skips && e->skip[i])) {
      pir_clause_fail(e, PIR_INVALID, "integer division by zero");
      break;
    }
  if (!pir_clause_binary(n->op, lanes, out, a, b, e->n))
    no_function(e, n->op, type);
  cut(e, type, out);
}

static void compare(clause_lanes *e, const pir_node *n, int64_t *out) {
  const uint8_t *types = e->bind->types;
  void *a = push_slot(e), *b = push_slot(e);
  int type = pir_node_type_strong(n->b >= 0 ? pir_node_type_meet(types[n->a], types[n->b])
                                            : types[n->a]);
  pir_clause_value(e, n->a, type, a);
  if (n->b >= 0)
    pir_clause_value(e, n->b, type, b);
  if (!pir_clause_compare(n->op, pir_clause_lane_type(type), out, a, n->b >= 0 ? b : a, e->n))
    no_function(e, n->op, type);
}

// Selects without branches, which could not be predicted.
static void blend(clause_lanes *e, size_t size, void *out, const void *side,
                  const uint8_t *taken) {
  size_t words = size / 4;
  uint32_t *x = out;
  const uint32_t *y = side;
  for (int i = 0; words == 1 && i < e->n; i++) {
    uint32_t mask = -(uint32_t)taken[i];
    x[i] = (y[i] & mask) | (x[i] & ~mask);
  }
  for (size_t i = 0; words > 1 && i < (size_t)e->n * words; i++) {
    uint32_t mask = -(uint32_t)taken[i / words];
    x[i] = (y[i] & mask) | (x[i] & ~mask);
  }
}

// Only the side that a lane takes may fail or exclude it: the other lanes are inactive while it
// is evaluated.
static void select_value(clause_lanes *e, const pir_node *n, int type, void *out) {
  int64_t *condition = push_slot(e);
  pir_clause_value(e, n->a, PIR_BOOL, condition);
  bool fixed = e->bind->fixed[n->a];
  int taken = 0;
  for (int i = 0; i < e->n && !fixed; i++)
    taken += condition[i] != 0;
  if (fixed)
    taken = condition[0] ? e->n : 0;
  if (taken == e->n || taken == 0) {
    pir_clause_value(e, taken ? n->b : n->c, type, out);
    return;
  }
  uint8_t *masks = push_slot(e);
  uint8_t *no = masks + LANES;
  uint8_t *skipped = no + LANES;
  char *side = push_slot(e);
  const uint8_t *active = e->active;
  for (int i = 0; i < e->n; i++) {
    masks[i] = condition[i] != 0;
    no[i] = condition[i] == 0;
  }
  for (int i = 0; active && i < e->n; i++) {
    masks[i] &= active[i] != 0;
    no[i] &= active[i] != 0;
  }
  memcpy(skipped, e->skip, (size_t)e->n);
  e->active = masks;
  pir_clause_value(e, n->b, type, out);
  for (int i = 0; i < e->n; i++)
    skipped[i] |= masks[i] & e->skip[i];
  memset(e->skip, 0, (size_t)e->n);
  e->active = no;
  pir_clause_value(e, n->c, type, side);
  for (int i = 0; i < e->n; i++)
    e->skip[i] = skipped[i] | (no[i] & e->skip[i]);
  e->active = active;
  blend(e, lane_size(type), out, side, no);
}

static void make_complex(clause_lanes *e, const pir_node *n, int type, void *out) {
  pir_dtype part = (pir_dtype)pir_node_type_real(type);
  void *re = push_slot(e), *im = push_slot(e);
  pir_clause_value(e, n->a, (int)part, re);
  pir_clause_value(e, n->b, (int)part, im);
  pir_convert(part, out, 2, part, re, 1, e->n);
  pir_convert(part, (char *)out + pir_dtype_size(part), 2, part, im, 1, e->n);
}

static void cast(clause_lanes *e, const pir_node *n, int type, void *out) {
  pir_clause_typing typing = typing_of(e->bind);
  int to = pir_clause_cast_type(&typing, n->k);
  int own = e->bind->types[n->a];
  if (to == PIR_DTYPE_COUNT) {
    pir_clause_value(e, n->a, type, out);
    return;
  }
  void *a = push_slot(e);
  own = pir_node_type_strong(own);
  pir_clause_value(e, n->a, own, a);
  pir_clause_convert(e, to, out, own, a);
}

// Evaluates the node in its own type, or in `type` if its own is weak.
static void evaluate(clause_lanes *e, const pir_node *n, int type, void *out) {
  pir_dtype lanes = pir_clause_lane_type(type);
  switch (n->op) {
    case PIR_V_CONST:  // any number but 0 is true
      fill(lanes, out, n->f, type == PIR_BOOL ? n->i || n->f != 0 : n->i, e->n);
      break;
    case PIR_V_ATTR: attribute(e, n, type, lanes, out); break;
    case PIR_V_ATTR_AT: attribute_element(e, n, lanes, out); break;
    case PIR_V_SCALAR: scalar(e, n, lanes, out); break;
    case PIR_V_LOAD: load_member(e, n, 0, type, out); break;
    case PIR_V_MEMBERS: members(e, n, type, out); break;
    case PIR_V_ACC: pir_clause_convert(e, type, out, e->acc_type, e->acc); break;
    case PIR_V_COUNT: pir_convert(lanes, out, 1, PIR_I64, e->counts, 1, e->n); break;
    case PIR_V_INDEX: index_value(e, n, lanes, out); break;
    case PIR_V_CAST: cast(e, n, type, out); break;
    case PIR_V_EQ:
    case PIR_V_NE:
    case PIR_V_LT:
    case PIR_V_LE:
    case PIR_V_ISNAN:
    case PIR_V_ISINF:
    case PIR_V_ISFINITE: compare(e, n, out); break;
    case PIR_V_SELECT: select_value(e, n, type, out); break;
    case PIR_V_COMPLEX: make_complex(e, n, type, out); break;
    default:
      if (n->b >= 0)
        binary_value(e, n, type, out);
      else
        unary(e, n, type, out);
  }
}

static void evaluate_as(clause_lanes *e, int node, int want, void *out) {
  const pir_node *n = &e->bind->clause->nodes[node];
  int own = e->bind->types[node];
  if (n->op < PIR_V_CONST) {
    index_value(e, &(pir_node){.a = (int16_t)node}, pir_clause_lane_type(want), out);
  } else if (pir_node_type_is_weak(own) || own == want) {
    evaluate(e, n, want, out);
  } else {
    void *lanes = push_slot(e);
    evaluate(e, n, own, lanes);
    pir_clause_convert(e, want, out, own, lanes);
  }
}

void pir_clause_value(clause_lanes *e, int node, int want, void *out) {
  int mark = e->top, n = e->n;
  const uint8_t *active = e->active;
  bool once = e->bind->fixed[node] && n > 1;  // the same in every lane
  if (once) {
    e->n = 1;
    e->active = NULL;
  }
  evaluate_as(e, node, want, out);
  if (once) {
    pir_dtype lanes = pir_clause_lane_type(want);
    e->n = n;
    e->active = active;
    pir_convert(lanes, out, 1, lanes, out, 0, n);
  }
  e->top = mark;
}
