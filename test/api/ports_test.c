// Names and ranges of the extents of ports that vary. Run from the root of the checkout.
#include "../../tools/ports.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <pir/compiler/dialects.h>
#include <pir/compiler/load.h>

// Two inputs that are joined, a row that is added, a matrix. The places of @ take attributes.
static const char joined[] =
    "{\n"
    "(%0) = \"pd_op.data\" () {dtype:float32,name:\"x\",place:Place(undefined:0),"
    "shape:[-1,-1,4]@} : () -> tensor<-1x-1x4xf32>\n"
    "(%1) = \"pd_op.data\" () {dtype:float32,name:\"y\",place:Place(undefined:0),"
    "shape:[-1,-1,4]} : () -> tensor<-1x-1x4xf32>\n"
    "(%2) = \"pd_op.data\" () {dtype:float32,name:\"row\",place:Place(undefined:0),"
    "shape:[-1]} : () -> tensor<-1xf32>\n"
    "(%3) = \"pd_op.data\" () {dtype:float32,name:\"matrix\",place:Place(undefined:0),"
    "shape:[-1,-1]@} : () -> tensor<-1x-1xf32>\n"
    "(%4) = \"pd_op.full\" () {dtype:int32,place:Place(cpu),shape:[1],value:1} : () -> "
    "tensor<1xi32>\n"
    "(%5) = \"builtin.combine\" (%0, %1) {} : (tensor<-1x-1x4xf32>, tensor<-1x-1x4xf32>) -> "
    "vec[tensor<-1x-1x4xf32>,tensor<-1x-1x4xf32>]\n"
    "(%6) = \"pd_op.concat\" (%5, %4) {} : (vec[tensor<-1x-1x4xf32>,tensor<-1x-1x4xf32>], "
    "tensor<1xi32>) -> tensor<-1x-1x4xf32>\n"
    "(%7) = \"pd_op.add\" (%6, %2) {} : (tensor<-1x-1x4xf32>, tensor<-1xf32>) -> "
    "tensor<-1x-1x4xf32>\n"
    "(%8) = \"pd_op.matmul\" (%7, %3) {transpose_x:false,transpose_y:false} : "
    "(tensor<-1x-1x4xf32>, tensor<-1x-1xf32>) -> tensor<-1x-1x-1xf32>\n"
    "(%9) = \"pd_op.nonzero\" (%8) {} : (tensor<-1x-1x-1xf32>) -> tensor<-1x3xi64>\n"
    "() = \"builtin.shadow_output\" (%8) {output_name:\"product\"} : "
    "(tensor<-1x-1x-1xf32>) -> \n"
    "() = \"builtin.shadow_output\" (%9) {output_name:\"places\"} : (tensor<-1x3xi64>) -> \n"
    "}";

// Writes `joined` with these texts in place of the first and the second @.
static void write_joined(char *out, const char *first, const char *second) {
  const char *texts[] = {first, second}, **next = texts;
  for (const char *at = joined; *at; at++)
    if (*at != '@')
      *out++ = *at;
    else
      for (const char *text = *next++; *text; text++)
        *out++ = *text;
  *out = 0;
}

static pir_model *make_model(const char *text, const char *pipeline) {
  pir_model_options options = {.size = sizeof options, .pipeline = pipeline};
  pir_context *ctx = pir_context_create(NULL);
  pir_program *program = NULL;
  pir_model *made = NULL;
  assert_int_equal(pir_dialects_load_all(ctx), PIR_OK);
  assert_int_equal(pir_program_read(ctx, pir_str_from(text), PIR_STR("test"), &program),
                   PIR_OK);
  assert_int_equal(pir_model_create(program, &options, &made), PIR_OK);
  pir_program_destroy(program);
  pir_context_destroy(ctx);
  return made;
}

static void expect_axis(pir_port port, int axis, const char *name, int64_t least,
                        int64_t most) {
  assert_string_equal(port.dims[axis].data, name);
  assert_int_equal(port.dims[axis].size, strlen(name));
  assert_true(port.least[axis] == least && port.most[axis] == most);
}

static void check_joined(const pir_model *model) {
  pir_port x = input_port(model, 0), y = input_port(model, 1), row = input_port(model, 2),
           matrix = input_port(model, 3), product = output_port(model, 0),
           places = output_port(model, 1);
  expect_axis(x, 0, "S0", 0, INT64_MAX);
  expect_axis(x, 1, "S1", 0, INT64_MAX);
  expect_axis(x, 2, "", 4, 4);
  expect_axis(y, 0, "S0", 0, INT64_MAX);
  expect_axis(y, 1, "S2", 0, INT64_MAX);
  expect_axis(row, 0, "S3", 1, 4);
  expect_axis(matrix, 0, "", 4, 4);
  expect_axis(matrix, 1, "S4", 0, INT64_MAX);
  expect_axis(product, 0, "S0", 0, INT64_MAX);
  expect_axis(product, 1, "S1 + S2", 0, INT64_MAX);
  expect_axis(product, 2, "S4", 0, INT64_MAX);
  expect_axis(places, 0, "S5", 0, INT64_MAX);
  expect_axis(places, 1, "", 3, 3);
  for (int i = 3; i < PIR_MAX_RANK; i++)
    expect_axis(x, i, "", 0, 0);
}

