// Convolutions with 3x3 taps by minimal filtering, F(2x2, 3x3): S. Winograd, "Arithmetic Complexity of Computations",
// 1980; A. Lavin and S. Gray, "Fast Algorithms for Convolutional Neural Networks", CVPR 2016. Four outputs of a channel
// take 16 products instead of 36:
//
//   out = A^T [ sum over channels of (G g G^T) * (B^T d B) ] A
//
// with g the taps, d a patch of 4x4 inputs, * element by element. The sums over channels are 16 matrix products.
//
// A unit is a block of patches of one image and a few panels of output channels. It transforms its patches into scratch
// (which stays in the second cache), multiplies them by the packed G g G^T of one panel at a time, and transforms
// the sums back, straight into the epilogue. The transforms add and subtract inputs and halve sums of taps, nothing
// else: with the taps transformed in double precision the error stays within a few times that of the direct sum.
#include "contract_impl.h"

enum { PATCH = 4, OUTPUTS = 2, POINTS = PATCH * PATCH, TAPS = 3 };

// Below, the transforms cost what the products save; above, the packed taps (16/9 of the taps) do not stay in the last
// cache, and reading them from memory costs more.
enum { LEAST_CHANNELS = 32, MOST_PACKED_BYTES = 5 << 20 };

enum { MOST_TILES = 56, UNIT_LANES = 64 };

typedef struct winograd {
  contract_emission e;
  const contract_winograd *how;
  loop_buffer *patches;       // [point][patch of the block][channel], lines padded
  loop_buffer *sums;          // [point][patch of the block][lane of the panel]
  int64_t line;               // of `patches`
  loop_expr *first, *across;  // number of the block's first patch; patches side by side
  loop_expr *count;           // of patches of the image
} winograd;

// ---- what it is good for

static bool is_three_taps(const contract_form *f, const contract_window *w) {
  int64_t taps;
  return w->position >= 0 && w->tap >= 0 && w->stride == 1 && w->dilation == 1 &&
         contract_const(f, f->axes[w->tap].extent, &taps) && taps == TAPS;
}

static bool is_step(const contract_form *f, pir_dim step, int64_t want) {
  int64_t value;
  return contract_const(f, step, &value) && value == want;
}

static bool is_float(const contract_form *f) {
  const contraction *c = f->c;
  return c->a.dtype == PIR_F32 && c->b.dtype == PIR_F32 && c->out.dtype == PIR_F32;
}

// The vectors of a panel: of few widths, so that none is masked.
static int panel_vectors(int64_t lanes, int vector) {
  static const int widths[] = {2, 3, 1};
  for (size_t i = 0; i < sizeof widths / sizeof *widths; i++)
    if (lanes % (widths[i] * vector) == 0) return widths[i];
  return 0;
}

// As many patches as half of the second cache holds; where their number is known, blocks of one size.
static int block_size(const contract_form *f, const contract_winograd *w, const pir_target *target) {
  int64_t most = (int64_t)target->l2_bytes / 2 / (POINTS * (int64_t)sizeof(float) * (w->channels + f->vector)), h, v;
  int rows = contract_most_rows(target, w->vectors);
  if (most > MOST_TILES) most = MOST_TILES;
  if (most < rows) most = rows;
  if (contract_const(f, f->axes[w->y].extent, &h) && contract_const(f, f->axes[w->x].extent, &v) && h > 0 && v > 0) {
    int64_t count = (h + 1) / OUTPUTS * ((v + 1) / OUTPUTS), blocks = (count + most - 1) / most;
    return (int)((count + blocks - 1) / blocks);
  }
  return (int)(most / rows * rows);
}

