// The vector kernel of matrix products and convolutions. A register tile of rows x vectors of
// sums stays in registers during the reduction loop. Each step loads the vectors of one line of
// the panel, broadcasts one element of `a` for each row, and issues the multiply-adds. The rows
// of a tile are neighbours along one axis of out (pixels of an image row, rows of a matrix), so
// their addresses differ by constants. Image patches are never copied (no im2col).
//
// Padding costs no arithmetic. A tap that lies in the padding for a whole row of pixels is
// excluded from its loop's range. At the left and right border each tap runs over the sub-range
// of tile rows for which it lies inside, if the sizes are constant. If they are dynamic, border
// pixels are tiles of one row with a range of taps.
//
// A depthwise convolution is the same loop nest, with vectors of `a` in place of broadcast
// elements.
#include "contract_ways.h"
#include "contract_words.h"

// ---- tiles

// Returns the number of lanes of the narrowest vector.
static int narrowest_lanes(const contract_emission *e) {
  return e->env->target->machine->core.narrowest_bytes / (int)pir_dtype_size(e->form->compute);
}

// Returns the number of lanes of a row if there are fewer than a vector and the rows of a tile
// are adjacent in out, else 0. Example: the columns of a transposed convolution with one
// channel, where pixel 2x + j is lane j of row x.
static int64_t adjoining_lanes(const contract_form *f) {
  int64_t lanes, apart, next;
  if (f->kind != CONTRACT_PANEL || f->lane < 0 || f->tile < 0)
    return 0;
  const contract_axis *tile = &f->axes[f->tile], *lane = &f->axes[f->lane];
  bool fewer = contract_const(f, lane->extent, &lanes) && lanes >= 2 && lanes <= f->vector / 2;
  if (!fewer || f->vector % lanes || tile->part_count > 1)
    return 0;
  bool follow = contract_const(f, tile->step_out, &next) && next == lanes &&
                contract_const(f, lane->step_out, &apart) && apart == 1 &&
                tile->place_out == lane->place_out;
  return follow ? lanes : 0;
}

// Finishes such rows as whole vectors: stores them one after another to scratch (each
// overwrites the previous one's excess lanes) and loads whole vectors for the epilogue.
static bool finish_adjoining(panel_tile *t, loop_block *block, loop_expr *row0, int lanes) {
  contract_emission *e = &t->p->e;
  const contract_form *f = e->form;
  int count = t->rows * lanes, wide = t->p->lanes[0], narrowest = narrowest_lanes(e);
  loop_buffer *line = pir_loop_scratch(e->fn, "line", f->compute, count + wide);
  for (int row = 0; row < t->rows; row++) {
    loop_expr *at = contract_int(e, (int64_t)row * lanes);
    contract_store(e, block, line, at, contract_load_sum(t, row, 0));
  }
  e->value[f->lane] = NULL;
  for (int at = 0; at < count; at += f->vector) {
    int width = f->vector, left = count - at;
    while (width / 2 >= left && width / 2 >= narrowest)
      width /= 2;
    uint16_t vector = (uint16_t)width;
    loop_expr *mask = NULL, *from = contract_int(e, at);
    if (left < width) {
      mask = pir_loop_tail_mask(e->m, contract_int(e, left), vector);
      mask = contract_let(e, block, "mask", mask);
    }
    loop_expr *sums = contract_load(e, line, from, vector, mask);
    e->value[f->tile] = contract_plus(e, row0, at / lanes);
    if (!contract_finish(e, block, contract_let(e, block, "sum", sums), mask))
      return false;
  }
  return true;
}

static loop_expr *first_lane(const contract_panel *p) {
  return contract_times(&p->e, p->number, contract_panel_lanes(p->e.form));
}

// Sets the axis values of one vector of sums.
static void set_sums_place(const panel_tile *t, loop_expr *row0, int row, int v) {
  contract_emission *e = &t->p->e;
  const contract_form *f = e->form;
  if (f->tile >= 0)
    e->value[f->tile] = contract_plus(e, row0, row);
  if (f->lane >= 0)
    e->value[f->lane] = contract_plus(e, first_lane(t->p), v * f->vector);
}

