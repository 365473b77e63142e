// Level-of-detail offsets in a run. They are borrowed from the inputs, or made by a kernel and
// kept by the frame until the next run. Ops know nothing of them but those over sequences: what
// keeps the rows keeps the sequences. Nothing is done in a run without offsets.
#include "frame.h"

void pir_frame_drop_lods(frame *f) {
  for (uint32_t i = 0; f->has_lods && i < f->plan->slot_count; i++)
    f->tensors[i].lod_levels = 0;
  while (f->lods) {
    pir_lod_block *block = f->lods;
    f->lods = block->next;
    pir_mem_give(&f->allocator, block, block->bytes);
  }
  f->has_lods = false;
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
    if (!to || to->lod_levels || to->rank < 1 || to->shape[0] != from->shape[0])
      continue;
    to->lod = from->lod, to->lod_sizes = from->lod_sizes, to->lod_levels = from->lod_levels;
  }
}