bool contract_winograd_match(const contract_form *f, const pir_target *target, contract_winograd *w) {
  *w = (contract_winograd){.channel = -1};
  if (f->kind != CONTRACT_PANEL || !is_float(f) || !f->c->b_constant || !f->b_packed || f->lane < 0 ||
      f->window_count != 2 || f->tap_count != 3 || !is_three_taps(f, &f->windows[0]) ||
      !is_three_taps(f, &f->windows[1]))
    return false;
  for (int i = 0; i < f->axis_count; i++)
    if (f->axes[i].role == ROLE_BATCH || (f->axes[i].role == ROLE_N && i != f->lane)) return false;
  for (int i = 0; i < f->tap_count; i++)
    if (f->axes[f->taps[i]].window < 0) w->channel = f->taps[i];
  bool swapped = f->axes[f->windows[0].position].place_a > f->axes[f->windows[1].position].place_a;
  w->rows = &f->windows[swapped];
  w->columns = &f->windows[!swapped];
  w->y = w->rows->position;
  w->x = w->columns->position;
  int64_t lanes;
  if (w->channel < 0 || !contract_const(f, f->axes[w->channel].extent, &w->channels) ||
      !contract_const(f, f->axes[f->lane].extent, &lanes) || !is_step(f, f->axes[w->channel].step_a, 1) ||
      !is_step(f, f->axes[f->lane].step_out, 1))
    return false;
  if (w->channels < LEAST_CHANNELS || lanes < LEAST_CHANNELS || w->channels % f->vector ||
      w->channels > MOST_PACKED_BYTES / (POINTS * (int64_t)sizeof(float)) / lanes)
    return false;
  w->vectors = panel_vectors(lanes, f->vector);
  if (!w->vectors) return false;
  w->tiles = block_size(f, w, target);
  w->rows_of_tile = contract_most_rows(target, w->vectors);
  w->panels = (int)((UNIT_LANES + w->vectors * f->vector - 1) / (w->vectors * f->vector));
  return true;
}

// ---- words

static loop_expr *plus(const winograd *w, loop_expr *a, loop_expr *b) { return pir_loop_add(w->e.m, a, b); }
static loop_expr *minus(const winograd *w, loop_expr *a, loop_expr *b) { return pir_loop_sub(w->e.m, a, b); }
static loop_expr *times(const winograd *w, loop_expr *a, int64_t b) {
  return pir_loop_mul(w->e.m, a, pir_loop_int(w->e.m, b));
}
static loop_expr *offset(const winograd *w, loop_expr *a, int64_t b) { return plus(w, a, pir_loop_int(w->e.m, b)); }

static loop_expr *both(const winograd *w, loop_expr *a, loop_expr *b) {
  return pir_loop_op(w->e.m, PIR_V_AND, a, b, NULL);
}

static loop_block *count_up(const winograd *w, loop_block *block, const char *name, loop_expr *end, int64_t step,
                            loop_expr **out_at) {
  loop_var *var = pir_loop_var_create(w->e.fn, name, PIR_I64, 1);
  *out_at = pir_loop_use(w->e.m, var);
  return pir_loop_for(w->e.fn, block, LOOP_SERIAL, var, pir_loop_int(w->e.m, 0), end, pir_loop_int(w->e.m, step));
}

// Applies `column` to the columns of a matrix of vectors, then to the rows of what comes out.
typedef void (*transform)(const winograd *w, loop_block *block, loop_expr *const *in, int stride, loop_expr **out,
                          int out_stride);

static void apply_twice(const winograd *w, loop_block *block, transform column, loop_expr *const *in, int size,
                        loop_expr **out, int out_size) {
  loop_expr *half[POINTS];
  for (int j = 0; j < size; j++) column(w, block, in + j, size, half + j, size);
  for (int i = 0; i < out_size; i++) column(w, block, half + i * size, 1, out + i * out_size, 1);
}

static loop_expr *name(const winograd *w, loop_block *block, loop_expr *value) {
  return pir_loop_let(w->e.fn, block, "w", value);
}

// ---- patches

// B^T
static void transform_patch(const winograd *w, loop_block *block, loop_expr *const *d, int s, loop_expr **out, int o) {
  out[0] = name(w, block, minus(w, d[0], d[2 * s]));
  out[o] = name(w, block, plus(w, d[s], d[2 * s]));
  out[2 * o] = name(w, block, minus(w, d[2 * s], d[s]));
  out[3 * o] = name(w, block, minus(w, d[s], d[3 * s]));
}

