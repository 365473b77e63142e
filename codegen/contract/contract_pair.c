// Two contractions in one stage, such as a depthwise convolution and the 1x1 convolution behind
// it. The second contraction reads, for each point of its sums, the first one's results at that
// point only. A unit is a run of points of one row. The first contraction writes all results
// that the second reads for these points to scratch, which stays in the L1 or L2 cache. The
// second then computes the points panel by panel. The intermediate tensor is never stored.
//
// Pairing pays if three conditions hold. The first contraction does little arithmetic for each
// result, so that storing and loading them dominates. The intermediate tensor exceeds the L2
// cache. The packed weights of the second, which every unit reads again, fit the L2 cache.
// Nothing is computed twice. There must be many units, because one unit computes all panels of
// its points.
#include "contract_words.h"

enum {
  MOST_CHANNELS = 1 << 14
};  // the most channels between the two contractions: bounds the
    // scratch

typedef struct pair {
  contract_form first, second;
  int channel;                         // axis of the second that reduces the intermediate
                                       // tensor
  int counterpart[CONTRACT_MAX_VARS];  // for each M axis of the second contraction, the axis of
                                       // the first
  int64_t line;                        // elements from point to point in scratch
  int64_t run;                         // points of a unit; 0: a whole row
} pair;

// ---- form

// Returns the only axis that indexes this dim with stride 1; -1 if none does, -2 if several do,
// or with another stride or an offset.
static int axis_along(const contract_form *f, const contract_map *map) {
  int found = -1;
  for (int i = 0; i < f->axis_count; i++) {
    int64_t factor = map->factor[f->axes[i].parts[0]];
    if (!factor)
      continue;
    if (factor != 1 || found >= 0)
      return -2;
    found = i;
  }
  return map->offset ? -2 : found;
}

static bool same_extent(const pair *p, int a, int b) {
  return pir_dim_equal(p->first.c->dims, p->first.axes[a].extent, p->second.axes[b].extent);
}

// Requires that the lanes of the first are the reduced axis of the second, and that both have
// their tiles along the same dim.
static bool find_counterparts(pair *p) {
  const contract_form *first = &p->first, *second = &p->second;
  const contract_tensor *made = &first->c->out, *read = &second->c->a;
  p->channel = -1;
  if (made->rank != read->rank || made->dtype == PIR_F64 || read->dtype == PIR_F64)
    return false;
  for (int d = 0; d < made->rank; d++) {
    int a = axis_along(first, &made->map[d]), b = axis_along(second, &read->map[d]);
    if (a == -1 && b == -1)
      continue;
    if (a < 0 || b < 0 || !same_extent(p, a, b))
      return false;
    if ((a == first->lane) != (second->axes[b].role == ROLE_K) ||
        (a == first->tile) != (b == second->tile))
      return false;
    if (a == first->lane)
      p->channel = b;
    else if (second->axes[b].role != ROLE_M)
      return false;
    p->counterpart[b] = a;
  }
  for (int i = 0; i < second->outer_count; i++)
    if (second->axes[second->outer[i]].role != ROLE_M)
      return false;
  return p->channel >= 0 && second->tap_count == 1 && second->window_count == 0 &&
         first->outer_count == second->outer_count;
}

// Returns the step in scratch of an axis: of the channels, of the points, or of neither.
static int64_t step_in_scratch(const pair *p, bool is_channel, bool is_point) {
  if (is_channel)
    return 1;
  return is_point ? p->line : 0;
}

// Redirects the second contraction's operand a to scratch.
static void read_scratch(pair *p) {
  pir_dims *dims = p->first.c->dims;
  contract_form *f = &p->second;
  for (int i = 0; i < f->axis_count; i++)
    if (f->axes[i].role != ROLE_N)
      f->axes[i].step_a =
          pir_dim_const(dims, step_in_scratch(p, i == p->channel, i == f->tile));
  f->offset_a = pir_dim_const(dims, 0);
}

static void write_scratch(pair *p) {
  pir_dims *dims = p->first.c->dims;
  contract_form *f = &p->first;
  for (int i = 0; i < f->axis_count; i++)
    if (f->axes[i].role != ROLE_K)
      f->axes[i].step_out = pir_dim_const(dims, step_in_scratch(p, i == f->lane, i == f->tile));
}

static void choose_run(pair *p, const pir_machine *machine) {
  int64_t bytes = p->line * (int64_t)pir_dtype_size(p->first.c->out.dtype), row;
  int64_t tiles = machine->pair.run_bytes / (bytes * p->second.rows);
  if (tiles < machine->pair.run_tiles)
    tiles = machine->pair.run_tiles;
  bool whole = contract_const(&p->first, p->first.axes[p->first.tile].extent, &row) &&
               row <= machine->pair.row_bytes / bytes;
  p->run = whole ? 0 : tiles * p->second.rows;
}

