// Compares the contraction generator with plain loops: tails of every kind, strides, padding,
// dilation, groups, depthwise, both layouts, static and dynamic sizes, on every level of this
// processor.
#include "contraction_cases.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

static const char *const LEVELS[] = {"x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v4", "native"};

static void report(void *user, const pir_diag *diag) {
  (void)user;
  print_error("%.*s\n", (int)diag->message.size, diag->message.data);
}

// Small integers: every sum is exact in f32, in any order. The bytes past the end must not be
// touched.
enum { GUARD = 64 };
static const float CANARY = 12345.5f;

static float *make_floats(int64_t n, int64_t seed) {
  float *x = aligned_alloc(64, ((size_t)(n + GUARD) * 4 + 127) / 64 * 64);
  for (int64_t i = 0; i < n + GUARD; i++)
    x[i] = i < n ? (float)((i * 31 + seed * 17 + i / 7) % 9 - 4) : CANARY;
  return x;
}

// `loss`: of the largest value, that a mode may lose.
static void check_close(const char *what, const pir_target *target, const float *got,
                        const float *want, int64_t n, float loss) {
  float largest = 0;
  for (int64_t i = 0; i < n; i++)
    largest = fmaxf(largest, fabsf(want[i]));
  for (int64_t i = 0; i < n; i++)
    if (!(fabsf(got[i] - want[i]) <= loss * largest))
      fail_msg("%s, %s: element %lld is %g, expected %g", what, target->name, (long long)i,
               got[i], want[i]);
  for (int64_t i = n; i < n + GUARD; i++)
    if (got[i] != CANARY)
      fail_msg("%s, %s: wrote %lld past the end", what, target->name, (long long)(i - n));
}

// Runs the units in three ranges, the last first: a unit may not depend on another.
static void run_in_pieces(const contract_run *run, const int64_t *symbols) {
  for (int s = 0; s < run->code.stage_count; s++) {
    int64_t units = run_units(run, s, symbols);
    run_call(run, s, units / 2, units, 0);
    run_call(run, s, 0, units / 3, 0);
    run_call(run, s, units / 3, units / 2, 0);
  }
}

typedef struct env {
  pir_context *ctx;
  pir_target target;
  pir_code_store *store;
  pir_math math;
  pir_tuning *tuning;  // of candidates; NULL: the code without a trial is checked
  int candidates;      // checked so far
} env;

static bool open_level(env *e, const char *name) {
  if (pir_target_get(name, &e->target))
    return false;
  e->ctx = pir_context_create(NULL);
  pir_context_set_sink(e->ctx, (pir_diag_sink){report, NULL});
  e->math = PIR_MATH_STRICT;
  e->tuning = NULL;
  e->candidates = 0;
  assert_int_equal(pir_code_store_create(e->ctx, &e->target, NULL, &e->store), PIR_OK);
  return true;
}

static void close_level(env *e) {
  pir_code_store_destroy(e->store);
  pir_context_destroy(e->ctx);
}

static void on_every_level(void (*check)(env *)) {
  for (size_t i = 0; i < sizeof LEVELS / sizeof *LEVELS; i++) {
    env e;
    if (!open_level(&e, LEVELS[i]))
      continue;
    check(&e);
    close_level(&e);
  }
}

// Returns the number of candidates that a trial of tuning has for the contraction.
static int check_once(env *e, const char *what, const contraction *c, const int64_t *symbols,
                      int64_t nout, const float *want, float *a, float *b) {
  contract_run run = {.math = e->math};
  float *out = make_floats(nout, 5);
  pir_status status = run_compile(&run, e->store, &e->target, c);
  if (status)
    fail_msg("%s, %s: status %d", what, e->target.name, status);
  run_bind(&run, a, b, out, symbols);
  run_in_pieces(&run, symbols);
  check_close(what, &e->target, out, want, nout, e->math == PIR_MATH_STRICT ? 0 : 2e-5F);
  int candidates = run.code.tuned.candidates;
  run_free(&run);
  free(out);
  return candidates;
}

