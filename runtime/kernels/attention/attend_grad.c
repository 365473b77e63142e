// The gradient of the attention of one sequence. The heads that share keys are one unit of
// work: it adds up the gradients of its keys and values, and stores them at the end.
// O(queries * keys * width).
#include <math.h>
#include <string.h>

#include "attend.h"

// Memory of one unit: keys, values and their gradients; of one query its row, its gradient, the
// gradient of its result, and its scores.
typedef struct grad_room {
  double *keys, *values, *key_grads, *value_grads, *query, *query_grad, *out_grad, *scores;
  size_t bytes;
} grad_room;

typedef struct grad_run {
  const attend_job *job;
  const attend_grads *grads;
  bool exhausted;  // whether some unit had no memory
} grad_run;

static bool take_grad_room(const attend_job *job, grad_room *room) {
  int64_t n = job->keys, widths = job->width + job->value_width, elements;
  bool large = __builtin_mul_overflow(n, 2 * widths + 1, &elements) ||
               __builtin_add_overflow(elements, 2 * job->width + job->value_width, &elements) ||
               __builtin_mul_overflow((size_t)elements, sizeof(double), &room->bytes);
  room->keys = large ? NULL : pir_kernel_alloc(job->call, room->bytes);
  if (!room->keys)
    return false;
  room->values = room->keys + n * job->width;
  room->key_grads = room->values + n * job->value_width;
  room->value_grads = room->key_grads + n * job->width;
  room->scores = room->value_grads + n * job->value_width;
  room->query = room->scores + n;
  room->query_grad = room->query + job->width;
  room->out_grad = room->query_grad + job->width;
  return true;
}

void pir_attend_add_row(double *to, double factor, const double *from, int64_t n) {
  for (int64_t i = 0; i < n; i++)
    to[i] += factor * from[i];
}

double pir_attend_dot(const double *a, const double *b, int64_t n) {
  double sum = 0;
  for (int64_t i = 0; i < n; i++)
    sum += a[i] * b[i];
  return sum;
}

// The share of a score's gradient that passes the bound `cap`.
static double passed_cap(const attend_job *job, int64_t head, int64_t query, int64_t key,
                         double score) {
  if (job->cap <= 0)
    return 1;
  double bounded = (score - pir_attend_bias(&job->bias, head, query, key)) / job->cap;
  return 1 - bounded * bounded;
}

// Adds what a query whose greatest score is `most` gives to the gradients of keys and values,
// and computes its own.
static void add_query_grads(const grad_run *run, const grad_room *room, int64_t head,
                            int64_t query, double most) {
  const attend_job *job = run->job;
  const attend_bias *bias = &run->grads->bias;
  double sum = 0, mean = 0;
  for (int64_t k = 0; k < job->keys; k++) {
    double weight = exp(room->scores[k] - most);
    sum += weight;
    if (weight != 0)
      mean += weight * pir_attend_dot(room->out_grad, room->values + k * job->value_width,
                                      job->value_width);
  }
  mean /= sum;
  for (int64_t k = 0; k < job->keys; k++) {
    double weight = exp(room->scores[k] - most) / sum;
    if (weight == 0)
      continue;
    double *value_grad = room->value_grads + k * job->value_width;
    pir_attend_add_row(value_grad, weight, room->out_grad, job->value_width);
    double along =
        pir_attend_dot(room->out_grad, room->values + k * job->value_width, job->value_width);
    double grad = weight * (along - mean);
    if (bias->tensor)
      ((double *)bias->tensor->data)[pir_attend_bias_place(bias, head, query, k)] += grad;
    grad *= job->scale * passed_cap(job, head, query, k, room->scores[k]);
    pir_attend_add_row(room->query_grad, grad, room->keys + k * job->width, job->width);
    pir_attend_add_row(room->key_grads + k * job->width, grad, room->query, job->width);
  }
}

static void find_head_grads(const grad_run *run, const grad_room *room, int64_t head) {
  const attend_job *job = run->job;
  for (int64_t query = 0; query < job->queries; query++) {
    pir_attend_load(&job->query, head, query, room->query, job->width);
    pir_attend_load(&job->out, head, query, room->out_grad, job->value_width);
    memset(room->query_grad, 0, (size_t)job->width * sizeof *room->query_grad);
    double most = pir_attend_scores(job, head, query, room->query, room->keys, room->scores);
    if (most > -INFINITY)
      add_query_grads(run, room, head, query, most);
    pir_attend_store(&run->grads->query, head, query, room->query_grad, job->width);
  }
}

static void find_shared_grads(void *user, int64_t first, int64_t end, int thread) {
  grad_run *run = user;
  const attend_job *job = run->job;
  int64_t sharing = job->heads / job->key_heads;
  grad_room room;
  if (!take_grad_room(job, &room)) {
    __atomic_store_n(&run->exhausted, true, __ATOMIC_RELAXED);
    return;
  }
  size_t grads = (size_t)(job->keys * (job->width + job->value_width));
  for (int64_t shared = first; shared < end; shared++) {
    memset(room.key_grads, 0, grads * sizeof *room.key_grads);
    for (int64_t k = 0; k < job->keys; k++) {
      pir_attend_load(&job->key, shared, k, room.keys + k * job->width, job->width);
      pir_attend_load(&job->value, shared, k, room.values + k * job->value_width,
                      job->value_width);
    }
    for (int64_t head = shared * sharing; head < (shared + 1) * sharing; head++)
      find_head_grads(run, &room, head);
    for (int64_t k = 0; k < job->keys; k++) {
      pir_attend_store(&run->grads->key, shared, k, room.key_grads + k * job->width,
                       job->width);
      pir_attend_store(&run->grads->value, shared, k, room.value_grads + k * job->value_width,
                       job->value_width);
    }
  }
  pir_kernel_free(job->call, room.keys, room.bytes);
}

pir_status pir_attend_grad(const attend_job *job, const attend_grads *grads) {
  grad_run run = {.job = job, .grads = grads};
  PIR_TRY(pir_attend_expect_heads(job));
  // Heads may share elements of a bias.
  if (grads->bias.tensor)
    find_shared_grads(&run, 0, job->key_heads, 0);
  else
    pir_kernel_each(job->call, job->key_heads, find_shared_grads, &run);
  if (run.exhausted)
    return pir_kernel_fail(job->call, PIR_EXHAUSTED, "%s: out of memory", job->call->op);
  return PIR_OK;
}
