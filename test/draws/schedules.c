// Random programs of one op under random schedules: large enough that kernels share their loops
// among threads.
#include "../../tools/ports.h"
#include "draws.h"

#include <scheduler.h>

#include <stdlib.h>

enum { TURNS = 4 };

static bool same_outputs(const draw_run *one, pir_session *other, const char *how,
                         draw_report *r) {
  for (size_t i = 0; i < one->output_count; i++) {
    pir_tensor tensor;
    int64_t at = -1;
    if (!pir_session_output(other, i, &tensor) &&
        scheduler_same_bits(&one->outputs[i], &tensor, &at))
      continue;
    snprintf(r->text, sizeof r->text,
             "%s: output %zu has other bits than on one thread, first in element %lld", how, i,
             (long long)at);
    return false;
  }
  return true;
}

// Whether a session under that schedule gives the bits of the run.
static bool same_under(const draw_run *one, scheduler *s, const char *how, draw_report *r) {
  pir_session_options options = {.size = sizeof options, .parallel = scheduler_parallel(s)};
  pir_session *session = NULL;
  pir_status status = pir_session_create(one->model, &options, &session);
  for (size_t i = 0; i < one->input_count && !status; i++)
    status = pir_session_bind_input(session, i, &one->inputs[i]);
  if (!status)
    status = pir_session_run(session);
  bool same = !status && same_outputs(one, session, how, r);
  if (status)
    snprintf(r->text, sizeof r->text, "%s: %s", how, pir_session_message(session));
  pir_session_destroy(session);
  return same;
}

static bool same_always(draw *d, const draw_run *one, const char *name, draw_report *r) {
  char how[96];
  scheduler s;
  for (uint64_t turn = 0; turn < TURNS; turn++) {
    scheduler_start(&s, d->random, turn);
    snprintf(how, sizeof how, "%s, schedule %llu, %d threads", name, (unsigned long long)turn,
             s.threads);
    if (!same_under(one, &s, how, r))
      return false;
  }
  return true;
}

draw_verdict draw_judge_schedules(draw *d, draw_report *r) {
  static const char *const targets[] = {NULL, NULL, "x86-64", "x86-64-v3"};
  draw_run *kernels = calloc(1, sizeof *kernels), *compiled = calloc(1, sizeof *compiled);
  const char *target = targets[draw_below(d, 4)];
  draw_verdict verdict = DRAW_FAILED;
  if (!kernels || !compiled)
    snprintf(r->text, sizeof r->text, "out of memory");
  else if (!draw_find_program(d, kernels, r))
    verdict = DRAW_UNFIT;
  else if (kernels->status)
    snprintf(r->text, sizeof r->text, "kernels: %s", kernels->text);
  else if (draw_start(d, DRAW_AS_IS, DRAW_COMPILE, target, compiled) ||
           draw_feed(d, compiled, 0, 0))
    snprintf(r->text, sizeof r->text, "compiled code: %s", compiled->text);
  else
    verdict =
        same_always(d, kernels, "kernels", r) && same_always(d, compiled, "compiled code", r)
            ? DRAW_AGREES
            : DRAW_DIFFERENT;
  if (compiled && compiled->model)
    r->compiled = model_stats(compiled->model).kernels_compiled > 0;
  if (kernels && compiled) {
    draw_stop(kernels);
    draw_stop(compiled);
  }
  free(kernels);
  free(compiled);
  return verdict;
}
