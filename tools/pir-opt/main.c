// pir-opt: reads a program, runs passes over it, prints it; compares programs; checks expected
// diagnostics.
#include <pir/compiler/compare.h>
#include <pir/compiler/legacy.h>
#include <pir/compiler/load.h>
#include <pir/compiler/pass_library.h>
#include <pir/layer/nearest.h>
#include <pir/layer/pass_options.h>
#include <pir/layer/pipeline.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../cli.h"
#include "../params.h"
#include "verify/check.h"
#include "verify/gradients.h"
#include "emit.h"
#include "expect.h"
#include "options.h"
#include "parts.h"
#include "reduce.h"
#include "report.h"
#include "reproduce.h"
#include "rules.h"
#include "show.h"
#include "verify/verify.h"

// ---- lists

static void list_option(const pir_taken_option *o) {
  static const char *const kinds[] = {"NUMBER", "true|false", "OP|OP..", "TEXT"};
  char left[64];
  snprintf(left, sizeof left, "%s=%s", o->key, kinds[o->kind]);
  printf("    %-40s          %s", left, o->summary);
  printf(*o->otherwise ? " (default: %s)\n" : "%s\n", o->otherwise);
}

static void list_pass(const pir_pass *pass) {
  printf("%-44s %-8s %s\n", pass->name, pass->short_name ? pass->short_name : "",
         pass->summary ? pass->summary : "");
  pir_taken_option option;
  for (size_t i = 0; pir_pass_taken_option(pass, i, &option); i++)
    list_option(&option);
}

static int list_passes(const cli_run *cli) {
  for (size_t i = 0; i < pir_passes(); i++)
    list_pass(pir_pass_at(i));
  for (size_t i = 0; cli->passes && i < pir_pass_set_count(cli->passes); i++)
    list_pass(pir_pass_set_at(cli->passes, i));
  return CLI_OK;
}

static int list_pipelines(void) {
  for (size_t i = 0; i < pir_pipelines(); i++) {
    const char *name = pir_pipeline_name(i);
    printf("%-12s %s\n", name, pir_pipeline_text(pir_str_from(name)));
  }
  return CLI_OK;
}

// Returns the requested form, which run() has checked.
static emit_form form_of(const cli_run *cli) {
  emit_form form;
  emit_find(cli, cli_value(cli, OPT_EMIT, NULL), &form);
  return form;
}

// Describes the target of the run; false where its name, which is reported when code is
// written, is none.
static bool describe_target(const cli_run *cli, pir_target *out_target) {
  emit_form form = form_of(cli);
  const char *name = emit_target(&form, cli_value(cli, OPT_TARGET, NULL));
  return !pir_target_describe(name, out_target);
}

// The target that passes choose for. Groups for processors are chosen for this one, whichever
// the code is for.
static const char *target_of_passes(const cli_run *cli, pir_target *room) {
  return describe_target(cli, room) && room->device ? room->name : NULL;
}

// The pipeline text by which models are compiled for the target of the run.
static const char *compile_pipeline(const cli_run *cli) {
  pir_target target;
  bool known = describe_target(cli, &target);
  return pir_codegen_pipeline("compile", known ? &target : NULL, cli_value(cli, OPT_MATH, NULL),
                              false);
}

// The pipeline text of one --passes or --pipeline; NULL after a report.
static const char *pipeline_of(const cli_run *cli, const cli_match *match) {
  if (match->id == OPT_PASSES)
    return match->value;
  pir_str name = pir_str_from(match->value);
  const char *text = pir_pipeline_text(name);
  pir_nearest near = pir_nearest_begin(name);
  for (size_t i = 0; i < pir_pipelines(); i++)
    pir_nearest_try(&near, pir_pipeline_name(i));
  if (!strcmp(match->value, "compile"))
    return compile_pipeline(cli);
  if (!text)
    cli_fail(cli, CLI_USAGE, "no pipeline is called '%s' (--list-pipelines)%s", match->value,
             pir_nearest_hint(&near).text);
  return text;
}

