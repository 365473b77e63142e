// Symbolic dimensions in canonical form: a sum of terms, where a term is a coefficient times a
// product of atoms. Sums are added and multiplied out on the stack as polynomials, then
// interned node by node, so equal forms are equal handles. Two rules make the shape arithmetic
// of convolution stacks canonical too. Division by a constant splits off the divisible terms
// (floor((bq + r) / b) = q + floor(r / b)). Nested quotients are merged (floor((floor(x / a) +
// c) / b) = floor((x + ac) / ab)). An expression that exceeds a fixed size, or overflows, is
// PIR_DIM_UNKNOWN.

#include <pir/compiler/dims.h>

#include <dims_impl.h>
#include <hash.h>

#include <string.h>

enum { MAX_TERMS = 48, MAX_FACTORS = 24, MAX_WEIGHT = 2048 };

static pir_dims *create(const pir_heap *own) {
  pir_dims *dims = own->source.alloc(own->source.user, sizeof *dims, _Alignof(max_align_t));
  if (!dims)
    return NULL;
  *dims = (pir_dims){.own = *own};
  pir_arena_init(&dims->arena, &dims->own);
  return dims;
}

pir_dims *pir_dims_create(const pir_allocator *allocator) {
  return pir_dims_create_hooked(allocator, NULL, NULL);
}

pir_dims *pir_dims_create_hooked(const pir_allocator *allocator,
                                 void (*out_of_memory)(void *user), void *user) {
  pir_heap own;
  pir_heap_init(&own, allocator);
  own.out_of_memory = out_of_memory;
  own.out_of_memory_user = user;
  return create(&own);
}

pir_dims *pir_dims_create_in(pir_heap *heap) {
  pir_dims *dims = pir_heap_take_zeroed(heap, sizeof *dims);
  pir_arena_init(&dims->arena, heap);
  return dims;
}

void pir_dims_destroy(pir_dims *dims) {
  if (!dims)
    return;
  pir_heap *heap = dims->arena.heap;
  pir_arena_destroy(&dims->arena);
  if (heap != &dims->own) {
    pir_heap_give(heap, dims);
    return;
  }
  pir_heap_release(heap);
  if (heap->source.release)
    heap->source.release(heap->source.user, dims, sizeof *dims);
}

// ---- interning

typedef struct node_key {
  const pir_dims *dims;
  pir_dim_kind kind;
  int64_t value;
  const pir_dim *operands;
  uint32_t count;
} node_key;

static bool same_node(const void *item, const void *key) {
  const dim_node *node = item;
  const node_key *want = key;
  return node->kind == want->kind && node->value == want->value && node->count == want->count &&
         (want->count == 0 ||
          memcmp(node->operands, want->operands, want->count * sizeof(pir_dim)) == 0);
}

static uint32_t weight_of(const pir_dims *dims, pir_dim dim) {
  return dim_is_plain(dim) ? 1 : dim_node_of(dims, dim)->weight;
}

static pir_dim intern(pir_dims *dims, pir_dim_kind kind, int64_t value, const pir_dim *operands,
                      uint32_t count) {
  node_key key = {dims, kind, value, operands, count};
  uint64_t hash = pir_hash_join(pir_hash_join(kind, (uint64_t)value), count);
  uint64_t weight = 1;
  for (uint32_t i = 0; i < count; i++) {
    hash = pir_hash_join(hash, (uint64_t)operands[i]);
    weight += weight_of(dims, operands[i]);
  }
  dim_node *node = pir_set_find(&dims->set, hash, same_node, &key);
  if (node)
    return node->operands[count];
  if (weight > MAX_WEIGHT)
    return PIR_DIM_UNKNOWN;
  // The handle is stored after the operands, where a hit finds it.
  node = pir_arena_zalloc(&dims->arena, sizeof *node + (count + 1) * sizeof(pir_dim));
  node->kind = (uint8_t)kind;
  node->count = count;
  node->weight = (uint32_t)weight;
  node->value = value;
  if (count)
    memcpy(node->operands, operands, count * sizeof(pir_dim));
  pir_dim handle = dim_handle(dims->nodes.count);
  node->operands[count] = node->bound = node->canonical = handle;
  pir_vec_push(&dims->arena, &dims->nodes, node);
  pir_set_add(&dims->arena, &dims->set, hash, node);
  return handle;
}

pir_dim pir_dim_const(pir_dims *dims, int64_t value) {
  if (value >= 0)
    return value;
  return value == PIR_DIM_UNKNOWN ? PIR_DIM_UNKNOWN
                                  : intern(dims, PIR_DIM_NEGATIVE, value, NULL, 0);
}

