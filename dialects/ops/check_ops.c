// Completes the model and reports its errors: positions of names, twins and numbers, kinds of
// defaults, and the requirements on every op. All ops are checked, so one run shows every
// error.
#include "ops_stages.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

int ops_operand_at(const op *o, const char *name) {
  for (int i = 0; i < o->operand_count; i++)
    if (!strcmp(o->operands[i].name, name))
      return i;
  return -1;
}

int ops_result_at(const op *o, const char *name) {
  for (int i = 0; i < o->result_count; i++)
    if (!strcmp(o->results[i].name, name))
      return i;
  return -1;
}

int ops_attr_at(const op *o, const char *name) {
  for (int i = 0; i < o->attr_count; i++)
    if (!strcmp(o->attrs[i].name, name))
      return i;
  return -1;
}

bool ops_declared_only(const op *o) {
  uint32_t carried_out = PIR_TERMINATOR | PIR_INPUT | PIR_OUTPUT | PIR_PARAMETER | PIR_CONTROL |
                         PIR_STRUCTURAL | PIR_CONSTANT;
  return !o->clause_count && !o->lower_count && !o->kernel && !o->hook_expand &&
         !(o->traits & carried_out);
}

// Attribute operands follow the tensors, each in declared order.
static void order_operands(op *o) {
  operand *sorted = ops_take(o->loc.file->in, sizeof *sorted * (size_t)(o->operand_count + 1));
  int n = 0;
  for (int pass = 0; pass < 2; pass++)
    for (int i = 0; i < o->operand_count; i++)
      if (!(o->operands[i].flags & (PIR_OPERAND_INTARRAY | PIR_OPERAND_SCALAR)) == !pass)
        sorted[n++] = o->operands[i];
  o->operands = sorted;
}

static bool literal_fits(uint8_t kind, uint8_t element_kind, const expr *e) {
  switch (kind) {
    case PIR_ATTR_BOOL:
      return e->kind == EXPR_NAME && (!strcmp(e->name, "true") || !strcmp(e->name, "false"));
    case PIR_ATTR_I32: return e->kind == EXPR_INT && e->i >= INT32_MIN && e->i <= INT32_MAX;
    case PIR_ATTR_I64:
    case PIR_ATTR_INDEX: return e->kind == EXPR_INT;
    case PIR_ATTR_F32:
    case PIR_ATTR_F64:
    case PIR_ATTR_SCALAR: return e->kind == EXPR_INT || e->kind == EXPR_FLOAT;
    case PIR_ATTR_STR: return e->kind == EXPR_TEXT;
    case PIR_ATTR_DTYPE:
      return e->kind == EXPR_NAME &&
             (!strcmp(e->name, "bool") ||
              pir_dtype_from_text(pir_str_from(e->name)) != PIR_DTYPE_NONE);
    case PIR_ATTR_PLACE:
      return e->kind == EXPR_NAME && (!strcmp(e->name, "cpu") || !strcmp(e->name, "undefined"));
    case PIR_ATTR_LAYOUT:
      return e->kind == EXPR_TEXT &&
             pir_layout_from_name(pir_str_from(e->name)) != PIR_LAYOUT_NONE;
    case PIR_ATTR_ARRAY:
    case PIR_ATTR_INT_ARRAY:
      if (e->kind != EXPR_LIST || (e->a && element_kind == PIR_ATTR_STR))  // [] of texts
        return false;
      for (const expr *x = e->a; x; x = x->next)
        if (!literal_fits(kind == PIR_ATTR_ARRAY ? element_kind : PIR_ATTR_I64, 0, x))
          return false;
      return true;
    default: return false;
  }
}

static void check_operands(op *o) {
  for (int i = 0; i < o->operand_count; i++) {
    operand *x = &o->operands[i];
    x->same_as = -1;
    if (ops_operand_at(o, x->name) != i)
      ops_error(x->loc, "operand '%s' is declared twice", x->name);
    if (x->same && (x->same_as = ops_operand_at(o, x->same)) < 0)
      ops_error(x->loc, "no operand '%s'", x->same);
    bool attr_operand = x->flags & (PIR_OPERAND_INTARRAY | PIR_OPERAND_SCALAR);
    if (x->literal && !attr_operand)
      ops_error(x->loc, "only attribute operands have defaults");
    uint8_t kind = x->scalar_dtype == PIR_BOOL ? PIR_ATTR_BOOL : PIR_ATTR_F64;
    if (x->flags & PIR_OPERAND_INTARRAY)
      kind = PIR_ATTR_INT_ARRAY;
    if (x->literal && attr_operand && !literal_fits(kind, 0, x->literal))
      ops_error(x->literal->loc, "this default does not fit '%s'", x->name);
  }
}