// Adds the parts of each sum into its first part.
static void add_parts(const panel_tile *t, loop_block *block) {
  const contract_emission *e = &t->p->e;
  for (int i = 0; t->parts > 1 && i < t->rows * t->p->vectors; i++) {
    loop_buffer *sums = t->sums[i % t->p->vectors];
    loop_expr *first = contract_sum_place(t, i / t->p->vectors), *sum = NULL;
    for (int part = 0; part < t->parts; part++) {
      loop_expr *at = contract_plus(e, first, part);
      loop_expr *one = contract_load(e, sums, at, sums->lanes, NULL);
      sum = sum ? contract_add(e, sum, one) : one;
    }
    contract_store(e, block, sums, first, sum);
  }
}

static bool finish_tile(panel_tile *t, loop_block *block, loop_expr *row0) {
  contract_emission *e = &t->p->e;
  const contract_form *f = e->form;
  int64_t lanes = adjoining_lanes(f);
  if (lanes)
    return finish_adjoining(t, block, row0, (int)lanes);
  for (int row = 0; row < t->rows; row++)
    for (int v = 0; v < t->p->vectors; v++) {
      set_sums_place(t, row0, row, v);
      if (!contract_finish(e, block, contract_load_sum(t, row, v), t->p->masks[v]))
        return false;
    }
  return true;
}

// Returns the number of partial sums of each sum. Consecutive steps of small tiles add to
// different partial sums, which hides the latency of the multiply-adds.
static int count_parts(const panel_tile *t) {
  const pir_machine *machine = t->p->e.env->target->machine;
  int parts = 1, sums = t->rows * t->p->vectors;
  if (t->p->e.form->kind != CONTRACT_PANEL || t->border != BORDER_NONE)
    return 1;
  while (parts < machine->tile.most_parts && parts * sums < machine->core.chains)
    parts *= 2;
  return parts;
}

static void clear_sums(panel_tile *t, loop_block *block) {
  const contract_emission *e = &t->p->e;
  pir_dtype type = e->form->compute;
  int64_t count = (int64_t)t->rows * t->parts;
  loop_expr *zero =
      type == PIR_I32 ? pir_loop_const_int(e->m, type, 0) : pir_loop_const_float(e->m, type, 0);
  for (int v = 0; v < t->p->vectors; v++) {
    uint16_t lanes = (uint16_t)t->p->lanes[v];
    t->sums[v] = pir_loop_registers(e->fn, "sum", type, lanes, count);
    loop_expr *all = contract_broadcast(e, zero, lanes);
    for (int64_t i = 0; i < count; i++)
      contract_store(e, block, t->sums[v], contract_int(e, i), all);
  }
}

// Fetches what the epilogue will read for this tile while its sums are computed, as far as each
// row reads its own: a residual, or weights and their momentum. The lines of a tile lie apart,
// so that the processor does not fetch them by itself; they wait in the L2 cache, because rows
// at a distance of a page share sets of the L1 cache.
static void fetch_for_finish(const panel_tile *t, loop_block *block, loop_expr *row0) {
  contract_emission *e = &t->p->e;
  contract_place places[CONTRACT_MOST_READS];
  int fewest = e->env->target->machine->cache.fetching_sums;
  if (t->rows < 2 || t->rows * t->p->vectors < fewest || adjoining_lanes(e->form))
    return;
  loop_var *row = pir_loop_var_create(e->fn, "row", LOOP_INDEX, 1);
  loop_expr *at = pir_loop_use(e->m, row);
  loop_block *body = NULL;
  for (int v = 0; v < t->p->vectors; v++) {
    set_sums_place(t, contract_add(e, row0, at), 0, v);
    int count = contract_finish_reads(e, t->p->lanes[v], places);
    for (int i = 0; i < count; i++) {
      if (!pir_loop_mentions(places[i].index, row))
        continue;
      if (!body)
        body = pir_loop_for(e->fn, block, LOOP_SERIAL, row, contract_int(e, 0),
                            contract_int(e, t->rows), NULL);
      pir_loop_prefetch(e->fn, body, places[i].buffer, places[i].index, true);
    }
  }
}

