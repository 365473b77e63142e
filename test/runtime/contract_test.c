// The contraction path against the evaluator, on random convolutions and products: the same
// clause with `then acc` is no plain contraction, so the evaluator takes it point by point.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <contraction.h>

#include "clause_build.h"

static uint32_t seed = 1;
static int pick(int lo, int hi) {
  seed = seed * 1664525u + 1013904223u;
  return lo + (int)((seed >> 8) % (uint32_t)(hi - lo + 1));
}

static pir_tensor random_tensor(pir_dtype dtype, int rank, const int64_t *shape,
                                bool channels_last) {
  pir_tensor t = {0};
  pir_tensor_set_dense(&t, dtype, shape, rank);
  int64_t n = pir_tensor_numel(&t);
  t.data = malloc((size_t)n * 16 + 16);
  int64_t numbers = pir_dtype_is_complex(dtype) ? 2 * n : n;
  for (int64_t i = 0; i < numbers; i++) {
    float f = (float)pick(-8, 8) / 8;
    switch (dtype) {
      case PIR_F32:
      case PIR_C64: ((float *)t.data)[i] = f; break;
      case PIR_F64:
      case PIR_C128: ((double *)t.data)[i] = (double)f; break;
      case PIR_I32: ((int32_t *)t.data)[i] = (int32_t)(f * 8); break;
      case PIR_I64: ((int64_t *)t.data)[i] = (int64_t)(f * 8); break;
      case PIR_BF16: ((uint16_t *)t.data)[i] = pir_f32_to_bf16(f); break;
      default: ((uint16_t *)t.data)[i] = pir_f32_to_f16(f); break;
    }
  }
  if (channels_last && rank == 4) {
    t.strides[1] = 1;
    t.strides[3] = shape[1];
    t.strides[2] = shape[1] * shape[3];
    t.strides[0] = shape[1] * shape[3] * shape[2];
  }
  return t;
}

static pir_dtype any_type(void) {
  static const pir_dtype types[] = {PIR_F32, PIR_F32, PIR_F32, PIR_BF16, PIR_F16,
                                    PIR_F64, PIR_I32, PIR_I64, PIR_C64,  PIR_C128};
  return types[pick(0, 9)];
}

static pir_dtype result_of(pir_dtype type) {
  return type == PIR_BF16 || type == PIR_F16 ? PIR_F32 : type;
}

// Runs the clause both ways and compares. Inputs are multiples of 1/8, so f32 sums are exact.
static void compare(build *b, pir_tensor *out, const char *what) {
  int64_t n = pir_tensor_numel(out);
  pir_tensor slow = *out, fast = *out;
  slow.data = malloc((size_t)n * 16 + 16);
  memset(out->data, 0xff, (size_t)n * pir_dtype_size(out->dtype));
  assert_int_equal(run(b), PIR_OK);
  b->clause.then = op1(b, PIR_V_ACC, -1);
  b->out[0] = &slow;
  assert_int_equal(run(b), PIR_OK);
  if (pir_dtype_is_complex(out->dtype)) {  // both parts of each, in the order of memory
    n *= 2;
    pir_tensor_set_dense(&fast, out->dtype == PIR_C64 ? PIR_F32 : PIR_F64, &n, 1);
    pir_tensor_set_dense(&slow, fast.dtype, &n, 1);
  }
  for (int64_t i = 0; i < n; i++)
    if (!(pir_tensor_float_at(&fast, i) == pir_tensor_float_at(&slow, i)))
      fail_msg("%s of %s: element %d: %g, expected %g", what, pir_dtype_name(out->dtype),
               (int)i, pir_tensor_float_at(&fast, i), pir_tensor_float_at(&slow, i));
  free(slow.data);
}