static bool is_pipeline(const cli_match *match) {
  return match->id == OPT_PASSES || match->id == OPT_PIPELINE;
}

// ---- passes

// Values of a repeatable option, in order; the caller frees.
static const char **values_of(const cli_run *cli, int id, size_t *out_count) {
  const char **values = calloc(cli->match_count + 1, sizeof *values);
  *out_count = 0;
  for (size_t i = 0; values && i < cli->match_count; i++)
    if (cli->matches[i].id == id)
      values[(*out_count)++] = cli->matches[i].value;
  return values;
}

static bool names_passes(const cli_run *cli) {
  return cli_has(cli, OPT_PASSES) || cli_has(cli, OPT_PIPELINE) || cli_has(cli, OPT_RULES) ||
         cli_has(cli, OPT_RUN_REPRODUCER);
}

// Whether the program is to be changed.
static bool changes(const cli_run *cli) {
  return names_passes(cli) || cli_has(cli, OPT_OUTPUTS) || cli_has(cli, OPT_INPUTS);
}

static int add_pipeline(const cli_run *cli, pir_pass_manager *manager, const cli_match *match) {
  const char *text = pipeline_of(cli, match);
  return !text || pir_pass_manager_parse(manager, pir_str_from(text)) ? CLI_USAGE : 0;
}

// Whether --passes names one of these passes and so states where they run.
static bool is_named(const cli_run *cli, const pir_rules *rules) {
  for (size_t k = 0; k < pir_rules_passes(rules); k++)
    for (size_t i = 0; i < cli->match_count; i++)
      if (cli->matches[i].id == OPT_PASSES &&
          strstr(cli->matches[i].value, pir_rules_pass(rules, k)->name))
        return true;
  return false;
}

// The passes of a rule file run at the position of --rules among the pipelines, unless a
// pipeline names them.
static int add_rules(const cli_run *cli, pir_pass_manager *manager, const pir_rules *rules) {
  if (is_named(cli, rules) || cli_has(cli, OPT_RUN_REPRODUCER))
    return 0;
  for (size_t i = 0; i < pir_rules_passes(rules); i++)
    if (pir_pass_manager_add(manager, pir_rules_pass(rules, i), NULL, 0))
      return CLI_INTERNAL;
  return 0;
}

// The passes that the file itself names.
static int add_reproduced(const cli_run *cli, pir_pass_manager *manager, pir_str text) {
  char *pipeline = reproduce_pipeline(cli, text);
  int code =
      !pipeline || pir_pass_manager_parse(manager, pir_str_from(pipeline)) ? CLI_INVALID : 0;
  free(pipeline);
  return code;
}

static int edit_pipeline(const cli_run *cli, pir_pass_manager *manager) {
  for (size_t i = 0; i < cli->match_count; i++) {
    const cli_match *match = &cli->matches[i];
    pir_str value = match->value ? pir_str_from(match->value) : (pir_str){"", 0};
    if (match->id == OPT_DELETE_PASS && pir_pass_manager_delete(manager, value))
      return CLI_USAGE;
    if (match->id == OPT_INSERT_PASS && pir_pass_manager_insert(manager, value))
      return CLI_USAGE;
  }
  return 0;
}

// `text` is the program's text.
static int build_pipeline(const cli_run *cli, pir_pass_manager *manager,
                          const rule_files *files, pir_str text) {
  size_t file = 0;
  for (size_t i = 0; i < files->count; i++)
    for (size_t k = 0; k < pir_rules_passes(files->items[i]); k++)
      pir_pass_manager_know(manager, pir_rules_pass(files->items[i], k));
  int cut = cli_add_cut(cli, OPT_OUTPUTS, OPT_INPUTS, manager);
  if (cut)
    return cut;
  for (size_t i = 0; i < cli->match_count; i++) {
    const cli_match *match = &cli->matches[i];
    int code = 0;
    if (is_pipeline(match))
      code = add_pipeline(cli, manager, match);
    if (match->id == OPT_RULES)
      code = add_rules(cli, manager, files->items[file++]);
    if (match->id == OPT_RUN_REPRODUCER)
      code = add_reproduced(cli, manager, text);
    if (code)
      return code;
  }
  emit_form form = form_of(cli);
  // Without passes, code is made by the pipeline that makes groups.
  if (!emit_is_code(&form) || names_passes(cli))
    return edit_pipeline(cli, manager);
  const char *pipeline = compile_pipeline(cli);
  return pir_pass_manager_parse(manager, pir_str_from(pipeline)) ? CLI_INTERNAL : 0;
}

