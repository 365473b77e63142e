// Weights that packed b holds in a narrower type, times few rows and times many. A kernel for
// few rows widens each line of b in registers, again for each tile of rows. With many rows, a
// panel is widened once, into scratch, where all tiles of the ordinary kernel read it. Both
// kernels read the same packed b; the number of rows of a run decides between them.
//
// Rows of bytes (--math=int8) are multiplied by whole numbers in groups, as dot products of
// bytes or words, where there are many rows: the sums of integers, each of a group of rows of
// weights that has its scales, become floats. For few rows, which take the time of reading b,
// the bytes become floats first.
#include "contract_choice.h"
#include "contract_ways.h"
#include "contract_words.h"

#include <string.h>

// ---- rows of a

bool contract_is_dense(pir_dims *dims, const contract_tensor *t) {
  for (int d = 0; d < t->rank; d++)
    if (!pir_dim_equal(dims, t->room[d], t->shape[d]))
      return false;
  return true;
}

// Every panel broadcasts the pairs of a: four instructions for a pair of bytes, one for words
// in memory. So bytes that are multiplied as words are widened once.
bool contract_widens_a(const contract_form *f) {
  const contract_tensor *a = &f->c->a;
  return f->compute == PIR_I32 && f->group == 2 && pir_dtype_size(a->dtype) == 1 &&
         contract_is_dense(f->c->dims, a);
}

enum { WIDENED_RUN = 4096 };  // elements that a unit widens

static void widen_elements(contract_emission *e, loop_block *block, loop_buffer *wide,
                           loop_expr *from, loop_expr *end, int lanes) {
  loop_var *v = pir_loop_var_create(e->fn, "i", LOOP_INDEX, 1);
  loop_expr *at = pir_loop_use(e->m, v), *step = contract_int(e, lanes);
  block = pir_loop_for(e->fn, block, LOOP_SERIAL, v, from, end, step);
  loop_expr *x = contract_load(e, e->a, at, lanes, NULL);
  contract_store(e, block, wide, at, pir_loop_cast(e->m, x, wide->dtype));
}

void contract_widen_a(const contract_form *f, const contract_env *env, const char *name,
                      const char *suffix, const contract_tensor *a, pir_dtype to,
                      contract_tensor *widened, contract_stage *out_stage) {
  contract_emission e = contract_begin(f, env, name, suffix);
  pir_dims *dims = f->c->dims;
  pir_dim count = pir_dim_const(dims, 1);
  int64_t size = (int64_t)pir_dtype_size(to);
  int lanes = env->target->vector_bytes / (int)size;
  for (int d = 0; d < a->rank; d++)
    count = pir_dim_mul(dims, count, a->shape[d]);
  pir_dim bytes = pir_dim_mul(dims, count, pir_dim_const(dims, size));
  uint16_t slot = env->temporary(env->user, bytes);
  e.a = pir_loop_arg(e.fn, "a", a->dtype, a->slot, a->align, true);
  loop_buffer *wide = pir_loop_arg(e.fn, "wide", to, slot, PACKED_ALIGN, false);
  loop_expr *unit;
  loop_block *block = contract_open_units(&e, "unit", &unit);
  loop_expr *from = contract_let(&e, block, "from", contract_times(&e, unit, WIDENED_RUN));
  loop_expr *end =
      contract_min(&e, contract_plus(&e, from, WIDENED_RUN), contract_dim(&e, count));
  end = contract_let(&e, block, "end", end);
  loop_expr *whole = contract_div(&e, contract_sub(&e, end, from), contract_int(&e, lanes));
  whole = contract_let(&e, block, "whole",
                       contract_add(&e, from, contract_times(&e, whole, lanes)));
  widen_elements(&e, block, wide, from, whole, lanes);
  widen_elements(&e, block, wide, whole, end, 1);
  *out_stage =
      (contract_stage){e.fn, pir_dim_ceildiv(dims, count, pir_dim_const(dims, WIDENED_RUN))};
  widened->rounded = pir_dtype_is_integer(to) ? a->dtype : PIR_UNDEFINED;
  widened->dtype = to;
  widened->slot = slot;
  widened->align = PACKED_ALIGN;
}

// ---- panels of packed b

