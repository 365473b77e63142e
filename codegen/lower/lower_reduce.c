// Lowers reductions. A reduction is a register with three steps: set it, accumulate into it at
// every point of a loop nest, read it. Loop nests and in-place evaluation share these steps.
// Points that are out of range, or excluded by the clause's guard, contribute the neutral
// element. They are counted separately only if the clause asks for the number of points.
#include <pir/compiler/index_nodes.h>

#include "lowering.h"

#include <math.h>

static loop_expr *zero(lower_site *s) {
  return pir_loop_int(s->l->m, 0);
}

static bool axis_from(lower_site *s, int64_t axis, lower_space *space) {
  if (space->rank == 0 && (axis == 0 || axis == -1))
    return true;
  axis = axis < 0 ? axis + space->rank : axis;
  if (axis < 0 || axis >= space->rank) {
    lower_fail(s->l, s->op, "an axis beyond the rank");
    return false;
  }
  space->reduced[axis] = true;
  return true;
}

// Reads the axes of the clause; all axes if the list is empty or `all` is true.
static bool find_axes(lower_site *s, lower_space *space) {
  const pir_clause *c = s->clause;
  int64_t all, count = 0, axis;
  if (c->like >= 0) {
    lower_fail(s->l, s->op, "axes that the run shows");
    return false;
  }
  if (!lower_fixed(s, c->all, &all))
    return false;
  const pir_value *v =
      c->axes_operand >= 0 && !all ? lower_operand(s, c->axes_operand, 0) : NULL;
  if (!all && c->axes_attr >= 0) {
    const pir_attr_value *axes = &s->attrs[c->axes_attr];
    count = pir_index_attr_list(axes).count;
    for (int64_t i = 0; i < count; i++) {
      if (!pir_index_attr_at(axes, i, &axis))
        axis = INT64_MAX;
      if (!axis_from(s, axis, space))
        return false;
    }
  } else if (v) {
    int members = lower_members(s, c->axes_operand);
    for (int m = 0; m < members; m++) {
      const pir_fact *f = lower_fact(s->l, lower_operand(s, c->axes_operand, m));
      for (size_t i = 0; i < f->content_count || !f->contents; i++, count++) {
        if (!f->contents || !pir_dim_is_const(s->l->dims, f->contents[i], &axis)) {
          lower_fail(s->l, s->op, "axes that are not known");
          return false;
        }
        if (!axis_from(s, axis, space))
          return false;
      }
    }
  }
  for (int d = 0; d < space->rank && count == 0; d++)
    space->reduced[d] = true;
  return true;
}

// Sets the dims of the iteration space: the aligned operands' dims, broadcast.
static bool broadcast(lower_site *s, lower_space *space) {
  lowering *l = s->l;
  for (int i = 0; i < s->clause->node_count; i++) {
    const pir_node *n = &s->clause->nodes[i];
    if ((n->op != PIR_V_LOAD && n->op != PIR_I_LOAD) || n->map_kind != PIR_MAP_ALIGNED)
      continue;
    const pir_value *v = lower_operand(s, n->k, 0);
    const pir_fact *f = lower_fact(l, v);
    if (!pir_fact_has_rank(f)) {
      lower_fail(l, s->op, "an operand of unknown rank");
      return false;
    }
    int more = f->rank - space->rank;
    for (int d = space->rank; more > 0 && d-- > 0;)
      space->extent[d + more] = space->extent[d];
    for (int d = 0; d < more; d++)
      space->extent[d] = 1;
    if (more > 0)
      space->rank = f->rank;
    for (int d = 0; d < f->rank; d++) {
      pir_dim *e = &space->extent[space->rank - f->rank + d];
      if (*e == 1)
        *e = f->shape[d];
      else if (f->shape[d] != 1 &&
               pir_dim_canonical(l->dims, f->shape[d]) != pir_dim_canonical(l->dims, *e)) {
        lower_fail(l, s->op, "operands whose extents are not known to agree");
        return false;
      }
    }
  }
  return true;
}