static void equal_extents_share_a_name(void **unused) {
  char text[sizeof joined];
  (void)unused;
  write_joined(text, "", "");
  for (int compiled = 0; compiled < 2; compiled++) {
    pir_model *model = make_model(text, compiled ? "compile" : "kernels");
    check_joined(model);
    pir_model_release(model);
  }
}

static void names_of_the_program_are_kept(void **unused) {
  static const char named[] = ",sym_shape_str:[\"shape[batch, S0, 4], data[NULL]\"]",
                    again[] = ",sym_shape_str:[\"shape[4, S0], data[NULL]\"]";
  char text[sizeof joined + sizeof named + sizeof again];
  (void)unused;
  write_joined(text, named, again);
  pir_model *model = make_model(text, "kernels");
  pir_port x = input_port(model, 0), y = input_port(model, 1), matrix = input_port(model, 3);
  expect_axis(x, 0, "batch", 0, INT64_MAX);
  expect_axis(x, 1, "S0", 0, INT64_MAX);
  expect_axis(y, 0, "batch", 0, INT64_MAX);
  expect_axis(y, 1, "S1", 0, INT64_MAX);
  expect_axis(matrix, 1, "S0", 0, INT64_MAX);
  expect_axis(output_port(model, 0), 1, "S0 + S1", 0, INT64_MAX);
  pir_model_release(model);
}

// Texts that state no names, or some: what is no name is left out, and names are made.
static void what_is_no_name_is_left_out(void **unused) {
  static const struct {
    const char *text, *first, *second;
  } cases[] = {
      {",sym_shape_str:\"shape[rows,cols\"", "rows", "S0"},
      {",sym_shape_str:[\"rows, cols\"]", "S0", "S1"},
      {",sym_shape_str:[\"shape[]\"]", "S0", "S1"},
      {",sym_shape_str:[\"shape[\"]", "S0", "S1"},
      {",sym_shape_str:[\"shape[a,\"]", "a", "S0"},
      {",sym_shape_str:[\"shape[Add(a, 2), 1b, 4, 4, 4]\"]", "S0", "S1"},
      {",sym_shape_str:[\"shape[_Z9, a-b, 4]\"]", "_Z9", "S0"},
      {",sym_shape_str:[\"shape[n, n, 4]\"]", "n", "n"},
      {",sym_shape_str:[true]", "S0", "S1"},
      {",sym_shape_str:(Int32)7", "S0", "S1"},
  };
  (void)unused;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char text[sizeof joined + 100];
    write_joined(text, cases[i].text, "");
    pir_model *model = make_model(text, "kernels");
    expect_axis(input_port(model, 0), 0, cases[i].first, 0, INT64_MAX);
    expect_axis(input_port(model, 0), 1, cases[i].second, 0, INT64_MAX);
    pir_model_release(model);
  }
}

// A sum with four elements says that `row` has 1 to 4. What is cut out of it and joined with it
// has ranges of its own.
static void ranges_go_through_arithmetic(void **unused) {
  static const char text[] =
      "{\n"
      "(%0) = \"pd_op.data\" () {dtype:float32,name:\"row\",place:Place(undefined:0),"
      "shape:[-1]} : () -> tensor<-1xf32>\n"
      "(%1) = \"pd_op.data\" () {dtype:float32,name:\"four\",place:Place(undefined:0),"
      "shape:[4]} : () -> tensor<4xf32>\n"
      "(%2) = \"pd_op.add\" (%0, %1) {} : (tensor<-1xf32>, tensor<4xf32>) -> tensor<4xf32>\n"
      "(%3) = \"pd_op.full_int_array\" () {dtype:int64,place:Place(cpu),value:[0]} : () -> "
      "tensor<1xi64>\n"
      "(%4) = \"pd_op.full_int_array\" () {dtype:int64,place:Place(cpu),value:[2147483647]} : "
      "() "
      "-> tensor<1xi64>\n"
      "(%5) = \"pd_op.full_int_array\" () {dtype:int64,place:Place(cpu),value:[3]} : () -> "
      "tensor<1xi64>\n"
      "(%6) = \"pd_op.strided_slice\" (%0, %3, %4, %5) {axes:[0]} : (tensor<-1xf32>, "
      "tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<-1xf32>\n"
      "(%7) = \"pd_op.tile\" (%0, %5) {} : (tensor<-1xf32>, tensor<1xi64>) -> tensor<-1xf32>\n"
      "(%8) = \"pd_op.full\" () {dtype:int32,place:Place(cpu),shape:[1],value:0} : () -> "
      "tensor<1xi32>\n"
      "(%9) = \"builtin.combine\" (%0, %6) {} : (tensor<-1xf32>, tensor<-1xf32>) -> "
      "vec[tensor<-1xf32>,tensor<-1xf32>]\n"
      "(%10) = \"pd_op.concat\" (%9, %8) {} : (vec[tensor<-1xf32>,tensor<-1xf32>], "
      "tensor<1xi32>) -> tensor<-1xf32>\n"
      "() = \"builtin.shadow_output\" (%2) {output_name:\"sum\"} : (tensor<4xf32>) -> \n"
      "() = \"builtin.shadow_output\" (%6) {output_name:\"third\"} : (tensor<-1xf32>) -> \n"
      "() = \"builtin.shadow_output\" (%7) {output_name:\"tiled\"} : (tensor<-1xf32>) -> \n"
      "() = \"builtin.shadow_output\" (%10) {output_name:\"both\"} : (tensor<-1xf32>) -> \n"
      "}";
  (void)unused;
  pir_model *model = make_model(text, "kernels");
  expect_axis(input_port(model, 0), 0, "S0", 1, 4);
  expect_axis(output_port(model, 1), 0, "floordiv(S0 + 2, 3)", 0, 2);
  expect_axis(output_port(model, 2), 0, "3*S0", 0, 12);
  expect_axis(output_port(model, 3), 0, "S0 + floordiv(S0 + 2, 3)", 0, 6);
  pir_model_release(model);
}

