// Emits a contraction in three steps: normal form, schedule, code. This file holds the parts
// that all kernels share: buffer positions, packing of b, calls of the epilogue, and the entry
// points.
//
// b is packed once into the order in which a kernel streams it: [batch and outer N][panel][K
// axes, outermost first][lanes]. A panel is as wide as a register tile. Lanes beyond the end
// hold numbers that no sum needs, so only the epilogue has masks.
#include "contract_ways.h"
#include "contract_choice.h"
#include "contract_words.h"

#include <string.h>

contract_emission contract_begin(const contract_form *f, const contract_env *env,
                                 const char *name, const char *suffix) {
  char full[128];
  size_t n = strlen(name), k = strlen(suffix);
  if (n > sizeof full - k - 1)
    n = sizeof full - k - 1;
  memcpy(full, name, n);
  memcpy(full + n, suffix, k + 1);
  contract_emission e = {.form = f, .env = env, .m = env->module};
  e.fn = pir_loop_fn_create(env->module, full);
  return e;
}

loop_expr *contract_mask(const contract_emission *e, loop_block *block, loop_expr *left,
                         int lanes) {
  loop_expr *mask = pir_loop_tail_mask(e->m, left, (uint16_t)lanes);
  return contract_let(e, block, "mask", mask);
}

loop_expr *contract_both(const contract_emission *e, loop_expr *a, loop_expr *b) {
  if (!a || !b)
    return a ? a : b;
  return pir_loop_op(e->m, PIR_V_AND, a, b, NULL);
}

loop_block *contract_loop(const contract_emission *e, loop_block *block, const char *stem,
                          loop_expr *begin, loop_expr *end, loop_expr *step,
                          loop_expr **out_at) {
  loop_var *var = pir_loop_var_create(e->fn, stem, LOOP_INDEX, 1);
  *out_at = pir_loop_use(e->m, var);
  return pir_loop_for(e->fn, block, LOOP_SERIAL, var, begin, end, step);
}

loop_block *contract_count(const contract_emission *e, loop_block *block, const char *stem,
                           loop_expr *end, int64_t step, loop_expr **out_at) {
  loop_expr *zero = contract_int(e, 0), *by = contract_int(e, step);
  return contract_loop(e, block, stem, zero, end, by, out_at);
}

int contract_repeated_steps(const contract_emission *e, int64_t steps) {
  int repeats = e->env->target->machine->tile.repeated_steps;
  while (repeats > 1 && (steps <= repeats || steps % repeats))
    repeats /= 2;
  return repeats;
}

loop_expr *contract_unrolled(const contract_emission *e, loop_block **block, int64_t count) {
  loop_var *v = pir_loop_var_create(e->fn, "r", LOOP_INDEX, 1);
  loop_expr *zero = contract_int(e, 0), *end = contract_int(e, count);
  *block = pir_loop_for(e->fn, *block, LOOP_UNROLLED, v, zero, end, NULL);
  return pir_loop_use(e->m, v);
}

loop_block *contract_open_units(const contract_emission *e, const char *stem,
                                loop_expr **out_unit) {
  loop_fn *fn = e->fn;
  loop_var *unit = pir_loop_var_create(fn, stem, LOOP_INDEX, 1);
  loop_expr *begin = pir_loop_use(e->m, fn->begin), *end = pir_loop_use(e->m, fn->end);
  *out_unit = pir_loop_use(e->m, unit);
  return pir_loop_for(fn, &fn->body, LOOP_PARALLEL, unit, begin, end, NULL);
}

loop_buffer *contract_arg(const contract_emission *e, const char *stem,
                          const contract_tensor *t) {
  return pir_loop_arg(e->fn, stem, t->dtype, t->slot, t->align, true);
}

void contract_open_out(contract_emission *e) {
  const contract_tensor *t = &e->form->c->out;
  if (!e->env->epilogue)
    e->out = pir_loop_arg(e->fn, "out", t->dtype, t->slot, t->align, false);
}

