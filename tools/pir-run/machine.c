// --machine: by which costs of the processor code is chosen. Prints them, as measured or as the
// library's table has them, and has the model made with them.
#include "run.h"

#include <pir/layer/machine_record.h>

#include <stdio.h>

static bool write_out(void *user, const char *data, size_t size) {
  return fwrite(data, 1, size, user) == size;
}

const char *run_machine_use(const run *r) {
  const char *use = cli_value(r->cli, OPT_MACHINE, NULL);
  return use || !cli_has(r->cli, OPT_MACHINE) ? use : "measured";
}

const char *run_cache(const run *r) {
  const char *cache = cli_value(r->cli, OPT_CACHE, NULL);
  return cache && strcmp(cache, "none") != 0 ? cache : NULL;
}

static int find_target(const run *r, pir_target *out) {
  const char *name = cli_value(r->cli, OPT_TARGET, NULL);
  pir_status status = pir_target_describe(name, out);
  if (!status && out->device)
    return cli_fail(r->cli, CLI_UNSUPPORTED, "unsupported: --machine of a device");
  if (status)
    return cli_fail(r->cli, cli_exit_code(status), "target \"%s\" is not known; known: %s",
                    name, pir_target_names());
  return 0;
}

static int print_machine(const run *r, pir_machine_use use) {
  pir_machine_record *record;
  pir_target target;
  pir_message text;
  int code = find_target(r, &target);
  if (code)
    return code;
  pir_status status = pir_machine_record_find(cli_value(r->cli, OPT_TARGET, NULL), run_cache(r),
                                              use, &text, &record);
  if (status)
    return cli_fail(r->cli, cli_exit_code(status), "%s",
                    *text.text ? text.text : "out of memory");
  if (*text.text)
    cli_print_diag(r->cli, &(pir_diag){.size = sizeof(pir_diag),
                                       .severity = PIR_NOTE,
                                       .message = pir_str_from(text.text)});
  pir_target_use_record(&target, record);
  status = pir_machine_write(&target, record, r->json, (pir_writer){write_out, stdout});
  pir_machine_record_release(record);
  return cli_exit_code(status);
}

double run_memory_read(const run *r, pir_message *remark) {
  pir_machine_use use;
  pir_machine_record *record = NULL;
  remark->text[0] = 0;
  if (pir_machine_use_named(run_machine_use(r), &use) ||
      pir_machine_record_find(cli_value(r->cli, OPT_TARGET, NULL), run_cache(r), use, remark,
                              &record))
    return 0;
  double rate = pir_machine_memory_read(record, r->threads > 1);
  pir_machine_record_release(record);
  return rate;
}

int run_machine(const run *r, bool alone) {
  const char *given = cli_value(r->cli, OPT_MACHINE, NULL);
  pir_machine_use use;
  if (!cli_has(r->cli, OPT_MACHINE))
    return 0;
  int code = cli_check_machine(r->cli, given);
  if (code)
    return code;
  pir_ignore(pir_machine_use_named(run_machine_use(r), &use));
  return given && !alone ? 0 : print_machine(r, use);
}
