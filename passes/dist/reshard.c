// apply_reshard_pass: replaces dist_op.reshard by the ops that move data, for one rank. A
// reshard to another mesh that also changes how the tensor lies is taken as two first, equal
// reshards of one value are one, unless an op overwrites it in between. On a mesh of several
// dimensions one dimension follows the other: split ones that change become whole, from the
// last one of the tensor on; partial ones are combined; then whole ones become partial and are
// cut. What the rank has no part in stays a reshard, which the next step removes.
#include "reshard.h"

#include <effects.h>
#include <hash.h>
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

// ---- overwritten tensors

// Whether no other op than those that read it names or writes the memory of a reshard's result.
static bool is_only_read(const dist_state *d, const pir_value *result) {
  return !pir_value_may_be_overwritten(result) && !dist_memory_of(&d->writes, result);
}

// Returns the position of the last op that reads a value, as far as that is known.
static uint64_t last_read_at(const dist_state *d, const pir_value *value) {
  uint64_t last = 0;
  PIR_EACH_USE(use, value) {
    const pir_op *reader = pir_use_owner(use),
                 *at = pir_block_ancestor(pir_value_block(value), reader);
    if (!at || pir_op_has_any(reader, PIR_TERMINATOR | PIR_CONTROL))
      return DIST_END;
    uint64_t position = dist_position(&d->writes, at);
    last = position > last ? position : last;
  }
  return last;
}

// Whether the first result, which is only read, may stand for both: the second one is only read
// too, or overwritten where nobody reads the first one any more.
static bool may_be_one(const dist_state *d, const pir_value *first, const pir_value *second) {
  if (is_only_read(d, second))
    return true;
  const dist_memory *memory = dist_memory_of(&d->writes, second);
  return memory && memory->writes.count && memory->writes.items[0].at > last_read_at(d, first);
}

// Whether operand and result of a reshard have to be of different memory: one is overwritten
// while the other one is still read.
static bool has_to_copy(const dist_state *d, const pir_op *op) {
  const pir_value *value = pir_op_operand(op, 0), *result = pir_op_result(op, 0);
  uint64_t at = dist_position(&d->writes, op);
  if (is_only_read(d, result))
    return dist_written_between(&d->writes, value, at, last_read_at(d, result));
  return pir_value_block(value) != pir_op_block(op) || dist_memory_of(&d->writes, value) ||
         last_read_at(d, value) > at || dist_written_between(&d->writes, value, at, DIST_END);
}

// ---- equal reshards

// The first reshard of each value, block and distribution since the value was overwritten, if
// its result is only read.
typedef struct first_reshards {
  dist_state *d;
  pir_set set;
} first_reshards;

static bool is_same_reshard(const void *item, const void *key) {
  const pir_op *a = item, *b = key;
  return pir_op_operand(a, 0) == pir_op_operand(b, 0) && pir_op_block(a) == pir_op_block(b) &&
         same_dist_type(pir_op_result(a, 0), pir_op_result(b, 0));
}

static uint64_t reshard_hash(const pir_op *op) {
  dist_tensor to = dist_tensor_of(pir_type_dist_attr(pir_value_type(pir_op_result(op, 0))));
  uint64_t hash = pir_hash_join((uintptr_t)pir_op_operand(op, 0), (uintptr_t)pir_op_block(op));
  for (size_t i = 0; i < to.rank; i++)
    hash = pir_hash_join(hash, (uint64_t)to.mapping[i]);
  for (size_t i = 0; i < to.mesh.ndims; i++)
    hash = pir_hash_join(hash, (uint64_t)to.partial[i]);
  for (size_t i = 0; i < to.mesh.count; i++)
    hash = pir_hash_join(hash, (uint64_t)to.mesh.ids[i]);
  return hash;
}

