// Computes ops on known values by running their kernel or clause, exactly as a program of
// called kernels would. Shapes come from facts; an op whose results have no constant shape is
// not computed. Every tensor is dense. Parameters are read from their mapped file; a parameter
// that is not aligned to its element size is copied for the duration of a call, unless a
// pointwise clause reads it. A composite op is expanded in front of itself, its parts are
// computed, and the parts are erased.

#include <evaluate.h>

#include <effects.h>
#include <known_memory.h>

#include <pir/layer/kernel.h>
#include <pir/layer/lower.h>
#include <pir/layer/param_record.h>
#include <pir/layer/watched_loops.h>
#include <pir/compiler/walk.h>

#include <stdlib.h>
#include <string.h>

static void free_memory(void *user) {
  evaluator *e = user;
  for (size_t i = 0; i < e->buffers.count; i++) {
    pir_heap_discharge(e->arena->heap, e->buffers.items[i].bytes);
    known_memory_give(e->buffers.items[i].data);
  }
  e->buffers.count = 0;
  pir_thread_pool_destroy(e->pool);
  e->pool = NULL;
}

// A small model may ask for large constants, and each may be twice as large as the previous
// one. All results together may be so many times as large as the parameters, which were paid
// for, and somewhat more.
static uint64_t room_of(const pir_program *program) {
  enum { TIMES = 16, MORE = 64 << 20 };
  uint64_t bytes = 0;
  for (size_t i = 0; i < pir_program_params(program); i++)
    bytes += pir_program_param_at(program, i)->size;
  return bytes > UINT64_MAX / (2 * TIMES) ? UINT64_MAX : TIMES * bytes + MORE;
}

void evaluator_init(evaluator *e, pir_program *program, pir_facts *facts) {
  *e = (evaluator){.program = program,
                   .facts = facts,
                   .arena = pir_context_arena(pir_program_context(program)),
                   .max_bytes = (uint64_t)1 << 20,
                   .room = room_of(program)};
  pir_guard_open(e->arena->heap, &e->guard, free_memory, e);
}

static size_t known_bytes(const known_value *known) {
  return sizeof *known + known->count * sizeof(pir_tensor);
}

void evaluator_free(evaluator *e) {
  for (size_t i = 0; i < e->known.capacity; i++) {
    known_value *known = (known_value *)(uintptr_t)e->known.entries[i].value;
    if (e->known.entries[i].key)
      pir_arena_free(e->arena, known, known_bytes(known));
  }
  pir_map_free(e->arena, &e->known);
  pir_guard_close(&e->guard);
  free_memory(e);
  pir_vec_free(e->arena, &e->buffers);
}

const known_value *evaluator_find(const evaluator *e, const pir_value *value) {
  return pir_map_get(&e->known, value);
}

static known_value *add_known(evaluator *e, const pir_value *value, size_t count) {
  known_value *known = pir_arena_zalloc(e->arena, sizeof *known + count * sizeof(pir_tensor));
  known->count = count;
  pir_map_put(e->arena, &e->known, value, (uintptr_t)known);
  return known;
}

void evaluator_forget_value(evaluator *e, const pir_value *value) {
  known_value *known = pir_map_get(&e->known, value);
  if (!known)
    return;
  pir_map_remove(&e->known, value);
  pir_arena_free(e->arena, known, known_bytes(known));
}

void evaluator_forget(evaluator *e, const pir_op *op) {
  for (size_t i = 0; i < pir_op_results(op); i++)
    evaluator_forget_value(e, pir_op_result(op, i));
}

void evaluator_copy(evaluator *e, const pir_value *value, const pir_value *from) {
  const known_value *known = evaluator_find(e, from);
  known_value *copy = add_known(e, value, known->count);
  memcpy(copy->tensors, known->tensors, known->count * sizeof *copy->tensors);
  copy->source = known->from_source ? from : known->source;
}

static void *take_buffer(evaluator *e, size_t size) {
  pir_vec_reserve(e->arena, &e->buffers, e->buffers.count + 1);
  pir_heap_charge(e->arena->heap, size);
  known_buffer *buffer = &e->buffers.items[e->buffers.count++];
  *buffer = (known_buffer){known_memory_take(size), size};
  if (!buffer->data)
    pir_heap_fail(e->arena->heap);
  return buffer->data;
}