// Where the walk over the taps begins, for the tile whose first row is row0.
static contract_walk first_walk(const panel_tile *t, loop_block *block, loop_expr *row0) {
  contract_emission *e = &t->p->e;
  const contract_form *f = e->form;
  if (f->lane >= 0)
    e->value[f->lane] = first_lane(t->p);
  if (f->tile >= 0)
    e->value[f->tile] = row0;
  for (int i = 0; i < f->tap_count; i++)
    e->value[f->taps[i]] = NULL;
  contract_walk w = {.low = 0, .high = t->rows};
  if (t->rows * t->p->vectors >= e->env->target->machine->cache.fetching_sums)
    w.fetch = e->fetch.from;
  w.b = f->b_packed ? contract_panel_base(e, t->p->number) : contract_position(e, OF_B);
  if (f->lane >= 0 && f->kind != CONTRACT_DEPTHWISE)
    e->value[f->lane] = NULL;
  w.a = contract_let(e, block, "a0", contract_position(e, OF_A));
  w.b = contract_let(e, block, "b0", w.b);
  return w;
}

static bool finish_strip(panel_tile *t, loop_block *block, loop_expr *row0) {
  loop_block *body = contract_open_strip(t, block);
  contract_take_totals(t, body);
  bool done = finish_tile(t, body, row0);
  contract_close_strip(t);
  return done;
}

// Emits one tile, whose first row is row0.
static bool emit_panel_tile(panel_tile *t, loop_block *block, loop_expr *row0) {
  const contract_emission *e = &t->p->e;
  t->parts = count_parts(t);
  t->row_step = contract_int(e, 0);
  if (e->form->tile >= 0)
    t->row_step = contract_step(e, OF_A, e->form->tile);
  clear_sums(t, block);
  if (!e->form->strip_count)
    fetch_for_finish(t, block, row0);
  contract_add_taps(t, block, first_walk(t, block, row0));
  if (e->form->strip_count)
    return finish_strip(t, block, row0);
  add_parts(t, block);
  return finish_tile(t, block, row0);
}

static bool emit_plain_tile(contract_panel *p, loop_block *block, int rows, loop_expr *row0) {
  panel_tile t = {.p = p, .rows = rows, .tap = -1};
  return emit_panel_tile(&t, block, row0);
}

// Emits tiles of powers of two for `rest` rows (fewer than `most`) from row0 on; both are
// run-time values. Only the largest size may occur more than once.
static bool emit_rest(contract_panel *p, loop_block *block, int most, loop_expr *row0,
                      loop_expr *rest) {
  contract_emission *e = &p->e;
  bool done = true;
  int size = contract_rest_tile(e->env->target->machine, most, p->vectors);
  if (size * 2 < most) {
    loop_expr *left = contract_mod(e, rest, contract_int(e, size)), *row;
    loop_expr *end = contract_add(e, row0, contract_sub(e, rest, left));
    loop_block *body = contract_loop(e, block, "row", row0, end, contract_int(e, size), &row);
    done = emit_plain_tile(p, body, size, row);
    size /= 2;
  }
  for (; size >= 1 && done; size /= 2) {
    loop_expr *left = contract_mod(e, rest, contract_int(e, 2 * size));
    loop_expr *some = contract_lt(e, contract_int(e, size - 1), left);
    loop_block *body = contract_if(e, block, some, NULL);
    loop_expr *row = contract_add(e, row0, contract_sub(e, rest, left));
    done = emit_plain_tile(p, body, size, contract_let(e, body, "row", row));
  }
  return done;
}

// ---- rows of tiles

// Emits the tile with this number, along an axis with a constant number of rows.
static bool emit_known_tile(contract_panel *p, loop_block *block, loop_expr *number,
                            loop_expr *row0, int64_t rows) {
  contract_emission *e = &p->e;
  int of_tile = e->form->rows, rest = (int)(rows % of_tile);
  loop_block *other;
  if (!rest)
    return emit_plain_tile(p, block, of_tile, row0);
  loop_expr *is_full = contract_lt(e, number, contract_int(e, rows / of_tile));
  loop_block *full = contract_if(e, block, is_full, &other);
  return emit_plain_tile(p, full, of_tile, row0) && emit_plain_tile(p, other, rest, row0);
}

// Emits the tile with this number, along an axis that no tap slides along.
static bool emit_numbered_tile(contract_panel *p, loop_block *block, loop_expr *number) {
  contract_emission *e = &p->e;
  const contract_form *f = e->form;
  if (f->tile < 0)
    return emit_plain_tile(p, block, 1, NULL);
  loop_expr *rows = contract_extent(e, f->tile);
  loop_expr *row0 = contract_let(e, block, "row", contract_times(e, number, f->rows));
  loop_block *other;
  int64_t known;
  if (pir_loop_is_int(rows, &known))
    return emit_known_tile(p, block, number, row0, known);
  if (contract_known_factor(f, f->axes[f->tile].extent) % f->rows == 0)
    return emit_plain_tile(p, block, f->rows, row0);
  loop_expr *rest = contract_let(e, block, "rest", contract_sub(e, rows, row0));
  loop_expr *is_full = contract_lt(e, contract_int(e, f->rows - 1), rest);
  loop_block *full = contract_if(e, block, is_full, &other);
  return emit_plain_tile(p, full, f->rows, row0) && emit_rest(p, other, f->rows, row0, rest);
}

