// Layouts for input shapes: from the extents of the bound inputs it computes every expression,
// the size of every buffer, and offsets in the arena. The layouts of the last few sets of
// shapes are kept; the least recently used one is discarded. The arena only grows
// (pir_session_trim frees it), so memory depends on the largest shape and not on the number of
// shapes.
#include "session_impl.h"

#include <offsets.h>
#include <string.h>

#define LARGEST_BUFFER ((int64_t)1 << 46)

static const pir_tensor *input_of(const pir_session *s, uint32_t i) {
  return &s->inputs[i].tensor;
}

static pir_status read_symbols(pir_session *s) {
  const plan *p = &s->model->plan;
  for (uint32_t i = 0; i < p->symbol_count; i++) {
    const plan_symbol *symbol = &p->symbols[i];
    const pir_tensor *tensor = input_of(s, symbol->source);
    if (symbol->axis >= 0) {
      s->key[i] = tensor->shape[symbol->axis];
    } else {
      if (!tensor->data || (int64_t)symbol->element >= pir_tensor_numel(tensor))
        return pir_exec_fail(&s->frame.message, PIR_INVALID,
                             "input %u has no element %u, which shapes depend on",
                             symbol->source, symbol->element);
      s->key[i] = pir_tensor_int_at(tensor, symbol->element);
    }
  }
  return PIR_OK;
}

// Checks extents that the program assumes equal.
static pir_status check_inputs(pir_session *s, const shape_plan *shapes) {
  const plan *p = &s->model->plan;
  for (uint32_t i = 0; i < p->input_count; i++) {
    const plan_port *port = &p->inputs[i];
    for (int d = 0; d < port->port.rank; d++) {
      int64_t expected = shapes->values[port->dims[d]], found = input_of(s, i)->shape[d];
      if (expected != found)
        return pir_exec_fail(&s->frame.message, PIR_INVALID,
                             "input %u \"%s\": axis %d must be %lld here, got %lld", i,
                             port->port.name.data, d, (long long)expected, (long long)found);
    }
  }
  return PIR_OK;
}

// Appends the shapes of the inputs to a message, as far as there is room.
static pir_status name_inputs(pir_session *s, pir_status status) {
  char *text = s->frame.message.text;
  size_t used = strlen(text), room = sizeof s->frame.message.text;
  for (uint32_t i = 0; i < s->model->plan.input_count && used < room - 1; i++) {
    const pir_tensor *tensor = input_of(s, i);
    shape_text shape = pir_session_write_shape(tensor->shape, tensor->rank);
    pir_text_format(text + used, room - used, "%s%s %s", i ? ", " : "; the inputs are ",
                    s->model->plan.inputs[i].port.name.data, shape.text);
    used += strlen(text + used);
  }
  return status;
}

static pir_status evaluate_all(pir_session *s, shape_plan *shapes) {
  const plan *p = &s->model->plan;
  for (uint32_t i = 0; i < p->symbol_count; i++)
    shapes->values[p->symbols[i].expr] = s->key[i];
  for (uint32_t i = 0; i < p->expr_count; i++)
    if (p->exprs[i].level == 0 && !pir_plan_evaluate(p, i, shapes->values))
      return name_inputs(s, pir_plan_fail(p, i, shapes->values, &s->frame.message));
  PIR_TRY(check_inputs(s, shapes));
  for (uint32_t i = 0; i < p->slot_count; i++) {
    const plan_slot *slot = &p->slots[i];
    for (int d = 0; d < slot->rank && !slot->late; d++) {
      uint32_t extent = p->words[slot->shape + (uint32_t)d];
      if (shapes->values[extent] >= 0)
        continue;
      pir_status status =
          pir_exec_fail(&s->frame.message, PIR_INVALID, "\"%s\": an extent would be %lld",
                        pir_plan_origin(p, extent)->op, (long long)shapes->values[extent]);
      pir_exec_add_place(&s->frame.message, pir_plan_origin(p, extent)->place);
      return name_inputs(s, status);
    }
  }
  for (uint32_t i = 0; i < p->check_count; i++)
    if (shapes->values[p->checks[i].a] != shapes->values[p->checks[i].b]) {
      pir_status status =
          pir_exec_fail(&s->frame.message, PIR_INVALID,
                        "\"%s\" would change the number of elements: expects %lld bytes in "
                        "its result, found %lld",
                        p->checks[i].op, (long long)shapes->values[p->checks[i].a],
                        (long long)shapes->values[p->checks[i].b]);
      pir_exec_add_place(&s->frame.message, p->checks[i].place);
      return status;
    }
  return PIR_OK;
}