static bool write_stdout(void *user, const char *data, size_t size) {
  (void)user;
  return fwrite(data, 1, size, stdout) == size;
}

// The passes that would run, named pipelines in terms of theirs.
static int dump_pipeline(cli_run *cli) {
  pir_context *ctx = cli_context_create(cli);
  if (!ctx)
    return CLI_INTERNAL;
  rule_files files;
  int code = rule_files_load(cli, OPT_RULES, ctx, &files);
  pir_target target;
  pir_pass_options options = {.size = sizeof options, .target = target_of_passes(cli, &target)};
  pir_pass_manager *manager = pir_pass_manager_create(ctx, &options);
  if (!code)
    code = build_pipeline(cli, manager, &files, (pir_str){"", 0});
  if (!code)
    code =
        cli_exit_code(pir_pass_manager_print_rest(manager, (pir_writer){write_stdout, NULL}));
  if (!code)
    printf("\n");
  pir_pass_manager_destroy(manager);
  rule_files_destroy(&files);
  pir_context_destroy(ctx);
  return code;
}

static int seed_of(const cli_run *cli, int id, const char *option, uint64_t *out_seed) {
  const char *text = cli_value(cli, id, NULL);
  *out_seed = 1;
  return text && !cli_parse_u64(text, out_seed) ? cli_bad_value(cli, option, text, "a number")
                                                : 0;
}

// Runs the passes, and verifies the program if there were any.
static int run_verified(pir_pass_manager *manager, pir_program *program,
                        const pir_verify_options *verify) {
  int code = cli_exit_code(pir_pass_manager_run(manager, program));
  if (!code && pir_pass_manager_count(manager))
    code = cli_exit_code(pir_verify(pir_program_module(program), verify));
  return code;
}

// What a run of passes is given: the text of the program, its rules, how its result is
// verified, and the page that shows its steps (NULL: none).
typedef struct pass_input {
  pir_str text;
  rule_files files;
  pir_verify_options verify;
  view *view;
} pass_input;

// Runs the passes, with the requested checks around them.
static int run_watched(cli_run *cli, pir_context *ctx, pir_pass_options *options,
                       const pass_input *input, pir_program *program) {
  pir_pass_instrument instruments[3];
  verifying verify = {.cli = cli};
  reproducing reproduce = {.cli = cli, .path = cli_value(cli, OPT_REPRODUCER, NULL)};
  int code = seed_of(cli, OPT_VERIFY_NUMERICS, "verify-numerics", &verify.seed);
  if (reproduce.path)
    instruments[options->instrument_count++] = reproduce_instrument(&reproduce);
  if (cli_has(cli, OPT_VERIFY_NUMERICS))
    instruments[options->instrument_count++] = verify_instrument(&verify);
  if (input->view)
    instruments[options->instrument_count++] = view_instrument(input->view);
  options->instruments = instruments;
  pir_pass_manager *manager = reproduce.manager = pir_pass_manager_create(ctx, options);
  if (!code)
    code = build_pipeline(cli, manager, &input->files, input->text);
  if (!code && pir_pass_manager_check_prints(manager))
    code = CLI_USAGE;
  if (!code)
    code = run_verified(manager, program, &input->verify);
  if (reproduce.path)
    reproduce_end(&reproduce, code != 0);
  pir_pass_manager_destroy(manager);
  verify_free(&verify);
  return verify.differs ? CLI_DIFFERENT : code;
}

