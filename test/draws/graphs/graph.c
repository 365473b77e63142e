// Graphs as data, and their programs. A graph is kept apart from the program, because the same
// graph is built in several widths and is reduced by leaving parts out.
#include "graph.h"
#include "../noise.h"

#include <pir/compiler/dialect/builtin.h>
#include <pir/compiler/dialect/cf.h>
#include <pir/compiler/dialect/pd_op.h>

#include <stdlib.h>
#include <string.h>

// ---- parts

bool graph_create(graph *g, pir_context *ctx, draw_noise *noise) {
  *g = (graph){.ctx = ctx, .noise = noise, .block_count = 1};
  g->ops = calloc(GRAPH_OPS, sizeof *g->ops);
  g->values = calloc(GRAPH_VALUES, sizeof *g->values);
  g->parents[0] = GRAPH_NONE;
  return g->ops && g->values;
}

void graph_destroy(graph *g) {
  for (size_t i = 0; g->ops && i < g->op_count; i++)
    free(g->ops[i].call);
  for (size_t i = 0; g->values && i < g->value_count; i++)
    free(g->values[i].data);
  free(g->ops);
  free(g->values);
  *g = (graph){0};
}

static size_t bytes_of(const draw_tensor *t) {
  size_t bytes = 0;
  return pir_shape_bytes(t->shape, t->rank, t->dtype, &bytes) ? 0 : bytes;
}

bool graph_copy(const graph *from, graph *out) {
  if (!graph_create(out, from->ctx, from->noise))
    return false;
  memcpy(out->ops, from->ops, GRAPH_OPS * sizeof *out->ops);
  memcpy(out->values, from->values, GRAPH_VALUES * sizeof *out->values);
  memcpy(out->parents, from->parents, sizeof out->parents);
  out->op_count = from->op_count;
  out->value_count = from->value_count;
  out->block_count = from->block_count;
  bool whole = true;
  for (size_t i = 0; i < out->op_count; i++) {
    graph_op *op = &out->ops[i];
    draw *call = op->call ? malloc(sizeof *call) : NULL;
    whole &= !op->call == !call;
    if (call)
      *call = *op->call;
    op->call = call;
  }
  for (size_t i = 0; i < out->value_count; i++) {
    graph_value *v = &out->values[i];
    size_t bytes = v->data ? bytes_of(&v->type) : 0;
    void *data = v->data ? malloc(bytes + 1) : NULL;
    whole &= !v->data == !data;
    if (data)
      memcpy(data, v->data, bytes);
    v->data = data;
    v->type.data = v->type.data ? data : NULL;
  }
  return whole;
}

int graph_add_value(graph *g, const graph_value *value) {
  if (g->value_count == GRAPH_VALUES)
    return GRAPH_NONE;
  g->values[g->value_count] = *value;
  return (int)g->value_count++;
}

int graph_add_op(graph *g, graph_kind kind, int block) {
  if (g->op_count == GRAPH_OPS)
    return GRAPH_NONE;
  graph_op *op = &g->ops[g->op_count];
  *op = (graph_op){.kind = (uint8_t)kind, .block = (int16_t)block};
  for (size_t i = 0; i < GRAPH_READS; i++)
    op->reads[i] = GRAPH_NONE;
  return (int)g->op_count++;
}

int graph_add_block(graph *g, int op) {
  if (g->block_count == GRAPH_BLOCKS)
    return GRAPH_NONE;
  g->parents[g->block_count] = (int16_t)op;
  return (int)g->block_count++;
}

bool graph_sees(const graph *g, int block, int from) {
  while (from != block && from > 0)
    from = g->ops[g->parents[from]].block;
  return from == block;
}

size_t graph_live_ops(const graph *g) {
  size_t n = 0;
  for (size_t i = 0; i < g->op_count; i++)
    n += g->ops[i].kind != GRAPH_GONE;
  return n;
}

// ---- what is read

static size_t yields_of(const graph_op *op) {
  return op->kind == GRAPH_WHILE ? op->carried + 1u : op->carried;
}

static size_t regions_of(const graph_op *op) {
  if (op->kind == GRAPH_IF)
    return 2;
  return op->kind == GRAPH_WHILE ? 1 : 0;
}

void graph_mark_read(const graph *g, bool *read) {
  memset(read, 0, GRAPH_VALUES * sizeof *read);
  for (size_t i = 0; i < g->op_count; i++) {
    const graph_op *op = &g->ops[i];
    if (op->kind == GRAPH_GONE)
      continue;
    for (size_t k = 0; k < GRAPH_READS; k++)
      if (op->reads[k] >= 0)
        read[op->reads[k]] = true;
    for (size_t r = 0; r < regions_of(op); r++)
      for (size_t k = 0; k < yields_of(op); k++)
        read[op->yields[r][k]] = true;
  }
}

