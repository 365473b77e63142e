// pir-run --generate: runs a program that makes the scores of the next token, again and again.
// The program has an input of ids, an output of logits, and caches: outputs that are inputs of
// the next run (docs/execution.md#caches-that-grow).
#include "run.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// An output that is the next run's input.
typedef struct cache {
  size_t output, input;
  bool is_copied;  // the session cannot let both be one
  void *memory;    // of the input, where it is copied
  size_t bytes;
} cache;

typedef struct id_list {
  int64_t *ids;
  size_t count;
} id_list;

typedef struct generation {
  run *r;
  id_list prompt, stops;
  int64_t *made;
  size_t made_count, most;
  size_t ids, logits;     // ports
  long position;          // input of the number of tokens so far; -1: none
  int64_t *fed, *filled;  // memory of the inputs of ids and of the position
  cache *caches;
  size_t cache_count, tokens;  // tokens that the caches hold
  double prefill_ms, decode_ms;
} generation;

// ---- the command line

// Reads numbers with commas between them.
static int read_ids(const run *r, const char *option, const char *text, id_list *out) {
  size_t room = text ? strlen(text) / 2 + 1 : 0;
  *out = (id_list){.ids = calloc(room + 1, sizeof *out->ids)};
  if (!out->ids)
    return CLI_LIMIT;
  for (const char *at = text; at;) {
    char *end;
    errno = 0;
    long long id = strtoll(at, &end, 10);
    if (errno || end == at || (*end && *end != ',') || id < 0)
      return cli_bad_value(r->cli, option, text, "ids, as 15,7,301");
    out->ids[out->count++] = id;
    at = *end ? end + 1 : NULL;
  }
  return 0;
}

static bool is_integer(pir_dtype dtype) {
  return dtype == PIR_I64 || dtype == PIR_I32;
}

// Finds the port that an option names, or else the given one. Reports if there is none.
static int find_port(const run *r, int option, const char *name, bool input, long otherwise,
                     long *out_port) {
  const char *value = cli_value(r->cli, option, NULL);
  *out_port = otherwise;
  if (value)
    *out_port = input ? run_input_index(r, value, strlen(value))
                      : run_output_index(r, value, strlen(value));
  if (*out_port >= 0)
    return 0;
  if (!value)
    return cli_fail(r->cli, CLI_USAGE, "--generate: give --%s=NAME", name);
  return cli_fail(r->cli, CLI_USAGE, "--%s: the model has no %s \"%s\"", name,
                  input ? "input" : "output", value);
}

// The only input of integers, but for the position; -1: there is none, or several.
static long only_integers(const generation *g) {
  long found = -1;
  for (size_t i = 0; i < pir_model_inputs(g->r->model); i++) {
    if (!is_integer(input_port(g->r->model, i).dtype) || (long)i == g->position ||
        g->r->inputs[i].tensor.data)
      continue;
    if (found >= 0)
      return -1;
    found = (long)i;
  }
  return found;
}

static int find_ports(generation *g) {
  const run *r = g->r;
  long ids, logits;
  int code = 0;
  g->position = -1;
  if (cli_has(r->cli, OPT_POSITION))
    code = find_port(r, OPT_POSITION, "position", true, -1, &g->position);
  if (!code)
    code = find_port(r, OPT_IDS, "ids", true, only_integers(g), &ids);
  if (!code)
    code = find_port(r, OPT_LOGITS, "logits", false, pir_model_outputs(r->model) ? 0 : -1,
                     &logits);
  if (code)
    return code;
  g->ids = (size_t)ids;
  g->logits = (size_t)logits;
  pir_port port = input_port(r->model, g->ids);
  if (!is_integer(port.dtype) || port.rank < 1 || port.rank > 2)
    return cli_fail(r->cli, CLI_UNSUPPORTED,
                    "unsupported: ids in input \"%s\", which is not [tokens] or "
                    "[1, tokens] of int64 or int32",
                    port.name.data);
  if (g->position == ids)
    return cli_fail(r->cli, CLI_USAGE, "--ids and --position name one input, \"%s\"",
                    port.name.data);
  if (g->position >= 0 && !is_integer(input_port(r->model, (size_t)g->position).dtype))
    return cli_fail(r->cli, CLI_UNSUPPORTED,
                    "unsupported: a position that is not of int64 or int32");
  return 0;
}