static int run_passes(cli_run *cli, pir_context *ctx, pass_input *input, pir_program *program) {
  size_t before_count, after_count;
  const char *timing = cli_value(cli, OPT_TIMING, NULL),
             *trace = cli_value(cli, OPT_TRACE_REWRITES, NULL);
  pir_target target;
  if (trace && strcmp(trace, "all") != 0)
    return cli_bad_value(cli, "trace-rewrites", trace, "all, or nothing");
  const char *level_text = cli_value(cli, OPT_LEVEL, NULL);
  uint64_t level = 0;
  if (level_text && (!cli_parse_u64(level_text, &level) || level > 8))
    return cli_bad_value(cli, "opt-level", level_text, "a level from 0 to 8");
  const char **before = values_of(cli, OPT_PRINT_BEFORE, &before_count),
             **after = values_of(cli, OPT_PRINT_AFTER, &after_count);
  pir_pass_options pass_options = {
      .size = sizeof pass_options,
      .level_limit = level_text ? (uint8_t)(level + 1) : 0,
      .verify_each = cli_has(cli, OPT_VERIFY_EACH),
      .print_changed = cli_has(cli, OPT_PRINT_CHANGED),
      .timing = cli_has(cli, OPT_TIMING) && !timing,
      .timing_json = timing != NULL,
      .stats = cli_has(cli, OPT_STATS),
      .trace_rewrites = cli_has(cli, OPT_TRACE_REWRITES),
      .trace_refused = trace != NULL,
      .print_after_all = cli_has(cli, OPT_PRINT_AFTER_ALL),
      .print_before = before,
      .print_after = after,
      .print_before_count = before_count,
      .print_after_count = after_count,
      .log = cli_stderr_writer(),
      .target = target_of_passes(cli, &target),
  };
  int code = rule_files_load(cli, OPT_RULES, ctx, &input->files);
  if (!code)
    code = run_watched(cli, ctx, &pass_options, input, program);
  rule_files_destroy(&input->files);
  free(before);
  free(after);
  return code;
}

// ---- one program

// The program's file; standard input where none is named.
static const char *path_of(const cli_run *cli) {
  return cli->file_count ? cli->files[0] : "-";
}

static int read_with_parameters(cli_run *cli, pir_context *ctx, const cli_file *file,
                                uint32_t first_line, pir_program **out_program) {
  const char *params = cli_value(cli, OPT_PARAMS, NULL);
  bool fragment = cli_has(cli, OPT_FRAGMENT);
  bool part = fragment || cli_has(cli, OPT_SPLIT);
  if (params && part)
    return cli_fail(cli, CLI_USAGE, "parameters belong to a whole program");
  // --params-out also settles the program into the form of its file.
  bool beside = !part && !cli_is_stream(path_of(cli));
  bool loads = params || (cli_has(cli, OPT_PARAMS_OUT) && beside);
  if (!loads)
    return cli_program_read(cli, ctx, file, PIR_FORMAT_UNKNOWN, fragment, first_line,
                            out_program);
  return cli_exit_code(cli_program_load(cli, ctx, path_of(cli), params, out_program));
}

static emit_options emit_options_of(const cli_run *cli) {
  return (emit_options){.target = cli_value(cli, OPT_TARGET, NULL),
                        .math = cli_value(cli, OPT_MATH, NULL),
                        .strip_debug = cli_has(cli, OPT_STRIP_DEBUG),
                        .verify = cli_has(cli, OPT_VERIFY_EACH)};
}

// Writes the program, and its parameters; or warns about parameters that only `program` holds.
static int write_result(cli_run *cli, const char *file, pir_program *program,
                        const named_params *before, cli_output *out) {
  emit_form form = form_of(cli);
  pir_format format = form.def ? form.def->format : PIR_FORMAT_UNKNOWN;
  const char *params_out = cli_value(cli, OPT_PARAMS_OUT, NULL);
  emit_options how = emit_options_of(cli);
  cli_stage(cli, "write", NULL, 0, 0);
  if (params_out)
    pir_program_settle(program, format);
  int code = emit_program(cli, &form, &how, program, cli_output_writer(out));
  if (!code && params_out)
    code = params_write_beside(cli, program, format, params_out, out);
  else if (!code && format)
    code = params_warn_lost(cli, program, file, before);
  return code;
}