typedef struct row_sizes {
  int64_t positions, extent, taps;  // extents of the axis in out, in a and of the tap
} row_sizes;

// Finds the range of rows for which each tap is inside; returns whether it is all rows for all
// taps.
static bool find_borders(const contract_window *w, const row_sizes *s, int64_t row0,
                         panel_tile *t) {
  bool full = true;
  for (int64_t k = 0; k < s->taps; k++) {
    t->low[k] = t->rows;
    t->high[k] = 0;
    for (int i = 0; i < t->rows; i++) {
      int64_t at = w->offset + (row0 + i) * w->stride + k * w->dilation;
      if (at < 0 || at >= s->extent)
        continue;
      if (i < t->low[k])
        t->low[k] = i;
      t->high[k] = i + 1;
    }
    full &= t->low[k] == 0 && t->high[k] == t->rows;
  }
  return full;
}

// Returns the number of rows of tile i, for positions that are distributed evenly over tiles.
static int rows_of_share(const row_sizes *s, int64_t tiles, int64_t i) {
  return (int)(s->positions / tiles + (i < s->positions % tiles));
}

// Returns the number of consecutive tiles, starting with tile i at position `row`, that have
// the size of t and no border.
static int64_t count_inside(const contract_window *w, const row_sizes *s, panel_tile *t,
                            int64_t tiles, int64_t i, int64_t row) {
  int64_t same = 0;
  while (i + same < tiles && rows_of_share(s, tiles, i + same) == t->rows &&
         find_borders(w, s, row + same * t->rows, t))
    same++;
  return same;
}

// Emits a row of constant sizes: tiles of nearly equal size; consecutive tiles without a border
// are one loop.
static bool emit_constant_row(contract_panel *p, loop_block *block, const contract_window *w,
                              const row_sizes *s) {
  contract_emission *e = &p->e;
  int64_t tiles = (s->positions + e->form->rows - 1) / e->form->rows, row = 0, same;
  bool done = true;
  for (int64_t i = 0; i < tiles && done; i += same) {
    panel_tile t = {.p = p, .tap = w->tap, .rows = rows_of_share(s, tiles, i)};
    loop_expr *from = contract_int(e, row), *at = from;
    loop_block *body = block;
    same = count_inside(w, s, &t, tiles, i, row);
    row += (same ? same : 1) * t.rows;
    if (same) {
      loop_expr *to = contract_int(e, row), *step = contract_int(e, t.rows);
      body = contract_loop(e, block, "x", from, to, step, &at);
    } else {
      same = 1;
      find_borders(w, s, row - t.rows, &t);
      t.border = BORDER_ROWS;
    }
    done = emit_panel_tile(&t, body, at);
  }
  return done;
}

static loop_expr *ceil_div(const contract_emission *e, loop_expr *x, int64_t by) {
  return contract_div(e, contract_plus(e, x, by - 1), contract_int(e, by));
}

// Computes the range of taps that are inside at `position` (NULL: 0).
void contract_tap_range(const contract_emission *e, const contract_window *w,
                        loop_expr *position, loop_expr **out_begin, loop_expr **out_end) {
  loop_expr *zero = contract_int(e, 0), *at = contract_int(e, w->offset);
  if (position)
    at = contract_add(e, at, contract_times(e, position, w->stride));
  loop_expr *low = ceil_div(e, contract_sub(e, zero, at), w->dilation);
  loop_expr *high = ceil_div(e, contract_sub(e, contract_dim(e, w->extent), at), w->dilation);
  *out_begin = contract_max(e, low, zero);
  *out_end = contract_min(e, high, contract_extent(e, w->tap));
}

