// The tables of recomputation: ops and values of the block, and which ops may be computed again
// with the same bits.
#include "recompute.h"

#include <effects.h>
#include <pir/compiler/walk.h>
#include <pir/layer/lower.h>

#include "op_cost.h"

// How many operations take as long as a byte takes from memory.
enum { OPERATIONS_OF_BYTE = 8 };

static uint32_t again_number(const recompute *r, const pir_value *value) {
  const uint64_t *number = value ? pir_map_find(&r->number_of, value) : NULL;
  return number ? (uint32_t)*number - 1 : AGAIN_NONE;
}

// ---- values that are written over
static pir_walk_result note_writes(pir_op *op, void *user) {
  recompute *r = user;
  bool passes_on = pir_op_has_any(op, PIR_TERMINATOR | PIR_CONTROL);
  bool unknown = !pir_op_has(op, PIR_REGISTERED);
  for (size_t i = 0; i < pir_op_operands(op); i++) {
    uint32_t v = again_number(r, pir_op_operand(op, i));
    if (v == AGAIN_NONE)
      continue;
    r->values.items[v].overwritten |= unknown || pir_op_overwrites(op, i);
    r->values.items[v].passed_on |= passes_on;
  }
  return PIR_WALK_CONTINUE;
}

// ---- which results depend on which operands

// Whether the expression below a node of a block asks for elements of an operand.
static bool asks_elements(const pir_lower *block, int node, int operand) {
  enum { MOST = 64 };
  int stack[MOST], top = 0;
  if (node >= 0)
    stack[top++] = node;
  while (top) {
    const pir_node *n = &block->nodes[stack[--top]];
    bool elements = (n->op >= PIR_I_OPERAND_AT && n->op <= PIR_I_OPERAND_KEPT) ||
                    n->op == PIR_I_LOAD || n->op == PIR_V_LOAD || n->op == PIR_V_SCALAR ||
                    n->op == PIR_V_MEMBERS;
    if ((elements && n->k == operand) || top + 3 > MOST)
      return true;
    const int below[] = {n->a, n->b, n->c};
    for (size_t i = 0; i < sizeof below / sizeof *below; i++)
      if (below[i] >= 0)
        stack[top++] = below[i];
  }
  return false;
}

static bool arg_depends(const pir_lower *block, const pir_lower_arg *arg, const bool *depends,
                        int operand) {
  bool any = false;
  switch ((pir_lower_arg_kind)arg->kind) {
    case PIR_LOWER_ABSENT: return false;
    case PIR_LOWER_VALUE:
    case PIR_LOWER_REST: return depends[arg->value];
    case PIR_LOWER_NUMBER: return asks_elements(block, arg->node, operand);
    case PIR_LOWER_INTS:
      for (int i = 0; i < arg->count; i++)
        any |= asks_elements(block, block->items[arg->first + i].node, operand) ||
               asks_elements(block, block->items[arg->first + i].repeat, operand);
      return any;
    case PIR_LOWER_VALUES:
      for (int i = 0; i < arg->count; i++)
        any |= depends[block->pool[arg->first + i]];
      return any;
  }
  return true;
}

// Marks the values of a block that depend on an operand.
static void mark_dependent(const pir_lower *block, int operands, int operand, bool *depends) {
  int at = operands;
  for (int i = 0; i < operands; i++)
    depends[i] = i == operand;
  for (int i = 0; i < block->step_count; i++) {
    const pir_lower_step *step = &block->steps[i];
    bool any = step->otherwise >= 0 && depends[step->otherwise];
    for (int k = 0; k < step->arg_count; k++)
      any |= arg_depends(block, &block->args[step->first_arg + k], depends, operand);
    for (int k = 0; k < step->result_count; k++)
      depends[at++] = any;
  }
}

static bool is_written_in_place(const pir_opdef *def, size_t result) {
  for (size_t i = 0; i < def->inplace_count && def->traits & PIR_INPLACE; i++)
    if (def->inplace[i].result == result)
      return true;
  return false;
}

// Whether no result, but those that the op writes in place, depends on the elements of an
// operand: so the means of a batch norm that trains say nothing of its output.
static bool is_independent(const recompute *r, const pir_op *op, size_t operand) {
  const pir_opdef *def = pir_op_meaning(op);
  bool depends[PIR_LOWER_VALUES_MOST];
  int alternative = def->clause ? -1 : pir_lower_choose(op, r->d->facts);
  if (alternative < 0 || operand >= def->operand_count)
    return false;
  const pir_lower *block = &def->lower[alternative];
  mark_dependent(block, def->operand_count, (int)operand, depends);
  for (size_t i = 0; i < def->result_count; i++)
    if (!is_written_in_place(pir_op_def(op), i) && block->results[i] >= 0 &&
        depends[block->results[i]])
      return false;
  return true;
}

// ---- which ops may be computed again
static bool can_repeat(const recompute *r, const again_op *o) {
  enum {
    TIED = PIR_RANDOM | PIR_INPUT | PIR_OUTPUT | PIR_PARAMETER | PIR_TERMINATOR | PIR_CONTROL
  };
  const pir_opdef *def = pir_op_def(o->op);
  const pir_opdef *made = def->traits & PIR_INPLACE ? def->base : def;
  if (!made || !(made->traits & PIR_PURE) || (def->traits & TIED) ||
      !(def->traits & PIR_REGISTERED) || made->attr_count != def->attr_count)
    return false;
  if (pir_op_regions(o->op) || !o->count)
    return false;
  for (size_t i = 0; i < pir_op_operands(o->op); i++) {
    uint32_t v = again_number(r, pir_op_operand(o->op, i));
    if (v != AGAIN_NONE && r->values.items[v].overwritten && !is_independent(r, o->op, i))
      return false;
  }
  return true;
}

