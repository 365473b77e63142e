// Custom ops that are given as C functions: attributes of every kind, operands in another order
// of memory, lists that are too long, and what a declaration or an infer function gets wrong.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <pir/compiler/context.h>
#include <pir/engine/custom.h>
#include <pir/engine/model.h>

static char said[512];

static void keep_message(void *user, const pir_diag *diag) {
  (void)user;
  snprintf(said, sizeof said, "%.*s", (int)diag->message.size, diag->message.data);
}

// ---- declarations

typedef struct refused {
  pir_custom_op op;
  bool no_kernel;
  const char *message;
} refused;

static int nothing(void) {
  return 0;
}

static void wrong_declarations_are_refused(void **unused) {
  static const refused cases[] = {
      {{.name = NULL}, true, "\"\" has no kernel"},
      {{.name = "a"}, true, "\"a\" has no kernel"},
      {{.name = NULL}, false, "expects a name"},
      {{.name = "1a"}, false, "expects a name"},
      {{.name = "a-b"}, false, "a name has letters, digits and '_'"},
      {{.name = "a"}, false, "expects a result"},
      {{.name = "a", .results = "Out Second"}, false, "expects ','"},
      {{.name = "a", .results = "Out", .operands = "X Y"}, false, "expects ','"},
      {{.name = "a", .results = "Out", .operands = "X, 2"}, false, "expects a name"},
      {{.name = "a", .results = "Out", .attrs = "k"}, false, "expects ':' and a kind"},
      {{.name = "a", .results = "Out", .attrs = "k: i32 j: i32"}, false, "expects ','"},
      {{.name = "a", .results = "Out", .attrs = "k: i32["}, false, "expects ']'"},
      {{.name = "a", .results = "Out", .attrs = "k: i32[] = 1"}, false, "default is []"},
      {{.name = "a", .results = "Out", .attrs = "k: i32[] = [1]"}, false, "default is []"},
      {{.name = "a", .results = "Out", .attrs = "k: str = a"}, false, "expects a text"},
      {{.name = "a", .results = "Out", .attrs = "k: str = \"a"}, false, "expects '\"'"},
      {{.name = "a", .results = "Out", .attrs = "k: bool = yes"}, false, "true or false"},
      {{.name = "a", .results = "Out", .attrs = "k: i64 = x"}, false, "expects a number"},
      {{.name = "a", .results = "Out", .attrs = "k: f64 = x"}, false, "expects a number"},
      {{.name = "twice", .results = "Out"}, false, "\"custom_op.twice\" is declared twice"},
  };
  pir_custom_set *set = NULL;
  pir_message message;
  pir_custom_op twice = {.name = "twice", .operands = "X", .results = "Out"};
  assert_int_equal(pir_custom_set_create(NULL, &set), PIR_OK);
  assert_int_equal(pir_custom_set_add(set, &twice, (pir_custom_fn)nothing, NULL, &message),
                   PIR_OK);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    pir_custom_fn kernel = cases[i].no_kernel ? NULL : (pir_custom_fn)nothing;
    assert_int_equal(pir_custom_set_add(set, &cases[i].op, kernel, NULL, &message),
                     PIR_INVALID);
    if (!strstr(message.text, cases[i].message))
      fail_msg("case %zu: expected '%s', found '%s'", i, cases[i].message, message.text);
  }
  pir_custom_set_destroy(set);
}

// Writes n names "xN<mark>" with commas between them.
static const char *many(char *to, size_t size, int n, const char *mark) {
  size_t used = 0;
  for (int i = 0; i < n; i++)
    used += (size_t)snprintf(to + used, size - used, "%sx%d%s", i ? ", " : "", i, mark);
  return to;
}

