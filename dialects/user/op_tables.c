// Makes the tables of ops in memory: the same fields, from the same model, that opsc writes as
// C (tools/opsc/emit_c.c). Arrays that the front end made are used where they are.
#include "user_ops_impl.h"

#include <pir/layer/legacy_table.h>

#include <string.h>

typedef struct table_maker {
  const dialect *d;
  ops_reading *in;
  pir_opdef *table;
} table_maker;

// ---- defaults

static size_t count_items(const expr *list) {
  size_t count = 0;
  for (const expr *x = list->a; x; x = x->next)
    count++;
  return count;
}

static void take_list(table_maker *m, pir_attr_def *to, const expr *e) {
  bool floats = ops_is_float_list(to->kind, to->element_kind);
  size_t count = count_items(e), i = 0;
  to->has_ints = true;
  to->int_count = count;
  if (!count)
    return;
  double *reals = floats ? ops_take(m->in, count * sizeof *reals) : NULL;
  int64_t *ints = floats ? NULL : ops_take(m->in, count * sizeof *ints);
  for (const expr *x = e->a; x; x = x->next, i++) {
    if (floats)
      reals[i] = x->f;
    else
      ints[i] = ops_literal_int(to->element_kind, x);
  }
  to->floats = reals;
  to->ints = ints;
}

static pir_attr_def attr_def(table_maker *m, const char *name, uint8_t kind,
                             uint8_t element_kind, const expr *e) {
  pir_attr_def to = {.name = name, .kind = kind, .element_kind = element_kind, .required = !e};
  if (!e)
    return to;
  if (e->kind == EXPR_LIST) {
    take_list(m, &to, e);
  } else if (e->kind == EXPR_TEXT && kind != PIR_ATTR_LAYOUT) {
    to.text = e->name;
  } else {
    to.i = ops_literal_int(kind, e);
    if (e->kind == EXPR_INT || e->kind == EXPR_FLOAT)
      to.f = e->f;
  }
  return to;
}

// ---- declarations

static const pir_operand_def *operand_defs(table_maker *m, const op *o) {
  size_t count = (size_t)o->operand_count;
  pir_operand_def *to = ops_take(m->in, count * sizeof *to);
  for (size_t i = 0; i < count; i++) {
    const operand *x = &o->operands[i];
    to[i] = (pir_operand_def){
        .name = x->name, .flags = x->flags, .same_as = (int8_t)x->same_as, .dtypes = x->dtypes};
    if (!(x->flags & (PIR_OPERAND_INTARRAY | PIR_OPERAND_SCALAR)))
      continue;
    pir_attr_def *literal = ops_take(m->in, sizeof *literal);
    uint8_t kind = ops_operand_literal_kind(x);
    uint8_t element_kind = kind == PIR_ATTR_INT_ARRAY ? PIR_ATTR_I64 : 0;
    *literal = attr_def(m, x->name, kind, element_kind, x->literal);
    literal->element_kind = 0;
    to[i].literal = literal;
  }
  return to;
}

static const pir_result_def *result_defs(table_maker *m, const op *o) {
  size_t count = (size_t)o->result_count;
  pir_result_def *to = ops_take(m->in, count * sizeof *to);
  for (size_t i = 0; i < count; i++) {
    const result *r = &o->results[i];
    to[i] = (pir_result_def){.name = r->name,
                             .flags = r->flags,
                             .same_as = (int8_t)r->same_as,
                             .from_attr = (int8_t)r->from_attr,
                             .dtype = r->dtype,
                             .dtypes = r->dtypes};
  }
  return to;
}

static const pir_attr_def *attr_defs(table_maker *m, const op *o) {
  size_t count = (size_t)o->attr_count;
  pir_attr_def *to = ops_take(m->in, count * sizeof *to);
  for (size_t i = 0; i < count; i++) {
    const attr *a = &o->attrs[i];
    to[i] = attr_def(m, a->name, a->kind, a->element_kind, a->literal);
  }
  return to;
}

static const uint8_t *attr_order(table_maker *m, const op *o) {
  uint8_t *order = ops_take(m->in, (size_t)o->attr_count);
  for (int i = 0; i < o->attr_count; i++) {
    int at = i;
    for (; at && strcmp(o->attrs[order[at - 1]].name, o->attrs[i].name) > 0; at--)
      order[at] = order[at - 1];
    order[at] = (uint8_t)i;
  }
  return order;
}

static const pir_inplace_pair *inplace_pairs(table_maker *m, const op *o) {
  pir_inplace_pair *to = ops_take(m->in, (size_t)o->pair_count * sizeof *to);
  for (int i = 0; i < o->pair_count; i++)
    to[i] = (pir_inplace_pair){(uint8_t)o->pairs[i].operand_at, (uint8_t)o->pairs[i].result_at};
  return to;
}

const pir_attr_def *user_carried_attrs(const dialect *d) {
  pir_attr_def *to = ops_take(d->in, (size_t)d->carried_count * sizeof *to);
  for (int i = 0; i < d->carried_count; i++) {
    const attr *a = &d->carried[i].attr;
    to[i] = (pir_attr_def){.name = a->name, .kind = a->kind, .element_kind = a->element_kind};
  }
  return d->carried_count ? to : NULL;
}

// ---- meaning

// Links the clauses of a list, and gives them the arrays that they share.
static const pir_clause *clause_list(const code *c, pir_clause *list, int count, bool named) {
  for (int i = 0; i < count; i++) {
    list[i].vars = named && list[i].var_count ? &c->vars[c->first_var[i]] : NULL;
    list[i].nodes = c->nodes;
    list[i].node_count = (uint16_t)c->node_count;
    list[i].pool = c->pool;
    list[i].text = c->text;
    list[i].next = i + 1 < count ? &list[i + 1] : NULL;
  }
  return count ? list : NULL;
}

