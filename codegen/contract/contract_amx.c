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
  LINE = 64,
  SUMS = 0,
  LEFT = 4,
  RIGHT = 6
};

int contract_tile_groups(const contract_form *f, const pir_target *target) {
  int64_t extent, rows;
  bool has = f->compute == PIR_F32 ? f->group == 2 && target->amx_bf16
                                   : f->group == 4 && target->amx_int8;
  if (!has || f->tile < 0 || f->axes[f->tile].window >= 0)
    return 0;
  int fewest = target->machine->tile.fewest_in_tile_register;
  if (contract_const(f, f->axes[f->tile].extent, &rows) && rows < fewest)
    return 0;
  if (!contract_const(f, f->axes[f->taps[f->tap_count - 1]].extent, &extent) ||
      extent % f->group)
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
  loop_expr *rows;      // in all
  loop_expr *row_step;  // of a
} block_of_tiles;

static loop_expr *number(const block_of_tiles *t, int64_t i) {
  return pir_loop_int(t->p->e.m, i);
}

// The tile configuration in memory: palette 1 in byte 0; at 16 + 2 i the row size of tile i in
// bytes; at 48 + i its number of rows.
static void set_shape(const block_of_tiles *t, loop_block *block, int tile, loop_expr *rows,
                      int bytes) {
  const contract_emission *e = &t->p->e;
  contract_store(e, block, e->tile_shapes, number(t, 16 + 2 * tile),
                 pir_loop_const_int(e->m, PIR_U8, bytes));
  contract_store(e, block, e->tile_shapes, number(t, 48 + tile),
                 pir_loop_cast(e->m, rows, PIR_U8));
}

static void configure(const block_of_tiles *t, loop_block *block) {
  const contract_emission *e = &t->p->e;
  int groups = e->form->tile_groups;
  for (int i = 0; i < LINE; i++)
    contract_store(e, block, e->tile_shapes, number(t, i),
                   pir_loop_const_int(e->m, PIR_U8, i == 0));
  for (int y = 0; y < t->high; y++) {
    loop_expr *rows = y + 1 < t->high ? number(t, TILE_ROWS)
                                      : contract_sub(e, t->rows, number(t, y * TILE_ROWS));
    set_shape(t, block, LEFT + y, rows, groups * 4);
    for (int x = 0; x < t->p->vectors; x++)
      set_shape(t, block, SUMS + SIDE * y + x, rows, LINE);
  }
  for (int x = 0; x < t->p->vectors; x++)
    set_shape(t, block, RIGHT + x, number(t, groups), LINE);
  pir_loop_tile(e->fn, block, LOOP_TILE_SHAPES, e->tile_shapes, number(t, 0), NULL, 0, 0, 0);
}

