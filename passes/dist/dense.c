// apply_dist2dense_pass and remove_unuseful_comm_op_pass: types become the types of the rank's
// parts, and so do shapes that ops state; collective ops of one rank, second names that nobody
// needs and casts to the same type go.
#include "dist.h"

#include <pir/compiler/dialect/dist.h>
#include <pir/compiler/dialect/pd_op.h>

// ---- types
static const pir_type *local_tensor(dist_state *d, const pir_type *type) {
  if (!pir_type_dist_attr(type))
    return type;
  const pir_type *inner = pir_type_inner(type);
  pir_tensor_spec spec = pir_type_spec(inner);
  spec.shape = pir_type_local_shape(type);
  return pir_type_tensor_like(d->ctx, pir_type_kind_of(inner), &spec);
}

static const pir_type *local_type(dist_state *d, const pir_type *type) {
  if (!type || pir_type_kind_of(type) != PIR_TYPE_VECTOR)
    return local_tensor(d, type);
  PIR_VEC(const pir_type *) members = {0};
  for (size_t i = 0; i < pir_type_elements(type); i++)
    pir_vec_push(d->arena, &members, local_tensor(d, pir_type_element(type, i)));
  const pir_type *local = pir_type_vector(d->ctx, members.items, members.count);
  pir_vec_free(d->arena, &members);
  return local;
}

// Every process would hold as much as the others, but the last one.
static pir_status check_even(const pir_op *op, const pir_type *type) {
  const pir_attr *dist = pir_type_dist_attr(type);
  if (!dist)
    return PIR_OK;
  dist_tensor tensor = dist_tensor_of(dist);
  pir_shape shape = pir_type_shape(type);
  for (size_t i = 0; i < shape.rank; i++)
    if (tensor.mapping[i] >= 0 && shape.dims[i] > 0 &&
        shape.dims[i] % tensor.mesh.shape[tensor.mapping[i]])
      return pir_error(op, "unsupported: a dimension of %lld split over %lld processes",
                       (long long)shape.dims[i],
                       (long long)tensor.mesh.shape[tensor.mapping[i]]);
  return PIR_OK;
}

static pir_status localize_arguments(dist_state *d, const pir_op *op) {
  for (size_t r = 0; r < pir_op_regions(op); r++)
    for (pir_block *b = pir_region_first(pir_op_region(op, r)); b; b = pir_block_next(b))
      for (size_t i = 0; i < pir_block_arguments(b); i++) {
        pir_value *value = pir_block_argument(b, i);
        PIR_TRY(check_even(op, pir_value_type(value)));
        pir_value_set_type(value, local_type(d, pir_value_type(value)));
      }
  return PIR_OK;
}

// ---- shapes that ops state

static bool is_cut(const pir_type *type) {
  pir_shape whole = pir_type_shape(type), local = pir_type_local_shape(type);
  for (size_t i = 0; i < local.rank; i++)
    if (whole.dims[i] != local.dims[i])
      return true;
  return false;
}

// Writes a part's extents, as far as they are known, over stated ones, which may also say which
// extent of the operand counts (0) and which one follows (-1).
static const pir_attr *local_stated(dist_state *d, const pir_attr *stated, pir_shape local) {
  const pir_attr *dims[PIR_MAX_RANK];
  int64_t numbers[PIR_MAX_RANK];
  bool plain = pir_attr_kind_of(stated) == PIR_ATTR_INT_ARRAY;
  for (size_t i = 0; i < local.rank; i++) {
    bool known = local.dims[i] >= 0;
    numbers[i] = plain && !known ? pir_attr_int_array_data(stated)[i] : local.dims[i];
    if (!plain)
      dims[i] = known ? pir_attr_int(d->ctx, PIR_ATTR_I64, local.dims[i])
                      : pir_attr_element(stated, i);
  }
  return plain ? pir_attr_int_array(d->ctx, numbers, local.rank)
               : pir_attr_array(d->ctx, dims, local.rank);
}

static pir_status refuse_stated(const pir_op *op, const char *why) {
  return pir_error(op, "unsupported: its shape %s, and the rank has a part of its result", why);
}

