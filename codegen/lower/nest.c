// Loop nests for groups without a contraction.
//
// Without reductions, a nest runs over the elements of its results in their memory order.
// Adjacent dims that every tensor treats alike are one level. The last level is vectorised; the
// others are the units of the stage. The members of a join (concat) are separate nests.
//
// With reductions over one set of axes (softmax, norms), a unit is a row: the reduced elements
// of one outer point. A row is processed in phases, each a loop over the row.
// Phase p accumulates the reductions whose operands depend on p earlier phases, and stores the
// results that do. Expensive values that a later phase needs again are kept in scratch, so
// inputs are read once. If the innermost dim is not reduced, lanes are rows.
#include "nest.h"
#include "machine.h"
#include "schedule.h"

#include <string.h>

// ---- loops

static loop_expr *level_extent(const nest *n, const level *v) {
  loop_expr *e = pir_loop_int(n->l->m, 1);
  for (int i = 0; i < v->count; i++)
    e = pir_loop_mul(n->l->m, e, lower_dim(n->l, n->extent[v->dims[i]]));
  return e;
}

static pir_dim level_dim(const nest *n, const level *v) {
  pir_dim d = 1;
  for (int i = 0; i < v->count; i++)
    d = pir_dim_mul(n->l->dims, d, n->extent[v->dims[i]]);
  return d;
}

// Sets the index of each of the level's dims from the level's position.
static void set_level(nest *n, const level *v, loop_expr *at) {
  loop_module *m = n->l->m;
  for (int i = v->count - 1; i >= 0; i--) {
    loop_expr *extent = lower_dim(n->l, n->extent[v->dims[i]]);
    n->index[v->dims[i]] = i ? pir_loop_mod(m, at, extent) : at;
    if (i)
      at = pir_loop_floordiv(m, at, extent);
    if (n->join && v->dims[i] == n->join_axis)
      n->index[v->dims[i]] = pir_loop_add(m, n->index[v->dims[i]], n->join_begin);
  }
}

// Splits a unit's number into the levels' positions, outermost first, as variables.
static void split_unit(nest *n, loop_block *block, loop_expr *unit, const int *levels,
                       int count, loop_expr **out_at) {
  lowering *l = n->l;
  for (int i = count - 1; i >= 0; i--) {
    loop_expr *extent = level_extent(n, &n->levels[levels[i]]);
    loop_expr *at = i ? pir_loop_op(l->m, PIR_V_FLOORMOD, unit, extent, NULL) : unit;
    out_at[i] = pir_loop_let(l->fn, block, "o", at);
    if (out_at[i]->kind == LOOP_VAR && !out_at[i]->var->extent)
      out_at[i]->var->extent = extent;
    if (i)
      unit = pir_loop_floordiv(l->m, unit, extent);
  }
}

static loop_block *open_units(nest *n, loop_expr **out_unit) {
  lowering *l = n->l;
  loop_var *u = pir_loop_var_create(l->fn, "u", LOOP_INDEX, 1);
  *out_unit = pir_loop_use(l->m, u);
  return pir_loop_for(l->fn, &l->fn->body, LOOP_PARALLEL, u, pir_loop_use(l->m, l->fn->begin),
                      pir_loop_use(l->m, l->fn->end), NULL);
}

// Devices: states the bounds of a unit's number, so that its split can use narrow divisions.
static void bound_units(nest *n, loop_expr *unit, pir_dim units) {
  int64_t known;
  bool constant = pir_dim_is_const(n->l->dims, units, &known);
  unit->var->extent =
      constant ? pir_loop_int(n->l->m, known) : pir_loop_use(n->l->m, n->l->fn->end);
}

static void add_stage(nest *n, lower_stages *stages, pir_dim units) {
  lower_stage s = {n->l->fn, units};
  pir_vec_push(&n->l->m->arena, stages, s);
}

