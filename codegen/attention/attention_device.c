// Lowers attention groups for a device: both products and the softmax between them are one
// kernel, and the scores stay in registers and shared memory.
//
// A block of threads takes a block of query rows of one batch and head. Keys and values pass
// through shared memory, a block of keys at a time. Each thread holds a part of the block's
// scores in registers, and the same rows of the results. The threads that share a row are
// neighbours in a warp: they find its maximum and its sum by shuffles. Each row keeps its
// running maximum and sum; when a block of keys raises the maximum m, the results are scaled by
// exp(m_old - m). The division by the sum comes last (lower_attention.c names the sources).
// The weights pass to the second product through shared memory.
//
// Few blocks of rows leave multiprocessors idle, as the one query of a decoder does. Then a
// block takes a part of the keys, and leaves what its rows have summed, their maxima and their
// sums in memory; another kernel combines the parts in their order, by the same scaling.
//
// f32 are multiplied by fmaf; where the mode permits tf32, tensor cores multiply fragments.
// With zero keys the results are 0. A row whose scores are all -inf is NaN, as it is when the
// ops run one by one.
#include "attention_impl.h"
#include "contract_words.h"

#include <math.h>

// How the threads of a block hold the sums of a tile.
typedef struct sums_kind {
  int64_t threads;
  int64_t keys;         // of a block
  int64_t step;         // depths of a step of the first product
  int64_t value_step;   // keys of a step of the second product
  int64_t row_threads;  // neighbours that share a row
  int64_t lanes;        // adjacent sums
  int64_t depth;        // of a fragment; 0: threads multiply elements
} sums_kind;

enum { PAD = 4, LANES_OF_ACCESS = 4, MOST_ROWS = 4 };

// 16 x 16 threads.
static const sums_kind SQUARES = {
    .threads = 256, .keys = 64, .step = 16, .value_step = 16, .row_threads = 16, .lanes = 4};
// Four warps with 16 rows each. PTX ISA, mma.m16n8k8: four lanes share a row.
static const sums_kind ROUNDED = {.threads = 128,
                                  .keys = 32,
                                  .step = 16,
                                  .value_step = 32,
                                  .row_threads = 4,
                                  .lanes = 2,
                                  .depth = 8};

// A matrix in shared memory: distances of rows, and of steps along the sums.
typedef struct tile {
  loop_buffer *buffer;
  int64_t of_row, of_step;
} tile;

// The sums of a thread: `rows` x `vectors` registers of adjacent columns.
typedef struct sums {
  loop_buffer *held;
  int64_t vectors, lanes;
} sums;

typedef struct emission {
  attention_place at;
  contract_emission e;
  const sums_kind *kind;
  int64_t rows;  // of a thread
  int64_t rows_of_unit;
  tile queries, keys, weights, values;
  sums scores, out;
  loop_buffer *top, *total, *left;  // one for each row
  loop_buffer *best;
  loop_expr *thread, *first_key, *key_count;
  // Parts of the keys; 0: a unit takes all.
  int64_t parts;
  pir_dim part_keys;          // of a part: whole blocks of keys
  int64_t units;              // blocks of rows
  loop_expr *unit, *part;     // the block of rows, and its part of the keys
  uint16_t of_sums, of_rows;  // buffers of both kernels: the rows' sums, and of each row its
  loop_buffer *part_sums, *part_rows;  // maximum and the sum of its weights
} emission;

static bool in_fragments(const emission *t) {
  return t->kind->depth > 0;
}

// ---- places

// Returns row `i` of the thread within the unit.
static loop_expr *thread_row(const emission *t, loop_expr *i) {
  const contract_emission *e = &t->e;
  loop_expr *group = contract_div(e, t->thread, contract_int(e, t->kind->row_threads));
  if (!in_fragments(t))
    return contract_in_line(e, group, t->rows, i);
  loop_expr *eight = contract_int(e, FRAGMENT_ROWS / 2);
  loop_expr *first = contract_in_line(e, contract_div(e, group, eight), FRAGMENT_ROWS,
                                      contract_mod(e, group, eight));
  return contract_add(e, first, contract_times(e, i, FRAGMENT_ROWS / 2));
}

// Returns the first column of vector `j` of the thread.
static loop_expr *thread_column(const emission *t, const sums *s, loop_expr *j) {
  const contract_emission *e = &t->e;
  loop_expr *own = contract_mod(e, t->thread, contract_int(e, t->kind->row_threads));
  return contract_in_line(e, j, t->kind->row_threads * s->lanes,
                          contract_times(e, own, s->lanes));
}

static loop_expr *slot_of(const emission *t, loop_expr *j, loop_expr *i) {
  return contract_in_line(&t->e, j, t->rows, i);
}

static loop_expr *load_sums(const emission *t, const sums *s, loop_expr *slot) {
  return contract_load(&t->e, s->held, slot, (int)s->lanes, NULL);
}

static loop_expr *place_in(const emission *t, const tile *in, loop_expr *row, loop_expr *step) {
  const contract_emission *e = &t->e;
  return contract_add(e, contract_times(e, row, in->of_row),
                      contract_times(e, step, in->of_step));
}

