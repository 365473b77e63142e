// Lowers the value nodes of a clause to loop IR: first the types of the nodes, then one
// expression for each node. Types follow pir/compiler/clause.h: literals are weak and take the
// type of their context; 16-bit floats are computed as f32 and rounded once for each op. Loads
// whose index may be out of range are guarded by the conditions around them.
#include <pir/compiler/index_nodes.h>

#include "lowering.h"

#include <string.h>

// ---- opening

static void *allocate(void *user, size_t size) {
  return pir_loop_alloc(user, size);
}

const pir_value *lower_operand(const lower_site *s, int k, int member) {
  const pir_value *v =
      (size_t)k < pir_op_operands(s->op) ? pir_op_operand(s->op, (size_t)k) : NULL;
  const pir_op *list = v ? pir_value_op(v) : NULL;
  if (!v || pir_type_kind_of(pir_value_type(v)) != PIR_TYPE_VECTOR)
    return v;
  return list && pir_op_has(list, PIR_STRUCTURAL) ? pir_op_operand(list, (size_t)member) : NULL;
}

int lower_members(const lower_site *s, int k) {
  const pir_value *v =
      (size_t)k < pir_op_operands(s->op) ? pir_op_operand(s->op, (size_t)k) : NULL;
  if (!v)
    return 0;
  if (pir_type_kind_of(pir_value_type(v)) != PIR_TYPE_VECTOR)
    return 1;
  return (int)pir_type_elements(pir_value_type(v));
}

static void find_types(lower_site *s);

bool lower_open(lowering *l, const pir_op *op, size_t result, lower_site *out) {
  const pir_opdef *def = pir_op_meaning(op);
  *out = (lower_site){
      .l = l, .op = op, .result = result, .out = lower_fact(l, pir_op_result(op, result))};
  memset(out->var_axis, -1, sizeof out->var_axis);
  lower_count_place(l, op);
  if (l->why)
    return false;
  if (pir_op_has(op, PIR_STRUCTURAL))
    return true;
  if (def->clause && pir_op_attr_values(op, allocate, l->m, &out->attrs))
    out->attrs = NULL;
  out->clause = out->attrs ? pir_clause_choose(def->clause, (uint8_t)result, out->attrs) : NULL;
  if (out->clause) {
    find_types(out);
    return true;
  }
  lower_fail(l, op, "an op that no clause describes");
  return false;
}

// ---- constants that list numbers

static loop_expr *listed_number(lowering *l, const pir_attr_value *list, int64_t i,
                                pir_dtype dtype) {
  bool real = list->kind == PIR_VALUE_FLOATS;
  return pir_loop_cast(l->m,
                       real ? pir_loop_const_float(l->m, PIR_F64, list->floats[i])
                            : pir_loop_const_int(l->m, PIR_I64, list->ints[i]),
                       dtype);
}

loop_expr *lower_listed_element(lowering *l, const pir_op *op, loop_expr *const *index) {
  enum { SHAPE, DTYPE, VALUES, MOST = 64 };
  const pir_opdef *def = pir_op_meaning(op);
  const pir_fact *f = lower_fact(l, pir_op_result(op, 0));
  const pir_attr_value *attrs;
  loop_expr *at = pir_loop_int(l->m, 0);
  if (def->clause || !def->kernel || strcmp(def->kernel, "assign_value") ||
      pir_dtype_is_complex(f->dtype) || pir_op_attr_values(op, allocate, l->m, &attrs))
    return NULL;
  int64_t n = 1, extent, count = (int64_t)attrs[VALUES].count;
  for (int d = 0; d < f->rank; d++) {
    if (!pir_dim_is_const(l->dims, f->shape[d], &extent) || extent < 1 || extent > MOST / n)
      return NULL;
    n *= extent;
    at = pir_loop_add(l->m, pir_loop_mul(l->m, at, pir_loop_int(l->m, extent)), index[d]);
  }
  bool lists = attrs[VALUES].kind == PIR_VALUE_FLOATS || attrs[VALUES].kind == PIR_VALUE_INTS;
  if (!lists || count != n)
    return NULL;
  loop_expr *e = listed_number(l, &attrs[VALUES], n - 1, f->dtype);
  for (int64_t i = n - 1; i-- > 0;) {
    loop_expr *here = pir_loop_op(l->m, PIR_V_EQ, at, pir_loop_int(l->m, i), NULL);
    e = pir_loop_select(l->m, here, listed_number(l, &attrs[VALUES], i, f->dtype), e);
  }
  return e;
}

