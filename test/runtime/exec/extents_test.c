// Values of a plan's extents: each expression with the numbers at which its result changes, and
// the message where there is no result.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "plan.h"

typedef struct extent {
  pir_dim_kind kind;
  int64_t x, y, value;
  const char *why;  // NULL: it has a value
} extent;

static const extent extents[] = {
    {PIR_DIM_ADD, 2, -5, -3, NULL},
    {PIR_DIM_ADD, INT64_MAX, 1, 0, "extents 9223372036854775807 and 1 are too large together"},
    {PIR_DIM_MUL, -3, 4, -12, NULL},
    {PIR_DIM_MUL, INT64_MAX, 2, 0, "extents 9223372036854775807 and 2 are too large together"},
    {PIR_DIM_MIN, 3, 4, 3, NULL},
    {PIR_DIM_MIN, 4, 3, 3, NULL},
    {PIR_DIM_MAX, 3, 4, 4, NULL},
    {PIR_DIM_MAX, 4, 3, 4, NULL},
    {PIR_DIM_BROADCAST, 1, 7, 7, NULL},
    {PIR_DIM_BROADCAST, 7, 1, 7, NULL},
    {PIR_DIM_BROADCAST, 7, 7, 7, NULL},
    {PIR_DIM_BROADCAST, 1, 0, 0, NULL},
    {PIR_DIM_BROADCAST, 7, 6, 0, "extents 7 and 6 do not fit together"},
    {PIR_DIM_CEILDIV, 7, 2, 4, NULL},
    {PIR_DIM_CEILDIV, 6, 2, 3, NULL},
    {PIR_DIM_CEILDIV, -7, 2, -3, NULL},
    {PIR_DIM_CEILDIV, 7, -2, -3, NULL},
    {PIR_DIM_CEILDIV, -7, -2, 4, NULL},
    {PIR_DIM_CEILDIV, 7, 0, 0, "extents 7 and 0 cannot be divided"},
    {PIR_DIM_FLOORDIV, 7, 2, 3, NULL},
    {PIR_DIM_FLOORDIV, 6, -2, -3, NULL},
    {PIR_DIM_FLOORDIV, -7, 2, -4, NULL},
    {PIR_DIM_FLOORDIV, 7, -2, -4, NULL},
    {PIR_DIM_FLOORDIV, -7, -2, 3, NULL},
    {PIR_DIM_FLOORDIV, INT64_MIN, 1, INT64_MIN, NULL},
    {PIR_DIM_FLOORDIV, INT64_MIN, -1, 0,
     "extents -9223372036854775808 and -1 cannot be divided"},
    {PIR_DIM_MOD, 7, 2, 1, NULL},
    {PIR_DIM_MOD, 6, 2, 0, NULL},
    {PIR_DIM_MOD, -7, 2, 1, NULL},
    {PIR_DIM_MOD, 7, -2, -1, NULL},
    {PIR_DIM_MOD, -7, -2, -1, NULL},
    {PIR_DIM_MOD, 7, 0, 0, "extents 7 and 0 cannot be divided"},
};

static void extents_have_values_or_a_reason(void **unused) {
  static const plan_origin origins[] = {
      {.op = "pd_op.first", .place = "", .first = 1},
      {.op = "pd_op.second", .place = "model.pir:3:5", .first = 2},
      {.op = "pd_op.third", .place = "", .first = 3}};
  for (size_t i = 0; i < sizeof extents / sizeof *extents; i++) {
    const extent *e = &extents[i];
    plan_expr exprs[] = {{.kind = PIR_DIM_SYMBOL},
                         {.kind = PIR_DIM_CONST, .value = e->y},
                         {.kind = (uint8_t)e->kind, .a = 0, .b = 1}};
    plan p = {.exprs = exprs,
              .expr_count = 3,
              .origins = (plan_origin *)(uintptr_t)origins,
              .origin_count = 3};
    int64_t values[3] = {e->x, 0, 0};
    pir_message message = {0};
    assert_true(pir_plan_evaluate(&p, 0, values) && pir_plan_evaluate(&p, 1, values));
    assert_int_equal(values[0], e->x);
    bool has_value = pir_plan_evaluate(&p, 2, values);
    if (has_value != !e->why || (has_value && values[2] != e->value))
      fail_msg("case %zu: found %lld", i, (long long)values[2]);
    if (has_value)
      continue;
    assert_int_equal(pir_plan_fail(&p, 2, values, &message), PIR_INVALID);
    if (!strstr(message.text, e->why) || !strstr(message.text, "\"pd_op.second\": ") ||
        !strstr(message.text, " (at model.pir:3:5)"))
      fail_msg("case %zu: expected '%s', found '%s'", i, e->why, message.text);
  }
  assert_string_equal(pir_plan_origin(&(plan){0}, 0)->op, "the program");
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(extents_have_values_or_a_reason)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
