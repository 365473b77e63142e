#include "show.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

static void take_shown_diag(void *user, const pir_diag *diag) {
  showing *s = user;
  view_add_diag(s->view, diag);
  cli_print_diag(s->cli, diag);
}

int show_begin(cli_run *cli, const char *folder, bool splits, showing *out) {
  *out = (showing){.cli = cli, .folder = folder};
  if (!folder)
    return 0;
  if (splits)
    return cli_fail(cli, CLI_USAGE, "--view shows one program, not the parts of a file");
  if (cli->intercept)
    return cli_fail(cli, CLI_USAGE,
                    "--view, --report and --verify-diagnostics: only one of "
                    "them takes the diagnostics");
  out->view = view_create(cli->file_count ? cli->files[0] : "-");
  if (!out->view)
    return cli_fail(cli, CLI_LIMIT, "out of memory");
  cli->intercept = take_shown_diag;
  cli->intercept_user = out;
  return 0;
}

static int add_code(showing *s, const pir_program *program, const emit_form *form,
                    const emit_options *how) {
  pir_target target;
  pir_math math;
  const char *name = how->target ? how->target : "native";
  if (pir_target_describe(name, &target))
    return cli_bad_value(s->cli, "target", name, pir_target_names());
  if (target.device)
    return 0;
  if (pir_math_named(how->math ? how->math : "strict", &math))
    return cli_bad_value(s->cli, "math", how->math, pir_math_names());
  pir_status status = view_add_code(s->view, program, &target, math, PIR_CODE_LOOPS);
  if (!status && form->code == PIR_CODE_ASSEMBLY && !form->def)
    status = view_add_code(s->view, program, &target, math, PIR_CODE_ASSEMBLY);
  return cli_exit_code(status);
}

// The folder is made if there is none.
static int write_page(showing *s) {
  cli_output output;
  char *path = NULL;
  if (mkdir(s->folder, 0777) && errno != EEXIST)
    return cli_fail(s->cli, CLI_INVALID, "%s: cannot be created: %s", s->folder,
                    strerror(errno));
  if (asprintf(&path, "%s/index.html", s->folder) < 0)
    return cli_fail(s->cli, CLI_LIMIT, "out of memory");
  int code = cli_output_open(s->cli, path, &output);
  if (!code) {
    code = cli_exit_code(view_write(s->view, cli_output_writer(&output)));
    if (code)
      cli_output_abandon(&output);
    else
      code = cli_output_commit(s->cli, &output);
  }
  free(path);
  return code;
}

int show_end(showing *s, const pir_program *program, const emit_form *form,
             const emit_options *how, pir_str text, int code) {
  if (!s->view)
    return code;
  if (program && (code || !view_steps(s->view)))
    view_add_step(s->view, program, code ? "where it failed" : "program", -1);
  if (code && pir_detect_format(text) == PIR_FORMAT_TEXT)
    view_set_source(s->view, text);
  if (!code)
    code = add_code(s, program, form, how);
  s->cli->intercept = NULL;
  int written = write_page(s);
  view_destroy(s->view);
  return code ? code : written;
}
