// Random numbers. A kernel with a seed of its own draws from a generator of that seed, any
// other from the generator of the session. Uniform, normal, integer, Bernoulli, multinomial and
// exponential numbers, permutations and dropout make the same draws in the same precision as
// Paddle's CPU kernels, and so give its numbers; the others only have the right distribution.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels.h"

// The source of a call's numbers.
typedef struct draw {
  pir_generator own, *from;  // `from` is `own` or the session's generator
  bool single;               // numbers are drawn in float
  bool has_spare;            // `spare` is the second number of a normal pair
  double spare;
} draw;

static pir_status start_draws(const pir_kernel_call *call, int64_t seed, pir_dtype dtype,
                              draw *d) {
  d->single = dtype != PIR_F64;
  d->has_spare = false;
  d->from = seed ? &d->own : call->generator;
  if (seed)
    pir_generator_seed(&d->own, (uint64_t)seed);
  if (!d->from)
    return pir_kernel_fail(call, PIR_UNSUPPORTED, "unsupported: %s without a generator",
                           call->op);
  return PIR_OK;
}

static double draw_uniform(draw *d) {
  return d->single ? (double)pir_generator_float(d->from) : pir_generator_double(d->from);
}

static double draw_uniform_between(draw *d, double low, double high) {
  double u = draw_uniform(d);
  if (!d->single)
    return u * (high - low) + low;
  return (double)((float)u * ((float)high - (float)low) + (float)low);
}

// One pair of normal numbers by the polar method, in float. The second one is kept.
static double draw_normal_pair_f32(draw *d) {
  float x, y, r;
  do {
    x = (float)(2 * draw_uniform(d) - 1);
    y = (float)(2 * draw_uniform(d) - 1);
    r = x * x + y * y;
  } while (r > 1 || r == 0);
  float by = sqrtf(-2 * logf(r) / r);
  d->spare = (double)(x * by);
  return (double)(y * by);
}

// The same in double.
static double draw_normal_pair_f64(draw *d) {
  double x, y, r;
  do {
    x = 2 * draw_uniform(d) - 1;
    y = 2 * draw_uniform(d) - 1;
    r = x * x + y * y;
  } while (r > 1 || r == 0);
  double by = sqrt(-2 * log(r) / r);
  d->spare = x * by;
  return y * by;
}

static double draw_standard_normal(draw *d) {
  d->has_spare = !d->has_spare;
  if (!d->has_spare)
    return d->spare;
  return d->single ? draw_normal_pair_f32(d) : draw_normal_pair_f64(d);
}

static double draw_normal(draw *d, double mean, double deviation) {
  double x = draw_standard_normal(d);
  if (!d->single)
    return x * deviation + mean;
  return (double)((float)x * (float)deviation + (float)mean);
}

// A gamma-distributed number, by the method of Marsaglia and Tsang. NaN when the shape allows
// no distribution, as in the functions below.
static double draw_gamma(draw *d, double shape) {
  double boost = 1, c, k;
  if (!(shape > 0) || isinf(shape))
    return NAN;
  if (shape < 1) {
    boost = pow(draw_uniform(d), 1 / shape);
    shape += 1;
  }
  k = shape - 1.0 / 3;
  c = 1 / sqrt(9 * k);
  for (;;) {
    double x = draw_standard_normal(d), v = 1 + c * x;
    if (v <= 0)
      continue;
    v = v * v * v;
    double u = 1 - draw_uniform(d);
    if (log(u) < 0.5 * x * x + k - k * v + k * log(v))
      return k * v * boost;
  }
}

// A Poisson-distributed number by products of uniform ones. A large mean is a sum of smaller
// ones.
static double draw_poisson(draw *d, double mean) {
  double count = 0;
  if (!(mean >= 0 && mean <= 1e7))
    return NAN;
  for (; mean > 0; mean -= 12) {
    double limit = exp(-fmin(mean, 12)), product = 1;
    for (product = pir_generator_double(d->from); product > limit; count++)
      product *= pir_generator_double(d->from);
  }
  return count;
}

