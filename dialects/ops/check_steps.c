// Checks of the steps of `lower` blocks against the ops that they make: a step gives every
// operand and attribute that has no default, and attributes of the declared kind.
#include "ops_stages.h"

#include <string.h>

// The values that an attribute of a kind holds.
typedef enum value_class {
  CLASS_ANY,
  CLASS_NUMBER,
  CLASS_TEXT,
  CLASS_DTYPE,
  CLASS_LIST
} value_class;

static value_class class_of(uint8_t kind) {
  switch (kind) {
    case PIR_ATTR_BOOL:
    case PIR_ATTR_I32:
    case PIR_ATTR_I64:
    case PIR_ATTR_INDEX:
    case PIR_ATTR_F32:
    case PIR_ATTR_F64: return CLASS_NUMBER;
    case PIR_ATTR_STR: return CLASS_TEXT;
    case PIR_ATTR_DTYPE: return CLASS_DTYPE;
    case PIR_ATTR_ARRAY:
    case PIR_ATTR_INT_ARRAY: return CLASS_LIST;
    default: return CLASS_ANY;
  }
}

static bool is_integer_kind(uint8_t kind) {
  return kind == PIR_ATTR_BOOL || kind == PIR_ATTR_I32 || kind == PIR_ATTR_I64 ||
         kind == PIR_ATTR_INDEX;
}

static const char *const class_words[] = {"a value", "a number", "a text", "an element type",
                                          "a list"};

// Whether a list attribute of the one element kind may become a list of the other.
static bool elements_fit(uint8_t from, uint8_t to) {
  bool texts = from == PIR_ATTR_STR || to == PIR_ATTR_STR;
  bool narrows = (from == PIR_ATTR_F32 || from == PIR_ATTR_F64) && is_integer_kind(to);
  return from == to || (!texts && !narrows);
}

static void check_copy(const named_expr *given, const attr *from, const attr *to) {
  value_class have = class_of(from->kind), want = class_of(to->kind);
  bool fits = have == want || have == CLASS_ANY || want == CLASS_ANY;
  if (fits && have == CLASS_LIST)
    fits = from->kind == PIR_ATTR_INT_ARRAY || to->kind == PIR_ATTR_INT_ARRAY ||
           elements_fit(from->element_kind, to->element_kind);
  if (fits && have == CLASS_NUMBER)
    fits = is_integer_kind(from->kind) || !is_integer_kind(to->kind);
  if (!fits)
    source_error(given->loc, "attribute '%s' of the step does not take '$%s'", to->name,
                 from->name);
}

static void check_given(const op *o, const named_expr *given, const attr *to) {
  const expr *e = given->value;
  int copied = e->kind == EXPR_ATTR ? op_attr(o, e->name) : -1;
  if (copied >= 0) {
    check_copy(given, &o->attrs[copied], to);
    return;
  }
  value_class want = class_of(to->kind), have = want;
  if (e->kind == EXPR_TEXT)
    have = CLASS_TEXT;
  else if (e->kind == EXPR_LIST)
    have = CLASS_LIST;
  else if (e->kind == EXPR_FLOAT || e->kind == EXPR_INT)
    have = CLASS_NUMBER;
  if (want != CLASS_ANY && have != want)
    source_error(e->loc, "attribute '%s' of the step is %s", to->name, class_words[want]);
  if (e->kind == EXPR_FLOAT && is_integer_kind(to->kind))
    source_error(e->loc, "attribute '%s' of the step is an integer", to->name);
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

static void check_operands_given(const op *target, const step *s) {
  const expr *e = s->args;
  for (int i = 0; i < target->operand_count; i++) {
    const operand *x = &target->operands[i];
    if ((!e || e->kind == EXPR_NULL) && !may_be_absent(x))
      source_error(e ? e->loc : s->loc, "'%s' needs operand '%s'", s->op, x->name);
    e = e ? e->next : NULL;
  }
}

void ops_check_step(const op *o, const op *target, const step *s) {
  check_operands_given(target, s);
  if (target->traits & PIR_RANDOM && !(o->traits & PIR_RANDOM))
    source_error(s->loc, "'%s' is random: '%s' needs 'trait random'", s->op, o->name);
  for (int i = 0; i < target->attr_count; i++) {
    const attr *to = &target->attrs[i];
    const named_expr *given = find_given(s, to->name);
    if (given)
      check_given(o, given, to);
    else if (!to->literal)
      source_error(s->loc, "'%s' needs attribute '%s'", s->op, to->name);
  }
}

bool ops_is_axes_kind(const attr *a) {
  uint8_t kind = a->kind == PIR_ATTR_ARRAY ? a->element_kind : a->kind;
  return is_integer_kind(kind) || kind == PIR_ATTR_INT_ARRAY;
}

bool ops_is_number_kind(const attr *a) {
  value_class held = class_of(a->kind);
  return held == CLASS_NUMBER || held == CLASS_ANY;
}
