// Terms of gradients, the values that stand for others, and the creation of ops.
#include "autodiff.h"

#include <effects.h>
#include <pir/compiler/dialect/builtin.h>
#include <pir/compiler/dialect/pd_op.h>

static bool stated_stop(const diff *d, const pir_value *value, int64_t *out_stops) {
  const pir_attr *attr = NULL;
  if (!pir_value_is_argument(value)) {
    attr = pir_op_attr(pir_value_op(value), d->stop_gradient);
    return attr && pir_attr_int_at(attr, pir_value_index(value), out_stops);
  }
  for (size_t i = 0; i < pir_block_argument_attrs(value) && !attr; i++)
    if (pir_block_argument_attr(value, i).name == d->stop_gradient)
      attr = pir_block_argument_attr(value, i).value;
  return attr && pir_attr_as_int(attr, out_stops);
}

bool diff_states_stop(const diff *d, const pir_value *value) {
  int64_t stops;
  value = diff_array(d, value);
  if (pir_map_find(&d->flowing, value))
    return false;
  if (stated_stop(d, value, &stops))
    return stops != 0;
  // The results of a loop state nothing: they are as the values with which it begins.
  const pir_op *op = pir_value_op(value);
  if (op && pir_op_is_loop(op) && pir_value_index(value) + 1 < pir_op_operands(op))
    return diff_states_stop(d, pir_op_operand(op, pir_value_index(value) + 1));
  return d->states_stops;
}

bool diff_stops(const diff *d, const pir_value *value) {
  return pir_map_find(&d->stopped, value) || diff_states_stop(d, value);
}

pir_value *diff_copy(const diff_block *b, pir_value *value) {
  for (const diff_block *at = b; at; at = at->up) {
    pir_value *copy = pir_map_get(&at->copies, value);
    if (copy)
      return copy;
  }
  return value;
}

// ---- terms
static const value_list *terms_of(const diff_block *b, const pir_value *value) {
  value = b ? diff_array(b->d, value) : value;
  for (; b; b = b->up) {
    const value_list *found = pir_map_get(&b->gradients, value);
    if (found)
      return found;
  }
  return NULL;
}

// Returns the block's own list, which begins with the terms from outside.
static value_list *own_terms(diff_block *b, const pir_value *value) {
  pir_arena *arena = b->d->arena;
  value = diff_array(b->d, value);
  value_list *own = pir_map_get(&b->gradients, value);
  if (own)
    return own;
  const value_list *outer = terms_of(b->up, value);
  own = pir_arena_alloc(arena, sizeof *own);
  *own = (value_list){0};
  for (size_t i = 0; outer && i < outer->count; i++)
    pir_vec_push(arena, own, outer->items[i]);
  pir_map_put(arena, &b->gradients, value, (uint64_t)(uintptr_t)own);
  return own;
}

void diff_add(diff_block *b, pir_value *value, pir_value *term) {
  if (term)
    pir_vec_push(b->d->arena, own_terms(b, value), term);
}

void diff_clear(diff_block *b, const pir_value *value) {
  own_terms(b, value)->count = 0;
}

bool diff_has_terms(const diff_block *b, const pir_value *value) {
  const value_list *terms = terms_of(b, value);
  return terms && terms->count;
}

// Adds terms by add_n, or add_n_array if they are arrays of tensors.
static pir_value *add_terms(diff_block *b, const value_list *terms) {
  pir_value *list = diff_combine(b, terms);
  const pir_type *type = pir_value_type(terms->items[0]);
  bool tensors = pir_type_is_tensor(type);
  pir_op_spec spec = {.def = pir_context_op(b->d->ctx, tensors ? PD_ADD_N : PD_ADD_N_ARRAY),
                      .operands = &list,
                      .operand_count = 1,
                      .result_types = &type,
                      .result_count = 1};
  return pir_op_result(diff_create(b, &spec), 0);
}

pir_value *diff_sum(diff_block *b, pir_value *value) {
  if (!diff_has_terms(b, value))
    return NULL;
  value_list *terms = own_terms(b, value);
  if (terms->count > 1) {
    terms->items[0] = add_terms(b, terms);
    terms->count = 1;
  }
  return terms->items[0];
}

// ---- ops
static void state_stops(const diff *d, pir_op *op) {
  PIR_VEC(const pir_attr *) each = {0};
  // Paddle states nothing for an op that only writes in place.
  bool writes_only = pir_op_has(op, PIR_INPLACE) && !pir_op_def(op)->base, stops = true;
  // No gradient flows through truth values.
  const pir_opdef *def = pir_op_meaning(op);
  bool truth =
      pir_op_has(op, PIR_FLAT) && def->result_count && def->results[0].dtype == PIR_BOOL;
  if (!d->states_stops || writes_only || !pir_op_results(op))
    return;
  for (size_t i = 0; i < pir_op_operands(op); i++)
    stops &= !pir_op_operand(op, i) || diff_states_stop(d, pir_op_operand(op, i));
  stops |= d->closed;
  for (size_t i = 0; i < pir_op_results(op); i++)
    pir_vec_push(d->arena, &each, pir_attr_bool(d->ctx, stops || truth));
  pir_op_set_attr(op, d->stop_gradient, pir_attr_array(d->ctx, each.items, each.count));
}

pir_op *diff_create(diff_block *b, const pir_op_spec *spec) {
  diff *d = b->d;
  pir_op_spec placed = *spec;
  if (!placed.loc)
    placed.loc = pir_op_loc(b->at);
  pir_op *op = pir_rewriter_create(d->run->rewriter, b->at, &placed);
  state_stops(d, op);
  if (d->origin && !pir_op_regions(op))
    pir_op_set_attr(op, pir_name_get(d->ctx, PIR_STR("comp_op_name")), d->origin);
  pir_vec_push(d->arena, &d->made, op);
  return op;
}