static loop_expr *patch_at(const winograd *w, loop_expr *patch, loop_expr *channel, int point) {
  return offset(w, plus(w, times(w, patch, w->line), channel), (int64_t)point * w->how->tiles * w->line);
}

// All channels of one patch. `inside` tells for each of its rows, then of its columns, whether there is one; NULL: yes.
static void emit_patch(winograd *w, loop_block *block, loop_expr *patch, loop_expr *const *inside) {
  contract_emission *e = &w->e;
  const contract_form *f = e->form;
  uint16_t lanes = (uint16_t)f->vector;
  loop_expr *at, *d[POINTS], *out[POINTS];
  loop_block *body = count_up(w, block, "c", pir_loop_int(e->m, w->how->channels), lanes, &at);
  e->value[w->how->channel] = at;
  for (int i = 0; i < POINTS; i++) {
    e->value[w->how->rows->tap] = pir_loop_int(e->m, i / PATCH);
    e->value[w->how->columns->tap] = pir_loop_int(e->m, i % PATCH);
    loop_expr *mask = inside ? both(w, inside[i / PATCH], inside[PATCH + i % PATCH]) : NULL;
    if (mask) mask = pir_loop_broadcast(e->m, mask, lanes);
    d[i] = name(w, body, pir_loop_load(e->m, e->a, contract_position(e, OF_A), lanes, mask));
  }
  apply_twice(w, body, transform_patch, d, PATCH, out, PATCH);
  for (int i = 0; i < POINTS; i++) pir_loop_store(e->fn, body, w->patches, patch_at(w, patch, at, i), out[i], NULL);
}

// A block that reaches beyond the last patch is filled with zeros: what was left there could be slow numbers.
static void emit_no_patch(winograd *w, loop_block *block, loop_expr *patch) {
  contract_emission *e = &w->e;
  loop_expr *at, *zero = pir_loop_broadcast(e->m, pir_loop_const_float(e->m, PIR_F32, 0), (uint16_t)e->form->vector);
  loop_block *body = count_up(w, block, "c", pir_loop_int(e->m, w->how->channels), e->form->vector, &at);
  for (int i = 0; i < POINTS; i++) pir_loop_store(e->fn, body, w->patches, patch_at(w, patch, at, i), zero, NULL);
}

// 0 <= x < extent, one comparison.
static loop_expr *within(const winograd *w, loop_expr *x, loop_expr *extent) {
  loop_expr *below = pir_loop_lt(w->e.m, x, extent);
  if (pir_loop_nonnegative(x)) return below;
  return both(w, pir_loop_lt(w->e.m, pir_loop_int(w->e.m, -1), x), below);
}

// Where the outputs of a patch are: sets the values of the form's y and x.
static void place_patch(winograd *w, loop_block *block, loop_expr *number) {
  loop_expr *row = pir_loop_let(w->e.fn, block, "row", pir_loop_floordiv(w->e.m, number, w->across));
  loop_expr *column = minus(w, number, pir_loop_mul(w->e.m, row, w->across));
  w->e.value[w->how->y] = pir_loop_let(w->e.fn, block, "y", times(w, row, OUTPUTS));
  w->e.value[w->how->x] = pir_loop_let(w->e.fn, block, "x", times(w, column, OUTPUTS));
}

// The part of `block` for patches that exist, given the number of one.
static loop_block *if_exists(winograd *w, loop_block *block, loop_expr *number, loop_block **out_else) {
  int64_t count;
  *out_else = NULL;
  if (pir_loop_is_int(w->count, &count) && count % w->how->tiles == 0) return block;
  return pir_loop_if(w->e.fn, block, pir_loop_lt(w->e.m, number, w->count), out_else);
}

