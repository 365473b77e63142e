// Indices that are known only at run time: elements of tensors, and indices computed from them.
// A load whose index may be out of range raises a trap, and reads element 0 instead. An index
// that also advances with a loop (a slice with a run-time begin) stays, and the load is masked,
// so its elements remain adjacent. An index of extents and variables of the clause is inside by
// its bounds, or becomes a condition on extents, or is checked likewise (lower_reach.c).
#include "lowering.h"

#include <string.h>

// Whether e depends on an element of a tensor: index arithmetic has only variables and extents.
static bool is_run_decided(const loop_expr *e) {
  if (!e)
    return false;
  bool is_leaf = e->kind == LOOP_VAR || e->kind == LOOP_LOAD || e->kind == LOOP_GATHER;
  if (e->given || (is_leaf && e->dtype != LOOP_INDEX))
    return true;
  return is_run_decided(e->a) || is_run_decided(e->b) || is_run_decided(e->c);
}

static bool is_loop_var(const loop_expr *e) {
  return e->kind == LOOP_VAR && !e->given && e->dtype == LOOP_INDEX;
}

// Whether a loop variable, or a multiple of one, is a term of the sum e.
static bool runs_along(const loop_expr *e) {
  if (e->kind != LOOP_OP)
    return is_loop_var(e);
  if (e->op == PIR_V_MUL)
    return is_loop_var(e->a) || is_loop_var(e->b);
  return (e->op == PIR_V_ADD || e->op == PIR_V_SUB) && (runs_along(e->a) || runs_along(e->b));
}

// Returns the condition; NULL if it is known to hold.
static loop_expr *unless_known(loop_expr *condition) {
  int64_t known;
  return pir_loop_is_int(condition, &known) && known ? NULL : condition;
}

loop_expr *lower_in_range(lowering *l, loop_expr *index, loop_expr *extent) {
  loop_expr *low = pir_loop_op(l->m, PIR_V_LE, pir_loop_int(l->m, 0), index, NULL);
  loop_expr *high = pir_loop_lt(l->m, index, extent);
  return pir_loop_op(l->m, PIR_V_AND, low, high, NULL);
}

// ---- traps

static uint32_t trap_number(lowering *l, const char *text) {
  uint32_t k = 0;
  while (k < l->traps.count && strcmp(l->traps.items[k], text) != 0)
    k++;
  if (k == l->traps.count)
    pir_vec_push(&l->m->arena, &l->traps, text);
  return k + 1;
}

static const char *trap_text(lower_site *s, const char *what) {
  const char *op = pir_op_meaning(s->op)->name;
  size_t size = strlen(op) + strlen(what) + 3;
  char *text = pir_loop_alloc(s->l->m, size);
  pir_text_format(text, size, "%s: %s", op, what);
  return text;
}

static const char *index_text(lower_site *s, int operand) {
  char what[64];
  if (operand < 0)
    return trap_text(s, "index tensor read out of its range");
  pir_text_format(what, sizeof what, "index out of range of operand %d", operand);
  return trap_text(s, what);
}

// ---- conditions on extents

static void add_bound(lowering *l, pir_group_bound bound) {
  for (size_t i = 0; i < l->bounds.count; i++) {
    const pir_group_bound *b = &l->bounds.items[i];
    if (b->trap == bound.trap && b->broadcasts == bound.broadcasts &&
        pir_dim_equal(l->dims, b->least, bound.least) &&
        pir_dim_equal(l->dims, b->most, bound.most) &&
        pir_dim_equal(l->dims, b->extent, bound.extent) &&
        pir_dim_equal(l->dims, b->points, bound.points))
      return;
  }
  pir_vec_push(&l->m->arena, &l->bounds, bound);
}

void lower_expect_broadcast(lower_site *s, pir_dim extent, pir_dim axis) {
  lowering *l = s->l;
  const char *text = trap_text(s, "the shapes of the operands do not broadcast together");
  pir_dim one = pir_dim_const(l->dims, 1);
  add_bound(l, (pir_group_bound){.least = pir_dim_const(l->dims, 0),
                                 .most = pir_dim_sub(l->dims, axis, one),
                                 .extent = extent,
                                 .points = one,
                                 .trap = trap_number(l, text),
                                 .broadcasts = true});
}

