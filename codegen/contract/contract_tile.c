// The tiled contraction kernel for a device. A block of 256 threads computes one tile of out:
// rows (all M axes merged) by columns (the N axis). The reduced axes (all K axes merged) go
// through shared memory in steps, of which a ring holds several (pir/layer/architectures.def).
// While the block multiplies one step, the next ones are copied asynchronously. Where elements
// change their type on the way or are too small, or the architecture has no such copies, each
// thread fetches its share of the next step into registers instead. Each thread holds a square
// of sums.
//
// Convolutions use the same kernel: the row gives the start of the image patch, the position
// along K gives the tap within it. Taps in the padding read as 0. No patch is copied. 16-bit
// floats, and f32 where the mode permits tf32, use tensor cores: a warp computes its part of
// the tile from fragments of 16 rows and 8 columns, with f32 sums. The addresses of rows are
// computed once for each tile, the addresses of taps once for each step. Neighbouring threads
// load along whichever of rows and taps is adjacent in memory.
#include "architecture.h"
#include "contract_ways.h"
#include "contract_words.h"

enum { SIDE = 16, THREADS = SIDE * SIDE, LANES = 4 };
enum { FRAGMENT_LANES = 2, WARPS_DOWN = 2, WARPS_ACROSS = 4 };

// How products are made: of elements by threads, or of fragments by warps on tensor cores.
typedef struct product_kind {
  int64_t depth;  // elements of the reduction in a fragment; 0: no fragments
  int64_t own;    // adjacent ones of which each of four lanes begins with
} product_kind;

static const product_kind KINDS[] = {
    [CONTRACT_BY_THREADS] = {0},
    [CONTRACT_BY_HALVES] = {16, 2},   // PTX ISA, mma.m16n8k16 of bf16 or f16
    [CONTRACT_BY_ROUNDED] = {8, 1}};  // PTX ISA, mma.m16n8k8 of f32 rounded to tf32

// Tiles of fragments lie in columns of short lines without gaps, so that the 32 places that a
// warp reads or writes at once lie in different banks: of each row 16 bytes, or of each term
// eight rows. Lines of squares are padded.
enum { LINE_BYTES = 16, LINE_ROWS = 8, SQUARE_PAD = 4 };

typedef struct side {
  contract_which which;
  loop_buffer *from, *tile;  // in memory; the steps in shared memory
  bool by_row;               // a line of the tile has terms of one row; else one term of
                             // several rows
  bool spread;               // threads go along columns of lines of 16 bytes
  bool copied;               // asynchronously
  int64_t line, room;        // elements of a line of the tile; of a step
  pir_dtype factor, kept;    // type of the elements that are multiplied; in the tile
  bool even;                 // rows lie at one distance
  loop_buffer *base;         // for each element that a thread fetches: offset of its row; for
                             // the first one alone if rows are even
  loop_expr *left;           // rows from the first one of the tile on; NULL: all tiles are full
  loop_buffer *fetched;
  loop_buffer *window[PIR_MAX_RANK];  // for a: position of its row in each window
  loop_expr *origin, *extent;         // first row of the tile; number of all rows
  int64_t size;                       // rows of the tile
  int64_t count;                      // elements that a thread fetches,
  int64_t width;                      // so many adjacent ones at a time
  bool along;                         // threads go along the sums
} side;

typedef struct tiling {
  contract_emission e;
  int rows[CONTRACT_MAX_VARS], row_count;  // M axes, outermost in out first
  side a, b;
  loop_expr *thread, *sum_extent;
  loop_expr *begin, *end, *terms;  // that the unit sums: all, or its part; and their number
  contract_split split;
  loop_buffer *sums, *left, *right;
  int64_t step;      // elements of the reduction in one step
  bool whole_steps;  // all steps have so many
  int64_t stages;    // steps in shared memory
  int64_t square;    // rows and columns of a thread's sums
  const product_kind *kind;
} tiling;

// Whether products are made of fragments.
static bool by_fragments(const tiling *t) {
  return t->kind->depth > 0;
}

static bool has_copies(const tiling *t) {
  return t->a.copied || t->b.copied;
}

static loop_expr *unrolled(const tiling *t, loop_block **block, int64_t count) {
  return contract_unrolled(&t->e, block, count);
}

// ---- places

// Splits a position along several axes, innermost last, into one value for each axis.
static void take_apart(tiling *t, const int *axes, int count, loop_expr *at) {
  contract_emission *e = &t->e;
  for (int i = count - 1; i >= 0; i--) {
    loop_expr *extent = contract_extent(e, axes[i]);
    e->value[axes[i]] = i ? contract_mod(e, at, extent) : at;
    if (i)
      at = contract_div(e, at, extent);
  }
}

// Whether the product of the axes' extents is known to be a multiple of the number.
static bool is_multiple(const contract_form *f, int64_t number, const int *axes, int count) {
  return contract_known_factor(f, contract_product_of(f, axes, count)) % number == 0;
}

// Returns the innermost axis of the side's rows.
static int row_axis(const tiling *t, const side *s) {
  return s->which == OF_A ? t->rows[t->row_count - 1] : t->e.form->lane;
}

