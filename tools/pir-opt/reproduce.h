// --reproducer: writes the program on which a pass fails, and the remaining passes, into one
// file. --run-reproducer reads the passes from such a file.
#ifndef PIR_OPT_REPRODUCE_H
#define PIR_OPT_REPRODUCE_H

#include <pir/compiler/pass.h>

#include "../cli.h"

typedef struct reproducing {
  const cli_run *cli;
  const char *path;
  pir_pass_manager *manager;
} reproducing;

pir_pass_instrument reproduce_instrument(reproducing *r);
// Ends the reproducer: the file is kept if a pass failed.
void reproduce_end(const reproducing *r, bool failed);
// Returns the pipeline that a reproducer names; the caller frees it. NULL after reporting an
// error.
char *reproduce_pipeline(const cli_run *cli, pir_str text);

#endif
