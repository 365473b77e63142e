// Loop IR made by hand, vectorised, compiled and run.
#include "code.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <pir/engine/tensor.h>

typedef struct fixture {
  pir_context *ctx;
  pir_target target;
  pir_code_store *store;
} fixture;

static void report(void *user, const pir_diag *diag) {
  print_message("%.*s\n", (int)diag->message.size, diag->message.data);
}

static int set_up(void **state) {
  fixture *f = calloc(1, sizeof *f);
  f->ctx = pir_context_create(NULL);
  pir_context_set_sink(f->ctx, (pir_diag_sink){report, NULL});
  assert_int_equal(pir_target_get(NULL, &f->target), PIR_OK);
  assert_int_equal(pir_code_store_create(f->ctx, &f->target, NULL, &f->store), PIR_OK);
  *state = f;
  return 0;
}

static int tear_down(void **state) {
  fixture *f = *state;
  pir_code_store_destroy(f->store);
  pir_context_destroy(f->ctx);
  free(f);
  return 0;
}

static pir_stage_fn compile(fixture *f, loop_module *m) {
  m->verify = true;
  for (loop_fn *fn = m->first; fn; fn = fn->next)
    assert_int_equal(pir_loop_vectorise(fn, &f->target), PIR_OK);
  assert_null(m->fault);
  const loop_module *modules[] = {m};
  const pir_image *image = NULL;
  assert_int_equal(pir_code_store_build(f->store, modules, NULL, 1, 1, &image), PIR_OK);
  pir_stage_fn fn;
  void *symbol = pir_image_symbol(image, m->first->name);
  assert_non_null(symbol);
  memcpy(&fn, &symbol, sizeof fn);
  return fn;
}

// out[r, c] = max(a[r, c] + b[c], 0) for a row length that is an argument: rows are the units.
static void test_pointwise_dynamic(void **state) {
  fixture *f = *state;
  loop_module *m = pir_loop_module_create();
  loop_fn *fn = pir_loop_fn_create(m, "stage0");
  loop_buffer *a = pir_loop_arg(fn, "a", PIR_F32, 0, 4, true),
              *b = pir_loop_arg(fn, "b", PIR_F32, 1, 4, true);
  loop_buffer *out = pir_loop_arg(fn, "out", PIR_F32, 2, 4, false);
  loop_var *r = pir_loop_var_create(fn, "r", LOOP_INDEX, 1),
           *c = pir_loop_var_create(fn, "c", LOOP_INDEX, 1);
  loop_expr *n = pir_loop_dim(m, 0);
  loop_block *rows = pir_loop_for(fn, &fn->body, LOOP_PARALLEL, r, pir_loop_use(m, fn->begin),
                                  pir_loop_use(m, fn->end), NULL);
  loop_block *body = pir_loop_for(fn, rows, LOOP_VECTORISED, c, pir_loop_int(m, 0), n, NULL);
  loop_expr *at = pir_loop_add(m, pir_loop_mul(m, pir_loop_use(m, r), n), pir_loop_use(m, c));
  loop_expr *sum = pir_loop_add(m, pir_loop_load(m, a, at, 1, NULL),
                                pir_loop_load(m, b, pir_loop_use(m, c), 1, NULL));
  pir_loop_store(fn, body, out, at, pir_loop_max(m, sum, pir_loop_const_float(m, PIR_F32, 0)),
                 NULL);
  pir_stage_fn run = compile(f, m);
  for (int64_t width = 0; width < 70; width += width < 5 ? 1 : 13) {
    float x[3 * 70], y[70], z[3 * 70 + 1];
    for (int i = 0; i < 3 * width; i++)
      x[i] = (float)(i % 7) - 3.25f;
    for (int i = 0; i < width; i++)
      y[i] = (float)(i % 5) - 2;
    for (size_t i = 0; i < sizeof z / sizeof *z; i++)
      z[i] = 99;
    if (width > 3)
      x[2] = NAN;
    void *buffers[] = {x, y, z};
    pir_group_args args = {.buffers = buffers, .dims = &width};
    run(&args, 0, 3, NULL);
    for (int i = 0; i < 3 * width; i++) {
      float want = x[i] + y[i % width];
      if (isnan(want))
        assert_true(isnan(z[i]));
      else
        assert_float_equal(z[i], want > 0 ? want : 0, 0);
    }
    assert_float_equal(z[3 * width], 99, 0);
  }
  pir_loop_module_destroy(m);
}

