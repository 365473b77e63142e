// Turns tensors of a contraction whose channels have to be innermost in memory, and are not. A
// stage of the group copies the operand a to a temporary with the channels innermost: squares
// of lanes x lanes in registers, the rest by gathers.
//
// Lanes of a depthwise contraction are channels of a, which are adjacent where groups made the
// tensor. In an input of the program they are mostly far apart, and every lane would be an
// instruction of its own. Minimal filtering needs the channels of a and of the result adjacent;
// where they are not, as in training, whose weights are no constants, the sums are copied back
// by a last stage, which runs the epilogue. The left side of a product is turned where steps of
// its sums lie far apart, as in the gradient of weights.
#include "contract_lower.h"
#include "machine.h"

#include <string.h>

typedef struct turning {
  lowering *l;
  loop_module *m;
  loop_fn *fn;
  loop_buffer *from, *to;
  loop_expr *points;  // places behind each channel in memory
  int64_t channels;
  int lanes;
} turning;

// ---- whether it pays

// A group of a grouped convolution has one channel here, whose variables have the extent 1.
static bool is_unit(const contraction *c, int var) {
  int64_t extent;
  return pir_dim_is_const(c->dims, c->vars[var].extent, &extent) && extent == 1;
}

// The axis of `t` that is the variable and nothing else; -1: there is none.
static int axis_of(const contraction *c, const contract_tensor *t, int var) {
  int found = -1;
  for (int d = 0; d < t->rank; d++) {
    if (!t->map[d].factor[var])
      continue;
    if (found >= 0 || t->map[d].factor[var] != 1 || t->map[d].offset || t->map[d].unsure)
      return -1;
    for (int v = 0; v < c->var_count; v++)
      if (v != var && t->map[d].factor[v] && !is_unit(c, v))
        return -1;
    found = d;
  }
  return found;
}

// The axis of a whose variable is innermost in out and is the lane of a depthwise contraction;
// -1: the contraction is none.
static int channel_axis(const contraction *c) {
  int innermost = c->out.rank ? c->out.order[c->out.rank - 1] : -1, channel = -1;
  for (int v = 0; v < c->var_count; v++) {
    bool a = contract_mentions(&c->a, v), b = contract_mentions(&c->b, v);
    if (c->vars[v].reduced || is_unit(c, v))
      continue;
    if (b && !a)
      return -1;
    if (a && b && axis_of(c, &c->out, v) == innermost)
      channel = axis_of(c, &c->a, v);
  }
  return channel;
}

// A product of matrices, as far as it decides whether its left side is turned.
typedef struct left_side {
  int axis;       // of a, that is summed over
  int64_t steps;  // along it,
  int64_t apart;  // so many elements from one to the next
  int64_t lanes;  // columns of the product
} left_side;

static int64_t capped_product(int64_t a, int64_t b) {
  return a < INT32_MAX / b ? a * b : INT32_MAX;
}

// Whether it pays to copy a, if its steps lie in lines of their own, and half of the L1 cache
// does not hold the lines of a tile: a tile needs a part of each line, which is gone when the
// next tile needs the rest. Each step then reads a line from the L2 cache, half of which time
// is hidden; the copy costs about two products for each element of a, which `lanes` products
// need. A unit of the copy takes a vector of elements across; there have to be a few.
static bool pays_for_lines(const pir_target *target, const left_side *s) {
  enum { LINE = 64, COPIES = 2, VECTORS = 2, FEW_UNITS = 4 };
  const pir_machine *machine = target->machine;
  int64_t size = (int64_t)pir_dtype_size(PIR_F32), vector = target->vector_bytes / size;
  int64_t products = (int64_t)contract_most_rows(target, VECTORS) * VECTORS;
  int64_t saved = LINE * s->lanes / machine->cache.l2_feed;
  int64_t cost = 2 * COPIES * vector * products;
  return s->apart * size >= LINE && s->apart >= FEW_UNITS * vector &&
         s->steps > (int64_t)machine->cache.l1_bytes / 2 / LINE && saved > cost;
}