static bool gives_any(const graph *g, size_t op, const bool *read) {
  for (size_t i = 0; i < g->value_count; i++) {
    const graph_value *v = &g->values[i];
    if (v->source == GRAPH_RESULT && (size_t)v->op == op && (read[i] || v->fetched))
      return true;
  }
  return false;
}

static bool is_within(const graph *g, int block, int op) {
  for (; block > 0; block = g->ops[g->parents[block]].block)
    if (g->parents[block] == op)
      return true;
  return false;
}

static void drop_op(graph *g, int op) {
  for (size_t i = 0; i < g->op_count; i++)
    if ((int)i == op || is_within(g, g->ops[i].block, op))
      g->ops[i].kind = GRAPH_GONE;
  for (size_t i = 0; i < g->value_count; i++) {
    graph_value *v = &g->values[i];
    if (v->source == GRAPH_RESULT && g->ops[v->op].kind == GRAPH_GONE)
      v->fetched = false;
  }
}

void graph_sweep(graph *g) {
  bool read[GRAPH_VALUES], again = true;
  while (again) {
    again = false;
    graph_mark_read(g, read);
    for (size_t i = g->op_count; i-- > 0;)
      if (g->ops[i].kind != GRAPH_GONE && !gives_any(g, i, read)) {
        drop_op(g, (int)i);
        again = true;
      }
  }
}

static bool reads_gone(const graph *g, const graph_op *op) {
  bool gone = false;
  for (size_t k = 0; k < GRAPH_READS; k++) {
    const graph_value *v = op->reads[k] >= 0 ? &g->values[op->reads[k]] : NULL;
    gone |= v && v->source == GRAPH_RESULT && g->ops[v->op].kind == GRAPH_GONE;
  }
  for (size_t r = 0; r < regions_of(op); r++)
    for (size_t k = 0; k < yields_of(op); k++) {
      const graph_value *v = &g->values[op->yields[r][k]];
      gone |= v->source == GRAPH_RESULT && g->ops[v->op].kind == GRAPH_GONE;
    }
  return gone;
}

void graph_remove_op(graph *g, int op) {
  bool again = true;
  drop_op(g, op);
  while (again) {
    again = false;
    for (size_t i = 0; i < g->op_count; i++)
      if (g->ops[i].kind != GRAPH_GONE && reads_gone(g, &g->ops[i])) {
        drop_op(g, (int)i);
        again = true;
      }
  }
}

void graph_fetch_ends(graph *g) {
  bool read[GRAPH_VALUES];
  size_t count = 0;
  graph_mark_read(g, read);
  for (size_t i = 0; i < g->value_count; i++)
    count += g->values[i].fetched;
  for (size_t i = g->value_count; i-- > 0 && count < GRAPH_MOST_FETCHED;) {
    graph_value *v = &g->values[i];
    bool live = v->source == GRAPH_RESULT && g->ops[v->op].kind != GRAPH_GONE && !v->block;
    if (!live || read[i] || v->fetched)
      continue;
    v->fetched = true;
    count++;
  }
}

bool graph_take_tensor(graph_value *v, const pir_tensor *from) {
  size_t bytes;
  if (from->rank > DRAW_RANK || pir_shape_bytes(from->shape, from->rank, from->dtype, &bytes))
    return false;
  v->type = (draw_tensor){.dtype = from->dtype, .rank = from->rank};
  memcpy(v->type.shape, from->shape, (size_t)from->rank * sizeof *from->shape);
  v->data = malloc(bytes + 1);
  if (!v->data)
    return false;
  memcpy(v->data, from->data, bytes);
  v->type.data = v->data;
  return true;
}

// ---- changes

int graph_first_alike(const graph *g, int value) {
  const graph_op *op = &g->ops[g->values[value].op];
  const draw_tensor *t = &g->values[value].type;
  for (size_t k = 0; k < GRAPH_READS; k++) {
    const draw_tensor *read = op->reads[k] >= 0 ? &g->values[op->reads[k]].type : NULL;
    bool alike = read && read->dtype == t->dtype && read->rank == t->rank;
    if (alike && !memcmp(read->shape, t->shape, (size_t)t->rank * sizeof *t->shape))
      return op->reads[k];
  }
  return GRAPH_NONE;
}

