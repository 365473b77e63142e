// The tiled contraction kernel for a device. A block of 256 threads computes one tile of out:
// rows (all M axes merged) by columns (the N axis). The reduced axes (all K axes merged) go
// through shared memory in steps of about 16. While the block multiplies the current step, each
// thread fetches its share of the next one into registers. Each thread holds a square of sums.
//
// Convolutions use the same kernel: the row gives the start of the image patch, the position
// along K gives the tap within it. Taps in the padding read as 0. No patch is copied. 16-bit
// floats use tensor cores: a warp computes its part of the tile from fragments of 16 rows and 8
// columns, with f32 sums. The addresses of rows are computed once for each tile, the addresses
// of taps once for each step. Neighbouring threads load along whichever of rows and taps is
// adjacent in memory.
#include "contract_impl.h"

enum { THREADS = 256, SIDE = 16, STEP = 16, PAD = 4, LANES = 4 };
enum {
  HALF_STEP = 32,
  HALF_PAD = 8,
  HALF_LANES = 2,
  FRAGMENT_ROWS = 16,
  FRAGMENT_COLUMNS = 8,
  WARP = 32
};
enum { SMALL_SQUARE = 4, LARGE_SQUARE = 8 };  // sums of a thread along each side

typedef struct side {
  contract_which which;
  loop_buffer *from, *tile;    // stride in memory; the step in shared memory: [step][size +
                               // PAD]; 16-bit floats: [size][step + PAD]
  loop_buffer *base, *inside;  // by element that a thread fetches: where its row begins;
                               // whether the row exists
  loop_buffer *fetched;
  loop_buffer *window[PIR_MAX_RANK];  // of a: where its row lies in each window
  loop_expr *origin, *extent;         // of the tile; of all rows
  int64_t size;                       // rows of the tile
  int64_t count;                      // elements a thread fetches,
  int64_t width;                      // so many adjacent ones at a time
  bool along;                         // threads go along the sums
} side;

typedef struct tiling {
  contract_emission e;
  int rows[CONTRACT_MAX_VARS], row_count;  // M axes, outermost in out first
  side a, b;
  loop_expr *thread, *sum_extent;
  loop_buffer *sums, *left, *right;
  int64_t square;  // of a thread: rows and columns
  int64_t step;    // along the sums
  bool half;
} tiling;

static loop_expr *number(const tiling *t, int64_t i) {
  return pir_loop_int(t->e.m, i);
}

static loop_expr *unrolled(const tiling *t, loop_block **block, int64_t count) {
  loop_var *v = pir_loop_var_create(t->e.fn, "r", LOOP_INDEX, 1);
  *block =
      pir_loop_for(t->e.fn, *block, LOOP_UNROLLED, v, number(t, 0), number(t, count), NULL);
  return pir_loop_use(t->e.m, v);
}

static loop_expr *both(const tiling *t, loop_expr *a, loop_expr *b) {
  return a && b ? pir_loop_op(t->e.m, PIR_V_AND, a, b, NULL) : a ? a : b;
}

// ---- places

// Splits a position along several axes, innermost last, into one value for each axis.
static void take_apart(tiling *t, const int *axes, int count, loop_expr *at) {
  for (int i = count - 1; i >= 0; i--) {
    loop_expr *extent = contract_extent(&t->e, axes[i]);
    t->e.value[axes[i]] = i ? pir_loop_mod(t->e.m, at, extent) : at;
    if (i)
      at = pir_loop_floordiv(t->e.m, at, extent);
  }
}

static void set_row(tiling *t, const side *s, loop_expr *row) {
  if (s->which == OF_A)
    take_apart(t, t->rows, t->row_count, row);
  else
    t->e.value[t->e.form->lane] = row;
}

static void forget(tiling *t, const int *axes, int count) {
  for (int i = 0; i < count; i++)
    t->e.value[axes[i]] = NULL;
}

