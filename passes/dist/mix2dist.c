// apply_mix2dist_pass: dist_op.shard_tensor, which says how a tensor lies that was made without
// a mesh, is folded into the op that makes the tensor; then every op that a mesh concerns gets
// op_dist_attr. An input or parameter lies as wanted. Others have to be replicated: they are
// computed by every process, with all that they are computed from.
#include "dist.h"

#include <pir/compiler/dialect/dist.h>
#include <pir/compiler/dialect/pd_op.h>

static void copy_result_flag(dist_state *d, pir_op *to, const pir_op *from, pir_name *name) {
  const pir_attr *value = pir_op_attr(from, name);
  if (value && pir_op_results(to) == 1)
    pir_rewriter_set_attr(d->rewriter, to, name, value);
}

static void set_type_of(dist_state *d, pir_value *value, const dist_mesh *mesh) {
  const pir_type *type = pir_value_type(value);
  if (!type || !pir_type_is_tensor(type))
    return;
  dist_tensor tensor = dist_replicated(mesh, pir_type_shape(type).rank);
  pir_value_set_type(value, dist_type_of(d->ctx, type, &tensor));
}

// Lays ops without op_dist_attr out as replicated, from one on to those that it reads.
static void replicate_from(dist_state *d, pir_op *first, const dist_mesh *mesh) {
  dist_ops open = {0};
  pir_vec_push(d->arena, &open, first);
  while (open.count) {
    pir_op *op = pir_vec_pop(&open);
    for (size_t i = 0; i < pir_op_results(op); i++)
      set_type_of(d, pir_op_result(op, i), mesh);
    for (size_t i = 0; i < pir_op_operands(op); i++) {
      pir_value *value = pir_op_operand(op, i);
      if (value && pir_type_is_tensor(pir_value_type(value)) && pir_value_op(value))
        pir_vec_push(d->arena, &open, pir_value_op(value));
    }
  }
  pir_vec_free(d->arena, &open);
}

static bool lies_as_wanted(const pir_op *op) {
  return pir_op_has_any(op, PIR_INPUT | PIR_PARAMETER);
}

// Random tensors are drawn by each process for its part.
static bool is_drawn(const pir_op *op) {
  return pir_op_is(op, PD_RANDINT) || pir_op_is(op, PD_GAUSSIAN);
}

static pir_status fold_shard(dist_state *d, pir_op *op) {
  pir_value *value = pir_op_operand(op, 0), *result = pir_op_result(op, 0);
  const pir_attr *dist = pir_type_dist_attr(pir_value_type(result));
  pir_op *made = value ? pir_value_op(value) : NULL;
  if (!dist || !made)
    return pir_error(op, "has to read the result of an op, and give a distributed tensor");
  if (pir_type_dist_attr(pir_value_type(value)))
    return pir_error(op, "its tensor is distributed already, which dist_op.reshard changes");
  if (!pir_value_single_use(value))
    return pir_error(op, "unsupported: the tensor is read by other ops as well");
  dist_tensor tensor = dist_tensor_of(dist);
  if (lies_as_wanted(made) || is_drawn(made)) {
    if (is_drawn(made) && pir_op_operands(made) && pir_op_operand(made, 0) &&
        pir_value_op(pir_op_operand(made, 0)))
      replicate_from(d, pir_value_op(pir_op_operand(made, 0)), &tensor.mesh);
    pir_value_set_type(value, pir_value_type(result));
    copy_result_flag(d, made, op, d->stop_gradient);
    copy_result_flag(d, made, op, d->persistable);
    const pir_attr *attr = pir_op_attr(op, d->op_dist);
    if (lies_as_wanted(made) && attr)
      pir_rewriter_set_attr(d->rewriter, made, d->op_dist, attr);
  } else if (dist_is_replicated(&tensor)) {
    replicate_from(d, made, &tensor.mesh);
  } else {
    return pir_error(op, "unsupported: the result of \"%.*s\" would have to be cut",
                     (int)pir_op_name(made).size, pir_op_name(made).data);
  }
  pir_run_count(d->run, "tensors distributed", 1);
  pir_rewriter_replace(d->rewriter, op, &value);
  return PIR_OK;
}

pir_status dist_mix_to_dist(dist_state *d) {
  dist_ops ops = {0};
  pir_status status = PIR_OK;
  dist_all_ops(d, &ops);
  for (size_t i = 0; i < ops.count && !status; i++)
    if (pir_op_is(ops.items[i], DIST_SHARD_TENSOR))
      status = fold_shard(d, ops.items[i]);
  pir_vec_free(d->arena, &ops);
  if (!status)
    status = dist_complete(d);
  for (pir_op *op = pir_block_first(pir_program_block(d->run->program)), *next; op; op = next) {
    next = pir_op_next(op);
    if (!status && pir_op_has(op, PIR_PARAMETER) && pir_op_unused(op))
      pir_rewriter_erase(d->rewriter, op);
  }
  return status;
}

pir_status pir_pass_mix2dist(pir_pass_run *run) {
  return dist_run(run, false, (dist_step *[]){dist_mix_to_dist}, 1);
}
