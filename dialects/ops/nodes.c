// Compiles expressions to the nodes of pir/compiler/clause.h. An expression has one of two
// sorts, index or value. Its context decides the sort; words that exist only as indices (dim,
// rank, find) switch to the index sort. Equal nodes are shared, so repeated use of a `let`
// costs nothing. A `let` is expanded at its use, with the names of that place in scope.
#include "nodes_impl.h"

#include <string.h>

#define MAX_LETS 32

int16_t ops_node(compiler *co, pir_node n) {
  code *out = co->out;
  pir_node copy;  // padding is compared too
  memset(&copy, 0, sizeof copy);
  copy.op = n.op;
  copy.map_kind = n.map_kind;
  copy.k = n.k;
  copy.a = n.a;
  copy.b = n.b;
  copy.c = n.c;
  copy.map = n.map;
  copy.map_count = n.map_count;
  copy.i = n.i;
  copy.f = n.f;
  for (int i = 0; i < out->node_count; i++)
    if (!memcmp(&out->nodes[i], &copy, sizeof copy))
      return (int16_t)i;
  if (out->node_count == OPS_MOST_NODES) {
    ops_error(co->o->loc, "the expressions of '%s' have more than %d nodes", co->o->name,
              OPS_MOST_NODES);
    return -1;
  }
  APPEND(co->d->in, out->nodes, out->node_count, copy);
  return (int16_t)(out->node_count - 1);
}

int16_t ops_pool(compiler *co, const int16_t *entries, int count) {
  code *out = co->out;
  for (int i = 0; i + count <= out->pool_count; i++)
    if (!memcmp(out->pool + i, entries, (size_t)count * sizeof *entries))
      return (int16_t)i;
  int start = out->pool_count;
  if (count > OPS_MOST_NODES - start) {
    ops_error(co->o->loc, "the lists of '%s' have more than %d entries", co->o->name,
              OPS_MOST_NODES);
    return -1;
  }
  for (int i = 0; i < count; i++)
    APPEND(co->d->in, out->pool, out->pool_count, entries[i]);
  return (int16_t)start;
}

int16_t ops_text_number(compiler *co, const char *text) {
  code *out = co->out;
  for (int i = 0; i < out->text_count; i++)
    if (!strcmp(out->text[i], text))
      return (int16_t)i;
  APPEND(co->d->in, out->text, out->text_count, text);
  return (int16_t)(out->text_count - 1);
}

int16_t ops_index_const(compiler *co, int64_t i) {
  pir_node n = pir_node_blank(PIR_I_CONST);
  n.i = i;
  return ops_node(co, n);
}

static int16_t node_of(compiler *co, pir_node_op o, int k, int16_t a, int16_t b, int16_t c) {
  pir_node n = pir_node_blank(o);
  n.k = (int16_t)k;
  n.a = a;
  n.b = b;
  n.c = c;
  return ops_node(co, n);
}

static int16_t node_error(const expr *e, const char *message) {
  ops_error(e->loc, message, e->name ? e->name : "");
  return -1;
}

int ops_dtype_word(const char *name) {
  if (!strcmp(name, "bool"))
    return PIR_BOOL;
  pir_dtype dtype = pir_dtype_from_text(pir_str_from(name));
  return dtype == PIR_DTYPE_NONE ? -1 : (int)dtype;
}

static int count_list(const expr *e) {
  int n = 0;
  for (; e; e = e->next)
    n++;
  return n;
}

// ---- names
static const scope *find_scope(const scope *s, const char *name) {
  for (; s; s = s->up)
    if (!strcmp(s->name, name))
      return s;
  return NULL;
}

static const let *find_let(const compiler *co, const char *name) {
  for (int i = 0; i < co->o->let_count; i++)
    if (!strcmp(co->o->lets[i].name, name))
      return &co->o->lets[i];
  for (int i = 0; i < co->d->let_count; i++)
    if (!strcmp(co->d->lets[i].name, name))
      return &co->d->lets[i];
  return NULL;
}

static int find_variable(const compiler *co, const char *name) {
  for (int i = 0; co->c && i < co->c->var_count; i++)
    if (!strcmp(co->c->vars[i].name, name))
      return i;
  return -1;
}

static bool names_result(const compiler *co, const char *name) {
  return !strcmp(name, "out") || (co->c && !strcmp(name, co->c->result));
}

typedef int16_t (*compile_fn)(compiler *co, const expr *e, const scope *s);

