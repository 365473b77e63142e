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
#include "contract_impl.h"

enum { MAX_BORDER_TAPS = 16 };  // longer axes of taps are walked by border pixels

typedef contract_panel panel;

typedef enum border { BORDER_NONE, BORDER_ROWS, BORDER_TAPS } border;

typedef struct tile {
  panel *p;
  int rows;
  bool whole;       // what is left over from the parts
  int parts, part;  // neighbouring steps add to sums of their own, where a tile is too small to
                    // hide the latency
  border border;
  int tap;                       // the axis that slides along the tile, or -1
  int order[CONTRACT_MAX_VARS];  // levels of the taps, outermost first
  int low[MAX_BORDER_TAPS],
      high[MAX_BORDER_TAPS];  // BORDER_ROWS: rows for which each tap lies inside
  loop_expr *begin, *end;     // BORDER_TAPS: of the taps
  loop_buffer
      *sums[CONTRACT_MOST_VECTORS];  // of each vector of the panel, a register a row and
                                     // part
  loop_expr *row_step;
} tile;

// ---- the inner loops

// Returns the index of the row's sum in the register buffer of each vector.
static loop_expr *place_of(const tile *t, int row) {
  return pir_loop_int(t->p->e.m, row * t->parts + t->part);
}

static void add_product(const tile *t, loop_block *block, int row, int v, loop_expr *a,
                        loop_expr *b) {
  const contract_emission *e = &t->p->e;
  loop_expr *at = place_of(t, row);
  loop_expr *sum = pir_loop_load(e->m, t->sums[v], at, (uint16_t)t->p->lanes[v], NULL);
  pir_loop_store(e->fn, block, t->sums[v], at, contract_product(e, a, b, sum), NULL);
}

// Depthwise: lanes are also channels of `a`, so each row loads its own vector for each vector
// of the panel.
static void emit_lanewise_row(const tile *t, loop_block *block, loop_expr *at, int row,
                              loop_expr *const *line) {
  const contract_emission *e = &t->p->e;
  for (int v = 0; v < t->p->vectors; v++) {
    loop_expr *from = pir_loop_add(e->m, at, pir_loop_int(e->m, v * e->form->vector));
    loop_expr *x = pir_loop_load(e->m, e->a, from, (uint16_t)t->p->lanes[v], t->p->masks[v]);
    add_product(t, block, row, v, pir_loop_cast(e->m, x, e->form->compute), line[v]);
  }
}

// Emits one step. `count` is the number of elements along the last reduced axis: all of the
// step, or fewer at an incomplete end.
static void emit_step(const tile *t, loop_block *block, loop_expr *a, loop_expr *b, int low,
                      int high, int count) {
  const contract_emission *e = &t->p->e;
  loop_expr *line[CONTRACT_MOST_VECTORS];
  for (int v = 0; v < t->p->vectors; v++) {
    loop_expr *at = pir_loop_add(e->m, b, pir_loop_int(e->m, v * e->form->vector));
    line[v] = pir_loop_let(e->fn, block, "b",
                           pir_loop_load(e->m, e->b, at, (uint16_t)t->p->lanes[v], NULL));
  }
  for (int row = low; row < high; row++) {
    loop_expr *at =
        pir_loop_add(e->m, a, pir_loop_mul(e->m, t->row_step, pir_loop_int(e->m, row)));
    if (e->form->kind == CONTRACT_DEPTHWISE) {
      emit_lanewise_row(t, block, at, row, line);
      continue;
    }
    loop_expr *x = pir_loop_let(e->fn, block, "a", contract_load_a(e, at, count));
    for (int v = 0; v < t->p->vectors; v++)
      add_product(t, block, row, v, pir_loop_broadcast(e->m, x, (uint16_t)t->p->lanes[v]),
                  line[v]);
  }
}

// Orders the reduced axes as in packing, except that an unrolled one goes outermost: inside,
// the values shared by its steps would occupy all registers.
static void order_taps(tile *t) {
  const contract_form *f = t->p->e.form;
  for (int i = 0; i < f->tap_count; i++)
    t->order[i] = i;
  if (t->border != BORDER_ROWS || f->kind == CONTRACT_DEPTHWISE ||
      f->taps[f->tap_count - 1] != t->tap)
    return;
  for (int i = f->tap_count - 1; i > 0; i--)
    t->order[i] = i - 1;
  t->order[0] = f->tap_count - 1;
}

loop_expr *contract_tap_step_b(const contract_emission *e, int level) {
  const contract_form *f = e->form;
  if (!f->b_packed)
    return contract_step(e, OF_B, f->taps[level]);
  loop_expr *step = pir_loop_int(e->m, contract_panel_lanes(f));
  for (int i = level + 1; i < f->tap_count; i++)
    step = pir_loop_mul(e->m, step, contract_lines(e, i));
  return step;
}

