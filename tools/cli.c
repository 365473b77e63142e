// Option tables, files and exit codes of the command-line tools. Options are
// matched by a linear scan (a tool has at most a few dozen). A file is mapped if possible, else
// read in blocks. An output is written to `NAME.tmp-PID` in its folder and renamed when it is
// complete.
#include "cli.h"

#include <errno.h>
#include <fcntl.h>
#include <pir/layer/codegen.h>
#include <pir/layer/machine_memory.h>
#include <pir/engine/custom.h>
#include <pir/compiler/dialects.h>
#include <pir/compiler/formats.h>
#include <pir/compiler/load.h>
#include <pir/compiler/pass_library.h>
#include <pir/layer/nearest.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

// Ids of the options that every tool has; negative, so that they never collide with a tool's
// own.
enum {
  OPT_HELP = -1,
  OPT_VERSION = -2,
  OPT_OUTPUT = -3,
  OPT_DIAGNOSTICS = -4,
  OPT_MAX_OPS = -5,
  OPT_MAX_DEPTH = -6,
  OPT_MAX_MEMORY = -7,
  OPT_MAX_TIME = -8,
  OPT_CUSTOM_OPS = -9,
  OPT_OPS = -10,
  OPT_VERBOSE = -11
};

static const cli_option common_options[] = {
    CLI_GROUP("In every tool"),
    {OPT_OUTPUT, 'o', "output", "FILE", "write to FILE instead of standard output"},
    {OPT_CUSTOM_OPS, 0, "custom-ops", "LIB",
     "operators and kernels of the user, from a shared library"},
    {OPT_OPS, 0, "ops", "FILE",
     "operators of the user, declared in the language of .ops files"},
    {OPT_VERBOSE, 'v', "verbose", NULL, "tell what is done, and how long it takes"},
    {OPT_DIAGNOSTICS, 0, "diagnostics", "FORMAT", "text (default) or json, one object a line"},
    {OPT_MAX_OPS, 0, "max-ops", "N", "refuse programs with more ops"},
    {OPT_MAX_DEPTH, 0, "max-depth", "N", "refuse regions nested deeper"},
    {OPT_MAX_MEMORY, 0, "max-memory", "BYTES",
     "stop when programs, constants or tensors need more (k, m and g are understood)"},
    {OPT_MAX_TIME, 0, "max-time", "SECONDS", "stop after that time"},
    {OPT_HELP, 'h', "help", "[=man|bash]",
     "print this, the options of a manual page, or a completion, and exit"},
    {OPT_VERSION, 0, "version", NULL,
     "print the versions of tool, library and LLVM, and the targets, and exit"},
    {0, 0, NULL, NULL, NULL},
};

int cli_exit_code(pir_status status) {
  switch (status) {
    case PIR_OK: return CLI_OK;
    case PIR_UNSUPPORTED: return CLI_UNSUPPORTED;
    case PIR_UNAVAILABLE: return CLI_UNSUPPORTED;
    case PIR_EXHAUSTED: return CLI_LIMIT;
    case PIR_CANCELLED: return CLI_LIMIT;
    case PIR_INTERNAL: return CLI_INTERNAL;
    case PIR_INVALID: return CLI_INVALID;
    case PIR_NOT_FOUND: return CLI_INVALID;
    case PIR_IO: return CLI_INVALID;
  }
  return CLI_INTERNAL;
}

// ---- command line

bool cli_parse_u64(const char *text, uint64_t *out_value) {
  uint64_t value = 0;
  const char *at = text;
  for (; *at >= '0' && *at <= '9'; at++)
    if (__builtin_mul_overflow(value, 10u, &value) ||
        __builtin_add_overflow(value, (uint64_t)(*at - '0'), &value))
      return false;
  if (at == text)
    return false;
  static const char units[] = "kmg";
  const char *unit = *at ? strchr(units, *at) : NULL;
  unsigned shift = unit ? 10 * (unsigned)(unit - units + 1) : 0;
  if (unit)
    at++;
  if (*at || (shift && value >> (64 - shift)))
    return false;
  *out_value = value << shift;
  return true;
}

static const cli_option *find_in(const cli_option *options, const char *name, size_t size) {
  for (const cli_option *o = options; o->id; o++)
    if (size == 1 ? o->letter == name[0]
                  : o->name && strlen(o->name) == size && memcmp(o->name, name, size) == 0)
      return o;
  return NULL;
}

