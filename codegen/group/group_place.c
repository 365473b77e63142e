// Places tensors inside larger tensors: a producer writes its result directly into the joined
// tensor, so the join (concat) moves nothing.
//
// The decision is made after groups and memory orders are known, for joins that are groups of
// their own, from last to first. A join claims an operand if a group makes it, its memory order
// is the same, and only groups read it (groups accept any strides). A claim is (tensor, axis,
// offset). A chain of claims ends at the home, the tensor that owns the memory. A joined tensor
// takes no memory either if it is part of a later joined tensor, or if its operands already
// follow each other in one home: the growing tensors of a dense block share one buffer. The
// join copies operands that cannot be claimed: inputs, outputs of the program, and operands
// that two joins read. Every element is written once, so the order of the program suffices.
//
// Splits are the mirror image. If a group makes a tensor and a split divides it into parts that
// only groups read, nothing is copied: readers address the parts inside the whole. This is
// decided before memory orders, because parts have the order of the whole.
//
// Extents along the axis must be constants, the other extents known before the run. O(operands
// of groups).
#include "group.h"

#include <pir/compiler/dialect/cinn.h>
#include <pir/layer/kernel.h>
#include <string.h>

typedef struct entry {
  const pir_value *in;  // the tensor it is part of, or NULL
  int axis;             // along which it is, and others are part of it; -1: neither
  int64_t offset;       // offset within `in`
  int64_t home;         // its number, once it has one; 0: none
} entry;

typedef struct places {
  grouping *g;
  entry *entries;  // one for each result of the block's ops; an op's mark is its first entry
} places;

static entry *claim_entry(const places *p, const pir_value *v) {
  const pir_op *op = pir_value_op(v);
  return op && pir_op_block(op) == p->g->block
             ? &p->entries[pir_op_mark(op) + pir_value_index(v)]
             : NULL;
}

static const pir_fact *fact_of(const places *p, const pir_value *v) {
  return pir_facts_of(p->g->facts, v);
}

static bool extent_at(const places *p, const pir_value *v, int axis, int64_t *out) {
  const pir_fact *f = fact_of(p, v);
  return axis < f->rank && pir_dim_is_const(p->g->dims, f->shape[axis], out);
}

// ---- what may lie in another tensor

// Whether the extent depends on the shapes of the inputs only.
static bool is_early(const places *p, pir_dim dim, int depth) {
  if (depth > 32)
    return false;
  switch (pir_dim_kind_of(p->g->dims, dim)) {
    case PIR_DIM_CONST: return true;
    case PIR_DIM_SYMBOL: {
      const pir_value *source =
          pir_facts_symbol(p->g->facts, pir_dim_symbol_index(p->g->dims, dim)).value;
      return source && pir_value_op(source) && pir_op_has(pir_value_op(source), PIR_INPUT);
    }
    default:
      for (size_t i = 0; i < pir_dim_operands(p->g->dims, dim); i++)
        if (!is_early(p, pir_dim_operand(p->g->dims, dim, i), depth + 1))
          return false;
      return true;
  }
}

static bool is_group(const pir_op *op) {
  return op && pir_op_is(op, CINN_GROUP);
}

// Whether only groups read and write the value. Groups support any strides; other ops need not.
static bool may_have_gaps(const places *p, const pir_value *v) {
  const pir_fact *f = fact_of(p, v);
  if (!is_group(pir_value_op(v)) || f->rank < 1)
    return false;
  for (int d = 0; d < f->rank; d++)
    if (!is_early(p, f->shape[d], 0))
      return false;
  for (pir_use *u = pir_value_first_use(v); u; u = pir_use_next(u)) {
    const pir_value *whole;
    int axis;
    const pir_op *user = pir_use_owner(u);
    if (!is_group(user) && !is_group(pir_op_parent(user)) &&
        !pir_split_parts(user, &whole, &axis))
      return false;
  }
  return true;
}

static void stored_order(const pir_value *v, int rank, uint8_t *out) {
  if (is_group(pir_value_op(v)) &&
      pir_group_order(pir_value_op(v), true, pir_value_index(v), out))
    return;
  for (int d = 0; d < rank; d++)
    out[d] = (uint8_t)d;
}

// Whether both tensors agree in all extents except the one along the axis.
static bool is_alike(const places *p, const pir_value *a, const pir_value *b, int axis) {
  const pir_fact *x = fact_of(p, a), *y = fact_of(p, b);
  uint8_t of_a[PIR_MAX_RANK], of_b[PIR_MAX_RANK];
  if (x->rank != y->rank || x->rank < 1 || x->dtype != y->dtype)
    return false;
  stored_order(a, x->rank, of_a);
  stored_order(b, y->rank, of_b);
  for (int d = 0; d < x->rank; d++) {
    if (of_a[d] != of_b[d])
      return false;
    if (d != axis && !pir_dim_equal(p->g->dims, x->shape[d], y->shape[d]))
      return false;
  }
  return true;
}