void *evaluator_take(evaluator *e, const pir_tensor *tensor) {
  size_t i = 0;
  while (i < e->buffers.count && e->buffers.items[i].data != tensor->data)
    i++;
  if (i == e->buffers.count) {
    size_t bytes = known_tensor_bytes(tensor);
    memcpy(take_buffer(e, bytes), tensor->data, bytes);
  }
  known_buffer taken = e->buffers.items[i];
  e->buffers.items[i] = (known_buffer){0};
  pir_heap_discharge(e->arena->heap, taken.bytes);
  return taken.data;
}

// ---- sources

static void know_parameter(evaluator *e, const pir_op *op) {
  const pir_param *param = pir_program_param(e->program, pir_op_parameter_name(op));
  size_t bytes;
  if (!param ||
      pir_shape_bytes(param->shape.dims, (int32_t)param->shape.rank, param->dtype, &bytes))
    return;
  if (bytes != param->size)
    return;
  known_value *known = add_known(e, pir_op_result(op, 0), 1);
  known->from_source = true;
  known->tensors[0].data = (void *)param->data;
  pir_tensor_set_dense(&known->tensors[0], param->dtype, param->shape.dims,
                       (int32_t)param->shape.rank);
}

// A list is known if its members are.
static void know_list(evaluator *e, const pir_op *op) {
  known_value *list = add_known(e, pir_op_result(op, 0), pir_op_operands(op));
  for (size_t i = 0; i < pir_op_operands(op); i++)
    list->tensors[i] = evaluator_find(e, pir_op_operand(op, i))->tensors[0];
}

static bool is_list(const pir_value *value) {
  return pir_type_kind_of(pir_value_type(value)) == PIR_TYPE_VECTOR;
}

// Whether an op collects tensors; lists of lists are not computed with.
static bool makes_list(const pir_op *op) {
  if (!pir_op_has(op, PIR_STRUCTURAL) || !is_list(pir_op_result(op, 0)))
    return false;
  for (size_t i = 0; i < pir_op_operands(op); i++)
    if (is_list(pir_op_operand(op, i)))
      return false;
  return true;
}

// ---- calls

// The parts of a call; all of them are freed with the call's memory.
typedef struct call_draft {
  evaluator *e;
  pir_kernel_call call;
  PIR_VEC(void *) blocks;
  PIR_VEC(size_t) sizes;
  PIR_VEC(void *) copies;  // copies of operands that are not aligned
  uint64_t operand_bytes;
} call_draft;

static void *draft_alloc(void *user, size_t size) {
  call_draft *d = user;
  void *memory = pir_arena_zalloc(d->e->arena, size);
  pir_vec_push(d->e->arena, &d->blocks, memory);
  pir_vec_push(d->e->arena, &d->sizes, size);
  return memory;
}

static void draft_free(call_draft *d) {
  for (size_t i = 0; i < d->blocks.count; i++)
    pir_arena_free(d->e->arena, d->blocks.items[i], d->sizes.items[i]);
  for (size_t i = 0; i < d->copies.count; i++)
    pir_heap_give(d->e->arena->heap, d->copies.items[i]);
  pir_vec_free(d->e->arena, &d->copies);
  pir_vec_free(d->e->arena, &d->blocks);
  pir_vec_free(d->e->arena, &d->sizes);
}

// The way that runs loops over so many bytes. Without further threads one computes them all.
static pir_parallel loops_over(evaluator *e, uint64_t bytes) {
  enum { LARGE = 1 << 18 };
  if (e->threads < 2 || bytes < LARGE)
    return pir_parallel_serial();
  if (!e->pool && pir_thread_pool_create(e->threads, NULL, &e->pool)) {
    e->pool = NULL;
    e->threads = 1;
    return pir_parallel_serial();
  }
  return pir_thread_pool_parallel(e->pool);
}

typedef struct copying {
  char *to;
  const char *from;
  size_t bytes;
} copying;

enum { COPY_UNIT = 1 << 16 };

