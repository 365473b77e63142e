// Reads dimension expressions: parts, bounds, values, text; and unifies them. A unification
// binds one symbol (or a whole expression, if no symbol in it can be isolated) to an equal
// expression. Canonical forms are rebuilt on demand and cached until the next unification.
// Recursion is bounded by the size limit on expressions.

#include <pir/compiler/dims.h>

#include <dims_impl.h>
#include <strbuf.h>

bool pir_dim_is_const(const pir_dims *dims, pir_dim dim, int64_t *out_value) {
  if (dim_is_plain(dim)) {
    *out_value = dim;
    return true;
  }
  if (dim == PIR_DIM_UNKNOWN || dim_node_of(dims, dim)->kind != PIR_DIM_NEGATIVE)
    return false;
  *out_value = dim_node_of(dims, dim)->value;
  return true;
}

pir_dim_kind pir_dim_kind_of(const pir_dims *dims, pir_dim dim) {
  return dim_is_plain(dim) ? PIR_DIM_CONST : dim_node_of(dims, dim)->kind;
}

size_t pir_dim_operands(const pir_dims *dims, pir_dim dim) {
  return dim_is_plain(dim) || dim == PIR_DIM_UNKNOWN ? 0 : dim_node_of(dims, dim)->count;
}

pir_dim pir_dim_operand(const pir_dims *dims, pir_dim dim, size_t i) {
  return dim_node_of(dims, dim)->operands[i];
}
size_t pir_dim_symbol_index(const pir_dims *dims, pir_dim dim) {
  return (size_t)dim_node_of(dims, dim)->value;
}

// ---- bounds. INT64_MIN: none known

static int64_t sum_bound(const pir_dims *dims, const dim_node *node) {
  int64_t sum = 0;
  for (uint32_t i = 0; i < node->count; i++) {
    int64_t bound = pir_dim_lower_bound(dims, node->operands[i]);
    if (bound == INT64_MIN || __builtin_add_overflow(sum, bound, &sum))
      return INT64_MIN;
  }
  return sum;
}

// A product of factors that are not negative is at least the product of their bounds.
static int64_t product_bound(const pir_dims *dims, const dim_node *node) {
  int64_t product = 1;
  for (uint32_t i = 0; i < node->count; i++) {
    int64_t bound = pir_dim_lower_bound(dims, node->operands[i]);
    if (bound < 0)
      return INT64_MIN;
    if (__builtin_mul_overflow(product, bound, &product))
      return INT64_MAX;
  }
  return product;
}

static int64_t quotient_bound(const pir_dims *dims, const dim_node *node) {
  int64_t low = pir_dim_lower_bound(dims, node->operands[0]), by;
  bool constant = pir_dim_is_const(dims, node->operands[1], &by) && by > 0;
  if (constant && low >= 0)
    return low / by;
  return low >= 0 && pir_dim_lower_bound(dims, node->operands[1]) > 0 ? 0 : INT64_MIN;
}

int64_t pir_dim_lower_bound(const pir_dims *dims, pir_dim dim) {
  if (dim_is_plain(dim))
    return dim;
  if (dim == PIR_DIM_UNKNOWN)
    return INT64_MIN;
  const dim_node *node = dim_node_of(dims, dim);
  int64_t a, b;
  switch ((pir_dim_kind)node->kind) {
    case PIR_DIM_NEGATIVE: return node->value;
    case PIR_DIM_SYMBOL: return node->min;
    case PIR_DIM_ADD: return sum_bound(dims, node);
    case PIR_DIM_MUL: return product_bound(dims, node);
    case PIR_DIM_FLOORDIV:
    case PIR_DIM_CEILDIV: return quotient_bound(dims, node);
    case PIR_DIM_MOD: return pir_dim_lower_bound(dims, node->operands[1]) > 0 ? 0 : INT64_MIN;
    default:
      a = pir_dim_lower_bound(dims, node->operands[0]);
      b = pir_dim_lower_bound(dims, node->operands[1]);
      return (node->kind == PIR_DIM_MAX) == (a > b) ? a : b;
  }
}

// ---- canonical forms and unification

typedef pir_dim (*combine_fn)(pir_dims *dims, pir_dim a, pir_dim b);

