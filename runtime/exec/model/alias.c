// Outputs that are inputs of the next run. Where the program makes the output by ops that
// continue the input's memory (`handovers` of the plan), both lie in one place: nothing is
// copied. This is decided when the alias is made, from the plan alone: it needs one writer for
// each buffer between input and output, and no reader of what a writer changes.
#include "session_impl.h"

#include <string.h>

// ---- how the program makes the output

// What the search for the way from an output to its input knows.
typedef struct alias_search {
  pir_session *s;
  uint32_t output, input, in_buffer;
  bool grows, read_later, apart;
  int axis;
} alias_search;

static pir_status refuse_alias(const alias_search *a, pir_status status, const char *why,
                               const char *label) {
  const plan *p = &a->s->model->plan;
  const char *what = status == PIR_UNSUPPORTED ? "unsupported: " : "";
  return pir_exec_fail(&a->s->frame.message, status,
                       "%soutput %u \"%s\" as input %u \"%s\": %s%s%s%s", what, a->output,
                       p->outputs[a->output].port.name.data, a->input,
                       p->inputs[a->input].port.name.data, label ? "\"" : "",
                       label ? label : "", label ? "\" " : "", why);
}

static uint32_t buffer_in(const plan *p, uint32_t slot) {
  return slot == NONE ? NONE : p->slots[slot].buffer;
}

static bool writes(const plan *p, const plan_instr *instr, uint32_t buffer) {
  for (uint32_t i = 0; i < instr->out_count; i++)
    if (buffer_in(p, p->words[instr->out + i]) == buffer)
      return true;
  return false;
}

static uint32_t reads_of(const plan *p, const plan_instr *instr, uint32_t buffer) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < instr->in_count; i++)
    count += buffer_in(p, p->words[instr->in + i]) == buffer;
  return count;
}

// Finds the only instruction that writes a buffer, outside of scans, whose steps run again.
static pir_status find_writer(const alias_search *a, uint32_t buffer, uint32_t *out_instr) {
  const plan *p = &a->s->model->plan;
  uint32_t scan_end = 0;
  *out_instr = NONE;
  for (uint32_t i = 0; i < p->instr_count; i++) {
    if (p->instrs[i].kind == PLAN_SCAN)
      scan_end = p->scans[p->instrs[i].detail].end;
    if (p->instrs[i].once || !writes(p, &p->instrs[i], buffer))
      continue;
    if (*out_instr != NONE || i < scan_end)
      return refuse_alias(a, PIR_UNSUPPORTED, "writes its memory again", p->instrs[i].label);
    *out_instr = i;
  }
  return *out_instr == NONE ? refuse_alias(a, PIR_UNSUPPORTED, "no op makes it", NULL) : PIR_OK;
}

static const plan_handover *handover_to(const plan *p, uint32_t instr, uint32_t buffer) {
  for (uint32_t i = 0; i < p->handover_count; i++)
    if (p->handovers[i].instr == instr && buffer_in(p, p->handovers[i].out) == buffer)
      return &p->handovers[i];
  return NULL;
}

// Whether anything reads `buffer` that must see it as it was before instruction `number` wrote
// there. The op itself may read its operand once. A join leaves its first member as it is.
static bool is_read_later(const plan *p, const plan_handover *h, uint32_t buffer) {
  if (h->grows)
    return false;
  if (reads_of(p, &p->instrs[h->instr], buffer) > 1)
    return true;
  for (uint32_t i = h->instr + 1; i < p->instr_count; i++)
    if (reads_of(p, &p->instrs[i], buffer))
      return true;
  return false;
}

// Whether two slots are one tensor: the same elements in the same order. A reshape or a part is
// another one, because its rows lie otherwise.
static bool is_same_tensor(const plan *p, uint32_t a, uint32_t b) {
  const plan_slot *x = &p->slots[a], *y = &p->slots[b];
  bool same = a == b || (x->buffer == y->buffer && x->axis < 0 && y->axis < 0 && !x->late &&
                         !y->late && x->dtype == y->dtype && x->rank == y->rank);
  for (uint32_t d = 0; a != b && same && d < (uint32_t)x->rank; d++)
    same = x->order[d] == y->order[d] && p->words[x->shape + d] == p->words[y->shape + d];
  return same;
}