// Whether an op depends on constants alone: folding makes it one.
static bool is_of_constants(const recompute *r, const again_op *o) {
  if (!pir_op_has(o->op, PIR_PURE) || pir_op_regions(o->op) ||
      pir_op_has_any(o->op, PIR_RANDOM | PIR_INPUT | PIR_PARAMETER | PIR_INPLACE))
    return false;
  for (uint32_t i = 0; i < o->read_count; i++) {
    uint32_t from = r->values.items[r->reads.items[o->first_read + i]].op;
    if (!r->ops.items[from].constant)
      return false;
  }
  return true;
}

static void describe_op(recompute *r, again_op *o) {
  double moved = 0;
  bool forward = (uint32_t)(o - r->ops.items) < r->split;
  o->constant = pir_op_has(o->op, PIR_CONSTANT) || (forward && is_of_constants(r, o));
  bool free = o->constant || pir_op_has_any(o->op, PIR_INPUT | PIR_PARAMETER);
  o->renames = cost_renames(o->op) && pir_op_operand(o->op, 0);
  o->fixed = free || !can_repeat(r, o);
  for (uint32_t i = 0; i < o->read_count; i++)
    moved += (double)r->values.items[r->reads.items[o->first_read + i]].bytes;
  for (uint32_t i = 0; i < o->count; i++) {
    again_value *v = &r->values.items[o->first + i];
    v->free |= free;
    v->stays = v->overwritten || v->passed_on || is_written_in_place(pir_op_def(o->op), i);
    moved += (double)v->bytes;
  }
  if (o->renames && again_number(r, pir_op_operand(o->op, 0)) != AGAIN_NONE)
    r->values.items[o->first].root =
        r->values.items[again_number(r, pir_op_operand(o->op, 0))].root;
  bool nothing = o->renames || pir_op_has(o->op, PIR_STRUCTURAL);
  if (nothing || free)
    return;
  o->flops = cost_flops(r->arena, r->d->facts, o->op);
  o->work = o->flops + OPERATIONS_OF_BYTE * moved;
}

// ---- filling
static void add_results(recompute *r, again_op *o) {
  o->first = (uint32_t)r->values.count;
  o->count = (uint32_t)pir_op_results(o->op);
  for (uint32_t i = 0; i < o->count; i++) {
    pir_value *value = pir_op_result(o->op, i);
    bool structural = pir_op_has(o->op, PIR_STRUCTURAL);
    uint32_t number = (uint32_t)r->values.count;
    again_value v = {.value = value, .op = (uint32_t)r->ops.count, .root = number};
    v.bytes = structural ? 0 : cost_bytes(r->d->facts, value);
    PIR_EACH_USE(use, value)
    v.free |= pir_op_has(pir_use_owner(use), PIR_OUTPUT);
    pir_vec_push(r->arena, &r->values, v);
    pir_map_put(r->arena, &r->number_of, value, number + 1);
  }
}

// Whether an op reads no more of an operand than its shape.
static bool reads_shape_alone(const pir_op *op, size_t operand) {
  const pir_opdef *def = pir_op_meaning(op);
  return operand < def->operand_count && def->operands[operand].flags & PIR_OPERAND_SHAPE_ONLY;
}

typedef struct reader {
  recompute *r;
  bool backward;
} reader;

static pir_walk_result note_uses_of(pir_op *op, void *user) {
  const reader *w = user;
  for (size_t i = 0; i < pir_op_operands(op); i++) {
    uint32_t v = again_number(w->r, pir_op_operand(op, i));
    if (v == AGAIN_NONE || (w->backward && reads_shape_alone(op, i)))
      continue;
    pir_vec_push(w->r->arena, &w->r->reads, v);
    w->r->values.items[v].needed |= w->backward && w->r->values.items[v].op < w->r->split;
  }
  return PIR_WALK_CONTINUE;
}

static pir_status mark_kept(recompute *r, const recompute_request *request) {
  for (size_t i = 0; i < request->kept.count; i++) {
    uint32_t v = again_number(r, request->kept.items[i]);
    if (v == AGAIN_NONE || r->values.items[v].op >= r->split)
      return pir_report(r->d->ctx, PIR_INVALID, PIR_ERROR, PIR_LOC_UNKNOWN,
                        "backward: checkpoint %zu is no value of the program's block", i);
    r->values.items[v].listed = true;
  }
  return PIR_OK;
}

pir_status again_tabulate(recompute *r, const recompute_request *request) {
  pir_program *program = r->d->run->program;
  r->split = request->before ? AGAIN_NONE : 0;
  for (pir_op *op = pir_block_first(pir_program_block(program)); op; op = pir_op_next(op)) {
    again_op o = {.op = op, .first_read = (uint32_t)r->reads.count};
    reader w = {r, r->split != AGAIN_NONE};
    pir_walk(op, PIR_PRE_ORDER, note_uses_of, &w);
    o.read_count = (uint32_t)r->reads.count - o.first_read;
    add_results(r, &o);
    pir_vec_push(r->arena, &r->ops, o);
    if (op == request->before)
      r->split = (uint32_t)r->ops.count;
  }
  pir_walk(pir_program_module(program), PIR_PRE_ORDER, note_writes, r);
  for (size_t i = 0; i < r->ops.count; i++)
    describe_op(r, &r->ops.items[i]);
  return mark_kept(r, request);
}
