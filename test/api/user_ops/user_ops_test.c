// Ops that texts declare at run time, through the C interface: errors with their places,
// includes, misuse, every failing allocation, the lives of sets and models, and threads with
// different sets.
#include "../failing.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <pir/compiler/dialects.h>
#include <pir/compiler/ir.h>
#include <pir/compiler/dialect/pd_op.h>
#include <pir/engine/custom.h>
#include <pir/engine/model.h>

#define TWICE(text)                                                                            \
  "op twice \"y = f(x)\" {\n  operand x : tensor<any>\n  result out : tensor<same(x)>\n"       \
  "  trait pure\n  compute out = " text "\n}\n"

static pir_message message;

static pir_custom_set *new_set(void) {
  pir_custom_set *set = NULL;
  assert_int_equal(pir_custom_set_create(NULL, &set), PIR_OK);
  return set;
}

static pir_status declare(pir_custom_set *set, const char *text) {
  return pir_custom_set_declare(set, pir_str_from(text), NULL, &message);
}

// ---- errors

typedef struct heard {
  int count;
  uint32_t line, column;  // of the first
  char file[32], text[128], source[64];
} heard;

static void hear(void *user, const pir_diag *diag) {
  heard *h = user;
  assert_int_equal(diag->severity, PIR_ERROR);
  if (h->count++)
    return;
  h->line = diag->place.line;
  h->column = diag->place.column;
  snprintf(h->file, sizeof h->file, "%.*s", (int)diag->place.file.size, diag->place.file.data);
  snprintf(h->text, sizeof h->text, "%.*s", (int)diag->message.size, diag->message.data);
  snprintf(h->source, sizeof h->source, "%.*s", (int)diag->source_line.size,
           diag->source_line.data);
}

static void errors_have_places(void **unused) {
  heard h = {0};
  pir_custom_set *set = new_set();
  pir_ops_options how = {.size = sizeof how, .file = PIR_STR("f/my.ops"), .sink = {hear, &h}};
  pir_str text = PIR_STR(TWICE("x + z") "op b \"b\" { trait pure }\n");
  assert_int_equal(pir_custom_set_declare(set, text, &how, &message), PIR_INVALID);
  assert_string_equal(message.text, "f/my.ops:5:21: no operand 'z'");
  assert_int_equal(h.count, 2);
  assert_int_equal(h.line, 5);
  assert_int_equal(h.column, 21);
  assert_string_equal(h.file, "f/my.ops");
  assert_string_equal(h.text, "no operand 'z'");
  assert_string_equal(h.source, "  compute out = x + z");
  // Nothing was added, and the set is as before.
  assert_int_equal(declare(set, TWICE("x + x")), PIR_OK);
  assert_string_equal(message.text, "");
  assert_int_equal(declare(set, TWICE("x * 2")), PIR_INVALID);
  assert_string_equal(message.text, "ops:1:4: 'custom_op.twice' is declared already");
  pir_custom_set_destroy(set);
}

static pir_status find_text(void *user, pir_str path, pir_str *out_text) {
  if (!pir_str_equal(path, PIR_STR("f/part/lets.ops")))
    return PIR_NOT_FOUND;
  *out_text = PIR_STR("let double(v) = v + v\n");
  return PIR_OK;
}

static void includes_are_asked_for(void **unused) {
  pir_custom_set *set = new_set();
  pir_ops_options how = {.size = sizeof how, .file = PIR_STR("f/my.ops"), .read = find_text};
  pir_str here = PIR_STR("include \"part/lets.ops\"\n" TWICE("double(x)")),
          gone = PIR_STR("include \"lets.ops\"\n" TWICE("double(x)"));
  assert_int_equal(pir_custom_set_declare(set, gone, &how, &message), PIR_INVALID);
  assert_string_equal(message.text, "f/my.ops:1:9: cannot read 'f/lets.ops'");
  assert_int_equal(pir_custom_set_declare(set, here, NULL, &message), PIR_INVALID);
  assert_string_equal(message.text, "ops:1:9: cannot read 'part/lets.ops'");
  assert_int_equal(pir_custom_set_declare(set, here, &how, &message), PIR_OK);
  pir_custom_set_destroy(set);
}

