// Runs the regions of control flow. A region has its own frame. Captured tensors and a loop's
// initial values are referenced, not copied. Results of a region move: their memory becomes the
// next iteration's argument, or the instruction's result. They are copied only if the region
// does not own them or yields them twice. So a loop needs memory for two iterations, whatever
// their number.
#include "frame.h"
#include <string.h>

static uint32_t slot_of(const plan *p, uint32_t list, uint32_t i) {
  return p->words[list + i];
}

static frame_buffer *buffer_of(frame *f, uint32_t slot) {
  return &f->buffers[f->plan->slots[slot].buffer];
}

static bool is_array(const frame *f, uint32_t slot) {
  return f->tensors[slot].dtype == PIR_UNDEFINED && f->tensors[slot].data;
}

static pir_status read_condition(frame *f, const pir_tensor *tensor, const char *op,
                                 bool *out_value) {
  if (!tensor->data || tensor->dtype == PIR_UNDEFINED || pir_tensor_numel(tensor) != 1)
    return pir_exec_fail(&f->message, PIR_INVALID, "\"%s\": a condition must be one element",
                         op);
  *out_value = tensor->dtype == PIR_F32 || tensor->dtype == PIR_F64
                   ? pir_tensor_float_at(tensor, 0) != 0
                   : pir_tensor_int_at(tensor, 0) != 0;
  return PIR_OK;
}

// ---- extents of a region

static pir_status read_region_symbols(frame *inner) {
  const plan *p = inner->plan;
  for (uint32_t i = 0; i < p->symbol_count; i++) {
    const plan_symbol *symbol = &p->symbols[i];
    const pir_tensor *tensor = &inner->tensors[symbol->source];
    bool fits = symbol->axis < 0 ? (int64_t)symbol->element < pir_tensor_numel(tensor)
                                 : symbol->axis < tensor->rank;
    if (!fits)
      return pir_exec_fail(&inner->message, PIR_INVALID,
                           "a region gets another shape than its program says");
    inner->values[symbol->expr] = symbol->axis < 0 ? pir_tensor_int_at(tensor, symbol->element)
                                                   : tensor->shape[symbol->axis];
  }
  return PIR_OK;
}

// Checks an argument against what the groups of the region were planned with.
static pir_status check_argument(frame *inner, uint32_t slot) {
  const plan *p = inner->plan;
  const plan_slot *s = &p->slots[slot];
  const pir_tensor *tensor = &inner->tensors[slot];
  bool fits = s->rank < 0 || (s->dtype == tensor->dtype && s->rank == tensor->rank);
  for (int d = 0; fits && d < s->rank; d++) {
    uint32_t extent = p->words[s->shape + (uint32_t)d];
    fits = extent == NONE || p->exprs[extent].level > 0 ||
           inner->values[extent] == tensor->shape[d];
  }
  return fits ? PIR_OK
              : pir_exec_fail(&inner->message, PIR_INVALID,
                              "a region gets another type or shape than its program says");
}

// Computes the extents that are known when the region, or its next iteration, starts.
static pir_status compute_extents(frame *inner, const plan_region *region) {
  const plan *p = inner->plan;
  PIR_TRY(read_region_symbols(inner));
  for (uint32_t i = 0; i < p->expr_count; i++)
    if (p->exprs[i].level == 0 && !pir_plan_evaluate(p, i, inner->values))
      return pir_plan_fail(p, i, inner->values, &inner->message);
  for (uint32_t i = 0; i < region->arg_count; i++)
    PIR_TRY(check_argument(inner, region->args[i]));
  return PIR_OK;
}

// ---- in and out of a region

static void show(frame *to, uint32_t slot, const pir_tensor *tensor) {
  to->tensors[slot] = *tensor;
  *buffer_of(to, slot) = (frame_buffer){.data = tensor->data};
}

