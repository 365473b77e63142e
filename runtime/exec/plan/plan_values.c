// Evaluates what a plan states in terms of the extents of a run, without the program.
#include "frame.h"

bool pir_plan_combine(uint8_t kind, int64_t x, int64_t y, int64_t *out) {
  switch (kind) {
    case PIR_DIM_ADD: return !__builtin_add_overflow(x, y, out);
    case PIR_DIM_MUL: return !__builtin_mul_overflow(x, y, out);
    case PIR_DIM_MIN: *out = x < y ? x : y; return true;
    case PIR_DIM_MAX: *out = x > y ? x : y; return true;
    case PIR_DIM_BROADCAST: *out = y == 1 ? x : y; return x == y || x == 1 || y == 1;
    default: break;
  }
  if (y == 0 || (x == INT64_MIN && y == -1))
    return false;
  int64_t quotient = x / y, rest = x % y;
  if (kind == PIR_DIM_CEILDIV)
    *out = quotient + (rest != 0 && (rest < 0) == (y < 0));
  else if (kind == PIR_DIM_FLOORDIV)
    *out = quotient - (rest != 0 && (rest < 0) != (y < 0));
  else
    *out = rest != 0 && (rest < 0) != (y < 0) ? rest + y : rest;
  return true;
}

bool pir_plan_evaluate(const plan *p, uint32_t i, int64_t *values) {
  const plan_expr *e = &p->exprs[i];
  if (e->kind == PIR_DIM_SYMBOL)
    return true;
  if (e->kind == PIR_DIM_CONST) {
    values[i] = e->value;
    return true;
  }
  return pir_plan_combine(e->kind, values[e->a], values[e->b], &values[i]);
}

const plan_origin *pir_plan_origin(const plan *p, uint32_t expr) {
  static const plan_origin unknown = {"the program", "", 0, 0};
  const plan_origin *found = &unknown;
  for (uint32_t i = 0; i < p->origin_count && p->origins[i].first <= expr; i++)
    found = &p->origins[i];
  return found;
}

pir_status pir_plan_fail(const plan *p, uint32_t i, const int64_t *values,
                         pir_message *message) {
  const plan_expr *e = &p->exprs[i];
  const char *how = "are too large together";
  if (e->kind == PIR_DIM_BROADCAST)
    how = "do not fit together";
  else if (e->kind == PIR_DIM_CEILDIV || e->kind == PIR_DIM_FLOORDIV || e->kind == PIR_DIM_MOD)
    how = "cannot be divided";
  pir_status status = pir_exec_fail(message, PIR_INVALID, "\"%s\": extents %lld and %lld %s",
                                    pir_plan_origin(p, i)->op, (long long)values[e->a],
                                    (long long)values[e->b], how);
  pir_exec_add_place(message, pir_plan_origin(p, i)->place);
  return status;
}

int pir_plan_renamed_operand(const pir_clause *clause) {
  if (!clause || clause->next || clause->guard >= 0 || clause->trap >= 0 || clause->then >= 0)
    return -1;
  if (clause->kind != PIR_CLAUSE_VIEW && clause->kind != PIR_CLAUSE_POINTWISE)
    return -1;
  const pir_node *body = &clause->nodes[clause->body];
  if (body->op != PIR_V_LOAD || body->a >= 0 || clause->var_count)
    return -1;
  bool linear =
      body->map_kind == PIR_MAP_LINEAR && clause->nodes[body->map].op == PIR_I_OUT_LINEAR;
  return linear || body->map_kind == PIR_MAP_ALIGNED ? body->k : -1;
}
