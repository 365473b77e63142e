// The state of lowering attention for processors, which attention_tiles.c shares.
#ifndef PIR_ATTENTION_ROWS_H
#define PIR_ATTENTION_ROWS_H

#include "attention_impl.h"
#include "machine.h"

typedef struct emission {
  attention_place at;
  loop_module *m;
  loop_fn *fn;
  const pir_machine *machine;
  pir_dtype type;
  int lanes, vectors, rows;  // lanes of a register; size of a tile in registers and rows
  int64_t depth, width;      // width in whole vectors
  int64_t keys_of_block, rows_of_unit, rows_of_strip;
  int64_t panel, line;  // elements of a vector of packed keys, and of a row of scores
  bool one_block;       // one block has all keys
  loop_expr *first_key, *key_count;  // keys of the block
  loop_buffer *queries, *keys, *values, *scores, *top, *total, *shrink, *out;
  loop_buffer *turned;  // keys on their way into panels, a row each, where they are turned
  int64_t turned_line;
  // Tile registers (attention_tiles.c): operands of both products in bf16.
  bool tiles;
  loop_buffer *queries16, *keys16, *values16, *weights16, *products, *shapes;
  int64_t weights_line;  // elements of a row of weights
} emission;

static inline loop_expr *whole(const emission *e, int64_t n) {
  return pir_loop_int(e->m, n);
}
static inline loop_expr *plus(const emission *e, loop_expr *a, loop_expr *b) {
  return pir_loop_add(e->m, a, b);
}
static inline loop_expr *times(const emission *e, loop_expr *a, int64_t n) {
  return pir_loop_mul(e->m, a, whole(e, n));
}
static inline loop_expr *kept(const emission *e, loop_block *b, loop_expr *x) {
  return pir_loop_let(e->fn, b, "t", x);
}
static inline loop_expr *constant(const emission *e, double x) {
  return pir_loop_const_float(e->m, e->type, x);
}

static inline loop_block *count_up(const emission *e, loop_block *block, loop_for_kind kind,
                                   loop_expr *begin, loop_expr *end, int64_t step,
                                   loop_expr **out) {
  loop_var *v = pir_loop_var_create(e->fn, "i", LOOP_INDEX, 1);
  *out = pir_loop_use(e->m, v);
  return pir_loop_for(e->fn, block, kind, v, begin, end, whole(e, step));
}

// ---- tile registers: attention_tiles.c

// Whether tile registers multiply rows of queries and weights, rounded to bf16.
bool attention_can_tile(const emission *e);
// Sets the sizes that tiles need, and takes their scratch memory; configures the tiles at the
// start of the function. To be called behind the choice of sizes, and before units.
void attention_choose_tiles(emission *e);
void attention_begin_tiles(emission *e);
void attention_end_tiles(emission *e);
// Rounds packed keys and values of the block, or queries of the strip.
void attention_round_keys(emission *e, loop_block *block);
void attention_round_queries(emission *e, loop_block *block, loop_expr *count);
// Emits the scores of a strip; the products of its weights and the values go to e->products.
void attention_multiply_queries(emission *e, loop_block *block);
void attention_multiply_weights(emission *e, loop_block *block);
// Clears the weights of a row behind the last key, which tiles multiply, too.
void attention_clear_weights(emission *e, loop_block *block, loop_expr *row);

#endif
