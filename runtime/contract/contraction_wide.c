// Register tiles of doubles, integers and complex numbers, written once with the compiler's
// vector extension and compiled for every level of vector units. Integers wrap around, as
// conversion to a narrower type does.
#include "contraction.h"

enum { ROWS = 4, COLUMNS = 8 };

typedef double double4 __attribute__((vector_size(32), aligned(8), may_alias));
typedef uint64_t uint4 __attribute__((vector_size(32), aligned(8), may_alias));

// Two vectors of columns for each row.
#define TILE(name, T, vector, level)                                                           \
  level static void name(int64_t depth, const void *packed_x, const void *packed_y,            \
                         void *sums, int64_t row, bool add) {                                  \
    const T *x = packed_x, *y = packed_y;                                                      \
    T *c = sums;                                                                               \
    vector a[ROWS] = {{0}}, b[ROWS] = {{0}};                                                   \
    for (int64_t k = 0; k < depth; k++, x += ROWS, y += COLUMNS) {                             \
      vector y0 = *(const vector *)y, y1 = *(const vector *)(y + 4);                           \
      _Pragma("GCC unroll 4") for (int r = 0; r < ROWS; r++) a[r] += x[r] * y0,                \
          b[r] += x[r] * y1;                                                                   \
    }                                                                                          \
    _Pragma("GCC unroll 4") for (int r = 0; r < ROWS; r++, c += row) {                         \
      if (add)                                                                                 \
        a[r] += *(vector *)c, b[r] += *(vector *)(c + 4);                                      \
      *(vector *)c = a[r], *(vector *)(c + 4) = b[r];                                          \
    }                                                                                          \
  }

// Complex numbers as pairs. Products are computed from the parts, which equals the evaluator
// except for infinities.
#define COMPLEX_TILE(name, T)                                                                  \
  static void name(int64_t depth, const void *packed_x, const void *packed_y, void *sums,      \
                   int64_t row, bool add) {                                                    \
    const T *x = packed_x, *y = packed_y;                                                      \
    T *c = sums, re[ROWS][COLUMNS] = {{0}}, im[ROWS][COLUMNS] = {{0}};                         \
    for (int64_t k = 0; k < depth; k++, x += 2 * ROWS, y += 2 * COLUMNS)                       \
      for (int r = 0; r < ROWS; r++)                                                           \
        for (int j = 0; j < COLUMNS; j++) {                                                    \
          re[r][j] += x[2 * r] * y[2 * j] - x[2 * r + 1] * y[2 * j + 1];                       \
          im[r][j] += x[2 * r] * y[2 * j + 1] + x[2 * r + 1] * y[2 * j];                       \
        }                                                                                      \
    for (int r = 0; r < ROWS; r++, c += 2 * row)                                               \
      for (int j = 0; j < COLUMNS; j++) {                                                      \
        c[2 * j] = add ? c[2 * j] + re[r][j] : re[r][j];                                       \
        c[2 * j + 1] = add ? c[2 * j + 1] + im[r][j] : im[r][j];                               \
      }                                                                                        \
  }

TILE(doubles, double, double4, )
TILE(integers, uint64_t, uint4, )
COMPLEX_TILE(complex_floats, float)
COMPLEX_TILE(complex_doubles, double)

#if defined(__x86_64__) && defined(__GNUC__)
TILE(doubles_256, double, double4, __attribute__((target("avx2,fma"))))
TILE(integers_256, uint64_t, uint4, __attribute__((target("avx2"))))
#endif

contract_tile pir_contract_wide_tile(pir_dtype lanes) {
  contract_tile t = {.rows = ROWS, .columns = COLUMNS};
  bool wide = false;
#if defined(__x86_64__) && defined(__GNUC__)
  __builtin_cpu_init();
  wide = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  if (wide)
    t.run = lanes == PIR_F64 ? doubles_256 : integers_256;
#endif
  if (!wide)
    t.run = lanes == PIR_F64 ? doubles : integers;
  if (lanes == PIR_C64)
    t.run = complex_floats;
  if (lanes == PIR_C128)
    t.run = complex_doubles;
  return t;
}
