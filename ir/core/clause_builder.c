// Chooses among the clauses of a result. Conditions are index expressions over attributes
// alone; they are evaluated by recursion over a tree whose depth opsc bounds.
#include <pir/clause.h>

#include <string.h>

static int64_t evaluate(const pir_clause *c, int16_t at, const pir_attr_value *attrs) {
  const pir_node *n = &c->nodes[at];
  switch ((pir_node_op)n->op) {
    case PIR_I_CONST: return n->i;
    case PIR_I_ATTR:
    case PIR_I_ATTR_DTYPE: return attrs[n->k].i;
    case PIR_I_ATTR_COUNT: return (int64_t)attrs[n->k].count;
    case PIR_I_ATTR_IS: return pir_node_attr_is(n, attrs, c->text);
    case PIR_I_NOT: return !evaluate(c, n->a, attrs);
    case PIR_I_AND: return evaluate(c, n->a, attrs) && evaluate(c, n->b, attrs);
    case PIR_I_OR: return evaluate(c, n->a, attrs) || evaluate(c, n->b, attrs);
    case PIR_I_EQ: return evaluate(c, n->a, attrs) == evaluate(c, n->b, attrs);
    case PIR_I_NE: return evaluate(c, n->a, attrs) != evaluate(c, n->b, attrs);
    case PIR_I_LT: return evaluate(c, n->a, attrs) < evaluate(c, n->b, attrs);
    case PIR_I_LE: return evaluate(c, n->a, attrs) <= evaluate(c, n->b, attrs);
    default: return 0;  // opsc refuses everything else in a condition
  }
}

const pir_clause *pir_clause_choose(const pir_clause *clause, uint8_t result,
                                    const pir_attr_value *attrs) {
  for (; clause; clause = clause->next)
    if (clause->result == result && (clause->when < 0 || evaluate(clause, clause->when, attrs)))
      return clause;
  return NULL;
}
