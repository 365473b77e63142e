// Affine forms of index nodes, and of maps.
#include "affine_form.h"

#include <string.h>

_Static_assert(sizeof(affine_form) <= PIR_INDEX_VALUE, "the walk has room for a form");

// ---- forms

static int64_t plus_times(affine_space *s, int64_t sum, int64_t x, int64_t by) {
  int64_t product, result;
  bool over = __builtin_mul_overflow(x, by, &product);
  over |= __builtin_add_overflow(sum, over ? 0 : product, &result);
  s->overflow |= over;
  return result;
}

void pir_affine_add(affine_space *s, affine_form *sum, const affine_form *x, int64_t by) {
  sum->start = plus_times(s, sum->start, x->start, by);
  for (int i = 0; i < s->coords; i++)
    sum->step[i] = plus_times(s, sum->step[i], x->step[i], by);
}

void pir_affine_range(affine_space *s, const affine_form *x, int64_t *out_low,
                      int64_t *out_high) {
  *out_low = *out_high = x->start;
  for (int i = 0; i < s->coords; i++) {
    int64_t *end = x->step[i] < 0 ? out_low : out_high;
    *end = plus_times(s, *end, x->step[i], s->extent[i] - 1);
  }
}

bool pir_affine_is_number(const affine_space *s, const affine_form *x) {
  for (int i = 0; i < s->coords; i++)
    if (x->step[i])
      return false;
  return true;
}

// ---- index trees

static void put_number(pir_index_reader *r, int64_t number, void *out) {
  affine_form *x = out;
  memset(x, 0, sizeof *x);
  x->start = number;
}

static bool get_number(pir_index_reader *r, const void *value, int64_t *out) {
  const affine_form *x = value;
  *out = x->start;
  return pir_affine_is_number(r->user, x);
}

static bool divides_all(const affine_space *s, const affine_form *x, int64_t by) {
  bool all = x->start % by == 0;
  for (int i = 0; i < s->coords && all; i++)
    all = x->step[i] % by == 0;
  return all;
}

// A quotient or remainder by a positive number that is exact, or within one quotient.
static bool divide(affine_space *s, int op, const affine_form *x, int64_t by,
                   affine_form *out) {
  int64_t low, high;
  if (by <= 0)
    return false;
  memset(out, 0, sizeof *out);
  if (divides_all(s, x, by)) {
    out->start = op == PIR_I_FLOORDIV ? x->start / by : 0;
    for (int i = 0; i < s->coords && op == PIR_I_FLOORDIV; i++)
      out->step[i] = x->step[i] / by;
    return true;
  }
  pir_affine_range(s, x, &low, &high);
  out->start = pir_index_floordiv(low, by);
  if (out->start != pir_index_floordiv(high, by))
    return false;
  if (op == PIR_I_FLOORDIV)
    return true;
  affine_form rest = *x;
  pir_affine_add(s, &rest, out, -by);
  *out = rest;
  return true;
}

// Comparisons and extremes that the ranges of both sides decide.
static bool compare_ranges(affine_space *s, int op, const affine_form *x, const affine_form *y,
                           affine_form *out) {
  int64_t low, high;
  affine_form difference = *x;
  pir_affine_add(s, &difference, y, -1);
  pir_affine_range(s, &difference, &low, &high);
  bool less = high < 0, more = low > 0, equal = low == 0 && high == 0;
  memset(out, 0, sizeof *out);
  switch (op) {
    case PIR_I_MIN: *out = high <= 0 ? *x : *y; return high <= 0 || low >= 0;
    case PIR_I_MAX: *out = low >= 0 ? *x : *y; return high <= 0 || low >= 0;
    case PIR_I_LT: out->start = less; return less || low >= 0;
    case PIR_I_LE: out->start = high <= 0; return high <= 0 || more;
    case PIR_I_EQ: out->start = equal; return less || more || equal;
    case PIR_I_NE: out->start = !equal; return less || more || equal;
    default: return false;
  }
}

static bool combine_forms(pir_index_reader *r, int op, const void *a, const void *b,
                          void *value) {
  affine_space *s = r->user;
  const affine_form *x = a, *y = b;
  affine_form *out = value;
  switch (op) {
    case PIR_I_ADD:
    case PIR_I_SUB:
      *out = *x;
      pir_affine_add(s, out, y, op == PIR_I_ADD ? 1 : -1);
      return true;
    case PIR_I_MUL:
      memset(out, 0, sizeof *out);
      if (pir_affine_is_number(s, x))
        pir_affine_add(s, out, y, x->start);
      else
        pir_affine_add(s, out, x, y->start);
      return pir_affine_is_number(s, x) || pir_affine_is_number(s, y);
    case PIR_I_FLOORDIV:
    case PIR_I_MOD: return pir_affine_is_number(s, y) && divide(s, op, x, y->start, out);
    default: return compare_ranges(s, op, x, y, out);
  }
}

