// Simplifies index arithmetic. A scalar sum of indices is kept as a form: a flat sum of
// (constant * atom). A quotient or remainder splits its form into terms that the divisor
// divides and a rest; the rest is dropped if bounds show it to be below the divisor. Bounds
// come from the extents of loop variables. So an index that is divided along the same loops
// that composed it (a reshape between fused ops) simplifies to the loop variables. Each rule
// costs O(terms). Forms with more than MAX_TERMS terms are left alone.
#include <stdlib.h>
#include <string.h>

#include "loop_impl.h"

#define MAX_TERMS 16
#define UNBOUNDED INT64_MAX

typedef struct term {
  loop_expr *atom;
  int64_t k;
} term;

typedef struct form {
  int64_t constant;
  int count;
  term terms[MAX_TERMS];
} form;

typedef struct bounds {
  int64_t low, high;  // UNBOUNDED and -UNBOUNDED: not known
} bounds;

static bool is_index(const loop_expr *e) {
  return e->dtype == LOOP_INDEX && e->lanes == 1;
}

bool pir_loop_is_int(const loop_expr *e, int64_t *out_value) {
  if (e->kind != LOOP_CONST || e->lanes != 1 || pir_dtype_is_float(e->dtype))
    return false;
  *out_value = e->constant.i;
  return true;
}

// Whether two nodes of one kind and type are the same, apart from their operands.
static bool same_node(const loop_expr *a, const loop_expr *b) {
  switch ((loop_kind)a->kind) {
    case LOOP_CONST:  // floats by their bits: 0 is not -0, and a NaN equals itself
      return memcmp(&a->constant, &b->constant, sizeof a->constant) == 0;
    case LOOP_VAR: return a->var == b->var;
    case LOOP_DIM:
      return a->dim.number == b->dim.number && a->dim.is_signed == b->dim.is_signed;
    case LOOP_OP: return a->op == b->op;
    case LOOP_DOT: return a->dot == b->dot;
    case LOOP_CAST: return a->flushes == b->flushes;
    case LOOP_LOAD:
    case LOOP_GATHER: return a->buffer == b->buffer;
    case LOOP_FOLD: return a->combine == b->combine;
    case LOOP_TEAM:
      return a->combine == b->combine && a->group == b->group && a->prefix == b->prefix;
    case LOOP_ZIP: return a->upper == b->upper;
    default: return true;  // the operands of the others state everything
  }
}

bool pir_loop_equal(const loop_expr *a, const loop_expr *b) {
  if (a == b)
    return true;
  if (!a || !b || a->kind != b->kind || a->dtype != b->dtype || a->lanes != b->lanes ||
      !same_node(a, b))
    return false;
  return pir_loop_equal(a->a, b->a) && pir_loop_equal(a->b, b->b) &&
         pir_loop_equal(a->c, b->c) && pir_loop_equal(a->mask, b->mask);
}

static loop_expr *build(loop_module *m, pir_node_op fn, loop_expr *a, loop_expr *b) {
  loop_expr *e = pir_loop_node(m, LOOP_OP, LOOP_INDEX, 1);
  e->op = fn;
  e->a = a;
  e->b = b;
  e->given = pir_loop_may_wrap(e);
  return e;
}

// ---- forms

static bool is_operation(const loop_expr *e, pir_node_op fn) {
  return e->kind == LOOP_OP && e->op == fn;
}

static bool add_term(form *f, loop_expr *atom, int64_t k) {
  for (int i = 0; i < f->count; i++) {
    if (!pir_loop_equal(f->terms[i].atom, atom))
      continue;
    if (__builtin_add_overflow(f->terms[i].k, k, &f->terms[i].k))
      return false;
    if (f->terms[i].k == 0) {
      memmove(&f->terms[i], &f->terms[i + 1], (size_t)(f->count - i - 1) * sizeof f->terms[0]);
      f->count--;
    }
    return true;
  }
  if (f->count == MAX_TERMS)
    return false;
  f->terms[f->count++] = (term){atom, k};
  return true;
}

