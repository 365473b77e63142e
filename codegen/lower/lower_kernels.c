// Stages of devices for ops whose meaning is a kernel of the runtime, by the kernel's name:
// orders by counting, and gathered slices.
#include "nest.h"
#include "machine.h"

#include <float.h>
#include <math.h>
#include <string.h>

// Elements of a line, each of which is compared with all others.
enum { LONGEST_LINE = 1 << 16 };

// Bits of a position or a count, of which a number holds several.
enum { BITS = 20, ALL = (1 << BITS) - 1 };

// Whether an element stands before another one, of which it is no equal. NaN counts as the
// largest number.
static loop_expr *stands_before(lowering *l, loop_expr *a, loop_expr *b, bool descending) {
  loop_module *m = l->m;
  loop_expr *less = descending ? pir_loop_lt(m, b, a) : pir_loop_lt(m, a, b);
  if (!pir_dtype_is_float(a->dtype))
    return less;
  loop_expr *na = pir_loop_op(m, PIR_V_ISNAN, descending ? b : a, NULL, NULL),
            *nb = pir_loop_op(m, PIR_V_ISNAN, descending ? a : b, NULL, NULL);
  loop_expr *last =
      pir_loop_op(m, PIR_V_AND, pir_loop_op(m, PIR_V_NOT, na, NULL, NULL), nb, NULL);
  return pir_loop_op(m, PIR_V_OR, less, last, NULL);
}

static loop_expr *key_at(lowering *l, const pir_value *x, loop_expr *const *index) {
  loop_expr *e = lower_element(l, x, index);
  return pir_loop_cast(l->m, e, pir_node_type_arithmetic(e->dtype));
}

// Opens a loop over the positions of a line, and enters it.
static lower_place enter_line(lowering *l, loop_expr *length, loop_expr **out_at) {
  loop_var *k = pir_loop_var_create(l->fn, "k", LOOP_INDEX, 1);
  k->extent = length;
  *out_at = pir_loop_use(l->m, k);
  loop_block *block =
      pir_loop_for(l->fn, l->block, LOOP_SERIAL, k, pir_loop_int(l->m, 0), length, NULL);
  return lower_enter(l, block);
}

// The number of elements of the line that stand before the one at `index`: those that are
// before it in order, and equal ones that are before it in the line. Known to be in the line.
static loop_expr *place_in_order(lowering *l, const pir_value *x, int axis, bool descending,
                                 loop_expr *const *index) {
  loop_module *m = l->m;
  loop_expr *other[PIR_MAX_RANK], *zero = pir_loop_int(m, 0);
  loop_expr *length = lower_dim(l, lower_fact(l, x)->shape[axis]);
  memcpy(other, index, sizeof(*index) * (size_t)lower_fact(l, x)->rank);
  loop_expr *own = key_at(l, x, index);
  loop_buffer *count = pir_loop_registers(l->fn, "count", PIR_I64, 1, 1);
  pir_loop_store(l->fn, l->block, count, zero, pir_loop_const_int(m, PIR_I64, 0), NULL);
  lower_place outside = enter_line(l, length, &other[axis]);
  loop_expr *key = key_at(l, x, other);
  loop_expr *equal =
      pir_loop_op(m, PIR_V_NOT, stands_before(l, own, key, descending), NULL, NULL);
  equal = pir_loop_op(m, PIR_V_AND, equal, pir_loop_lt(m, other[axis], index[axis]), NULL);
  loop_expr *before =
      pir_loop_op(m, PIR_V_OR, stands_before(l, key, own, descending), equal, NULL);
  pir_loop_accumulate(l->fn, l->block, count, zero, PIR_COMBINE_ADD,
                      pir_loop_cast(m, before, PIR_I64));
  lower_leave(l, outside);
  loop_var *place = pir_loop_var_create(l->fn, "place", LOOP_INDEX, 1);
  place->extent = length;
  pir_loop_bind(l->fn, l->block, place,
                pir_loop_cast(m, pir_loop_load(m, count, zero, 1, NULL), LOOP_INDEX));
  return pir_loop_use(m, place);
}

static bool open_order(lowering *l, const pir_op *op, const pir_attr_value *attrs,
                       int *out_axis, bool *out_descending) {
  const pir_fact *x = lower_fact(l, pir_op_operand(op, 0));
  int64_t axis, descending;
  if (!pir_fact_has_rank(x) || !pir_attr_value_int(&attrs[0], &axis) ||
      !pir_attr_value_int(&attrs[1], &descending)) {
    lower_fail(l, op, "a line that is not known");
    return false;
  }
  axis = axis < 0 ? axis + x->rank : axis;
  *out_axis = (int)axis;
  *out_descending = descending != 0;
  if (axis < 0 || axis >= x->rank || pir_dtype_is_complex(x->dtype))
    lower_fail(l, op, "elements that have no order along an axis");
  return !l->why;
}

// Sorting by counting: n comparisons for each of n elements, all of them at once. So lines that
// are known to be long are sorted on the host.
static bool may_count(lowering *l, const pir_op *op, int axis) {
  int64_t length;
  pir_dim extent = lower_fact(l, pir_op_operand(op, 0))->shape[axis];
  if (pir_dim_is_const(l->dims, extent, &length) && length > LONGEST_LINE)
    lower_fail(l, op, "so many elements, each of which would be compared with all others");
  return !l->why;
}

