// apply_reshard_pass: replaces dist_op.reshard by the ops that move data, for one rank. A
// reshard to another mesh that also changes how the tensor lies is taken as two first, equal
// reshards of one value are one. On a mesh of several dimensions one dimension follows the
// other: split ones that change become whole, from the last one of the tensor on; partial ones
// are combined; then whole ones become partial and are cut. What the rank has no part in stays
// a reshard, which the next step removes.
#include "reshard.h"

#include <pir/compiler/dialect/dist.h>
#include <pir/compiler/dialect/pd_op.h>

// ---- on one mesh
static int64_t split_along(const dist_tensor *tensor, size_t mesh_dim) {
  for (size_t i = 0; i < tensor->rank; i++)
    if (tensor->mapping[i] == (int64_t)mesh_dim)
      return (int64_t)i;
  return -1;
}

static pir_status make_whole(reshard *r, const dist_tensor *to) {
  for (size_t i = r->now.rank; i-- > 0;)
    if (r->now.mapping[i] >= 0 && r->now.mapping[i] != to->mapping[i])
      PIR_TRY(reshard_gather(r, i));
  for (size_t m = 0; m < r->now.mesh.ndims; m++) {
    if (r->now.partial[m] < 0 || r->now.partial[m] == to->partial[m])
      continue;
    int64_t axis = split_along(to, m);
    if (axis < 0)
      reshard_reduce(r, m);
    else
      PIR_TRY(reshard_reduce_cut(r, m, (size_t)axis));
  }
  return PIR_OK;
}

pir_status reshard_on_mesh(reshard *r, const dist_tensor *to) {
  if (to->mesh.ndims == 1 && split_along(&r->now, 0) >= 0 && split_along(to, 0) >= 0 &&
      !dist_same_places(&r->now, to))
    return reshard_exchange(r, (size_t)split_along(&r->now, 0), (size_t)split_along(to, 0));
  PIR_TRY(make_whole(r, to));
  for (size_t m = 0; m < to->mesh.ndims; m++)
    if (to->partial[m] >= 0 && r->now.partial[m] < 0)
      reshard_make_partial(r, m, to->partial[m]);
  for (size_t i = r->now.rank; i-- > 0;)
    if (to->mapping[i] != r->now.mapping[i])
      PIR_TRY(reshard_cut(r, i, (size_t)to->mapping[i]));
  return PIR_OK;
}

// ---- before ops are made
static bool is_reshard(const pir_op *op) {
  return pir_op_is(op, DIST_RESHARD);
}

static pir_status check_reshard(const pir_op *op) {
  pir_value *value = pir_op_operand(op, 0);
  const pir_attr *from = value ? pir_type_dist_attr(pir_value_type(value)) : NULL,
                 *to = pir_type_dist_attr(pir_value_type(pir_op_result(op, 0)));
  dist_of_op of;
  if (!from || !to)
    return pir_error(op, "has to read a distributed tensor, and give one");
  if (!dist_of(op, &of) || pir_attr_elements(of.operands) != 1 ||
      pir_attr_elements(of.results) != 1)
    return pir_error(op, "has no op_dist_attr of one operand and one result");
  if (!dist_attr_same(pir_attr_element(of.operands, 0), from) ||
      !dist_attr_same(pir_attr_element(of.results, 0), to))
    return pir_error(op, "op_dist_attr says otherwise than the types of operand and result");
  if (pir_attr_elements(pir_attr_element(from, 1)) !=
      pir_attr_elements(pir_attr_element(to, 1)))
    return pir_error(op, "operand and result have different ranks");
  return PIR_OK;
}

// A move to a mesh of other processes, and then the change there.
static void take_apart(dist_state *d, pir_op *op) {
  pir_value *value = pir_op_operand(op, 0);
  dist_tensor from = dist_tensor_of(pir_type_dist_attr(pir_value_type(value))),
              to = dist_tensor_of(pir_type_dist_attr(pir_value_type(pir_op_result(op, 0))));
  bool moves = dist_mesh_alike(&from.mesh, &to.mesh) ||
               (from.mesh.ndims == to.mesh.ndims && dist_is_replicated(&from));
  if (!moves || dist_mesh_same(&from.mesh, &to.mesh) || dist_same_places(&from, &to))
    return;
  dist_tensor moved = from;
  moved.mesh = to.mesh;
  pir_op *move = dist_make_reshard(d, op, value, dist_tensor_attr(d->ctx, &moved));
  pir_value *by = pir_op_result(
      dist_make_reshard(d, op, pir_op_result(move, 0), dist_tensor_attr(d->ctx, &to)), 0);
  pir_rewriter_replace(d->rewriter, op, &by);
}

