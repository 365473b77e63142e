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
  int points;            // of a patch
  loop_buffer *patches;  // [point][patch of the block][channel], lines padded
  loop_buffer *sums;     // [point][patch of the block][lane of the panel]
  int64_t line;          // of `patches`
  loop_expr *first;      // number of the block's first patch
  loop_expr *tiles;  // of the block: all, or fewer in the last one where they are of one size
  loop_expr *across, *down, *count;  // patches side by side, above each other, of all images
} winograd;

void contract_winograd_describe(const contract_winograd *w, char *out, size_t size) {
  const contract_filter *r = &w->slide[0].filter, *c = &w->slide[1].filter;
  pir_text_format(
      out, size,
      "minimal filtering of %dx%d outputs by %d products, %d patches x %d lanes a unit",
      r->outputs, c->outputs, r->points * c->points, w->tiles,
      w->panels * w->vectors * w->vector);
}

// ---- words

static loop_expr *plus(const winograd *w, loop_expr *a, loop_expr *b) {
  return pir_loop_add(w->e.m, a, b);
}
static loop_expr *minus(const winograd *w, loop_expr *a, loop_expr *b) {
  return pir_loop_sub(w->e.m, a, b);
}
static loop_expr *times(const winograd *w, loop_expr *a, int64_t b) {
  return pir_loop_mul(w->e.m, a, pir_loop_int(w->e.m, b));
}
static loop_expr *offset(const winograd *w, loop_expr *a, int64_t b) {
  return plus(w, a, pir_loop_int(w->e.m, b));
}

static loop_expr *both(const winograd *w, loop_expr *a, loop_expr *b) {
  return a && b ? pir_loop_op(w->e.m, PIR_V_AND, a, b, NULL) : a ? a : b;
}

static loop_expr *name(const winograd *w, loop_block *block, loop_expr *value) {
  return pir_loop_let(w->e.fn, block, "w", value);
}

static loop_block *count_up(const winograd *w, loop_block *block, const char *name,
                            loop_expr *end, int64_t step, loop_expr **out_at) {
  loop_var *var = pir_loop_var_create(w->e.fn, name, LOOP_INDEX, 1);
  *out_at = pir_loop_use(w->e.m, var);
  return pir_loop_for(w->e.fn, block, LOOP_SERIAL, var, pir_loop_int(w->e.m, 0), end,
                      pir_loop_int(w->e.m, step));
}

// ---- a matrix times a vector of vectors

static loop_expr *scaled(const winograd *w, double by, loop_expr *x, loop_expr *sum) {
  if (by == 1)
    return sum ? plus(w, sum, x) : x;
  if (by == -1 && sum)
    return minus(w, sum, x);
  loop_expr *factor = pir_loop_const_float(w->e.m, (pir_dtype)x->dtype, by);
  factor = pir_loop_broadcast(w->e.m, factor, x->lanes);
  return sum ? contract_product(&w->e, x, factor, sum) : pir_loop_mul(w->e.m, x, factor);
}

// Returns the sum of row[j] * in[j] over all j with use[j]. The first term has factor 1 if any
// has, which saves a multiplication.
static loop_expr *weighted(const winograd *w, loop_block *block, const double *row,
                           const bool *use, int count, loop_expr *const *in) {
  int begin = -1;
  for (int j = 0; j < count; j++)
    if (use[j] && row[j] != 0 && (begin < 0 || (row[j] == 1 && row[begin] != 1)))
      begin = j;
  loop_expr *sum = scaled(w, row[begin], in[begin], NULL);
  for (int j = 0; j < count; j++)
    if (use[j] && row[j] != 0 && j != begin)
      sum = scaled(w, row[j], in[j], sum);
  return name(w, block, sum);
}

// Whether rows i and k have the forms e + o and e - o; `even` and `odd` mark the columns of e
// and o. Such rows share both parts.
static bool is_pair(const contract_matrix *m, int i, int k, bool even[CONTRACT_MAX_POINTS],
                    bool odd[CONTRACT_MAX_POINTS]) {
  int evens = 0, odds = 0;
  for (int j = 0; j < m->columns; j++) {
    double a = m->at[i][j], b = m->at[k][j];
    even[j] = a != 0 && a == b;
    odd[j] = a != 0 && a == -b;
    if (a != b && a != -b)
      return false;
    evens += even[j];
    odds += odd[j];
  }
  return evens && odds;
}

