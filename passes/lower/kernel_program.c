// pd_op_to_kernel_pass: lowers a program of operators as Paddle does for a CPU. Ops become
// kernel calls (kernel_call.c). Parameters, constants, lists, control flow and stacks stay and
// get a place: a list gets the place of its members, a loop's arguments the place of their
// initial values. Every op has a number: kernel calls their own, copied ops the number of their
// source. One walk over the program, O(ops + attributes).

#include "kernel_call.h"
#include <pass_list.h>

#include <arena.h>

#include <pir/compiler/dialect/builtin.h>
#include <pir/compiler/dialect/cf.h>
#include <pir/compiler/dialect/pd_op.h>
#include <pir/compiler/walk.h>

enum { DEEPEST = 64 };

typedef struct lowering {
  kernel_calls calls;
  pir_name *origin_id;
  uint32_t next;  // number of the next op that is made
} lowering;

static pir_walk_result number_op(pir_op *op, void *user) {
  pir_op_set_mark(op, (*(uint32_t *)user)++);
  return PIR_WALK_CONTINUE;
}

static const pir_attr *index_attr(const lowering *l, uint32_t n) {
  return pir_attr_int(l->calls.ctx, PIR_ATTR_I64, (int64_t)n);
}

// Ops that have no kernel.
static bool is_copied(const pir_op *op) {
  const pir_opdef *def = pir_op_def(op);
  if (def->traits & (PIR_PARAMETER | PIR_STRUCTURAL | PIR_TERMINATOR) || pir_op_regions(op))
    return true;
  if (pir_op_meaning(op) != def)
    return true;
  switch (def->id) {
    case CF_STACK_CREATE:
    case CF_TUPLE_PUSH:
    case CF_TUPLE_POP:
    case CF_HAS_ELEMENTS:
    case PD_SELECT_INPUT:
    case PD_ASSERT: return true;
    default: return !def->result_count;
  }
}

static void place_results(const lowering *l, pir_op *op) {
  for (size_t i = 0; i < pir_op_results(op); i++) {
    pir_value *result = pir_op_result(op, i);
    pir_value_set_type(
        result, kernel_placed_type(l->calls.ctx, pir_value_type(result), PIR_STR("cpu")));
  }
}

// A list has the place of its members.
static void place_list(const lowering *l, pir_op *op) {
  pir_arena *arena = pir_context_arena(l->calls.ctx);
  size_t count = pir_op_operands(op), bytes = pir_arena_size(arena, count, sizeof(pir_type *));
  const pir_type **members = pir_arena_alloc(arena, bytes);
  for (size_t i = 0; i < count; i++)
    members[i] = pir_value_type(pir_op_operand(op, i));
  pir_value_set_type(pir_op_result(op, 0), pir_type_vector(l->calls.ctx, members, count));
  pir_arena_free(arena, members, bytes);
}

// A member has the place of its list.
static void place_members(const pir_op *op) {
  const pir_type *list = pir_value_type(pir_op_operand(op, 0));
  for (size_t i = 0; i < pir_op_results(op) && i < pir_type_elements(list); i++)
    pir_value_set_type(pir_op_result(op, i), pir_type_element(list, i));
}

// A carried value has the place of its initial value: operands after the condition, arguments
// and results agree.
static void place_loop(const pir_op *op) {
  const pir_block *body = pir_region_first(pir_op_region(op, 0));
  for (size_t i = 0; i + 1 < pir_op_operands(op); i++) {
    const pir_value *start = pir_op_operand(op, i + 1);
    if (!start)
      continue;
    if (i < pir_block_arguments(body))
      pir_value_set_type(pir_block_argument(body, i), pir_value_type(start));
    if (i < pir_op_results(op))
      pir_value_set_type(pir_op_result(op, i), pir_value_type(start));
  }
}

// A value popped from a stack has the place it had when it was pushed.
static bool place_popped(pir_op *op) {
  const pir_op *stack = pir_op_operand_op(op, 0);
  if (!stack || !pir_op_is(stack, CF_STACK_CREATE))
    return false;
  PIR_EACH_USE(use, pir_op_result(stack, CF_STACK_CREATE_OUT_INLET)) {
    const pir_op *push = pir_use_owner(use);
    if (!pir_op_is(push, CF_TUPLE_PUSH) || pir_op_operands(push) != pir_op_results(op) + 1)
      continue;
    for (size_t i = 0; i < pir_op_results(op); i++)
      if (pir_op_operand(push, i + 1))
        pir_value_set_type(pir_op_result(op, i), pir_value_type(pir_op_operand(push, i + 1)));
    return true;
  }
  return false;
}

static void drop_attr(lowering *l, pir_op *op, const char *name) {
  pir_name *key = pir_name_get(l->calls.ctx, pir_str_from(name));
  if (pir_op_attr(op, key))
    pir_rewriter_set_attr(l->calls.run->rewriter, op, key, NULL);
}

static void copy_with_regions(lowering *l, pir_op *op) {
  if (pir_op_is(op, PD_WHILE))
    place_loop(op);
  else
    place_results(l, op);
  drop_attr(l, op, "stop_gradient");
}

static void copy(lowering *l, pir_op *op) {
  if (pir_op_is(op, BUILTIN_COMBINE))
    place_list(l, op);
  else if (pir_op_is(op, BUILTIN_SPLIT))
    place_members(op);
  else if (!pir_op_is(op, CF_TUPLE_POP) || !place_popped(op))
    place_results(l, op);
  if (!pir_op_attr(op, l->origin_id))
    pir_rewriter_set_attr(l->calls.run->rewriter, op, l->origin_id,
                          index_attr(l, (uint32_t)pir_op_mark(op)));
}

static pir_status lower_block(lowering *l, pir_block *block, int depth) {
  PIR_EACH_OP(op, block) {
    uint32_t number = l->next++;
    if (!is_copied(op)) {
      kernel_call_replace(&l->calls, op, index_attr(l, number));
      continue;
    }
    if (!pir_op_regions(op)) {
      copy(l, op);
      continue;
    }
    copy_with_regions(l, op);
    if (depth == DEEPEST)
      return pir_error(op, "is nested deeper than %d regions", DEEPEST);
    for (size_t r = 0; r < pir_op_regions(op); r++)
      for (pir_block *b = pir_region_first(pir_op_region(op, r)); b; b = pir_block_next(b))
        PIR_TRY(lower_block(l, b, depth + 1));
  }
  return PIR_OK;
}

pir_status pir_pass_pd_op_to_kernel(pir_pass_run *run) {
  pir_context *ctx = pir_program_context(run->program);
  lowering l = {.calls = {.run = run, .ctx = ctx, .facts = pir_run_facts(run)},
                .origin_id = pir_name_get(ctx, PIR_STR("origin_id"))};
  if (!l.calls.facts)
    return pir_run_facts_status(run);
  pir_walk(pir_program_module(run->program), PIR_PRE_ORDER, number_op, &l.next);
  l.next++;  // the module of the lowered program
  pir_status status = lower_block(&l, pir_program_block(run->program), 0);
  kernel_calls_free(&l.calls);
  return status;
}