static void set_row(tiling *t, const side *s, loop_expr *row) {
  contract_emission *e = &t->e;
  if (s->which == OF_A)
    take_apart(t, t->rows, t->row_count, row);
  else
    e->value[e->form->lane] = row;
}

static void forget(tiling *t, const int *axes, int count) {
  contract_emission *e = &t->e;
  for (int i = 0; i < count; i++)
    e->value[axes[i]] = NULL;
}

// Returns the position of element i that the thread fetches, within the tile: along the
// direction in which neighbouring threads load adjacent elements, `extent` long, and across it.
static loop_expr *place_along(const tiling *t, const side *s, int64_t extent) {
  const contract_emission *e = &t->e;
  loop_expr *threads = contract_int(e, extent / s->width);
  return contract_times(e, contract_mod(e, t->thread, threads), s->width);
}

static loop_expr *place_across(const tiling *t, const side *s, int64_t extent, loop_expr *i) {
  const contract_emission *e = &t->e;
  int64_t threads = extent / s->width;
  loop_expr *own = contract_div(e, t->thread, contract_int(e, threads));
  return contract_add(e, own, contract_times(e, i, THREADS / threads));
}

// Returns the position of thread n of `many` in turn, of which each does `own` in a row.
static loop_expr *turn_of(const tiling *t, int64_t own, int64_t many) {
  const contract_emission *e = &t->e;
  return contract_mod(e, contract_div(e, t->thread, contract_int(e, own)),
                      contract_int(e, many));
}

// For accesses of 16 bytes. Eight threads write lines of eight rows or terms, which lie in
// different banks; the threads of a warp together read whole sectors of memory.
static loop_expr *spread_row(const tiling *t, const side *s, loop_expr *i) {
  const contract_emission *e = &t->e;
  int64_t parts = t->step / s->width, halves = LINE_ROWS / s->width;
  if (!s->along)
    return contract_in_line(e, turn_of(t, LINE_ROWS, s->size / LINE_ROWS), LINE_ROWS,
                            contract_times(e, turn_of(t, 1, halves), s->width));
  loop_expr *eight = turn_of(t, LINE_ROWS * parts, THREADS / (LINE_ROWS * parts));
  loop_expr *row = contract_in_line(e, eight, LINE_ROWS, turn_of(t, 1, LINE_ROWS));
  return contract_add(e, row, contract_times(e, i, THREADS / parts));
}

static loop_expr *spread_tap(const tiling *t, const side *s, loop_expr *i) {
  const contract_emission *e = &t->e;
  int64_t terms = s->width, halves = LINE_ROWS / s->width, around = s->size;
  if (s->along)
    return contract_times(e, turn_of(t, LINE_ROWS, t->step / terms), terms);
  loop_expr *first = contract_times(e, turn_of(t, around, THREADS / around), terms);
  loop_expr *tap = contract_add(e, first, turn_of(t, halves, terms));
  return contract_add(e, tap, contract_times(e, i, THREADS / around * terms));
}

// Returns the row of element i, and its position along the reduced axes.
static loop_expr *row_of(const tiling *t, const side *s, loop_expr *i) {
  if (s->spread)
    return spread_row(t, s, i);
  return s->along ? place_across(t, s, t->step, i) : place_along(t, s, s->size);
}

static loop_expr *tap_of(const tiling *t, const side *s, loop_expr *i) {
  if (s->spread)
    return spread_tap(t, s, i);
  return s->along ? place_along(t, s, t->step) : place_across(t, s, s->size, i);
}

// Computes the values that are the same in every step. Neighbouring threads along the rows have
// one row each.
static void prepare(tiling *t, side *s, loop_block *block) {
  contract_emission *e = &t->e;
  const contract_form *f = e->form;
  bool many = s->along && !s->even;
  loop_expr *i = many ? unrolled(t, &block, s->count / s->width) : contract_int(e, 0);
  loop_expr *row = contract_let(e, block, "row", contract_add(e, s->origin, row_of(t, s, i)));
  row->var->extent = s->left ? contract_plus(e, s->extent, s->size) : s->extent;
  set_row(t, s, row);
  contract_store(e, block, s->base, i, contract_position(e, s->which));
  for (int w = 0; s->which == OF_A && w < f->window_count; w++) {
    const contract_window *window = &f->windows[w];
    loop_expr *at = contract_int(e, window->offset);
    loop_expr *position = window->position < 0 ? NULL : e->value[window->position];
    if (position)
      at = contract_add(e, at, contract_times(e, position, window->stride));
    contract_store(e, block, s->window[w], i, at);
  }
  if (s->which == OF_A)
    forget(t, t->rows, t->row_count);
  else
    e->value[f->lane] = NULL;
}

