// Reads a clause for one op, with the op's attributes, constants and facts. A pointwise body is
// simplified over three kinds of values: a known number, an unchanged operand, or anything
// else. So x * 1 + 0, a cast to the same type, and a test-mode dropout all simplify to "operand
// 0". The map of a view is evaluated axis by axis.

#include <clause_form.h>
#include <effects.h>
#include <pir/compiler/index_nodes.h>
#include <pir/layer/lower.h>

#include <string.h>

typedef struct reading {
  evaluator *e;
  const pir_op *op;
  const pir_clause *clause;
  const pir_attr_value *attrs;
  const pir_fact *result;
} reading;

// ---- facts

static const pir_value *operand_of(const reading *r, int k) {
  return pir_op_optional(r->op, (size_t)k);
}

static const pir_fact *operand_fact(const reading *r, int k) {
  const pir_fact *fact = pir_facts_of(r->e->facts, operand_of(r, k));
  return pir_fact_has_rank(fact) ? fact : NULL;
}

// Whether both facts state one element type and shape.
static bool same_tensor(const evaluator *e, const pir_fact *a, const pir_fact *b) {
  return a->dtype == b->dtype &&
         pir_dims_equal(pir_facts_dims(e->facts), a->shape, a->rank, b->shape, b->rank);
}

static bool is_same_tensor(const reading *r, int k) {
  const pir_fact *fact = operand_fact(r, k);
  return fact && same_tensor(r->e, fact, r->result);
}

// ---- index nodes over attributes and ranks

typedef struct index_site {
  const reading *r;
  int64_t d;  // PIR_I_D
} index_site;

static pir_index_step read_own_index(pir_index_reader *reader, int node, void *out) {
  const index_site *site = reader->user;
  const pir_node *n = &reader->nodes[node];
  const pir_fact *fact;
  int64_t *number = out;
  switch (n->op) {
    case PIR_I_D: *number = site->d; return PIR_INDEX_DONE;
    case PIR_I_OUT_RANK: *number = site->r->result->rank; return PIR_INDEX_DONE;
    case PIR_I_RANK:
      fact = operand_fact(site->r, n->k);
      *number = fact ? fact->rank : 0;
      return fact ? PIR_INDEX_DONE : PIR_INDEX_FAILED;
    default: return PIR_INDEX_SHARED;
  }
}

// Evaluates an index node that depends on attributes and ranks only; false for any other, so
// that no assumption about extents is made.
static bool read_index(const reading *r, int node, int64_t d, int64_t *out) {
  index_site site = {r, d};
  pir_index_reader reader = {.nodes = r->clause->nodes,
                             .text = r->clause->text,
                             .attrs = r->attrs,
                             .user = &site,
                             .own = read_own_index};
  return pir_index_number(&reader, node, out);
}

// ---- value nodes

typedef struct value_form {
  enum { ANYTHING, NUMBER, OPERAND } kind;
  double number;
  int operand;
  bool constant;  // an operand of which every element is `number`
} value_form;

static const value_form anything = {ANYTHING, 0, -1, false};
static value_form number_form(double value) {
  return (value_form){NUMBER, value, -1, true};
}
static bool is_constant(value_form f, double value) {
  return f.constant && f.number == value;
}

static value_form read_value(const reading *r, int at);

// Reads the number that a constant op states in an attribute, if every element type represents
// it exactly.
static value_form read_stated(const reading *r, const pir_op *definer) {
  const pir_opdef *def = pir_op_def(definer);
  const pir_clause *clause = def->clause;
  if (!pir_op_has(definer, PIR_CONSTANT) || !clause)
    return anything;
  const pir_node *body = &clause->nodes[clause->body];
  const pir_attr *attr =
      body->op == PIR_V_ATTR ? pir_op_attr_at(definer, (size_t)body->k) : NULL;
  double f;
  if (attr && pir_attr_kind_of(attr) == PIR_ATTR_SCALAR)
    attr = pir_attr_element(attr, 0);
  bool small =
      attr && pir_attr_as_float(attr, &f) && f >= -16 && f <= 16 && f == (double)(int)f;
  return small ? number_form(f) : anything;
}

// Reads the single element of an operand that is known before the run.
static value_form read_scalar(const reading *r, int k) {
  const pir_value *value = operand_of(r, k);
  const pir_op *definer = value ? pir_value_op(value) : NULL;
  if (!definer)
    return anything;
  value_form stated = read_stated(r, definer);
  if (stated.kind == NUMBER)
    return stated;
  if (!evaluator_find(r->e, value) && !pir_op_operands(definer))
    evaluator_visit(r->e, definer);
  const known_value *known = evaluator_find(r->e, value);
  bool one = known && pir_tensor_numel(&known->tensors[0]) == 1;
  return one ? number_form(pir_tensor_float_at(&known->tensors[0], 0)) : anything;
}