static void numbers_of_things_have_limits(void **unused) {
  char text[1024], name[16];
  pir_custom_set *set = NULL;
  pir_message message;
  assert_int_equal(pir_custom_set_create(NULL, &set), PIR_OK);
  for (int i = 0; i < 3; i++) {
    pir_custom_op op = {.name = "a", .results = "Out"};
    const char *long_list = many(text, sizeof text, 25, i == 1 ? ": i32" : "");
    if (i == 0)
      op.operands = long_list;
    if (i == 1)
      op.attrs = long_list;
    if (i == 2)
      op.results = long_list;
    assert_int_equal(pir_custom_set_add(set, &op, (pir_custom_fn)nothing, NULL, &message),
                     PIR_INVALID);
    assert_non_null(strstr(message.text, "too many"));
  }
  for (int i = 0; i < 256; i++) {
    pir_custom_op op = {.name = name, .results = "Out"};
    snprintf(name, sizeof name, "op%d", i);
    assert_int_equal(pir_custom_set_add(set, &op, (pir_custom_fn)nothing, NULL, &message),
                     i < 255 ? PIR_OK : PIR_EXHAUSTED);
  }
  assert_non_null(strstr(message.text, "more than 255 ops"));
  assert_int_equal(pir_custom_set_load(set, "/nowhere/ops.so", &message), PIR_INVALID);
  assert_non_null(strstr(message.text, "/nowhere/ops.so"));
  pir_custom_set_destroy(set);
  pir_custom_set_destroy(NULL);
}

// ---- calls

static int every_kind(const pir_tensor *x, const pir_tensor *absent,
                      const pir_tensor *const *rest, size_t rest_count, pir_tensor *out,
                      pir_tensor *second, bool flag, int32_t small, int64_t big, float half,
                      double whole, const char *word, const int64_t *ints, size_t int_count,
                      const double *floats, size_t float_count, const pir_str *words,
                      size_t word_count, const int64_t *none, size_t none_count) {
  float *to = out->data;
  if (absent || rest_count != 2 || int_count != 2 || float_count != 1 || word_count != 2 ||
      none_count || rest[0]->rank != 2 || strcmp(word, "abc") != 0)
    return 7;
  const double seen[] = {flag,  small,           (double)big, half,
                         whole, (double)ints[1], floats[0],   (double)words[1].size};
  for (int i = 0; i < 8; i++)
    to[i] = (float)seen[i];
  for (int64_t i = 0; i < pir_tensor_numel(x); i++)
    ((float *)second->data)[i] = ((const float *)x->data)[i];
  return 0;
}

static int shape_of_kinds(const pir_tensor *x, const pir_tensor *absent,
                          const pir_tensor *const *rest, size_t rest_count, pir_tensor *out) {
  (void)x;
  (void)absent;
  (void)rest;
  (void)rest_count;
  out->rank = 1;
  out->shape[0] = 8;
  return 0;
}

static int no_rank(const pir_tensor *x, pir_tensor *out) {
  (void)x;
  out->rank = -1;
  return 0;
}
static int large_rank(const pir_tensor *x, pir_tensor *out) {
  (void)x;
  out->rank = 99;
  return 0;
}
static int no_type(const pir_tensor *x, pir_tensor *out) {
  (void)x;
  out->dtype = PIR_UNDEFINED;
  return 0;
}

// Loads the program with the set; the first message is kept.
static pir_model *load(const char *text, pir_custom_set *set, const char *pipeline) {
  pir_model_options options = {.size = sizeof options,
                               .pipeline = pipeline,
                               .custom_ops = set,
                               .sink = {keep_message, NULL}};
  pir_model *made = NULL;
  said[0] = 0;
  pir_borrowed program = {.data = text, .size = strlen(text)};
  pir_status status = pir_model_load(program, (pir_borrowed){0}, &options, &made);
  assert_true(status == PIR_OK || made == NULL);
  return made;
}

#define X                                                                                      \
  "(%x) = \"pd_op.data\" () "                                                                  \
  "{dtype:float32,name:\"x\",place:Place(undefined:0),shape:[2,3]} : () -> tensor<2x3xf32>\n"

