// build_cinn_pass: moves the ops that can be compiled into cinn_op.group regions. The remaining
// ops are called.
//
// Ops are visited in program order. Each op that can be compiled starts a cluster. The cluster
// is then merged with the clusters of its producers if one loop nest can compute both. The
// kinds of clusters:
//   elements   elementwise ops over one shape
//   rows       reductions over one space, and elementwise ops around them
//   contracts  one contraction and the ops on its sums; or two contractions, one reading the
//              other
//   attention  two contractions and a softmax (group_attention.c); made first, never merged
//
// Merging keeps the graph of clusters acyclic: no path may leave the union and return to it.
// The search for such a path goes backwards and stops in front of the union's stretch, so it is
// short. No cluster spans an op with effects. Finally each block is reordered so that every
// cluster is contiguous.
#include "group.h"
#include "nest.h"

#include <pir/compiler/dialect/cinn.h>
#include <pir/compiler/walk.h>
#include <pir/layer/machine_record.h>

#include <string.h>
#include <vec.h>

#define MAX_OPS 48  // of a cluster: bounds the work of compiling one
#define NO_CLUSTER GROUP_NONE

// ---- ops and clusters

node *group_producer(const grouping *g, const pir_value *v) {
  const pir_op *op = v ? pir_value_op(v) : NULL;
  return op && pir_op_block(op) == g->block ? group_node_of(g, op) : NULL;
}

static const pir_fact *result_fact(const grouping *g, const pir_op *op) {
  return pir_facts_of(g->facts, pir_op_result(op, 0));
}

// Whether all extents together are at most `few`: a call takes less time than the start of a
// group.
static bool is_small(const grouping *g, const pir_dim *shape, int rank) {
  int64_t n = 1, c;
  for (int d = 0; d < rank; d++) {
    if (!pir_dim_is_const(g->dims, shape[d], &c))
      return false;
    n = n > g->few ? n : n * c;
  }
  return n <= g->few;
}

// Whether the op only reinterprets its operand's elements in row-major order, so that the
// executor needs no copy.
bool group_only_renames(const pir_clause *c) {
  const pir_node *body = &c->nodes[c->body];
  if ((c->kind != PIR_CLAUSE_VIEW && c->kind != PIR_CLAUSE_POINTWISE) ||
      body->op != PIR_V_LOAD || body->a >= 0)
    return false;
  return body->map_kind == PIR_MAP_ALIGNED ||
         (body->map_kind == PIR_MAP_LINEAR && c->nodes[body->map].op == PIR_I_OUT_LINEAR);
}

// Marks the nodes that the clause's value consists of, because the clauses of an op share their
// nodes. Operands come before their users.
static bool mark_used(const pir_clause *c, bool *used, int most) {
  if (c->node_count > most || c->body < 0)
    return false;
  used[c->body] = true;
  for (int i = c->node_count - 1; i >= 0; i--) {
    const pir_node *n = &c->nodes[i];
    const int operands[] = {n->a, n->b, n->c,
                            n->op == PIR_V_LOAD && n->map_kind == PIR_MAP_LINEAR ? n->map : -1};
    for (size_t k = 0; used[i] && k < sizeof operands / sizeof *operands; k++)
      if (operands[k] >= 0)
        used[operands[k]] = true;
  }
  return true;
}

static bool reads_aligned(const pir_clause *c) {
  enum { MOST_NODES = 512 };
  bool used[MOST_NODES] = {false};
  if (!mark_used(c, used, MOST_NODES))
    return false;
  for (int i = 0; i < c->node_count; i++) {
    const pir_node *n = &c->nodes[i];
    if (!used[i])
      continue;
    if (n->op == PIR_I_OUT || n->op == PIR_I_OUT_LINEAR || n->op == PIR_I_LOAD)
      return false;
    bool fixed = n->map_kind == PIR_MAP_LINEAR &&
                 c->nodes[n->map].op == PIR_I_CONST;  // the same element everywhere
    if (n->op == PIR_V_LOAD && n->map_kind != PIR_MAP_ALIGNED && !fixed)
      return false;
  }
  return true;
}

// ---- which ops start a cluster

static bool start_rows(grouping *g, const pir_op *op, op_cluster *c) {
  lower_space space;
  if (!choose_row_space(op, g->facts, &space))
    return false;
  c->rank = space.rank;
  memcpy(c->shape, space.extent, sizeof c->shape);
  memcpy(c->reduced, space.reduced, sizeof c->reduced);
  return true;
}