// Without --carry, the outputs but the logits are the inputs that are no ids, in this order.
static int pair_in_order(generation *g) {
  const run *r = g->r;
  size_t output = 0;
  for (size_t i = 0; i < pir_model_inputs(r->model); i++) {
    if (i == g->ids || (long)i == g->position || is_integer(input_port(r->model, i).dtype))
      continue;
    output += output == g->logits;
    if (output >= pir_model_outputs(r->model))
      return cli_fail(r->cli, CLI_USAGE,
                      "--generate: input \"%s\" has no output that continues it; give "
                      "--carry=OUTPUT=INPUT for each cache",
                      input_port(r->model, i).name.data);
    g->caches[g->cache_count++] = (cache){.output = output++, .input = i};
  }
  return 0;
}

static int pair_by_name(generation *g, const char *text) {
  const run *r = g->r;
  const char *sign = strchr(text, '=');
  if (!sign)
    return cli_bad_value(r->cli, "carry", text, "OUTPUT=INPUT");
  long output = run_output_index(r, text, (size_t)(sign - text));
  long input = run_input_index(r, sign + 1, strlen(sign + 1));
  if (output < 0 || input < 0)
    return cli_fail(r->cli, CLI_USAGE, "--carry: the model has no %s \"%s\"",
                    output < 0 ? "such output in" : "input", output < 0 ? text : sign + 1);
  g->caches[g->cache_count++] = (cache){.output = (size_t)output, .input = (size_t)input};
  return 0;
}

static int find_caches(generation *g) {
  const run *r = g->r;
  int code = 0;
  g->caches = calloc(r->cli->match_count + pir_model_inputs(r->model) + 1, sizeof *g->caches);
  if (!g->caches)
    return CLI_LIMIT;
  if (!cli_has(r->cli, OPT_CARRY))
    return pair_in_order(g);
  for (size_t i = 0; i < r->cli->match_count && !code; i++)
    if (r->cli->matches[i].id == OPT_CARRY)
      code = pair_by_name(g, r->cli->matches[i].value);
  return code;
}

// ---- inputs

// A cache that is not given is empty: an extent that varies is 1 if it is the batch of the ids,
// else 0.
static int make_empty(generation *g, size_t input) {
  run *r = g->r;
  pir_port port = input_port(r->model, input), ids = input_port(r->model, g->ids);
  pir_str batch = ids.rank == 2 ? ids.dims[0] : PIR_STR("");
  int64_t shape[PIR_MAX_RANK];
  for (int d = 0; d < port.rank; d++) {
    bool same = batch.size && port.dims[d].size == batch.size &&
                !memcmp(port.dims[d].data, batch.data, batch.size);
    shape[d] = port.shape[d] >= 0 ? port.shape[d] : same;
  }
  return run_make_input(r, input, shape, port.rank, false, 0);
}

static void copy_from_now_on(generation *g, cache *c) {
  c->is_copied = true;
  fprintf(stderr, "cache \"%s\" is copied after each run: %s\n",
          output_port(g->r->model, c->output).name.data, pir_session_message(g->r->session));
}

// Lets the session keep the cache; where it cannot, this program copies it.
static int join_cache(generation *g, cache *c) {
  run *r = g->r;
  pir_status status = pir_session_alias(r->session, c->output, c->input, 0);
  if (status != PIR_UNSUPPORTED)
    return status ? run_fail(r, status) : 0;
  copy_from_now_on(g, c);
  return 0;
}

static int bind_whole(generation *g) {
  run *r = g->r;
  int code = 0;
  for (size_t i = 0; i < g->cache_count && !code; i++) {
    if (!r->inputs[g->caches[i].input].tensor.data)
      code = make_empty(g, g->caches[i].input);
    if (!code)
      code = join_cache(g, &g->caches[i]);
  }
  for (size_t i = 0; i < pir_model_inputs(r->model) && !code; i++) {
    if (i == g->ids || (long)i == g->position)
      continue;
    if (!r->inputs[i].tensor.data)
      return cli_fail(r->cli, CLI_USAGE, "input \"%s\" has no value; give --input=%s=...",
                      input_port(r->model, i).name.data, input_port(r->model, i).name.data);
    pir_status status = pir_session_bind_input(r->session, i, &r->inputs[i].tensor);
    code = status ? run_fail(r, status) : 0;
  }
  return code;
}