// ---- types

static int operand_dtype(const void *user, int k) {
  const lower_site *s = user;
  const pir_value *v = lower_operand(s, k, 0);
  return v ? (int)lower_fact(s->l, v)->dtype : PIR_DTYPE_COUNT;
}

static pir_clause_typing typing_of(const lower_site *s) {
  return (pir_clause_typing){.clause = s->clause,
                             .attrs = s->attrs,
                             .out = s->out->dtype,
                             .operand = operand_dtype,
                             .user = s};
}

int lower_acc_type(const lower_site *s) {
  return pir_node_type_strong(pir_clause_acc_type(s->clause, s->types));
}

static void find_types(lower_site *s) {
  s->types = pir_loop_alloc(s->l->m, s->clause->node_count);
  pir_clause_typing typing = typing_of(s);
  pir_clause_type_nodes(&typing, s->types);
}

// ---- functions that the emitters support

static bool is_computed(int dtype) {
  return dtype == PIR_BOOL || dtype == PIR_INDEX || dtype == PIR_F16 || dtype == PIR_BF16 ||
         dtype == PIR_F32 || dtype == PIR_F64 ||
         (dtype < PIR_DTYPE_COUNT && pir_dtype_is_integer((pir_dtype)dtype));
}

static bool divides(int op) {
  return op == PIR_V_DIV || op == PIR_V_FLOORDIV || op == PIR_V_FLOORMOD || op == PIR_V_FMOD;
}

static bool has_code(const lowering *l, int op, int type, const loop_expr *b) {
  int64_t divisor;
  if (!is_computed(type))
    return false;
  if (pir_dtype_is_float(type))
    return op <= PIR_V_LE || (op >= PIR_V_NEG && op <= PIR_V_ERF) || op == PIR_V_LGAMMA ||
           (op == PIR_V_DIGAMMA && lower_on_device(l)) ||
           (op >= PIR_V_ISNAN && op <= PIR_V_ISFINITE);
  // A zero divisor must be reported at run time: on a processor by a called kernel.
  if (divides(op))
    return type != PIR_BOOL &&
           (lower_on_device(l) || (pir_loop_is_int(b, &divisor) && divisor != 0));
  if (type == PIR_BOOL)
    return (op >= PIR_V_EQ && op <= PIR_V_NOT) || op == PIR_V_MIN || op == PIR_V_MAX;
  return op != PIR_V_POW && op != PIR_V_ATAN2 &&
         (op <= PIR_V_SHR || op == PIR_V_NEG || op == PIR_V_ABS || op == PIR_V_SIGN ||
          (op >= PIR_V_FLOOR && op <= PIR_V_RINT) ||
          (op >= PIR_V_ISNAN && op <= PIR_V_ISFINITE));
}

static void report_zero(lower_site *s, loop_expr *divisor) {
  loop_module *m = s->l->m;
  int64_t known;
  loop_expr *none = pir_loop_const_int(m, divisor->dtype, 0);
  if (!pir_loop_is_int(divisor, &known) || !known)
    lower_trap(s, "integer division by zero", pir_loop_op(m, PIR_V_EQ, divisor, none, NULL));
}

static loop_expr *apply(lower_site *s, int op, loop_expr *a, loop_expr *b) {
  loop_module *m = s->l->m;
  double f;
  if (op == PIR_V_CONJ || op == PIR_V_REAL)
    return a;  // there is no code for complex numbers
  if (!has_code(s->l, op, a->dtype, b)) {
    lower_fail(s->l, s->op, "an operation without generated code");
    return a;
  }
  if (divides(op) && !pir_dtype_is_float(a->dtype))
    report_zero(s, b);
  if (a->dtype == PIR_BOOL && (op == PIR_V_MIN || op == PIR_V_MAX))
    op = op == PIR_V_MIN ? PIR_V_AND : PIR_V_OR;
  if (op == PIR_V_POW && b->kind == LOOP_CONST) {  // the exponents that models have
    f = b->constant.f;
    if (f == 1)
      return a;
    if (f == 2)
      return pir_loop_mul(m, a, a);
    if (f == 3)
      return pir_loop_mul(m, pir_loop_mul(m, a, a), a);
    if (f == -1)
      return pir_loop_op(m, PIR_V_RECIP, a, NULL, NULL);
  }
  return pir_loop_op(m, op, a, b, NULL);
}

