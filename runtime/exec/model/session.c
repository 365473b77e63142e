// Sessions: bindings are checked at once, a run executes the plan, results stay valid until the
// next run.
#include "session_impl.h"

#include <pir/engine/random_state.h>
#include <pir/engine/session_arena.h>

#include <pir/layer/rings.h>
#include <pir/layer/subnormals.h>
#include <sized.h>
#include <string.h>

// ---- making

// Tells the sink of the options why there is no session.
static pir_status refuse_session(pir_status status, const pir_session_options *given,
                                 const char *why) {
  return given ? pir_exec_tell(given->sink, PIR_ERROR, status, why) : status;
}

static pir_status check_processors(pir_session *s) {
  pir_status status = pir_processors_check(s->on);
  if (status == PIR_INVALID)
    return pir_exec_fail(&s->frame.message, status,
                         "a processor of `cpus` does not exist, or the process may not use it");
  if (status == PIR_UNSUPPORTED)
    return pir_exec_fail(&s->frame.message, status,
                         "unsupported: threads bound to processors, on this system");
  return status;
}

static pir_status start_flushing(pir_session *s) {
  if (!pir_subnormals_can_flush())
    return pir_exec_fail(&s->frame.message, PIR_UNSUPPORTED,
                         "unsupported: subnormal numbers as zeros, on this processor");
  s->flushes = true;
  s->loops = s->frame.parallel;
  if (s->loops.threads > 1)
    s->frame.parallel = pir_parallel_flushing(&s->loops);
  return PIR_OK;
}

static pir_status start_threads(pir_session *s, const pir_session_options *options) {
  int threads = options->threads > 1 ? options->threads : 1;
  s->on = (pir_processors){options->cpus, options->cpu_count};
  PIR_TRY(check_processors(s));
  // The thread of asynchronous runs starts later, when the caller's list may be gone.
  s->on.numbers =
      pir_arena_copy(&s->memory, options->cpus, options->cpu_count * sizeof *options->cpus);
  if (s->memory.failed)
    return PIR_EXHAUSTED;
  if (options->parallel.parallel_for) {
    s->frame.parallel = options->parallel;
    s->frame.shares_all = true;
    threads = options->parallel.threads > 1 ? options->parallel.threads : 1;
  } else if (threads > 1) {
    PIR_TRY(pir_thread_pool_create_on(threads, options->cpus, options->cpu_count, &s->allocator,
                                      &s->pool));
    s->frame.parallel = pir_thread_pool_parallel(s->pool);
  }
  PIR_TRY(pir_frame_scratch(&s->frame, threads));
  return options->flush_subnormals ? start_flushing(s) : PIR_OK;
}

static pir_status fill(pir_session *s, const pir_session_options *options) {
  const plan *p = &s->model->plan;
  s->inputs = pir_arena_zalloc(&s->memory, p->input_count * sizeof *s->inputs);
  s->outputs = pir_arena_zalloc(&s->memory, p->output_count * sizeof *s->outputs);
  s->key = pir_arena_zalloc(&s->memory, p->symbol_count * sizeof *s->key);
  if (s->memory.failed)
    return PIR_EXHAUSTED;
  PIR_TRY(pir_frame_create(p, &s->allocator, &s->frame));
  s->frame.packed = s->model->packed;
  s->frame.kernels = s->model->kernels;
  if (s->model->device) {
    s->own_stream = !options->device_stream;
    PIR_TRY(pir_queue_create(s->model->device, options->device_stream, &s->frame.queue,
                             &s->frame.message));
    PIR_TRY(pir_session_note_host_uses(s));
  }
  s->stop = (pir_stop){.cancel = options->cancel, .max_ns = options->max_ns};
  s->frame.generator = &s->generator;
  s->frame.rings = options->rings;
  pir_generator_spread(
      &s->generator, options->seed ? options->seed : 34342423252);  // Paddle's when none is set
  s->frame.trace = options->trace;
  s->frame.progress = options->progress;
  s->frame.stage = PIR_STAGE_RUN;
  s->frame.trace_user = options->trace_user;
  for (uint32_t i = 0; i < p->buffer_count; i++)
    if (p->buffers[i].home == HOME_CONST)
      s->frame.buffers[i].data = (void *)s->model->constants[p->buffers[i].index];
  s->separate = s->frame.apart = options->separate;
  if (s->separate)
    PIR_TRY(pir_session_separate_constants(s));
  return start_threads(s, options);
}

