// Computes shapes that are known only at run time: calls the op's inference again with the
// actual extents and small integer contents of its operands. The same hook ran over symbols at
// compile time. A call whose operand extents follow from the inputs is checked again for each
// new set of input shapes, before anything runs, because its requirements could not be checked
// earlier. A result that was planned as the program states it, because nothing was known of an
// operand, must be such a tensor in the run.
#include "frame.h"
#include <string.h>

static void leave(void *user) {
  longjmp(((frame *)user)->no_memory, 1);
}

static void *from_run(void *user, size_t size) {
  frame *f = user;
  void *memory = pir_arena_zalloc(&f->run, size);
  if (!memory)
    leave(f);
  return memory;
}

static void tensor_fact(frame *f, pir_dims *dims, const pir_tensor *tensor, bool computed,
                        pir_fact *out) {
  *out = (pir_fact){.known = true, .dtype = tensor->dtype, .rank = tensor->rank};
  memcpy(out->shape, tensor->shape, (size_t)tensor->rank * sizeof *out->shape);
  int64_t count = pir_tensor_numel(tensor);
  if (!computed || count < 0 || count > PIR_FACT_CONTENTS)
    return;
  if (pir_dtype_is_float(tensor->dtype)) {
    double *numbers = from_run(f, (size_t)count * sizeof *numbers);
    for (int64_t i = 0; i < count; i++)
      numbers[i] = pir_tensor_float_at(tensor, i);
    out->numbers = numbers;
    out->number_count = (size_t)count;
  }
  if (!pir_dtype_is_integer(tensor->dtype))
    return;
  pir_dim *contents = from_run(f, (size_t)count * sizeof *contents);
  for (int64_t i = 0; i < count; i++)
    contents[i] = pir_dim_const(dims, pir_tensor_int_at(tensor, i));
  out->contents = contents;
  out->content_count = (size_t)count;
}

// Builds the fact of a declared operand, from its tensor or its members.
static const pir_fact *operand_fact(frame *f, pir_dims *dims, const plan_instr *instr,
                                    const plan_call *call, int k, bool computed) {
  const plan *p = f->plan;
  int32_t members = call->in_members[k];
  if (!members)
    return NULL;
  pir_fact *facts = from_run(f, ((size_t)members + 1) * sizeof *facts);
  const pir_fact **pointers = from_run(f, (size_t)members * sizeof *pointers);
  for (int32_t i = 0; i < members; i++) {
    uint32_t slot = p->words[instr->in + (uint32_t)call->in_first[k] + (uint32_t)i];
    bool is_const = p->buffers[p->slots[slot].buffer].home == HOME_CONST;
    tensor_fact(f, dims, &f->tensors[slot], computed || is_const, &facts[i + 1]);
    pointers[i] = &facts[i + 1];
  }
  if (!(call->def->operands[k].flags & PIR_OPERAND_VARIADIC) && members == 1)
    return pointers[0];
  facts[0] = (pir_fact){.known = true, .members = pointers, .member_count = (size_t)members};
  return &facts[0];
}

static pir_status take_late_result(frame *f, pir_dims *dims, uint32_t slot,
                                   const pir_fact *fact, const char *op) {
  pir_tensor *tensor = &f->tensors[slot];
  if (!pir_fact_has_rank(fact))
    return pir_exec_fail(&f->message, PIR_UNSUPPORTED,
                         "unsupported: \"%s\" gives a result of unknown shape", op);
  int64_t shape[PIR_MAX_RANK];
  for (int i = 0; i < fact->rank; i++)
    if (!pir_dim_is_const(dims, fact->shape[i], &shape[i]) || shape[i] < 0)
      return pir_exec_fail(&f->message, PIR_UNSUPPORTED,
                           "unsupported: \"%s\" gives a result of unknown extent", op);
  if (fact->dtype == PIR_PSTRING && f->plan->slots[slot].dtype != PIR_PSTRING)
    return pir_exec_fail(&f->message, PIR_UNSUPPORTED,
                         "unsupported: \"%s\" gives strings, which shows only in the run", op);
  pir_tensor_set_dense(tensor, fact->dtype, shape, fact->rank);
  return PIR_OK;
}

