// Convolutions by minimal filtering: S. Winograd, "Arithmetic Complexity of Computations",
// 1980; A. Lavin and S. Gray, "Fast Algorithms for Convolutional Neural Networks", CVPR 2016.
// The one-dimensional filters of contract_filter.c are applied along the rows and the columns
// of an image:
//
//   out = A [ sum over channels of (G g G^T) * (B d B^T) ] A^T
//
// where g are the taps, d is a patch of inputs, and * multiplies element by element. The sums
// over channels are one matrix product for each point. A 2 x 2 block of outputs of a 3x3 filter
// takes 16 products instead of 36; a 3 x 3 block at stride 2 takes 49 instead of 81. With more
// points, which lose a few bits, a 4 x 4 block takes 36 instead of 144.
//
// A unit is a block of patches and a few panels of output channels. It transforms its patches
// into scratch that stays in the L2 cache, multiplies them by the packed G g G^T of one panel
// at a time, and transforms the sums back into the epilogue. Taps are transformed in double
// precision.
#include "contract_words.h"

enum { MOST_POINTS = CONTRACT_MAX_POINTS * CONTRACT_MAX_POINTS };

typedef struct winograd {
  contract_emission e;
  const contract_winograd *how;
  const contract_filter *rows, *columns;
  int points;            // points of a patch
  loop_buffer *patches;  // [point][patch of the block][channel], lines padded
  loop_buffer *sums;     // [point][patch of the block][lane of the panel]
  int64_t line;          // distance from patch to patch in `patches`
  loop_expr *first;      // number of the block's first patch
  loop_expr *tiles;      // tiles of the block; fewer in the last block if tiles have one size
  loop_expr *across, *down, *count;  // patches across, patches down, patches of all images
} winograd;

void contract_winograd_describe(const contract_winograd *w, char *out, size_t size) {
  const contract_filter *r = &w->slide[0].filter, *c = &w->slide[1].filter;
  pir_text_format(
      out, size,
      "minimal filtering of %dx%d outputs by %d products, %d patches x %d lanes a unit",
      r->outputs, c->outputs, r->points * c->points, w->tiles,
      w->panels * w->vectors * w->vector);
}

// ---- patches

static loop_expr *patch_at(const winograd *w, loop_expr *patch, loop_expr *channel, int point) {
  const contract_emission *e = &w->e;
  loop_expr *at = contract_in_line(e, patch, w->line, channel);
  return contract_plus(e, at, (int64_t)point * w->how->tiles * w->line);
}

static void set_tap(winograd *w, int slide, int at) {
  contract_emission *e = &w->e;
  int axis = w->how->slide[slide].tap;
  if (axis >= 0)
    e->value[axis] = contract_int(e, at);
}

static loop_block *count_channels(const winograd *w, loop_block *block, int step,
                                  loop_expr **out_at) {
  const contract_emission *e = &w->e;
  loop_expr *channels = contract_int(e, w->how->channels);
  return contract_count(e, block, "c", channels, step, out_at);
}

// Transforms all channels of one patch. `inside` states which of its rows, then of its columns,
// exist; NULL: all.
static void emit_patch(winograd *w, loop_block *block, loop_expr *patch,
                       loop_expr *const *inside) {
  contract_emission *e = &w->e;
  uint16_t lanes = (uint16_t)w->how->wide;
  int rows = w->rows->inputs, columns = w->columns->inputs;
  loop_expr *at, *d[MOST_POINTS], *out[MOST_POINTS];
  loop_block *body = count_channels(w, block, lanes, &at);
  e->value[w->how->channel] = at;
  for (int i = 0; i < rows * columns; i++) {
    set_tap(w, 0, i / columns);
    set_tap(w, 1, i % columns);
    loop_expr *mask = NULL;
    if (inside)
      mask = contract_both(e, inside[i / columns], inside[rows + i % columns]);
    if (mask)
      mask = contract_broadcast(e, mask, lanes);
    loop_expr *x = contract_load(e, e->a, contract_position(e, OF_A), lanes, mask);
    d[i] = contract_let(e, body, "w", pir_loop_cast(e->m, x, PIR_F32));
  }
  contract_transform(e, body, &w->rows->inward, &w->columns->inward, d, out);
  for (int i = 0; i < w->points; i++)
    contract_store(e, body, w->patches, patch_at(w, patch, at, i), out[i]);
}

// Whether the patches are known to fill all blocks exactly.
static bool fills_blocks(const winograd *w) {
  int64_t count;
  return pir_loop_is_int(w->count, &count) && count % w->how->tiles == 0;
}

