// Lowers attention groups: both products and the softmax between them, for one block of query
// rows at a time. The score matrix is never stored as a whole.
//
// A unit is one block of query rows of one batch and head. Keys and values are visited in
// blocks that fit the L2 cache. A block is packed into scratch: keys as [vector of
// keys][depth][lane], values as [key][width]. Each register tile of rows then runs the first
// product, its elementwise ops, the exponentials and the second product. If all keys fit one
// block, the results are final. Otherwise each row keeps its running maximum m and sum s; when
// a block raises m, the partial sums are scaled by exp(m_old - m). Sources: Milakov and
// Gimelshein, Online normalizer calculation for softmax, 2018; Dao et al., FlashAttention,
// 2022. The division by s comes last: one division for each result.
//
// Queries, keys and values are computed while they are packed, so transpositions, slices and
// scales in front of them cost index arithmetic only. The numbers of keys and rows may be
// dynamic. With zero keys the sums are 0. A row whose scores are all -inf is NaN, as it is when
// the ops run one by one.
#include "attention_rows.h"
#include "contract_impl.h"

#include <math.h>
#include <string.h>

static loop_block *vectorised(const emission *e, loop_block *block, loop_expr *end,
                              loop_expr **out) {
  loop_block *body = count_up(e, block, LOOP_VECTORISED, whole(e, 0), end, 1, out);
  block->last->loop.unroll = (uint16_t)e->machine->core.unroll;
  return body;
}

// ---- elements of the operands

// Packs one vector of keys, starting at `key`, for all depths.
static void pack_panel(emission *e, loop_block *block, loop_expr *key, loop_expr *mask) {
  loop_expr *d;
  loop_block body = {0};
  block = count_up(e, block, LOOP_SERIAL, whole(e, 0), whole(e, e->depth), 1, &d);
  loop_var *lane = pir_loop_var_create(e->fn, "lane", LOOP_INDEX, 1);
  loop_expr *at = plus(e, times(e, pir_loop_floordiv(e->m, key, whole(e, e->lanes)), e->panel),
                       times(e, d, e->lanes));
  e->at.axis[e->at.a->key] = plus(e, e->first_key, plus(e, key, pir_loop_use(e->m, lane)));
  attention_store(&e->at, &body, e->at.a->k_map, d, e->keys,
                  plus(e, at, pir_loop_use(e->m, lane)));
  if (!e->at.l->why && pir_loop_widen(e->fn, block, &body, lane, whole(e, 0),
                                      (uint16_t)e->lanes, mask, NULL, NULL, 0))
    lower_fail(e->at.l, e->at.a->first, "keys that have no vector form");
}

// Packs keys whose depths are adjacent in memory: loads vectors along the depth and transposes
// squares in registers.
static void pack_turned(emission *e, loop_block *block, loop_expr *key, loop_expr *count) {
  loop_expr *k, *d, *rows[64];
  int64_t line = e->turned_line;
  loop_block *body = count_up(e, block, LOOP_SERIAL, whole(e, 0), count, 1, &k);
  e->at.axis[e->at.a->key] = plus(e, e->first_key, plus(e, key, k));
  loop_block *inner = vectorised(e, body, whole(e, e->depth), &d);
  attention_store(&e->at, inner, e->at.a->k_map, d, e->turned, plus(e, times(e, k, line), d));
  loop_expr *to = times(e, pir_loop_floordiv(e->m, key, whole(e, e->lanes)), e->panel);
  for (int64_t from = 0; from < e->depth; from += e->lanes) {
    for (int i = 0; i < e->lanes; i++)
      rows[i] = kept(
          e, block,
          pir_loop_load(e->m, e->turned, whole(e, i * line + from), (uint16_t)e->lanes, NULL));
    pir_loop_turn_square(e->fn, block, rows, e->lanes);
    for (int i = 0; i < e->lanes && from + i < e->depth; i++)
      pir_loop_store(e->fn, block, e->keys, plus(e, to, whole(e, (from + i) * e->lanes)),
                     rows[i], NULL);
  }
}