static bool add_expr(form *f, loop_expr *e, int64_t k) {
  int64_t c, product;
  if (pir_loop_is_int(e, &c))
    return !__builtin_mul_overflow(c, k, &product) &&
           !__builtin_add_overflow(f->constant, product, &f->constant);
  if (is_operation(e, PIR_V_ADD))
    return add_expr(f, e->a, k) && add_expr(f, e->b, k);
  if (is_operation(e, PIR_V_SUB))
    return k != INT64_MIN && add_expr(f, e->a, k) && add_expr(f, e->b, -k);
  if (is_operation(e, PIR_V_MUL) && pir_loop_is_int(e->b, &c))
    return !__builtin_mul_overflow(c, k, &product) && add_expr(f, e->a, product);
  return k == 0 || add_term(f, e, k);
}

static loop_expr *from_form(loop_module *m, const form *f) {
  loop_expr *sum = NULL;
  for (int i = 0; i < f->count; i++) {
    loop_expr *t = f->terms[i].atom;
    if (f->terms[i].k != 1)
      t = build(m, PIR_V_MUL, t, pir_loop_int(m, f->terms[i].k));
    sum = sum ? build(m, PIR_V_ADD, sum, t) : t;
  }
  if (!sum)
    return pir_loop_int(m, f->constant);
  return f->constant ? build(m, PIR_V_ADD, sum, pir_loop_int(m, f->constant)) : sum;
}

// ---- bounds

static int64_t saturate(__int128 x) {
  if (x >= UNBOUNDED)
    return UNBOUNDED;
  return x <= -(__int128)UNBOUNDED ? -UNBOUNDED : (int64_t)x;
}

static bool bounded(int64_t x) {
  return x != UNBOUNDED && x != -UNBOUNDED;
}

static bounds add_bounds(bounds a, bounds b) {
  return (bounds){
      bounded(a.low) && bounded(b.low) ? saturate((__int128)a.low + b.low) : -UNBOUNDED,
      bounded(a.high) && bounded(b.high) ? saturate((__int128)a.high + b.high) : UNBOUNDED};
}

static bounds scale_bounds(bounds a, int64_t k) {
  int64_t low = k >= 0 ? -UNBOUNDED : UNBOUNDED, high = -low;
  if (bounded(a.low))
    low = saturate((__int128)a.low * k);
  if (bounded(a.high))
    high = saturate((__int128)a.high * k);
  return k >= 0 ? (bounds){low, high} : (bounds){high, low};
}

static bounds bounds_of(const loop_expr *e);

// Interval arithmetic. It saturates, because extents may have no upper bound.
static bounds bounds_of_op(const loop_expr *e) {
  int64_t k;
  bounds a = bounds_of(e->a), b = e->b ? bounds_of(e->b) : a;
  switch (e->op) {
    case PIR_V_ADD: return add_bounds(a, b);
    case PIR_V_SUB: return add_bounds(a, scale_bounds(b, -1));
    case PIR_V_MUL:
      if (pir_loop_is_int(e->b, &k))
        return scale_bounds(a, k);
      if (a.low >= 0 && b.low >= 0)
        return (bounds){saturate((__int128)a.low * b.low),
                        bounded(a.high) && bounded(b.high) ? saturate((__int128)a.high * b.high)
                                                           : UNBOUNDED};
      break;
    case PIR_V_FLOORDIV:
      if (b.low >= 0 && a.low >= 0)
        return (bounds){0, bounded(a.high) && b.low ? a.high / b.low : a.high};
      break;
    case PIR_V_FLOORMOD:
      if (b.low > 0)
        return (bounds){0, bounded(b.high) ? b.high - 1 : UNBOUNDED};
      if (b.low == 0 && a.low >= 0)
        return (bounds){0, a.high};
      break;
    case PIR_V_MIN:
      return (bounds){a.low < b.low ? a.low : b.low, a.high < b.high ? a.high : b.high};
    case PIR_V_MAX:
      return (bounds){a.low > b.low ? a.low : b.low, a.high > b.high ? a.high : b.high};
    default: break;
  }
  return (bounds){-UNBOUNDED, UNBOUNDED};
}

