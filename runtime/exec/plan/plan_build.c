// Builds a plan in one walk over the lowered program. Every tensor value gets a slot, every vec
// value a list of slots. Parameters, feeds, fetches and the ops that make vecs become no
// instruction. A region gets its own plan (plan_control.c), whose values are all late. O(ops +
// operands).
#include "plan_build.h"
#include <pir/compiler/dialect/cinn.h>
#include <pir/layer/origin.h>
#include <string.h>

pir_status pir_plan_unsupported(const pir_op *op, const char *what) {
  return pir_report_op(op, PIR_UNSUPPORTED, PIR_ERROR, "unsupported: %s of \"%s\"", what,
                       pir_op_meaning(op)->name);
}

const char *pir_plan_place_now(plan_builder *b) {
  char text[200] = "";
  if (b->at)
    pir_op_place_text(b->at, text, sizeof text);
  return *text ? pir_arena_text(&b->p->memory, pir_str_from(text)).data : "";
}

uint32_t pir_plan_word(plan_builder *b, uint32_t value) {
  plan *p = b->p;
  uint32_t *word = ARRAY_PUSH(&p->memory, p->words, p->word_count, p->word_capacity);
  *word = value;
  return p->word_count - 1;
}

// Gives a captured tensor the memory order of the enclosing plan. Its extents come with the
// tensor when the region is entered.
static void capture_layout(plan_builder *b, const plan_slot *from, uint32_t slot) {
  plan *p = b->p;
  plan_slot *to = &p->slots[slot];
  if (from->rank < 0)
    return;
  to->rank = from->rank;
  to->axis = from->axis;
  to->offset = from->offset;
  to->room = from->room;
  memcpy(to->order, from->order, sizeof to->order);
  to->shape = p->word_count;
  for (int d = 0; d < from->rank; d++)
    pir_plan_word(b, NONE);
}

static uint32_t capture_slot(plan_builder *b, uint32_t outer) {
  const plan_slot *from = &b->parent->p->slots[outer];
  pir_fact fact = {.known = true, .dtype = from->dtype, .rank = -1};
  uint32_t inner = pir_plan_slot(b, &fact, NONE);
  capture_layout(b, from, inner);
  capture *to = ARRAY_PUSH(&b->scratch, b->captures, b->capture_count, b->capture_capacity);
  *to = (capture){outer, inner};
  b->p->slots[inner].buffer = pir_plan_buffer(b, HOME_INPUT, NONE, NONE);
  return inner;
}

// Recurses outwards from region to region, at most PLAN_DEEPEST of them.
static struct slot_list capture_value(plan_builder *b, const pir_value *value) {
  struct slot_list outer = pir_plan_slots_of(b->parent, value);
  if (!outer.count)
    return outer;
  uint32_t *slots = pir_arena_zalloc(&b->scratch, outer.count * sizeof *slots);
  for (uint32_t i = 0; i < outer.count; i++)
    slots[i] = capture_slot(b, b->parent->p->words[outer.first + i]);
  struct slot_list list = {b->p->word_count, outer.count};
  for (uint32_t i = 0; i < outer.count; i++)
    pir_plan_word(b, slots[i]);
  pir_plan_bind(b, value, list);
  return list;
}

struct slot_list pir_plan_slots_of(plan_builder *b, const pir_value *value) {
  uint32_t number;
  if (value && pir_word_map_find(&b->values, (uintptr_t)value, &number))
    return b->lists[number];
  return value && b->parent ? capture_value(b, value) : (struct slot_list){0};
}

uint32_t pir_plan_slot_of(plan_builder *b, const pir_value *value) {
  struct slot_list list = pir_plan_slots_of(b, value);
  return list.count == 1 ? b->p->words[list.first] : NONE;
}

void pir_plan_bind(plan_builder *b, const pir_value *value, struct slot_list list) {
  struct slot_list *to = ARRAY_PUSH(&b->scratch, b->lists, b->list_count, b->list_capacity);
  *to = list;
  pir_word_map_set(&b->scratch, &b->values, (uintptr_t)value, b->list_count - 1);
}

void pir_plan_bind_slot(plan_builder *b, const pir_value *value, uint32_t slot) {
  pir_plan_bind(b, value, (struct slot_list){pir_plan_word(b, slot), 1});
}

uint32_t pir_plan_buffer(plan_builder *b, plan_home home, uint32_t index, uint32_t bytes) {
  plan *p = b->p;
  plan_buffer *buffer = ARRAY_PUSH(&p->memory, p->buffers, p->buffer_count, p->buffer_capacity);
  *buffer = (plan_buffer){.home = home, .index = index, .bytes = bytes, .first = NONE};
  return p->buffer_count - 1;
}

