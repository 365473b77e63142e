// Names the extents of inputs and outputs that vary, so that a caller sees which are equal, and
// finds their ranges. Facts for planning assume no equality; so the facts are derived again
// with the equalities that the ops require. A region of control flow may not run: if an op
// inside of one requires an equality, none is assumed. O(ops), only if an extent varies.
#include "plan_build.h"

#include <pir/compiler/dialect/pd_op.h>
#include <pir/compiler/walk.h>
#include <strbuf.h>

typedef struct stated_dim {
  pir_str name;
  pir_dim dim;
} stated_dim;

typedef struct dim_namer {
  plan_builder *b;
  const pir_facts *facts;
  pir_dims *dims;
  stated_dim *stated;  // by the program, of inputs
  uint32_t stated_count, stated_capacity;
  size_t symbol_count;
  pir_str *names;         // by symbol; empty: not named yet
  int64_t *least, *most;  // by symbol
  size_t next;            // number of the next name that is made
} dim_namer;

// ---- conditions

static bool runs_always(const pir_op *op) {
  for (; op; op = pir_op_parent(op))
    if (pir_op_is(op, PD_IF) || pir_op_is(op, PD_WHILE))
      return false;
  return true;
}

// Of two extents that broadcast one is 1 or both are equal.
static void bound_by(dim_namer *n, pir_dim dim, pir_dim other) {
  int64_t number;
  pir_dim symbol = pir_dim_canonical(n->dims, dim);
  if (!pir_dim_is_const(n->dims, pir_dim_canonical(n->dims, other), &number) || number <= 1 ||
      symbol == PIR_DIM_UNKNOWN || pir_dim_kind_of(n->dims, symbol) != PIR_DIM_SYMBOL)
    return;
  size_t i = pir_dim_symbol_index(n->dims, symbol);
  n->least[i] = 1;
  if (number < n->most[i])
    n->most[i] = number;
}

static pir_walk_result note_bounds(pir_op *op, void *user) {
  dim_namer *n = user;
  const pir_constraint *c = pir_facts_constraints(n->facts, op);
  if (!c || !runs_always(pir_op_parent(op)))
    return PIR_WALK_CONTINUE;
  for (; c; c = c->next)
    if (c->kind == PIR_BROADCASTABLE) {
      bound_by(n, c->a, c->b);
      bound_by(n, c->b, c->a);
    }
  return PIR_WALK_CONTINUE;
}

// Stops at an op that requires an equality and may not run.
static pir_walk_result find_doubt(pir_op *op, void *facts) {
  const pir_constraint *c = pir_facts_constraints(facts, op);
  while (c && c->kind != PIR_EQUAL)
    c = c->next;
  return c && !runs_always(pir_op_parent(op)) ? PIR_WALK_STOP : PIR_WALK_CONTINUE;
}

static void set_facts(dim_namer *n, const pir_facts *facts) {
  pir_arena *scratch = &n->b->scratch;
  n->facts = facts;
  n->dims = pir_facts_dims(facts);
  n->symbol_count = pir_dims_symbols(n->dims);
  n->names = pir_arena_zalloc(scratch, n->symbol_count * sizeof *n->names);
  n->least = pir_arena_zalloc(scratch, n->symbol_count * sizeof *n->least);
  n->most = pir_arena_zalloc(scratch, n->symbol_count * sizeof *n->most);
  for (size_t i = 0; i < n->symbol_count; i++)
    n->most[i] = INT64_MAX;
}

// ---- names that the program states

static bool is_name(pir_str text) {
  bool good = text.size && (text.data[0] < '0' || text.data[0] > '9');
  for (size_t i = 0; i < text.size && good; i++) {
    char c = text.data[i];
    good =
        c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  }
  return good;
}

// Dims of one name are equal, because the program says so.
static void note_stated(dim_namer *n, pir_str name, pir_dim dim) {
  for (uint32_t i = 0; i < n->stated_count; i++)
    if (pir_str_equal(n->stated[i].name, name)) {
      pir_dims_unify(n->dims, n->stated[i].dim, dim);
      return;
    }
  *ARRAY_PUSH(&n->b->scratch, n->stated, n->stated_count, n->stated_capacity) =
      (stated_dim){name, dim};
}