bool lower_reduce_space(lower_site *s, lower_space *space) {
  int64_t keep;
  *space = (lower_space){0};
  if (!broadcast(s, space) || !find_axes(s, space) || !lower_fixed(s, s->clause->keep, &keep))
    return false;
  space->keep = keep;
  return true;
}

bool lower_is_row_shape(const pir_dims *dims, const lower_space *space, const pir_dim *shape,
                        int rank) {
  int d = 0;
  bool keeps = rank == space->rank;
  for (int i = 0; i < space->rank; i++) {
    if (space->reduced[i] && !keeps)
      continue;
    pir_dim extent = space->reduced[i] ? 1 : space->extent[i];
    if (d >= rank || !pir_dim_equal(dims, shape[d++], extent))
      return false;
  }
  return d == rank;
}

// ---- positions: argmax and argmin
//
// The upper half of a number orders elements, of at most 32 bits, and its lower half falls with
// the position: the largest number is the first of the largest elements. Devices have it.

static bool is_arg(const lower_site *s) {
  return s->clause->combine == PIR_COMBINE_ARGMAX || s->clause->combine == PIR_COMBINE_ARGMIN;
}

static pir_combine combine_of(const lower_site *s) {
  return is_arg(s) ? PIR_COMBINE_MAX : (pir_combine)s->clause->combine;
}

static int body_type(const lower_site *s) {
  return pir_node_type_strong(s->types[s->clause->body]);
}

static bool can_order(const lower_site *s) {
  int type = body_type(s);
  return lower_on_device(s->l) && s->clause->init < 0 && !s->clause->var_count &&
         type != PIR_U32 && type != LOOP_INDEX && pir_loop_type_size((uint8_t)type) <= 4;
}

// The run is refused where positions exceed 32 bits.
static void expect_positions(lower_site *s) {
  pir_dims *dims = s->l->dims;
  lower_space space;
  pir_dim points = pir_dim_const(dims, 1), one = points;
  if (!lower_reduce_space(s, &space))
    return;
  for (int d = 0; d < space.rank; d++)
    if (space.reduced[d])
      points = pir_dim_mul(dims, points, space.extent[d]);
  lower_expect_inside(s, pir_dim_const(dims, 0), points, pir_dim_const(dims, UINT32_MAX), one,
                      0);
}

// An i32 in the order of elements: equal ones are equal, and a NaN is not before any.
static loop_expr *order_of(lower_site *s, loop_expr *e) {
  loop_module *m = s->l->m;
  bool largest = s->clause->combine == PIR_COMBINE_ARGMAX;
  if (e->dtype == PIR_F32) {
    loop_expr *none = pir_loop_const_float(m, PIR_F32, largest ? -INFINITY : INFINITY),
              *nothing = pir_loop_const_float(m, PIR_F32, 0);
    e = pir_loop_select(m, pir_loop_op(m, PIR_V_ISNAN, e, NULL, NULL), none, e);
    e = pir_loop_select(m, pir_loop_op(m, PIR_V_EQ, e, nothing, NULL), nothing, e);
    e = pir_loop_let(s->l->fn, s->l->block, "bits", pir_loop_bitcast(m, e, PIR_I32));
    loop_expr *negative = pir_loop_lt(m, e, pir_loop_const_int(m, PIR_I32, 0)),
              *turned =
                  pir_loop_op(m, PIR_V_XOR, e, pir_loop_const_int(m, PIR_I32, INT32_MAX), NULL);
    e = pir_loop_select(m, negative, turned, e);
  }
  e = pir_loop_cast(m, e, PIR_I32);
  return largest ? e : pir_loop_op(m, PIR_V_NOT, e, NULL, NULL);
}

// The element at s->axis with its position along the reduced axes.
static loop_expr *with_position(lower_site *s, loop_expr *e) {
  loop_module *m = s->l->m;
  lower_space space;
  loop_expr *at = zero(s);
  if (!lower_reduce_space(s, &space))
    return pir_loop_const_int(m, PIR_I64, 0);
  for (int d = 0; d < space.rank; d++)
    if (space.reduced[d])
      at = pir_loop_add(m, pir_loop_mul(m, at, lower_dim(s->l, space.extent[d])), s->axis[d]);
  loop_expr *upper = pir_loop_mul(m, pir_loop_cast(m, order_of(s, e), PIR_I64),
                                  pir_loop_const_int(m, PIR_I64, (int64_t)1 << 32));
  loop_expr *lower = pir_loop_sub(m, pir_loop_const_int(m, PIR_I64, UINT32_MAX),
                                  pir_loop_cast(m, at, PIR_I64));
  return pir_loop_add(m, upper, lower);
}

