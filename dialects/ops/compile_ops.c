// Compiles the clauses and lower blocks of one op to tables. nodes.c compiles the expressions;
// this file assigns each expression to its field. The values of a lower block are numbered
// here: operands first, then the results of its steps.
#include "nodes_impl.h"

#include <string.h>

static int list_count(const expr *e) {
  int n = 0;
  for (; e; e = e->next)
    n++;
  return n;
}

// ---- clauses
static uint8_t combine_of(const expr *e) {
  static const struct {
    const char *name;
    uint8_t combine;
  } names[] = {
      {"add", PIR_COMBINE_ADD},       {"mul", PIR_COMBINE_MUL},
      {"max", PIR_COMBINE_MAX},       {"min", PIR_COMBINE_MIN},
      {"and", PIR_COMBINE_AND},       {"or", PIR_COMBINE_OR},
      {"argmax", PIR_COMBINE_ARGMAX}, {"argmin", PIR_COMBINE_ARGMIN},
      {"assign", PIR_COMBINE_ASSIGN},
  };
  for (size_t i = 0; e->kind == EXPR_CALL && i < sizeof names / sizeof *names; i++)
    if (!strcmp(names[i].name, e->name))
      return names[i].combine;
  ops_error(e->loc,
            "expected add, mul, max, min, and, or, argmax, argmin or assign of an expression");
  return PIR_COMBINE_NONE;
}

static void compile_vars(compiler *co, const clause *c, pir_clause *out) {
  co->out->first_var[co->out->clause_count] = co->out->var_count;
  if (c->var_count > PIR_MAX_RANK)
    ops_error(c->loc, "a clause has at most %d variables", PIR_MAX_RANK);
  for (int pass = 0; pass < 2; pass++) {
    for (int i = 0; i < c->var_count && i < PIR_MAX_RANK; i++) {
      const variable *v = &c->vars[i];
      if (v->reduced != (pass == 1))
        continue;
      if (pass == 0 && out->var_count != i)
        ops_error(v->loc, "'for' variables come before 'over' variables");
      pir_clause_var var = {.name = v->name,
                            .extent = ops_index(co, v->extent, NULL),
                            .reduced = v->reduced,
                            .pack = !v->extent};
      APPEND(co->d->in, co->out->vars, co->out->var_count, var);
      out->var_count++;
    }
  }
}

static void check_axes(const compiler *co, source_loc loc, const pir_clause *c,
                       const char *name) {
  if (c->axes_attr < 0 && c->axes_operand < 0) {
    ops_error(loc, "no attribute '$%s'", name);
    return;
  }
  bool list;
  if (c->axes_attr >= 0) {
    const attr *a = &co->o->attrs[c->axes_attr];
    list = !ops_is_integer_kind(a->kind);
    if (!ops_holds_axes(a))
      ops_error(loc, "'$%s' is no axis: it holds no integers", name);
  } else {
    list = !(co->o->operands[c->axes_operand].flags & PIR_OPERAND_SCALAR);
  }
  if (list && c->kind != PIR_CLAUSE_REDUCE)
    ops_error(loc, "'$%s' is no axis: it holds a list", name);
}

// `concat(x, $axis)`, `stack`, `parts`, `unbind`
static void compile_join(compiler *co, const clause *c, pir_clause *out) {
  const expr *e = c->body;
  static const char *const names[2][2] = {{"concat", "stack"}, {"parts", "unbind"}};
  int kind = c->kind == PIR_CLAUSE_SPLIT;
  bool named = e->kind == EXPR_CALL && list_count(e->a) == 2 && e->a->kind == EXPR_NAME &&
               e->a->next->kind == EXPR_ATTR;
  out->stack = named && !strcmp(e->name, names[kind][1]);
  if (!named || (!out->stack && strcmp(e->name, names[kind][0]))) {
    ops_error(e->loc, "expected %s(operand, $axis) or %s(operand, $axis)", names[kind][0],
              names[kind][1]);
    return;
  }
  const char *axis = e->a->next->name;
  int joined = ops_operand_at(co->o, e->a->name);
  if (!kind && joined >= 0 && !(co->o->operands[joined].flags & PIR_OPERAND_VARIADIC))
    ops_error(e->a->loc, "'%s' is no list: there is nothing to join", e->a->name);
  out->body = ops_value(co, e->a, NULL);
  out->axes_attr = (int16_t)ops_attr_at(co->o, axis);
  out->axes_operand = out->axes_attr < 0 ? (int16_t)ops_operand_at(co->o, axis) : -1;
  check_axes(co, e->loc, out, axis);
}

