// Reads rule files; an import is looked up beside the importing file.
#include "rules.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_IMPORTED = 64 };

// One file and its imports, open until it is compiled.
typedef struct reading {
  cli_run *cli;
  const char *path;
  char *names[MAX_IMPORTED];
  cli_file files[MAX_IMPORTED];
  size_t count;
} reading;

static pir_status open_file(reading *r, char *path, pir_str *out_text) {
  if (!path || r->count == MAX_IMPORTED || cli_file_read(r->cli, path, &r->files[r->count])) {
    free(path);
    return PIR_NOT_FOUND;
  }
  r->names[r->count] = path;
  *out_text = r->files[r->count++].bytes;
  return PIR_OK;
}

static pir_status read_beside(void *user, pir_str path, pir_str *out_text) {
  reading *r = user;
  const char *slash = strrchr(r->path, '/');
  size_t folder = slash ? (size_t)(slash - r->path) + 1 : 0;
  char *full = malloc(folder + path.size + 1);
  if (!full)
    return PIR_EXHAUSTED;
  memcpy(full, r->path, folder);
  memcpy(full + folder, path.data, path.size);
  full[folder + path.size] = 0;
  return open_file(r, full, out_text);
}

static int load_rule_file(cli_run *cli, pir_context *ctx, const char *path,
                          pir_rules **out_rules) {
  reading *r = calloc(1, sizeof *r);
  pir_str text;
  if (!r)
    return CLI_LIMIT;
  r->cli = cli;
  r->path = path;
  int code = open_file(r, strdup(path), &text) ? CLI_INVALID : 0;
  pir_rules_options options = {
      .size = sizeof options, .file = pir_str_from(path), .read = read_beside, .user = r};
  if (!code)
    code = cli_exit_code(pir_rules_load(ctx, text, &options, out_rules));
  for (size_t i = 0; i < r->count; i++) {
    cli_file_release(&r->files[i]);
    free(r->names[i]);
  }
  free(r);
  return code;
}

int rule_files_load(cli_run *cli, int id, pir_context *ctx, rule_files *out_files) {
  int worst = 0;
  out_files->count = 0;
  out_files->items = calloc(cli->match_count + 1, sizeof *out_files->items);
  if (!out_files->items)
    return CLI_LIMIT;
  for (size_t i = 0; i < cli->match_count; i++) {
    if (cli->matches[i].id != id)
      continue;
    int code =
        load_rule_file(cli, ctx, cli->matches[i].value, &out_files->items[out_files->count]);
    if (!code)
      out_files->count++;
    if (code > worst)
      worst = code;
  }
  return worst;
}

void rule_files_destroy(rule_files *files) {
  for (size_t i = 0; i < files->count; i++)
    pir_rules_destroy(files->items[i]);
  free(files->items);
  *files = (rule_files){0};
}