// Finds the one axis of a that is summed over, in a product whose extents are known.
static bool find_left_side(const contraction *c, left_side *out) {
  int64_t extent;
  *out = (left_side){.axis = -1, .apart = 1, .lanes = 1};
  for (int v = 0; v < c->var_count; v++) {
    bool a = contract_mentions(&c->a, v), b = contract_mentions(&c->b, v);
    if (!pir_dim_is_const(c->dims, c->vars[v].extent, &extent) || extent < 1)
      return false;
    if (!a)
      out->lanes = capped_product(out->lanes, extent);
    if (!c->vars[v].reduced || extent == 1)
      continue;
    if (!a || !b || out->axis >= 0)
      return false;
    out->axis = axis_of(c, &c->a, v);
    out->steps = extent;
  }
  for (int i = c->a.rank - 1; i >= 0 && out->axis >= 0 && c->a.order[i] != out->axis; i--) {
    bool known = pir_dim_is_const(c->dims, c->a.shape[c->a.order[i]], &extent) && extent > 0;
    out->apart = known ? capped_product(out->apart, extent) : out->apart;
  }
  return out->axis >= 0;
}

// The only axis of a whose variable is one that b has and that is summed over; of the result,
// one that b alone determines. -1: there is none, or several.
static int axis_of_filter_channels(const contraction *c, bool of_result) {
  const contract_tensor *t = of_result ? &c->out : &c->a;
  int found = -1;
  for (int v = 0; v < c->var_count; v++) {
    bool fits = contract_mentions(&c->b, v) && c->vars[v].reduced != of_result;
    int axis = fits && !is_unit(c, v) ? axis_of(c, t, v) : -1;
    if (axis >= 0 && found >= 0)
      return -1;
    found = axis >= 0 ? axis : found;
  }
  return found;
}

static int depth_in(const contract_tensor *t, int axis) {
  int place = 0;
  while (t->order[place] != axis)
    place++;
  return place;
}

static bool is_dense(const pir_dims *dims, const contract_tensor *t) {
  for (int d = 0; d < t->rank; d++)
    if (!pir_dim_equal(dims, t->room[d], t->shape[d]))
      return false;
  return true;
}

// Fewer channels than a vector has lanes are not worth a copy of the operand.
static bool pays(const lowering *l, const contraction *c, int channel, int64_t *out_channels) {
  int64_t wide = l->target->vector_bytes / (int64_t)pir_dtype_size(PIR_F32);
  return c->a.dtype == PIR_F32 && depth_in(&c->a, channel) < c->a.rank - 1 &&
         is_dense(l->dims, &c->a) &&
         pir_dim_is_const(l->dims, c->a.shape[channel], out_channels) && *out_channels >= wide;
}

// ---- code

static loop_expr *turn_int(const turning *t, int64_t n) {
  return pir_loop_int(t->m, n);
}
static loop_expr *turn_add(const turning *t, loop_expr *a, loop_expr *b) {
  return pir_loop_add(t->m, a, b);
}
static loop_expr *turn_mul(const turning *t, loop_expr *a, loop_expr *b) {
  return pir_loop_mul(t->m, a, b);
}

static loop_block *turn_count(const turning *t, loop_block *block, const char *stem,
                              loop_expr *end, int64_t step, loop_expr **out_at) {
  loop_var *v = pir_loop_var_create(t->fn, stem, LOOP_INDEX, 1);
  *out_at = pir_loop_use(t->m, v);
  return pir_loop_for(t->fn, block, LOOP_SERIAL, v, turn_int(t, 0), end, turn_int(t, step));
}

// Copies the channels from `first` on, at most `lanes` of them, of one point.
static void gather_point(const turning *t, loop_block *block, loop_expr *source, loop_expr *to,
                         loop_expr *first, int64_t left) {
  uint16_t lanes = (uint16_t)t->lanes;
  loop_expr *mask = left < lanes ? pir_loop_tail_mask(t->m, turn_int(t, left), lanes) : NULL;
  loop_expr *at = turn_add(t, source, turn_mul(t, first, t->points));
  loop_expr *ramp = pir_loop_ramp(t->m, at, t->points, lanes);
  pir_loop_store(t->fn, block, t->to, turn_add(t, to, first),
                 pir_loop_gather(t->m, t->from, ramp, mask), mask);
}

// Copies `lanes` points. `source` and `to` are where their first channels are.
static void turn_squares(const turning *t, loop_block *block, loop_expr *source,
                         loop_expr *to) {
  loop_expr *rows[64], *first, *point;
  int64_t left = t->channels % t->lanes, all = t->channels - left;
  loop_block *body = turn_count(t, block, "c", turn_int(t, all), t->lanes, &first);
  for (int i = 0; i < t->lanes; i++) {
    loop_expr *at =
        turn_add(t, source, turn_mul(t, turn_add(t, first, turn_int(t, i)), t->points));
    rows[i] = pir_loop_let(t->fn, body, "t",
                           pir_loop_load(t->m, t->from, at, (uint16_t)t->lanes, NULL));
  }
  pir_loop_turn_square(t->fn, body, rows, t->lanes);
  for (int i = 0; i < t->lanes; i++)
    pir_loop_store(t->fn, body, t->to,
                   turn_add(t, to, turn_add(t, first, turn_int(t, i * t->channels))), rows[i],
                   NULL);
  if (!left)
    return;
  body = turn_count(t, block, "p", turn_int(t, t->lanes), 1, &point);
  gather_point(t, body, turn_add(t, source, point),
               turn_add(t, to, turn_mul(t, point, turn_int(t, t->channels))), turn_int(t, all),
               left);
}

