// Which forward values are kept.
//
// Keeping a value costs its bytes, computing it again costs the work of its op, and the values
// that this op reads are then needed too: a minimum cut of the forward program between what
// costs work and what the gradients read (the partitioner of PyTorch's functorch chooses so;
// Jain et al., Checkmate, 2020, state the problem). Work and bytes are compared at a price. The
// highest price at which the peak of memory fits is searched for, where the peak is the most
// bytes that live at once in the order of the program. Where a cut alone does not fit, because
// one long part would be computed again at once, the forward program is divided into segments,
// whose ends are kept (Chen et al., Training deep nets with sublinear memory cost, 2016).
#include "recompute.h"

#include <math.h>
#include <string.h>

#include "min_cut.h"

// ---- a choice

static void apply_cut(recompute *r, const cut_graph *g) {
  for (uint32_t i = 0; i < r->split; i++) {
    again_op *o = &r->ops.items[i];
    bool again = !o->fixed && !o->bound && !cut_has_source(g, 2 + i);
    // A view of a value that is kept costs nothing and is kept.
    for (uint32_t k = 0; o->renames && again && k < o->read_count; k++)
      again = r->values.items[r->reads.items[o->first_read + k]].again;
    for (uint32_t k = 0; k < o->count; k++) {
      again_value *v = &r->values.items[o->first + k];
      v->again = again && !v->free && !v->stays;
    }
  }
}

static void add_op(const recompute *r, cut_graph *g, uint32_t i, double price) {
  const again_op *o = &r->ops.items[i];
  bool fixed = o->fixed || o->bound;
  // Early ops are a little cheaper: their values come back when fewer others are left.
  double work = o->work * price * (1 + 0.2 * i / (r->split + 1));
  const double most = (double)(CUT_NEVER / 4);
  work = work < most ? work : most;
  cut_add(g, 0, 2 + i, fixed ? CUT_NEVER : (int64_t)work);
  for (uint32_t k = 0; k < o->count; k++) {
    const again_value *v = &r->values.items[o->first + k];
    uint32_t node = 2 + r->split + o->first + k;
    if (v->free || v->stays)
      continue;
    cut_add(g, 2 + i, node, o->renames && !fixed ? CUT_NEVER : v->bytes);
    if (v->needed)
      cut_add(g, node, 1, CUT_NEVER);
  }
  for (uint32_t k = 0; !fixed && k < o->read_count; k++) {
    uint32_t read = r->reads.items[o->first_read + k];
    const again_value *v = &r->values.items[read];
    if (!v->free && !v->stays)
      cut_add(g, 2 + r->split + read, 2 + i, CUT_NEVER);
  }
}

static uint32_t forward_values(const recompute *r) {
  return r->split < r->ops.count ? r->ops.items[r->split].first : (uint32_t)r->values.count;
}

// `price`: bytes for an operation.
static void choose_by_cut(recompute *r, double price) {
  cut_graph g;
  cut_begin(&g, r->arena, 2 + r->split + forward_values(r));
  for (uint32_t i = 0; i < r->split; i++)
    add_op(r, &g, i, price);
  cut_solve(&g);
  apply_cut(r, &g);
  cut_free(&g);
}

static void choose_none(recompute *r) {
  for (uint32_t v = 0; v < forward_values(r); v++)
    r->values.items[v].again = false;
}

static void choose_unlisted(recompute *r) {
  for (uint32_t i = 0; i < r->split; i++)
    for (uint32_t k = 0; k < r->ops.items[i].count; k++) {
      again_value *v = &r->values.items[r->ops.items[i].first + k];
      v->again = !r->ops.items[i].fixed && !v->free && !v->stays && !v->listed;
    }
}

// ---- the steps

// Lists an op in front of backward op `before`, behind the ops that make its operands again.
static void list_step(recompute *r, uint32_t op, uint32_t before) {
  r->stack.count = 0;
  pir_vec_push(r->arena, &r->stack, op);
  while (r->stack.count) {
    again_op *o = &r->ops.items[r->stack.items[r->stack.count - 1]];
    size_t waiting = r->stack.count;
    for (uint32_t k = 0; !o->done && k < o->read_count; k++) {
      const again_value *v = &r->values.items[r->reads.items[o->first_read + k]];
      if (v->again && !r->ops.items[v->op].done)
        pir_vec_push(r->arena, &r->stack, v->op);
    }
    if (r->stack.count > waiting)
      continue;
    again_step step = {pir_vec_pop(&r->stack), before};
    if (!o->done)
      pir_vec_push(r->arena, &r->steps, step);
    o->done = true;
  }
}