static combine_fn combine_of(pir_dim_kind kind) {
  switch (kind) {
    case PIR_DIM_ADD: return pir_dim_add;
    case PIR_DIM_MUL: return pir_dim_mul;
    case PIR_DIM_FLOORDIV: return pir_dim_floordiv;
    case PIR_DIM_CEILDIV: return pir_dim_ceildiv;
    case PIR_DIM_MOD: return pir_dim_mod;
    case PIR_DIM_MIN: return pir_dim_min;
    case PIR_DIM_MAX: return pir_dim_max;
    default: return pir_dim_broadcast;
  }
}

static pir_dim rebuild(pir_dims *dims, pir_dim dim) {
  size_t count = dim_node_of(dims, dim)->count;
  if (!count)
    return dim;
  pir_dim result = pir_dim_canonical(dims, dim_node_of(dims, dim)->operands[0]);
  bool changed = result != dim_node_of(dims, dim)->operands[0];
  combine_fn combine = combine_of(dim_node_of(dims, dim)->kind);
  for (size_t i = 1; i < count; i++) {
    pir_dim operand = dim_node_of(dims, dim)->operands[i],
            next = pir_dim_canonical(dims, operand);
    changed |= next != operand;
    result = combine(dims, result, next);
  }
  return changed ? result : dim;
}

pir_dim pir_dim_canonical(const pir_dims *dims, pir_dim dim) {
  if (dim_is_plain(dim) || dim == PIR_DIM_UNKNOWN)
    return dim;
  dim_node *node = dim_node_of(dims, dim);
  if (node->generation == dims->generation)
    return node->canonical;
  // A cache in a const table: answers do not depend on earlier queries.
  pir_dims *table = (pir_dims *)dims;
  node->canonical = dim;  // ends the search should constraints lead back here
  node->generation = dims->generation;
  pir_dim result =
      node->bound != dim ? pir_dim_canonical(dims, node->bound) : rebuild(table, dim);
  if (result != dim && result != PIR_DIM_UNKNOWN && node->bound == dim)
    result = pir_dim_canonical(dims, result);
  return node->canonical = result;
}

static bool contains(const pir_dims *dims, pir_dim whole, pir_dim part) {
  if (whole == part)
    return true;
  for (size_t i = 0; i < pir_dim_operands(dims, whole); i++)
    if (contains(dims, pir_dim_operand(dims, whole, i), part))
      return true;
  return false;
}

// Finds an atom of `sum` (a symbol first) that occurs once, alone and with factor 1 or -1; sets
// the expression it equals if sum = 0.
static bool solve(pir_dims *dims, pir_dim sum, bool symbols, pir_dim *out_symbol,
                  pir_dim *out_value) {
  bool is_sum = pir_dim_kind_of(dims, sum) == PIR_DIM_ADD;
  size_t n = is_sum ? pir_dim_operands(dims, sum) : 1;
  for (size_t i = n; i-- > 0;) {
    pir_dim term = is_sum ? pir_dim_operand(dims, sum, i) : sum, symbol = term;
    int64_t factor = 1;
    if (pir_dim_kind_of(dims, term) == PIR_DIM_MUL && pir_dim_operands(dims, term) == 2 &&
        pir_dim_is_const(dims, pir_dim_operand(dims, term, 0), &factor))
      symbol = pir_dim_operand(dims, term, 1);
    pir_dim_kind kind = pir_dim_kind_of(dims, symbol);
    bool wanted = symbols ? kind == PIR_DIM_SYMBOL
                          : kind >= PIR_DIM_FLOORDIV && kind <= PIR_DIM_BROADCAST;
    if (!wanted || (factor != 1 && factor != -1))
      continue;
    pir_dim rest = pir_dim_sub(dims, sum, term);
    if (rest == PIR_DIM_UNKNOWN || contains(dims, rest, symbol))
      continue;
    *out_symbol = symbol;
    *out_value = factor == 1 ? pir_dim_sub(dims, 0, rest) : rest;
    return *out_value != PIR_DIM_UNKNOWN;
  }
  return false;
}

