// The clause evaluator against results worked out by hand, for each kind of clause.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "clause_build.h"

static void same_f32(const float *got, const float *expected, int n) {
  for (int i = 0; i < n; i++)
    if (!(got[i] == expected[i] || (isnan(got[i]) && isnan(expected[i]))))
      fail_msg("element %d: %g, expected %g", i, got[i], expected[i]);
}

static void same_i64(const int64_t *got, const int64_t *expected, int n) {
  for (int i = 0; i < n; i++)
    if (got[i] != expected[i])
      fail_msg("element %d: %lld, expected %lld", i, (long long)got[i], (long long)expected[i]);
}

// relu(x + y) with y broadcast, x stored column by column
static void pointwise_broadcasts_and_strides(void **state) {
  float x[] = {1, 4, -2, 5, 3, -6}, y[] = {1, -1, 0}, out[6];
  pir_tensor tx = dense(x, PIR_F32, 2, 2, 3), ty = dense(y, PIR_F32, 1, 3),
             to = dense(out, PIR_F32, 2, 2, 3);
  tx.strides[0] = 1;
  tx.strides[1] = 2;
  build b = build_of(PIR_CLAUSE_POINTWISE);
  b.clause.body = op2(&b, PIR_V_MAX, op2(&b, PIR_V_ADD, load(&b, 0), load(&b, 1)), vint(&b, 0));
  operand(&b, &tx);
  operand(&b, &ty);
  result(&b, &to);
  assert_int_equal(run(&b), PIR_OK);
  same_f32(out, (float[]){2, 0, 3, 5, 4, 0}, 6);
}

static void pointwise_types(void **state) {
  uint16_t x[] = {pir_f32_to_bf16(1.5f), pir_f32_to_bf16(256)}, half[2];
  int8_t small[] = {127, -128}, wrapped[2];
  pir_tensor tx = dense(x, PIR_BF16, 1, 2), th = dense(half, PIR_BF16, 1, 2);
  pir_tensor ts = dense(small, PIR_I8, 1, 2), tw = dense(wrapped, PIR_I8, 1, 2);
  build b = build_of(PIR_CLAUSE_POINTWISE);
  b.clause.body = op2(&b, PIR_V_ADD, load(&b, 0), vnum(&b, 1));
  operand(&b, &tx);
  result(&b, &th);
  assert_int_equal(run(&b), PIR_OK);
  assert_int_equal(half[0], pir_f32_to_bf16(2.5f));
  assert_int_equal(half[1], pir_f32_to_bf16(256));  // 257 is rounded to even
  b = build_of(PIR_CLAUSE_POINTWISE);
  b.clause.body = op2(&b, PIR_V_DIV, op2(&b, PIR_V_ADD, load(&b, 0), load(&b, 0)), vint(&b, 2));
  operand(&b, &ts);
  result(&b, &tw);
  assert_int_equal(run(&b), PIR_OK);
  assert_int_equal(wrapped[0], -1);  // 127 + 127 wraps to -2 before the division
  assert_int_equal(wrapped[1], 0);
  float f[2];
  pir_tensor tf = dense(f, PIR_F32, 1, 2);
  b = build_of(PIR_CLAUSE_POINTWISE);
  b.clause.body =
      op2(&b, PIR_V_MUL, load(&b, 0), vnum(&b, 0.5));  // a weak float meets integers as f32
  operand(&b, &ts);
  result(&b, &tf);
  assert_int_equal(run(&b), PIR_OK);
  same_f32(f, (float[]){63.5f, -64}, 2);
}

static void pointwise_zero_rank_and_size(void **state) {
  float x = 3, out = 0;
  pir_tensor tx = dense(&x, PIR_F32, 0), to = dense(&out, PIR_F32, 0),
             empty = dense(NULL, PIR_F32, 2, 0, 3);
  build b = build_of(PIR_CLAUSE_POINTWISE);
  b.clause.body = op1(&b, PIR_V_NEG, load(&b, 0));
  operand(&b, &tx);
  result(&b, &to);
  assert_int_equal(run(&b), PIR_OK);
  assert_true(out == -3);
  b.in[0] = b.out[0] = &empty;
  assert_int_equal(run(&b), PIR_OK);
}