void contract_bound_unit(const contract_emission *e, loop_expr *unit, pir_dim units) {
  int64_t known;
  bool constant = contract_const(e->form, units, &known);
  unit->var->extent = constant ? contract_int(e, known) : pir_loop_use(e->m, e->fn->end);
}

loop_expr *contract_dim(const contract_emission *e, pir_dim d) {
  int64_t value;
  if (contract_const(e->form, d, &value))
    return contract_int(e, value);
  return e->env->extent(e->env->user, d);
}

loop_expr *contract_extent(const contract_emission *e, int axis) {
  return contract_dim(e, e->form->axes[axis].extent);
}

loop_expr *contract_step(const contract_emission *e, contract_which which, int axis) {
  const contract_axis *x = &e->form->axes[axis];
  const pir_dim steps[] = {[OF_A] = x->step_a, [OF_B] = x->step_b, [OF_OUT] = x->step_out};
  return contract_dim(e, steps[which]);
}

loop_expr *contract_position(const contract_emission *e, contract_which which) {
  const pir_dim offsets[] = {[OF_A] = e->form->offset_a, [OF_B] = e->form->offset_b};
  loop_expr *sum = which == OF_OUT ? contract_int(e, 0) : contract_dim(e, offsets[which]);
  for (int i = 0; i < e->form->axis_count; i++)
    if (e->value[i])
      sum = contract_add(e, sum, contract_mul(e, e->value[i], contract_step(e, which, i)));
  return e->origin[which] ? contract_sub(e, sum, e->origin[which]) : sum;
}

loop_expr *contract_lines_below(const contract_emission *e, int level, loop_expr *width) {
  loop_expr *lines = width;
  for (int i = level + 1; i < e->form->tap_count; i++)
    lines = contract_mul(e, lines, contract_lines(e, i));
  return lines;
}

// The number of lanes of one panel.
static loop_expr *panel_size(const contract_emission *e) {
  return contract_lines_below(e, -1, contract_int(e, contract_panel_lanes(e->form)));
}

loop_expr *contract_panel_base(const contract_emission *e, loop_expr *panel) {
  const contract_form *f = e->form;
  loop_expr *number = contract_int(e, 0);
  if (f->narrow)
    return number;  // scratch holds the panel in use
  for (int i = 0; i < f->outer_count; i++) {
    int axis = f->outer[i];
    if (!contract_in_b(f, axis))
      continue;
    number = contract_mul(e, number, contract_extent(e, axis));
    if (e->value[axis])
      number = contract_add(e, number, e->value[axis]);
  }
  number = contract_mul(e, number, contract_dim(e, contract_panels(f)));
  return contract_mul(e, contract_add(e, number, panel), panel_size(e));
}

void contract_split_unit(const contract_emission *e, loop_block *block, loop_expr *unit,
                         loop_expr *const *extents, int count, loop_expr **out_values) {
  int64_t one;
  for (int i = count - 1; i >= 0; i--) {
    bool last = true;
    for (int j = 0; j < i; j++)
      last &= pir_loop_is_int(extents[j], &one) && one == 1;
    if (pir_loop_is_int(extents[i], &one) && one == 1) {
      out_values[i] = contract_int(e, 0);
      continue;
    }
    if (last) {
      out_values[i] = unit;
      unit = contract_int(e, 0);
      continue;
    }
    loop_expr *rest = contract_let(e, block, "unit", contract_div(e, unit, extents[i]));
    loop_expr *at = contract_sub(e, unit, contract_mul(e, rest, extents[i]));
    out_values[i] = contract_let(e, block, "at", at);
    unit = rest;
  }
}

// Computes the contraction's variables from the form's axes: a merged axis is split into its
// variables.
static void variable_values(const contract_emission *e, loop_expr *values[CONTRACT_MAX_VARS]) {
  const contraction *c = e->form->c;
  for (int v = 0; v < c->var_count; v++)
    values[v] = NULL;
  for (int i = 0; i < e->form->axis_count; i++) {
    const contract_axis *x = &e->form->axes[i];
    loop_expr *rest = e->value[i];
    for (int p = x->part_count - 1; p >= 0 && rest; p--) {
      loop_expr *extent = contract_dim(e, c->vars[x->parts[p]].extent);
      values[x->parts[p]] = p ? contract_mod(e, rest, extent) : rest;
      rest = p ? contract_div(e, rest, extent) : NULL;
    }
  }
}

