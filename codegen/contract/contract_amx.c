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
// tile. All other shapes use the vector kernel. Tile configurations are loaded from scratch
// before the blocks that have them: the last rows, whether their number is constant or dynamic,
// are tiles with fewer rows.
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

// The number of groups in a row of a tile; 0: the reduced axis does not divide into such rows,
// or the processor has no tiles.
static int tile_groups(const contract_form *f, const pir_target *target) {
  int64_t extent;
  bool bf16 = f->compute == PIR_F32 && f->group == 2 && target->amx_bf16;
  bool bytes = f->compute != PIR_F32 && f->group == 4 && target->amx_int8;
  if ((!bf16 && !bytes) || f->tile < 0 || f->axes[f->tile].window >= 0)
    return 0;
  pir_dim last = f->axes[f->taps[f->tap_count - 1]].extent;
  if (!contract_const(f, last, &extent) || extent % f->group)
    return 0;
  for (int n = TILE_ROWS; n >= target->machine->tile.fewest_in_tile_register; n--)
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

static void choose_above(contract_form *f) {
  pir_dim apart;
  for (int i = 0; i < f->outer_count; i++) {
    if (!continues_rows(f, f->outer[i], &apart) || !gains_above(f, apart))
      continue;
    f->above = f->outer[i];
    f->rows_above = apart;
    f->outer_count--;
    memmove(f->outer + i, f->outer + i + 1, (size_t)(f->outer_count - i) * sizeof *f->outer);
    return;
  }
}

void contract_choose_tile_groups(contract_form *f, const pir_target *target) {
  contract_form tiled = *f;
  int64_t rows;
  tiled.tile_groups = tile_groups(f, target);
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

// A panel that fits two thirds of the L1 cache stays there while the rows of a pass. Of a
// larger one a part takes up to a third, as do the rows of a block. The outermost level of
// which a step fits is divided.
static void choose_parts(contract_form *f, const pir_target *target) {
  int64_t room = (int64_t)target->l1_bytes / 3;
  int last = f->tap_count - 1, level = 0;
  f->part_level = 0;
  f->part_steps = 0;
  if (bytes_of_step(f, target, -1) <= 2 * room)
    return;
  while (level < last && bytes_of_step(f, target, level) > room)
    level++;
  int64_t bytes = bytes_of_step(f, target, level);  // 0: an axis below has no steps
  f->part_level = level;
  f->part_steps = bytes && bytes < room ? room / bytes : 1;
}

// A unit has as many blocks of rows as leave some units for each thread of the largest team;
// only one where all panels meet a block while it is in the L1 cache.
static int64_t choose_blocks(const contract_form *f, const pir_target *target, int64_t lanes) {
  enum { MOST = 8, OPEN = 4, UNITS_EACH = 4 };
  int64_t rows, panels = contract_ceil(lanes, contract_panel_lanes(f));
  int64_t most = f->part_steps ? MOST : OPEN;
  if (!contract_const(f, contract_rows(f), &rows))
    return OPEN;
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

// Each unit fetches all of the next panel, which gains nothing after the first ones. An open
// number of rows counts as few, an open number of images does not.
bool contract_meets_panel_few_times(const contract_form *f) {
  enum { FEW = 2 };
  int64_t rows, extent;
  for (int i = 0; i < f->outer_count; i++)
    if (!contract_in_b(f, f->outer[i]) &&
        (!contract_const(f, f->axes[f->outer[i]].extent, &extent) || extent > 1))
      return false;
  return !contract_const(f, contract_rows(f), &rows) || rows <= FEW * (int64_t)f->rows;
}

// ---- tiles

// One block of rows.
typedef struct block_of_tiles {
  contract_panel *p;
  int high;              // tiles of rows
  loop_expr *rows;       // number of rows
  loop_expr *row_step;   // distance from row to row of a
  loop_expr *from, *to;  // the steps of this part at the divided level; NULL: all
  loop_expr *number;     // of the block in its unit
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

static void configure(const block_of_tiles *t, loop_block *block) {
  const contract_emission *e = &t->p->e;
  loop_expr *full = contract_int(e, TILE_ROWS), *zero = contract_int(e, 0);
  int groups = e->form->tile_groups;
  for (int i = 0; i < LINE; i++)
    set_byte(e, block, i, pir_loop_const_int(e->m, PIR_U8, i == 0));
  for (int y = 0; y < t->high; y++) {
    loop_expr *above = contract_int(e, y * TILE_ROWS);
    loop_expr *rows = y + 1 < t->high ? full : contract_sub(e, t->rows, above);
    set_shape(e, block, LEFT + y, rows, groups * 4);
    for (int x = 0; x < t->p->vectors; x++)
      set_shape(e, block, sums_tile(y, x), rows, LINE);
  }
  for (int x = 0; x < t->p->vectors; x++)
    set_shape(e, block, RIGHT + x, contract_int(e, groups), LINE);
  pir_loop_tile(e->fn, block, LOOP_TILE_SHAPES, e->tile_shapes, zero, NULL, 0, 0, 0);
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
    loop_expr *at = contract_add(e, a, contract_times(e, t->row_step, y * TILE_ROWS));
    load_tile(e, block, LEFT + y, e->a, at, bytes_a);
    for (int x = 0; x < t->p->vectors; x++)
      pir_loop_tile(e->fn, block, tile_product(f), NULL, NULL, NULL, sums_tile(y, x), LEFT + y,
                    RIGHT + x);
  }
  if (f->fetches == FETCH_PANEL)
    fetch_next_part(t, block, b);
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

// Sets the position of a row in out. Returns the block in which it is one: of rows across two
// axes not all are.
static loop_block *place_row(contract_emission *e, loop_block *block, loop_expr *row) {
  const contract_form *f = e->form;
  e->value[f->tile] = row;
  if (f->above < 0)
    return block;
  loop_expr *apart = contract_dim(e, f->rows_above);
  e->value[f->tile] = contract_let(e, block, "column", contract_mod(e, row, apart));
  e->value[f->above] = contract_let(e, block, "line", contract_div(e, row, apart));
  loop_expr *exists = contract_lt(e, e->value[f->tile], contract_extent(e, f->tile));
  return contract_if(e, block, exists, NULL);
}

static bool finish_tile_rows(contract_panel *p, loop_block *block, loop_expr *row0,
                             loop_expr *rows) {
  contract_emission *e = &p->e;
  const contract_form *f = e->form;
  loop_expr *row;
  loop_block *body = contract_loop(e, block, "row", contract_int(e, 0), rows, NULL, &row);
  body = place_row(e, body, contract_let(e, body, "at", contract_add(e, row0, row)));
  for (int v = 0; v < p->vectors; v++) {
    loop_expr *lane = contract_times(e, p->number, contract_panel_lanes(f));
    e->value[f->lane] = contract_plus(e, lane, v * f->vector);
    loop_expr *at = contract_plus(e, contract_times(e, row, SUMS_LINE), v * TILE_ROWS);
    loop_expr *sums = contract_load(e, e->tile_sums, at, p->lanes[v], NULL);
    if (!contract_finish(e, body, contract_let(e, body, "sum", sums), p->masks[v]))
      return false;
  }
  return true;
}

// Finds where both operands begin for the rows from `row0` on.
static void find_operands(contract_panel *p, loop_block *block, loop_expr *row0, loop_expr **a,
                          loop_expr **b) {
  contract_emission *e = &p->e;
  const contract_form *f = e->form;
  e->value[f->tile] = row0;
  e->value[f->lane] = NULL;
  if (f->above >= 0)
    e->value[f->above] = NULL;
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
} unit_of_blocks;

// Adds the products of a part to the sums of one block.
static void multiply_part(block_of_tiles *t, loop_block *block, loop_expr *a, loop_expr *b) {
  const contract_emission *e = &t->p->e;
  loop_expr *at = contract_times(e, t->number, BLOCK_ROWS * SUMS_LINE);
  loop_expr *rows = contract_times(e, t->row_step, BLOCK_ROWS);
  a = contract_let(e, block, "at_a", contract_add(e, a, contract_mul(e, t->number, rows)));
  if (e->form->part_steps)
    move_sums(t, block, LOOP_TILE_LOAD, at);
  else
    clear_tiles(t, block);
  multiply_taps(t, block, e->form->part_level, a, b);
  move_sums(t, block, LOOP_TILE_STORE, at);
}

static void add_part_of_rest(const unit_of_blocks *u, block_of_tiles t, loop_block *block,
                             loop_expr *a, loop_expr *b) {
  const contract_emission *e = &u->p->e;
  loop_block *few;
  loop_expr *two = contract_lt(e, contract_int(e, TILE_ROWS), u->rest);
  loop_block *many = contract_if(e, block, two, &few);
  few = contract_if(e, few, contract_lt(e, contract_int(e, 0), u->rest), NULL);
  t.number = u->whole;
  t.rows = u->rest;
  configure(&t, many);
  multiply_part(&t, many, a, b);
  t.high = 1;
  configure(&t, few);
  multiply_part(&t, few, a, b);
}

static void add_part_of_blocks(const unit_of_blocks *u, loop_block *block, loop_expr *from,
                               loop_expr *to, loop_expr *a, loop_expr *b) {
  const contract_emission *e = &u->p->e;
  block_of_tiles t = {.p = u->p, .high = SIDE, .row_step = u->row_step, .from = from, .to = to};
  t.rows = contract_int(e, BLOCK_ROWS);
  if (u->rest)
    configure(&t, block);
  loop_block *body =
      contract_loop(e, block, "block", contract_int(e, 0), u->whole, NULL, &t.number);
  multiply_part(&t, body, a, b);
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

static void empty_sums(const contract_emission *e, loop_block *block) {
  loop_expr *zero = pir_loop_cast(e->m, contract_int(e, 0), e->form->compute), *at;
  loop_expr *all = contract_int(e, (int64_t)e->form->rows * SUMS_LINE);
  loop_block *body = contract_count(e, block, "at", all, TILE_ROWS, &at);
  contract_store(e, body, e->tile_sums, at, contract_broadcast(e, zero, TILE_ROWS));
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
  if (pir_loop_multiple(extent) % BLOCK_ROWS != 0)
    u.rest = contract_let(e, block, "rest", contract_mod(e, rows, size));
  if (f->part_steps)
    empty_sums(e, block);
  find_operands(p, block, row0, &a, &b);
  block_of_tiles whole = {.p = p, .high = SIDE, .rows = size};
  if (!u.rest)
    configure(&whole, block);
  multiply_parts(&u, block, 0, a, b);
  return finish_tile_rows(p, block, row0, rows);
}

void contract_begin_tiles(contract_emission *e) {
  e->tile_shapes = pir_loop_scratch(e->fn, "shapes", PIR_U8, LINE);
  e->tile_sums = pir_loop_scratch(e->fn, "sums", e->form->compute, e->form->rows * SUMS_LINE);
}

void contract_release_tiles(const contract_emission *e) {
  pir_loop_tile(e->fn, &e->fn->body, LOOP_TILE_RELEASE, NULL, NULL, NULL, 0, 0, 0);
}

// ---- borders

bool contract_borders_a(const contract_form *f, const contract_env *env, contraction *bordered,
                        contract_form *out_form) {
  const contraction *c = f->c;
  contract_tensor *a = &bordered->a;
  pir_dims *dims = c->dims;
  bool has_tiles = env->target->amx_bf16 || env->target->amx_int8;
  if (!has_tiles || f->group == 1 || f->tile_groups || !f->window_count)
    return false;
  *bordered = *c;
  for (int axis = 0; axis < a->rank; axis++) {
    if (!pir_dim_equal(dims, a->room[axis], a->shape[axis]))
      return false;
    if (contract_stays_inside(c, &c->a, axis))
      continue;
    pir_dim extent = pir_dim_const(dims, 1);
    for (int v = 0; v < c->var_count; v++) {
      pir_dim last = pir_dim_sub(dims, c->vars[v].extent, pir_dim_const(dims, 1));
      pir_dim factor = pir_dim_const(dims, c->a.map[axis].factor[v]);
      extent = pir_dim_add(dims, extent, pir_dim_mul(dims, factor, last));
    }
    // Without points no index is left.
    extent = pir_dim_max(dims, extent, pir_dim_const(dims, 0));
    a->shape[axis] = a->room[axis] = extent;
    a->map[axis].offset = 0;
  }
  a->inside = true;
  if (!contract_normalise(bordered, out_form))
    return false;
  contract_choose_group(out_form, env);
  return out_form->tile_groups > 0;
}

// A copy of lines: runs of memory along the innermost axis that has borders, and those inside.
typedef struct border_copy {
  contract_emission e;
  const contract_tensor *from, *to;
  loop_buffer *copy;
  int innermost;     // the place in memory of that axis
  loop_expr *pixel;  // elements of one of its points
} border_copy;

// The copy may have as many points along an axis with borders as a has: behind a border in
// front, others are left out.
static bool has_borders(const border_copy *x, int axis) {
  return !contract_stays_inside(x->e.form->c, x->from, axis);
}

// Copies or clears (`from` NULL) elements [begin, end) of the copy.
static void fill_elements(const border_copy *x, loop_block *block, loop_expr *begin,
                          loop_expr *end, loop_expr *from) {
  const contract_emission *e = &x->e;
  pir_dtype dtype = x->to->dtype;
  int lanes = e->env->target->vector_bytes / (int)pir_dtype_size(dtype);
  loop_expr *whole = contract_div(e, contract_sub(e, end, begin), contract_int(e, lanes));
  whole =
      contract_let(e, block, "whole", contract_add(e, begin, contract_times(e, whole, lanes)));
  for (int tail = 0; tail < 2; tail++) {
    int width = tail ? 1 : lanes;
    loop_expr *at, *value = pir_loop_cast(e->m, contract_int(e, 0), dtype);
    loop_block *body = contract_loop(e, block, "at", tail ? whole : begin, tail ? end : whole,
                                     contract_int(e, width), &at);
    if (width > 1)
      value = contract_broadcast(e, value, width);
    if (from)
      value = contract_load(e, e->a, contract_add(e, from, contract_sub(e, at, begin)), width,
                            NULL);
    contract_store(e, body, x->copy, at, value);
  }
}

// Sets *from to the number of the line of a that the copy has at these indices. Returns whether
// a has such a line; NULL: always.
static loop_expr *find_line(const border_copy *x, loop_expr *const *index, loop_expr **from) {
  const contract_emission *e = &x->e;
  loop_expr *exists = NULL;
  *from = contract_int(e, 0);
  for (int i = 0; i < x->innermost; i++) {
    int axis = x->from->order[i];
    loop_expr *extent = contract_dim(e, x->from->shape[axis]), *at = index[i];
    if (has_borders(x, axis)) {
      at = contract_plus(e, at, x->from->map[axis].offset);
      exists = contract_both(e, exists, contract_lt(e, contract_int(e, -1), at));
      exists = contract_both(e, exists, contract_lt(e, at, extent));
    }
    *from = contract_add(e, contract_mul(e, *from, extent), at);
  }
  return exists;
}

static void copy_line(const border_copy *x, loop_block *block, loop_expr *unit,
                      loop_expr *const *index) {
  const contract_emission *e = &x->e;
  int axis = x->from->order[x->innermost];
  int64_t offset = x->from->map[axis].offset;
  loop_expr *extent = contract_dim(e, x->from->shape[axis]), *from;
  loop_expr *wide = contract_dim(e, x->to->shape[axis]), *zero = contract_int(e, 0);
  loop_expr *begin = contract_mul(e, contract_mul(e, unit, wide), x->pixel);
  loop_expr *end = contract_add(e, begin, contract_mul(e, wide, x->pixel));
  loop_expr *exists = find_line(x, index, &from);
  if (exists) {
    loop_block *other;
    block = contract_if(e, block, exists, &other);
    fill_elements(x, other, begin, end, NULL);
  }
  loop_expr *left = contract_int(e, offset < 0 ? -offset : 0);
  loop_expr *right = contract_max(e, contract_plus(e, extent, -offset), zero);
  left = contract_min(e, left, wide);
  right = contract_max(e, contract_min(e, right, wide), left);
  from = contract_mul(
      e, contract_add(e, contract_mul(e, from, extent), contract_plus(e, left, offset)),
      x->pixel);
  left =
      contract_let(e, block, "left", contract_add(e, begin, contract_mul(e, left, x->pixel)));
  right =
      contract_let(e, block, "right", contract_add(e, begin, contract_mul(e, right, x->pixel)));
  fill_elements(x, block, begin, left, NULL);
  fill_elements(x, block, left, right, contract_let(e, block, "from", from));
  fill_elements(x, block, right, end, NULL);
}

void contract_border_a(const contract_form *f, const contract_env *env, const char *name,
                       contraction *bordered, contract_stage *out_stage) {
  border_copy x = {
      .e = contract_begin(f, env, name, "_border"), .from = &f->c->a, .to = &bordered->a};
  contract_emission *e = &x.e;
  pir_dims *dims = f->c->dims;
  pir_dim units = pir_dim_const(dims, 1), pixel = units;
  loop_expr *unit, *extents[PIR_MAX_RANK], *index[PIR_MAX_RANK];
  for (int i = 0; i < x.to->rank; i++)
    if (has_borders(&x, x.from->order[i]))
      x.innermost = i;
  for (int i = 0; i < x.to->rank; i++) {
    pir_dim extent = x.to->shape[x.to->order[i]];
    extents[i] = contract_dim(e, extent);
    if (i < x.innermost)
      units = pir_dim_mul(dims, units, extent);
    if (i > x.innermost)
      pixel = pir_dim_mul(dims, pixel, extent);
  }
  x.pixel = contract_dim(e, pixel);
  pir_dim size =
      pir_dim_mul(dims, pixel, pir_dim_const(dims, (int64_t)pir_dtype_size(x.to->dtype)));
  size = pir_dim_mul(dims, size, x.to->shape[x.to->order[x.innermost]]);
  uint16_t slot = env->temporary(env->user, pir_dim_mul(dims, units, size));
  e->a = contract_arg(e, "a", x.from);
  x.copy = pir_loop_arg(e->fn, "copy", x.to->dtype, slot, PACKED_ALIGN, false);
  loop_block *block = contract_open_units(e, "unit", &unit);
  contract_split_unit(e, block, unit, extents, x.innermost, index);
  copy_line(&x, block, unit, index);
  *out_stage = (contract_stage){e->fn, units};
  bordered->a.slot = slot;
  bordered->a.align = PACKED_ALIGN;
}