static void rows_of(const winograd *w, loop_block *block, const contract_matrix *m,
                    loop_expr *const *in, loop_expr **out, int step) {
  static const bool all[CONTRACT_MAX_POINTS] = {true, true, true, true, true, true, true};
  bool even[CONTRACT_MAX_POINTS], odd[CONTRACT_MAX_POINTS], done[CONTRACT_MAX_POINTS] = {false};
  for (int i = 0; i < m->rows; i++) {
    int k = i + 1;
    if (done[i])
      continue;
    while (k < m->rows && (done[k] || !is_pair(m, i, k, even, odd)))
      k++;
    if (k == m->rows) {
      out[i * step] = weighted(w, block, m->at[i], all, m->columns, in);
      continue;
    }
    loop_expr *e = weighted(w, block, m->at[i], even, m->columns, in);
    loop_expr *o = weighted(w, block, m->at[i], odd, m->columns, in);
    out[i * step] = name(w, block, plus(w, e, o));
    out[k * step] = name(w, block, minus(w, e, o));
    done[k] = true;
  }
}

// Replaces two columns that every row uses with equal or opposite factors by their sum and
// their difference.
static void join_columns(const winograd *w, loop_block *block, contract_matrix *m,
                         loop_expr **in) {
  for (int j = 0; j < m->columns; j++)
    for (int k = j + 1; k < m->columns; k++) {
      int same = 0, opposite = 0, other = 0;
      for (int i = 0; i < m->rows; i++) {
        double a = m->at[i][j], b = m->at[i][k];
        if (a != 0 || b != 0)
          *(a == b ? &same : a == -b ? &opposite : &other) += 1;
      }
      if (other || !same || !opposite || same + opposite < 3)
        continue;
      loop_expr *sum = name(w, block, plus(w, in[j], in[k]));
      in[k] = name(w, block, minus(w, in[j], in[k]));
      in[j] = sum;
      for (int i = 0; i < m->rows; i++) {
        double a = m->at[i][j];
        bool alike = a == m->at[i][k];
        m->at[i][j] = alike ? a : 0;
        m->at[i][k] = alike ? 0 : a;
      }
    }
}

// out = m in, for vectors that are `step` and `out_step` apart.
static void apply(const winograd *w, loop_block *block, const contract_matrix *m,
                  loop_expr *const *in, int step, loop_expr **out, int out_step) {
  contract_matrix left = *m;
  loop_expr *x[CONTRACT_MAX_POINTS];
  for (int j = 0; j < m->columns; j++)
    x[j] = in[j * step];
  join_columns(w, block, &left, x);
  rows_of(w, block, &left, x, out, out_step);
}

// out = m in n^T, for row-major matrices of vectors.
static void apply_both(const winograd *w, loop_block *block, const contract_matrix *m,
                       const contract_matrix *n, loop_expr *const *in, loop_expr **out) {
  loop_expr *half[MOST_POINTS];
  for (int j = 0; j < n->columns; j++)
    apply(w, block, m, in + j, n->columns, half + j, n->columns);
  for (int i = 0; i < m->rows; i++)
    apply(w, block, n, half + i * n->columns, 1, out + i * n->rows, 1);
}

// ---- patches

static loop_expr *patch_at(const winograd *w, loop_expr *patch, loop_expr *channel, int point) {
  return offset(w, plus(w, times(w, patch, w->line), channel),
                (int64_t)point * w->how->tiles * w->line);
}

static void set_tap(winograd *w, int slide, int at) {
  int axis = w->how->slide[slide].tap;
  if (axis >= 0)
    w->e.value[axis] = pir_loop_int(w->e.m, at);
}

