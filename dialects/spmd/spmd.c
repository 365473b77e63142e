// One question: checks it, and answers by the op's rule.
#include "spmd_impl.h"

#include <stdarg.h>
#include <string.h>

pir_status spmd_fail(pir_spmd *spmd, const char *format, ...) {
  va_list args;
  va_start(args, format);
  pir_text_vformat(spmd->message, sizeof spmd->message, format, args);
  va_end(args);
  return PIR_INVALID;
}

void pir_placement_replicate(pir_placement *placement) {
  memset(placement->split, 0, sizeof placement->split);
  memset(placement->partial, 0, sizeof placement->partial);
}

// Applies `each` to every tensor of the operands, or of the results.
static pir_status visit_tensors(pir_spmd *spmd, bool results,
                                pir_status (*each)(pir_spmd *spmd, pir_placement *tensor)) {
  size_t n = results ? spmd->def->result_count : spmd->def->operand_count;
  pir_placements *all = results ? spmd->results : spmd->operands;
  for (size_t i = 0; i < n; i++)
    for (size_t k = 0; k < all[i].count; k++) {
      pir_status status = each(spmd, &all[i].items[k]);
      if (status)
        return status;
    }
  return PIR_OK;
}

static pir_status check_tensor(pir_spmd *spmd, pir_placement *tensor) {
  bool taken[PIR_MESH_RANK] = {0};
  if (tensor->rank < 0 || tensor->rank > PIR_MAX_RANK)
    return spmd_fail(spmd, "a tensor of rank %d", tensor->rank);
  for (int32_t d = 0; d < tensor->rank; d++)
    for (uint8_t i = 0; i < tensor->split[d].count; i++) {
      uint8_t mesh = tensor->split[d].mesh[i];
      if (mesh >= spmd->mesh_rank)
        return spmd_fail(spmd, "mesh dim %d of a mesh of rank %zu", mesh, spmd->mesh_rank);
      if (taken[mesh])
        return spmd_fail(spmd, "mesh dim %d splits one tensor twice", mesh);
      taken[mesh] = true;
    }
  for (size_t i = 0; i < PIR_MESH_RANK; i++)
    if (tensor->partial[i] && (i >= spmd->mesh_rank || taken[i]))
      return spmd_fail(spmd, "partial over mesh dim %zu, which %s", i,
                       i < spmd->mesh_rank ? "splits the tensor" : "the mesh lacks");
  return PIR_OK;
}

static pir_status check_question(pir_spmd *spmd) {
  spmd->message[0] = 0;
  if (spmd->mesh_rank > PIR_MESH_RANK) {
    (void)spmd_fail(spmd, "unsupported: a mesh of more than %d dims", PIR_MESH_RANK);
    return PIR_UNSUPPORTED;
  }
  for (size_t i = 0; i < spmd->mesh_rank; i++)
    if (spmd->mesh[i] < 1)
      return spmd_fail(spmd, "a mesh of extent %lld", (long long)spmd->mesh[i]);
  pir_status status = visit_tensors(spmd, false, check_tensor);
  return status ? status : visit_tensors(spmd, true, check_tensor);
}

static pir_status replicate(pir_spmd *spmd, pir_placement *tensor) {
  (void)spmd;
  pir_placement_replicate(tensor);
  return PIR_OK;
}

static pir_status clear_partial(pir_spmd *spmd, pir_placement *tensor) {
  (void)spmd;
  memset(tensor->partial, 0, sizeof tensor->partial);
  return PIR_OK;
}

static pir_status replicate_all(pir_spmd *spmd) {
  pir_status status = visit_tensors(spmd, false, replicate);
  return status ? status : visit_tensors(spmd, true, replicate);
}

// Makes tensors whole that the rule does not name.
static void replicate_unnamed(pir_spmd *spmd, const pir_spmd_rule *rule, bool results) {
  size_t n = results ? spmd->def->result_count : spmd->def->operand_count;
  uint8_t first = results ? rule->operand_terms : 0,
          count = results ? rule->result_terms : rule->operand_terms;
  for (size_t i = 0; i < n; i++) {
    bool named = false;
    pir_placements *x = results ? &spmd->results[i] : &spmd->operands[i];
    for (uint8_t t = 0; t < count; t++)
      named |= rule->terms[first + t].place == i;
    for (size_t k = 0; !named && k < x->count; k++)
      pir_placement_replicate(&x->items[k]);
  }
}

// Gives all results the partial state of operand 0.
static void keep_partial(pir_spmd *spmd, const uint8_t state[PIR_MESH_RANK]) {
  pir_placements *x = spmd->operands;
  for (size_t k = 0; k < x->count; k++)
    memcpy(x->items[k].partial, state, sizeof x->items[k].partial);
  for (size_t i = 0; i < spmd->def->result_count; i++)
    for (size_t k = 0; k < spmd->results[i].count; k++)
      memcpy(spmd->results[i].items[k].partial, state, sizeof x->items[k].partial);
}

// Parts that are combined by a sum, a product or an average are not made whole numbers one by
// one: of 0.5 and 0.5 nothing would be left.
static void drop_rounded_states(const pir_spmd *spmd, uint8_t state[PIR_MESH_RANK]) {
  enum { SUM = 1, PRODUCT = 4, AVERAGE = 5 };
  bool whole_numbers = false;
  for (int k = 0; k < spmd->def->attr_count; k++)
    whole_numbers |= spmd->attrs[k].kind == PIR_VALUE_DTYPE &&
                     !pir_dtype_is_float((pir_dtype)spmd->attrs[k].i) &&
                     !pir_dtype_is_complex((pir_dtype)spmd->attrs[k].i);
  for (size_t i = 0; whole_numbers && i < PIR_MESH_RANK; i++)
    if (state[i] == SUM || state[i] == PRODUCT || state[i] == AVERAGE)
      state[i] = 0;
}

pir_status pir_spmd_infer(pir_spmd *spmd) {
  const pir_spmd_rule *rule = pir_spmd_rule_of(spmd->def);
  uint8_t state[PIR_MESH_RANK] = {0};
  pir_status status = check_question(spmd);
  if (status)
    return status;
  if (!rule || !spmd_knows_values(spmd, rule))
    return replicate_all(spmd);
  bool keeps = rule->keeps_partial && spmd->def->operand_count && spmd->operands[0].count;
  if (keeps)
    memcpy(state, spmd->operands[0].items[0].partial, sizeof state);
  drop_rounded_states(spmd, state);
  if (!spmd->backward)
    status = visit_tensors(spmd, true, replicate);
  // Lists are aligned by the partial states of their members, so the rule sees them.
  if (!status && !keeps && (spmd->backward || rule->clash != PIR_SPMD_ALIGN))
    status = visit_tensors(spmd, false, clear_partial);
  if (!status && spmd->backward && !keeps)
    status = visit_tensors(spmd, true, clear_partial);
  if (!status && rule->function)
    status = rule->function(spmd);
  else if (!status) {
    replicate_unnamed(spmd, rule, false);
    replicate_unnamed(spmd, rule, true);
    status = spmd_by_letters(spmd, rule);
  }
  if (!status && rule->clash == PIR_SPMD_ALIGN)
    status = visit_tensors(spmd, false, clear_partial);
  if (!status && keeps && !spmd->backward)
    keep_partial(spmd, state);
  return status;
}
