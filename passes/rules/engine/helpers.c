// Helpers of rules: queries that the rule language cannot express.

#include "helpers.h"

#include "front.h"

#include <pir/compiler/dialect/onednn.h>

// Returns the fact of an argument; NULL if it is no value, or its rank is unknown.
static const pir_fact *ranked_argument(const pir_rule_call *call, size_t i) {
  const pir_fact *fact = pir_facts_of(call->facts, call->args[i].value);
  return pir_fact_has_rank(fact) ? fact : NULL;
}

// Whether a tensor has one element, whatever its rank.
pir_rule_value pir_helper_one_element(const pir_rule_call *call) {
  const pir_fact *fact = ranked_argument(call, 0);
  if (!fact)
    return (pir_rule_value){.kind = PIR_RULE_UNKNOWN};
  bool known = true;
  for (int32_t i = 0; i < fact->rank; i++) {
    int64_t extent;
    if (!pir_dim_is_const(pir_facts_dims(call->facts), fact->shape[i], &extent))
      known = false;
    else if (extent != 1)
      return rule_bool(false);
  }
  return known ? rule_bool(true) : (pir_rule_value){.kind = PIR_RULE_UNKNOWN};
}

// Whether two shapes may be equal: extents that only the run shows can be, but where one alone
// is known the other is broadcast to it, or it to the other.
pir_rule_value pir_helper_may_be_alike(const pir_rule_call *call) {
  const pir_fact *x = ranked_argument(call, 0), *y = ranked_argument(call, 1);
  const pir_dims *dims = pir_facts_dims(call->facts);
  if (!x || !y)
    return (pir_rule_value){.kind = PIR_RULE_UNKNOWN};
  for (int32_t i = 0; i < x->rank && x->rank == y->rank; i++) {
    int64_t a = -1, b = -1;
    (void)pir_dim_is_const(dims, x->shape[i], &a);
    (void)pir_dim_is_const(dims, y->shape[i], &b);
    if (a != b)
      return rule_bool(false);
  }
  return rule_bool(x->rank == y->rank);
}

// Returns an option of the pass, or its default. Reading the rule saw that its name is a text.
pir_rule_value pir_helper_option(const pir_rule_call *call) {
  return call->option(call->user, call->args[0].text, &call->args[1]);
}

// Whether every reader of a value accepts any layout, or can be told the layout, so that
// changing it blocks no reader.
pir_rule_value pir_helper_readers_follow(const pir_rule_call *call) {
  const pir_value *value = call->args[0].value;
  if (!value)
    return rule_bool(false);
  PIR_EACH_USE(use, value) {
    const pir_op *reader = pir_use_owner(use);
    const pir_opdef *def = pir_op_def(reader);
    bool pointwise = def->clause && def->clause->kind == PIR_CLAUSE_POINTWISE;
    bool told =
        pir_opdef_attr(def, PIR_STR("data_format")) >= 0 && pir_use_operand_index(use) == 0;
    bool turned = pir_opdef_attr(def, PIR_STR("perm")) >= 0;
    if (!pointwise && !told && !turned && !pir_op_has(reader, PIR_STRUCTURAL))
      return rule_bool(false);
  }
  return rule_bool(true);
}

// Whether a reader of the value converts it to bf16.
pir_rule_value pir_helper_is_halved(const pir_rule_call *call) {
  const pir_value *value = call->args[0].value;
  if (!value)
    return rule_bool(false);
  PIR_EACH_USE(use, value)
  if (pir_op_is(pir_use_owner(use), ONEDNN_QUANTIZE))
    return rule_bool(true);
  return rule_bool(false);
}

const pir_rule_helper pir_rule_helpers[] = {
#define HELPER(name, args) {#name, args, pir_helper_##name},
    PIR_RULE_HELPERS(HELPER)
#undef HELPER
};
const size_t pir_rule_helper_count = sizeof pir_rule_helpers / sizeof *pir_rule_helpers;