static void compile_out_map(compiler *co, const clause *c, pir_clause *out) {
  out->out_map_kind = PIR_MAP_ALIGNED;
  if (c->each && c->out) {  // scatter: out[each d : e]
    scope each = {NULL, c->each, NULL, NULL, ++co->level};
    out->out_map = ops_index(co, c->out, &each);
    co->level--;
    out->out_map_kind = PIR_MAP_EACH;
  } else if (c->out) {
    int16_t entries[PIR_MAX_RANK];
    int n = 0;
    for (const expr *e = c->out; e && n < PIR_MAX_RANK; e = e->next) {
      entries[n++] = ops_index(co, e, NULL);
      if (e->next && n == PIR_MAX_RANK)
        ops_error(e->next->loc, "a result has at most %d axes", PIR_MAX_RANK);
    }
    out->out_map = ops_pool(co, entries, n);
    out->out_map_count = (int16_t)n;
    out->out_map_kind = PIR_MAP_LIST;
  } else if (c->each) {  // view: out[each d < rank : extent]
    out->out_rank = ops_index(co, c->rank, NULL);
    scope each = {NULL, c->each, NULL, NULL, ++co->level};
    out->out_extent = ops_index(co, c->extent, &each);
    co->level--;
  }
}

static void compile_axes(compiler *co, const clause *c, pir_clause *out) {
  if (c->like && (out->like = (int16_t)ops_operand_at(co->o, c->like)) < 0)
    ops_error(c->loc, "no operand '%s'", c->like);
  else if (c->like && co->o->operands[out->like].flags & PIR_OPERAND_VARIADIC &&
           !(co->o->results[out->result].flags & PIR_RESULT_VARIADIC))
    ops_error(c->loc, "'%s' is a list: it has no dims", c->like);
  if (c->like && (c->kind != PIR_CLAUSE_REDUCE || c->axes))
    ops_error(c->loc, "'like' takes the place of 'over'");
  if (!c->axes)
    return;
  out->axes_attr = (int16_t)ops_attr_at(co->o, c->axes);
  if (out->axes_attr < 0)
    out->axes_operand = (int16_t)ops_operand_at(co->o, c->axes);
  check_axes(co, c->loc, out, c->axes);
}

// The condition of a clause may read attributes only, because the clause is chosen before
// anything else is known.
static int16_t condition_node(compiler *co, const expr *e) {
  static const uint8_t allowed[] = {
      PIR_I_CONST, PIR_I_ATTR, PIR_I_ATTR_DTYPE, PIR_I_ATTR_COUNT, PIR_I_ATTR_IS, PIR_I_NOT,
      PIR_I_AND,   PIR_I_OR,   PIR_I_EQ,         PIR_I_NE,         PIR_I_LT,      PIR_I_LE};
  int first = co->out->node_count;
  int16_t n = ops_index(co, e, NULL);
  for (int i = first; i < co->out->node_count; i++)
    if (!memchr(allowed, co->out->nodes[i].op, sizeof allowed)) {
      ops_error(e->loc, "the condition of a clause asks attributes only");
      return -1;
    }
  return n;
}