static value_form operand_form(const reading *r, int k) {
  value_form f = {OPERAND, 0, k, false};
  const pir_value *value = operand_of(r, k);
  const pir_op *definer = value ? pir_value_op(value) : NULL;
  if (!definer || !pir_op_has(definer, PIR_CONSTANT))
    return f;
  value_form known = read_scalar(r, k);
  f.number = known.number;
  f.constant = known.kind == NUMBER;
  return f;
}

static value_form attr_form(const reading *r, int k) {
  if (r->attrs[k].kind == PIR_VALUE_INT)
    return number_form((double)r->attrs[k].i);
  return r->attrs[k].kind == PIR_VALUE_FLOAT ? number_form(r->attrs[k].f) : anything;
}

// A cast to an element type that a word or an attribute states gives the operand if that is the
// operand's own type.
static value_form read_cast(const reading *r, const pir_node *n) {
  value_form f = read_value(r, n->a);
  if (f.kind != OPERAND)
    return f;
  const pir_fact *fact = operand_fact(r, f.operand);
  int to = n->k;
  if (to >= PIR_CAST_ATTR && to < PIR_CAST_OPERAND)
    to = (int)pir_attr_value_dtype(&r->attrs[to - PIR_CAST_ATTR]);
  return fact && to == (int)fact->dtype ? f : anything;
}

// Returns the other side if one side is the neutral element of a commutative operation.
static value_form other_side(value_form a, value_form b, double neutral) {
  if (is_constant(b, neutral))
    return a;
  return is_constant(a, neutral) ? b : anything;
}

static value_form simplify_arithmetic(pir_node_op op, value_form a, value_form b) {
  switch (op) {
    case PIR_V_ADD: return other_side(a, b, 0);
    case PIR_V_SUB: return is_constant(b, 0) ? a : anything;
    case PIR_V_MUL: return other_side(a, b, 1);
    case PIR_V_DIV: return is_constant(b, 1) ? a : anything;
    default: return anything;
  }
}

static value_form read_arithmetic(pir_node_op op, value_form a, value_form b) {
  if (a.kind != NUMBER || b.kind != NUMBER)
    return simplify_arithmetic(op, a, b);
  switch (op) {
    case PIR_V_ADD: return number_form(a.number + b.number);
    case PIR_V_SUB: return number_form(a.number - b.number);
    case PIR_V_MUL: return number_form(a.number * b.number);
    case PIR_V_EQ: return number_form(a.number == b.number);
    default: return simplify_arithmetic(op, a, b);
  }
}

static value_form read_value(const reading *r, int at) {
  const pir_node *n = &r->clause->nodes[at];
  value_form condition;
  int64_t index;
  switch ((pir_node_op)n->op) {
    case PIR_V_CONST: return number_form(n->k == PIR_F64 ? n->f : (double)n->i);
    case PIR_V_ATTR: return attr_form(r, n->k);
    case PIR_V_SCALAR: return read_scalar(r, n->k);
    case PIR_V_LOAD: return n->map_kind == PIR_MAP_ALIGNED ? operand_form(r, n->k) : anything;
    case PIR_V_CAST: return read_cast(r, n);
    case PIR_V_INDEX:
      return read_index(r, n->a, 0, &index) ? number_form((double)index) : anything;
    case PIR_V_SELECT:
      condition = read_value(r, n->a);
      if (condition.kind != NUMBER)
        return anything;
      return read_value(r, condition.number != 0 ? n->b : n->c);
    default:
      if (n->a < 0 || n->b < 0)
        return anything;
      return read_arithmetic(n->op, read_value(r, n->a), read_value(r, n->b));
  }
}

// ---- views

static clause_form linear_form(const reading *r, const pir_node *load) {
  bool whole = r->clause->nodes[load->map].op == PIR_I_OUT_LINEAR;
  return (clause_form){
      .kind = whole ? FORM_LINEAR : FORM_OTHER, .operand = load->k, .perm_attr = -1};
}

// Finds the result axis along which each source axis is read.
static clause_form permute_form(const reading *r, const pir_node *load) {
  clause_form form = {
      .kind = FORM_OTHER, .operand = load->k, .rank = r->result->rank, .perm_attr = -1};
  const pir_node *map = &r->clause->nodes[load->map];
  const pir_fact *fact = operand_fact(r, load->k);
  if (map->op != PIR_I_OUT || !fact || fact->rank != form.rank)
    return form;
  uint32_t seen = 0;
  for (int32_t d = 0; d < form.rank; d++) {
    int64_t axis;
    if (!read_index(r, map->a, d, &axis) || axis < 0 || axis >= form.rank)
      return form;
    form.axes[d] = (int32_t)axis;
    seen |= 1u << axis;
  }
  if (seen != (1u << form.rank) - 1)
    return form;
  const pir_node *axis = &r->clause->nodes[map->a];
  if (axis->op == PIR_I_ATTR_FIND && r->clause->nodes[axis->a].op == PIR_I_D)
    form.perm_attr = axis->k;
  form.kind = FORM_PERMUTE;
  return form;
}