// Copies the last points, fewer than `lanes`.
static void turn_rest(const turning *t, loop_block *block, loop_expr *source, loop_expr *to,
                      loop_expr *points) {
  loop_expr *first, *point;
  int64_t left = t->channels % t->lanes, all = t->channels - left;
  block = turn_count(t, block, "p", points, 1, &point);
  source = turn_add(t, source, point);
  to = turn_add(t, to, turn_mul(t, point, turn_int(t, t->channels)));
  loop_block *body = turn_count(t, block, "c", turn_int(t, all), t->lanes, &first);
  gather_point(t, body, source, to, first, t->lanes);
  if (left)
    gather_point(t, block, source, to, turn_int(t, all), left);
}

// A unit is a run of points.
static void emit_turning(turning *t, loop_expr *runs) {
  loop_fn *fn = t->fn;
  loop_var *v = pir_loop_var_create(fn, "unit", LOOP_INDEX, 1);
  loop_expr *unit = pir_loop_use(t->m, v), *lanes = turn_int(t, t->lanes);
  loop_block *rest,
      *block = pir_loop_for(fn, &fn->body, LOOP_PARALLEL, v, pir_loop_use(t->m, fn->begin),
                            pir_loop_use(t->m, fn->end), NULL);
  loop_expr *outer = pir_loop_let(fn, block, "outer", pir_loop_floordiv(t->m, unit, runs));
  loop_expr *run = pir_loop_sub(t->m, unit, turn_mul(t, outer, runs));
  loop_expr *point = pir_loop_let(fn, block, "point", turn_mul(t, run, lanes));
  loop_expr *line = turn_mul(t, outer, turn_mul(t, turn_int(t, t->channels), t->points));
  loop_expr *source = pir_loop_let(fn, block, "from", turn_add(t, line, point));
  loop_expr *to = pir_loop_let(fn, block, "to",
                               turn_add(t, line, turn_mul(t, point, turn_int(t, t->channels))));
  loop_expr *left = pir_loop_let(fn, block, "left", pir_loop_sub(t->m, t->points, point));
  block = pir_loop_if(fn, block, pir_loop_lt(t->m, left, lanes), &rest);
  turn_rest(t, block, source, to, left);
  turn_squares(t, rest, source, to);
}

// ---- the operand

// Adds the stage that copies a, and lets the contraction read the copy.
static void turn_operand(lowering *l, contraction *c, int channel, int64_t channels,
                         lower_stages *stages) {
  turning t = {.l = l, .m = l->m, .channels = channels};
  pir_dims *dims = l->dims;
  contract_tensor *a = &c->a;
  int lanes = l->target->vector_bytes / (int)pir_dtype_size(a->dtype);
  pir_dim points = pir_dim_const(dims, 1), outer = points, bytes;
  int place = depth_in(a, channel);
  for (int i = 0; i < a->rank; i++) {
    pir_dim *side = i < place ? &outer : &points;
    if (i != place)
      *side = pir_dim_mul(dims, *side, a->shape[a->order[i]]);
  }
  pir_dim runs = pir_dim_ceildiv(dims, points, pir_dim_const(dims, lanes));
  bytes = pir_dim_const(dims, t.channels * (int64_t)pir_dtype_size(a->dtype));
  bytes = pir_dim_mul(dims, pir_dim_mul(dims, outer, points), bytes);
  uint16_t slot = lower_temporary(l, bytes);
  t.lanes = lanes;
  t.fn = pir_loop_fn_create(l->m, lower_name(l, "stage", (int64_t)stages->count));
  t.from = pir_loop_arg(t.fn, "a", a->dtype, a->slot, a->align, true);
  t.to = pir_loop_arg(t.fn, "turned", a->dtype, slot, a->align, false);
  t.points = lower_dim(l, points);
  emit_turning(&t, lower_dim(l, runs));
  pir_vec_push(&l->m->arena, stages, ((lower_stage){t.fn, pir_dim_mul(dims, outer, runs)}));
  a->slot = slot;
  contract_move_innermost(a, channel);
}

