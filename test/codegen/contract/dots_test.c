// Compares packed dot products with plain loops: pairs of bf16 with weights that are rounded
// when packed, groups of four bytes, odd sums, static and dynamic sizes, on every level of this
// processor. Inputs are small integers, so every sum is exact, whatever the instructions,
// except with minimal filtering, which this mode permits.
#include "contraction_cases.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

static const char *const LEVELS[] = {"x86-64", "x86-64-v3", "native"};
enum { GUARD = 64 };

typedef struct env {
  pir_context *ctx;
  pir_target target;
  pir_code_store *store;
  bool emulated;  // the processor has no tile registers
} env;

static bool open_level(env *e, const char *name) {
  *e = (env){.emulated = false};
  if (pir_target_get(name, &e->target))
    return false;
  e->ctx = pir_context_create(NULL);
  assert_int_equal(pir_code_store_create(e->ctx, &e->target, NULL, &e->store), PIR_OK);
  return true;
}

static void close_level(env *e) {
  pir_code_store_destroy(e->store);
  pir_context_destroy(e->ctx);
}

// The element types of a, b and the sums, and how b is rounded.
typedef struct kinds {
  pir_dtype a, b, rounded, out;
} kinds;

static float number(int64_t i, int64_t seed, bool is_unsigned) {
  int64_t n = (i * 31 + seed * 17 + i / 7) % 9;
  return (float)(is_unsigned ? n * 25 + 55 : n - 4);  // bytes with and without the highest bit
}

static void store_as(pir_dtype dtype, void *to, int64_t i, float value) {
  uint32_t bits;
  memcpy(&bits, &value, 4);
  if (dtype == PIR_F32)
    ((float *)to)[i] = value;
  else if (dtype == PIR_BF16)
    ((uint16_t *)to)[i] = (uint16_t)(bits >> 16);
  else if (dtype == PIR_I32)
    ((int32_t *)to)[i] = (int32_t)value;
  else
    ((int8_t *)to)[i] = (int8_t)(int)value;
}

// Elements as they are and as they are stored; rounded ones get a last bit that rounding takes
// away.
static void *make(pir_dtype dtype, bool rounded, int64_t n, int64_t seed, float **out_plain) {
  char *stored = calloc((size_t)n + GUARD, 4);
  *out_plain = calloc((size_t)n + 1, sizeof **out_plain);
  for (int64_t i = 0; i < n; i++) {
    (*out_plain)[i] = number(i, seed, dtype == PIR_U8);
    store_as(dtype, stored, i, rounded ? (*out_plain)[i] * (1 + 0x1p-12f) : (*out_plain)[i]);
  }
  return stored;
}

// To the bit, or nearly where sums were transformed; and nothing is written behind.
static bool is_same(const char *got, const char *want, int64_t n, bool transformed) {
  const float *x = (const float *)(const void *)got, *y = (const float *)(const void *)want;
  float most = 0;
  if (!transformed)
    return !memcmp(got, want, ((size_t)n + GUARD) * 4);
  for (int64_t i = 0; i < n; i++)
    most = fabsf(y[i]) > most ? fabsf(y[i]) : most;
  for (int64_t i = 0; i < n; i++)
    if (!(fabsf(x[i] - y[i]) <= 1e-3f * most))
      return false;
  return !memcmp(got + 4 * n, want + 4 * n, GUARD * 4);
}

static void check(env *e, const char *what, contraction c, const kinds *k,
                  const int64_t *symbols, int64_t na, int64_t nb, int64_t nout,
                  void (*plain)(const void *, const float *, const float *, float *),
                  const void *shape) {
  float *a, *b, *sums = calloc((size_t)nout + 1, sizeof *sums);
  void *a2 = make(k->a, false, na, 1, &a), *b2 = make(k->b, k->rounded == PIR_BF16, nb, 2, &b);
  char *out = calloc((size_t)nout + GUARD, 4), *want = calloc((size_t)nout + GUARD, 4);
  contract_run run = {.math = PIR_MATH_BF16};
  plain(shape, a, b, sums);
  for (int64_t i = 0; i < nout; i++)
    store_as(k->out, want, i, sums[i]);
  c.a.dtype = k->a;
  c.b.dtype = k->b;
  c.out.dtype = k->out;
  c.b.rounded = k->rounded;
  c.a.align = (uint32_t)pir_dtype_size(k->a);
  c.b.align = (uint32_t)pir_dtype_size(k->b);
  assert_int_equal(run_compile(&run, e->store, &e->target, &c), PIR_OK);
  run_bind(&run, a2, b2, out, symbols);
  for (int s = 0; s < run.code.stage_count; s++) {
    int64_t units = run_units(&run, s, symbols);
    run_call(&run, s, units / 2, units, 0);
    run_call(&run, s, 0, units / 2, 0);
  }
  if (!is_same(out, want, nout, strstr(run.code.how, "minimal filtering") != NULL))
    fail_msg("%s of %s by %s, %s: wrong", what, pir_dtype_text(k->a), pir_dtype_text(k->b),
             e->target.name);
  run_free(&run);
  free(a);
  free(b);
  free(a2);
  free(b2);
  free(sums);
  free(out);
  free(want);
}

