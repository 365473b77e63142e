// --lod=NAME=[[0,2,5]]: where the sequences of an input begin and end, a list a level, the
// finest last.
#include "run.h"
#include <stdlib.h>
#include <string.h>

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

// Reads "[[0,2],[0,3,5]]" up to its end.
static bool parse_levels(const char *text, run_lod *lod) {
  uint64_t *to = lod->offsets;
  if (*text++ != '[')
    return false;
  do {
    if (lod->count == PIR_MAX_RANK || *text++ != '[')
      return false;
    lod->levels[lod->count] = to;
    do {
      char *end;
      if (*text < '0' || *text > '9')
        return false;
      *to++ = strtoull(text, &end, 10);
      text = end;
    } while (*text++ == ',');
    if (text[-1] != ']')
      return false;
    lod->sizes[lod->count] = (size_t)(to - lod->levels[lod->count]);
    lod->count++;
  } while (*text++ == ',');
  return text[-1] == ']' && !*text;
}

static int take(run *r, const char *text) {
  static const char expected[] = "NAME=[[0,2,5]], a list of offsets a level";
  const char *equals = strchr(text, '=');
  long i = equals ? run_input_index(r, text, (size_t)(equals - text)) : -1;
  if (!equals)
    return cli_bad_value(r->cli, "lod", text, expected);
  if (i < 0)
    return cli_fail(r->cli, CLI_USAGE, "the model has no input \"%.*s\"", (int)(equals - text),
                    text);
  run_lod *lod = calloc(
      1, sizeof *lod + strlen(text) * sizeof *lod->offsets);  // a number has at least one digit
  if (!lod)
    return CLI_LIMIT;
  lod->next = r->lods;
  r->lods = lod;
  if (!parse_levels(equals + 1, lod))
    return cli_bad_value(r->cli, "lod", text, expected);
  pir_tensor *tensor = &r->inputs[i].tensor;
  tensor->lod = lod->levels, tensor->lod_sizes = lod->sizes, tensor->lod_levels = lod->count;
  return 0;
}

int run_take_lods(run *r) {
  run_drop_lods(r);
  int code = 0;
  for (size_t i = 0; i < r->cli->match_count && !code; i++)
    if (r->cli->matches[i].id == OPT_LOD)
      code = take(r, r->cli->matches[i].value);
  return code;
}
