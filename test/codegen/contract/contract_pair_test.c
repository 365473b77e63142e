// Compares two contractions in one stage with plain loops: the intermediate tensor never leaves
// the thread's scratch. Strides, paddings, odd numbers of channels, rows shorter and longer
// than a run, static and dynamic sizes, on every level of this processor; and which pairs are
// considered profitable.
#include "contraction_cases.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

static const char *const LEVELS[] = {"x86-64", "x86-64-v3", "x86-64-v4", "native"};

enum { IN, FIRST_TAPS, SECOND_TAPS, OUT, BUFFERS };

typedef struct pair_case {
  conv_case first;
  int64_t o;  // of the second
} pair_case;

typedef struct pair_run {
  pir_dims *dims;
  loop_module *module;
  pir_dim asked[64];
  int asked_count;
  const pir_image *image;
  contract_pair_code code;
  int64_t values[64];
  void *buffers[BUFFERS];
} pair_run;

static void report(void *user, const pir_diag *diag) {
  (void)user;
  print_error("%.*s\n", (int)diag->message.size, diag->message.data);
}

static loop_expr *extent(void *user, pir_dim dim) {
  pair_run *r = user;
  int at = 0;
  while (at < r->asked_count && r->asked[at] != dim)
    at++;
  assert_true(at < 64);
  if (at == r->asked_count)
    r->asked[r->asked_count++] = dim;
  return pir_loop_dim(r->module, at);
}

static uint16_t no_temporary(void *user, pir_dim bytes) {
  (void)user;
  (void)bytes;
  fail_msg("asked for a buffer");
  return 0;
}

// Small integers: sums are exact.
static float *make_floats(int64_t n, int64_t seed) {
  float *x = aligned_alloc(64, ((size_t)n * 4 + 127) / 64 * 64);
  for (int64_t i = 0; i < n; i++)
    x[i] = (float)((i * 31 + seed * 17 + i / 7) % 5 - 2);
  return x;
}

static pir_stage_fn symbol(const pair_run *r, const loop_fn *fn) {
  pir_stage_fn stage = NULL;
  void *at = pir_image_symbol(r->image, fn->name);
  assert_non_null(at);
  memcpy(&stage, &at, sizeof stage);
  return stage;
}

static int64_t value_of(const pair_run *r, pir_dim d, const int64_t *symbols) {
  int64_t value = 0;
  assert_true(pir_dim_evaluate(r->dims, d, symbols, &value));
  return value;
}

static conv_case second_of(const pair_case *p) {
  const conv_case *s = &p->first;
  return (conv_case){.n = s->n,
                     .c = s->o,
                     .h = conv_out(s->h, s->kh, s),
                     .w = conv_out(s->w, s->kw, s),
                     .o = p->o,
                     .kh = 1,
                     .kw = 1,
                     .stride = 1,
                     .dilation = 1,
                     .groups = 1};
}

// The operand of the second contraction has exactly the extents of the first one's result.
static void make_pair(pir_dims *dims, const pair_case *p, contraction *c) {
  conv_case second = second_of(p);
  c[0] = make_conv(dims, &p->first);
  c[1] = make_conv(dims, &second);
  static const int variable[] = {0, -1, 3, 4};  // n, y, x of make_conv
  for (int d = 0; d < 4; d++) {
    pir_dim made = c[0].out.shape[d];
    if (variable[d] < 0)
      continue;
    c[1].a.shape[d] = c[1].a.room[d] = c[1].out.shape[d] = c[1].out.room[d] = made;
    c[1].vars[variable[d]].extent = made;
  }
  c[0].b.slot = FIRST_TAPS;
  c[1].b.slot = SECOND_TAPS;
  c[1].out.slot = OUT;
}

static void pack(pair_run *r, int which, float *from, const int64_t *symbols) {
  void *packed = aligned_alloc(64, ((size_t)r->code.packed_bytes[which] + 63) / 64 * 64);
  void *buffers[] = {from, packed};
  symbol(r, r->code.packings[which].fn)(
      &(pir_group_args){.buffers = buffers, .dims = r->values}, 0,
      value_of(r, r->code.packings[which].units, symbols), NULL);
  r->buffers[FIRST_TAPS + which] = packed;
}