static loop_expr *position_of(lower_site *s, loop_expr *best) {
  loop_module *m = s->l->m;
  loop_expr *all = pir_loop_const_int(m, PIR_I64, UINT32_MAX);
  return pir_loop_sub(m, all, pir_loop_op(m, PIR_V_AND, best, all, NULL));
}

// ---- sums

static bool asks_count(const lower_site *s) {
  for (int i = 0; i < s->clause->node_count; i++)
    if (s->clause->nodes[i].op == PIR_V_COUNT)
      return true;
  return false;
}

void lower_sum_start(lower_site *s, lower_sum *sum) {
  lowering *l = s->l;
  const pir_clause *c = s->clause;
  *sum = (lower_sum){.type = lower_acc_type(s)};
  bool arg = is_arg(s);
  if (arg ? !can_order(s) : c->combine < PIR_COMBINE_ADD || c->combine > PIR_COMBINE_OR) {
    lower_fail(l, s->op, "a combination without generated code");
    return;
  }
  if (arg) {
    sum->type = PIR_I64;
    expect_positions(s);
  }
  sum->acc = pir_loop_registers(l->fn, "acc", sum->type, 1, 1);
  loop_expr *start = c->init >= 0 ? lower_clause_value(s, c->init, sum->type)
                                  : pir_loop_neutral(l->m, combine_of(s), sum->type);
  pir_loop_store(l->fn, l->block, sum->acc, zero(s), start, NULL);
  if (!asks_count(s))
    return;
  sum->count = pir_loop_registers(l->fn, "count", PIR_I32, 1, 1);
  pir_loop_store(l->fn, l->block, sum->count, zero(s), pir_loop_const_int(l->m, PIR_I32, 0),
                 NULL);
}

void lower_sum_begin_line(lower_site *s, lower_sum *sum, loop_block *block) {
  lowering *l = s->l;
  if (s->clause->combine != PIR_COMBINE_ADD || !pir_dtype_is_float((pir_dtype)sum->type))
    return;
  sum->total = sum->acc;
  sum->acc = pir_loop_registers(l->fn, "line", sum->type, 1, 1);
  pir_loop_store(l->fn, block, sum->acc, zero(s),
                 pir_loop_neutral(l->m, PIR_COMBINE_ADD, sum->type), NULL);
}

void lower_sum_end_line(lower_site *s, lower_sum *sum, loop_block *block) {
  lowering *l = s->l;
  if (!sum->total || l->why)
    return;
  pir_loop_accumulate(l->fn, block, sum->total, zero(s), PIR_COMBINE_ADD,
                      pir_loop_load(l->m, sum->acc, zero(s), 1, NULL));
  sum->acc = sum->total;
  sum->total = NULL;
}

void lower_sum_add(lower_site *s, lower_sum *sum) {
  lowering *l = s->l;
  const pir_clause *c = s->clause;
  loop_expr *outer = l->condition, *guard = NULL;
  int64_t known;
  if (l->why)
    return;
  s->reduces = true;
  s->in_range = NULL;
  if (c->guard >= 0) {
    guard = lower_open_condition(l, lower_truth(s, c->guard));
    if (guard && pir_loop_is_int(guard, &known) && known)
      guard = NULL;
    if (guard)
      l->condition = outer ? pir_loop_op(l->m, PIR_V_AND, outer, guard, NULL) : guard;
  }
  loop_expr *e = lower_clause_value(s, c->body, is_arg(s) ? body_type(s) : sum->type);
  if (is_arg(s))
    e = with_position(s, e);
  l->condition = outer;
  if (guard)
    s->in_range = s->in_range ? pir_loop_op(l->m, PIR_V_AND, guard, s->in_range, NULL) : guard;
  if (s->in_range)
    e = pir_loop_select(l->m, s->in_range, e, pir_loop_neutral(l->m, combine_of(s), sum->type));
  pir_loop_accumulate(l->fn, l->block, sum->acc, zero(s), combine_of(s), e);
  if (!sum->count)
    return;
  if (!s->in_range) {
    sum->count = NULL;  // every point counts: their number is the product of the extents
    return;
  }
  pir_loop_accumulate(l->fn, l->block, sum->count, zero(s), PIR_COMBINE_ADD,
                      pir_loop_cast(l->m, s->in_range, PIR_I32));
}

