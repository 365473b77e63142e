// Stages of devices for what no nest computes: scans and scatters.
//
// Scans: a result is the elements of its line up to its own, combined. A line that is adjacent
// in memory is a team's: each thread has an element of a tile, the tile is scanned by shuffles,
// and the sum of the tiles before it is carried on. So elements are added in another order than
// one after the other, as in other reductions. Of adjacent lines each has a thread, which goes
// along its line.
//
// Scatters: the result starts as an operand or as zeros, then updates are put into it, in
// order: of several updates of one element the last one wins, and sums are made in the order of
// the updates. Updates whose index along some axis is the result's own there never meet.
// Threads share the points of these axes; each goes through the updates of its points one after
// the other. If there are few points, a block goes through the updates of one point together,
// and each of its threads takes the updates of its own elements of the result. So nothing is
// atomic.
#include "nest.h"
#include "machine.h"

#include <string.h>

// ---- points

static pir_dim points_number(const lowering *l, const lower_axes *p) {
  pir_dim n = pir_dim_const(l->dims, 1);
  for (int i = 0; i < p->count; i++)
    n = pir_dim_mul(l->dims, n, p->extent[i]);
  return n;
}

loop_expr *lower_points_extent(lowering *l, const lower_axes *p) {
  loop_expr *n = pir_loop_int(l->m, 1);
  for (int i = 0; i < p->count; i++)
    n = pir_loop_mul(l->m, n, lower_dim(l, p->extent[i]));
  return n;
}

// Sets the index of the point whose row-major number is `at`.
void lower_set_points(lowering *l, lower_axes *p, loop_expr *at) {
  for (int i = p->count - 1; i >= 0; i--) {
    loop_expr *extent = lower_dim(l, p->extent[i]);
    p->index[i] = i ? pir_loop_mod(l->m, at, extent) : at;
    at = i ? pir_loop_floordiv(l->m, at, extent) : at;
  }
}

// Opens the loop over units, whose number has known bounds: its division is a narrow one.
static loop_block *open_stage(lowering *l, pir_dim units, int threads, loop_expr **out_unit,
                              lower_stages *stages) {
  int64_t known;
  lower_start(l, "stage", (int64_t)stages->count);
  l->fn->threads = threads;
  loop_expr *end = pir_loop_use(l->m, l->fn->end);
  loop_var *u = pir_loop_var_create(l->fn, "u", LOOP_INDEX, 1);
  u->extent = pir_dim_is_const(l->dims, units, &known) ? pir_loop_int(l->m, known) : end;
  *out_unit = pir_loop_use(l->m, u);
  lower_stage stage = {l->fn, units};
  pir_vec_push(&l->m->arena, stages, stage);
  return pir_loop_for(l->fn, &l->fn->body, LOOP_PARALLEL, u, pir_loop_use(l->m, l->fn->begin),
                      end, NULL);
}

loop_block *lower_open_points(lowering *l, lower_axes *p, int threads, lower_stages *stages) {
  loop_expr *unit;
  loop_block *block = open_stage(l, points_number(l, p), threads, &unit, stages);
  lower_set_points(l, p, unit);
  return block;
}

loop_block *lower_open_lanes(lowering *l, lower_axes *p, lower_stages *stages) {
  int64_t per_unit = l->target->machine->device.unit_elements;
  pir_dim units =
      pir_dim_ceildiv(l->dims, points_number(l, p), pir_dim_const(l->dims, per_unit));
  loop_expr *unit, *size = pir_loop_int(l->m, per_unit), *total = lower_points_extent(l, p);
  loop_block *block = open_stage(l, units, l->target->machine->device.threads, &unit, stages);
  loop_expr *begin = pir_loop_mul(l->m, unit, size),
            *end = pir_loop_min(l->m, pir_loop_add(l->m, begin, size), total);
  loop_var *i = pir_loop_var_create(l->fn, "i", LOOP_INDEX, 1);
  block = pir_loop_for(l->fn, block, LOOP_VECTORISED, i, begin, end, NULL);
  i->extent = total;
  l->lanes = i;
  lower_set_points(l, p, pir_loop_use(l->m, i));
  return block;
}

