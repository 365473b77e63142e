// Builds the group ops from clusters: reorders the block so that every cluster is contiguous,
// moves its ops into a region, copies the constants that they read into it, and yields the
// values that other ops read. A group that fails to lower is dissolved again.
#include "group.h"

#include <pir/compiler/dialect/cf.h>
#include <pir/compiler/dialect/cinn.h>
#include <pir/compiler/walk.h>
#include <stdlib.h>

#define NONE UINT32_MAX

typedef PIR_VEC(pir_value *) value_list;

// ---- operands and results

node *group_node_of(const grouping *g, const pir_op *op) {
  uint64_t mark = op ? pir_op_mark(op) : 0;
  return mark && mark <= g->count && g->nodes[mark - 1].op == op ? &g->nodes[mark - 1] : NULL;
}

static bool contains(const value_list *list, const pir_value *v) {
  for (size_t i = 0; i < list->count; i++)
    if (list->items[i] == v)
      return true;
  return false;
}

static bool belongs_to(const grouping *g, const pir_op *op, uint32_t cluster) {
  const node *n = group_node_of(g, op);
  return n && n->cluster == cluster;
}

static bool is_read_outside(const grouping *g, pir_value *v, uint32_t cluster) {
  for (pir_use *u = pir_value_first_use(v); u; u = pir_use_next(u))
    if (!belongs_to(g, pir_use_owner(u), cluster))
      return true;
  return false;
}

static bool is_constant_value(const pir_value *v) {
  return pir_value_op(v) && pir_op_has(pir_value_op(v), PIR_CONSTANT);
}

// Whether a region of the op makes the value.
static bool is_within(const pir_op *op, const pir_value *v) {
  const pir_op *at = pir_block_parent_op(pir_value_block(v));
  while (at && at != op)
    at = pir_op_parent(at);
  return at;
}

// What a cluster reads from outside.
typedef struct reading {
  const grouping *g;
  uint32_t cluster;
  value_list *in;
  const pir_op *op;  // of the cluster; its regions' ops read, too
} reading;

static pir_walk_result add_operands(pir_op *op, void *user) {
  const reading *r = user;
  for (size_t k = 0; k < pir_op_operands(op); k++) {
    pir_value *v = pir_op_operand(op, k);
    if (!v || is_constant_value(v) || contains(r->in, v) || is_within(r->op, v) ||
        (pir_value_op(v) && belongs_to(r->g, pir_value_op(v), r->cluster)))
      continue;
    pir_vec_push(r->g->arena, r->in, v);
  }
  return PIR_WALK_CONTINUE;
}

static void find_interface(const grouping *g, uint32_t cluster, value_list *in,
                           value_list *out) {
  for (uint32_t i = g->clusters[cluster].head; i != NONE; i = g->nodes[i].next) {
    pir_op *op = g->nodes[i].op;
    pir_walk(op, PIR_PRE_ORDER, add_operands, &(reading){g, cluster, in, op});
    for (size_t k = 0; k < pir_op_results(op); k++)
      if (is_read_outside(g, pir_op_result(op, k), cluster))
        pir_vec_push(g->arena, out, pir_op_result(op, k));
  }
}

// ---- making one

// Where constants that are read from outside are copied to.
typedef struct taking {
  grouping *g;
  pir_block *body;   // of the group
  const pir_op *op;  // a member of it
} taking;

static pir_walk_result take_constants(pir_op *op, void *user) {
  const taking *t = user;
  for (size_t k = 0; k < pir_op_operands(op); k++) {
    pir_value *v = pir_op_operand(op, k);
    if (!v || !is_constant_value(v) || pir_op_block(pir_value_op(v)) == t->body ||
        is_within(t->op, v))
      continue;
    size_t index = pir_value_index(v);
    pir_op *copy = pir_op_clone(pir_value_op(v), NULL);
    pir_op_set_mark(copy, 0);
    pir_block_append(t->body, copy);
    pir_op_set_operand(op, k, pir_op_result(copy, index));
    if (pir_facts_update(t->g->facts, copy))
      t->g->failed = PIR_INVALID;
  }
  return PIR_WALK_CONTINUE;
}

static pir_op *create_group(grouping *g, pir_op *at, const value_list *in,
                            const value_list *out) {
  const pir_type **types =
      pir_arena_alloc(g->arena, pir_arena_size(g->arena, out->count + 1, sizeof *types));
  for (size_t i = 0; i < out->count; i++)
    types[i] = pir_value_type(out->items[i]);
  pir_op_spec spec = {.def = pir_context_op(g->ctx, CINN_GROUP),
                      .loc = pir_op_loc(at),
                      .operands = in->items,
                      .operand_count = in->count,
                      .result_types = types,
                      .result_count = out->count,
                      .region_count = 1};
  return pir_op_create(g->ctx, &spec);
}

static void redirect(pir_value *from, pir_value *to, const pir_op *group) {
  PIR_EACH_USE(u, from)
  if (pir_op_parent(pir_use_owner(u)) != group)
    pir_use_set(u, to);
}