// Opens a vectorised loop over [begin, end) of a level.
static loop_block *open_lanes(nest *n, loop_block *block, const level *v, loop_expr *begin,
                              loop_expr *end, int unroll, loop_expr **out_at) {
  lowering *l = n->l;
  loop_var *i = pir_loop_var_create(l->fn, "i", LOOP_INDEX, 1);
  loop_block *body = pir_loop_for(l->fn, block, LOOP_VECTORISED, i, begin, end, NULL);
  i->extent = level_extent(n, v);
  l->lanes = i;
  block->last->loop.unroll = (uint16_t)unroll;
  *out_at = pir_loop_use(l->m, i);
  set_level(n, v, *out_at);
  return body;
}

// Computes the range of a level that block number `b` covers.
static void block_bounds(nest *n, loop_block *block, loop_expr *b, loop_expr *extent,
                         int64_t size, loop_expr **begin, loop_expr **end) {
  lowering *l = n->l;
  *begin = pir_loop_let(l->fn, block, "begin", pir_loop_mul(l->m, b, pir_loop_int(l->m, size)));
  *end = pir_loop_let(
      l->fn, block, "end",
      pir_loop_min(l->m, pir_loop_add(l->m, *begin, pir_loop_int(l->m, size)), extent));
}

// Computes a tensor's index at the nest's point; its dims are aligned with the nest's last
// dims.
static void aligned_index(const nest *n, const pir_fact *f, loop_expr **out) {
  for (int d = 0; d < f->rank; d++) {
    int own = d + n->rank - f->rank;
    out[d] = own < 0 || is_one(n, f->shape[d]) ? pir_loop_int(n->l->m, 0) : n->index[own];
  }
}

static void store_outputs(nest *n) {
  for (int i = 0; i < n->output_count; i++) {
    loop_expr *index[PIR_MAX_RANK];
    aligned_index(n, lower_fact(n->l, n->outputs[i]), index);
    lower_store(n->l, n->outputs[i], index);
  }
}

// ---- nests without reductions

static bool splits_last(const nest *n) {
  int64_t c;
  const level *last = &n->levels[n->level_count - 1];
  if (n->level_count == 1)
    return true;
  return pir_dim_is_const(n->l->dims, level_dim(n, last), &c) &&
         c >= 2 * n->l->target->machine->nest.unit_elements;
}

// Opens a loop over a level; its iterations store distinct elements.
static loop_stmt *open_level(nest *n, loop_block **block, const level *v, const char *name) {
  lowering *l = n->l;
  loop_var *at = pir_loop_var_create(l->fn, name, LOOP_INDEX, 1);
  loop_block *around = *block;
  *block = pir_loop_for(l->fn, around, LOOP_SERIAL, at, pir_loop_int(l->m, 0),
                        level_extent(n, v), NULL);
  around->last->loop.apart = true;
  set_level(n, v, pir_loop_use(l->m, at));
  l->lanes = at;
  return around->last;
}

// Schedules an elementwise nest. The last level is vectorised. If it is long, units are parts
// of it at each point of the other levels. Otherwise units are the points of the other levels,
// with the innermost of them as a loop: a division for each point would cost more than its few
// vectors.
static const char *schedule_pointwise(nest *n, loop_stmt *first, loop_stmt *last,
                                      pir_dim *units) {
  lowering *l = n->l;
  int outer = n->level_count - 1;
  int64_t elements = l->target->machine->nest.unit_elements;
  const char *why = NULL;
  if (splits_last(n)) {
    loop_stmt *parts = last;
    pir_dim blocks = pir_dim_ceildiv(l->dims, level_dim(n, &n->levels[outer]),
                                     pir_dim_const(l->dims, elements));
    why = pir_schedule_split(l->fn, last, elements, lower_dim(l, blocks), &parts);
    *units = pir_dim_mul(l->dims, *units, blocks);
    if (first == last)
      first = parts;
    if (!why)
      why = pir_schedule_fuse(l->fn, first, outer + 1);
    if (!why)
      why = pir_schedule_parallel(l->fn, first, 1);
  } else {
    if (outer > 1)
      why = pir_schedule_fuse(l->fn, first, outer - 1);
    if (!why)
      why = pir_schedule_parallel(l->fn, first, outer > 1 ? 2 : 1);
  }
  return why ? why : pir_schedule_vectorise(l->fn, last);
}