static bool store_plainly(const contract_emission *e, loop_block *block,
                          const contract_point *point) {
  loop_expr *value = pir_loop_cast(e->m, point->value, e->form->c->out.dtype);
  int64_t stride;
  if (point->lanes == 1 || (pir_loop_is_int(point->lane_stride, &stride) && stride == 1))
    pir_loop_store(e->fn, block, e->out, point->position, value, point->mask);
  else
    pir_loop_scatter(e->fn, block, e->out,
                     pir_loop_ramp(e->m, point->position, point->lane_stride, point->lanes),
                     value, point->mask);
  return true;
}

// The point of the axis values in e.
static contract_point point_of(const contract_emission *e, loop_expr *sums, loop_expr *mask) {
  const contract_form *f = e->form;
  const contract_tensor *out = &f->c->out;
  loop_expr *values[CONTRACT_MAX_VARS];
  contract_point p = {.value = sums,
                      .lanes = sums->lanes,
                      .mask = mask,
                      .out = e->out,
                      .position = contract_position(e, OF_OUT),
                      .lane_stride = contract_int(e, 1),
                      .lane_axis = -1};
  variable_values(e, values);
  for (int axis = 0; axis < out->rank; axis++) {
    p.index[axis] = contract_int(e, 0);
    for (int v = 0; v < f->c->var_count; v++) {
      int64_t factor = out->map[axis].factor[v];
      if (factor && values[v])
        p.index[axis] = contract_add(e, p.index[axis], contract_times(e, values[v], factor));
      if (factor && f->lane >= 0 && f->axes[f->lane].parts[0] == v)
        p.lane_axis = axis;
    }
  }
  if (f->lane >= 0)
    p.lane_stride = contract_step(e, OF_OUT, f->lane);
  return p;
}

bool contract_finish(const contract_emission *e, loop_block *block, loop_expr *sums,
                     loop_expr *mask) {
  contract_point p = point_of(e, sums, mask);
  if (e->env->epilogue)
    return e->env->epilogue(e->env->user, e->fn, block, &p);
  return store_plainly(e, block, &p);
}

int contract_finish_reads(const contract_emission *e, int lanes,
                          contract_place places[CONTRACT_MOST_READS]) {
  if (!e->env->reads)
    return 0;
  loop_expr *zero = pir_loop_const_float(e->m, e->form->compute, 0);
  contract_point p = point_of(e, contract_broadcast(e, zero, lanes), NULL);
  return e->env->reads(e->env->user, e->fn, &p, places);
}

loop_expr *contract_product(const contract_emission *e, loop_expr *a, loop_expr *b,
                            loop_expr *sum) {
  bool whole = e->form->compute == PIR_I32, dots = e->form->group > 1 && !e->form->numbers;
  if (dots && !whole)
    return pir_loop_dot(e->m, LOOP_DOT_BF16, a, b, sum);
  if (dots)
    return pir_loop_dot(e->m, e->form->group == 2 ? LOOP_DOT_S16 : LOOP_DOT_U8S8, a, b, sum);
  if (e->env->target->fma && !whole)
    return pir_loop_fma(e->m, a, b, sum);
  return contract_add(e, contract_mul(e, a, b), sum);
}

void contract_fetch(const contract_emission *e, loop_block *block, loop_expr *at,
                    int64_t otherwise) {
  int64_t line = CACHE_LINE / (int64_t)pir_dtype_size(e->fetch.of->dtype), step = otherwise;
  (void)pir_loop_is_int(e->fetch.step, &step);
  for (int64_t i = 0; i < step; i += line)
    pir_loop_prefetch(e->fn, block, e->fetch.of, contract_plus(e, at, i), true);
}