static int16_t expand_let(compiler *co, const let *l, const expr *use, const scope *s,
                          compile_fn compile) {
  const expr *args = use->kind == EXPR_CALL ? use->a : NULL;
  if (count_list(args) != l->param_count)
    return node_error(use, "'%s' is given another number of arguments than it takes");
  if (co->lets == MAX_LETS)
    return node_error(use, "'%s' needs itself");
  scope frames[6];
  const scope *inner = s;
  for (int i = 0; i < l->param_count; i++, args = args->next) {
    frames[i] = (scope){inner, l->params[i], args, s, 0};
    inner = &frames[i];
  }
  co->lets++;
  int16_t n = compile(co, l->body, inner);
  co->lets--;
  return n;
}

// ---- index sort
static const struct {
  const char *name;
  uint8_t op;
} index_binary[] = {
    {"floordiv", PIR_I_FLOORDIV}, {"ceildiv", PIR_I_CEILDIV}, {"mod", PIR_I_MOD},
    {"min", PIR_I_MIN},           {"max", PIR_I_MAX},
};
// Functions of an operand (or the result) and an optional index.
static const struct {
  const char *name;
  int arity;
  int operand, result;
} shape_functions[] = {
    {"dim", 2, PIR_I_DIM, PIR_I_OUT_DIM}, {"rank", 1, PIR_I_RANK, PIR_I_OUT_RANK},
    {"numel", 1, PIR_I_NUMEL, -1},        {"members", 1, PIR_I_MEMBERS, -1},
    {"present", 1, PIR_I_PRESENT, -1},    {"linear", 1, -1, PIR_I_OUT_LINEAR},
    {"element", 2, PIR_I_OPERAND_AT, -1},
};
// Functions of a list: an attribute, an attribute operand or an operand.
static const struct {
  const char *name;
  int attr, operand;
  bool takes_index;
} list_functions[] = {
    {"count", PIR_I_ATTR_COUNT, PIR_I_OPERAND_COUNT, false},
    {"find", PIR_I_ATTR_FIND, PIR_I_OPERAND_FIND, true},
    {"below", PIR_I_ATTR_BELOW, -1, true},
    {"kept", PIR_I_ATTR_KEPT, PIR_I_OPERAND_KEPT, true},
};
static const char *const value_in_index[] = {"int", "floor", "ceil", "trunc", "round", "rint"};

#define LENGTH(array) (sizeof(array) / sizeof *(array))

static int shape_function(const char *name) {
  for (size_t i = 0; i < LENGTH(shape_functions); i++)
    if (!strcmp(shape_functions[i].name, name))
      return (int)i;
  return -1;
}

static int list_function(const char *name) {
  for (size_t i = 0; i < LENGTH(list_functions); i++)
    if (!strcmp(list_functions[i].name, name))
      return (int)i;
  return -1;
}

static bool names_float_list(const compiler *co, const char *attr_name) {
  int k = ops_attr_at(co->o, attr_name);
  uint8_t kind = k < 0 ? PIR_ATTR_NONE : co->o->attrs[k].element_kind;
  return kind == PIR_ATTR_F32 || kind == PIR_ATTR_F64 || kind == PIR_ATTR_SCALAR;
}

// Whether an expression can only be an index expression, and must be wrapped where a value is
// expected.
bool ops_is_index(const compiler *co, const expr *e) {
  switch (e->kind) {
    case EXPR_TEXT: return true;
    case EXPR_CALL:
      return shape_function(e->name) >= 0 || list_function(e->name) >= 0 ||
             !strcmp(e->name, "dtype");
    case EXPR_AT:
      return (e->op == 1 && !names_float_list(co, e->name)) ||
             (names_result(co, e->name) && ops_operand_at(co->o, e->name) < 0);
    case EXPR_BINARY:
      if (e->op < OP_EQ || e->op > OP_GE)
        return ops_is_index(co, e->a) && ops_is_index(co, e->b);
      return ops_is_index(co, e->a) || ops_is_index(co, e->b);
    case EXPR_UNARY: return ops_is_index(co, e->a);
    default: return false;
  }
}

static int16_t index_shape(compiler *co, const expr *e, int f, const scope *s) {
  const expr *x = e->a;
  if (count_list(x) != shape_functions[f].arity || x->kind != EXPR_NAME)
    return node_error(e, "'%s' takes an operand (and an axis)");
  int k = ops_operand_at(co->o, x->name);
  int node_op = -1;
  if (k >= 0)
    node_op = shape_functions[f].operand;
  else if (names_result(co, x->name))
    node_op = shape_functions[f].result;
  if (node_op < 0)
    return node_error(x, "'%s' is no operand that this function takes");
  int16_t a = -1;
  if (x->next && (a = ops_index(co, x->next, s)) < 0)
    return -1;
  return node_of(co, (pir_node_op)node_op, k, a, -1, -1);
}

