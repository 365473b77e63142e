// Frames: the memory that a run writes to, allocated once for a plan.
#include "frame.h"
#include <string.h>

size_t pir_exec_bytes(const pir_tensor *dense) {
  size_t bytes;
  return pir_shape_bytes(dense->shape, dense->rank, dense->dtype, &bytes) ? 0 : bytes;
}

pir_status pir_exec_fail(pir_message *message, pir_status status, const char *format, ...) {
  va_list args;
  va_start(args, format);
  pir_text_vformat(message->text, sizeof message->text, format, args);
  va_end(args);
  return status;
}

void pir_exec_add_place(pir_message *message, const char *place) {
  static const char begin[] = " (at ";
  size_t used = strlen(message->text), room = sizeof message->text - used;
  bool fits = strlen(place) + sizeof begin + 1 < room;
  if (*place && used && fits && !strstr(message->text, begin))
    pir_text_format(message->text + used, room, "%s%s)", begin, place);
}

pir_status pir_frame_fail_op(frame *f, pir_status status, const char *op, const char *why) {
  bool names_it = strstr(why, op) != NULL;
  return names_it ? pir_exec_fail(&f->message, status, "%s", why)
                  : pir_exec_fail(&f->message, status, "\"%s\": %s", op, why);
}

pir_status pir_exec_tell(pir_diag_sink sink, pir_severity severity, pir_status status,
                         const char *text) {
  pir_diag diag = {.size = sizeof diag, .severity = severity, .message = pir_str_from(text)};
  if (sink.report)
    sink.report(sink.user, &diag);
  return status;
}

// Creates the frames of the regions, recursively, at most PLAN_DEEPEST deep.
static pir_status create_regions(frame *f) {
  const plan *p = f->plan;
  f->regions = pir_arena_zalloc(&f->memory, 2 * (size_t)p->control_count * sizeof *f->regions);
  if (!f->regions)
    return PIR_EXHAUSTED;
  for (uint32_t i = 0; i < 2 * p->control_count; i++) {
    const plan_region *region = &p->controls[i / 2].regions[i % 2];
    frame *inner = &f->regions[i];
    if (!region->plan)
      continue;
    PIR_TRY(pir_frame_create(region->plan, &f->allocator, inner));
    inner->carried =
        pir_arena_zalloc(&inner->memory, region->yield_count * sizeof *inner->carried);
    if (!inner->carried)
      return PIR_EXHAUSTED;
    for (uint32_t k = 0; k < region->plan->expr_count; k++)
      (void)pir_plan_evaluate(region->plan, k, inner->values);
  }
  return PIR_OK;
}

pir_status pir_frame_create(const plan *of, const pir_allocator *allocator, frame *out_frame) {
  *out_frame = (frame){.plan = of,
                       .allocator = *allocator,
                       .parallel = pir_parallel_serial(),
                       .memory.source = *allocator,
                       .run.source = *allocator,
                       .budget = UINT64_MAX};
  pir_arena *memory = &out_frame->memory;
  out_frame->values = pir_arena_zalloc(memory, of->expr_count * sizeof *out_frame->values);
  out_frame->tensors = pir_arena_zalloc(memory, of->slot_count * sizeof *out_frame->tensors);
  out_frame->buffers = pir_arena_zalloc(memory, of->buffer_count * sizeof *out_frame->buffers);
  out_frame->pointers = pir_arena_zalloc(memory, of->most_slots * sizeof *out_frame->pointers);
  out_frame->group_buffers =
      pir_arena_zalloc(memory, of->most_buffers * sizeof *out_frame->group_buffers);
  out_frame->group_dims =
      pir_arena_zalloc(memory, of->most_dims * sizeof *out_frame->group_dims);
  out_frame->arguments =
      pir_arena_zalloc(memory, (of->most_buffers + of->most_dims + 3) * sizeof(void *));
  if (!memory->failed && !create_regions(out_frame))
    return PIR_OK;
  pir_frame_release(out_frame);
  *out_frame = (frame){0};
  return PIR_EXHAUSTED;
}

