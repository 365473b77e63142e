// Models and sessions that are given what does not fit: options, tensors, offsets of sequences,
// indices. Each is a status with a message, and the session runs afterwards.
#include "../../../tools/ports.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <pir/compiler/dialects.h>
#include <pir/compiler/load.h>
#include <pir/engine/model.h>

static char said[512];

static void keep_message(void *user, const pir_diag *diag) {
  (void)user;
  if (diag->severity == PIR_ERROR)
    snprintf(said, sizeof said, "%.*s", (int)diag->message.size, diag->message.data);
}

// exp of x [-1,3], and x again as a list of rows that are not zero.
static const char text[] =
    "{\n(%x) = \"pd_op.data\" () "
    "{dtype:float32,name:\"x\",place:Place(undefined:0),shape:[-1,3]} : () -> "
    "tensor<-1x3xf32>\n"
    "(%e) = \"pd_op.exp\" (%x) {} : (tensor<-1x3xf32>) -> tensor<-1x3xf32>\n"
    "(%n) = \"pd_op.nonzero\" (%x) {} : (tensor<-1x3xf32>) -> tensor<-1x2xi64>\n"
    "(%f) = \"pd_op.fetch\" (%e) {col:0,name:\"e\"} : (tensor<-1x3xf32>) -> tensor<-1x3xf32>\n"
    "(%g) = \"pd_op.fetch\" (%n) {col:1,name:\"n\"} : (tensor<-1x2xi64>) -> "
    "tensor<-1x2xi64>\n}\n";

static int released;
static void count_release(void *user) {
  (void)user;
  released++;
}

static pir_status load(const pir_model_options *given, pir_model **out) {
  pir_model_options options = *given;
  options.size = sizeof options;
  options.sink = (pir_diag_sink){keep_message, NULL};
  said[0] = 0;
  pir_borrowed program = {.data = text, .size = sizeof text - 1, .release = count_release};
  return pir_model_load(program, (pir_borrowed){0}, &options, out);
}

