// The state of one group's lowering: the buffer of each value, run-time extents, and the memo
// of values computed at each point. The memo is a stack that follows the nesting of blocks. A
// group has a few dozen values, so it is searched linearly.
#include "nest.h"

#include <string.h>

#define MAX_DEPTH 200      // of ops computed within ops
#define MAX_COMPUTED 4096  // ops at points: views upon views of one value multiply them

void lower_init(lowering *l, loop_module *m, const pir_target *target, const pir_facts *facts,
                const pir_op *group) {
  *l = (lowering){
      .m = m, .target = target, .facts = facts, .dims = pir_facts_dims(facts), .group = group};
}

void lower_fail(lowering *l, const pir_op *op, const char *why) {
  if (l->why)
    return;
  l->why = why;
  l->where = op;
}

void lower_count_place(lowering *l, const pir_op *op) {
  if (++l->places == l->refuse_at)
    lower_fail(l, op, "the option refuse of the pass");
}

loop_expr *lower_both(lowering *l, loop_expr *a, loop_expr *b) {
  if (!a || !b)
    return a ? a : b;
  return pir_loop_op(l->m, PIR_V_AND, a, b, NULL);
}

// ---- interface

lower_value *lower_find(lowering *l, const pir_value *value) {
  for (size_t i = 0; i < l->values.count; i++)
    if (l->values.items[i]->value == value)
      return l->values.items[i];
  return NULL;
}

lower_value *lower_add(lowering *l, const pir_value *value) {
  lower_value *v = lower_find(l, value);
  if (v)
    return v;
  v = pir_loop_alloc(l->m, sizeof *v);
  v->value = value;
  v->slot = -1;
  v->level = v->first = -1;
  for (int i = 0; i < PIR_MAX_RANK; i++)
    v->order[i] = (uint8_t)i;
  pir_vec_push(&l->m->arena, &l->values, v);
  return v;
}

const pir_op *lower_yield(const lowering *l) {
  return pir_block_last(pir_region_first(pir_op_region(l->group, 0)));
}

void lower_interface(lowering *l) {
  size_t inputs = pir_op_operands(l->group);
  const pir_op *yield = lower_yield(l);
  for (size_t i = 0; i < inputs; i++) {
    lower_value *v = lower_add(l, pir_op_operand(l->group, i));
    if (v->slot >= 0)
      continue;
    v->slot = (int32_t)i;
    v->readable = true;
    pir_group_order(l->group, false, i, v->order);
    v->placed = pir_group_place_of(l->group, false, i, &v->place);
  }
  for (size_t i = 0; i < pir_op_operands(yield); i++) {
    lower_value *v = lower_add(l, pir_op_operand(yield, i));
    if (v->slot >= 0) {
      lower_fail(l, l->group, "a result that is an operand, or that is handed out twice");
      continue;
    }
    v->slot = (int32_t)(inputs + i);
    v->written = true;
    pir_group_order(l->group, true, i, v->order);
    v->placed = pir_group_place_of(l->group, true, i, &v->place);
  }
}

uint16_t lower_temporary(lowering *l, pir_dim bytes) {
  pir_vec_push(&l->m->arena, &l->temporaries, bytes);
  // An op that is tried alone has no group: its values are numbered by themselves.
  size_t before =
      l->group ? pir_op_operands(l->group) + pir_op_operands(lower_yield(l)) : l->values.count;
  return (uint16_t)(before + l->temporaries.count - 1);
}

// ---- extents

// Lowers a dim. Sums and quotients become run-time arguments, which the executor evaluates.
// Products keep their factors, so that index arithmetic can cancel them.
static loop_expr *dim_expr(lowering *l, pir_dim dim, bool is_extent) {
  int64_t c;
  size_t k = 0;
  loop_expr *product = NULL;
  dim = pir_dim_canonical(l->dims, dim);
  if (pir_dim_is_const(l->dims, dim, &c))
    return pir_loop_int(l->m, c);
  if (pir_dim_kind_of(l->dims, dim) == PIR_DIM_MUL) {
    for (size_t i = 0; i < pir_dim_operands(l->dims, dim); i++) {
      loop_expr *e = dim_expr(l, pir_dim_operand(l->dims, dim, i), is_extent);
      product = product ? pir_loop_mul(l->m, product, e) : e;
    }
    return product;
  }
  while (k < l->args.count && l->args.items[k] != dim)
    k++;
  if (k == l->args.count)
    pir_vec_push(&l->m->arena, &l->args, dim);
  loop_expr *e = pir_loop_dim(l->m, (int64_t)k);
  e->dim.is_signed = !is_extent && pir_dim_lower_bound(l->dims, dim) < 0;
  e->given = !is_extent;
  return e;
}