static void argsort_stages(lowering *l, const pir_op *op, const pir_attr_value *attrs,
                           lower_stages *stages) {
  const pir_value *x = pir_op_operand(op, 0);
  lower_axes at;
  loop_expr *to[PIR_MAX_RANK];
  int axis;
  bool descending;
  if (!open_order(l, op, attrs, &axis, &descending) || !may_count(l, op, axis))
    return;
  lower_place outside = lower_open_elements(l, lower_fact(l, x), &at, stages);
  memcpy(to, at.index, sizeof to);
  to[axis] = place_in_order(l, x, axis, descending, at.index);
  lower_store_element(l, pir_op_result(op, 0), to, lower_element(l, x, at.index));
  lower_store_element(l, pir_op_result(op, 1), to, at.index[axis]);
  lower_leave(l, outside);
}

// An integer that is larger the earlier an element stands in order; NaN counts as the largest
// number.
static loop_expr *rank_of(lowering *l, loop_expr *e, bool descending) {
  loop_module *m = l->m;
  bool wide = e->dtype == PIR_F64 || e->dtype == PIR_I64;
  pir_dtype type = wide ? PIR_I64 : PIR_I32;
  if (pir_dtype_is_float(e->dtype)) {
    loop_expr *nothing = pir_loop_const_float(m, e->dtype, 0),
              *largest = pir_loop_const_int(m, type, wide ? INT64_MAX : INT32_MAX),
              *nan = pir_loop_op(m, PIR_V_ISNAN, e, NULL, NULL);
    e = pir_loop_select(m, pir_loop_op(m, PIR_V_EQ, e, nothing, NULL), nothing, e);
    e = pir_loop_let(l->fn, l->block, "bits", pir_loop_bitcast(m, e, type));
    loop_expr *negative = pir_loop_lt(m, e, pir_loop_const_int(m, type, 0));
    e = pir_loop_select(m, negative, pir_loop_op(m, PIR_V_XOR, e, largest, NULL), e);
    e = pir_loop_select(m, nan, largest, e);
  }
  e = pir_loop_cast(m, e, type);
  e = descending ? e : pir_loop_op(m, PIR_V_NOT, e, NULL, NULL);
  return pir_loop_let(l->fn, l->block, "rank", e);
}

// Lines of which a team takes one element after the other.
typedef struct selection {
  const pir_value *x;
  int axis;
  bool descending;
  loop_expr *index[PIR_MAX_RANK];  // of the line
  loop_expr *length;
  loop_buffer *last, *place;  // rank and position of the latest one that was taken
  loop_buffer *tied;          // not 0: equal ones were among those; NULL: that does not matter
} selection;

// Goes through the elements that are not taken yet, and combines the largest rank into `best`,
// or, if that is known (`rank`), the first position that has it.
static void search_line(lowering *l, const selection *s, loop_block *block, loop_buffer *best,
                        loop_expr *rank) {
  loop_module *m = l->m;
  loop_expr *index[PIR_MAX_RANK], *zero = pir_loop_int(m, 0);
  pir_combine combine = rank ? PIR_COMBINE_MIN : PIR_COMBINE_MAX;
  memcpy(index, s->index, sizeof index);
  pir_loop_store(l->fn, block, best, zero, pir_loop_neutral(m, combine, best->dtype), NULL);
  loop_var *i = pir_loop_var_create(l->fn, "i", LOOP_INDEX, 1);
  i->extent = s->length;
  lower_place outside =
      lower_enter(l, pir_loop_for(l->fn, block, LOOP_VECTORISED, i, zero, s->length, NULL));
  index[s->axis] = pir_loop_use(m, i);
  loop_expr *own = rank_of(l, key_at(l, s->x, index), s->descending),
            *at = pir_loop_cast(m, index[s->axis], PIR_I64),
            *last = pir_loop_load(m, s->last, zero, 1, NULL),
            *place = pir_loop_load(m, s->place, zero, 1, NULL);
  loop_expr *same = pir_loop_op(m, PIR_V_EQ, own, last, NULL);
  loop_expr *left = pir_loop_op(m, PIR_V_AND, same, pir_loop_lt(m, place, at), NULL);
  left = pir_loop_op(m, PIR_V_OR, left, pir_loop_lt(m, own, last), NULL);
  if (rank)
    left = pir_loop_op(m, PIR_V_AND, left, pir_loop_op(m, PIR_V_EQ, own, rank, NULL), NULL);
  loop_expr *e =
      pir_loop_select(m, left, rank ? at : own, pir_loop_neutral(m, combine, best->dtype));
  pir_loop_accumulate(l->fn, l->block, best, zero, combine, e);
  lower_leave(l, outside);
}

// Notes whether an element of the rank is as good as the latest one.
static void note_tie(lowering *l, const selection *s, loop_expr *rank) {
  loop_expr *zero = pir_loop_int(l->m, 0), *last = pir_loop_load(l->m, s->last, zero, 1, NULL),
            *tied = pir_loop_load(l->m, s->tied, zero, 1, NULL);
  loop_expr *same = pir_loop_op(l->m, PIR_V_EQ, rank, last, NULL);
  pir_loop_store(l->fn, l->block, s->tied, zero,
                 pir_loop_select(l->m, same, pir_loop_const_int(l->m, PIR_I64, 1), tied), NULL);
}

