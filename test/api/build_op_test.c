// The functions that opsc makes for building ops: a network is built with them, verified, run
// and compared with numbers computed here; a recorded model is built again, op by op, and gets
// the types that it states; failures are located, kept, and leave nothing behind. Run from the
// root of the checkout.
#include "report.h"

#include <pir/compiler/build/builtin.h>
#include <pir/compiler/build/pd_op.h>
#include <pir/compiler/dialects.h>
#include <pir/compiler/load.h>
#include <pir/compiler/verify.h>
#include <pir/engine/model.h>

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

typedef struct world {
  report told;
  pir_context *ctx;
  pir_program *program;
  pir_op_builder *b;
} world;

static void start(world *w) {
  *w = (world){.told = {.errors = 0}};
  pir_context_options options = {.size = sizeof options, .sink = {keep_report, &w->told}};
  w->ctx = pir_context_create(&options);
  assert_non_null(w->ctx);
  assert_int_equal(pir_dialects_load_all(w->ctx), PIR_OK);
  w->program = pir_program_create(w->ctx);
  assert_non_null(w->program);
  assert_int_equal(pir_op_builder_create(w->program, &w->b), PIR_OK);
}

static void finish(world *w) {
  pir_op_builder_destroy(w->b);
  pir_program_destroy(w->program);
  pir_context_destroy(w->ctx);
}

static void expect_type(const pir_value *value, pir_dtype dtype, const int64_t *dims,
                        size_t rank) {
  assert_non_null(value);
  pir_shape shape = pir_type_shape(pir_value_type(value));
  assert_int_equal(pir_type_dtype(pir_value_type(value)), dtype);
  assert_int_equal(shape.rank, rank);
  for (size_t i = 0; i < rank; i++)
    assert_int_equal(shape.dims[i], dims[i]);
}
#define EXPECT_TYPE(value, dtype, ...)                                                         \
  expect_type((value), (dtype), (const int64_t[]){__VA_ARGS__},                                \
              sizeof((const int64_t[]){__VA_ARGS__}) / sizeof(int64_t))

static pir_value *put_weights(world *w, const char *name, const float *data, int64_t rows,
                              int64_t columns) {
  const int64_t dims[] = {rows, columns};
  pir_shape shape = {dims, 2};
  pir_param param = {.name = pir_str_from(name),
                     .dtype = PIR_F32,
                     .shape = shape,
                     .data = data,
                     .size = (size_t)(rows * columns) * sizeof *data};
  pir_program_adopt_param(w->program, &param);
  return pir_builtin_parameter(w->b, pir_type_tensor(w->ctx, PIR_F32, shape), name, NULL);
}

// Runs a program of one input x [2, 3] and returns the number of elements of its output, which
// are written to `out`.
static size_t run_program(world *w, const float *data, float *out) {
  pir_model_options options = {.size = sizeof options, .pipeline = "kernels"};
  pir_model *model;
  pir_session *session;
  pir_tensor x = {.data = (void *)data}, y;
  pir_tensor_set_dense(&x, PIR_F32, (const int64_t[]){2, 3}, 2);
  assert_int_equal(pir_model_create(w->program, &options, &model), PIR_OK);
  assert_int_equal(pir_session_create(model, NULL, &session), PIR_OK);
  assert_int_equal(pir_session_bind_input(session, 0, &x), PIR_OK);
  assert_int_equal(pir_session_run(session), PIR_OK);
  assert_int_equal(pir_session_output(session, 0, &y), PIR_OK);
  size_t count = (size_t)pir_tensor_numel(&y);
  for (size_t i = 0; i < count; i++)
    out[i] = (float)pir_tensor_float_at(&y, (int64_t)i);
  pir_session_destroy(session);
  pir_model_release(model);
  return count;
}