// Whether the extent `dim` is known only by running this very op; no group could allocate the
// result before.
static bool shows_extent(const grouping *g, const pir_op *op, pir_dim dim, int depth) {
  if (depth > 32)
    return true;
  switch (pir_dim_kind_of(g->dims, dim)) {
    case PIR_DIM_CONST:
    case PIR_DIM_NEGATIVE: return false;
    case PIR_DIM_SYMBOL: {
      const pir_value *source =
          pir_facts_symbol(g->facts, pir_dim_symbol_index(g->dims, dim)).value;
      return source && pir_value_op(source) == op;
    }
    default:
      for (size_t i = 0; i < pir_dim_operands(g->dims, dim); i++)
        if (shows_extent(g, op, pir_dim_operand(g->dims, dim, i), depth + 1))
          return true;
      return false;
  }
}

static bool is_late(const grouping *g, const pir_op *op) {
  for (size_t i = 0; i < pir_op_results(op); i++) {
    const pir_fact *f = pir_facts_of(g->facts, pir_op_result(op, i));
    for (int d = 0; d < f->rank; d++)
      if (shows_extent(g, op, f->shape[d], 0))
        return true;
    for (size_t k = 0; f->contents && k < f->content_count; k++)
      if (f->contents[k] != PIR_DIM_UNKNOWN && shows_extent(g, op, f->contents[k], 0))
        return true;
  }
  return false;
}

// A cluster has the iteration space of the op's first result; the other results must have the
// same space.
static bool one_space(const grouping *g, const pir_op *op, const pir_clause *first) {
  const pir_fact *f = result_fact(g, op);
  for (const pir_clause *c = first->next; c; c = c->next) {
    const pir_value *v = c->result < pir_op_results(op) ? pir_op_result(op, c->result) : NULL;
    if (c->result == first->result || !v || !pir_value_type(v) || pir_value_unused(v))
      continue;
    const pir_fact *other = pir_facts_of(g->facts, v);
    if (c->kind != first->kind || c->kind == PIR_CLAUSE_CONTRACT ||
        !pir_dims_equal(g->dims, f->shape, f->rank, other->shape, other->rank))
      return false;
    if (c->axes_attr != first->axes_attr || c->axes_operand != first->axes_operand)
      return false;
  }
  return true;
}

// Whether every used result is elementwise. Then results with different spaces become separate
// nests.
static bool all_by_element(const pir_op *op, const pir_clause *first) {
  for (const pir_clause *c = first; c; c = c->next) {
    const pir_value *v = c->result < pir_op_results(op) ? pir_op_result(op, c->result) : NULL;
    if (!v || !pir_value_type(v) || pir_value_unused(v))
      continue;
    if (c->kind != PIR_CLAUSE_POINTWISE && c->kind != PIR_CLAUSE_VIEW &&
        c->kind != PIR_CLAUSE_GATHER)
      return false;
  }
  return true;
}

// Whether the op repeats elements, on a device. On a processor it is called, which costs no
// transfer there.
static bool repeats_on_device(const grouping *g, const pir_op *op) {
  const pir_clause *clause = pir_op_meaning(op)->clause;
  const pir_node *body = &clause->nodes[clause->body];
  if (!g->target.device || body->map_kind != PIR_MAP_ALIGNED)
    return false;
  const pir_fact *from = pir_facts_of(g->facts, pir_op_operand(op, (size_t)body->k)),
                 *to = result_fact(g, op);
  return !pir_dims_equal(g->dims, from->shape, from->rank, to->shape, to->rank);
}

// Whether the result is computed on the host of a device although it could be compiled: it
// decides on shapes.
static bool decides_shapes(const grouping *g, const pir_fact *f) {
  return g->target.device && f->contents;
}

// Whether the op computes each result element by element and does nothing else. This is true of
// ops that write over their operands, too, since forward_writes_pass let all readers of the
// written memory read the results.
static bool only_computes(const pir_op *op) {
  const pir_clause *first = pir_op_meaning(op)->clause;
  for (size_t i = 0; i < pir_op_results(op); i++) {
    const pir_value *v = pir_op_result(op, i);
    const pir_clause *c = v && pir_value_type(v) ? first : NULL;
    while (c && c->result != i)
      c = c->next;
    if (v && pir_value_type(v) && !c)
      return false;
  }
  return first && all_by_element(op, first);
}

