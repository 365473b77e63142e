// Tensors of strings in the C API: what goes in comes out with its bytes, results are the
// session's, limits and failed allocations are statuses, and only ops that know strings have
// them. Run from the root of the checkout.
#include "../../../../tools/ports.h"
#include "../../../api/failing.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <pir/compiler/dialects.h>
#include <pir/compiler/load.h>
#include <pir/engine/model.h>
#include <pir/compiler/text.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The input, and a copy of it in lower case.
#define TWO_COLUMNS "tensor<-1x2xpstring>"
#define LOWER                                                                                  \
  "{\n(%0) = \"pd_op.data\" () {dtype:pstring,name:\"x\",place:Place(undefined:0),"            \
  "shape:[-1,2]} : () -> " TWO_COLUMNS "\n(%1) = \"pd_op.strings_lower\" (%0) "                \
  "{use_utf8_encoding:true} : (" TWO_COLUMNS ") -> " TWO_COLUMNS                               \
  "\n() = \"builtin.shadow_output\" (%1) {output_name:\"low\"} : (" TWO_COLUMNS ") ->\n"       \
  "() = \"builtin.shadow_output\" (%0) {output_name:\"same\"} : (" TWO_COLUMNS ") ->\n}\n"
// One op between an input [2,2] and an output.
#define ONE(op, attrs, name, in, out)                                                          \
  "{\n(%0) = \"pd_op.data\" () {dtype:" name                                                   \
  ",name:\"x\",place:Place(undefined:0),shape:[2,2]} : () -> tensor<2x2x" in ">\n(%1) = \"" op \
  "\" (%0) {" attrs "} : (tensor<2x2x" in ">) -> " out                                         \
  "\n() = \"builtin.shadow_output\" (%1) {output_name:\"y\"} : (" out ") ->\n}\n"

static const char *const pipelines[] = {"kernels", "compile"};
static char heard[1024];

static void hear(void *user, const pir_diag *diag) {
  (void)user;
  snprintf(heard, sizeof heard, "%.*s", (int)diag->message.size, diag->message.data);
}

static pir_status try_model(const char *text, const char *pipeline, pir_model **out_model) {
  pir_model_options options = {.size = sizeof options, .pipeline = pipeline};
  pir_context *ctx = pir_context_create(NULL);
  pir_program *program = NULL;
  *out_model = NULL;
  pir_context_set_sink(ctx, (pir_diag_sink){hear, NULL});
  assert_int_equal(pir_dialects_load_all(ctx), PIR_OK);
  if (pir_program_parse(ctx, pir_str_from(text), NULL, &program))
    fail_msg("%s", text);
  heard[0] = 0;
  pir_status status = pir_model_create(program, &options, out_model);
  pir_program_destroy(program);
  pir_context_destroy(ctx);
  return status;
}

static pir_model *make_model(const char *text, const char *pipeline) {
  pir_model *model;
  assert_int_equal(try_model(text, pipeline, &model), PIR_OK);
  return model;
}

static pir_session *open_session(pir_model *model, const pir_session_options *options) {
  pir_session *session;
  assert_int_equal(pir_session_create(model, options, &session), PIR_OK);
  return session;
}

static pir_tensor strings(pir_str *data, int64_t rows) {
  pir_tensor tensor = {.data = data};
  pir_tensor_set_dense(&tensor, PIR_PSTRING, (int64_t[]){rows, 2}, 2);
  return tensor;
}

static void expect(pir_session *session, size_t output, const pir_str *want, int64_t count) {
  pir_tensor out;
  assert_int_equal(pir_session_output(session, output, &out), PIR_OK);
  assert_int_equal(out.dtype, PIR_PSTRING);
  assert_int_equal(pir_tensor_numel(&out), count);
  assert_true(pir_tensor_is_dense(&out));
  for (int64_t i = 0; i < count; i++) {
    const pir_str *found = (const pir_str *)out.data + i;
    assert_int_equal(found->size, want[i].size);
    assert_memory_equal(found->data ? found->data : "", want[i].data ? want[i].data : "",
                        want[i].size);
  }
}

