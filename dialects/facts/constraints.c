// Collects the constraints that a program's ops put on extents. While facts are derived, ops
// report equalities and broadcasts. An op in a loop is visited several times; its list keeps
// the constraints it has already reported. Each report costs O(constraints of its op).
#include "facts_impl.h"

void facts_require(pir_infer *infer, pir_constraint_kind kind, pir_dim a, pir_dim b) {
  pir_facts *facts = infer->user;
  if (!infer->op || pir_dim_canonical(facts->dims, a) == pir_dim_canonical(facts->dims, b))
    return;
  pir_constraint *last = pir_map_get(&facts->constrained, infer->op);
  for (pir_constraint *c = last; c; last = c, c = (pir_constraint *)(uintptr_t)c->next)
    if (c->kind == kind && c->a == a && c->b == b)
      return;
  pir_constraint *made = pir_arena_zalloc(&facts->arena, sizeof *made);
  *made = (pir_constraint){kind, a, b, NULL};
  if (last)
    last->next = made;
  else
    pir_map_put(&facts->arena, &facts->constrained, infer->op, (uint64_t)(uintptr_t)made);
  if (kind == PIR_EQUAL)
    pir_dims_unify(facts->dims, a, b);
}

const pir_constraint *pir_facts_constraints(const pir_facts *facts, const pir_op *op) {
  return pir_map_get(&facts->constrained, op);
}

void facts_name_contents(pir_facts *facts, pir_fact *fact) {
  int64_t count = 1, extent;
  if (!fact->known || fact->members || fact->contents || fact->rank < 0 || fact->rank > 1)
    return;
  if (fact->dtype != PIR_I32 && fact->dtype != PIR_I64)
    return;
  if (fact->rank == 1) {
    if (!pir_dim_is_const(facts->dims, fact->shape[0], &extent) || extent < 0 ||
        extent > PIR_FACT_CONTENTS)
      return;
    count = extent;
  }
  pir_dim *contents = pir_arena_alloc(&facts->arena, (size_t)(count + 1) * sizeof *contents);
  for (int64_t i = 0; i < count; i++)
    contents[i] = pir_dim_symbol(facts->dims, INT64_MIN);
  fact->contents = contents;
  fact->content_count = (size_t)count;
}