// With a record of tuned choices every candidate is checked.
static void check(env *e, const char *what, const contraction *c, const int64_t *symbols,
                  int64_t nout, const float *want, float *a, float *b) {
  int candidates = 1;
  for (int i = 0; i < candidates; i++) {
    char named[200];
    snprintf(named, sizeof named, "%s, candidate %d", what, i);
    if (e->tuning)
      pir_tuning_try(e->tuning, i);
    candidates = check_once(e, named, c, symbols, nout, want, a, b);
    e->candidates += candidates > 1;
  }
}

static void name_conv(const conv_case *s, char *out, size_t size) {
  const char *layout = s->row_major ? "NCHW to NHWC" : "NHWC";
  const char *open = s->batch_varies ? " batch varies" : "";
  if (s->out_row_major)
    layout = "NCHW";
  if (s->varying)
    open = " varying";
  int n = snprintf(out, size, "conv n%d c%d %dx%d o%d ", (int)s->n, (int)s->c, (int)s->h,
                   (int)s->w, (int)s->o);
  snprintf(out + n, size - (size_t)n, "k%dx%d s%d p%d d%d g%d %s%s", (int)s->kh, (int)s->kw,
           (int)s->stride, (int)s->pad, (int)s->dilation, (int)s->groups, layout, open);
}

static void check_conv(env *e, const conv_case *s) {
  char what[160];
  name_conv(s, what, sizeof what);
  int64_t oh = conv_out(s->h, s->kh, s), ow = conv_out(s->w, s->kw, s);
  int64_t symbols[] = {s->n, s->h, s->w, oh, ow};
  int64_t na = s->n * s->c * s->h * s->w, nb = s->o * (s->c / s->groups) * s->kh * s->kw,
          nout = s->n * s->o * oh * ow;
  float *a = make_floats(na, 1), *b = make_floats(nb, 2), *want = make_floats(nout, 3);
  pir_dims *dims = pir_dims_create(NULL);
  contraction c = make_conv(dims, s);
  plain_conv(s, a, b, want);
  check(e, what, &c, symbols, nout, want, a, b);
  pir_dims_destroy(dims);
  free(a);
  free(b);
  free(want);
}

static void check_matmul(env *e, const matmul_case *s) {
  char what[160];
  snprintf(what, sizeof what, "matmul %dx %dx%dx%d%s%s%s", (int)s->batch, (int)s->m, (int)s->n,
           (int)s->k, s->transpose_b ? " transposed" : "", s->constant_b ? " constant" : "",
           s->varying ? " varying" : "");
  int64_t symbols[] = {s->batch, s->m, s->n, s->k};
  int64_t na = s->batch * s->m * s->k, nb = (s->constant_b ? 1 : s->batch) * s->n * s->k,
          nout = s->batch * s->m * s->n;
  float *a = make_floats(na, 1), *b = make_floats(nb, 2), *want = make_floats(nout, 3);
  pir_dims *dims = pir_dims_create(NULL);
  contraction c = make_matmul(dims, s);
  plain_matmul(s, a, b, want);
  check(e, what, &c, symbols, nout, want, a, b);
  pir_dims_destroy(dims);
  free(a);
  free(b);
  free(want);
}

