// Widens a panel of packed b into scratch: the numbers of 4 bits in a lane, or lanes of a
// narrower type, become floats, words or groups of whole numbers.
#include "widened_panel.h"

#include "contract_words.h"

enum { LANE_WIDTH = 32, NUMBER_WIDTH = 4, RAISED = 8 };

void contract_open_widened(contract_emission *e, uint16_t b_slot) {
  const contract_form *f = e->form;
  pir_dtype from = contract_lane_dtype(f->narrow), to = contract_lane_dtype(f);
  int64_t count = contract_known_lines(f) * contract_panel_lanes(f);
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
  if (contract_makes_groups(w->many))
    return e->form->numbers ? group_of_numbers(w, lanes, i) : group_of_bytes(w, at);
  if (e->form->numbers)
    return contract_number(e, lanes, i);
  return contract_widen_line(e, contract_load(e, e->b, at, e->form->vector, NULL));
}

static void add_correction(const widening *w, loop_block *block, int v, loop_expr *lanes) {
  const contract_emission *e = &w->e;
  loop_expr *n = contract_int(e, v);
  loop_expr *sum = contract_load(e, w->sums, n, e->form->vector, NULL);
  contract_store(e, block, w->sums, n, contract_correction(e, lanes, sum));
}

// ---- a run of lines

// Fetches what is read as much later as the kernel for few rows fetches its lines: the time of
// few rows is that of reading b.
static void fetch_ahead(const widening *w, loop_block *block, loop_expr *at) {
  const contract_emission *e = &w->e;
  int64_t ahead = e->env->target->machine->cache.narrow_ahead;
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
      add_correction(w, block, v, x);
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

// Where packed b has fewer panels than the vectors of a panel stand for, the last one counts.
static loop_expr *narrow_panel(const widening *w, loop_expr *panel, int v) {
  const contract_emission *e = &w->e;
  const contract_form *few = e->form;
  int64_t times = w->many->vectors / few->vectors, have = 0, all = 0;
  loop_expr *at = contract_times(e, panel, times);
  at = contract_plus(e, at, v / few->vectors);
  contract_const(few, contract_panels(few), &have);
  contract_const(w->many, contract_panels(w->many), &all);
  return all * times == have ? at : contract_min(e, at, contract_int(e, have - 1));
}

static void open_vectors(widening *w, loop_block *block, loop_expr *panel) {
  const contract_emission *e = &w->e;
  const contract_form *few = e->form;
  for (int v = 0; v < w->many->vectors; v++) {
    int64_t lane = (int64_t)v * few->vector,
            in_panel = (int64_t)(v % few->vectors) * few->vector;
    loop_expr *from = contract_panel_base(e, narrow_panel(w, panel, v));
    loop_expr *first = contract_times(e, panel, contract_panel_lanes(w->many));
    w->vectors[v] =
        (panel_vector){.from = contract_let(e, block, "from", contract_plus(e, from, in_panel)),
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
  else if (contract_makes_groups(many))
    w.narrow_lines = many->group;
  if (contract_is_corrected(many))
    w.sums = pir_loop_registers(of->fn, "sum", PIR_I32, (uint16_t)few->vector, many->vectors);
  open_vectors(&w, block, panel);
  widen_runs(&w, block);
}
