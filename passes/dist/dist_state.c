// The state of a run, its checks, and what several steps do to ops.
#include "dist.h"

#include <pir/compiler/dialect/builtin.h>
#include <pir/compiler/dialect/cf.h>
#include <pir/compiler/dialect/dist.h>
#include <pir/compiler/dialect/pd_op.h>
#include <pir/compiler/walk.h>

// ---- checks
static pir_status check_distribution(dist_state *d, const pir_op *op, const pir_attr *dist,
                                     size_t rank) {
  // A mapping of another length is refused wherever it stands, so the rank is not remembered.
  if (pir_map_find(&d->checked, dist) &&
      (rank > PIR_MAX_RANK || pir_attr_elements(pir_attr_element(dist, 1)) == rank))
    return PIR_OK;
  const char *fault = dist_tensor_fault(d->ctx, dist, rank);
  if (*fault)
    return pir_error(op, "%s", fault);
  pir_map_put(d->arena, &d->checked, dist, 1);
  return PIR_OK;
}

// A part that a type states is the one that its distribution gives.
static pir_status check_local(const pir_op *op, const pir_type *type) {
  pir_shape shape = pir_type_shape(type), local = pir_type_local_shape(type);
  dist_tensor tensor = dist_tensor_of(pir_type_dist_attr(type));
  bool same = local.rank == shape.rank;
  for (size_t i = 0; same && i < shape.rank; i++)
    same = local.dims[i] == dist_local_extent(&tensor, i, shape.dims[i]);
  return same ? PIR_OK
              : pir_error(op, "the local shape of a tensor is not the part of its shape that "
                              "its distribution gives");
}

// Gathering multiplies extents by numbers of processes.
static pir_status check_tensor(dist_state *d, const pir_op *op, const pir_type *type) {
  const pir_attr *dist = pir_type_dist_attr(type);
  if (!dist)
    return PIR_OK;
  pir_shape shape = pir_type_shape(type);
  PIR_TRY(check_distribution(d, op, dist, shape.rank));
  size_t count = pir_attr_elements(pir_attr_element(pir_attr_element(dist, 0), 1));
  for (size_t i = 0; i < shape.rank; i++)
    if (shape.dims[i] > INT64_MAX / (int64_t)count)
      return pir_error(op, "a dimension of %lld is too large for %zu processes",
                       (long long)shape.dims[i], count);
  return check_local(op, type);
}

static pir_status check_value_dist(dist_state *d, const pir_op *op, const pir_value *value) {
  const pir_type *type = pir_value_type(value);
  if (!type || pir_type_kind_of(type) != PIR_TYPE_VECTOR)
    return check_tensor(d, op, type);
  for (size_t i = 0; i < pir_type_elements(type); i++)
    PIR_TRY(check_tensor(d, op, pir_type_element(type, i)));
  return PIR_OK;
}

// An operand that is not given lies on a mesh without processes, and has nothing to split.
static bool is_null_operand(const pir_attr *dist) {
  if (pir_attr_kind_of(dist) != PIR_ATTR_TENSOR_DIST || pir_attr_elements(dist) < 3)
    return false;
  const pir_attr *mesh = pir_attr_element(dist, 0);
  return pir_attr_elements(mesh) > 1 && !pir_attr_elements(pir_attr_element(mesh, 0)) &&
         !pir_attr_elements(pir_attr_element(mesh, 1)) &&
         !pir_attr_elements(pir_attr_element(dist, 1)) &&
         !pir_attr_elements(pir_attr_element(dist, 2));
}

static pir_status check_sides(dist_state *d, const pir_op *op, const pir_attr *sides) {
  for (size_t i = 0; i < pir_attr_elements(sides); i++) {
    const pir_attr *side = pir_attr_element(sides, i);
    bool list = pir_attr_kind_of(side) == PIR_ATTR_ARRAY;
    for (size_t k = 0; k < (list ? pir_attr_elements(side) : 1); k++) {
      const pir_attr *dist = list ? pir_attr_element(side, k) : side;
      if (pir_attr_kind_of(dist) != PIR_ATTR_NONE && !is_null_operand(dist))
        PIR_TRY(check_distribution(d, op, dist, PIR_MAX_RANK + 1));
    }
  }
  return PIR_OK;
}

static pir_status check_values(dist_state *d, const pir_op *op) {
  for (size_t i = 0; i < pir_op_results(op); i++)
    PIR_TRY(check_value_dist(d, op, pir_op_result(op, i)));
  for (size_t r = 0; r < pir_op_regions(op); r++)
    for (pir_block *b = pir_region_first(pir_op_region(op, r)); b; b = pir_block_next(b))
      for (size_t i = 0; i < pir_block_arguments(b); i++)
        PIR_TRY(check_value_dist(d, op, pir_block_argument(b, i)));
  return PIR_OK;
}