// Whether the kernel for many rows multiplies groups of whole numbers, where the one for few
// rows multiplies floats.
static bool makes_groups(const contract_form *many) {
  return many->compute != many->narrow->compute;
}

// Lines of a panel, whose number is known, because b is packed at load.
static int64_t known_lines(const contract_form *f) {
  pir_dim lines = pir_dim_const(f->c->dims, 1);
  int64_t known;
  for (int i = 0; i < f->tap_count; i++)
    lines = pir_dim_mul(f->c->dims, lines, contract_lines_dim(f, i));
  return contract_const(f, lines, &known) ? known : 0;
}

enum { LANE_WIDTH = 32, NUMBER_WIDTH = 4, RAISED = 8 };

void contract_open_widened(contract_emission *e, uint16_t b_slot) {
  const contract_form *f = e->form;
  pir_dtype from = contract_lane_dtype(f->narrow), to = contract_lane_dtype(f);
  int64_t count = known_lines(f) * contract_panel_lanes(f);
  e->packed = pir_loop_arg(e->fn, "packed", from, b_slot, PACKED_ALIGN, true);
  e->b = pir_loop_scratch(e->fn, "panel", to, count);
}

// One vector of the panel.
typedef struct panel_vector {
  loop_expr *from;   // where it begins in packed b,
  int64_t to;        // and in a line of scratch
  loop_expr *first;  // its first lane of all
  loop_expr *scale;  // that multiplies it; NULL: none
} panel_vector;

// The panel while it is widened.
typedef struct widening {
  contract_emission e;  // of the form of packed b
  const contract_form *many;
  loop_buffer *wide;  // scratch
  panel_vector vectors[CONTRACT_MOST_VECTORS];
  int narrow_lines,
      wide_lines;     // of which one step of the loop reads so many, and makes so many
  loop_buffer *sums;  // of the corrections of each vector, or NULL
} widening;

// ---- one line

// Returns the i-th group of the whole numbers that eight lie in a lane.
static loop_expr *group_of_numbers(const widening *w, loop_expr *lanes, int i) {
  const contract_emission *e = &w->e;
  int width = LANE_WIDTH / w->many->group;
  pir_dtype part = w->many->group == 2 ? PIR_I16 : PIR_I8;
  loop_expr *all = NULL;
  for (int j = 0; j < w->many->group; j++) {
    int from = NUMBER_WIDTH * (i * w->many->group + j), to = width * j;
    loop_expr *x = lanes,
              *by = pir_loop_const_int(e->m, PIR_I32, from > to ? from - to : to - from);
    if (from != to)
      x = pir_loop_op(e->m, from > to ? PIR_V_SHR : PIR_V_SHL, x, by, NULL);
    x = pir_loop_op(e->m, PIR_V_AND, x, pir_loop_const_int(e->m, PIR_I32, INT32_C(15) << to),
                    NULL);
    all = all ? pir_loop_op(e->m, PIR_V_OR, all, x, NULL) : x;
  }
  all = pir_loop_bitcast(e->m, all, part);
  all = contract_sub(e, all, pir_loop_const_int(e->m, part, RAISED));
  return pir_loop_bitcast(e->m, all, PIR_I32);
}

// Returns a group of the bytes of neighbouring lines, the first of which is at `at`.
static loop_expr *group_of_bytes(const widening *w, loop_expr *at) {
  const contract_emission *e = &w->e;
  int width = LANE_WIDTH / w->many->group;
  loop_expr *all = NULL;
  for (int j = 0; j < w->many->group; j++) {
    int64_t line = (int64_t)j * contract_panel_lanes(e->form);
    loop_expr *x = contract_load(e, e->b, contract_plus(e, at, line), e->form->vector, NULL);
    x = pir_loop_cast(e->m, x, PIR_I32);
    if (j < w->many->group - 1)
      x = pir_loop_op(e->m, PIR_V_AND, x,
                      pir_loop_const_int(e->m, PIR_I32, (INT32_C(1) << width) - 1), NULL);
    if (j)
      x = pir_loop_op(e->m, PIR_V_SHL, x, pir_loop_const_int(e->m, PIR_I32, j * width), NULL);
    all = all ? pir_loop_op(e->m, PIR_V_OR, all, x, NULL) : x;
  }
  return all;
}