static bool is_barrier(const pir_op *op) {
  uint32_t traits = pir_op_def(op)->traits;
  if (traits & (PIR_PARAMETER | PIR_CONSTANT | PIR_INPUT | PIR_OUTPUT | PIR_TERMINATOR))
    return false;
  if (traits & (PIR_RANDOM | PIR_CONTROL))
    return true;
  return traits & PIR_INPLACE ? !only_computes(op) : !(traits & PIR_PURE);
}

static void start_alone(op_cluster *c, group_kind kind) {
  c->kind = (uint8_t)kind;
  c->alone = true;
}

static const char *start_kernel(const grouping *g, const node *n, op_cluster *c) {
  if (n->once)
    return "it runs once";
  bool steps = lower_has_steps(n->op), kernel = lower_has_kernel(n->op) && !is_barrier(n->op);
  if (!g->target.device || !(steps || kernel))
    return "no clause says what an element is";
  const char *why = is_late(g, n->op) ? "only running it shows how large its result is" : NULL;
  if (!why && kernel)
    why = choose_refusal(n->op, g->facts, &g->target, g->arena);
  *c = (op_cluster){.rank = result_fact(g, n->op)->rank};
  start_alone(c, steps ? GROUP_STEPS : GROUP_KERNEL);
  return why || !decides_shapes(g, result_fact(g, n->op)) ? why : "few elements";
}

// Returns NULL if the op starts a cluster, else the reason why it is not compiled.
static const char *start_cluster(grouping *g, const node *n, op_cluster *c) {
  static const char few[] = "few elements";
  const pir_clause *clause = n->clause;
  if (!clause)
    return start_kernel(g, n, c);
  const pir_fact *f = result_fact(g, n->op);
  if (group_only_renames(clause) && !repeats_on_device(g, n->op))
    return "it only renames elements";
  if (group_extends_cache(g, n->op, clause))
    return g->in_region ? "it extends a tensor that a loop carries, in place"
                        : "it extends an input of the program, which a session may do in place";
  bool alone = !one_space(g, n->op, clause);
  if (alone && !all_by_element(n->op, clause))
    return "its results are computed over different spaces";
  if (is_late(g, n->op))
    return "only running it shows how large its result is";
  const char *refusal = choose_refusal(n->op, g->facts, &g->target, g->arena);
  if (refusal)
    return refusal;
  *c = (op_cluster){.kind = GROUP_ELEMENTS, .alone = alone, .rank = f->rank};
  memcpy(c->shape, f->shape, sizeof c->shape);
  c->aligned = clause->kind == PIR_CLAUSE_POINTWISE && reads_aligned(clause);
  bool small = is_small(g, f->shape, f->rank) || decides_shapes(g, f);
  c->follows_rows =
      small && clause->kind == PIR_CLAUSE_POINTWISE && group_follows_rows(g, n->op);
  switch (clause->kind) {
    case PIR_CLAUSE_POINTWISE:
    case PIR_CLAUSE_VIEW:
    case PIR_CLAUSE_GATHER:
    case PIR_CLAUSE_WINDOW:
    case PIR_CLAUSE_JOIN: return small && !c->follows_rows ? few : NULL;
    case PIR_CLAUSE_CONTRACT:
      c->kind = GROUP_CONTRACTION;
      if (g->target.device && !choose_has_generator(n->op, g->facts, &g->target))
        start_alone(c, GROUP_SUMS);
      return NULL;
    case PIR_CLAUSE_REDUCE:
      c->kind = GROUP_ROWS;
      if (!start_rows(g, n->op, c))
        return "its reduction has no form in loops";
      return is_small(g, c->shape, c->rank) ? few : NULL;
    case PIR_CLAUSE_SCAN: start_alone(c, GROUP_SCAN); return small ? few : NULL;
    case PIR_CLAUSE_SCATTER: start_alone(c, GROUP_UPDATES); return small ? few : NULL;
    default: return "parts of a list are not compiled";
  }
}

// ---- cycles

// Stretches divide a block so that no cluster has ops in two of them. What stands before a
// stretch depends on nothing in it, even by way of clusters, whose ops are computed together.
static uint32_t start_of_stretch(grouping *g, uint32_t i) {
  while (g->nodes[i].before != i) {
    g->nodes[i].before = g->nodes[g->nodes[i].before].before;
    i = g->nodes[i].before;
  }
  return i;
}