static void pack_keys(emission *e, loop_block *block) {
  loop_expr *key, *width = whole(e, e->lanes);
  loop_block *rest,
      *body = count_up(e, block, LOOP_SERIAL, whole(e, 0), e->key_count, e->lanes, &key);
  key->var->multiple = e->lanes;
  loop_expr *left = kept(e, body, pir_loop_sub(e->m, e->key_count, key));
  if (e->turned) {
    pack_turned(e, body, key, kept(e, body, pir_loop_min(e->m, left, width)));
    return;
  }
  body = pir_loop_if(e->fn, body, pir_loop_lt(e->m, left, width), &rest);
  pack_panel(e, body, key, kept(e, body, pir_loop_tail_mask(e->m, left, (uint16_t)e->lanes)));
  pack_panel(e, rest, key, NULL);
}

static void pack_values(emission *e, loop_block *block) {
  loop_expr *key, *w;
  block = count_up(e, block, LOOP_SERIAL, whole(e, 0), e->key_count, 1, &key);
  e->at.axis[e->at.a->key] = plus(e, e->first_key, key);
  loop_block *body = vectorised(e, block, whole(e, e->at.a->width_extent), &w);
  attention_store(&e->at, body, e->at.a->v_map, w, e->values,
                  plus(e, times(e, key, e->width), w));
}

// Packs `count` query rows, starting at row `from` of the unit.
static void pack_queries(emission *e, loop_block *block, loop_expr *from, loop_expr *count) {
  loop_expr *row, *d;
  block = count_up(e, block, LOOP_SERIAL, whole(e, 0), count, 1, &row);
  e->at.axis[e->at.a->row] = plus(e, e->at.first_row, plus(e, from, row));
  loop_block *body = vectorised(e, block, whole(e, e->depth), &d);
  attention_store(&e->at, body, e->at.a->q_map, d, e->queries,
                  plus(e, times(e, row, e->depth), d));
}

// ---- products

// A register tile of a matrix product: rows x vectors of sums over `steps` steps. The element
// of `a` advances by 1 in each step.
typedef struct tile {
  int rows, vectors;
  loop_buffer *a, *b;
  loop_expr *a_at, *b_at, *steps;
  int64_t a_row, b_vector, b_step;
  loop_buffer *sums[4];
} tile;

static loop_expr *sum_of(const emission *e, const tile *t, int row, int v) {
  return pir_loop_load(e->m, t->sums[v], whole(e, row), (uint16_t)e->lanes, NULL);
}

static void emit_sums(const emission *e, loop_block *block, tile *t) {
  loop_expr *k, *line[4];
  uint16_t lanes = (uint16_t)e->lanes;
  for (int v = 0; v < t->vectors; v++) {
    t->sums[v] = pir_loop_registers(e->fn, "sum", e->type, lanes, t->rows);
    for (int r = 0; r < t->rows; r++)
      pir_loop_store(e->fn, block, t->sums[v], whole(e, r),
                     pir_loop_broadcast(e->m, constant(e, 0), lanes), NULL);
  }
  t->a_at = kept(e, block, t->a_at);
  t->b_at = kept(e, block, t->b_at);
  block = count_up(e, block, LOOP_SERIAL, whole(e, 0), t->steps, 1, &k);
  for (int v = 0; v < t->vectors; v++) {
    loop_expr *at =
        plus(e, t->b_at, plus(e, times(e, k, t->b_step), whole(e, v * t->b_vector)));
    line[v] = kept(e, block, pir_loop_load(e->m, t->b, at, lanes, NULL));
  }
  for (int r = 0; r < t->rows; r++) {
    loop_expr *x = pir_loop_load(e->m, t->a,
                                 plus(e, t->a_at, plus(e, k, whole(e, r * t->a_row))), 1, NULL);
    x = pir_loop_broadcast(e->m, kept(e, block, x), lanes);
    for (int v = 0; v < t->vectors; v++) {
      loop_expr *sum = sum_of(e, t, r, v);
      sum = e->at.l->target->fma ? pir_loop_fma(e->m, x, line[v], sum)
                                 : pir_loop_add(e->m, pir_loop_mul(e->m, x, line[v]), sum);
      pir_loop_store(e->fn, block, t->sums[v], whole(e, r), sum, NULL);
    }
  }
}

// Emits the code for one tile of `rows` rows, starting at row `row` of the strip.
typedef void emit_rows_fn(emission *e, loop_block *block, loop_expr *strip, loop_expr *row,
                          int rows);