// Reads the names in "shape[S0, 3, Add(S1, 2)], ..", which shape analysis states of a result.
static void read_stated(dim_namer *n, const pir_op *op) {
  const pir_attr *attr = pir_op_attr_str(op, "sym_shape_str");
  const pir_fact *fact = pir_facts_of(n->facts, pir_op_result(op, 0));
  if (attr && pir_attr_elements(attr))
    attr = pir_attr_element(attr, 0);
  pir_str text = attr ? pir_attr_as_str(attr) : PIR_STR("");
  const pir_str head = PIR_STR("shape[");
  if (text.size < head.size || !pir_str_equal((pir_str){text.data, head.size}, head))
    return;
  const char *at = text.data + head.size, *end = text.data + text.size, *from = at;
  int depth = 0;
  for (int32_t axis = 0; at < end && axis < fact->rank; at++) {
    bool ends = !depth && (*at == ',' || *at == ']');
    depth += (*at == '(') - (*at == ')');
    if (!ends)
      continue;
    pir_str name = {from, (size_t)(at - from)};
    if (is_name(name) && fact->shape[axis] != PIR_DIM_UNKNOWN)
      note_stated(n, name, fact->shape[axis]);
    if (*at == ']')
      return;
    axis++;
    from = at + 1 < end && at[1] == ' ' ? at + 2 : at + 1;
  }
}

static void use_stated(dim_namer *n) {
  for (uint32_t i = 0; i < n->stated_count; i++) {
    pir_dim dim = pir_dim_canonical(n->dims, n->stated[i].dim);
    if (dim != PIR_DIM_UNKNOWN && pir_dim_kind_of(n->dims, dim) == PIR_DIM_SYMBOL &&
        !n->names[pir_dim_symbol_index(n->dims, dim)].size)
      n->names[pir_dim_symbol_index(n->dims, dim)] = n->stated[i].name;
  }
}

// ---- names that are made

static bool is_stated(const dim_namer *n, pir_str name) {
  for (uint32_t i = 0; i < n->stated_count; i++)
    if (pir_str_equal(n->stated[i].name, name))
      return true;
  return false;
}

static void name_symbol(dim_namer *n, size_t symbol) {
  char text[32];
  pir_str name;
  if (n->names[symbol].size)
    return;
  do {
    size_t size = pir_text_format(text, sizeof text, "S%zu", n->next++);
    name = (pir_str){text, size};
  } while (is_stated(n, name));
  n->names[symbol] = pir_arena_text(&n->b->scratch, name);
}

// Names the symbols of a dim in the order of its text. Recursion is bounded by the size limit
// on expressions.
static void name_symbols(dim_namer *n, pir_dim dim) {
  if (pir_dim_kind_of(n->dims, dim) == PIR_DIM_SYMBOL)
    name_symbol(n, pir_dim_symbol_index(n->dims, dim));
  for (size_t i = 0; i < pir_dim_operands(n->dims, dim); i++)
    name_symbols(n, pir_dim_operand(n->dims, dim, i));
}

static bool append(void *user, const char *data, size_t size) {
  pir_strbuf_put(user, data, size);
  return true;
}

static pir_str text_of_dim(dim_namer *n, pir_dim dim) {
  pir_strbuf text;
  name_symbols(n, dim);
  pir_strbuf_init(&text, &n->b->scratch);
  pir_ignore(pir_dim_print_named(n->dims, dim, n->names, (pir_writer){append, &text}));
  return pir_arena_text(&n->b->p->memory, (pir_str){text.data, text.size});
}

// ---- ranges

static int64_t most_of(const dim_namer *n, pir_dim dim);

// A sum of bounds, or a product if no factor is negative.
static int64_t most_of_all(const dim_namer *n, pir_dim dim, bool is_sum) {
  int64_t total = !is_sum;
  for (size_t i = 0; i < pir_dim_operands(n->dims, dim); i++) {
    pir_dim part = pir_dim_operand(n->dims, dim, i);
    int64_t most = most_of(n, part);
    bool bounded = most != INT64_MAX && (is_sum || pir_dim_lower_bound(n->dims, part) >= 0);
    if (!bounded || (is_sum ? __builtin_add_overflow(total, most, &total)
                            : __builtin_mul_overflow(total, most, &total)))
      return INT64_MAX;
  }
  return total;
}

static int64_t most_of_quotient(const dim_namer *n, pir_dim dim) {
  int64_t most = most_of(n, pir_dim_operand(n->dims, dim, 0)), by;
  if (!pir_dim_is_const(n->dims, pir_dim_operand(n->dims, dim, 1), &by) || by <= 0)
    return INT64_MAX;
  switch (pir_dim_kind_of(n->dims, dim)) {
    case PIR_DIM_MOD: return by - 1;
    case PIR_DIM_CEILDIV:
      return most == INT64_MAX || most < 0 ? INT64_MAX : most / by + (most % by > 0);
    default: return most == INT64_MAX || most < 0 ? INT64_MAX : most / by;
  }
}

