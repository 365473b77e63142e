// Loads the constants of a model. Parameters are bytes of a mapped file with any alignment. A
// parameter that instructions read is used in place if it is large and aligned, else copied; a
// parameter that only packing reads is never copied. Then the instructions that run once are
// executed and groups pack their operands. A constant that no run reads is freed after its last
// reader, so the weights and their packed forms are hardly ever there at the same time. One
// pass over the weights.
#include "model_impl.h"

#include <pir/layer/param_record.h>

#include <string.h>
#include <sys/mman.h>

#define SMALL 4096
#define PARALLEL_LOADING ((size_t)8 << 20)
#define PACK_ALIGN ((size_t)64)
#define LARGE_PAGE ((uintptr_t)2 << 20)

enum { BY_RUN = 1, BY_ONCE = 2, BY_PACKING = 4 };

static uint32_t const_of(const plan *p, uint32_t slot) {
  if (slot == NONE)
    return NONE;
  const plan_buffer *buffer = &p->buffers[p->slots[slot].buffer];
  return buffer->home == HOME_CONST ? buffer->index : NONE;
}

// Returns how an instruction reads operand k.
static uint8_t reader_of(const plan *p, const plan_instr *instr, uint32_t k) {
  if (instr->kind == PLAN_GROUP && p->words[p->groups[instr->detail].packs + k] != NONE)
    return BY_PACKING;
  return instr->once ? BY_ONCE : BY_RUN;
}

// Finds the readers of each constant.
static void find_readers(const plan *p, uint8_t *readers) {
  for (uint32_t i = 0; i < p->instr_count; i++) {
    const plan_instr *instr = &p->instrs[i];
    for (uint32_t k = 0; k < instr->in_count; k++) {
      uint32_t at = const_of(p, p->words[instr->in + k]);
      if (at != NONE)
        readers[at] |= reader_of(p, instr, k);
    }
  }
}

static bool usable_in_place(const pir_param *param) {
  size_t element = pir_dtype_size(param->dtype);
  return param->size >= SMALL && element && (uintptr_t)param->data % element == 0;
}

static bool lies_on_device(const plan *p, const plan_const *constant) {
  return p->buffers[p->slots[constant->slot].buffer].device;
}

static pir_status take_copy(pir_model *model, const plan_const *constant, void **out_copy,
                            pir_message *message) {
  if (lies_on_device(&model->plan, constant)) {
    pir_status status = pir_queue_take(model->loading, constant->bytes, out_copy);
    return status ? pir_exec_fail(message, status, "%s", pir_queue_message(model->loading))
                  : PIR_OK;
  }
  *out_copy = pir_mem_get(&model->allocator, constant->bytes);
  return *out_copy ? PIR_OK : PIR_EXHAUSTED;
}

static pir_status place_constant(pir_model *model, uint32_t i, uint8_t readers,
                                 pir_message *message) {
  plan_const *constant = &model->plan.consts[i];
  const pir_param *param = constant->param;
  if (!readers)
    return PIR_OK;
  if (param && (!(readers & (BY_RUN | BY_ONCE)) || usable_in_place(param))) {
    model->lent[i] = param;
    pir_param_retain(param);
    model->constants[i] = param->data;
    return PIR_OK;
  }
  void *copy = NULL;
  PIR_TRY(take_copy(model, constant, &copy, message));
  if (param && constant->bytes) {
    memcpy(copy, param->data, constant->bytes);
    pir_param_let_go(param);
  }
  model->copies[i] = (owned_block){copy, constant->bytes};
  model->constants[i] = copy;
  return PIR_OK;
}

// Constants that are computed or copied, and packed weights, stay below the limit of memory,
// because a small model can ask for large ones; the rest of it is for temporary results.
static pir_status check_room(pir_model *model, const uint8_t *readers, pir_message *message) {
  const plan *p = &model->plan;
  uint64_t need = 0;
  for (uint32_t i = 0; i < p->const_count; i++) {
    const pir_param *param = p->consts[i].param;
    bool copied = !param || (readers[i] & (BY_RUN | BY_ONCE) && !usable_in_place(param));
    if (copied && (readers[i] || !param) &&
        __builtin_add_overflow(need, p->consts[i].bytes, &need))
      need = UINT64_MAX;
  }
  for (uint32_t i = 0; i < p->pack_count; i++)
    if (__builtin_add_overflow(need, p->packs[i].packing->bytes, &need))
      need = UINT64_MAX;
  if (need > model->max_bytes)
    return pir_exec_fail(message, PIR_EXHAUSTED,
                         "the constants of the model need %llu bytes, more than the limit of "
                         "%llu",
                         (unsigned long long)need, (unsigned long long)model->max_bytes);
  model->max_bytes -= need;
  model->made_bytes = need;
  return PIR_OK;
}

