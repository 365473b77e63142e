// The inner loops of the panel kernel (contract_panel.c): the reduction loop of one register
// tile. A walk nests the reduced axes, outermost first. Each step loads the vectors of one line
// of b and adds their products with one element of each row.
#include "contract_ways.h"
#include "contract_words.h"

// A loop of a walk: its range, and the distances by which a step advances the walk's positions.
typedef struct stride {
  loop_expr *begin, *end, *a, *b, *fetch;
  int64_t extent;  // steps if all are inside; 0: unknown
  int64_t steps;   // number of steps where the ends do not tell; 0: unknown
} stride;

loop_expr *contract_sum_place(const panel_tile *t, int row) {
  return contract_int(&t->p->e, row * t->parts + t->part);
}

loop_expr *contract_load_sum(const panel_tile *t, int row, int v) {
  uint16_t lanes = (uint16_t)t->p->lanes[v];
  return pir_loop_load(t->p->e.m, t->sums[v], contract_sum_place(t, row), lanes, NULL);
}

void contract_store_sum(const panel_tile *t, loop_block *block, int row, int v,
                        loop_expr *sum) {
  pir_loop_store(t->p->e.fn, block, t->sums[v], contract_sum_place(t, row), sum, NULL);
}

void contract_add_product(const panel_tile *t, loop_block *block, int row, int v, loop_expr *a,
                          loop_expr *b) {
  loop_expr *sum = contract_product(&t->p->e, a, b, contract_load_sum(t, row, v));
  contract_store_sum(t, block, row, v, sum);
}

// Loads vector v of a line of b.
static loop_expr *load_line(const panel_tile *t, loop_block *block, const char *stem,
                            loop_expr *line, int v) {
  const contract_emission *e = &t->p->e;
  loop_expr *at = contract_plus(e, line, v * e->form->vector);
  loop_expr *x = contract_load(e, e->b, at, t->p->lanes[v], NULL);
  return contract_let(e, block, stem, contract_widen_line(e, x));
}

// Depthwise: lanes are also channels of `a`, so each row loads its own vector for each vector
// of the panel.
static void emit_lanewise_row(const panel_tile *t, loop_block *block, loop_expr *at, int row,
                              loop_expr *const *line) {
  const contract_panel *p = t->p;
  const contract_emission *e = &p->e;
  for (int v = 0; v < p->vectors; v++) {
    loop_expr *from = contract_plus(e, at, v * e->form->vector);
    loop_expr *x = contract_load(e, e->a, from, p->lanes[v], p->masks[v]);
    contract_add_product(t, block, row, v, pir_loop_cast(e->m, x, e->form->compute), line[v]);
  }
}

// Fetches the line of packed b that is used `cache.stream_ahead` bytes later, into the L2
// cache, if it holds a narrower type: steps take so long for its few bytes that the processor
// asks for too few lines ahead, and it stops at the end of each page.
static void fetch_narrow(const panel_tile *t, loop_block *block, const contract_walk *w) {
  const contract_emission *e = &t->p->e;
  if (!e->form->held)
    return;
  int64_t size = (int64_t)pir_dtype_size(e->b->dtype);
  int64_t bytes = (int64_t)t->p->vectors * e->form->vector * size;
  int64_t ahead = e->env->target->machine->cache.stream_ahead;
  for (int64_t at = 0; at < bytes; at += CACHE_LINE)
    pir_loop_prefetch(e->fn, block, e->b, contract_plus(e, w->b, (ahead + at) / size), true);
}

// Elements that a step fetches if their number is open. Tiles of the rest of rows, which are
// all if there are few, and lines of a narrower type take less time than reading b, so that all
// of a line is fetched; of others, what each of many units fetches.
static int64_t fetched_otherwise(const panel_tile *t) {
  const contract_form *f = t->p->e.form;
  return f->held || t->rows < f->rows ? contract_panel_lanes(f) : 1;
}