// out[i] = i > 0 ? x[i - 1] : -1; the side not taken would be out of range
static void select_leaves_the_other_side(void **state) {
  float x[] = {1, 2, 3}, out[4];
  pir_tensor tx = dense(x, PIR_F32, 1, 3), to = dense(out, PIR_F32, 1, 4);
  build b = build_of(PIR_CLAUSE_VIEW);
  int i = ask(&b, PIR_I_OUT, -1, icon(&b, 0)), one = icon(&b, 1);
  int x1 = load_at(&b, PIR_V_LOAD, 0, -1, op2(&b, PIR_I_SUB, i, one), -1);
  b.clause.body =
      op3(&b, PIR_V_SELECT, -1, op1(&b, PIR_V_INDEX, op2(&b, PIR_I_LT, icon(&b, 0), i)), x1,
          vint(&b, -1));
  operand(&b, &tx);
  result(&b, &to);
  assert_int_equal(run(&b), PIR_OK);
  same_f32(out, (float[]){-1, 1, 2, 3}, 4);
  b.clause.body = (int16_t)x1;
  assert_int_equal(run(&b), PIR_INVALID);
  assert_non_null(strstr(b.message.text, "out of range"));
}

static build reduction(int combine, const pir_tensor *x, pir_tensor *out, const int64_t *axes,
                       size_t count, bool keep) {
  build b = build_of(PIR_CLAUSE_REDUCE);
  b.clause.combine = (uint8_t)combine;
  b.clause.body = load(&b, 0);
  b.clause.axes_attr = (int16_t)attr_ints(&b, axes, count);
  b.clause.keep = icon(&b, keep);
  operand(&b, x);
  result(&b, out);
  return b;
}

static void reduce_axes(void **state) {
  float x[] = {1, 2, 3, 4, 5, 6}, rows[2], columns[3], all;
  pir_tensor tx = dense(x, PIR_F32, 2, 2, 3), tr = dense(rows, PIR_F32, 1, 2),
             tc = dense(columns, PIR_F32, 2, 1, 3);
  pir_tensor ta = dense(&all, PIR_F32, 0);
  build b = reduction(PIR_COMBINE_ADD, &tx, &tr, (int64_t[]){-1}, 1, false);
  assert_int_equal(run(&b), PIR_OK);
  same_f32(rows, (float[]){6, 15}, 2);
  b = reduction(PIR_COMBINE_ADD, &tx, &tc, (int64_t[]){0}, 1, true);
  b.clause.then = op2(&b, PIR_V_DIV, op1(&b, PIR_V_ACC, -1), op1(&b, PIR_V_COUNT, -1));
  assert_int_equal(run(&b), PIR_OK);
  same_f32(columns, (float[]){2.5f, 3.5f, 4.5f}, 3);
  b = reduction(PIR_COMBINE_MUL, &tx, &ta, NULL, 0, false);
  assert_int_equal(run(&b), PIR_OK);
  assert_true(all == 720);
  b = reduction(PIR_COMBINE_ADD, &tx, &tr, (int64_t[]){2}, 1, false);
  assert_int_equal(run(&b), PIR_INVALID);
}

static void reduce_nan_and_nothing(void **state) {
  float x[] = {1, NAN, 3, 4}, out[2];
  int64_t at[2];
  pir_tensor tx = dense(x, PIR_F32, 2, 2, 2), to = dense(out, PIR_F32, 1, 2),
             tat = dense(at, PIR_I64, 1, 2);
  build b = reduction(PIR_COMBINE_MAX, &tx, &to, (int64_t[]){1}, 1, false);
  assert_int_equal(run(&b), PIR_OK);
  same_f32(out, (float[]){NAN, 4}, 2);
  b = reduction(PIR_COMBINE_ARGMAX, &tx, &tat, (int64_t[]){1}, 1, false);
  assert_int_equal(run(&b), PIR_OK);
  same_i64(at, (int64_t[]){0, 1}, 2);
  pir_tensor empty = dense(NULL, PIR_F32, 2, 2, 0);
  b = reduction(PIR_COMBINE_ADD, &empty, &to, (int64_t[]){1}, 1, false);
  assert_int_equal(run(&b), PIR_OK);
  same_f32(out, (float[]){0, 0}, 2);
  b.clause.combine = PIR_COMBINE_MAX;
  assert_int_equal(run(&b), PIR_OK);
  same_f32(out, (float[]){0, 0}, 2);
}

