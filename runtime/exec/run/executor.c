// The executor: runs the instructions of a plan in order. Kernels get shaped and allocated
// results; the units of a compiled group's stages are shared among the threads. It allocates
// only late memory.
#include "frame.h"
#include <string.h>
#include <time.h>

// ---- loops that end early

// Compiled groups and clauses write only their results and may stop anywhere, so their loops
// are watched. Other kernels may read back data that they write (numbers of elements, say), so
// they run to their end.
static pir_status check_loops(frame *f, pir_watched_loops *loops, const plan_instr *instr) {
  return atomic_load(&loops->ended) ? pir_exec_fail(&f->message, PIR_CANCELLED, "%s in %s",
                                                    pir_watch_reason(&f->watch), instr->label)
                                    : PIR_OK;
}

// ---- compiled groups

typedef struct stage_run {
  pir_stage_fn fn;
  const pir_group_args *args;
  char *scratch;
  size_t step;
  bool backwards;
} stage_run;

// Runs the units backwards, in pieces that run forwards.
static void run_range(void *user, int64_t begin, int64_t end, int thread) {
  enum { PIECES = 16 };
  const stage_run *run = user;
  char *scratch = run->scratch + (size_t)thread * run->step;
  int64_t piece = run->backwards ? (end - begin + PIECES - 1) / PIECES : end - begin;
  for (int64_t to = end; to > begin; to -= piece)
    run->fn(run->args, to - begin > piece ? to - piece : begin, to, scratch);
}

static pir_status check_extents(frame *f, const plan_instr *instr, const plan_group *group) {
  const uint32_t *pair = f->plan->words + group->equal;
  for (size_t i = 0; i < group->code->equal_count; i++, pair += 2)
    if (f->values[pair[0]] != f->values[pair[1]])
      return pir_exec_fail(
          &f->message, PIR_INVALID,
          "\"%s\": shapes do not fit together: an extent is %lld and must be %lld",
          instr->label, (long long)f->values[pair[0]], (long long)f->values[pair[1]]);
  return PIR_OK;
}

static pir_status check_bounds(frame *f, const plan_group *group) {
  const uint32_t *words = f->plan->words + group->bounds;
  const pir_compiled_group *code = group->code;
  for (size_t i = 0; i < code->bound_count; i++, words += 4) {
    const pir_group_bound *bound = &code->bounds[i];
    int64_t least = f->values[words[0]], most = f->values[words[1]],
            extent = f->values[words[2]], points = f->values[words[3]];
    bool inside = points == 0 || (least >= 0 && most < extent);
    if (bound->broadcasts)
      inside = extent == 1 || extent - 1 == most;
    if (!inside)
      return pir_exec_fail(&f->message, PIR_INVALID, "%s", code->traps[bound->trap - 1]);
  }
  return PIR_OK;
}

pir_status pir_frame_fill_arguments(frame *f, const plan_instr *instr) {
  const plan *p = f->plan;
  const plan_group *group = &p->groups[instr->detail];
  const pir_compiled_group *code = group->code;
  PIR_TRY(check_extents(f, instr, group));
  PIR_TRY(check_bounds(f, group));
  void **buffers = f->group_buffers;
  for (uint32_t i = 0; i < instr->in_count; i++) {
    uint32_t pack = p->words[group->packs + i], slot = p->words[instr->in + i];
    void *data = slot != NONE ? f->tensors[slot].data : NULL;
    *buffers++ = pack != NONE ? f->packed[pack] : data;
  }
  for (uint32_t i = 0; i < instr->out_count; i++)
    *buffers++ = f->tensors[p->words[instr->out + i]].data;
  for (size_t i = 0; i < code->temporary_count; i++)
    *buffers++ = f->buffers[group->temporaries + i].data;
  for (size_t i = 0; i < code->dim_count; i++)
    f->group_dims[i] = f->values[p->words[group->dims + i]];
  return PIR_OK;
}