pir_dim pir_dim_symbol(pir_dims *dims, int64_t min) {
  pir_dim symbol = intern(dims, PIR_DIM_SYMBOL, (int64_t)dims->symbols++, NULL, 0);
  dim_node_of(dims, symbol)->min = min;
  return symbol;
}

size_t pir_dims_symbols(const pir_dims *dims) {
  return dims->symbols;
}

// ---- polynomials on the stack

// `product` is 1, an atom, or a PIR_DIM_MUL node without constant.
typedef struct term {
  int64_t factor;
  pir_dim product;
} term;

typedef struct poly {
  bool failed;  // too long, overflowed, or an operand was unknown
  size_t count;
  term terms[MAX_TERMS];
} poly;

static void add_term(poly *p, int64_t factor, pir_dim product) {
  if (product == PIR_DIM_UNKNOWN)
    p->failed = true;
  for (size_t i = 0; i < p->count; i++) {
    if (p->terms[i].product != product)
      continue;
    if (__builtin_add_overflow(p->terms[i].factor, factor, &p->terms[i].factor))
      p->failed = true;
    return;
  }
  if (p->count == MAX_TERMS)
    p->failed = true;
  else
    p->terms[p->count++] = (term){factor, product};
}

static term read_term(pir_dims *dims, pir_dim dim) {
  int64_t value;
  if (pir_dim_is_const(dims, dim, &value))
    return (term){value, 1};
  const dim_node *node = dim_node_of(dims, dim);
  if (node->kind != PIR_DIM_MUL || !pir_dim_is_const(dims, node->operands[0], &value))
    return (term){1, dim};
  if (node->count == 2)
    return (term){value, node->operands[1]};
  return (term){value, intern(dims, PIR_DIM_MUL, 0, node->operands + 1, node->count - 1)};
}

static void add_scaled(pir_dims *dims, poly *p, pir_dim dim, int64_t scale) {
  if (dim == PIR_DIM_UNKNOWN) {
    p->failed = true;
    return;
  }
  bool sum = !dim_is_plain(dim) && dim_node_of(dims, dim)->kind == PIR_DIM_ADD;
  size_t n = sum ? dim_node_of(dims, dim)->count : 1;
  for (size_t i = 0; i < n; i++) {
    term t = read_term(dims, sum ? dim_node_of(dims, dim)->operands[i] : dim);
    int64_t factor;
    if (__builtin_mul_overflow(t.factor, scale, &factor))
      p->failed = true;
    else
      add_term(p, factor, t.product);
  }
}

static poly poly_of(pir_dims *dims, pir_dim dim) {
  poly p = {.count = 0};
  add_scaled(dims, &p, dim, 1);
  return p;
}

static pir_dim term_dim(pir_dims *dims, term t) {
  if (t.product == 1)
    return pir_dim_const(dims, t.factor);
  if (t.factor == 1)
    return t.product;
  pir_dim factors[MAX_FACTORS + 1] = {pir_dim_const(dims, t.factor), t.product};
  const dim_node *node = dim_node_of(dims, t.product);
  if (node->kind != PIR_DIM_MUL)
    return intern(dims, PIR_DIM_MUL, 0, factors, 2);
  memcpy(factors + 1, node->operands, node->count * sizeof(pir_dim));
  return intern(dims, PIR_DIM_MUL, 0, factors, node->count + 1);
}

// Term order: by descending handle, with 1 counted as positive. So older expressions come first
// and the constant last.
static bool comes_before(term a, term b) {
  if ((a.product == 1) != (b.product == 1))
    return b.product == 1;
  return a.product > b.product;
}

static pir_dim sum_dim(pir_dims *dims, poly *p) {
  if (p->failed)
    return PIR_DIM_UNKNOWN;
  term sorted[MAX_TERMS];
  size_t n = 0;
  for (size_t i = 0; i < p->count; i++) {
    if (!p->terms[i].factor)
      continue;
    size_t at = n++;
    for (; at && comes_before(p->terms[i], sorted[at - 1]); at--)
      sorted[at] = sorted[at - 1];
    sorted[at] = p->terms[i];
  }
  if (n == 0)
    return 0;
  pir_dim operands[MAX_TERMS];
  for (size_t i = 0; i < n; i++)
    if ((operands[i] = term_dim(dims, sorted[i])) == PIR_DIM_UNKNOWN)
      return PIR_DIM_UNKNOWN;
  return n == 1 ? operands[0] : intern(dims, PIR_DIM_ADD, 0, operands, (uint32_t)n);
}