static void reduce_of_one_number(void **state) {
  float x = -5;
  int64_t at = 7;
  pir_tensor tx = dense(&x, PIR_F32, 0), to = dense(&at, PIR_I64, 0);
  build b = reduction(PIR_COMBINE_ARGMIN, &tx, &to, (int64_t[]){0}, 1, false);
  assert_int_equal(run(&b), PIR_OK);
  assert_int_equal(at, 0);
}

// Long rows take the way along the axis; the sum of 1e5 times 0.1 must not drift.
static void reduce_long_rows(void **state) {
  enum { N = 100000 };
  static float x[2 * N];
  float out[2];
  int64_t at[2];
  for (int i = 0; i < 2 * N; i++)
    x[i] = 0.1f;
  x[777] = x[90000] = 9;
  pir_tensor tx = dense(x, PIR_F32, 2, 2, N), to = dense(out, PIR_F32, 1, 2),
             tat = dense(at, PIR_I64, 1, 2);
  build b = reduction(PIR_COMBINE_ADD, &tx, &to, (int64_t[]){1}, 1, false);
  assert_int_equal(run(&b), PIR_OK);
  assert_true(fabsf(out[1] - 10000.000149f) < 1e-2f && fabsf(out[0] - 10017.8f) < 1e-2f);
  b = reduction(PIR_COMBINE_ARGMAX, &tx, &tat, (int64_t[]){1}, 1, false);
  assert_int_equal(run(&b), PIR_OK);
  same_i64(at, (int64_t[]){777, 0}, 2);
}

static void scan_directions(void **state) {
  int32_t x[] = {1, 2, 3, 4, 5, 6}, out[6];
  pir_tensor tx = dense(x, PIR_I32, 2, 2, 3), to = dense(out, PIR_I32, 2, 2, 3),
             flat = dense(out, PIR_I32, 1, 6);
  for (int mode = 0; mode < 4; mode++) {
    build b = build_of(PIR_CLAUSE_SCAN);
    int64_t axis = mode == 2 ? 0 : 1;
    b.clause.combine = PIR_COMBINE_ADD;
    b.clause.body = load(&b, 0);
    b.clause.axes_attr = (int16_t)attr_ints(&b, &axis, 1);
    b.clause.reverse = icon(&b, mode == 1);
    b.clause.exclusive = icon(&b, mode == 1);
    b.clause.all = icon(&b, mode == 3);
    operand(&b, &tx);
    result(&b, mode == 3 ? &flat : &to);
    assert_int_equal(run(&b), PIR_OK);
    static const int32_t expected[4][6] = {
        {1, 3, 6, 4, 9, 15}, {5, 3, 0, 11, 6, 0}, {1, 2, 3, 5, 7, 9}, {1, 3, 6, 10, 15, 21}};
    assert_memory_equal(out, expected[mode], sizeof out);
  }
}

// out[i, j] = x[j - 1, i] else 9: a transpose with padding
static void view_maps_and_fills(void **state) {
  int32_t x[] = {1, 2, 3, 4, 5, 6}, out[12];
  pir_tensor tx = dense(x, PIR_I32, 2, 2, 3), to = dense(out, PIR_I32, 2, 3, 4);
  build b = build_of(PIR_CLAUSE_VIEW);
  int i = ask(&b, PIR_I_OUT, -1, icon(&b, 0)), j = ask(&b, PIR_I_OUT, -1, icon(&b, 1));
  b.clause.body =
      load_at(&b, PIR_V_LOAD, 0, vint(&b, 9), op2(&b, PIR_I_SUB, j, icon(&b, 1)), i, -1);
  operand(&b, &tx);
  result(&b, &to);
  assert_int_equal(run(&b), PIR_OK);
  assert_memory_equal(out, ((int32_t[]){9, 1, 4, 9, 9, 2, 5, 9, 9, 3, 6, 9}), sizeof out);
}