// ---- loads

// The condition 0 <= index < shape in every dim; NULL if it is known to hold. A scalar has an
// element at position 0 alone.
static loop_expr *range_of(lower_site *s, const pir_node *n, const pir_fact *fact,
                           loop_expr *const *index) {
  loop_expr *in = NULL, *one = pir_loop_int(s->l->m, 1);
  int64_t known;
  if (n->map_kind == PIR_MAP_LINEAR && !fact->rank && n->a >= 0)
    in = lower_in_range(s->l, pir_loop_cast(s->l->m, lower_index(s, n->map), LOOP_INDEX), one);
  for (int d = 0; d < fact->rank; d++) {
    loop_expr *extent = lower_dim(s->l, fact->shape[d]);
    in = lower_both(s->l, in, lower_in_range(s->l, index[d], extent));
  }
  return in && pir_loop_is_int(in, &known) && known ? NULL : lower_open_condition(s->l, in);
}

static loop_expr *element_under(lowering *l, loop_expr *condition, loop_expr *in,
                                const pir_value *v, loop_expr *const *index) {
  loop_expr *outer = l->guard;
  l->guard = lower_both(l, lower_both(l, outer, condition), in);
  if (l->guard != outer)
    l->guard = pir_loop_let(l->fn, l->block, "in", l->guard);
  loop_expr *e = lower_element(l, v, index);
  l->guard = outer;
  return e;
}

static loop_expr *element_where(lower_site *s, loop_expr *in, const pir_value *v,
                                loop_expr *const *index) {
  return element_under(s->l, s->l->condition, in, v, index);
}

loop_expr *lower_settled_element(lower_site *s, lower_reach reach, const pir_value *v,
                                 loop_expr *const *index) {
  return element_under(s->l, reach.known ? NULL : s->l->condition, reach.guard, v, index);
}

static loop_expr *load(lower_site *s, const pir_node *n, const pir_value *v, int type) {
  loop_expr *index[PIR_MAX_RANK], *e;
  const pir_fact *fact = lower_fact(s->l, v);
  loop_module *m = s->l->m;
  if (!is_computed(fact->dtype))
    lower_fail(s->l, s->op, "elements that are not computed on");
  if (s->l->why || !lower_load_index(s, n, fact, index))
    return pir_loop_const_int(m, type, 0);
  loop_expr *in = n->map_kind == PIR_MAP_ALIGNED ? NULL : range_of(s, n, fact, index);
  if (!in)
    return pir_loop_cast(
        m,
        pir_loop_cast(m, lower_element(s->l, v, index), pir_node_type_arithmetic(fact->dtype)),
        type);
  if (n->a < 0 && !s->reduces) {  // within range wherever it is wanted
    e = lower_settled_element(s, lower_settle_index(s, n, fact, index), v, index);
    return pir_loop_cast(m, pir_loop_cast(m, e, pir_node_type_arithmetic(fact->dtype)), type);
  }
  e = pir_loop_cast(
      m,
      pir_loop_cast(m, element_where(s, in, v, index), pir_node_type_arithmetic(fact->dtype)),
      type);
  if (n->a >= 0)
    return pir_loop_select(m, in, e, lower_clause_value(s, n->a, type));
  s->in_range = lower_both(s->l, s->in_range, in);
  return e;
}

static loop_expr *members(lower_site *s, const pir_node *n, int type) {
  pir_node aligned = {.op = PIR_V_LOAD, .map_kind = PIR_MAP_ALIGNED, .k = n->k, .a = -1};
  loop_expr *sum = NULL;
  for (int i = 0; i < lower_members(s, n->k); i++) {
    const pir_value *v = lower_operand(s, n->k, i);
    if (!v)
      break;
    loop_expr *e = load(s, &aligned, v, type);
    sum = sum ? pir_loop_combine(s->l->m, (pir_combine)n->i, sum, e) : e;
  }
  if (sum)
    return sum;
  lower_fail(s->l, s->op, "a list without known members");
  return pir_loop_const_int(s->l->m, type, 0);
}