// Emits one step. `count` is the number of elements along the last reduced axis: all of the
// step, or fewer at an incomplete end.
static void emit_step(const panel_tile *t, loop_block *block, const contract_walk *w,
                      int count) {
  const contract_emission *e = &t->p->e;
  loop_expr *line[CONTRACT_MOST_VECTORS];
  if (w->fetch)
    contract_fetch(e, block, w->fetch, fetched_otherwise(t));
  else
    fetch_narrow(t, block, w);
  if (e->form->numbers) {
    contract_add_numbers(t, block, w);
    return;
  }
  for (int v = 0; v < t->p->vectors; v++)
    line[v] = load_line(t, block, "b", w->b, v);
  for (int row = w->low; row < w->high; row++) {
    loop_expr *at = contract_add(e, w->a, contract_times(e, t->row_step, row));
    if (e->form->kind == CONTRACT_DEPTHWISE) {
      emit_lanewise_row(t, block, at, row, line);
      continue;
    }
    loop_expr *x = contract_let(e, block, "a", contract_load_a(e, at, count));
    for (int v = 0; v < t->p->vectors; v++) {
      loop_expr *all = contract_broadcast(e, x, t->p->lanes[v]);
      contract_add_product(t, block, row, v, all, line[v]);
    }
  }
}

// Orders the reduced axes as in packing, except that an unrolled one goes outermost: inside,
// the values shared by its steps would occupy all registers.
static void order_taps(panel_tile *t) {
  const contract_form *f = t->p->e.form;
  int last = f->tap_count - 1;
  for (int i = 0; i <= last; i++)
    t->order[i] = i;
  bool unrolled = t->border == BORDER_ROWS && f->kind != CONTRACT_DEPTHWISE;
  if (!unrolled || f->taps[last] != t->tap)
    return;
  for (int i = last; i > 0; i--)
    t->order[i] = i - 1;
  t->order[0] = last;
}

static loop_expr *fetch_step(const contract_emission *e, int level) {
  return e->fetch.from ? contract_lines_below(e, level, e->fetch.step) : NULL;
}

loop_expr *contract_tap_step_b(const contract_emission *e, int level) {
  const contract_form *f = e->form;
  if (!f->b_packed)
    return contract_step(e, OF_B, f->taps[level]);
  return contract_lines_below(e, level, contract_int(e, contract_panel_lanes(f)));
}

loop_expr *contract_tap_step_a(const contract_emission *e, int level) {
  int size = contract_step_size(e->form, level);
  return contract_times(e, contract_step(e, OF_A, e->form->taps[level]), size);
}

static bool is_limited(const panel_tile *t, int axis) {
  return t->p->tap_begin[axis] || (axis == t->tap && t->border != BORDER_NONE);
}

// Whether the last two levels can be one loop, because they run over adjacent elements of a and
// b.
static bool can_join_levels(const panel_tile *t, int level) {
  const contract_form *f = t->p->e.form;
  if (level != f->tap_count - 2 || contract_is_corrected(f) || !f->b_packed || f->scaled >= 0)
    return false;
  int outer_axis = f->taps[level], inner_axis = f->taps[level + 1];
  if (t->border == BORDER_ROWS || is_limited(t, outer_axis) || is_limited(t, inner_axis))
    return false;
  const contract_axis *x = &f->axes[inner_axis];
  int64_t outer, inner, extent;
  return contract_const(f, f->axes[outer_axis].step_a, &outer) &&
         contract_const(f, x->step_a, &inner) && contract_const(f, x->extent, &extent) &&
         outer == inner * extent && extent % f->group == 0;
}

// Emits the levels from order[at] on.
static void emit_taps(const panel_tile *t, loop_block *block, int at, contract_walk w);

// Advances the walk by k steps.
static contract_walk move_walk(const contract_emission *e, loop_block *block,
                               const contract_walk *w, const stride *s, loop_expr *k) {
  contract_walk next = *w;
  next.a = contract_add(e, w->a, contract_mul(e, k, s->a));
  next.a = contract_let(e, block, "at_a", next.a);
  next.b = contract_add(e, w->b, contract_mul(e, k, s->b));
  next.b = contract_let(e, block, "at_b", next.b);
  if (w->fetch)
    next.fetch = contract_add(e, w->fetch, contract_mul(e, k, s->fetch));
  return next;
}

// Advances the walk by a constant number of steps.
static contract_walk move_walk_by(const contract_emission *e, const contract_walk *w,
                                  const stride *s, int64_t k) {
  contract_walk next = *w;
  next.a = contract_add(e, w->a, contract_times(e, s->a, k));
  next.b = contract_add(e, w->b, contract_times(e, s->b, k));
  if (w->fetch)
    next.fetch = contract_add(e, w->fetch, contract_times(e, s->fetch, k));
  return next;
}

static void emit_tap_loop(const panel_tile *t, loop_block *block, int next,
                          const contract_walk *w, const stride *s);