// The condition that the current taps are inside every window.
static loop_expr *in_windows(const tiling *t, const side *s, loop_expr *slot) {
  const contract_emission *e = &t->e;
  const contract_form *f = e->form;
  loop_expr *all = NULL;
  for (int w = 0; s->which == OF_A && w < f->window_count; w++) {
    const contract_window *window = &f->windows[w];
    loop_expr *at = contract_load(e, s->window[w], slot, 1, NULL);
    loop_expr *tap = window->tap < 0 ? NULL : e->value[window->tap];
    if (tap)
      at = contract_add(e, at, contract_times(e, tap, window->dilation));
    loop_expr *extent = contract_dim(e, window->extent);
    all = contract_both(e, all, pir_loop_op(e->m, PIR_V_LE, contract_int(e, 0), at, NULL));
    all = contract_both(e, all, contract_lt(e, at, extent));
  }
  return all;
}

// ---- steps

// Returns the load of access i of the step that begins at `from`.
static loop_expr *load_access(tiling *t, const side *s, loop_block *block, loop_expr *from,
                              loop_expr *i) {
  const contract_emission *e = &t->e;
  const contract_form *f = e->form;
  loop_expr *slot = s->along && !s->even ? i : contract_int(e, 0);
  loop_expr *tap = contract_let(e, block, "tap", contract_add(e, from, tap_of(t, s, i)));
  tap->var->extent = t->sum_extent;
  if (!s->copied || !t->whole_steps)
    tap->var->extent = contract_plus(e, t->sum_extent, (t->stages + 1) * t->step);
  take_apart(t, f->taps, f->tap_count, tap);
  loop_expr *at = contract_load(e, s->base, slot, 1, NULL);
  if (s->along && s->even) {
    loop_expr *rows = contract_times(e, i, THREADS * s->width / t->step);
    at = contract_add(e, at, contract_mul(e, rows, contract_step(e, s->which, row_axis(t, s))));
  }
  loop_expr *mask = s->left ? contract_lt(e, row_of(t, s, i), s->left) : NULL;
  for (int k = 0; k < f->tap_count; k++) {
    loop_expr *step = contract_step(e, s->which, f->taps[k]);
    at = contract_add(e, at, contract_mul(e, e->value[f->taps[k]], step));
  }
  mask = contract_both(e, mask, contract_lt(e, tap, t->sum_extent));
  mask = contract_both(e, mask, in_windows(t, s, slot));
  forget(t, f->taps, f->tap_count);
  return contract_load(e, s->from, at, (int)s->width, mask);
}

// Returns the place of an element in a stage of the ring: its column of lines, its line, and
// its place there.
static loop_expr *place_in_tile(const tiling *t, const side *s, loop_expr *stage,
                                loop_expr *row, loop_expr *tap) {
  const contract_emission *e = &t->e;
  loop_expr *number = s->by_row ? row : tap, *at = s->by_row ? tap : row;
  if (by_fragments(t)) {
    loop_expr *column = contract_div(e, at, contract_int(e, s->line));
    number = contract_in_line(e, column, s->by_row ? s->size : t->step, number);
    at = contract_mod(e, at, contract_int(e, s->line));
  }
  return contract_in_line(e, stage, s->room, contract_in_line(e, number, s->line, at));
}

// Begins to copy the step that begins at `from` into a stage.
static void copy_step(tiling *t, const side *s, loop_block *block, loop_expr *from,
                      loop_expr *stage) {
  const contract_emission *e = &t->e;
  loop_expr *i = unrolled(t, &block, s->count / s->width);
  loop_expr *x = load_access(t, s, block, from, i);
  loop_expr *at = place_in_tile(t, s, stage, row_of(t, s, i), tap_of(t, s, i));
  pir_loop_copy(e->fn, block, s->tile, at, x);
}

// Fetches the elements of the step that begins at `from` into registers.
static void fetch(tiling *t, const side *s, loop_block *block, loop_expr *from) {
  const contract_emission *e = &t->e;
  loop_expr *i = unrolled(t, &block, s->count / s->width);
  loop_expr *x = pir_loop_cast(e->m, load_access(t, s, block, from, i), s->factor);
  contract_store(e, block, s->fetched, i, pir_loop_cast(e->m, x, s->kept));
}

static void share_out(tiling *t, const side *s, loop_block *block, loop_expr *stage) {
  const contract_emission *e = &t->e;
  loop_expr *i = unrolled(t, &block, s->count / s->width);
  loop_expr *at = place_in_tile(t, s, stage, row_of(t, s, i), tap_of(t, s, i));
  loop_expr *x = contract_load(e, s->fetched, i, 1, NULL);
  if (s->width == 1 || s->along == s->by_row) {
    contract_store(e, block, s->tile, at, x);
    return;
  }
  at = pir_loop_ramp(e->m, at, contract_int(e, s->line), (uint16_t)s->width);
  pir_loop_scatter(e->fn, block, s->tile, at, x, NULL);
}

// Returns row or column r of the thread's square within the tile. Groups of four are spaced the
// whole tile apart, so that a warp reads adjacent groups.
static loop_expr *square_place(const tiling *t, const side *s, loop_expr *r, loop_expr *at) {
  const contract_emission *e = &t->e;
  int64_t apart = s->size / (t->square / LANES);
  loop_expr *four = contract_times(e, contract_div(e, r, contract_int(e, LANES)), apart);
  loop_expr *in_four = contract_mod(e, r, contract_int(e, LANES));
  return contract_add(e, four, contract_in_line(e, at, LANES, in_four));
}

