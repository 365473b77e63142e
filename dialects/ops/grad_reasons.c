// Why ops have no gradient. Where an op declares neither a gradient nor a reason, its
// declaration may be one: it reads or gives no floating-point numbers. Else the reason is the
// one that its file states for the ops below. In a dialect with gradients every op needs a
// gradient or a reason.
#include "ops_stages.h"

#include <string.h>

// Whether a set of element types has some with fractions; the empty set has all.
static bool has_fractions(pir_dtype_set set) {
  for (int i = 1; i < PIR_DTYPE_COUNT && set; i++)
    if (set >> i & 1 &&
        (pir_dtype_is_float((pir_dtype)i) || pir_dtype_is_complex((pir_dtype)i)))
      return true;
  return !set;
}

static bool is_tensor_operand(const operand *x) {
  return !(x->flags & (PIR_OPERAND_INTARRAY | PIR_OPERAND_SCALAR));
}

static const operand *operand_named(const op *o, const char *name) {
  for (int i = 0; name && i < o->operand_count; i++)
    if (!strcmp(o->operands[i].name, name))
      return &o->operands[i];
  return NULL;
}

static bool operand_has_fractions(const op *o, const operand *x) {
  const operand *same = operand_named(o, x->same);
  return has_fractions(same && !x->dtypes ? same->dtypes : x->dtypes);
}

static bool result_has_fractions(const op *o, const result *r) {
  const operand *same = operand_named(o, r->same);
  return r->from || (same ? operand_has_fractions(o, same) : has_fractions(r->dtypes));
}

static bool reads_fractions(const op *o) {
  for (int i = 0; i < o->operand_count; i++)
    if (is_tensor_operand(&o->operands[i]) && operand_has_fractions(o, &o->operands[i]))
      return true;
  return false;
}

static bool reads_tensors(const op *o) {
  for (int i = 0; i < o->operand_count; i++)
    if (is_tensor_operand(&o->operands[i]))
      return true;
  return false;
}

static bool gives_fractions(const op *o) {
  for (int i = 0; i < o->result_count; i++)
    if (!(o->results[i].flags & PIR_RESULT_INTERMEDIATE) &&
        result_has_fractions(o, &o->results[i]))
      return true;
  return false;
}

// Returns the reason that the declaration is; NULL: it is none.
static const char *implied_reason(const op *o) {
  size_t length = strlen(o->name);
  if (o->traits & PIR_FLAT)
    return "small changes of its operands change no result";
  if (!o->result_count)
    return "it has no results";
  if (!gives_fractions(o))
    return "its results are no floating-point numbers";
  if (!reads_tensors(o))
    return "it reads no tensors";
  if (!reads_fractions(o))
    return "it reads no floating-point numbers";
  if (ops_declared_only(o))
    return "it is declared only";
  if (length > 5 && !strcmp(o->name + length - 5, "_grad"))
    return "it is a gradient, of which no gradient is declared";
  return NULL;
}

// Whether the pass that makes gradients knows how to treat the op: lists, branches, loops,
// outputs.
static bool is_built_in(const op *o) {
  return o->traits & (PIR_CONTROL | PIR_STRUCTURAL | PIR_TERMINATOR | PIR_OUTPUT);
}

static bool has_gradients(const dialect *d) {
  for (int i = 0; i < d->op_count; i++)
    if (d->ops[i].grad_count)
      return true;
  return false;
}

void ops_give_reasons(dialect *d) {
  bool all = d->in->at_build && has_gradients(d);
  for (int i = 0; i < d->op_count && all; i++) {
    op *o = &d->ops[i];
    if (o->is_form || o->grad_count || o->no_grad || is_built_in(o))
      continue;
    o->no_grad = implied_reason(o);
    if (!o->no_grad)
      o->no_grad = o->no_grad_here;
    if (!o->no_grad)
      ops_error(o->loc,
                "'%s' declares no gradient: state one, or why it has none (grad null \"..\")",
                o->name);
  }
}