// Emits full tiles, then the remaining rows as tiles of powers of two.
static void each_tile(emission *e, loop_block *block, loop_expr *strip, loop_expr *count,
                      emit_rows_fn *emit) {
  loop_expr *row, *rest = kept(e, block, pir_loop_mod(e->m, count, whole(e, e->rows)));
  loop_expr *full = kept(e, block, pir_loop_sub(e->m, count, rest));
  loop_block *tiles = count_up(e, block, LOOP_SERIAL, whole(e, 0), full, e->rows, &row);
  emit(e, tiles, strip, row, e->rows);
  int size = 1;
  int64_t known;
  while (size * 2 < e->rows)
    size *= 2;
  for (; size >= 1 && !e->at.l->why; size /= 2) {
    loop_expr *left = pir_loop_mod(e->m, rest, whole(e, 2 * size));
    if (pir_loop_is_int(left, &known) && known < size)
      continue;
    loop_block *body =
        pir_loop_if(e->fn, block, pir_loop_lt(e->m, whole(e, size - 1), left), NULL);
    emit(e, body, strip, kept(e, body, pir_loop_sub(e->m, count, left)), size);
  }
}

static void first_product(emission *e, loop_block *block, loop_expr *row, loop_expr *key,
                          int rows, int vectors) {
  tile t = {.rows = rows,
            .vectors = vectors,
            .a = e->queries,
            .b = e->keys,
            .steps = whole(e, e->depth)};
  t.a_at = times(e, row, e->depth);
  t.a_row = e->depth;
  t.b_at = times(e, pir_loop_floordiv(e->m, key, whole(e, e->lanes)), e->panel);
  t.b_vector = e->panel;
  t.b_step = e->lanes;
  emit_sums(e, block, &t);
  for (int r = 0; r < rows; r++)
    for (int v = 0; v < vectors; v++)
      pir_loop_store(
          e->fn, block, e->scores,
          plus(e, plus(e, times(e, row, e->line), key), whole(e, r * e->line + v * e->lanes)),
          sum_of(e, &t, r, v), NULL);
}

static void emit_first(emission *e, loop_block *block, loop_expr *strip, loop_expr *row,
                       int rows) {
  loop_expr *key, *all = whole(e, (int64_t)e->lanes * e->vectors);
  (void)strip;
  loop_expr *rest = kept(e, block, pir_loop_mod(e->m, e->key_count, all));
  loop_expr *full = kept(e, block, pir_loop_sub(e->m, e->key_count, rest));
  loop_block *body =
      count_up(e, block, LOOP_SERIAL, whole(e, 0), full, (int64_t)e->lanes * e->vectors, &key);
  key->var->multiple = e->lanes;
  first_product(e, body, row, key, rows, e->vectors);
  body = count_up(e, block, LOOP_SERIAL, full, e->key_count, e->lanes, &key);
  key->var->multiple = e->lanes;
  first_product(e, body, row, key, rows, 1);
}

// ---- rows

static loop_expr *start_fold(const emission *e, loop_block *block, pir_combine combine,
                             loop_buffer **out) {
  *out = pir_loop_registers(e->fn, "fold", e->type, 1, 1);
  pir_loop_store(e->fn, block, *out, whole(e, 0), pir_loop_neutral(e->m, combine, e->type),
                 NULL);
  return pir_loop_load(e->m, *out, whole(e, 0), 1, NULL);
}

// Turns a row of sums into scores, in place, and returns their maximum.
static loop_expr *emit_scores(emission *e, loop_block *block, loop_expr *line) {
  loop_buffer *fold;
  loop_expr *key, *largest = start_fold(e, block, PIR_COMBINE_MAX, &fold);
  loop_block *body = vectorised(e, block, e->key_count, &key);
  loop_expr *at = plus(e, line, key);
  e->at.axis[e->at.a->key] = plus(e, e->first_key, key);
  loop_expr *x = attention_score(&e->at, body, e->scores, at);
  if (e->at.l->why)
    return x;
  if (e->at.a->chain_count)
    pir_loop_store(e->fn, body, e->scores, at, x, NULL);
  pir_loop_accumulate(e->fn, body, fold, whole(e, 0), PIR_COMBINE_MAX, x);
  return kept(e, block, largest);
}