static int nothing(void) {
  return 0;
}

static void misuse_is_refused(void **unused) {
  pir_custom_set *set = new_set();
  pir_ops_options no_size = {0};
  pir_custom_op by_function = {.name = "twice", .operands = "X", .results = "Out"};
  pir_str text = PIR_STR(TWICE("x + x"));
  assert_int_equal(pir_custom_set_declare(set, text, NULL, NULL), PIR_INVALID);
  assert_int_equal(pir_custom_set_declare(NULL, text, NULL, &message), PIR_INVALID);
  assert_string_equal(message.text, "pir_custom_set_declare: an argument is NULL");
  assert_int_equal(pir_custom_set_declare(set, (pir_str){NULL, 3}, NULL, &message),
                   PIR_INVALID);
  assert_int_equal(pir_custom_set_declare(set, text, &no_size, &message), PIR_INVALID);
  assert_non_null(strstr(message.text, "pir_ops_options"));
  assert_int_equal(pir_custom_set_declare(set, (pir_str){NULL, 0}, NULL, &message),
                   PIR_INVALID);
  assert_string_equal(message.text, "ops:1:1: the file declares no op");
  // A name has one declaration, whether it is a text or a function.
  assert_int_equal(declare(set, TWICE("x + x")), PIR_OK);
  assert_int_equal(
      pir_custom_set_add(set, &by_function, (pir_custom_fn)nothing, NULL, &message),
      PIR_INVALID);
  assert_string_equal(message.text, "\"custom_op.twice\" is declared twice");
  by_function.name = "other";
  assert_int_equal(
      pir_custom_set_add(set, &by_function, (pir_custom_fn)nothing, NULL, &message), PIR_OK);
  assert_int_equal(declare(set, "op other \"o\" { operand x : tensor<any> result out : "
                                "tensor<same(x)> trait pure compute out = x }"),
                   PIR_INVALID);
  assert_string_equal(message.text, "ops:1:4: 'custom_op.other' is declared already");
  // Two dialects with one number in JSON.
  assert_int_equal(declare(set, "dialect a json 50 \"a\" " TWICE("x")), PIR_OK);
  assert_int_equal(declare(set, "dialect b json 50 \"b\" " TWICE("x")), PIR_INVALID);
  assert_non_null(strstr(message.text, "dialects 'a' and 'b' have one number in JSON, 50"));
  pir_context *ctx = pir_context_create(NULL);
  assert_int_equal(pir_custom_set_register(set, ctx), PIR_OK);
  assert_int_equal(declare(set, "dialect c \"c\" " TWICE("x")), PIR_INVALID);
  assert_string_equal(message.text, "a set that is registered takes no more ops");
  // A context takes one set.
  pir_custom_set *second = new_set();
  assert_int_equal(declare(second, TWICE("x")), PIR_OK);
  assert_int_equal(pir_custom_set_register(second, ctx), PIR_INVALID);
  pir_context_destroy(ctx);
  pir_custom_set_destroy(second);
  pir_custom_set_destroy(set);
}

static void sets_have_ends(void **unused) {
  char text[256];
  pir_custom_set *set = new_set();
  for (int i = 0; i <= 64; i++) {
    snprintf(text, sizeof text, "dialect d%d \"d\" %s", i, TWICE("x"));
    assert_int_equal(declare(set, text), i < 64 ? PIR_OK : PIR_EXHAUSTED);
  }
  assert_string_equal(message.text, "more than 64 texts");
  pir_context *ctx = pir_context_create(NULL);
  assert_int_equal(pir_custom_set_register(set, ctx), PIR_OK);
  assert_true(pir_context_opdef(ctx, PIR_STR("d63.twice"))->traits & PIR_REGISTERED);
  pir_context_destroy(ctx);
  pir_custom_set_destroy(set);
}

// ---- numbers of ops

