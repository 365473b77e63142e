// Instructions of a plan: calls of kernels and clauses, and compiled groups. An op that only
// renames a row-major tensor (reshape, flatten, assign) shares its memory and becomes no
// instruction.
#include "plan_build.h"
#include <string.h>

static pir_status unsupported(const pir_op *op, const char *what) {
  return pir_report(pir_op_context(op), PIR_UNSUPPORTED, PIR_ERROR, pir_op_loc(op),
                    "unsupported: %s of \"%s\"", what, pir_op_meaning(op)->name);
}

// ---- attributes: copied, so that the plan outlives the program

static void *from_plan(void *user, size_t size) {
  return pir_bump_get(user, size);
}

static const pir_attr_value *copy_attrs(plan_builder *b, const pir_op *op, size_t count) {
  bump *memory = &b->p->memory;
  pir_attr_value *values = pir_op_attr_values(op, from_plan, memory);
  for (size_t i = 0; values && i < count; i++) {
    pir_attr_value *v = &values[i];
    v->text = pir_bump_text(memory, v->text);
    v->ints = v->ints ? pir_bump_copy(memory, v->ints, v->count * sizeof *v->ints) : NULL;
    v->floats =
        v->floats ? pir_bump_copy(memory, v->floats, v->count * sizeof *v->floats) : NULL;
    if (!v->texts)
      continue;
    pir_str *texts = pir_bump_get(memory, v->count * sizeof *texts);
    for (size_t j = 0; texts && j < v->count; j++)
      texts[j] = pir_bump_text(memory, v->texts[j]);
    v->texts = texts;
  }
  return values;
}

// ---- renaming

// The operand whose elements the clause hands on in row-major order, or -1.
static int renamed_operand(const pir_clause *clause) {
  if (!clause || clause->next || clause->guard >= 0 || clause->trap >= 0 || clause->then >= 0)
    return -1;
  if (clause->kind != PIR_CLAUSE_VIEW && clause->kind != PIR_CLAUSE_POINTWISE)
    return -1;
  const pir_node *body = &clause->nodes[clause->body];
  if (body->op != PIR_V_LOAD || clause->var_count)
    return -1;
  bool linear =
      body->map_kind == PIR_MAP_LINEAR && clause->nodes[body->map].op == PIR_I_OUT_LINEAR;
  return linear || body->map_kind == PIR_MAP_ALIGNED ? body->k : -1;
}

static void check_equal(plan_builder *b, uint32_t x, uint32_t y, const char *op) {
  plan *p = b->p;
  if (x == y)
    return;
  plan_check *check = BUMP_PUSH(&p->memory, p->checks, p->check_count, p->check_capacity);
  if (check)
    *check = (plan_check){x, y, op};
}

static bool is_unit(const plan *p, const plan_slot *s, int d) {
  const plan_expr *extent = &p->exprs[p->words[s->shape + (uint32_t)d]];
  return extent->kind == PIR_DIM_CONST && extent->value == 1;
}

// Gives `to` the memory order of `from` where their axes differ by some of extent 1 alone.
static bool follow_order(const plan *p, const plan_slot *from, plan_slot *to) {
  int at[PIR_MAX_RANK], n = 0, next = 0;
  for (int d = 0; d < to->rank; d++)
    if (!is_unit(p, to, d))
      at[n++] = d;
  uint8_t order[PIR_MAX_RANK], place[PIR_MAX_RANK];
  int m = 0;
  for (int d = 0; d < from->rank; d++) {
    if (is_unit(p, from, d))
      continue;
    if (m == n || p->words[from->shape + (uint32_t)d] != p->words[to->shape + (uint32_t)at[m]])
      return false;
    place[d] = (uint8_t)at[m++];
  }
  for (int d = 0; d < to->rank; d++)
    if (is_unit(p, to, d))
      order[next++] = (uint8_t)d;
  for (int d = 0; d < from->rank; d++)
    if (!is_unit(p, from, from->order[d]))
      order[next++] = place[from->order[d]];
  if (m == n)
    memcpy(to->order, order, (size_t)to->rank);
  return m == n;
}

