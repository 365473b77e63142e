// Makes one cluster for each attention of a block (attention.h), before all other clusters. A
// cluster holds both products and all ops between them. It also takes ops around them that only
// move, scale or convert elements, because they become index arithmetic of its loops.
#include "group.h"

#include <pir/compiler/dialect/pd_op.h>

enum { MAX_MEMBERS = 48, MAX_DEPTH = 8 };

typedef struct gathering {
  grouping *g;
  const attention *a;
  uint32_t members[MAX_MEMBERS], count;
  bool full;
} gathering;

static bool is_gathered(const gathering *t, uint32_t at) {
  for (uint32_t i = 0; i < t->count; i++)
    if (t->members[i] == at)
      return true;
  return false;
}

static bool is_member(const gathering *t, const pir_op *op) {
  const node *n = op ? group_node_of(t->g, op) : NULL;
  return n && is_gathered(t, (uint32_t)(n - t->g->nodes));
}

static void add_member(gathering *t, const pir_op *op) {
  const node *n = group_node_of(t->g, op);
  uint32_t index = n ? (uint32_t)(n - t->g->nodes) : 0;
  if (n && is_gathered(t, index))
    return;
  if (!n || t->count == MAX_MEMBERS || n->cluster != GROUP_NONE ||
      n->segment != group_node_of(t->g, t->a->second)->segment)
    t->full = true;
  else
    t->members[t->count++] = index;
}

static bool is_read_by_members(const gathering *t, const pir_op *op) {
  for (size_t i = 0; i < pir_op_results(op); i++)
    for (pir_use *u = pir_value_first_use(pir_op_result(op, i)); u; u = pir_use_next(u))
      if (!is_member(t, pir_use_owner(u)))
        return false;
  return true;
}

// ---- producers of the operands

static bool splits_list(const pir_op *op) {
  const pir_value *list = pir_op_operands(op) == 1 ? pir_op_operand(op, 0) : NULL;
  return pir_op_has(op, PIR_STRUCTURAL) && list &&
         pir_type_kind_of(pir_value_type(list)) == PIR_TYPE_VECTOR;
}

// Whether the op only moves elements and is worth taking. A reshape costs nothing where it is
// and stays.
static bool only_moves(const gathering *t, const pir_op *op) {
  const pir_opdef *def = pir_op_meaning(op);
  if (pir_op_regions(op) || pir_op_has_any(op, PIR_CONSTANT | PIR_PARAMETER))
    return false;
  if (splits_list(op))
    return true;
  if (!def->clause || !pir_op_has(op, PIR_PURE))
    return false;
  if (def->clause->kind == PIR_CLAUSE_SPLIT)
    return true;
  const pir_clause *c = choose_clause(op, t->g->facts);
  return c && (c->kind == PIR_CLAUSE_VIEW || c->kind == PIR_CLAUSE_POINTWISE) &&
         !group_only_renames(c) && c->nodes[c->body].op == PIR_V_LOAD &&
         choose_can(op, t->g->facts, &t->g->target);
}

// Whether the op widens elements that nobody else reads wide.
static bool only_widens(const gathering *t, const pir_op *op) {
  const pir_op *casts[2];
  const pir_value *source;
  pir_dtype rounded;
  return contract_trace_operand(t->g->facts, pir_op_result(op, 0), casts, &source, &rounded) &&
         choose_can(op, t->g->facts, &t->g->target);
}

static bool only_scales(const gathering *t, const pir_op *op) {
  const pir_opdef *def = pir_op_meaning(op);
  if (!def->clause || pir_op_has_any(op, PIR_STRUCTURAL | PIR_CONSTANT) ||
      !pir_op_has(op, PIR_PURE))
    return false;
  const pir_clause *c = choose_clause(op, t->g->facts);
  return c && c->kind == PIR_CLAUSE_POINTWISE && choose_can(op, t->g->facts, &t->g->target);
}

