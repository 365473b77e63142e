// Applies the emit of a matched rule. New ops are created before the root, or earlier if
// another result of the match is read before the root. They are removed again if their inferred
// types contradict the types that they replace. Then uses move to the new values, and the
// matched ops are erased together with the ops that only they read. O(ops of the rule + moved
// uses).

#include "match.h"
#include "run.h"

#include <effects.h>

#include <pir/layer/lower.h>

#include <assert.h>

// An op declares at most 255 attributes. An op is made with at most RULE_MAX_OPERANDS literals,
// which fit behind MAX_NEW / 2 others.
enum { MAX_NEW = 256, MAX_ORPHANS = 256, MAX_ATTRS = 256 };

typedef struct emission {
  rule_match *m;
  pir_facts *facts;
  pir_op *at;
  pir_op *made[MAX_NEW];
  size_t made_count;
  pir_op *orphans[MAX_ORPHANS];  // definers that the match read
  size_t orphan_count;
} emission;

// Returns the op that the expansion belongs to: the root, or the original op of the root.
static const pir_op *expanded_op(const rule_match *m) {
  const pir_op *root = m->ops[m->rule->root_op].one;
  return pir_op_has(root, PIR_STRUCTURAL) ? pir_op_operand_op(root, 0) : root;
}

static void name_origin(const rule_match *m, pir_op *op) {
  pir_name *name = m->rewriter->comp_op_name;
  const pir_op *from = expanded_op(m);
  const pir_attr *origin = pir_op_attr(from, name);
  if (!origin)
    origin = pir_attr_str(m->ctx, PIR_ATTR_STR, pir_op_name(from));
  pir_op_set_attr(op, name, origin);
}

static pir_op *make(void *user, const pir_op_spec *spec) {
  emission *e = user;
  pir_op *op = pir_rewriter_create(e->m->rewriter, e->at, spec);
  if (e->m->mode)
    name_origin(e->m, op);
  e->made[e->made_count++] = op;
  return op;
}

// ---- where

static bool goes(const rule_match *m, const pir_op *op) {
  for (int16_t i = 0; i < m->rule->match_count; i++) {
    const rule_op_bound *bound = &m->ops[i];
    if (m->t->ops[m->rule->match + i].shared)
      continue;
    if (bound->one == op)
      return true;
    for (size_t k = 0; k < bound->count; k++)
      if (bound->list[k] == op)
        return true;
  }
  return false;
}

static void take_later(pir_op **last, const pir_value *value, const pir_op *root) {
  pir_op *op = value ? pir_value_op(value) : NULL;
  if (!op || pir_op_block(op) != pir_op_block(root))
    return;
  if (!*last || pir_op_is_before(*last, op))
    *last = op;
}

// Returns the last op of the root's block that defines a value which the emit reads.
static pir_op *last_read(const rule_match *m, const pir_op *root) {
  pir_op *last = NULL;
  for (int16_t i = 0; i < m->rule->emit_count; i++) {
    const rule_op *p = &m->t->ops[m->rule->emit + i];
    for (int16_t k = 0; k < p->operand_count; k++) {
      const rule_operand *operand = &m->t->operands[p->operands + k];
      if (operand->kind != RULE_OPERAND_VALUE && operand->kind != RULE_OPERAND_VALUES)
        continue;
      const rule_bound *bound = &m->values[operand->at];
      if (!bound->set)
        continue;
      take_later(&last, bound->one, root);
      for (size_t n = 0; n < bound->count; n++)
        take_later(&last, bound->list[n], root);
    }
  }
  return last;
}

static bool is_read_before(const rule_match *m, const pir_value *value, const pir_op *at) {
  if (!value || pir_value_op(value) == m->ops[m->rule->root_op].one)
    return false;
  PIR_EACH_USE(use, value) {
    pir_op *user = pir_block_ancestor(pir_op_block(at), pir_use_owner(use));
    if (user && user != at && !goes(m, pir_use_owner(use)) && pir_op_is_before(user, at))
      return true;
  }
  return false;
}

static bool is_too_late(const rule_match *m, const pir_op *at) {
  for (int16_t i = 0; i < m->rule->output_count; i++) {
    const rule_bound *bound = &m->values[m->t->outputs[m->rule->outputs + i].old_value];
    if (is_read_before(m, bound->one, at))
      return true;
    for (size_t k = 0; k < bound->count; k++)
      if (is_read_before(m, bound->list[k], at))
        return true;
  }
  return false;
}

