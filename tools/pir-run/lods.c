// --lod=NAME=[[0,2,5]], and the same in lod_NAME.json of a case: the offsets of an input's
// sequences, one list for each level, the finest last. The option takes precedence over a file.
#include "run.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// One option's numbers, in memory of their own.
struct run_lod {
  run_lod *next;
  const uint64_t *levels[PIR_MAX_RANK];
  size_t sizes[PIR_MAX_RANK], count;
  uint64_t offsets[];
};

void run_drop_lods(run *r) {
  while (r->lods) {
    run_lod *next = r->lods->next;
    free(r->lods);
    r->lods = next;
  }
}

// The next character that is no blank.
static char peek(const char **text) {
  while (**text && strchr(" \t\r\n", **text))
    ++*text;
  return **text;
}

static bool accept_char(const char **text, char wanted) {
  if (peek(text) != wanted)
    return false;
  ++*text;
  return true;
}

// Reads "0,3,5]".
static bool parse_level(const char **text, uint64_t **to) {
  do {
    char *end;
    if (peek(text) < '0' || **text > '9')
      return false;
    *(*to)++ = strtoull(*text, &end, 10);
    *text = end;
  } while (accept_char(text, ','));
  return accept_char(text, ']');
}

// Reads "[[0,2],[0,3,5]]" up to its end.
static bool parse_levels(const char *text, run_lod *lod) {
  uint64_t *to = lod->offsets;
  if (!accept_char(&text, '['))
    return false;
  do {
    if (lod->count == PIR_MAX_RANK || !accept_char(&text, '['))
      return false;
    lod->levels[lod->count] = to;
    if (!parse_level(&text, &to))
      return false;
    lod->sizes[lod->count] = (size_t)(to - lod->levels[lod->count]);
    lod->count++;
  } while (accept_char(&text, ','));
  return accept_char(&text, ']') && !peek(&text);
}

// NULL if the text is no such list, or memory runs out.
static run_lod *read_lod(run *r, const char *text) {
  run_lod *lod = calloc(
      1, sizeof *lod + strlen(text) * sizeof *lod->offsets);  // a number has at least one digit
  if (!lod)
    return NULL;
  lod->next = r->lods;
  r->lods = lod;
  return parse_levels(text, lod) ? lod : NULL;
}

static void use_lod(run *r, size_t input, const run_lod *lod) {
  pir_tensor *tensor = &r->inputs[input].tensor;
  tensor->lod = lod->levels;
  tensor->lod_sizes = lod->sizes;
  tensor->lod_levels = lod->count;
}

static int take_lod_option(run *r, const char *text) {
  static const char expected[] = "NAME=[[0,2,5]], a list of offsets a level";
  const char *equals = strchr(text, '=');
  long i = equals ? run_input_index(r, text, (size_t)(equals - text)) : -1;
  if (!equals)
    return cli_bad_value(r->cli, "lod", text, expected);
  if (i < 0)
    return cli_fail(r->cli, CLI_USAGE, "the model has no input \"%.*s\"", (int)(equals - text),
                    text);
  const run_lod *lod = read_lod(r, equals + 1);
  if (!lod)
    return cli_bad_value(r->cli, "lod", text, expected);
  use_lod(r, (size_t)i, lod);
  return 0;
}

static int take_lod_file(run *r, const char *folder, size_t input) {
  char path[4096];
  cli_file file;
  pir_str name = input_port(r->model, input).name;
  snprintf(path, sizeof path, "%s/lod_%s.json", folder, name.data);
  if (!pir_is_file_name(name) || access(path, R_OK))
    return 0;
  int code = cli_file_read(r->cli, path, &file);
  if (code)
    return code;
  char *text = strndup(file.bytes.data, file.bytes.size);
  const run_lod *lod = text ? read_lod(r, text) : NULL;
  free(text);
  cli_file_release(&file);
  if (!lod)
    return cli_fail(r->cli, CLI_INVALID, "%s: expects [[0,2,5]], a list of offsets a level",
                    path);
  use_lod(r, input, lod);
  return 0;
}

int run_take_lods(run *r, const char *folder) {
  int code = 0;
  run_drop_lods(r);
  for (size_t i = 0; folder && i < pir_model_inputs(r->model) && !code; i++)
    code = take_lod_file(r, folder, i);
  for (size_t i = 0; i < r->cli->match_count && !code; i++)
    if (r->cli->matches[i].id == OPT_LOD)
      code = take_lod_option(r, r->cli->matches[i].value);
  return code;
}