// Returns a number that the dim's value never exceeds, or INT64_MAX.
static int64_t most_of(const dim_namer *n, pir_dim dim) {
  int64_t number, other;
  if (pir_dim_is_const(n->dims, dim, &number))
    return number;
  switch (pir_dim_kind_of(n->dims, dim)) {
    case PIR_DIM_SYMBOL: return n->most[pir_dim_symbol_index(n->dims, dim)];
    case PIR_DIM_ADD: return most_of_all(n, dim, true);
    case PIR_DIM_MUL: return most_of_all(n, dim, false);
    case PIR_DIM_FLOORDIV:
    case PIR_DIM_CEILDIV:
    case PIR_DIM_MOD: return most_of_quotient(n, dim);
    default: break;
  }
  number = most_of(n, pir_dim_operand(n->dims, dim, 0));
  other = most_of(n, pir_dim_operand(n->dims, dim, 1));
  return (pir_dim_kind_of(n->dims, dim) == PIR_DIM_MIN) == (number < other) ? number : other;
}

static int64_t least_of(const dim_namer *n, pir_dim dim) {
  int64_t least = pir_dim_lower_bound(n->dims, dim);
  if (pir_dim_kind_of(n->dims, dim) == PIR_DIM_SYMBOL &&
      n->least[pir_dim_symbol_index(n->dims, dim)] > least)
    least = n->least[pir_dim_symbol_index(n->dims, dim)];
  return least < 0 ? 0 : least;
}

// ---- ports

static void describe_axis(dim_namer *n, pir_port *port, int axis, pir_dim dim) {
  int64_t number;
  if (dim == PIR_DIM_UNKNOWN)
    return;
  dim = pir_dim_canonical(n->dims, dim);
  if (pir_dim_is_const(n->dims, dim, &number) && number >= 0) {
    port->least[axis] = port->most[axis] = number;
    return;
  }
  port->least[axis] = least_of(n, dim);
  port->most[axis] = most_of(n, dim);
  port->dims[axis] = text_of_dim(n, dim);
}

static void describe_port(dim_namer *n, pir_port *port, const pir_value *value) {
  const pir_fact *fact = pir_facts_of(n->facts, value);
  for (int i = 0; i < port->rank; i++)
    if (port->shape[i] < 0 && fact->rank == port->rank)
      describe_axis(n, port, i, fact->shape[i]);
}

// Fixed extents have their range at once; others none so far. Returns whether an extent varies.
static bool describe_fixed(plan_port *ports, uint32_t count) {
  bool varies = false;
  for (uint32_t i = 0; i < count; i++) {
    pir_port *port = &ports[i].port;
    for (int d = 0; d < PIR_MAX_RANK; d++) {
      bool fixed = d >= port->rank || port->shape[d] >= 0;
      port->dims[d] = PIR_STR("");
      port->least[d] = fixed ? port->shape[d] : 0;
      port->most[d] = fixed ? port->shape[d] : INT64_MAX;
      varies |= !fixed;
    }
  }
  return varies;
}

// The ops of inputs and outputs, by their numbers.
static const pir_op **list_ops(plan_builder *b, uint32_t trait, uint32_t count) {
  const pir_op **list = pir_arena_zalloc(&b->scratch, count * sizeof *list);
  uint32_t number;
  PIR_EACH_OP(op, b->block)
  if (pir_op_meaning(op)->traits & trait &&
      pir_word_map_find(&b->ports, (uintptr_t)op, &number))
    list[number] = op;
  return list;
}

static void describe_ports(dim_namer *n) {
  plan *p = n->b->p;
  const pir_op **inputs = list_ops(n->b, PIR_INPUT, p->input_count),
               **outputs = list_ops(n->b, PIR_OUTPUT, p->output_count);
  for (uint32_t i = 0; i < p->input_count; i++)
    read_stated(n, inputs[i]);
  pir_walk(pir_program_module(n->b->program), PIR_PRE_ORDER, note_bounds, n);
  use_stated(n);
  for (uint32_t i = 0; i < p->input_count; i++)
    describe_port(n, &p->inputs[i].port, pir_op_result(inputs[i], 0));
  for (uint32_t i = 0; i < p->output_count; i++)
    describe_port(n, &p->outputs[i].port, pir_op_operand(outputs[i], 0));
}

static void drop_facts(void *user) {
  pir_facts_destroy(user);
}

pir_status pir_plan_name_dims(plan_builder *b) {
  bool inputs = describe_fixed(b->p->inputs, b->p->input_count),
       outputs = describe_fixed(b->p->outputs, b->p->output_count);
  pir_facts *facts = NULL;
  pir_guard guard;
  dim_namer n = {.b = b};
  if (!inputs && !outputs)
    return PIR_OK;
  PIR_TRY(pir_facts_create_symbolic(b->program, &facts));
  if (pir_walk(pir_program_module(b->program), PIR_PRE_ORDER, find_doubt, facts) ==
      PIR_WALK_STOP) {
    pir_facts_destroy(facts);
    PIR_TRY(pir_facts_create(b->program, &facts));
  }
  pir_guard_open(pir_facts_heap(facts), &guard, drop_facts, facts);
  set_facts(&n, facts);
  describe_ports(&n);
  pir_guard_close(&guard);
  pir_facts_destroy(facts);
  return PIR_OK;
}