// Transforms all channels of one patch. `inside` states which of its rows, then of its columns,
// exist; NULL: all.
static void emit_patch(winograd *w, loop_block *block, loop_expr *patch,
                       loop_expr *const *inside) {
  contract_emission *e = &w->e;
  uint16_t lanes = (uint16_t)w->how->wide;
  int rows = w->rows->inputs, columns = w->columns->inputs;
  loop_expr *at, *d[MOST_POINTS], *out[MOST_POINTS];
  loop_block *body = count_up(w, block, "c", contract_int(e, w->how->channels), lanes, &at);
  e->value[w->how->channel] = at;
  for (int i = 0; i < rows * columns; i++) {
    set_tap(w, 0, i / columns);
    set_tap(w, 1, i % columns);
    loop_expr *mask = inside ? both(w, inside[i / columns], inside[rows + i % columns]) : NULL;
    if (mask)
      mask = contract_broadcast(e, mask, lanes);
    loop_expr *x = contract_load(e, e->a, contract_position(e, OF_A), lanes, mask);
    d[i] = name(w, body, pir_loop_cast(e->m, x, PIR_F32));
  }
  apply_both(w, body, &w->rows->inward, &w->columns->inward, d, out);
  for (int i = 0; i < w->points; i++)
    contract_store(e, body, w->patches, patch_at(w, patch, at, i), out[i]);
}

// Whether the tiles of a block have nearly equal sizes. If blocks are not cut to the number of
// patches, all tiles have one size.
static bool is_cut(const winograd *w) {
  int64_t count;
  return w->how->tiles % w->how->rows_of_tile ||
         (pir_loop_is_int(w->count, &count) && count % w->how->tiles == 0);
}

static void find_tiles(winograd *w, loop_block *block) {
  loop_module *m = w->e.m;
  int rows = w->how->rows_of_tile;
  w->tiles = pir_loop_int(m, (w->how->tiles + rows - 1) / rows);
  if (is_cut(w))
    return;
  loop_expr *left = pir_loop_floordiv(m, offset(w, minus(w, w->count, w->first), rows - 1),
                                      pir_loop_int(m, rows));
  w->tiles = pir_loop_let(w->e.fn, block, "tiles", pir_loop_min(m, left, w->tiles));
}

// Returns the number of patches of the block, including those that fill the last tile.
static loop_expr *patches_of(const winograd *w) {
  return is_cut(w) ? pir_loop_int(w->e.m, w->how->tiles)
                   : times(w, w->tiles, w->how->rows_of_tile);
}

// Fills the part of a block beyond the last patch with zeros: stale contents could be
// denormals, which are slow.
static void emit_no_patch(winograd *w, loop_block *block, loop_expr *patch) {
  contract_emission *e = &w->e;
  uint16_t lanes = (uint16_t)w->how->wide;
  loop_expr *at, *zero = contract_broadcast(e, pir_loop_const_float(e->m, PIR_F32, 0), lanes);
  loop_block *body = count_up(w, block, "c", contract_int(e, w->how->channels), lanes, &at);
  for (int i = 0; i < w->points; i++)
    contract_store(e, body, w->patches, patch_at(w, patch, at, i), zero);
}

// 0 <= x < extent; one comparison if x is known to be non-negative.
static loop_expr *within(const winograd *w, loop_expr *x, loop_expr *extent) {
  loop_expr *below = pir_loop_lt(w->e.m, x, extent);
  if (pir_loop_nonnegative(x))
    return below;
  return both(w, pir_loop_lt(w->e.m, pir_loop_int(w->e.m, -1), x), below);
}

// Computes which inputs of a patch exist in each row or column; returns whether all exist
// (NULL: always).
static loop_expr *find_inside(winograd *w, loop_block *block, const contract_slide *s,
                              loop_expr **out) {
  contract_emission *e = &w->e;
  int inputs = s->filter.inputs;
  loop_expr *from = offset(w, times(w, e->value[s->position], s->stride), s->offset);
  for (int i = 0; i < inputs; i++) {
    out[i] = NULL;
    if (s->tap < 0)
      continue;
    out[i] = contract_let(e, block, "inside",
                          within(w, offset(w, from, i), contract_dim(e, s->extent)));
  }
  return both(w, out[0], out[inputs - 1]);
}