// Loops around an extent of 0 may be long although they do nothing.
static bool writes_any(const frame *f, const plan_instr *instr) {
  const uint32_t *outs = f->plan->words + instr->out;
  for (uint32_t i = 0; i < instr->out_count; i++)
    if (pir_tensor_numel(&f->tensors[outs[i]]))
      return true;
  return false;
}

// The least that is shared among threads (is_worth_sharing). A clause that is evaluated takes
// longer than compiled code.
enum { LEAST_OF_GROUP = 1 << 15, LEAST_OF_STEP = 1 << 16, LEAST_OF_CLAUSE = 1 << 12 };

// The bytes of the tensors that an instruction reads and writes, but for results whose extents
// it finds itself: these have no memory yet.
static size_t touched_bytes(const frame *f, const plan_instr *instr) {
  size_t sum = 0, bytes;
  for (uint32_t i = 0; i < instr->in_count + instr->out_count; i++) {
    uint32_t slot =
        f->plan->words[i < instr->in_count ? instr->in + i : instr->out + i - instr->in_count];
    if (slot == NONE)
      continue;
    const pir_tensor *t = &f->tensors[slot];
    if (t->data && !pir_shape_bytes(t->shape, t->rank, t->dtype, &bytes))
      sum += bytes;
  }
  return sum;
}

// Whether an instruction takes long enough to amortise the one to five microseconds that its
// distribution to the session's worker threads costs. `least` is a number of bytes, or of
// operations. A caller's loops get everything: only the caller knows their cost.
static bool is_worth_sharing(const frame *f, const plan_instr *instr, uint32_t number,
                             int64_t least) {
  if (f->shares_all)
    return true;
  if (f->parallel.threads <= 1)
    return false;
  if (!f->scanning && instr->work != NONE &&
      (f->plan->exprs[instr->work].level > number || f->values[instr->work] >= least))
    return true;  // operations that are not known yet may be many
  return touched_bytes(f, instr) >= (size_t)least;
}

// Stages write only their results, so a failed check may stop them anywhere.
static pir_status check_trap(frame *f, const pir_compiled_group *code, uint32_t trap) {
  if (!trap)
    return PIR_OK;
  return pir_exec_fail(&f->message, PIR_INVALID, "%s", code->traps[trap - 1]);
}

static pir_status run_group(frame *f, const plan_instr *instr, uint32_t number) {
  const plan *p = f->plan;
  const plan_group *group = &p->groups[instr->detail];
  const pir_compiled_group *code = group->code;
  PIR_TRY(pir_frame_fill_arguments(f, instr));
  if (!writes_any(f, instr))
    return PIR_OK;
  uint32_t trap = 0;
  pir_group_args args = {f->group_buffers, f->group_dims, &trap};
  // The steps of a scan follow each other without other work between.
  bool shared =
      is_worth_sharing(f, instr, number, f->scanning ? LEAST_OF_STEP : LEAST_OF_GROUP);
  pir_watched_loops watched;
  pir_parallel loops = pir_parallel_watched(
      &watched, shared ? f->parallel : pir_parallel_serial(), &f->watch, false);
  for (size_t i = 0; i < code->stage_count && !trap; i++) {
    int64_t units = f->values[p->words[group->units + i]];
    stage_run run = {code->stages[i].fn, &args, f->scratch, f->scratch_step, f->backwards};
    if (units == 1)
      run_range(&run, 0, units, 0);
    else if (units > 1)
      loops.parallel_for(loops.pool, units, run_range, &run);
  }
  PIR_TRY(check_trap(f, code, trap));
  return check_loops(f, &watched, instr);
}

// ---- kernels

