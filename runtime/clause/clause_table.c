// Moves whose offset is a sum of one term for each coordinate: resizing to the nearest element,
// tiling, rolling, selecting rows and columns. The terms are evaluated once for each value of
// each coordinate. Rows of the result are then copied by the table of the last coordinate, in
// runs where it is consecutive; a row equal to the previous one is copied from there. Cost: the
// sum of the extents in evaluations, then the copies. Memory: the tables.
#include <stdlib.h>
#include <string.h>

#include "clause_impl.h"
#include "convert.h"

enum { MAX_ENTRIES = 1 << 20, SERIAL = 8192, LONG_RUN = 8 };

typedef enum inner_kind { INNER_STEP, INNER_RUNS, INNER_PAIRS, INNER_TABLE } inner_kind;

typedef struct table_run {
  const clause_bind *b;
  const clause_move *m;
  int64_t *table[MAX_COORDS];  // what a coordinate adds, or NULL where it has a step
  int64_t from, to;            // offsets of the first element
  inner_kind kind;
  int64_t length, step;  // extent and step of the last coordinate
  int64_t *runs;         // INNER_RUNS: where each begins, and the end
  int64_t run_count;
} table_run;

// ---- making tables

static bool fill_table(clause_lanes *e, const table_run *r, int c) {
  const clause_bind *b = r->b;
  int mark = e->top;
  for (int64_t p = 0; p < b->extent[c]; p += e->n) {
    e->n = (int)(b->extent[c] - p < LANES ? b->extent[c] - p : LANES);
    for (int i = 0; i < b->coords; i++)
      e->coord[i] = (clause_index){0};
    e->coord[c] = (clause_index){p, 1, NULL};
    clause_address at = pir_clause_address(e, r->m->from, 0, r->m->load);
    if (e->status || at.lo != 0 || at.hi != e->n || at.outside)
      return false;
    for (int i = 0; i < e->n; i++)
      r->table[c][p + i] =
          (at.offset.v ? at.offset.v[i] : at.offset.base + at.offset.step * i) - r->from;
    e->top = mark;
  }
  return true;
}

static void find_inner(table_run *r) {
  int last = r->b->coords - 1;
  const int64_t *t = r->table[last];
  int64_t n = r->length = r->b->extent[last];
  int64_t runs = 1;
  bool pairs = n % 2 == 0 && pir_dtype_size(r->b->out->dtype) == 4;
  r->step = r->m->from_step[last];
  r->kind = INNER_STEP;
  if (!t)
    return;
  for (int64_t i = 1; i < n; i++)
    runs += t[i] != t[i - 1] + 1;
  for (int64_t i = 0; i < n && pairs; i++)
    pairs = t[i] == i / 2;
  r->kind = n / runs >= LONG_RUN ? INNER_RUNS : INNER_TABLE;
  if (pairs)
    r->kind = INNER_PAIRS;
  if (r->kind != INNER_RUNS)
    return;
  for (int64_t i = 0; i < n; i++)
    if (!i || t[i] != t[i - 1] + 1)
      r->runs[r->run_count++] = i;
  r->runs[r->run_count] = n;
}

// ---- rows

typedef uint32_t four __attribute__((vector_size(16)));

// Copies each element twice.
static void copy_pairs(const char *in, char *out, int64_t n) {
  int64_t i = 0;
  for (; i + 8 <= n; i += 8, in += 16, out += 32) {
    four v, low, high;
    memcpy(&v, in, sizeof v);
    low = __builtin_shufflevector(v, v, 0, 0, 1, 1);
    high = __builtin_shufflevector(v, v, 2, 2, 3, 3);
    memcpy(out, &low, sizeof low);
    memcpy(out + 16, &high, sizeof high);
  }
  for (; i < n; i += 2, in += 4, out += 8) {
    memcpy(out, in, 4);
    memcpy(out + 4, in, 4);
  }
}

static void copy_by_table(size_t size, const char *in, char *out, const int64_t *table,
                          int64_t n) {
#define COPY(bytes)                                                                            \
  case bytes:                                                                                  \
    for (int64_t i = 0; i < n; i++)                                                            \
      memcpy(out + i * (bytes), in + table[i] * (bytes), bytes);                               \
    break
  switch (size) {
    COPY(1);
    COPY(2);
    COPY(4);
    COPY(8);
    COPY(16);
    default: break;
  }
#undef COPY
}