// ---- splits

static bool read_by_groups(const pir_value *v) {
  for (pir_use *u = pir_value_first_use(v); u; u = pir_use_next(u))
    if (!is_group(pir_use_owner(u)) && !is_group(pir_op_parent(pir_use_owner(u))))
      return false;
  return true;
}

// Returns the op that unpacks the list of parts; NULL if the list has other uses.
static const pir_op *taker_of(const pir_op *split) {
  const pir_value *list = pir_op_result(split, 0);
  const pir_op *taker =
      pir_value_single_use(list) ? pir_use_owner(pir_value_first_use(list)) : NULL;
  return taker && pir_op_has(taker, PIR_STRUCTURAL) && pir_op_results(taker) > 1 &&
                 !is_group(pir_op_parent(taker))
             ? taker
             : NULL;
}

// Returns the operand that a split divides, and the axis; -1 if the op is no split.
static int split_operand(const grouping *g, const pir_op *op, int *out_axis) {
  const pir_opdef *def = pir_op_meaning(op);
  if (!def->clause || def->clause->kind != PIR_CLAUSE_SPLIT || pir_op_results(op) != 1)
    return -1;
  return choose_joined_operand(op, PIR_CLAUSE_SPLIT, g->facts, out_axis);
}

// Whether the tensor is also split along another axis.
static bool split_otherwise(const pir_value *whole, int axis) {
  const pir_value *of;
  int other;
  for (pir_use *u = pir_value_first_use(whole); u; u = pir_use_next(u))
    if (pir_split_parts(pir_use_owner(u), &of, &other) && of == whole && other != axis)
      return true;
  return false;
}

// Every reader of a part must accept strides, the parts must cover the whole, and the extents
// must be known before the run, because the arena is laid out then.
static bool may_be_parts(const places *p, const pir_value *whole, const pir_op *taker,
                         int axis) {
  const pir_fact *f = fact_of(p, whole);
  int64_t extent, sum = 0;
  if (!is_group(pir_value_op(whole)) || split_otherwise(whole, axis))
    return false;
  for (int d = 0; d < f->rank; d++)
    if (!is_early(p, f->shape[d], 0))
      return false;
  for (size_t i = 0; i < pir_op_results(taker); i++) {
    const pir_value *part = pir_op_result(taker, i);
    if (!read_by_groups(part) || fact_of(p, part)->rank != f->rank ||
        !extent_at(p, part, axis, &extent))
      return false;
    sum += extent;
  }
  return extent_at(p, whole, axis, &extent) && extent == sum;
}

void group_split(grouping *g, pir_op *op) {
  places p = {.g = g};
  int axis, k = g->target.device ? -1 : split_operand(g, op, &axis);
  const pir_op *taker = k >= 0 ? taker_of(op) : NULL;
  if (!taker || !may_be_parts(&p, pir_op_operand(op, (size_t)k), taker, axis))
    return;
  int64_t n[3] = {k, axis, (int64_t)pir_op_results(taker)};
  pir_op_set_attr(op, pir_name_get(g->ctx, PIR_STR("parts")), pir_attr_int_array(g->ctx, n, 3));
  pir_remark(op, "is no copy: its parts are read where they lie");
}

const pir_value *group_whole(const pir_value *part) {
  const pir_op *taker = pir_value_op(part);
  const pir_op *split = taker && pir_op_has(taker, PIR_STRUCTURAL) &&
                                pir_op_operands(taker) == 1 && pir_op_operand(taker, 0)
                            ? pir_value_op(pir_op_operand(taker, 0))
                            : NULL;
  const pir_value *whole;
  int axis;
  return split && pir_split_parts(split, &whole, &axis) ? whole : NULL;
}

// ---- claims

static bool lies_along(const entry *e, int axis) {
  return e->axis < 0 || e->axis == axis;
}

static void claim(const places *p, const pir_value *part, const pir_value *whole, int axis,
                  int64_t offset) {
  entry *e = claim_entry(p, part);
  e->in = whole;
  e->offset = offset;
  e->axis = claim_entry(p, whole)->axis = axis;
}

// Applies the decision of group_split.
static void claim_parts(const places *p, const pir_op *taker) {
  const pir_value *whole = pir_op_results(taker) ? group_whole(pir_op_result(taker, 0)) : NULL;
  int64_t extent, next = 0;
  int axis;
  if (!whole)
    return;
  pir_split_parts(pir_value_op(pir_op_operand(taker, 0)), &whole, &axis);
  for (size_t i = 0; i < pir_op_results(taker); i++, next += extent) {
    claim(p, pir_op_result(taker, i), whole, axis, next);
    if (!extent_at(p, pir_op_result(taker, i), axis, &extent)) {
      p->g->failed = PIR_INTERNAL;
      extent = 0;
    }
  }
}