static loop_expr *f32_constant(const emission *t, double x) {
  return pir_loop_const_float(t->e.m, PIR_F32, x);
}

static loop_expr *exponential(const emission *t, loop_expr *x, loop_expr *shift) {
  return pir_loop_op(t->e.m, PIR_V_EXP, contract_sub(&t->e, x, shift), NULL, NULL);
}

// ---- fetching

// A part of queries, keys or values that a step needs: `rows` along an axis of the scores times
// `others` along the depth or width.
typedef struct fetching {
  const contract_tensor *map;
  int axis;                      // of the scores
  int64_t rows, others, extent;  // extent: all others that exist
  loop_expr *first, *count;      // the first row, and how many exist
  loop_expr *from;               // the first of the others
  int64_t of_row, of_other;      // distances in the tile
  loop_buffer *tile;
} fetching;

// Emits the store of one element at (row, other + lane).
static void store_lane(emission *t, const fetching *f, loop_block *body, loop_expr *row,
                       loop_expr *other, bool exists) {
  const contract_emission *e = &t->e;
  loop_expr *at =
      contract_add(e, contract_times(e, row, f->of_row), contract_times(e, other, f->of_other));
  t->at.axis[f->axis] = contract_add(e, f->first, row);
  if (exists)
    attention_store(&t->at, body, f->map, contract_add(e, f->from, other), f->tile, at);
  else
    contract_store(e, body, f->tile, at, f32_constant(t, 0));
}

// Whether neighbours along the depth or width are adjacent in memory.
static bool others_adjacent(emission *t, const fetching *f) {
  loop_block body = {0};
  loop_var *lane = pir_loop_var_create(t->e.fn, "lane", LOOP_INDEX, 1);
  store_lane(t, f, &body, contract_int(&t->e, 0), pir_loop_use(t->e.m, lane), true);
  return attention_reads_runs(&body, lane);
}

// Stores `lanes` elements at (row, other), or zeros.
static void store_lanes(emission *t, const fetching *f, loop_block *block, loop_expr *row,
                        loop_expr *other, int64_t lanes, bool exists) {
  const contract_emission *e = &t->e;
  loop_block body = {0};
  loop_var *lane = pir_loop_var_create(e->fn, "lane", LOOP_INDEX, 1);
  lane->extent = contract_int(e, lanes);
  store_lane(t, f, &body, row, contract_add(e, other, pir_loop_use(e->m, lane)), exists);
  if (!t->at.l->why && pir_loop_widen(e->fn, block, &body, lane, contract_int(e, 0),
                                      (uint16_t)lanes, NULL, NULL, NULL, 0))
    lower_fail(t->at.l, t->at.a->first, "an operand that has no vector form");
}

// Fetches a part into its tile; elements beyond the end are 0. Each thread loads vectors along
// the depth or width if that is adjacent in memory. Then neighbouring threads take neighbouring
// vectors, or rows where these are adjacent in the tile, so that their stores lie in different
// banks.
static void fetch_part(emission *t, const fetching *f, loop_block *block) {
  const contract_emission *e = &t->e;
  bool runs = others_adjacent(t, f);
  int64_t lanes = runs ? LANES_OF_ACCESS : 1, threads = t->kind->threads;
  while (f->extent % lanes || f->others % lanes)
    lanes /= 2;
  bool along = runs && (lanes == 1 || f->of_row != 1);
  int64_t line = f->others / lanes, accesses = line * f->rows;
  loop_expr *i = contract_unrolled(e, &block, (accesses + threads - 1) / threads);
  loop_expr *at = contract_let(e, block, "at", contract_in_line(e, i, threads, t->thread));
  if (accesses % threads)
    block = contract_if(e, block, contract_lt(e, at, contract_int(e, accesses)), NULL);
  loop_expr *across = contract_int(e, along ? line : f->rows);
  loop_expr *rest = contract_mod(e, at, across), *number = contract_div(e, at, across);
  loop_expr *row = contract_let(e, block, "row", along ? number : rest);
  loop_expr *other = contract_times(e, along ? rest : number, lanes);
  other = contract_let(e, block, "d", other);
  loop_expr *exists = contract_lt(e, row, f->count);
  loop_block *beyond;
  if (f->extent % f->others)
    exists = contract_both(
        e, exists, contract_lt(e, contract_add(e, f->from, other), contract_int(e, f->extent)));
  block = contract_if(e, block, exists, &beyond);
  store_lanes(t, f, block, row, other, lanes, true);
  store_lanes(t, f, beyond, row, other, lanes, false);
}

// Fetches a step of queries or keys: the depths from `from` on.
static void fetch_depths(emission *t, loop_block *block, const contract_tensor *map,
                         const tile *to, int64_t rows, loop_expr *from) {
  const attention *a = t->at.a;
  bool keys = map == a->k_map;
  fetching f = {.map = map,
                .axis = keys ? a->key : a->row,
                .rows = rows,
                .others = t->kind->step,
                .extent = a->depth_extent,
                .first = keys ? t->first_key : t->at.first_row,
                .count = keys ? t->key_count : t->at.row_count,
                .from = from,
                .of_row = to->of_row,
                .of_other = to->of_step,
                .tile = to->buffer};
  fetch_part(t, &f, block);
}