static void emit_patches(winograd *w, loop_block *block) {
  contract_emission *e = &w->e;
  const contract_window *rows = w->how->rows, *columns = w->how->columns;
  loop_expr *patch, *inside[2 * PATCH];
  loop_block *none, *border;
  block = count_up(w, block, "t", pir_loop_int(e->m, w->how->tiles), 1, &patch);
  loop_expr *number = pir_loop_let(e->fn, block, "n", plus(w, w->first, patch));
  block = if_exists(w, block, number, &none);
  if (none) emit_no_patch(w, none, patch);
  place_patch(w, block, number);
  for (int i = 0; i < PATCH; i++) {
    inside[i] = within(w, offset(w, e->value[w->how->y], rows->offset + i), contract_dim(e, rows->extent));
    inside[PATCH + i] =
        within(w, offset(w, e->value[w->how->x], columns->offset + i), contract_dim(e, columns->extent));
  }
  for (int i = 0; i < 2 * PATCH; i++) inside[i] = pir_loop_let(e->fn, block, "inside", inside[i]);
  loop_expr *all = both(w, both(w, inside[0], inside[PATCH - 1]), both(w, inside[PATCH], inside[2 * PATCH - 1]));
  block = pir_loop_if(e->fn, block, all, &border);
  emit_patch(w, block, patch, NULL);
  emit_patch(w, border, patch, inside);
}

// ---- products

static loop_expr *sum_at(const winograd *w, loop_expr *point, loop_expr *patch, int v) {
  const contract_form *f = w->e.form;
  loop_expr *line = plus(w, times(w, point, w->how->tiles), patch);
  return offset(w, times(w, line, contract_panel_lanes(f)), v * f->vector);
}

// `rows` patches from `patch` on, at one point, times a panel of taps that begins at `taps`.
static void emit_product(winograd *w, loop_block *block, loop_expr *point, loop_expr *patch, int rows,
                         loop_expr *taps) {
  contract_emission *e = &w->e;
  const contract_form *f = e->form;
  loop_buffer *sums[4];
  loop_expr *k, *line[4];
  uint16_t lanes = (uint16_t)f->vector;
  loop_expr *zero = pir_loop_broadcast(e->m, pir_loop_const_float(e->m, PIR_F32, 0), lanes);
  for (int v = 0; v < f->vectors; v++) {
    sums[v] = pir_loop_registers(e->fn, "sum", PIR_F32, lanes, rows);
    for (int r = 0; r < rows; r++) pir_loop_store(e->fn, block, sums[v], pir_loop_int(e->m, r), zero, NULL);
  }
  loop_expr *from = plus(w, times(w, point, w->how->tiles * w->line), times(w, patch, w->line));
  from = pir_loop_let(e->fn, block, "from", from);
  loop_block *body = count_up(w, block, "k", pir_loop_int(e->m, w->how->channels), 1, &k);
  for (int v = 0; v < f->vectors; v++) {
    loop_expr *at = offset(w, plus(w, taps, times(w, k, contract_panel_lanes(f))), v * f->vector);
    line[v] = pir_loop_let(e->fn, body, "b", pir_loop_load(e->m, e->b, at, lanes, NULL));
  }
  for (int r = 0; r < rows; r++) {
    loop_expr *x = pir_loop_load(e->m, w->patches, offset(w, plus(w, from, k), r * w->line), 1, NULL);
    x = pir_loop_broadcast(e->m, pir_loop_let(e->fn, body, "a", x), lanes);
    for (int v = 0; v < f->vectors; v++) {
      loop_expr *at = pir_loop_int(e->m, r);
      pir_loop_store(e->fn, body, sums[v], at,
                     contract_product(e, x, line[v], pir_loop_load(e->m, sums[v], at, lanes, NULL)), NULL);
    }
  }
  for (int r = 0; r < rows; r++)
    for (int v = 0; v < f->vectors; v++)
      pir_loop_store(e->fn, block, w->sums, sum_at(w, point, offset(w, patch, r), v),
                     pir_loop_load(e->m, sums[v], pir_loop_int(e->m, r), lanes, NULL), NULL);
}