// out[r] = sum and maximum of a row, in one vectorised loop with several partial results.
static void test_reduction(void **state) {
  fixture *f = *state;
  enum { N = 203 };
  loop_module *m = pir_loop_module_create();
  loop_fn *fn = pir_loop_fn_create(m, "stage0");
  loop_buffer *a = pir_loop_arg(fn, "a", PIR_F32, 0, 4, true),
              *out = pir_loop_arg(fn, "out", PIR_F32, 1, 4, false);
  loop_buffer *acc = pir_loop_registers(fn, "acc", PIR_F32, 1, 1),
              *top = pir_loop_registers(fn, "top", PIR_F32, 1, 1);
  loop_var *c = pir_loop_var_create(fn, "c", LOOP_INDEX, 1);
  loop_expr *zero = pir_loop_int(m, 0);
  pir_loop_store(fn, &fn->body, acc, zero, pir_loop_neutral(m, PIR_COMBINE_ADD, PIR_F32), NULL);
  pir_loop_store(fn, &fn->body, top, zero, pir_loop_neutral(m, PIR_COMBINE_MAX, PIR_F32), NULL);
  loop_block *body =
      pir_loop_for(fn, &fn->body, LOOP_VECTORISED, c, zero, pir_loop_int(m, N), NULL);
  fn->body.last->loop.unroll = 4;
  loop_expr *x = pir_loop_load(m, a, pir_loop_use(m, c), 1, NULL);
  pir_loop_accumulate(fn, body, acc, zero, PIR_COMBINE_ADD, x);
  pir_loop_accumulate(fn, body, top, zero, PIR_COMBINE_MAX, x);
  pir_loop_store(fn, &fn->body, out, zero, pir_loop_load(m, acc, zero, 1, NULL), NULL);
  pir_loop_store(fn, &fn->body, out, pir_loop_int(m, 1), pir_loop_load(m, top, zero, 1, NULL),
                 NULL);
  pir_stage_fn run = compile(f, m);
  float in[N], got[2];
  void *buffers[] = {in, got};
  pir_group_args args = {.buffers = buffers, .dims = NULL};
  for (int i = 0; i < N; i++)
    in[i] = (float)(i * 37 % 101 - 80);
  double want = 0, most = -1e9;
  for (int i = 0; i < N; i++) {
    want += in[i];
    most = in[i] > most ? in[i] : most;
  }
  run(&args, 0, 1, NULL);
  assert_float_equal(got[0], want, 1e-3);
  assert_float_equal(got[1], most, 0);
  in[N - 1] = NAN;
  run(&args, 0, 1, NULL);
  assert_true(isnan(got[0]) && isnan(got[1]));
  pir_loop_module_destroy(m);
}