static int check_given_gradients(cli_run *cli, pir_program *program) {
  uint64_t seed;
  int code = seed_of(cli, OPT_CHECK_GRADIENTS, "check-gradients", &seed);
  return code ? code : check_gradients(cli, program, seed);
}

// Reads a text or file, verifies it, runs the passes and writes the result; `out` may be NULL.
static int process(cli_run *cli, const cli_file *file, uint32_t first_line, cli_output *out) {
  pir_context *ctx = cli_context_create(cli);
  if (!ctx)
    return CLI_INTERNAL;
  pir_program *program = NULL;
  emit_form form = form_of(cli);
  showing show;
  bool changed = changes(cli) || emit_is_code(&form);
  pir_verify_options verify = {.size = sizeof verify,
                               .strict = cli_has(cli, OPT_STRICT),
                               .fragment = cli_has(cli, OPT_FRAGMENT)};
  int code = show_begin(cli, cli_value(cli, OPT_VIEW, NULL), cli_has(cli, OPT_SPLIT), &show);
  if (!code)
    code = read_with_parameters(cli, ctx, file, first_line, &program);
  // Passes and some formats require ops to match their declarations; printing an older text
  // does not.
  bool older = !code && pir_program_is_older(program),
       printed = form.def && !form.def->current && !changed;
  verify.old_forms = older && printed;
  if (older && !printed)
    code = cli_exit_code(pir_program_upgrade(program));
  if (!code)
    code = cli_exit_code(pir_verify(pir_program_module(program), &verify));
  pass_input input = {.text = file->bytes, .verify = verify, .view = show.view};
  input.verify.errors_only = true;
  named_params before = {0};
  if (!code)
    code = params_list(cli, program, &before);
  const char *command = cli_value(cli, OPT_REDUCE, NULL);
  if (!code && command)
    code = reduce(cli, command, &program);
  else if (!code)
    code = run_passes(cli, ctx, &input, program);
  if (!code && cli_has(cli, OPT_CHECK_GRADIENTS))
    code = check_given_gradients(cli, program);
  emit_options how = emit_options_of(cli);
  code = show_end(&show, program, &form, &how, file->bytes, code);
  if (!code && out && !cli_has(cli, OPT_CHECK_GRADIENTS))
    code = write_result(cli, file->name, program, &before, out);
  params_free(&before);
  if (program)
    pir_program_destroy(program);
  pir_context_destroy(ctx);
  return code;
}

// ---- loop IR

static bool holds_loops(const cli_run *cli, const cli_file *file) {
  return cli_has(cli, OPT_VERIFY_LOOPS) || pir_loops_recognised(file->bytes);
}

// Verifies the text, and writes it again unless it is only to be verified.
static int process_loops(cli_run *cli, const cli_file *file, uint32_t first_line,
                         cli_output *out) {
  emit_form form = form_of(cli);
  pir_loops_source loops = {pir_str_from(file->name), file->bytes, first_line};
  emit_options how = emit_options_of(cli);
  bool verified_alone = cli_has(cli, OPT_VERIFY_LOOPS) && !cli_has(cli, OPT_EMIT);
  if (changes(cli))
    return cli_fail(cli, CLI_USAGE, "%s holds loop IR, on which no pass runs", file->name);
  pir_context *ctx = cli_context_create(cli);
  if (!ctx)
    return CLI_INTERNAL;
  cli->source_name = loops.file;
  cli->source_text = loops.text;
  cli->source_first_line = first_line;
  int code;
  if (out && !verified_alone)
    code = emit_loops(cli, ctx, &form, &how, &loops, cli_output_writer(out));
  else
    code = cli_exit_code(pir_loops_verify(ctx, &loops));
  pir_context_destroy(ctx);
  return code;
}

// ---- one text

static int process_text(cli_run *cli, const cli_file *file, uint32_t first_line,
                        cli_output *out) {
  return holds_loops(cli, file) ? process_loops(cli, file, first_line, out)
                                : process(cli, file, first_line, out);
}

