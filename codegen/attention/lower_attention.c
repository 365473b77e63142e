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
#include "attention.h"
#include "contract_impl.h"

#include <math.h>
#include <string.h>

typedef struct emission {
  lowering *l;
  loop_module *m;
  loop_fn *fn;
  const attention *a;
  const pir_machine *machine;
  pir_dtype type;
  int lanes, vectors, rows;  // lanes of a register; size of a tile in registers and rows
  int64_t depth, width;      // width in whole vectors
  int64_t keys_of_block, rows_of_unit, rows_of_strip;
  int64_t panel, line;  // elements of a vector of packed keys, and of a row of scores
  bool one_block;       // one block has all keys
  loop_expr *axis[PIR_MAX_RANK];
  // rows of the unit, keys of the block
  loop_expr *first_row, *row_count, *first_key, *key_count;
  loop_buffer *queries, *keys, *values, *scores, *top, *total, *shrink, *out;
  loop_buffer *turned;  // keys on their way into panels, a row each, where they are turned
  int64_t turned_line;
} emission;

static loop_expr *whole(const emission *e, int64_t n) {
  return pir_loop_int(e->m, n);
}
static loop_expr *plus(const emission *e, loop_expr *a, loop_expr *b) {
  return pir_loop_add(e->m, a, b);
}
static loop_expr *times(const emission *e, loop_expr *a, int64_t n) {
  return pir_loop_mul(e->m, a, whole(e, n));
}
static loop_expr *kept(const emission *e, loop_block *b, loop_expr *x) {
  return pir_loop_let(e->fn, b, "t", x);
}
static loop_expr *constant(const emission *e, double x) {
  return pir_loop_const_float(e->m, e->type, x);
}

static loop_block *count_up(const emission *e, loop_block *block, loop_for_kind kind,
                            loop_expr *begin, loop_expr *end, int64_t step, loop_expr **out) {
  loop_var *v = pir_loop_var_create(e->fn, "i", LOOP_INDEX, 1);
  *out = pir_loop_use(e->m, v);
  return pir_loop_for(e->fn, block, kind, v, begin, end, whole(e, step));
}

static loop_block *vectorised(const emission *e, loop_block *block, loop_expr *end,
                              loop_expr **out) {
  loop_block *body = count_up(e, block, LOOP_VECTORISED, whole(e, 0), end, 1, out);
  block->last->loop.unroll = (uint16_t)e->machine->core.unroll;
  return body;
}

// ---- elements of the operands

// The index along an axis whose extent may be 1 at run time (broadcast), clamped to the extent.
static loop_expr *within(const emission *e, loop_expr *at, pir_dim extent) {
  return pir_loop_min(e->m, at, pir_loop_sub(e->m, lower_dim(e->l, extent), whole(e, 1)));
}

// The index along axis d of a tensor of the scores' rank with `extent` there; NULL if
// e->axis[d] is not set.
static loop_expr *index_along(const emission *e, int d, pir_dim extent) {
  return !e->axis[d] || pir_dim_equal(e->l->dims, extent, e->a->shape[d])
             ? e->axis[d]
             : within(e, e->axis[d], extent);
}

// Sets the variables of the first or second contraction from e->axis; `other` is the depth or
// width, which the scores lack.
static void variables(const emission *e, bool second, loop_expr *other, loop_expr **out) {
  const attention *a = e->a;
  const int *of_axis = second ? a->in_two : a->in_one;
  for (int v = 0; v < CONTRACT_MAX_VARS; v++)
    out[v] = NULL;
  for (int d = 0; d < a->rank; d++) {
    if (of_axis[d] < 0)
      continue;
    out[of_axis[d]] = second ? e->axis[d] : index_along(e, d, a->one.out.shape[d]);
  }
  out[second ? a->width : a->depth] = other;
}

static void index_of(const emission *e, const contract_tensor *t, loop_expr *const *variable,
                     loop_expr **out) {
  for (int d = 0; d < t->rank; d++) {
    out[d] = whole(e, 0);
    for (int v = 0; v < CONTRACT_MAX_VARS; v++)
      if (t->map[d].factor[v] && variable[v])
        out[d] = t->map[d].unsure ? within(e, variable[v], t->shape[d]) : variable[v];
  }
}