static loop_expr *row_thread(const tiling *t) {
  const contract_emission *e = &t->e;
  return contract_div(e, t->thread, contract_int(e, SIDE));
}
static loop_expr *column_thread(const tiling *t) {
  const contract_emission *e = &t->e;
  return contract_mod(e, t->thread, contract_int(e, SIDE));
}

static void multiply_squares(tiling *t, loop_block *block, loop_expr *stage) {
  const contract_emission *e = &t->e;
  int64_t fours = t->square / LANES;
  loop_expr *k = unrolled(t, &block, t->step);
  loop_block *inner = block;
  loop_expr *r = unrolled(t, &inner, t->square);
  loop_expr *row = square_place(t, &t->a, r, row_thread(t));
  loop_expr *at = place_in_tile(t, &t->a, stage, row, k);
  contract_store(e, inner, t->left, r, contract_load(e, t->a.tile, at, 1, NULL));
  inner = block;
  r = unrolled(t, &inner, fours);
  loop_expr *first = contract_times(e, r, LANES);
  at = place_in_tile(t, &t->b, stage, square_place(t, &t->b, first, column_thread(t)), k);
  contract_store(e, inner, t->right, r, contract_load(e, t->b.tile, at, LANES, NULL));
  r = unrolled(t, &block, t->square);
  loop_expr *c = unrolled(t, &block, fours);
  loop_expr *slot = contract_in_line(e, r, fours, c);
  loop_expr *x = contract_load(e, t->left, r, 1, NULL);
  loop_expr *y = contract_load(e, t->right, c, LANES, NULL);
  loop_expr *sum = contract_load(e, t->sums, slot, LANES, NULL);
  contract_store(e, block, t->sums, slot, contract_product(e, x, y, sum));
}

// Returns the position of fragment `at` of `many` of a warp in the tile. The warps form two
// rows of four.
static loop_expr *fragment_of(const tiling *t, const side *s, loop_expr *at) {
  const contract_emission *e = &t->e;
  loop_expr *warp = contract_div(e, t->thread, contract_int(e, WARP));
  loop_expr *across = contract_int(e, WARPS_ACROSS), *first;
  bool left = s->which == OF_A;
  if (left)
    first = contract_times(e, contract_div(e, warp, across), s->size / WARPS_DOWN);
  else
    first = contract_times(e, contract_mod(e, warp, across), s->size / WARPS_ACROSS);
  return contract_add(e, first, contract_times(e, at, left ? FRAGMENT_ROWS : FRAGMENT_COLUMNS));
}

// Returns the position of a lane's part of a fragment of sums: the row of its quarter warp, and
// two neighbours in it.
static loop_expr *lane_row(const tiling *t) {
  const contract_emission *e = &t->e;
  loop_expr *lane = contract_mod(e, t->thread, contract_int(e, WARP));
  return contract_div(e, lane, contract_int(e, 4));
}

static loop_expr *lane_place(const tiling *t, int64_t own) {
  const contract_emission *e = &t->e;
  return contract_times(e, contract_mod(e, t->thread, contract_int(e, 4)), own);
}

static loop_fragment fragment_place(const tiling *t, const side *s, loop_expr *stage,
                                    loop_expr *at, loop_expr *k) {
  const contract_emission *e = &t->e;
  loop_expr *row = contract_add(e, fragment_of(t, s, at), lane_row(t));
  loop_expr *tap = contract_in_line(e, k, t->kind->depth, lane_place(t, t->kind->own));
  loop_expr *place = place_in_tile(t, s, stage, row, tap);
  loop_fragment f = {.at = contract_load(e, s->tile, place, 1, NULL)};
  int64_t half = t->kind->depth / 2;
  f.row = s->by_row ? s->line : 1;
  f.eight = LINE_ROWS * (s->by_row ? s->line : t->step);
  f.term = s->by_row ? 1 : s->line;
  f.half = s->by_row ? s->size * s->line : half * s->line;
  return f;
}

static void multiply_fragments(tiling *t, loop_block *block, loop_expr *stage) {
  const contract_emission *e = &t->e;
  int64_t half = t->square / 2;
  loop_expr *k = unrolled(t, &block, t->step / t->kind->depth);
  loop_expr *i = unrolled(t, &block, half), *j = unrolled(t, &block, half);
  loop_expr *slot = contract_times(e, contract_in_line(e, i, half, j), 2);
  loop_fragment left = fragment_place(t, &t->a, stage, i, k);
  pir_loop_mma(e->fn, block, t->sums, slot, left, fragment_place(t, &t->b, stage, j, k));
}

static void clear_square(tiling *t, loop_block *block) {
  const contract_emission *e = &t->e;
  loop_expr *r = unrolled(t, &block, t->sums->count);
  loop_expr *zero = pir_loop_const_float(e->m, e->form->compute, 0);
  contract_store(e, block, t->sums, r, pir_loop_broadcast(e->m, zero, t->sums->lanes));
}

