// Evaluates index nodes over facts. The result is a constant if all inputs are known, a
// symbolic dim if a shape is symbolic, and PIR_DIM_UNKNOWN otherwise.
#include "symbolic.h"

#include <pir/compiler/index_nodes.h>

#include <math.h>

static bool symbolic_constant(const symbolic *s, pir_dim dim, int64_t *out_value) {
  return pir_dim_is_const(s->infer->dims, dim, out_value);
}

static const pir_fact *operand(const symbolic *s, int16_t k) {
  const pir_fact *fact =
      k >= 0 && (size_t)k < s->infer->operand_count ? s->infer->operands[k] : NULL;
  return fact && fact->known ? fact : NULL;
}

bool fact_count(const pir_fact *fact, pir_dim *out_count) {
  if (!fact || !fact->known)
    return false;
  if (fact->members) {
    // An operand that stands for a list: 0-D or 1-element tensors, or one tensor with all
    // elements.
    if (fact->member_count == 1)
      return fact_count(fact->members[0], out_count);
    *out_count = (pir_dim)fact->member_count;
    return true;
  }
  if (fact->rank < 0)
    return false;
  if (fact->contents) {
    *out_count = (pir_dim)fact->content_count;
    return true;
  }
  int longer = -1;  // the one axis that may be longer than 1
  for (int32_t i = 0; i < fact->rank; i++) {
    if (fact->shape[i] == 1)
      continue;
    if (longer >= 0)
      return false;
    longer = i;
  }
  *out_count = longer >= 0 ? fact->shape[longer] : 1;
  return true;
}

bool fact_number(const pir_dims *dims, const pir_fact *fact, int64_t i, double *out) {
  int64_t whole;
  if (fact && fact->known && fact->numbers && i >= 0 && (size_t)i < fact->number_count) {
    *out = fact->numbers[i];
    return true;
  }
  pir_dim element = fact_element(fact, i);
  if (element == PIR_DIM_UNKNOWN || !pir_dim_is_const(dims, element, &whole))
    return false;
  *out = (double)whole;
  return true;
}

pir_dim fact_element(const pir_fact *fact, int64_t i) {
  if (!fact || !fact->known || i < 0)
    return PIR_DIM_UNKNOWN;
  if (fact->members && fact->member_count == 1)
    return fact_element(fact->members[0], i);
  if (fact->members)
    return (size_t)i < fact->member_count ? fact_element(fact->members[i], 0) : PIR_DIM_UNKNOWN;
  return fact->contents && (size_t)i < fact->content_count ? fact->contents[i]
                                                           : PIR_DIM_UNKNOWN;
}

pir_dim fact_numel(pir_dims *dims, const pir_fact *fact) {
  if (!fact || !fact->known || fact->rank < 0)
    return PIR_DIM_UNKNOWN;
  pir_dim n = 1;
  for (int32_t i = 0; i < fact->rank; i++)
    n = pir_dim_mul(dims, n, fact->shape[i]);
  return n;
}

// ---- nodes about operands and the result

typedef struct listed {
  const symbolic *s;
  const pir_fact *list;
} listed;

static bool list_element(const void *user, int64_t i, int64_t *out) {
  const listed *l = user;
  return symbolic_constant(l->s, fact_element(l->list, i), out);
}

static pir_dim search_operand(pir_index_reader *r, const pir_node *n) {
  const symbolic *s = r->user;
  listed l = {s, operand(s, n->k)};
  pir_index_list list = {.element = list_element, .user = &l};
  int64_t wanted, rank, found;
  pir_dim size;
  if (!pir_index_number(r, n->a, &wanted) || !pir_index_number(r, n->b, &rank) ||
      !fact_count(l.list, &size) || !symbolic_constant(s, size, &list.count))
    return PIR_DIM_UNKNOWN;
  if (!pir_index_ask(n->op, &list, wanted, rank, &found))
    return PIR_DIM_UNKNOWN;
  return pir_dim_const(s->infer->dims, found);
}

static pir_dim operand_element(pir_index_reader *r, const pir_node *n) {
  int64_t i;
  return pir_index_number(r, n->a, &i) ? fact_element(operand(r->user, n->k), i)
                                       : PIR_DIM_UNKNOWN;
}

