// Reductions: plain ones, windows, contractions without the fast path, and scans.
//
// A block of result elements is reduced in one of two ways. Across: every lane is a result
// element, and reduced points are evaluated one after another for all lanes. Along: result
// elements are processed one at a time; lanes are reduced points and are folded afterwards.
// Along pays if the innermost axis is reduced and long, or if there are few results. Sums and
// products of floats accumulate in double. Small windows accumulate in order and in their own
// type, which gives exactly the numbers of a plain loop.
#include <math.h>
#include <string.h>

#include "clause_impl.h"
#include "convert.h"

enum { MIN_ALONG = 24, FEW_RESULTS = 8, WIDE_WINDOW = 64 };

// Accumulators of a block: the value of each lane, the number of combined elements, and the
// position of the extreme one.
typedef struct accumulators {
  int combine, type;  // combine function, and type of the body
  pir_dtype lanes;    // type of the accumulators
  void *values;
  int64_t *counts, *positions;
} accumulators;

static bool is_arg(int combine) {
  return combine == PIR_COMBINE_ARGMAX || combine == PIR_COMBINE_ARGMIN;
}

static pir_dtype accumulator_lanes(int combine, int type, bool in_type) {
  pir_dtype lanes = pir_clause_lane_type(type);
  bool sums = combine == PIR_COMBINE_ADD || combine == PIR_COMBINE_MUL;
  if (!sums || in_type)
    return lanes;
  if (lanes == PIR_F32)
    return PIR_F64;
  return lanes == PIR_C64 ? PIR_C128 : lanes;
}

static void set_neutral(clause_lanes *e, accumulators *a) {
  const pir_clause *c = e->bind->clause;
  int n = e->n;
  int64_t i = a->combine == PIR_COMBINE_MUL || a->combine == PIR_COMBINE_AND;
  double f = (double)i;
  if (a->combine == PIR_COMBINE_MAX || a->combine == PIR_COMBINE_ARGMAX) {
    f = -INFINITY;
    i = INT64_MIN;
  }
  if (a->combine == PIR_COMBINE_MIN || a->combine == PIR_COMBINE_ARGMIN) {
    f = INFINITY;
    i = INT64_MAX;
  }
  if (c->init >= 0)
    pir_clause_value(e, c->init, a->lanes, a->values);
  else if (a->lanes == PIR_I64)
    pir_convert(PIR_I64, a->values, 1, PIR_I64, &i, 0, n);
  else
    pir_convert(a->lanes, a->values, 1, PIR_F64, &f, 0, n);
  memset(a->counts, 0, (size_t)n * sizeof *a->counts);
  memset(a->positions, 0, (size_t)n * sizeof *a->positions);
}

// Evaluates the body at the current points into the accumulators' lanes, and which of them
// count. False if none does.
static bool evaluate_body(clause_lanes *e, const accumulators *a, void *out, uint8_t *counted) {
  const pir_clause *c = e->bind->clause;
  const uint8_t *active = e->active;
  bool all = true;
  e->skips = false;
  memset(e->skip, 0, (size_t)e->n);
  memset(counted, 1, (size_t)e->n);
  if (c->guard >= 0) {
    int mark = e->top, taken = 0;
    clause_index g = pir_clause_index(e, c->guard);
    for (int i = 0; i < e->n; i++)
      taken += counted[i] = (g.v ? g.v[i] : g.base + g.step * i) != 0;
    e->top = mark;
    if (!taken)
      return false;
    all = taken == e->n;
  }
  e->active = all ? active : counted;
  int type = a->type, mark = e->top;
  void *body = pir_clause_lane_type(type) == a->lanes ? out : push_slot(e);
  pir_clause_value(e, c->body, type, body);
  if (body != out)
    pir_convert(a->lanes, out, 1, pir_clause_lane_type(type), body, 1, e->n);
  e->top = mark;
  e->active = active;
  for (int i = 0; e->skips && i < e->n; i++)
    counted[i] &= !e->skip[i];
  return true;
}

// NaN never wins.
#define BETTER_LOOP(T, sign)                                                                   \
  do {                                                                                         \
    T *best = a->values;                                                                       \
    const T *x = body;                                                                         \
    for (int i = 0; i < n; i++)                                                                \
      if (counted[i] && x[i] sign best[i])                                                     \
        best[i] = x[i], a->positions[i] = position;                                            \
  } while (0)

