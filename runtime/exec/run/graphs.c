// Graphs of a device. Groups that follow each other, with all their memory planned, are a
// segment. The first run of a set of shapes launches its kernels one by one; the second
// captures them; from then on a segment is one launch. A graph holds addresses, so it goes when
// the arena moves. Where the stream cannot be captured, kernels are launched as before.
#include "session_impl.h"

static bool is_planned(const plan *p, uint32_t slot) {
  return slot == NONE || !p->slots[slot].late;
}

static bool can_capture(const plan *p, const plan_instr *instr) {
  if (instr->kind != PLAN_GROUP || instr->late || instr->once || instr->symbol_count ||
      instr->free_count)
    return false;
  for (uint32_t i = 0; i < instr->in_count; i++)
    if (!is_planned(p, p->words[instr->in + i]))
      return false;
  for (uint32_t i = 0; i < instr->out_count; i++)
    if (!is_planned(p, p->words[instr->out + i]))
      return false;
  return true;
}

void pir_plan_find_segments(plan *p) {
  for (uint32_t i = 0; i < p->instr_count && p->kernel_count; i++) {
    uint32_t end = i;
    while (end < p->instr_count && can_capture(p, &p->instrs[end]))
      end++;
    if (end - i < 2)
      continue;
    p->instrs[i].segment_end = end;
    p->instrs[i].segment = p->segment_count++;
    i = end - 1;
  }
}

static pir_status launch_all(frame *f, uint32_t first) {
  for (uint32_t i = first; i < f->plan->instrs[first].segment_end; i++)
    PIR_TRY(pir_frame_launch(f, &f->plan->instrs[i]));
  return PIR_OK;
}

static pir_status capture(frame *f, uint32_t first, segment_graph *slot) {
  if (pir_queue_begin_graph(f->queue)) {
    slot->refused = true;
    return launch_all(f, first);
  }
  pir_status status = launch_all(f, first), ended = pir_queue_end_graph(f->queue, &slot->graph);
  if (status) {  // the graph has not all kernels
    pir_queue_drop_graph(f->queue, slot->graph);
    slot->graph = NULL;
    return status;
  }
  if (ended) {
    slot->refused = true;
    return launch_all(f, first);
  }
  return PIR_OK;
}

pir_status pir_frame_run_segment(frame *f, uint32_t first) {
  segment_graph *slot = &f->graphs[f->plan->instrs[first].segment];
  if (!slot->graph && (slot->refused || slot->runs++ == 0))
    return launch_all(f, first);
  if (!slot->graph)
    PIR_TRY(capture(f, first, slot));
  if (!slot->graph)
    return PIR_OK;  // refused: launched already
  return pir_frame_launched(f, &f->plan->instrs[first],
                            pir_queue_run_graph(f->queue, slot->graph));
}

void pir_session_drop_graphs(pir_session *s, shape_plan *shapes) {
  for (uint32_t i = 0; shapes->graphs && i < s->model->plan.segment_count; i++) {
    pir_queue_drop_graph(s->frame.queue, shapes->graphs[i].graph);
    shapes->graphs[i] = (segment_graph){0};
  }
}