static pir_clause compile_clause(compiler *co, const clause *c) {
  pir_clause out = pir_clause_blank(c->kind);
  int result_at = ops_result_at(co->o, c->result);
  if (result_at < 0)
    ops_error(c->loc, "no result '%s'", c->result);
  out.result = (uint8_t)result_at;
  co->c = c;
  compile_vars(co, c, &out);
  if (c->kind == PIR_CLAUSE_JOIN || c->kind == PIR_CLAUSE_SPLIT) {
    compile_join(co, c, &out);
  } else if (c->kind == PIR_CLAUSE_POINTWISE || c->kind == PIR_CLAUSE_VIEW ||
             c->kind == PIR_CLAUSE_GATHER) {
    out.body = ops_value(co, c->body, NULL);
  } else {
    out.combine = combine_of(c->body);
    if (out.combine)
      out.body = ops_value(co, c->body->a, NULL);
  }
  compile_out_map(co, c, &out);
  compile_axes(co, c, &out);
  out.when = condition_node(co, c->when);
  out.keep = ops_index(co, c->keep, NULL);
  out.all = ops_index(co, c->flat, NULL);
  out.reverse = ops_index(co, c->reverse, NULL);
  out.exclusive = ops_index(co, c->exclusive, NULL);
  out.init = ops_value(co, c->init, NULL);
  if (c->init && c->kind == PIR_CLAUSE_SCATTER && (c->init->kind != EXPR_INT || c->init->i))
    ops_error(c->init->loc, "a scatter starts as operand 0 or as 0");
  co->body = out.body;
  out.then = ops_value(co, c->then, NULL);
  out.guard = ops_index(co, c->guard, NULL);
  out.trap = ops_index(co, c->trap, NULL);
  if (c->trap_text)
    out.trap_text = ops_text_number(co, c->trap_text);
  return out;
}

// `shape out = x`, `= [extents]`, `= [each d < rank : extent]`
static pir_clause compile_shape(compiler *co, const clause *c) {
  pir_clause out = pir_clause_blank(PIR_CLAUSE_VIEW);
  int result_at = ops_result_at(co->o, c->result);
  if (result_at < 0)
    ops_error(c->loc, "no result '%s'", c->result);
  out.result = (uint8_t)result_at;
  co->c = NULL;
  co->states_shape = true;
  out.when = condition_node(co, c->when);
  if (c->like && (out.like = (int16_t)ops_operand_at(co->o, c->like)) < 0)
    ops_error(c->loc, "no operand '%s'", c->like);
  if (!c->like)
    compile_out_map(co, c, &out);
  if (!c->like && !c->each)
    out.out_map_kind = PIR_MAP_LIST;
  co->states_shape = false;
  return out;
}

// A condition is compiled as an index expression.
static pir_clause compile_requirement(compiler *co, const clause *c) {
  pir_clause out = pir_clause_blank(PIR_CLAUSE_VIEW);
  co->c = NULL;
  if (c->each) {
    scope each = {NULL, c->each, NULL, NULL, ++co->level};
    out.out_rank = ops_index(co, c->rank, NULL);
    out.out_extent = ops_index(co, c->extent, &each);
    co->level--;
  } else {
    out.guard = ops_index(co, c->guard, NULL);
  }
  out.trap_text = ops_text_number(co, c->trap_text);
  return out;
}

// ---- lower blocks
typedef struct numbering {
  const char **names;
  value_sort *sorts;
  int count, sort_count;
  ops_reading *in;
} numbering;

static void name_value(numbering *n, const char *name, value_sort sort) {
  APPEND(n->in, n->names, n->count, name);
  APPEND(n->in, n->sorts, n->sort_count, sort);
}

static int value_number(const numbering *n, const char *name) {
  for (int i = n->count - 1; i >= 0; i--)
    if (!strcmp(n->names[i], name))
      return i;
  return -1;
}

static const op *op_of_this_dialect(const compiler *co, const step *s) {
  size_t prefix = strlen(co->d->name);
  if (strncmp(s->op, co->d->name, prefix) || s->op[prefix] != '.')
    return NULL;
  for (int i = 0; i < co->d->op_count; i++)
    if (!co->d->ops[i].is_form && !strcmp(co->d->ops[i].name, s->op + prefix + 1))
      return &co->d->ops[i];
  return NULL;
}

// Whether an op may be made of the other one. Constants and lists are no effects.
static bool may_be_step(const op *o, const op *made) {
  uint32_t ends = PIR_TERMINATOR | PIR_PARAMETER | PIR_INPUT | PIR_OUTPUT | PIR_CONTROL;
  return !made->regions && !(made->traits & ends) &&
         (o->effect || made->traits & (PIR_PURE | PIR_RANDOM));
}

