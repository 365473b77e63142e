// One token over long caches in their order, against the definition in float64: parts of the
// keys, heads that share them, types, a mask, NaN. One and two threads give the same bits.
#include "../../../../tools/ports.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <pir/compiler/load.h>
#include <pir/engine/model.h>

// A program with one op, of which LONG and ELEM are the type of its floats.
static const char packed[] =
    "{\n(%x) = \"pd_op.data\" () {dtype:LONG,name:\"x\",place:Place(undefined:0),"
    "shape:[-1,-1]} : () -> tensor<-1x-1xELEM>\n"
    "(%c) = \"pd_op.data\" () {dtype:LONG,name:\"c\",place:Place(undefined:0),"
    "shape:[-1,-1,-1,-1,-1]} : () -> tensor<-1x-1x-1x-1x-1xELEM>\n"
    "(%m) = \"pd_op.data\" () {dtype:LONG,name:\"m\",place:Place(undefined:0),"
    "shape:[-1,-1,1,-1]} : () -> tensor<-1x-1x1x-1xELEM>\n"
    "(%o, %a, %b) = \"pd_op.masked_multihead_attention_\" (%x, %c, <<NULL VALUE>>, %m, "
    "<<NULL VALUE>>, <<NULL VALUE>>, <<NULL VALUE>>, <<NULL VALUE>>, <<NULL VALUE>>, "
    "<<NULL VALUE>>, <<NULL VALUE>>) {compute_dtype:\"default\",out_scale:-1,"
    "quant_max_bound:127,quant_min_bound:-127,quant_round_type:1,rotary_emb_dims:0,seq_len:1,"
    "use_neox_rotary_style:false} : (tensor<-1x-1xELEM>, tensor<-1x-1x-1x-1x-1xELEM>, "
    "<<NULL TYPE>>, tensor<-1x-1x1x-1xELEM>, <<NULL TYPE>>, <<NULL TYPE>>, <<NULL TYPE>>, "
    "<<NULL TYPE>>, <<NULL TYPE>>, <<NULL TYPE>>, <<NULL TYPE>>) -> tensor<-1x-1xELEM>, "
    "tensor<-1x-1x-1x-1x-1xELEM>, <<NULL TYPE>>\n"
    "(%f) = \"pd_op.fetch\" (%o) {col:0,name:\"o\"} : (tensor<-1x-1xELEM>) -> "
    "tensor<-1x-1xELEM>\n"
    "(%g) = \"pd_op.fetch\" (%a) {col:1,name:\"a\"} : (tensor<-1x-1x-1x-1x-1xELEM>) -> "
    "tensor<-1x-1x-1x-1x-1xELEM>\n}\n";

static char *with_type(pir_dtype dtype, const char *letters) {
  static char text[4096];
  const char *name = pir_dtype_name(dtype);
  char *to = text;
  for (const char *at = packed; *at;) {
    bool lengthy = !strncmp(at, "LONG", 4), brief = !strncmp(at, "ELEM", 4);
    if (lengthy || brief)
      to += sprintf(to, "%s", lengthy ? name : letters);
    else
      *to++ = *at;
    at += lengthy || brief ? 4 : 1;
  }
  *to = 0;
  return text;
}

static void print_diag(void *user, const pir_diag *diag) {
  (void)user;
  fprintf(stderr, "%.*s\n", (int)diag->message.size, diag->message.data);
}

static pir_model *load(const char *text) {
  pir_model_options options = {
      .size = sizeof options, .any_float = true, .sink = {print_diag, NULL}};
  pir_model *model = NULL;
  pir_borrowed program = {.data = text, .size = strlen(text)};
  assert_int_equal(pir_model_load(program, (pir_borrowed){0}, &options, &model), PIR_OK);
  return model;
}

static void check(pir_session *s, pir_status status) {
  if (status)
    fail_msg("%s", pir_session_message(s));
}

// Numbers in [-1, 1) that a type holds.
static pir_tensor drawn(pir_dtype dtype, const int64_t *shape, int rank, uint32_t *seed,
                        double scale) {
  pir_tensor t = {0}, wide = {0};
  pir_tensor_set_dense(&t, dtype, shape, rank);
  pir_tensor_set_dense(&wide, PIR_F64, shape, rank);
  int64_t n = pir_tensor_numel(&t);
  double *values = wide.data = malloc((size_t)n * sizeof(double));
  t.data = malloc((size_t)n * pir_dtype_size(dtype));
  for (int64_t i = 0; i < n; i++) {
    *seed = *seed * 1664525 + 1013904223;
    values[i] = scale * ((double)(*seed >> 8) / (1 << 23) - 1);
  }
  assert_int_equal(pir_tensor_copy(&wide, &t), PIR_OK);
  free(values);
  return t;
}

typedef struct sizes {
  pir_dtype dtype;
  const char *letters;
  double tolerance;  // of the largest result
  int64_t heads, key_heads, places, room, width;
} sizes;

// Attention of one head in float64, over a cache that holds the new token.
static void define(const sizes *z, const pir_tensor *x, const pir_tensor *cache,
                   const pir_tensor *mask, int64_t head, double *out) {
  int64_t shared = head / (z->heads / z->key_heads), pack = z->dtype == PIR_F32 ? 4 : 8;
  int64_t keys = shared * z->room * z->width;
  int64_t values = (z->key_heads + shared) * z->room * z->width;
  double *scores = malloc((size_t)z->places * sizeof *scores), most = -INFINITY, sum = 0;
  for (int64_t p = 0; p < z->places; p++) {
    double score = 0;
    for (int64_t i = 0; i < z->width; i++)
      score += pir_tensor_float_at(x, head * z->width + i) *
               pir_tensor_float_at(cache, keys + (i / pack * z->room + p) * pack + i % pack);
    scores[p] = score / sqrt((double)z->width) + pir_tensor_float_at(mask, p);
    most = fmax(most, scores[p]);
  }
  memset(out, 0, (size_t)z->width * sizeof *out);
  for (int64_t p = 0; p < z->places; p++) {
    double weight = exp(scores[p] - most);
    sum += weight;
    for (int64_t i = 0; i < z->width && weight > 0; i++)
      out[i] += weight * pir_tensor_float_at(cache, values + p * z->width + i);
  }
  for (int64_t i = 0; i < z->width; i++)
    out[i] /= sum;
  free(scores);
}