static void emit_strip(const panel_tile *t, loop_block *block, int next, const contract_walk *w,
                       const stride *s);

// Emits a loop with t->parts steps in each iteration, each adding to its own partial sums. This
// hides the latency of small tiles. Remaining steps add to the first part.
static void emit_parts(const panel_tile *t, loop_block *block, const contract_walk *w,
                       const stride *s) {
  const contract_emission *e = &t->p->e;
  loop_expr *parts = contract_int(e, t->parts), *count = contract_sub(e, s->end, s->begin), *k;
  stride rest = *s;
  rest.extent = 0;
  int64_t known;
  // Where padding covers all of a window, it ends before it begins.
  loop_expr *steps =
      pir_loop_is_int(count, &known) ? count : contract_max(e, count, contract_int(e, 0));
  rest.begin = contract_sub(e, s->end, contract_mod(e, steps, parts));
  loop_block *body = contract_loop(e, block, "k", s->begin, rest.begin, parts, &k);
  panel_tile one = *t;
  for (one.part = 0; one.part < t->parts; one.part++) {
    contract_walk here = move_walk(e, body, w, s, contract_plus(e, k, one.part));
    emit_step(&one, body, &here, e->form->group);
  }
  one.part = 0;
  one.whole = true;
  if (pir_loop_multiple(count) % t->parts)
    emit_tap_loop(&one, block, e->form->tap_count, w, &rest);
}

// ---- chunks

// Long sums are added in chunks of about this many products for each part of a sum. The
// rounding error of n additions in one chain grows with n, the error of chunks of c with
// c + n / c (Higham, Accuracy and Stability of Numerical Algorithms, 2002, section 4.2).
enum { CHUNK = 256 };

// Products of one step of the level before order[at]; 0 if it is open.
static int64_t products_inside(const panel_tile *t, int at) {
  const contract_form *f = t->p->e.form;
  int64_t products = 1, extent;
  for (; at < f->tap_count; at++) {
    if (!contract_const(f, f->axes[f->taps[t->order[at]]].extent, &extent) || extent <= 0 ||
        products > INT64_MAX / extent)
      return 0;
    products *= extent;
  }
  return products;
}

static bool has_chunks(const panel_tile *t) {
  const contract_form *f = t->p->e.form;
  return f->compute == PIR_F32 && f->kind == CONTRACT_PANEL && f->scaled < 0 &&
         (f->group == 1 || f->numbers) && products_inside(t, 0) >= 2 * CHUNK * t->parts;
}

// Returns the steps of a chunk if a loop with so many steps, in front of order[next], is
// divided into chunks: the outermost loop whose steps are no longer than a chunk. Else 0.
static int64_t steps_of_chunk(const panel_tile *t, int next, int64_t steps) {
  const contract_form *f = t->p->e.form;
  int64_t inside = next == f->tap_count ? f->group : products_inside(t, next);
  if (!t->totals || t->chunked || !steps || inside > CHUNK)
    return 0;
  int64_t most = CHUNK * t->parts / inside, chunks = (steps + most - 1) / most;
  return (steps + chunks - 1) / chunks;
}

static loop_expr *total_at(const panel_tile *t, int row, int v) {
  const contract_emission *e = &t->p->e;
  int64_t at = ((int64_t)row * t->p->vectors + v) * e->form->vector;
  return t->place ? contract_plus(e, t->place, at) : contract_int(e, at);
}

static int64_t totals_of_point(const panel_tile *t) {
  return (int64_t)t->rows * t->p->vectors * t->p->e.form->vector;
}

static loop_expr *zero_lanes(const panel_tile *t, int v, pir_dtype dtype) {
  const contract_emission *e = &t->p->e;
  loop_expr *zero = dtype == PIR_I32 ? pir_loop_const_int(e->m, dtype, 0)
                                     : pir_loop_const_float(e->m, dtype, 0);
  return contract_broadcast(e, zero, t->p->lanes[v]);
}

static void start_totals(panel_tile *t) {
  const contract_emission *e = &t->p->e;
  int64_t count = totals_of_point(t) * contract_strip_points(e->form);
  t->totals = pir_loop_scratch(e->fn, "totals", PIR_F32, count);
  // The registers hold sums. LLVM would move the totals there, and sums out of them.
  t->totals->stays = true;
}

