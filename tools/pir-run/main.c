// pir-run: runs a model on inputs from files, random numbers or recorded cases; prints, saves,
// compares and measures.
#include "faults/faults.h"
#include "fit/fit.h"
#include "ranks/ranks.h"
#include "run.h"
#include "watch_code.h"
#include <pir/compiler/load.h>
#include <pir/layer/nearest.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

static const cli_tool tool = {"pir-run", "[options] MODEL", "Runs a Paddle model.", run_options,
                              1,         run_examples};

double run_now_ms(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

long run_rss_kb(bool peak) {
  struct rusage usage;
  if (peak)
    return getrusage(RUSAGE_SELF, &usage) ? 0 : usage.ru_maxrss;
  long total = 0, resident = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  if (!file)
    return 0;
  if (fscanf(file, "%ld %ld", &total, &resident) != 2)
    resident = 0;
  fclose(file);
  return resident * (sysconf(_SC_PAGESIZE) / 1024);
}

// ---- a model

static void adopt_extra(pir_program *program, const pir_npy_set *extra) {
  for (size_t i = 0; i < extra->count; i++) {
    const pir_npy_array *array = &extra->arrays[i];
    size_t bytes;
    if (strncmp(array->name, "param/", 6))
      continue;
    if (pir_shape_bytes(array->tensor.shape, array->tensor.rank, array->tensor.dtype, &bytes))
      continue;
    pir_param param = {.name = pir_str_from(array->name + 6),
                       .dtype = array->tensor.dtype,
                       .shape = {array->tensor.shape, (size_t)array->tensor.rank},
                       .data = array->tensor.data,
                       .size = bytes};
    pir_program_adopt_param(program, &param);
  }
}

static bool fits(pir_shape stated, const pir_tensor *fed) {
  bool same = stated.rank == (size_t)fed->rank;
  for (int i = 0; same && i < fed->rank; i++)
    same = stated.dims[i] < 0 || stated.dims[i] == fed->shape[i];
  return same;
}

// The case's array determines an input's shape; the stated shape was inferred by Paddle and is
// sometimes wrong.
static void restate_inputs(pir_program *program, const pir_npy_set *extra) {
  pir_context *ctx = pir_program_context(program);
  for (pir_op *op = pir_block_first(pir_program_block(program)); extra && op;
       op = pir_op_next(op)) {
    const pir_attr *name = pir_op_has(op, PIR_INPUT) ? pir_op_attr_str(op, "name") : NULL;
    pir_name *shape = pir_name_get(ctx, PIR_STR("shape"));
    const pir_npy_array *array =
        name ? pir_case_input(extra, pir_attr_as_str(name).data) : NULL;
    if (!array || !pir_op_attr(op, shape) ||
        fits(pir_type_shape(pir_value_type(pir_op_result(op, 0))), &array->tensor))
      continue;
    pir_shape fed = {array->tensor.shape, (size_t)array->tensor.rank};
    pir_op_set_attr(op, shape, pir_attr_int_array(ctx, fed.dims, fed.rank));
    pir_value_set_type(pir_op_result(op, 0), pir_type_tensor(ctx, array->tensor.dtype, fed));
  }
}

static bool has_parameters(const pir_npy_set *extra) {
  for (size_t i = 0; extra && i < extra->count; i++)
    if (!strncmp(extra->arrays[i].name, "param/", 6))
      return true;
  return false;
}

static pir_status read_alone(run *r, pir_context *ctx, const char *path,
                             pir_program **out_program) {
  cli_file file;
  if (!cli_is_stream(path))
    return pir_program_read_file(ctx, path, out_program);
  int code = cli_file_read_named(r->cli, path, &file);
  if (code)
    return code == CLI_LIMIT ? PIR_EXHAUSTED : PIR_IO;
  return pir_program_read(ctx, file.bytes, pir_str_from(file.name), out_program);
}

static pir_status load_program(run *r, pir_context *ctx, const char *path, const char *params,
                               const pir_npy_set *extra, pir_program **out_program) {
  bool own = has_parameters(extra);
  bool alone = cli_has(r->cli, OPT_TRAIN) || cli_has(r->cli, OPT_INIT);
  if (!own && (params || !alone))
    return cli_program_load(r->cli, ctx, path, params, out_program);
  PIR_TRY(read_alone(r, ctx, path, out_program));
  if (pir_program_is_older(*out_program))
    PIR_TRY(pir_program_upgrade(*out_program));
  if (own)
    adopt_extra(*out_program, extra);
  return PIR_OK;
}

// Collects the names of --show, which the run keeps.
static void take_shown(run *r, pir_model_options *how) {
  free(r->show);
  r->show = calloc(r->cli->match_count + 1, sizeof *r->show);
  for (size_t i = 0; r->show && i < r->cli->match_count; i++)
    if (r->cli->matches[i].id == OPT_SHOW)
      r->show[how->show_count++] = r->cli->matches[i].value;
  how->show = r->show;
}

static bool is_shown(const run *r, pir_port port) {
  for (size_t i = 0; r->show && r->show[i]; i++)
    if (!strcmp(r->show[i], port.name.data))
      return true;
  return false;
}

static pir_model_options model_options(run *r) {
  pir_model_options how = {.size = sizeof how,
                           .sink = cli_sink(r->cli),
                           .limits = r->cli->limits,
                           .stop = cli_stop(r->cli),
                           .progress = cli_progress(r->cli)};
  how.pipeline = r->chosen ? r->chosen : cli_value(r->cli, OPT_PIPELINE, NULL);
  how.target = cli_value(r->cli, OPT_TARGET, NULL);
  how.device_number = r->device_number;
  how.math = cli_value(r->cli, OPT_MATH, NULL);
  how.any_float = cli_has(r->cli, OPT_ANY_FLOAT) || cli_has(r->cli, OPT_AMP);
  how.cache = run_cache(r);
  how.machine = run_machine_use(r);
  if (fit_exposes_state(r->cli)) {
    snprintf(r->pipeline, sizeof r->pipeline, "state,%s",
             how.pipeline ? how.pipeline : "compile");
    how.pipeline = r->pipeline;
  }
  take_shown(r, &how);
  return how;
}

// Opens the model step by step, because the program is changed between the steps.
static pir_status open_program(run *r, const char *path, const char *params,
                               const pir_npy_set *extra, const pir_model_options *how) {
  double start = run_now_ms();
  pir_context *ctx = cli_context_create(r->cli);
  if (!ctx)
    return PIR_INTERNAL;
  pir_program *program = NULL;
  pir_context_set_progress(ctx, how->progress);
  pir_status status = watch_code(r, ctx);
  if (!status)
    status = load_program(r, ctx, path, params, extra, &program);
  r->load_ms = run_now_ms() - start;
  start = run_now_ms();
  if (!status)
    restate_inputs(program, extra);
  if (!status && run_wants_values(r))
    status = run_expose_values(r, program);
  if (!status && cli_has(r->cli, OPT_FIT))
    status = fit_prepare(r, program);
  if (!status && cli_has(r->cli, OPT_VIEW))
    status = run_view_steps(r, path, program, how);
  if (!status && cli_has(r->cli, OPT_COMPILE_ONLY))
    status = pir_model_compile_ahead(program, how);
  else if (!status)
    status = pir_model_create(program, how, &r->model);
  r->compile_ms = run_now_ms() - start;
  pir_program_destroy(program);
  pir_context_destroy(ctx);
  return status;
}

// Opens the model with one call, so that the library caches the prepared model.
static pir_status open_files(run *r, const char *path, const char *params,
                             const pir_model_options *how) {
  PIR_TRY(pir_model_load_file(path, params, how, &r->model));
  pir_model_stats stats = model_stats(r->model);
  r->load_ms = (double)stats.load_ns * 1e-6;
  r->compile_ms = (double)stats.compile_ns * 1e-6;
  return PIR_OK;
}

// Opens the model of a program.
static pir_status open_model(run *r, const char *path, const char *params,
                             const pir_npy_set *extra) {
  pir_model_options how = model_options(r);
  static const pir_limits unlimited;
  bool watches = cli_has(r->cli, OPT_GDB) || cli_has(r->cli, OPT_PERF_MAP);
  bool own_steps = cli_has(r->cli, OPT_VIEW) || cli_has(r->cli, OPT_COMPILE_ONLY) || watches ||
                   fit_exposes_state(r->cli) || (extra && extra->count) ||
                   run_wants_values(r) || r->cli->custom_ops || r->cli->passes ||
                   r->cli->remarks || cli_is_stream(path) || cli_is_stream(params) ||
                   memcmp(&r->cli->limits, &unlimited, sizeof unlimited);
  pir_status status = (how.cache || how.show_count) && !own_steps
                          ? open_files(r, path, params, &how)
                          : open_program(r, path, params, extra, &how);
  cli_progress_erase();
  return status;
}

static int open_session(run *r) {
  pir_session_options session = {.size = sizeof session,
                                 .threads = r->threads,
                                 .seed = r->seed,
                                 .max_bytes = r->cli->limits.max_bytes,
                                 .max_ns = cli_stop(r->cli).max_ns,
                                 .rings = r->rings,
                                 .flush_subnormals = cli_has(r->cli, OPT_FLUSH)};
  if (cli_has(r->cli, OPT_PROFILE) || cli_has(r->cli, OPT_VIEW)) {
    session.trace = run_take_span;
    session.trace_user = r;
  }
  if (r->guard) {
    session.allocator = run_guard_allocator(r);
    session.separate = true;
  }
  pir_status status = pir_session_create(r->model, &session, &r->session);
  if (status)
    return cli_exit_code(status);
  r->inputs = calloc(pir_model_inputs(r->model) + 1, sizeof *r->inputs);
  return r->inputs ? 0 : CLI_LIMIT;
}

int run_open(run *r, const char *path, const char *params, const pir_npy_set *extra) {
  int code = run_is_compiled(r, path) ? run_open_compiled(r, path)
                                      : cli_exit_code(open_model(r, path, params, extra));
  return code || cli_has(r->cli, OPT_COMPILE_ONLY) ? code : open_session(r);
}

void run_drop_input(pir_npy_array *input) {
  free(input->tensor.data);
  free(input->name);
  *input = (pir_npy_array){0};
}

pir_status run_new_session(const run *r, pir_session_options *how, pir_session **out_session) {
  how->size = sizeof *how;
  how->seed = r->seed;
  pir_status status = pir_session_create(r->model, how, out_session);
  for (size_t i = 0; i < pir_model_inputs(r->model) && !status; i++)
    status = pir_session_bind_input(*out_session, i, &r->inputs[i].tensor);
  return status;
}

void run_close(run *r) {
  for (size_t i = 0; r->inputs && i < pir_model_inputs(r->model); i++)
    run_drop_input(&r->inputs[i]);
  run_drop_guarded(r);
  free(r->inputs);
  free(r->show);
  r->show = NULL;
  run_drop_lods(r);
  run_drop_values(r);
  run_drop_view(r);
  fit_drop(r);
  free(r->spans);
  r->spans = NULL;
  r->span_count = r->span_capacity = 0;
  pir_session_destroy(r->session);
  pir_model_release(r->model);
  r->inputs = NULL;
  r->session = NULL;
  r->model = NULL;
}

int run_fail(const run *r, pir_status status) {
  return cli_fail(r->cli, cli_exit_code(status), "%s", pir_session_message(r->session));
}

int run_bind(run *r, const char *folder) {
  int code = run_take_lods(r, folder);
  if (code)
    return code;
  for (size_t i = 0; i < pir_model_inputs(r->model); i++) {
    if (!r->inputs[i].tensor.data)
      return run_refuse_missing(r, i);
    pir_tensor tensor = r->inputs[i].tensor;
    code = r->guard ? run_guard_input(r, i, &tensor) : 0;
    if (code)
      return code;
    pir_status status = pir_session_bind_input(r->session, i, &tensor);
    if (status)
      return run_fail(r, status);
  }
  return 0;
}

int run_once(run *r) {
  bool first = r->first_run_ms == 0;
  if (first)
    cli_stage(r->cli, "run", NULL, 0, 0);
  double start = run_now_ms();
  r->span_count = 0;
  run_leave_turn(r);
  pir_status status = pir_session_run(r->session);
  run_take_turn(r, status);
  if (first) {
    r->first_run_ms = run_now_ms() - start;
    cli_progress_erase();
  }
  return status ? run_fail(r, status) : 0;
}

// ---- one run

// Splits "[NAME=]@FILE"; the port's number, or -1 after a report.
static long file_port(const run *r, const char *option, const char *text, size_t position,
                      const char **out_path) {
  const char *at = text[0] == '@' ? text : strstr(text, "=@");
  if (!at) {
    cli_bad_value(r->cli, option, text, "[NAME=]@FILE.npy, with @ before the file");
    return -1;
  }
  *out_path = at + (at == text ? 1 : 2);
  if (at == text)
    return (long)run_own_output(r, position);
  long i = run_output_index(r, text, (size_t)(at - text));
  if (i >= 0)
    return i;
  pir_nearest near = pir_nearest_begin((pir_str){text, (size_t)(at - text)});
  for (size_t k = 0; k < pir_model_outputs(r->model); k++)
    pir_nearest_try(&near, output_port(r->model, k).name.data);
  cli_fail(r->cli, CLI_USAGE, "--%s: the model has no output \"%.*s\"%s", option,
           (int)(at - text), text, pir_nearest_hint(&near).text);
  return -1;
}

static int expect_file(run *r, size_t i, const char *path) {
  pir_npy_set set;
  int code = run_read_arrays(r->cli, path, &set);
  if (code)
    return code;
  if (i >= pir_model_outputs(r->model))
    code = cli_fail(r->cli, CLI_USAGE, "there is no output %zu", i);
  else if (!set.count)
    code = cli_fail(r->cli, CLI_INVALID, "%s has no array", path);
  else
    code = run_compare(r, i, &set.arrays[0].tensor, "", false) ? 0 : CLI_DIFFERENT;
  pir_npy_set_release(&set);
  return code;
}

static int expect_folder(run *r, const char *folder) {
  int code = 0;
  size_t outputs = pir_model_outputs(r->model);
  for (size_t k = 0, i; (i = run_own_output(r, k)) < outputs; k++) {
    char path[4096];
    snprintf(path, sizeof path, "%s/out_%zu.npy", folder, k);
    int one = expect_file(r, i, path);
    code = code ? code : one;
  }
  return code;
}

static int read_top(const run *r, size_t *out_top) {
  const char *text = cli_value(r->cli, OPT_TOP, NULL);
  uint64_t top = 5;
  if (!cli_has(r->cli, OPT_TOP))
    return 0;
  if (text && (!cli_parse_u64(text, &top) || !top || top > 1000))
    return cli_bad_value(r->cli, "top", text, "a number from 1 to 1000");
  *out_top = (size_t)top;
  return 0;
}

// Outputs in the order the options name them.
static int use_outputs(run *r) {
  size_t saved = 0, expected = 0;
  int code = 0;
  for (size_t i = 0; i < r->cli->match_count; i++) {
    const cli_match *match = &r->cli->matches[i];
    const char *path;
    int one = 0;
    if (match->id == OPT_OUTPUT) {
      long port = file_port(r, "output", match->value, saved++, &path);
      one = port < 0 ? CLI_USAGE : run_write_outputs(r, path, NULL, port);
    } else if (match->id == OPT_EXPECT) {
      long port = file_port(r, "expect", match->value, expected++, &path);
      one = port < 0 ? CLI_USAGE : expect_file(r, (size_t)port, path);
    } else if (match->id == OPT_OUTPUT_DIR) {
      one = run_write_outputs(r, NULL, match->value, -1);
    } else if (match->id == OPT_EXPECT_DIR) {
      one = expect_folder(r, match->value);
    }
    code = code ? code : one;
  }
  bool all = cli_has(r->cli, OPT_PRINT);
  size_t top = 0;
  if (!code)
    code = read_top(r, &top);
  for (size_t i = 0; i < pir_model_outputs(r->model); i++) {
    pir_port port = output_port(r->model, i);
    pir_tensor tensor;
    if (pir_session_output(r->session, i, &tensor))
      continue;
    if (all || is_shown(r, port))
      run_print_tensor(port.name.data, &tensor);
    if (top)
      run_print_top(port.name.data, &tensor, top);
  }
  return code;
}

typedef struct named_option {
  int id;
  const char *name;
} named_option;

// --tune and --generate run the model in their own way, and give no outputs.
static const named_option of_plain_runs[] = {{OPT_CASES, "cases"},
                                             {OPT_TRAIN, "train"},
                                             {OPT_SHAPES, "shapes"},
                                             {OPT_LOD, "lod"},
                                             {OPT_COMPILE_ONLY, "compile-only"},
                                             {OPT_OUTPUT, "output"},
                                             {OPT_OUTPUT_DIR, "output-dir"},
                                             {OPT_PRINT, "print"},
                                             {OPT_TOP, "top"},
                                             {OPT_DUMP, "dump"},
                                             {OPT_COMPARE, "compare"},
                                             {OPT_SHOW, "show"},
                                             {OPT_EXPECT, "expect"},
                                             {OPT_EXPECT_DIR, "expect-dir"},
                                             {OPT_BENCHMARK, "benchmark"},
                                             {OPT_SCHEDULES, "schedules"},
                                             {OPT_PROFILE, "profile"},
                                             {OPT_VIEW, "view"}};

// Options that --generate alone excludes, and those that are its own.
static const named_option not_generating[] = {
    {OPT_CASE, "case"}, {OPT_TUNE, "tune"}, {OPT_CORES, "cores"}, {OPT_OVERLAP, "overlap"}};
static const named_option of_generate[] = {{OPT_MAX_TOKENS, "max-tokens"},
                                           {OPT_STOP, "stop"},
                                           {OPT_IDS, "ids"},
                                           {OPT_LOGITS, "logits"},
                                           {OPT_POSITION, "position"},
                                           {OPT_CARRY, "carry"},
                                           {OPT_TEMPERATURE, "temperature"},
                                           {OPT_TOP_K, "top-k"},
                                           {OPT_TOP_P, "top-p"},
                                           {OPT_REPETITION, "repetition-penalty"},
                                           {OPT_BEAMS, "beams"},
                                           {OPT_LENGTH_PENALTY, "length-penalty"},
                                           {OPT_EARLY_STOP, "early-stop"},
                                           {OPT_BEST, "best"}};

#define COUNT(table) (sizeof(table) / sizeof *(table))

// Reports the first option of a table that is given; `excluding` NULL: they need --generate.
static int refuse_options(const run *r, const named_option *table, size_t count,
                          const char *excluding) {
  for (size_t i = 0; i < count; i++)
    if (cli_has(r->cli, table[i].id))
      return excluding
                 ? cli_fail(r->cli, CLI_USAGE, "%s excludes --%s", excluding, table[i].name)
                 : cli_fail(r->cli, CLI_USAGE, "--%s needs --generate", table[i].name);
  return 0;
}

// Checks the options that --generate needs or excludes.
static int check_generate(const run *r) {
  if (!cli_has(r->cli, OPT_GENERATE))
    return refuse_options(r, of_generate, COUNT(of_generate), NULL);
  int code = refuse_options(r, not_generating, COUNT(not_generating), "--generate");
  return code ? code : refuse_options(r, of_plain_runs, COUNT(of_plain_runs), "--generate");
}

// Runs that --view does not show: none, or one after the other of several models or shapes.
static const named_option not_shown[] = {{OPT_CASES, "cases"},
                                         {OPT_TRAIN, "train"},
                                         {OPT_SHAPES, "shapes"},
                                         {OPT_COMPILE_ONLY, "compile-only"},
                                         {OPT_TUNE, "tune"}};

static int check_view(const run *r) {
  return cli_has(r->cli, OPT_VIEW) ? refuse_options(r, not_shown, COUNT(not_shown), "--view")
                                   : 0;
}

// Runs that --compare makes in its own way, and outputs that it does not write.
static const named_option not_comparing[] = {
    {OPT_CASES, "cases"},         {OPT_TRAIN, "train"},
    {OPT_SHAPES, "shapes"},       {OPT_COMPILE_ONLY, "compile-only"},
    {OPT_TUNE, "tune"},           {OPT_CORES, "cores"},
    {OPT_RECORD, "record"},       {OPT_BENCHMARK, "benchmark"},
    {OPT_PROFILE, "profile"},     {OPT_VIEW, "view"},
    {OPT_OUTPUT, "output"},       {OPT_OUTPUT_DIR, "output-dir"},
    {OPT_EXPECT, "expect"},       {OPT_EXPECT_DIR, "expect-dir"},
    {OPT_PRINT, "print"},         {OPT_TOP, "top"},
    {OPT_SCHEDULES, "schedules"}, {OPT_OVERLAP, "overlap"},
    {OPT_GENERATE, "generate"}};

static int check_compare(const run *r) {
  const char *compare = cli_value(r->cli, OPT_COMPARE, NULL),
             *view = cli_value(r->cli, OPT_VIEW, NULL);
  int code = cli_refuse_same_file(r->cli, "--profile", cli_value(r->cli, OPT_PROFILE, NULL),
                                  "--view", view);
  if (code || !compare)
    return code;
  code = refuse_options(r, not_comparing, COUNT(not_comparing), "--compare");
  bool alone = strchr(compare, ',') || run_is_case(compare);
  if (!code && alone && cli_has(r->cli, OPT_DUMP))
    code = cli_fail(r->cli, CLI_USAGE, "--compare=%s excludes --dump", compare);
  if (!code && alone && !strchr(compare, ',') && cli_has(r->cli, OPT_CASE))
    code = cli_fail(r->cli, CLI_USAGE, "--compare=%s excludes --case", compare);
  return code;
}

// Checks the options that --tune needs or excludes.
static int check_tune(const run *r, const char *path) {
  const char *seconds = cli_value(r->cli, OPT_TUNE, NULL);
  char *end = NULL;
  bool good = !seconds || !*seconds || (strtod(seconds, &end) > 0 && !*end);
  if (!cli_has(r->cli, OPT_TUNE))
    return 0;
  if (!good)
    return cli_bad_value(r->cli, "tune", seconds, "a number of seconds");
  int code = refuse_options(r, of_plain_runs, COUNT(of_plain_runs), "--tune");
  if (!code && cli_is_stream(path))
    code = cli_fail(r->cli, CLI_USAGE, "--tune reads the model again and again: give a file");
  return code;
}

static int check_cores(const run *r) {
  if (!cli_has(r->cli, OPT_CORES))
    return 0;
  int code = run_check_cores(r);
  if (!code)
    code = refuse_options(r, of_plain_runs, COUNT(of_plain_runs), "--cores");
  return code || !cli_has(r->cli, OPT_TUNE)
             ? code
             : cli_fail(r->cli, CLI_USAGE, "--cores excludes --tune");
}

int run_take_inputs(run *r, const char *folder) {
  size_t position = 0;
  int code = folder ? run_feed_case(r, folder) : 0;
  for (size_t i = 0; i < r->cli->match_count && !code; i++)
    if (r->cli->matches[i].id == OPT_INPUT)
      code = run_take_input(r, r->cli->matches[i].value, &position);
  return code ? code : run_check_normalising(r, r->has_picture);
}

// Writes and compares values in between, as the options ask.
static int use_values(run *r) {
  const char *dump = cli_value(r->cli, OPT_DUMP, NULL),
             *compare = cli_value(r->cli, OPT_COMPARE, NULL);
  int code = dump ? run_dump(r, dump) : 0;
  return !code && compare ? run_compare_folder(r, compare) : code;
}

static int run_model(run *r, const char *path) {
  const char *folder = cli_value(r->cli, OPT_CASE, NULL),
             *shapes = cli_value(r->cli, OPT_SHAPES, NULL);
  int code = run_take_inputs(r, NULL);
  if (code)
    return code;
  if (cli_has(r->cli, OPT_GENERATE))
    return run_generate(r);
  if (shapes)
    return run_shapes(r, shapes);
  if (cli_has(r->cli, OPT_FIT))
    return run_fit(r);
  if (cli_has(r->cli, OPT_TRAIN))
    return run_train(r, cli_value(r->cli, OPT_TRAIN, NULL));
  bool measured = cli_has(r->cli, OPT_BENCHMARK), foreseen = cli_has(r->cli, OPT_CORES);
  if ((measured || foreseen) && !folder)
    code = run_make_inputs_up(r);
  if (!code)
    code = folder ? run_case(r, folder, false) : run_bind(r, NULL);
  if (!code && cli_has(r->cli, OPT_TUNE)) {
    pir_model_options how = model_options(r);
    return run_tune(r, path, cli_value(r->cli, OPT_PARAMS, NULL), &how);
  }
  if (!code && foreseen)
    return run_cores(r);
  if (!code && measured)
    code = run_benchmark(r, cli_value(r->cli, OPT_BENCHMARK, NULL));
  else if (!code && !folder)
    code = run_once(r);
  if (!code && !folder)
    code = run_schedules(r);
  if (code && code != CLI_DIFFERENT)
    return code;
  if (cli_has(r->cli, OPT_PROFILE)) {
    int written = run_write_profile(r, cli_value(r->cli, OPT_PROFILE, NULL));
    if (written)
      return written;
  }
  if (cli_has(r->cli, OPT_VIEW)) {
    int written = run_write_view(r, cli_value(r->cli, OPT_VIEW, NULL));
    if (written)
      return written;
  }
  int used = use_outputs(r);
  if (!used && run_wants_values(r))
    used = use_values(r);
  return used ? used : code;
}

// Reports the mode's loss of accuracy, if there were expected values.
static void report_error(const run *r) {
  const char *math = cli_value(r->cli, OPT_MATH, NULL);
  if (math && r->max_rel_error >= 0)
    fprintf(stderr, "--math=%s: max_rel_error %.3g of the largest element\n", math,
            r->max_rel_error);
}

// ---- command line

static int number_option(const cli_run *cli, int id, const char *name, double *value) {
  const char *text = cli_value(cli, id, NULL);
  if (!text)
    return 0;
  char *end;
  *value = strtod(text, &end);
  return *end || end == text || !(*value >= 0)
             ? cli_bad_value(cli, name, text, "a number that is not negative")
             : 0;
}

// --guard-pages and --overlap place the inputs differently.
static int read_checks(run *r) {
  const char *how = cli_value(r->cli, OPT_OVERLAP, NULL);
  bool known = !how || !strcmp(how, "whole") || !strcmp(how, "part") || !strcmp(how, "shifted");
  if (!known)
    return cli_bad_value(r->cli, "overlap", how, "whole, part or shifted");
  if (how && cli_has(r->cli, OPT_GUARD_PAGES))
    return cli_fail(r->cli, CLI_USAGE, "--overlap excludes --guard-pages");
  int code = run_read_guard(r);
  return code ? code : run_read_schedules(r);
}

// The pipeline of a rank may have its number in it, so each rank checks its own.
static int check_names(run *r) {
  const char *pipeline = run_has_ranks(r->cli) ? NULL : cli_value(r->cli, OPT_PIPELINE, NULL);
  int code = cli_check_target(r->cli, cli_value(r->cli, OPT_TARGET, NULL));
  if (!code)
    code = cli_check_math(r->cli, cli_value(r->cli, OPT_MATH, NULL));
  return code ? code : cli_check_pipeline(r->cli, pipeline);
}

static int read_options(run *r) {
  const char *threads = cli_value(r->cli, OPT_THREADS, NULL);
  uint64_t n = 1;
  int code = number_option(r->cli, OPT_ATOL, "atol", &r->tolerance.atol);
  if (!code)
    code = number_option(r->cli, OPT_RTOL, "rtol", &r->tolerance.rtol);
  if (!code)
    code = number_option(r->cli, OPT_RTOL_MAX, "rtol-max", &r->tolerance.rtol_max);
  if (!code && threads && (!cli_parse_u64(threads, &n) || n < 1 || n > 1024))
    code = cli_bad_value(r->cli, "threads", threads, "a number from 1 to 1024");
  r->threads = (int)n;
  const char *seed = cli_value(r->cli, OPT_SEED, NULL);
  if (!code && seed && !cli_parse_u64(seed, &r->seed))
    code = cli_bad_value(r->cli, "seed", seed, "a number");
  r->json = cli_has(r->cli, OPT_JSON);
  if (!code)
    code = check_names(r);
  if (!code)
    code = run_check_ignored(r);
  if (!code)
    code = run_check_output_names(r);
  bool takes_files = cli_has(r->cli, OPT_INPUT) && !cli_has(r->cli, OPT_CASES);
  if (!code)
    code = run_check_normalising(r, takes_files);
  return code ? code : read_checks(r);
}

static int run_file(run *r, const char *path) {
  const char *folder = cli_value(r->cli, OPT_CASE, NULL),
             *compare = cli_value(r->cli, OPT_COMPARE, NULL);
  bool pipelines = compare && strchr(compare, ','),
       is_case = compare && !pipelines && run_is_case(compare);
  pir_npy_set extra = {0};
  char npz[4096];
  int code = 0;
  if (is_case)
    folder = compare;
  snprintf(npz, sizeof npz, "%s/tensors.npz", folder ? folder : "");
  if (folder && !access(npz, R_OK))
    code = run_read_arrays(r->cli, npz, &extra);
  r->exposes = compare && !pipelines && !is_case;
  if (!code && pipelines)
    code = run_compare_pipelines(r, compare, path, &extra);
  else if (!code && is_case)
    code = run_compare_case(r, compare, path, &extra);
  else if (!code)
    code = run_open(r, path, cli_value(r->cli, OPT_PARAMS, NULL), &extra);
  if (!code && !is_case && r->model && !cli_has(r->cli, OPT_COMPILE_ONLY))
    code = run_model(r, path);
  report_error(r);
  run_close(r);
  pir_npy_set_release(&extra);
  return code;
}

static int run_tool(cli_run *cli) {
  run r = {.cli = cli, .tolerance = {1e-5, 1e-4, 0}, .max_rel_error = -1};
  const char *cases = cli_value(cli, OPT_CASES, NULL),
             *path = cli->file_count ? cli->files[0] : NULL;
  cli->remarks = cli_has(cli, OPT_EXPLAIN);
  int code = cli_load_passes(cli, OPT_LOAD_PASSES);
  if (!code)
    code = read_options(&r);
  if (!code)
    code = check_generate(&r);
  if (!code)
    code = check_view(&r);
  if (!code)
    code = check_compare(&r);
  if (!code)
    code = check_tune(&r, path);
  if (!code)
    code = check_cores(&r);
  if (!code)
    code = run_check_ranks(&r);
  if (!code)
    code = fit_check_options(&r);
  bool alone = !cases && !path;
  if (!code)
    code = run_machine(&r, alone);
  if (!code && cases)
    code = run_cases(&r, cases, path, cli_value(cli, OPT_PARAMS, NULL));
  else if (!code && alone && !cli_has(cli, OPT_MACHINE))
    code = cli_fail(cli, CLI_USAGE, "no model given: %s %s", tool.name, tool.arguments);
  else if (!code && run_has_ranks(cli))
    code = run_ranks(&r, path, run_file);
  else if (!code && !alone)
    code = run_file(&r, path);
  watch_code_end();
  return code;
}

int main(int argc, char **argv) {
  cli_run cli;
  int code = cli_start(&cli, &tool, argc, argv);
  if (code < 0)
    code = run_tool(&cli);
  return cli_finish(&cli, code);
}