// `count` takes a list of any elements; the others look for a number in a list, or in the only
// number of an attribute.
static bool fits_list_function(const attr *a, bool looks_for_number) {
  return looks_for_number
             ? ops_holds_axes(a) || ops_class_of(a->kind) == CLASS_ANY
             : ops_class_of(a->kind) == CLASS_LIST || ops_class_of(a->kind) == CLASS_ANY;
}

static int16_t index_list(compiler *co, const expr *e, int f, const scope *s) {
  const expr *list = e->a;
  int n = count_list(list);
  if (n < 1 || (list_functions[f].takes_index ? n < 2 || n > 3 : n != 1))
    return node_error(e, "wrong number of arguments of '%s'");
  if (list->kind != EXPR_ATTR && list->kind != EXPR_NAME)
    return node_error(list, "expected a list attribute");
  int attr_at = list->kind == EXPR_ATTR ? ops_attr_at(co->o, list->name) : -1,
      operand_at = ops_operand_at(co->o, list->name);
  int node_op = -1;
  if (attr_at >= 0)
    node_op = list_functions[f].attr;
  else if (operand_at >= 0)
    node_op = list_functions[f].operand;
  if (node_op < 0)
    return node_error(list, "no list '%s'");
  if (attr_at >= 0 &&
      !fits_list_function(&co->o->attrs[attr_at], list_functions[f].takes_index))
    return node_error(list, "attribute '$%s' is no list of integers");
  int16_t a = -1, b = -1;
  if (n > 1) {
    a = ops_index(co, list->next, s);
    b = n > 2 ? ops_index(co, list->next->next, s) : node_of(co, PIR_I_RANK, 0, -1, -1, -1);
    if (a < 0 || b < 0)
      return -1;
  }
  return node_of(co, (pir_node_op)node_op, attr_at >= 0 ? attr_at : operand_at, a, b, -1);
}

static int16_t index_dtype(compiler *co, const expr *e) {
  const expr *x = e->a;
  if (count_list(x) != 1)
    return node_error(e, "'%s' takes an operand or an attribute");
  if (x->kind == EXPR_ATTR) {
    int k = ops_attr_at(co->o, x->name);
    return k < 0 ? node_error(x, "no attribute '%s'")
                 : node_of(co, PIR_I_ATTR_DTYPE, k, -1, -1, -1);
  }
  int k = x->kind == EXPR_NAME || x->kind == EXPR_VALUE ? ops_operand_at(co->o, x->name) : -1;
  return k < 0 ? node_error(x, "no operand '%s'") : node_of(co, PIR_I_DTYPE, k, -1, -1, -1);
}

static int16_t index_call(compiler *co, const expr *e, const scope *s) {
  const let *l = find_let(co, e->name);
  if (l)
    return expand_let(co, l, e, s, ops_index);
  for (size_t i = 0; i < LENGTH(index_binary); i++) {
    if (strcmp(index_binary[i].name, e->name))
      continue;
    if (count_list(e->a) != 2)
      return node_error(e, "'%s' takes two arguments");
    int16_t a = ops_index(co, e->a, s), b = ops_index(co, e->a->next, s);
    return a < 0 || b < 0 ? -1 : node_of(co, (pir_node_op)index_binary[i].op, -1, a, b, -1);
  }
  if (!strcmp(e->name, "dtype"))
    return index_dtype(co, e);
  int f = shape_function(e->name);
  if (f >= 0)
    return index_shape(co, e, f, s);
  f = list_function(e->name);
  if (f >= 0)
    return index_list(co, e, f, s);
  for (size_t i = 0; i < LENGTH(value_in_index); i++) {
    if (strcmp(value_in_index[i], e->name))
      continue;
    int16_t v = i == 0 && e->a ? ops_value(co, e->a, s) : ops_value(co, e, s);
    return v < 0 ? -1 : node_of(co, PIR_I_VALUE, -1, v, -1, -1);
  }
  return node_error(e, "no index function '%s'");
}

static int16_t index_attr(compiler *co, const expr *e) {
  int k = ops_attr_at(co->o, e->name);
  if (k >= 0 && co->o->attrs[k].kind != PIR_ATTR_DTYPE && !ops_holds_number(&co->o->attrs[k]))
    return node_error(e, "attribute '$%s' is no number");
  if (k >= 0 && ops_is_float_kind(co->o->attrs[k].kind))
    return node_error(e, "attribute '$%s' is no integer: write int(..)");
  if (k >= 0)
    return node_of(co, co->o->attrs[k].kind == PIR_ATTR_DTYPE ? PIR_I_ATTR_DTYPE : PIR_I_ATTR,
                   k, -1, -1, -1);
  k = ops_operand_at(co->o, e->name);
  if (k < 0 || !(co->o->operands[k].flags & PIR_OPERAND_SCALAR))
    return node_error(e, "no attribute or scalar '$%s'");
  return node_of(co, PIR_I_OPERAND_AT, k, ops_index_const(co, 0), -1, -1);
}

