// The reference for integers: evaluates an op's clause with 128-bit arithmetic. It shares the
// typing of nodes (pir/layer/clause_types.h) with the library, and nothing else. The number of
// each node is wrapped to the type of that node, and a result to its element type.
//
// It covers elementwise clauses, reductions and scans whose nodes are all integers or bools.
// Other kinds of clauses move elements, and are judged by kernels against compiled code.
#include "../../tools/ports.h"
#include "draws.h"

#include <pir/layer/clause_types.h>
#include <pir/compiler/index_nodes.h>
#include <pir/compiler/infer.h>
#include <pir/compiler/text.h>

#include <stdlib.h>
#include <string.h>

typedef __int128 wide;

enum { MOST_NODES = 256, MOST_ELEMENTS = 1 << 20 };

typedef struct exact {
  const draw *d;
  const pir_clause *clause;
  const pir_attr_value *attrs;
  pir_tensor operands[DRAW_OPERANDS][DRAW_MEMBERS];
  const pir_tensor *got;  // the result, as the run gives it
  uint8_t types[MOST_NODES];
  int32_t rank;  // the space of the clause
  int64_t extents[DRAW_RANK], at[DRAW_RANK];
  wide accumulated;
  int64_t counted;
  bool covered;  // false: a node was met that is not evaluated here
} exact;

static wide wrap(int type, wide x) {
  int strong = pir_node_type_strong(type);
  if (strong == PIR_BOOL)
    return x != 0;
  unsigned bits = 8 * (unsigned)pir_dtype_size((pir_dtype)strong);
  bool has_sign =
      strong == PIR_I8 || strong == PIR_I16 || strong == PIR_I32 || strong == PIR_I64;
  wide range = (wide)1 << bits, low = x & (range - 1);
  return has_sign && low >= range / 2 ? low - range : low;
}

static bool is_exact(int type) {
  int strong = pir_node_type_strong(type);
  return strong == PIR_BOOL || strong == PIR_I8 || strong == PIR_U8 || strong == PIR_I16 ||
         strong == PIR_I32 || strong == PIR_I64;
}

static wide refuse_node(exact *e) {
  e->covered = false;
  return 0;
}

// ---- index nodes: attributes, ranks and conditions on them

static int64_t index_of(exact *e, int at) {
  const pir_node *n = &e->clause->nodes[at];
  const draw_operand *o = n->k >= 0 && n->k < DRAW_OPERANDS ? &e->d->operands[n->k] : NULL;
  int64_t value = 0;
  if (pir_index_is_binary(n->op))
    return pir_index_apply(n->op, index_of(e, n->a), index_of(e, n->b));
  switch (n->op) {
    case PIR_I_CONST: return n->i;
    case PIR_I_ATTR:
      if (pir_attr_value_int(&e->attrs[n->k], &value))
        return value;
      break;
    case PIR_I_ATTR_IS: return pir_node_attr_is(n, e->attrs, e->clause->text);
    case PIR_I_ATTR_COUNT: return (int64_t)e->attrs[n->k].count;
    case PIR_I_NOT: return !index_of(e, n->a);
    case PIR_I_SELECT: return index_of(e, index_of(e, n->a) ? n->b : n->c);
    case PIR_I_PRESENT:
      if (o)
        return o->form != DRAW_ABSENT;
      break;
    case PIR_I_RANK:
      if (o && o->form == DRAW_TENSOR)
        return o->members[0].rank;
      break;
    case PIR_I_DTYPE:
      if (o && o->form == DRAW_TENSOR)
        return o->members[0].dtype;
      break;
    default: break;
  }
  return (int64_t)refuse_node(e);
}

// ---- value nodes

static wide value_of(exact *e, int at);

// Trailing axes are aligned, and extent 1 broadcasts.
static wide load_aligned(exact *e, const pir_tensor *t) {
  int64_t linear = 0;
  for (int32_t i = 0; i < t->rank; i++) {
    int32_t axis = e->rank - t->rank + i;
    if (axis < 0)
      return refuse_node(e);
    linear = linear * t->shape[i] + (t->shape[i] == 1 ? 0 : e->at[axis]);
  }
  return pir_tensor_int_at(t, linear);
}