// Opens a loop of which each thread of the team takes one iteration.
loop_block *lower_open_team(lowering *l, loop_block *block, loop_expr **out_thread) {
  loop_expr *threads = pir_loop_int(l->m, l->fn->threads);
  loop_var *t = pir_loop_var_create(l->fn, "t", LOOP_INDEX, 1);
  t->extent = threads;
  *out_thread = pir_loop_use(l->m, t);
  return pir_loop_for(l->fn, block, LOOP_THREADS, t, pir_loop_int(l->m, 0), threads, NULL);
}

void lower_take_turns(lowering *l) {
  l->fn->body.last->loop.body.last->loop.unroll = 1;
}

// ---- elements

lower_place lower_open_elements(lowering *l, const pir_fact *of, lower_axes *out,
                                lower_stages *stages) {
  *out = (lower_axes){.count = of->rank};
  memcpy(out->extent, of->shape, (size_t)of->rank * sizeof *of->shape);
  return lower_enter(l, lower_open_lanes(l, out, stages));
}

bool lower_is_stored(lowering *l, const pir_value *result) {
  const lower_value *v = lower_find(l, result);
  return v && v->slot >= 0;
}

void lower_store_element(lowering *l, const pir_value *result, loop_expr *const *index,
                         loop_expr *e) {
  if (!lower_is_stored(l, result))
    return;
  lower_know(l, result, index, pir_loop_cast(l->m, e, lower_fact(l, result)->dtype));
  lower_store(l, result, index);
}

// ---- scans

typedef struct scan {
  lowering *l;
  lower_site site;
  const pir_value *result;
  pir_combine combine;
  int type;  // of the arithmetic
  bool reverse, exclusive;
  int axes[2][PIR_MAX_RANK];  // of the lines' space, and along a line
  lower_axes lines, along;
  loop_expr *length;
} scan;

static bool open_scan(scan *s, lowering *l, const pir_op *op) {
  lower_space space;
  int64_t reverse, exclusive;
  *s = (scan){.l = l, .result = pir_op_result(op, 0)};
  if (!lower_open(l, op, 0, &s->site))
    return false;
  const pir_clause *c = s->site.clause;
  if (c->combine < PIR_COMBINE_ADD || c->combine > PIR_COMBINE_OR || c->then >= 0 ||
      c->init >= 0 || c->guard >= 0) {
    lower_fail(l, op, "a scan of this form");
    return false;
  }
  if (!lower_reduce_space(&s->site, &space) || !lower_fixed(&s->site, c->reverse, &reverse) ||
      !lower_fixed(&s->site, c->exclusive, &exclusive))
    return false;
  s->reverse = reverse;
  s->exclusive = exclusive;
  s->combine = c->combine;
  s->type = lower_acc_type(&s->site);
  s->site.axes = space.rank;
  for (int d = 0; d < space.rank; d++) {
    lower_axes *list = space.reduced[d] ? &s->along : &s->lines;
    s->axes[space.reduced[d]][list->count] = d;
    list->extent[list->count++] = space.extent[d];
    s->site.axis_extent[d] = space.extent[d];
  }
  return true;
}

// Position `at` of the line as the tensors count it.
static loop_expr *line_place(const scan *s, loop_expr *at) {
  loop_module *m = s->l->m;
  return s->reverse ? pir_loop_sub(m, pir_loop_sub(m, s->length, pir_loop_int(m, 1)), at) : at;
}

static void set_point(scan *s, loop_expr *at) {
  lower_set_points(s->l, &s->along, line_place(s, at));
  for (int i = 0; i < s->lines.count; i++)
    s->site.axis[s->axes[0][i]] = s->lines.index[i];
  for (int i = 0; i < s->along.count; i++)
    s->site.axis[s->axes[1][i]] = s->along.index[i];
}

