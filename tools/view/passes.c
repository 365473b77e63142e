// Steps of a pipeline, with the time of each pass.
#include <time.h>

#include "view_data.h"

static double now_ms(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static pir_status step_before_pass(void *user, const pir_pass *pass, pir_program *program) {
  view *v = user;
  (void)pass;
  if (!v->step_count)
    view_add_step(v, program, "input", -1);
  v->pass_ms = now_ms();
  return PIR_OK;
}

static pir_status step_after_pass(void *user, const pir_pass *pass, pir_program *program) {
  view *v = user;
  view_add_step(v, program, pass->name, now_ms() - v->pass_ms);
  return PIR_OK;
}

size_t view_steps(const view *v) {
  return v->step_count;
}

pir_pass_instrument view_instrument(view *v) {
  return (pir_pass_instrument){step_before_pass, step_after_pass, v};
}
