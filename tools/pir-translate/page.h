// --to=html: a program as one self-contained page (docs/viewer/viewer.md), also one that is
// broken: the page then has the diagnostics and as much of the program as could be read.
#ifndef PIR_TRANSLATE_PAGE_H
#define PIR_TRANSLATE_PAGE_H

#include "../cli.h"
#include "../view/view.h"

typedef struct page {
  cli_run *cli;
  pir_context *ctx;
  const cli_file *file;
  view *view;       // NULL: no memory
  uint32_t errors;  // lines of text up to the first error; 0: there was none
} page;

// Begins to hear the diagnostics of the run, which are still printed.
void page_begin(cli_run *cli, pir_context *ctx, const cli_file *file, page *out_page);
// Writes the page of a program, with statistics of its parameters where they lie beside the
// file. Returns an exit code.
int page_write(page *p, pir_program *program, pir_writer out);
// Writes the page of a file that was refused: of `program`, or of the ops in front of the first
// error if that is NULL. Failures are reported.
void page_write_broken(page *p, pir_program *program);
void page_end(page *p);

#endif