// Returns the i-th line that is made of the lines at `at`, whose first one was loaded as
// `lanes` if they hold numbers.
static loop_expr *wide_line(const widening *w, loop_expr *at, loop_expr *lanes, int i) {
  const contract_emission *e = &w->e;
  if (makes_groups(w->many))
    return e->form->numbers ? group_of_numbers(w, lanes, i) : group_of_bytes(w, at);
  if (e->form->numbers)
    return contract_number(e, lanes, i);
  return contract_widen_line(e, contract_load(e, e->b, at, e->form->vector, NULL));
}

static void add_panel_correction(const widening *w, loop_block *block, int v,
                                 loop_expr *lanes) {
  const contract_emission *e = &w->e;
  loop_expr *n = contract_int(e, v);
  loop_expr *sum = contract_load(e, w->sums, n, e->form->vector, NULL);
  contract_store(e, block, w->sums, n, contract_correction(e, lanes, sum));
}

// ---- a run of lines

// Fetches lines as far ahead as the kernel for few rows does: few rows take as
// long as reading b takes.
static void fetch_ahead(const widening *w, loop_block *block, loop_expr *at) {
  const contract_emission *e = &w->e;
  int64_t ahead = e->env->target->machine->cache.stream_ahead;
  ahead /= (int64_t)pir_dtype_size(e->b->dtype);
  pir_loop_prefetch(e->fn, block, e->b, contract_plus(e, at, ahead), true);
}

// Emits the widening of one vector of the lines that a step of the loop reads.
static void widen_vector(const widening *w, loop_block *block, int v, loop_expr *from,
                         loop_expr *to) {
  const contract_emission *e = &w->e;
  const panel_vector *vector = &w->vectors[v];
  loop_expr *at = contract_add(e, vector->from, from), *lanes = NULL;
  if (e->form->numbers)
    lanes = contract_let(e, block, "b", contract_load(e, e->b, at, e->form->vector, NULL));
  fetch_ahead(w, block, at);
  for (int i = 0; i < w->wide_lines; i++) {
    loop_expr *x = wide_line(w, at, lanes, i);
    int64_t line = i * contract_panel_lanes(w->many) + vector->to;
    if (vector->scale)
      x = contract_mul(e, x, vector->scale);
    if (w->sums)
      x = contract_let(e, block, "group", x);
    contract_store(e, block, w->wide, contract_plus(e, to, line), x);
    if (w->sums)
      add_panel_correction(w, block, v, x);
  }
}

// Emits the widening of a run of `steps` steps; it begins `from` narrow lines and `to` wide
// lines behind the first ones. A line of corrections may follow.
static void widen_run(const widening *w, loop_block *block, loop_expr *steps, loop_expr *from,
                      loop_expr *to) {
  const contract_emission *e = &w->e;
  int64_t narrow = contract_panel_lanes(e->form), wide = contract_panel_lanes(w->many);
  loop_expr *k, *zero = pir_loop_const_int(e->m, PIR_I32, 0);
  zero = contract_broadcast(e, zero, e->form->vector);
  for (int v = 0; w->sums && v < w->many->vectors; v++)
    contract_store(e, block, w->sums, contract_int(e, v), zero);
  loop_block *body = contract_count(e, block, "line", steps, 1, &k);
  loop_expr *at = contract_add(e, from, contract_times(e, k, w->narrow_lines));
  at = contract_let(e, body, "from", contract_times(e, at, narrow));
  loop_expr *line = contract_add(e, to, contract_times(e, k, w->wide_lines));
  line = contract_let(e, body, "to", contract_times(e, line, wide));
  for (int v = 0; v < w->many->vectors; v++)
    widen_vector(w, body, v, at, line);
  loop_expr *end = contract_add(e, to, contract_times(e, steps, w->wide_lines));
  end = contract_times(e, end, wide);
  for (int v = 0; w->sums && v < w->many->vectors; v++) {
    loop_expr *sum = contract_load(e, w->sums, contract_int(e, v), e->form->vector, NULL);
    contract_store(e, block, w->wide, contract_plus(e, end, w->vectors[v].to), sum);
  }
}