static const op *op_before_suffix(const dialect *d, const char *name, size_t length) {
  for (int i = 0; i < d->op_count; i++)
    if (!strncmp(d->ops[i].name, name, length) && !d->ops[i].name[length])
      return &d->ops[i];
  return NULL;
}

// The operand of a gradient op that is the gradient of a result, or -1.
static int gradient_of(const op *o, const char *of) {
  size_t length = strlen(of);
  for (int i = 0; i < o->operand_count; i++)
    if (!strncmp(o->operands[i].name, of, length) &&
        !strcmp(o->operands[i].name + length, "_grad"))
      return i;
  return -1;
}

// Ties the gradients of results to what gives the results their element types: where an op
// declares `out : same(x)` and its gradient reads x, out_grad has the type of x there, too; a
// type that meets it will do if the op's own operands promote.
static void tie_gradients(const dialect *d, op *o) {
  size_t cut = strlen("_grad"), length = strlen(o->name);
  if (length <= cut || strcmp(o->name + length - cut, "_grad") != 0)
    return;
  const op *forward = op_before_suffix(d, o->name, length - cut);
  uint8_t promoted = 0;
  for (int i = 0; forward && i < forward->operand_count; i++)
    promoted |= forward->operands[i].flags & PIR_OPERAND_PROMOTED;
  for (int i = 0; forward && i < forward->result_count; i++) {
    const result *r = &forward->results[i];
    int gradient = gradient_of(o, r->name);
    if (!r->same || gradient < 0)
      continue;
    operand *x = &o->operands[gradient];
    if (x->dtypes || x->same)
      continue;
    x->same_as = ops_operand_at(o, r->same);
    x->flags |= promoted;
  }
}

static void check_attrs(op *o) {
  for (int i = 0; i < o->attr_count; i++) {
    attr *a = &o->attrs[i];
    if (ops_attr_at(o, a->name) != i)
      ops_error(a->loc, "attribute '%s' is declared twice", a->name);
    if (ops_operand_at(o, a->name) >= 0)
      ops_error(a->loc, "'%s' is an operand already", a->name);
    if (a->literal && !literal_fits(a->kind, a->element_kind, a->literal))
      ops_error(a->literal->loc, "this default does not fit '%s'", a->name);
  }
}

static void check_results(op *o) {
  for (int i = 0; i < o->result_count; i++) {
    result *r = &o->results[i];
    r->same_as = r->from_attr = -1;
    if (ops_result_at(o, r->name) != i)
      ops_error(r->loc, "result '%s' is declared twice", r->name);
    if (r->same && (r->same_as = ops_operand_at(o, r->same)) < 0)
      ops_error(r->loc, "no operand '%s'", r->same);
    if (!r->from)
      continue;
    r->from_attr = ops_attr_at(o, r->from);
    if (r->from_attr < 0 || o->attrs[r->from_attr].kind != PIR_ATTR_DTYPE)
      ops_error(r->loc, "no dtype attribute '%s'", r->from);
  }
}

// Results that nobody may need can do without a clause.
static bool has_clause(const op *o, const result *r) {
  if (r->flags & (PIR_RESULT_OPTIONAL | PIR_RESULT_INTERMEDIATE))
    return true;
  for (int i = 0; i < o->clause_count; i++)
    if (!strcmp(o->clauses[i].result, r->name))
      return true;
  return false;
}

static void check_meaning(op *o) {
  for (int i = 0; i < o->clause_count; i++)
    for (int j = 0; j < i; j++)
      if (!strcmp(o->clauses[i].result, o->clauses[j].result) && !o->clauses[j].when)
        ops_error(o->clauses[i].loc, "'%s' is defined twice", o->clauses[i].result);
  for (int i = 0; i < o->shape_count; i++)
    for (int j = 0; j < i; j++)
      if (!strcmp(o->shapes[i].result, o->shapes[j].result) && !o->shapes[j].when)
        ops_error(o->shapes[i].loc, "the shape of '%s' is given twice", o->shapes[i].result);
  for (int i = 0; i + 1 < o->lower_count; i++)
    if (!o->lowers[i].when)
      ops_error(o->lowers[i + 1].loc, "never reached: the alternative before has no condition");
  if (o->lower_count && !o->lowers[o->lower_count - 1].when && (o->clause_count || o->kernel))
    ops_error(o->lowers[o->lower_count - 1].loc,
              "this alternative hides the clause or kernel: give it a condition");
  bool whole = o->kernel || (o->lower_count && !o->lowers[o->lower_count - 1].when);
  for (int i = 0; i < o->result_count && o->clause_count && !whole; i++)
    if (!has_clause(o, &o->results[i]))
      ops_error(o->results[i].loc, "nothing says what '%s' is", o->results[i].name);
  if (o->declared && !ops_declared_only(o))
    ops_error(o->loc, "'%s' has a meaning, and a reason to have none", o->name);
  uint32_t stated = PIR_PURE | PIR_TERMINATOR | PIR_RANDOM | PIR_OUTPUT | PIR_CONTROL |
                    PIR_INPUT | PIR_PARAMETER | PIR_INPLACE;
  if (o->traits & PIR_PURE && o->effect)
    ops_error(o->loc, "'%s' is said to be pure and to have an effect", o->name);
  if (!(o->traits & stated) && !o->effect)
    ops_error(o->loc, "'%s' says neither 'trait pure' nor 'effect'", o->name);
  if (!*o->summary)
    ops_error(o->loc, "'%s' has an empty summary", o->name);
}