static void list_steps(recompute *r) {
  r->steps.count = 0;
  for (size_t i = 0; i < r->ops.count; i++)
    r->ops.items[i].done = false;
  for (uint32_t i = r->split; i < r->ops.count; i++) {
    const again_op *o = &r->ops.items[i];
    for (uint32_t k = 0; k < o->read_count; k++) {
      const again_value *v = &r->values.items[r->reads.items[o->first_read + k]];
      if (v->again && !r->ops.items[v->op].done)
        list_step(r, v->op, i);
    }
  }
}

// ---- the peak

// A memory is alive from the op that makes it to the last that reads it. A list is none itself:
// who reads it reads its members.
static void touch(recompute *r, uint32_t value, uint32_t time) {
  r->last[r->object[value]] = time;
  const again_op *o = &r->ops.items[r->values.items[value].op];
  for (uint32_t k = 0; !o->work && !o->fixed && !o->renames && k < o->read_count; k++)
    r->last[r->object[r->reads.items[o->first_read + k]]] = time;
}

static void run_op(recompute *r, uint32_t op, bool again, uint32_t time) {
  const again_op *o = &r->ops.items[op];
  for (uint32_t k = 0; k < o->read_count; k++)
    touch(r, r->reads.items[o->first_read + k], time);
  for (uint32_t k = 0; k < o->count; k++) {
    uint32_t v = o->first + k;
    if (again && !r->values.items[v].again)
      continue;
    uint32_t own = again ? (uint32_t)r->values.count + v : v;
    if (o->renames && r->values.items[v].root != v)
      own = r->object[r->reads.items[o->first_read]];
    else
      r->birth[own] = r->last[own] = time;
    r->object[v] = own;
  }
}

static int64_t bytes_of(const recompute *r, uint32_t memory) {
  const again_value *v = &r->values.items[memory % r->values.count];
  return v->free || v->stays ? 0 : v->bytes;
}

static void measure(recompute *r, again_figures *out) {
  size_t values = r->values.count, next = 0;
  uint32_t time = 1, ended = 0;
  *out = (again_figures){0};
  memset(r->birth, 0, 2 * values * sizeof *r->birth);
  for (uint32_t i = 0; i < r->ops.count; i++) {
    if (i == r->split)
      ended = time;
    for (; next < r->steps.count && r->steps.items[next].before == i; next++) {
      out->work += r->ops.items[r->steps.items[next].op].work;
      out->flops += r->ops.items[r->steps.items[next].op].flops;
      run_op(r, r->steps.items[next].op, true, time++);
    }
    run_op(r, i, false, time++);
  }
  int64_t *change = pir_arena_zalloc(r->arena, (time + 2) * sizeof *change), now = 0;
  for (uint32_t m = 0; m < 2 * values; m++) {
    if (!r->birth[m])
      continue;
    change[r->birth[m]] += bytes_of(r, m);
    change[r->last[m] + 1] -= bytes_of(r, m);
    if (r->birth[m] < ended && r->last[m] >= ended)
      out->kept += bytes_of(r, m);
  }
  for (uint32_t t = 0; t < time; t++) {
    now += change[t];
    out->peak = now > out->peak ? now : out->peak;
  }
  pir_arena_free(r->arena, change, (time + 2) * sizeof *change);
}

// ---- segments