loop_expr *lower_sum_end(lower_site *s, lower_sum *sum, loop_expr *points) {
  lowering *l = s->l;
  if (l->why)
    return pir_loop_int(l->m, 0);
  s->acc =
      pir_loop_let(l->fn, l->block, "sum", pir_loop_load(l->m, sum->acc, zero(s), 1, NULL));
  s->count = sum->count ? pir_loop_load(l->m, sum->count, zero(s), 1, NULL) : points;
  int combine = combine_of(s);
  if (is_arg(s))
    s->acc = position_of(s, s->acc);
  if ((combine == PIR_COMBINE_MAX || combine == PIR_COMBINE_MIN) &&
      s->clause->init < 0) {  // over no elements the result is 0
    loop_expr *none = pir_loop_op(l->m, PIR_V_LE, points, zero(s), NULL);
    loop_expr *nothing = pir_dtype_is_float(sum->type)
                             ? pir_loop_const_float(l->m, sum->type, 0)
                             : pir_loop_const_int(l->m, sum->type, 0);
    s->acc = pir_loop_select(l->m, none, nothing, s->acc);
  }
  loop_expr *e = s->clause->then >= 0
                     ? lower_clause_value(s, s->clause->then,
                                          pir_node_type_strong(s->types[s->clause->then]))
                     : s->acc;
  return pir_loop_cast(l->m, e, s->out->dtype);
}

// ---- in place

// The loops of a reduction, outermost first.
typedef struct sum_loops {
  loop_var *var[PIR_MAX_RANK];
  loop_expr *begin[PIR_MAX_RANK], *end[PIR_MAX_RANK];
  int count;
  loop_block *outer;  // in which the innermost loop stands
  int threads;        // that share the innermost loop; 0: each goes through all of it
} sum_loops;

static void add_sum_loop(sum_loops *loops, loop_var *v, loop_expr *begin, loop_expr *end) {
  loops->var[loops->count] = v;
  loops->begin[loops->count] = begin;
  loops->end[loops->count++] = end;
}

// Whether the points of the innermost loop are a line. Windows of few points are not worth it,
// and are added in the order in which Paddle adds them.
static bool has_lines(const sum_loops *loops) {
  enum { FEW = 256 };
  int64_t points = 1, extent;
  for (int i = 0; i < loops->count; i++) {
    if (!pir_loop_is_int(loops->var[i]->extent, &extent) || extent > FEW)
      points = FEW + 1;
    else if (points <= FEW)
      points *= extent;
  }
  return loops->count > 1 && points > FEW;
}

// Opens the loops, and the line of the innermost one, and returns its block.
static loop_block *open_sum_loops(lower_site *s, sum_loops *loops, lower_sum *sum) {
  lowering *l = s->l;
  loop_block *block = l->block;
  bool lines = has_lines(loops);
  for (int i = 0; i < loops->count; i++) {
    bool last = i + 1 == loops->count, shared = last && loops->threads;
    loop_expr *begin = loops->begin[i];
    if (shared)
      begin = pir_loop_add(l->m, begin, l->sum_thread);
    loops->outer = block;
    if (lines && last)
      lower_sum_begin_line(s, sum, block);
    block = pir_loop_for(l->fn, block, LOOP_SERIAL, loops->var[i], begin, loops->end[i],
                         shared ? pir_loop_int(l->m, loops->threads) : NULL);
  }
  return block;
}

