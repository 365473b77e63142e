// Level-of-detail offsets in a run. They are borrowed from the inputs, or made by a kernel and
// kept by the frame until the next run. Only ops over sequences use them; an op that keeps the
// rows of its operand keeps its offsets. A run without offsets pays nothing.
#include "frame.h"

void pir_frame_drop_lods(frame *f) {
  if (!f->has_lods && !f->lods)
    return;
  for (uint32_t i = 0; f->regions && i < 2 * f->plan->control_count; i++)
    if (f->regions[i].plan)
      pir_frame_drop_lods(&f->regions[i]);
  for (uint32_t i = 0; i < f->plan->slot_count; i++)
    f->tensors[i].lod_levels = 0;
  while (f->lods) {
    pir_lod_block *block = f->lods;
    f->lods = block->next;
    pir_mem_give(&f->allocator, block, block->bytes);
  }
  f->has_lods = false;
}

static void share(const pir_tensor *from, pir_tensor *to) {
  to->lod = from->lod;
  to->lod_sizes = from->lod_sizes;
  to->lod_levels = from->lod_levels;
}

static bool may_share(const pir_tensor *from, const pir_tensor *to) {
  return from->rank > 0 && to->rank > 0 && from->shape[0] == to->shape[0];
}

void pir_frame_forget_lods(frame *f, const plan_instr *instr) {
  for (uint32_t i = 0; i < instr->out_count; i++) {
    uint32_t slot = f->plan->words[instr->out + i];
    bool read = false;
    for (uint32_t k = 0; k < instr->in_count && !read; k++)
      read = f->plan->words[instr->in + k] == slot;
    if (slot != NONE && !read)
      f->tensors[slot].lod_levels = 0;
  }
}

void pir_frame_take_lod(frame *f, uint32_t slot) {
  pir_tensor *to = &f->tensors[slot];
  uint32_t from = slot;
  if (f->repeats && f->plan->slots[slot].view_of != NONE)
    to->lod_levels = 0;
  while (!f->tensors[from].lod_levels && f->plan->slots[from].view_of != NONE) {
    from = f->plan->slots[from].view_of;
    if (!may_share(&f->tensors[from], to))
      return;
  }
  if (from != slot)
    share(&f->tensors[from], to);
}

void pir_frame_take_lods(frame *f, const plan_instr *instr) {
  for (uint32_t i = 0; i < instr->in_count; i++) {
    uint32_t slot = f->plan->words[instr->in + i];
    if (slot != NONE)
      pir_frame_take_lod(f, slot);
  }
}

static const pir_tensor *with_sequences(const frame *f, const plan_instr *instr) {
  for (uint32_t i = 0; i < instr->in_count; i++) {
    uint32_t slot = f->plan->words[instr->in + i];
    if (slot != NONE && f->tensors[slot].lod_levels && f->tensors[slot].rank > 0)
      return &f->tensors[slot];
  }
  return NULL;
}

void pir_frame_pass_lods(frame *f, const plan_instr *instr) {
  const pir_tensor *from = with_sequences(f, instr);
  for (uint32_t i = 0; from && i < instr->out_count; i++) {
    uint32_t slot = f->plan->words[instr->out + i];
    pir_tensor *to = slot == NONE ? NULL : &f->tensors[slot];
    if (to && !to->lod_levels && may_share(from, to))
      share(from, to);
  }
}