static loop_expr *scalar(lower_site *s, const pir_node *n, int type) {
  loop_expr *zeros[PIR_MAX_RANK];
  const pir_value *v = lower_operand(s, n->k, 0);
  if (!v) {
    lower_fail(s->l, s->op, "an absent operand");
    return pir_loop_const_int(s->l->m, type, 0);
  }
  for (int i = 0; i < PIR_MAX_RANK; i++)
    zeros[i] = pir_loop_int(s->l->m, 0);
  lower_expect_one(s, lower_fact(s->l, v), n->k);
  loop_expr *e = lower_element(s->l, v, zeros);
  return pir_loop_cast(s->l->m, pir_loop_cast(s->l->m, e, pir_node_type_arithmetic(e->dtype)),
                       type);
}

// ---- nodes

static loop_expr *literal(lower_site *s, int type, double f, int64_t i) {
  if (type == PIR_BOOL)
    return pir_loop_const_int(s->l->m, type, f != 0 || i != 0);
  if (!pir_dtype_is_float(type))
    return pir_loop_const_int(s->l->m, type, i);
  return pir_loop_const_float(s->l->m, type, type == PIR_F32 ? (float)f : f);
}

// A float that no integer holds is 0 where an integer is needed, as in conversions of tensors.
static loop_expr *real_literal(lower_site *s, int type, double value) {
  bool fits = value >= -0x1p63 && value < 0x1p63;
  return literal(s, type, value, fits ? (int64_t)value : 0);
}

static loop_expr *attribute(lower_site *s, const pir_node *n, int type) {
  const pir_attr_value *a = &s->attrs[n->k];
  if (a->kind == PIR_VALUE_FLOAT)
    return real_literal(s, type, a->f);
  return literal(s, type, (double)a->i, a->i);
}

static loop_expr *list_attribute(lower_site *s, const pir_node *n, int type) {
  const pir_attr_value *a = &s->attrs[n->k];
  int64_t i;
  if (!lower_fixed(s, n->a, &i))
    return literal(s, type, 0, 0);
  if (i >= 0 && (size_t)i < a->count && a->kind == PIR_VALUE_FLOATS)
    return real_literal(s, type, a->floats[i]);
  if (i >= 0 && (size_t)i < a->count && a->kind == PIR_VALUE_INTS)
    return literal(s, type, (double)a->ints[i], a->ints[i]);
  lower_fail(s->l, s->op, "an element beyond the end of a list");
  return literal(s, type, 0, 0);
}

static loop_expr *cast(lower_site *s, const pir_node *n, int type) {
  pir_clause_typing typing = typing_of(s);
  int to = pir_clause_cast_type(&typing, n->k);
  if (to == PIR_DTYPE_COUNT)
    return lower_clause_value(s, n->a, type);
  if (!is_computed(to)) {
    lower_fail(s->l, s->op, "a cast to a type that is not computed with");
    return pir_loop_const_int(s->l->m, type, 0);
  }
  loop_expr *e = lower_clause_value(s, n->a, pir_node_type_strong(s->types[n->a]));
  return pir_loop_cast(s->l->m, pir_loop_cast(s->l->m, e, to), type);
}

static loop_expr *compare(lower_site *s, const pir_node *n) {
  int type = pir_node_type_strong(n->b >= 0 ? pir_node_type_meet(s->types[n->a], s->types[n->b])
                                            : s->types[n->a]);
  loop_expr *a = lower_clause_value(s, n->a, type),
            *b = n->b >= 0 ? lower_clause_value(s, n->b, type) : NULL;
  return apply(s, n->op, a, b);
}