// Whether the tiles of a block have nearly equal sizes. If blocks are not cut to the number of
// patches, all tiles have one size.
static bool is_cut(const winograd *w) {
  return w->how->tiles % w->how->rows_of_tile || fills_blocks(w);
}

static void find_tiles(winograd *w, loop_block *block) {
  contract_emission *e = &w->e;
  int rows = w->how->rows_of_tile;
  w->tiles = contract_int(e, (w->how->tiles + rows - 1) / rows);
  if (is_cut(w))
    return;
  loop_expr *left = contract_sub(e, w->count, w->first);
  left = contract_div(e, contract_plus(e, left, rows - 1), contract_int(e, rows));
  w->tiles = contract_let(e, block, "tiles", contract_min(e, left, w->tiles));
}

// Returns the number of patches of the block, including those that fill the last tile.
static loop_expr *patches_of(const winograd *w) {
  const contract_emission *e = &w->e;
  if (is_cut(w))
    return contract_int(e, w->how->tiles);
  return contract_times(e, w->tiles, w->how->rows_of_tile);
}

static loop_expr *zeros(const winograd *w, int lanes) {
  const contract_emission *e = &w->e;
  return contract_broadcast(e, pir_loop_const_float(e->m, PIR_F32, 0), lanes);
}

// Fills the part of a block beyond the last patch with zeros: stale contents could be
// denormals, which are slow.
static void emit_no_patch(winograd *w, loop_block *block, loop_expr *patch) {
  contract_emission *e = &w->e;
  uint16_t lanes = (uint16_t)w->how->wide;
  loop_expr *at, *zero = zeros(w, lanes);
  loop_block *body = count_channels(w, block, lanes, &at);
  for (int i = 0; i < w->points; i++)
    contract_store(e, body, w->patches, patch_at(w, patch, at, i), zero);
}

// 0 <= x < extent; one comparison if x is known to be non-negative.
static loop_expr *is_in_extent(const contract_emission *e, loop_expr *x, loop_expr *extent) {
  loop_expr *below = contract_lt(e, x, extent);
  if (pir_loop_nonnegative(x))
    return below;
  return contract_both(e, contract_lt(e, contract_int(e, -1), x), below);
}

// Computes which inputs of a patch exist in each row or column; returns whether all exist
// (NULL: always).
static loop_expr *find_inside(winograd *w, loop_block *block, const contract_slide *s,
                              loop_expr **out) {
  contract_emission *e = &w->e;
  int inputs = s->filter.inputs;
  loop_expr *from = contract_times(e, e->value[s->position], s->stride);
  from = contract_plus(e, from, s->offset);
  for (int i = 0; i < inputs; i++) {
    out[i] = NULL;
    if (s->tap < 0)
      continue;
    loop_expr *extent = contract_dim(e, s->extent);
    out[i] = is_in_extent(e, contract_plus(e, from, i), extent);
    out[i] = contract_let(e, block, "inside", out[i]);
  }
  return contract_both(e, out[0], out[inputs - 1]);
}

// Sets the values of the form's axes to the position of a patch's outputs.
static void place_patch(winograd *w, loop_block *block, loop_expr *number) {
  contract_emission *e = &w->e;
  const contract_slide *s = w->how->slide;
  loop_expr *row = contract_let(e, block, "row", contract_div(e, number, w->across));
  loop_expr *column = contract_sub(e, number, contract_mul(e, row, w->across));
  if (w->how->image >= 0) {
    loop_expr *image = contract_let(e, block, "image", contract_div(e, row, w->down));
    row = contract_sub(e, row, contract_mul(e, image, w->down));
    e->value[w->how->image] = image;
  }
  loop_expr *y = contract_times(e, row, w->rows->outputs);
  e->value[s[0].position] = contract_let(e, block, "y", y);
  loop_expr *x = contract_times(e, column, w->columns->outputs);
  e->value[s[1].position] = contract_let(e, block, "x", x);
}

// Returns the part of `block` that runs only if patch `number` exists.
static loop_block *if_exists(winograd *w, loop_block *block, loop_expr *number,
                             loop_block **out_else) {
  const contract_emission *e = &w->e;
  *out_else = NULL;
  if (fills_blocks(w))
    return block;
  return contract_if(e, block, contract_lt(e, number, w->count), out_else);
}

