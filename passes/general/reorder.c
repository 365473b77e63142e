// Puts a program into a canonical order. Ops with effects, inputs, overwritten values and ops
// with regions stay in place. Every other op moves directly in front of the first of these that
// needs it: operands before readers, and in their order. So live ranges are short, and programs
// that differ in the order of independent ops become equal. No op moves into a region, where it
// could run more often. A depth-first search with an explicit stack; O(ops * depth of regions +
// uses).
#include <pir/compiler/pass.h>
#include <pass_list.h>

#include <effects.h>
#include <vec.h>

#include <pir/compiler/walk.h>

typedef struct frame {
  pir_op *op;
  size_t next;  // operand to look at
} frame;

typedef struct reorder {
  pir_arena *arena;
  PIR_VEC(frame) stack;
  PIR_VEC(pir_op *) needed;
  PIR_VEC(pir_op *) placed;  // placed ops, in order
  pir_block *block;
  uint64_t moved;
} reorder;

enum { PLACED = 1 };

// An op without readers stays too; otherwise its operands would move past it.
static bool is_tied(const pir_op *op) {
  return !pir_op_may_move(op) || pir_op_unused(op);
}

static pir_op *movable_definer(const reorder *r, const pir_value *value) {
  pir_op *op = value ? pir_value_op(value) : NULL;
  bool movable = op && pir_op_block(op) == r->block && !pir_op_mark(op) && !is_tied(op);
  return movable ? op : NULL;
}

// Includes the values that the ops of its regions read.
static pir_walk_result collect_sources(pir_op *op, void *user) {
  reorder *r = user;
  for (size_t i = 0; i < pir_op_operands(op); i++) {
    pir_op *source = movable_definer(r, pir_op_operand(op, i));
    if (source)
      pir_vec_push(r->arena, &r->needed, source);
  }
  return PIR_WALK_CONTINUE;
}

static void place(reorder *r, pir_op *op) {
  if (pir_op_mark(op))
    return;
  pir_op_set_mark(op, PLACED);
  pir_vec_push(r->arena, &r->stack, ((frame){op, 0}));
  while (r->stack.count) {
    frame *f = &r->stack.items[r->stack.count - 1];
    pir_op *source = NULL;
    while (!source && f->next < pir_op_operands(f->op))
      source = movable_definer(r, pir_op_operand(f->op, f->next++));
    if (source) {
      pir_op_set_mark(source, PLACED);
      pir_vec_push(r->arena, &r->stack, ((frame){source, 0}));
      continue;
    }
    pir_vec_push(r->arena, &r->placed, f->op);
    r->stack.count--;
  }
}

static void order_block(reorder *r, pir_block *block) {
  r->block = block;
  for (pir_op *op = pir_block_first(block), *next; op; op = next) {
    next = pir_op_next(op);
    if (!is_tied(op))
      continue;
    r->needed.count = 0;
    pir_walk(op, PIR_PRE_ORDER, collect_sources, r);
    for (size_t i = 0; i < r->needed.count; i++)
      place(r, r->needed.items[i]);
    for (pir_op *before = op, *last; r->placed.count; before = last) {
      last = pir_vec_pop(&r->placed);
      if (pir_op_next(last) == before)
        continue;
      pir_op_move_before(last, before);
      r->moved++;
    }
  }
}

static pir_walk_result order_regions(pir_op *op, void *user) {
  for (size_t i = 0; i < pir_op_regions(op); i++)
    for (pir_block *b = pir_region_first(pir_op_region(op, i)); b; b = pir_block_next(b))
      order_block(user, b);
  return PIR_WALK_CONTINUE;
}

pir_status pir_pass_reorder(pir_pass_run *run) {
  reorder r = {.arena = pir_context_arena(pir_program_context(run->program))};
  pir_op *module = pir_program_module(run->program);
  pir_walk(module, PIR_PRE_ORDER, pir_op_clear_mark, NULL);
  pir_walk(module, PIR_PRE_ORDER, order_regions, &r);
  pir_vec_free(r.arena, &r.stack);
  pir_vec_free(r.arena, &r.needed);
  pir_vec_free(r.arena, &r.placed);
  pir_run_count(run, "ops moved", r.moved);
  return PIR_OK;
}