// Declares the entries of all lines, a temporary of the group. A line has one for each element
// that is kept, or, if it is not much longer, for all; and room for its parts that are still to
// be sorted. Returns where the entries of the current line begin.
static loop_expr *open_entries(lowering *l, const selection *s, const lower_axes *lines,
                               int64_t kept, loop_buffer **out) {
  enum { MUCH_LONGER = 64, OPEN = 16 };
  loop_module *m = l->m;
  int64_t n, most = MUCH_LONGER * kept, size = sizeof n;
  if (pir_dim_is_const(l->dims, lower_fact(l, s->x)->shape[s->axis], &n) && n < most)
    most = n;
  int64_t numbers = 2 * (most + OPEN);
  pir_dim bytes = pir_dim_const(l->dims, numbers * size);
  loop_expr *line = pir_loop_int(m, 0);
  for (int i = 0; i < lines->count; i++) {
    bytes = pir_dim_mul(l->dims, bytes, lines->extent[i]);
    line = pir_loop_mul(m, line, lower_dim(l, lines->extent[i]));
    line = pir_loop_add(m, line, lines->index[i]);
  }
  *out =
      pir_loop_arg(l->fn, "entries", PIR_I64, lower_temporary(l, bytes), (uint32_t)size, false);
  return pir_loop_mul(m, line, pir_loop_int(m, numbers));
}

// The selection of the runtime, which decides the order of equal elements, by one thread.
static void select_in_order(lowering *l, const pir_op *op, const selection *s,
                            const lower_axes *lines, loop_expr *const *to, int64_t kept) {
  loop_module *m = l->m;
  loop_expr *index[PIR_MAX_RANK], *out[PIR_MAX_RANK], *zero = pir_loop_int(m, 0), *k;
  loop_buffer *entries;
  loop_expr *line = open_entries(l, s, lines, kept, &entries),
            *count = lower_dim(l, lower_fact(l, pir_op_result(op, 0))->shape[s->axis]);
  memcpy(index, s->index, sizeof index);
  memcpy(out, to, sizeof out);
  loop_var *one = pir_loop_var_create(l->fn, "one", LOOP_INDEX, 1);
  one->extent = pir_loop_int(m, 1);
  loop_block *block = pir_loop_for(l->fn, l->block, LOOP_THREADS, one, zero, one->extent, NULL);
  lower_place outside = lower_enter(l, block), inner = enter_line(l, s->length, &k);
  index[s->axis] = k;
  loop_expr *rank = rank_of(l, key_at(l, s->x, index), s->descending);
  pir_loop_take(l->fn, l->block, entries, line, kept, s->length, k,
                pir_loop_cast(m, rank, PIR_I64));
  lower_leave(l, inner);
  pir_loop_take(l->fn, block, entries, line, kept, s->length, NULL, NULL);
  inner = enter_line(l, count, &out[s->axis]);
  loop_expr *place = pir_loop_mul(m, out[s->axis], pir_loop_int(m, 2));
  place = pir_loop_add(m, line, pir_loop_add(m, place, pir_loop_int(m, 1)));
  loop_var *at = pir_loop_var_create(l->fn, "at", LOOP_INDEX, 1);
  at->extent = s->length;
  pir_loop_bind(l->fn, l->block, at,
                pir_loop_cast(m, pir_loop_load(m, entries, place, 1, NULL), LOOP_INDEX));
  index[s->axis] = pir_loop_use(m, at);
  lower_store_element(l, pir_op_result(op, 0), out, lower_element(l, s->x, index));
  lower_store_element(l, pir_op_result(op, 1), out, index[s->axis]);
  lower_leave(l, inner);
  lower_leave(l, outside);
}

static int threads_for(const lowering *l, pir_dim length) {
  const pir_machine *machine = l->target->machine;
  int64_t n;
  if (!pir_dim_is_const(l->dims, length, &n))
    return machine->device.open_row_threads;
  return n > machine->device.short_row ? machine->device.block_threads
                                       : machine->device.threads;
}