// Fetches the values of the keys that begin at `from` in the block. The second product sums
// over keys, so the columns of the width are the rows of the tile.
static void fetch_values(emission *t, loop_block *block, loop_expr *from) {
  const contract_emission *e = &t->e;
  const attention *a = t->at.a;
  fetching f = {.map = a->v_map,
                .axis = a->key,
                .rows = t->kind->value_step,
                .others = a->width_extent,
                .extent = a->width_extent,
                .first = contract_add(e, t->first_key, from),
                .count = contract_sub(e, t->key_count, from),
                .from = contract_int(e, 0),
                .of_row = t->values.of_step,
                .of_other = t->values.of_row,
                .tile = t->values.buffer};
  fetch_part(t, &f, block);
}

// ---- products

// Adds a product of elements: `steps` steps, from step `from` of the left tile on.
static void add_squares(emission *t, loop_block *block, const sums *s, const tile *left,
                        loop_expr *from, const tile *right, int64_t steps) {
  const contract_emission *e = &t->e;
  loop_expr *k = contract_unrolled(e, &block, steps);
  loop_block *inner = block;
  loop_expr *i = contract_unrolled(e, &inner, t->rows);
  loop_expr *at = place_in(t, left, thread_row(t, i), contract_add(e, from, k));
  contract_store(e, inner, t->left, i, contract_load(e, left->buffer, at, 1, NULL));
  loop_expr *j = contract_unrolled(e, &block, s->vectors);
  at = place_in(t, right, thread_column(t, s, j), k);
  loop_expr *y =
      contract_let(e, block, "y", contract_load(e, right->buffer, at, (int)s->lanes, NULL));
  i = contract_unrolled(e, &block, t->rows);
  loop_expr *x = contract_load(e, t->left, i, 1, NULL), *slot = slot_of(t, j, i);
  x = pir_loop_broadcast(e->m, x, (uint16_t)s->lanes);
  contract_store(e, block, s->held, slot, pir_loop_fma(e->m, x, y, load_sums(t, s, slot)));
}

// Returns a lane's part of the fragment that begins at `row` and `step` of the tile.
static loop_fragment fragment_at(const emission *t, const tile *of, loop_expr *row,
                                 loop_expr *step) {
  enum { HALVES = 2 };
  loop_expr *at = place_in(t, of, row, step);
  return (loop_fragment){.at = contract_load(&t->e, of->buffer, at, 1, NULL),
                         .row = of->of_row,
                         .eight = FRAGMENT_ROWS / HALVES * of->of_row,
                         .term = of->of_step,
                         .half = t->kind->depth / HALVES * of->of_step};
}

// Adds a product of fragments.
static void add_fragments(emission *t, loop_block *block, const sums *s, const tile *left,
                          loop_expr *from, const tile *right, int64_t steps) {
  const contract_emission *e = &t->e;
  loop_expr *zero = contract_int(e, 0), *quad = contract_int(e, t->kind->row_threads);
  loop_expr *lane = contract_mod(e, t->thread, contract_int(e, WARP));
  loop_expr *own = contract_mod(e, t->thread, quad), *line = contract_div(e, lane, quad);
  loop_expr *k = contract_unrolled(e, &block, steps / t->kind->depth);
  loop_expr *step = contract_in_line(e, k, t->kind->depth, own);
  loop_expr *j = contract_unrolled(e, &block, s->vectors);
  loop_fragment x = fragment_at(t, left, thread_row(t, zero), contract_add(e, from, step));
  loop_expr *column = contract_in_line(e, j, FRAGMENT_COLUMNS, line);
  pir_loop_mma(e->fn, block, s->held, slot_of(t, j, zero), x,
               fragment_at(t, right, column, step));
}

static void add_part(emission *t, loop_block *block, const sums *s, const tile *left,
                     loop_expr *from, const tile *right, int64_t steps) {
  if (in_fragments(t))
    add_fragments(t, block, s, left, from, right, steps);
  else
    add_squares(t, block, s, left, from, right, steps);
}

static void clear(emission *t, loop_block *block, loop_buffer *held, double x) {
  const contract_emission *e = &t->e;
  loop_expr *r = contract_unrolled(e, &block, held->count);
  contract_store(e, block, held, r, pir_loop_broadcast(e->m, f32_constant(t, x), held->lanes));
}

static void multiply_keys(emission *t, loop_block *block) {
  const contract_emission *e = &t->e;
  loop_expr *from, *depth = contract_int(e, t->at.a->depth_extent), *zero = contract_int(e, 0);
  clear(t, block, t->scores.held, 0);
  block = contract_count(e, block, "d", depth, t->kind->step, &from);
  from->var->multiple = t->kind->step;
  fetch_depths(t, block, t->at.a->q_map, &t->queries, t->rows_of_unit, from);
  fetch_depths(t, block, t->at.a->k_map, &t->keys, t->kind->keys, from);
  pir_loop_barrier(e->fn, block);
  add_part(t, block, &t->scores, &t->queries, zero, &t->keys, t->kind->step);
  pir_loop_barrier(e->fn, block);
}