// The steps of opsc's dialects were reviewed: a cycle of ops that are made of each other would
// show at once. Ops of a file at run time are made of ops that come before them.
static const op *target_op(const compiler *co, const step *s) {
  ops_reading *in = co->d->in;
  const op *found = op_of_this_dialect(co, s);
  if (found && !in->at_build && !co->in_grad && found >= co->o) {
    ops_error(s->loc, "'%s' is not declared before this line", s->op);
    return NULL;
  }
  if (!found && in->find)
    found = in->find(in, s->op);
  bool own =
      !strncmp(s->op, co->d->name, strlen(co->d->name)) && s->op[strlen(co->d->name)] == '.';
  if (!found && (own || in->find))
    ops_error(s->loc, "no op '%s'", s->op);
  if (found && !in->at_build && !may_be_step(co->o, found))
    ops_error(s->loc, "a step of '%s' cannot make '%s', which has a region or an effect",
              co->o->name, s->op);
  return found;
}

static void compile_items(compiler *co, lower_code *out, const expr *e) {
  for (; e; e = e->next) {
    pir_lower_item item = {-1, -1, -1};
    if (e->kind == EXPR_ATTR && ops_attr_at(co->o, e->name) >= 0 &&
        co->o->attrs[ops_attr_at(co->o, e->name)].kind == PIR_ATTR_ARRAY) {
      item.attr = (int16_t)ops_attr_at(co->o, e->name);
    } else if (e->kind == EXPR_REPEAT) {
      scope each = {NULL, e->name, NULL, NULL, ++co->level};
      item.repeat = ops_index(co, e->a, NULL);
      item.node = ops_index(co, e->b, &each);
      co->level--;
    } else {
      item.node = ops_index(co, e, NULL);
    }
    APPEND(co->d->in, out->items, out->item_count, item);
  }
}

static bool is_value(const expr *e) {
  return e->kind == EXPR_VALUE || e->kind == EXPR_MEMBER;
}

// Returns the key of a value; a member's key is a name that cannot be written in source.
static const char *name_of_value(const expr *e) {
  if (e->kind != EXPR_MEMBER)
    return e->name;
  return ops_format(e->loc.file->in, "%s[%lld]", e->name, (long long)e->i);
}

// An operand of any element type may be a sparse tensor, which is the list of its parts.
static void check_list(const compiler *co, const numbering *n, int number, const expr *e) {
  const operand *x =
      number >= 0 && number < co->o->operand_count ? &co->o->operands[number] : NULL;
  if (number >= 0 && n->sorts[number] == SORT_TENSOR && (!x || x->dtypes || x->same))
    ops_error(e->loc, "'%%%s' is no list", e->name);
}

// List members that a step reads become results of earlier steps; a member is extracted once.
static void hoist_members(compiler *co, lower_code *out, numbering *n, const expr *args) {
  for (const expr *e = args; e; e = e->next) {
    if (e->kind == EXPR_LIST && e->a && is_value(e->a))
      hoist_members(co, out, n, e->a);
    if (e->kind != EXPR_MEMBER || value_number(n, name_of_value(e)) >= 0)
      continue;
    int list = value_number(n, e->name);
    if (list < 0)
      ops_error(e->loc, "no value '%%%s' before this line", e->name);
    check_list(co, n, list, e);
    pir_lower_step take = {.op = "builtin.slice",
                           .first_arg = (uint16_t)out->arg_count,
                           .arg_count = 1,
                           .first_attr = (uint16_t)out->attr_count,
                           .attr_count = 1,
                           .result_count = 1,
                           .when = -1,
                           .otherwise = -1};
    pir_lower_attr index = {.name = "index",
                            .kind = PIR_LOWER_INT,
                            .k = -1,
                            .node = ops_index_const(co, e->i),
                            .first = -1};
    APPEND(co->d->in, out->args, out->arg_count,
           ((pir_lower_arg){PIR_LOWER_VALUE, (int16_t)list, -1, -1, 0}));
    APPEND(co->d->in, out->attrs, out->attr_count, index);
    APPEND(co->d->in, out->steps, out->step_count, take);
    name_value(n, name_of_value(e), SORT_TENSOR);
  }
}