static wide load_of(exact *e, const pir_node *n) {
  const draw_operand *o = &e->d->operands[n->k];
  if (n->map_kind != PIR_MAP_ALIGNED || o->form != DRAW_TENSOR)
    return refuse_node(e);
  return load_aligned(e, &e->operands[n->k][0]);
}

static wide scalar_of(exact *e, const pir_node *n) {
  const draw_operand *o = &e->d->operands[n->k];
  const pir_tensor *t = &e->operands[n->k][0];
  if (o->form == DRAW_NUMBER && o->number == (double)(int64_t)o->number)
    return (int64_t)o->number;
  if (o->form != DRAW_TENSOR || pir_tensor_numel(t) != 1 || !is_exact((int)t->dtype))
    return refuse_node(e);
  return pir_tensor_int_at(t, 0);
}

static wide combine(int how, wide a, wide b) {
  switch (how) {
    case PIR_COMBINE_ADD: return a + b;
    case PIR_COMBINE_MUL: return a * b;
    case PIR_COMBINE_MAX: return a > b ? a : b;
    case PIR_COMBINE_MIN: return a < b ? a : b;
    case PIR_COMBINE_AND: return a && b;
    default: return a || b;
  }
}

static bool combines(int how) {
  return how >= PIR_COMBINE_ADD && how <= PIR_COMBINE_OR;
}

static bool is_position(int how) {
  return how == PIR_COMBINE_ARGMAX || how == PIR_COMBINE_ARGMIN;
}

static wide members_of(exact *e, const pir_node *n, int type) {
  const draw_operand *o = &e->d->operands[n->k];
  if (o->form != DRAW_LIST || !o->count || !combines((int)n->i))
    return refuse_node(e);
  wide sum = wrap(type, load_aligned(e, &e->operands[n->k][0]));
  for (size_t i = 1; i < o->count; i++)
    sum =
        wrap(type, combine((int)n->i, sum, wrap(type, load_aligned(e, &e->operands[n->k][i]))));
  return sum;
}