static void copy_range(void *user, int64_t begin, int64_t end, int thread) {
  const copying *c = user;
  size_t at = (size_t)begin * COPY_UNIT, after = (size_t)end * COPY_UNIT;
  (void)thread;
  memcpy(c->to + at, c->from + at, (after < c->bytes ? after : c->bytes) - at);
}

static void copy_elements(evaluator *e, void *to, const void *from, size_t bytes) {
  copying c = {to, from, bytes};
  pir_parallel loops = loops_over(e, bytes);
  if (bytes)
    loops.parallel_for(loops.pool, (int64_t)((bytes - 1) / COPY_UNIT + 1), copy_range, &c);
}

// Whether the op computes each result by itself from elements that it copies from wherever they
// are, as large weights are scaled.
static bool is_pointwise(const pir_opdef *def) {
  const pir_clause *c = def->clause;
  return c && !def->kernel && c->kind == PIR_CLAUSE_POINTWISE &&
         c->nodes[c->body].op != PIR_V_LOAD;
}

// Returns the tensor, or a copy with aligned bytes. Only floats that are their own lanes are
// copied, not converted (pir_convert).
static const pir_tensor *suited(call_draft *d, const pir_opdef *def, const pir_tensor *tensor,
                                size_t bytes) {
  size_t element = pir_dtype_size(tensor->dtype);
  bool copied = tensor->dtype == PIR_F32 || tensor->dtype == PIR_F64;
  if (!element || (uintptr_t)tensor->data % element == 0 || (copied && is_pointwise(def)))
    return tensor;
  pir_tensor *moved = draft_alloc(d, sizeof *moved);
  *moved = *tensor;
  moved->data = pir_heap_take(d->e->arena->heap, bytes);
  pir_vec_push(d->e->arena, &d->copies, moved->data);
  copy_elements(d->e, moved->data, tensor->data, bytes);
  return moved;
}

static void draft_operands(call_draft *d, const pir_op *op) {
  size_t n = pir_op_operands(op), total = 0;
  int32_t *members = draft_alloc(d, n * sizeof *members),
          *first = draft_alloc(d, n * sizeof *first);
  for (size_t i = 0; i < n; i++) {
    const pir_value *value = pir_op_operand(op, i);
    first[i] = (int32_t)total;
    members[i] = value ? (int32_t)evaluator_find(d->e, value)->count : 0;
    total += value ? (size_t)members[i] : 1;
  }
  const pir_tensor **in = draft_alloc(d, total * sizeof *in);
  for (size_t i = 0; i < n; i++)
    for (int32_t k = 0; k < members[i]; k++) {
      const pir_tensor *tensor = &evaluator_find(d->e, pir_op_operand(op, i))->tensors[k];
      size_t bytes = known_tensor_bytes(tensor);
      in[first[i] + k] = suited(d, pir_op_def(op), tensor, bytes);
      d->operand_bytes += bytes;
    }
  d->call.in = in;
  d->call.in_members = members;
  d->call.in_first = first;
  d->call.operand_count = (int32_t)n;
}

// Reads the constant shape of a fact, and its bytes; false if the shape is not constant.
static bool read_shape(const evaluator *e, const pir_fact *fact, pir_tensor *out,
                       size_t *out_bytes) {
  int64_t dims[PIR_MAX_RANK];
  if (!fact->known || !pir_dtype_is_number(fact->dtype))
    return false;
  for (int32_t i = 0; i < fact->rank; i++)
    if (!pir_dim_is_const(pir_facts_dims(e->facts), fact->shape[i], &dims[i]))
      return false;
  if (pir_shape_bytes(dims, fact->rank, fact->dtype, out_bytes))
    return false;
  pir_tensor_set_dense(out, fact->dtype, dims, fact->rank);
  return true;
}

// An absent result has none.
static size_t members_of(const evaluator *e, const pir_value *value) {
  if (!pir_value_type(value))
    return 0;
  return is_list(value) ? pir_facts_of(e->facts, value)->member_count : 1;
}

static const pir_fact *member_fact(const evaluator *e, const pir_value *value, size_t i) {
  const pir_fact *fact = pir_facts_of(e->facts, value);
  return is_list(value) ? fact->members[i] : fact;
}

