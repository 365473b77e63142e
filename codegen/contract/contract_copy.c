// Copies of `a` that a stage makes, so that the kernel reads groups of neighbours. Where an
// index of `a` can leave it (padding), the copy has zeros, and no row of a tile has a border.
//
// An image of few channels has no groups: its channels are fewer than an instruction
// multiplies, and mostly planes of memory. Its copy has the channels of a pixel adjacent, with
// zeros behind them up to a whole group. Where taps of a filter are adjacent pixels, their
// channels are one reduced axis (contract_form.joined): the seven taps of a line of ResNet's
// first filter are seven groups of bytes, which a row of a tile register holds.
#include "contract_ways.h"
#include "contract_words.h"

#include <string.h>

// Adds the borders to the shape of the copy.
static void add_borders(const contraction *c, contract_tensor *a) {
  pir_dims *dims = c->dims;
  pir_dim one = pir_dim_const(dims, 1);
  for (int axis = 0; axis < a->rank; axis++) {
    if (contract_stays_inside(c, &c->a, axis))
      continue;
    pir_dim extent = one;
    for (int v = 0; v < c->var_count; v++) {
      pir_dim last = pir_dim_sub(dims, c->vars[v].extent, one);
      pir_dim factor = pir_dim_const(dims, c->a.map[axis].factor[v]);
      extent = pir_dim_add(dims, extent, pir_dim_mul(dims, factor, last));
    }
    // Without points no index is left.
    extent = pir_dim_max(dims, extent, pir_dim_const(dims, 0));
    a->shape[axis] = a->room[axis] = extent;
    a->map[axis].offset = 0;
  }
  a->inside = true;
}

bool contract_borders_a(const contract_form *f, const contract_env *env, contraction *bordered,
                        contract_form *out_form) {
  bool has_tiles = env->target->amx_bf16 || env->target->amx_int8;
  if (!has_tiles || f->group == 1 || f->tile_groups || !f->window_count ||
      !contract_is_dense(f->c->dims, &f->c->a))
    return false;
  *bordered = *f->c;
  add_borders(f->c, &bordered->a);
  if (!contract_normalise(bordered, out_form))
    return false;
  contract_choose_group(out_form, env);
  return out_form->tile_groups > 0;
}

// ---- few channels

enum { PIXEL = CONTRACT_PIXEL };

// The level of the taps whose step in `a` is so many elements; -1: there is none.
static int find_tap(const contract_form *f, int64_t step) {
  int64_t apart;
  for (int i = 0; i < f->tap_count; i++)
    if (contract_const(f, f->axes[f->taps[i]].step_a, &apart) && apart == step)
      return i;
  return -1;
}

// Makes the channels, with the zeros behind them, and the taps of adjacent pixels one axis.
static bool join_channels(contract_form *f) {
  int64_t taps = 1;
  int channels = find_tap(f, 1), pixels = find_tap(f, PIXEL);
  if (channels < 0 || channels != f->tap_count - 1 ||
      !contract_const(f, f->axes[f->taps[channels]].extent, &f->filled))
    return false;
  int axis = f->taps[channels];
  f->pixel = PIXEL;
  if (pixels == channels - 1 && contract_const(f, f->axes[f->taps[pixels]].extent, &taps)) {
    f->joined = f->taps[pixels];
    f->taps[pixels] = axis;
    f->tap_count--;
    f->axes[f->joined].extent = pir_dim_const(f->c->dims, 1);
  }
  f->axes[axis].extent = pir_dim_const(f->c->dims, taps * PIXEL);
  return true;
}

bool contract_pads_channels(const contract_form *f, const contract_env *env,
                            contraction *padded, contract_form *out_form) {
  const contraction *c = f->c;
  contract_tensor *a = &padded->a;
  int axis = contract_axis_of_few_channels(c, 2);
  bool bytes = pir_dtype_size(c->a.dtype) == 1 && f->compute == PIR_I32;
  if (axis < 0 || !f->window_count || f->kind != CONTRACT_PANEL || f->lane < 0 ||
      f->tile_groups || (!bytes && c->a.dtype != PIR_BF16))
    return false;
  *padded = *c;
  add_borders(c, a);
  contract_move_innermost(a, axis);
  a->room[axis] = pir_dim_const(c->dims, PIXEL);
  if (bytes && contract_bytes_at_once(env->target) == 2) {
    a->rounded = a->dtype;
    a->dtype = PIR_I16;
  }
  if (!contract_normalise(padded, out_form) || !join_channels(out_form))
    return false;
  contract_choose_group(out_form, env);
  return (out_form->group > f->group || out_form->tile_groups) &&
         contract_gains_by_group(out_form, env->target);
}

