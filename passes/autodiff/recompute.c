// Changes a program by a plan of recomputation. Each op that is computed again stands in front
// of the gradient that reads it first, and reads kept values through `depend`, which gives a
// value behind others: behind the gradient that comes in. So no pass merges it with the forward
// op, nor moves it forward.
#include "recompute.h"

#include <effects.h>
#include <pir/compiler/dialect/builtin.h>
#include <pir/compiler/dialect/pd_op.h>
#include <pir/compiler/walk.h>

typedef struct remake {
  diff_block *b;
  recompute *r;
  pir_map made;     // of a forward value: the one that is computed again
  pir_map guarded;  // of a kept value: its `depend` for the present op
  pir_value *dep;   // the last gradient that was computed
  pir_value *list;  // it alone, for the present op
  pir_op *at;       // the backward op that new ops stand in front of
} remake;

// ---- one op
static pir_op *create(remake *m, const pir_op_spec *spec) {
  pir_op *op = pir_rewriter_create(m->b->d->run->rewriter, m->at, spec);
  pir_vec_push(m->b->d->arena, &m->b->d->made, op);
  return op;
}

static pir_value *list_of_dep(remake *m) {
  diff *d = m->b->d;
  const pir_type *type = pir_value_type(m->dep);
  const pir_type *list = pir_type_vector(d->ctx, &type, 1);
  pir_op_spec combine = {.def = pir_context_op(d->ctx, BUILTIN_COMBINE),
                         .operands = &m->dep,
                         .operand_count = 1,
                         .result_types = &list,
                         .result_count = 1};
  return pir_op_result(create(m, &combine), 0);
}

static pir_value *guard(remake *m, pir_value *value) {
  diff *d = m->b->d;
  pir_value *known = pir_map_get(&m->guarded, value);
  if (known)
    return known;
  const pir_type *type = pir_value_type(value);
  if (!m->list)
    m->list = list_of_dep(m);
  pir_value *operands[] = {value, m->list};
  pir_op_spec depend = {.def = pir_context_op(d->ctx, PD_DEPEND),
                        .operands = operands,
                        .operand_count = 2,
                        .result_types = &type,
                        .result_count = 1};
  known = pir_op_result(create(m, &depend), 0);
  pir_map_put(d->arena, &m->guarded, value, (uint64_t)(uintptr_t)known);
  return known;
}

static bool is_guarded(const pir_value *value) {
  const pir_op *op = pir_value_op(value);
  const pir_type *type = pir_value_type(value);
  return type && pir_type_is_tensor(type) &&
         !(op && pir_op_has_any(op, PIR_PARAMETER | PIR_CONSTANT));
}

// Whether an operand stands for an attribute: its elements may be known before the run.
static bool stands_for_attribute(const pir_op *op, size_t operand) {
  const pir_opdef *def = pir_op_meaning(op);
  return operand < def->operand_count &&
         def->operands[operand].flags & (PIR_OPERAND_INTARRAY | PIR_OPERAND_SCALAR);
}

// Operands that are computed again are taken; the others are guarded, but for weights,
// constants and attributes, unless there are no others.
static void take_operands(remake *m, const pir_op *op, pir_value **operands) {
  bool apart = false;
  for (size_t i = 0; i < pir_op_operands(op); i++) {
    pir_value *value = pir_op_operand(op, i);
    pir_value *again = value ? pir_map_get(&m->made, value) : NULL;
    operands[i] = value;
    if (again)
      operands[i] = again;
    else if (value && is_guarded(value) && !stands_for_attribute(op, i))
      operands[i] = guard(m, value);
    apart |= operands[i] != value;
  }
  for (size_t i = 0; i < pir_op_operands(op) && !apart; i++)
    if (operands[i] && pir_type_is_tensor(pir_value_type(operands[i]))) {
      operands[i] = guard(m, operands[i]);
      apart = true;
    }
}