// Finds the joined axis; -1: none. Whether the rows that a join adds lie in several places for
// all inputs: an axis before the joined one has another constant extent than 1. An extent that
// is open in the operand and constant in the result is another member's, and not joined.
static bool adds_apart(const plan *p, const plan_handover *h, int *out_axis) {
  const uint32_t *in = &p->words[p->slots[h->in].shape],
                 *out = &p->words[p->slots[h->out].shape];
  bool several = false;
  *out_axis = -1;
  for (int d = 0; d < p->slots[h->out].rank; d++) {
    const plan_expr *extent = &p->exprs[out[d]];
    bool constant = extent->kind == PIR_DIM_CONST;
    if (in[d] != out[d] && (!constant || p->exprs[in[d]].kind == PIR_DIM_CONST)) {
      *out_axis = d;
      return several;
    }
    several |= constant && extent->value != 1;
  }
  return false;
}

// Whether an instruction takes operands whose rows lie apart: clauses that are evaluated do,
// and kernels that say so.
static bool takes_apart(const plan *p, const plan_instr *instr) {
  const plan_call *call = &p->calls[instr->detail];
  return instr->kind == PLAN_CALL && (!call->kernel || pir_kernel_takes_apart(call->kernel));
}

// Whether the rows of both tensors may lie apart: they are not read otherwise, nor as other
// tensors.
static bool can_lie_apart(const plan *p, const plan_handover *h) {
  uint32_t in = buffer_in(p, h->in), out = buffer_in(p, h->out);
  for (uint32_t i = 0; i < p->slot_count; i++)
    if ((buffer_in(p, i) == in && !is_same_tensor(p, i, h->in)) ||
        (buffer_in(p, i) == out && !is_same_tensor(p, i, h->out)))
      return false;
  for (uint32_t i = 0; i < p->instr_count; i++) {
    const plan_instr *instr = &p->instrs[i];
    if ((reads_of(p, instr, in) || reads_of(p, instr, out)) && !takes_apart(p, instr))
      return false;
  }
  return true;
}

// Follows the ops from the output back to the input, and marks the buffers between them.
static pir_status find_way(alias_search *a, uint32_t *marks) {
  const plan *p = &a->s->model->plan;
  uint32_t slot = p->outputs[a->output].slot;
  uint32_t last = p->slots[slot].buffer, buffer = last;
  if (buffer == NONE || p->buffers[buffer].home != HOME_OUTPUT)
    return refuse_alias(a, PIR_UNSUPPORTED, "its memory is known only in the run", NULL);
  for (;;) {
    uint32_t number;
    PIR_TRY(find_writer(a, buffer, &number));
    const plan_handover *h = handover_to(p, number, buffer);
    if (!h)
      return refuse_alias(a, PIR_UNSUPPORTED, "makes it, and does not continue an operand",
                          p->instrs[number].label);
    uint32_t from = buffer_in(p, h->in);
    bool given = from != NONE && p->buffers[from].home == HOME_INPUT;
    if (from == NONE || p->slots[h->in].late || (given && p->buffers[from].index != a->input) ||
        (h->grows && (!given || buffer != last)) ||
        (!given && p->buffers[from].home != HOME_ARENA))
      return refuse_alias(a, PIR_UNSUPPORTED, "continues another tensor",
                          p->instrs[number].label);
    if (!is_same_tensor(p, h->out, slot) ||
        (given && !is_same_tensor(p, h->in, p->inputs[a->input].slot)))
      return refuse_alias(a, PIR_UNSUPPORTED, "works on another shape or a part of it",
                          p->instrs[number].label);
    bool apart = h->grows && adds_apart(p, h, &a->axis);
    a->apart = h->grows && can_lie_apart(p, h);
    if (apart && !a->apart)
      return refuse_alias(a, PIR_UNSUPPORTED,
                          "joins along an axis behind one of several elements, and code that "
                          "was compiled, or another kernel, reads the rows where they follow "
                          "each other",
                          p->instrs[number].label);
    marks[buffer] = a->output;
    a->grows |= h->grows;
    a->read_later |= is_read_later(p, h, from);
    a->in_buffer = from;
    if (given)
      return PIR_OK;
    buffer = from;
    slot = h->in;
  }
}

