// pir-compile: compiles a model ahead of time into one file, or into an object to link.
#include <ctype.h>
#include <fcntl.h>
#include <pir/compiler/load.h>
#include <pir/engine/compiled.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../cli.h"
#include "object.h"

enum {
  OPT_TARGET = 1,
  OPT_PARAMS,
  OPT_WEIGHTS,
  OPT_REPLACEABLE,
  OPT_PIPELINE,
  OPT_MATH,
  OPT_ANY_FLOAT,
  OPT_CACHE,
  OPT_MACHINE,
  OPT_NAME
};

static const cli_option option_table[] = {
    CLI_GROUP("The model"),
    {OPT_PARAMS, 0, "params", "FILE|DIR", "parameters; default: beside the model"},
    {OPT_PIPELINE, 0, "pipeline", "NAME", "compile (default), kernels, or passes"},
    {OPT_MATH, 0, "math", "MODE",
     "strict (default), fast, bf16 or int8: what contractions may do for speed"},
    {OPT_ANY_FLOAT, 0, "any-float", NULL, "compute in 16-bit floats wherever f32 is allowed"},
    CLI_GROUP("Code"),
    {OPT_TARGET, 0, "target", "NAME,..",
     "processors to compile for: native (default), x86-64-v3, x86-64-v4, .."},
    {OPT_CACHE, 0, "cache", "DIR", "folder of compiled code"},
    {OPT_MACHINE, 0, "machine", "table|measured[:N]",
     "costs of native code: the library's table, or measured ones (default with --cache); work "
     "is "
     "divided for N processors"},
    CLI_GROUP("Written files"),
    {OPT_WEIGHTS, 0, "weights", "FILE", "write the weights there, not into the model"},
    {OPT_REPLACEABLE, 0, "replaceable", NULL,
     "weights can be replaced in the opened model (pir/engine/weights.h)"},
    {OPT_NAME, 0, "name", "NAME",
     "objects and headers: of the model in C (default: from the output's name)"},
    {0, 0, NULL, NULL, NULL},
};

static const cli_example examples[] = {
    {"pir-compile model.json -o model.pirm", "for this processor, weights included"},
    {"pir-compile model.json --target=x86-64-v3,x86-64-v4 -o model.pirm",
     "for two levels of processors; the best is taken where it runs"},
    {"pir-compile model.json --weights=model.weights -o model.pirm",
     "weights in a file of their own, which models can share"},
    {"pir-compile model.json -o model.o && pir-compile -o model.h",
     "an object to link, and its header"},
    {NULL, NULL},
};

static const cli_tool tool = {
    "pir-compile",
    "[options] MODEL -o FILE.pirm|FILE.o|FILE.so|FILE.h",
    "Compiles a model for processors named ahead of time, with its weights.",
    option_table,
    1,
    examples};

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
    int code = cli_check_target(cli, name);
    if (code)
      return code;
  }
  return 0;
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