// Binds integers of the port's type; `to` has room for them as int64.
static int bind_integers(generation *g, size_t input, const int64_t *from, size_t count,
                         int64_t *to) {
  pir_port port = input_port(g->r->model, input);
  pir_tensor tensor = {.data = to};
  int64_t shape[PIR_MAX_RANK];
  for (int d = 0; d < port.rank; d++)
    shape[d] = d == port.rank - 1 ? (int64_t)count : 1;
  pir_tensor_set_dense(&tensor, port.dtype, shape, port.rank);
  for (size_t i = 0; i < count; i++) {
    if (port.dtype == PIR_I64)
      to[i] = from[i];
    else if (from[i] > INT32_MAX)
      return cli_fail(g->r->cli, CLI_INVALID, "id %lld is no int32", (long long)from[i]);
    else
      ((int32_t *)to)[i] = (int32_t)from[i];
  }
  pir_status status = pir_session_bind_input(g->r->session, input, &tensor);
  return status ? run_fail(g->r, status) : 0;
}

// ---- steps

static int copy_cache(generation *g, cache *c) {
  pir_tensor result, input;
  size_t bytes;
  pir_status status = pir_session_output(g->r->session, c->output, &result);
  if (!status)
    status = pir_shape_bytes(result.shape, result.rank, result.dtype, &bytes);
  if (status)
    return run_fail(g->r, status);
  if (bytes > c->bytes || !c->memory) {
    free(c->memory);
    c->memory = malloc(bytes ? 2 * bytes : 1);
    c->bytes = 2 * bytes;
    if (!c->memory)
      return cli_fail(g->r->cli, CLI_LIMIT, "no memory for the caches");
  }
  input = (pir_tensor){.data = c->memory};
  pir_tensor_set_dense(&input, result.dtype, result.shape, result.rank);
  status = pir_tensor_copy(&result, &input);
  if (!status)
    status = pir_session_bind_input(g->r->session, c->input, &input);
  return status ? run_fail(g->r, status) : 0;
}

// The extents of the first run may show that a cache cannot grow in its place. Nothing is
// kept yet, so all caches are copied, and the run is repeated.
static int run_first(generation *g) {
  run *r = g->r;
  pir_status status = pir_session_run(r->session);
  bool repeats = false;
  for (size_t i = 0; status == PIR_UNSUPPORTED && i < g->cache_count; i++)
    if (!g->caches[i].is_copied) {
      copy_from_now_on(g, &g->caches[i]);
      repeats = true;
    }
  if (!repeats)
    return status ? run_fail(r, status) : 0;
  for (size_t i = 0; i < g->cache_count; i++) {
    status = pir_session_alias(r->session, g->caches[i].output, PIR_NO_INPUT, 0);
    if (status)
      return run_fail(r, status);
  }
  return run_once(r);
}

// Runs the program on ids that follow those before.
static int run_ids(generation *g, const int64_t *ids, size_t count) {
  int64_t before = (int64_t)g->tokens;
  int code = bind_integers(g, g->ids, ids, count, g->fed);
  if (!code && g->position >= 0)
    code = bind_integers(g, (size_t)g->position, &before, 1, g->filled);
  if (!code)
    code = g->tokens ? run_once(g->r) : run_first(g);
  for (size_t i = 0; i < g->cache_count && !code; i++)
    if (g->caches[i].is_copied)
      code = copy_cache(g, &g->caches[i]);
  g->tokens += count;
  return code;
}

// The first of the largest logits of the last token.
static int take_best(generation *g, int64_t *out_id) {
  pir_tensor logits;
  if (pir_session_output(g->r->session, g->logits, &logits))
    return run_fail(g->r, PIR_INTERNAL);
  int64_t ids = logits.rank ? logits.shape[logits.rank - 1] : 0;
  int64_t n = pir_tensor_numel(&logits);
  double most = -INFINITY;
  *out_id = -1;
  for (int64_t i = 0; i < ids && n >= ids; i++) {
    double logit = pir_tensor_float_at(&logits, n - ids + i);
    if (logit > most) {
      most = logit;
      *out_id = i;
    }
  }
  return *out_id >= 0 ? 0
                      : cli_fail(g->r->cli, CLI_INVALID,
                                 "output \"%s\" has no largest logit for the next token",
                                 output_port(g->r->model, g->logits).name.data);
}

static bool is_stop(const generation *g, int64_t id) {
  for (size_t i = 0; i < g->stops.count; i++)
    if (g->stops.ids[i] == id)
      return true;
  return false;
}