static void multiply_step(const block_of_tiles *t, loop_block *block, loop_expr *a,
                          loop_expr *b) {
  const contract_emission *e = &t->p->e;
  const contract_form *f = e->form;
  int size = (int)pir_dtype_size(f->c->a.dtype);
  loop_expr *stride_a = contract_mul(e, t->row_step, number(t, size));
  loop_tile_op multiply = f->group == 2             ? LOOP_TILE_BF16
                          : f->c->a.dtype == PIR_I8 ? LOOP_TILE_S8S8
                                                    : LOOP_TILE_U8S8;
  for (int x = 0; x < t->p->vectors; x++)
    pir_loop_tile(e->fn, block, LOOP_TILE_LOAD, e->b,
                  contract_add(e, b, number(t, x * f->vector)),
                  number(t, contract_panel_lanes(f) * 4), RIGHT + x, 0, 0);
  for (int y = 0; y < t->high; y++) {
    loop_expr *at = contract_add(e, a, contract_mul(e, t->row_step, number(t, y * TILE_ROWS)));
    pir_loop_tile(e->fn, block, LOOP_TILE_LOAD, e->a, at, stride_a, LEFT + y, 0, 0);
    for (int x = 0; x < t->p->vectors; x++)
      pir_loop_tile(e->fn, block, multiply, NULL, NULL, NULL, SUMS + SIDE * y + x, LEFT + y,
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
  int axis = f->taps[level];
  loop_expr *begin = number(t, 0), *end = contract_steps(e, level),
            *times = number(t, last ? f->tile_groups : 1);
  if (last)
    end = contract_div(e, end, times);
  else if (t->p->tap_begin[axis]) {
    begin = t->p->tap_begin[axis];
    end = t->p->tap_end[axis];
  }
  loop_expr *step_a = contract_mul(e, contract_tap_step_a(e, level), times);
  loop_expr *step_b = contract_mul(e, contract_tap_step_b(e, level), times);
  loop_var *k = pir_loop_var_create(e->fn, "k", LOOP_INDEX, 1);
  loop_block *body = pir_loop_for(e->fn, block, LOOP_SERIAL, k, begin, end, NULL);
  loop_expr *n = pir_loop_use(e->m, k);
  a = contract_let(e, body, "at_a", contract_add(e, a, contract_mul(e, n, step_a)));
  b = contract_let(e, body, "at_b", contract_add(e, b, contract_mul(e, n, step_b)));
  multiply_taps(t, body, level + 1, a, b);
}

static bool finish(const block_of_tiles *t, loop_block *block, loop_expr *row0) {
  contract_emission *e = &t->p->e;
  const contract_form *f = e->form;
  int width = SIDE * TILE_ROWS;
  for (int y = 0; y < t->high; y++)
    for (int x = 0; x < t->p->vectors; x++)
      pir_loop_tile(e->fn, block, LOOP_TILE_STORE, e->tile_sums,
                    number(t, y * TILE_ROWS * width + x * TILE_ROWS), number(t, width * 4),
                    SUMS + SIDE * y + x, 0, 0);
  loop_var *row = pir_loop_var_create(e->fn, "row", LOOP_INDEX, 1);
  loop_block *body = pir_loop_for(e->fn, block, LOOP_SERIAL, row, number(t, 0), t->rows, NULL);
  e->value[f->tile] =
      contract_let(e, body, "at", contract_add(e, row0, pir_loop_use(e->m, row)));
  for (int v = 0; v < t->p->vectors; v++) {
    loop_expr *lane = contract_mul(e, t->p->number, number(t, contract_panel_lanes(f)));
    e->value[f->lane] = contract_add(e, lane, number(t, v * f->vector));
    loop_expr *at = contract_add(e, contract_mul(e, pir_loop_use(e->m, row), number(t, width)),
                                 number(t, v * TILE_ROWS));
    loop_expr *sums = contract_load(e, e->tile_sums, at, t->p->lanes[v], NULL);
    if (!contract_finish(e, body, contract_let(e, body, "sum", sums), t->p->masks[v]))
      return false;
  }
  return true;
}

static bool emit_block(contract_panel *p, loop_block *block, loop_expr *row0, loop_expr *rows,
                       int high) {
  contract_emission *e = &p->e;
  const contract_form *f = e->form;
  block_of_tiles t = {
      .p = p, .high = high, .rows = rows, .row_step = contract_step(e, OF_A, f->tile)};
  configure(&t, block);
  for (int y = 0; y < high; y++)
    for (int x = 0; x < p->vectors; x++)
      pir_loop_tile(e->fn, block, LOOP_TILE_ZERO, NULL, NULL, NULL, SUMS + SIDE * y + x, 0, 0);
  e->value[f->tile] = row0;
  e->value[f->lane] = NULL;
  for (int i = 0; i < f->tap_count; i++)
    e->value[f->taps[i]] = NULL;
  loop_expr *a = contract_let(e, block, "a0", contract_position(e, OF_A));
  multiply_taps(&t, block, 0, a,
                contract_let(e, block, "b0", contract_panel_base(e, p->number)));
  return finish(&t, block, row0);
}

bool contract_emit_tile_block(contract_panel *p, loop_block *block, loop_expr *tile_number) {
  const contract_emission *e = &p->e;
  loop_expr *size = contract_int(e, BLOCK_ROWS), *extent = contract_extent(e, e->form->tile);
  loop_expr *row0 = contract_let(e, block, "row0", contract_mul(e, tile_number, size));
  loop_block *few;
  int64_t known;
  if (pir_loop_is_int(extent, &known) && known % BLOCK_ROWS == 0)
    return emit_block(p, block, row0, size, SIDE);
  loop_expr *rows =
      contract_let(e, block, "rows", contract_min(e, contract_sub(e, extent, row0), size));
  loop_block *many =
      contract_if(e, block, contract_lt(e, contract_int(e, TILE_ROWS), rows), &few);
  return emit_block(p, many, row0, rows, SIDE) && emit_block(p, few, row0, rows, 1);
}

void contract_begin_tiles(contract_emission *e) {
  e->tile_shapes = pir_loop_scratch(e->fn, "shapes", PIR_U8, LINE);
  e->tile_sums =
      pir_loop_scratch(e->fn, "sums", e->form->compute, BLOCK_ROWS * SIDE * TILE_ROWS);
}

void contract_release_tiles(const contract_emission *e) {
  pir_loop_tile(e->fn, &e->fn->body, LOOP_TILE_RELEASE, NULL, NULL, NULL, 0, 0, 0);
}