// Runs the passes and checks expectations instead of printing the result.
static int process_expecting(cli_run *cli, const cli_file *file, uint32_t first_line) {
  expectations expect;
  int code = expect_begin(cli, pir_str_from(file->name), file->bytes, first_line, &expect);
  if (!code)
    process_text(cli, file, first_line, NULL);
  int end = expect_end(cli, &expect);
  return code ? code : end;
}

static int process_part(cli_run *cli, const cli_file *part, uint32_t first_line,
                        cli_output *out) {
  return cli_has(cli, OPT_VERIFY_DIAGNOSTICS) ? process_expecting(cli, part, first_line)
                                              : process_text(cli, part, first_line, out);
}

// ---- parts of a file

static bool put_separator(cli_output *out, const char *text) {
  pir_writer writer = cli_output_writer(out);
  return writer.write(writer.user, text, strlen(text));
}

static int process_parts(cli_run *cli, const cli_file *file, cli_output *out) {
  int worst = 0;
  bool quiet = cli_has(cli, OPT_VERIFY_DIAGNOSTICS);
  const pir_format_def *def = form_of(cli).def;
  pir_text_form text = def ? def->text : PIR_TEXT_T3;
  program_part part;
  for (part_walk walk = parts_of(file->bytes); next_part(&walk, &part);) {
    cli_file piece = {.name = file->name, .bytes = part.text};
    if (!quiet && *part.begin && def && def->format == PIR_FORMAT_JSON)
      put_separator(out, "\n");  // JSON ends without one
    if (!quiet)
      put_separator(out, part.begin);
    int code = part.kind == PART_PROGRAM
                   ? process_part(cli, &piece, part.line, out)
                   : process_value(cli, &part, file->name, text, cli_output_writer(out));
    if (!quiet)
      put_separator(out, part.end);
    if (code > worst)
      worst = code;
  }
  return worst;
}

static int process_file(cli_run *cli, const char *path) {
  cli_file file;
  cli_output output;
  int code = cli_file_read(cli, path, &file);
  if (code)
    return code;
  code = cli_output_open(cli, cli->output, &output);
  if (!code) {
    bool parts = cli_has(cli, OPT_SPLIT) || parts_of(file.bytes).cases;
    code = parts ? process_parts(cli, &file, &output) : process_part(cli, &file, 1, &output);
    // Successful parts are written even if another part failed.
    if (code && cli->output)
      cli_output_abandon(&output);
    else {
      int commit = cli_output_commit(cli, &output);
      if (!code)
        code = commit;
    }
  }
  cli_file_release(&file);
  return code;
}

// With the notes of passes in the file of --report.
static int process_reported(cli_run *cli, const char *path) {
  const char *report = cli_value(cli, OPT_REPORT, NULL);
  reporting notes;
  if (!report)
    return process_file(cli, path);
  if (cli_has(cli, OPT_VERIFY_DIAGNOSTICS))
    return cli_fail(cli, CLI_USAGE, "--report and --verify-diagnostics both take the notes");
  int code = report_begin(cli, report, &notes);
  return code ? code : report_end(&notes, process_file(cli, path));
}

// ---- comparison

static int read_side(cli_run *cli, pir_context *ctx, const char *path, cli_file *file,
                     pir_program **out_program) {
  int code = cli_file_read(cli, path, file);
  return code ? code
              : cli_program_read(cli, ctx, file, PIR_FORMAT_UNKNOWN, cli_has(cli, OPT_FRAGMENT),
                                 1, out_program);
}

static int compare_programs(cli_run *cli, pir_program *const programs[2]) {
  cli_output output;
  bool same = false;
  int code = cli_output_open(cli, cli->output, &output);
  if (code)
    return code;
  code = cli_exit_code(
      pir_program_compare(programs[0], programs[1], NULL, cli_output_writer(&output), &same));
  int commit = cli_output_commit(cli, &output);
  if (!code)
    code = commit;
  if (code)
    return code;
  return same ? CLI_OK : CLI_DIFFERENT;
}