static void repeat(remake *m, const again_op *o) {
  diff *d = m->b->d;
  const pir_op *op = o->op;
  size_t operands = pir_op_operands(op), results = pir_op_results(op);
  pir_value **taken = pir_arena_alloc(d->arena, (operands + 1) * sizeof *taken);
  const pir_type **types = pir_arena_alloc(d->arena, (results + 1) * sizeof *types);
  take_operands(m, op, taken);
  for (size_t i = 0; i < results; i++)
    types[i] = pir_value_type(pir_op_result(op, i));
  const pir_opdef *def = pir_op_def(op);
  pir_op_spec spec = {.def = def->traits & PIR_INPLACE ? def->base : def,
                      .loc = pir_op_loc(op),
                      .operands = taken,
                      .operand_count = operands,
                      .result_types = types,
                      .result_count = results};
  PIR_VEC(pir_named_attr) attrs = {0};
  for (size_t i = 0; i < def->attr_count; i++)
    pir_vec_push(d->arena, &attrs, pir_declared_attr(d->ctx, def, i, pir_op_attr_at(op, i)));
  for (size_t i = 0; i < pir_op_extra_attrs(op); i++)
    pir_vec_push(d->arena, &attrs, pir_op_extra_attr(op, i));
  spec.attrs = attrs.items;
  spec.attr_count = attrs.count;
  const pir_op *made = create(m, &spec);
  for (uint32_t i = 0; i < o->count; i++)
    if (m->r->values.items[o->first + i].again)
      pir_map_put(d->arena, &m->made, pir_op_result(op, i),
                  (uint64_t)(uintptr_t)pir_op_result(made, i));
  pir_vec_free(d->arena, &attrs);
}

// ---- the backward program
static pir_walk_result read_again(pir_op *op, void *user) {
  remake *m = user;
  for (size_t i = 0; i < pir_op_operands(op); i++) {
    pir_value *value = pir_op_operand(op, i);
    pir_value *again = value ? pir_map_get(&m->made, value) : NULL;
    if (again)
      pir_rewriter_set_operand(m->b->d->run->rewriter, op, i, again);
  }
  return PIR_WALK_CONTINUE;
}

static bool can_be_waited_for(const pir_value *value) {
  const pir_op *op = pir_value_op(value);
  const pir_type *type = pir_value_type(value);
  return op && type && pir_type_is_tensor(type) && pir_op_operands(op) &&
         pir_dtype_is_float(pir_type_dtype(type));
}

// The gradient that an op reads, or one that was computed before it.
static void wait_for(remake *m, const recompute *r, uint32_t number) {
  const again_op *o = &r->ops.items[number];
  uint32_t latest = 0;
  for (uint32_t k = 0; k < o->read_count; k++) {
    const again_value *v = &r->values.items[r->reads.items[o->first_read + k]];
    if (v->op >= r->split && v->op >= latest && can_be_waited_for(v->value)) {
      latest = v->op;
      m->dep = v->value;
    }
  }
}

static void remake_block(remake *m, recompute *r) {
  size_t next = 0;
  for (uint32_t i = r->split; i < r->ops.count; i++) {
    m->at = r->ops.items[i].op;
    wait_for(m, r, i);
    pir_map_clear(&m->guarded);
    m->list = NULL;
    for (; next < r->steps.count && r->steps.items[next].before == i; next++)
      repeat(m, &r->ops.items[r->steps.items[next].op]);
    pir_walk(m->at, PIR_PRE_ORDER, read_again, m);
    for (uint32_t k = 0; k < r->ops.items[i].count; k++)
      if (can_be_waited_for(pir_op_result(m->at, k)))
        m->dep = pir_op_result(m->at, k);
  }
}

// The value to wait for where no gradient was computed yet: the last tensor of the forward
// program.
static pir_value *last_tensor(const recompute *r) {
  for (uint32_t i = r->split; i-- > 0;)
    for (uint32_t k = 0; k < r->ops.items[i].count; k++)
      if (can_be_waited_for(pir_op_result(r->ops.items[i].op, k)))
        return pir_op_result(r->ops.items[i].op, k);
  return NULL;
}

pir_status diff_recompute(diff_block *b, const recompute_request *request, recompute *r) {
  *r = (recompute){.d = b->d, .arena = b->d->arena};
  PIR_TRY(again_tabulate(r, request));
  again_plan(r, request);
  remake m = {.b = b, .r = r, .dep = last_tensor(r)};
  if (m.dep)
    remake_block(&m, r);
  pir_map_free(r->arena, &m.made);
  pir_map_free(r->arena, &m.guarded);
  return b->d->status;
}
