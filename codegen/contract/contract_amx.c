// The contraction kernel for AMX tile registers. Up to 2 x 2 tiles of 16 x 16 sums (1 KB each)
// stay in tile registers during the reduction loop. Each step loads two row-major tiles of `a`
// and two packed tiles of `b` and issues all four products. The packed order of `b` interleaves
// neighbours along the reduced axis as the instruction requires. Finished sums are stored to
// scratch; the epilogue reads them row by row.
//
// The kernel requires that the row axis is not a sliding window, and that the reduced axis
// divides into equal steps that fill at least half a tile. All other shapes use the vector
// kernel. Tile configurations are loaded before each block from scratch, so the last rows,
// whether their number is constant or dynamic, are tiles with fewer rows.
#include "contract_words.h"

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
  int64_t extent, rows;
  bool bf16 = f->compute == PIR_F32 && f->group == 2 && target->amx_bf16;
  bool bytes = f->compute != PIR_F32 && f->group == 4 && target->amx_int8;
  if ((!bf16 && !bytes) || f->tile < 0 || f->axes[f->tile].window >= 0)
    return 0;
  int fewest = target->machine->tile.fewest_in_tile_register;
  if (contract_const(f, f->axes[f->tile].extent, &rows) && rows < fewest)
    return 0;
  pir_dim last = f->axes[f->taps[f->tap_count - 1]].extent;
  if (!contract_const(f, last, &extent) || extent % f->group)
    return 0;
  for (int n = TILE_ROWS; n >= fewest; n--)
    if (extent / f->group % n == 0)
      return n;
  return 0;
}

void contract_schedule_tiles(contract_form *f, int64_t lanes) {
  f->rows = BLOCK_ROWS;
  f->vectors = lanes > f->vector ? SIDE : 1;
}

typedef struct block_of_tiles {
  contract_panel *p;
  int high;             // tiles of rows
  loop_expr *rows;      // number of rows
  loop_expr *row_step;  // distance from row to row of a
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
}

// Emits the loops over the reduced axes from `level` on; the last axis advances by a whole
// tile.
static void multiply_taps(const block_of_tiles *t, loop_block *block, int level, loop_expr *a,
                          loop_expr *b) {
  const contract_emission *e = &t->p->e;
  const contract_form *f = e->form;
  if (level == f->tap_count) {
    multiply_step(t, block, a, b);
    return;
  }
  bool last = level == f->tap_count - 1;
  int axis = f->taps[level], times = last ? f->tile_groups : 1;
  loop_expr *begin = contract_int(e, 0), *end = contract_steps(e, level), *k;
  if (last)
    end = contract_div(e, end, contract_int(e, times));
  else if (t->p->tap_begin[axis]) {
    begin = t->p->tap_begin[axis];
    end = t->p->tap_end[axis];
  }
  loop_expr *step_a = contract_times(e, contract_tap_step_a(e, level), times);
  loop_expr *step_b = contract_times(e, contract_tap_step_b(e, level), times);
  loop_block *body = contract_loop(e, block, "k", begin, end, NULL, &k);
  a = contract_let(e, body, "at_a", contract_add(e, a, contract_mul(e, k, step_a)));
  b = contract_let(e, body, "at_b", contract_add(e, b, contract_mul(e, k, step_b)));
  multiply_taps(t, body, level + 1, a, b);
}

static void store_sums(const block_of_tiles *t, loop_block *block) {
  const contract_emission *e = &t->p->e;
  loop_expr *row_bytes = contract_int(e, SUMS_LINE * 4);
  for (int y = 0; y < t->high; y++)
    for (int x = 0; x < t->p->vectors; x++) {
      loop_expr *at = contract_int(e, y * TILE_ROWS * SUMS_LINE + x * TILE_ROWS);
      pir_loop_tile(e->fn, block, LOOP_TILE_STORE, e->tile_sums, at, row_bytes, sums_tile(y, x),
                    0, 0);
    }
}

static bool finish_tile_rows(const block_of_tiles *t, loop_block *block, loop_expr *row0) {
  const contract_panel *p = t->p;
  contract_emission *e = &t->p->e;
  const contract_form *f = e->form;
  loop_expr *row;
  store_sums(t, block);
  loop_block *body = contract_loop(e, block, "row", contract_int(e, 0), t->rows, NULL, &row);
  e->value[f->tile] = contract_let(e, body, "at", contract_add(e, row0, row));
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

static bool emit_tile_rows(contract_panel *p, loop_block *block, loop_expr *row0,
                           loop_expr *rows, int high) {
  contract_emission *e = &p->e;
  const contract_form *f = e->form;
  block_of_tiles t = {.p = p, .high = high, .rows = rows};
  t.row_step = contract_step(e, OF_A, f->tile);
  configure(&t, block);
  for (int y = 0; y < high; y++)
    for (int x = 0; x < p->vectors; x++)
      pir_loop_tile(e->fn, block, LOOP_TILE_ZERO, NULL, NULL, NULL, sums_tile(y, x), 0, 0);
  e->value[f->tile] = row0;
  e->value[f->lane] = NULL;
  for (int i = 0; i < f->tap_count; i++)
    e->value[f->taps[i]] = NULL;
  loop_expr *a = contract_let(e, block, "a0", contract_position(e, OF_A));
  loop_expr *b = contract_let(e, block, "b0", contract_panel_base(e, p->number));
  multiply_taps(&t, block, 0, a, b);
  return finish_tile_rows(&t, block, row0);
}

bool contract_emit_tile_block(contract_panel *p, loop_block *block, loop_expr *tile_number) {
  const contract_emission *e = &p->e;
  loop_expr *size = contract_int(e, BLOCK_ROWS), *extent = contract_extent(e, e->form->tile);
  loop_expr *row0 = contract_let(e, block, "row0", contract_mul(e, tile_number, size));
  loop_block *few;
  int64_t known;
  if (pir_loop_is_int(extent, &known) && known % BLOCK_ROWS == 0)
    return emit_tile_rows(p, block, row0, size, SIDE);
  loop_expr *rows = contract_min(e, contract_sub(e, extent, row0), size);
  rows = contract_let(e, block, "rows", rows);
  loop_expr *two = contract_lt(e, contract_int(e, TILE_ROWS), rows);
  loop_block *many = contract_if(e, block, two, &few);
  return emit_tile_rows(p, many, row0, rows, SIDE) && emit_tile_rows(p, few, row0, rows, 1);
}

void contract_begin_tiles(contract_emission *e) {
  e->tile_shapes = pir_loop_scratch(e->fn, "shapes", PIR_U8, LINE);
  e->tile_sums = pir_loop_scratch(e->fn, "sums", e->form->compute, BLOCK_ROWS * SUMS_LINE);
}

void contract_release_tiles(const contract_emission *e) {
  pir_loop_tile(e->fn, &e->fn->body, LOOP_TILE_RELEASE, NULL, NULL, NULL, 0, 0, 0);
}
