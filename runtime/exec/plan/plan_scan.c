// Plans scans: a region that runs once for each step along the first axis of its sequences. Its
// instructions follow the scan's in the same plan, so its memory is planned with the rest and a
// step allocates nothing. A step reads its sequences through moving windows; its results are
// copied into states and stacks. Every tensor that a step reads stays live until the last step,
// which the PLAN_STEP instruction at the end of the region expresses. Cost beyond the steps: a
// copy of their results.
#include "plan_build.h"
#include <pir/compiler/dialect/cinn.h>
#include <string.h>

// Returns the slot of a tensor whose shape follows from the inputs and whose steps are
// contiguous; or NONE.
static uint32_t plain_slot(plan_builder *b, const pir_op *op, const pir_value *value) {
  uint32_t slot = pir_plan_place(b, op, pir_plan_slot_of(b, value), false);
  bool plain =
      slot != NONE && !b->p->slots[slot].late && pir_plan_row_major(&b->p->slots[slot]);
  return plain ? slot : NONE;
}

// Stores `count` slots as words; NONE if one is missing.
static uint32_t add_plain_slots(plan_builder *b, const pir_op *op, size_t count) {
  uint32_t *slots = pir_arena_zalloc(&b->scratch, count * sizeof *slots);
  for (size_t i = 0; i < count; i++)
    if ((slots[i] = plain_slot(b, op, pir_op_operand(op, i))) == NONE)
      return NONE;
  uint32_t first = b->p->word_count;
  for (size_t i = 0; i < count; i++)
    pir_plan_word(b, slots[i]);
  return first;
}

// Binds the region's arguments, and the results that are not states.
static pir_status make_slots(plan_builder *b, const pir_op *op, const pir_block *body,
                             const plan_scan *scan, uint32_t *slots) {
  plan *p = b->p;
  size_t arguments = scan->sequences + scan->states;
  for (size_t i = 0; i < arguments + scan->stacks; i++) {
    const pir_value *value = i < arguments ? pir_block_argument(body, i)
                                           : pir_op_result(op, i - arguments + scan->states);
    const pir_fact *fact = pir_facts_of(b->facts, value);
    bool window = i < scan->sequences;
    slots[i] = window ? pir_plan_slot(b, fact, NONE) : pir_plan_result(b, fact);
    if (window)
      p->slots[slots[i]].buffer =
          pir_plan_buffer(b, HOME_WINDOW, NONE, pir_plan_bytes(b, slots[i]));
    if (p->slots[slots[i]].late)
      return pir_plan_unsupported(op, "an extent that only the run shows");
    pir_plan_bind_slot(b, value, slots[i]);
    if (i >= scan->sequences && i < arguments)
      pir_plan_bind_slot(b, pir_op_result(op, i - scan->sequences), slots[i]);
  }
  return PIR_OK;
}

// Lists the slots of the region that share a sequence's window.
static uint32_t add_shown(plan_builder *b, const plan_scan *scan, const uint32_t *windows) {
  plan *p = b->p;
  uint32_t first = p->word_count;
  for (uint32_t i = 0; i < scan->sequences; i++) {
    uint32_t count = pir_plan_word(b, 0);
    for (uint32_t s = windows[0]; s < p->slot_count; s++) {
      if (p->slots[s].buffer != p->slots[windows[i]].buffer)
        continue;
      pir_plan_word(b, s);
      p->words[count]++;
    }
  }
  return first;
}

// Checks the value that becomes state `i`: it must have the state's shape, and must not be
// another state, which may be overwritten by then.
static bool may_become(const plan *p, const plan_scan *scan, const uint32_t *states, uint32_t i,
                       uint32_t from) {
  for (uint32_t k = 0; k < scan->states; k++)
    if (k != i && p->slots[states[k]].buffer == p->slots[from].buffer)
      return false;
  return pir_plan_same_shape(p, from, states[i]);
}

static pir_status plan_step(plan_builder *b, const pir_op *op, const pir_op *end,
                            plan_scan *scan, uint32_t begin, const uint32_t *slots) {
  plan *p = b->p;
  uint32_t handed = scan->states + scan->stacks;
  scan->yields = add_plain_slots(b, end, handed);
  if (scan->yields == NONE)
    return pir_plan_unsupported(op, "a value handed out that is no plain tensor");
  for (uint32_t i = 0; i < scan->states; i++)
    if (!may_become(p, scan, slots + scan->sequences, i, p->words[scan->yields + i]))
      return pir_plan_unsupported(op,
                                  "a state that becomes another one, or changes its shape,");
  scan->shown = add_shown(b, scan, slots);
  uint32_t in = p->word_count;
  for (uint32_t i = 0; i < handed; i++)
    pir_plan_word(b, p->words[scan->yields + i]);
  for (uint32_t i = begin; i < p->instr_count; i++) {
    const plan_instr instr = p->instrs[i];
    if (i > begin && instr.late)
      return pir_plan_unsupported(op, "an extent that only the run shows");
    for (uint32_t k = 0; k < instr.in_count; k++)
      pir_plan_word(b, p->words[instr.in + k]);
    for (uint32_t k = 0; i == begin && k < instr.out_count; k++)
      pir_plan_word(b, p->words[instr.out + k]);
  }
  scan->end = pir_plan_instr(
      b, (plan_instr){
             .kind = PLAN_STEP, .label = "step", .in = in, .in_count = p->word_count - in});
  return PIR_OK;
}

// The verifier has seen that the numbers fit the operands, the region and the results.
static plan_scan read_counts(const pir_op *op) {
  int64_t states = pir_op_int(op, CINN_SCAN_ATTR_STATES);
  return (plan_scan){.sequences = (uint32_t)pir_op_int(op, CINN_SCAN_ATTR_SEQUENCES),
                     .states = (uint32_t)states,
                     .stacks = (uint32_t)(pir_op_results(op) - (size_t)states),
                     .reverse = pir_op_bool(op, CINN_SCAN_ATTR_REVERSE)};
}

pir_status pir_plan_scan(plan_builder *b, const pir_op *op) {
  plan *p = b->p;
  const pir_block *body = pir_region_first(pir_op_region(op, 0));
  plan_scan scan = read_counts(op);
  if (b->parent)
    return pir_plan_unsupported(op, "a scan in a region");
  uint32_t count = scan.sequences + scan.states, in = add_plain_slots(b, op, count);
  if (in == NONE)
    return pir_plan_unsupported(op, "an operand that is no plain tensor");
  uint32_t *slots = pir_arena_zalloc(&b->scratch, (count + scan.stacks) * sizeof *slots),
           begin = p->instr_count;
  PIR_TRY(make_slots(b, op, body, &scan, slots));
  uint32_t out = p->word_count;
  for (uint32_t i = scan.sequences; i < count + scan.stacks; i++)
    pir_plan_word(b, slots[i]);
  pir_plan_instr(b, (plan_instr){.kind = PLAN_SCAN,
                                 .label = pir_op_meaning(op)->name,
                                 .in = in,
                                 .in_count = count,
                                 .out = out,
                                 .out_count = scan.states + scan.stacks,
                                 .detail = p->scan_count});
  *ARRAY_PUSH(&p->memory, p->scans, p->scan_count, p->scan_capacity) = (plan_scan){0};
  for (const pir_op *inner = pir_block_first(body); inner != pir_block_last(body);
       inner = pir_op_next(inner))
    PIR_TRY(pir_plan_op(b, inner));
  PIR_TRY(plan_step(b, op, pir_block_last(body), &scan, begin, slots));
  p->scans[p->instrs[begin].detail] = scan;
  return PIR_OK;
}
