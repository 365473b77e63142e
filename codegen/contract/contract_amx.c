// The contraction kernel for AMX tile registers. Up to 2 x 2 tiles of 16 x 16 sums (1 KB each)
// stay in tile registers during the reduction loop. Each step loads two row-major tiles of `a`
// and two packed tiles of `b` and issues all four products. The packed order of `b` interleaves
// neighbours along the reduced axis as the instruction requires. Finished sums are stored to
// scratch; the epilogue reads them row by row.
//
// A step reads 4 KB and multiplies for 64 cycles, which is more than the L2 cache gives. Where
// the rows of `a` and the panel of `b` exceed the L1 cache, a unit therefore has several blocks
// of rows, and does the reduction in parts: all blocks meet a part of the panel while it is in
// the L1 cache, and the sums of each wait in scratch for the next part. Each sum is added in
// the same order with and without parts.
//
// The kernel requires that the row axis is not a sliding window (borders of `a` are written
// out before), and that the reduced axis divides into equal steps that fill at least half a
// tile. All other shapes use the vector kernel. Tile configurations are loaded from scratch.
// The last rows of an image, whether their number is constant or dynamic, are tiles with fewer
// rows: the configuration of whole blocks is loaded at the start of a function and behind such
// rows. To load one for each block takes as long as three steps.
#include "contract_ways.h"
#include "contract_choice.h"
#include "contract_words.h"

#include <string.h>

enum {
  TILE_ROWS = 16,
  SIDE = 2,
  BLOCK_ROWS = SIDE * TILE_ROWS,
  LINE = 64,                     // bytes of a row of a tile
  SUMS_LINE = SIDE * TILE_ROWS,  // sums of a row in scratch
  SUMS = 0,
  LEFT = 4,
  RIGHT = 6
};

int contract_tile_groups(const contract_form *f, const pir_target *target) {
  int64_t extent;
  bool bf16 = f->compute == PIR_F32 && f->group == 2 && target->amx_bf16;
  bool bytes = f->compute != PIR_F32 && f->group == 4 && target->amx_int8;
  if ((!bf16 && !bytes) || f->tile < 0 || f->axes[f->tile].window >= 0)
    return 0;
  pir_dim last = f->axes[f->taps[f->tap_count - 1]].extent;
  if (!contract_const(f, last, &extent) || extent % f->group)
    return 0;
  // Of copies with few channels: seven groups of bytes take 394 us in tiles and 688 by vectors
  // (64 filters of 7x7, Granite Rapids), three take 174 and 140 (32 of 3x3).
  enum { FEWEST_OF_COPY = 7 };
  int fewest = f->pixel ? FEWEST_OF_COPY : target->machine->tile.fewest_in_tile_register;
  for (int n = TILE_ROWS; n >= fewest; n--)
    if (extent / f->group % n == 0)
      return n;
  return 0;
}

// Whether the rows of the next point of M axis `i` follow the rows of one point: lines of an
// image, of which some columns are no point of the result, such as its borders. *out_apart is
// the number of rows from one point to the next, which is the width of the image.
static bool continues_rows(const contract_form *f, int i, pir_dim *out_apart) {
  const contract_axis *x = &f->axes[i], *tile = &f->axes[f->tile];
  int var = tile->parts[tile->part_count - 1];
  pir_dims *dims = f->c->dims;
  if (x->role != ROLE_M || x->window >= 0)
    return false;
  for (int axis = 0; axis < f->c->a.rank; axis++) {
    *out_apart = f->c->a.shape[axis];
    if (f->c->a.map[axis].factor[var] &&
        pir_dim_equal(dims, x->step_a, pir_dim_mul(dims, *out_apart, tile->step_a)))
      return true;
  }
  return false;
}

// Whether tiles of rows across both axes are no more than tiles of the rows of each point. Of
// open extents they are, unless columns are left out.
static bool gains_above(const contract_form *f, pir_dim apart) {
  const contract_axis *tile = &f->axes[f->tile];
  int64_t wide, width, step;
  if (contract_const(f, apart, &width) && contract_const(f, tile->extent, &wide))
    return width <= contract_ceil(wide, TILE_ROWS) * TILE_ROWS;
  return contract_const(f, tile->step_a, &step) &&
         contract_const(f, f->axes[f->taps[f->tap_count - 1]].extent, &width) && step == width;
}