// Whether all who read the value are calls of clauses, which go by strides.
static bool is_read_by_strides(const pir_value *v) {
  PIR_EACH_USE(use, v) {
    const pir_op *user = pir_use_owner(use);
    const pir_opdef *def = pir_op_meaning(user);
    if (pir_op_regions(user) || !def->clause || def->kernel ||
        def->traits & (PIR_STRUCTURAL | PIR_TERMINATOR | PIR_INPUT | PIR_OUTPUT))
      return false;
  }
  return true;
}

// The same tensor, row-major.
static uint32_t straighten(plan_builder *b, const pir_value *value, uint32_t slot) {
  uint32_t to = pir_plan_result(b, pir_facts_of(b->facts, value));
  if (to == NONE || b->p->slots[to].late)
    return NONE;
  uint32_t in = pir_plan_word(b, slot), out = pir_plan_word(b, to);
  pir_plan_instr(b, (plan_instr){.kind = PLAN_COPY,
                                 .label = "copy",
                                 .in = in,
                                 .in_count = 1,
                                 .out = out,
                                 .out_count = 1});
  return to;
}

// Binds the result to the operand's memory; false when an instruction is needed. An operand in
// another memory order keeps it where only axes of extent 1 come and go and nobody minds, else
// it is copied first.
static bool rename(plan_builder *b, const pir_op *op, const pir_opdef *def) {
  plan *p = b->p;
  struct slot_list list;
  int k = renamed_operand(def->clause);
  if (k < 0 || pir_op_results(op) < 1 || !pir_value_type(pir_op_result(op, 0)))
    return false;
  for (size_t i = 1; i < pir_op_results(op); i++)
    if (!pir_value_unused(pir_op_result(op, i)))
      return false;
  const pir_value *from = pir_op_operand(op, (size_t)k), *to = pir_op_result(op, 0);
  if (!from || !pir_plan_slots_of(b, from, &list) || list.count != 1 ||
      p->words[list.first] == NONE)
    return false;
  uint32_t source = p->words[list.first];
  if (p->slots[source].late)
    return false;
  const pir_fact *fact = pir_facts_of(b->facts, to);
  if (!fact->known || fact->rank < 0 || fact->dtype != p->slots[source].dtype)
    return false;
  uint32_t slots = p->slot_count;
  uint32_t slot = pir_plan_slot(b, fact, b->defs[source]);
  if (slot == NONE)
    return false;
  bool aligned = def->clause->nodes[def->clause->body].map_kind == PIR_MAP_ALIGNED;
  if (p->slots[slot].late || (aligned && !pir_plan_same_shape(p, slot, source))) {
    p->slot_count = b->def_count = slots;
    return false;
  }
  if (!pir_plan_row_major(&p->slots[source]) &&
      !(is_read_by_strides(to) && follow_order(p, &p->slots[source], &p->slots[slot])) &&
      (source = straighten(b, from, source)) == NONE)
    return false;
  b->defs[slot] = b->defs[source];
  p->slots[slot].buffer = p->slots[source].buffer;
  if (!aligned)
    check_equal(b, pir_plan_bytes(b, slot), pir_plan_bytes(b, source), def->name);
  pir_plan_bind_slot(b, to, slot);
  return true;
}

// ---- splitting

// The parts' slots lie in the memory of what is split; groups count on it.
static pir_status split_in_place(plan_builder *b, const pir_op *op, const pir_value *whole,
                                 int axis, size_t count) {
  plan *p = b->p;
  struct slot_list list, all;
  int64_t offset = 0;
  const pir_fact *parts = pir_facts_of(b->facts, pir_op_result(op, 0));
  uint32_t *slots = pir_bump_get(&b->scratch, count * sizeof *slots);
  if (!slots || p->memory.failed)
    return PIR_EXHAUSTED;
  if (!pir_plan_slots_of(b, whole, &list) || list.count != 1 || parts->member_count != count)
    return unsupported(op, "the list of parts");
  uint32_t source = p->words[list.first];
  for (size_t i = 0; i < count; i++) {
    slots[i] = pir_plan_slot(b, parts->members[i], b->defs[source]);
    if (slots[i] == NONE)
      return PIR_EXHAUSTED;
    const plan_slot *from = &p->slots[source];
    plan_slot *to = &p->slots[slots[i]];
    if (from->late || to->late || (from->axis >= 0 && from->axis != axis))
      return unsupported(op, "the shape");
    memcpy(to->order, from->order, sizeof to->order);
    to->room =
        from->axis >= 0 ? from->room : p->exprs[p->words[from->shape + (uint32_t)axis]].value;
    to->offset = offset + from->offset;
    to->axis = (int8_t)axis;
    to->buffer = from->buffer;
    offset += p->exprs[p->words[to->shape + (uint32_t)axis]].value;
  }
  all = (struct slot_list){p->word_count, (uint32_t)count};
  for (size_t i = 0; i < count; i++)
    pir_plan_word(b, slots[i]);
  pir_plan_bind(b, pir_op_result(op, 0), all);
  return PIR_OK;
}

