// Special functions that are computed by series, in double. Each element costs some tens of
// terms.
#include <math.h>

#include "kernels.h"

// The regularised upper incomplete gamma function: below a + 1 by the series of the lower one,
// else by Lentz's continued fraction (Numerical Recipes, 6.2).
static double gamma_upper(double a, double x) {
  if (isnan(a) || isnan(x) || a < 0 || x < 0)
    return NAN;
  if (a == 0)
    return x > 0 ? 0 : NAN;
  if (x == 0)
    return 1;
  if (isinf(a))
    return isinf(x) ? NAN : 1;
  if (isinf(x))
    return 0;
  int sign;
  double scale = exp(a * log(x) - x - lgamma_r(a, &sign));
  if (x < a + 1) {
    double term = 1 / a, sum = term;
    for (int k = 1; k < 100000 && term > sum * 1e-17; k++) {
      term *= x / (a + k);
      sum += term;
    }
    return 1 - sum * scale;
  }
  double b = x + 1 - a;
  double c = 1e300;
  double d = 1 / b;
  double h = d;
  for (int k = 1; k < 100000; k++) {
    double an = -k * (k - a);
    b += 2;
    d = an * d + b;
    c = b + an / c;
    d = 1 / (fabs(d) < 1e-300 ? 1e-300 : d);
    h *= d * c;
    if (fabs(d * c - 1) < 1e-16)
      break;
  }
  return scale * h;
}

// The Hurwitz zeta function of an integer s > 1, by the Euler-Maclaurin formula; terms are
// added one by one until q reaches 12.
static double hurwitz_zeta(double s, double q) {
  static const double bernoulli[] = {1.0 / 12,           -1.0 / 720,
                                     1.0 / 30240,        -1.0 / 1209600,
                                     1.0 / 47900160,     -691.0 / 1307674368000.0,
                                     1.0 / 74724249600.0};
  if (q <= 0 && q == floor(q))
    return INFINITY;
  double sum = 0;
  for (; q < 12; q++)
    sum += pow(q, -s);
  double power = pow(q, -s), term = s * power / q;
  sum += q * power / (s - 1) + 0.5 * power;
  for (int k = 0; k < 7; k++) {
    sum += bernoulli[k] * term;
    term *= (s + 2 * k + 1) * (s + 2 * k + 2) / (q * q);
  }
  return sum;
}

static double polygamma_at(int64_t n, double x) {
  return (n & 1 ? 1 : -1) * tgamma((double)n + 1) * hurwitz_zeta((double)n + 1, x);
}

// out[i] = f(x[i], y[i]) in double, with broadcasting.
static pir_status apply_to_pairs(const pir_kernel_call *call, double (*f)(double, double)) {
  pir_tensor *out = pir_kernel_out(call, 0), x, y, r;
  PIR_TRY(pir_kernel_dense(call, pir_kernel_in(call, 0), PIR_F64, out->shape, out->rank, &x));
  pir_status status =
      pir_kernel_dense(call, pir_kernel_in(call, 1), PIR_F64, out->shape, out->rank, &y);
  if (!status) {
    r = x;
    double *a = x.data, *b = y.data;
    int64_t n = pir_tensor_numel(out);
    for (int64_t i = 0; i < n; i++)
      a[i] = f(a[i], b[i]);
    status = pir_tensor_copy(&r, out);
  }
  pir_kernel_drop(call, &y);
  pir_kernel_drop(call, &x);
  return status;
}

pir_status pir_kernel_gammaincc(const pir_kernel_call *call) {
  return apply_to_pairs(call, gamma_upper);
}

pir_status pir_kernel_polygamma(const pir_kernel_call *call) {
  pir_tensor *out = pir_kernel_out(call, 0), x;
  int64_t n = pir_kernel_int(call, 0);
  if (n < 1)
    return pir_kernel_fail(call, PIR_INVALID, "%s: n: expects an order above 0, found %lld",
                           call->op, (long long)n);
  PIR_TRY(pir_kernel_dense(call, pir_kernel_in(call, 0), PIR_F64, out->shape, out->rank, &x));
  double *a = x.data;
  int64_t count = pir_tensor_numel(out);
  for (int64_t i = 0; i < count; i++)
    a[i] = isnan(a[i]) ? a[i] : polygamma_at(n, a[i]);
  pir_status status = pir_tensor_copy(&x, out);
  pir_kernel_drop(call, &x);
  return status;
}
