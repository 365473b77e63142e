// Models with other weights give the numbers of models that were loaded with these. Run from
// the root of the checkout.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <pir/compiler/dialects.h>
#include <pir/compiler/load.h>
#include <pir/engine/weights.h>

#define PROGRAM "test/models/digits_cnn/model.json"
enum { IMAGES = 3, PIXELS = 64, CLASSES = 10, MOST = 16 };

typedef struct scores {
  float data[IMAGES * CLASSES];
} scores;

// Other elements for every parameter: a file of the same network, trained otherwise.
typedef struct other_weights {
  pir_weight list[MOST];
  size_t count;
} other_weights;

static pir_context *ctx;
static pir_program *program;

static int set_up(void **unused) {
  (void)unused;
  ctx = pir_context_create(NULL);
  return pir_dialects_load_all(ctx) || pir_program_load_file(ctx, PROGRAM, NULL, &program);
}

static int tear_down(void **unused) {
  (void)unused;
  pir_program_destroy(program);
  pir_context_destroy(ctx);
  return 0;
}

static other_weights make_others(void) {
  other_weights made = {.count = pir_program_params(program)};
  assert_true(made.count && made.count <= MOST);
  for (size_t i = 0; i < made.count; i++) {
    const pir_param *param = pir_program_param_at(program, i);
    float *data = malloc(param->size);
    assert_int_equal(param->dtype, PIR_F32);
    memcpy(data, param->data, param->size);
    for (size_t k = 0; k < param->size / sizeof *data; k++)
      data[k] = data[k] * 1.25f + 0.01f * (float)(k % 3);
    made.list[i].name = param->name;
    made.list[i].tensor.data = data;
    pir_tensor_set_dense(&made.list[i].tensor, PIR_F32, param->shape.dims,
                         (int32_t)param->shape.rank);
  }
  return made;
}

static void drop_others(other_weights *others) {
  for (size_t i = 0; i < others->count; i++)
    free(others->list[i].tensor.data);
}

static pir_model *make_model(const pir_program *from, const char *pipeline, bool replaceable) {
  pir_model_options options = {
      .size = sizeof options, .pipeline = pipeline, .replaceable = replaceable};
  pir_model *model = NULL;
  assert_int_equal(pir_model_create(from, &options, &model), PIR_OK);
  return model;
}

// The model of the program with other weights in its file.
static pir_model *load_others(const other_weights *others, const char *pipeline) {
  pir_program *changed = pir_program_clone(program);
  for (size_t i = 0; i < others->count; i++) {
    const pir_tensor *t = &others->list[i].tensor;
    pir_param param = {.name = others->list[i].name,
                       .dtype = t->dtype,
                       .shape = {t->shape, (size_t)t->rank},
                       .data = t->data,
                       .size = 4 * (size_t)pir_tensor_numel(t)};
    pir_program_adopt_param(changed, &param);
  }
  pir_model *model = make_model(changed, pipeline, false);
  pir_program_destroy(changed);
  return model;
}

static pir_session *open_session(pir_model *model) {
  pir_session *session = NULL;
  assert_int_equal(pir_session_create(model, NULL, &session), PIR_OK);
  return session;
}

static scores run(pir_session *session) {
  float images[IMAGES * PIXELS];
  pir_tensor in = {.data = images}, out;
  scores found;
  for (int i = 0; i < IMAGES * PIXELS; i++)
    images[i] = (float)(i * 7 % 17) / 16;
  pir_tensor_set_dense(&in, PIR_F32, (int64_t[]){IMAGES, 1, 8, 8}, 4);
  assert_int_equal(pir_session_bind_input(session, 0, &in), PIR_OK);
  assert_int_equal(pir_session_run(session), PIR_OK);
  assert_int_equal(pir_session_output(session, 0, &out), PIR_OK);
  memcpy(found.data, out.data, sizeof found.data);
  return found;
}

static scores run_once(pir_model *model) {
  pir_session *session = open_session(model);
  scores found = run(session);
  pir_session_destroy(session);
  return found;
}

static void expect_near(scores found, scores expected) {
  for (int i = 0; i < IMAGES * CLASSES; i++)
    assert_true(fabsf(found.data[i] - expected.data[i]) <=
                1e-6f + 1e-4f * fabsf(expected.data[i]));
}

static bool is_same(scores a, scores b) {
  return !memcmp(a.data, b.data, sizeof a.data);
}

static pir_model *replace(pir_model *model, const pir_weight *weights, size_t count) {
  pir_model *made = NULL;
  pir_message message;
  assert_int_equal(pir_model_replace_weights(model, weights, count, &message, &made), PIR_OK);
  assert_string_equal(message.text, "");
  return made;
}

static void numbers_are_those_of_the_other_file(void **unused) {
  static const char *const pipelines[] = {"kernels", "compile"};
  other_weights others = make_others();
  (void)unused;
  for (size_t i = 0; i < 2; i++) {
    pir_model *plain = make_model(program, pipelines[i], false),
              *expected = load_others(&others, pipelines[i]),
              *base = make_model(program, pipelines[i], true);
    scores before = run_once(base), after = run_once(expected);
    assert_false(is_same(before, after));
    expect_near(before, run_once(plain));
    pir_model *made = replace(base, others.list, others.count);
    expect_near(run_once(made), after);
    pir_model_release(plain);
    pir_model_release(expected);
    pir_model_release(made);
    assert_true(is_same(run_once(base), before));
    pir_model_release(base);
  }
  drop_others(&others);
}