static void load_scales(const contract_emission *e, loop_block *block, loop_expr *k,
                        panel_vector *v) {
  const contract_form *f = e->form;
  int64_t lanes;
  loop_expr *mask = NULL, *extent = contract_extent(e, f->lane);
  if (!pir_loop_is_int(extent, &lanes) || lanes % contract_panel_lanes(f))
    mask = contract_mask(e, block, contract_sub(e, extent, v->first), f->vector);
  loop_expr *at = contract_mul(e, k, contract_dim(e, f->step_scale));
  at = contract_add(e, at, v->first);
  v->scale = contract_let(e, block, "scale", contract_load(e, e->scale, at, f->vector, mask));
}

// Emits the widening of all runs: one for each step of the scaled axis, or one for all.
static void widen_runs(widening *w, loop_block *block) {
  const contract_emission *e = &w->e;
  const contract_form *f = e->form;
  loop_expr *k = contract_int(e, 0);
  int level = f->scaled < 0 ? -1 : 0;
  bool multiplied = f->scaled >= 0 && w->many->scaled < 0;
  if (f->scaled >= 0)
    block = contract_count(e, block, "k", contract_extent(e, f->scaled), 1, &k);
  for (int v = 0; multiplied && v < w->many->vectors; v++)
    load_scales(e, block, k, &w->vectors[v]);
  contract_emission of_many = *e;
  of_many.form = w->many;
  loop_expr *one = contract_int(e, 1), *narrow = contract_lines_below(e, level, one);
  loop_expr *wide = contract_lines_below(&of_many, level, one);
  loop_expr *steps = contract_div(e, narrow, contract_int(e, w->narrow_lines));
  widen_run(w, block, steps, contract_mul(e, k, narrow), contract_mul(e, k, wide));
}

// ---- the panel

// Whether panels of one form consist of whole panels of the other one.
static bool panels_divide(const contract_form *many, const contract_form *few) {
  return many->vectors % few->vectors == 0 || few->vectors % many->vectors == 0;
}

// Returns where vector v of a panel begins in packed b. Where packed b has fewer panels than
// the vectors of a panel stand for, the last one counts.
static loop_expr *narrow_vector(const widening *w, loop_expr *panel, int v) {
  const contract_emission *e = &w->e;
  const contract_form *few = e->form;
  int64_t have = 0, all = 0;
  if (few->vectors > w->many->vectors) {
    loop_expr *parts = contract_int(e, few->vectors / w->many->vectors);
    loop_expr *part = contract_times(e, contract_mod(e, panel, parts), w->many->vectors);
    part = contract_times(e, contract_plus(e, part, v), few->vector);
    return contract_add(e, contract_panel_base(e, contract_div(e, panel, parts)), part);
  }
  int64_t times = w->many->vectors / few->vectors;
  loop_expr *at = contract_times(e, panel, times);
  at = contract_plus(e, at, v / few->vectors);
  contract_const(few, contract_panels(few), &have);
  contract_const(w->many, contract_panels(w->many), &all);
  if (all * times != have)
    at = contract_min(e, at, contract_int(e, have - 1));
  return contract_plus(e, contract_panel_base(e, at),
                       (int64_t)(v % few->vectors) * few->vector);
}

static void open_vectors(widening *w, loop_block *block, loop_expr *panel) {
  const contract_emission *e = &w->e;
  for (int v = 0; v < w->many->vectors; v++) {
    int64_t lane = (int64_t)v * e->form->vector;
    loop_expr *first = contract_times(e, panel, contract_panel_lanes(w->many));
    w->vectors[v] =
        (panel_vector){.from = contract_let(e, block, "from", narrow_vector(w, panel, v)),
                       .to = lane,
                       .first = contract_plus(e, first, lane)};
  }
}

