// Chooses among the clauses of a result. Conditions are index expressions over attributes
// alone; they are evaluated by recursion over a tree whose depth opsc bounds.
#include <pir/index_nodes.h>

static bool holds(const pir_clause *c, const pir_attr_value *attrs) {
  pir_index_reader r = {.nodes = c->nodes, .text = c->text, .attrs = attrs};
  int64_t value;
  return pir_index_number(&r, c->when, &value) && value;
}

const pir_clause *pir_clause_choose(const pir_clause *clause, uint8_t result,
                                    const pir_attr_value *attrs) {
  for (; clause; clause = clause->next)
    if (clause->result == result && (clause->when < 0 || holds(clause, attrs)))
      return clause;
  return NULL;
}
