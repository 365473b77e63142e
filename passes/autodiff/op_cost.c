// Bytes and operations from facts and clauses. An op whose meaning is a `lower` block or a
// kernel is as costly as a product of its largest tensors, if a step of the block is one or if
// nothing tells.
#include "op_cost.h"

#include <effects.h>
#include <math.h>
#include <pir/compiler/index_nodes.h>
#include <pir/layer/lower.h>

// ---- bytes
static double cost_extent(const pir_dims *dims, pir_dim dim) {
  int64_t known;
  return dim != PIR_DIM_UNKNOWN && pir_dim_is_const(dims, dim, &known) ? (double)known
                                                                       : COST_OPEN_EXTENT;
}

static double fact_elements(const pir_dims *dims, const pir_fact *fact) {
  double n = 1;
  for (int d = 0; d < fact->rank; d++)
    n *= cost_extent(dims, fact->shape[d]);
  return n;
}

static double fact_bytes(const pir_dims *dims, const pir_fact *fact) {
  return pir_fact_has_rank(fact)
             ? fact_elements(dims, fact) * (double)pir_dtype_size(fact->dtype)
             : 0;
}

static double type_bytes(const pir_type *type) {
  if (!type || !pir_type_is_tensor(type))
    return 0;
  pir_shape shape = pir_type_shape(type);
  double n = (double)pir_dtype_size(pir_type_dtype(type));
  for (size_t d = 0; d < shape.rank; d++)
    n *= shape.dims[d] < 0 ? COST_OPEN_EXTENT : (double)shape.dims[d];
  return n;
}

int64_t cost_bytes(const pir_facts *facts, const pir_value *value) {
  const double most = 1e15;
  const pir_dims *dims = pir_facts_dims(facts);
  const pir_fact *fact = pir_facts_of(facts, value);
  const pir_type *type = pir_value_type(value);
  double bytes = 0;
  if (pir_fact_has_rank(fact) && !fact->members)
    bytes = fact_bytes(dims, fact);
  else if (fact->known && fact->members)
    for (size_t i = 0; i < fact->member_count; i++)
      bytes += fact->members[i] ? fact_bytes(dims, fact->members[i]) : 0;
  else if (type && pir_type_kind_of(type) == PIR_TYPE_VECTOR)
    for (size_t i = 0; i < pir_type_elements(type); i++)
      bytes += type_bytes(pir_type_element(type, i));
  else
    bytes = type_bytes(type);
  return (int64_t)(bytes < most ? bytes : most);
}

// ---- operations
typedef struct extents {
  const pir_op *op;
  const pir_facts *facts;
} extents;

static const pir_fact *cost_operand(const extents *x, int k) {
  const pir_value *value = pir_op_optional(x->op, (size_t)k);
  const pir_fact *fact = value ? pir_facts_of(x->facts, value) : NULL;
  return fact && pir_fact_has_rank(fact) ? fact : NULL;
}

static pir_index_step read_extent(pir_index_reader *reader, int node, void *out) {
  const extents *x = reader->user;
  const pir_node *n = &reader->nodes[node];
  int64_t axis, *number = out;
  if (n->op != PIR_I_DIM && n->op != PIR_I_RANK)
    return PIR_INDEX_SHARED;
  const pir_fact *fact = cost_operand(x, n->k);
  if (!fact)
    return PIR_INDEX_FAILED;
  *number = fact->rank;
  if (n->op == PIR_I_RANK)
    return PIR_INDEX_DONE;
  if (!pir_index_number(reader, n->a, &axis))
    return PIR_INDEX_FAILED;
  axis = axis < 0 ? axis + fact->rank : axis;
  if (axis < 0 || axis >= fact->rank)
    return PIR_INDEX_FAILED;
  *number = (int64_t)cost_extent(pir_facts_dims(x->facts), fact->shape[axis]);
  return PIR_INDEX_DONE;
}

