// --ops: declarations of operators, read before everything else; an include is looked up
// beside the file that has it.
#include "cli.h"

#include <pir/engine/custom.h>

#include <stdlib.h>
#include <string.h>

enum { MOST_OPENED = 64 };

// The files of one option, open until they are read.
typedef struct ops_files {
  cli_run *cli;
  cli_file files[MOST_OPENED];
  size_t count;
} ops_files;

static pir_status open_ops(void *user, pir_str path, pir_str *out_text) {
  ops_files *f = user;
  char *name = strndup(path.data, path.size);
  bool open =
      name && f->count < MOST_OPENED && !cli_file_read(f->cli, name, &f->files[f->count]);
  free(name);
  if (!open)
    return PIR_NOT_FOUND;
  *out_text = f->files[f->count++].bytes;
  return PIR_OK;
}

static pir_status declare_file(cli_run *cli, ops_files *f, const char *path) {
  pir_str text;
  pir_message message = {{0}};
  size_t errors = cli->errors;
  pir_ops_options options = {.size = sizeof options,
                             .file = pir_str_from(path),
                             .read = open_ops,
                             .user = f,
                             .sink = cli_sink(cli)};
  PIR_TRY(open_ops(f, options.file, &text));
  pir_status status = cli->custom_ops ? PIR_OK : pir_custom_set_create(NULL, &cli->custom_ops);
  if (!status)
    status = pir_custom_set_declare(cli->custom_ops, text, &options, &message);
  if (status && cli->errors == errors)  // the sink got none
    cli_fail(cli, cli_exit_code(status), "%s", *message.text ? message.text : "out of memory");
  return status;
}

int cli_load_ops(cli_run *cli, const char *path) {
  ops_files *f = calloc(1, sizeof *f);
  if (!f)
    return cli_fail(cli, CLI_LIMIT, "out of memory");
  f->cli = cli;
  pir_status status = declare_file(cli, f, path);
  for (size_t i = 0; i < f->count; i++)
    cli_file_release(&f->files[i]);
  free(f);
  return status ? cli_exit_code(status) : -1;
}