static void start_chunks(panel_tile *t, loop_block *block) {
  const contract_emission *e = &t->p->e;
  start_totals(t);
  t->chunks = pir_loop_registers(e->fn, "chunks", LOOP_INDEX, 1, 1);
  pir_loop_store(e->fn, block, t->chunks, contract_int(e, 0), contract_int(e, 0), NULL);
}

static loop_expr *chunks_so_far(const panel_tile *t) {
  const contract_emission *e = &t->p->e;
  return pir_loop_load(e->m, t->chunks, contract_int(e, 0), 1, NULL);
}

// Adds the parts of each sum, and the total so far if there is any, and stores the total.
static void store_totals(const panel_tile *t, loop_block *block, bool any) {
  const contract_emission *e = &t->p->e;
  panel_tile one = *t;
  for (int row = 0; row < t->rows; row++)
    for (int v = 0; v < t->p->vectors; v++) {
      loop_expr *at = total_at(t, row, v);
      loop_expr *sum = any ? contract_load(e, t->totals, at, t->p->lanes[v], NULL) : NULL;
      for (one.part = 0; one.part < t->parts; one.part++) {
        loop_expr *part = contract_load_sum(&one, row, v);
        sum = sum ? contract_add(e, sum, part) : part;
      }
      contract_store(e, block, t->totals, at, sum);
    }
}

static void zero_sums(const panel_tile *t, loop_block *block) {
  panel_tile one = *t;
  for (one.part = 0; one.part < t->parts; one.part++)
    for (int row = 0; row < t->rows; row++)
      for (int v = 0; v < t->p->vectors; v++)
        contract_store_sum(&one, block, row, v, zero_lanes(t, v, t->sums[v]->dtype));
}

// Begins a chunk: the sums of the chunk before become totals or are added to them. So the sums
// of the last chunk stay in registers. No totals are stored before the first chunk: the queue
// of stores still holds the results of the tile before, and products would wait for it.
static void begin_chunk(const panel_tile *t, loop_block *block) {
  const contract_emission *e = &t->p->e;
  loop_expr *so_far = contract_let(e, block, "chunks", chunks_so_far(t));
  loop_block *body = contract_if(e, block, contract_lt(e, contract_int(e, 0), so_far), NULL);
  loop_block *first;
  loop_block *later = contract_if(e, body, contract_lt(e, contract_int(e, 1), so_far), &first);
  store_totals(t, later, true);
  store_totals(t, first, false);
  zero_sums(t, body);
  pir_loop_store(e->fn, block, t->chunks, contract_int(e, 0), contract_plus(e, so_far, 1),
                 NULL);
}

// Adds the totals to the sums of the last chunk.
static void add_totals(const panel_tile *t, loop_block *block) {
  const contract_emission *e = &t->p->e;
  block = contract_if(e, block, contract_lt(e, contract_int(e, 1), chunks_so_far(t)), NULL);
  for (int row = 0; row < t->rows; row++)
    for (int v = 0; v < t->p->vectors; v++) {
      loop_expr *at = total_at(t, row, v);
      loop_expr *total = contract_load(e, t->totals, at, t->p->lanes[v], NULL);
      contract_store_sum(t, block, row, v,
                         contract_add(e, total, contract_load_sum(t, row, v)));
    }
}

static void emit_chunks(const panel_tile *t, loop_block *block, int next,
                        const contract_walk *w, const stride *s, int64_t steps) {
  const contract_emission *e = &t->p->e;
  panel_tile one = *t;
  stride part = *s;
  one.chunked = true;
  part.extent = 0;
  loop_expr *by = contract_int(e, steps);
  loop_block *body = contract_loop(e, block, "chunk", s->begin, s->end, by, &part.begin);
  part.end = contract_add(e, part.begin, by);
  int64_t first, last;
  bool all = pir_loop_is_int(s->begin, &first) && pir_loop_is_int(s->end, &last) &&
             (last - first) % steps == 0;
  if (!all)
    part.end = contract_min(e, part.end, s->end);
  part.steps = all ? steps : 0;
  if (e->form->strip_count) {
    emit_strip(&one, body, next, w, &part);
    return;
  }
  begin_chunk(t, body);
  emit_tap_loop(&one, body, next, w, &part);
}

static void clear_totals(panel_tile *t, loop_block *block) {
  const contract_emission *e = &t->p->e;
  for (int row = 0; row < t->rows; row++)
    for (int v = 0; v < t->p->vectors; v++)
      contract_store(e, block, t->totals, total_at(t, row, v), zero_lanes(t, v, PIR_F32));
}

