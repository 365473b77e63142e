// Attributes that a program states about its groups: their order (including those in regions of
// control flow and scans), and the memory orders and places of each group's interface
// (attributes `layouts` and `places`). O(ops), O(rank).
#include <pir/layer/codegen.h>

#include <pir/compiler/dialect/cinn.h>

// Returns the first op of the op's regions from `r` on, or NULL. Groups are not entered.
static const pir_op *first_inside(const pir_op *op, size_t r) {
  for (; !pir_op_is(op, CINN_GROUP) && r < pir_op_regions(op); r++) {
    const pir_block *body = pir_region_first(pir_op_region(op, r));
    if (body && pir_block_first(body))
      return pir_block_first(body);
  }
  return NULL;
}

static size_t region_number(const pir_op *parent, const pir_block *block) {
  size_t r = 0;
  while (pir_region_first(pir_op_region(parent, r)) != block)
    r++;
  return r;
}

// Returns the next op in the order of the program's text.
static const pir_op *next_op(const pir_op *op) {
  const pir_op *next = first_inside(op, 0), *parent;
  for (; !next && op; op = parent) {
    parent = pir_op_parent(op);
    next = pir_op_next(op);
    if (!next && parent && pir_op_parent(parent))
      next = first_inside(parent, region_number(parent, pir_op_block(op)) + 1);
  }
  return next;
}

const pir_op *pir_group_next(const pir_program *program, const pir_op *group) {
  const pir_op *op = group ? next_op(group) : pir_block_first(pir_program_block(program));
  while (op && !pir_op_is(op, CINN_GROUP))
    op = next_op(op);
  return op;
}

static bool is_row_major(const uint8_t *order, size_t rank) {
  for (size_t i = 0; i < rank; i++)
    if (order[i] != i)
      return false;
  return true;
}

static const pir_attr *entry_of(const pir_op *group, const char *name, bool of_result,
                                size_t i) {
  const pir_attr *all = pir_op_attr_str(group, name);
  size_t at = of_result ? pir_op_operands(group) + i : i;
  if (!all || pir_attr_kind_of(all) != PIR_ATTR_ARRAY || at >= pir_attr_elements(all))
    return NULL;
  return pir_attr_element(all, at);
}

size_t pir_group_order(const pir_op *group, bool of_result, size_t i,
                       uint8_t out_order[PIR_MAX_RANK]) {
  const pir_attr *one = entry_of(group, "layouts", of_result, i);
  size_t rank = one ? pir_attr_elements(one) : 0;
  if (rank > PIR_MAX_RANK)
    return 0;
  uint32_t seen = 0;
  for (size_t d = 0; d < rank; d++) {
    int64_t axis;
    if (!pir_attr_int_at(one, d, &axis) || axis < 0 || (size_t)axis >= rank ||
        (seen >> axis & 1))
      return 0;
    seen |= 1u << axis;
    out_order[d] = (uint8_t)axis;
  }
  return is_row_major(out_order, rank) ? 0 : rank;
}

int64_t pir_group_refused_by(const pir_op *group, const char *stage) {
  const pir_attr *by = pir_op_attr_str(group, "refused_by");
  const pir_attr *at = pir_op_attr_str(group, "refused_at");
  if (!by || !pir_str_equal(pir_attr_as_str(by), pir_str_from(stage)))
    return 0;
  int64_t place;
  return at && pir_attr_as_int(at, &place) ? place : 1;
}

bool pir_group_place_of(const pir_op *group, bool of_result, size_t i,
                        pir_group_place *out_place) {
  const pir_attr *one = entry_of(group, "places", of_result, i);
  int64_t n[4];
  if (!one || pir_attr_elements(one) != 4)
    return false;
  for (size_t k = 0; k < 4; k++)
    if (!pir_attr_int_at(one, k, &n[k]) || n[k] < 0)
      return false;
  if (n[0] >= PIR_MAX_RANK || n[1] > n[2])
    return false;
  *out_place = (pir_group_place){(int)n[0], n[1], n[2], n[3]};
  return true;
}

size_t pir_split_parts(const pir_op *op, const pir_value **out_whole, int *out_axis) {
  const pir_attr *parts = pir_op_attr_str(op, "parts");
  int64_t n[3];
  if (!parts || pir_attr_elements(parts) != 3)
    return 0;
  for (size_t k = 0; k < 3; k++)
    if (!pir_attr_int_at(parts, k, &n[k]) || n[k] < 0)
      return 0;
  if ((size_t)n[0] >= pir_op_operands(op) || n[1] >= PIR_MAX_RANK)
    return 0;
  *out_whole = pir_op_operand(op, (size_t)n[0]);
  *out_axis = (int)n[1];
  return (size_t)n[2];
}