// Begins to copy the step that begins at `from` into a stage, if there is one. Each step is a
// group of copies, also behind the last one, so that waiting counts steps.
static void copy_sides(tiling *t, loop_block *block, loop_expr *from, loop_expr *stage) {
  const contract_emission *e = &t->e;
  loop_block *some = contract_if(e, block, contract_lt(e, from, t->end), NULL);
  if (t->a.copied)
    copy_step(t, &t->a, some, from, stage);
  if (t->b.copied)
    copy_step(t, &t->b, some, from, stage);
  pir_loop_commit(e->fn, block);
}

static void fetch_sides(tiling *t, loop_block *block, loop_expr *from) {
  if (!t->a.copied)
    fetch(t, &t->a, block, from);
  if (!t->b.copied)
    fetch(t, &t->b, block, from);
}

static void share_sides(tiling *t, loop_block *block, loop_expr *stage) {
  if (!t->a.copied)
    share_out(t, &t->a, block, stage);
  if (!t->b.copied)
    share_out(t, &t->b, block, stage);
}

// Copies all steps that the ring has room for but the last, and shares out the first one of a
// side that is fetched.
static void begin_steps(tiling *t, loop_block *block) {
  const contract_emission *e = &t->e;
  if (!is_multiple(e->form, t->a.size, t->rows, t->row_count))
    t->a.left = contract_let(e, block, "left", contract_sub(e, t->a.extent, t->a.origin));
  if (!is_multiple(e->form, t->b.size, &e->form->lane, 1))
    t->b.left = contract_let(e, block, "left", contract_sub(e, t->b.extent, t->b.origin));
  prepare(t, &t->a, block);
  prepare(t, &t->b, block);
  clear_square(t, block);
  for (int64_t i = 0; has_copies(t) && i < t->stages - 1; i++)
    copy_sides(t, block, contract_plus(e, t->begin, i * t->step), contract_int(e, i));
  fetch_sides(t, block, t->begin);
  share_sides(t, block, contract_int(e, 0));
}

// Multiplies all steps. A barrier shows the current step to all threads, and says that all have
// done with the one before, whose stage is free then: it takes the last step that is copied
// ahead.
static void add_steps(tiling *t, loop_block *block) {
  const contract_emission *e = &t->e;
  bool copies = has_copies(t);
  loop_block *around = block;
  loop_var *at = pir_loop_var_create(e->fn, "k", LOOP_INDEX, 1);
  at->multiple = t->step;
  loop_expr *step = contract_int(e, t->step);
  loop_expr *stages = contract_int(e, t->stages), *k = pir_loop_use(e->m, at);
  begin_steps(t, block);
  loop_expr *zero = contract_int(e, 0), *from = contract_add(e, t->begin, k);
  block = pir_loop_for(e->fn, block, LOOP_SERIAL, at, zero, t->terms, step);
  around->last->loop.unroll = 1;  // a step is long, and the registers of several are too many
  loop_expr *number = contract_let(e, block, "step", contract_div(e, k, step));
  loop_expr *stage = contract_let(e, block, "stage", contract_mod(e, number, stages));
  if (copies)
    pir_loop_wait(e->fn, block, (uint32_t)t->stages - 2);
  pir_loop_barrier(e->fn, block);
  if (copies)
    copy_sides(t, block, contract_plus(e, from, (t->stages - 1) * t->step),
               contract_mod(e, contract_plus(e, number, t->stages - 1), stages));
  fetch_sides(t, block, contract_plus(e, from, t->step));
  if (by_fragments(t))
    multiply_fragments(t, block, stage);
  else
    multiply_squares(t, block, stage);
  if (t->stages == 1)
    pir_loop_barrier(e->fn, block);
  share_sides(t, block, contract_mod(e, contract_plus(e, number, 1), stages));
  pir_loop_barrier(e->fn, around);
}

// ---- results

// Passes the sums in `slot` to the epilogue: one row, and as many columns as they have lanes,
// within the tile.
static bool hand_on(tiling *t, loop_block *block, loop_expr *row, loop_expr *column,
                    loop_expr *slot) {
  contract_emission *e = &t->e;
  const contract_form *f = e->form;
  int64_t columns;
  uint16_t lanes = t->sums->lanes;
  loop_expr *mask = NULL;
  row = contract_let(e, block, "row", contract_add(e, t->a.origin, row));
  column = contract_let(e, block, "column", contract_add(e, t->b.origin, column));
  loop_expr *row_exists = contract_lt(e, row, t->a.extent);
  loop_expr *exists = contract_both(e, row_exists, contract_lt(e, column, t->b.extent));
  block = contract_if(e, block, exists, NULL);
  bool known = contract_const(f, f->axes[f->lane].extent, &columns);
  if (!known || columns % lanes)
    mask = contract_mask(e, block, contract_sub(e, t->b.extent, column), lanes);
  row->var->extent = t->a.extent;
  column->var->extent = t->b.extent;
  set_row(t, &t->a, row);
  set_row(t, &t->b, column);
  loop_expr *sums = contract_let(e, block, "sum", contract_load(e, t->sums, slot, lanes, NULL));
  return contract_finish(e, block, sums, mask);
}