static void pointwise(nest *n, lower_stages *stages) {
  lowering *l = n->l;
  loop_stmt *loops[PIR_MAX_RANK];
  loop_expr *unit;
  pir_dim units = 1;
  const char *why = NULL;
  lower_start(l, "stage", (int64_t)stages->count);
  loop_block *body = &l->fn->body;
  for (int d = 0; d < n->rank; d++)
    n->index[d] = n->join && d == n->join_axis ? n->join_begin : pir_loop_int(l->m, 0);
  for (int i = 0; i < n->level_count; i++) {
    loops[i] = open_level(n, &body, &n->levels[i], i + 1 < n->level_count ? "o" : "i");
    if (i)
      units = pir_dim_mul(l->dims, units, level_dim(n, &n->levels[i - 1]));
  }
  if (!n->level_count)
    body = open_units(n, &unit);
  lower_place before = lower_enter(l, body);
  store_outputs(n);
  lower_leave(l, before);
  if (n->level_count && !l->why)
    why = schedule_pointwise(n, loops[0], loops[n->level_count - 1], &units);
  if (why)
    lower_fail(l, l->group, why);
  if (n->level_count > 1) {  // around a last level of extent 0, no unit does anything
    pir_dim last = level_dim(n, &n->levels[n->level_count - 1]);
    units = pir_dim_min(l->dims, units, pir_dim_mul(l->dims, units, last));
  }
  add_stage(n, stages, units);
}

// ---- the same for a device: an element a thread, or a few adjacent ones; all dims are one
// loop

static void flat(nest *n, lower_stages *stages) {
  lowering *l = n->l;
  const pir_machine *machine = l->target->machine;
  int64_t per_unit = machine->device.unit_elements;
  loop_expr *total = pir_loop_int(l->m, 1), *unit, *size = pir_loop_int(l->m, per_unit);
  pir_dim elements = 1;
  lower_start(l, "stage", (int64_t)stages->count);
  l->fn->threads = machine->device.threads;
  loop_block *body = open_units(n, &unit);
  for (int d = 0; d < n->rank; d++)
    n->index[d] = pir_loop_int(l->m, 0);
  for (int i = 0; i < n->level_count; i++) {
    total = pir_loop_mul(l->m, total, level_extent(n, &n->levels[i]));
    elements = pir_dim_mul(l->dims, elements, level_dim(n, &n->levels[i]));
  }
  pir_dim units = pir_dim_ceildiv(l->dims, elements, pir_dim_const(l->dims, per_unit));
  bound_units(n, unit, units);
  loop_expr *begin = pir_loop_mul(l->m, unit, size),
            *end = pir_loop_min(l->m, pir_loop_add(l->m, begin, size), total);
  loop_var *i = pir_loop_var_create(l->fn, "i", LOOP_INDEX, 1);
  body = pir_loop_for(l->fn, body, LOOP_VECTORISED, i, begin, end, NULL);
  i->extent = total;
  l->lanes = i;
  loop_expr *at = pir_loop_use(l->m, i);
  for (int k = n->level_count - 1; k >= 0; k--) {
    loop_expr *extent = level_extent(n, &n->levels[k]);
    set_level(n, &n->levels[k], k ? pir_loop_mod(l->m, at, extent) : at);
    at = pir_loop_floordiv(l->m, at, extent);
  }
  lower_place before = lower_enter(l, body);
  store_outputs(n);
  lower_leave(l, before);
  add_stage(n, stages, units);
}

// A warp for rows of moderate length, less for short ones, a block for long ones.
static int row_threads(const nest *n, int64_t length, bool lanes_inside) {
  const pir_machine *machine = n->l->target->machine;
  int64_t wanted = machine->device.threads, vector = n->l->target->vector_bytes / 4;
  int threads = 1;
  if (!n->level_count)
    return 1;
  if (!lanes_inside)
    return machine->device.side_threads;
  if (!length)
    return machine->device.open_row_threads;
  if (length <= machine->device.short_row)
    wanted = (length + vector - 1) / vector;
  else if (length > machine->device.warp_row)
    wanted = (length + machine->device.row_elements - 1) / machine->device.row_elements;
  while (threads < wanted && threads < machine->device.most_threads)
    threads *= 2;
  return threads;
}