// Computes both sides. Loads of one side are guarded by the condition.
static loop_expr *select_value(lower_site *s, const pir_node *n, int type) {
  lowering *l = s->l;
  int64_t known;
  loop_expr *cond = s->clause->nodes[n->a].op < PIR_V_CONST
                        ? lower_truth(s, n->a)
                        : lower_clause_value(s, n->a, PIR_BOOL);
  if (pir_loop_is_int(cond, &known))
    return lower_clause_value(s, known ? n->b : n->c, type);
  loop_expr *outer = l->condition;
  int assumed = s->assumed_count;
  l->condition = lower_both(l, outer, cond);
  lower_assume(s, n->a, true);
  loop_expr *a = lower_clause_value(s, n->b, type);
  s->assumed_count = assumed;
  l->condition = lower_both(l, outer, pir_loop_op(l->m, PIR_V_NOT, cond, NULL, NULL));
  lower_assume(s, n->a, false);
  loop_expr *b = lower_clause_value(s, n->c, type);
  s->assumed_count = assumed;
  l->condition = outer;
  return pir_loop_select(l->m, cond, a, b);
}

static loop_expr *unary(lower_site *s, const pir_node *n, int type) {
  int own = s->types[n->a], from = pir_node_type_is_weak(own) ? type : own;
  if (pir_dtype_is_float(from) != pir_dtype_is_float(type))
    from = type;
  return apply(s, n->op, lower_clause_value(s, n->a, from), NULL);
}

// Whether a divisor is one number for each row that the group itself computed (a sum, a
// deviation). Then one reciprocal for each row replaces the divisions, within the rounding that
// the group's sums have anyway.
static bool is_row_divisor(const lower_site *s, const pir_node *n) {
  const pir_value *v =
      n->op == PIR_V_LOAD && n->map_kind == PIR_MAP_ALIGNED ? lower_operand(s, n->k, 0) : NULL;
  const pir_op *op = v ? pir_value_op(v) : NULL;
  int64_t extent;
  if (!op || !s->l->group || pir_op_parent(op) != s->l->group || pir_op_has(op, PIR_CONSTANT))
    return false;
  const pir_fact *f = lower_fact(s->l, v);
  return f->rank == s->out->rank && f->rank &&
         pir_dim_is_const(s->l->dims, f->shape[f->rank - 1], &extent) && extent == 1;
}

static loop_expr *divided(lower_site *s, const pir_node *n, int type) {
  loop_expr *a = lower_clause_value(s, n->a, type), *b = lower_clause_value(s, n->b, type);
  if (!pir_dtype_is_float(type) || !is_row_divisor(s, &s->clause->nodes[n->b]))
    return apply(s, PIR_V_DIV, a, b);
  return apply(s, PIR_V_MUL, a, apply(s, PIR_V_RECIP, b, NULL));
}

// Lowers operands in a fixed order. The evaluation order of C arguments is unspecified, and the
// text of the loops is a cache key.
static loop_expr *binary(lower_site *s, const pir_node *n, int type) {
  loop_expr *a = lower_clause_value(s, n->a, type), *b = lower_clause_value(s, n->b, type);
  return apply(s, n->op, a, b);
}

static loop_expr *lower_node(lower_site *s, const pir_node *n, int type) {
  const pir_value *v;
  switch (n->op) {
    case PIR_V_CONST: return literal(s, type, n->f, n->i);
    case PIR_V_ATTR: return attribute(s, n, type);
    case PIR_V_ATTR_AT: return list_attribute(s, n, type);
    case PIR_V_SCALAR: return scalar(s, n, type);
    case PIR_V_LOAD:
      v = lower_operand(s, n->k, 0);
      if (v)
        return load(s, n, v, type);
      break;
    case PIR_V_MEMBERS: return members(s, n, type);
    case PIR_V_ACC: return s->acc;
    case PIR_V_COUNT: return pir_loop_cast(s->l->m, s->count, type);
    case PIR_V_INDEX: return pir_loop_cast(s->l->m, lower_index(s, n->a), type);
    case PIR_V_CAST: return cast(s, n, type);
    case PIR_V_EQ:
    case PIR_V_NE:
    case PIR_V_LT:
    case PIR_V_LE:
    case PIR_V_ISNAN:
    case PIR_V_ISINF:
    case PIR_V_ISFINITE: return compare(s, n);
    case PIR_V_SELECT: return select_value(s, n, type);
    case PIR_V_DIV: return divided(s, n, type);
    default: return n->b < 0 ? unary(s, n, type) : binary(s, n, type);
  }
  lower_fail(s->l, s->op, "an absent operand");
  return literal(s, type, 0, 0);
}

