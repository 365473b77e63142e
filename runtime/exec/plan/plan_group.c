// Plans compiled groups. A group that cannot run the way it was compiled falls back: its ops
// are called one by one, and its results are copied to the places where other groups were
// compiled to read them. So no group can prevent a program from running. A reader checks that
// each tensor has the layout that its code expects, and otherwise falls back itself.
#include "plan_build.h"
#include <string.h>

// A group while it is planned.
typedef struct draft {
  const pir_op *op;
  const pir_compiled_group *code;
  plan_group group;
  uint32_t *in, *out;         // slots by operand and result
  uint32_t sizes;             // plan->words: of temporaries
  int64_t refuse_at, places;  // for tests: the place that refuses (0: none), and those passed
  const char *why;            // it cannot be run as it was compiled
} draft;

static void refuse(draft *d, const char *why) {
  if (!d->why)
    d->why = why;
}

// Counts a place that can refuse; refuses there if a test wants it.
static void count_place(draft *d) {
  if (++d->places == d->refuse_at)
    refuse(d, "the option refuse of the pass");
}

// ---- extents

// Whether the next instruction may use the extent.
static bool is_known(const plan_builder *b, uint32_t extent) {
  return extent != NONE && b->p->exprs[extent].level <= b->p->instr_count;
}

static uint32_t extents_of(plan_builder *b, draft *d, const pir_dim *dims, size_t stride,
                           size_t count) {
  uint32_t *numbers = pir_arena_zalloc(&b->scratch, count * sizeof *numbers);
  for (size_t i = 0; i < count; i++) {
    numbers[i] = pir_plan_group_extent(b, *(const pir_dim *)((const char *)dims + i * stride));
    if (!is_known(b, numbers[i]))
      refuse(d, "an extent is not known before it runs");
  }
  uint32_t first = b->p->word_count;
  for (size_t i = 0; i < count; i++)
    pir_plan_word(b, numbers[i]);
  return first;
}

// Requires the result extents of each op of the group first, so that a mismatch is reported
// with the op's name.
static void ask_by_op(plan_builder *b, const pir_op *group) {
  const char *before = b->asking;
  const pir_op *outer = b->at;
  for (const pir_op *op = pir_block_first(pir_region_first(pir_op_region(group, 0))); op;
       op = pir_op_next(op)) {
    b->asking = pir_op_meaning(op)->name;
    b->at = op;
    for (size_t i = 0; i < pir_op_results(op); i++) {
      const pir_fact *fact = pir_facts_of(b->facts, pir_op_result(op, i));
      for (int d = 0; fact->known && d < fact->rank; d++)
        (void)pir_plan_group_extent(b, fact->shape[d]);
    }
  }
  b->asking = before;
  b->at = outer;
}

// The four expressions of each bound, one after the other.
static uint32_t bounds_of(plan_builder *b, draft *d) {
  const pir_compiled_group *code = d->code;
  pir_dim *dims = pir_arena_zalloc(&b->scratch, 4 * code->bound_count * sizeof *dims);
  for (size_t i = 0; i < code->bound_count; i++) {
    const pir_group_bound *bound = &code->bounds[i];
    dims[4 * i] = bound->least;
    dims[4 * i + 1] = bound->most;
    dims[4 * i + 2] = bound->extent;
    dims[4 * i + 3] = bound->points;
  }
  return extents_of(b, d, dims, sizeof *dims, 4 * code->bound_count);
}

static void add_extents(plan_builder *b, draft *d) {
  const pir_compiled_group *code = d->code;
  ask_by_op(b, d->op);
  d->group.units = extents_of(b, d, code->stage_count ? &code->stages->units : NULL,
                              sizeof *code->stages, code->stage_count);
  d->group.dims = extents_of(b, d, code->dims, sizeof *code->dims, code->dim_count);
  d->group.equal = extents_of(b, d, code->equal, sizeof *code->equal, 2 * code->equal_count);
  d->group.bounds = bounds_of(b, d);
  d->sizes = extents_of(b, d, code->temporary_count ? &code->temporaries->bytes : NULL,
                        sizeof *code->temporaries, code->temporary_count);
}

// ---- operands

// Whether the tensor has the memory order that the code expects of operand `i`.
static bool lies_as_compiled(const plan_builder *b, const pir_op *op, size_t i, uint32_t slot) {
  const plan *p = b->p;
  const plan_slot *s = &p->slots[slot];
  uint8_t order[PIR_MAX_RANK];
  pir_group_place place;
  uint32_t home;
  size_t rank = pir_group_order(op, false, i, order);
  if (s->rank < 0 || (rank && rank != (size_t)s->rank))
    return false;
  for (int d = 0; d < s->rank; d++)
    if (s->order[d] != (rank ? order[d] : d))
      return false;
  if (!pir_group_place_of(op, false, i, &place))
    return s->axis < 0;
  if (!pir_word_map_find(&b->homes, (uint64_t)place.home, &home) ||
      s->buffer != p->slots[home].buffer)
    return false;
  if (s->axis >= 0)
    return s->axis == place.axis && s->offset == place.offset && s->room == place.room;
  if (place.axis >= s->rank || place.offset)
    return false;
  const plan_expr *extent = &p->exprs[p->words[s->shape + (uint32_t)place.axis]];
  return extent->kind == PIR_DIM_CONST && extent->value == place.room;
}

