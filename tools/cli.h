// Code that all command-line tools share: option tables, --help and --version, input and output
// files, exit codes, diagnostics, limits. The tools are thin mains over this and the library.
#ifndef PIR_TOOLS_CLI_H
#define PIR_TOOLS_CLI_H

#include <pir/compiler/formats.h>
#include <pir/compiler/ir.h>
#include <pir/compiler/pass.h>
#include <pir/layer/new_file.h>
#include <pir/layer/watch.h>
#include <stdio.h>
#include <string.h>

// Exit codes, the same in every tool.
enum {
  CLI_OK = 0,
  CLI_INVALID = 1,  // wrong input or verification error
  CLI_USAGE = 2,
  CLI_UNSUPPORTED = 3,  // op, feature or option this build does not have
  CLI_DIFFERENT = 4,    // a comparison failed
  CLI_LIMIT = 5,        // a limit was hit
  CLI_INTERNAL = 70
};

int cli_exit_code(pir_status status);

// One option. Tools list theirs in a constant table that ends with a zero entry; -o, -v,
// --help, --version, --diagnostics, --custom-ops, --ops and the limits are there in every tool
// and need no entry.
typedef struct cli_option {
  int id;            // above 0, the tool's own; CLI_HEADING: the row begins a group
  char letter;       // 'o' for -o; 0: none
  const char *name;  // without dashes; NULL in a heading
  // NULL: a flag; "FILE": takes a value; "[=N]": may take one, a number, or one of the words
  // "[=text|json]".
  const char *argument;
  const char *summary;
} cli_option;

enum { CLI_HEADING = -1000 };
// A row of an option table that begins a group.
#define CLI_GROUP(title) {CLI_HEADING, 0, NULL, NULL, (title)}

static inline bool cli_option_needs_value(const cli_option *option) {
  return option->argument && strncmp(option->argument, "[=", 2) != 0;
}

// A command line of --help, and its effect.
typedef struct cli_example {
  const char *command, *effect;
} cli_example;

typedef struct cli_tool {
  const char *name;       // "pir-opt"
  const char *arguments;  // "[options] [FILE]"
  const char *summary;    // one line
  const cli_option *options;
  size_t max_files;
  const cli_example *examples;  // end with a zero entry
} cli_tool;

// A parsed command line. Options come in the order given.
typedef struct cli_match {
  int id;
  const char *value;  // NULL when the option had none
} cli_match;

typedef struct cli_run {
  const cli_tool *tool;
  cli_match *matches;
  size_t match_count;
  const char **files;  // positional arguments
  size_t file_count;
  const char *output;  // -o, or NULL
  bool json_diagnostics;
  bool remarks;  // contexts make them; for the tool to set
  bool verbose;  // -v: stages and their times are told
  pir_limits limits;
  pir_watch watch;                    // --max-time
  struct pir_custom_set *custom_ops;  // of --custom-ops and --ops; NULL: none
  struct pir_pass_set *passes;        // passes of libraries, for all contexts; NULL: none
  size_t errors;                      // diagnostics of severity error printed so far
  pir_str source_name,
      source_text;  // the text being worked on, for caret lines; set by cli_program_read
  uint32_t source_first_line;
  // --verify-diagnostics and --report: takes diagnostics instead of standard error. NULL: they
  // are printed.
  void (*intercept)(void *user, const pir_diag *diag);
  void *intercept_user;
} cli_run;

// Parses the command line. Returns -1 to go on, else the exit code to leave with (help was
// printed, or the usage error was).
int cli_start(cli_run *cli, const cli_tool *tool, int argc, char **argv);
// Prints the options of a tool, then those that every tool has: for people (NULL), for a manual
// page ("man") or as a completion ("bash"). False: an unknown form.
bool cli_print_help(const cli_tool *tool, const cli_option *common, const char *form);
// Frees the command line and flushes standard output. Returns `code`, or another one after
// reporting that bytes of standard output were lost.
int cli_finish(cli_run *cli, int code);

// Declares the ops of a file for all contexts of the run. Returns -1 to go on.
int cli_load_ops(cli_run *cli, const char *path);

// The option by which pir-opt and pir-run load passes.
#define CLI_LOAD_PASSES(id)                                                                    \
  {(id), 0, "load-passes", "LIB",                                                              \
   "take passes from a shared library too, whose code is run (docs/steps/add-a-pass.md)"}
// Loads the libraries that the option `id` names, for contexts that are created from now on.
// Returns an exit code, 0 to go on.
int cli_load_passes(cli_run *cli, int id);

// The options by which tools cut a part out of a program, and the pass that does it.
#define CLI_CUT(outputs, inputs)                                                               \
  {(outputs), 0, "outputs", "NAMES",                                                           \
   "keep what these values need: numbers of the text (%12) or names, with commas between"},    \
      {(inputs), 0, "inputs", "NAMES", "begin at these values, which become inputs"}
// Adds that pass where one of the options is given. Returns an exit code, 0 to go on.
int cli_add_cut(const cli_run *cli, int outputs, int inputs, pir_pass_manager *manager);

// Value of the last occurrence of an option; `*out_given` tells a flag from its absence. Either
// may be NULL.
const char *cli_value(const cli_run *cli, int id, bool *out_given);
bool cli_has(const cli_run *cli, int id);

// Reports `tool: error: ...` on standard error and returns `code`.
int cli_fail(const cli_run *cli, int code, const char *format, ...) PIR_PRINTF(3, 4);
// Prints `tool: note: ...` on standard error.
void cli_note(const cli_run *cli, const char *format, ...) PIR_PRINTF(2, 3);
bool cli_has_reported(void);  // whether an error was reported
// Reports an invalid option value: names the option and returns CLI_USAGE.
int cli_bad_value(const cli_run *cli, const char *option, const char *value,
                  const char *expected);