static void multiply_values(emission *t, loop_block *block) {
  const contract_emission *e = &t->e;
  loop_expr *from;
  block = contract_count(e, block, "k", t->key_count, t->kind->value_step, &from);
  from->var->multiple = t->kind->value_step;
  fetch_values(t, block, from);
  pir_loop_barrier(e->fn, block);
  add_part(t, block, &t->out, &t->weights, from, &t->values, t->kind->value_step);
  pir_loop_barrier(e->fn, block);
}

// ---- rows

// Returns the position in `weights` of vector j of row i, both of the thread.
static loop_expr *weight_place(const emission *t, loop_expr *i, loop_expr *j) {
  return place_in(t, &t->weights, thread_row(t, i), thread_column(t, &t->scores, j));
}

// Computes the ops between the products on the thread's own sums, in shared memory.
static void compute_scores(emission *t, loop_block *block) {
  contract_emission *e = &t->e;
  const attention *a = t->at.a;
  int lanes = (int)t->scores.lanes;
  int64_t keys;
  loop_expr *j = contract_unrolled(e, &block, t->scores.vectors);
  loop_expr *i = contract_unrolled(e, &block, t->rows), *slot = slot_of(t, j, i);
  loop_expr *row = contract_let(e, block, "row", thread_row(t, i)), *mask = NULL;
  loop_expr *column = contract_let(e, block, "column", thread_column(t, &t->scores, j));
  loop_expr *exists = contract_both(e, contract_lt(e, row, t->at.row_count),
                                    contract_lt(e, column, t->key_count));
  loop_block *body = contract_if(e, block, exists, NULL), one = {0};
  loop_expr *at = place_in(t, &t->weights, row, column);
  contract_store(e, body, t->weights.buffer, at, load_sums(t, &t->scores, slot));
  if (!pir_dim_is_const(t->at.l->dims, a->shape[a->key], &keys) || keys % lanes)
    mask = contract_mask(e, body, contract_sub(e, t->key_count, column), lanes);
  loop_var *lane = pir_loop_var_create(e->fn, "lane", LOOP_INDEX, 1);
  loop_expr *of_lane = pir_loop_use(e->m, lane), *here = contract_add(e, at, of_lane);
  lane->extent = contract_int(e, lanes);
  t->at.axis[a->row] = contract_add(e, t->at.first_row, row);
  t->at.axis[a->key] = contract_add(e, t->first_key, contract_add(e, column, of_lane));
  loop_expr *x = attention_score(&t->at, &one, t->weights.buffer, here);
  if (t->at.l->why)
    return;
  contract_store(e, &one, t->weights.buffer, here, x);
  if (pir_loop_widen(e->fn, body, &one, lane, contract_int(e, 0), (uint16_t)lanes, mask, NULL,
                     NULL, 0))
    lower_fail(t->at.l, a->first, "scores that have no vector form");
  loop_expr *done = contract_load(e, t->weights.buffer, at, lanes, NULL);
  contract_store(e, body, t->scores.held, slot, done);
}

// Keys beyond the end get the score -inf.
static void exclude_keys(emission *t, loop_block *block) {
  const contract_emission *e = &t->e;
  uint16_t lanes = (uint16_t)t->scores.lanes;
  loop_expr *j = contract_unrolled(e, &block, t->scores.vectors);
  loop_expr *left = contract_sub(e, t->key_count, thread_column(t, &t->scores, j));
  loop_expr *mask = contract_mask(e, block, left, lanes);
  loop_expr *i = contract_unrolled(e, &block, t->rows), *slot = slot_of(t, j, i);
  loop_expr *none = pir_loop_broadcast(e->m, f32_constant(t, -INFINITY), lanes);
  loop_expr *x = pir_loop_select(e->m, mask, load_sums(t, &t->scores, slot), none);
  contract_store(e, block, t->scores.held, slot, x);
}

// Returns the largest score of row i in this block of keys.
static loop_expr *find_largest(emission *t, loop_block *block, loop_expr *i) {
  const contract_emission *e = &t->e;
  loop_expr *zero = contract_int(e, 0);
  loop_block *inner = block;
  contract_store(e, block, t->best, zero, f32_constant(t, -INFINITY));
  loop_expr *j = contract_unrolled(e, &inner, t->scores.vectors);
  loop_expr *x = load_sums(t, &t->scores, slot_of(t, j, i));
  pir_loop_accumulate(e->fn, inner, t->best, zero, PIR_COMBINE_MAX,
                      pir_loop_fold(e->m, PIR_COMBINE_MAX, x));
  loop_expr *own = contract_load(e, t->best, zero, 1, NULL);
  int group = (int)t->kind->row_threads;
  return contract_let(e, block, "top", pir_loop_team(e->m, PIR_COMBINE_MAX, group, own));
}

