// Which ports of a model are ids, logits, position and caches: by their names, or by their
// types and order.
#include "generation_impl.h"

#include <string.h>

static const plan *plan_of(const pir_generation *g) {
  return &g->session->model->plan;
}

static bool is_integer(const pir_port *port) {
  return port->dtype == PIR_I64 || port->dtype == PIR_I32;
}

static bool has_name(const pir_port *port, const char *name) {
  return port->name.size == strlen(name) && !memcmp(port->name.data, name, port->name.size);
}

static pir_status find_input_port(pir_generation *g, const char *name, uint32_t *out) {
  const plan *p = plan_of(g);
  for (uint32_t i = 0; i < p->input_count; i++)
    if (has_name(&p->inputs[i].port, name)) {
      *out = i;
      return PIR_OK;
    }
  return GENERATION_FAIL(g, PIR_NOT_FOUND, "the model has no input \"%s\"", name);
}

static pir_status find_output_port(pir_generation *g, const char *name, uint32_t *out) {
  const plan *p = plan_of(g);
  for (uint32_t i = 0; i < p->output_count; i++)
    if (has_name(&p->outputs[i].port, name)) {
      *out = i;
      return PIR_OK;
    }
  return GENERATION_FAIL(g, PIR_NOT_FOUND, "the model has no output \"%s\"", name);
}

// The only input of integers besides the position, of several the only one that is not bound:
// an earlier run may have left the ids bound.
static pir_status find_only_ids(pir_generation *g) {
  const plan *p = plan_of(g);
  uint32_t all = 0, open = 0, last = NONE, last_open = NONE;
  for (uint32_t i = 0; i < p->input_count; i++) {
    if (!is_integer(&p->inputs[i].port) || i == g->position)
      continue;
    all++;
    last = i;
    if (g->session->inputs[i].is_bound)
      continue;
    open++;
    last_open = i;
  }
  g->ids = all == 1 ? last : last_open;
  if (all != 1 && open != 1)
    return GENERATION_FAIL(g, PIR_INVALID,
                           "the model has %s integers, so the input of ids must be stated",
                           all ? "several inputs of" : "no input of");
  return PIR_OK;
}

static pir_status check_ids(pir_generation *g, size_t wanted) {
  const pir_port *port = &plan_of(g)->inputs[g->ids].port;
  if (!is_integer(port) || port->rank < 1 || port->rank > 2)
    return GENERATION_FAIL(g, PIR_UNSUPPORTED,
                           "unsupported: ids in input \"%s\", which is not [tokens] or "
                           "[sequences, tokens] of int64 or int32",
                           port->name.data);
  if (g->ids == g->position)
    return GENERATION_FAIL(g, PIR_INVALID, "ids and position are one input, \"%s\"",
                           port->name.data);
  if (g->position != NONE && !is_integer(&plan_of(g)->inputs[g->position].port))
    return GENERATION_FAIL(g, PIR_UNSUPPORTED,
                           "unsupported: a position that is not of int64 or int32");
  int64_t rows = port->rank == 2 ? port->shape[0] : 1;
  g->sequences = wanted ? wanted : 1;  // what the caller's memory is for
  g->sequences = g->search.beams ? g->search.beams : g->sequences;
  if (rows >= 0 && g->sequences != (size_t)rows)
    return GENERATION_FAIL(g, PIR_INVALID, "input \"%s\" has %lld sequences, not %zu",
                           port->name.data, (long long)rows, g->sequences);
  return PIR_OK;
}

static void add_cache(pir_generation *g, uint32_t output, uint32_t input) {
  g->caches[g->cache_count++] = (generation_cache){.output = output, .input = input};
}

static pir_status check_new_cache(pir_generation *g, uint32_t output, uint32_t input) {
  const plan *p = plan_of(g);
  if (input == g->ids || input == g->position || output == g->logits)
    return GENERATION_FAIL(g, PIR_INVALID, "a cache \"%s\" of ids, position or logits",
                           p->inputs[input].port.name.data);
  for (size_t i = 0; i < g->cache_count; i++)
    if (g->caches[i].input == input || g->caches[i].output == output)
      return GENERATION_FAIL(g, PIR_INVALID,
                             "output \"%s\" as input \"%s\": one of both is in "
                             "another cache",
                             p->outputs[output].port.name.data,
                             p->inputs[input].port.name.data);
  return PIR_OK;
}

// The outputs but the logits continue the inputs that are no integers, in their order; only
// inputs that are bound may be left over.
static pir_status pair_in_order(pir_generation *g) {
  const plan *p = plan_of(g);
  uint32_t output = 0;
  for (uint32_t i = 0; i < p->input_count; i++) {
    if (i == g->ids || i == g->position || is_integer(&p->inputs[i].port))
      continue;
    output += output == g->logits;
    if (output >= p->output_count && g->session->inputs[i].is_bound)
      continue;
    if (output >= p->output_count)
      return GENERATION_FAIL(g, PIR_INVALID,
                             "input \"%s\" has no output that continues it: caches must be "
                             "stated, or the input bound",
                             p->inputs[i].port.name.data);
    add_cache(g, output++, i);
  }
  return PIR_OK;
}

static pir_status find_caches(pir_generation *g, const pir_generation_options *options) {
  const plan *p = plan_of(g);
  size_t most = options->caches ? options->cache_count : p->input_count;
  g->caches = pir_arena_zalloc(&g->memory, (most + 1) * sizeof *g->caches);
  if (g->memory.failed)
    return GENERATION_FAIL(g, PIR_EXHAUSTED, "no memory for the caches");
  if (!options->caches && options->cache_count)
    return GENERATION_FAIL(g, PIR_INVALID, "%zu caches are counted, and none given",
                           options->cache_count);
  if (!options->caches)
    return pair_in_order(g);
  for (size_t i = 0; i < options->cache_count; i++) {
    uint32_t output, input;
    if (!options->caches[i].output || !options->caches[i].input)
      return GENERATION_FAIL(g, PIR_INVALID, "cache %zu has no names", i);
    PIR_TRY(find_output_port(g, options->caches[i].output, &output));
    PIR_TRY(find_input_port(g, options->caches[i].input, &input));
    PIR_TRY(check_new_cache(g, output, input));
    add_cache(g, output, input);
  }
  return PIR_OK;
}

pir_status pir_generation_find_ports(pir_generation *g, const pir_generation_options *options) {
  g->position = NONE;
  g->logits = 0;
  if (options->position)
    PIR_TRY(find_input_port(g, options->position, &g->position));
  PIR_TRY(options->ids ? find_input_port(g, options->ids, &g->ids) : find_only_ids(g));
  PIR_TRY(check_ids(g, options->sequences));
  if (options->logits)
    PIR_TRY(find_output_port(g, options->logits, &g->logits));
  if (!plan_of(g)->output_count)
    return GENERATION_FAIL(g, PIR_INVALID, "the model has no output");
  const pir_port *logits = &plan_of(g)->outputs[g->logits].port;
  if (!pir_dtype_is_float(logits->dtype))
    return GENERATION_FAIL(g, PIR_UNSUPPORTED, "unsupported: logits in output \"%s\", of %s",
                           logits->name.data, pir_dtype_name(logits->dtype));
  return find_caches(g, options);
}