static pir_session *open(pir_model *model, int threads, pir_tensor *x, pir_tensor *cache,
                         pir_tensor *mask) {
  pir_session_options options = {.size = sizeof options, .threads = threads};
  pir_session *s = NULL;
  assert_int_equal(pir_session_create(model, &options, &s), PIR_OK);
  check(s, pir_session_alias(s, 1, 1, 0));
  check(s, pir_session_bind_input(s, 0, x));
  check(s, pir_session_bind_input(s, 1, cache));
  check(s, pir_session_bind_input(s, 2, mask));
  check(s, pir_session_run(s));
  return s;
}

static void compare(const sizes *z) {
  uint32_t seed = (uint32_t)z->places;
  pir_model *model = load(with_type(z->dtype, z->letters));
  int64_t columns = (z->heads + 2 * z->key_heads) * z->width;
  pir_tensor x = drawn(z->dtype, (int64_t[]){1, columns}, 2, &seed, 3);
  pir_tensor cache =
      drawn(z->dtype, (int64_t[]){2, 1, z->key_heads, z->room, z->width}, 5, &seed, 1);
  pir_tensor mask = drawn(z->dtype, (int64_t[]){1, 1, 1, z->places}, 4, &seed, 2);
  pir_tensor one, two;
  pir_session *s = open(model, 1, &x, &cache, &mask), *t = open(model, 2, &x, &cache, &mask);
  check(s, pir_session_output(s, 0, &one));
  check(t, pir_session_output(t, 0, &two));
  assert_memory_equal(one.data, two.data,
                      (size_t)pir_tensor_numel(&one) * pir_dtype_size(one.dtype));
  double *wanted = malloc((size_t)z->width * sizeof *wanted), worst = 0, largest = 0;
  for (int64_t h = 0; h < z->heads; h++) {
    define(z, &x, &cache, &mask, h, wanted);
    for (int64_t i = 0; i < z->width; i++) {
      double error = fabs(pir_tensor_float_at(&one, h * z->width + i) - wanted[i]);
      worst = error > worst || isnan(error) ? error : worst;
      largest = fmax(largest, fabs(wanted[i]));
    }
  }
  if (!(worst <= z->tolerance * largest))
    fail_msg("%s, %lld places: error %g of %g", pir_dtype_name(z->dtype), (long long)z->places,
             worst, largest);
  free(wanted);
  free(x.data);
  free(cache.data);
  free(mask.data);
  pir_session_destroy(s);
  pir_session_destroy(t);
  pir_model_release(model);
}

static void long_caches_agree_with_the_definition(void **unused) {
  static const sizes all[] = {
      {PIR_F32, "f32", 2e-6, 8, 2, 1000, 1024, 64},
      {PIR_F32, "f32", 2e-6, 20, 2, 513, 600, 32},
      {PIR_F32, "f32", 2e-6, 3, 3, 5, 6, 8},
      {PIR_F32, "f32", 2e-6, 2, 1, 512, 512, 100},
      {PIR_F16, "f16", 1e-3, 8, 4, 700, 701, 64},
      {PIR_BF16, "bf16", 8e-3, 8, 4, 700, 701, 64},
  };
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    compare(&all[i]);
}

// Attention of one head over two parts, with one number as the mask of the first part.
static pir_tensor masked_part(pir_model *model, float number, pir_session **out_session) {
  enum { PART = 512, PLACES = 600, WIDTH = 8 };
  uint32_t seed = 1;
  pir_tensor x = drawn(PIR_F32, (int64_t[]){1, 3 * WIDTH}, 2, &seed, 1);
  pir_tensor cache = drawn(PIR_F32, (int64_t[]){2, 1, 1, PLACES, WIDTH}, 5, &seed, 1);
  pir_tensor mask = drawn(PIR_F32, (int64_t[]){1, 1, 1, PLACES}, 4, &seed, 1), out;
  for (int p = 0; p < PART; p++)
    ((float *)mask.data)[p] = number;
  *out_session = open(model, 1, &x, &cache, &mask);
  check(*out_session, pir_session_output(*out_session, 0, &out));
  free(x.data);
  free(cache.data);
  free(mask.data);
  return out;
}

// A part of which all scores are NaN has no greatest score, and still makes the result NaN; one
// that is hidden does not.
static void nan_of_a_whole_part_stays(void **unused) {
  pir_model *model = load(with_type(PIR_F32, "f32"));
  pir_session *s;
  pir_tensor out = masked_part(model, NAN, &s);
  for (int64_t i = 0; i < pir_tensor_numel(&out); i++)
    assert_true(isnan(pir_tensor_float_at(&out, i)));
  pir_session_destroy(s);
  out = masked_part(model, -INFINITY, &s);
  for (int64_t i = 0; i < pir_tensor_numel(&out); i++)
    assert_true(isfinite(pir_tensor_float_at(&out, i)));
  pir_session_destroy(s);
  pir_model_release(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(long_caches_agree_with_the_definition),
      cmocka_unit_test(nan_of_a_whole_part_stays),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