void contract_turn(lowering *l, contraction *c, lower_stages *stages) {
  int axis = channel_axis(c);
  left_side left;
  int64_t channels;
  if (lower_on_device(l))
    return;
  if (axis < 0 && find_left_side(c, &left) && pays_for_lines(l->target, &left))
    axis = left.axis;
  if (axis >= 0 && pays(l, c, axis, &channels))
    turn_operand(l, c, axis, channels, stages);
}

// ---- the result

typedef struct back {
  turning t;
  const contraction *c;  // with the memory order of the result
  const pir_value *sum;
  loop_buffer *square;  // [channel][point]
  int channel, inner;   // axes of the result: channels, and the innermost one
  int place;            // of the channels in the memory order
  loop_expr *index[PIR_MAX_RANK];
} back;

static loop_expr *result_extent(const back *b, int axis) {
  return lower_dim(b->t.l, b->c->out.shape[axis]);
}

// The position of the first channel of a point in the turned sums; `inner` is its index along
// the innermost axis.
static loop_expr *turned_position(const back *b, loop_expr *inner) {
  const turning *t = &b->t;
  const contract_tensor *out = &b->c->out;
  loop_expr *at = turn_int(t, 0);
  for (int i = 0; i < out->rank; i++) {
    int axis = out->order[i];
    loop_expr *index = axis == b->inner ? inner : b->index[axis];
    if (axis != b->channel)
      at = turn_add(t, turn_mul(t, at, result_extent(b, axis)), index);
  }
  return turn_mul(t, at, turn_int(t, t->channels));
}

// Transposes the sums of a run of points along the innermost axis and of a vector of channels,
// from `first` on; points behind the end of the axis repeat the last one.
static void turn_back(const back *b, loop_block *block, loop_expr *run, loop_expr *first) {
  const turning *t = &b->t;
  loop_expr *rows[64], *last = pir_loop_sub(t->m, result_extent(b, b->inner), turn_int(t, 1));
  for (int i = 0; i < t->lanes; i++) {
    loop_expr *inner = turn_add(t, run, turn_int(t, i));
    inner = pir_loop_let(t->fn, block, "at", pir_loop_min(t->m, inner, last));
    loop_expr *at = turn_add(t, turned_position(b, inner), first);
    rows[i] = pir_loop_let(t->fn, block, "t",
                           pir_loop_load(t->m, t->from, at, (uint16_t)t->lanes, NULL));
  }
  pir_loop_turn_square(t->fn, block, rows, t->lanes);
  for (int i = 0; i < t->lanes; i++)
    pir_loop_store(t->fn, block, b->square, turn_int(t, (int64_t)i * t->lanes), rows[i], NULL);
}

// Hands the sums of a run of points to the epilogue, channel by channel.
static bool finish_run(back *b, loop_block *block, loop_expr *run, loop_expr *first) {
  turning *t = &b->t;
  loop_expr *channel, *left = pir_loop_sub(t->m, result_extent(b, b->inner), run), *mask = NULL;
  turn_back(b, block, run, first);
  int64_t extent;
  bool whole = pir_dim_is_const(t->l->dims, b->c->out.shape[b->inner], &extent) &&
               extent % t->lanes == 0;
  if (!whole)
    mask =
        pir_loop_let(t->fn, block, "mask", pir_loop_tail_mask(t->m, left, (uint16_t)t->lanes));
  block = turn_count(t, block, "c", turn_int(t, t->lanes), 1, &channel);
  loop_expr *at = turn_mul(t, channel, turn_int(t, t->lanes));
  loop_expr *value = pir_loop_load(t->m, b->square, at, (uint16_t)t->lanes, NULL);
  contract_point point = {.value = pir_loop_let(t->fn, block, "sum", value),
                          .lane_axis = b->inner,
                          .lane_stride = turn_int(t, 1),
                          .lanes = (uint16_t)t->lanes,
                          .mask = mask};
  memcpy(point.index, b->index, sizeof point.index);
  point.index[b->inner] = run;
  point.index[b->channel] = turn_add(t, first, channel);
  return contract_finish_sums(t->l, b->sum, t->fn, block, &point);
}

