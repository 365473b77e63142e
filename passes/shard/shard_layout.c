// A layout: inputs split along the batch, parameters as the open cuts say, and everything else
// as the placement rules of the operators say. Parameters that all readers want split are split
// so. Costs two walks for each round of parameters that follow.
#include "shard.h"

#include "../spmd/infer_spmd.h"

#include <pir/compiler/dialect/pd_op.h>
#include <pir/compiler/walk.h>

// ---- back
static const pir_type *whole_type(shard_state *s, const pir_type *type) {
  if (!type || pir_type_kind_of(type) != PIR_TYPE_VECTOR)
    return type && pir_type_dist_attr(type) ? pir_type_inner(type) : type;
  PIR_VEC(const pir_type *) members = {0};
  for (size_t i = 0; i < pir_type_elements(type); i++) {
    const pir_type *member = pir_type_element(type, i);
    pir_vec_push(s->arena, &members,
                 member && pir_type_dist_attr(member) ? pir_type_inner(member) : member);
  }
  const pir_type *whole = pir_type_vector(s->ctx, members.items, members.count);
  pir_vec_free(s->arena, &members);
  return whole;
}

static pir_walk_result take_op_back(pir_op *op, void *user) {
  shard_state *s = user;
  if (pir_op_attr(op, s->op_dist))
    pir_op_set_attr(op, s->op_dist, NULL);
  for (size_t i = 0; i < pir_op_results(op); i++) {
    pir_value *value = pir_op_result(op, i);
    pir_value_set_type(value, whole_type(s, pir_value_type(value)));
  }
  return PIR_WALK_CONTINUE;
}

static void take_back(shard_state *s) {
  pir_walk(pir_program_module(s->run->program), PIR_PRE_ORDER, take_op_back, s);
}

// ---- inputs and parameters
static void split_value(shard_state *s, pir_value *value, int64_t dim, int mesh_dim) {
  const pir_type *type = whole_type(s, pir_value_type(value));
  dist_tensor tensor = dist_replicated(&s->mesh, pir_type_shape(type).rank);
  if (dim >= 0)
    tensor.mapping[dim] = mesh_dim;
  pir_value_set_type(value, dist_type_of(s->ctx, type, &tensor));
}

static void place_input(shard_state *s, const pir_op *op) {
  pir_value *value = pir_op_result(op, 0);
  const pir_type *type = whole_type(s, pir_value_type(value));
  dist_tensor tensor = dist_replicated(&s->mesh, pir_type_shape(type).rank);
  int64_t dim = shard_cache_dim(s, op);
  if (shard_splits_input(s, op))
    tensor.mapping[0] = s->batch;
  if (dim >= 0)
    tensor.mapping[dim] = s->model;
  pir_value_set_type(value, dist_type_of(s->ctx, type, &tensor));
}

static void place_parameter(shard_state *s, pir_op *op) {
  uint64_t *cut = pir_map_find(&s->cut_of, op), *taken = pir_map_find(&s->taken, op);
  if (cut)
    s->cuts.items[*cut - 1].split = false;
  split_value(s, pir_op_result(op, 0), taken ? (int64_t)*taken - 1 : -1, s->model);
}

int64_t shard_split_of(const pir_attr *dist, int axis) {
  if (axis < 0 || !dist || pir_attr_kind_of(dist) != PIR_ATTR_TENSOR_DIST)
    return -1;
  dist_tensor tensor = dist_tensor_of(dist);
  for (size_t i = 0; i < tensor.rank; i++)
    if (tensor.mapping[i] == axis)
      return (int64_t)i;
  return -1;
}

// A cut is made where its first reader finds the other operand whole; else the product is cut
// by rows, as that operand is, and a table stays whole.
static void make_cut(pir_op *op, void *user) {
  shard_state *s = user;
  for (size_t i = 0; i < pir_op_operands(op); i++) {
    pir_op *param = pir_op_operand(op, i) ? pir_op_operand_op(op, i) : NULL;
    uint64_t *found = param ? pir_map_find(&s->cut_of, param) : NULL;
    shard_cut *cut = found ? &s->cuts.items[*found - 1] : NULL;
    if (!cut || !cut->open || cut->split || pir_map_find(&s->taken, param))
      continue;
    const shard_fused *fused = shard_fused_of(s, param);
    pir_value *factor = pir_op_operand(fused ? cut->reader : op, 0);
    if (shard_split_of(pir_type_dist_attr(pir_value_type(factor)), s->model) >= 0)
      continue;
    cut->split = true;
    split_value(s, pir_op_result(param, 0), (int64_t)cut->dim, s->model);
    if (fused && fused->bias)
      split_value(s, pir_op_result(fused->bias, 0), 1, s->model);
  }
}

static pir_walk_result place_source(pir_op *op, void *user) {
  shard_state *s = user;
  if (!pir_op_has_any(op, PIR_INPUT | PIR_PARAMETER) || pir_op_results(op) != 1 ||
      !pir_type_is_tensor(pir_value_type(pir_op_result(op, 0))))
    return PIR_WALK_CONTINUE;
  if (pir_op_has(op, PIR_PARAMETER))
    place_parameter(s, op);
  else
    place_input(s, op);
  return PIR_WALK_CONTINUE;
}