// ---- rows

typedef struct row {
  int phase;
  int reduced[PIR_MAX_RANK], reduced_count;  // levels, outermost first
  bool lanes_inside;                         // the last reduced level is the vector one
  int64_t length;                            // elements; 0: not known
} row;

// The reductions of one phase.
typedef struct phase_sums {
  lower_site site[MAX_OUTPUTS];
  lower_sum sum[MAX_OUTPUTS];
  int count;
  loop_block *lines;  // in which the loops over their lines stand; NULL: they have none
} phase_sums;

static bool exceeds(loop_expr *extent, int64_t n) {
  int64_t known;
  return !pir_loop_is_int(extent, &known) || known > n;
}

// Opens the loop over a level of a row. If lanes are rows, the innermost loop runs over lines
// of at most LINE elements, each of which is summed by itself.
static loop_block *open_row_level(nest *n, const level *v, loop_block *block, phase_sums *sums,
                                  bool innermost, loop_expr **out_at) {
  enum { LINE = 64 };
  lowering *l = n->l;
  loop_expr *from = pir_loop_int(l->m, 0), *to = level_extent(n, v);
  loop_var *k = pir_loop_var_create(l->fn, "k", LOOP_INDEX, 1);
  k->extent = to;
  if (innermost && sums->count && exceeds(to, LINE) && !lower_on_device(l)) {
    loop_var *line = pir_loop_var_create(l->fn, "line", LOOP_INDEX, 1);
    loop_expr *step = pir_loop_int(l->m, LINE);
    block = pir_loop_for(l->fn, block, LOOP_SERIAL, line, from, to, step);
    from = pir_loop_use(l->m, line);
    to = pir_loop_min(l->m, pir_loop_add(l->m, from, step), to);
    sums->lines = block;
    for (int i = 0; i < sums->count; i++)
      lower_sum_begin_line(&sums->site[i], &sums->sum[i], block);
  }
  *out_at = pir_loop_use(l->m, k);
  set_level(n, v, *out_at);
  return pir_loop_for(l->fn, block, LOOP_SERIAL, k, from, to, NULL);
}

// Opens the loops over a row for one phase, and returns the innermost block.
static loop_block *open_row(nest *n, const row *r, loop_block *block, int unroll,
                            phase_sums *sums) {
  lowering *l = n->l;
  loop_expr *zero = pir_loop_int(l->m, 0), *at = zero, *here;
  for (int i = 0; i < r->reduced_count; i++) {
    const level *v = &n->levels[r->reduced[i]];
    loop_expr *extent = level_extent(n, v);
    bool last = i + 1 == r->reduced_count;
    if (r->lanes_inside && last) {
      block = open_lanes(n, block, v, zero, extent, unroll, &here);
    } else {
      block = open_row_level(n, v, block, sums, last, &here);
    }
    at = pir_loop_add(l->m, pir_loop_mul(l->m, at, extent), here);
  }
  l->row_index = at;
  l->row_point = n->index;
  return block;
}

// Saves the values that later phases need. The current phase uses the elements directly.
static void save_values(nest *n, const row *r) {
  lowering *l = n->l;
  for (size_t i = 0; i < l->values.count; i++) {
    lower_value *v = l->values.items[i];
    if (!v->saved || v->first != r->phase)
      continue;
    loop_expr *e = lower_element(l, v->value, n->index);
    v->row = pir_loop_scratch(l->fn, "row", lower_fact(l, v->value)->dtype, r->length);
    pir_loop_store(l->fn, l->block, v->row, l->row_index, e, NULL);
  }
}