// Turns the scores of each row into weights, and scales what the row has summed so far.
static void weigh_rows(emission *t, loop_block *block) {
  const contract_emission *e = &t->e;
  loop_expr *i = contract_unrolled(e, &block, t->rows);
  loop_expr *largest = find_largest(t, block, i);
  loop_expr *before = contract_let(e, block, "top", contract_load(e, t->top, i, 1, NULL));
  largest = contract_let(e, block, "top", contract_max(e, before, largest));
  contract_store(e, block, t->top, i, largest);
  // While all scores of a row are -inf, the weights are 0 and not NaN, because a later block
  // may have finite scores.
  loop_expr *none = pir_loop_op(e->m, PIR_V_EQ, largest, f32_constant(t, -INFINITY), NULL);
  loop_expr *shift =
      contract_let(e, block, "shift", pir_loop_select(e->m, none, f32_constant(t, 0), largest));
  loop_expr *shrink = contract_let(e, block, "shrink", exponential(t, before, shift));
  loop_expr *sum = contract_mul(e, contract_load(e, t->total, i, 1, NULL), shrink);
  contract_store(e, block, t->total, i, sum);
  loop_block *inner = block;
  loop_expr *j = contract_unrolled(e, &inner, t->scores.vectors);
  loop_expr *x = load_sums(t, &t->scores, slot_of(t, j, i));
  x = contract_let(e, inner, "w", exponential(t, x, shift));
  contract_store(e, inner, t->weights.buffer, weight_place(t, i, j), x);
  pir_loop_accumulate(e->fn, inner, t->total, i, PIR_COMBINE_ADD,
                      pir_loop_fold(e->m, PIR_COMBINE_ADD, x));
  j = contract_unrolled(e, &block, t->out.vectors);
  loop_expr *slot = slot_of(t, j, i);
  shrink = pir_loop_broadcast(e->m, shrink, (uint16_t)t->out.lanes);
  contract_store(e, block, t->out.held, slot,
                 contract_mul(e, load_sums(t, &t->out, slot), shrink));
}

static void finish_rows(emission *t, loop_block *block) {
  const contract_emission *e = &t->e;
  const attention *a = t->at.a;
  int lanes = (int)t->out.lanes;
  loop_expr *keys = lower_dim(t->at.l, a->shape[a->key]), *zero = contract_int(e, 0);
  loop_expr *i = contract_unrolled(e, &block, t->rows),
            *width = contract_int(e, a->width_extent);
  loop_expr *total = contract_load(e, t->total, i, 1, NULL);
  total = pir_loop_team(e->m, PIR_COMBINE_ADD, (int)t->kind->row_threads, total);
  total = pir_loop_select(e->m, contract_lt(e, zero, keys), total, f32_constant(t, 1));
  total = contract_let(e, block, "total", total);
  loop_expr *j = contract_unrolled(e, &block, t->out.vectors);
  loop_expr *row = contract_let(e, block, "row", thread_row(t, i));
  loop_expr *column = contract_let(e, block, "column", thread_column(t, &t->out, j));
  contract_point p = {.lanes = (uint16_t)lanes};
  loop_expr *exists = contract_lt(e, row, t->at.row_count);
  block = contract_if(e, block, contract_both(e, exists, contract_lt(e, column, width)), NULL);
  if (a->width_extent % lanes)
    p.mask = contract_mask(e, block, contract_sub(e, width, column), lanes);
  column->var->extent = width;
  p.value = pir_loop_op(e->m, PIR_V_DIV, load_sums(t, &t->out, slot_of(t, j, i)),
                        pir_loop_broadcast(e->m, total, p.lanes), NULL);
  p.value = contract_let(e, block, "sum", p.value);
  t->at.axis[a->row] = contract_add(e, t->at.first_row, row);
  attention_finish(&t->at, block, column, &p);
}

// ---- parts of the keys

// Returns the number of a row in the buffers of the parts.
static loop_expr *part_row(const emission *t, loop_expr *part, loop_expr *row) {
  const contract_emission *e = &t->e;
  loop_expr *number = contract_in_line(e, t->unit, t->parts, part);
  return contract_in_line(e, number, t->rows_of_unit, row);
}

static void open_parts(emission *t, bool reads) {
  loop_fn *fn = t->at.l->fn;
  t->part_sums = pir_loop_arg(fn, "sums", PIR_F32, t->of_sums, 16, reads);
  t->part_rows = pir_loop_arg(fn, "rows", PIR_F32, t->of_rows, 16, reads);
}

