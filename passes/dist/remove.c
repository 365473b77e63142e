// remove_other_rank_op_pass: removes the ops of meshes that lack the rank, from the last op to
// the first. Two ops of experts' meshes name the same bytes otherwise, and become names.
#include "dist.h"

#include <pir/compiler/dialect/builtin.h>
#include <pir/compiler/dialect/cf.h>
#include <pir/compiler/dialect/dist.h>
#include <pir/compiler/dialect/pd_op.h>
#include <pir/compiler/walk.h>

// Finds the only operand or result whose mesh has the rank.
static pir_status find_own(dist_state *d, const pir_op *op, bool of_results, size_t *out) {
  size_t count = of_results ? pir_op_results(op) : pir_op_operands(op);
  bool found = false;
  for (size_t i = 0; i < count; i++) {
    const pir_value *value = of_results ? pir_op_result(op, i) : pir_op_operand(op, i);
    const pir_attr *dist = value ? pir_type_dist_attr(pir_value_type(value)) : NULL;
    if (!dist || !dist_holds(d, pir_attr_element(dist, 0)))
      continue;
    if (found)
      return pir_error(op, "rank %lld is in the meshes of two of its tensors",
                       (long long)d->rank);
    *out = i;
    found = true;
  }
  return found ? PIR_OK
               : pir_error(op, "rank %lld is in no mesh of its tensors", (long long)d->rank);
}

// Replaces moe_sub_mesh_tensors or moe_global_mesh_tensor by share_data_ of the rank's tensor.
static pir_status name_own(dist_state *d, pir_op *op) {
  bool takes_apart = pir_op_is(op, DIST_MOE_SUB_MESH_TENSORS);
  size_t own = 0;
  dist_of_op of;
  if (!dist_of(op, &of))
    return pir_error(op, "has no op_dist_attr");
  if (!dist_holds(d, of.mesh) && pir_op_unused(op)) {
    pir_rewriter_erase(d->rewriter, op);
    return PIR_OK;
  }
  PIR_TRY(find_own(d, op, takes_apart, &own));
  pir_value *value = pir_op_operand(op, takes_apart ? 0 : own),
            *result = pir_op_result(op, takes_apart ? own : 0);
  const pir_type *type = pir_value_type(result);
  const pir_attr *from = pir_type_dist_attr(pir_value_type(value)),
                 *to = pir_type_dist_attr(type);
  if (!from || !to)
    return pir_error(op, "has to read distributed tensors, and give such");
  pir_op *named = dist_make_op(d, op, PD_SHARE_DATA_, value, type, of.mesh, from, to);
  pir_rewriter_replace_value(d->rewriter, result, pir_op_result(named, 0));
  if (!pir_op_unused(op))
    return pir_error(op, "rank %lld reads a tensor of other ranks", (long long)d->rank);
  pir_rewriter_erase(d->rewriter, op);
  return PIR_OK;
}

// A value that was pushed for nobody.
static bool is_popped(const pir_op *push) {
  const pir_op *stack = pir_op_operand_op(push, 0);
  return !stack || pir_op_results(stack) < 3 || !pir_value_unused(pir_op_result(stack, 2));
}

static bool is_of_others(dist_state *d, const pir_op *op) {
  dist_of_op of;
  if (pir_op_is(op, CF_TUPLE_PUSH))
    return !is_popped(op);
  if (pir_op_has(op, PIR_TERMINATOR))
    return false;
  if (dist_is_skipped(op))
    return pir_op_unused(op) && !pir_op_regions(op);
  return pir_op_is(op, DIST_RESHARD) || (dist_of(op, &of) && !dist_holds(d, of.mesh));
}

static pir_walk_result count_op(pir_op *op, void *user) {
  (void)op;
  ++*(size_t *)user;
  return PIR_WALK_CONTINUE;
}