static void convolution(pir_parallel parallel) {
  int groups = pick(0, 2) ? 1 : pick(1, 6), cg = pick(1, 9), og = pick(1, 20), kh = pick(1, 3),
      kw = pick(1, 3);
  int sy = pick(1, 2), sx = pick(1, 2), dy = pick(1, 2), dx = pick(1, 2), py = pick(0, 2),
      px = pick(0, 2);
  int64_t h = pick(1, 12) + (kh - 1) * dy, w = pick(1, 40) + (kw - 1) * dx;
  int64_t xs[] = {pick(1, 3), cg * groups, h, w}, fs[] = {og * groups, cg, kh, kw};
  int64_t os[] = {xs[0], fs[0], (h + 2 * py - (kh - 1) * dy - 1) / sy + 1,
                  (w + 2 * px - (kw - 1) * dx - 1) / sx + 1};
  pir_dtype type = any_type();
  pir_tensor x = random_tensor(type, 4, xs, pick(0, 1)), f = random_tensor(type, 4, fs, false),
             out = random_tensor(result_of(type), 4, os, pick(0, 1));
  build b = build_of(PIR_CLAUSE_CONTRACT);
  b.parallel = parallel;
  b.clause.combine = PIR_COMBINE_ADD;
  int v[7];
  for (int i = 0; i < 4; i++)
    v[i] = var(&b, ask(&b, PIR_I_OUT_DIM, -1, icon(&b, i)), false);
  for (int i = 0; i < 3; i++)
    v[4 + i] = var(&b, ask(&b, PIR_I_DIM, 1, icon(&b, i + 1)), true);
#define MUL(a, n) op2(&b, PIR_I_MUL, a, icon(&b, n))
#define ADD(p, q) op2(&b, PIR_I_ADD, p, q)
  int channel = ADD(MUL(op2(&b, PIR_I_FLOORDIV, v[1], icon(&b, og)), cg), v[4]);
  int row = ADD(ADD(MUL(v[2], sy), MUL(v[5], dy)), icon(&b, -py)),
      column = ADD(ADD(MUL(v[3], sx), MUL(v[6], dx)), icon(&b, -px));
  int lx = load_at(&b, PIR_V_LOAD, 0, -1, v[0], channel, row, column, -1),
      lf = load_at(&b, PIR_V_LOAD, 1, -1, v[1], v[4], v[5], v[6], -1);
  b.clause.body = op2(&b, PIR_V_MUL, lx, lf);
  store_at(&b, v[0], v[1], v[2], v[3], -1);
  operand(&b, &x);
  operand(&b, &f);
  result(&b, &out);
  compare(&b, &out, "convolution");
  free(x.data);
  free(f.data);
  free(out.data);
}

// out[n, o, p, q] = sum of x[n, c, (p + py - i * dy) / sy, ...] * f[c, o, i, j] where the
// divisions come out even
static void transposed(pir_parallel parallel) {
  int c = pick(1, 9), o = pick(1, 12), kh = pick(1, 4), kw = pick(1, 4), sy = pick(1, 3),
      sx = pick(1, 3), dy = pick(1, 2), dx = pick(1, 2);
  int py = pick(0, 2), px = pick(0, 2);
  int64_t h = pick(2, 9), w = pick(2, 20), xs[] = {pick(1, 2), c, h, w}, fs[] = {c, o, kh, kw};
  int64_t os[] = {xs[0], o, (h - 1) * sy + dy * (kh - 1) + 1 - py,
                  (w - 1) * sx + dx * (kw - 1) + 1 - px};
  pir_tensor x = random_tensor(PIR_F32, 4, xs, pick(0, 1)),
             f = random_tensor(PIR_F32, 4, fs, false),
             out = random_tensor(PIR_F32, 4, os, pick(0, 1));
  build b = build_of(PIR_CLAUSE_CONTRACT);
  b.parallel = parallel;
  b.clause.combine = PIR_COMBINE_ADD;
  int v[7];
  for (int i = 0; i < 4; i++)
    v[i] = var(&b, ask(&b, PIR_I_OUT_DIM, -1, icon(&b, i)), false);
  v[4] = var(&b, ask(&b, PIR_I_DIM, 0, icon(&b, 1)), true);
  for (int i = 0; i < 2; i++)
    v[5 + i] = var(&b, ask(&b, PIR_I_DIM, 1, icon(&b, i + 2)), true);
  int y = op2(&b, PIR_I_SUB, ADD(v[2], icon(&b, py)), MUL(v[5], dy)),
      z = op2(&b, PIR_I_SUB, ADD(v[3], icon(&b, px)), MUL(v[6], dx));
  int lx = load_at(&b, PIR_V_LOAD, 0, vint(&b, 0), v[0], v[4],
                   op2(&b, PIR_I_FLOORDIV, y, icon(&b, sy)),
                   op2(&b, PIR_I_FLOORDIV, z, icon(&b, sx)), -1);
  int lf = load_at(&b, PIR_V_LOAD, 1, -1, v[4], v[1], v[5], v[6], -1), zero = icon(&b, 0);
  b.clause.body = op2(&b, PIR_V_MUL, lx, lf);
  b.clause.guard =
      op2(&b, PIR_I_AND, op2(&b, PIR_I_EQ, op2(&b, PIR_I_MOD, y, icon(&b, sy)), zero),
          op2(&b, PIR_I_EQ, op2(&b, PIR_I_MOD, z, icon(&b, sx)), zero));
  store_at(&b, v[0], v[1], v[2], v[3], -1);
  operand(&b, &x);
  operand(&b, &f);
  result(&b, &out);
  compare(&b, &out, "transposed convolution");
  free(x.data);
  free(f.data);
  free(out.data);
}

