// Caches of a generation: the session keeps their place where it can, else they are copied.
#include "generation_impl.h"

#include <string.h>

// ---- memory that counts for the session's limit

void pir_generation_drop(pir_generation *g, owned_block *block) {
  g->session->alias_bytes -= block->bytes;
  pir_mem_give(&g->session->allocator, block->data, block->bytes);
  *block = (owned_block){0};
}

pir_status pir_generation_hold(pir_generation *g, owned_block *block, size_t bytes) {
  pir_session *s = g->session;
  if (block->data && bytes <= block->bytes)
    return PIR_OK;
  pir_generation_drop(g, block);
  if (s->alias_bytes > s->max_bytes || bytes > s->max_bytes - s->alias_bytes)
    return GENERATION_FAIL(g, PIR_EXHAUSTED,
                           "generation needs %zu bytes, more than max_bytes allows", bytes);
  void *data = pir_mem_get_lasting(&s->allocator, bytes);
  if (!data)
    return GENERATION_FAIL(g, PIR_EXHAUSTED, "no memory for the caches of a generation");
  *block = (owned_block){data, bytes};
  s->alias_bytes += bytes;
  return PIR_OK;
}

// ---- at the start

static bool is_batch(const pir_port *ids, pir_str name) {
  return ids->rank == 2 && name.size && ids->dims[0].size == name.size &&
         !memcmp(ids->dims[0].data, name.data, name.size);
}

// An extent that varies is the number of sequences if it has the name of the ids', else 0.
static pir_status bind_empty(pir_generation *g, generation_cache *c) {
  const plan *p = &g->session->model->plan;
  const pir_port *port = &p->inputs[c->input].port, *ids = &p->inputs[g->ids].port;
  int64_t shape[PIR_MAX_RANK];
  size_t bytes;
  if (port->rank < 0)
    return GENERATION_FAIL(g, PIR_INVALID, "cache \"%s\" has no rank, and must be bound",
                           port->name.data);
  for (int d = 0; d < port->rank; d++) {
    int64_t open = is_batch(ids, port->dims[d]) ? (int64_t)g->sequences : 0;
    shape[d] = port->shape[d] >= 0 ? port->shape[d] : open;
  }
  if (pir_shape_bytes(shape, port->rank, port->dtype, &bytes))
    return GENERATION_FAIL(g, PIR_EXHAUSTED, "cache \"%s\" is too large", port->name.data);
  PIR_TRY(pir_generation_hold(g, &c->block, bytes));
  memset(c->block.data, 0, bytes);
  pir_tensor tensor = {.data = c->block.data};
  pir_tensor_set_dense(&tensor, port->dtype, shape, port->rank);
  c->is_bound = true;
  return pir_session_bind_input(g->session, c->input, &tensor);
}

// From now on this cache is copied after each run; the sink hears why.
static void copy_from_now_on(pir_generation *g, generation_cache *c) {
  pir_message why;
  c->is_copied = true;
  pir_exec_fail(&why, PIR_OK, "cache \"%s\" is copied after each run: %s",
                g->session->model->plan.outputs[c->output].port.name.data,
                pir_session_message(g->session));
  pir_exec_tell(g->sink, PIR_WARNING, PIR_OK, why.text);
}

// An axis of a cache that may be the one of the sequences. One that varies has the extent of
// the bound tensor, of which 1 may grow by broadcasting; else it begins with nothing, which
// several axes cannot all do.
static bool may_be_batch(const pir_generation *g, const generation_cache *c, int d) {
  const pir_port *port = &g->session->model->plan.inputs[c->input].port;
  const pir_port *result = &g->session->model->plan.outputs[c->output].port;
  const bound_input *input = &g->session->inputs[c->input];
  int64_t rows = (int64_t)g->sequences;
  int open = 0;
  for (int k = 0; k < port->rank; k++)
    open += port->shape[k] < 0;
  if (port->shape[d] >= 0)
    return port->shape[d] == rows;
  if (result->rank == port->rank && result->shape[d] == rows)
    return true;
  if (input->is_bound && d < input->tensor.rank)
    return input->tensor.shape[d] == rows || input->tensor.shape[d] == 1;
  return open > 1;
}

// Where the rows of a cache are that belong to beams.
static pir_status find_batch_axis(pir_generation *g, generation_cache *c) {
  const plan *p = &g->session->model->plan;
  const pir_port *port = &p->inputs[c->input].port;
  int named = 0, found = 0, axis = 0;
  for (int d = 0; d < port->rank; d++) {
    bool has_name = is_batch(&p->inputs[g->ids].port, port->dims[d]);
    bool may_be = may_be_batch(g, c, d);
    if (has_name ? !named++ : may_be && !named)
      axis = d;
    found += may_be;
  }
  c->batch_axis = axis;
  if (named ? named == 1 : found == 1)
    return PIR_OK;
  return GENERATION_FAIL(
      g, PIR_UNSUPPORTED, "unsupported: %zu beams with cache \"%s\", of which %s", g->sequences,
      port->name.data,
      named || found ? "several axes may be their rows" : "no axis has as many elements");
}

