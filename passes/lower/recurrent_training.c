// recurrent_training_pass: a recurrent network whose gradient is asked for keeps its gates and
// states in the forward run; the gradient alone would run it forward once more. O(ops).
#include <pir/compiler/dialect/cinn.h>
#include <pir/compiler/dialect/pd_op.h>
#include <pir/compiler/pass.h>
#include <pir/compiler/walk.h>
#include <pir/layer/lower.h>
#include <pass_list.h>

// What both ops read first: x, pre_state, weight_list, sequence_length.
enum { SHARED = PD_RNN_IN_SEQUENCE_LENGTH + 1, MOST_ATTRS = 16 };

static bool reads_same(const pir_op *network, const pir_op *gradient) {
  for (size_t i = 0; i < SHARED; i++)
    if (pir_op_operand(network, i) != pir_op_operand(gradient, i))
      return false;
  for (size_t i = PD_RNN_ATTR_DROPOUT_PROB; i <= PD_RNN_ATTR_IS_TEST; i++)
    if (pir_op_attr_at(network, i) != pir_op_attr_at(gradient, i))
      return false;
  return true;
}

// Returns the network of a gradient, if no other op reads its results for training. Gates of a
// narrower type would be rounded when they are kept.
static pir_op *network_of(pir_facts *facts, const pir_op *gradient) {
  pir_op *network = pir_op_operand_op(gradient, PD_RNN_GRAD_IN_RESERVE);
  const pir_value *x = pir_op_operand(gradient, PD_RNN_GRAD_IN_X);
  pir_dtype dtype = x ? pir_facts_of(facts, x)->dtype : PIR_UNDEFINED;
  if (dtype != PIR_F32 && dtype != PIR_F64)
    return NULL;
  if (!network || !pir_op_is(network, PD_RNN) ||
      pir_op_results(network) <= PD_RNN_OUT_RESERVE || !reads_same(network, gradient))
    return NULL;
  static const size_t results[] = {PD_RNN_OUT_DROPOUT_STATE_OUT, PD_RNN_OUT_RESERVE};
  static const size_t operands[] = {PD_RNN_GRAD_IN_DROPOUT_STATE_OUT, PD_RNN_GRAD_IN_RESERVE};
  for (int i = 0; i < 2; i++) {
    const pir_value *v = pir_op_result(network, results[i]);
    if (pir_op_operand(gradient, operands[i]) != v || !pir_value_single_use(v))
      return NULL;
  }
  return network;
}

// Creates an op in front of `at` with its attributes. The first `types` results have the types
// of its results; another one has none yet. Nor does an optional one that nobody reads, which
// is not computed.
static pir_op *create_like(pir_pass_run *run, pir_op *at, uint32_t id,
                           pir_value *const *operands, size_t operand_count, size_t types,
                           size_t results) {
  pir_context *ctx = pir_program_context(run->program);
  const pir_opdef *def = pir_op_def(at), *made = pir_context_op(ctx, id);
  pir_named_attr attrs[MOST_ATTRS];
  const pir_type *stated[4] = {NULL};
  size_t attr_count = def->attr_count < MOST_ATTRS ? def->attr_count : MOST_ATTRS;
  for (size_t i = 0; i < attr_count; i++)
    attrs[i] = (pir_named_attr){pir_name_get(ctx, pir_str_from(def->attrs[i].name)),
                                pir_op_attr_at(at, i)};
  for (size_t i = 0; i < types; i++)
    if (!(made->results[i].flags & PIR_RESULT_OPTIONAL) ||
        !pir_value_unused(pir_op_result(at, i)))
      stated[i] = pir_value_type(pir_op_result(at, i));
  pir_op_spec spec = {.def = made,
                      .loc = pir_op_loc(at),
                      .operands = operands,
                      .operand_count = operand_count,
                      .result_types = stated,
                      .result_count = results,
                      .attrs = attrs,
                      .attr_count = attr_count};
  return pir_rewriter_create(run->rewriter, at, &spec);
}

static pir_status keep_gates(pir_pass_run *run, pir_facts *facts, pir_op *network,
                             pir_op *gradient) {
  pir_context *ctx = pir_program_context(run->program);
  pir_value *in[SHARED + 3], *results[4];
  for (size_t i = 0; i <= PD_RNN_IN_DROPOUT_STATE_IN; i++)
    in[i] = pir_op_operand(network, i);
  pir_op *keep = create_like(run, network, CINN_RNN_KEEP, in, PD_RNN_IN_DROPOUT_STATE_IN + 1,
                             CINN_RNN_KEEP_OUT_KEPT, CINN_RNN_KEEP_OUT_KEPT + 1);
  PIR_TRY(pir_facts_update(facts, keep));
  pir_value *kept = pir_op_result(keep, CINN_RNN_KEEP_OUT_KEPT);
  pir_value_set_type(kept,
                     pir_fact_type(ctx, pir_facts_dims(facts), pir_facts_of(facts, kept)));
  in[CINN_RNN_KEPT_GRAD_IN_KEPT] = kept;
  in[CINN_RNN_KEPT_GRAD_IN_OUT_GRAD] = pir_op_operand(gradient, PD_RNN_GRAD_IN_OUT_GRAD);
  in[CINN_RNN_KEPT_GRAD_IN_STATE_GRAD] = pir_op_operand(gradient, PD_RNN_GRAD_IN_STATE_GRAD);
  size_t grads = pir_op_results(gradient);
  pir_op *kept_grad = create_like(run, gradient, CINN_RNN_KEPT_GRAD, in,
                                  CINN_RNN_KEPT_GRAD_IN_STATE_GRAD + 1, grads, grads);
  PIR_TRY(pir_facts_update(facts, kept_grad));
  for (size_t i = 0; i < grads; i++)
    results[i] = pir_op_result(kept_grad, i);
  pir_rewriter_replace(run->rewriter, gradient, results);
  for (size_t i = 0; i < pir_op_results(network); i++)
    results[i] = i == PD_RNN_OUT_RESERVE ? NULL : pir_op_result(keep, i);
  pir_rewriter_replace(run->rewriter, network, results);
  return PIR_OK;
}

pir_status pir_pass_recurrent_training(pir_pass_run *run) {
  pir_facts *facts = pir_run_facts(run);
  uint64_t count = 0;
  if (!facts)
    return pir_run_facts_status(run);
  PIR_EACH_OP(op, pir_program_block(run->program)) {
    pir_op *network = pir_op_is(op, PD_RNN_GRAD) ? network_of(facts, op) : NULL;
    if (!network)
      continue;
    PIR_TRY(keep_gates(run, facts, network, op));
    count++;
  }
  pir_run_count(run, "recurrent networks that keep their gates", count);
  return PIR_OK;
}