// Returns the row, and the position along the reduced axes, of element i that the thread
// fetches, both within the tile.
static loop_expr *row_of(const tiling *t, const side *s, loop_expr *i) {
  loop_module *m = t->e.m;
  int64_t threads = t->step / s->width;  // along the sums
  if (!s->along)
    return pir_loop_mul(m, pir_loop_mod(m, t->thread, number(t, s->size / s->width)),
                        number(t, s->width));
  return pir_loop_add(m, pir_loop_floordiv(m, t->thread, number(t, threads)),
                      pir_loop_mul(m, i, number(t, THREADS / threads)));
}

static loop_expr *tap_of(const tiling *t, const side *s, loop_expr *i) {
  loop_module *m = t->e.m;
  int64_t threads = s->size / s->width;  // along the rows
  if (s->along)
    return pir_loop_mul(m, pir_loop_mod(m, t->thread, number(t, t->step / s->width)),
                        number(t, s->width));
  return pir_loop_add(m, pir_loop_floordiv(m, t->thread, number(t, threads)),
                      pir_loop_mul(m, i, number(t, THREADS / threads)));
}

// Computes the values that are the same in every step. Neighbouring threads along the rows have
// one row each.
static void prepare(tiling *t, side *s, loop_block *block) {
  const contract_form *f = t->e.form;
  loop_module *m = t->e.m;
  loop_expr *i = s->along ? unrolled(t, &block, s->count / s->width) : number(t, 0);
  loop_expr *row =
      pir_loop_let(t->e.fn, block, "row", pir_loop_add(m, s->origin, row_of(t, s, i)));
  row->var->extent = pir_loop_add(m, s->extent, number(t, s->size));
  set_row(t, s, row);
  pir_loop_store(t->e.fn, block, s->base, i, contract_position(&t->e, s->which), NULL);
  pir_loop_store(t->e.fn, block, s->inside, i, pir_loop_lt(m, row, s->extent), NULL);
  for (int w = 0; s->which == OF_A && w < f->window_count; w++) {
    const contract_window *window = &f->windows[w];
    loop_expr *at = number(t, window->offset);
    if (window->position >= 0)
      at = pir_loop_add(
          m, at, pir_loop_mul(m, t->e.value[window->position], number(t, window->stride)));
    pir_loop_store(t->e.fn, block, s->window[w], i, at, NULL);
  }
  if (s->which == OF_A)
    forget(t, t->rows, t->row_count);
  else
    t->e.value[f->lane] = NULL;
}

// The condition that the current taps are inside every window.
static loop_expr *in_windows(const tiling *t, const side *s, loop_expr *slot) {
  const contract_form *f = t->e.form;
  loop_module *m = t->e.m;
  loop_expr *all = NULL;
  for (int w = 0; s->which == OF_A && w < f->window_count; w++) {
    const contract_window *window = &f->windows[w];
    loop_expr *at = pir_loop_load(m, s->window[w], slot, 1, NULL);
    if (window->tap >= 0)
      at = pir_loop_add(m, at,
                        pir_loop_mul(m, t->e.value[window->tap], number(t, window->dilation)));
    all = both(t, all, pir_loop_op(m, PIR_V_LE, number(t, 0), at, NULL));
    all = both(t, all, pir_loop_lt(m, at, contract_dim(&t->e, window->extent)));
  }
  return all;
}

// ---- steps

// Fetches the elements of the step that begins at `from` into registers.
static void fetch(tiling *t, side *s, loop_block *block, loop_expr *from) {
  const contract_form *f = t->e.form;
  loop_module *m = t->e.m;
  loop_expr *i = unrolled(t, &block, s->count / s->width), *slot = s->along ? i : number(t, 0);
  loop_expr *tap = pir_loop_let(t->e.fn, block, "tap", pir_loop_add(m, from, tap_of(t, s, i)));
  tap->var->extent = pir_loop_add(m, t->sum_extent, number(t, 2 * t->step));
  take_apart(t, f->taps, f->tap_count, tap);
  loop_expr *at = pir_loop_load(m, s->base, slot, 1, NULL),
            *mask = pir_loop_load(m, s->inside, slot, 1, NULL);
  for (int k = 0; k < f->tap_count; k++)
    at = pir_loop_add(
        m, at,
        pir_loop_mul(m, t->e.value[f->taps[k]], contract_step(&t->e, s->which, f->taps[k])));
  mask = both(t, mask, pir_loop_lt(m, tap, t->sum_extent));
  mask = both(t, mask, in_windows(t, s, slot));
  loop_expr *x = pir_loop_load(m, s->from, at, (uint16_t)s->width, mask);
  pir_loop_store(t->e.fn, block, s->fetched, i, pir_loop_cast(m, x, s->fetched->dtype), NULL);
  forget(t, f->taps, f->tap_count);
}