// Adds the ops in the regions of an op that is erased to *out_gone.
static pir_status remove_op(dist_state *d, pir_op *op, size_t *out_gone) {
  if (pir_op_is(op, DIST_MOE_SUB_MESH_TENSORS) || pir_op_is(op, DIST_MOE_GLOBAL_MESH_TENSOR))
    return name_own(d, op);
  if (!is_of_others(d, op))
    return PIR_OK;
  if (!pir_op_unused(op))
    return pir_error(op, "rank %lld is not in its mesh, but reads its result",
                     (long long)d->rank);
  size_t nested = 0;
  pir_walk(op, PIR_PRE_ORDER, count_op, &nested);
  *out_gone = nested - 1;
  pir_run_count(d->run, "ops of other ranks removed", nested);
  pir_rewriter_erase(d->rewriter, op);
  return PIR_OK;
}

// ---- optimizers that check the gradients of all ranks
static bool reads_all_gradients(const pir_op *op) {
  return pir_op_is(op, PD_CHECK_FINITE_AND_UNSCALE_) || pir_op_is(op, PD_UPDATE_LOSS_SCALING_);
}

// A list of which the rank keeps some members: their types, and where they were.
typedef struct own_list {
  const pir_op *list;  // builtin.combine of all members
  const pir_type *type;
  PIR_VEC(pir_value *) members;
  PIR_VEC(const pir_type *) types;
  PIR_VEC(size_t) places;
} own_list;

static void find_own_members(dist_state *d, const pir_op *list, own_list *out) {
  out->list = list;
  for (size_t i = 0; i < pir_op_operands(list); i++) {
    pir_value *member = pir_op_operand(list, i);
    const pir_attr *dist = member ? pir_type_dist_attr(pir_value_type(member)) : NULL;
    if (dist && !dist_holds(d, pir_attr_element(dist, 0)))
      continue;
    pir_vec_push(d->arena, &out->members, member);
    pir_vec_push(d->arena, &out->types, member ? pir_value_type(member) : NULL);
    pir_vec_push(d->arena, &out->places, i);
  }
  out->type = pir_type_vector(d->ctx, out->types.items, out->types.count);
}

static void free_own_list(dist_state *d, own_list *own) {
  pir_vec_free(d->arena, &own->members);
  pir_vec_free(d->arena, &own->types);
  pir_vec_free(d->arena, &own->places);
}

// Whether the rank keeps the member that was at `place`; its new place.
static bool find_own_place(const own_list *own, size_t place, size_t *out) {
  size_t low = 0, high = own->places.count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (own->places.items[middle] < place)
      low = middle + 1;
    else
      high = middle;
  }
  *out = low;
  return low < own->places.count && own->places.items[low] == place;
}

// Results are written over members, so readers of others read the members of other ranks: they
// are removed with them, or the removal reports them.
static void read_lost_member(dist_state *d, pir_value *result, const own_list *own,
                             size_t place) {
  pir_value *member = pir_op_operand(own->list, place);
  if (pir_value_unused(result))
    return;
  pir_value_set_type(result, pir_value_type(member));
  pir_rewriter_replace_value(d->rewriter, result, member);
}

static pir_status shorten_split(dist_state *d, pir_op *op, const own_list *own) {
  if (pir_op_results(op) != pir_op_operands(own->list))
    return pir_error(op, "has %zu results for a list of %zu tensors", pir_op_results(op),
                     pir_op_operands(own->list));
  pir_value *list = pir_op_operand(op, 0);
  pir_op_spec spec = {.def = pir_op_def(op),
                      .operands = &list,
                      .operand_count = 1,
                      .result_types = own->types.items,
                      .result_count = own->types.count};
  const pir_op *split = pir_rewriter_create(d->rewriter, op, &spec);
  for (size_t i = 0; i < pir_op_results(op); i++) {
    size_t at;
    if (find_own_place(own, i, &at))
      pir_rewriter_replace_value(d->rewriter, pir_op_result(op, i), pir_op_result(split, at));
    else
      read_lost_member(d, pir_op_result(op, i), own, i);
  }
  pir_rewriter_erase(d->rewriter, op);
  return PIR_OK;
}

