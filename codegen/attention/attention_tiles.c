// Both products of attention in tile registers (AMX), for --math=bf16, and for int8, which
// rounds more: queries, keys, values and weights are rounded to bf16; sums and the softmax are
// f32. A strip is 32 rows. Scores of 32 x 32 are four tiles of sums; so are 32 x 32 results,
// over all keys of the block. Keys are packed as [16 keys][pair of depths], values as [pair of
// keys][width]. Behind the last key weights and values are zeros.
#include "attention_rows.h"

enum {
  ROWS = 16,
  SIDE = 2,
  STRIP = SIDE * ROWS,
  DEPTH = 32,  // elements of a step
  LINE = 64,   // bytes of a row of a tile
  SUMS = 0,
  LEFT = 4,
  RIGHT = 6,
  TILES = 8
};

bool attention_can_tile(const emission *e) {
  const pir_target *target = e->at.l->target;
  int64_t rows;
  bool known = pir_dim_is_const(e->at.l->dims, e->at.a->shape[e->at.a->row], &rows);
  bool rounds = e->at.l->math == PIR_MATH_BF16 || e->at.l->math == PIR_MATH_INT8;
  return target->amx_bf16 && rounds && e->type == PIR_F32 && e->lanes == ROWS &&
         e->at.a->depth_extent % DEPTH == 0 && e->at.a->width_extent % ROWS == 0 &&
         (!known || rows >= ROWS);
}

static int64_t keys_in_tiles(const emission *e) {
  return attention_round_up(e->keys_of_block, STRIP);
}

static loop_expr *keys_here(const emission *e) {
  loop_expr *steps =
      pir_loop_floordiv(e->m, plus(e, e->key_count, whole(e, STRIP - 1)), whole(e, STRIP));
  return times(e, steps, STRIP);
}

void attention_choose_tiles(emission *e) {
  e->rows_of_strip = STRIP;
  if (!e->one_block)
    e->keys_of_block = keys_in_tiles(e);
  e->line = keys_in_tiles(e) + e->lanes;
  e->weights_line = keys_in_tiles(e) + DEPTH;
}

static void set_tile_byte(emission *e, int at, int byte) {
  pir_loop_store(e->fn, &e->fn->body, e->shapes, whole(e, at),
                 pir_loop_const_int(e->m, PIR_U8, byte), NULL);
}

void attention_begin_tiles(emission *e) {
  loop_fn *fn = e->fn;
  int64_t keys = keys_in_tiles(e);
  e->queries16 = pir_loop_scratch(fn, "queries16", PIR_BF16, STRIP * e->depth);
  e->keys16 = pir_loop_scratch(fn, "keys16", PIR_I32, keys * e->depth / 2);
  e->values16 = pir_loop_scratch(fn, "values16", PIR_I32, keys * e->width / 2);
  e->weights16 = pir_loop_scratch(fn, "weights16", PIR_BF16, STRIP * e->weights_line);
  e->products = pir_loop_scratch(fn, "products", PIR_F32, STRIP * e->width);
  e->shapes = pir_loop_scratch(fn, "shapes", PIR_U8, LINE);
  for (int i = 0; i < LINE; i++)
    set_tile_byte(e, i, i == 0);
  for (int i = 0; i < TILES; i++) {
    set_tile_byte(e, 16 + 2 * i, LINE);
    set_tile_byte(e, 48 + i, ROWS);
  }
  pir_loop_tile(fn, &fn->body, LOOP_TILE_SHAPES, e->shapes, whole(e, 0), NULL, 0, 0, 0);
}

void attention_end_tiles(emission *e) {
  pir_loop_tile(e->fn, &e->fn->body, LOOP_TILE_RELEASE, NULL, NULL, NULL, 0, 0, 0);
}

// ---- rounding

static loop_expr *rounded_bits(const emission *e, loop_expr *floats) {
  loop_expr *low = pir_loop_cast(e->m, floats, PIR_BF16);
  return pir_loop_cast(e->m, pir_loop_bitcast(e->m, low, PIR_U16), PIR_I32);
}

// Two vectors of floats as one of pairs.
static loop_expr *pairs(const emission *e, loop_expr *first, loop_expr *second) {
  loop_expr *sixteen = pir_loop_const_int(e->m, PIR_I32, 16);
  loop_expr *high = pir_loop_op(e->m, PIR_V_SHL, rounded_bits(e, second), sixteen, NULL);
  return pir_loop_op(e->m, PIR_V_OR, rounded_bits(e, first), high, NULL);
}

static loop_expr *load_vector(const emission *e, loop_buffer *from, loop_expr *at) {
  return pir_loop_load(e->m, from, at, ROWS, NULL);
}

static void round_panels(emission *e, loop_block *block) {
  loop_expr *panel, *d,
      *panels =
          pir_loop_floordiv(e->m, plus(e, e->key_count, whole(e, ROWS - 1)), whole(e, ROWS));
  block = count_up(e, block, LOOP_SERIAL, whole(e, 0), panels, 1, &panel);
  loop_block *body = count_up(e, block, LOOP_SERIAL, whole(e, 0), whole(e, e->depth), 2, &d);
  loop_expr *at = plus(e, times(e, panel, e->panel), times(e, d, ROWS));
  loop_expr *both = pairs(e, load_vector(e, e->keys, at),
                          load_vector(e, e->keys, plus(e, at, whole(e, ROWS))));
  loop_expr *to = plus(e, times(e, panel, e->depth / 2 * ROWS), times(e, d, ROWS / 2));
  pir_loop_store(e->fn, body, e->keys16, to, both, NULL);
}