static void share_out(tiling *t, side *s, loop_block *block) {
  loop_module *m = t->e.m;
  loop_expr *i = unrolled(t, &block, s->count / s->width), *row = row_of(t, s, i),
            *tap = tap_of(t, s, i), *at;
  if (t->half)
    at = pir_loop_add(m, pir_loop_mul(m, row, number(t, t->step + HALF_PAD)), tap);
  else
    at = pir_loop_add(m, pir_loop_mul(m, tap, number(t, s->size + PAD)), row);
  loop_expr *x = pir_loop_load(m, s->fetched, i, 1, NULL);
  int64_t apart = t->half ? t->step + HALF_PAD : s->size + PAD;
  if (s->width == 1 || s->along == t->half)
    pir_loop_store(t->e.fn, block, s->tile, at, x, NULL);
  else
    pir_loop_scatter(t->e.fn, block, s->tile,
                     pir_loop_ramp(m, at, number(t, apart), (uint16_t)s->width), x, NULL);
}

// Returns row or column r of the thread's square within the tile. Groups of four are spaced the
// whole tile apart, so that a warp reads adjacent groups.
static loop_expr *place_of(const tiling *t, const side *s, loop_expr *r, loop_expr *at) {
  loop_module *m = t->e.m;
  int64_t apart = s->size / (t->square / LANES);
  loop_expr *four =
      pir_loop_mul(m, pir_loop_floordiv(m, r, number(t, LANES)), number(t, apart));
  loop_expr *own = pir_loop_add(m, pir_loop_mul(m, at, number(t, LANES)),
                                pir_loop_mod(m, r, number(t, LANES)));
  return pir_loop_add(m, four, own);
}

static loop_expr *row_thread(const tiling *t) {
  return pir_loop_floordiv(t->e.m, t->thread, number(t, SIDE));
}
static loop_expr *column_thread(const tiling *t) {
  return pir_loop_mod(t->e.m, t->thread, number(t, SIDE));
}

static void multiply(tiling *t, loop_block *block) {
  loop_module *m = t->e.m;
  loop_fn *fn = t->e.fn;
  int64_t fours = t->square / LANES;
  loop_expr *k = unrolled(t, &block, t->step);
  loop_block *inner = block;
  loop_expr *r = unrolled(t, &inner, t->square);
  loop_expr *at = pir_loop_add(m, pir_loop_mul(m, k, number(t, t->a.size + PAD)),
                               place_of(t, &t->a, r, row_thread(t)));
  pir_loop_store(fn, inner, t->left, r, pir_loop_load(m, t->a.tile, at, 1, NULL), NULL);
  inner = block;
  r = unrolled(t, &inner, fours);
  loop_expr *first = pir_loop_mul(m, r, number(t, LANES));
  at = pir_loop_add(m, pir_loop_mul(m, k, number(t, t->b.size + PAD)),
                    place_of(t, &t->b, first, column_thread(t)));
  pir_loop_store(fn, inner, t->right, r, pir_loop_load(m, t->b.tile, at, LANES, NULL), NULL);
  r = unrolled(t, &block, t->square);
  loop_expr *c = unrolled(t, &block, fours);
  loop_expr *slot = pir_loop_add(m, pir_loop_mul(m, r, number(t, fours)), c);
  loop_expr *x = pir_loop_load(m, t->left, r, 1, NULL),
            *y = pir_loop_load(m, t->right, c, LANES, NULL),
            *sum = pir_loop_load(m, t->sums, slot, LANES, NULL);
  pir_loop_store(fn, block, t->sums, slot, contract_product(&t->e, x, y, sum), NULL);
}

