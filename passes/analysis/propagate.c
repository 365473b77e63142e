// Sparse conditional constant propagation. Every value starts as unreached, may become known,
// and may then become unknown. An argument is the meet of its inputs. An op is visited when its
// region can run and one of its operands has changed. Each value changes at most twice. Cost:
// computing every known op once, plus O(uses).
#include <propagate.h>

#include <effects.h>

#include <pir/compiler/walk.h>

#include <string.h>

enum { NOT_REACHED, KNOWN, NOT_KNOWN };

typedef struct propagation {
  evaluator *e;
  pir_arena *arena;
  pir_map states;   // value -> state
  pir_map running;  // blocks that can run
  PIR_VEC(pir_op *) work;
  size_t next;  // position in `work`
} propagation;

static uint64_t state_of(const propagation *p, const pir_value *value) {
  uint64_t *place = pir_map_find(&p->states, value);
  return place ? *place : NOT_REACHED;
}

// The state that a reader sees. An absent value is not known, nor is an overwritten one: only
// some of its readers see the original.
static uint64_t read_state(const propagation *p, const pir_value *value) {
  return value && !pir_value_is_overwritten(value) ? state_of(p, value) : NOT_KNOWN;
}

static void set_state(propagation *p, const pir_value *value, uint64_t state) {
  if (state_of(p, value) == state)
    return;
  pir_map_put(p->arena, &p->states, value, state);
  if (state == NOT_KNOWN)
    evaluator_forget_value(p->e, value);
  PIR_EACH_USE(use, value) pir_vec_push(p->arena, &p->work, pir_use_owner(use));
}

static bool same_tensors(const known_value *a, const known_value *b) {
  if (a->count != b->count)
    return false;
  for (size_t i = 0; i < a->count; i++) {
    const pir_tensor *x = &a->tensors[i], *y = &b->tensors[i];
    if (x->dtype != y->dtype || x->rank != y->rank)
      return false;
    for (int32_t k = 0; k < x->rank; k++)
      if (x->shape[k] != y->shape[k])
        return false;
    if (x->data != y->data && memcmp(x->data, y->data, known_tensor_bytes(x)) != 0)
      return false;
  }
  return true;
}

// Merges the known value of `from` into `value` (the meet).
static void join_state(propagation *p, const pir_value *value, const pir_value *from) {
  uint64_t state = read_state(p, from), now = state_of(p, value);
  if (state == NOT_REACHED || now == NOT_KNOWN)
    return;
  if (state == KNOWN && now == KNOWN &&
      same_tensors(evaluator_find(p->e, value), evaluator_find(p->e, from)))
    return;
  if (state == KNOWN && now == NOT_REACHED)
    evaluator_copy(p->e, value, from);
  set_state(p, value, state == KNOWN && now == NOT_REACHED ? KNOWN : NOT_KNOWN);
}

static void run_block(propagation *p, pir_block *block) {
  if (!block || pir_map_find(&p->running, block))
    return;
  pir_map_put(p->arena, &p->running, block, 1);
  for (pir_op *op = pir_block_first(block); op; op = pir_op_next(op))
    pir_vec_push(p->arena, &p->work, op);
}

static void know_nothing_of(propagation *p, const pir_op *op) {
  for (size_t i = 0; i < pir_op_results(op); i++)
    set_state(p, pir_op_result(op, i), NOT_KNOWN);
}

// Returns the condition: 1 or 0 if known, -1 if unknown, -2 if unreached.
static int condition_of(const propagation *p, const pir_op *op) {
  const pir_value *value = pir_op_operand(op, 0);
  uint64_t state = read_state(p, value);
  if (state == NOT_REACHED)
    return -2;
  const known_value *known = state == KNOWN ? evaluator_find(p->e, value) : NULL;
  if (!known || pir_tensor_numel(&known->tensors[0]) != 1)
    return -1;
  return pir_tensor_int_at(&known->tensors[0], 0) != 0;
}