static bool emit_border_pixels(contract_panel *p, loop_block *block, const contract_window *w,
                               loop_expr *begin, loop_expr *end) {
  contract_emission *e = &p->e;
  loop_expr *x;
  loop_block *body = contract_loop(e, block, "x", begin, end, NULL, &x);
  panel_tile t = {.p = p, .rows = 1, .border = BORDER_TAPS, .tap = w->tap};
  contract_tap_range(e, w, x, &t.begin, &t.end);
  t.begin = contract_let(e, body, "begin", t.begin);
  t.end = contract_let(e, body, "end", t.end);
  return emit_panel_tile(&t, body, x);
}

// Computes the range of positions within [from, to) whose taps are all inside: from the first
// position whose first tap is inside to the end of the positions whose last tap is inside.
static void find_inner(const contract_emission *e, loop_block *block, const contract_window *w,
                       loop_expr *from, loop_expr *to, loop_expr **out_left,
                       loop_expr **out_right) {
  int64_t first = w->offset < 0 ? (-w->offset + w->stride - 1) / w->stride : 0;
  loop_expr *last_tap = contract_sub(e, contract_extent(e, w->tap), contract_int(e, 1));
  loop_expr *span = contract_times(e, last_tap, w->dilation);
  loop_expr *room = contract_sub(e, contract_dim(e, w->extent), contract_int(e, w->offset));
  room = contract_max(e, contract_sub(e, room, span), contract_int(e, 0));
  loop_expr *left = contract_max(e, contract_int(e, first), from);
  *out_left = contract_let(e, block, "left", contract_min(e, left, to));
  loop_expr *right = contract_min(e, ceil_div(e, room, w->stride), to);
  *out_right = contract_let(e, block, "right", contract_max(e, right, *out_left));
}

// Emits a row, or a part of one, with dynamic sizes: left border, full tiles, remaining rows,
// right border.
static bool emit_varying_row(contract_panel *p, loop_block *block, const contract_window *w) {
  contract_emission *e = &p->e;
  const contract_form *f = e->form;
  loop_expr *size = contract_int(e, f->rows), *left, *right, *x;
  loop_expr *from = e->to ? e->from : contract_int(e, 0);
  loop_expr *to = e->to ? e->to : contract_extent(e, f->tile);
  find_inner(e, block, w, from, to, &left, &right);
  loop_expr *count = contract_let(e, block, "count", contract_sub(e, right, left));
  loop_expr *rest = contract_let(e, block, "rest", contract_mod(e, count, size));
  loop_expr *tiled = contract_let(e, block, "tiled", contract_sub(e, right, rest));
  if (!emit_border_pixels(p, block, w, from, left))
    return false;
  loop_block *body = contract_loop(e, block, "x", left, tiled, size, &x);
  return emit_plain_tile(p, body, f->rows, x) && emit_rest(p, block, f->rows, tiled, rest) &&
         emit_border_pixels(p, block, w, right, to);
}

// Whether the panel covers all positions of its tile axis.
static bool does_all_positions(const contract_emission *e) {
  int64_t from, to, extent;
  if (!e->to)
    return true;
  if (!pir_loop_is_int(e->from, &from) || from || !pir_loop_is_int(e->to, &to))
    return false;
  pir_dim all = e->form->axes[e->form->tile].extent;
  return contract_const(e->form, all, &extent) && to == extent;
}

static const contract_window *tile_window(const contract_form *f) {
  int window = f->tile >= 0 ? f->axes[f->tile].window : -1;
  return window >= 0 ? &f->windows[window] : NULL;
}

static bool find_row_sizes(const contract_form *f, const contract_window *w, row_sizes *out) {
  return contract_const(f, f->axes[f->tile].extent, &out->positions) &&
         contract_const(f, w->extent, &out->extent) &&
         contract_const(f, f->axes[w->tap].extent, &out->taps);
}

static bool emit_panel_rows(contract_panel *p, loop_block *block, loop_expr *number) {
  const contract_form *f = p->e.form;
  const contract_window *w = tile_window(f);
  row_sizes s;
  if (f->tile_groups)
    return contract_emit_tile_block(p, block, number);
  if (!w && p->e.rows)
    return emit_plain_tile(p, block, p->e.rows, p->e.from);
  if (!w)
    return emit_numbered_tile(p, block, number);
  if (does_all_positions(&p->e) && find_row_sizes(f, w, &s) && s.taps <= MAX_BORDER_TAPS)
    return emit_constant_row(p, block, w, &s);
  return emit_varying_row(p, block, w);
}

// ---- panels and units