static void strings_go_in_and_out(void **unused) {
  for (int i = 0; i < 2; i++) {
    pir_model *model = make_model(LOWER, pipelines[i]);
    assert_int_equal(input_port(model, 0).dtype, PIR_PSTRING);
    assert_int_equal(output_port(model, 1).dtype, PIR_PSTRING);
    pir_session *session = open_session(model, NULL);
    char own[] = "W\xc3\x96RLD";
    pir_str in[] = {PIR_STR("Hello"), {own, 6}, {NULL, 0},
                    PIR_STR("A\0B"),  {"", 0},  PIR_STR("\xff\xc3 X")};
    pir_str low[] = {PIR_STR("hello"), PIR_STR("w\xc3\xb6rld"), {NULL, 0}, PIR_STR("a\0b"),
                     {NULL, 0},        PIR_STR("\xff\xc3 x")};
    pir_str same[6];
    memcpy(same, in, sizeof in);
    same[1] = PIR_STR("W\xc3\x96RLD");
    pir_tensor x = strings(in, 3);
    assert_int_equal(pir_session_bind_input(session, 0, &x), PIR_OK);
    assert_int_equal(pir_session_run(session), PIR_OK);
    // The results are the session's: the caller's bytes may change.
    memset(own, 'z', sizeof own);
    memset(in, 0, sizeof in);
    expect(session, 0, low, 6);
    expect(session, 1, same, 6);
    // Fewer strings, and none.
    x = strings(same, 1);
    assert_int_equal(pir_session_bind_input(session, 0, &x), PIR_OK);
    assert_int_equal(pir_session_run(session), PIR_OK);
    expect(session, 0, low, 2);
    x = strings(NULL, 0);
    assert_int_equal(pir_session_bind_input(session, 0, &x), PIR_OK);
    assert_int_equal(pir_session_run(session), PIR_OK);
    expect(session, 0, NULL, 0);
    pir_session_destroy(session);
    pir_model_release(model);
  }
}

static void strided_strings_and_bound_outputs(void **unused) {
  pir_model *model = make_model(LOWER, NULL);
  pir_session *session = open_session(model, NULL);
  pir_str in[] = {PIR_STR("AA"), PIR_STR("BB"), PIR_STR("CC"), PIR_STR("DD")}, out[4] = {{0}};
  pir_str low[] = {PIR_STR("aa"), PIR_STR("cc"), PIR_STR("bb"), PIR_STR("dd")};
  pir_tensor x = strings(in, 2), y = strings(out, 2);
  x.strides[0] = 1;
  x.strides[1] = 2;
  assert_int_equal(pir_session_bind_input(session, 0, &x), PIR_OK);
  assert_int_equal(pir_session_bind_output(session, 0, &y), PIR_OK);
  assert_int_equal(pir_session_run(session), PIR_OK);
  expect(session, 0, low, 4);
  assert_memory_equal(out[2].data, "bb", 2);
  // An output over the elements of the input.
  y = strings(in, 2);
  x = strings(in, 2);
  assert_int_equal(pir_session_bind_input(session, 0, &x), PIR_OK);
  assert_int_equal(pir_session_bind_output(session, 0, &y), PIR_OK);
  assert_int_equal(pir_session_run(session), PIR_OK);
  expect(session, 1, (pir_str[]){PIR_STR("AA"), PIR_STR("BB"), PIR_STR("CC"), PIR_STR("DD")},
         4);
  assert_memory_equal(in[3].data, "dd", 2);
  pir_session_destroy(session);
  pir_model_release(model);
}

static void wrong_strings_are_named(void **unused) {
  pir_model *model = make_model(LOWER, NULL);
  pir_session *session = open_session(model, NULL);
  pir_str in[] = {PIR_STR("a"), {NULL, 3}};
  pir_tensor x = strings(in, 1), numbers = x;
  numbers.dtype = PIR_F32;
  assert_int_equal(pir_session_bind_input(session, 0, &numbers), PIR_INVALID);
  assert_string_equal(pir_session_message(session),
                      "input 0 \"x\": expects pstring, got float32");
  assert_int_equal(pir_session_bind_input(session, 0, &x), PIR_OK);
  assert_int_equal(pir_session_run(session), PIR_INVALID);
  assert_string_equal(pir_session_message(session),
                      "input 0: string 1 has a size of 3 bytes, and no data");
  in[0] = (pir_str){"a", SIZE_MAX};
  in[1] = (pir_str){"a", SIZE_MAX};
  assert_int_equal(pir_session_run(session), PIR_EXHAUSTED);
  assert_string_equal(pir_session_message(session), "input 0: the strings are too long");
  in[0] = in[1] = (pir_str){0};
  assert_int_equal(pir_session_run(session), PIR_OK);
  expect(session, 0, in, 2);
  pir_session_destroy(session);
  pir_model_release(model);
}

