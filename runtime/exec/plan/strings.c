// Which ops may have strings. A string is a view of bytes elsewhere, so an op that fills one
// with other bits (a bitcast, unset memory, a parameter of a file) would make a pointer.
// Allowed are ops that name pstring in their declaration, and clauses that move elements of one
// operand and compute nothing.
#include "plan_build.h"

static bool is_string_fact(const pir_fact *fact) {
  return fact && fact->known && fact->dtype == PIR_PSTRING;
}

// Whether a value is a tensor of strings, or a list with one.
static bool is_strings(const plan_builder *b, const pir_value *value) {
  const pir_fact *fact = value ? pir_facts_of(b->facts, value) : NULL;
  for (size_t i = 0; fact && i < fact->member_count; i++)
    if (is_string_fact(fact->members[i]))
      return true;
  return is_string_fact(fact);
}

// Whether a list has members of strings and others.
static bool is_mixed(const plan_builder *b, const pir_value *value) {
  const pir_fact *fact = value ? pir_facts_of(b->facts, value) : NULL;
  for (size_t i = 1; fact && i < fact->member_count; i++)
    if (is_string_fact(fact->members[i]) != is_string_fact(fact->members[0]))
      return true;
  return false;
}

static bool has_strings(const plan_builder *b, const pir_op *op) {
  bool found = false;
  for (size_t i = 0; i < pir_op_operands(op); i++)
    found |= is_strings(b, pir_op_operand(op, i));
  for (size_t i = 0; i < pir_op_results(op); i++)
    found |= is_strings(b, pir_op_result(op, i));
  return found;
}

static bool takes_strings(const pir_operand_def *operand) {
  return operand->dtypes >> PIR_PSTRING & 1;
}

// Whether the declaration names pstring wherever the op has strings.
static bool declares_strings(const plan_builder *b, const pir_op *op, const pir_opdef *def) {
  for (size_t i = 0; i < pir_op_operands(op); i++)
    if (is_strings(b, pir_op_operand(op, i)) &&
        (i >= def->operand_count || !takes_strings(&def->operands[i])))
      return false;
  for (size_t i = 0; i < pir_op_results(op); i++) {
    if (!is_strings(b, pir_op_result(op, i)))
      continue;
    const pir_result_def *result = i < def->result_count ? &def->results[i] : NULL;
    bool same =
        result && result->same_as >= 0 && takes_strings(&def->operands[result->same_as]);
    if (!result || (!same && result->dtype != PIR_PSTRING))
      return false;
  }
  return true;
}

// Whether a clause reads elements of an operand that are strings.
static bool reads_strings(const plan_builder *b, const pir_op *op, const pir_clause *clause) {
  for (int i = 0; i < clause->node_count; i++) {
    const pir_node *node = &clause->nodes[i];
    bool reads = node->op == PIR_V_LOAD || node->op == PIR_V_SCALAR ||
                 node->op == PIR_V_MEMBERS || node->op == PIR_I_LOAD ||
                 node->op == PIR_I_OPERAND_AT || node->op == PIR_I_OPERAND_FIND ||
                 node->op == PIR_I_OPERAND_KEPT;
    if (reads && (size_t)node->k < pir_op_operands(op) &&
        is_strings(b, pir_op_operand(op, (size_t)node->k)))
      return true;
  }
  return false;
}

// Whether every element of the clause's result is an element of one operand, and that operand's
// elements are strings.
static bool moves_strings(const plan_builder *b, const pir_op *op, const pir_clause *clause) {
  bool moves = clause->kind == PIR_CLAUSE_POINTWISE || clause->kind == PIR_CLAUSE_VIEW ||
               clause->kind == PIR_CLAUSE_GATHER || clause->kind == PIR_CLAUSE_JOIN ||
               clause->kind == PIR_CLAUSE_SPLIT;
  if (!moves || clause->body < 0 || clause->then >= 0 || clause->guard >= 0)
    return false;
  const pir_node *body = &clause->nodes[clause->body];
  return body->op == PIR_V_LOAD && body->a < 0 && (size_t)body->k < pir_op_operands(op) &&
         is_strings(b, pir_op_operand(op, (size_t)body->k)) &&
         !is_mixed(b, pir_op_operand(op, (size_t)body->k));
}

static bool only_moves(plan_builder *b, const pir_op *op, const pir_opdef *def) {
  const pir_attr_value *attrs;
  if (!def->clause || pir_op_attr_values(op, pir_arena_take, &b->scratch, &attrs))
    return false;
  for (size_t i = 0; i < pir_op_results(op); i++) {
    const pir_clause *clause = pir_clause_choose(def->clause, (uint8_t)i, attrs);
    bool strings = is_strings(b, pir_op_result(op, i));
    if (!clause || (strings ? !moves_strings(b, op, clause) : reads_strings(b, op, clause)))
      return false;
  }
  return true;
}

pir_status pir_plan_check_strings(plan_builder *b, const pir_op *op) {
  const pir_opdef *def = pir_op_meaning(op);
  if (!has_strings(b, op))
    return PIR_OK;
  if (b->parent || pir_op_regions(op))
    return pir_plan_unsupported(op, "strings in a region: an operand or result");
  if (def->traits & (PIR_INPUT | PIR_OUTPUT | PIR_STRUCTURAL))
    return PIR_OK;
  if (!def->own && (def->kernel ? declares_strings(b, op, def) : only_moves(b, op, def)))
    return PIR_OK;
  return pir_plan_unsupported(op, "strings: an operand or result");
}