static void take_above(contract_form *f, int i, pir_dim apart) {
  f->above = f->outer[i];
  f->rows_above = apart;
  f->outer_count--;
  memmove(f->outer + i, f->outer + i + 1, (size_t)(f->outer_count - i) * sizeof *f->outer);
}

// Chooses the axis across which rows run. Where too many rows lie between two lines, each line
// that a block of tiles holds has tiles of its own: a line of 14 pixels, two of which are apart
// by a line of the image, is one row of tiles, and a block has two. Otherwise every line would
// read all of b.
static void choose_above(contract_form *f) {
  pir_dim apart;
  int64_t wide;
  for (int i = 0; i < f->outer_count; i++)
    if (continues_rows(f, f->outer[i], &apart) && gains_above(f, apart)) {
      take_above(f, i, apart);
      return;
    }
  if (!contract_const(f, f->axes[f->tile].extent, &wide) || wide < 1 || wide > BLOCK_ROWS)
    return;
  for (int i = f->outer_count; i-- > 0;) {
    const contract_axis *x = &f->axes[f->outer[i]];
    if (x->role != ROLE_M || x->window >= 0)
      continue;
    f->lines = wide > TILE_ROWS ? 1 : SIDE;
    take_above(f, i, pir_dim_const(f->c->dims, BLOCK_ROWS / f->lines));
    return;
  }
}

void contract_choose_tile_groups(contract_form *f, const pir_target *target) {
  contract_form tiled = *f;
  int64_t rows;
  tiled.tile_groups = contract_tile_groups(f, target);
  if (!tiled.tile_groups)
    return;
  choose_above(&tiled);
  if (!contract_const(f, contract_rows(&tiled), &rows) ||
      rows >= target->machine->tile.fewest_in_tile_register)
    *f = tiled;
}

// ---- the schedule

// Bytes of packed b that a step at this level passes; no more than the L1 cache has.
static int64_t bytes_of_step(const contract_form *f, const pir_target *target, int level) {
  int64_t bytes = (int64_t)f->vectors * LINE, extent, most = (int64_t)target->l1_bytes;
  if (level == f->tap_count - 1)
    return bytes * f->tile_groups;
  for (int i = level + 1; i < f->tap_count && bytes < most; i++) {
    bool known = contract_const(f, f->axes[f->taps[i]].extent, &extent) && extent < most;
    int64_t size = contract_step_size(f, i);
    bytes *= known ? contract_ceil(extent, size) : most;
  }
  return bytes < most ? bytes : most;
}

// Bytes of a block of rows that follow each other in a and are met by several taps; 0: no row
// is met twice.
static int64_t bytes_of_block(const contract_form *f) {
  const contract_axis *last = &f->axes[f->taps[f->tap_count - 1]];
  int64_t step, extent;
  if (f->tap_count < 2 || f->lines || !contract_const(f, f->axes[f->tile].step_a, &step) ||
      !contract_const(f, last->extent, &extent) || step != extent)
    return 0;
  return BLOCK_ROWS * step * (int64_t)pir_dtype_size(f->c->a.dtype);
}

enum { NEAR = 2 };  // blocks

// Whether the rows of a few blocks stay in two thirds of the L1 cache while all taps pass.
static bool keeps_rows(const contract_form *f, const pir_target *target) {
  int64_t bytes = bytes_of_block(f);
  return bytes && NEAR * bytes <= (int64_t)target->l1_bytes * 2 / 3;
}

// A panel that fits two thirds of the L1 cache stays there while the rows of a pass. Of a
// larger one a part takes up to a third, as do the rows of a block; up to half beside rows that
// are kept. The outermost level of which a step fits is divided.
static void choose_parts(contract_form *f, const pir_target *target) {
  int64_t l1 = (int64_t)target->l1_bytes, room = l1 / 3;
  int last = f->tap_count - 1, level = 0;
  f->part_level = 0;
  f->part_steps = f->scaled >= 0;
  if (f->scaled >= 0)
    return;
  if (bytes_of_step(f, target, -1) <= 2 * room)
    return;
  if (keeps_rows(f, target)) {
    int64_t left = l1 - NEAR * bytes_of_block(f);
    room = left < l1 / 2 ? left : l1 / 2;
  }
  while (level < last && bytes_of_step(f, target, level) > room)
    level++;
  int64_t bytes = bytes_of_step(f, target, level);  // 0: an axis below has no steps
  f->part_level = level;
  f->part_steps = bytes && bytes < room ? room / bytes : 1;
}

