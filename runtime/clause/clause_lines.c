// Scans (running sums and the like) and arg-max or arg-min of plain loads along one coordinate.
//
// If the elements of a line are adjacent in memory, lines are processed one at a time. If the
// elements of another coordinate are adjacent, a band of BAND lines is processed together, so
// memory is read in order and the arithmetic is vectorised. Running sums and products of floats
// are kept in double. The extreme element of a line is found in two passes: first its value,
// then the first position that has it. Cost: one or two reads of the elements.
#include <math.h>
#include <string.h>

#include "clause_impl.h"
#include "convert.h"

enum { BAND = 1024, SHORTEST_BAND = 8, SERIAL = 8192, PIECES = 16 };

typedef struct lines lines;

// `count` adjacent lines, `across` apart; elements along them are `from` and `to` apart.
typedef void (*lines_fn)(const lines *l, const void *in, void *out, int64_t count);

struct lines {
  const clause_bind *b;
  const pir_tensor *in;
  lines_fn run;
  int64_t length, from, to;  // of a line: its length and the strides of source and destination
  int64_t across_in, across_out;
  int band;  // the coordinate whose lines are gone through together, or -1
  int64_t from_step[MAX_COORDS], to_step[MAX_COORDS];
};

// ---- scans

#define SCAN(name, T, A, combine, neutral)                                                     \
  static void name(const lines *l, const void *in, void *out, int64_t count) {                 \
    const T *x = in;                                                                           \
    T *y = out;                                                                                \
    if (count == 1) {                                                                          \
      A a = neutral;                                                                           \
      for (int64_t i = 0; i < l->length; i++, x += l->from, y += l->to) {                      \
        A v = (A) * x;                                                                         \
        a = combine;                                                                           \
        *y = (T)a;                                                                             \
      }                                                                                        \
      return;                                                                                  \
    }                                                                                          \
    A sums[BAND];                                                                              \
    for (int j = 0; j < BAND; j++)                                                             \
      sums[j] = neutral;                                                                       \
    for (int64_t i = 0; i < l->length; i++, x += l->from, y += l->to)                          \
      for (int64_t j = 0; j < count; j++) {                                                    \
        A v = (A)x[j], a = sums[j];                                                            \
        a = combine;                                                                           \
        sums[j] = a;                                                                           \
        y[j] = (T)a;                                                                           \
      }                                                                                        \
  }
SCAN(sum_f32, float, double, a + v, 0)
SCAN(sum_f64, double, double, a + v, 0)
SCAN(sum_i32, uint32_t, uint32_t, a + v, 0)
SCAN(sum_i64, uint64_t, uint64_t, a + v, 0)
SCAN(product_f32, float, double, a *v, 1)
SCAN(product_f64, double, double, a *v, 1)
SCAN(product_i32, uint32_t, uint32_t, a *v, 1)
SCAN(product_i64, uint64_t, uint64_t, a *v, 1)
#undef SCAN

// ---- the best

// NaN never wins; if nothing exceeds the lowest value, the first element wins.
#define BEST(name, T, P, sign, lowest)                                                         \
  static void name(const lines *l, const void *in, void *out, int64_t count) {                 \
    const T *x = in;                                                                           \
    if (count == 1) {                                                                          \
      T best[PIECES], top = lowest;                                                            \
      int64_t i = 0;                                                                           \
      for (int j = 0; j < PIECES; j++)                                                         \
        best[j] = lowest;                                                                      \
      for (; l->from == 1 && i + PIECES <= l->length; i += PIECES)                             \
        for (int j = 0; j < PIECES; j++)                                                       \
          best[j] = x[i + j] sign best[j] ? x[i + j] : best[j];                                \
      for (; i < l->length; i++)                                                               \
        top = x[i * l->from] sign top ? x[i * l->from] : top;                                  \
      for (int j = 0; j < PIECES; j++)                                                         \
        top = best[j] sign top ? best[j] : top;                                                \
      for (i = 0; top sign(T) lowest && i < l->length && x[i * l->from] != top;)               \
        i++;                                                                                   \
      pir_convert(l->b->out->dtype, out, 1, PIR_I64, &i, 1, 1);                                \
      return;                                                                                  \
    }                                                                                          \
    T best[BAND];                                                                              \
    P places[BAND] = {0};                                                                      \
    for (int j = 0; j < BAND; j++)                                                             \
      best[j] = lowest;                                                                        \
    for (int64_t i = 0; i < l->length; i++, x += l->from)                                      \
      for (int64_t j = 0; j < count; j++) {                                                    \
        bool better = x[j] sign best[j];                                                       \
        places[j] = better ? (P)i : places[j];                                                 \
        best[j] = better ? x[j] : best[j];                                                     \
      }                                                                                        \
    pir_convert(l->b->out->dtype, out, l->across_out, sizeof(P) == 4 ? PIR_I32 : PIR_I64,      \
                places, 1, count);                                                             \
  }
BEST(most_f32, float, int32_t, >, -INFINITY)
BEST(most_f64, double, int64_t, >, -INFINITY)
BEST(most_i32, int32_t, int32_t, >, INT32_MIN)
BEST(most_i64, int64_t, int64_t, >, INT64_MIN)
BEST(least_f32, float, int32_t, <, INFINITY)
BEST(least_f64, double, int64_t, <, INFINITY)
BEST(least_i32, int32_t, int32_t, <, INT32_MAX)
BEST(least_i64, int64_t, int64_t, <, INT64_MAX)
#undef BEST