pir_status pir_session_create(pir_model *model, const pir_session_options *given,
                              pir_session **out_session) {
  pir_session_options options;
  sized_text why;
  if (out_session)
    *out_session = NULL;
  if (!model || !out_session)
    return refuse_session(PIR_INVALID, given, "pir_session_create: an argument is NULL");
  pir_status status =
      pir_sized_read("pir_session_options", &options, sizeof options, given, &why);
  if (status)
    return refuse_session(status, given, why.text);
  if (options.separate && options.arena)
    return refuse_session(PIR_INVALID, given,
                          "a session whose tensors are separate shares no arena");
  pir_session *s = pir_mem_get(&options.allocator, sizeof *s);
  if (!s)
    return refuse_session(PIR_EXHAUSTED, given, "out of memory");
  *s = (pir_session){.model = model,
                     .allocator = options.allocator,
                     .memory.source = options.allocator,
                     .max_bytes = options.max_bytes ? options.max_bytes : model->session_bytes};
  pir_async_init(&s->async, options.cancel);
  pir_model_retain(model);
  pir_session_join_arena(s, options.arena);
  status = fill(s, &options);
  if (!status) {
    *out_session = s;
    return PIR_OK;
  }
  pir_message message = s->frame.message;
  pir_session_destroy(s);
  return refuse_session(status, given,
                        message.text[0] ? message.text : pir_status_text(status));
}

void pir_session_destroy(pir_session *s) {
  if (!s)
    return;
  pir_async_end(&s->async);
  const plan *p = &s->model->plan;
  for (int i = 0; i < SHAPE_PLANS; i++)
    pir_session_drop_plan(s, &s->plans[i]);
  for (uint32_t i = 0; s->inputs && i < p->input_count; i++)
    pir_mem_give(&s->allocator, s->inputs[i].dense.data, s->inputs[i].dense.bytes);
  for (uint32_t i = 0; s->outputs && i < p->output_count; i++)
    pir_mem_give(&s->allocator, s->outputs[i].own.data, s->outputs[i].own.bytes);
  pir_session_drop_aliases(s);
  if (s->shared)
    pir_session_arena_release(s->shared);
  else
    pir_mem_give(&s->allocator, s->arena.data, s->arena.bytes);
  pir_session_drop_separate(s);
  pir_queue *queue = s->frame.queue;
  if (queue)
    pir_queue_give(queue, s->device_arena.data, s->device_arena.bytes);
  pir_frame_release(&s->frame);
  pir_queue_destroy(queue);
  if (s->pool)
    pir_thread_pool_destroy(s->pool);
  pir_arena_destroy(&s->memory);
  pir_model_release(s->model);
  pir_allocator allocator = s->allocator;
  pir_mem_give(&allocator, s, sizeof *s);
}

// ---- binding

shape_text pir_session_write_shape(const int64_t *shape, int rank) {
  shape_text out;
  char *at = out.text;
  *at++ = '[';
  for (int i = 0; i < rank && i < PIR_MAX_RANK; i++) {
    pir_message number;
    pir_exec_fail(&number, PIR_OK, i ? ",%lld" : "%lld", (long long)shape[i]);
    size_t size = strlen(number.text);
    memcpy(at, number.text, size);
    at += size;
  }
  memcpy(at, "]", 2);
  return out;
}

static pir_status wrong_shape(pir_message *message, const char *what, size_t i,
                              const pir_port *port, const pir_tensor *t) {
  shape_text found = pir_session_write_shape(t->shape, t->rank);
  if (port->rank < 0)
    return pir_exec_fail(message, PIR_INVALID, "%s %zu \"%s\": a negative extent in %s", what,
                         i, port->name.data, found.text);
  shape_text expected = pir_session_write_shape(port->shape, port->rank);
  if (t->rank != port->rank)
    return pir_exec_fail(message, PIR_INVALID,
                         "%s %zu \"%s\": expects rank %d %s, got rank %d %s", what, i,
                         port->name.data, port->rank, expected.text, t->rank, found.text);
  return pir_exec_fail(message, PIR_INVALID, "%s %zu \"%s\": expects shape %s, got %s", what, i,
                       port->name.data, expected.text, found.text);
}