static int diff(cli_run *cli) {
  if (cli->file_count != 2)
    return cli_fail(cli, CLI_USAGE, "--diff needs two files: --diff A B");
  pir_context *ctx = cli_context_create(cli);
  if (!ctx)
    return CLI_INTERNAL;
  cli_file files[2] = {{0}};
  pir_program *programs[2] = {NULL};
  int code = read_side(cli, ctx, cli->files[0], &files[0], &programs[0]);
  if (!code)
    code = read_side(cli, ctx, cli->files[1], &files[1], &programs[1]);
  if (!code)
    code = compare_programs(cli, programs);
  for (int i = 0; i < 2; i++) {
    if (programs[i])
      pir_program_destroy(programs[i]);
    if (files[i].name)
      cli_file_release(&files[i]);
  }
  pir_context_destroy(ctx);
  return code;
}

// ---- driver

static int check_timing(const cli_run *cli) {
  const char *form = cli_value(cli, OPT_TIMING, NULL);
  return !form || strcmp(form, "json") == 0 ? 0 : cli_bad_value(cli, "timing", form, "json");
}

static int check(cli_run *cli) {
  uint64_t seed;
  pir_context *ctx = cli_context_create(cli);
  if (!ctx)
    return CLI_INTERNAL;
  rule_files files = {0};
  int code = seed_of(cli, OPT_CHECK_RULES, "check-rules", &seed);
  if (!code)
    code = rule_files_load(cli, OPT_RULES, ctx, &files);
  if (!code)
    code = check_rules(cli, &files, seed);
  rule_files_destroy(&files);
  pir_context_destroy(ctx);
  return code;
}

// No output replaces another one, nor parameters the program.
static int check_outputs(const cli_run *cli) {
  const char *params = cli_value(cli, OPT_PARAMS_OUT, NULL),
             *report = cli_value(cli, OPT_REPORT, NULL),
             *program = cli->file_count ? cli->files[0] : NULL;
  int code = cli_refuse_same_file(cli, "--params-out", params, "-o", cli->output);
  if (!code)
    code = cli_refuse_same_file(cli, "--params-out", params, "the program", program);
  if (!code)
    code = cli_refuse_same_file(cli, "--report", report, "-o", cli->output);
  if (!code)
    code = cli_refuse_same_file(cli, "--report", report, "--params-out", params);
  return code ? code : cli_refuse_same_file(cli, "--report", report, "the program", program);
}

static int run_opt(cli_run *cli) {
  int code = cli_load_passes(cli, OPT_LOAD_PASSES);
  if (code)
    return code;
  if (cli_has(cli, OPT_LIST_PASSES))
    return list_passes(cli);
  if (cli_has(cli, OPT_LIST_PIPELINES))
    return list_pipelines();
  if (cli_has(cli, OPT_DUMP_PIPELINE))
    return dump_pipeline(cli);
  emit_form form;
  code = emit_find(cli, cli_value(cli, OPT_EMIT, NULL), &form);
  bool binary =
      form.code == PIR_CODE_OBJECT || (form.def && form.def->format == PIR_FORMAT_PDMODEL);
  if (!code && binary)
    code = cli_refuse_terminal(cli);
  if (!code)
    code = check_timing(cli);
  if (!code)
    code = check_outputs(cli);
  if (code)
    return code;
  if (cli_has(cli, OPT_DIFF))
    return diff(cli);
  if (cli_has(cli, OPT_CHECK_RULES))
    return check(cli);
  if (cli->file_count > 1)
    return cli_fail(cli, CLI_USAGE, "several files are only for --diff and --check-rules");
  return process_reported(cli, path_of(cli));
}

int main(int argc, char **argv) {
  cli_run cli;
  int code = cli_start(&cli, &opt_tool, argc, argv);
  cli.remarks = cli_has(&cli, OPT_EXPLAIN);
  if (code < 0)
    code = run_opt(&cli);
  return cli_finish(&cli, code);
}