// Returns the home of `v`, and the offset of `v` in it.
static const pir_value *home_of(const places *p, const pir_value *v, int64_t *out_offset) {
  *out_offset = 0;
  for (const entry *e; (e = claim_entry(p, v))->in; v = e->in)
    *out_offset += e->offset;
  return v;
}

typedef struct join {
  const pir_value *result;
  const pir_op *list;
  int axis;
} join;

// Whether the group only joins tensors.
static bool is_join(const places *p, const pir_op *group, join *out) {
  const pir_block *body = pir_region_first(pir_op_region(group, 0));
  const pir_op *yield = pir_block_last(body);
  const pir_op *op = pir_op_results(group) == 1 ? pir_value_op(pir_op_operand(yield, 0)) : NULL;
  if (!op || pir_op_parent(op) != group || pir_op_has(op, PIR_STRUCTURAL))
    return false;
  *out = (join){.result = pir_op_result(group, 0)};
  int k = choose_joined_operand(op, PIR_CLAUSE_JOIN, p->g->facts, &out->axis);
  if (k < 0)
    return false;
  out->list = pir_value_op(pir_op_operand(op, (size_t)k));
  return out->list && pir_op_has(out->list, PIR_STRUCTURAL);
}

// If all operands already follow each other in one home, the result is that part of the home.
static bool is_there_already(const places *p, const join *j) {
  const pir_value *home = NULL;
  int64_t begin = 0, next = 0;
  for (size_t i = 0; i < pir_op_operands(j->list); i++) {
    const pir_value *part = pir_op_operand(j->list, i);
    const entry *e = claim_entry(p, part);
    int64_t at, extent;
    if (!e || !e->in || e->axis != j->axis || !extent_at(p, part, j->axis, &extent))
      return false;
    const pir_value *of = home_of(p, part, &at);
    if (i == 0) {
      home = of;
      begin = next = at;
    }
    if (of != home || at != next)
      return false;
    next += extent;
  }
  if (!home || home == j->result || claim_entry(p, j->result)->in ||
      !is_alike(p, j->result, home, j->axis))
    return false;
  claim(p, j->result, home, j->axis, begin);
  return true;
}

// Claims the join's operands as far as allowed; returns how many are in place.
static size_t claim_operands(const places *p, const join *j) {
  size_t claimed = 0;
  int64_t offset = 0, extent, whole;
  const entry *result = claim_entry(p, j->result);
  if (!lies_along(result, j->axis) || !extent_at(p, j->result, j->axis, &whole))
    return 0;
  const pir_fact *f = fact_of(p, j->result);
  for (int d = 0; d < f->rank; d++)
    if (!is_early(p, f->shape[d], 0))
      return 0;
  if (may_have_gaps(p, j->result) && is_there_already(p, j))
    return pir_op_operands(j->list);
  for (size_t i = 0; i < pir_op_operands(j->list); i++, offset += extent) {
    const pir_value *part = pir_op_operand(j->list, i);
    const entry *e = claim_entry(p, part);
    if (!extent_at(p, part, j->axis, &extent))
      break;
    if (!e || e->in || part == j->result || !lies_along(e, j->axis) ||
        !may_have_gaps(p, part) || !is_alike(p, part, j->result, j->axis))
      continue;
    claim(p, part, j->result, j->axis, offset);
    claimed++;
  }
  return claimed;
}

// Whether rows are added to the value of the last run, or of the last iteration.
static bool is_carried(const grouping *g, const pir_value *v) {
  const pir_op *op = pir_value_op(v);
  return g->in_region ? !op : op && pir_op_has(op, PIR_INPUT);
}

// Whether ops that the program calls read a value, which take its rows where they lie apart.
static bool is_taken_apart(const pir_value *v, const pir_op *but) {
  for (pir_use *u = pir_value_first_use(v); u; u = pir_use_next(u)) {
    const pir_op *user = pir_use_owner(u);
    const pir_opdef *def = pir_op_meaning(user);
    const pir_kernel *kernel = def->kernel ? pir_kernel_find(pir_str_from(def->kernel)) : NULL;
    if (user != but && !pir_op_has(user, PIR_OUTPUT) &&
        (def->clause || !kernel || !pir_kernel_takes_apart(kernel)))
      return false;
  }
  return true;
}

