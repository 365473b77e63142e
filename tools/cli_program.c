// Programs of files and of standard input, and the names by which options choose how they are
// compiled.
#include "cli.h"

#include <pir/compiler/formats.h>
#include <pir/compiler/load.h>
#include <pir/layer/codegen.h>
#include <pir/layer/machine_record.h>
#include <stdlib.h>

static void release_file(void *user) {
  cli_file_release(user);
  free(user);
}

// Reads a file, or standard input, into bytes that are released with their last user.
static pir_status borrow_file(const cli_run *cli, const char *path, pir_borrowed *out_bytes) {
  cli_file *file = malloc(sizeof *file);
  if (!file)
    return PIR_EXHAUSTED;
  int code = cli_file_read_named(cli, path, file);
  if (code) {
    free(file);
    return code == CLI_LIMIT ? PIR_EXHAUSTED : PIR_IO;
  }
  *out_bytes = (pir_borrowed){file->bytes.data, file->bytes.size, release_file, file};
  return PIR_OK;
}

// Standard input is kept, so its lines can be shown with later errors.
static pir_str show_lines_of(cli_run *cli, const char *path, pir_borrowed bytes) {
  pir_str name = cli_is_stream(path) ? PIR_STR("<stdin>") : pir_str_from(path),
          text = {bytes.data, bytes.size};
  if (cli_is_stream(path) && pir_detect_format(text) == PIR_FORMAT_TEXT) {
    cli->source_name = name;
    cli->source_text = text;
    cli->source_first_line = 1;
  }
  return name;
}

pir_status cli_program_load(cli_run *cli, pir_context *ctx, const char *path,
                            const char *params, pir_program **out_program) {
  pir_borrowed bytes, param_bytes = {0};
  cli_stage(cli, "read", path, 0, 0);
  if (!cli_is_stream(path) && !cli_is_stream(params))
    return pir_program_load_file(ctx, path, params, out_program);
  *out_program = NULL;
  PIR_TRY(borrow_file(cli, path, &bytes));
  pir_str name = show_lines_of(cli, path, bytes);
  pir_status status = params ? borrow_file(cli, params, &param_bytes) : PIR_OK;
  if (!status)
    return pir_program_load(ctx, bytes, param_bytes, name, out_program);
  pir_borrowed_release(bytes);
  return status;
}

int cli_program_read(cli_run *cli, pir_context *ctx, const cli_file *file, pir_format format,
                     bool fragment, uint32_t first_line, pir_program **out_program) {
  pir_read_options options = {.size = sizeof options,
                              .format = format,
                              .file = pir_str_from(file->name),
                              .first_line = first_line,
                              .fragment = fragment};
  cli_stage(cli, "read", NULL, 0, 0);
  if ((format ? format : pir_detect_format(file->bytes)) == PIR_FORMAT_TEXT) {
    cli->source_name = options.file;
    cli->source_text = file->bytes;
    cli->source_first_line = first_line ? first_line : 1;
  }
  return cli_exit_code(pir_program_read_as(ctx, file->bytes, &options, out_program));
}

pir_status cli_run_passes(pir_program *program, pir_str pipeline,
                          const pir_pass_options *options) {
  pir_pass_manager *manager = pir_pass_manager_create(pir_program_context(program), options);
  if (!manager)
    return PIR_EXHAUSTED;
  pir_status status = pir_pass_manager_parse(manager, pipeline);
  if (!status)
    status = pir_pass_manager_run(manager, program);
  pir_pass_manager_destroy(manager);
  return status;
}

int cli_check_target(const cli_run *cli, const char *name) {
  pir_target target;
  return name && pir_target_describe(name, &target)
             ? cli_bad_value(cli, "target", name, pir_target_names())
             : 0;
}

int cli_check_math(const cli_run *cli, const char *name) {
  pir_math math;
  return name && pir_math_named(name, &math)
             ? cli_bad_value(cli, "math", name, pir_math_names())
             : 0;
}

int cli_check_machine(const cli_run *cli, const char *name) {
  pir_machine_use use;
  return name && pir_machine_use_named(name, &use)
             ? cli_bad_value(cli, "machine", name, "table or measured, with :PROCESSORS behind")
             : 0;
}

int cli_check_pipeline(cli_run *cli, const char *text) {
  if (!text || pir_pipeline_text(pir_str_from(text)))
    return 0;
  pir_context *ctx = cli_context_create(cli);
  pir_pass_manager *manager = ctx ? pir_pass_manager_create(ctx, NULL) : NULL;
  int code = CLI_INTERNAL;
  if (manager)
    code = pir_pass_manager_parse(manager, pir_str_from(text)) ? CLI_USAGE : 0;
  pir_pass_manager_destroy(manager);
  if (ctx)
    pir_context_destroy(ctx);
  return code;
}