static pir_dim operand_dim(pir_index_reader *r, const pir_node *n) {
  const pir_fact *fact = operand(r->user, n->k);
  int64_t axis;
  if (fact && fact->members)
    fact = fact->member_count ? fact->members[0] : NULL;
  if (!fact || fact->rank < 0 || !pir_index_number(r, n->a, &axis))
    return PIR_DIM_UNKNOWN;
  if (axis < 0)
    axis += fact->rank;
  return axis < 0 || axis >= fact->rank ? PIR_DIM_UNKNOWN : fact->shape[axis];
}

// Returns an element of a small tensor: the first one, or one at a known index of a 1-D tensor.
static pir_dim load(pir_index_reader *r, const pir_node *n) {
  const symbolic *s = r->user;
  const pir_fact *fact = operand(s, n->k);
  int64_t i;
  bool single =
      n->map_kind == PIR_MAP_LINEAR || (n->map_kind == PIR_MAP_LIST && n->map_count == 1);
  int16_t at = n->map_kind == PIR_MAP_LIST ? s->pool[n->map] : n->map;
  if (!fact || !single || !pir_index_number(r, at, &i))
    return PIR_DIM_UNKNOWN;
  return fact_element(fact, i);
}

// ---- arithmetic
static bool compare_ints(pir_node_op op, int64_t x, int64_t y) {
  switch (op) {
    case PIR_I_EQ: return x == y;
    case PIR_I_NE: return x != y;
    case PIR_I_LT: return x < y;
    default: return x <= y;
  }
}

static pir_dim compare_dims(const symbolic *s, pir_node_op op, pir_dim a, pir_dim b) {
  int64_t x, y;
  if (a == PIR_DIM_UNKNOWN || b == PIR_DIM_UNKNOWN)
    return PIR_DIM_UNKNOWN;
  if (symbolic_constant(s, a, &x) && symbolic_constant(s, b, &y))
    return compare_ints(op, x, y);
  if (a == b)
    return op == PIR_I_EQ || op == PIR_I_LE;
  // Decides comparisons by lower bounds: an extent is not negative.
  if (symbolic_constant(s, b, &y)) {
    int64_t low = pir_dim_lower_bound(s->infer->dims, a);
    if (low > y)
      return op == PIR_I_NE;
    if (low == y && op == PIR_I_LT)
      return 0;
  }
  if (symbolic_constant(s, a, &x)) {
    int64_t low = pir_dim_lower_bound(s->infer->dims, b);
    if (x < low)
      return op != PIR_I_EQ;
    if (x == low && op == PIR_I_LE)
      return 1;
  }
  return PIR_DIM_UNKNOWN;
}

static pir_dim arithmetic(const symbolic *s, pir_node_op op, pir_dim a, pir_dim b) {
  pir_dims *dims = s->infer->dims;
  int64_t divisor;
  if (a == PIR_DIM_UNKNOWN || b == PIR_DIM_UNKNOWN)
    return PIR_DIM_UNKNOWN;
  if ((op == PIR_I_FLOORDIV || op == PIR_I_CEILDIV || op == PIR_I_MOD) &&
      symbolic_constant(s, b, &divisor) && divisor == 0)
    return PIR_DIM_UNKNOWN;
  switch (op) {
    case PIR_I_ADD: return pir_dim_add(dims, a, b);
    case PIR_I_SUB: return pir_dim_sub(dims, a, b);
    case PIR_I_MUL: return pir_dim_mul(dims, a, b);
    case PIR_I_FLOORDIV: return pir_dim_floordiv(dims, a, b);
    case PIR_I_CEILDIV: return pir_dim_ceildiv(dims, a, b);
    case PIR_I_MOD: return pir_dim_mod(dims, a, b);
    case PIR_I_MIN: return pir_dim_min(dims, a, b);
    default: return pir_dim_max(dims, a, b);
  }
}

// Of a conditional that is not decided, both sides, when they are the same.
static pir_dim select_side(pir_index_reader *r, const pir_node *n) {
  int64_t condition;
  pir_dim b, c;
  if (pir_index_number(r, n->a, &condition))
    return pir_index_read(r, condition ? n->b : n->c, &b) ? b : PIR_DIM_UNKNOWN;
  if (!pir_index_read(r, n->b, &b) || !pir_index_read(r, n->c, &c))
    return PIR_DIM_UNKNOWN;
  return b == c ? b : PIR_DIM_UNKNOWN;
}

static pir_dim from_value(const symbolic *s, int16_t node) {
  double number;
  if (!symbolic_number(s, node, &number) || !(fabs(number) < 9e18))
    return PIR_DIM_UNKNOWN;
  return pir_dim_const(s->infer->dims, (int64_t)number);
}