static pir_op *choose_place(const rule_match *m, pir_op *root) {
  pir_op *last = last_read(m, root), *at = root;
  bool behind = last && last != root && pir_op_is_before(root, last);
  if (behind)
    at = pir_op_next(last);
  if (!at || !is_too_late(m, at))
    return at;
  at = last ? pir_op_next(last) : pir_block_first(pir_op_block(root));
  return at && !is_too_late(m, at) ? at : NULL;
}

// ---- ops that write over their operands

// Whether the value is overwritten between its definition and the place where the emit reads
// it.
static bool is_overwritten_before(const rule_match *m, const pir_value *value,
                                  const pir_op *at) {
  if (!value)
    return false;
  PIR_EACH_USE(use, value) {
    pir_op *owner = pir_use_owner(use);
    if (!pir_op_overwrites(owner, pir_use_operand_index(use)) || goes(m, owner))
      continue;
    pir_op *user = pir_block_ancestor(pir_op_block(at), owner);
    if (!user || user == at || pir_op_is_before(user, at))
      return true;
  }
  return false;
}

static bool is_ever_overwritten(const pir_value *value) {
  if (!value)
    return false;
  PIR_EACH_USE(use, value)
  if (pir_op_overwrites(pir_use_owner(use), pir_use_operand_index(use)))
    return true;
  return false;
}

// Whether ops outside the match see a matched op's writes. A result matched as `_` asserts that
// the op writes nothing.
static bool is_seen_writing(const rule_match *m, const rule_op *p, const pir_op *op) {
  const pir_opdef *def = pir_op_def(op);
  if (p->shared || !(def->traits & PIR_INPLACE))
    return false;
  for (size_t i = 0; i < def->inplace_count; i++) {
    const pir_inplace_pair *pair = &def->inplace[i];
    bool named =
        pair->result < p->result_count && m->t->results[p->results + pair->result] != -1;
    const pir_value *value = pir_op_optional(op, pair->operand);
    if (!named || !value)
      continue;
    PIR_EACH_USE(use, value) if (!goes(m, pir_use_owner(use))) return true;
  }
  return false;
}

// If the emit replaces an output by an existing value, the two share their life, so neither may
// be overwritten anywhere.
static bool reads_what_was_written(const rule_match *m, const pir_op *at) {
  for (int32_t i = 0; i < m->rule->value_count; i++) {
    const rule_bound *bound = &m->values[i];
    if (bound->set && is_overwritten_before(m, bound->one, at))
      return true;
    for (size_t k = 0; bound->set && k < bound->count; k++)
      if (is_overwritten_before(m, bound->list[k], at))
        return true;
  }
  for (int16_t i = 0; i < m->rule->output_count; i++) {
    const rule_output *output = &m->t->outputs[m->rule->outputs + i];
    const rule_bound *old = &m->values[output->old_value], *new = &m->values[output->new_value];
    if (new->set && (is_ever_overwritten(old->one) || is_ever_overwritten(new->one)))
      return true;
  }
  for (int16_t i = 0; i < m->rule->match_count; i++)
    if (m->ops[i].one && is_seen_writing(m, &m->t->ops[m->rule->match + i], m->ops[i].one))
      return true;
  return false;
}

// ---- operands and attributes

static bool literal_ints(const pir_rule_value *v, int64_t *out, size_t *out_count) {
  if (v->kind == PIR_RULE_INT) {
    out[0] = v->i;
    *out_count = 1;
    return true;
  }
  if (v->kind != PIR_RULE_LIST || v->count > PIR_FACT_CONTENTS)
    return false;
  for (size_t i = 0; i < v->count; i++) {
    if (v->items[i].kind != PIR_RULE_INT)
      return false;
    out[i] = v->items[i].i;
  }
  *out_count = v->count;
  return true;
}

static pir_value *make_literal(emission *e, int32_t node, const pir_operand_def *def) {
  pir_lower_target target = {make, e};
  pir_expand expand = {.op = e->at, .facts = e->facts, .target = &target};
  pir_rule_value v = rule_eval(e->m, node);
  int64_t ints[PIR_FACT_CONTENTS];
  size_t count;
  if (def->flags & PIR_OPERAND_INTARRAY)
    return literal_ints(&v, ints, &count) ? pir_expand_ints(&expand, ints, count) : NULL;
  bool number = v.kind == PIR_RULE_FLOAT || v.kind == PIR_RULE_INT || v.kind == PIR_RULE_BOOL;
  double f = v.kind == PIR_RULE_FLOAT ? v.f : (double)v.i;
  return number ? pir_expand_number(&expand, pir_operand_dtype(def), f) : NULL;
}