// Splits a unit into the indices of the axes outside of the channels, and the vector of
// channels, whose first one it returns.
static loop_expr *split_back_unit(back *b, loop_block *block, loop_expr *unit) {
  turning *t = &b->t;
  const contract_tensor *out = &b->c->out;
  loop_expr *parts = turn_int(t, t->channels / t->lanes);
  loop_expr *rest = pir_loop_let(t->fn, block, "rest", pir_loop_floordiv(t->m, unit, parts));
  loop_expr *part = pir_loop_sub(t->m, unit, turn_mul(t, rest, parts));
  for (int i = b->place - 1; i >= 0; i--) {
    loop_expr *extent = result_extent(b, out->order[i]);
    loop_expr *outer =
        pir_loop_let(t->fn, block, "outer", pir_loop_floordiv(t->m, rest, extent));
    loop_expr *index = pir_loop_sub(t->m, rest, turn_mul(t, outer, extent));
    b->index[out->order[i]] = pir_loop_let(t->fn, block, "index", index);
    rest = outer;
  }
  return pir_loop_let(t->fn, block, "first", turn_mul(t, part, turn_int(t, t->lanes)));
}

// A unit is a vector of channels, at one index of the axes outside of them.
static bool emit_back(back *b) {
  turning *t = &b->t;
  loop_fn *fn = t->fn;
  const contract_tensor *out = &b->c->out;
  loop_var *v = pir_loop_var_create(fn, "unit", LOOP_INDEX, 1);
  loop_block *block =
      pir_loop_for(fn, &fn->body, LOOP_PARALLEL, v, pir_loop_use(t->m, fn->begin),
                   pir_loop_use(t->m, fn->end), NULL);
  loop_expr *run, *first = split_back_unit(b, block, pir_loop_use(t->m, v));
  for (int i = b->place + 1; i < out->rank - 1; i++) {
    int axis = out->order[i];
    block = turn_count(t, block, "i", result_extent(b, axis), 1, &b->index[axis]);
  }
  block = turn_count(t, block, "run", result_extent(b, b->inner), t->lanes, &run);
  return finish_run(b, block, run, first);
}

bool contract_turns_for_filter(const lowering *l, const contraction *c, const contract_env *env,
                               contraction *out_turned) {
  int in = axis_of_filter_channels(c, false), out = axis_of_filter_channels(c, true);
  int64_t channels;
  if (c->b_constant || lower_on_device(l) || in < 0 || out < 0 || !pays(l, c, in, &channels) ||
      c->out.dtype != PIR_F32 || depth_in(&c->out, out) == c->out.rank - 1)
    return false;
  *out_turned = *c;
  contract_move_innermost(&out_turned->a, in);
  contract_move_innermost(&out_turned->out, out);
  memcpy(out_turned->out.room, out_turned->out.shape, sizeof out_turned->out.room);
  return pir_contract_filters_turned(out_turned, env);
}

void contract_turn_operand(lowering *l, const contraction *c, contraction *turned,
                           lower_stages *stages) {
  int64_t channels = 1;
  int axis = turned->a.order[turned->a.rank - 1];
  pir_dim bytes = pir_dim_const(l->dims, (int64_t)pir_dtype_size(PIR_F32));
  pir_dim_is_const(l->dims, c->a.shape[axis], &channels);
  turned->a = c->a;
  turn_operand(l, turned, axis, channels, stages);
  for (int d = 0; d < c->out.rank; d++)
    bytes = pir_dim_mul(l->dims, bytes, c->out.shape[d]);
  turned->out.slot = lower_temporary(l, bytes);
}

bool contract_turn_result(lowering *l, const contraction *c, const contraction *turned,
                          const pir_value *sum, lower_stages *stages) {
  const contract_tensor *out = &c->out;
  back b = {.t = {.l = l, .m = l->m}, .c = c, .sum = sum};
  b.channel = turned->out.order[out->rank - 1];
  b.inner = out->order[out->rank - 1];
  b.place = depth_in(out, b.channel);
  pir_dim_is_const(l->dims, out->shape[b.channel], &b.t.channels);
  b.t.lanes = l->target->vector_bytes / (int)pir_dtype_size(PIR_F32);
  while (b.t.channels % b.t.lanes)
    b.t.lanes /= 2;
  b.t.fn = pir_loop_fn_create(l->m, lower_name(l, "stage", (int64_t)stages->count));
  b.t.from = pir_loop_arg(b.t.fn, "sums", PIR_F32, turned->out.slot, turned->out.align, true);
  b.square = pir_loop_scratch(b.t.fn, "square", PIR_F32, (int64_t)b.t.lanes * b.t.lanes);
  pir_dim units = pir_dim_const(l->dims, b.t.channels / b.t.lanes);
  for (int i = 0; i < b.place; i++)
    units = pir_dim_mul(l->dims, units, out->shape[out->order[i]]);
  if (!emit_back(&b))
    return false;
  pir_vec_push(&l->m->arena, stages, ((lower_stage){b.t.fn, units}));
  return true;
}
