// Plans calls of kernels and clauses. An op that only renames a row-major tensor (reshape,
// flatten, assign) shares its operand's memory and becomes no instruction.
#include "plan_build.h"
#include <string.h>

// ---- attributes: copied, so that the plan outlives the program

static pir_status copy_attrs(plan_builder *b, const pir_op *op, size_t count,
                             const pir_attr_value **out_values) {
  pir_arena *memory = &b->p->memory;
  const pir_attr_value *read;
  PIR_TRY(pir_op_attr_values(op, pir_arena_take, memory, &read));
  pir_attr_value *values = pir_arena_copy(memory, read, count * sizeof *values);
  *out_values = values;
  for (size_t i = 0; i < count; i++) {
    pir_attr_value *v = &values[i];
    v->text = pir_arena_text(memory, v->text);
    v->ints = v->ints ? pir_arena_copy(memory, v->ints, v->count * sizeof *v->ints) : NULL;
    v->floats =
        v->floats ? pir_arena_copy(memory, v->floats, v->count * sizeof *v->floats) : NULL;
    if (!v->texts)
      continue;
    pir_str *texts = pir_arena_zalloc(memory, v->count * sizeof *texts);
    for (size_t j = 0; j < v->count; j++)
      texts[j] = pir_arena_text(memory, v->texts[j]);
    v->texts = texts;
  }
  return PIR_OK;
}

static void check_equal(plan_builder *b, uint32_t x, uint32_t y, const char *op) {
  plan *p = b->p;
  if (x == y)
    return;
  plan_check *check = ARRAY_PUSH(&p->memory, p->checks, p->check_count, p->check_capacity);
  *check = (plan_check){x, y, op, pir_plan_place_now(b)};
}

static bool is_unit(const plan *p, const plan_slot *s, int d) {
  const plan_expr *extent = &p->exprs[p->words[s->shape + (uint32_t)d]];
  return extent->kind == PIR_DIM_CONST && extent->value == 1;
}

// Gives `to` the memory order of `from`, if their shapes differ only by axes of extent 1.
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

// Whether all readers of the value are clause calls, which support any strides.
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

// Returns the tensor in row-major order, copied if necessary.
static uint32_t straighten(plan_builder *b, const pir_value *value, uint32_t slot) {
  uint32_t to = pir_plan_result(b, pir_facts_of(b->facts, value));
  pir_plan_copy(b, slot, to);
  return to;
}

// Makes the result share the operand's memory; false if an instruction is needed. An operand in
// another memory order keeps it if only axes of extent 1 are added or removed and all readers
// accept strides; else it is copied first.
static bool rename(plan_builder *b, const pir_op *op, const pir_opdef *def) {
  plan *p = b->p;
  int k = pir_plan_renamed_operand(def->clause);
  if (k < 0)
    return false;
  const pir_value *from = pir_op_operand(op, (size_t)k), *to = pir_op_result(op, 0);
  uint32_t source = pir_plan_slot_of(b, from);
  if (source == NONE || p->slots[source].late)
    return false;
  const pir_fact *fact = pir_facts_of(b->facts, to);
  if (!pir_fact_has_rank(fact) || fact->dtype != p->slots[source].dtype)
    return false;
  uint32_t slots = p->slot_count;
  uint32_t slot = pir_plan_slot(b, fact, b->defs[source]);
  bool aligned = def->clause->nodes[def->clause->body].map_kind == PIR_MAP_ALIGNED;
  if (p->slots[slot].late || (aligned && !pir_plan_same_shape(p, slot, source))) {
    p->slot_count = b->def_count = slots;
    return false;
  }
  if (!pir_plan_row_major(&p->slots[source]) &&
      !(is_read_by_strides(to) && follow_order(p, &p->slots[source], &p->slots[slot])))
    source = straighten(b, from, source);
  b->defs[slot] = b->defs[source];
  p->slots[slot].buffer = p->slots[source].buffer;
  p->slots[slot].view_of = source;
  if (!aligned)
    check_equal(b, pir_plan_bytes(b, slot), pir_plan_bytes(b, source), def->name);
  pir_plan_bind_slot(b, to, slot);
  return true;
}

// ---- splitting