static pir_status size_buffers(pir_session *s, shape_plan *shapes, pir_arena *scratch) {
  const plan *p = &s->model->plan;
  size_t *sizes = pir_arena_zalloc(scratch, p->buffer_count * sizeof *sizes);
  uint64_t total = 0, outputs = 0;
  uint32_t largest = NONE;
  if (!sizes)
    return PIR_EXHAUSTED;
  for (uint32_t i = 0; i < p->buffer_count; i++) {
    const plan_buffer *buffer = &p->buffers[i];
    if ((buffer->home != HOME_ARENA && buffer->home != HOME_OUTPUT) || buffer->first == NONE)
      continue;
    int64_t bytes =
        buffer->bytes == NONE ? -1 : shapes->values[buffer->bytes];  // too large to be told
    if (bytes < 0 || bytes > LARGEST_BUFFER || (total += (uint64_t)bytes) > INT64_MAX)
      return name_inputs(s, pir_exec_fail(&s->frame.message, PIR_EXHAUSTED,
                                          "\"%s\": its tensors are too large",
                                          buffer->bytes == NONE
                                              ? "the program"
                                              : pir_plan_origin(p, buffer->bytes)->op));
    sizes[i] = (size_t)bytes;
    if (largest == NONE || sizes[i] > sizes[largest])
      largest = i;
    if (buffer->home == HOME_OUTPUT && !s->outputs[buffer->index].is_bound &&
        !pir_session_is_aliased(s, buffer->index))
      outputs += (uint64_t)bytes;
  }
  size_t on_device;
  if (!pir_plan_offsets(p, false, sizes, scratch, shapes->offsets, &shapes->arena_bytes,
                        &shapes->live_bytes))
    return PIR_EXHAUSTED;
  if (s->frame.queue && !pir_plan_offsets(p, true, sizes, scratch, shapes->offsets,
                                          &shapes->device_bytes, &on_device))
    return PIR_EXHAUSTED;
  if (outputs > s->max_bytes || shapes->arena_bytes > s->max_bytes - outputs)
    return pir_exec_fail(&s->frame.message, PIR_EXHAUSTED,
                         "\"%s\": these shapes need %zu bytes, more than max_bytes allows",
                         pir_plan_origin(p, p->buffers[largest].bytes)->op,
                         shapes->arena_bytes + (size_t)outputs);
  return PIR_OK;
}

void pir_session_drop_plan(pir_session *session, shape_plan *shapes) {
  pir_session_drop_graphs(session, shapes);
  pir_mem_give(&session->allocator, shapes->block.data, shapes->block.bytes);
  if (session->current == shapes)
    session->current = NULL;
  *shapes = (shape_plan){0};
}

static pir_status make_plan(pir_session *s, shape_plan *shapes) {
  const plan *p = &s->model->plan;
  size_t keys = p->symbol_count * sizeof *shapes->symbols,
         values = p->expr_count * sizeof *shapes->values;
  size_t offsets = p->buffer_count * sizeof *shapes->offsets;
  size_t bytes = keys + values + offsets + p->segment_count * sizeof *shapes->graphs;
  char *memory = pir_mem_get(&s->allocator, bytes);
  if (!memory)
    return PIR_EXHAUSTED;
  memset(memory, 0, bytes);
  *shapes = (shape_plan){.symbols = (int64_t *)memory,
                         .values = (int64_t *)(memory + keys),
                         .offsets = (size_t *)(memory + keys + values),
                         .graphs = (segment_graph *)(memory + keys + values + offsets),
                         .block = {memory, bytes}};
  memcpy(shapes->symbols, s->key, keys);
  pir_arena scratch = {.source = s->allocator};
  pir_status status = evaluate_all(s, shapes);
  if (!status)
    status = size_buffers(s, shapes, &scratch);
  pir_arena_destroy(&scratch);
  if (status)
    pir_session_drop_plan(s, shapes);
  else
    s->stats.plans++;
  return status;
}