static const kinds KINDS[] = {{PIR_BF16, PIR_BF16, PIR_UNDEFINED, PIR_F32},
                              {PIR_BF16, PIR_F32, PIR_BF16, PIR_F32},
                              {PIR_I8, PIR_I8, PIR_UNDEFINED, PIR_I32},
                              {PIR_U8, PIR_I8, PIR_UNDEFINED, PIR_I32},
                              {PIR_U8, PIR_U8, PIR_UNDEFINED, PIR_I32}};

static void matmul(const void *shape, const float *a, const float *b, float *out) {
  plain_matmul(shape, a, b, out);
}
static void conv(const void *shape, const float *a, const float *b, float *out) {
  plain_conv(shape, a, b, out);
}

static void check_matmul(env *e, const matmul_case *s, const kinds *k) {
  char what[160];
  snprintf(what, sizeof what, "matmul %dx %dx%dx%d%s%s%s", (int)s->batch, (int)s->m, (int)s->n,
           (int)s->k, s->transpose_b ? " transposed" : "", s->constant_b ? " constant" : "",
           s->varying ? " varying" : "");
  int64_t symbols[] = {s->batch, s->m, s->n, s->k};
  pir_dims *dims = pir_dims_create(NULL);
  check(e, what, make_matmul(dims, s), k, symbols, s->batch * s->m * s->k,
        (s->constant_b ? 1 : s->batch) * s->n * s->k, s->batch * s->m * s->n, matmul, s);
  pir_dims_destroy(dims);
}

static void check_conv(env *e, conv_case s, const kinds *k) {
  char what[160];
  snprintf(what, sizeof what, "conv c%d %dx%d o%d k%d s%d p%d g%d%s%s", (int)s.c, (int)s.h,
           (int)s.w, (int)s.o, (int)s.kh, (int)s.stride, (int)s.pad, (int)s.groups,
           s.row_major ? " NCHW" : "", s.varying ? " varying" : "");
  int64_t oh = conv_out(s.h, s.kh, &s), ow = conv_out(s.w, s.kw, &s);
  int64_t symbols[] = {s.n, s.h, s.w, oh, ow};
  pir_dims *dims = pir_dims_create(NULL);
  check(e, what, make_conv(dims, &s), k, symbols, s.n * s.c * s.h * s.w,
        s.o * (s.c / s.groups) * s.kh * s.kw, s.n * s.o * oh * ow, conv, &s);
  pir_dims_destroy(dims);
}

static void test_matmul(void **state) {
  static const matmul_case cases[] = {
      {1, 1, 1, 1, false, true, false},     {1, 6, 64, 8, false, true, false},
      {1, 3, 64, 7, false, true, false},    {1, 13, 47, 33, true, true, false},
      {2, 29, 128, 16, false, true, false}, {3, 5, 10, 7, true, false, false},
      {2, 17, 64, 12, false, false, false}, {1, 1, 200, 20, false, true, false},
      {1, 30, 1, 12, false, true, false},   {2, 19, 100, 24, false, true, true},
      {3, 16, 33, 15, true, false, true},   {2, 3, 64, 64, false, false, true},
      {4, 0, 8, 8, false, true, false},     {1, 8, 8, 0, false, true, false},
  };
  (void)state;
  for (size_t l = 0; l < sizeof LEVELS / sizeof *LEVELS; l++) {
    env e;
    if (!open_level(&e, LEVELS[l]))
      continue;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
      for (size_t k = 0; k < sizeof KINDS / sizeof *KINDS; k++)
        check_matmul(&e, &cases[i], &KINDS[k]);
    close_level(&e);
  }
}