static int16_t index_at(compiler *co, const expr *e, const scope *s) {
  if (e->op == 1) {  // $list[i]
    int16_t i = ops_index(co, e->a, s);
    int k = ops_attr_at(co->o, e->name), operand_at = ops_operand_at(co->o, e->name);
    if (i < 0)
      return -1;
    if (k < 0 && operand_at < 0)
      return node_error(e, "no list '$%s'");
    if (k >= 0 && !ops_lists_integers(&co->o->attrs[k]))
      return node_error(e, "attribute '$%s' is no list of integers");
    return node_of(co, k >= 0 ? PIR_I_ATTR_AT : PIR_I_OPERAND_AT, k >= 0 ? k : operand_at, i,
                   -1, -1);
  }
  int k = ops_operand_at(co->o, e->name);
  if (k < 0 && names_result(co, e->name)) {
    if (e->map_kind != PIR_MAP_LIST || e->a->next)
      return node_error(e, "'%s[axis]' is the index along one axis of the result");
    int16_t a = ops_index(co, e->a, s);
    return a < 0 ? -1 : node_of(co, PIR_I_OUT, -1, a, -1, -1);
  }
  if (k < 0)
    return node_error(e, "no operand '%s'");
  pir_node n = pir_node_blank(PIR_I_LOAD);
  n.k = (int16_t)k;
  return ops_fill_map(co, &n, e, s) ? ops_node(co, n) : -1;
}

static int16_t index_name(compiler *co, const expr *e, const scope *s) {
  const scope *found = find_scope(s, e->name);
  if (found && found->value)
    return ops_index(co, found->value, found->value_scope);
  if (found)
    return found->level == co->level ? node_of(co, PIR_I_D, -1, -1, -1, -1)
                                     : node_error(e, "'%s' belongs to an outer map");
  int k = find_variable(co, e->name);
  if (k >= 0)
    return node_of(co, co->c->vars[k].extent ? PIR_I_VAR : PIR_I_PACK, k, -1, -1, -1);
  const let *l = find_let(co, e->name);
  if (l)
    return expand_let(co, l, e, s, ops_index);
  if (!strcmp(e->name, "true") || !strcmp(e->name, "false"))
    return ops_index_const(co, *e->name == 't');
  if (co->states_shape && !strcmp(e->name, "any"))
    return node_of(co, PIR_I_VAR, 0, -1, -1, -1);
  if (!strcmp(e->name, "member"))
    return node_of(co, PIR_I_MEMBER, -1, -1, -1, -1);
  k = ops_dtype_word(e->name);
  if (k >= 0)
    return ops_index_const(co, k);
  return node_error(e, "unknown name '%s' in an index expression");
}

static int16_t index_is(compiler *co, const expr *e) {
  const expr *attr_side = e->a->kind == EXPR_TEXT ? e->b : e->a,
             *text = attr_side == e->a ? e->b : e->a;
  bool element = attr_side->kind == EXPR_AT && attr_side->op && attr_side->a->kind == EXPR_INT;
  int k = attr_side->kind == EXPR_ATTR || element ? ops_attr_at(co->o, attr_side->name) : -1;
  bool is_text = k >= 0 && (element ? co->o->attrs[k].kind == PIR_ATTR_ARRAY &&
                                          attr_side->a->i < INT8_MAX &&
                                          co->o->attrs[k].element_kind == PIR_ATTR_STR
                                    : co->o->attrs[k].kind == PIR_ATTR_STR);
  if (!is_text || text->kind != EXPR_TEXT || (e->op != OP_EQ && e->op != OP_NE))
    return node_error(
        e, "compare a string attribute, or one element of a list of them, with a text");
  pir_node n = pir_node_blank(PIR_I_ATTR_IS);
  n.k = (int16_t)k;
  n.i = ops_text_number(co, text->name);
  if (element)
    n.map_count = (int16_t)(attr_side->a->i + 1);
  int16_t is = ops_node(co, n);
  return e->op == OP_EQ ? is : node_of(co, PIR_I_NOT, -1, is, -1, -1);
}

static bool is_dtype_attr(const compiler *co, const char *name) {
  int k = ops_attr_at(co->o, name);
  return k >= 0 && co->o->attrs[k].kind == PIR_ATTR_DTYPE;
}