// The definition of an op that a step makes, by its number in the dialect or by its name.
static const pir_opdef *step_target(table_maker *m, const char *name) {
  size_t prefix = strlen(m->d->name);
  bool own = !strncmp(name, m->d->name, prefix) && name[prefix] == '.';
  for (int i = 0; own && i < m->d->op_count; i++)
    if (!m->d->ops[i].is_form && !strcmp(m->d->ops[i].name, name + prefix + 1))
      return &m->table[m->d->ops[i].at];
  return user_known_def(m->in, name);
}

static const pir_lower *blocks_of(table_maker *m, const code *c, const lower_code *from,
                                  int count) {
  pir_lower *to = ops_take(m->in, (size_t)count * sizeof *to);
  for (int i = 0; i < count; i++) {
    const lower_code *l = &from[i];
    for (int k = 0; k < l->step_count; k++)
      l->steps[k].def = step_target(m, l->steps[k].op);
    to[i] = (pir_lower){.when = l->when,
                        .primitive = l->primitive,
                        .step_count = (uint16_t)l->step_count,
                        .steps = l->steps,
                        .args = l->args,
                        .attrs = l->attrs,
                        .items = l->items,
                        .results = l->results,
                        .nodes = c->nodes,
                        .pool = c->pool,
                        .text = c->text};
  }
  return to;
}

// ---- names in .pdmodel files: the declared ones

static const char **slots(table_maker *m, const op *o, bool attr_operands) {
  const char **to = ops_take(m->in, (size_t)o->operand_count * sizeof *to);
  for (int i = 0; i < o->operand_count; i++) {
    const operand *x = &o->operands[i];
    bool is_attr = x->flags & (PIR_OPERAND_INTARRAY | PIR_OPERAND_SCALAR);
    to[i] = is_attr == attr_operands ? x->name : NULL;
  }
  return to;
}

static const pir_legacy_op *legacy_row_of(table_maker *m, const op *o) {
  pir_legacy_op *row = ops_take(m->in, sizeof *row);
  const char **results = ops_take(m->in, (size_t)o->result_count * sizeof *results);
  const char **attrs = ops_take(m->in, (size_t)o->attr_count * sizeof *attrs);
  for (int i = 0; i < o->result_count; i++)
    results[i] = o->results[i].name;
  for (int i = 0; i < o->attr_count; i++)
    attrs[i] = o->attrs[i].name;
  *row = (pir_legacy_op){.name = o->name,
                         .def = &m->table[o->at],
                         .twin = o->has_twin ? &m->table[o->twin_at] : NULL,
                         .operands = slots(m, o, false),
                         .operand_attrs = slots(m, o, true),
                         .results = results,
                         .attrs = attrs};
  return row;
}

// ---- the table

static void make_def(table_maker *m, const op *o, uint32_t number) {
  code *c = o->code;
  pir_opdef *to = &m->table[o->at];
  *to = (pir_opdef){.name = ops_format(m->in, "%s.%s", m->d->name, o->name),
                    .summary = o->summary,
                    .id = number << 16 | (uint32_t)(o->at + 1),
                    .traits = o->traits | PIR_REGISTERED,
                    .operand_count = (uint8_t)o->operand_count,
                    .result_count = (uint8_t)o->result_count,
                    .attr_count = (uint8_t)o->attr_count,
                    .lower_count = (uint8_t)c->lower_count,
                    .grad_count = (uint8_t)c->grad_count,
                    .operands = operand_defs(m, o),
                    .results = result_defs(m, o),
                    .attrs = attr_defs(m, o),
                    .attr_order = attr_order(m, o),
                    .clause = clause_list(c, c->clauses, c->clause_count, true),
                    .shape = clause_list(c, c->shapes, c->shape_count, false),
                    .require = clause_list(c, c->requirements, c->requirement_count, false),
                    .lower = blocks_of(m, c, c->lowers, c->lower_count),
                    .grad = blocks_of(m, c, c->grads, c->grad_count),
                    .no_grad = o->no_grad,
                    .declared = o->declared,
                    .legacy = legacy_row_of(m, o)};
  if (!o->has_twin) {
    to->inplace = inplace_pairs(m, o);
    to->inplace_count = (uint8_t)o->pair_count;
    return;
  }
  pir_opdef *twin = &m->table[o->twin_at];
  uint32_t out_of_place = PIR_PURE | PIR_COMMUTATIVE | PIR_IDEMPOTENT | PIR_INVOLUTION;
  *twin = *to;
  twin->name = ops_format(m->in, "%s_", to->name);
  twin->id = number << 16 | (uint32_t)(o->twin_at + 1);
  twin->traits = (to->traits & ~out_of_place) | PIR_INPLACE;
  twin->inplace = inplace_pairs(m, o);
  twin->inplace_count = (uint8_t)o->pair_count;
  twin->base = to;
}

pir_opdef *user_op_table(const dialect *d, uint32_t number, size_t *out_count) {
  table_maker m = {.d = d, .in = d->in};
  int count = 0;
  for (int i = 0; i < d->op_count; i++) {
    op *o = &d->ops[i];
    if (o->is_form)
      continue;
    o->at = count++;
    if (o->has_twin)
      o->twin_at = count++;
  }
  m.table = ops_take(d->in, (size_t)count * sizeof *m.table);
  for (int i = 0; i < d->op_count; i++)
    if (!d->ops[i].is_form)
      make_def(&m, &d->ops[i], number);
  *out_count = (size_t)count;
  return m.table;
}