// Sets the values of the form's axes to the position of a patch's outputs.
static void place_patch(winograd *w, loop_block *block, loop_expr *number) {
  loop_module *m = w->e.m;
  const contract_slide *s = w->how->slide;
  loop_expr *row = pir_loop_let(w->e.fn, block, "row", pir_loop_floordiv(m, number, w->across));
  loop_expr *column = minus(w, number, pir_loop_mul(m, row, w->across));
  if (w->how->image >= 0) {
    loop_expr *image =
        pir_loop_let(w->e.fn, block, "image", pir_loop_floordiv(m, row, w->down));
    row = minus(w, row, pir_loop_mul(m, image, w->down));
    w->e.value[w->how->image] = image;
  }
  w->e.value[s[0].position] =
      pir_loop_let(w->e.fn, block, "y", times(w, row, w->rows->outputs));
  w->e.value[s[1].position] =
      pir_loop_let(w->e.fn, block, "x", times(w, column, w->columns->outputs));
}

// Returns the part of `block` that runs only if patch `number` exists.
static loop_block *if_exists(winograd *w, loop_block *block, loop_expr *number,
                             loop_block **out_else) {
  int64_t count;
  *out_else = NULL;
  if (pir_loop_is_int(w->count, &count) && count % w->how->tiles == 0)
    return block;
  return pir_loop_if(w->e.fn, block, pir_loop_lt(w->e.m, number, w->count), out_else);
}

static void emit_patches(winograd *w, loop_block *block) {
  contract_emission *e = &w->e;
  loop_expr *patch, *inside[2 * CONTRACT_MAX_POINTS];
  loop_block *none, *border;
  block = count_up(w, block, "t", patches_of(w), 1, &patch);
  loop_expr *number = contract_let(e, block, "n", plus(w, w->first, patch));
  block = if_exists(w, block, number, &none);
  if (none)
    emit_no_patch(w, none, patch);
  place_patch(w, block, number);
  loop_expr *all = find_inside(w, block, &w->how->slide[0], inside);
  all = both(w, all, find_inside(w, block, &w->how->slide[1], inside + w->rows->inputs));
  block = contract_if(e, block, all, &border);
  emit_patch(w, block, patch, NULL);
  emit_patch(w, border, patch, inside);
}

// ---- products

static int64_t panel_lanes(const winograd *w) {
  return (int64_t)w->how->vector * w->how->vectors;
}

// Returns the offset of the sums of vector `v` of the panel.
static loop_expr *sum_at(const winograd *w, loop_expr *point, loop_expr *patch, loop_expr *v) {
  loop_expr *line = plus(w, times(w, point, w->how->tiles), patch);
  return plus(w, times(w, line, panel_lanes(w)), times(w, v, w->how->vector));
}

// Multiplies `rows` patches, starting at `patch`, at one point by the panel of taps at `taps`.
static void emit_product(winograd *w, loop_block *block, loop_expr *point, loop_expr *patch,
                         int rows, loop_expr *taps) {
  contract_emission *e = &w->e;
  int vectors = w->how->vectors;
  loop_buffer *sums[4];
  loop_expr *k, *line[4];
  uint16_t lanes = (uint16_t)w->how->vector;
  loop_expr *zero = contract_broadcast(e, pir_loop_const_float(e->m, PIR_F32, 0), lanes);
  for (int v = 0; v < vectors; v++) {
    sums[v] = pir_loop_registers(e->fn, "sum", PIR_F32, lanes, rows);
    for (int r = 0; r < rows; r++)
      contract_store(e, block, sums[v], contract_int(e, r), zero);
  }
  loop_expr *from = plus(w, times(w, point, w->how->tiles * w->line), times(w, patch, w->line));
  from = contract_let(e, block, "from", from);
  loop_block *body = count_up(w, block, "k", contract_int(e, w->how->channels), 1, &k);
  for (int v = 0; v < vectors; v++) {
    loop_expr *at = offset(w, plus(w, taps, times(w, k, panel_lanes(w))), v * w->how->vector);
    line[v] = contract_let(e, body, "b", contract_load(e, e->b, at, lanes, NULL));
  }
  for (int r = 0; r < rows; r++) {
    loop_expr *x =
        contract_load(e, w->patches, offset(w, plus(w, from, k), r * w->line), 1, NULL);
    x = contract_broadcast(e, contract_let(e, body, "a", x), lanes);
    for (int v = 0; v < vectors; v++) {
      loop_expr *at = contract_int(e, r);
      contract_store(
          e, body, sums[v], at,
          contract_product(e, x, line[v], contract_load(e, sums[v], at, lanes, NULL)));
    }
  }
  for (int r = 0; r < rows; r++)
    for (int v = 0; v < vectors; v++)
      contract_store(e, block, w->sums,
                     sum_at(w, point, offset(w, patch, r), contract_int(e, v)),
                     contract_load(e, sums[v], contract_int(e, r), lanes, NULL));
}