void graph_replace(graph *g, int from, int to) {
  for (size_t i = 0; i < g->op_count; i++) {
    graph_op *op = &g->ops[i];
    for (size_t k = 0; k < GRAPH_READS; k++)
      if (op->reads[k] == from)
        op->reads[k] = (int16_t)to;
    for (size_t r = 0; r < regions_of(op); r++)
      for (size_t k = 0; k < yields_of(op); k++)
        if (op->yields[r][k] == from)
          op->yields[r][k] = (int16_t)to;
  }
  bool result = g->values[to].source == GRAPH_RESULT && !g->values[to].block;
  g->values[to].fetched |= g->values[from].fetched && result;
  g->values[from].fetched = false;
}

bool graph_has_extent(const graph *g, int64_t extent) {
  bool read[GRAPH_VALUES];
  graph_mark_read(g, read);
  for (size_t i = 0; i < g->value_count; i++)
    for (int32_t a = 0; read[i] && a < g->values[i].type.rank; a++)
      if (g->values[i].type.shape[a] == extent)
        return true;
  return false;
}

static const pir_attr *changed_attr(pir_context *ctx, const pir_attr *attr, int64_t from,
                                    int64_t to) {
  const pir_attr *items[DRAW_ITEMS];
  int64_t ints[DRAW_ITEMS], n;
  size_t count = attr ? pir_attr_elements(attr) : 0;
  if (!attr)
    return NULL;
  pir_attr_kind kind = pir_attr_kind_of(attr);
  if ((kind == PIR_ATTR_I32 || kind == PIR_ATTR_I64) && pir_attr_as_int(attr, &n))
    return n == from ? pir_attr_int(ctx, kind, to) : attr;
  if (count > DRAW_ITEMS || (kind != PIR_ATTR_INT_ARRAY && kind != PIR_ATTR_ARRAY))
    return attr;
  for (size_t i = 0; i < count; i++) {
    if (kind == PIR_ATTR_ARRAY)
      items[i] = changed_attr(ctx, pir_attr_element(attr, i), from, to);
    else if (!pir_attr_int_at(attr, i, &ints[i]))
      return attr;
    else if (ints[i] == from)
      ints[i] = to;
  }
  return kind == PIR_ATTR_ARRAY ? pir_attr_array(ctx, items, count)
                                : pir_attr_int_array(ctx, ints, count);
}

static void change_call(draw *d, int64_t from, int64_t to) {
  for (size_t k = 0; k < d->def->operand_count; k++)
    for (size_t i = 0; i < d->operands[k].count && d->operands[k].form == DRAW_INTS; i++)
      if (d->operands[k].ints[i] == from)
        d->operands[k].ints[i] = to;
  for (size_t i = 0; i < d->def->attr_count; i++)
    d->attrs[i] = changed_attr(d->ctx, d->attrs[i], from, to);
}

void graph_set_extent(graph *g, int64_t extent, int64_t to) {
  for (size_t i = 0; i < g->op_count; i++)
    if (g->ops[i].kind == GRAPH_CALL)
      change_call(g->ops[i].call, extent, to);
  for (size_t i = 0; i < g->value_count; i++) {
    draw_tensor *t = &g->values[i].type;
    bool changed = false;
    for (int32_t a = 0; a < t->rank; a++)
      if (t->shape[a] == extent) {
        t->shape[a] = to;
        changed = true;
      }
    if (changed)
      t->data = NULL;
  }
}

// ---- names

static pir_str name_value(int value, char *out, size_t size) {
  return (pir_str){out, pir_text_format(out, size, "v%d", value)};
}

int graph_value_of(const graph *g, pir_str name) {
  int number = 0;
  if (name.size < 2 || name.size > 5 || name.data[0] != 'v')
    return GRAPH_NONE;
  for (size_t i = 1; i < name.size; i++)
    number = 10 * number + (name.data[i] - '0');
  return number >= 0 && (size_t)number < g->value_count ? number : GRAPH_NONE;
}

const draw_tensor *graph_find(const void *user, pir_str name) {
  const graph *g = user;
  int value = graph_value_of(g, name);
  return value >= 0 ? &g->values[value].type : NULL;
}

// ---- its program

typedef struct emission {
  const graph *g;
  draw_building b;
  pir_value *values[GRAPH_VALUES];
  bool shown[GRAPH_VALUES];
} emission;

static const pir_type *type_of(const emission *e, const graph_value *v) {
  bool wide = e->b.width != DRAW_AS_IS;
  int64_t stated[DRAW_RANK];
  for (int32_t i = 0; i < v->type.rank; i++)
    stated[i] = !wide && v->type.unknown >> i & 1 ? -1 : v->type.shape[i];
  pir_dtype dtype = wide ? draw_widened(v->type.dtype) : v->type.dtype;
  return pir_type_tensor(e->g->ctx, dtype, (pir_shape){stated, (size_t)v->type.rank});
}