static pir_op *make_group(grouping *g, uint32_t cluster) {
  value_list in = {0}, out = {0};
  const op_cluster *c = &g->clusters[cluster];
  find_interface(g, cluster, &in, &out);
  pir_op *group = create_group(g, g->nodes[c->last].op, &in, &out);
  const char *kind = choose_kind_name(c->paired ? GROUP_PAIR : (group_kind)c->kind);
  pir_op_set_attr(group, pir_name_get(g->ctx, PIR_STR("kind")),
                  pir_attr_str(g->ctx, PIR_ATTR_STR, pir_str_from(kind)));
  pir_block *body = pir_region_append_block(pir_op_region(group, 0));
  pir_block_append(g->block, group);
  for (uint32_t i = 0; i < c->ops; i++) {
    pir_op *op = g->members[i];
    pir_op_detach(op);
    pir_walk(op, PIR_PRE_ORDER, take_constants, &(taking){g, body, op});
    pir_block_append(body, op);
  }
  pir_op_spec yield = {.def = pir_context_op(g->ctx, CF_YIELD),
                       .loc = pir_op_loc(group),
                       .operands = out.items,
                       .operand_count = out.count};
  pir_block_append(body, pir_op_create(g->ctx, &yield));
  for (size_t i = 0; i < out.count; i++)
    redirect(out.items[i], pir_op_result(group, i), group);
  if (pir_facts_update(g->facts, group))
    g->failed = PIR_INVALID;
  g->made++;
  g->moved += c->ops;
  return group;
}

void group_take_apart(grouping *g, pir_op *group) {
  pir_block *body = pir_region_first(pir_op_region(group, 0));
  pir_op *yield = pir_block_last(body);
  for (size_t i = 0; i < pir_op_results(group); i++)
    pir_value_replace_uses(pir_op_result(group, i), pir_op_operand(yield, i));
  g->moved -= pir_block_count(body) - 1;
  g->made--;
  pir_op_erase(yield);
  pir_block_splice(g->block, group, body);
  pir_op_erase(group);
}

// ---- order

static int by_position(const void *a, const void *b) {
  uint64_t x = pir_op_mark(*(pir_op *const *)a), y = pir_op_mark(*(pir_op *const *)b);
  return x < y ? -1 : x > y;
}

static void place(grouping *g, uint32_t i) {
  uint32_t cluster = g->nodes[i].cluster;
  if (cluster == NONE) {
    pir_op *op = g->nodes[i].op;
    g->nodes[i].state = 2;
    pir_op_detach(op);
    pir_block_append(g->block, op);
    return;
  }
  uint32_t n = 0;
  for (uint32_t k = g->clusters[cluster].head; k != NONE; k = g->nodes[k].next) {
    g->members[n++] = g->nodes[k].op;
    g->nodes[k].state = 2;
  }
  qsort(g->members, n, sizeof *g->members, by_position);
  pir_op *group = make_group(g, cluster);
  group_refuse_choice(g, group);
  if (!choose_can_emit(group, g->facts, &g->target))
    group_take_apart(g, group);
}

// Pushes producers that are not placed yet; returns false if there are none.
static bool push_producers(grouping *g, uint32_t i, uint32_t *top) {
  uint32_t cluster = g->nodes[i].cluster, before = *top;
  for (uint32_t k = cluster == NONE ? i : g->clusters[cluster].head; k != NONE;
       k = cluster == NONE ? NONE : g->nodes[k].next) {
    g->nodes[k].state = 1;
    for (size_t o = 0; o < pir_op_operands(g->nodes[k].op); o++) {
      const pir_value *v = pir_op_operand(g->nodes[k].op, o);
      node *p = v ? group_node_of(g, pir_value_op(v)) : NULL;
      if (p && p->state == 0 && (cluster == NONE || p->cluster != cluster))
        g->stack[(*top)++] = (uint32_t)(p - g->nodes);
    }
  }
  return *top > before;
}

// Places ops depth first, starting from each op in turn, so that independent ops keep their
// order. A waiting op is met a second time on the stack, when its producers are placed.
static void place_with_producers(grouping *g, uint32_t i) {
  uint32_t top = 0;
  g->stack[top++] = i;
  while (top) {
    uint32_t at = g->stack[top - 1];
    if (g->nodes[at].state == 2) {
      top--;
    } else if (g->nodes[at].state == 1 || !push_producers(g, at, &top)) {
      top--;
      place(g, at);
    }
  }
}

pir_status group_materialise(grouping *g) {
  size_t edges = 2;
  for (uint32_t i = 0; i < g->count; i++)
    edges += pir_op_operands(g->nodes[i].op) + 1;
  g->stack = pir_arena_alloc(g->arena, pir_arena_size(g->arena, edges, sizeof *g->stack));
  g->members =
      pir_arena_alloc(g->arena, pir_arena_size(g->arena, g->count + 1, sizeof *g->members));
  for (uint32_t i = 0; i < g->count; i++)
    if (g->nodes[i].state == 0)
      place_with_producers(g, i);
  return g->failed;
}