// A session of the old model goes on; the new one outlives it, its caller's tensors, and a
// model in between.
static void old_sessions_go_on(void **unused) {
  other_weights others = make_others();
  pir_model *base = make_model(program, "kernels", true);
  pir_session *session = open_session(base);
  scores before = run(session);
  (void)unused;
  pir_model *first = replace(base, others.list, others.count / 2),
            *second =
                replace(first, others.list + others.count / 2, others.count - others.count / 2),
            *direct = replace(base, others.list, others.count);
  scores between = run_once(first);
  drop_others(&others);
  pir_model_release(base);
  pir_model_release(first);
  assert_true(is_same(run(session), before));
  pir_session_destroy(session);
  scores after = run_once(second);
  assert_true(is_same(after, run_once(direct)));
  assert_false(is_same(after, between) || is_same(between, before));
  pir_model_release(second);
  pir_model_release(direct);
}

static void expect_refused(pir_model *model, pir_weight weight, pir_status status,
                           const char *text) {
  pir_message message;
  pir_model *made = model;
  assert_int_equal(pir_model_replace_weights(model, &weight, 1, &message, &made), status);
  assert_null(made);
  assert_string_equal(message.text, text);
}

static void wrong_weights_are_refused(void **unused) {
  other_weights others = make_others();
  pir_model *base = make_model(program, "kernels", true),
            *plain = make_model(program, "kernels", false);
  pir_weight good = others.list[0], bad = good;
  char text[400];
  (void)unused;
  expect_refused(plain, good, PIR_UNSUPPORTED,
                 "unsupported: other weights for a model that was made without the option "
                 "`replaceable`");
  assert_int_equal(pir_model_weights(plain), 0);
  assert_int_equal(pir_model_weights(base), others.count);
  bad.name = PIR_STR("nothing");
  expect_refused(base, bad, PIR_NOT_FOUND, "the program has no parameter \"nothing\"");
  bad = good;
  bad.tensor.shape[0]++;
  snprintf(text, sizeof text,
           "parameter \"%s\" has another element type or shape: it is float32 of rank %d",
           good.name.data, (int)good.tensor.rank);
  expect_refused(base, bad, PIR_INVALID, text);
  bad = good;
  bad.tensor.dtype = PIR_F64;
  expect_refused(base, bad, PIR_INVALID, text);
  bad = good;
  bad.tensor.data = NULL;
  snprintf(text, sizeof text, "parameter \"%s\" has no data", good.name.data);
  expect_refused(base, bad, PIR_INVALID, text);
  pir_weight twice[] = {good, good};
  pir_message message;
  pir_model *made = NULL;
  assert_int_equal(pir_model_replace_weights(base, twice, 2, &message, &made), PIR_INVALID);
  assert_int_equal(pir_model_replace_weights(NULL, twice, 2, NULL, &made), PIR_INVALID);
  assert_int_equal(pir_model_replace_weights(base, twice, 2, &message, NULL), PIR_INVALID);
  assert_int_equal(pir_model_replace_weights(base, NULL, 2, &message, &made), PIR_INVALID);
  assert_string_equal(message.text, "pir_model_replace_weights: an argument is NULL");
  assert_int_equal(pir_model_weights(NULL), 0);
  pir_port port = {.size = sizeof port};
  assert_int_equal(pir_model_weight(base, 0, &port), PIR_OK);
  assert_string_equal(port.name.data, good.name.data);
  assert_true(port.dtype == PIR_F32 && port.rank == good.tensor.rank);
  assert_int_equal(pir_model_weight(base, others.count, &port), PIR_NOT_FOUND);
  drop_others(&others);
  pir_model_release(base);
  pir_model_release(plain);
}

static void shapes_keep_their_parameters(void **unused) {
  static const char text[] =
      "{\n"
      "(%0) = \"pd_op.data\" () {dtype:float32,name:\"x\",place:Place(undefined:0),"
      "shape:[-1,6]} : () -> tensor<-1x6xf32>\n"
      "(%1) = \"builtin.parameter\" () {parameter_name:\"extents\"} : () -> tensor<2xi64>\n"
      "(%2) = \"pd_op.reshape\" (%0, %1) {} : (tensor<-1x6xf32>, tensor<2xi64>) -> "
      "tensor<-1x3xf32>\n"
      "() = \"builtin.shadow_output\" (%2) {output_name:\"out\"} : (tensor<-1x3xf32>) -> \n"
      "}";
  static int64_t extents[] = {-1, 3};
  pir_program *other = NULL;
  pir_param param = {.name = PIR_STR("extents"),
                     .dtype = PIR_I64,
                     .shape = {(int64_t[]){2}, 1},
                     .data = extents,
                     .size = sizeof extents};
  (void)unused;
  assert_int_equal(pir_program_read(ctx, pir_str_from(text), PIR_STR("test"), &other), PIR_OK);
  pir_program_adopt_param(other, &param);
  pir_model *model = make_model(other, "kernels", true);
  pir_weight weight = {.name = param.name, .tensor = {.data = extents}};
  pir_tensor_set_dense(&weight.tensor, PIR_I64, param.shape.dims, 1);
  expect_refused(model, weight, PIR_UNSUPPORTED,
                 "unsupported: to replace parameter \"extents\", because shapes may depend on "
                 "its elements");
  pir_model_release(model);
  pir_program_destroy(other);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(numbers_are_those_of_the_other_file),
      cmocka_unit_test(old_sessions_go_on),
      cmocka_unit_test(wrong_weights_are_refused),
      cmocka_unit_test(shapes_keep_their_parameters),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
