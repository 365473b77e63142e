// pir-translate: reads a program in any format and writes it in another.
#include <pir/compiler/dot.h>
#include <pir/compiler/load.h>
#include <pir/compiler/pass.h>
#include <pir/compiler/verify.h>
#include <string.h>

#include "../cli.h"
#include "../params.h"
#include "page.h"
#include "stats.h"

enum {
  OPT_FROM = 1,
  OPT_TO,
  OPT_STRIP_DEBUG,
  OPT_INDENT,
  OPT_JSON,
  OPT_MAX_NODES,
  OPT_FRAGMENT,
  OPT_UNVERIFIED,
  OPT_PARAMS,
  OPT_PARAMS_OUT,
  OPT_OUTPUTS,
  OPT_INPUTS
};

#define WRITTEN PIR_FORMATS_WRITTEN ", dot, html or stats"

static const cli_option option_table[] = {
    CLI_GROUP("Formats"),
    {OPT_FROM, 0, "from", "FORMAT", "auto (default), " PIR_FORMATS_READ},
    {OPT_TO, 0, "to", "FORMAT", WRITTEN " (default: by the ending of FILE in -o, else text)"},
    {OPT_STRIP_DEBUG, 0, "strip-debug", NULL, "typed: leave out locations"},
    {OPT_INDENT, 0, "indent", NULL, "json: one element a line"},
    {OPT_JSON, 0, "json", NULL, "stats: as one JSON object"},
    {OPT_MAX_NODES, 0, "max-nodes", "N",
     "dot: draw at most N ops, the others as one (1000; 0 draws all)"},
    CLI_GROUP("The program"),
    {OPT_FRAGMENT, 0, "fragment", NULL,
     "read a part of a text: no braces, values from outside"},
    {OPT_UNVERIFIED, 0, "unverified", NULL,
     "convert also a program whose ops are not as they are declared"},
    CLI_CUT(OPT_OUTPUTS, OPT_INPUTS),
    CLI_GROUP("Parameters"),
    {OPT_PARAMS, 0, "params", "FILE|DIR",
     "parameters to read, for --params-out (default: found beside FILE)"},
    {OPT_PARAMS_OUT, 0, "params-out", "FILE|DIR",
     "also write the parameters: one file, or a folder of files (ends with /)"},
    {0, 0, NULL, NULL, NULL},
};

static const cli_example examples[] = {
    {"pir-translate model.pdmodel", "prints a program of any format as text"},
    {"pir-translate --to=json model.pdmodel -o model.json --params-out=model.pdiparams",
     "converts a model with its parameters"},
    {"pir-translate --to=html model.json -o look.html", "draws the program, for a browser"},
    {"pir-translate --to=stats model.json", "counts ops, parameters and bytes"},
    {"pir-translate --outputs=%40 --inputs=%12 model.json",
     "prints the part between two values"},
    {NULL, NULL},
};

static const cli_tool tool = {"pir-translate",
                              "[options] FILE",
                              "Converts a program between its formats.",
                              option_table,
                              1,
                              examples};

static int write_dot(cli_run *cli, const pir_program *program, pir_writer out) {
  const char *text = cli_value(cli, OPT_MAX_NODES, NULL);
  uint64_t nodes = 1000;
  if (text && !cli_parse_u64(text, &nodes))
    return cli_bad_value(cli, "max-nodes", text, "a number");
  pir_dot_options options = {.size = sizeof options, .max_nodes = nodes};
  return cli_exit_code(pir_program_print_dot(program, &options, out));
}

// Writes the program as `to` says. Returns an exit code.
static int write_as_format(cli_run *cli, page *html, pir_program *program, const char *to,
                           pir_writer out) {
  const pir_format_def *def = pir_format_named(to);
  cli_stage(cli, "write", to, 0, 0);
  if (def) {
    pir_write_options how = {.size = sizeof how,
                             .indent = cli_has(cli, OPT_INDENT),
                             .strip_debug = cli_has(cli, OPT_STRIP_DEBUG)};
    return cli_exit_code(def->write(def, program, &how, out));
  }
  if (html)
    return page_write(html, program, out);
  if (strcmp(to, "stats") == 0)
    return cli_exit_code(stats_write(program, cli_has(cli, OPT_JSON), out));
  return write_dot(cli, program, out);
}

// Reads the program, with its parameters where they are asked for.
static int read_as_format(cli_run *cli, pir_context *ctx, const cli_file *file, pir_format from,
                          pir_program **out_program) {
  const char *params = cli_value(cli, OPT_PARAMS, NULL);
  bool fragment = cli_has(cli, OPT_FRAGMENT);
  if (!params && !cli_has(cli, OPT_PARAMS_OUT))
    return cli_program_read(cli, ctx, file, from, fragment, 1, out_program);
  if (fragment || from)
    return cli_fail(cli, CLI_USAGE,
                    "parameters belong to a whole program: no --from, no --fragment");
  return cli_exit_code(cli_program_load(cli, ctx, cli->files[0], params, out_program));
}

// The format that the parameters are written for.
static pir_format format_of(const char *to) {
  const pir_format_def *def = pir_format_named(to);
  return def ? def->format : PIR_FORMAT_TEXT;
}

// Stated types are kept, so types are not checked.
static int verify(const cli_run *cli, const pir_program *program) {
  pir_verify_options options = {.size = sizeof options,
                                .untyped = true,
                                .fragment = cli_has(cli, OPT_FRAGMENT),
                                .old_forms = pir_program_is_older(program)};
  return cli_exit_code(pir_verify(pir_program_module(program), &options));
}

