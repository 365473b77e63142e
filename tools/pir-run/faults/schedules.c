// Runs on any number of threads, under any schedule. Each turn runs the model in a session of
// its own, under a random scheduler or on the library's pool. The outputs must have the bits of
// a run on one thread.
#include "faults.h"

#include <scheduler.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- turns

// Runs the inputs in a new session, which the caller destroys, also after a failure.
static int run_anew(run *r, pir_session_options *how, pir_session **out_session) {
  pir_status status = run_new_session(r, how, out_session);
  if (!status)
    status = pir_session_run(*out_session);
  if (status)
    return cli_fail(r->cli, cli_exit_code(status), "%s",
                    *out_session ? pir_session_message(*out_session) : "no session");
  return 0;
}

static int compare_bits(const run *r, pir_session *one, pir_session *other, const char *how) {
  for (size_t i = 0; i < pir_model_outputs(r->model); i++) {
    pir_tensor a, b;
    int64_t at;
    if (pir_session_output(one, i, &a) || pir_session_output(other, i, &b))
      return cli_fail(r->cli, CLI_INTERNAL, "output %zu is missing", i);
    if (!scheduler_same_bits(&a, &b, &at))
      return cli_fail(r->cli, CLI_DIFFERENT,
                      "%s: output %zu has other bits than on one thread, first in element %lld",
                      how, i, (long long)at);
  }
  return 0;
}

// Odd turns use the library's pool.
static int run_turn(run *r, pir_session *one, uint64_t turn) {
  scheduler s;
  scheduler_start(&s, r->schedule_seed, turn);
  pir_session_options options = {.size = sizeof options};
  char how[96];
  snprintf(how, sizeof how, "schedule %llu, %d threads%s", (unsigned long long)turn, s.threads,
           turn % 2 ? " of the pool" : "");
  if (turn % 2)
    options.threads = s.threads;
  else
    options.parallel = scheduler_parallel(&s);
  pir_session *other = NULL;
  int code = run_anew(r, &options, &other);
  if (!code)
    code = compare_bits(r, one, other, how);
  pir_session_destroy(other);
  return code;
}

int run_schedules(run *r) {
  pir_session_options serial = {.size = sizeof serial};
  pir_session *one = NULL;
  if (!r->schedules)
    return 0;
  int code = run_anew(r, &serial, &one);
  for (uint64_t turn = 0; turn < r->schedules && !code; turn++)
    code = run_turn(r, one, turn);
  pir_session_destroy(one);
  return code;
}

int run_read_schedules(run *r) {
  const char *text = cli_value(r->cli, OPT_SCHEDULES, NULL);
  char number[32] = {0};
  size_t size = text ? strcspn(text, ":") : 0;
  if (!text)
    return 0;
  if (size < sizeof number)
    memcpy(number, text, size);
  bool good = cli_parse_u64(number, &r->schedules) && r->schedules;
  if (good && text[size])
    good = cli_parse_u64(text + size + 1, &r->schedule_seed);
  return good ? 0 : cli_bad_value(r->cli, "schedules", text, "N or N:SEED, N above 0");
}