// Takes the first elements of each line, one after the other: few of them, or there would be
// more comparisons than counting makes.
static void take_first(lowering *l, const pir_op *op, int axis, bool descending, int64_t kept,
                       lower_stages *stages) {
  loop_module *m = l->m;
  const pir_value *out = pir_op_result(op, 0);
  selection s = {.x = pir_op_operand(op, 0), .axis = axis, .descending = descending};
  const pir_fact *from = lower_fact(l, s.x);
  lower_axes lines = {0};
  loop_expr *to[PIR_MAX_RANK], *zero = pir_loop_int(m, 0);
  lower_site site = {.l = l, .op = op};
  pir_dim last = pir_dim_const(l->dims, kept - 1), one = pir_dim_const(l->dims, 1);
  lower_expect_inside(&site, last, last, from->shape[axis], one, 0);
  for (int d = 0; d < from->rank; d++)
    if (d != axis)
      lines.extent[lines.count++] = from->shape[d];
  loop_block *block = lower_open_points(l, &lines, threads_for(l, from->shape[axis]), stages);
  for (int d = 0, line = 0; d < from->rank; d++)
    s.index[d] = d == axis ? zero : lines.index[line++];
  s.length = lower_dim(l, from->shape[axis]);
  lower_place outside = lower_enter(l, block);
  pir_dtype type = pir_node_type_arithmetic(from->dtype);
  type = type == PIR_F64 || type == PIR_I64 ? PIR_I64 : PIR_I32;
  s.last = pir_loop_registers(l->fn, "last", type, 1, 1);
  s.place = pir_loop_registers(l->fn, "place", PIR_I64, 1, 1);
  loop_buffer *best = pir_loop_registers(l->fn, "best", type, 1, 1),
              *first = pir_loop_registers(l->fn, "first", PIR_I64, 1, 1);
  int64_t highest = type == PIR_I64 ? INT64_MAX : INT32_MAX;
  pir_loop_store(l->fn, block, s.last, zero, pir_loop_const_int(m, type, highest), NULL);
  pir_loop_store(l->fn, block, s.place, zero, pir_loop_const_int(m, PIR_I64, -1), NULL);
  if (lower_is_stored(l, pir_op_result(op, 1))) {
    s.tied = pir_loop_registers(l->fn, "tied", PIR_I64, 1, 1);
    pir_loop_store(l->fn, block, s.tied, zero, pir_loop_const_int(m, PIR_I64, 0), NULL);
  }
  memcpy(to, s.index, sizeof to);
  lower_place inner = enter_line(l, lower_dim(l, lower_fact(l, out)->shape[axis]), &to[axis]);
  search_line(l, &s, l->block, best, NULL);
  loop_expr *rank =
      pir_loop_let(l->fn, l->block, "rank", pir_loop_load(m, best, zero, 1, NULL));
  if (s.tied)
    note_tie(l, &s, rank);
  search_line(l, &s, l->block, first, rank);
  loop_var *at = pir_loop_var_create(l->fn, "at", LOOP_INDEX, 1);
  at->extent = s.length;
  pir_loop_bind(l->fn, l->block, at,
                pir_loop_cast(m, pir_loop_load(m, first, zero, 1, NULL), LOOP_INDEX));
  pir_loop_store(l->fn, l->block, s.last, zero, rank, NULL);
  pir_loop_store(l->fn, l->block, s.place, zero, pir_loop_load(m, first, zero, 1, NULL), NULL);
  s.index[axis] = pir_loop_use(m, at);
  lower_store_element(l, out, to, lower_element(l, s.x, s.index));
  lower_store_element(l, pir_op_result(op, 1), to, s.index[axis]);
  lower_leave(l, inner);
  if (s.tied) {
    s.index[axis] = zero;
    search_line(l, &s, block, best, NULL);
    note_tie(l, &s, pir_loop_load(m, best, zero, 1, NULL));
    loop_expr *tied = pir_loop_op(m, PIR_V_NE, pir_loop_load(m, s.tied, zero, 1, NULL),
                                  pir_loop_const_int(m, PIR_I64, 0), NULL);
    inner = lower_enter(l, pir_loop_if(l->fn, block, tied, NULL));
    select_in_order(l, op, &s, &lines, to, kept);
    lower_leave(l, inner);
  }
  lower_leave(l, outside);
}

// Stores each element that stands among the first ones at its place.
static void place_first(lowering *l, const pir_op *op, int axis, bool descending,
                        lower_stages *stages) {
  const pir_value *x = pir_op_operand(op, 0), *out = pir_op_result(op, 0);
  lower_axes at;
  loop_expr *to[PIR_MAX_RANK];
  lower_place outside = lower_open_elements(l, lower_fact(l, x), &at, stages);
  memcpy(to, at.index, sizeof to);
  to[axis] = place_in_order(l, x, axis, descending, at.index);
  loop_expr *e = lower_element(l, x, at.index),
            *kept = lower_dim(l, lower_fact(l, out)->shape[axis]);
  loop_expr *first = pir_loop_lt(l->m, to[axis], kept);
  lower_place around = lower_enter(l, pir_loop_if(l->fn, l->block, first, NULL));
  lower_store_element(l, out, to, e);
  lower_store_element(l, pir_op_result(op, 1), to, at.index[axis]);
  lower_leave(l, around);
  lower_leave(l, outside);
}

// Equal elements stand where the selection of the runtime puts them: a device finds that out if
// few elements are selected.
static void topk_stages(lowering *l, const pir_op *op, const pir_attr_value *attrs,
                        lower_stages *stages) {
  enum { FEW = 64 };
  int axis;
  int64_t sorted, kept;
  bool descending;
  if (!open_order(l, op, attrs, &axis, &descending))
    return;
  bool in_order = pir_attr_value_int(&attrs[2], &sorted) && sorted;
  pir_dim extent = lower_fact(l, pir_op_result(op, 0))->shape[axis];
  bool few = pir_dim_is_const(l->dims, extent, &kept) && kept > 0 && kept <= FEW;
  if (!in_order || (!few && lower_is_stored(l, pir_op_result(op, 1))))
    lower_fail(l, op, "a selection of many elements, or in no order");
  else if (few)
    take_first(l, op, axis, descending, kept, stages);
  else if (may_count(l, op, axis))
    place_first(l, op, axis, descending, stages);
}

// Of an element: how many equal it, how many stand before them, and its position. The most
// frequent element of a line, of several the smallest, at its last position, has the largest of
// these numbers.
static loop_expr *frequency_of(lowering *l, const pir_value *x, int axis,
                               loop_expr *const *index) {
  loop_module *m = l->m;
  loop_expr *other[PIR_MAX_RANK], *zero = pir_loop_int(m, 0),
                                  *length = lower_dim(l, lower_fact(l, x)->shape[axis]),
                                  *unit = pir_loop_const_int(m, PIR_I64, (int64_t)1 << BITS);
  memcpy(other, index, sizeof(*index) * (size_t)lower_fact(l, x)->rank);
  loop_expr *own = key_at(l, x, index);
  // Both counts are one number: those that are equal or before, and those before.
  loop_buffer *counts = pir_loop_registers(l->fn, "counts", PIR_I64, 1, 1);
  pir_loop_store(l->fn, l->block, counts, zero, pir_loop_const_int(m, PIR_I64, ALL), NULL);
  lower_place outside = enter_line(l, length, &other[axis]);
  loop_expr *key = key_at(l, x, other), *before = stands_before(l, key, own, false),
            *behind = stands_before(l, own, key, false);
  loop_expr *equal =
      pir_loop_op(m, PIR_V_NOT, pir_loop_op(m, PIR_V_OR, before, behind, NULL), NULL, NULL);
  loop_expr *step = pir_loop_sub(m, pir_loop_mul(m, pir_loop_cast(m, equal, PIR_I64), unit),
                                 pir_loop_cast(m, before, PIR_I64));
  pir_loop_accumulate(l->fn, l->block, counts, zero, PIR_COMBINE_ADD, step);
  lower_leave(l, outside);
  loop_expr *both = pir_loop_load(m, counts, zero, 1, NULL);
  return pir_loop_add(m, pir_loop_mul(m, both, unit), pir_loop_cast(m, index[axis], PIR_I64));
}