static bool is_element_type(const compiler *co, const expr *e) {
  return (e->kind == EXPR_ATTR && is_dtype_attr(co, e->name)) ||
         (e->kind == EXPR_CALL && !strcmp(e->name, "dtype"));
}

static int16_t index_binary_node(compiler *co, const expr *e, const scope *s) {
  static const uint8_t ops[] = {
      [OP_ADD] = PIR_I_ADD,      [OP_SUB] = PIR_I_SUB, [OP_MUL] = PIR_I_MUL,
      [OP_DIV] = PIR_I_FLOORDIV, [OP_MOD] = PIR_I_MOD, [OP_EQ] = PIR_I_EQ,
      [OP_NE] = PIR_I_NE,        [OP_LT] = PIR_I_LT,   [OP_LE] = PIR_I_LE,
      [OP_GT] = PIR_I_LT,        [OP_GE] = PIR_I_LE,   [OP_AND] = PIR_I_AND,
      [OP_OR] = PIR_I_OR};
  if (e->op > OP_OR)
    return node_error(e, "no bit operations on indices");
  if (e->a->kind == EXPR_TEXT || e->b->kind == EXPR_TEXT)
    return index_is(co, e);
  if ((e->a->kind == EXPR_INT && is_element_type(co, e->b)) ||
      (e->b->kind == EXPR_INT && is_element_type(co, e->a)))
    return node_error(e, "compare an element type with an element type");
  int16_t a = ops_index(co, e->a, s), b = ops_index(co, e->b, s);
  if (a < 0 || b < 0)
    return -1;
  bool swap = e->op == OP_GT || e->op == OP_GE;
  return node_of(co, (pir_node_op)ops[e->op], -1, swap ? b : a, swap ? a : b, -1);
}

static int16_t index_of(compiler *co, const expr *e, const scope *s) {
  switch (e->kind) {
    case EXPR_INT: return ops_index_const(co, e->i);
    case EXPR_PACK:
    case EXPR_NAME: return index_name(co, e, s);
    case EXPR_ATTR: return index_attr(co, e);
    case EXPR_CALL: return index_call(co, e, s);
    case EXPR_AT: return index_at(co, e, s);
    case EXPR_BINARY: return index_binary_node(co, e, s);
    case EXPR_UNARY: {
      int16_t a = ops_index(co, e->a, s);
      if (a < 0)
        return -1;
      if (e->op == OP_NOT)
        return node_of(co, PIR_I_NOT, -1, a, -1, -1);
      if (e->op == OP_NEG)
        return node_of(co, PIR_I_SUB, -1, ops_index_const(co, 0), a, -1);
      return node_error(e, "no bit operations on indices");
    }
    case EXPR_COND: {
      int16_t a = ops_index(co, e->a, s), b = ops_index(co, e->b, s),
              c = ops_index(co, e->c, s);
      return a < 0 || b < 0 || c < 0 ? -1 : node_of(co, PIR_I_SELECT, -1, a, b, c);
    }
    default: return node_error(e, "this is no index expression");
  }
}

bool ops_fill_map(compiler *co, pir_node *load, const expr *e, const scope *s) {
  load->map_kind = e->map_kind;
  if (e->map_kind == PIR_MAP_LIST) {
    int16_t entries[PIR_MAX_RANK];
    int n = 0;
    for (const expr *x = e->a; x; x = x->next) {
      if (n == PIR_MAX_RANK) {
        node_error(e, "too many entries");
        return false;
      }
      entries[n] = ops_index(co, x, s);
      if (entries[n++] < 0)
        return false;
    }
    load->map = ops_pool(co, entries, n);
    load->map_count = (int16_t)n;
    return true;
  }
  scope each = {s, e->c ? e->c->name : "", NULL, NULL, co->level + 1};
  if (e->map_kind == PIR_MAP_EACH)
    co->level++;
  load->map = ops_index(co, e->a, e->map_kind == PIR_MAP_EACH ? &each : s);
  if (e->map_kind == PIR_MAP_EACH)
    co->level--;
  return load->map >= 0;
}

