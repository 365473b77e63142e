// Proves that the floats of a value are not negative, from the clauses of the ops that compute
// them. -0 and NaN count as not negative.
#include "choose.h"

#include <pir/compiler/dialect/pd_op.h>
#include <pir/layer/integer_form.h>

// Ops that a proof looks through: the results of farther ones may be negative.
enum { MOST_OPS = 6 };

typedef struct sign_proof {
  lower_site site;
  const pir_facts *facts;
  int ops;        // that it may still look through
  bool combined;  // what the clause combines is not negative
} sign_proof;

static bool has_no_negative(const pir_value *v, const pir_facts *facts, int ops);

static bool is_at_least_0(sign_proof *p, int node);

// Whether a node is greater than 0, so that a quotient by it has the sign of the dividend.
static bool is_above_0(sign_proof *p, int node) {
  const pir_node *n = &p->site.clause->nodes[node];
  switch (n->op) {
    case PIR_V_CONST: return n->f > 0;
    case PIR_V_COUNT: return true;
    case PIR_V_CAST: return is_above_0(p, n->a);
    case PIR_V_ADD:
      return (is_above_0(p, n->a) && is_at_least_0(p, n->b)) ||
             (is_above_0(p, n->b) && is_at_least_0(p, n->a));
    default: return false;
  }
}

// All members of operand k.
static bool are_members_at_least_0(const sign_proof *p, int k) {
  int count = lower_members(&p->site, k);
  for (int i = 0; i < count; i++) {
    const pir_value *v = lower_operand(&p->site, k, i);
    if (!v || !has_no_negative(v, p->facts, p->ops - 1))
      return false;
  }
  return count > 0;
}

static bool keeps_sign(int combine) {
  return combine == PIR_COMBINE_NONE || combine == PIR_COMBINE_ADD ||
         combine == PIR_COMBINE_MUL || combine == PIR_COMBINE_MAX || combine == PIR_COMBINE_MIN;
}

static bool is_constant_at_least_0(const sign_proof *p, int node) {
  const pir_node *n = &p->site.clause->nodes[node];
  return n->op == PIR_V_CONST && n->f >= 0;
}

// Whether attributes alone decide a condition: each is true or false.
static bool is_decided(const sign_proof *p, int node, bool *out_holds) {
  const pir_node *n = &p->site.clause->nodes[node];
  int64_t number;
  bool other;
  if (n->op == PIR_V_ATTR && pir_attr_value_int(&p->site.attrs[n->k], &number)) {
    *out_holds = number != 0;
    return true;
  }
  if ((n->op != PIR_V_OR && n->op != PIR_V_AND) || !is_decided(p, n->a, out_holds) ||
      !is_decided(p, n->b, &other))
    return false;
  *out_holds = n->op == PIR_V_OR ? *out_holds || other : *out_holds && other;
  return true;
}

static bool is_choice_at_least_0(sign_proof *p, const pir_node *select) {
  bool holds;
  if (is_decided(p, select->a, &holds))
    return is_at_least_0(p, holds ? select->b : select->c);
  return is_at_least_0(p, select->b) && is_at_least_0(p, select->c);
}

