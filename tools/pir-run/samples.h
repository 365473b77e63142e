// Numbers that were measured, and their quantiles.
#ifndef PIR_TOOLS_SAMPLES_H
#define PIR_TOOLS_SAMPLES_H

#include <stdbool.h>
#include <stddef.h>

// The zero value is empty. The owner frees `values`.
typedef struct run_samples {
  double *values;
  size_t count, capacity;
} run_samples;

bool run_add_sample(run_samples *s, double value);  // false: memory ran out
void run_sort_samples(run_samples *s);
// A quantile of sorted samples: 0 the least, 0.5 the median; 0 where there are none.
double run_quantile(const run_samples *s, double q);

#endif