static void join_stretches(grouping *g, const op_cluster *c) {
  for (uint32_t i = start_of_stretch(g, c->last); i > c->first; i = start_of_stretch(g, i))
    g->nodes[i].before = i - 1;
}

// Pushes the producers of `at` (a cluster or a single op). Returns true if a step outside reads
// from x or y.
static bool step_back(grouping *g, uint32_t at, const op_cluster *x, const op_cluster *y,
                      uint32_t first, uint32_t *top) {
  const op_cluster *c = at < g->cluster_count ? &g->clusters[at] : NULL;
  bool own = c == x || c == y;
  for (uint32_t i = c ? c->head : at - g->cluster_count; i != NO_CLUSTER;
       i = c ? g->nodes[i].next : NO_CLUSTER) {
    const pir_op *op = g->nodes[i].op;
    for (size_t k = 0; k < pir_op_operands(op); k++) {
      node *p = group_producer(g, pir_op_operand(op, k));
      if (!p)
        continue;
      op_cluster *of = p->cluster != NO_CLUSTER ? &g->clusters[p->cluster] : NULL;
      uint32_t index = (uint32_t)(p - g->nodes);
      if (of == x || of == y) {
        if (!own)
          return true;
        continue;
      }
      uint64_t *seen = of ? &of->seen : &p->seen;
      if ((of ? of->last : index) < first || *seen == g->stamp)
        continue;
      *seen = g->stamp;
      g->stack[(*top)++] = of ? p->cluster : g->cluster_count + index;
    }
  }
  return false;
}

// Whether a path leaves the union of x and y and returns to it. Clusters count as single steps.
static bool leads_back(grouping *g, const op_cluster *x, const op_cluster *y) {
  uint32_t first = start_of_stretch(g, x->first < y->first ? x->first : y->first), top = 0;
  g->stamp++;
  step_back(g, (uint32_t)(x - g->clusters), x, y, first, &top);
  step_back(g, (uint32_t)(y - g->clusters), x, y, first, &top);
  while (top)
    if (step_back(g, g->stack[--top], x, y, first, &top))
      return true;
  return false;
}

// ---- merging

static bool is_row_shape(const grouping *g, const op_cluster *rows, const op_cluster *other) {
  lower_space space = {.rank = rows->rank};
  memcpy(space.extent, rows->shape, sizeof space.extent);
  memcpy(space.reduced, rows->reduced, sizeof space.reduced);
  return lower_is_row_shape(g->dims, &space, other->shape, other->rank);
}

// Whether broadcasting the value to the rows' shape gives each row its own part of the value.
static bool lies_along_rows(const grouping *g, const op_cluster *rows, const pir_fact *f) {
  if (pir_dims_equal(g->dims, rows->shape, rows->rank, f->shape, f->rank))
    return true;
  if (f->rank > rows->rank)
    return false;
  for (int d = rows->rank - f->rank, own = 0; own < f->rank; d++, own++)
    if (!pir_dim_equal(g->dims, f->shape[own], rows->reduced[d] ? 1 : rows->shape[d]))
      return false;
  return true;
}

// Whether each row of `reader` needs only its own row of `maker`. A mean without the reduced
// dim can be broadcast along that same dim when the extents happen to agree; each element would
// then recompute a mean.
static bool stays_in_rows(const grouping *g, const op_cluster *rows, const op_cluster *reader,
                          const op_cluster *maker) {
  for (uint32_t i = reader->head; i != NO_CLUSTER; i = g->nodes[i].next) {
    const pir_op *op = g->nodes[i].op;
    const pir_fact *f = result_fact(g, op);
    if (!pir_dims_equal(g->dims, rows->shape, rows->rank, f->shape, f->rank))
      continue;
    for (size_t k = 0; k < pir_op_operands(op); k++) {
      const node *p = group_producer(g, pir_op_operand(op, k));
      if (!p || p->cluster == NO_CLUSTER || &g->clusters[p->cluster] != maker)
        continue;
      if (!lies_along_rows(g, rows, pir_facts_of(g->facts, pir_op_operand(op, k))))
        return false;
    }
  }
  return true;
}

// All results of an elements cluster have one shape, which must equal the shape of the rows
// cluster.
static bool goes_with_rows(const grouping *g, const op_cluster *rows, const op_cluster *other) {
  if (!stays_in_rows(g, rows, other, rows) || !stays_in_rows(g, rows, rows, other))
    return false;
  if (other->kind == GROUP_ROWS)
    return pir_dims_equal(g->dims, rows->shape, rows->rank, other->shape, other->rank) &&
           !memcmp(rows->reduced, other->reduced, sizeof rows->reduced[0] * (size_t)rows->rank);
  return other->aligned &&
         (pir_dims_equal(g->dims, rows->shape, rows->rank, other->shape, other->rank) ||
          is_row_shape(g, rows, other));
}