// Returns the position of fragment `at` of `many` of a warp in the tile. The warps form two
// rows of four.
static loop_expr *fragment_of(const tiling *t, const side *s, loop_expr *at) {
  loop_module *m = t->e.m;
  loop_expr *warp = pir_loop_floordiv(m, t->thread, number(t, WARP));
  bool left = s->which == OF_A;
  loop_expr *part =
      left ? pir_loop_floordiv(m, warp, number(t, 4)) : pir_loop_mod(m, warp, number(t, 4));
  loop_expr *first = pir_loop_mul(m, part, number(t, s->size / (left ? 2 : 4)));
  return pir_loop_add(m, first,
                      pir_loop_mul(m, at, number(t, left ? FRAGMENT_ROWS : FRAGMENT_COLUMNS)));
}

// Returns the position of a lane's part of a fragment: the row of its quarter warp, and two
// neighbours in it.
static loop_expr *lane_row(const tiling *t) {
  loop_expr *lane = pir_loop_mod(t->e.m, t->thread, number(t, WARP));
  return pir_loop_floordiv(t->e.m, lane, number(t, 4));
}

static loop_expr *lane_pair(const tiling *t) {
  return pir_loop_mul(t->e.m, pir_loop_mod(t->e.m, t->thread, number(t, 4)), number(t, 2));
}

static loop_expr *fragment_place(const tiling *t, const side *s, loop_expr *at, loop_expr *k) {
  loop_module *m = t->e.m;
  loop_expr *row = pir_loop_add(m, fragment_of(t, s, at), lane_row(t));
  loop_expr *from = pir_loop_add(m, pir_loop_mul(m, k, number(t, 16)), lane_pair(t));
  return pir_loop_load(
      m, s->tile, pir_loop_add(m, pir_loop_mul(m, row, number(t, t->step + HALF_PAD)), from), 1,
      NULL);
}

static void multiply_halves(tiling *t, loop_block *block) {
  loop_module *m = t->e.m;
  int64_t half = t->square / 2;
  loop_expr *k = unrolled(t, &block, t->step / 16), *i = unrolled(t, &block, half),
            *j = unrolled(t, &block, half);
  loop_expr *slot =
      pir_loop_mul(m, pir_loop_add(m, pir_loop_mul(m, i, number(t, half)), j), number(t, 2));
  pir_loop_mma(t->e.fn, block, t->sums, slot, fragment_place(t, &t->a, i, k),
               fragment_place(t, &t->b, j, k), t->step + HALF_PAD);
}

static void clear(tiling *t, loop_block *block) {
  loop_expr *r = unrolled(t, &block, t->sums->count);
  loop_expr *zero = pir_loop_const_float(t->e.m, t->e.form->compute, 0);
  pir_loop_store(t->e.fn, block, t->sums, r, pir_loop_broadcast(t->e.m, zero, t->sums->lanes),
                 NULL);
}

static void add_steps(tiling *t, loop_block *block) {
  loop_module *m = t->e.m;
  prepare(t, &t->a, block);
  prepare(t, &t->b, block);
  clear(t, block);
  fetch(t, &t->a, block, number(t, 0));
  fetch(t, &t->b, block, number(t, 0));
  loop_var *at = pir_loop_var_create(t->e.fn, "k", LOOP_INDEX, 1);
  at->multiple = t->step;
  block = pir_loop_for(t->e.fn, block, LOOP_SERIAL, at, number(t, 0), t->sum_extent,
                       number(t, t->step));
  share_out(t, &t->a, block);
  share_out(t, &t->b, block);
  pir_loop_barrier(t->e.fn, block);
  loop_expr *next = pir_loop_add(m, pir_loop_use(m, at), number(t, t->step));
  fetch(t, &t->a, block, next);
  fetch(t, &t->b, block, next);
  if (t->half)
    multiply_halves(t, block);
  else
    multiply(t, block);
  pir_loop_barrier(t->e.fn, block);
}

// ---- results