// Bytes of a that a block of rows reads in all steps; no more than fill any cache.
static int64_t bytes_of_rows(const contract_form *f) {
  int64_t bytes = BLOCK_ROWS * (int64_t)pir_dtype_size(f->c->a.dtype), extent;
  for (int i = 0; i < f->tap_count && bytes < INT32_MAX; i++)
    bytes *= contract_const(f, f->axes[f->taps[i]].extent, &extent) ? extent : INT32_MAX;
  return bytes;
}

// A unit has as many blocks of rows as leave some units for each thread of the largest team;
// only one where all panels meet a block while it is in the L1 cache.
static int64_t choose_blocks(const contract_form *f, const pir_target *target, int64_t lanes) {
  enum { MOST = 8, OPEN = 4, UNITS_EACH = 4 };
  int64_t rows, panels = contract_ceil(lanes, contract_panel_lanes(f));
  int64_t most = f->part_steps ? MOST : OPEN;
  if (f->part_steps && keeps_rows(f, target))
    most = NEAR;
  if (!contract_const(f, contract_rows(f), &rows))
    return OPEN;
  // Rows that the L2 cache does not hold make blocks (choose_row_block), one unit at least.
  while (most > 2 && most * bytes_of_rows(f) > (int64_t)target->l2_bytes * 7 / 8)
    most--;
  int64_t blocks = contract_ceil(rows, BLOCK_ROWS);
  int64_t units = (int64_t)UNITS_EACH * target->machine->core.teams[1];
  while (most > 1 && panels * contract_ceil(blocks, most) < units)
    most--;
  int64_t equal = contract_ceil(blocks, contract_ceil(blocks, most)), even = most;
  while (blocks % even)
    even--;
  return rows % BLOCK_ROWS == 0 && 2 * even > equal ? even : equal;
}

void contract_schedule_tiles(contract_form *f, const pir_target *target, int64_t lanes,
                             bool panel_inner) {
  f->vectors = lanes > f->vector ? SIDE : 1;
  choose_parts(f, target);
  f->rows = BLOCK_ROWS;
  if (!panel_inner)
    f->rows *= (int)choose_blocks(f, target, lanes);
}

bool contract_has_one_block(const contract_form *f, contract_form *out_few) {
  if (!f->tile_groups || !f->c->b_constant || f->above >= 0 || f->window_count ||
      f->scaled >= 0 || contract_known_factor(f, contract_rows(f)) > BLOCK_ROWS)
    return false;
  *out_few = *f;
  out_few->one_block = true;
  out_few->rows = BLOCK_ROWS;
  out_few->block = 0;
  out_few->part_level = 0;
  out_few->part_steps = 0;
  return true;
}

// Whether the unit is the first one that meets its panel, and waits for it: the others find it
// in the L2 cache. NULL: every unit is.
static loop_expr *meets_panel_first(const contract_emission *e, loop_block *block,
                                    loop_expr *tile_number) {
  const contract_form *f = e->form;
  loop_expr *before = tile_number;
  int64_t rows;
  if (f->block)
    before = contract_mod(e, tile_number, contract_int(e, f->block));
  if (f->one_block || (contract_const(f, contract_rows(f), &rows) && rows <= f->rows))
    before = contract_int(e, 0);
  for (int i = 0; i < f->outer_count; i++)
    if (!contract_in_b(f, f->outer[i]))
      before = contract_add(e, before, e->value[f->outer[i]]);
  if (pir_loop_is_int(before, &rows))
    return NULL;
  return contract_let(e, block, "first", contract_lt(e, before, contract_int(e, 1)));
}

// ---- tiles

// One block of rows.
typedef struct block_of_tiles {
  contract_panel *p;
  int high;              // tiles of rows
  loop_expr *row_step;   // distance from row to row of a
  loop_expr *from, *to;  // the steps of this part at the divided level; NULL: all
  loop_expr *number;     // of the block in its unit
  loop_expr *fetches;    // whether the next part is fetched; NULL: yes, if the form says so
} block_of_tiles;

// The tile register of the sums of tile row `y` and tile column `x`.
static int sums_tile(int y, int x) {
  return SUMS + SIDE * y + x;
}

static void set_byte(const contract_emission *e, loop_block *block, int at, loop_expr *byte) {
  contract_store(e, block, e->tile_shapes, contract_int(e, at), byte);
}

