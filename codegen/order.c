// Memory orders of a group's interface, kept in its `layouts` attribute. O(rank).
#include <pir/codegen.h>

static bool is_row_major(const uint8_t *order, size_t rank) {
  for (size_t i = 0; i < rank; i++)
    if (order[i] != i) return false;
  return true;
}

size_t pir_group_order(const pir_op *group, bool of_result, size_t i, uint8_t out_order[PIR_MAX_RANK]) {
  const pir_attr *all = pir_op_attr_str(group, "layouts");
  size_t at = of_result ? pir_op_operands(group) + i : i;
  if (!all || pir_attr_kind_of(all) != PIR_ATTR_ARRAY || at >= pir_attr_elements(all)) return 0;
  const pir_attr *one = pir_attr_element(all, at);
  size_t rank = pir_attr_elements(one);
  if (rank > PIR_MAX_RANK) return 0;
  uint32_t seen = 0;
  for (size_t d = 0; d < rank; d++) {
    int64_t axis;
    if (!pir_attr_int_at(one, d, &axis) || axis < 0 || (size_t)axis >= rank || (seen >> axis & 1)) return 0;
    seen |= 1u << axis;
    out_order[d] = (uint8_t)axis;
  }
  return is_row_major(out_order, rank) ? 0 : rank;
}
