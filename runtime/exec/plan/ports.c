// Inputs and outputs of a plan: parameters become constants, feeds become inputs, fetches
// become outputs.
#include "plan_build.h"
#include <stdlib.h>

typedef struct numbered {
  const pir_op *op;
  int64_t column;
  uint32_t position;
} numbered;

static int by_column(const void *x, const void *y) {
  const numbered *a = x, *b = y;
  if (a->column != b->column)
    return a->column < b->column ? -1 : 1;
  return a->position < b->position ? -1 : 1;
}

static uint32_t number_ports(plan_builder *b, const pir_block *block, uint32_t trait) {
  numbered *list = NULL;
  uint32_t count = 0, capacity = 0;
  for (const pir_op *op = pir_block_first(block); op; op = pir_op_next(op)) {
    if (!(pir_op_meaning(op)->traits & trait))
      continue;
    numbered *entry = ARRAY_PUSH(&b->scratch, list, count, capacity);
    *entry = (numbered){op, 0, count};
    if (pir_op_attr_str(op, "parameter_name"))
      entry->column = INT64_MAX;  // parameters that the program sets follow the fetched values
    else if (!pir_attr_as_int(pir_op_attr_str(op, "col"), &entry->column))
      entry->column = count - 1;
  }
  if (count)
    qsort(list, count, sizeof *list, by_column);
  for (uint32_t i = 0; i < count; i++)
    pir_word_map_set(&b->scratch, &b->ports, (uintptr_t)list[i].op, i);
  return count;
}

void pir_plan_number_ports(plan_builder *b, const pir_block *block) {
  plan *p = b->p;
  p->input_count = number_ports(b, block, PIR_INPUT);
  p->output_count = number_ports(b, block, PIR_OUTPUT);
  p->inputs = pir_arena_zalloc(&p->memory, p->input_count * sizeof *p->inputs);
  p->outputs = pir_arena_zalloc(&p->memory, p->output_count * sizeof *p->outputs);
}

// The text of the first of these attributes that an op has.
static pir_str text_of(const pir_op *op, const char *const *attrs, size_t count) {
  const pir_attr *found = NULL;
  for (size_t i = 0; i < count && !found; i++)
    found = pir_op_attr_str(op, attrs[i]);
  return found ? pir_attr_as_str(found) : PIR_STR("");
}

pir_status pir_plan_parameter(plan_builder *b, const pir_program *program, const pir_op *op) {
  plan *p = b->p;
  static const char *const attrs[] = {"parameter_name", "value"};
  pir_str name = text_of(op, attrs, sizeof attrs / sizeof *attrs);
  const pir_param *param = pir_program_param(program, name);
  if (!param)
    return pir_error(op, "has no data: parameter \"%.*s\" is missing", (int)name.size,
                     name.data);
  size_t rank = param->shape.rank;
  if (rank > PIR_MAX_RANK)
    return pir_error(op, "has rank %zu, at most %d is supported", rank, PIR_MAX_RANK);
  pir_fact fact = {.known = true, .dtype = param->dtype, .rank = (int32_t)rank};
  for (size_t i = 0; i < rank; i++)
    fact.shape[i] = param->shape.dims[i];
  uint32_t slot = pir_plan_slot(b, &fact, NONE);
  plan_const *constant = ARRAY_PUSH(&p->memory, p->consts, p->const_count, p->const_capacity);
  *constant = (plan_const){.slot = slot, .bytes = param->size, .param = param};
  p->slots[slot].buffer =
      pir_plan_buffer(b, HOME_CONST, p->const_count - 1, pir_plan_bytes(b, slot));
  pir_plan_bind_slot(b, pir_op_result(op, 0), slot);
  return PIR_OK;
}

