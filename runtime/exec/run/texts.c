// Bytes of strings in a run. An element of a tensor of strings is a view (pir_str), which moves
// as a number does; its bytes belong to the session until the next run. They were copied from
// an input or made by a kernel. Both count towards max_bytes.
#include "frame.h"

void pir_frame_count_texts(frame *f, const pir_text_block *before) {
  for (const pir_text_block *b = f->texts; b != before && f->budget != UINT64_MAX; b = b->next)
    f->budget -= b->bytes < f->budget ? b->bytes : f->budget;
}

void pir_frame_drop_texts(frame *f) {
  while (f->texts) {
    pir_text_block *block = f->texts;
    f->texts = block->next;
    pir_mem_give(&f->allocator, block, block->bytes);
  }
}