// A team takes a line.
static void mode_stages(lowering *l, const pir_op *op, const pir_attr_value *attrs,
                        lower_stages *stages) {
  loop_module *m = l->m;
  const pir_value *x = pir_op_operand(op, 0);
  const pir_fact *from = lower_fact(l, x);
  lower_axes lines = {0};
  loop_expr *index[PIR_MAX_RANK], *to[PIR_MAX_RANK], *zero = pir_loop_int(m, 0);
  int64_t axis, length;
  bool known = pir_fact_has_rank(from) && pir_attr_value_int(&attrs[0], &axis);
  axis = known && axis < 0 ? axis + from->rank : axis;
  if (!known || axis < 0 || axis >= from->rank ||
      !pir_dim_is_const(l->dims, from->shape[axis], &length) || length > LONGEST_LINE) {
    lower_fail(l, op, "a line that is long, or whose length is not known");
    return;
  }
  bool keeps = lower_fact(l, pir_op_result(op, 0))->rank == from->rank;
  for (int d = 0; d < from->rank; d++)
    if (d != axis)
      lines.extent[lines.count++] = from->shape[d];
  loop_block *block = lower_open_points(l, &lines, l->target->machine->device.threads, stages);
  for (int d = 0, line = 0, kept = 0; d < from->rank; d++) {
    index[d] = d == axis ? zero : lines.index[line++];
    if (d != axis || keeps)
      to[kept++] = index[d];
  }
  loop_buffer *best = pir_loop_registers(l->fn, "best", PIR_I64, 1, 1);
  pir_loop_store(l->fn, block, best, zero, pir_loop_neutral(m, PIR_COMBINE_MAX, PIR_I64), NULL);
  loop_var *i = pir_loop_var_create(l->fn, "i", LOOP_INDEX, 1);
  i->extent = lower_dim(l, from->shape[axis]);
  lower_place outside =
      lower_enter(l, pir_loop_for(l->fn, block, LOOP_VECTORISED, i, zero, i->extent, NULL));
  index[axis] = pir_loop_use(m, i);
  pir_loop_accumulate(l->fn, l->block, best, zero, PIR_COMBINE_MAX,
                      frequency_of(l, x, (int)axis, index));
  lower_leave(l, outside);
  outside = lower_enter(l, block);
  loop_expr *at = pir_loop_op(m, PIR_V_AND, pir_loop_load(m, best, zero, 1, NULL),
                              pir_loop_const_int(m, PIR_I64, ALL), NULL);
  loop_var *place = pir_loop_var_create(l->fn, "place", LOOP_INDEX, 1);
  place->extent = i->extent;
  pir_loop_bind(l->fn, block, place, pir_loop_cast(m, at, LOOP_INDEX));
  index[axis] = pir_loop_use(m, place);
  lower_store_element(l, pir_op_result(op, 0), to, lower_element(l, x, index));
  lower_store_element(l, pir_op_result(op, 1), to, index[axis]);
  lower_leave(l, outside);
}

// An index along an axis of operand 0, of which 0 takes the place where it is out of range.
static loop_expr *checked_position(lowering *l, const pir_op *op, loop_expr *e, pir_dim extent,
                                   loop_expr **inside) {
  loop_module *m = l->m;
  lower_site site = {.l = l, .op = op};
  loop_expr *length = lower_dim(l, extent), *at = pir_loop_cast(m, e, PIR_I64);
  loop_expr *negative = pir_loop_lt(m, at, pir_loop_const_int(m, PIR_I64, 0));
  at = pir_loop_select(m, negative, pir_loop_add(m, at, pir_loop_cast(m, length, PIR_I64)), at);
  at = pir_loop_let(l->fn, l->block, "at", pir_loop_cast(m, at, LOOP_INDEX));
  loop_expr *in = pir_loop_let(l->fn, l->block, "in", lower_in_range(l, at, length));
  lower_trap(&site, "index outside of an axis of operand 0",
             pir_loop_op(m, PIR_V_NOT, in, NULL, NULL));
  *inside = lower_both(l, *inside, in);
  loop_var *safe = pir_loop_var_create(l->fn, "at", LOOP_INDEX, 1);
  safe->extent = length;
  pir_loop_bind(l->fn, l->block, safe, pir_loop_select(m, in, at, pir_loop_int(m, 0)));
  return pir_loop_use(m, safe);
}

