// Measurements: repeated runs of one shape, and alternating runs of many shapes.
#include "peak.h"
#include "run.h"
#include "samples.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- samples

bool run_add_sample(run_samples *s, double value) {
  if (s->count == s->capacity) {
    size_t capacity = s->capacity ? s->capacity * 2 : 256;
    double *grown = realloc(s->values, capacity * sizeof *grown);
    if (!grown)
      return false;
    s->values = grown;
    s->capacity = capacity;
  }
  s->values[s->count++] = value;
  return true;
}

static int by_value(const void *x, const void *y) {
  double a = *(const double *)x, b = *(const double *)y;
  return a < b ? -1 : a > b;
}

void run_sort_samples(run_samples *s) {
  if (s->count)
    qsort(s->values, s->count, sizeof *s->values, by_value);
}

double run_quantile(const run_samples *s, double q) {
  if (!s->count)
    return 0;
  size_t at = (size_t)(q * (double)(s->count - 1) + 0.5);
  return s->values[at < s->count ? at : s->count - 1];
}

// ---- one shape

// The share of the time that is over, and the number of runs.
static void tell_measured(const run *r, double ms, double seconds, size_t runs) {
  char what[32];
  double all = seconds * 1e3;
  snprintf(what, sizeof what, "%zu runs", runs);
  cli_stage(r->cli, "benchmark", what, (uint64_t)(ms < all ? ms : all), (uint64_t)all);
}

static int measure(run *r, double seconds, run_samples *s) {
  double begin = run_now_ms(), end = begin + seconds * 1e3, told = begin;
  tell_measured(r, 0, seconds, 0);
  while (s->count < 5 || run_now_ms() < end) {
    double start = run_now_ms();
    if (start - told > 100) {
      tell_measured(r, start - begin, seconds, s->count);
      told = start;
    }
    start = run_now_ms();
    int code = run_once(r);
    if (code)
      return code;
    if (!run_add_sample(s, run_now_ms() - start))
      break;
  }
  cli_stage_end(r->cli);
  cli_progress_erase();
  run_sort_samples(s);
  return 0;
}

static uint64_t recompiles(const run *r, uint64_t compiled_before) {
  return session_stats(r->session).recompiles + model_stats(r->model).kernels_compiled -
         compiled_before;
}

// Arithmetic of a run, and its rate in the median run; negative values were not measured.
typedef struct run_rates {
  double gflop, gflops, peak_share;
} run_rates;

static const run_rates no_rates = {-1, -1, -1};

static void add_flops(void *user, const pir_span *span) {
  *(double *)user += (double)span->flops;
}

// Counts the arithmetic of one run, in a session of its own: spans take time.
static run_rates measure_rates(const run *r, double median_ms) {
  double flops = 0, peak = peak_gflops() * (r->threads > 1 ? r->threads : 1);
  pir_session_options how = {.size = sizeof how,
                             .threads = r->threads,
                             .seed = r->seed,
                             .max_bytes = r->cli->limits.max_bytes,
                             .trace = add_flops,
                             .trace_user = &flops};
  pir_session *session;
  if (pir_session_create(r->model, &how, &session))
    return no_rates;
  pir_status status = PIR_OK;
  for (size_t i = 0; i < pir_model_inputs(r->model) && !status; i++)
    status = pir_session_bind_input(session, i, &r->inputs[i].tensor);
  if (!status)
    status = pir_session_run(session);
  pir_session_destroy(session);
  if (status || !(flops > 0) || !(median_ms > 0))
    return no_rates;
  double gflops = flops * 1e-6 / median_ms;
  return (run_rates){flops * 1e-9, gflops, peak > 0 ? gflops / peak : -1};
}

// Figures beside the times; negative ones were not measured.
typedef struct run_report {
  double ratio;  // of a shape's first run to its second
  run_rates rates;
  long growth_kb, peak_kb;
  uint64_t again, compiled;  // kernels: after the first run, and in all
} run_report;

// Notes memory and kernels now, before anything else is run.
static run_report report_now(const run *r, long growth_kb, uint64_t compiled_before) {
  return (run_report){-1,
                      no_rates,
                      growth_kb,
                      run_rss_kb(true),
                      recompiles(r, compiled_before),
                      compiled_before};
}