void contract_widen_panel(const contract_emission *of, loop_block *block, loop_expr *panel,
                          loop_expr *unit, loop_expr *const *values, int count) {
  const contract_form *many = of->form, *few = many->narrow;
  widening w = {.e = *of, .many = many, .wide = of->b, .narrow_lines = 1, .wide_lines = 1};
  loop_expr *since = contract_sub(of, unit, pir_loop_use(of->m, of->fn->begin));
  loop_expr *behind = contract_int(of, 0);
  for (int i = 0; i < count; i++)
    behind = contract_add(of, behind, values[i]);
  loop_expr *first = contract_lt(of, contract_min(of, behind, since), contract_int(of, 1));
  block = contract_if(of, block, first, NULL);
  w.e.form = few;
  w.e.b = of->packed;
  if (few->numbers)
    w.wide_lines = few->group / many->group;
  else if (makes_groups(many))
    w.narrow_lines = many->group;
  if (contract_is_corrected(many))
    w.sums = pir_loop_registers(of->fn, "sum", PIR_I32, (uint16_t)few->vector, many->vectors);
  open_vectors(&w, block, panel);
  widen_runs(&w, block);
}

// ---- rows of bytes for few rows times numbers of 4 bits

enum { NUMBERS = 8 };  // in a lane

int64_t contract_ordered_bytes(const contract_form *f) {
  int64_t elements = 1, extent = 0;
  for (int i = 0; i < f->tap_count; i++)
    elements *= contract_const(f, f->axes[f->taps[i]].extent, &extent) ? extent : 0;
  return elements;
}

// Whether rows of bytes are multiplied by numbers of 4 bits without becoming floats: an
// instruction multiplies and adds four bytes, of which numbers take two operations to make.
// Each group of rows of weights has its scales.
static bool multiplies_number_bytes(const contract_form *few, const pir_target *target) {
  enum { FOUR = 4 };
  return few->numbers && few->group == NUMBERS && few->scaled >= 0 &&
         contract_bytes_at_once(target) == FOUR && contract_ordered_bytes(few) > 0;
}

// ---- which stages multiply: for few rows, for many, or for both

// Time in which one vector of a line is widened and stored, in products of a vector. Half of it
// is what widening takes where it is done for each tile (tile_choice.c).
enum { WIDENING = 2 };

// Rows up to which a kernel for few rows may be the faster one.
enum { MOST_FEW_ROWS = 64 };

// Time in which tile registers multiply a line of a panel by up to TILE_ROWS rows, in products
// of a vector: most of it is what makes floats of the sums of a group. Measured on a Granite
// Rapids.
enum { TILE_PRODUCTS = 12, TILE_ROWS = 16 };

static int64_t many_cost(const contract_form *many, const pir_machine *machine, int64_t rows) {
  if (!many->tile_groups)
    return contract_rows_cost(many, machine, rows);
  int64_t blocks = (rows + TILE_ROWS - 1) / TILE_ROWS;
  return machine->tile.edge * TILE_PRODUCTS * CONTRACT_COST_PARTS * many->vectors * blocks;
}

// Returns the most rows for which the kernel that widens each line for each tile is expected to
// be faster, or MOST_FEW_ROWS.
static int64_t few_rows(const contract_form *many, const pir_target *target) {
  const contract_form *few = many->narrow;
  const pir_machine *machine = target->machine;
  int64_t rows = MOST_FEW_ROWS;
  // For as many lanes, and as many elements of the reduction.
  int64_t elements = makes_groups(many) ? many->group : 1;
  int64_t once = machine->tile.edge * WIDENING * CONTRACT_COST_PARTS * many->vectors * elements;
  int64_t products = elements;
  if (makes_groups(many) && multiplies_number_bytes(few, target))
    products = 1;
  while (rows > 0 && many->vectors * products * contract_rows_cost(few, machine, rows) >=
                         few->vectors * (many_cost(many, machine, rows) + once))
    rows--;
  return rows;
}

// Chooses the tile for many rows; its panels consist of whole panels of packed b.
static bool choose_many_tile(contract_form *many, const pir_target *target) {
  const contract_form *few = many->narrow;
  contract_tiles tiles;
  contract_rank_tiles(many, target, &tiles);
  for (int i = 0; i < tiles.count; i++) {
    many->rows = tiles.at[i].rows;
    many->vectors = tiles.at[i].vectors;
    if (panels_divide(many, few))
      return true;
  }
  return false;
}