// ---- strips

loop_block *contract_open_strip(panel_tile *t, loop_block *block) {
  contract_emission *e = &t->p->e;
  loop_expr *number = contract_int(e, 0);
  for (int i = 0; i < e->form->strip_count; i++) {
    int axis = e->form->strip[i];
    loop_expr *extent = contract_extent(e, axis);
    block = contract_count(e, block, "point", extent, 1, &e->value[axis]);
    number = contract_add(e, contract_mul(e, number, extent), e->value[axis]);
  }
  t->place = contract_let(e, block, "place", contract_times(e, number, totals_of_point(t)));
  return block;
}

void contract_close_strip(panel_tile *t) {
  const contract_form *f = t->p->e.form;
  for (int i = 0; i < f->strip_count; i++)
    t->p->e.value[f->strip[i]] = NULL;
  t->place = NULL;
}

// The walk at the point whose axes have values.
static contract_walk walk_of_point(const panel_tile *t, loop_block *block,
                                   const contract_walk *w) {
  const contract_emission *e = &t->p->e;
  contract_walk here = *w;
  for (int i = 0; i < e->form->strip_count; i++) {
    int axis = e->form->strip[i];
    here.a =
        contract_add(e, here.a, contract_mul(e, e->value[axis], contract_step(e, OF_A, axis)));
  }
  here.a = contract_let(e, block, "at_a", here.a);
  return here;
}

// Limits the taps to those that are inside at this point. Returns whether open loops stand at
// such taps (NULL: they do).
static loop_expr *limit_taps(panel_tile *t, loop_block *block) {
  const contract_emission *e = &t->p->e;
  const contract_form *f = e->form;
  loop_expr *inside = NULL;
  for (int i = 0; i < f->window_count; i++) {
    const contract_window *w = &f->windows[i];
    loop_expr *begin, *end, *at = t->at[w->tap];
    if (w->position < 0 || !contract_in_strip(f, w->position))
      continue;
    contract_tap_range(e, w, e->value[w->position], &begin, &end);
    begin = contract_let(e, block, "begin", begin);
    end = contract_let(e, block, "end", end);
    if (at) {
      loop_expr *behind = contract_lt(e, begin, contract_plus(e, at, 1));
      inside = contract_both(e, inside, contract_both(e, behind, contract_lt(e, at, end)));
    }
    t->p->tap_begin[w->tap] = begin;
    t->p->tap_end[w->tap] = end;
  }
  return inside;
}

// Adds one chunk of the reduction to the totals of every point. Where it ends, the range of
// every tap is whole again.
static void emit_strip(const panel_tile *t, loop_block *block, int next, const contract_walk *w,
                       const stride *s) {
  const contract_emission *e = &t->p->e;
  contract_panel kept = *t->p;
  panel_tile one = *t;
  stride part = *s;
  int axis = e->form->taps[t->order[next - 1]];
  loop_block *body = contract_open_strip(&one, block);
  contract_walk here = walk_of_point(&one, body, w);
  loop_expr *inside = limit_taps(&one, body);
  if (inside)
    body = contract_if(e, body, inside, NULL);
  if (t->p->tap_begin[axis]) {
    loop_expr *begin = contract_max(e, part.begin, t->p->tap_begin[axis]);
    loop_expr *end = contract_min(e, part.end, t->p->tap_end[axis]);
    part.begin = contract_let(e, body, "begin", begin);
    part.end = contract_let(e, body, "end", end);
    part.steps = 0;
  }
  zero_sums(&one, body);
  emit_tap_loop(&one, body, next, &here, &part);
  store_totals(&one, body, true);
  contract_close_strip(&one);
  *t->p = kept;
}

// Emits the taps of all points; their totals hold the sums.
static void emit_strips(panel_tile *t, loop_block *block, contract_walk w) {
  start_totals(t);
  clear_totals(t, contract_open_strip(t, block));
  contract_close_strip(t);
  emit_taps(t, block, 0, w);
}

// ---- scales

// What a sum of numbers raised by 8 has too much: eight times the sum of the row's bytes, which
// stands behind the row. NULL: numbers are as they are.
static loop_expr *too_much(const panel_tile *t, loop_expr *behind, int row) {
  const contract_emission *e = &t->p->e;
  if (!behind)
    return NULL;
  loop_expr *at = contract_add(e, behind, contract_times(e, t->row_step, row));
  loop_expr *bytes = contract_load(e, e->a, at, (int)sizeof(int32_t), NULL);
  return pir_loop_bitcast(e->m, bytes, PIR_I32);
}