static pir_status check_types(const alias_search *a) {
  const pir_port *out = &a->s->model->plan.outputs[a->output].port,
                 *in = &a->s->model->plan.inputs[a->input].port;
  bool fits = out->dtype == in->dtype && out->rank == in->rank && in->dtype != PIR_PSTRING;
  for (int d = 0; fits && d < in->rank; d++)
    fits = in->shape[d] < 0 || out->shape[d] < 0 || in->shape[d] == out->shape[d];
  return fits ? PIR_OK : refuse_alias(a, PIR_INVALID, "types or shapes differ", NULL);
}

static pir_status check_free(const alias_search *a) {
  const pir_session *s = a->s;
  if (s->outputs[a->output].is_bound)
    return refuse_alias(a, PIR_INVALID, "the output is bound", NULL);
  for (uint32_t i = 0; i < s->model->plan.output_count; i++)
    if (s->aliases[i].kind && (i == a->output || s->aliases[i].input == a->input))
      return refuse_alias(a, PIR_INVALID, "one of both is aliased already", NULL);
  return PIR_OK;
}

// ---- memory of a session

// Whether a tensor, which may have gaps, begins or has an element in a block.
static bool lies_in(const pir_tensor *t, const owned_block *block) {
  int64_t size = (int64_t)pir_dtype_size(t->dtype), before = 0, behind = size;
  uintptr_t at = (uintptr_t)t->data, from = (uintptr_t)block->data;
  for (int d = 0; d < t->rank; d++) {
    int64_t reach = t->shape[d] > 1 ? (t->shape[d] - 1) * t->strides[d] * size : 0;
    before += reach < 0 ? -reach : 0;
    behind += reach > 0 ? reach : 0;
  }
  return at && from && at - (uintptr_t)before < from + block->bytes &&
         from < at + (uintptr_t)behind;
}

// Ends the bindings that lie in a block, before it is freed.
static void unbind_all_in(pir_session *s, const owned_block *block) {
  const plan *p = &s->model->plan;
  for (uint32_t i = 0; i < p->input_count; i++)
    if (s->inputs[i].is_bound && !s->inputs[i].on_device &&
        lies_in(&s->inputs[i].tensor, block))
      s->inputs[i].is_bound = false;
  for (uint32_t i = 0; i < p->output_count; i++)
    if (s->outputs[i].is_bound && !s->outputs[i].on_device &&
        lies_in(&s->outputs[i].tensor, block))
      s->outputs[i].is_bound = false;
  s->overlaps_known = false;
}

// Nothing but the input of an alias may lie in its blocks, which a run writes or frees.
static pir_status check_block(pir_session *s, uint32_t output, const owned_block *block) {
  const plan *p = &s->model->plan;
  const char *owner = p->outputs[output].port.name.data;
  for (uint32_t i = 0; i < p->input_count; i++)
    if (i != s->aliases[output].input && !s->inputs[i].on_device &&
        pir_tensor_numel(&s->inputs[i].tensor) && lies_in(&s->inputs[i].tensor, block))
      return pir_exec_fail(&s->frame.message, PIR_INVALID,
                           "input %u \"%s\" lies in the room of output %u \"%s\"", i,
                           p->inputs[i].port.name.data, output, owner);
  for (uint32_t i = 0; i < p->output_count; i++)
    if (s->outputs[i].is_bound && !s->outputs[i].on_device &&
        pir_tensor_numel(&s->outputs[i].tensor) && lies_in(&s->outputs[i].tensor, block))
      return pir_exec_fail(&s->frame.message, PIR_INVALID,
                           "output %u \"%s\" is bound in the room of output %u \"%s\"", i,
                           p->outputs[i].port.name.data, output, owner);
  return PIR_OK;
}

// ---- making and ending an alias