static void store_part(emission *t, loop_block *block) {
  const contract_emission *e = &t->e;
  const attention *a = t->at.a;
  int64_t lanes = t->out.lanes, threads = t->kind->row_threads;
  loop_expr *i = contract_unrolled(e, &block, t->rows), *zero = contract_int(e, 0);
  loop_expr *total = contract_load(e, t->total, i, 1, NULL);
  total = pir_loop_team(e->m, PIR_COMBINE_ADD, (int)threads, total);
  total = contract_let(e, block, "total", total);
  loop_expr *row = contract_let(e, block, "row", thread_row(t, i)), *mask = NULL;
  block = contract_if(e, block, contract_lt(e, row, t->at.row_count), NULL);
  loop_expr *at = contract_let(e, block, "at", part_row(t, t->part, row));
  loop_expr *own = contract_mod(e, t->thread, contract_int(e, threads));
  loop_expr *is_first = pir_loop_op(e->m, PIR_V_EQ, own, zero, NULL);
  loop_block *first = contract_if(e, block, is_first, NULL);
  loop_expr *top = contract_load(e, t->top, i, 1, NULL), *both = contract_times(e, at, 2);
  contract_store(e, first, t->part_rows, both, top);
  contract_store(e, first, t->part_rows, contract_plus(e, both, 1), total);
  loop_expr *j = contract_unrolled(e, &block, t->out.vectors);
  loop_expr *column = contract_let(e, block, "column", thread_column(t, &t->out, j));
  loop_expr *width = contract_int(e, a->width_extent);
  block = contract_if(e, block, contract_lt(e, column, width), NULL);
  if (a->width_extent % lanes)
    mask = contract_mask(e, block, contract_sub(e, width, column), (int)lanes);
  pir_loop_store(e->fn, block, t->part_sums, contract_in_line(e, at, a->width_extent, column),
                 load_sums(t, &t->out, slot_of(t, j, i)), mask);
}

// Opens a loop over the parts of a row; sets the part's place in the buffers.
static loop_block *each_part(const emission *t, loop_block *block, loop_expr *row,
                             loop_expr **out_at) {
  const contract_emission *e = &t->e;
  loop_expr *part;
  block = contract_count(e, block, "part", contract_int(e, t->parts), 1, &part);
  *out_at = contract_let(e, block, "at", part_row(t, part, row));
  return block;
}

// Combines the parts of one element.
static void combine_parts(emission *t, loop_block *block, loop_expr *row, loop_expr *column) {
  const contract_emission *e = &t->e;
  const attention *a = t->at.a;
  loop_expr *zero = contract_int(e, 0), *at, *keys = lower_dim(t->at.l, a->shape[a->key]);
  loop_buffer *held[] = {t->top, t->total, t->best};
  const double begin[] = {-INFINITY, 0, 0};
  for (int i = 0; i < 3; i++)
    contract_store(e, block, held[i], zero, f32_constant(t, begin[i]));
  loop_block *body = each_part(t, block, row, &at);
  loop_expr *top = contract_load(e, t->part_rows, contract_times(e, at, 2), 1, NULL);
  loop_expr *before = contract_load(e, t->top, zero, 1, NULL);
  contract_store(e, body, t->top, zero, contract_max(e, before, top));
  loop_expr *largest = contract_let(e, block, "top", contract_load(e, t->top, zero, 1, NULL));
  loop_expr *none = pir_loop_op(e->m, PIR_V_EQ, largest, f32_constant(t, -INFINITY), NULL);
  loop_expr *shift = pir_loop_select(e->m, none, f32_constant(t, 0), largest);
  shift = contract_let(e, block, "shift", shift);
  body = each_part(t, block, row, &at);
  top = contract_load(e, t->part_rows, contract_times(e, at, 2), 1, NULL);
  loop_expr *shrink = contract_let(e, body, "shrink", exponential(t, top, shift));
  loop_expr *parts[] = {
      contract_load(e, t->part_rows, contract_plus(e, contract_times(e, at, 2), 1), 1, NULL),
      contract_load(e, t->part_sums, contract_in_line(e, at, a->width_extent, column), 1,
                    NULL)};
  for (int i = 0; i < 2; i++) {
    loop_expr *sum = contract_load(e, held[1 + i], zero, 1, NULL);
    sum = contract_add(e, sum, contract_mul(e, parts[i], shrink));
    contract_store(e, body, held[1 + i], zero, sum);
  }
  loop_expr *total = contract_load(e, t->total, zero, 1, NULL);
  total = pir_loop_select(e->m, contract_lt(e, zero, keys), total, f32_constant(t, 1));
  loop_expr *sum = contract_load(e, t->best, zero, 1, NULL);
  contract_point p = {.lanes = 1};
  p.value = contract_let(e, block, "sum", pir_loop_op(e->m, PIR_V_DIV, sum, total, NULL));
  attention_finish(&t->at, block, column, &p);
}

// Emits the kernel that combines the parts: a thread for each element of the results.
static void emit_combination(emission *t, int64_t number, lower_stages *stages) {
  lowering *l = t->at.l;
  const attention *a = t->at.a;
  loop_expr *unit;
  t->at = (attention_place){.l = l, .a = a};
  lower_start(l, "stage", number);
  t->e = (contract_emission){.m = l->m, .fn = l->fn};
  l->fn->threads = 1;
  open_parts(t, true);
  t->top = pir_loop_registers(l->fn, "top", PIR_F32, 1, 1);
  t->total = pir_loop_registers(l->fn, "total", PIR_F32, 1, 1);
  t->best = pir_loop_registers(l->fn, "sum", PIR_F32, 1, 1);
  loop_block *block = contract_open_units(&t->e, "unit", &unit);
  int64_t rows = t->rows_of_unit, width = a->width_extent, units = t->units * rows * width;
  unit->var->extent = contract_int(&t->e, units);
  loop_expr *columns = contract_int(&t->e, width), *lines = contract_int(&t->e, rows);
  loop_expr *column = contract_let(&t->e, block, "column", contract_mod(&t->e, unit, columns));
  loop_expr *line = contract_let(&t->e, block, "line", contract_div(&t->e, unit, columns));
  loop_expr *row = contract_let(&t->e, block, "row", contract_mod(&t->e, line, lines));
  t->unit = contract_let(&t->e, block, "unit", contract_div(&t->e, line, lines));
  column->var->extent = columns;
  (void)attention_split_unit(&t->at, block, t->unit, rows);
  block = contract_if(&t->e, block, contract_lt(&t->e, row, t->at.row_count), NULL);
  t->at.axis[a->row] = contract_add(&t->e, t->at.first_row, row);
  combine_parts(t, block, row, column);
  lower_stage s = {l->fn, pir_dim_const(l->dims, units)};
  pir_vec_push(&l->m->arena, stages, s);
}