uint32_t pir_plan_bytes(plan_builder *b, uint32_t slot) {
  plan_slot s = b->p->slots[slot];
  uint32_t bytes = pir_plan_extent_const(b, (int64_t)pir_dtype_size(s.dtype));
  for (int i = 0; i < s.rank; i++) {
    uint32_t extent = i == s.axis ? pir_plan_extent_const(b, s.room) : b->p->words[s.shape + i];
    bytes = pir_plan_extent_binary(b, PIR_DIM_MUL, bytes, extent);
  }
  return bytes;
}

uint32_t pir_plan_slot(plan_builder *b, const pir_fact *fact, uint32_t def) {
  plan *p = b->p;
  plan_slot slot = {.dtype = fact->known ? fact->dtype : PIR_UNDEFINED,
                    .rank = -1,
                    .axis = -1,
                    .buffer = NONE,
                    .view_of = NONE};
  slot.late = !pir_fact_has_rank(fact) || slot.dtype == PIR_UNDEFINED;
  if (!slot.late)
    slot.rank = (int8_t)fact->rank;
  uint32_t extents[PIR_MAX_RANK];
  for (int i = 0; i < slot.rank; i++) {
    extents[i] = pir_plan_extent(b, fact->shape[i]);
    slot.order[i] = (uint8_t)i;
    if (extents[i] == NONE || p->exprs[extents[i]].level > 0)
      slot.late = true;
  }
  slot.shape = p->word_count;
  for (int i = 0; i < slot.rank; i++)
    pir_plan_word(b, extents[i]);
  plan_slot *to = ARRAY_PUSH(&p->memory, p->slots, p->slot_count, p->slot_capacity);
  uint32_t *to_def = ARRAY_PUSH(&b->scratch, b->defs, b->def_count, b->def_capacity);
  *to = slot;
  *to_def = def;
  return p->slot_count - 1;
}

uint32_t pir_plan_result(plan_builder *b, const pir_fact *fact) {
  uint32_t slot = pir_plan_slot(b, fact, b->p->instr_count);
  bool late = b->p->slots[slot].late |= b->parent != NULL;
  uint32_t bytes = late ? NONE : pir_plan_bytes(b, slot);
  b->p->slots[slot].buffer = pir_plan_buffer(b, late ? HOME_LATE : HOME_ARENA, NONE, bytes);
  return slot;
}

static void remark_transfer(const plan_builder *b, const pir_op *reader, uint32_t slot,
                            bool device) {
  uint8_t home = b->p->buffers[b->p->slots[slot].buffer].home;
  if (device && home != HOME_INPUT && home != HOME_CONST)
    pir_remark(reader, "reads what the host computes: it is copied to the device");
  if (!device && !(pir_op_meaning(reader)->traits & PIR_OUTPUT))
    pir_remark(reader, "runs on the host: what it reads is copied from the device");
}

// Adds a transfer of the tensor to a slot that is like `as`.
static uint32_t add_transfer(plan_builder *b, uint32_t slot, plan_slot as, bool device,
                             bool packs) {
  plan *p = b->p;
  plan_slot *copy = ARRAY_PUSH(&p->memory, p->slots, p->slot_count, p->slot_capacity);
  uint32_t *def = ARRAY_PUSH(&b->scratch, b->defs, b->def_count, b->def_capacity);
  as.view_of = NONE;
  *copy = as;
  *def = p->instr_count;
  uint32_t to = p->slot_count - 1;
  bool late = copy->late;
  uint32_t bytes = late ? NONE : pir_plan_bytes(b, to);
  uint32_t buffer = pir_plan_buffer(b, late ? HOME_LATE : HOME_ARENA, NONE, bytes);
  p->slots[to].buffer = buffer;
  p->buffers[buffer].device = device;
  uint32_t in = pir_plan_word(b, slot), out = pir_plan_word(b, to);
  pir_plan_instr(b, (plan_instr){.kind = PLAN_TRANSFER,
                                 .label = device ? "memcpy_h2d" : "memcpy_d2h",
                                 .in = in,
                                 .in_count = 1,
                                 .out = out,
                                 .out_count = 1,
                                 .detail = packs});
  return to;
}

