// Index nodes as numbers, and the walk over index trees.
#include <pir/compiler/index_nodes.h>

#include <string.h>

// ---- arithmetic

int64_t pir_index_apply(int op, int64_t a, int64_t b) {
  switch (op) {
    case PIR_I_ADD: return pir_index_add(a, b);
    case PIR_I_SUB: return pir_index_sub(a, b);
    case PIR_I_MUL: return pir_index_mul(a, b);
    case PIR_I_FLOORDIV: return pir_index_floordiv(a, b);
    case PIR_I_CEILDIV: return pir_index_sub(0, pir_index_floordiv(pir_index_sub(0, a), b));
    case PIR_I_MOD: return pir_index_sub(a, pir_index_mul(pir_index_floordiv(a, b), b));
    case PIR_I_MIN: return a < b ? a : b;
    case PIR_I_MAX: return a > b ? a : b;
    case PIR_I_EQ: return a == b;
    case PIR_I_NE: return a != b;
    case PIR_I_LT: return a < b;
    case PIR_I_LE: return a <= b;
    case PIR_I_AND: return a && b;
    case PIR_I_OR: return a || b;
    default: return 0;
  }
}

// Computes what pir_index_apply computes, but fails on overflow and on a quotient by 0.
static bool apply_checked(int op, int64_t a, int64_t b, int64_t *out) {
  switch (op) {
    case PIR_I_ADD: return !__builtin_add_overflow(a, b, out);
    case PIR_I_SUB: return !__builtin_sub_overflow(a, b, out);
    case PIR_I_MUL: return !__builtin_mul_overflow(a, b, out);
    case PIR_I_FLOORDIV:
    case PIR_I_CEILDIV:
    case PIR_I_MOD: *out = pir_index_apply(op, a, b); return b && !(a == INT64_MIN && b == -1);
    default: *out = pir_index_apply(op, a, b); return true;
  }
}

// ---- lists

// A float attribute in a list of integers counts if it is whole.
static bool is_whole(double f, int64_t *out) {
  if (!(f > -0x1p62 && f < 0x1p62))
    return false;
  *out = (int64_t)f;
  return (double)*out == f;
}

static bool attr_element(const void *user, int64_t i, int64_t *out) {
  const pir_attr_value *attr = user;
  if (attr->kind == PIR_VALUE_FLOATS)
    return is_whole(attr->floats[i], out);
  if (attr->kind == PIR_VALUE_INTS) {
    *out = attr->ints[i];
    return true;
  }
  *out = attr->i;
  if (attr->kind == PIR_VALUE_FLOAT)
    return is_whole(attr->f, out);
  return attr->kind == PIR_VALUE_INT || attr->kind == PIR_VALUE_DTYPE;
}

pir_index_list pir_index_attr_list(const pir_attr_value *attr) {
  pir_index_list list = {.count = 1, .element = attr_element, .user = attr};
  if (attr->kind == PIR_VALUE_NONE)
    list.count = 0;
  if (attr->kind == PIR_VALUE_INTS || attr->kind == PIR_VALUE_FLOATS ||
      attr->kind == PIR_VALUE_TEXTS)
    list.count = (int64_t)attr->count;
  return list;
}

bool pir_index_attr_at(const pir_attr_value *attr, int64_t i, int64_t *out) {
  pir_index_list list = pir_index_attr_list(attr);
  *out = 0;
  return i >= 0 && i < list.count && list.element(list.user, i, out);
}

static bool entry_at(const pir_index_list *list, int64_t i, int64_t rank, int64_t *out) {
  if (!list->element(list->user, i, out))
    return false;
  if (*out < 0)
    *out = pir_index_add(*out, rank);
  return true;
}

// Returns how many numbers of [0, last] occur in the list.
static bool count_named(const pir_index_list *list, int64_t rank, int64_t last, int64_t *out) {
  *out = 0;
  for (int64_t i = 0; i < list->count; i++) {
    int64_t entry, other = -1;
    if (!entry_at(list, i, rank, &entry))
      return false;
    bool again = false;
    for (int64_t j = 0; j < i && !again; j++)
      again = entry_at(list, j, rank, &other) && other == entry;
    *out += !again && entry >= 0 && entry <= last;
  }
  return true;
}

static bool find_kept(const pir_index_list *list, int64_t a, int64_t rank, int64_t *out) {
  int64_t named = 0;
  *out = -1;
  if (a < 0)
    return true;
  do {
    *out = pir_index_add(a, named);
    if (!count_named(list, rank, *out, &named))
      return false;
  } while (*out != pir_index_add(a, named));
  return true;
}

static bool search(int op, const pir_index_list *list, int64_t a, int64_t rank, int64_t *out) {
  int64_t below = 0, entry;
  for (int64_t i = 0; i < list->count; i++) {
    if (!entry_at(list, i, rank, &entry))
      return false;
    below += entry < a;
    *out = i;
    if (op != PIR_I_ATTR_BELOW && entry == a)
      return true;
  }
  *out = op == PIR_I_ATTR_BELOW ? below : -1;
  return true;
}