static const char leaves[] = "a path leads out of the group and back";
static const char *why_apart(int kind) {
  if (kind == GROUP_ELEMENTS)
    return "results over different spaces keep to themselves";
  return "scans, scatters, kernels and sums without a generator keep to themselves";
}

// Returns NULL if one loop nest can compute both clusters (one reads the other), else the
// reason why not.
static const char *hindrance(grouping *g, const op_cluster *a, const op_cluster *b) {
  if (a->alone || b->alone)
    return why_apart((a->alone ? a : b)->kind);
  if (a->segment != b->segment)
    return "an op with effects lies between";
  if (a->kind == GROUP_ATTENTION || b->kind == GROUP_ATTENTION)
    return "attention is a group of its own";
  if (a->ops + b->ops > MAX_OPS)
    return "the group would be too large";
  if (group_widens_residual(g, a, b))
    return "fewer bytes are stored in front of the cast: its reader computes it";
  if (a->kept || b->kept)
    return "others read the joined tensor too: it is made in memory, where its parts may be "
           "already";
  if (a->kind == GROUP_CONTRACTION && b->kind == GROUP_CONTRACTION) {
    const char *apart = group_not_a_pair(g, b, a);
    return !apart && leads_back(g, b, a) ? leaves : apart;
  }
  // From here on, a is the cluster of the higher kind, whose loop nest would compute both.
  if (b->kind == GROUP_CONTRACTION || (b->kind == GROUP_ROWS && a->kind == GROUP_ELEMENTS)) {
    const op_cluster *t = a;
    a = b;
    b = t;
  }
  if (a->kind == GROUP_ROWS && !goes_with_rows(g, a, b))
    return "they do not reduce over one space";
  if (a->kind == GROUP_ROWS)
    return leads_back(g, a, b) ? leaves : NULL;
  if (b->kind == GROUP_ROWS)
    return "a contraction is not computed row by row";
  if (!pir_dims_equal(g->dims, a->shape, a->rank, b->shape, b->rank))
    return "their shapes differ";
  const char *why = a->kind == GROUP_CONTRACTION ? group_no_epilogue(g, a, b) : NULL;
  return !why && leads_back(g, a, b) ? leaves : why;
}

static void merge(grouping *g, op_cluster *into, op_cluster *from) {
  bool pair = into->kind == GROUP_CONTRACTION && from->kind == GROUP_CONTRACTION;
  if (pair || from->kind > into->kind) {  // the union is of the higher kind, and of the later
    into->kind = from->kind;
    into->rank = from->rank;
    memcpy(into->shape, from->shape, sizeof into->shape);
    memcpy(into->reduced, from->reduced, sizeof into->reduced);
  }
  into->aligned &= from->aligned;
  into->paired |= from->paired || pair;
  for (uint32_t i = from->head; i != NO_CLUSTER; i = g->nodes[i].next)
    g->nodes[i].cluster = (uint32_t)(into - g->clusters);
  g->nodes[into->tail].next = from->head;
  into->tail = from->tail;
  into->ops += from->ops;
  if (from->first < into->first)
    into->first = from->first;
  if (from->last > into->last)
    into->last = from->last;
  join_stretches(g, into);
  from->head = NO_CLUSTER;
  from->ops = 0;
}

// Does not merge a join into a reader if another reader needs the joined tensor stored.
static bool is_kept(const grouping *g, const node *n, const node *list) {
  if (g->target.device || pir_value_single_use(pir_op_result(n->op, 0)))
    return false;
  for (size_t k = 0; k < pir_op_operands(list->op); k++) {
    const node *p = group_producer(g, pir_op_operand(list->op, k));
    if (p && p->cluster != NO_CLUSTER)
      return true;
  }
  return false;
}

// Returns the operand whose members the clause reads; -1 if it reads no list.
static int list_operand(const pir_clause *c) {
  for (int i = 0; i < c->node_count; i++)
    if (c->nodes[i].op == PIR_V_MEMBERS || (c->kind == PIR_CLAUSE_JOIN && i == c->body))
      return c->nodes[i].k;
  return -1;
}