void attention_round_keys(emission *e, loop_block *block) {
  loop_expr *key, *w, *zero = pir_loop_broadcast(e->m, constant(e, 0), ROWS);
  round_panels(e, block);
  loop_block *body = count_up(e, block, LOOP_SERIAL, e->key_count, keys_here(e), 1, &key);
  body = count_up(e, body, LOOP_SERIAL, whole(e, 0), whole(e, e->width), ROWS, &w);
  pir_loop_store(e->fn, body, e->values, plus(e, times(e, key, e->width), w), zero, NULL);
  body = count_up(e, block, LOOP_SERIAL, whole(e, 0), keys_here(e), 2, &key);
  loop_block *inner = count_up(e, body, LOOP_SERIAL, whole(e, 0), whole(e, e->width), ROWS, &w);
  loop_expr *at = plus(e, times(e, key, e->width), w);
  loop_expr *both = pairs(e, load_vector(e, e->values, at),
                          load_vector(e, e->values, plus(e, at, whole(e, e->width))));
  loop_expr *line = times(e, pir_loop_floordiv(e->m, key, whole(e, 2)), e->width);
  pir_loop_store(e->fn, inner, e->values16, plus(e, line, w), both, NULL);
}

void attention_round_queries(emission *e, loop_block *block, loop_expr *count) {
  loop_expr *at;
  loop_block *body =
      count_up(e, block, LOOP_SERIAL, whole(e, 0), times(e, count, e->depth), ROWS, &at);
  loop_expr *low = pir_loop_cast(e->m, load_vector(e, e->queries, at), PIR_BF16);
  pir_loop_store(e->fn, body, e->queries16, at, low, NULL);
}

void attention_clear_weights(emission *e, loop_block *block, loop_expr *row) {
  loop_expr *key;
  block = count_up(e, block, LOOP_SERIAL, e->key_count, keys_here(e), 1, &key);
  pir_loop_store(e->fn, block, e->weights16, plus(e, times(e, row, e->weights_line), key),
                 pir_loop_cast(e->m, constant(e, 0), PIR_BF16), NULL);
}

// ---- products

typedef struct operand {
  loop_buffer *buffer;
  loop_expr *at;
  int64_t step;   // elements from step to step of the reduction,
  int64_t other;  // and to the second tile
  int64_t row_bytes;
} operand;

static void load_tiles(emission *e, loop_block *block, const operand *from, loop_expr *k,
                       int first, int count) {
  loop_expr *at = plus(e, from->at, times(e, k, from->step));
  for (int i = 0; i < count; i++)
    pir_loop_tile(e->fn, block, LOOP_TILE_LOAD, from->buffer,
                  plus(e, at, whole(e, i * from->other)), whole(e, from->row_bytes), first + i,
                  0, 0);
}

// Sums of 32 rows x `columns` tiles, stored to `out`.
static void multiply_tiles(emission *e, loop_block *block, const operand *a, const operand *b,
                           loop_expr *steps, int columns, const operand *out) {
  loop_expr *k;
  for (int y = 0; y < SIDE; y++)
    for (int x = 0; x < columns; x++)
      pir_loop_tile(e->fn, block, LOOP_TILE_ZERO, NULL, NULL, NULL, SUMS + SIDE * y + x, 0, 0);
  loop_block *body = count_up(e, block, LOOP_SERIAL, whole(e, 0), steps, 1, &k);
  load_tiles(e, body, b, k, RIGHT, columns);
  load_tiles(e, body, a, k, LEFT, SIDE);
  for (int y = 0; y < SIDE; y++)
    for (int x = 0; x < columns; x++)
      pir_loop_tile(e->fn, body, LOOP_TILE_BF16, NULL, NULL, NULL, SUMS + SIDE * y + x,
                    LEFT + y, RIGHT + x);
  for (int y = 0; y < SIDE; y++)
    for (int x = 0; x < columns; x++)
      pir_loop_tile(e->fn, block, LOOP_TILE_STORE, out->buffer,
                    plus(e, out->at, whole(e, y * out->other + x * ROWS)),
                    whole(e, out->row_bytes), SUMS + SIDE * y + x, 0, 0);
}

void attention_multiply_queries(emission *e, loop_block *block) {
  loop_expr *key;
  int64_t panel = e->depth / 2 * ROWS;
  block = count_up(e, block, LOOP_SERIAL, whole(e, 0), keys_here(e), STRIP, &key);
  operand a = {e->queries16, whole(e, 0), DEPTH, ROWS * e->depth, 2 * e->depth};
  operand b = {e->keys16, times(e, pir_loop_floordiv(e->m, key, whole(e, ROWS)), panel),
               DEPTH / 2 * ROWS, panel, LINE};
  operand out = {e->scores, key, 0, ROWS * e->line, 4 * e->line};
  multiply_tiles(e, block, &a, &b, whole(e, e->depth / DEPTH), SIDE, &out);
}

void attention_multiply_weights(emission *e, loop_block *block) {
  loop_expr *steps = pir_loop_floordiv(e->m, keys_here(e), whole(e, STRIP));
  for (int64_t w = 0; w < e->width; w += STRIP) {
    operand a = {e->weights16, whole(e, 0), STRIP, ROWS * e->weights_line, 2 * e->weights_line};
    operand b = {e->values16, whole(e, w), ROWS * e->width, ROWS, 4 * e->width};
    operand out = {e->products, whole(e, w), 0, ROWS * e->width, 4 * e->width};
    multiply_tiles(e, block, &a, &b, steps, e->width - w < STRIP ? 1 : SIDE, &out);
  }
}