static double draw_binomial(draw *d, double count, double p) {
  double hits = 0;
  if (!(count >= 0 && count <= 1e8 && p >= 0 && p <= 1))
    return NAN;
  for (double i = 0; i < count; i++)
    hits += pir_generator_double(d->from) < p;
  return hits;
}

// ---- kernels that fill a result

enum { MOST_NUMBERS = 2 };

// Draws one number of a result. `at` holds the numbers at the same place of the operands.
typedef double (*number_fn)(draw *d, const double *at, const double *params);

typedef struct filling {
  number_fn number;
  int operands;  // number of operands, each with a number for every number of the result
  int64_t seed;
  double params[4];
} filling;

// Fills result 0 with numbers, in order.
static pir_status fill_with_numbers(const pir_kernel_call *call, const filling *f,
                                    pir_dtype precision) {
  pir_tensor *out = pir_kernel_out(call, 0);
  pir_tensor t[MOST_NUMBERS + 1] = {{0}};
  draw d;
  pir_status status = start_draws(call, f->seed, precision, &d);
  for (int k = 0; k < f->operands && !status; k++) {
    const pir_tensor *from = pir_kernel_in(call, k);
    status = pir_kernel_dense(call, from, PIR_F64, out->shape, out->rank, &t[k]);
  }
  if (!status)
    status = pir_kernel_zeros(call, PIR_F64, out->shape, out->rank, &t[MOST_NUMBERS]);
  double at[MOST_NUMBERS] = {0};
  double *numbers = t[MOST_NUMBERS].data;
  int64_t n = status ? 0 : pir_tensor_numel(out);
  for (int64_t i = 0; i < n && !status; i++) {
    for (int k = 0; k < f->operands; k++)
      at[k] = ((const double *)t[k].data)[i];
    numbers[i] = f->number(&d, at, f->params);
    if (f->operands && isnan(numbers[i]))
      status =
          pir_kernel_fail(call, PIR_INVALID, "%s: no distribution has the parameters %g, %g",
                          call->op, at[0], at[1]);
  }
  if (!status)
    status = pir_tensor_copy(&t[MOST_NUMBERS], out);
  for (int k = 0; k <= MOST_NUMBERS; k++)
    pir_kernel_drop(call, &t[k]);
  return status;
}

static double uniform_number(draw *d, const double *at, const double *p) {
  (void)at;
  return draw_uniform_between(d, p[0], p[1]);
}
static double normal_number(draw *d, const double *at, const double *p) {
  (void)at;
  return draw_normal(d, p[0], p[1]);
}
static double bernoulli_number(draw *d, const double *at, const double *p) {
  (void)p;
  return at[0] >= 0 && at[0] <= 1 ? draw_uniform(d) <= at[0] : NAN;
}
static double poisson_number(draw *d, const double *at, const double *p) {
  (void)p;
  return draw_poisson(d, at[0]);
}
static double binomial_number(draw *d, const double *at, const double *p) {
  (void)p;
  return draw_binomial(d, at[0], at[1]);
}
static double gamma_number(draw *d, const double *at, const double *p) {
  (void)p;
  return draw_gamma(d, at[0]);
}
static double integer_number(draw *d, const double *at, const double *p) {
  (void)at;
  return p[0] + (double)pir_generator_below(d->from, (uint64_t)(p[1] - p[0]));
}
static double exponential_number(draw *d, const double *at, const double *p) {
  (void)at;
  double u = draw_uniform(d);
  if (!d->single)
    return -log(1 - u) / p[0];
  return (double)(-logf(1 - (float)u) / (float)p[0]);
}

// A truncated normal number: the inverse of the normal distribution at a uniform number between
// the distribution's values at both bounds. p: mean, deviation, and those two values.
static double truncated_number(draw *d, const double *at, const double *p) {
  (void)at;
  double least = d->single ? 1.17549435e-38 : 2.2250738585072014e-308;
  double u = draw_uniform_between(d, least, 1);
  double x = 2 * (p[2] + (p[3] - p[2]) * u) - 1;
  double y = 0;
  double low = -8, high = 8;  // erf is monotonic, so bisection finds its inverse
  for (int i = 0; i < 64; i++) {
    y = (low + high) / 2;
    if (erf(y) < x)
      low = y;
    else
      high = y;
  }
  return sqrt(2) * y * p[1] + p[0];
}

