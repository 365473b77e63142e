// Plans control flow. The block of a region becomes its own plan. Values of enclosing regions
// are captured, slot by slot, and passed as operands of the instruction. All values of a region
// are late, because extents may change from iteration to iteration; groups get theirs from
// expressions that are computed whenever the region is entered. An array of tensors
// is one slot that writes change in place, so a write has no separate result. A stack is an
// array with three names. O(ops of the region).
#include "plan_build.h"
#include <pir/compiler/dialect/cf.h>
#include <pir/compiler/dialect/pd_op.h>
#include <string.h>

// Returns the kind of instruction, or -1.
static int control_kind(const pir_op *op) {
  switch (pir_op_meaning(op)->id) {
    case PD_IF: return PLAN_IF;
    case PD_WHILE: return PLAN_WHILE;
    case PD_SELECT_INPUT: return PLAN_SELECT;
    case PD_CREATE_ARRAY: return PLAN_ARRAY_NEW;
    case PD_ARRAY_WRITE_: return PLAN_ARRAY_WRITE;
    case PD_ARRAY_POP: return PLAN_ARRAY_POP;
    case PD_ARRAY_READ: return PLAN_ARRAY_READ;
    case PD_ARRAY_LENGTH: return PLAN_ARRAY_LENGTH;
    case PD_SLICE_ARRAY: return PLAN_ARRAY_SLICE;
    case PD_SLICE_ARRAY_DENSE: return PLAN_ARRAY_AT;
    case PD_ARRAY_TO_TENSOR: return PLAN_ARRAY_JOIN;
    case PD_TENSOR_TO_ARRAY: return PLAN_ARRAY_PART;
    case PD_CREATE_ARRAY_LIKE: return PLAN_ARRAY_LIKE;
    case PD_ASSIGN_ARRAY:
    case PD_ASSIGN_ARRAY_:
    case PD_MEMCPY_D2H_MULTI_IO: return PLAN_ARRAY_COPY;
    case PD_ADD_N_ARRAY: return PLAN_ARRAY_ADD;
    case CF_STACK_CREATE: return PLAN_STACK_NEW;
    case CF_TUPLE_PUSH: return PLAN_STACK_PUSH;
    case CF_TUPLE_POP: return PLAN_STACK_POP;
    case CF_HAS_ELEMENTS: return PLAN_STACK_HOLDS;
    default: return -1;
  }
}

bool pir_plan_is_control(const pir_op *op) {
  return control_kind(op) >= 0;
}

// ---- regions

// States the rank and the extents of an argument, which are checked in every iteration.
static void describe_argument(plan_builder *b, const pir_fact *fact, uint32_t slot) {
  plan *p = b->p;
  uint32_t extents[PIR_MAX_RANK];
  if (!fact->known || fact->members || fact->rank < 0)
    return;
  for (int d = 0; d < fact->rank; d++)
    extents[d] = pir_plan_group_extent(b, fact->shape[d]);
  plan_slot *s = &p->slots[slot];
  s->dtype = (uint8_t)fact->dtype;
  s->rank = (int8_t)fact->rank;
  s->shape = p->word_count;
  for (int d = 0; d < fact->rank; d++) {
    s->order[d] = (uint8_t)d;
    pir_plan_word(b, extents[d]);
  }
}

static void build_args(plan_builder *b, const pir_block *block, plan_region *region) {
  region->arg_count = (uint32_t)pir_block_arguments(block);
  region->args = pir_arena_zalloc(&b->p->memory, region->arg_count * sizeof *region->args);
  for (uint32_t i = 0; i < region->arg_count; i++) {
    const pir_value *arg = pir_block_argument(block, i);
    uint32_t slot = region->args[i] = pir_plan_slot(b, &(pir_fact){.rank = -1}, NONE);
    b->p->slots[slot].buffer = pir_plan_buffer(b, HOME_INPUT, NONE, NONE);
    pir_plan_bind_slot(b, arg, slot);
  }
  for (uint32_t i = 0; i < region->arg_count; i++)
    describe_argument(b, pir_facts_of(b->facts, pir_block_argument(block, i)), region->args[i]);
}

// Yielded values stay live until the region has ended.
static pir_status build_yields(plan_builder *b, const pir_op *end, plan_region *region) {
  plan *p = b->p;
  region->yield_count = (uint32_t)pir_op_operands(end);
  region->yields = pir_arena_zalloc(&p->memory, region->yield_count * sizeof *region->yields);
  region->repeats = pir_arena_zalloc(&p->memory, region->yield_count * sizeof *region->repeats);
  for (uint32_t i = 0; i < region->yield_count; i++) {
    uint32_t slot = region->yields[i] = pir_plan_slot_of(b, pir_op_operand(end, i));
    if (slot == NONE)
      return pir_plan_unsupported(end, "an operand that is not one tensor");
  }
  bool *handed = pir_arena_zalloc(&b->scratch, p->buffer_count * sizeof *handed);
  for (uint32_t i = 0; i < region->yield_count; i++) {
    uint32_t buffer = p->slots[region->yields[i]].buffer;
    region->repeats[i] = handed[buffer];
    handed[buffer] = true;
    if (p->buffers[buffer].home == HOME_LATE)
      p->buffers[buffer].index = 0;
  }
  return PIR_OK;
}

