// Contractions on a device: how products are made, how constants lie, and the plain kernel, in
// which one thread computes one element of out and loops over all reduced axes. It serves
// depthwise convolutions and sizes that no tile fits. Tests compare the tiled kernel with it.
#include "architecture.h"
#include "contract_ways.h"
#include "contract_words.h"

contract_products contract_choose_products(const contraction *c, const pir_target *target,
                                           pir_math math) {
  const device_architecture *x = target->architecture;
  pir_dtype a = contract_factor(&c->a), b = contract_factor(&c->b);
  if (a != b)
    return CONTRACT_BY_THREADS;
  if (x->tiles && (a == PIR_F16 || a == PIR_BF16))
    return CONTRACT_BY_HALVES;
  bool rounds = x->tf32 && a == PIR_F32 && math >= PIR_MATH_FAST;
  return rounds ? CONTRACT_BY_ROUNDED : CONTRACT_BY_THREADS;
}

// ---- axes

pir_dim contract_product_of(const contract_form *f, const int *axes, int count) {
  pir_dim all = pir_dim_const(f->c->dims, 1);
  for (int i = 0; i < count; i++)
    all = pir_dim_mul(f->c->dims, all, f->axes[axes[i]].extent);
  return all;
}

// Inserts an axis among `count` others, outermost in out first.
static void insert_axis(const contract_form *f, int axis, int *axes, int count) {
  int at = count;
  for (; at > 0 && f->axes[axes[at - 1]].place_out > f->axes[axis].place_out; at--)
    axes[at] = axes[at - 1];
  axes[at] = axis;
}

int contract_axes_of(const contract_form *f, contract_role role, int *out_axes) {
  int count = 0;
  for (int i = 0; i < f->axis_count; i++) {
    if (f->axes[i].role == role)
      insert_axis(f, i, out_axes, count++);
  }
  return count;
}

// ---- parts of the terms

// Few tiles leave multiprocessors idle: their terms are summed in parts. Each multiprocessor
// gets a block, and a part has so many steps that its sums take few bytes beside both sides.
contract_split contract_choose_split(const contract_form *f, const pir_target *target,
                                     int64_t size, int64_t step) {
  const device_architecture *x = target->architecture;
  pir_dims *dims = f->c->dims;
  const contract_tensor *out = &f->c->out;
  int batch[CONTRACT_MAX_VARS], count = contract_axes_of(f, ROLE_BATCH, batch);
  int rows[CONTRACT_MAX_VARS], row_count = contract_axes_of(f, ROLE_M, rows);
  pir_dim of_tile = pir_dim_const(dims, size), results = pir_dim_const(dims, 1);
  pir_dim tiles =
      pir_dim_mul(dims, pir_dim_ceildiv(dims, contract_product_of(f, rows, row_count), of_tile),
                  pir_dim_mul(dims, pir_dim_ceildiv(dims, f->axes[f->lane].extent, of_tile),
                              contract_product_of(f, batch, count)));
  for (int axis = 0; axis < out->rank; axis++)
    results = pir_dim_mul(dims, results, out->room[axis]);
  contract_split split = {0};
  int64_t blocks, terms;
  if (!contract_const(f, tiles, &blocks) || !contract_const(f, results, &split.results) ||
      !contract_const(f, contract_product_of(f, f->taps, f->tap_count), &terms) || blocks < 1)
    return split;
  int64_t steps = (terms + step - 1) / step, most = steps / x->part_steps;
  int64_t parts = x->multiprocessors / blocks < most ? x->multiprocessors / blocks : most;
  if (parts < 2)
    return split;
  split.terms = (steps + parts - 1) / parts * step;
  split.parts = (terms + split.terms - 1) / split.terms;
  return split;
}

// ---- constants

// Returns the axis of b along which an axis of the form goes element by element; -1: none.
static int step_axis_of_b(const contract_form *f, int axis) {
  const contract_tensor *b = &f->c->b;
  int var = f->axes[axis].parts[0], found = -1;
  for (int i = 0; i < b->rank; i++) {
    if (!b->map[i].factor[var])
      continue;
    if (found >= 0 || b->map[i].factor[var] != 1)
      return -1;
    found = i;
  }
  return found;
}

