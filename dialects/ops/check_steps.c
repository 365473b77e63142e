// Checks of the steps of `lower` blocks against the ops that they make: a step gives every
// operand and attribute that has no default, and attributes of the declared kind.
#include "nodes_impl.h"

#include <string.h>

static const char *const class_words[] = {"a value", "a number", "a text", "an element type",
                                          "a list"};

// Whether a list attribute of the one element kind may become a list of the other.
static bool elements_fit(uint8_t from, uint8_t to) {
  bool texts = from == PIR_ATTR_STR || to == PIR_ATTR_STR;
  bool narrows = (from == PIR_ATTR_F32 || from == PIR_ATTR_F64) && ops_is_integer_kind(to);
  return from == to || (!texts && !narrows);
}

static void check_copy(const named_expr *given, const attr *from, const attr *to) {
  value_class have = ops_class_of(from->kind), want = ops_class_of(to->kind);
  bool fits = have == want || have == CLASS_ANY || want == CLASS_ANY;
  if (fits && have == CLASS_LIST)
    fits = from->kind == PIR_ATTR_INT_ARRAY || to->kind == PIR_ATTR_INT_ARRAY ||
           elements_fit(from->element_kind, to->element_kind);
  if (fits && have == CLASS_NUMBER)
    fits = ops_is_integer_kind(from->kind) || !ops_is_integer_kind(to->kind);
  if (!fits)
    ops_error(given->loc, "attribute '%s' of the step does not take '$%s'", to->name,
              from->name);
}

static void check_range(const expr *e, uint8_t kind, const char *name) {
  if (kind == PIR_ATTR_BOOL && e->i != 0 && e->i != 1)
    ops_error(e->loc, "attribute '%s' of the step is true or false", name);
  if (kind == PIR_ATTR_I32 && (e->i < INT32_MIN || e->i > INT32_MAX))
    ops_error(e->loc, "attribute '%s' of the step has 32 bits", name);
  if (kind == PIR_ATTR_STR)
    ops_error(e->loc, "attribute '%s' of the step lists texts", name);
}

static void check_given(const op *o, const named_expr *given, const attr *to) {
  const expr *e = given->value;
  int copied = e->kind == EXPR_ATTR ? ops_attr_at(o, e->name) : -1;
  if (copied >= 0) {
    check_copy(given, &o->attrs[copied], to);
    return;
  }
  value_class want = ops_class_of(to->kind), have = want;
  if (e->kind == EXPR_TEXT)
    have = CLASS_TEXT;
  else if (e->kind == EXPR_LIST)
    have = CLASS_LIST;
  else if (e->kind == EXPR_FLOAT || e->kind == EXPR_INT)
    have = CLASS_NUMBER;
  if (want != CLASS_ANY && have != want)
    ops_error(e->loc, "attribute '%s' of the step is %s", to->name, class_words[want]);
  if (e->kind == EXPR_FLOAT && ops_is_integer_kind(to->kind))
    ops_error(e->loc, "attribute '%s' of the step is an integer", to->name);
  if (e->kind == EXPR_INT)
    check_range(e, to->kind, to->name);
  for (const expr *x = e->kind == EXPR_LIST && to->kind == PIR_ATTR_ARRAY ? e->a : NULL; x;
       x = x->next)
    if (x->kind == EXPR_INT)
      check_range(x, to->element_kind, to->name);
}

static const named_expr *find_given(const step *s, const char *name) {
  for (const named_expr *a = s->attrs; a; a = a->next)
    if (!strcmp(a->name, name))
      return a;
  return NULL;
}

static bool may_be_absent(const operand *x) {
  return x->flags & PIR_OPERAND_OPTIONAL || x->literal;
}

// Whether the numbers that an argument states fit an attribute operand.
static void check_literal(const op *o, const expr *e, const operand *x) {
  const attr *copied = e->kind == EXPR_ATTR && ops_attr_at(o, e->name) >= 0
                           ? &o->attrs[ops_attr_at(o, e->name)]
                           : NULL;
  bool number = e->kind == EXPR_INT || e->kind == EXPR_FLOAT ||
                (copied && ops_class_of(copied->kind) == CLASS_NUMBER);
  bool list = e->kind == EXPR_LIST || (copied && ops_class_of(copied->kind) == CLASS_LIST);
  if (x->flags & PIR_OPERAND_INTARRAY && number)
    ops_error(e->loc, "operand '%s' takes a list: write [..]", x->name);
  if (x->flags & PIR_OPERAND_SCALAR && list)
    ops_error(e->loc, "operand '%s' takes one number, not a list", x->name);
  if (list && copied && !ops_lists_integers(copied))
    ops_error(e->loc, "attribute '$%s' is no list of integers", copied->name);
}

static void check_operands_given(const op *o, const op *target, const step *s,
                                 const value_sort *sorts) {
  const expr *e = s->args;
  for (int i = 0; i < target->operand_count; i++) {
    const operand *x = &target->operands[i];
    bool list = x->flags & PIR_OPERAND_VARIADIC;
    if ((!e || e->kind == EXPR_NULL) && !may_be_absent(x))
      ops_error(e ? e->loc : s->loc, "'%s' needs operand '%s'", s->op, x->name);
    if (!e)
      continue;
    check_literal(o, e, x);
    if (sorts[i] == (list ? SORT_TENSOR : SORT_LIST))
      ops_error(e->loc, "operand '%s' of '%s' is %s", x->name, s->op,
                list ? "a list" : "one tensor");
    e = e->next;
  }
}

static void check_twice(const step *s) {
  for (const named_expr *a = s->attrs; a; a = a->next)
    for (const named_expr *b = s->attrs; b != a; b = b->next)
      if (!strcmp(a->name, b->name))
        ops_error(a->loc, "attribute '%s' is given twice", a->name);
}

void ops_check_step(const op *o, const op *target, const step *s, const value_sort *sorts) {
  check_operands_given(o, target, s, sorts);
  check_twice(s);
  if (target->traits & PIR_RANDOM && !(o->traits & PIR_RANDOM))
    ops_error(s->loc, "'%s' is random: '%s' needs 'trait random'", s->op, o->name);
  for (int i = 0; i < target->attr_count; i++) {
    const attr *to = &target->attrs[i];
    const named_expr *given = find_given(s, to->name);
    if (given)
      check_given(o, given, to);
    else if (!to->literal)
      ops_error(s->loc, "'%s' needs attribute '%s'", s->op, to->name);
  }
}