static const cli_option *find_option(const cli_tool *tool, const char *name, size_t size) {
  const cli_option *o = find_in(tool->options, name, size);
  return o ? o : find_in(common_options, name, size);
}

static void try_options(pir_nearest *near, const cli_option *options) {
  for (const cli_option *o = options; o->id; o++)
    if (o->name)
      pir_nearest_try(near, o->name);
}

static int refuse_option(const cli_run *cli, const char *text, pir_str name) {
  pir_nearest near = pir_nearest_begin(name);
  try_options(&near, cli->tool->options);
  try_options(&near, common_options);
  if (near.best)
    return cli_fail(cli, CLI_USAGE, "unknown option '%s'; did you mean '--%s'?", text,
                    near.best);
  return cli_fail(cli, CLI_USAGE, "unknown option '%s' (--help lists them)", text);
}

// What the handler writes: for people and as JSON, made when the limit is set, and which of
// the two the options ask for.
static char time_is_over[2][128];
static const bool *time_as_json;

static void on_alarm(int signal) {
  (void)signal;
  static const char erase[] = "\r\033[K";
  const char *message = time_is_over[*time_as_json];
  ssize_t ignored = 0;
  if (cli_progress_is_drawn())
    ignored = write(STDERR_FILENO, erase, sizeof erase - 1);
  ignored = write(STDERR_FILENO, message, strlen(message));
  (void)ignored;
  cli_outputs_remove();
  _exit(CLI_LIMIT);
}

enum { MOST_SECONDS = 1000000000 };

// The library ends its work with a message that names the place. A second later the process
// ends, because input may not come, and an op of the user may not return.
static void limit_time(cli_run *cli, uint64_t seconds) {
  pir_stop stop = {.max_ns = seconds * 1000000000};
  struct itimerval timer = {.it_value.tv_sec = (time_t)seconds + 1};
  cli->watch = pir_watch_begin(&stop, 0);
  snprintf(time_is_over[0], sizeof time_is_over[0],
           "%s: error: the time limit (--max-time) was hit\n", cli->tool->name);
  snprintf(time_is_over[1], sizeof time_is_over[1], "%s\n",
           "{\"severity\":\"error\",\"message\":\"the time limit (--max-time) was hit\"}");
  time_as_json = &cli->json_diagnostics;
  signal(SIGALRM, on_alarm);
  setitimer(ITIMER_REAL, &timer, NULL);
}

static int set_limit(cli_run *cli, const cli_option *option, const char *value) {
  uint64_t number;
  if (!cli_parse_u64(value, &number) || number == 0)
    return cli_bad_value(cli, option->name, value,
                         "a number above zero, as 100, 64k, 512m or 2g");
  switch (option->id) {
    case OPT_MAX_OPS: cli->limits.max_ops = number; break;
    case OPT_MAX_DEPTH: cli->limits.max_depth = number; break;
    case OPT_MAX_MEMORY: cli->limits.max_bytes = number; break;
    default: limit_time(cli, number > MOST_SECONDS ? MOST_SECONDS : number);
  }
  return -1;
}

static void print_version(const cli_tool *tool) {
  char llvm[64];
  pir_target native;
  printf("%s %d.%d.%d\n", tool->name, PIR_VERSION_MAJOR, PIR_VERSION_MINOR, PIR_VERSION_PATCH);
  printf("libpir %u.%u.%u\n", pir_version() >> 16, pir_version() >> 8 & 0xff,
         pir_version() & 0xff);
  bool compiles = pir_compiler_llvm_version(llvm, sizeof llvm);
  printf("LLVM %s\n", compiles ? llvm : "not installed: operators are called, none compiled");
  printf("targets %s", pir_target_names());
  if (!pir_target_get(NULL, &native))
    printf("; this processor: %s%s%s%s%s", native.name,
           native.avx512_bf16 ? ", products of bf16" : "",
           native.avx512_vnni ? ", of bytes" : "", native.amx_bf16 ? ", tiles of bf16" : "",
           native.amx_int8 ? ", tiles of bytes" : "");
  printf("\n");
}