static void emit_patches(winograd *w, loop_block *block) {
  contract_emission *e = &w->e;
  loop_expr *patch, *inside[2 * CONTRACT_MAX_POINTS];
  loop_block *none, *border;
  block = contract_count(e, block, "t", patches_of(w), 1, &patch);
  loop_expr *number = contract_let(e, block, "n", contract_add(e, w->first, patch));
  block = if_exists(w, block, number, &none);
  if (none)
    emit_no_patch(w, none, patch);
  place_patch(w, block, number);
  loop_expr *rows = find_inside(w, block, &w->how->slide[0], inside);
  loop_expr *columns = find_inside(w, block, &w->how->slide[1], inside + w->rows->inputs);
  block = contract_if(e, block, contract_both(e, rows, columns), &border);
  emit_patch(w, block, patch, NULL);
  emit_patch(w, border, patch, inside);
}

// ---- products

static int64_t panel_lanes(const winograd *w) {
  return (int64_t)w->how->vector * w->how->vectors;
}

// Returns the offset of the sums of vector `v` of the panel.
static loop_expr *sum_at(const winograd *w, loop_expr *point, loop_expr *patch, loop_expr *v) {
  const contract_emission *e = &w->e;
  loop_expr *line = contract_in_line(e, point, w->how->tiles, patch);
  return contract_in_line(e, line, panel_lanes(w), contract_times(e, v, w->how->vector));
}

// A register tile of sums: `rows` patches, starting at `patch`, at one point, multiplied by the
// panel of taps at `taps`.
typedef struct patch_tile {
  loop_expr *point, *patch, *taps;
  loop_expr *fetch;  // position of the following taps that are fetched; NULL: none
  int rows;
  loop_buffer *sums[CONTRACT_MOST_VECTORS];
} patch_tile;

static void clear_patch_sums(winograd *w, loop_block *block, patch_tile *t) {
  contract_emission *e = &w->e;
  uint16_t lanes = (uint16_t)w->how->vector;
  loop_expr *zero = zeros(w, lanes);
  for (int v = 0; v < w->how->vectors; v++) {
    t->sums[v] = pir_loop_registers(e->fn, "sum", PIR_F32, lanes, t->rows);
    for (int r = 0; r < t->rows; r++)
      contract_store(e, block, t->sums[v], contract_int(e, r), zero);
  }
}

// Adds the products of channel `k`. The first patch's values at the point begin at `from`.
static void add_channel(winograd *w, loop_block *block, const patch_tile *t, loop_expr *from,
                        loop_expr *k) {
  contract_emission *e = &w->e;
  loop_expr *line[CONTRACT_MOST_VECTORS];
  int lanes = w->how->vector, vectors = w->how->vectors;
  loop_expr *taps = contract_add(e, t->taps, contract_times(e, k, panel_lanes(w)));
  for (int v = 0; v < vectors; v++) {
    loop_expr *x = contract_load(e, e->b, contract_plus(e, taps, v * lanes), lanes, NULL);
    line[v] = contract_let(e, block, "b", x);
  }
  if (t->fetch)
    contract_fetch(e, block, contract_add(e, t->fetch, contract_mul(e, k, w->e.fetch.step)), 1);
  from = contract_add(e, from, k);
  for (int r = 0; r < t->rows; r++) {
    loop_expr *x = contract_load(e, w->patches, contract_plus(e, from, r * w->line), 1, NULL);
    x = contract_broadcast(e, contract_let(e, block, "a", x), lanes);
    loop_expr *at = contract_int(e, r);
    for (int v = 0; v < vectors; v++) {
      loop_expr *sum = contract_load(e, t->sums[v], at, lanes, NULL);
      contract_store(e, block, t->sums[v], at, contract_product(e, x, line[v], sum));
    }
  }
}

static void emit_product(winograd *w, loop_block *block, patch_tile t) {
  contract_emission *e = &w->e;
  loop_expr *k;
  clear_patch_sums(w, block, &t);
  loop_expr *from = contract_times(e, t.point, w->how->tiles * w->line);
  from = contract_add(e, from, contract_times(e, t.patch, w->line));
  from = contract_let(e, block, "from", from);
  loop_expr *channels = contract_int(e, w->how->channels);
  int repeats = contract_repeated_steps(e, w->how->channels);
  loop_block *body = contract_count(e, block, "k", channels, repeats, &k);
  for (int i = 0; i < repeats; i++)
    add_channel(w, body, &t, from, contract_plus(e, k, i));
  for (int r = 0; r < t.rows; r++)
    for (int v = 0; v < w->how->vectors; v++) {
      loop_expr *patch = contract_plus(e, t.patch, r);
      loop_expr *to = sum_at(w, t.point, patch, contract_int(e, v));
      loop_expr *at = contract_int(e, r);
      loop_expr *sum = contract_load(e, t.sums[v], at, w->how->vector, NULL);
      contract_store(e, block, w->sums, to, sum);
    }
}