// The operand comes from a group in another order of memory.
static void attributes_and_orders_arrive(void **unused) {
  static const char text[] =
      "{\n" X "(%g) = \"cinn_op.group\" (%x) {kind:\"elements\",layouts:[[],[1,0]]} -> "
      "tensor<2x3xf32> {\n(%r) = \"pd_op.relu\" (%x) {} : (tensor<2x3xf32>) -> "
      "tensor<2x3xf32>\n() = \"cf.yield\" (%r) {} : (tensor<2x3xf32>) -> \n}\n"
      "(%l) = \"builtin.combine\" (%g, %x) {} : (tensor<2x3xf32>, tensor<2x3xf32>) -> "
      "vec[tensor<2x3xf32>,tensor<2x3xf32>]\n"
      "(%o, %s) = \"custom_op.kinds\" (%g, <<NULL VALUE>>, %l) {big:-9000000000,floats:[0.25],"
      "ints:[5,6],words:[\"a\",\"bcd\"]} : (tensor<2x3xf32>, <<NULL TYPE>>, "
      "vec[tensor<2x3xf32>,tensor<2x3xf32>]) -> tensor<8xf32>, tensor<2x3xf32>\n"
      "(%f) = \"pd_op.fetch\" (%o) {col:0,name:\"o\"} : (tensor<8xf32>) -> tensor<8xf32>\n"
      "(%e) = \"pd_op.fetch\" (%s) {col:1,name:\"s\"} : (tensor<2x3xf32>) -> "
      "tensor<2x3xf32>\n}\n";
  static const float wanted[] = {1, -2, -9e9f, 0.5f, -1e3f, 6, 0.25f, 3};
  float data[] = {1, 2, 3, 4, 5, -6};
  pir_custom_op op = {.name = "kinds",
                      .operands = "X, Y?, Rest*",
                      .attrs = "flag: bool = true, small: i32 = -2, big: i64, half: f32 = 0.5, "
                               "whole: f64 = -1e3, word: str = \"abc\", ints: i64[], floats: "
                               "f64[], words: str[], none: i32[] = []",
                      .results = "Out, Second"};
  pir_custom_set *set = NULL;
  pir_message message;
  assert_int_equal(pir_custom_set_create(NULL, &set), PIR_OK);
  assert_int_equal(pir_custom_set_add(set, &op, (pir_custom_fn)every_kind,
                                      (pir_custom_fn)shape_of_kinds, &message),
                   PIR_OK);
  const char *const pipelines[] = {"kernels", "compile"};
  for (int p = 0; p < 2; p++) {
    pir_model *model = load(text, set, pipelines[p]);
    if (!model)
      fail_msg("%s", said);
    pir_session *s = NULL;
    pir_tensor x = {.data = data}, out = {0}, second = {0};
    pir_tensor_set_dense(&x, PIR_F32, (int64_t[]){2, 3}, 2);
    assert_int_equal(pir_session_create(model, NULL, &s), PIR_OK);
    assert_int_equal(pir_session_bind_input(s, 0, &x), PIR_OK);
    assert_int_equal(pir_session_run(s), PIR_OK);
    assert_int_equal(pir_session_output(s, 0, &out), PIR_OK);
    assert_int_equal(pir_session_output(s, 1, &second), PIR_OK);
    assert_memory_equal(out.data, wanted, sizeof wanted);
    for (int i = 0; i < 6; i++)
      assert_true(((float *)second.data)[i] == (i < 5 ? data[i] : 0));
    pir_session_destroy(s);
    pir_model_release(model);
  }
  pir_custom_set_destroy(set);
}

