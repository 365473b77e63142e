// Compares groups with the evaluator: small programs are compiled (no size is too small here)
// and called, over several shapes, and must agree.
#include "../../tools/ports.h"

#include <pir/compiler/dialects.h>
#include <pir/engine/model.h>
#include <pir/compiler/text.h>

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COMPILED "canon,expand,group{few=0},dce,bind"

typedef struct program {
  const char *name, *inputs[2], *body;  // inputs: their types
  bool grouped;                         // no op is left that is called
} program;

static const program programs[] = {
    {"softmax along the last axis",
     {"tensor<-1x-1xf32>"},
     "(%9) = \"pd_op.softmax\" (%0) {axis:-1,stop_gradient:[true]} : (tensor<-1x-1xf32>) -> "
     "tensor<-1x-1xf32>\n",
     true},
    {"softmax along another axis",
     {"tensor<-1x-1x5xf32>"},
     "(%9) = \"pd_op.softmax\" (%0) {axis:1,stop_gradient:[true]} : (tensor<-1x-1x5xf32>) -> "
     "tensor<-1x-1x5xf32>\n",
     true},
    {"sum over the first axis",
     {"tensor<-1x-1xf32>"},
     "(%2) = \"pd_op.full_int_array\" () "
     "{dtype:int64,place:Place(cpu),stop_gradient:[true],value:[0]} : () -> "
     "tensor<1xi64>\n"
     "(%9) = \"pd_op.sum\" (%0, %2) {dtype:Undefined,keepdim:false,stop_gradient:[true]} : "
     "(tensor<-1x-1xf32>, "
     "tensor<1xi64>) -> tensor<-1xf32>\n",
     true},
    {"variance of a row, and the row without its mean",
     {"tensor<-1x33xf32>"},
     "(%2) = \"pd_op.full_int_array\" () "
     "{dtype:int64,place:Place(cpu),stop_gradient:[true],value:[1]} : () -> "
     "tensor<1xi64>\n"
     "(%3) = \"pd_op.mean\" (%0, %2) {keepdim:true,stop_gradient:[true]} : (tensor<-1x33xf32>, "
     "tensor<1xi64>) -> "
     "tensor<-1x1xf32>\n"
     "(%4) = \"pd_op.subtract\" (%0, %3) {stop_gradient:[true]} : (tensor<-1x33xf32>, "
     "tensor<-1x1xf32>) -> "
     "tensor<-1x33xf32>\n"
     "(%5) = \"pd_op.exp\" (%4) {stop_gradient:[true]} : (tensor<-1x33xf32>) -> "
     "tensor<-1x33xf32>\n"
     "(%6) = \"pd_op.mean\" (%5, %2) {keepdim:true,stop_gradient:[true]} : (tensor<-1x33xf32>, "
     "tensor<1xi64>) -> "
     "tensor<-1x1xf32>\n"
     "(%9) = \"pd_op.divide\" (%5, %6) {stop_gradient:[true]} : (tensor<-1x33xf32>, "
     "tensor<-1x1xf32>) -> "
     "tensor<-1x33xf32>\n",
     true},
    {"tensors that may be broadcast",
     {"tensor<-1x-1xf32>", "tensor<-1x-1xf32>"},
     "(%2) = \"pd_op.add\" (%0, %1) {stop_gradient:[true]} : (tensor<-1x-1xf32>, "
     "tensor<-1x-1xf32>) -> "
     "tensor<-1x-1xf32>\n"
     "(%9) = \"pd_op.tanh\" (%2) {stop_gradient:[true]} : (tensor<-1x-1xf32>) -> "
     "tensor<-1x-1xf32>\n",
     true},
    {"a transposition, and a sum over it",
     {"tensor<-1x-1x5xf32>"},
     "(%2) = \"pd_op.transpose\" (%0) {perm:[2,0,1],stop_gradient:[true]} : "
     "(tensor<-1x-1x5xf32>) -> "
     "tensor<5x-1x-1xf32>\n"
     "(%9) = \"pd_op.sigmoid\" (%2) {stop_gradient:[true]} : (tensor<5x-1x-1xf32>) -> "
     "tensor<5x-1x-1xf32>\n",
     true},
    {"a concatenation along the last axis",
     {"tensor<-1x-1xf32>", "tensor<-1x-1xf32>"},
     "(%2) = \"pd_op.full\" () "
     "{dtype:int32,place:Place(cpu),shape:[1],stop_gradient:[true],value:1} : () -> "
     "tensor<1xi32>\n"
     "(%4) = \"pd_op.relu\" (%0) {stop_gradient:[true]} : (tensor<-1x-1xf32>) -> "
     "tensor<-1x-1xf32>\n"
     "(%3) = \"builtin.combine\" (%4, %1) {stop_gradient:[true]} : (tensor<-1x-1xf32>, "
     "tensor<-1x-1xf32>) -> "
     "vec[tensor<-1x-1xf32>,tensor<-1x-1xf32>]\n"
     "(%9) = \"pd_op.concat\" (%3, %2) {stop_gradient:[true]} : "
     "(vec[tensor<-1x-1xf32>,tensor<-1x-1xf32>], "
     "tensor<1xi32>) -> tensor<-1x-1xf32>\n",
     false},
    {"a product with what is done to it",
     {"tensor<-1x33xf32>", "tensor<33x-1xf32>"},
     "(%2) = \"pd_op.matmul\" (%0, %1) "
     "{stop_gradient:[true],transpose_x:false,transpose_y:false} : "
     "(tensor<-1x33xf32>, tensor<33x-1xf32>) -> tensor<-1x-1xf32>\n"
     "(%3) = \"pd_op.gelu\" (%2) {approximate:false,stop_gradient:[true]} : "
     "(tensor<-1x-1xf32>) -> tensor<-1x-1xf32>\n"
     "(%9) = \"pd_op.multiply\" (%3, %2) {stop_gradient:[true]} : (tensor<-1x-1xf32>, "
     "tensor<-1x-1xf32>) -> "
     "tensor<-1x-1xf32>\n",
     true},
};

