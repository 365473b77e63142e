// Matches one rule from its root. The front end has ordered the match into steps: go from a
// value to its producer or to one of its users, or test a condition as soon as the holes it
// reads are bound. Operands of a commutative op are tried in both orders, users one after
// another; a trail undoes the bindings of a failed attempt. The number of ops tried for one
// root is bounded, so a match costs O(ops of the rule) in practice and at most MAX_TRIES.

#include "match.h"

#include <string.h>

enum { MAX_TRIES = 4096, MAX_USERS = 64 };

typedef struct mark {
  size_t trail, heap, pointers;
} mark;

static mark mark_of(const rule_match *m) {
  return (mark){m->trail_count, m->heap_used, m->pointers_used};
}

// Where the numbers of a kind begin in the trail.
enum {
  TRAIL_HOLES = RULE_MAX_VALUES,
  TRAIL_OPS = TRAIL_HOLES + RULE_MAX_HOLES,
  TRAIL_MEMBERS = TRAIL_OPS + RULE_MAX_OPS
};

static void undo(rule_match *m, mark to) {
  while (m->trail_count > to.trail) {
    int32_t i = m->trail[--m->trail_count];
    if (i < TRAIL_HOLES)
      m->values[i] = (rule_bound){0};
    else if (i < TRAIL_OPS)
      m->hole_set[i - TRAIL_HOLES] = false;
    else if (i < TRAIL_MEMBERS)
      m->ops[i - TRAIL_OPS] = (rule_op_bound){0};
    else
      m->pointers[i - TRAIL_MEMBERS] = NULL;
  }
  m->heap_used = to.heap;
  m->pointers_used = to.pointers;
}

// ---- binding

static void **take_pointers(rule_match *m, size_t count) {
  if (count > RULE_HEAP - m->pointers_used)
    return NULL;
  void **taken = &m->pointers[m->pointers_used];
  m->pointers_used += count;
  return taken;
}

static bool bind_value(rule_match *m, int32_t at, pir_value *value) {
  rule_bound *bound = &m->values[at];
  if (bound->set)
    return !bound->many && bound->one == value;
  *bound = (rule_bound){.set = true, .one = value};
  m->trail[m->trail_count++] = at;
  return true;
}

static rule_bound *open_list(rule_match *m, int32_t at, size_t count) {
  rule_bound *bound = &m->values[at];
  if (bound->set)
    return bound->many && bound->count == count ? bound : NULL;
  void **list = take_pointers(m, count);
  if (!list)
    return NULL;
  memset(list, 0, count * sizeof *list);
  *bound = (rule_bound){.set = true, .many = true, .list = (pir_value **)list, .count = count};
  m->trail[m->trail_count++] = at;
  return bound;
}

static bool bind_member(rule_match *m, int32_t at, size_t i, size_t count, pir_value *value) {
  rule_bound *bound = open_list(m, at, count);
  if (!bound || !value)
    return false;
  if (bound->list[i])
    return bound->list[i] == value;
  bound->list[i] = value;
  m->trail[m->trail_count++] =
      TRAIL_MEMBERS + (int32_t)((void **)&bound->list[i] - m->pointers);
  return true;
}

static bool bind_hole(rule_match *m, int32_t at, const pir_rule_value *value) {
  if (value->kind == PIR_RULE_UNKNOWN)
    return false;
  if (m->hole_set[at])
    return rule_equal(m, &m->holes[at], value) == 1;
  m->holes[at] = *value;
  m->hole_set[at] = true;
  m->trail[m->trail_count++] = TRAIL_HOLES + at;
  return true;
}

// ---- one op

// The index of an op among the ops of an `each`; a statement without `each` has one op.
typedef struct member {
  size_t i, count;
  bool each;
} member;

// `at` is a value, -1 for a result that the rule does not name, or -2 - a list.
static bool match_result(rule_match *m, int16_t at, pir_value *result, member of) {
  if (at == -1)
    return pir_value_unused(result);
  if (at >= 0)
    return bind_value(m, at, result);
  return bind_member(m, -2 - at, of.i, of.count, result);
}

static bool match_results(rule_match *m, const rule_op *p, pir_op *op, member of) {
  size_t n = pir_op_results(op);
  for (size_t i = 0; i < n; i++) {
    pir_value *result = pir_op_result(op, i);
    int16_t at = i < (size_t)p->result_count ? m->t->results[p->results + (int32_t)i] : -1;
    if (at <= -2 && !of.each) {
      for (size_t k = i; k < n; k++)
        if (!bind_member(m, -2 - at, k - i, n - i, pir_op_result(op, k)))
          return false;
      return true;
    }
    if (!match_result(m, at, result, of))
      return false;
  }
  return n >= (size_t)p->result_count;
}