static void product(pir_parallel parallel) {
  int64_t batch = pick(1, 3), m = pick(0, 2) ? pick(1, 70) : pick(1, 3), k = pick(1, 900),
          n = pick(1, 70);
  bool tx = pick(0, 1), ty = pick(0, 1), shared = pick(0, 1);
  int64_t xs[] = {batch, tx ? k : m, tx ? m : k},
          ys[] = {shared ? 1 : batch, ty ? n : k, ty ? k : n}, os[] = {batch, m, n};
  pir_dtype type = any_type();
  pir_tensor x = random_tensor(type, 3, xs, false), y = random_tensor(type, 3, ys, false),
             out = random_tensor(result_of(type), 3, os, false);
  build b = build_of(PIR_CLAUSE_CONTRACT);
  b.parallel = parallel;
  b.clause.combine = PIR_COMBINE_ADD;
  int vb = var(&b, -1, false), vm = var(&b, ask(&b, PIR_I_OUT_DIM, -1, icon(&b, -2)), false);
  int vn = var(&b, ask(&b, PIR_I_OUT_DIM, -1, icon(&b, -1)), false),
      vk = var(&b, ask(&b, PIR_I_DIM, 0, icon(&b, tx ? -2 : -1)), true);
  int one = icon(&b, 1), cx = icon(&b, tx), cy = op2(&b, PIR_I_EQ, icon(&b, ty), one);
#define PICK(c, p, q) op3(&b, PIR_I_SELECT, -1, c, p, q)
  int lx = load_at(&b, PIR_V_LOAD, 0, -1, vb, PICK(cx, vk, vm), PICK(cx, vm, vk), -1);
  int ly = load_at(&b, PIR_V_LOAD, 1, -1, vb, PICK(cy, vn, vk), PICK(cy, vk, vn), -1);
  b.clause.body = op2(&b, PIR_V_MUL, lx, ly);
  store_at(&b, vb, vm, vn, -1);
  operand(&b, &x);
  operand(&b, &y);
  result(&b, &out);
  compare(&b, &out, "product");
  free(x.data);
  free(y.data);
  free(out.data);
}

static void random_contractions(void **state) {
  pir_thread_pool *pool;
  assert_int_equal(pir_thread_pool_create(3, NULL, &pool), PIR_OK);
  for (int i = 0; i < 100; i++) {
    convolution(i % 2 ? pir_thread_pool_parallel(pool) : pir_parallel_serial());
    transposed(i % 2 ? pir_thread_pool_parallel(pool) : pir_parallel_serial());
    product(i % 2 ? pir_thread_pool_parallel(pool) : pir_parallel_serial());
  }
  pir_thread_pool_destroy(pool);
}

// The tile of few rows gives the bits of the whole tile's first rows, reads no others of x and
// writes no others.
static void few_rows_of_tiles(void **state) {
  (void)state;
  enum { DEPTH = 37, ROW = TILE_COLUMNS + 3 };
  float x[DEPTH * TILE_ROWS], y[DEPTH * TILE_COLUMNS];
  contract_tile t = pir_contract_tile(PIR_F32);
  for (int64_t depth = 0; depth <= DEPTH && t.run_few; depth++)
    for (int add = 0; add < 2; add++) {
      float all[TILE_ROWS * ROW], few[TILE_ROWS * ROW], before[TILE_ROWS * ROW];
      for (int i = 0; i < DEPTH * TILE_ROWS; i++)
        x[i] = (float)pick(-1000000, 1000000) / 999983;
      for (int i = 0; i < DEPTH * TILE_COLUMNS; i++)
        y[i] = (float)pick(-1000000, 1000000) / 999979;
      for (int i = 0; i < TILE_ROWS * ROW; i++)
        before[i] = all[i] = few[i] = (float)pick(-1000000, 1000000) / 999961;
      t.run(depth, x, y, all, ROW, add);
      for (int i = 0; i < DEPTH * t.rows; i++)
        if (i % t.rows >= t.few_rows)
          x[i] = NAN;
      t.run_few(depth, x, y, few, ROW, add);
      int kept = t.few_rows * ROW;
      assert_memory_equal(few, all, (size_t)kept * sizeof *few);
      assert_memory_equal(few + kept, before + kept, sizeof few - (size_t)kept * sizeof *few);
    }
  static const pir_dtype others[] = {PIR_F64, PIR_I64, PIR_C64, PIR_C128};
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    assert_null(pir_contract_tile(others[i]).run_few);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(random_contractions),
                                     cmocka_unit_test(few_rows_of_tiles)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