// A view of a late tensor may expect other extents than the run shows.
static pir_status check_renamed(frame *f, const plan_call *call, uint32_t in_count) {
  const pir_clause *clause = call->def->clause;
  int k = call->kernel ? -1 : pir_plan_renamed_operand(clause);
  bool linear = k >= 0 && clause->nodes[clause->body].map_kind == PIR_MAP_LINEAR;
  if (!linear || call->in_members[k] != 1 || call->out_members[0] != 1)
    return PIR_OK;
  const pir_tensor *in = f->pointers[call->in_first[k]];
  const pir_tensor *out = f->pointers[in_count + (uint32_t)call->out_first[0]];
  if (!in || !out || pir_tensor_numel(in) == pir_tensor_numel(out))
    return PIR_OK;
  return pir_exec_fail(&f->message, PIR_INVALID,
                       "\"%s\" would change the number of elements: expects %lld in its "
                       "result, found %lld",
                       call->def->name, (long long)pir_tensor_numel(out),
                       (long long)pir_tensor_numel(in));
}

pir_status pir_frame_fail_stated(frame *f, const char *op) {
  return pir_exec_fail(&f->message, PIR_INVALID,
                       "\"%s\" hands out another type or shape than its program says", op);
}

// Whether nothing was known of an operand when the call was planned, although it must be a
// tensor: an array of tensors, which it may turn out to be, is refused.
static pir_status find_unknown(frame *f, const plan_instr *instr, bool *out_unknown) {
  const plan *p = f->plan;
  const pir_kernel *kernel = p->calls[instr->detail].kernel;
  if (kernel && pir_kernel_takes_arrays(kernel))
    return PIR_OK;
  for (uint32_t i = 0; i < instr->in_count; i++) {
    uint32_t slot = p->words[instr->in + i];
    if (slot == NONE || p->slots[slot].rank >= 0)
      continue;
    const pir_tensor *tensor = &f->tensors[slot];
    if (tensor->data && tensor->dtype == PIR_UNDEFINED)
      return pir_exec_fail(&f->message, PIR_INVALID,
                           "\"%s\": expects a tensor, found an array of tensors", instr->label);
    *out_unknown = true;
  }
  return PIR_OK;
}

static pir_status run_call(frame *f, const plan_instr *instr, uint32_t number) {
  const plan *p = f->plan;
  const plan_call *call = &p->calls[instr->detail];
  const pir_tensor **in = f->pointers, **out = f->pointers + instr->in_count;
  for (uint32_t i = 0; i < instr->in_count + instr->out_count; i++) {
    uint32_t slot =
        p->words[i < instr->in_count ? instr->in + i : instr->out + i - instr->in_count];
    f->pointers[i] = slot == NONE ? NULL : &f->tensors[slot];
  }
  f->message.text[0] = 0;
  PIR_TRY(check_renamed(f, call, instr->in_count));
  pir_watched_loops loops;
  bool shared = call->kernel || is_worth_sharing(f, instr, number, LEAST_OF_CLAUSE);
  pir_parallel watched = pir_parallel_watched(
      &loops, shared ? f->parallel : pir_parallel_serial(), &f->watch, call->kernel != NULL);
  pir_kernel_call kernel = {.op = call->def->name,
                            .in = in,
                            .in_members = call->in_members,
                            .in_first = call->in_first,
                            .operand_count = call->def->operand_count,
                            .out = (pir_tensor *const *)out,
                            .out_members = call->out_members,
                            .out_first = call->out_first,
                            .result_count = call->def->result_count,
                            .attrs = call->attrs,
                            .attr_count = call->def->attr_count,
                            .clause = call->def->clause,
                            .kernel = call->kernel,
                            .generator = f->generator,
                            .rings = f->rings,
                            .parallel = watched,
                            .allocator = &f->allocator,
                            .most_bytes = f->budget == UINT64_MAX ? 0 : f->budget + !f->budget,
                            .lods = &f->lods,
                            .texts = &f->texts,
                            .cancel = f->watch.cancel,
                            .deadline_ns = f->watch.deadline,
                            .message = &f->message};
  const pir_text_block *before = f->texts;
  pir_status status = pir_kernel_run(&kernel);
  pir_frame_count_texts(f, before);
  PIR_TRY(check_loops(f, &loops, instr));
  if (status == PIR_CANCELLED)
    return pir_exec_fail(&f->message, status, "%s in %s", pir_watch_reason(&f->watch),
                         instr->label);
  if (!status)
    return PIR_OK;
  pir_message inner = f->message;
  status = pir_frame_fail_op(f, status, call->def->name, inner.text[0] ? inner.text : "failed");
  pir_frame_complete(f, instr);
  return status;
}