uint32_t pir_plan_place(plan_builder *b, const pir_op *reader, uint32_t slot, bool device) {
  const plan *p = b->p;
  uint32_t to;
  if (slot == NONE || p->buffers[p->slots[slot].buffer].device == device)
    return slot;
  if (pir_word_map_find(&b->moved, slot, &to))
    return to;
  remark_transfer(b, reader, slot, device);
  to = add_transfer(b, slot, p->slots[slot], device, false);
  pir_word_map_set(&b->scratch, &b->moved, slot, to);
  return to;
}

// The axes of a packed slot have extents of the parameter's slot.
static bool is_packed_so(const plan_slot *s, const pir_device_packing *packing) {
  return s->dtype == packing->dtype && s->room == packing->room &&
         !memcmp(s->order, packing->order, (size_t)s->rank);
}

uint32_t pir_plan_pack(plan_builder *b, uint32_t slot, const pir_device_packing *packing) {
  plan_slot as = b->p->slots[slot];
  uint32_t to;
  if (pir_word_map_find(&b->packed, slot, &to) && is_packed_so(&b->p->slots[to], packing))
    return to;
  as.dtype = packing->dtype;
  memcpy(as.order, packing->order, (size_t)as.rank);
  as.axis = (int8_t)as.order[as.rank - 1];
  as.room = packing->room;
  to = add_transfer(b, slot, as, true, true);
  pir_word_map_set(&b->scratch, &b->packed, slot, to);
  return to;
}

bool pir_plan_row_major(const plan_slot *slot) {
  if (slot->axis >= 0)
    return false;
  for (int i = 0; i < slot->rank; i++)
    if (slot->order[i] != i)
      return false;
  return true;
}

bool pir_plan_same_shape(const plan *p, uint32_t x, uint32_t y) {
  const plan_slot *a = &p->slots[x], *b = &p->slots[y];
  if (a->late || b->late || a->axis != b->axis || a->offset != b->offset || a->room != b->room)
    return false;
  if (a->rank != b->rank || memcmp(a->order, b->order, (size_t)a->rank))
    return false;
  for (int i = 0; i < a->rank; i++)
    if (p->words[a->shape + i] != p->words[b->shape + i])
      return false;
  return true;
}

uint32_t pir_plan_instr(plan_builder *b, plan_instr instr) {
  plan *p = b->p;
  for (uint32_t i = 0; i < instr.out_count; i++) {
    uint32_t slot = p->words[instr.out + i];
    instr.late |= slot != NONE && p->slots[slot].late;
  }
  plan_instr *to = ARRAY_PUSH(&p->memory, p->instrs, p->instr_count, p->instr_capacity);
  *to = instr;
  to->work = NONE;
  to->place = pir_plan_place_now(b);
  uint32_t slots = instr.in_count + instr.out_count;
  if (slots > p->most_slots)
    p->most_slots = slots;
  return p->instr_count - 1;
}

void pir_plan_copy(plan_builder *b, uint32_t from, uint32_t to) {
  uint32_t in = pir_plan_word(b, from), out = pir_plan_word(b, to);
  pir_plan_instr(b, (plan_instr){.kind = PLAN_COPY,
                                 .label = "copy",
                                 .in = in,
                                 .in_count = 1,
                                 .out = out,
                                 .out_count = 1});
}

// Binds a list to the slots of its members.
static pir_status build_list(plan_builder *b, const pir_op *op) {
  size_t operands = pir_op_operands(op);
  // What a region captures adds words of its own: first of all, those.
  uint32_t *slots = pir_arena_zalloc(&b->scratch, operands * sizeof *slots);
  for (size_t i = 0; i < operands; i++) {
    slots[i] = pir_plan_slot_of(b, pir_op_operand(op, i));
    if (slots[i] == NONE)
      return pir_report_op(op, PIR_UNSUPPORTED, PIR_ERROR,
                           "unsupported: \"%s\" of other values than tensors in the plan",
                           pir_op_def(op)->name);
  }
  struct slot_list all = {b->p->word_count, (uint32_t)operands};
  for (size_t i = 0; i < operands; i++)
    pir_plan_word(b, slots[i]);
  pir_plan_bind(b, pir_op_result(op, 0), all);
  return PIR_OK;
}

