// Chooses the memory order of tensors between groups. A contraction with constant weights
// prefers the axes that the weights determine (a convolution's channels) innermost, because its
// lanes are then adjacent. Elementwise groups keep the order of their inputs, so a region of
// convolutions runs channels-last without transpositions. At the region's border, readers use
// strides. One pass over the block in order.
#include "group.h"

#include <pir/compiler/dialect/cinn.h>
#include <string.h>

typedef struct axis_order {
  int rank;  // 0: row-major
  uint8_t axes[PIR_MAX_RANK];
} axis_order;

static const axis_order row_major = {0};

static axis_order order_of_value(const pir_value *v) {
  axis_order o = {0};
  if (v && group_whole(v))
    v = group_whole(v);  // a result of a split has the memory order of the split tensor
  const pir_op *op = v ? pir_value_op(v) : NULL;
  if (op && pir_op_is(op, CINN_GROUP))
    o.rank = (int)pir_group_order(op, true, pir_value_index(v), o.axes);
  return o;
}

// ---- who may read a value that is not row-major

// A reshape shares its operand's memory if that is row-major, and would need a transposition
// otherwise.
static bool is_free_row_major(const pir_op *op) {
  const pir_opdef *def = pir_op_meaning(op);
  const pir_clause *c = def->clause;
  return c && group_only_renames(c) && c->nodes[c->body].map_kind == PIR_MAP_LINEAR;
}

static bool takes_any_order(const pir_op *op) {
  const pir_opdef *def = pir_op_meaning(op);
  const pir_op *parent =
      pir_op_parent(op);  // a group's, whatever the op is: the group sees strides
  if (pir_op_is(op, CINN_GROUP) || (parent && pir_op_is(parent, CINN_GROUP)) ||
      pir_op_has(op, PIR_OUTPUT))
    return true;
  return def->clause && !pir_op_has(op, PIR_STRUCTURAL) && !is_free_row_major(op);
}

static bool users_take_any_order(const pir_value *v) {
  for (pir_use *u = pir_value_first_use(v); u; u = pir_use_next(u))
    if (!takes_any_order(pir_use_owner(u)))
      return false;
  return true;
}

// ---- what a group wants

static axis_order order_of_contraction(const grouping *g, const pir_op *op) {
  contraction c;
  int a, b;
  if (!pir_contract_match_levels(op, g->facts, &c, &a, &b))
    return row_major;
  const pir_value *weight;
  const pir_op *casts[2];
  pir_dtype rounded;
  contract_trace_operand(g->facts, pir_op_operand(op, (size_t)b), casts, &weight, &rounded);
  const pir_op *source = pir_value_op(weight);
  if (!source || !pir_op_has(source, PIR_PARAMETER))
    return row_major;
  axis_order o = {.rank = c.out.rank};
  pir_contract_order(&c, o.axes);
  return o;
}

static axis_order of_operands(const pir_op *group, int rank) {
  for (size_t i = 0; i < pir_op_operands(group); i++) {
    axis_order o = order_of_value(pir_op_operand(group, i));
    if (o.rank == rank && rank)
      return o;
  }
  return row_major;
}

static bool is_row_major_order(const axis_order *o) {
  for (int d = 0; d < o->rank; d++)
    if (o->axes[d] != d)
      return false;
  return true;
}

// ---- writing it down

static const pir_attr *order_attribute(const grouping *g, const axis_order *o) {
  int64_t axes[PIR_MAX_RANK];
  for (int d = 0; d < o->rank; d++)
    axes[d] = o->axes[d];
  return pir_attr_int_array(g->ctx, axes, (size_t)o->rank);
}

static void decide(grouping *g, pir_op *group) {
  size_t operands = pir_op_operands(group), results = pir_op_results(group);
  const pir_attr **all =
      pir_arena_alloc(g->arena, pir_arena_size(g->arena, operands + results + 1, sizeof *all));
  const pir_op *last = contract_last_of(group);
  axis_order sums = last ? order_of_contraction(g, last) : row_major;
  bool any = false;
  for (size_t i = 0; i < operands; i++) {
    axis_order o = order_of_value(pir_op_operand(group, i));
    any |= o.rank > 0;
    all[i] = order_attribute(g, &o);
  }
  for (size_t i = 0; i < results; i++) {
    const pir_fact *f = pir_facts_of(g->facts, pir_op_result(group, i));
    axis_order o = last ? sums : of_operands(group, f->rank);
    if (o.rank != f->rank || is_row_major_order(&o) ||
        !users_take_any_order(pir_op_result(group, i)))
      o = row_major;
    any |= o.rank > 0;
    all[operands + i] = order_attribute(g, &o);
  }
  if (any)
    pir_op_set_attr(group, pir_name_get(g->ctx, PIR_STR("layouts")),
                    pir_attr_array(g->ctx, all, operands + results));
}

// A single transposition, or a resize of a tensor that is not channels-last, is a copy that the
// runtime does faster on a processor.
static bool better_called(grouping *g, const pir_op *group) {
  const pir_op *op = NULL;
  uint8_t order[PIR_MAX_RANK];
  bool renames = false;
  for (const pir_op *o = pir_block_first(pir_region_first(pir_op_region(group, 0)));
       pir_op_next(o); o = pir_op_next(o)) {
    const pir_clause *c = pir_op_has(o, PIR_CONSTANT) ? NULL : choose_clause(o, g->facts);
    if (pir_op_has(o, PIR_CONSTANT))
      continue;
    if (c && group_only_renames(c))
      renames = true;
    else if (op)
      return false;
    else
      op = o;
  }
  if (!op || (renames && pir_group_order(group, true, 0, order)))
    return false;
  bool turns = choose_is_copy(op, renames ? NULL : group, g->facts);
  if (turns)
    pir_remark(op, "is not compiled: it moves elements alone, which the runtime does as fast");
  return turns;
}

void group_layouts(grouping *g) {
  for (pir_op *op = pir_block_first(g->block), *next; op; op = next) {
    next = pir_op_next(op);
    if (!pir_op_is(op, CINN_GROUP)) {
      if (!g->in_region)
        group_split(g, op);
      continue;
    }
    decide(g, op);
    if (!g->target.device && better_called(g, op))
      group_take_apart(g, op);
  }
}