// Whether results are too large to be kept. Those larger than their operands are kept up to a
// limit, but whole numbers of 4 bits may become bytes.
static bool is_too_large(const call_draft *d, uint64_t bytes, pir_dtype dtype) {
  uint64_t most = dtype == PIR_I8 ? 2 * d->operand_bytes : d->operand_bytes;
  return bytes > d->e->room || (bytes > d->e->max_bytes && bytes > most);
}

// Allocates the results with their shapes; false if one is not known, or they are too large.
static bool draft_results(call_draft *d, const pir_op *op) {
  size_t n = pir_op_results(op), total = 0;
  int32_t *members = draft_alloc(d, n * sizeof *members),
          *first = draft_alloc(d, n * sizeof *first);
  for (size_t i = 0; i < n; i++) {
    first[i] = (int32_t)total;
    members[i] = (int32_t)members_of(d->e, pir_op_result(op, i));
    total += (size_t)members[i];
  }
  pir_tensor **out = draft_alloc(d, total * sizeof *out);
  uint64_t bytes = 0;
  for (size_t i = 0; i < n; i++)
    for (int32_t k = 0; k < members[i]; k++) {
      pir_tensor *tensor = out[first[i] + k] = draft_alloc(d, sizeof *tensor);
      size_t size;
      if (!read_shape(d->e, member_fact(d->e, pir_op_result(op, i), (size_t)k), tensor, &size))
        return false;
      bytes += size;
      if (is_too_large(d, bytes, tensor->dtype))
        return false;
      tensor->data = take_buffer(d->e, size);
    }
  d->e->room -= bytes;
  d->call.out = out;
  d->call.out_members = members;
  d->call.out_first = first;
  d->call.result_count = (int32_t)n;
  return total > 0;
}

static void know_results(evaluator *e, const pir_op *op, const pir_kernel_call *call) {
  for (int32_t i = 0; i < call->result_count; i++) {
    known_value *known =
        add_known(e, pir_op_result(op, (size_t)i), (size_t)call->out_members[i]);
    known->from_source = pir_op_has(op, PIR_CONSTANT);
    for (int32_t k = 0; k < call->out_members[i]; k++)
      known->tensors[k] = *call->out[call->out_first[i] + k];
  }
}

static pir_status run_call(const pir_opdef *def, pir_kernel_call *call) {
  if (!def->kernel || pir_clause_choose(call->clause, 0, call->attrs))
    return call->clause ? pir_clause_run(call) : PIR_UNSUPPORTED;
  call->kernel = pir_kernel_find(pir_str_from(def->kernel));
  if (!call->kernel || call->kernel->shapes_results)
    return PIR_UNSUPPORTED;
  return pir_kernel_run(call);
}

// Few parameters are folded twice, and a mapped file can be read again.
static void let_go_of_operands(const evaluator *e, const pir_op *op) {
  enum { LARGE = 1 << 16 };
  for (size_t i = 0; i < pir_op_operands(op); i++) {
    const pir_value *value = pir_op_operand(op, i);
    const pir_op *from = value ? pir_value_op(value) : NULL;
    if (!from || !pir_op_has(from, PIR_PARAMETER))
      continue;
    const pir_param *param = pir_program_param(e->program, pir_op_parameter_name(from));
    if (param && param->size >= LARGE)
      pir_param_let_go(param);
  }
}

// An op that fails here is left in place, so that it reports its error when it runs.
static void compute_op(evaluator *e, const pir_op *op) {
  const pir_opdef *def = pir_op_def(op);
  pir_message message = {""};
  pir_watched_loops loops;
  const pir_watch *watch = &e->arena->heap->watch;
  call_draft d = {.e = e,
                  .call = {.op = def->name,
                           .attr_count = def->attr_count,
                           .clause = def->clause,
                           .cancel = watch->cancel,
                           .message = &message}};
  draft_operands(&d, op);
  if (draft_results(&d, op)) {
    d.call.parallel =
        pir_parallel_watched(&loops, loops_over(e, d.operand_bytes), watch, false);
    pir_status status = pir_op_attr_values(op, draft_alloc, &d, &d.call.attrs);
    if (!status)
      status = run_call(def, &d.call);
    if (status == PIR_EXHAUSTED)
      pir_heap_fail(e->arena->heap);
    pir_heap_poll(e->arena->heap);  // loops that ended early have computed nothing
    if (!status)
      know_results(e, op, &d.call);
    let_go_of_operands(e, op);
  }
  draft_free(&d);
}