// Adds the list that an op joins or folds to its cluster. False if other ops read the list or
// it comes from elsewhere: a group can name no member of a list that stays outside.
static bool take_list(grouping *g, node *n, op_cluster *c) {
  int k = n->clause ? list_operand(n->clause) : -1;
  if (k < 0)
    return true;
  node *list = group_producer(g, pir_op_operand(n->op, (size_t)k));
  if (!list || list->cluster != NO_CLUSTER || list->segment != n->segment ||
      !pir_value_single_use(pir_op_result(list->op, 0)))
    return false;
  list->cluster = n->cluster;
  c->kept = n->clause->kind == PIR_CLAUSE_JOIN && is_kept(g, n, list);
  n->next = c->tail = (uint32_t)(list - g->nodes);
  c->first = c->tail;
  c->ops = 2;
  return true;
}

static const pir_op *only_reader(const pir_value *v) {
  const pir_use *use = pir_value_first_use(v);
  return use && pir_value_single_use(v) ? pir_use_owner(use) : NULL;
}

// Adds casts that only a contraction reads to the contraction's cluster.
static bool waits_for_contraction(const grouping *g, const pir_op *op) {
  const pir_op *casts[2], *reader = only_reader(pir_op_result(op, 0));
  const pir_value *source;
  pir_dtype rounded;
  if (reader && contract_is_op(reader) && g->target.device &&
      !choose_has_generator(reader, g->facts, &g->target))
    return false;
  if (reader && contract_is_op(reader))
    return contract_trace_operand(g->facts, pir_op_result(op, 0), casts, &source, &rounded) > 0;
  if (!reader || !pir_op_results(reader))
    return false;
  const pir_op *second = only_reader(pir_op_result(reader, 0));
  return second && contract_is_op(second) &&
         contract_trace_operand(g->facts, pir_op_result(reader, 0), casts, &source, &rounded) ==
             2 &&
         casts[1] == op;
}

static void take_casts(grouping *g, node *n, op_cluster *c) {
  const pir_op *casts[2];
  const pir_value *source;
  pir_dtype rounded;
  if (c->kind != GROUP_CONTRACTION)
    return;
  for (size_t k = 0; k < pir_op_operands(n->op); k++) {
    pir_value *v = pir_op_operand(n->op, k);
    int count = v ? contract_trace_operand(g->facts, v, casts, &source, &rounded) : 0;
    for (int i = 0; i < count; i++) {
      node *cast = group_node_of(g, casts[i]);
      if (!cast || cast->cluster != NO_CLUSTER || cast->segment != n->segment)
        break;
      cast->cluster = n->cluster;
      g->nodes[c->tail].next = (uint32_t)(cast - g->nodes);
      c->tail = (uint32_t)(cast - g->nodes);
      if (c->tail < c->first)
        c->first = c->tail;
      c->ops++;
    }
  }
}

// Returns the operand of an op that only moves elements; NULL if `n` is another op or has other
// readers.
static pir_value *moved(const node *n) {
  const pir_node *body =
      n && n->clause && n->clause->body >= 0 ? &n->clause->nodes[n->clause->body] : NULL;
  if (!body || body->op != PIR_V_LOAD || body->a >= 0 || pir_op_results(n->op) != 1)
    return NULL;
  return n->clause->kind == PIR_CLAUSE_VIEW || group_only_renames(n->clause)
             ? pir_op_operand(n->op, (size_t)body->k)
             : NULL;
}

static void append_node(grouping *g, op_cluster *c, node *n) {
  uint32_t i = (uint32_t)(n - g->nodes);
  n->cluster = (uint32_t)(c - g->clusters);
  g->nodes[c->tail].next = i;
  c->tail = i;
  if (i < c->first)
    c->first = i;
  if (i > c->last)
    c->last = i;
  c->ops++;
  join_stretches(g, c);
}