// ---- value sort
static const struct {
  const char *name;
  uint8_t arity, op;
} value_functions[] = {
    {"floordiv", 2, PIR_V_FLOORDIV},
    {"floormod", 2, PIR_V_FLOORMOD},
    {"fmod", 2, PIR_V_FMOD},
    {"pow", 2, PIR_V_POW},
    {"atan2", 2, PIR_V_ATAN2},
    {"min", 2, PIR_V_MIN},
    {"max", 2, PIR_V_MAX},
    {"fmin", 2, PIR_V_FMIN},
    {"fmax", 2, PIR_V_FMAX},
    {"abs", 1, PIR_V_ABS},
    {"sign", 1, PIR_V_SIGN},
    {"recip", 1, PIR_V_RECIP},
    {"floor", 1, PIR_V_FLOOR},
    {"ceil", 1, PIR_V_CEIL},
    {"trunc", 1, PIR_V_TRUNC},
    {"round", 1, PIR_V_ROUND},
    {"rint", 1, PIR_V_RINT},
    {"sqrt", 1, PIR_V_SQRT},
    {"rsqrt", 1, PIR_V_RSQRT},
    {"exp", 1, PIR_V_EXP},
    {"exp2", 1, PIR_V_EXP2},
    {"expm1", 1, PIR_V_EXPM1},
    {"log", 1, PIR_V_LOG},
    {"log2", 1, PIR_V_LOG2},
    {"log10", 1, PIR_V_LOG10},
    {"log1p", 1, PIR_V_LOG1P},
    {"sin", 1, PIR_V_SIN},
    {"cos", 1, PIR_V_COS},
    {"tan", 1, PIR_V_TAN},
    {"asin", 1, PIR_V_ASIN},
    {"acos", 1, PIR_V_ACOS},
    {"atan", 1, PIR_V_ATAN},
    {"sinh", 1, PIR_V_SINH},
    {"cosh", 1, PIR_V_COSH},
    {"tanh", 1, PIR_V_TANH},
    {"asinh", 1, PIR_V_ASINH},
    {"acosh", 1, PIR_V_ACOSH},
    {"atanh", 1, PIR_V_ATANH},
    {"erf", 1, PIR_V_ERF},
    {"erfinv", 1, PIR_V_ERFINV},
    {"lgamma", 1, PIR_V_LGAMMA},
    {"digamma", 1, PIR_V_DIGAMMA},
    {"i0", 1, PIR_V_I0},
    {"i0e", 1, PIR_V_I0E},
    {"i1", 1, PIR_V_I1},
    {"i1e", 1, PIR_V_I1E},
    {"copysign", 2, PIR_V_COPYSIGN},
    {"nextafter", 2, PIR_V_NEXTAFTER},
    {"isnan", 1, PIR_V_ISNAN},
    {"isinf", 1, PIR_V_ISINF},
    {"isfinite", 1, PIR_V_ISFINITE},
    {"real", 1, PIR_V_REAL},
    {"imag", 1, PIR_V_IMAG},
    {"conj", 1, PIR_V_CONJ},
    {"angle", 1, PIR_V_ANGLE},
    {"complex", 2, PIR_V_COMPLEX},
};

static int16_t wrap_index(compiler *co, int16_t i) {
  return i < 0 ? -1 : node_of(co, PIR_V_INDEX, -1, i, -1, -1);
}

// cast(out, e), cast($dtype, e), as(x, e), compute(e), f32(e)
static int16_t value_cast(compiler *co, const expr *e, const scope *s, int dtype) {
  const expr *x = e->a;
  int n = count_list(x);
  if (!strcmp(e->name, "cast") && n == 2) {
    if (x->kind == EXPR_NAME && names_result(co, x->name))
      dtype = PIR_CAST_OUT;
    else if (x->kind == EXPR_ATTR && is_dtype_attr(co, x->name))
      dtype = PIR_CAST_ATTR + ops_attr_at(co->o, x->name);
    else
      return node_error(x, "cast takes the result or a dtype attribute");
    x = x->next;
  } else if (!strcmp(e->name, "as") && n == 2) {
    if (x->kind != EXPR_NAME || ops_operand_at(co->o, x->name) < 0)
      return node_error(x, "as takes an operand");
    dtype = PIR_CAST_OPERAND + ops_operand_at(co->o, x->name);
    x = x->next;
  } else if (n != 1) {
    return node_error(e, "wrong number of arguments of '%s'");
  }
  int16_t a = ops_value(co, x, s);
  return a < 0 ? -1 : node_of(co, PIR_V_CAST, dtype, a, -1, -1);
}

static int combine_named(const char *name) {
  static const char *const names[] = {"",    "add", "mul",    "max",    "min",
                                      "and", "or",  "argmax", "argmin", "assign"};
  for (int i = 1; i < (int)LENGTH(names); i++)
    if (!strcmp(names[i], name))
      return i;
  return -1;
}

