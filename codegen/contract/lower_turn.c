// Turns the operand a of a depthwise contraction. Lanes are its channels, which are adjacent in
// memory where groups made the tensor. In an input of the program they are mostly far apart,
// and every lane would be an instruction of its own. A stage of the group copies the operand to
// a temporary with the channels innermost: squares of lanes x lanes in registers, the rest by
// gathers.
#include "contract_lower.h"

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

// ---- the contraction

void contract_turn(lowering *l, contraction *c, lower_stages *stages) {
  int channel = channel_axis(c), lanes;
  turning t = {.l = l, .m = l->m};
  if (lower_on_device(l) || channel < 0 || !pays(l, c, channel, &t.channels))
    return;
  pir_dims *dims = l->dims;
  contract_tensor *a = &c->a;
  lanes = l->target->vector_bytes / (int)pir_dtype_size(a->dtype);
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
  memmove(a->order + place, a->order + place + 1, (size_t)(a->rank - place - 1));
  a->order[a->rank - 1] = (uint8_t)channel;
}