static bounds bounds_of(const loop_expr *e) {
  int64_t c;
  if (pir_loop_is_int(e, &c))
    return (bounds){c, c};
  if (e->kind == LOOP_DIM)
    return (bounds){e->dim.is_signed ? -UNBOUNDED : 0, UNBOUNDED};
  if (e->kind == LOOP_VAR && e->var->extent) {
    bounds x = bounds_of(e->var->extent);
    return (bounds){0, bounded(x.high) ? x.high - 1 : UNBOUNDED};
  }
  if (e->kind == LOOP_OP && is_index(e))
    return bounds_of_op(e);
  return (bounds){-UNBOUNDED, UNBOUNDED};
}

static bounds bounds_of_form(const form *f) {
  bounds sum = {f->constant, f->constant};
  for (int i = 0; i < f->count; i++)
    sum = add_bounds(sum, scale_bounds(bounds_of(f->terms[i].atom), f->terms[i].k));
  return sum;
}

// ---- quotients

// Returns e without one factor equal to `factor`; NULL if its product has none.
static loop_expr *without_factor(loop_module *m, loop_expr *e, const loop_expr *factor) {
  if (pir_loop_equal(e, factor))
    return pir_loop_int(m, 1);
  if (!is_operation(e, PIR_V_MUL))
    return NULL;
  loop_expr *rest = without_factor(m, e->a, factor);
  if (rest)
    return pir_loop_mul(m, rest, e->b);
  rest = without_factor(m, e->b, factor);
  return rest ? pir_loop_mul(m, e->a, rest) : NULL;
}

// Whether 0 <= f < divisor for all values of the loop variables.
static bool below(const form *f, const loop_expr *divisor) {
  int64_t c;
  bounds b = bounds_of_form(f);
  if (b.low < 0)
    return false;
  if (pir_loop_is_int(divisor, &c))
    return b.high < c;
  if (b.low == 0 && b.high == 0)
    return true;  // a divisor of 0 is an extent whose loop does not run
  return f->count == 1 && f->constant == 0 && f->terms[0].k == 1 &&
         f->terms[0].atom->kind == LOOP_VAR &&
         pir_loop_equal(f->terms[0].atom->var->extent, divisor);
}

// Splits f = divisor * quotient + rest.
static bool split_form(loop_module *m, const form *f, const loop_expr *divisor, form *quotient,
                       form *rest) {
  int64_t c;
  bool constant = pir_loop_is_int(divisor, &c);
  *quotient = *rest = (form){0};
  rest->constant = f->constant;
  if (constant) {
    quotient->constant = f->constant / c - (f->constant % c < 0);
    rest->constant -= quotient->constant * c;
  }
  for (int i = 0; i < f->count; i++) {
    term t = f->terms[i];
    loop_expr *reduced = constant ? NULL : without_factor(m, t.atom, divisor);
    bool ok;
    if (constant && t.k % c == 0)
      ok = add_term(quotient, t.atom, t.k / c);
    else
      ok = reduced ? add_expr(quotient, reduced, t.k) : add_term(rest, t.atom, t.k);
    if (!ok)
      return false;
  }
  return true;
}

// floor(a / b). A divisor that is a product is divided by one factor at a time, because each
// factor may cancel against the terms of a.
static loop_expr *divide(loop_module *m, loop_expr *a, loop_expr *b) {
  int64_t c = 0, inner;
  bool constant = pir_loop_is_int(b, &c);
  if (constant && c == 1)
    return a;
  if (constant && c <= 0)
    return NULL;
  if (is_operation(b, PIR_V_MUL)) {  // floor(a / (p * q)) = floor(floor(a / q) / p)
    loop_expr *first = pir_loop_floordiv(m, a, b->b);
    if (!is_operation(first, PIR_V_FLOORDIV))
      return pir_loop_floordiv(m, first, b->a);
  }
  form f = {0}, quotient, rest;
  if (!add_expr(&f, a, 1) || !split_form(m, &f, b, &quotient, &rest))
    return NULL;
  if (below(&rest, b))
    return from_form(m, &quotient);
  // floor(floor(x / inner) / c) = floor(x / (inner * c)).
  if (constant && rest.count == 1 && rest.constant == 0 && rest.terms[0].k == 1 &&
      quotient.count == 0 && is_operation(rest.terms[0].atom, PIR_V_FLOORDIV) &&
      pir_loop_is_int(rest.terms[0].atom->b, &inner) &&
      !__builtin_mul_overflow(inner, c, &inner))
    return pir_loop_floordiv(m, rest.terms[0].atom->a, pir_loop_int(m, inner));
  if (quotient.count == 0 && quotient.constant == 0)
    return NULL;
  form sum = quotient;
  return add_term(&sum, build(m, PIR_V_FLOORDIV, from_form(m, &rest), b), 1)
             ? from_form(m, &sum)
             : NULL;
}