static void visit_choice(propagation *p, const pir_op *op) {
  int taken = condition_of(p, op);
  if (taken == -2)
    return;
  if (taken != 0)
    run_block(p, pir_op_body(op, 0));
  if (taken != 1)
    run_block(p, pir_op_body(op, 1));
}

static void visit_loop(propagation *p, const pir_op *op, pir_block *body) {
  int begins = condition_of(p, op);
  if (begins == -2)
    return;
  for (size_t i = 0; i < pir_op_results(op); i++) {
    join_state(p, pir_block_argument(body, i), pir_op_operand(op, i + 1));
    join_state(p, pir_op_result(op, i), pir_op_operand(op, i + 1));
  }
  if (begins != 0)
    run_block(p, body);
}

// Propagates the values that a region yields.
static void visit_end(propagation *p, const pir_op *end) {
  const pir_op *holder = pir_op_parent(end);
  pir_block *body = pir_loop_body(holder);
  if (body) {
    for (size_t i = 0; i < pir_op_results(holder); i++) {
      join_state(p, pir_block_argument(body, i), pir_op_operand(end, i + 1));
      join_state(p, pir_op_result(holder, i), pir_op_operand(end, i + 1));
    }
  } else if (pir_op_is_choice(holder)) {
    for (size_t i = 0; i < pir_op_results(holder) && i < pir_op_operands(end); i++)
      join_state(p, pir_op_result(holder, i), pir_op_operand(end, i));
  }
}

// Regions of unknown ops all run, with unknown arguments.
static void visit_other(propagation *p, const pir_op *op) {
  for (size_t r = 0; r < pir_op_regions(op); r++)
    for (pir_block *b = pir_region_first(pir_op_region(op, r)); b; b = pir_block_next(b)) {
      for (size_t i = 0; i < pir_block_arguments(b); i++)
        set_state(p, pir_block_argument(b, i), NOT_KNOWN);
      run_block(p, b);
    }
  know_nothing_of(p, op);
}

static void compute_when_known(propagation *p, const pir_op *op) {
  bool known = true;
  for (size_t i = 0; i < pir_op_results(op); i++)
    if (state_of(p, pir_op_result(op, i)) == NOT_KNOWN)
      return;
  for (size_t i = 0; i < pir_op_operands(op); i++) {
    const pir_value *value = pir_op_operand(op, i);
    uint64_t state = value ? read_state(p, value) : KNOWN;
    if (state == NOT_REACHED)
      return;
    known &= state == KNOWN;
  }
  if (known)
    evaluator_visit(p->e, op);
  for (size_t i = 0; i < pir_op_results(op); i++) {
    const pir_value *value = pir_op_result(op, i);
    set_state(p, value, known && evaluator_find(p->e, value) ? KNOWN : NOT_KNOWN);
  }
}

static void propagate_op(propagation *p, const pir_op *op) {
  if (!pir_map_find(&p->running, pir_op_block(op)))
    return;
  pir_block *body = pir_loop_body(op);
  if (body)
    visit_loop(p, op, body);
  else if (pir_op_is_choice(op) && pir_op_body(op, 0) && pir_op_body(op, 1))
    visit_choice(p, op);
  else if (pir_op_has(op, PIR_TERMINATOR))
    visit_end(p, op);
  else if (pir_op_regions(op))
    visit_other(p, op);
  else
    compute_when_known(p, op);
}

void propagate_constants(evaluator *e, pir_op *module) {
  propagation p = {.e = e, .arena = e->arena};
  for (size_t r = 0; r < pir_op_regions(module); r++)
    run_block(&p, pir_region_first(pir_op_region(module, r)));
  while (p.next < p.work.count)
    propagate_op(&p, p.work.items[p.next++]);
  pir_map_free(p.arena, &p.states);
  pir_map_free(p.arena, &p.running);
  pir_vec_free(p.arena, &p.work);
}