// ---- operands and results

// Slots by declared position, collected before they are written down in one piece.
typedef struct entries {
  uint32_t *slots, count, capacity;
  int32_t *members, *starts;
} entries;

static entries start_entries(plan_builder *b, size_t declared) {
  bump *memory = &b->p->memory;
  return (entries){.members = pir_bump_get(memory, declared * sizeof(int32_t)),
                   .starts = pir_bump_get(memory, declared * sizeof(int32_t))};
}

static void add_entry(plan_builder *b, entries *e, uint32_t slot) {
  uint32_t *to = BUMP_PUSH(&b->scratch, e->slots, e->count, e->capacity);
  if (to)
    *to = slot;
}

// An absent one has an empty entry and no members; what lies on the other side of the bus is
// moved.
static void add_entries(plan_builder *b, entries *e, size_t position, struct slot_list list,
                        bool device) {
  if (b->p->memory.failed)
    return;
  e->starts[position] = (int32_t)e->count;
  e->members[position] = (int32_t)list.count;
  for (uint32_t i = 0; i < list.count; i++)
    add_entry(b, e, pir_plan_place(b, b->p->words[list.first + i], device));
  if (!list.count)
    add_entry(b, e, NONE);
}

static uint32_t write_entries(plan_builder *b, const entries *e) {
  uint32_t first = b->p->word_count;
  for (uint32_t i = 0; i < e->count; i++)
    pir_plan_word(b, e->slots[i]);
  return first;
}

static pir_status call_operands(plan_builder *b, const pir_op *op, const pir_opdef *def,
                                entries *out) {
  *out = start_entries(b, def->operand_count);
  if (pir_op_operands(op) != def->operand_count)
    return pir_error(op, "has %zu operands, \"%s\" takes %d", pir_op_operands(op), def->name,
                     def->operand_count);
  for (size_t i = 0; i < def->operand_count; i++) {
    struct slot_list list = {0};
    const pir_value *value = pir_op_operand(op, i);
    if (value && !pir_plan_slots_of(b, value, &list))
      return unsupported(op, "an operand that is no tensor");
    if (list.count == 1 && b->p->words[list.first] == NONE)
      list.count = 0;
    add_entries(b, out, i, list, false);
  }
  return PIR_OK;
}

struct slot_list pir_plan_results(plan_builder *b, const pir_value *value) {
  static const pir_fact unknown = {.rank = -1};
  const pir_type *type = pir_value_type(value);
  const pir_fact *fact = pir_facts_of(b->facts, value);
  bool several = pir_type_kind_of(type) == PIR_TYPE_VECTOR || fact->members;
  size_t count = !several             ? 1
                 : fact->member_count ? fact->member_count
                                      : pir_type_elements(type);
  uint32_t *slots = pir_bump_get(&b->scratch, count * sizeof *slots);
  for (size_t i = 0; slots && i < count; i++)
    slots[i] = pir_plan_result(b, !several                 ? fact
                                  : i < fact->member_count ? fact->members[i]
                                                           : &unknown);
  struct slot_list list = {b->p->word_count, (uint32_t)count};
  for (size_t i = 0; slots && i < count; i++)
    pir_plan_word(b, slots[i]);
  pir_plan_bind(b, value, list);
  return list;
}

void pir_plan_make_late(plan *p, struct slot_list list) {
  for (uint32_t i = 0; i < list.count; i++) {
    uint32_t slot = p->words[list.first + i];
    if (slot == NONE)
      continue;
    p->slots[slot].late = true;
    p->buffers[p->slots[slot].buffer].home = HOME_LATE;
  }
}

