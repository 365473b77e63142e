// States the types that inference derives, where an edit, a pass or another feed shape has left
// them out of date. Dynamic extents are -1. Results with unknown facts, and sparse, distributed
// or placed tensors, keep their stated type.
#include <pir/compiler/pass.h>
#include <pass_list.h>

#include <pir/compiler/walk.h>

#include <arena.h>

typedef struct restate {
  pir_pass_run *run;
  pir_facts *facts;
  uint64_t changed;
} restate;

static const pir_type *inferred_type(restate *r, const pir_fact *fact, const pir_type *stated);

static const pir_type *list_type(restate *r, const pir_fact *fact, const pir_type *stated) {
  if (fact->member_count != pir_type_elements(stated))
    return stated;
  pir_context *ctx = pir_program_context(r->run->program);
  size_t bytes = pir_arena_size(pir_context_arena(ctx), fact->member_count, sizeof(pir_type *));
  const pir_type **members = pir_arena_alloc(pir_context_arena(ctx), bytes);
  for (size_t i = 0; i < fact->member_count; i++)
    members[i] = inferred_type(r, fact->members[i], pir_type_element(stated, i));
  const pir_type *type = pir_type_vector(ctx, members, fact->member_count);
  pir_arena_free(pir_context_arena(ctx), members, bytes);
  return type;
}

static const pir_type *inferred_type(restate *r, const pir_fact *fact, const pir_type *stated) {
  if (!fact->known)
    return stated;
  if (pir_type_kind_of(stated) == PIR_TYPE_VECTOR)
    return list_type(r, fact, stated);
  if (!pir_type_is_tensor(stated) || fact->rank < 0 || fact->dtype == PIR_UNDEFINED)
    return stated;
  int64_t dims[PIR_MAX_RANK];
  for (int32_t i = 0; i < fact->rank; i++)
    if (!pir_dim_is_const(pir_facts_dims(r->facts), fact->shape[i], &dims[i]))
      dims[i] = -1;
  return pir_type_tensor(pir_program_context(r->run->program), fact->dtype,
                         (pir_shape){dims, (size_t)fact->rank});
}

static pir_walk_result restate_results(pir_op *op, void *user) {
  restate *r = user;
  for (size_t i = 0; i < pir_op_results(op); i++) {
    pir_value *value = pir_op_result(op, i);
    const pir_type *stated = pir_value_type(value),
                   *type = inferred_type(r, pir_facts_of(r->facts, value), stated);
    if (type == stated)
      continue;
    pir_value_set_type(value, type);
    r->changed++;
  }
  return PIR_WALK_CONTINUE;
}

pir_status pir_pass_infer_types(pir_pass_run *run) {
  restate r = {.run = run, .facts = pir_run_facts(run)};
  if (!r.facts)
    return pir_run_facts_status(run);
  pir_walk(pir_program_module(run->program), PIR_PRE_ORDER, restate_results, &r);
  pir_run_count(run, "types changed", r.changed);
  return PIR_OK;
}