static void drop_constant(pir_model *model, uint32_t i) {
  const owned_block *copy = &model->copies[i];
  if (lies_on_device(&model->plan, &model->plan.consts[i]))
    pir_queue_give(model->loading, copy->data, copy->bytes);
  else
    pir_mem_give(&model->allocator, copy->data, copy->bytes);
  if (model->lent[i])
    pir_param_release(model->lent[i]);
  model->copies[i] = (owned_block){0};
  model->lent[i] = NULL;
  model->constants[i] = NULL;
}

static pir_status run_once(pir_model *model, pir_parallel parallel, pir_message *message) {
  const plan *p = &model->plan;
  frame f;
  PIR_TRY(pir_frame_create(p, &model->allocator, &f));
  f.watch = *model->watch;
  f.parallel = parallel;
  f.budget = model->max_bytes;
  f.queue = model->loading;
  f.kernels = model->kernels;
  for (uint32_t i = 0; i < p->expr_count; i++)
    if (p->exprs[i].kind == PIR_DIM_CONST)
      f.values[i] = p->exprs[i].value;
  for (uint32_t i = 0; i < p->slot_count; i++) {
    uint32_t constant = const_of(p, i);
    if (constant == NONE)
      continue;
    pir_frame_shape(&f, i);
    f.tensors[i].data = (void *)model->constants[constant];
  }
  f.progress = model->progress;
  f.stage = PIR_STAGE_WEIGHTS;
  f.parts_behind = p->pack_count;
  pir_status status = pir_frame_run(&f, true);
  if (!status && f.queue)  // then host copies may go, and other streams may read
    status = pir_frame_wait(&f);
  if (status)
    pir_frame_abandon(&f);
  *message = f.message;
  pir_frame_release(&f);
  return status;
}

// ---- packing

typedef struct pack_run {
  pir_stage_fn fn;
  pir_group_args args;
} pack_run;

static void pack_range(void *user, int64_t begin, int64_t end, int thread) {
  const pack_run *run = user;
  run->fn(&run->args, begin, end, NULL);
}

static size_t pack_room(const plan_pack *pack) {
  return (pack->packing->bytes + PACK_ALIGN - 1) / PACK_ALIGN * PACK_ALIGN;
}

static pir_status pack_one(pir_model *model, uint32_t i, pir_parallel parallel,
                           pir_message *message) {
  const plan_pack *pack = &model->plan.packs[i];
  uint32_t constant = const_of(&model->plan, pack->slot);
  if (constant == NONE)
    return pir_exec_fail(message, PIR_INTERNAL, "a group packs an operand that is no constant");
  void *buffers[2] = {(void *)model->constants[constant], model->packed[i]};
  pack_run run = {pack->packing->fn, {.buffers = buffers}};
  parallel.parallel_for(parallel.pool, pack->packing->units, pack_range, &run);
  if (pir_watch_ended(model->watch))
    return pir_exec_fail(message, PIR_CANCELLED, "%s while weights were packed",
                         pir_watch_reason(model->watch));
  // Zeroes gaps, because the block may become a file and must not leak heap contents.
  memset((char *)model->packed[i] + pack->packing->bytes, 0,
         pack_room(pack) - pack->packing->bytes);
  return PIR_OK;
}

static void count_packed_on_device(pir_model *model) {
  const plan *p = &model->plan;
  for (uint32_t i = 0; i < p->instr_count; i++) {
    const plan_instr *instr = &p->instrs[i];
    if (instr->kind == PLAN_TRANSFER && instr->once && instr->detail)
      model->stats.packed_bytes += p->consts[const_of(p, p->words[instr->out])].bytes;
  }
}

// Uses one block with huge pages for all packed weights: kernels stream megabytes of them, and
// page faults would take as long as packing.
static pir_status place_packs(pir_model *model) {
  const plan *p = &model->plan;
  size_t bytes = 0;
  for (uint32_t i = 0; i < p->pack_count; i++) {
    model->stats.packed_bytes += p->packs[i].packing->bytes;
    if (p->packs[i].packing->bytes > PTRDIFF_MAX - bytes - PACK_ALIGN)
      return PIR_EXHAUSTED;
    bytes += pack_room(&p->packs[i]);
  }
  if (!bytes)
    return PIR_OK;
  char *at = pir_mem_get_lasting(&model->allocator, bytes);
  if (!at)
    return PIR_EXHAUSTED;
  model->packs = (owned_block){at, bytes};
#ifdef MADV_HUGEPAGE
  uintptr_t from = ((uintptr_t)at + LARGE_PAGE - 1) / LARGE_PAGE * LARGE_PAGE;
  uintptr_t to = ((uintptr_t)at + bytes) / LARGE_PAGE * LARGE_PAGE;
  if (to > from)
    (void)madvise((void *)from, to - from, MADV_HUGEPAGE);
#endif
  for (uint32_t i = 0; i < p->pack_count; i++) {
    model->packed[i] = at;
    at += pack_room(&p->packs[i]);
  }
  return PIR_OK;
}