// Fills operands from position *at on; false if one cannot be made.
static bool put_emitted_operand(emission *e, const rule_operand *p, const pir_opdef *def,
                                size_t member, bool each, pir_value **operands, size_t *at) {
  if (p->kind == RULE_OPERAND_NONE) {
    operands[(*at)++] = NULL;
    return true;
  }
  if (p->kind == RULE_OPERAND_NODE) {
    operands[*at] = make_literal(e, p->at, &def->operands[*at]);
    return operands[(*at)++] != NULL;
  }
  const rule_bound *bound = &e->m->values[p->at];
  if (p->kind == RULE_OPERAND_VALUE) {
    operands[(*at)++] = bound->one;
    return true;
  }
  if (each) {
    operands[(*at)++] = bound->list[member];
    return true;
  }
  if (*at + bound->count > RULE_MAX_OPERANDS)
    return false;
  for (size_t i = 0; i < bound->count; i++)
    operands[(*at)++] = bound->list[i];
  return true;
}

static pir_op *spliced(const rule_match *m, const rule_op *p, size_t member) {
  if (p->splice < 0)
    return NULL;
  const rule_op_bound *from = &m->ops[p->splice];
  return from->one ? from->one : from->list[member];
}

static const pir_attr *spliced_attr(const rule_match *m, const pir_op *from, const char *name) {
  int at = from ? pir_opdef_attr(pir_op_def(from), pir_str_from(name)) : -1;
  if (at < 0)
    return NULL;
  const pir_attr *attr = pir_op_attr_at(from, (size_t)at);
  return attr ? attr : pir_attr_default(m->ctx, &pir_op_def(from)->attrs[at]);
}

static bool put_emitted_attrs(emission *e, const rule_op *p, const pir_opdef *def,
                              size_t member, pir_named_attr *attrs, size_t *out_count) {
  static const pir_attr_def undeclared = {.kind = PIR_ATTR_NONE};
  const pir_attr *given[MAX_ATTRS] = {0};
  const pir_op *from = spliced(e->m, p, member);
  size_t n = 0;
  for (int16_t i = 0; i < p->attr_count; i++) {
    const rule_attr *a = &e->m->t->attrs[p->attrs + i];
    pir_rule_value v = rule_eval(e->m, a->node);
    const pir_attr *attr =
        rule_attr_of_value(e->m, &v, a->position < 0 ? &undeclared : &def->attrs[a->position]);
    if (!attr)
      return false;
    if (a->position >= 0)
      given[a->position] = attr;
    else
      attrs[n++] = (pir_named_attr){pir_name_get(e->m->ctx, pir_str_from(a->name)), attr};
  }
  for (size_t i = 0; i < def->attr_count; i++) {
    const pir_attr *attr = given[i] ? given[i] : spliced_attr(e->m, from, def->attrs[i].name);
    if (!attr)
      attr = pir_attr_default(e->m->ctx, &def->attrs[i]);
    if (attr)
      attrs[n++] = pir_declared_attr(e->m->ctx, def, i, attr);
  }
  *out_count = n;
  return true;
}

// ---- results

// States the result's type before inference; it remains if the op's facts are unknown.
static const pir_type *first_type(const emission *e, int16_t at) {
  for (int16_t i = 0; at >= 0 && i < e->m->rule->output_count; i++) {
    const rule_output *output = &e->m->t->outputs[e->m->rule->outputs + i];
    const pir_value *old = e->m->values[output->old_value].one;
    if (output->new_value == at && old && pir_value_type(old))
      return pir_value_type(old);
  }
  return pir_type_tensor(e->m->ctx, PIR_F32, (pir_shape){NULL, 0});
}

// Returns the number of results: the declared ones, or for a list one for each member of its
// operand.
static size_t result_types(emission *e, const rule_op *p, const pir_opdef *def, bool each,
                           pir_value *const *operands, const pir_type **types) {
  size_t n = def->result_count;
  bool list = !each && p->result_count &&
              (rule_names_members(def, p->result_count) || e->m->t->results[p->results] <= -2);
  if (list) {
    const pir_fact *fact = pir_facts_of(e->facts, operands[0]);
    n = fact->member_count <= RULE_MAX_OPERANDS ? fact->member_count : 0;
  }
  for (size_t i = 0; i < n; i++) {
    int16_t at = i < (size_t)p->result_count ? e->m->t->results[p->results + (int32_t)i] : -1;
    uint8_t flags = i < def->result_count ? def->results[i].flags : 0;
    types[i] = first_type(e, at);
    if (flags & PIR_RESULT_VARIADIC && !list)
      types[i] = pir_type_vector(e->m->ctx, NULL, 0);
    else if (flags & PIR_RESULT_OPTIONAL && at == -1)
      types[i] = NULL;
  }
  return n;
}