static void numbers_of_libpir_stay(void **unused) {
  pir_custom_set *set = new_set();
  pir_context *ctx = pir_context_create(NULL);
  assert_int_equal(declare(set, "dialect pd_op \"more\" " TWICE("x + x")), PIR_OK);
  assert_int_equal(pir_dialects_load_all(ctx), PIR_OK);
  assert_int_equal(pir_custom_set_register(set, ctx), PIR_OK);
  assert_int_equal(pir_custom_set_register(set, ctx), PIR_OK);
  const pir_opdef *mine = pir_context_opdef(ctx, PIR_STR("pd_op.twice"));
  assert_true(mine->traits & PIR_REGISTERED);
  assert_true(mine->id >> 16 > 255);
  assert_ptr_equal(pir_context_op(ctx, mine->id), mine);
  assert_string_equal(pir_context_op(ctx, PD_RELU)->name, "pd_op.relu");
  pir_context_destroy(ctx);
  pir_custom_set_destroy(set);
}

// ---- models

#define PROGRAM                                                                                \
  "{\n(%0) = \"pd_op.data\" () "                                                               \
  "{dtype:float32,name:\"x\",place:Place(undefined:0),shape:[2]} : () -> tensor<2xf32>\n"      \
  "(%1) = \"custom_op.twice\" (%0) {} : (tensor<2xf32>) -> tensor<2xf32>\n"                    \
  "(%2) = \"pd_op.fetch\" (%1) {col:0,name:\"y\"} : (tensor<2xf32>) -> tensor<2xf32>\n}\n"

static pir_status load(pir_custom_set *set, const char *pipeline, pir_allocator allocator,
                       pir_model **out_model) {
  pir_model_options options = {
      .size = sizeof options, .pipeline = pipeline, .custom_ops = set, .allocator = allocator};
  pir_borrowed program = {.data = PROGRAM, .size = sizeof PROGRAM - 1};
  *out_model = NULL;
  return pir_model_load(program, (pir_borrowed){0}, &options, out_model);
}

// The result for the input {3, 4}; its second element must be the first's 4 / 3.
static float run_model(pir_model *model) {
  pir_session *s = NULL;
  float data[2] = {3, 4}, result = -1;
  pir_tensor x = {.data = data}, y = {0};
  pir_tensor_set_dense(&x, PIR_F32, (int64_t[]){2}, 1);
  if (!pir_session_create(model, NULL, &s) && !pir_session_bind_input(s, 0, &x) &&
      !pir_session_run(s) && !pir_session_output(s, 0, &y) &&
      3 * ((float *)y.data)[1] == 4 * ((float *)y.data)[0])
    result = ((float *)y.data)[0];
  pir_session_destroy(s);
  return result;
}

static void models_hold_their_set(void **unused) {
  static const char *const pipelines[] = {"kernels", "compile",
                                          "check,prepare,group{few=0},dce,bind"};
  for (int i = 0; i < 3; i++) {
    pir_model *model;
    pir_custom_set *set = new_set();
    assert_int_equal(declare(set, TWICE("x + x")), PIR_OK);
    assert_int_equal(load(set, pipelines[i], (pir_allocator){0}, &model), PIR_OK);
    pir_custom_set_destroy(set);
    assert_true(run_model(model) == 6);
    pir_model_release(model);
  }
}

// Threads load and run models with the set, and destroy nothing that others use.
typedef struct worker {
  pthread_t thread;
  pir_custom_set *set;
  const char *pipeline;
  float wanted;
  bool right;
} worker;

static void *work(void *user) {
  worker *w = user;
  w->right = true;
  for (int i = 0; i < 8; i++) {
    pir_model *model;
    w->right &= !load(w->set, w->pipeline, (pir_allocator){0}, &model);
    w->right &= model && run_model(model) == w->wanted;
    pir_model_release(model);
  }
  return NULL;
}

static void sets_do_not_meet(void **unused) {
  pir_custom_set *sets[2] = {new_set(), new_set()};
  worker workers[4];
  assert_int_equal(declare(sets[0], TWICE("x + x")), PIR_OK);
  assert_int_equal(declare(sets[1], TWICE("x * 5")), PIR_OK);
  for (int i = 0; i < 4; i++) {
    workers[i] = (worker){.set = sets[i % 2],
                          .pipeline = i < 2 ? "kernels" : "compile",
                          .wanted = i % 2 ? 15 : 6};
    assert_int_equal(pthread_create(&workers[i].thread, NULL, work, &workers[i]), 0);
  }
  for (int i = 0; i < 4; i++) {
    pthread_join(workers[i].thread, NULL);
    assert_true(workers[i].right);
  }
  for (int i = 0; i < 2; i++)
    pir_custom_set_destroy(sets[i]);
}