loop_expr *lower_clause_value(lower_site *s, int node, int type) {
  const pir_node *n = &s->clause->nodes[node];
  loop_module *m = s->l->m;
  if (s->l->why)
    return literal(s, type, 0, 0);
  if (n->op < PIR_V_CONST)
    return pir_loop_cast(m, lower_index(s, node), type);
  int own = pir_node_type_is_weak(s->types[node]) ? type : s->types[node];
  return pir_loop_cast(m, lower_node(s, n, own), type);
}

// ---- results

int64_t lower_join_axis(lower_site *s, int rank) {
  int64_t axis = 0, a;
  const pir_clause *c = s->clause;
  const pir_value *v = c->axes_operand >= 0 ? lower_operand(s, c->axes_operand, 0) : NULL;
  if (c->axes_attr >= 0) {
    (void)pir_index_attr_at(&s->attrs[c->axes_attr], 0, &axis);
  } else if (v && lower_fact(s->l, v)->contents &&
             pir_dim_is_const(s->l->dims, lower_fact(s->l, v)->contents[0], &a)) {
    axis = a;
  } else {
    lower_fail(s->l, s->op, "an axis that is not known");
  }
  axis = axis < 0 ? axis + rank : axis;
  if (axis < 0 || axis >= rank)
    lower_fail(s->l, s->op, "an axis beyond the rank");
  return s->l->why ? 0 : axis;
}

static loop_expr *join_extent(lower_site *s, int64_t axis, int part) {
  const pir_value *v = lower_operand(s, s->clause->nodes[s->clause->body].k, part);
  if (v)
    return s->clause->stack ? pir_loop_int(s->l->m, 1)
                            : lower_dim(s->l, lower_fact(s->l, v)->shape[axis]);
  lower_fail(s->l, s->op, "a list without known members");
  return pir_loop_int(s->l->m, 1);
}

loop_expr *lower_join_begin(lower_site *s, int64_t axis, int part) {
  loop_expr *begin = pir_loop_int(s->l->m, 0);
  for (int i = 0; i < part; i++)
    begin = pir_loop_add(s->l->m, begin, join_extent(s, axis, i));
  return begin;
}

// The index in a member of a join that begins at `begin`. Along the other axes the member is as
// long as the result, or the run is refused.
static void index_of_member(lower_site *s, int64_t axis, const pir_value *member,
                            loop_expr *const *index, loop_expr *begin, loop_expr **out) {
  const pir_fact *fact = lower_fact(s->l, member);
  int to = 0;
  if (fact->rank != s->out->rank - (s->clause->stack ? 1 : 0))
    lower_fail(s->l, s->op, "members whose ranks differ");
  for (int d = 0; d < s->out->rank && !s->l->why; d++) {
    if (d == axis && s->clause->stack)
      continue;
    if (d != axis)
      lower_expect_equal(s->l, fact->shape[to], s->out->shape[d]);
    out[to++] = d == axis ? pir_loop_sub(s->l->m, index[d], begin) : index[d];
  }
}

// The element of one member of a join, for an index inside its range.
static loop_expr *joined_part(lower_site *s, int64_t axis, int part, loop_expr *const *index) {
  loop_expr *at[PIR_MAX_RANK], *begin = lower_join_begin(s, axis, part);
  const pir_value *v = lower_operand(s, s->clause->nodes[s->clause->body].k, part);
  if (!s->l->why)
    index_of_member(s, axis, v, index, begin, at);
  return s->l->why ? NULL : lower_element(s->l, v, at);
}

// Selects the member of a join by the index; members follow each other along the axis.
static loop_expr *joined(lower_site *s, loop_expr *const *index) {
  lowering *l = s->l;
  int k = s->clause->nodes[s->clause->body].k, rank = s->out->rank, count = lower_members(s, k);
  int64_t axis = lower_join_axis(s, rank);
  loop_expr *at[PIR_MAX_RANK], *begin = pir_loop_int(l->m, 0), *outer = l->condition,
                               *before = outer, *e = NULL;
  loop_expr *ends[64], *values[64];
  // A reader of another element (a gather) may need any member.
  if (l->join == s->op && !l->why && pir_loop_equal(index[axis], *l->join_at))
    return joined_part(s, axis, l->join_part, index);
  if (count < 1 || count > 64)
    lower_fail(l, s->op, "a list of this length");
  for (int i = 0; i < count && !l->why; i++) {
    const pir_value *v = lower_operand(s, k, i);
    ends[i] = pir_loop_add(l->m, begin, join_extent(s, axis, i));
    if (!l->why)
      index_of_member(s, axis, v, index, begin, at);
    if (l->why)
      return NULL;
    loop_expr *here = pir_loop_lt(l->m, index[axis], ends[i]);
    l->condition = lower_both(l, before, here);
    values[i] = element_where(s, NULL, v, at);
    before = lower_both(l, before, pir_loop_op(l->m, PIR_V_NOT, here, NULL, NULL));
    begin = ends[i];
  }
  l->condition = outer;
  for (int i = count; i-- > 0 && !l->why;)
    e = e ? pir_loop_select(l->m, pir_loop_lt(l->m, index[axis], ends[i]), values[i], e)
          : values[i];
  return e;
}