static void gather_nd_stages(lowering *l, const pir_op *op, const pir_attr_value *attrs,
                             lower_stages *stages) {
  const pir_value *x = pir_op_operand(op, 0), *list = pir_op_operand(op, 1),
                  *out = pir_op_result(op, 0);
  const pir_fact *from = lower_fact(l, x), *rows = lower_fact(l, list),
                 *to = lower_fact(l, out);
  lower_axes at;
  loop_expr *index[PIR_MAX_RANK], *row[PIR_MAX_RANK], *inside = NULL;
  int64_t depth = -1;
  int lead = rows->rank - 1;
  bool known = pir_fact_has_rank(from) && pir_fact_has_rank(rows) && lead >= 0 &&
               pir_dim_is_const(l->dims, rows->shape[lead], &depth);
  if (known && pir_dtype_is_complex(from->dtype)) {
    lower_fail(l, op, "elements that are not computed on");
    return;
  }
  if (!known || depth > from->rank || to->rank != lead + from->rank - (int)depth) {
    lower_fail(l, op, "positions of an unknown number of axes");
    return;
  }
  lower_place outside = lower_open_elements(l, to, &at, stages);
  memcpy(row, at.index, sizeof row);
  for (int d = 0; d < from->rank; d++) {
    if (d >= depth) {
      index[d] = at.index[lead + d - depth];
      continue;
    }
    row[lead] = pir_loop_int(l->m, d);
    index[d] = checked_position(l, op, lower_element(l, list, row), from->shape[d], &inside);
  }
  l->guard = inside;
  loop_expr *e = lower_element(l, x, index);
  l->guard = NULL;
  lower_store_element(l, out, at.index, e);
  lower_leave(l, outside);
}

// ---- searches

// How often a range of so many elements can be divided by two.
static int64_t divisions_of(lowering *l, pir_dim extent) {
  enum { MOST = 48 };  // bits of an extent
  int64_t n, count = 0;
  if (!pir_dim_is_const(l->dims, extent, &n))
    return MOST;
  for (; n > 0; n /= 2)
    count++;
  return count;
}

// The first position of a sorted row whose element is not below the value: the range from `lo`
// to `hi` is divided in two as often as it may have to be.
static loop_expr *search_row(lowering *l, const pir_value *rows, loop_expr **index, int axis,
                             loop_expr *value, bool right) {
  loop_module *m = l->m;
  loop_expr *zero = pir_loop_int(m, 0), *one = pir_loop_const_int(m, PIR_I64, 1),
            *two = pir_loop_const_int(m, PIR_I64, 2),
            *length = lower_dim(l, lower_fact(l, rows)->shape[axis]), *at_lo = zero,
            *at_hi = pir_loop_int(m, 1);
  loop_buffer *range = pir_loop_registers(l->fn, "range", PIR_I64, 1, 2);
  pir_loop_store(l->fn, l->block, range, at_lo, pir_loop_const_int(m, PIR_I64, 0), NULL);
  pir_loop_store(l->fn, l->block, range, at_hi, pir_loop_cast(m, length, PIR_I64), NULL);
  loop_var *k = pir_loop_var_create(l->fn, "k", LOOP_INDEX, 1);
  loop_expr *often = pir_loop_int(m, divisions_of(l, lower_fact(l, rows)->shape[axis]));
  k->extent = often;
  loop_expr *lo = pir_loop_load(m, range, at_lo, 1, NULL),
            *hi = pir_loop_load(m, range, at_hi, 1, NULL);
  lower_place outside =
      lower_enter(l, pir_loop_for(l->fn, l->block, LOOP_SERIAL, k, zero, often, NULL));
  lower_enter(l, pir_loop_if(l->fn, l->block, pir_loop_lt(m, lo, hi), NULL));
  loop_expr *middle = pir_loop_add(m, lo, pir_loop_floordiv(m, pir_loop_sub(m, hi, lo), two));
  middle = pir_loop_let(l->fn, l->block, "middle", middle);
  loop_var *place = pir_loop_var_create(l->fn, "place", LOOP_INDEX, 1);
  place->extent = length;
  pir_loop_bind(l->fn, l->block, place, pir_loop_cast(m, middle, LOOP_INDEX));
  index[axis] = pir_loop_use(m, place);
  loop_expr *e = pir_loop_cast(m, lower_element(l, rows, index), PIR_F64);
  loop_expr *below = right ? pir_loop_op(m, PIR_V_NOT, pir_loop_lt(m, value, e), NULL, NULL)
                           : stands_before(l, e, value, false);
  below = pir_loop_let(l->fn, l->block, "below", below);
  loop_expr *next = pir_loop_add(m, middle, one);
  pir_loop_store(l->fn, l->block, range, at_hi, pir_loop_select(m, below, hi, middle), NULL);
  pir_loop_store(l->fn, l->block, range, at_lo, pir_loop_select(m, below, next, lo), NULL);
  lower_leave(l, outside);
  return lo;
}

static void searchsorted_stages(lowering *l, const pir_op *op, const pir_attr_value *attrs,
                                lower_stages *stages) {
  const pir_value *rows = pir_op_operand(op, 0), *values = pir_op_operand(op, 1),
                  *out = pir_op_result(op, 0);
  const pir_fact *from = lower_fact(l, rows), *to = lower_fact(l, values);
  lower_axes at;
  loop_expr *index[PIR_MAX_RANK];
  int64_t right;
  bool ranked = pir_fact_has_rank(from) && pir_fact_has_rank(to) && from->rank > 0;
  if (!ranked || (from->rank > 1 && from->rank != to->rank) ||
      !pir_attr_value_int(&attrs[1], &right)) {
    lower_fail(l, op, "rows and values of different ranks");
    return;
  }
  for (int d = 0; d + 1 < from->rank; d++)
    lower_expect_equal(l, from->shape[d], to->shape[d]);
  lower_place outside = lower_open_elements(l, to, &at, stages);
  lower_take_turns(l);
  memcpy(index, at.index, sizeof index);
  loop_expr *value = pir_loop_cast(l->m, lower_element(l, values, at.index), PIR_F64);
  value = pir_loop_let(l->fn, l->block, "value", value);
  lower_store_element(l, out, at.index,
                      search_row(l, rows, index, from->rank - 1, value, right));
  lower_leave(l, outside);
}

