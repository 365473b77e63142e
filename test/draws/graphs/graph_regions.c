// Branches and loops of a graph. Their regions are drawn like the graph itself, over the values
// that they see. A loop counts to a number that is an input, so that nothing folds it; what it
// carries keeps its type from one iteration to the next.
#include "graph_growth.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_TRIPS = 4, REGION_OPS = 4, REGION_TRIES = 12 };

static bool same_tensor_type(const draw_tensor *a, const draw_tensor *b) {
  return a->dtype == b->dtype && a->rank == b->rank &&
         !memcmp(a->shape, b->shape, (size_t)a->rank * sizeof *a->shape);
}

static void grow_region(growth *w, int block) {
  int outer = w->block, wanted = 1 + (int)growth_below(w, REGION_OPS);
  size_t from = w->g->op_count;
  w->block = block;
  w->depth++;
  for (int i = 0; i < REGION_TRIES && w->g->op_count < from + (size_t)wanted; i++)
    growth_add_op(w);
  w->depth--;
  w->block = outer;
}

// ---- ops that are not drawn

static int add_scalar(growth *w, pir_dtype dtype, int64_t from, int64_t to) {
  draw_tensor t = {.dtype = dtype,
                   .rank = 1,
                   .shape = {1},
                   .from = from,
                   .to = to,
                   .seed = draw_random(&w->random)};
  return growth_add_input(w, &t);
}

// An op of two tensors, with its first result.
static int add_pair(growth *w, const char *name, int block, int a, int b, pir_dtype dtype) {
  const pir_opdef *def = pir_context_opdef(w->g->ctx, pir_str_from(name));
  int op = graph_add_op(w->g, GRAPH_CALL, block);
  draw *d = op < 0 ? NULL : malloc(sizeof *d);
  if (!d)
    exit(70);
  draw_start_op(d, w->g->ctx, w->g->noise, def, 0);
  const int reads[2] = {a, b};
  for (int k = 0; k < 2; k++) {
    d->operands[k] = (draw_operand){
        .form = DRAW_TENSOR, .count = 1, .members = {w->g->values[reads[k]].type}};
    d->operands[k].members[0].data = NULL;
    w->g->ops[op].reads[k * DRAW_MEMBERS] = (int16_t)reads[k];
  }
  for (size_t i = 0; i < def->attr_count; i++)
    d->attrs[i] = NULL;
  w->g->ops[op].call = d;
  graph_value v = {.type = {.dtype = dtype, .rank = 1, .shape = {1}},
                   .source = GRAPH_RESULT,
                   .op = (int16_t)op,
                   .block = (int16_t)block,
                   .member = GRAPH_NONE};
  return graph_add_value(w->g, &v);
}

// ---- results

// Runs the graph as far as it is for the numbers of a branch's or loop's results.
static bool add_control_results(growth *w, int op, const int *like, size_t count) {
  int first = (int)w->g->value_count;
  for (size_t i = 0; i < count; i++) {
    graph_value v = {.type = w->g->values[like[i]].type,
                     .source = GRAPH_RESULT,
                     .op = (int16_t)op,
                     .block = (int16_t)w->block,
                     .result = (int16_t)i,
                     .member = GRAPH_NONE};
    v.type.data = NULL;
    v.type.unknown = 0;
    if (graph_add_value(w->g, &v) < 0)
      return false;
  }
  if (w->block)
    return true;
  return graph_run_op(w->g, op, &w->run) && growth_take_results(w, first, &w->run);
}

static void undo(growth *w, size_t ops, size_t values, size_t blocks) {
  while (w->g->op_count > ops)
    free(w->g->ops[--w->g->op_count].call);
  while (w->g->value_count > values)
    free(w->g->values[--w->g->value_count].data);
  w->g->block_count = blocks;
}

// ---- branches

// A value of `block` for each of two regions, of one type; in the second region any value that
// it sees will do.
static size_t pair_yields(growth *w, graph_op *op) {
  size_t n = 0;
  for (size_t i = w->g->value_count; i-- > 0 && n < GRAPH_CARRIED;) {
    const graph_value *v = &w->g->values[i];
    if (v->block != op->regions[0] || v->written || !growth_chance(w, 70))
      continue;
    int outer = w->block;
    w->block = op->regions[1];
    int other = growth_find_type(w, &v->type, 0);
    w->block = outer;
    if (other < 0)
      continue;
    op->yields[0][n] = (int16_t)i;
    op->yields[1][n++] = (int16_t)other;
  }
  return n;
}

static int find_condition(growth *w) {
  draw_tensor one = {.dtype = PIR_BOOL, .rank = 1, .shape = {1}}, none = {.dtype = PIR_BOOL};
  int found = growth_chance(w, 50) ? growth_find_type(w, &one, 0) : GRAPH_NONE;
  if (found < 0)
    found = growth_find_type(w, &none, 0);
  return found < 0 || growth_chance(w, 30) ? add_scalar(w, PIR_BOOL, 0, 1) : found;
}