// The bytes of inputs, and those that kernels make, count towards max_bytes.
static void bytes_are_limited(void **unused) {
  enum { SIZE = 100000 };
  pir_model *model = make_model(LOWER, NULL);
  char *text = malloc(SIZE);
  memset(text, 'A', SIZE);
  pir_str in[] = {{text, SIZE}, {NULL, 0}};
  pir_tensor x = strings(in, 1);
  size_t limits[] = {SIZE / 2, SIZE + SIZE / 2, 3 * SIZE};
  const char *messages[] = {"more than max_bytes allows", "no room for strings", ""};
  for (int i = 0; i < 3; i++) {
    failing count = {.left = 1 << 20};
    pir_session_options options = {
        .size = sizeof options, .max_bytes = limits[i], .allocator = failing_allocator(&count)};
    pir_session *session = open_session(model, &options);
    assert_int_equal(pir_session_bind_input(session, 0, &x), PIR_OK);
    assert_int_equal(pir_session_run(session), i < 2 ? PIR_EXHAUSTED : PIR_OK);
    assert_non_null(strstr(pir_session_message(session), messages[i]));
    pir_session_destroy(session);
    assert_true(count.most < limits[i] + 20000);
    assert_int_equal(count.held, 0);
  }
  free(text);
  pir_model_release(model);
}

static void every_failed_allocation_is_a_status(void **unused) {
  pir_model *model = make_model(LOWER, NULL);
  pir_str in[] = {PIR_STR("Hello"), PIR_STR("World")};
  pir_str low[] = {PIR_STR("hello"), PIR_STR("world")};
  pir_tensor x = strings(in, 1);
  bool done = false;
  for (long left = 0; !done; left++) {
    failing count = {.left = left};
    pir_session *session = NULL;
    pir_session_options options = {.size = sizeof options,
                                   .allocator = failing_allocator(&count)};
    pir_status status = pir_session_create(model, &options, &session);
    if (!status) {
      assert_int_equal(pir_session_bind_input(session, 0, &x), PIR_OK);
      status = pir_session_run(session);
      done = !status;
      count.left = 1 << 20;
      assert_int_equal(pir_session_run(session), PIR_OK);
      expect(session, 0, low, 2);
    }
    assert_true(done || status == PIR_EXHAUSTED);
    pir_session_destroy(session);
    assert_int_equal(count.held, 0);
    assert_true(left < 1000);
  }
  pir_model_release(model);
}

// What would make pointers out of other bits is refused when the model is made.
static void ops_without_strings_refuse_them(void **unused) {
#define REFUSED(op) "unsupported: strings: an operand or result of \"" op "\""
  static const char *const texts[][2] = {
      {ONE("pd_op.view_dtype", "dtype:pstring", "complex128", "c128", "tensor<2x2xpstring>"),
       REFUSED("pd_op.view_dtype")},
      {ONE("pd_op.view_dtype", "dtype:int64", "pstring", "pstring", "tensor<2x4xi64>"),
       REFUSED("pd_op.view_dtype")},
      {ONE("pd_op.cast", "dtype:int64", "pstring", "pstring", "tensor<2x2xi64>"),
       REFUSED("pd_op.cast")},
      {ONE("pd_op.cast", "dtype:pstring", "int64", "i64", "tensor<2x2xpstring>"),
       REFUSED("pd_op.cast")},
      {ONE("pd_op.empty_like", "dtype:pstring,place:Place(cpu)", "int64", "i64",
           "tensor<2x2xpstring>"),
       REFUSED("pd_op.empty_like")},
      {ONE("pd_op.zeros_like", "dtype:Undefined,place:Place(cpu)", "pstring", "pstring",
           "tensor<2x2xpstring>"),
       REFUSED("pd_op.zeros_like")},
      {ONE("pd_op.relu", "", "pstring", "pstring", "tensor<2x2xpstring>"),
       "\"pd_op.relu\" operand x: expects float32 or float64 or bfloat16, found pstring"},
      {ONE("pd_op.strings_lower", "use_utf8_encoding:true", "int64", "i64",
           "tensor<2x2xpstring>"),
       "\"pd_op.strings_lower\" operand x: expects pstring, found int64"},
  };
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
    for (int k = 0; k < 2; k++) {
      pir_model *model;
      assert_int_not_equal(try_model(texts[i][0], pipelines[k], &model), PIR_OK);
      assert_string_equal(heard, texts[i][1]);
      assert_null(model);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(strings_go_in_and_out),
                                     cmocka_unit_test(strided_strings_and_bound_outputs),
                                     cmocka_unit_test(wrong_strings_are_named),
                                     cmocka_unit_test(bytes_are_limited),
                                     cmocka_unit_test(every_failed_allocation_is_a_status),
                                     cmocka_unit_test(ops_without_strings_refuse_them)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