// ---- running results: a thread takes a line, and goes along it

typedef struct line {
  lower_axes around, along;
  int axis;                        // -1: the elements of all axes are one line
  loop_expr *length, *at, *place;  // the number of elements; of the current one, in order
                                   // and in the tensor
  loop_expr *index[PIR_MAX_RANK];  // of the current one
  lower_place outside;
} line;

// Enters the block of a line, in which it starts.
static bool open_line(lowering *l, const pir_op *op, int64_t axis, bool flat, line *out,
                      lower_stages *stages) {
  const pir_fact *f = lower_fact(l, pir_op_operand(op, 0));
  *out = (line){.axis = -1};
  if (pir_fact_has_rank(f) && f->rank && !flat)
    out->axis = (int)(axis < 0 ? axis + f->rank : axis);
  if (!pir_fact_has_rank(f) || (!flat && f->rank && (out->axis < 0 || out->axis >= f->rank))) {
    lower_fail(l, op, "a line that is not known");
    return false;
  }
  for (int d = 0; d < f->rank; d++) {
    lower_axes *list = out->axis < 0 || d == out->axis ? &out->along : &out->around;
    list->extent[list->count++] = f->shape[d];
  }
  out->outside = lower_enter(l, lower_open_lanes(l, &out->around, stages));
  lower_take_turns(l);
  out->length = lower_points_extent(l, &out->along);
  return true;
}

// Enters the block of an element.
static lower_place enter_element(lowering *l, line *of, bool reverse) {
  loop_module *m = l->m;
  lower_place outside = enter_line(l, of->length, &of->at);
  of->place = of->at;
  if (reverse)
    of->place = pir_loop_sub(m, pir_loop_sub(m, of->length, pir_loop_int(m, 1)), of->at);
  lower_set_points(l, &of->along, of->place);
  for (int d = 0, k = 0; d < of->along.count + of->around.count; d++) {
    bool along = of->axis < 0 || d == of->axis;
    int at = of->axis < 0 ? d : 0;
    of->index[d] = along ? of->along.index[at] : of->around.index[k++];
  }
  return outside;
}

static loop_expr *number_of(lowering *l, loop_buffer *numbers, int i) {
  return pir_loop_load(l->m, numbers, pir_loop_int(l->m, i), 1, NULL);
}

static void set_number(lowering *l, loop_buffer *numbers, int i, loop_expr *e) {
  pir_loop_store(l->fn, l->block, numbers, pir_loop_int(l->m, i), e, NULL);
}

// Of a line so far: its largest element, and the sum of all exponentials relative to that.
enum { TOP, SUM, NUMBERS };

static loop_expr *logarithm_of(lowering *l, loop_buffer *sums) {
  loop_expr *log = pir_loop_op(l->m, PIR_V_LOG, number_of(l, sums, SUM), NULL, NULL);
  return pir_loop_add(l->m, number_of(l, sums, TOP), log);
}

// Adds exp(x). The larger one of x and the largest so far becomes the new one.
static void add_exponential(lowering *l, loop_buffer *sums, loop_expr *x) {
  loop_module *m = l->m;
  loop_expr *top = pir_loop_let(l->fn, l->block, "top", number_of(l, sums, TOP)),
            *sum = number_of(l, sums, SUM), *one = pir_loop_const_float(m, PIR_F64, 1);
  loop_expr *stays =
      pir_loop_let(l->fn, l->block, "stays", pir_loop_op(m, PIR_V_LE, x, top, NULL));
  loop_expr *below =
      pir_loop_select(m, stays, pir_loop_sub(m, x, top), pir_loop_sub(m, top, x));
  loop_expr *e = pir_loop_select(m, pir_loop_op(m, PIR_V_EQ, x, top, NULL), one,
                                 pir_loop_op(m, PIR_V_EXP, below, NULL, NULL));
  e = pir_loop_let(l->fn, l->block, "e", e);
  set_number(l, sums, SUM,
             pir_loop_select(m, stays, pir_loop_add(m, sum, e),
                             pir_loop_add(m, pir_loop_mul(m, sum, e), one)));
  set_number(l, sums, TOP, pir_loop_select(m, stays, top, x));
}

// In f64, as the kernel of the runtime.
static void logcumsumexp_stages(lowering *l, const pir_op *op, const pir_attr_value *attrs,
                                lower_stages *stages) {
  loop_module *m = l->m;
  const pir_value *x = pir_op_operand(op, 0), *out = pir_op_result(op, 0);
  enum { AXIS, FLATTEN, EXCLUSIVE, REVERSE, ATTRS };
  int64_t how[ATTRS];
  bool known = true;
  line of;
  for (int i = 0; i < ATTRS; i++)
    known &= pir_attr_value_int(&attrs[i], &how[i]);
  if (!known || !open_line(l, op, how[AXIS], how[FLATTEN], &of, stages))
    return;
  loop_buffer *sums = pir_loop_registers(l->fn, "sums", PIR_F64, 1, NUMBERS);
  set_number(l, sums, TOP, pir_loop_const_float(m, PIR_F64, -INFINITY));
  set_number(l, sums, SUM, pir_loop_const_float(m, PIR_F64, 0));
  lower_place outside = enter_element(l, &of, how[REVERSE]);
  double lowest = lower_fact(l, x)->dtype == PIR_F64 ? -DBL_MAX : -FLT_MAX;
  loop_expr *first = pir_loop_op(m, PIR_V_EQ, of.at, pir_loop_int(m, 0), NULL), *e;
  if (how[EXCLUSIVE])
    e = pir_loop_let(l->fn, l->block, "before",
                     pir_loop_select(m, first, pir_loop_const_float(m, PIR_F64, lowest),
                                     logarithm_of(l, sums)));
  loop_expr *own = pir_loop_cast(m, lower_element(l, x, of.index), PIR_F64);
  add_exponential(l, sums, pir_loop_let(l->fn, l->block, "x", own));
  if (!how[EXCLUSIVE])
    e = logarithm_of(l, sums);
  bool one_axis = how[FLATTEN] && lower_fact(l, out)->rank != lower_fact(l, x)->rank;
  lower_store_element(l, out, one_axis ? &of.place : of.index, e);
  lower_leave(l, outside);
  lower_leave(l, of.outside);
}