// Finds the last pack of each constant that only packing still reads; of others, NONE.
static const uint32_t *find_last_packs(pir_model *model, const uint8_t *readers) {
  const plan *p = &model->plan;
  uint32_t *last = pir_arena_zalloc(&model->plan.memory, p->const_count * sizeof *last);
  for (uint32_t i = 0; i < p->const_count; i++)
    last[i] = NONE;
  for (uint32_t i = 0; i < p->pack_count; i++) {
    uint32_t constant = const_of(p, p->packs[i].slot);
    if (constant != NONE && !(readers[constant] & BY_RUN))
      last[constant] = i;
  }
  return last;
}

static void drop_packed(pir_model *model, uint32_t i, const uint32_t *last) {
  uint32_t constant = const_of(&model->plan, model->plan.packs[i].slot);
  const pir_param *lent = model->lent[constant];
  if (lent)
    pir_param_let_go(lent);
  if (last[constant] == i)
    drop_constant(model, constant);
}

static pir_status pack_all(pir_model *model, pir_parallel parallel, const uint32_t *last,
                           pir_message *message) {
  PIR_TRY(place_packs(model));
  count_packed_on_device(model);
  pir_status status = PIR_OK;
  uint32_t before = model->plan.instr_count, count = model->plan.pack_count;
  for (uint32_t i = 0; i < count && !status; i++) {
    status = pack_one(model, i, parallel, message);
    if (!status)
      drop_packed(model, i, last);
    pir_progress_report(model->progress, PIR_STAGE_WEIGHTS, NULL, before + i + 1,
                        (uint64_t)before + count);
  }
  return status;
}

// ---- all of it

void pir_weights_arrays(pir_model *model) {
  const plan *p = &model->plan;
  pir_arena *memory = &model->plan.memory;
  model->constants = pir_arena_zalloc(memory, p->const_count * sizeof *model->constants);
  model->copies = pir_arena_zalloc(memory, p->const_count * sizeof *model->copies);
  model->lent = pir_arena_zalloc(memory, p->const_count * sizeof *model->lent);
  model->packed = pir_arena_zalloc(memory, p->pack_count * sizeof *model->packed);
}

void pir_weights_lend(pir_model *model) {
  const plan *p = &model->plan;
  model->unpacked = true;
  pir_weights_arrays(model);
  for (uint32_t i = 0; i < p->const_count; i++) {
    if (!p->consts[i].param)
      continue;
    model->lent[i] = p->consts[i].param;
    pir_param_retain(model->lent[i]);
    model->constants[i] = model->lent[i]->data;
  }
}

// Finds who reads each constant. One without a parameter is computed here.
static const uint8_t *find_all_readers(plan *p) {
  uint8_t *readers = pir_arena_zalloc(&p->memory, p->const_count);
  find_readers(p, readers);
  for (uint32_t i = 0; i < p->const_count; i++)
    if (!p->consts[i].param)
      readers[i] |= BY_ONCE;
  return readers;
}

pir_status pir_weights_take(pir_model *model, pir_message *message) {
  plan *p = &model->plan;
  const uint8_t *readers = find_all_readers(p);
  pir_weights_arrays(model);
  PIR_TRY(check_room(model, readers, message));
  for (uint32_t i = 0; i < p->const_count; i++) {
    if (p->consts[i].param)
      model->stats.weight_bytes += p->consts[i].bytes;
    PIR_TRY(place_constant(model, i, readers[i], message));
  }
  for (uint32_t i = 0; i < p->const_count; i++)
    p->consts[i].param = NULL;
  model->readers = readers;
  return PIR_OK;
}

static pir_status load_by(pir_model *model, pir_parallel parallel, const uint32_t *last,
                          pir_message *message) {
  const plan *p = &model->plan;
  PIR_TRY(run_once(model, parallel, message));
  for (uint32_t i = 0; i < p->const_count; i++)
    if (!(model->readers[i] & (BY_RUN | BY_PACKING)))
      drop_constant(model, i);
  return pack_all(model, parallel, last, message);
}

// Nothing takes memory of the heap while there is a pool: a failure there would not come back.
pir_status pir_weights_load(pir_model *model, int threads, pir_message *message) {
  const uint32_t *last = find_last_packs(model, model->readers);
  pir_thread_pool *pool = NULL;
  bool shared = threads > 1 && model->made_bytes >= PARALLEL_LOADING &&
                !pir_thread_pool_create(threads, &model->allocator, &pool);
  pir_parallel parallel = shared ? pir_thread_pool_parallel(pool) : pir_parallel_serial();
  pir_status status = load_by(model, parallel, last, message);
  pir_thread_pool_destroy(pool);
  return status;
}

void pir_weights_release(pir_model *model) {
  const plan *p = &model->plan;
  if (!model->packed)
    return;
  for (uint32_t i = 0; i < p->const_count; i++)
    drop_constant(model, i);
  pir_mem_give(&model->allocator, model->packs.data, model->packs.bytes);
}