// Returns the program's slot of a tensor that regions captured one after the other, and NONE if
// a region made it.
static uint32_t program_slot(const plan_builder *b, uint32_t slot) {
  for (; b->parent && slot != NONE; b = b->parent) {
    uint32_t i = 0;
    while (i < b->capture_count && b->captures[i].inner != slot)
      i++;
    slot = i < b->capture_count ? b->captures[i].outer : NONE;
  }
  return slot;
}

// Lists of tensors have no buffer; code may only depend on their facts.
static void add_operands(plan_builder *b, draft *d) {
  size_t count = pir_op_operands(d->op);
  d->in = pir_arena_zalloc(&b->scratch, count * sizeof *d->in);
  for (size_t i = 0; i < count; i++) {
    d->in[i] = pir_plan_slot_of(b, pir_op_operand(d->op, i));
    if (!d->code->reads[i])
      continue;
    if (d->in[i] == NONE)
      refuse(d, "an operand that it reads is a list of tensors");
    else if (!lies_as_compiled(b, d->op, i, d->in[i]))
      refuse(d, "an operand lies elsewhere than its code expects");
  }
  for (size_t k = 0; k < d->code->packing_count && !d->why; k++)
    if (program_slot(b, d->in[d->code->packings[k].operand]) == NONE)
      refuse(d, "an operand that it packs is no constant of the program");
}

static void place_operands(plan_builder *b, draft *d, bool device) {
  const pir_compiled_group *code = d->code;
  for (size_t k = 0; k < code->device_packing_count; k++) {
    const pir_device_packing *packing = &code->device_packings[k];
    d->in[packing->operand] = pir_plan_pack(b, d->in[packing->operand], packing);
  }
  for (size_t i = 0; i < pir_op_operands(d->op); i++)
    if (code->reads[i])
      d->in[i] = pir_plan_place(b, d->op, d->in[i], device);
}

// ---- results

static bool runs_on_device(const pir_compiled_group *code) {
  return code->stage_count && code->stages->kernel;
}

// Sets the memory order that other groups expect of the result.
static bool take_order(plan *p, const pir_op *op, size_t i, uint32_t slot) {
  uint8_t order[PIR_MAX_RANK];
  size_t rank = pir_group_order(op, true, i, order);
  if (!rank)
    return true;
  if (p->slots[slot].rank != (int)rank)
    return false;
  memcpy(p->slots[slot].order, order, rank);
  return true;
}

// Whether both lie in one larger tensor: they differ at most along the axis of the parts.
static bool has_same_room(const plan *p, const plan_slot *s, const plan_slot *first,
                          const pir_group_place *place) {
  if (s->rank != first->rank || s->dtype != first->dtype ||
      memcmp(s->order, first->order, (size_t)s->rank))
    return false;
  int64_t extent = p->exprs[p->words[first->shape + (uint32_t)place->axis]].value;
  int64_t room = first->axis == place->axis ? first->room : extent;
  if (room != place->room || (first->axis >= 0 && first->axis != place->axis))
    return false;
  for (uint32_t d = 0; d < (uint32_t)s->rank; d++)
    if (d != (uint32_t)place->axis && p->words[s->shape + d] != p->words[first->shape + d])
      return false;
  return true;
}

// Places a result inside its larger tensor's memory; the first part written allocates it.
static bool take_place(plan_builder *b, const pir_op *op, size_t i, uint32_t slot) {
  plan *p = b->p;
  pir_group_place place;
  uint32_t home;
  if (!pir_group_place_of(op, true, i, &place))
    return true;
  plan_slot *s = &p->slots[slot];
  if (s->late || place.axis >= s->rank ||
      p->exprs[p->words[s->shape + place.axis]].kind != PIR_DIM_CONST)
    return false;
  int64_t extent = p->exprs[p->words[s->shape + place.axis]].value;
  if (place.offset > place.room - extent)
    return false;
  bool found = pir_word_map_find(&b->homes, (uint64_t)place.home, &home);
  if (found && !has_same_room(p, s, &p->slots[home], &place))
    return false;
  if (extent != place.room) {
    s->axis = (int8_t)place.axis;
    s->offset = place.offset;
    s->room = place.room;
  }
  if (found) {
    s->buffer = p->slots[home].buffer;
  } else {
    p->buffers[s->buffer].bytes = pir_plan_bytes(b, slot);
    pir_word_map_set(&b->scratch, &b->homes, (uint64_t)place.home, slot);
  }
  return true;
}