// Passes the sums in `slot` to the epilogue: one row, and as many columns as they have lanes,
// within the tile.
static bool hand_on(tiling *t, loop_block *block, loop_expr *row, loop_expr *column,
                    loop_expr *slot) {
  const contract_form *f = t->e.form;
  loop_module *m = t->e.m;
  int64_t columns;
  uint16_t lanes = t->sums->lanes;
  loop_expr *mask = NULL;
  row = pir_loop_let(t->e.fn, block, "row", pir_loop_add(m, t->a.origin, row));
  column = pir_loop_let(t->e.fn, block, "column", pir_loop_add(m, t->b.origin, column));
  loop_expr *exists =
      both(t, pir_loop_lt(m, row, t->a.extent), pir_loop_lt(m, column, t->b.extent));
  block = pir_loop_if(t->e.fn, block, exists, NULL);
  bool whole = contract_const(f, f->axes[f->lane].extent, &columns) && columns % lanes == 0;
  if (!whole) {
    loop_expr *left = pir_loop_sub(m, t->b.extent, column);
    mask = pir_loop_let(t->e.fn, block, "mask", pir_loop_tail_mask(m, left, lanes));
  }
  row->var->extent = t->a.extent;
  column->var->extent = t->b.extent;
  set_row(t, &t->a, row);
  set_row(t, &t->b, column);
  loop_expr *sums =
      pir_loop_let(t->e.fn, block, "sum", pir_loop_load(m, t->sums, slot, lanes, NULL));
  return contract_finish(&t->e, block, sums, mask);
}

static bool finish_halves(tiling *t, loop_block *block) {
  loop_module *m = t->e.m;
  int64_t half = t->square / 2;
  loop_expr *i = unrolled(t, &block, half), *j = unrolled(t, &block, half),
            *h = unrolled(t, &block, 2);
  loop_expr *slot =
      pir_loop_mul(m, pir_loop_add(m, pir_loop_mul(m, i, number(t, half)), j), number(t, 2));
  loop_expr *row =
      pir_loop_add(m, pir_loop_mul(m, h, number(t, FRAGMENT_ROWS / 2)), lane_row(t));
  return hand_on(t, block, pir_loop_add(m, fragment_of(t, &t->a, i), row),
                 pir_loop_add(m, fragment_of(t, &t->b, j), lane_pair(t)),
                 pir_loop_add(m, slot, h));
}

static bool finish(tiling *t, loop_block *block) {
  loop_module *m = t->e.m;
  int64_t fours = t->square / LANES;
  loop_expr *r = unrolled(t, &block, t->square), *c = unrolled(t, &block, fours);
  loop_expr *first = pir_loop_mul(m, c, number(t, LANES));
  return hand_on(t, block, place_of(t, &t->a, r, row_thread(t)),
                 place_of(t, &t->b, first, column_thread(t)),
                 pir_loop_add(m, pir_loop_mul(m, r, number(t, fours)), c));
}

// ---- the kernel

// Returns how many adjacent elements one access can fetch. The adjacent axis must be divisible
// by it and not slide in a window, and all other steps must keep the access aligned.
static int64_t fetch_width(const tiling *t, const side *s, const contract_tensor *tensor) {
  const contract_form *f = t->e.form;
  int adjacent = s->along           ? f->taps[f->tap_count - 1]
                 : s->which == OF_A ? t->rows[t->row_count - 1]
                                    : f->lane;
  int64_t widest = t->e.env->target->vector_bytes;
  int64_t width = widest / (int64_t)pir_dtype_size(tensor->dtype), step,
          factor = contract_known_factor(f, f->axes[adjacent].extent);
  const contract_axis *x = &f->axes[adjacent];
  if (!contract_const(f, s->which == OF_A ? x->step_a : x->step_b, &step) || step != 1 ||
      x->window >= 0)
    return 1;
  for (int i = 0; i < f->axis_count; i++) {
    int64_t other =
        contract_known_factor(f, s->which == OF_A ? f->axes[i].step_a : f->axes[i].step_b);
    while (i != adjacent && other % width)
      width /= 2;
  }
  if (s->which == OF_A && contract_const(f, f->offset_a, &step))
    while (step % width)
      width /= 2;
  else if (s->which == OF_A)
    width = 1;
  while (factor % width || s->count % width)
    width /= 2;
  return width;
}

