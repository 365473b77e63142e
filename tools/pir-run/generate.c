// pir-run --generate: makes tokens after a prompt (pir/engine/generation.h), and reports the
// speed.
#include "ranks/ranks.h"

#include <errno.h>
#include <math.h>
#include <pir/engine/generation.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct id_list {
  int64_t *ids;
  size_t count;
} id_list;

typedef struct answer {
  run *r;
  id_list prompt, stops;
  pir_cache_ports *caches;
  char *names;  // of the caches
  pir_generation *generation;
  int64_t *made;
  size_t made_count, most;
  pir_beam *beams;  // of a search; NULL: there is none
  size_t beam_count, best;
  bool late;  // the limit of time was reached
} answer;

// ---- the command line

// Reads numbers with commas between them.
static int read_ids(const run *r, const char *option, const char *text, id_list *out) {
  size_t room = text ? strlen(text) / 2 + 1 : 0;
  *out = (id_list){.ids = calloc(room + 1, sizeof *out->ids)};
  if (!out->ids)
    return cli_fail(r->cli, CLI_LIMIT, "no memory for the ids of --%s", option);
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

static int read_number(const run *r, int option, const char *name, double *out) {
  const char *text = cli_value(r->cli, option, NULL);
  char *end = NULL;
  if (!text)
    return 0;
  *out = strtod(text, &end);
  return end == text || *end || !(*out > 0)
             ? cli_bad_value(r->cli, name, text, "a number above 0")
             : 0;
}

// A number from 1 to 2147483647.
static int read_count(const run *r, int option, const char *name, const char *what,
                      uint64_t *out) {
  const char *text = cli_value(r->cli, option, NULL);
  bool good = !text || (cli_parse_u64(text, out) && *out >= 1 && *out <= INT32_MAX);
  return good ? 0 : cli_bad_value(r->cli, name, text, what);
}

// Options of a search.
static int read_beams(answer *a, pir_generation_options *how) {
  static const struct {
    int option;
    const char *name;
  } of_beams[] = {{OPT_LENGTH_PENALTY, "length-penalty"},
                  {OPT_EARLY_STOP, "early-stop"},
                  {OPT_BEST, "best"}};
  const run *r = a->r;
  const char *penalty = cli_value(r->cli, OPT_LENGTH_PENALTY, NULL);
  uint64_t beams = 0, best = 1;
  char *end = NULL;
  int code = read_count(r, OPT_BEAMS, "beams", "a number of sequences", &beams);
  for (size_t i = 0; !code && !beams && i < sizeof of_beams / sizeof *of_beams; i++)
    if (cli_has(r->cli, of_beams[i].option))
      return cli_fail(r->cli, CLI_USAGE, "--%s needs --beams", of_beams[i].name);
  if (!code)
    code = read_count(r, OPT_BEST, "best", "a number of answers", &best);
  if (!code && best > 1 && best > beams)
    return cli_bad_value(r->cli, "best", cli_value(r->cli, OPT_BEST, NULL),
                         "no more answers than --beams");
  if (penalty)
    how->length_penalty = strtod(penalty, &end);
  if (!code && penalty && (end == penalty || *end || !isfinite(how->length_penalty)))
    return cli_bad_value(r->cli, "length-penalty", penalty, "a finite number");
  how->early_stop = cli_has(r->cli, OPT_EARLY_STOP);
  how->beams = (size_t)beams;
  a->best = (size_t)best;
  return code;
}

// --carry=OUTPUT=INPUT, each in its own piece of `names`.
static int read_caches(answer *a, pir_generation_options *how) {
  const cli_run *cli = a->r->cli;
  size_t bytes = 0;
  for (size_t i = 0; i < cli->match_count; i++)
    bytes += cli->matches[i].id == OPT_CARRY ? strlen(cli->matches[i].value) + 1 : 0;
  a->caches = calloc(cli->match_count + 1, sizeof *a->caches);
  a->names = malloc(bytes + 1);
  if (!a->caches || !a->names)
    return cli_fail(cli, CLI_LIMIT, "no memory for the names of the caches");
  char *at = a->names;
  for (size_t i = 0; i < cli->match_count; i++) {
    const char *text = cli->matches[i].value;
    if (cli->matches[i].id != OPT_CARRY)
      continue;
    size_t size = strlen(text) + 1;
    memcpy(at, text, size);
    char *sign = strchr(at, '=');
    if (!sign)
      return cli_bad_value(cli, "carry", text, "OUTPUT=INPUT");
    *sign = 0;
    a->caches[how->cache_count++] = (pir_cache_ports){at, sign + 1};
    at += size;
  }
  how->caches = how->cache_count ? a->caches : NULL;
  return 0;
}

static int read_generation(answer *a, pir_generation_options *how) {
  const run *r = a->r;
  uint64_t most = 128, largest = 0;
  int code = read_ids(r, "generate", cli_value(r->cli, OPT_GENERATE, NULL), &a->prompt);
  if (!code)
    code = read_ids(r, "stop", cli_value(r->cli, OPT_STOP, NULL), &a->stops);
  if (!code)
    code = read_count(r, OPT_MAX_TOKENS, "max-tokens", "a number of tokens", &most);
  if (!code)
    code = read_count(r, OPT_TOP_K, "top-k", "a number of ids", &largest);
  if (!code)
    code = read_number(r, OPT_TEMPERATURE, "temperature", &how->temperature);
  if (!code)
    code = read_number(r, OPT_TOP_P, "top-p", &how->top_p);
  if (!code)
    code = read_number(r, OPT_REPETITION, "repetition-penalty", &how->repetition_penalty);
  if (!code)
    code = read_beams(a, how);
  if (!code)
    code = read_caches(a, how);
  a->most = (size_t)most;
  how->sequences = 1;  // of one prompt
  how->max_tokens = a->most;
  how->top_k = (size_t)largest;
  how->ids = cli_value(r->cli, OPT_IDS, NULL);
  how->logits = cli_value(r->cli, OPT_LOGITS, NULL);
  how->position = cli_value(r->cli, OPT_POSITION, NULL);
  how->stops = a->stops.ids;
  how->stop_count = a->stops.count;
  how->sink = cli_sink(r->cli);
  return code;
}

// ---- the run

static int bind_given(run *r) {
  for (size_t i = 0; i < pir_model_inputs(r->model); i++) {
    if (!r->inputs[i].tensor.data)
      continue;
    pir_status status = pir_session_bind_input(r->session, i, &r->inputs[i].tensor);
    if (status)
      return run_fail(r, status);
  }
  return 0;
}

static int open_answer(answer *a) {
  pir_generation_options how = {.size = sizeof how};
  int code = read_generation(a, &how);
  if (!code)
    code = bind_given(a->r);
  if (code)
    return code;
  a->made = calloc(a->most, sizeof *a->made);
  if (how.beams)
    a->beams = calloc(a->best, sizeof *a->beams);
  if (!a->made || (how.beams && !a->beams))
    return cli_fail(a->r->cli, CLI_LIMIT, "no memory for the tokens");
  pir_status status = pir_generation_create(a->r->session, &how, &a->generation);
  return status ? run_fail(a->r, status) : 0;
}

// Of ranks, which work at the same time, each prints its tokens when it has them all.
static bool prints_each(const run *r) {
  return !r->json && !r->rank;
}

static pir_status make_tokens(answer *a) {
  uint64_t most_ns = cli_stop(a->r->cli).max_ns;  // that are left
  double start = run_now_ms();
  for (;;) {
    int64_t id;
    pir_status status = pir_generation_next(a->generation, &id);
    if (status)
      return status == PIR_NOT_FOUND ? PIR_OK : status;
    a->made[a->made_count++] = id;
    if (!a->r->rank && (a->r->json || !cli_is_terminal(STDOUT_FILENO)))
      cli_stage(a->r->cli, "generate", NULL, a->made_count, a->most);
    if (prints_each(a->r)) {
      printf("%s%lld", a->made_count > 1 ? " " : "", (long long)id);
      fflush(stdout);
    }
    a->late = most_ns && (run_now_ms() - start) * 1e6 > (double)most_ns;
    if (a->late)
      return PIR_OK;
  }
}

// The best answer is the one that the report is about.
static pir_status search_tokens(answer *a) {
  PIR_TRY(pir_generation_search(a->generation, a->beams, a->best, &a->beam_count));
  a->made_count = a->beams[0].count;
  memcpy(a->made, a->beams[0].ids, a->made_count * sizeof *a->made);
  return PIR_OK;
}

static pir_status make_answer(answer *a) {
  PIR_TRY(pir_generation_feed(a->generation, a->prompt.ids, a->prompt.count));
  return a->beams ? search_tokens(a) : make_tokens(a);
}

// ---- the report

static void print_ids(const char *between, const int64_t *ids, size_t count) {
  for (size_t i = 0; i < count; i++)
    printf("%s%lld", i ? between : "", (long long)ids[i]);
}

// Answers of a search: ids, after their scores where several are wanted.
static void print_answers(const answer *a) {
  for (size_t i = 0; i < a->beam_count; i++) {
    if (a->best > 1)
      printf("%s%.6g: ", i ? "\n" : "", a->beams[i].score);
    print_ids(" ", a->beams[i].ids, a->beams[i].count);
  }
}

static void print_answers_json(const answer *a) {
  printf("\"beams\":[");
  for (size_t i = 0; i < a->beam_count; i++) {
    printf("%s{\"score\":%.9g,\"tokens\":[", i ? "," : "", a->beams[i].score);
    print_ids(",", a->beams[i].ids, a->beams[i].count);
    printf("]}");
  }
  printf("],");
}

static double rate(uint64_t tokens, uint64_t ns) {
  return ns ? (double)tokens * 1e9 / (double)ns : 0;
}

typedef struct speed {
  pir_generation_stats made;
  double prompt, answer;     // tokens a second
  uint64_t weights, caches;  // bytes; of the caches while the answer was made, on average
  double reached, measured;  // GB/s of reading both once in a step; of the machine, or 0
  pir_message remark;        // about the last
} speed;

static speed find_speed(const answer *a) {
  speed s = {.made = {.size = sizeof s.made}};
  pir_ignore(pir_generation_stats_of(a->generation, &s.made));  // fails only without one
  pir_model_stats model = model_stats(a->r->model);
  s.prompt = rate(s.made.fed_tokens, s.made.feed_ns);
  s.answer = rate(s.made.steps, s.made.make_ns);
  s.weights = model.packed_bytes + model.weight_bytes;
  if (s.made.cached_tokens)
    s.caches =
        s.made.cache_bytes - s.made.cache_bytes / s.made.cached_tokens * (s.made.steps / 2);
  s.reached = (double)(s.weights + s.caches) * s.answer * 1e-9;
  s.measured = run_memory_read(a->r, &s.remark);
  return s;
}

static void print_speed(const answer *a, const speed *s) {
  fprintf(stderr,
          "prompt: %zu tokens, %.1f a second; answer: %zu tokens, %.1f a second; peak memory "
          "%.1f MB\n",
          a->prompt.count, s->prompt, a->made_count, s->answer,
          (double)run_rss_kb(true) / 1024);
  fprintf(stderr, "weights %.1f MB and caches %.1f MB a token: %.1f GB/s",
          (double)s->weights * 1e-6, (double)s->caches * 1e-6, s->reached);
  if (s->measured > 0)
    fprintf(stderr, " of %.1f measured, %.0f %%", s->measured, 100 * s->reached / s->measured);
  fprintf(stderr, *s->remark.text ? "; %s\n" : "%s\n", s->remark.text);
}

static void report_speed(const answer *a) {
  speed s = find_speed(a);
  if (!a->r->json) {
    if (!prints_each(a->r) && !a->beams)
      print_ids(" ", a->made, a->made_count);
    print_answers(a);
    printf("\n");
    print_speed(a, &s);
    return;
  }
  printf("{\"tokens\":[");
  print_ids(",", a->made, a->made_count);
  printf("],");
  if (a->beams)
    print_answers_json(a);
  printf("\"prompt_tokens\":%zu,\"prompt_ms\":%.3f,\"prompt_tokens_per_s\":%.2f,"
         "\"steps\":%llu,\"steps_ms\":%.3f,\"tokens_per_s\":%.2f,\"peak_rss_kb\":%ld,",
         a->prompt.count, (double)s.made.feed_ns * 1e-6, s.prompt,
         (unsigned long long)s.made.steps, (double)s.made.make_ns * 1e-6, s.answer,
         run_rss_kb(true));
  printf("\"weight_bytes\":%llu,\"cache_bytes\":%llu,\"copied_bytes\":%llu,"
         "\"gb_per_s\":%.2f,\"memory_gb_per_s\":%.2f}\n",
         (unsigned long long)s.weights, (unsigned long long)s.made.cache_bytes,
         (unsigned long long)s.made.copied_bytes, s.reached, s.measured);
}

int run_generate(run *r) {
  answer a = {.r = r};
  int code = open_answer(&a);
  if (!code) {
    run_leave_turn(r);
    pir_status status = make_answer(&a);
    // Each rank has its own clock: the limit of the first fails the run, not what others miss.
    run_take_turn(r, a.late ? PIR_EXHAUSTED : status);
    if (status)
      code = run_fail(r, status);
    else if (a.late)
      code = cli_fail(r->cli, CLI_LIMIT, "the limit of time was reached after %zu tokens",
                      a.made_count);
  }
  cli_stage_end(r->cli);
  cli_progress_erase();
  if (a.generation && (!code || a.made_count))
    report_speed(&a);
  pir_generation_destroy(a.generation);
  free(a.prompt.ids);
  free(a.stops.ids);
  free(a.caches);
  free(a.names);
  free(a.made);
  free(a.beams);
  return code;
}