static bool is_at_least_0(sign_proof *p, int node) {
  const pir_node *n = &p->site.clause->nodes[node];
  double number;
  switch (n->op) {
    case PIR_V_CONST: return n->f >= 0;
    case PIR_V_ATTR: return pir_attr_value_float(&p->site.attrs[n->k], &number) && number >= 0;
    case PIR_V_LOAD:
      return (n->a < 0 || is_at_least_0(p, n->a)) && are_members_at_least_0(p, n->k);
    case PIR_V_MEMBERS: return keeps_sign((int)n->i) && are_members_at_least_0(p, n->k);
    case PIR_V_ACC: return p->combined;
    case PIR_V_COUNT:
    case PIR_V_ABS:
    case PIR_V_EXP:
    case PIR_V_EXP2:
    case PIR_V_SQRT: return true;
    case PIR_V_CAST:
      return pir_dtype_is_float((pir_dtype)p->site.types[node]) && is_at_least_0(p, n->a);
    case PIR_V_DIV: return is_at_least_0(p, n->a) && is_above_0(p, n->b);
    case PIR_V_MAX: return is_at_least_0(p, n->a) || is_at_least_0(p, n->b);
    // The other one stands for a NaN, which a constant is not.
    case PIR_V_FMAX:
      return is_constant_at_least_0(p, n->a) || is_constant_at_least_0(p, n->b) ||
             (is_at_least_0(p, n->a) && is_at_least_0(p, n->b));
    case PIR_V_MUL: return n->a == n->b || (is_at_least_0(p, n->a) && is_at_least_0(p, n->b));
    case PIR_V_ADD:
    case PIR_V_MIN:
    case PIR_V_FMIN: return is_at_least_0(p, n->a) && is_at_least_0(p, n->b);
    case PIR_V_SELECT: return is_choice_at_least_0(p, n);
    default: return false;
  }
}

// Whether every window of a pooling has an element of x: one in the padding alone has the least
// number of its type for a maximum.
static bool are_windows_filled(const pir_op *op, const pir_facts *facts) {
  const pir_fact *kernel = pir_facts_of(facts, pir_op_operand(op, PD_POOL2D_IN_KERNEL_SIZE));
  if (pir_op_bool(op, PD_POOL2D_ATTR_ADAPTIVE) || pir_op_bool(op, PD_POOL2D_ATTR_CEIL_MODE) ||
      !kernel->contents)
    return false;
  const pir_attr *paddings = pir_op_attr_at(op, PD_POOL2D_ATTR_PADDINGS);
  int64_t extent, padding;
  for (size_t i = 0; i < kernel->content_count; i++)
    for (size_t k = 0; k < pir_attr_elements(paddings); k++)
      if (!pir_dim_is_const(pir_facts_dims(facts), kernel->contents[i], &extent) ||
          !pir_attr_as_int(pir_attr_element(paddings, k), &padding) || padding >= extent)
        return false;
  return true;
}

static bool starts_at_least_0(sign_proof *p) {
  const pir_clause *c = p->site.clause;
  return c->init < 0 || is_at_least_0(p, c->init) ||
         (c->combine == PIR_COMBINE_MAX && pir_op_is(p->site.op, PD_POOL2D) &&
          are_windows_filled(p->site.op, p->facts));
}

static bool proves(sign_proof *p) {
  const pir_clause *c = p->site.clause;
  if (!c || c->kind == PIR_CLAUSE_SCATTER || !keeps_sign(c->combine) || c->body < 0 ||
      !starts_at_least_0(p))
    return false;
  p->combined = is_at_least_0(p, c->body);
  return c->then < 0 ? p->combined : is_at_least_0(p, c->then);
}

bool pir_value_is_overwritten(const pir_value *value) {
  PIR_EACH_USE(use, value) {
    const pir_opdef *def = pir_op_def(pir_use_owner(use));
    for (size_t i = 0; i < def->inplace_count && def->traits & PIR_INPLACE; i++)
      if (def->inplace[i].operand == pir_use_operand_index(use))
        return true;
  }
  return false;
}

static bool has_no_negative(const pir_value *v, const pir_facts *facts, int ops) {
  const pir_op *op = pir_value_op(v);
  if (!ops || !op || !pir_dtype_is_float(pir_facts_of(facts, v)->dtype) ||
      pir_value_is_overwritten(v))
    return false;
  probe p;
  probe_open(&p, facts, NULL, NULL);
  sign_proof proof = {.facts = facts, .ops = ops};
  bool yes = lower_open(&p.l, op, pir_value_index(v), &proof.site) && proves(&proof);
  probe_close(&p);
  return yes;
}

bool pir_value_has_no_negative(const pir_value *v, const pir_facts *facts) {
  return has_no_negative(v, facts, MOST_OPS);
}