// Adds up what each thread has of a shared loop.
static void join_threads(lower_site *s, const sum_loops *loops, lower_sum *sum) {
  lowering *l = s->l;
  loop_buffer *parts[] = {sum->acc, sum->count};
  pir_combine combine[] = {combine_of(s), PIR_COMBINE_ADD};
  for (int i = 0; loops->threads && i < 2; i++) {
    if (!parts[i])
      continue;
    loop_expr *own = pir_loop_load(l->m, parts[i], zero(s), 1, NULL);
    pir_loop_store(l->fn, l->block, parts[i], zero(s),
                   pir_loop_team(l->m, combine[i], loops->threads, own), NULL);
  }
}

// A reduced axis of extent 1 needs no loop.
static loop_var *loop_var_of(lower_site *s, loop_expr *extent, loop_expr **out_index) {
  int64_t n;
  if (pir_loop_is_int(extent, &n) && n == 1) {
    *out_index = zero(s);
    return NULL;
  }
  loop_var *v = pir_loop_var_create(s->l->fn, "k", LOOP_INDEX, 1);
  v->extent = extent;
  *out_index = pir_loop_use(s->l->m, v);
  return v;
}

// Lists the loops over the window's reduced variables, clipped to the points that count, and
// multiplies by the number of these.
static void list_window_loops(lower_site *s, sum_loops *loops, loop_expr **out_points) {
  lowering *l = s->l;
  const pir_clause *c = s->clause;
  loop_var *vars[PIR_MAX_RANK] = {NULL};
  loop_expr *begins[PIR_MAX_RANK], *ends[PIR_MAX_RANK];
  for (int v = 0; v < c->var_count; v++) {
    if (!c->vars[v].reduced)
      continue;
    begins[v] = zero(s);
    ends[v] = pir_loop_cast(l->m, lower_index(s, c->vars[v].extent), LOOP_INDEX);
    vars[v] = loop_var_of(s, ends[v], &s->vars[v]);
  }
  lower_clip(s, vars, begins, ends);
  for (int v = 0; v < c->var_count; v++) {
    if (!c->vars[v].reduced)
      continue;
    if (vars[v])
      add_sum_loop(loops, vars[v], begins[v], ends[v]);
    loop_expr *count = pir_loop_max(l->m, pir_loop_sub(l->m, ends[v], begins[v]), zero(s));
    *out_points = pir_loop_mul(l->m, *out_points, count);
  }
}

// Lists the loops over the reduced axes of the operand, and sets its other axes to `index`.
static bool list_axis_loops(lower_site *s, loop_expr *const *index, sum_loops *loops,
                            loop_expr **out_points) {
  lowering *l = s->l;
  lower_space space;
  if (!lower_reduce_space(s, &space))
    return false;
  s->axes = space.rank;
  for (int d = 0, from = 0; d < space.rank; d++) {
    loop_expr *extent = lower_dim(l, space.extent[d]);
    s->axis_extent[d] = space.extent[d];
    if (!space.reduced[d]) {
      s->axis[d] = index[from++];
      continue;
    }
    loop_var *v = loop_var_of(s, extent, &s->axis[d]);
    if (v)
      add_sum_loop(loops, v, zero(s), extent);
    *out_points = pir_loop_mul(l->m, *out_points, extent);
    from += space.keep;
  }
  return true;
}

loop_expr *lower_reduced(lower_site *s, loop_expr *const *index) {
  lowering *l = s->l;
  lower_sum sum;
  sum_loops loops = {.outer = l->block};
  loop_expr *points = pir_loop_int(l->m, 1);
  size_t held = l->holds.count;
  lower_sum_start(s, &sum);
  if (l->why)
    return NULL;
  if (s->clause->var_count)
    list_window_loops(s, &loops, &points);
  else if (!list_axis_loops(s, index, &loops, &points))
    return NULL;
  loops.threads = loops.count && s->clause->init < 0 ? l->sum_threads : 0;
  lower_place before = lower_enter(l, open_sum_loops(s, &loops, &sum));
  lower_sum_add(s, &sum);
  lower_leave(l, before);
  lower_sum_end_line(s, &sum, loops.outer);
  join_threads(s, &loops, &sum);
  l->holds.count = held;
  return lower_sum_end(s, &sum, points);
}
