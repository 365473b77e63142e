// Which operands an op reads for their shape and element type alone. Gradients may take such an
// operand when its elements are gone: when an op overwrote them.
#include "ops_stages.h"

#include <string.h>

enum { MOST_STEPS_DEEP = 16 };  // of ops that are made of each other

typedef struct search {
  const dialect *d;
  const op *o;
  const char *name;  // of the operand
  int deep;
} search;

static bool names_operand_alone(const char *callee) {
  static const char *const queries[] = {"dim",     "rank",  "numel", "members",
                                        "present", "dtype", "as",    "cast"};
  for (size_t i = 0; i < sizeof queries / sizeof *queries; i++)
    if (!strcmp(queries[i], callee))
      return true;
  return false;
}

static const let *let_named(const search *s, const char *name) {
  for (int i = 0; i < s->o->let_count; i++)
    if (!strcmp(s->o->lets[i].name, name))
      return &s->o->lets[i];
  for (int i = 0; i < s->d->let_count; i++)
    if (!strcmp(s->d->lets[i].name, name))
      return &s->d->lets[i];
  return NULL;
}

// Whether an expression reads elements of the operand. Lets lead to lets before them only, so
// the depth is bounded as the depth of expressions is.
static bool reads(const search *s, const expr *e);

static bool list_reads(const search *s, const expr *first) {
  for (const expr *e = first; e; e = e->next)
    if (reads(s, e))
      return true;
  return false;
}

static bool reads(const search *s, const expr *e) {
  if (!e)
    return false;
  bool named = e->name && !strcmp(e->name, s->name);
  if (named && (e->kind == EXPR_NAME || e->kind == EXPR_AT))
    return true;
  const expr *first = e->a;
  if (e->kind == EXPR_CALL && first && names_operand_alone(e->name))
    first = first->kind == EXPR_NAME ? first->next : first;
  const let *found =
      e->name && (e->kind == EXPR_NAME || e->kind == EXPR_CALL) ? let_named(s, e->name) : NULL;
  search body = *s;
  body.deep++;
  if (found && (s->deep == MOST_STEPS_DEEP || reads(&body, found->body)))
    return true;
  return list_reads(s, first) || reads(s, e->b) || (e->kind != EXPR_AT && reads(s, e->c));
}

static bool clause_reads(const search *s, const clause *c) {
  bool starts_from_first = c->kind == PIR_CLAUSE_SCATTER && !c->init;
  if (starts_from_first && !strcmp(s->o->operands[0].name, s->name))
    return true;
  const expr *const parts[] = {c->rank,    c->extent,    c->body, c->when, c->keep,  c->flat,
                               c->reverse, c->exclusive, c->init, c->then, c->guard, c->trap};
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
    if (reads(s, parts[i]))
      return true;
  return list_reads(s, c->out);
}

static bool op_reads(const search *s);

static const op *target_of_step(const search *s, const char *name) {
  size_t prefix = strlen(s->d->name);
  if (strncmp(name, s->d->name, prefix) != 0 || name[prefix] != '.')
    return NULL;
  for (int i = 0; i < s->d->op_count; i++)
    if (!s->d->ops[i].is_form && !strcmp(s->d->ops[i].name, name + prefix + 1))
      return &s->d->ops[i];
  return NULL;
}

static bool step_reads(const search *s, const step *made) {
  const op *target = target_of_step(s, made->op);
  int at = 0;
  if (made->otherwise && !strcmp(made->otherwise, s->name))
    return true;
  for (const expr *e = made->args; e; e = e->next, at++) {
    bool named = e->name && !strcmp(e->name, s->name);
    if (!named && !list_reads(s, e->a))
      continue;
    if (!named || !target || at >= target->operand_count || e->kind != EXPR_VALUE)
      return true;
    search inner = {s->d, target, target->operands[at].name, s->deep + 1};
    if (op_reads(&inner))
      return true;
  }
  return false;
}

static bool op_reads(const search *s) {
  const op *o = s->o;
  bool said = (o->clause_count || o->lower_count) && !o->kernel && !o->hook_expand;
  if (!said || s->deep >= MOST_STEPS_DEEP)
    return true;
  for (int i = 0; i < o->clause_count; i++)
    if (clause_reads(s, &o->clauses[i]))
      return true;
  for (int i = 0; i < o->lower_count; i++)
    for (int k = 0; k < o->lowers[i].step_count; k++)
      if (step_reads(s, &o->lowers[i].steps[k]))
        return true;
  return false;
}

void ops_mark_shape_only(const dialect *d, op *o) {
  for (int i = 0; i < o->operand_count; i++) {
    operand *x = &o->operands[i];
    search s = {d, o, x->name, 0};
    if (!(x->flags & (PIR_OPERAND_INTARRAY | PIR_OPERAND_SCALAR)) && !op_reads(&s))
      x->flags |= PIR_OPERAND_SHAPE_ONLY;
  }
}