loop_expr *contract_tap_step_a(const contract_emission *e, int level) {
  loop_expr *size = pir_loop_int(e->m, contract_step_size(e->form, level));
  return pir_loop_mul(e->m, contract_step(e, OF_A, e->form->taps[level]), size);
}

static bool is_limited(const tile *t, int axis) {
  return t->p->tap_begin[axis] || (axis == t->tap && t->border != BORDER_NONE);
}

// Whether the last two levels can be one loop, because they run over adjacent elements of a and
// b.
static bool can_join(const tile *t, int level) {
  const contract_form *f = t->p->e.form;
  if (level != f->tap_count - 2 || contract_is_corrected(f) || t->border == BORDER_ROWS ||
      !f->b_packed || is_limited(t, f->taps[level]) || is_limited(t, f->taps[level + 1]))
    return false;
  int64_t outer, inner, extent;
  return contract_const(f, f->axes[f->taps[level]].step_a, &outer) &&
         contract_const(f, f->axes[f->taps[level + 1]].step_a, &inner) &&
         contract_const(f, f->axes[f->taps[level + 1]].extent, &extent) &&
         outer == inner * extent && extent % f->group == 0;
}

// Emits the levels from order[at] on.
static void emit_taps(const tile *t, loop_block *block, int at, loop_expr *a, loop_expr *b,
                      int low, int high);

static void emit_tap_loop(const tile *t, loop_block *block, int next, loop_expr *a,
                          loop_expr *b, loop_expr *begin, loop_expr *end, loop_expr *step_a,
                          loop_expr *step_b, int low, int high);

// Emits a loop with t->parts steps in each iteration, each adding to its own partial sums. This
// hides the latency of small tiles. Remaining steps add to the first part.
static void emit_parts(const tile *t, loop_block *block, loop_expr *a, loop_expr *b,
                       loop_expr *begin, loop_expr *end, loop_expr *step_a, loop_expr *step_b) {
  const contract_emission *e = &t->p->e;
  loop_expr *parts = pir_loop_int(e->m, t->parts), *count = pir_loop_sub(e->m, end, begin);
  loop_expr *whole = pir_loop_sub(e->m, end, pir_loop_mod(e->m, count, parts));
  loop_var *var = pir_loop_var_create(e->fn, "k", LOOP_INDEX, 1);
  loop_block *body = pir_loop_for(e->fn, block, LOOP_SERIAL, var, begin, whole, parts);
  tile one = *t;
  for (one.part = 0; one.part < t->parts; one.part++) {
    loop_expr *k = pir_loop_add(e->m, pir_loop_use(e->m, var), pir_loop_int(e->m, one.part));
    loop_expr *at_a =
        pir_loop_let(e->fn, body, "at_a", pir_loop_add(e->m, a, pir_loop_mul(e->m, k, step_a)));
    loop_expr *at_b =
        pir_loop_let(e->fn, body, "at_b", pir_loop_add(e->m, b, pir_loop_mul(e->m, k, step_b)));
    emit_step(&one, body, at_a, at_b, 0, t->rows, e->form->group);
  }
  one.part = 0;
  one.whole = true;
  if (pir_loop_multiple(count) % t->parts)
    emit_tap_loop(&one, block, e->form->tap_count, a, b, whole, end, step_a, step_b, 0,
                  t->rows);
}

// Emits one loop over [begin, end), whose steps advance a and b by step_a and step_b.
static void emit_tap_loop(const tile *t, loop_block *block, int next, loop_expr *a,
                          loop_expr *b, loop_expr *begin, loop_expr *end, loop_expr *step_a,
                          loop_expr *step_b, int low, int high) {
  const contract_emission *e = &t->p->e;
  int64_t first, last;
  bool known = pir_loop_is_int(begin, &first) && pir_loop_is_int(end, &last);
  bool innermost = next == e->form->tap_count;
  if (innermost && t->parts > 1 && !t->whole && !(known && last - first < 2 * t->parts)) {
    emit_parts(t, block, a, b, begin, end, step_a, step_b);
    return;
  }
  const pir_machine *machine = e->env->target->machine;
  bool unroll = known && innermost && e->form->kind == CONTRACT_DEPTHWISE &&
                last - first <= machine->tile.unrolled_steps &&
                (last - first) * t->rows * t->p->vectors <= machine->tile.unrolled_products;
  for (int64_t k = first; unroll && k < last; k++)
    emit_taps(t, block, next,
              pir_loop_add(e->m, a, pir_loop_mul(e->m, step_a, pir_loop_int(e->m, k))),
              pir_loop_add(e->m, b, pir_loop_mul(e->m, step_b, pir_loop_int(e->m, k))), low,
              high);
  if (unroll)
    return;
  loop_var *var = pir_loop_var_create(e->fn, "k", LOOP_INDEX, 1);
  loop_block *body = pir_loop_for(e->fn, block, LOOP_SERIAL, var, begin, end, NULL);
  loop_expr *k = pir_loop_use(e->m, var);
  loop_expr *at_a =
      pir_loop_let(e->fn, body, "at_a", pir_loop_add(e->m, a, pir_loop_mul(e->m, k, step_a)));
  loop_expr *at_b =
      pir_loop_let(e->fn, body, "at_b", pir_loop_add(e->m, b, pir_loop_mul(e->m, k, step_b)));
  emit_taps(t, body, next, at_a, at_b, low, high);
}