static bool match_attrs(rule_match *m, const rule_op *p, const pir_op *op) {
  for (int16_t i = 0; i < p->attr_count; i++) {
    const rule_attr *a = &m->t->attrs[p->attrs + i];
    pir_rule_value value = {.kind = PIR_RULE_UNKNOWN};
    if (a->position >= 0) {
      value = rule_value_of_slot(m, op, (size_t)a->position);
    } else {
      const pir_attr *attr = pir_op_attr(op, pir_name_get(m->ctx, pir_str_from(a->name)));
      if (attr)
        value = rule_value_of_attr(m, attr);
    }
    if (a->node < 0) {
      if (!bind_hole(m, a->hole, &value))
        return false;
      continue;
    }
    pir_rule_value wanted = rule_eval(m, a->node);
    if (rule_equal(m, &wanted, &value) != 1)
      return false;
  }
  return true;
}

static bool match_operand(rule_match *m, const rule_operand *p, const pir_operand_def *def,
                          pir_value *value, member of) {
  pir_rule_value constant, wanted;
  switch ((rule_operand_kind)p->kind) {
    case RULE_OPERAND_NONE: return !value;
    case RULE_OPERAND_ANY: return true;
    case RULE_OPERAND_MAYBE: return bind_value(m, p->at, value);
    case RULE_OPERAND_VALUE: return value && bind_value(m, p->at, value);
    case RULE_OPERAND_VALUES: return bind_member(m, p->at, of.i, of.count, value);
    case RULE_OPERAND_HOLE:
      constant = rule_constant(m, value, !def || !(def->flags & PIR_OPERAND_INTARRAY));
      return bind_hole(m, p->at, &constant);
    case RULE_OPERAND_NODE:
      wanted = rule_eval(m, p->at);
      constant = rule_constant(m, value, wanted.kind != PIR_RULE_LIST);
      return rule_equal(m, &wanted, &constant) == 1;
  }
  return false;
}

// `%xs...` takes the operands that the fixed ones around it leave over.
static bool match_operands(rule_match *m, const rule_op *p, const pir_op *op, bool swapped,
                           member of) {
  const pir_opdef *def = pir_op_def(op);
  size_t n = pir_op_operands(op), at = 0;
  for (int16_t i = 0; i < p->operand_count; i++) {
    const rule_operand *operand = &m->t->operands[p->operands + i];
    if (operand->kind == RULE_OPERAND_VALUES && !of.each) {
      size_t behind = (size_t)(p->operand_count - i - 1),
             count = n - at >= behind ? n - at - behind : 0;
      if (!open_list(m, operand->at, count))
        return false;
      for (size_t k = 0; k < count; k++)
        if (!bind_member(m, operand->at, k, count, pir_op_operand(op, at + k)))
          return false;
      at += count;
      continue;
    }
    size_t from = swapped && at < 2 ? 1 - at : at;
    pir_value *value = from < n ? pir_op_operand(op, from) : NULL;
    const pir_operand_def *operand_def =
        from < def->operand_count ? &def->operands[from] : NULL;
    if (!match_operand(m, operand, operand_def, value, of))
      return false;
    at++;
  }
  return at >= n;
}

static bool is_matched(const rule_match *m, const pir_op *op) {
  for (int16_t i = 0; i < m->rule->match_count; i++) {
    const rule_op_bound *bound = &m->ops[i];
    if (bound->one == op)
      return true;
    for (size_t k = 0; k < bound->count; k++)
      if (bound->list[k] == op)
        return true;
  }
  return false;
}

static bool may_bind_op(const rule_match *m, const rule_op *p, const pir_op *op) {
  if (pir_op_def(op)->id != p->id || is_matched(m, op))
    return false;
  const pir_op *root = m->ops[m->rule->root_op].one;
  return !root || p->shared || pir_op_has(op, PIR_CONSTANT) ||
         pir_op_block(op) == pir_op_block(root);
}

static bool match_one(rule_match *m, const rule_op *p, pir_op *op, bool swapped, member of) {
  return match_results(m, p, op, of) && match_attrs(m, p, op) &&
         match_operands(m, p, op, swapped, of);
}

static bool run_steps(rule_match *m, int32_t step);

static void note_bound_op(rule_match *m, int32_t op) {
  m->trail[m->trail_count++] = TRAIL_OPS + op;
}

static bool try_op(rule_match *m, int32_t at, pir_op *op, int32_t next) {
  const rule_op *p = &m->t->ops[m->rule->match + at];
  if (++m->tries > MAX_TRIES || !may_bind_op(m, p, op))
    return false;
  bool commutes = p->operand_count >= 2 && pir_op_has(op, PIR_COMMUTATIVE);
  for (int swapped = 0; swapped <= commutes; swapped++) {
    mark before = mark_of(m);
    m->ops[at] = (rule_op_bound){.one = op};
    note_bound_op(m, at);
    if (match_one(m, p, op, swapped, (member){0, 1, false}) && run_steps(m, next))
      return true;
    undo(m, before);
  }
  return false;
}

// ---- steps