static bool form_pair(const contraction *first, const contraction *second,
                      const pir_target *target, pair *p) {
  int64_t channels;
  if (target->device || !contract_normalise_apart(first, &p->first) ||
      !contract_normalise_apart(second, &p->second) || p->second.kind != CONTRACT_PANEL ||
      p->first.lane < 0 || p->second.lane < 0 || p->first.tile < 0 || p->second.tile < 0 ||
      !find_counterparts(p) ||
      !contract_const(&p->first, p->first.axes[p->first.lane].extent, &channels) ||
      channels < 1 || channels > MOST_CHANNELS)
    return false;
  int64_t wide = target->vector_bytes / (int64_t)pir_dtype_size(first->out.dtype);
  // A line of scratch holds all channels of one point. It is padded if points would map to the
  // same sets of the L1 cache.
  p->line = (channels + wide - 1) / wide * wide;
  int64_t apart = target->machine->cache.line_apart_bytes;
  if (p->line * (int64_t)pir_dtype_size(first->out.dtype) % apart == 0)
    p->line += wide;
  read_scratch(p);
  write_scratch(p);
  contract_schedule(&p->first, target);
  contract_schedule(&p->second, target);
  p->first.strip_count = p->second.strip_count = 0;
  choose_run(p, target->machine);
  return true;
}

// ---- cost

static bool is_known(const contract_form *f, const int *axes, int count, int64_t *product) {
  int64_t extent;
  for (int i = 0; i < count; i++) {
    if (!contract_const(f, f->axes[axes[i]].extent, &extent) || extent < 0)
      return false;
    if (__builtin_mul_overflow(*product, extent, product))
      return false;
  }
  return true;
}

bool pir_contract_pairs(const contraction *first, const contraction *second,
                        const pir_target *target) {
  pair p;
  int64_t products = 1, units = 1, bytes;
  if (!form_pair(first, second, target, &p))
    return false;
  const contract_form *f = &p.first;
  const pir_machine *machine = target->machine;
  if (!is_known(f, f->taps, f->tap_count, &products) || products > machine->pair.products)
    return false;
  if (!p.second.panel_inner)
    return false;
  if (!is_known(f, f->outer, f->outer_count, &units))
    return true;
  if (units < machine->pair.units)
    return false;
  bytes = p.line * (int64_t)pir_dtype_size(first->out.dtype);
  return !is_known(f, &f->tile, 1, &bytes) || __builtin_mul_overflow(bytes, units, &bytes) ||
         bytes > (int64_t)target->l2_bytes / machine->cache.l2_kept;
}

// ---- code

// Emits all panels of e over its span of positions.
static bool emit_pair_panels(contract_emission *e, loop_block *block) {
  loop_var *panel = pir_loop_var_create(e->fn, "panel", LOOP_INDEX, 1);
  block = pir_loop_for(e->fn, block, LOOP_SERIAL, panel, contract_int(e, 0),
                       contract_dim(e, contract_panels(e->form)), NULL);
  return contract_emit_panel(e, block, pir_loop_use(e->m, panel), NULL);
}

static bool emit_pair_tile(contract_emission *e, loop_block *block, loop_expr *from, int rows) {
  e->from = contract_let(e, block, "row", from);
  e->rows = rows;
  return emit_pair_panels(e, block);
}

// Emits tile by tile with all panels of each, so the tile of a stays in the L1 cache. `rest`
// positions, fewer than a tile, start at `tiled`.
static bool emit_tiles(contract_emission *e, loop_block *block) {
  loop_module *m = e->m;
  int rows = e->form->rows, size = 1;
  int64_t known;
  loop_expr *rest = pir_loop_mod(m, pir_loop_sub(m, e->to, e->from), pir_loop_int(m, rows));
  rest = contract_let(e, block, "rest", rest);
  loop_expr *tiled = contract_let(e, block, "tiled", pir_loop_sub(m, e->to, rest));
  loop_var *x = pir_loop_var_create(e->fn, "x", LOOP_INDEX, 1);
  loop_block *body =
      pir_loop_for(e->fn, block, LOOP_SERIAL, x, e->from, tiled, pir_loop_int(m, rows));
  if (!emit_pair_tile(e, body, pir_loop_use(m, x), rows))
    return false;
  if (pir_loop_is_int(rest, &known))
    return !known || emit_pair_tile(e, block, tiled, (int)known);
  while (size * 2 < rows)
    size *= 2;
  for (; size >= 1; size /= 2) {
    loop_expr *left = pir_loop_mod(m, rest, pir_loop_int(m, 2 * size));
    body = contract_if(e, block, pir_loop_lt(m, pir_loop_int(m, size - 1), left), NULL);
    if (!emit_pair_tile(e, body, pir_loop_add(m, tiled, pir_loop_sub(m, rest, left)), size))
      return false;
  }
  return true;
}

static bool emit_run(contract_emission *e, loop_block *block) {
  return e->form->axes[e->form->tile].window >= 0 ? emit_pair_panels(e, block)
                                                  : emit_tiles(e, block);
}