static lines_fn line_function(int kind, int combine, pir_dtype dtype) {
  static const lines_fn scans[][4] = {{sum_f32, sum_f64, sum_i32, sum_i64},
                                      {product_f32, product_f64, product_i32, product_i64}};
  static const lines_fn bests[][4] = {{most_f32, most_f64, most_i32, most_i64},
                                      {least_f32, least_f64, least_i32, least_i64}};
  static const pir_dtype types[] = {PIR_F32, PIR_F64, PIR_I32, PIR_I64};
  int type = 0;
  while (type < 4 && types[type] != dtype)
    type++;
  if (type == 4)
    return NULL;
  if (kind == PIR_CLAUSE_SCAN && (combine == PIR_COMBINE_ADD || combine == PIR_COMBINE_MUL))
    return scans[combine == PIR_COMBINE_MUL][type];
  if (kind == PIR_CLAUSE_REDUCE &&
      (combine == PIR_COMBINE_ARGMAX || combine == PIR_COMBINE_ARGMIN))
    return bests[combine == PIR_COMBINE_ARGMIN][type];
  return NULL;
}

// ---- ranges of lines

static int64_t bands(const lines *l) {
  return l->band < 0 ? 1 : (l->b->extent[l->band] + BAND - 1) / BAND;
}

static void run_lines(void *user, int64_t begin, int64_t end, int thread) {
  const lines *l = user;
  const clause_bind *b = l->b;
  int64_t in_size = (int64_t)pir_dtype_size(l->in->dtype);
  int64_t out_size = (int64_t)pir_dtype_size(b->out->dtype);
  for (int64_t u = begin; u < end; u++) {
    int64_t rest = u / bands(l);
    int64_t from = 0;
    int64_t to = 0;
    int64_t count = 1;
    for (int i = b->parallel - 1; i >= 0; i--) {
      if (i == l->band)
        continue;
      from += rest % b->extent[i] * l->from_step[i];
      to += rest % b->extent[i] * l->to_step[i];
      rest /= b->extent[i];
    }
    if (l->band >= 0) {
      int64_t first = u % bands(l) * BAND;
      int64_t left = b->extent[l->band] - first;
      count = left < BAND ? left : BAND;
      from += first * l->from_step[l->band];
      to += first * l->to_step[l->band];
    }
    l->run(l, (const char *)l->in->data + from * in_size, (char *)b->out->data + to * out_size,
           count);
  }
}

// The scanned or reduced coordinate must be a single one, or all of a dense tensor.
static bool find_length(const clause_bind *b, lines *l) {
  int last = b->coords - 1;
  l->length = pir_clause_points(b, b->parallel, b->coords);
  if (b->coords == b->parallel + 1) {
    l->from = l->from_step[last];
    l->to = b->out_linear ? b->out->strides[0] : l->to_step[last];
    return true;
  }
  l->from = l->to = 1;
  return b->parallel == 0 && pir_tensor_is_dense(l->in) && pir_tensor_is_dense(b->out) &&
         pir_tensor_numel(l->in) == l->length;
}

static bool find_lines(const clause_bind *b, clause_lanes *e, lines *l) {
  const pir_clause *c = b->clause;
  const pir_node *load = &c->nodes[c->body];
  *l = (lines){.b = b, .band = -1};
  if (c->then >= 0 || c->guard >= 0 || c->init >= 0 || c->trap >= 0 || load->op != PIR_V_LOAD ||
      load->map_kind != PIR_MAP_ALIGNED || pir_clause_fixed(e, c->exclusive, 0) ||
      pir_clause_fixed(e, c->reverse, 0))
    return false;
  int entry = b->call->in_first[load->k];
  l->in = pir_clause_operand(b, load->k, 0);
  if (!l->in || !b->aligns[entry] || (uintptr_t)l->in->data % pir_dtype_size(l->in->dtype))
    return false;
  l->run = line_function(c->kind, c->combine, l->in->dtype);
  if (!l->run || (c->kind == PIR_CLAUSE_SCAN && b->out->dtype != l->in->dtype))
    return false;
  memcpy(l->from_step, b->aligned[entry], sizeof l->from_step);
  memcpy(l->to_step, b->out_stride, sizeof l->to_step);
  if (!find_length(b, l) || l->length > INT32_MAX)
    return false;
  for (int i = 0; i < b->parallel; i++) {
    bool beside = l->from_step[i] == 1 && (c->kind == PIR_CLAUSE_REDUCE || l->to_step[i] == 1);
    if (beside && l->from != 1 && b->extent[i] >= SHORTEST_BAND) {
      l->band = i;
      l->across_out = l->to_step[i];
    }
  }
  return true;
}

bool pir_clause_run_lines(const clause_bind *b, clause_lanes *e) {
  lines l;
  const pir_parallel *parallel = &b->call->parallel;
  if (!find_lines(b, e, &l))
    return false;
  int64_t points = pir_clause_points(b, 0, b->parallel);
  int64_t units = l.band < 0 ? points : points / b->extent[l.band] * bands(&l);
  if (parallel->parallel_for && units > 1 && (double)points * (double)l.length > SERIAL)
    parallel->parallel_for(parallel->pool, units, run_lines, &l);
  else
    run_lines(&l, 0, units, 0);
  return true;
}