// out[i] = f32 -> f16 -> f32 and bf16 likewise, and a guarded shifted load.
static void test_casts_and_guard(void **state) {
  fixture *f = *state;
  enum { N = 37 };
  loop_module *m = pir_loop_module_create();
  loop_fn *fn = pir_loop_fn_create(m, "stage0");
  loop_buffer *a = pir_loop_arg(fn, "a", PIR_F32, 0, 4, true),
              *half = pir_loop_arg(fn, "half", PIR_F16, 1, 2, false);
  loop_buffer *brain = pir_loop_arg(fn, "brain", PIR_BF16, 2, 2, false),
              *moved = pir_loop_arg(fn, "moved", PIR_F32, 3, 4, false);
  loop_var *c = pir_loop_var_create(fn, "c", LOOP_INDEX, 1);
  loop_expr *at = pir_loop_use(m, c), *before = pir_loop_sub(m, at, pir_loop_int(m, 3));
  loop_block *body = pir_loop_for(fn, &fn->body, LOOP_VECTORISED, c, pir_loop_int(m, 0),
                                  pir_loop_int(m, N), NULL);
  loop_expr *x = pir_loop_load(m, a, at, 1, NULL);
  pir_loop_store(fn, body, half, at, pir_loop_cast(m, x, PIR_F16), NULL);
  pir_loop_store(fn, body, brain, at, pir_loop_cast(m, x, PIR_BF16), NULL);
  loop_expr *inside = pir_loop_op(m, PIR_V_LE, pir_loop_int(m, 0), before, NULL);
  pir_loop_store(fn, body, moved, at, pir_loop_load(m, a, before, 1, inside), NULL);
  pir_stage_fn run = compile(f, m);
  float in[N], shifted[N];
  uint16_t h[N], b[N];
  for (int i = 0; i < N; i++)
    in[i] = ldexpf((float)(i * 7919 % 1000 - 500) / 3, i - 24);
  void *buffers[] = {in, h, b, shifted};
  pir_group_args args = {.buffers = buffers, .dims = NULL};
  run(&args, 0, 1, NULL);
  for (int i = 0; i < N; i++) {
    assert_int_equal(h[i], pir_f32_to_f16(in[i]));
    assert_int_equal(b[i], pir_f32_to_bf16(in[i]));
    assert_float_equal(shifted[i], i < 3 ? 0 : in[i - 3], 0);
  }
  pir_loop_module_destroy(m);
}

// An index that is taken apart along the loops that made it comes out as the loop variables.
static void test_index_arithmetic(void **state) {
  loop_module *m = pir_loop_module_create();
  loop_fn *fn = pir_loop_fn_create(m, "stage0");
  loop_var *b = pir_loop_var_create(fn, "b", LOOP_INDEX, 1),
           *s = pir_loop_var_create(fn, "s", LOOP_INDEX, 1);
  loop_var *h = pir_loop_var_create(fn, "h", LOOP_INDEX, 1),
           *d = pir_loop_var_create(fn, "d", LOOP_INDEX, 1);
  loop_expr *length = pir_loop_dim(m, 0);
  s->extent = length;
  h->extent = pir_loop_int(m, 12);
  d->extent = pir_loop_int(m, 64);
  loop_expr *at =
      pir_loop_add(m, pir_loop_mul(m, pir_loop_use(m, b), length), pir_loop_use(m, s));
  at = pir_loop_add(m, pir_loop_mul(m, at, pir_loop_int(m, 12)), pir_loop_use(m, h));
  at = pir_loop_add(m, pir_loop_mul(m, at, pir_loop_int(m, 64)), pir_loop_use(m, d));
  loop_expr *row = pir_loop_mul(m, length, pir_loop_int(m, 768));
  loop_expr *batch = pir_loop_floordiv(m, at, row), *rest = pir_loop_mod(m, at, row);
  assert_ptr_equal(batch->var, b);
  assert_ptr_equal(pir_loop_floordiv(m, rest, pir_loop_int(m, 768))->var, s);
  loop_expr *column = pir_loop_mod(m, rest, pir_loop_int(m, 768));
  assert_ptr_equal(pir_loop_floordiv(m, column, pir_loop_int(m, 64))->var, h);
  assert_ptr_equal(pir_loop_mod(m, column, pir_loop_int(m, 64))->var, d);
  int64_t stride;
  assert_true(pir_loop_stride(column, h, &stride));
  assert_int_equal(stride, 64);
  assert_false(pir_loop_stride(pir_loop_floordiv(m, column, pir_loop_int(m, 100)), d, &stride));
  pir_loop_module_destroy(m);
}

// ---- vector math against libm in f64

typedef struct function {
  const char *name;
  pir_node_op fn;
  double (*exact)(double);
  float from, to;
} function;

