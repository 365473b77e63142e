// Parameter updates that need a number over all elements before they write the first one: LAMB,
// and the unscaling of gradients with a check for overflow. They compute in double.
#include <math.h>

#include "kernels.h"

enum {
  IN_PARAM,
  IN_GRAD,
  IN_RATE,
  IN_MOMENT1,
  IN_MOMENT2,
  IN_BETA1_POW,
  IN_BETA2_POW,
  IN_MASTER,
  IN_SKIP
};
enum { OUT_PARAM, OUT_MOMENT1, OUT_MOMENT2, OUT_BETA1_POW, OUT_BETA2_POW, OUT_MASTER };
enum { WEIGHT_DECAY, BETA1, BETA2, EPSILON, ALWAYS_ADAPT };

static pir_status copy_as_doubles(const pir_kernel_call *call, const pir_tensor *from,
                                  pir_tensor *to) {
  return pir_kernel_dense(call, from, PIR_F64, from->shape, from->rank, to);
}

static pir_status read_first_number(const pir_kernel_call *call, const pir_tensor *from,
                                    double *number) {
  pir_tensor all;
  PIR_TRY(copy_as_doubles(call, from, &all));
  bool some = pir_tensor_numel(&all) > 0;
  if (some)
    *number = *(const double *)all.data;
  pir_kernel_drop(call, &all);
  if (!some)
    return pir_kernel_fail(call, PIR_INVALID, "one number is wanted where there is none");
  return PIR_OK;
}

static double euclidean_norm(const double *a, int64_t n) {
  double squares = 0;
  for (int64_t i = 0; i < n; i++)
    squares += a[i] * a[i];
  return sqrt(squares);
}

// Takes one step of LAMB: updates `param` and the two moments in place, and overwrites `grad`
// with the direction of the step. `pow` holds the powers of both betas.
static void lamb_step(const pir_kernel_call *call, int64_t n, double rate, const double *pow,
                      double *const *moments, double *param, double *grad) {
  double decay = pir_kernel_float(call, WEIGHT_DECAY);
  double beta1 = pir_kernel_float(call, BETA1);
  double beta2 = pir_kernel_float(call, BETA2);
  double epsilon = pir_kernel_float(call, EPSILON);
  for (int64_t i = 0; i < n; i++) {
    double *first = moments[0] + i;
    double *second = moments[1] + i;
    *first = beta1 * *first + (1 - beta1) * grad[i];
    *second = beta2 * *second + (1 - beta2) * grad[i] * grad[i];
    double deviation = sqrt(*second / (1 - pow[1])) + epsilon;
    grad[i] = *first / (1 - pow[0]) / deviation + decay * param[i];
  }
  double length = euclidean_norm(param, n), step = euclidean_norm(grad, n);
  bool adapts = decay > 0 || pir_kernel_int(call, ALWAYS_ADAPT) != 0;
  adapts = adapts && length > 0 && step > 0;
  for (int64_t i = 0; i < n; i++)
    param[i] -= rate * (adapts ? length / step : 1) * grad[i];
}

static pir_status write_lamb_results(const pir_kernel_call *call, const pir_tensor *all) {
  static const int updated[] = {IN_PARAM, IN_MOMENT1, IN_MOMENT2};
  for (int i = OUT_PARAM; i <= OUT_MOMENT2; i++)
    PIR_TRY(pir_tensor_copy(&all[updated[i]], pir_kernel_out(call, i)));
  for (int i = 0; i < 2; i++) {
    pir_tensor *to = pir_kernel_out(call, OUT_BETA1_POW + i);
    pir_tensor *power = (pir_tensor *)&all[IN_BETA1_POW + i];
    *(double *)power->data *= pir_kernel_float(call, BETA1 + i);
    if (to)
      PIR_TRY(pir_tensor_copy(power, to));
  }
  return PIR_OK;
}

// Copies operands unchanged to the results from `first` on. Steps are taken in the precision of
// the parameter, so a master copy is neither read nor written.
static pir_status copy_operands_to_results(const pir_kernel_call *call, int first) {
  static const int from[] = {IN_PARAM,     IN_MOMENT1,   IN_MOMENT2,
                             IN_BETA1_POW, IN_BETA2_POW, IN_MASTER};
  for (int i = first; i <= OUT_MASTER; i++)
    if (pir_kernel_out(call, i) && pir_kernel_in(call, from[i]))
      PIR_TRY(pir_tensor_copy(pir_kernel_in(call, from[i]), pir_kernel_out(call, i)));
  return PIR_OK;
}

pir_status pir_kernel_lamb(const pir_kernel_call *call) {
  pir_tensor all[IN_MASTER];
  double skip = 0;
  int read = 0;
  const pir_tensor *skips = pir_kernel_in(call, IN_SKIP);
  if (skips)
    PIR_TRY(read_first_number(call, skips, &skip));
  if (skip != 0)
    return copy_operands_to_results(call, OUT_PARAM);
  pir_status status = PIR_OK;
  for (; read < IN_MASTER && !status; read += !status)
    status = copy_as_doubles(call, pir_kernel_in(call, read), &all[read]);
  int64_t n = status ? 0 : pir_tensor_numel(&all[IN_PARAM]);
  for (int i = IN_GRAD; i < IN_MASTER && !status; i++) {
    bool whole = i == IN_GRAD || i == IN_MOMENT1 || i == IN_MOMENT2;
    if (whole ? pir_tensor_numel(&all[i]) != n : pir_tensor_numel(&all[i]) < 1)
      status =
          pir_kernel_fail(call, PIR_INVALID, "operand %d does not go with the parameter", i);
  }
  if (!status) {
    double rate = *(double *)all[IN_RATE].data;
    double pow[] = {*(double *)all[IN_BETA1_POW].data, *(double *)all[IN_BETA2_POW].data};
    double *moments[] = {all[IN_MOMENT1].data, all[IN_MOMENT2].data};
    lamb_step(call, n, rate, pow, moments, all[IN_PARAM].data, all[IN_GRAD].data);
    status = write_lamb_results(call, all);
    if (!status)
      status = copy_operands_to_results(call, OUT_MASTER);
  }
  while (read)
    pir_kernel_drop(call, &all[--read]);
  return status;
}

