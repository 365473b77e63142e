// Caches that stay split: inputs that outputs go on from, as keys and values of the tokens so
// far, to which a step of a decoder adds the new tokens. A rank that computes the keys of its
// heads reads and writes no others, so a part of the input and of the output is all that it
// needs. Which outputs go on from which inputs the ops say; how a cache is split is what the
// tensors ask for that it meets. A layout with the cache split shows whether something needs it
// whole; then it is taken back.
#include "shard.h"

#include <pir/compiler/dialect/builtin.h>
#include <pir/compiler/dialect/pd_op.h>
#include <pir/compiler/walk.h>

// ---- names
static pir_str port_name(const pir_op *op) {
  const pir_attr *name = pir_op_attr_str(op, "name");
  if (!name)
    name = pir_op_attr_str(op, "output_name");
  return name && pir_attr_kind_of(name) == PIR_ATTR_STR ? pir_attr_as_str(name) : PIR_STR("");
}

// Takes the first of names with | between; returns false after the last.
static bool next_name(pir_str *rest, pir_str *out) {
  size_t n = 0;
  if (!rest->data)
    return false;
  while (n < rest->size && rest->data[n] != '|')
    n++;
  *out = (pir_str){rest->data, n};
  *rest = n < rest->size ? (pir_str){rest->data + n + 1, rest->size - n - 1} : (pir_str){0};
  return true;
}

static bool is_named(const shard_state *s, const pir_op *op) {
  pir_str rest = s->cache_names, name;
  while (next_name(&rest, &name))
    if (pir_str_equal(name, port_name(op)))
      return true;
  return false;
}

// ---- which outputs go on from which inputs
static size_t cache_group(const shard_state *s, size_t port) {
  while (s->ports.items[port].group != port)
    port = s->ports.items[port].group;
  return port;
}

static void join_groups(shard_state *s, size_t a, size_t b) {
  s->ports.items[cache_group(s, a)].group = cache_group(s, b);
}

static size_t port_of(shard_state *s, pir_op *op) {
  uint64_t *found = pir_map_place(s->arena, &s->port_of, op, 0);
  if (!*found) {
    shard_port port = {.op = op, .group = s->ports.count, .from = s->ports.count, .dim = -1};
    pir_vec_push(s->arena, &s->ports, port);
    *found = s->ports.count;
  }
  return *found - 1;
}

// Whether elements of the results are elements of operands, or of a few of them in one place
// each: what a product or a sum over a dimension gives goes on from nothing.
static bool moves_elements(const pir_op *op) {
  const pir_clause *clause = pir_op_def(op)->clause;
  if (!clause)
    return pir_op_has_any(op, PIR_STRUCTURAL | PIR_INPLACE);
  return clause->kind != PIR_CLAUSE_REDUCE && clause->kind != PIR_CLAUSE_SCAN &&
         clause->kind != PIR_CLAUSE_CONTRACT && clause->kind != PIR_CLAUSE_WINDOW;
}

// Whether an output may be the input of the next run: the length alone may differ.
static bool goes_on(const pir_value *input, const pir_value *output) {
  const pir_type *from = pir_value_type(input), *to = pir_value_type(output);
  pir_shape a = pir_type_shape(from), b = pir_type_shape(to);
  size_t others = 0;
  for (size_t i = 0; i < a.rank && a.rank == b.rank; i++)
    others += a.dims[i] != b.dims[i];
  return a.rank == b.rank && others < 2 && pir_type_dtype(from) == pir_type_dtype(to);
}

typedef struct tracing {
  shard_state *s;
  pir_map seen;
  PIR_VEC(const pir_value *) open;
  pir_op *output;
  pir_dtype dtype;  // of the output
} tracing;

// A cache may be kept in another float type than the one that ops compute with. Elements that
// become others of another kind, as extents do, are not moved.
static bool is_of_kind(const tracing *t, const pir_type *type) {
  if (!pir_type_is_tensor(type))
    return true;
  pir_dtype dtype = pir_type_dtype(type);
  return dtype == t->dtype || (pir_dtype_is_float(dtype) && pir_dtype_is_float(t->dtype));
}

