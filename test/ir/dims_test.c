// Dimension arithmetic: canonical forms, and random expressions against plain integers.

#include <pir/compiler/dims.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static int make(void **state) {
  *state = pir_dims_create(NULL);
  return 0;
}
static int drop(void **state) {
  pir_dims_destroy(*state);
  return 0;
}

static void equal_forms_are_equal_handles(void **state) {
  pir_dims *d = *state;
  pir_dim a = pir_dim_symbol(d, 1), b = pir_dim_symbol(d, 1);
  assert_true(pir_dim_add(d, a, b) == pir_dim_add(d, b, a));
  assert_true(pir_dim_mul(d, pir_dim_add(d, a, 1), b) ==
              pir_dim_add(d, pir_dim_mul(d, b, a), b));
  assert_int_equal(pir_dim_sub(d, pir_dim_add(d, a, 5), pir_dim_add(d, a, 2)), 3);
  assert_true(pir_dim_floordiv(d, pir_dim_mul(d, pir_dim_mul(d, a, b), 12),
                               pir_dim_mul(d, a, 4)) == pir_dim_mul(d, b, 3));
  assert_int_equal(pir_dim_mod(d, pir_dim_add(d, pir_dim_mul(d, a, 8), 13), 4), 1);
  assert_int_equal(pir_dim_floordiv(d, a, a), 1);
}

// A stack of stride-2 convolutions equals one division; that is what skip connections compare.
static void convolution_stacks_are_canonical(void **state) {
  pir_dims *d = *state;
  pir_dim h = pir_dim_symbol(d, 1), stepped = h;
  for (int i = 0; i < 3; i++)
    stepped = pir_dim_add(d, pir_dim_floordiv(d, pir_dim_sub(d, stepped, 1), 2), 1);
  assert_true(stepped == pir_dim_ceildiv(d, h, 8));
}

static void broadcasts_and_orders(void **state) {
  pir_dims *d = *state;
  pir_dim a = pir_dim_symbol(d, 1), b = pir_dim_symbol(d, 1);
  assert_true(pir_dim_broadcast(d, a, 1) == a);
  assert_int_equal(pir_dim_broadcast(d, a, 7), 7);
  assert_true(pir_dim_broadcast(d, a, b) == pir_dim_broadcast(d, b, a));
  assert_true(pir_dim_max(d, a, 1) == a);
  assert_true(pir_dim_min(d, pir_dim_add(d, a, 2), a) == a);
  assert_true(pir_dim_add(d, PIR_DIM_UNKNOWN, 1) == PIR_DIM_UNKNOWN);
  assert_true(pir_dim_mul(d, pir_dim_mul(d, a, INT64_MAX), 2) == PIR_DIM_UNKNOWN);
}

static void unification(void **state) {
  pir_dims *d = *state;
  pir_dim a = pir_dim_symbol(d, 1), b = pir_dim_symbol(d, 1), c = pir_dim_symbol(d, 1);
  pir_dim product = pir_dim_mul(d, b, 2);
  pir_dims_unify(d, pir_dim_add(d, a, 1), pir_dim_add(d, b, 1));
  assert_true(pir_dim_equal(d, product, pir_dim_mul(d, a, 2)));
  assert_false(pir_dim_equal(d, product, a));
  assert_false(pir_dim_equal(d, PIR_DIM_UNKNOWN, PIR_DIM_UNKNOWN));
  assert_true(pir_dims_equal(d, (pir_dim[]){2, a}, 2, (pir_dim[]){2, b}, 2));
  assert_false(pir_dims_equal(d, (pir_dim[]){2, a}, 2, (pir_dim[]){2, c}, 2));
  assert_false(pir_dims_equal(d, (pir_dim[]){2, a}, 2, (pir_dim[]){2, b}, 1));
  assert_false(pir_dims_equal(d, NULL, -1, NULL, -1));
  pir_dims_unify(d, c, pir_dim_floordiv(d, a, 2));
  pir_dims_unify(d, a, 10);
  assert_int_equal(pir_dim_canonical(d, c), 5);
  assert_int_equal(pir_dim_canonical(d, product), 20);
  int64_t symbols[3] = {10, 10, 5}, value;
  assert_true(pir_dim_evaluate(d, product, symbols, &value));
  assert_int_equal(value, 20);
}

static void unification_divides(void **state) {
  pir_dims *d = *state;
  pir_dim a = pir_dim_symbol(d, 1), b = pir_dim_symbol(d, 1), c = pir_dim_symbol(d, 1),
          e = pir_dim_symbol(d, 1);
  pir_dims_unify(d, pir_dim_mul(d, a, 288), 864);
  assert_int_equal(pir_dim_canonical(d, a), 3);
  pir_dim shared = pir_dim_broadcast(d, b, c);
  pir_dims_unify(d, pir_dim_mul(d, shared, 64), pir_dim_mul(d, c, 64));
  assert_true(pir_dim_canonical(d, shared) == c);
  pir_dim least = pir_dim_const(d, -INT64_MAX);
  pir_dims_unify(d, pir_dim_mul(d, c, least), pir_dim_mul(d, e, least));
  assert_true(pir_dim_canonical(d, e) == pir_dim_canonical(d, c));
}