// Merges reshape, move, reshape (a channel shuffle) into one move between tensors of one rank,
// which works in any memory order. Alone, each reshape would need row-major memory. `n` is the
// last of the three.
static void take_moves(grouping *g, node *n) {
  pir_value *middle = group_only_renames(n->clause) ? moved(n) : NULL;
  node *turn = group_producer(g, middle);
  pir_value *first = turn ? moved(turn) : NULL;
  node *before = group_producer(g, first);
  op_cluster *c = turn && turn->cluster != NO_CLUSTER ? &g->clusters[turn->cluster] : NULL;
  if (!c || c->ops != 1 || !turn->clause || turn->clause->kind != PIR_CLAUSE_VIEW || !before ||
      before->cluster != NO_CLUSTER)
    return;
  bool renames = before->clause && group_only_renames(before->clause);
  pir_value *source = renames ? moved(before) : NULL;
  if (!source)
    return;
  if (!pir_value_single_use(middle) || !pir_value_single_use(first) ||
      turn->segment != n->segment || before->segment != n->segment)
    return;
  const node *maker = group_producer(g, source);
  const pir_fact *from = pir_facts_of(g->facts, source), *to = result_fact(g, n->op);
  if (!maker || maker->cluster == NO_CLUSTER || from->rank != to->rank || to->rank < 3)
    return;
  append_node(g, c, before);
  append_node(g, c, n);
  c->rank = to->rank;
  memcpy(c->shape, to->shape, sizeof c->shape);
}

static void visit_node(grouping *g, uint32_t i) {
  node *n = &g->nodes[i];
  op_cluster c;
  if (n->cluster != NO_CLUSTER)
    return;  // attention has the op
  if (n->clause && group_only_renames(n->clause))
    take_moves(g, n);
  if (n->cluster != NO_CLUSTER)
    return;
  if (pir_op_results(n->op) == 1 && waits_for_contraction(g, n->op))
    return;
  const char *why = start_cluster(g, n, &c);
  if (why) {
    uint32_t plain =
        PIR_CONSTANT | PIR_INPUT | PIR_OUTPUT | PIR_PARAMETER | PIR_STRUCTURAL | PIR_TERMINATOR;
    if (!(pir_op_def(n->op)->traits & plain))
      pir_remark(n->op, "is not compiled: %s", why);
    return;
  }
  c.segment = n->segment;
  c.head = c.tail = c.first = c.last = i;
  c.ops = 1;
  n->cluster = g->cluster_count;
  if (!take_list(g, n, &c)) {
    n->cluster = NO_CLUSTER;
    pir_remark(n->op, "is not compiled: its list is read by others or made elsewhere");
    return;
  }
  take_casts(g, n, &c);
  g->clusters[g->cluster_count++] = c;
  join_stretches(g, &c);
  int kind = n->clause ? n->clause->kind : PIR_CLAUSE_VIEW;
  bool views =
      kind != PIR_CLAUSE_POINTWISE && kind != PIR_CLAUSE_REDUCE && kind != PIR_CLAUSE_CONTRACT;
  // Visits producers latest-first, so that a residual add joins the branch that it terminates.
  for (uint64_t below = UINT64_MAX; !views;) {
    const node *best = NULL;
    for (size_t k = 0; k < pir_op_operands(n->op); k++) {
      const node *p = group_producer(g, pir_op_operand(n->op, k));
      if (p && p->cluster != NO_CLUSTER && (uint64_t)(p - g->nodes) < below &&
          (!best || p > best))
        best = p;
    }
    if (!best)
      break;
    below = (uint64_t)(best - g->nodes);
    op_cluster *own = &g->clusters[n->cluster], *other = &g->clusters[best->cluster];
    if (own == other)
      continue;
    why = hindrance(g, own, other);
    if (!why)
      merge(g, other, own);
    else
      pir_remark(n->op, "is not fused with \"%.*s\": %s", (int)pir_op_name(best->op).size,
                 pir_op_name(best->op).data, why);
  }
}

// ---- the block

static void collect_nodes(grouping *g, pir_block *block) {
  uint32_t segment = g->count = 0;
  for (pir_op *op = pir_block_first(block); op; op = pir_op_next(op)) {
    if (is_barrier(op))
      segment++;
    const pir_opdef *def = pir_op_meaning(op);
    node *n = &g->nodes[g->count++];
    *n = (node){.op = op, .cluster = NO_CLUSTER, .next = NO_CLUSTER, .segment = segment};
    n->before = g->count - 1;
    pir_op_set_mark(op, g->count);
    if (is_barrier(op))
      segment++;
    else if (def->clause && !pir_op_has(op, PIR_CONSTANT) && pir_op_results(op))
      n->clause = choose_clause(op, g->facts);
  }
}