static void trace_on(tracing *t, const pir_value *value) {
  const pir_type *type = value ? pir_value_type(value) : NULL;
  if (!type || pir_map_find(&t->seen, value) || !is_of_kind(t, type))
    return;
  pir_map_put(t->s->arena, &t->seen, value, 1);
  pir_vec_push(t->s->arena, &t->open, value);
}

static void reach(tracing *t, const pir_value *value) {
  shard_state *s = t->s;
  pir_op *op = pir_value_op(value);
  if (!op)
    return;
  if (!pir_op_has(op, PIR_INPUT)) {
    for (size_t i = 0; i < pir_op_operands(op) && moves_elements(op); i++)
      trace_on(t, pir_op_operand(op, i));
    return;
  }
  if (!goes_on(value, pir_op_operand(t->output, 0)) ||
      (s->cache_names.size && !is_named(s, op) && !is_named(s, t->output)))
    return;
  size_t from = port_of(s, op), output = port_of(s, t->output);
  s->ports.items[output].from = from;
  join_groups(s, output, from);
}

static pir_walk_result trace_output(pir_op *op, void *user) {
  tracing *t = user;
  if (!pir_op_has(op, PIR_OUTPUT) || !pir_op_operands(op) || !pir_op_operand(op, 0) ||
      !pir_type_is_tensor(pir_value_type(pir_op_operand(op, 0))))
    return PIR_WALK_CONTINUE;
  pir_map_clear(&t->seen);
  t->output = op;
  t->dtype = pir_type_dtype(pir_value_type(pir_op_operand(op, 0)));
  trace_on(t, pir_op_operand(op, 0));
  while (t->open.count)
    reach(t, t->open.items[--t->open.count]);
  if (t->s->cache_names.size && is_named(t->s, op))
    (void)port_of(t->s, op);
  return PIR_WALK_CONTINUE;
}

// ---- the option
typedef struct name_search {
  pir_str name;
  pir_op *found;
} name_search;

static pir_walk_result match_name(pir_op *op, void *user) {
  name_search *search = user;
  if (!pir_op_has_any(op, PIR_INPUT | PIR_OUTPUT) ||
      !pir_str_equal(port_name(op), search->name))
    return PIR_WALK_CONTINUE;
  search->found = op;
  return PIR_WALK_STOP;
}

static pir_status check_names(const shard_state *s) {
  pir_str rest = s->cache_names, name;
  while (next_name(&rest, &name)) {
    name_search search = {.name = name};
    pir_walk(pir_program_module(s->run->program), PIR_PRE_ORDER, match_name, &search);
    if (!search.found)
      return pir_run_bad_option(s->run, "caches",
                                "split, whole, or names of inputs and outputs, with | between");
    if (!pir_map_find(&s->port_of, search.found))
      return pir_error(search.found, "is no cache: no output goes on from it");
  }
  return PIR_OK;
}

pir_status shard_find_caches(shard_state *s) {
  pir_str text = pir_run_option(s->run, "caches");
  if (!text.size || pir_str_equal(text, PIR_STR("whole")))
    return PIR_OK;
  if (s->model < 0 || s->extents[s->model] == 1)
    return pir_run_bad_option(s->run, "caches", "a mesh of two ranks or more along axis model");
  s->cache_names = pir_str_equal(text, PIR_STR("split")) ? (pir_str){0} : text;
  tracing t = {.s = s};
  pir_walk(pir_program_module(s->run->program), PIR_PRE_ORDER, trace_output, &t);
  pir_vec_free(s->arena, &t.open);
  pir_map_free(s->arena, &t.seen);
  return check_names(s);
}