static pir_status shorten_slice(dist_state *d, pir_op *op, const own_list *own) {
  int64_t index = pir_op_int(op, BUILTIN_SLICE_ATTR_INDEX);
  size_t at;
  if (index < 0 || (uint64_t)index >= pir_op_operands(own->list))
    return pir_error(op, "has index %lld for a list of %zu tensors", (long long)index,
                     pir_op_operands(own->list));
  if (find_own_place(own, (size_t)index, &at)) {
    pir_rewriter_set_attr(d->rewriter, op, pir_name_get(d->ctx, PIR_STR("index")),
                          pir_attr_int(d->ctx, PIR_ATTR_I32, (int64_t)at));
    return PIR_OK;
  }
  read_lost_member(d, pir_op_result(op, 0), own, (size_t)index);
  pir_rewriter_erase(d->rewriter, op);
  return PIR_OK;
}

// Ops that read a list of own members, and from one to the next those that read their results.
static pir_status shorten_readers(dist_state *d, pir_value *list, const own_list *own) {
  PIR_VEC(pir_value *) open = {0};
  pir_status status = PIR_OK;
  pir_vec_push(d->arena, &open, list);
  while (open.count && !status) {
    pir_value *value = pir_vec_pop(&open);
    pir_value_set_type(value, own->type);
    PIR_EACH_USE(use, value) {
      pir_op *op = pir_use_owner(use);
      if (status)
        break;
      if (pir_op_is(op, BUILTIN_SPLIT))
        status = shorten_split(d, op, own);
      else if (pir_op_is(op, BUILTIN_SLICE))
        status = shorten_slice(d, op, own);
      else if (reads_all_gradients(op) && !pir_use_operand_index(use))
        pir_vec_push(d->arena, &open, pir_op_result(op, 0));
      else
        status = pir_error(op, "unsupported: reads a list of which rank %lld has some tensors",
                           (long long)d->rank);
    }
  }
  pir_vec_free(d->arena, &open);
  return status;
}

// They read a list, of which the rank keeps its members.
static pir_status keep_own_members(dist_state *d, const pir_op *op) {
  pir_op *list = pir_op_operands(op) ? pir_op_operand_op(op, 0) : NULL;
  if (!list || !pir_op_is(list, BUILTIN_COMBINE))
    return PIR_OK;
  own_list own = {0};
  pir_status status = PIR_OK;
  find_own_members(d, list, &own);
  if (own.members.count < pir_op_operands(list)) {
    pir_op_spec spec = {.def = pir_op_def(list),
                        .operands = own.members.items,
                        .operand_count = own.members.count,
                        .result_types = &own.type,
                        .result_count = 1};
    pir_value *shorter = pir_op_result(pir_rewriter_create(d->rewriter, list, &spec), 0);
    pir_value_set_type(pir_op_result(list, 0), own.type);
    pir_rewriter_replace_value(d->rewriter, pir_op_result(list, 0), shorter);
    status = shorten_readers(d, shorter, &own);
    pir_rewriter_erase(d->rewriter, list);
  }
  free_own_list(d, &own);
  return status;
}

// The ops that lists are shortened for are collected before: lists are erased.
static pir_status keep_all_own_members(dist_state *d) {
  dist_ops ops = {0};
  pir_status status = PIR_OK;
  size_t count = 0;
  dist_all_ops(d, &ops);
  for (size_t i = 0; i < ops.count; i++)
    if (reads_all_gradients(ops.items[i]))
      ops.items[count++] = ops.items[i];
  for (size_t i = count; i-- > 0 && !status;)
    status = keep_own_members(d, ops.items[i]);
  pir_vec_free(d->arena, &ops);
  return status;
}

pir_status dist_remove_others(dist_state *d) {
  dist_ops ops = {0};
  pir_status status = PIR_OK;
  PIR_TRY(keep_all_own_members(d));
  PIR_TRY(dist_complete(d));
  dist_all_ops(d, &ops);
  // Regions stand in front of the op that has them, so they are met behind it.
  for (size_t i = ops.count; i-- > 0 && !status;) {
    size_t gone = 0;
    status = remove_op(d, ops.items[i], &gone);
    i -= gone;
  }
  pir_vec_free(d->arena, &ops);
  return status;
}

pir_status pir_pass_remove_other_rank(pir_pass_run *run) {
  return dist_run(run, true, (dist_step *[]){dist_remove_others}, 1);
}