// A weight that would be subnormal becomes 0: the largest weight of a row is 1, so it cannot
// count, but its products take over a hundred cycles each on Intel's processors. Masks of -100,
// as in Swin, make many of them.
static loop_expr *without_subnormals(const emission *e, loop_expr *shifted) {
  double least = e->type == PIR_F64 ? -708.396 : -87.3365;  // log of the least normal number
  loop_expr *subnormal = pir_loop_lt(e->m, shifted, constant(e, least));
  return pir_loop_select(e->m, subnormal, constant(e, -INFINITY), shifted);
}

// Makes the weights exp(score - shift) of a row, in place or in bf16, and returns their sum.
static loop_expr *emit_weights(emission *e, loop_block *block, loop_expr *row, loop_expr *line,
                               loop_expr *shift) {
  loop_buffer *fold;
  loop_expr *key, *sum = start_fold(e, block, PIR_COMBINE_ADD, &fold);
  loop_block *body = vectorised(e, block, e->key_count, &key);
  loop_expr *at = plus(e, line, key);
  loop_expr *x = pir_loop_sub(e->m, pir_loop_load(e->m, e->scores, at, 1, NULL), shift);
  x = kept(e, body, pir_loop_op(e->m, PIR_V_EXP, without_subnormals(e, x), NULL, NULL));
  if (e->tiles)
    pir_loop_store(e->fn, body, e->weights16, plus(e, times(e, row, e->weights_line), key),
                   pir_loop_cast(e->m, x, PIR_BF16), NULL);
  else
    pir_loop_store(e->fn, body, e->scores, at, x, NULL);
  pir_loop_accumulate(e->fn, body, fold, whole(e, 0), PIR_COMBINE_ADD, x);
  return kept(e, block, sum);
}

static void emit_rows(emission *e, loop_block *block, loop_expr *strip, loop_expr *count) {
  loop_expr *row;
  loop_module *m = e->m;
  block = count_up(e, block, LOOP_SERIAL, whole(e, 0), count, 1, &row);
  loop_expr *of_unit = kept(e, block, plus(e, strip, row)),
            *line = kept(e, block, times(e, row, e->line));
  e->at.axis[e->at.a->row] = plus(e, e->at.first_row, of_unit);
  if (e->tiles)
    attention_clear_weights(e, block, row);
  loop_expr *largest = emit_scores(e, block, line);
  if (e->at.l->why)
    return;
  if (e->one_block) {
    pir_loop_store(e->fn, block, e->total, of_unit, emit_weights(e, block, row, line, largest),
                   NULL);
    return;
  }
  loop_expr *before = kept(e, block, pir_loop_load(m, e->top, of_unit, 1, NULL));
  largest = kept(e, block, pir_loop_max(m, before, largest));
  pir_loop_store(e->fn, block, e->top, of_unit, largest, NULL);
  // While all scores of a row are -inf, the weights are 0 and not NaN, because a later block
  // may have finite scores.
  loop_expr *none = pir_loop_op(m, PIR_V_EQ, largest, constant(e, -INFINITY), NULL);
  largest = kept(e, block, pir_loop_select(m, none, constant(e, 0), largest));
  loop_expr *sum = emit_weights(e, block, row, line, largest);
  pir_loop_store(e->fn, block, e->shrink, row, constant(e, 0), NULL);
  loop_block *later =
      pir_loop_if(e->fn, block, pir_loop_lt(m, whole(e, 0), e->first_key), NULL);
  loop_expr *by =
      kept(e, later, pir_loop_op(m, PIR_V_EXP, pir_loop_sub(m, before, largest), NULL, NULL));
  pir_loop_store(e->fn, later, e->shrink, row, by, NULL);
  loop_expr *old = pir_loop_mul(m, pir_loop_load(m, e->total, of_unit, 1, NULL),
                                pir_loop_load(m, e->shrink, row, 1, NULL));
  pir_loop_store(e->fn, block, e->total, of_unit, plus(e, old, sum), NULL);
}

// ---- results

// Divides vector v of the results of row `of_unit` by the sum of weights and passes it to the
// epilogue.
static void finish_vector(emission *e, loop_block *block, loop_expr *of_unit, int64_t v,
                          loop_expr *sums, loop_expr *total) {
  int64_t left = e->at.a->width_extent - v * e->lanes;
  contract_point p = {.lanes = (uint16_t)e->lanes};
  p.value = pir_loop_op(e->m, PIR_V_DIV, sums, total, NULL);
  if (left < e->lanes)
    p.mask = pir_loop_tail_mask(e->m, whole(e, left), (uint16_t)e->lanes);
  e->at.axis[e->at.a->row] = plus(e, e->at.first_row, of_unit);
  attention_finish(&e->at, block, whole(e, v * e->lanes), &p);
}