static pir_lower_arg compile_arg(compiler *co, lower_code *out, const numbering *n,
                                 const expr *e, value_sort *sort) {
  pir_lower_arg arg = {PIR_LOWER_VALUE, -1, -1, -1, 0};
  int at = -1;
  *sort = SORT_TENSOR;
  if (e->kind == EXPR_ATTR)
    at = ops_operand_at(co->o, e->name);
  else if (is_value(e))
    at = value_number(n, name_of_value(e));
  if (e->kind == EXPR_NULL) {
    arg.kind = PIR_LOWER_ABSENT;
    *sort = SORT_UNKNOWN;
  } else if (e->kind == EXPR_REST) {
    *sort = SORT_LIST;
    arg.kind = PIR_LOWER_REST;
    arg.value = (int16_t)value_number(n, e->name);
    arg.first = (int16_t)e->i;
    if (arg.value < 0)
      ops_error(e->loc, "no value '%%%s' before this line", e->name);
    check_list(co, n, arg.value, e);
  } else if (at >= 0) {
    arg.value = (int16_t)at;
    *sort = n->sorts[at];
  } else if (is_value(e)) {
    ops_error(e->loc, "no value '%%%s' before this line", e->name);
  } else if (e->kind == EXPR_LIST && e->a && is_value(e->a)) {
    int16_t entries[64];
    int count = 0;
    *sort = SORT_LIST;
    for (const expr *x = e->a; x; x = x->next) {
      if (count == 64) {
        ops_error(x->loc, "a list has at most 64 values");
        break;
      }
      int number = is_value(x) ? value_number(n, name_of_value(x)) : -1;
      if (number < 0)
        ops_error(x->loc, "no value '%%%s' before this line", x->name ? x->name : "");
      entries[count++] = (int16_t)number;
    }
    arg.kind = PIR_LOWER_VALUES;
    arg.first = ops_pool(co, entries, count);
    arg.count = (int16_t)count;
  } else if (e->kind == EXPR_LIST ||
             (e->kind == EXPR_ATTR && ops_attr_at(co->o, e->name) >= 0 &&
              co->o->attrs[ops_attr_at(co->o, e->name)].kind == PIR_ATTR_ARRAY)) {
    expr one = *e;
    one.next = NULL;
    arg.kind = PIR_LOWER_INTS;
    arg.first = (int16_t)out->item_count;
    compile_items(co, out, e->kind == EXPR_LIST ? e->a : &one);
    arg.count = (int16_t)(out->item_count - arg.first);
  } else {
    arg.kind = PIR_LOWER_NUMBER;
    arg.node = ops_value(co, e, NULL);
  }
  return arg;
}

static pir_lower_attr compile_step_attr(compiler *co, lower_code *out, const named_expr *from,
                                        const op *target) {
  const expr *e = from->value;
  pir_lower_attr to = {.name = from->name, .k = -1, .node = -1, .first = -1};
  int at = target ? ops_attr_at(target, from->name) : -1;
  if (target && at < 0)
    ops_error(from->loc, "'%s' has no attribute '%s'", target->name, from->name);
  uint8_t kind = at >= 0 ? target->attrs[at].kind : PIR_ATTR_NONE;
  if (e->kind == EXPR_ATTR && ops_attr_at(co->o, e->name) >= 0) {
    to.kind = PIR_LOWER_COPY;
    to.k = (int16_t)ops_attr_at(co->o, e->name);
  } else if (e->kind == EXPR_TEXT) {
    to.kind = PIR_LOWER_TEXT;
    to.text = e->name;
  } else if (e->kind == EXPR_LIST) {
    to.kind = PIR_LOWER_LIST;
    to.first = (int16_t)out->item_count;
    compile_items(co, out, e->a);
    to.count = (int16_t)(out->item_count - to.first);
  } else if (kind == PIR_ATTR_PLACE && e->kind == EXPR_NAME) {
    to.kind = PIR_LOWER_INT;
    to.node = ops_index_const(co, !strcmp(e->name, "cpu"));
  } else if (kind == PIR_ATTR_DTYPE) {
    to.kind = PIR_LOWER_DTYPE;
    to.node = ops_index(co, e, NULL);
  } else if (kind == PIR_ATTR_F32 || kind == PIR_ATTR_F64 || kind == PIR_ATTR_SCALAR ||
             e->kind == EXPR_FLOAT) {
    to.kind = PIR_LOWER_FLOAT;
    to.node = ops_value(co, e, NULL);
  } else {
    to.kind = PIR_LOWER_INT;
    to.node = ops_index(co, e, NULL);
  }
  return to;
}