static double elements(const pir_facts *facts, const pir_value *value) {
  const pir_fact *fact = value ? pir_facts_of(facts, value) : NULL;
  return fact && pir_fact_has_rank(fact) ? fact_elements(pir_facts_dims(facts), fact) : 0;
}

// Two operations for each element of the result and each point that its sum runs over; 0: the
// extents of the sum are not known.
static double contraction_flops(pir_arena *arena, const pir_facts *facts, const pir_op *op,
                                const pir_clause *clause) {
  extents x = {op, facts};
  const pir_attr_value *attrs = NULL;
  double flops = 2 * elements(facts, pir_op_result(op, clause->result));
  if (pir_op_attr_values(op, pir_arena_take, arena, &attrs))
    return 0;
  pir_index_reader reader = {.nodes = clause->nodes,
                             .text = clause->text,
                             .attrs = attrs,
                             .user = &x,
                             .own = read_extent};
  for (int i = 0; i < clause->var_count; i++) {
    int64_t extent;
    if (!clause->vars[i].reduced)
      continue;
    if (!pir_index_number(&reader, clause->vars[i].extent, &extent))
      return 0;
    flops *= (double)extent;
  }
  return flops;
}

static double largest(const pir_facts *facts, const pir_op *op, bool results, size_t rank) {
  double best[3] = {0};
  size_t count = results ? pir_op_results(op) : pir_op_operands(op);
  for (size_t i = 0; i < count; i++) {
    double n = elements(facts, results ? pir_op_result(op, i) : pir_op_operand(op, i));
    for (size_t k = 0; k < 3; k++)
      if (n > best[k]) {
        double smaller = best[k];
        best[k] = n;
        n = smaller;
      }
  }
  return best[rank];
}

static const pir_clause *contraction_of(const pir_opdef *def) {
  const pir_clause *clause = def->clause;
  while (clause && clause->kind != PIR_CLAUSE_CONTRACT)
    clause = clause->next;
  return clause;
}

// Whether an op without a clause may hide products of matrices.
static bool hides_product(const pir_opdef *def) {
  if (def->clause)
    return false;
  if (!def->lower_count)
    return !(def->traits & (PIR_STRUCTURAL | PIR_CONSTANT));
  for (int b = 0; b < def->lower_count; b++)
    for (int i = 0; i < def->lower[b].step_count; i++) {
      const pir_opdef *step = pir_lower_step_def(&def->lower[b].steps[i]);
      if (step && (contraction_of(step) || (!step->clause && !step->lower_count)))
        return true;
    }
  return false;
}

double cost_flops(pir_arena *arena, const pir_facts *facts, const pir_op *op) {
  const pir_opdef *def = pir_op_meaning(op);
  const pir_clause *clause = contraction_of(def);
  double flops = 0;
  if (clause && clause->result < pir_op_results(op))
    flops = contraction_flops(arena, facts, op, clause);
  double a = largest(facts, op, false, 0), c = largest(facts, op, true, 0);
  if (!flops && (clause || hides_product(def)))
    flops = 2 * sqrt(a * largest(facts, op, false, 1) * c);
  double most = a > c ? a : c;
  return flops > most ? flops : most;
}

// ---- views
bool cost_renames(const pir_op *op) {
  const pir_clause *c = pir_op_meaning(op)->clause;
  if (!c || c->next || c->then >= 0 || c->body < 0 || c->var_count || !pir_op_results(op))
    return false;
  const pir_node *body = &c->nodes[c->body];
  bool moves = c->kind == PIR_CLAUSE_VIEW || c->kind == PIR_CLAUSE_POINTWISE;
  bool in_order =
      body->map_kind == PIR_MAP_ALIGNED ||
      (body->map_kind == PIR_MAP_LINEAR && c->nodes[body->map].op == PIR_I_OUT_LINEAR);
  return moves && body->op == PIR_V_LOAD && body->a < 0 && body->k == 0 && in_order;
}
