// Conversions at their borders, and copies between layouts.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>
#include <pir/engine/tensor.h>

static void half_rounds_to_even(void **state) {
  static const struct {
    float value;
    uint16_t f16, bf16;
  } cases[] = {
      {0, 0, 0},
      {-0.0f, 0x8000, 0x8000},
      {1, 0x3c00, 0x3f80},
      {65504, 0x7bff, 0x4780},
      {65520, 0x7c00, 0x4780},
      {65519, 0x7bff, 0x4780},
      {1e10f, 0x7c00, 0x5015},
      {-INFINITY, 0xfc00, 0xff80},
      {6.0e-8f, 1, 0x3381},
      {2.98e-8f, 0, 0x3300},
      {2.9802322e-8f, 0, 0x3300},
      {8.9406967e-8f, 2, 0x33c0},
      {6.1035156e-5f, 0x0400, 0x3880},
      {6.0975552e-5f, 0x03ff, 0x3880},
      {1.00048828125f, 0x3c00, 0x3f80},
      {1.00146484375f, 0x3c02, 0x3f80},
      {1.00390625f, 0x3c04, 0x3f80},
      {1.01171875f, 0x3c0c, 0x3f82},
      {1e-40f, 0, 0x0001},
      {3.4e38f, 0x7c00, 0x7f80},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    if (pir_f32_to_f16(cases[i].value) != cases[i].f16)
      fail_msg("f16 of %.9g is %04x, expected %04x", cases[i].value,
               pir_f32_to_f16(cases[i].value), cases[i].f16);
    if (pir_f32_to_bf16(cases[i].value) != cases[i].bf16)
      fail_msg("bf16 of %.9g is %04x, expected %04x", cases[i].value,
               pir_f32_to_bf16(cases[i].value), cases[i].bf16);
  }
  assert_true(isnan(pir_f16_to_f32(pir_f32_to_f16(NAN))) &&
              isnan(pir_bf16_to_f32(pir_f32_to_bf16(NAN))));
}

// Every half goes through f32 and back unchanged.
static void every_half_survives(void **state) {
  for (uint32_t bits = 0; bits < 65536; bits++) {
    float f = pir_f16_to_f32((uint16_t)bits), g = pir_bf16_to_f32((uint16_t)bits);
    if (!isnan(f))
      assert_int_equal(pir_f32_to_f16(f), bits);
    if (!isnan(g))
      assert_int_equal(pir_f32_to_bf16(g), bits);
  }
}

static void every_byte_float_survives(void **state) {
  uint8_t bytes[256], back[256];
  float wide[256];
  for (int i = 0; i < 256; i++)
    bytes[i] = (uint8_t)i;
  for (int e5m2 = 0; e5m2 < 2; e5m2++) {
    pir_tensor b = {.data = bytes}, w = {.data = wide}, r = {.data = back};
    int64_t shape = 256;
    pir_tensor_set_dense(&b, e5m2 ? PIR_F8E5M2 : PIR_F8E4M3, &shape, 1);
    pir_tensor_set_dense(&w, PIR_F32, &shape, 1);
    pir_tensor_set_dense(&r, b.dtype, &shape, 1);
    assert_int_equal(pir_tensor_copy(&b, &w), PIR_OK);
    assert_int_equal(pir_tensor_copy(&w, &r), PIR_OK);
    for (int i = 0; i < 256; i++)
      if (!isnan(wide[i]))
        assert_int_equal(back[i], i);
    assert_true(wide[0x08] == (e5m2 ? 0.0001220703125f : 0.015625f));
    assert_true(e5m2 ? isinf(wide[0x7c]) : wide[0x7e] == 448);
  }
}

static void integers_from_floats(void **state) {
  double x[] = {1.9, -1.9, 300, 1e20, NAN, -1e20};
  int32_t i32[6];
  uint8_t u8[6];
  bool b[6];
  int64_t shape = 6;
  pir_tensor from = {.data = x}, to = {.data = i32};
  pir_tensor_set_dense(&from, PIR_F64, &shape, 1);
  pir_tensor_set_dense(&to, PIR_I32, &shape, 1);
  assert_int_equal(pir_tensor_copy(&from, &to), PIR_OK);
  assert_memory_equal(i32, ((int32_t[]){1, -1, 300, INT32_MIN, INT32_MIN, INT32_MIN}),
                      sizeof i32);
  to = (pir_tensor){.data = u8};
  pir_tensor_set_dense(&to, PIR_U8, &shape, 1);
  assert_int_equal(pir_tensor_copy(&from, &to), PIR_OK);
  assert_memory_equal(u8, ((uint8_t[]){1, 255, 44, 0, 0, 0}), sizeof u8);
  to = (pir_tensor){.data = b};
  pir_tensor_set_dense(&to, PIR_BOOL, &shape, 1);
  assert_int_equal(pir_tensor_copy(&from, &to), PIR_OK);
  for (int i = 0; i < 6; i++)
    assert_true(b[i]);
}