void lower_expect_inside(lower_site *s, pir_dim least, pir_dim most, pir_dim extent,
                         pir_dim points, int operand) {
  lowering *l = s->l;
  int64_t low, left, count;
  pir_dim room = pir_dim_sub(l->dims, extent, most);
  if (pir_dim_lower_bound(l->dims, least) >= 0 && pir_dim_lower_bound(l->dims, room) > 0)
    return;
  if (pir_dim_is_const(l->dims, least, &low) && pir_dim_is_const(l->dims, room, &left) &&
      pir_dim_is_const(l->dims, points, &count)) {
    if (count)
      lower_fail(l, s->op, "an index outside of its operand");
    return;
  }
  add_bound(l, (pir_group_bound){.least = least,
                                 .most = most,
                                 .extent = extent,
                                 .points = points,
                                 .trap = trap_number(l, index_text(s, operand))});
}

void lower_expect_one(lower_site *s, const pir_fact *fact, int operand) {
  lowering *l = s->l;
  pir_dim zero = pir_dim_const(l->dims, 0), one = pir_dim_const(l->dims, 1);
  char what[64];
  int64_t known;
  pir_text_format(what, sizeof what, "operand %d must have one element", operand);
  for (int d = 0; d < fact->rank; d++) {
    pir_dim extent = fact->shape[d];
    bool constant = pir_dim_is_const(l->dims, extent, &known);
    if (constant && known == 1)
      continue;
    if (constant) {
      lower_fail(l, s->op, "a scalar of several elements");
      return;
    }
    add_bound(l, (pir_group_bound){.least = pir_dim_sub(l->dims, one, extent),
                                   .most = zero,
                                   .extent = extent,
                                   .points = lower_points(s),
                                   .trap = trap_number(l, trap_text(s, what))});
  }
}

void lower_expect_equal(lowering *l, pir_dim a, pir_dim b) {
  if (pir_dim_equal(l->dims, a, b))
    return;
  for (size_t i = 0; i < l->equal.count; i += 2)
    if (pir_dim_equal(l->dims, l->equal.items[i], a) &&
        pir_dim_equal(l->dims, l->equal.items[i + 1], b))
      return;
  pir_vec_push(&l->m->arena, &l->equal, a);
  pir_vec_push(&l->m->arena, &l->equal, b);
}

static void *take_memory(void *user, size_t size) {
  return pir_loop_alloc(((lowering *)user)->m, size);
}

static void note_required(pir_infer *infer, pir_constraint_kind kind, pir_dim a, pir_dim b) {
  if (kind == PIR_EQUAL)
    lower_expect_equal(infer->user, a, b);
}

void lower_expect_required(lowering *l, const pir_op *op) {
  const pir_opdef *def = pir_op_meaning(op);
  pir_infer infer = {
      .def = def, .op = op, .dims = l->dims, .user = l, .require = note_required};
  if (!def || !def->require || pir_op_attr_values(op, take_memory, l, &infer.attrs))
    return;
  size_t count = pir_op_operands(op);
  const pir_fact **operands = pir_loop_alloc(l->m, count * sizeof *operands);
  for (size_t k = 0; k < count; k++) {
    const pir_value *value = pir_op_operand(op, k);
    operands[k] = value ? lower_fact(l, value) : NULL;
  }
  infer.operands = operands;
  infer.operand_count = count;
  pir_infer_equalities(&infer);
}

// ---- traps in code

// Where the element is wanted at all: the conditions around decide.
static void raise_unless(lower_site *s, loop_expr *in, int operand) {
  lowering *l = s->l;
  loop_expr *out = pir_loop_op(l->m, PIR_V_NOT, in, NULL, NULL);
  loop_expr *wanted = lower_both(l, lower_both(l, l->guard, l->condition), out);
  pir_loop_trap(l->fn, l->block, trap_number(l, index_text(s, operand)), wanted);
}