// ---- the stage

// A copy of lines: runs of memory along the innermost axis that has borders, and those inside.
// A word is an element, or all channels of a pixel.
typedef struct border_copy {
  contract_emission e;
  const contract_tensor *from, *to;
  loop_buffer *copy;
  pir_dtype word;
  int innermost;        // the place in the copy's memory of that axis
  loop_expr *pixel;     // words of one of its points
  int channels;         // in a word; 0: it is an element
  loop_expr *apart[2];  // elements from channel to channel, and from pixel to pixel
} border_copy;

// The copy may have as many points along an axis with borders as a has: behind a border in
// front, others are left out.
static bool has_borders(const border_copy *x, int axis) {
  return !contract_stays_inside(x->e.form->c, x->from, axis);
}

static loop_expr *load_elements(const border_copy *x, loop_expr *at, int width) {
  const contract_emission *e = &x->e;
  int64_t apart;
  if (!x->channels || width == 1 || (pir_loop_is_int(x->apart[1], &apart) && apart == 1))
    return contract_load(e, e->a, at, width, NULL);
  loop_expr *ramp = pir_loop_ramp(e->m, at, x->apart[1], (uint16_t)width);
  return pir_loop_gather(e->m, e->a, ramp, NULL);
}

// Loads the words of pixels, `from` on, each with its channels in the lower bits.
static loop_expr *load_words(const border_copy *x, loop_expr *from, int width) {
  const contract_emission *e = &x->e;
  if (!x->channels)
    return load_elements(x, from, width);
  bool small = pir_dtype_size(x->to->dtype) == 1;
  int bits = 8 * (int)pir_dtype_size(x->to->dtype);
  loop_expr *word = NULL;
  for (int i = 0; i < x->channels; i++) {
    loop_expr *at = contract_add(e, from, contract_times(e, x->apart[0], i));
    loop_expr *part = pir_loop_cast(e->m, load_elements(x, at, width), x->to->dtype);
    part = pir_loop_bitcast(e->m, part, small ? PIR_U8 : PIR_U16);
    part = pir_loop_cast(e->m, part, x->word);
    if (i)
      part = pir_loop_op(e->m, PIR_V_SHL, part,
                         pir_loop_const_int(e->m, x->word, (int64_t)i * bits), NULL);
    word = word ? pir_loop_op(e->m, PIR_V_OR, word, part, NULL) : part;
  }
  return word;
}

// Fills words [begin, end) of the copy with words of a, from `from` on, or zeros (NULL).
static void fill_words(const border_copy *x, loop_block *block, loop_expr *begin,
                       loop_expr *end, loop_expr *from) {
  const contract_emission *e = &x->e;
  int lanes = e->env->target->vector_bytes / (int)pir_dtype_size(x->word);
  loop_expr *whole = contract_div(e, contract_sub(e, end, begin), contract_int(e, lanes));
  whole =
      contract_let(e, block, "whole", contract_add(e, begin, contract_times(e, whole, lanes)));
  for (int tail = 0; tail < 2; tail++) {
    int width = tail ? 1 : lanes;
    loop_expr *at, *value = pir_loop_cast(e->m, contract_int(e, 0), x->word);
    loop_block *body = contract_loop(e, block, "at", tail ? whole : begin, tail ? end : whole,
                                     contract_int(e, width), &at);
    if (width > 1)
      value = contract_broadcast(e, value, width);
    if (from) {
      loop_expr *ahead = contract_sub(e, at, begin);
      if (x->channels)
        ahead = contract_mul(e, ahead, x->apart[1]);
      value = load_words(x, contract_add(e, from, ahead), width);
    }
    contract_store(e, body, x->copy, at, value);
  }
}

// Elements from one index to the next along an axis of a.
static loop_expr *distance(const border_copy *x, int axis) {
  const contract_emission *e = &x->e;
  pir_dims *dims = e->form->c->dims;
  pir_dim step = pir_dim_const(dims, 1);
  for (int i = x->from->rank - 1; x->from->order[i] != axis; i--)
    step = pir_dim_mul(dims, step, x->from->room[x->from->order[i]]);
  return contract_dim(e, step);
}

// Sets *from to where the line of a that the copy has at these indices begins. Returns whether
// a has such a line; NULL: always.
static loop_expr *find_line(const border_copy *x, loop_expr *const *index, loop_expr **from) {
  const contract_emission *e = &x->e;
  loop_expr *exists = NULL;
  *from = contract_int(e, 0);
  for (int i = 0; i < x->innermost; i++) {
    int axis = x->to->order[i];
    loop_expr *extent = contract_dim(e, x->from->shape[axis]), *at = index[i];
    if (has_borders(x, axis)) {
      at = contract_plus(e, at, x->from->map[axis].offset);
      exists = contract_both(e, exists, contract_lt(e, contract_int(e, -1), at));
      exists = contract_both(e, exists, contract_lt(e, at, extent));
    }
    *from = contract_add(e, *from, contract_mul(e, at, distance(x, axis)));
  }
  return exists;
}