// Computes the index of a reduction's result for the row.
static void reduced_index(const nest *n, const pir_fact *f, loop_expr **out) {
  int to = 0;
  bool keeps = f->rank == n->rank;
  for (int d = 0; d < n->rank; d++) {
    if (!n->reduced[d])
      out[to++] = is_one(n, n->extent[d]) ? pir_loop_int(n->l->m, 0) : n->index[d];
    else if (keeps)
      out[to++] = pir_loop_int(n->l->m, 0);
  }
}

// Prefetches the next row into the L2 cache while the current row is in the L1 cache, because
// the hardware prefetcher stops at the end of a row. Tensors that fit the L2 cache are skipped.
static void fetch_next_row(nest *n, const row *r) {
  lowering *l = n->l;
  loop_expr *length = pir_loop_int(l->m, 1);
  if (lower_on_device(l) || !r->lanes_inside)
    return;
  for (int i = 0; i < r->reduced_count; i++)
    length = pir_loop_mul(l->m, length, level_extent(n, &n->levels[r->reduced[i]]));
  for (size_t i = 0; i < l->values.count; i++) {
    lower_value *v = l->values.items[i];
    if (v->slot < 0 || !v->readable || !nest_is_full(n, v->value))
      continue;
    lower_fetch(l, v, n->index, length);
  }
}

// Emits one phase: a loop over the row that accumulates its reductions and stores its results.
// All reductions of a phase share the loop, so inputs are read once.
static void emit_phase(nest *n, const row *r, loop_block *block) {
  lowering *l = n->l;
  phase_sums sums = {.count = 0};
  loop_expr *index[PIR_MAX_RANK], *points = pir_loop_int(l->m, 1);
  bool stores = false;
  for (int i = 0; i < n->reduction_count && !l->why; i++) {
    if (nest_level_of(n, pir_op_result(n->reductions[i], 0)) - 1 != r->phase)
      continue;
    if (!lower_open(l, n->reductions[i], 0, &sums.site[sums.count]))
      return;
    lower_sum_start(&sums.site[sums.count], &sums.sum[sums.count]);
    sums.count++;
  }
  for (int i = 0; i < n->output_count; i++)
    stores |= nest_is_full(n, n->outputs[i]) && nest_level_of(n, n->outputs[i]) == r->phase;
  if (sums.count || stores) {
    int unroll = sums.count && r->lanes_inside ? l->target->machine->core.unroll : 0;
    lower_place before = lower_enter(l, open_row(n, r, block, unroll, &sums));
    // In phase 0 the row itself still arrives from memory, so prefetching starts with phase 1.
    if (r->phase == 1)
      fetch_next_row(n, r);
    save_values(n, r);
    for (int i = 0; i < sums.count && !l->why; i++) {
      sums.site[i].axes = n->rank;
      for (int d = 0; d < n->rank; d++) {
        sums.site[i].axis[d] = n->index[d];
        sums.site[i].axis_extent[d] = n->extent[d];
      }
      lower_sum_add(&sums.site[i], &sums.sum[i]);
    }
    for (int i = 0; i < n->output_count && !l->why; i++)
      if (nest_is_full(n, n->outputs[i]) && nest_level_of(n, n->outputs[i]) == r->phase)
        lower_store(n->l, n->outputs[i], n->index);
    lower_leave(l, before);
    for (int i = 0; i < sums.count && sums.lines; i++)
      lower_sum_end_line(&sums.site[i], &sums.sum[i], sums.lines);
  }
  for (int d = 0; d < n->rank; d++)
    if (n->reduced[d])
      points = pir_loop_mul(l->m, points, lower_dim(l, n->extent[d]));
  for (int i = 0; i < sums.count && !l->why; i++) {
    const pir_value *result = pir_op_result(sums.site[i].op, 0);
    reduced_index(n, lower_fact(l, result), index);
    lower_know(
        l, result, index,
        pir_loop_let(l->fn, l->block, "r", lower_sum_end(&sums.site[i], &sums.sum[i], points)));
  }
}