// The form whose panels are widened once: to whole elements that have been multiplied by their
// scales, or to groups of whole numbers that the rows of bytes of `rounded` multiply.
static contract_form widened(const contract_form *few, const contraction *rounded,
                             const pir_target *target) {
  contract_form many = *few;
  many.narrow = few;
  many.held = PIR_UNDEFINED;
  many.panel_inner = false;
  many.fetches = FETCH_NOTHING;
  many.block = 0;
  many.strip_count = 0;
  many.numbers = false;
  if (rounded) {
    many.c = rounded;
    many.compute = PIR_I32;
    many.group = contract_bytes_at_once(target);
    return many;
  }
  if (few->numbers)
    many.group = 1;
  many.scaled = -1;
  return many;
}

// Whether the caches keep a widened panel. Elsewhere it would be written to memory.
static bool keeps_panel(const contract_form *many, const pir_target *target) {
  int64_t size = (int64_t)pir_dtype_size(contract_lane_dtype(many));
  int64_t line = contract_panel_lanes(many) * size, lines = known_lines(many);
  int64_t kept = (int64_t)target->l3_bytes / target->machine->cache.l3_kept;
  return lines > 0 && lines <= kept / line;
}

// Rows of bytes are multiplied in tile registers where the groups of rows that have scales of
// their own divide into rows of tiles, and a panel of two vectors into panels of packed b.
static void take_tiles(contract_form *many, const pir_target *target) {
  enum { SIDE = 2 };
  contract_form tiled = *many;
  int64_t lanes = 0;
  tiled.tile_groups = makes_groups(many) ? contract_tile_groups(many, target) : 0;
  tiled.vectors = SIDE;
  if (!tiled.tile_groups || !panels_divide(&tiled, many->narrow) ||
      !contract_const(many, many->axes[many->lane].extent, &lanes) || lanes <= many->vector)
    return;
  contract_schedule_tiles(&tiled, target, lanes, false);
  *many = tiled;
}

// Chooses the form for many rows, and the most rows that are few. Returns false if all are. A
// known number of rows is many only where rows are rounded: else b was widened when it was
// packed.
static bool choose_many(const contract_form *few, const contraction *rounded,
                        const pir_target *target, contract_form *out, int64_t *out_most) {
  int64_t rows;
  if (!few->held || few->tile < 0 || few->above >= 0 || few->window_count || few->strip_count)
    return false;
  bool known = contract_const(few, contract_rows(few), &rows);
  *out = widened(few, rounded, target);
  if ((known && !rounded) || !choose_many_tile(out, target) || !keeps_panel(out, target))
    return false;
  take_tiles(out, target);
  *out_most = few_rows(out, target);
  return *out_most < MOST_FEW_ROWS && !(known && rows <= *out_most);
}

// Whole numbers whose products and sums fit 32 bits, and groups without a rest.
static bool fits_groups(const contract_form *f) {
  enum { MOST_OF_BYTE = 256, FOUR = 4 };
  int64_t steps, most = f->c->bits ? INT64_C(1) << (f->c->bits - 1) : MOST_OF_BYTE / 2;
  pir_dim last = f->axes[f->taps[f->tap_count - 1]].extent;
  return contract_const(f, last, &steps) && steps % FOUR == 0 &&
         steps <= INT32_MAX / MOST_OF_BYTE / most;
}

bool contract_has_rounded_rows(const contract_form *f, const pir_target *target) {
  const contraction *c = f->c;
  bool bytes = c->a.dtype == PIR_I8 && contract_factor(&c->b) == PIR_I8 && !c->a.rounded;
  int64_t step;
  if (!bytes || f->compute != PIR_F32 || f->kind != CONTRACT_PANEL || !c->b_constant ||
      f->lane < 0 || f->window_count || contract_bytes_at_once(target) < 2)
    return false;
  if (f->tap_count != (f->scaled < 0 ? 1 : 2) || !contract_is_dense(c->dims, &c->a))
    return false;
  return contract_const(f, f->axes[f->taps[f->tap_count - 1]].step_a, &step) && step == 1 &&
         fits_groups(f);
}

// ---- ordered rows