int64_t shard_cache_dim(const shard_state *s, const pir_op *op) {
  uint64_t *found = pir_map_find(&s->port_of, op);
  const shard_port *port = found ? &s->ports.items[*found - 1] : NULL;
  return port && !port->closed ? s->ports.items[port->from].dim : -1;
}

bool shard_keeps_output(const shard_state *s, const pir_op *op, int64_t dim) {
  uint64_t *found = pir_map_find(&s->port_of, op);
  const shard_port *port = found ? &s->ports.items[*found - 1] : NULL;
  bool alone = port && s->ports.items[port->from].op == op;
  return port && !port->closed && dim >= 0 && (alone || dim == shard_cache_dim(s, op));
}

// ---- what tensors ask of a cache that they meet
static int64_t split_of_value(const shard_state *s, const pir_value *value) {
  return value ? shard_split_of(pir_type_dist_attr(pir_value_type(value)), s->model) : -1;
}

// A tensor of another length that stands behind it, as the keys of new tokens do.
static int64_t asked_by_members(const shard_state *s, const pir_op *list) {
  for (size_t i = 0; i < pir_op_operands(list); i++) {
    int64_t dim = split_of_value(s, pir_op_operand(list, i));
    if (dim >= 0)
      return dim;
  }
  return -1;
}

static int64_t dim_before_slice(const pir_op *op, int64_t dim) {
  const pir_attr *dropped = pir_op_attr_at(op, PD_SLICE_ATTR_DECREASE_AXIS);
  int64_t rank = (int64_t)pir_type_shape(pir_value_type(pir_op_operand(op, 0))).rank, at;
  for (int64_t i = 0; i < rank; i++) {
    bool kept = true;
    for (size_t k = 0; k < pir_attr_elements(dropped); k++)
      kept &= !pir_attr_int_at(dropped, k, &at) || (at < 0 ? at + rank : at) != i;
    if (kept && !dim--)
      return i;
  }
  return -1;
}

// The dimension of the operand of a movement or a cast that becomes dimension `dim` of the
// result, or of its pieces; -1: the op is another one.
static int64_t dim_before(const pir_op *op, int64_t dim) {
  int64_t at;
  if (pir_op_is(op, PD_TRANSPOSE))
    return pir_attr_int_at(pir_op_attr_at(op, PD_TRANSPOSE_ATTR_PERM), (size_t)dim, &at) ? at
                                                                                         : -1;
  if (pir_op_is(op, PD_UNBIND)) {
    at = pir_op_int(op, PD_UNBIND_ATTR_AXIS);
    at += at < 0 ? (int64_t)pir_type_shape(pir_value_type(pir_op_operand(op, 0))).rank : 0;
    return dim + (dim >= at);
  }
  if (pir_op_is(op, PD_CAST) || pir_op_is(op, PD_SPLIT) || pir_op_is(op, PD_SPLIT_WITH_NUM))
    return dim;
  return pir_op_is(op, PD_SLICE) ? dim_before_slice(op, dim) : -1;
}

static int64_t asked_of(const shard_state *s, const pir_value *value, int depth);

static int64_t asked_of_pieces(const shard_state *s, const pir_op *split, int depth) {
  int64_t dim = -1;
  for (size_t i = 0; i < pir_op_results(split) && dim < 0; i++)
    dim = asked_of(s, pir_op_result(split, i), depth);
  return dim;
}

static int64_t asked_by(const shard_state *s, const pir_use *use, int depth) {
  const pir_op *op = pir_use_owner(use);
  dist_of_op of;
  if (pir_op_is(op, BUILTIN_SPLIT) || pir_op_is(op, BUILTIN_SLICE))
    return asked_of_pieces(s, op, depth);
  if (pir_op_is(op, BUILTIN_COMBINE)) {
    const pir_value *list = pir_op_result(op, 0);
    return pir_value_single_use(list) &&
                   pir_op_is(pir_use_owner(pir_value_first_use(list)), PD_CONCAT)
               ? asked_by_members(s, op)
               : -1;
  }
  if (!dist_of(op, &of) || pir_use_operand_index(use) >= pir_attr_elements(of.operands))
    return -1;
  int64_t dim =
      shard_split_of(pir_attr_element(of.operands, pir_use_operand_index(use)), s->model);
  if (dim >= 0 || depth == 0 || pir_op_results(op) != 1 || pir_use_operand_index(use))
    return dim;
  dim = asked_of(s, pir_op_result(op, 0), depth - 1);
  return dim < 0 ? -1 : dim_before(op, dim);
}