static bool has_planned_type(const plan_slot *slot, const pir_fact *fact) {
  return !fact->known || fact->dtype == PIR_UNDEFINED || slot->dtype == PIR_UNDEFINED ||
         fact->dtype == slot->dtype;
}

// Memory, and the ops that read it, were planned for the result as it is stated, where nothing
// was known of an operand. Of a late result only the type was.
static pir_status check_planned_result(frame *f, pir_dims *dims, uint32_t slot,
                                       const pir_fact *fact, const char *op) {
  const plan_slot *planned = &f->plan->slots[slot];
  const pir_tensor *tensor = &f->tensors[slot];
  int64_t extent;
  bool shaped = pir_fact_has_rank(fact) && !planned->late;
  bool fits = has_planned_type(planned, fact) && (!shaped || fact->rank == tensor->rank);
  for (int i = 0; fits && shaped && i < fact->rank; i++)
    fits = !pir_dim_is_const(dims, fact->shape[i], &extent) || extent == tensor->shape[i];
  return fits ? PIR_OK : pir_frame_fail_stated(f, op);
}

typedef pir_status (*result_fn)(frame *f, pir_dims *dims, uint32_t slot, const pir_fact *fact,
                                const char *op);

static pir_status each_result(frame *f, const plan_instr *instr, pir_dims *dims,
                              const pir_fact *results, bool only_late, result_fn use) {
  const plan *p = f->plan;
  const plan_call *call = &p->calls[instr->detail];
  for (int k = 0; k < call->def->result_count; k++) {
    for (int32_t i = 0; i < call->out_members[k]; i++) {
      uint32_t slot = p->words[instr->out + (uint32_t)call->out_first[k] + (uint32_t)i];
      bool several = results[k].member_count > 0;
      if (several && (size_t)i >= results[k].member_count)
        return PIR_INTERNAL;
      if (p->slots[slot].late || !only_late)
        PIR_TRY(
            use(f, dims, slot, several ? results[k].members[i] : &results[k], call->def->name));
    }
  }
  return PIR_OK;
}

// The purpose of a question: check a call before the run (only contents of constants are
// known), infer its late results, compare all results with those that are inferred, or describe
// it for a message.
typedef enum asked { BEFORE, RESULTS, COMPARED, WORDS } asked;

static pir_status infer(frame *f, const plan_instr *instr, pir_dims *dims, asked what) {
  const plan_call *call = &f->plan->calls[instr->detail];
  const pir_opdef *def = call->def;
  const pir_fact **operands = from_run(f, def->operand_count * sizeof *operands);
  pir_fact *results = from_run(f, def->result_count * sizeof *results);
  for (int k = 0; k < def->operand_count; k++)
    operands[k] = operand_fact(f, dims, instr, call, k, what != BEFORE);
  pir_infer question = {.def = def,
                        .dims = dims,
                        .operands = operands,
                        .operand_count = def->operand_count,
                        .attrs = call->attrs,
                        .results = results,
                        .result_count = def->result_count,
                        .alloc = from_run,
                        .user = f};
  if (what == WORDS) {
    pir_infer_complete(&question, f->message.text, sizeof f->message.text);
    return PIR_OK;
  }
  for (int k = 0; k < def->result_count; k++)
    results[k].rank = -1;
  pir_status status = pir_infer_run(&question);
  if (status)
    return pir_frame_fail_op(f, status, def->name,
                             question.has_message ? question.message : "wrong shapes");
  if (what == BEFORE)
    return PIR_OK;
  return each_result(f, instr, dims, results, what == RESULTS,
                     what == RESULTS ? take_late_result : check_planned_result);
}

