// What a program has to be, and where its parameters may be cut.
#include "shard.h"

#include <pir/compiler/dialect/builtin.h>
#include <pir/compiler/dialect/dist.h>
#include <pir/compiler/dialect/pd_op.h>
#include <pir/compiler/walk.h>

// ---- checks
static bool is_distributed(const shard_state *s, const pir_op *op) {
  if (pir_op_attr(op, s->op_dist) || pir_op_attr_str(op, "ring_id") ||
      pir_op_def(op)->id >> 16 == DIST_SHARD_TENSOR >> 16)
    return true;
  for (size_t i = 0; i < pir_op_results(op); i++) {
    const pir_type *type = pir_value_type(pir_op_result(op, i));
    if (type && dist_of_type(s->ctx, type))
      return true;
  }
  return false;
}

bool shard_is_parameter(const pir_value *value) {
  return value && pir_value_op(value) && pir_op_has(pir_value_op(value), PIR_PARAMETER);
}

// Whether the op normalises by given statistics: then it writes them back as they are, as every
// rank may.
static bool keeps_statistics(const pir_op *op) {
  if (!pir_op_is(op, PD_BATCH_NORM_))
    return false;
  return pir_op_bool(op, PD_BATCH_NORM_ATTR_USE_GLOBAL_STATS) ||
         (pir_op_bool(op, PD_BATCH_NORM_ATTR_IS_TEST) &&
          !pir_op_bool(op, PD_BATCH_NORM_ATTR_TRAINABLE_STATISTICS));
}

// Whether an op writes into a parameter: the program trains.
static bool writes_parameter(const pir_op *op) {
  const pir_opdef *def = pir_op_def(op);
  if (keeps_statistics(op))
    return false;
  for (size_t i = 0; i < def->inplace_count && pir_op_has(op, PIR_INPLACE); i++)
    if (def->inplace[i].operand < pir_op_operands(op) &&
        shard_is_parameter(pir_op_operand(op, def->inplace[i].operand)))
      return true;
  return pir_op_is(op, BUILTIN_SET_PARAMETER);
}

static pir_status check_shardable(const shard_state *s, const pir_op *op) {
  if (is_distributed(s, op))
    return pir_error(op, "the program is distributed already, which shard begins with");
  if (pir_op_attr(op, s->whole_shape))
    return pir_error(op, "the parameter is a part already, and shard cuts whole ones");
  if (writes_parameter(op))
    return pir_report_op(op, PIR_UNSUPPORTED, PIR_ERROR,
                         "unsupported: \"%.*s\" writes a parameter; shard takes programs of "
                         "inference",
                         (int)pir_op_name(op).size, pir_op_name(op).data);
  return PIR_OK;
}

// ---- cuts
// How a reader could take the parameter cut; returns false if it could not.
static bool cut_by(const pir_op *reader, size_t operand, shard_cut *out) {
  if (pir_op_is(reader, PD_MATMUL) && operand == PD_MATMUL_IN_Y) {
    out->dim = pir_op_bool(reader, PD_MATMUL_ATTR_TRANSPOSE_Y) ? 0 : 1;
    return true;
  }
  *out = (shard_cut){.dim = 0, .only_table = true};
  return pir_op_is(reader, PD_EMBEDDING) && operand == PD_EMBEDDING_IN_WEIGHT &&
         pir_op_int(reader, PD_EMBEDDING_ATTR_PADDING_IDX) < 0;
}

// All readers have to agree.
static void find_cut(shard_state *s, pir_op *param) {
  shard_cut cut = {.param = param, .open = true, .only_table = true, .group = s->cuts.count};
  pir_shape shape = pir_type_shape(pir_value_type(pir_op_result(param, 0)));
  if (shape.rank != 2)
    return;
  PIR_EACH_USE(use, pir_op_result(param, 0)) {
    shard_cut other = {0};
    pir_op *reader = pir_use_owner(use);
    if (!cut_by(reader, pir_use_operand_index(use), &other) ||
        (cut.reader && other.dim != cut.dim))
      return;
    cut.dim = other.dim;
    cut.only_table &= other.only_table;
    cut.reader = reader;
  }
  // An embedding of a part of the rows is defined for floating-point tables alone.
  if (cut.only_table && cut.dim == 0 &&
      !pir_dtype_is_float(pir_type_dtype(pir_value_type(pir_op_result(param, 0)))))
    return;
  // Rows that do not divide: columns may, if the parameter is a table alone.
  int64_t ranks = s->extents[s->model];
  if (cut.only_table && shape.dims[0] % ranks && shape.dims[1] % ranks == 0)
    cut.dim = 1;
  if (!cut.reader || shape.dims[cut.dim] < ranks)
    return;
  pir_map_put(s->arena, &s->cut_of, param, s->cuts.count + 1);
  pir_vec_push(s->arena, &s->cuts, cut);
}

typedef struct cut_search {
  shard_state *s;
  pir_map names;    // of parameters
  pir_op *product;  // the first one
  pir_status status;
} cut_search;

// Ops of one name would be cut by what each of their readers asks for, but share one value.
static pir_status check_shared_name(cut_search *search, const pir_op *op) {
  const pir_attr *name =
      pir_op_has(op, PIR_PARAMETER) ? pir_op_attr_str(op, "parameter_name") : NULL;
  if (!name)
    return PIR_OK;
  if (pir_map_find(&search->names, name))
    return pir_report_op(op, PIR_UNSUPPORTED, PIR_ERROR,
                         "unsupported: two ops have the parameter of one name");
  pir_map_put(search->s->arena, &search->names, name, 1);
  return PIR_OK;
}

static pir_walk_result search_op(pir_op *op, void *user) {
  cut_search *search = user;
  search->status = check_shardable(search->s, op);
  if (!search->status)
    search->status = check_shared_name(search, op);
  if (search->status)
    return PIR_WALK_STOP;
  if (!search->product && pir_op_is(op, PD_MATMUL) && shard_is_parameter(pir_op_operand(op, 1)))
    search->product = op;
  if (search->s->model >= 0 && pir_op_has(op, PIR_PARAMETER) && pir_op_results(op) == 1 &&
      pir_type_is_tensor(pir_value_type(pir_op_result(op, 0))))
    find_cut(search->s, op);
  return PIR_WALK_CONTINUE;
}

pir_status shard_find_cuts(shard_state *s) {
  cut_search search = {.s = s};
  pir_walk(pir_program_module(s->run->program), PIR_PRE_ORDER, search_op, &search);
  pir_map_free(s->arena, &search.names);
  if (search.status || s->model < 0 || s->cuts.count)
    return search.status;
  if (!search.product)
    return pir_report(s->ctx, PIR_INVALID, PIR_ERROR, PIR_LOC_UNKNOWN,
                      "nothing to shard: the program has no product with a parameter");
  pir_shape shape = pir_type_shape(pir_value_type(pir_op_operand(search.product, 1)));
  return pir_error(search.product,
                   "nothing to shard: no weight has a column for each of the %lld ranks of "
                   "axis model; this one is %lldx%lld",
                   (long long)s->extents[s->model],
                   (long long)(shape.rank > 1 ? shape.dims[shape.rank - 2] : 1),
                   (long long)(shape.rank ? shape.dims[shape.rank - 1] : 1));
}