// Multiplies all patches of the block at every point, in tiles of nearly equal size.
static void emit_products(winograd *w, loop_block *block, loop_expr *panel) {
  contract_emission *e = &w->e;
  int tiles = (w->how->tiles + w->how->rows_of_tile - 1) / w->how->rows_of_tile;
  int rows = w->how->tiles / tiles, larger = w->how->tiles % tiles;
  loop_expr *point, *tile;
  block = count_up(w, block, "point", contract_int(e, w->points), 1, &point);
  loop_expr *taps =
      times(w, plus(w, times(w, panel, w->points), point), w->how->channels * panel_lanes(w));
  taps = contract_let(e, block, "taps", taps);
  if (larger) {
    loop_block *body = count_up(w, block, "tile", contract_int(e, larger), 1, &tile);
    emit_product(w, body, point, times(w, tile, rows + 1), rows + 1, taps);
  }
  loop_expr *end = is_cut(w) ? contract_int(e, tiles - larger) : w->tiles;
  loop_block *body = count_up(w, block, "tile", end, 1, &tile);
  emit_product(w, body, point, offset(w, times(w, tile, rows), (int64_t)larger * (rows + 1)),
               rows, taps);
}

// ---- outputs

// Returns the part of `block` that runs only if output `i` of a patch exists along an axis; the
// last patch may lack it.
static loop_block *if_output(winograd *w, loop_block *block, const contract_slide *s, int i,
                             loop_expr *at) {
  int64_t extent;
  loop_expr *end = contract_extent(&w->e, s->position);
  if (!i || (pir_loop_is_int(end, &extent) && extent % s->filter.outputs == 0))
    return block;
  return pir_loop_if(w->e.fn, block, pir_loop_lt(w->e.m, at, end), NULL);
}

// Emits the outputs of one vector of lanes of a patch.
static bool emit_outputs_of(winograd *w, loop_block *block, loop_expr *panel, loop_expr *patch,
                            loop_expr *v) {
  contract_emission *e = &w->e;
  const contract_slide *rows = &w->how->slide[0], *columns = &w->how->slide[1];
  loop_expr *m[MOST_POINTS], *out[MOST_POINTS], *y = e->value[rows->position],
                                                *x = e->value[columns->position];
  bool done = true;
  for (int i = 0; i < w->points; i++) {
    loop_expr *at = sum_at(w, contract_int(e, i), patch, v);
    m[i] = name(w, block, contract_load(e, w->sums, at, w->how->vector, NULL));
  }
  apply_both(w, block, &w->rows->outward, &w->columns->outward, m, out);
  e->value[e->form->lane] =
      plus(w, times(w, panel, panel_lanes(w)), times(w, v, w->how->vector));
  for (int i = 0; i < w->rows->outputs && done; i++) {
    e->value[rows->position] = offset(w, y, i);
    loop_block *row = if_output(w, block, rows, i, e->value[rows->position]);
    for (int j = 0; j < w->columns->outputs && done; j++) {
      e->value[columns->position] = offset(w, x, j);
      loop_block *here = if_output(w, row, columns, j, e->value[columns->position]);
      done = contract_finish(e, here, out[i * w->columns->outputs + j], NULL);
    }
  }
  e->value[rows->position] = y;
  e->value[columns->position] = x;
  return done;
}