static bool same_dist_type(const pir_value *a, const pir_value *b) {
  const pir_type *x = pir_value_type(a), *y = pir_value_type(b);
  return x == y || (pir_type_inner(x) == pir_type_inner(y) &&
                    dist_attr_same(pir_type_dist_attr(x), pir_type_dist_attr(y)));
}

// Returns an earlier reshard of the same block whose result is the same, or the operand.
static pir_value *same_as_before(pir_op *op) {
  pir_value *value = pir_op_operand(op, 0), *result = pir_op_result(op, 0), *found = NULL;
  if (same_dist_type(value, result))
    return value;
  PIR_EACH_USE(use, value) {
    pir_op *other = pir_use_owner(use);
    if (other != op && is_reshard(other) && pir_op_block(other) == pir_op_block(op) &&
        pir_op_is_before(other, op) && same_dist_type(pir_op_result(other, 0), result) &&
        (!found || pir_op_is_before(other, pir_value_op(found))))
      found = pir_op_result(other, 0);
  }
  return found;
}

static void fold_reshards(dist_state *d, const dist_ops *ops) {
  for (size_t i = 0; i < ops->count; i++) {
    pir_op *op = ops->items[i];
    pir_value *same = is_reshard(op) ? same_as_before(op) : NULL;
    if (!same)
      continue;
    pir_run_count(d->run, "reshards merged", 1);
    pir_rewriter_replace(d->rewriter, op, &same);
    ops->items[i] = pir_program_module(d->run->program);
  }
}

// ---- the pass
static int64_t chunk_of(const pir_value *value) {
  dist_of_op of;
  const pir_op *op = pir_value_op(value);
  return op && dist_of(op, &of) ? of.chunk : -1;
}

static pir_status replace_reshard(dist_state *d, pir_op *op) {
  pir_value *value = pir_op_operand(op, 0), *result = pir_op_result(op, 0);
  dist_tensor to = dist_tensor_of(pir_type_dist_attr(pir_value_type(result)));
  reshard r = {.d = d,
               .op = op,
               .value = value,
               .now = dist_tensor_of(pir_type_dist_attr(pir_value_type(value))),
               .chunk = chunk_of(value)};
  bool same_mesh = dist_mesh_same(&r.now.mesh, &to.mesh);
  PIR_TRY(same_mesh ? reshard_on_mesh(&r, &to) : reshard_move(&r, &to));
  pir_run_count(d->run, "reshards replaced", 1);
  if (r.value != result)
    pir_rewriter_replace(d->rewriter, op, &r.value);
  return PIR_OK;
}

pir_status dist_reshard_all(dist_state *d) {
  dist_ops ops = {0};
  pir_status status = PIR_OK;
  dist_all_ops(d, &ops);
  for (size_t i = 0; i < ops.count && !status; i++)
    if (is_reshard(ops.items[i]))
      status = check_reshard(ops.items[i]);
  for (size_t i = 0; i < ops.count && !status; i++)
    if (is_reshard(ops.items[i]))
      take_apart(d, ops.items[i]);
  ops.count = 0;
  dist_all_ops(d, &ops);
  if (!status)
    fold_reshards(d, &ops);
  for (size_t i = 0; i < ops.count && !status; i++)
    if (is_reshard(ops.items[i]))
      status = replace_reshard(d, ops.items[i]);
  pir_vec_free(d->arena, &ops);
  return status;
}

pir_status pir_pass_reshard(pir_pass_run *run) {
  dist_state d;
  pir_status status = dist_begin(run, true, &d);
  if (!status)
    status = dist_reshard_all(&d);
  if (!status)
    status = dist_write_rings(&d);
  dist_end(&d);
  return status;
}