// ---- lars_momentum

enum { LARS_PARAM, LARS_GRAD, LARS_VELOCITY, LARS_RATE, LARS_OPERANDS };
enum { LARS_MU, LARS_COEFF, LARS_DECAY, LARS_EPSILON, LARS_PRECISION, LARS_RESCALE };

// Steps one parameter. Its rate is the share of the parameter's norm in the gradient's, if a
// decay is given and both have one. Parameter and velocity are overwritten.
static void lars_step(const pir_kernel_call *call, pir_tensor *t, double decay) {
  double mu = pir_kernel_float(call, LARS_MU), by = pir_kernel_float(call, LARS_RESCALE);
  double *param = t[LARS_PARAM].data, *grad = t[LARS_GRAD].data;
  double *velocity = t[LARS_VELOCITY].data, rate = *(double *)t[LARS_RATE].data;
  int64_t n = pir_tensor_numel(&t[LARS_PARAM]);
  double own = euclidean_norm(param, n), steep = fabs(by) * euclidean_norm(grad, n);
  if (decay > 0 && own > 0 && steep > 0)
    rate *= pir_kernel_float(call, LARS_COEFF) * own /
            (steep + decay * own + pir_kernel_float(call, LARS_EPSILON));
  for (int64_t i = 0; i < n; i++) {
    velocity[i] = velocity[i] * mu + rate * (by * grad[i] + decay * param[i]);
    param[i] -= velocity[i];
  }
}

// Steps member `m` of the lists.
static pir_status step_lars_member(const pir_kernel_call *call, int32_t m) {
  pir_tensor t[LARS_OPERANDS];
  pir_float_list decays = pir_kernel_floats(call, LARS_DECAY);
  pir_status status = PIR_OK;
  int read = 0;
  for (; read < LARS_OPERANDS && !status; read += !status)
    status = copy_as_doubles(call, call->in[call->in_first[read] + m], &t[read]);
  int64_t n = status ? 0 : pir_tensor_numel(&t[LARS_PARAM]);
  bool fits = !status && pir_tensor_numel(&t[LARS_GRAD]) == n &&
              pir_tensor_numel(&t[LARS_VELOCITY]) == n &&
              pir_tensor_numel(&t[LARS_RATE]) == 1 && (size_t)m < decays.count;
  if (!status && !fits)
    status = pir_kernel_fail(call, PIR_INVALID,
                             "%s: member %d of grad, velocity, learning_rate or "
                             "lars_weight_decay does not fit its parameter",
                             call->op, m);
  if (!status) {
    lars_step(call, t, decays.floats[m]);
    status = pir_tensor_copy(&t[LARS_PARAM], call->out[call->out_first[0] + m]);
  }
  if (!status)
    status = pir_tensor_copy(&t[LARS_VELOCITY], call->out[call->out_first[1] + m]);
  while (read)
    pir_kernel_drop(call, &t[--read]);
  return status;
}

// operands: param, grad, velocity, learning_rate (lists); results: param_out, velocity_out
pir_status pir_kernel_lars_momentum(const pir_kernel_call *call) {
  int32_t members = call->in_members[LARS_PARAM];
  for (int k = LARS_GRAD; k < LARS_OPERANDS; k++)
    if (call->in_members[k] != members)
      return pir_kernel_fail(call, PIR_INVALID, "%s: expects %d members in each list, found %d",
                             call->op, members, call->in_members[k]);
  for (int32_t m = 0; m < members; m++)
    PIR_TRY(step_lars_member(call, m));
  return PIR_OK;
}

// ---- scaled gradients

static bool all_finite(const pir_tensor *t) {
  const double *a = t->data;
  for (int64_t i = 0, n = pir_tensor_numel(t); i < n; i++)
    if (!isfinite(a[i]))
      return false;
  return true;
}

// Divides gradients by the scale. From the first member with an infinity or a NaN on, gradients
// are copied unchanged, because the step will be skipped.
pir_status pir_kernel_check_finite_and_unscale(const pir_kernel_call *call) {
  double scale = 1;
  PIR_TRY(read_first_number(call, call->in[call->in_first[1]], &scale));
  bool found = false;
  for (int32_t m = 0; m < call->in_members[0]; m++) {
    pir_tensor x;
    PIR_TRY(copy_as_doubles(call, call->in[call->in_first[0] + m], &x));
    found |= !all_finite(&x);
    double *a = x.data;
    for (int64_t i = 0, n = found ? 0 : pir_tensor_numel(&x); i < n; i++)
      a[i] *= 1 / scale;
    pir_status status = pir_tensor_copy(&x, call->out[call->out_first[0] + m]);
    pir_kernel_drop(call, &x);
    PIR_TRY(status);
  }
  *(bool *)call->out[call->out_first[1]]->data = found;
  return PIR_OK;
}