// y = the two largest of each row of softmax(2 relu(x w) + 1), beside the row itself.
static void a_network_has_the_numbers_of_its_formula(void **unused) {
  static const float weights[12] = {.1f, -.2f, .3f,  .4f, .5f, -.6f,
                                    .7f, -.8f, -.9f, 1.f, .2f, .3f};
  static const float data[6] = {1, 2, 3, -1, .5f, -2};
  world w;
  (void)unused;
  start(&w);
  pir_op_builder *b = w.b;
  pir_value *x = pir_pd_data(b, "x", PIR_INTS(-1, 3), PIR_F32, NULL);
  pir_value *h = pir_pd_relu(b, pir_pd_matmul(b, x, put_weights(&w, "w", weights, 3, 4), NULL));
  h = pir_pd_scale(b, h,
                   &(pir_pd_scale_options){.scale = PIR_SET(2),
                                           .bias = PIR_SET(1),
                                           .bias_after_scale = PIR_SET(true)});
  EXPECT_TYPE(h, PIR_F32, -1, 4);
  h = pir_pd_softmax(b, h, -1);
  pir_pd_topk_results top =
      pir_pd_topk(b, h, &(pir_pd_topk_options){.k = PIR_SET(2), .axis = PIR_SET(1)});
  EXPECT_TYPE(top.indices, PIR_I64, -1, 2);
  pir_value *y =
      pir_pd_concat(b, PIR_VALUES(h, top.out), &(pir_pd_concat_options){.axis = PIR_SET(1)});
  EXPECT_TYPE(y, PIR_F32, -1, 6);
  assert_non_null(pir_pd_fetch(b, y, "y", 0));
  assert_int_equal(pir_op_builder_status(b), PIR_OK);
  assert_int_equal(pir_verify(pir_program_module(w.program), NULL), PIR_OK);
  assert_int_equal(w.told.errors, 0);

  float out[12];
  assert_int_equal(run_program(&w, data, out), 12);
  for (int row = 0; row < 2; row++) {
    double e[4], sum = 0, first = 0, second = 0;
    for (int k = 0; k < 4; k++) {
      double dot = 0;
      for (int i = 0; i < 3; i++)
        dot += (double)data[row * 3 + i] * (double)weights[i * 4 + k];
      e[k] = exp(2 * fmax(dot, 0) + 1);
      sum += e[k];
    }
    for (int k = 0; k < 4; k++) {
      double p = e[k] / sum;
      assert_true(fabs((double)out[row * 6 + k] - p) < 1e-6);
      second = p > first ? first : fmax(second, p);
      first = fmax(first, p);
    }
    assert_true(fabs((double)out[row * 6 + 4] - first) < 1e-6);
    assert_true(fabs((double)out[row * 6 + 5] - second) < 1e-6);
  }
  finish(&w);
}

static void lists_come_apart(void **unused) {
  world w;
  pir_value *parts[3];
  (void)unused;
  start(&w);
  pir_value *x = pir_pd_data(w.b, "x", PIR_INTS(2, 6), PIR_F32, NULL);
  pir_value *list = pir_pd_split(w.b, x, PIR_INTS(1, 2, 3), pir_number_of(1));
  assert_true(pir_op_builder_members(w.b, list, parts, 3));
  EXPECT_TYPE(parts[0], PIR_F32, 2, 1);
  EXPECT_TYPE(parts[2], PIR_F32, 2, 3);
  // An operand that is a constant in one program is a tensor in another.
  pir_value *shape = pir_pd_full_int_array(
      w.b, PIR_INTS(3, -1), &(pir_pd_full_int_array_options){.dtype = PIR_SET(PIR_I64)});
  EXPECT_TYPE(pir_pd_reshape(w.b, x, pir_ints_value(shape)), PIR_F32, 3, 4);
  pir_value *both[] = {parts[1], parts[2]};
  list = pir_op_builder_list(w.b, both, 2);
  EXPECT_TYPE(
      pir_pd_concat(w.b, pir_values_list(list),
                    &(pir_pd_concat_options){
                        .axis = {.tensor = pir_pd_full(
                                     w.b, PIR_INTS(1), 1,
                                     &(pir_pd_full_options){.dtype = PIR_SET(PIR_I32)})}}),
      PIR_F32, 2, 5);
  assert_int_equal(pir_op_builder_status(w.b), PIR_OK);
  assert_int_equal(pir_verify(pir_program_module(w.program), NULL), PIR_OK);
  assert_false(pir_op_builder_members(w.b, list, parts, 3));
  assert_null(parts[0]);
  assert_string_equal(w.told.message, "the value is no list of 3 members");
  finish(&w);
}