// Sets which part of the following point's taps the tile with this number fetches.
static void fetch_next_taps(winograd *w, patch_tile *t, loop_expr *number, int tiles) {
  contract_emission *e = &w->e;
  if (!w->how->fetches)
    return;
  int64_t share = (panel_lanes(w) + tiles - 1) / tiles;
  e->fetch.of = e->b;
  e->fetch.step = contract_int(e, share);
  loop_expr *next = contract_plus(e, t->taps, w->how->channels * panel_lanes(w));
  t->fetch = contract_add(e, next, contract_times(e, number, w->how->channels * share));
}

// Multiplies all patches of the block at every point, in tiles of nearly equal size.
static void emit_products(winograd *w, loop_block *block, loop_expr *panel) {
  contract_emission *e = &w->e;
  int tiles = (w->how->tiles + w->how->rows_of_tile - 1) / w->how->rows_of_tile;
  int rows = w->how->tiles / tiles, larger = w->how->tiles % tiles;
  loop_expr *number;
  patch_tile t = {.rows = rows + 1};
  block = contract_count(e, block, "point", contract_int(e, w->points), 1, &t.point);
  loop_expr *line = contract_in_line(e, panel, w->points, t.point);
  loop_expr *taps = contract_times(e, line, w->how->channels * panel_lanes(w));
  t.taps = contract_let(e, block, "taps", taps);
  if (larger) {
    loop_block *body = contract_count(e, block, "tile", contract_int(e, larger), 1, &number);
    t.patch = contract_times(e, number, t.rows);
    fetch_next_taps(w, &t, number, tiles);
    emit_product(w, body, t);
  }
  loop_expr *end = is_cut(w) ? contract_int(e, tiles - larger) : w->tiles;
  loop_block *body = contract_count(e, block, "tile", end, 1, &number);
  int64_t before = (int64_t)larger * t.rows;
  t.rows = rows;
  t.patch = contract_plus(e, contract_times(e, number, rows), before);
  fetch_next_taps(w, &t, contract_plus(e, number, larger), tiles);
  emit_product(w, body, t);
}

// ---- outputs

// Returns the part of `block` that runs only if output `i` of a patch exists along an axis; the
// last patch may lack it.
static loop_block *if_output(winograd *w, loop_block *block, const contract_slide *s, int i,
                             loop_expr *at) {
  const contract_emission *e = &w->e;
  int64_t extent;
  loop_expr *end = contract_extent(e, s->position);
  if (!i || (pir_loop_is_int(end, &extent) && extent % s->filter.outputs == 0))
    return block;
  return contract_if(e, block, contract_lt(e, at, end), NULL);
}

// Hands the outputs of one vector of lanes of a patch, whose first one is at (y, x), to the
// epilogue.
static bool finish_outputs(winograd *w, loop_block *block, loop_expr *const *out, loop_expr *y,
                           loop_expr *x) {
  contract_emission *e = &w->e;
  const contract_slide *rows = &w->how->slide[0], *columns = &w->how->slide[1];
  for (int i = 0; i < w->rows->outputs; i++) {
    loop_expr *at_y = contract_plus(e, y, i);
    e->value[rows->position] = at_y;
    loop_block *row = if_output(w, block, rows, i, at_y);
    for (int j = 0; j < w->columns->outputs; j++) {
      loop_expr *at_x = contract_plus(e, x, j);
      e->value[columns->position] = at_x;
      loop_block *here = if_output(w, row, columns, j, at_x);
      if (!contract_finish(e, here, out[i * w->columns->outputs + j], NULL))
        return false;
    }
  }
  return true;
}

// Emits the outputs of one vector of lanes of a patch.
static bool emit_outputs_of(winograd *w, loop_block *block, loop_expr *panel, loop_expr *patch,
                            loop_expr *v) {
  contract_emission *e = &w->e;
  const contract_slide *slide = w->how->slide;
  loop_expr **y = &e->value[slide[0].position], **x = &e->value[slide[1].position];
  loop_expr *m[MOST_POINTS], *out[MOST_POINTS], *first_y = *y, *first_x = *x;
  for (int i = 0; i < w->points; i++) {
    loop_expr *at = sum_at(w, contract_int(e, i), patch, v);
    m[i] = contract_let(e, block, "w", contract_load(e, w->sums, at, w->how->vector, NULL));
  }
  contract_transform(e, block, &w->rows->outward, &w->columns->outward, m, out);
  loop_expr *lane = contract_times(e, v, w->how->vector);
  e->value[e->form->lane] = contract_in_line(e, panel, panel_lanes(w), lane);
  bool done = finish_outputs(w, block, out, first_y, first_x);
  *y = first_y;
  *x = first_x;
  return done;
}