static void keep_better(accumulators *a, const void *body, const uint8_t *counted,
                        int64_t position, int n) {
  bool max = a->combine == PIR_COMBINE_ARGMAX;
  if (a->lanes == PIR_F32 && max)
    BETTER_LOOP(float, >);
  else if (a->lanes == PIR_F32)
    BETTER_LOOP(float, <);
  else if (a->lanes == PIR_F64 && max)
    BETTER_LOOP(double, >);
  else if (a->lanes == PIR_F64)
    BETTER_LOOP(double, <);
  else if (max)
    BETTER_LOOP(int64_t, >);
  else
    BETTER_LOOP(int64_t, <);
}

static int combine_function(int combine) {
  static const uint8_t functions[] = {
      [PIR_COMBINE_NONE] = PIR_V_ADD, [PIR_COMBINE_ADD] = PIR_V_ADD,
      [PIR_COMBINE_MUL] = PIR_V_MUL,  [PIR_COMBINE_MAX] = PIR_V_MAX,
      [PIR_COMBINE_MIN] = PIR_V_MIN,  [PIR_COMBINE_AND] = PIR_V_AND,
      [PIR_COMBINE_OR] = PIR_V_OR};
  return functions[combine];
}

// acc[lane] = acc[lane] combined with body[lane] where counted.
static void combine_lanes(clause_lanes *e, accumulators *a, const void *body,
                          const uint8_t *counted, int64_t position) {
  int n = e->n;
  if (is_arg(a->combine)) {
    keep_better(a, body, counted, position, n);
  } else {
    size_t size = pir_dtype_size(a->lanes);
    char *next = push_slot(e), *values = a->values;
    if (!pir_clause_binary(combine_function(a->combine), a->lanes, next, a->values, body, n))
      pir_clause_fail(e, PIR_UNSUPPORTED, "unsupported: combination %d of %s", a->combine,
                      pir_dtype_name((pir_dtype)a->type));
    if (!memchr(counted, 0, (size_t)n)) {
      memcpy(values, next, (size_t)n * size);
    } else {
      for (int i = 0; i < n; i++)
        if (counted[i])
          memcpy(values + (size_t)i * size, next + (size_t)i * size, size);
    }
    e->top--;
  }
  for (int i = 0; i < n; i++)
    a->counts[i] += counted[i];
}

// ---- across

// An attribute may make a window as large as it likes, so long reductions can be cancelled.
static bool goes_on(clause_lanes *e, int64_t point) {
  enum { POINTS = 1 << 10 };
  if (point % POINTS == 0 && !e->status && pir_kernel_cancelled(e->bind->call))
    pir_clause_fail(e, PIR_CANCELLED, "cancelled");
  return !e->status;
}

static void reduce_across(clause_lanes *e, accumulators *a) {
  const clause_bind *b = e->bind;
  int64_t points = pir_clause_points(b, b->parallel, b->coords);
  void *body = push_slot(e);
  uint8_t *counted = push_slot(e);
  int64_t index[MAX_COORDS] = {0};
  for (int i = b->parallel; i < b->coords; i++)
    e->coord[i] = (clause_index){0};
  for (int64_t p = 0; p < points && goes_on(e, p); p++) {
    if (evaluate_body(e, a, body, counted))
      combine_lanes(e, a, body, counted, p);
    for (int i = b->coords - 1; i >= b->parallel; i--) {
      if (++index[i] == b->extent[i])
        index[i] = 0;
      e->coord[i].base = index[i];
      if (index[i])
        break;
    }
  }
}

// ---- along

// Folds the lanes pairwise to one, and combines it into accumulator `lane`.
static void fold(clause_lanes *e, accumulators *a, int lane, char *body, const uint8_t *counted,
                 int n) {
  size_t size = pir_dtype_size(a->lanes);
  char *half = push_slot(e);
  char *value = (char *)a->values + (size_t)lane * size;
  int left = 0, function = combine_function(a->combine);
  for (int i = 0; i < n; i++)
    if (counted[i]) {
      if (left != i)
        memcpy(body + (size_t)left * size, body + (size_t)i * size, size);
      left++;
    }
  a->counts[lane] += left;
  if (left) {
    bool known = true;
    while (left > 1) {
      int pairs = left / 2, rest = left - pairs;
      known &=
          pir_clause_binary(function, a->lanes, half, body, body + (size_t)rest * size, pairs);
      memcpy(body, half, (size_t)pairs * size);
      left = rest;
    }
    known &= pir_clause_binary(function, a->lanes, half, value, body, 1);
    memcpy(value, half, size);
    if (!known)
      pir_clause_fail(e, PIR_UNSUPPORTED, "unsupported: combination %d of %s", a->combine,
                      pir_dtype_name((pir_dtype)a->type));
  }
  e->top--;
}

