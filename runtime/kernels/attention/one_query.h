// Attention of one query of each head over a long cache, which is read once.
#ifndef PIR_KERNELS_ONE_QUERY_H
#define PIR_KERNELS_ONE_QUERY_H

#include "attend.h"

// Keys and values of places that follow each other, of one head. Element i of the key of place
// p is element `i / chunk * chunk_step + p * key_step + i % chunk` of `keys`; its value has
// element `p * value_step + i` of `values`.
typedef struct cache_rows {
  const char *keys, *values;
  int64_t places;
  // `chunk` is the width, or 16 bytes of elements, with a `key_step` of the same.
  int64_t chunk, chunk_step;
  int64_t key_step, value_step;
} cache_rows;

typedef struct one_query_job {
  const pir_kernel_call *call;
  const double *query;  // [heads, width]
  double *out;          // [heads, width]
  pir_dtype dtype;      // of the cache: f32, f16 or bf16
  int64_t heads, key_heads, width, keys;
  double scale;
  attend_bias bias;  // of query 0
  // Numbers are as of softmax and a product: scores that are all -inf give NaN, and a value
  // that is infinite or NaN gives NaN where its weight is 0. Else a key with a weight of 0 is
  // hidden, and a query that sees no key gets zeros.
  bool hides_nothing;
  // Finds the places from `place` on that lie together, one or more.
  void (*find)(const void *user, int64_t key_head, int64_t place, cache_rows *out);
  const void *user;
} one_query_job;

// Computes `out` as pir_attend does, on the call's threads, from products and sums in f32: the
// keys are divided into parts of 512, whose results are put together in double, in their order.
// So the bits do not depend on the number of threads. A result differs from that in float64 by
// at most about 2e-6 of the largest value seen, where scores are below 10.
pir_status pir_attend_one(const one_query_job *job);

#endif