// ---- failing allocations

// A text that needs every part of the reader, and more memory than one chunk.
static char *long_text(void) {
  size_t room = 1 << 17, n = 0;
  char *text = malloc(room);
  assert_non_null(text);
  n += (size_t)snprintf(text + n, room - n,
                        "typeset real = f32 | f64\nlet double(v) = v + v\n%s", TWICE("x + x"));
  for (int i = 0; i < 150; i++)
    n += (size_t)snprintf(
        text + n, room - n,
        "op a%d \"a\" {\n operand x : tensor<real>\n operand axis : intarray = [%d]\n"
        " attr k : i32[] = [1, 2]\n attr s : str = \"text\"\n attr w : f64[] = [0.5]\n"
        " result out : tensor<same(x)>\n trait pure\n inplace x -> out\n require rank(x) > %d\n"
        " lower when count($k) == 2 {\n  (%%s) = \"pd_op.sum\" (%%x, $axis) {keepdim: true}\n"
        "  (%%out) = \"pd_op.add\" (%%x, %%s)\n }\n"
        " compute out = double(x) * index($k[0] + %d)\n}\n",
        i, i, i % 7, i);
  assert_true(n < room);
  return text;
}

static void every_failed_allocation_is_a_status(void **unused) {
  char *text = long_text();
  pir_status status = PIR_EXHAUSTED;
  long n = 0;
  for (; status && n < 2000; n++) {
    failing f = {n, 0, 0};
    pir_allocator allocator = failing_allocator(&f);
    pir_custom_set *set = NULL;
    pir_ops_options how = {.size = sizeof how, .file = PIR_STR("f/my.ops"), .read = find_text};
    status = pir_custom_set_create(&allocator, &set);
    if (!status)
      status = pir_custom_set_declare(set, pir_str_from(text), &how, &message);
    assert_true(status == PIR_OK || (status == PIR_EXHAUSTED && (!set || *message.text)));
    // The set of a failure can be used.
    f.left = 1000;
    if (set && status) {
      assert_int_equal(declare(set, TWICE("x + x")), PIR_OK);
      pir_model *model;
      assert_int_equal(load(set, "kernels", (pir_allocator){0}, &model), PIR_OK);
      pir_model_release(model);
    }
    pir_custom_set_destroy(set);
    assert_int_equal(f.held, 0);
  }
  assert_int_equal(status, PIR_OK);
  assert_true(n > 5);
  free(text);
}

static void registering_and_loading_survive_failures(void **unused) {
  pir_custom_set *set = new_set();
  pir_model *model = NULL;
  failing f = {0};
  assert_int_equal(declare(set, TWICE("x + x")), PIR_OK);
  for (long n = 0; !model && n < 2000; n++) {
    f = (failing){n, 0, 0};
    pir_status status = load(set, "kernels", failing_allocator(&f), &model);
    assert_true(status == (model ? PIR_OK : PIR_EXHAUSTED));
    if (!model)
      assert_int_equal(f.held, 0);
  }
  assert_non_null(model);
  f.left = 1000;
  assert_true(run_model(model) == 6);
  pir_model_release(model);
  assert_int_equal(f.held, 0);
  pir_custom_set_destroy(set);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(errors_have_places),
      cmocka_unit_test(includes_are_asked_for),
      cmocka_unit_test(misuse_is_refused),
      cmocka_unit_test(sets_have_ends),
      cmocka_unit_test(numbers_of_libpir_stay),
      cmocka_unit_test(models_hold_their_set),
      cmocka_unit_test(sets_do_not_meet),
      cmocka_unit_test(every_failed_allocation_is_a_status),
      cmocka_unit_test(registering_and_loading_survive_failures),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