static frame *enter(frame *f, const plan_instr *instr, int r) {
  const plan_region *region = &f->plan->controls[instr->detail].regions[r];
  frame *inner = &f->regions[2 * instr->detail + (uint32_t)r];
  inner->parallel = f->parallel;
  inner->shares_all = f->shares_all;
  inner->watch = f->watch;
  inner->generator = f->generator;
  inner->rings = f->rings;
  inner->trace = f->trace;
  inner->trace_user = f->trace_user;
  inner->budget = f->budget;
  inner->packed = f->packed;
  inner->scratch = f->scratch;
  inner->scratch_step = f->scratch_step;
  inner->scanning = f->scanning || region->arg_count;
  inner->has_lods = f->has_lods;
  inner->apart = f->apart;
  inner->repeats = true;
  for (uint32_t i = 0; i < region->import_count; i++)
    inner->values[region->imports[2 * i + 1]] = f->values[region->imports[2 * i]];
  for (uint32_t i = 0; i < region->capture_count; i++)
    show(inner, region->captures[i],
         &f->tensors[slot_of(f->plan, instr->in, region->first_in + i)]);
  return inner;
}

static void drop_carried(frame *inner, uint32_t from, uint32_t count) {
  for (uint32_t i = from; i < count; i++)
    pir_frame_give(inner, &inner->carried[i].own);
}

// Frees the memory that the region still owns, and passes a failure's message outwards.
static pir_status leave_region(frame *f, frame *inner, pir_status status) {
  pir_frame_drop_late(inner, true);
  f->has_lods |= inner->has_lods;
  inner->scratch = NULL;  // the outermost frame owns it
  inner->scratch_step = 0;
  f->budget = inner->budget;
  if (status && inner->message.text[0])
    f->message = inner->message;
  inner->message.text[0] = 0;
  return status;
}

static pir_status duplicate(frame *f, const frame *from, uint32_t slot, carried *to) {
  return pir_frame_duplicate(f, &from->tensors[slot], is_array(from, slot), to);
}

// Moves the yielded tensors to `carried`. `shared`: tensors that the region does not own may be
// referenced, because the next iteration still sees their memory.
static pir_status collect(frame *inner, const plan_region *region, bool shared) {
  pir_status status = PIR_OK;
  memset(inner->carried, 0, region->yield_count * sizeof *inner->carried);
  for (uint32_t i = 0; i < region->yield_count && !status; i++) {
    uint32_t slot = region->yields[i];
    frame_buffer *buffer = buffer_of(inner, slot);
    carried *to = &inner->carried[i];
    bool owned = buffer->late_bytes && !region->repeats[i];
    if (owned || (shared && !region->repeats[i])) {
      *to = (carried){inner->tensors[slot], owned ? *buffer : (frame_buffer){0}};
      if (owned)
        *buffer = (frame_buffer){0};
    } else {
      status = duplicate(inner, inner, slot, to);
    }
  }
  if (status)
    drop_carried(inner, 0, region->yield_count);
  return status;
}

// ---- results

// Checks yielded tensors against facts and stated types, because memory downstream was planned
// with them.
static pir_status check_result(frame *f, const plan_instr *instr, uint32_t slot,
                               uint32_t number) {
  const plan *p = f->plan;
  const plan_slot *s = &p->slots[slot];
  const pir_tensor *tensor = &f->tensors[slot];
  if (is_array(f, slot) && s->rank < 0)
    return PIR_OK;
  bool fits = (s->dtype == PIR_UNDEFINED || s->dtype == tensor->dtype) &&
              (s->rank < 0 || s->rank == tensor->rank);
  for (int i = 0; fits && i < s->rank; i++) {
    uint32_t extent = p->words[s->shape + i];
    fits = extent == NONE || p->exprs[extent].level > number ||
           f->values[extent] == tensor->shape[i];
  }
  return fits ? PIR_OK : pir_frame_fail_stated(f, instr->label);
}

static void put_result(frame *f, uint32_t slot, carried *from) {
  f->tensors[slot] = from->tensor;
  *buffer_of(f, slot) = from->own;
  from->own = (frame_buffer){0};
}

static pir_status check_results(frame *f, const plan_instr *instr, uint32_t number) {
  for (uint32_t i = 0; i < instr->out_count; i++)
    PIR_TRY(check_result(f, instr, slot_of(f->plan, instr->out, i), number));
  return PIR_OK;
}

// ---- the instructions

static pir_status run_if(frame *f, const plan_instr *instr) {
  bool holds;
  PIR_TRY(read_condition(f, &f->tensors[slot_of(f->plan, instr->in, 0)], instr->label, &holds));
  const plan_region *region = &f->plan->controls[instr->detail].regions[!holds];
  frame *inner = enter(f, instr, !holds);
  pir_status status = compute_extents(inner, region);
  if (!status)
    status = pir_frame_run(inner, false);
  if (!status)
    status = collect(inner, region, false);
  for (uint32_t i = 0; !status && i < region->yield_count; i++)
    put_result(f, slot_of(f->plan, instr->out, i), &inner->carried[i]);
  return leave_region(f, inner, status);
}