// Compares the extreme lane with accumulator `lane`; the first position wins a tie.
static void fold_best(accumulators *a, int lane, const char *body, const uint8_t *counted,
                      int64_t start, int n) {
  size_t size = pir_dtype_size(a->lanes);
  accumulators one = *a;
  one.values = (char *)a->values + (size_t)lane * size;
  one.counts += lane;
  one.positions += lane;
  for (int i = 0; i < n; i++) {
    if (!counted[i])
      continue;
    keep_better(&one, body + (size_t)i * size, counted + i, start + i, 1);
    one.counts[0]++;
  }
}

static void reduce_along(clause_lanes *e, accumulators *a, int lane) {
  const clause_bind *b = e->bind;
  int mark = e->top;
  int64_t points = pir_clause_points(b, b->parallel, b->coords);
  void *body = push_slot(e);
  uint8_t *counted = push_slot(e);
  for (int64_t p = 0; p < points && goes_on(e, 0); p += e->n) {
    pir_clause_set_coords(e, b->parallel, b->coords, p,
                          pir_clause_block(b, b->parallel, b->coords, p, points - p));
    if (!evaluate_body(e, a, body, counted))
      continue;
    if (is_arg(a->combine))
      fold_best(a, lane, body, counted, p, e->n);
    else
      fold(e, a, lane, body, counted, e->n);
  }
  e->top = mark;
}

static void reduce_each_along(clause_lanes *e, accumulators *a) {
  const clause_bind *b = e->bind;
  int n = e->n;
  clause_index block[MAX_COORDS];
  memcpy(block, e->coord, sizeof block);
  for (int lane = 0; lane < n; lane++) {
    for (int i = 0; i < b->parallel; i++) {
      clause_index x = block[i];
      e->coord[i] = (clause_index){x.v ? x.v[lane] : x.base + x.step * lane, 0, NULL};
    }
    reduce_along(e, a, lane);
  }
  memcpy(e->coord, block, sizeof block);
  e->n = n;
}

// ---- results

// The extreme of no elements is 0, unless an initial value is stated.
static void clear_empty(const clause_lanes *e, int type, char *values, const int64_t *counts) {
  size_t size = pir_dtype_size(pir_clause_lane_type(type));
  for (int i = 0; i < e->n; i++)
    if (!counts[i])
      memset(values + (size_t)i * size, 0, size);
}

// Applies `then` to the combined values and stores them.
static void finish(clause_lanes *e, accumulators *a) {
  const clause_bind *b = e->bind;
  const pir_clause *c = b->clause;
  int type = is_arg(a->combine) ? PIR_I64 : a->type;
  void *acc = push_slot(e), *result = acc;
  if (is_arg(a->combine))
    acc = result = a->positions;
  else
    pir_clause_convert(e, type, acc, a->lanes, a->values);
  bool extreme = a->combine == PIR_COMBINE_MAX || a->combine == PIR_COMBINE_MIN;
  if (extreme && c->init < 0)
    clear_empty(e, type, acc, a->counts);
  if (c->then >= 0) {
    e->acc = acc;
    e->acc_type = (uint8_t)type;
    e->counts = a->counts;
    type = pir_node_type_strong(b->types[c->then]);
    result = push_slot(e);
    pir_clause_value(e, c->then, type, result);
  }
  pir_clause_store(e, type, result);
}

static accumulators accumulators_of(clause_lanes *e, bool in_type) {
  const clause_bind *b = e->bind;
  accumulators a = {.combine = b->clause->combine,
                    .values = push_slot(e),
                    .counts = push_slot(e),
                    .positions = push_slot(e)};
  bool logical = a.combine == PIR_COMBINE_AND || a.combine == PIR_COMBINE_OR;
  a.type = logical ? PIR_BOOL : pir_node_type_strong(b->types[b->clause->body]);
  a.lanes = accumulator_lanes(a.combine, a.type, in_type);
  return a;
}