// The shape of an input or a constant is an attribute.
static pir_status localize_shape(dist_state *d, pir_op *op, const pir_type *type) {
  pir_name *name = pir_name_get(d->ctx, PIR_STR("shape"));
  const pir_attr *shape = pir_op_attr(op, name);
  pir_shape local = pir_type_local_shape(type);
  // The attribute of set_value is the shape of the numbers that are written.
  if (!shape || !is_cut(type) || pir_op_is(op, PD_SET_VALUE) || pir_op_is(op, PD_SET_VALUE_))
    return PIR_OK;
  if (pir_attr_kind_of(shape) != PIR_ATTR_INT_ARRAY)
    return refuse_stated(op, "is a list that this op states");
  if (!pir_attr_elements(shape))
    return PIR_OK;
  if (pir_attr_elements(shape) != local.rank)
    return refuse_stated(op, "has another rank");
  pir_rewriter_set_attr(d->rewriter, op, name, local_stated(d, shape, local));
  return PIR_OK;
}

// An extent that is stated although it is not known in the type is the extent of the whole.
static bool states_unknown(const pir_attr *stated, const pir_type *type) {
  dist_tensor tensor = dist_tensor_of(pir_type_dist_attr(type));
  pir_shape local = pir_type_local_shape(type);
  for (size_t i = 0; i < local.rank; i++) {
    int64_t extent = 1;
    if (local.dims[i] < 0 && tensor.mapping[i] >= 0 &&
        tensor.mesh.shape[tensor.mapping[i]] > 1 &&
        (!pir_attr_int_at(stated, i, &extent) || extent > 0))
      return true;
  }
  return false;
}

// The shape of a reshape and the like is a list, which others may read.
static pir_status localize_list(dist_state *d, pir_op *op, size_t operand,
                                const pir_type *type) {
  pir_op *list = pir_op_operand_op(op, operand);
  pir_shape local = pir_type_local_shape(type);
  pir_name *name = pir_name_get(d->ctx, PIR_STR("value"));
  const pir_attr *stated =
      list && pir_op_is(list, PD_FULL_INT_ARRAY) ? pir_op_attr(list, name) : NULL;
  if (!stated || pir_attr_elements(stated) != local.rank)
    return is_cut(type) ? refuse_stated(op, "is not a constant") : PIR_OK;
  if (states_unknown(stated, type))
    return refuse_stated(op, "has an extent that its type leaves open");
  const pir_attr *value = local_stated(d, stated, local);
  if (stated == value)
    return PIR_OK;
  if (!pir_value_single_use(pir_op_operand(op, operand))) {
    list = pir_op_clone(list, NULL);
    pir_op_move_before(list, op);
    pir_rewriter_set_operand(d->rewriter, op, operand, pir_op_result(list, 0));
  }
  pir_rewriter_set_attr(d->rewriter, list, name, value);
  return PIR_OK;
}

// Ops whose shape operand states the extents of the result, which no other operand concerns.
static bool is_of_stated_shape(const pir_opdef *def) {
  static const uint32_t stating[] = {PD_RESHAPE, PD_EXPAND,   PD_FULL_WITH_TENSOR, PD_EMPTY,
                                     PD_UNIFORM, PD_GAUSSIAN, PD_RANDINT};
  uint32_t id = def->base ? def->base->id : def->id;
  for (size_t i = 0; i < sizeof stating / sizeof *stating; i++)
    if (id == stating[i])
      return true;
  return false;
}

static pir_status localize_stated(dist_state *d, pir_op *op) {
  const pir_type *type = pir_op_results(op) ? pir_value_type(pir_op_result(op, 0)) : NULL;
  if (!pir_type_dist_attr(type))
    return PIR_OK;
  const pir_opdef *def = pir_op_def(op);
  int operand = pir_opdef_operand(def, PIR_STR("shape"));
  if (operand < 0 || (size_t)operand >= pir_op_operands(op))
    return localize_shape(d, op, type);
  // As Paddle, a reshape states all extents that are known.
  bool reshapes = pir_op_is(op, PD_RESHAPE) || pir_op_is(op, PD_RESHAPE_);
  if (!reshapes && !is_cut(type))
    return PIR_OK;
  return is_of_stated_shape(def)
             ? localize_list(d, op, (size_t)operand, type)
             : refuse_stated(op, "is an operand that this op reads otherwise");
}