// The run is refused unless the parts up to this one are inside of the tensor.
static void expect_part(lower_site *s, const pir_fact *parts, size_t member, int64_t axis,
                        pir_dim whole) {
  pir_dims *dims = s->l->dims;
  pir_dim least = pir_dim_const(dims, 0), one = pir_dim_const(dims, 1);
  for (size_t i = 0; i < member; i++)
    least = pir_dim_add(dims, least, parts->members[i]->shape[axis]);
  pir_dim most = pir_dim_add(dims, least, parts->members[member]->shape[axis]);
  lower_expect_inside(s, least, pir_dim_sub(dims, most, one), whole, one, 0);
}

// The element of result `member` of a split: a range of its operand.
static loop_expr *part(lowering *l, const pir_op *op, const pir_value *list, size_t member,
                       loop_expr *const *index) {
  lower_site s;
  const pir_fact *parts = lower_fact(l, list);
  if (!lower_open(l, op, pir_value_index(list), &s))
    return NULL;
  if (s.clause->kind != PIR_CLAUSE_SPLIT || member >= parts->member_count) {
    lower_fail(l, op, "a list that is not split from a tensor");
    return NULL;
  }
  const pir_value *v = lower_operand(&s, s.clause->nodes[s.clause->body].k, 0);
  int rank = lower_fact(l, v)->rank;
  int64_t axis = lower_join_axis(&s, rank);
  loop_expr *at[PIR_MAX_RANK],
      *begin = pir_loop_int(l->m, s.clause->stack ? (int64_t)member : 0);
  for (size_t i = 0; i < member && !s.clause->stack; i++)
    begin = pir_loop_add(l->m, begin, lower_dim(l, parts->members[i]->shape[axis]));
  for (int d = 0, from = 0; d < rank; d++) {
    at[d] = d == axis ? begin : index[from];
    if (d == axis && !s.clause->stack)
      at[d] = pir_loop_add(l->m, begin, index[from]);
    from += d != axis || !s.clause->stack;
  }
  if (!s.clause->stack && !l->why)
    expect_part(&s, parts, member, axis, lower_fact(l, v)->shape[axis]);
  return l->why ? NULL : lower_element(l, v, at);
}

static loop_expr *member_of_list(lowering *l, const pir_op *op, size_t result,
                                 loop_expr *const *index) {
  size_t member = pir_op_meaning(op)->attr_count ? (size_t)pir_op_int(op, 0) : result;
  const pir_value *list = pir_op_operand(op, 0);
  const pir_op *maker = pir_value_op(list);
  if (!maker) {
    lower_fail(l, op, "a list from outside");
    return NULL;
  }
  if (!pir_op_has(maker, PIR_STRUCTURAL))
    return part(l, maker, list, member, index);
  return lower_element(l, pir_op_operand(maker, member), index);
}

// Binds the variables of a sum like a * E + b to an index, where E is the extent of b: one axis
// holds the points of several variables.
static bool bind_sum(lower_site *s, int node, loop_expr *index) {
  const pir_clause *c = s->clause;
  const pir_node *n = &c->nodes[node];
  if (n->op == PIR_I_VAR) {
    s->vars[n->k] = index;
    return true;
  }
  const pir_node *inner = n->op == PIR_I_ADD ? &c->nodes[n->b] : NULL,
                 *outer = inner ? &c->nodes[n->a] : NULL;
  if (!outer || outer->op != PIR_I_MUL || inner->op != PIR_I_VAR ||
      c->vars[inner->k].extent < 0)
    return false;
  loop_expr *extent =
                pir_loop_cast(s->l->m, lower_index(s, c->vars[inner->k].extent), LOOP_INDEX),
            *factor = pir_loop_cast(s->l->m, lower_index(s, outer->b), LOOP_INDEX);
  if (!pir_loop_equal(extent, factor))
    return false;
  s->vars[inner->k] = pir_loop_mod(s->l->m, index, extent);
  return bind_sum(s, outer->a, pir_loop_floordiv(s->l->m, index, extent));
}