static bool add_branch(growth *w) {
  graph *g = w->g;
  int condition = find_condition(w), like[GRAPH_CARRIED];
  int at = graph_add_op(g, GRAPH_IF, w->block);
  int first = at < 0 ? GRAPH_NONE : graph_add_block(g, at);
  int second = first < 0 ? GRAPH_NONE : graph_add_block(g, at);
  if (second < 0 || condition < 0)
    return false;
  graph_op *op = &g->ops[at];
  op->reads[0] = (int16_t)condition;
  op->regions[0] = (int16_t)first;
  op->regions[1] = (int16_t)second;
  grow_region(w, first);
  grow_region(w, second);
  op->carried = (uint8_t)pair_yields(w, op);
  for (size_t i = 0; i < op->carried; i++)
    like[i] = op->yields[0][i];
  return op->carried && add_control_results(w, at, like, op->carried);
}

// ---- loops

// A value of the loop's region for each argument: one that the region computes, where there is
// one of the type, else the argument.
static void draw_next(growth *w, graph_op *op, size_t k, int argument) {
  int found = argument;
  for (size_t i = 0; i < w->g->value_count; i++) {
    const graph_value *v = &w->g->values[i];
    bool fits = v->block == op->regions[0] && v->source == GRAPH_RESULT && !v->written &&
                same_tensor_type(&v->type, &w->g->values[argument].type);
    if (fits && (found == argument || growth_chance(w, 60)))
      found = (int)i;
  }
  op->yields[0][k + 1] = (int16_t)found;
}

static int add_argument(growth *w, int block, int start, size_t k) {
  graph_value v = {.type = w->g->values[start].type,
                   .source = GRAPH_ARGUMENT,
                   .block = (int16_t)block,
                   .result = (int16_t)k,
                   .member = GRAPH_NONE};
  v.type.parameter = false;
  v.type.unknown = 0;
  if (v.type.data) {
    // The argument's own copy: the first iteration is the one whose numbers are known.
    v.data = growth_copy_data(&v.type);
    v.type.data = v.data;
  }
  return graph_add_value(w->g, &v);
}

static int pick_carried(growth *w) {
  for (int i = 0; i < 20; i++) {
    int at = (int)growth_below(w, (uint32_t)w->g->value_count);
    const graph_value *v = &w->g->values[at];
    if (growth_sees(w, v) && v->type.rank > 0)
      return at;
  }
  return GRAPH_NONE;
}

static bool add_loop(growth *w) {
  graph *g = w->g;
  size_t carried = 2 + growth_below(w, GRAPH_CARRIED - 1);
  int start[GRAPH_CARRIED] = {0}, arguments[GRAPH_CARRIED] = {0};
  int end = add_scalar(w, PIR_I64, 1, MOST_TRIPS), step = add_scalar(w, PIR_I64, 1, 1);
  start[0] = add_scalar(w, PIR_I64, 0, 0);
  for (size_t i = 1; i < carried; i++)
    if ((start[i] = pick_carried(w)) < 0)
      return false;
  int condition = add_pair(w, "pd_op.less_than", w->block, start[0], end, PIR_BOOL);
  int at = graph_add_op(g, GRAPH_WHILE, w->block);
  int block = at < 0 ? GRAPH_NONE : graph_add_block(g, at);
  if (block < 0 || condition < 0)
    return false;
  graph_op *op = &g->ops[at];
  op->regions[0] = (int16_t)block;
  op->carried = (uint8_t)carried;
  op->reads[0] = (int16_t)condition;
  for (size_t i = 0; i < carried; i++) {
    op->reads[i + 1] = (int16_t)start[i];
    arguments[i] = add_argument(w, block, start[i], i);
  }
  grow_region(w, block);
  int next = add_pair(w, "pd_op.add", block, arguments[0], step, PIR_I64);
  op->yields[0][1] = (int16_t)next;
  op->yields[0][0] = (int16_t)add_pair(w, "pd_op.less_than", block, next, end, PIR_BOOL);
  for (size_t i = 1; i < carried; i++)
    draw_next(w, op, i, arguments[i]);
  return add_control_results(w, at, start, carried);
}

bool growth_add_control(growth *w) {
  enum { DEPTH = 2, ROOM = 24 };
  size_t ops = w->g->op_count, values = w->g->value_count, blocks = w->g->block_count;
  bool room = w->depth < DEPTH && ops + ROOM < GRAPH_OPS && values + 200 < GRAPH_VALUES;
  if (!room || !values)
    return false;
  bool added = growth_chance(w, 60) ? add_branch(w) : add_loop(w);
  if (!added)
    undo(w, ops, values, blocks);
  return added;
}