static void bind(pir_dims *dims, pir_dim from, pir_dim to) {
  dim_node *node = dim_node_of(dims, from);
  if (node->kind == PIR_DIM_SYMBOL && !dim_is_plain(to) &&
      dim_node_of(dims, to)->kind == PIR_DIM_SYMBOL && dim_node_of(dims, to)->min < node->min)
    dim_node_of(dims, to)->min = node->min;
  node->bound = to;
  dims->generation++;
}

// Returns `sum` divided by the common factor of its terms: sum = 0 is equivalent without it.
static pir_dim without_factor(pir_dims *dims, pir_dim sum) {
  bool is_sum = pir_dim_kind_of(dims, sum) == PIR_DIM_ADD;
  uint64_t common = 0;
  for (size_t i = 0, n = is_sum ? pir_dim_operands(dims, sum) : 1; i < n; i++) {
    pir_dim term = is_sum ? pir_dim_operand(dims, sum, i) : sum;
    int64_t factor = 1;
    bool plain = pir_dim_is_const(dims, term, &factor);
    if (!plain && pir_dim_kind_of(dims, term) == PIR_DIM_MUL)
      (void)pir_dim_is_const(dims, pir_dim_operand(dims, term, 0), &factor);
    for (uint64_t next = factor < 0 ? 0 - (uint64_t)factor : (uint64_t)factor, rest; next;
         next = rest) {
      rest = common % next;
      common = next;
    }
  }
  return common > 1 && common <= INT64_MAX ? pir_dim_floordiv(dims, sum, (pir_dim)common) : sum;
}

bool pir_dim_equal(const pir_dims *dims, pir_dim a, pir_dim b) {
  a = pir_dim_canonical(dims, a);
  return a != PIR_DIM_UNKNOWN && a == pir_dim_canonical(dims, b);
}

bool pir_dims_equal(const pir_dims *dims, const pir_dim *a, int rank_a, const pir_dim *b,
                    int rank_b) {
  if (rank_a < 0 || rank_a != rank_b)
    return false;
  for (int d = 0; d < rank_a; d++)
    if (!pir_dim_equal(dims, a[d], b[d]))
      return false;
  return true;
}

void pir_dims_unify(pir_dims *dims, pir_dim a, pir_dim b) {
  a = pir_dim_canonical(dims, a);
  b = pir_dim_canonical(dims, b);
  if (a == b || a == PIR_DIM_UNKNOWN || b == PIR_DIM_UNKNOWN)
    return;
  pir_dim difference = pir_dim_sub(dims, a, b), symbol, value;
  int64_t constant;
  // Different constants: the program will fail at run time with a message of its own.
  if (difference == PIR_DIM_UNKNOWN || pir_dim_is_const(dims, difference, &constant))
    return;
  difference = without_factor(dims, difference);
  if (difference == PIR_DIM_UNKNOWN)
    return;
  if (solve(dims, difference, true, &symbol, &value) ||
      solve(dims, difference, false, &symbol, &value)) {
    bind(dims, symbol, value);
    return;
  }
  // The younger expression replaces the other from now on, unless it is part of it.
  pir_dim from = a < b ? a : b, to = a < b ? b : a;
  if (!contains(dims, to, from))
    bind(dims, from, to);
}

// ---- values

static bool combine_values(pir_dim_kind kind, int64_t a, int64_t b, int64_t *out) {
  bool divides = kind == PIR_DIM_FLOORDIV || kind == PIR_DIM_CEILDIV || kind == PIR_DIM_MOD;
  if (divides && (b == 0 || (a == INT64_MIN && b == -1)))
    return false;
  int64_t down = divides ? a / b - (a % b != 0 && (a < 0) != (b < 0)) : 0;
  switch (kind) {
    case PIR_DIM_ADD: return !__builtin_add_overflow(a, b, out);
    case PIR_DIM_MUL: return !__builtin_mul_overflow(a, b, out);
    case PIR_DIM_FLOORDIV: *out = down; return true;
    case PIR_DIM_CEILDIV: *out = down + (a % b != 0); return true;
    case PIR_DIM_MOD: *out = a - down * b; return true;
    case PIR_DIM_MIN: *out = a < b ? a : b; return true;
    case PIR_DIM_MAX: *out = a > b ? a : b; return true;
    default: *out = b == 1 ? a : b; return true;
  }
}