static loop_expr *known_dim(lowering *l, pir_dim dim, bool is_extent) {
  lower_count_place(l, l->group);
  if (dim != PIR_DIM_UNKNOWN)
    return dim_expr(l, dim, is_extent);
  lower_fail(l, l->group, "an extent or number that is not known");
  return pir_loop_int(l->m, 1);
}

loop_expr *lower_dim(lowering *l, pir_dim dim) {
  return known_dim(l, dim, true);
}
loop_expr *lower_number(lowering *l, pir_dim number) {
  return known_dim(l, number, false);
}

const pir_fact *lower_fact(lowering *l, const pir_value *value) {
  return pir_facts_of(l->facts, value);
}

// ---- buffers

loop_buffer *lower_buffer(lowering *l, lower_value *v) {
  if (v->fn == l->fn && v->buffer)
    return v->buffer;
  const pir_fact *fact = lower_fact(l, v->value);
  v->buffer = pir_loop_arg(l->fn, "b", fact->dtype, (uint16_t)v->slot,
                           (uint32_t)pir_dtype_size(fact->dtype), !v->written);
  v->fn = l->fn;
  return v->buffer;
}

pir_dim lower_room(lowering *l, const lower_value *v, int d) {
  if (v->placed && v->place.axis == d)
    return pir_dim_const(l->dims, v->place.room);
  return lower_fact(l, v->value)->shape[d];
}

loop_expr *lower_position(lowering *l, const lower_value *v, loop_expr *const *index) {
  const pir_fact *fact = lower_fact(l, v->value);
  loop_expr *at = pir_loop_int(l->m, 0);
  for (int i = 0; i < fact->rank; i++) {
    int d = v->order[i];
    at =
        pir_loop_add(l->m, pir_loop_mul(l->m, at, lower_dim(l, lower_room(l, v, d))), index[d]);
  }
  return at;
}

// ---- places

lower_place lower_enter(lowering *l, loop_block *block) {
  lower_place before = {l->block, l->memo.count};
  l->block = block;
  return before;
}

void lower_leave(lowering *l, lower_place before) {
  l->block = before.block;
  l->memo.count = before.memo_count;
}

const char *lower_name(lowering *l, const char *stem, int64_t number) {
  const char *name = pir_loop_name(l->m, stem, number);
  if (!l->prefix)
    return name;
  size_t size = strlen(l->prefix) + strlen(name) + 2;
  char *full = pir_loop_alloc(l->m, size);
  pir_text_format(full, size, "%s_%s", l->prefix, name);
  return full;
}

void lower_start(lowering *l, const char *stem, int64_t number) {
  l->fn = pir_loop_fn_create(l->m, lower_name(l, stem, number));
  l->block = &l->fn->body;
  l->memo.count = 0;
  l->lanes = NULL;
}

// ---- elements

void lower_know(lowering *l, const pir_value *value, loop_expr *const *index, loop_expr *expr) {
  int rank = lower_fact(l, value)->rank;
  lower_memo entry = {.value = value, .guard = l->guard, .expr = expr};
  entry.index = pir_loop_alloc(l->m, (size_t)(rank + 1) * sizeof *entry.index);
  for (int i = 0; i < rank; i++)
    entry.index[i] = index[i];
  pir_vec_push(&l->m->arena, &l->memo, entry);
}

static bool same_index(int rank, loop_expr *const *a, loop_expr *const *b) {
  for (int i = 0; i < rank; i++)
    if (!pir_loop_equal(a[i], b[i]))
      return false;
  return true;
}

static loop_expr *remembered(const lowering *l, const pir_value *value, int rank,
                             loop_expr *const *index) {
  for (size_t k = l->memo.count; k-- > 0;) {
    const lower_memo *e = &l->memo.items[k];
    if (e->value == value && e->guard == l->guard && same_index(rank, e->index, index))
      return e->expr;
  }
  return NULL;
}

// Devices: an operand's element whose number is known before the run, because it follows from
// extents, is an argument: its tensor is on the host and need not be copied. NULL: it is not.
static loop_expr *known_argument(lowering *l, const lower_value *v, const pir_fact *fact,
                                 loop_expr *const *index) {
  int64_t at = 0, i, extent;
  if (!lower_on_device(l) || !fact->contents || !v->readable || v->slot < 0 || v->written)
    return NULL;
  for (int d = 0; d < fact->rank; d++) {
    if (!pir_loop_is_int(index[d], &i) || !pir_dim_is_const(l->dims, fact->shape[d], &extent))
      return NULL;
    at = at * extent + i;
  }
  if (at < 0 || (size_t)at >= fact->content_count || fact->contents[at] == PIR_DIM_UNKNOWN)
    return NULL;
  return pir_loop_cast(l->m, lower_number(l, fact->contents[at]), fact->dtype);
}