static bool is_in_list(const plan *p, const uint32_t *slots, uint32_t count, uint32_t buffer) {
  for (uint32_t i = 0; i < count; i++)
    if (p->slots[slots[i]].buffer == buffer)
      return true;
  return false;
}

static uint32_t count_reads(const plan *p, const plan_instr *instr, uint32_t buffer) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < instr->in_count; i++) {
    uint32_t slot = p->words[instr->in + i];
    count += slot != NONE && p->slots[slot].buffer == buffer;
  }
  return count;
}

// Finds the results whose memory may be the operand's: a join leaves its first member as it is,
// other ops are the last to read the operand, which is no part of a larger one and has no other
// name. The result must outlive the operand.
static void note_moves(plan *p, const plan_region *region) {
  for (uint32_t i = 0; i < p->handover_count; i++) {
    plan_handover *h = &p->handovers[i];
    uint32_t from = p->slots[h->in].buffer, to = p->slots[h->out].buffer;
    bool argument = is_in_list(p, region->args, region->arg_count, from);
    bool stays = is_in_list(p, region->yields, region->yield_count, to) ||
                 p->buffers[from].last <= p->buffers[to].last;
    bool whole = p->slots[h->in].view_of == NONE && p->slots[h->in].axis < 0;
    bool last = h->grows || (p->buffers[from].last == h->instr &&
                             count_reads(p, &p->instrs[h->instr], from) == 1);
    h->moves = whole && stays && last && (argument || p->buffers[from].home == HOME_LATE) &&
               p->buffers[to].home == HOME_LATE &&
               !is_in_list(p, region->yields, region->yield_count, from);
    h->carried = h->moves && argument;
  }
}

static pir_status build_block(plan_builder *b, const pir_op *op, const pir_block *block,
                              plan_region *region) {
  const pir_op *inner = pir_block_first(block);
  build_args(b, block, region);
  for (; !pir_op_has(inner, PIR_TERMINATOR); inner = pir_op_next(inner))
    PIR_TRY(pir_plan_op(b, inner));
  PIR_TRY(build_yields(b, inner, region));
  pir_plan_lifetimes(b);
  note_moves(b->p, region);
  pir_plan_symbols(b);
  return PIR_OK;
}

// Captures become operands, collected in `ins`.
static pir_status build_region(plan_builder *outer, const pir_op *op, size_t r, uint32_t **ins,
                               uint32_t *in_count, uint32_t *in_capacity, plan_region *region) {
  if (outer->depth >= PLAN_DEEPEST)
    return pir_plan_unsupported(op, "too deep nesting");
  plan *p = region->plan = pir_arena_zalloc(&outer->p->memory, sizeof *p);
  pir_arena_init(&p->memory, outer->p->memory.heap);
  plan_builder b = {.p = p,
                    .parent = outer,
                    .block = pir_region_first(pir_op_region(op, r)),
                    .depth = outer->depth + 1,
                    .program = outer->program,
                    .facts = outer->facts,
                    .compiler = outer->compiler,
                    .codes = outer->codes,
                    .groups_seen = outer->groups_seen};
  pir_arena_init(&b.scratch, outer->scratch.heap);
  pir_status status = build_block(&b, op, b.block, region);
  outer->groups_seen = b.groups_seen;
  if (p->scratch_bytes > outer->p->scratch_bytes)
    outer->p->scratch_bytes = p->scratch_bytes;
  region->import_count = b.import_count / 2;
  region->imports =
      pir_arena_copy(&p->memory, b.imports, b.import_count * sizeof *region->imports);
  region->first_in = *in_count;
  region->capture_count = b.capture_count;
  region->captures = pir_arena_zalloc(&p->memory, b.capture_count * sizeof *region->captures);
  for (uint32_t i = 0; !status && i < b.capture_count; i++) {
    *ARRAY_PUSH(&outer->scratch, *ins, *in_count, *in_capacity) = b.captures[i].outer;
    region->captures[i] = b.captures[i].inner;
  }
  pir_arena_destroy(&b.scratch);
  return status;
}