// A sparse tensor, and selected rows, are lists of their parts: only a result with an element
// type of its own is known to be a tensor.
static value_sort sort_of_result(const op *target, int k) {
  if (!target || k >= target->result_count)
    return SORT_UNKNOWN;
  const result *r = &target->results[k];
  if (r->flags & PIR_RESULT_VARIADIC)
    return SORT_LIST;
  return r->from || r->dtypes || r->dtype ? SORT_TENSOR : SORT_UNKNOWN;
}

static pir_lower_step compile_step(compiler *co, lower_code *out, numbering *n, const step *s) {
  const op *target = target_op(co, s);
  value_sort sorts[UINT8_MAX + 1] = {SORT_UNKNOWN};
  int given = 0;
  hoist_members(co, out, n, s->args);
  pir_lower_step to = {.op = s->op,
                       .first_arg = (uint16_t)out->arg_count,
                       .first_attr = (uint16_t)out->attr_count,
                       .result_count = (uint16_t)s->result_count,
                       .when = ops_index(co, s->when, NULL),
                       .otherwise = -1};
  if (!s->when != !s->otherwise)
    ops_error(s->loc, "a step has 'when' and 'else', or neither");
  if (s->otherwise && (to.otherwise = (int16_t)value_number(n, s->otherwise)) < 0)
    ops_error(s->loc, "no value '%%%s'", s->otherwise);
  if (s->when && s->result_count != 1)
    ops_error(s->loc, "a step with 'when' has one result");
  for (const expr *e = s->args; e; e = e->next) {
    value_sort sort;
    pir_lower_arg arg = compile_arg(co, out, n, e, &sort);
    APPEND(co->d->in, out->args, out->arg_count, arg);
    if (given <= UINT8_MAX)
      sorts[given++] = sort;
  }
  for (const named_expr *a = s->attrs; a; a = a->next)
    APPEND(co->d->in, out->attrs, out->attr_count, compile_step_attr(co, out, a, target));
  to.arg_count = (uint16_t)(out->arg_count - to.first_arg);
  to.attr_count = (uint16_t)(out->attr_count - to.first_attr);
  if (target && to.arg_count > target->operand_count)
    ops_error(s->loc, "'%s' takes %d operands, is given %d", s->op, target->operand_count,
              to.arg_count);
  if (target && s->result_count > target->result_count)
    ops_error(s->loc, "'%s' has %d results, %d are named", s->op, target->result_count,
              s->result_count);
  if (target)
    ops_check_step(co->o, target, s, sorts);
  for (int i = 0; i < s->result_count; i++)
    name_value(n, s->results[i], sort_of_result(target, i));
  return to;
}

static void name_operands(compiler *co, numbering *n) {
  for (int i = 0; i < co->o->operand_count; i++)
    name_value(n, co->o->operands[i].name,
               co->o->operands[i].flags & PIR_OPERAND_VARIADIC ? SORT_LIST : SORT_TENSOR);
}

static lower_code compile_steps(compiler *co, const lower *l, numbering *n) {
  lower_code out = {.when = -1, .primitive = l->primitive};
  out.when = ops_index(co, l->when, NULL);
  for (int i = 0; i < l->step_count; i++) {
    pir_lower_step compiled = compile_step(co, &out, n, &l->steps[i]);
    APPEND(co->d->in, out.steps, out.step_count, compiled);
  }
  if (n->count > PIR_LOWER_VALUES_MOST)
    ops_error(l->steps[0].loc, "a block has at most %d values, with the operands; here %d",
              PIR_LOWER_VALUES_MOST, n->count);
  return out;
}