static size_t read_factors(const pir_dims *dims, pir_dim product, pir_dim *out) {
  if (product == 1)
    return 0;
  const dim_node *node = dim_node_of(dims, product);
  if (node->kind != PIR_DIM_MUL) {
    *out = product;
    return 1;
  }
  memcpy(out, node->operands, node->count * sizeof(pir_dim));
  return node->count;
}

// The product of sorted factors.
static pir_dim product_of(pir_dims *dims, const pir_dim *factors, size_t n) {
  if (n == 0)
    return 1;
  return n == 1 ? factors[0] : intern(dims, PIR_DIM_MUL, 0, factors, (uint32_t)n);
}

static pir_dim product_dim(pir_dims *dims, pir_dim a, pir_dim b) {
  pir_dim factors[2 * MAX_FACTORS];
  size_t n = read_factors(dims, a, factors);
  n += read_factors(dims, b, factors + n);
  if (n > MAX_FACTORS)
    return PIR_DIM_UNKNOWN;
  for (size_t i = 1; i < n; i++)
    for (size_t j = i; j && factors[j] > factors[j - 1]; j--) {
      pir_dim swapped = factors[j];
      factors[j] = factors[j - 1];
      factors[j - 1] = swapped;
    }
  return product_of(dims, factors, n);
}

// ---- arithmetic

static bool both_const(const pir_dims *dims, pir_dim a, pir_dim b, int64_t *x, int64_t *y) {
  return pir_dim_is_const(dims, a, x) && pir_dim_is_const(dims, b, y);
}

static pir_dim add_scaled_pair(pir_dims *dims, pir_dim a, pir_dim b, int64_t scale) {
  poly p = {.count = 0};
  add_scaled(dims, &p, a, 1);
  add_scaled(dims, &p, b, scale);
  return sum_dim(dims, &p);
}

pir_dim pir_dim_add(pir_dims *dims, pir_dim a, pir_dim b) {
  return add_scaled_pair(dims, a, b, 1);
}
pir_dim pir_dim_sub(pir_dims *dims, pir_dim a, pir_dim b) {
  return add_scaled_pair(dims, a, b, -1);
}

pir_dim pir_dim_mul(pir_dims *dims, pir_dim a, pir_dim b) {
  poly x = poly_of(dims, a), y = poly_of(dims, b), product = {.failed = x.failed || y.failed};
  for (size_t i = 0; i < x.count && !product.failed; i++)
    for (size_t j = 0; j < y.count && !product.failed; j++) {
      int64_t factor;
      if (__builtin_mul_overflow(x.terms[i].factor, y.terms[j].factor, &factor))
        product.failed = true;
      else
        add_term(&product, factor, product_dim(dims, x.terms[i].product, y.terms[j].product));
    }
  return sum_dim(dims, &product);
}

static int64_t floor_div(int64_t a, int64_t b) {
  return a / b - (a % b != 0 && (a < 0) != (b < 0));
}
static int64_t floor_mod(int64_t a, int64_t b) {
  return a - floor_div(a, b) * b;
}

// Removes the factors of `by` from `product`; PIR_DIM_UNKNOWN when they are not all there.
static pir_dim divide_product(pir_dims *dims, pir_dim product, pir_dim by) {
  pir_dim have[MAX_FACTORS], want[MAX_FACTORS];
  size_t n = read_factors(dims, product, have), m = read_factors(dims, by, want), left = 0;
  for (size_t i = 0, j = 0; i < n || j < m; i++) {
    if (i == n)
      return PIR_DIM_UNKNOWN;
    if (j < m && have[i] == want[j])
      j++;
    else
      have[left++] = have[i];
  }
  return product_of(dims, have, left);
}

// Returns a / b if b is positive and divides every term; else PIR_DIM_UNKNOWN.
static pir_dim exact_quotient(pir_dims *dims, pir_dim a, pir_dim b) {
  poly x = poly_of(dims, a), y = poly_of(dims, b), quotient = {.failed = x.failed || y.failed};
  if (a == b && pir_dim_lower_bound(dims, b) > 0)
    return 1;
  if (quotient.failed || y.count != 1 || y.terms[0].factor <= 0)
    return PIR_DIM_UNKNOWN;
  if (y.terms[0].product != 1 && pir_dim_lower_bound(dims, b) <= 0)
    return PIR_DIM_UNKNOWN;
  for (size_t i = 0; i < x.count; i++) {
    if (x.terms[i].factor % y.terms[0].factor)
      return PIR_DIM_UNKNOWN;
    pir_dim product = divide_product(dims, x.terms[i].product, y.terms[0].product);
    if (product == PIR_DIM_UNKNOWN)
      return PIR_DIM_UNKNOWN;
    add_term(&quotient, x.terms[i].factor / y.terms[0].factor, product);
  }
  return sum_dim(dims, &quotient);
}