static void emit_keys(emission *t, loop_block *block) {
  multiply_keys(t, block);
  if (t->at.a->chain_count)
    compute_scores(t, block);
  exclude_keys(t, block);
  weigh_rows(t, block);
  multiply_values(t, block);
}

// ---- the kernel

bool attention_fits_device(const attention *a) {
  return a->one.out.dtype == PIR_F32;
}

// Chooses the rows of a thread and the lanes of its results: no more than there are.
static void choose_sizes(emission *t) {
  const attention *a = t->at.a;
  const device_architecture *x = t->at.l->target->architecture;
  int64_t rows;
  bool known = pir_dim_is_const(t->at.l->dims, a->shape[a->row], &rows);
  bool rounds = x->tf32 && t->at.l->math >= PIR_MATH_FAST;
  t->kind = rounds ? &ROUNDED : &SQUARES;
  t->rows = rounds ? 2 : MOST_ROWS;
  while (!rounds && known && t->rows > 1 && rows <= t->rows / 2 * SQUARES.row_threads)
    t->rows /= 2;
  t->rows_of_unit = t->kind->threads / t->kind->row_threads * t->rows;
  t->out.lanes = t->kind->lanes;
  while (!rounds && t->out.lanes > 1 &&
         t->out.lanes / 2 * t->kind->row_threads >= a->width_extent)
    t->out.lanes /= 2;
  t->scores.lanes = t->kind->lanes;
  t->scores.vectors = t->kind->keys / (t->kind->row_threads * t->scores.lanes);
  int64_t across = t->kind->row_threads * t->out.lanes;
  t->out.vectors = attention_round_up(a->width_extent, across) / across;
}

// Opens a tile of `rows` rows and `steps` steps: rows are adjacent where threads multiply
// elements, steps in fragments.
static tile open_shared(emission *t, const char *name, int64_t rows, int64_t steps,
                        bool steps_adjacent) {
  int64_t line = (steps_adjacent ? steps : rows) + PAD, lines = steps_adjacent ? rows : steps;
  tile made = {.of_row = steps_adjacent ? line : 1, .of_step = steps_adjacent ? 1 : line};
  made.buffer = pir_loop_shared(t->e.fn, name, PIR_F32, lines * line);
  return made;
}

static void open_memory(emission *t) {
  loop_fn *fn = t->e.fn;
  const sums_kind *kind = t->kind;
  bool fragments = in_fragments(t);
  int64_t columns = t->out.vectors * kind->row_threads * t->out.lanes;
  t->queries = open_shared(t, "queries", t->rows_of_unit, kind->step, fragments);
  t->keys = open_shared(t, "keys", kind->keys, kind->step, fragments);
  t->weights = open_shared(t, "weights", t->rows_of_unit, kind->keys, true);
  t->values = open_shared(t, "values", columns, kind->value_step, fragments);
  t->scores.held = pir_loop_registers(fn, "scores", PIR_F32, (uint16_t)t->scores.lanes,
                                      t->scores.vectors * t->rows);
  t->out.held =
      pir_loop_registers(fn, "out", PIR_F32, (uint16_t)t->out.lanes, t->out.vectors * t->rows);
  t->top = pir_loop_registers(fn, "top", PIR_F32, 1, t->rows);
  t->total = pir_loop_registers(fn, "total", PIR_F32, 1, t->rows);
  t->best = pir_loop_registers(fn, "best", PIR_F32, 1, 1);
  t->left = pir_loop_registers(fn, "left", PIR_F32, 1, t->rows);
}

// States that a number is from 0 to `most`.
static void state_most(const emission *t, loop_expr *number, int64_t most) {
  if (number->kind == LOOP_VAR && !number->var->extent)
    number->var->extent = contract_int(&t->e, most + 1);
}