// ---- packing

loop_expr *contract_load_lanes(contract_emission *e, loop_expr *at, loop_expr *mask) {
  const contract_form *f = e->form;
  uint16_t lanes = (uint16_t)f->vector;
  int64_t step;
  if (f->lane < 0)
    return contract_load(e, e->b, contract_position(e, OF_B), 1, NULL);
  e->value[f->lane] = at;
  loop_expr *position = contract_position(e, OF_B);
  loop_expr *distance = contract_step(e, OF_B, f->lane);
  if (lanes == 1 || (pir_loop_is_int(distance, &step) && step == 1))
    return contract_load(e, e->b, position, lanes, mask);
  return pir_loop_gather(e->m, e->b, pir_loop_ramp(e->m, position, distance, lanes), mask);
}

static loop_buffer *start_correction(const contract_emission *e, loop_block *block) {
  const contract_form *f = e->form;
  uint16_t vector = (uint16_t)f->vector;
  loop_buffer *sums = pir_loop_registers(e->fn, "sum", PIR_I32, vector, f->vectors);
  loop_expr *zero = pir_loop_const_int(e->m, PIR_I32, 0);
  zero = contract_broadcast(e, zero, vector);
  for (int v = 0; v < f->vectors; v++)
    contract_store(e, block, sums, contract_int(e, v), zero);
  return sums;
}

// Packs one line of a panel: the vectors that begin at the lanes `at`.
typedef struct panel_packing {
  contract_emission *e;
  loop_buffer *packed;
  loop_expr *at[CONTRACT_MOST_VECTORS], *masks[CONTRACT_MOST_VECTORS];
  loop_buffer *sums;    // of the correction, or NULL
  loop_expr *end;       // where they are stored,
  loop_block *outside;  // and the block that does
} panel_packing;

static void pack_line(panel_packing *p, loop_block *block, loop_expr *last, loop_expr *to) {
  contract_emission *e = p->e;
  const contract_form *f = e->form;
  for (int v = 0; v < f->vectors; v++) {
    loop_expr *lanes = contract_pack_lanes(e, block, last, p->at[v], p->masks[v]);
    contract_store(e, block, p->packed, contract_plus(e, to, v * f->vector), lanes);
    if (!p->sums)
      continue;
    loop_expr *n = contract_int(e, v);
    loop_expr *sum = contract_load(e, p->sums, n, (uint16_t)f->vector, NULL);
    contract_store(e, block, p->sums, n, contract_correction(e, lanes, sum));
    contract_store(e, p->outside, p->packed, contract_plus(e, p->end, v * f->vector), sum);
  }
}

// Whether squares of b are turned in registers: b is adjacent along the last reduced axis, and
// a line gathered lane by lane would touch a line of the cache for each of them. A constant b
// is packed once, which takes less time than to compile the squares.
static bool packs_squares(const contract_form *f) {
  int64_t apart, next, steps;
  int last = f->tap_count ? f->taps[f->tap_count - 1] : -1;
  bool few = last >= 0 && contract_const(f, f->axes[last].extent, &steps) && steps < f->vector;
  return !f->c->b_constant && last >= 0 && !few && f->lane >= 0 && f->vector > 1 &&
         f->group == 1 && f->c->b.dtype == PIR_F32 && !f->c->b.rounded &&
         contract_lane_dtype(f) == PIR_F32 && contract_const(f, f->axes[last].step_b, &next) &&
         next == 1 && !(contract_const(f, f->axes[f->lane].step_b, &apart) && apart == 1);
}