// Sets the unit's range of positions in its row.
static void open_run(const pair *p, contract_emission *first, contract_emission *second,
                     loop_block *block, loop_expr *number) {
  loop_module *m = first->m;
  loop_expr *row = contract_extent(first, p->first.tile), *line = pir_loop_int(m, p->line);
  loop_expr *from = pir_loop_int(m, 0), *to = row;
  if (p->run) {
    from = pir_loop_let(first->fn, block, "from",
                        pir_loop_mul(m, number, pir_loop_int(m, p->run)));
    to = pir_loop_let(first->fn, block, "to",
                      pir_loop_min(m, pir_loop_add(m, from, pir_loop_int(m, p->run)), row));
  }
  first->from = second->from = from;
  first->to = second->to = to;
  first->origin[OF_OUT] = second->origin[OF_A] = pir_loop_mul(m, from, line);
}

static bool emit_units(const pair *p, contract_emission *first, contract_emission *second,
                       contract_stage *out_stage) {
  const contract_form *f = &p->second;
  pir_dims *dims = f->c->dims;
  loop_module *m = first->m;
  loop_var *unit = pir_loop_var_create(first->fn, "unit", LOOP_INDEX, 1);
  loop_block *block =
      pir_loop_for(first->fn, &first->fn->body, LOOP_PARALLEL, unit,
                   pir_loop_use(m, first->fn->begin), pir_loop_use(m, first->fn->end), NULL);
  loop_expr *extents[CONTRACT_MAX_VARS + 1], *values[CONTRACT_MAX_VARS + 1];
  pir_dim runs =
      p->run ? pir_dim_ceildiv(dims, f->axes[f->tile].extent, pir_dim_const(dims, p->run))
             : pir_dim_const(dims, 1);
  *out_stage = (contract_stage){first->fn, runs};
  for (int i = 0; i < f->outer_count; i++) {
    extents[i] = contract_extent(second, f->outer[i]);
    out_stage->units = pir_dim_mul(dims, out_stage->units, f->axes[f->outer[i]].extent);
  }
  extents[f->outer_count] = contract_dim(second, runs);
  contract_split_unit(second, block, pir_loop_use(m, unit), extents, f->outer_count + 1,
                      values);
  for (int i = 0; i < f->outer_count; i++)
    second->value[f->outer[i]] = first->value[p->counterpart[f->outer[i]]] = values[i];
  open_run(p, first, second, block, values[f->outer_count]);
  return emit_run(first, block) && emit_run(second, block);
}

static pir_status pack(const contract_form *f, const contract_env *env, const char *name,
                       contract_pair_code *code, int which) {
  pir_dim bytes = contract_packed_bytes(f);
  if (!contract_const(f, bytes, &code->packed_bytes[which]))
    return PIR_UNSUPPORTED;
  return contract_emit_packing(f, env, name, 0, 1, &code->packings[which]);
}

static void describe_pair(const pair *p, char *how, size_t size) {
  char run[32] = "whole rows";
  if (p->run)
    pir_text_format(run, sizeof run, "%d points of a row", (int)p->run);
  pir_text_format(how, size, "two by %s, tiles of %d rows x %d vectors, then %d x %d of %d %s",
                  run, p->first.rows, p->first.vectors, p->second.rows, p->second.vectors,
                  p->second.vector, pir_dtype_name(p->second.compute));
}

pir_status pir_contract_emit_pair(const contraction *first, const contract_env *first_env,
                                  const contraction *second, const contract_env *second_env,
                                  const char *name, contract_pair_code *out_code) {
  pair p;
  *out_code = (contract_pair_code){0};
  if (!first->b_constant || !second->b_constant ||
      !form_pair(first, second, first_env->target, &p))
    return PIR_UNSUPPORTED;
  PIR_TRY(pack(&p.first, first_env, name, out_code, 0));
  contract_emission one = contract_begin(&p.first, first_env, name, ""), two = one;
  two.form = &p.second;
  two.env = second_env;
  PIR_TRY(pack(&p.second, second_env, pir_loop_name(one.m, name, 1), out_code, 1));
  int64_t points = p.run;
  if (!points)
    contract_const(&p.first, p.first.axes[p.first.tile].extent, &points);
  one.a = pir_loop_arg(one.fn, "a", first->a.dtype, first->a.slot, first->a.align, true);
  one.b = pir_loop_arg(one.fn, "b", contract_lane_dtype(&p.first), first->b.slot, PACKED_ALIGN,
                       true);
  one.out = two.a = pir_loop_scratch(one.fn, "between", first->out.dtype, points * p.line);
  two.b = pir_loop_arg(one.fn, "b", contract_lane_dtype(&p.second), second->b.slot,
                       PACKED_ALIGN, true);
  if (!second_env->epilogue)
    two.out = pir_loop_arg(one.fn, "out", second->out.dtype, second->out.slot,
                           second->out.align, false);
  describe_pair(&p, out_code->how, sizeof out_code->how);
  return emit_units(&p, &one, &two, &out_code->stage) ? PIR_OK : PIR_UNSUPPORTED;
}
