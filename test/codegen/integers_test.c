// Integers at both ends of their types: for every pair, kernels and compiled code give the
// result of 128-bit arithmetic, truncated to the type. A case may be several ops, which
// compiled code computes as one expression.
#include "../../tools/ports.h"

#include <pir/compiler/dialects.h>
#include <pir/engine/model.h>
#include <pir/compiler/text.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COMPILED "canon,expand,group{few=0},dce,bind"

typedef __int128 wide;

typedef struct int_type {
  pir_dtype dtype;
  const char *text, *name;
  int bits;
  bool is_signed;
} int_type;

static const int_type types[] = {{PIR_I8, "i8", "int8", 8, true},
                                 {PIR_U8, "u8", "uint8", 8, false},
                                 {PIR_I16, "i16", "int16", 16, true},
                                 {PIR_I32, "i32", "int32", 32, true},
                                 {PIR_I64, "i64", "int64", 64, true}};

static wide least(const int_type *t) {
  return t->is_signed ? -((wide)1 << (t->bits - 1)) : 0;
}
static wide most(const int_type *t) {
  return ((wide)1 << (t->bits - t->is_signed)) - 1;
}

static wide cut(const int_type *t, wide x) {
  wide range = (wide)1 << t->bits, low = x & (range - 1);
  return low > most(t) ? low - range : low;
}

// ---- what is expected, before it is cut

#define EXPECT(name, expression)                                                               \
  static wide name(const int_type *t, wide x, wide y) {                                        \
    (void)t, (void)x, (void)y;                                                                 \
    return expression;                                                                         \
  }

static wide floor_seventh(wide x) {
  return x / 7 - (x % 7 < 0);
}

EXPECT(sum, x + y)
EXPECT(difference, x - y)
EXPECT(product, x *y)
EXPECT(larger, x > y ? x : y)
EXPECT(smaller, x < y ? x : y)
EXPECT(is_less, x < y)
EXPECT(is_not_above, x <= y)
EXPECT(is_equal, x == y)
EXPECT(differs, x != y)
EXPECT(bits_of_both, x &y)
EXPECT(bits_of_one, x ^ y)
EXPECT(magnitude, x < 0 ? -x : x)
EXPECT(sign, (x > 0) - (x < 0))
EXPECT(square, x *x)
EXPECT(inverted, ~x)
EXPECT(seventh, floor_seventh(x))
EXPECT(rest_of_seven, x - 7 * floor_seventh(x))
EXPECT(has_next, cut(t, x + 1) > x)
EXPECT(itself, x)
EXPECT(difference_below_0, cut(t, x - y) < 0)
EXPECT(seventh_of_product, floor_seventh(cut(t, 7 * x)))
EXPECT(sums_in_order, cut(t, x + 5) < cut(t, y + 5))

// ---- programs

// The ops between inputs %0 and %1 and the result %2: $ stands for the type of the inputs, #
// for the type of one element, & for booleans, @ for the name of the element type.
typedef struct ints_case {
  const char *name, *ops;
  wide (*expected)(const int_type *t, wide x, wide y);
  bool large;  // the op takes numbers of 32 and 64 bits alone
} ints_case;

#define INPUT(i, name)                                                                         \
  "(%" i ") = \"pd_op.data\" () {dtype:@,name:\"" name                                         \
  "\",place:Place(undefined:0),shape:[-1]} : () -> $\n"
#define UNARY(op) "(%2) = \"pd_op." op "\" (%0) {} : ($) -> $\n"
#define BINARY(op) "(%2) = \"pd_op." op "\" (%0, %1) {} : ($, $) -> $\n"
#define COMPARISON(op) "(%2) = \"pd_op." op "\" (%0, %1) {} : ($, $) -> &\n"
#define NUMBER(n)                                                                              \
  "(%3) = \"pd_op.full\" () {dtype:@,place:Place(cpu),shape:[1],value:" n "} : () -> #\n"
#define BY_SEVEN(op) NUMBER("7") "(%2) = \"pd_op." op "\" (%0, %3) {} : ($, #) -> $\n"