// The tile configuration in memory: palette 1 in byte 0; at 16 + 2 i the row size of tile i in
// bytes; at 48 + i its number of rows.
static void set_shape(const contract_emission *e, loop_block *block, int tile, loop_expr *rows,
                      int bytes) {
  set_byte(e, block, 16 + 2 * tile, pir_loop_const_int(e->m, PIR_U8, bytes));
  set_byte(e, block, 48 + tile, pir_loop_cast(e->m, rows, PIR_U8));
}

// The number of rows in row `y` of `high` rows of tiles, which have so many in all.
static loop_expr *rows_of_tile(const contract_emission *e, int y, int high, loop_expr *all) {
  const contract_form *f = e->form;
  int64_t wide = 0;
  contract_const(f, f->axes[f->tile].extent, &wide);
  if (f->lines == SIDE)
    return contract_int(e, wide);
  if (f->lines)
    return contract_int(e, y ? wide - TILE_ROWS : TILE_ROWS);
  return y + 1 < high ? contract_int(e, TILE_ROWS)
                      : contract_sub(e, all, contract_int(e, (int64_t)y * TILE_ROWS));
}

// Sets the shapes of `high` rows of tiles, the last one of which has fewer rows.
static void configure(const contract_emission *e, loop_block *block, int high,
                      loop_expr *rows_of_all) {
  loop_expr *zero = contract_int(e, 0);
  int groups = e->form->tile_groups;
  for (int i = 0; i < LINE; i++)
    set_byte(e, block, i, pir_loop_const_int(e->m, PIR_U8, i == 0));
  for (int y = 0; y < high; y++) {
    loop_expr *rows = rows_of_tile(e, y, high, rows_of_all);
    set_shape(e, block, LEFT + y, rows, groups * 4);
    for (int x = 0; x < e->form->vectors; x++)
      set_shape(e, block, sums_tile(y, x), rows, LINE);
  }
  for (int x = 0; x < e->form->vectors; x++)
    set_shape(e, block, RIGHT + x, contract_int(e, groups), LINE);
  pir_loop_tile(e->fn, block, LOOP_TILE_SHAPES, e->tile_shapes, zero, NULL, 0, 0, 0);
}

static void configure_whole_blocks(const contract_emission *e, loop_block *block) {
  configure(e, block, SIDE, contract_int(e, BLOCK_ROWS));
}

// Configures for the rows of the only block. There are no units where one does not hold them.
static void configure_one_block(const contract_emission *e, loop_block *block) {
  loop_expr *rows = contract_dim(e, contract_rows(e->form));
  loop_block *few;
  block = contract_if(e, block, contract_lt(e, rows, contract_int(e, BLOCK_ROWS + 1)), NULL);
  loop_expr *two = contract_lt(e, contract_int(e, TILE_ROWS), rows);
  configure(e, contract_if(e, block, two, &few), SIDE, rows);
  few = contract_if(e, few, contract_lt(e, contract_int(e, 0), rows), NULL);
  configure(e, few, 1, rows);
}

static void load_tile(const contract_emission *e, loop_block *block, int tile,
                      loop_buffer *from, loop_expr *at, loop_expr *row_bytes) {
  pir_loop_tile(e->fn, block, LOOP_TILE_LOAD, from, at, row_bytes, tile, 0, 0);
}

static loop_tile_op tile_product(const contract_form *f) {
  if (f->group == 2)
    return LOOP_TILE_BF16;
  return f->c->a.dtype == PIR_I8 ? LOOP_TILE_S8S8 : LOOP_TILE_U8S8;
}

// Fetches what the next part or panel has where this one has the step at `b`: the blocks of a
// unit take equal shares of its lines.
static void fetch_next_part(const block_of_tiles *t, loop_block *block, loop_expr *b) {
  const contract_emission *e = &t->p->e;
  const contract_form *f = e->form;
  int lines = f->tile_groups * t->p->vectors;
  int share = (int)contract_ceil(lines, f->rows / BLOCK_ROWS);
  int64_t size = f->part_level == f->tap_count - 1 ? f->tile_groups : 1;
  loop_expr *part = contract_times(e, contract_tap_step_b(e, f->part_level), size);
  part = contract_times(e, part, f->part_steps);
  if (!f->part_steps)
    part = contract_lines_below(e, -1, contract_int(e, contract_panel_lanes(f)));
  loop_expr *at = contract_add(e, b, part);
  at = contract_add(e, at, contract_times(e, t->number, (int64_t)share * f->vector));
  for (int i = 0; i < share; i++)
    pir_loop_prefetch(e->fn, block, e->b, contract_plus(e, at, (int64_t)i * f->vector), true);
}