static pir_status check_bound(pir_session *s, const char *what, size_t i, const pir_port *port,
                              const pir_tensor *t) {
  pir_message *message = &s->frame.message;
  if (port->dtype != PIR_UNDEFINED && t->dtype != port->dtype)
    return pir_exec_fail(message, PIR_INVALID, "%s %zu \"%s\": expects %s, got %s", what, i,
                         port->name.data, pir_dtype_name(port->dtype),
                         pir_dtype_name(t->dtype));
  if (!pir_dtype_size(t->dtype))
    return pir_exec_fail(message, PIR_INVALID, "%s %zu \"%s\" has no element type", what, i,
                         port->name.data);
  if (t->reserved[0] || t->reserved[1])
    return pir_exec_fail(message, PIR_UNSUPPORTED,
                         "unsupported: %s %zu \"%s\" sets a field of a later version", what, i,
                         port->name.data);
  if (t->rank < 0 || t->rank > PIR_MAX_RANK)
    return pir_exec_fail(message, PIR_INVALID,
                         "%s %zu \"%s\": expects a rank from 0 to %d, got %d", what, i,
                         port->name.data, PIR_MAX_RANK, t->rank);
  bool fits = port->rank < 0 || t->rank == port->rank;
  for (int d = 0; d < t->rank && fits; d++)
    fits = t->shape[d] >= 0 &&
           (port->rank < 0 || port->shape[d] < 0 || t->shape[d] == port->shape[d]);
  return fits ? PIR_OK : wrong_shape(message, what, i, port, t);
}

pir_status pir_session_bad_index(pir_session *s, const char *what, size_t i, size_t count) {
  return pir_exec_fail(&s->frame.message, PIR_NOT_FOUND,
                       "there is no %s %zu; the model has %zu", what, i, count);
}

// Checks LoD offsets: each level begins with 0, does not decrease, and ends with the number of
// sequences of the next level; the last level ends with the number of rows.
static pir_status check_lods(pir_session *s, size_t i, const pir_tensor *t) {
  if (t->lod_levels && (!t->lod || !t->lod_sizes))
    return pir_exec_fail(&s->frame.message, PIR_INVALID,
                         "input %zu: %zu levels of offsets, and no offsets", i, t->lod_levels);
  for (size_t level = 0; level < t->lod_levels; level++) {
    const uint64_t *at = t->lod[level];
    size_t n = t->lod_sizes[level];
    uint64_t rows = t->rank > 0 ? (uint64_t)t->shape[0] : 0;
    uint64_t end = level + 1 < t->lod_levels ? (uint64_t)t->lod_sizes[level + 1] - 1 : rows;
    bool fits = n && at[0] == 0 && at[n - 1] == end;
    for (size_t k = 1; k < n && fits; k++)
      fits = at[k - 1] <= at[k];
    if (!fits)
      return pir_exec_fail(&s->frame.message, PIR_INVALID,
                           "input %zu: offsets of level %zu must rise from 0 to %llu, the %s",
                           i, level, (unsigned long long)end,
                           level + 1 < t->lod_levels ? "sequences of the next" : "rows");
  }
  return PIR_OK;
}

// Whether the caller's tensor can be read in place: row-major and aligned.
bool pir_session_reads_in_place(const pir_tensor *tensor) {
  size_t align =
      tensor->dtype == PIR_PSTRING ? _Alignof(pir_str) : pir_dtype_size(tensor->dtype);
  return pir_tensor_is_dense(tensor) && (uintptr_t)tensor->data % align == 0;
}

pir_status pir_session_bind_input(pir_session *s, size_t i, const pir_tensor *tensor) {
  if (!s)
    return PIR_INVALID;
  const plan *p = &s->model->plan;
  s->frame.message.text[0] = 0;
  if (i >= p->input_count)
    return pir_session_bad_index(s, "input", i, p->input_count);
  s->inputs[i].is_bound = s->inputs[i].on_device = s->overlaps_known = false;
  if (!tensor)
    return pir_exec_fail(&s->frame.message, PIR_INVALID, "input %zu: no tensor is given", i);
  PIR_TRY(check_bound(s, "input", i, &p->inputs[i].port, tensor));
  PIR_TRY(check_lods(s, i, tensor));
  size_t bytes;
  if (pir_shape_bytes(tensor->shape, tensor->rank, tensor->dtype, &bytes))
    return pir_exec_fail(&s->frame.message, PIR_EXHAUSTED, "input %zu is too large", i);
  s->inputs[i].tensor = *tensor;
  s->inputs[i].is_bound = true;
  return PIR_OK;
}

