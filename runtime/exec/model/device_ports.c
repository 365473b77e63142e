// Inputs and outputs in the memory of a session's device. The plan reads inputs and writes
// outputs on the host, and transfers them: a port that only transfers touch is copied on the
// device instead. Any other one is downloaded before the run, or uploaded behind it.
#include "session_impl.h"

#include <pir/engine/device_memory.h>

// Whether the instruction reads more of an operand than its shape.
static bool reads(const plan *p, const plan_instr *instr, uint32_t operand) {
  return instr->kind != PLAN_GROUP || p->groups[instr->detail].code->reads[operand];
}

static void note(pir_session *s, const plan_instr *instr, uint32_t first, uint32_t count) {
  const plan *p = &s->model->plan;
  for (uint32_t i = 0; i < count; i++) {
    uint32_t slot = p->words[first + i];
    bool used = first != instr->in || reads(p, instr, i);
    if (used && slot != NONE && p->slots[slot].buffer != NONE)
      s->host_uses[p->slots[slot].buffer] |= instr->kind != PLAN_TRANSFER;
  }
}

pir_status pir_session_note_host_uses(pir_session *s) {
  const plan *p = &s->model->plan;
  s->host_uses = pir_arena_zalloc(&s->memory, p->buffer_count * sizeof *s->host_uses);
  s->frame.outside = pir_arena_zalloc(&s->memory, p->buffer_count * sizeof *s->host_uses);
  if (s->memory.failed)
    return PIR_EXHAUSTED;
  for (uint32_t i = 0; i < p->instr_count; i++) {
    note(s, &p->instrs[i], p->instrs[i].in, p->instrs[i].in_count);
    note(s, &p->instrs[i], p->instrs[i].out, p->instrs[i].out_count);
  }
  return PIR_OK;
}

// ---- binding

static pir_status check_device(pir_session *s, const pir_tensor *tensor) {
  if (tensor->dtype == PIR_PSTRING)
    return pir_exec_fail(&s->frame.message, PIR_UNSUPPORTED,
                         "unsupported: strings in the memory of a device");
  return s->frame.queue ? PIR_OK
                        : pir_exec_fail(&s->frame.message, PIR_UNSUPPORTED,
                                        "unsupported: memory of a device, which the model does "
                                        "not run on");
}

// Elements that decide on shapes are read before the run.
static pir_status check_symbols(pir_session *s, size_t i) {
  const plan *p = &s->model->plan;
  for (uint32_t k = 0; k < p->symbol_count; k++)
    if (p->symbols[k].source == i && p->symbols[k].axis < 0)
      return pir_exec_fail(&s->frame.message, PIR_UNSUPPORTED,
                           "unsupported: input %zu in the memory of a device, because its "
                           "elements decide on shapes",
                           i);
  return PIR_OK;
}

pir_status pir_session_bind_device_input(pir_session *s, size_t i, const pir_tensor *tensor) {
  if (!s)
    return PIR_INVALID;
  PIR_TRY(pir_session_bind_input(s, i, tensor));
  bound_input *input = &s->inputs[i];
  input->is_bound = false;
  PIR_TRY(check_device(s, tensor));
  PIR_TRY(check_symbols(s, i));
  if (!pir_session_reads_in_place(tensor))
    return pir_exec_fail(&s->frame.message, PIR_INVALID,
                         "input %zu must be aligned and row-major without gaps", i);
  input->is_bound = input->on_device = true;
  return PIR_OK;
}

pir_status pir_session_bind_device_output(pir_session *s, size_t i, const pir_tensor *tensor) {
  if (!s)
    return PIR_INVALID;
  PIR_TRY(pir_session_bind_output(s, i, tensor));
  bound_output *output = &s->outputs[i];
  if (!tensor)
    return PIR_OK;
  output->is_bound = false;
  PIR_TRY(check_device(s, tensor));
  output->is_bound = output->on_device = true;
  return PIR_OK;
}

// ---- running

pir_status pir_session_place_device_input(pir_session *s, uint32_t buffer, void **out_data) {
  bound_input *input = &s->inputs[s->model->plan.buffers[buffer].index];
  frame *f = &s->frame;
  f->outside[buffer] = !s->host_uses[buffer];
  *out_data = input->tensor.data;
  if (f->outside[buffer])
    return PIR_OK;
  size_t bytes = pir_exec_bytes(&input->tensor);
  PIR_TRY(pir_session_grow(s, &input->dense, bytes));
  *out_data = input->dense.data;
  PIR_TRY(pir_frame_queue_status(
      f, pir_queue_download(f->queue, input->dense.data, input->tensor.data, bytes)));
  return pir_frame_wait(f);
}

pir_status pir_session_upload(pir_session *s, const pir_tensor *from, const pir_tensor *to) {
  frame *f = &s->frame;
  size_t bytes = pir_exec_bytes(from);
  if (!bytes)
    return PIR_OK;
  if (pir_tensor_is_dense(from))
    return pir_frame_queue_status(f, pir_queue_upload(f->queue, to->data, from->data, bytes));
  pir_tensor dense = {.data = pir_mem_get(&s->allocator, bytes)};
  if (!dense.data)
    return PIR_EXHAUSTED;
  pir_tensor_set_dense(&dense, from->dtype, from->shape, from->rank);
  pir_status status = pir_tensor_copy(from, &dense);
  if (!status)
    status = pir_frame_queue_status(f, pir_queue_upload(f->queue, to->data, dense.data, bytes));
  pir_mem_give(&s->allocator, dense.data, bytes);
  return status;
}

pir_status pir_session_finish_outputs(pir_session *s) {
  bool waits = false;
  for (uint32_t i = 0; i < s->model->plan.output_count; i++)
    waits |= s->outputs[i].is_bound && s->outputs[i].on_device;
  return waits && s->own_stream ? pir_frame_wait(&s->frame) : PIR_OK;
}