static pir_status check_op_dist(dist_state *d, const pir_op *op) {
  dist_of_op of;
  PIR_TRY(check_values(d, op));
  if (!dist_of(op, &of))
    return pir_op_attr(op, d->op_dist)
               ? pir_error(op, "op_dist_attr is no distribution of an op")
               : PIR_OK;
  // A mesh that was checked is in the map of meshes.
  const char *fault =
      pir_map_find(&d->holders, of.mesh) ? "" : dist_mesh_fault(d->ctx, of.mesh);
  if (*fault)
    return pir_error(op, "%s", fault);
  dist_holds(d, of.mesh);
  PIR_TRY(check_sides(d, op, of.operands));
  return check_sides(d, op, of.results);
}

static bool some_mesh_has_rank(const dist_state *d) {
  for (size_t i = 0; i < d->holders.capacity; i++)
    if (d->holders.entries[i].key && d->holders.entries[i].value == 2)
      return true;
  return false;
}

// Types name meshes too: of a program that has no op_dist_attr yet.
static void note_meshes(dist_state *d) {
  for (size_t i = 0; i < d->checked.capacity; i++) {
    const pir_attr *dist = d->checked.entries[i].key;
    if (dist)
      dist_holds(d, pir_attr_element(dist, 0));
  }
}

// A program without meshes is the same on every rank, and needs none.
static pir_status read_rank(dist_state *d) {
  note_meshes(d);
  if (!d->holders.count)
    return PIR_OK;
  if (d->rank < 0)
    return pir_run_bad_option(d->run, "rank", "the number of a process, which must be given");
  if (!some_mesh_has_rank(d))
    return pir_report(d->ctx, PIR_INVALID, PIR_ERROR, PIR_LOC_UNKNOWN,
                      "no mesh of the program has rank %lld", (long long)d->rank);
  return PIR_OK;
}

static pir_status check_program(dist_state *d) {
  dist_ops ops = {0};
  pir_status status = PIR_OK;
  dist_all_ops(d, &ops);
  for (size_t i = 0; i < ops.count && !status; i++)
    status = check_op_dist(d, ops.items[i]);
  pir_vec_free(d->arena, &ops);
  return status;
}

static pir_status begin_run(pir_pass_run *run, bool ranked, dist_state *out) {
  pir_context *ctx = pir_program_context(run->program);
  *out = (dist_state){.run = run,
                      .ctx = ctx,
                      .arena = pir_context_arena(ctx),
                      .rewriter = run->rewriter,
                      .op_dist = pir_name_get(ctx, PIR_STR("op_dist_attr")),
                      .stop_gradient = pir_name_get(ctx, PIR_STR("stop_gradient")),
                      .persistable = pir_name_get(ctx, PIR_STR("persistable")),
                      .rank = pir_run_option_int(run, "rank", -1)};
  PIR_TRY(check_program(out));
  return ranked ? read_rank(out) : PIR_OK;
}

pir_status dist_run(pir_pass_run *run, bool ranked, dist_step *const *steps, size_t count) {
  dist_state d;
  pir_status status = begin_run(run, ranked, &d);
  for (size_t i = 0; i < count && !status; i++)
    status = steps[i](&d);
  pir_map_free(d.arena, &d.checked);
  pir_map_free(d.arena, &d.holders);
  pir_vec_free(d.arena, &d.rings);
  pir_map_free(d.arena, &d.ring_numbers);
  return status;
}

bool dist_holds(dist_state *d, const pir_attr *mesh) {
  uint64_t *known = pir_map_find(&d->holders, mesh);
  if (known)
    return *known == 2;
  dist_mesh view = dist_mesh_of(mesh);
  bool holds = dist_mesh_place(&view, d->rank) < view.count;
  pir_map_put(d->arena, &d->holders, mesh, holds ? 2 : 1);
  return holds;
}

bool dist_is_skipped(const pir_op *op) {
  static const uint32_t skipped[] = {BUILTIN_COMBINE, BUILTIN_SPLIT,  PD_PYLAYER,
                                     CF_YIELD,        CF_TUPLE_PUSH,  CF_TUPLE_POP,
                                     CF_STACK_CREATE, CF_HAS_ELEMENTS};
  for (size_t i = 0; i < sizeof skipped / sizeof *skipped; i++)
    if (pir_op_is(op, skipped[i]))
      return true;
  return false;
}