// a mod b. For a divisor that is a product this is a - floor(a / b) * b, but only if the
// quotient simplifies: otherwise the remainder would cost two divisions.
static loop_expr *remainder_of(loop_module *m, loop_expr *a, loop_expr *b) {
  int64_t c = 0;
  form f = {0}, quotient, rest;
  bool constant = pir_loop_is_int(b, &c);
  if (constant && c == 1)
    return pir_loop_int(m, 0);
  if ((constant && c <= 0) || !add_expr(&f, a, 1))
    return NULL;
  if (is_operation(b, PIR_V_MUL)) {
    loop_expr *q = divide(m, a, b);
    return q && !is_operation(q, PIR_V_FLOORDIV) ? pir_loop_sub(m, a, pir_loop_mul(m, q, b))
                                                 : NULL;
  }
  if (!split_form(m, &f, b, &quotient, &rest))
    return NULL;
  if (below(&rest, b))
    return from_form(m, &rest);
  return quotient.count ? build(m, PIR_V_FLOORMOD, from_form(m, &rest), b) : NULL;
}

// k * c * floor(x / c) + k * (x mod c) = k * x: recombines an index that was split.
static loop_expr *recombine(loop_module *m, form f) {
  int64_t c, k;
  for (int i = 0; i < f.count; i++) {
    const loop_expr *mod = f.terms[i].atom;
    if (!is_operation(mod, PIR_V_FLOORMOD))
      continue;
    bool constant = pir_loop_is_int(mod->b, &c);
    loop_expr *q = pir_loop_floordiv(m, mod->a, mod->b),
              *whole = constant ? q : pir_loop_mul(m, q, mod->b);
    if (__builtin_mul_overflow(f.terms[i].k, constant ? c : 1, &k))
      continue;
    for (int j = 0; j < f.count; j++) {
      if (j == i || f.terms[j].k != k || !pir_loop_equal(f.terms[j].atom, whole))
        continue;
      form rest = {.constant = f.constant};
      bool ok = add_expr(&rest, mod->a, f.terms[i].k);
      for (int t = 0; t < f.count && ok; t++)
        if (t != i && t != j)
          ok = add_expr(&rest, f.terms[t].atom, f.terms[t].k);
      if (ok)
        return recombine(m, rest);
    }
  }
  return from_form(m, &f);
}

// ---- the rules

static loop_expr *multiply(loop_module *m, loop_expr *a, loop_expr *b) {
  int64_t k;
  form f = {0};
  if (pir_loop_is_int(a, &k)) {
    loop_expr *t = a;
    a = b;
    b = t;
  }
  if (pir_loop_is_int(b, &k))
    return add_expr(&f, a, k) ? from_form(m, &f) : NULL;
  // Constant factors go outermost: (x * k) * y = (x * y) * k.
  if (is_operation(a, PIR_V_MUL) && pir_loop_is_int(a->b, &k))
    return pir_loop_mul(m, pir_loop_mul(m, a->a, b), a->b);
  if (is_operation(b, PIR_V_MUL) && pir_loop_is_int(b->b, &k))
    return pir_loop_mul(m, pir_loop_mul(m, a, b->a), b->b);
  return NULL;
}

