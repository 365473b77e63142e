// Types of the value nodes of a clause, by the rules of pir/compiler/clause.h. One pass,
// children before parents.
#include <pir/layer/clause_types.h>

int pir_node_type_strong(int type) {
  if (type == PIR_WEAK_INT)
    return PIR_I64;
  return type == PIR_WEAK_FLOAT ? PIR_F64 : type;
}

bool pir_node_type_is_weak(int type) {
  return type == PIR_WEAK_INT || type == PIR_WEAK_FLOAT;
}
static bool is_small_float(int t) {
  return t == PIR_F16 || t == PIR_BF16 || t == PIR_F8E4M3 || t == PIR_F8E5M2;
}
int pir_node_type_arithmetic(int t) {
  if (is_small_float(t))
    return PIR_F32;
  return t == PIR_INDEX ? PIR_I64 : t;
}

// The rank in the order bool < integers < floats < complex.
static int rank_of(int t) {
  static const uint8_t order[PIR_DTYPE_COUNT] = {
      [PIR_BOOL] = 1, [PIR_U8] = 2,   [PIR_I8] = 3,   [PIR_U16] = 4, [PIR_I16] = 5,
      [PIR_U32] = 6,  [PIR_I32] = 7,  [PIR_U64] = 8,  [PIR_I64] = 9, [PIR_F32] = 10,
      [PIR_F64] = 11, [PIR_C64] = 12, [PIR_C128] = 13};
  return order[t];
}

static bool is_integral(int t) {
  return t == PIR_WEAK_INT || (t < PIR_DTYPE_COUNT && rank_of(t) < rank_of(PIR_F32));
}

int pir_node_type_meet(int a, int b) {
  if (pir_node_type_is_weak(a) && pir_node_type_is_weak(b))
    return a == PIR_WEAK_FLOAT ? a : b;
  if (pir_node_type_is_weak(b)) {
    int weak = b;
    b = a;
    a = weak;
  }
  if (a == PIR_WEAK_INT)
    return b == PIR_BOOL ? PIR_I64 : b;
  if (a == PIR_WEAK_FLOAT)
    return is_integral(b) ? PIR_F32 : b;
  if ((a == PIR_F64 && b == PIR_C64) || (a == PIR_C64 && b == PIR_F64))
    return PIR_C128;
  return rank_of(a) > rank_of(b) ? a : b;
}

int pir_node_type_real(int t) {
  if (t == PIR_C64)
    return PIR_F32;
  return t == PIR_C128 ? PIR_F64 : t;
}

static int operand_type(const pir_clause_typing *t, int k) {
  return t->operand(t->user, k);
}

int pir_clause_cast_type(const pir_clause_typing *t, int k) {
  if (k >= PIR_CAST_OPERAND)
    return pir_node_type_arithmetic(operand_type(t, k - PIR_CAST_OPERAND));
  if (k >= PIR_CAST_ATTR)
    return (int)pir_attr_value_dtype(&t->attrs[k - PIR_CAST_ATTR]);
  if (k == PIR_CAST_OUT)
    return (int)t->out;
  return k == PIR_CAST_COMPUTE ? PIR_DTYPE_COUNT : k;
}

static int load_type(const pir_clause_typing *t, int k) {
  int type = operand_type(t, k), compute = t->clause->compute;
  if (type == PIR_DTYPE_COUNT)
    return PIR_WEAK_INT;
  return pir_node_type_arithmetic(
      compute && compute < PIR_DTYPE_COUNT && type != PIR_BOOL ? compute : type);
}

static int scalar_type(const pir_clause_typing *t, int k) {
  int type = operand_type(t, k);
  if (type == PIR_DTYPE_COUNT)
    return PIR_WEAK_INT;
  if (pir_dtype_is_complex((pir_dtype)type))
    return type;
  return pir_dtype_is_float((pir_dtype)type) ? PIR_WEAK_FLOAT : PIR_WEAK_INT;
}