static void report_times(const run *r, const run_samples *s, run_report is) {
  pir_session_stats memory = session_stats(r->session);
  struct {
    const char *key;
    double value;
  } rows[] = {{"load_ms", r->load_ms},
              {"compile_ms", r->compile_ms},
              {"first_run_ms", r->first_run_ms},
              {"min_ms", run_quantile(s, 0)},
              {"median_ms", run_quantile(s, 0.5)},
              {"p90_ms", run_quantile(s, 0.9)},
              {"p99_ms", run_quantile(s, 0.99)},
              {"runs_per_second", is.ratio < 0 ? 1e3 / run_quantile(s, 0.5) : -1},
              {"gflop", is.rates.gflop},
              {"gflops", is.rates.gflops},
              {"peak_share", is.rates.peak_share},
              {"max_rel_error", r->max_rel_error},
              {"first_over_second", is.ratio}};
  struct {
    const char *key;
    int64_t value;
  } counts[] = {{"runs", (int64_t)s->count},
                {"threads", r->threads},
                {"peak_rss_kb", is.peak_kb},
                {"rss_growth_kb", is.growth_kb},
                {"arena_bytes", (int64_t)memory.plan_bytes},
                {"live_peak_bytes", (int64_t)memory.live_peak_bytes},
                {"kernels_compiled", (int64_t)is.compiled},
                {"recompiles_after_warmup", (int64_t)is.again}};
  const char *number = r->json ? "\"%s\":%.6g," : "%-24s %.6g\n",
             *whole = r->json ? "%s\"%s\":%" PRId64 : "%s%-24s %" PRId64,
             *separator = r->json ? "," : "\n";
  if (r->json)
    printf("{");
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    if (rows[i].value >= 0)
      printf(number, rows[i].key, rows[i].value);
  for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
    printf(whole, i ? separator : "", counts[i].key, counts[i].value);
  printf(r->json ? "}\n" : "\n");
}

int run_benchmark(run *r, const char *text) {
  char *end = "";
  double seconds = text ? strtod(text, &end) : 3;
  if (*end || end == text || !(seconds >= 0))
    return cli_bad_value(r->cli, "benchmark", text, "seconds");
  int code = r->first_run_ms > 0 ? 0 : run_once(r);
  long before = run_rss_kb(false);
  uint64_t compiled = model_stats(r->model).kernels_compiled;
  run_samples s = {0};
  if (!code)
    code = measure(r, seconds, &s);
  if (!code) {
    run_report report = report_now(r, run_rss_kb(false) - before, compiled);
    report.rates = measure_rates(r, run_quantile(&s, 0.5));
    report_times(r, &s, report);
  }
  free(s.values);
  return code;
}

// ---- many shapes

// Extents of the inputs' unknown axes, one row for each run: inputs in order, each of its rank.
typedef struct shape_list {
  int64_t *extents;
  size_t width, count;
} shape_list;

static size_t row_width(const run *r) {
  size_t width = 0;
  for (size_t i = 0; i < pir_model_inputs(r->model); i++)
    width += (size_t)input_port(r->model, i).rank;
  return width;
}

typedef struct bounds {
  uint64_t low, high, step;  // bounds of the extents of all axes except the first, which is 1
                             // to 4
} bounds;

// The same axis of several inputs gets the same extent, because such axes usually belong
// together.
static void draw_row(const run *r, const bounds *b, uint64_t *state, int64_t *row) {
  int64_t drawn[PIR_MAX_RANK];
  for (int d = 0; d < PIR_MAX_RANK; d++) {
    uint64_t bits = cli_random(state) >> 32;
    drawn[d] = (int64_t)(d == 0 ? 1 + bits % 4
                                : b->low + bits % ((b->high - b->low) / b->step + 1) * b->step);
  }
  for (size_t i = 0; i < pir_model_inputs(r->model); i++) {
    pir_port port = input_port(r->model, i);
    for (int d = 0; d < port.rank; d++)
      *row++ = port.shape[d] >= 0 ? port.shape[d] : drawn[d];
  }
}

static int random_shapes(const run *r, const char *text, shape_list *list) {
  bounds b = {32, 320, 32};
  unsigned long long count, seed, low, high, step;
  char rest;
  int read = sscanf(text, "random:%llu:%llu:%llu:%llu:%llu%c", &count, &seed, &low, &high,
                    &step, &rest);
  if (read == 4)
    step = 1;
  if (read == 4 || read == 5)
    b = (bounds){low, high, step};
  if ((read != 2 && read != 4 && read != 5) || !count || count > 1000000 || b.low > b.high ||
      !b.step || b.high > 1 << 20)
    return cli_bad_value(r->cli, "shapes", text, "random:N:SEED[:LOW:HIGH[:STEP]]");
  list->extents = calloc(count, (list->width + 1) * sizeof *list->extents);
  if (!list->extents)
    return cli_fail(r->cli, CLI_LIMIT, "out of memory");
  uint64_t state = seed;
  for (; list->count < count; list->count++)
    draw_row(r, &b, &state, list->extents + list->count * list->width);
  return 0;
}