static void store_row_results(nest *n) {
  loop_expr *index[PIR_MAX_RANK];
  for (int i = 0; i < n->output_count && !n->l->why; i++) {
    if (nest_is_full(n, n->outputs[i]))
      continue;
    reduced_index(n, lower_fact(n->l, n->outputs[i]), index);
    lower_store(n->l, n->outputs[i], index);
  }
}

static void find_row(const nest *n, row *r) {
  int64_t c, most = n->l->target->machine->nest.row_elements;
  *r = (row){.lanes_inside = n->level_count && n->levels[n->level_count - 1].reduced,
             .length = 1};
  for (int i = 0; i < n->level_count; i++) {
    if (!n->levels[i].reduced)
      continue;
    r->reduced[r->reduced_count++] = i;
    if (!pir_dim_is_const(n->l->dims, level_dim(n, &n->levels[i]), &c) || c > most)
      c = 0;
    r->length = r->length * c > most ? 0 : r->length * c;
  }
}

// Emits the stage of a group with reductions. A unit is one row; if lanes are rows, it is a
// block of adjacent rows.
static void rows(nest *n, lower_stages *stages) {
  lowering *l = n->l;
  int outer[PIR_MAX_RANK], count = 0;
  row r;
  loop_expr *at[PIR_MAX_RANK], *unit, *begin, *end, *lane;
  pir_dim units = 1;
  find_row(n, &r);
  for (int i = 0; i < n->level_count; i++) {
    if (n->levels[i].reduced || (!r.lanes_inside && i + 1 == n->level_count))
      continue;
    outer[count++] = i;
    units = pir_dim_mul(l->dims, units, level_dim(n, &n->levels[i]));
  }
  int last = nest_plan_phases(n, r.lanes_inside && r.length > 0 &&
                                     (!lower_on_device(l) || r.reduced_count == 1));
  bool side_by_side = !r.lanes_inside && n->level_count;
  const pir_machine *machine = l->target->machine;
  int64_t lanes_of_unit =
      lower_on_device(l) ? machine->device.unit_rows : machine->nest.unit_rows;
  pir_dim blocks = 1;
  if (side_by_side)
    blocks = pir_dim_ceildiv(l->dims, level_dim(n, &n->levels[n->level_count - 1]),
                             pir_dim_const(l->dims, lanes_of_unit));
  units = pir_dim_mul(l->dims, units, blocks);
  lower_start(l, "stage", (int64_t)stages->count);
  if (lower_on_device(l))
    l->fn->threads = row_threads(n, r.length, r.lanes_inside);
  loop_block *body = open_units(n, &unit);
  if (lower_on_device(l))
    bound_units(n, unit, units);
  for (int d = 0; d < n->rank; d++)
    n->index[d] = pir_loop_int(l->m, 0);
  if (!side_by_side) {
    split_unit(n, body, unit, outer, count, at);
    for (int i = 0; i < count; i++)
      set_level(n, &n->levels[outer[i]], at[i]);
  } else {
    const level *lanes = &n->levels[n->level_count - 1];
    loop_expr *many = lower_dim(l, blocks),
              *b = pir_loop_let(l->fn, body, "b", pir_loop_mod(l->m, unit, many));
    split_unit(n, body, pir_loop_floordiv(l->m, unit, many), outer, count, at);
    for (int i = 0; i < count; i++)
      set_level(n, &n->levels[outer[i]], at[i]);
    block_bounds(n, body, b, level_extent(n, lanes), lanes_of_unit, &begin, &end);
    body = open_lanes(n, body, lanes, begin, end, 0, &lane);
  }
  lower_place before = lower_enter(l, body);
  for (r.phase = 0; r.phase <= last && !l->why; r.phase++)
    emit_phase(n, &r, body);
  store_row_results(n);
  lower_leave(l, before);
  l->row_point = NULL;
  for (size_t i = 0; i < l->values.count; i++)
    l->values.items[i]->row = NULL;
  add_stage(n, stages, units);
}

// ---- which nests a group needs