static pir_status call_results(plan_builder *b, const pir_op *op, const plan_call *call,
                               entries *out) {
  const pir_opdef *def = call->def;
  *out = start_entries(b, def->result_count);
  for (size_t i = 0; i < def->result_count; i++) {
    struct slot_list list = {0};
    pir_value *value = i < pir_op_results(op) ? pir_op_result(op, i) : NULL;
    bool present = value && pir_value_type(value);
    if (present && !call->kernel && def->clause &&
        !pir_clause_choose(def->clause, (uint8_t)i, call->attrs)) {
      if (!pir_value_unused(value))
        return unsupported(op, "a result that its clause leaves out");
      present = false;
    }
    bool spare = def->results[i].flags & (PIR_RESULT_OPTIONAL | PIR_RESULT_INTERMEDIATE);
    if (present && spare && pir_value_unused(value) && !pir_facts_of(b->facts, value)->known)
      present = false;
    if (present)
      list = pir_plan_results(b, value);
    if (call->shapes_results)
      pir_plan_make_late(b->p, list);
    add_entries(b, out, i, list, false);
  }
  return PIR_OK;
}

// ---- memory that may be reused

// Whether element i of the result is read from element i of operand k alone: then they may be
// one buffer.
static bool reads_in_step(const pir_clause *clause, int k) {
  bool reads = false;
  for (int i = 0; i < clause->node_count; i++) {
    const pir_node *node = &clause->nodes[i];
    if (node->k != k)
      continue;
    switch (node->op) {
      case PIR_V_LOAD:
        if (node->map_kind != PIR_MAP_ALIGNED)
          return false;
        reads = true;
        break;
      case PIR_I_LOAD:
      case PIR_V_SCALAR:
      case PIR_V_MEMBERS:
      case PIR_I_OPERAND_AT:
      case PIR_I_OPERAND_FIND:
      case PIR_I_OPERAND_KEPT: return false;
      default: break;
    }
  }
  return reads;
}

// Every use that this instruction makes of the buffer of operand k is in step with the result.
static bool only_in_step(const plan *p, const pir_opdef *def, const entries *in, int k,
                         uint32_t result) {
  uint32_t buffer = p->slots[in->slots[in->starts[k]]].buffer;
  for (int j = 0; j < def->operand_count; j++)
    for (int i = 0; i < in->members[j]; i++) {
      uint32_t slot = in->slots[in->starts[j] + i];
      if (slot == NONE || p->slots[slot].buffer != buffer)
        continue;
      if (!reads_in_step(def->clause, j) || !pir_plan_same_shape(p, slot, result))
        return false;
    }
  return true;
}

static void note_reuse(plan_builder *b, const pir_opdef *def, const entries *in,
                       const entries *out) {
  plan *p = b->p;
  const pir_clause *clause = def->clause;
  if (!clause || clause->kind != PIR_CLAUSE_POINTWISE || clause->next || out->members[0] != 1)
    return;
  uint32_t result = out->slots[out->starts[0]];
  for (int k = 0; k < def->operand_count; k++) {
    uint32_t operand = in->slots[in->starts[k]];
    if (in->members[k] != 1 || operand == NONE || result == NONE)
      continue;
    if (!only_in_step(p, def, in, k, result))
      continue;
    if (pir_dtype_size(p->slots[operand].dtype) != pir_dtype_size(p->slots[result].dtype))
      continue;
    reuse_pair *pair = BUMP_PUSH(&b->scratch, b->reuses, b->reuse_count, b->reuse_capacity);
    if (pair)
      *pair = (reuse_pair){p->instr_count, operand, result};
  }
}

// ---- instructions