// In a region a slot has no expressions before a group needs them.
static void state_extents(plan_builder *b, const pir_fact *fact, uint32_t slot) {
  plan *p = b->p;
  for (int d = 0; b->parent && d < p->slots[slot].rank; d++) {
    uint32_t extent = pir_plan_group_extent(b, fact->shape[d]);
    p->words[p->slots[slot].shape + (uint32_t)d] = extent;
  }
}

static bool has_known_extents(const plan_builder *b, uint32_t slot) {
  const plan_slot *s = &b->p->slots[slot];
  for (int d = 0; d < s->rank; d++)
    if (!is_known(b, b->p->words[s->shape + d]))
      return false;
  return s->rank >= 0;
}

// Temporaries are on the side where the group runs.
static void add_results(plan_builder *b, draft *d, bool device) {
  plan *p = b->p;
  size_t count = pir_op_results(d->op);
  d->out = pir_arena_zalloc(&b->scratch, count * sizeof *d->out);
  for (size_t i = 0; i < count; i++) {
    struct slot_list list = pir_plan_results(b, pir_op_result(d->op, i), true);
    count_place(d);
    uint32_t slot = d->out[i] = list.count == 1 ? p->words[list.first] : NONE;
    if (slot == NONE) {
      refuse(d, "a result is no tensor");
      continue;
    }
    p->buffers[p->slots[slot].buffer].device = device;
    state_extents(b, pir_facts_of(b->facts, pir_op_result(d->op, i)), slot);
    if (!has_known_extents(b, slot))
      refuse(d, "the extents of a result are not known before it runs");
    else if (!take_order(p, d->op, i, slot) || !take_place(b, d->op, i, slot))
      refuse(d, "a result cannot lie where other groups expect it");
  }
}

// ---- temporaries, packings and extents

// Temporaries live in the arena during the instruction. Returns whether the size of one is
// known only at run time; a region has no arena.
static bool add_temporaries(plan_builder *b, plan_group *group, uint32_t sizes) {
  plan *p = b->p;
  bool any_late = false;
  group->temporaries = p->buffer_count;
  for (size_t i = 0; i < group->code->temporary_count; i++) {
    uint32_t bytes = p->words[sizes + i];
    bool late = b->parent || p->exprs[bytes].level > 0;
    any_late |= late;
    uint32_t buffer = pir_plan_buffer(b, late ? HOME_LATE : HOME_ARENA, NONE, bytes);
    p->buffers[buffer].first = p->buffers[buffer].last = p->instr_count;
    p->buffers[buffer].device = runs_on_device(group->code);
  }
  return any_late;
}

// Groups that need the same packing of one constant share it. Packed constants belong to the
// plan of the whole program.
static uint32_t add_pack(plan_builder *b, uint32_t slot, const pir_packing *packing) {
  while (b->parent)
    b = b->parent;
  plan *p = b->p;
  for (uint32_t i = 0; i < p->pack_count; i++) {
    const plan_pack *pack = &p->packs[i];
    if (p->slots[pack->slot].buffer == p->slots[slot].buffer &&
        pack->packing->fn == packing->fn && pack->packing->bytes == packing->bytes &&
        pack->packing->units == packing->units)
      return i;
  }
  plan_pack *to = ARRAY_PUSH(&p->memory, p->packs, p->pack_count, p->pack_capacity);
  *to = (plan_pack){slot, packing};
  return p->pack_count - 1;
}

static uint32_t add_packs(plan_builder *b, const draft *d) {
  uint32_t first = b->p->word_count;
  for (size_t i = 0; i < pir_op_operands(d->op); i++) {
    uint32_t pack = NONE;
    for (size_t k = 0; k < d->code->packing_count; k++)
      if (d->code->packings[k].operand == i)
        pack = add_pack(b, program_slot(b, d->in[i]), &d->code->packings[k]);
    pir_plan_word(b, pack);
  }
  return first;
}

// Joins the names of the group's ops by +, truncated if long.
static const char *group_label(plan_builder *b, const pir_op *op) {
  char text[160];
  size_t used = 0;
  const pir_block *block = pir_region_first(pir_op_region(op, 0));
  for (const pir_op *inner = pir_block_first(block); inner; inner = pir_op_next(inner)) {
    pir_str name = pir_op_name(inner);
    if (!pir_op_results(inner) || pir_op_has(inner, PIR_CONSTANT) ||
        used + name.size + 1 >= sizeof text)
      continue;
    if (used)
      text[used++] = '+';
    memcpy(text + used, name.data, name.size);
    used += name.size;
  }
  return pir_arena_text(&b->p->memory, (pir_str){text, used}).data;
}

