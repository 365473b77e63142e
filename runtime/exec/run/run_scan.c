// Runs scans (plan/plan_scan.c): the instructions of one step, for each step in turn.
#include "frame.h"

#include <string.h>

static void show_steps(frame *f, const plan_instr *instr, const plan_scan *scan, int64_t t) {
  const uint32_t *words = f->plan->words, *shown = words + scan->shown;
  for (uint32_t i = 0; i < scan->sequences; i++) {
    uint32_t count = *shown++;
    const pir_tensor *sequence = &f->tensors[words[instr->in + i]];
    char *data = (char *)sequence->data + (size_t)t * pir_exec_bytes(&f->tensors[shown[0]]);
    for (uint32_t k = 0; k < count; k++)
      f->tensors[*shown++].data = data;
  }
}

// Copies a step's results: stacks first, because they may refer to the previous states.
static void take_step(frame *f, const plan_instr *instr, const plan_scan *scan, int64_t t) {
  const uint32_t *words = f->plan->words;
  for (uint32_t i = scan->states + scan->stacks; i-- > 0;) {
    const pir_tensor *from = &f->tensors[words[scan->yields + i]],
                     *to = &f->tensors[words[instr->out + i]];
    size_t bytes = pir_exec_bytes(from), at = i < scan->states ? 0 : (size_t)t * bytes;
    if (bytes && from->data != to->data)
      memcpy((char *)to->data + at, from->data, bytes);
  }
}

static pir_status run_step(frame *f, const plan_scan *scan, uint32_t number) {
  for (uint32_t i = number + 1; i < scan->end; i++) {
    if (f->plan->instrs[i].once)
      continue;
    PIR_TRY(pir_frame_run_instr(f, i));
    if (f->plan->instrs[i].kind == PLAN_SCAN)
      i = f->plan->scans[f->plan->instrs[i].detail].end;
  }
  return PIR_OK;
}

static pir_status check_lengths(frame *f, const plan_instr *instr, const plan_scan *scan,
                                int64_t steps) {
  for (uint32_t i = 1; i < scan->sequences; i++) {
    int64_t found = f->tensors[f->plan->words[instr->in + i]].shape[0];
    if (found != steps)
      return pir_exec_fail(&f->message, PIR_INVALID,
                           "\"%s\": a sequence has %lld steps and another one %lld",
                           instr->label, (long long)steps, (long long)found);
  }
  return PIR_OK;
}

pir_status pir_frame_run_scan(frame *f, uint32_t number) {
  const plan *p = f->plan;
  const plan_instr *instr = &p->instrs[number];
  const plan_scan *scan = &p->scans[instr->detail];
  int64_t steps = f->tensors[p->words[instr->in]].shape[0];
  bool scanning = f->scanning;
  PIR_TRY(check_lengths(f, instr, scan, steps));
  for (uint32_t i = 0; i < scan->states; i++)
    PIR_TRY(pir_tensor_copy(&f->tensors[p->words[instr->in + scan->sequences + i]],
                            &f->tensors[p->words[instr->out + i]]));
  f->scanning = true;
  pir_status status = PIR_OK;
  for (int64_t s = 0; s < steps && !status; s++) {
    int64_t t = scan->reverse ? steps - 1 - s : s;
    if (pir_frame_is_cancelled(f))
      status = pir_exec_fail(&f->message, PIR_CANCELLED, "%s in a scan",
                             pir_watch_reason(&f->watch));
    show_steps(f, instr, scan, t);
    f->backwards = s & 1;
    if (!status)
      status = run_step(f, scan, number);
    if (!status)
      take_step(f, instr, scan, t);
  }
  f->scanning = scanning;
  f->backwards = false;
  return status;
}
