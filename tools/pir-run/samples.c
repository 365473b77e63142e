#include "samples.h"

#include <stdlib.h>

bool run_add_sample(run_samples *s, double value) {
  if (s->count == s->capacity) {
    size_t capacity = s->capacity ? s->capacity * 2 : 256;
    double *grown = realloc(s->values, capacity * sizeof *grown);
    if (!grown)
      return false;
    s->values = grown;
    s->capacity = capacity;
  }
  s->values[s->count++] = value;
  return true;
}

static int by_value(const void *x, const void *y) {
  double a = *(const double *)x, b = *(const double *)y;
  return a < b ? -1 : a > b;
}

void run_sort_samples(run_samples *s) {
  if (s->count)
    qsort(s->values, s->count, sizeof *s->values, by_value);
}

double run_quantile(const run_samples *s, double q) {
  if (!s->count)
    return 0;
  size_t at = (size_t)(q * (double)(s->count - 1) + 0.5);
  return s->values[at < s->count ? at : s->count - 1];
}