static void check(const pir_target *target, pir_code_store *store, const pair_case *p) {
  const conv_case *s = &p->first;
  conv_case second = second_of(p);
  int64_t symbols[] = {s->n, s->h, s->w, second.h, second.w},
          cells = s->n * second.h * second.w;
  pair_run r = {.dims = pir_dims_create(NULL), .module = pir_loop_module_create()};
  contraction c[2];
  make_pair(r.dims, p, c);
  contract_env env = {.module = r.module,
                      .target = target,
                      .user = &r,
                      .extent = extent,
                      .temporary = no_temporary},
               store_out = env;
  assert_int_equal(pir_contract_emit_pair(&c[0], &env, &c[1], &store_out, "pair", &r.code),
                   PIR_OK);
  assert_int_equal(pir_loop_verify(r.module, (loop_faults){0}), 0);
  const loop_module *modules[] = {r.module};
  assert_int_equal(pir_code_store_build(store, modules, NULL, 1, 1, &r.image), PIR_OK);
  for (int i = 0; i < r.asked_count; i++)
    r.values[i] = value_of(&r, r.asked[i], symbols);
  float *in = make_floats(s->n * s->c * s->h * s->w, 1),
        *a = make_floats(s->o * (s->c / s->groups) * s->kh * s->kw, 2),
        *b = make_floats(s->o * p->o, 3), *between = make_floats(cells * s->o, 4),
        *want = make_floats(cells * p->o, 5), *got = make_floats(cells * p->o, 6);
  plain_conv(s, in, a, between);
  plain_conv(&second, between, b, want);
  r.buffers[IN] = in;
  r.buffers[OUT] = got;
  pack(&r, 0, a, symbols);
  pack(&r, 1, b, symbols);
  int64_t units = value_of(&r, r.code.stage.units, symbols);
  char *scratch = aligned_alloc(64, ((size_t)r.code.stage.fn->scratch_bytes + 127) / 64 * 64);
  pir_stage_fn stage = symbol(&r, r.code.stage.fn);
  memset(scratch, 0xff, (size_t)r.code.stage.fn->scratch_bytes);  // no numbers
  stage(&(pir_group_args){.buffers = r.buffers, .dims = r.values}, units / 2, units, scratch);
  stage(&(pir_group_args){.buffers = r.buffers, .dims = r.values}, 0, units / 2, scratch);
  for (int64_t i = 0; i < cells * p->o; i++)
    if (got[i] != want[i])
      fail_msg("%s: c%d %dx%d k%d s%d p%d o%d%s: element %lld is %g, expected %g", target->name,
               (int)s->c, (int)s->h, (int)s->w, (int)s->kw, (int)s->stride, (int)s->pad,
               (int)p->o, s->varying ? " varying" : "", (long long)i, got[i], want[i]);
  free(in);
  free(a);
  free(b);
  free(between);
  free(want);
  free(got);
  free(scratch);
  free(r.buffers[FIRST_TAPS]);
  free(r.buffers[SECOND_TAPS]);
  pir_loop_module_destroy(r.module);
  pir_dims_destroy(r.dims);
}

#define DEPTHWISE(C, H, W, K, S, P, D)                                                         \
  {.n = 2,                                                                                     \
   .c = C,                                                                                     \
   .h = H,                                                                                     \
   .w = W,                                                                                     \
   .o = C,                                                                                     \
   .kh = K,                                                                                    \
   .kw = K,                                                                                    \
   .stride = S,                                                                                \
   .pad = P,                                                                                   \
   .dilation = D,                                                                              \
   .groups = C}

static const pair_case CASES[] = {
    {DEPTHWISE(32, 9, 14, 3, 1, 1, 1), 64},
    {DEPTHWISE(17, 7, 15, 3, 2, 1, 1), 33},
    {DEPTHWISE(5, 5, 3, 5, 1, 2, 1), 7},
    {DEPTHWISE(48, 3, 70, 3, 1, 1, 2), 24},
    {DEPTHWISE(16, 4, 130, 3, 1, 0, 1), 3},
    {DEPTHWISE(24, 4, 41, 2, 2, 0, 1), 100},
    {DEPTHWISE(256, 3, 19, 3, 1, 1, 1), 40},
    {DEPTHWISE(130, 2, 150, 3, 1, 1, 1), 20},
    {DEPTHWISE(8, 6, 300, 5, 2, 2, 1), 12},
    {DEPTHWISE(32, 6, 7, 1, 1, 0, 1), 16},
    // a convolution of few channels before a product
    {{.n = 1,
      .c = 3,
      .h = 10,
      .w = 37,
      .o = 20,
      .kh = 3,
      .kw = 3,
      .stride = 2,
      .pad = 1,
      .dilation = 1,
      .groups = 1},
     50},
};

static void test_numbers(void **state) {
  (void)state;
  for (size_t l = 0; l < sizeof LEVELS / sizeof *LEVELS; l++) {
    pir_target target;
    pir_code_store *store;
    if (pir_target_get(LEVELS[l], &target))
      continue;
    pir_context *ctx = pir_context_create(NULL);
    pir_context_set_sink(ctx, (pir_diag_sink){report, NULL});
    assert_int_equal(pir_code_store_create(ctx, &target, NULL, &store), PIR_OK);
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
      pair_case p = CASES[i];
      check(&target, store, &p);
      p.first.varying = true;
      check(&target, store, &p);
    }
    pir_code_store_destroy(store);
    pir_context_destroy(ctx);
  }
}

static bool pairs(pair_case p) {
  pir_target target;
  contraction c[2];
  assert_int_equal(pir_target_describe("x86-64-v4", &target), PIR_OK);
  target.l2_bytes = 1 << 20;
  pir_dims *dims = pir_dims_create(NULL);
  make_pair(dims, &p, c);
  bool gains = pir_contract_pairs(&c[0], &c[1], &target);
  pir_dims_destroy(dims);
  return gains;
}

static void test_choice(void **state) {
  pair_case varying = {DEPTHWISE(32, 112, 112, 3, 1, 1, 1), 64};
  (void)state;
  assert_true(pairs(varying));
  varying.first.varying = true;
  assert_true(pairs(varying));
  // Pairs whose intermediate result fits the L2 cache; taps for which it does not fit;
  // reductions so deep that memory does not matter.
  assert_false(pairs((pair_case){DEPTHWISE(32, 28, 28, 3, 1, 1, 1), 64}));
  assert_false(pairs((pair_case){DEPTHWISE(1024, 28, 28, 3, 1, 1, 1), 1024}));
  assert_false(pairs((pair_case){DEPTHWISE(32, 112, 112, 7, 1, 3, 1), 64}));
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_numbers),
                                     cmocka_unit_test(test_choice)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