pir_status pir_generation_open_caches(pir_generation *g) {
  for (size_t i = 0; i < g->cache_count; i++) {
    generation_cache *c = &g->caches[i];
    if (g->search.beams)
      PIR_TRY(find_batch_axis(g, c));
    if (!g->session->inputs[c->input].is_bound)
      PIR_TRY(bind_empty(g, c));
    pir_status status = pir_session_alias(g->session, c->output, c->input, 0);
    c->is_aliased = !status;
    if (c->is_aliased && g->session->aliases[c->output].kind == ALIAS_GROWS)
      g->session->aliases[c->output].most = g->room;
    if (status == PIR_UNSUPPORTED)
      copy_from_now_on(g, c);
    else
      PIR_TRY(status);
  }
  return PIR_OK;
}

// ---- a run

// Takes memory for the copy of a cache. The input stays as it is: only when all caches have
// theirs is a run not lost.
static pir_status make_copy_room(pir_generation *g, generation_cache *c) {
  pir_tensor result;
  size_t bytes;
  PIR_TRY(pir_session_output(g->session, c->output, &result));
  PIR_TRY(pir_shape_bytes(result.shape, result.rank, result.dtype, &bytes));
  if (c->block.data && bytes <= c->block.bytes)
    return PIR_OK;
  if (pir_generation_hold(g, &c->next, bytes + bytes / 2))
    PIR_TRY(pir_generation_hold(g, &c->next, bytes));
  g->session->frame.message.text[0] = 0;
  return PIR_OK;
}

static pir_status copy_cache(pir_generation *g, generation_cache *c) {
  pir_tensor result, input;
  PIR_TRY(pir_session_output(g->session, c->output, &result));
  g->session->inputs[c->input].is_bound = false;
  if (c->next.data) {
    pir_generation_drop(g, &c->block);
    c->block = c->next;
    c->next = (owned_block){0};
  }
  input = (pir_tensor){.data = c->block.data};
  pir_tensor_set_dense(&input, result.dtype, result.shape, result.rank);
  PIR_TRY(pir_tensor_copy(&result, &input));
  c->is_bound = true;
  return pir_session_bind_input(g->session, c->input, &input);
}

// Without memory for the copies the run may be repeated, unless the session has kept another
// cache already.
static pir_status copy_caches(pir_generation *g) {
  pir_status status = PIR_OK;
  bool keeps = false;
  for (size_t i = 0; i < g->cache_count; i++)
    keeps |= g->caches[i].is_aliased;
  for (size_t i = 0; !status && i < g->cache_count; i++)
    if (g->caches[i].is_copied)
      status = make_copy_room(g, &g->caches[i]);
  g->is_broken = status && keeps;
  for (size_t i = 0; status && i < g->cache_count; i++)
    pir_generation_drop(g, &g->caches[i].next);
  for (size_t i = 0; !status && i < g->cache_count; i++)
    if (g->caches[i].is_copied) {
      status = copy_cache(g, &g->caches[i]);
      g->is_broken = status != PIR_OK;
    }
  return status;
}

// A cache that the session would let grow may have rows that lie apart. Nothing is kept yet, so
// the first run is repeated with such caches copied, and with the same random numbers.
static pir_status run_first(pir_generation *g) {
  pir_session *s = g->session;
  pir_generator numbers = s->generator;
  pir_status status = pir_session_run(s);
  pir_message why = s->frame.message;
  bool repeats = false;
  for (size_t i = 0; status == PIR_UNSUPPORTED && i < g->cache_count; i++) {
    generation_cache *c = &g->caches[i];
    if (!c->is_aliased || s->aliases[c->output].kind != ALIAS_GROWS)
      continue;
    s->frame.message = why;
    copy_from_now_on(g, c);
    c->is_aliased = false;
    PIR_TRY(pir_session_alias(s, c->output, PIR_NO_INPUT, 0));
    repeats = true;
  }
  s->frame.message = why;
  if (!repeats)
    return status;
  s->generator = numbers;
  return pir_session_run(s);
}

pir_status pir_generation_run(pir_generation *g) {
  g->has_logits = false;
  if (g->is_broken)
    return GENERATION_FAIL(g, PIR_INVALID,
                           "the generation has lost a cache that could not be copied");
  PIR_TRY(g->has_run ? pir_session_run(g->session) : run_first(g));
  g->has_run = true;
  PIR_TRY(copy_caches(g));
  g->has_logits = true;
  return PIR_OK;
}

void pir_generation_measure_caches(const pir_generation *g, pir_generation_stats *out_stats) {
  out_stats->cache_bytes = out_stats->copied_bytes = 0;
  for (size_t i = 0; i < g->cache_count; i++) {
    const pir_tensor *t = &g->session->inputs[g->caches[i].input].tensor;
    size_t bytes = g->session->inputs[g->caches[i].input].is_bound ? pir_exec_bytes(t) : 0;
    out_stats->cache_bytes += bytes;
    out_stats->copied_bytes += g->caches[i].is_copied ? bytes : 0;
  }
}

// ---- the end

void pir_generation_close_caches(pir_generation *g) {
  for (size_t i = 0; i < g->cache_count; i++) {
    generation_cache *c = &g->caches[i];
    if (c->is_aliased)
      pir_ignore(pir_session_alias(g->session, c->output, PIR_NO_INPUT, 0));  // known outputs
    if (c->is_bound)
      g->session->inputs[c->input].is_bound = false;
    pir_generation_drop(g, &c->block);
  }
}