// All patches of the block, in tiles of nearly equal size, at every point.
static void emit_products(winograd *w, loop_block *block, loop_expr *panel) {
  contract_emission *e = &w->e;
  int tiles = (w->how->tiles + w->how->rows_of_tile - 1) / w->how->rows_of_tile;
  int rows = w->how->tiles / tiles, larger = w->how->tiles % tiles;
  loop_expr *point, *tile;
  block = count_up(w, block, "point", pir_loop_int(e->m, POINTS), 1, &point);
  loop_expr *taps = times(w, plus(w, times(w, panel, POINTS), point), w->how->channels * contract_panel_lanes(e->form));
  taps = pir_loop_let(e->fn, block, "taps", taps);
  if (larger) {
    loop_block *body = count_up(w, block, "tile", pir_loop_int(e->m, larger), 1, &tile);
    emit_product(w, body, point, times(w, tile, rows + 1), rows + 1, taps);
  }
  loop_block *body = count_up(w, block, "tile", pir_loop_int(e->m, tiles - larger), 1, &tile);
  emit_product(w, body, point, offset(w, times(w, tile, rows), (int64_t)larger * (rows + 1)), rows, taps);
}

// ---- outputs

// A^T
static void transform_sums(const winograd *w, loop_block *block, loop_expr *const *m, int s, loop_expr **out, int o) {
  out[0] = name(w, block, plus(w, plus(w, m[0], m[s]), m[2 * s]));
  out[o] = name(w, block, minus(w, minus(w, m[s], m[2 * s]), m[3 * s]));
}

// The part of `block` for the second output along an axis, which an odd extent lacks.
static loop_block *if_second(winograd *w, loop_block *block, int axis, loop_expr *at) {
  int64_t extent;
  loop_expr *end = contract_extent(&w->e, axis);
  if (pir_loop_is_int(end, &extent) && extent % OUTPUTS == 0) return block;
  return pir_loop_if(w->e.fn, block, pir_loop_lt(w->e.m, at, end), NULL);
}

static bool emit_outputs_of(winograd *w, loop_block *block, loop_expr *panel, loop_expr *patch, int v) {
  contract_emission *e = &w->e;
  const contract_form *f = e->form;
  loop_expr *m[POINTS], *out[OUTPUTS * OUTPUTS], *y = e->value[w->how->y], *x = e->value[w->how->x];
  bool done = true;
  for (int i = 0; i < POINTS; i++) {
    loop_expr *at = sum_at(w, pir_loop_int(e->m, i), patch, v);
    m[i] = name(w, block, pir_loop_load(e->m, w->sums, at, (uint16_t)f->vector, NULL));
  }
  apply_twice(w, block, transform_sums, m, PATCH, out, OUTPUTS);
  e->value[f->lane] = offset(w, times(w, panel, contract_panel_lanes(f)), v * f->vector);
  for (int i = 0; i < OUTPUTS * OUTPUTS && done; i++) {
    loop_block *here = block;
    e->value[w->how->y] = offset(w, y, i / OUTPUTS);
    e->value[w->how->x] = offset(w, x, i % OUTPUTS);
    if (i / OUTPUTS) here = if_second(w, here, w->how->y, e->value[w->how->y]);
    if (i % OUTPUTS) here = if_second(w, here, w->how->x, e->value[w->how->x]);
    done = contract_finish(e, here, out[i], NULL);
  }
  e->value[w->how->y] = y;
  e->value[w->how->x] = x;
  return done;
}

static bool emit_outputs(winograd *w, loop_block *block, loop_expr *panel) {
  contract_emission *e = &w->e;
  loop_expr *patch;
  loop_block *none;
  block = count_up(w, block, "t", pir_loop_int(e->m, w->how->tiles), 1, &patch);
  loop_expr *number = pir_loop_let(e->fn, block, "n", plus(w, w->first, patch));
  block = if_exists(w, block, number, &none);
  place_patch(w, block, number);
  for (int i = 0; i < e->form->tap_count; i++) e->value[e->form->taps[i]] = NULL;
  for (int v = 0; v < e->form->vectors; v++)
    if (!emit_outputs_of(w, block, panel, patch, v)) return false;
  return true;
}

// ---- stages