// Adds the sums of one step of the scaled axis, times its scales, to the totals.
static void add_scaled_sums(const panel_tile *t, loop_block *block, loop_expr *scales,
                            loop_expr *behind) {
  const contract_emission *e = &t->p->e;
  panel_tile one = *t;
  for (int v = 0; v < t->p->vectors; v++) {
    loop_expr *at = contract_plus(e, scales, v * e->form->vector);
    loop_expr *by = contract_load(e, e->scale, at, t->p->lanes[v], t->p->masks[v]);
    by = contract_let(e, block, "scale", by);
    for (int row = 0; row < t->rows; row++) {
      loop_expr *sum = NULL, *to = total_at(t, row, v);
      for (one.part = 0; one.part < t->parts; one.part++) {
        loop_expr *part = contract_load_sum(&one, row, v);
        sum = sum ? contract_add(e, sum, part) : part;
      }
      loop_expr *total = contract_load(e, t->totals, to, t->p->lanes[v], NULL);
      loop_expr *raised = too_much(t, behind, row);
      if (raised)
        sum = contract_sub(e, sum, contract_broadcast(e, raised, t->p->lanes[v]));
      sum = pir_loop_cast(e->m, sum, PIR_F32);
      total = e->env->target->fma ? pir_loop_fma(e->m, sum, by, total)
                                  : contract_add(e, contract_mul(e, sum, by), total);
      contract_store(e, block, t->totals, to, total);
    }
  }
}

// Fetches the scales that are used as much later as fetched lines, which no processor expects
// so far from these: of a step behind k, or of the next panel.
static void fetch_scales(const panel_tile *t, loop_block *block, const stride *s,
                         loop_expr *k) {
  const contract_emission *e = &t->p->e;
  const contract_form *f = e->form;
  int64_t step, size = (int64_t)pir_dtype_size(e->b->dtype), steps = 1;
  int64_t ahead = e->env->target->machine->cache.stream_ahead;
  if (pir_loop_is_int(s->b, &step) && step > 0 && step * size < ahead)
    steps = (ahead + step * size - 1) / (step * size);
  loop_expr *next = contract_plus(e, k, steps), *apart = contract_dim(e, f->step_scale);
  loop_expr *in_panel = contract_lt(e, next, s->end);
  loop_expr *panel =
      pir_loop_select(e->m, in_panel, t->p->number, contract_plus(e, t->p->number, 1));
  next = pir_loop_select(e->m, in_panel, next, contract_sub(e, next, s->end));
  loop_expr *at = contract_times(e, panel, contract_panel_lanes(f));
  at = contract_let(e, block, "next", contract_add(e, at, contract_mul(e, next, apart)));
  for (int v = 0; v < t->p->vectors; v++)
    pir_loop_prefetch(e->fn, block, e->scale, contract_plus(e, at, v * f->vector), true);
}

// Emits the loop over the scaled axis: each of its steps is a sum of its own.
static void emit_scaled(const panel_tile *t, loop_block *block, contract_walk w) {
  const contract_emission *e = &t->p->e;
  const contract_form *f = e->form;
  panel_tile one = *t;
  one.chunked = true;
  stride s = {.begin = contract_int(e, 0), .end = contract_extent(e, f->scaled)};
  s.a = contract_step(e, OF_A, f->scaled);
  s.b = contract_tap_step_b(e, 0);
  s.fetch = fetch_step(e, 0);
  loop_expr *k, *apart = contract_dim(e, f->step_scale);
  loop_block *body = contract_loop(e, block, "k", s.begin, s.end, NULL, &k);
  loop_expr *lane = contract_times(e, t->p->number, contract_panel_lanes(f));
  loop_expr *scales = contract_add(e, contract_mul(e, k, apart), lane);
  scales = contract_let(e, body, "scales", scales);
  fetch_scales(t, body, &s, k);
  zero_sums(t, body);
  emit_taps(&one, body, 1, move_walk(e, body, &w, &s, k));
  loop_expr *behind = NULL;
  if (f->numbers && f->compute == PIR_I32)
    behind = contract_plus(e, contract_add(e, w.a, contract_times(e, k, sizeof(int32_t))),
                           contract_ordered_bytes(f));
  add_scaled_sums(t, body, scales, behind);
}