// A line has the shapes of all inputs in order: 1x3x64x64 2x16
static int parse_row(const run *r, const char *path, char *line, int64_t *row) {
  char *rest = NULL;
  for (size_t i = 0; i < pir_model_inputs(r->model); i++) {
    pir_port port = input_port(r->model, i);
    char *at = strtok_r(i ? NULL : line, " \t", &rest);
    for (int d = 0; d < port.rank; d++) {
      char *end = at;
      if (at)
        *row++ = strtoll(at, &end, 10);
      if (!at || end == at || *end != (d + 1 < port.rank ? 'x' : 0))
        return cli_fail(r->cli, CLI_INVALID,
                        "%s: expected %d extents (1x3x64x64) for input %zu", path, port.rank,
                        i);
      at = end + 1;
    }
  }
  return 0;
}

static int file_shapes(const run *r, const char *path, shape_list *list) {
  cli_file file;
  int code = cli_file_read(r->cli, path, &file);
  if (code)
    return code;
  size_t lines = 1;
  for (size_t i = 0; i < file.bytes.size; i++)
    lines += file.bytes.data[i] == '\n';
  char *text = strndup(file.bytes.data, file.bytes.size), *rest = NULL;
  list->extents = calloc(lines, (list->width + 1) * sizeof *list->extents);
  if (!text || !list->extents)
    code = cli_fail(r->cli, CLI_LIMIT, "out of memory");
  for (char *line = code ? NULL : strtok_r(text, "\r\n", &rest); line && !code;
       line = strtok_r(NULL, "\r\n", &rest))
    if (*line != '#')
      code = parse_row(r, path, line, list->extents + list->count++ * list->width);
  free(text);
  cli_file_release(&file);
  return code;
}

static double elements_of(const run *r, const int64_t *row) {
  double total = 0;
  for (size_t i = 0; i < pir_model_inputs(r->model); i++) {
    double elements = 1;
    for (int d = 0; d < input_port(r->model, i).rank; d++)
      elements *= (double)*row++;
    total += elements;
  }
  return total;
}

// Allocates inputs for the largest extents once, so that all later growth is the library's.
static int make_inputs(run *r, const shape_list *list) {
  size_t at = 0;
  for (size_t i = 0; i < pir_model_inputs(r->model); i++) {
    int rank = input_port(r->model, i).rank, code;
    const int64_t *most = NULL;
    double most_elements = -1;
    for (size_t k = 0; k < list->count; k++) {
      const int64_t *shape = list->extents + k * list->width + at;
      double elements = 1;
      for (int d = 0; d < rank; d++)
        elements *= (double)shape[d];
      if (elements > most_elements) {
        most_elements = elements;
        most = shape;
      }
    }
    if (most && (code = run_make_input(r, i, most, rank, true, i)))
      return code;
    at += (size_t)rank;
  }
  return 0;
}

static int run_row(run *r, const int64_t *row, double *out_ms) {
  for (size_t i = 0; i < pir_model_inputs(r->model); i++) {
    pir_port port = input_port(r->model, i);
    pir_tensor_set_dense(&r->inputs[i].tensor, port.dtype, row, port.rank);
    row += port.rank;
  }
  double start = run_now_ms();
  int code = run_bind(r, NULL);
  if (!code)
    code = run_once(r);
  *out_ms = run_now_ms() - start;
  return code;
}

static void print_row(const run *r, const int64_t *row, double first, double second) {
  for (size_t i = 0; i < pir_model_inputs(r->model); i++) {
    int rank = input_port(r->model, i).rank;
    for (int d = 0; d < rank; d++)
      printf(d ? "x%" PRId64 : "%" PRId64, *row++);
    printf(" ");
  }
  printf("first %.3f ms, second %.3f ms\n", first, second);
}