static pir_dim describe(const symbolic *s, const pir_node *n) {
  const pir_fact *fact = operand(s, n->k);
  pir_dim count;
  switch ((pir_node_op)n->op) {
    case PIR_I_PRESENT:
      return (size_t)n->k < s->infer->operand_count && s->infer->operands[n->k];
    case PIR_I_RANK: return fact && fact->rank >= 0 ? fact->rank : PIR_DIM_UNKNOWN;
    case PIR_I_NUMEL: return fact_numel(s->infer->dims, fact);
    case PIR_I_DTYPE:
      if (fact && fact->members && fact->member_count)
        fact = fact->members[0];
      return fact ? (pir_dim)fact->dtype : PIR_DIM_UNKNOWN;
    case PIR_I_MEMBERS: return fact ? (pir_dim)fact->member_count : PIR_DIM_UNKNOWN;
    default: return fact_count(fact, &count) ? count : PIR_DIM_UNKNOWN;
  }
}

static pir_dim of_result(pir_index_reader *r, const pir_node *n) {
  const symbolic *s = r->user;
  int64_t axis;
  if (!s->out || s->out->rank < 0)
    return PIR_DIM_UNKNOWN;
  if (n->op == PIR_I_OUT_RANK)
    return s->out->rank;
  if (n->op == PIR_I_OUT_LINEAR) {
    pir_dim linear = 0;
    for (int32_t i = 0; s->at && i < s->out->rank; i++)
      linear = pir_dim_add(s->infer->dims,
                           pir_dim_mul(s->infer->dims, linear, s->out->shape[i]), s->at[i]);
    return s->at ? linear : PIR_DIM_UNKNOWN;
  }
  if (!pir_index_number(r, n->a, &axis))
    return PIR_DIM_UNKNOWN;
  if (axis < 0)
    axis += s->out->rank;
  if (axis < 0 || axis >= s->out->rank)
    return PIR_DIM_UNKNOWN;
  if (n->op == PIR_I_OUT_DIM)
    return s->out->shape[axis];
  return s->at ? s->at[axis] : PIR_DIM_UNKNOWN;
}

// ---- index trees

static void put_number(pir_index_reader *r, int64_t number, void *out) {
  const symbolic *s = r->user;
  *(pir_dim *)out = pir_dim_const(s->infer->dims, number);
}

static bool get_number(pir_index_reader *r, const void *value, int64_t *out) {
  return symbolic_constant(r->user, *(const pir_dim *)value, out);
}

static bool combine_values(pir_index_reader *r, int op, const void *a, const void *b,
                           void *value) {
  const pir_dim *x = a, *y = b;
  pir_dim *out = value;
  bool compares = op >= PIR_I_EQ && op <= PIR_I_LE;
  *out = compares ? compare_dims(r->user, (pir_node_op)op, *x, *y)
                  : arithmetic(r->user, (pir_node_op)op, *x, *y);
  return *out != PIR_DIM_UNKNOWN;
}

static pir_index_step own_dim(pir_index_reader *r, int node, void *value) {
  const symbolic *s = r->user;
  const pir_node *n = &s->nodes[node];
  pir_dim *out = value;
  switch ((pir_node_op)n->op) {
    case PIR_I_OPERAND_AT: *out = operand_element(r, n); break;
    case PIR_I_OPERAND_FIND: *out = search_operand(r, n); break;
    case PIR_I_PRESENT:
    case PIR_I_RANK:
    case PIR_I_NUMEL:
    case PIR_I_DTYPE:
    case PIR_I_MEMBERS:
    case PIR_I_OPERAND_COUNT: *out = describe(s, n); break;
    case PIR_I_DIM: *out = operand_dim(r, n); break;
    case PIR_I_VAR: *out = s->vars ? s->vars[n->k] : PIR_DIM_UNKNOWN; break;
    case PIR_I_D: *out = s->d; break;
    case PIR_I_OUT:
    case PIR_I_OUT_DIM:
    case PIR_I_OUT_RANK:
    case PIR_I_OUT_LINEAR: *out = of_result(r, n); break;
    case PIR_I_LOAD: *out = load(r, n); break;
    case PIR_I_VALUE: *out = from_value(s, n->a); break;
    case PIR_I_SELECT: *out = select_side(r, n); break;
    default: return PIR_INDEX_SHARED;
  }
  return *out == PIR_DIM_UNKNOWN ? PIR_INDEX_FAILED : PIR_INDEX_DONE;
}