// Distance in a between rows of sums that are so many rows apart. Where lines have rows of
// tiles of their own, these are lines.
static loop_expr *distance_of_rows(const block_of_tiles *t, int64_t rows) {
  const contract_emission *e = &t->p->e;
  const contract_form *f = e->form;
  int line = f->lines ? BLOCK_ROWS / f->lines : 0;
  if (!line || rows % line)
    return contract_times(e, t->row_step, rows);
  return contract_times(e, contract_step(e, OF_A, f->above), rows / line);
}

static void multiply_step(const block_of_tiles *t, loop_block *block, loop_expr *a,
                          loop_expr *b) {
  const contract_emission *e = &t->p->e;
  const contract_form *f = e->form;
  int64_t size = (int64_t)pir_dtype_size(f->c->a.dtype);
  loop_expr *bytes_a = contract_times(e, t->row_step, size);
  loop_expr *bytes_b = contract_int(e, contract_panel_lanes(f) * 4);
  for (int x = 0; x < t->p->vectors; x++) {
    loop_expr *at = contract_plus(e, b, x * f->vector);
    load_tile(e, block, RIGHT + x, e->b, at, bytes_b);
  }
  for (int y = 0; y < t->high; y++) {
    loop_expr *at = contract_add(e, a, distance_of_rows(t, (int64_t)y * TILE_ROWS));
    load_tile(e, block, LEFT + y, e->a, at, bytes_a);
    for (int x = 0; x < t->p->vectors; x++)
      pir_loop_tile(e->fn, block, tile_product(f), NULL, NULL, NULL, sums_tile(y, x), LEFT + y,
                    RIGHT + x);
  }
  if (f->fetches == FETCH_PANEL)
    fetch_next_part(t, t->fetches ? contract_if(e, block, t->fetches, NULL) : block, b);
}

// The steps of a level that the panel has.
static void find_steps(const contract_panel *p, int level, loop_expr **out_begin,
                       loop_expr **out_end) {
  const contract_emission *e = &p->e;
  const contract_form *f = e->form;
  int axis = f->taps[level];
  *out_begin = contract_int(e, 0);
  *out_end = contract_steps(e, level);
  if (level == f->tap_count - 1) {
    *out_end = contract_div(e, *out_end, contract_int(e, f->tile_groups));
  } else if (p->tap_begin[axis]) {
    *out_begin = p->tap_begin[axis];
    *out_end = p->tap_end[axis];
  }
}

// Opens a loop over steps of a level, and advances both operands.
static loop_block *open_steps(const contract_panel *p, loop_block *block, int level,
                              loop_expr *begin, loop_expr *end, loop_expr **a, loop_expr **b) {
  const contract_emission *e = &p->e;
  const contract_form *f = e->form;
  int times = level == f->tap_count - 1 ? f->tile_groups : 1;
  loop_expr *step_a = contract_times(e, contract_tap_step_a(e, level), times);
  loop_expr *step_b = contract_times(e, contract_tap_step_b(e, level), times), *k;
  loop_block *body = contract_loop(e, block, "k", begin, end, NULL, &k);
  *a = contract_let(e, body, "at_a", contract_add(e, *a, contract_mul(e, k, step_a)));
  *b = contract_let(e, body, "at_b", contract_add(e, *b, contract_mul(e, k, step_b)));
  return body;
}

// Emits the loops over the reduced axes from `level` on; the last axis advances by a whole
// tile.
static void multiply_taps(const block_of_tiles *t, loop_block *block, int level, loop_expr *a,
                          loop_expr *b) {
  const contract_form *f = t->p->e.form;
  loop_expr *begin, *end;
  if (level == f->tap_count) {
    multiply_step(t, block, a, b);
    return;
  }
  find_steps(t->p, level, &begin, &end);
  if (t->from && level == f->part_level) {
    begin = t->from;
    end = t->to;
  }
  loop_block *body = open_steps(t->p, block, level, begin, end, &a, &b);
  multiply_taps(t, body, level + 1, a, b);
}