static int16_t value_members(compiler *co, const expr *e) {
  const expr *x = e->a;
  int combine = count_list(x) == 2 && x->kind == EXPR_NAME ? combine_named(x->name) : -1;
  int k = combine > 0 && x->next->kind == EXPR_NAME ? ops_operand_at(co->o, x->next->name) : -1;
  if (k < 0 || !(co->o->operands[k].flags & PIR_OPERAND_VARIADIC))
    return node_error(e, "expected %s(add, variadic operand)");
  if (combine >= PIR_COMBINE_ARGMAX)
    return node_error(x, "members are not combined by '%s'");
  pir_node n = pir_node_blank(PIR_V_MEMBERS);
  n.k = (int16_t)k;
  n.i = combine;
  return ops_node(co, n);
}

static int16_t value_call(compiler *co, const expr *e, const scope *s) {
  const let *l = find_let(co, e->name);
  if (l)
    return expand_let(co, l, e, s, ops_value);
  if (ops_is_index(co, e))
    return wrap_index(co, ops_index(co, e, s));
  if (!strcmp(e->name, "index"))
    return wrap_index(co, ops_index(co, e->a, s));
  if (!strcmp(e->name, "fold"))
    return value_members(co, e);
  if (!strcmp(e->name, "cast") || !strcmp(e->name, "as"))
    return value_cast(co, e, s, 0);
  if (!strcmp(e->name, "compute"))
    return value_cast(co, e, s, PIR_CAST_COMPUTE);
  int dtype = ops_dtype_word(e->name);
  if (dtype >= 0)
    return value_cast(co, e, s, dtype);
  for (size_t i = 0; i < LENGTH(value_functions); i++) {
    if (strcmp(value_functions[i].name, e->name))
      continue;
    if (count_list(e->a) != value_functions[i].arity)
      return node_error(e, "wrong number of arguments of '%s'");
    int16_t a = ops_value(co, e->a, s),
            b = value_functions[i].arity == 2 ? ops_value(co, e->a->next, s) : -1;
    if (a < 0 || (value_functions[i].arity == 2 && b < 0))
      return -1;
    return node_of(co, (pir_node_op)value_functions[i].op, -1, a, b, -1);
  }
  return node_error(e, "no function '%s'");
}

// Whether a list operand stands for the member that is computed, or for the list itself.
static bool takes_lists(const compiler *co) {
  int k = co->c ? ops_result_at(co->o, co->c->result) : -1;
  return !co->c || co->c->kind == PIR_CLAUSE_JOIN ||
         (k >= 0 && co->o->results[k].flags & PIR_RESULT_VARIADIC);
}

static int16_t value_load(compiler *co, const expr *e, const scope *s) {
  int k = ops_operand_at(co->o, e->name);
  if (k < 0)
    return node_error(e, "no operand '%s'");
  if (co->o->operands[k].flags & PIR_OPERAND_VARIADIC && !takes_lists(co))
    return node_error(e, "'%s' is a list, and the result is not one");
  pir_node n = pir_node_blank(PIR_V_LOAD);
  n.k = (int16_t)k;
  if (e->kind == EXPR_AT) {
    if (!ops_fill_map(co, &n, e, s))
      return -1;
    if (e->b && (n.a = ops_value(co, e->b, s)) < 0)
      return -1;
  } else if (co->o->operands[k].flags & PIR_OPERAND_SCALAR) {
    n = pir_node_blank(PIR_V_SCALAR);
    n.k = (int16_t)k;
  }
  return ops_node(co, n);
}

static int16_t value_name(compiler *co, const expr *e, const scope *s) {
  const scope *found = find_scope(s, e->name);
  if (found && found->value)
    return ops_value(co, found->value, found->value_scope);
  if (found || find_variable(co, e->name) >= 0)
    return wrap_index(co, index_name(co, e, s));
  const let *l = find_let(co, e->name);
  if (l)
    return expand_let(co, l, e, s, ops_value);
  if (!strcmp(e->name, "acc"))
    return node_of(co, PIR_V_ACC, co->body, -1, -1, -1);
  if (!strcmp(e->name, "count"))
    return node_of(co, PIR_V_COUNT, -1, -1, -1, -1);
  pir_node n = pir_node_blank(PIR_V_CONST);
  n.k = PIR_F64;
  if (!strcmp(e->name, "inf")) {
    n.f = __builtin_inf();
    n.i = INT64_MAX;
  } else if (!strcmp(e->name, "nan"))
    n.f = __builtin_nan("");
  else if (!strcmp(e->name, "true")) {
    n.k = PIR_BOOL;
    n.f = 1;
    n.i = 1;
  } else if (!strcmp(e->name, "false"))
    n.k = PIR_BOOL;
  else
    return value_load(co, e, s);
  return ops_node(co, n);
}