// The side of a conditional that the range of its condition decides.
static bool read_side(affine_space *s, pir_index_reader *r, const pir_node *n,
                      affine_form *out) {
  affine_form condition;
  int64_t low, high;
  if (!pir_index_read(r, n->a, &condition))
    return false;
  pir_affine_range(s, &condition, &low, &high);
  bool zero = low == 0 && high == 0;
  return (low > 0 || high < 0 || zero) && pir_index_read(r, zero ? n->c : n->b, out);
}

static bool read_negation(affine_space *s, pir_index_reader *r, const pir_node *n,
                          affine_form *out) {
  static const affine_form zero;
  affine_form x;
  return pir_index_read(r, n->a, &x) && compare_ranges(s, PIR_I_EQ, &x, &zero, out);
}

static pir_index_step read_own(pir_index_reader *r, int node, void *value) {
  affine_space *s = r->user;
  affine_form *out = value;
  const pir_node *n = &r->nodes[node];
  memset(out, 0, sizeof *out);
  pir_index_step step = s->own(s, r, node, out);
  if (step != PIR_INDEX_SHARED)
    return step;
  switch (n->op) {
    case PIR_I_D: out->start = s->d; return PIR_INDEX_DONE;
    case PIR_I_NOT: return read_negation(s, r, n, out) ? PIR_INDEX_DONE : PIR_INDEX_FAILED;
    case PIR_I_SELECT: return read_side(s, r, n, out) ? PIR_INDEX_DONE : PIR_INDEX_FAILED;
    default: return PIR_INDEX_SHARED;
  }
}

bool pir_affine_read(affine_space *s, int node, affine_form *out) {
  pir_index_reader reader = {.nodes = s->bind->clause->nodes,
                             .text = s->bind->clause->text,
                             .attrs = s->bind->call->attrs,
                             .user = s,
                             .own = read_own,
                             .put = put_number,
                             .get = get_number,
                             .combine = combine_forms};
  return pir_index_read(&reader, node, out);
}

// ---- maps

static bool map_axis(affine_space *s, const pir_tensor *t, int axis, int node,
                     affine_axis_fn *take_axis) {
  affine_form index;
  bool found = pir_affine_read(s, node, &index);
  return take_axis(s, t, axis, node, found ? &index : NULL);
}

// `count` axes from `axis` on, aligned with the last coordinates of a pack; extent 1 is
// broadcast.
static bool map_pack(affine_space *s, const pir_tensor *t, int axis, int count, int var,
                     affine_axis_fn *take_axis) {
  const clause_bind *b = s->bind;
  for (int i = 0; i < count; i++) {
    int at = b->var_rank[var] - count + i;
    affine_form index = {0};
    if (t->shape[axis + i] == 1)
      continue;
    if (at < 0 || t->shape[axis + i] != b->extent[b->var_first[var] + at])
      return false;
    index.step[s->first[var] + at] = 1;
    if (!take_axis(s, t, axis + i, -1, &index))
      return false;
  }
  return true;
}

static bool map_list(affine_space *s, const pir_tensor *t, int map, int count,
                     affine_axis_fn *take_axis) {
  const pir_clause *c = s->bind->clause;
  int axis = 0, pack_rank = t->rank - (count - 1);
  for (int i = 0; i < count; i++) {
    int entry = c->pool[map + i];
    const pir_node *n = &c->nodes[entry];
    bool pack = n->op == PIR_I_PACK;
    if (pack ? pack_rank < 0 : axis >= t->rank)
      return false;
    if (pack ? !map_pack(s, t, axis, pack_rank, n->k, take_axis)
             : !map_axis(s, t, axis, entry, take_axis))
      return false;
    axis += pack ? pack_rank : 1;
  }
  return axis == t->rank;
}

bool pir_affine_map(affine_space *s, const pir_tensor *t, int map_kind, int map, int count,
                    affine_axis_fn *take_axis) {
  if (map_kind == PIR_MAP_LIST)
    return map_list(s, t, map, count, take_axis);
  bool fits = map_kind == PIR_MAP_EACH;
  for (s->d = 0; s->d < t->rank && fits; s->d++)
    fits = map_axis(s, t, (int)s->d, map, take_axis);
  s->d = 0;
  return fits;
}