// Returns a value that may stand for the result of the reshard: an earlier result, or the
// operand; else NULL.
static pir_value *same_as_before(first_reshards *first, pir_op *op) {
  dist_state *d = first->d;
  pir_value *value = pir_op_operand(op, 0), *result = pir_op_result(op, 0);
  if (same_dist_type(value, result))
    return has_to_copy(d, op) ? NULL : value;
  uint64_t hash = reshard_hash(op);
  pir_op *before = pir_set_find(&first->set, hash, is_same_reshard, op);
  pir_value *found = before ? pir_op_result(before, 0) : NULL;
  bool only_read = is_only_read(d, result);
  bool same =
      found && dist_holds_still(&d->writes, value, before, op) && may_be_one(d, found, result);
  if (before && (!same || !only_read))
    pir_set_remove(&first->set, hash, before);
  if (!same && only_read)
    pir_set_add(d->arena, &first->set, hash, op);
  return same ? found : NULL;
}

static void fold_reshards(dist_state *d, const dist_ops *ops) {
  first_reshards first = {.d = d};
  for (size_t i = 0; i < ops->count; i++) {
    pir_op *op = ops->items[i];
    pir_value *same = is_reshard(op) ? same_as_before(&first, op) : NULL;
    if (!same)
      continue;
    pir_run_count(d->run, "reshards merged", 1);
    dist_writes_forget(&d->writes, op);
    pir_rewriter_replace(d->rewriter, op, &same);
    ops->items[i] = pir_program_module(d->run->program);
  }
  pir_set_free(d->arena, &first.set);
}

// ---- the pass
static int64_t chunk_of(const pir_value *value) {
  dist_of_op of;
  const pir_op *op = pir_value_op(value);
  return op && dist_of(op, &of) ? of.chunk : -1;
}

// Whether the steps of a reshard left its operand as it is: second names, and collective ops
// of one process, which dist2dense removes.
static bool is_operand_itself(const reshard *r) {
  const pir_value *at = r->value, *value = pir_op_operand(r->op, 0);
  while (at != value) {
    const pir_op *op = pir_value_op(at);
    dist_of_op of;
    if (!op || !pir_op_operands(op) || !dist_of(op, &of) || pir_op_is(op, DIST_RESHARD))
      return false;
    bool one = pir_attr_elements(pir_attr_element(of.mesh, 1)) == 1;
    if (!pir_op_is(op, PD_SHARE_DATA_) && !one)
      return false;
    at = pir_op_operand(op, 0);
  }
  return true;
}

static void copy_value(reshard *r) {
  const pir_type *type = pir_value_type(r->value);
  const pir_attr *dist = pir_type_dist_attr(type);
  made_op m = {.id = PD_ASSIGN,
               .operands = {r->value},
               .operand_count = 1,
               .type = type,
               .mesh = pir_attr_element(dist, 0),
               .wanted = {dist},
               .wanted_count = 1,
               .given = dist};
  reshard_make(r, &m);
}

static pir_status replace_reshard(dist_state *d, pir_op *op) {
  pir_value *value = pir_op_operand(op, 0), *result = pir_op_result(op, 0);
  dist_tensor to = dist_tensor_of(pir_type_dist_attr(pir_value_type(result)));
  reshard r = {.d = d,
               .op = op,
               .value = value,
               .now = dist_tensor_of(pir_type_dist_attr(pir_value_type(value))),
               .chunk = chunk_of(value)};
  bool copy = has_to_copy(d, op), same_mesh = dist_mesh_same(&r.now.mesh, &to.mesh);
  PIR_TRY(same_mesh ? reshard_on_mesh(&r, &to) : reshard_move(&r, &to));
  pir_run_count(d->run, "reshards replaced", 1);
  if (copy && is_operand_itself(&r))
    copy_value(&r);
  if (r.value != result) {
    dist_writes_forget(&d->writes, op);
    pir_rewriter_replace(d->rewriter, op, &r.value);
  }
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
  dist_writes_begin(d, &ops);
  if (!status)
    fold_reshards(d, &ops);
  for (size_t i = 0; i < ops.count && !status; i++)
    if (is_reshard(ops.items[i]))
      status = replace_reshard(d, ops.items[i]);
  dist_writes_end(d);
  pir_vec_free(d->arena, &ops);
  return status;
}

pir_status pir_pass_reshard(pir_pass_run *run) {
  return dist_run(run, true, (dist_step *[]){dist_reshard_all, dist_write_rings}, 2);
}