// Takes the results of a list apart; all members are values of the graph, in order.
static void put_members(emission *e, int op, pir_value *list, int result) {
  const pir_type *types[DRAW_OUTPUTS];
  size_t count = 0;
  for (size_t i = 0; i < e->g->value_count && count < DRAW_OUTPUTS; i++) {
    const graph_value *v = &e->g->values[i];
    if (v->source == GRAPH_RESULT && v->op == op && v->result == result)
      types[count++] = type_of(e, v);
  }
  pir_value_set_type(list, pir_type_vector(e->g->ctx, types, count));
  pir_op *members = draw_put_members(&e->b, list);
  for (size_t i = 0; i < e->g->value_count; i++) {
    const graph_value *v = &e->g->values[i];
    if (v->source == GRAPH_RESULT && v->op == op && v->result == result)
      e->values[i] = pir_op_result(members, (size_t)v->member);
  }
}

// The readers of an f32 that an op makes of integers read other operands as f64.
static pir_value *as_wide(emission *e, pir_value *value) {
  pir_named_attr dtype = draw_named(e->g->ctx, "dtype", pir_attr_dtype(e->g->ctx, PIR_F64));
  const pir_type *type = pir_type_tensor(e->g->ctx, PIR_F64, (pir_shape){NULL, 0});
  pir_op *cast = draw_put(&e->b, &(pir_op_spec){.def = pir_context_op(e->g->ctx, PD_CAST),
                                                .operands = &value,
                                                .operand_count = 1,
                                                .result_types = &type,
                                                .result_count = 1,
                                                .attrs = &dtype,
                                                .attr_count = 1});
  return pir_op_result(cast, 0);
}

// A float as an op gives it that rounds without noise of its own: its first power, of the copy
// of pd_op.pow with noise.
static pir_value *as_rounded(emission *e, const draw *d, pir_value *value) {
  pir_context *ctx = e->g->ctx;
  draw_noise_kind kind = e->b.again ? DRAW_OF_FLOATS_AGAIN : DRAW_OF_FLOATS;
  const pir_opdef *power = pir_context_opdef(ctx, PIR_STR("pd_op.pow"));
  const pir_type *type = pir_type_tensor(ctx, PIR_F64, (pir_shape){NULL, 0});
  pir_named_attr one = draw_named(ctx, "y", pir_attr_float(ctx, PIR_ATTR_F32, 1));
  pir_op *op = draw_put(&e->b, &(pir_op_spec){.def = draw_noise_of(d->noise, kind, power),
                                              .operands = &value,
                                              .operand_count = 1,
                                              .result_types = &type,
                                              .result_count = 1,
                                              .attrs = &one,
                                              .attr_count = 1});
  return pir_op_result(op, 0);
}

// Whether an op rounds its results and its own noise does not show how far: it has none, or
// parts of it have none, or it gives partial sums, each of which is rounded, while noise moves
// what they are sums of.
static bool rounds_unseen(const emission *e, const graph_op *op) {
  if (op->kind != GRAPH_CALL)
    return false;
  bool noisy = draw_is_noisy(op->call, e->b.floats);
  const pir_opdef *def = op->call->def;
  bool called = def->hooks.expand || draw_calls(def);
  return called || draw_scans(def) || (!noisy && draw_rounds(def));
}

static void note_results(emission *e, int op, pir_op *made) {
  bool unseen = e->b.width == DRAW_NOISY && rounds_unseen(e, &e->g->ops[op]);
  for (size_t i = 0; i < e->g->value_count; i++) {
    const graph_value *v = &e->g->values[i];
    if (v->source != GRAPH_RESULT || v->op != op)
      continue;
    pir_value *result = pir_op_result(made, (size_t)v->result);
    bool narrow = e->g->ops[op].narrow && e->b.width != DRAW_AS_IS && v->type.dtype == PIR_F32;
    if (!v->member)
      put_members(e, op, result, v->result);
    if (v->member != GRAPH_NONE)
      continue;
    e->values[i] = narrow ? as_wide(e, result) : result;
    if (unseen && !draw_is_exact(v->type.dtype))
      e->values[i] = as_rounded(e, e->g->ops[op].call, e->values[i]);
  }
}