static bool same_space(const nest *n, const lower_space *s) {
  if (s->rank != n->rank)
    return false;
  for (int d = 0; d < n->rank; d++)
    if (canonical(n, s->extent[d]) != canonical(n, n->extent[d]) ||
        s->reduced[d] != n->reduced[d])
      return false;
  return true;
}

// Collects the reductions of the group. False if they have different iteration spaces.
static bool find_reductions(nest *n) {
  lowering *l = n->l;
  for (const pir_op *op = pir_block_first(pir_region_first(pir_op_region(l->group, 0))); op;
       op = pir_op_next(op)) {
    const pir_opdef *def = pir_op_meaning(op);
    lower_site site;
    lower_space space;
    if (!def->clause || pir_op_has(op, PIR_STRUCTURAL))
      continue;
    if (!lower_open(l, op, 0, &site))
      return false;
    if (site.clause->kind != PIR_CLAUSE_REDUCE)
      continue;
    if (n->reduction_count == MAX_OUTPUTS || !lower_reduce_space(&site, &space))
      return false;
    if (!n->reduction_count) {
      n->rank = space.rank;
      for (int d = 0; d < n->rank; d++) {
        n->extent[d] = space.extent[d];
        n->reduced[d] = space.reduced[d];
      }
    } else if (!same_space(n, &space)) {
      return false;
    }
    n->reductions[n->reduction_count++] = op;
  }
  return n->reduction_count > 0;
}

static bool is_row_shaped(const nest *n, const pir_value *value) {
  const pir_fact *f = lower_fact(n->l, value);
  lower_space space = {.rank = n->rank};
  memcpy(space.extent, n->extent, sizeof space.extent);
  memcpy(space.reduced, n->reduced, sizeof space.reduced);
  return lower_is_row_shape(n->l->dims, &space, f->shape, f->rank);
}

// Takes the nest's memory order from the first tensor of its shape.
static void find_order(nest *n) {
  for (int d = 0; d < n->rank; d++)
    n->order[d] = (uint8_t)d;
  for (size_t i = 0; i < n->l->values.count; i++) {
    const lower_value *v = n->l->values.items[i];
    if (v->slot < 0 || !nest_is_full(n, v->value))
      continue;
    for (int d = 0; d < n->rank; d++)
      n->order[d] = v->order[d];
    return;
  }
}

// Whether two values have one shape and one memory order.
static bool lie_alike(nest *n, const pir_value *a, const pir_value *b) {
  const pir_fact *x = lower_fact(n->l, a), *y = lower_fact(n->l, b);
  const lower_value *v = lower_find(n->l, a), *w = lower_find(n->l, b);
  return pir_dims_equal(n->l->dims, x->shape, x->rank, y->shape, y->rank) &&
         !memcmp(v->order, w->order, (size_t)x->rank);
}

// ---- joins

// Returns the join over the nest's space, if there is exactly one.
static const pir_op *find_join(const nest *n, lower_site *out_site) {
  const pir_op *found = NULL;
  for (const pir_op *op = pir_block_first(pir_region_first(pir_op_region(n->l->group, 0))); op;
       op = pir_op_next(op)) {
    const pir_opdef *def = pir_op_meaning(op);
    lower_site site;
    if (!def->clause || pir_op_has_any(op, PIR_STRUCTURAL | PIR_CONSTANT))
      continue;
    if (!lower_open(n->l, op, 0, &site))
      return NULL;
    if (site.clause->kind != PIR_CLAUSE_JOIN || site.clause->stack ||
        !nest_is_full(n, pir_op_result(op, 0)))
      continue;
    if (found)
      return NULL;
    found = op;
    *out_site = site;
  }
  return found;
}

// Whether the member's memory already is its part of the result.
static bool is_in_place(lowering *l, const pir_value *result, const pir_value *member,
                        loop_expr *begin) {
  const lower_value *to = lower_find(l, result), *from = lower_find(l, member);
  int64_t at;
  return to && from && to->placed && from->placed && to->place.home == from->place.home &&
         pir_loop_is_int(begin, &at) && from->place.offset == to->place.offset + at;
}