// Every axis reversed by one expression for each source axis; and a reshape by row-major
// position.
static void view_each_and_linear(void **state) {
  int32_t x[] = {1, 2, 3, 4, 5, 6}, out[6];
  pir_tensor tx = dense(x, PIR_I32, 2, 2, 3), to = dense(out, PIR_I32, 2, 2, 3),
             flat = dense(out, PIR_I32, 2, 3, 2);
  build b = build_of(PIR_CLAUSE_VIEW);
  int d = op1(&b, PIR_I_D, -1);
  int last = op2(&b, PIR_I_SUB, ask(&b, PIR_I_DIM, 0, d), icon(&b, 1));
  b.clause.body = load_each(&b, PIR_V_LOAD, PIR_MAP_EACH, 0, -1,
                            op2(&b, PIR_I_SUB, last, ask(&b, PIR_I_OUT, -1, d)));
  operand(&b, &tx);
  result(&b, &to);
  assert_int_equal(run(&b), PIR_OK);
  assert_memory_equal(out, ((int32_t[]){6, 5, 4, 3, 2, 1}), sizeof out);
  b = build_of(PIR_CLAUSE_VIEW);
  b.clause.body =
      load_each(&b, PIR_V_LOAD, PIR_MAP_LINEAR, 0, -1, op1(&b, PIR_I_OUT_LINEAR, -1));
  tx.strides[0] = 1;
  tx.strides[1] = 2;
  operand(&b, &tx);
  result(&b, &flat);
  assert_int_equal(run(&b), PIR_OK);
  assert_memory_equal(out, ((int32_t[]){1, 3, 5, 2, 4, 6}), sizeof out);
}

static void gather_rows_and_trap(void **state) {
  int64_t rows[] = {2, 0};
  float table[] = {1, 2, 3, 4, 5, 6}, out[4];
  pir_tensor tr = dense(rows, PIR_I64, 1, 2), tt = dense(table, PIR_F32, 2, 3, 2),
             to = dense(out, PIR_F32, 2, 2, 2);
  build b = build_of(PIR_CLAUSE_GATHER);
  const char *text[] = {"row outside of the table"};
  int pack = var(&b, -1, false), c = var(&b, ask(&b, PIR_I_DIM, 1, icon(&b, 1)), false);
  int row = load_at(&b, PIR_I_LOAD, 0, -1, pack, -1);
  b.clause.body = load_at(&b, PIR_V_LOAD, 1, -1, row, c, -1);
  b.clause.trap = op2(&b, PIR_I_LE, ask(&b, PIR_I_DIM, 1, icon(&b, 0)), row);
  b.clause.trap_text = 0;
  b.clause.text = text;
  store_at(&b, pack, c, -1);
  operand(&b, &tr);
  operand(&b, &tt);
  result(&b, &to);
  assert_int_equal(run(&b), PIR_OK);
  same_f32(out, (float[]){5, 6, 1, 2}, 4);
  rows[1] = 3;
  assert_int_equal(run(&b), PIR_INVALID);
  assert_non_null(strstr(b.message.text, text[0]));
}

// out[index[i], j] += updates[i, j], one row twice
static void scatter_in_order(void **state) {
  float x[] = {1, 1, 1, 1}, updates[] = {1, 2, 3, 4, 5, 6}, out[4];
  int32_t index[] = {1, 0, 1};
  pir_tensor tx = dense(x, PIR_F32, 2, 2, 2), ti = dense(index, PIR_I32, 1, 3),
             tu = dense(updates, PIR_F32, 2, 3, 2);
  pir_tensor to = dense(out, PIR_F32, 2, 2, 2);
  for (int assign = 0; assign < 2; assign++) {
    build b = build_of(PIR_CLAUSE_SCATTER);
    b.clause.combine = assign ? PIR_COMBINE_ASSIGN : PIR_COMBINE_ADD;
    int d = op1(&b, PIR_I_D, -1),
        row = load_at(&b, PIR_I_LOAD, 1, -1, ask(&b, PIR_I_OUT, -1, icon(&b, 0)), -1);
    b.clause.body = load(&b, 2);
    b.clause.out_map_kind = PIR_MAP_EACH;
    b.clause.out_map = op3(&b, PIR_I_SELECT, -1, d, ask(&b, PIR_I_OUT, -1, d), row);
    operand(&b, &tx);
    operand(&b, &ti);
    operand(&b, &tu);
    result(&b, &to);
    assert_int_equal(run(&b), PIR_OK);
    same_f32(out, assign ? (float[]){3, 4, 5, 6} : (float[]){4, 5, 7, 9}, 4);
  }
}