void contract_take_totals(panel_tile *t, loop_block *block) {
  const contract_emission *e = &t->p->e;
  for (int v = 0; e->form->compute != PIR_F32 && v < t->p->vectors; v++) {
    uint16_t lanes = (uint16_t)t->p->lanes[v];
    t->sums[v] =
        pir_loop_registers(e->fn, "total", PIR_F32, lanes, (int64_t)t->rows * t->parts);
  }
  zero_sums(t, block);
  for (int row = 0; row < t->rows; row++)
    for (int v = 0; v < t->p->vectors; v++) {
      loop_expr *at = total_at(t, row, v);
      contract_store_sum(t, block, row, v,
                         contract_load(e, t->totals, at, t->p->lanes[v], NULL));
    }
}

// ---- loops

// Whether a loop of so many steps is unrolled.
static bool is_written_out(const panel_tile *t, int64_t steps) {
  const pir_machine *machine = t->p->e.env->target->machine;
  return t->p->e.form->kind == CONTRACT_DEPTHWISE && steps <= machine->tile.unrolled_steps &&
         steps * t->rows * t->p->vectors <= machine->tile.unrolled_products;
}

// Emits a loop of so many steps in each iteration, in their order.
static void emit_repeated(const panel_tile *t, loop_block *block, int next,
                          const contract_walk *w, const stride *s, int repeats) {
  const contract_emission *e = &t->p->e;
  loop_expr *k;
  loop_block *body =
      contract_loop(e, block, "k", s->begin, s->end, contract_int(e, repeats), &k);
  contract_walk from = move_walk(e, body, w, s, k);
  for (int i = 0; i < repeats; i++)
    emit_taps(t, body, next, move_walk_by(e, &from, s, i));
}

static void emit_tap_loop(const panel_tile *t, loop_block *block, int next,
                          const contract_walk *w, const stride *s) {
  const contract_emission *e = &t->p->e;
  int64_t first, last;
  loop_expr *k;
  bool known = pir_loop_is_int(s->begin, &first) && pir_loop_is_int(s->end, &last);
  bool innermost = next == e->form->tap_count;
  bool in_parts = t->parts > 1 && !t->whole && !e->form->numbers;
  int64_t chunk = steps_of_chunk(t, next, s->extent);
  if (chunk) {
    emit_chunks(t, block, next, w, s, chunk);
    return;
  }
  if (innermost && in_parts && !(known && last - first < 2 * t->parts)) {
    emit_parts(t, block, w, s);
    return;
  }
  if (known && innermost && is_written_out(t, last - first)) {
    for (int64_t i = first; i < last; i++)
      emit_taps(t, block, next, move_walk_by(e, w, s, i));
    return;
  }
  bool products = innermost && e->form->kind == CONTRACT_PANEL && !e->form->numbers;
  int repeats = contract_repeated_steps(e, known ? last - first : s->steps);
  if (products && repeats > 1) {
    emit_repeated(t, block, next, w, s, repeats);
    return;
  }
  loop_block *body = contract_loop(e, block, "k", s->begin, s->end, NULL, &k);
  panel_tile one = *t;
  one.at[e->form->taps[t->order[next - 1]]] = k;
  emit_taps(&one, body, next, move_walk(e, body, w, s, k));
}

// Unrolls the tap that slides along the tile: each of its positions runs for the sub-range of
// rows for which it is inside.
static void emit_border_taps(const panel_tile *t, loop_block *block, int at,
                             const contract_walk *w) {
  const contract_emission *e = &t->p->e;
  int level = t->order[at], axis = e->form->taps[level];
  int64_t extent = 0;
  contract_const(e->form, e->form->axes[axis].extent, &extent);
  for (int64_t k = 0; k < extent; k++) {
    if (t->low[k] >= t->high[k])
      continue;
    stride s = {.a = contract_step(e, OF_A, axis),
                .b = contract_tap_step_b(e, level),
                .fetch = fetch_step(e, level)};
    contract_walk here = move_walk_by(e, w, &s, k);
    here.low = t->low[k];
    here.high = t->high[k];
    emit_taps(t, block, at + 1, here);
  }
}

