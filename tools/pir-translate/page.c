#include "page.h"

#include <pir/compiler/params.h>
#include <stdlib.h>

// Pages of text that is larger than this have only its beginning.
enum { MOST_SOURCE = 4 << 20 };

static void take_page_diag(void *user, const pir_diag *diag) {
  page *p = user;
  if (diag->severity == PIR_ERROR && !p->errors)
    p->errors = diag->place.is_offset ? 0 : diag->place.line;
  if (p->view)
    view_add_diag(p->view, diag);
  cli_print_diag(p->cli, diag);
}

void page_begin(cli_run *cli, pir_context *ctx, const cli_file *file, page *out_page) {
  *out_page = (page){.cli = cli, .ctx = ctx, .file = file, .view = view_create(file->name)};
  cli->intercept = take_page_diag;
  cli->intercept_user = out_page;
}

// Parameters that do not fit the program are only diagnostics of the page.
static void find_params(page *p, pir_program *program) {
  size_t count = pir_program_param_decls(program, NULL, 0);
  pir_param_decl *decls = calloc(count + 1, sizeof *decls);
  char *path = NULL;
  bool found = decls && count && pir_program_params(program) == 0 && p->file->name[0] != '-' &&
               !pir_params_find(p->file->found ? p->file->found : p->file->name, &path);
  if (found && pir_program_param_decls(program, decls, count) == count)
    pir_ignore(pir_program_map_params(program, decls, count, path));
  free(path);
  free(decls);
}

int page_write(page *p, pir_program *program, pir_writer out) {
  if (!p->view)
    return cli_fail(p->cli, CLI_LIMIT, "out of memory");
  find_params(p, program);
  view_add_step(p->view, program, "program", -1);
  return cli_exit_code(view_write(p->view, out));
}

// Reads the lines in front of the first error as a part of a program. Errors in them
// are no news.
static pir_program *read_beginning(page *p) {
  pir_str text = p->file->bytes;
  pir_program *program = NULL;
  size_t end = 0;
  for (uint32_t line = 1; line < p->errors && end < text.size; line++) {
    const char *next = memchr(text.data + end, '\n', text.size - end);
    end = next ? (size_t)(next - text.data) + 1 : text.size;
  }
  if (!end || pir_detect_format(text) != PIR_FORMAT_TEXT)
    return NULL;
  pir_read_options options = {.size = sizeof options,
                              .format = PIR_FORMAT_TEXT,
                              .file = pir_str_from(p->file->name),
                              .fragment = true};
  pir_context_set_sink(p->ctx, (pir_diag_sink){0});
  pir_ignore(pir_program_read_as(p->ctx, (pir_str){text.data, end}, &options, &program));
  return program;
}

void page_write_broken(page *p, pir_program *program) {
  cli_output output;
  pir_program *beginning = program || !p->view ? NULL : read_beginning(p);
  const pir_program *shown = program ? program : beginning;
  pir_str text = p->file->bytes;
  if (text.size > MOST_SOURCE)
    text.size = MOST_SOURCE;
  if (p->view && pir_detect_format(text) != PIR_FORMAT_PDMODEL)
    view_set_source(p->view, text);
  if (p->view && shown)
    view_add_step(p->view, shown, "as far as it was read", -1);
  if (p->view && !cli_output_open(p->cli, p->cli->output, &output)) {
    if (view_write(p->view, cli_output_writer(&output)))
      cli_output_abandon(&output);
    else
      cli_output_commit(p->cli, &output);
  }
  if (beginning)
    pir_program_destroy(beginning);
}

void page_end(page *p) {
  p->cli->intercept = NULL;
  view_destroy(p->view);
}