static void test_convolution(void **state) {
  static const conv_case cases[] = {
      CONV_CASE(2, 16, 7, 7, 32, 3, 3, 1, 1, 1, 1),
      CONV_CASE(1, 5, 9, 17, 37, 3, 3, 2, 1, 1, 1),
      CONV_CASE(3, 24, 7, 7, 48, 1, 1, 1, 0, 1, 1),
      CONV_CASE(1, 8, 7, 9, 16, 1, 1, 2, 0, 1, 1),
      CONV_CASE(1, 8, 10, 11, 12, 3, 3, 1, 0, 1, 2),
      CONV_CASE(2, 20, 9, 13, 20, 3, 3, 1, 1, 1, 20),
      // Few channels, which are padded.
      CONV_CASE(2, 3, 13, 11, 20, 7, 7, 2, 3, 1, 1),
      CONV_CASE(1, 2, 9, 24, 17, 3, 3, 1, 1, 1, 1),
      CONV_CASE(1, 4, 10, 9, 16, 3, 3, 1, 0, 1, 1),
      CONV_CASE(2, 3, 9, 37, 16, 3, 3, 1, 2, 2, 1),
      CONV_CASE(1, 3, 6, 40, 16, 1, 5, 1, 2, 1, 1),
      CONV_CASE(1, 3, 6, 9, 16, 3, 3, 3, 1, 1, 1),
      CONV_CASE(1, 6, 7, 8, 16, 3, 3, 1, 1, 1, 2),
  };
  (void)state;
  for (size_t l = 0; l < sizeof LEVELS / sizeof *LEVELS; l++) {
    env e;
    if (!open_level(&e, LEVELS[l]))
      continue;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
      for (size_t k = 0; k < 4 * sizeof KINDS / sizeof *KINDS; k++) {
        conv_case s = cases[i];
        s.row_major = k & 1;
        s.varying = k & 2;
        check_conv(&e, s, &KINDS[k / 4]);
      }
    close_level(&e);
  }
}

// Tile registers run if the processor has them, else they are emulated; the rest of the code
// needs AVX-512 with VNNI.
#if defined(__x86_64__) && defined(__linux__)
#include "amx_emulator.h"

static bool open_tiles(env *e) {
  if (!open_level(e, "native"))
    return false;
  pir_target *t = &e->target;
  if (!t->avx512_bf16 || !t->avx512_vnni) {
    close_level(e);
    return false;
  }
  e->emulated = !t->amx_bf16;
  if (e->emulated) {
    strcat(t->features, ",+amx-tile,+amx-bf16,+amx-int8");
    amx_emulate();
  }
  t->amx_bf16 = t->amx_int8 = true;
  pir_code_store_destroy(e->store);
  assert_int_equal(pir_code_store_create(e->ctx, t, NULL, &e->store), PIR_OK);
  return true;
}