static pir_status open_aliases(pir_session *s) {
  const plan *p = &s->model->plan;
  if (s->aliases)
    return PIR_OK;
  output_alias *aliases = pir_arena_zalloc(&s->memory, p->output_count * sizeof *aliases);
  s->aliased = pir_arena_zalloc(&s->memory, p->buffer_count * sizeof *s->aliased);
  if (s->memory.failed)
    return pir_exec_fail(&s->frame.message, PIR_EXHAUSTED, "no memory for aliases");
  for (uint32_t i = 0; i < p->buffer_count; i++)
    s->aliased[i] = NONE;
  s->aliases = aliases;
  return PIR_OK;
}

static void unmark(pir_session *s, uint32_t output) {
  for (uint32_t i = 0; i < s->model->plan.buffer_count; i++)
    if (s->aliased[i] == output)
      s->aliased[i] = NONE;
  s->current = NULL;  // the next run places the buffers again
}

static void give_block(pir_session *s, const owned_block *block) {
  s->alias_bytes -= block->bytes;
  pir_mem_give(&s->allocator, block->data, block->bytes);
}

static void drop_blocks(pir_session *s, output_alias *alias) {
  for (int i = 0; i < 2; i++) {
    give_block(s, &alias->blocks[i]);
    alias->blocks[i] = (owned_block){0};
  }
}

// The last output may lie in a block, so results are gone.
static void end_alias(pir_session *s, uint32_t output) {
  output_alias *alias = &s->aliases[output];
  if (alias->kind == ALIAS_NONE)
    return;
  for (int i = 0; i < 2; i++)
    unbind_all_in(s, &alias->blocks[i]);
  drop_blocks(s, alias);
  unmark(s, output);
  *alias = (output_alias){0};
  s->has_run = false;
}

static pir_status find_alias(alias_search *a, int64_t most) {
  pir_session *s = a->s;
  PIR_TRY(open_aliases(s));
  PIR_TRY(check_free(a));
  PIR_TRY(check_types(a));
  if (s->model->device)
    return refuse_alias(a, PIR_UNSUPPORTED, "memory of a device", NULL);
  if (most < 0)
    return refuse_alias(a, PIR_INVALID, "the room is negative", NULL);
  pir_status status = find_way(a, s->aliased);
  if (!status && most && !a->grows)
    status = refuse_alias(a, PIR_INVALID, "it does not grow, so it takes no room", NULL);
  if (status) {
    unmark(s, a->output);
    return status;
  }
  // Where two blocks take turns, the ops between them keep their own memory.
  if (a->read_later) {
    unmark(s, a->output);
    s->aliased[s->model->plan.slots[s->model->plan.outputs[a->output].slot].buffer] = a->output;
  }
  alias_kind kind = a->grows ? ALIAS_GROWS : ALIAS_PLACE;
  s->aliases[a->output] = (output_alias){.kind = a->read_later ? ALIAS_TURNS : kind,
                                         .input = a->input,
                                         .in_buffer = a->in_buffer,
                                         .most = most,
                                         .axis = a->axis,
                                         .apart = a->apart};
  s->current = NULL;
  s->overlaps_known = false;
  return PIR_OK;
}

pir_status pir_session_alias(pir_session *s, size_t output, size_t input, int64_t most) {
  if (!s)
    return PIR_INVALID;
  const plan *p = &s->model->plan;
  s->frame.message.text[0] = 0;
  if (output >= p->output_count)
    return pir_session_bad_index(s, "output", output, p->output_count);
  if (input == PIR_NO_INPUT) {
    if (s->aliases)
      end_alias(s, (uint32_t)output);
    return PIR_OK;
  }
  if (input >= p->input_count)
    return pir_session_bad_index(s, "input", input, p->input_count);
  alias_search a = {.s = s, .output = (uint32_t)output, .input = (uint32_t)input};
  return find_alias(&a, most);
}

bool pir_session_is_aliased(const pir_session *s, uint32_t output) {
  return s->aliases && s->aliases[output].kind;
}

bool pir_session_is_grown(const pir_session *s, uint32_t buffer) {
  for (uint32_t i = 0; s->aliases && i < s->model->plan.output_count; i++)
    if (s->aliases[i].kind == ALIAS_GROWS && s->aliases[i].in_buffer == buffer)
      return true;
  return false;
}

// ---- a run