// Sets the widths and masks of the vectors if `left` lanes remain for the panel. A short last
// vector is narrowed as far as possible: on cores with half-width vector units, a half-width op
// costs half.
static void limit_lanes(contract_panel *p, loop_block *block, loop_expr *left) {
  const contract_emission *e = &p->e;
  int narrowest = narrowest_lanes(e);
  for (int v = 0; v < p->vectors; v++) {
    loop_expr *done = contract_int(e, v * e->form->vector);
    loop_expr *here = contract_sub(e, left, done);
    int64_t known;
    if (pir_loop_is_int(here, &known)) {
      while (p->lanes[v] / 2 >= known && p->lanes[v] / 2 >= narrowest)
        p->lanes[v] /= 2;
      if (known >= p->lanes[v])
        continue;
    }
    p->masks[v] = contract_mask(e, block, here, p->lanes[v]);
  }
}

static bool emit_panel(contract_emission *e, loop_block *block, loop_expr *number, int vectors,
                       loop_expr *lanes_left, loop_expr *tile_number) {
  const contract_form *f = e->form;
  contract_panel p = {.e = *e, .number = number, .vectors = vectors};
  for (int v = 0; v < vectors; v++)
    p.lanes[v] = f->vector;
  if (lanes_left)
    limit_lanes(&p, block, lanes_left);
  for (int i = 0; i < f->window_count; i++) {
    const contract_window *w = &f->windows[i];
    if (w->position >= 0 && w->position == f->tile)
      continue;
    if (w->position >= 0 && contract_in_strip(f, w->position)) {
      p.tap_begin[w->tap] = contract_int(e, 0);
      p.tap_end[w->tap] = contract_extent(e, w->tap);
      continue;
    }
    loop_expr *position = w->position < 0 ? NULL : e->value[w->position], *begin, *end;
    contract_tap_range(e, w, position, &begin, &end);
    p.tap_begin[w->tap] = contract_let(e, block, "begin", begin);
    p.tap_end[w->tap] = contract_let(e, block, "end", end);
  }
  return emit_panel_rows(&p, block, tile_number);
}

// Emits the full panels and the last one, which may be narrower, for a dynamic number of lanes.
static bool emit_open_panel(contract_emission *e, loop_block *block, loop_expr *number,
                            loop_expr *tile_number) {
  const contract_form *f = e->form;
  int64_t width = contract_panel_lanes(f);
  loop_block *other;
  loop_expr *lanes = contract_extent(e, f->lane);
  loop_expr *left = contract_sub(e, lanes, contract_times(e, number, width));
  left = contract_let(e, block, "lanes", left);
  loop_expr *is_full = contract_lt(e, contract_int(e, width - 1), left);
  loop_block *full = contract_if(e, block, is_full, &other);
  return emit_panel(e, full, number, f->vectors, NULL, tile_number) &&
         emit_panel(e, other, number, f->vectors, left, tile_number);
}

bool contract_emit_panel(contract_emission *e, loop_block *block, loop_expr *number,
                         loop_expr *tile_number) {
  const contract_form *f = e->form;
  int64_t width = contract_panel_lanes(f), lanes;
  if (f->lane < 0)
    return emit_panel(e, block, number, 1, NULL, tile_number);
  if (!contract_const(f, f->axes[f->lane].extent, &lanes))
    return emit_open_panel(e, block, number, tile_number);
  int rest = (int)((lanes % width + f->vector - 1) / f->vector);
  loop_expr *left = contract_int(e, lanes % width);
  if (!rest)
    return emit_panel(e, block, number, f->vectors, NULL, tile_number);
  if (lanes < width)
    return emit_panel(e, block, number, rest, left, tile_number);
  loop_block *other;
  loop_expr *is_full = contract_lt(e, number, contract_int(e, lanes / width));
  loop_block *full = contract_if(e, block, is_full, &other);
  return emit_panel(e, full, number, f->vectors, NULL, tile_number) &&
         emit_panel(e, other, number, rest, left, tile_number);
}

// A unit's number consists of these digits: the outer axes, a panel, and a tile (or a whole row
// of tiles). The order maximises sharing between neighbouring units. Axes that select a part of
// b come before the panel. The others come after it, unless all panels stay in the cache: then
// the tile is kept and the panel varies fastest. If neither all panels nor all rows stay there,
// blocks of tiles come before the panel. Axes that lie in out between the rows of a tile come
// last, since their units write to the same lines of the cache. The axes of a strip have no
// digit.
enum {
  DIGIT_PANEL = -1,
  DIGIT_TILE = -2,
  DIGIT_BLOCK = -3,
  MOST_DIGITS = CONTRACT_MAX_VARS + 3
};