// Copies eight bytes of a row in the order in which a lane's numbers become bytes, and adds
// them to the sum of the group.
static void order_bytes(const contract_emission *e, loop_block *block, loop_buffer *to,
                        loop_expr *from, loop_expr *at, loop_buffer *sum) {
  loop_expr *all = contract_load(e, sum, contract_int(e, 0), 1, NULL);
  for (int i = 0; i < NUMBERS; i++) {
    loop_expr *x = contract_load(e, e->a, contract_plus(e, from, i), 1, NULL);
    x = contract_let(e, block, "x", x);
    contract_store(e, block, to, contract_plus(e, at, i / 2 + i % 2 * (NUMBERS / 2)), x);
    all = contract_add(e, all, pir_loop_cast(e->m, x, PIR_I32));
  }
  contract_store(e, block, sum, contract_int(e, 0), all);
}

// Emits the stage that orders the rows of `a`. Behind a row are, for each group, eight times
// the sum of its bytes, because numbers are raised by 8. A unit is a row.
static void order_rows(const contract_form *few, const contract_env *env, const char *name,
                       contract_tensor *a, contract_stage *out_stage) {
  contract_emission e = contract_begin(few, env, name, "_order");
  pir_dims *dims = few->c->dims;
  int64_t row = contract_ordered_bytes(few), group = 0, word = (int64_t)sizeof(int32_t);
  contract_const(few, few->axes[few->taps[1]].extent, &group);
  int64_t line = row + row / group * word;
  pir_dim count = pir_dim_const(dims, 1);
  for (int d = 0; d < a->rank; d++)
    count = pir_dim_mul(dims, count, a->shape[d]);
  pir_dim rows = pir_dim_floordiv(dims, count, pir_dim_const(dims, row));
  uint16_t slot = env->temporary(env->user, pir_dim_mul(dims, rows, pir_dim_const(dims, line)));
  loop_expr *unit, *g, *i;
  e.a = contract_arg(&e, "a", a);
  loop_buffer *to = pir_loop_arg(e.fn, "ordered", PIR_I8, slot, PACKED_ALIGN, false);
  loop_buffer *sum = pir_loop_registers(e.fn, "sum", PIR_I32, 1, 1);
  loop_block *block = contract_open_units(&e, "unit", &unit);
  block = contract_count(&e, block, "group", contract_int(&e, row / group), 1, &g);
  contract_store(&e, block, sum, contract_int(&e, 0), pir_loop_const_int(e.m, PIR_I32, 0));
  loop_block *body = contract_count(&e, block, "i", contract_int(&e, group), NUMBERS, &i);
  loop_expr *in_row = contract_add(&e, contract_times(&e, g, group), i);
  order_bytes(&e, body, to, contract_in_line(&e, unit, row, in_row),
              contract_in_line(&e, unit, line, in_row), sum);
  loop_expr *raised = contract_load(&e, sum, contract_int(&e, 0), 1, NULL);
  raised = contract_mul(&e, raised, pir_loop_const_int(e.m, PIR_I32, RAISED));
  loop_expr *behind = contract_plus(&e, contract_times(&e, g, word), row);
  contract_store(&e, block, to, contract_in_line(&e, unit, line, behind),
                 pir_loop_bitcast(e.m, raised, PIR_I8));
  *out_stage = (contract_stage){e.fn, rows};
  a->slot = slot;
  a->align = PACKED_ALIGN;
}

// The form that reads ordered rows: they are as long as a row and its sums.
static contract_form of_ordered_rows(const contract_form *few, const contraction *ordered) {
  contract_form f = *few;
  pir_dims *dims = few->c->dims;
  int64_t row = contract_ordered_bytes(few), group = 0;
  contract_const(few, few->axes[few->taps[1]].extent, &group);
  pir_dim long_row = pir_dim_const(dims, row + row / group * (int64_t)sizeof(int32_t));
  f.c = ordered;
  f.compute = PIR_I32;
  for (int i = 0; i < f.axis_count; i++) {
    contract_axis *x = &f.axes[i];
    if (x->role != ROLE_K)
      x->step_a = pir_dim_mul(dims, pir_dim_floordiv(dims, x->step_a, pir_dim_const(dims, row)),
                              long_row);
  }
  return f;
}

// ---- the stages

typedef struct row_stages {
  const contract_form *few;
  const contract_env *env;
  const char *name;
  uint16_t b_slot;
  contract_code *code;
} row_stages;

static contract_stage *add_rows_stage(const row_stages *s) {
  return &s->code->stages[s->code->stage_count++];
}