// The bytes that max_bytes allows to take.
static size_t bytes_left(const pir_session *s) {
  size_t others = s->current->arena_bytes + s->alias_bytes;
  return others > s->max_bytes ? 0 : s->max_bytes - others;
}

// Gives a block `bytes`; its contents are lost.
static pir_status take_block(pir_session *s, uint32_t output, size_t bytes,
                             owned_block *block) {
  if (bytes > bytes_left(s))
    return pir_exec_fail(&s->frame.message, PIR_EXHAUSTED,
                         "output %u: its room needs %zu bytes, more than max_bytes allows",
                         output, bytes);
  void *data = pir_mem_get_lasting(&s->allocator, bytes);
  if (!data)
    return pir_exec_fail(&s->frame.message, PIR_EXHAUSTED,
                         "output %u: no memory for a room of %zu bytes", output, bytes);
  *block = (owned_block){data, bytes};
  s->alias_bytes += bytes;
  return PIR_OK;
}

// What a run needs of a room. Where an axis before the growing one has several elements, their
// rows lie apart: each has place for `rows` of them.
typedef struct growth {
  int64_t rows;
  size_t bytes;
  bool apart;
} growth;

static bool lies_apart(const pir_tensor *t, int axis) {
  for (int d = 0; d < axis; d++)
    if (t->shape[d] > 1)
      return true;
  return false;
}

// Sets the strides of a tensor with place for `rows` elements of the axis.
static void lay_out_rows(pir_tensor *t, int axis, int64_t rows) {
  int64_t stride = 1;
  for (int d = t->rank; d-- > 0;) {
    t->strides[d] = stride;
    stride *= d == axis ? rows : t->shape[d];
  }
}

// The plan knows the axis by its expressions, so that the extents of a run are compared too: in
// memory that both share, rows of another axis would be written over.
static bool grows_elsewhere(const pir_tensor *in, const pir_tensor *out, int axis) {
  for (int d = 0; d < out->rank; d++)
    if (d != axis && in->shape[d] != out->shape[d])
      return true;
  return false;
}

static pir_status measure(pir_session *s, uint32_t output, const pir_tensor *out, growth *g) {
  const output_alias *alias = &s->aliases[output];
  const char *name = s->model->plan.outputs[output].port.name.data;
  int axis = alias->axis;
  int64_t needed = axis < 0 ? 0 : out->shape[axis];
  if (grows_elsewhere(&s->inputs[alias->input].tensor, out, axis))
    return pir_exec_fail(&s->frame.message, PIR_UNSUPPORTED,
                         "unsupported: output %u \"%s\" in the place of its input: it grows "
                         "along an axis that is not known before the run",
                         output, name);
  pir_tensor all = *out;
  *g = (growth){.rows = needed, .apart = lies_apart(out, axis)};
  if (g->apart && !alias->apart)
    return pir_exec_fail(&s->frame.message, PIR_UNSUPPORTED,
                         "unsupported: output %u \"%s\" in the place of its input: it grows "
                         "along axis %d, and an axis before has several elements",
                         output, name, axis);
  if (alias->most && needed > alias->most)
    return pir_exec_fail(&s->frame.message, PIR_EXHAUSTED,
                         "output %u \"%s\" would have %lld elements along axis %d, its room "
                         "has %lld",
                         output, name, (long long)needed, axis, (long long)alias->most);
  if (alias->most)
    g->rows = alias->most;
  else if (g->apart && alias->rows > needed)
    g->rows = alias->rows;
  if (axis >= 0)
    all.shape[axis] = g->rows;
  if (pir_shape_bytes(all.shape, all.rank, all.dtype, &g->bytes))
    return pir_exec_fail(&s->frame.message, PIR_EXHAUSTED, "output %u is too large", output);
  return PIR_OK;
}