static void wrong_options_are_refused(void **unused) {
  static const struct {
    pir_model_options options;
    const char *message;
  } cases[] = {
      {{.math = "loose"}, "math \"loose\"; known: "},
      {{.compiler = "elsewhere"},
       "compiler \"elsewhere\" is not known; known: server, process"},
      {{.target = "pdp11"}, "target \"pdp11\" is not known; known: "},
      {{.pipeline = "nothing_of_the_kind"}, "nothing_of_the_kind"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    pir_model *model = NULL;
    int before = released;
    assert_int_not_equal(load(&cases[i].options, &model), PIR_OK);
    assert_null(model);
    assert_int_equal(released, before + 1);
    if (!strstr(said, cases[i].message))
      fail_msg("case %zu: expected '%s', found '%s'", i, cases[i].message, said);
  }
}

static void options_may_be_few(void **unused) {
  static const pir_model_options cases[] = {
      {.compiler = "server"},  {.compiler = "process"}, {.compile_threads = 1},
      {.math = "bf16"},        {.math = "fast"},        {.target = "x86-64"},
      {.pipeline = "kernels"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    pir_model *model = NULL;
    pir_session *s = NULL;
    if (load(&cases[i], &model))
      fail_msg("case %zu: %s", i, said);
    float data[] = {0, 1, 0, 0, 0, 0};
    pir_tensor x = {.data = data}, n = {0};
    pir_tensor_set_dense(&x, PIR_F32, (int64_t[]){2, 3}, 2);
    // A caller of an older version knows fewer options.
    pir_session_options few = {.size = offsetof(pir_session_options, threads) + sizeof(int),
                               .threads = i % 2 ? 2 : 1};
    assert_int_equal(pir_session_create(model, i ? &few : NULL, &s), PIR_OK);
    assert_int_equal(pir_session_bind_input(s, 0, &x), PIR_OK);
    assert_int_equal(pir_session_run(s), PIR_OK);
    assert_int_equal(pir_session_output(s, 1, &n), PIR_OK);
    assert_int_equal(n.shape[0], 1);
    pir_session_destroy(s);
    pir_model_release(model);
  }
}

// ---- sessions

static void expect(pir_session *s, pir_status found, pir_status wanted, const char *message) {
  if (found != wanted || !strstr(pir_session_message(s), message))
    fail_msg("expected '%s' and status %d, found '%s' and status %d", message, wanted,
             pir_session_message(s), found);
}

static pir_tensor shaped(void *data, pir_dtype dtype, int rank, int64_t rows) {
  pir_tensor t = {.data = data};
  pir_tensor_set_dense(&t, dtype, (int64_t[]){rows, 3, 1, 1}, rank);
  return t;
}

static void inputs_that_do_not_fit(pir_session *s, float *data) {
  pir_tensor x = shaped(data, PIR_F64, 2, 2);
  expect(s, pir_session_bind_input(s, 0, &x), PIR_INVALID, "expects float32, got float64");
  x = shaped(data, PIR_F32, 3, 2);
  expect(s, pir_session_bind_input(s, 0, &x), PIR_INVALID, "expects rank 2 [-1,3], got rank 3");
  x.rank = 99;
  expect(s, pir_session_bind_input(s, 0, &x), PIR_INVALID, "expects a rank from 0 to");
  x = shaped(data, PIR_F32, 2, -1);
  expect(s, pir_session_bind_input(s, 0, &x), PIR_INVALID, "expects shape [-1,3]");
  x = shaped(data, PIR_F32, 2, INT64_MAX / 2);
  expect(s, pir_session_bind_input(s, 0, &x), PIR_EXHAUSTED, "input 0 is too large");
  expect(s, pir_session_bind_input(s, 0, NULL), PIR_INVALID, "no tensor is given");
  expect(s, pir_session_bind_input(s, 7, &x), PIR_NOT_FOUND, "there is no input 7");
  expect(s, pir_session_run(s), PIR_INVALID, "input 0 \"x\" is not bound");
  for (int i = 0; i < 2; i++) {
    x = shaped(data, PIR_F32, 2, 2);
    x.reserved[i] = 1;
    expect(s, pir_session_bind_input(s, 0, &x), PIR_UNSUPPORTED,
           "unsupported: input 0 \"x\" sets a field of a later version");
  }
  x = shaped(NULL, PIR_F32, 2, 2);
  expect(s, pir_session_bind_input(s, 0, &x), PIR_OK, "");
  expect(s, pir_session_run(s), PIR_INVALID, "input 0 has no data");
}

static void offsets_that_do_not_fit(pir_session *s, float *data) {
  static const uint64_t from_1[] = {1, 2}, to_9[] = {0, 9}, falling[] = {0, 2, 1, 2},
                        whole[] = {0, 2}, one[] = {0, 1};
  static const struct {
    const uint64_t *levels[2];
    size_t sizes[2], count;
    const char *message;
  } cases[] = {
      {{from_1}, {2}, 1, "offsets of level 0 must rise from 0 to 2, the rows"},
      {{to_9}, {2}, 1, "offsets of level 0 must rise from 0 to 2, the rows"},
      {{falling}, {4}, 1, "offsets of level 0 must rise from 0 to 2, the rows"},
      {{whole}, {0}, 1, "offsets of level 0 must rise from 0 to 2, the rows"},
      {{whole, whole}, {2, 2}, 2, "must rise from 0 to 1, the sequences of the next"},
      {{one, whole}, {2, 2}, 2, ""},
  };
  pir_tensor x = shaped(data, PIR_F32, 2, 2);
  x.lod_levels = 1;
  expect(s, pir_session_bind_input(s, 0, &x), PIR_INVALID, "1 levels of offsets, and no");
  x.lod = (const uint64_t *[]){whole};
  expect(s, pir_session_bind_input(s, 0, &x), PIR_INVALID, "1 levels of offsets, and no");
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    bool right = !cases[i].message[0];
    x.lod = cases[i].levels;
    x.lod_sizes = cases[i].sizes;
    x.lod_levels = cases[i].count;
    expect(s, pir_session_bind_input(s, 0, &x), right ? PIR_OK : PIR_INVALID, cases[i].message);
  }
}

static void outputs_that_do_not_fit(pir_session *s, float *data) {
  static _Alignas(16) int64_t room[64];
  pir_tensor out = shaped(room, PIR_F64, 2, 2);
  expect(s, pir_session_bind_output(s, 0, &out), PIR_INVALID, "expects float32, got float64");
  out = shaped(NULL, PIR_F32, 2, 2);
  expect(s, pir_session_bind_output(s, 0, &out), PIR_INVALID, "must be aligned and row-major");
  out = shaped((char *)room + 1, PIR_F32, 2, 2);
  expect(s, pir_session_bind_output(s, 0, &out), PIR_INVALID, "must be aligned and row-major");
  out = shaped(room, PIR_F32, 2, 2);
  out.strides[0] = 5;
  expect(s, pir_session_bind_output(s, 0, &out), PIR_INVALID, "must be aligned and row-major");
  out = shaped(room, PIR_F32, 2, INT64_MAX / 2);
  expect(s, pir_session_bind_output(s, 0, &out), PIR_EXHAUSTED, "output 0 is too large");
  expect(s, pir_session_bind_output(s, 9, &out), PIR_NOT_FOUND, "there is no output 9");
  // What only the run shows.
  pir_tensor x = shaped(data, PIR_F32, 2, 2);
  expect(s, pir_session_bind_input(s, 0, &x), PIR_OK, "");
  out = (pir_tensor){.data = room};
  pir_tensor_set_dense(&out, PIR_I64, (int64_t[]){5, 2}, 2);
  expect(s, pir_session_bind_output(s, 1, &out), PIR_OK, "");
  expect(s, pir_session_run(s), PIR_INVALID,
         "output 1 is [2,2] for these inputs, the bound tensor is [5,2]");
  expect(s, pir_session_bind_output(s, 1, NULL), PIR_OK, "");
  out = shaped(room, PIR_F32, 2, 3);
  expect(s, pir_session_bind_output(s, 0, &out), PIR_OK, "");
  assert_int_equal(pir_session_run(s), PIR_INVALID);
  expect(s, pir_session_bind_output(s, 0, NULL), PIR_OK, "");
}

static void tensors_that_do_not_fit_are_refused(void **unused) {
  static const char *const pipelines[] = {"kernels", "compile"};
  for (int p = 0; p < 2; p++) {
    float data[] = {0, 1, 0, 0, 0, 2};
    pir_model *model = NULL;
    pir_session *s = NULL;
    pir_tensor n = {0};
    assert_int_equal(
        load(&(pir_model_options){.size = sizeof(pir_model_options), .pipeline = pipelines[p]},
             &model),
        PIR_OK);
    assert_int_equal(pir_session_create(model, NULL, &s), PIR_OK);
    (void)pir_session_trim(s);
    inputs_that_do_not_fit(s, data);
    offsets_that_do_not_fit(s, data);
    outputs_that_do_not_fit(s, data);
    assert_int_equal(pir_session_run(s), PIR_OK);
    assert_int_equal(pir_session_output(s, 1, &n), PIR_OK);
    assert_int_equal(n.shape[0], 2);
    expect(s, pir_session_output(s, 5, &n), PIR_NOT_FOUND, "there is no output 5");
    expect(s, pir_session_output(s, 0, NULL), PIR_INVALID, "");
    (void)pir_session_trim(s);
    assert_int_equal(pir_session_run(s), PIR_OK);
    pir_session_destroy(s);
    pir_model_release(model);
  }
}

// Whoever gives NULL is told so, by the sink of the options or by that of the context.
static void absent_arguments_are_named(void **unused) {
  pir_model_options loud = {.size = sizeof loud, .sink = {keep_message, NULL}};
  pir_session_options how = {.size = sizeof how, .sink = {keep_message, NULL}};
  pir_borrowed bytes = {.data = text, .size = sizeof text - 1, .release = count_release};
  pir_context *ctx = pir_context_create(NULL);
  pir_program *program = NULL;
  pir_model *model = NULL;
  pir_session *s = NULL;
  pir_context_set_sink(ctx, (pir_diag_sink){keep_message, NULL});
  assert_int_equal(pir_dialects_load_all(ctx), PIR_OK);
  assert_int_equal(pir_program_load(ctx, bytes, (pir_borrowed){0}, PIR_STR("memory"), &program),
                   PIR_OK);
#define NAMED(call, status, message)                                                           \
  do {                                                                                         \
    said[0] = 0;                                                                               \
    assert_int_equal(call, status);                                                            \
    assert_string_equal(said, message);                                                        \
  } while (0)
  NAMED(pir_model_create(NULL, &loud, &model), PIR_INVALID,
        "pir_model_create: an argument is NULL");
  NAMED(pir_model_create(program, NULL, NULL), PIR_INVALID,
        "pir_model_create: an argument is NULL");
  NAMED(pir_model_create(NULL, NULL, &model), PIR_INVALID, "");
  NAMED(pir_model_compile_ahead(NULL, &loud), PIR_INVALID,
        "pir_model_compile_ahead: an argument is NULL");
  NAMED(pir_model_compile_ahead(program, NULL), PIR_INVALID,
        "code that is compiled ahead needs a cache to be put in");
  NAMED(pir_model_load_file(NULL, NULL, &loud, &model), PIR_INVALID,
        "pir_model_load_file: an argument is NULL");
  NAMED(pir_model_load_file("x", NULL, &loud, NULL), PIR_INVALID,
        "pir_model_load_file: an argument is NULL");
  int before = released;
  NAMED(pir_model_load(bytes, (pir_borrowed){0}, &loud, NULL), PIR_INVALID,
        "pir_model_load: an argument is NULL");
  assert_int_equal(released, before + 1);
  NAMED(pir_model_load((pir_borrowed){0}, bytes, &loud, &model), PIR_INVALID,
        "pir_model_load: an argument is NULL");
  assert_int_equal(released, before + 2);
  NAMED(pir_session_create(NULL, &how, &s), PIR_INVALID,
        "pir_session_create: an argument is NULL");
  NAMED(pir_session_create(NULL, NULL, NULL), PIR_INVALID, "");
#undef NAMED
  assert_null(model);
  assert_null(s);
  pir_context_destroy(ctx);
}

// Code for other machines: what is compiled ahead depends on the target alone.
static void code_is_compiled_ahead(void **unused) {
  char cache[] = "/tmp/pir-ahead-XXXXXX", command[64];
  pir_borrowed bytes = {.data = text, .size = sizeof text - 1};
  pir_context *ctx = pir_context_create(NULL);
  pir_program *program = NULL;
  assert_non_null(mkdtemp(cache));
  pir_context_set_sink(ctx, (pir_diag_sink){keep_message, NULL});
  assert_int_equal(pir_dialects_load_all(ctx), PIR_OK);
  assert_int_equal(pir_program_load(ctx, bytes, (pir_borrowed){0}, PIR_STR("memory"), &program),
                   PIR_OK);
  pir_model_options how = {
      .size = sizeof how, .cache = cache, .target = "sapphirerapids", .math = "bf16"};
  assert_int_equal(pir_model_compile_ahead(program, &how), PIR_OK);
  how.target = "x86-64-v3";
  assert_int_equal(pir_model_compile_ahead(program, &how), PIR_OK);
  how.target = "cuda";
  assert_int_equal(pir_model_compile_ahead(program, &how), PIR_UNSUPPORTED);
  assert_non_null(strstr(said, "unsupported: code of a device compiled ahead"));
  how.target = "pdp11";
  assert_int_not_equal(pir_model_compile_ahead(program, &how), PIR_OK);
  assert_non_null(strstr(said, "target \"pdp11\" is not known"));
  pir_context_destroy(ctx);
  snprintf(command, sizeof command, "rm -r %s", cache);
  assert_int_equal(system(command), 0);
}

static void absent_things_are_nothing(void **unused) {
  pir_tensor x = {0};
  assert_int_equal(pir_session_trim(NULL), 0);
  assert_int_equal(pir_session_bind_input(NULL, 0, &x), PIR_INVALID);
  assert_int_equal(pir_session_bind_output(NULL, 0, &x), PIR_INVALID);
  assert_int_equal(pir_session_run(NULL), PIR_INVALID);
  assert_int_equal(pir_session_output(NULL, 0, &x), PIR_INVALID);
  assert_int_equal(model_stats(NULL).ops, 0);
  assert_int_equal(pir_model_compile_ahead(NULL, NULL), PIR_INVALID);
  pir_session_destroy(NULL);
  pir_model_release(NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(wrong_options_are_refused),
      cmocka_unit_test(options_may_be_few),
      cmocka_unit_test(tensors_that_do_not_fit_are_refused),
      cmocka_unit_test(absent_things_are_nothing),
      cmocka_unit_test(absent_arguments_are_named),
      cmocka_unit_test(code_is_compiled_ahead),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
