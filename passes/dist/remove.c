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
  pir_named_attr attr = {d->op_dist, dist_op_attr(d->ctx, of.mesh, &from, 1, &to, 1, -1)};
  pir_op_spec spec = {.def = pir_context_op(d->ctx, PD_SHARE_DATA_),
                      .operands = &value,
                      .operand_count = 1,
                      .result_types = &type,
                      .result_count = 1,
                      .attrs = &attr,
                      .attr_count = 1};
  pir_value *named = pir_op_result(pir_rewriter_create(d->rewriter, op, &spec), 0);
  pir_rewriter_replace_value(d->rewriter, result, named);
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

// They read a list, of which the rank keeps its members.
static void keep_own_members(dist_state *d, pir_op *op) {
  pir_op *list = pir_op_operands(op) ? pir_op_operand_op(op, 0) : NULL;
  if (!list || !pir_op_is(list, BUILTIN_COMBINE))
    return;
  PIR_VEC(pir_value *) members = {0};
  PIR_VEC(const pir_type *) types = {0};
  for (size_t i = 0; i < pir_op_operands(list); i++) {
    pir_value *member = pir_op_operand(list, i);
    const pir_attr *dist = member ? pir_type_dist_attr(pir_value_type(member)) : NULL;
    if (dist && !dist_holds(d, pir_attr_element(dist, 0)))
      continue;
    pir_vec_push(d->arena, &members, member);
    pir_vec_push(d->arena, &types, member ? pir_value_type(member) : NULL);
  }
  if (members.count < pir_op_operands(list)) {
    const pir_type *type = pir_type_vector(d->ctx, types.items, types.count);
    pir_op_spec spec = {.def = pir_op_def(list),
                        .operands = members.items,
                        .operand_count = members.count,
                        .result_types = &type,
                        .result_count = 1};
    pir_value *own = pir_op_result(pir_rewriter_create(d->rewriter, list, &spec), 0);
    pir_value_set_type(pir_op_result(list, 0), type);
    pir_rewriter_replace(d->rewriter, list, &own);
    pir_value_set_type(pir_op_result(op, 0), type);
  }
  pir_vec_free(d->arena, &members);
  pir_vec_free(d->arena, &types);
}

pir_status dist_remove_others(dist_state *d) {
  dist_ops ops = {0};
  pir_status status = PIR_OK;
  dist_all_ops(d, &ops);
  for (size_t i = ops.count; i-- > 0;)
    if (reads_all_gradients(ops.items[i]))
      keep_own_members(d, ops.items[i]);
  status = dist_complete(d);
  ops.count = 0;
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
  dist_state d;
  pir_status status = dist_begin(run, true, &d);
  if (!status)
    status = dist_remove_others(&d);
  dist_end(&d);
  return status;
}