static pir_dtype result_dtype(const pir_kernel_call *call) {
  return pir_kernel_out(call, 0)->dtype;
}

static pir_status check_bounds(const pir_kernel_call *call, double low, double high) {
  if (!(low <= high))
    return pir_kernel_fail(call, PIR_INVALID, "%s: from %g to %g", call->op, low, high);
  return PIR_OK;
}

// operands: shape, min, max; attributes: dtype, seed
pir_status pir_kernel_uniform(const pir_kernel_call *call) {
  const pir_tensor *low = pir_kernel_in(call, 1);
  const pir_tensor *high = pir_kernel_in(call, 2);
  bool given = low && high;
  if (!given || pir_tensor_numel(low) != 1 || pir_tensor_numel(high) != 1)
    return pir_kernel_fail(call, PIR_INVALID, "%s: min and max: expects one number each",
                           call->op);
  filling f = {.number = uniform_number, .seed = pir_kernel_int(call, 1)};
  f.params[0] = pir_tensor_float_at(low, 0);
  f.params[1] = pir_tensor_float_at(high, 0);
  PIR_TRY(check_bounds(call, f.params[0], f.params[1]));
  return fill_with_numbers(call, &f, result_dtype(call));
}

// attributes: min, max, seed, diag_num, ...
pir_status pir_kernel_uniform_inplace(const pir_kernel_call *call) {
  filling f = {uniform_number,
               0,
               pir_kernel_int(call, 2),
               {pir_kernel_float(call, 0), pir_kernel_float(call, 1)}};
  if (pir_kernel_int(call, 3))
    return pir_kernel_fail(call, PIR_UNSUPPORTED, "unsupported: %s with a diagonal", call->op);
  PIR_TRY(check_bounds(call, f.params[0], f.params[1]));
  return fill_with_numbers(call, &f, result_dtype(call));
}

// attributes: shape, input_dim_idx, output_dim_idx, min, max, seed, diag_num, ...
pir_status pir_kernel_uniform_like_batch(const pir_kernel_call *call) {
  filling f = {uniform_number,
               0,
               pir_kernel_int(call, 5),
               {pir_kernel_float(call, 3), pir_kernel_float(call, 4)}};
  if (pir_kernel_int(call, 6))
    return pir_kernel_fail(call, PIR_UNSUPPORTED, "unsupported: %s with a diagonal", call->op);
  PIR_TRY(check_bounds(call, f.params[0], f.params[1]));
  return fill_with_numbers(call, &f, result_dtype(call));
}

// attributes: mean, std, seed
pir_status pir_kernel_gaussian(const pir_kernel_call *call) {
  filling f = {normal_number,
               0,
               pir_kernel_int(call, 2),
               {pir_kernel_float(call, 0), pir_kernel_float(call, 1)}};
  return fill_with_numbers(call, &f, result_dtype(call));
}

// attributes: shape, mean, std, seed, a, b
pir_status pir_kernel_truncated_gaussian_random(const pir_kernel_call *call) {
  double mean = pir_kernel_float(call, 1);
  double deviation = pir_kernel_float(call, 2);
  PIR_TRY(check_bounds(call, pir_kernel_float(call, 4), pir_kernel_float(call, 5)));
  filling f = {truncated_number, 0, pir_kernel_int(call, 3), {mean, deviation}};
  for (int i = 0; i < 2; i++) {
    double bound = (pir_kernel_float(call, 4 + i) - mean) / deviation;
    f.params[2 + i] = (1 + erf(bound / sqrt(2))) / 2;
  }
  return fill_with_numbers(call, &f, result_dtype(call));
}

static pir_status check_integers(const pir_kernel_call *call, int64_t low, int64_t high) {
  if (low >= high || high > 1ll << 53 || low < -(1ll << 53))
    return pir_kernel_fail(call, PIR_INVALID, "%s: from %lld below %lld", call->op,
                           (long long)low, (long long)high);
  return PIR_OK;
}

static pir_status fill_with_integers(const pir_kernel_call *call, int64_t low, int64_t high) {
  filling f = {integer_number, 0, 0, {(double)low, (double)high}};
  PIR_TRY(check_integers(call, low, high));
  return fill_with_numbers(call, &f, PIR_F64);
}