// The element at position `at`, which is read only where `inside` holds (NULL: always).
static loop_expr *element_at(scan *s, loop_expr *at, loop_expr *inside) {
  lowering *l = s->l;
  loop_expr *outer = l->guard;
  set_point(s, at);
  l->guard = lower_both(l, outer, inside);
  loop_expr *e = lower_clause_value(&s->site, s->site.clause->body, s->type);
  l->guard = outer;
  return pir_loop_let(l->fn, l->block, "e", e);
}

static void store_at(scan *s, loop_expr *at, loop_expr *value) {
  lowering *l = s->l;
  loop_expr *flat = line_place(s, at);
  const pir_fact *out = s->site.out;
  bool one = out->rank != s->site.axes;  // the elements of all axes are one line
  set_point(s, at);
  loop_expr **index = one ? &flat : s->site.axis;
  lower_know(l, s->result, index, pir_loop_cast(l->m, value, out->dtype));
  lower_store(l, s->result, index);
}

static loop_expr *neutral(const scan *s) {
  return pir_loop_neutral(s->l->m, s->combine, s->type);
}

// ---- adjacent lines

static void scan_beside(scan *s, lower_stages *stages) {
  lowering *l = s->l;
  loop_expr *zero = pir_loop_int(l->m, 0);
  loop_block *block = lower_open_lanes(l, &s->lines, stages);
  s->length = lower_points_extent(l, &s->along);
  loop_buffer *sum = pir_loop_registers(l->fn, "sum", s->type, 1, 1);
  pir_loop_store(l->fn, block, sum, zero, neutral(s), NULL);
  loop_var *k = pir_loop_var_create(l->fn, "k", LOOP_INDEX, 1);
  k->extent = s->length;
  block = pir_loop_for(l->fn, block, LOOP_SERIAL, k, zero, s->length, NULL);
  lower_place outside = lower_enter(l, block);
  loop_expr *at = pir_loop_use(l->m, k), *e = element_at(s, at, NULL);
  loop_expr *before =
      pir_loop_let(l->fn, block, "sum", pir_loop_load(l->m, sum, zero, 1, NULL));
  loop_expr *after =
      pir_loop_let(l->fn, block, "sum", pir_loop_combine(l->m, s->combine, before, e));
  pir_loop_store(l->fn, block, sum, zero, after, NULL);
  store_at(s, at, s->exclusive ? before : after);
  lower_leave(l, outside);
}

// ---- lines of a team

static void store_where(scan *s, loop_block *block, loop_expr *condition, loop_expr *at,
                        loop_expr *value) {
  lower_place outside = lower_enter(s->l, pir_loop_if(s->l->fn, block, condition, NULL));
  store_at(s, at, value);
  lower_leave(s->l, outside);
}

// What a result leaves out is its own element: sums are stored one further.
static void store_exclusive(scan *s, loop_block *block, loop_expr *at, loop_expr *sum) {
  loop_module *m = s->l->m;
  loop_expr *next = pir_loop_add(m, at, pir_loop_int(m, 1)), *zero = pir_loop_int(m, 0);
  store_where(s, block, pir_loop_lt(m, next, s->length), next, sum);
  store_where(s, block, pir_loop_op(m, PIR_V_EQ, at, zero, NULL), zero, neutral(s));
}

