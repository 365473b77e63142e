// Which clusters are computed together with a contraction.
#include "contract_lower.h"
#include "group.h"

#include <pir/compiler/dialect/pd_op.h>
#include <pir/compiler/op.h>

#include <string.h>

static bool feeds(const grouping *g, const op_cluster *from, const op_cluster *c) {
  for (uint32_t i = c->head; i != GROUP_NONE; i = g->nodes[i].next) {
    const pir_op *op = g->nodes[i].op, *casts[2];
    pir_dtype rounded;
    for (size_t k = 0; contract_is_op(op) && k < pir_op_operands(op); k++) {
      const pir_value *source = pir_op_operand(op, k);
      if (source)
        contract_trace_operand(g->facts, source, casts, &source, &rounded);
      const node *p = group_producer(g, source);
      if (p && p->cluster != GROUP_NONE && &g->clusters[p->cluster] == from)
        return true;
    }
  }
  return false;
}

// Whether the cluster's contraction leaves its sums one by one, far apart. Contractions with
// constant weights choose the memory order of their sums.
static bool scatters(const grouping *g, const op_cluster *c) {
  for (uint32_t i = c->head; i != GROUP_NONE; i = g->nodes[i].next) {
    const pir_op *op = g->nodes[i].op;
    contraction form;
    int a, b;
    if (!contract_is_op(op) || !pir_contract_match(op, g->facts, &form, &a, &b))
      continue;
    const pir_op *weights = pir_value_op(pir_op_operand(op, (size_t)b));
    bool constant = weights && pir_op_has(weights, PIR_PARAMETER);
    if (!constant && pir_contract_scatters(&form))
      return true;
  }
  return false;
}

// Whether ops of `c` read a tensor of its shape that is made neither there nor by `maker`.
static bool reads_others(const grouping *g, const op_cluster *c, const op_cluster *maker) {
  for (uint32_t i = c->head; i != GROUP_NONE; i = g->nodes[i].next)
    for (size_t k = 0; k < pir_op_operands(g->nodes[i].op); k++) {
      const pir_value *v = pir_op_operand(g->nodes[i].op, k);
      const pir_fact *f = v ? pir_facts_of(g->facts, v) : NULL;
      const node *p = v ? group_producer(g, v) : NULL;
      bool inside = p && p->cluster != GROUP_NONE &&
                    (&g->clusters[p->cluster] == c || &g->clusters[p->cluster] == maker);
      if (f && !inside && pir_dims_equal(g->dims, f->shape, f->rank, c->shape, c->rank))
        return true;
    }
  return false;
}

const char *group_no_epilogue(const grouping *g, const op_cluster *maker, const op_cluster *c) {
  if (!c->aligned)
    return "it reads other elements of the sums than its own";
  if (feeds(g, c, maker))
    return "the operands of a contraction come from memory";
  if (reads_others(g, c, maker) && scatters(g, maker))
    return "its sums lie apart in memory: other tensors would be read one element at a time";
  return NULL;
}

// Whether a cluster of sums other than `maker` makes an operand of the op.
static bool reads_sums(const grouping *g, const pir_op *op, const op_cluster *maker) {
  for (size_t k = 0; k < pir_op_operands(op); k++) {
    const node *p = group_producer(g, pir_op_operand(op, k));
    const op_cluster *other = p && p->cluster != GROUP_NONE ? &g->clusters[p->cluster] : NULL;
    if (other && other != maker && other->kind == GROUP_CONTRACTION)
      return true;
  }
  return false;
}

bool group_widens_residual(const grouping *g, const op_cluster *c, const op_cluster *maker) {
  enum { STEPS = 2 };  // the cast may be one of whole numbers, which are scaled next
  const pir_op *op = g->nodes[c->head].op;
  if (c->ops != 1 || pir_op_results(op) != 1 || !pir_op_is(op, PD_CAST))
    return false;
  const pir_fact *to = pir_facts_of(g->facts, pir_op_result(op, 0));
  const pir_fact *from = pir_facts_of(g->facts, pir_op_operand(op, PD_CAST_IN_X));
  if (pir_dtype_size(to->dtype) <= pir_dtype_size(from->dtype))
    return false;
  for (int i = 0; i < STEPS; i++) {
    const pir_use *use = pir_op_results(op) ? pir_value_first_use(pir_op_result(op, 0)) : NULL;
    if (!use || !pir_value_single_use(pir_op_result(op, 0)))
      return false;
    op = pir_use_owner(use);
    const node *reader = group_node_of(g, op);
    if (!reader || !reader->clause || reader->clause->kind != PIR_CLAUSE_POINTWISE)
      return false;
    if (reads_sums(g, op, maker))
      return true;
  }
  return false;
}

static bool is_in(const grouping *g, const op_cluster *c, const pir_op *op) {
  const node *n = group_node_of(g, op);
  return n && n->cluster != GROUP_NONE && &g->clusters[n->cluster] == c;
}

// Whether `op` reads the cluster's results exactly once, as `value`, and no other op reads any
// of them.
static bool takes_all(const grouping *g, const pir_op *op, const pir_value *value,
                      const op_cluster *c) {
  for (uint32_t i = c->head; i != GROUP_NONE; i = g->nodes[i].next)
    for (size_t k = 0; k < pir_op_results(g->nodes[i].op); k++) {
      const pir_value *v = pir_op_result(g->nodes[i].op, k);
      for (pir_use *u = pir_value_first_use(v); u; u = pir_use_next(u)) {
        if (is_in(g, c, pir_use_owner(u)))
          continue;
        if (v != value || pir_use_owner(u) != op || !pir_value_single_use(v))
          return false;
      }
    }
  return true;
}

// Matches the op's contraction and gives it the memory orders that it will have if its
// neighbours are contractions too.
static bool describe_contraction(const grouping *g, const pir_op *op, contraction *c,
                                 const pir_value **out_a) {
  int a, b;
  if (!pir_contract_match(op, g->facts, c, &a, &b) || c->a.rank != c->out.rank)
    return false;
  const pir_op *weights = pir_value_op(pir_op_operand(op, (size_t)b));
  if (!weights || !pir_op_has(weights, PIR_PARAMETER))
    return false;
  pir_contract_order(c, c->out.order);
  memcpy(c->a.order, c->out.order, sizeof c->a.order);
  *out_a = pir_op_operand(op, (size_t)a);
  c->b_constant = true;
  return true;
}

const char *group_not_a_pair(const grouping *g, const op_cluster *first,
                             const op_cluster *second) {
  const pir_op *one = NULL, *two = g->nodes[second->head].op;
  contraction c[2];
  const pir_value *in, *between;
  if (second->ops != 1 || first->paired || g->target.device)
    return "the group has its contractions";
  for (uint32_t i = first->head; i != GROUP_NONE; i = g->nodes[i].next)
    if (contract_is_op(g->nodes[i].op))
      one = g->nodes[i].op;
  if (!one || !describe_contraction(g, one, &c[0], &in) ||
      !describe_contraction(g, two, &c[1], &between))
    return "one of the contractions has no constant weights";
  const pir_fact *f = pir_facts_of(g->facts, between);
  if (!pir_dims_equal(g->dims, f->shape, f->rank, first->shape, first->rank) ||
      !takes_all(g, two, between, first))
    return "what lies between the contractions is read by others too";
  bool gains = pir_contract_pairs(&c[0], &c[1], &g->target);
  return gains ? NULL : "two contractions gain nothing by being done together";
}