// p: least, number of integers. One word each, of which a small range takes the low half. Not
// quite even.
static double remainder_number(draw *d, const double *at, const double *p) {
  (void)at;
  uint64_t word = pir_generator_next(d->from), range = (uint64_t)p[1];
  return p[0] + (double)((range >> 32 ? word : (uint32_t)word) % range);
}

// attributes: from, to
pir_status pir_kernel_random(const pir_kernel_call *call) {
  int64_t low = pir_kernel_int(call, 0), high = pir_kernel_int(call, 1);
  PIR_TRY(check_integers(call, low, high));
  filling f = {remainder_number, 0, 0, {(double)low, (double)(high - low)}};
  return fill_with_numbers(call, &f, PIR_F64);
}

// attributes: low, high
pir_status pir_kernel_randint(const pir_kernel_call *call) {
  return fill_with_integers(call, pir_kernel_int(call, 0), pir_kernel_int(call, 1));
}

pir_status pir_kernel_bernoulli(const pir_kernel_call *call) {
  filling f = {bernoulli_number, 1, 0, {0}};
  return fill_with_numbers(call, &f, result_dtype(call));
}

pir_status pir_kernel_poisson(const pir_kernel_call *call) {
  filling f = {poisson_number, 1, 0, {0}};
  return fill_with_numbers(call, &f, PIR_F64);
}

pir_status pir_kernel_binomial(const pir_kernel_call *call) {
  filling f = {binomial_number, 2, 0, {0}};
  return fill_with_numbers(call, &f, PIR_F64);
}

pir_status pir_kernel_standard_gamma(const pir_kernel_call *call) {
  filling f = {gamma_number, 1, 0, {0}};
  return fill_with_numbers(call, &f, PIR_F64);
}

// attribute: lam
pir_status pir_kernel_exponential(const pir_kernel_call *call) {
  filling f = {exponential_number, 0, 0, {pir_kernel_float(call, 0)}};
  if (!(f.params[0] > 0))
    return pir_kernel_fail(call, PIR_INVALID, "%s: lam: %g", call->op, f.params[0]);
  return fill_with_numbers(call, &f, result_dtype(call));
}

// ---- rows

// Gamma-distributed numbers over their sum.
pir_status pir_kernel_dirichlet(const pir_kernel_call *call) {
  static const uint8_t in[] = {PIR_F64}, out[] = {PIR_F64};
  const pir_tensor *x = pir_kernel_in(call, 0);
  draw d;
  if (!x || x->rank < 1)
    return pir_kernel_fail(call, PIR_INVALID, "%s: alpha: expects at least rank 1", call->op);
  PIR_TRY(start_draws(call, 0, PIR_F64, &d));
  pir_tensor t[2];
  pir_status status = pir_kernel_open(call, in, 1, out, 1, t);
  int64_t wide = x->shape[x->rank - 1];
  int64_t n = status ? 0 : pir_tensor_numel(x);
  const double *shapes = t[0].data;
  double *to = t[1].data;
  for (int64_t i = 0; i < n && !status; i += wide) {
    double sum = 0;
    for (int64_t k = i; k < i + wide; k++) {
      to[k] = draw_gamma(&d, shapes[k]);
      sum += to[k];
    }
    if (isnan(sum))
      status =
          pir_kernel_fail(call, PIR_INVALID, "%s: alpha: expects positive numbers", call->op);
    for (int64_t k = i; k < i + wide; k++)
      to[k] /= sum;
  }
  return pir_kernel_close(call, status, 1, 1, t);
}