void lower_trap(lower_site *s, const char *what, loop_expr *where) {
  lowering *l = s->l;
  loop_expr *wanted = lower_both(l, lower_both(l, l->guard, l->condition), where);
  pir_loop_trap(l->fn, l->block, trap_number(l, trap_text(s, what)), wanted);
}

// On a processor a called kernel copies as fast.
void lower_clause_trap(lower_site *s) {
  lowering *l = s->l;
  const pir_clause *c = s->clause;
  loop_expr *stops = lower_index(s, c->trap);
  int64_t known;
  bool fixed = pir_loop_is_int(stops, &known);
  if (fixed && !known)
    return;
  if (fixed || c->trap_text < 0 || !l->target || !l->target->device) {
    lower_fail(l, s->op, "a check that may stop the run");
    return;
  }
  lower_trap(s, c->text[c->trap_text], lower_truth(s, c->trap));
}

// ---- indices

// Returns the result of an earlier check of the same index that applies here: its condition was
// at most the current guard. NULL if there is none.
static loop_expr *checked_before(const lowering *l, const loop_expr *index,
                                 const loop_expr *extent) {
  for (size_t k = l->memo.count; k-- > 0;) {
    const lower_memo *e = &l->memo.items[k];
    if (!e->value && (!e->guard || e->guard == l->guard) &&
        pir_loop_equal(e->index[0], index) && pir_loop_equal(e->index[1], extent))
      return e->expr;
  }
  return NULL;
}

static void keep_checked(lowering *l, loop_expr *index, loop_expr *extent, loop_expr *checked) {
  lower_memo entry = {.guard = l->guard, .expr = checked};
  entry.index = pir_loop_alloc(l->m, 2 * sizeof *entry.index);
  entry.index[0] = index;
  entry.index[1] = extent;
  pir_vec_push(&l->m->arena, &l->memo, entry);
}

// Binds the index, or 0 if it is out of range, to a new variable. Its range is known from here
// on, as a loop variable's is.
static loop_expr *check_index(lower_site *s, loop_expr *index, loop_expr *extent, int operand) {
  lowering *l = s->l;
  loop_expr *known = checked_before(l, index, extent);
  if (known)
    return known;
  loop_expr *at = pir_loop_let(l->fn, l->block, "at", index);
  loop_expr *in = pir_loop_let(l->fn, l->block, "in", lower_in_range(l, at, extent));
  raise_unless(s, in, operand);
  loop_var *var = pir_loop_var_create(l->fn, "at", LOOP_INDEX, 1);
  var->extent = extent;
  pir_loop_bind(l->fn, l->block, var, pir_loop_select(l->m, in, at, pir_loop_int(l->m, 0)));
  loop_expr *safe = pir_loop_use(l->m, var);
  if (!l->condition)
    keep_checked(l, index, extent, safe);
  return safe;
}

lower_reach lower_settle_index(lower_site *s, const pir_node *load, const pir_fact *fact,
                               loop_expr **index) {
  lowering *l = s->l;
  loop_module *m = l->m;
  lower_reach reach = {.known = true};
  int operand = load->op == PIR_I_LOAD ? -1 : load->k;
  for (int d = 0; d < fact->rank && !l->why; d++) {
    loop_expr *extent = lower_dim(l, fact->shape[d]);
    loop_expr *in = unless_known(lower_in_range(l, index[d], extent));
    if (!in)
      continue;
    bool run_decided = is_run_decided(index[d]);
    if (!run_decided) {
      reach.known = false;
      if (lower_stays_inside(s, load, fact, d))
        continue;
    }
    if (!run_decided || runs_along(index[d])) {
      raise_unless(s, in, operand);
    } else {
      index[d] = check_index(s, index[d], extent, operand);
      in = unless_known(pir_loop_lt(m, pir_loop_int(m, 0), extent));
    }
    reach.guard = lower_both(l, reach.guard, in);
  }
  return reach;
}