static bool is_identity(const clause_form *form) {
  for (int32_t d = 0; d < form->rank; d++)
    if (form->axes[d] != d)
      return false;
  return true;
}

static clause_form view_form(const reading *r) {
  const pir_node *load = &r->clause->nodes[r->clause->body];
  clause_form other = {.kind = FORM_OTHER}, form = other;
  if (load->op != PIR_V_LOAD || load->a >= 0)
    return other;
  if (load->map_kind == PIR_MAP_ALIGNED)
    form = (clause_form){.kind = FORM_OPERAND, .operand = load->k};
  if (load->map_kind == PIR_MAP_LINEAR)
    form = linear_form(r, load);
  if (load->map_kind == PIR_MAP_EACH)
    form = permute_form(r, load);
  if (form.kind == FORM_OTHER || !is_same_tensor(r, form.operand))
    return form.kind == FORM_OPERAND ? other : form;
  if (form.kind == FORM_LINEAR || (form.kind == FORM_PERMUTE && is_identity(&form)))
    form.kind = FORM_OPERAND;
  return form;
}

static clause_form read_form(const reading *r) {
  if (r->clause->kind == PIR_CLAUSE_VIEW)
    return view_form(r);
  if (r->clause->kind != PIR_CLAUSE_POINTWISE)
    return (clause_form){.kind = FORM_OTHER};
  value_form f = read_value(r, r->clause->body);
  bool unchanged = f.kind == OPERAND && is_same_tensor(r, f.operand);
  return (clause_form){
      .kind = unchanged ? FORM_OPERAND : FORM_OTHER, .operand = f.operand, .perm_attr = -1};
}

// ---- attribute values live in the arena for the length of one question

typedef struct blocks {
  pir_arena *arena;
  PIR_VEC(pir_str) list;
} blocks;

static void *block_alloc(void *user, size_t size) {
  blocks *b = user;
  char *memory = pir_arena_zalloc(b->arena, size);
  pir_vec_push(b->arena, &b->list, ((pir_str){memory, size}));
  return memory;
}

static void blocks_free(blocks *b) {
  for (size_t i = 0; i < b->list.count; i++)
    pir_arena_free(b->arena, (void *)b->list.items[i].data, b->list.items[i].size);
  pir_vec_free(b->arena, &b->list);
}

bool keeps_shape(evaluator *e, const pir_op *op, size_t i, const pir_fact *fact) {
  const pir_opdef *def = pir_op_def(op);
  size_t n = pir_op_operands(op);
  blocks memory = {.arena = e->arena};
  const pir_fact **operands = block_alloc(&memory, n * sizeof *operands);
  for (size_t k = 0; k < n; k++) {
    const pir_value *operand = pir_op_operand(op, k);
    operands[k] = operand ? pir_facts_of(e->facts, operand) : NULL;
  }
  operands[i] = fact;
  pir_infer infer = {.def = def,
                     .op = op,
                     .dims = pir_facts_dims(e->facts),
                     .operands = operands,
                     .operand_count = n,
                     .result_count = def->result_count,
                     .results = block_alloc(&memory, def->result_count * sizeof(pir_fact)),
                     .alloc = block_alloc,
                     .user = &memory};
  const pir_fact *now = pir_facts_of(e->facts, pir_op_result(op, 0));
  bool same = !pir_op_attr_values(op, block_alloc, &memory, &infer.attrs) &&
              !pir_infer_run(&infer) && same_tensor(e, &infer.results[0], now);
  blocks_free(&memory);
  return same;
}

clause_form clause_form_of(evaluator *e, const pir_op *op) {
  const pir_opdef *def = pir_op_def(op);
  clause_form form = {.kind = FORM_OTHER};
  // A lower alternative whose condition holds takes precedence over the clause.
  if (!def->clause || pir_lower_choose(op, e->facts) != -1)
    return form;
  const pir_fact *result = pir_facts_of(e->facts, pir_op_result(op, 0));
  if (!pir_fact_has_rank(result))
    return form;
  blocks memory = {.arena = e->arena};
  reading r = {.e = e, .op = op, .result = result};
  if (!pir_op_attr_values(op, block_alloc, &memory, &r.attrs))
    r.clause = pir_clause_choose(def->clause, 0, r.attrs);
  if (r.clause)
    form = read_form(&r);
  blocks_free(&memory);
  return form;
}