// Draws `count` choices from one row of weights, which are already summed up. Without
// replacement, the weight of a drawn choice is removed from the sums.
static pir_status draw_weighted_choices(const pir_kernel_call *call, draw *d, double *sums,
                                        int64_t n, int64_t *to, int64_t count) {
  bool again = pir_kernel_int(call, 0) != 0;
  double total = n ? sums[n - 1] : 0;
  if (!(total > 0))
    return pir_kernel_fail(call, PIR_INVALID, "%s: x: weights that add up to %g", call->op,
                           total);
  for (int64_t i = 0; i < n; i++)
    sums[i] /= total;
  for (int64_t s = 0; s < count; s++) {
    double u = draw_uniform(d);
    int64_t low = 0, high = n;
    while (high > low) {
      int64_t middle = low + (high - low) / 2;
      if (sums[middle] < u)
        low = middle + 1;
      else
        high = middle;
    }
    if (low == n)
      low = n - 1;
    to[s] = low;
    double p = sums[low] - (low ? sums[low - 1] : 0);
    for (int64_t i = 0; i < n && !again; i++) {
      double left = fmax(sums[i] - (i >= low ? p : 0), 0);
      sums[i] = p < 1 ? left / (1 - p) : 1;
    }
  }
  return PIR_OK;
}

// operands: x [.., n], num_samples; attribute: replacement
pir_status pir_kernel_multinomial(const pir_kernel_call *call) {
  static const uint8_t in[] = {PIR_F64}, out[] = {PIR_I64};
  const pir_tensor *x = pir_kernel_in(call, 0);
  const pir_tensor *result = pir_kernel_out(call, 0);
  if (!x || x->rank < 1 || x->rank > 2 || result->rank != x->rank)
    return pir_kernel_fail(call, PIR_INVALID, "%s: x: expects rank 1 or 2", call->op);
  int64_t n = x->shape[x->rank - 1];
  int64_t count = result->shape[x->rank - 1];
  int64_t rows = x->rank == 2 ? x->shape[0] : 1;
  pir_tensor t[2];
  draw d;
  PIR_TRY(start_draws(call, 0, x->dtype, &d));
  pir_status status = pir_kernel_open(call, in, 1, out, 1, t);
  for (int64_t r = 0; r < rows && !status; r++) {
    double *sums = (double *)t[0].data + r * n;
    int64_t positive = 0;
    for (int64_t i = 0; i < n && !status; i++) {
      if (!(sums[i] >= 0))
        status = pir_kernel_fail(call, PIR_INVALID, "%s: x: a weight of %g", call->op, sums[i]);
      positive += sums[i] > 0;
      if (i)
        sums[i] += sums[i - 1];
    }
    if (!status && !pir_kernel_int(call, 0) && count > positive)
      status = pir_kernel_fail(call, PIR_INVALID, "%s: num_samples: %lld of %lld choices",
                               call->op, (long long)count, (long long)positive);
    if (!status)
      status =
          draw_weighted_choices(call, &d, sums, n, (int64_t *)t[1].data + r * count, count);
  }
  return pir_kernel_close(call, status, 1, 1, t);
}

// ---- orders

static void swap_numbers(int64_t *a, int64_t *b) {
  int64_t c = *a;
  *a = *b;
  *b = c;
}

// Shuffles x in place. As in libstdc++, one draw places two elements when the product of their
// ranges fits.
static void shuffle_numbers(pir_generator *g, int64_t *x, uint64_t n) {
  uint64_t i = 1;
  if (n < 2)
    return;
  if (n >> 32) {
    for (; i < n; i++) {
      uint64_t other = pir_generator_below(g, i + 1);
      swap_numbers(&x[i], &x[other]);
    }
    return;
  }
  if (n % 2 == 0) {
    swap_numbers(&x[i], &x[pir_generator_below(g, 2)]);
    i++;
  }
  for (; i < n; i += 2) {
    uint64_t both = pir_generator_below(g, (i + 1) * (i + 2));
    swap_numbers(&x[i], &x[both / (i + 2)]);
    swap_numbers(&x[i + 1], &x[both % (i + 2)]);
  }
}

pir_status pir_kernel_randperm(const pir_kernel_call *call) {
  static const uint8_t out[] = {PIR_I64};
  pir_tensor t[1];
  draw d;
  PIR_TRY(start_draws(call, 0, PIR_F64, &d));
  pir_status status = pir_kernel_open(call, NULL, 0, out, 1, t);
  int64_t n = status ? 0 : pir_tensor_numel(&t[0]);
  for (int64_t i = 0; i < n; i++)
    ((int64_t *)t[0].data)[i] = i;
  if (!status)
    shuffle_numbers(d.from, t[0].data, (uint64_t)n);
  return pir_kernel_close(call, status, 0, 1, t);
}