// Adds a vector of products to what a row has so far, or finishes it, where one block has all
// keys.
static void take_products(emission *e, loop_block *block, loop_expr *of_unit, int64_t v,
                          loop_expr *products, loop_expr *total, loop_expr *by) {
  if (total) {
    finish_vector(e, block, of_unit, v, products, total);
    return;
  }
  loop_expr *at = plus(e, times(e, of_unit, e->width), whole(e, v * e->lanes));
  loop_expr *old =
      pir_loop_mul(e->m, pir_loop_load(e->m, e->out, at, (uint16_t)e->lanes, NULL), by);
  pir_loop_store(e->fn, block, e->out, at, plus(e, old, products), NULL);
}

// The sum of weights of a row, or by what its results so far are multiplied.
static void find_factors(emission *e, loop_block *block, loop_expr *of_unit, loop_expr *row,
                         loop_expr **out_total, loop_expr **out_by) {
  loop_expr *total =
      e->one_block ? kept(e, block, pir_loop_load(e->m, e->total, of_unit, 1, NULL)) : NULL;
  *out_total = total;
  *out_by = total ? NULL : kept(e, block, pir_loop_load(e->m, e->shrink, row, 1, NULL));
}

static void second_product(emission *e, loop_block *block, loop_expr *strip, loop_expr *row,
                           int rows) {
  int vectors = (int)(e->width / e->lanes);
  for (int from = 0; from < vectors && !e->at.l->why; from += e->vectors) {
    tile t = {.rows = rows, .a = e->scores, .b = e->values, .steps = e->key_count};
    t.vectors = vectors - from < e->vectors ? vectors - from : e->vectors;
    t.a_at = times(e, row, e->line);
    t.a_row = e->line;
    t.b_at = whole(e, (int64_t)from * e->lanes);
    t.b_vector = e->lanes;
    t.b_step = e->width;
    emit_sums(e, block, &t);
    for (int r = 0; r < rows; r++) {
      loop_expr *of_unit = plus(e, plus(e, strip, row), whole(e, r)), *total, *by;
      find_factors(e, block, of_unit, plus(e, row, whole(e, r)), &total, &by);
      for (int v = 0; v < t.vectors && !e->at.l->why; v++)
        take_products(e, block, of_unit, from + v, sum_of(e, &t, r, v), total, by);
    }
  }
}

// The same of a strip, from the products of tile registers.
static void take_strip(emission *e, loop_block *block, loop_expr *strip, loop_expr *count) {
  loop_expr *row, *total, *by;
  block = count_up(e, block, LOOP_SERIAL, whole(e, 0), count, 1, &row);
  loop_expr *of_unit = kept(e, block, plus(e, strip, row));
  find_factors(e, block, of_unit, row, &total, &by);
  for (int64_t v = 0; v < e->width / e->lanes && !e->at.l->why; v++) {
    loop_expr *at = plus(e, times(e, row, e->width), whole(e, v * e->lanes));
    loop_expr *sums = pir_loop_load(e->m, e->products, at, (uint16_t)e->lanes, NULL);
    take_products(e, block, of_unit, v, kept(e, block, sums), total, by);
  }
}

static void clear_results(emission *e, loop_block *block) {
  loop_expr *row, *at;
  loop_block *body = vectorised(e, block, e->at.row_count, &row);
  pir_loop_store(e->fn, body, e->top, row, constant(e, -INFINITY), NULL);
  pir_loop_store(e->fn, body, e->total, row, constant(e, 0), NULL);
  body = vectorised(e, block, times(e, e->at.row_count, e->width), &at);
  pir_loop_store(e->fn, body, e->out, at, constant(e, 0), NULL);
}