static const matmul_case PRODUCTS[] = {
    {1, 1, 1, 1, false, true, false},
    {1, 6, 64, 8, false, true, false},
    {1, 3, 64, 8, false, true, false},
    {1, 2, 16, 5, false, true, false},
    {1, 7, 32, 9, false, true, false},
    {1, 7, 65, 9, false, true, false},
    {1, 13, 47, 33, true, true, false},
    {2, 29, 128, 16, false, true, false},
    {3, 5, 10, 7, true, false, false},
    {2, 17, 64, 12, false, false, false},
    {1, 1, 1000, 20, false, true, false},
    {1, 30, 1, 11, false, true, false},
    {4, 0, 8, 8, false, true, false},
    {2, 8, 0, 8, false, true, false},
    {1, 8, 8, 0, false, true, false},
    {2, 19, 100, 24, false, true, true},
    {3, 16, 33, 15, true, false, true},
    {2, 3, 64, 64, false, false, true},
    {1, 6, 128, 5, true, false, true},
    {0, 6, 128, 5, true, false, true},
    // sums in chunks, of equal sizes and not; few rows have several sums each
    {1, 29, 70, 1000, false, true, false},
    {1, 1, 40, 4099, false, true, false},
    {1, 3, 33, 777, true, true, false},
    {2, 5, 24, 1024, false, false, false},
    // a given right side is packed by rows, or by squares that are turned and the rest
    {1, 200, 384, 300, false, false, false},
    {2, 150, 320, 137, false, false, false},
    {2, 33, 61, 53, true, false, false},
    {1, 20, 64, 48, true, false, false},
    {1, 9, 17, 15, true, false, false},
    {1, 140, 100, 67, true, false, true},
    // rows in blocks; rows that are fetched ahead
    {1, 700, 300, 1024, false, true, false},
    {1, 700, 100, 1024, false, true, false},
};

static void check_products(env *e) {
  for (size_t i = 0; i < sizeof PRODUCTS / sizeof *PRODUCTS; i++)
    check_matmul(e, &PRODUCTS[i]);
}

static void test_matmul(void **state) {
  (void)state;
  on_every_level(check_products);
}

// ---- other element types: the same small integers, stored as they are

// ---- long sums

// The root mean square of `got` less the exact products, which `exact` has.
static double error_of(const float *got, const double *exact, int64_t n) {
  double sum = 0;
  for (int64_t i = 0; i < n; i++)
    sum += (got[i] - exact[i]) * (got[i] - exact[i]);
  return sqrt(sum / (double)n);
}

// The products of one row in double precision, and in f32 in one chain.
static void multiply_row(const matmul_case *s, const float *a, const float *b, double *exact,
                         float *chain) {
  for (int64_t n = 0; n < s->n; n++) {
    double sum = 0;
    float rounded = 0;
    for (int64_t k = 0; k < s->k; k++) {
      sum += (double)a[k] * b[k * s->n + n];
      rounded = fmaf(a[k], b[k * s->n + n], rounded);
    }
    exact[n] = sum;
    chain[n] = rounded;
  }
}

// Sums of many products lose less than half of what one chain of additions loses.
static void check_long_sums(env *e) {
  const matmul_case s = {1, 8, 512, 8192, false, true, false};
  int64_t symbols[] = {s.batch, s.m, s.n, s.k};
  float *a = make_floats(s.m * s.k, 1), *b = make_floats(s.k * s.n, 2);
  float *out = make_floats(s.m * s.n, 3), *chain = make_floats(s.n, 4);
  double *exact = calloc((size_t)s.n, sizeof *exact);
  for (int64_t i = 0; i < s.m * s.k; i++)
    a[i] = 1 + (float)(i * 7919 % 1009) / 1009;
  for (int64_t i = 0; i < s.k * s.n; i++)
    b[i] = 1 + (float)(i * 104729 % 2003) / 2003;
  pir_dims *dims = pir_dims_create(NULL);
  contraction c = make_matmul(dims, &s);
  contract_run run = {.math = e->math};
  assert_int_equal(run_compile(&run, e->store, &e->target, &c), PIR_OK);
  run_bind(&run, a, b, out, symbols);
  run_in_pieces(&run, symbols);
  multiply_row(&s, a, b, exact, chain);
  double lost = error_of(out, exact, s.n), by_chain = error_of(chain, exact, s.n);
  if (!(lost < by_chain / 2))
    fail_msg("%s: sums of %lld products lose %g, one chain %g", e->target.name, (long long)s.k,
             lost, by_chain);
  run_free(&run);
  pir_dims_destroy(dims);
  free(a);
  free(b);
  free(out);
  free(chain);
  free(exact);
}