// Divides by a positive constant: splits off the divisible terms.
static void split_by_const(pir_dims *dims, pir_dim a, int64_t b, poly *quotient, poly *rest) {
  poly x = poly_of(dims, a);
  quotient->count = rest->count = 0;
  quotient->failed = rest->failed = x.failed;
  for (size_t i = 0; i < x.count; i++) {
    add_term(quotient, floor_div(x.terms[i].factor, b), x.terms[i].product);
    add_term(rest, floor_mod(x.terms[i].factor, b), x.terms[i].product);
  }
}

// Whether `dim` is floor(x / a) + c with constants a > 0 and c.
static bool read_quotient(pir_dims *dims, pir_dim dim, pir_dim *x, int64_t *a, int64_t *c) {
  poly p = poly_of(dims, dim);
  *c = 0;
  pir_dim quotient = PIR_DIM_UNKNOWN;
  for (size_t i = 0; i < p.count; i++) {
    if (p.terms[i].product == 1)
      *c = p.terms[i].factor;
    else if (p.terms[i].factor == 1 && quotient == PIR_DIM_UNKNOWN)
      quotient = p.terms[i].product;
    else if (p.terms[i].factor)
      return false;
  }
  if (p.failed || quotient == PIR_DIM_UNKNOWN ||
      dim_node_of(dims, quotient)->kind != PIR_DIM_FLOORDIV)
    return false;
  *x = dim_node_of(dims, quotient)->operands[0];
  return pir_dim_is_const(dims, dim_node_of(dims, quotient)->operands[1], a) && *a > 0;
}

static pir_dim divide_by_const(pir_dims *dims, pir_dim a, int64_t b) {
  poly quotient, rest;
  split_by_const(dims, a, b, &quotient, &rest);
  pir_dim q = sum_dim(dims, &quotient), r = sum_dim(dims, &rest), x;
  if (q == PIR_DIM_UNKNOWN || r == PIR_DIM_UNKNOWN)
    return PIR_DIM_UNKNOWN;
  if (dim_is_plain(r))
    return q;  // 0 <= r < b
  int64_t inner, c, divisor, shift;
  if (read_quotient(dims, r, &x, &inner, &c) && !__builtin_mul_overflow(inner, b, &divisor) &&
      !__builtin_mul_overflow(inner, c, &shift)) {
    pir_dim merged =
        divide_by_const(dims, pir_dim_add(dims, x, pir_dim_const(dims, shift)), divisor);
    return pir_dim_add(dims, q, merged);
  }
  pir_dim operands[2] = {r, b};
  return pir_dim_add(dims, q, intern(dims, PIR_DIM_FLOORDIV, 0, operands, 2));
}

static pir_dim intern_pair(pir_dims *dims, pir_dim_kind kind, pir_dim a, pir_dim b) {
  return intern(dims, kind, 0, (pir_dim[2]){a, b}, 2);
}

// Orders the operands of commutative kinds.
static pir_dim intern_sorted(pir_dims *dims, pir_dim_kind kind, pir_dim a, pir_dim b) {
  return a > b ? intern_pair(dims, kind, a, b) : intern_pair(dims, kind, b, a);
}

static bool is_unknown(pir_dim a, pir_dim b) {
  return a == PIR_DIM_UNKNOWN || b == PIR_DIM_UNKNOWN;
}

pir_dim pir_dim_floordiv(pir_dims *dims, pir_dim a, pir_dim b) {
  int64_t x, y;
  if (is_unknown(a, b) || b == 0)
    return PIR_DIM_UNKNOWN;
  if (both_const(dims, a, b, &x, &y))
    return x == INT64_MIN ? PIR_DIM_UNKNOWN : pir_dim_const(dims, floor_div(x, y));
  if (pir_dim_is_const(dims, b, &y) && y > 0)
    return divide_by_const(dims, a, y);
  pir_dim quotient = exact_quotient(dims, a, b);
  return quotient != PIR_DIM_UNKNOWN ? quotient : intern_pair(dims, PIR_DIM_FLOORDIV, a, b);
}