static const char *file_name(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

// The files that are written: the model, and the weights if they go into their own.
typedef struct results {
  cli_output model, weights;
  const char *weights_path;  // NULL: they lie in the model
} results;

static pir_status compile_to(cli_run *cli, const pir_program *program,
                             const target_list *targets, results *r, pir_writer out) {
  pir_model_options how = {.size = sizeof how,
                           .limits = cli->limits,
                           .stop = cli_stop(cli),
                           .progress = cli_progress(cli),
                           .pipeline = cli_value(cli, OPT_PIPELINE, NULL),
                           .math = cli_value(cli, OPT_MATH, NULL),
                           .any_float = cli_has(cli, OPT_ANY_FLOAT),
                           .replaceable = cli_has(cli, OPT_REPLACEABLE),
                           .cache = cli_value(cli, OPT_CACHE, NULL),
                           .machine = cli_value(cli, OPT_MACHINE, NULL)};
  const char *const *names = targets->names;
  size_t count = targets->count;
  pir_status status =
      r->weights_path
          ? pir_model_compile_apart(program, &how, names, count, file_name(r->weights_path),
                                    cli_output_writer(&r->weights), out)
          : pir_model_compile(program, &how, names, count, out);
  cli_progress_erase();
  return status;
}

static int compile_object(cli_run *cli, const pir_program *program, const target_list *targets,
                          const char *name, results *r) {
  object_bytes bytes = {0};
  object_input in = {&bytes, targets->count ? targets->names[0] : "native", name,
                     file_name(cli->output)};
  pir_writer out = cli_output_writer(&r->model);
  pir_status status = compile_to(cli, program, targets, r, object_bytes_writer(&bytes));
  bool shared = cli_output_ends(cli, ".so");
  if (!status && !(shared ? object_write_shared(&in, out) : object_write(&in, out)))
    status = PIR_IO;
  free(bytes.data);
  return cli_exit_code(status);
}

static bool is_same_file(int a, const char *path) {
  static char blocks[2][1 << 16];
  int b = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  bool same = b >= 0;
  ssize_t n = 1;
  for (off_t at = 0; same && n > 0; at += n) {
    n = pread(a, blocks[0], sizeof blocks[0], at);
    ssize_t m = pread(b, blocks[1], sizeof blocks[1], at);
    same = n >= 0 && n == m && !memcmp(blocks[0], blocks[1], (size_t)n);
  }
  if (b >= 0)
    close(b);
  return same;
}

// Publishes the weights before the model that names them. A file that has the same bytes stays
// as it is, since other models may be using it.
static int commit(cli_run *cli, results *r) {
  int code = r->weights_path ? cli_output_flush(cli, &r->weights) : 0;
  if (!code)
    code = cli_output_flush(cli, &r->model);
  if (code || !r->weights_path)
    return code ? code : cli_output_commit(cli, &r->model);
  if (r->weights.file.fd < 0 || !is_same_file(r->weights.file.fd, r->weights_path))
    code = cli_output_commit(cli, &r->weights);
  return code ? code : cli_output_commit(cli, &r->model);
}

static int open_results(cli_run *cli, results *r) {
  r->weights_path = cli_value(cli, OPT_WEIGHTS, NULL);
  if (r->weights_path && !*file_name(r->weights_path))
    return cli_bad_value(cli, "weights", r->weights_path, "the name of a file");
  int code = cli_output_open(cli, cli->output, &r->model);
  if (!code && r->weights_path)
    code = cli_output_open(cli, r->weights_path, &r->weights);
  return code;
}

static int compile_program(cli_run *cli, const pir_program *program,
                           const target_list *targets) {
  char name[OBJECT_NAME];
  bool object = cli_output_ends(cli, ".o") || cli_output_ends(cli, ".so");
  results r = {.model = {.stream = -1, .file.fd = -1},
               .weights = {.stream = -1, .file.fd = -1}};
  int code = object ? read_name(cli, name) : 0;
  if (!code)
    code = open_results(cli, &r);
  if (!code && object)
    code = compile_object(cli, program, targets, name, &r);
  else if (!code)
    code = cli_exit_code(compile_to(cli, program, targets, &r, cli_output_writer(&r.model)));
  if (!code)
    code = commit(cli, &r);
  cli_output_abandon(&r.model);
  cli_output_abandon(&r.weights);
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

// A file that holds a program or parameters is not replaced.
static int refuse_program(const cli_run *cli, const char *path) {
  char head[4096];
  int fd = path ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1;
  if (fd < 0)
    return 0;
  ssize_t n = pread(fd, head, sizeof head, 0);
  close(fd);
  const pir_format_def *held =
      n > 0 ? pir_format_find(pir_detect_format((pir_str){head, (size_t)n})) : NULL;
  return held ? cli_fail(cli, CLI_USAGE, "%s holds %s, which the output would replace", path,
                         held->name)
              : 0;
}

// A compiled model under the name of a program would be taken for one, and may replace it.
static int check_output(const cli_run *cli) {
  static const char *const endings[] = {".json", ".pdmodel", ".pir", ".pdiparams"};
  for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
    if (cli_output_ends(cli, endings[i]))
      return cli_bad_value(cli, "output", cli->output, "FILE.pirm, FILE.o, FILE.so or FILE.h");
  const char *weights = cli_value(cli, OPT_WEIGHTS, NULL);
  int code = cli_refuse_same_file(cli, "--weights", weights, "-o", cli->output);
  if (!code)
    code = refuse_program(cli, cli->output);
  return code ? code : refuse_program(cli, weights);
}

static int run_compile(cli_run *cli) {
  target_list targets;
  if (!cli->output)
    return cli_fail(cli, CLI_USAGE,
                    "no output given: -o FILE.pirm, -o FILE.o, -o FILE.so or -o FILE.h");
  int code = check_output(cli);
  if (code)
    return code;
  if (cli_output_ends(cli, ".h"))
    return write_header(cli);
  if (!cli->file_count)
    return cli_fail(cli, CLI_USAGE, "no model given: %s %s", tool.name, tool.arguments);
  code = read_targets(cli, &targets);
  if (!code)
    code = cli_check_math(cli, cli_value(cli, OPT_MATH, NULL));
  if (!code)
    code = cli_check_machine(cli, cli_value(cli, OPT_MACHINE, NULL));
  if (!code)
    code = cli_check_pipeline(cli, cli_value(cli, OPT_PIPELINE, NULL));
  if (code)
    return code;
  pir_context *ctx = cli_context_create(cli);
  pir_program *program = NULL;
  if (!ctx)
    return CLI_INTERNAL;
  code = cli_exit_code(
      cli_program_load(cli, ctx, cli->files[0], cli_value(cli, OPT_PARAMS, NULL), &program));
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