static loop_expr *extremum(loop_module *m, bool least, loop_expr *a, loop_expr *b) {
  bounds x = bounds_of(a), y = bounds_of(b);
  if (pir_loop_equal(a, b))
    return a;
  if (x.high <= y.low && bounded(x.high) && bounded(y.low))
    return least ? a : b;
  if (y.high <= x.low && bounded(y.high) && bounded(x.low))
    return least ? b : a;
  return NULL;
}

static bool compare_with_zero(pir_node_op fn, int64_t x) {
  switch (fn) {
    case PIR_V_EQ: return x == 0;
    case PIR_V_NE: return x != 0;
    case PIR_V_LT: return x < 0;
    default: return x <= 0;
  }
}

// Compares numbers between d.low and d.high with 0. -1: some give true and some give false.
static int compare_bounds(pir_node_op fn, bounds d) {
  bool below = fn == PIR_V_LT ? d.high < 0 : d.high <= 0;
  bool not_below = fn == PIR_V_LT ? d.low >= 0 : d.low > 0;
  if (fn == PIR_V_LT || fn == PIR_V_LE) {
    if (below)
      return 1;
    return not_below ? 0 : -1;
  }
  return d.low > 0 || d.high < 0 ? fn == PIR_V_NE : -1;
}

// Folds a comparison if the bounds of a - b decide it, or if b is the extent of the loop
// variable a. Returns NULL if neither does.
static loop_expr *compare_indices(loop_module *m, pir_node_op fn, loop_expr *a, loop_expr *b) {
  form f = {0};
  if (!add_expr(&f, a, 1) || !add_expr(&f, b, -1))
    return NULL;
  bounds d = bounds_of_form(&f);
  int known = f.count ? compare_bounds(fn, d) : compare_with_zero(fn, d.low);
  // Bounds are numbers. This rule also covers an extent that is known only at run time.
  if (known < 0 && fn == PIR_V_LT && a->kind == LOOP_VAR && pir_loop_equal(a->var->extent, b))
    known = 1;
  return known < 0 ? NULL : pir_loop_const_int(m, PIR_BOOL, known);
}

static loop_expr *logic(loop_module *m, pir_node_op fn, loop_expr *a, loop_expr *b) {
  int64_t x = 0, y = 0;
  bool know_a = pir_loop_is_int(a, &x), know_b = b && pir_loop_is_int(b, &y);
  if (a->dtype != PIR_BOOL)
    return NULL;
  if (fn == PIR_V_NOT)
    return know_a ? pir_loop_const_int(m, PIR_BOOL, !x) : NULL;
  if (!know_a && !know_b)
    return NULL;
  // The known side is the result, or leaves the result to the other side.
  loop_expr *known = know_a ? a : b, *other = know_a ? b : a;
  bool value = know_a ? x : y, decides = fn == PIR_V_OR;
  return value == decides ? known : other;
}

// x + k, where x may itself be a sum with a constant: folds both constants. They wrap as the
// sums do.
static loop_expr *add_constant(loop_module *m, loop_expr *x, int64_t k) {
  int64_t inner;
  if (k == 0)
    return x;
  if (!is_operation(x, PIR_V_ADD) || !pir_loop_is_int(x->b, &inner))
    return NULL;
  return pir_loop_add(
      m, x->a, pir_loop_const_int(m, x->dtype, (int64_t)((uint64_t)inner + (uint64_t)k)));
}

// Rules that hold for sums and products whether they wrap or not.
static loop_expr *regroup_integers(loop_module *m, pir_node_op fn, loop_expr *a, loop_expr *b) {
  int64_t k;
  bool neutral_first =
      pir_loop_is_int(a, &k) && ((fn == PIR_V_ADD && k == 0) || (fn == PIR_V_MUL && k == 1));
  if (neutral_first)
    return b;
  if (!pir_loop_is_int(b, &k))
    return NULL;
  if (fn == PIR_V_ADD)
    return add_constant(m, a, k);
  if (fn == PIR_V_SUB)
    return pir_loop_add(m, a, pir_loop_const_int(m, b->dtype, (int64_t)(0 - (uint64_t)k)));
  return fn == PIR_V_MUL && k == 1 ? a : NULL;
}