static bool goes_along(const clause_bind *b, int64_t points) {
  int last = b->axes ? b->axis_coord[b->axes - 1] : 0;
  if (b->clause->kind == PIR_CLAUSE_WINDOW)
    return points >= WIDE_WINDOW;
  bool innermost = b->clause->var_count == 0 && (last >= b->parallel || b->coords == 1);
  return points >= MIN_ALONG &&
         (innermost || pir_clause_points(b, 0, b->parallel) <= FEW_RESULTS);
}

void pir_clause_reduce_block(clause_lanes *e) {
  const clause_bind *b = e->bind;
  int mark = e->top;
  bool along = goes_along(b, pir_clause_points(b, b->parallel, b->coords));
  accumulators a = accumulators_of(e, b->clause->kind == PIR_CLAUSE_WINDOW && !along);
  set_neutral(e, &a);
  if (along)
    reduce_each_along(e, &a);
  else
    reduce_across(e, &a);
  if (!e->status)
    finish(e, &a);
  e->top = mark;
}

// ---- scans: one line of the scanned axis (or of all axes), block by block, with a running
// value

// Scans the lanes of a block starting with `carry`; body becomes the running values.
static void accumulate_block(clause_lanes *e, accumulators *a, char *body,
                             const uint8_t *counted, int64_t start, bool exclusive,
                             bool reverse, int64_t length) {
  size_t size = pir_dtype_size(a->lanes);
  char next[16];
  int64_t before = 0;
  for (int i = 0; i < e->n; i++) {
    char *value = body + (size_t)i * size;
    int64_t position = reverse ? length - 1 - (start + i) : start + i;
    if (exclusive) {
      memcpy(next, a->values, size);
      before = a->positions[0];
    }
    if (is_arg(a->combine)) {
      keep_better(a, value, counted + i, position, 1);
    } else if (counted[i]) {
      char sum[16];
      pir_clause_binary(combine_function(a->combine), a->lanes, sum, a->values, value, 1);
      memcpy(a->values, sum, size);
      if (a->lanes == PIR_I64) {
        int n = e->n;
        e->n = 1;
        pir_clause_convert(e, a->type, a->values, PIR_I64, a->values);
        e->n = n;
      }
    }
    a->counts[0] += counted[i];
    if (is_arg(a->combine))
      ((int64_t *)e->acc)[i] = exclusive ? before : a->positions[0];
    else
      memcpy(value, exclusive ? next : a->values, size);
  }
}

pir_status pir_clause_scan_line(clause_lanes *e) {
  const clause_bind *b = e->bind;
  const pir_clause *c = b->clause;
  int mark = e->top;
  int64_t length = pir_clause_points(b, b->parallel, b->coords);
  bool reverse = pir_clause_fixed(e, c->reverse, 0) != 0;
  bool exclusive = pir_clause_fixed(e, c->exclusive, 0) != 0;
  accumulators a = accumulators_of(e, false);
  set_neutral(e, &a);
  char *body = push_slot(e);
  uint8_t *counted = push_slot(e);
  int64_t *positions = push_slot(e);
  e->acc = positions;
  bool arg = is_arg(a.combine);
  for (int64_t p = 0; p < length && !e->status; p += e->n) {
    int n = pir_clause_block(b, b->parallel, b->coords, p, length - p);
    if (!reverse) {
      pir_clause_set_coords(e, b->parallel, b->coords, p, n);
    } else {
      e->n = n = n > 1 && b->coords - b->parallel > 1 ? 1 : n;
      pir_clause_set_coords(e, b->parallel, b->coords, length - 1 - p, 1);
      if (b->coords > b->parallel)
        e->coord[b->coords - 1].step = -1;
      e->n = n;
    }
    e->linear = reverse ? length - 1 - p : p;
    if (!evaluate_body(e, &a, body, counted))
      memset(counted, 0, (size_t)e->n);
    accumulate_block(e, &a, body, counted, p, exclusive, reverse, length);
    pir_clause_store(e, arg ? PIR_I64 : (int)a.lanes, arg ? (void *)positions : body);
  }
  e->top = mark;
  return e->status;
}