static void copies_change_layout(void **state) {
  enum { N = 2, C = 3, H = 4, W = 5 };
  float nchw[N * C * H * W];
  double nhwc[N * C * H * W];
  int64_t shape[] = {N, C, H, W};
  for (int i = 0; i < N * C * H * W; i++) {
    nchw[i] = (float)i;
    nhwc[i] = -1;
  }
  pir_tensor a = {.data = nchw}, b = {.data = nhwc};
  pir_tensor_set_dense(&a, PIR_F32, shape, 4);
  pir_tensor_set_dense(&b, PIR_F64, shape, 4);
  const int64_t strides[] = {H * W * C, 1, W * C, C};
  memcpy(b.strides, strides, sizeof strides);
  assert_true(pir_tensor_is_dense(&a) && !pir_tensor_is_dense(&b));
  assert_int_equal(pir_tensor_copy(&a, &b), PIR_OK);
  for (int n = 0; n < N; n++)
    for (int c = 0; c < C; c++)
      for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++)
          assert_true(nhwc[((n * H + y) * W + x) * C + c] ==
                      nchw[((n * C + c) * H + y) * W + x]);
  assert_true(pir_tensor_float_at(&b, 17) == 17 && pir_tensor_int_at(&b, 119) == 119);
  b.shape[3] = 4;
  assert_int_equal(pir_tensor_copy(&a, &b), PIR_INVALID);
}

// Two axes change places, with sides that are no multiples of a square's; the third goes along.
static void copies_turn(void **state) {
  static const pir_dtype dtypes[] = {PIR_U8, PIR_F16, PIR_F32, PIR_F64, PIR_C128};
  enum { A = 3, B = 37, C = 50 };
  static char in[A * B * C * 16], out[sizeof in];
  for (size_t i = 0; i < sizeof in; i++)
    in[i] = (char)(i * 31 + i / 251);
  for (size_t k = 0; k < sizeof dtypes / sizeof *dtypes; k++) {
    int64_t size = (int64_t)pir_dtype_size(dtypes[k]), shape[] = {A, C, B};
    pir_tensor from = {.data = in,
                       .dtype = dtypes[k],
                       .rank = 3,
                       .shape = {A, C, B},
                       .strides = {B * C, 1, C}},
               to;
    pir_tensor_set_dense(&to, dtypes[k], shape, 3);
    to.data = out;
    memset(out, 0, sizeof out);
    assert_int_equal(pir_tensor_copy(&from, &to), PIR_OK);
    for (int a = 0; a < A; a++)
      for (int b = 0; b < B; b++)
        for (int c = 0; c < C; c++)
          assert_memory_equal(out + ((a * C + c) * B + b) * size,
                              in + ((a * B + b) * C + c) * size, (size_t)size);
  }
}

static void complex_converts(void **state) {
  float z[] = {1, 2, 3, 4};
  double wide[4];
  int64_t shape = 2;
  float real[2];
  pir_tensor a = {.data = z}, b = {.data = wide}, r = {.data = real};
  pir_tensor_set_dense(&a, PIR_C64, &shape, 1);
  pir_tensor_set_dense(&b, PIR_C128, &shape, 1);
  pir_tensor_set_dense(&r, PIR_F32, &shape, 1);
  assert_int_equal(pir_tensor_copy(&a, &b), PIR_OK);
  for (int i = 0; i < 4; i++)
    assert_true(wide[i] == z[i]);
  assert_int_equal(pir_tensor_copy(&b, &r), PIR_OK);
  assert_true(real[0] == 1 && real[1] == 3);
  assert_int_equal(pir_tensor_copy(&r, &b), PIR_OK);
  assert_true(wide[2] == 3 && wide[3] == 0);
}

static void sizes_are_checked(void **state) {
  int64_t huge[] = {INT64_MAX / 2, 4}, huge_empty[] = {INT64_MAX / 2, 4, 0}, empty[] = {7, 0},
          negative[] = {-1};
  size_t bytes;
  assert_int_equal(pir_shape_bytes(huge, 2, PIR_F32, &bytes), PIR_EXHAUSTED);
  assert_int_equal(pir_shape_bytes(huge_empty, 3, PIR_F32, &bytes), PIR_EXHAUSTED);
  assert_int_equal(pir_shape_bytes(empty, 2, PIR_F32, &bytes), PIR_OK);
  assert_int_equal(bytes, 0);
  assert_int_equal(pir_shape_bytes(negative, 1, PIR_F32, &bytes), PIR_INVALID);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(half_rounds_to_even),       cmocka_unit_test(every_half_survives),
      cmocka_unit_test(every_byte_float_survives), cmocka_unit_test(integers_from_floats),
      cmocka_unit_test(copies_change_layout),      cmocka_unit_test(copies_turn),
      cmocka_unit_test(complex_converts),          cmocka_unit_test(sizes_are_checked),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
