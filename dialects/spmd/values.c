// Attributes, and contents of attribute operands, as placement rules read them.
#include "spmd_impl.h"

static const pir_attr_value *find_value(const pir_spmd *spmd, pir_spmd_ref ref) {
  if (ref == PIR_SPMD_NONE)
    return NULL;
  return ref >= 0 ? &spmd->attrs[ref] : &spmd->contents[-1 - ref];
}

bool spmd_read_list(const pir_spmd *spmd, pir_spmd_ref ref, const int64_t **out,
                    size_t *count) {
  const pir_attr_value *value = find_value(spmd, ref);
  bool one = value && (value->kind == PIR_VALUE_INT || value->kind == PIR_VALUE_DTYPE);
  if (!one && (!value || (value->kind != PIR_VALUE_INTS && value->count)))
    return false;
  if (!one && value->kind == PIR_VALUE_NONE)
    return false;
  *out = one ? &value->i : value->ints;
  *count = one ? 1 : value->count;
  return true;
}

bool spmd_read_int(const pir_spmd *spmd, pir_spmd_ref ref, int64_t *out) {
  const int64_t *list;
  size_t count;
  if (!spmd_read_list(spmd, ref, &list, &count) || count != 1)
    return false;
  *out = list[0];
  return true;
}

bool spmd_is_flat(const pir_spmd *spmd, pir_spmd_ref ref) {
  const pir_attr_value *value = find_value(spmd, ref);
  int64_t flag = 0;
  if (value && value->kind == PIR_VALUE_INTS)
    return !value->count;
  return spmd_read_int(spmd, ref, &flag) && flag;
}

bool spmd_knows_values(const pir_spmd *spmd, const pir_spmd_rule *rule) {
  const pir_spmd_ref refs[] = {rule->whole_axes, rule->at,   rule->over, rule->keep,
                               rule->flat,       rule->drop, rule->order};
  const int64_t *list;
  size_t count;
  for (size_t i = 0; i < sizeof refs / sizeof *refs; i++)
    if (refs[i] != PIR_SPMD_NONE && !spmd_read_list(spmd, refs[i], &list, &count))
      return false;
  for (uint8_t i = 0; i < rule->operand_terms; i++)
    if (rule->terms[i].swap != PIR_SPMD_NONE &&
        !spmd_read_list(spmd, rule->terms[i].swap, &list, &count))
      return false;
  return true;
}

pir_status spmd_mark_axes(pir_spmd *spmd, pir_spmd_ref ref, int32_t rank,
                          bool out_marks[PIR_MAX_RANK]) {
  const int64_t *list;
  size_t count;
  if (!spmd_read_list(spmd, ref, &list, &count))
    return PIR_OK;
  for (size_t i = 0; i < count; i++) {
    if (rank == 0 && (list[i] == 0 || list[i] == -1))
      continue;  // of a tensor of one element
    if (list[i] < -rank || list[i] >= rank)
      return spmd_fail(spmd, "axis %lld of a tensor of rank %d", (long long)list[i], rank);
    out_marks[list[i] < 0 ? list[i] + rank : list[i]] = true;
  }
  return PIR_OK;
}
