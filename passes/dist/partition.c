// apply_partition_pass: where an op wants an operand to lie otherwise than it lies, a
// dist_op.reshard goes in front of the op; where it gives a result that lies otherwise than the
// program says, one goes behind. A tensor that an op writes in place is laid out for it and
// written back, if it is kept between runs or read behind the op.
#include "dist.h"

#include <effects.h>
#include <pir/compiler/dialect/builtin.h>
#include <pir/compiler/dialect/dist.h>
#include <pir/compiler/dialect/pd_op.h>

static size_t dims_of_mesh(const pir_attr *dist) {
  return dist_mesh_of(pir_attr_element(dist, 0)).ndims;
}

static bool wants_other(const pir_value *value, const pir_attr *wanted) {
  const pir_attr *dist = value ? pir_type_dist_attr(pir_value_type(value)) : NULL;
  return dist && pir_attr_kind_of(wanted) == PIR_ATTR_TENSOR_DIST &&
         pir_attr_elements(pir_attr_element(pir_attr_element(wanted, 0), 0)) &&
         !dist_attr_same(dist, wanted);
}

// Returns the value laid out as wanted. The operand of a reshard is laid out
// rather than its result, if neither was overwritten since.
static pir_value *lay_out(dist_state *d, pir_op *at, pir_value *value, const pir_attr *wanted) {
  if (!wants_other(value, wanted))
    return value;
  const pir_op *made = pir_value_op(value);
  if (made && pir_op_is(made, DIST_RESHARD) && dist_holds_still(&d->writes, value, made, at) &&
      dist_holds_still(&d->writes, pir_op_operand(made, 0), made, at)) {
    pir_value *origin = pir_op_operand(made, 0);
    const pir_attr *from = pir_type_dist_attr(pir_value_type(origin));
    if (from && dims_of_mesh(from) == dims_of_mesh(pir_type_dist_attr(pir_value_type(value)))) {
      if (dist_attr_same(from, wanted))
        return origin;
      value = origin;
    }
  }
  return pir_op_result(dist_make_reshard(d, at, value, wanted), 0);
}

// A list gets new members, and is made anew in front of the op.
static pir_status lay_out_list(dist_state *d, pir_op *op, pir_op *list, const pir_attr *wanted,
                               pir_value **out) {
  if (pir_attr_elements(wanted) != pir_op_operands(list))
    return pir_error(op, "op_dist_attr has %zu entries for a list of %zu tensors",
                     pir_attr_elements(wanted), pir_op_operands(list));
  PIR_VEC(pir_value *) members = {0};
  PIR_VEC(const pir_type *) types = {0};
  for (size_t i = 0; i < pir_op_operands(list); i++) {
    pir_value *member = lay_out(d, op, pir_op_operand(list, i), pir_attr_element(wanted, i));
    pir_vec_push(d->arena, &members, member);
    pir_vec_push(d->arena, &types, member ? pir_value_type(member) : NULL);
  }
  const pir_type *type = pir_type_vector(d->ctx, types.items, types.count);
  pir_op_spec spec = {.def = pir_context_op(d->ctx, BUILTIN_COMBINE),
                      .operands = members.items,
                      .operand_count = members.count,
                      .result_types = &type,
                      .result_count = 1};
  *out = pir_op_result(pir_rewriter_create(d->rewriter, op, &spec), 0);
  pir_vec_free(d->arena, &members);
  pir_vec_free(d->arena, &types);
  return PIR_OK;
}

static pir_status lay_out_operand(dist_state *d, pir_op *op, size_t i, const pir_attr *wanted) {
  pir_value *value = pir_op_operand(op, i), *laid = value;
  pir_op *made = value ? pir_value_op(value) : NULL;
  if (!value || pir_attr_kind_of(wanted) == PIR_ATTR_NONE)
    return PIR_OK;
  if (pir_attr_kind_of(wanted) == PIR_ATTR_ARRAY) {
    if (!made || !pir_op_is(made, BUILTIN_COMBINE)) {
      if (dist_attr_same(dist_of_type(d->ctx, pir_value_type(value)), wanted))
        return PIR_OK;
      return pir_error(op, "unsupported: a list that is not made by builtin.combine");
    }
    PIR_TRY(lay_out_list(d, op, made, wanted, &laid));
  } else {
    laid = lay_out(d, op, value, wanted);
  }
  if (laid == value)
    return PIR_OK;
  pir_rewriter_set_operand(d->rewriter, op, i, laid);
  if (made && pir_op_results(made) == 1 && pir_value_unused(value)) {
    dist_writes_forget(&d->writes, made);
    pir_rewriter_erase(d->rewriter, made);
  }
  return PIR_OK;
}