static void add_correction(const panel_tile *t, loop_block *block, const contract_walk *w,
                           loop_expr *line) {
  const contract_emission *e = &t->p->e;
  for (int v = 0; v < t->p->vectors; v++) {
    loop_expr *by = load_line(t, block, "by", line, v);
    for (int row = w->low; row < w->high; row++)
      contract_store_sum(t, block, row, v, contract_add(e, contract_load_sum(t, row, v), by));
  }
}

// Emits the last level in groups; at most one element remains.
static void emit_groups(const panel_tile *t, loop_block *block, int level,
                        const contract_walk *w) {
  const contract_emission *e = &t->p->e;
  int size = contract_step_size(e->form, level);
  loop_expr *extent = contract_extent(e, e->form->taps[level]), *by = contract_int(e, size);
  stride s = {.begin = contract_int(e, 0), .end = contract_div(e, extent, by)};
  s.a = contract_tap_step_a(e, level);
  s.b = contract_tap_step_b(e, level);
  s.fetch = fetch_step(e, level);
  (void)pir_loop_is_int(s.end, &s.extent);
  emit_tap_loop(t, block, level + 1, w, &s);
  loop_expr *behind = contract_add(e, w->b, contract_mul(e, s.end, s.b));
  if (contract_is_corrected(e->form))
    add_correction(t, block, w, behind);
  if (pir_loop_multiple(extent) % size == 0)
    return;
  loop_expr *left = contract_mod(e, extent, by);
  loop_expr *any = contract_lt(e, contract_int(e, 0), left);
  loop_block *body = contract_if(e, block, any, NULL);
  contract_walk last = *w;
  last.a = contract_add(e, w->a, contract_mul(e, s.end, s.a));
  last.a = contract_let(e, body, "at_a", last.a);
  last.b = contract_let(e, body, "at_b", behind);
  last.fetch = NULL;
  emit_step(t, body, &last, 1);
}

// Returns the loop over one level, restricted to the steps that are inside.
static stride steps_of_level(const panel_tile *t, int level) {
  const contract_emission *e = &t->p->e;
  int axis = e->form->taps[level];
  stride s = {.begin = contract_int(e, 0), .end = contract_steps(e, level)};
  s.a = contract_step(e, OF_A, axis);
  s.b = contract_tap_step_b(e, level);
  s.fetch = fetch_step(e, level);
  (void)contract_const(e->form, e->form->axes[axis].extent, &s.extent);
  if (axis == t->tap && t->border == BORDER_TAPS) {
    s.begin = t->begin;
    s.end = t->end;
  } else if (t->p->tap_begin[axis]) {
    s.begin = t->p->tap_begin[axis];
    s.end = t->p->tap_end[axis];
  }
  return s;
}

// Returns the loop over two joined levels.
static stride steps_of_two(const panel_tile *t, int level) {
  const contract_emission *e = &t->p->e;
  stride s = {.begin = contract_int(e, 0), .end = contract_steps(e, level)};
  s.end = contract_mul(e, s.end, contract_steps(e, level + 1));
  s.a = contract_tap_step_a(e, level + 1);
  s.b = contract_tap_step_b(e, level + 1);
  s.fetch = fetch_step(e, level + 1);
  (void)pir_loop_is_int(s.end, &s.extent);
  return s;
}

static void emit_taps(const panel_tile *t, loop_block *block, int at, contract_walk w) {
  const contract_form *f = t->p->e.form;
  if (at == f->tap_count) {
    emit_step(t, block, &w, f->group);
    return;
  }
  int level = t->order[at];
  if (f->taps[level] == t->tap && t->border == BORDER_ROWS) {
    emit_border_taps(t, block, at, &w);
  } else if (can_join_levels(t, level)) {
    stride s = steps_of_two(t, level);
    emit_tap_loop(t, block, at + 2, &w, &s);
  } else if (contract_step_size(f, level) > 1) {
    emit_groups(t, block, level, &w);
  } else {
    stride s = steps_of_level(t, level);
    emit_tap_loop(t, block, at + 1, &w, &s);
  }
}

void contract_add_taps(panel_tile *t, loop_block *block, contract_walk from) {
  order_taps(t);
  if (t->p->e.form->scaled >= 0) {
    start_totals(t);
    clear_totals(t, block);
    emit_scaled(t, block, from);
    contract_take_totals(t, block);
    return;
  }
  if (t->p->e.form->strip_count) {
    emit_strips(t, block, from);
    return;
  }
  if (has_chunks(t))
    start_chunks(t, block);
  emit_taps(t, block, 0, from);
  if (t->totals)
    add_totals(t, block);
}