static void test_tiles(void **state) {
  static const matmul_case products[] = {
      {1, 32, 32, 64, false, true, false},
      {1, 33, 47, 64, false, true, false},
      {2, 100, 70, 96, true, true, false},
      {1, 16, 16, 192, false, true, false},
      {3, 9, 20, 64, true, false, false},
      {2, 17, 40, 128, false, true, true},
      // Few rows of an open number.
      {1, 3, 70, 192, false, true, true},
      {1, 1, 33, 1088, true, true, true},
      {1, 16, 40, 128, false, true, true},
      {1, 31, 33, 64, false, true, true},
      // Reductions in parts.
      {1, 100, 40, 1088, false, true, false},
      {1, 131, 40, 2176, false, true, true},
      {2, 96, 32, 1088, true, false, false},
  };
  static const conv_case images[] = {
      CONV_CASE(2, 64, 7, 7, 48, 1, 1, 1, 0, 1, 1),
      CONV_CASE(1, 64, 9, 40, 37, 3, 3, 1, 0, 1, 1),
      CONV_CASE(1, 128, 6, 70, 20, 2, 2, 2, 0, 1, 2),
      // Borders; rows of several lines of an image in a tile.
      CONV_CASE(2, 64, 7, 7, 20, 3, 3, 1, 1, 1, 1),
      CONV_CASE(1, 64, 14, 14, 36, 3, 3, 1, 1, 1, 1),
      CONV_CASE(1, 64, 9, 31, 17, 3, 3, 1, 2, 2, 1),
      CONV_CASE(3, 64, 11, 7, 33, 3, 3, 2, 1, 1, 1),
      CONV_CASE(1, 64, 4, 5, 16, 5, 5, 1, 4, 1, 1),
      // As many points with the border in front as without.
      CONV_CASE(1, 64, 6, 9, 16, 3, 3, 3, 1, 1, 1),
      CONV_CASE(2, 64, 14, 14, 40, 1, 1, 2, 0, 1, 1),
      // Lines that have rows of tiles of their own: two of 14 pixels in a block, an odd number
      // of them, one of 28, in parts of the reduction.
      CONV_CASE(2, 64, 15, 28, 40, 3, 3, 2, 1, 1, 1),
      CONV_CASE(1, 64, 13, 29, 17, 3, 3, 2, 1, 1, 1),
      CONV_CASE(2, 64, 9, 56, 33, 3, 3, 2, 1, 1, 1),
      CONV_CASE(1, 256, 11, 28, 40, 3, 3, 2, 1, 1, 1),
      CONV_CASE(2, 64, 13, 40, 20, 1, 1, 2, 0, 1, 1),
      // Few channels, whose taps along a line are one reduced axis.
      CONV_CASE(2, 3, 21, 70, 40, 7, 7, 2, 3, 1, 1),
      CONV_CASE(1, 3, 9, 33, 33, 7, 7, 1, 3, 1, 1),
      CONV_CASE(1, 4, 12, 40, 16, 5, 8, 1, 0, 1, 1),
      CONV_CASE(1, 2, 9, 50, 17, 7, 7, 1, 3, 2, 1),
      CONV_CASE(1, 128, 5, 40, 24, 3, 1, 1, 1, 1, 2),
      CONV_CASE(1, 1088, 4, 33, 17, 3, 3, 1, 1, 1, 1),
      // A middle axis without taps below one of many.
      CONV_CASE(1, 64, 400, 24, 32, 400, 0, 1, 0, 1, 1),
  };
  (void)state;
  env e;
  if (!open_tiles(&e))
    skip();
  for (size_t k = 0; k < 4; k++) {
    uint64_t before = amx.executed;
    for (size_t i = 0; i < sizeof products / sizeof *products; i++)
      check_matmul(&e, &products[i], &KINDS[k]);
    for (size_t i = 0; i < 3 * sizeof images / sizeof *images; i++) {
      conv_case s = images[i / 3];
      s.varying = i % 3 == 1;
      s.batch_varies = i % 3 == 2;
      check_conv(&e, s, &KINDS[k]);
    }
    assert_true(!e.emulated || amx.executed > before);
  }
  close_level(&e);
}

// A record that was made before a class had tile registers is not taken.
static void older_choices_are_not_taken(void **state) {
  static const matmul_case shape = {1, 12, 70, 64, false, true, false};
  static const char choice[] = "tile 6 2 inner rows strips 0 fetch panel block 0";
  (void)state;
  env e;
  if (!open_tiles(&e))
    skip();
  pir_tuning *tuning = pir_tuning_create();
  e.target.tuning = tuning;
  for (int round = 0; round < 2; round++) {
    pir_dims *dims = pir_dims_create(NULL);
    contraction c = make_matmul(dims, &shape);
    c.a.dtype = c.b.dtype = PIR_I8;
    c.out.dtype = PIR_I32;
    c.a.align = c.b.align = 1;
    contract_run run = {.math = PIR_MATH_BF16};
    assert_int_equal(run_compile(&run, e.store, &e.target, &c), PIR_OK);
    assert_non_null(strstr(run.code.how, "tile registers"));
    const char *name = run.code.tuned.of_class;
    pir_tuning_put(tuning, (pir_str){name, strlen(name)}, (pir_str){choice, strlen(choice)});
    pir_loop_module_destroy(run.module);
    pir_dims_destroy(dims);
  }
  close_level(&e);
  pir_tuning_destroy(tuning);
}
#else
static void test_tiles(void **state) {
  (void)state;
  skip();
}
static void older_choices_are_not_taken(void **state) {
  (void)state;
  skip();
}
#endif

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_matmul), cmocka_unit_test(test_convolution),
      cmocka_unit_test(test_tiles), cmocka_unit_test(older_choices_are_not_taken)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