// Stores one element into scratch: q or k at depth `other`, or v at width `other`; e->axis
// gives the other indices.
static void store_element(emission *e, loop_block *block, const pir_value *value,
                          const contract_tensor *map, loop_expr *other, loop_buffer *to,
                          loop_expr *at) {
  loop_expr *variable[CONTRACT_MAX_VARS], *index[PIR_MAX_RANK];
  variables(e, map == e->a->v_map, other, variable);
  index_of(e, map, variable, index);
  lower_place before = lower_enter(e->l, block);
  loop_expr *x = lower_element(e->l, value, index);
  lower_leave(e->l, before);
  if (!e->l->why)
    pir_loop_store(e->fn, block, to, at, x, NULL);
}

// Packs one vector of keys, starting at `key`, for all depths.
static void pack_panel(emission *e, loop_block *block, loop_expr *key, loop_expr *mask) {
  loop_expr *d;
  loop_block body = {0};
  block = count_up(e, block, LOOP_SERIAL, whole(e, 0), whole(e, e->depth), 1, &d);
  loop_var *lane = pir_loop_var_create(e->fn, "lane", LOOP_INDEX, 1);
  loop_expr *at = plus(e, times(e, pir_loop_floordiv(e->m, key, whole(e, e->lanes)), e->panel),
                       times(e, d, e->lanes));
  e->axis[e->a->key] = plus(e, e->first_key, plus(e, key, pir_loop_use(e->m, lane)));
  store_element(e, &body, e->a->k, e->a->k_map, d, e->keys,
                plus(e, at, pir_loop_use(e->m, lane)));
  if (!e->l->why && pir_loop_widen(e->fn, block, &body, lane, whole(e, 0), (uint16_t)e->lanes,
                                   mask, NULL, NULL, 0))
    lower_fail(e->l, e->a->first, "keys that have no vector form");
}

// Whether adjacent lanes of the body read adjacent elements.
static bool reads_runs(const loop_block *body, const loop_var *lane) {
  int64_t step;
  for (const loop_stmt *s = body->first; s; s = s->next) {
    loop_operands operands = pir_loop_operands(s);
    for (int i = 0; i < operands.count; i++) {
      const loop_expr *x = *operands.at[i];
      if (x->kind == LOOP_LOAD && pir_loop_mentions(x->a, lane) &&
          (!pir_loop_stride(x->a, lane, &step) || step != 1))
        return false;
    }
  }
  return true;
}

// Packs keys whose depths are adjacent in memory: loads vectors along the depth and transposes
// squares in registers.
static void pack_turned(emission *e, loop_block *block, loop_expr *key, loop_expr *count) {
  loop_expr *k, *d, *rows[64];
  int64_t line = e->turned_line;
  loop_block *body = count_up(e, block, LOOP_SERIAL, whole(e, 0), count, 1, &k);
  e->axis[e->a->key] = plus(e, e->first_key, plus(e, key, k));
  loop_block *inner = vectorised(e, body, whole(e, e->depth), &d);
  store_element(e, inner, e->a->k, e->a->k_map, d, e->turned, plus(e, times(e, k, line), d));
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
  e->axis[e->a->key] = plus(e, e->first_key, key);
  loop_block *body = vectorised(e, block, whole(e, e->a->width_extent), &w);
  store_element(e, body, e->a->v, e->a->v_map, w, e->values,
                plus(e, times(e, key, e->width), w));
}