static const ints_case cases[] = {
    {"sum", BINARY("add"), sum, false},
    {"difference", BINARY("subtract"), difference, false},
    {"product", BINARY("multiply"), product, false},
    {"maximum", BINARY("maximum"), larger, true},
    {"minimum", BINARY("minimum"), smaller, true},
    {"fmax", BINARY("fmax"), larger, true},
    {"fmin", BINARY("fmin"), smaller, true},
    {"and", BINARY("bitwise_and"), bits_of_both, false},
    {"xor", BINARY("bitwise_xor"), bits_of_one, false},
    {"less", COMPARISON("less_than"), is_less, false},
    {"less or equal", COMPARISON("less_equal"), is_not_above, false},
    {"equal", COMPARISON("equal"), is_equal, false},
    {"not equal", COMPARISON("not_equal"), differs, false},
    {"abs", UNARY("abs"), magnitude, true},
    {"sign", UNARY("sign"), sign, false},
    {"square", UNARY("square"), square, true},
    {"not", UNARY("bitwise_not"), inverted, false},
    {"floor(x / 7)", BY_SEVEN("floor_divide"), seventh, false},
    {"x mod 7", BY_SEVEN("remainder"), rest_of_seven, false},
    {"x + 1 > x",
     NUMBER("1") "(%5) = \"pd_op.add\" (%0, %3) {} : ($, #) -> $\n"
                 "(%2) = \"pd_op.greater_than\" (%5, %0) {} : ($, $) -> &\n",
     has_next, false},
    {"x + 1 - 1",
     NUMBER("1") "(%5) = \"pd_op.add\" (%0, %3) {} : ($, #) -> $\n"
                 "(%2) = \"pd_op.subtract\" (%5, %3) {} : ($, #) -> $\n",
     itself, false},
    {"x - y < 0",
     NUMBER("0") "(%5) = \"pd_op.subtract\" (%0, %1) {} : ($, $) -> $\n"
                 "(%2) = \"pd_op.less_than\" (%5, %3) {} : ($, #) -> &\n",
     difference_below_0, false},
    {"floor(7 * x / 7)",
     NUMBER("7") "(%5) = \"pd_op.multiply\" (%0, %3) {} : ($, #) -> $\n"
                 "(%2) = \"pd_op.floor_divide\" (%5, %3) {} : ($, #) -> $\n",
     seventh_of_product, false},
    {"x + 5 < y + 5",
     NUMBER("5") "(%5) = \"pd_op.add\" (%0, %3) {} : ($, #) -> $\n"
                 "(%6) = \"pd_op.add\" (%1, %3) {} : ($, #) -> $\n"
                 "(%2) = \"pd_op.less_than\" (%5, %6) {} : ($, $) -> &\n",
     sums_in_order, false},
};

static void put_text(char *out, size_t size, const char *template, const int_type *t) {
  size_t n = strlen(out);
  for (const char *c = template; *c && n + 32 < size; c++) {
    if (*c == '$')
      n += (size_t)snprintf(out + n, size - n, "tensor<-1x%s>", t->text);
    else if (*c == '#')
      n += (size_t)snprintf(out + n, size - n, "tensor<1x%s>", t->text);
    else if (*c == '&')
      n += (size_t)snprintf(out + n, size - n, "tensor<-1xb>");
    else if (*c == '@')
      n += (size_t)snprintf(out + n, size - n, "%s", t->name);
    else
      out[n++] = *c;
    out[n] = 0;
  }
}

static pir_program *parse(pir_context *ctx, const ints_case *c, const int_type *t) {
  bool compares = strstr(c->ops, "-> &");
  char text[2048] = "{\n";
  put_text(text, sizeof text, INPUT("0", "x") INPUT("1", "y"), t);
  put_text(text, sizeof text, c->ops, t);
  put_text(text, sizeof text, "(%9) = \"pd_op.fetch\" (%2) {col:0,name:\"out\"} : ", t);
  put_text(text, sizeof text, compares ? "(&) -> &\n}\n" : "($) -> $\n}\n", t);
  pir_program *program;
  assert_int_equal(pir_program_parse(ctx, pir_str_from(text), NULL, &program), PIR_OK);
  return program;
}

