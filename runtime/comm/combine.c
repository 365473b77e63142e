// Combining the elements of several ranks: in the order of the ranks, in f32 for floats of up
// to 32 bits, in f64 for doubles, in 64-bit integers for the others. O(ranks * count).
#include "combine.h"

#include <string.h>

#include "convert.h"

enum { BLOCK = 256 };  // elements of a block, which stays in the L1 cache

// A complex number is two numbers.
static pir_dtype component_of(pir_dtype dtype) {
  if (dtype == PIR_C64)
    return PIR_F32;
  return dtype == PIR_C128 ? PIR_F64 : dtype;
}

static bool is_float(pir_dtype dtype) {
  return dtype == PIR_F32 || dtype == PIR_F16 || dtype == PIR_BF16 || dtype == PIR_F8E4M3 ||
         dtype == PIR_F8E5M2;
}

// The type in which elements are combined.
static pir_dtype working_type(pir_dtype dtype) {
  if (dtype == PIR_F64)
    return PIR_F64;
  return is_float(dtype) ? PIR_F32 : PIR_I64;
}

bool pir_comm_combines(pir_dtype dtype, pir_reduction how) {
  if ((int)how < 0 || how > PIR_REDUCE_ALL || !pir_converts(dtype))
    return false;
  return component_of(dtype) == dtype || how == PIR_REDUCE_SUM || how == PIR_REDUCE_AVERAGE;
}

const char *pir_comm_reduction_name(pir_reduction how) {
  static const char *const names[] = {"sum", "max", "min", "product", "average", "any", "all"};
  return (int)how < 0 || how > PIR_REDUCE_ALL ? "unknown" : names[how];
}

// A loop for each reduction, which compilers make vectors of.
#define EACH(x)                                                                                \
  for (size_t i = 0; i < n; i++)                                                               \
    acc[i] = (x);                                                                              \
  break

// As floats: a NaN stays where one was met.
#define COMBINE_REAL(type, name)                                                               \
  static void name(type *acc, const type *x, size_t n, pir_reduction how) {                    \
    switch (how) {                                                                             \
      case PIR_REDUCE_MAX: EACH(x[i] > acc[i] || x[i] != x[i] ? x[i] : acc[i]);                \
      case PIR_REDUCE_MIN: EACH(x[i] < acc[i] || x[i] != x[i] ? x[i] : acc[i]);                \
      case PIR_REDUCE_PRODUCT: EACH(acc[i] * x[i]);                                            \
      case PIR_REDUCE_ANY: EACH(acc[i] != 0 || x[i] != 0);                                     \
      case PIR_REDUCE_ALL: EACH(acc[i] != 0 && x[i] != 0);                                     \
      default: EACH(acc[i] + x[i]);                                                            \
    }                                                                                          \
  }
COMBINE_REAL(float, combine_f32)
COMBINE_REAL(double, combine_f64)
#undef COMBINE_REAL

static bool is_below(uint64_t a, uint64_t b, uint64_t turn) {
  return (int64_t)(a ^ turn) < (int64_t)(b ^ turn);
}

// Sums and products wrap. u64 are ordered as unsigned numbers.
static void combine_ints(uint64_t *acc, const uint64_t *x, size_t n, pir_reduction how,
                         bool is_unsigned) {
  const uint64_t turn = is_unsigned ? (uint64_t)1 << 63 : 0;
  switch (how) {
    case PIR_REDUCE_MAX: EACH(is_below(acc[i], x[i], turn) ? x[i] : acc[i]);
    case PIR_REDUCE_MIN: EACH(is_below(acc[i], x[i], turn) ? acc[i] : x[i]);
    case PIR_REDUCE_PRODUCT: EACH(acc[i] * x[i]);
    case PIR_REDUCE_ANY: EACH(acc[i] || x[i]);
    case PIR_REDUCE_ALL: EACH(acc[i] && x[i]);
    default: EACH(acc[i] + x[i]);
  }
}
#undef EACH

typedef union block {
  float f32[BLOCK];
  double f64[BLOCK];
  int64_t i64[BLOCK];
  uint64_t u64[BLOCK];
} block;

static void combine_blocks(block *acc, const block *x, size_t n, pir_dtype dtype,
                           pir_reduction how) {
  switch (working_type(dtype)) {
    case PIR_F32: combine_f32(acc->f32, x->f32, n, how); break;
    case PIR_F64: combine_f64(acc->f64, x->f64, n, how); break;
    default: combine_ints(acc->u64, x->u64, n, how, dtype == PIR_U64); break;
  }
}

static void divide_block(block *acc, size_t n, pir_dtype dtype, int32_t ranks) {
  pir_dtype working = working_type(dtype);
  for (size_t i = 0; i < n; i++)
    if (working == PIR_F32)
      acc->f32[i] /= (float)ranks;
    else if (working == PIR_F64)
      acc->f64[i] /= ranks;
    else if (dtype == PIR_U64)
      acc->i64[i] = (int64_t)((uint64_t)acc->i64[i] / (uint64_t)ranks);
    else
      acc->i64[i] /= ranks;
}

// Any and all of one rank are 0 or 1 too.
static void begin(block *acc, size_t n, pir_dtype dtype, pir_reduction how) {
  if (how == PIR_REDUCE_ANY || how == PIR_REDUCE_ALL)
    combine_blocks(acc, acc, n, dtype, how);
}

void pir_comm_combine(const void *const *in, int32_t ranks, size_t count, pir_dtype dtype,
                      pir_reduction how, void *out) {
  block acc, x;
  const pir_dtype part = component_of(dtype), working = working_type(part);
  const size_t size = pir_dtype_size(part), n = count * (part == dtype ? 1 : 2);
  for (size_t at = 0; at < n; at += BLOCK) {
    size_t length = n - at < BLOCK ? n - at : BLOCK;
    pir_convert(working, &acc, 1, part, (const char *)in[0] + at * size, 1, (int64_t)length);
    begin(&acc, length, part, how);
    for (int32_t r = 1; r < ranks; r++) {
      pir_convert(working, &x, 1, part, (const char *)in[r] + at * size, 1, (int64_t)length);
      combine_blocks(&acc, &x, length, part, how);
    }
    if (how == PIR_REDUCE_AVERAGE)
      divide_block(&acc, length, part, ranks);
    pir_convert(part, (char *)out + at * size, 1, working, &acc, 1, (int64_t)length);
  }
}