static void evaluation_is_checked(void **state) {
  pir_dims *d = *state;
  pir_dim a = pir_dim_symbol(d, 0), b = pir_dim_symbol(d, 0);
  int64_t huge[2] = {INT64_MAX, 0}, value;
  assert_false(pir_dim_evaluate(d, pir_dim_mul(d, a, 2), huge, &value));
  assert_false(pir_dim_evaluate(d, pir_dim_floordiv(d, a, b), huge, &value));
  pir_dim grown = a;
  for (int i = 0; i < 100000 && grown != PIR_DIM_UNKNOWN; i++)
    grown = pir_dim_max(d, pir_dim_mod(d, grown, b), pir_dim_add(d, a, i));
  assert_true(grown == PIR_DIM_UNKNOWN);
}

static int64_t floored(int64_t a, int64_t b) {
  return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

static void random_expressions_agree_with_integers(void **state) {
  enum { SYMBOLS = 4, STEPS = 3000, POOL = 64 };
  pir_dims *d = *state;
  pir_dim dims[POOL];
  int64_t values[POOL], symbols[SYMBOLS];
  unsigned seed = 7;
  for (int i = 0; i < POOL; i++) {
    values[i] = 1 + rand_r(&seed) % 40;
    dims[i] = i < SYMBOLS ? pir_dim_symbol(d, 1) : pir_dim_const(d, values[i]);
    if (i < SYMBOLS)
      symbols[i] = values[i];
  }
  int checked = 0;
  for (int step = 0; step < STEPS; step++) {
    int i = rand_r(&seed) % POOL, j = rand_r(&seed) % POOL,
        to = SYMBOLS + rand_r(&seed) % (POOL - SYMBOLS);
    int64_t a = values[i], b = values[j], want;
    pir_dim made;
    switch (rand_r(&seed) % 8) {
      case 0:
        want = a + b;
        made = pir_dim_add(d, dims[i], dims[j]);
        break;
      case 1:
        want = a - b;
        made = pir_dim_sub(d, dims[i], dims[j]);
        break;
      case 2:
        want = a * b;
        made = pir_dim_mul(d, dims[i], dims[j]);
        break;
      case 3:
        if (b <= 0)
          continue;
        want = floored(a, b);
        made = pir_dim_floordiv(d, dims[i], dims[j]);
        break;
      case 4:
        if (b <= 0)
          continue;
        want = -floored(-a, b);
        made = pir_dim_ceildiv(d, dims[i], dims[j]);
        break;
      case 5:
        if (b <= 0)
          continue;
        want = a - floored(a, b) * b;
        made = pir_dim_mod(d, dims[i], dims[j]);
        break;
      case 6:
        want = a < b ? a : b;
        made = pir_dim_min(d, dims[i], dims[j]);
        break;
      default:
        want = a > b ? a : b;
        made = pir_dim_max(d, dims[i], dims[j]);
        break;
    }
    if (made == PIR_DIM_UNKNOWN || want > 1000000 || want < -1000000) {
      values[to] = 1 + rand_r(&seed) % 9;
      dims[to] = pir_dim_const(d, values[to]);
      continue;
    }
    int64_t got;
    assert_true(pir_dim_evaluate(d, made, symbols, &got));
    assert_int_equal(got, want);
    assert_true(pir_dim_lower_bound(d, made) <= want);
    values[to] = want;
    dims[to] = made;
    checked++;
  }
  assert_true(checked > STEPS / 2);
}

static bool keep_text(void *user, const char *data, size_t size) {
  strncat(user, data, size);
  return true;
}

static void text(void **state) {
  pir_dims *d = *state;
  pir_dim a = pir_dim_symbol(d, 1);
  char out[128] = "";
  pir_dim dim = pir_dim_add(d, pir_dim_mul(d, pir_dim_floordiv(d, pir_dim_add(d, a, 1), 2), 3),
                            pir_dim_const(d, -4));
  assert_int_equal(pir_dim_print(d, dim, (pir_writer){keep_text, out}), PIR_OK);
  assert_string_equal(out, "3*floordiv(S0 + 1, 2) + -4");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(equal_forms_are_equal_handles, make, drop),
      cmocka_unit_test_setup_teardown(convolution_stacks_are_canonical, make, drop),
      cmocka_unit_test_setup_teardown(broadcasts_and_orders, make, drop),
      cmocka_unit_test_setup_teardown(unification, make, drop),
      cmocka_unit_test_setup_teardown(unification_divides, make, drop),
      cmocka_unit_test_setup_teardown(evaluation_is_checked, make, drop),
      cmocka_unit_test_setup_teardown(random_expressions_agree_with_integers, make, drop),
      cmocka_unit_test_setup_teardown(text, make, drop),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