// Threads read lines of columns, and so can warps read fragments. A warp reads two neighbouring
// terms of 16 bits at once, if lines are of terms; these must fill accesses, since terms of
// several axes do not follow each other in all of b's orders.
bool pir_contract_pack_for_device(contraction *c, const pir_target *target, pir_math math) {
  contract_form f;
  if (!contract_normalise(c, &f) || !contract_fits_tile(&f, target->machine))
    return false;
  contract_products products = contract_choose_products(c, target, math);
  pir_dtype dtype = contract_factor(&c->b);
  int64_t width = target->vector_bytes / (int64_t)pir_dtype_size(dtype), extent = 0;
  int last = f.taps[f.tap_count - 1], terms = step_axis_of_b(&f, last);
  bool fills = products != CONTRACT_BY_THREADS && terms >= 0 &&
               contract_known_factor(&f, f.axes[last].extent) % width == 0;
  int before = c->b.order[c->b.rank - 1];
  bool best = fills && (before == terms || products == CONTRACT_BY_HALVES);
  int axis = best ? terms : step_axis_of_b(&f, f.lane);
  if (axis < 0 || !contract_const(&f, c->b.shape[axis], &extent))
    return false;
  if (axis == before && extent % width == 0 && dtype == c->b.dtype)
    return false;
  contract_move_innermost(&c->b, axis);
  c->b.room[axis] = pir_dim_const(c->dims, (extent + width - 1) / width * width);
  c->b.padded = true;
  c->b.dtype = dtype;
  c->b.rounded = PIR_UNDEFINED;
  return true;
}

// ---- the plain kernel

// Collects all axes of out, outermost in memory first.
static int order_out(const contract_form *f, int *out_axes) {
  int count = 0;
  for (int i = 0; i < f->axis_count; i++) {
    if (f->axes[i].role != ROLE_K)
      insert_axis(f, i, out_axes, count++);
  }
  return count;
}

// The condition that the current tap is inside a; NULL if it always is.
static loop_expr *inside(const contract_emission *e) {
  const contract_form *f = e->form;
  loop_expr *all = NULL, *zero = contract_int(e, 0);
  for (int i = 0; i < f->window_count; i++) {
    const contract_window *w = &f->windows[i];
    loop_expr *at = contract_int(e, w->offset);
    if (w->position >= 0)
      at = contract_add(e, at, contract_times(e, e->value[w->position], w->stride));
    if (w->tap >= 0)
      at = contract_add(e, at, contract_times(e, e->value[w->tap], w->dilation));
    loop_expr *low = pir_loop_op(e->m, PIR_V_LE, zero, at, NULL);
    loop_expr *high = contract_lt(e, at, contract_dim(e, w->extent));
    all = contract_both(e, all, contract_both(e, low, high));
  }
  int64_t always;
  return all && pir_loop_is_int(all, &always) && always ? NULL : all;
}

static void add_taps(contract_emission *e, loop_block *block, loop_buffer *sum) {
  const contract_form *f = e->form;
  loop_expr *zero = contract_int(e, 0);
  for (int i = 0; i < f->tap_count; i++) {
    loop_expr *extent = contract_extent(e, f->taps[i]);
    block = contract_loop(e, block, "k", zero, extent, NULL, &e->value[f->taps[i]]);
  }
  loop_expr *a = contract_load(e, e->a, contract_position(e, OF_A), 1, inside(e));
  loop_expr *b = contract_load(e, e->b, contract_position(e, OF_B), 1, NULL);
  loop_expr *before = contract_load(e, sum, zero, 1, NULL);
  a = pir_loop_cast(e->m, pir_loop_cast(e->m, a, contract_factor(&f->c->a)), f->compute);
  b = pir_loop_cast(e->m, pir_loop_cast(e->m, b, contract_factor(&f->c->b)), f->compute);
  contract_store(e, block, sum, zero, contract_product(e, a, b, before));
  for (int i = 0; i < f->tap_count; i++)
    e->value[f->taps[i]] = NULL;
}