// The first that asks counts; the layout shows whether others agree.
static int64_t asked_of(const shard_state *s, const pir_value *value, int depth) {
  int64_t dim = -1;
  PIR_EACH_USE(use, value) {
    if (dim < 0)
      dim = asked_by(s, use, depth);
  }
  return dim;
}

bool shard_follow_caches(shard_state *s) {
  enum { MOST_MOVEMENTS = 4 };  // between an input and the op where tensors meet
  bool more = false;
  for (size_t i = 0; i < s->ports.count; i++) {
    shard_port *port = &s->ports.items[i];
    if (!pir_op_has(port->op, PIR_INPUT) || port->closed || port->dim >= 0)
      continue;
    const pir_value *value = pir_op_result(port->op, 0);
    int64_t dim = asked_of(s, value, MOST_MOVEMENTS);
    pir_shape shape = pir_type_shape(pir_value_type(value));
    if (dim < 0 || dim >= (int64_t)shape.rank || shape.dims[dim] <= 0 ||
        shape.dims[dim] % s->extents[s->model])
      continue;
    port->dim = dim;
    more = true;
  }
  return more;
}

void shard_forget_caches(shard_state *s) {
  for (size_t i = 0; i < s->ports.count; i++)
    s->ports.items[i].dim = -1;
}

// ---- taking caches back
typedef struct cache_check {
  shard_state *s;
  pir_map origins;  // of a value that is split because of caches: 1 + one of their ports
  bool rejected;
} cache_check;

static void close_group(cache_check *c, size_t port) {
  size_t group = cache_group(c->s, port);
  for (size_t i = 0; i < c->s->ports.count; i++)
    if (cache_group(c->s, i) == group && !c->s->ports.items[i].closed)
      c->s->ports.items[i].closed = c->rejected = true;
}

static uint64_t cache_origin(const cache_check *c, const pir_value *value) {
  uint64_t *origin = value ? pir_map_find(&c->origins, value) : NULL;
  return origin ? *origin : 0;
}

// A tensor that comes from a cache, and is wanted otherwise than it is split.
static void meet(cache_check *c, const pir_value *value, const pir_attr *wanted) {
  uint64_t origin = cache_origin(c, value);
  int64_t dim = origin ? split_of_value(c->s, value) : -1;
  if (dim >= 0 && shard_split_of(wanted, c->s->model) != dim)
    close_group(c, origin - 1);
}

static uint64_t follow_operand(cache_check *c, const pir_op *op, const dist_of_op *of,
                               size_t i) {
  const pir_value *value = pir_op_operand(op, i);
  const pir_attr *wanted = pir_attr_element(of->operands, i);
  const pir_op *list = value ? pir_value_op(value) : NULL;
  if (pir_attr_kind_of(wanted) != PIR_ATTR_ARRAY) {
    meet(c, value, wanted);
  } else if (list && pir_op_is(list, BUILTIN_COMBINE)) {
    for (size_t k = 0; k < pir_op_operands(list) && k < pir_attr_elements(wanted); k++)
      meet(c, pir_op_operand(list, k), pir_attr_element(wanted, k));
  }
  return cache_origin(c, value);
}

// Whether a value is split, or a list that may have members that are.
static bool is_split(const shard_state *s, const pir_value *value) {
  const pir_type *type = pir_value_type(value);
  const pir_attr *dist = type ? pir_type_dist_attr(type) : NULL;
  return type && (!dist || shard_split_of(dist, s->model) >= 0);
}