static bool is_between_rows(const contract_form *f, int axis) {
  return !contract_in_b(f, axis) && f->tile >= 0 &&
         f->axes[axis].place_out > f->axes[f->tile].place_out;
}

static int order_digits(const contract_form *f, int digits[MOST_DIGITS]) {
  int count = 0;
  for (int i = 0; i < f->outer_count; i++)
    if (contract_in_b(f, f->outer[i]))
      digits[count++] = f->outer[i];
  if (f->block)
    digits[count++] = DIGIT_BLOCK;
  if (!f->panel_inner)
    digits[count++] = DIGIT_PANEL;
  for (int i = 0; i < f->outer_count; i++)
    if (!contract_in_b(f, f->outer[i]) && !is_between_rows(f, f->outer[i]) &&
        !contract_in_strip(f, f->outer[i]))
      digits[count++] = f->outer[i];
  digits[count++] = DIGIT_TILE;
  if (f->panel_inner)
    digits[count++] = DIGIT_PANEL;
  for (int i = 0; i < f->outer_count; i++)
    if (is_between_rows(f, f->outer[i]) && !contract_in_strip(f, f->outer[i]))
      digits[count++] = f->outer[i];
  return count;
}

static pir_dim tiles_of_rows(const contract_form *f) {
  pir_dims *dims = f->c->dims;
  return pir_dim_ceildiv(dims, contract_rows(f), pir_dim_const(dims, f->rows));
}

static pir_dim digit_extent(const contract_form *f, int digit) {
  pir_dims *dims = f->c->dims;
  if (digit == DIGIT_PANEL)
    return contract_panels(f);
  if (digit >= 0)
    return f->axes[digit].extent;
  if (f->tile < 0 || tile_window(f))
    return pir_dim_const(dims, 1);
  pir_dim tiles = tiles_of_rows(f);
  if (!f->block)
    return tiles;
  pir_dim block = pir_dim_const(dims, f->block);
  return digit == DIGIT_TILE ? block : pir_dim_ceildiv(dims, tiles, block);
}

static void open_panel_buffers(contract_emission *e, uint16_t b_slot) {
  const contract_form *f = e->form;
  const contract_tensor *b = &f->c->b;
  e->a = contract_arg(e, "a", &f->c->a);
  if (f->narrow)
    contract_open_widened(e, b_slot);
  else if (f->b_packed)
    e->b = pir_loop_arg(e->fn, "b", contract_lane_dtype(f), b_slot, PACKED_ALIGN, true);
  else
    e->b = pir_loop_arg(e->fn, "b", b->dtype, b_slot, b->align, true);
  if (f->c->scaled)
    e->scale = contract_arg(e, "scale", &f->c->scale);
  contract_open_out(e);
}

// Fetches, from `next` on, `lines` lines of `width` elements, of which each of `parts` units
// takes a share; `at` is this unit's number among them. A step stands for a line.
static void fetch_share(contract_emission *e, loop_block *block, loop_expr *next,
                        loop_expr *lines, loop_expr *width, loop_expr *at, loop_expr *parts) {
  loop_expr *share = contract_plus(e, contract_add(e, width, parts), -1);
  e->fetch.step = contract_let(e, block, "share", contract_div(e, share, parts));
  loop_expr *part = contract_mul(e, contract_mul(e, at, lines), e->fetch.step);
  e->fetch.from = contract_let(e, block, "fetch", contract_add(e, next, part));
}

// A panel that one unit reads comes from memory or the last-level cache while it is multiplied.
// Its lines are fetched a little ahead of their use: the next panel might displace this one.
static void fetch_own_panel(contract_emission *e, loop_block *block, loop_expr *panel,
                            loop_expr *units) {
  int64_t ahead = e->env->target->machine->cache.stream_ahead, known;
  loop_expr *step = contract_int(e, contract_panel_lanes(e->form));
  loop_expr *from = contract_panel_base(e, panel);
  from = contract_plus(e, from, ahead / (int64_t)pir_dtype_size(e->b->dtype));
  if (!pir_loop_is_int(units, &known)) {
    loop_expr *one = contract_let(e, block, "one", contract_lt(e, units, contract_int(e, 2)));
    from = pir_loop_select(e->m, one, from, e->fetch.from);
    step = contract_let(e, block, "share", pir_loop_select(e->m, one, step, e->fetch.step));
  } else if (known != 1) {
    return;
  }
  e->fetch.from = contract_let(e, block, "fetch", from);
  e->fetch.step = step;
}

