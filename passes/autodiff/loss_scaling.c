// The scaled loss of minimize_pass:
//   loss-scale=X             the number at first; the variable loss_scaling_0
//   scale-growth=X           it grows by this factor
//   scale-growth-steps=N     after N steps with finite gradients (num_good_steps_0)
//   scale-backoff=X          it shrinks by this factor
//   scale-backoff-steps=N    after N steps without (num_bad_steps_0)
// The ops are those that Paddle's GradScaler adds to a program.
#include "loss_scaling.h"

#include <math.h>
#include <pir/compiler/build/pd_op.h>
#include <stdlib.h>
#include <string.h>

#include "training_steps.h"

static const int64_t one_number[] = {1};

bool loss_scaling_wanted(const pir_pass_run *run) {
  return pass_option(run, "loss-scale") != NULL;
}

// ---- options

static pir_status read_factor(const pir_pass_run *run, const char *key, double *out) {
  bool good = steps_number(run, "minimize", key, "", out) && *out > 0;
  return good ? PIR_OK : pir_run_bad_option(run, key, "a number above 0");
}

static pir_status read_steps(const pir_pass_run *run, const char *key, int64_t *out) {
  double n;
  bool good =
      steps_number(run, "minimize", key, "", &n) && n >= 1 && n <= INT32_MAX && n == floor(n);
  if (!good)
    return pir_run_bad_option(run, key, "a whole number, at least 1");
  *out = (int64_t)n;
  return PIR_OK;
}

// Options of a scale that is not asked for are an error.
static pir_status check_scale(const pir_pass_run *run) {
  static const char *const keys[] = {"scale-growth", "scale-growth-steps", "scale-backoff",
                                     "scale-backoff-steps"};
  for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
    if (pass_option(run, keys[i]) && !loss_scaling_wanted(run))
      return pir_run_bad_option(run, keys[i], "option loss-scale beside it");
  return PIR_OK;
}

// ---- the scaled loss

// The program has the first value of the variable, as it has the values of parameters.
static pir_status adopt_first(const pir_pass_run *run, pir_str name, double first) {
  float *number = malloc(sizeof *number);
  if (!number)
    return PIR_EXHAUSTED;
  *number = (float)first;
  pir_param param = {.name = name,
                     .dtype = PIR_F32,
                     .shape = {one_number, 1},
                     .data = number,
                     .size = sizeof *number,
                     .release = free,
                     .user = number};
  pir_program_adopt_param(run->program, &param);
  return PIR_OK;
}

static pir_value *scaled_loss(diff_block *b, pir_value *loss, pir_value *scale,
                              const pir_type *type) {
  pir_value *operands[] = {loss, scale};
  pir_op_spec spec = {.def = pir_context_op(b->d->ctx, PD_MULTIPLY),
                      .operands = operands,
                      .operand_count = 2,
                      .result_types = &type,
                      .result_count = 1};
  // It is part of the network, through which gradients flow.
  bool closed = b->d->closed;
  b->d->closed = false;
  pir_op *op = diff_create(b, &spec);
  b->d->closed = closed;
  return pir_op_result(op, 0);
}

pir_status loss_scaling_begin(diff_block *b, value_list *losses, pir_value **out_scale) {
  const pir_pass_run *run = b->d->run;
  pir_map names = {0};
  double first;
  PIR_TRY(check_scale(run));
  if (!loss_scaling_wanted(run))
    return PIR_OK;
  PIR_TRY(read_factor(run, "loss-scale", &first));
  const pir_type *type = pir_type_tensor(b->d->ctx, PIR_F32, (pir_shape){one_number, 1});
  pir_str name = PIR_STR("loss_scaling_0");
  PIR_TRY(steps_add_variable(run, &names, "minimize", name, type, out_scale));
  PIR_TRY(adopt_first(run, name, first));
  for (size_t i = 0; i < losses->count; i++) {
    const pir_type *loss = pir_value_type(losses->items[i]);
    if (pir_type_dtype(loss) != PIR_F32)
      return pir_report_op(pir_value_op(losses->items[i]), PIR_UNSUPPORTED, PIR_ERROR,
                           "unsupported: minimize: loss-scale with a loss of %s",
                           pir_dtype_name(pir_type_dtype(loss)));
    bool flat = pir_type_shape(loss).rank < 1;
    losses->items[i] = scaled_loss(b, losses->items[i], *out_scale, flat ? type : loss);
  }
  return PIR_OK;
}

// ---- the gradients

pir_status loss_scaling_end(const pir_pass_run *run, pir_op_builder *builder, pir_value *scale,
                            pir_values gradients, pir_value **out_found) {
  double growth, backoff;
  int64_t growth_steps, backoff_steps;
  pir_value *good, *bad;
  pir_map names = {0};
  const pir_type *count =
      pir_type_tensor(pir_program_context(run->program), PIR_I32, (pir_shape){one_number, 1});
  PIR_TRY(read_factor(run, "scale-growth", &growth));
  PIR_TRY(read_factor(run, "scale-backoff", &backoff));
  PIR_TRY(read_steps(run, "scale-growth-steps", &growth_steps));
  PIR_TRY(read_steps(run, "scale-backoff-steps", &backoff_steps));
  PIR_TRY(
      steps_add_variable(run, &names, "minimize", PIR_STR("num_good_steps_0"), count, &good));
  PIR_TRY(steps_add_variable(run, &names, "minimize", PIR_STR("num_bad_steps_0"), count, &bad));
  *out_found = pir_pd_check_finite_and_unscale_(builder, gradients, scale).found_infinite;
  pir_pd_update_loss_scaling_(builder, gradients, *out_found, scale, good, bad, growth_steps,
                              backoff_steps, growth, backoff, NULL);
  return PIR_OK;
}