static bool finish_fragments(tiling *t, loop_block *block) {
  const contract_emission *e = &t->e;
  int64_t half = t->square / 2;
  loop_expr *i = unrolled(t, &block, half), *j = unrolled(t, &block, half);
  loop_expr *h = unrolled(t, &block, 2);
  loop_expr *slot = contract_times(e, contract_in_line(e, i, half, j), 2);
  loop_expr *row = contract_in_line(e, h, FRAGMENT_ROWS / 2, lane_row(t));
  row = contract_add(e, fragment_of(t, &t->a, i), row);
  loop_expr *column = contract_add(e, fragment_of(t, &t->b, j), lane_place(t, FRAGMENT_LANES));
  return hand_on(t, block, row, column, contract_add(e, slot, h));
}

static bool finish_square(tiling *t, loop_block *block) {
  const contract_emission *e = &t->e;
  int64_t fours = t->square / LANES;
  loop_expr *r = unrolled(t, &block, t->square), *c = unrolled(t, &block, fours);
  loop_expr *row = square_place(t, &t->a, r, row_thread(t));
  loop_expr *first = contract_times(e, c, LANES);
  loop_expr *column = square_place(t, &t->b, first, column_thread(t));
  return hand_on(t, block, row, column, contract_in_line(e, r, fours, c));
}

// ---- the kernel

// Returns the type of elements in the tile.
static pir_dtype kept_type(const tiling *t, const contract_tensor *tensor) {
  return t->kind == &KINDS[CONTRACT_BY_HALVES] ? contract_factor(tensor) : t->e.form->compute;
}

static pir_dim step_in(const contract_axis *x, contract_which which) {
  return which == OF_A ? x->step_a : x->step_b;
}

// Returns the axis along which neighbouring threads load.
static int axis_of_threads(const tiling *t, const side *s) {
  const contract_form *f = t->e.form;
  if (s->along)
    return f->taps[f->tap_count - 1];
  return row_axis(t, s);
}

// Returns how many adjacent elements one access can fetch. The adjacent axis must be divisible
// by it and not slide in a window, and all other steps must keep the access aligned.
static int64_t fetch_width(const tiling *t, const side *s, const contract_tensor *tensor) {
  const contract_form *f = t->e.form;
  int adjacent = axis_of_threads(t, s);
  const contract_axis *x = &f->axes[adjacent];
  int64_t width = t->e.env->target->vector_bytes / (int64_t)pir_dtype_size(tensor->dtype), step;
  if (!contract_const(f, step_in(x, s->which), &step) || step != 1 || x->window >= 0)
    return 1;
  for (int i = 0; i < f->axis_count; i++) {
    int64_t other = contract_known_factor(f, step_in(&f->axes[i], s->which));
    while (i != adjacent && other % width)
      width /= 2;
  }
  int64_t offset = contract_known_factor(f, s->which == OF_A ? f->offset_a : f->offset_b);
  while (offset % width)
    width /= 2;
  int64_t factor = tensor->padded ? width : contract_known_factor(f, x->extent);
  while (factor % width || s->count % width)
    width /= 2;
  return width;
}

// Whether the side's elements go into the tile as they are, in units that can be copied.
static bool can_copy(const tiling *t, const side *s, const contract_tensor *tensor) {
  size_t bytes = (size_t)s->width * pir_dtype_size(s->kept);
  bool same = tensor->dtype == s->factor && s->factor == s->kept;
  return t->e.env->target->architecture->copies && same && bytes >= 4;
}

// Chooses how the tile lies in shared memory: fragments and the left side of squares as in
// memory. Of the right side of squares, threads read four neighbouring columns at a time;
// copies of columns that lie along the terms are of single elements.
static void arrange_tile(tiling *t, side *s, const contract_tensor *tensor) {
  int64_t element = (int64_t)pir_dtype_size(s->kept);
  s->by_row = s->along && (by_fragments(t) || s->which == OF_A);
  if (can_copy(t, s, tensor) && s->by_row != s->along)
    s->width = 1;
  s->copied = can_copy(t, s, tensor);
  int64_t bytes = s->width * element;
  s->spread = by_fragments(t) && s->by_row == s->along && bytes == LINE_BYTES;
  int64_t length = s->by_row ? t->step : s->size, lines = s->by_row ? s->size : t->step;
  if (!by_fragments(t))
    s->line = length + SQUARE_PAD;
  else
    s->line = s->by_row ? LINE_BYTES / element : LINE_ROWS;
  s->room = by_fragments(t) ? s->size * t->step : s->line * lines;
}

// Chooses how threads load.
static void arrange_side(tiling *t, side *s, contract_which which,
                         const contract_tensor *tensor, int64_t size) {
  const contract_form *f = t->e.form;
  const contract_axis *inner = &f->axes[f->taps[f->tap_count - 1]];
  int64_t step;
  *s = (side){.which = which, .size = size, .count = size * t->step / THREADS};
  s->along = contract_const(f, step_in(inner, which), &step) && step == 1;
  if (which == OF_B && contract_const(f, f->axes[f->lane].step_b, &step) && step == 1)
    s->along = false;
  s->width = fetch_width(t, s, tensor);
  s->factor = contract_factor(tensor);
  s->kept = kept_type(t, tensor);
  arrange_tile(t, s, tensor);
}