static void report(void *user, const pir_diag *diag) {
  print_message("%.*s\n", (int)diag->message.size, diag->message.data);
}

static pir_program *parse(pir_context *ctx, const program *p) {
  char text[4096];
  int n = snprintf(text, sizeof text, "{\n");
  for (int i = 0; i < 2 && p->inputs[i]; i++) {
    char shape[64];
    int size = (int)strcspn(p->inputs[i], "f") - 1 - (int)strlen("tensor<");
    memcpy(shape, p->inputs[i] + strlen("tensor<"), (size_t)size);
    for (int c = 0; c < size; c++)
      shape[c] = shape[c] == 'x' ? ',' : shape[c];
    n += snprintf(text + n, sizeof text - (size_t)n,
                  "(%%%d) = \"pd_op.data\" () "
                  "{dtype:float32,name:\"x%d\",place:Place(undefined:0),shape:[%.*s],stop_"
                  "gradient:[true]} : () -> %s\n",
                  i, i, size, shape, p->inputs[i]);
  }
  const char *last = p->body;
  for (const char *at = p->body; (at = strstr(at, "-> ")); at += 3)
    last = at + 3;
  int size = (int)strcspn(last, "\n");
  n += snprintf(text + n, sizeof text - (size_t)n,
                "%s(%%10) = \"pd_op.fetch\" (%%9) {col:0,name:\"y\",stop_gradient:[true]} : "
                "(%.*s) -> %.*s\n}\n",
                p->body, size, last, size, last);
  pir_program *parsed = NULL;
  assert_int_equal(pir_program_parse(ctx, (pir_str){text, (size_t)n}, NULL, &parsed), PIR_OK);
  return parsed;
}