static bool emit_outputs(winograd *w, loop_block *block, loop_expr *panel) {
  contract_emission *e = &w->e;
  loop_expr *patch, *v;
  loop_block *none;
  block = count_up(w, block, "t", patches_of(w), 1, &patch);
  loop_expr *number = contract_let(e, block, "n", plus(w, w->first, patch));
  block = if_exists(w, block, number, &none);
  place_patch(w, block, number);
  for (int i = 0; i < e->form->tap_count; i++)
    e->value[e->form->taps[i]] = NULL;
  block = count_up(w, block, "v", contract_int(e, w->how->vectors), 1, &v);
  return emit_outputs_of(w, block, panel, patch, v);
}

// ---- stages

static pir_dim panel_count(const contract_form *f, const contract_winograd *how) {
  pir_dim lanes = pir_dim_const(f->c->dims, (int64_t)how->vector * how->vectors);
  return pir_dim_ceildiv(f->c->dims, f->axes[f->lane].extent, lanes);
}

static bool emit_panels(winograd *w, loop_block *block, loop_expr *group) {
  contract_emission *e = &w->e;
  loop_var *var = pir_loop_var_create(e->fn, "panel", LOOP_INDEX, 1);
  loop_expr *begin = times(w, group, w->how->panels), *end = offset(w, begin, w->how->panels);
  end = contract_min(e, end, contract_dim(e, panel_count(e->form, w->how)));
  loop_block *body = pir_loop_for(e->fn, block, LOOP_SERIAL, var, begin, end, NULL);
  loop_expr *panel = pir_loop_use(e->m, var);
  emit_products(w, body, panel);
  return emit_outputs(w, body, panel);
}

static winograd begin_stage(const contract_form *f, const contract_winograd *how,
                            const contract_env *env, const char *stem, const char *suffix) {
  winograd w = {.e = contract_begin(f, env, stem, suffix), .how = how};
  w.rows = &how->slide[0].filter;
  w.columns = &how->slide[1].filter;
  w.points = w.rows->points * w.columns->points;
  w.line =
      how->channels + f->vector;  // rows of a tile must not share the sets of the first cache
  return w;
}

static void open_buffers(winograd *w, uint16_t b_slot) {
  contract_emission *e = &w->e;
  const contraction *c = e->form->c;
  e->a = pir_loop_arg(e->fn, "a", c->a.dtype, c->a.slot, c->a.align, true);
  e->b = pir_loop_arg(e->fn, "b", PIR_F32, b_slot, PACKED_ALIGN, true);
  if (!e->env->epilogue)
    e->out = pir_loop_arg(e->fn, "out", c->out.dtype, c->out.slot, c->out.align, false);
  w->patches = pir_loop_scratch(e->fn, "patches", PIR_F32, w->points * w->how->tiles * w->line);
  w->sums =
      pir_loop_scratch(e->fn, "sums", PIR_F32, w->points * w->how->tiles * panel_lanes(w));
}

// A unit is (group of panels, block): neighbours share taps.
static pir_status emit_blocks(const contract_form *f, const contract_winograd *how,
                              const contract_env *env, const char *stem,
                              contract_stage *out_stage) {
  pir_dims *dims = f->c->dims;
  winograd w = begin_stage(f, how, env, stem, "");
  contract_emission *e = &w.e;
  open_buffers(&w, f->c->b.slot);
  loop_var *unit = pir_loop_var_create(e->fn, "unit", LOOP_INDEX, 1);
  loop_block *block =
      pir_loop_for(e->fn, &e->fn->body, LOOP_PARALLEL, unit, pir_loop_use(e->m, e->fn->begin),
                   pir_loop_use(e->m, e->fn->end), NULL);
  pir_dim along[2],
      patches = how->image < 0 ? pir_dim_const(dims, 1) : f->axes[how->image].extent;
  for (int i = 0; i < 2; i++) {
    const contract_slide *s = &how->slide[i];
    along[i] = pir_dim_ceildiv(dims, f->axes[s->position].extent,
                               pir_dim_const(dims, s->filter.outputs));
    patches = pir_dim_mul(dims, patches, along[i]);
  }
  pir_dim digits[2] = {
      pir_dim_ceildiv(dims, panel_count(f, how), pir_dim_const(dims, how->panels)),
      pir_dim_ceildiv(dims, patches, pir_dim_const(dims, how->tiles))};
  loop_expr *extents[2] = {contract_dim(e, digits[0]), contract_dim(e, digits[1])}, *values[2];
  *out_stage = (contract_stage){e->fn, pir_dim_mul(dims, digits[0], digits[1])};
  contract_split_unit(e, block, pir_loop_use(e->m, unit), extents, 2, values);
  w.down = contract_dim(e, along[0]);
  w.across = contract_dim(e, along[1]);
  w.count = contract_dim(e, patches);
  w.first = contract_let(e, block, "first", times(&w, values[1], how->tiles));
  find_tiles(&w, block);
  emit_patches(&w, block);
  return emit_panels(&w, block, values[0]) ? PIR_OK : PIR_UNSUPPORTED;
}