static void open_side(tiling *t, side *s, contract_which which, const contract_tensor *tensor,
                      int64_t size) {
  const contract_form *f = t->e.form;
  loop_fn *fn = t->e.fn;
  int64_t step;
  *s = (side){.which = which, .size = size, .count = size * t->step / THREADS};
  s->from = pir_loop_arg(fn, which == OF_A ? "a" : "b", tensor->dtype, tensor->slot,
                         tensor->align, true);
  const contract_axis *inner = &f->axes[f->taps[f->tap_count - 1]];
  bool adjacent =
      contract_const(f, which == OF_A ? inner->step_a : inner->step_b, &step) && step == 1;
  s->along = adjacent;
  if (which == OF_B && contract_const(f, f->axes[f->lane].step_b, &step) && step == 1)
    s->along = false;
  s->width = fetch_width(t, s, tensor);
  int64_t rows = s->along ? s->count / s->width : 1;
  s->base = pir_loop_registers(fn, "base", LOOP_INDEX, 1, rows);
  s->base->multiple = s->width;
  s->inside = pir_loop_registers(fn, "inside", PIR_BOOL, 1, rows);
  pir_dtype kept = t->half ? tensor->dtype : f->compute;
  s->fetched = pir_loop_registers(fn, "fetched", kept, (uint16_t)s->width, s->count / s->width);
  for (int w = 0; which == OF_A && w < f->window_count; w++)
    s->window[w] = pir_loop_registers(fn, "window", LOOP_INDEX, 1, rows);
  s->tile = pir_loop_shared(fn, "tile", kept,
                            t->half ? size * (t->step + HALF_PAD) : t->step * (size + PAD));
}

static pir_dim product_of(const contract_form *f, const int *axes, int count) {
  pir_dim all = pir_dim_const(f->c->dims, 1);
  for (int i = 0; i < count; i++)
    all = pir_dim_mul(f->c->dims, all, f->axes[axes[i]].extent);
  return all;
}

static loop_expr *extent_of(const tiling *t, const int *axes, int count) {
  loop_expr *all = number(t, 1);
  for (int i = 0; i < count; i++)
    all = pir_loop_mul(t->e.m, all, contract_extent(&t->e, axes[i]));
  return all;
}

// Collects the axes of a role, outermost in out first.
static int axes_of(const contract_form *f, contract_role role, int *out_axes) {
  int count = 0;
  for (int i = 0; i < f->axis_count; i++) {
    if (f->axes[i].role != role)
      continue;
    int at = count++;
    for (; at > 0 && f->axes[out_axes[at - 1]].place_out > f->axes[i].place_out; at--)
      out_axes[at] = out_axes[at - 1];
    out_axes[at] = i;
  }
  return count;
}

// Units are tiles, numbered by batch axes, then rows, then columns.
static loop_block *open_units(tiling *t, contract_stage *out_stage) {
  const contract_form *f = t->e.form;
  pir_dims *dims = f->c->dims;
  loop_module *m = t->e.m;
  int batch[CONTRACT_MAX_VARS], count = axes_of(f, ROLE_BATCH, batch);
  loop_expr *extents[CONTRACT_MAX_VARS + 2], *values[CONTRACT_MAX_VARS + 2];
  pir_dim tiles[2] = {
      pir_dim_ceildiv(dims, product_of(f, t->rows, t->row_count),
                      pir_dim_const(dims, t->a.size)),
      pir_dim_ceildiv(dims, f->axes[f->lane].extent, pir_dim_const(dims, t->b.size))};
  *out_stage = (contract_stage){t->e.fn, product_of(f, batch, count)};
  for (int i = 0; i < count; i++)
    extents[i] = contract_extent(&t->e, batch[i]);
  for (int i = 0; i < 2; i++) {
    extents[count + i] = contract_dim(&t->e, tiles[i]);
    out_stage->units = pir_dim_mul(dims, out_stage->units, tiles[i]);
  }
  int64_t units;
  loop_var *unit = pir_loop_var_create(t->e.fn, "unit", LOOP_INDEX, 1);
  unit->extent = contract_const(f, out_stage->units, &units) ? number(t, units)
                                                             : pir_loop_use(m, t->e.fn->end);
  loop_block *block =
      pir_loop_for(t->e.fn, &t->e.fn->body, LOOP_PARALLEL, unit,
                   pir_loop_use(m, t->e.fn->begin), pir_loop_use(m, t->e.fn->end), NULL);
  contract_split_unit(&t->e, block, pir_loop_use(m, unit), extents, count + 2, values);
  for (int i = 0; i < count; i++)
    t->e.value[batch[i]] = values[i];
  t->a.origin = pir_loop_mul(m, values[count], number(t, t->a.size));
  t->b.origin = pir_loop_mul(m, values[count + 1], number(t, t->b.size));
  return block;
}