// Packs as many lines of a panel as a vector has lanes, from `first` on. Lanes behind the end
// repeat the last one.
static void pack_squares(panel_packing *p, loop_block *block, loop_expr *first, loop_expr *to) {
  contract_emission *e = p->e;
  const contract_form *f = e->form;
  loop_expr *rows[64], *end = contract_plus(e, contract_extent(e, f->lane), -1);
  for (int v = 0; v < f->vectors; v++) {
    e->value[f->taps[f->tap_count - 1]] = first;
    for (int i = 0; i < f->vector; i++) {
      loop_expr *lane = contract_plus(e, p->at[v], i);
      if (p->masks[v])
        lane = contract_let(e, block, "lane", pir_loop_min(e->m, lane, end));
      e->value[f->lane] = lane;
      loop_expr *row =
          contract_load(e, e->b, contract_position(e, OF_B), (uint16_t)f->vector, NULL);
      rows[i] = contract_let(e, block, "t", row);
    }
    pir_loop_turn_square(e->fn, block, rows, f->vector);
    for (int i = 0; i < f->vector; i++) {
      int64_t line = i * contract_panel_lanes(f) + v * f->vector;
      contract_store(e, block, p->packed, contract_plus(e, to, line), rows[i]);
    }
  }
}

// Emits the innermost loop of packing, over the last reduced axis: squares, then the lines that
// fill no square.
static void pack_lines(panel_packing *p, loop_block *block, loop_expr *from, loop_expr *end,
                       loop_expr *to) {
  contract_emission *e = p->e;
  const contract_form *f = e->form;
  loop_expr *last, *width = contract_int(e, contract_panel_lanes(f));
  loop_block *body;
  if (packs_squares(f)) {
    loop_expr *rest = contract_mod(e, end, contract_int(e, f->vector));
    loop_expr *squares = contract_let(e, block, "squares", contract_sub(e, end, rest));
    body = contract_count(e, block, "k", squares, f->vector, &last);
    pack_squares(p, body, last, contract_add(e, to, contract_mul(e, last, width)));
    from = squares;
    int64_t none;
    if (pir_loop_is_int(rest, &none) && !none)
      return;
  }
  body = contract_loop(e, block, "k", from, end, NULL, &last);
  e->value[f->taps[f->tap_count - 1]] = last;
  pack_line(p, body, last, contract_add(e, to, contract_mul(e, last, width)));
}

// The vectors of a panel, and where it begins.
static panel_packing open_panel(contract_emission *e, loop_block *block, loop_expr *panel,
                                loop_buffer *packed, loop_expr **out_to) {
  const contract_form *f = e->form;
  int64_t width = contract_panel_lanes(f), extent = 0;
  bool known = f->lane >= 0 && contract_const(f, f->axes[f->lane].extent, &extent);
  bool exact = f->lane < 0 || (known && extent % width == 0);
  panel_packing p = {.e = e, .packed = packed};
  for (int v = 0; v < f->vectors; v++) {
    p.at[v] = contract_plus(e, contract_times(e, panel, width), v * f->vector);
    if (exact)
      continue;
    loop_expr *left = contract_sub(e, contract_extent(e, f->lane), p.at[v]);
    p.masks[v] = contract_mask(e, block, left, f->vector);
  }
  *out_to = contract_let(e, block, "to", contract_panel_base(e, panel));
  return p;
}

// Emits the packing function: packed[panel base + tap * lanes + lane] = b at these positions.
// Each unit packs one panel.
static void emit_panel_packing(contract_emission *e, loop_block *block, loop_expr *panel,
                               loop_buffer *packed) {
  const contract_form *f = e->form;
  int64_t width = contract_panel_lanes(f);
  loop_expr *to, *last = NULL;
  panel_packing p = open_panel(e, block, panel, packed, &to);
  if (!f->tap_count) {
    pack_line(&p, block, NULL, to);
    return;
  }
  for (int i = 0; i < f->tap_count - 1; i++) {
    loop_expr *steps = contract_steps(e, i);
    block = contract_loop(e, block, "k", contract_int(e, 0), steps, NULL, &last);
    e->value[f->taps[i]] = last;
    loop_expr *below = contract_lines_below(e, i, contract_int(e, width));
    to = contract_add(e, to, contract_mul(e, last, below));
  }
  loop_expr *steps = contract_steps(e, f->tap_count - 1);
  if (contract_is_corrected(f)) {
    p.outside = block;
    p.sums = start_correction(e, block);
    p.end = contract_add(e, to, contract_times(e, steps, width));
  }
  pack_lines(&p, block, contract_int(e, 0), steps, to);
}