// Moves the sums of a block between tile registers and scratch, where they begin at `at`.
static void move_sums(const block_of_tiles *t, loop_block *block, loop_tile_op op,
                      loop_expr *at) {
  const contract_emission *e = &t->p->e;
  loop_expr *row_bytes = contract_int(e, SUMS_LINE * 4);
  for (int y = 0; y < t->high; y++)
    for (int x = 0; x < t->p->vectors; x++) {
      loop_expr *tile = contract_plus(e, at, y * TILE_ROWS * SUMS_LINE + x * TILE_ROWS);
      pir_loop_tile(e->fn, block, op, e->tile_sums, tile, row_bytes, sums_tile(y, x), 0, 0);
    }
}

static void clear_tiles(const block_of_tiles *t, loop_block *block) {
  for (int y = 0; y < t->high; y++)
    for (int x = 0; x < t->p->vectors; x++)
      pir_loop_tile(t->p->e.fn, block, LOOP_TILE_ZERO, NULL, NULL, NULL, sums_tile(y, x), 0, 0);
}

// The numbers that the epilogue takes: sums, or totals of scaled sums.
static loop_buffer *results(const contract_emission *e) {
  return e->tile_totals ? e->tile_totals : e->tile_sums;
}

// Fetches what the epilogue will read for the same row of the next panel: lines of a residual.
// The processor does not fetch them by itself, for lines of other rows lie between.
static void fetch_for_next_panel(const contract_panel *p, loop_block *block, int v) {
  const contract_emission *e = &p->e;
  const contract_form *f = e->form;
  contract_place places[CONTRACT_MOST_READS];
  int count = contract_finish_reads(e, p->lanes[v], places);
  for (int i = 0; i < count; i++) {
    int64_t at = (int64_t)v * f->vector * (int64_t)pir_dtype_size(places[i].buffer->dtype);
    loop_expr *next = contract_plus(e, places[i].index, contract_panel_lanes(f));
    if (at % CACHE_LINE == 0 && pir_loop_mentions(next, e->value[f->tile]->var))
      pir_loop_prefetch(e->fn, block, places[i].buffer, next, true);
  }
}

// Passes the sums of one row, which are in scratch at `at`, to the epilogue.
static bool finish_row(contract_panel *p, loop_block *block, loop_expr *at) {
  contract_emission *e = &p->e;
  const contract_form *f = e->form;
  for (int v = 0; v < p->vectors; v++) {
    loop_expr *lane = contract_times(e, p->number, contract_panel_lanes(f));
    e->value[f->lane] = contract_plus(e, lane, v * f->vector);
    if (f->panel_inner)
      fetch_for_next_panel(p, block, v);
    loop_expr *from = contract_plus(e, contract_times(e, at, SUMS_LINE), v * TILE_ROWS);
    loop_expr *sums = contract_load(e, results(e), from, p->lanes[v], NULL);
    if (!contract_finish(e, block, contract_let(e, block, "sum", sums), p->masks[v]))
      return false;
  }
  return true;
}

// The rows of a line are one loop, which leaves out those between two lines.
static bool finish_lines(contract_panel *p, loop_block *block, loop_expr *row0,
                         loop_expr *rows) {
  contract_emission *e = &p->e;
  const contract_form *f = e->form;
  loop_expr *apart = contract_dim(e, f->rows_above), *end = contract_add(e, row0, rows);
  loop_expr *first = contract_div(e, row0, apart), *line, *column;
  loop_expr *last = contract_div(e, contract_plus(e, end, -1), apart);
  loop_block *body =
      contract_loop(e, block, "line", first, contract_plus(e, last, 1), NULL, &line);
  loop_expr *begin = contract_let(e, body, "begin", contract_mul(e, line, apart));
  loop_expr *from = contract_max(e, contract_sub(e, row0, begin), contract_int(e, 0));
  loop_expr *to = contract_min(e, contract_sub(e, end, begin), contract_extent(e, f->tile));
  from = contract_let(e, body, "from", from);
  body = contract_loop(e, body, "column", from, contract_let(e, body, "to", to), NULL, &column);
  e->value[f->tile] = column;
  e->value[f->above] = line;
  return finish_row(p, body, contract_sub(e, contract_add(e, begin, column), row0));
}

static bool finish_tile_rows(contract_panel *p, loop_block *block, loop_expr *row0,
                             loop_expr *rows) {
  contract_emission *e = &p->e;
  const contract_form *f = e->form;
  loop_expr *row;
  if (f->above >= 0)
    return finish_lines(p, block, row0, rows);
  loop_block *body = contract_loop(e, block, "row", contract_int(e, 0), rows, NULL, &row);
  e->value[f->tile] = contract_let(e, body, "at", contract_add(e, row0, row));
  return finish_row(p, body, row);
}