// Returns -1 to continue.
static int load_custom_ops(cli_run *cli, const char *library) {
  pir_message message = {{0}};
  pir_status status = cli->custom_ops ? PIR_OK : pir_custom_set_create(NULL, &cli->custom_ops);
  if (!status)
    status = pir_custom_set_load(cli->custom_ops, library, &message);
  if (!status)
    return -1;
  return cli_fail(cli, cli_exit_code(status), "%s",
                  *message.text ? message.text : "out of memory");
}

int cli_load_passes(cli_run *cli, int id) {
  for (size_t i = 0; i < cli->match_count; i++) {
    pir_message message = {{0}};
    if (cli->matches[i].id != id)
      continue;
    pir_status status = cli->passes ? PIR_OK : pir_pass_set_create(NULL, &cli->passes);
    if (!status)
      status = pir_pass_set_load(cli->passes, cli->matches[i].value, &message);
    if (status)
      return cli_fail(cli, cli_exit_code(status), "%s",
                      *message.text ? message.text : "out of memory");
  }
  return 0;
}

uint64_t cli_clock_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

// Handles an option that every tool has. Returns -1 to continue.
static int take_common(cli_run *cli, const cli_option *option, const char *value) {
  switch (option->id) {
    case OPT_HELP:
      if (!cli_print_help(cli->tool, common_options, value))
        return cli_bad_value(cli, option->name, value, "man or bash");
      return CLI_OK;
    case OPT_VERSION: print_version(cli->tool); return CLI_OK;
    case OPT_OUTPUT: cli->output = value; return -1;
    case OPT_VERBOSE: cli->verbose = true; return -1;
    case OPT_DIAGNOSTICS:
      cli->json_diagnostics = strcmp(value, "json") == 0;
      if (!cli->json_diagnostics && strcmp(value, "text") != 0)
        return cli_bad_value(cli, option->name, value, "text or json");
      return -1;
    case OPT_CUSTOM_OPS: return load_custom_ops(cli, value);
    case OPT_OPS: return cli_load_ops(cli, value);
    default: return set_limit(cli, option, value);
  }
}

// Whether `text` is a value of an option that need not have one ("[=N]", "[=text|json]"): a
// number, or one of the words. Other text is the next argument.
static bool is_optional_value(const cli_option *option, const char *text) {
  const char *words = option->argument + 2;
  char *end;
  if (*words >= 'A' && *words <= 'Z')
    return strtod(text, &end) >= 0 && end != text && !*end;
  size_t size = strlen(text);
  for (const char *at = words; *at && size;) {
    size_t word = strcspn(at, "|]");
    if (word == size && memcmp(at, text, size) == 0)
      return true;
    at += word + (at[word] != 0);
  }
  return false;
}

// Handles argv[i], an option; `*used` counts the consumed arguments. Returns -1 to continue.
static int take_option(cli_run *cli, int argc, char **argv, int i, int *used) {
  const char *text = argv[i], *value = NULL;
  bool is_long = text[1] == '-';
  const char *name = text + (is_long ? 2 : 1);
  size_t size = is_long ? strcspn(name, "=") : 1;
  if (is_long && name[size])
    value = name + size + 1;
  else if (!is_long && name[1])
    value = name + (name[1] == '=' ? 2 : 1);
  const cli_option *option = is_long && size == 1 ? NULL : find_option(cli->tool, name, size);
  if (!option)  // one dash before a long name is meant as two
    return refuse_option(cli, text, (pir_str){name, strcspn(name, "=")});
  if (!option->argument && value)
    return cli_fail(cli, CLI_USAGE, "--%s takes no value", option->name);
  bool needs = cli_option_needs_value(option);
  if (needs && !value && i + 1 >= argc)
    return cli_fail(cli, CLI_USAGE, "--%s needs a value: %s", option->name, option->argument);
  bool may =
      option->argument && !needs && i + 1 < argc && is_optional_value(option, argv[i + 1]);
  if (!value && (needs || may)) {
    value = argv[i + 1];
    *used = 2;
  }
  if (option->id < 0)
    return take_common(cli, option, value);
  cli->matches[cli->match_count++] = (cli_match){option->id, value};
  return -1;
}