bool contract_fits_tile(const contract_form *f, const pir_machine *machine) {
  int64_t rows, columns, sums, fewest = machine->device.tile_extent;
  int axes[CONTRACT_MAX_VARS], count = axes_of(f, ROLE_M, axes);
  if (!count || axes_of(f, ROLE_N, axes) != 1 || !f->tap_count || f->compute != PIR_F32)
    return false;
  count = axes_of(f, ROLE_M, axes);
  if (contract_const(f, product_of(f, axes, count), &rows) && rows < fewest)
    return false;
  if (contract_const(f, f->axes[f->lane].extent, &columns) && columns < fewest)
    return false;
  return !contract_const(f, product_of(f, f->taps, f->tap_count), &sums) || sums >= fewest;
}

// Large tiles reuse more of their operands; small tiles keep more of the device busy.
static int64_t choose_square(const contract_form *f, const int *rows, int row_count,
                             const pir_machine *machine) {
  pir_dim all =
      pir_dim_mul(f->c->dims, product_of(f, rows, row_count), f->axes[f->lane].extent);
  int64_t results;
  bool many = contract_const(f, all, &results) && results >= machine->device.many_results;
  return many ? LARGE_SQUARE : SMALL_SQUARE;
}

// Chooses the rows and columns of the square that each thread multiplies.
static void open_square(tiling *t) {
  t->left = pir_loop_registers(t->e.fn, "left", t->e.form->compute, 1, t->square);
  t->right = pir_loop_registers(t->e.fn, "right", t->e.form->compute, LANES, t->square / LANES);
}

pir_status contract_emit_tiles(const contract_form *f, const contract_env *env,
                               const char *name, contract_stage *out_stage) {
  tiling t = {.e = contract_begin(f, env, name, "")};
  const contraction *c = f->c;
  t.e.fn->threads = THREADS;
  t.row_count = axes_of(f, ROLE_M, t.rows);
  t.square = choose_square(f, t.rows, t.row_count, env->target->machine);
  t.half = c->a.dtype == c->b.dtype && (c->a.dtype == PIR_F16 || c->a.dtype == PIR_BF16) &&
           env->target->tile_products;
  t.step = t.half ? HALF_STEP : STEP;
  open_side(&t, &t.a, OF_A, &c->a, SIDE * t.square);
  open_side(&t, &t.b, OF_B, &c->b, SIDE * t.square);
  if (!env->epilogue)
    t.e.out = pir_loop_arg(t.e.fn, "out", c->out.dtype, c->out.slot, c->out.align, false);
  t.e.a = t.a.from;
  t.e.b = t.b.from;
  t.a.extent = extent_of(&t, t.rows, t.row_count);
  t.b.extent = contract_extent(&t.e, f->lane);
  t.sum_extent = extent_of(&t, f->taps, f->tap_count);
  uint16_t lanes = t.half ? HALF_LANES : LANES;
  t.sums = pir_loop_registers(t.e.fn, "sums", f->compute, lanes, t.square * t.square / lanes);
  if (!t.half)
    open_square(&t);
  loop_block *block = open_units(&t, out_stage);
  loop_var *thread = pir_loop_var_create(t.e.fn, "t", LOOP_INDEX, 1);
  block = pir_loop_for(t.e.fn, block, LOOP_THREADS, thread, number(&t, 0), number(&t, THREADS),
                       NULL);
  t.thread = pir_loop_use(t.e.m, thread);
  add_steps(&t, block);
  return (t.half ? finish_halves(&t, block) : finish(&t, block)) ? PIR_OK : PIR_UNSUPPORTED;
}
