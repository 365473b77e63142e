// Parameter updates that need a number over all elements before they write the first. In
// double.
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

static pir_status read_numbers(const pir_kernel_call *call, const pir_tensor *from,
                               pir_tensor *to) {
  return pir_kernel_dense(call, from, PIR_F64, from->shape, from->rank, to);
}

static pir_status first_number(const pir_kernel_call *call, const pir_tensor *from,
                               double *number) {
  pir_tensor all;
  PIR_TRY(read_numbers(call, from, &all));
  bool some = pir_tensor_numel(&all) > 0;
  if (some)
    *number = *(const double *)all.data;
  pir_kernel_drop(call, &all);
  return some ? PIR_OK
              : pir_kernel_fail(call, PIR_INVALID, "one number is wanted where there is none");
}

static double norm(const double *a, int64_t n) {
  double squares = 0;
  for (int64_t i = 0; i < n; i++)
    squares += a[i] * a[i];
  return sqrt(squares);
}

// `grad` becomes the direction of the step, and `param`, `moments` what they are after it.
static void lamb_step(const pir_kernel_call *call, int64_t n, double rate, const double *pow,
                      double *const *moments, double *param, double *grad) {
  double decay = call->attrs[WEIGHT_DECAY].f;
  double beta1 = call->attrs[BETA1].f;
  double beta2 = call->attrs[BETA2].f;
  for (int64_t i = 0; i < n; i++) {
    double *first = moments[0] + i;
    double *second = moments[1] + i;
    *first = beta1 * *first + (1 - beta1) * grad[i];
    *second = beta2 * *second + (1 - beta2) * grad[i] * grad[i];
    grad[i] = *first / (1 - pow[0]) / (sqrt(*second / (1 - pow[1])) + call->attrs[EPSILON].f) +
              decay * param[i];
  }
  double length = norm(param, n), step = norm(grad, n);
  bool adapts = (decay > 0 || call->attrs[ALWAYS_ADAPT].i != 0) && length > 0 && step > 0;
  for (int64_t i = 0; i < n; i++)
    param[i] -= rate * (adapts ? length / step : 1) * grad[i];
}

static pir_status write_numbers(const pir_kernel_call *call, const pir_tensor *all) {
  for (int i = OUT_PARAM; i <= OUT_MOMENT2; i++)
    PIR_TRY(pir_tensor_copy(&all[i == OUT_PARAM ? IN_PARAM : IN_MOMENT1 + i - OUT_MOMENT1],
                            pir_kernel_out(call, i)));
  for (int i = 0; i < 2; i++) {
    pir_tensor *to = pir_kernel_out(call, OUT_BETA1_POW + i);
    pir_tensor *power = (pir_tensor *)&all[IN_BETA1_POW + i];
    *(double *)power->data *= call->attrs[BETA1 + i].f;
    if (to)
      PIR_TRY(pir_tensor_copy(power, to));
  }
  return PIR_OK;
}

// Results from `first` on. Steps are taken in the precision of the parameter: a master copy is
// never read, nor written.
static pir_status leave_as_it_was(const pir_kernel_call *call, int first) {
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
    PIR_TRY(first_number(call, skips, &skip));
  if (skip != 0)
    return leave_as_it_was(call, OUT_PARAM);
  pir_status status = PIR_OK;
  for (; read < IN_MASTER && !status; read += !status)
    status = read_numbers(call, pir_kernel_in(call, read), &all[read]);
  int64_t n = status ? 0 : pir_tensor_numel(&all[IN_PARAM]);
  for (int i = IN_GRAD; i < IN_MASTER && !status; i++) {
    bool whole = i == IN_GRAD || i == IN_MOMENT1 || i == IN_MOMENT2;
    if (whole ? pir_tensor_numel(&all[i]) != n : pir_tensor_numel(&all[i]) < 1)
      status =
          pir_kernel_fail(call, PIR_INVALID, "operand %d does not go with the parameter", i);
  }
  if (!status) {
    double pow[] = {*(double *)all[IN_BETA1_POW].data, *(double *)all[IN_BETA2_POW].data};
    lamb_step(call, n, *(double *)all[IN_RATE].data, pow,
              (double *[]){all[IN_MOMENT1].data, all[IN_MOMENT2].data}, all[IN_PARAM].data,
              all[IN_GRAD].data);
    status = write_numbers(call, all);
    if (!status)
      status = leave_as_it_was(call, OUT_MASTER);
  }
  while (read)
    pir_kernel_drop(call, &all[--read]);
  return status;
}

static bool all_finite(const pir_tensor *t) {
  const double *a = t->data;
  for (int64_t i = 0, n = pir_tensor_numel(t); i < n; i++)
    if (!isfinite(a[i]))
      return false;
  return true;
}

// From the first list member with an infinite number or a NaN on, gradients stay as they are:
// the step is left out.
pir_status pir_kernel_check_finite_and_unscale(const pir_kernel_call *call) {
  double scale = 1;
  PIR_TRY(first_number(call, call->in[call->in_first[1]], &scale));
  bool found = false;
  for (int32_t m = 0; m < call->in_members[0]; m++) {
    pir_tensor x;
    PIR_TRY(read_numbers(call, call->in[call->in_first[0] + m], &x));
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
