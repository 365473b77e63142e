// The stage of a device for a scan of a region (cinn_op.scan): one kernel. A block of threads
// takes a row of the states, goes through all steps, and computes the region element by
// element; neighbours share the sums of one element. States lie in shared memory twice, as they
// are before a step and behind it, so that a step ends with one barrier.
//
// A row is an index along the first axis of all states. A region in which a row reads another
// row's state is refused.
#include "nest.h"
#include "machine.h"

#include <pir/compiler/dialect/cinn.h>

#include <string.h>

enum { MOST_ARGUMENTS = 16, MOST_YIELDED = 16, WARP = 32, FEWEST_NEIGHBOURS = 8 };

typedef struct steps {
  lowering *l;
  const pir_op *op, *end;  // the scan, and the terminator of its region
  const pir_block *body;
  int sequences, states;
  lower_step *step[MOST_ARGUMENTS];  // of the region's arguments: sequences, then states
  loop_expr *width[MOST_ARGUMENTS];  // elements of a row of each state
  pir_dim rows, number;              // of the states, and of the steps
  loop_expr *row;                    // which one the block takes
} steps;

bool lower_has_steps(const pir_op *op) {
  return pir_op_is(op, CINN_SCAN);
}

loop_expr *lower_step_element(lowering *l, const lower_step *step, loop_expr *const *index,
                              int rank) {
  loop_expr *at[PIR_MAX_RANK + 1] = {step->at};
  if (step->sequence) {
    memcpy(at + 1, index, (size_t)rank * sizeof *index);
    return lower_element(l, step->sequence, at);
  }
  if (!pir_loop_equal(index[0], step->at))
    lower_fail(l, l->group, "a step in which a row reads another row's state");
  memcpy(at, index, (size_t)rank * sizeof *index);
  at[0] = pir_loop_int(l->m, 0);
  loop_expr *place = lower_position(l, lower_find(l, step->value), at);
  return pir_loop_load(l->m, step->memory, pir_loop_add(l->m, step->begin, place), 1, l->guard);
}

// ---- rows

// The axes of a row of the value.
static lower_axes row_axes(const steps *s, const pir_value *v) {
  const pir_fact *f = lower_fact(s->l, v);
  lower_axes axes = {.count = f->rank - 1};
  memcpy(axes.extent, f->shape + 1, (size_t)axes.count * sizeof *f->shape);
  return axes;
}

// The number of elements of a row of the value; 0: its rows are not like the rows of states,
// have no elements, or more than a block has room for.
static int64_t row_elements(const steps *s, const pir_value *v) {
  lowering *l = s->l;
  const pir_fact *f = lower_fact(l, v);
  int64_t n = 1, extent, most = l->target->architecture->block_kb << 10;
  if (!pir_fact_has_rank(f) || f->rank < 1 || !pir_dim_equal(l->dims, f->shape[0], s->rows))
    return 0;
  for (int d = 1; d < f->rank; d++) {
    if (!pir_dim_is_const(l->dims, f->shape[d], &extent) || extent < 1 || extent > most / n)
      return 0;
    n *= extent;
  }
  return n;
}

static void add_sequence(const steps *s, lower_step *step, const pir_value *sequence) {
  lowering *l = s->l;
  const pir_fact *all = lower_fact(l, sequence), *one = lower_fact(l, step->value);
  step->sequence = sequence;
  lower_expect_equal(l, all->shape[0], s->number);
  for (int d = 0; d < one->rank; d++)
    lower_expect_equal(l, all->shape[d + 1], one->shape[d]);
}

// Declares what the region reads: sequences at the step, and states in shared memory.
static void add_arguments(steps *s) {
  lowering *l = s->l;
  int64_t bytes = 0;
  for (int i = 0; i < s->sequences + s->states; i++) {
    lower_step *step = pir_loop_alloc(l->m, sizeof *step);
    step->value = pir_block_argument(s->body, (size_t)i);
    lower_add(l, step->value)->step = s->step[i] = step;
    if (i < s->sequences) {
      add_sequence(s, step, pir_op_operand(s->op, (size_t)i));
      continue;
    }
    int64_t n = row_elements(s, step->value);
    pir_dtype dtype = lower_fact(l, step->value)->dtype;
    s->width[i - s->sequences] = pir_loop_int(l->m, n);
    bytes += 2 * n * (int64_t)pir_dtype_size(dtype);
    if (n)
      step->memory = pir_loop_shared(l->fn, "state", dtype, 2 * n);
    step->at = s->row;
    if (!n || bytes > l->target->architecture->block_kb << 10)
      lower_fail(l, s->op, "states that a block of threads has no room for");
  }
}

