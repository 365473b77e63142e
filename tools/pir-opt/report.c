// Writes the notes of passes as lines with the place, a tab and the message.
#include "report.h"

#include <stdio.h>

static void put(reporting *r, const char *data, size_t size) {
  pir_writer out = cli_output_writer(&r->output);
  out.write(out.user, data, size);  // cli_output_commit reports a failure
}

static void put_place(reporting *r, const pir_diag *diag) {
  const pir_loc_parts *place = &diag->place;
  char text[64] = "";
  int n = 0;
  put(r, place->file.data, place->file.size);
  if (place->is_offset)
    n = snprintf(text, sizeof text, ":+0x%llx", (unsigned long long)place->offset);
  else if (place->line)
    n = snprintf(text, sizeof text, ":%u:%u", place->line, place->column);
  put(r, text, (size_t)n);
  if (diag->op_path.size) {
    put(r, " ", place->file.size ? 1 : 0);
    put(r, diag->op_path.data, diag->op_path.size);
  }
}

static void take_diag(void *user, const pir_diag *diag) {
  reporting *r = user;
  bool note = diag->severity == PIR_NOTE && !r->explains;
  if (diag->severity != PIR_NOTE)
    r->explains = diag->severity == PIR_ERROR || diag->severity == PIR_WARNING;
  if (!note) {
    cli_print_diag(r->cli, diag);
    return;
  }
  put_place(r, diag);
  put(r, "\t", 1);
  put(r, diag->message.data, diag->message.size);
  put(r, "\n", 1);
}

int report_begin(cli_run *cli, const char *path, reporting *out) {
  *out = (reporting){.cli = cli};
  int code = cli_output_open(cli, path, &out->output);
  if (code)
    return code;
  cli->intercept = take_diag;
  cli->intercept_user = out;
  return 0;
}

int report_end(reporting *r, int code) {
  r->cli->intercept = NULL;
  if (!code)
    return cli_output_commit(r->cli, &r->output);
  cli_output_abandon(&r->output);
  return code;
}