// A tile that begins at `base`; `carry` holds what the tiles before it come to.
static void scan_tile(scan *s, loop_block *block, loop_expr *base, loop_buffer *carry,
                      bool last) {
  lowering *l = s->l;
  loop_module *m = l->m;
  loop_expr *t, *zero = pir_loop_int(m, 0);
  block = lower_open_team(l, block, &t);
  lower_place outside = lower_enter(l, block);
  loop_expr *at = pir_loop_add(m, base, t);
  loop_expr *inside = pir_loop_let(l->fn, block, "in", pir_loop_lt(m, at, s->length));
  loop_expr *e = pir_loop_select(m, inside, element_at(s, at, inside), neutral(s));
  loop_expr *upto = pir_loop_let(l->fn, block, "p", pir_loop_prefix(m, s->combine, e));
  loop_expr *before = pir_loop_load(m, carry, zero, 1, NULL);
  loop_expr *sum =
      pir_loop_let(l->fn, block, "sum", pir_loop_combine(m, s->combine, before, upto));
  if (s->exclusive)
    store_exclusive(s, block, at, sum);
  else
    store_where(s, block, inside, at, sum);
  if (!last) {
    loop_expr *ends = pir_loop_op(m, PIR_V_EQ, t, pir_loop_int(m, l->fn->threads - 1), NULL);
    loop_expr *whole =
        pir_loop_team(m, s->combine, 0, pir_loop_select(m, ends, upto, neutral(s)));
    pir_loop_store(l->fn, block, carry, zero, pir_loop_combine(m, s->combine, before, whole),
                   NULL);
  }
  lower_leave(l, outside);
}

static int threads_of(const scan *s) {
  const pir_machine *machine = s->l->target->machine;
  int64_t length;
  int threads = 1;
  pir_dim dim = points_number(s->l, &s->along);
  if (!pir_dim_is_const(s->l->dims, dim, &length))
    return machine->device.open_row_threads;
  if (length > machine->device.warp_row)
    return machine->device.block_threads;
  while (threads < length && threads < machine->device.threads)
    threads *= 2;
  return threads;
}

static void scan_along(scan *s, lower_stages *stages) {
  lowering *l = s->l;
  int threads = threads_of(s);
  int64_t length;
  loop_expr *zero = pir_loop_int(l->m, 0), *base = zero;
  loop_block *block = lower_open_points(l, &s->lines, threads, stages);
  s->length = lower_points_extent(l, &s->along);
  loop_buffer *carry = pir_loop_registers(l->fn, "carry", s->type, 1, 1);
  pir_loop_store(l->fn, block, carry, zero, neutral(s), NULL);
  bool one = pir_loop_is_int(s->length, &length) && length <= threads;
  if (!one) {
    loop_var *tile = pir_loop_var_create(l->fn, "tile", LOOP_INDEX, 1);
    tile->extent = s->length;
    base = pir_loop_use(l->m, tile);
    block = pir_loop_for(l->fn, block, LOOP_SERIAL, tile, zero, s->length,
                         pir_loop_int(l->m, threads));
  }
  scan_tile(s, block, base, carry, one);
}

// Whether lines lie beside each other in memory, enough of them for the threads of a warp's
// half.
static bool lies_beside(const scan *s) {
  int64_t inner = 1, extent;
  for (int i = 0; i < s->lines.count; i++) {
    if (s->axes[0][i] < s->axes[1][s->along.count - 1])
      continue;
    if (!pir_dim_is_const(s->l->dims, s->lines.extent[i], &extent))
      return true;
    inner *= extent;
  }
  return inner >= s->l->target->machine->device.side_threads;
}

void lower_scan(lowering *l, const pir_op *op, lower_stages *stages) {
  scan s;
  if (!open_scan(&s, l, op))
    return;
  if (s.along.count && lies_beside(&s))
    scan_beside(&s, stages);
  else
    scan_along(&s, stages);
}

// ---- scatters

typedef struct updates {
  lowering *l;
  lower_site site;
  lower_space space;
  const pir_value *result;
  int type;                  // of the arithmetic
  bool apart[PIR_MAX_RANK];  // axes of the updates along which they never meet
  lower_axes points;         // of these axes
} updates;

// ---- the start

