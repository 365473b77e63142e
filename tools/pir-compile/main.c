// pir-compile: compiles a model ahead of time into one file, or into an object to link.
#include <ctype.h>
#include <pir/compiler/load.h>
#include <pir/engine/compiled.h>
#include <stdlib.h>
#include <string.h>

#include "../cli.h"
#include "object.h"

enum { OPT_TARGET = 1, OPT_PARAMS, OPT_PIPELINE, OPT_MATH, OPT_ANY_FLOAT, OPT_CACHE, OPT_NAME };

static const cli_option option_table[] = {
    {OPT_TARGET, 0, "target", "NAME,..",
     "processors to compile for: native (default), x86-64-v3, x86-64-v4, .."},
    {OPT_PARAMS, 0, "params", "FILE|DIR", "parameters; default: beside the model"},
    {OPT_PIPELINE, 0, "pipeline", "NAME", "compile (default), kernels, or passes"},
    {OPT_MATH, 0, "math", "MODE",
     "strict (default), fast or bf16: what contractions may do for speed"},
    {OPT_ANY_FLOAT, 0, "any-float", NULL, "compute in 16-bit floats wherever f32 is allowed"},
    {OPT_CACHE, 0, "cache", "DIR", "folder of compiled code"},
    {OPT_NAME, 0, "name", "NAME",
     "objects and headers: of the model in C (default: from the output's name)"},
    {0, 0, NULL, NULL, NULL},
};

static const cli_tool tool = {
    "pir-compile", "[options] MODEL -o FILE.pirm|FILE.o|FILE.so|FILE.h",
    "Compiles a model for processors named ahead of time, with its weights.", option_table, 1};

enum { MOST_TARGETS = 16 };

// The targets of a list with commas, in `room`.
typedef struct target_list {
  char room[256];
  const char *names[MOST_TARGETS];
  size_t count;
} target_list;

static int read_targets(const cli_run *cli, target_list *out) {
  const char *text = cli_value(cli, OPT_TARGET, NULL);
  out->count = 0;
  if (!text)
    return 0;
  if (strlen(text) >= sizeof out->room)
    return cli_bad_value(cli, "target", text, "a shorter list");
  strcpy(out->room, text);
  char *rest = out->room;
  for (char *name; (name = strsep(&rest, ","));) {
    if (!*name || out->count == MOST_TARGETS)
      return cli_bad_value(cli, "target", text, "1 to 16 names with commas between them");
    out->names[out->count++] = name;
  }
  return 0;
}

static bool has_suffix(const char *text, const char *end) {
  size_t n = strlen(text), m = strlen(end);
  return n >= m && !strcmp(text + n - m, end);
}

// The name of the model in C: the option's, or the output's without folder and suffix, with
// underscores for what C does not admit.
static int read_name(const cli_run *cli, char out[OBJECT_NAME]) {
  const char *given = cli_value(cli, OPT_NAME, NULL), *path = cli->output;
  const char *slash = strrchr(path, '/'), *from = slash ? slash + 1 : path;
  size_t size = given ? strlen(given) : (size_t)(strrchr(from, '.') - from);
  if (given)
    from = given;
  if (!size || size >= OBJECT_NAME || isdigit((unsigned char)*from))
    return cli_fail(cli, CLI_USAGE, "\"%.*s\" is no name of C: state one by --name", (int)size,
                    from);
  for (size_t i = 0; i < size; i++)
    out[i] = isalnum((unsigned char)from[i]) ? from[i] : '_';
  out[size] = 0;
  return 0;
}

static pir_status compile_to(cli_run *cli, const pir_program *program,
                             const target_list *targets, pir_writer out) {
  pir_model_options how = {.size = sizeof how,
                           .limits = cli->limits,
                           .stop = cli_stop(cli),
                           .progress = cli_progress(cli),
                           .pipeline = cli_value(cli, OPT_PIPELINE, NULL),
                           .math = cli_value(cli, OPT_MATH, NULL),
                           .any_float = cli_has(cli, OPT_ANY_FLOAT),
                           .cache = cli_value(cli, OPT_CACHE, NULL)};
  pir_status status = pir_model_compile(program, &how, targets->names, targets->count, out);
  cli_progress_erase();
  return status;
}

static const char *file_name(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

static int compile_object(cli_run *cli, const pir_program *program, const target_list *targets,
                          const char *name, pir_writer out) {
  object_bytes bytes = {0};
  object_input in = {&bytes, targets->count ? targets->names[0] : "native", name,
                     file_name(cli->output)};
  pir_status status = compile_to(cli, program, targets, object_bytes_writer(&bytes));
  bool shared = has_suffix(cli->output, ".so");
  if (!status && !(shared ? object_write_shared(&in, out) : object_write(&in, out)))
    status = PIR_IO;
  free(bytes.data);
  return cli_exit_code(status);
}

static int compile_program(cli_run *cli, const pir_program *program,
                           const target_list *targets) {
  char name[OBJECT_NAME];
  bool object = has_suffix(cli->output, ".o") || has_suffix(cli->output, ".so");
  cli_output output;
  int code = object ? read_name(cli, name) : 0;
  if (!code)
    code = cli_output_open(cli, cli->output, &output);
  if (code)
    return code;
  pir_writer out = cli_output_writer(&output);
  code = object ? compile_object(cli, program, targets, name, out)
                : cli_exit_code(compile_to(cli, program, targets, out));
  if (!code)
    return cli_output_commit(cli, &output);
  cli_output_abandon(&output);
  return code;
}

static int write_header(cli_run *cli) {
  char name[OBJECT_NAME];
  cli_output output;
  int code = read_name(cli, name);
  if (!code)
    code = cli_output_open(cli, cli->output, &output);
  if (code)
    return code;
  if (object_write_header(name, cli_output_writer(&output)))
    return cli_output_commit(cli, &output);
  cli_output_abandon(&output);
  return cli_exit_code(PIR_IO);
}

static int run_compile(cli_run *cli) {
  target_list targets;
  if (!cli->output || !strcmp(cli->output, "-"))
    return cli_fail(cli, CLI_USAGE,
                    "no output given: -o FILE.pirm, -o FILE.o, -o FILE.so or -o FILE.h");
  if (has_suffix(cli->output, ".h"))
    return write_header(cli);
  if (!cli->file_count)
    return cli_fail(cli, CLI_USAGE, "no model given: %s %s", tool.name, tool.arguments);
  int code = read_targets(cli, &targets);
  if (code)
    return code;
  pir_context *ctx = cli_context_create(cli);
  pir_program *program = NULL;
  if (!ctx)
    return CLI_INTERNAL;
  pir_context_set_progress(ctx, cli_progress(cli));
  code = cli_exit_code(
      pir_program_load_file(ctx, cli->files[0], cli_value(cli, OPT_PARAMS, NULL), &program));
  if (!code)
    code = compile_program(cli, program, &targets);
  pir_program_destroy(program);
  pir_context_destroy(ctx);
  return code;
}

int main(int argc, char **argv) {
  cli_run cli;
  int code = cli_start(&cli, &tool, argc, argv);
  if (code < 0)
    code = run_compile(&cli);
  return cli_finish(&cli, code);
}