static wide floor_quotient(wide a, wide b) {
  return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

static wide power_of(int type, wide x, wide y) {
  wide result = 1;
  if (y < 0 && x != 1 && x != -1)
    return 0;
  if (y < 0)
    return y & 1 ? x : 1;
  for (; y; y >>= 1, x = wrap(type, x * x))
    if (y & 1)
      result = wrap(type, result * x);
  return result;
}

// A quotient by 0 is 0, a remainder is 0 (docs/reference/ops.md): Paddle leaves them undefined.
static wide divide(exact *e, int op, wide x, wide y) {
  if (!y)
    return 0;
  switch (op) {
    case PIR_V_DIV: return x / y;
    case PIR_V_FLOORDIV: return floor_quotient(x, y);
    case PIR_V_FLOORMOD: return x - y * floor_quotient(x, y);
    case PIR_V_FMOD: return x % y;
    default: return refuse_node(e);
  }
}

static wide shift(int op, wide x, wide y) {
  bool outside = y < 0 || y > 63;
  if (op == PIR_V_SHL)
    return outside ? 0 : x * ((wide)1 << y);
  return x >> (outside ? 63 : (int)y);
}

// `x` and `y` are of the type `type` in which the operands meet.
static wide binary_of(exact *e, int op, int type, wide x, wide y) {
  switch (op) {
    case PIR_V_ADD: return x + y;
    case PIR_V_SUB: return x - y;
    case PIR_V_MUL: return x * y;
    case PIR_V_POW: return power_of(type, x, y);
    case PIR_V_MIN:
    case PIR_V_FMIN: return x < y ? x : y;
    case PIR_V_MAX:
    case PIR_V_FMAX: return x > y ? x : y;
    case PIR_V_EQ: return x == y;
    case PIR_V_NE: return x != y;
    case PIR_V_LT: return x < y;
    case PIR_V_LE: return x <= y;
    case PIR_V_AND: return x & y;
    case PIR_V_OR: return x | y;
    case PIR_V_XOR: return x ^ y;
    case PIR_V_SHL:
    case PIR_V_SHR: return shift(op, x, y);
    default: return divide(e, op, x, y);
  }
}

static wide unary_of(exact *e, int op, int type, wide x) {
  switch (op) {
    case PIR_V_NOT: return type == PIR_BOOL ? !x : ~x;
    case PIR_V_NEG: return -x;
    case PIR_V_ABS: return x < 0 ? -x : x;
    case PIR_V_SIGN: return (x > 0) - (x < 0);
    case PIR_V_ISNAN:
    case PIR_V_ISINF:
    case PIR_V_IMAG: return 0;
    case PIR_V_ISFINITE: return 1;
    case PIR_V_CAST:
    case PIR_V_FLOOR:
    case PIR_V_CEIL:
    case PIR_V_TRUNC:
    case PIR_V_ROUND:
    case PIR_V_RINT:
    case PIR_V_REAL:
    case PIR_V_CONJ: return x;
    default: return refuse_node(e);
  }
}

static wide leaf_of(exact *e, const pir_node *n, int type) {
  int64_t value = 0;
  switch (n->op) {
    case PIR_V_CONST: return n->i;
    case PIR_V_ATTR:
      return pir_attr_value_int(&e->attrs[n->k], &value) ? value : refuse_node(e);
    case PIR_V_SCALAR: return scalar_of(e, n);
    case PIR_V_LOAD: return load_of(e, n);
    case PIR_V_MEMBERS: return members_of(e, n, type);
    case PIR_V_ACC: return e->accumulated;
    case PIR_V_COUNT: return e->counted;
    case PIR_V_INDEX: return index_of(e, n->a);
    default: return refuse_node(e);
  }
}

// A literal, an attribute or a scalar that is a float, converted to an integer or a bool.
static wide truncate_leaf(exact *e, const pir_node *n, int type) {
  const draw_operand *o = n->op == PIR_V_SCALAR ? &e->d->operands[n->k] : NULL;
  double number = n->f;
  bool known = n->op == PIR_V_CONST || (o && o->form == DRAW_NUMBER);
  if (o)
    number = o->number;
  if (n->op == PIR_V_ATTR)
    known = pir_attr_value_float(&e->attrs[n->k], &number);
  if (type == PIR_BOOL && known)
    return number != 0;
  return known && number > -0x1p62 && number < 0x1p62 ? (wide)number : refuse_node(e);
}

// Compares an integer with a literal that is a float: 64 bits are exact in long double.
static wide compare_literal(exact *e, const pir_node *n) {
  const pir_node *a = &e->clause->nodes[n->a], *b = &e->clause->nodes[n->b];
  long double x = 0, y = b->f;
  if (b->op != PIR_V_CONST || a->op == PIR_V_CONST)
    return refuse_node(e);
  x = (long double)value_of(e, n->a);
  switch (n->op) {
    case PIR_V_EQ: return x == y;
    case PIR_V_NE: return x != y;
    case PIR_V_LT: return x < y;
    case PIR_V_LE: return x <= y;
    default: return refuse_node(e);
  }
}

static wide value_of(exact *e, int at) {
  const pir_node *n = &e->clause->nodes[at];
  int type = e->types[at];
  if (!is_exact(type) || !e->covered)
    return refuse_node(e);
  if (n->op == PIR_V_CAST && !is_exact(e->types[n->a]))
    return wrap(type, truncate_leaf(e, &e->clause->nodes[n->a], type));
  if (n->op == PIR_V_SELECT)
    return wrap(type, value_of(e, value_of(e, n->a) ? n->b : n->c));
  bool leaf = (n->op >= PIR_V_CONST && n->op <= PIR_V_INDEX) || n->op == PIR_V_ATTR_AT;
  if (leaf)
    return wrap(type, leaf_of(e, n, type));
  if (n->op >= PIR_V_ADD && n->op <= PIR_V_SHR && n->op != PIR_V_NOT) {
    int meet = pir_node_type_meet(e->types[n->a], e->types[n->b]);
    if (!is_exact(meet))
      return compare_literal(e, n);
    wide x = wrap(meet, value_of(e, n->a));
    bool decided = type == PIR_BOOL && ((n->op == PIR_V_OR && x) || (n->op == PIR_V_AND && !x));
    wide y = decided ? x : wrap(meet, value_of(e, n->b));
    return wrap(type, binary_of(e, n->op, meet, x, y));
  }
  return wrap(type, unary_of(e, n->op, type, value_of(e, n->a)));
}

// ---- clauses

// Steps to the next point of the space; false after the last one.
static bool next_point(exact *e) {
  for (int32_t i = e->rank; i-- > 0;) {
    if (++e->at[i] < e->extents[i])
      return true;
    e->at[i] = 0;
  }
  return false;
}

static int64_t points(const exact *e) {
  int64_t n = 1;
  for (int32_t i = 0; i < e->rank; i++)
    n *= e->extents[i];
  return n;
}

// The space of a reduction or scan: its operands, broadcast.
static void spread_operands(exact *e) {
  e->rank = 0;
  for (int i = 0; i < e->clause->node_count; i++) {
    const pir_node *n = &e->clause->nodes[i];
    if (n->op != PIR_V_LOAD || e->d->operands[n->k].form != DRAW_TENSOR)
      continue;
    const pir_tensor *t = &e->operands[n->k][0];
    for (; e->rank < t->rank; e->rank++) {
      memmove(e->extents + 1, e->extents, (size_t)e->rank * sizeof *e->extents);
      e->extents[0] = 1;
    }
    for (int32_t k = 0; k < t->rank; k++)
      if (t->shape[k] != 1)
        e->extents[e->rank - t->rank + k] = t->shape[k];
  }
}

// The axes that a reduction or scan runs over, one bit each.
static uint32_t axes_of(exact *e) {
  const pir_clause *c = e->clause;
  uint32_t every = (1u << e->rank) - 1, axes = 0;
  const int64_t *list = NULL;
  size_t count = 0;
  int64_t one;
  if (c->all >= 0 && index_of(e, c->all))
    return every;
  if (c->axes_attr >= 0 && e->attrs[c->axes_attr].kind == PIR_VALUE_INTS) {
    list = e->attrs[c->axes_attr].ints;
    count = e->attrs[c->axes_attr].count;
  } else if (c->axes_attr >= 0 && pir_attr_value_int(&e->attrs[c->axes_attr], &one)) {
    list = &one;
    count = 1;
  } else if (c->axes_operand >= 0) {
    const draw_operand *o = &e->d->operands[c->axes_operand];
    one = (int64_t)o->number;
    list = o->form == DRAW_INTS ? o->ints : &one;
    count = o->form == DRAW_INTS ? o->count : 1;
    if (o->form != DRAW_INTS && o->form != DRAW_NUMBER)
      refuse_node(e);
  }
  for (size_t i = 0; i < count && e->covered; i++) {
    int64_t axis = list[i] < 0 ? list[i] + e->rank : list[i];
    if (axis >= 0 && axis < e->rank)
      axes |= 1u << axis;
  }
  return count ? axes : every;
}

static wide neutral(const exact *e) {
  switch (e->clause->combine) {
    case PIR_COMBINE_MUL:
    case PIR_COMBINE_AND: return 1;
    case PIR_COMBINE_MAX: return -((wide)1 << 64);
    case PIR_COMBINE_MIN: return (wide)1 << 64;
    default: return 0;
  }
}

static void evaluate_pointwise(exact *e, wide *out) {
  e->rank = e->got->rank;
  memcpy(e->extents, e->got->shape, (size_t)e->rank * sizeof *e->extents);
  int64_t n = pir_tensor_numel(e->got);
  for (int64_t i = 0; i < n && e->covered; i++) {
    out[i] = wrap((int)e->got->dtype, value_of(e, e->clause->body));
    next_point(e);
  }
}

// Position of the current point in a tensor without the axes `dropped`.
static int64_t position_without(const exact *e, uint32_t dropped) {
  int64_t linear = 0;
  for (int32_t i = 0; i < e->rank; i++)
    if (!(dropped >> i & 1))
      linear = linear * e->extents[i] + e->at[i];
  return linear;
}

// Position of the current point among the points that one result takes.
static int64_t position_among(const exact *e, uint32_t axes) {
  return position_without(e, ~axes);
}

// Positions of the largest or least elements; the first of equal ones.
static void evaluate_positions(exact *e, uint32_t axes, wide *out) {
  int64_t n = pir_tensor_numel(e->got);
  wide *best = calloc((size_t)n + 1, sizeof *best);
  bool most = e->clause->combine == PIR_COMBINE_ARGMAX;
  if (!best || e->clause->then >= 0)
    refuse_node(e);
  while (e->covered) {
    int64_t at = position_without(e, axes), among = position_among(e, axes);
    wide x = at < n ? value_of(e, e->clause->body) : refuse_node(e);
    if (e->covered && (!among || (most ? x > best[at] : x < best[at]))) {
      best[at] = x;
      out[at] = among;
    }
    if (!next_point(e))
      break;
  }
  free(best);
}

static void evaluate_reduction(exact *e, wide *out) {
  const pir_clause *c = e->clause;
  int64_t n = pir_tensor_numel(e->got);
  spread_operands(e);
  uint32_t axes = axes_of(e);
  int type = pir_clause_acc_type(c, e->types);
  bool known = combines(c->combine) || is_position(c->combine);
  if (c->like >= 0 || c->guard >= 0 || c->init >= 0 || !known || !points(e) ||
      points(e) > MOST_ELEMENTS) {
    refuse_node(e);
    return;
  }
  if (is_position(c->combine)) {
    evaluate_positions(e, axes, out);
    return;
  }
  for (int64_t i = 0; i < n; i++)
    out[i] = neutral(e);
  do {
    int64_t at = position_without(e, axes);
    if (at >= n)
      refuse_node(e);
    else
      out[at] = wrap(type, combine(c->combine, out[at], wrap(type, value_of(e, c->body))));
  } while (e->covered && next_point(e));
  e->counted = n ? points(e) / n : 0;
  for (int64_t i = 0; i < n && e->covered; i++) {
    e->accumulated = out[i];
    out[i] = wrap((int)e->got->dtype, c->then >= 0 ? value_of(e, c->then) : out[i]);
  }
}

// A scan along one axis; elements before the first one count as the neutral element.
static void evaluate_scan(exact *e, wide *out) {
  const pir_clause *c = e->clause;
  spread_operands(e);
  uint32_t axes = axes_of(e);
  int32_t axis = 0;
  while (axis < e->rank && !(axes >> axis & 1))
    axis++;
  int type = pir_clause_acc_type(c, e->types);
  int64_t n = points(e), step = 1;
  bool one = axis < e->rank && axes == 1u << axis;
  bool back = c->reverse >= 0 && index_of(e, c->reverse);
  bool without = c->exclusive >= 0 && index_of(e, c->exclusive);
  if (!one || !combines(c->combine) || without || c->guard >= 0 || c->then >= 0 ||
      c->init >= 0 || n != pir_tensor_numel(e->got)) {
    refuse_node(e);
    return;
  }
  for (int64_t i = 0; i < n && e->covered; i++) {
    out[i] = wrap(type, value_of(e, c->body));
    next_point(e);
  }
  for (int32_t i = axis + 1; i < e->rank; i++)
    step *= e->extents[i];
  for (int64_t k = 0; k < n; k++) {
    int64_t i = back ? n - 1 - k : k, before = back ? i + step : i - step;
    bool first = i / step % e->extents[axis] == (back ? e->extents[axis] - 1 : 0);
    if (!first)
      out[i] = wrap(type, combine(c->combine, out[before], out[i]));
  }
  for (int64_t i = 0; i < n; i++)
    out[i] = wrap((int)e->got->dtype, out[i]);
}

// ---- comparing

static int operand_type(const void *user, int k) {
  const draw_operand *o = &((const exact *)user)->d->operands[k];
  bool tensor = (o->form == DRAW_TENSOR || o->form == DRAW_LIST) && o->count;
  if (tensor)
    return (int)o->members[0].dtype;
  return o->form == DRAW_NUMBER && o->number != (double)(int64_t)o->number ? PIR_F64
                                                                           : PIR_DTYPE_COUNT;
}

static bool evaluate(exact *e, wide *out) {
  pir_clause_typing typing = {e->clause, e->attrs, e->got->dtype, operand_type, e};
  e->covered = e->clause->node_count <= MOST_NODES && e->clause->body >= 0 &&
               !e->clause->var_count && is_exact((int)e->got->dtype);
  if (!e->covered)
    return false;
  pir_clause_type_nodes(&typing, e->types);
  switch ((pir_clause_kind)e->clause->kind) {
    case PIR_CLAUSE_POINTWISE: evaluate_pointwise(e, out); break;
    case PIR_CLAUSE_REDUCE: evaluate_reduction(e, out); break;
    case PIR_CLAUSE_SCAN: evaluate_scan(e, out); break;
    default: return false;
  }
  return e->covered;
}

static bool compare_result(const exact *e, const wide *want, const char *name, char *text,
                           size_t size) {
  for (int64_t i = 0; i < pir_tensor_numel(e->got); i++)
    if (want[i] != pir_tensor_int_at(e->got, i)) {
      snprintf(text, size, "%s and 128-bit arithmetic: result %d[%lld]: %lld and %lld", name,
               e->clause->result, (long long)i, (long long)pir_tensor_int_at(e->got, i),
               (long long)want[i]);
      return false;
    }
  return true;
}

// The output of a run that is the first member of the clause's result.
static const pir_tensor *find_result(const exact *e, const draw_run *run, int result) {
  char name[96];
  size_t n = pir_text_format(name, sizeof name, "%s.0", e->d->def->results[result].name);
  for (size_t i = 0; i < run->output_count; i++)
    if (pir_str_equal(output_port(run->model, i).name, (pir_str){name, n}))
      return &run->outputs[i];
  return NULL;
}

static draw_exactness compare_results(exact *e, const draw_run *run, const char *name,
                                      char *text, size_t size) {
  draw_exactness found = DRAW_NOT_EXACT;
  for (size_t r = 0; r < e->d->def->result_count && found != DRAW_INEXACT; r++) {
    e->got = find_result(e, run, (int)r);
    e->clause = pir_clause_choose(e->d->def->clause, (uint8_t)r, e->attrs);
    if (!e->got || !e->clause || e->got->rank > DRAW_RANK)
      continue;
    memset(e->at, 0, sizeof e->at);
    wide *want = calloc((size_t)pir_tensor_numel(e->got) + 1, sizeof *want);
    if (want && evaluate(e, want))
      found = compare_result(e, want, name, text, size) ? DRAW_EXACT : DRAW_INEXACT;
    free(want);
  }
  return found;
}

static bool fill_operands(exact *e) {
  for (size_t k = 0; k < e->d->def->operand_count; k++) {
    const draw_operand *o = &e->d->operands[k];
    for (size_t i = 0; i < o->count && (o->form == DRAW_TENSOR || o->form == DRAW_LIST); i++) {
      const draw_tensor *t = &o->members[i];
      pir_tensor *to = &e->operands[k][i];
      pir_tensor_set_dense(to, t->dtype, t->shape, t->rank);
      to->data = malloc((size_t)pir_tensor_numel(to) * pir_dtype_size(t->dtype) + 1);
      if (!to->data)
        return false;
      draw_fill(t, t->dtype, 0, 0, to->data);
    }
  }
  return true;
}

// Memory of attribute values: taken from an array that is large enough for an op's.
typedef struct values_room {
  size_t used;
  _Alignas(16) char bytes[1 << 16];
} values_room;

static void *take_room(void *user, size_t size) {
  values_room *room = user;
  size_t at = room->used;
  size = (size + 15) & ~(size_t)15;
  if (size > sizeof room->bytes - at)
    return NULL;
  room->used += size;
  return room->bytes + at;
}

draw_exactness draw_compare_exact(const draw *d, const draw_run *run, const char *name,
                                  char *text, size_t size) {
  static exact e;
  static values_room room;
  draw_building b;
  draw_exactness found = DRAW_NOT_EXACT;
  if (d->before || !d->def->clause || d->def->lower_count || d->def->hooks.expand)
    return found;
  e = (exact){.d = d};
  room.used = 0;
  draw_build(&b, d->ctx, DRAW_AS_IS);
  pir_op *op = draw_put_op(&b, d, NULL);
  if (op && fill_operands(&e) && !pir_op_attr_values(op, take_room, &room, &e.attrs))
    found = compare_results(&e, run, name, text, size);
  pir_program_destroy(b.program);
  for (size_t k = 0; k < DRAW_OPERANDS; k++)
    for (size_t i = 0; i < DRAW_MEMBERS; i++)
      free(e.operands[k][i].data);
  return found;
}