// Makes the argument lie in row-major order, as groups expect it. One that the region does not
// own is then copied.
static pir_status make_row_major(frame *inner, uint32_t slot) {
  carried copy;
  if (is_array(inner, slot) || pir_tensor_is_dense(&inner->tensors[slot]))
    return PIR_OK;
  PIR_TRY(duplicate(inner, inner, slot, &copy));
  pir_frame_give(inner, buffer_of(inner, slot));
  put_result(inner, slot, &copy);
  return PIR_OK;
}

static pir_status make_arguments_row_major(frame *inner, const plan_region *region) {
  for (uint32_t i = 0; i < region->arg_count; i++)
    PIR_TRY(make_row_major(inner, region->args[i]));
  return PIR_OK;
}

// Runs one iteration; sets the arguments of the next one.
static pir_status iterate(frame *inner, const plan_region *region, const char *op,
                          bool *out_again) {
  if (pir_frame_is_cancelled(inner))
    return pir_exec_fail(&inner->message, PIR_CANCELLED, "%s in a loop",
                         pir_watch_reason(&inner->watch));
  PIR_TRY(make_arguments_row_major(inner, region));
  PIR_TRY(compute_extents(inner, region));
  PIR_TRY(pir_frame_run(inner, false));
  PIR_TRY(collect(inner, region, true));
  pir_status status = read_condition(inner, &inner->carried[0].tensor, op, out_again);
  if (status) {
    drop_carried(inner, 0, region->yield_count);
    return status;
  }
  drop_carried(inner, 0, 1);
  pir_frame_drop_late(inner, true);
  for (uint32_t i = 0; i < region->arg_count; i++)
    put_result(inner, region->args[i], &inner->carried[i + 1]);
  return PIR_OK;
}

static pir_status run_while(frame *f, const plan_instr *instr) {
  const plan_region *region = &f->plan->controls[instr->detail].regions[0];
  bool again;
  PIR_TRY(read_condition(f, &f->tensors[slot_of(f->plan, instr->in, 0)], instr->label, &again));
  frame *inner = enter(f, instr, 0);
  for (uint32_t i = 0; i < region->arg_count; i++)
    show(inner, region->args[i], &f->tensors[slot_of(f->plan, instr->in, i + 1)]);
  pir_status status = PIR_OK;
  while (again && !status)
    status = iterate(inner, region, instr->label, &again);
  for (uint32_t i = 0; !status && i < region->arg_count; i++) {
    uint32_t slot = region->args[i];
    frame_buffer *own = buffer_of(inner, slot);
    carried last = {inner->tensors[slot], *own};
    if (own->late_bytes)
      *own = (frame_buffer){0};
    else
      status = duplicate(inner, inner, slot, &last);
    put_result(f, slot_of(f->plan, instr->out, i), &last);
  }
  return leave_region(f, inner, status);
}

static pir_status run_select(frame *f, const plan_instr *instr) {
  const pir_tensor *number = &f->tensors[slot_of(f->plan, instr->in, 0)];
  int64_t choice =
      number->data && pir_tensor_numel(number) == 1 ? pir_tensor_int_at(number, 0) : -1;
  if (choice < 0 || choice >= (int64_t)instr->in_count - 1)
    return pir_exec_fail(&f->message, PIR_INVALID, "\"%s\" has no choice %lld", instr->label,
                         (long long)choice);
  carried chosen;
  PIR_TRY(duplicate(f, f, slot_of(f->plan, instr->in, (uint32_t)choice + 1), &chosen));
  put_result(f, slot_of(f->plan, instr->out, 0), &chosen);
  return PIR_OK;
}

pir_status pir_frame_run_control(frame *f, const plan_instr *instr, uint32_t number) {
  switch (instr->kind) {
    case PLAN_IF: PIR_TRY(run_if(f, instr)); break;
    case PLAN_WHILE: PIR_TRY(run_while(f, instr)); break;
    case PLAN_SELECT: PIR_TRY(run_select(f, instr)); break;
    default: PIR_TRY(pir_frame_run_array(f, instr)); break;
  }
  return check_results(f, instr, number);
}