static bool emit_outputs(winograd *w, loop_block *block, loop_expr *panel) {
  contract_emission *e = &w->e;
  loop_expr *patch, *v;
  loop_block *none;
  block = contract_count(e, block, "t", patches_of(w), 1, &patch);
  loop_expr *number = contract_let(e, block, "n", contract_add(e, w->first, patch));
  block = if_exists(w, block, number, &none);
  place_patch(w, block, number);
  for (int i = 0; i < e->form->tap_count; i++)
    e->value[e->form->taps[i]] = NULL;
  block = contract_count(e, block, "v", contract_int(e, w->how->vectors), 1, &v);
  return emit_outputs_of(w, block, panel, patch, v);
}

// ---- stages

static pir_dim panel_count(const contract_form *f, const contract_winograd *how) {
  pir_dim lanes = pir_dim_const(f->c->dims, (int64_t)how->vector * how->vectors);
  return pir_dim_ceildiv(f->c->dims, f->axes[f->lane].extent, lanes);
}

static bool emit_group_of_panels(winograd *w, loop_block *block, loop_expr *group) {
  contract_emission *e = &w->e;
  int panels = w->how->panels;
  loop_expr *begin = contract_times(e, group, panels), *end = contract_plus(e, begin, panels);
  loop_expr *all = contract_dim(e, panel_count(e->form, w->how)), *panel;
  end = contract_min(e, end, all);
  loop_block *body = contract_loop(e, block, "panel", begin, end, NULL, &panel);
  emit_products(w, body, panel);
  return emit_outputs(w, body, panel);
}

static winograd begin_stage(const contract_form *f, const contract_winograd *how,
                            const contract_env *env, const char *stem, const char *suffix) {
  winograd w = {.e = contract_begin(f, env, stem, suffix), .how = how};
  w.rows = &how->slide[0].filter;
  w.columns = &how->slide[1].filter;
  w.points = w.rows->points * w.columns->points;
  // If lines were a power of two apart, the rows of a tile would map to the same sets of the L1
  // cache.
  w.line = how->channels + f->vector;
  return w;
}

static void open_buffers(winograd *w, uint16_t b_slot) {
  contract_emission *e = &w->e;
  e->a = contract_arg(e, "a", &e->form->c->a);
  e->b = pir_loop_arg(e->fn, "b", PIR_F32, b_slot, PACKED_ALIGN, true);
  contract_open_out(e);
  int64_t lines = (int64_t)w->points * w->how->tiles;
  w->patches = pir_loop_scratch(e->fn, "patches", PIR_F32, lines * w->line);
  w->sums = pir_loop_scratch(e->fn, "sums", PIR_F32, lines * panel_lanes(w));
}

// The numbers of patches along the rows and columns of an image, and of all images.
typedef struct patch_counts {
  pir_dim down, across, all;
} patch_counts;

static patch_counts count_patches(const contract_form *f, const contract_winograd *how) {
  pir_dims *dims = f->c->dims;
  pir_dim along[2], images = pir_dim_const(dims, 1);
  for (int i = 0; i < 2; i++) {
    const contract_slide *s = &how->slide[i];
    pir_dim outputs = pir_dim_const(dims, s->filter.outputs);
    along[i] = pir_dim_ceildiv(dims, f->axes[s->position].extent, outputs);
  }
  if (how->image >= 0)
    images = f->axes[how->image].extent;
  pir_dim all = pir_dim_mul(dims, pir_dim_mul(dims, images, along[0]), along[1]);
  return (patch_counts){along[0], along[1], all};
}