// Makes the results of a split share the split tensor's memory. False if they cannot, and are
// copied.
static bool split_in_place(plan_builder *b, const pir_op *op, const pir_value *whole, int axis,
                           size_t count) {
  plan *p = b->p;
  struct slot_list list = pir_plan_slots_of(b, whole), all;
  int64_t offset = 0;
  const pir_fact *parts = pir_facts_of(b->facts, pir_op_result(op, 0));
  uint32_t *slots = pir_arena_zalloc(&b->scratch, count * sizeof *slots);
  if (list.count != 1 || parts->member_count != count)
    return false;
  uint32_t source = p->words[list.first];
  for (size_t i = 0; i < count; i++) {
    slots[i] = pir_plan_slot(b, parts->members[i], b->defs[source]);
    const plan_slot *from = &p->slots[source];
    plan_slot *to = &p->slots[slots[i]];
    if (from->late || to->late || (from->axis >= 0 && from->axis != axis))
      return false;
    memcpy(to->order, from->order, sizeof to->order);
    to->room =
        from->axis >= 0 ? from->room : p->exprs[p->words[from->shape + (uint32_t)axis]].value;
    to->offset = offset + from->offset;
    to->axis = (int8_t)axis;
    to->buffer = from->buffer;
    to->view_of = source;
    offset += p->exprs[p->words[to->shape + (uint32_t)axis]].value;
  }
  all = (struct slot_list){p->word_count, (uint32_t)count};
  for (size_t i = 0; i < count; i++)
    pir_plan_word(b, slots[i]);
  pir_plan_bind(b, pir_op_result(op, 0), all);
  return true;
}

// ---- operands and results

// Slots by declared position, collected before they are stored contiguously.
typedef struct entries {
  uint32_t *slots, count, capacity;
  int32_t *members, *starts;
} entries;

static entries start_entries(plan_builder *b, size_t declared) {
  pir_arena *memory = &b->p->memory;
  return (entries){.members = pir_arena_zalloc(memory, declared * sizeof(int32_t)),
                   .starts = pir_arena_zalloc(memory, declared * sizeof(int32_t))};
}

static void add_entry(plan_builder *b, entries *e, uint32_t slot) {
  uint32_t *to = ARRAY_PUSH(&b->scratch, e->slots, e->count, e->capacity);
  *to = slot;
}

// Collects the slots of an operand or a result. An absent one has an empty entry.
static void add_entries(plan_builder *b, entries *e, size_t position, struct slot_list list) {
  e->starts[position] = (int32_t)e->count;
  e->members[position] = (int32_t)list.count;
  for (uint32_t i = 0; i < list.count; i++)
    add_entry(b, e, b->p->words[list.first + i]);
  if (!list.count)
    add_entry(b, e, NONE);
}

static uint32_t write_entries(plan_builder *b, const entries *e) {
  uint32_t first = b->p->word_count;
  for (uint32_t i = 0; i < e->count; i++)
    pir_plan_word(b, e->slots[i]);
  return first;
}

// Brings the tensors of an operand to the host, where the call reads their elements.
static void place_operand(plan_builder *b, const pir_op *op, const pir_operand_def *def,
                          uint32_t *slots, uint32_t count) {
  for (uint32_t i = 0; i < count && !(def->flags & PIR_OPERAND_SHAPE_ONLY); i++)
    slots[i] = pir_plan_place(b, op, slots[i], false);
}

static pir_status call_operands(plan_builder *b, const pir_op *op, const pir_opdef *def,
                                entries *out) {
  *out = start_entries(b, def->operand_count);
  if (pir_op_operands(op) > def->operand_count)
    return pir_error(op, "has %zu operands, \"%s\" takes %d", pir_op_operands(op), def->name,
                     def->operand_count);
  for (size_t i = 0; i < def->operand_count; i++) {
    const pir_value *value = i < pir_op_operands(op) ? pir_op_operand(op, i) : NULL;
    uint32_t first = out->count;
    add_entries(b, out, i, pir_plan_slots_of(b, value));
    place_operand(b, op, &def->operands[i], out->slots + first, out->count - first);
  }
  return PIR_OK;
}

struct slot_list pir_plan_results(plan_builder *b, const pir_value *value, bool listed) {
  static const pir_fact unknown = {.rank = -1};
  const pir_type *type = pir_value_type(value);
  const pir_fact *fact = pir_facts_of(b->facts, value);
  bool stated = listed && pir_type_kind_of(type) == PIR_TYPE_VECTOR && fact->rank < 0;
  bool several = stated || fact->members;
  size_t count = 1;
  if (several)
    count = fact->member_count ? fact->member_count : pir_type_elements(type);
  uint32_t *slots = pir_arena_zalloc(&b->scratch, count * sizeof *slots);
  for (size_t i = 0; i < count; i++) {
    const pir_fact *member = fact;
    if (several)
      member = i < fact->member_count ? fact->members[i] : &unknown;
    slots[i] = pir_plan_result(b, member);
  }
  struct slot_list list = {b->p->word_count, (uint32_t)count};
  for (size_t i = 0; i < count; i++)
    pir_plan_word(b, slots[i]);
  pir_plan_bind(b, value, list);
  return list;
}

void pir_plan_make_late(plan *p, struct slot_list list) {
  for (uint32_t i = 0; i < list.count; i++) {
    uint32_t slot = p->words[list.first + i];
    p->slots[slot].late = true;
    p->buffers[p->slots[slot].buffer].home = HOME_LATE;
  }
}