// Divides the next panel among the units that read this one: those that differ in the digits
// behind the panel's, of which there are `count`.
static void fetch_next_panel(contract_emission *e, loop_block *block, loop_expr *panel,
                             loop_expr *const *extents, loop_expr *const *values, int count) {
  const contract_form *f = e->form;
  loop_expr *at = contract_int(e, 0), *units = contract_int(e, 1);
  for (int i = 0; i < count; i++) {
    at = contract_add(e, contract_mul(e, at, extents[i]), values[i]);
    units = contract_mul(e, units, extents[i]);
  }
  loop_expr *width = contract_int(e, contract_panel_lanes(f));
  loop_expr *lines = contract_lines_below(e, -1, contract_int(e, 1));
  loop_expr *next = contract_panel_base(e, contract_plus(e, panel, 1));
  e->fetch.of = e->b;
  fetch_share(e, block, next, lines, width, at, units);
  fetch_own_panel(e, block, panel, units);
}

// Divides the rows of the next tile, which are adjacent in a, among the panels of this one.
static void fetch_next_rows(contract_emission *e, loop_block *block, loop_expr *panel,
                            loop_expr *tile) {
  const contract_form *f = e->form;
  loop_expr *next = contract_times(e, contract_plus(e, tile, 1), f->rows);
  e->value[f->tile] = next;
  next = contract_position(e, OF_A);
  e->value[f->tile] = NULL;
  e->fetch.of = e->a;
  fetch_share(e, block, next, contract_extent(e, f->taps[0]), contract_int(e, f->rows), panel,
              contract_dim(e, contract_panels(f)));
}

pir_status contract_emit_panels(const contract_form *f, const contract_env *env,
                                const char *name, uint16_t b_slot, contract_stage *out_stage) {
  const char *which = f->narrow ? "_many" : "";
  contract_emission e = contract_begin(f, env, name, f->one_block ? "_few" : which);
  pir_dims *dims = f->c->dims;
  open_panel_buffers(&e, b_slot);
  if (f->tile_groups)
    contract_begin_tiles(&e);
  int digits[MOST_DIGITS], count = order_digits(f, digits), at = 0;
  loop_expr *unit, *extents[MOST_DIGITS], *values[MOST_DIGITS], *panel = NULL, *tile = NULL;
  loop_expr *first = NULL;
  loop_block *block = contract_open_units(&e, "unit", &unit);
  *out_stage = (contract_stage){e.fn, pir_dim_const(dims, 1)};
  for (int i = 0; i < count; i++) {
    pir_dim extent = digit_extent(f, digits[i]);
    extents[i] = contract_dim(&e, extent);
    out_stage->units = pir_dim_mul(dims, out_stage->units, extent);
  }
  contract_split_unit(&e, block, unit, extents, count, values);
  for (int i = 0; i < count; i++) {
    if (digits[i] == DIGIT_PANEL) {
      panel = values[i];
      at = i;
    } else if (digits[i] == DIGIT_TILE) {
      tile = values[i];
    } else if (digits[i] == DIGIT_BLOCK) {
      first = contract_times(&e, values[i], f->block);
    } else {
      e.value[digits[i]] = values[i];
    }
  }
  if (f->narrow)
    contract_widen_panel(&e, block, panel, unit, values + at + 1, count - at - 1);
  if (f->fetches == FETCH_ROWS)
    fetch_next_rows(&e, block, panel, tile);
  if (f->fetches == FETCH_PANEL && !f->tile_groups)
    fetch_next_panel(&e, block, panel, extents + at + 1, values + at + 1, count - at - 1);
  if (first) {
    tile = contract_let(&e, block, "tile", contract_add(&e, first, tile));
    loop_expr *exists = contract_lt(&e, tile, contract_dim(&e, tiles_of_rows(f)));
    block = contract_if(&e, block, exists, NULL);
  }
  if (!contract_emit_panel(&e, block, panel, tile))
    return PIR_UNSUPPORTED;
  if (f->tile_groups)
    contract_release_tiles(&e);
  return PIR_OK;
}