// Of equal elements the last one counts; a NaN replaces any number.
static void running_extreme(lowering *l, const pir_op *op, const pir_attr_value *attrs,
                            bool largest, lower_stages *stages) {
  loop_module *m = l->m;
  const pir_value *x = pir_op_operand(op, 0);
  int64_t axis;
  line of;
  if (!pir_attr_value_int(&attrs[0], &axis) || !open_line(l, op, axis, false, &of, stages))
    return;
  pir_dtype type = pir_node_type_arithmetic(lower_fact(l, x)->dtype);
  loop_buffer *best = pir_loop_registers(l->fn, "best", type, 1, 1),
              *where = pir_loop_registers(l->fn, "where", PIR_I64, 1, 1);
  loop_expr *zero = pir_loop_int(m, 0);
  set_number(l, best, 0, pir_loop_cast(m, zero, type));
  set_number(l, where, 0, pir_loop_const_int(m, PIR_I64, 0));
  lower_place outside = enter_element(l, &of, false);
  loop_expr *e = pir_loop_let(l->fn, l->block, "e", key_at(l, x, of.index)),
            *before = pir_loop_let(l->fn, l->block, "before", number_of(l, best, 0));
  loop_expr *stays = largest ? pir_loop_lt(m, e, before) : pir_loop_lt(m, before, e);
  if (pir_dtype_is_float(type)) {
    loop_expr *number = pir_loop_op(m, PIR_V_EQ, e, e, NULL),
              *nan = pir_loop_op(m, PIR_V_ISNAN, before, NULL, NULL);
    stays = pir_loop_op(m, PIR_V_OR, stays, pir_loop_op(m, PIR_V_AND, nan, number, NULL), NULL);
  }
  stays = pir_loop_op(m, PIR_V_AND, pir_loop_lt(m, zero, of.at), stays, NULL);
  stays = pir_loop_let(l->fn, l->block, "stays", stays);
  loop_expr *at =
      pir_loop_select(m, stays, number_of(l, where, 0), pir_loop_cast(m, of.at, PIR_I64));
  set_number(l, where, 0, at);
  set_number(l, best, 0, pir_loop_select(m, stays, before, e));
  lower_store_element(l, pir_op_result(op, 0), of.index, number_of(l, best, 0));
  lower_store_element(l, pir_op_result(op, 1), of.index, number_of(l, where, 0));
  lower_leave(l, outside);
  lower_leave(l, of.outside);
}

static void cummax_stages(lowering *l, const pir_op *op, const pir_attr_value *attrs,
                          lower_stages *stages) {
  running_extreme(l, op, attrs, true, stages);
}

static void cummin_stages(lowering *l, const pir_op *op, const pir_attr_value *attrs,
                          lower_stages *stages) {
  running_extreme(l, op, attrs, false, stages);
}

// Kernels of the runtime by name (runtime/kernels/kernel_table.h).
static const struct kernel_form {
  const char *name;
  void (*emit)(lowering *l, const pir_op *op, const pir_attr_value *attrs,
               lower_stages *stages);
} kernel_forms[] = {
    {"argsort", argsort_stages},
    {"topk", topk_stages},
    {"mode", mode_stages},
    {"gather_nd", gather_nd_stages},
    {"searchsorted", searchsorted_stages},
    {"logcumsumexp", logcumsumexp_stages},
    {"cummax", cummax_stages},
    {"cummin", cummin_stages},
    {"prior_box", lower_prior_box},
    {"roi_align", lower_roi_align},
    {"deformable_conv", lower_deformable_conv},
};

static const struct kernel_form *form_of(const pir_op *op) {
  const pir_opdef *def = pir_op_meaning(op);
  for (size_t i = 0; i < sizeof kernel_forms / sizeof *kernel_forms; i++)
    if (!def->clause && def->kernel && !strcmp(def->kernel, kernel_forms[i].name))
      return &kernel_forms[i];
  return NULL;
}

bool lower_has_kernel(const pir_op *op) {
  return form_of(op) != NULL;
}

static void *allocate_values(void *user, size_t size) {
  return pir_loop_alloc(user, size);
}

void lower_kernel(lowering *l, const pir_op *op, lower_stages *stages) {
  const struct kernel_form *form = form_of(op);
  const pir_attr_value *attrs;
  lower_count_place(l, op);
  if (!form || pir_op_attr_values(op, allocate_values, l->m, &attrs))
    lower_fail(l, op, "a kernel that has no form for a device");
  if (!l->why)
    form->emit(l, op, attrs, stages);
}