// builtin.combine builds a list of slots; split and slice take one apart.
static pir_status build_structural(plan_builder *b, const pir_op *op) {
  size_t results = pir_op_results(op);
  if (results == 1 &&
      (pir_type_kind_of(pir_value_type(pir_op_result(op, 0))) == PIR_TYPE_VECTOR ||
       pir_facts_of(b->facts, pir_op_result(op, 0))->members))
    return build_list(b, op);
  struct slot_list list = pir_plan_slots_of(b, pir_op_operand(op, 0));
  int64_t index = 0;
  bool sliced = pir_attr_as_int(pir_op_attr_str(op, "index"), &index);
  bool fits = sliced ? (uint64_t)index < list.count : results == list.count;
  for (size_t i = 0; fits && i < results; i++)
    pir_plan_bind(b, pir_op_result(op, i),
                  (struct slot_list){list.first + (uint32_t)(sliced ? index : (int64_t)i), 1});
  if (fits)
    return PIR_OK;
  const pir_op *maker = pir_value_op(pir_op_operand(op, 0));
  return pir_error(op, "expects a list of %zu, found %u members%s%s", results, list.count,
                   maker ? " of " : "", maker ? pir_op_meaning(maker)->name : "");
}

static pir_status plan_op(plan_builder *b, const pir_op *op) {
  const pir_opdef *def = pir_op_meaning(op);
  if (pir_op_is(op, CINN_ONCE)) {
    struct slot_list list = pir_plan_slots_of(b, pir_op_operand(op, 0));
    b->p->buffers[b->p->slots[b->p->words[list.first]].buffer].kept = true;
    pir_plan_bind(b, pir_op_result(op, 0), list);
    return PIR_OK;
  }
  if (b->parent && def->traits & (PIR_PARAMETER | PIR_INPUT | PIR_OUTPUT))
    return pir_report_op(op, PIR_UNSUPPORTED, PIR_ERROR, "unsupported: \"%s\" in a region",
                         def->name);
  if (def->traits & PIR_PARAMETER)
    return pir_plan_parameter(b, b->program, op);
  if (def->traits & PIR_INPUT)
    return pir_plan_input(b, op);
  if (def->traits & PIR_OUTPUT)
    return pir_plan_output(b, op);
  if (def->traits & PIR_STRUCTURAL)
    return build_structural(b, op);
  if (pir_op_is(op, CINN_SCAN))
    return pir_plan_scan(b, op);
  if (pir_plan_is_control(op))
    return pir_plan_control(b, op);
  uint32_t before = b->p->instr_count;
  bool is_group = pir_op_is(op, CINN_GROUP);
  pir_status status = is_group ? pir_plan_group(b, op) : pir_plan_call(b, op);
  plan_instr *last =
      !status && b->p->instr_count > before ? &b->p->instrs[b->p->instr_count - 1] : NULL;
  if (last && (!is_group || last->kind == PLAN_GROUP))
    last->work = pir_plan_extent(b, pir_codegen_work(op, b->facts));
  return status;
}

// The name for messages: a user knows the last op of a group, not the group.
static const char *name_of(const pir_op *op) {
  const char *name = pir_op_meaning(op)->name;
  if (!pir_op_is(op, CINN_GROUP))
    return name;
  const pir_op *inner = pir_block_first(pir_region_first(pir_op_region(op, 0)));
  for (; inner && !pir_op_has(inner, PIR_TERMINATOR); inner = pir_op_next(inner))
    name = pir_op_meaning(inner)->name;
  return name;
}

pir_status pir_plan_op(plan_builder *b, const pir_op *op) {
  const char *before = b->asking;
  const pir_op *outer = b->at;
  b->asking = name_of(op);
  b->at = op;
  pir_status status = pir_plan_check_strings(b, op);
  if (!status)
    status = plan_op(b, op);
  b->asking = before;
  b->at = outer;
  return status;
}

pir_status pir_plan_build(const pir_program *program, const pir_facts *facts,
                          const pir_compiler *compiler, const size_t *codes, pir_heap *heap,
                          plan *out_plan) {
  *out_plan = (plan){0};
  plan_builder b = {.p = out_plan,
                    .program = program,
                    .facts = facts,
                    .compiler = compiler,
                    .codes = codes,
                    .block = pir_program_block(program)};
  const pir_block *block = b.block;
  pir_status status = PIR_OK;
  pir_arena_init(&out_plan->memory, heap);
  pir_arena_init(&b.scratch, pir_facts_heap(facts));
  pir_plan_number_ports(&b, block);
  for (const pir_op *op = pir_block_first(block); op && !status; op = pir_op_next(op)) {
    pir_context_note_place(pir_op_context(op), pir_op_loc(op));
    status = pir_plan_op(&b, op);
  }
  if (!status)
    status = pir_plan_name_dims(&b);
  if (!status) {
    pir_plan_lifetimes(&b);
    pir_plan_symbols(&b);
    pir_plan_find_segments(out_plan);
  }
  pir_arena_destroy(&b.scratch);
  return status;
}