// ---- elements of a row

typedef struct row_loop {
  loop_expr *index[PIR_MAX_RANK];  // of the element, in a tensor of rows
  loop_expr *flat;                 // its number in the row
  loop_expr *stores;               // whether the thread stores it; NULL: always
} row_loop;

// Opens a loop over the elements of a row of the value. Each is shared by `neighbours` threads,
// of which the first one stores it. Threads beyond the last element compute that one, too: all
// of them must be there when sums are added up.
static lower_place open_row_elements(const steps *s, loop_block *block, const pir_value *of,
                                     int neighbours, row_loop *out) {
  lowering *l = s->l;
  loop_module *m = l->m;
  lower_axes axes = row_axes(s, of);
  loop_expr *t, *zero = pir_loop_int(m, 0), *share = pir_loop_int(m, neighbours),
                *end = lower_points_extent(l, &axes), *begin = zero;
  int64_t n, at_once = l->fn->threads / neighbours;
  if (!pir_loop_is_int(end, &n))
    lower_fail(l, s->op, "a row whose number of elements is not known");
  else if (n > at_once) {
    loop_var *part = pir_loop_var_create(l->fn, "part", LOOP_INDEX, 1);
    part->extent = end;
    block = pir_loop_for(l->fn, block, LOOP_SERIAL, part, zero, end, pir_loop_int(m, at_once));
    begin = pir_loop_use(m, part);
  }
  lower_place outside = lower_enter(l, lower_open_team(l, block, &t));
  loop_expr *at = pir_loop_add(m, begin, pir_loop_floordiv(m, t, share));
  l->sum_thread = pir_loop_mod(m, t, share);
  out->stores = neighbours > 1 ? pir_loop_op(m, PIR_V_EQ, l->sum_thread, zero, NULL) : NULL;
  if (l->why || n % at_once)
    out->stores = lower_both(l, pir_loop_lt(m, at, end), out->stores);
  loop_var *e = pir_loop_var_create(l->fn, "e", LOOP_INDEX, 1);
  e->extent = end;
  pir_loop_bind(l->fn, l->block, e,
                pir_loop_min(m, at, pir_loop_sub(m, end, pir_loop_int(m, 1))));
  out->flat = pir_loop_use(m, e);
  lower_set_points(l, &axes, out->flat);
  out->index[0] = s->row;
  memcpy(out->index + 1, axes.index, (size_t)axes.count * sizeof *axes.index);
  return outside;
}

static lower_place enter_storing(lowering *l, const row_loop *row) {
  lower_place here = {l->block, l->memo.count};
  return row->stores ? lower_enter(l, pir_loop_if(l->fn, l->block, row->stores, NULL)) : here;
}

// ---- the stage

// Copies the row of each state into shared memory, or out of it.
static void copy_states(steps *s, loop_block *block, bool in) {
  lowering *l = s->l;
  row_loop row;
  for (int i = 0; i < s->states && !l->why; i++) {
    const lower_step *step = s->step[s->sequences + i];
    const pir_value *first = pir_op_operand(s->op, (size_t)(s->sequences + i));
    lower_place outside = open_row_elements(s, block, step->value, 1, &row),
                around = enter_storing(l, &row);
    if (in)
      pir_loop_store(l->fn, l->block, step->memory, row.flat,
                     lower_element(l, first, row.index), NULL);
    else
      lower_store_element(l, pir_op_result(s->op, (size_t)i), row.index,
                          lower_element(l, step->value, row.index));
    lower_leave(l, around);
    lower_leave(l, outside);
  }
}

// Sets which half of the memory a step reads: its number's parity decides.
static void set_halves(const steps *s, loop_expr *parity) {
  for (int i = 0; i < s->states; i++)
    s->step[s->sequences + i]->begin = pir_loop_mul(s->l->m, parity, s->width[i]);
}