static pir_status run_copy(frame *f, const plan_instr *instr) {
  const plan *p = f->plan;
  return pir_tensor_copy(&f->tensors[p->words[instr->in]], &f->tensors[p->words[instr->out]]);
}

// ---- extents and memory known only now

static bool shape_known(const plan *p, uint32_t slot, uint32_t number) {
  const plan_slot *s = &p->slots[slot];
  for (int i = 0; i < s->rank; i++) {
    uint32_t extent = p->words[s->shape + i];
    if (extent == NONE || p->exprs[extent].level > number)
      return false;
  }
  return s->rank >= 0;
}

pir_status pir_frame_take_late(frame *f, uint32_t slot) {
  pir_tensor *tensor = &f->tensors[slot];
  frame_buffer *buffer = &f->buffers[f->plan->slots[slot].buffer];
  size_t bytes;
  PIR_TRY(pir_shape_bytes(tensor->shape, tensor->rank, tensor->dtype, &bytes));
  if (f->plan->buffers[f->plan->slots[slot].buffer].device)
    PIR_TRY(pir_frame_take_on_device(f, bytes, buffer));
  else
    PIR_TRY(pir_frame_take(f, bytes, buffer));
  tensor->data = buffer->data;
  return PIR_OK;
}

static void copy_shape(const pir_tensor *from, pir_tensor *to) {
  pir_tensor_set_dense(to, from->dtype, from->shape, from->rank);
}

static void copy_layout(const pir_tensor *from, pir_tensor *to) {
  *to = *from;
  to->data = NULL;
}

static pir_status shape_late(frame *f, const plan_instr *instr, uint32_t number) {
  const plan *p = f->plan;
  bool inferred = false,
       own = instr->kind == PLAN_CALL && p->calls[instr->detail].shapes_results;
  for (uint32_t i = 0; i < instr->out_count; i++) {
    uint32_t slot = p->words[instr->out + i];
    if (slot == NONE || !p->slots[slot].late)
      continue;
    if (instr->kind == PLAN_TRANSFER)
      copy_layout(&f->tensors[p->words[instr->in]], &f->tensors[slot]);
    else if (instr->kind == PLAN_COPY)
      copy_shape(&f->tensors[p->words[instr->in]], &f->tensors[slot]);
    else if (shape_known(p, slot, number))
      pir_frame_shape(f, slot);
    else if (!inferred && !own) {
      PIR_TRY(pir_frame_infer(f, instr));
      inferred = true;
    }
    if (own) {
      f->tensors[slot].data = NULL;
      f->tensors[slot].dtype = p->slots[slot].dtype;
    } else
      PIR_TRY(pir_frame_place_late(f, number, slot));
  }
  for (uint32_t i = 0;
       instr->kind == PLAN_GROUP && i < p->groups[instr->detail].code->temporary_count; i++) {
    uint32_t at = p->groups[instr->detail].temporaries + i;
    if (p->buffers[at].home != HOME_LATE)
      continue;
    int64_t bytes = f->values[p->buffers[at].bytes];
    if (bytes < 0)
      return PIR_EXHAUSTED;
    if (p->buffers[at].device)
      PIR_TRY(pir_frame_take_on_device(f, (size_t)bytes, &f->buffers[at]));
    else
      PIR_TRY(pir_frame_take(f, (size_t)bytes, &f->buffers[at]));
  }
  return PIR_OK;
}