// Says of an op what its noise depends on. Lower blocks of different ops are made of the same
// ops, whose errors may cancel out where they are equal.
static void note_noise(emission *e, int at) {
  const graph_op *op = &e->g->ops[at];
  e->b.again = draw_noise_swaps(op->call->noise, op->call->def);
  e->b.floats = !op->narrow;
  for (int i = 0; i < at; i++) {
    const graph_op *before = &e->g->ops[i];
    e->b.again ^= before->kind == GRAPH_CALL && before->call->def == op->call->def;
  }
  for (size_t i = 0; i < e->g->value_count; i++) {
    const graph_value *v = &e->g->values[i];
    if (v->source == GRAPH_RESULT && v->op == at)
      e->b.floats &= !draw_is_exact(v->type.dtype);
  }
}

static void put_call(emission *e, int at) {
  const graph_op *op = &e->g->ops[at];
  pir_value *bound[GRAPH_READS];
  note_noise(e, at);
  for (size_t i = 0; i < GRAPH_READS; i++)
    bound[i] = op->reads[i] >= 0 ? e->values[op->reads[i]] : NULL;
  note_results(e, at, draw_put_op(&e->b, op->call, bound));
}

static void put_block(emission *e, int block);

// Fills region r of a branch or loop, and yields.
static void put_region(emission *e, const graph_op *op, pir_op *made, size_t r) {
  pir_block *outer = e->b.block;
  pir_value *yields[GRAPH_CARRIED + 1];
  e->b.block = pir_region_append_block(pir_op_region(made, r));
  for (size_t i = 0; i < e->g->value_count; i++) {
    const graph_value *v = &e->g->values[i];
    if (v->source == GRAPH_ARGUMENT && v->block == op->regions[r])
      e->values[i] = pir_block_add_argument(e->b.block, type_of(e, v));
  }
  put_block(e, op->regions[r]);
  for (size_t k = 0; k < yields_of(op); k++)
    yields[k] = e->values[op->yields[r][k]];
  draw_put(&e->b, &(pir_op_spec){.def = pir_context_op(e->g->ctx, CF_YIELD),
                                 .operands = yields,
                                 .operand_count = yields_of(op)});
  e->b.block = outer;
}

static void put_control(emission *e, int at) {
  const graph_op *op = &e->g->ops[at];
  bool loop = op->kind == GRAPH_WHILE;
  pir_value *operands[GRAPH_CARRIED + 1];
  const pir_type *types[GRAPH_CARRIED];
  size_t count = loop ? op->carried + 1u : 1;
  for (size_t i = 0; i < count; i++)
    operands[i] = e->values[op->reads[i]];
  for (size_t i = 0; i < e->g->value_count; i++) {
    const graph_value *v = &e->g->values[i];
    if (v->source == GRAPH_RESULT && v->op == at)
      types[v->result] = type_of(e, v);
  }
  pir_op *made =
      draw_put(&e->b, &(pir_op_spec){.def = pir_context_op(e->g->ctx, loop ? PD_WHILE : PD_IF),
                                     .operands = operands,
                                     .operand_count = count,
                                     .result_types = types,
                                     .result_count = op->carried,
                                     .region_count = loop ? 1 : 2});
  for (size_t r = 0; r < regions_of(op); r++)
    put_region(e, op, made, r);
  note_results(e, at, made);
}

static void put_block(emission *e, int block) {
  for (size_t i = 0; i < e->g->op_count; i++) {
    const graph_op *op = &e->g->ops[i];
    if (op->block != block || op->kind == GRAPH_GONE)
      continue;
    if (op->kind == GRAPH_CALL)
      put_call(e, (int)i);
    else
      put_control(e, (int)i);
  }
}

static bool is_wanted(const graph *g, const graph_value *v, graph_outputs outputs, int of_op) {
  if (v->source != GRAPH_RESULT || v->block || g->ops[v->op].kind == GRAPH_GONE)
    return false;
  if (outputs == GRAPH_OF_OP)
    return v->op == of_op;
  return outputs == GRAPH_ALL ? !v->written : v->fetched;
}

pir_program *graph_program(const graph *g, draw_width width, graph_outputs outputs, int of_op,
                           char *text) {
  emission *e = calloc(1, sizeof *e);
  bool read[GRAPH_VALUES];
  char name[16];
  if (!e)
    return NULL;
  e->g = g;
  draw_build(&e->b, g->ctx, width);
  graph_mark_read(g, read);
  for (size_t i = 0; i < g->value_count; i++)
    if (g->values[i].source == GRAPH_INPUT && read[i])
      e->values[i] =
          draw_put_input(&e->b, &g->values[i].type, name_value((int)i, name, sizeof name));
  put_block(e, 0);
  for (size_t i = 0; i < g->value_count; i++)
    if (is_wanted(g, &g->values[i], outputs, of_op))
      draw_put_output(&e->b, e->values[i], name_value((int)i, name, sizeof name));
  pir_program *program = draw_built(&e->b, text);
  free(e);
  return program;
}