// A unit is (group of panels, block): neighbours share taps.
static pir_status emit_blocks(const contract_form *f, const contract_winograd *how,
                              const contract_env *env, const char *stem, uint16_t b_slot,
                              contract_stage *out_stage) {
  pir_dims *dims = f->c->dims;
  winograd w = begin_stage(f, how, env, stem, "");
  contract_emission *e = &w.e;
  open_buffers(&w, b_slot);
  loop_expr *unit, *values[2];
  loop_block *block = contract_open_units(e, "unit", &unit);
  patch_counts patches = count_patches(f, how);
  pir_dim of_group = pir_dim_const(dims, how->panels),
          of_block = pir_dim_const(dims, how->tiles);
  pir_dim groups = pir_dim_ceildiv(dims, panel_count(f, how), of_group);
  pir_dim blocks = pir_dim_ceildiv(dims, patches.all, of_block);
  loop_expr *extents[2] = {contract_dim(e, groups), contract_dim(e, blocks)};
  *out_stage = (contract_stage){e->fn, pir_dim_mul(dims, groups, blocks)};
  contract_split_unit(e, block, unit, extents, 2, values);
  w.down = contract_dim(e, patches.down);
  w.across = contract_dim(e, patches.across);
  w.count = contract_dim(e, patches.all);
  w.first = contract_let(e, block, "first", contract_times(e, values[1], how->tiles));
  find_tiles(&w, block);
  emit_patches(&w, block);
  return emit_group_of_panels(&w, block, values[0]) ? PIR_OK : PIR_UNSUPPORTED;
}

// Packs one panel: [point][channel][lane].
static void emit_packed_panel(winograd *w, loop_block *block, loop_expr *panel,
                              loop_buffer *packed) {
  contract_emission *e = &w->e;
  loop_expr *channel, *v, *g[MOST_POINTS], *out[MOST_POINTS];
  int columns = w->columns->taps;
  block = count_channels(w, block, 1, &channel);
  block = contract_count(e, block, "v", contract_int(e, w->how->vectors), 1, &v);
  e->value[w->how->channel] = channel;
  loop_expr *in_panel = contract_times(e, v, w->how->vector);
  loop_expr *lane = contract_in_line(e, panel, panel_lanes(w), in_panel);
  for (int i = 0; i < w->rows->taps * columns; i++) {
    set_tap(w, 0, i / columns);
    set_tap(w, 1, i % columns);
    loop_expr *x = contract_load_lanes(e, lane, NULL);
    g[i] = contract_let(e, block, "w", pir_loop_cast(e->m, x, PIR_F64));
  }
  contract_transform(e, block, &w->rows->kernel, &w->columns->kernel, g, out);
  for (int i = 0; i < w->points; i++) {
    loop_expr *point = contract_plus(e, contract_times(e, panel, w->points), i);
    loop_expr *line = contract_in_line(e, point, w->how->channels, channel);
    loop_expr *at = contract_in_line(e, line, panel_lanes(w), in_panel);
    contract_store(e, block, packed, at, pir_loop_cast(e->m, out[i], PIR_F32));
  }
}

static void pack_taps(const contract_form *f, const contract_winograd *how,
                      const contract_env *env, const char *stem, uint16_t from, uint16_t to,
                      contract_stage *out_stage) {
  winograd w = begin_stage(f, how, env, stem, "_pack");
  contract_emission *e = &w.e;
  loop_expr *panel;
  e->b = pir_loop_arg(e->fn, "b", PIR_F32, from, f->c->b_constant ? 1 : f->c->b.align, true);
  loop_buffer *packed = pir_loop_arg(e->fn, "packed", PIR_F32, to, PACKED_ALIGN, false);
  loop_block *block = contract_open_units(e, "panel", &panel);
  emit_packed_panel(&w, block, panel, packed);
  *out_stage = (contract_stage){e->fn, panel_count(f, how)};
}

pir_status contract_emit_winograd(const contract_form *form, const contract_winograd *how,
                                  const contract_env *env, const char *stem,
                                  contract_code *out_code) {
  contract_form f = *form;
  int64_t lanes = 0;
  int points = how->slide[0].filter.points * how->slide[1].filter.points;
  f.vectors = how->vectors;
  f.vector = how->vector;
  contract_const(&f, f.axes[f.lane].extent, &lanes);
  int64_t bytes = points * how->channels * lanes * (int64_t)sizeof(float);
  uint16_t b_slot = f.c->b.slot;
  if (f.c->b_constant) {
    out_code->packed_bytes = bytes;
    pack_taps(&f, how, env, stem, 0, 1, &out_code->packing);
  } else {
    b_slot = env->temporary(env->user, pir_dim_const(f.c->dims, bytes));
    pack_taps(&f, how, env, stem, f.c->b.slot, b_slot,
              &out_code->stages[out_code->stage_count++]);
  }
  return emit_blocks(&f, how, env, stem, b_slot, &out_code->stages[out_code->stage_count++]);
}