// Matches one op for every member of a list; each takes the first order of operands that fits.
static bool match_each(rule_match *m, int32_t at, const rule_bound *from) {
  const rule_op *p = &m->t->ops[m->rule->match + at];
  void **list = from->many ? take_pointers(m, from->count) : NULL;
  if (!list)
    return false;
  memset(list, 0, from->count * sizeof *list);
  m->ops[at] = (rule_op_bound){.list = (pir_op **)list, .count = from->count};
  note_bound_op(m, at);
  for (size_t i = 0; i < from->count; i++) {
    pir_op *op = pir_value_op(from->list[i]);
    if (!op || ++m->tries > MAX_TRIES || !may_bind_op(m, p, op))
      return false;
    member of = {i, from->count, true};
    mark before = mark_of(m);
    bool matched = match_one(m, p, op, false, of);
    if (!matched && pir_op_has(op, PIR_COMMUTATIVE)) {
      undo(m, before);
      matched = match_one(m, p, op, true, of);
    }
    if (!matched)
      return false;
    list[i] = op;
  }
  return true;
}

static bool go_to_definer(rule_match *m, const rule_step *step, int32_t next) {
  const rule_bound *from = &m->values[step->at];
  const rule_op *p = &m->t->ops[m->rule->match + step->op];
  if (p->each) {
    mark before = mark_of(m);
    if (match_each(m, step->op, from) && run_steps(m, next))
      return true;
    undo(m, before);
    return false;
  }
  // The members of a list without `each` are results of one op, which the first member leads
  // to.
  pir_value *value = from->many && from->count ? from->list[0] : from->one;
  pir_op *op = value ? pir_value_op(value) : NULL;
  return op && try_op(m, step->op, op, next);
}

static bool go_to_user(rule_match *m, const rule_step *step, int32_t next) {
  int users = 0;
  pir_value *value = m->values[step->at].one;
  if (!value)
    return false;
  PIR_EACH_USE(use, value) {
    if (++users > MAX_USERS)
      return false;
    if (try_op(m, step->op, pir_use_owner(use), next))
      return true;
  }
  return false;
}

// ---- what leaves the match

static bool is_erased_match(const rule_match *m, const pir_op *op) {
  for (int16_t i = 0; i < m->rule->match_count; i++) {
    if (m->t->ops[m->rule->match + i].shared)
      continue;
    const rule_op_bound *bound = &m->ops[i];
    if (bound->one == op)
      return true;
    for (size_t k = 0; k < bound->count; k++)
      if (bound->list[k] == op)
        return true;
  }
  return false;
}

static bool is_output(const rule_match *m, const pir_value *value) {
  for (int16_t i = 0; i < m->rule->output_count; i++) {
    const rule_bound *bound = &m->values[m->t->outputs[m->rule->outputs + i].old_value];
    if (bound->one == value)
      return true;
    for (size_t k = 0; k < bound->count; k++)
      if (bound->list[k] == value)
        return true;
  }
  return false;
}

// Whether no op outside the match reads results that are erased with this op.
static bool is_closed(const rule_match *m, const pir_op *op) {
  if (pir_op_has(op, PIR_CONSTANT))
    return true;
  for (size_t i = 0; i < pir_op_results(op); i++) {
    pir_value *result = pir_op_result(op, i);
    if (pir_value_unused(result) || is_output(m, result))
      continue;
    PIR_EACH_USE(use, result) if (!is_erased_match(m, pir_use_owner(use))) return false;
  }
  return true;
}

static bool loses_nothing(const rule_match *m) {
  for (int16_t i = 0; i < m->rule->match_count; i++) {
    const rule_op_bound *bound = &m->ops[i];
    if (m->t->ops[m->rule->match + i].shared)
      continue;
    if (bound->one && !is_closed(m, bound->one))
      return false;
    for (size_t k = 0; k < bound->count; k++)
      if (!is_closed(m, bound->list[k]))
        return false;
  }
  return true;
}

static bool run_steps(rule_match *m, int32_t step) {
  for (; step < m->rule->step_count; step++) {
    if (step > m->reached)
      m->reached = step;
    const rule_step *s = &m->t->steps[m->rule->steps + step];
    pir_rule_value value;
    switch ((rule_step_kind)s->kind) {
      case RULE_STEP_DEF: return go_to_definer(m, s, step + 1);
      case RULE_STEP_USER: return go_to_user(m, s, step + 1);
      case RULE_STEP_WHERE:
        if (rule_holds(m, s->at))
          break;
        if (m->failed)
          m->failed(m->failed_user, m, step, s->at);
        return false;
      case RULE_STEP_LET:
        value = rule_eval(m, s->at);
        if (!bind_hole(m, s->op, &value))
          return false;
        break;
    }
  }
  m->reached = m->rule->step_count;
  return loses_nothing(m);
}

bool rule_match_op(rule_match *m, pir_op *root) {
  memset(m->ops, 0, sizeof *m->ops * (size_t)m->rule->match_count);
  memset(m->values, 0, sizeof *m->values * (size_t)m->rule->value_count);
  memset(m->hole_set, 0, sizeof *m->hole_set * (size_t)m->rule->hole_count);
  m->trail_count = m->heap_used = m->pointers_used = 0;
  m->tries = 0;
  m->reached = -1;
  return try_op(m, m->rule->root_op, root, 0);
}