static void set_dist(dist_state *d, pir_value *value, const pir_attr *dist) {
  dist_tensor tensor = dist_tensor_of(dist);
  pir_value_set_type(value,
                     dist_type_of(d->ctx, pir_type_inner(pir_value_type(value)), &tensor));
}

// New ops are made in front of the op behind `op`, or of `op` itself if it is the last one,
// from where they go to the end.
static pir_op *place_of_new(pir_op *op) {
  return pir_op_next(op) ? pir_op_next(op) : op;
}

static pir_op *put_behind(const pir_op *op, const pir_op *at, pir_op *made) {
  if (at == op) {
    pir_block *block = pir_op_block(op);
    pir_op_detach(made);
    pir_block_append(block, made);
  }
  return made;
}

// The result becomes as the op gives it, and its readers read it as it was.
static void lay_out_result(dist_state *d, pir_op *op, size_t i, const pir_attr *given) {
  pir_value *result = pir_op_result(op, i);
  if (!wants_other(result, given))
    return;
  const pir_attr *before = pir_type_dist_attr(pir_value_type(result));
  set_dist(d, result, given);
  pir_op *at = place_of_new(op),
         *reshard = put_behind(op, at, dist_make_reshard(d, at, result, before));
  dist_move_uses(d, result, pir_op_result(reshard, 0));
  pir_rewriter_set_attr(d->rewriter, op,
                        pir_name_get(d->ctx, PIR_STR("replace_all_uses_with_reshard_var")),
                        pir_attr_bool(d->ctx, true));
}

// ---- tensors that are written in place
static bool is_kept_between_runs(const dist_state *d, const pir_value *value) {
  const pir_op *op = pir_value_op(value);
  int64_t flag = 0;
  const pir_attr *flags = op ? pir_op_attr(op, d->persistable) : NULL;
  if (op && pir_op_has(op, PIR_PARAMETER) && !flags)
    return true;
  return flags && pir_attr_int_at(flags, pir_value_index(value), &flag) && flag;
}

// Whether a gradient flows into a value, as far as its op states it.
static bool takes_gradient(const dist_state *d, const pir_value *value) {
  int64_t stops = 1;
  const pir_op *op = pir_value_op(value);
  const pir_attr *flags = op ? pir_op_attr(op, d->stop_gradient) : NULL;
  return flags && pir_attr_int_at(flags, pir_value_index(value), &stops) && !stops;
}

// As Paddle, a value that is overwritten by one that takes a gradient states that it takes it.
static void let_gradient_in(dist_state *d, const pir_value *value) {
  pir_op *op = pir_value_op(value);
  const pir_attr *flags = op ? pir_op_attr(op, d->stop_gradient) : NULL;
  dist_attrs each = {0};
  if (!flags || pir_attr_kind_of(flags) != PIR_ATTR_ARRAY)
    return;
  for (size_t i = 0; i < pir_attr_elements(flags); i++)
    pir_vec_push(d->arena, &each,
                 i == pir_value_index(value) ? pir_attr_bool(d->ctx, false)
                                             : pir_attr_element(flags, i));
  pir_rewriter_set_attr(d->rewriter, op, d->stop_gradient,
                        pir_attr_array(d->ctx, each.items, each.count));
  pir_vec_free(d->arena, &each);
}

// Writes a value over another one, by assign_out_.
static pir_op *write_back(dist_state *d, pir_op *at, pir_value *value, pir_value *over,
                          int64_t chunk) {
  const pir_type *type = pir_value_type(over);
  const pir_attr *dist = pir_type_dist_attr(type), *both[2] = {dist, dist};
  pir_named_attr attr = {
      d->op_dist, dist_op_attr(d->ctx, pir_attr_element(dist, 0), both, 2, &dist, 1, chunk)};
  pir_value *operands[2] = {value, over};
  pir_op_spec spec = {.def = pir_context_op(d->ctx, PD_ASSIGN_OUT_),
                      .operands = operands,
                      .operand_count = 2,
                      .result_types = &type,
                      .result_count = 1,
                      .attrs = &attr,
                      .attr_count = 1};
  if (takes_gradient(d, value))
    let_gradient_in(d, over);
  return pir_rewriter_create(d->rewriter, at, &spec);
}