pir_dim symbolic_index(const symbolic *s, int16_t node) {
  symbolic site = *s;
  pir_index_reader reader = {.nodes = s->nodes,
                             .text = s->text,
                             .attrs = s->infer->attrs,
                             .user = &site,
                             .own = own_dim,
                             .put = put_number,
                             .get = get_number,
                             .combine = combine_values};
  pir_dim value;
  return pir_index_read(&reader, node, &value) ? value : PIR_DIM_UNKNOWN;
}

// ---- elements
// Row-major position in operand `fact` that a load reads for the element in question, or -1.
static int64_t position(const symbolic *s, const pir_node *n, const pir_fact *fact) {
  int64_t linear = 0, extent, index;
  if (n->map_kind == PIR_MAP_LINEAR)
    return symbolic_constant(s, symbolic_index(s, n->map), &index) ? index : -1;
  if (fact->rank < 0 || (n->map_kind == PIR_MAP_LIST && n->map_count != fact->rank))
    return -1;
  for (int32_t d = 0; d < fact->rank; d++) {
    symbolic inner = *s;
    inner.d = d;
    pir_dim dim = PIR_DIM_UNKNOWN;
    if (!symbolic_constant(s, fact->shape[d], &extent))
      return -1;
    if (n->map_kind == PIR_MAP_EACH)
      dim = symbolic_index(&inner, n->map);
    else if (n->map_kind == PIR_MAP_LIST)
      dim = symbolic_index(s, s->pool[n->map + d]);
    else if (s->at && s->out && s->out->rank - fact->rank + d >= 0)
      dim = extent == 1 ? 0 : s->at[s->out->rank - fact->rank + d];
    if (!symbolic_constant(s, dim, &index) || index < 0 || index >= extent)
      return -1;
    linear = linear * extent + index;
  }
  return linear;
}

static pir_dim element_of_load(const symbolic *s, const pir_node *n) {
  const pir_fact *fact = operand(s, n->k);
  if (!fact || fact->members || !fact->contents)
    return PIR_DIM_UNKNOWN;
  return fact_element(fact, position(s, n, fact));
}

static pir_dim element_of_attr(const symbolic *s, const pir_attr_value *v) {
  if (v->kind == PIR_VALUE_FLOAT)
    return v->f == floor(v->f) && fabs(v->f) < 9e15
               ? pir_dim_const(s->infer->dims, (int64_t)v->f)
               : PIR_DIM_UNKNOWN;
  return v->kind == PIR_VALUE_INT ? pir_dim_const(s->infer->dims, v->i) : PIR_DIM_UNKNOWN;
}

pir_dim symbolic_element(const symbolic *s, int16_t node) {
  const pir_node *n = &s->nodes[node];
  static const uint8_t index_twin[PIR_NODE_OP_COUNT] = {
      [PIR_V_ADD] = PIR_I_ADD,      [PIR_V_SUB] = PIR_I_SUB,
      [PIR_V_MUL] = PIR_I_MUL,      [PIR_V_FLOORDIV] = PIR_I_FLOORDIV,
      [PIR_V_FLOORMOD] = PIR_I_MOD, [PIR_V_MIN] = PIR_I_MIN,
      [PIR_V_MAX] = PIR_I_MAX,      [PIR_V_EQ] = PIR_I_EQ,
      [PIR_V_NE] = PIR_I_NE,        [PIR_V_LT] = PIR_I_LT,
      [PIR_V_LE] = PIR_I_LE,
  };
  int64_t condition;
  switch ((pir_node_op)n->op) {
    case PIR_V_CONST:
      return n->f == floor(n->f) && fabs(n->f) < 9e15 ? pir_dim_const(s->infer->dims, n->i)
                                                      : PIR_DIM_UNKNOWN;
    case PIR_V_ATTR: return element_of_attr(s, &s->infer->attrs[n->k]);
    case PIR_V_SCALAR: return fact_element(operand(s, n->k), 0);
    case PIR_V_LOAD: return element_of_load(s, n);
    case PIR_V_INDEX: return symbolic_index(s, n->a);
    case PIR_V_CAST: return n->k == PIR_BOOL ? PIR_DIM_UNKNOWN : symbolic_element(s, n->a);
    case PIR_V_NEG: return arithmetic(s, PIR_I_SUB, 0, symbolic_element(s, n->a));
    case PIR_V_SELECT:
      if (!symbolic_constant(s, symbolic_element(s, n->a), &condition))
        return PIR_DIM_UNKNOWN;
      return symbolic_element(s, condition ? n->b : n->c);
    case PIR_V_EQ:
    case PIR_V_NE:
    case PIR_V_LT:
    case PIR_V_LE:
      return compare_dims(s, (pir_node_op)index_twin[n->op], symbolic_element(s, n->a),
                          symbolic_element(s, n->b));
    default:
      if (!index_twin[n->op])
        return PIR_DIM_UNKNOWN;
      return arithmetic(s, (pir_node_op)index_twin[n->op], symbolic_element(s, n->a),
                        symbolic_element(s, n->b));
  }
}