static lower_code compile_lower(compiler *co, const lower *l) {
  numbering n = {.in = co->d->in};
  co->c = NULL;
  name_operands(co, &n);
  lower_code out = compile_steps(co, l, &n);
  int count = 0;
  bool any = false;
  for (int i = 0; i < co->o->result_count; i++) {
    int number = -1;
    for (int v = n.count - 1; v >= co->o->operand_count && number < 0; v--)
      if (!strcmp(n.names[v], co->o->results[i].name))
        number = v;
    any |= number >= 0;
    bool list = co->o->results[i].flags & PIR_RESULT_VARIADIC;
    if (number >= 0 && n.sorts[number] == (list ? SORT_TENSOR : SORT_LIST))
      ops_error(l->loc, "'%s' is %s, and the step gives %s", n.names[number],
                list ? "a list" : "one tensor", list ? "one tensor" : "a list");
    APPEND(co->d->in, out.results, count, (int16_t)number);
  }
  if (!any)
    ops_error(l->loc, "no step gives a result of '%s'", co->o->name);
  return out;
}

// What a gradient may name: the operands, the results and the gradients of the results, all as
// operands.
static op values_of_gradient(const op *o) {
  ops_reading *in = o->loc.file->in;
  op all = *o;
  all.operands = NULL;
  all.operand_count = all.result_count = 0;
  for (int i = 0; i < o->operand_count; i++)
    APPEND(in, all.operands, all.operand_count, o->operands[i]);
  for (int k = 0; k < 2; k++)
    for (int i = 0; i < o->result_count; i++) {
      const result *r = &o->results[i];
      bool list = r->flags & PIR_RESULT_VARIADIC;
      operand value = {.name = k ? ops_format(in, "%s_grad", r->name) : r->name,
                       .loc = r->loc,
                       .flags = list ? PIR_OPERAND_VARIADIC : 0,
                       .dtypes = r->dtypes,
                       .same = r->same,
                       .same_as = -1};
      APPEND(in, all.operands, all.operand_count, value);
    }
  return all;
}

// `x_grad` of a step is the gradient of operand x.
static lower_code compile_grad(compiler *co, const lower *l) {
  const op *o = co->o;
  op all = values_of_gradient(o);
  numbering n = {.in = co->d->in};
  int count = 0;
  bool any = false;
  co->c = NULL;
  co->o = &all;
  co->in_grad = true;
  name_operands(co, &n);
  lower_code out = compile_steps(co, l, &n);
  co->o = o;
  for (int i = 0; i < o->operand_count; i++) {
    const char *name = ops_format(co->d->in, "%s_grad", o->operands[i].name);
    int number = -1;
    for (int v = n.count - 1; v >= all.operand_count && number < 0; v--)
      if (!strcmp(n.names[v], name))
        number = v;
    any |= number >= 0;
    APPEND(co->d->in, out.results, count, (int16_t)number);
  }
  if (!any)
    ops_error(l->loc, "no step gives the gradient of an operand of '%s'", o->name);
  return out;
}

void ops_compile(dialect *d, op *o) {
  code *out = ops_take(d->in, sizeof *out);
  compiler co = {.d = d, .o = o, .out = out};
  out->first_var = ops_take(d->in, sizeof *out->first_var * (size_t)(o->clause_count + 1));
  for (int i = 0; i < o->clause_count; i++) {
    pir_clause c = compile_clause(&co, &o->clauses[i]);
    APPEND(d->in, out->clauses, out->clause_count, c);
  }
  for (int i = 0; i < o->shape_count; i++) {
    pir_clause c = compile_shape(&co, &o->shapes[i]);
    APPEND(d->in, out->shapes, out->shape_count, c);
  }
  for (int i = 0; i < o->requirement_count; i++) {
    pir_clause c = compile_requirement(&co, &o->requirements[i]);
    APPEND(d->in, out->requirements, out->requirement_count, c);
  }
  for (int i = 0; i < o->lower_count; i++) {
    lower_code l = compile_lower(&co, &o->lowers[i]);
    APPEND(d->in, out->lowers, out->lower_count, l);
  }
  for (int i = 0; i < o->grad_count; i++) {
    lower_code l = compile_grad(&co, &o->grads[i]);
    APPEND(d->in, out->grads, out->grad_count, l);
  }
  o->code = out;
}