// Whether an op behind `op`, or one of another turn of a loop around it, reads a value.
static bool is_read_behind(const dist_state *d, const pir_op *op, const pir_value *value) {
  bool around = pir_value_block(value) != pir_op_block(op);
  uint64_t at = dist_position(&d->writes, op);
  PIR_EACH_USE(use, value)
  if (pir_use_owner(use) != op &&
      (around || dist_position(&d->writes, pir_use_owner(use)) > at))
    return true;
  return false;
}

// Whether a name of the memory of `value` that is older than the op is read behind it.
static bool has_readers_behind(const dist_state *d, const pir_op *op, const pir_value *value) {
  const dist_memory *memory = dist_memory_of(&d->writes, value);
  if (!memory)  // a block argument, for one
    return true;
  for (size_t i = 0; i < memory->names.count; i++) {
    const pir_value *name = memory->names.items[i];
    if (pir_value_op(name) != op && is_read_behind(d, op, name))
      return true;
  }
  return pir_value_block(value) != pir_op_block(op);
}

static bool is_written_back(const dist_state *d, const pir_op *op, const pir_value *value) {
  return is_kept_between_runs(d, value) || has_readers_behind(d, op, value);
}

static bool is_as_old_as(const dist_state *d, const pir_op *op, const pir_value *name) {
  const pir_op *made = pir_value_op(name);
  return !made || dist_position(&d->writes, made) < dist_position(&d->writes, op);
}

static bool is_read_after(const dist_state *d, const pir_value *name, uint64_t at) {
  PIR_EACH_USE(use, name)
  if (dist_position(&d->writes, pir_use_owner(use)) > at)
    return true;
  return false;
}

// A tensor that is written back lies in two places from then on. Returns whether a later write
// to one of them concerns readers of the other one.
static bool is_parted_and_written(const dist_state *d, const pir_op *op, const pir_value *value,
                                  const pir_value *written) {
  const dist_memory *memory = dist_memory_of(&d->writes, value);
  uint64_t at = dist_position(&d->writes, op);
  if (!memory)
    return pir_value_is_overwritten(written);
  for (size_t i = 0; i < memory->writes.count; i++) {
    const dist_write *write = &memory->writes.items[i];
    if (write->at <= at)
      continue;
    if (write->made >= at)
      return true;
    for (size_t k = 0; k < memory->names.count; k++)
      if (!is_as_old_as(d, op, memory->names.items[k]) &&
          is_read_after(d, memory->names.items[k], write->at))
        return true;
  }
  return false;
}

static pir_status lay_out_written(dist_state *d, pir_op *op, size_t operand, size_t result,
                                  const dist_of_op *of) {
  pir_value *value = pir_op_operand(op, operand), *written = pir_op_result(op, result);
  const pir_attr *wanted = pir_attr_element(of->operands, operand),
                 *given = pir_attr_element(of->results, result);
  if (!wants_other(value, wanted) || !is_written_back(d, op, value))
    return PIR_OK;
  if (!dist_attr_same(wanted, given))
    return pir_error(op, "result %zu is written over operand %zu, but lies otherwise", result,
                     operand);
  if (!pir_type_dist_attr(pir_value_type(written)))
    return pir_error(op, "result %zu is written over a distributed tensor, but is none",
                     result);
  if (is_parted_and_written(d, op, value, written))
    return pir_error(op, "unsupported: operand %zu lies otherwise, and is overwritten again",
                     operand);
  const pir_attr *before = pir_type_dist_attr(pir_value_type(written)),
                 *home = pir_type_dist_attr(pir_value_type(value));
  pir_rewriter_set_operand(d->rewriter, op, operand,
                           pir_op_result(dist_make_reshard(d, op, value, wanted), 0));
  set_dist(d, written, given);
  pir_op *at = place_of_new(op),
         *back = put_behind(op, at, dist_make_reshard(d, at, written, home)), *as_was = back;
  put_behind(op, at, write_back(d, at, pir_op_result(back, 0), value, of->chunk));
  if (!dist_attr_same(before, given)) {
    if (!dist_attr_same(before, home))
      as_was = put_behind(op, at, dist_make_reshard(d, at, written, before));
    PIR_EACH_USE(use, written)
    if (pir_use_owner(use) != back && pir_use_owner(use) != as_was)
      pir_rewriter_set_operand(d->rewriter, pir_use_owner(use), pir_use_operand_index(use),
                               pir_op_result(as_was, 0));
  }
  return PIR_OK;
}