static void fill_port(plan_builder *b, plan_port *port, const pir_op *op, const pir_fact *fact,
                      uint32_t slot) {
  static const char *const attrs[] = {"name", "output_name", "parameter_name"};
  plan *p = b->p;
  pir_str name = pir_arena_text(&p->memory, text_of(op, attrs, sizeof attrs / sizeof *attrs));
  *port = (plan_port){.port = {.name = name, .dtype = fact->dtype, .rank = p->slots[slot].rank},
                      .slot = slot};
  for (int i = 0; i < p->slots[slot].rank; i++) {
    uint32_t extent = p->words[p->slots[slot].shape + i];
    bool fixed = extent != NONE && p->exprs[extent].kind == PIR_DIM_CONST;
    port->dims[i] = extent;
    port->port.shape[i] = fixed ? p->exprs[extent].value : -1;
  }
}

pir_status pir_plan_input(plan_builder *b, const pir_op *op) {
  plan *p = b->p;
  const pir_value *value = pir_op_result(op, 0);
  const pir_fact *fact = pir_facts_of(b->facts, value);
  uint32_t index = 0;
  pir_word_map_find(&b->ports, (uintptr_t)op, &index);
  if (!pir_fact_has_rank(fact) || !pir_dtype_size(fact->dtype))
    return pir_report_op(op, PIR_UNSUPPORTED, PIR_ERROR,
                         "unsupported: an input whose element type or rank is not known");
  // Binds the input before its extents are used, because their symbols have their source here.
  uint32_t buffer = pir_plan_buffer(b, HOME_INPUT, index, NONE);
  uint32_t slot = pir_plan_slot(b, &(pir_fact){.known = true, .dtype = fact->dtype}, NONE);
  p->slots[slot].buffer = buffer;
  pir_plan_bind_slot(b, value, slot);
  uint32_t extents[PIR_MAX_RANK];
  for (int i = 0; i < fact->rank; i++)
    extents[i] = pir_plan_extent(b, fact->shape[i]);
  for (size_t i = 0; i < fact->content_count; i++)
    pir_plan_extent(b, fact->contents[i]);
  plan_slot *s = &p->slots[slot];
  s->shape = p->word_count;
  s->rank = (int8_t)fact->rank;
  for (int i = 0; i < fact->rank; i++) {
    s->order[i] = (uint8_t)i;
    pir_plan_word(b, extents[i]);
  }
  fill_port(b, &p->inputs[index], op, fact, slot);
  return PIR_OK;
}

// A fetched value is computed in the output's memory, unless its memory order differs or its
// memory has another owner; then it is copied.
static uint32_t claim_output(plan_builder *b, const pir_fact *fact, uint32_t slot,
                             uint32_t index) {
  plan *p = b->p;
  plan_buffer *buffer = &p->buffers[p->slots[slot].buffer];
  if (pir_plan_row_major(&p->slots[slot]) && b->defs[slot] != NONE) {
    if (buffer->home == HOME_ARENA && !buffer->kept) {
      buffer->home = HOME_OUTPUT;
      buffer->index = index;
      return slot;
    }
    if (buffer->home == HOME_LATE && buffer->index == NONE) {
      buffer->index = index;
      return slot;
    }
  }
  uint32_t copy = pir_plan_result(b, fact);
  plan_buffer *own = &p->buffers[p->slots[copy].buffer];
  if (own->home == HOME_ARENA)
    own->home = HOME_OUTPUT;
  own->index = index;
  pir_plan_copy(b, slot, copy);
  return copy;
}

pir_status pir_plan_output(plan_builder *b, const pir_op *op) {
  plan *p = b->p;
  const pir_value *value = pir_op_operand(op, 0);
  uint32_t from = pir_plan_slot_of(b, value);
  if (from == NONE)
    return pir_report_op(op, PIR_UNSUPPORTED, PIR_ERROR,
                         "unsupported: an output that is not one tensor");
  uint32_t index = 0;
  pir_word_map_find(&b->ports, (uintptr_t)op, &index);
  const pir_fact *fact = pir_facts_of(b->facts, value);
  uint32_t slot = claim_output(b, fact, pir_plan_place(b, op, from, false), index);
  fill_port(b, &p->outputs[index], op, fact, slot);
  for (size_t i = 0; i < pir_op_results(op); i++)
    pir_plan_bind_slot(b, pir_op_result(op, i), slot);
  return PIR_OK;
}