static void check_pairs(op *o) {
  for (int i = 0; i < o->pair_count; i++) {
    pair *p = &o->pairs[i];
    p->operand_at = ops_operand_at(o, p->operand);
    p->result_at = ops_result_at(o, p->result);
    if (p->operand_at < 0)
      ops_error(p->loc, "no operand '%s'", p->operand);
    if (p->result_at < 0)
      ops_error(p->loc, "no result '%s'", p->result);
    for (int j = 0; j < i; j++)
      if (p->operand_at == o->pairs[j].operand_at || p->result_at == o->pairs[j].result_at)
        ops_error(p->loc, "'%s' or '%s' is in a pair already", p->operand, p->result);
  }
  size_t length = strlen(o->name);
  bool only_inplace = (length && o->name[length - 1] == '_') || o->traits & PIR_INPLACE;
  if (only_inplace)
    o->traits = (o->traits & ~(uint32_t)PIR_PURE) | PIR_INPLACE;
  o->has_twin = o->pair_count && !only_inplace;
}

static void check_legacy(const op *o) {
  for (int i = 0; i < o->legacy_count; i++) {
    for (int j = 0; j < o->legacies[i].item_count; j++) {
      const legacy_item *item = &o->legacies[i].items[j];
      for (int k = 0; k < j; k++)
        if (!strcmp(o->legacies[i].items[k].name, item->name))
          ops_error(item->loc, "'%s' is renamed twice", item->name);
      int operand_at = ops_operand_at(o, item->name);
      if (operand_at < 0 && ops_attr_at(o, item->name) < 0 && ops_result_at(o, item->name) < 0)
        ops_error(item->loc, "'%s' has no operand, attribute or result '%s'", o->name,
                  item->name);
      if (item->tensor && (operand_at < 0 || !(o->operands[operand_at].flags &
                                               (PIR_OPERAND_INTARRAY | PIR_OPERAND_SCALAR))))
        ops_error(item->loc, "only an attribute operand may come as a tensor");
    }
  }
}

// The tables count in bytes, and an id has 16 bits for the op.
static void check_size(const op *o) {
  if (o->operand_count > UINT8_MAX || o->attr_count > UINT8_MAX || o->result_count > UINT8_MAX)
    ops_error(o->loc, "'%s' has more than %d operands, attributes or results", o->name,
              UINT8_MAX);
  if (o->regions > UINT8_MAX)
    ops_error(o->loc, "'%s' has more than %d regions", o->name, UINT8_MAX);
}

void ops_check(dialect *d) {
  for (int i = 0; i < d->op_count; i++) {
    op *o = &d->ops[i];
    if (o->is_form && !o->used)
      ops_error(o->loc, "no op is like '%s'", o->name);
    if (o->is_form)
      continue;
    check_size(o);
    order_operands(o);
    check_operands(o);
    check_attrs(o);
    check_results(o);
    check_pairs(o);
    check_meaning(o);
    check_legacy(o);
    ops_check_spmd(o);
  }
  for (int i = 0; i < d->op_count; i++)
    if (!d->ops[i].is_form)
      tie_gradients(d, &d->ops[i]);
  for (int i = 0; i < d->op_count; i++)
    if (!d->ops[i].is_form)
      ops_pair_gradient(d, &d->ops[i]);
  ops_give_reasons(d);
  for (int i = 0; i < d->op_count; i++)
    if (!d->ops[i].is_form)
      ops_mark_shape_only(d, &d->ops[i]);
  for (int i = 0; i < d->op_count; i++)
    if (!d->ops[i].is_form)
      ops_compile(d, &d->ops[i]);
}