// ---- failures

static void expect_failure(world *w, const void *made, pir_status status, int line,
                           const char *message) {
  assert_null(made);
  assert_int_equal(pir_op_builder_status(w->b), status);
  assert_string_equal(w->told.message, message);
  assert_int_equal(w->told.line, line);
  assert_non_null(strstr(w->told.file, "build_op_test.c"));
}

static pir_value *start_with_x(world *w) {
  start(w);
  return pir_pd_data(w->b, "x", PIR_INTS(2, 3), PIR_F32, NULL);
}

static void a_failure_is_located_and_kept(void **unused) {
  world w;
  (void)unused;
  pir_value *x = start_with_x(&w);
  size_t before = pir_block_count(pir_program_block(w.program));
  // The shape is a constant that goes with the op.
  pir_value *y = pir_pd_reshape(PIR_HERE(w.b), x, PIR_INTS(4, 4));
  expect_failure(&w, y, PIR_INVALID, __LINE__ - 1,
                 "\"pd_op.reshape\" 6 elements do not fit the shape of 16");
  assert_int_equal(pir_block_count(pir_program_block(w.program)), before);
  // Nothing is built, and nothing more is reported.
  assert_null(pir_pd_relu(w.b, x));
  assert_null(pir_pd_fetch(w.b, y, "y", 0));
  assert_int_equal(w.told.errors, 1);
  assert_int_equal(pir_block_count(pir_program_block(w.program)), before);
  finish(&w);
}

static void what_is_missing_or_wrong_is_named(void **unused) {
  world w;
  (void)unused;
  pir_value *x = start_with_x(&w);
  pir_value *y = pir_pd_matmul(PIR_HERE(w.b), x, NULL, NULL);
  expect_failure(&w, y, PIR_INVALID, __LINE__ - 1, "\"pd_op.matmul\" needs operand y");
  finish(&w);

  start(&w);
  y = pir_pd_data(PIR_HERE(w.b), NULL, PIR_INTS(2), PIR_F32, NULL);
  expect_failure(&w, y, PIR_INVALID, __LINE__ - 1, "\"pd_op.data\" needs attribute name");
  finish(&w);

  x = start_with_x(&w);
  y = pir_pd_softmax(PIR_HERE(w.b), x, 5000000000);
  expect_failure(&w, y, PIR_INVALID, __LINE__ - 1,
                 "\"pd_op.softmax\" attribute axis does not fit its kind I32");
  finish(&w);

  x = start_with_x(&w);
  pir_op *op = pir_op_builder_put(PIR_HERE(w.b), 0x3ffff, NULL, NULL, 0);
  expect_failure(&w, op, PIR_INVALID, __LINE__ - 1,
                 "no dialect declares an op of number 0x3ffff");
  finish(&w);

  x = start_with_x(&w);
  const pir_op_arg beyond[] = {pir_arg_value(1, x)};
  op = pir_op_builder_put(PIR_HERE(w.b), PD_RELU, NULL, beyond, 1);
  expect_failure(&w, op, PIR_INVALID, __LINE__ - 1, "\"pd_op.relu\" has no operand 1");
  finish(&w);

  x = start_with_x(&w);
  assert_false(pir_op_builder_members(PIR_HERE(w.b), NULL, &x, 1));
  expect_failure(&w, x, PIR_INVALID, __LINE__ - 1, "the value is no list of 1 members");
  finish(&w);

  x = start_with_x(&w);
  const pir_op_arg args[] = {pir_arg_value(0, x), pir_arg_text(0, "one")};
  op = pir_op_builder_put(PIR_HERE(w.b), PD_SOFTMAX, NULL, args, 2);
  expect_failure(&w, op, PIR_INVALID, __LINE__ - 1,
                 "\"pd_op.softmax\" attribute axis has kind STR, expected I32");
  finish(&w);
}