// The branch joins both inputs, but a run may take the other one.
static void a_branch_makes_nothing_equal(void **unused) {
  static const char text[] =
      "{\n"
      "(%0) = \"pd_op.data\" () {dtype:float32,name:\"x\",place:Place(undefined:0),"
      "shape:[-1,2]} : () -> tensor<-1x2xf32>\n"
      "(%1) = \"pd_op.data\" () {dtype:float32,name:\"y\",place:Place(undefined:0),"
      "shape:[-1,2]} : () -> tensor<-1x2xf32>\n"
      "(%2) = \"pd_op.data\" () {dtype:bool,name:\"c\",place:Place(undefined:0),"
      "shape:[1]} : () -> tensor<1xb>\n"
      "(%8) = \"pd_op.data\" () {dtype:float32,name:\"z\",place:Place(undefined:0),"
      "shape:[-1,4]} : () -> tensor<-1x4xf32>\n"
      "(%3) = \"pd_op.if\" (%2) {} -> tensor<-1x4xf32> {\n"
      "    (%4) = \"pd_op.full\" () {dtype:int32,place:Place(cpu),shape:[1],value:1} : () -> "
      "tensor<1xi32>\n"
      "    (%5) = \"builtin.combine\" (%0, %1) {} : (tensor<-1x2xf32>, tensor<-1x2xf32>) -> "
      "vec[tensor<-1x2xf32>,tensor<-1x2xf32>]\n"
      "    (%6) = \"pd_op.concat\" (%5, %4) {} : (vec[tensor<-1x2xf32>,tensor<-1x2xf32>], "
      "tensor<1xi32>) -> tensor<-1x4xf32>\n"
      "    () = \"cf.yield\" (%6) {} : (tensor<-1x4xf32>) -> \n"
      "} else {\n"
      "    () = \"cf.yield\" (%8) {} : (tensor<-1x4xf32>) -> \n"
      "}\n"
      "() = \"builtin.shadow_output\" (%3) {output_name:\"out\"} : (tensor<-1x4xf32>) -> \n"
      "}";
  (void)unused;
  pir_model *model = make_model(text, "kernels");
  expect_axis(input_port(model, 0), 0, "S0", 0, INT64_MAX);
  expect_axis(input_port(model, 1), 0, "S1", 0, INT64_MAX);
  pir_model_release(model);
}

static void a_prepared_model_keeps_them(void **unused) {
  char folder[] = "/tmp/ports_test.XXXXXX", text[sizeof joined], command[64];
  (void)unused;
  assert_non_null(mkdtemp(folder));
  pir_model_options options = {.size = sizeof options, .pipeline = "kernels", .cache = folder};
  write_joined(text, "", "");
  for (int again = 0; again < 2; again++) {
    pir_model *model = NULL;
    pir_borrowed program = {.data = text, .size = strlen(text)};
    assert_int_equal(pir_model_load(program, (pir_borrowed){0}, &options, &model), PIR_OK);
    assert_int_equal(model_stats(model).prepared_bytes > 0, again);
    check_joined(model);
    pir_model_release(model);
  }
  snprintf(command, sizeof command, "rm -r %s", folder);
  assert_int_equal(system(command), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(equal_extents_share_a_name),
      cmocka_unit_test(names_of_the_program_are_kept),
      cmocka_unit_test(what_is_no_name_is_left_out),
      cmocka_unit_test(ranges_go_through_arithmetic),
      cmocka_unit_test(a_branch_makes_nothing_equal),
      cmocka_unit_test(a_prepared_model_keeps_them),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