// ---- ops that compute nothing on this rank
// As Paddle, which leaves reductions but sums and maxima.
static bool is_of_one_rank(const pir_op *op, const dist_of_op *of) {
  int64_t type =
      pir_op_is(op, PD_ALL_REDUCE) ? pir_op_int(op, PD_ALL_REDUCE_ATTR_REDUCE_TYPE) : -1;
  if (!pir_op_is(op, PD_ALL_GATHER) && !pir_op_is(op, PD_REDUCE_SCATTER) && type != DIST_SUM &&
      type != DIST_MAX)
    return false;
  return pir_attr_elements(pir_attr_element(of->mesh, 1)) == 1;
}

static bool is_same_type(const pir_op *op) {
  return pir_value_type(pir_op_operand(op, 0)) == pir_value_type(pir_op_result(op, 0));
}

static bool computes_nothing(const pir_op *op, bool of_one_rank) {
  if (of_one_rank || pir_op_is(op, DIST_DTENSOR_TO_LOCAL) ||
      pir_op_is(op, DIST_DTENSOR_FROM_LOCAL))
    return true;
  if (pir_op_is(op, PD_SHARE_DATA_))
    return pir_value_single_use(pir_op_operand(op, 0));
  return pir_op_is(op, PD_CAST) && is_same_type(op);
}

// Paddle's ops keep the part of a pipeline that they belong to.
static void drop_dist_attr(dist_state *d, pir_op *op, const dist_of_op *of) {
  pir_rewriter_set_attr(d->rewriter, op, d->op_dist, NULL);
  pir_rewriter_set_attr(d->rewriter, op, pir_name_get(d->ctx, PIR_STR("chunk_id")),
                        pir_attr_int(d->ctx, PIR_ATTR_I32, of->chunk));
}

static pir_status make_dense(dist_state *d, pir_op *op) {
  dist_of_op of = {.chunk = -1};
  if (pir_op_is(op, DIST_RESHARD) || pir_op_is(op, DIST_SHARD_TENSOR))
    return pir_error(op, "cannot be part of a dense program");
  for (size_t i = 0; i < pir_op_results(op); i++)
    PIR_TRY(check_even(op, pir_value_type(pir_op_result(op, i))));
  PIR_TRY(dist_cut_parameter(d, op));
  PIR_TRY(localize_stated(d, op));
  PIR_TRY(dist_localize_table(d, &op));
  for (size_t i = 0; i < pir_op_results(op); i++) {
    pir_value *value = pir_op_result(op, i);
    pir_value_set_type(value, local_type(d, pir_value_type(value)));
  }
  dist_restore_extents(d, op);
  bool dist = dist_of(op, &of), one = dist && is_of_one_rank(op, &of);
  if (pir_op_results(op) == 1 && pir_op_operands(op) && pir_op_operand(op, 0) &&
      computes_nothing(op, one)) {
    pir_value *by = pir_op_operand(op, 0);
    if (pir_value_type(by) != pir_value_type(pir_op_result(op, 0)))
      return pir_error(op, "operand and result are of different types on this rank");
    pir_run_count(d->run, "ops of one rank removed", 1);
    pir_rewriter_replace(d->rewriter, op, &by);
  } else if (d->holders.count) {
    drop_dist_attr(d, op, &of);
  }
  return PIR_OK;
}

pir_status dist_to_dense(dist_state *d) {
  dist_ops ops = {0};
  pir_status status = PIR_OK;
  dist_all_ops(d, &ops);
  // Ops of regions come before the op that has the regions, and read their arguments.
  for (size_t i = 0; i < ops.count && !status; i++)
    status = localize_arguments(d, ops.items[i]);
  for (size_t i = 0; i < ops.count && !status; i++)
    status = make_dense(d, ops.items[i]);
  pir_vec_free(d->arena, &ops);
  return status;
}

pir_status pir_pass_dist2dense(pir_pass_run *run) {
  return dist_run(run, false, (dist_step *[]){dist_to_dense}, 1);
}

// ---- all steps
pir_status pir_pass_dist(pir_pass_run *run) {
  dist_step *steps[] = {dist_mix_to_dist,   dist_partition, dist_reshard_all,
                        dist_remove_others, dist_to_dense,  dist_write_rings};
  return dist_run(run, true, steps, sizeof steps / sizeof *steps);
}
