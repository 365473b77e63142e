// Compiled models (pir-compile): they are opened as they are. The compiler has no part in it.
#include "fit/fit.h"
#include <fcntl.h>
#include <pir/engine/compiled.h>
#include <pir/layer/compiled_magic.h>
#include <string.h>
#include <unistd.h>

static bool begins_compiled(const char *head, size_t size) {
  const size_t magic = sizeof COMPILED_MAGIC - 1;
  return size >= magic && !memcmp(head, COMPILED_MAGIC, magic);
}

bool run_is_compiled(const run *r, const char *path) {
  char head[sizeof COMPILED_MAGIC - 1];
  if (cli_is_stream(path)) {
    cli_file file;  // standard input is kept, for the one who opens it
    return !cli_file_read_named(r->cli, path, &file) &&
           begins_compiled(file.bytes.data, file.bytes.size);
  }
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  ssize_t n = fd < 0 ? -1 : pread(fd, head, sizeof head, 0);
  if (fd >= 0)
    close(fd);
  return n > 0 && begins_compiled(head, (size_t)n);
}

// What asks something of the program or of its compilation.
static int refuse_program_options(const run *r, const char *path) {
  static const struct {
    int id;
    const char *name;
  } options[] = {{OPT_PARAMS, "params"},     {OPT_PIPELINE, "pipeline"},
                 {OPT_MATH, "math"},         {OPT_ANY_FLOAT, "any-float"},
                 {OPT_CACHE, "cache"},       {OPT_MACHINE, "machine"},
                 {OPT_TUNE, "tune"},         {OPT_COMPILE_ONLY, "compile-only"},
                 {OPT_EXPLAIN, "explain"},   {OPT_SHOW, "show"},
                 {OPT_DUMP, "dump"},         {OPT_COMPARE, "compare"},
                 {OPT_VIEW, "view"},         {OPT_TRAIN, "train"},
                 {OPT_FIT, "fit"},           {OPT_GDB, "gdb"},
                 {OPT_PERF_MAP, "perf-map"}, {OPT_LOAD_PASSES, "load-passes"}};
  for (size_t i = 0; i < sizeof options / sizeof *options; i++)
    if (cli_has(r->cli, options[i].id))
      return cli_fail(r->cli, CLI_USAGE,
                      "--%s needs a program, and %s is a compiled model: give the file it was "
                      "compiled from",
                      options[i].name, path);
  return 0;
}

static int open_stream(run *r, const char *path, const pir_open_options *how) {
  cli_file file;
  int code = cli_file_read_named(r->cli, path, &file);
  if (code)
    return code;
  pir_borrowed bytes = {.data = file.bytes.data, .size = file.bytes.size};
  return cli_exit_code(pir_model_open(bytes, how, &r->model));
}

int run_open_compiled(run *r, const char *path) {
  pir_open_options how = {.size = sizeof how,
                          .target = cli_value(r->cli, OPT_TARGET, NULL),
                          .sink = cli_sink(r->cli),
                          .threads = r->threads};
  int code = refuse_program_options(r, path);
  if (code)
    return code;
  double start = run_now_ms();
  if (cli_is_stream(path))
    code = open_stream(r, path, &how);
  else
    code = cli_exit_code(pir_model_open_file(path, &how, &r->model));
  r->load_ms = run_now_ms() - start;
  return code;
}