// Takes the producers of an operand into the cluster, as long as they only move or widen
// elements and nothing else reads them. An op that computes is taken if it reads a moved value;
// an op on the result of a product is left to that product's group.
static bool take_before(gathering *t, const pir_value *v, int depth) {
  const pir_op *op = v ? pir_value_op(v) : NULL;
  if (!op || depth == MAX_DEPTH || t->full || !group_node_of(t->g, op) ||
      !is_read_by_members(t, op))
    return false;
  bool moves = only_moves(t, op) || only_widens(t, op), taken = false;
  if (!moves && !only_scales(t, op))
    return false;
  uint32_t before = t->count;
  add_member(t, op);
  if (t->full)
    return false;
  for (size_t i = 0; i < pir_op_operands(op); i++)
    taken |= take_before(t, pir_op_operand(op, i), depth + 1);
  if (moves || taken)
    return true;
  t->count = before;
  return false;
}

// ---- readers of the result

// Takes the op that rounds the result to a narrower type, if nothing else reads it.
static void take_rounding(gathering *t, const pir_value *result) {
  const pir_use *use = pir_value_first_use(result);
  const pir_op *op = use && pir_value_single_use(result) ? pir_use_owner(use) : NULL;
  if (!op || !pir_op_is(op, PD_CAST) || !choose_can(op, t->g->facts, &t->g->target))
    return;
  pir_dtype wide = pir_facts_of(t->g->facts, result)->dtype;
  pir_dtype narrow = pir_facts_of(t->g->facts, pir_op_result(op, 0))->dtype;
  if (pir_dtype_size(narrow) < pir_dtype_size(wide))
    add_member(t, op);
}

// ---- clusters

static bool can_compile(const gathering *t) {
  const attention *a = t->a;
  const pir_op *rows[] = {a->max, a->shift, a->exp, a->sum, a->quotient};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    if (!choose_can(rows[i], t->g->facts, &t->g->target))
      return false;
  for (int i = 0; i < a->chain_count; i++)
    if (!choose_can(a->chain[i], t->g->facts, &t->g->target))
      return false;
  return true;
}

static void make_cluster(gathering *t) {
  grouping *g = t->g;
  uint32_t number = g->cluster_count++, first = t->members[0], last = first;
  for (uint32_t i = 0; i < t->count; i++) {
    g->nodes[t->members[i]].cluster = number;
    g->nodes[t->members[i]].next = i + 1 < t->count ? t->members[i + 1] : GROUP_NONE;
    if (t->members[i] < first)
      first = t->members[i];
    if (t->members[i] > last)
      last = t->members[i];
  }
  g->clusters[number] = (op_cluster){.kind = GROUP_ATTENTION,
                                     .head = t->members[0],
                                     .tail = t->members[t->count - 1],
                                     .ops = t->count,
                                     .first = first,
                                     .last = last,
                                     .segment = g->nodes[first].segment};
}

static void gather(grouping *g, const choose_attention *choice) {
  const attention *a = &choice->found;
  gathering t = {.g = g, .a = a};
  add_member(&t, a->second);
  add_member(&t, a->quotient);
  add_member(&t, a->sum);
  add_member(&t, a->exp);
  add_member(&t, a->shift);
  add_member(&t, a->max);
  for (int i = a->chain_count; i-- > 0;)
    add_member(&t, a->chain[i]);
  add_member(&t, a->first);
  if (t.full || !can_compile(&t))
    return;
  take_before(&t, a->q, 0);
  take_before(&t, a->k, 0);
  take_before(&t, a->v, 0);
  t.full = false;
  // The width axis must stay innermost in the result.
  int rank = a->two.out.rank;
  if (choice->turn && choice->from[rank - 1] == rank - 1 &&
      a->two.out.map[rank - 1].factor[a->width])
    add_member(&t, choice->turn);
  take_rounding(&t, pir_op_result(is_member(&t, choice->turn) ? choice->turn : a->second, 0));
  make_cluster(&t);
}

void group_attention(grouping *g) {
  for (uint32_t i = 0; i < g->count; i++) {
    const node *n = &g->nodes[i];
    choose_attention a;
    bool is_contraction = n->clause && n->clause->kind == PIR_CLAUSE_CONTRACT;
    if (is_contraction && choose_find_attention(n->op, g->facts, &g->target, &a))
      gather(g, &a);
  }
}