static void copy_line(const border_copy *x, loop_block *block, loop_expr *unit,
                      loop_expr *const *index) {
  const contract_emission *e = &x->e;
  int axis = x->to->order[x->innermost];
  int64_t offset = has_borders(x, axis) ? x->from->map[axis].offset : 0;
  loop_expr *extent = contract_dim(e, x->from->shape[axis]), *from;
  loop_expr *wide = contract_dim(e, x->to->shape[axis]), *zero = contract_int(e, 0);
  loop_expr *begin = contract_mul(e, contract_mul(e, unit, wide), x->pixel);
  loop_expr *end = contract_add(e, begin, contract_mul(e, wide, x->pixel));
  loop_expr *exists = find_line(x, index, &from);
  if (exists) {
    loop_block *other;
    block = contract_if(e, block, exists, &other);
    fill_words(x, other, begin, end, NULL);
  }
  loop_expr *left = contract_int(e, offset < 0 ? -offset : 0);
  loop_expr *right = contract_max(e, contract_plus(e, extent, -offset), zero);
  left = contract_min(e, left, wide);
  right = contract_max(e, contract_min(e, right, wide), left);
  from =
      contract_add(e, from, contract_mul(e, contract_plus(e, left, offset), distance(x, axis)));
  left =
      contract_let(e, block, "left", contract_add(e, begin, contract_mul(e, left, x->pixel)));
  right =
      contract_let(e, block, "right", contract_add(e, begin, contract_mul(e, right, x->pixel)));
  fill_words(x, block, begin, left, NULL);
  fill_words(x, block, left, right, contract_let(e, block, "from", from));
  fill_words(x, block, right, end, NULL);
}

// Finds what a line and a word are. Returns the words of a point of a line.
static pir_dim find_words(border_copy *x, const contract_form *copied) {
  pir_dims *dims = x->e.form->c->dims;
  int last = x->to->rank - 1, axis = x->to->order[last];
  pir_dim words = pir_dim_const(dims, 1);
  x->word = x->to->dtype;
  if (copied->pixel) {
    x->channels = (int)copied->filled;
    x->word = pir_dtype_size(x->to->dtype) == 1 ? PIR_I32 : PIR_I64;
    x->innermost = last - 1;
    x->apart[0] = distance(x, axis);
    x->apart[1] = distance(x, x->to->order[x->innermost]);
    return words;
  }
  for (int i = 0; i <= last; i++)
    if (has_borders(x, x->to->order[i]))
      x->innermost = i;
  for (int i = x->innermost + 1; i <= last; i++)
    words = pir_dim_mul(dims, words, x->to->shape[x->to->order[i]]);
  return words;
}

void contract_copy_a(const contract_form *f, const contract_env *env, const char *name,
                     const contract_form *copied_form, contraction *copied,
                     contract_stage *out_stage) {
  border_copy x = {
      .e = contract_begin(f, env, name, "_copy"), .from = &f->c->a, .to = &copied->a};
  contract_emission *e = &x.e;
  pir_dims *dims = f->c->dims;
  pir_dim units = pir_dim_const(dims, 1), words = find_words(&x, copied_form);
  loop_expr *unit, *extents[PIR_MAX_RANK], *index[PIR_MAX_RANK];
  for (int i = 0; i < x.innermost; i++) {
    pir_dim extent = x.to->shape[x.to->order[i]];
    extents[i] = contract_dim(e, extent);
    units = pir_dim_mul(dims, units, extent);
  }
  x.pixel = contract_dim(e, words);
  pir_dim size = pir_dim_mul(dims, words, pir_dim_const(dims, (int64_t)pir_dtype_size(x.word)));
  size = pir_dim_mul(dims, size, x.to->shape[x.to->order[x.innermost]]);
  uint16_t slot = env->temporary(env->user, pir_dim_mul(dims, units, size));
  e->a = contract_arg(e, "a", x.from);
  x.copy = pir_loop_arg(e->fn, "copy", x.word, slot, PACKED_ALIGN, false);
  loop_block *block = contract_open_units(e, "unit", &unit);
  contract_split_unit(e, block, unit, extents, x.innermost, index);
  copy_line(&x, block, unit, index);
  *out_stage = (contract_stage){e->fn, units};
  copied->a.slot = slot;
  copied->a.align = PACKED_ALIGN;
}