pir_status pir_plan_call(plan_builder *b, const pir_op *op) {
  plan *p = b->p;
  const pir_opdef *def = pir_op_meaning(op);
  if (pir_op_regions(op))
    return unsupported(op, "the region");
  const pir_value *whole;
  int axis;
  size_t parts = pir_split_parts(op, &whole, &axis);
  if (parts)
    return split_in_place(b, op, whole, axis, parts);
  if (rename(b, op, def))
    return PIR_OK;
  plan_call call = {.def = def};
  call.attrs = copy_attrs(b, op, def->attr_count);
  bool says = def->clause &&
              (!def->kernel || (call.attrs && pir_clause_choose(def->clause, 0, call.attrs)));
  const pir_kernel *kernel =
      says || !def->kernel ? def->own : pir_kernel_find(pir_str_from(def->kernel));
  if (says)
    call.run = pir_clause_run;
  else if (kernel)
    call.kernel = kernel, call.run = kernel->run, call.shapes_results = kernel->shapes_results;
  else
    return unsupported(op, "no kernel: the meaning");
  entries in, out;
  PIR_TRY(call_operands(b, op, def, &in));
  PIR_TRY(call_results(b, op, &call, &out));
  call.in_members = in.members;
  call.in_first = in.starts;
  call.out_members = out.members;
  call.out_first = out.starts;
  plan_call *to = BUMP_PUSH(&p->memory, p->calls, p->call_count, p->call_capacity);
  if (!to || p->memory.failed || b->scratch.failed)
    return PIR_EXHAUSTED;
  *to = call;
  note_reuse(b, def, &in, &out);
  plan_instr instr = {.kind = PLAN_CALL,
                      .label = def->name,
                      .late = call.shapes_results,
                      .detail = p->call_count - 1};
  instr.in = write_entries(b, &in);
  instr.in_count = in.count;
  instr.out = write_entries(b, &out);
  instr.out_count = out.count;
  pir_plan_instr(b, instr);
  return PIR_OK;
}

static uint32_t extents_of(plan_builder *b, const pir_dim *dims, size_t stride, size_t count,
                           uint32_t *out_worst) {
  uint32_t *numbers = pir_bump_get(&b->scratch, count * sizeof *numbers);
  for (size_t i = 0; numbers && i < count; i++) {
    numbers[i] = pir_plan_extent(b, *(const pir_dim *)((const char *)dims + i * stride));
    if (numbers[i] == NONE || b->p->exprs[numbers[i]].level == LEVEL_NEVER)
      *out_worst = LEVEL_NEVER;
  }
  uint32_t first = b->p->word_count;
  for (size_t i = 0; numbers && i < count; i++)
    pir_plan_word(b, numbers[i]);
  return first;
}

static bool on_device(const pir_compiled_group *code) {
  return code->stage_count && code->stages->kernel;
}

// Results of a group are where it runs.
static void place_results(plan *p, struct slot_list list, bool device) {
  for (uint32_t i = 0; i < list.count; i++) {
    uint32_t slot = p->words[list.first + i];
    if (slot != NONE)
      p->buffers[p->slots[slot].buffer].device = device;
  }
}

// Temporaries live in the arena for the one instruction. True when the size of one is known
// only by running.
static bool add_temporaries(plan_builder *b, plan_group *group, uint32_t sizes) {
  plan *p = b->p;
  bool any_late = false;
  group->temporaries = p->buffer_count;
  for (size_t i = 0; i < group->code->temporary_count; i++) {
    uint32_t bytes = p->words[sizes + i];
    bool late = p->exprs[bytes].level > 0;
    any_late |= late;
    uint32_t buffer = pir_plan_buffer(b, late ? HOME_LATE : HOME_ARENA, NONE, bytes);
    if (buffer == NONE)
      continue;
    p->buffers[buffer].first = p->buffers[buffer].last = p->instr_count;
    p->buffers[buffer].device = on_device(group->code);
  }
  return any_late;
}

// Two groups that want the same of one constant share it.
static uint32_t add_pack(plan_builder *b, uint32_t slot, const pir_packing *packing) {
  plan *p = b->p;
  for (uint32_t i = 0; i < p->pack_count; i++) {
    const plan_pack *pack = &p->packs[i];
    if (p->slots[pack->slot].buffer == p->slots[slot].buffer &&
        pack->packing->fn == packing->fn && pack->packing->bytes == packing->bytes &&
        pack->packing->units == packing->units)
      return i;
  }
  plan_pack *to = BUMP_PUSH(&p->memory, p->packs, p->pack_count, p->pack_capacity);
  if (!to)
    return NONE;
  *to = (plan_pack){slot, packing};
  return p->pack_count - 1;
}

static uint32_t add_packs(plan_builder *b, const pir_compiled_group *code, const entries *in) {
  uint32_t first = b->p->word_count;
  for (uint32_t i = 0; i < in->count; i++) {
    uint32_t pack = NONE;
    for (size_t k = 0; k < code->packing_count; k++)
      if (code->packings[k].operand == i)
        pack = add_pack(b, in->slots[i], &code->packings[k]);
    pir_plan_word(b, pack);
  }
  return first;
}