static void bind_emitted_results(rule_match *m, const rule_op *p, pir_op *op, size_t member,
                                 bool each, size_t count) {
  size_t n = pir_op_results(op);
  for (size_t i = 0; i < (size_t)p->result_count; i++) {
    int16_t at = m->t->results[p->results + (int32_t)i];
    if (at >= 0)
      m->values[at] = (rule_bound){.set = true, .one = pir_op_result(op, i)};
    if (at > -2)
      continue;
    rule_bound *bound = &m->values[-2 - at];
    size_t size = each ? count : n - i;
    if (member == 0)
      *bound = (rule_bound){.set = true, .many = true, .count = size};
    if (!bound->list) {
      bound->list = (pir_value **)&m->pointers[m->pointers_used];
      m->pointers_used += size;
    }
    for (size_t k = 0; !each && k < size; k++)
      bound->list[k] = pir_op_result(op, i + k);
    if (each)
      bound->list[member] = pir_op_result(op, i);
  }
}

static void state_types(emission *e, pir_op *op) {
  for (size_t i = 0; i < pir_op_results(op); i++) {
    pir_value *result = pir_op_result(op, i);
    const pir_fact *fact = pir_facts_of(e->facts, result);
    if (fact->known)
      pir_value_set_type(result, pir_fact_type(e->m->ctx, pir_facts_dims(e->facts), fact));
  }
}

static bool emit_one(emission *e, const rule_op *p, size_t member, size_t count) {
  const pir_opdef *def = pir_context_op(e->m->ctx, p->id);
  pir_value *operands[RULE_MAX_OPERANDS];
  const pir_type *types[RULE_MAX_OPERANDS];
  pir_named_attr attrs[MAX_ATTRS + 32];
  pir_op_spec spec = {.def = def, .loc = pir_op_loc(e->m->ops[e->m->rule->root_op].one)};
  if (e->made_count >= MAX_NEW / 2 || count > RULE_HEAP - e->m->pointers_used)
    return false;
  for (int16_t i = 0; i < p->operand_count; i++)
    if (spec.operand_count >= RULE_MAX_OPERANDS ||
        !put_emitted_operand(e, &e->m->t->operands[p->operands + i], def, member, p->each,
                             operands, &spec.operand_count))
      return false;
  if (!put_emitted_attrs(e, p, def, member, attrs, &spec.attr_count))
    return false;
  spec.operands = operands;
  spec.attrs = attrs;
  spec.result_types = types;
  spec.result_count = result_types(e, p, def, p->each, operands, types);
  if (spec.result_count < (size_t)p->result_count)
    return false;  // the rule names more members than the list has
  pir_op *op = make(e, &spec);
  if (e->m->rewriter->failed)
    return false;
  state_types(e, op);
  bind_emitted_results(e->m, p, op, member, p->each, count);
  e->m->has_inplace |= pir_op_has(op, PIR_INPLACE);
  return true;
}

// Finds the length of a statement with `each`: the length of its lists, and of the ops whose
// attributes it copies; false if they differ.
static bool count_of(const rule_match *m, const rule_op *p, size_t *out_count) {
  const rule_op_bound *from = p->splice < 0 ? NULL : &m->ops[p->splice];
  size_t lists = 0;
  *out_count = 1;
  for (int16_t i = 0; i < p->operand_count && p->each; i++) {
    const rule_operand *operand = &m->t->operands[p->operands + i];
    if (operand->kind != RULE_OPERAND_VALUES)
      continue;
    size_t count = m->values[operand->at].count;
    if (lists++ && count != *out_count)
      return false;
    *out_count = count;
  }
  return !from || from->one || from->count == *out_count;
}

static bool emit_ops(emission *e) {
  for (int16_t i = 0; i < e->m->rule->emit_count; i++) {
    const rule_op *p = &e->m->t->ops[e->m->rule->emit + i];
    size_t count;
    if (!count_of(e->m, p, &count))
      return false;
    for (size_t k = 0; k < count; k++)
      if (!emit_one(e, p, k, count))
        return false;
  }
  return true;
}

static void erase_emitted(emission *e) {
  e->m->rewriter->quiet = true;
  while (e->made_count)
    pir_rewriter_erase(e->m->rewriter, e->made[--e->made_count]);
  e->m->rewriter->quiet = false;
}

// ---- replacing