pir_status pir_session_bind_output(pir_session *s, size_t i, const pir_tensor *tensor) {
  if (!s)
    return PIR_INVALID;
  const plan *p = &s->model->plan;
  s->frame.message.text[0] = 0;
  if (i >= p->output_count)
    return pir_session_bad_index(s, "output", i, p->output_count);
  s->outputs[i].is_bound = s->outputs[i].on_device = s->overlaps_known = false;
  if (!tensor)
    return PIR_OK;
  if (pir_session_is_aliased(s, (uint32_t)i))
    return pir_exec_fail(&s->frame.message, PIR_INVALID,
                         "output %zu is aliased to an input, so it cannot be bound", i);
  pir_port port = p->outputs[i].port;
  if (p->slots[p->outputs[i].slot].late)  // the run shows its shape, whatever is stated
    port.rank = -1;
  PIR_TRY(check_bound(s, "output", i, &port, tensor));
  size_t bytes;
  if (pir_shape_bytes(tensor->shape, tensor->rank, tensor->dtype, &bytes))
    return pir_exec_fail(&s->frame.message, PIR_EXHAUSTED, "output %zu is too large", i);
  if (!tensor->data || !pir_session_reads_in_place(tensor))
    return pir_exec_fail(&s->frame.message, PIR_INVALID,
                         "output %zu must be aligned and row-major without gaps", i);
  s->outputs[i].tensor = *tensor;
  s->outputs[i].is_bound = true;
  return PIR_OK;
}

// ---- running

static pir_status prepare(pir_session *s) {
  const plan *p = &s->model->plan;
  s->frame.message.text[0] = 0;
  for (uint32_t i = 0; i < p->input_count; i++)
    if (!s->inputs[i].is_bound)
      return pir_exec_fail(&s->frame.message, PIR_INVALID, "input %u \"%s\" is not bound", i,
                           p->inputs[i].port.name.data);
  return pir_session_plan(s);
}

pir_status pir_session_grow(pir_session *s, owned_block *block, size_t bytes) {
  bool fits = s->separate ? bytes == block->bytes : bytes <= block->bytes;
  if (fits && block->data)
    return PIR_OK;
  pir_mem_give(&s->allocator, block->data, block->bytes);
  *block = (owned_block){0};
  void *data = pir_mem_get(&s->allocator, bytes);
  if (!data)
    return PIR_EXHAUSTED;
  *block = (owned_block){data, bytes};
  return PIR_OK;
}

// Returns the bytes of an input in the form that the program reads: the caller's, or a copy.
static pir_status input_data(pir_session *s, uint32_t buffer, void **out_data) {
  uint32_t i = s->model->plan.buffers[buffer].index;
  bound_input *input = &s->inputs[i];
  pir_tensor *tensor = &input->tensor;
  size_t bytes;
  *out_data = tensor->data;
  if (pir_tensor_numel(tensor) == 0)
    return PIR_OK;
  if (!tensor->data)
    return pir_exec_fail(&s->frame.message, PIR_INVALID, "input %u has no data", i);
  if (tensor->dtype == PIR_PSTRING)
    return pir_session_copy_strings(s, i, out_data);
  if (input->on_device)
    return pir_session_place_device_input(s, buffer, out_data);
  if (pir_session_reads_in_place(tensor))
    return PIR_OK;
  PIR_TRY(pir_shape_bytes(tensor->shape, tensor->rank, tensor->dtype, &bytes));
  PIR_TRY(pir_session_grow(s, &input->dense, bytes));
  *out_data = input->dense.data;
  if (pir_tensor_is_dense(tensor)) {
    memcpy(input->dense.data, tensor->data, bytes);
    return PIR_OK;
  }
  pir_tensor copy = {.data = input->dense.data};
  pir_tensor_set_dense(&copy, tensor->dtype, tensor->shape, tensor->rank);
  return pir_tensor_copy(tensor, &copy);
}