static int run_prompt(generation *g) {
  pir_port port = input_port(g->r->model, g->ids);
  size_t step = port.shape[port.rank - 1] == 1 ? 1 : g->prompt.count;
  double start = run_now_ms();
  int code = 0;
  for (size_t i = 0; i < g->prompt.count && !code; i += step)
    code = run_ids(g, g->prompt.ids + i, step);
  g->prefill_ms = run_now_ms() - start;
  return code;
}

static int run_answer(generation *g) {
  uint64_t most_ns = cli_stop(g->r->cli).max_ns;  // that are left
  double start = run_now_ms();
  for (;;) {
    int64_t id;
    int code = take_best(g, &id);
    if (code)
      return code;
    if (is_stop(g, id))
      return 0;
    g->made[g->made_count++] = id;
    if (!g->r->json) {
      printf("%s%lld", g->made_count > 1 ? " " : "", (long long)id);
      fflush(stdout);
    }
    if (g->made_count == g->most)
      return 0;
    if (most_ns && (run_now_ms() - start) * 1e6 > (double)most_ns)
      return cli_fail(g->r->cli, CLI_LIMIT, "the limit of time was reached after %zu tokens",
                      g->made_count);
    code = run_ids(g, &id, 1);
    if (code)
      return code;
    g->decode_ms = run_now_ms() - start;
  }
}

// ---- the report

static double rate(size_t tokens, double ms) {
  return ms > 0 ? (double)tokens * 1e3 / ms : 0;
}

static void report_speed(const generation *g) {
  size_t steps = g->tokens - g->prompt.count;
  if (!g->r->json) {
    printf("\n");
    fprintf(stderr,
            "prompt: %zu tokens, %.1f a second; answer: %zu tokens, %.1f a second; peak memory "
            "%.1f MB\n",
            g->prompt.count, rate(g->prompt.count, g->prefill_ms), g->made_count,
            rate(steps, g->decode_ms), (double)run_rss_kb(true) / 1024);
    return;
  }
  printf("{\"tokens\":[");
  for (size_t i = 0; i < g->made_count; i++)
    printf("%s%lld", i ? "," : "", (long long)g->made[i]);
  printf("],\"prompt_tokens\":%zu,\"prompt_ms\":%.3f,\"prompt_tokens_per_s\":%.2f,"
         "\"steps\":%zu,\"steps_ms\":%.3f,\"tokens_per_s\":%.2f,\"peak_rss_kb\":%ld}\n",
         g->prompt.count, g->prefill_ms, rate(g->prompt.count, g->prefill_ms), steps,
         g->decode_ms, rate(steps, g->decode_ms), run_rss_kb(true));
}

static int open_generation(generation *g) {
  run *r = g->r;
  const char *most = cli_value(r->cli, OPT_MAX_TOKENS, NULL);
  uint64_t tokens;
  int code = read_ids(r, "generate", cli_value(r->cli, OPT_GENERATE, NULL), &g->prompt);
  if (!code)
    code = read_ids(r, "stop", cli_value(r->cli, OPT_STOP, NULL), &g->stops);
  if (code)
    return code;
  most = most ? most : "128";
  if (!cli_parse_u64(most, &tokens) || tokens < 1 || tokens > INT32_MAX)
    return cli_bad_value(r->cli, "max-tokens", most, "a number of tokens");
  g->most = (size_t)tokens;
  g->made = calloc(g->most, sizeof *g->made);
  g->fed = calloc(g->prompt.count + 1, sizeof *g->fed);
  g->filled = calloc(1, sizeof *g->filled);
  if (!g->made || !g->fed || !g->filled)
    return cli_fail(r->cli, CLI_LIMIT, "no memory for the tokens");
  code = find_ports(g);
  if (!code)
    code = find_caches(g);
  return code ? code : bind_whole(g);
}

int run_generate(run *r) {
  generation g = {.r = r};
  int code = open_generation(&g);
  if (!code)
    code = run_prompt(&g);
  if (!code)
    code = run_answer(&g);
  if (!code || g.made_count)
    report_speed(&g);
  for (size_t i = 0; i < g.cache_count; i++)
    free(g.caches[i].memory);
  free(g.caches);
  free(g.prompt.ids);
  free(g.stops.ids);
  free(g.made);
  free(g.fed);
  free(g.filled);
  return code;
}