// Transfers memory that a kernel allocated for its results to the frame.
static pir_status adopt_results(frame *f, const plan_instr *instr) {
  const plan *p = f->plan;
  for (uint32_t i = 0; i < instr->out_count; i++) {
    uint32_t slot = p->words[instr->out + i];
    if (slot == NONE || !p->slots[slot].late)
      continue;
    const pir_tensor *tensor = &f->tensors[slot];
    size_t bytes = 0;
    if (tensor->data)
      PIR_TRY(pir_shape_bytes(tensor->shape, tensor->rank, tensor->dtype, &bytes));
    if (tensor->data && !bytes)
      bytes = 1;  // a kernel allocates one byte for a tensor without elements
    f->buffers[p->slots[slot].buffer] = (frame_buffer){tensor->data, bytes, false};
  }
  return PIR_OK;
}

static pir_status learn(frame *f, const plan_instr *instr) {
  const plan *p = f->plan;
  for (uint32_t i = 0; i < instr->symbol_count; i++) {
    const plan_symbol *symbol = &p->late_symbols[instr->symbols + i];
    const pir_tensor *tensor = &f->tensors[symbol->source];
    bool fits = symbol->axis < 0 ? (int64_t)symbol->element < pir_tensor_numel(tensor)
                                 : symbol->axis < tensor->rank;
    if (!fits)
      return pir_exec_fail(&f->message, PIR_UNSUPPORTED,
                           "unsupported: a result of \"%s\" whose rank shows only in the run",
                           instr->label);
    f->values[symbol->expr] = symbol->axis < 0 ? pir_tensor_int_at(tensor, symbol->element)
                                               : tensor->shape[symbol->axis];
  }
  for (uint32_t i = 0; i < instr->expr_count; i++)
    if (!pir_plan_evaluate(p, p->words[instr->exprs + i], f->values))
      return pir_plan_fail(p, p->words[instr->exprs + i], f->values, &f->message);
  return PIR_OK;
}

static void free_late(frame *f, const plan_instr *instr) {
  for (uint32_t i = 0; i < instr->free_count; i++)
    pir_frame_give(f, &f->buffers[f->plan->words[instr->frees + i]]);
}

static pir_status run_instr(frame *f, const plan_instr *instr, uint32_t number) {
  bool control = instr->kind >= PLAN_IF;
  bool device = instr->kind == PLAN_TRANSFER || (instr->kind == PLAN_GROUP && f->queue);
  if (f->downloading && (!device || instr->symbol_count))
    PIR_TRY(pir_frame_settle(f));
  if (f->has_lods && f->repeats)
    pir_frame_forget_lods(f, instr);
  if (f->has_lods && !control)
    pir_frame_take_lods(f, instr);
  bool unknown = false;
  if (instr->kind == PLAN_CALL)
    PIR_TRY(find_unknown(f, instr, &unknown));
  if (instr->late && !control)
    PIR_TRY(shape_late(f, instr, number));
  if (unknown)
    PIR_TRY(pir_frame_compare(f, instr));
  if (control)
    PIR_TRY(pir_frame_run_control(f, instr, number));
  else if (instr->kind == PLAN_TRANSFER)
    PIR_TRY(pir_frame_transfer(f, instr));
  else if (device)
    PIR_TRY(pir_frame_launch(f, instr));
  else if (instr->kind == PLAN_GROUP)
    PIR_TRY(run_group(f, instr, number));
  else if (instr->kind == PLAN_COPY)
    PIR_TRY(run_copy(f, instr));
  else if (instr->kind == PLAN_SCAN)
    PIR_TRY(pir_frame_run_scan(f, number));
  else {
    pir_status status = run_call(f, instr, number);
    if (f->plan->calls[instr->detail].shapes_results) {
      pir_status adopted = adopt_results(f, instr);
      status = status ? status : adopted;
    }
    if (status)
      return status;
  }
  if (f->lods)
    f->has_lods = true;
  if (f->has_lods && !control)
    pir_frame_pass_lods(f, instr);
  if (instr->symbol_count)
    PIR_TRY(learn(f, instr));
  free_late(f, instr);
  return PIR_OK;
}