static bool emit_panels(winograd *w, loop_block *block, loop_expr *group) {
  contract_emission *e = &w->e;
  loop_var *var = pir_loop_var_create(e->fn, "panel", PIR_I64, 1);
  loop_expr *begin = times(w, group, w->how->panels), *end = offset(w, begin, w->how->panels);
  end = pir_loop_min(e->m, end, contract_dim(e, contract_panels(e->form)));
  loop_block *body = pir_loop_for(e->fn, block, LOOP_SERIAL, var, begin, end, NULL);
  loop_expr *panel = pir_loop_use(e->m, var);
  emit_products(w, body, panel);
  return emit_outputs(w, body, panel);
}

static void open_buffers(winograd *w, uint16_t b_slot) {
  contract_emission *e = &w->e;
  const contraction *c = e->form->c;
  const contract_winograd *how = w->how;
  w->line = how->channels + e->form->vector;  // rows of a tile must not share the sets of the first cache
  e->a = pir_loop_arg(e->fn, "a", c->a.dtype, c->a.slot, c->a.align, true);
  e->b = pir_loop_arg(e->fn, "b", PIR_F32, b_slot, 64, true);
  if (!e->env->epilogue) e->out = pir_loop_arg(e->fn, "out", c->out.dtype, c->out.slot, c->out.align, false);
  w->patches = pir_loop_scratch(e->fn, "patches", PIR_F32, POINTS * how->tiles * w->line);
  w->sums = pir_loop_scratch(e->fn, "sums", PIR_F32, POINTS * how->tiles * contract_panel_lanes(e->form));
}

static pir_dim halves(const contract_form *f, int axis) {
  return pir_dim_ceildiv(f->c->dims, f->axes[axis].extent, pir_dim_const(f->c->dims, OUTPUTS));
}

static pir_status emit_blocks(const contract_form *f, const contract_winograd *how, const contract_env *env,
                              const char *stem, contract_stage *out_stage) {
  pir_dims *dims = f->c->dims;
  winograd w = {.e = contract_begin(f, env, stem, ""), .how = how};
  contract_emission *e = &w.e;
  open_buffers(&w, f->c->b.slot);
  loop_var *unit = pir_loop_var_create(e->fn, "unit", PIR_I64, 1);
  loop_block *block = pir_loop_for(e->fn, &e->fn->body, LOOP_PARALLEL, unit, pir_loop_use(e->m, e->fn->begin),
                                   pir_loop_use(e->m, e->fn->end), NULL);
  // A unit is (group of panels, image, block): neighbours share taps.
  pir_dim digits[CONTRACT_MAX_VARS + 2], patches = pir_dim_mul(dims, halves(f, how->y), halves(f, how->x));
  int axes[CONTRACT_MAX_VARS + 2], count = 0;
  digits[count++] = pir_dim_ceildiv(dims, contract_panels(f), pir_dim_const(dims, how->panels));
  for (int i = 0; i < f->axis_count; i++)
    if (f->axes[i].role == ROLE_M && i != how->y && i != how->x) axes[count] = i, digits[count++] = f->axes[i].extent;
  digits[count++] = pir_dim_ceildiv(dims, patches, pir_dim_const(dims, how->tiles));
  loop_expr *extents[CONTRACT_MAX_VARS + 2], *values[CONTRACT_MAX_VARS + 2];
  *out_stage = (contract_stage){e->fn, pir_dim_const(dims, 1)};
  for (int i = 0; i < count; i++) {
    extents[i] = contract_dim(e, digits[i]);
    out_stage->units = pir_dim_mul(dims, out_stage->units, digits[i]);
  }
  contract_split_unit(e, block, pir_loop_use(e->m, unit), extents, count, values);
  for (int i = 1; i < count - 1; i++) e->value[axes[i]] = values[i];
  w.across = contract_dim(e, halves(f, how->x));
  w.count = contract_dim(e, patches);
  w.first = pir_loop_let(e->fn, block, "first", times(&w, values[count - 1], how->tiles));
  emit_patches(&w, block);
  return emit_panels(&w, block, values[0]) ? PIR_OK : PIR_UNSUPPORTED;
}