// ---- numbers

enum { PAIRS = 21 * 21 };

// Numbers at both ends, around 0, and halfway.
static size_t numbers_of(const int_type *t, wide *out) {
  const wide middles[] = {least(t), least(t) / 2, 0, most(t) / 2, most(t)};
  size_t count = 0;
  for (size_t i = 0; i < sizeof middles / sizeof *middles; i++)
    for (int d = -2; d <= 2; d++) {
      wide x = middles[i] + d;
      if (x >= least(t) && x <= most(t))
        out[count++] = x;
    }
  return count;
}

static size_t pairs_of(const int_type *t, int64_t *x, int64_t *y) {
  wide numbers[25];
  size_t count = numbers_of(t, numbers), n = 0;
  for (size_t i = 0; i < count; i++)
    for (size_t k = 0; k < count && n < PAIRS; k++, n++) {
      x[n] = (int64_t)numbers[i];
      y[n] = (int64_t)numbers[k];
    }
  return n;
}

static void narrow(const int_type *t, const int64_t *numbers, size_t count, void *out) {
  size_t size = pir_dtype_size(t->dtype);
  for (size_t i = 0; i < count; i++)
    memcpy((char *)out + i * size, &numbers[i], size);
}

// ---- runs

static void report(void *user, const pir_diag *diag) {
  if (diag->severity >= PIR_ERROR)
    print_error("%.*s\n", (int)diag->message.size, diag->message.data);
  (void)user;
}

static void check(const ints_case *c, const int_type *t, const char *pipeline,
                  const pir_program *program) {
  static int64_t x[PAIRS], y[PAIRS], data[2][PAIRS];
  size_t count = pairs_of(t, x, y);
  int64_t shape[] = {(int64_t)count};
  pir_model_options options = {
      .size = sizeof options, .pipeline = pipeline, .sink = {report, NULL}};
  pir_model *model;
  pir_session *session;
  pir_tensor in[2] = {0}, out;
  if (pir_model_create(program, &options, &model))
    fail_msg("%s of %s, %s", c->name, t->text, pipeline);
  bool compiles = strcmp(pipeline, "kernels") != 0;
  if (compiles && !model_stats(model).kernels_compiled)
    fail_msg("%s of %s is not compiled", c->name, t->text);
  assert_int_equal(pir_session_create(model, NULL, &session), PIR_OK);
  narrow(t, x, count, data[0]);
  narrow(t, y, count, data[1]);
  for (size_t i = 0; i < 2; i++) {
    pir_tensor_set_dense(&in[i], t->dtype, shape, 1);
    in[i].data = data[i];
    if (pir_session_bind_input(session, i, &in[i]))
      fail_msg("%s", pir_session_message(session));
  }
  assert_int_equal(pir_session_run(session), PIR_OK);
  assert_int_equal(pir_session_output(session, 0, &out), PIR_OK);
  for (size_t i = 0; i < count; i++) {
    wide expected = c->expected(t, x[i], y[i]);
    if (out.dtype != PIR_BOOL)
      expected = cut(t, expected);
    if (pir_tensor_int_at(&out, (int64_t)i) != (int64_t)expected)
      fail_msg("%s of %s, %s: x = %lld, y = %lld: %lld, not %lld", c->name, t->text, pipeline,
               (long long)x[i], (long long)y[i], (long long)pir_tensor_int_at(&out, (int64_t)i),
               (long long)expected);
  }
  pir_session_destroy(session);
  pir_model_release(model);
}

static void test_integers(void **state) {
  pir_context *ctx = pir_context_create(NULL);
  pir_context_set_sink(ctx, (pir_diag_sink){report, NULL});
  assert_int_equal(pir_dialects_load_all(ctx), PIR_OK);
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
      if (cases[k].large && types[i].bits < 32)
        continue;
      pir_program *program = parse(ctx, &cases[k], &types[i]);
      check(&cases[k], &types[i], "kernels", program);
      check(&cases[k], &types[i], COMPILED, program);
      pir_program_destroy(program);
    }
  pir_context_destroy(ctx);
  (void)state;
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_integers)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