void pir_frame_release(frame *f) {
  for (uint32_t i = 0; f->regions && i < 2 * f->plan->control_count; i++)
    if (f->regions[i].plan)
      pir_frame_release(&f->regions[i]);
  if (f->plan && f->buffers)
    pir_frame_drop_late(f, true);
  if (f->plan && f->tensors)
    pir_frame_drop_lods(f);
  pir_frame_drop_texts(f);
  pir_mem_give(&f->allocator, f->scratch, f->scratch_step * (size_t)f->parallel.threads);
  pir_arena_destroy(&f->run);
  pir_arena_destroy(&f->memory);
}

pir_status pir_frame_scratch(frame *f, int threads) {
  size_t step = (f->plan->scratch_bytes + 63) & ~(size_t)63, total;
  f->parallel.threads = threads;
  if (!step)
    return PIR_OK;
  if (__builtin_mul_overflow(step, (size_t)threads, &total))
    return PIR_EXHAUSTED;
  f->scratch = pir_mem_get(&f->allocator, total);
  if (!f->scratch)
    return PIR_EXHAUSTED;
  f->scratch_step = step;
  return PIR_OK;
}

void pir_frame_shape(frame *f, uint32_t slot) {
  const plan_slot *s = &f->plan->slots[slot];
  pir_tensor *tensor = &f->tensors[slot];
  int64_t stride = 1;
  tensor->dtype = s->dtype;
  tensor->rank = s->rank;
  for (int i = 0; i < s->rank; i++)
    tensor->shape[i] = f->values[f->plan->words[s->shape + i]];
  for (int i = s->rank; i-- > 0;) {
    int d = s->order[i];
    tensor->strides[d] = stride;
    stride *= d == s->axis ? s->room : tensor->shape[d];
  }
}

void pir_frame_point(frame *f, uint32_t slot) {
  const plan_slot *s = &f->plan->slots[slot];
  pir_tensor *tensor = &f->tensors[slot];
  char *data = f->buffers[s->buffer].data;
  tensor->data = s->axis < 0 ? data
                             : data + s->offset * tensor->strides[s->axis] *
                                          (int64_t)pir_dtype_size(s->dtype);
}

void pir_frame_drop_late(frame *f, bool outputs) {
  for (uint32_t i = 0; i < f->plan->buffer_count; i++) {
    frame_buffer *buffer = &f->buffers[i];
    if (!buffer->late_bytes || (f->plan->buffers[i].index != NONE && !outputs))
      continue;
    pir_frame_give(f, buffer);
  }
}

pir_status pir_frame_take(frame *f, size_t bytes, frame_buffer *out_buffer) {
  *out_buffer = (frame_buffer){0};
  bytes = bytes ? bytes : 1;
  if (bytes > f->budget)
    return pir_exec_fail(&f->message, PIR_EXHAUSTED,
                         "more memory is needed than max_bytes allows");
  void *data = pir_mem_get(&f->allocator, bytes);
  if (!data)
    return PIR_EXHAUSTED;
  if (f->budget != UINT64_MAX)
    f->budget -= bytes;
  *out_buffer = (frame_buffer){data, bytes, false};
  return PIR_OK;
}

pir_status pir_frame_take_on_device(frame *f, size_t bytes, frame_buffer *out_buffer) {
  *out_buffer = (frame_buffer){0};
  bytes = bytes ? bytes : 1;
  pir_status status = pir_queue_take(f->queue, bytes, &out_buffer->data);
  if (!status)
    *out_buffer = (frame_buffer){out_buffer->data, bytes, true};
  return pir_frame_queue_status(f, status);
}

void pir_frame_give(frame *f, frame_buffer *buffer) {
  if (buffer->device) {
    pir_queue_give(f->queue, buffer->data, buffer->late_bytes);
  } else if (buffer->late_bytes == ARRAY_BYTES) {
    pir_array_release(f, buffer->data);
  } else if (buffer->late_bytes) {
    pir_mem_give(&f->allocator, buffer->data, buffer->late_bytes);
    f->budget += f->budget == UINT64_MAX ? 0 : buffer->late_bytes;
  }
  *buffer = (frame_buffer){0};
}