// As many stages as the shared memory of a block holds. Registers take the place of all but two
// of them.
static void choose_stages(tiling *t) {
  const device_architecture *x = t->e.env->target->architecture;
  int64_t bytes = t->a.room * (int64_t)pir_dtype_size(t->a.kept) +
                  t->b.room * (int64_t)pir_dtype_size(t->b.kept);
  int64_t fit = x->block_kb * 1024 / bytes, most = has_copies(t) ? x->stages : 2;
  t->stages = fit < x->stages ? fit : x->stages;
  if (t->stages > most)
    t->stages = most;
}

static void open_side(tiling *t, side *s, const contract_tensor *tensor) {
  const contract_emission *e = &t->e;
  loop_fn *fn = e->fn;
  bool left = s->which == OF_A;
  int64_t accesses = s->count / s->width;
  s->even = !left || (t->row_count == 1 && !e->form->window_count);
  int64_t rows = s->along && !s->even ? accesses : 1;
  s->from =
      pir_loop_arg(fn, left ? "a" : "b", tensor->dtype, tensor->slot, tensor->align, true);
  s->base = pir_loop_registers(fn, "base", LOOP_INDEX, 1, rows);
  s->base->multiple = s->width;
  if (!s->copied)
    s->fetched = pir_loop_registers(fn, "fetched", s->kept, (uint16_t)s->width, accesses);
  for (int w = 0; left && w < e->form->window_count; w++)
    s->window[w] = pir_loop_registers(fn, "window", LOOP_INDEX, 1, rows);
  s->tile = pir_loop_shared(fn, "tile", s->kept, t->stages * s->room);
}

static loop_expr *product_extent(const tiling *t, const int *axes, int count) {
  const contract_emission *e = &t->e;
  loop_expr *all = contract_int(e, 1);
  for (int i = 0; i < count; i++)
    all = contract_mul(e, all, contract_extent(e, axes[i]));
  return all;
}

// Sets the terms of a unit, and where its sums begin in the sums of all parts.
static void set_part(tiling *t, loop_block *block, loop_expr *part) {
  contract_emission *e = &t->e;
  t->begin = contract_int(e, 0);
  t->end = t->terms = t->sum_extent;
  if (!t->split.parts)
    return;
  t->begin = contract_let(e, block, "begin", contract_times(e, part, t->split.terms));
  t->begin->var->multiple = t->step;
  t->begin->var->extent = t->sum_extent;
  loop_expr *end = contract_plus(e, t->begin, t->split.terms);
  t->end = contract_let(e, block, "end", contract_min(e, end, t->sum_extent));
  t->terms = contract_let(e, block, "terms", contract_sub(e, t->end, t->begin));
  t->terms->var->extent = contract_int(e, t->split.terms + 1);
  e->origin[OF_OUT] = contract_times(e, part, -t->split.results);
}

// Units are tiles, numbered by batch axes, then rows, columns, and parts of the terms.
static loop_block *open_tile_units(tiling *t, contract_stage *out_stage) {
  contract_emission *e = &t->e;
  const contract_form *f = e->form;
  pir_dims *dims = f->c->dims;
  int batch[CONTRACT_MAX_VARS], count = contract_axes_of(f, ROLE_BATCH, batch);
  loop_expr *extents[CONTRACT_MAX_VARS + 3], *values[CONTRACT_MAX_VARS + 3], *unit;
  pir_dim of_a = pir_dim_const(dims, t->a.size), of_b = pir_dim_const(dims, t->b.size);
  pir_dim rows = contract_product_of(f, t->rows, t->row_count),
          columns = f->axes[f->lane].extent;
  pir_dim tiles[] = {pir_dim_ceildiv(dims, rows, of_a), pir_dim_ceildiv(dims, columns, of_b),
                     pir_dim_const(dims, t->split.parts)};
  int inner = t->split.parts ? 3 : 2;
  *out_stage = (contract_stage){e->fn, contract_product_of(f, batch, count)};
  for (int i = 0; i < count; i++)
    extents[i] = contract_extent(e, batch[i]);
  for (int i = 0; i < inner; i++) {
    extents[count + i] = contract_dim(e, tiles[i]);
    out_stage->units = pir_dim_mul(dims, out_stage->units, tiles[i]);
  }
  loop_block *block = contract_open_units(e, "unit", &unit);
  contract_bound_unit(e, unit, out_stage->units);
  contract_split_unit(e, block, unit, extents, count + inner, values);
  for (int i = 0; i < count; i++)
    e->value[batch[i]] = values[i];
  set_part(t, block, t->split.parts ? values[count + 2] : NULL);
  t->a.origin = contract_times(e, values[count], t->a.size);
  t->b.origin = contract_times(e, values[count + 1], t->b.size);
  return block;
}

