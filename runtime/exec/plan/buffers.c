// Plans memory: finds the instructions that run once, the lifetime of each buffer, and the
// results that take the memory of a dying operand. Then builds three lists: arena buffers by
// first instruction, arena buffers by last instruction, and the late buffers that each
// instruction frees. O(instructions + buffers).
#include "plan_build.h"

#include <pir/layer/once.h>

// ---- what needs to run only once

static uint32_t home_of(const plan *p, uint32_t slot) {
  return p->buffers[p->slots[slot].buffer].home;
}

static bool small_enough(const plan *p, const plan_instr *instr) {
  int64_t in = 0, out = 0;
  for (uint32_t i = 0; i < instr->in_count + instr->out_count; i++) {
    bool is_in = i < instr->in_count;
    uint32_t slot = p->words[is_in ? instr->in + i : instr->out + i - instr->in_count];
    if (slot == NONE)
      continue;
    uint32_t bytes = p->buffers[p->slots[slot].buffer].bytes;
    if (bytes == NONE || p->exprs[bytes].kind != PIR_DIM_CONST)
      return false;
    if (__builtin_add_overflow(is_in ? in : out, p->exprs[bytes].value, is_in ? &in : &out))
      return false;
  }
  return pir_once_is_worthwhile(in, out);
}

// Constants are bytes that a model may store, which views of strings are not.
static bool makes_strings(const plan *p, const plan_instr *instr) {
  for (uint32_t i = 0; i < instr->out_count; i++) {
    uint32_t slot = p->words[instr->out + i];
    if (slot != NONE && p->slots[slot].dtype == PIR_PSTRING)
      return true;
  }
  return false;
}

static bool runs_once(const plan *p, const plan_instr *instr) {
  if ((instr->kind != PLAN_CALL && instr->kind != PLAN_TRANSFER) || instr->late)
    return false;
  uint32_t traits = instr->kind == PLAN_CALL ? p->calls[instr->detail].def->traits : PIR_PURE;
  if (!(traits & PIR_PURE) || (traits & PIR_RANDOM))
    return false;
  for (uint32_t i = 0; i < instr->in_count; i++)
    if (p->words[instr->in + i] != NONE && home_of(p, p->words[instr->in + i]) != HOME_CONST)
      return false;
  for (uint32_t i = 0; i < instr->out_count; i++)
    if (p->words[instr->out + i] != NONE && home_of(p, p->words[instr->out + i]) != HOME_ARENA)
      return false;
  // What the device reads of constants lies there in any case.
  return !makes_strings(p, instr) && (instr->kind == PLAN_TRANSFER || small_enough(p, instr));
}

static void make_constants(plan *p, plan_instr *instr) {
  instr->once = true;
  for (uint32_t i = 0; i < instr->out_count; i++) {
    uint32_t slot = p->words[instr->out + i];
    if (slot == NONE)
      continue;
    plan_buffer *buffer = &p->buffers[p->slots[slot].buffer];
    plan_const *constant = ARRAY_PUSH(&p->memory, p->consts, p->const_count, p->const_capacity);
    *constant = (plan_const){.slot = slot, .bytes = (size_t)p->exprs[buffer->bytes].value};
    buffer->home = HOME_CONST;
    buffer->index = p->const_count - 1;
  }
}

// ---- lifetimes

static void touch(plan *p, uint32_t slot, uint32_t instr) {
  if (slot == NONE)
    return;
  plan_buffer *buffer = &p->buffers[p->slots[slot].buffer];
  if (buffer->first == NONE)
    buffer->first = instr;
  buffer->last = instr;
}

static uint32_t root_of(uint32_t *parents, uint32_t buffer) {
  while (parents[buffer] != buffer)
    buffer = parents[buffer] = parents[parents[buffer]];
  return buffer;
}

static void reuse_memory(plan_builder *b) {
  plan *p = b->p;
  uint32_t *parents = pir_arena_zalloc(&b->scratch, p->buffer_count * sizeof *parents);
  for (uint32_t i = 0; i < p->buffer_count; i++)
    parents[i] = i;
  for (uint32_t i = 0; i < b->reuse_count; i++) {
    const reuse_pair *pair = &b->reuses[i];
    uint32_t from = root_of(parents, p->slots[pair->in].buffer),
             to = root_of(parents, p->slots[pair->out].buffer);
    plan_buffer *in = &p->buffers[from], *out = &p->buffers[to];
    if (from == to || in->device || out->device || in->home != HOME_ARENA ||
        (out->home != HOME_ARENA && out->home != HOME_OUTPUT))
      continue;
    if (in->last != pair->instr || out->first != pair->instr)
      continue;
    in->last = out->last;
    in->home = out->home;
    in->index = out->index;
    out->first = NONE;
    parents[to] = from;
  }
  for (uint32_t i = 0; i < p->slot_count; i++)
    if (p->slots[i].buffer != NONE)
      p->slots[i].buffer = root_of(parents, p->slots[i].buffer);
}

// ---- lists

// Lists the buffers of a home with a lifetime, ordered by first or last instruction.
static uint32_t *order_buffers(plan_builder *b, bool by_last, plan_home home,
                               uint32_t *out_count) {
  plan *p = b->p;
  uint32_t *starts = pir_arena_zalloc(&b->scratch, (p->instr_count + 2) * sizeof *starts),
           count = 0;
  uint32_t *ordered = pir_arena_zalloc(&p->memory, p->buffer_count * sizeof *ordered);
  for (int place = 0; place < 2; place++) {
    for (uint32_t i = 0; i < p->buffer_count; i++) {
      const plan_buffer *buffer = &p->buffers[i];
      if (buffer->home != home || buffer->first == NONE)
        continue;
      uint32_t key = by_last ? buffer->last : buffer->first;
      if (place)
        ordered[starts[key]++] = i;
      else {
        starts[key + 1]++;
        count++;
      }
    }
    if (!place)
      for (uint32_t i = 0; i < p->instr_count; i++)
        starts[i + 1] += starts[i];
  }
  *out_count = count;
  return ordered;
}

static void list_frees(plan_builder *b) {
  plan *p = b->p;
  uint32_t count = 0;
  uint32_t *late = order_buffers(b, true, HOME_LATE, &count);
  for (uint32_t i = 0; i < count; i++) {
    if (p->buffers[late[i]].index != NONE)
      continue;  // an output stays until the next run
    plan_instr *instr = &p->instrs[p->buffers[late[i]].last];
    uint32_t word = pir_plan_word(b, late[i]);
    if (instr->free_count++ == 0)
      instr->frees = word;
  }
}

void pir_plan_lifetimes(plan_builder *b) {
  plan *p = b->p;
  for (uint32_t i = 0; i < p->instr_count; i++)
    if (runs_once(p, &p->instrs[i]))
      make_constants(p, &p->instrs[i]);
  for (uint32_t i = 0; i < p->instr_count; i++) {
    const plan_instr *instr = &p->instrs[i];
    if (instr->once)
      continue;
    for (uint32_t k = 0; k < instr->in_count; k++)
      touch(p, p->words[instr->in + k], i);
    for (uint32_t k = 0; k < instr->out_count; k++)
      touch(p, p->words[instr->out + k], i);
  }
  reuse_memory(b);
  p->by_first = order_buffers(b, false, HOME_ARENA, &p->arena_count);
  p->by_last = order_buffers(b, true, HOME_ARENA, &p->arena_count);
  list_frees(b);
}