// Average of the elements of a 2-wide window that exist: x[i + k - 1], k below 2
static void window_counts_what_is_there(void **state) {
  float x[] = {2, 4, 8}, out[4];
  pir_tensor tx = dense(x, PIR_F32, 1, 3), to = dense(out, PIR_F32, 1, 4);
  build b = build_of(PIR_CLAUSE_WINDOW);
  b.clause.combine = PIR_COMBINE_ADD;
  int i = var(&b, ask(&b, PIR_I_OUT_DIM, -1, icon(&b, 0)), false),
      k = var(&b, icon(&b, 2), true);
  b.clause.body = load_at(&b, PIR_V_LOAD, 0, -1,
                          op2(&b, PIR_I_SUB, op2(&b, PIR_I_ADD, i, k), icon(&b, 1)), -1);
  b.clause.then = op2(&b, PIR_V_DIV, op1(&b, PIR_V_ACC, -1), op1(&b, PIR_V_COUNT, -1));
  store_at(&b, i, -1);
  operand(&b, &tx);
  result(&b, &to);
  assert_int_equal(run(&b), PIR_OK);
  same_f32(out, (float[]){2, 3, 6, 8}, 4);
}

static void join_and_split(void **state) {
  float x[] = {1, 2, 3, 4}, y[] = {5, 6}, out[6], left[4], right[2];
  pir_tensor tx = dense(x, PIR_F32, 2, 2, 2), ty = dense(y, PIR_F32, 2, 2, 1),
             to = dense(out, PIR_F32, 2, 2, 3);
  pir_tensor tl = dense(left, PIR_F32, 2, 2, 2), tr = dense(right, PIR_F32, 2, 2, 1);
  build b = build_of(PIR_CLAUSE_JOIN);
  b.clause.axes_attr = (int16_t)attr_ints(&b, (int64_t[]){-1}, 1);
  b.clause.body = load(&b, 0);
  operand(&b, &tx);
  b.members[0] = 2;
  b.in[b.in_count++] = &ty;
  result(&b, &to);
  assert_int_equal(run(&b), PIR_OK);
  same_f32(out, (float[]){1, 2, 5, 3, 4, 6}, 6);
  b = build_of(PIR_CLAUSE_SPLIT);
  b.clause.axes_attr = (int16_t)attr_ints(&b, (int64_t[]){1}, 1);
  b.clause.body = load(&b, 0);
  operand(&b, &to);
  result(&b, &tl);
  b.out_members[0] = 2;
  b.out[b.out_count++] = &tr;
  assert_int_equal(run(&b), PIR_OK);
  same_f32(left, x, 4);
  same_f32(right, y, 2);
}

static void errors_have_text(void **state) {
  int32_t x[] = {1, 2}, y[] = {1, 0}, out[2];
  pir_tensor tx = dense(x, PIR_I32, 1, 2), ty = dense(y, PIR_I32, 1, 2),
             three = dense(x, PIR_I32, 1, 3), to = dense(out, PIR_I32, 1, 2);
  build b = build_of(PIR_CLAUSE_POINTWISE);
  b.clause.body = op2(&b, PIR_V_DIV, load(&b, 0), load(&b, 1));
  operand(&b, &tx);
  operand(&b, &ty);
  result(&b, &to);
  assert_int_equal(run(&b), PIR_INVALID);
  assert_string_equal(b.message.text, "test: integer division by zero");
  b.in[1] = &three;
  assert_int_equal(run(&b), PIR_INVALID);
  assert_non_null(strstr(b.message.text, "broadcast"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(pointwise_broadcasts_and_strides),
      cmocka_unit_test(pointwise_types),
      cmocka_unit_test(pointwise_zero_rank_and_size),
      cmocka_unit_test(select_leaves_the_other_side),
      cmocka_unit_test(reduce_axes),
      cmocka_unit_test(reduce_nan_and_nothing),
      cmocka_unit_test(reduce_of_one_number),
      cmocka_unit_test(reduce_long_rows),
      cmocka_unit_test(scan_directions),
      cmocka_unit_test(view_maps_and_fills),
      cmocka_unit_test(view_each_and_linear),
      cmocka_unit_test(gather_rows_and_trap),
      cmocka_unit_test(scatter_in_order),
      cmocka_unit_test(window_counts_what_is_there),
      cmocka_unit_test(join_and_split),
      cmocka_unit_test(errors_have_text),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