// Whether a result has the shape of the tensor that is bound for it.
static pir_status check_bound_result(pir_session *s, uint32_t i, const pir_tensor *result) {
  const pir_tensor *bound = &s->outputs[i].tensor;
  if (bound->rank == result->rank &&
      !memcmp(bound->shape, result->shape, (size_t)result->rank * sizeof *result->shape))
    return PIR_OK;
  shape_text expected = pir_session_write_shape(result->shape, result->rank),
             found = pir_session_write_shape(bound->shape, bound->rank);
  return pir_exec_fail(&s->frame.message, PIR_INVALID,
                       "output %u is %s for these inputs, the bound tensor is %s", i,
                       expected.text, found.text);
}

static pir_status output_data(pir_session *s, uint32_t number, void **out_data) {
  const plan_buffer *buffer = &s->model->plan.buffers[number];
  bound_output *output = &s->outputs[buffer->index];
  const pir_tensor *tensor = &s->frame.tensors[s->model->plan.outputs[buffer->index].slot];
  if (output->is_bound) {
    PIR_TRY(check_bound_result(s, buffer->index, tensor));
    if (!output->elsewhere) {
      *out_data = output->tensor.data;
      if (s->frame.outside)
        s->frame.outside[number] = output->on_device;
      return PIR_OK;
    }
  }
  size_t before = output->own.bytes;
  PIR_TRY(pir_session_grow(s, &output->own, (size_t)s->frame.values[buffer->bytes]));
  s->stats.output_bytes += output->own.bytes - before;
  *out_data = output->own.data;
  return PIR_OK;
}

bool pir_session_share_memory(const pir_tensor *a, const pir_tensor *b) {
  uintptr_t x = (uintptr_t)a->data, y = (uintptr_t)b->data;
  size_t m = pir_exec_bytes(a), n = pir_exec_bytes(b);
  return m && n && x < y + n && y < x + m;
}

static bool overlaps_input(const pir_session *s, const pir_tensor *output) {
  for (uint32_t i = 0; i < s->model->plan.input_count; i++)
    if (pir_session_reads_in_place(&s->inputs[i].tensor) &&
        pir_session_share_memory(&s->inputs[i].tensor, output))
      return true;
  return false;
}

static bool host_computes(const pir_session *s, uint32_t output) {
  uint32_t buffer = s->model->plan.slots[s->model->plan.outputs[output].slot].buffer;
  return !s->host_uses || buffer == NONE || s->host_uses[buffer];
}

// Instructions read inputs and write outputs in any order. So an output that overlaps an input
// is computed elsewhere and copied last. Two outputs must not overlap.
static pir_status find_overlaps(pir_session *s) {
  const plan *p = &s->model->plan;
  s->copied_bytes = 0;
  for (uint32_t i = 0; i < p->output_count; i++) {
    bound_output *output = &s->outputs[i];
    if (!output->is_bound)
      continue;
    for (uint32_t k = 0; k < i; k++)
      if (s->outputs[k].is_bound &&
          pir_session_share_memory(&s->outputs[k].tensor, &output->tensor))
        return pir_exec_fail(
            &s->frame.message, PIR_INVALID,
            "outputs %u \"%s\" and %u \"%s\" are bound to memory that overlaps", k,
            p->outputs[k].port.name.data, i, p->outputs[i].port.name.data);
    output->elsewhere =
        overlaps_input(s, &output->tensor) || (output->on_device && host_computes(s, i));
    if (output->elsewhere)
      s->copied_bytes += pir_exec_bytes(&output->tensor);
  }
  s->overlaps_known = true;
  return PIR_OK;
}

static pir_status check_overlaps(pir_session *s) {
  if (!s->overlaps_known)
    PIR_TRY(find_overlaps(s));
  if (s->copied_bytes <= s->max_bytes - s->current->arena_bytes)
    return PIR_OK;
  return pir_exec_fail(
      &s->frame.message, PIR_EXHAUSTED,
      "outputs that are copied last need %zu bytes more, more than max_bytes allows",
      s->copied_bytes);
}