static uint32_t add_operand_words(plan_builder *b, const uint32_t *slots, size_t count) {
  uint32_t first = b->p->word_count;
  for (size_t i = 0; i < count; i++)
    pir_plan_word(b, slots[i]);
  return first;
}

static void note_needs(plan *p, const draft *d) {
  const pir_compiled_group *code = d->code;
  for (size_t i = 0; i < code->stage_count; i++)
    if (code->stages[i].scratch_bytes > p->scratch_bytes)
      p->scratch_bytes = code->stages[i].scratch_bytes;
  uint32_t buffers =
      (uint32_t)(pir_op_operands(d->op) + pir_op_results(d->op) + code->temporary_count);
  if (buffers > p->most_buffers)
    p->most_buffers = buffers;
  if (code->dim_count > p->most_dims)
    p->most_dims = (uint32_t)code->dim_count;
}

static pir_status add_group(plan_builder *b, draft *d) {
  plan *p = b->p;
  d->group.packs = add_packs(b, d);
  bool late = add_temporaries(b, &d->group, d->sizes);
  d->group.kernels = p->kernel_count;
  if (runs_on_device(d->code))
    p->kernel_count += (uint32_t)d->code->stage_count;
  note_needs(p, d);
  plan_group *to = ARRAY_PUSH(&p->memory, p->groups, p->group_count, p->group_capacity);
  *to = d->group;
  plan_instr instr = {.kind = PLAN_GROUP,
                      .label = group_label(b, d->op),
                      .late = late,
                      .detail = p->group_count - 1};
  instr.in_count = (uint32_t)pir_op_operands(d->op);
  instr.in = add_operand_words(b, d->in, instr.in_count);
  instr.out_count = (uint32_t)pir_op_results(d->op);
  instr.out = add_operand_words(b, d->out, instr.out_count);
  pir_plan_instr(b, instr);
  return PIR_OK;
}

// ---- groups that fall back

// Copies the tensor to the place where other groups expect it; NONE if that is impossible.
static uint32_t copy_result(plan_builder *b, const pir_op *group, size_t i, uint32_t from) {
  plan *p = b->p;
  from = pir_plan_place(b, group, from, false);
  uint32_t to = pir_plan_result(b, pir_facts_of(b->facts, pir_op_result(group, i)));
  if (p->slots[to].late || !take_order(p, group, i, to) || !take_place(b, group, i, to))
    return NONE;
  pir_plan_copy(b, from, to);
  return to;
}

static void hand_out_result(plan_builder *b, const pir_op *group, size_t i,
                            const pir_value *value) {
  struct slot_list list = pir_plan_slots_of(b, value);
  uint8_t order[PIR_MAX_RANK];
  pir_group_place place;
  uint32_t from = list.count == 1 ? b->p->words[list.first] : NONE, to = NONE;
  bool expected =
      pir_group_order(group, true, i, order) || pir_group_place_of(group, true, i, &place);
  if (expected && from != NONE && !b->p->slots[from].late)
    to = copy_result(b, group, i, from);
  if (to != NONE)
    pir_plan_bind_slot(b, pir_op_result(group, i), to);
  else
    pir_plan_bind(b, pir_op_result(group, i), list);
}

static pir_status call_ops(plan_builder *b, const pir_op *group, const char *why) {
  const pir_block *body = pir_region_first(pir_op_region(group, 0));
  const pir_op *end = pir_block_last(body);
  pir_remark(group, "is not run as a group, its ops are called: %s", why);
  for (const pir_op *op = pir_block_first(body); op != end; op = pir_op_next(op))
    PIR_TRY(pir_plan_op(b, op));
  for (size_t i = 0; i < pir_op_results(group); i++)
    hand_out_result(b, group, i, pir_op_operand(end, i));
  return PIR_OK;
}

pir_status pir_plan_group(plan_builder *b, const pir_op *op) {
  size_t number = b->codes[b->groups_seen++];
  const pir_compiled_group *code = pir_compiler_group(b->compiler, number);
  if (!code)
    return call_ops(b, op, "it has no code");
  draft d = {.op = op, .code = code, .group = {.code = code, .number = (uint32_t)number}};
  d.refuse_at = pir_group_refused_by(op, "plan");
  count_place(&d);
  add_extents(b, &d);
  count_place(&d);
  add_operands(b, &d);
  count_place(&d);
  if (d.why)
    return call_ops(b, op, d.why);
  place_operands(b, &d, runs_on_device(code));
  add_results(b, &d, runs_on_device(code));
  return d.why ? call_ops(b, op, d.why) : add_group(b, &d);
}