// Folds known elements of integer tensors; sums wrap.
static loop_expr *fold_integers(loop_module *m, pir_node_op fn, loop_expr *a, loop_expr *b) {
  int64_t x, y;
  if (a->dtype != b->dtype)
    return NULL;
  if (!pir_loop_is_int(a, &x) || !pir_loop_is_int(b, &y))
    return regroup_integers(m, fn, a, b);
  bool less = a->dtype == PIR_U64 ? (uint64_t)x < (uint64_t)y : x < y;
  switch (fn) {
    case PIR_V_ADD:
      return pir_loop_const_int(m, a->dtype, (int64_t)((uint64_t)x + (uint64_t)y));
    case PIR_V_SUB:
      return pir_loop_const_int(m, a->dtype, (int64_t)((uint64_t)x - (uint64_t)y));
    case PIR_V_MUL:
      return pir_loop_const_int(m, a->dtype, (int64_t)((uint64_t)x * (uint64_t)y));
    case PIR_V_MIN: return pir_loop_const_int(m, a->dtype, less ? x : y);
    case PIR_V_MAX: return pir_loop_const_int(m, a->dtype, less ? y : x);
    case PIR_V_EQ: return pir_loop_const_int(m, PIR_BOOL, x == y);
    case PIR_V_NE: return pir_loop_const_int(m, PIR_BOOL, x != y);
    case PIR_V_LT: return pir_loop_const_int(m, PIR_BOOL, less);
    case PIR_V_LE: return pir_loop_const_int(m, PIR_BOOL, less || x == y);
    default: return NULL;
  }
}

// Folds comparisons of constant floats, which decide conditionals of clauses.
static loop_expr *compare_floats(loop_module *m, pir_node_op fn, const loop_expr *a,
                                 const loop_expr *b) {
  if (a->kind != LOOP_CONST || !b || b->kind != LOOP_CONST || !pir_dtype_is_float(a->dtype))
    return NULL;
  switch (fn) {
    case PIR_V_EQ: return pir_loop_const_int(m, PIR_BOOL, a->constant.f == b->constant.f);
    case PIR_V_NE: return pir_loop_const_int(m, PIR_BOOL, a->constant.f != b->constant.f);
    case PIR_V_LT: return pir_loop_const_int(m, PIR_BOOL, a->constant.f < b->constant.f);
    case PIR_V_LE: return pir_loop_const_int(m, PIR_BOOL, a->constant.f <= b->constant.f);
    default: return NULL;
  }
}

loop_expr *pir_loop_simplify(loop_module *m, pir_node_op fn, loop_expr *a, loop_expr *b,
                             loop_expr *c) {
  int64_t k;
  if (fn == PIR_V_SELECT && pir_loop_is_int(a, &k))
    return k ? b : c;
  if (fn == PIR_V_SELECT)
    return pir_loop_equal(b, c) ? b : NULL;
  if (fn == PIR_V_AND || fn == PIR_V_OR || fn == PIR_V_NOT)
    return logic(m, fn, a, b);
  if (b && pir_dtype_is_integer(a->dtype))
    return fold_integers(m, fn, a, b);
  if (!b || !is_index(a) || !is_index(b))
    return compare_floats(m, fn, a, b);
  form f = {0};
  switch (fn) {
    case PIR_V_ADD: return add_expr(&f, a, 1) && add_expr(&f, b, 1) ? recombine(m, f) : NULL;
    case PIR_V_SUB: return add_expr(&f, a, 1) && add_expr(&f, b, -1) ? from_form(m, &f) : NULL;
    case PIR_V_MUL: return multiply(m, a, b);
    case PIR_V_FLOORDIV: return divide(m, a, b);
    case PIR_V_FLOORMOD: return remainder_of(m, a, b);
    case PIR_V_MIN: return extremum(m, true, a, b);
    case PIR_V_MAX: return extremum(m, false, a, b);
    case PIR_V_EQ:
    case PIR_V_NE:
    case PIR_V_LT:
    case PIR_V_LE: return compare_indices(m, fn, a, b);
    default: return NULL;
  }
}

// ---- queries

bool pir_loop_nonnegative(const loop_expr *e) {
  return bounds_of(e).low >= 0;
}

