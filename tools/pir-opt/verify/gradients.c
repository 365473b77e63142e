// The gradients of a program beside differences (gradients.h).
#include "gradients.h"

#include "../../slopes.h"
#include "numbers.h"
#include "place.h"
#include "widen.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { POINTS = 16, UNKNOWN_EXTENT = 2 };

typedef struct checked {
  cli_run *cli;
  const pir_program *program;  // as it was read, with its parameters
  uint64_t seed;
  size_t inputs;  // of floats
  int done, agree, beyond, rough, constant, faint;
  double largest;
} checked;

// ---- numbers

static double unit_number(uint64_t *state) {
  return (double)(cli_random(state) >> 11) * 0x1p-53;
}

static void take_param(const pir_param *param, pir_tensor *out) {
  pir_tensor from = {.data = (void *)(uintptr_t)param->data};
  pir_tensor_set_dense(&from, param->dtype, param->shape.dims, (int32_t)param->shape.rank);
  pir_ignore(pir_tensor_copy(&from, out));  // both are dense, and of one shape
}

// Floats are in [-1, 1) or, for every second name, in [0.25, 1.75); integers are 0 or 1. At
// later points parameters are off by a little, which leaves places that are not smooth.
static void feed_input(void *user, int point, pir_str name, pir_tensor *tensor) {
  const checked *c = user;
  const pir_param *param = pir_program_param(c->program, name);
  uint64_t state = numbers_seed(name, c->seed + (uint64_t)point);
  bool complex = pir_dtype_is_complex(tensor->dtype), positive = cli_random(&state) & 1;
  int64_t count = pir_tensor_numel(tensor) * (complex ? 2 : 1);
  size_t size = pir_dtype_size(tensor->dtype);
  if (param && param->data)
    take_param(param, tensor);
  for (int64_t i = 0; i < count; i++) {
    double d = 2 * unit_number(&state) - 1, *at = (double *)tensor->data + i;
    uint64_t whole = cli_random(&state) >> 63;
    bool wide = complex || tensor->dtype == PIR_F64;
    if (param && param->data && wide)
      *at += point ? 0x1p-6 * d * fmax(fabs(*at), 0x1p-4) : 0;
    else if (wide)
      *at = positive ? 0.75 * d + 1 : d;
    else if (tensor->dtype == PIR_PSTRING)
      memset((char *)tensor->data + (size_t)i * size, 0, size);  // an empty one
    else if (!param)
      memcpy((char *)tensor->data + (size_t)i * size, &whole, size < 8 ? size : 8);
  }
}

// ---- answers

static const char *kind_of(const checked *c, pir_str name) {
  return pir_program_param(c->program, name) ? "parameter" : "input";
}

static double relative(const slope *s) {
  double off = fabs(s->numeric - s->adjoint);
  return off == 0 ? 0 : off / s->scale;
}

static void print_answer(void *user, const slope *s) {
  static const char *const words[] = {[SLOPE_AGREES] = "ok",
                                      [SLOPE_BEYOND] = "BEYOND",
                                      [SLOPE_ROUGH] = "not smooth",
                                      [SLOPE_FAINT] = "too small",
                                      [SLOPE_CONSTANT] = "constant"};
  checked *c = user;
  cli_progress_erase();
  printf("%-10s %s %.*s: ", words[s->verdict], kind_of(c, s->name), (int)s->name.size,
         s->name.data);
  if (s->verdict == SLOPE_ROUGH)
    printf("no point has a derivative\n");
  else if (s->verdict == SLOPE_FAINT)
    printf("not checked: the derivative, %.2g, is not measurable beside rounding of %.2g\n",
           s->scale, s->error);
  else if (s->verdict == SLOPE_CONSTANT)
    printf("no op that reads it declares its gradient\n");
  else if (s->has_gradient)
    printf("relative difference %.2g\n", relative(s));
  else
    printf("has no gradient, and the derivative is %.6g\n", s->numeric);
  if (s->verdict == SLOPE_BEYOND && s->has_gradient)
    printf("           the derivative is %.12g, by the gradient %.12g (scale %.2g)\n",
           s->numeric, s->adjoint, s->scale);
  fflush(stdout);
  c->agree += s->verdict == SLOPE_AGREES;
  c->beyond += s->verdict == SLOPE_BEYOND;
  c->rough += s->verdict == SLOPE_ROUGH;
  c->constant += s->verdict == SLOPE_CONSTANT;
  c->faint += s->verdict == SLOPE_FAINT;
  c->largest = fmax(c->largest, s->verdict == SLOPE_AGREES ? relative(s) : 0);
  cli_stage(c->cli, "gradients", NULL, (uint64_t)++c->done, c->inputs);
}

static size_t count_float_inputs(const pir_program *program) {
  size_t count = 0;
  PIR_EACH_OP(op, pir_program_block(program)) {
    pir_dtype dtype = pir_op_has(op, PIR_INPUT) && pir_op_results(op)
                          ? pir_type_dtype(pir_value_type(pir_op_result(op, 0)))
                          : PIR_UNDEFINED;
    count += dtype == PIR_F64 || dtype == PIR_C128;
  }
  return count;
}

static pir_status compare_program(checked *c, pir_program *wide) {
  slopes_request request = {.seed = c->seed,
                            .points = POINTS,
                            .order = 1,
                            .feed = feed_input,
                            .found = print_answer,
                            .user = c,
                            .sink = cli_sink(c->cli),
                            .unknown = UNKNOWN_EXTENT};
  c->inputs = count_float_inputs(wide);
  cli_stage(c->cli, "gradients", NULL, 0, c->inputs);
  pir_program *kept = pir_program_clone(wide);
  pir_status status = kept ? slopes_check(wide, &request) : PIR_EXHAUSTED;
  if (!status && c->beyond)
    status = place_gradients(kept, &request);
  pir_program_destroy(kept);
  return status;
}

int check_gradients(cli_run *cli, pir_program *program, uint64_t seed) {
  checked c = {.cli = cli, .program = program, .seed = seed};
  pir_status status = numbers_fill_params(program, seed, false);
  pir_program *wide = status ? NULL : pir_program_clone(program);
  if (!status)
    status = wide ? widen_program(wide) : PIR_EXHAUSTED;
  if (status == PIR_INVALID) {
    cli_note(cli, "unsupported: gradients are checked in float64");
    status = PIR_UNSUPPORTED;
  }
  if (!status)
    status = compare_program(&c, wide);
  pir_program_destroy(wide);
  cli_progress_erase();
  if (status)
    return cli_exit_code(status);
  printf(
      "%d inputs and parameters: %d ok (largest relative difference %.2g), %d beyond, %d not "
      "smooth, %d constant, %d too small\n",
      c.done, c.agree, c.largest, c.beyond, c.rough, c.constant, c.faint);
  return c.beyond ? CLI_DIFFERENT : CLI_OK;
}