// Check the value of --target, --math, --machine and --pipeline, a name or the text of a
// pipeline, before a model is read. NULL is the default. CLI_USAGE, reported: nothing has that
// name.
int cli_check_target(const cli_run *cli, const char *name);
int cli_check_math(const cli_run *cli, const char *name);
int cli_check_machine(const cli_run *cli, const char *name);
int cli_check_pipeline(cli_run *cli, const char *text);
bool cli_parse_u64(const char *text,
                   uint64_t *out_value);  // decimal with optional k, m, g (powers of 1024)

// Creates a context with all dialects, the user's ops, the command line's limits and a printing
// sink; NULL if memory runs out.
pir_context *cli_context_create(cli_run *cli);
// Returns the rest of --max-time; the zero value without it.
pir_stop cli_stop(const cli_run *cli);
// Prints a diagnostic on standard error.
void cli_print_diag(const cli_run *cli, const pir_diag *diag);
// Returns the sink alone, for models (pir_model_options.sink).
pir_diag_sink cli_sink(cli_run *cli);
// Returns a receiver that draws a progress line if standard error is a terminal, and tells of
// stages with --verbose; else none. Contexts of cli_context_create have it.
pir_progress_sink cli_progress(cli_run *cli);
// Removes that line, before something else is printed.
void cli_progress_erase(void);
// Whether a line is drawn; a handler of signals may ask.
bool cli_progress_is_drawn(void);
// Reports work of the tool itself: `name` is a constant, `what` (or NULL) comes next; `of` is 0
// where the number of all parts is not known.
void cli_stage(const cli_run *cli, const char *name, const char *what, uint64_t done,
               uint64_t of);
// Ends the stage that the tool is in.
void cli_stage_end(const cli_run *cli);
uint64_t cli_clock_ns(void);  // of CLOCK_MONOTONIC

// Whether text for people may be drawn and coloured there.
bool cli_is_terminal(int descriptor);

typedef enum cli_paint {
  CLI_PLAIN,
  CLI_BOLD,
  CLI_RED,
  CLI_MAGENTA,
  CLI_CYAN,
  CLI_GREEN
} cli_paint;
// The text that changes the colour: empty unless `out` is a terminal and NO_COLOR is not set.
const char *cli_colour(FILE *out, cli_paint paint);

// A whole file in memory, mapped if possible; `-` is standard input, a folder means the program
// in it.
typedef struct cli_file {
  const char *name;  // as in diagnostics
  pir_str bytes;
  bool mapped;
  bool kept;    // of standard input, which is read once
  char *found;  // the path, where `name` is one that was looked for
} cli_file;

// Returns 0, or the exit code after reporting.
int cli_file_read(const cli_run *cli, const char *path, cli_file *out_file);
// Does the same for one file: a folder is refused.
int cli_file_read_named(const cli_run *cli, const char *path, cli_file *out_file);
void cli_file_release(cli_file *file);

// Refuses two paths that name one file, which need not exist yet; `a` and `b` call them in the
// message. NULL and - name none. Returns an exit code.
int cli_refuse_same_file(const cli_run *cli, const char *a, const char *path_a, const char *b,
                         const char *path_b);
// Whether -o names a file with this ending.
bool cli_output_ends(const cli_run *cli, const char *ending);
// Returns the name of the format of programs whose ending -o has; "text" if it has none's.
const char *cli_format_by_output(const cli_run *cli);
// Refuses to write binary output to a terminal. Returns an exit code.
int cli_refuse_terminal(const cli_run *cli);

// An output: standard output, a device or pipe, or a file that replaces another as a whole in
// cli_output_commit. The destination is untouched when it is not committed.
typedef struct cli_output {
  const cli_run *cli;
  const char *path;  // NULL: standard output
  int stream;        // descriptor of a device or pipe; -1: the output is `file`
  pir_new_file file;
  int error;  // errno of the first write that failed
  char *buffer;
  size_t used;
  uint64_t bytes;  // that left the buffer
} cli_output;

int cli_output_open(const cli_run *cli, const char *path, cli_output *out_output);
pir_writer cli_output_writer(cli_output *output);
pir_writer cli_stderr_writer(void);
// Writes all bytes so far to the disk, or to the stream; returns an exit code, after reporting.
int cli_output_flush(const cli_run *cli, cli_output *output);
// Flushes and ends the output; a file replaces another only now. Returns an exit code, after
// reporting.
int cli_output_commit(const cli_run *cli, cli_output *output);
void cli_output_abandon(cli_output *output);  // nothing is left behind; harmless after a commit
// Removes the files of all open outputs, for a tool that ends at once. Safe in a signal
// handler.
void cli_outputs_remove(void);

// The next draw of a generator (splitmix64), the same on every machine. `state` begins as a
// seed.
uint64_t cli_random(uint64_t *state);

// Whether a path is standard input. NULL: no.
bool cli_is_stream(const char *path);
// Loads a program with its parameters (NULL: those beside it). Either may be standard input;
// nothing lies beside a program that comes from there.
pir_status cli_program_load(cli_run *cli, pir_context *ctx, const char *path,
                            const char *params, pir_program **out_program);

// Reads a program of any format, recognised by content unless `format` says which.
int cli_program_read(cli_run *cli, pir_context *ctx, const cli_file *file, pir_format format,
                     bool fragment, uint32_t first_line, pir_program **out_program);

// Runs a pipeline over the program; `options` may be NULL. A failure was reported to the
// context.
pir_status cli_run_passes(pir_program *program, pir_str pipeline,
                          const pir_pass_options *options);

#endif
