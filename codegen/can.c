// Whether the generator can compile an op: by lowering it alone, at a symbolic point, into a module that is
// thrown away. What lowering accepts here it accepts in a group.
#include "contract.h"
#include "lower.h"

static void symbolic_index(lowering *l, const pir_fact *fact, loop_expr **out) {
  for (int d = 0; d < fact->rank; d++) {
    loop_var *v = pir_loop_var_create(l->fn, "i", PIR_I64, 1);
    v->extent = lower_dim(l, fact->shape[d]);
    out[d] = pir_loop_use(l->m, v);
  }
}

static bool has_shape(const pir_fact *f) {
  if (!f->known || f->rank < 0 || f->rank > PIR_MAX_RANK || !pir_dtype_size(f->dtype)) return false;
  for (int d = 0; d < f->rank; d++)
    if (f->shape[d] == PIR_DIM_UNKNOWN) return false;
  return true;
}

// Operands are taken as buffers; members of lists too.
static void take_operand(lowering *l, const pir_value *v) {
  const pir_op *op = pir_value_op(v);
  if (pir_type_kind_of(pir_value_type(v)) == PIR_TYPE_VECTOR) {
    for (size_t i = 0; op && pir_op_has(op, PIR_STRUCTURAL) && i < pir_op_operands(op); i++)
      if (pir_op_operand(op, i)) take_operand(l, pir_op_operand(op, i));
    return;
  }
  if (op && pir_op_has(op, PIR_CONSTANT)) return;
  lower_value *entry = lower_add(l, v);
  entry->slot = (int32_t)l->values.count;
  entry->readable = true;
}

bool lower_can(lowering *l, const pir_op *op) {
  loop_expr *index[PIR_MAX_RANK];
  lower_start(l, "probe", 0);
  for (size_t i = 0; i < pir_op_operands(op); i++)
    if (pir_op_operand(op, i)) take_operand(l, pir_op_operand(op, i));
  for (size_t i = 0; i < pir_op_results(op) && !l->why; i++) {
    const pir_value *result = pir_op_result(op, i);
    if (!pir_value_type(result) || (i && pir_value_unused(result))) continue;
    const pir_fact *fact = lower_fact(l, result);
    if (!has_shape(fact)) return false;
    symbolic_index(l, fact, index);
    lower_element(l, result, index);
  }
  return !l->why;
}

static bool can_contract(const pir_op *op, const pir_facts *facts) {
  contraction c;
  int a, b;
  return pir_contract_match(op, facts, &c, &a, &b) && pir_contract_can(&c);
}

bool pir_codegen_can(const pir_op *op, const pir_facts *facts) {
  const pir_opdef *def = pir_op_meaning(op);
  if (!def || !def->clause || pir_op_regions(op) || !pir_op_results(op) ||
      (def->traits & (PIR_RANDOM | PIR_PARAMETER | PIR_INPUT | PIR_OUTPUT)))
    return false;
  if (def->clause->kind == PIR_CLAUSE_CONTRACT) return can_contract(op, facts);
  loop_module *m = pir_loop_module_create();
  lowering l;
  if (!m) return false;
  lower_init(&l, m, NULL, facts, NULL);
  bool can = lower_can(&l, op);
  pir_loop_module_destroy(m);
  return can;
}