bool contract_fits_tile(const contract_form *f, const pir_machine *machine) {
  int64_t rows, columns, sums, fewest = machine->device.tile_extent;
  int axes[CONTRACT_MAX_VARS], count = contract_axes_of(f, ROLE_M, axes);
  if (!count || contract_axes_of(f, ROLE_N, axes) != 1 || !f->tap_count ||
      f->compute != PIR_F32)
    return false;
  count = contract_axes_of(f, ROLE_M, axes);
  if (contract_const(f, contract_product_of(f, axes, count), &rows) && rows < fewest)
    return false;
  if (contract_const(f, f->axes[f->lane].extent, &columns) && columns < fewest)
    return false;
  return !contract_const(f, contract_product_of(f, f->taps, f->tap_count), &sums) ||
         sums >= fewest;
}

// Large tiles reuse more of their operands; small tiles keep more of the device busy. Returns
// the sums of a thread along each side.
static int64_t choose_square(const contract_form *f, const int *rows, int row_count,
                             const pir_target *target) {
  const device_architecture *x = target->architecture;
  pir_dim all =
      pir_dim_mul(f->c->dims, contract_product_of(f, rows, row_count), f->axes[f->lane].extent);
  int64_t results;
  bool many =
      contract_const(f, all, &results) && results >= target->machine->device.many_results;
  return (many ? x->large_tile : x->small_tile) / SIDE;
}

// Makes the registers for the rows and columns of the square that each thread multiplies.
static void open_square(tiling *t) {
  const contract_emission *e = &t->e;
  t->left = pir_loop_registers(e->fn, "left", e->form->compute, 1, t->square);
  t->right = pir_loop_registers(e->fn, "right", e->form->compute, LANES, t->square / LANES);
}

// Opens both sides, the result and the registers of a thread.
static void open_tile(tiling *t) {
  contract_emission *e = &t->e;
  const contract_form *f = e->form;
  uint16_t lanes = by_fragments(t) ? FRAGMENT_LANES : LANES;
  arrange_side(t, &t->a, OF_A, &f->c->a, SIDE * t->square);
  arrange_side(t, &t->b, OF_B, &f->c->b, SIDE * t->square);
  choose_stages(t);
  open_side(t, &t->a, &f->c->a);
  open_side(t, &t->b, &f->c->b);
  contract_open_out(e);
  e->a = t->a.from;
  e->b = t->b.from;
  t->a.extent = product_extent(t, t->rows, t->row_count);
  t->b.extent = contract_extent(e, f->lane);
  t->sum_extent = product_extent(t, f->taps, f->tap_count);
  t->whole_steps = is_multiple(f, t->step, f->taps, f->tap_count);
  int64_t sums = t->square * t->square / lanes;
  t->sums = pir_loop_registers(e->fn, "sums", f->compute, lanes, sums);
  if (!by_fragments(t))
    open_square(t);
}

// Emits the kernel of the tiles.
static bool emit_tile_kernel(tiling *t, contract_stage *out_stage) {
  loop_fn *fn = t->e.fn;
  fn->threads = THREADS;
  open_tile(t);
  loop_block *block = open_tile_units(t, out_stage);
  loop_var *thread = pir_loop_var_create(fn, "t", LOOP_INDEX, 1);
  loop_expr *zero = contract_int(&t->e, 0), *threads = contract_int(&t->e, THREADS);
  block = pir_loop_for(fn, block, LOOP_THREADS, thread, zero, threads, NULL);
  t->thread = pir_loop_use(t->e.m, thread);
  add_steps(t, block);
  return by_fragments(t) ? finish_fragments(t, block) : finish_square(t, block);
}

pir_status contract_emit_tiles(const contract_form *f, const contract_env *env,
                               const char *name, contract_code *out_code) {
  tiling t = {.e = {.form = f, .env = env, .m = env->module}};
  contract_form parts = *f;
  contraction sums = *f->c;
  contract_env plain = *env;
  t.row_count = contract_axes_of(f, ROLE_M, t.rows);
  t.square = choose_square(f, t.rows, t.row_count, env->target);
  t.kind = &KINDS[contract_choose_products(f->c, env->target, env->math)];
  t.step =
      env->target->architecture->step_bytes / (int64_t)pir_dtype_size(kept_type(&t, &f->c->a));
  t.split = contract_choose_split(f, env->target, SIDE * t.square, t.step);
  contract_stage *stage = &out_code->stages[out_code->stage_count++];
  if (!t.split.parts) {
    t.e = contract_begin(f, env, name, "");
    return emit_tile_kernel(&t, stage) ? PIR_OK : PIR_UNSUPPORTED;
  }
  pir_dim bytes = pir_dim_const(f->c->dims, t.split.parts * t.split.results *
                                                (int64_t)pir_dtype_size(f->compute));
  sums.out.dtype = f->compute;
  sums.out.align = (uint32_t)pir_dtype_size(f->compute);
  sums.out.slot = t.split.slot = env->temporary(env->user, bytes);
  parts.c = &sums;
  plain.epilogue = NULL;
  t.e = contract_begin(&parts, &plain, name, "");
  if (!emit_tile_kernel(&t, stage))
    return PIR_UNSUPPORTED;
  return contract_emit_sum(f, env, name, &t.split, &out_code->stages[out_code->stage_count++]);
}
