// Gradients that need no block: where an op declares none, and its gradient op is declared
// beside it (`f_grad` of `f`, `f_double_grad` of `f_grad`), the names of operands, attributes
// and results say how the one is called with the values of the other. An operand of `f_grad` is
// an operand or a result of `f`, or `r_grad`, the gradient of result r; an attribute is the one
// with the same name; result `x_grad` is the gradient of operand x. Second gradients write
// `grad_r` for what the first call `r_grad`.
#include "ops_stages.h"

#include <string.h>

static bool ends_in(const char *name, const char *suffix) {
  size_t length = strlen(name), cut = strlen(suffix);
  return length > cut && !strcmp(name + length - cut, suffix);
}

// Returns the name without a suffix that it has, and with another one.
static const char *with_suffix(ops_reading *in, const char *name, const char *old,
                               const char *suffix) {
  return ops_format(in, "%.*s%s", (int)(strlen(name) - strlen(old)), name, suffix);
}

static const char *gradient_name(ops_reading *in, const char *name) {
  if (ends_in(name, "_grad"))
    return with_suffix(in, name, "_grad", "_double_grad");
  return ops_format(in, "%s_grad", name);
}

static const op *find_gradient_op(const dialect *d, const char *name) {
  for (int i = 0; i < d->op_count; i++)
    if (!d->ops[i].is_form && !strcmp(d->ops[i].name, name))
      return &d->ops[i];
  return NULL;
}

// Returns `grad_r` as `r_grad`, and another name as it is.
static const char *plain_name(ops_reading *in, const char *name) {
  size_t prefix = strlen("grad_");
  return strncmp(name, "grad_", prefix) ? name : ops_format(in, "%s_grad", name + prefix);
}

static bool names_value(const op *o, const char *name) {
  return ops_operand_at(o, name) >= 0 || ops_result_at(o, name) >= 0;
}

static bool is_result_gradient(const op *o, ops_reading *in, const char *name) {
  return ends_in(name, "_grad") && ops_result_at(o, with_suffix(in, name, "_grad", "")) >= 0;
}

// Returns the name in a gradient block of `o` of the value that an operand of its gradient op
// stands for; NULL if there is none.
static const char *value_for(const op *o, ops_reading *in, const char *name) {
  const char *plain = plain_name(in, name);
  if (names_value(o, name) || is_result_gradient(o, in, name))
    return name;
  return names_value(o, plain) || is_result_gradient(o, in, plain) ? plain : NULL;
}

// Returns the name of the gradient that a result of the gradient op is; NULL if it is none. The
// gradients of intermediate results may be results, too.
static const char *gradient_for(const op *o, ops_reading *in, const char *name) {
  const char *candidates[] = {name, plain_name(in, name)};
  for (int i = 0; i < 2; i++)
    if (ends_in(candidates[i], "_grad") &&
        names_value(o, with_suffix(in, candidates[i], "_grad", "")))
      return candidates[i];
  return NULL;
}

static expr *named_argument(expr_kind kind, source_loc loc, const char *name) {
  expr *e = ops_expr(name ? kind : EXPR_NULL, loc);
  e->name = name;
  return e;
}

static void give_operands(const op *o, const op *gradient, step *s) {
  ops_reading *in = o->loc.file->in;
  for (int i = 0; i < gradient->operand_count; i++) {
    const operand *x = &gradient->operands[i];
    const char *value = value_for(o, in, x->name);
    if (!value && !(x->flags & PIR_OPERAND_OPTIONAL) && !x->literal)
      ops_error(o->loc,
                "'%s' has no value for operand '%s' of '%s': write its gradient as a block",
                o->name, x->name, gradient->name);
    s->args = ops_chain(s->args, named_argument(EXPR_VALUE, s->loc, value));
  }
}

static void give_attrs(const op *o, const op *gradient, step *s) {
  ops_reading *in = o->loc.file->in;
  for (int i = gradient->attr_count; i-- > 0;) {
    const attr *a = &gradient->attrs[i];
    if (ops_attr_at(o, a->name) < 0)
      continue;
    named_expr *given = ops_take(in, sizeof *given);
    *given = (named_expr){.name = a->name,
                          .loc = s->loc,
                          .value = named_argument(EXPR_ATTR, s->loc, a->name),
                          .next = s->attrs};
    s->attrs = given;
  }
}

static void name_gradients(const op *o, const op *gradient, step *s) {
  ops_reading *in = o->loc.file->in;
  for (int i = 0; i < gradient->result_count; i++) {
    const char *name = gradient_for(o, in, gradient->results[i].name);
    if (!name)
      ops_error(o->loc,
                "result '%s' of '%s' is no gradient of an operand of '%s': write its gradient "
                "as a block",
                gradient->results[i].name, gradient->name, o->name);
    APPEND(in, s->results, s->result_count, name ? name : gradient->results[i].name);
  }
}

void ops_pair_gradient(const dialect *d, op *o) {
  for (int i = 0; i < o->grad_count; i++)
    if (!o->grads[i].primitive)
      return;
  if (o->no_grad)
    return;
  const op *gradient = find_gradient_op(d, gradient_name(d->in, o->name));
  if (!gradient)
    return;
  step s = {.loc = o->loc, .op = ops_format(d->in, "%s.%s", d->name, gradient->name)};
  give_operands(o, gradient, &s);
  give_attrs(o, gradient, &s);
  name_gradients(o, gradient, &s);
  lower block = {.loc = o->loc};
  APPEND(d->in, block.steps, block.step_count, s);
  APPEND(d->in, o->grads, o->grad_count, block);
}