loop_expr *pir_loop_bound(loop_module *m, const loop_expr *e) {
  bounds b = bounds_of(e);
  if (b.low < 0)
    return NULL;
  return pir_loop_int(m, bounded(b.high) ? b.high + 1 : UNBOUNDED);
}

bool pir_loop_small(const loop_expr *e) {
  bounds b = bounds_of(e);
  return b.low >= 0 && b.high <= INT32_MAX;
}

static int64_t common_divisor(int64_t a, int64_t b) {
  while (b) {
    int64_t rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

int64_t pir_loop_multiple(const loop_expr *e) {
  enum { ENOUGH = 1 << 20 };  // 0 is a multiple of everything
  int64_t c, a, b;
  if (pir_loop_is_int(e, &c) && (c == 0 || c == INT64_MIN))
    return ENOUGH;
  if (pir_loop_is_int(e, &c))
    return c < 0 ? -c : c;
  if (e->kind == LOOP_VAR)
    return e->var->multiple > 0 ? e->var->multiple : 1;
  if (e->kind == LOOP_LOAD && e->buffer->multiple > 0)
    return e->buffer->multiple;
  if (e->kind != LOOP_OP || !e->b || !is_index(e))
    return 1;
  a = pir_loop_multiple(e->a);
  b = e->op == PIR_V_SELECT ? pir_loop_multiple(e->c) : pir_loop_multiple(e->b);
  switch (e->op) {
    case PIR_V_MUL:
      if (a <= ENOUGH && b <= ENOUGH)
        return a * b;
      return a > b ? a : b;
    case PIR_V_SELECT: return common_divisor(pir_loop_multiple(e->b), b);
    case PIR_V_ADD:
    case PIR_V_SUB:
    case PIR_V_MIN:
    case PIR_V_MAX:
    case PIR_V_FLOORMOD: return common_divisor(a, b);
    default: return 1;
  }
}

bool pir_loop_mentions(const loop_expr *e, const loop_var *var) {
  if (!e)
    return false;
  if (e->kind == LOOP_VAR)
    return e->var == var;
  return pir_loop_mentions(e->a, var) || pir_loop_mentions(e->b, var) ||
         pir_loop_mentions(e->c, var) || pir_loop_mentions(e->mask, var);
}

bool pir_loop_stride(const loop_expr *e, const loop_var *var, int64_t *out_factor) {
  form f = {0};
  *out_factor = 0;
  if (!is_index(e) || !add_expr(&f, (loop_expr *)e, 1))
    return false;
  for (int i = 0; i < f.count; i++) {
    if (f.terms[i].atom->kind == LOOP_VAR && f.terms[i].atom->var == var)
      *out_factor = f.terms[i].k;
    else if (pir_loop_mentions(f.terms[i].atom, var))
      return false;
  }
  return true;
}

loop_expr *pir_loop_rebuild(loop_module *m, const loop_expr *e, loop_expr *a, loop_expr *b,
                            loop_expr *c, loop_expr *mask) {
  if (e->kind == LOOP_OP)
    return pir_loop_op(m, e->op, a, b, c);
  loop_expr *copy = pir_loop_node(m, e->kind, e->dtype, e->lanes);
  *copy = *e;
  copy->a = a;
  copy->b = b;
  copy->c = c;
  copy->mask = mask;
  copy->given = pir_loop_may_wrap(copy);
  copy->emitted_in = 0;
  return copy;
}

loop_expr *pir_loop_substitute(loop_module *m, loop_expr *e, const loop_var *var,
                               loop_expr *by) {
  if (!pir_loop_mentions(e, var))
    return e;
  if (e->kind == LOOP_VAR)
    return by;
  loop_expr *a = e->a ? pir_loop_substitute(m, e->a, var, by) : NULL;
  loop_expr *b = e->b ? pir_loop_substitute(m, e->b, var, by) : NULL;
  loop_expr *c = e->c ? pir_loop_substitute(m, e->c, var, by) : NULL;
  loop_expr *mask = e->mask ? pir_loop_substitute(m, e->mask, var, by) : NULL;
  return pir_loop_rebuild(m, e, a, b, c, mask);
}