static int write_outputs(cli_run *cli, page *html, pir_program *program, const char *to) {
  const char *params = cli_value(cli, OPT_PARAMS_OUT, NULL);
  pir_format format = format_of(to);
  cli_output output;
  if (params)
    pir_program_settle(program, format);
  int code = cli_output_open(cli, cli->output, &output);
  if (code)
    return code;
  code = write_as_format(cli, html, program, to, cli_output_writer(&output));
  if (!code && params)
    code = params_write_beside(cli, program, format, params, &output);
  if (!code)
    return cli_output_commit(cli, &output);
  cli_output_abandon(&output);
  return code;
}

static int cut_program(const cli_run *cli, pir_context *ctx, pir_program *program) {
  pir_pass_options how = {.size = sizeof how};
  pir_pass_manager *manager = pir_pass_manager_create(ctx, &how);
  int code = cli_add_cut(cli, OPT_OUTPUTS, OPT_INPUTS, manager);
  if (!code)
    code = cli_exit_code(pir_pass_manager_run(manager, program));
  pir_pass_manager_destroy(manager);
  return code;
}

// Reads, converts, writes.
static int translate(cli_run *cli, pir_format from, const char *to) {
  cli_file file;
  int code = cli_file_read(cli, cli->files[0], &file);
  if (code)
    return code;
  pir_context *ctx = cli_context_create(cli);
  if (!ctx)
    return CLI_INTERNAL;
  pir_program *program = NULL;
  page html;
  bool shows = strcmp(to, "html") == 0;
  if (shows)
    page_begin(cli, ctx, &file, &html);
  code = read_as_format(cli, ctx, &file, from, &program);
  const pir_format_def *def = pir_format_named(to);
  bool cuts = cli_has(cli, OPT_OUTPUTS) || cli_has(cli, OPT_INPUTS),
       current = cuts || (def && def->current);
  if (!code && current && pir_program_is_older(program))
    code = cli_exit_code(pir_program_upgrade(program));
  if (!code && !cli_has(cli, OPT_UNVERIFIED))
    code = verify(cli, program);
  if (!code && cuts)
    code = cut_program(cli, ctx, program);
  if (!code)
    code = write_outputs(cli, shows ? &html : NULL, program, to);
  else if (shows)
    page_write_broken(&html, program);
  if (shows)
    page_end(&html);
  if (program)
    pir_program_destroy(program);
  pir_context_destroy(ctx);
  cli_file_release(&file);
  return code;
}

static const char *const reports[] = {"dot", "html", "stats"};

// An ending of another kind of file, which a text would be taken for.
static int check_ending(const cli_run *cli) {
  static const char *const others[] = {".o",         ".so",  ".pirm", ".onnx",
                                       ".pdiparams", ".png", ".ll",   ".s"};
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    if (cli_output_ends(cli, others[i]))
      return cli_fail(cli, CLI_USAGE, "no format that is written ends in %s: state --to",
                      others[i]);
  return 0;
}

// The format that the name of the output asks for.
static const char *format_by_output(const cli_run *cli) {
  if (cli_output_ends(cli, ".dot"))
    return "dot";
  return cli_output_ends(cli, ".html") ? "html" : cli_format_by_output(cli);
}

// Options that are of one format.
static int check_options_of(const cli_run *cli, const char *to) {
  static const struct {
    int id;
    const char *name, *to;
  } options[] = {{OPT_INDENT, "indent", "json"},
                 {OPT_JSON, "json", "stats"},
                 {OPT_MAX_NODES, "max-nodes", "dot"}};
  for (size_t i = 0; i < sizeof options / sizeof *options; i++)
    if (cli_has(cli, options[i].id) && strcmp(to, options[i].to) != 0)
      return cli_fail(cli, CLI_USAGE, "--%s is for --to=%s, not for %s", options[i].name,
                      options[i].to, to);
  return 0;
}

static int check_target(const cli_run *cli, const char *to) {
  const pir_format_def *def = pir_format_named(to);
  if (def && def->write)
    return 0;
  for (size_t i = 0; i < sizeof reports / sizeof *reports; i++)
    if (strcmp(to, reports[i]) == 0)
      return 0;
  return cli_bad_value(cli, "to", to, WRITTEN);
}

static int parse_format(const cli_run *cli, const char *from, pir_format *out_format) {
  *out_format = PIR_FORMAT_UNKNOWN;
  if (!from || strcmp(from, "auto") == 0)
    return 0;
  const pir_format_def *def = pir_format_named(from);
  if (!def || !def->read)
    return cli_bad_value(cli, "from", from, "auto, " PIR_FORMATS_READ);
  *out_format = def->format;
  return 0;
}

static int run_translate(cli_run *cli) {
  pir_format from = PIR_FORMAT_UNKNOWN;
  const char *to = cli_value(cli, OPT_TO, NULL);
  if (cli->file_count == 0)
    return cli_fail(cli, CLI_USAGE, "no file given: %s %s", tool.name, tool.arguments);
  int code = parse_format(cli, cli_value(cli, OPT_FROM, NULL), &from);
  if (!code && to)
    code = check_target(cli, to);
  if (!code && !to)
    code = check_ending(cli);
  if (!to)
    to = format_by_output(cli);
  if (!code)
    code = check_options_of(cli, to);
  if (!code && strcmp(to, "pdmodel") == 0)
    code = cli_refuse_terminal(cli);
  const char *params = cli_value(cli, OPT_PARAMS_OUT, NULL);
  if (!code)
    code = cli_refuse_same_file(cli, "--params-out", params, "-o", cli->output);
  if (!code)
    code = cli_refuse_same_file(cli, "--params-out", params, "the program", cli->files[0]);
  return code ? code : translate(cli, from, to);
}

int main(int argc, char **argv) {
  cli_run cli;
  int code = cli_start(&cli, &tool, argc, argv);
  if (code < 0)
    code = run_translate(&cli);
  return cli_finish(&cli, code);
}