pir_status pir_frame_run_instr(frame *f, uint32_t number) {
  return run_instr(f, &f->plan->instrs[number], number);
}

// ---- traces

uint64_t pir_exec_now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

// A device span ends when its work does, so with tracing on the host waits for it.
static pir_status run_marked(frame *f, const plan_instr *instr, uint32_t number,
                             pir_span *span) {
  pir_device_mark marks[2] = {{NULL}, {NULL}};
  pir_status status = pir_frame_queue_status(f, pir_queue_mark(f->queue, &marks[0]));
  if (!status)
    status = run_instr(f, instr, number);
  if (!status)
    status = pir_frame_queue_status(f, pir_queue_mark(f->queue, &marks[1]));
  if (!status)
    status = pir_frame_queue_status(f, pir_queue_wait(f->queue));
  uint64_t took = status ? 0 : pir_queue_between(f->queue, &marks[0], &marks[1]);
  span->end_ns = took ? span->start_ns + took : pir_exec_now_ns();
  for (int i = 0; i < 2; i++)
    pir_queue_drop_mark(f->queue, &marks[i]);
  return status;
}

static pir_status run_traced(frame *f, const plan_instr *instr, uint32_t number) {
  const plan *p = f->plan;
  pir_span span = {.size = sizeof span,
                   .label = instr->label,
                   .compiled = instr->kind == PLAN_GROUP,
                   .group = UINT32_MAX,
                   .start_ns = pir_exec_now_ns()};
  if (span.compiled)
    span.group = p->groups[instr->detail].number;
  bool device = f->queue && (instr->kind == PLAN_GROUP || instr->kind == PLAN_TRANSFER);
  pir_status status =
      device ? run_marked(f, instr, number, &span) : run_instr(f, instr, number);
  if (!device)
    span.end_ns = pir_exec_now_ns();
  for (uint32_t i = 0; i < instr->in_count + instr->out_count; i++) {
    uint32_t slot =
        p->words[i < instr->in_count ? instr->in + i : instr->out + i - instr->in_count];
    size_t bytes = 0;
    if (slot == NONE)
      continue;
    const pir_tensor *tensor = &f->tensors[slot];
    if (!pir_shape_bytes(tensor->shape, tensor->rank, tensor->dtype, &bytes))
      span.bytes += bytes;
  }
  if (instr->work != NONE && p->exprs[instr->work].level <= number + 1)
    span.flops = (uint64_t)f->values[instr->work];
  f->trace(f->trace_user, &span);
  return status;
}

pir_status pir_frame_run(frame *f, bool once) {
  const plan *p = f->plan;
  for (uint32_t i = 0; i < p->instr_count; i++) {
    if (p->instrs[i].once != once)
      continue;
    pir_progress_report(f->progress, f->stage, p->instrs[i].label, i,
                        (uint64_t)p->instr_count + f->parts_behind);
    if (pir_frame_is_cancelled(f))
      return pir_exec_fail(&f->message, PIR_CANCELLED, "%s before instruction %u",
                           pir_watch_reason(&f->watch), i);
    if (p->instrs[i].segment_end && f->graphs && !f->trace) {
      PIR_TRY(pir_frame_run_segment(f, i));
      i = p->instrs[i].segment_end - 1;
      continue;
    }
    pir_status status =
        f->trace ? run_traced(f, &p->instrs[i], i) : run_instr(f, &p->instrs[i], i);
    if (status) {
      pir_exec_add_place(&f->message, p->instrs[i].place);
      return status;
    }
    if (p->instrs[i].kind == PLAN_SCAN)
      i = p->scans[p->instrs[i].detail].end;
  }
  PIR_TRY(pir_frame_settle(f));
  if (!f->parts_behind)
    pir_progress_report(f->progress, f->stage, NULL, p->instr_count, p->instr_count);
  return PIR_OK;
}