static void start_result(updates *u, lower_stages *stages) {
  lowering *l = u->l;
  const pir_clause *c = u->site.clause;
  const pir_fact *out = u->site.out;
  lower_axes all = {.count = out->rank};
  memcpy(all.extent, out->shape, (size_t)out->rank * sizeof *out->shape);
  lower_place outside = lower_enter(l, lower_open_lanes(l, &all, stages));
  loop_expr *e = c->init >= 0
                     ? pir_loop_cast(l->m, pir_loop_const_int(l->m, PIR_I32, 0), out->dtype)
                     : lower_element(l, pir_op_operand(u->site.op, 0), all.index);
  lower_know(l, u->result, all.index, e);
  lower_store(l, u->result, all.index);
  lower_leave(l, outside);
}

// ---- where updates go

// Computes the index in the result, of the update at site->axis.
static bool target_index(lower_site *site, loop_expr **out) {
  const pir_clause *c = site->clause;
  pir_node store = {
      .map_kind = c->out_map_kind, .map = c->out_map, .map_count = c->out_map_count, .k = -1};
  return lower_load_index(site, &store, site->out, out);
}

// A lowering of its own of the same values, whose code nobody sees.
static lowering aside_of(const lowering *l) {
  lowering aside;
  lower_init(&aside, pir_loop_module_create_in(pir_facts_heap(l->facts)), l->target, l->facts,
             l->group);
  for (size_t i = 0; i < l->values.count; i++) {
    const lower_value *v = l->values.items[i];
    lower_value *same = lower_add(&aside, v->value);
    same->slot = v->slot;
    same->readable = v->readable;
  }
  lower_start(&aside, "aside", -1);
  return aside;
}

// Finds the axes along which updates never meet: an index of the result is the update's own.
static void find_apart(updates *u) {
  lowering aside = aside_of(u->l);
  loop_expr *target[PIR_MAX_RANK];
  lower_site site;
  bool found = lower_open(&aside, u->site.op, 0, &site);
  site.axes = u->space.rank;
  for (int d = 0; found && d < u->space.rank; d++) {
    loop_var *v = pir_loop_var_create(aside.fn, "i", LOOP_INDEX, 1);
    site.axis[d] = pir_loop_use(aside.m, v);
    site.axis_extent[d] = u->space.extent[d];
    v->extent = lower_dim(&aside, u->space.extent[d]);
  }
  found = found && target_index(&site, target);
  for (int d = 0; found && d < u->space.rank; d++)
    for (int i = 0; i < site.out->rank; i++)
      u->apart[d] |= pir_loop_equal(target[i], site.axis[d]);
  pir_loop_module_destroy(aside.m);
}

// Reports an index that is out of range; returns the condition that none is, or NULL: always.
static loop_expr *check_target(updates *u, loop_expr **target) {
  lowering *l = u->l;
  loop_expr *in = NULL;
  int64_t known;
  for (int d = 0; d < u->site.out->rank; d++) {
    loop_expr *extent = lower_dim(l, u->site.out->shape[d]);
    target[d] = pir_loop_let(l->fn, l->block, "at", target[d]);
    in = lower_both(l, in, lower_in_range(l, target[d], extent));
  }
  if (!in || (pir_loop_is_int(in, &known) && known))
    return NULL;
  in = pir_loop_let(l->fn, l->block, "in", in);
  lower_trap(&u->site, "index out of the result's range",
             pir_loop_op(l->m, PIR_V_NOT, in, NULL, NULL));
  return in;
}

// ---- one update

static void put_update(updates *u, loop_expr **target) {
  lowering *l = u->l;
  loop_module *m = l->m;
  const pir_clause *c = u->site.clause;
  lower_value *v = lower_find(l, u->result);
  loop_buffer *b = lower_buffer(l, v);
  loop_expr *at = pir_loop_let(l->fn, l->block, "at", lower_position(l, v, target));
  loop_expr *e = lower_clause_value(&u->site, c->body, u->type);
  if (c->combine != PIR_COMBINE_NONE && c->combine != PIR_COMBINE_ASSIGN) {
    loop_expr *old = pir_loop_load(m, b, at, 1, NULL);
    old = pir_loop_cast(m, pir_loop_cast(m, old, pir_node_type_arithmetic(b->dtype)), u->type);
    e = pir_loop_combine(m, c->combine, old, e);
  }
  pir_loop_store(l->fn, l->block, b, at, pir_loop_cast(m, e, b->dtype), NULL);
}