// G; on the way to the rows of G g G^T the matrix grows from 3x3 to 4x4.
static void transform_taps(const winograd *w, loop_block *block, loop_expr *const *g, int s, loop_expr **out, int o) {
  loop_module *m = w->e.m;
  loop_expr *half = pir_loop_const_float(m, PIR_F64, 0.5), *ends = name(w, block, plus(w, g[0], g[2 * s]));
  out[0] = g[0];
  out[o] = name(w, block, pir_loop_mul(m, plus(w, ends, g[s]), half));
  out[2 * o] = name(w, block, pir_loop_mul(m, minus(w, ends, g[s]), half));
  out[3 * o] = g[2 * s];
}

// One panel: [point][channel][lane].
static void emit_packed_panel(winograd *w, loop_block *block, loop_expr *panel, loop_buffer *packed) {
  contract_emission *e = &w->e;
  const contract_form *f = e->form;
  loop_expr *channel, *g[TAPS * TAPS], *half[PATCH * TAPS], *out[POINTS];
  int64_t width = contract_panel_lanes(f);
  block = count_up(w, block, "c", pir_loop_int(e->m, w->how->channels), 1, &channel);
  e->value[w->how->channel] = channel;
  for (int v = 0; v < f->vectors; v++) {
    loop_expr *lane = offset(w, times(w, panel, width), v * f->vector);
    for (int i = 0; i < TAPS * TAPS; i++) {
      e->value[w->how->rows->tap] = pir_loop_int(e->m, i / TAPS);
      e->value[w->how->columns->tap] = pir_loop_int(e->m, i % TAPS);
      g[i] = name(w, block, pir_loop_cast(e->m, contract_load_lanes(e, lane, NULL), PIR_F64));
    }
    for (int j = 0; j < TAPS; j++) transform_taps(w, block, g + j, TAPS, half + j, TAPS);
    for (int i = 0; i < PATCH; i++) transform_taps(w, block, half + i * TAPS, 1, out + i * PATCH, 1);
    for (int i = 0; i < POINTS; i++) {
      loop_expr *line = plus(w, times(w, offset(w, times(w, panel, POINTS), i), w->how->channels), channel);
      pir_loop_store(e->fn, block, packed, offset(w, times(w, line, width), v * f->vector),
                     pir_loop_cast(e->m, out[i], PIR_F32), NULL);
    }
  }
}

static void emit_packing(const contract_form *f, const contract_winograd *how, const contract_env *env,
                         const char *stem, contract_stage *out_stage) {
  winograd w = {.e = contract_begin(f, env, stem, "_pack"), .how = how};
  contract_emission *e = &w.e;
  e->b = pir_loop_arg(e->fn, "b", PIR_F32, 0, 1, true);
  loop_buffer *packed = pir_loop_arg(e->fn, "packed", PIR_F32, 1, 64, false);
  loop_var *panel = pir_loop_var_create(e->fn, "panel", PIR_I64, 1);
  loop_block *block = pir_loop_for(e->fn, &e->fn->body, LOOP_PARALLEL, panel, pir_loop_use(e->m, e->fn->begin),
                                   pir_loop_use(e->m, e->fn->end), NULL);
  emit_packed_panel(&w, block, pir_loop_use(e->m, panel), packed);
  *out_stage = (contract_stage){e->fn, contract_panels(f)};
}

pir_status contract_emit_winograd(const contract_form *form, const contract_winograd *how, const contract_env *env,
                                  const char *stem, contract_code *out_code) {
  contract_form f = *form;
  int64_t lanes = 0;
  f.vectors = how->vectors;
  contract_const(&f, f.axes[f.lane].extent, &lanes);
  out_code->packed_bytes = POINTS * how->channels * lanes * (int64_t)sizeof(float);
  emit_packing(&f, how, env, stem, &out_code->packing);
  return emit_blocks(&f, how, env, stem, &out_code->stages[out_code->stage_count++]);
}