// Finds where both operands begin for the rows from `row0` on.
static void find_operands(contract_panel *p, loop_block *block, loop_expr *row0, loop_expr **a,
                          loop_expr **b) {
  contract_emission *e = &p->e;
  const contract_form *f = e->form;
  e->value[f->tile] = f->lines ? contract_int(e, 0) : row0;
  e->value[f->lane] = NULL;
  if (f->above >= 0)
    e->value[f->above] =
        f->lines ? contract_div(e, row0, contract_dim(e, f->rows_above)) : NULL;
  for (int i = 0; i < f->tap_count; i++)
    e->value[f->taps[i]] = NULL;
  *a = contract_let(e, block, "a0", contract_position(e, OF_A));
  *b = contract_let(e, block, "b0", contract_panel_base(e, p->number));
}

// ---- units

// The blocks of a unit.
typedef struct unit_of_blocks {
  contract_panel *p;
  loop_expr *row_step;  // distance from row to row of a
  loop_expr *whole;     // number of whole blocks
  loop_expr *rest;      // rows of the last block; NULL: all are whole
  loop_expr *fetches;   // as of its blocks
} unit_of_blocks;

// Adds the sums of a block, which are whole numbers, times the scales of this step of the
// scaled axis to the block's totals.
static void add_to_totals(const block_of_tiles *t, loop_block *block, loop_expr *at) {
  const contract_emission *e = &t->p->e;
  const contract_form *f = e->form;
  loop_expr *scales[SIDE], *row;
  loop_expr *from = contract_mul(e, t->from, contract_dim(e, f->step_scale));
  from = contract_add(e, from, contract_times(e, t->p->number, contract_panel_lanes(f)));
  for (int v = 0; v < t->p->vectors; v++)
    scales[v] =
        contract_let(e, block, "scale",
                     contract_load(e, e->scale, contract_plus(e, from, (int64_t)v * f->vector),
                                   t->p->lanes[v], t->p->masks[v]));
  block = contract_count(e, block, "row", contract_int(e, BLOCK_ROWS), 1, &row);
  for (int v = 0; v < t->p->vectors; v++) {
    loop_expr *to = contract_add(e, at, contract_times(e, row, SUMS_LINE));
    to = contract_plus(e, to, v * TILE_ROWS);
    loop_expr *sums = contract_load(e, e->tile_sums, to, t->p->lanes[v], NULL);
    loop_expr *total = contract_load(e, e->tile_totals, to, t->p->lanes[v], NULL);
    sums = pir_loop_cast(e->m, sums, PIR_F32);
    contract_store(e, block, e->tile_totals, to, pir_loop_fma(e->m, sums, scales[v], total));
  }
}

// Adds the products of a part to the sums of one block, or, if the part has scales of its own,
// to its totals.
static void multiply_part(block_of_tiles *t, loop_block *block, loop_expr *a, loop_expr *b) {
  const contract_emission *e = &t->p->e;
  loop_expr *at = contract_times(e, t->number, BLOCK_ROWS * SUMS_LINE);
  loop_expr *block_step = distance_of_rows(t, BLOCK_ROWS);
  a = contract_let(e, block, "at_a",
                   contract_add(e, a, contract_mul(e, t->number, block_step)));
  if (e->form->part_steps && e->form->scaled < 0)
    move_sums(t, block, LOOP_TILE_LOAD, at);
  else
    clear_tiles(t, block);
  multiply_taps(t, block, e->form->part_level, a, b);
  move_sums(t, block, LOOP_TILE_STORE, at);
  if (e->form->scaled >= 0)
    add_to_totals(t, block, at);
}

static void add_part_of_rest(const unit_of_blocks *u, block_of_tiles t, loop_block *block,
                             loop_expr *a, loop_expr *b) {
  const contract_emission *e = &u->p->e;
  loop_block *few;
  loop_expr *two = contract_lt(e, contract_int(e, TILE_ROWS), u->rest);
  loop_block *many = contract_if(e, block, two, &few);
  few = contract_if(e, few, contract_lt(e, contract_int(e, 0), u->rest), NULL);
  t.number = u->whole;
  for (int high = SIDE; high; high--) {
    loop_block *rest = high == SIDE ? many : few;
    t.high = high;
    if (!e->form->one_block)
      configure(e, rest, high, u->rest);
    multiply_part(&t, rest, a, b);
    if (!e->form->one_block)
      configure_whole_blocks(e, rest);
  }
}