// Takes the update at site.axis. With a thread's number, only if the element is the thread's.
static void take_update(updates *u, loop_expr *thread) {
  lowering *l = u->l;
  loop_module *m = l->m;
  const pir_clause *c = u->site.clause;
  loop_expr *target[PIR_MAX_RANK], *outer = l->condition, *takes = NULL;
  if (c->guard >= 0)
    takes = l->condition =
        pir_loop_let(l->fn, l->block, "takes", lower_truth(&u->site, c->guard));
  if (!target_index(&u->site, target))
    return;
  takes = lower_both(l, takes, check_target(u, target));
  l->condition = outer;
  if (thread) {
    loop_expr *at = lower_position(l, lower_find(l, u->result), target);
    loop_expr *owner = pir_loop_mod(m, at, pir_loop_int(m, l->fn->threads));
    takes = lower_both(l, takes, pir_loop_op(m, PIR_V_EQ, owner, thread, NULL));
  }
  lower_place outside = {l->block, l->memo.count};
  if (takes)
    outside = lower_enter(l, pir_loop_if(l->fn, l->block, takes, NULL));
  put_update(u, target);
  lower_leave(l, outside);
}

// Opens loops over the axes along which updates may meet, in the order of updates.
static loop_block *open_updates(updates *u, loop_block *block) {
  lowering *l = u->l;
  for (int d = 0, p = 0; d < u->space.rank; d++) {
    loop_expr *extent = lower_dim(l, u->space.extent[d]);
    if (u->apart[d]) {
      u->site.axis[d] = u->points.index[p++];
      continue;
    }
    loop_var *k = pir_loop_var_create(l->fn, "k", LOOP_INDEX, 1);
    k->extent = extent;
    u->site.axis[d] = pir_loop_use(l->m, k);
    block = pir_loop_for(l->fn, block, LOOP_SERIAL, k, pir_loop_int(l->m, 0), extent, NULL);
  }
  return block;
}

static void put_updates(updates *u, lower_stages *stages) {
  lowering *l = u->l;
  const pir_machine *machine = l->target->machine;
  int64_t number;
  loop_block *block;
  loop_expr *thread = NULL;
  for (int d = 0; d < u->space.rank; d++)
    if (u->apart[d])
      u->points.extent[u->points.count++] = u->space.extent[d];
  bool few = pir_dim_is_const(l->dims, points_number(l, &u->points), &number) &&
             number < machine->device.threads;
  if (few) {
    block = lower_open_points(l, &u->points, machine->device.block_threads, stages);
    block = lower_open_team(l, block, &thread);
  } else {
    block = lower_open_lanes(l, &u->points, stages);
  }
  lower_place outside = lower_enter(l, open_updates(u, block));
  take_update(u, thread);
  lower_leave(l, outside);
}

void lower_updates(lowering *l, const pir_op *op, lower_stages *stages) {
  updates u = {.l = l, .result = pir_op_result(op, 0)};
  if (!lower_open(l, op, 0, &u.site) || !lower_reduce_space(&u.site, &u.space))
    return;
  const pir_clause *c = u.site.clause;
  if (c->combine > PIR_COMBINE_OR && c->combine != PIR_COMBINE_ASSIGN) {
    lower_fail(l, op, "a combination without generated code");
    return;
  }
  if (c->trap >= 0) {
    lower_fail(l, op, "a check that may stop the run");
    return;
  }
  u.type = pir_node_type_strong(u.site.types[c->body]);
  u.site.axes = u.space.rank;
  memcpy(u.site.axis_extent, u.space.extent, sizeof u.space.extent);
  start_result(&u, stages);
  if (l->why)
    return;
  find_apart(&u);
  put_updates(&u, stages);
}