// Unrolls the tap that slides along the tile: each of its positions runs for the sub-range of
// rows for which it is inside.
static void emit_border_taps(const tile *t, loop_block *block, int at, loop_expr *a,
                             loop_expr *b) {
  const contract_emission *e = &t->p->e;
  int level = t->order[at], axis = e->form->taps[level];
  int64_t extent = 0;
  contract_const(e->form, e->form->axes[axis].extent, &extent);
  for (int64_t k = 0; k < extent; k++) {
    if (t->low[k] >= t->high[k])
      continue;
    loop_expr *n = pir_loop_int(e->m, k);
    emit_taps(t, block, at + 1,
              pir_loop_add(e->m, a, pir_loop_mul(e->m, n, contract_step(e, OF_A, axis))),
              pir_loop_add(e->m, b, pir_loop_mul(e->m, n, contract_tap_step_b(e, level))),
              t->low[k], t->high[k]);
  }
}

static void add_correction(const tile *t, loop_block *block, loop_expr *line, int low,
                           int high) {
  const contract_emission *e = &t->p->e;
  for (int v = 0; v < t->p->vectors; v++) {
    uint16_t lanes = (uint16_t)t->p->lanes[v];
    loop_expr *at = pir_loop_add(e->m, line, pir_loop_int(e->m, v * e->form->vector));
    loop_expr *by =
        pir_loop_let(e->fn, block, "by", pir_loop_load(e->m, e->b, at, lanes, NULL));
    for (int row = low; row < high; row++) {
      loop_expr *sum = pir_loop_load(e->m, t->sums[v], place_of(t, row), lanes, NULL);
      pir_loop_store(e->fn, block, t->sums[v], place_of(t, row), pir_loop_add(e->m, sum, by),
                     NULL);
    }
  }
}

// Emits the last level in groups; at most one element remains.
static void emit_groups(const tile *t, loop_block *block, int level, loop_expr *a, loop_expr *b,
                        int low, int high) {
  const contract_emission *e = &t->p->e;
  int size = contract_step_size(e->form, level);
  loop_expr *extent = contract_extent(e, e->form->taps[level]), *by = pir_loop_int(e->m, size);
  loop_expr *full = pir_loop_floordiv(e->m, extent, by),
            *step_a = contract_tap_step_a(e, level), *step_b = contract_tap_step_b(e, level);
  emit_tap_loop(t, block, level + 1, a, b, pir_loop_int(e->m, 0), full, step_a, step_b, low,
                high);
  loop_expr *behind = pir_loop_add(e->m, b, pir_loop_mul(e->m, full, step_b));
  if (contract_is_corrected(e->form))
    add_correction(t, block, behind, low, high);
  if (pir_loop_multiple(extent) % size == 0)
    return;
  loop_block *body = pir_loop_if(
      e->fn, block, pir_loop_lt(e->m, pir_loop_int(e->m, 0), pir_loop_mod(e->m, extent, by)),
      NULL);
  a = pir_loop_let(e->fn, body, "at_a",
                   pir_loop_add(e->m, a, pir_loop_mul(e->m, full, step_a)));
  emit_step(t, body, a, pir_loop_let(e->fn, body, "at_b", behind), low, high, 1);
}

static void emit_taps(const tile *t, loop_block *block, int at, loop_expr *a, loop_expr *b,
                      int low, int high) {
  const contract_emission *e = &t->p->e;
  const contract_form *f = e->form;
  if (at == f->tap_count) {
    emit_step(t, block, a, b, low, high, f->group);
    return;
  }
  int level = t->order[at], axis = f->taps[level];
  loop_expr *begin = pir_loop_int(e->m, 0), *end = contract_steps(e, level);
  if (axis == t->tap && t->border == BORDER_ROWS) {
    emit_border_taps(t, block, at, a, b);
    return;
  }
  if (can_join(t, level)) {
    emit_tap_loop(
        t, block, at + 2, a, b, begin, pir_loop_mul(e->m, end, contract_steps(e, level + 1)),
        contract_tap_step_a(e, level + 1), contract_tap_step_b(e, level + 1), low, high);
    return;
  }
  if (contract_step_size(f, level) > 1) {
    emit_groups(t, block, level, a, b, low, high);
    return;
  }
  if (axis == t->tap && t->border == BORDER_TAPS) {
    begin = t->begin;
    end = t->end;
  } else if (t->p->tap_begin[axis]) {
    begin = t->p->tap_begin[axis];
    end = t->p->tap_end[axis];
  }
  emit_tap_loop(t, block, at + 1, a, b, begin, end, contract_step(e, OF_A, axis),
                contract_tap_step_b(e, level), low, high);
}