static pir_status group_block(grouping *g, pir_block *block) {
  size_t count = pir_block_count(block);
  pir_arena arena;
  pir_arena_init(&arena, pir_facts_heap(g->facts));
  g->arena = &arena;
  g->block = block;
  g->nodes = pir_arena_alloc(&arena, pir_arena_size(&arena, count + 1, sizeof *g->nodes));
  g->clusters =
      pir_arena_zalloc(&arena, pir_arena_size(&arena, count + 1, sizeof *g->clusters));
  g->stack = pir_arena_alloc(&arena, pir_arena_size(&arena, 2 * count + 4, sizeof *g->stack));
  g->cluster_count = 0;
  g->stamp = 0;
  collect_nodes(g, block);
  group_leave_once(g);
  group_attention(g);
  for (uint32_t i = 0; i < g->cluster_count; i++)
    join_stretches(g, &g->clusters[i]);
  for (uint32_t i = 0; i < g->count; i++)
    visit_node(g, i);
  pir_status status = group_materialise(g);
  if (!status)
    group_layouts(g);
  if (!status && !g->in_region) {
    group_places(g);
    status = g->failed;
  }
  if (!status)
    group_refuse_made(g);
  pir_arena_destroy(&arena);
  return status;
}

// The body of a scan runs many times, so no op in it is too small.
static pir_status group_scans(grouping *g, pir_block *block) {
  pir_status status = PIR_OK;
  int64_t few = g->few;
  g->few = 0;
  PIR_EACH_OP(op, block)
  if (pir_op_is(op, CINN_SCAN) && !g->target.device && !status)
    status = group_block(g, pir_region_first(pir_op_region(op, 0)));
  g->few = few;
  return status;
}

typedef PIR_VEC(pir_op *) op_list;

static pir_walk_result add_control(pir_op *op, void *user) {
  op_list *list = user;
  if (pir_op_has(op, PIR_CONTROL) && pir_op_regions(op))
    pir_vec_push(pir_context_arena(pir_op_context(op)), list, op);
  return PIR_WALK_CONTINUE;
}

static bool is_in_loop(const pir_op *op) {
  while (op && pir_op_def(op)->form != PIR_FORM_WHILE)
    op = pir_op_parent(op);
  return op;
}

// Groups the regions of control flow, one after the other. The body of a loop, like a scan's,
// runs many times.
static pir_status group_regions(grouping *g) {
  op_list list = {0};
  pir_status status = PIR_OK;
  int64_t few = g->few;
  if (g->target.device)
    return PIR_OK;
  pir_walk(pir_program_module(g->run->program), PIR_PRE_ORDER, add_control, &list);
  g->in_region = true;
  for (size_t i = 0; i < list.count; i++) {
    const pir_op *op = list.items[i];
    g->few = is_in_loop(op) ? 0 : few;
    for (size_t r = 0; r < pir_op_regions(op) && !status; r++)
      if (pir_region_first(pir_op_region(op, r)))
        status = group_block(g, pir_region_first(pir_op_region(op, r)));
  }
  g->in_region = false;
  g->few = few;
  pir_vec_free(pir_context_arena(g->ctx), &list);
  return status;
}

static pir_status read_target(grouping *g) {
  char name[32];
  pir_str wanted = pir_run_option(g->run, "target");
  if (!wanted.size)
    wanted = pir_str_from(pir_run_target(g->run));
  if (wanted.size < sizeof name)
    pir_text_format(name, sizeof name, "%.*s", (int)wanted.size, wanted.data);
  if (wanted.size < sizeof name && !pir_target_in(g->ctx, name, &g->target))
    return PIR_OK;
  return pir_report(g->ctx, PIR_INVALID, PIR_ERROR, PIR_LOC_UNKNOWN,
                    "option 'target' expects one of: %s", pir_target_names());
}

pir_status pir_pass_group(pir_pass_run *run) {
  grouping g = {
      .run = run, .facts = pir_run_facts(run), .ctx = pir_program_context(run->program)};
  if (!g.facts)
    return pir_run_facts_status(run);
  PIR_TRY(group_read_refusal(&g));
  PIR_TRY(read_target(&g));
  g.few = pir_run_option_int(run, "few", g.target.machine->group.few_elements);
  g.dims = pir_facts_dims(g.facts);
  if (g.target.device)
    PIR_TRY(group_slices(&g, pir_program_block(run->program)));
  PIR_TRY(group_block(&g, pir_program_block(run->program)));
  PIR_TRY(group_scans(&g, pir_program_block(run->program)));
  PIR_TRY(group_regions(&g));
  pir_run_count(run, "groups", g.made);
  pir_run_count(run, "ops in groups", g.moved);
  return PIR_OK;
}