static void hand_out(emission *e, loop_block *block) {
  loop_expr *row, *keys = lower_dim(e->at.l, e->at.a->shape[e->at.a->key]);
  block = count_up(e, block, LOOP_SERIAL, whole(e, 0), e->at.row_count, 1, &row);
  loop_expr *total = pir_loop_load(e->m, e->total, row, 1, NULL);
  total =
      kept(e, block,
           pir_loop_select(e->m, pir_loop_lt(e->m, whole(e, 0), keys), total, constant(e, 1)));
  for (int64_t v = 0; v < e->width / e->lanes && !e->at.l->why; v++) {
    loop_expr *at = plus(e, times(e, row, e->width), whole(e, v * e->lanes));
    loop_expr *sums = kept(e, block, pir_loop_load(e->m, e->out, at, (uint16_t)e->lanes, NULL));
    finish_vector(e, block, row, v, sums, total);
  }
}

// ---- units

static void emit_block_of_keys(emission *e, loop_block *block) {
  loop_expr *strip;
  pack_keys(e, block);
  pack_values(e, block);
  if (e->tiles)
    attention_round_keys(e, block);
  block =
      count_up(e, block, LOOP_SERIAL, whole(e, 0), e->at.row_count, e->rows_of_strip, &strip);
  loop_expr *count = pir_loop_min(e->m, pir_loop_sub(e->m, e->at.row_count, strip),
                                  whole(e, e->rows_of_strip));
  count = kept(e, block, count);
  pack_queries(e, block, strip, count);
  if (e->tiles) {
    attention_round_queries(e, block, count);
    attention_multiply_queries(e, block);
  } else {
    each_tile(e, block, strip, count, emit_first);
  }
  if (!e->at.l->why)
    emit_rows(e, block, strip, count);
  if (e->at.l->why)
    return;
  if (e->tiles) {
    attention_multiply_weights(e, block);
    take_strip(e, block, strip, count);
  } else {
    each_tile(e, block, strip, count, second_product);
  }
}

// Blocks of keys: all of them where they are known and few.
static void choose_keys(emission *e) {
  const pir_machine *machine = e->machine;
  int64_t size = (int64_t)pir_dtype_size(e->type), keys;
  int64_t most = machine->attention.block_bytes / (size * (e->depth + e->width));
  int64_t open = most < machine->attention.open_keys ? most : machine->attention.open_keys;
  bool known = pir_dim_is_const(e->at.l->dims, e->at.a->shape[e->at.a->key], &keys) && keys > 0;
  if (open < 1)
    open = 1;
  e->one_block = known && keys <= most;
  e->keys_of_block = e->one_block ? keys : attention_round_up(open, e->lanes);
  e->line = attention_round_up(e->keys_of_block, (int64_t)e->lanes * e->vectors) + e->lanes;
}

// Whether batches and heads are known to be few.
static bool has_few_heads(const emission *e) {
  const attention *a = e->at.a;
  int64_t heads = 1, extent, few = e->machine->attention.few_heads;
  for (int d = 0; d < a->rank && heads < few; d++) {
    if (d == a->row || d == a->key)
      continue;
    bool known = pir_dim_is_const(e->at.l->dims, a->shape[d], &extent) && extent > 0;
    heads = known ? heads * extent : few;
  }
  return heads < few;
}

// If the heads are few and the sequence is long, units are smaller, so that all threads get a
// share.
static void choose_rows(emission *e) {
  const pir_machine *machine = e->machine;
  int64_t rows;
  if (!e->tiles)
    e->rows_of_strip = (int64_t)machine->attention.strip_tiles * e->rows;
  e->rows_of_unit = machine->attention.unit_strips * e->rows_of_strip;
  if (has_few_heads(e))
    e->rows_of_unit /= machine->attention.unit_parts;
  if (!pir_dim_is_const(e->at.l->dims, e->at.a->shape[e->at.a->row], &rows) || rows < 1)
    return;
  int64_t blocks = (rows + e->rows_of_unit - 1) / e->rows_of_unit;
  e->rows_of_unit = (rows + blocks - 1) / blocks;
}

static void choose_attention_sizes(emission *e) {
  const pir_target *target = e->at.l->target;
  e->lanes = target->vector_bytes / (int)pir_dtype_size(e->type);
  e->vectors = target->vector_registers / e->machine->attention.registers;
  e->rows = contract_most_rows(target, e->vectors);
  e->depth = e->at.a->depth_extent;
  e->width = attention_round_up(e->at.a->width_extent, e->lanes);
  // Vectors of keys must not map to the same sets of the L1 cache.
  e->panel = (e->depth + 1) * e->lanes;
  choose_keys(e);
  e->tiles = attention_can_tile(e);
  if (e->tiles)
    attention_choose_tiles(e);
  choose_rows(e);
}

