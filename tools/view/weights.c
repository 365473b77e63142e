#include "weights.h"

#include <math.h>
#include <string.h>

enum { BINS = 32 };

typedef struct statistics {
  double least, most, sum, squares;
  uint64_t finite, zeros, nan, infinite, bins[BINS];
} statistics;

static double of_half(uint16_t bits) {
  int exponent = bits >> 10 & 31, fraction = bits & 1023;
  double value = exponent ? ldexp(1024 + fraction, exponent - 25) : ldexp(fraction, -24);
  if (exponent == 31)
    value = fraction ? NAN : INFINITY;
  return bits >> 15 ? -value : value;
}

static double of_bfloat(uint16_t bits) {
  uint32_t wide = (uint32_t)bits << 16;
  float value;
  memcpy(&value, &wide, sizeof value);
  return value;
}

#define ELEMENT(type)                                                                          \
  {                                                                                            \
    type value;                                                                                \
    memcpy(&value, data + i * sizeof value, sizeof value);                                     \
    return (double)value;                                                                      \
  }

// Bytes of parameters have no alignment.
static double element(const char *data, pir_dtype dtype, size_t i) {
  uint16_t half = 0;
  if (dtype == PIR_F16 || dtype == PIR_BF16)
    memcpy(&half, data + i * sizeof half, sizeof half);
  switch (dtype) {
    case PIR_F16: return of_half(half);
    case PIR_BF16: return of_bfloat(half);
    case PIR_F32: ELEMENT(float)
    case PIR_F64: ELEMENT(double)
    case PIR_I8: ELEMENT(int8_t)
    case PIR_I16: ELEMENT(int16_t)
    case PIR_I32: ELEMENT(int32_t)
    case PIR_I64: ELEMENT(int64_t)
    default: ELEMENT(uint8_t)
  }
}

static bool is_ordered(pir_dtype dtype) {
  static const pir_dtype types[] = {PIR_F16, PIR_BF16, PIR_F32, PIR_F64, PIR_I8,
                                    PIR_I16, PIR_I32,  PIR_I64, PIR_U8,  PIR_BOOL};
  for (size_t i = 0; i < sizeof types / sizeof *types; i++)
    if (types[i] == dtype)
      return true;
  return false;
}

static void take(statistics *s, double value) {
  s->zeros += value == 0;
  s->nan += isnan(value) != 0;
  s->infinite += isinf(value) != 0;
  if (!isfinite(value))
    return;
  if (!s->finite || value < s->least)
    s->least = value;
  if (!s->finite || value > s->most)
    s->most = value;
  s->finite++;
  s->sum += value;
  s->squares += value * value;
}

static void count_bins(statistics *s, const pir_param *param, size_t count) {
  double scale = s->most > s->least ? BINS / (s->most - s->least) : 0;
  for (size_t i = 0; i < count; i++) {
    double value = element(param->data, param->dtype, i);
    if (!isfinite(value))
      continue;
    int bin = (int)((value - s->least) * scale);
    s->bins[bin < BINS ? bin : BINS - 1]++;
  }
}

static void write_numbers(json *j, const statistics *s) {
  double n = s->finite ? (double)s->finite : 1, mean = s->sum / n,
         variance = s->squares / n - mean * mean;
  struct {
    const char *key;
    double value;
  } rows[] = {{"least", s->least},
              {"most", s->most},
              {"mean", mean},
              {"deviation", sqrt(variance > 0 ? variance : 0)},
              {"zeros", (double)s->zeros},
              {"nan", (double)s->nan},
              {"infinite", (double)s->infinite}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    json_key(j, rows[i].key);
    json_number(j, rows[i].value);
  }
  json_key(j, "bins");
  json_open(j, '[');
  for (int i = 0; i < BINS; i++)
    json_int(j, (int64_t)s->bins[i]);
  json_close(j, ']');
}

void view_write_weights(json *j, const pir_param *param) {
  size_t size = pir_dtype_size(param->dtype), count = size ? param->size / size : 0;
  json_open(j, '{');
  json_key(j, "dtype");
  json_text(j, pir_str_from(pir_dtype_name(param->dtype)));
  json_key(j, "shape");
  json_open(j, '[');
  for (size_t i = 0; i < param->shape.rank; i++)
    json_int(j, param->shape.dims[i]);
  json_close(j, ']');
  json_key(j, "count");
  json_int(j, (int64_t)count);
  if (count && is_ordered(param->dtype)) {
    statistics s = {0};
    for (size_t i = 0; i < count; i++)
      take(&s, element(param->data, param->dtype, i));
    count_bins(&s, param, count);
    write_numbers(j, &s);
  }
  json_close(j, '}');
}