bool group_extends_cache(const grouping *g, const pir_op *op, const pir_clause *clause) {
  int axis;
  int64_t extent;
  uint32_t end = g->in_region ? PIR_TERMINATOR : PIR_OUTPUT;
  if (clause->kind != PIR_CLAUSE_JOIN || g->target.device)
    return false;
  int k = choose_joined_operand(op, PIR_CLAUSE_JOIN, g->facts, &axis);
  const pir_value *joined = k < 0 ? NULL : pir_op_operand(op, (size_t)k);
  const pir_op *list = joined ? pir_value_op(joined) : NULL;
  bool joins = list && pir_op_has(list, PIR_STRUCTURAL) && pir_op_operands(list);
  const pir_value *first = joins ? pir_op_operand(list, 0) : NULL;
  if (!first || !is_carried(g, first) ||
      pir_dim_is_const(g->dims, pir_facts_of(g->facts, first)->shape[axis], &extent))
    return false;
  // Only rows behind all others can be added where any reader takes them.
  bool apart = !g->in_region && is_taken_apart(first, list) &&
               is_taken_apart(pir_op_result(op, 0), NULL);
  for (int d = 0; d < axis; d++)
    if (pir_dim_is_const(g->dims, pir_facts_of(g->facts, first)->shape[d], &extent) &&
        extent != 1 && !apart)
      return false;
  for (pir_use *u = pir_value_first_use(pir_op_result(op, 0)); u; u = pir_use_next(u))
    if (pir_op_has(pir_use_owner(u), end))
      return true;
  return false;
}

// ---- writing it down

static const pir_attr *place_attribute(places *p, const pir_value *v) {
  entry *e = v ? claim_entry(p, v) : NULL;
  int64_t at, n[4];
  if (!e || e->axis < 0)
    return pir_attr_int_array(p->g->ctx, NULL, 0);
  const pir_value *home = home_of(p, v, &at);
  entry *of = claim_entry(p, home);
  if (!of->home)
    of->home = ++p->g->homes;
  n[0] = e->axis;
  n[1] = at;
  n[3] = of->home;
  if (!extent_at(p, home, e->axis, &n[2]))
    p->g->failed = PIR_INTERNAL;
  return pir_attr_int_array(p->g->ctx, n, 4);
}

static void note(places *p, pir_op *group) {
  size_t operands = pir_op_operands(group), results = pir_op_results(group);
  const pir_attr **all = pir_arena_alloc(
      p->g->arena, pir_arena_size(p->g->arena, operands + results + 1, sizeof *all));
  bool any = false;
  for (size_t i = 0; i < operands + results; i++) {
    all[i] = place_attribute(p, i < operands ? pir_op_operand(group, i)
                                             : pir_op_result(group, i - operands));
    any |= pir_attr_elements(all[i]) > 0;
  }
  if (any)
    pir_op_set_attr(group, pir_name_get(p->g->ctx, PIR_STR("places")),
                    pir_attr_array(p->g->ctx, all, operands + results));
}

void group_places(grouping *g) {
  places p = {.g = g};
  size_t results = 0;
  if (g->target.device)
    return;
  for (pir_op *op = pir_block_first(g->block); op; op = pir_op_next(op)) {
    pir_op_set_mark(op, results);
    results += pir_op_results(op);
  }
  p.entries =
      pir_arena_zalloc(g->arena, pir_arena_size(g->arena, results + 1, sizeof *p.entries));
  for (size_t i = 0; i < results; i++)
    p.entries[i].axis = -1;
  for (const pir_op *op = pir_block_first(g->block); op; op = pir_op_next(op))
    claim_parts(&p, op);
  for (pir_op *op = pir_block_last(g->block); op; op = pir_op_prev(op)) {
    join j;
    if (!is_group(op) || !is_join(&p, op, &j))
      continue;
    size_t claimed = claim_operands(&p, &j);
    pir_remark(
        pir_value_op(pir_op_operand(pir_block_last(pir_region_first(pir_op_region(op, 0))), 0)),
        "joins %zu tensors, %zu of them already in its place", pir_op_operands(j.list),
        claimed);
  }
  for (pir_op *op = pir_block_first(g->block); op; op = pir_op_next(op))
    if (is_group(op))
      note(&p, op);
}

// The op can be computed with the row, for the ops that read its result and the row as a whole:
// the root of a norm's mean stands between two passes over the row.
bool group_follows_rows(const grouping *g, const pir_op *op) {
  for (size_t k = 0; k < pir_op_operands(op); k++) {
    const pir_op *from = pir_op_operand(op, k) ? pir_value_op(pir_op_operand(op, k)) : NULL;
    if (!from || pir_op_block(from) != g->block)
      continue;
    const node *p = group_node_of(g, from);
    const op_cluster *c = p->cluster != GROUP_NONE ? &g->clusters[p->cluster] : NULL;
    if (c && (c->kind == GROUP_ROWS || c->follows_rows))
      return true;
  }
  return false;
}