// Points the buffers of inputs and outputs to the memory of this run.
static pir_status place_ports(pir_session *s) {
  const plan *p = &s->model->plan;
  frame *f = &s->frame;
  s->string_bytes = 0;
  if (f->outside)
    memset(f->outside, 0, p->buffer_count * sizeof *f->outside);
  PIR_TRY(pir_session_check_rooms(s));
  for (uint32_t i = 0; i < p->buffer_count; i++) {
    const plan_buffer *buffer = &p->buffers[i];
    if (buffer->home == HOME_INPUT && !pir_session_is_grown(s, i))
      PIR_TRY(input_data(s, i, &f->buffers[i].data));
    else if (buffer->home == HOME_OUTPUT && buffer->first != NONE &&
             !pir_session_is_aliased(s, buffer->index))
      PIR_TRY(output_data(s, i, &f->buffers[i].data));
  }
  PIR_TRY(pir_session_place_aliases(s));
  for (uint32_t i = 0; i < p->slot_count; i++) {
    uint32_t buffer = p->slots[i].buffer;
    if (buffer == NONE || p->slots[i].late)
      continue;
    uint8_t home = p->buffers[buffer].home;
    if (home == HOME_INPUT || home == HOME_OUTPUT || (s->aliased && s->aliased[buffer] != NONE))
      pir_frame_point(f, i);
  }
  return PIR_OK;
}

// Sets the LoD offsets of the inputs.
static void place_lods(pir_session *s) {
  const plan *p = &s->model->plan;
  frame *f = &s->frame;
  pir_frame_drop_lods(f);
  for (uint32_t i = 0; i < p->slot_count; i++) {
    uint32_t buffer = p->slots[i].buffer;
    if (buffer == NONE || p->buffers[buffer].home != HOME_INPUT || p->slots[i].view_of != NONE)
      continue;
    const pir_tensor *from = &s->inputs[p->buffers[buffer].index].tensor;
    if (!from->lod_levels)
      continue;
    f->tensors[i].lod = from->lod;
    f->tensors[i].lod_sizes = from->lod_sizes;
    f->tensors[i].lod_levels = from->lod_levels;
    f->has_lods = true;
  }
}

// Copies outputs to their bound memory if they were computed elsewhere; so are all outputs with
// run-time shapes.
static pir_status copy_out(pir_session *s, uint32_t i) {
  bound_output *output = &s->outputs[i];
  const pir_tensor *result = &output->result;
  if (output->tensor.dtype != result->dtype)
    return pir_exec_fail(&s->frame.message, PIR_INVALID, "output %u is %s, the bound tensor %s",
                         i, pir_dtype_name(result->dtype),
                         pir_dtype_name(output->tensor.dtype));
  PIR_TRY(check_bound_result(s, i, result));
  PIR_TRY(output->on_device ? pir_session_upload(s, result, &output->tensor)
                            : pir_tensor_copy(result, &output->tensor));
  pir_tensor_set_dense(&output->result, result->dtype, output->tensor.shape,
                       output->tensor.rank);
  output->result.data = output->tensor.data;
  return PIR_OK;
}

// Records where the run wrote each output, because later bindings apply to the next run.
static pir_status note_outputs(pir_session *s) {
  const plan *p = &s->model->plan;
  for (uint32_t i = 0; i < p->output_count; i++) {
    uint32_t slot = p->outputs[i].slot;
    if (s->frame.has_lods)
      pir_frame_take_lod(&s->frame, slot);
    s->outputs[i].result = s->frame.tensors[slot];
    if (s->outputs[i].result.dtype == PIR_UNDEFINED)
      return pir_exec_fail(&s->frame.message, PIR_INVALID, "output %u \"%s\" is not a tensor",
                           i, p->outputs[i].port.name.data);
    if (s->outputs[i].is_bound && (p->slots[slot].late || s->outputs[i].elsewhere))
      PIR_TRY(copy_out(s, i));
  }
  return s->host_uses ? pir_session_finish_outputs(s) : PIR_OK;
}

static pir_status describe_failure(pir_session *s, pir_status status) {
  if (status && !s->frame.message.text[0])
    pir_exec_fail(&s->frame.message, status, "%s", pir_status_text(status));
  return status;
}

static pir_status run_frame(pir_session *s) {
  if (!s->flushes)
    return pir_frame_run(&s->frame, false);
  uint64_t before = pir_subnormals_flush();
  pir_status status = pir_frame_run(&s->frame, false);
  pir_subnormals_restore(before);
  return status;
}