// A caller may bind the session's own memory, but only from its start on, and as it is laid
// out.
static pir_status check_bound_room(pir_session *s, uint32_t output, const owned_block *room) {
  const output_alias *alias = &s->aliases[output];
  const pir_tensor *in = &s->inputs[alias->input].tensor;
  if (!pir_tensor_numel(in))
    return PIR_OK;
  if (!in->data)
    return pir_exec_fail(&s->frame.message, PIR_INVALID, "input %u has no data", alias->input);
  pir_tensor own = *in;
  lay_out_rows(&own, alias->axis, alias->rows);
  bool fits = pir_tensor_is_dense(in);
  if (alias->rows)
    fits = !memcmp(own.strides, in->strides, (size_t)in->rank * sizeof *in->strides);
  if (!lies_in(in, room) || (in->data == room->data && fits))
    return PIR_OK;
  return pir_exec_fail(&s->frame.message, PIR_INVALID,
                       "input %u is bound to a part of its room that is not its beginning",
                       alias->input);
}

// Takes a room that holds the output: twice the one before, or twice the rows, where max_bytes
// allows it, so that few runs copy.
static pir_status take_room(pir_session *s, uint32_t output, growth *g, owned_block *room) {
  const output_alias *alias = &s->aliases[output];
  size_t old = g->apart && alias->blocks[0].data ? g->bytes : alias->blocks[0].bytes;
  size_t doubled = old > SIZE_MAX / 2 ? 0 : 2 * old;
  bool doubles = !alias->most && doubled > g->bytes && doubled <= bytes_left(s);
  if (doubles && g->apart)
    g->rows *= 2;
  return take_block(s, output, doubles ? doubled : g->bytes, room);
}

// Lays out the tensors of both buffers where rows lie apart.
static void lay_out_slots(pir_session *s, uint32_t output, const growth *g) {
  const plan *p = &s->model->plan;
  const output_alias *alias = &s->aliases[output];
  for (uint32_t i = 0; g->apart && i < p->slot_count; i++) {
    uint32_t buffer = buffer_in(p, i);
    if (buffer != NONE && (buffer == alias->in_buffer || s->aliased[buffer] == output))
      lay_out_rows(&s->frame.tensors[i], alias->axis, g->rows);
  }
}

// Copies the rows of the input into a room.
static pir_status move_rows(pir_session *s, uint32_t output, const growth *g, void *room) {
  const output_alias *alias = &s->aliases[output];
  const pir_tensor *in = &s->inputs[alias->input].tensor;
  pir_tensor to = {.data = room};
  pir_tensor_set_dense(&to, in->dtype, in->shape, in->rank);
  if (g->apart)
    lay_out_rows(&to, alias->axis, g->rows);
  pir_status status = pir_tensor_copy(in, &to);
  return status ? pir_exec_fail(&s->frame.message, status, "output %u: its input is not copied",
                                output)
                : PIR_OK;
}

// Brings the rows of the input into a room that holds the output.
static pir_status place_growing(pir_session *s, uint32_t output, void **out_data) {
  output_alias *alias = &s->aliases[output];
  pir_tensor *in = &s->inputs[alias->input].tensor;
  const pir_tensor *out = &s->frame.tensors[s->model->plan.outputs[output].slot];
  owned_block old = alias->blocks[0], room = old;
  growth g;
  PIR_TRY(measure(s, output, out, &g));
  PIR_TRY(check_bound_room(s, output, &room));
  bool grows = !room.data || g.bytes > room.bytes || (g.apart ? g.rows : 0) != alias->rows;
  if (grows)
    PIR_TRY(take_room(s, output, &g, &room));
  if (in->data != room.data && pir_tensor_numel(in)) {
    pir_status status = move_rows(s, output, &g, room.data);
    if (status && grows)
      give_block(s, &room);
    PIR_TRY(status);
  }
  if (grows && old.data) {
    if (in->data == old.data) {
      in->data = room.data;
      if (g.apart)
        lay_out_rows(in, alias->axis, g.rows);
    }
    give_block(s, &old);
  }
  alias->blocks[0] = room;
  alias->rows = g.apart ? g.rows : 0;
  lay_out_slots(s, output, &g);
  *out_data = room.data;
  return PIR_OK;
}

