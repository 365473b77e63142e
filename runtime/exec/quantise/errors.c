// Errors of computed numbers beside the numbers that f32 gives.
#include "quantise.h"

#include <math.h>
#include <string.h>

static void add_float(number_errors *e, double f32, double got) {
  double off = isnan(got) ? INFINITY : fabs(got - f32);
  if (!isfinite(f32)) {
    e->skipped++;
    return;
  }
  if (off > e->largest)
    e->largest = off;
  e->sum += off;
  e->of_sum += fabs(f32);
  e->squares += off * off;
  e->of_squares += f32 * f32;
}

static bool has_same_shape(const pir_tensor *a, const pir_tensor *b) {
  return a->rank == b->rank && !memcmp(a->shape, b->shape, (size_t)a->rank * sizeof *a->shape);
}

void errors_add_floats(number_errors *e, const float *f32, const float *got, size_t n) {
  for (size_t i = 0; i < n; i++)
    add_float(e, (double)f32[i], (double)got[i]);
  e->count += n;
}

void errors_merge(number_errors *e, const number_errors *part) {
  e->largest = part->largest > e->largest ? part->largest : e->largest;
  e->sum += part->sum;
  e->of_sum += part->of_sum;
  e->squares += part->squares;
  e->of_squares += part->of_squares;
  e->count += part->count;
  e->different += part->different;
  e->reshaped += part->reshaped;
  e->skipped += part->skipped;
}

void errors_add(number_errors *e, const pir_tensor *f32, const pir_tensor *got) {
  if (!has_same_shape(f32, got)) {
    e->reshaped++;
    return;
  }
  int64_t n = pir_tensor_numel(f32);
  bool floats = pir_dtype_is_float(f32->dtype);
  bool plain = f32->dtype == PIR_F32 && got->dtype == PIR_F32 && pir_tensor_is_dense(f32) &&
               pir_tensor_is_dense(got);
  const char *x = f32->data, *y = got->data;
  for (int64_t i = 0; i < n; i++) {
    float was, is;
    if (plain) {  // in a parameter file floats have any alignment
      memcpy(&was, x + (size_t)i * sizeof was, sizeof was);
      memcpy(&is, y + (size_t)i * sizeof is, sizeof is);
      add_float(e, (double)was, (double)is);
    } else if (floats)
      add_float(e, pir_tensor_float_at(f32, i), pir_tensor_float_at(got, i));
    else
      e->different += pir_tensor_int_at(f32, i) != pir_tensor_int_at(got, i);
  }
  e->count += (uint64_t)n;
}

double errors_snr(const number_errors *e) {
  return e->squares > 0 ? 10 * log10(e->of_squares / e->squares) : INFINITY;
}

double errors_relative(const number_errors *e) {
  return e->sum > 0 ? e->sum / e->of_sum : 0;
}