// Ends `count` segments of the forward program where the fewest bytes cross.
static void divide(recompute *r, uint32_t count) {
  int64_t *crossing = pir_arena_zalloc(r->arena, (r->split + 2) * sizeof *crossing);
  uint32_t *last = pir_arena_zalloc(r->arena, (r->values.count + 1) * sizeof *last);
  for (uint32_t i = 0; i < r->split; i++) {
    const again_op *o = &r->ops.items[i];
    r->ops.items[i].bound = false;
    for (uint32_t k = 0; k < o->read_count; k++)
      last[r->values.items[r->reads.items[o->first_read + k]].root] = i;
  }
  for (uint32_t v = 0; v < forward_values(r); v++) {
    const again_value *value = &r->values.items[v];
    if (value->free || value->root != v || last[v] <= value->op)
      continue;
    crossing[value->op + 1] += value->bytes;
    crossing[last[v] + 1] -= value->bytes;
  }
  for (uint32_t i = 1; i <= r->split; i++)
    crossing[i] += crossing[i - 1];
  for (uint32_t s = 1; s < count; s++) {
    uint32_t from = (uint32_t)((uint64_t)r->split * (2 * s - 1) / (2 * count)), best = from;
    uint32_t to = (uint32_t)((uint64_t)r->split * (2 * s + 1) / (2 * count));
    for (uint32_t i = from; i < to; i++)
      if (crossing[i] < crossing[best])
        best = i;
    for (uint32_t v = 0; v < forward_values(r) && r->values.items[v].op < best; v++)
      if (r->values.items[v].root == v && last[v] >= best)
        r->ops.items[r->values.items[v].op].bound = true;
  }
  pir_arena_free(r->arena, crossing, (r->split + 2) * sizeof *crossing);
  pir_arena_free(r->arena, last, (r->values.count + 1) * sizeof *last);
}

// ---- the search

typedef struct attempt {
  double price;
  uint32_t segments;
  again_figures figures;
} attempt;

static again_figures try_price(recompute *r, double price) {
  again_figures figures;
  choose_by_cut(r, price);
  list_steps(r);
  measure(r, &figures);
  return figures;
}

// Whether `a` is better than `b`: it fits and is cheaper, or is closer to what fits.
static bool is_better(const again_figures *a, const again_figures *b, int64_t most) {
  if (a->peak <= most && b->peak <= most)
    return a->work < b->work;
  return a->peak < b->peak;
}

// Searches the prices from high to low, then divides the step in front of the first that fits.
static void search_prices(recompute *r, uint32_t segments, int64_t most, attempt *best) {
  enum { PRICES = 22, DIVISIONS = 5 };
  double price = 4;
  divide(r, segments);
  for (int i = 0; i < PRICES; i++, price /= 2) {
    attempt now = {price, segments, try_price(r, price)};
    if (is_better(&now.figures, &best->figures, most))
      *best = now;
    if (now.figures.peak <= most)
      break;
  }
  double low = price, high = 2 * price;
  for (int i = 0; i < DIVISIONS && best->figures.peak <= most; i++) {
    double middle = sqrt(low * high);
    attempt now = {middle, segments, try_price(r, middle)};
    if (is_better(&now.figures, &best->figures, most))
      *best = now;
    if (now.figures.peak <= most)
      low = middle;
    else
      high = middle;
  }
}

static void plan_automatically(recompute *r, int64_t most) {
  attempt best = {.figures = r->without};
  if (r->without.peak <= most)
    return;
  best.price = 0;
  for (uint32_t segments = 1; segments <= 64 && best.figures.peak > most; segments *= 4)
    search_prices(r, segments, most, &best);
  if (best.segments) {
    divide(r, best.segments);
    r->chosen = try_price(r, best.price);
  } else {
    choose_none(r);
    list_steps(r);
  }
}

void again_plan(recompute *r, const recompute_request *request) {
  size_t memories = 2 * r->values.count + 1;
  uint32_t **each[] = {&r->object, &r->birth, &r->last};
  for (size_t i = 0; i < sizeof each / sizeof *each; i++)
    *each[i] = pir_arena_zalloc(r->arena, pir_arena_size(r->arena, memories, sizeof **each[i]));
  choose_none(r);
  list_steps(r);
  measure(r, &r->without);
  r->chosen = r->without;
  r->budget = INT64_MAX;
  if (request->automatic) {
    int64_t share = (int64_t)(request->share * (double)r->without.peak);
    r->budget = request->bytes ? request->bytes : share;
    plan_automatically(r, r->budget);
  } else {
    choose_unlisted(r);
    list_steps(r);
    measure(r, &r->chosen);
  }
}