static pir_status place_turning(pir_session *s, uint32_t output, void **out_data) {
  output_alias *alias = &s->aliases[output];
  owned_block *block = &alias->blocks[alias->turn];
  const pir_tensor *out = &s->frame.tensors[s->model->plan.outputs[output].slot];
  size_t bytes;
  if (pir_shape_bytes(out->shape, out->rank, out->dtype, &bytes))
    return pir_exec_fail(&s->frame.message, PIR_EXHAUSTED, "output %u is too large", output);
  if (lies_in(&s->inputs[alias->input].tensor, block)) {
    alias->turn = !alias->turn;  // the caller has bound the older result
    block = &alias->blocks[alias->turn];
  }
  if (!block->data || bytes > block->bytes) {
    give_block(s, block);
    *block = (owned_block){0};
    PIR_TRY(take_block(s, output, bytes, block));
  }
  *out_data = block->data;
  return PIR_OK;
}

// The memory of an input that an op changes belongs to nothing else in this run.
static pir_status check_alone(pir_session *s, uint32_t output) {
  const plan *p = &s->model->plan;
  uint32_t input = s->aliases[output].input;
  const pir_tensor *own = &s->inputs[input].tensor;
  for (uint32_t i = 0; i < p->input_count; i++)
    if (i != input && pir_session_share_memory(&s->inputs[i].tensor, own))
      return pir_exec_fail(&s->frame.message, PIR_INVALID,
                           "input %u is written in place, and input %u lies there too", input,
                           i);
  for (uint32_t i = 0; i < p->output_count; i++)
    if (s->outputs[i].is_bound && pir_session_share_memory(&s->outputs[i].tensor, own))
      return pir_exec_fail(&s->frame.message, PIR_INVALID,
                           "input %u is written in place, and output %u is bound there", input,
                           i);
  return PIR_OK;
}

static pir_status place_in_place(pir_session *s, uint32_t output, void **out_data) {
  uint32_t input = s->aliases[output].input;
  const bound_input *in = &s->inputs[input];
  if (in->on_device || !pir_session_reads_in_place(&in->tensor))
    return pir_exec_fail(&s->frame.message, PIR_INVALID,
                         "input %u is written in place, so it must be aligned and row-major "
                         "without gaps",
                         input);
  PIR_TRY(check_alone(s, output));
  *out_data = in->tensor.data;
  return PIR_OK;
}

static pir_status place_alias(pir_session *s, uint32_t output) {
  const plan *p = &s->model->plan;
  const output_alias *alias = &s->aliases[output];
  void *data = NULL;
  if (alias->kind == ALIAS_PLACE)
    PIR_TRY(place_in_place(s, output, &data));
  else if (alias->kind == ALIAS_GROWS)
    PIR_TRY(place_growing(s, output, &data));
  else
    PIR_TRY(place_turning(s, output, &data));
  if (alias->kind != ALIAS_TURNS)
    s->frame.buffers[alias->in_buffer].data = data;
  for (uint32_t i = 0; i < p->buffer_count; i++)
    if (s->aliased[i] == output)
      s->frame.buffers[i].data = data;
  return PIR_OK;
}

pir_status pir_session_check_rooms(pir_session *s) {
  for (uint32_t i = 0; s->aliases && i < s->model->plan.output_count; i++)
    for (int k = 0; s->aliases[i].kind && k < 2; k++)
      PIR_TRY(check_block(s, i, &s->aliases[i].blocks[k]));
  return PIR_OK;
}

pir_status pir_session_place_aliases(pir_session *s) {
  for (uint32_t i = 0; s->aliases && i < s->model->plan.output_count; i++)
    if (s->aliases[i].kind)
      PIR_TRY(place_alias(s, i));
  return PIR_OK;
}

void pir_session_continue_aliases(pir_session *s) {
  for (uint32_t i = 0; s->aliases && i < s->model->plan.output_count; i++) {
    output_alias *alias = &s->aliases[i];
    if (!alias->kind)
      continue;
    bound_input *in = &s->inputs[alias->input];
    in->tensor = s->outputs[i].result;
    in->tensor.lod = NULL;
    in->tensor.lod_sizes = NULL;
    in->tensor.lod_levels = 0;
    if (alias->kind == ALIAS_TURNS)
      alias->turn = !alias->turn;
    if (alias->kind != ALIAS_PLACE)
      s->overlaps_known = false;
  }
}

void pir_session_drop_aliases(pir_session *s) {
  for (uint32_t i = 0; s->aliases && i < s->model->plan.output_count; i++)
    drop_blocks(s, &s->aliases[i]);
}
