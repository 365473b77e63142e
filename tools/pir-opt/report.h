#ifndef PIR_OPT_REPORT_H
#define PIR_OPT_REPORT_H

#include "cli.h"

// --report: where notes go that passes make of their work. Notes that explain an error or a
// warning are printed with it.
typedef struct reporting {
  cli_run *cli;
  cli_output output;
  bool explains;  // the last diagnostic but notes was an error or a warning
} reporting;

// Opens the file and takes the notes of the run from now on. Returns an exit code.
int report_begin(cli_run *cli, const char *path, reporting *out_reporting);
// Ends that, and writes the file unless `code` is a failure. Returns the exit code of the run.
int report_end(reporting *r, int code);

#endif
