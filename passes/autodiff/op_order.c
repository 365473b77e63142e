// Which ops have a gradient to compute, and in which order.
#include "autodiff.h"

#include <effects.h>
#include <pir/compiler/dialect/builtin.h>
#include <pir/compiler/dialect/cf.h>
#include <pir/compiler/dialect/pd_op.h>

// ---- what an op reads
typedef struct outer_reads {
  const diff *d;
  const pir_op *op;
  value_list *out;
  pir_map seen;
} outer_reads;

static bool is_inside(const pir_value *value, const pir_op *op) {
  const pir_block *block = pir_value_block(value);
  for (const pir_op *at = block ? pir_block_parent_op(block) : NULL; at; at = pir_op_parent(at))
    if (at == op)
      return true;
  return false;
}

static pir_walk_result note_outer(pir_op *op, void *user) {
  outer_reads *r = user;
  for (size_t i = 0; op != r->op && i < pir_op_operands(op); i++) {
    pir_value *value = pir_op_operand(op, i);
    if (!value || is_inside(value, r->op) || pir_map_find(&r->seen, value))
      continue;
    pir_map_put(r->d->arena, &r->seen, value, 1);
    pir_vec_push(r->d->arena, r->out, value);
  }
  return PIR_WALK_CONTINUE;
}

void diff_inputs(const diff *d, const pir_op *op, value_list *out) {
  for (size_t i = 0; i < pir_op_operands(op); i++)
    pir_vec_push(d->arena, out, pir_op_operand(op, i));
  if (!pir_op_regions(op))
    return;
  outer_reads r = {d, op, out, {0}};
  for (size_t i = 0; i < out->count; i++)
    if (out->items[i] && !pir_op_is_loop(op))
      pir_map_put(d->arena, &r.seen, out->items[i], 1);
  pir_walk((pir_op *)op, PIR_PRE_ORDER, note_outer, &r);
  pir_map_free(d->arena, &r.seen);
}

bool diff_writes_over(const pir_op *op) {
  return pir_op_is(op, PD_ARRAY_WRITE_) || pir_op_is(op, PD_ASSIGN_OUT_);
}

// ---- the ops between inputs and outputs
static bool some_in(const pir_map *set, const value_list *values) {
  for (size_t i = 0; i < values->count; i++)
    if (values->items[i] && pir_map_find(set, values->items[i]))
      return true;
  return false;
}

static void results_of(const diff *d, const pir_op *op, value_list *out) {
  out->count = 0;
  for (size_t i = 0; i < pir_op_results(op); i++)
    pir_vec_push(d->arena, out, pir_op_result(op, i));
  for (size_t i = 0; diff_writes_over(op) && i < pir_op_operands(op); i++)
    pir_vec_push(d->arena, out, pir_op_operand(op, i));
}

static void add_flowing(const diff *d, pir_map *set, const value_list *values) {
  for (size_t i = 0; i < values->count; i++)
    if (values->items[i] && !diff_stops(d, values->items[i]))
      pir_map_put(d->arena, set, values->items[i], 1);
}

static void put_all(const diff *d, pir_map *set, const value_list *values) {
  for (size_t i = 0; i < values->count; i++)
    pir_map_put(d->arena, set, values->items[i], 1);
}

// What ops and the ops in their regions do, of which the order matters: the gradients of all of
// them are computed, strictly backwards. They write over arrays or tensors, or they count an
// index of arrays, which the backward program counts back.
typedef struct ordered {
  bool writes, counts, indexes;
} ordered;

static bool is_ordered(const ordered *o) {
  return o->writes || (o->counts && o->indexes);
}

static pir_walk_result find_ordered(pir_op *op, void *user) {
  ordered *o = user;
  o->writes |= diff_writes_over(op);
  o->counts |= pir_op_is(op, PD_INCREMENT_);
  o->indexes |= diff_is_array_step(op);
  return is_ordered(o) ? PIR_WALK_STOP : PIR_WALK_CONTINUE;
}

static bool block_is_ordered(const pir_block *block) {
  ordered o = {0};
  for (pir_op *op = pir_block_first(block); op && !is_ordered(&o); op = pir_op_next(op))
    pir_walk(op, PIR_PRE_ORDER, find_ordered, &o);
  return is_ordered(&o);
}

// Values that an op puts on a stack come out of the other end.
static void add_outlets(const diff *d, pir_map *set, const value_list *read) {
  for (size_t i = 0; i < read->count; i++) {
    const pir_op *stack = read->items[i] ? pir_value_op(read->items[i]) : NULL;
    if (stack && pir_op_is(stack, CF_STACK_CREATE))
      pir_map_put(d->arena, set, pir_op_result(stack, CF_STACK_CREATE_OUT_OUTLET), 1);
  }
}

void diff_effective_ops(const diff *d, const pir_block *block, const value_list *inputs,
                        const value_list *outputs, op_list *out) {
  pir_map from = {0}, to = {0};
  value_list read = {0}, results = {0};
  op_list forward = {0};
  bool all = block_is_ordered(block);
  put_all(d, &from, inputs);
  put_all(d, &to, outputs);
  for (pir_op *op = pir_block_first(block); op; op = pir_op_next(op)) {
    read.count = 0;
    diff_inputs(d, op, &read);
    results_of(d, op, &results);
    bool reached = !inputs->count || some_in(&from, &results) || some_in(&from, &read);
    if (reached && inputs->count && !some_in(&from, &results))
      add_flowing(d, &from, &results);
    if (reached && inputs->count)
      add_outlets(d, &from, &read);
    if (reached || all)
      pir_vec_push(d->arena, &forward, op);
  }
  op_list backward = {0};
  for (size_t i = forward.count; i-- > 0;) {
    pir_op *op = forward.items[i];
    results_of(d, op, &results);
    if (!all && !some_in(&to, &results))
      continue;
    read.count = 0;
    diff_inputs(d, op, &read);
    add_flowing(d, &to, &read);
    pir_vec_push(d->arena, &backward, op);
  }
  for (size_t i = backward.count; i-- > 0;)
    pir_vec_push(d->arena, out, backward.items[i]);
  pir_map_free(d->arena, &from);
  pir_map_free(d->arena, &to);
}