// Inference does not handle exhausted memory: it is left by a jump, and its allocations are
// freed with `run` and dims.
static pir_status ask(frame *f, const plan_instr *instr, asked what) {
  f->dims = NULL;
  f->inferred = PIR_EXHAUSTED;
  if (!setjmp(f->no_memory)) {
    f->dims = pir_dims_create_hooked(&f->allocator, leave, f);
    if (f->dims)
      f->inferred = infer(f, instr, f->dims, what);
  }
  pir_dims_destroy(f->dims);
  pir_arena_reset(&f->run);
  return f->inferred;
}

pir_status pir_frame_infer(frame *f, const plan_instr *instr) {
  pir_status status = ask(f, instr, RESULTS);
  if (status)
    pir_frame_complete(f, instr);
  return status;
}

pir_status pir_frame_compare(frame *f, const plan_instr *instr) {
  return ask(f, instr, COMPARED);
}

void pir_frame_complete(frame *f, const plan_instr *instr) {
  (void)ask(f, instr, WORDS);
}

// Whether the shapes of all operands are known before the run, and some by the inputs alone.
static bool is_open(const plan *p, const plan_instr *instr) {
  bool open = false;
  for (uint32_t i = 0; i < instr->in_count; i++) {
    uint32_t at = p->words[instr->in + i];
    if (at == NONE)
      continue;
    const plan_slot *slot = &p->slots[at];
    if (slot->late || slot->rank < 0 || slot->buffer == NONE)
      return false;
    for (int d = 0; d < slot->rank; d++)
      open |= p->exprs[p->words[slot->shape + (uint32_t)d]].kind != PIR_DIM_CONST;
  }
  return open;
}

pir_status pir_frame_check(frame *f) {
  const plan *p = f->plan;
  for (uint32_t i = 0; i < p->instr_count; i++) {
    const plan_instr *instr = &p->instrs[i];
    if (instr->kind != PLAN_CALL || instr->late || instr->once || !is_open(p, instr))
      continue;
    pir_status status = ask(f, instr, BEFORE);
    if (status) {
      pir_exec_add_place(&f->message, instr->place);
      return status;
    }
  }
  return PIR_OK;
}

// ---- memory that a result continues

static const plan_handover *find_move(const frame *f, uint32_t number, uint32_t slot) {
  const plan *p = f->plan;
  for (uint32_t i = 0; i < p->handover_count; i++)
    if (p->handovers[i].moves && p->handovers[i].instr == number && p->handovers[i].out == slot)
      return &p->handovers[i];
  return NULL;
}

// Whether the operand's elements are the first of the result's memory.
static bool leads(const pir_tensor *in, const pir_tensor *out) {
  for (int d = 0; d < out->rank; d++) {
    if (in->shape[d] != out->shape[d])
      return true;
    if (out->shape[d] != 1)
      break;
  }
  return pir_tensor_numel(in) == pir_tensor_numel(out);
}

pir_status pir_frame_place_late(frame *f, uint32_t number, uint32_t slot) {
  const plan *p = f->plan;
  const plan_handover *h = find_move(f, number, slot);
  if (!h || f->apart)
    return pir_frame_take_late(f, slot);
  frame_buffer *from = &f->buffers[p->slots[h->in].buffer],
               *to = &f->buffers[p->slots[slot].buffer];
  const pir_tensor *in = &f->tensors[h->in];
  pir_tensor *out = &f->tensors[slot];
  size_t bytes, owned = from->late_bytes;
  PIR_TRY(pir_shape_bytes(out->shape, out->rank, out->dtype, &bytes));
  bool fits = owned && owned != ARRAY_BYTES && !from->device && in->data == from->data &&
              in->rank == out->rank && in->dtype == out->dtype && pir_tensor_is_dense(in) &&
              leads(in, out);
  if (fits && bytes <= owned) {
    *to = *from;
    from->late_bytes = 0;
    out->data = to->data;
    return PIR_OK;
  }
  // A longer one is copied, and has room for as many elements again.
  if (!fits || !h->carried || owned > SIZE_MAX / 2 || 2 * owned < bytes ||
      2 * owned > f->budget)
    return pir_frame_take_late(f, slot);
  PIR_TRY(pir_frame_take(f, 2 * owned, to));
  out->data = to->data;
  return PIR_OK;
}