// ---- tiles

// Lanes of the narrowest vector.
static int narrowest_lanes(const contract_emission *e) {
  return e->env->target->machine->core.narrowest_bytes / (int)pir_dtype_size(e->form->compute);
}

// Returns the number of lanes of a row if there are fewer than a vector and the rows of a tile
// are adjacent in out, else 0. Example: the columns of a transposed convolution with one
// channel, where pixel 2x + j is lane j of row x.
static int64_t adjoining_lanes(const contract_form *f) {
  int64_t lanes, apart, next;
  if (f->kind != CONTRACT_PANEL || f->lane < 0 || f->tile < 0 ||
      f->axes[f->tile].part_count > 1 || !contract_const(f, f->axes[f->lane].extent, &lanes) ||
      lanes < 2 || lanes > f->vector / 2)
    return 0;
  bool follow = contract_const(f, f->axes[f->tile].step_out, &next) && next == lanes &&
                contract_const(f, f->axes[f->lane].step_out, &apart) && apart == 1 &&
                f->axes[f->tile].place_out == f->axes[f->lane].place_out;
  return follow ? lanes : 0;
}

// Finishes such rows as whole vectors: stores them one after another to scratch (each
// overwrites the previous one's excess lanes) and loads whole vectors for the epilogue.
static bool finish_adjoining(tile *t, loop_block *block, loop_expr *row0, int lanes) {
  contract_emission *e = &t->p->e;
  const contract_form *f = e->form;
  int count = t->rows * lanes, wide = t->p->lanes[0], narrowest = narrowest_lanes(e);
  loop_buffer *line = pir_loop_scratch(e->fn, "line", f->compute, count + wide);
  for (int row = 0; row < t->rows; row++)
    pir_loop_store(e->fn, block, line, pir_loop_int(e->m, (int64_t)row * lanes),
                   pir_loop_load(e->m, t->sums[0], place_of(t, row), (uint16_t)wide, NULL),
                   NULL);
  e->value[f->lane] = NULL;
  for (int at = 0; at < count; at += f->vector) {
    int width = f->vector, left = count - at;
    while (width / 2 >= left && width / 2 >= narrowest)
      width /= 2;
    loop_expr *mask = left < width
                          ? pir_loop_tail_mask(e->m, pir_loop_int(e->m, left), (uint16_t)width)
                          : NULL;
    if (mask)
      mask = pir_loop_let(e->fn, block, "mask", mask);
    loop_expr *sums = pir_loop_load(e->m, line, pir_loop_int(e->m, at), (uint16_t)width, mask);
    e->value[f->tile] = pir_loop_add(e->m, row0, pir_loop_int(e->m, at / lanes));
    if (!contract_finish(e, block, pir_loop_let(e->fn, block, "sum", sums), mask))
      return false;
  }
  return true;
}

// Adds the parts of each sum into its first part.
static void add_parts(const tile *t, loop_block *block) {
  const contract_emission *e = &t->p->e;
  for (int i = 0; t->parts > 1 && i < t->rows * t->p->vectors; i++) {
    loop_buffer *sums = t->sums[i % t->p->vectors];
    loop_expr *first = place_of(t, i / t->p->vectors), *sum = NULL;
    for (int part = 0; part < t->parts; part++) {
      loop_expr *at = pir_loop_add(e->m, first, pir_loop_int(e->m, part));
      loop_expr *one = pir_loop_load(e->m, sums, at, sums->lanes, NULL);
      sum = sum ? pir_loop_add(e->m, sum, one) : one;
    }
    pir_loop_store(e->fn, block, sums, first, sum, NULL);
  }
}

static bool finish_tile(tile *t, loop_block *block, loop_expr *row0) {
  contract_emission *e = &t->p->e;
  const contract_form *f = e->form;
  int64_t lanes = adjoining_lanes(f);
  if (lanes && f->vector % lanes == 0)
    return finish_adjoining(t, block, row0, (int)lanes);
  for (int row = 0; row < t->rows; row++)
    for (int v = 0; v < t->p->vectors; v++) {
      if (f->tile >= 0)
        e->value[f->tile] = pir_loop_add(e->m, row0, pir_loop_int(e->m, row));
      if (f->lane >= 0)
        e->value[f->lane] = pir_loop_add(
            e->m, pir_loop_mul(e->m, t->p->number, pir_loop_int(e->m, contract_panel_lanes(f))),
            pir_loop_int(e->m, v * f->vector));
      loop_expr *sum =
          pir_loop_load(e->m, t->sums[v], place_of(t, row), (uint16_t)t->p->lanes[v], NULL);
      if (!contract_finish(e, block, sum, t->p->masks[v]))
        return false;
    }
  return true;
}