// Stores an element that a step yields: of a state, or of a result.
static void store_yielded(const steps *s, size_t i, const row_loop *row, loop_expr *at,
                          loop_expr *parity, loop_expr *e) {
  lowering *l = s->l;
  loop_module *m = l->m;
  loop_expr *index[PIR_MAX_RANK + 1] = {at};
  if ((int)i < s->states) {
    loop_expr *other = pir_loop_sub(m, pir_loop_int(m, 1), parity);
    other = pir_loop_add(m, pir_loop_mul(m, other, s->width[i]), row->flat);
    pir_loop_store(l->fn, l->block, s->step[s->sequences + (int)i]->memory, other, e, NULL);
    return;
  }
  memcpy(index + 1, row->index, sizeof row->index);
  lower_store_element(l, pir_op_result(s->op, i), index, e);
}

// Computes the values that a step yields. Values of one shape share a loop, and all they read.
static void take_step(const steps *s, loop_block *block, loop_expr *at, loop_expr *parity) {
  lowering *l = s->l;
  size_t count = pir_op_operands(s->end);
  bool done[MOST_YIELDED] = {false};
  loop_expr *elements[MOST_YIELDED];
  row_loop row;
  for (size_t i = 0; i < count && !l->why; i++) {
    if (done[i])
      continue;
    const pir_fact *shape = lower_fact(l, pir_op_operand(s->end, i));
    lower_place outside =
        open_row_elements(s, block, pir_op_operand(s->end, i), l->sum_threads, &row);
    for (size_t k = i; k < count; k++) {
      const pir_value *v = pir_op_operand(s->end, k);
      const pir_fact *f = lower_fact(l, v);
      bool here =
          !done[k] && pir_dims_equal(l->dims, f->shape, f->rank, shape->shape, shape->rank);
      elements[k] = here ? lower_element(l, v, row.index) : NULL;
      done[k] |= here;
    }
    lower_place around = enter_storing(l, &row);
    for (size_t k = i; k < count; k++)
      if (elements[k])
        store_yielded(s, k, &row, at, parity, elements[k]);
    lower_leave(l, around);
    lower_leave(l, outside);
  }
}

// Whether a yielded value can take the place of a state.
static bool may_become(const steps *s, const pir_value *from, const pir_value *to) {
  const pir_fact *a = lower_fact(s->l, from), *b = lower_fact(s->l, to);
  return a->dtype == b->dtype &&
         pir_dims_equal(s->l->dims, a->shape, a->rank, b->shape, b->rank);
}

// Why the scan has no form; NULL: it has one, with the same rows everywhere.
static const char *why_not(const steps *s) {
  lowering *l = s->l;
  size_t count = pir_op_operands(s->end), states = (size_t)s->states;
  if (!states || (size_t)s->sequences + states > MOST_ARGUMENTS || count > MOST_YIELDED)
    return "a scan without states, or with very many tensors";
  for (size_t i = 0; i < (size_t)s->sequences; i++) {
    const pir_fact *f = lower_fact(l, pir_op_operand(s->op, i)),
                   *one = lower_fact(l, pir_block_argument(s->body, i));
    if (!pir_fact_has_rank(f) || f->rank < 1 || f->rank != one->rank + 1)
      return "a sequence whose rank is not known";
  }
  for (size_t i = 0; i < count; i++) {
    const pir_value *v = pir_op_operand(s->end, i);
    if (s->rows == PIR_DIM_UNKNOWN || !row_elements(s, v))
      return "a step that yields other rows than its states have";
    if (i >= states)
      continue;
    const pir_value *state = pir_block_argument(s->body, (size_t)s->sequences + i),
                    *first = pir_op_operand(s->op, (size_t)s->sequences + i);
    if (!may_become(s, state, v) || !may_become(s, state, first))
      return "a state that changes its shape or element type";
  }
  return NULL;
}

