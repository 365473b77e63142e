// Attention of one sequence. Each head loads its keys and values once, as doubles; then it goes
// through its queries. O(queries * keys * width).
#include "attend.h"

#include <convert.h>
#include <math.h>
#include <string.h>

// Memory of one head: keys, values, a query, a row of the result, and the scores of a query.
typedef struct attend_room {
  double *keys, *values, *query, *out, *scores;
  size_t bytes;
} attend_room;

typedef struct attend_run {
  const attend_job *job;
  bool exhausted;  // whether some head had no memory
} attend_run;

attend_rows pir_attend_rows(const pir_tensor *tensor, int64_t entry, int place_axis) {
  return (attend_rows){.tensor = tensor,
                       .start = entry * tensor->strides[0],
                       .step = tensor->strides[place_axis],
                       .head_step = tensor->strides[3 - place_axis]};
}

static char *row_data(const attend_rows *rows, int64_t head, int64_t place) {
  int64_t at = rows->start + head * rows->head_step + place * rows->step;
  return (char *)rows->tensor->data + at * (int64_t)pir_dtype_size(rows->tensor->dtype);
}

void pir_attend_load(const attend_rows *rows, int64_t head, int64_t place, double *to,
                     int64_t n) {
  if (rows->load)
    rows->load(rows->user, head, place, to);
  else
    pir_convert(PIR_F64, to, 1, rows->tensor->dtype, row_data(rows, head, place), 1, n);
}

void pir_attend_store(const attend_rows *rows, int64_t head, int64_t place, const double *from,
                      int64_t n) {
  pir_convert(rows->tensor->dtype, row_data(rows, head, place), 1, PIR_F64, from, 1, n);
}

static bool take_room(const attend_job *job, attend_room *room) {
  int64_t n = job->keys, elements, values;
  bool large =
      __builtin_mul_overflow(n, job->width + 1, &elements) ||
      __builtin_mul_overflow(n, job->value_width, &values) ||
      __builtin_add_overflow(elements, values + job->width + job->value_width, &elements) ||
      __builtin_mul_overflow((size_t)elements, sizeof(double), &room->bytes);
  room->keys = large ? NULL : pir_kernel_alloc(job->call, room->bytes);
  if (!room->keys)
    return false;
  room->values = room->keys + n * job->width;
  room->scores = room->values + values;
  room->query = room->scores + n;
  room->out = room->query + job->width;
  return true;
}

int64_t pir_attend_bias_place(const attend_bias *bias, int64_t head, int64_t query,
                              int64_t key) {
  return bias->start + head * bias->head_step + query * bias->query_step + key * bias->key_step;
}

double pir_attend_bias(const attend_bias *bias, int64_t head, int64_t query, int64_t key) {
  if (!bias->tensor)
    return 0;
  int64_t at = pir_attend_bias_place(bias, head, query, key);
  double value;
  size_t size = pir_dtype_size(bias->tensor->dtype);
  pir_convert(PIR_F64, &value, 1, bias->tensor->dtype,
              (const char *)bias->tensor->data + at * (int64_t)size, 1, 1);
  return value;
}

double pir_attend_scores(const attend_job *job, int64_t head, int64_t query, const double *row,
                         const double *keys, double *scores) {
  int64_t own = query + job->shift;
  double most = -INFINITY;
  for (int64_t k = 0; k < job->keys; k++) {
    const double *key = keys + k * job->width;
    bool seen = (job->before < 0 || k >= own - job->before) &&
                (job->after < 0 || k <= own + job->after);
    double score = 0;
    if (seen && job->sees)
      seen = job->sees(job->user, head, query, k);
    for (int64_t i = 0; i < job->width && seen; i++)
      score += row[i] * key[i];
    score *= job->scale;
    if (job->cap > 0)
      score = job->cap * tanh(score / job->cap);
    scores[k] = seen ? score + pir_attend_bias(&job->bias, head, query, k) : -INFINITY;
    most = fmax(most, scores[k]);
  }
  return most;
}

static void attend_query(const attend_job *job, const attend_room *room, int64_t head,
                         int64_t query) {
  pir_attend_load(&job->query, head, query, room->query, job->width);
  double most = pir_attend_scores(job, head, query, room->query, room->keys, room->scores);
  double sum = 0;
  memset(room->out, 0, (size_t)job->value_width * sizeof *room->out);
  for (int64_t k = 0; k < job->keys && most > -INFINITY; k++) {
    double weight = exp(room->scores[k] - most);
    if (weight == 0)
      continue;
    sum += weight;
    for (int64_t i = 0; i < job->value_width; i++)
      room->out[i] += weight * room->values[k * job->value_width + i];
  }
  for (int64_t i = 0; i < job->value_width && sum != 0; i++)
    room->out[i] /= sum;
  pir_attend_store(&job->out, head, query, room->out, job->value_width);
  if (job->sums)
    job->sums[head * job->sums_head_step + query] = sum != 0 ? most + log(sum) : INFINITY;
}

static void attend_heads(void *user, int64_t first, int64_t end, int thread) {
  attend_run *run = user;
  const attend_job *job = run->job;
  attend_room room;
  if (!take_room(job, &room)) {
    __atomic_store_n(&run->exhausted, true, __ATOMIC_RELAXED);
    return;
  }
  int64_t loaded = -1;  // heads that share keys and values read them once
  for (int64_t head = first; head < end; head++) {
    int64_t shared = head / (job->heads / job->key_heads);
    for (int64_t k = 0; k < job->keys && shared != loaded; k++) {
      pir_attend_load(&job->key, shared, k, room.keys + k * job->width, job->width);
      pir_attend_load(&job->value, shared, k, room.values + k * job->value_width,
                      job->value_width);
    }
    loaded = shared;
    for (int64_t query = 0; query < job->queries; query++)
      attend_query(job, &room, head, query);
  }
  pir_kernel_free(job->call, room.keys, room.bytes);
}

pir_status pir_attend_expect_heads(const attend_job *job) {
  if (job->key_heads < 1 || job->heads % job->key_heads)
    return pir_kernel_fail(job->call, PIR_INVALID,
                           "%s: expects a multiple of %lld heads of keys, found %lld heads",
                           job->call->op, (long long)job->key_heads, (long long)job->heads);
  return PIR_OK;
}

pir_status pir_attend(const attend_job *job) {
  attend_run run = {.job = job};
  PIR_TRY(pir_attend_expect_heads(job));
  pir_kernel_each(job->call, job->heads, attend_heads, &run);
  if (run.exhausted)
    return pir_kernel_fail(job->call, PIR_EXHAUSTED, "%s: out of memory", job->call->op);
  return PIR_OK;
}