// Extents of input i: constants of its type, and for the open ones numbers that go with the
// case.
static void shape_of(const program *p, int i, int64_t open, bool broadcast, pir_tensor *t) {
  int64_t shape[PIR_MAX_RANK];
  int rank = 0, varies = 0;
  for (const char *at = p->inputs[i] + strlen("tensor<"); *at != 'f';) {
    char *end;
    int64_t n = strtoll(at, &end, 10);
    shape[rank] = n >= 0 ? n : open + 3 * varies;
    if (n < 0 && broadcast && varies == 0)
      shape[rank] = 1;
    varies += n < 0;
    rank++;
    at = end + (*end == 'x');
  }
  pir_tensor_set_dense(t, PIR_F32, shape, rank);
}

static void run(pir_model *model, const program *p, pir_tensor *in, pir_tensor *out,
                pir_session **session) {
  pir_session_options options = {.size = sizeof options, .threads = 2};
  assert_int_equal(pir_session_create(model, &options, session), PIR_OK);
  for (int i = 0; i < 2 && p->inputs[i]; i++)
    assert_int_equal(pir_session_bind_input(*session, (size_t)i, &in[i]), PIR_OK);
  pir_status status = pir_session_run(*session);
  if (status)
    print_message("%s: %s\n", p->name, pir_session_message(*session));
  assert_int_equal(status, PIR_OK);
  assert_int_equal(pir_session_output(*session, 0, out), PIR_OK);
}

static void compare(const program *p, const pir_tensor *a, const pir_tensor *b) {
  assert_int_equal(a->rank, b->rank);
  for (int d = 0; d < a->rank; d++)
    assert_int_equal(a->shape[d], b->shape[d]);
  for (int64_t i = 0; i < pir_tensor_numel(a); i++) {
    double x = pir_tensor_float_at(a, i), y = pir_tensor_float_at(b, i);
    if (!(fabs(x - y) <= 1e-5 + 1e-5 * fabs(x)))
      fail_msg("%s: element %lld: %g called, %g compiled", p->name, (long long)i, x, y);
  }
}

static void test_groups(void **state) {
  static float data[2][1 << 16];
  static const int64_t extents[] = {1, 2, 7, 16, 33, 70, 0};
  pir_context *ctx = pir_context_create(NULL);
  pir_context_set_sink(ctx, (pir_diag_sink){report, NULL});
  assert_int_equal(pir_dialects_load_all(ctx), PIR_OK);
  for (int i = 0; i < 1 << 16; i++) {
    data[0][i] = (float)(i * 37 % 101) / 25 - 2;
    data[1][i] = (float)(i * 53 % 97) / 30 - 1.5f;
  }
  for (size_t k = 0; k < sizeof programs / sizeof *programs; k++) {
    const program *p = &programs[k];
    pir_program *parsed = parse(ctx, p);
    pir_model_options called = {.size = sizeof called,
                                .pipeline = "kernels",
                                .sink = {report, NULL}},
                      compiled = called;
    compiled.pipeline = COMPILED;
    pir_model *models[2];
    assert_int_equal(pir_model_create(parsed, &called, &models[0]), PIR_OK);
    assert_int_equal(pir_model_create(parsed, &compiled, &models[1]), PIR_OK);
    assert_true(model_stats(models[1]).kernels_compiled > 0);
    if (p->grouped)
      assert_int_equal(model_stats(models[1]).kernels_called, 0);
    for (size_t s = 0; s < 2 * sizeof extents / sizeof *extents; s++) {
      bool broadcast = s % 2 && p->inputs[1] && strstr(p->name, "broadcast");
      pir_tensor in[2] = {0}, out[2] = {0};
      pir_session *sessions[2];
      for (int i = 0; i < 2 && p->inputs[i]; i++) {
        shape_of(p, i, extents[s / 2], broadcast && i == 1, &in[i]);
        in[i].data = data[i];
      }
      for (int m = 0; m < 2; m++)
        run(models[m], p, in, &out[m], &sessions[m]);
      compare(p, &out[0], &out[1]);
      for (int m = 0; m < 2; m++)
        pir_session_destroy(sessions[m]);
    }
    for (int m = 0; m < 2; m++)
      pir_model_release(models[m]);
    pir_program_destroy(parsed);
  }
  pir_context_destroy(ctx);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_groups)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
