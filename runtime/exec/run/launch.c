// Instructions on a device: groups launch kernels, transfers copy over the bus. Both are only
// enqueued. The host waits before it reads memory that a transfer writes. A check that fails in
// a kernel is found after that wait, so it ends the run before any of its results is read.
#include "frame.h"

#include <string.h>

pir_status pir_frame_queue_status(frame *f, pir_status status) {
  f->queued = true;
  return status ? pir_exec_fail(&f->message, status, "%s", pir_queue_message(f->queue))
                : PIR_OK;
}

static pir_status launch(frame *f, const pir_stage_kernel *stage,
                         const pir_device_kernel *kernel, uint64_t number, int64_t units) {
  pir_device_report *report = pir_queue_report(f->queue);
  void **argument = f->arguments;
  for (uint16_t i = 0; i < stage->buffer_count; i++)
    *argument++ = &f->group_buffers[stage->buffers[i]];
  for (uint16_t i = 0; i < stage->dim_count; i++)
    *argument++ = &f->group_dims[stage->dims[i]];
  if (stage->reports) {
    *argument++ = &report;
    *argument++ = &number;
  }
  *argument = &units;
  int64_t blocks = (units - 1) / stage->units + 1;
  return pir_queue_launch(f->queue, kernel, blocks, stage->threads, f->arguments);
}

pir_status pir_frame_launched(frame *f, const plan_instr *instr, pir_status status) {
  f->queued = true;
  if (!status)
    return PIR_OK;
  status = pir_frame_fail_op(f, status, instr->label, pir_queue_message(f->queue));
  pir_exec_add_place(&f->message, instr->place);
  return status;
}

pir_status pir_frame_launch(frame *f, const plan_instr *instr) {
  const plan *p = f->plan;
  const plan_group *group = &p->groups[instr->detail];
  PIR_TRY(pir_frame_fill_arguments(f, instr));
  for (size_t i = 0; i < group->code->stage_count; i++) {
    int64_t units = f->values[p->words[group->units + i]];
    if (units > 0)
      PIR_TRY(pir_frame_launched(f, instr,
                                 launch(f, group->code->stages[i].kernel,
                                        &f->kernels[group->kernels + i],
                                        (uint64_t)(instr - p->instrs), units)));
  }
  return PIR_OK;
}

static bool is_on_device(const frame *f, uint32_t slot) {
  uint32_t buffer = f->plan->slots[slot].buffer;
  return f->plan->buffers[buffer].device || (f->outside && f->outside[buffer]);
}

// Packs a constant on the host, in memory that is free again when the transfer is enqueued.
static pir_status upload_packed(frame *f, uint32_t in, uint32_t out) {
  const plan *p = f->plan;
  pir_tensor packed = f->tensors[out];
  size_t bytes = (size_t)f->values[p->buffers[p->slots[out].buffer].bytes];
  if (!bytes)
    return PIR_OK;
  packed.data = pir_mem_get(&f->allocator, bytes);
  if (!packed.data)
    return PIR_EXHAUSTED;
  memset(packed.data, 0, bytes);
  pir_status status = pir_tensor_copy(&f->tensors[in], &packed);
  if (!status)
    status = pir_frame_queue_status(
        f, pir_queue_upload(f->queue, f->tensors[out].data, packed.data, bytes));
  pir_mem_give(&f->allocator, packed.data, bytes);
  return status;
}

pir_status pir_frame_transfer(frame *f, const plan_instr *instr) {
  const plan *p = f->plan;
  uint32_t in = p->words[instr->in], out = p->words[instr->out];
  const pir_tensor *from = &f->tensors[in], *to = &f->tensors[out];
  size_t bytes;
  if (instr->detail)
    return upload_packed(f, in, out);
  PIR_TRY(pir_shape_bytes(from->shape, from->rank, from->dtype, &bytes));
  if (!bytes)
    return PIR_OK;
  bool from_device = is_on_device(f, in), to_device = is_on_device(f, out);
  if (from_device && to_device)
    return pir_frame_queue_status(f, pir_queue_copy(f->queue, to->data, from->data, bytes));
  if (to_device)
    return pir_frame_queue_status(f, pir_queue_upload(f->queue, to->data, from->data, bytes));
  f->downloading = true;
  return pir_frame_queue_status(f, pir_queue_download(f->queue, to->data, from->data, bytes));
}

static pir_status check_report(frame *f) {
  pir_device_report *report = pir_queue_report(f->queue);
  if (!report->check)
    return PIR_OK;
  const plan_instr *instr = &f->plan->instrs[report->launch];
  const pir_compiled_group *code = f->plan->groups[instr->detail].code;
  pir_exec_fail(&f->message, PIR_INVALID, "%s", code->traps[report->check - 1]);
  pir_exec_add_place(&f->message, instr->place);
  *report = (pir_device_report){0};
  return PIR_INVALID;
}

pir_status pir_frame_wait(frame *f) {
  f->downloading = false;
  PIR_TRY(pir_frame_queue_status(f, pir_queue_wait(f->queue)));
  return check_report(f);
}

pir_status pir_frame_settle(frame *f) {
  return f->downloading ? pir_frame_wait(f) : PIR_OK;
}

void pir_frame_abandon(frame *f) {
  f->downloading = false;
  // Otherwise the report is of an earlier run, and the next wait tells of it.
  if (f->queue && f->queued)
    pir_queue_abandon(f->queue);
}