// Whether one value may replace another, as far as facts tell.
static bool agrees(const emission *e, const pir_value *old, const pir_value *new) {
  if (!old || !new)
    return old == new || pir_value_unused(old ? old : new);
  const pir_fact *a = pir_facts_of(e->facts, old), *b = pir_facts_of(e->facts, new);
  const pir_dims *dims = pir_facts_dims(e->facts);
  if (!a->known || !b->known || a->members || b->members)
    return true;
  if (a->dtype != b->dtype)
    return !a->dtype || !b->dtype;
  if (a->rank < 0 || b->rank < 0)
    return true;
  for (int32_t i = 0; i < a->rank && a->rank == b->rank; i++) {
    int64_t x, y;
    if (pir_dim_is_const(dims, a->shape[i], &x) && pir_dim_is_const(dims, b->shape[i], &y) &&
        x != y)
      return false;
  }
  return a->rank == b->rank;
}

// Calls `each` for every pair of an old value and its replacement, until a call returns false.
static bool each_output(emission *e,
                        bool (*each)(emission *e, pir_value *old, pir_value *new)) {
  for (int16_t i = 0; i < e->m->rule->output_count; i++) {
    const rule_output *output = &e->m->t->outputs[e->m->rule->outputs + i];
    const rule_bound *old = &e->m->values[output->old_value],
                     *new = &e->m->values[output->new_value];
    if (old->many != new->many || old->count != new->count)
      return false;
    if (!old->many && !each(e, old->one, new->one))
      return false;
    for (size_t k = 0; k < old->count; k++)
      if (!each(e, old->list[k], new->list[k]))
        return false;
  }
  return true;
}

static bool check_output(emission *e, pir_value *old, pir_value *new) {
  return agrees(e, old, new);
}

static bool replace_output(emission *e, pir_value *old, pir_value *new) {
  if (old && new)
    pir_rewriter_replace_value(e->m->rewriter, old, new);
  return true;
}

static void note_orphans(emission *e, const pir_op *op) {
  for (size_t i = 0; i < pir_op_operands(op); i++) {
    pir_op *definer = pir_op_operand_op(op, i);
    bool known = !definer;
    for (size_t k = 0; k < e->orphan_count && !known; k++)
      known = e->orphans[k] == definer;
    if (!known && e->orphan_count < MAX_ORPHANS)
      e->orphans[e->orphan_count++] = definer;
  }
}

static void forget_orphan(emission *e, const pir_op *op) {
  for (size_t i = 0; i < e->orphan_count; i++)
    if (e->orphans[i] == op)
      e->orphans[i] = e->orphans[--e->orphan_count];
}

static void erase_if_free(emission *e, const rule_op *p, pir_op *op) {
  if (!op || p->shared || !pir_op_unused(op))
    return;
  note_orphans(e, op);
  forget_orphan(e, op);
  pir_rewriter_erase(e->m->rewriter, op);
}

// Erases the match from its end, because readers come after their operands.
static void erase_match(emission *e) {
  for (int16_t i = (int16_t)(e->m->rule->match_count - 1); i >= 0; i--) {
    const rule_op *p = &e->m->t->ops[e->m->rule->match + i];
    const rule_op_bound *bound = &e->m->ops[i];
    erase_if_free(e, p, bound->one);
    for (size_t k = 0; k < bound->count; k++)
      erase_if_free(e, p, bound->list[k]);
  }
}

// An expansion does not change existing ops.
static bool was_there_before(const emission *e, const pir_op *op) {
  return e->m->mode && !pir_op_attr(op, e->m->rewriter->comp_op_name);
}

static void erase_orphans(emission *e) {
  while (e->orphan_count) {
    pir_op *op = e->orphans[--e->orphan_count];
    bool kept = was_there_before(e, op) || pir_op_has_effect(op) ||
                pir_op_has(op, PIR_PARAMETER) || pir_op_regions(op) || !pir_op_unused(op);
    if (kept)
      continue;
    note_orphans(e, op);
    pir_rewriter_erase(e->m->rewriter, op);
  }
}

bool rule_rewrite(rule_match *m, pir_op *root) {
  emission e = {.m = m, .facts = rule_facts(m), .at = choose_place(m, root)};
  m->hindrance = !e.at ? "the new ops cannot stand before every reader"
                       : "an attribute or operand cannot be made";
  if (!e.facts || !e.at)
    return false;
  if (m->has_inplace && reads_what_was_written(m, e.at)) {
    m->hindrance = "an op writes over a value that the emit reads";
    return false;
  }
  if (!emit_ops(&e)) {
    erase_emitted(&e);
    return false;
  }
  if (!each_output(&e, check_output)) {
    m->hindrance = "a result would have another type";
    erase_emitted(&e);
    return false;
  }
  each_output(&e, replace_output);
  erase_match(&e);
  erase_orphans(&e);
  return true;
}
