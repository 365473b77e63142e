// For a device: parts that are taken out of a split become slices, which are compiled. A
// processor reads parts in place (group_place.c) or calls a kernel.
#include "group.h"

#include <pir/compiler/dialect/pd_op.h>
#include <pir/layer/lower.h>

typedef struct slicing {
  grouping *g;
  pir_op *taker;
  pir_value *whole;
  int axis;
  bool stacked;  // parts lack the axis
} slicing;

static pir_op *create_slice_op(void *user, const pir_op_spec *spec) {
  const slicing *s = user;
  return pir_rewriter_create(s->g->run->rewriter, s->taker, spec);
}

static pir_named_attr ints_attr(const grouping *g, int attr, const int64_t *ints,
                                size_t count) {
  const pir_opdef *def = pir_context_op(g->ctx, PD_SLICE);
  return (pir_named_attr){pir_name_get(g->ctx, pir_str_from(def->attrs[attr].name)),
                          pir_attr_int_array(g->ctx, ints, count)};
}

static pir_value *make_slice(slicing *s, int64_t begin, int64_t end) {
  const grouping *g = s->g;
  int64_t axis = s->axis, infer = 1;
  pir_lower_target target = {create_slice_op, s};
  pir_expand e = {.op = s->taker, .facts = g->facts, .target = &target};
  pir_value *operands[] = {s->whole, pir_expand_ints(&e, &begin, 1),
                           pir_expand_ints(&e, &end, 1)};
  pir_named_attr attrs[] = {ints_attr(g, PD_SLICE_ATTR_AXES, &axis, 1),
                            ints_attr(g, PD_SLICE_ATTR_INFER_FLAGS, &infer, 1),
                            ints_attr(g, PD_SLICE_ATTR_DECREASE_AXIS, &axis, s->stacked)};
  return pir_expand_value(&e, PD_SLICE, operands, 3, attrs, 3);
}

static bool part_extent(const slicing *s, const pir_value *v, int64_t *out) {
  const pir_fact *f = pir_facts_of(s->g->facts, v);
  return pir_fact_has_rank(f) && pir_dim_is_const(s->g->dims, f->shape[s->axis], out);
}

// Whether the parts are known to be the whole tensor; else the called split checks.
static bool parts_fit(const slicing *s) {
  int64_t whole, extent = 1, sum = 0;
  for (size_t i = 0; i < pir_op_results(s->taker); i++, sum += extent)
    if (!s->stacked && !part_extent(s, pir_op_result(s->taker, i), &extent))
      return false;
  return part_extent(s, s->whole, &whole) && whole == sum;
}

// Whether `op` takes all of a split.
static bool takes_all_parts(grouping *g, pir_op *op, slicing *out) {
  const pir_value *list = pir_op_operands(op) == 1 ? pir_op_operand(op, 0) : NULL;
  const pir_op *split = list ? pir_value_op(list) : NULL;
  const pir_clause *clause = split ? pir_op_meaning(split)->clause : NULL;
  if (!pir_op_has(op, PIR_STRUCTURAL) || pir_op_meaning(op)->attr_count || !clause ||
      clause->kind != PIR_CLAUSE_SPLIT || pir_op_results(split) != 1)
    return false;
  *out = (slicing){.g = g, .taker = op, .stacked = clause->stack};
  int k = choose_divided_operand(split, g->facts, &out->axis);
  if (k < 0)
    return false;
  out->whole = pir_op_operand(split, (size_t)k);
  return parts_fit(out);
}

static pir_status slice(slicing *s) {
  size_t count = pir_op_results(s->taker);
  pir_value **parts =
      pir_arena_zalloc(s->g->arena, pir_arena_size(s->g->arena, count + 1, sizeof *parts));
  pir_op *split = pir_value_op(pir_op_operand(s->taker, 0));
  int64_t begin = 0, extent = 1;
  for (size_t i = 0; i < count; i++, begin += extent) {
    if (!s->stacked)
      part_extent(s, pir_op_result(s->taker, i), &extent);
    parts[i] = make_slice(s, begin, begin + extent);
    if (!parts[i])
      return PIR_INTERNAL;
  }
  pir_rewriter_replace(s->g->run->rewriter, s->taker, parts);
  if (pir_value_unused(pir_op_result(split, 0)))
    pir_rewriter_erase(s->g->run->rewriter, split);
  return PIR_OK;
}

pir_status group_slices(grouping *g, pir_block *block) {
  pir_status status = PIR_OK;
  pir_arena arena;
  slicing s;
  pir_arena_init(&arena, pir_facts_heap(g->facts));
  g->arena = &arena;
  for (pir_op *op = pir_block_first(block), *next; op && !status; op = next) {
    next = pir_op_next(op);
    if (takes_all_parts(g, op, &s))
      status = slice(&s);
  }
  g->arena = NULL;
  pir_arena_destroy(&arena);
  return status;
}