// Emits one tile, whose first row is row0.
static bool emit_tile(tile *t, loop_block *block, loop_expr *row0) {
  contract_emission *e = &t->p->e;
  const contract_form *f = e->form;
  const pir_machine *machine = e->env->target->machine;
  order_taps(t);
  bool whole = f->compute == PIR_I32;
  loop_expr *zero =
      whole ? pir_loop_const_int(e->m, PIR_I32, 0) : pir_loop_const_float(e->m, f->compute, 0);
  t->parts = 1;
  if (f->kind == CONTRACT_PANEL && t->border == BORDER_NONE)
    while (t->parts < machine->tile.most_parts &&
           t->parts * t->rows * t->p->vectors < contract_chains(machine))
      t->parts *= 2;
  t->row_step = f->tile >= 0 ? contract_step(e, OF_A, f->tile) : pir_loop_int(e->m, 0);
  for (int v = 0; v < t->p->vectors; v++) {
    uint16_t lanes = (uint16_t)t->p->lanes[v];
    t->sums[v] =
        pir_loop_registers(e->fn, "sum", f->compute, lanes, (int64_t)t->rows * t->parts);
    for (int i = 0; i < t->rows * t->parts; i++)
      pir_loop_store(e->fn, block, t->sums[v], pir_loop_int(e->m, i),
                     pir_loop_broadcast(e->m, zero, lanes), NULL);
  }
  if (f->lane >= 0)
    e->value[f->lane] =
        pir_loop_mul(e->m, t->p->number, pir_loop_int(e->m, contract_panel_lanes(f)));
  if (f->tile >= 0)
    e->value[f->tile] = row0;
  for (int i = 0; i < f->tap_count; i++)
    e->value[f->taps[i]] = NULL;
  loop_expr *b =
      f->b_packed ? contract_panel_base(e, t->p->number) : contract_position(e, OF_B);
  if (f->lane >= 0 && f->kind != CONTRACT_DEPTHWISE)
    e->value[f->lane] = NULL;
  loop_expr *a = pir_loop_let(e->fn, block, "a0", contract_position(e, OF_A));
  emit_taps(t, block, 0, a, pir_loop_let(e->fn, block, "b0", b), 0, t->rows);
  add_parts(t, block);
  return finish_tile(t, block, row0);
}

static bool emit_plain_tile(panel *p, loop_block *block, int rows, loop_expr *row0) {
  tile t = {.p = p, .rows = rows, .tap = -1};
  return emit_tile(&t, block, row0);
}

// Emits tiles of powers of two for `rest` rows (fewer than `most`) from row0 on; both are
// run-time values.
static bool emit_rest(panel *p, loop_block *block, int most, loop_expr *row0, loop_expr *rest) {
  contract_emission *e = &p->e;
  bool done = true;
  int size = 1;
  while (size * 2 < most)
    size *= 2;
  for (; size >= 1 && done; size /= 2) {
    loop_expr *two = pir_loop_int(e->m, 2 * size), *left = pir_loop_mod(e->m, rest, two);
    loop_block *body =
        pir_loop_if(e->fn, block, pir_loop_lt(e->m, pir_loop_int(e->m, size - 1), left), NULL);
    done =
        emit_plain_tile(p, body, size,
                        pir_loop_let(e->fn, body, "row",
                                     pir_loop_add(e->m, row0, pir_loop_sub(e->m, rest, left))));
  }
  return done;
}

// ---- rows of tiles

// Emits the tile with this number, along an axis that no tap slides along.
static bool emit_numbered_tile(panel *p, loop_block *block, loop_expr *number) {
  contract_emission *e = &p->e;
  const contract_form *f = e->form;
  if (f->tile < 0)
    return emit_plain_tile(p, block, 1, NULL);
  loop_expr *rows = contract_extent(e, f->tile), *size = pir_loop_int(e->m, f->rows);
  loop_expr *row0 = pir_loop_let(e->fn, block, "row", pir_loop_mul(e->m, number, size));
  loop_block *other;
  int64_t known;
  if (pir_loop_is_int(rows, &known)) {
    if (known % f->rows == 0)
      return emit_plain_tile(p, block, f->rows, row0);
    loop_block *full = pir_loop_if(
        e->fn, block, pir_loop_lt(e->m, number, pir_loop_int(e->m, known / f->rows)), &other);
    return emit_plain_tile(p, full, f->rows, row0) &&
           emit_plain_tile(p, other, (int)(known % f->rows), row0);
  }
  if (contract_known_factor(f, f->axes[f->tile].extent) % f->rows == 0)
    return emit_plain_tile(p, block, f->rows, row0);
  loop_expr *rest = pir_loop_let(e->fn, block, "rest", pir_loop_sub(e->m, rows, row0));
  loop_block *full = pir_loop_if(
      e->fn, block, pir_loop_lt(e->m, pir_loop_int(e->m, f->rows - 1), rest), &other);
  return emit_plain_tile(p, full, f->rows, row0) && emit_rest(p, other, f->rows, row0, rest);
}

typedef struct row_sizes {
  int64_t positions, extent, taps;  // of out, of a, of the tap
} row_sizes;

