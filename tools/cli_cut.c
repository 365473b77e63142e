// Options that cut a part out of a program.
#include "cli.h"

#include <pir/compiler/pass.h>
#include <stdlib.h>
#include <string.h>

// Puts the names of one option behind the text; the pass wants bars for commas.
static char *append_names(char *at, const char *key, const char *names) {
  if (!names)
    return at;
  at = stpcpy(stpcpy(at, key), names);
  for (char *c = at - strlen(names); *c; c++)
    if (*c == ',')
      *c = '|';
  return at;
}

int cli_add_cut(const cli_run *cli, int outputs, int inputs, pir_pass_manager *manager) {
  const char *to = cli_value(cli, outputs, NULL), *from = cli_value(cli, inputs, NULL);
  if (!to && !from)
    return CLI_OK;
  char *text = malloc(64 + (to ? strlen(to) : 0) + (from ? strlen(from) : 0));
  if (!text)
    return cli_fail(cli, CLI_LIMIT, "out of memory");
  char *at = append_names(stpcpy(text, "cut_pass{"), "outputs=", to);
  if (to && from)
    at = stpcpy(at, ",");
  stpcpy(append_names(at, "inputs=", from), "}");
  pir_status status = pir_pass_manager_parse(manager, pir_str_from(text));
  free(text);
  return status ? CLI_USAGE : CLI_OK;
}