// ---- ops
typedef struct op_collection {
  pir_arena *arena;
  dist_ops *ops;
} op_collection;

static pir_walk_result collect_op(pir_op *op, void *user) {
  op_collection *c = user;
  pir_vec_push(c->arena, c->ops, op);
  return PIR_WALK_CONTINUE;
}

void dist_all_ops(dist_state *d, dist_ops *out) {
  op_collection c = {d->arena, out};
  pir_walk(pir_program_module(d->run->program), PIR_POST_ORDER, collect_op, &c);
  out->count--;  // the module itself
}

const pir_attr *dist_join(dist_state *d, const pir_attr *a, const pir_attr *b) {
  if (!a || !b)
    return a ? a : b;
  return dist_mesh_merge(d->ctx, a, b);
}

static const pir_attr *mesh_of_side(const pir_attr *side) {
  if (side && pir_attr_kind_of(side) == PIR_ATTR_ARRAY)
    side = pir_attr_elements(side) ? pir_attr_element(side, 0) : NULL;
  return side && pir_attr_kind_of(side) == PIR_ATTR_TENSOR_DIST ? pir_attr_element(side, 0)
                                                                : NULL;
}

// A value that no mesh has lies where the op that defines it runs.
static const pir_attr *mesh_of_definition(const pir_value *value) {
  const pir_op *op = value ? pir_value_op(value) : NULL;
  dist_of_op of;
  return op && dist_of(op, &of) ? of.mesh : NULL;
}

static void complete_op(dist_state *d, pir_op *op) {
  PIR_VEC(const pir_attr *) sides = {0};
  const pir_attr *mesh = NULL, *none = pir_attr_none(d->ctx);
  size_t operands = pir_op_operands(op);
  for (size_t i = 0; i < operands + pir_op_results(op); i++) {
    pir_value *value = i < operands ? pir_op_operand(op, i) : pir_op_result(op, i - operands);
    const pir_attr *side = value ? dist_of_type(d->ctx, pir_value_type(value)) : NULL;
    const pir_attr *lies = mesh_of_side(side);
    if (!side && i < operands)
      lies = mesh_of_definition(value);
    mesh = dist_join(d, mesh, lies);
    pir_vec_push(d->arena, &sides, side ? side : none);
  }
  if (mesh)
    pir_rewriter_set_attr(d->rewriter, op, d->op_dist,
                          dist_op_attr(d->ctx, mesh, sides.items, operands,
                                       sides.items + operands, pir_op_results(op), -1));
  pir_vec_free(d->arena, &sides);
}

pir_status dist_complete(dist_state *d) {
  dist_ops ops = {0};
  dist_all_ops(d, &ops);
  for (size_t i = 0; i < ops.count; i++)
    if (!dist_is_skipped(ops.items[i]) && !pir_op_attr(ops.items[i], d->op_dist))
      complete_op(d, ops.items[i]);
  pir_vec_free(d->arena, &ops);
  return PIR_OK;
}

pir_op *dist_make_op(dist_state *d, pir_op *at, uint32_t id, pir_value *value,
                     const pir_type *type, const pir_attr *mesh, const pir_attr *from,
                     const pir_attr *to) {
  pir_named_attr attr = {d->op_dist, dist_op_attr(d->ctx, mesh, &from, 1, &to, 1, -1)};
  pir_op_spec spec = {.def = pir_context_op(d->ctx, id),
                      .operands = &value,
                      .operand_count = 1,
                      .result_types = &type,
                      .result_count = 1,
                      .attrs = &attr,
                      .attr_count = 1};
  return pir_rewriter_create(d->rewriter, at, &spec);
}

pir_op *dist_make_reshard(dist_state *d, pir_op *at, pir_value *value, const pir_attr *to) {
  const pir_type *from = pir_value_type(value);
  const pir_attr *dist = pir_type_dist_attr(from);
  dist_tensor tensor = dist_tensor_of(to);
  const pir_type *type = dist_type_of(d->ctx, pir_type_inner(from), &tensor);
  const pir_attr *mesh = dist_join(d, pir_attr_element(dist, 0), pir_attr_element(to, 0));
  pir_run_count(d->run, "reshards inserted", 1);
  return dist_make_op(d, at, DIST_RESHARD, value, type, mesh, dist, to);
}

void dist_move_uses(dist_state *d, pir_value *value, pir_value *by) {
  PIR_EACH_USE(use, value)
  if (pir_use_owner(use) != pir_value_op(by))
    pir_rewriter_set_operand(d->rewriter, pir_use_owner(use), pir_use_operand_index(use), by);
}