pir_dim symbolic_combine(const symbolic *s, pir_node_op op, pir_dim a, pir_dim b) {
  return arithmetic(s, op, a, b);
}

static bool symbolic_unary(const symbolic *s, const pir_node *n, double *out) {
  double a;
  if (!symbolic_number(s, n->a, &a))
    return false;
  switch ((pir_node_op)n->op) {
    case PIR_V_NEG: *out = -a; return true;
    case PIR_V_FLOOR: *out = floor(a); return true;
    case PIR_V_CEIL: *out = ceil(a); return true;
    case PIR_V_SQRT: *out = sqrt(a); return true;
    default: *out = exp2(a); return true;
  }
}

static double symbolic_binary(pir_node_op op, double a, double b) {
  switch (op) {
    case PIR_V_LT: return a < b;
    case PIR_V_LE: return a <= b;
    case PIR_V_EQ: return a == b;
    case PIR_V_NE: return a != b;
    case PIR_V_ADD: return a + b;
    case PIR_V_SUB: return a - b;
    case PIR_V_MUL: return a * b;
    default: return a / b;
  }
}

static bool attr_list_number(const pir_attr_value *list, int64_t i, double *out) {
  if (i < 0 || (size_t)i >= list->count ||
      (list->kind != PIR_VALUE_INTS && list->kind != PIR_VALUE_FLOATS))
    return false;
  *out = list->kind == PIR_VALUE_INTS ? (double)list->ints[i] : list->floats[i];
  return true;
}

bool symbolic_number(const symbolic *s, int16_t node, double *out) {
  const pir_node *n = &s->nodes[node];
  double a, b;
  int64_t i;
  switch ((pir_node_op)n->op) {
    case PIR_V_CONST: *out = n->f; return true;
    case PIR_V_ATTR: {
      const pir_attr_value *v = &s->infer->attrs[n->k];
      *out = v->kind == PIR_VALUE_FLOAT ? v->f : (double)v->i;
      return v->kind == PIR_VALUE_FLOAT || v->kind == PIR_VALUE_INT;
    }
    case PIR_V_SCALAR: return fact_number(s->infer->dims, operand(s, n->k), 0, out);
    case PIR_V_INDEX:
      if (!symbolic_constant(s, symbolic_index(s, n->a), &i))
        return false;
      *out = (double)i;
      return true;
    case PIR_V_CAST: return symbolic_number(s, n->a, out);
    case PIR_V_NEG:
    case PIR_V_FLOOR:
    case PIR_V_CEIL:
    case PIR_V_SQRT:
    case PIR_V_EXP2: return symbolic_unary(s, n, out);
    case PIR_V_ATTR_AT:
      return symbolic_constant(s, symbolic_index(s, n->a), &i) &&
             attr_list_number(&s->infer->attrs[n->k], i, out);
    case PIR_V_SELECT:
      if (!symbolic_number(s, n->a, &a))
        return false;
      return symbolic_number(s, a != 0 ? n->b : n->c, out);
    case PIR_V_ISINF:
      if (!symbolic_number(s, n->a, &a))
        return false;
      *out = isinf(a) != 0;
      return true;
    case PIR_V_LT:
    case PIR_V_LE:
    case PIR_V_EQ:
    case PIR_V_NE:
    case PIR_V_ADD:
    case PIR_V_SUB:
    case PIR_V_MUL:
    case PIR_V_DIV:
      if (!symbolic_number(s, n->a, &a) || !symbolic_number(s, n->b, &b))
        return false;
      *out = symbolic_binary((pir_node_op)n->op, a, b);
      return true;
    default: return false;
  }
}