static void open_operands(contract_emission *e) {
  e->a = contract_arg(e, "a", &e->form->c->a);
  e->b = contract_arg(e, "b", &e->form->c->b);
  contract_open_out(e);
}

// Opens the units of a kernel with one element of out each, and moves e to its place.
static loop_block *open_elements(contract_emission *e, contract_stage *out_stage) {
  const contract_form *f = e->form;
  pir_dims *dims = f->c->dims;
  int axes[CONTRACT_MAX_VARS], count = order_out(f, axes);
  loop_expr *extents[CONTRACT_MAX_VARS], *values[CONTRACT_MAX_VARS], *unit;
  e->fn->threads = 1;
  *out_stage = (contract_stage){e->fn, pir_dim_const(dims, 1)};
  for (int i = 0; i < count; i++) {
    pir_dim extent = f->axes[axes[i]].extent;
    extents[i] = contract_dim(e, extent);
    out_stage->units = pir_dim_mul(dims, out_stage->units, extent);
  }
  loop_block *block = contract_open_units(e, "unit", &unit);
  contract_bound_unit(e, unit, out_stage->units);
  contract_split_unit(e, block, unit, extents, count, values);
  for (int i = 0; i < count; i++)
    e->value[axes[i]] = values[i];
  return block;
}

// Opens a sum that begins at zero.
static loop_buffer *open_sum(const contract_emission *e, loop_block *block) {
  pir_dtype type = e->form->compute;
  loop_buffer *sum = pir_loop_registers(e->fn, "sum", type, 1, 1);
  contract_store(e, block, sum, contract_int(e, 0), pir_loop_const_float(e->m, type, 0));
  return sum;
}

static pir_status finish_sum(const contract_emission *e, loop_block *block, loop_buffer *sum) {
  loop_expr *total = contract_load(e, sum, contract_int(e, 0), 1, NULL);
  total = contract_let(e, block, "sum", total);
  return contract_finish(e, block, total, NULL) ? PIR_OK : PIR_UNSUPPORTED;
}

static pir_status emit_plain(const contract_form *f, const contract_env *env, const char *name,
                             contract_stage *out_stage) {
  contract_emission e = contract_begin(f, env, name, "");
  open_operands(&e);
  loop_block *block = open_elements(&e, out_stage);
  loop_buffer *sum = open_sum(&e, block);
  add_taps(&e, block, sum);
  return finish_sum(&e, block, sum);
}

pir_status contract_emit_sum(const contract_form *f, const contract_env *env, const char *name,
                             const contract_split *split, contract_stage *out_stage) {
  contract_emission e = contract_begin(f, env, name, "_sum");
  uint32_t align = (uint32_t)pir_dtype_size(f->compute);
  loop_buffer *parts = pir_loop_arg(e.fn, "parts", f->compute, split->slot, align, true);
  loop_expr *part, *zero = contract_int(&e, 0);
  contract_open_out(&e);
  loop_block *block = open_elements(&e, out_stage), *body;
  loop_buffer *sum = open_sum(&e, block);
  body = contract_count(&e, block, "part", contract_int(&e, split->parts), 1, &part);
  loop_expr *at = contract_times(&e, part, split->results);
  at = contract_add(&e, at, contract_position(&e, OF_OUT));
  loop_expr *before = contract_load(&e, sum, zero, 1, NULL);
  loop_expr *own = contract_load(&e, parts, at, 1, NULL);
  contract_store(&e, body, sum, zero, contract_add(&e, before, own));
  return finish_sum(&e, block, sum);
}

pir_status contract_emit_device(const contract_form *f, const contract_env *env,
                                const char *name, contract_code *out_code) {
  if (contract_fits_tile(f, env->target->machine))
    return contract_emit_tiles(f, env, name, out_code);
  return emit_plain(f, env, name, &out_code->stages[out_code->stage_count++]);
}
