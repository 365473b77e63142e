// The phases of a row: which values each of them needs, and which are kept in scratch for a
// later one.
#include "nest.h"
#include "machine.h"

static bool is_reduction(const nest *n, const pir_op *op) {
  for (int i = 0; i < n->reduction_count; i++)
    if (n->reductions[i] == op)
      return true;
  return false;
}

int nest_level_of(nest *n, const pir_value *value) {
  if (!is_inside(n, value))
    return 0;
  lower_value *v = lower_add(n->l, value);
  if (v->level >= 0)
    return v->level;
  const pir_op *op = pir_value_op(value);
  int most = 0;
  v->level = 0;
  for (size_t i = 0; i < pir_op_operands(op); i++) {
    const pir_value *operand = pir_op_operand(op, i);
    int one = operand ? nest_level_of(n, operand) : 0;
    if (one > most)
      most = one;
  }
  v->level = (int8_t)(most + is_reduction(n, op));
  return v->level;
}

bool nest_is_full(const nest *n, const pir_value *value) {
  const pir_fact *f = lower_fact(n->l, value);
  if (!f->known || f->rank != n->rank)
    return false;
  for (int d = 0; d < n->rank; d++)
    if (canonical(n, f->shape[d]) != canonical(n, n->extent[d]))
      return false;
  return true;
}

static int op_cost(const pir_machine *machine, const pir_op *op) {
  const pir_opdef *def = pir_op_meaning(op);
  int cost = 1;
  for (const pir_clause *c = def->clause; c; c = c->next)
    for (int i = 0; i < c->node_count; i++) {
      uint8_t o = c->nodes[i].op;
      if ((o >= PIR_V_SQRT && o <= PIR_V_DIGAMMA) || o == PIR_V_DIV || o == PIR_V_POW ||
          o == PIR_V_FLOORMOD)
        cost += machine->core.function_cost;
    }
  return cost;
}

// Returns the cost of computing the element again; stops counting at the machine's keep_cost.
static int cost_of(nest *n, const pir_value *value) {
  const lower_value *v = lower_find(n->l, value);
  if (!nest_is_full(n, value))
    return 0;
  if (!is_inside(n, value) || (v && v->saved))
    return 1;
  const pir_op *op = pir_value_op(value);
  const pir_machine *machine = n->l->target->machine;
  int cost = op_cost(machine, op);
  for (size_t i = 0; i < pir_op_operands(op) && cost < machine->nest.keep_cost; i++)
    if (pir_op_operand(op, i))
      cost += cost_of(n, pir_op_operand(op, i));
  return cost;
}

// Notes that phase p needs the value and its operands.
static void want(nest *n, const pir_value *value, int phase, bool may_save) {
  if (!is_inside(n, value))
    return;
  const pir_op *op = pir_value_op(value);
  if (nest_is_full(n, value) && !pir_op_has(op, PIR_CONSTANT)) {
    lower_value *v = lower_add(n->l, value);
    if (v->first == phase)
      return;
    int keep_cost = n->l->target->machine->nest.keep_cost;
    if (v->first >= 0 && may_save && cost_of(n, value) >= keep_cost)
      v->saved = true;
    if (v->saved)
      return;
    if (v->first < 0)
      v->first = (int8_t)phase;
  } else if (is_reduction(n, op)) {
    return;
  }
  for (size_t i = 0; i < pir_op_operands(op); i++)
    if (pir_op_operand(op, i))
      want(n, pir_op_operand(op, i), phase, may_save);
}

int nest_plan_phases(nest *n, bool may_save) {
  int last = 0;
  for (int i = 0; i < n->reduction_count; i++) {
    int p = nest_level_of(n, pir_op_result(n->reductions[i], 0));
    if (p > last)
      last = p;
  }
  for (int i = 0; i < n->output_count; i++) {
    int p = nest_level_of(n, n->outputs[i]);
    if (p > last)
      last = p;
  }
  for (int p = 0; p <= last; p++) {
    for (int i = 0; i < n->reduction_count; i++) {
      const pir_op *op = n->reductions[i];
      if (nest_level_of(n, pir_op_result(op, 0)) - 1 != p)
        continue;
      for (size_t k = 0; k < pir_op_operands(op); k++)
        if (pir_op_operand(op, k))
          want(n, pir_op_operand(op, k), p, may_save);
    }
    for (int i = 0; i < n->output_count; i++)
      if (nest_level_of(n, n->outputs[i]) == p && nest_is_full(n, n->outputs[i]))
        want(n, n->outputs[i], p, may_save);
  }
  return last;
}