bool pir_index_ask(int op, const pir_index_list *list, int64_t a, int64_t rank, int64_t *out) {
  switch (op) {
    case PIR_I_ATTR_COUNT:
    case PIR_I_OPERAND_COUNT: *out = list->count; return true;
    case PIR_I_ATTR_AT:
    case PIR_I_OPERAND_AT:
      return a >= 0 && a < list->count && list->element(list->user, a, out);
    case PIR_I_ATTR_KEPT:
    case PIR_I_OPERAND_KEPT: return find_kept(list, a, rank, out);
    default: return search(op, list, a, rank, out);
  }
}

// ---- walks

static void put(pir_index_reader *r, int64_t number, void *out) {
  if (r->put)
    r->put(r, number, out);
  else
    memcpy(out, &number, sizeof number);
}

static bool get(pir_index_reader *r, const void *value, int64_t *out) {
  if (r->get)
    return r->get(r, value, out);
  memcpy(out, value, sizeof *out);
  return true;
}

bool pir_index_number(pir_index_reader *r, int node, int64_t *out) {
  _Alignas(16) char value[PIR_INDEX_VALUE];
  return pir_index_read(r, node, value) && get(r, value, out);
}

static bool read_attr_node(pir_index_reader *r, const pir_node *n, int64_t *out) {
  if (!r->attrs)
    return false;
  const pir_attr_value *attr = &r->attrs[n->k];
  int64_t a = 0, rank = 0;
  switch (n->op) {
    case PIR_I_ATTR_IS: *out = pir_node_attr_is(n, r->attrs, r->text); return true;
    case PIR_I_ATTR_DTYPE: *out = pir_attr_value_dtype(attr); return true;
    case PIR_I_ATTR: return attr_element(attr, 0, out);
    default: break;
  }
  if ((n->a >= 0 && !pir_index_number(r, n->a, &a)) ||
      (n->b >= 0 && !pir_index_number(r, n->b, &rank)))
    return false;
  pir_index_list list = pir_index_attr_list(attr);
  return pir_index_ask(n->op, &list, a, rank, out);
}

static bool read_logic(pir_index_reader *r, const pir_node *n, int64_t *out) {
  bool is_or = n->op == PIR_I_OR;
  int64_t a = 0, b = 0;
  bool knows_a = pir_index_number(r, n->a, &a);
  *out = is_or;
  if (knows_a && (a != 0) == is_or)
    return true;
  bool knows_b = pir_index_number(r, n->b, &b);
  if (knows_b && (b != 0) == is_or)
    return true;
  *out = !is_or;
  return knows_a && knows_b;
}

static bool read_binary(pir_index_reader *r, const pir_node *n, void *out) {
  _Alignas(16) char a[PIR_INDEX_VALUE], b[PIR_INDEX_VALUE];
  int64_t x, y, number;
  // The right side is read first: readers that name expressions number them in this order.
  if (!pir_index_read(r, n->b, b) || !pir_index_read(r, n->a, a))
    return false;
  if (!get(r, a, &x) || !get(r, b, &y))
    return r->combine && r->combine(r, n->op, a, b, out);
  if (!apply_checked(n->op, x, y, &number))
    return false;
  put(r, number, out);
  return true;
}

static bool read_shared(pir_index_reader *r, const pir_node *n, void *out) {
  int64_t number = n->i;
  bool known = true;
  switch (n->op) {
    case PIR_I_CONST: break;
    case PIR_I_ATTR:
    case PIR_I_ATTR_AT:
    case PIR_I_ATTR_COUNT:
    case PIR_I_ATTR_FIND:
    case PIR_I_ATTR_BELOW:
    case PIR_I_ATTR_KEPT:
    case PIR_I_ATTR_IS:
    case PIR_I_ATTR_DTYPE: known = read_attr_node(r, n, &number); break;
    case PIR_I_NOT:
      known = pir_index_number(r, n->a, &number);
      number = !number;
      break;
    case PIR_I_SELECT:
      return pir_index_number(r, n->a, &number) && pir_index_read(r, number ? n->b : n->c, out);
    case PIR_I_AND:
    case PIR_I_OR: known = read_logic(r, n, &number); break;
    default: return pir_index_is_binary(n->op) && read_binary(r, n, out);
  }
  if (known)
    put(r, number, out);
  return known;
}

bool pir_index_read(pir_index_reader *r, int node, void *out) {
  if (node < 0 || r->depth == PIR_INDEX_DEPTH)
    return false;
  r->depth++;
  pir_index_step step = r->own ? r->own(r, node, out) : PIR_INDEX_SHARED;
  bool done = step == PIR_INDEX_DONE ||
              (step == PIR_INDEX_SHARED && read_shared(r, &r->nodes[node], out));
  r->depth--;
  return done;
}
