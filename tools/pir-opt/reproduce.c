// Writes the file before every pass and removes it at the end, so that a crash leaves it
// behind. The first line is a comment with the passes; the rest is the program in the typed
// form, which loses nothing but parameter bytes.
#include "reproduce.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <pir/compiler/text.h>

#define HEADER "// pir-opt --run-reproducer, passes: "

static pir_status write_text(pir_writer out, const char *text) {
  return out.write(out.user, text, strlen(text)) ? PIR_OK : PIR_IO;
}

static pir_status write_reproducer(const reproducing *r, const pir_program *program,
                                   pir_writer out) {
  pir_print_options typed = {.size = sizeof typed, .form = PIR_TEXT_TYPED};
  PIR_TRY(write_text(out, HEADER));
  PIR_TRY(pir_pass_manager_print_rest(r->manager, out));
  PIR_TRY(write_text(out, "\n"));
  return pir_program_print(program, &typed, out);
}

static pir_status write_before_pass(void *user, const pir_pass *pass, pir_program *program) {
  const reproducing *r = user;
  cli_output out;
  if (cli_output_open(r->cli, r->path, &out))
    return PIR_IO;
  pir_status status = write_reproducer(r, program, cli_output_writer(&out));
  if (status)
    cli_output_abandon(&out);
  else if (cli_output_commit(r->cli, &out))
    status = PIR_IO;
  return status;
}

pir_pass_instrument reproduce_instrument(reproducing *r) {
  return (pir_pass_instrument){write_before_pass, NULL, r};
}

void reproduce_end(const reproducing *r, bool failed) {
  if (!failed)
    unlink(r->path);
}

char *reproduce_pipeline(const cli_run *cli, pir_str text) {
  const size_t size = sizeof HEADER - 1;
  if (text.size < size || memcmp(text.data, HEADER, size) != 0) {
    cli_fail(cli, CLI_INVALID, "--run-reproducer: the file does not start with '%s'", HEADER);
    return NULL;
  }
  const char *stop = memchr(text.data, '\n', text.size);
  return strndup(text.data + size,
                 (size_t)((stop ? stop : text.data + text.size) - text.data) - size);
}