static pir_status run(pir_session *s) {
  s->frame.watch = pir_watch_begin(&s->stop, 0);
  PIR_TRY(prepare(s));
  pir_frame_drop_late(&s->frame, true);
  pir_frame_drop_texts(&s->frame);
  PIR_TRY(check_overlaps(s));
  PIR_TRY(place_ports(s));
  place_lods(s);
  s->frame.budget = s->max_bytes;
  if (s->max_bytes != UINT64_MAX)
    s->frame.budget -= s->current->arena_bytes + s->string_bytes;
  if (s->max_bytes != UINT64_MAX)
    s->frame.budget -= s->alias_bytes < s->frame.budget ? s->alias_bytes : s->frame.budget;
  PIR_TRY(run_frame(s));
  PIR_TRY(note_outputs(s));
  pir_session_continue_aliases(s);
  return PIR_OK;
}

pir_status pir_session_run(pir_session *s) {
  if (!s)
    return PIR_INVALID;
  s->has_run = s->frame.queued = false;
  pir_status status = pir_session_enter_arena(s);
  if (!status) {
    status = run(s);
    pir_session_leave_arena(s);
  }
  if (status) {
    pir_frame_abandon(&s->frame);
    pir_frame_drop_late(&s->frame, true);
  }
  s->has_run = !status;
  s->stats.runs += !status;
  describe_failure(s, status);
  if (status && s->frame.rings)  // the other ranks are at other calls than the next run's
    pir_rings_fail(s->frame.rings, s->frame.message.text);
  return status;
}

pir_status pir_session_prepare(pir_session *s) {
  if (!s)
    return PIR_INVALID;
  PIR_TRY(pir_session_enter_arena(s));
  pir_status status = prepare(s);
  pir_session_leave_arena(s);
  return describe_failure(s, status);
}

pir_status pir_session_output(pir_session *s, size_t i, pir_tensor *out_tensor) {
  if (out_tensor)
    *out_tensor = (pir_tensor){0};
  if (!s)
    return PIR_INVALID;
  s->frame.message.text[0] = 0;
  if (!out_tensor)
    return pir_exec_fail(&s->frame.message, PIR_INVALID, "output %zu: no tensor is given", i);
  const plan *p = &s->model->plan;
  if (i >= p->output_count)
    return pir_session_bad_index(s, "output", i, p->output_count);
  if (!s->has_run)
    return pir_exec_fail(&s->frame.message, PIR_NOT_FOUND,
                         "there are no outputs: the session has not run, or failed");
  *out_tensor = s->outputs[i].result;
  return PIR_OK;
}

void pir_session_random_state(const pir_session *s, pir_random_state *out_state) {
  if (!s || !out_state)
    return;
  memcpy(out_state->words, s->generator.words, sizeof s->generator.words);
  out_state->words[PIR_GENERATOR_WORDS] = s->generator.at;
}

pir_status pir_session_set_random_state(pir_session *s, const pir_random_state *state) {
  if (!s || !state || state->words[PIR_GENERATOR_WORDS] > PIR_GENERATOR_WORDS)
    return PIR_INVALID;
  memcpy(s->generator.words, state->words, sizeof s->generator.words);
  s->generator.at = (uint32_t)state->words[PIR_GENERATOR_WORDS];
  return PIR_OK;
}

size_t pir_session_trim(pir_session *s) {
  size_t freed = 0;
  if (!s)
    return 0;
  for (int i = 0; i < SHAPE_PLANS; i++) {
    if (&s->plans[i] == s->current)
      continue;
    freed += s->plans[i].block.bytes;
    pir_session_drop_plan(s, &s->plans[i]);
  }
  size_t needed = s->current ? s->current->arena_bytes : 0;
  if (!s->shared && s->arena.bytes > needed) {
    freed += s->arena.bytes - needed;
    pir_mem_give(&s->allocator, s->arena.data, s->arena.bytes);
    s->arena = (owned_block){0};
    s->stats.arena_bytes = 0;
    s->current = NULL;  // the next run sets the frame up in a new arena
  }
  return freed;
}

const char *pir_session_message(const pir_session *s) {
  return s ? s->frame.message.text : "there is no session";
}

pir_status pir_session_stats_of(const pir_session *s, pir_session_stats *out_stats) {
  return s ? pir_sized_write(out_stats, &s->stats, sizeof s->stats) : PIR_INVALID;
}