static void copy_row(const table_run *r, const char *in, char *out) {
  pir_dtype dtype = r->b->out->dtype;
  size_t size = pir_dtype_size(dtype);
  const int64_t *table = r->table[r->b->coords - 1];
  switch (r->kind) {
    case INNER_STEP: pir_convert(dtype, out, 1, dtype, in, r->step, r->length); break;
    case INNER_PAIRS: copy_pairs(in, out, r->length); break;
    case INNER_TABLE: copy_by_table(size, in, out, table, r->length); break;
    case INNER_RUNS:
      for (int64_t i = 0; i < r->run_count; i++)
        memcpy(out + r->runs[i] * (int64_t)size, in + table[r->runs[i]] * (int64_t)size,
               (size_t)(r->runs[i + 1] - r->runs[i]) * size);
  }
}

static int64_t term(const table_run *r, int c, int64_t at) {
  return r->table[c] ? r->table[c][at] : at * r->m->from_step[c];
}

static void run_rows(void *user, int64_t begin, int64_t end, int thread) {
  const table_run *r = user;
  const clause_bind *b = r->b;
  int64_t size = (int64_t)pir_dtype_size(b->out->dtype);
  int64_t before = -1;
  int64_t index[MAX_COORDS];
  int64_t rest = begin;
  int64_t from = r->from, to = r->to;
  const char *last = NULL;
  for (int i = b->coords - 2; i >= 0; i--) {
    index[i] = rest % b->extent[i];
    rest /= b->extent[i];
    from += term(r, i, index[i]);
    to += index[i] * r->m->to_step[i];
  }
  for (int64_t row = begin; row < end; row++) {
    char *out = (char *)b->out->data + to * size;
    if (last && from == before)
      memcpy(out, last, (size_t)(r->length * size));
    else
      copy_row(r, (const char *)r->m->from->data + from * size, out);
    before = from;
    last = out;
    for (int i = b->coords - 2; i >= 0; i--) {
      int64_t at = index[i];
      index[i] = at + 1 < b->extent[i] ? at + 1 : 0;
      from += term(r, i, index[i]) - term(r, i, at);
      to += (index[i] - at) * r->m->to_step[i];
      if (index[i])
        break;
    }
  }
}

bool pir_clause_move_by_table(clause_lanes *e, const clause_move *m) {
  const clause_bind *b = e->bind;
  table_run r = {.b = b, .m = m};
  int last = b->coords - 1, mark = e->top;
  int64_t entries = 0, points = pir_clause_points(b, 0, b->coords);
  for (int i = 0; i < b->coords; i++)
    entries += m->tabled >> i & 1 ? b->extent[i] : 0;
  if (m->to_step[last] != 1 || entries > MAX_ENTRIES || entries > points / 4)
    return false;
  size_t size = (size_t)(entries + b->extent[last] + 1) * sizeof(int64_t);
  int64_t *memory = malloc(size), *next = memory;
  if (!memory)
    return false;
  e->n = 1;
  for (int i = 0; i < b->coords; i++)
    e->coord[i] = (clause_index){0};
  clause_address first = pir_clause_address(e, m->from, 0, m->load);
  r.from = first.offset.v ? first.offset.v[0] : first.offset.base;
  r.to = pir_clause_out_offset(e).base;
  bool ok = !e->status && first.lo == 0 && first.hi == 1 && !first.outside;
  e->top = mark;
  for (int i = 0; i < b->coords && ok; i++) {
    if (!(m->tabled >> i & 1))
      continue;
    r.table[i] = next;
    next += b->extent[i];
    ok = fill_table(e, &r, i);
    e->top = mark;
  }
  if (ok) {
    r.runs = next;
    find_inner(&r);
    int64_t rows = points / b->extent[last];
    const pir_parallel *parallel = &b->call->parallel;
    if (parallel->parallel_for && rows > 1 && points > SERIAL)
      parallel->parallel_for(parallel->pool, rows, run_rows, &r);
    else
      run_rows(&r, 0, rows, 0);
  }
  free(memory);
  return ok;
}