// Packs `count` query rows, starting at row `from` of the unit.
static void pack_queries(emission *e, loop_block *block, loop_expr *from, loop_expr *count) {
  loop_expr *row, *d;
  block = count_up(e, block, LOOP_SERIAL, whole(e, 0), count, 1, &row);
  e->axis[e->a->row] = plus(e, e->first_row, plus(e, from, row));
  loop_block *body = vectorised(e, block, whole(e, e->depth), &d);
  store_element(e, body, e->a->q, e->a->q_map, d, e->queries,
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
      sum = e->l->target->fma ? pir_loop_fma(e->m, x, line[v], sum)
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
  for (; size >= 1 && !e->l->why; size /= 2) {
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
  lowering *l = e->l;
  loop_buffer *fold;
  loop_expr *key, *largest = start_fold(e, block, PIR_COMBINE_MAX, &fold);
  loop_block *body = vectorised(e, block, e->key_count, &key);
  loop_expr *at = plus(e, line, key), *index[PIR_MAX_RANK];
  e->axis[e->a->key] = plus(e, e->first_key, key);
  for (int d = 0; d < e->a->rank; d++)
    index[d] = index_along(e, d, e->a->of_scores[d]);
  lower_place before = lower_enter(l, body);
  lower_value *sums = lower_add(l, pir_op_result(e->a->first, 0));
  sums->row = e->scores;
  l->row_index = at;
  loop_expr *x = lower_element(l, e->a->scores, index);
  sums->row = NULL;
  lower_leave(l, before);
  if (l->why)
    return x;
  if (e->a->chain_count)
    pir_loop_store(e->fn, body, e->scores, at, x, NULL);
  pir_loop_accumulate(e->fn, body, fold, whole(e, 0), PIR_COMBINE_MAX, x);
  return kept(e, block, largest);
}

// Replaces a row of scores by exp(score - shift) and returns their sum.
static loop_expr *emit_weights(emission *e, loop_block *block, loop_expr *line,
                               loop_expr *shift) {
  loop_buffer *fold;
  loop_expr *key, *sum = start_fold(e, block, PIR_COMBINE_ADD, &fold);
  loop_block *body = vectorised(e, block, e->key_count, &key);
  loop_expr *at = plus(e, line, key);
  loop_expr *x = pir_loop_sub(e->m, pir_loop_load(e->m, e->scores, at, 1, NULL), shift);
  x = kept(e, body, pir_loop_op(e->m, PIR_V_EXP, x, NULL, NULL));
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
  e->axis[e->a->row] = plus(e, e->first_row, of_unit);
  loop_expr *largest = emit_scores(e, block, line);
  if (e->l->why)
    return;
  if (e->one_block) {
    pir_loop_store(e->fn, block, e->total, of_unit, emit_weights(e, block, line, largest),
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
  loop_expr *sum = emit_weights(e, block, line, largest);
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
  const attention *a = e->a;
  loop_expr *variable[CONTRACT_MAX_VARS];
  int64_t left = a->width_extent - v * e->lanes;
  contract_point p = {.lanes = (uint16_t)e->lanes, .lane_axis = -1};
  p.value = pir_loop_op(e->m, PIR_V_DIV, sums, total, NULL);
  if (left < e->lanes)
    p.mask = pir_loop_tail_mask(e->m, whole(e, left), (uint16_t)e->lanes);
  e->axis[a->row] = plus(e, e->first_row, of_unit);
  variables(e, true, whole(e, v * e->lanes), variable);
  index_of(e, &a->two.out, variable, p.index);
  for (int d = 0; d < a->two.out.rank; d++)
    if (a->two.out.map[d].factor[a->width])
      p.lane_axis = d;
  contract_finish_sums(e->l, pir_op_result(a->second, 0), e->fn, block, &p);
}

static void second_product(emission *e, loop_block *block, loop_expr *strip, loop_expr *row,
                           int rows) {
  int vectors = (int)(e->width / e->lanes);
  for (int from = 0; from < vectors && !e->l->why; from += e->vectors) {
    tile t = {.rows = rows, .a = e->scores, .b = e->values, .steps = e->key_count};
    t.vectors = vectors - from < e->vectors ? vectors - from : e->vectors;
    t.a_at = times(e, row, e->line);
    t.a_row = e->line;
    t.b_at = whole(e, (int64_t)from * e->lanes);
    t.b_vector = e->lanes;
    t.b_step = e->width;
    emit_sums(e, block, &t);
    for (int r = 0; r < rows; r++) {
      loop_expr *of_unit = plus(e, plus(e, strip, row), whole(e, r));
      loop_expr *total =
          e->one_block ? kept(e, block, pir_loop_load(e->m, e->total, of_unit, 1, NULL)) : NULL;
      loop_expr *by =
          total ? NULL
                : kept(e, block,
                       pir_loop_load(e->m, e->shrink, plus(e, row, whole(e, r)), 1, NULL));
      for (int v = 0; v < t.vectors && !e->l->why; v++) {
        if (total) {
          finish_vector(e, block, of_unit, from + v, sum_of(e, &t, r, v), total);
          continue;
        }
        loop_expr *at =
            plus(e, times(e, of_unit, e->width), whole(e, (int64_t)(from + v) * e->lanes));
        loop_expr *old =
            pir_loop_mul(e->m, pir_loop_load(e->m, e->out, at, (uint16_t)e->lanes, NULL), by);
        pir_loop_store(e->fn, block, e->out, at, plus(e, old, sum_of(e, &t, r, v)), NULL);
      }
    }
  }
}

static void clear_results(emission *e, loop_block *block) {
  loop_expr *row, *at;
  loop_block *body = vectorised(e, block, e->row_count, &row);
  pir_loop_store(e->fn, body, e->top, row, constant(e, -INFINITY), NULL);
  pir_loop_store(e->fn, body, e->total, row, constant(e, 0), NULL);
  body = vectorised(e, block, times(e, e->row_count, e->width), &at);
  pir_loop_store(e->fn, body, e->out, at, constant(e, 0), NULL);
}

static void hand_out(emission *e, loop_block *block) {
  loop_expr *row, *keys = lower_dim(e->l, e->a->shape[e->a->key]);
  block = count_up(e, block, LOOP_SERIAL, whole(e, 0), e->row_count, 1, &row);
  loop_expr *total = pir_loop_load(e->m, e->total, row, 1, NULL);
  total =
      kept(e, block,
           pir_loop_select(e->m, pir_loop_lt(e->m, whole(e, 0), keys), total, constant(e, 1)));
  for (int64_t v = 0; v < e->width / e->lanes && !e->l->why; v++) {
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
  block = count_up(e, block, LOOP_SERIAL, whole(e, 0), e->row_count, e->rows_of_strip, &strip);
  loop_expr *count =
      pir_loop_min(e->m, pir_loop_sub(e->m, e->row_count, strip), whole(e, e->rows_of_strip));
  count = kept(e, block, count);
  pack_queries(e, block, strip, count);
  each_tile(e, block, strip, count, emit_first);
  if (!e->l->why)
    emit_rows(e, block, strip, count);
  if (!e->l->why)
    each_tile(e, block, strip, count, second_product);
}

static int64_t round_up(int64_t n, int64_t to) {
  return (n + to - 1) / to * to;
}

// Blocks of keys: all of them where they are known and few.
static void choose_keys(emission *e) {
  const pir_machine *machine = e->machine;
  int64_t size = (int64_t)pir_dtype_size(e->type), keys;
  int64_t most = machine->attention.block_bytes / (size * (e->depth + e->width));
  int64_t open = most < machine->attention.open_keys ? most : machine->attention.open_keys;
  bool known = pir_dim_is_const(e->l->dims, e->a->shape[e->a->key], &keys) && keys > 0;
  if (open < 1)
    open = 1;
  e->one_block = known && keys <= most;
  e->keys_of_block = e->one_block ? keys : round_up(open, e->lanes);
  e->line = round_up(e->keys_of_block, (int64_t)e->lanes * e->vectors) + e->lanes;
}

// Whether batches and heads are known to be few.
static bool has_few_heads(const emission *e) {
  const attention *a = e->a;
  int64_t heads = 1, extent, few = e->machine->attention.few_heads;
  for (int d = 0; d < a->rank && heads < few; d++) {
    if (d == a->row || d == a->key)
      continue;
    bool known = pir_dim_is_const(e->l->dims, a->shape[d], &extent) && extent > 0;
    heads = known ? heads * extent : few;
  }
  return heads < few;
}

// If the heads are few and the sequence is long, units are smaller, so that all threads get a
// share.
static void choose_rows(emission *e) {
  const pir_machine *machine = e->machine;
  int64_t rows;
  e->rows_of_strip = (int64_t)machine->attention.strip_tiles * e->rows;
  e->rows_of_unit = machine->attention.unit_strips * e->rows_of_strip;
  if (has_few_heads(e))
    e->rows_of_unit /= machine->attention.unit_parts;
  if (!pir_dim_is_const(e->l->dims, e->a->shape[e->a->row], &rows) || rows < 1)
    return;
  int64_t blocks = (rows + e->rows_of_unit - 1) / e->rows_of_unit;
  e->rows_of_unit = (rows + blocks - 1) / blocks;
}

static void choose_attention_sizes(emission *e) {
  const pir_target *target = e->l->target;
  e->lanes = target->vector_bytes / (int)pir_dtype_size(e->type);
  e->vectors = target->vector_registers / e->machine->attention.registers;
  e->rows = contract_most_rows(target, e->vectors);
  e->depth = e->a->depth_extent;
  e->width = round_up(e->a->width_extent, e->lanes);
  // Vectors of keys must not map to the same sets of the L1 cache.
  e->panel = (e->depth + 1) * e->lanes;
  choose_keys(e);
  choose_rows(e);
}

// Whether adjacent keys are adjacent in memory, so that panels are read as whole vectors.
static bool keys_lie_in_panels(emission *e) {
  loop_block body = {0};
  loop_var *lane = pir_loop_var_create(e->fn, "lane", LOOP_INDEX, 1);
  loop_expr *zero = whole(e, 0);
  for (int d = 0; d < e->a->rank; d++)
    e->axis[d] = zero;
  e->axis[e->a->key] = pir_loop_use(e->m, lane);
  store_element(e, &body, e->a->k, e->a->k_map, zero, e->keys, pir_loop_use(e->m, lane));
  return reads_runs(&body, lane);
}

static void take_scratch(emission *e) {
  loop_fn *fn = e->fn;
  e->queries = pir_loop_scratch(fn, "queries", e->type, e->rows_of_strip * e->depth);
  e->keys = pir_loop_scratch(fn, "keys", e->type,
                             round_up(e->keys_of_block, e->lanes) / e->lanes * e->panel);
  e->values = pir_loop_scratch(fn, "values", e->type, e->keys_of_block * e->width);
  e->scores = pir_loop_scratch(fn, "scores", e->type, e->rows_of_strip * e->line);
  e->total = pir_loop_scratch(fn, "total", e->type, e->rows_of_unit);
  if (!keys_lie_in_panels(e)) {
    e->turned_line = round_up(e->depth, e->lanes) + e->lanes;
    e->turned = pir_loop_scratch(fn, "turned", e->type, e->lanes * e->turned_line);
  }
  if (e->one_block)
    return;
  e->top = pir_loop_scratch(fn, "top", e->type, e->rows_of_unit);
  e->shrink = pir_loop_scratch(fn, "shrink", e->type, e->rows_of_strip);
  e->out = pir_loop_scratch(fn, "out", e->type, e->rows_of_unit * e->width);
}

// Splits a unit's number into the remaining axes (batch and head) and the block of rows.
// Returns the number of units.
static pir_dim split_attention_unit(emission *e, loop_block *block, loop_expr *unit) {
  const attention *a = e->a;
  const pir_dim *shape = a->shape;
  pir_dims *dims = e->l->dims;
  pir_dim blocks = pir_dim_ceildiv(dims, shape[a->row], pir_dim_const(dims, e->rows_of_unit)),
          units = blocks;
  loop_expr *many = lower_dim(e->l, blocks);
  loop_expr *at = kept(e, block, pir_loop_mod(e->m, unit, many));
  e->first_row = kept(e, block, times(e, at, e->rows_of_unit));
  loop_expr *left = pir_loop_sub(e->m, lower_dim(e->l, shape[a->row]), e->first_row);
  e->row_count = kept(e, block, pir_loop_min(e->m, left, whole(e, e->rows_of_unit)));
  unit = kept(e, block, pir_loop_floordiv(e->m, unit, many));
  for (int d = a->rank - 1; d >= 0; d--) {
    if (d == a->row || d == a->key)
      continue;
    loop_expr *extent = lower_dim(e->l, shape[d]);
    units = pir_dim_mul(dims, units, shape[d]);
    e->axis[d] = kept(e, block, pir_loop_mod(e->m, unit, extent));
    unit = kept(e, block, pir_loop_floordiv(e->m, unit, extent));
  }
  return units;
}

static void say_how(lowering *l, const emission *e) {
  pir_text_format(l->how, sizeof l->how, "attention, %lld keys at a time%s, tiles of %d x %d",
                  (long long)e->keys_of_block, e->one_block ? " (all)" : "", e->rows,
                  e->vectors * e->lanes);
}

void lower_attention(lowering *l, const attention *a, lower_stages *stages) {
  emission e = {.l = l, .m = l->m, .a = a, .type = a->one.out.dtype};
  e.machine = l->target->machine;
  loop_expr *unit;
  for (int i = 0; i < 2 * a->one.equal_count; i++)
    pir_vec_push(&l->m->arena, &l->equal, a->one.equal[i]);
  for (int i = 0; i < 2 * a->two.equal_count; i++)
    pir_vec_push(&l->m->arena, &l->equal, a->two.equal[i]);
  lower_start(l, "stage", (int64_t)stages->count);
  e.fn = l->fn;
  choose_attention_sizes(&e);
  take_scratch(&e);
  loop_block *block =
      count_up(&e, &l->fn->body, LOOP_PARALLEL, pir_loop_use(l->m, l->fn->begin),
               pir_loop_use(l->m, l->fn->end), 1, &unit);
  pir_dim units = split_attention_unit(&e, block, unit);
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
  say_how(l, &e);
  lower_stage s = {l->fn, units};
  pir_vec_push(&l->m->arena, stages, s);
}
