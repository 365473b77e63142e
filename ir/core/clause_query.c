// Queries about whole clauses: which one defines a result, where the conditions are index
// expressions over attributes alone, and which ones are sums of products.
#include <pir/compiler/index_nodes.h>

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

bool pir_clause_sums_products(const pir_clause *c) {
  bool then = c->then < 0 || c->nodes[c->then].op == PIR_V_ACC;
  return c->combine == PIR_COMBINE_ADD && c->init < 0 && then && c->trap < 0 && c->body >= 0 &&
         c->nodes[c->body].op == PIR_V_MUL;
}

const pir_node *pir_clause_factor(const pir_clause *c, int node) {
  const pir_node *n = &c->nodes[node];
  while (n->op == PIR_V_CAST && n->k == PIR_CAST_COMPUTE)
    n = &c->nodes[n->a];
  const pir_node *fill = n->a < 0 ? NULL : &c->nodes[n->a];
  bool zero = !fill || (fill->op == PIR_V_CONST && fill->f == 0);
  return n->op == PIR_V_LOAD && zero ? n : NULL;
}