int cli_start(cli_run *cli, const cli_tool *tool, int argc, char **argv) {
  // A file beyond the limit of sizes fails to be written (EFBIG), as on a full disk: the signal
  // would end the tool with a part of the file left behind.
  (void)signal(SIGXFSZ, SIG_IGN);
  *cli = (struct cli_run){.tool = tool};
  cli->matches = calloc((size_t)argc + 1, sizeof *cli->matches);
  cli->files = calloc((size_t)argc + 1, sizeof *cli->files);
  if (!cli->matches || !cli->files)
    return cli_fail(cli, CLI_LIMIT, "out of memory");
  bool only_files = false;
  for (int i = 1; i < argc;) {
    const char *text = argv[i];
    int used = 1;
    if (!only_files && strcmp(text, "--") == 0)
      only_files = true;
    else if (!only_files && text[0] == '-' && text[1]) {
      int code = take_option(cli, argc, argv, i, &used);
      if (code >= 0)
        return code;
    } else if (cli->file_count == tool->max_files) {
      return cli_fail(cli, CLI_USAGE, "unexpected argument '%s': %s %s; -o names the output",
                      text, tool->name, tool->arguments);
    } else {
      cli->files[cli->file_count++] = text;
    }
    i += used;
  }
  return -1;
}

// A pipe whose reader has gone is no failure of the tool, as for SIGPIPE.
static int check_stdout(const cli_run *cli, int code) {
  errno = 0;
  bool failed = fflush(stdout) || ferror(stdout);
  if (code || !failed || errno == EPIPE)
    return code;
  return cli_fail(cli, CLI_INVALID, "<stdout>: cannot write: %s",
                  errno ? strerror(errno) : "an earlier write failed");
}

int cli_finish(cli_run *cli, int code) {
  cli_stage_end(cli);
  cli_progress_erase();
  code = check_stdout(cli, code);
  if (code == CLI_LIMIT && !cli_has_reported())  // the library reports no lack of memory
    cli_fail(cli, code, "out of memory, or a limit was hit");
  free(cli->matches);
  free(cli->files);
  pir_custom_set_destroy(cli->custom_ops);
  cli->custom_ops = NULL;
  pir_pass_set_destroy(cli->passes);
  cli->passes = NULL;
  cli->matches = NULL;
  cli->files = NULL;
  return code;
}

const char *cli_value(const cli_run *cli, int id, bool *out_given) {
  for (size_t i = cli->match_count; i-- > 0;)
    if (cli->matches[i].id == id) {
      if (out_given)
        *out_given = true;
      return cli->matches[i].value;
    }
  if (out_given)
    *out_given = false;
  return NULL;
}

bool cli_has(const cli_run *cli, int id) {
  bool given;
  cli_value(cli, id, &given);
  return given;
}

// ---- context

static _Noreturn void memory_is_out(void *user) {
  const cli_run *cli = user;
  cli_fail(cli, CLI_LIMIT, "out of memory, or the limit of --max-memory was hit");
  cli_outputs_remove();
  _exit(CLI_LIMIT);
}

pir_stop cli_stop(const cli_run *cli) {
  uint64_t ns = cli_clock_ns();
  if (!cli->watch.deadline)
    return (pir_stop){0};
  return (pir_stop){.max_ns = cli->watch.deadline > ns ? cli->watch.deadline - ns : 1};
}

pir_context *cli_context_create(cli_run *cli) {
  pir_context_options options = {.size = sizeof options,
                                 .out_of_memory = memory_is_out,
                                 .out_of_memory_user = cli,
                                 .limits = cli->limits};
  pir_context *ctx = pir_context_create(&options);
  if (!ctx)
    memory_is_out(cli);
  pir_context_set_sink(ctx, cli_sink(cli));
  pir_context_set_progress(ctx, cli_progress(cli));
  pir_context_set_remarks(ctx, cli->remarks);
  pir_stop stop = cli_stop(cli);
  if (stop.max_ns)
    pir_context_set_stop(ctx, &stop);
  if (cli->passes)
    pir_pass_set_register(cli->passes, ctx);
  if (pir_dialects_load_all(ctx) ||
      (cli->custom_ops && pir_custom_set_register(cli->custom_ops, ctx))) {
    pir_context_destroy(ctx);
    return NULL;
  }
  return ctx;
}

// ---- input