static pir_walk_result follow_cache(pir_op *op, void *user) {
  cache_check *c = user;
  shard_state *s = c->s;
  dist_of_op of = {0};
  uint64_t origin = 0, *port = pir_map_find(&s->port_of, op);
  if (port && pir_op_has(op, PIR_INPUT))
    origin = shard_cache_dim(s, op) >= 0 ? *port : 0;
  if (pir_op_has(op, PIR_OUTPUT))
    return PIR_WALK_CONTINUE;
  bool placed = dist_of(op, &of);
  for (size_t i = 0; i < pir_op_operands(op); i++) {
    uint64_t other = placed && i < pir_attr_elements(of.operands)
                         ? follow_operand(c, op, &of, i)
                         : cache_origin(c, pir_op_operand(op, i));
    if (origin && other)
      join_groups(s, origin - 1, other - 1);
    origin = origin ? origin : other;
  }
  // What a product makes of a cache is another tensor.
  for (size_t i = 0; i < pir_op_results(op) && origin; i++)
    if ((moves_elements(op) || pir_op_has(op, PIR_INPUT)) && is_split(s, pir_op_result(op, i)))
      pir_map_put(s->arena, &c->origins, pir_op_result(op, i), origin);
  return PIR_WALK_CONTINUE;
}

// Whether an output has as many heads as the cache that it is made of.
static bool has_its_heads(const shard_state *s, const shard_port *output) {
  const shard_port *from = &s->ports.items[output->from];
  return from->dim < 0 ||
         pir_type_shape(pir_value_type(pir_op_operand(output->op, 0))).dims[from->dim] ==
             pir_type_shape(pir_value_type(pir_op_result(from->op, 0))).dims[from->dim];
}

// Inputs that nothing asks to split, and outputs that do not lie as their input does. One of
// other heads, as those that are repeated, is no cache.
static void check_port(cache_check *c, size_t i) {
  shard_port *port = &c->s->ports.items[i];
  bool output = pir_op_has(port->op, PIR_OUTPUT), alone = output && port->from == i;
  if (port->closed)
    return;
  if (output && !alone && !has_its_heads(c->s, port)) {
    port->closed = c->rejected = true;
  } else if (output) {
    int64_t dim = split_of_value(c->s, pir_op_operand(port->op, 0));
    if (dim < 0 || (!alone && dim != c->s->ports.items[port->from].dim))
      close_group(c, i);
  } else if (port->dim < 0) {
    close_group(c, i);
  }
}

bool shard_reject_caches(shard_state *s) {
  cache_check c = {.s = s};
  if (!s->ports.count)
    return false;
  pir_walk(pir_program_module(s->run->program), PIR_PRE_ORDER, follow_cache, &c);
  for (size_t i = 0; i < s->ports.count; i++)
    check_port(&c, i);
  pir_map_free(s->arena, &c.origins);
  return c.rejected;
}

pir_status shard_check_caches(const shard_state *s) {
  uint64_t inputs = 0, outputs = 0;
  for (size_t i = 0; i < s->ports.count; i++) {
    const shard_port *port = &s->ports.items[i];
    if (port->closed && is_named(s, port->op))
      return pir_report_op(
          port->op, PIR_UNSUPPORTED, PIR_ERROR,
          "unsupported: the ranks of axis model cannot have parts of '%.*s': its heads do not "
          "divide, or an op needs all",
          (int)port_name(port->op).size, port_name(port->op).data);
    inputs += !port->closed && pir_op_has(port->op, PIR_INPUT);
    outputs += !port->closed && pir_op_has(port->op, PIR_OUTPUT);
  }
  if (!s->ports.count)
    return PIR_OK;
  pir_run_count(s->run, "inputs that are caches split", inputs);
  pir_run_count(s->run, "outputs that are caches split", outputs);
  return PIR_OK;
}
