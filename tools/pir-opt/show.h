// --view=DIR: the steps of a pipeline as a page, DIR/index.html (docs/viewer/viewer.md).
#ifndef PIR_OPT_SHOW_H
#define PIR_OPT_SHOW_H

#include "../cli.h"
#include "../view/view.h"
#include "emit.h"

typedef struct showing {
  cli_run *cli;
  const char *folder;  // NULL: nothing is shown
  view *view;
} showing;

// Begins a page where `folder` is given, and hears diagnostics for it. `splits`: the file has
// several programs, which is refused. Returns an exit code.
int show_begin(cli_run *cli, const char *folder, bool splits, showing *out);
// Writes the page: the program as it is (NULL: it was not read), and the loops of its groups;
// with `form` assembly, that too. `code` is the exit code so far: where something failed the
// page has the diagnostics and `text`, the program's. Returns an exit code.
int show_end(showing *s, const pir_program *program, const emit_form *form,
             const emit_options *how, pir_str text, int code);

#endif