static bool knows_operands(const evaluator *e, const pir_op *op) {
  for (size_t i = 0; i < pir_op_operands(op); i++)
    if (pir_op_operand(op, i) && !evaluator_find(e, pir_op_operand(op, i)))
      return false;
  return true;
}

// ---- composite ops

typedef struct expansion {
  evaluator *e;
  pir_op *op;
  PIR_VEC(pir_op *) parts;
} expansion;

static pir_op *create_evaluated_part(void *user, const pir_op_spec *spec) {
  expansion *x = user;
  pir_op *part = pir_rewriter_create(x->e->rewriter, x->op, spec);
  pir_vec_push(x->e->arena, &x->parts, part);
  return part;
}

// Copies the data: values that a part computed are freed with the part, and operands belong to
// others.
static void know_copy(evaluator *e, const pir_value *value, const known_value *from) {
  known_value *known = add_known(e, value, from->count);
  for (size_t k = 0; k < from->count; k++) {
    const pir_tensor *tensor = &from->tensors[k];
    size_t bytes = known_tensor_bytes(tensor);
    known->tensors[k] = *tensor;
    known->tensors[k].data = take_buffer(e, bytes);
    memcpy(known->tensors[k].data, tensor->data, bytes);
  }
}

static void know_expanded(evaluator *e, const pir_op *op, pir_value *const *values) {
  for (size_t i = 0; i < pir_op_results(op); i++)
    if (values[i] && !evaluator_find(e, values[i]))
      return;
  for (size_t i = 0; i < pir_op_results(op); i++)
    if (values[i])
      know_copy(e, pir_op_result(op, i), evaluator_find(e, values[i]));
}

static void evaluate_op(evaluator *e, const pir_op *op, int depth);

static void compute_parts(evaluator *e, pir_op *op, int alternative, int depth) {
  expansion x = {.e = e, .op = op};
  size_t size = pir_op_results(op) * sizeof(pir_value *);
  pir_value **values = pir_arena_zalloc(e->arena, size);
  pir_lower_target target = {create_evaluated_part, &x};
  e->status = pir_lower_expand(op, alternative, e->facts, &target, values);
  for (size_t i = 0; i < x.parts.count && !e->status; i++)
    evaluate_op(e, x.parts.items[i], depth + 1);
  if (!e->status)
    know_expanded(e, op, values);
  while (x.parts.count) {
    pir_op *part = pir_vec_pop(&x.parts);
    evaluator_forget(e, part);
    pir_rewriter_erase(e->rewriter, part);
  }
  pir_vec_free(e->arena, &x.parts);
  pir_arena_free(e->arena, values, size);
}

enum { DEEPEST = 8 };

static void evaluate_op(evaluator *e, const pir_op *op, int depth) {
  if (pir_op_has_effect(op) || pir_op_regions(op) || !pir_op_results(op))
    return;
  if (pir_op_has(op, PIR_PARAMETER)) {
    if (e->parameters)
      know_parameter(e, op);
    return;
  }
  // An op without operands has a value only if it is a constant.
  if ((!pir_op_operands(op) && !pir_op_has(op, PIR_CONSTANT)) || !knows_operands(e, op))
    return;
  if (makes_list(op)) {
    know_list(e, op);
    return;
  }
  int alternative = pir_lower_choose(op, e->facts);
  if (alternative == -1)
    compute_op(e, op);
  else if (e->rewriter && depth < DEEPEST)
    compute_parts(e, (pir_op *)(uintptr_t)op, alternative, depth);
}

void evaluator_visit(evaluator *e, const pir_op *op) {
  pir_context_note_place(pir_op_context(op), pir_op_loc(op));
  evaluate_op(e, op, 0);
}