enum { PACKED_ROWS = 16, FEWEST_PARTS = 16 };

// Whether a unit of packing takes a few whole rows of b, instead of a panel: b is then read
// from memory in its own order, which the processor fetches ahead. Threads need some units to
// share.
static bool packs_rows(const contract_form *f) {
  int64_t apart, steps;
  if (f->tap_count != 1 || f->lane < 0 || f->group != 1)
    return false;
  bool few = contract_const(f, f->axes[f->taps[0]].extent, &steps) &&
             steps < PACKED_ROWS * FEWEST_PARTS;
  return !few && contract_const(f, f->axes[f->lane].step_b, &apart) && apart == 1;
}

static void emit_row_packing(contract_emission *e, loop_block *block, loop_expr *part,
                             loop_buffer *packed) {
  loop_expr *panel, *to, *from = contract_times(e, part, PACKED_ROWS);
  loop_expr *end = contract_min(e, contract_plus(e, from, PACKED_ROWS), contract_steps(e, 0));
  end = contract_let(e, block, "end", end);
  block =
      contract_count(e, block, "panel", contract_dim(e, contract_panels(e->form)), 1, &panel);
  panel_packing p = open_panel(e, block, panel, packed, &to);
  pack_lines(&p, block, from, end, to);
}

pir_status contract_emit_packing(const contract_form *f, const contract_env *env,
                                 const char *name, uint16_t from, uint16_t to,
                                 contract_stage *out_stage) {
  contract_emission e = contract_begin(f, env, name, "_pack");
  pir_dims *dims = f->c->dims;
  bool at_load = from == 0 && to == 1, by_rows = packs_rows(f);
  e.b = pir_loop_arg(e.fn, "b", f->c->b.dtype, from, at_load ? 1 : f->c->b.align, true);
  loop_buffer *packed =
      pir_loop_arg(e.fn, "packed", contract_lane_dtype(f), to, PACKED_ALIGN, false);
  loop_expr *unit, *extents[CONTRACT_MAX_VARS + 1], *values[CONTRACT_MAX_VARS + 1];
  loop_block *block = contract_open_units(&e, "unit", &unit);
  int axes[CONTRACT_MAX_VARS], count = 0;
  pir_dim parts = contract_panels(f);
  if (by_rows)
    parts = pir_dim_ceildiv(dims, contract_lines_dim(f, 0), pir_dim_const(dims, PACKED_ROWS));
  out_stage->fn = e.fn;
  out_stage->units = parts;
  for (int i = 0; i < f->outer_count; i++) {
    if (!contract_in_b(f, f->outer[i]))
      continue;
    axes[count] = f->outer[i];
    extents[count++] = contract_extent(&e, f->outer[i]);
    pir_dim extent = f->axes[f->outer[i]].extent;
    out_stage->units = pir_dim_mul(dims, out_stage->units, extent);
  }
  extents[count] = contract_dim(&e, parts);
  contract_split_unit(&e, block, unit, extents, count + 1, values);
  for (int i = 0; i < count; i++)
    e.value[axes[i]] = values[i];
  if (by_rows)
    emit_row_packing(&e, block, values[count], packed);
  else
    emit_panel_packing(&e, block, values[count], packed);
  return PIR_OK;
}

// ---- entry points

bool pir_contract_can(const contraction *c) {
  contract_form f;
  return contract_normalise(c, &f);
}

pir_dim contract_packed_bytes(const contract_form *f) {
  pir_dims *dims = f->c->dims;
  pir_dim n = pir_dim_const(dims, 1);
  for (int i = 0; i < f->tap_count; i++)
    n = pir_dim_mul(dims, n, contract_lines_dim(f, i));
  n = pir_dim_mul(dims, n, contract_panels(f));
  for (int i = 0; i < f->axis_count; i++)
    if (contract_in_b(f, i))
      n = pir_dim_mul(dims, n, f->axes[i].extent);
  int64_t line = contract_panel_lanes(f) * (int64_t)pir_dtype_size(contract_lane_dtype(f));
  return pir_dim_mul(dims, n, pir_dim_const(dims, line));
}