static void join_nests(const nest *whole, lower_site *site, lower_stages *stages) {
  lowering *l = whole->l;
  int k = site->clause->nodes[site->clause->body].k;
  const pir_value *result = pir_op_result(site->op, 0),
                  *list = pir_op_operand(site->op, (size_t)k);
  if (!pir_value_op(list) || !pir_op_has(pir_value_op(list), PIR_STRUCTURAL)) {
    lower_fail(l, site->op, "a list from outside");
    return;
  }
  l->join = site->op;
  for (int part = 0; part < lower_members(site, k) && !l->why; part++) {
    nest n = *whole;
    const pir_value *member = lower_operand(site, k, part);
    n.join = site->op;
    n.list = pir_value_op(list);
    n.join_axis = (int)lower_join_axis(site, n.rank);
    n.join_begin = lower_join_begin(site, n.join_axis, part);
    if (l->why)
      break;
    n.join_extent = n.extent[n.join_axis];
    n.extent[n.join_axis] = lower_fact(l, member)->shape[n.join_axis];
    n.output_count = 0;
    for (int i = 0; i < whole->output_count; i++)
      if (whole->outputs[i] != result || !is_in_place(l, result, member, n.join_begin))
        n.outputs[n.output_count++] = whole->outputs[i];
    if (!n.output_count)
      continue;
    l->join_part = part;
    l->join_at = &n.index[n.join_axis];
    nest_find_levels(&n);
    pointwise(&n, stages);
  }
  l->join = NULL;
}

static void pointwise_nest_of(lowering *l, const pir_value *const *outputs, int count,
                              lower_stages *stages) {
  nest n = {.l = l, .output_count = count};
  const pir_fact *f = lower_fact(l, outputs[0]);
  const lower_value *v = lower_find(l, outputs[0]);
  n.rank = f->rank;
  memcpy(n.outputs, outputs, (size_t)count * sizeof(*outputs));
  for (int d = 0; d < n.rank; d++) {
    n.extent[d] = f->shape[d];
    n.order[d] = v->order[d];
  }
  lower_site site;
  if (!lower_on_device(l) && find_join(&n, &site)) {
    join_nests(&n, &site, stages);
    return;
  }
  nest_find_levels(&n);
  if (lower_on_device(l))
    flat(&n, stages);
  else
    pointwise(&n, stages);
}

// Results over the space of the reductions are one stage of rows. The other results are
// elementwise nests; results of equal shape and order share one nest, so common operands are
// computed once.
void lower_nests(lowering *l, lower_stages *stages) {
  nest n = {.l = l};
  const pir_op *yield = lower_yield(l);
  const pir_value *rest[MAX_OUTPUTS];
  int count = 0;
  if (pir_op_operands(yield) > MAX_OUTPUTS) {
    lower_fail(l, l->group, "a group with so many results");
    return;
  }
  for (size_t i = 0; i < pir_op_operands(yield); i++) {
    const pir_fact *f = lower_fact(l, pir_op_operand(yield, i));
    if (!pir_fact_has_rank(f))
      lower_fail(l, l->group, "a result of unknown rank");
  }
  bool in_rows = !l->why && find_reductions(&n);
  for (size_t i = 0; i < pir_op_operands(yield) && !l->why; i++) {
    const pir_value *v = pir_op_operand(yield, i);
    if (in_rows && (nest_is_full(&n, v) || is_row_shaped(&n, v)))
      n.outputs[n.output_count++] = v;
    else
      rest[count++] = v;
  }
  if (n.output_count && !l->why) {
    find_order(&n);
    nest_find_levels(&n);
    rows(&n, stages);
  }
  while (count && !l->why) {
    const pir_value *same[MAX_OUTPUTS] = {rest[0]};
    int k = 0, left = 0;
    for (int i = 0; i < count; i++) {
      if (lie_alike(&n, same[0], rest[i]))
        same[k++] = rest[i];
      else
        rest[left++] = rest[i];
    }
    count = left;
    pointwise_nest_of(l, same, k, stages);
  }
}