// Chooses parts of the keys: each multiprocessor gets a block, and a part has so many keys that
// its sums take few bytes beside them.
static void divide_keys(emission *t) {
  lowering *l = t->at.l;
  const attention *a = t->at.a;
  const device_architecture *x = l->target->architecture;
  int64_t keys, fewest = x->part_steps * t->kind->value_step, floats = sizeof(float);
  pir_dim units = pir_dim_const(l->dims, t->rows_of_unit),
          block = pir_dim_const(l->dims, t->kind->keys);
  units = pir_dim_ceildiv(l->dims, a->shape[a->row], units);
  for (int d = 0; d < a->rank; d++)
    if (d != a->row && d != a->key)
      units = pir_dim_mul(l->dims, units, a->shape[d]);
  if (!pir_dim_is_const(l->dims, units, &t->units) || t->units < 1)
    return;
  int64_t parts = x->multiprocessors / t->units;
  if (pir_dim_is_const(l->dims, a->shape[a->key], &keys) && keys / fewest < parts)
    parts = keys / fewest;
  if (parts < 2)
    return;
  t->parts = parts;
  pir_dim of_part = pir_dim_ceildiv(l->dims, a->shape[a->key], pir_dim_const(l->dims, parts));
  of_part = pir_dim_max(l->dims, of_part, pir_dim_const(l->dims, fewest));
  t->part_keys = pir_dim_mul(l->dims, pir_dim_ceildiv(l->dims, of_part, block), block);
  int64_t rows = t->units * parts * t->rows_of_unit;
  t->of_sums = lower_temporary(l, pir_dim_const(l->dims, rows * a->width_extent * floats));
  t->of_rows = lower_temporary(l, pir_dim_const(l->dims, rows * 2 * floats));
  open_parts(t, false);
}

// Opens the loop over the blocks of keys that the unit takes.
static loop_block *open_keys(emission *t, loop_block *block) {
  const contract_emission *e = &t->e;
  const attention *a = t->at.a;
  loop_expr *all = lower_dim(t->at.l, a->shape[a->key]), *begin = contract_int(e, 0), *from;
  if (t->parts) {
    begin = contract_mul(e, t->part, lower_dim(t->at.l, t->part_keys));
    begin = contract_let(e, block, "begin", begin);
    begin->var->multiple = t->kind->keys;
    loop_expr *end = contract_add(e, begin, lower_dim(t->at.l, t->part_keys));
    all = contract_let(e, block, "end", contract_min(e, all, end));
  }
  loop_expr *count = contract_sub(e, all, begin);
  block = contract_count(e, block, "key", count, t->kind->keys, &from);
  from->var->multiple = t->kind->keys;
  t->first_key = from;
  if (t->parts) {
    t->first_key = contract_let(e, block, "first", contract_add(e, begin, from));
    t->first_key->var->multiple = t->kind->keys;
  }
  loop_expr *left = contract_sub(e, all, t->first_key);
  left = contract_min(e, left, contract_int(e, t->kind->keys));
  t->key_count = contract_let(e, block, "keys", left);
  state_most(t, t->key_count, t->kind->keys);
  return block;
}

static void emit_unit(emission *t, loop_block *block) {
  const contract_emission *e = &t->e;
  loop_var *thread = pir_loop_var_create(e->fn, "t", LOOP_INDEX, 1);
  loop_expr *zero = contract_int(e, 0), *threads = contract_int(e, t->kind->threads);
  block = pir_loop_for(e->fn, block, LOOP_THREADS, thread, zero, threads, NULL);
  t->thread = pir_loop_use(e->m, thread);
  clear(t, block, t->out.held, 0);
  clear(t, block, t->top, -INFINITY);
  clear(t, block, t->total, 0);
  emit_keys(t, open_keys(t, block));
  if (t->at.l->why)
    return;
  if (t->parts)
    store_part(t, block);
  else
    finish_rows(t, block);
}

void lower_attention_device(lowering *l, const attention *a, lower_stages *stages) {
  emission t = {.at = {.l = l, .a = a}};
  loop_expr *unit;
  attention_start(&t.at, (int64_t)stages->count);
  t.e = (contract_emission){.m = l->m, .fn = l->fn};
  choose_sizes(&t);
  l->fn->threads = (int)t.kind->threads;
  open_memory(&t);
  divide_keys(&t);
  loop_block *block = contract_open_units(&t.e, "unit", &unit);
  unit->var->extent = pir_loop_use(l->m, l->fn->end);
  if (t.parts) {
    loop_expr *parts = contract_int(&t.e, t.parts);
    t.part = contract_let(&t.e, block, "part", contract_mod(&t.e, unit, parts));
    t.unit = unit = contract_let(&t.e, block, "unit", contract_div(&t.e, unit, parts));
  }
  pir_dim units = attention_split_unit(&t.at, block, unit, t.rows_of_unit);
  state_most(&t, t.at.row_count, t.rows_of_unit);
  emit_unit(&t, block);
  pir_text_format(l->how, sizeof l->how, "attention, blocks of %lld rows and %lld keys%s",
                  (long long)t.rows_of_unit, (long long)t.kind->keys,
                  in_fragments(&t) ? " in fragments" : "");
  if (t.parts)
    units = pir_dim_const(l->dims, t.units * t.parts);
  lower_stage s = {l->fn, units};
  pir_vec_push(&l->m->arena, stages, s);
  if (t.parts && !l->why)
    emit_combination(&t, (int64_t)stages->count, stages);
}