// Reads what cannot be mapped: pipes, terminals. It may have no end.
static int read_stream(const cli_run *cli, int fd, cli_file *file) {
  uint64_t most = cli->limits.max_bytes ? cli->limits.max_bytes : pir_memory_to_use();
  char *data = NULL;
  size_t size = 0, capacity = 0;
  for (;;) {
    if (size >= most) {
      free(data);
      return cli_fail(cli, CLI_LIMIT, "%s: has more than %llu bytes, the limit of memory",
                      file->name, (unsigned long long)most);
    }
    if (size == capacity) {
      capacity = capacity ? capacity * 2 : 65536;
      char *grown = realloc(data, capacity);
      if (!grown) {
        free(data);
        return cli_fail(cli, CLI_LIMIT, "%s: out of memory", file->name);
      }
      data = grown;
    }
    ssize_t n = read(fd, data + size, capacity - size);
    if (n == 0)
      break;
    if (n < 0 && errno == EINTR)
      continue;
    if (n < 0) {
      free(data);
      return cli_fail(cli, CLI_INVALID, "%s: cannot read: %s", file->name, strerror(errno));
    }
    size += (size_t)n;
  }
  file->bytes = (pir_str){data, size};
  return 0;
}

// Keeps what standard input holds, for all who name it.
static int read_standard_input(const cli_run *cli, cli_file *out_file) {
  static cli_file kept = {.name = "<stdin>"};
  int code = kept.kept ? 0 : read_stream(cli, STDIN_FILENO, &kept);
  kept.kept |= !code;
  *out_file = kept;
  out_file->name = "<stdin>";
  return code;
}

bool cli_is_stream(const char *path) {
  return path && strcmp(path, "-") == 0;
}

int cli_file_read_named(const cli_run *cli, const char *path, cli_file *out_file) {
  *out_file = (cli_file){.name = path};
  if (cli_is_stream(path))
    return read_standard_input(cli, out_file);
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return cli_fail(cli, CLI_INVALID, "%s: cannot open: %s%s", path, strerror(errno),
                    errno == ENOENT ? pir_hint_file(path).text : "");
  struct stat info;
  int code = 0;
  if (fstat(fd, &info) == 0 && S_ISREG(info.st_mode) && info.st_size > 0) {
    void *data = mmap(NULL, (size_t)info.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (data == MAP_FAILED)
      code = cli_fail(cli, errno == ENOMEM ? CLI_LIMIT : CLI_INVALID, "%s: cannot map: %s",
                      path, strerror(errno));
    else
      *out_file =
          (cli_file){.name = path, .bytes = {data, (size_t)info.st_size}, .mapped = true};
  } else {
    code = read_stream(cli, fd, out_file);
  }
  close(fd);
  return code;
}

// Finds the program of a folder. Returns an exit code; the caller frees the path.
static int find_program(const cli_run *cli, const char *path, char **out_path) {
  switch (pir_program_find(path, out_path)) {
    case PIR_OK: return CLI_OK;
    case PIR_NOT_FOUND:
      return cli_fail(cli, CLI_INVALID, "%s: no program lies in this folder", path);
    case PIR_INVALID:
      cli_fail(cli, CLI_INVALID, "%s: several programs lie in this folder: %s; name one", path,
               *out_path);
      free(*out_path);
      return CLI_INVALID;
    default: return cli_fail(cli, CLI_LIMIT, "%s: out of memory", path);
  }
}

int cli_file_read(const cli_run *cli, const char *path, cli_file *out_file) {
  char *found;
  if (cli_is_stream(path))
    return cli_file_read_named(cli, path, out_file);
  int code = find_program(cli, path, &found);
  if (code)
    return code;
  code = cli_file_read_named(cli, found, out_file);
  out_file->found = found;
  if (code)
    cli_file_release(out_file);
  return code;
}

void cli_file_release(cli_file *file) {
  if (file->mapped)
    munmap((void *)(uintptr_t)file->bytes.data, file->bytes.size);
  else if (!file->kept)
    free((void *)(uintptr_t)file->bytes.data);
  free(file->found);
  *file = (cli_file){0};
}

// ---- draws

uint64_t cli_random(uint64_t *state) {
  uint64_t z = *state += 0x9E3779B97F4A7C15u;
  z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
  z = (z ^ z >> 27) * 0x94D049BB133111EBu;
  return z ^ z >> 31;
}