static bool read_steps(steps *s, lowering *l, const pir_op *op) {
  const pir_block *body = pir_region_first(pir_op_region(op, 0));
  *s = (steps){.l = l, .op = op, .body = body, .end = pir_block_last(body)};
  s->sequences = (int)pir_op_int(op, CINN_SCAN_ATTR_SEQUENCES);
  s->states = (int)pir_op_int(op, CINN_SCAN_ATTR_STATES);
  const pir_value *state = s->states ? pir_block_argument(body, (size_t)s->sequences) : NULL;
  const pir_fact *f = state ? lower_fact(l, state) : NULL;
  s->rows = f && pir_fact_has_rank(f) && f->rank ? f->shape[0] : PIR_DIM_UNKNOWN;
  const char *why = why_not(s);
  if (why)
    lower_fail(l, op, why);
  else
    s->number = lower_fact(l, pir_op_operand(op, 0))->shape[0];
  return !why;
}

// The row of a unit as an index below the number of rows. A single row is 0, as every index
// along an axis of one element is.
static loop_expr *bind_row(const steps *s, loop_block *block, loop_expr *unit) {
  loop_module *m = s->l->m;
  int64_t rows;
  if (pir_dim_is_const(s->l->dims, s->rows, &rows) && rows == 1)
    return pir_loop_int(m, 0);
  loop_var *row = pir_loop_var_create(s->l->fn, "row", LOOP_INDEX, 1);
  row->extent = lower_dim(s->l, s->rows);
  pir_loop_bind(s->l->fn, block, row, unit);
  return pir_loop_use(m, row);
}

// As many threads as share the elements of the widest row, up to half of what a block can have:
// then each has registers enough. As many neighbours share an element as fit, but no fewer than
// read a sector of memory together.
static int choose_threads(const steps *s, int *out_neighbours) {
  const pir_machine *machine = s->l->target->machine;
  int threads = machine->device.most_threads / 2, neighbours = WARP;
  int64_t widest = 1;
  for (size_t i = 0; i < pir_op_operands(s->end); i++) {
    int64_t n = row_elements(s, pir_op_operand(s->end, i));
    widest = n > widest ? n : widest;
  }
  while (neighbours > FEWEST_NEIGHBOURS && widest > threads / neighbours)
    neighbours /= 2;
  while (threads > 2 * WARP && threads / 2 >= widest * neighbours)
    threads /= 2;
  *out_neighbours = neighbours;
  return threads;
}

// Goes through all steps, whose number is `number`.
static void take_steps(const steps *s, loop_block *block, loop_expr *number) {
  lowering *l = s->l;
  loop_module *m = l->m;
  loop_var *t = pir_loop_var_create(l->fn, "step", LOOP_INDEX, 1);
  t->extent = number;
  loop_expr *at = pir_loop_use(m, t), *parity = pir_loop_mod(m, at, pir_loop_int(m, 2));
  block = pir_loop_for(l->fn, block, LOOP_SERIAL, t, pir_loop_int(m, 0), number, NULL);
  if (pir_op_bool(s->op, CINN_SCAN_ATTR_REVERSE))
    at = pir_loop_sub(m, pir_loop_sub(m, number, pir_loop_int(m, 1)), at);
  for (int i = 0; i < s->sequences; i++)
    s->step[i]->at = at;
  set_halves(s, parity);
  take_step(s, block, at, parity);
  pir_loop_barrier(l->fn, block);
}

void lower_steps(lowering *l, const pir_op *op, lower_stages *stages) {
  loop_module *m = l->m;
  steps s;
  if (!read_steps(&s, l, op))
    return;
  int neighbours, threads = choose_threads(&s, &neighbours);
  lower_axes rows = {.count = 1, .extent = {s.rows}};
  loop_block *block = lower_open_points(l, &rows, threads, stages);
  s.row = bind_row(&s, block, rows.index[0]);
  add_arguments(&s);
  loop_expr *number = lower_dim(l, s.number);
  set_halves(&s, pir_loop_int(m, 0));
  copy_states(&s, block, true);
  pir_loop_barrier(l->fn, block);
  l->sums = true;
  l->sum_threads = neighbours;
  take_steps(&s, block, number);
  l->sums = false;
  l->sum_threads = 0;
  set_halves(&s, pir_loop_mod(m, number, pir_loop_int(m, 2)));
  copy_states(&s, block, false);
  pir_loop_barrier(l->fn, block);  // before the block takes another row
}