bool pir_dim_evaluate(const pir_dims *dims, pir_dim dim, const int64_t *symbols,
                      int64_t *out_value) {
  if (pir_dim_is_const(dims, dim, out_value))
    return true;
  if (dim == PIR_DIM_UNKNOWN)
    return false;
  const dim_node *node = dim_node_of(dims, dim);
  if (node->bound != dim)
    return pir_dim_evaluate(dims, node->bound, symbols, out_value);
  if (node->kind == PIR_DIM_SYMBOL) {
    *out_value = symbols[node->value];
    return true;
  }
  int64_t result, next;
  if (!pir_dim_evaluate(dims, node->operands[0], symbols, &result))
    return false;
  for (uint32_t i = 1; i < node->count; i++)
    if (!pir_dim_evaluate(dims, node->operands[i], symbols, &next) ||
        !combine_values(node->kind, result, next, &result))
      return false;
  *out_value = result;
  return true;
}

// ---- text

// Where a dim is written, and how symbols are called there.
typedef struct dim_printer {
  pir_strbuf *out;
  const pir_dims *dims;
  const pir_str *names;  // by symbol; NULL: S0, S1, ..
} dim_printer;

static void print_dim(const dim_printer *p, pir_dim dim, bool inner);

static void print_list(const dim_printer *p, pir_dim dim, const char *between) {
  for (size_t i = 0; i < pir_dim_operands(p->dims, dim); i++) {
    if (i)
      pir_strbuf_format(p->out, "%s", between);
    print_dim(p, pir_dim_operand(p->dims, dim, i), true);
  }
}

static void print_call(const dim_printer *p, pir_dim dim, const char *name) {
  pir_strbuf_format(p->out, "%s(", name);
  for (size_t i = 0; i < 2; i++) {
    if (i)
      pir_strbuf_lit(p->out, ", ");
    print_dim(p, pir_dim_operand(p->dims, dim, i), false);
  }
  pir_strbuf_char(p->out, ')');
}

static void print_sum(const dim_printer *p, pir_dim dim, bool inner) {
  if (inner)
    pir_strbuf_char(p->out, '(');
  print_list(p, dim, " + ");
  if (inner)
    pir_strbuf_char(p->out, ')');
}

static void print_symbol(const dim_printer *p, size_t symbol) {
  if (p->names)
    pir_strbuf_str(p->out, p->names[symbol]);
  else
    pir_strbuf_format(p->out, "S%zu", symbol);
}

static void print_dim(const dim_printer *p, pir_dim dim, bool inner) {
  int64_t value;
  if (dim == PIR_DIM_UNKNOWN)
    pir_strbuf_char(p->out, '?');
  else if (pir_dim_is_const(p->dims, dim, &value))
    pir_strbuf_int(p->out, value);
  else
    switch (pir_dim_kind_of(p->dims, dim)) {
      case PIR_DIM_SYMBOL: print_symbol(p, pir_dim_symbol_index(p->dims, dim)); break;
      case PIR_DIM_ADD: print_sum(p, dim, inner); break;
      case PIR_DIM_MUL: print_list(p, dim, "*"); break;
      case PIR_DIM_FLOORDIV: print_call(p, dim, "floordiv"); break;
      case PIR_DIM_CEILDIV: print_call(p, dim, "ceildiv"); break;
      case PIR_DIM_MOD: print_call(p, dim, "mod"); break;
      case PIR_DIM_MIN: print_call(p, dim, "min"); break;
      case PIR_DIM_MAX: print_call(p, dim, "max"); break;
      default: print_call(p, dim, "broadcast"); break;
    }
}

pir_status pir_dim_print_named(const pir_dims *dims, pir_dim dim, const pir_str *names,
                               pir_writer out) {
  char room[256];
  pir_strbuf buf;
  pir_strbuf_init_writer(&buf, out, room, sizeof room);
  dim_printer p = {&buf, dims, names};
  print_dim(&p, dim, false);
  return pir_strbuf_flush(&buf) ? PIR_OK : PIR_IO;
}

pir_status pir_dim_print(const pir_dims *dims, pir_dim dim, pir_writer out) {
  return pir_dim_print_named(dims, dim, NULL, out);
}