static int run_list(run *r, const shape_list *list, run_samples *s, run_samples *ratios,
                    long *growth_kb) {
  size_t largest = 0;
  double first, second;
  for (size_t i = 1; i < list->count; i++)
    if (elements_of(r, list->extents + i * list->width) >
        elements_of(r, list->extents + largest * list->width))
      largest = i;
  int code = run_row(r, list->extents + largest * list->width, &first);
  long base = run_rss_kb(false), most = base;
  for (size_t i = 0; i < list->count && !code; i++) {
    const int64_t *row = list->extents + i * list->width;
    cli_stage(r->cli, "shapes", NULL, i, list->count);
    code = run_row(r, row, &first);
    if (!code)
      code = run_row(r, row, &second);
    if (!code && !r->json) {
      cli_progress_erase();
      print_row(r, row, first, second);
    }
    run_add_sample(s, second);
    if (second > 0)
      run_add_sample(ratios, first / second);
    long now = run_rss_kb(false);
    if (now > most)
      most = now;
  }
  *growth_kb = most - base;
  run_sort_samples(s);
  run_sort_samples(ratios);
  return code;
}

int run_shapes(run *r, const char *text) {
  shape_list list = {.width = row_width(r)};
  run_samples s = {0}, ratios = {0};
  long growth = 0;
  uint64_t compiled = model_stats(r->model).kernels_compiled;
  int code =
      strncmp(text, "random:", 7) ? file_shapes(r, text, &list) : random_shapes(r, text, &list);
  if (!code && !list.count)
    code = cli_fail(r->cli, CLI_INVALID, "%s has no shapes", text);
  if (!code)
    code = make_inputs(r, &list);
  if (!code)
    code = run_list(r, &list, &s, &ratios, &growth);
  if (!code) {
    run_report report = report_now(r, growth, compiled);
    report.ratio = run_quantile(&ratios, 0.5);
    report_times(r, &s, report);
  }
  free(ratios.values);
  free(s.values);
  free(list.extents);
  return code;
}

// ---- traces

void run_take_span(void *user, const pir_span *span) {
  run *r = user;
  if (r->span_count == r->span_capacity) {
    size_t capacity = r->span_capacity ? r->span_capacity * 2 : 256;
    pir_span *grown = realloc(r->spans, capacity * sizeof *grown);
    if (!grown)
      return;
    r->spans = grown;
    r->span_capacity = capacity;
  }
  r->spans[r->span_count++] = *span;
}

// One span as a trace event. `peak`: GFLOP/s of all threads, or 0.
static int print_span(const run *r, size_t i, double peak, char *line, size_t size) {
  const pir_span *span = &r->spans[i];
  double ns = (double)(span->end_ns - span->start_ns);
  double rate = ns > 0 ? (double)span->flops / ns : 0;
  int n = snprintf(line, size,
                   "%s\n{\"name\":\"%s\",\"cat\":\"%s\",\"ph\":\"X\",\"pid\":1,\"tid\":1,"
                   "\"ts\":%.3f,\"dur\":%.3f,"
                   "\"args\":{\"instruction\":%zu,\"bytes\":%" PRIu64 ",\"flops\":%" PRIu64
                   ",\"gflops\":%.3f,\"gbytes\":%.3f",
                   i ? "," : "", span->label, span->compiled ? "compiled" : "called",
                   (double)(span->start_ns - r->spans[0].start_ns) * 1e-3, ns * 1e-3, i,
                   span->bytes, span->flops, rate, ns > 0 ? (double)span->bytes / ns : 0);
  if (n < 0 || (size_t)n >= size)
    return -1;
  int rest = peak > 0
                 ? snprintf(line + n, size - (size_t)n, ",\"peak_share\":%.3f}}", rate / peak)
                 : snprintf(line + n, size - (size_t)n, "}}");
  return rest < 0 || (size_t)rest >= size - (size_t)n ? -1 : n + rest;
}

int run_write_profile(const run *r, const char *path) {
  cli_output out;
  int code = cli_output_open(r->cli, path, &out);
  if (code)
    return code;
  pir_writer writer = cli_output_writer(&out);
  double peak = peak_gflops() * (r->threads > 1 ? r->threads : 1);
  bool ok = writer.write(writer.user, "[", 1);
  for (size_t i = 0; i < r->span_count && ok; i++) {
    char line[2048];
    int size = print_span(r, i, peak, line, sizeof line);
    ok = size > 0 && writer.write(writer.user, line, (size_t)size);
  }
  if (ok && writer.write(writer.user, "\n]\n", 3))
    return cli_output_commit(r->cli, &out);
  cli_output_abandon(&out);
  return cli_fail(r->cli, CLI_INVALID, "cannot write %s", path);
}