// Whether the call writes result `i`. One that states no type is left out where it is declared
// optional or is a gradient that nobody wants; every other is written, although nothing reads
// it.
static bool is_written(const pir_opdef *def, size_t i, const pir_value *value) {
  if (!value || pir_value_type(value))
    return value;
  return !(def->results[i].flags & (PIR_RESULT_OPTIONAL | PIR_RESULT_INTERMEDIATE)) &&
         pir_opdef_gradient_of(def, i) < 0;
}

static pir_status call_results(plan_builder *b, const pir_op *op, const plan_call *call,
                               entries *out) {
  const pir_opdef *def = call->def;
  *out = start_entries(b, def->result_count);
  for (size_t i = 0; i < def->result_count; i++) {
    struct slot_list list = {0};
    pir_value *value = i < pir_op_results(op) ? pir_op_result(op, i) : NULL;
    bool present = is_written(def, i, value);
    if (present && call->shapes_results && !pir_value_type(value) &&
        !pir_facts_of(b->facts, value)->known)
      return pir_plan_unsupported(op, "a result without a type");
    if (present && !call->kernel && def->clause &&
        !pir_clause_choose(def->clause, (uint8_t)i, call->attrs)) {
      if (!pir_value_unused(value))
        return pir_plan_unsupported(op, "a result that its clause leaves out");
      present = false;
    }
    bool spare = def->results[i].flags & (PIR_RESULT_OPTIONAL | PIR_RESULT_INTERMEDIATE);
    if (present && spare && pir_value_unused(value) && !pir_facts_of(b->facts, value)->known)
      present = false;
    if (present)
      list = pir_plan_results(b, value, def->results[i].flags & PIR_RESULT_VARIADIC);
    if (call->shapes_results)
      pir_plan_make_late(b->p, list);
    add_entries(b, out, i, list);
  }
  return PIR_OK;
}

// ---- memory that may be reused

// Whether element i of the result depends on element i of operand k only, so that both may
// share a buffer.
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

// Whether every use of operand k's buffer by this instruction is elementwise in the result.
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
    reuse_pair *pair = ARRAY_PUSH(&b->scratch, b->reuses, b->reuse_count, b->reuse_capacity);
    *pair = (reuse_pair){p->instr_count, operand, result};
  }
}

// Notes which results of the last instruction may lie where an operand lies.
static void note_handovers(plan_builder *b, const plan_call *call, const entries *in,
                           const entries *out) {
  plan *p = b->p;
  const pir_opdef *def = call->def;
  const pir_clause *clause =
      call->kernel ? NULL : pir_clause_choose(def->clause, 0, call->attrs);
  bool joins = clause && clause->kind == PIR_CLAUSE_JOIN && !clause->stack &&
               clause->nodes[clause->body].op == PIR_V_LOAD;
  bool in_place = call->kernel && pir_kernel_in_place(call->kernel);
  size_t count = in_place ? def->inplace_count : joins;
  for (size_t i = 0; i < count; i++) {
    int from = joins ? clause->nodes[clause->body].k : def->inplace[i].operand;
    int to = joins ? clause->result : def->inplace[i].result;
    if (in->members[from] < 1 || out->members[to] != 1)
      continue;
    plan_handover *entry =
        ARRAY_PUSH(&p->memory, p->handovers, p->handover_count, p->handover_capacity);
    *entry = (plan_handover){.instr = p->instr_count - 1,
                             .in = in->slots[in->starts[from]],
                             .out = out->slots[out->starts[to]],
                             .grows = joins};
  }
}

// ---- instructions

pir_status pir_plan_call(plan_builder *b, const pir_op *op) {
  plan *p = b->p;
  const pir_opdef *def = pir_op_meaning(op);
  if (pir_op_regions(op))
    return pir_plan_unsupported(op, "the region");
  const pir_value *whole;
  int axis;
  size_t parts = pir_split_parts(op, &whole, &axis);
  if (parts && split_in_place(b, op, whole, axis, parts))
    return PIR_OK;
  if (rename(b, op, def))
    return PIR_OK;
  plan_call call = {.def = def};
  PIR_TRY(copy_attrs(b, op, def->attr_count, &call.attrs));
  bool says = def->clause &&
              (!def->kernel || (call.attrs && pir_clause_choose(def->clause, 0, call.attrs)));
  const pir_kernel *kernel =
      says || !def->kernel ? def->own : pir_kernel_find(pir_str_from(def->kernel));
  if (!says && !kernel)
    return pir_plan_unsupported(op, "no kernel: the meaning");
  if (!says) {
    call.kernel = kernel;
    call.shapes_results = kernel->shapes_results;
  }
  entries in, out;
  PIR_TRY(call_operands(b, op, def, &in));
  PIR_TRY(call_results(b, op, &call, &out));
  call.in_members = in.members;
  call.in_first = in.starts;
  call.out_members = out.members;
  call.out_first = out.starts;
  plan_call *to = ARRAY_PUSH(&p->memory, p->calls, p->call_count, p->call_capacity);
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
  note_handovers(b, to, &in, &out);
  return PIR_OK;
}