static void an_op_whose_results_are_not_inferred_is_unsupported(void **unused) {
  world w;
  (void)unused;
  pir_value *x = start_with_x(&w);
  pir_value *y = pir_pd_decode_jpeg(PIR_HERE(w.b), x, "unchanged", NULL);
  expect_failure(&w, y, PIR_UNSUPPORTED, __LINE__ - 1,
                 "unsupported: \"pd_op.decode_jpeg\": the type of result out is not inferred");
  finish(&w);
}

// ---- a recorded model again

typedef struct copy {
  pir_value_map *map;
  size_t ops;
} copy;

static void copy_op(world *w, copy *c, const pir_op *op) {
  const pir_opdef *def = pir_op_def(op);
  pir_op_arg args[64];
  size_t count = 0;
  for (size_t i = 0; i < pir_op_operands(op); i++)
    if (pir_op_operand(op, i))
      args[count++] =
          pir_arg_value((uint8_t)i, pir_value_map_find(c->map, pir_op_operand(op, i)));
  for (size_t i = 0; i < def->attr_count; i++)
    args[count++] = pir_arg_attr((uint8_t)i, pir_op_attr_at(op, i));
  pir_op *made = NULL;
  if (def->traits & PIR_STRUCTURAL) {
    pir_value *values[16];
    for (size_t i = 0; i < count; i++)
      values[i] = args[i].value;
    made = pir_value_op(pir_op_builder_list(w->b, values, pir_op_operands(op)));
  } else {
    bool parameter = def->traits & PIR_PARAMETER;
    const pir_type *type = parameter ? pir_value_type(pir_op_result(op, 0)) : NULL;
    made = pir_op_builder_put(w->b, def->id, type, args, count);
  }
  assert_non_null(made);
  for (size_t i = 0; i < pir_op_results(op); i++) {
    const pir_value *from = pir_op_result(op, i);
    pir_value *to = pir_op_result(made, i);
    if (!pir_value_unused(from))
      assert_ptr_equal(pir_value_type(to), pir_value_type(from));
    pir_value_map_set(c->map, from, to);
  }
  c->ops++;
}

static void a_recorded_model_gets_the_types_it_states(void **unused) {
  world w;
  pir_program *model;
  (void)unused;
  start(&w);
  assert_int_equal(
      pir_program_load_file(w.ctx, "test/models/digits_cnn/model.json", NULL, &model), PIR_OK);
  copy c = {.map = pir_value_map_create(w.ctx)};
  PIR_EACH_OP(op, pir_program_block(model))
  copy_op(&w, &c, op);
  assert_int_equal(c.ops, pir_block_count(pir_program_block(model)));
  assert_int_equal(pir_verify(pir_program_module(w.program), NULL), PIR_OK);
  pir_value_map_destroy(c.map);
  pir_program_destroy(model);
  finish(&w);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_network_has_the_numbers_of_its_formula),
      cmocka_unit_test(lists_come_apart),
      cmocka_unit_test(a_failure_is_located_and_kept),
      cmocka_unit_test(what_is_missing_or_wrong_is_named),
      cmocka_unit_test(an_op_whose_results_are_not_inferred_is_unsupported),
      cmocka_unit_test(a_recorded_model_gets_the_types_it_states)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