int pir_clause_acc_type(const pir_clause *c, const uint8_t *types) {
  if (c->combine == PIR_COMBINE_ARGMAX || c->combine == PIR_COMBINE_ARGMIN)
    return PIR_I64;
  if (c->combine == PIR_COMBINE_AND || c->combine == PIR_COMBINE_OR)
    return PIR_BOOL;
  return types[c->body];
}

// A real function converts integers to f32.
static int floating(int t) {
  if (!is_integral(t))
    return t;
  return pir_node_type_is_weak(t) ? PIR_WEAK_FLOAT : PIR_F32;
}

static int type_of(const pir_clause_typing *typing, const uint8_t *types, const pir_node *n) {
  int a = n->a >= 0 ? types[n->a] : PIR_WEAK_INT;
  int second = n->b >= 0 ? types[n->b] : PIR_WEAK_INT;
  int t;
  switch (n->op) {
    case PIR_V_CONST:
      if (n->k == PIR_F64)
        return PIR_WEAK_FLOAT;
      return n->k == PIR_BOOL ? PIR_BOOL : PIR_WEAK_INT;
    case PIR_V_ATTR:
      return typing->attrs[n->k].kind == PIR_VALUE_FLOAT ? PIR_WEAK_FLOAT : PIR_WEAK_INT;
    case PIR_V_ATTR_AT:
      return typing->attrs[n->k].kind == PIR_VALUE_FLOATS ? PIR_WEAK_FLOAT : PIR_WEAK_INT;
    case PIR_V_INDEX:
    case PIR_V_COUNT: return PIR_WEAK_INT;
    case PIR_V_SCALAR: return scalar_type(typing, n->k);
    case PIR_V_LOAD:
    case PIR_V_MEMBERS: return load_type(typing, n->k);
    case PIR_V_ACC: return pir_clause_acc_type(typing->clause, types);
    case PIR_V_CAST:
      t = pir_clause_cast_type(typing, n->k);
      return t == PIR_DTYPE_COUNT ? a : pir_node_type_arithmetic(t);
    case PIR_V_EQ:
    case PIR_V_NE:
    case PIR_V_LT:
    case PIR_V_LE:
    case PIR_V_ISNAN:
    case PIR_V_ISINF:
    case PIR_V_ISFINITE: return PIR_BOOL;
    case PIR_V_SELECT:
      return pir_node_type_meet(second, n->c >= 0 ? types[n->c] : PIR_WEAK_INT);
    case PIR_V_AND:
    case PIR_V_OR:
    case PIR_V_XOR:
      return pir_node_type_is_weak(a) && pir_node_type_is_weak(second)
                 ? PIR_BOOL
                 : pir_node_type_meet(a, second);
    case PIR_V_NOT: return pir_node_type_is_weak(a) ? PIR_BOOL : a;
    case PIR_V_REAL:
    case PIR_V_IMAG:
    case PIR_V_ABS: return pir_node_type_real(a);
    case PIR_V_ANGLE: return is_integral(a) ? floating(a) : pir_node_type_real(a);
    case PIR_V_COMPLEX: return pir_node_type_meet(a, second) == PIR_F64 ? PIR_C128 : PIR_C64;
    case PIR_V_NEG:
    case PIR_V_SIGN:
    case PIR_V_CONJ:
    case PIR_V_FLOOR:
    case PIR_V_CEIL:
    case PIR_V_TRUNC:
    case PIR_V_ROUND:
    case PIR_V_RINT: return a;
    case PIR_V_ATAN2:
    case PIR_V_COPYSIGN:
    case PIR_V_NEXTAFTER: return floating(pir_node_type_meet(a, second));
    default:
      if (n->op >= PIR_V_ADD && n->op <= PIR_V_SHR)
        return pir_node_type_meet(a, second);
      return floating(a);
  }
}

void pir_clause_type_nodes(const pir_clause_typing *typing, uint8_t *out_types) {
  const pir_clause *c = typing->clause;
  for (int i = 0; i < c->node_count; i++)
    if (c->nodes[i].op >= PIR_V_CONST)
      out_types[i] = (uint8_t)type_of(typing, out_types, &c->nodes[i]);
}