static int16_t value_attr(compiler *co, const expr *e) {
  int k = ops_attr_at(co->o, e->name);
  if (k >= 0 && !ops_holds_number(&co->o->attrs[k]))
    return node_error(e, "attribute '$%s' is no number");
  if (k >= 0)
    return node_of(co, PIR_V_ATTR, k, -1, -1, -1);
  k = ops_operand_at(co->o, e->name);
  if (k < 0 || !(co->o->operands[k].flags & PIR_OPERAND_SCALAR))
    return node_error(e, "no attribute or scalar '$%s'");
  return node_of(co, PIR_V_SCALAR, k, -1, -1, -1);
}

static int16_t value_binary(compiler *co, const expr *e, const scope *s) {
  static const uint8_t ops[] = {
      [OP_ADD] = PIR_V_ADD,     [OP_SUB] = PIR_V_SUB,      [OP_MUL] = PIR_V_MUL,
      [OP_DIV] = PIR_V_DIV,     [OP_MOD] = PIR_V_FLOORMOD, [OP_EQ] = PIR_V_EQ,
      [OP_NE] = PIR_V_NE,       [OP_LT] = PIR_V_LT,        [OP_LE] = PIR_V_LE,
      [OP_GT] = PIR_V_LT,       [OP_GE] = PIR_V_LE,        [OP_AND] = PIR_V_AND,
      [OP_OR] = PIR_V_OR,       [OP_BIT_AND] = PIR_V_AND,  [OP_BIT_OR] = PIR_V_OR,
      [OP_BIT_XOR] = PIR_V_XOR, [OP_SHL] = PIR_V_SHL,      [OP_SHR] = PIR_V_SHR};
  if (ops_is_index(co, e))
    return wrap_index(co, ops_index(co, e, s));
  int16_t a = ops_value(co, e->a, s), b = ops_value(co, e->b, s);
  if (a < 0 || b < 0)
    return -1;
  bool swap = e->op == OP_GT || e->op == OP_GE;
  return node_of(co, (pir_node_op)ops[e->op], -1, swap ? b : a, swap ? a : b, -1);
}

static int16_t value_of(compiler *co, const expr *e, const scope *s) {
  switch (e->kind) {
    case EXPR_INT:
    case EXPR_FLOAT: {
      pir_node n = pir_node_blank(PIR_V_CONST);
      n.f = e->f;
      n.i = ops_int_of(e);
      n.k = e->kind == EXPR_INT ? PIR_I64 : PIR_F64;
      return ops_node(co, n);
    }
    case EXPR_NAME: return value_name(co, e, s);
    case EXPR_ATTR: return value_attr(co, e);
    case EXPR_CALL: return value_call(co, e, s);
    case EXPR_AT:
      if (e->op == 1 && names_float_list(co, e->name))
        return node_of(co, PIR_V_ATTR_AT, ops_attr_at(co->o, e->name), ops_index(co, e->a, s),
                       -1, -1);
      if (ops_is_index(co, e))
        return wrap_index(co, ops_index(co, e, s));
      return value_load(co, e, s);
    case EXPR_BINARY: return value_binary(co, e, s);
    case EXPR_UNARY: {
      int16_t a = ops_value(co, e->a, s);
      pir_node_op kind = e->op == OP_NEG ? PIR_V_NEG : PIR_V_NOT;
      return a < 0 ? -1 : node_of(co, kind, -1, a, -1, -1);
    }
    case EXPR_COND: {
      int16_t a = ops_value(co, e->a, s), b = ops_value(co, e->b, s),
              c = ops_value(co, e->c, s);
      return a < 0 || b < 0 || c < 0 ? -1 : node_of(co, PIR_V_SELECT, -1, a, b, c);
    }
    default: return node_error(e, "this is no value");
  }
}

// ---- bounds
// Lets are expanded at their use: a few lines could stand for a tree without end.
static int16_t bounded(compiler *co, const expr *e, const scope *s, compile_fn compile) {
  if (!e)
    return -1;
  if (co->depth == OPS_MOST_NESTED)
    return node_error(e, "this expression, with the 'let's that it uses, is nested too deeply");
  if (co->d->in->work++ == OPS_MOST_WORK)
    return node_error(e, "the 'let's that this expression uses stand for too much");
  if (co->d->in->work > OPS_MOST_WORK)
    return -1;  // reported
  co->depth++;
  int16_t n = compile(co, e, s);
  co->depth--;
  return n;
}

int16_t ops_index(compiler *co, const expr *e, const scope *s) {
  return bounded(co, e, s, index_of);
}

int16_t ops_value(compiler *co, const expr *e, const scope *s) {
  return bounded(co, e, s, value_of);
}