static pir_status check_counts(const pir_op *op, const plan_control *control, bool loops) {
  size_t results = pir_op_results(op);
  for (int r = 0; r < (loops ? 1 : 2); r++) {
    const plan_region *region = &control->regions[r];
    if (region->yield_count != results + loops || region->arg_count != (loops ? results : 0))
      return pir_error(
          op, "has a region with %d arguments that hands out %d values, for %zu results",
          (int)region->arg_count, (int)region->yield_count, results);
  }
  return !loops || pir_op_operands(op) == results + 1
             ? PIR_OK
             : pir_error(op, "has as many results as loop variables");
}

// ---- instructions

static uint32_t add_words(plan_builder *b, const uint32_t *words, uint32_t count) {
  uint32_t first = b->p->word_count;
  for (uint32_t i = 0; i < count; i++)
    pir_plan_word(b, words[i]);
  return first;
}

// Adds slots for the results from `first` on; they take shapes and memory from the yielded
// values. The members of a list lie on a stack one by one.
static pir_status build_results(plan_builder *b, const pir_op *op, uint32_t first,
                                plan_instr *instr) {
  uint32_t *outs = NULL, capacity = 0;
  for (size_t i = first; i < pir_op_results(op); i++) {
    struct slot_list list = pir_plan_results(b, pir_op_result(op, i), true);
    if (list.count != 1 && instr->kind != PLAN_STACK_POP)
      return pir_plan_unsupported(op, "a result that is not one tensor");
    pir_plan_make_late(b->p, list);
    for (uint32_t k = 0; k < list.count; k++) {
      uint32_t *out = ARRAY_PUSH(&b->scratch, outs, instr->out_count, capacity);
      *out = b->p->words[list.first + k];
    }
  }
  instr->out = add_words(b, outs, instr->out_count);
  return PIR_OK;
}

static uint32_t joined_how(const pir_op *op) {
  int64_t axis = 0, stack = 0;
  (void)pir_attr_as_int(pir_op_attr_str(op, "axis"), &axis);
  (void)pir_attr_as_int(pir_op_attr_str(op, "use_stack"), &stack);
  return (uint32_t)(2 * axis + (stack != 0));
}

static uint32_t filled_with(const pir_op *op) {
  double number = 0;
  (void)pir_attr_as_float(pir_op_attr_str(op, "val"), &number);
  float narrow = (float)number;
  uint32_t bits;
  memcpy(&bits, &narrow, sizeof bits);
  return bits;
}

static uint32_t popped_at(const pir_op *op) {
  int64_t index = -1;
  (void)pir_attr_as_int(pir_op_attr_str(op, "index"), &index);
  return (uint32_t)(int32_t)index;
}

pir_status pir_plan_control(plan_builder *b, const pir_op *op) {
  plan *p = b->p;
  plan_instr instr = {.kind = (uint8_t)control_kind(op), .label = pir_op_meaning(op)->name};
  uint32_t *ins = NULL, count = 0, capacity = 0;
  for (size_t i = 0; i < pir_op_operands(op); i++) {
    struct slot_list list = pir_plan_slots_of(b, pir_op_operand(op, i));
    if (list.count != 1 && instr.kind != PLAN_ARRAY_ADD && instr.kind != PLAN_STACK_PUSH)
      return pir_plan_unsupported(op, "an operand that is not one tensor");
    for (uint32_t k = 0; k < list.count; k++) {
      uint32_t *in = ARRAY_PUSH(&b->scratch, ins, count, capacity);
      *in = b->p->words[list.first + k];
    }
  }
  bool loops = instr.kind == PLAN_WHILE;
  if (loops || instr.kind == PLAN_IF) {
    plan_control *control =
        ARRAY_PUSH(&p->memory, p->controls, p->control_count, p->control_capacity);
    instr.detail = p->control_count - 1;
    *control = (plan_control){0};
    for (size_t r = 0; r < (loops ? 1 : 2); r++)
      PIR_TRY(build_region(b, op, r, &ins, &count, &capacity, &control->regions[r]));
    PIR_TRY(check_counts(op, control, loops));
  }
  if (instr.kind == PLAN_ARRAY_JOIN || instr.kind == PLAN_ARRAY_PART)
    instr.detail = joined_how(op);
  if (instr.kind == PLAN_ARRAY_LIKE)
    instr.detail = filled_with(op);
  for (uint32_t i = 0; i < count; i++)
    ins[i] = pir_plan_place(b, op, ins[i], false);
  instr.in = add_words(b, ins, count);
  instr.in_count = count;
  if (instr.kind == PLAN_ARRAY_POP)
    instr.detail = popped_at(op);
  bool changes = instr.kind == PLAN_ARRAY_WRITE ||
                 instr.kind == PLAN_ARRAY_POP;  // result 0 is the array again
  if (changes)
    pir_plan_bind_slot(b, pir_op_result(op, 0), ins[0]);
  if (instr.kind != PLAN_ARRAY_WRITE)
    PIR_TRY(build_results(b, op, changes, &instr));
  pir_plan_instr(b, instr);
  return PIR_OK;
}