// ---- inverse order
static bool is_float_tensor(const pir_value *value) {
  const pir_type *type = pir_value_type(value);
  return type && pir_type_is_tensor(type) && pir_dtype_is_float(pir_type_dtype(type));
}

// Returns the place in the list of an op, or of the op of the list around it; `otherwise` if
// there is none, or if it ends a block.
static size_t place_in_list(const pir_map *places, const pir_op *op, size_t otherwise) {
  while (op && !pir_map_find(places, op))
    op = pir_op_parent(op);
  if (!op || pir_op_has(op, PIR_TERMINATOR))
    return otherwise;
  return (size_t)*pir_map_find(places, op);
}

// Returns the first place of a reader of the number that an increment changes. `known` keeps
// the answers.
static size_t first_reader(const diff *d, const pir_map *places, pir_map *known,
                           const pir_op *increment, size_t place) {
  const pir_value *counter = pir_op_operand(increment, 0);
  uint64_t *first = pir_map_find(known, counter);
  if (first)
    return *first < place ? (size_t)*first : place;
  PIR_EACH_USE(use, counter) {
    size_t reader = place_in_list(places, pir_use_owner(use), place);
    place = reader < place ? reader : place;
  }
  pir_map_put(d->arena, known, counter, place);
  return place;
}

// Moves a counter's increment, which changes its operand, behind all readers of the old number:
// in front of them in the inverse order. No gradient flows through it. O(ops and uses).
static void order_increments(const diff *d, op_list *sorted) {
  pir_map places = {0}, known = {0}, moved = {0};  // `moved`: of an op those in front of it
  op_list out = {0};
  for (size_t i = 0; i < sorted->count; i++)
    pir_map_put(d->arena, &places, sorted->items[i], i);
  for (size_t i = 0; i < sorted->count; i++) {
    pir_op *op = sorted->items[i];
    if (!pir_op_is(op, PD_INCREMENT_) || is_float_tensor(pir_op_operand(op, 0)))
      continue;
    const pir_op *reader = sorted->items[first_reader(d, &places, &known, op, i)];
    op_list *there = pir_map_get(&moved, reader);
    if (!there) {
      there = pir_arena_alloc(d->arena, sizeof *there);
      *there = (op_list){0};
      pir_map_put(d->arena, &moved, reader, (uint64_t)(uintptr_t)there);
    }
    pir_vec_push(d->arena, there, op);
  }
  for (size_t i = 0; i < sorted->count; i++) {
    pir_op *op = sorted->items[i];
    const op_list *here = pir_map_get(&moved, op);
    for (size_t k = 0; here && k < here->count; k++)
      pir_vec_push(d->arena, &out, here->items[k]);
    if (!pir_op_is(op, PD_INCREMENT_) || is_float_tensor(pir_op_operand(op, 0)))
      pir_vec_push(d->arena, &out, op);
  }
  *sorted = out;
  pir_map_free(d->arena, &places);
  pir_map_free(d->arena, &known);
  pir_map_free(d->arena, &moved);
}

// Counts a reader of everything that an op reads, or takes one off; an op of the list without
// readers left is ready.
static void count_reads(const diff *d, pir_map *pending, const pir_op *op, op_list *ready) {
  value_list read = {0};
  diff_inputs(d, op, &read);
  for (size_t i = 0; i < read.count; i++) {
    pir_op *source = read.items[i] ? pir_value_op(read.items[i]) : NULL;
    uint64_t *left = source ? pir_map_find(pending, source) : NULL;
    if (left && !ready)
      ++*left;
    else if (left && !--*left)
      pir_vec_push(d->arena, ready, source);
  }
  pir_vec_free(d->arena, &read);
}

void diff_inverse_order(const diff *d, const op_list *ops, op_list *out) {
  pir_map pending = {0};  // of an op of the list: the readers of its results that are to come
  ordered o = {0};
  for (size_t i = 0; i < ops->count && !is_ordered(&o); i++)
    pir_walk(ops->items[i], PIR_PRE_ORDER, find_ordered, &o);
  for (size_t i = ops->count; is_ordered(&o) && i-- > 0;)
    pir_vec_push(d->arena, out, ops->items[i]);
  if (is_ordered(&o))
    return;
  for (size_t i = 0; i < ops->count; i++)
    pir_map_put(d->arena, &pending, ops->items[i], 0);
  for (size_t i = 0; i < ops->count; i++)
    count_reads(d, &pending, ops->items[i], NULL);
  for (size_t i = 0; i < ops->count; i++)
    if (!*pir_map_find(&pending, ops->items[i]))
      pir_vec_push(d->arena, out, ops->items[i]);
  for (size_t done = 0; done < out->count; done++)
    count_reads(d, &pending, out->items[done], out);
  order_increments(d, out);
  pir_map_free(d->arena, &pending);
}

void diff_list_beside(const diff *d, const value_list *inputs, value_list *out) {
  for (size_t i = 0; i < inputs->count; i++)
    PIR_EACH_USE(use, inputs->items[i]) {
      const pir_op *op = pir_use_owner(use);
      if (pir_op_block(op) == pir_value_block(inputs->items[i]))
        diff_inputs(d, op, out);
    }
}
