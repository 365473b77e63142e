// Attention of one sequence, for kernels whose operands store queries, keys and values in their
// own ways.
#ifndef PIR_KERNELS_ATTEND_H
#define PIR_KERNELS_ATTEND_H

#include "kernels.h"

// Rows of a tensor, one for each head and place of a sequence. The elements of a row are
// neighbours in memory.
typedef struct attend_rows {
  const pir_tensor *tensor;
  // The first row's element, and the distances of places and of heads, in elements.
  int64_t start, step, head_step;
  // Loads the row of a place as doubles, for rows whose elements are not neighbours in memory;
  // NULL: reads it at the place that the numbers above give.
  void (*load)(const void *user, int64_t head, int64_t place, double *to);
  const void *user;
} attend_rows;

// Numbers that are added to the scores: one for each head, query and key.
typedef struct attend_bias {
  const pir_tensor *tensor;  // NULL: none
  int64_t start, head_step, query_step, key_step;
} attend_bias;

// Where the gradients of a sequence's attention go.
typedef struct attend_grads {
  attend_rows query, key, value;  // their tensors are written
  attend_bias bias;               // a tensor of doubles that is added to; or none
} attend_grads;

// Attention of the queries of a sequence to its keys.
typedef struct attend_job {
  const pir_kernel_call *call;
  // The tensor of `out` is written; pir_attend_grad reads the gradient of the result there.
  attend_rows query, key, value, out;
  int64_t heads, key_heads;  // heads / key_heads queries share a key
  int64_t queries, keys, width, value_width;
  double scale, cap;  // scores are scaled, and bounded by `cap` unless it is 0
  // The key at the place of query 0; a query sees `before` keys before its own, and `after`
  // keys after it. -1: all.
  int64_t shift, before, after;
  attend_bias bias;
  // Whether a query sees a key; NULL: as the numbers above say.
  bool (*sees)(const void *user, int64_t head, int64_t query, int64_t key);
  const void *user;
  // The logarithm of the sum of each query's exponentials; NULL: not kept.
  double *sums;
  int64_t sums_head_step;
} attend_job;

// Computes the rows of `out`, on the call's threads. A query that sees no key gives zeros, and
// an infinite logarithm. Computes in double.
pir_status pir_attend(const attend_job *job);

// Computes the rows of the gradients `grads`, with weights that are computed again. A query
// that sees no key has none. Computes in double.
pir_status pir_attend_grad(const attend_job *job, const attend_grads *grads);

// The rows of operand `k` of rank 4, for one entry of its first axis. `place_axis` is the axis
// of places, 1 or 2; the other one is the axis of heads.
attend_rows pir_attend_rows(const pir_tensor *tensor, int64_t entry, int place_axis);

// ---- parts of both

// Refuses heads of queries that cannot share the heads of keys evenly.
pir_status pir_attend_expect_heads(const attend_job *job);

// Reads and writes the row of a head at a place.
void pir_attend_load(const attend_rows *rows, int64_t head, int64_t place, double *to,
                     int64_t n);
void pir_attend_store(const attend_rows *rows, int64_t head, int64_t place, const double *from,
                      int64_t n);

// The element of a bias for a score, and its number: 0 without a bias.
int64_t pir_attend_bias_place(const attend_bias *bias, int64_t head, int64_t query,
                              int64_t key);
double pir_attend_bias(const attend_bias *bias, int64_t head, int64_t query, int64_t key);

// Adds a row times a factor to another row; multiplies two rows. `n` is their length.
void pir_attend_add_row(double *to, double factor, const double *from, int64_t n);
double pir_attend_dot(const double *a, const double *b, int64_t n);

// Computes the scores of the keys that a query `row` sees, -inf for the others. Returns the
// greatest.
double pir_attend_scores(const attend_job *job, int64_t head, int64_t query, const double *row,
                         const double *keys, double *scores);

#endif