static pir_status emit_few(const row_stages *s, contraction *floats, const contraction *c) {
  if (floats && multiplies_number_bytes(s->few, s->env->target)) {
    contraction ordered = *c;
    order_rows(s->few, s->env, s->name, &ordered.a, add_rows_stage(s));
    contract_form f = of_ordered_rows(s->few, &ordered);
    return contract_emit_panels(&f, s->env, s->name, s->b_slot, add_rows_stage(s));
  }
  if (floats)
    contract_widen_a(s->few, s->env, s->name, "_floats", &c->a, PIR_F32, &floats->a,
                     add_rows_stage(s));
  return contract_emit_panels(s->few, s->env, s->name, s->b_slot, add_rows_stage(s));
}

static pir_status emit_many(const row_stages *s, contract_form *many, bool rounded) {
  contraction words = *many->c;
  if (rounded && many->group == 2) {
    contract_widen_a(s->few, s->env, s->name, "_widen", &many->c->a, PIR_I16, &words.a,
                     add_rows_stage(s));
    many->c = &words;
  }
  return contract_emit_panels(many, s->env, s->name, s->b_slot, add_rows_stage(s));
}

static void describe(const row_stages *s, const contract_form *many, int64_t most) {
  char *how = s->code->how;
  size_t size = sizeof s->code->how, at = strlen(how);
  const char *groups = many->group == 2 ? " by pairs of words" : " by fours of bytes";
  if (most)
    at += pir_text_format(how + at, size - at, "; above %lld rows: ", (long long)most);
  else
    at += pir_text_format(how + at, size - at, "; for all rows: ");
  if (many->tile_groups)
    groups = " in tile registers of bytes";
  at += pir_text_format(how + at, size - at, "%d rows x %d vectors%s", many->rows,
                        many->vectors, makes_groups(many) ? groups : "");
  pir_text_format(how + at, size - at, ", each panel widened once");
}

// The number of rows of a run decides whether the stages from `first` on have units, for at
// most `most` rows, or those from `second` on.
static void divide_rows(const row_stages *s, int first, int second, int64_t most) {
  pir_dims *dims = s->few->c->dims;
  pir_dim one = pir_dim_const(dims, 1), more = pir_dim_const(dims, most + 1);
  pir_dim are_many =
      pir_dim_min(dims, one, pir_dim_floordiv(dims, contract_rows(s->few), more));
  pir_dim are_few = pir_dim_sub(dims, one, are_many);
  for (int i = first; i < s->code->stage_count; i++)
    s->code->stages[i].units =
        pir_dim_mul(dims, s->code->stages[i].units, i < second ? are_few : are_many);
}

// Tile registers read the same b for few rows and for many.
static pir_status emit_tile_rows(const row_stages *s) {
  contract_form few;
  int64_t known;
  int first = s->code->stage_count;
  if (!contract_has_one_block(s->few, &few))
    return contract_emit_panels(s->few, s->env, s->name, s->b_slot, add_rows_stage(s));
  PIR_TRY(contract_emit_panels(&few, s->env, s->name, s->b_slot, add_rows_stage(s)));
  if (contract_const(s->few, contract_rows(s->few), &known))
    return PIR_OK;
  PIR_TRY(contract_emit_panels(s->few, s->env, s->name, s->b_slot, add_rows_stage(s)));
  divide_rows(s, first, first + 1, few.rows);
  return PIR_OK;
}

pir_status contract_emit_rows(const contract_form *few, contraction *floats,
                              const contraction *c, const contract_env *env, const char *name,
                              uint16_t b_slot, contract_code *code) {
  row_stages s = {few, env, name, b_slot, code};
  contract_form many;
  int64_t most, rows;
  if (few->tile_groups)
    return emit_tile_rows(&s);
  int first = code->stage_count;
  if (!choose_many(few, floats ? c : NULL, env->target, &many, &most))
    return emit_few(&s, floats, c);
  describe(&s, &many, most);
  if (!most || contract_const(few, contract_rows(few), &rows))
    return emit_many(&s, &many, floats);
  PIR_TRY(emit_few(&s, floats, c));
  int second = code->stage_count;
  PIR_TRY(emit_many(&s, &many, floats));
  divide_rows(&s, first, second, most);
  return PIR_OK;
}