static pir_status find_plan(pir_session *s, shape_plan **out_shapes) {
  size_t bytes = s->model->plan.symbol_count * sizeof *s->key;
  shape_plan *oldest = &s->plans[0];
  for (int i = 0; i < SHAPE_PLANS; i++) {
    shape_plan *shapes = &s->plans[i];
    if (shapes->block.data && !memcmp(shapes->symbols, s->key, bytes)) {
      *out_shapes = shapes;
      return PIR_OK;
    }
    if (shapes->last_use < oldest->last_use)
      oldest = shapes;
  }
  pir_session_drop_plan(s, oldest);
  *out_shapes = oldest;
  return make_plan(s, oldest);
}

static pir_status grow_arena(pir_session *s, size_t bytes) {
  if (bytes <= s->arena.bytes || s->separate)
    return PIR_OK;
  const pir_allocator *source = pir_session_arena_source(s);
  pir_mem_give(source, s->arena.data, s->arena.bytes);
  s->current = NULL;
  s->arena = (owned_block){0};
  void *data = pir_mem_get_lasting(source, bytes);
  if (!data)
    return PIR_EXHAUSTED;
  s->arena = (owned_block){data, bytes};
  s->stats.arena_bytes = bytes;
  return PIR_OK;
}

static pir_status grow_device_arena(pir_session *s, size_t bytes) {
  if (bytes <= s->device_arena.bytes)
    return PIR_OK;
  for (int i = 0; i < SHAPE_PLANS; i++)
    pir_session_drop_graphs(s, &s->plans[i]);
  pir_queue_give(s->frame.queue, s->device_arena.data, s->device_arena.bytes);
  s->current = NULL;
  s->device_arena = (owned_block){0};
  pir_queue_trim(s->frame.queue);
  void *data;
  pir_status status = pir_queue_take(s->frame.queue, bytes, &data);
  if (status)
    return pir_exec_fail(&s->frame.message, status, "%s", pir_queue_message(s->frame.queue));
  s->device_arena = (owned_block){data, bytes};
  return PIR_OK;
}

// Returns the memory of a buffer of the arena.
static void *place_of_buffer(const pir_session *s, const shape_plan *shapes, uint32_t i) {
  bool device = s->model->plan.buffers[i].device;
  if (s->separate && !device)
    return s->separate_buffers[i].data;
  return (char *)(device ? s->device_arena : s->arena).data + shapes->offsets[i];
}

static void set_up(pir_session *s, const shape_plan *shapes) {
  const plan *p = &s->model->plan;
  frame *f = &s->frame;
  memcpy(f->values, shapes->values, p->expr_count * sizeof *f->values);
  f->graphs = shapes->graphs;
  for (uint32_t i = 0; i < p->buffer_count; i++)
    if (p->buffers[i].home == HOME_ARENA)
      f->buffers[i].data = place_of_buffer(s, shapes, i);
  for (uint32_t i = 0; i < p->slot_count; i++) {
    const plan_slot *slot = &p->slots[i];
    if (slot->late || slot->buffer == NONE)
      continue;
    pir_frame_shape(f, i);
    pir_frame_point(f, i);
  }
}

pir_status pir_session_plan(pir_session *session) {
  shape_plan *shapes;
  PIR_TRY(read_symbols(session));
  PIR_TRY(find_plan(session, &shapes));
  shapes->last_use = ++session->uses;
  PIR_TRY(check_inputs(session, shapes));
  PIR_TRY(grow_arena(session, shapes->arena_bytes));
  PIR_TRY(grow_device_arena(session, shapes->device_bytes));
  if (session->separate && session->current != shapes)
    PIR_TRY(pir_session_separate(session, shapes));
  if (session->current != shapes)
    set_up(session, shapes);
  session->current = shapes;
  session->stats.plan_bytes = shapes->arena_bytes;
  session->stats.live_peak_bytes = shapes->live_bytes;
  if (!shapes->checked)
    PIR_TRY(pir_frame_check(&session->frame));
  shapes->checked = true;
  return PIR_OK;
}