// Packs one panel: [point][channel][lane].
static void emit_packed_panel(winograd *w, loop_block *block, loop_expr *panel,
                              loop_buffer *packed) {
  contract_emission *e = &w->e;
  loop_expr *channel, *v, *g[MOST_POINTS], *out[MOST_POINTS];
  int columns = w->columns->taps;
  block = count_up(w, block, "c", contract_int(e, w->how->channels), 1, &channel);
  block = count_up(w, block, "v", contract_int(e, w->how->vectors), 1, &v);
  e->value[w->how->channel] = channel;
  loop_expr *within = times(w, v, w->how->vector),
            *lane = plus(w, times(w, panel, panel_lanes(w)), within);
  for (int i = 0; i < w->rows->taps * columns; i++) {
    set_tap(w, 0, i / columns);
    set_tap(w, 1, i % columns);
    g[i] = name(w, block, pir_loop_cast(e->m, contract_load_lanes(e, lane, NULL), PIR_F64));
  }
  apply_both(w, block, &w->rows->kernel, &w->columns->kernel, g, out);
  for (int i = 0; i < w->points; i++) {
    loop_expr *line =
        plus(w, times(w, offset(w, times(w, panel, w->points), i), w->how->channels), channel);
    contract_store(e, block, packed, plus(w, times(w, line, panel_lanes(w)), within),
                   pir_loop_cast(e->m, out[i], PIR_F32));
  }
}

static void emit_packing(const contract_form *f, const contract_winograd *how,
                         const contract_env *env, const char *stem, contract_stage *out_stage) {
  winograd w = begin_stage(f, how, env, stem, "_pack");
  contract_emission *e = &w.e;
  e->b = pir_loop_arg(e->fn, "b", PIR_F32, 0, 1, true);
  loop_buffer *packed = pir_loop_arg(e->fn, "packed", PIR_F32, 1, PACKED_ALIGN, false);
  loop_var *panel = pir_loop_var_create(e->fn, "panel", LOOP_INDEX, 1);
  loop_block *block =
      pir_loop_for(e->fn, &e->fn->body, LOOP_PARALLEL, panel, pir_loop_use(e->m, e->fn->begin),
                   pir_loop_use(e->m, e->fn->end), NULL);
  emit_packed_panel(&w, block, pir_loop_use(e->m, panel), packed);
  *out_stage = (contract_stage){e->fn, panel_count(f, how)};
}

pir_status contract_emit_winograd(const contract_form *form, const contract_winograd *how,
                                  const contract_env *env, const char *stem,
                                  contract_code *out_code) {
  contract_form f = *form;
  int64_t lanes = 0;
  f.vectors = how->vectors;
  f.vector = how->vector;
  contract_const(&f, f.axes[f.lane].extent, &lanes);
  out_code->packed_bytes = (int64_t)how->slide[0].filter.points * how->slide[1].filter.points *
                           how->channels * lanes * (int64_t)sizeof(float);
  emit_packing(&f, how, env, stem, &out_code->packing);
  return emit_blocks(&f, how, env, stem, &out_code->stages[out_code->stage_count++]);
}