pir_value *diff_combine(diff_block *b, const value_list *members) {
  pir_arena *arena = b->d->arena;
  PIR_VEC(const pir_type *) types = {0};
  for (size_t i = 0; i < members->count; i++)
    pir_vec_push(arena, &types, pir_value_type(members->items[i]));
  const pir_type *list = pir_type_vector(b->d->ctx, types.items, types.count);
  pir_op_spec spec = {.def = pir_context_op(b->d->ctx, BUILTIN_COMBINE),
                      .operands = members->items,
                      .operand_count = members->count,
                      .result_types = &list,
                      .result_count = 1};
  return pir_op_result(diff_create(b, &spec), 0);
}

static pir_value *array_like(diff_block *b, pir_value *array, double number) {
  pir_context *ctx = b->d->ctx;
  const pir_type *type = pir_value_type(array);
  const pir_opdef *def = pir_context_op(ctx, PD_CREATE_ARRAY_LIKE);
  pir_named_attr attr = pir_declared_attr(ctx, def, PD_CREATE_ARRAY_LIKE_ATTR_VAL,
                                          pir_attr_float(ctx, PIR_ATTR_F32, number));
  pir_op_spec spec = {.def = def,
                      .operands = &array,
                      .operand_count = 1,
                      .result_types = &type,
                      .result_count = 1,
                      .attrs = &attr,
                      .attr_count = 1};
  return pir_op_result(diff_create(b, &spec), 0);
}

void diff_describe_number(diff *d, pir_dtype dtype, double number, diff_number *out) {
  const pir_opdef *full = pir_context_op(d->ctx, PD_FULL);
  const int64_t shape[] = {1};
  out->type = pir_type_tensor(d->ctx, dtype, (pir_shape){shape, 1});
  out->attrs[0] =
      pir_declared_attr(d->ctx, full, PD_FULL_ATTR_SHAPE, pir_attr_int_array(d->ctx, shape, 1));
  out->attrs[1] = pir_declared_attr(d->ctx, full, PD_FULL_ATTR_VALUE,
                                    pir_attr_float(d->ctx, PIR_ATTR_F64, number));
  out->attrs[2] =
      pir_declared_attr(d->ctx, full, PD_FULL_ATTR_DTYPE, pir_attr_dtype(d->ctx, dtype));
  out->attrs[3] = pir_declared_attr(d->ctx, full, PD_FULL_ATTR_PLACE,
                                    pir_attr_place(d->ctx, (pir_place){.kind = 1}));
  out->spec = (pir_op_spec){.def = full,
                            .result_types = &out->type,
                            .result_count = 1,
                            .attrs = out->attrs,
                            .attr_count = sizeof out->attrs / sizeof *out->attrs};
}

// As Paddle's full_like: a constant on the host, which is f32 for every type, and its copies.
pir_value *diff_full_like(diff_block *b, pir_value *value, double number) {
  pir_context *ctx = b->d->ctx;
  const pir_type *type = pir_value_type(value);
  if (!type || diff_is_array(value))
    return type ? array_like(b, value, number) : NULL;
  const pir_opdef *like = pir_context_op(ctx, PD_FULL_LIKE);
  pir_dtype dtype = pir_type_dtype(type);
  diff_number constant;
  diff_describe_number(b->d, PIR_F32, number, &constant);
  pir_value *operands[] = {value, pir_op_result(diff_create(b, &constant.spec), 0)};
  pir_named_attr copies[] = {
      pir_declared_attr(ctx, like, PD_FULL_LIKE_ATTR_DTYPE, pir_attr_dtype(ctx, dtype)),
      pir_declared_attr(ctx, like, PD_FULL_LIKE_ATTR_PLACE,
                        pir_attr_place(ctx, (pir_place){0}))};
  pir_op_spec spec = {.def = like,
                      .operands = operands,
                      .operand_count = 2,
                      .result_types = &type,
                      .result_count = 1,
                      .attrs = copies,
                      .attr_count = sizeof copies / sizeof *copies};
  return pir_op_result(diff_create(b, &spec), 0);
}

void diff_erase_unused(diff *d, size_t from, const value_list *kept) {
  size_t left = d->made.count;
  pir_map needed = {0};
  for (size_t i = 0; i < kept->count; i++)
    if (kept->items[i] && pir_value_op(kept->items[i]))
      pir_map_put(d->arena, &needed, pir_value_op(kept->items[i]), 1);
  for (size_t i = d->made.count; i-- > from;) {
    pir_op *op = d->made.items[i];
    if (pir_op_unused(op) && !pir_op_has_effect(op) && !pir_op_regions(op) &&
        !pir_map_find(&needed, op)) {
      pir_rewriter_erase(d->run->rewriter, op);
      d->made.items[i] = NULL;
    }
  }
  left = from;
  for (size_t i = from; i < d->made.count; i++)
    if (d->made.items[i])
      d->made.items[left++] = d->made.items[i];
  d->made.count = left;
  pir_map_free(d->arena, &needed);
}

void diff_erase_unneeded(diff_block *b, const value_list *gradients, const value_list *beside) {
  value_list kept = {0};
  for (size_t i = 0; i < gradients->count; i++)
    pir_vec_push(b->d->arena, &kept, gradients->items[i]);
  for (size_t i = 0; i < beside->count; i++)
    if (beside->items[i])
      pir_vec_push(b->d->arena, &kept, diff_sum(b, beside->items[i]));
  diff_erase_unused(b->d, 0, &kept);
}