// Loads an element from its row or buffer; NULL if it is in neither. A row holds only its own
// elements: a reader of another row (a mean broadcast along the reduced dim) recomputes them.
static loop_expr *held_element(lowering *l, lower_value *v, int rank, loop_expr *const *index) {
  bool in_row = v->row && (!l->row_point || same_index(rank, l->row_point, index));
  if (in_row)
    return pir_loop_load(l->m, v->row, l->row_index, 1, l->guard);
  if (v->step)
    return lower_step_element(l, v->step, index, rank);
  return v->readable
             ? pir_loop_load(l->m, lower_buffer(l, v), lower_position(l, v, index), 1, l->guard)
             : NULL;
}

// Computes the element from the clause of the value's op. Returns NULL and sets l->why on
// failure.
static loop_expr *computed_element(lowering *l, const pir_value *value,
                                   loop_expr *const *index) {
  const pir_op *op = pir_value_op(value);
  bool listed = op && lower_on_device(l) && pir_op_has(op, PIR_CONSTANT);
  loop_expr *e = listed ? lower_listed_element(l, op, index) : NULL;
  lower_site site;
  if (e)
    return e;
  if (!op || l->depth >= MAX_DEPTH) {
    lower_fail(l, op ? op : l->group,
               op ? "ops nested too deeply" : "a value from outside that is no operand");
  } else if (l->computed++ >= MAX_COMPUTED) {
    lower_fail(l, op, "values that would be computed over and over");
  } else if (lower_open(l, op, pir_value_index(value), &site)) {
    // The reader's condition is not passed to the producer. If it decides whether the element
    // exists, it is part of the guard. So one memo entry under that guard serves every reader.
    loop_expr *condition = l->condition;
    l->condition = NULL;
    l->depth++;
    e = lower_result(&site, index);
    l->depth--;
    l->condition = condition;
  }
  return e;
}

loop_expr *lower_element(lowering *l, const pir_value *value, loop_expr *const *index) {
  const pir_fact *fact = lower_fact(l, value);
  const pir_op *op = pir_value_op(value);
  if (!pir_fact_has_rank(fact) || !pir_dtype_is_number(fact->dtype)) {
    lower_fail(l, op ? op : l->group, "a value whose rank or element type is not known");
    return pir_loop_int(l->m, 0);
  }
  loop_expr *e = remembered(l, value, fact->rank, index);
  if (e)
    return e;
  lower_count_place(l, op ? op : l->group);
  lower_value *v = lower_find(l, value);
  if (v)
    e = known_argument(l, v, fact, index);
  if (v && !e)
    e = held_element(l, v, fact->rank, index);
  if (!e)
    e = computed_element(l, value, index);
  if (!e || l->why)
    return pir_loop_const_int(l->m, pir_dtype_is_float(fact->dtype) ? LOOP_INDEX : fact->dtype,
                              0);
  e = pir_loop_let(l->fn, l->block, "t", e);
  lower_know(l, value, index, e);
  return e;
}

// ---- tensors that the caches cannot hold

// The condition that the tensor is larger than this number of bytes.
static loop_expr *is_larger(lowering *l, const pir_fact *fact, size_t than) {
  loop_expr *bytes = pir_loop_int(l->m, (int64_t)pir_dtype_size(fact->dtype));
  for (int d = 0; d < fact->rank; d++)
    bytes = pir_loop_mul(l->m, bytes, lower_dim(l, fact->shape[d]));
  return pir_loop_lt(l->m, pir_loop_int(l->m, (int64_t)than), bytes);
}

void lower_store(lowering *l, const pir_value *value, loop_expr *const *index) {
  lower_value *v = lower_find(l, value);
  loop_expr *e = lower_element(l, value, index);
  int64_t known;
  if (l->why)
    return;
  loop_buffer *b = lower_buffer(l, v);
  if (!b->large && !lower_on_device(l)) {
    loop_expr *large = is_larger(l, lower_fact(l, value), l->target->l3_bytes);
    if (!pir_loop_is_int(large, &known) || known)
      b->large = large;
  }
  pir_loop_store(l->fn, l->block, b, lower_position(l, v, index), e, NULL);
  l->block->last->store.nontemporal = b->large != NULL;
}

void lower_fetch(lowering *l, lower_value *v, loop_expr *const *index, loop_expr *ahead) {
  loop_expr *far = is_larger(l, lower_fact(l, v->value), l->target->l2_bytes);
  int64_t known;
  ahead = pir_loop_select(l->m, far, ahead, pir_loop_int(l->m, 0));
  if (pir_loop_is_int(ahead, &known) && !known)
    return;
  pir_loop_prefetch(l->fn, l->block, lower_buffer(l, v),
                    pir_loop_add(l->m, lower_position(l, v, index), ahead), false);
}