static void take_order(plan *p, const pir_op *op, size_t i, uint32_t slot) {
  uint8_t order[PIR_MAX_RANK];
  size_t rank = pir_group_order(op, true, i, order);
  if (rank && slot != NONE && p->slots[slot].rank == (int)rank)
    memcpy(p->slots[slot].order, order, rank);
}

// Part of a larger tensor: in its memory, which the first part that is written brings along.
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
  if (p->exprs[p->words[s->shape + place.axis]].value != place.room) {
    s->axis = (int8_t)place.axis;
    s->offset = place.offset;
    s->room = place.room;
  }
  if (pir_word_map_find(&b->homes, (uint64_t)place.home, &home)) {
    s->buffer = home;
  } else {
    p->buffers[s->buffer].bytes = pir_plan_bytes(b, slot);
    pir_word_map_set(&b->scratch, &b->homes, (uint64_t)place.home, s->buffer);
  }
  return true;
}

// The names of its ops, joined by +, cut where it gets long.
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
  return pir_bump_text(&b->p->memory, (pir_str){text, used}).data;
}

pir_status pir_plan_group(plan_builder *b, const pir_op *op) {
  plan *p = b->p;
  plan_group group = {.code = pir_compiler_group(b->compiler, b->codes[b->groups_seen++])};
  const pir_compiled_group *code = group.code;
  uint32_t worst = 0, sizes;
  group.units = extents_of(b, code->stage_count ? &code->stages->units : NULL,
                           sizeof *code->stages, code->stage_count, &worst);
  group.dims = extents_of(b, code->dims, sizeof *code->dims, code->dim_count, &worst);
  group.equal = extents_of(b, code->equal, sizeof *code->equal, 2 * code->equal_count, &worst);
  sizes = extents_of(b, code->temporary_count ? &code->temporaries->bytes : NULL,
                     sizeof *code->temporaries, code->temporary_count, &worst);
  entries in = start_entries(b, pir_op_operands(op)),
          out = start_entries(b, pir_op_results(op));
  for (size_t i = 0; i < pir_op_operands(op); i++) {
    struct slot_list list;
    if (!pir_plan_slots_of(b, pir_op_operand(op, i), &list) || list.count != 1)
      worst = LEVEL_NEVER;
    else
      add_entries(b, &in, i, list, on_device(code));
  }
  for (size_t i = 0; i < pir_op_results(op); i++) {
    struct slot_list list = pir_plan_results(b, pir_op_result(op, i));
    if (!p->memory.failed)
      place_results(p, list, on_device(code));
    add_entries(b, &out, i, list, on_device(code));
    if (!p->memory.failed)
      take_order(p, op, i, p->words[list.first]);
    if (!p->memory.failed && !take_place(b, op, i, p->words[list.first]))
      worst = LEVEL_NEVER;
  }
  if (p->memory.failed || b->scratch.failed)
    return PIR_EXHAUSTED;
  if (worst == LEVEL_NEVER)
    return unsupported(op, "an extent that is not known");
  group.packs = add_packs(b, code, &in);
  bool late = add_temporaries(b, &group, sizes);
  group.kernels = p->kernel_count;
  if (on_device(code))
    p->kernel_count += (uint32_t)code->stage_count;
  for (size_t i = 0; i < code->stage_count; i++)
    if (code->stages[i].scratch_bytes > p->scratch_bytes)
      p->scratch_bytes = code->stages[i].scratch_bytes;
  uint32_t buffers = in.count + out.count + (uint32_t)code->temporary_count;
  if (buffers > p->most_buffers)
    p->most_buffers = buffers;
  if (code->dim_count > p->most_dims)
    p->most_dims = (uint32_t)code->dim_count;
  plan_group *to = BUMP_PUSH(&p->memory, p->groups, p->group_count, p->group_capacity);
  if (!to)
    return PIR_EXHAUSTED;
  *to = group;
  plan_instr instr = {.kind = PLAN_GROUP,
                      .label = group_label(b, op),
                      .late = late,
                      .detail = p->group_count - 1};
  instr.in = write_entries(b, &in);
  instr.in_count = in.count;
  instr.out = write_entries(b, &out);
  instr.out_count = out.count;
  pir_plan_instr(b, instr);
  return PIR_OK;
}
