// Counts the arithmetic of an op, independent of how it is computed. Rooflines divide this
// number by the measured time. A contraction counts two operations for each point of its space,
// including taps in the padding. Any other clause counts one operation for each arithmetic node
// and element of its largest tensor. A window counts its combined elements as one.
#include "contract_lower.h"

static pir_dim elements(pir_dims *dims, const pir_fact *fact) {
  pir_dim n = pir_dim_const(dims, 1);
  for (int d = 0; d < fact->rank; d++)
    n = pir_dim_mul(dims, n, fact->shape[d]);
  return n;
}

static pir_dim work_of_contraction(const contraction *c) {
  pir_dim n = pir_dim_const(c->dims, 2);
  for (int i = 0; i < c->var_count; i++)
    n = pir_dim_mul(c->dims, n, c->vars[i].extent);
  return n;
}

static int arithmetic_nodes(const pir_clause *c) {
  int n = c->kind == PIR_CLAUSE_REDUCE;
  for (int i = 0; i < c->node_count; i++)
    n += c->nodes[i].op >= PIR_V_ADD;
  return n;
}

static pir_dim of_op(const pir_op *op, const pir_facts *facts) {
  pir_dims *dims = pir_facts_dims(facts);
  contraction c;
  int a, b;
  if (contract_is_op(op))
    return pir_contract_match_levels(op, facts, &c, &a, &b) ? work_of_contraction(&c)
                                                            : PIR_DIM_UNKNOWN;
  const pir_opdef *def = pir_op_meaning(op);
  if (!def->clause || !pir_op_results(op))
    return pir_dim_const(dims, 0);
  const pir_value *from =
      def->clause->kind == PIR_CLAUSE_REDUCE ? pir_op_operand(op, 0) : pir_op_result(op, 0);
  const pir_fact *fact = pir_facts_of(facts, from);
  if (fact->rank < 0)
    return PIR_DIM_UNKNOWN;
  return pir_dim_mul(dims, elements(dims, fact),
                     pir_dim_const(dims, arithmetic_nodes(def->clause)));
}

pir_dim pir_codegen_work(const pir_op *op, const pir_facts *facts) {
  pir_dims *dims = pir_facts_dims(facts);
  if (pir_op_regions(op) != 1)
    return of_op(op, facts);
  pir_dim sum = pir_dim_const(dims, 0);
  for (const pir_op *inner = pir_block_first(pir_region_first(pir_op_region(op, 0))); inner;
       inner = pir_op_next(inner)) {
    pir_dim one = pir_op_regions(inner) ? PIR_DIM_UNKNOWN : of_op(inner, facts);
    sum = pir_dim_add(dims, sum, one);
  }
  return sum;
}