static double ulps(float got, double want) {
  if (isnan(want))
    return isnan(got) ? 0 : 1e9;
  if ((double)got == want ||
      (isinf(got) && fabs(want) > 3.4028236e38 && (got > 0) == (want > 0)))
    return 0;
  int exponent;
  frexp(want, &exponent);
  double unit = ldexp(1, (exponent < -125 ? -125 : exponent) - 24);
  return fabs((double)got - want) / unit;
}

// out[c] = fn(a[c]), vectorised.
static loop_module *make_map(pir_node_op op) {
  loop_module *m = pir_loop_module_create();
  loop_fn *fn = pir_loop_fn_create(m, "stage0");
  loop_buffer *a = pir_loop_arg(fn, "a", PIR_F32, 0, 4, true);
  loop_buffer *o = pir_loop_arg(fn, "o", PIR_F32, 1, 4, false);
  loop_var *c = pir_loop_var_create(fn, "c", LOOP_INDEX, 1);
  loop_expr *at = pir_loop_use(m, c);
  loop_expr *begin = pir_loop_use(m, fn->begin), *end = pir_loop_use(m, fn->end);
  loop_block *body = pir_loop_for(fn, &fn->body, LOOP_VECTORISED, c, begin, end, NULL);
  loop_expr *x = pir_loop_load(m, a, at, 1, NULL);
  pir_loop_store(fn, body, o, at, pir_loop_op(m, op, x, NULL, NULL), NULL);
  return m;
}

// Linear over the range, near 0, powers of two, then all patterns of bits; special values
// first.
static void fill_round(float *in, int count, int round, const function *f) {
  static const float special[] = {0,       -0.0f,    INFINITY, -INFINITY, NAN,
                                  1,       -1,       1e-45f,   -1e-45f,   1e-38f,
                                  3.4e38f, -3.4e38f, 88.7f,    1e-10f};
  for (int i = 0; i < count; i++) {
    float t = (float)i / (float)(count - 1);
    uint32_t bits = (uint32_t)i * 65536u + (uint32_t)round * 4999u;
    if (round == 0)
      in[i] = f->from + (f->to - f->from) * t;
    else if (round == 1)
      in[i] = (t - 0.5f) * 4;
    else if (round == 2)
      in[i] = ldexpf(1 + t, i % 250 - 125);
    else
      memcpy(&in[i], &bits, sizeof bits);
  }
  memcpy(in, special, sizeof special);
}

static void check_function(fixture *f, const function *wanted, float *in, float *out,
                           int count) {
  loop_module *m = make_map(wanted->fn);
  pir_stage_fn run = compile(f, m);
  double worst = 0, at = 0;
  for (int round = 0; round < 16; round++) {
    void *buffers[] = {in, out};
    fill_round(in, count, round, wanted);
    run(&(pir_group_args){.buffers = buffers, .dims = NULL}, 0, count, NULL);
    for (int i = 0; i < count; i++) {
      double u = ulps(out[i], wanted->exact(in[i]));
      if (u <= worst)
        continue;
      worst = u;
      at = in[i];
    }
  }
  print_message("%s: %.2f ulp at %.9g\n", wanted->name, worst, at);
  assert_true(worst <= 2);
  pir_loop_module_destroy(m);
}

static void test_math(void **state) {
  static const function all[] = {
      {"exp", PIR_V_EXP, exp, -110, 95},   {"expm1", PIR_V_EXPM1, expm1, -40, 90},
      {"log", PIR_V_LOG, log, 0, 3e38f},   {"log1p", PIR_V_LOG1P, log1p, -1, 1e9f},
      {"tanh", PIR_V_TANH, tanh, -12, 12}, {"erf", PIR_V_ERF, erf, -6, 6}};
  enum { N = 1 << 16 };
  float *in = malloc(2 * N * sizeof *in);
  for (size_t k = 0; k < sizeof all / sizeof *all; k++)
    check_function(*state, &all[k], in, in + N, N);
  free(in);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_pointwise_dynamic, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_reduction, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_casts_and_guard, set_up, tear_down),
      cmocka_unit_test(test_index_arithmetic),
      cmocka_unit_test_setup_teardown(test_math, set_up, tear_down),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