static const char *describe_groups(const contract_form *f) {
  if (f->tile_groups)
    return f->group == 2 ? " in tile registers of bf16" : " in tile registers of bytes";
  if (f->numbers)
    return " times numbers of 4 bits";
  if (f->group == 2)
    return f->compute == PIR_F32 ? " by pairs of bf16" : " by pairs of words";
  return f->group == 1 ? "" : " by fours of bytes";
}

static void describe_tile(const contract_form *f, char *how, size_t size) {
  const char *kind = f->kind == CONTRACT_DEPTHWISE ? "depthwise, " : "";
  const char *packing = f->c->b_constant ? ", weights packed at load" : ", right side packed";
  const char *by = describe_groups(f);
  if (!f->b_packed)
    packing = "";
  size_t at =
      pir_text_format(how, size, "%stile of %d rows x %d vectors of %d %s%s%s, %s innermost",
                      kind, f->rows, f->vectors, f->vector, pir_dtype_name(f->compute), by,
                      packing, f->panel_inner ? "panels" : "rows");
  if (f->block)
    at += pir_text_format(how + at, size - at, " in blocks of %lld tiles", (long long)f->block);
  if (f->strip_count)
    pir_text_format(how + at, size - at, " in strips of %lld points",
                    (long long)contract_strip_points(f));
}

pir_status pir_contract_emit(const contraction *c, const contract_env *env, const char *name,
                             contract_code *out_code) {
  contract_form f;
  *out_code = (contract_code){0};
  if (!contract_normalise(c, &f) || (env->target->device && c->scaled))
    return PIR_UNSUPPORTED;
  if (env->target->device)
    return contract_emit_device(&f, env, name, out_code);
  contract_choose_group(&f, env);
  contraction copied;  // with another a, which a stage makes
  contract_form of_copy;
  f.rounded_rows = contract_has_rounded_rows(&f, env->target);
  if (f.rounded_rows) {
    copied = *c;
    copied.a.dtype = PIR_F32;
    f.c = &copied;
  } else if (contract_pads_channels(&f, env, &copied, &of_copy) ||
             contract_borders_a(&f, env, &copied, &of_copy)) {
    contract_copy_a(&f, env, name, &of_copy, &copied,
                    &out_code->stages[out_code->stage_count++]);
    f = of_copy;
  } else if (contract_widens_a(&f)) {
    copied = *c;
    contract_widen_a(&f, env, name, "_widen", &c->a, PIR_I16, &copied.a,
                     &out_code->stages[out_code->stage_count++]);
    f.c = &copied;
  }
  if (!contract_gains_by_group(&f, env->target))
    f.group = 1;
  contract_winograd winograd;
  if (contract_choose(&f, env, &winograd, &out_code->tuned)) {
    // It transforms and multiplies f32.
    f.group = 1;
    f.held = PIR_UNDEFINED;
    contract_winograd_describe(&winograd, out_code->how, sizeof out_code->how);
    return contract_emit_winograd(&f, &winograd, env, name, out_code);
  }
  describe_tile(&f, out_code->how, sizeof out_code->how);
  uint16_t b_slot = c->b.slot;
  if (f.b_packed) {
    pir_dim bytes = contract_packed_bytes(&f);
    if (c->b_constant) {
      if (!contract_const(&f, bytes, &out_code->packed_bytes))
        return PIR_UNSUPPORTED;
      PIR_TRY(contract_emit_packing(&f, env, name, 0, 1, &out_code->packing));
    } else {
      b_slot = env->temporary(env->user, bytes);
      PIR_TRY(contract_emit_packing(&f, env, name, c->b.slot, b_slot,
                                    &out_code->stages[out_code->stage_count++]));
    }
  }
  return contract_emit_rows(&f, f.rounded_rows ? &copied : NULL, c, env, name, b_slot,
                            out_code);
}