static void test_long_sums(void **state) {
  (void)state;
  on_every_level(check_long_sums);
}

static void store_as(pir_dtype dtype, void *to, int64_t i, float value) {
  uint32_t bits;
  memcpy(&bits, &value, 4);
  if (dtype == PIR_F64)
    ((double *)to)[i] = value;
  else if (dtype == PIR_I8)
    ((int8_t *)to)[i] = (int8_t)value;
  else if (dtype == PIR_BF16)
    ((uint16_t *)to)[i] = (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
  else if (value == 0)
    ((uint16_t *)to)[i] = 0;
  else
    ((uint16_t *)to)[i] = (uint16_t)((bits >> 16 & 0x8000) |
                                     (((bits >> 23 & 255) - 112) << 10) | (bits >> 13 & 0x3ff));
}

static void *convert(pir_dtype dtype, const float *from, int64_t n) {
  void *to = calloc((size_t)n + 64, 8);
  for (int64_t i = 0; i < n; i++)
    store_as(dtype, to, i, from[i]);
  return to;
}

static void check_dtype(env *e, const matmul_case *s, pir_dtype dtype) {
  int64_t na = s->batch * s->m * s->k, nb = s->batch * s->n * s->k,
          nout = s->batch * s->m * s->n;
  float *a = make_floats(na, 1), *b = make_floats(nb, 2), *sums = make_floats(nout, 3);
  plain_matmul(s, a, b, sums);
  void *a2 = convert(dtype, a, na), *b2 = convert(dtype, b, nb),
       *want = convert(dtype, sums, nout), *out = calloc((size_t)nout + 64, 8);
  pir_dims *dims = pir_dims_create(NULL);
  contraction c = make_matmul(dims, s);
  contract_run run = {.math = e->math};
  c.a.dtype = c.b.dtype = c.out.dtype = dtype;
  c.a.align = c.b.align = c.out.align = (uint32_t)pir_dtype_size(dtype);
  assert_int_equal(run_compile(&run, e->store, &e->target, &c), PIR_OK);
  run_bind(&run, a2, b2, out, NULL);
  run_in_pieces(&run, NULL);
  if (memcmp(out, want, ((size_t)nout + 16) * pir_dtype_size(dtype)))
    fail_msg("matmul of %s, %s: wrong", pir_dtype_text(dtype), e->target.name);
  run_free(&run);
  pir_dims_destroy(dims);
  free(a);
  free(b);
  free(sums);
  free(a2);
  free(b2);
  free(want);
  free(out);
}

static void check_element_types(env *e) {
  static const matmul_case cases[] = {{2, 13, 37, 20, false, false, false},
                                      {1, 9, 32, 30, true, false, false}};
  static const pir_dtype dtypes[] = {PIR_F64, PIR_F16, PIR_BF16};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    for (size_t d = 0; d < sizeof dtypes / sizeof *dtypes; d++)
      check_dtype(e, &cases[i], dtypes[d]);
}

static void test_element_types(void **state) {
  (void)state;
  on_every_level(check_element_types);
}

// ---- packed weights that keep their narrower type

static void check_held(env *e, const matmul_case *s, pir_dtype dtype) {
  char what[160];
  int64_t nb = s->n * s->k, symbols[] = {s->batch, s->m, s->n, s->k};
  float *a = make_floats(s->m * s->k, 1), *b = make_floats(nb, 2),
        *want = make_floats(s->m * s->n, 3);
  plain_matmul(s, a, b, want);
  void *narrow = convert(dtype, b, nb);
  snprintf(what, sizeof what, "%dx%dx%d by %s", (int)s->m, (int)s->n, (int)s->k,
           pir_dtype_text(dtype));
  pir_dims *dims = pir_dims_create(NULL);
  contraction c = make_matmul(dims, s);
  c.b.dtype = dtype;
  c.b.align = (uint32_t)pir_dtype_size(dtype);
  contract_run run = {.math = e->math};
  assert_int_equal(run_compile(&run, e->store, &e->target, &c), PIR_OK);
  // Few rows leave the weights as they are; many rows widen them once.
  int64_t lanes = (s->n + 63) / 64 * 64, held = lanes * s->k * (int64_t)pir_dtype_size(dtype);
  assert_true((run.code.packed_bytes <= held) == (s->m <= 16));
  run_free(&run);
  check(e, what, &c, symbols, s->m * s->n, want, a, narrow);
  pir_dims_destroy(dims);
  free(a);
  free(b);
  free(want);
  free(narrow);
}

static void check_all_held(env *e) {
  static const matmul_case cases[] = {
      {1, 1, 64, 20, false, true, false},   {1, 1, 37, 777, true, true, false},
      {1, 3, 200, 33, false, true, false},  {1, 16, 70, 600, true, true, false},
      {1, 17, 70, 600, false, true, false},
  };
  static const pir_dtype dtypes[] = {PIR_BF16, PIR_F16, PIR_I8};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    for (size_t d = 0; d < sizeof dtypes / sizeof *dtypes; d++)
      check_held(e, &cases[i], dtypes[d]);
}

static void test_held_weights(void **state) {
  (void)state;
  on_every_level(check_all_held);
}

// ---- convolutions

static const conv_case CONVOLUTIONS[] = {
    // images of one row or column, of one pixel, of none
    CONV_CASE(2, 5, 1, 1, 9, 3, 3, 1, 1, 1, 1),
    CONV_CASE(1, 5, 4, 1, 9, 3, 3, 2, 1, 1, 1),
    CONV_CASE(1, 1, 1, 1, 1, 1, 1, 1, 0, 1, 1),
    CONV_CASE(0, 4, 5, 5, 8, 3, 3, 1, 1, 1, 1),
    // one tap
    CONV_CASE(3, 24, 7, 7, 48, 1, 1, 1, 0, 1, 1),
    CONV_CASE(2, 8, 6, 5, 70, 1, 1, 1, 0, 1, 1),
    CONV_CASE(1, 8, 7, 9, 16, 1, 1, 2, 0, 1, 1),
    CONV_CASE(1, 4, 6, 6, 8, 1, 1, 1, 1, 1, 1),
    // several taps: strides, padding, dilation
    CONV_CASE(2, 16, 7, 7, 32, 3, 3, 1, 1, 1, 1),
    CONV_CASE(1, 5, 9, 17, 37, 3, 3, 2, 1, 1, 1),
    CONV_CASE(1, 3, 20, 31, 12, 7, 7, 2, 3, 1, 1),
    CONV_CASE(1, 6, 12, 40, 10, 3, 5, 1, 4, 2, 1),
    CONV_CASE(1, 24, 6, 50, 24, 3, 3, 1, 1, 1, 1),
    // sums in chunks of taps, also at the borders and with dilation
    CONV_CASE(1, 96, 5, 19, 20, 3, 3, 1, 1, 1, 1),
    CONV_CASE(1, 300, 4, 9, 33, 3, 3, 2, 1, 1, 1),
    CONV_CASE(1, 40, 9, 8, 17, 5, 5, 1, 4, 2, 1),
    // groups, and a channel a group
    CONV_CASE(1, 9, 1, 6, 9, 3, 3, 1, 1, 1, 9),
    CONV_CASE(1, 8, 10, 11, 12, 3, 3, 1, 1, 1, 2),
    CONV_CASE(2, 20, 9, 13, 20, 3, 3, 1, 1, 1, 20),
    CONV_CASE(1, 48, 11, 30, 48, 5, 5, 2, 2, 1, 48),
    CONV_CASE(1, 6, 8, 8, 12, 3, 3, 1, 1, 1, 6),
    // as many taps as the image has pixels, or more
    CONV_CASE(1, 4, 3, 2, 8, 5, 5, 1, 2, 1, 1),
    CONV_CASE(1, 4, 2, 2, 8, 3, 3, 1, 0, 1, 1),
};

// Convolutions that minimal filtering takes.
static const conv_case FILTERED[] = {
    // odd sizes, a second group of panels, patches that are all border
    CONV_CASE(2, 32, 9, 31, 48, 3, 3, 1, 1, 1, 1),
    CONV_CASE(1, 64, 14, 14, 96, 3, 3, 1, 1, 1, 1),
    CONV_CASE(1, 48, 2, 1, 32, 3, 3, 1, 2, 1, 1),
    // unpadded, strided, of one row or column, of five taps; half vectors; several images
    CONV_CASE(3, 40, 9, 12, 32, 3, 3, 1, 0, 1, 1),
    CONV_CASE(1, 32, 15, 17, 64, 3, 3, 2, 1, 1, 1),
    CONV_CASE(2, 64, 14, 20, 40, 3, 3, 2, 0, 1, 1),
    CONV_CASE(1, 64, 13, 11, 64, 5, 5, 1, 2, 1, 1),
    CONV_CASE(1, 32, 12, 23, 32, 5, 5, 2, 2, 1, 1),
    SAME_CASE(2, 64, 10, 9, 64, 1, 3, 1, 1, 1),
    SAME_CASE(2, 64, 7, 9, 64, 3, 1, 1, 1, 1),
    SAME_CASE(1, 64, 14, 9, 64, 7, 1, 1, 1, 1),
};

// Those that it takes with more points than are exact.
static const conv_case FAST[] = {
    CONV_CASE(2, 32, 14, 19, 48, 3, 3, 1, 1, 1, 1),
    CONV_CASE(1, 64, 28, 28, 64, 3, 3, 1, 0, 1, 1),
    CONV_CASE(1, 64, 13, 11, 64, 5, 5, 1, 2, 1, 1),
    SAME_CASE(1, 64, 9, 24, 64, 1, 3, 1, 1, 1),
};

static void check_both_layouts(env *e, conv_case s) {
  for (int i = 0; i < 5; i++) {
    s.row_major = i & 1;
    s.out_row_major = i == 1;
    s.varying = i & 2;
    s.batch_varies = i == 4;
    check_conv(e, &s);
  }
}

static void check_convolutions(env *e) {
  for (size_t i = 0; i < sizeof CONVOLUTIONS / sizeof *CONVOLUTIONS; i++)
    check_both_layouts(e, CONVOLUTIONS[i]);
}

static void test_convolution(void **state) {
  (void)state;
  on_every_level(check_convolutions);
}

static void check_filtered(env *e) {
  for (size_t i = 0; i < sizeof FILTERED / sizeof *FILTERED; i++)
    check_both_layouts(e, FILTERED[i]);
}

static void test_filtered_convolution(void **state) {
  (void)state;
  on_every_level(check_filtered);
}

static void check_fast(env *e) {
  e->math = PIR_MATH_FAST;
  for (size_t i = 0; i < 2 * sizeof FAST / sizeof *FAST; i++) {
    conv_case s = FAST[i / 2];
    s.varying = i % 2;
    check_conv(e, &s);
  }
}

// ---- choices that tuning times

static void test_candidates(void **state) {
  env e;
  (void)state;
  assert_true(open_level(&e, "native"));
  e.target.tuning = e.tuning = pir_tuning_create();
  assert_non_null(e.tuning);
  check_products(&e);
  for (size_t i = 0; i < sizeof CONVOLUTIONS / sizeof *CONVOLUTIONS; i++)
    check_conv(&e, &CONVOLUTIONS[i]);
  for (size_t i = 0; i < sizeof FILTERED / sizeof *FILTERED; i++)
    check_conv(&e, &FILTERED[i]);
  assert_true(e.candidates > 200);
  pir_tuning_destroy(e.tuning);
  close_level(&e);
}

static void test_fast_convolution(void **state) {
  (void)state;
  on_every_level(check_fast);
}

// ---- convolutions backwards

// A convolution backwards whose taps fill its stride s: out[n, o, y * s + i, x * s + j] = sum
// of a[n, c, y, x] * b[c, o, i, j].
static void plain_backwards(const conv_case *shape, int64_t s, const float *a, const float *b,
                            float *out) {
  int64_t w = shape->w, channels = shape->c, o = shape->o;
  for (int64_t y = 0; y < shape->h * s; y++)
    for (int64_t x = 0; x < w * s; x++)
      for (int64_t k = 0; k < o; k++) {
        double sum = 0;
        const float *pixel = a + ((y / s) * w + x / s) * channels;
        for (int64_t c = 0; c < channels; c++)
          sum += (double)pixel[c] * b[((c * o + k) * s + y % s) * s + x % s];
        out[(y * w * s + x) * o + k] = (float)sum;
      }
}

// A convolution of one tap, whose filter's taps become pixels of the result.
static contraction make_backwards(pir_dims *dims, const conv_case *shape, int64_t s) {
  enum { Y = 3, X = 4, I = 6, J = 7, O = 2, C = 5 };
  contraction c = make_conv(dims, shape);
  contract_map *a = c.a.map, *b = c.b.map, *out = c.out.map;
  c.vars[I] = c.vars[J] = (contract_var){"tap", pir_dim_const(dims, s), false};
  memset(c.b.map, 0, sizeof c.b.map);
  memset(a[2].factor, 0, sizeof a[2].factor);
  memset(a[3].factor, 0, sizeof a[3].factor);
  a[2].factor[Y] = a[3].factor[X] = 1;
  c.b.shape[0] = pir_dim_const(dims, shape->c);
  c.b.shape[1] = pir_dim_const(dims, shape->o);
  c.b.shape[2] = c.b.shape[3] = pir_dim_const(dims, s);
  b[0].factor[C] = b[1].factor[O] = b[2].factor[I] = b[3].factor[J] = 1;
  c.out.shape[2] = pir_dim_const(dims, shape->h * s);
  c.out.shape[3] = pir_dim_const(dims, shape->w * s);
  memcpy(c.b.room, c.b.shape, sizeof c.b.room);
  memcpy(c.out.room, c.out.shape, sizeof c.out.room);
  out[2].factor[Y] = out[3].factor[X] = s;
  out[2].factor[I] = out[3].factor[J] = 1;
  return c;
}

static void check_backwards(env *e, int64_t channels, int64_t h, int64_t w, int64_t o,
                            int64_t s) {
  int64_t na = channels * h * w, nb = channels * o * s * s, nout = o * h * w * s * s;
  float *a = make_floats(na, 1), *b = make_floats(nb, 2), *want = make_floats(nout, 3);
  conv_case shape = CONV_CASE(1, channels, h, w, o, 1, 1, 1, 0, 1, 1);
  pir_dims *dims = pir_dims_create(NULL);
  contraction c = make_backwards(dims, &shape, s);
  plain_backwards(&shape, s, a, b, want);
  check(e, "convolution backwards", &c, NULL, nout, want, a, b);
  pir_dims_destroy(dims);
  free(a);
  free(b);
  free(want);
}

static void check_all_backwards(env *e) {
  check_backwards(e, 24, 5, 7, 12, 2);
  check_backwards(e, 10, 3, 3, 35, 3);
  // of one channel: whole rows of pixels become vectors
  check_backwards(e, 6, 4, 9, 1, 2);
  check_backwards(e, 24, 2, 41, 1, 2);
  check_backwards(e, 5, 3, 13, 1, 4);
  check_backwards(e, 7, 2, 5, 1, 3);
}

static void test_backwards(void **state) {
  (void)state;
  on_every_level(check_all_backwards);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_matmul),           cmocka_unit_test(test_long_sums),
      cmocka_unit_test(test_convolution),      cmocka_unit_test(test_filtered_convolution),
      cmocka_unit_test(test_fast_convolution), cmocka_unit_test(test_element_types),
      cmocka_unit_test(test_backwards),        cmocka_unit_test(test_candidates),
      cmocka_unit_test(test_held_weights)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