// Finds the range of rows for which each tap is inside; returns whether it is all rows for all
// taps.
static bool find_borders(const contract_window *w, const row_sizes *s, int64_t row0, tile *t) {
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

// Emits a row of constant sizes: tiles of nearly equal size; consecutive tiles without a border
// are one loop.
static bool emit_constant_row(panel *p, loop_block *block, const contract_window *w,
                              const row_sizes *s) {
  contract_emission *e = &p->e;
  int64_t tiles = (s->positions + e->form->rows - 1) / e->form->rows, row = 0;
  bool done = true;
  for (int64_t i = 0; i < tiles && done;) {
    tile t = {.p = p,
              .tap = w->tap,
              .rows = (int)(s->positions / tiles + (i < s->positions % tiles))};
    int64_t same = 0;
    while (i + same < tiles &&
           s->positions / tiles + (i + same < s->positions % tiles) == t.rows &&
           find_borders(w, s, row + same * t.rows, &t))
      same++;
    if (same) {
      loop_var *x = pir_loop_var_create(e->fn, "x", LOOP_INDEX, 1);
      loop_block *body =
          pir_loop_for(e->fn, block, LOOP_SERIAL, x, pir_loop_int(e->m, row),
                       pir_loop_int(e->m, row + same * t.rows), pir_loop_int(e->m, t.rows));
      done = emit_tile(&t, body, pir_loop_use(e->m, x));
    } else {
      same = 1;
      find_borders(w, s, row, &t);
      t.border = BORDER_ROWS;
      done = emit_tile(&t, block, pir_loop_int(e->m, row));
    }
    i += same;
    row += same * t.rows;
  }
  return done;
}

static loop_expr *ceil_div(const contract_emission *e, loop_expr *x, int64_t by) {
  return pir_loop_floordiv(e->m, pir_loop_add(e->m, x, pir_loop_int(e->m, by - 1)),
                           pir_loop_int(e->m, by));
}

// Computes the range of taps that are inside at `position` (NULL: 0).
static void tap_range(const contract_emission *e, const contract_window *w, loop_expr *position,
                      loop_expr **out_begin, loop_expr **out_end) {
  loop_expr *zero = pir_loop_int(e->m, 0), *at = pir_loop_int(e->m, w->offset);
  if (position)
    at = pir_loop_add(e->m, at, pir_loop_mul(e->m, position, pir_loop_int(e->m, w->stride)));
  loop_expr *low = ceil_div(e, pir_loop_sub(e->m, zero, at), w->dilation);
  loop_expr *high =
      ceil_div(e, pir_loop_sub(e->m, contract_dim(e, w->extent), at), w->dilation);
  *out_begin = pir_loop_max(e->m, low, zero);
  *out_end = pir_loop_min(e->m, high, contract_extent(e, w->tap));
}

static bool emit_border_pixels(panel *p, loop_block *block, const contract_window *w,
                               loop_expr *begin, loop_expr *end) {
  contract_emission *e = &p->e;
  loop_var *x = pir_loop_var_create(e->fn, "x", LOOP_INDEX, 1);
  loop_block *body = pir_loop_for(e->fn, block, LOOP_SERIAL, x, begin, end, NULL);
  tile t = {.p = p, .rows = 1, .border = BORDER_TAPS, .tap = w->tap};
  tap_range(e, w, pir_loop_use(e->m, x), &t.begin, &t.end);
  t.begin = pir_loop_let(e->fn, body, "begin", t.begin);
  t.end = pir_loop_let(e->fn, body, "end", t.end);
  return emit_tile(&t, body, pir_loop_use(e->m, x));
}

// Emits a row, or a part of one, with dynamic sizes: left border, full tiles, remaining rows,
// right border.
static bool emit_varying_row(panel *p, loop_block *block, const contract_window *w) {
  contract_emission *e = &p->e;
  const contract_form *f = e->form;
  loop_expr *zero = pir_loop_int(e->m, 0), *size = pir_loop_int(e->m, f->rows);
  loop_expr *from = e->to ? e->from : zero, *to = e->to ? e->to : contract_extent(e, f->tile);
  // The first position whose first tap is inside, and the end of the positions whose last tap
  // is inside.
  loop_expr *left =
      pir_loop_int(e->m, w->offset < 0 ? (-w->offset + w->stride - 1) / w->stride : 0);
  loop_expr *span =
      pir_loop_mul(e->m, pir_loop_sub(e->m, contract_extent(e, w->tap), pir_loop_int(e->m, 1)),
                   pir_loop_int(e->m, w->dilation));
  loop_expr *room = pir_loop_sub(
      e->m, pir_loop_sub(e->m, contract_dim(e, w->extent), pir_loop_int(e->m, w->offset)),
      span);
  left = pir_loop_let(e->fn, block, "left",
                      pir_loop_min(e->m, pir_loop_max(e->m, left, from), to));
  loop_expr *right =
      pir_loop_min(e->m, ceil_div(e, pir_loop_max(e->m, room, zero), w->stride), to);
  right = pir_loop_let(e->fn, block, "right", pir_loop_max(e->m, right, left));
  loop_expr *count = pir_loop_let(e->fn, block, "count", pir_loop_sub(e->m, right, left));
  loop_expr *rest = pir_loop_let(e->fn, block, "rest", pir_loop_mod(e->m, count, size));
  loop_expr *tiled = pir_loop_let(e->fn, block, "tiled", pir_loop_sub(e->m, right, rest));
  if (!emit_border_pixels(p, block, w, from, left))
    return false;
  loop_var *x = pir_loop_var_create(e->fn, "x", LOOP_INDEX, 1);
  loop_block *body = pir_loop_for(e->fn, block, LOOP_SERIAL, x, left, tiled, size);
  return emit_plain_tile(p, body, f->rows, pir_loop_use(e->m, x)) &&
         emit_rest(p, block, f->rows, tiled, rest) &&
         emit_border_pixels(p, block, w, right, to);
}

// Whether the panel covers all positions of its tile axis.
static bool is_whole(const contract_emission *e) {
  int64_t from, to, extent;
  return !e->to ||
         (pir_loop_is_int(e->from, &from) && from == 0 && pir_loop_is_int(e->to, &to) &&
          contract_const(e->form, e->form->axes[e->form->tile].extent, &extent) &&
          to == extent);
}

static const contract_window *tile_window(const contract_form *f) {
  return f->tile >= 0 && f->axes[f->tile].window >= 0 ? &f->windows[f->axes[f->tile].window]
                                                      : NULL;
}

static bool emit_rows(panel *p, loop_block *block, loop_expr *number) {
  const contract_form *f = p->e.form;
  const contract_window *w = tile_window(f);
  row_sizes s;
  if (f->tile_groups)
    return contract_emit_tile_block(p, block, number);
  if (!w && p->e.rows)
    return emit_plain_tile(p, block, p->e.rows, p->e.from);
  if (!w)
    return emit_numbered_tile(p, block, number);
  if (is_whole(&p->e) && contract_const(f, f->axes[f->tile].extent, &s.positions) &&
      contract_const(f, w->extent, &s.extent) &&
      contract_const(f, f->axes[w->tap].extent, &s.taps) && s.taps <= MAX_BORDER_TAPS)
    return emit_constant_row(p, block, w, &s);
  return emit_varying_row(p, block, w);
}

// ---- panels and units

// Sets the widths and masks of the vectors if `left` lanes remain for the panel. A short last
// vector is narrowed as far as possible: on cores with half-width vector units, a half-width op
// costs half.
static void limit_lanes(panel *p, loop_block *block, loop_expr *left) {
  const contract_emission *e = &p->e;
  int narrowest = narrowest_lanes(e);
  for (int v = 0; v < p->vectors; v++) {
    loop_expr *here = pir_loop_sub(e->m, left, pir_loop_int(e->m, v * e->form->vector));
    int64_t known;
    if (pir_loop_is_int(here, &known)) {
      while (p->lanes[v] / 2 >= known && p->lanes[v] / 2 >= narrowest)
        p->lanes[v] /= 2;
      if (known >= p->lanes[v])
        continue;
    }
    p->masks[v] = pir_loop_let(e->fn, block, "mask",
                               pir_loop_tail_mask(e->m, here, (uint16_t)p->lanes[v]));
  }
}

static bool emit_panel(contract_emission *e, loop_block *block, loop_expr *number, int vectors,
                       loop_expr *lanes_left, loop_expr *tile_number) {
  const contract_form *f = e->form;
  panel p = {.e = *e, .number = number, .vectors = vectors};
  for (int v = 0; v < vectors; v++)
    p.lanes[v] = f->vector;
  if (lanes_left)
    limit_lanes(&p, block, lanes_left);
  for (int i = 0; i < f->window_count; i++) {
    const contract_window *w = &f->windows[i];
    if (w->position >= 0 && w->position == f->tile)
      continue;
    tap_range(e, w, w->position < 0 ? NULL : e->value[w->position], &p.tap_begin[w->tap],
              &p.tap_end[w->tap]);
    p.tap_begin[w->tap] = pir_loop_let(e->fn, block, "begin", p.tap_begin[w->tap]);
    p.tap_end[w->tap] = pir_loop_let(e->fn, block, "end", p.tap_end[w->tap]);
  }
  return emit_rows(&p, block, tile_number);
}

// Emits the full panels and the last one, which may be narrower.
bool contract_emit_panel(contract_emission *e, loop_block *block, loop_expr *number,
                         loop_expr *tile_number) {
  const contract_form *f = e->form;
  int64_t width = contract_panel_lanes(f), known;
  if (f->lane < 0)
    return emit_panel(e, block, number, 1, NULL, tile_number);
  loop_expr *lanes = contract_extent(e, f->lane);
  loop_block *other;
  if (!pir_loop_is_int(lanes, &known)) {
    loop_expr *left = pir_loop_let(
        e->fn, block, "lanes",
        pir_loop_sub(e->m, lanes, pir_loop_mul(e->m, number, pir_loop_int(e->m, width))));
    loop_block *full = pir_loop_if(
        e->fn, block, pir_loop_lt(e->m, pir_loop_int(e->m, width - 1), left), &other);
    return emit_panel(e, full, number, f->vectors, NULL, tile_number) &&
           emit_panel(e, other, number, f->vectors, left, tile_number);
  }
  int rest = (int)((known % width + f->vector - 1) / f->vector);
  loop_expr *left = pir_loop_int(e->m, known % width);
  if (!rest)
    return emit_panel(e, block, number, f->vectors, NULL, tile_number);
  if (known < width)
    return emit_panel(e, block, number, rest, left, tile_number);
  loop_block *full = pir_loop_if(
      e->fn, block, pir_loop_lt(e->m, number, pir_loop_int(e->m, known / width)), &other);
  return emit_panel(e, full, number, f->vectors, NULL, tile_number) &&
         emit_panel(e, other, number, rest, left, tile_number);
}

// A unit's number consists of these digits: the outer axes, a panel, and a tile (or a whole row
// of tiles). The order maximises sharing between neighbouring units. Axes that select a part of
// b come before the panel. The others come after it, unless all panels stay in the cache: then
// the tile is kept and the panel varies fastest.
enum { DIGIT_PANEL = -1, DIGIT_TILE = -2 };

static int order_digits(const contract_form *f, int digits[CONTRACT_MAX_VARS + 2]) {
  int count = 0;
  for (int i = 0; i < f->outer_count; i++)
    if (contract_in_b(f, f->outer[i]))
      digits[count++] = f->outer[i];
  if (!f->panel_inner)
    digits[count++] = DIGIT_PANEL;
  for (int i = 0; i < f->outer_count; i++)
    if (!contract_in_b(f, f->outer[i]))
      digits[count++] = f->outer[i];
  digits[count++] = DIGIT_TILE;
  if (f->panel_inner)
    digits[count++] = DIGIT_PANEL;
  return count;
}

static pir_dim digit_extent(const contract_form *f, int digit) {
  pir_dims *dims = f->c->dims;
  if (digit == DIGIT_PANEL)
    return contract_panels(f);
  if (digit >= 0)
    return f->axes[digit].extent;
  if (f->tile < 0 || tile_window(f))
    return pir_dim_const(dims, 1);
  return pir_dim_ceildiv(dims, f->axes[f->tile].extent, pir_dim_const(dims, f->rows));
}

pir_status contract_emit_panels(const contract_form *f, const contract_env *env,
                                const char *name, uint16_t b_slot, contract_stage *out_stage) {
  contract_emission e = contract_begin(f, env, name, "");
  const contraction *c = f->c;
  e.a = pir_loop_arg(e.fn, "a", c->a.dtype, c->a.slot, c->a.align, true);
  e.b = f->b_packed ? pir_loop_arg(e.fn, "b", contract_lane_dtype(f), b_slot, 64, true)
                    : pir_loop_arg(e.fn, "b", c->b.dtype, b_slot, c->b.align, true);
  if (!env->epilogue)
    e.out = pir_loop_arg(e.fn, "out", c->out.dtype, c->out.slot, c->out.align, false);
  if (f->tile_groups)
    contract_begin_tiles(&e);
  loop_var *unit = pir_loop_var_create(e.fn, "unit", LOOP_INDEX, 1);
  loop_block *block =
      pir_loop_for(e.fn, &e.fn->body, LOOP_PARALLEL, unit, pir_loop_use(e.m, e.fn->begin),
                   pir_loop_use(e.m, e.fn->end), NULL);
  int digits[CONTRACT_MAX_VARS + 2], count = order_digits(f, digits);
  loop_expr *extents[CONTRACT_MAX_VARS + 2], *values[CONTRACT_MAX_VARS + 2],
      *panel_number = NULL, *tile_number = NULL;
  *out_stage = (contract_stage){e.fn, pir_dim_const(c->dims, 1)};
  for (int i = 0; i < count; i++) {
    pir_dim extent = digit_extent(f, digits[i]);
    extents[i] = contract_dim(&e, extent);
    out_stage->units = pir_dim_mul(c->dims, out_stage->units, extent);
  }
  contract_split_unit(&e, block, pir_loop_use(e.m, unit), extents, count, values);
  for (int i = 0; i < count; i++) {
    if (digits[i] == DIGIT_PANEL)
      panel_number = values[i];
    else if (digits[i] == DIGIT_TILE)
      tile_number = values[i];
    else
      e.value[digits[i]] = values[i];
  }
  if (!contract_emit_panel(&e, block, panel_number, tile_number))
    return PIR_UNSUPPORTED;
  if (f->tile_groups)
    contract_release_tiles(&e);
  return PIR_OK;
}