static void wrong_shapes_are_refused(void **unused) {
  static const char text[] =
      "{\n" X "(%o) = \"custom_op.one\" (%x) {} : (tensor<2x3xf32>) -> tensor<2x3xf32>\n"
      "(%f) = \"pd_op.fetch\" (%o) {col:0,name:\"o\"} : (tensor<2x3xf32>) -> "
      "tensor<2x3xf32>\n}\n";
  static const struct {
    pir_custom_fn infer;
    const char *message;
  } cases[] = {{(pir_custom_fn)no_rank, "rank -1 and no type or a wrong one"},
               {(pir_custom_fn)large_rank, "rank 99 and no type or a wrong one"},
               {(pir_custom_fn)no_type, "rank 2 and no type or a wrong one"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    pir_custom_op op = {.name = "one", .operands = "X", .results = "Out"};
    pir_custom_set *set = NULL;
    pir_message message;
    assert_int_equal(pir_custom_set_create(NULL, &set), PIR_OK);
    assert_int_equal(
        pir_custom_set_add(set, &op, (pir_custom_fn)nothing, cases[i].infer, &message), PIR_OK);
    assert_null(load(text, set, "kernels"));
    assert_non_null(strstr(said, cases[i].message));
    pir_custom_set_destroy(set);
  }
}

// Writes a program that gives `count` tensors to "custom_op.long", which has three results.
static void write_list(char *text, size_t room, int count) {
  size_t n = (size_t)snprintf(text, room, "%s(%%l) = \"builtin.combine\" (", "{\n" X);
  for (int i = 0; i < count; i++)
    n += (size_t)snprintf(text + n, room - n, "%s%%x", i ? ", " : "");
  for (int part = 0; part < 2; part++) {
    n += (size_t)snprintf(text + n, room - n, part ? ") -> vec[" : ") {} : (");
    for (int i = 0; i < count; i++)
      n += (size_t)snprintf(text + n, room - n, "%stensor<2x3xf32>", i ? "," : "");
  }
  char *type = strstr(text, "vec[");
  size_t size = n - (size_t)(type - text);
  n += (size_t)snprintf(
      text + n, room - n,
      "]\n(%%o, %%p, %%q) = \"custom_op.long\" (%%l) {} : (%.*s]) -> tensor<2x3xf32>, "
      "tensor<2x3xf32>, tensor<2x3xf32>\n"
      "(%%f) = \"pd_op.fetch\" (%%o) {col:0,name:\"o\"} : (tensor<2x3xf32>) "
      "-> tensor<2x3xf32>\n}\n",
      (int)size, type);
  assert_true(n < room);
}

// Results count, too: too many operands are told from the program, the rest by the call.
static void lists_have_a_limit(void **unused) {
  static char text[16384];
  float data[6] = {0};
  pir_custom_op op = {.name = "long", .operands = "Xs*", .results = "Out, Second, Third"};
  pir_custom_set *set = NULL;
  pir_message message;
  pir_session *s = NULL;
  assert_int_equal(pir_custom_set_create(NULL, &set), PIR_OK);
  assert_int_equal(pir_custom_set_add(set, &op, (pir_custom_fn)nothing, NULL, &message),
                   PIR_OK);
  write_list(text, sizeof text, 150);
  assert_null(load(text, set, "kernels"));
  if (!strstr(said, "unsupported: more than 144 tensors"))
    fail_msg("%s", said);
  write_list(text, sizeof text, 143);
  pir_model *model = load(text, set, "kernels");
  if (!model)
    fail_msg("%s", said);
  pir_tensor x = {.data = data};
  pir_tensor_set_dense(&x, PIR_F32, (int64_t[]){2, 3}, 2);
  assert_int_equal(pir_session_create(model, NULL, &s), PIR_OK);
  assert_int_equal(pir_session_bind_input(s, 0, &x), PIR_OK);
  assert_int_equal(pir_session_run(s), PIR_UNSUPPORTED);
  if (!strstr(pir_session_message(s), "unsupported: custom_op.long: more than 144 tensors"))
    fail_msg("%s", pir_session_message(s));
  pir_session_destroy(s);
  pir_model_release(model);
  pir_custom_set_destroy(set);
}

// ---- shapes that are not known, and what has none

static int from_nothing(pir_tensor *out, int32_t rows, const char *word) {
  for (int32_t i = 0; i < rows; i++)
    ((float *)out->data)[i] = word[0] ? -1 : (float)i;
  return 0;
}
static int shape_from_nothing(pir_tensor *out, int32_t rows, const char *word) {
  (void)word;
  out->dtype = PIR_F32;
  out->rank = 1;
  out->shape[0] = rows;
  return 0;
}

static void operands_may_be_missing(void **unused) {
  static const char text[] =
      "{\n(%o) = \"custom_op.count\" () {rows:3} : () -> tensor<3xf32>\n"
      "(%f) = \"pd_op.fetch\" (%o) {col:0,name:\"o\"} : (tensor<3xf32>) -> tensor<3xf32>\n}\n";
  pir_custom_op op = {
      .name = "count", .attrs = "rows: i32, word: str = \"\"", .results = "Out"};
  pir_allocator allocator = {0};
  pir_custom_set *set = NULL;
  pir_message message;
  pir_session *s = NULL;
  pir_tensor out = {0};
  assert_int_equal(pir_custom_set_create(&allocator, &set), PIR_OK);
  assert_int_equal(pir_custom_set_add(set, &op, (pir_custom_fn)from_nothing,
                                      (pir_custom_fn)shape_from_nothing, &message),
                   PIR_OK);
  pir_model *model = load(text, set, "kernels");
  if (!model)
    fail_msg("%s", said);
  assert_int_equal(pir_session_create(model, NULL, &s), PIR_OK);
  assert_int_equal(pir_session_run(s), PIR_OK);
  assert_int_equal(pir_session_output(s, 0, &out), PIR_OK);
  assert_int_equal(out.shape[0], 3);
  assert_memory_equal(out.data, ((float[]){0, 1, 2}), 12);
  pir_session_destroy(s);
  pir_model_release(model);
  pir_custom_set_destroy(set);
}

static int64_t extents_seen[4];
static int see_extents(const pir_tensor *x, pir_tensor *out) {
  static int calls;
  if (calls < 2)
    memcpy(extents_seen + 2 * calls, x->shape, 2 * sizeof *x->shape);
  calls++;
  out->shape[0] = -1;
  return 0;
}

// An extent that is free, then one that an infer function does not know: both arrive as -1.
static void unknown_extents_are_negative(void **unused) {
  static const char text[] =
      "{\n(%x) = \"pd_op.data\" () "
      "{dtype:float32,name:\"x\",place:Place(undefined:0),shape:[-1,3]} : () -> "
      "tensor<-1x3xf32>\n"
      "(%a) = \"custom_op.see\" (%x) {} : (tensor<-1x3xf32>) -> tensor<-1x3xf32>\n"
      "(%o) = \"custom_op.see\" (%a) {} : (tensor<-1x3xf32>) -> tensor<-1x3xf32>\n"
      "(%f) = \"pd_op.fetch\" (%o) {col:0,name:\"o\"} : (tensor<-1x3xf32>) -> "
      "tensor<-1x3xf32>\n}\n";
  pir_custom_op op = {.name = "see", .operands = "X", .results = "Out"};
  pir_custom_set *set = NULL;
  pir_message message;
  assert_int_equal(pir_custom_set_create(NULL, &set), PIR_OK);
  assert_int_equal(pir_custom_set_add(set, &op, (pir_custom_fn)nothing,
                                      (pir_custom_fn)see_extents, &message),
                   PIR_OK);
  pir_model *model = load(text, set, "kernels");
  if (!model)
    fail_msg("%s", said);
  assert_memory_equal(extents_seen, ((int64_t[]){-1, 3, -1, 3}), sizeof extents_seen);
  pir_model_release(model);
  pir_custom_set_destroy(set);
}

// ---- what is given wrongly

static void nothing_given_is_refused(void **unused) {
  pir_custom_op op = {.name = "one", .operands = "X", .results = "Out"};
  pir_custom_set *set = NULL;
  pir_message message;
  assert_int_equal(pir_custom_set_create(NULL, NULL), PIR_INVALID);
  assert_int_equal(pir_custom_set_create(NULL, &set), PIR_OK);
  assert_int_equal(pir_custom_set_add(set, &op, (pir_custom_fn)nothing, NULL, NULL),
                   PIR_INVALID);
  assert_int_equal(pir_custom_set_add(NULL, &op, (pir_custom_fn)nothing, NULL, &message),
                   PIR_INVALID);
  assert_string_equal(message.text, "pir_custom_set_add: an argument is NULL");
  assert_int_equal(pir_custom_set_add(set, NULL, (pir_custom_fn)nothing, NULL, &message),
                   PIR_INVALID);
  assert_int_equal(pir_custom_set_load(set, "libm.so.6", NULL), PIR_INVALID);
  assert_int_equal(pir_custom_set_load(NULL, "libm.so.6", &message), PIR_INVALID);
  assert_string_equal(message.text, "pir_custom_set_load: an argument is NULL");
  assert_int_equal(pir_custom_set_load(set, NULL, &message), PIR_INVALID);
  assert_int_equal(pir_custom_set_register(set, NULL), PIR_INVALID);
  assert_int_equal(pir_custom_set_register(NULL, NULL), PIR_INVALID);
  pir_context *ctx = pir_context_create(NULL);
  pir_context_set_sink(ctx, (pir_diag_sink){keep_message, NULL});
  assert_int_equal(pir_custom_set_register(NULL, ctx), PIR_INVALID);
  assert_string_equal(said, "pir_custom_set_register: an argument is NULL");
  pir_context_destroy(ctx);
  pir_custom_set_destroy(set);
}

static void *take_or_fail(void *left, size_t size, size_t align) {
  (void)align;
  return --*(int *)left < 0 ? NULL : malloc(size);
}
static void free_block(void *left, void *memory, size_t size) {
  (void)left;
  (void)size;
  free(memory);
}

// Each allocation of a declaration fails in turn.
static void memory_that_is_missing_is_told(void **unused) {
  pir_status status = PIR_EXHAUSTED;
  int failures = 0;
  for (int n = 1; status == PIR_EXHAUSTED; n++) {
    int left = INT_MAX;
    pir_allocator allocator = {take_or_fail, free_block, &left};
    pir_custom_op op = {.name = "a", .operands = "x", .attrs = "b: i32", .results = "Out"};
    pir_custom_set *set = NULL;
    pir_message message = {{"earlier"}};
    assert_int_equal(pir_custom_set_create(&allocator, &set), PIR_OK);
    left = n - 1;
    status = pir_custom_set_add(set, &op, (pir_custom_fn)nothing, NULL, &message);
    assert_string_equal(message.text, status ? "out of memory" : "");
    failures += status != PIR_OK;
    pir_custom_set_destroy(set);
  }
  assert_int_equal(status, PIR_OK);
  assert_true(failures > 0);
}

static void libraries_without_ops_are_refused(void **unused) {
  pir_custom_set *set = NULL;
  pir_message message;
  assert_int_equal(pir_custom_set_create(NULL, &set), PIR_OK);
  for (int i = 0; i < 255; i++) {
    assert_int_equal(pir_custom_set_load(set, "libm.so.6", &message), PIR_INVALID);
    assert_string_equal(message.text, "libm.so.6: exports no 'pir_custom_ops'");
  }
  assert_int_equal(pir_custom_set_load(set, "libm.so.6", &message), PIR_EXHAUSTED);
  assert_string_equal(message.text, "more than 255 libraries");
  pir_custom_set_destroy(set);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(wrong_declarations_are_refused),
      cmocka_unit_test(numbers_of_things_have_limits),
      cmocka_unit_test(attributes_and_orders_arrive),
      cmocka_unit_test(wrong_shapes_are_refused),
      cmocka_unit_test(lists_have_a_limit),
      cmocka_unit_test(operands_may_be_missing),
      cmocka_unit_test(unknown_extents_are_negative),
      cmocka_unit_test(nothing_given_is_refused),
      cmocka_unit_test(memory_that_is_missing_is_told),
      cmocka_unit_test(libraries_without_ops_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