// Binds the named variables to the result's index. The clause's out map must consist of
// variables, and sums in which an axis holds several.
static bool bind_vars(lower_site *s, loop_expr *const *index) {
  const pir_clause *c = s->clause;
  int d = 0;
  if (c->out_map_kind != PIR_MAP_LIST)
    return false;
  for (int i = 0; i < c->out_map_count; i++) {
    const pir_node *n = &c->nodes[c->pool[c->out_map + i]];
    if (n->op == PIR_I_PACK) {
      s->pack_rank = s->out->rank - (c->out_map_count - 1);
      for (int j = 0; j < s->pack_rank; j++, d++) {
        s->pack[j] = index[d];
        s->pack_extent[j] = s->out->shape[d];
      }
    } else if (n->op == PIR_I_VAR && d < s->out->rank) {
      s->var_axis[n->k] = (int8_t)d;
      s->vars[n->k] = index[d++];
    } else if (d >= s->out->rank || !lower_on_device(s->l) ||
               !bind_sum(s, c->pool[c->out_map + i], index[d++])) {
      return false;
    }
  }
  return d == s->out->rank;
}

static bool at_index(lower_site *s, loop_expr *const *index) {
  s->out_index = index;
  s->axes = s->out->rank;
  for (int d = 0; d < s->axes; d++) {
    s->axis[d] = index[d];
    s->axis_extent[d] = s->out->shape[d];
  }
  return !s->clause->var_count || bind_vars(s, index);
}

bool lower_moved_index(lower_site *s, loop_expr *const *index, const pir_fact **out_fact,
                       loop_expr **out) {
  const pir_clause *c = s->clause;
  if (!c || (c->kind != PIR_CLAUSE_VIEW && c->kind != PIR_CLAUSE_GATHER) || !at_index(s, index))
    return false;
  const pir_node *load = &c->nodes[c->body];
  const pir_value *v =
      load->op == PIR_V_LOAD && load->a < 0 ? lower_operand(s, load->k, 0) : NULL;
  if (!v)
    return false;
  *out_fact = lower_fact(s->l, v);
  return lower_load_index(s, load, *out_fact, out);
}

loop_expr *lower_result(lower_site *s, loop_expr *const *index) {
  lowering *l = s->l;
  const pir_clause *c = s->clause;
  if (!c)
    return member_of_list(l, s->op, s->result, index);
  bool bound = at_index(s, index);
  if (c->trap >= 0)
    lower_clause_trap(s);
  if (!is_computed(s->out->dtype))
    lower_fail(l, s->op, "elements that are not computed on");
  if (!bound)
    lower_fail(l, s->op, "a result map that is no list of variables");
  if (l->why)
    return NULL;
  switch (c->kind) {
    case PIR_CLAUSE_POINTWISE:
    case PIR_CLAUSE_VIEW:
    case PIR_CLAUSE_GATHER: {
      int type = pir_node_type_strong(pir_node_type_is_weak(s->types[c->body])
                                          ? pir_node_type_arithmetic(s->out->dtype)
                                          : s->types[c->body]);
      return pir_loop_cast(l->m, lower_clause_value(s, c->body, type), s->out->dtype);
    }
    case PIR_CLAUSE_CONTRACT:  // on a device, where calling it would cost transfers
      if (l->sums)
        return lower_reduced(s, index);
      lower_fail(l, s->op, "a clause of this kind");
      return NULL;
    case PIR_CLAUSE_REDUCE:
    case PIR_CLAUSE_WINDOW: return lower_reduced(s, index);
    case PIR_CLAUSE_JOIN: return joined(s, index);
    default: lower_fail(l, s->op, "a clause of this kind"); return NULL;
  }
}