// Whether adjacent keys are adjacent in memory, so that panels are read as whole vectors.
static bool keys_lie_in_panels(emission *e) {
  loop_block body = {0};
  loop_var *lane = pir_loop_var_create(e->fn, "lane", LOOP_INDEX, 1);
  loop_expr *zero = whole(e, 0);
  for (int d = 0; d < e->at.a->rank; d++)
    e->at.axis[d] = zero;
  e->at.axis[e->at.a->key] = pir_loop_use(e->m, lane);
  attention_store(&e->at, &body, e->at.a->k_map, zero, e->keys, pir_loop_use(e->m, lane));
  return attention_reads_runs(&body, lane);
}

static void take_scratch(emission *e) {
  loop_fn *fn = e->fn;
  e->queries = pir_loop_scratch(fn, "queries", e->type, e->rows_of_strip * e->depth);
  e->keys =
      pir_loop_scratch(fn, "keys", e->type,
                       attention_round_up(e->keys_of_block, e->lanes) / e->lanes * e->panel);
  int64_t value_lines = e->tiles ? e->line - e->lanes : e->keys_of_block;
  e->values = pir_loop_scratch(fn, "values", e->type, value_lines * e->width);
  e->scores = pir_loop_scratch(fn, "scores", e->type, e->rows_of_strip * e->line);
  e->total = pir_loop_scratch(fn, "total", e->type, e->rows_of_unit);
  if (!keys_lie_in_panels(e)) {
    e->turned_line = attention_round_up(e->depth, e->lanes) + e->lanes;
    e->turned = pir_loop_scratch(fn, "turned", e->type, e->lanes * e->turned_line);
  }
  if (e->one_block)
    return;
  e->top = pir_loop_scratch(fn, "top", e->type, e->rows_of_unit);
  e->shrink = pir_loop_scratch(fn, "shrink", e->type, e->rows_of_strip);
  e->out = pir_loop_scratch(fn, "out", e->type, e->rows_of_unit * e->width);
}

static void say_how(lowering *l, const emission *e) {
  pir_text_format(l->how, sizeof l->how, "attention, %lld keys at a time%s, tiles of %d x %d%s",
                  (long long)e->keys_of_block, e->one_block ? " (all)" : "",
                  e->tiles ? (int)e->rows_of_strip : e->rows,
                  e->tiles ? (int)e->rows_of_strip : e->vectors * e->lanes,
                  e->tiles ? " in tile registers of bf16" : "");
}

void lower_attention(lowering *l, const attention *a, lower_stages *stages) {
  emission e = {.at = {.l = l, .a = a}, .m = l->m, .type = a->one.out.dtype};
  e.machine = l->target->machine;
  loop_expr *unit;
  attention_start(&e.at, (int64_t)stages->count);
  e.fn = l->fn;
  choose_attention_sizes(&e);
  take_scratch(&e);
  if (e.tiles)
    attention_begin_tiles(&e);
  loop_block *block =
      count_up(&e, &l->fn->body, LOOP_PARALLEL, pir_loop_use(l->m, l->fn->begin),
               pir_loop_use(l->m, l->fn->end), 1, &unit);
  pir_dim units = attention_split_unit(&e.at, block, unit, e.rows_of_unit);
  e.first_key = whole(&e, 0);
  e.key_count = lower_dim(l, a->shape[a->key]);
  if (e.one_block) {
    emit_block_of_keys(&e, block);
  } else {
    clear_results(&e, block);
    loop_expr *all = e.key_count;
    loop_block *body =
        count_up(&e, block, LOOP_SERIAL, whole(&e, 0), all, e.keys_of_block, &e.first_key);
    e.key_count =
        pir_loop_min(l->m, pir_loop_sub(l->m, all, e.first_key), whole(&e, e.keys_of_block));
    e.key_count = kept(&e, body, e.key_count);
    emit_block_of_keys(&e, body);
    if (!l->why)
      hand_out(&e, block);
  }
  if (e.tiles)
    attention_end_tiles(&e);
  say_how(l, &e);
  lower_stage s = {l->fn, units};
  pir_vec_push(&l->m->arena, stages, s);
}