// ---- parameters that follow
// The dimension that a reader wants split along the axis `model`; -1: none.
static int64_t wanted_split(const shard_state *s, const pir_use *use) {
  dist_of_op of;
  size_t operand = pir_use_operand_index(use);
  if (!dist_of(pir_use_owner(use), &of) || operand >= pir_attr_elements(of.operands))
    return -1;
  return shard_split_of(pir_attr_element(of.operands, operand), s->model);
}

// All readers have to want the same, or the parameter would be gathered in every run.
static int64_t split_for_all(const shard_state *s, const pir_value *value) {
  int64_t dim = -1;
  PIR_EACH_USE(use, value) {
    int64_t wanted = wanted_split(s, use);
    if (wanted < 0 || (dim >= 0 && wanted != dim))
      return -1;
    dim = wanted;
  }
  return dim;
}

typedef struct following {
  shard_state *s;
  bool more;
} following;

static pir_walk_result follow_readers(pir_op *op, void *user) {
  following *f = user;
  shard_state *s = f->s;
  if (!pir_op_has(op, PIR_PARAMETER) || pir_op_results(op) != 1)
    return PIR_WALK_CONTINUE;
  pir_value *value = pir_op_result(op, 0);
  const pir_attr *dist = pir_type_dist_attr(pir_value_type(value));
  dist_tensor tensor = dist ? dist_tensor_of(dist) : (dist_tensor){.mapping = {0}};
  int64_t dim = dist && dist_is_replicated(&tensor) ? split_for_all(s, value) : -1;
  if (dim >= 0) {
    pir_map_put(s->arena, &s->taken, op, (uint64_t)dim + 1);
    f->more = true;
  }
  return PIR_WALK_CONTINUE;
}

// ---- outputs
// Every rank gives whole outputs, but for caches.
static pir_walk_result place_output(pir_op *op, void *user) {
  shard_state *s = user;
  dist_of_op of;
  if (!pir_op_has(op, PIR_OUTPUT) || !dist_of(op, &of) || !pir_attr_elements(of.operands))
    return PIR_WALK_CONTINUE;
  const pir_attr *given = pir_attr_element(of.operands, 0);
  if (pir_attr_kind_of(given) != PIR_ATTR_TENSOR_DIST)
    return PIR_WALK_CONTINUE;
  dist_tensor tensor = dist_tensor_of(given), whole = dist_replicated(&s->mesh, tensor.rank);
  for (size_t i = 0; i < tensor.rank && s->parts; i++)
    if (tensor.mapping[i] == s->batch)
      whole.mapping[i] = s->batch;
  int64_t dim = shard_split_of(given, s->model);
  if (shard_keeps_output(s, op, dim))
    whole.mapping[dim] = s->model;
  const pir_attr *wanted = dist_tensor_attr(s->ctx, &whole);
  pir_op_set_attr(op, s->op_dist,
                  dist_op_attr(s->ctx, of.mesh, &wanted, 1, &wanted, pir_op_results(op), -1));
  for (size_t i = 0; i < pir_op_results(op); i++) {
    pir_value *value = pir_op_result(op, i);
    pir_value_set_type(value,
                       dist_type_of(s->ctx, whole_type(s, pir_value_type(value)), &whole));
  }
  return PIR_WALK_CONTINUE;
}

// ---- the whole
static pir_status lay_out_once(shard_state *s) {
  pir_op *module = pir_program_module(s->run->program);
  uint64_t placed;
  static const uint32_t wide[] = {
      PD_EMBEDDING, PD_SHAPE, PD_SHAPE64, PD_BATCH_NORM_, PD_POOL2D, PD_DEPTHWISE_CONV2D, 0};
  spmd_how how = {.wide_ops = wide, .before = make_cut, .user = s};
  take_back(s);
  pir_walk(module, PIR_PRE_ORDER, place_source, s);
  return spmd_place_program(s->run->program, how, &placed);
}

pir_status shard_lay_out(shard_state *s) {
  following f = {s, true};
  pir_map_clear(&s->taken);
  shard_forget_caches(s);
  // A parameter or a cache that is split lets others follow where it splits a whole tensor,
  // which ends when all of them are.
  while (f.more) {
    PIR_TRY(lay_out_once(s));
    f.more = shard_follow_caches(s);
    pir_walk(pir_program_module(s->run->program), PIR_PRE_ORDER, follow_readers, &f);
  }
  pir_walk(pir_program_module(s->run->program), PIR_PRE_ORDER, place_output, s);
  return PIR_OK;
}

// ---- inputs of ranks
static pir_walk_result take_whole(pir_op *op, void *user) {
  shard_state *s = user;
  if (!pir_op_has(op, PIR_INPUT) || pir_op_results(op) != 1)
    return PIR_WALK_CONTINUE;
  const pir_type *type = pir_value_type(pir_op_result(op, 0));
  if (!pir_type_dist_attr(type))
    return PIR_WALK_CONTINUE;
  dist_tensor whole = dist_replicated(&s->mesh, pir_type_shape(type).rank);
  int64_t dim = shard_cache_dim(s, op);
  if (dim >= 0)
    whole.mapping[dim] = s->model;
  const pir_attr *given = dist_tensor_attr(s->ctx, &whole);
  pir_op_set_attr(op, s->op_dist, dist_op_attr(s->ctx, s->mesh.attr, NULL, 0, &given, 1, -1));
  return PIR_WALK_CONTINUE;
}

void shard_take_whole_inputs(shard_state *s) {
  pir_walk(pir_program_module(s->run->program), PIR_PRE_ORDER, take_whole, s);
}