static void add_part_of_blocks(const unit_of_blocks *u, loop_block *block, loop_expr *from,
                               loop_expr *to, loop_expr *a, loop_expr *b) {
  const contract_emission *e = &u->p->e;
  block_of_tiles t = {.p = u->p, .high = SIDE, .row_step = u->row_step, .from = from, .to = to};
  t.fetches = u->fetches;
  if (!e->form->one_block) {
    loop_block *body =
        contract_loop(e, block, "block", contract_int(e, 0), u->whole, NULL, &t.number);
    multiply_part(&t, body, a, b);
  }
  if (u->rest)
    add_part_of_rest(u, t, block, a, b);
}

static void multiply_parts(const unit_of_blocks *u, loop_block *block, int level, loop_expr *a,
                           loop_expr *b) {
  const contract_emission *e = &u->p->e;
  const contract_form *f = e->form;
  loop_expr *begin, *end, *from;
  if (!f->part_steps) {
    add_part_of_blocks(u, block, NULL, NULL, a, b);
    return;
  }
  find_steps(u->p, level, &begin, &end);
  if (level < f->part_level) {
    loop_block *body = open_steps(u->p, block, level, begin, end, &a, &b);
    multiply_parts(u, body, level + 1, a, b);
    return;
  }
  loop_expr *size = contract_int(e, f->part_steps);
  loop_block *body = contract_loop(e, block, "part", begin, end, size, &from);
  loop_expr *to = contract_min(e, contract_add(e, from, size), end);
  add_part_of_blocks(u, body, from, contract_let(e, body, "to", to), a, b);
}

static void empty_results(const contract_emission *e, loop_block *block) {
  loop_expr *zero = pir_loop_cast(e->m, contract_int(e, 0), results(e)->dtype), *at;
  loop_expr *all = contract_int(e, (int64_t)e->form->rows * SUMS_LINE);
  loop_block *body = contract_count(e, block, "at", all, TILE_ROWS, &at);
  contract_store(e, body, results(e), at, contract_broadcast(e, zero, TILE_ROWS));
}

bool contract_emit_tile_block(contract_panel *p, loop_block *block, loop_expr *tile_number) {
  const contract_emission *e = &p->e;
  const contract_form *f = e->form;
  unit_of_blocks u = {.p = p, .row_step = contract_step(e, OF_A, f->tile)};
  loop_expr *size = contract_int(e, BLOCK_ROWS), *a, *b;
  loop_expr *extent = contract_dim(e, contract_rows(f));
  loop_expr *row0 = contract_let(e, block, "row0", contract_times(e, tile_number, f->rows));
  loop_expr *rows = contract_int(e, f->rows);
  if (pir_loop_multiple(extent) % f->rows != 0)
    rows = contract_let(e, block, "rows", contract_min(e, contract_sub(e, extent, row0), rows));
  u.whole = contract_let(e, block, "whole", contract_div(e, rows, size));
  if (f->one_block) {
    u.whole = contract_int(e, 0);
    u.rest = rows;
  } else if (pir_loop_multiple(extent) % BLOCK_ROWS != 0)
    u.rest = contract_let(e, block, "rest", contract_mod(e, rows, size));
  if (f->fetches == FETCH_PANEL)
    u.fetches = meets_panel_first(e, block, tile_number);
  if (f->part_steps)
    empty_results(e, block);
  find_operands(p, block, row0, &a, &b);
  multiply_parts(&u, block, 0, a, b);
  return finish_tile_rows(p, block, row0, rows);
}

void contract_begin_tiles(contract_emission *e) {
  e->tile_shapes = pir_loop_scratch(e->fn, "shapes", PIR_U8, LINE);
  int64_t sums = (int64_t)e->form->rows * SUMS_LINE;
  e->tile_sums = pir_loop_scratch(e->fn, "sums", e->form->compute, sums);
  if (e->form->scaled >= 0)
    e->tile_totals = pir_loop_scratch(e->fn, "totals", PIR_F32, sums);
  if (e->form->one_block)
    configure_one_block(e, &e->fn->body);
  else
    configure_whole_blocks(e, &e->fn->body);
}

void contract_release_tiles(const contract_emission *e) {
  pir_loop_tile(e->fn, &e->fn->body, LOOP_TILE_RELEASE, NULL, NULL, NULL, 0, 0, 0);
}