// Writes the rows of x (along its last axis) in a random order, the order, and the next seed.
// operands: x, seed; attribute: startup_seed
pir_status pir_kernel_shuffle_batch(const pir_kernel_call *call) {
  const pir_tensor *x = pir_kernel_in(call, 0);
  const pir_tensor *seed = pir_kernel_in(call, 1);
  pir_tensor *result = pir_kernel_out(call, 0);
  pir_tensor *order = pir_kernel_out(call, 1);
  pir_tensor *next = pir_kernel_out(call, 2);
  if (!x || x->rank < 1)
    return pir_kernel_fail(call, PIR_INVALID, "%s: x: expects at least rank 1", call->op);
  int64_t given = pir_kernel_int(call, 0);
  if (seed && pir_tensor_numel(seed))
    given = pir_tensor_int_at(seed, 0);
  int64_t n = 1;
  for (int i = 0; i < x->rank - 1; i++)
    n *= x->shape[i];
  pir_tensor dense, moved, t = {0};
  draw d;
  PIR_TRY(start_draws(call, given ? given : 1, PIR_F64, &d));
  PIR_TRY(pir_kernel_dense(call, x, x->dtype, x->shape, x->rank, &dense));
  pir_status status = pir_kernel_zeros(call, x->dtype, x->shape, x->rank, &moved);
  if (!status)
    status = pir_kernel_zeros(call, PIR_I64, &n, 1, &t);
  size_t row = (size_t)x->shape[x->rank - 1] * pir_dtype_size(x->dtype);
  int64_t *at = t.data;
  for (int64_t i = 0; i < n && !status; i++)
    at[i] = i;
  if (!status)
    shuffle_numbers(d.from, at, (uint64_t)n);
  for (int64_t i = 0; i < n && !status; i++) {
    const char *from = (const char *)dense.data + (size_t)i * row;
    memcpy((char *)moved.data + (size_t)at[i] * row, from, row);
  }
  if (!status)
    status = pir_kernel_shape_result(call, result, x->dtype, x->shape, x->rank);
  if (!status)
    status = pir_tensor_copy(&moved, result);
  if (!status && order)
    status = pir_kernel_shape_result(call, order, PIR_I64, &n, 1);
  if (!status && order)
    memcpy(order->data, at, (size_t)n * sizeof *at);
  if (!status && next && seed) {
    status = pir_kernel_shape_result(call, next, seed->dtype, seed->shape, seed->rank);
    int64_t number = (int64_t)pir_generator_below(d.from, INT32_MAX);
    // All strides are 0: every element is the same number.
    pir_tensor from = {.data = &number, .dtype = PIR_I64, .rank = seed->rank};
    memcpy(from.shape, seed->shape, sizeof from.shape);
    if (!status)
      status = pir_tensor_copy(&from, next);
  }
  pir_kernel_drop(call, &dense);
  pir_kernel_drop(call, &moved);
  pir_kernel_drop(call, &t);
  return status;
}

// ---- classes