pir_dim pir_dim_ceildiv(pir_dims *dims, pir_dim a, pir_dim b) {
  int64_t y;
  if (is_unknown(a, b) || b == 0)
    return PIR_DIM_UNKNOWN;
  if (pir_dim_is_const(dims, b, &y) && y > 0)
    return pir_dim_floordiv(dims, pir_dim_add(dims, a, pir_dim_const(dims, y - 1)), b);
  pir_dim quotient = exact_quotient(dims, a, b);
  return quotient != PIR_DIM_UNKNOWN ? quotient : intern_pair(dims, PIR_DIM_CEILDIV, a, b);
}

pir_dim pir_dim_mod(pir_dims *dims, pir_dim a, pir_dim b) {
  int64_t x, y;
  if (is_unknown(a, b) || b == 0)
    return PIR_DIM_UNKNOWN;
  if (both_const(dims, a, b, &x, &y))
    return pir_dim_const(dims, floor_mod(x, y));
  if (pir_dim_is_const(dims, b, &y) && y > 0) {
    poly quotient, rest;
    split_by_const(dims, a, y, &quotient, &rest);
    pir_dim r = sum_dim(dims, &rest);
    return r == PIR_DIM_UNKNOWN || dim_is_plain(r) ? r : intern_pair(dims, PIR_DIM_MOD, r, b);
  }
  return exact_quotient(dims, a, b) != PIR_DIM_UNKNOWN ? 0
                                                       : intern_pair(dims, PIR_DIM_MOD, a, b);
}

// Returns -1, 0 or 1 if the order of a and b is the same for all symbols, else 2.
static int known_order(pir_dims *dims, pir_dim a, pir_dim b) {
  pir_dim up = pir_dim_sub(dims, a, b);
  int64_t difference;
  if (up == PIR_DIM_UNKNOWN)
    return 2;
  if (pir_dim_is_const(dims, up, &difference))
    return (difference > 0) - (difference < 0);
  if (pir_dim_lower_bound(dims, up) >= 0)
    return 1;
  pir_dim down = pir_dim_sub(dims, b, a);
  return down != PIR_DIM_UNKNOWN && pir_dim_lower_bound(dims, down) >= 0 ? -1 : 2;
}

// Whether `whole` is a node of the kind with two operands, and `part` is one of them.
static bool is_part(const pir_dims *dims, pir_dim whole, pir_dim_kind kind, pir_dim part) {
  if (dim_is_plain(whole) || dim_node_of(dims, whole)->kind != kind)
    return false;
  const dim_node *node = dim_node_of(dims, whole);
  return node->operands[0] == part || node->operands[1] == part;
}

pir_dim pir_dim_min(pir_dims *dims, pir_dim a, pir_dim b) {
  if (is_unknown(a, b))
    return PIR_DIM_UNKNOWN;
  if (is_part(dims, b, PIR_DIM_MAX, a))
    return a;
  if (is_part(dims, a, PIR_DIM_MAX, b))
    return b;
  int order = known_order(dims, a, b);
  if (order == 2)
    return intern_sorted(dims, PIR_DIM_MIN, a, b);
  return order > 0 ? b : a;
}

pir_dim pir_dim_max(pir_dims *dims, pir_dim a, pir_dim b) {
  if (is_unknown(a, b))
    return PIR_DIM_UNKNOWN;
  if (is_part(dims, b, PIR_DIM_MIN, a))
    return a;
  if (is_part(dims, a, PIR_DIM_MIN, b))
    return b;
  int order = known_order(dims, a, b);
  if (order == 2)
    return intern_sorted(dims, PIR_DIM_MAX, a, b);
  return order > 0 ? a : b;
}

// Whether the dim is certainly not 1 and therefore decides a broadcast.
static bool is_not_one(const pir_dims *dims, pir_dim dim) {
  int64_t value;
  return pir_dim_is_const(dims, dim, &value) ? value != 1 : pir_dim_lower_bound(dims, dim) > 1;
}

pir_dim pir_dim_broadcast(pir_dims *dims, pir_dim a, pir_dim b) {
  if (is_unknown(a, b))
    return PIR_DIM_UNKNOWN;
  if (a == b || b == 1 || is_part(dims, a, PIR_DIM_BROADCAST, b))
    return a;
  if (a == 1 || is_part(dims, b, PIR_DIM_BROADCAST, a))
    return b;
  int64_t value;
  if (pir_dim_is_const(dims, a, &value) || is_not_one(dims, a))
    return a;
  if (is_not_one(dims, b))
    return b;
  return intern_sorted(dims, PIR_DIM_BROADCAST, a, b);
}