// The members of a list that is made anew are not written back.
static pir_status check_written_list(dist_state *d, pir_op *op, size_t operand,
                                     const pir_attr *wanted) {
  const pir_op *list = pir_value_op(pir_op_operand(op, operand));
  for (size_t i = 0; list && pir_op_is(list, BUILTIN_COMBINE) && i < pir_op_operands(list); i++)
    if (i < pir_attr_elements(wanted) &&
        wants_other(pir_op_operand(list, i), pir_attr_element(wanted, i)) &&
        is_written_back(d, op, pir_op_operand(list, i)))
      return pir_error(
          op, "unsupported: tensor %zu of a list that is overwritten lies otherwise", i);
  return PIR_OK;
}

static pir_status lay_out_all_written(dist_state *d, pir_op *op, const dist_of_op *of) {
  const pir_opdef *def = pir_op_def(op);
  for (size_t i = 0; i < def->inplace_count && pir_op_has(op, PIR_INPLACE); i++) {
    pir_inplace_pair pair = def->inplace[i];
    if (pair.operand < pir_op_operands(op) && pair.result < pir_op_results(op) &&
        pir_op_operand(op, pair.operand)) {
      const pir_attr *wanted = pir_attr_element(of->operands, pair.operand);
      PIR_TRY(pir_attr_kind_of(wanted) == PIR_ATTR_ARRAY
                  ? check_written_list(d, op, pair.operand, wanted)
                  : lay_out_written(d, op, pair.operand, pair.result, of));
    }
  }
  return PIR_OK;
}

// ---- the pass
static bool reads_distributed(const pir_op *op) {
  for (size_t i = 0; i < pir_op_operands(op); i++)
    if (pir_op_operand(op, i) && pir_type_dist_attr(pir_value_type(pir_op_operand(op, i))))
      return true;
  return false;
}

// An op on parts gives parts; which ones, its op_dist_attr has to say.
static bool gives_undistributed(const pir_op *op) {
  if (pir_op_is(op, DIST_DTENSOR_TO_LOCAL) || pir_op_regions(op) || !reads_distributed(op))
    return false;
  for (size_t i = 0; i < pir_op_results(op); i++)
    if (pir_type_is_tensor(pir_value_type(pir_op_result(op, i))))
      return true;
  return false;
}

static pir_status partition_op(dist_state *d, pir_op *op) {
  dist_of_op of;
  if (dist_is_skipped(op))
    return PIR_OK;
  if (!dist_of(op, &of))
    return reads_distributed(op)
               ? pir_error(op, "reads distributed tensors, but has no op_dist_attr")
               : PIR_OK;
  if (pir_attr_elements(of.operands) != pir_op_operands(op) ||
      pir_attr_elements(of.results) != pir_op_results(op))
    return pir_error(op, "has %zu operands and %zu results, but op_dist_attr is of %zu and %zu",
                     pir_op_operands(op), pir_op_results(op), pir_attr_elements(of.operands),
                     pir_attr_elements(of.results));
  if (gives_undistributed(op))
    return pir_error(op, "reads distributed tensors, but gives one that is not");
  PIR_TRY(lay_out_all_written(d, op, &of));
  for (size_t i = 0; i < pir_op_operands(op); i++)
    PIR_TRY(lay_out_operand(d, op, i, pir_attr_element(of.operands, i)));
  for (size_t i = 0; i < pir_op_results(op); i++)
    lay_out_result(d, op, i, pir_attr_element(of.results, i));
  return PIR_OK;
}

pir_status dist_partition(dist_state *d) {
  dist_ops ops = {0};
  pir_status status = PIR_OK;
  dist_all_ops(d, &ops);
  dist_writes_begin(d, &ops);
  for (size_t i = 0; i < ops.count && !status; i++)
    status = partition_op(d, ops.items[i]);
  dist_writes_end(d);
  pir_vec_free(d->arena, &ops);
  return status;
}

pir_status pir_pass_partition(pir_pass_run *run) {
  return dist_run(run, false, (dist_step *[]){dist_partition}, 1);
}
