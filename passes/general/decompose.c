// Expands composite ops into Paddle's primitive ops by the rules of decompose.drr; every op
// with a rule is expanded once. Ops of an expansion carry the name of the original op
// (comp_op_name) and are not expanded again, except those with the same name as the original: a
// rule may split off one part of an op. One run of the greedy driver, O(ops + ops made).
//
// Options: allow=A|B expands only these ops; deny=A|B expands all others; dynamic=false skips
// ops that read or make a dynamic extent. Names of ops are written with or without their
// dialect.

#include "run.h"
#include <pass_list.h>

typedef struct selection {
  const pir_pass_run *run;
  bool dynamic;
  pir_facts *facts;
  pir_name *comp_op_name;
} selection;

static bool is_static_tensor(const selection *s, const pir_fact *fact) {
  int64_t extent;
  if (!pir_fact_has_rank(fact))
    return false;
  for (int32_t i = 0; i < fact->rank; i++)
    if (!pir_dim_is_const(pir_facts_dims(s->facts), fact->shape[i], &extent))
      return false;
  return true;
}

static bool is_static(const selection *s, const pir_fact *fact) {
  for (size_t i = 0; i < fact->member_count; i++)
    if (!is_static_tensor(s, fact->members[i]))
      return false;
  return fact->members || is_static_tensor(s, fact);
}

static bool is_static_op(const selection *s, const pir_op *op) {
  for (size_t i = 0; i < pir_op_operands(op); i++) {
    const pir_value *value = pir_op_operand(op, i);
    if (value && !is_static(s, pir_facts_of(s->facts, value)))
      return false;
  }
  return true;
}

static bool takes(void *user, const pir_op *op) {
  const selection *s = user;
  const pir_attr *origin = pir_op_attr(op, s->comp_op_name);
  pir_str name = pir_op_name(op);
  if (origin && !pir_str_equal(pir_attr_as_str(origin), name))
    return false;
  if (pir_run_option(s->run, "allow").size && !pir_run_option_lists(s->run, "allow", name))
    return false;
  if (pir_run_option_lists(s->run, "deny", name))
    return false;
  return s->dynamic || is_static_op(s, op);
}

pir_status pir_pass_decompose(pir_pass_run *run) {
  selection s = {.run = run,
                 .facts = pir_run_facts(run),
                 .comp_op_name =
                     pir_name_get(pir_program_context(run->program), PIR_STR("comp_op_name"))};
  if (!s.facts)
    return pir_run_facts_status(run);
  s.dynamic = pir_run_option_bool(run, "dynamic", true);
  return rules_run(run, run_rules(run), &(rules_mode){.takes = takes, .user = &s});
}

pir_status pir_pass_decompose_skipped(pir_pass_run *run) {
  return pir_pass_decompose(run);
}
