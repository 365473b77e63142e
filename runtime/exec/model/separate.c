// Sessions whose tensors have memory of their own, for memory checkers: each buffer of the plan
// and each constant is one block of the caller's allocator, of exactly its size, so that an
// access beyond a tensor leaves its block. Blocks are replaced when the shapes change.
#include "session_impl.h"

#include <string.h>

// Makes the block exactly as large; its old contents are lost.
static pir_status resize(pir_session *s, owned_block *block, size_t bytes) {
  if (block->data && block->bytes == bytes)
    return PIR_OK;
  pir_mem_give(&s->allocator, block->data, block->bytes);
  *block = (owned_block){pir_mem_get(&s->allocator, bytes), bytes};
  return block->data ? PIR_OK : PIR_EXHAUSTED;
}

static pir_status copy_block(pir_session *s, owned_block *block, const void *data,
                             size_t bytes) {
  PIR_TRY(resize(s, block, bytes));
  memcpy(block->data, data, bytes);
  return PIR_OK;
}

static pir_status copy_packs(pir_session *s) {
  const plan *p = &s->model->plan;
  void **packed = pir_arena_zalloc(&s->memory, p->pack_count * sizeof *packed);
  s->separate_packs = pir_arena_zalloc(&s->memory, p->pack_count * sizeof *s->separate_packs);
  if (!packed || !s->separate_packs)
    return PIR_EXHAUSTED;
  for (uint32_t i = 0; i < p->pack_count; i++) {
    packed[i] = s->model->packed[i];
    if (!p->packs)  // a prepared model's: it is read in its file
      continue;
    // Code takes packed constants to be aligned, so they end at a multiple of it.
    size_t bytes = (p->packs[i].packing->bytes + 63) & ~(size_t)63;
    PIR_TRY(resize(s, &s->separate_packs[i], bytes));
    memcpy(s->separate_packs[i].data, packed[i], p->packs[i].packing->bytes);
    packed[i] = s->separate_packs[i].data;
  }
  s->frame.packed = packed;
  return PIR_OK;
}

pir_status pir_session_separate_constants(pir_session *s) {
  const plan *p = &s->model->plan;
  s->separate_buffers =
      pir_arena_zalloc(&s->memory, p->buffer_count * sizeof *s->separate_buffers);
  if (!s->separate_buffers)
    return PIR_EXHAUSTED;
  for (uint32_t i = 0; i < p->buffer_count; i++) {
    if (p->buffers[i].home != HOME_CONST || p->buffers[i].device || !s->frame.buffers[i].data)
      continue;
    owned_block *block = &s->separate_buffers[i];
    size_t bytes = p->consts[p->buffers[i].index].bytes;
    PIR_TRY(copy_block(s, block, s->frame.buffers[i].data, bytes));
    s->frame.buffers[i].data = block->data;
  }
  return copy_packs(s);
}

pir_status pir_session_separate(pir_session *s, const shape_plan *shapes) {
  const plan *p = &s->model->plan;
  s->current = NULL;  // the frame points to the old blocks
  for (uint32_t i = 0; i < p->buffer_count; i++) {
    const plan_buffer *buffer = &p->buffers[i];
    if (buffer->home == HOME_ARENA && !buffer->device && buffer->first != NONE)
      PIR_TRY(resize(s, &s->separate_buffers[i], (size_t)shapes->values[buffer->bytes]));
  }
  return PIR_OK;
}

void pir_session_drop_separate(pir_session *s) {
  const plan *p = &s->model->plan;
  for (uint32_t i = 0; s->separate_buffers && i < p->buffer_count; i++)
    pir_mem_give(&s->allocator, s->separate_buffers[i].data, s->separate_buffers[i].bytes);
  for (uint32_t i = 0; s->separate_packs && i < p->pack_count; i++)
    pir_mem_give(&s->allocator, s->separate_packs[i].data, s->separate_packs[i].bytes);
}