static int compare_numbers(const void *a, const void *b) {
  int64_t x = *(const int64_t *)a;
  int64_t y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

// Appends random unmarked classes to the list of `n` until it has `count`. Returns its length.
static int64_t add_random_classes(draw *d, char *marked, int64_t classes, int64_t *list,
                                  int64_t n, int64_t count) {
  while (n < count) {
    int64_t c = (int64_t)pir_generator_below(d->from, (uint64_t)classes);
    if (marked[c])
      continue;
    marked[c] = 1;
    list[n++] = c;
  }
  return n;
}

// Samples the classes of all labels and random other ones, in ascending order, and replaces
// each label by the place of its class among them. attributes: num_classes, num_samples,
// ring_id, rank, nranks, fix_seed, seed
pir_status pir_kernel_class_center_sample(const pir_kernel_call *call) {
  const pir_tensor *label = pir_kernel_in(call, 0);
  int64_t classes = pir_kernel_int(call, 0);
  int64_t wanted = pir_kernel_int(call, 1);
  int64_t n = pir_tensor_numel(label);
  int64_t found = 0;
  if (pir_kernel_int(call, 4) != 1)
    return pir_kernel_fail(call, PIR_UNSUPPORTED, "unsupported: %s over several devices",
                           call->op);
  if (classes < 1 || wanted > classes || classes > INT64_MAX / 16)
    return pir_kernel_fail(call, PIR_INVALID, "%s: %lld samples of %lld classes", call->op,
                           (long long)wanted, (long long)classes);
  draw d;
  PIR_TRY(
      start_draws(call, pir_kernel_int(call, 5) ? pir_kernel_int(call, 6) : 0, PIR_F64, &d));
  size_t size = (size_t)classes * (2 * sizeof(int64_t) + 1);
  size_t at_bytes = ((size_t)n + 1) * sizeof(int64_t);
  int64_t *list = pir_kernel_alloc(call, size);
  int64_t *place = list + classes;
  int64_t *at = pir_kernel_alloc(call, at_bytes);
  char *marked = (char *)(place + classes);
  pir_status status = PIR_OK;
  if (!list || !at)
    status = pir_kernel_fail(call, PIR_EXHAUSTED, "%s: out of memory", call->op);
  if (!status)
    memset(marked, 0, (size_t)classes);
  for (int64_t i = 0; i < n && !status; i++) {
    int64_t c = pir_tensor_int_at(label, i);
    at[i] = c;
    if (c < 0 || c >= classes)
      status = pir_kernel_fail(call, PIR_INVALID, "%s: label: %lld of %lld classes", call->op,
                               (long long)c, (long long)classes);
    else if (!marked[c]) {
      marked[c] = 1;
      list[found++] = c;
    }
  }
  if (!status) {
    found = add_random_classes(&d, marked, classes, list, found, wanted);
    qsort(list, (size_t)found, sizeof *list, compare_numbers);
    for (int64_t i = 0; i < found; i++)
      place[list[i]] = i;
    for (int64_t i = 0; i < n; i++)
      at[i] = place[at[i]];
    pir_tensor moved = {.data = at}, sampled = {.data = list};
    pir_tensor_set_dense(&moved, PIR_I64, label->shape, label->rank);
    pir_tensor_set_dense(&sampled, PIR_I64, &found, 1);
    status =
        pir_kernel_shape_result(call, call->out[0], label->dtype, label->shape, label->rank);
    if (!status)
      status = pir_tensor_copy(&moved, call->out[0]);
    if (!status)
      status = pir_kernel_shape_result(call, call->out[1], label->dtype, &found, 1);
    if (!status)
      status = pir_tensor_copy(&sampled, call->out[1]);
  }
  pir_kernel_free(call, at, at_bytes);
  pir_kernel_free(call, list, size);
  return status;
}

// ---- differentially private gradient descent

// operands: param, grad, learning_rate; attributes: clip, batch_size, sigma, seed. All elements
// get the same noise.
pir_status pir_kernel_dpsgd(const pir_kernel_call *call) {
  static const uint8_t in[] = {PIR_F64, PIR_F64, PIR_F64}, out[] = {PIR_F64};
  const pir_tensor *param = pir_kernel_in(call, 0);
  const pir_tensor *grad = pir_kernel_in(call, 1);
  const pir_tensor *rate = pir_kernel_in(call, 2);
  bool given = param && grad && rate;
  if (!given || pir_tensor_numel(param) != pir_tensor_numel(grad) ||
      pir_tensor_numel(rate) != 1)
    return pir_kernel_fail(call, PIR_INVALID,
                           "%s: expects param and grad of one shape, and one learning_rate",
                           call->op);
  pir_tensor t[4];
  draw d;
  PIR_TRY(start_draws(call, pir_kernel_int(call, 3), PIR_F64, &d));
  pir_status status = pir_kernel_open(call, in, 3, out, 1, t);
  double norm = 0;
  double clip = pir_kernel_float(call, 0);
  double batch = pir_kernel_float(call, 1);
  const double *g = t[1].data;
  int64_t n = status ? 0 : pir_tensor_numel(param);
  for (int64_t i = 0; i < n; i++)
    norm += g[i] * g[i];
  double scale = fmax(sqrt(norm) / clip, 1);
  double noise = draw_normal(&d, 0, 1) * pir_kernel_float(call, 2);
  const double *before = t[0].data;
  const double *step = t[2].data;
  double *after = t[3].data;
  for (int64_t i = 0; i < n; i++)
    after[i] = before[i] - step[0] * (g[i] / scale + noise / batch);
  return pir_kernel_close(call, status, 3, 1, t);
}

// ---- dropout

// operands: x, seed_tensor, p; attributes: is_test, mode, seed, fix_seed; results: out, mask
pir_status pir_kernel_dropout(const pir_kernel_call *call) {
  static const uint8_t in[] = {PIR_F64, PIR_I64, PIR_F64}, out[] = {PIR_F64, PIR_U8};
  const pir_tensor *x = pir_kernel_in(call, 0);
  const pir_tensor *given = pir_kernel_in(call, 1);
  const pir_tensor *p_tensor = pir_kernel_in(call, 2);
  if (!x || !p_tensor || pir_tensor_numel(p_tensor) != 1)
    return pir_kernel_fail(call, PIR_INVALID, "%s: expects x and one p", call->op);
  double p = pir_tensor_float_at(p_tensor, 0);
  if (!(p >= 0 && p <= 1))
    return pir_kernel_fail(call, PIR_INVALID, "%s: p: expects 0 to 1, found %g", call->op, p);
  bool scaled = pir_str_equal(pir_kernel_text(call, 1), PIR_STR("upscale_in_train"));
  int64_t seed = pir_kernel_int(call, 3) ? pir_kernel_int(call, 2) : 0;
  if (given && pir_tensor_numel(given))
    seed = pir_tensor_int_at(given, 0);
  pir_tensor t[5];
  draw d = {0};
  if (p > 0 && p < 1)
    PIR_TRY(start_draws(call, seed, PIR_F32, &d));
  pir_status status = pir_kernel_open(call, in, 3, out, 2, t);
  const double *from = t[0].data;
  double *to = t[3].data;
  uint8_t *mask = t[4].data;
  double share = scaled ? (double)(1 - (float)p) : 1;
  int64_t n = status ? 0 : pir_tensor_numel(x);
  for (int64_t i = 0; i < n; i++) {
    bool kept = p < 1 && (p == 0 || !(pir_generator_float(d.from) < (float)p));
    to[i] = kept ? from[i] / share : 0;
    if (mask)
      mask[i] = kept;
  }
  return pir_kernel_close(call, status, 3, 2, t);
}

// operand: x; attributes: lower, upper, is_test; results: out, noise. Negative elements alone
// draw, in float whatever their type.
pir_status pir_kernel_rrelu(const pir_kernel_call *call) {
  static const uint8_t in[] = {PIR_F64}, out[] = {PIR_F64, PIR_F64};
  double low = pir_kernel_float(call, 0), high = pir_kernel_float(call, 1);
  pir_tensor t[3];
  draw d;
  PIR_TRY(check_bounds(call, low, high));
  PIR_TRY(start_draws(call, 0, PIR_F32, &d));
  pir_status status = pir_kernel_open(call, in, 1, out, 2, t);
  const double *from = t[0].data;
  double *to = t[1].data, *noise = t[2].data;
  int64_t n = status ? 0 : pir_tensor_numel(&t[0]);
  for (int64_t i = 0; i < n; i++) {
    double slope = from[i] < 0 ? draw_uniform_between(&d, low, high) : 1;
    to[i] = from[i] * slope;
    if (noise)
      noise[i] = slope;
  }
  return pir_kernel_close(call, status, 1, 2, t);
}

// attribute: seed; 0 draws a random one
pir_status pir_kernel_seed(const pir_kernel_call *call) {
  static const uint8_t out[] = {PIR_I64};
  pir_tensor t[1];
  draw d = {0};
  int64_t seed = pir_kernel_int(call, 0);
  if (!seed)
    PIR_TRY(start_draws(call, 0, PIR_F64, &d));
  pir_status status = pir_kernel_open(call, NULL, 0, out, 1, t);
  if (!status && !seed)
    seed = 1 + (int64_t)pir_generator_below(d.from, INT32_MAX - 1);
  if (!status)
    *(int64_t *)t[0].data = seed;
  return pir_kernel_close(call, status, 0, 1, t);
}
