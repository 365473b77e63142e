// --params-out: the parameters of a program in one file, or in a folder with one file each.
#include "params.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <pir/compiler/params.h>

static int record_code(const cli_run *cli, const pir_param *param, pir_status status) {
  if (status != PIR_UNSUPPORTED)
    return cli_exit_code(status);
  return cli_fail(cli, CLI_UNSUPPORTED,
                  "unsupported: parameter '%.*s': no parameter file holds %s",
                  (int)param->name.size, param->name.data, pir_dtype_name(param->dtype));
}

// Writes records to one file.
static int write_record_file(const cli_run *cli, const char *path,
                             const pir_param *const *params, size_t count) {
  cli_output output;
  int code = cli_output_open(cli, path, &output);
  if (code)
    return code;
  for (size_t i = 0; i < count && !code; i++)
    code = record_code(cli, params[i], pir_param_write(params[i], cli_output_writer(&output)));
  if (!code)
    return cli_output_commit(cli, &output);
  cli_output_abandon(&output);
  return code;
}

static bool is_folder(const char *path) {
  struct stat info;
  size_t n = strlen(path);
  return (n && path[n - 1] == '/') || (!stat(path, &info) && S_ISDIR(info.st_mode));
}

static int write_separate(const cli_run *cli, const char *folder, const pir_param *param) {
  if (!pir_is_file_name(param->name))
    return cli_fail(cli, CLI_INVALID, "parameter name '%.*s' is no file name inside a folder",
                    (int)param->name.size, param->name.data);
  size_t n = strlen(folder);
  char *path = malloc(n + param->name.size + 2);
  if (!path)
    return cli_fail(cli, CLI_LIMIT, "out of memory");
  memcpy(path, folder, n);
  path[n] = '/';
  memcpy(path + n + 1, param->name.data, param->name.size);
  path[n + 1 + param->name.size] = 0;
  int code = write_record_file(cli, path, &param, 1);
  free(path);
  return code;
}

static int write_folder(const cli_run *cli, const char *folder, const pir_param *const *params,
                        size_t count) {
  int code = 0;
  bool created = !mkdir(folder, 0777);
  if (!created && errno != EEXIST)
    return cli_fail(cli, CLI_INVALID, "%s: cannot make the folder: %s", folder,
                    strerror(errno));
  for (size_t i = 0; i < count && !code; i++)
    code = write_separate(cli, folder, params[i]);
  if (code && created)
    (void)rmdir(folder);  // unless it holds files by now
  return code;
}

// ---- what passes make

int params_list(const cli_run *cli, const pir_program *program, named_params *out_params) {
  bool any = pir_program_params(program);
  size_t capacity = any ? pir_program_param_decls(program, NULL, 0) : 0;
  *out_params = (named_params){.items = calloc(capacity + 1, sizeof *out_params->items)};
  if (!out_params->items)
    return cli_fail(cli, CLI_LIMIT, "out of memory");
  if (any)
    out_params->count = pir_program_param_decls(program, out_params->items, capacity);
  return 0;
}

void params_free(named_params *params) {
  free(params->items);
  *params = (named_params){0};
}

static int compare_names(const void *a, const void *b) {
  const pir_param_decl *x = a, *y = b;
  return pir_str_compare(x->name, y->name);
}

static bool holds_name(const named_params *params, const pir_param_decl *decl) {
  return params->count &&
         bsearch(decl, params->items, params->count, sizeof *decl, compare_names);
}

int params_warn_lost(const cli_run *cli, const pir_program *program, const char *file,
                     const named_params *before) {
  pir_context *ctx = pir_program_context(program);
  const pir_param_decl *first = NULL;
  named_params now;
  size_t lost = 0;
  int code = params_list(cli, program, &now);
  if (code)
    return code;
  for (size_t i = now.count; i--;) {
    if (holds_name(before, &now.items[i]) || !pir_program_param(program, now.items[i].name))
      continue;
    first = &now.items[i];
    lost++;
  }
  if (lost)
    pir_ignore(
        pir_report(ctx, PIR_OK, PIR_WARNING, pir_loc_text(ctx, pir_str_from(file), 0, 0),
                   "the passes made the values of %zu parameters ('%.*s', ..), which are not "
                   "written: --params-out=FILE "
                   "keeps them",
                   lost, (int)first->name.size, first->name.data));
  params_free(&now);
  return 0;
}

// ---- files

int params_write_beside(const cli_run *cli, const pir_program *program, pir_format format,
                        const char *path, cli_output *program_output) {
  const pir_param **params;
  size_t count;
  int code = cli_output_flush(cli, program_output);
  if (code)
    return code;
  code = cli_exit_code(pir_program_saved_params(program, format, &params, &count));
  if (code)
    return code;
  code = is_folder(path) ? write_folder(cli, path, params, count)
                         : write_record_file(cli, path, params, count);
  free(params);
  return code;
}
